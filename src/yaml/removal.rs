//! Taking a field or an item out of a text: which bytes go with it, and which comments stay.

use std::ops::Range;

use super::node::{Document, Kind, Node, Style};
use super::target::{Found, Holder, Replacement};
use crate::source::Span;

/// Takes out a field or an item, with its line or lines and what parts it from its neighbours.
pub(super) fn remove(document: &Document, text: &str, found: &Found<'_>) -> Option<Replacement> {
    let (holder, own, siblings): (_, Span, Vec<Span>) = match found {
        Found::Field(holder, field) => {
            let all = holder.node.written_fields().map(|field| field.span());
            (holder, field.span(), all.collect())
        }
        Found::Item(holder, item) => {
            let all = holder.node.items().map(Node::written_at);
            (holder, item.written_at(), all.collect())
        }
    };
    let at = siblings.iter().position(|one| *one == own)?;
    if holder.node.style() == Style::Flow {
        return remove_in_flow(text, holder.node, own, &siblings, at);
    }
    if siblings.len() == 1 {
        return empty(document, text, holder);
    }
    let is_item = matches!(found, Found::Item(..));
    let inside = comments_in(document, text, own.range());
    remove_in_block(
        document,
        text,
        own,
        siblings.get(at + 1).copied(),
        is_item,
        &inside,
    )
}

/// The comments that begin behind the start of a range and end in it.
fn comments_in<'t>(document: &Document, text: &'t str, range: Range<usize>) -> Vec<&'t str> {
    let spans = document
        .comments()
        .iter()
        .map(|comment| comment.span.range());
    spans
        .filter(|span| range.start < span.start && span.end <= range.end)
        .filter_map(|span| text.get(span))
        .collect()
}

