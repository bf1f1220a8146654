//! `kubetaint pools`: the node pools that were understood.

use std::io::Write;

use super::inputs::{Inputs, Place, Screen};
use super::{CommandError, Exit};
use crate::cli::{Cli, PoolListing, Pools};
use crate::lint::{Acceptance, Settings, list_pools};
use crate::output::{self, PoolTable};
use crate::rule::RuleSet;

/// Lists the node pools in what the arguments name.
///
/// # Errors
/// Whatever keeps the job from being started: configuration, nothing to read; output that cannot be written.
pub fn run(cli: &Cli, arguments: &Pools, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let place = Place::find(
        &arguments.paths,
        arguments.config.as_deref(),
        arguments.isolated,
    )?;
    let inputs = Inputs::find(place, &arguments.pools)?;
    let settings = Settings {
        rules: &RuleSet::default(),
        table: &inputs.table,
        config: &inputs.place.config,
        whole: inputs.discovery.whole,
        acceptance: Acceptance::Off,
    };
    let mut listing = inputs.read(cli.quiet, |list, load| list_pools(list, load, settings));
    inputs.add_problems(&mut listing.problems);
    for line in output::problem_lines(&listing.problems, &inputs.place.prefix) {
        super::say(format_args!("error: {line}"));
    }
    let screen = Screen::of(cli);
    let table = PoolTable {
        inventory: &listing.inventory,
        counts: &listing.counts,
        prefix: &inputs.place.prefix,
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
    Ok(if listing.problems.is_empty() {
        Exit::Clean
    } else {
        Exit::Problems
    })
}
