//! `kubetaint why`: says why a workload can or cannot run on each pool.

use std::io::Write;
use std::path::PathBuf;

use super::inputs::{Inputs, Place};
use super::screen::Screen;
use super::{CommandError, Exit};
use crate::cli::{Answer, Cli, Why};
use crate::lint::Survey;
use crate::model::near_miss::nearest_word;
use crate::output::{WhyText, write_who_json, write_why_json};
use crate::placement::{Question, known_names, who, why};

/// The most names that an error lists.
const MOST_NAMES: usize = 5;

/// Answers the question.
///
/// # Errors
/// Returns an error if there is no such workload or pool, the configuration has errors, there is nothing to read, or the output
/// cannot be written.
pub fn run(cli: &Cli, arguments: &Why, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let mut paths = arguments.paths.clone();
    let asked = match (&arguments.pool, &arguments.workload) {
        (Some(_), Some(path)) => {
            paths.insert(0, PathBuf::from(path));
            None
        }
        (_, workload) => workload.as_deref(),
    };
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let place = Place::find(&paths, &arguments.beside)?;
    let inputs = Inputs::find(place, &arguments.beside.pools)?;
    let survey = inputs.survey(cli.quiet);
    inputs.place.say("error", &survey.problems());
    let screen = Screen::of(cli);
    let text = WhyText {
        standpoint: &inputs.place.standpoint,
        color: screen.color,
        width: screen.width,
    };
    match (&arguments.pool, asked) {
        (Some(pool), _) => {
            let found = who(&survey, pool);
            if found.is_empty() {
                let pools = survey.clusters.iter().flat_map(|cluster| &cluster.pools);
                let names: Vec<&str> = pools.map(|pool| pool.name.as_str()).collect();
                return Err(CommandError::Message(none("pool", pool, &names)));
            }
            inputs.place.say("error", &survey.changed());
            match arguments.output {
                Answer::Text => text.write_who(pool, &found, out)?,
                Answer::Json => write_who_json(pool, &found, out)?,
            }
        }
        (None, asked) => {
            let asked = asked.unwrap_or_default();
            let found = find(&survey, asked, &inputs)?;
            let answers: Vec<_> = found.iter().filter_map(|at| why(&survey, *at)).collect();
            inputs.place.say("error", &survey.changed());
            match arguments.output {
                Answer::Text => text.write(&answers, out)?,
                Answer::Json => write_why_json(&answers, out)?,
            }
        }
    }
    Ok(Exit::after(&survey.problems()))
}

/// The workloads that are asked for, as indices.
fn find(survey: &Survey<'_>, asked: &str, inputs: &Inputs) -> Result<Vec<usize>, CommandError> {
    let Some(mut question) = Question::parse(asked) else {
        return Err(CommandError::Message(format!(
            "`{asked}` is no workload: write KIND/NAME, NAMESPACE/KIND/NAME or FILE:LINE"
        )));
    };
    if let Question::Line { file, .. } = &mut question {
        let asked = file.trim_start_matches("./");
        let standpoint = &inputs.place.standpoint;
        let paths = survey.workloads().iter().map(|one| survey.path(one.source));
        if let Some(path) = paths
            .into_iter()
            .find(|path| standpoint.path(path) == asked)
        {
            *file = path.to_owned();
        }
    }
    let found = question.workloads(survey);
    if found.is_empty() {
        let names = known_names(survey);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Err(CommandError::Message(none("workload", asked, &names)));
    }
    Ok(found)
}

pub(super) fn none(what: &str, asked: &str, names: &[&str]) -> String {
    if let Some(near) = nearest_word(asked, names) {
        return format!("there is no {what} `{asked}`; did you mean `{near}`?");
    }
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len() {
        0 => format!("there is no {what} `{asked}`, and none was read"),
        all if all > MOST_NAMES => format!(
            "there is no {what} `{asked}`; {} and {} more were read",
            shown.join(", "),
            all - MOST_NAMES
        ),
        _ => format!(
            "there is no {what} `{asked}`; {} were read",
            shown.join(", ")
        ),
    }
}
