//! What a tree that was put together from values knows beyond one that was read from a text.

use std::collections::BTreeMap;

use crate::source::Span;

/// Places and reasons, by the index of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// The place of each node.
    pub spans: Vec<Span>,
    /// Why a node's value is unknown.
    pub unknown: BTreeMap<u32, Box<str>>,
}
