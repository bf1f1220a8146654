//! Where go-yaml v2 reads on and the parser does not: the same text, byte for byte as long, put so that both read it.
//!
//! What a repair hides from the parser (the lines of a quoted text, a comment) is kept here, as go-yaml reads it.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::ErrorKind;

use super::node::Comment;
use super::scan::Scan;
use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};

/// How much text may be read for repairs, in bytes. A file that needs more is not one that people wrote.
pub(super) const BUDGET: usize = 64 * 1024 * 1024;

/// A place where the parser is to read something else than what is written.
pub(super) enum Repair {
    /// A quoted scalar whose lines are not indented as the parser wants them: from quote to quote, with its value.
    Quoted(Range<usize>, String),
    /// A comment that follows a token without a blank.
    Comment(Range<usize>),
    /// Tabs that indent the lines of a flow collection.
    Tabs(Range<usize>),
}

/// What is different from what is written.
#[derive(Default)]
pub(super) struct Repairs {
    /// By first byte: one past the last byte, and the value.
    quoted: HashMap<usize, (usize, String)>,
    comments: Vec<Range<usize>>,
}

impl Repairs {
    /// Puts repairs into the text. Each leaves less that a repair could be asked for.
    pub fn apply(&mut self, text: &mut String, repairs: Vec<Repair>) {
        for repair in repairs {
            match repair {
                Repair::Quoted(range, value) => {
                    let inside = range.start + 1..range.end - 1;
                    text.replace_range(inside.clone(), &"x".repeat(inside.len()));
                    self.quoted.insert(range.start, (range.end, value));
                }
                Repair::Comment(range) => {
                    text.replace_range(range.clone(), &" ".repeat(range.len()));
                    self.comments.push(range);
                }
                Repair::Tabs(range) => {
                    let lines: String = text
                        .within(range.clone())
                        .split_inclusive('\n')
                        .flat_map(|line| {
                            let rest = line.trim_start_matches([' ', '\t']);
                            [" ".repeat(line.len() - rest.len()), rest.to_owned()]
                        })
                        .collect();
                    text.replace_range(range, &lines);
                }
            }
        }
    }

    /// The value of a quoted scalar that was hidden.
    pub fn value(&self, range: &Range<usize>) -> Option<&str> {
        let (end, value) = self.quoted.get(&range.start)?;
        (*end == range.end).then_some(value)
    }

    /// The comments that were hidden.
    pub fn comments<'r>(
        &'r self,
        text: &'r str,
        source: SourceId,
    ) -> impl Iterator<Item = Comment> + 'r {
        self.comments.iter().map(move |range| Comment {
            span: Span::new(source, range.clone()),
            text: text.within(range.start + 1..range.end).to_owned(),
            own_line: false,
        })
    }
}

/// What to put otherwise, if go-yaml would have read on after an error at `at`. `reached` is the end of the last token before the error.
pub(super) fn repair(text: &str, kind: &ErrorKind, at: usize, reached: usize) -> Option<Repair> {
    match kind {
        ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::TabInIndentation
        | ErrorKind::UnknownQuotedScalarEscape => {
            let (range, value) = quoted_around(text, reached, at)?;
            Some(Repair::Quoted(range, value))
        }
        ErrorKind::CommentNotSeparated => {
            let rest = text.get(at..)?;
            rest.starts_with('#').then(|| {
                let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
                Repair::Comment(at..at + end)
            })
        }
        ErrorKind::TabInBlockIndentation => tabs_in_flow(text, at).map(Repair::Tabs),
        _ => None,
    }
}

/// The quoted scalar that `at` is in, searched from the end of an earlier token.
fn quoted_around(text: &str, from: usize, at: usize) -> Option<(Range<usize>, String)> {
    let mut scan = Scan::new(text, from);
    let mut boundary = true;
    while scan.at <= at {
        match scan.peek()? {
            b' ' | b'\t' | b'\n' | b'\r' => {
                scan.skip_blanks();
                boundary = true;
            }
            b'[' | b'{' | b',' | b':' => {
                scan.at += 1;
                boundary = true;
            }
            quote @ (b'"' | b'\'') if boundary => {
                let (end, value) = read_quoted(text, scan.at, quote)?;
                if at < end {
                    return Some((scan.at..end, value));
                }
                scan.at = end;
                boundary = false;
            }
            _ => {
                scan.at += 1;
                boundary = false;
            }
        }
    }
    None
}

/// Reads a quoted scalar as go-yaml does, whatever its indentation: one past its end, and its value. Nothing when
/// go-yaml refuses it as well.
fn read_quoted(text: &str, start: usize, quote: u8) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    let mut value = String::new();
    loop {
        if at_document_marker(bytes, at) {
            return None;
        }
        // Text without blanks; `joined` when it ended with an escaped line break.
        let mut joined = false;
        while let Some(next) = text.get(at..)?.chars().next() {
            match next {
                ' ' | '\t' | '\n' | '\r' => break,
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
        // Blanks count within a line, line breaks fold between lines.
        let blanks = at;
        let mut blanks_end = at;
        let mut breaks = 0_usize;
        loop {
            if let Some(length) = line_break(bytes, at) {
                breaks += 1;
                at += length;
            } else if matches!(bytes.get(at), Some(b' ' | b'\t')) {
                at += 1;
                if breaks == 0 && !joined {
                    blanks_end = at;
                }
            } else {
                break;
            }
        }
        match (joined, breaks) {
            (true, breaks) => value.extend(std::iter::repeat_n('\n', breaks)),
            (false, 0) => value.push_str(text.get(blanks..blanks_end)?),
            (false, 1) => value.push(' '),
            (false, breaks) => value.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        if at >= bytes.len() {
            return None;
        }
    }
}

/// `---` or `...` at the start of a line, as a word of its own.
fn at_document_marker(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let starts_line = matches!(before, None | Some(b'\n' | b'\r'));
    let rest = bytes.get(at..).unwrap_or_default();
    starts_line
        && (rest.starts_with(b"---") || rest.starts_with(b"..."))
        && matches!(rest.get(3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

fn line_break(bytes: &[u8], at: usize) -> Option<usize> {
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'\r', Some(b'\n')) => Some(2),
        (b'\r' | b'\n', _) => Some(1),
        _ => None,
    }
}

/// The character that the text after a backslash stands for, and how many bytes that takes.
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

/// The lines that tabs indent, from the one an error is in, if they continue a flow collection. Tabs are blanks there.
fn tabs_in_flow(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.until(at).rfind('\n').map_or(0, |line| line + 1);
    let tabbed = text
        .since(start)
        .bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .any(|byte| byte == b'\t');
    let opened = tabbed && text.until(start).trim_end().ends_with(['{', '[', ',']);
    let mut end = start;
    for line in text.since(start).split_inclusive('\n') {
        if !line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    opened.then_some(start..end)
}
