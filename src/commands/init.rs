//! `kubetaint init`: writes a commented configuration for a repository.

use std::io::Write;
use std::path::Path;

use super::inputs::{Inputs, Place};
use super::{CommandError, Exit, write};
use crate::cli::{Cli, Init};
use crate::config;
use crate::discover::CONFIG_FILE;
use crate::lint::Purpose;
use crate::output::count;
use crate::proposal::{Seen, propose};
use crate::source::{Source, SourceId};

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
    let listing = inputs.list_pools(cli.quiet, Purpose::Table);
    inputs.place.say("warning", &listing.problems);
    let files: Vec<String> = inputs
        .discovery
        .files
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let text = propose(&Seen {
        pools: &listing.inventory.pools,
        workload_files: &listing.workload_files,
        files: &files,
        others: &inputs.discovery.others,
        counts: &listing.counts,
    });
    // `check` must be able to read the proposal. No proposal is better than one with errors.
    let proposed = config::parse(
        Source::new(CONFIG_FILE, text.clone()),
        SourceId::CONFIGURATION,
    )
    .map_err(CommandError::Problems)?;
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
            count(proposed.clusters.len(), "cluster", "clusters"),
            count(counts.pools, "node pool", "node pools"),
            count(counts.workloads, "workload", "workloads"),
            count(counts.files, "file", "files"),
        )?;
        writeln!(out, "next: review it, then run `kubetaint check`")?;
    }
    Ok(Exit::Clean)
}
