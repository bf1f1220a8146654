//! Taints, tolerations, node selection and pools as plain values with Kubernetes' semantics. Independent of YAML and CEL:
//! extractors create these types, and rules evaluate them.

pub mod admission;
pub mod admit;
pub mod alike;
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
pub mod slip;
pub mod taint;
pub mod toleration;
pub mod validation;
pub mod vocabulary;
pub mod well_known;
pub mod witness;
mod word;
pub mod workload;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// Returns, for each item of a list, the first earlier item with the same identity; an item without identity matches none.
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
    /// Missing, or `null`.
    #[default]
    Absent,
    /// Present with this value.
    Is(T),
    /// Present, but the value is only known later (a template, a variable) or has the wrong type. Must never be treated as
    /// absent or as different.
    Unknown,
}

impl<T> Field<T> {
    /// Returns the value, or `None` if it is absent or unknown.
    pub fn known(&self) -> Option<&T> {
        match self {
            Field::Is(value) => Some(value),
            Field::Absent | Field::Unknown => None,
        }
    }

    /// Whether the field is present but could not be read.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Field::Unknown)
    }

    /// Whether the field is missing.
    pub fn is_absent(&self) -> bool {
        matches!(self, Field::Absent)
    }
}

impl Field<String> {
    /// Returns the text, or `None` if unknown. Like in Kubernetes, an absent string is the empty string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Field::Absent => Some(""),
            Field::Is(text) => Some(text),
            Field::Unknown => None,
        }
    }
}

/// Yes, no, or unknown (Kleene's logic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// Certainly false.
    No,
    /// Depends on something that could not be read.
    Unknown,
    /// Certainly true.
    Yes,
}

impl Truth {
    /// Whether both hold.
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// Whether at least one holds.
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// Whether all hold; `Yes` for an empty sequence.
    pub fn all(truths: impl IntoIterator<Item = Truth>) -> Truth {
        truths.into_iter().fold(Truth::Yes, Truth::and)
    }

    /// Whether any holds; `No` for an empty sequence.
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
