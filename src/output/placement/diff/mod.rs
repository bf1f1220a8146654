//! `diff` for people and for programs: the verdict first, then causes, worst first.

mod json;
mod markdown;
mod text;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::finding::{
    Cause, CausePlace, Difference, Effect, Finding, FindingDifference, Object, PlacedObject,
    PlacementEffect, PoolDifference, Presence, Severity, Stay,
};
use crate::output::{count, escape};

pub use json::write_diff_json;
pub use markdown::write_diff_markdown;
pub use text::DiffText;

/// The pools before and after.
type Lands<'d> = (&'d [String], &'d [String]);

/// Objects that the same happens to for the same reason.
struct Group<'d> {
    effect: Effect,
    cause: &'d Cause,
    /// The clusters, in order.
    clusters: BTreeSet<&'d str>,
    members: Vec<&'d PlacementEffect>,
}

impl<'d> Group<'d> {
    /// The members by what they could run on and what they can run on now.
    fn by_pools(&self) -> Vec<(Lands<'d>, Vec<&'d PlacementEffect>)> {
        let mut known = HashMap::new();
        let mut found: Vec<(_, Vec<&PlacementEffect>)> = Vec::new();
        for one in &self.members {
            let key = (one.before.lands.as_slice(), one.after.lands.as_slice());
            let next = found.len();
            let at = *known.entry(key).or_insert(next);
            match found.get_mut(at) {
                Some((_, same)) => same.push(one),
                None => found.push((key, vec![one])),
            }
        }
        found
    }

    /// The places of the cause that all members have in common, or those of the first.
    fn places(&self) -> &'d [CausePlace] {
        &self.cause.places
    }

    /// When the first pods are evicted.
    fn stay(&self) -> Option<Stay> {
        self.members.iter().find_map(|one| one.stay)
    }
}

/// The groups, worst first. The causes with the most objects come first among equals.
fn groups(found: &Difference) -> Vec<Group<'_>> {
    let mut by_cause: BTreeMap<(Effect, &str), Group<'_>> = BTreeMap::new();
    for one in &found.placement {
        let key = (one.effect, one.cause.message.as_str());
        let group = by_cause.entry(key).or_insert_with(|| Group {
            effect: one.effect,
            cause: &one.cause,
            clusters: BTreeSet::new(),
            members: Vec::new(),
        });
        group.clusters.insert(&one.cluster);
        group.members.push(one);
    }
    let mut groups: Vec<Group<'_>> = by_cause.into_values().collect();
    let is_harmless = |group: &Group<'_>| {
        let mut members = group.members.iter();
        !members.any(|one| one.effect.is_harmful(&one.object))
    };
    groups.sort_by_key(|group| {
        let many = std::cmp::Reverse(group.members.len());
        (is_harmless(group), group.effect, many)
    });
    groups
}

/// The changes of pools that no group names as its cause.
fn other_pools<'d>(found: &'d Difference, groups: &[Group<'_>]) -> Vec<&'d PoolDifference> {
    let told = groups.iter().flat_map(|group| &group.cause.pools);
    let told: HashSet<&String> = told.collect();
    let pools = found.pools.iter();
    pools.filter(|pool| !told.contains(&pool.message)).collect()
}

/// One line that says what the change does.
fn verdict(found: &Difference) -> String {
    let parts = Effect::ALL.iter().filter_map(|effect| {
        let many = found.count(*effect);
        (many > 0).then(|| happens(*effect, many))
    });
    let mut parts: Vec<String> = parts.collect();
    let mut by_severity: BTreeMap<Severity, usize> = BTreeMap::new();
    for finding in listed_news(&found.findings) {
        *by_severity.entry(finding.severity).or_default() += 1;
    }
    for (severity, many) in by_severity.iter().rev() {
        parts.push(match severity {
            Severity::Error => count(*many, "new error", "new errors"),
            Severity::Warning => count(*many, "new warning", "new warnings"),
            Severity::Note => count(*many, "new note", "new notes"),
        });
    }
    let gone = found.findings.gone.len();
    if gone > 0 {
        parts.push(count(gone, "finding is gone", "findings are gone"));
    }
    if parts.is_empty() && !found.pools.is_empty() {
        let pools = count(found.pools.len(), "pool changes", "pools change");
        parts.push(format!("{pools}, and every workload keeps its pools"));
    }
    match parts.is_empty() {
        true => "nothing changes: every workload keeps its pools, and no finding is new".to_owned(),
        false => parts.join(", "),
    }
}

fn happens(effect: Effect, many: usize) -> String {
    let (one, more) = match effect {
        Effect::Evicted => ("workload is evicted", "workloads are evicted"),
        Effect::Pending => ("workload becomes Pending", "workloads become Pending"),
        Effect::Moves => (
            "workload moves to other pools",
            "workloads move to other pools",
        ),
        Effect::Loses => ("workload loses pools", "workloads lose pools"),
        Effect::Gains => ("workload gains pools", "workloads gain pools"),
        Effect::Widened => ("workload tolerates more", "workloads tolerate more"),
        Effect::Ignored => (
            "list changes that nothing reads",
            "lists change that nothing reads",
        ),
        Effect::Unknown => ("workload is unknown now", "workloads are unknown now"),
    };
    count(many, one, more)
}

/// A heading for what happens.
fn title(effect: Effect) -> &'static str {
    match effect {
        Effect::Evicted => "evicted",
        Effect::Pending => "Pending",
        Effect::Moves => "moves",
        Effect::Loses => "loses pools",
        Effect::Gains => "gains pools",
        Effect::Widened => "tolerates more",
        Effect::Ignored => "nothing reads it",
        Effect::Unknown => "unknown",
    }
}

