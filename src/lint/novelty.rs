//! Which findings of a report are new against an earlier one: a finding is known by its rule, cluster, object, path without
//! indices and content, counted; where there is no object, by its file.

use std::collections::{BTreeMap, HashSet};

use super::identity::key;
use super::matching::pair_in_rounds;
use crate::finding::{Finding, FindingDifference, Report};

/// Says that files and clusters had another name before.
#[derive(Clone, Debug, Default)]
pub struct Renames {
    /// Files by their path before.
    pub files: BTreeMap<String, String>,
    /// Clusters by their name before.
    pub clusters: BTreeMap<String, String>,
}

impl Renames {
    /// The name of a file after the change.
    pub fn file<'p>(&'p self, path: &'p str) -> &'p str {
        self.files.get(path).map_or(path, String::as_str)
    }
}

/// How a finding is known, with the cluster apart.
struct Known<'r> {
    key: String,
    cluster: Option<&'r str>,
    file: &'r str,
}

/// Compares two reports.
pub fn compare(base: Report, head: Report, renames: &Renames) -> FindingDifference {
    let before = known(&base, Some(renames));
    let after = known(&head, None);
    // The nearest first: the same file and cluster, the same cluster, the same file, and any.
    type Same<'k, 'r> = fn(&'k Known<'r>) -> Option<(&'k str, Option<&'k str>, &'k str)>;
    let rounds: [Same<'_, '_>; 4] = [
        |one| Some((&one.key, one.cluster, one.file)),
        |one| Some((&one.key, one.cluster, "")),
        |one| Some((&one.key, None, one.file)),
        |one| Some((&one.key, None, "")),
    ];
    let matched = pair_in_rounds(&before, &after, rounds);
    let mut found = FindingDifference {
        new: matched.fresh,
        gone: matched.gone,
        ..FindingDifference::default()
    };
    let (mut moved, mut raised) = (Vec::new(), HashSet::new());
    for (one, other) in matched.pairs {
        let severity = |report: &Report, at: usize| report.findings.get(at).map(|one| one.severity);
        if severity(&head, other) > severity(&base, one) {
            found.new.push(other);
            raised.insert(other);
            continue;
        }
        match path(&base, one) == path(&head, other) {
            true => found.same += 1,
            false => {
                found.moved += 1;
                moved.push(other);
            }
        }
    }
    // What stood in several files and now stands in one that they share, or the reverse, has moved as a whole.
    let moved: HashSet<&str> = moved
        .iter()
        .filter_map(|at| after.get(*at))
        .map(|one| one.key.as_str())
        .collect();
    let stays = |known: &[Known<'_>], at: &usize| {
        known
            .get(*at)
            .is_none_or(|one| !moved.contains(one.key.as_str()))
    };
    let all = found.new.len() + found.gone.len();
    found.gone.retain(|at| stays(&before, at));
    found
        .new
        .retain(|at| raised.contains(at) || stays(&after, at));
    found.moved += all - found.new.len() - found.gone.len();
    found.new.sort_unstable();
    drop((before, after));
    FindingDifference {
        base,
        head,
        ..found
    }
}

/// The path of the file of a finding, as it is called on its side.
fn path(report: &Report, at: usize) -> Option<&str> {
    let finding = report.findings.get(at)?;
    let source = report.sources.get(&finding.span.source)?;
    Some(&source.path)
}

fn known<'r>(report: &'r Report, renames: Option<&'r Renames>) -> Vec<Known<'r>> {
    let known = |finding: &'r Finding| {
        let source = report.sources.get(&finding.span.source);
        let file = source.map_or("", |source| source.path.as_str());
        let renamed = renames.and_then(|renames| renames.files.get(file));
        let file = renamed.map_or(file, String::as_str);
        let cluster = finding.cluster.as_deref();
        let renamed = renames.and_then(|renames| renames.clusters.get(cluster?));
        Known {
            key: key(finding, &report.sources, file),
            cluster: renamed.map(String::as_str).or(cluster),
            file,
        }
    };
    report.findings.iter().map(known).collect()
}
