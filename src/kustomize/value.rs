//! Objects as trees of values that know where they were written. Copies share everything that they have in common.

use std::collections::HashMap;
use std::sync::Arc;

use crate::source::{SourceId, Span};
use crate::yaml::{Kind, Leaf, Node, NodeId, Notation, Pieces, Scalar, TreeBuilder, print};

/// How deep values may be nested.
const MAX_DEPTH: usize = 100;

/// A value and the place where it was written.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its place.
    pub at: Span,
    /// Its content.
    pub data: Data,
}

/// The content of a value.
#[derive(Clone, Debug)]
pub enum Data {
    /// Null, and whether the word is written out.
    Null(bool),
    /// A text.
    Text(Arc<str>),
    /// A number or a boolean, as it is written.
    Plain(Arc<str>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map. No key comes twice.
    Map(Arc<Vec<Entry>>),
    /// Unknown, with the reason.
    Unknown(Arc<str>),
}

/// A key of a map and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// The place of the key.
    pub key_at: Span,
    /// The value.
    pub value: Value,
}

/// Reads a node. `place` says where the parts of its text come from. `budget` limits the number of values, because aliases
/// can make a small text huge. Returns `None` if the node is too large or nested too deeply.
pub fn of_node(node: Node<'_>, place: &dyn Fn(Span) -> Span, budget: &mut usize) -> Option<Value> {
    read(node, place, budget, 0)
}

fn read(
    node: Node<'_>,
    place: &dyn Fn(Span) -> Span,
    budget: &mut usize,
    depth: usize,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if depth > MAX_DEPTH {
        return None;
    }
    let data = match node.kind() {
        Kind::Scalar => {
            let raw = node.raw().unwrap_or_default();
            match node.scalar() {
                Some(Scalar::Null) | None => Data::Null(!raw.is_empty()),
                Some(Scalar::Str(text)) => Data::Text(text.into()),
                Some(_) => Data::Plain(raw.into()),
            }
        }
        Kind::Sequence => {
            let items = node.items();
            let items = items.map(|item| read(item, place, budget, depth + 1));
            Data::List(Arc::new(items.collect::<Option<_>>()?))
        }
        Kind::Mapping => {
            let fields = node.fields().into_iter();
            let entries = fields.map(|field| {
                Some(Entry {
                    key: field.name()?.into(),
                    key_at: place(field.key.span()),
                    value: read(field.value, place, budget, depth + 1)?,
                })
            });
            Data::Map(Arc::new(entries.collect::<Option<_>>()?))
        }
    };
    Some(Value {
        at: place(node.span()),
        data,
    })
}

impl Value {
    /// Creates a text.
    pub fn text(text: &str, at: Span) -> Value {
        Value {
            at,
            data: Data::Text(text.into()),
        }
    }

    /// Creates an unknown value.
    pub fn unknown(why: &str, at: Span) -> Value {
        Value {
            at,
            data: Data::Unknown(why.into()),
        }
    }

