//! Reads JSON into trees. Only for what the program itself carries: files of a repository are read by the YAML parser, which
//! keeps their places.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::node::{Document, NodeId};
use super::tree::{Leaf, TreeBuilder};
use crate::source::{SourceId, Span};

/// Parses a JSON text. A node's place is its number in the order of the text.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub(super) fn parse(text: &str, id: SourceId) -> Result<Document, serde_json::Error> {
    let mut reading = Reading {
        tree: TreeBuilder::default(),
        id,
        count: 0,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let root = reading.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(reading.tree.finish(root))
}

struct Reading {
    tree: TreeBuilder,
    id: SourceId,
    /// The number of places so far.
    count: usize,
}

impl Reading {
    fn place(&mut self) -> Span {
        self.count += 1;
        Span::new(self.id, self.count..self.count)
    }

    fn plain(&mut self, text: &str) -> NodeId {
        let at = self.place();
        self.tree.scalar(Leaf::Plain(text), at)
    }
}

impl<'de> DeserializeSeed<'de> for &mut Reading {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Reading {
    type Value = NodeId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<NodeId, E> {
        Ok(self.plain("null"))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<NodeId, E> {
        Ok(self.plain(if value { "true" } else { "false" }))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<NodeId, E> {
        Ok(self.plain(&value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<NodeId, E> {
        Ok(self.plain(&value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<NodeId, E> {
        Ok(self.plain(&value.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NodeId, E> {
        let at = self.place();
        Ok(self.tree.scalar(Leaf::Text(text), at))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<NodeId, A::Error> {
        let at = self.place();
        let mut items = Vec::new();
        while let Some(item) = all.next_element_seed(&mut *self)? {
            items.push(item);
        }
        Ok(self.tree.sequence(&items, at))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<NodeId, A::Error> {
        let at = self.place();
        let mut fields = Vec::new();
        while let Some(key) = all.next_key_seed(&mut *self)? {
            fields.push((key, all.next_value_seed(&mut *self)?));
        }
        Ok(self.tree.mapping(&fields, at))
    }
}
