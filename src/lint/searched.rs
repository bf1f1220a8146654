//! The result of searching a cluster's pools for a pod shape: where its pods can run, and why not elsewhere.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::compared::Compared;
use super::facts;
use super::search::{ClusterFacts, keys};
use super::testimony::Testimony;
use super::undeclared::undeclared;
use crate::model::Truth;
use crate::model::node_pool::NodePool;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::toleration::{Toleration, tolerate};
use crate::model::workload::PodShape;
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// The most pools that are listed because a pod's selection keeps it off them.
const UNMATCHED: usize = 100;

/// The result of searching the cluster's pools for a shape, for scope workload, with the testimony of others.
pub fn search(cluster: &ClusterFacts<'_>, shape: &Arc<PodShape>, testimony: &Testimony) -> Fact {
    let whole = cluster.shape(shape);
    let shape = &shape.as_read().map_or_else(|| Arc::clone(shape), Arc::new);
    let tolerations = shape.all_tolerations();
    let asks = !shape.selection.is_empty();
    let (mut selected, mut chosen) = (Vec::new(), Vec::new());
    let (mut possible, mut doubtful) = (Vec::new(), Vec::new());
    let mut possible_hints: Vec<Fact> = Vec::new();
    let (mut blocked, mut refusals): (Vec<Fact>, Vec<(usize, Reason)>) = (Vec::new(), Vec::new());
    let mut partly: Vec<Partly> = Vec::new();
    let compared = Compared::with(cluster, shape, &tolerations);
    for &at in &compared.pools {
        let pool = &cluster.models[at];
        // A pod with `nodeName` bypasses the scheduler.
        if !shape.node_name.is_absent() {
            possible.push(at);
            continue;
        }
        if shape.gets_none_of(pool) {
            refusals.push((at, Reason::Affinity));
            continue;
        }
        let selects = shape.selection.selects(&pool.labels, None);
        let placement = place(
            &shape.candidate(&tolerations),
            pool,
            Moment::Lasting,
            cluster.comparison_operators,
        );
        if let Placement::Refused(reason) = placement {
            refusals.push((at, reason));
        }
        let certain = asks
            && (selects == Truth::Yes
                || shape.selection.selects_kind(&pool.labels, None) == Truth::Yes);
        if certain {
            selected.push(cluster.pools[at].clone());
            chosen.push(at);
        }
        match placement {
            Placement::Lands | Placement::Unknown(_) => {
                possible.push(at);
                doubtful.extend(matches!(placement, Placement::Unknown(_)).then_some(at));
            }
            Placement::Refused(Reason::Taint(taint)) if selects != Truth::No => {
                if certain {
                    blocked.push(
                        FactBuilder::new(FactKind::Blocked)
                            .fact("pool", &cluster.pools[at])
                            .fact("taint", &cluster.taints[at][taint])
                            .build(),
                    );
                }
                partly.extend(partly_tolerated(cluster, shape, at, taint));
            }
            Placement::Refused(_) => {}
        }
    }
    let mut hinted = Vec::new();
    for (pool, fact) in cluster.hints.pools() {
        let (pod, gate) = (shape.candidate(&tolerations), cluster.comparison_operators);
        let placement = place(&pod, pool, Moment::Lasting, gate);
        if matches!(placement, Placement::Lands | Placement::Unknown(_)) {
            possible_hints.push(fact.clone());
            hinted.push(pool);
        }
    }
    // A pod with `nodeName` bypasses the scheduler.
    let open_keys = match partly.is_empty() {
        true => BTreeSet::new(),
        false => {
            let open = possible.iter().copied().chain(compared.other_possible());
            let open = open.filter(|_| shape.node_name.is_absent());
            let open = open.map(|at| &cluster.models[at]);
            open.chain(hinted).flat_map(|pool| keys(pool)).collect()
        }
    };
    // A toleration that unlocks one pool is useful even if it does not unlock another.
    partly.retain(|one| {
        let taint = &cluster.models[one.pool].taints[one.tolerated].taint;
        taint
            .key
            .known()
            .is_none_or(|key| !open_keys.contains(key.as_str()))
    });
    let undeclared = undeclared(&cluster.models, shape, &chosen, &doubtful);
    let undeclared = undeclared.into_iter().map(|at| cluster.pools[at].clone());
    let none_possible = possible.is_empty()
        && possible_hints.is_empty()
        && compared.other_possible().next().is_none();
    let chosen: Vec<(usize, &Arc<NodePool>)> = match none_possible {
        true => chosen
            .iter()
            .map(|at| (*at, &cluster.models[*at]))
            .collect(),
        false => Vec::new(),
    };
    let gate = cluster.comparison_operators;
    let means = !chosen.is_empty() && cluster.usage.means(shape, &cluster.own, &chosen, gate);
    let partly: Vec<Fact> = partly.iter().map(|one| partly_fact(cluster, one)).collect();
    let builder = FactBuilder::extend(&whole);
    testimony
        .of_workload(builder, cluster.gathered)
        .bool("meansPools", means)
        .facts("selectedPools", selected)
        .facts_later(
            "possiblePools",
            possible_facts(cluster, possible, possible_hints, compared.clone()),
        )
        .facts("undeclaredPools", undeclared)
        .facts("blockedPools", blocked)
        .facts_later(
            "unmatchedPools",
            unmatched_facts(cluster, &refusals, compared.clone(), Arc::clone(shape)),
        )
        .facts_later(
            "refusals",
            refusal_facts(cluster, refusals, compared, Arc::clone(shape)),
        )
        .facts("partlyToleratedPools", partly)
        .build()
}

