//! Changes of a text that leave every byte alone which they are not about: comments, quoting, indentation, line ends. Where
//! that cannot be promised, there is no change.

use std::ops::Range;

use super::node::{Document, Field, Kind, Node, Style};
use super::quoting::written;
use super::scalar::{Scalar, resolve_plain};
use crate::source::Span;

/// New text for a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What goes; empty where text is only put in.
    pub range: Range<usize>,
    /// What comes; empty where text is only taken out.
    pub text: String,
}

/// What a span names. The only field of an item has the same span as the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A field of a map, by its whole, its key or its value.
    Field,
    /// An item of a list.
    Item,
}

/// What is to be done to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The field or item goes. A list or map that would be empty stays, written `[]` or `{}`.
    Remove,
    /// The value becomes this text, quoted as it was, or as it must be.
    Set(String),
    /// The value becomes a text that reads as it did.
    Quote,
    /// The value becomes what its text says without quotes.
    Unquote,
    /// The key becomes this text.
    Rename(String),
    /// The map gets one more field with a text, after its last.
    Add(String, String),
}

/// Works out a change. Nothing when the place is not found, or when the change would touch more than it is about.
pub fn change(
    document: &Document,
    text: &str,
    (target, place): (Target, Span),
    change: &Change,
) -> Option<Replacement> {
    let found = find(document.root(), target, place)?;
    match change {
        Change::Remove => remove(document, text, &found),
        Change::Set(value) => {
            let node = value_of(&found).filter(|node| node.kind() == Kind::Scalar)?;
            // In JSON whatever is a text stands in quotes, as its key does.
            let json = matches!(&found, Found::Field(_, field) if field.key.style() == Style::DoubleQuoted);
            let style = if json {
                Style::DoubleQuoted
            } else {
                node.style()
            };
            replace(text, node, &written(value, style))
        }
        Change::Quote => {
            let node = value_of(&found).filter(|node| node.style() == Style::Plain)?;
            let raw = text
                .get(node.span().range())
                .filter(|raw| !raw.contains(['"', '\\', '\n']))?;
            replace(text, node, &format!("\"{raw}\""))
        }
        Change::Unquote => {
            let node = value_of(&found)?;
            let quoted = matches!(node.style(), Style::SingleQuoted | Style::DoubleQuoted);
            let raw = node.raw().filter(|raw| quoted && is_number(raw))?;
            replace(text, node, raw)
        }
        Change::Rename(name) => match &found {
            Found::Field(_, field) if !field.key.is_alias() => {
                replace(text, field.key, &written(name, field.key.style()))
            }
            Found::Field(..) | Found::Item(..) => None,
        },
        Change::Add(name, value) => add(text, value_of(&found)?, name, value),
    }
}

/// A place in the tree, with what it stands in.
enum Found<'a> {
    Field(Holder<'a>, Field<'a>),
    Item(Holder<'a>, Node<'a>),
}

/// The collection around a place, and the field whose value that is.
#[derive(Clone, Copy)]
struct Holder<'a> {
    node: Node<'a>,
    field: Option<Field<'a>>,
}

