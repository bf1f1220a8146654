//! `check --add-ignores`: writes the comments that accept what a run finds.

use std::collections::BTreeMap;

use super::CommandError;
use super::changes::Changes;
use super::inputs::{Inputs, Place};
use crate::cli::Check;
use crate::extract::ignores::Reason;
use crate::extract::ignores::write::{Wanted, write};
use crate::finding::{Finding, Problem, Report, Severity};
use crate::lint::caught::caught;
use crate::lint::session::Session;
use crate::lint::{Acceptance, Settings, check};
use crate::source::SourceId;

/// The tag of rules that speak of comments which accept findings.
const ABOUT_IGNORES: &str = "ignores";

const NO_TEXT: &str = "its text cannot be read";
const BUG: &str = "a bug in kubetaint keeps the comment from being written; please report it";
const STILL: &str = "it is found all the same";

/// What is to be accepted.
#[derive(Debug)]
pub struct Asked {
    reason: Reason,
    least: Severity,
    /// Show a patch, and change nothing.
    pub show: bool,
}

impl Asked {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// A reason that cannot stand in a comment, standard input, nothing that would fail the run.
    pub fn of(arguments: &Check, acceptance: Acceptance) -> Result<Option<Asked>, CommandError> {
        let Some(reason) = &arguments.add_ignores else {
            return Ok(None);
        };
        let failed = |why: String| CommandError::Message(format!("--add-ignores: {why}"));
        if arguments.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(failed(
                "standard input cannot be written to; give files or folders".to_owned(),
            ));
        }
        let Some(least) = arguments.fail_on.threshold() else {
            return Err(failed(
                "accepts what would fail the run, and with --fail-on never nothing would"
                    .to_owned(),
            ));
        };
        let Acceptance::On(today) = acceptance else {
            return Ok(None);
        };
        let shown = arguments.min_severity.map_or(least, Severity::from);
        Ok(Some(Asked {
            reason: Reason::read(reason, today).map_err(failed)?,
            least: least.max(shown),
            show: arguments.diff,
        }))
    }
}

impl Asked {
    /// The findings of a report that are to be accepted.
    fn wanted<'r>(&self, report: &'r Report) -> impl Iterator<Item = &'r Finding> {
        let least = self.least;
        let findings = report.findings.iter();
        findings.filter(move |one| one.severity >= least)
    }
}

/// What was accepted, and what could not be.
#[derive(Debug, Default)]
pub struct Accepted {
    /// The files.
    pub changes: Changes,
    findings: BTreeMap<usize, usize>,
    refused: Vec<Problem>,
}

/// Judges, and accepts what is left. Gives the report to show: of a patch the one before it, else the one after it.
/// `accepts` takes out of a report what is accepted otherwise.
pub fn run(
    session: &mut Session<'_>,
    settings: Settings<'_>,
    asked: &Asked,
    accepts: &dyn Fn(&mut Report),
) -> (Report, Accepted) {
    let reason = asked.reason.clone();
    let reason = reason.with_others_required(settings.config.require_reason);
    let first = check(session);
    let mut open = first.clone();
    accepts(&mut open);
    let mut accepted = Accepted::default();
    let mut by_source: BTreeMap<SourceId, Vec<Wanted>> = BTreeMap::new();
    let mut refused: BTreeMap<Wanted, &str> = BTreeMap::new();
    for finding in asked.wanted(&open) {
        let one = wanted(finding);
        match obstacle(finding, settings) {
            Some(why) => {
                refused.insert(one, why);
            }
            None => by_source.entry(finding.span.source).or_default().push(one),
        }
    }
    for (id, all) in by_source {
        let (Some(source), Some(index)) = (open.sources.get(&id), session.index(id)) else {
            refused.extend(all.into_iter().map(|one| (one, NO_TEXT)));
            continue;
        };
        let Ok(written) = caught(|| write(source, &all, &reason)) else {
            refused.extend(all.into_iter().map(|one| (one, BUG)));
            continue;
        };
        let not_written: BTreeMap<Wanted, &str> = written.refused.into_iter().collect();
        let number = all.iter().filter(|one| !not_written.contains_key(one));
        accepted.findings.insert(index, number.count());
        refused.extend(not_written);
        if written.text != *source.text {
            accepted
                .changes
                .set(index, &source.text, written.text.clone());
            session.write(id, written.text);
        }
    }
    // By content: what is written moves lines.
    let whys: BTreeMap<(&str, &str), &str> = asked
        .wanted(&open)
        .filter_map(|finding| Some((identity(finding), *refused.get(&wanted(finding))?)))
        .collect();
    if asked.show {
        let left = asked.wanted(&open);
        accepted.refused = left
            .filter_map(|one| Some(told(&open, one, whys.get(&identity(one))?)))
            .collect();
        return (first, accepted);
    }
    let report = check(session);
    let mut left = report.clone();
    accepts(&mut left);
    accepted.refused = asked
        .wanted(&left)
        .map(|one| told(&left, one, whys.get(&identity(one)).unwrap_or(&STILL)))
        .collect();
    (report, accepted)
}

fn wanted(finding: &Finding) -> Wanted {
    Wanted {
        span: finding.span,
        rule: finding.rule.clone(),
    }
}

fn identity(finding: &Finding) -> (&str, &str) {
    (&finding.rule, &finding.fingerprint)
}

/// Why a finding cannot be accepted where it stands, whatever the text is like.
fn obstacle(finding: &Finding, settings: Settings<'_>) -> Option<&'static str> {
    let rule = settings.rules.get(&finding.rule);
    if rule.is_some_and(|rule| rule.has_tag(ABOUT_IGNORES)) {
        return Some("what is wrong with a comment is not accepted by another one");
    }
    (finding.span.source == SourceId::CONFIGURATION)
        .then_some("comments in the configuration are not read")
}

fn told(report: &Report, finding: &Finding, why: &str) -> Problem {
    let source = report.sources.get(&finding.span.source);
    Problem {
        file: source.map(|source| source.path.clone()),
        position: source.map(|source| source.position(finding.span.start)),
        message: format!("{}: not accepted: {why}", finding.rule),
    }
}

/// Says what could not be accepted, whatever else is shown.
pub fn tell(accepted: &Accepted, place: &Place) {
    place.say("warning", &accepted.refused);
}

/// Says how much would be accepted, where the patch is all that is shown.
pub fn tell_planned(accepted: &Accepted, shown: &[usize]) {
    say_how_much(accepted, shown, "would be accepted");
}

/// Writes the files, and says how much was accepted.
pub fn save(accepted: &Accepted, inputs: &Inputs, quiet: bool, problems: &mut Vec<Problem>) {
    let written = accepted.changes.save(inputs, "written", problems);
    if !quiet {
        say_how_much(accepted, &written, "accepted");
    }
}

fn say_how_much(accepted: &Accepted, files: &[usize], done: &str) {
    let plural = |number: usize| if number == 1 { "" } else { "s" };
    let findings = files.iter().filter_map(|at| accepted.findings.get(at));
    let findings: usize = findings.sum();
    let files = files.len();
    super::say(format_args!(
        "{findings} finding{} {done} in {files} file{}",
        plural(findings),
        plural(files)
    ));
}
