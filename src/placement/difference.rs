//! What a change of a repository does to placement: each cluster before and after, pool by pool and object by object.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::cluster_difference::ClusterDifference;
use super::pairs::{self, ObjectKey, Pair};
use super::pool_pairs::ClusterSides;
use super::rejected::Rejected;
use super::stand::of_side;
use super::unread::Unread;
use crate::finding::{
    ChangeFinding, ComparedCluster, Difference, Finding, Object, PlacementEffect, Presence,
};
use crate::lint::{Examination, OnChange, Renames, Settings, Survey, compare};
use crate::model::workload::Workload;
use crate::rule::RuleSet;
use crate::rule::schema::Scope;

/// The tag of rules of scope `change` that say what the effects on placement say, too.
const PLACEMENT: &str = "placement";

/// Compares two states of a repository, with the settings of the state after. `files` says which files had another name before.
pub fn difference(
    base: Examination<'_>,
    head: Examination<'_>,
    settings: Settings<'_>,
    files: BTreeMap<String, String>,
) -> Difference {
    let rules = settings.rules;
    let (before, after) = (&base.survey, &head.survey);
    let mut renames = Renames {
        files,
        clusters: BTreeMap::new(),
    };
    let rejected = (Rejected::of(&base, rules), Rejected::of(&head, rules));
    let unread = Unread::of(&head, rules);
    let mut found = Difference {
        not_judged: (base.report.not_judged.len(), head.report.not_judged.len()),
        ..Difference::default()
    };
    let sides: Vec<(Pair<usize>, ClusterSides<'_>)> = pairs::clusters(before, after)
        .into_iter()
        .map(|pair| {
            let sides = ClusterSides {
                before: pair.before.and_then(|at| before.clusters.get(at)),
                after: pair.after.and_then(|at| after.clusters.get(at)),
            };
            (pair, sides)
        })
        .collect();
    for (_, sides) in &sides {
        if let (Some(old), Some(new)) = (sides.before, sides.after)
            && old.name != new.name
        {
            renames.clusters.insert(old.name.clone(), new.name.clone());
        }
    }
    let reports = (base.report, head.report);
    found.findings = compare(reports.0, reports.1, &renames);
    let news = unread.news(&found.findings);
    let is_rejected = |is_after: bool, one: &Workload| of_side(&rejected, is_after).contains(one);
    let broken = (before.broken_files(), after.broken_files());
    let known: OnceCell<BTreeSet<ObjectKey>> = OnceCell::new();
    let is_known = |key: &ObjectKey| {
        let known = known.get_or_init(|| objects(before, &renames));
        known.contains(key)
    };
    let mut on_change = OnChange::new(before, after, settings);
    let mut affected: BTreeSet<Object> = BTreeSet::new();
    for (pair, sides) in sides {
        let files = (&renames, &broken);
        let mut compared = ClusterDifference::new((before, after), sides, files, &is_rejected)
            .compare(&|workload| news.of(workload), &is_known);
        let with_effect = compared.workloads.iter().filter(|one| one.effect.is_some());
        affected.extend(with_effect.map(|one| one.after.object.clone()));
        let mut configured = settings.config.clusters.iter();
        let is_configured =
            configured.any(|one| sides.after.is_some_and(|side| side.name == one.name));
        if on_change.asks() {
            on_change.cluster(&compared.take_change(sides, is_configured));
        }
        found
            .clusters
            .push(listed(&pair, sides, compared.changes()));
        found.placement.extend(compared.placement);
        found.pools.extend(compared.pools);
        found.tenancies.extend(compared.tenancies);
    }
    let ignored = news.without_pods(&found, after);
    found.placement.extend(ignored);
    let on_change = on_change.finish(&mut found.findings.head).into_iter();
    let told = Told::of(&found.placement, &affected);
    let on_change = on_change.map(|finding| ChangeFinding {
        is_told: told.says(&finding, rules),
        finding,
    });
    found.findings.on_change = on_change.collect();
    sort(&mut found);
    found
}

/// What the effects on placement say already.
struct Told<'a> {
    /// The objects that something is done to.
    objects: &'a BTreeSet<Object>,
    /// The pools whose change takes workloads from them.
    pools: BTreeSet<&'a str>,
}

impl<'a> Told<'a> {
    fn of(placement: &'a [PlacementEffect], objects: &'a BTreeSet<Object>) -> Told<'a> {
        let mut pools: BTreeSet<&str> = BTreeSet::new();
        for one in placement.iter().filter(|one| one.cause.is_pool) {
            let after: HashSet<&String> = one.after.lands.iter().collect();
            let lost = one.before.lands.iter().filter(|pool| !after.contains(pool));
            pools.extend(lost.map(String::as_str));
        }
        Told { objects, pools }
    }

    /// Whether they say the same as a finding: they do something to its object, or take workloads from its pool.
    fn says(&self, finding: &Finding, rules: &RuleSet) -> bool {
        let rule = rules.get(&finding.rule);
        match rule.filter(|rule| rule.has_tag(PLACEMENT)) {
            Some(rule) if rule.scope == Scope::PoolChange => {
                let name = finding.object.name.as_deref().unwrap_or_default();
                self.pools.contains(name)
            }
            Some(_) => self.objects.contains(&finding.object),
            None => false,
        }
    }
}

/// The objects of all clusters, as files are called after.
fn objects(survey: &Survey<'_>, renames: &Renames) -> BTreeSet<ObjectKey> {
    let clusters = survey.clusters.iter();
    let objects = clusters.map(|cluster| pairs::objects(survey, cluster, Some(renames)));
    objects.flat_map(pairs::Objects::into_keys).collect()
}

fn listed(pair: &Pair<usize>, sides: ClusterSides<'_>, changed: bool) -> ComparedCluster {
    let name = |side: Option<&crate::lint::SurveyedCluster>| side.map(|one| one.name.clone());
    let (old, new) = (name(sides.before), name(sides.after));
    let shown = sides.after.or(sides.before);
    ComparedCluster {
        name: new.clone().or(old.clone()).unwrap_or_default(),
        before: old.filter(|old| new.as_ref().is_some_and(|new| new != old)),
        side: match (pair.before, pair.after) {
            (Some(_), None) => Presence::Removed,
            (None, Some(_)) => Presence::Added,
            _ => Presence::Both,
        },
        changed,
        workloads: shown.map_or(0, |one| one.workloads.len()),
    }
}

fn sort(found: &mut Difference) {
    found
        .clusters
        .sort_by(|one, other| one.name.cmp(&other.name));
    found.placement.sort_by_cached_key(|one| {
        let object = &one.object;
        (
            one.effect,
            one.cluster.clone(),
            object.namespace.clone(),
            object.kind.clone(),
            object.name.clone(),
            one.after.place.clone(),
        )
    });
    found.pools.sort_by(|one, other| {
        let key =
            |of: &crate::finding::PoolDifference| (of.cluster.clone(), of.pool.clone(), of.change);
        key(one).cmp(&key(other))
    });
    found
        .tenancies
        .sort_by(|one, other| (&one.cluster, &one.pool).cmp(&(&other.cluster, &other.pool)));
}
