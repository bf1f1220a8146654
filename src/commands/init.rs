//! `kubetaint init`: writes a commented configuration for a repository.

use std::io::Write;
use std::path::Path;

use super::inputs::{Inputs, Place};
use super::trying::{self, Proposed};
use super::{CommandError, Exit, load_rules, write};
use crate::cli::{Cli, Init};
use crate::discover::CONFIG_FILE;
use crate::lint::Suppressions;
use crate::output::count;

/// Writes or prints the configuration.
///
/// # Errors
/// Returns an error if the folder does not exist, a configuration already exists, or the file cannot be written.
pub fn run(cli: &Cli, arguments: &Init, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let print = arguments.stdout || arguments.path.as_os_str() == "-";
    let folder = match arguments.path.as_os_str() {
        path if path == "-" => Path::new("."),
        _ => &arguments.path,
    };
    let target = folder.join(CONFIG_FILE);
    if !folder.is_dir() {
        return Err(CommandError::Message(format!(
            "{}: not a folder",
            folder.display()
        )));
    }
    if !print && !arguments.force && target.symlink_metadata().is_ok() {
        return Err(CommandError::Message(format!(
            "{} is there already; --force replaces it, --stdout prints what it would become",
            target.display()
        )));
    }
    let inputs = Inputs::find(Place::bare(folder)?, &[])?;
    let rules = load_rules(&[])?;
    let settings = inputs.settings(&rules, Suppressions::Off);
    let Proposed {
        text,
        clusters,
        mut listing,
    } = inputs
        .read(cli.quiet, |list, load| {
            trying::propose(&inputs, settings, (list, load))
        })
        .map_err(CommandError::Problems)?;
    inputs.add_problems(&mut listing.problems);
    inputs.place.say("warning", &listing.problems);
    if print {
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Clean);
    }
    write::replace(folder, &target, text.as_bytes())
        .map_err(|error| CommandError::Message(format!("{}: {error}", target.display())))?;
    writeln!(out, "wrote {}", target.display())?;
    if !cli.quiet {
        let counts = &listing.counts;
        writeln!(
            out,
            "found {}, {} and {} in {}",
            count(clusters, "cluster", "clusters"),
            count(counts.pools, "node pool", "node pools"),
            count(counts.workloads, "workload", "workloads"),
            count(counts.files, "file", "files"),
        )?;
        writeln!(out, "next: review it, then run `kubetaint check`")?;
    }
    Ok(Exit::Clean)
}
