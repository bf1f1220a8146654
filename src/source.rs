//! A file's text and positions in it: `Source`, `Span`, `Position`. Independent of YAML and Kubernetes.

mod kind;
pub mod path;
pub mod text;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use text::{Cut as _, floor};

pub use kind::FileKind;

/// Identifies the source of a span. Ids follow the order in which the files of a run are read. They are not dense, so that
/// a file added later can get an id between those of its neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The configuration file, which is a source because it may declare pools and clusters.
    pub const CONFIGURATION: SourceId = SourceId(u32::MAX - 1);
}

/// A half-open range of bytes in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The source that contains the bytes.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span over `range` of `source`.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        Span {
            source,
            start: clamp(range.start),
            end: clamp(range.end.max(range.start)),
        }
    }

    /// Returns the bytes as a range for slicing.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the span of a part of a text that begins at `offset`, as a span of the text.
    pub fn shifted(self, offset: usize) -> Self {
        let range = self.range();
        Span::new(self.source, range.start + offset..range.end + offset)
    }

    /// Returns the smallest span that covers both, or `self` if they are in different sources.
    pub fn cover(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// Converts an offset to 32 bits: files are limited to far less than 4 GiB before they are read.
fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// The path that stands for standard input.
pub const STDIN_PATH: &str = "<stdin>";

/// A position for users and editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in Unicode characters.
    pub column: u32,
    /// 0-based byte offset.
    pub offset: u32,
}

/// One file: its path and its text.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the repository's root, with `/`.
    pub path: String,
    /// The format according to the path; YAML if unknown.
    pub kind: FileKind,
    /// The text as UTF-8, without a byte order mark.
    pub text: Arc<str>,
    /// The file's place shows that it is a template, which a tool renders before use.
    pub rendered: bool,
    line_starts: OnceLock<Vec<u32>>,
}

impl Source {
    /// Creates a source.
    pub fn new(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let path = path.into();
        Source {
            kind: FileKind::of(&path).unwrap_or(FileKind::Yaml),
            path,
            text: text.into(),
            rendered: false,
            line_starts: OnceLock::new(),
        }
    }

    /// Returns the file's name without its extension.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Sets whether the file's place shows that it is a template.
    #[must_use]
    pub fn rendered(mut self, rendered: bool) -> Self {
        self.rendered = rendered;
        self
    }

    /// Returns the byte offsets of line starts; computed on first use, so that only files with findings pay for it.
    pub fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            std::iter::once(0)
                .chain(memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| clamp(at + 1)))
                .collect()
        })
    }

    /// Returns the position of a byte offset. Offsets past the end or inside a character use the nearest offset before.
    pub fn position(&self, offset: u32) -> Position {
        let offset = floor(&self.text, offset as usize);
        let starts = self.line_starts();
        // The first line starts at 0, so there is always one.
        let line = starts.partition_point(|start| *start as usize <= offset);
        let start = line.checked_sub(1).and_then(|last| starts.get(last));
        let start = start.map_or(0, |start| *start as usize);
        let before = self.text.within(start..offset);
        Position {
            line: clamp(line),
            column: clamp(before.chars().count() + 1),
            offset: clamp(offset),
        }
    }

    /// Returns the start and end positions of a span in this source.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        (self.position(span.start), self.position(span.end))
    }

    /// Returns the text under a span; empty if the span is out of range.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_count_bytes() {
        let source = Source::new("a.yaml", "é: ü\nb: x");
        let at = source.position(4);
        assert_eq!((at.line, at.column, at.offset), (1, 4, 4));
        let at = source.position(7);
        assert_eq!((at.line, at.column), (2, 1));
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        let source = Source::new("a.yaml", "ab\n");
        let at = source.position(99);
        assert_eq!((at.line, at.column, at.offset), (2, 1, 3));
    }
}
