//! What a change of a repository does to placement, as `kubetaint diff` says it.

use std::collections::BTreeSet;

use super::{Effect, FilePlace, Finding, Object, Report, Stay, count_occurrences};

/// What a change does.
#[derive(Debug, Default)]
pub struct Difference {
    /// The name of the state before.
    pub base: String,
    /// The name of the state after.
    pub head: String,
    /// The clusters on either side.
    pub clusters: Vec<ComparedCluster>,
    /// What it does to objects, worst first.
    pub placement: Vec<PlacementEffect>,
    /// The pools that differ.
    pub pools: Vec<PoolDifference>,
    /// The pools that get their first workload or lose their last one, DaemonSets aside.
    pub tenancies: Vec<Tenancy>,
    /// The findings that differ.
    pub findings: FindingDifference,
    /// How many things could not be judged, before and after.
    pub not_judged: (usize, usize),
}

/// A cluster on both sides, or on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedCluster {
    /// Its name after, or its only one.
    pub name: String,
    /// Its name before, if it had another.
    pub before: Option<String>,
    /// Which sides show it.
    pub side: Presence,
    /// Whether something in it changes.
    pub changed: bool,
    /// How many workloads it has, after if it is there.
    pub workloads: usize,
}

/// Which sides of a comparison something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// On both.
    Both,
    /// Before only.
    Removed,
    /// After only.
    Added,
}

/// What a change does to an object in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementEffect {
    /// The object.
    pub object: Object,
    /// The cluster.
    pub cluster: String,
    /// The effect.
    pub effect: Effect,
    /// When the first of its pods are evicted, if they are.
    pub stay: Option<Stay>,
    /// What causes it.
    pub cause: Cause,
    /// Before.
    pub before: Standing,
    /// After.
    pub after: Standing,
}

/// Where the pods of an object can run on one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The pools that they certainly can run on, by name.
    pub lands: Vec<String>,
    /// Where the object is declared, if it is there.
    pub place: Option<FilePlace>,
}

/// What causes an effect. Effects with the same cause are told together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// One sentence without a full stop.
    pub message: String,
    /// The places, before and after.
    pub places: Vec<CausePlace>,
    /// Whether the change of a pool causes it.
    pub is_pool: bool,
    /// The changes of pools that it names, in words.
    pub pools: Vec<String>,
}

/// A place on one side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CausePlace {
    /// Whether it is a place after the change.
    pub is_after: bool,
    /// The place.
    pub place: FilePlace,
}

/// What is different about a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PoolChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has other taints.
    Taints,
    /// It has other labels.
    Labels,
}

impl PoolChange {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            PoolChange::Added => "added",
            PoolChange::Removed => "removed",
            PoolChange::Taints => "taints",
            PoolChange::Labels => "labels",
        }
    }
}

/// A pool that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolDifference {
    /// Its name.
    pub pool: String,
    /// The cluster.
    pub cluster: String,
    /// What is different.
    pub change: PoolChange,
    /// One sentence without a full stop.
    pub message: String,
    /// Its place after, or before if it is gone.
    pub place: Option<FilePlace>,
}

/// A pool that gets its first workload or loses its last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenancy {
    /// Its name.
    pub pool: String,
    /// The cluster.
    pub cluster: String,
    /// Whether it has workloads now.
    pub is_used: bool,
}

/// The findings that differ.
#[derive(Debug, Default)]
pub struct FindingDifference {
    /// The report before.
    pub base: Report,
    /// The report after.
    pub head: Report,
    /// The new ones, as indices into the findings after.
    pub new: Vec<usize>,
    /// What rules of scope `change` found. Their places are in the report after.
    pub on_change: Vec<ChangeFinding>,
    /// Those that are gone, as indices into the findings before.
    pub gone: Vec<usize>,
    /// How many are the same in another file.
    pub moved: usize,
    /// How many are the same in the same file.
    pub same: usize,
}

/// What a rule of scope `change` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeFinding {
    /// The finding.
    pub finding: Finding,
    /// Whether what the change does to placement says the same, so that reports for people only count it.
    pub is_told: bool,
}

impl FindingDifference {
    /// The new findings.
    pub fn new_ones(&self) -> impl Iterator<Item = &Finding> {
        let findings = &self.head.findings;
        self.new.iter().filter_map(|at| findings.get(*at))
    }

    /// What the change brings in: the new findings, and those of rules of scope `change`.
    pub fn brought(&self) -> impl Iterator<Item = &Finding> {
        self.new_ones()
            .chain(self.on_change.iter().map(|one| &one.finding))
    }

    /// The report after the change with only the findings that it brings in: new ones, and those of rules of scope `change`.
    /// The others are among those that a baseline accepts.
    pub fn into_news(self) -> Report {
        let mut report = self.head;
        let new: BTreeSet<usize> = self.new.into_iter().collect();
        let mut news: Vec<Finding> = Vec::new();
        let all = std::mem::take(&mut report.findings).into_iter();
        for (at, finding) in all.enumerate() {
            match new.contains(&at) {
                true => news.push(finding),
                false => report.baselined.push(finding),
            }
        }
        news.extend(self.on_change.into_iter().map(|one| one.finding));
        news.sort_by_cached_key(|finding| {
            let source = report.sources.get(&finding.span.source);
            let path = source.map_or("", |source| source.path.as_str());
            let span = finding.span;
            (path.to_owned(), span.start, finding.rule.clone(), span.end)
        });
        report.findings = news;
        report.counts.baselined = u32::try_from(report.baselined.len()).unwrap_or(u32::MAX);
        count_occurrences(&mut report.findings);
        report
    }

    /// The findings that are gone.
    pub fn gone_ones(&self) -> impl Iterator<Item = &Finding> {
        let findings = &self.base.findings;
        self.gone.iter().filter_map(|at| findings.get(*at))
    }
}

impl Difference {
    /// How many objects it does this to, counted in each cluster.
    pub fn count(&self, effect: Effect) -> usize {
        let same = self.placement.iter().filter(|one| one.effect == effect);
        same.count()
    }

    /// Whether something cannot run any more: pods are evicted or Pending, or a DaemonSet loses a pool.
    pub fn is_harmful(&self) -> bool {
        let mut all = self.placement.iter();
        all.any(|one| one.effect.is_harmful(&one.object))
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.placement.is_empty()
            && self.pools.is_empty()
            && self.findings.new.is_empty()
            && self.findings.on_change.is_empty()
            && self.findings.gone.is_empty()
    }
}
