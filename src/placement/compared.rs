//! What a change does in one cluster, for people and for rules.

use super::pool_pairs::ClusterSides;
use crate::finding::{PlacementEffect, PoolDifference, Tenancy};
use crate::lint::{ClusterChange, PoolSides, WorkloadChange};

/// What a change does in one cluster.
#[derive(Debug, Default)]
pub(super) struct Compared<'s> {
    pub(super) placement: Vec<PlacementEffect>,
    pub(super) pools: Vec<PoolDifference>,
    pub(super) tenancies: Vec<Tenancy>,
    /// What rules may look at.
    pub(super) workloads: Vec<WorkloadChange<'s>>,
    pub(super) changed_pools: Vec<PoolSides>,
}

impl<'s> Compared<'s> {
    /// Whether it changes anything.
    pub(super) fn changes(&self) -> bool {
        !(self.placement.is_empty() && self.pools.is_empty())
    }

    /// Takes out what rules may look at.
    pub(super) fn take_change(
        &mut self,
        sides: ClusterSides<'s>,
        is_configured: bool,
    ) -> ClusterChange<'s> {
        let both = [sides.before, sides.after];
        let shown = sides.after.or(sides.before);
        ClusterChange {
            name: shown.map_or("", |cluster| &cluster.name),
            after: sides.after,
            is_configured,
            complete: both.iter().flatten().all(|cluster| cluster.complete),
            workloads: std::mem::take(&mut self.workloads),
            pools: std::mem::take(&mut self.changed_pools),
        }
    }
}
