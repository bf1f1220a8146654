//! Turns a span into a place that a reader can go to: a file with line and column.

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
    /// As it stands in the report: relative to the repository.
    pub file: &'a str,
    pub start: Position,
    pub end: Position,
}

/// Where a span is. A report holds every source that it points into; one that does not is still written, with
/// places that say `?`.
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

    /// A file's path from where the user stands.
    pub(super) fn path(&self, file: &str) -> String {
        self.standpoint.path(file)
    }

    /// The source of a span, when the report holds it.
    pub(super) fn source(&self, span: Span) -> Option<&Source> {
        self.report.sources.get(&span.source)
    }
}
