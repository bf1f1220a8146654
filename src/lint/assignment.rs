//! Clusters with their pools, and the workloads of each.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "clusters are numbered by the assignment that holds them"
    )
)]

/// A set of pools that serve some workloads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// Name, unless only folders show it.
    pub name: Option<String>,
    /// Whether the configuration names it.
    pub configured: bool,
    /// Whether there are no other pools than these. Their taints need not all be known: whatever a pool leaves open is taken
    /// into account where a question depends on it.
    pub complete: bool,
    /// Indices of its pools.
    pub pools: Vec<usize>,
    /// Indices of the hints from commands about its nodes.
    pub hints: Vec<usize>,
    /// Indices of pools that may also belong to it, but are farther from its workloads.
    pub beside: Vec<usize>,
}

/// All clusters, and the clusters of each workload. A workload has several if configured clusters share files.
pub struct Assignment {
    /// Distinct clusters, in a stable order.
    pub clusters: Vec<Cluster>,
    /// The workloads of each cluster, in order.
    pub(super) members: Vec<Vec<usize>>,
    /// The index of each workload's set. Workloads with the same index are in the same clusters.
    pub of_workload: Vec<usize>,
}

impl Assignment {
    /// The workloads of a cluster, in order.
    pub fn members(&self, cluster: usize) -> &[usize] {
        &self.members[cluster]
    }
}
