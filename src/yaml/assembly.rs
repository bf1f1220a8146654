//! Additional data of a tree that is built from values or from an assembled text instead of being parsed from a file.

use std::collections::BTreeMap;

use super::pieces::Pieces;
use crate::source::Span;

/// Places and reasons, by the index of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    /// The place of each node; empty if the tree was parsed from one text.
    pub spans: Vec<Span>,
    /// Why a node's value is unknown.
    pub unknown: BTreeMap<u32, Box<str>>,
    /// Assembled texts, by the index of a node.
    pub texts: BTreeMap<u32, Box<Pieces>>,
}
