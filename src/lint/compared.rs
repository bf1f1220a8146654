//! Which pools a shape is compared with one by one, and what is known of the other pools without that.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::by_key::ByKey;
use super::plain::Plain;
use super::search::ClusterFacts;
use crate::model::node_pool::NodePool;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::toleration::Toleration;
use crate::model::workload::PodShape;

/// What is known of the pools that a shape is not compared with.
#[derive(Clone)]
enum Others {
    /// Its pods land there as pods do that select nothing and tolerate nothing.
    Plain(Arc<Plain>),
    /// It selects none of them.
    NotSelected {
        plain: Arc<Plain>,
        by_key: Arc<ByKey>,
    },
    /// There are none.
    None,
}

/// The pools that a shape is compared with.
#[derive(Clone)]
pub struct Compared {
    /// In order.
    pub pools: Vec<usize>,
    others: Others,
}

impl Compared {
    /// The pools to compare a shape with. The others are those that it certainly does not select, or, if it selects nothing, those
    /// whose taints it certainly does not tolerate.
    pub fn with(
        cluster: &ClusterFacts<'_>,
        shape: &PodShape,
        tolerations: &[Toleration],
    ) -> Compared {
        if let Some(plain) = with_plain(cluster, shape, tolerations) {
            return plain;
        }
        // A pod with `nodeName` bypasses the scheduler.
        let selectable = match shape.node_name.is_absent() {
            true => cluster.selectable(&shape.selection),
            false => None,
        };
        match selectable {
            Some(pools) => Compared {
                pools,
                others: Others::NotSelected {
                    plain: Arc::clone(cluster.plain()),
                    by_key: Arc::clone(&cluster.by_key),
                },
            },
            None => Compared {
                pools: (0..cluster.models.len()).collect(),
                others: Others::None,
            },
        }
    }

    fn is_other(&self, pool: usize) -> bool {
        self.pools.binary_search(&pool).is_err()
    }

    /// The pools beside these where the pods land, or may land, in order.
    pub fn other_possible(&self) -> impl Iterator<Item = usize> {
        let possible = match &self.others {
            Others::Plain(plain) => &plain.possible[..],
            Others::NotSelected { .. } | Others::None => &[],
        };
        let possible = possible.iter().copied();
        possible.filter(|pool| self.is_other(*pool))
    }

    /// Why the pods do not land on the other pools, in order.
    pub fn other_refusals(
        &self,
        shape: &PodShape,
        models: &[Arc<NodePool>],
        comparison_operators: bool,
    ) -> impl Iterator<Item = (usize, Reason)> {
        let (plain, unselected) = match &self.others {
            Others::None => (&[][..], &[][..]),
            Others::Plain(plain) => (&plain.refusals[..], &[][..]),
            Others::NotSelected { .. } => (&[][..], models),
        };
        let tolerations = shape.all_tolerations();
        let refused = move |(at, pool): (usize, &Arc<NodePool>)| {
            Some((
                at,
                refusal(shape, &tolerations, pool, comparison_operators)?,
            ))
        };
        let unselected = unselected.iter().enumerate();
        let unselected = unselected.filter(|(at, _)| self.is_other(*at));
        let plain = plain.iter().copied().filter(|(at, _)| self.is_other(*at));
        plain.chain(unselected.filter_map(refused))
    }

    /// The first of the other pools, at most so many, that the pods do not land on for something else than a taint, in order.
    pub fn other_unmatched(
        &self,
        shape: &PodShape,
        models: &[Arc<NodePool>],
        comparison_operators: bool,
        most: usize,
    ) -> Vec<(usize, Reason)> {
        let is_unmatched = |(_, reason): &(usize, Reason)| !matches!(reason, Reason::Taint(_));
        let tolerations = shape.all_tolerations();
        let known = match &self.others {
            Others::NotSelected { plain, by_key } => {
                tolerated(by_key, shape, &tolerations).map(|tolerated| (&plain.open, tolerated))
            }
            Others::Plain(_) | Others::None => None,
        };
        let Some((open, tolerated)) = known else {
            let all = self.other_refusals(shape, models, comparison_operators);
            return all.filter(is_unmatched).take(most).collect();
        };
        let first = |pools: &[usize]| {
            let others = pools.iter().filter(|pool| self.is_other(**pool));
            let refused = others.filter_map(|at| {
                let pool = models.get(*at)?;
                Some((
                    *at,
                    refusal(shape, &tolerations, pool, comparison_operators)?,
                ))
            });
            let unmatched = refused.filter(is_unmatched).take(most);
            unmatched.collect::<Vec<_>>()
        };
        let mut found = first(open);
        found.extend(first(&tolerated));
        found.sort_unstable_by_key(|(at, _)| *at);
        found.dedup_by_key(|(at, _)| *at);
        found.truncate(most);
        found
    }
}

/// Why the pods do not land on a pool.
fn refusal(
    shape: &PodShape,
    tolerations: &[Toleration],
    pool: &NodePool,
    comparison_operators: bool,
) -> Option<Reason> {
    if shape.gets_none_of(pool) {
        return Some(Reason::Affinity);
    }
    let pod = shape.candidate(tolerations);
    match place(&pod, pool, Moment::Lasting, comparison_operators) {
        Placement::Refused(reason) => Some(reason),
        Placement::Lands | Placement::Unknown(_) => None,
    }
}

/// The pools with a taint that an entry may match, in order. `None` if that may be any.
fn tolerated(by_key: &ByKey, shape: &PodShape, tolerations: &[Toleration]) -> Option<Vec<usize>> {
    let mut keys = tolerations.iter().map(|entry| entry.key.text());
    let named = keys.all(|key| key.is_some_and(|key| !key.is_empty()));
    if !named || shape.unread_tolerations.is_some() {
        return None;
    }
    let entries = tolerations.iter();
    let matched = entries.flat_map(|entry| by_key.that_may_match(entry));
    let pools: BTreeSet<usize> = matched.map(|(pool, _)| pool).collect();
    Some(pools.into_iter().collect())
}

/// For pods that select nothing, the pools with a taint that a toleration may match, and those that take no new pods. `None` for
/// other pods.
fn with_plain(
    cluster: &ClusterFacts<'_>,
    shape: &PodShape,
    tolerations: &[Toleration],
) -> Option<Compared> {
    if !shape.selection.is_empty() || !shape.node_name.is_absent() {
        return None;
    }
    let tolerated = tolerated(&cluster.by_key, shape, tolerations)?;
    let plain = cluster.plain();
    let unknown = cluster.by_key.unknown().iter().map(|(pool, _)| *pool);
    let mut pools: BTreeSet<usize> = tolerated.into_iter().chain(unknown).collect();
    pools.extend(&plain.cordoned);
    Some(Compared {
        pools: pools.into_iter().collect(),
        others: Others::Plain(Arc::clone(plain)),
    })
}
