//! A value of an object: what is left of a YAML tree when only texts and their places matter.

use crate::source::Span;
use crate::yaml::{Kind, Node};

/// The maximum number of values that are kept of one object.
const MAX_VALUES: usize = 20_000;

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its place.
    pub at: Span,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text, a number or a boolean, as its text.
    Text(String),
    /// Items.
    List(Vec<Data>),
    /// Fields, in order.
    Map(Vec<(String, Data)>),
    /// It is filled in by something that was not read, or is null.
    Other,
}

impl Data {
    /// The value of a node, or `None` if it is too large.
    pub fn of(node: Node<'_>) -> Option<Data> {
        copy(node, &mut { MAX_VALUES })
    }

    /// A value of a map.
    pub fn get(&self, key: &str) -> Option<&Data> {
        self.fields()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    /// A value below maps.
    pub fn find(&self, keys: &[&str]) -> Option<&Data> {
        keys.iter().try_fold(self, |data, key| data.get(key))
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Map(_) | Value::Other => None,
        }
    }

    /// The text of a value of a map.
    pub fn text_at(&self, keys: &[&str]) -> Option<&str> {
        self.find(keys)?.text()
    }

    /// The items, if it is a list.
    pub fn items(&self) -> &[Data] {
        match &self.value {
            Value::List(items) => items,
            Value::Text(_) | Value::Map(_) | Value::Other => &[],
        }
    }

    /// The fields, if it is a map.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Data)> {
        let fields: &[(String, Data)] = match &self.value {
            Value::Map(fields) => fields,
            Value::Text(_) | Value::List(_) | Value::Other => &[],
        };
        fields.iter().map(|(name, value)| (name.as_str(), value))
    }
}

fn copy(node: Node<'_>, left: &mut usize) -> Option<Data> {
    *left = left.checked_sub(1)?;
    let value = match node.kind() {
        Kind::Scalar if node.is_null() || node.unknown_because().is_some() => Value::Other,
        Kind::Scalar => node
            .raw()
            .map_or(Value::Other, |text| Value::Text(text.to_owned())),
        Kind::Sequence => {
            let items: Option<Vec<Data>> = node.items().map(|item| copy(item, left)).collect();
            Value::List(items?)
        }
        Kind::Mapping => {
            let mut fields = Vec::new();
            for field in node.fields() {
                if let Some(name) = field.name() {
                    fields.push((name.to_owned(), copy(field.value, left)?));
                }
            }
            Value::Map(fields)
        }
    };
    Some(Data {
        at: node.span(),
        value,
    })
}
