//! Parses a text into documents: drives the parser through a stream, and continues after every broken document.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError};

use super::breaks::{read_block, with_line_breaks};
use super::build::{Build, Size};
use super::node::{Comment, Document, Style};
use super::quoted::folded;
use super::repair::{self, BUDGET, Repair, Repairs, leading_end, repair};
use super::scan::WINDOW;
use crate::source::text::Cut as _;
use crate::source::text::{floor, line_start};
use crate::source::{SourceId, Span};

/// The maximum nesting depth of collections. Go's reader has the same limit.
const NESTING_LIMIT: usize = 10_000;

/// The maximum length of a key in characters. YAML says 1024, JSON has no limit, and the parser buffers this much.
const KEY_LIMIT: usize = 16 * 1024;

/// The result of parsing a text. Broken documents are in `errors`, all others before and after them in `documents`.
#[derive(Debug, Default)]
pub struct Stream {
    /// The documents that could be read, in file order.
    pub documents: Vec<Document>,
    /// One error for each broken document, in file order.
    pub errors: Vec<SyntaxError>,
}

impl Stream {
    /// Adds what another part of the same text holds, which begins at `offset`.
    pub fn append(&mut self, part: Stream, offset: usize) {
        self.documents
            .extend(part.documents.into_iter().map(|mut document| {
                document.shift(offset);
                document
            }));
        self.errors
            .extend(part.errors.into_iter().map(|error| SyntaxError {
                span: error.span.shifted(offset),
                document: error.document.start + offset..error.document.end + offset,
                ..error
            }));
    }
}

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// What is wrong, without a position.
    pub message: String,
    /// The offending place: at least one character, unless the text is empty.
    pub span: Span,
    /// The bytes of the broken document: from its start marker, or the previous document's end, to the next document
    /// or the end of the text.
    pub document: Range<usize>,
}

/// Parses all documents of a text. Takes linear time, up to a constant for [`repair`], and never panics.
pub fn parse(text: &str, source: SourceId) -> Stream {
    if u32::try_from(text.len()).is_err() {
        return Stream {
            documents: Vec::new(),
            errors: vec![SyntaxError {
                message: "the text is larger than 4 GiB".to_owned(),
                span: Span::new(source, 0..1),
                document: 0..text.len(),
            }],
        };
    }
    let mut repairs = Repairs::default();
    let mut readable = with_line_breaks(text);
    let lines = readable.clone();
    let breaks = matches!(readable, Cow::Owned(_));
    let mut budget = BUDGET;
    loop {
        let mut reader = Reader {
            text,
            lines: &lines,
            source,
            repairs: &repairs,
            wanted: Vec::new(),
            outcomes: Vec::new(),
            base: 0,
            comments: repairs.comments(text, source).collect(),
            build: None,
            expected: Size::of_text(text.len()),
            resume: Some(0),
            breaks,
        };
        reader.run(&readable);
        let wanted = std::mem::take(&mut reader.wanted);
        budget = budget.saturating_sub(text.len());
        if wanted.is_empty() || budget == 0 {
            return reader.finish();
        }
        repairs.apply(readable.to_mut(), wanted);
    }
}

/// The result of one document, and its start.
struct Outcome {
    start: usize,
    result: Result<Document, Problem>,
}

/// An error before its document's end is known.
struct Problem {
    message: String,
    span: Span,
}

struct Reader<'t> {
    text: &'t str,
    /// The text, with ordinary line breaks instead of those that only go-yaml recognizes.
    lines: &'t str,
    source: SourceId,
    repairs: &'t Repairs,
    /// The repairs that would let the parser continue where it stopped: the first place of each broken document.
    wanted: Vec<Repair>,
    outcomes: Vec<Outcome>,
    /// The start of the text of the current parser.
    base: usize,
    comments: Vec<Comment>,
    build: Option<Build>,
    /// The expected size of the next document: the documents of a file are similar.
    expected: Size,
    /// Whether the text has line breaks that only go-yaml recognizes.
    breaks: bool,
    /// The start of the next document if it is not its own start: the top of the text, or after a `...`.
    resume: Option<usize>,
}

