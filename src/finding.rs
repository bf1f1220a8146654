//! What a run has to say: findings, problems and counts, as plain data that every output format reads.

mod not_judged;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::source::{Position, Source, SourceId, Span};

pub use not_judged::{Because, Gap, NotJudged, Open, PoolGap, Texts};

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
    /// The word that users read and write.
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

/// A second place that belongs to a finding, such as the taint in another file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What stands there.
    pub message: String,
}

/// A change that takes a finding away.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fix {
    /// Whether it means the same to the API server, so that it may be applied without being looked at.
    pub safe: bool,
    /// What it does, in a few words.
    pub title: String,
    /// Sorted by place; none overlaps another.
    pub edits: Vec<Edit>,
}

/// New text for a piece of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced; empty where text is only put in.
    pub span: Span,
    /// The text that takes its place; empty where text is only taken out.
    pub text: String,
}

/// The Kubernetes object that a finding is about. Inventories write it like this, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct Object {
    /// As written; empty when the document has none (Helm values).
    pub api_version: String,
    /// As written; empty when the document has none.
    pub kind: String,
    /// Absent when not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Absent when not written or not literal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One finding of one rule at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Rule id.
    pub rule: String,
    /// Severity after all circumstances were weighed.
    pub severity: Severity,
    /// What is.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where.
    pub span: Span,
    /// Field path inside the object, such as `spec.template.spec.tolerations[0].value`; empty when there is none.
    pub path: String,
    /// The configured cluster that the verdict rests on.
    pub cluster: Option<String>,
    /// The object that holds the place.
    pub object: Object,
    /// Other places that matter.
    pub related: Vec<Label>,
    /// How to fix it, where that is known.
    pub fix: Option<Fix>,
    /// Identity by content, never by line: stable when lines move.
    pub fingerprint: String,
    /// The same without the file, for objects that have a kind and a name: stable when a file is renamed. Empty for others.
    pub fingerprint_anywhere: String,
    /// It is a note because not all pools of the cluster are known.
    pub undecided: bool,
    /// How many findings of this report say the same (rule, severity, message) in other places, this one included.
    pub occurrences: u32,
}

/// A finding that somebody accepted beside the place where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// What was found.
    pub finding: Finding,
    /// Where it is accepted.
    pub by: Span,
    /// Why; empty when nothing is said.
    pub reason: String,
}

/// Something that prevented judging; never a finding. Any problem makes the run end with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the repository, when the problem is with one.
    pub file: Option<String>,
    /// The place in the file, when known.
    pub position: Option<Position>,
    /// What went wrong, with its cause.
    pub message: String,
}

impl Problem {
    /// A problem at a place in a file.
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

/// What a run read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files read.
    pub files: u32,
    /// Non-empty documents in them.
    pub documents: u32,
    /// Workloads of known kinds.
    pub workloads: u32,
    /// Lists of tolerations whose owner's kind is not known (Helm values and the like).
    pub other_lists: u32,
    /// Node pools.
    pub pools: u32,
    /// Findings that a comment or annotation suppressed.
    pub suppressed: u32,
    /// Findings that the baseline accepts.
    pub baselined: u32,
    /// What could not be judged, by group of reasons, with how often: [`Report::not_judged`] counted.
    pub not_judged: BTreeMap<String, u32>,
    /// Standard input was read and holds no manifest.
    pub no_manifest_on_stdin: bool,
    /// Findings that are only counted, by rule.
    pub counted: BTreeMap<String, Tally>,
}

/// Findings of one rule that are only counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub times: u32,
    /// What stands behind the number 1.
    pub one: String,
    /// What stands behind any other number.
    pub many: String,
}

impl Tally {
    /// The number and what it counts.
    pub fn sentence(&self) -> String {
        let words = if self.times == 1 {
            &self.one
        } else {
            &self.many
        };
        format!("{} {words}", self.times)
    }
}

/// Everything that an output format needs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Sorted by file, position, rule.
    pub findings: Vec<Finding>,
    /// Findings that a comment or an annotation accepts; sorted like the others, and not among them.
    pub suppressed: Vec<Suppressed>,
    /// Findings that the baseline accepts; sorted like the others, and not among them.
    pub baselined: Vec<Finding>,
    /// What was not judged: sorted by file, position and reason, each once.
    pub not_judged: Vec<NotJudged>,
    /// Findings that say what is usual and are only counted; not among the others.
    pub counted: Vec<Finding>,
    /// Sorted by file, position, message.
    pub problems: Vec<Problem>,
    /// What keeps no run from its report and is probably not meant, in the same order.
    pub warnings: Vec<Problem>,
    /// What was read.
    pub counts: Counts,
    /// The sources that findings point into; others may be absent.
    pub sources: BTreeMap<SourceId, Source>,
}

impl Report {
    /// Findings of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Keeps the findings that touch a file that `wanted` says yes to: by their own place, or by one that belongs to it.
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

    /// Counts again what is only counted.
    pub fn tally(&mut self) {
        for (rule, tally) in &mut self.counts.counted {
            let of_rule = self.counted.iter().filter(|finding| finding.rule == *rule);
            tally.times = u32::try_from(of_rule.count()).unwrap_or(u32::MAX);
        }
        self.counts.counted.retain(|_, tally| tally.times > 0);
    }

    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Gives each finding the number of those that say the same.
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
