//! Whether a pod can be scheduled on a pool's nodes, according to labels, taints and names. This is the only definition of
//! "can land"; it follows the scheduler's order of filters and uses its words.

use std::collections::BTreeSet;

use super::node_pool::{NodePool, passes};
use super::node_selection::NodeSelection;
use super::taint::{Effect, Taint};
use super::toleration::{Toleration, tolerate};
use super::{Field, Truth};

/// The properties of a pod that the scheduler evaluates.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'p> {
    /// The nodes that it selects.
    pub selection: &'p NodeSelection,
    /// `nodeName`. If set, the scheduler is bypassed; a scheduler that runs anyway accepts no other node.
    pub node_name: &'p Field<String>,
    /// All tolerations of the pod, including added ones.
    pub tolerations: &'p [Toleration],
    /// The list is complete. Otherwise, an untolerated taint proves nothing.
    pub tolerations_known: bool,
}

/// Which taints and cordons to consider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// All that the nodes have at this moment, as the scheduler sees them.
    Now,
    /// The permanent ones: startup taints, keys that come and go with a node's state, and cordons do not keep pods away for
    /// good. A cordoned node is unknown unless the cordon is tolerated.
    Lasting,
}

/// Whether a pod can be scheduled on a pool's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// All filters accept it.
    Lands,
    /// The first of the filters that certainly reject it. The result of an earlier filter may be unknown.
    Refused(Reason),
    /// Unknown, with the reason.
    Unknown(String),
}

/// Why the scheduler rejects a node, in the order of its filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// NodeUnschedulable: the node is cordoned.
    Unschedulable,
    /// NodeName: the pod is for another node.
    NodeName,
    /// TaintToleration: the index in [`NodePool::taints`] of the first hard taint that is not tolerated.
    Taint(usize),
    /// NodeAffinity: node selector or required node affinity excludes the node.
    Affinity,
}

impl Reason {
    /// Returns the scheduler's message, as in the events of a Pending pod.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Unschedulable => "node(s) were unschedulable",
            Reason::NodeName => "node(s) didn't match the requested node name",
            Reason::Taint(_) => "node(s) had untolerated taint(s)",
            Reason::Affinity => "node(s) didn't match Pod's node affinity/selector",
        }
    }
}

/// The results of the filters so far.
struct Filters {
    refused: Option<Reason>,
    open: Option<String>,
}

impl Filters {
    fn refuse(&mut self, reason: Reason) {
        self.refused.get_or_insert(reason);
    }

    fn leave_open(&mut self, why: impl FnOnce() -> String) {
        self.open.get_or_insert_with(why);
    }
}

/// Whether the pod can be scheduled on the pool's nodes. `comparison_operators` is the feature gate
/// `TaintTolerationComparisonOperators`.
pub fn place(
    pod: &Candidate<'_>,
    pool: &NodePool,
    moment: Moment,
    comparison_operators: bool,
) -> Placement {
    let mut filters = Filters {
        refused: None,
        open: None,
    };
    let cordon = Taint::new("node.kubernetes.io/unschedulable", "", Effect::NoSchedule);
    let passes_cordon = || tolerate(pod.tolerations, &cordon, comparison_operators);
    if pool.unschedulable {
        match passes_cordon() {
            Truth::Yes => {}
            Truth::No if moment == Moment::Now && pod.tolerations_known => {
                filters.refuse(Reason::Unschedulable);
            }
            Truth::No | Truth::Unknown => {
                filters.leave_open(|| format!("node {} is cordoned", pool.name));
            }
        }
    }
    match (pod.node_name, pool.node_name()) {
        (Field::Is(wanted), Some(name)) if wanted == name => {}
        (Field::Is(wanted), Some(_)) if !wanted.is_empty() => filters.refuse(Reason::NodeName),
        (Field::Is(wanted), None) if !wanted.is_empty() => {
            filters.leave_open(|| format!("{wanted} may be a node of pool {}", pool.name))
        }
        (Field::Unknown, _) => {
            filters
                .leave_open(|| "the node name that the pod asks for could not be read".to_owned());
        }
        (Field::Absent | Field::Is(_), _) => {}
    }
    taints(pod, pool, moment, comparison_operators, &mut filters);
    match pod.selection.selects(&pool.labels, pool.node_name()) {
        Truth::Yes => {}
        Truth::No => filters.refuse(Reason::Affinity),
        Truth::Unknown => filters.leave_open(|| {
            format!(
                "whether pool {} is selected depends on labels or values that could not be read",
                pool.name
            )
        }),
    }
    match (filters.refused, filters.open) {
        (Some(reason), _) => Placement::Refused(reason),
        (None, Some(why)) => Placement::Unknown(why),
        (None, None) => Placement::Lands,
    }
}

/// Whether the pod tolerates whatever taint the pool may have, and the pool exists.
fn tolerates_anything(pod: &Candidate<'_>, pool: &NodePool, comparison_operators: bool) -> bool {
    let may_not_exist = pool.open_keys.as_ref().is_some_and(BTreeSet::is_empty);
    let any = Taint {
        key: Field::Unknown,
        value: Field::Unknown,
        effect: Field::Unknown,
    };
    !may_not_exist && tolerate(pod.tolerations, &any, comparison_operators) == Truth::Yes
}

fn taints(
    pod: &Candidate<'_>,
    pool: &NodePool,
    moment: Moment,
    comparison_operators: bool,
    filters: &mut Filters,
) {
    let mut judge =
        |at: usize, taint: &Taint| match passes(pod.tolerations, taint, comparison_operators) {
            Truth::Yes => {}
            Truth::No if pod.tolerations_known => filters.refuse(Reason::Taint(at)),
            Truth::No => filters.leave_open(|| {
                format!(
                    "some tolerations are unknown, and none of the known ones tolerates {taint}"
                )
            }),
            Truth::Unknown => filters.leave_open(|| {
                format!("whether {taint} is tolerated depends on a value that could not be read")
            }),
        };
    match moment {
        Moment::Now => {
            for (at, taint) in pool.taints.iter().enumerate() {
                judge(at, &taint.taint);
            }
        }
        Moment::Lasting => {
            for (at, taint) in pool.lasting_taints() {
                judge(at, &taint.taint);
            }
        }
    }
    if !pool.complete && !tolerates_anything(pod, pool, comparison_operators) {
        filters.leave_open(|| {
            pool.incomplete_because
                .clone()
                .unwrap_or_else(|| format!("pool {} has unknown taints", pool.name))
        });
    }
}
