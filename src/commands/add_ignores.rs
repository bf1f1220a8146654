//! `check --add-ignores`: writes comments that suppress the findings of a run.

use std::collections::BTreeMap;

use super::CommandError;
use super::changes::Edits;
use crate::cli::Check;
use crate::extract::ignores::Reason;
use crate::extract::ignores::write::{Wanted, write};
use crate::finding::{Finding, Problem, Report, Severity};
use crate::lint::caught::caught;
use crate::lint::session::Session;
use crate::lint::{Settings, Suppressions, check};
use crate::source::SourceId;

/// The tag of rules about suppressions.
const ABOUT_IGNORES: &str = "ignores";

const NO_TEXT: &str = "its text cannot be read";
const BUG: &str = "the comment was not written because of a bug in kubetaint; please report it";
const STILL: &str = "the comment does not suppress it";

/// What to suppress.
#[derive(Debug)]
pub struct Asked {
    reason: Reason,
    least: Severity,
    /// Whether to print a patch instead of changing files.
    pub show: bool,
}

impl Asked {
    /// Reads the options from the arguments.
    ///
    /// # Errors
    /// Returns an error if the reason cannot be part of a comment, for standard input, or if no finding would fail the run.
    pub fn of(
        arguments: &Check,
        suppressions: Suppressions,
    ) -> Result<Option<Asked>, CommandError> {
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
                "suppresses the findings that fail the run, and with --fail-on never there are none"
                    .to_owned(),
            ));
        };
        let Suppressions::On(today) = suppressions else {
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
    /// The findings of a report to suppress.
    fn wanted<'r>(&self, report: &'r Report) -> impl Iterator<Item = &'r Finding> {
        let least = self.least;
        let findings = report.findings.iter();
        findings.filter(move |one| one.severity >= least)
    }
}

/// Checks and suppresses the findings. Returns the report to show: the one before the change for a patch, otherwise the one
/// after it. `suppress` removes already suppressed findings from a report.
pub fn run(
    session: &mut Session<'_>,
    settings: Settings<'_>,
    asked: &Asked,
    suppress: &dyn Fn(&mut Report),
) -> (Report, Edits) {
    let reason = asked.reason.clone();
    let reason = reason.with_others_required(settings.config.require_reason);
    let first = check(session);
    let mut open = first.clone();
    suppress(&mut open);
    let mut edits = Edits::default();
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
        edits.counts.insert(index, number.count());
        refused.extend(not_written);
        if written.text != *source.text {
            edits.changes.set(index, &source.text, written.text.clone());
            session.write(id, written.text);
        }
    }
    // Compared by content, because inserted comments move lines.
    let whys: BTreeMap<(&str, &str), &str> = asked
        .wanted(&open)
        .filter_map(|finding| Some((identity(finding), *refused.get(&wanted(finding))?)))
        .collect();
    if asked.show {
        let left = asked.wanted(&open);
        edits.not_suppressed = left
            .filter_map(|one| Some(refusal(&open, one, whys.get(&identity(one))?)))
            .collect();
        return (first, edits);
    }
    let report = check(session);
    let mut left = report.clone();
    suppress(&mut left);
    edits.not_suppressed = asked
        .wanted(&left)
        .map(|one| refusal(&left, one, whys.get(&identity(one)).unwrap_or(&STILL)))
        .collect();
    (report, edits)
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

/// The reason why a comment can never suppress a finding, or `None`.
fn obstacle(finding: &Finding, settings: Settings<'_>) -> Option<&'static str> {
    let rule = settings.rules.get(&finding.rule);
    if rule.is_some_and(|rule| rule.has_tag(ABOUT_IGNORES)) {
        return Some("a finding about a suppression cannot be suppressed");
    }
    (finding.span.source == SourceId::CONFIGURATION)
        .then_some("comments in the configuration are not read")
}

fn refusal(report: &Report, finding: &Finding, why: &str) -> Problem {
    let source = report.sources.get(&finding.span.source);
    Problem {
        file: source.map(|source| source.path.clone()),
        position: source.map(|source| source.position(finding.span.start)),
        message: format!("{}: not suppressed: {why}", finding.rule),
    }
}

/// Prints how many findings in some files were, or would be, suppressed.
pub fn summarize(written: &Edits, files: &[usize], done: &str) {
    let plural = |number: usize| if number == 1 { "" } else { "s" };
    let (findings, files) = (written.count(files), files.len());
    super::say(format_args!(
        "{findings} finding{} {done} in {files} file{}",
        plural(findings),
        plural(files)
    ));
}
