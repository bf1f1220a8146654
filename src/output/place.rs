//! Converts a span to a place for readers: a file with line and column.

use crate::finding::Report;
use crate::source::{Position, Source, Span};

use super::View;

const START: Position = Position {
    line: 1,
    column: 1,
    offset: 0,
};

/// A span's file and its positions.
pub(super) struct Place<'a> {
    /// The path in the report, relative to the repository.
    pub file: &'a str,
    pub start: Position,
    pub end: Position,
}

/// The place of a span. Reports contain all sources that they point into; if one is missing, the place shows `?`.
pub(super) fn locate(report: &Report, span: Span) -> Place<'_> {
    match report.sources.get(&span.source) {
        Some(source) => {
            let (start, end) = source.positions(span);
            Place {
                file: &source.path,
                start,
                end,
            }
        }
        None => Place {
            file: "?",
            start: START,
            end: START,
        },
    }
}

impl View<'_> {
    /// `path:line:column` of a span's start, for people.
    pub(super) fn place(&self, span: Span) -> String {
        let place = locate(self.report, span);
        format!(
            "{}:{}:{}",
            self.path(place.file),
            place.start.line,
            place.start.column
        )
    }

    /// A file's path, relative to the user's working directory.
    pub(super) fn path(&self, file: &str) -> String {
        self.standpoint.path(file)
    }

    /// The source of a span, or `None` if the report lacks it.
    pub(super) fn source(&self, span: Span) -> Option<&Source> {
        self.report.sources.get(&span.source)
    }
}
