//! A node pool with its file, and what is known about where it is listed and delivered.

use std::sync::Arc;

use jiff::civil::Date;
use thin_vec::ThinVec;

use crate::inventory;
use crate::model::node_pool::NodePool;
use crate::source::SourceId;

/// A pool and its file.
#[derive(Debug)]
pub struct PlacedPool {
    /// The pool.
    pub pool: Arc<NodePool>,
    /// Its file.
    pub source: SourceId,
    /// Whether it is declared in the kubetaint configuration.
    pub configured: bool,
    /// Its entry, if it is listed in an inventory.
    pub listed: Option<inventory::Pool>,
    /// Whether its file lists all pools of its cluster.
    pub lists_all: bool,
    /// What identifies its nodes, if it was read from a dump of them: the key and value of a label, or the kind and name of
    /// the object that made their machines.
    pub named_by: Option<(String, String)>,
    /// The day on which its nodes last reported their state, if it was inferred from a dump of them.
    pub seen: Option<Date>,
    /// The clusters of the graph that get it in this form. Empty if its file says where it is.
    pub delivered_to: ThinVec<u32>,
}

impl PlacedPool {
    /// A pool of a file, of which nothing else is known.
    pub fn new(pool: NodePool, source: SourceId) -> PlacedPool {
        PlacedPool {
            pool: Arc::new(pool),
            source,
            configured: false,
            listed: None,
            lists_all: false,
            named_by: None,
            seen: None,
            delivered_to: ThinVec::new(),
        }
    }
}