fn remove_in_flow(
    text: &str,
    holder: Node<'_>,
    own: Span,
    siblings: &[Span],
    at: usize,
) -> Option<Replacement> {
    let range = match (
        at.checked_sub(1).map(|before| siblings[before]),
        siblings.get(at + 1),
    ) {
        (Some(before), _) => before.range().end..own.range().end,
        (None, Some(after)) => own.range().start..after.range().start,
        (None, None) => {
            let whole = holder.span().range();
            whole.start + 1..whole.end.checked_sub(1)?
        }
    };
    // A comment, or an anchor or a tag, which stand outside of the spans.
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

/// A collection in block style loses all that it has. Comments stay: behind the key's value, or below it.
fn empty(document: &Document, text: &str, holder: &Holder<'_>) -> Option<Replacement> {
    let field = holder.field?;
    let key_end = field.key.written_at().range().end;
    let whole = holder.node.span().range();
    let between = text.get(key_end..whole.start)?;
    let colon = key_end + between.find(':')? + 1;
    let mut kept = comments_in(document, text, key_end..whole.end);
    let bare = |part: &str| {
        kept.iter()
            .fold(part.to_owned(), |rest, one| rest.replace(one, ""))
    };
    if bare(between).contains(['#', '&', '!']) {
        return None;
    }
    let mut new = String::from(if holder.node.kind() == Kind::Sequence {
        " []"
    } else {
        " {}"
    });
    let line_end = text[colon..].find('\n').map_or(text.len(), |at| colon + at);
    if let Some(behind) = text[colon..line_end].find('#') {
        let behind = text[colon..colon + behind].to_owned() + kept.remove(0);
        new.push_str(&behind);
    }
    // What stands behind the last line would otherwise be behind the last comment.
    let rest_end = text[whole.end..]
        .find('\n')
        .map_or(text.len(), |at| whole.end + at);
    let behind = text[whole.end..rest_end].find('#').map(|at| whole.end + at);
    let mut end = whole.end;
    let below = new.contains('#') || !kept.is_empty();
    if let (Some(start), true) = (behind, below) {
        kept.push(text[start..rest_end].trim_end_matches('\r'));
        end = rest_end - usize::from(text[start..rest_end].ends_with('\r'));
    }
    let first = text[..whole.start].rfind('\n').map_or(0, |at| at + 1);
    let blanks = text[first..].len() - text[first..].trim_start_matches(' ').len();
    let line_break = line_break_near(text, whole.end);
    for comment in kept {
        new.push_str(line_break);
        new.push_str(&text[first..first + blanks]);
        new.push_str(comment);
    }
    Some(Replacement {
        range: colon..end,
        text: new,
    })
}

/// Where the blank lines start that part what goes from what is above it, and that part nothing when it is gone: there is
/// another below, or nothing.
fn blank_lines_above(
    document: &Document,
    text: &str,
    line: usize,
    rest_end: usize,
    last: bool,
) -> usize {
    let below = text.get(rest_end + 1..).unwrap_or_default();
    let below = below.split('\n').next().unwrap_or_default().trim();
    let is_end = ["---", "..."].iter().any(|sign| below.starts_with(sign));
    if !(below.is_empty() || (last && !below.starts_with('#')) || is_end) {
        return line;
    }
    let above = text[..line].trim_end();
    // Blank lines at the end of a text in block style may belong to it.
    let is_text = |style| matches!(style, Style::Literal | Style::Folded);
    if document
        .nodes
        .iter()
        .any(|node| is_text(node.style) && node.end as usize == above.len())
    {
        return line;
    }
    text[above.len()..line]
        .find('\n')
        .map_or(line, |at| above.len() + at + 1)
}

fn remove_in_block(
    document: &Document,
    text: &str,
    own: Span,
    next: Option<Span>,
    is_item: bool,
    inside: &[&str],
) -> Option<Replacement> {
    let own = own.range();
    let start = if is_item {
        // The dash may stand on a line above. Before what it is for may be a comment, an anchor or a tag, too.
        let before = text.get(..own.start)?.trim_end();
        before.ends_with('-').then(|| before.len() - 1)?
    } else {
        own.start
    };
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest_end = text[own.end..]
        .find('\n')
        .map_or(text.len(), |at| own.end + at);
    let rest = text.get(own.end..rest_end)?;
    let comment = rest.find('#').map(|at| own.end + at);
    if comment.is_none() && !rest.trim().is_empty() {
        return None;
    }
    if !text[line..start].trim().is_empty() {
        // The first field of an item shares its line with the dash, which stays.
        let dashes = text[line..start]
            .chars()
            .all(|letter| letter == '-' || letter.is_whitespace());
        // What comes next moves up to the dash: a comment if there is one, else the next field.
        let next = next?.range().start;
        let comment = text.get(own.end..next)?.find('#').map(|at| own.end + at);
        return (!is_item && dashes && inside.is_empty()).then(|| Replacement {
            range: start..comment.unwrap_or(next),
            text: String::new(),
        });
    }
    let range = match comment {
        // The comment stays, on a line of its own.
        Some(comment) => start..comment,
        None if !inside.is_empty() => start..rest_end - usize::from(rest.ends_with('\r')),
        None if rest_end < text.len() => {
            blank_lines_above(document, text, line, rest_end, next.is_none())..rest_end + 1
        }
        // The last line of a text that ends without a line break goes with the break before it.
        None => {
            let line = blank_lines_above(document, text, line, rest_end, true);
            let before = text[..line].strip_suffix('\n').unwrap_or(&text[..line]);
            before.strip_suffix('\r').unwrap_or(before).len()..rest_end
        }
    };
    // Comments inside stay, too, below each other.
    let line_break = line_break_near(text, start);
    let below = format!("{line_break}{}", &text[line..start]);
    let mut kept = inside.join(&below);
    if comment.is_some() && !inside.is_empty() {
        kept.push_str(&below);
    }
    Some(Replacement { range, text: kept })
}

/// How lines end around a place: as the one before it does, or the one after it where there is none.
pub(super) fn line_break_near(text: &str, at: usize) -> &'static str {
    let before = text[..at].rfind('\n');
    let end = before.or_else(|| text[at..].find('\n').map(|end| at + end));
    match end {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