fn find(root: Node<'_>, target: Target, place: Span) -> Option<Found<'_>> {
    let mut pending = vec![Holder {
        node: root,
        field: None,
    }];
    while let Some(holder) = pending.pop() {
        for field in holder.node.written_fields() {
            // A map with one field has the span of that field.
            let value = field.value.kind() == Kind::Scalar && field.value.written_at() == place;
            let named = value || field.span() == place || field.key.written_at() == place;
            if target == Target::Field && named {
                return Some(Found::Field(holder, field));
            }
            descend(&mut pending, field.value, Some(field), place);
        }
        for item in holder.node.items() {
            if target == Target::Item && item.written_at() == place {
                return Some(Found::Item(holder, item));
            }
            descend(&mut pending, item, None, place);
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
    // What an alias stands for is found where it is written.
    if node.kind() != Kind::Scalar
        && !node.is_alias()
        && span.start <= place.start
        && place.end <= span.end
    {
        pending.push(Holder { node, field });
    }
}

fn value_of<'a>(found: &Found<'a>) -> Option<Node<'a>> {
    match found {
        Found::Field(_, field) => Some(field.value),
        Found::Item(_, item) => Some(*item),
    }
    .filter(|node| !node.is_alias())
}

fn replace(text: &str, node: Node<'_>, new: &str) -> Option<Replacement> {
    let range = node.written_at().range();
    // A value that is not written has no bytes to replace.
    (!range.is_empty() && text.get(range.clone()) != Some(new)).then(|| Replacement {
        range,
        text: new.to_owned(),
    })
}

fn is_number(raw: &str) -> bool {
    matches!(resolve_plain(raw), Scalar::Int(_)) && raw.parse::<i64>().is_ok()
}

fn remove(document: &Document, text: &str, found: &Found<'_>) -> Option<Replacement> {
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
        return empty(text, holder);
    }
    let is_item = matches!(found, Found::Item(..));
    let inside = document.comments().iter().filter(|comment| {
        let span = comment.span;
        own.start < span.start && span.end <= own.end
    });
    let inside: Vec<&str> = inside
        .filter_map(|comment| text.get(comment.span.range()))
        .collect();
    remove_in_block(text, own, siblings.get(at + 1).copied(), is_item, &inside)
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

/// A collection in block style loses all that it has.
fn empty(text: &str, holder: &Holder<'_>) -> Option<Replacement> {
    let field = holder.field?;
    let key_end = field.key.written_at().range().end;
    let end = holder.node.span().range().end;
    let between = text.get(key_end..holder.node.span().range().start)?;
    let colon = between.find(':')?;
    if between.contains(['#', '&', '!']) {
        return None;
    }
    let sign = if holder.node.kind() == Kind::Sequence {
        " []"
    } else {
        " {}"
    };
    Some(Replacement {
        range: key_end + colon + 1..end,
        text: sign.to_owned(),
    })
}

fn remove_in_block(
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
        None if rest_end < text.len() => line..rest_end + 1,
        // The last line of a text that ends without a line break goes with the break before it.
        None => {
            let before = text[..line].strip_suffix('\n').unwrap_or(&text[..line]);
            before.strip_suffix('\r').unwrap_or(before).len()..rest_end
        }
    };
    // Comments inside stay, too, below each other.
    let line_break = if text[..start].ends_with("\r\n") || text[own.clone()].contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let below = format!("{line_break}{}", &text[line..start]);
    let mut kept = inside.join(&below);
    if comment.is_some() && !inside.is_empty() {
        kept.push_str(&below);
    }
    Some(Replacement { range, text: kept })
}

fn add(text: &str, map: Node<'_>, name: &str, value: &str) -> Option<Replacement> {
    if map.kind() != Kind::Mapping || map.get(name).is_some() {
        return None;
    }
    let fields: Vec<Field<'_>> = map.written_fields().collect();
    let (first, last) = (fields.first()?, fields.last()?);
    let style = if fields
        .iter()
        .all(|field| field.key.style() == Style::DoubleQuoted)
    {
        Style::DoubleQuoted
    } else {
        Style::Plain
    };
    let pair = format!("{}: {}", written(name, style), written(value, style));
    let end = last.span().range().end;
    if map.style() == Style::Flow {
        return Some(Replacement {
            range: end..end,
            text: format!(", {pair}"),
        });
    }
    // Below the last field, in the column of the first, with the line end that the text has there.
    let key = first.key.written_at().range().start;
    let line = text[..key].rfind('\n').map_or(0, |at| at + 1);
    let column = text[line..key].chars().count();
    let last_is_plain = last.value.kind() == Kind::Scalar
        && matches!(
            last.value.style(),
            Style::Plain | Style::SingleQuoted | Style::DoubleQuoted
        );
    if !last_is_plain || text[line..key].contains('\t') {
        return None;
    }
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let (at, line_break) = match text[..line_end].strip_suffix('\r') {
        Some(without) => (without.len(), "\r\n"),
        None => (line_end, "\n"),
    };
    Some(Replacement {
        range: at..at,
        text: format!("{line_break}{}{pair}", " ".repeat(column)),
    })
}

/// Applies changes to a text. They must be sorted and must not overlap; one that does is left out.
pub fn apply(text: &str, replacements: &[Replacement]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for replacement in replacements {
        let Some(kept) = text.get(at..replacement.range.start) else {
            continue;
        };
        new.push_str(kept);
        new.push_str(&replacement.text);
        at = replacement.range.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}
