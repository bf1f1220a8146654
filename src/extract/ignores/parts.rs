//! The parts of a text that comments apply to: fields, items, lines, and blocks indented below a line.

use std::ops::Range;

use super::bytes;
use super::comment::comment_in;
use crate::source::Span;
use crate::source::text::Cut as _;
use crate::terraform::{self, Heredoc};
use crate::yaml::{Kind, Node, Style};

/// A field or an item.
pub(super) struct Part {
    pub(super) span: Span,
    pub(super) is_item: bool,
    /// The style of its value.
    pub(super) style: Style,
}

/// The fields and items, in order. Of those with the same start only the widest is kept.
pub(super) fn parts(root: Node<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let fields = node
            .written_fields()
            .map(|field| (field.span(), field.value, false));
        let items = node.items().map(|item| (item.written_at(), item, true));
        for (span, value, is_item) in fields.chain(items) {
            parts.push(Part {
                span,
                is_item,
                style: value.style(),
            });
            if value.kind() != Kind::Scalar && !value.is_alias() {
                pending.push(value);
            }
        }
    }
    parts.sort_by_key(|part| {
        (
            part.span.start,
            std::cmp::Reverse(part.span.end),
            !part.is_item,
        )
    });
    parts.dedup_by_key(|part| part.span.start);
    parts
}

/// The first item that begins on a line.
pub(super) fn item_on(parts: &[Part], line: &Range<u32>) -> Option<Span> {
    let first = parts.partition_point(|part| part.span.start < line.start);
    parts
        .get(first..)
        .unwrap_or_default()
        .iter()
        .take_while(|part| part.span.start < line.end)
        .find(|part| part.is_item)
        .map(|part| part.span)
}

/// The heredocs of a configuration, each from the start of its first line to the end of its last line.
pub(super) fn heredocs(text: &str) -> Vec<Range<usize>> {
    let of_lines = |one: Heredoc| {
        let before = text.get(..one.whole.start).unwrap_or_default();
        let behind = text.get(one.whole.end..).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let length = behind.find('\n').map_or(behind.len(), |at| at + 1);
        start..one.whole.end + length
    };
    terraform::heredocs(text)
        .into_iter()
        .map(of_lines)
        .collect()
}

/// The range that contains an offset. The ranges are sorted and do not overlap.
pub(super) fn around(ranges: &[Range<usize>], place: usize) -> Option<&Range<usize>> {
    let after = ranges.partition_point(|range| range.start <= place);
    let last = ranges.get(..after).unwrap_or_default().last()?;
    last.contains(&place).then_some(last)
}

/// The first line at or after `from` that is neither blank nor a comment, with all lines below it that are indented
/// further. Lines of `heredocs` may have any indentation. They belong to the line that begins the heredoc.
pub(super) fn block_below(
    text: &str,
    from: usize,
    heredocs: &[Range<usize>],
) -> Option<Range<u32>> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut first: Option<(usize, usize)> = None;
    let mut at = from;
    let mut end = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let goes_on = |heredoc: &Range<usize>| {
            first.is_some_and(|(from, _)| from <= heredoc.start) && heredoc.start < end
        };
        if around(heredocs, start).is_some_and(goes_on) {
            end = at;
            continue;
        }
        let content = line.trim_start();
        if content.is_empty()
            || (first.is_none()
                && comment_in(line).is_some_and(|(at, _)| line.until(at).trim().is_empty()))
        {
            continue;
        }
        match first {
            None => first = Some((start, indentation(line))),
            Some((_, own)) if indentation(line) > own => {}
            Some(_) => break,
        }
        end = at;
    }
    first.map(|(start, _)| bytes(start..end))
}