/// The facts of these pools, and those of hints, made later.
fn possible_facts(
    cluster: &ClusterFacts<'_>,
    mut possible: Vec<usize>,
    hints: Vec<Fact>,
    compared: Compared,
) -> impl FnOnce() -> Vec<Fact> + Send + 'static {
    let pools = Arc::clone(&cluster.pools);
    move || {
        possible.extend(compared.other_possible());
        possible.sort_unstable();
        let possible = possible.into_iter();
        let possible = possible.filter_map(|at| pools.get(at).cloned());
        possible.chain(hints).collect()
    }
}

/// The facts for these refusals and those of the other pools, made later: pools are many, and few rules ask.
fn refusal_facts(
    cluster: &ClusterFacts<'_>,
    mut refusals: Vec<(usize, Reason)>,
    compared: Compared,
    shape: Arc<PodShape>,
) -> impl FnOnce() -> Vec<Fact> + Send + 'static {
    let (pools, taints) = (Arc::clone(&cluster.pools), Arc::clone(&cluster.taints));
    let models = Arc::clone(&cluster.models);
    let gate = cluster.comparison_operators;
    move || {
        refusals.extend(compared.other_refusals(&shape, &models, gate));
        refusals.sort_unstable_by_key(|(at, _)| *at);
        let refusals = refusals.into_iter();
        let fact = |(at, reason): (usize, Reason)| {
            let (pool, taints) = (pools.get(at)?, taints.get(at)?);
            let model = models.get(at)?;
            Some(facts::refusal_fact(pool, taints, model, reason))
        };
        refusals.filter_map(fact).collect()
    }
}

/// The first refusals without a taint, made later.
fn unmatched_facts(
    cluster: &ClusterFacts<'_>,
    refusals: &[(usize, Reason)],
    compared: Compared,
    shape: Arc<PodShape>,
) -> impl FnOnce() -> Vec<Fact> + Send + 'static {
    let (pools, models) = (Arc::clone(&cluster.pools), Arc::clone(&cluster.models));
    let gate = cluster.comparison_operators;
    let is_unmatched = |(_, reason): &(usize, Reason)| !matches!(reason, Reason::Taint(_));
    let own = refusals.iter().copied().filter(is_unmatched);
    let own: Vec<(usize, Reason)> = own.take(UNMATCHED).collect();
    move || {
        let mut all = compared.other_unmatched(&shape, &models, gate, UNMATCHED);
        all.extend(own);
        all.sort_unstable_by_key(|(at, _)| *at);
        let fact = |(at, reason): (usize, Reason)| {
            let (pool, model) = (pools.get(at)?, models.get(at)?);
            Some(facts::refusal_fact(pool, &[], model, reason))
        };
        all.into_iter().filter_map(fact).take(UNMATCHED).collect()
    }
}

/// The two taints, if a named entry tolerates another hard taint of the pool than the missing one.
fn partly_tolerated(
    cluster: &ClusterFacts<'_>,
    shape: &PodShape,
    pool: usize,
    missing: usize,
) -> Option<Partly> {
    let named: Vec<Toleration> = shape
        .tolerations
        .iter()
        .filter(|entry| entry.key.known().is_some_and(|key| !key.is_empty()))
        .cloned()
        .collect();
    let (tolerated, _) = cluster.models[pool].blocking_taints().find(|(at, taint)| {
        *at != missing && tolerate(&named, &taint.taint, cluster.comparison_operators) == Truth::Yes
    })?;
    Some(Partly {
        pool,
        tolerated,
        missing,
    })
}

fn partly_fact(cluster: &ClusterFacts<'_>, partly: &Partly) -> Fact {
    let taints = &cluster.taints[partly.pool];
    FactBuilder::new(FactKind::PartlyTolerated)
        .fact("pool", &cluster.pools[partly.pool])
        .fact("tolerated", &taints[partly.tolerated])
        .fact("missing", &taints[partly.missing])
        .build()
}

/// Two hard taints of one pool, by index: a tolerated one and one that is not tolerated.
struct Partly {
    pool: usize,
    tolerated: usize,
    missing: usize,
}
