//! What a change does in a cluster, for rules of scope `change`.

use std::rc::Rc;
use std::sync::Arc;

use super::survey::SurveyedCluster;
use crate::finding::Effect;
use crate::model::node_pool::NodePool;
use crate::model::workload::Workload;

/// What a change does in a cluster.
#[derive(Debug)]
pub struct ClusterChange<'s> {
    /// Its name.
    pub name: &'s str,
    /// The cluster after.
    pub after: Option<&'s SurveyedCluster>,
    /// Whether the configuration names it.
    pub is_configured: bool,
    /// Whether all its pools are known, on both sides.
    pub complete: bool,
    /// The workloads that are new, that differ, or that gain or lose pools.
    pub workloads: Vec<WorkloadChange<'s>>,
    /// The pools that are new, differ or are gone.
    pub pools: Vec<PoolSides>,
}

/// A pool before and after.
pub type PoolSides = (Option<Arc<NodePool>>, Option<Arc<NodePool>>);

/// A workload that a change does something to.
#[derive(Debug)]
pub struct WorkloadChange<'s> {
    /// `None` if it is new.
    pub before: Option<&'s Workload>,
    /// After.
    pub after: &'s Workload,
    /// What the change does to its pods.
    pub effect: Option<Effect>,
    /// Where its pods can run.
    pub shift: Rc<Shift>,
}

/// Where pods can run before and after a change, by names of pools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    /// Where they certainly could run.
    pub before: Vec<String>,
    /// Where they certainly can run.
    pub after: Vec<String>,
    /// Where they certainly can run, and certainly could not before.
    pub gained: Vec<String>,
    /// Where they certainly could run, and certainly cannot any more.
    pub lost: Vec<String>,
}
