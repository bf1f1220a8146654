//! Values as trees with places, and as the texts that encode them.

use std::borrow::Cow;

use super::value::{Encoding, Term, Value, number_text};
use crate::yaml::{self, Leaf, Pieces, TreeBuilder};

/// A tree of more nodes is not built.
const MAX_NODES: usize = 50_000;

/// Adds a value to a tree. Sharing makes values small that are huge when written out, so the tree is bounded: what does
/// not fit is unknown.
pub(super) fn build(term: &Term, tree: &mut TreeBuilder) -> yaml::NodeId {
    if tree.len() > MAX_NODES {
        return tree.scalar(Leaf::Unknown("the value is too large"), term.at);
    }
    match &term.value {
        Value::Null => tree.scalar(Leaf::Plain("null"), term.at),
        Value::Bool(value) => {
            tree.scalar(Leaf::Plain(if *value { "true" } else { "false" }), term.at)
        }
        Value::Number(number) => tree.scalar(Leaf::Plain(&number_text(*number)), term.at),
        Value::Text(text) => tree.scalar(Leaf::Text(text), term.at),
        Value::Unknown(why) => tree.scalar(Leaf::Unknown(why), term.at),
        // Readers want what the text says.
        Value::Encoded(inner, _) => build(inner, tree),
        Value::Filled(filled) => tree.pieced(&filled.pieces, term.at),
        Value::List(list) => {
            let mut items: Vec<_> = list.items.iter().map(|item| build(item, tree)).collect();
            if let Some(why) = &list.more {
                items.push(tree.scalar(Leaf::Unknown(why), term.at));
            }
            tree.sequence(&items, term.at)
        }
        Value::Object(object) => {
            let mut fields = Vec::with_capacity(object.fields.len());
            for entry in &object.fields {
                let key = tree.scalar(Leaf::Text(&entry.key), entry.key_at);
                fields.push((key, build(&entry.term, tree)));
            }
            for one in &object.unnamed {
                let key = tree.scalar(Leaf::Unknown(&one.why), one.key_at);
                fields.push((key, build(&one.term, tree)));
            }
            if let Some(why) = object.more.as_ref().filter(|_| object.unnamed.is_empty()) {
                let key = tree.scalar(Leaf::Unknown(why), term.at);
                let value = tree.scalar(Leaf::Unknown(why), term.at);
                fields.push((key, value));
            }
            tree.mapping(&fields, term.at)
        }
    }
}

impl Value {
    /// A text with the places of its parts: one that was filled in, or one that encodes a value.
    pub fn pieces(&self) -> Option<Cow<'_, Pieces>> {
        match self {
            Value::Filled(filled) => Some(Cow::Borrowed(&filled.pieces)),
            Value::Encoded(inner, Encoding::As(notation)) => {
                let mut tree = TreeBuilder::default();
                let root = build(inner, &mut tree);
                let pieces = yaml::print(tree.finish(root).root(), *notation);
                Some(Cow::Owned(pieces))
            }
            _ => None,
        }
    }
}
