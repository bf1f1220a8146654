//! `kubetaint diff`: says what a change does to placement, and which findings are new.

use std::io::Write;

use super::reading::Reading;
use super::screen::Screen;
use super::states::{Asked, States};
use super::{CommandError, Exit, load_rules};
use crate::cli::{Cli, Diff, PlacementChange};
use crate::finding::{Difference, Problem, Severity};
use crate::lint::session::Session;
use crate::lint::{Suppressions, examine};
use crate::output::{DiffText, write_diff_json, write_diff_markdown};
use crate::placement::difference;
use crate::rule::RuleSet;

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
    let suppressions = Suppressions::On(super::check::today());
    let (found, problems) = compare(&states, &rules, suppressions, cli.quiet);
    let place = &states.head.inputs.place;
    place.say("warning", &problems.0);
    place.say("error", &problems.1);
    match arguments.output {
        PlacementChange::Text => {
            let screen = Screen::of(cli);
            let text = DiffText {
                standpoint: &place.standpoint,
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
    let mut new = found.findings.new_ones();
    threshold.is_some_and(|threshold| new.any(|finding| finding.severity >= threshold))
}

/// Reads both states, what they have in common once, and compares them. Also returns the problems of each.
pub(super) fn compare(
    states: &States,
    rules: &RuleSet,
    suppressions: Suppressions,
    quiet: bool,
) -> (Difference, (Vec<Problem>, Vec<Problem>)) {
    let (base, head) = (&states.base.inputs, &states.head.inputs);
    let before = base.settings(rules, suppressions);
    let after = head.settings(rules, suppressions);
    let readings = (Reading::of(base, quiet), Reading::of(head, quiet));
    let load_base = |index: usize| readings.0.load(index);
    let load_head = |index: usize| readings.1.load(index);
    let mut session = Session::open(&readings.1.list, &load_head, after);
    let now = examine(&mut session, head.later());
    session.switch(&readings.0.list, &load_base, before, &states.is_same());
    let then = examine(&mut session, base.later());
    drop(session);
    let mut problems = (then.report.problems.clone(), now.report.problems.clone());
    base.add_problems(&mut problems.0);
    head.add_problems(&mut problems.1);
    for problem in &mut problems.0 {
        problem.message = format!("{} ({})", problem.message, states.base.name);
    }
    let mut found = difference(then, now, rules, states.renames());
    found.base.clone_from(&states.base.name);
    found.head.clone_from(&states.head.name);
    (found, problems)
}
