//! The results of a run: findings, problems and counts, as plain data that all output formats use.

mod cluster_list;
mod difference;
mod effect;
mod not_judged;
mod placement;

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::source::{Position, Source, SourceId, Span};

pub use cluster_list::{
    FilePlace, ListedCluster, ListedGap, NOT_DECLARED, Shown, ShownCluster, ShownPool,
};
pub use difference::{
    Cause, CausePlace, ChangeFinding, ComparedCluster, Difference, FindingDifference,
    PlacementEffect, PoolChange, PoolDifference, Presence, Standing, Tenancy,
};
pub use effect::{
    Affected, ChangedCluster, Effect, IdleToleration, Landing, LossReason, PoolNumbers, WhatIf,
};
pub use not_judged::{Because, Gap, NotJudged, Open, PoolGap, Texts};
pub use placement::{
    Judgement, MatrixCluster, MatrixRow, PlacedObject, PoolColumn, ShownToleration, Stay, Verdict,
    Who, WhoWorkload, Why, WhyCluster,
};

/// How bad a finding is. The order is the order of severity.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; never fails a run by default.
    Note,
    /// Dangerous or very probably wrong.
    Warning,
    /// Provable: it will be rejected, dropped or stay Pending.
    Error,
}

impl Severity {
    /// Returns the word that users read and write.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A secondary place of a finding, such as the taint in another file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// What is at the span.
    pub message: String,
}

/// A change that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fix {
    /// Whether it means the same to the API server, so that it may be applied without review.
    pub safe: bool,
    /// A short description.
    pub title: String,
    /// Sorted by place, without overlaps.
    pub edits: Vec<Edit>,
}

/// A replacement of a range in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edit {
    /// The range to replace; empty for an insertion.
    pub span: Span,
    /// The new text; empty for a deletion.
    pub text: String,
}

/// The Kubernetes object of a finding. Inventories contain it in this form, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct Object {
    /// As written; empty if the document has none (Helm values).
    pub api_version: String,
    /// As written; empty if the document has none.
    pub kind: String,
    /// `None` if not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `None` if not written or not literal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A finding of a rule at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Rule id.
    pub rule: String,
    /// The final severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The span.
    pub span: Span,
    /// The field path inside the object, such as `spec.template.spec.tolerations[0].value`; empty if there is none.
    pub path: String,
    /// The configured cluster that the verdict depends on.
    pub cluster: Option<String>,
    /// The object that contains the place.
    pub object: Object,
    /// Other relevant places.
    pub related: Vec<Label>,
    /// A fix, if known.
    pub fix: Option<Fix>,
    /// A fingerprint of the content without line numbers: stable when lines move.
    pub fingerprint: String,
    /// The same without the file, for objects with a kind and a name: stable when a file is renamed. Empty for others.
    pub fingerprint_anywhere: String,
    /// It was lowered to a note because not all pools of the cluster are known.
    pub undecided: bool,
    /// The number of findings in this report with the same rule, severity and message, including this one.
    pub occurrences: u32,
}

/// A finding that a comment or an annotation in the file suppresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// The span of the suppression.
    pub by: Span,
    /// The reason; empty if none is given.
    pub reason: String,
}

/// An error that prevented checking; never a finding. Any problem makes the run end with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the repository, if the problem is in a file.
    pub file: Option<String>,
    /// The position in the file, if known.
    pub position: Option<Position>,
    /// What went wrong, with its cause.
    pub message: String,
}

