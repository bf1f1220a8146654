//! Edits a text without touching unrelated bytes: comments, quoting, indentation, line ends. If that is impossible, it
//! makes no change.

use super::entries::Entries;
use super::node::{Document, Field, Kind, Node, Style};
use super::path::{index, join};
use super::quoting::written;
use super::removal::remove;
use super::scalar::{Scalar, resolve_plain};
use super::target::{Found, find};
pub use super::target::{Replacement, Target};
use crate::source::Span;
use crate::source::text::{Cut as _, line_break_near, line_end, line_start};

/// The change to make at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Removes the field or item. A list or map that would become empty is kept as `[]` or `{}`.
    Remove,
    /// Sets the value to this text, quoted as before, or as necessary.
    Set(String),
    /// Quotes the value, so that it becomes a text with the same characters.
    Quote,
    /// Replaces the value with its text without quotes.
    Unquote,
    /// Renames the key to this text.
    Rename(String),
    /// Adds a field with a text to the map, after its last field.
    Add(String, String),
}

/// Computes a change, or returns `None` if the place is not found or if the change would affect unrelated bytes.
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
            // In JSON, texts are quoted like their keys. YAML with only its keys quoted stays that way.
            let is_text = node
                .raw()
                .is_some_and(|raw| resolve_plain(raw) == Scalar::Str(raw));
            let json = !is_text
                && matches!(&found, Found::Field(_, field) if field.key.style() == Style::DoubleQuoted);
            let style = match node.style() {
                _ if json => Style::DoubleQuoted,
                Style::Literal | Style::Folded => Style::Plain,
                style => style,
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
            // A second field with this name would override the first.
            Found::Field(holder, field)
                if !field.key.is_alias() && holder.node.get(name).is_none() =>
            {
                replace(text, field.key, &written(name, field.key.style()))
            }
            Found::Field(..) | Found::Item(..) => None,
        },
        Change::Add(name, value) => add(text, value_of(&found)?, name, value),
    }
}

/// Whether the thing at a place is what a path ends in, and not a text that contains it. A list or map may have other
/// names, too.
pub fn is_named(document: &Document, (target, place): (Target, Span), path: &str) -> bool {
    let ends_in = |path: &str, name: &str| {
        let step = join("", name);
        path.strip_suffix(&step)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.') || step.starts_with('['))
    };
    match find(document.root(), target, place) {
        // A reader may use another name for a field. The value is then a single word.
        Some(Found::Field(_, field)) => {
            let is_word = |raw: &str| !raw.contains(|one: char| " \n\t:,{}[]".contains(one));
            field.name().is_some_and(|name| ends_in(path, name))
                || field.value.raw().is_some_and(is_word)
        }
        Some(Found::Item(_, item)) if item.kind() != Kind::Scalar => true,
        Some(Found::Item(holder, item)) => {
            let entries = Entries::of(holder.node);
            let at = entries.around(item.written_at().start).find(|at| {
                entries
                    .get(*at)
                    .is_some_and(|one| one.span() == item.written_at())
            });
            let list = at.and_then(|at| path.strip_suffix(&index("", at)));
            let name = holder.field.and_then(|field| field.name());
            list.zip(name)
                .is_some_and(|(list, name)| ends_in(list, name))
        }
        None => false,
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
    let text = text.get(..range.end)?;
    if range.is_empty() {
        // The place of an unwritten value is after the colon.
        return text.ends_with(':').then(|| Replacement {
            range,
            text: format!(" {new}"),
        });
    }
    (text.get(range.clone()) != Some(new)).then(|| Replacement {
        range,
        text: new.to_owned(),
    })
}

fn is_number(raw: &str) -> bool {
    matches!(resolve_plain(raw), Scalar::Int(_)) && raw.parse::<i64>().is_ok()
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
    let (name, value) = (written(name, style), written(value, style));
    let end = last.span().range().end;
    if map.style() == Style::Flow {
        // Separated like the other fields, each on a line of its own or without blanks.
        let before = match fields.len().checked_sub(2) {
            Some(at) => text.get(fields.get(at)?.span().range().end..last.span().range().start)?,
            None => text.get(map.span().range().start + 1..last.span().range().start)?,
        };
        let blanks = before.strip_prefix(',').unwrap_or(before);
        if !blanks.trim().is_empty() {
            return None;
        }
        let key_end = last.key.written_at().range().end;
        let tight = style == Style::DoubleQuoted && !text.get(key_end..)?.starts_with(": ");
        let blanks = match fields.len() {
            1 if !blanks.contains('\n') && tight => "",
            1 if !blanks.contains('\n') => " ",
            _ => blanks,
        };
        let colon = if tight { ":" } else { ": " };
        return Some(Replacement {
            range: end..end,
            text: format!(",{blanks}{name}{colon}{value}"),
        });
    }
    // Below the last field, in the column of the first, with the same line ending.
    let key = first.key.written_at().range().start;
    let before = text.within(line_start(text, key)..key);
    let column = before.chars().count();
    let last_is_plain = last.value.kind() == Kind::Scalar
        && matches!(
            last.value.style(),
            Style::Plain | Style::SingleQuoted | Style::DoubleQuoted
        );
    if !last_is_plain || before.contains('\t') {
        return None;
    }
    let at = line_end(text, end);
    let line_break = line_break_near(text, at);
    Some(Replacement {
        range: at..at,
        text: format!("{line_break}{}{name}: {value}", " ".repeat(column)),
    })
}

/// Applies changes to a text. They must be sorted and must not overlap. An overlapping change is skipped.
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
