//! Reads quoted scalars like go-yaml, and folds the lines of others like it.

use std::ops::Range;

use super::breaks::{has_odd_break, kept, line_break};

/// Reads a quoted scalar like go-yaml, whatever its indentation. Returns one past its end and its value, or `None` if
/// go-yaml rejects it, too.
pub(super) fn read_quoted(text: &str, start: usize, quote: u8) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    let mut value = String::new();
    loop {
        if at_document_marker(bytes, at) {
            return None;
        }
        // Reads text without blanks. `joined` is set if it ended with an escaped line break.
        let mut joined = false;
        while let Some(next) = text.get(at..)?.chars().next() {
            match next {
                ' ' | '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => break,
                '\'' if quote == b'\'' => {
                    if bytes.get(at + 1) != Some(&b'\'') {
                        return Some((at + 1, value));
                    }
                    value.push('\'');
                    at += 2;
                }
                '"' if quote == b'"' => return Some((at + 1, value)),
                '\\' if quote == b'"' => {
                    at += 1;
                    if let Some(length) = line_break(bytes, at) {
                        at += length;
                        joined = true;
                        break;
                    }
                    let (character, length) = escape(text.get(at..)?)?;
                    value.push(character);
                    at += length;
                }
                '\0' => return None,
                other => {
                    value.push(other);
                    at += other.len_utf8();
                }
            }
        }
        // Blanks inside a line are kept, line breaks between lines are folded.
        let blanks = at;
        let mut blanks_end = at;
        let mut breaks = Vec::new();
        loop {
            if let Some(length) = line_break(bytes, at) {
                breaks.push(kept(text, at));
                at += length;
            } else if matches!(bytes.get(at), Some(b' ' | b'\t')) {
                at += 1;
                if breaks.is_empty() && !joined {
                    blanks_end = at;
                }
            } else {
                break;
            }
        }
        match breaks.split_first() {
            None if !joined => value.push_str(text.get(blanks..blanks_end)?),
            None => {}
            Some(_) if joined => value.extend(&breaks),
            Some(('\n', [])) => value.push(' '),
            Some(('\n', more)) => value.extend(more),
            Some(_) => value.extend(&breaks),
        }
        if at >= bytes.len() {
            return None;
        }
    }
}

/// Whether there is a `---` or `...` at the start of a line, as a word of its own.
fn at_document_marker(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let starts_line = matches!(before, None | Some(b'\n' | b'\r'));
    let rest = bytes.get(at..).unwrap_or_default();
    starts_line
        && (rest.starts_with(b"---") || rest.starts_with(b"..."))
        && matches!(rest.get(3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

/// Folds a multi-line value like go-yaml, if one of its line breaks is one that only go-yaml recognizes.
pub(super) fn folded(text: &str, range: &Range<usize>) -> Option<String> {
    let written = text.get(range.clone())?;
    if !has_odd_break(written) {
        return None;
    }
    match written.as_bytes().first()? {
        quote @ (b'"' | b'\'') => read_quoted(text, range.start, *quote).map(|(_, value)| value),
        _ => {
            // A plain value is folded like a single-quoted one.
            let quoted = format!("'{}'", written.replace('\'', "''"));
            read_quoted(&quoted, 0, b'\'').map(|(_, value)| value)
        }
    }
}

/// Returns the character for the text after a backslash, and the length of that text in bytes.
fn escape(rest: &str) -> Option<(char, usize)> {
    let first = rest.chars().next()?;
    let digits = match first {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => {
            let meant = match first {
                '0' => '\0',
                'a' => '\u{7}',
                'b' => '\u{8}',
                't' | '\t' => '\t',
                'n' => '\n',
                'v' => '\u{b}',
                'f' => '\u{c}',
                'r' => '\r',
                'e' => '\u{1b}',
                ' ' | '"' | '\'' | '\\' | '/' => first,
                'N' => '\u{85}',
                '_' => '\u{a0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                _ => return None,
            };
            return Some((meant, 1));
        }
    };
    let digits = rest.get(1..=digits)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let meant = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    Some((meant, 1 + digits.len()))
}
