//! The blocks of Go templates: each must be closed.

use super::Broken;
use crate::source::text::Cut as _;

const KEYWORDS: [&str; 7] = ["block", "define", "end", "if", "include", "range", "with"];

/// Blocks must be closed, each by one `end`. The parser does not check this.
pub fn check_blocks(text: &str) -> Result<(), Broken> {
    let mut open: Vec<usize> = Vec::new();
    let mut from = 0;
    while let Some(found) = text.since(from).find("{{") {
        let start = from + found;
        let inside = text.since(start + 2);
        let words = inside.strip_prefix("- ").unwrap_or(inside).trim_start();
        let close = if words.starts_with("/*") { "*/" } else { "}}" };
        let Some(length) = end_of_action(words, close) else {
            return Err(Broken {
                at: start,
                message: "this action has no `}}`".to_owned(),
            });
        };
        from = start + 2 + inside.len() - words.len() + length;
        let word = words.split(|c: char| !c.is_ascii_alphabetic()).next();
        match word.unwrap_or_default() {
            "if" | "with" | "range" | "define" | "block" => open.push(start),
            "end" if open.pop().is_none() => {
                return Err(Broken {
                    at: start,
                    message: "`end` without an open block".to_owned(),
                });
            }
            _ => {}
        }
    }
    match open.last() {
        None => Ok(()),
        Some(at) => Err(Broken {
            at: *at,
            message: "this block has no `end`".to_owned(),
        }),
    }
}

/// Whether an action of a text begins with a word of Go templates.
pub fn has_keywords(text: &str) -> bool {
    text.split("{{").skip(1).any(|action| {
        let words = action.trim_start_matches('-').trim_start();
        let word = words.split(|c: char| !c.is_ascii_alphabetic()).next();
        KEYWORDS.contains(&word.unwrap_or_default())
    })
}

/// The offset of the end of an action. Texts may contain the mark.
fn end_of_action(text: &str, close: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        match (quote, *byte) {
            (None, _) if rest.starts_with(close.as_bytes()) => return Some(at + close.len()),
            (None, b'"' | b'\'' | b'`') if close == "}}" => quote = Some(*byte),
            (Some(b'"' | b'\''), b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}
