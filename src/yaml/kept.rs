//! Finds what go-yaml keeps of a document: of several values of one key, also by `<<`, only the last one.

use std::collections::HashMap;

use super::node::{Document, Kind, Node, NodeId, NodeSet};
use super::scalar::Scalar;

/// The nodes of a document that become part of its JSON.
pub(super) struct Kept {
    keys: NodeSet,
    values: NodeSet,
}

impl Kept {
    /// Visits every kept node once. Merged mappings are visited once for each `<<`, which is no more than aliases may expand a
    /// document to.
    pub fn of(document: &Document) -> Self {
        let mut kept = Kept {
            keys: NodeSet::new(document),
            values: NodeSet::new(document),
        };
        let mut open = vec![document.root()];
        while let Some(node) = open.pop() {
            if !kept.values.insert(node.id()) {
                continue;
            }
            if node.kind() != Kind::Mapping {
                open.extend(node.items());
                continue;
            }
            let mut last = HashMap::new();
            for field in node.assignments(usize::MAX) {
                // The first of several equal keys stays, but they are equal.
                kept.keys.insert(field.key.written_id());
                match Key::of(field.key) {
                    Some(key) => drop(last.insert(key, field.value)),
                    None => open.push(field.value),
                }
            }
            open.extend(last.into_values());
        }
        kept
    }

    /// Whether a node is a key that is kept. Takes the node that is written there, which may be an alias.
    pub fn has_key(&self, node: NodeId) -> bool {
        self.keys.contains(node)
    }

    /// Whether a node is a value that is kept, or an alias to it is.
    pub fn has_value(&self, node: NodeId) -> bool {
        self.values.contains(node)
    }
}

/// A key by which go-yaml finds values. Keys of two types differ, even if the same text is made of them later.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Null,
    Bool(bool),
    Int(i64),
    BigInt(&'a str),
    /// By its bits.
    Float(u64),
    Str(&'a str),
}

impl<'a> Key<'a> {
    /// Returns `None` for a key that equals no other.
    fn of(node: Node<'a>) -> Option<Key<'a>> {
        Some(match node.scalar()? {
            Scalar::Null => Key::Null,
            Scalar::Bool(value) => Key::Bool(value),
            Scalar::Int(value) => Key::Int(value),
            Scalar::BigInt => Key::BigInt(node.raw()?),
            Scalar::Float(value) if value.is_nan() => return None,
            // A negative zero has become `-0`, which is read as zero.
            Scalar::Float(value) => Key::Float(value.to_bits()),
            Scalar::Str(text) => Key::Str(text),
        })
    }
}
