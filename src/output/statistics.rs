//! The number of findings per rule, instead of the findings.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::finding::Severity;

use super::summary::summary_line;
use super::{View, escape};

/// Writes a line for each rule and severity, most severe first, then most frequent first, followed by the summary.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_statistics(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut times: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    for finding in view.findings() {
        *times.entry((finding.severity, &finding.rule)).or_default() += 1;
    }
    let mut rows: Vec<_> = times.into_iter().collect();
    rows.sort_by_key(|((severity, rule), times)| {
        (
            std::cmp::Reverse(*severity),
            std::cmp::Reverse(*times),
            *rule,
        )
    });
    let width = rows.iter().map(|((_, rule), _)| rule.len()).max();
    let digits = rows.iter().map(|(_, times)| times.to_string().len()).max();
    let (width, digits) = (width.unwrap_or(0), digits.unwrap_or(0));
    for ((severity, rule), times) in &rows {
        let title = view.rule(rule).map_or("", |page| page.title.as_str());
        let line = format!(
            "{times:digits$}  {:7}  {:width$}  {}",
            severity.as_str(),
            escape::sentence(rule),
            escape::sentence(title),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if view.quiet {
        return Ok(());
    }
    if !rows.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", summary_line(view.report, true))
}
