//! Jinja templates as parts: text, `{{ … }}`, and the blocks of `{% … %}`.

use std::ops::Range;

use super::Broken;
use super::tree::Part;
use crate::source::text::Cut as _;

/// How deeply blocks may be nested.
const MAX_DEPTH: usize = 100;

/// Parses a file.
///
/// # Errors
/// Returns where it is broken.
pub fn parse(text: &str) -> Result<Vec<Part>, Broken> {
    let mut open: Vec<Open> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut at = 0;
    let mut strips = false;
    loop {
        let tag = next_tag(text, at)?;
        let end = tag.as_ref().map_or(text.len(), |tag| tag.whole.start);
        let written = text.within(at..end);
        let from = match strips {
            true => at + written.len() - written.trim_start().len(),
            false => at,
        };
        let to = match tag.as_ref().is_some_and(|tag| tag.strips_before) {
            true => at + written.trim_end().len(),
            false => end,
        };
        if from < to {
            parts.push(Part::Text(from..to));
        }
        let Some(tag) = tag else {
            break;
        };
        at = tag.whole.end;
        strips = tag.strips_after;
        match tag.kind {
            Tag::Comment => {}
            Tag::Value => parts.push(Part::Value(tag.whole)),
            Tag::Block => {
                let words = text.within(tag.inside.clone());
                let word = words.split_whitespace().next().unwrap_or_default();
                let rest = tag.inside.start + words.find(word).unwrap_or(0) + word.len();
                let expression = rest..tag.inside.end.max(rest);
                match word {
                    "if" | "for" | "macro" | "call" | "filter" | "block" => {
                        let kind = match word {
                            "if" => Kind::If,
                            "for" => Kind::For,
                            "macro" => Kind::Macro,
                            _ => Kind::Other,
                        };
                        if open.len() >= MAX_DEPTH {
                            return Err(error(tag.whole.start, "blocks are nested too deeply"));
                        }
                        open.push(Open {
                            kind,
                            at: expression,
                            arms: Vec::new(),
                            outer: std::mem::take(&mut parts),
                        });
                    }
                    "elif" | "else" => {
                        let Some(block) = open.last_mut() else {
                            return Err(error(tag.whole.start, "there is no open block"));
                        };
                        block.arms.push(std::mem::take(&mut parts));
                    }
                    "raw" => {
                        let rest = text.since(at);
                        let Some(end) = next_end_raw(rest) else {
                            return Err(error(tag.whole.start, "this block has no `endraw`"));
                        };
                        parts.push(Part::Text(at..at + end.start));
                        at += end.end;
                    }
                    _ if word.starts_with("end") => {
                        let Some(mut block) = open.pop() else {
                            return Err(error(tag.whole.start, "there is no open block"));
                        };
                        block.arms.push(std::mem::replace(&mut parts, block.outer));
                        parts.extend(closed(block.kind, block.at, block.arms));
                    }
                    // `set`, `include`, `import` and the like.
                    _ => {}
                }
            }
        }
    }
    match open.last() {
        None => Ok(parts),
        Some(block) => Err(error(block.at.start, "this block is not closed")),
    }
}

/// A block that is not closed yet.
struct Open {
    kind: Kind,
    at: Range<usize>,
    arms: Vec<Vec<Part>>,
    /// The parts before it.
    outer: Vec<Part>,
}

#[derive(Clone, Copy)]
enum Kind {
    If,
    For,
    Macro,
    Other,
}

fn closed(kind: Kind, at: Range<usize>, mut arms: Vec<Vec<Part>>) -> Vec<Part> {
    match kind {
        Kind::If => vec![Part::If { at, arms }],
        Kind::For => {
            let otherwise = (arms.len() > 1).then(|| arms.pop().unwrap_or_default());
            let body = arms.into_iter().flatten().collect();
            vec![Part::For {
                at,
                body,
                otherwise,
            }]
        }
        // A macro is written where it is called.
        Kind::Macro => Vec::new(),
        Kind::Other => arms.into_iter().flatten().collect(),
    }
}

enum Tag {
    Value,
    Block,
    Comment,
}

struct NextTag {
    kind: Tag,
    whole: Range<usize>,
    inside: Range<usize>,
    strips_before: bool,
    strips_after: bool,
}

/// The next tag from an offset on.
fn next_tag(text: &str, from: usize) -> Result<Option<NextTag>, Broken> {
    let rest = text.since(from);
    let Some(start) = memchr::memchr_iter(b'{', rest.as_bytes())
        .find(|at| matches!(rest.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')))
    else {
        return Ok(None);
    };
    let start = from + start;
    let (kind, close) = match text.as_bytes().get(start + 1) {
        Some(b'{') => (Tag::Value, "}}"),
        Some(b'%') => (Tag::Block, "%}"),
        _ => (Tag::Comment, "#}"),
    };
    let inner = text.since(start + 2);
    let is_comment = matches!(kind, Tag::Comment);
    let Some(length) = end_of_tag(inner, close, !is_comment) else {
        return Err(error(start, &format!("this tag has no `{close}`")));
    };
    let written = inner.until(length);
    let strips_before = written.starts_with('-');
    let strips_after = written.ends_with('-') && written.len() > 1;
    let inside = start + 2 + usize::from(written.starts_with(['-', '+']));
    let inside_end =
        start + 2 + length - usize::from(written.len() > 1 && written.ends_with(['-', '+']));
    Ok(Some(NextTag {
        kind,
        whole: start..start + 2 + length + close.len(),
        inside: inside..inside_end.max(inside),
        strips_before,
        strips_after,
    }))
}

/// The offset of the end of a tag. Texts in quotes may contain the mark.
fn end_of_tag(inner: &str, close: &str, has_texts: bool) -> Option<usize> {
    let mut quote = None;
    let bytes = inner.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (None, _)
                if bytes
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(close.as_bytes())) =>
            {
                return Some(at);
            }
            (None, b'"' | b'\'') if has_texts => quote = Some(*byte),
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The place of `{% endraw %}`.
fn next_end_raw(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = text.since(from).find("{%") {
        let start = from + at;
        let length = text.since(start).find("%}")?;
        let words = text.within(start + 2..start + length);
        if words.trim_matches(['-', '+']).trim() == "endraw" {
            return Some(start..start + length + 2);
        }
        from = start + 2;
    }
    None
}

fn error(at: usize, message: &str) -> Broken {
    Broken {
        at,
        message: message.to_owned(),
    }
}
