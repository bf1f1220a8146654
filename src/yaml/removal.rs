//! Removes a field or an item from a text: determines which bytes to remove, and which comments to keep. Comments are
//! those that the parser saw: a `#` in quotes is not one.

use std::ops::Range;

use super::entries::{Entries, Entry, ends_block_scalar};
use super::node::{Document, Kind, Node, Style};
use super::target::{Found, Holder, Replacement};
use crate::source::Span;
use crate::source::text::{
    Cut as _, line_break_near, line_end, line_start, next_line, without_break,
};

/// Removes a field or an item, with its lines and the separators from its neighbours.
pub(super) fn remove(document: &Document, text: &str, found: &Found<'_>) -> Option<Replacement> {
    let (holder, own) = match found {
        Found::Field(holder, field) => (holder, field.span()),
        Found::Item(holder, item) => (holder, item.written_at()),
    };
    let siblings = Entries::of(holder.node);
    let span = |at: usize| siblings.get(at).map(Entry::span);
    let at = siblings
        .around(own.start)
        .find(|at| span(*at) == Some(own))?;
    let before = at.checked_sub(1).and_then(span);
    let next = span(at + 1);
    if holder.node.style() == Style::Flow {
        return remove_in_flow(text, holder.node, own, (before, next));
    }
    let comments = Comments { document, text };
    if siblings.count() == 1 {
        return empty(&comments, text, holder);
    }
    let block = Block {
        comments: &comments,
        text,
        own: own.range(),
        next: next.map(|next| next.range().start),
        is_item: matches!(found, Found::Item(..)),
    };
    block.remove()
}

/// The comments of a document, in order.
struct Comments<'t> {
    document: &'t Document,
    text: &'t str,
}

impl<'t> Comments<'t> {
    /// The comments that start and end in a range.
    fn within(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'t> {
        let all = self.document.comments();
        let first = all.partition_point(|comment| comment.span.range().start < range.start);
        let all = all.get(first..).unwrap_or_default().iter();
        all.map(|comment| comment.span.range())
            .take_while(move |one| one.end <= range.end)
    }

    /// The texts of these comments.
    fn texts(&self, range: Range<usize>) -> Vec<&'t str> {
        let text = self.text;
        self.within(range).map(|one| text.within(one)).collect()
    }

    /// The start of the first comment in a range.
    fn first(&self, range: Range<usize>) -> Option<usize> {
        self.within(range).next().map(|one| one.start)
    }

    /// The parts of a range outside comments.
    fn between(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = range.start;
        for comment in self.within(range.clone()) {
            parts.push(at..comment.start);
            at = comment.end;
        }
        parts.push(at..range.end);
        parts
    }
}

fn remove_in_flow(
    text: &str,
    holder: Node<'_>,
    own: Span,
    neighbours: (Option<Span>, Option<Span>),
) -> Option<Replacement> {
    let range = match neighbours {
        (Some(before), _) => before.range().end..own.range().end,
        (None, Some(after)) => own.range().start..after.range().start,
        (None, None) => {
            let whole = holder.span().range();
            whole.start + 1..whole.end.checked_sub(1)?
        }
    };
    // A comment, or an anchor or a tag, which are outside the spans.
    let others = |part: Range<usize>| {
        text.get(part)
            .is_none_or(|part| part.contains(['#', '&', '!']))
    };
    if others(range.start..own.range().start.max(range.start))
        || others(own.range().end.min(range.end)..range.end)
    {
        return None;
    }
    Some(Replacement {
        range,
        text: String::new(),
    })
}

