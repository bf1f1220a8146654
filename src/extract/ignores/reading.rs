//! What is read of a text before a comment is put into it, so that many places are looked for in one reading.

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

/// What reading a piece gives.
pub(super) struct Read {
    /// None where it is no YAML.
    pub(super) document: Option<Document>,
    pub(super) ignores: Vec<Ignore>,
    /// Fields and items, in order, each with the place of the one that it is in. None where it is no YAML.
    owners: Vec<(Range<usize>, Option<usize>)>,
    /// Texts of several lines, each from the line on that begins it, in order: what stands there is no comment.
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

    /// Whether a line is one of a text's, but not the one that begins it.
    pub(super) fn is_in_text(&self, line: &Range<usize>) -> bool {
        around(&self.texts, line.start).is_some_and(|text| text.start < line.start)
    }

    /// Whether a text begins on the line that begins here.
    pub(super) fn begins_text(&self, place: usize) -> bool {
        around(&self.texts, place).is_some_and(|text| text.start == place)
    }

    /// The fields and items that hold a place, from the inside outward.
    pub(super) fn owners_of(&self, place: usize) -> impl Iterator<Item = &Range<usize>> {
        let after = self
            .owners
            .partition_point(|(range, _)| range.start <= place);
        let chain = std::iter::successors(after.checked_sub(1), |at| self.owners[*at].1);
        let ranges = chain.map(|at| &self.owners[at].0);
        ranges.filter(move |range| range.contains(&place))
    }
}
