//! Pools that get their first workload or lose their last one. DaemonSets run everywhere and do not count.

use std::collections::{BTreeSet, HashSet};

use super::judge::Judge;
use super::stand::{Surveys, of_side};
use crate::finding::{Effect, PlacementEffect, Tenancy};
use crate::lint::SurveyedCluster;
use crate::model::workload::PodShape;

/// The pools of a cluster that are used now and were not, or the reverse, as far as a change has an effect there.
pub(super) fn find<'s>(
    placement: &[PlacementEffect],
    (surveys, judge): (Surveys<'s>, &Judge<'s>),
    clusters: (&'s SurveyedCluster, &'s SurveyedCluster),
) -> Vec<Tenancy> {
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    for one in placement {
        let sides = [&one.before.lands, &one.after.lands];
        let [old, new] = sides.map(|all| all.iter().collect::<BTreeSet<_>>());
        touched.extend(old.symmetric_difference(&new).map(|name| name.as_str()));
    }
    if touched.is_empty() {
        return Vec::new();
    }
    let used = |is_after: bool| {
        let (survey, cluster) = (of_side(&surveys, is_after), of_side(&clusters, is_after));
        let own = cluster.workloads.iter();
        let own = own.filter_map(|at| survey.workloads().get(*at));
        let shapes: HashSet<&PodShape> = own.map(|one| &*one.shape).collect();
        let counted = shapes.into_iter().filter(|one| one.kind != "DaemonSet");
        judge.landed_on(is_after, counted, &touched)
    };
    let (old, new) = (used(false), used(true));
    let in_doubt = placement.iter().filter(|one| one.effect == Effect::Unknown);
    let in_doubt = in_doubt.flat_map(|one| &one.before.lands);
    let in_doubt: HashSet<&str> = in_doubt.map(String::as_str).collect();
    let changed = old.symmetric_difference(&new);
    let told = changed.filter(|pool| !in_doubt.contains(*pool));
    told.map(|pool| Tenancy {
        pool: (*pool).to_owned(),
        cluster: clusters.1.name.clone(),
        is_used: new.contains(pool),
    })
    .collect()
}
