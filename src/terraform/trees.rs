//! Converts values to trees with places, and to the texts that encode them.

use std::borrow::Cow;
use std::rc::Rc;

use super::run::MAX_TEXT;
use super::value::{Encoding, Term, Value, number_text};
use crate::yaml::{self, Leaf, Notation, Pieces, TreeBuilder};

/// The maximum number of nodes in a tree.
const MAX_NODES: usize = 50_000;

/// Adds a value to a tree. Shared values are small in memory but can be huge when written out, so the size of the tree
/// is limited. Values that do not fit are unknown.
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
        // The content of the text is what matters.
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

/// Writes a value like Terraform: without blanks, and with sorted keys.
fn write_json(value: &Value, text: &mut String) -> Option<()> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(_) | Value::Number(_) => text.push_str(&value.as_text()?),
        Value::List(list) if list.more.is_none() => {
            text.push('[');
            for (at, item) in list.items.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                write_json(&item.value, text)?;
            }
            text.push(']');
        }
        Value::Object(object) if object.more.is_none() => {
            text.push('{');
            for (at, entry) in object.sorted().into_iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                text.push_str(&json_word(&entry.key)?);
                text.push(':');
                write_json(&entry.term.value, text)?;
            }
            text.push('}');
        }
        other => text.push_str(&json_word(&other.as_text()?)?),
    }
    (text.len() <= MAX_TEXT).then_some(())
}

/// Quotes a text. Like Terraform, it escapes the characters that are special in HTML.
fn json_word(word: &str) -> Option<String> {
    let quoted = serde_json::to_string(word).ok()?;
    let escaped = quoted.replace('<', "\\u003c").replace('>', "\\u003e");
    Some(escaped.replace('&', "\\u0026"))
}

impl Value {
    /// Returns the exact text that `jsonencode` produces, or `None` for other values or if a part is unknown.
    pub fn json_text(&self) -> Option<Rc<str>> {
        match self {
            Value::Encoded(inner, Encoding::As(Notation::Json)) => {
                let mut text = String::new();
                write_json(&inner.value, &mut text)?;
                Some(text.into())
            }
            _ => None,
        }
    }

    /// Returns a text with the places of its parts: a text with interpolations, or one that encodes a value.
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
