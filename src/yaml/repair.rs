//! Rewrites text that go-yaml v2 accepts and the parser does not, so that both read it; its length does not change.
//!
//! Stores what a repair hides from the parser (the lines of a quoted text, a comment), as go-yaml reads it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use granit_parser::ErrorKind;

use super::node::Comment;
use super::quoted::read_quoted;
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
    /// The tag of an empty key in brackets or braces whose colon has no blank behind it, and the blanks up to the colon.
    EmptyKey(Range<usize>),
    /// The lines between an indicator and the header of its block scalar, which is not indented enough for the parser.
    Header(Range<usize>),
    /// What follows a `...` on its line, up to the next document. Nobody reads it.
    Behind(Range<usize>),
    /// A closing bracket or brace that nothing opened. Behind the whole document it ends the document, as a comma does.
    Bracket(usize),
}

/// The differences from the written text.
#[derive(Default)]
pub(super) struct Repairs {
    /// By first byte: one past the last byte, and the value.
    quoted: HashMap<usize, (usize, String)>,
    comments: Vec<Range<usize>>,
    tags: HashSet<usize>,
    /// The text that is not read behind a `...`: its end, by its start.
    behind: HashMap<usize, usize>,
    brackets: HashSet<usize>,
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
                    blank(text, range.clone());
                    self.comments.push(range);
                }
                Repair::Header(range) => {
                    let mut scan = Scan::new(text, range.start);
                    self.comments
                        .extend(std::iter::from_fn(|| scan.next_comment(range.end)));
                    text.replace_range(range.clone(), &" ".repeat(range.len()));
                }
                Repair::Behind(range) => {
                    self.behind.insert(range.start, range.end);
                    blank(text, range);
                }
                Repair::EmptyKey(range) => {
                    let blanks = " ".repeat(range.len() - 2);
                    text.replace_range(range, &format!("\"\"{blanks}"));
                }
                Repair::Indent(range) => {
                    let spaces = " ".repeat(range.len() - 1);
                    text.replace_range(range, &format!("#{spaces}"));
                }
                Repair::Dash(at) => {
                    text.replace_range(at..at + 1, "x");
                    self.quoted.insert(at, (at + 1, "-".to_owned()));
                }
                Repair::Bracket(at) => {
                    text.replace_range(at..at + 1, ",");
                    self.brackets.insert(at);
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

    /// Whether a closing bracket that nothing opened is at a place.
    pub fn has_bracket(&self, at: usize) -> bool {
        self.brackets.contains(&at)
    }

    /// Returns the end of the text that is not read behind the end of a document.
    pub fn end_behind(&self, document_end: usize) -> usize {
        let hidden = self.behind.get(&document_end);
        hidden.copied().unwrap_or(document_end)
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
            own_line: text
                .within(line_start(text, range.start)..range.start)
                .trim()
                .is_empty(),
        })
    }
}

/// Returns the repair if go-yaml accepts the text at the error `at`. `reached` is the end of the token before it, `flows`
/// the number of open brackets and braces, and `column` that of the innermost block.
pub(super) fn repair(
    text: &str,
    kind: &ErrorKind,
    at: usize,
    reached: usize,
    flows: usize,
    column: Option<usize>,
) -> Option<Repair> {
    let flow = || open_at(text, reached, at, flows);
    match kind {
        ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::TabInIndentation
        | ErrorKind::UnknownQuotedScalarEscape => {
            let (range, value) = quoted_around(text, reached, at)?;
            let before = text.within(line_start(text, range.start)..range.start);
            // What is reached may be in a comment, if another repair has moved its `#`.
            let is_comment = before.trim_start().starts_with('#');
            (!is_comment).then_some(Repair::Quoted(range, value))
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
        ErrorKind::SimpleKeyExpected if flows == 0 => {
            let starts_block = text.since(at).starts_with(['|', '>']);
            let is_beside = Some(at - line_start(text, at)) == column;
            (starts_block && is_beside)
                .then(|| lines_before_header(text, reached, at))?
                .map(Repair::Header)
        }
        ErrorKind::FlowMappingValueAdjacentCollection => empty_key(text, reached, at),
        ErrorKind::MisplacedFlowCollectionEnd => {
            let closes = text.get(at..)?.starts_with([']', '}']);
            closes.then_some(Repair::Bracket(at))
        }
        ErrorKind::InvalidDocumentEnd => behind_end(text, at).map(Repair::Behind),
        _ => None,
    }
}

/// Returns the blanks and comments between the indicator, tag or anchor before the header of a block scalar and the
/// header, if there is a line break among them. go-yaml does not care how far the header is indented.
fn lines_before_header(text: &str, reached: usize, header: usize) -> Option<Range<usize>> {
    let mut scan = Scan::new(text.until(header), reached);
    let mut is_value = false;
    let start = loop {
        let token = scan.at;
        scan.skip_blanks();
        match scan.peek() {
            None => break token,
            Some(b':' | b'-' | b'?') => {
                scan.at += 1;
                is_value = true;
            }
            Some(b'&' | b'!') => scan.skip_word(),
            Some(_) => return None,
        }
    };
    let has_break = text.within(start..header).contains(['\n', '\r']);
    (is_value && has_break).then_some(start..header)
}

/// Returns the repair for a colon in brackets or braces if there is only a tag between it and the token before it. For
/// go-yaml, this colon ends an empty key, whatever follows it.
pub(super) fn empty_key(text: &str, reached: usize, colon: usize) -> Option<Repair> {
    if !text.since(colon).starts_with(':') {
        return None;
    }
    let gap = text.get(reached..colon)?;
    let word = gap.trim_end_matches([' ', '\t']);
    let start = word.rfind([' ', '\t', '\n', '\r', ',', '[', '{']);
    let tag = word.since(start.map_or(0, |before| before + 1));
    let is_text = !["int", "float", "bool", "null", "timestamp", "merge"]
        .iter()
        .any(|name| tag.strip_prefix("!!") == Some(name));
    let start = reached + word.len() - tag.len();
    (tag.starts_with('!') && is_text && word.len() < gap.len())
        .then_some(Repair::EmptyKey(start..colon))
}

/// Returns what follows a `...` on its line, up to the next document. go-yaml reads nothing behind the end of a document.
fn behind_end(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.until(at).trim_end_matches([' ', '\t']).len();
    let mut end = at;
    for line in text.since(at).split_inclusive(['\n', '\r']) {
        if end > at && line.trim_end().split([' ', '\t']).next() == Some("---") {
            break;
        }
        end += line.len();
    }
    text.until(start).ends_with("...").then_some(start..end)
}

/// Returns the `...` that a text begins with. go-yaml rejects the end of a document that has not begun.
pub(super) fn leading_end(text: &str) -> Option<Range<usize>> {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut scan = Scan::new(text, mark);
    scan.skip_blanks();
    let start = scan.at;
    scan.skip_word();
    let starts_line = start == mark || line_start(text, start) == start;
    (starts_line && text.within(start..scan.at) == "...").then_some(start..scan.at)
}

/// Replaces everything but line breaks with blanks.
fn blank(text: &mut String, range: Range<usize>) {
    let blanks: String = text
        .within(range.clone())
        .bytes()
        .map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                char::from(byte)
            } else {
                ' '
            }
        })
        .collect();
    text.replace_range(range, &blanks);
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
