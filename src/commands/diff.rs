//! `kubetaint diff`: says what a change does to placement, and which findings are new.

use std::io::Write;

use super::comparing::{compare, today};
use super::screen::Screen;
use super::states::Asked;
use super::{CommandError, Exit, load_rules};
use crate::cli::{Cli, Diff, PlacementChange};
use crate::finding::{Difference, Severity};
use crate::lint::Suppressions;
use crate::output::{DiffText, write_diff_json, write_diff_markdown};

/// Answers the question.
///
/// # Errors
/// Returns an error if there is no such revision or folder, a configuration has errors, there is nothing to read, or the output
/// cannot be written.
pub fn run(cli: &Cli, arguments: &Diff, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let asked = Asked {
        base: &arguments.base,
        head: arguments.head.as_deref(),
        beside: &arguments.beside,
        pools: (&arguments.base_pools, &arguments.head_pools),
    };
    let states = asked.find()?;
    for warning in &states.warnings {
        super::say(format_args!("warning: {warning}"));
    }
    let mut folders = states.head.rules()?;
    folders.extend(arguments.rules.iter().cloned());
    let rules = load_rules(&folders)?;
    let suppressions = Suppressions::On(today());
    let (found, problems) = compare(&states, &rules, suppressions, cli.quiet);
    let place = &states.head.inputs.place;
    place.say("warning", &problems.0);
    place.say("error", &problems.1);
    match arguments.output {
        PlacementChange::Text => {
            let screen = Screen::of(cli);
            let text = DiffText {
                standpoint: &place.standpoint,
                base: &states.base.inputs.place.standpoint,
                color: screen.color,
                width: screen.width,
                unfolds: cli.verbose,
            };
            text.write(&found, out)?;
        }
        PlacementChange::Markdown => write_diff_markdown(&found, out)?,
        PlacementChange::Json => write_diff_json(&found, out)?,
    }
    let threshold = arguments.fail_on.threshold();
    Ok(match problems.1.is_empty() {
        false => Exit::Problems,
        true if found.is_harmful() || has_news(&found, threshold) => Exit::Findings,
        true => Exit::Clean,
    })
}

fn has_news(found: &Difference, threshold: Option<Severity>) -> bool {
    let mut new = found.findings.brought();
    threshold.is_some_and(|threshold| new.any(|finding| finding.severity >= threshold))
}
