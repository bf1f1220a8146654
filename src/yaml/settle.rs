//! Makes texts with unknown parts readable as YAML: whole unknown lines become an entry of the list, a field of the mapping
//! or the value that contains them.

use super::pieces::{OPEN, Origin, Pieces};
use crate::source::text::Cut as _;

/// The number of lines that are searched for the list or mapping that a line belongs to.
const MAX_LINES: usize = 1_000;

/// What a line can be, according to the lines around it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// The value of the field before it, whose key is in this column.
    Value(usize),
    /// An item of a list.
    Item,
    /// A field of a mapping.
    Field,
    /// The first line of a document.
    Document,
    /// More of the unknown value before it.
    Same,
}

/// Returns the same text with valid YAML instead of whole unknown lines.
pub(super) fn settle(text: &Pieces) -> Pieces {
    let mut settled = Pieces::default();
    let mut count = 0;
    for (range, piece) in text.parts() {
        let line = match &piece.origin {
            Origin::Open(open) => {
                count += 1;
                let rest = text.text().since(range.end);
                match &open.like {
                    Some(like) => line_like(&mut settled, like, count),
                    None => line_before(&mut settled, rest, count),
                }
            }
            Origin::Verbatim(..) | Origin::Made(_) => None,
        };
        let written = match &line {
            Some(line) => line,
            None => text.text().within(range),
        };
        settled.push_marked(written, piece.origin.clone(), piece.mark);
    }
    settled
}

/// Returns what to add for unknown lines that resemble another one.
fn line_like(settled: &mut Pieces, like: &str, count: usize) -> Option<String> {
    let start = settled.text().rfind('\n').map_or(0, |at| at + 1);
    if !settled.text().since(start).trim().is_empty() {
        return None;
    }
    let indentation = like.until(like.len() - like.trim_start().len());
    settled.truncate(start);
    Some(match like.trim_start().starts_with('-') {
        true => format!("{indentation}- {OPEN}{count}\n"),
        false => format!("{indentation}{OPEN}{count}: {OPEN}\n"),
    })
}

/// Returns what to add for an unknown part of a line, if it is not just a part of a value. `rest` is the text after it.
fn line_before(settled: &mut Pieces, rest: &str, count: usize) -> Option<String> {
    let (end, _) = rest.split_once('\n').unwrap_or((rest, ""));
    if !end.trim().is_empty() {
        return None;
    }
    let start = settled.text().rfind('\n').map_or(0, |at| at + 1);
    let (before, own) = (settled.text().until(start), settled.text().since(start));
    let field = || format!("{OPEN}{count}: {OPEN}");
    let item = || format!("- {OPEN}");
    let entry = |beside: &str| if is_item(beside) { item() } else { field() };
    let next = next_line(rest);
    if own.trim().is_empty() {
        let slot = slot(before, own.len());
        if let (Slot::Value(column), Some((indentation, beside))) = (slot, next)
            && (indentation > column || (indentation == column && is_item(beside)))
        {
            // The lines after it belong to the same value.
            let line = " ".repeat(indentation) + &entry(beside);
            settled.truncate(start);
            return Some(line);
        }
        return Some(match slot {
            Slot::Value(_) => OPEN.to_owned(),
            Slot::Same => String::new(),
            Slot::Item => item(),
            Slot::Document if next.is_none() => OPEN.to_owned(),
            Slot::Document | Slot::Field => field(),
        });
    }
    let is_key = own.trim_end().strip_suffix(':');
    if is_key.is_none_or(|key| key.contains(": ") || key.contains(['"', '\''])) {
        return None;
    }
    match next {
        // The value continues on the next lines.
        Some((indentation, beside)) if indentation > column_of(own) => {
            Some(format!("\n{}{}", " ".repeat(indentation), entry(beside)))
        }
        _ if own.ends_with(':') => Some(format!(" {OPEN}")),
        _ => None,
    }
}

/// Returns what a line with this indentation is after a text.
fn slot(before: &str, indentation: usize) -> Slot {
    let lines = before.lines().rev().filter(|line| has_content(line));
    for (distance, line) in lines.take(MAX_LINES).enumerate() {
        if line.starts_with("---") {
            break;
        }
        let content = line.trim_start();
        let own = line.len() - content.len();
        if distance == 0 && content == OPEN && own == indentation {
            return Slot::Same;
        }
        let content = content.split(" #").next().unwrap_or_default().trim_end();
        let opens = distance == 0 && content.ends_with(':');
        let inner = column_of(line);
        if opens && inner < indentation {
            return Slot::Value(inner);
        }
        // A list may have the indentation of its key.
        if opens && inner == indentation {
            return Slot::Item;
        }
        if own <= indentation {
            return match is_item(content) && own == indentation {
                true => Slot::Item,
                // Behind `key: |` or `key: &anchor`.
                false if distance == 0 && inner < indentation && !is_item(content) => {
                    Slot::Value(inner)
                }
                false => Slot::Field,
            };
        }
    }
    Slot::Document
}

/// The column of the first word of a line. Behind dashes, another mapping or list may begin on the same line.
fn column_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(['-', ' ']).len()
}

/// The indentation and content of the next line with content of the same document.
fn next_line(rest: &str) -> Option<(usize, &str)> {
    let mut lines = rest.lines().skip(1).take(MAX_LINES);
    let line = lines.find(|line| has_content(line) && line.trim() != OPEN)?;
    let content = line.trim_start();
    (!line.starts_with("---")).then_some((line.len() - content.len(), content))
}

fn has_content(line: &str) -> bool {
    let content = line.trim_start();
    !content.is_empty() && !content.starts_with('#')
}

fn is_item(content: &str) -> bool {
    content.trim_end() == "-" || content.starts_with("- ")
}
