//! The data read from a text before a comment is inserted into it. One reading serves the search for many places.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::ops::Range;

use super::Ignore;
use super::parts::{around, heredocs, parts};
use crate::yaml::{Document, Style};

/// The result of reading a piece.
pub(super) struct Read {
    /// `None` if it is not YAML.
    pub(super) document: Option<Document>,
    pub(super) ignores: Vec<Ignore>,
    /// Fields and items, in order, each with the index of its parent. Empty if it is not YAML.
    owners: Vec<(Range<usize>, Option<usize>)>,
    /// Multi-line strings in order, each from its first line on. A `#` in them does not start a comment.
    pub(super) texts: Vec<Range<usize>>,
}

impl Read {
    pub(super) fn of_yaml(document: Document, ignores: Vec<Ignore>) -> Read {
        let mut owners: Vec<(Range<usize>, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut texts = Vec::new();
        for part in parts(document.root()) {
            let range = part.span.range();
            while open
                .last()
                .is_some_and(|owner| owners[*owner].0.end <= range.start)
            {
                open.pop();
            }
            if matches!(part.style, Style::Literal | Style::Folded) {
                texts.push(range.clone());
            }
            let owner = open.last().copied();
            open.push(owners.len());
            owners.push((range, owner));
        }
        Read {
            document: Some(document),
            ignores,
            owners,
            texts,
        }
    }

    pub(super) fn of_terraform(text: &str, ignores: Vec<Ignore>) -> Read {
        Read {
            document: None,
            ignores,
            owners: Vec::new(),
            texts: heredocs(text),
        }
    }

    /// Whether a line belongs to a multi-line string, but is not its first line.
    pub(super) fn is_in_text(&self, line: &Range<usize>) -> bool {
        around(&self.texts, line.start).is_some_and(|text| text.start < line.start)
    }

    /// Whether a multi-line string begins on the line that starts here.
    pub(super) fn begins_text(&self, place: usize) -> bool {
        around(&self.texts, place).is_some_and(|text| text.start == place)
    }

    /// The fields and items that contain an offset, from the inside outward.
    pub(super) fn owners_of(&self, place: usize) -> impl Iterator<Item = &Range<usize>> {
        let after = self
            .owners
            .partition_point(|(range, _)| range.start <= place);
        let chain = std::iter::successors(after.checked_sub(1), |at| self.owners[*at].1);
        let ranges = chain.map(|at| &self.owners[at].0);
        ranges.filter(move |range| range.contains(&place))
    }
}
