//! The entries of a collection as written, by index, and those at a position of the text without visiting all of them.

use std::ops::Range;

use super::Style;
use super::node::{Document, Field, Kind, Node, NodeId};
use crate::source::Span;

/// The items of a sequence, or the fields of a mapping as written.
#[derive(Clone, Copy)]
pub struct Entries<'a> {
    node: Node<'a>,
    edges: &'a [NodeId],
}

/// A field or an item.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The key, for a field.
    pub key: Option<Node<'a>>,
    /// The value, or the item.
    pub value: Node<'a>,
}

impl<'a> Entry<'a> {
    /// The field, unless it is an item.
    pub fn field(self) -> Option<Field<'a>> {
        let Entry { key, value } = self;
        key.map(|key| Field { key, value })
    }

    /// The span of the field or the item where it is written.
    pub fn span(self) -> Span {
        match self.field() {
            Some(field) => field.span(),
            None => self.value.written_at(),
        }
    }

    /// Where it starts: at its key, or at the item.
    pub fn start(self) -> u32 {
        self.key.unwrap_or(self.value).written_at().start
    }
}

impl<'a> Entries<'a> {
    /// The entries of a node; none for a scalar.
    pub fn of(node: Node<'a>) -> Entries<'a> {
        let edges = node.edges();
        Entries { node, edges }
    }

    fn step(&self) -> usize {
        match self.node.kind() {
            Kind::Mapping => 2,
            Kind::Sequence | Kind::Scalar => 1,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.edges.len() / self.step()
    }

    /// The entry with an index.
    pub fn get(&self, at: usize) -> Option<Entry<'a>> {
        let step = self.step();
        let edges = self.edges.get(at.checked_mul(step)?..)?;
        let node = |id: &NodeId| self.node.document().at(*id);
        match (step, edges) {
            (2, [key, value, ..]) => Some(Entry {
                key: Some(node(key)),
                value: node(value),
            }),
            (1, [item, ..]) => Some(Entry {
                key: None,
                value: node(item),
            }),
            _ => None,
        }
    }

    /// How many entries start at a position or before it. The entries must be in the order of the text.
    pub fn count_until(&self, position: u32) -> usize {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle) {
                Some(entry) if entry.start() <= position => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// The indices of entries among which are all that touch a position. In an assembled tree they are in no order.
    pub fn around(&self, position: u32) -> Range<usize> {
        if self.node.is_assembled() {
            return 0..self.count();
        }
        let end = self.count_until(position);
        // An empty entry starts where the one before it ends.
        end.saturating_sub(2)..(end + 1).min(self.count())
    }

    /// The entries of [`Entries::around`].
    pub fn near(self, position: u32) -> impl Iterator<Item = Entry<'a>> {
        self.around(position).filter_map(move |at| self.get(at))
    }
}

/// Whether a block scalar ends at a position.
pub(super) fn ends_block_scalar(document: &Document, end: usize) -> bool {
    let Some(last) = end.checked_sub(1).and_then(|last| u32::try_from(last).ok()) else {
        return false;
    };
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        let is_text = matches!(node.style(), Style::Literal | Style::Folded);
        let span = node.written_at();
        if is_text && !node.is_alias() && span.end as usize == end {
            return true;
        }
        if node.is_alias() {
            continue;
        }
        let near = Entries::of(node).near(last);
        let parts = near.flat_map(|entry| entry.key.into_iter().chain([entry.value]));
        open.extend(parts.filter(|part| {
            let span = part.written_at();
            span.start <= last && last < span.end
        }));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::yaml::parse;

    #[test]
    fn every_entry_is_among_those_around_its_start_and_its_end() {
        let text = "a: [x, y]\ne:\n- f: |\n    g\n- h\n-\ni: {j: x, k: l}\nn:\n";
        let document = &parse(text, SourceId(0)).documents[0];
        let mut open = vec![document.root()];
        let mut seen = 0;
        while let Some(node) = open.pop() {
            let entries = Entries::of(node);
            for at in 0..entries.count() {
                let entry = entries.get(at).unwrap();
                for position in [entry.start(), entry.span().end] {
                    assert!(entries.around(position).contains(&at), "{at} of {node:?}");
                }
                open.extend(Some(entry.value).filter(|value| !value.is_alias()));
                seen += 1;
            }
        }
        assert_eq!(seen, 12);
    }

    #[test]
    fn a_block_scalar_is_found_by_its_end() {
        let text = "a:\n- b: |\n    c\n    d\n- e: f\ng: >-\n  h\n";
        let document = &parse(text, SourceId(0)).documents[0];
        let ends: Vec<usize> = (0..=text.len())
            .filter(|at| ends_block_scalar(document, *at))
            .collect();
        let after = |part: &str| text.find(part).map(|at| at + part.len()).unwrap();
        assert_eq!(ends, [after("    d"), after("  h")]);
    }
}
