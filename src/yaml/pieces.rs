//! Texts assembled from pieces of files, such as the templates of a configuration language: places in such a text are
//! places in those files, and parts of it may be unknown.

use std::ops::Range;

use crate::source::text::Cut as _;
use crate::source::{SourceId, Span};

/// The placeholder for an unknown part. Every reader treats it as something that is filled in later, and YAML reads it
/// as a plain scalar in any position.
pub(super) const OPEN: &str = "$unknown";

/// A text and the origin of each part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    text: String,
    /// In order. Each extends to the start of the next.
    pieces: Vec<Piece>,
    /// The mark of the pieces that are added next.
    mark: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    start: usize,
    pub(super) origin: Origin,
    pub(super) mark: u32,
}

/// The origin of a piece.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// Copied verbatim from a file, starting at this offset.
    Verbatim(SourceId, u32),
    /// Generated from the text at this place.
    Made(Span),
    /// Unknown, with the reason.
    Open(Open),
}

/// An unknown part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Open {
    pub(super) at: Span,
    pub(super) why: Box<str>,
    /// Set if whole lines are unknown: a line that they would resemble.
    pub(super) like: Option<Box<str>>,
    pub(super) tag: u32,
}

impl Pieces {
    /// Returns the text, with placeholders for unknown parts.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns why part of it is unknown: the reason of the first such part.
    pub fn open_because(&self) -> Option<&str> {
        self.pieces.iter().find_map(|piece| match &piece.origin {
            Origin::Open(open) => Some(&*open.why),
            _ => None,
        })
    }

    /// Sets the mark of everything that is added from now on. What marks mean is up to the caller; they are 0 at first.
    pub fn set_mark(&mut self, mark: u32) {
        self.mark = mark;
    }

    /// Returns the mark of the piece at an offset.
    pub fn mark_at(&self, at: usize) -> u32 {
        self.piece_at(at).map_or(0, |piece| piece.mark)
    }

    /// Adds text that is in a file from an offset onwards.
    pub fn push_verbatim(&mut self, text: &str, source: SourceId, offset: u32) {
        self.push(text, Origin::Verbatim(source, offset));
    }

    /// Adds a text that was generated from the text at a place.
    pub fn push_made(&mut self, text: &str, at: Span) {
        self.push(text, Origin::Made(at));
    }

    /// Adds an unknown part of a line.
    pub fn push_open(&mut self, why: &str, at: Span) {
        self.push_unknown(why, at, None, 0);
    }

    /// Adds whole lines that are unknown or may not exist. If they exist, they resemble `line`.
    pub fn push_open_lines(&mut self, why: &str, at: Span, line: &str) {
        self.push_unknown(why, at, Some(line.into()), 0);
    }

    /// Adds an unknown part of a line with a tag. What tags mean is up to the caller; 0 is none.
    pub fn push_tagged(&mut self, why: &str, at: Span, tag: u32) {
        self.push_unknown(why, at, None, tag);
    }

    /// Whether the part at an offset is unknown.
    pub fn is_open_at(&self, at: usize) -> bool {
        let piece = self.piece_at(at);
        piece.is_some_and(|piece| matches!(piece.origin, Origin::Open(_)))
    }

    /// Returns the tag of the unknown part at an offset.
    pub fn tag_at(&self, at: usize) -> u32 {
        match self.piece_at(at).map(|piece| &piece.origin) {
            Some(Origin::Open(open)) => open.tag,
            _ => 0,
        }
    }

    fn push_unknown(&mut self, why: &str, at: Span, like: Option<Box<str>>, tag: u32) {
        let why = why.into();
        let open = Open { at, why, like, tag };
        self.push(OPEN, Origin::Open(open));
    }

    /// Appends another text.
    pub fn append(&mut self, other: &Pieces) {
        for (range, piece) in other.parts() {
            self.push_marked(other.text.within(range), piece.origin.clone(), piece.mark);
        }
    }

    fn push(&mut self, text: &str, origin: Origin) {
        self.push_marked(text, origin, self.mark);
    }

    pub(super) fn push_marked(&mut self, text: &str, origin: Origin, mark: u32) {
        if !text.is_empty() {
            let start = self.text.len();
            self.pieces.push(Piece {
                start,
                origin,
                mark,
            });
            self.text.push_str(text);
        }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = (Range<usize>, &Piece)> {
        let ends = self.pieces.iter().skip(1).map(|next| next.start);
        self.pieces
            .iter()
            .zip(ends.chain([self.text.len()]))
            .map(|(piece, end)| (piece.start..end, piece))
    }

    /// Returns a part of the text.
    pub fn slice(&self, wanted: Range<usize>) -> Pieces {
        let mut slice = Pieces::default();
        let first = self
            .pieces
            .partition_point(|piece| piece.start <= wanted.start);
        let touched = self.parts().skip(first.saturating_sub(1));
        for (range, piece) in touched.take_while(|(range, _)| range.start < wanted.end) {
            let (from, to) = (range.start.max(wanted.start), range.end.min(wanted.end));
            if from < to {
                let origin = match &piece.origin {
                    Origin::Verbatim(source, offset) => {
                        Origin::Verbatim(*source, offset + number(from - range.start))
                    }
                    other => other.clone(),
                };
                slice.push_marked(self.text.within(from..to), origin, piece.mark);
            }
        }
        slice
    }

    /// Adds this many spaces before each line except the first, like Terraform's `indent`.
    pub fn indented(&self, spaces: usize) -> Pieces {
        let pad = " ".repeat(spaces);
        let mut indented = Pieces::default();
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', self.text.as_bytes()) {
            indented.append(&self.slice(from..at + 1));
            if let (Some(piece), false) = (self.piece_at(at), pad.is_empty()) {
                // Nobody needs the place of the indentation.
                indented.push_marked(&pad, piece.origin.clone(), piece.mark);
            }
            from = at + 1;
        }
        indented.append(&self.slice(from..self.text.len()));
        indented
    }

