//! Which pools a shape is compared with one by one, and what is known of the other pools without that.

use std::collections::BTreeSet;
use std::sync::Arc;

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
    NotSelected,
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
                others: Others::NotSelected,
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
            Others::NotSelected | Others::None => &[],
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
            Others::NotSelected => (&[][..], models),
        };
        let tolerations = shape.all_tolerations();
        let refused = move |(at, pool): (usize, &Arc<NodePool>)| {
            if shape.gets_none_of(pool) {
                return Some((at, Reason::Affinity));
            }
            let pod = shape.candidate(&tolerations);
            match place(&pod, pool, Moment::Lasting, comparison_operators) {
                Placement::Refused(reason) => Some((at, reason)),
                Placement::Lands | Placement::Unknown(_) => None,
            }
        };
        let unselected = unselected.iter().enumerate();
        let unselected = unselected.filter(|(at, _)| self.is_other(*at));
        let plain = plain.iter().copied().filter(|(at, _)| self.is_other(*at));
        plain.chain(unselected.filter_map(refused))
    }
}

/// For pods that select nothing, the pools with a taint that a toleration may match, and those that take no new pods. `None` for
/// other pods.
fn with_plain(
    cluster: &ClusterFacts<'_>,
    shape: &PodShape,
    tolerations: &[Toleration],
) -> Option<Compared> {
    let is_plain = shape.selection.is_empty()
        && shape.node_name.is_absent()
        && shape.unread_tolerations.is_none();
    let mut keys = tolerations.iter().map(|entry| entry.key.text());
    if !is_plain || !keys.all(|key| key.is_some_and(|key| !key.is_empty())) {
        return None;
    }
    let plain = cluster.plain();
    let matched = tolerations
        .iter()
        .flat_map(|entry| cluster.by_key.that_may_match(entry));
    let unknown = cluster.by_key.unknown().iter().copied();
    let mut pools: BTreeSet<usize> = matched.chain(unknown).map(|(pool, _)| pool).collect();
    pools.extend(&plain.cordoned);
    Some(Compared {
        pools: pools.into_iter().collect(),
        others: Others::Plain(Arc::clone(plain)),
    })
}