/// Empties a collection in block style. Comments are kept: after the key's value, or below it.
fn empty(comments: &Comments<'_>, text: &str, holder: &Holder<'_>) -> Option<Replacement> {
    let field = holder.field?;
    let key_end = field.key.written_at().range().end;
    let whole = holder.node.span().range();
    let between = comments.between(key_end..whole.start);
    let colon = between.iter().find_map(|part| {
        let at = text.within(part.clone()).find(':')?;
        Some(part.start + at + 1)
    })?;
    if between
        .iter()
        .any(|part| text.within(part.clone()).contains(['&', '!']))
    {
        return None;
    }
    let mut new = String::from(if holder.node.kind() == Kind::Sequence {
        " []"
    } else {
        " {}"
    });
    let mut below = colon;
    if let Some(behind) = comments
        .within(colon..line_end(text, colon).min(whole.start))
        .next()
    {
        new.push_str(text.within(colon..behind.end));
        below = behind.end;
    }
    let mut kept = comments.texts(below..whole.end);
    // Otherwise, text after the last line would end up after the last comment.
    let mut end = whole.end;
    if below > colon || !kept.is_empty() {
        let behind = comments.within(end..line_end(text, end)).next();
        if let Some(behind) = behind {
            kept.push(text.within(behind.clone()));
            end = behind.end;
        }
    }
    let line = text.since(line_start(text, whole.start));
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let line_break = line_break_near(text, whole.end);
    for comment in kept {
        new.push_str(line_break);
        new.push_str(line.until(blanks));
        new.push_str(comment);
    }
    Some(Replacement {
        range: colon..end,
        text: new,
    })
}

/// A field or an item in block style that has siblings.
struct Block<'b> {
    comments: &'b Comments<'b>,
    text: &'b str,
    own: Range<usize>,
    /// The start of the next sibling.
    next: Option<usize>,
    is_item: bool,
}

impl Block<'_> {
    fn remove(&self) -> Option<Replacement> {
        let text = self.text;
        let own = self.own.clone();
        let start = if self.is_item {
            // The dash may be on an earlier line. A comment, an anchor or a tag may also precede the item.
            let before = text.get(..own.start)?.trim_end();
            before.strip_suffix('-')?.len()
        } else {
            own.start
        };
        let line = line_start(text, start);
        let rest_end = line_end(text, own.end);
        let comment = self.comments.first(own.end..rest_end);
        if comment.is_none() && !text.within(own.end..rest_end).trim().is_empty() {
            return None;
        }
        let inside = self.comments.texts(own.start + 1..own.end);
        let before = text.within(line..start);
        if !before.trim().is_empty() {
            // The first field of an item shares its line with the dash, which is kept.
            let dashes = before
                .chars()
                .all(|letter| letter == '-' || letter.is_whitespace());
            // The next thing moves up to the dash: a comment if there is one, otherwise the next field.
            let next = self.next?;
            let next = self.comments.first(own.end..next).unwrap_or(next);
            return (!self.is_item && dashes && inside.is_empty()).then(|| Replacement {
                range: start..next,
                text: String::new(),
            });
        }
        let range = match comment {
            // The comment is kept on a line of its own.
            Some(comment) => start..comment,
            None if !inside.is_empty() => start..rest_end,
            None if rest_end < text.len() => {
                self.blank_lines_above(line, rest_end, self.next.is_none())
                    ..next_line(text, rest_end)
            }
            // If the text ends without a line break, the break before the last line is removed with it.
            None => {
                let line = self.blank_lines_above(line, rest_end, true);
                without_break(text.until(line)).len()..rest_end
            }
        };
        // Comments inside are kept, too, one below the other.
        let line_break = line_break_near(text, start);
        let below = format!("{line_break}{before}");
        let mut kept = inside.join(&below);
        if comment.is_some() && !inside.is_empty() {
            kept.push_str(&below);
        }
        Some(Replacement { range, text: kept })
    }

    /// Returns the start of the blank lines above that would no longer separate anything after the removal: there are
    /// other blank lines below, or nothing.
    fn blank_lines_above(&self, line: usize, rest_end: usize, last: bool) -> usize {
        let text = self.text;
        let below = next_line(text, rest_end);
        let below = text.within(below..line_end(text, below)).trim();
        let is_end = ["---", "..."].iter().any(|sign| below.starts_with(sign));
        if !(below.is_empty() || (last && !below.starts_with('#')) || is_end) {
            return line;
        }
        let above = text.until(line).trim_end().len();
        // Blank lines at the end of a block scalar may be part of it.
        if ends_block_scalar(self.comments.document, above) {
            return line;
        }
        next_line(text, above).min(line)
    }
}
