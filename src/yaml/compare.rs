//! Finds the places where two documents differ in meaning, whatever their notation.

use std::collections::HashMap;

use super::node::{Field, Kind, Node, NodeId};
use super::path::{index, join};

/// More nodes than any handwritten file has. Aliases may expand to any number.
const MOST: usize = 200_000;

/// The maximum number of fields of one map that are compared.
const WIDEST: usize = 2_000;

/// A place where two documents differ.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path of the list if a list grew or shrank, or of the field if one was added or removed.
    pub path: String,
    /// The map or list of the first document that differs, whatever names lead to it.
    pub holder: NodeId,
}

/// Returns the differences between two trees, with aliases and merges resolved, or `None` if they are too large.
pub fn differences(before: Node<'_>, after: Node<'_>) -> Option<Vec<Difference>> {
    let mut open = vec![(String::new(), before.id(), before, after)];
    let mut found = Vec::new();
    let mut seen = 0;
    while let Some((path, holder, one, other)) = open.pop() {
        seen += 1;
        if seen > MOST {
            return None;
        }
        let id = one.id();
        match (one.kind(), other.kind()) {
            (Kind::Mapping, Kind::Mapping) => {
                let (ours, theirs) = (one.fields(), other.fields());
                if ours.len().max(theirs.len()) > WIDEST {
                    return None;
                }
                let (named, their_named) = (by_name(&ours), by_name(&theirs));
                let differs = |path| Difference { path, holder: id };
                for field in &theirs {
                    if !named.contains_key(&field.name()) {
                        found.push(differs(join(&path, field.name().unwrap_or_default())));
                    }
                }
                for field in &ours {
                    let at = join(&path, field.name().unwrap_or_default());
                    match their_named.get(&field.name()) {
                        Some(their) => open.push((at, id, field.value, their.value)),
                        None => found.push(differs(at)),
                    }
                }
            }
            (Kind::Sequence, Kind::Sequence) if one.items().count() == other.items().count() => {
                let pairs = one.items().zip(other.items()).enumerate();
                open.extend(pairs.map(|(at, (one, other))| (index(&path, at), id, one, other)));
            }
            (Kind::Sequence, Kind::Sequence) => found.push(Difference { path, holder: id }),
            (Kind::Scalar, Kind::Scalar) if same(one, other) => {}
            _ => found.push(Difference { path, holder }),
        }
    }
    Some(found)
}

/// The first field with each name.
fn by_name<'f, 'a>(fields: &'f [Field<'a>]) -> HashMap<Option<&'a str>, &'f Field<'a>> {
    let named = fields.iter().rev().map(|field| (field.name(), field));
    named.collect()
}

/// Whether two scalars have the same value. NaN equals NaN.
fn same(one: Node<'_>, other: Node<'_>) -> bool {
    one.scalar() == other.scalar() || (one.raw() == other.raw() && one.style() == other.style())
}
