//! Workflow commands, which GitHub shows next to the changed lines of a pull request. GitHub accepts ten per severity and
//! step, so the remaining findings are counted below them.
//!
//! A runner interprets `::` at the start of a line and `##[` anywhere. Text from manifests can produce neither.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::finding::{Finding, Problem, Severity};

use super::place::locate;
use super::summary::count;
use super::{View, escape, telling};

/// The most annotations of one severity that GitHub accepts from a step.
const ANNOTATIONS: usize = 10;

/// Writes a command for each problem and for the first findings of each severity, most severe first, and the number of
/// remaining findings.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let problems = &view.report.problems;
    for problem in problems.iter().take(ANNOTATIONS) {
        writeln!(out, "{}", of_problem(problem))?;
    }
    let findings = view.worst_first();
    let mut rest = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let room = match severity {
            // Problems are shown as errors.
            Severity::Error => ANNOTATIONS - problems.len().min(ANNOTATIONS),
            _ => ANNOTATIONS,
        };
        let same = || findings.iter().filter(|one| one.severity == severity);
        for finding in same().take(room) {
            writeln!(out, "{}", of_finding(view, finding))?;
        }
        rest.extend(further(severity, same().skip(room)));
    }
    for line in rest {
        writeln!(out, "{}", plain(&line))?;
    }
    Ok(())
}

fn of_finding(view: &View, finding: &Finding) -> String {
    let place = locate(view.report, finding.span);
    let mut properties = vec![
        ("file", escape::name(place.file).into_owned()),
        ("line", place.start.line.to_string()),
        ("endLine", place.end.line.to_string()),
    ];
    // A runner accepts columns only for a place on one line.
    if place.start.line == place.end.line {
        properties.push(("col", place.start.column.to_string()));
        properties.push(("endColumn", place.end.column.to_string()));
    }
    properties.push(("title", telling::line(&finding.rule)));
    let lines = telling::lines(view.report, finding);
    command(word(finding.severity), &properties, &lines.join("\n"))
}

fn of_problem(problem: &Problem) -> String {
    let mut properties = Vec::new();
    if let Some(file) = &problem.file {
        properties.push(("file", escape::name(file).into_owned()));
    }
    if let Some(at) = problem.position {
        properties.push(("line", at.line.to_string()));
        properties.push(("col", at.column.to_string()));
    }
    properties.push(("title", "kubetaint".to_owned()));
    command("error", &properties, &telling::line(&problem.message))
}

/// GitHub's name for a severity.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

fn command(word: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    format!("::{word} {}::{}", properties.join(","), data(message))
}

/// Escapes the text of a command as the runner's toolkit does.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a command as the runner's toolkit does.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line that is not a command, whatever it contains.
fn plain(line: &str) -> String {
    let line = line.replace("##[", "# #[");
    match line.trim_start().starts_with("::") {
        true => format!("- {line}"),
        false => line,
    }
}

/// The number of hidden findings of one severity, by rule.
fn further<'a>(
    severity: Severity,
    findings: impl Iterator<Item = &'a &'a Finding>,
) -> Option<String> {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *rules.entry(&finding.rule).or_default() += 1;
    }
    let total: usize = rules.values().sum();
    let rules: Vec<String> = rules
        .iter()
        .map(|(rule, times)| format!("{} ({times})", escape::sentence(rule)))
        .collect();
    let total = match severity {
        Severity::Error => count(total, "more error", "more errors"),
        Severity::Warning => count(total, "more warning", "more warnings"),
        Severity::Note => count(total, "more note", "more notes"),
    };
    (!rules.is_empty()).then(|| format!("{total} without an annotation: {}", rules.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses as the runner does: properties up to the next `::`, each unescaped.
    fn unescape(text: &str) -> String {
        text.replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    }

    #[test]
    fn a_runner_reads_back_what_was_meant() {
        let hostile = "a::b,c=d%0A\r\n::error::x";
        let written = command("error", &[("file", hostile.to_owned())], hostile);
        assert_eq!(written.lines().count(), 1);
        let (head, message) = written[2..].split_once("::").unwrap();
        assert_eq!(unescape(message), hostile);
        let (word, file) = head.split_once(" file=").unwrap();
        assert_eq!((word, unescape(file).as_str()), ("error", hostile));
    }

    #[test]
    fn no_other_line_is_a_command() {
        assert_eq!(plain("a ##[error]b"), "a # #[error]b");
        assert_eq!(plain("  ::add-mask::b"), "-   ::add-mask::b");
    }
}
