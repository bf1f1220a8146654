//! Reads two states of a repository and compares them: for `diff`, and for `check --base`.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::states::States;
use crate::finding::{Difference, Problem};
use crate::lint::session::Session;
use crate::lint::{Suppressions, examine};
use crate::placement::difference;
use crate::rule::RuleSet;

/// Today's date in UTC.
pub(super) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(TimeZone::UTC).date()
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
    let readings = (base.reading(quiet), head.reading(quiet));
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
    let mut found = difference(then, now, after, states.renames());
    found.base.clone_from(&states.base.name);
    found.head.clone_from(&states.head.name);
    (found, problems)
}
