//! Pools that get their first workload or lose their last one. DaemonSets run everywhere and do not count.

use std::collections::BTreeSet;

use super::judge::Judge;
use super::stand::{Surveys, of_side};
use crate::finding::{Effect, PlacementEffect, Tenancy};
use crate::lint::SurveyedCluster;

/// The pools of a cluster that are used now and were not, or the reverse, as far as a change has an effect there.
pub(super) fn find(
    placement: &[PlacementEffect],
    (surveys, judge): (Surveys<'_>, &Judge<'_>),
    clusters: (&SurveyedCluster, &SurveyedCluster),
) -> Vec<Tenancy> {
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    for one in placement {
        let sides = [&one.before.lands, &one.after.lands];
        let [old, new] = sides.map(|all| all.iter().collect::<BTreeSet<_>>());
        touched.extend(old.symmetric_difference(&new).map(|name| name.as_str()));
    }
    let is_used = |pool: &str, is_after: bool| {
        let survey = of_side(&surveys, is_after);
        let cluster = of_side(&clusters, is_after);
        let own = cluster.workloads.iter();
        let mut own = own.filter_map(|at| survey.workloads().get(*at));
        own.any(|one| one.shape.kind != "DaemonSet" && judge.lands_on(is_after, &one.shape, pool))
    };
    let is_unknown = |pool: &str| {
        let mut unknown = placement.iter();
        unknown.any(|one| {
            one.effect == Effect::Unknown && one.before.lands.iter().any(|own| own == pool)
        })
    };
    let told = touched.into_iter().filter_map(|pool| {
        let (old, new) = (is_used(pool, false), is_used(pool, true));
        (old != new && !is_unknown(pool)).then(|| Tenancy {
            pool: pool.to_owned(),
            cluster: clusters.1.name.clone(),
            is_used: new,
        })
    });
    told.collect()
}
