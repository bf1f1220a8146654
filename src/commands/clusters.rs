//! `kubetaint clusters`: lists the clusters that the repository shows.

use std::io::Write;

use super::inputs::{Inputs, Place};
use super::screen::Screen;
use super::{CommandError, Exit};
use crate::cli::{Cli, Clusters, Listing};
use crate::output::ClusterTable;

/// Lists the clusters in the files that the arguments name.
///
/// # Errors
/// Returns an error if the configuration has errors, there is nothing to read, or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Clusters, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let place = Place::find(&arguments.paths, &arguments.beside)?;
    let inputs = Inputs::find(place, &arguments.beside.pools)?;
    let listing = inputs.list_clusters(cli.quiet);
    inputs.place.say("error", &listing.problems);
    let screen = Screen::of(cli);
    let table = ClusterTable {
        clusters: &listing.clusters,
        not_read: &listing.not_read,
        standpoint: &inputs.place.standpoint,
        color: screen.color,
        width: screen.width,
    };
    match arguments.output {
        Listing::Table => table.write(!cli.quiet, out)?,
        Listing::Json => table.write_json(out)?,
    }
    if arguments.output == Listing::Json && !cli.quiet {
        super::say(format_args!("{}", table.summary()));
    }
    Ok(Exit::after(&listing.problems))
}