    /// Creates an empty map.
    pub fn map(at: Span) -> Value {
        Value {
            at,
            data: Data::Map(Arc::default()),
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// The entries of a map; none for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for other values.
    pub fn items(&self) -> &[Value] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The entry of a map under a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| &*entry.key == key)
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value at the end of a path of keys.
    pub fn at_path(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The words of a scalar that is not null.
    pub fn word(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) | Data::Plain(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a map, for changing them.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.data {
            Data::Map(entries) => Some(Arc::make_mut(entries)),
            _ => None,
        }
    }

    /// The items of a list, for changing them.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Value>> {
        match &mut self.data {
            Data::List(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    /// The value under a key, for changing it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let entries = self.entries_mut()?;
        let entry = entries.iter_mut().find(|entry| &*entry.key == key);
        entry.map(|entry| &mut entry.value)
    }

    /// The item of a list at a position, or else the value under a key, for changing it.
    pub fn child_mut(&mut self, key: &str, index: Option<usize>) -> Option<&mut Value> {
        match index {
            Some(index) => self.items_mut()?.get_mut(index),
            None => self.get_mut(key),
        }
    }

    /// Sets the value under a key of a map.
    pub fn set(&mut self, entry: Entry) {
        let Some(entries) = self.entries_mut() else {
            return;
        };
        match entries.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => entries.push(entry),
        }
    }

    /// Sets a text at the end of a path of keys. Creates the maps on the way, as long as nothing else is in their place.
    pub fn set_text(&mut self, path: &[&str], text: &str, at: Span) {
        let Some((last, above)) = path.split_last() else {
            return;
        };
        let mut holder = self;
        for key in above {
            if holder.get(key).is_none_or(Value::is_null) {
                holder.set(Entry {
                    key: (*key).into(),
                    key_at: at,
                    value: Value::map(at),
                });
            }
            match holder.get_mut(key) {
                Some(next) => holder = next,
                None => return,
            }
        }
        let known = holder
            .entry(last)
            .map(|entry| (entry.key_at, entry.value.at));
        let (key_at, value_at) = known.unwrap_or((at, at));
        holder.set(Entry {
            key: (*last).into(),
            key_at,
            value: Value::text(text, value_at),
        });
    }

    /// Whether two values mean the same, wherever they are written.
    pub fn means(&self, other: &Value) -> bool {
        match (&self.data, &other.data) {
            (Data::Null(_), Data::Null(_)) => true,
            (Data::Text(own), Data::Text(theirs)) | (Data::Plain(own), Data::Plain(theirs)) => {
                own == theirs
            }
            (Data::List(own), Data::List(theirs)) => {
                own.len() == theirs.len() && own.iter().zip(theirs.iter()).all(|(a, b)| a.means(b))
            }
            (Data::Map(own), Data::Map(theirs)) => {
                let same = |entry: &Entry| {
                    let found = other.get(&entry.key);
                    found.is_some_and(|value| entry.value.means(value))
                };
                own.len() == theirs.len() && own.iter().all(same)
            }
            _ => false,
        }
    }

    /// Writes the value as YAML whose parts have the places of the values.
    pub fn write(&self) -> Pieces {
        let mut tree = TreeBuilder::default();
        let root = self.build(&mut tree);
        print(tree.finish(root).root(), Notation::Yaml)
    }

    /// The places of the maps in lists, by the start of the first key of each: a map in braces starts before it.
    pub fn items_by_key(&self) -> HashMap<(SourceId, u32), Span> {
        let mut found = HashMap::new();
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            for item in value.items() {
                if let Some(first) = item.entries().first() {
                    found.insert((first.key_at.source, first.key_at.start), item.at);
                }
                open.push(item);
            }
            open.extend(value.entries().iter().map(|entry| &entry.value));
        }
        found
    }

    fn build(&self, tree: &mut TreeBuilder) -> NodeId {
        match &self.data {
            Data::Null(_) => tree.scalar(Leaf::Plain("null"), self.at),
            Data::Text(text) => tree.scalar(Leaf::Text(text), self.at),
            Data::Plain(text) => tree.scalar(Leaf::Plain(text), self.at),
            Data::Unknown(why) => tree.scalar(Leaf::Unknown(why), self.at),
            Data::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.build(tree)).collect();
                tree.sequence(&items, self.at)
            }
            Data::Map(entries) => {
                let mut fields = Vec::with_capacity(entries.len());
                for entry in entries.iter() {
                    let leaf = match is_plain(&entry.key) {
                        true => Leaf::Plain(&entry.key),
                        false => Leaf::Text(&entry.key),
                    };
                    let key = tree.scalar(leaf, entry.key_at);
                    fields.push((key, entry.value.build(tree)));
                }
                tree.mapping(&fields, self.at)
            }
        }
    }
}

/// Whether a key needs no quotes: readers look for keys in the text, too.
fn is_plain(key: &str) -> bool {
    const OTHERS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    key.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric())
        && !OTHERS.contains(&key.to_ascii_lowercase().as_str())
}
