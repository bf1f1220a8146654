//! The source lines around the places of one finding, with the places marked.
//!
//! Only shown lines are processed. They are located through the source's line index, cropped if long, made safe for a
//! terminal, and drawn as a small text that remembers which line of the file it starts at.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use crate::source::{Source, SourceId};

use super::escape;
use crate::source::text::Cut as _;

/// Context lines before and after a marked place.
const CONTEXT: usize = 1;
/// A place that spans more lines than this is marked on its first line only.
const MAX_LINES: usize = 8;

/// A place in one source, before it is assigned to a snippet.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub id: SourceId,
    pub source: &'a Source,
    /// Byte range, cut to what can be shown.
    range: Range<usize>,
    /// 0-based, both inclusive.
    lines: (usize, usize),
    /// The label; safe to show.
    label: Option<String>,
    /// Whether it is the finding's own place rather than a related one.
    primary: bool,
}

impl<'a> Mark<'a> {
    /// Creates a mark, cut to what can be shown: inside the text, on character boundaries, without the trailing blank lines
    /// of block scalars, and not over a whole file.
    pub(super) fn new(
        id: SourceId,
        source: &'a Source,
        range: Range<usize>,
        label: Option<String>,
        primary: bool,
    ) -> Self {
        let start = boundary(&source.text, range.start);
        let mut end = boundary(&source.text, range.end.max(range.start));
        let solid = source.text.within(start..end).trim_end();
        if !solid.is_empty() {
            end = start + solid.len();
        }
        let first = line_of(source, start);
        let mut last = line_of(source, if end > start { end - 1 } else { end });
        if last - first >= MAX_LINES {
            last = first;
            end = content(source, first).end.max(start);
        }
        Mark {
            id,
            source,
            range: start..end,
            lines: (first, last),
            label,
            primary,
        }
    }

    /// Whether two places are so close that one snippet shows both.
    fn joins(&self, other: &Mark, columns: usize) -> bool {
        let context = 2 * CONTEXT + 1;
        self.id == other.id
            && self.lines.0 <= other.lines.1 + context
            && other.lines.0 <= self.lines.1 + context
            && self.fits_beside(other, columns)
    }

    /// Two places on one long line are shown together only if the cropped line can contain both.
    fn fits_beside(&self, other: &Mark, columns: usize) -> bool {
        let shared = [self.lines.0, self.lines.1]
            .into_iter()
            .find(|line| *line == other.lines.0 || *line == other.lines.1);
        let Some(line) = shared else { return true };
        let reach = self.range.end.max(other.range.end) - self.range.start.min(other.range.start);
        content(self.source, line).len() <= columns || reach <= columns - lead(columns)
    }
}

/// Distributes the places of one finding over snippets, starting with the primary place.
pub(super) fn group<'a>(marks: Vec<Mark<'a>>, columns: usize) -> Vec<Vec<Mark<'a>>> {
    let mut waiting = marks;
    // The sort is stable, so related places keep their order.
    waiting.sort_by_key(|mark| !mark.primary);
    let mut groups = Vec::new();
    while !waiting.is_empty() {
        let mut group = vec![waiting.remove(0)];
        // A joined mark may connect to one that did not join before, so repeat until nothing joins.
        while let Some(at) = waiting.iter().position(|mark| {
            group.iter().any(|member| member.joins(mark, columns))
                && group.iter().all(|member| member.fits_beside(mark, columns))
        }) {
            group.push(waiting.remove(at));
        }
        groups.push(group);
    }
    groups
}

/// The nearest character boundary at or before an offset.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The 0-based line of an offset. A line break belongs to the line that it ends.
fn line_of(source: &Source, offset: usize) -> usize {
    source
        .line_starts()
        .partition_point(|start| *start as usize <= offset)
        .saturating_sub(1)
}

/// The byte range of a line without its line break.
fn content(source: &Source, line: usize) -> Range<usize> {
    let starts = source.line_starts();
    let start = starts
        .get(line)
        .map_or(source.text.len(), |start| *start as usize);
    let end = starts
        .get(line + 1)
        .map_or(source.text.len(), |next| *next as usize);
    let text = source.text.within(start..end);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    start..start + text.len()
}

/// Columns kept before the first mark of a line that is cropped on the left.
fn lead(columns: usize) -> usize {
    columns / 3
}

/// The shown part of a line: all of it, or `columns` characters that include `focus`. Never reads more than that, however
/// long the line is.
fn crop(text: &str, line: Range<usize>, focus: Option<usize>, columns: usize) -> Range<usize> {
    let forward = |from: usize| {
        text.within(from..line.end)
            .char_indices()
            .nth(columns)
            .map_or(line.end, |(at, _)| from + at)
    };
    let back = |from: usize, by: usize| {
        text.within(line.start..from)
            .char_indices()
            .rev()
            .take(by)
            .last()
            .map_or(from, |(at, _)| line.start + at)
    };
    if forward(line.start) == line.end {
        return line;
    }
    let focus = focus.unwrap_or(line.start).clamp(line.start, line.end);
    let start = back(focus, lead(columns));
    let end = forward(start);
    if end == line.end {
        back(end, columns)..end
    } else {
        start..end
    }
}

/// One shown line.
struct Row {
    /// Its start in the shown text.
    start: usize,
    /// The bytes of the source that it shows.
    shown: Range<usize>,
    /// Bytes before the first shown character: the crop mark.
    indent: usize,
}

