//! What the API server rejects on one side of a comparison, by place.

use std::collections::BTreeMap;

use crate::finding::{Finding, Severity};
use crate::lint::Examination;
use crate::model::workload::Workload;
use crate::rule::RuleSet;
use crate::source::{SourceId, Span};

/// The tag of rules whose errors say that the API server rejects an object.
const REJECTED: &str = "api-server";

/// The places of what the API server rejects: in each file, from first to last.
pub(super) struct Rejected(BTreeMap<SourceId, Vec<Span>>);

impl Rejected {
    pub(super) fn of(side: &Examination<'_>, rules: &RuleSet) -> Rejected {
        let mut spans: BTreeMap<SourceId, Vec<Span>> = BTreeMap::new();
        let is_rejected = |finding: &&Finding| {
            let rule = rules.get(&finding.rule);
            finding.severity == Severity::Error && rule.is_some_and(|rule| rule.has_tag(REJECTED))
        };
        for finding in side.report.findings.iter().filter(is_rejected) {
            let of_file = spans.entry(finding.span.source).or_default();
            of_file.push(finding.span);
        }
        for of_file in spans.values_mut() {
            of_file.sort_unstable_by_key(|span| (span.start, span.end));
        }
        Rejected(spans)
    }

    /// Whether an entry of a workload, its list or its name is among them.
    pub(super) fn contains(&self, workload: &Workload) -> bool {
        let contains = |outer: Span| {
            let of_file = self.0.get(&outer.source).map_or(&[][..], Vec::as_slice);
            let first = of_file.partition_point(|inner| inner.start < outer.start);
            let later = of_file.iter().skip(first);
            let mut near = later.take_while(|inner| inner.start <= outer.end);
            near.any(|inner| inner.end <= outer.end)
        };
        let selectors = workload.selectors.iter().map(|(_, span, _)| *span);
        let entries = workload.located.iter().map(|one| one.entry);
        entries
            .chain(selectors)
            .chain([workload.span])
            .any(contains)
    }
}
