//! The target of a change in a tree, and the resulting change of the text.

use std::ops::Range;

use super::entries::Entries;
use super::node::{Field, Kind, Node};
use crate::source::Span;

/// New text for a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The range to replace; empty for an insertion.
    pub range: Range<usize>,
    /// The new text; empty for a removal.
    pub text: String,
}

/// The kind of node that a span refers to. The only field of an item has the same span as the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A field of a map: the whole field, its key or its value.
    Field,
    /// An item of a list.
    Item,
}

/// A place in the tree, with the collection that contains it.
pub(super) enum Found<'a> {
    Field(Holder<'a>, Field<'a>),
    Item(Holder<'a>, Node<'a>),
}

/// The collection around a place, and the field whose value it is.
#[derive(Clone, Copy)]
pub(super) struct Holder<'a> {
    pub(super) node: Node<'a>,
    pub(super) field: Option<Field<'a>>,
}

/// Finds the field or item at a place.
pub(super) fn find(root: Node<'_>, target: Target, place: Span) -> Option<Found<'_>> {
    let mut pending = vec![Holder {
        node: root,
        field: None,
    }];
    while let Some(holder) = pending.pop() {
        for entry in Entries::of(holder.node).near(place.start) {
            let Some(field) = entry.field() else {
                let item = entry.value;
                if target == Target::Item && item.written_at() == place {
                    return Some(Found::Item(holder, item));
                }
                descend(&mut pending, item, None, place);
                continue;
            };
            // A map with one field has the span of that field.
            let value = field.value.kind() == Kind::Scalar && field.value.written_at() == place;
            let named = value || field.span() == place || field.key.written_at() == place;
            if target == Target::Field && named {
                return Some(Found::Field(holder, field));
            }
            descend(&mut pending, field.value, Some(field), place);
        }
    }
    None
}

fn descend<'a>(
    pending: &mut Vec<Holder<'a>>,
    node: Node<'a>,
    field: Option<Field<'a>>,
    place: Span,
) {
    let span = node.span();
    // The target of an alias is found where it is written.
    if node.kind() != Kind::Scalar
        && !node.is_alias()
        && span.start <= place.start
        && place.end <= span.end
    {
        pending.push(Holder { node, field });
    }
}