impl Problem {
    /// Creates a problem at a place in a file.
    pub fn at(source: &Source, span: Span, message: String) -> Self {
        Problem {
            file: Some(source.path.clone()),
            position: Some(source.position(span.start)),
            message,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(at) = self.position {
                write!(f, "{}:{}:", at.line, at.column)?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

/// The numbers of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that were read.
    pub files: u32,
    /// Non-empty documents in them.
    pub documents: u32,
    /// Workloads of known kinds.
    pub workloads: u32,
    /// Lists of tolerations with an owner of unknown kind (such as Helm values).
    pub other_lists: u32,
    /// Node pools.
    pub pools: u32,
    /// Actions of chart templates that print something for the scheduling of pods.
    pub expressions: u32,
    /// How many of them print values that are known by their paths.
    pub known_expressions: u32,
    /// Findings that a comment or annotation suppressed.
    pub suppressed: u32,
    /// Findings that the baseline accepts.
    pub baselined: u32,
    /// The revision whose findings count as accepted, as users call it.
    pub base: Option<String>,
    /// Things that could not be checked, by group of reasons: [`Report::not_judged`] counted.
    pub not_judged: BTreeMap<String, u32>,
    /// Standard input was read but contains no manifest.
    pub no_manifest_on_stdin: bool,
    /// Findings that are only counted, by rule.
    pub counted: BTreeMap<String, Tally>,
}

/// Counted findings of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of findings.
    pub times: u32,
    /// The words after the number 1.
    pub one: String,
    /// The words after any other number.
    pub many: String,
}

impl Tally {
    /// Returns the number and the words.
    pub fn sentence(&self) -> String {
        let words = if self.times == 1 {
            &self.one
        } else {
            &self.many
        };
        format!("{} {words}", self.times)
    }
}

/// The input of all output formats.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Sorted by file, position, rule.
    pub findings: Vec<Finding>,
    /// Findings that a comment or an annotation accepts; sorted like `findings`, which does not contain them.
    pub suppressed: Vec<Suppressed>,
    /// Findings that the baseline accepts; sorted like `findings`, which does not contain them.
    pub baselined: Vec<Finding>,
    /// What was not checked: sorted by file, position and reason, without duplicates.
    pub not_judged: Vec<NotJudged>,
    /// Findings that report something usual and are only counted; `findings` does not contain them.
    pub counted: Vec<Finding>,
    /// Sorted by file, position, message.
    pub problems: Vec<Problem>,
    /// Probable mistakes that do not prevent a report, in the same order.
    pub warnings: Vec<Problem>,
    /// The day on which each named inventory was taken, by path, if it is known.
    pub inventories: BTreeMap<String, Date>,
    /// The numbers of the run.
    pub counts: Counts,
    /// The sources that findings refer to; others may be missing.
    pub sources: BTreeMap<SourceId, Source>,
}

impl Report {
    /// Returns the number of findings with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Keeps the findings that touch a file for which `wanted` returns true, with their own place or a related one.
    pub fn keep_touching(&mut self, wanted: impl Fn(&str) -> bool) {
        let sources = &self.sources;
        let touches = |finding: &Finding| {
            std::iter::once(finding.span)
                .chain(finding.related.iter().map(|label| label.span))
                .filter_map(|span| sources.get(&span.source))
                .any(|source| wanted(&source.path))
        };
        self.findings.retain(touches);
        self.suppressed.retain(|one| touches(&one.finding));
        self.baselined.retain(touches);
        let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.counts.suppressed = number(self.suppressed.len());
        self.counts.baselined = number(self.baselined.len());
        self.counted.retain(touches);
        self.tally();
        count_occurrences(&mut self.findings);
    }

    /// Recomputes the numbers of counted findings.
    pub fn tally(&mut self) {
        for (rule, tally) in &mut self.counts.counted {
            let of_rule = self.counted.iter().filter(|finding| finding.rule == *rule);
            tally.times = u32::try_from(of_rule.count()).unwrap_or(u32::MAX);
        }
        self.counts.counted.retain(|_, tally| tally.times > 0);
    }

    /// Returns the worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Sets the number of equal findings in each finding.
pub fn count_occurrences(findings: &mut [Finding]) {
    let mut times: BTreeMap<(String, Severity, String), u32> = BTreeMap::new();
    let key = |finding: &Finding| {
        (
            finding.rule.clone(),
            finding.severity,
            finding.message.clone(),
        )
    };
    for finding in findings.iter() {
        *times.entry(key(finding)).or_default() += 1;
    }
    for finding in findings {
        finding.occurrences = times.get(&key(finding)).copied().unwrap_or(1);
    }
}
