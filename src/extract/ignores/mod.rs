//! Comments and annotations that suppress findings: `# kubetaint: ignore[rule] reason`, and annotations
//! `ignore.kubetaint.io/<rule>`. Reports what each one covers and what is wrong with its syntax. Whether it is still
//! needed is decided elsewhere.

mod comment;
pub mod covering;
mod parts;
mod place;
mod reading;
pub mod write;

use std::ops::Range;

use jiff::civil::Date;
use thin_vec::ThinVec;

use super::subject::read_object;
use crate::finding::Object;
use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};
use crate::terraform;
use crate::yaml::{Document, Kind, Node};
pub use comment::Reason;
use comment::{Directive, Terms, comment_in, marks_in, missed_in};
use parts::{around, block_below, heredocs, item_on, parts};

/// A part of every such comment, whether its first letter is upper or lower case.
const NAME: &str = "ubetaint";

/// Starts the name of an annotation that suppresses findings. The rule id follows.
pub const ANNOTATION_PREFIX: &str = "ignore.kubetaint.io/";

/// One comment or annotation that suppresses findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The place of the comment, or of the annotation with its value.
    pub span: Span,
    /// Which findings it covers.
    pub covers: Covers,
    /// Unchecked rule ids, each with its place.
    pub rules: Vec<(String, Span)>,
    /// The reason, or empty if there is none.
    pub reason: String,
    /// The last day on which it is valid.
    pub until: Option<Date>,
    /// The object that contains it, if any.
    pub object: Object,
}

impl Ignore {
    /// Whether its last day has passed.
    pub fn has_expired(&self, today: Date) -> bool {
        self.until.is_some_and(|until| until < today)
    }
}

/// Where findings are suppressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Covers {
    /// Findings that touch these bytes: a line, and all of the item that begins on it.
    Line(Range<u32>),
    /// Findings that start within these bytes.
    Below(Range<u32>),
}

impl Covers {
    /// Whether a finding at `span` in the same file is covered.
    pub fn covers(&self, span: Span) -> bool {
        match self {
            Covers::Line(line) => {
                span.start < line.end && span.end.max(span.start + 1) > line.start
            }
            Covers::Below(range) => range.contains(&span.start),
        }
    }
}

/// A comment that is meant for kubetaint but cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misspelt {
    /// The comment.
    pub span: Span,
    /// What is wrong, and the right syntax.
    pub why: String,
    /// The object that contains it, if any.
    pub object: Object,
}

/// The suppressions of a file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Ignores {
    /// The comments and annotations that could be parsed.
    pub ignores: ThinVec<Ignore>,
    /// Those that could not be parsed.
    pub misspelt: ThinVec<Misspelt>,
    /// Documents that could not be read. Their suppressions may match findings once the templates are rendered.
    pub unread: ThinVec<Span>,
}

/// Strings in a Terraform configuration. Their lines are not lines of the configuration.
#[derive(Default)]
struct Texts {
    heredocs: Vec<Range<usize>>,
    quoted: Vec<Range<usize>>,
}

impl Ignores {
    /// Whether a text may contain suppressions. Most texts do not, and are not parsed.
    pub fn may_be_in(text: &str) -> bool {
        let text = text.as_bytes();
        memchr::memmem::find(text, NAME.as_bytes()).is_some()
            || memchr::memmem::find(text, ANNOTATION_PREFIX.as_bytes()).is_some()
    }

    /// Reads the comments and annotations of all documents in a text.
    pub fn read_documents(&mut self, text: &str, documents: &[Document]) {
        if !Ignores::may_be_in(text) {
            return;
        }
        for (at, document) in documents.iter().enumerate() {
            self.read_document(text, document, documents.get(at + 1));
        }
    }

    /// Reads the comments and annotations of a document. `next_document` is the one after it: a comment at the very end
    /// applies to what follows.
    pub fn read_document(
        &mut self,
        text: &str,
        document: &Document,
        next_document: Option<&Document>,
    ) {
        let root = document.root().span();
        let mut known_parts = None;
        for comment in document.comments() {
            let Some(first) = marks_in(&comment.text).next() else {
                if let Some(why) = missed_in(&comment.text) {
                    let (span, object) = (comment.span, read_object(document.root()));
                    self.misspelt.push(Misspelt { span, why, object });
                }
                continue;
            };
            // The text starts after the `#`.
            let start = comment.span.start as usize + 1;
            let parts = known_parts.get_or_insert_with(|| parts(document.root()));
            let line = line_at(text, start + first);
            let before = text.get(line.start as usize..comment.span.start as usize);
            let before = before.unwrap_or_default().trim();
            let covers = if before.starts_with("---") {
                Some(whole(document))
            } else if !comment.own_line && before != "-" {
                let end = item_on(parts, &line).map_or(line.end, |item| item.end.max(line.end));
                Some(Covers::Line(line.start..end))
            } else if root.start >= comment.span.end {
                Some(whole(document))
            } else {
                let next = parts.partition_point(|part| part.span.start < comment.span.end);
                match parts.get(next) {
                    Some(part) => Some(Covers::Below(part.span.start..part.span.end)),
                    None => next_document.map(whole),
                }
            };
            for at in marks_in(&comment.text) {
                let said = comment.text.since(at);
                let object = read_object(document.root());
                self.read_comment(said, start + at, comment.span, covers.clone(), object);
            }
        }
        self.read_annotations(document.root());
    }