    fn piece_at(&self, at: usize) -> Option<&Piece> {
        let index = self.pieces.partition_point(|piece| piece.start <= at);
        self.pieces.get(index.checked_sub(1)?)
    }

    /// Returns the bytes from which the byte at an offset of the text comes.
    fn origin_of(&self, at: usize) -> Option<Span> {
        let piece = self.piece_at(at)?;
        Some(match &piece.origin {
            Origin::Verbatim(source, offset) => {
                let from = *offset as usize + at - piece.start;
                Span::new(*source, from..from + 1)
            }
            Origin::Made(span) | Origin::Open(Open { at: span, .. }) => *span,
        })
    }

    /// Returns the place from which a range of the text comes. If it comes from several files, or from places in
    /// another order, this is the place of its end: keys come before their values.
    pub fn place(&self, range: Range<usize>) -> Option<Span> {
        let length = self.text.len();
        let first = self.origin_of(range.start.min(length.checked_sub(1)?))?;
        if range.is_empty() {
            let at = match range.start < length {
                true => first.start,
                false => first.end,
            };
            return Some(Span::new(first.source, at as usize..at as usize));
        }
        let last = self.origin_of(range.end.min(length) - 1)?;
        if first.source == last.source && first.start <= last.start && first.end <= last.end {
            return Some(first.cover(last));
        }
        Some(last)
    }

    /// Returns the places of the parts of a range, in the order of the text.
    pub fn places(&self, range: Range<usize>) -> impl Iterator<Item = Span> {
        let after = self
            .pieces
            .partition_point(|piece| piece.start <= range.start);
        let touched = self
            .pieces
            .get(after.saturating_sub(1)..)
            .unwrap_or_default();
        touched
            .iter()
            .take_while(move |piece| piece.start < range.end)
            .filter_map(|piece| self.origin_of(piece.start))
    }

    /// Returns the file that contains the whole text verbatim, apart from interpolations.
    pub fn file(&self) -> Option<SourceId> {
        let mut files = self.pieces.iter().filter_map(|piece| match piece.origin {
            Origin::Verbatim(source, _) => Some(source),
            _ => None,
        });
        let first = files.next()?;
        files.all(|other| other == first).then_some(first)
    }

    /// Returns why a part of a range is unknown.
    pub(super) fn unknown_in(&self, range: &Range<usize>) -> Option<&str> {
        let after = self
            .pieces
            .partition_point(|piece| piece.start <= range.start);
        let touched = self.pieces.get(after.saturating_sub(1)..)?.iter();
        touched
            .take_while(|piece| piece.start < range.end)
            .find_map(|piece| match &piece.origin {
                Origin::Open(open) => Some(&*open.why),
                _ => None,
            })
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        let kept = self.pieces.partition_point(|piece| piece.start < length);
        self.pieces.truncate(kept);
    }
}

fn number(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: SourceId = SourceId(7);

    fn at(from: usize, to: usize) -> Span {
        Span::new(FILE, from..to)
    }

    #[test]
    fn places_are_those_in_the_files() {
        let mut pieces = Pieces::default();
        pieces.push_verbatim("a: b\n", FILE, 100);
        pieces.push_verbatim("c: ", FILE, 109);
        pieces.push_made("value", at(112, 120));
        pieces.push_verbatim("\n", FILE, 120);
        assert_eq!(pieces.text(), "a: b\nc: value\n");
        assert_eq!(pieces.place(0..4), Some(at(100, 104)));
        assert_eq!(pieces.place(3..6), Some(at(103, 110)));
        assert_eq!(pieces.place(5..13), Some(at(109, 120)));
        assert_eq!(pieces.place(10..11), Some(at(112, 120)));
        assert_eq!(pieces.place(14..14), Some(at(121, 121)));
        assert_eq!(Pieces::default().place(0..0), None);
    }

    #[test]
    fn what_comes_from_elsewhere_is_where_its_end_comes_from() {
        let mut pieces = Pieces::default();
        pieces.push_verbatim("a: ", FILE, 100);
        pieces.push_made("b", at(10, 20));
        assert_eq!(pieces.place(0..4), Some(at(10, 20)));
    }

    #[test]
    fn a_part_and_an_indented_text_keep_their_places() {
        let mut pieces = Pieces::default();
        pieces.push_verbatim("a:\n- b\n", FILE, 50);
        let indented = pieces.indented(2);
        assert_eq!(indented.text(), "a:\n  - b\n  ");
        assert_eq!(indented.place(7..8), Some(at(55, 56)));
        assert_eq!(pieces.slice(3..6).place(0..3), Some(at(53, 56)));
    }
}
