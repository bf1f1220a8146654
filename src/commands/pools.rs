//! `kubetaint pools`: lists the recognized node pools.

use std::io::Write;

use super::inputs::{Inputs, Place};
use super::screen::Screen;
use super::{CommandError, Exit};
use crate::cli::{Cli, PoolListing, Pools};
use crate::lint::Purpose;
use crate::output::PoolTable;

/// Lists the node pools in the files that the arguments name.
///
/// # Errors
/// Returns an error if the configuration has errors, there is nothing to read, or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Pools, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let place = Place::find(&arguments.paths, &arguments.beside)?;
    let inputs = Inputs::find(place, &arguments.beside.pools)?;
    let purpose = match arguments.output {
        PoolListing::Table => Purpose::Table,
        PoolListing::Yaml | PoolListing::Json => Purpose::Inventory,
    };
    let listing = inputs.list_pools(cli.quiet, purpose);
    inputs.place.say("error", &listing.problems);
    let screen = Screen::of(cli);
    let table = PoolTable {
        inventory: &listing.inventory,
        counts: &listing.counts,
        standpoint: &inputs.place.standpoint,
        color: screen.color,
        width: screen.width,
    };
    match arguments.output {
        PoolListing::Table => table.write(!cli.quiet, out)?,
        PoolListing::Yaml => out.write_all(listing.inventory.to_yaml()?.as_bytes())?,
        PoolListing::Json => out.write_all(listing.inventory.to_json()?.as_bytes())?,
    }
    if arguments.output != PoolListing::Table && !cli.quiet {
        super::say(format_args!("{}", table.summary()));
    }
    Ok(Exit::after(&listing.problems))
}
