//! Texts inside strings of a file, such as scripts and configuration in block strings. Places in them map to places in
//! the file.

use std::ops::Range;

use super::node::{Node, Style};
use super::pieces::Pieces;
use crate::source::Span;

/// A text inside a string, and where its lines are in the file.
pub struct Embedded<'t> {
    inner: &'t str,
    whole: Span,
    /// Offsets of line starts in the text, and offsets of the same lines in the file after their indentation. `None`
    /// for strings whose text differs from their source.
    lines: Option<(Vec<usize>, Vec<usize>)>,
}

impl<'t> Embedded<'t> {
    /// Creates the text for the string `inner` of a node of the file `text`.
    pub fn new(text: &str, node: Node<'_>, inner: &'t str) -> Self {
        let whole = node.span();
        let lines = match node.style() {
            Style::Literal => block_lines(text, whole, inner),
            _ => text
                .get(whole.range())
                .and_then(|written| written.find(inner))
                .map(|at| (vec![0], vec![whole.start as usize + at])),
        };
        Embedded {
            inner,
            whole,
            lines,
        }
    }

    /// Maps a byte range of the text to its place in the file.
    pub fn place_of(&self, range: Range<usize>) -> Span {
        self.place(Span::new(self.whole.source, range))
    }

    /// Maps a place in the text to its place in the file, or to the whole string if that is unknown.
    pub fn place(&self, span: Span) -> Span {
        let Some((inside, outside)) = &self.lines else {
            return self.whole;
        };
        let outer = |offset: u32| {
            let offset = (offset as usize).min(self.inner.len());
            let line = inside
                .partition_point(|start| *start <= offset)
                .checked_sub(1)?;
            Some(outside.get(line)? + offset - inside.get(line)?)
        };
        match (outer(span.start), outer(span.end)) {
            (Some(start), Some(end)) if end <= self.whole.end as usize + 1 && start <= end => {
                Span::new(self.whole.source, start..end)
            }
            _ => self.whole,
        }
    }
}

/// Returns the same text with the places of its parts.
pub fn pieces_of(text: &str, node: Node<'_>, inner: &str) -> Pieces {
    let whole = node.span();
    let mut pieces = Pieces::default();
    let lines = Embedded::new(text, node, inner).lines;
    let Some((_, outside)) = lines.filter(|(_, outside)| outside.len() >= inner.lines().count())
    else {
        pieces.push_made(inner, whole);
        return pieces;
    };
    for (line, outside) in inner.split_inclusive('\n').zip(outside) {
        let at = u32::try_from(outside).unwrap_or(u32::MAX);
        pieces.push_verbatim(line, whole.source, at);
    }
    pieces
}

fn block_lines(text: &str, whole: Span, inner: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let header = text.get(whole.range())?.find('\n')?;
    let content_start = whole.start as usize + header + 1;
    let content = text.get(content_start..)?;
    // Blank lines may lack the indentation, so take it from the first line that is not blank.
    let indent = content
        .lines()
        .zip(inner.lines())
        .find(|(_, inner)| !inner.is_empty())
        .map_or(0, |(outer, inner)| outer.len().saturating_sub(inner.len()));
    // What follows the string in the file is not looked at.
    let count = inner.split_inclusive('\n').count();
    let starts = |text: &str, from: usize, skip: usize| -> Vec<usize> {
        let mut at = from;
        text.split_inclusive('\n')
            .take(count)
            .map(|line| {
                let start = at + skip;
                at += line.len();
                start
            })
            .collect()
    };
    Some((starts(inner, 0, 0), starts(content, content_start, indent)))
}