/// Consecutive source lines with marked places. Serves as miette's source and diagnostic in one.
#[derive(Debug)]
pub(super) struct Snippet {
    name: String,
    text: String,
    line_starts: Vec<usize>,
    /// 0-based number of the first shown line in the file.
    first_line: usize,
    labels: Vec<LabeledSpan>,
    /// For each marked place: its start in the shown text, and its 0-based line and column in the file.
    places: Vec<(usize, usize, usize)>,
}

impl Snippet {
    /// The snippet for one group of marks, or `None` if there are none. `name` is shown and must be safe. Lines longer than
    /// `columns` characters are cropped.
    pub(super) fn new(name: String, marks: &[Mark], columns: usize) -> Option<Self> {
        let source = marks.first()?.source;
        let text = &source.text;
        let first_mark = marks.iter().map(|mark| mark.lines.0).min()?;
        let last_mark = marks.iter().map(|mark| mark.lines.1).max()?;
        // The text after the last line break counts as a line only if a mark is there.
        let lines = source.line_starts().len();
        let last_line = if text.is_empty() || text.ends_with('\n') {
            lines.saturating_sub(2)
        } else {
            lines - 1
        };
        let first_line = first_mark.saturating_sub(CONTEXT);
        let last_line = (last_mark + CONTEXT).min(last_line).max(last_mark);

        let mut shown = String::new();
        let mut rows = Vec::new();
        for line in first_line..=last_line {
            let whole = content(source, line);
            let focus = marks
                .iter()
                .filter_map(|mark| match mark.lines {
                    (first, _) if first == line => Some(mark.range.start),
                    (_, last) if last == line => Some(mark.range.end.saturating_sub(1)),
                    _ => None,
                })
                .min()
                .map(|focus| boundary(text, focus));
            let part = crop(text, whole.clone(), focus, columns);
            let start = shown.len();
            if part.start > whole.start {
                shown.push('…');
            }
            let indent = shown.len() - start;
            shown.extend(text.within(part.clone()).chars().map(escape::in_source));
            if part.end < whole.end {
                shown.push('…');
            }
            // Added even if the file's last line has none, so that a place at the end of the file has a column.
            shown.push('\n');
            rows.push(Row {
                start,
                shown: part,
                indent,
            });
        }

        let place = |line: usize, offset: usize| {
            let row = rows.get(line - first_line)?;
            let offset = offset.clamp(row.shown.start, row.shown.end);
            let before = text.within(row.shown.start..boundary(text, offset));
            let width: usize = before
                .chars()
                .map(|c| escape::in_source(c).len_utf8())
                .sum();
            Some(row.start + row.indent + width)
        };
        let mut labels = Vec::new();
        let mut places = Vec::new();
        for mark in marks {
            let start = place(mark.lines.0, mark.range.start)?;
            let end = place(mark.lines.1, mark.range.end)?.max(start);
            let span = SourceSpan::from(start..end);
            labels.push(if mark.primary {
                LabeledSpan::new_primary_with_span(mark.label.clone(), span)
            } else {
                LabeledSpan::new_with_span(mark.label.clone(), span)
            });
            let at = source.position(u32::try_from(mark.range.start).unwrap_or(u32::MAX));
            places.push((start, at.line as usize - 1, at.column as usize - 1));
        }
        labels.sort_by_key(LabeledSpan::offset);
        Some(Snippet {
            name,
            text: shown,
            line_starts: rows.iter().map(|row| row.start).collect(),
            first_line,
            labels,
            places,
        })
    }

    /// Whether each mark is the primary one, in drawing order.
    pub(super) fn primaries(&self) -> impl Iterator<Item = bool> {
        self.labels.iter().map(LabeledSpan::primary)
    }

    /// Draws the lines, without the header that miette adds before them.
    pub(super) fn draw(&self, handler: &GraphicalReportHandler) -> Result<String, fmt::Error> {
        let mut drawn = String::new();
        handler.render_report(&mut drawn, self)?;
        // The header is one line because the message is empty.
        let start = drawn.find('\n').map_or(0, |end| end + 1);
        Ok(drawn.split_off(start))
    }
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = span.offset() + span.len();
        if end > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let line_of = |offset: usize| {
            self.line_starts
                .partition_point(|start| *start <= offset)
                .saturating_sub(1)
        };
        let first = line_of(span.offset());
        let last = line_of(end.saturating_sub(1).max(span.offset()));
        let from = first.saturating_sub(before);
        let to = (last + after).min(self.line_starts.len() - 1);
        let text_end = self
            .line_starts
            .get(to + 1)
            .copied()
            .unwrap_or(self.text.len());
        // miette calls this without context to get the line and column of a place.
        let (text_start, line, column) = if before == 0 {
            let place = self.places.iter().find(|place| place.0 == span.offset());
            let (_, line, column) = place.copied().unwrap_or((0, self.first_line + from, 0));
            (span.offset(), line, column)
        } else {
            (
                self.line_starts.get(from).copied().unwrap_or(0),
                self.first_line + from,
                0,
            )
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text
                .as_bytes()
                .get(text_start..text_end)
                .unwrap_or_default(),
            (text_start, text_end - text_start).into(),
            line,
            column,
            to + 1 - from,
        )))
    }
}

impl fmt::Display for Snippet {
    /// Empty: the caller that draws the snippet has already printed the message.
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
