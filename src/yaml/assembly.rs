//! What a tree that comes from values, or from a text that was put together, knows beyond one that was read from a file.

use std::collections::BTreeMap;

use super::pieces::Pieces;
use crate::source::Span;

/// Places and reasons, by the index of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// The place of each node; empty where the tree was read from one text.
    pub spans: Vec<Span>,
    /// Why a node's value is unknown.
    pub unknown: BTreeMap<u32, Box<str>>,
    /// Texts that were put together, by the index of a node.
    pub texts: BTreeMap<u32, Box<Pieces>>,
}