impl<'t> Reader<'t> {
    /// `readable` is the text with the repairs applied.
    fn run(&mut self, readable: &str) {
        let mut options = Options::default();
        options.emit_anchor_events = true;
        options.emit_unresolved_aliases = true;
        options.max_buffered_comment_events = usize::MAX;
        options.simple_key_max_lookahead = KEY_LIMIT;
        options.flow_nesting_limit = NESTING_LIMIT;
        options.block_nesting_limit = NESTING_LIMIT;
        // Each recovery consumes text, so this many are enough. The limit only guards against a parser that does not.
        let mut recoveries = readable.len() + 2;
        let mut parser = Parser::new_from_str_with_options(readable, options.clone());
        if let Some(end) = leading_end(self.lines) {
            self.resume = Some(self.repairs.end_behind(end.end));
            self.push_broken(0, "did not find expected node content".to_owned(), end);
        }
        while let Some(next) = parser.next_event() {
            match next {
                Ok((event, span)) => {
                    let range = self.fit(span.byte_range());
                    self.accept(event, range);
                }
                Err(error) => {
                    recoveries = recoveries.saturating_sub(1);
                    if let Some(next) = self.next_in_json_stream(&error, readable) {
                        self.base = next;
                        self.resume = Some(next);
                        parser = Parser::new_from_str_with_options(
                            readable.since(next),
                            options.clone(),
                        );
                        continue;
                    }
                    self.fail(&error, readable);
                    if recoveries == 0 || !matches!(parser.proceed_next_document(), Ok(true)) {
                        break;
                    }
                }
            }
        }
        // An open document is only possible here if the parser stops without an error.
        if let Some(build) = self.build.take() {
            let end = self.text.len();
            self.push_broken(build.start, "unexpected end".to_owned(), end..end);
        }
    }

    /// Clamps a parser range to the text and to character boundaries.
    fn fit(&self, range: Option<Range<usize>>) -> Range<usize> {
        let range = range.unwrap_or(0..0);
        let start = floor(self.text, self.base + range.start);
        let end = floor(self.text, self.base + range.end);
        start..end.max(start)
    }

    /// The place of a parser error.
    fn place(&self, error: &ScanError) -> usize {
        floor(
            self.text,
            self.base + error.marker().byte_offset().unwrap_or(0),
        )
    }

    /// Returns the start of the next object if one ended and another follows without a marker. `kubectl` reads such a
    /// JSON stream, the parser does not.
    fn next_in_json_stream(&self, error: &ScanError, readable: &str) -> Option<usize> {
        let at = self.place(error);
        let last = self.outcomes.last()?.result.as_ref().ok()?;
        (matches!(error.kind(), ErrorKind::ExpectedDocumentStart)
            && self.build.is_none()
            && last.root().style() == Style::Flow
            && at > last.span().range().start
            && readable.since(at).starts_with(['{', '[']))
        .then_some(at)
    }

