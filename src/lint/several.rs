//! Findings that say the same of one place in several clusters: they become one, which names the clusters.

use std::collections::HashMap;

use super::search::of_cluster;
use crate::finding::{Finding, Severity};
use crate::source::Span;

/// The most names of clusters that a finding shows.
const MOST_NAMES: usize = 5;

/// What makes findings the same but for their cluster.
type Alike = (Span, String, Severity, String, Vec<Span>);

/// Makes one of the findings that differ only in their cluster.
pub fn join(findings: &mut Vec<Finding>) {
    let mut first: HashMap<Alike, usize> = HashMap::new();
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        let Some(name) = finding.cluster.clone() else {
            kept.push(finding);
            names.push(Vec::new());
            continue;
        };
        let said = finding.message.replace(&of_cluster(Some(&name)), "");
        let related = finding.related.iter().map(|label| label.span).collect();
        let alike = (
            finding.span,
            finding.rule.clone(),
            finding.severity,
            said,
            related,
        );
        let at = *first.entry(alike).or_insert(kept.len());
        match names.get_mut(at) {
            Some(of) => of.push(name),
            None => {
                kept.push(finding);
                names.push(vec![name]);
            }
        }
    }
    for (finding, mut of) in kept.iter_mut().zip(names) {
        let Some(own) = of.first().cloned().filter(|_| of.len() > 1) else {
            continue;
        };
        of.sort();
        of.dedup();
        if of.len() == 1 {
            continue;
        }
        let more = of.len().saturating_sub(MOST_NAMES);
        of.truncate(MOST_NAMES);
        let all = |names: Vec<String>| match more {
            0 => names.join(", "),
            more => format!("{} and {more} others", names.join(", ")),
        };
        let quoted = of.iter().map(|name| format!("`{name}`")).collect();
        let clause = format!(" of clusters {}", all(quoted));
        finding.message = finding.message.replace(&of_cluster(Some(&own)), &clause);
        finding.cluster = Some(all(of));
    }
    *findings = kept;
}
