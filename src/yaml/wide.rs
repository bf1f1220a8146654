//! The fields of wide mappings by name: many files are one wide mapping, and many things look for fields in it.

use std::collections::HashMap;

use super::node::{Document, Field, Kind, Node, NodeId, WIDE_FIELDS};

/// For each wide mapping of a document, the position of the last field with each name.
#[derive(Clone, Debug, Default)]
pub(super) struct Wide(HashMap<NodeId, HashMap<Box<str>, usize>>);

impl Wide {
    /// The wide mappings of a document.
    pub(super) fn of(document: &Document) -> Wide {
        let ids = (0..document.nodes.len()).filter_map(|at| u32::try_from(at).ok());
        let nodes = ids.map(|id| document.at(NodeId(id)));
        let wide = nodes.filter(|node| {
            let is_mapping = !node.is_alias() && node.kind() == Kind::Mapping;
            is_mapping && node.edges().len() > WIDE_FIELDS
        });
        Wide(wide.map(|node| (node.id(), positions(node))).collect())
    }

    /// The last field of a mapping with a name.
    pub(super) fn field<'a>(&self, node: Node<'a>, name: &str) -> Option<Field<'a>> {
        let at = self.0.get(&node.id())?.get(name)?;
        let edges = node.edges().get(2 * at..)?;
        match edges {
            [key, value, ..] => Some(Field {
                key: node.document().at(*key),
                value: node.document().at(*value),
            }),
            _ => None,
        }
    }
}

fn positions(node: Node<'_>) -> HashMap<Box<str>, usize> {
    let fields = node.written_fields().enumerate();
    let named = fields.filter_map(|(at, field)| Some((Box::from(field.name()?), at)));
    named.collect()
}
