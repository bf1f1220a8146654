//! `kubetaint init`: writes a commented configuration for what is found.

use std::io::Write;
use std::path::Path;

use super::inputs::{Inputs, Place};
use super::{CommandError, Exit, write};
use crate::cli::{Cli, Init};
use crate::config;
use crate::discover::CONFIG_FILE;
use crate::proposal::{Seen, propose};
use crate::source::{Source, SourceId};

/// How to run `kubetaint check` on each commit and each change. The commit is for the user to fill in.
const NEXT: &str = concat!(
    r#"
For each commit, in .pre-commit-config.yaml; `rev` is a commit of that repository:

    repos:
      - repo: "#,
    env!("CARGO_PKG_REPOSITORY"),
    r#"
        rev: 0123456789abcdef0123456789abcdef01234567
        hooks:
          - id: kubetaint

For each change on GitHub, in .github/workflows/kubetaint.yaml; what follows `kubetaint/kubetaint` is a commit of it:

    name: kubetaint
    on: [pull_request]
    permissions: {}
    jobs:
      check:
        runs-on: ubuntu-latest
        permissions:
          contents: read
        steps:
          - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
            with:
              persist-credentials: false
          - uses: kubetaint/kubetaint@0123456789abcdef0123456789abcdef01234567
"#
);

/// Writes the configuration, or prints it.
///
/// # Errors
/// A folder that is not there, a configuration that is there already, a file that cannot be written.
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
    let listing = inputs.list_pools(cli.quiet);
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
    // What is proposed must be what `check` reads; better none than one with errors.
    config::parse(Source::new(CONFIG_FILE, text.clone()), SourceId(0))
        .map_err(CommandError::Problems)?;
    if print {
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Clean);
    }
    write::replace(folder, &target, text.as_bytes())
        .map_err(|error| CommandError::Message(format!("{}: {error}", target.display())))?;
    writeln!(out, "wrote {}", target.display())?;
    if !cli.quiet {
        write!(out, "{NEXT}")?;
    }
    Ok(Exit::Clean)
}
