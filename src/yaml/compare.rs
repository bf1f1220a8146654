//! In which places two documents say different things, whatever their spelling.

use super::node::{Field, Kind, Node};
use super::path::{index, join};

/// More nodes than a person's file has; aliases may stand for any number.
const MOST: usize = 200_000;

/// Fields of one map that are compared each with each.
const WIDEST: usize = 2_000;

/// The paths at which two trees differ, aliases and merges resolved: of a list that grew or shrank its own, of a field that
/// came or went the field's. Nothing when there is too much to compare.
pub fn changed_paths(before: Node<'_>, after: Node<'_>) -> Option<Vec<String>> {
    let mut open = vec![(String::new(), before, after)];
    let mut changed = Vec::new();
    let mut seen = 0;
    while let Some((path, one, other)) = open.pop() {
        seen += 1;
        if seen > MOST {
            return None;
        }
        match (one.kind(), other.kind()) {
            (Kind::Mapping, Kind::Mapping) => {
                let (ours, theirs) = (one.fields(), other.fields());
                if ours.len().max(theirs.len()) > WIDEST {
                    return None;
                }
                let named =
                    |fields: &[Field<'_>], name| fields.iter().any(|field| field.name() == name);
                for field in &theirs {
                    if !named(&ours, field.name()) {
                        changed.push(join(&path, field.name().unwrap_or_default()));
                    }
                }
                for field in &ours {
                    let at = join(&path, field.name().unwrap_or_default());
                    match theirs.iter().find(|their| their.name() == field.name()) {
                        Some(their) => open.push((at, field.value, their.value)),
                        None => changed.push(at),
                    }
                }
            }
            (Kind::Sequence, Kind::Sequence) if one.items().count() == other.items().count() => {
                let pairs = one.items().zip(other.items()).enumerate();
                open.extend(pairs.map(|(at, (one, other))| (index(&path, at), one, other)));
            }
            (Kind::Scalar, Kind::Scalar) if same(one, other) => {}
            _ => changed.push(path),
        }
    }
    Some(changed)
}

/// Two scalars say the same; a number that is none, too.
fn same(one: Node<'_>, other: Node<'_>) -> bool {
    one.scalar() == other.scalar() || (one.raw() == other.raw() && one.style() == other.style())
}
