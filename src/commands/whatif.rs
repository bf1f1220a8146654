//! `kubetaint whatif`: says what changes on node pools would do to workloads.

use std::io::Write;
use std::path::PathBuf;

use super::inputs::{Inputs, Place};
use super::screen::Screen;
use super::why::none;
use super::{CommandError, Exit};
use crate::cli::{Beside, Cli, PlacementChange, WhatIf};
use crate::lint::Survey;
use crate::model::node_pool::NodePool;
use crate::output::{WhatIfText, write_whatif_json, write_whatif_markdown};
use crate::placement::{Applied, Change, ChangeError, whatif};

/// Answers the question.
///
/// # Errors
/// Returns an error if a change is malformed or names a pool that is not there, the configuration has errors, there is nothing
/// to read, or the output cannot be written.
pub fn run(cli: &Cli, arguments: &WhatIf, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let mut changes = written(arguments)?;
    let place = Place::find(&arguments.paths, &arguments.beside)?;
    let inputs = Inputs::find(place, &arguments.beside.pools)?;
    let survey = inputs.survey(cli.quiet);
    inputs.place.say("error", &survey.problems());
    for file in &arguments.add_pool {
        changes.push(added(file, &survey, cli.quiet)?);
    }
    let applied = Applied::new(&survey, &changes).map_err(|why| {
        CommandError::Message(match why {
            ChangeError::NoPool { asked, names } => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                none("pool", &asked, &names)
            }
            ChangeError::Other(why) => why,
        })
    })?;
    for warning in &applied.warnings {
        super::say(format_args!("warning: {warning}"));
    }
    let found = whatif(&survey, &applied);
    inputs.place.say("error", &survey.changed());
    match arguments.output {
        PlacementChange::Text => {
            let screen = Screen::of(cli);
            let text = WhatIfText {
                standpoint: &inputs.place.standpoint,
                color: screen.color,
                width: screen.width,
            };
            text.write(&found, out)?;
        }
        PlacementChange::Markdown => write_whatif_markdown(&found, out)?,
        PlacementChange::Json => write_whatif_json(&found, out)?,
    }
    Ok(match (survey.problems().is_empty(), found.is_harmful()) {
        (false, _) => Exit::Problems,
        (true, true) => Exit::Findings,
        (true, false) => Exit::Clean,
    })
}

/// The changes that are written in the arguments.
fn written(arguments: &WhatIf) -> Result<Vec<Change>, CommandError> {
    type Parse = fn(&str) -> Result<Change, String>;
    let own: [(&str, &[String], Parse); 5] = [
        ("remove-pool", &arguments.remove_pool, |pool| {
            let pool = pool.to_owned();
            Ok(Change::Remove { pool })
        }),
        ("untaint", &arguments.untaint, Change::untaint),
        ("taint", &arguments.taint, Change::taint),
        ("label", &arguments.label, Change::label),
        ("cordon", &arguments.cordon, |pool| {
            let pool = pool.to_owned();
            Ok(Change::Cordon { pool })
        }),
    ];
    let mut changes = Vec::new();
    for (name, texts, parse) in own {
        for text in texts {
            let change = parse(text)
                .map_err(|why| CommandError::Message(format!("--{name} {text}: {why}")))?;
            changes.push(change);
        }
    }
    Ok(changes)
}

/// The pools of a file that are added.
fn added(given: &str, survey: &Survey<'_>, quiet: bool) -> Result<Change, CommandError> {
    let is_cluster = |name: &str| survey.clusters.iter().any(|cluster| cluster.name == name);
    let (cluster, file) = match given.split_once('=') {
        Some((cluster, file)) if is_cluster(cluster) => (Some(cluster.to_owned()), file),
        _ => (None, given),
    };
    let refused = |why: &str| CommandError::Message(format!("--add-pool {file}: {why}"));
    let path = PathBuf::from(file);
    if !path.exists() {
        return Err(refused("path does not exist"));
    }
    if path.is_dir() {
        return Err(refused("a folder; name the file"));
    }
    let beside = Beside {
        config: None,
        isolated: true,
        pools: Vec::new(),
    };
    let place = Place::find(std::slice::from_ref(&path), &beside)?;
    let inputs = Inputs::find(place, std::slice::from_ref(&path))?;
    let read = inputs.survey(quiet);
    if !read.problems().is_empty() {
        return Err(CommandError::Problems(read.problems()));
    }
    let pools = read.clusters.iter().flat_map(|cluster| &cluster.pools);
    let pools: Vec<NodePool> = pools.map(|pool| elsewhere(pool)).collect();
    if pools.is_empty() {
        return Err(refused("no node pool was read in it"));
    }
    Ok(Change::Add {
        from: file.to_owned(),
        cluster,
        pools,
    })
}

/// A pool without places, since its file is not among those of the survey.
fn elsewhere(pool: &NodePool) -> NodePool {
    let mut pool = pool.clone();
    pool.span = None;
    pool.name_span = None;
    for taint in &mut pool.taints {
        taint.span = None;
        taint.fields.clear();
    }
    pool
}
