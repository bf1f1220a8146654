//! Where pods land in a cluster that select nothing and tolerate nothing: where most pods land, found once.

use std::sync::Arc;

use crate::model::Field;
use crate::model::node_pool::NodePool;
use crate::model::node_selection::NodeSelection;
use crate::model::placement::{Candidate, Moment, Placement, Reason, place};

/// Where pods land that select nothing and tolerate nothing.
#[derive(Debug)]
pub struct Plain {
    /// The pools where they land, or may land, in order.
    pub(super) possible: Vec<usize>,
    /// The others, in order.
    pub(super) refusals: Vec<(usize, Reason)>,
    /// The pools that take no new pods, in order.
    pub(super) cordoned: Vec<usize>,
    /// The pools that may refuse a pod for something else than a taint, even if no toleration of it matches one of theirs.
    pub(super) open: Vec<usize>,
}

impl Plain {
    /// Compares such a pod with all pools.
    pub fn of(pools: &[Arc<NodePool>], comparison_operators: bool) -> Plain {
        let nothing = Candidate {
            selection: &NodeSelection::default(),
            node_name: &Field::Absent,
            tolerations: &[],
            tolerations_known: true,
        };
        let mut found = Plain {
            possible: Vec::new(),
            refusals: Vec::new(),
            cordoned: Vec::new(),
            open: Vec::new(),
        };
        for (at, pool) in pools.iter().enumerate() {
            if pool.unschedulable {
                found.cordoned.push(at);
            }
            let placement = place(&nothing, pool, Moment::Lasting, comparison_operators);
            if pool.made_on_demand || !matches!(placement, Placement::Refused(Reason::Taint(_))) {
                found.open.push(at);
            }
            match placement {
                Placement::Refused(reason) => found.refusals.push((at, reason)),
                Placement::Lands | Placement::Unknown(_) => found.possible.push(at),
            }
        }
        found
    }
}
