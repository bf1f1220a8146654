//! Taints, tolerations, node selection and pools as plain values with Kubernetes' meaning.
//! Knows neither YAML nor CEL: whoever reads manifests fills these types, whoever judges reads them.

pub mod admission;
pub mod admit;
pub mod annotations;
pub mod character;
pub mod clouds;
pub mod cluster;
pub mod dedicated;
pub mod device;
pub mod eviction;
pub mod former_annotations;
pub mod habits;
pub mod label_keys;
pub mod near_miss;
mod node_labels;
pub mod node_pool;
pub mod node_selection;
pub mod notice;
pub mod path_words;
pub mod placement;
pub mod qos;
pub mod quantity;
pub mod redundancy;
pub mod refusal;
pub mod selection_errors;
pub mod siblings;
pub mod taint;
pub mod toleration;
pub mod validation;
pub mod well_known;
pub mod witness;
pub mod workload;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// For each of a list the first before it that is known by the same; what has no identity is like none.
fn first_alike<'t, T: 't, K: Hash + Eq>(
    list: impl IntoIterator<Item = &'t T>,
    identity: impl Fn(&'t T) -> Option<K>,
) -> Vec<Option<usize>> {
    let mut first = HashMap::new();
    list.into_iter()
        .enumerate()
        .map(|(at, one)| match first.entry(identity(one)?) {
            Entry::Occupied(earlier) => Some(*earlier.get()),
            Entry::Vacant(free) => {
                free.insert(at);
                None
            }
        })
        .collect()
}

/// A field of a manifest, as far as it could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field<T> {
    /// Not written, or written as null.
    #[default]
    Absent,
    /// Written, and this is the value.
    Is(T),
    /// Written, but the value is only known later (a template, a variable) or has the wrong type.
    /// Never to be treated as absent or as different.
    Unknown,
}

impl<T> Field<T> {
    /// The value, when there is one that is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Field::Is(value) => Some(value),
            Field::Absent | Field::Unknown => None,
        }
    }

    /// Whether something stands there that could not be read.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Field::Unknown)
    }

    /// Whether nothing is written.
    pub fn is_absent(&self) -> bool {
        matches!(self, Field::Absent)
    }
}

impl Field<String> {
    /// The text with Kubernetes' reading of an absent string as the empty one; `None` when unknown.
    pub fn text(&self) -> Option<&str> {
        match self {
            Field::Absent => Some(""),
            Field::Is(text) => Some(text),
            Field::Unknown => None,
        }
    }
}

/// Yes, no, or not to be known from what was read (Kleene's logic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// Provably not.
    No,
    /// Depends on something that could not be read.
    Unknown,
    /// Provably so.
    Yes,
}

impl Truth {
    /// Both.
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// At least one.
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// Whether every one holds; `Yes` for none.
    pub fn all(truths: impl IntoIterator<Item = Truth>) -> Truth {
        truths.into_iter().fold(Truth::Yes, Truth::and)
    }

    /// Whether any one holds; `No` for none.
    pub fn any(truths: impl IntoIterator<Item = Truth>) -> Truth {
        truths.into_iter().fold(Truth::No, Truth::or)
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
            Truth::Yes => Truth::No,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Truth::Yes } else { Truth::No }
    }
}
