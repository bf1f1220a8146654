//! Rewrites text that go-yaml v2 accepts and the parser does not, so that both read it; its length does not change.
//!
//! Stores what a repair hides from the parser (the lines of a quoted text, a comment), as go-yaml reads it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use granit_parser::ErrorKind;

use super::breaks::{has_odd_break, kept, line_break};
use super::node::Comment;
use super::scan::Scan;
use crate::source::text::{Cut as _, line_start};
use crate::source::{SourceId, Span};

/// The maximum number of bytes that repairs may read. No file written by people needs more.
pub(super) const BUDGET: usize = 64 * 1024 * 1024;

/// A place where the parser must read something other than the written text.
pub(super) enum Repair {
    /// A quoted scalar with lines that are not indented enough for the parser: from quote to quote, with its value.
    Quoted(Range<usize>, String),
    /// A comment that follows a token without a blank.
    Comment(Range<usize>),
    /// The spaces before a comment that ends a block scalar, and its `#`. The parser takes it for a line of the scalar.
    Indent(Range<usize>),
    /// Tabs that indent the lines of a flow collection.
    Tabs(Range<usize>),
    /// A single dash in a flow collection, which is a text.
    Dash(usize),
    /// A tag that contains commas or brackets.
    Tag(Range<usize>),
}

/// The differences from the written text.
#[derive(Default)]
pub(super) struct Repairs {
    /// By first byte: one past the last byte, and the value.
    quoted: HashMap<usize, (usize, String)>,
    comments: Vec<Range<usize>>,
    tags: HashSet<usize>,
}

impl Repairs {
    /// Applies repairs to the text. Each leaves fewer places that could need a repair.
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
                Repair::Indent(range) => {
                    let spaces = " ".repeat(range.len() - 1);
                    text.replace_range(range, &format!("#{spaces}"));
                }
                Repair::Dash(at) => {
                    text.replace_range(at..at + 1, "x");
                    self.quoted.insert(at, (at + 1, "-".to_owned()));
                }
                Repair::Tag(range) => {
                    let tag = text.within(range.clone()).replace([',', '[', ']'], "-");
                    self.tags.insert(range.start);
                    text.replace_range(range, &tag);
                }
                Repair::Tabs(range) => {
                    let lines: String = text
                        .within(range.clone())
                        .split_inclusive(['\n', '\r'])
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

    /// Whether a tag was rewritten.
    pub fn has_tag(&self, start: usize) -> bool {
        self.tags.contains(&start)
    }

    /// Returns the value of a hidden quoted scalar.
    pub fn value(&self, range: &Range<usize>) -> Option<&str> {
        let (end, value) = self.quoted.get(&range.start)?;
        (*end == range.end).then_some(value)
    }

    /// Returns the hidden comments.
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

/// Returns the repair if go-yaml accepts the text at the error `at`. `reached` is the end of the token before it.
pub(super) fn repair(
    text: &str,
    kind: &ErrorKind,
    at: usize,
    reached: usize,
    flows: usize,
) -> Option<Repair> {
    let flow = || open_at(text, reached, at, flows);
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
        ErrorKind::InvalidBlockScalarIndent => {
            let is_comment = text.get(at..)?.starts_with('#');
            is_comment.then(|| Repair::Indent(line_start(text, at)..at + 1))
        }
        ErrorKind::TabInBlockIndentation => {
            tabs_in_flow(text, at, reached, flows).map(Repair::Tabs)
        }
        ErrorKind::PlainScalarStartsWithDashFlowIndicator if flow() => {
            let dash = text.get(at..)?.starts_with('-');
            dash.then_some(Repair::Dash(at))
        }
        _ => None,
    }
}

/// Returns the quoted scalar that contains `at`. The search starts at the end of an earlier token.
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

/// Reads a quoted scalar like go-yaml, whatever its indentation. Returns one past its end and its value, or `None` if
/// go-yaml rejects it, too.
fn read_quoted(text: &str, start: usize, quote: u8) -> Option<(usize, String)> {
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

/// Whether brackets or braces are open at a place, given how many were open at an earlier token. The parser looks ahead.
fn open_at(text: &str, from: usize, at: usize, flows: usize) -> bool {
    let mut open = flows;
    let mut scan = Scan::new(text, from);
    while scan.at < at {
        scan.skip_blanks();
        match scan.peek() {
            Some(quote @ (b'"' | b'\'')) => match read_quoted(text, scan.at, quote) {
                Some((end, _)) => {
                    scan.at = end;
                    continue;
                }
                None => return open > 0,
            },
            Some(b'{' | b'[') => open += 1,
            Some(b'}' | b']') => open = open.saturating_sub(1),
            _ => {}
        }
        scan.at += 1;
    }
    open > 0
}

/// Returns the tab-indented lines from that of an error if they continue a flow collection. Tabs are blanks there.
fn tabs_in_flow(text: &str, at: usize, reached: usize, flows: usize) -> Option<Range<usize>> {
    let is_end = |one: char| matches!(one, '\n' | '\r');
    let mut start = text.until(at).rfind(is_end).map_or(0, |line| line + 1);
    let tabbed = |start: usize| {
        let mut blanks = text
            .since(start)
            .bytes()
            .take_while(|byte| matches!(byte, b' ' | b'\t'));
        blanks.any(|byte| byte == b'\t')
    };
    if !tabbed(start) {
        // The error may be reported on the following line.
        let line = text.until(start).trim_end_matches(is_end);
        start = line.rfind(is_end).map_or(0, |line| line + 1);
    }
    // A closing bracket is inside a collection.
    let closes = || {
        text.since(start)
            .trim_start_matches([' ', '\t'])
            .starts_with([']', '}'])
    };
    // Clients read text that starts with a brace as JSON, whatever blanks precede it.
    let is_json = || {
        let before = text
            .until(start)
            .trim_matches(['\u{feff}', ' ', '\t', '\n', '\r']);
        before.is_empty() && text.since(start).trim_start().starts_with('{')
    };
    let opened = tabbed(start) && (open_at(text, reached, start, flows) || closes() || is_json());
    let mut end = start;
    for line in text.since(start).split_inclusive(is_end) {
        if !line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    opened.then_some(start..end)
}
