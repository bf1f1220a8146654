//! Baselines: findings that were suppressed all at once. Reads and writes the file, removes its findings from a report, and
//! detects outdated entries. Entries are matched by content, never by line.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Object, Problem, Report};
use crate::source::{Source, SourceId};
use crate::yaml;

/// The only supported version.
const VERSION: u32 = 1;

const HEAD: &str = "# Findings that kubetaint suppresses. Each is identified by its content: lines may move, and a file may be renamed.\n\
                    # `--write-baseline` writes this file anew. `--prune-baseline` removes entries that no longer match.\n";

/// A baseline file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: Version,
    /// The findings. Identical ones are a single entry.
    pub findings: Vec<Entry>,
}

/// [`VERSION`]. Any other version is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        match version {
            VERSION => Ok(Version),
            _ => Err(format!(
                "unsupported baseline version {version}; this release reads version {VERSION}"
            )),
        }
    }
}

impl From<Version> for u32 {
    fn from(_: Version) -> u32 {
        VERSION
    }
}

/// A suppressed finding, or several identical ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The rule's id.
    pub rule: String,
    /// The file of the finding, relative to the repository.
    pub file: String,
    /// The object, for readers of the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// The field, for readers of the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The number of identical findings.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub count: u32,
    /// The fingerprint, which identifies the finding in its file.
    pub fingerprint: String,
    /// An identity independent of the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anywhere: String,
}

fn once() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands in a reference
fn is_once(count: &u32) -> bool {
    *count == 1
}

impl Entry {
    fn of(finding: &Finding, file: &str) -> Entry {
        Entry {
            rule: finding.rule.clone(),
            file: file.to_owned(),
            object: spoken(&finding.object),
            path: finding.path.clone(),
            count: 1,
            fingerprint: finding.fingerprint.clone(),
            anywhere: finding.fingerprint_anywhere.clone(),
        }
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}", self.rule, self.file)?;
        if !self.object.is_empty() {
            write!(f, ", {}", self.object)?;
        }
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}

fn spoken(object: &Object) -> String {
    let mut text = object.kind.clone();
    for part in [&object.namespace, &object.name].into_iter().flatten() {
        let between = if text == object.kind { ' ' } else { '/' };
        let _ = write!(text, "{between}{part}");
    }
    text.trim().to_owned()
}

impl Baseline {
    /// Reads a baseline file.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid baseline, with the place of each error.
    pub fn read(source: &Source) -> Result<Baseline, Vec<Problem>> {
        let reading = yaml::read(source, SourceId(0), "the baseline");
        reading.whole(source, Problem::at)?.ok_or_else(|| {
            vec![Problem {
                file: Some(source.path.clone()),
                position: None,
                message: "the baseline file is empty".to_owned(),
            }]
        })
    }

    /// Creates a baseline from all findings of a report.
    pub fn of(report: &Report) -> Baseline {
        let mut by_identity: BTreeMap<(&str, &str), Entry> = BTreeMap::new();
        for finding in &report.findings {
            let file = file_of(finding, report);
            by_identity
                .entry((&finding.rule, &finding.fingerprint))
                .and_modify(|known| known.count += 1)
                .or_insert_with(|| Entry::of(finding, file));
        }
        let mut findings: Vec<Entry> = by_identity.into_values().collect();
        findings.sort_by(|one, other| {
            let key = |one: &Entry| {
                (
                    one.file.clone(),
                    one.rule.clone(),
                    one.object.clone(),
                    one.path.clone(),
                    one.fingerprint.clone(),
                )
            };
            key(one).cmp(&key(other))
        });
        Baseline {
            version: Version,
            findings,
        }
    }

    /// The text of the baseline file.
    ///
    /// # Errors
    /// Never for a baseline of texts and numbers.
    pub fn text(&self) -> Result<String, serde_yaml::Error> {
        Ok(format!("{HEAD}{}", serde_yaml::to_string(self)?))
    }

    /// Removes the findings of the baseline from a report. Returns the entries that match none.
    pub fn apply(&self, report: &mut Report) -> Vec<Entry> {
        let mut left: Vec<u32> = self.findings.iter().map(|one| one.count).collect();
        let mut here: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        let mut anywhere: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (at, one) in self.findings.iter().enumerate() {
            here.entry((&one.rule, &one.fingerprint))
                .or_default()
                .push(at);
            if !one.anywhere.is_empty() {
                anywhere
                    .entry((&one.rule, &one.anywhere))
                    .or_default()
                    .push(at);
            }
        }
        let mut take = |candidates: Option<&Vec<usize>>| {
            let found = candidates.into_iter().flatten().find(|at| left[**at] > 0);
            if let Some(at) = found {
                left[*at] -= 1;
            }
            found.is_some()
        };
        let mut suppressed: BTreeSet<usize> = BTreeSet::new();
        // Matches in an entry's own file come first, so that a copy elsewhere cannot use up the entry.
        for (at, finding) in report.findings.iter().enumerate() {
            if take(here.get(&(finding.rule.as_str(), finding.fingerprint.as_str()))) {
                suppressed.insert(at);
            }
        }
        for (at, finding) in report.findings.iter().enumerate() {
            let key = (finding.rule.as_str(), finding.fingerprint_anywhere.as_str());
            if !suppressed.contains(&at) && take(anywhere.get(&key)) {
                suppressed.insert(at);
            }
        }
        let (taken, open): (Vec<_>, Vec<_>) = std::mem::take(&mut report.findings)
            .into_iter()
            .enumerate()
            .partition(|(at, _)| suppressed.contains(at));
        let findings = |numbered: Vec<(usize, Finding)>| {
            let findings = numbered.into_iter().map(|(_, finding)| finding);
            findings.collect::<Vec<_>>()
        };
        report.findings = findings(open);
        report.baselined = findings(taken);
        report.counts.baselined = u32::try_from(suppressed.len()).unwrap_or(u32::MAX);
        self.findings
            .iter()
            .zip(left)
            .filter(|(_, left)| *left > 0)
            .map(|(one, left)| Entry {
                count: left,
                ..one.clone()
            })
            .collect()
    }

    /// Removes outdated entries.
    pub fn prune(&mut self, stale: &[Entry]) {
        for gone in stale {
            let same =
                |one: &&mut Entry| one.rule == gone.rule && one.fingerprint == gone.fingerprint;
            if let Some(one) = self.findings.iter_mut().find(same) {
                one.count = one.count.saturating_sub(gone.count);
            }
        }
        self.findings.retain(|one| one.count > 0);
    }
}

fn file_of<'r>(finding: &Finding, report: &'r Report) -> &'r str {
    report
        .sources
        .get(&finding.span.source)
        .map_or("", |source| source.path.as_str())
}
