//! JUnit XML for Jenkins and GitLab: a suite for each file and a case for each finding. Errors and warnings are failures.
//! Notes are skipped cases, which are shown but do not fail.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::finding::{Finding, Severity};

use super::place::locate;
use super::{View, escape, telling};

/// Writes the document. If there are no findings, it contains one passing case, because readers treat a report without
/// cases as a failed run.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let findings: Vec<&Finding> = view.findings().collect();
    let problems = &view.report.problems;
    let passed = usize::from(findings.is_empty() && problems.is_empty());
    let sums = Sums {
        errors: problems.len(),
        ..Sums::of(&findings)
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"kubetaint\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        findings.len() + problems.len() + passed,
        sums.failures,
        sums.errors
    )?;
    // Findings are sorted by file.
    for same in findings.chunk_by(|one, other| one.span.source == other.span.source) {
        suite(view, same, out)?;
    }
    if problems.len() + passed > 0 {
        writeln!(
            out,
            "  <testsuite name=\"kubetaint\" tests=\"{}\" failures=\"0\" errors=\"{}\" skipped=\"0\">",
            problems.len() + passed,
            problems.len()
        )?;
        if passed > 0 {
            writeln!(
                out,
                "    <testcase name=\"no findings\" classname=\"kubetaint\"/>"
            )?;
        }
        for problem in problems {
            let name = match (&problem.file, problem.position) {
                (Some(file), Some(at)) => format!("{file}:{}:{}", at.line, at.column),
                (Some(file), None) => file.clone(),
                (None, _) => "the run".to_owned(),
            };
            writeln!(
                out,
                "    <testcase name=\"{}\" classname=\"kubetaint\">\n      <error message=\"{}\"/>\n    </testcase>",
                xml(&escape::name(&name)),
                xml(&telling::line(&problem.message))
            )?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// The number of cases in a suite, by result.
#[derive(Default)]
struct Sums {
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Sums {
    fn of(findings: &[&Finding]) -> Sums {
        let skipped = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Note)
            .count();
        Sums {
            failures: findings.len() - skipped,
            errors: 0,
            skipped,
        }
    }
}

fn suite(view: &View, findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = findings.first() else {
        return Ok(());
    };
    let file = locate(view.report, first.span).file;
    let file = xml(&escape::name(file)).into_owned();
    let sums = Sums::of(findings);
    writeln!(
        out,
        "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        findings.len(),
        sums.failures,
        sums.errors,
        sums.skipped
    )?;
    let mut times: HashMap<(&str, u32), u32> = HashMap::new();
    for finding in findings {
        let at = locate(view.report, finding.span).start;
        let again = times
            .entry((&finding.rule, finding.span.start))
            .and_modify(|times| *times += 1)
            .or_insert(1);
        let again = match again {
            1 => String::new(),
            again => format!(" ({again})"),
        };
        let lines = telling::lines(view.report, finding);
        let message = xml(lines.first().map_or("", String::as_str));
        // The name includes the place, because readers identify cases by name, within a run and across runs. Repeated
        // findings of a rule at one place, such as for two clusters, are numbered.
        writeln!(
            out,
            "    <testcase name=\"{} at {}:{}{again}\" classname=\"{file}\">",
            xml(&escape::sentence(&finding.rule)),
            at.line,
            at.column
        )?;
        if finding.severity == Severity::Note {
            writeln!(out, "      <skipped message=\"{message}\"/>")?;
        } else {
            let place = telling::place(view.report, finding.span);
            let text = format!("{place}\n{}", lines.join("\n"));
            writeln!(
                out,
                "      <failure type=\"{}\" message=\"{message}\">{}</failure>",
                finding.severity,
                xml(&text)
            )?;
        }
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")
}

/// Text escaped for XML 1.0, on one line in attributes and elements. Characters that XML cannot contain become U+FFFD.
fn xml(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'') && holds(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            c if holds(c) => safe.push(c),
            _ => safe.push('\u{fffd}'),
        }
    }
    Cow::Owned(safe)
}

/// Whether XML 1.0 allows the character.
fn holds(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_means_something_by_is_an_entity_and_what_it_cannot_hold_is_replaced() {
        assert_eq!(
            xml("]]><a b='c'>&\""),
            "]]&gt;&lt;a b=&apos;c&apos;&gt;&amp;&quot;"
        );
        assert_eq!(
            xml("a\0\u{b}\u{1b}b\u{fffe}"),
            "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}"
        );
        assert!(matches!(xml("naïve 火\nb"), Cow::Borrowed(_)));
    }
}