    /// Reads the comments of a Terraform configuration.
    pub fn read_configuration(&mut self, text: &str, source: SourceId) {
        let texts = Texts {
            heredocs: heredocs(text),
            quoted: terraform::quoted(text),
        };
        self.read_lines_around(text, 0..text.len(), source, &texts);
    }

    /// Reads comments line by line in a text that is not valid YAML, with `#`, `//` and `{{/* */}}`. A comment on a
    /// line of its own covers the next line and everything that is indented further.
    pub fn read_lines(&mut self, text: &str, within: Range<usize>, source: SourceId) {
        self.read_lines_around(text, within, source, &Texts::default());
    }

    fn read_lines_around(
        &mut self,
        text: &str,
        within: Range<usize>,
        source: SourceId,
        texts: &Texts,
    ) {
        let mut start = within.start;
        let part = text.get(within).unwrap_or_default();
        for line in part.split_inclusive('\n') {
            let from = start;
            start += line.len();
            let Some((hash, body)) = comment_in(line) else {
                continue;
            };
            let body_start = from + (body.as_ptr() as usize - line.as_ptr() as usize);
            let span = Span::new(source, from + hash..from + line.trim_end().len());
            for at in marks_in(body) {
                let offset = body_start + at;
                if around(&texts.quoted, offset).is_some() {
                    continue;
                }
                let covers = if line.until(hash).trim().is_empty() {
                    block_below(text, start, &texts.heredocs).map(Covers::Below)
                } else {
                    Some(Covers::Line(line_at(text, offset)))
                };
                self.read_comment(body.since(at), offset, span, covers, Object::default());
            }
        }
    }

    /// Reads a comment. `start` is the offset of `text`, which begins with the mark.
    fn read_comment(
        &mut self,
        text: &str,
        start: usize,
        span: Span,
        covers: Option<Covers>,
        object: Object,
    ) {
        let said = match (Directive::read(text), covers) {
            (None, _) => return,
            (Some(Err(why)), _) => Err(why),
            (Some(Ok(_)), None) => {
                Err("there is nothing below this comment to suppress".to_owned())
            }
            (Some(Ok(directive)), Some(covers)) => Ok((directive, covers)),
        };
        match said {
            Ok((directive, covers)) => {
                let rules = directive
                    .rules
                    .into_iter()
                    .map(|(id, at)| {
                        let at = start + at;
                        let span = Span::new(span.source, at..at + id.len());
                        (id, span)
                    })
                    .collect();
                self.add(directive.terms, span, covers, rules, object);
            }
            Err(why) => self.misspelt.push(Misspelt { span, why, object }),
        }
    }

    fn add(
        &mut self,
        terms: Terms,
        span: Span,
        covers: Covers,
        rules: Vec<(String, Span)>,
        object: Object,
    ) {
        self.ignores.push(Ignore {
            span,
            covers,
            rules,
            reason: terms.reason,
            until: terms.until,
            object,
        });
    }

    /// Reads annotations of objects and of pod templates. Each covers the mapping that contains its `metadata`.
    fn read_annotations(&mut self, root: Node<'_>) {
        let mut pending = vec![(root, root)];
        while let Some((node, object)) = pending.pop() {
            let is_object = node.get("apiVersion").is_some() && node.get("kind").is_some();
            let object = if is_object { node } else { object };
            let children = node
                .written_fields()
                .map(|field| field.value)
                .chain(node.items())
                .filter(|child| child.kind() != Kind::Scalar);
            // The target of an alias is read where it is defined.
            pending.extend(
                children
                    .filter(|child| !child.is_alias())
                    .map(|child| (child, object)),
            );
            let annotations = node
                .get("metadata")
                .and_then(|data| data.get("annotations"));
            for field in annotations.into_iter().flat_map(Node::written_fields) {
                let Some(id) = field
                    .name()
                    .and_then(|name| name.strip_prefix(ANNOTATION_PREFIX))
                else {
                    continue;
                };
                let span = field.span();
                let object = read_object(object);
                match Terms::read(field.value.raw().unwrap_or_default()) {
                    Ok(terms) => {
                        let covered = node.span();
                        let covers = Covers::Below(covered.start..covered.end);
                        let rules = vec![(id.to_owned(), field.key.written_at())];
                        self.add(terms, span, covers, rules, object);
                    }
                    Err(why) => self.misspelt.push(Misspelt { span, why, object }),
                }
            }
        }
    }
}

/// The range of the line at an offset.
fn line_at(text: &str, offset: usize) -> Range<u32> {
    let start = text.until(offset).rfind('\n').map_or(0, |at| at + 1);
    let end = text
        .since(offset)
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    bytes(start..end)
}

fn bytes(range: Range<usize>) -> Range<u32> {
    let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    clamp(range.start)..clamp(range.end)
}

fn whole(document: &Document) -> Covers {
    Covers::Below(bytes(document.range()))
}