fn object_name(object: &Object) -> String {
    super::object_name(&PlacedObject {
        object: object.clone(),
        place: None,
    })
}

/// Some names, and how many more there are.
fn listed(all: &[String], most: usize) -> String {
    let shown: Vec<&str> = all.iter().take(most).map(String::as_str).collect();
    match all.len().saturating_sub(most) {
        _ if all.is_empty() => "no pool".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The clusters in which nothing changes, in one line.
fn unchanged(found: &Difference) -> Option<String> {
    const MOST: usize = 5;
    let same = found.clusters.iter().filter(|one| !one.changed);
    let same = same.filter(|one| one.side == Presence::Both && one.workloads > 0);
    let names: Vec<String> = same
        .map(|one| escape::name(&one.name).into_owned())
        .collect();
    let shown = (names.len() < found.clusters.len() || names.len() > 1) && !names.is_empty();
    let word = if names.len() == 1 {
        "cluster"
    } else {
        "clusters"
    };
    shown.then(|| format!("no change in {word} {}", listed(&names, MOST)))
}

/// Clusters that have another name, are new or are gone.
fn renamed(found: &Difference) -> Vec<String> {
    let told = found.clusters.iter().filter_map(|one| {
        let name = escape::name(&one.name);
        match (&one.before, one.side) {
            (Some(before), _) => {
                let before = escape::name(before);
                Some(format!("cluster `{before}` is called `{name}` now"))
            }
            (None, Presence::Added) => Some(format!("cluster `{name}` is new")),
            (None, Presence::Removed) => Some(format!("cluster `{name}` is gone")),
            (None, Presence::Both) => None,
        }
    });
    told.collect()
}

/// Pools that get their first workload or lose their last one.
fn tenancies(found: &Difference) -> Vec<String> {
    let told = found.tenancies.iter().map(|one| {
        let (pool, cluster) = (escape::name(&one.pool), escape::name(&one.cluster));
        match one.is_used {
            true => format!("pool `{pool}` of cluster `{cluster}` gets its first workload"),
            false => format!("pool `{pool}` of cluster `{cluster}` loses its last workload"),
        }
    });
    told.collect()
}

/// What could not be judged, on both sides.
fn not_judged(found: &Difference) -> Option<String> {
    let (before, after) = found.not_judged;
    let unknown = found.count(Effect::Unknown);
    (before != after || unknown > 0).then(|| format!("not judged: {before} before, {after} after"))
}

/// The findings that a change brings in, without those that say what the effects on placement say.
fn listed_news(found: &FindingDifference) -> impl Iterator<Item = &Finding> {
    let own = found.on_change.iter().filter(|one| !one.is_told);
    found.new_ones().chain(own.map(|one| &one.finding))
}

/// How many findings say what the effects on placement say, by rule.
fn told(found: &FindingDifference) -> Option<String> {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for one in found.on_change.iter().filter(|one| one.is_told) {
        *rules.entry(&one.finding.rule).or_default() += 1;
    }
    let all: usize = rules.values().sum();
    let names: Vec<String> = rules
        .into_keys()
        .map(|rule| escape::name(rule).into_owned())
        .collect();
    let (one, many) = ("finding says the same", "findings say the same");
    (all > 0).then(|| format!("{}: {}", count(all, one, many), names.join(", ")))
}

/// The new findings, worst first.
fn worst_first(found: &FindingDifference) -> Vec<&Finding> {
    let mut new: Vec<&Finding> = listed_news(found).collect();
    new.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    new
}