    fn accept(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Comment(text, _) => {
                // A repair may have moved the `#` to the start of the line.
                let blanks = self.text.since(range.start).find('#').unwrap_or(0);
                let range = range.start + blanks..range.end;
                let line = self
                    .text
                    .until(range.start)
                    .rfind('\n')
                    .map_or(0, |at| at + 1);
                let before = self
                    .text
                    .within(line..range.start)
                    .trim_start_matches('\u{feff}');
                self.comments.push(Comment {
                    own_line: before.trim().is_empty(),
                    text: text.since(blanks).to_owned(),
                    span: Span::new(self.source, range),
                });
            }
            Event::DocumentStart(explicit, _) => {
                let start = self.resume.take().unwrap_or(range.start);
                let content = if explicit { range.end } else { start };
                self.build = Some(Build::new(start, range.start, content, self.expected));
            }
            Event::DocumentEnd => {
                if !range.is_empty() {
                    self.resume = Some(self.repairs.end_behind(range.end));
                }
                if let Some(mut build) = self.build.take() {
                    build.pass_end(self.lines, range.start);
                    self.close(build);
                }
            }
            mut event => {
                if let Event::Scalar(value, style, ..) = &mut event {
                    let hidden = || self.repairs.value(&range).map(str::to_owned);
                    if let Some(meant) = self.value(*style, &range).or_else(hidden) {
                        *value = meant.into();
                    }
                }
                if let Some(build) = &mut self.build {
                    if matches!(event, Event::Scalar(_, ScalarStyle::Plain, ..))
                        && build.in_flow() > 0
                    {
                        let key = repair::empty_key(self.lines, build.reached, range.start);
                        self.wanted.extend(key);
                    }
                    build.accept(self.lines, event, range);
                    let tag = build.tag.take();
                    let new = tag.filter(|tag| !self.repairs.has_tag(tag.start));
                    self.wanted.extend(new.map(Repair::Tag));
                }
            }
        }
    }

    /// The value of a scalar that the parser may read differently from go-yaml: it does not know all line breaks, and it
    /// adds one to a block scalar at the end of a text that does not end with one.
    fn value(&self, style: ScalarStyle, range: &Range<usize>) -> Option<String> {
        if !self.breaks && range.end < self.text.len() {
            return None;
        }
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return folded(self.text, range);
        }
        let build = self.build.as_ref()?;
        let header = build.block_scalar(self.lines, range.clone()).start;
        // The range of a scalar without content is empty, or starts at the header.
        let is_empty = range.is_empty() || range.start == header;
        let indent = range.start - line_start(self.lines, range.start);
        let indent = if is_empty { usize::MAX } else { indent };
        Some(read_block(self.text.within(header..range.end), indent))
    }

    fn close(&mut self, build: Build) {
        let start = build.start;
        self.expected = build.size();
        match build.finish(self.source) {
            Ok(document) => self.outcomes.push(Outcome {
                start,
                result: Ok(document),
            }),
            Err((message, place)) => self.push_broken(start, message, place),
        }
    }

    fn fail(&mut self, error: &ScanError, readable: &str) {
        let reached = self.build.as_ref().map_or(0, |build| build.reached);
        let flows = self.build.as_ref().map_or(0, Build::in_flow);
        let column = self
            .build
            .as_ref()
            .and_then(|build| build.column(self.lines));
        let at = self.place(error);
        self.wanted
            .extend(repair(readable, error.kind(), at, reached, flows, column));
        let tag = self
            .build
            .as_ref()
            .and_then(|build| build.tag_before(self.lines, at));
        let new = tag.filter(|tag| !self.repairs.has_tag(tag.start));
        self.wanted.extend(new.map(Repair::Tag));
        let at = match error.kind() {
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar => nearest_tab(self.text, at),
            _ => at,
        };
        let build = self.build.take();
        let start = match (&build, self.resume.take()) {
            (Some(build), _) => build.start,
            (None, Some(resume)) => resume,
            (None, None) => at,
        };
        // Not before the previous document: errors may point back to an unclosed token.
        let start = start.max(self.outcomes.last().map_or(0, |last| last.start));
        match build.and_then(|build| build.problem) {
            Some((message, place)) => self.push_broken(start, message, place),
            None if self.repairs.has_bracket(at) => {
                let message = ErrorKind::MisplacedFlowCollectionEnd.to_string();
                self.push_broken(start, message, at..at);
            }
            None => self.push_broken(start, error.info(), at..at),
        }
    }

    fn push_broken(&mut self, start: usize, message: String, place: Range<usize>) {
        let span = Span::new(self.source, visible(self.text, place));
        self.outcomes.push(Outcome {
            start,
            result: Err(Problem { message, span }),
        });
    }

    fn finish(self) -> Stream {
        let mut stream = Stream::default();
        let mut ends: Vec<usize> = self
            .outcomes
            .iter()
            .skip(1)
            .map(|next| next.start)
            .collect();
        ends.push(self.text.len());
        let mut comments = self.comments;
        comments.sort_by_key(|comment| comment.span.start);
        let mut comments = comments.into_iter().peekable();
        for (outcome, end) in self.outcomes.into_iter().zip(ends) {
            let range = outcome.start..end.max(outcome.start);
            let mut own = Vec::new();
            while let Some(comment) =
                comments.next_if(|next| (next.span.start as usize) < range.end)
            {
                own.push(comment);
            }
            match outcome.result {
                Ok(mut document) => {
                    document.range = range;
                    document.comments = own;
                    stream.documents.push(document);
                }
                Err(problem) => stream.errors.push(SyntaxError {
                    message: problem.message,
                    span: problem.span,
                    document: range,
                }),
            }
        }
        stream
    }
}

/// The tab that caused an error: the parser points after it, or to the start of the scalar before it.
fn nearest_tab(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(at) == Some(&b'\t') {
        return at;
    }
    let before = at.checked_sub(1);
    if let Some(before) = before.filter(|before| bytes.get(*before) == Some(&b'\t')) {
        return before;
    }
    let window = bytes
        .get(at..bytes.len().min(at + WINDOW))
        .unwrap_or_default();
    memchr::memchr(b'\t', window).map_or(at, |tab| at + tab)
}

/// Widens an empty place to a character that can be pointed at: the one there, or the last visible one before it.
fn visible(text: &str, place: Range<usize>) -> Range<usize> {
    if !place.is_empty() {
        return place;
    }
    let at = place.start;
    match text.since(at).chars().next() {
        Some(next) if next != '\n' && next != '\r' => at..at + next.len_utf8(),
        next => match text.until(at).trim_end().char_indices().next_back() {
            Some((last, character)) => last..last + character.len_utf8(),
            None => at..at + next.map_or(0, char::len_utf8),
        },
    }
}
