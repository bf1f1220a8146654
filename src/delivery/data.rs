//! A value of an object: what is left of a YAML tree when only texts and their places matter.

use crate::source::Span;
use crate::yaml::{Document, Kind, Leaf, Node, NodeId, Scalar, TreeBuilder};

/// The maximum number of values that are kept of one object.
const MAX_VALUES: usize = 20_000;

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Data {
    /// Its place.
    pub at: Span,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number or a boolean, as Go prints it.
    Plain(String),
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

    /// Moves the places of it and of what is in it.
    pub fn relocate(&mut self, place: &dyn Fn(Span) -> Span) {
        self.at = place(self.at);
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.relocate(place)),
            Value::Map(fields) => {
                let values = fields.iter_mut().map(|(_, value)| value);
                values.for_each(|value| value.relocate(place));
            }
            Value::Text(_) | Value::Plain(_) | Value::Other => {}
        }
    }

    /// Whether it has fields.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Whether it has neither items, nor fields, nor a text.
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Text(text) | Value::Plain(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Map(fields) => fields.is_empty(),
            Value::Other => true,
        }
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

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Plain(text) => Some(text),
            Value::List(_) | Value::Map(_) | Value::Other => None,
        }
    }

    /// The map with the fields of another laid over it; lists and texts are replaced, and nulls take fields away.
    #[must_use]
    pub fn merged(&self, over: &Data) -> Data {
        let (Value::Map(own), Value::Map(others)) = (&self.value, &over.value) else {
            return over.clone();
        };
        let mut fields: Vec<(String, Data)> = own.clone();
        for (name, value) in others {
            let known = fields.iter().position(|(known, _)| known == name);
            match (known, &value.value) {
                (Some(at), Value::Other) => {
                    fields.remove(at);
                }
                (Some(at), _) => {
                    if let Some((_, known)) = fields.get_mut(at) {
                        *known = known.merged(value);
                    }
                }
                (None, Value::Other) => {}
                (None, _) => fields.push((name.clone(), value.clone())),
            }
        }
        Data {
            at: self.at,
            value: Value::Map(fields),
        }
    }

    /// The same value, as if it stood somewhere else.
    #[must_use]
    pub fn placed(self, at: Span) -> Data {
        let value = match self.value {
            Value::List(items) => {
                Value::List(items.into_iter().map(|item| item.placed(at)).collect())
            }
            Value::Map(fields) => {
                let fields = fields.into_iter();
                Value::Map(
                    fields
                        .map(|(name, value)| (name, value.placed(at)))
                        .collect(),
                )
            }
            value => value,
        };
        Data { at, value }
    }

    /// The value as a document.
    pub fn document(&self) -> Document {
        let mut tree = TreeBuilder::default();
        let root = self.build(&mut tree);
        tree.finish(root)
    }

    fn build(&self, tree: &mut TreeBuilder) -> NodeId {
        match &self.value {
            Value::Text(text) => tree.scalar(Leaf::Text(text), self.at),
            Value::Plain(text) => tree.scalar(Leaf::Plain(text), self.at),
            Value::Other => tree.scalar(Leaf::Unknown("it is null or filled in"), self.at),
            Value::List(items) => {
                let items: Vec<NodeId> = items.iter().map(|item| item.build(tree)).collect();
                tree.sequence(&items, self.at)
            }
            Value::Map(fields) => {
                let mut pairs = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let key = tree.scalar(Leaf::Text(name), self.at);
                    pairs.push((key, value.build(tree)));
                }
                tree.mapping(&pairs, self.at)
            }
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
            Value::Text(_) | Value::Plain(_) | Value::Map(_) | Value::Other => &[],
        }
    }

    /// The fields, if it is a map.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Data)> {
        let fields: &[(String, Data)] = match &self.value {
            Value::Map(fields) => fields,
            Value::Text(_) | Value::Plain(_) | Value::List(_) | Value::Other => &[],
        };
        fields.iter().map(|(name, value)| (name.as_str(), value))
    }
}

fn scalar(node: Node<'_>) -> Value {
    let raw = node.raw().unwrap_or_default();
    match node.scalar() {
        Some(Scalar::Str(text)) => Value::Text(text.to_owned()),
        Some(Scalar::Bool(value)) => Value::Plain(value.to_string()),
        // Numbers become 64-bit floats on their way through JSON.
        #[expect(clippy::cast_precision_loss, reason = "Go loses it, too")]
        Some(Scalar::Int(value)) => Value::Plain(go_number(value as f64)),
        Some(Scalar::Float(value)) => Value::Plain(go_number(value)),
        Some(Scalar::BigInt) => {
            let value = raw.replace('_', "").parse().ok();
            value.map_or(Value::Other, |value| Value::Plain(go_number(value)))
        }
        Some(Scalar::Null) | None => Value::Other,
    }
}

/// A number as Go's `%v` prints it: `1.234567e+06` from a million on.
fn go_number(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    value.to_string()
}

fn copy(node: Node<'_>, left: &mut usize) -> Option<Data> {
    *left = left.checked_sub(1)?;
    let value = match node.kind() {
        Kind::Scalar if node.is_null() || node.unknown_because().is_some() => Value::Other,
        Kind::Scalar => scalar(node),
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
