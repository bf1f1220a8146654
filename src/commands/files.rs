//! `kubetaint check --show-files`: lists the files to read, and the reasons why others are skipped.

use std::io::Write;

use super::inputs::Inputs;
use super::{CommandError, Exit};
use crate::cli::Cli;
use crate::discover::{self, Why};

/// Lists the files to read, and the skipped files on standard error. Files of other kinds are only counted, unless the
/// output is verbose.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn show(cli: &Cli, inputs: &Inputs, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let place = &inputs.place;
    for file in &inputs.discovery.files {
        let path = place.standpoint.path(&file.path);
        writeln!(out, "{path}")?;
    }
    let mut problems = Vec::new();
    inputs.add_problems(&mut problems);
    place.say("error", &problems);
    if !cli.quiet {
        let exclude = |path: &str| place.config.exclude.matches(path);
        let mut others = 0;
        for one in discover::unread(&inputs.discovery, place.paths(), &exclude) {
            if place.keeps_cache_at(&one.path) {
                continue;
            }
            if one.why == Why::OtherKind && !cli.verbose {
                others += 1;
            } else {
                let path = place.standpoint.path(&one.path);
                super::say(format_args!("not read: {path}: {}", one.why.as_str()));
            }
        }
        if others > 0 {
            super::say(format_args!(
                "not read: {others} more that are neither YAML nor JSON (-v lists them)"
            ));
        }
    }
    Ok(match problems.is_empty() {
        true => Exit::Clean,
        false => Exit::Problems,
    })
}
