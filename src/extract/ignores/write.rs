//! Writes the comments and annotations that accept findings into a text. What is written is read again before it counts:
//! it must cover what it is for, and the text must say what it said before.

use std::collections::BTreeSet;
use std::ops::Range;

use super::place::{Group, Insertion, Member, Notation, Places, Read, left_out};
use super::{Ignores, Reason};
use crate::source::{Source, SourceId, Span, is_script};
use crate::terraform::{self, is_configuration, is_included};
use crate::yaml::{self, Document};

/// A finding that is to be accepted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Where it is.
    pub span: Span,
    /// Its rule's id.
    pub rule: String,
}

/// A text with what was written into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The whole text.
    pub text: String,
    /// The findings for which there is no place, each with the reason.
    pub refused: Vec<(Wanted, &'static str)>,
}

const SCRIPT: &str = "comments in scripts are not read";
const BROKEN: &str = "the document cannot be read, so nothing can be written into it safely";
const JSON: &str =
    "JSON has no comments, and no object around the place has metadata for an annotation";
const NO_PLACE: &str = "there is no place for a comment that would change nothing else";

/// Accepts findings of one file.
pub fn write(source: &Source, wanted: &[Wanted], reason: &Reason) -> Written {
    let mut wanted: Vec<Wanted> = wanted.to_vec();
    wanted.sort();
    wanted.dedup();
    let mut written = Written {
        text: String::with_capacity(source.text.len()),
        refused: Vec::new(),
    };
    if is_script(&source.path) {
        source.text.as_ref().clone_into(&mut written.text);
        written.refused = wanted.into_iter().map(|one| (one, SCRIPT)).collect();
        return written;
    }
    let json = source.path.ends_with(".json");
    let terraform = (is_configuration(&source.path) || is_included(&source.path)) && !json;
    let notation = match (json, terraform) {
        (true, _) => Notation::Json,
        (_, true) => Notation::Terraform,
        _ => Notation::Yaml,
    };
    let pieces: Vec<Range<usize>> = if terraform {
        std::iter::once(0..source.text.len()).collect()
    } else {
        let stream = yaml::parse(&source.text, SourceId(0));
        let broken = |one: &Wanted| {
            let mut errors = stream.errors.iter();
            errors.any(|error| error.span.start == one.span.start)
        };
        let refused: Vec<Wanted>;
        (refused, wanted) = wanted.into_iter().partition(broken);
        written
            .refused
            .extend(refused.into_iter().map(|one| (one, BROKEN)));
        stream.documents.iter().map(Document::range).collect()
    };
    let mut at = 0;
    for range in pieces {
        let (Some(kept), Some(text)) = (
            source.text.get(at..range.start),
            source.text.get(range.clone()),
        ) else {
            continue;
        };
        written.text.push_str(kept);
        at = range.end;
        let here: Vec<Wanted>;
        (here, wanted) = wanted
            .into_iter()
            .partition(|one| range.contains(&(one.span.start as usize)));
        match Piece::new(text, notation, reason, &here, range.start) {
            Some(mut piece) => {
                let all = 0..piece.groups.len();
                piece.accept(all);
                written.text.push_str(&piece.text);
                let refused = piece.groups.into_iter().filter(|group| !group.accepted);
                let why = match notation {
                    Notation::Json => JSON,
                    Notation::Yaml | Notation::Terraform => NO_PLACE,
                };
                let refused = refused.flat_map(|group| group.members);
                written
                    .refused
                    .extend(refused.map(|one| (here[one.at].clone(), why)));
            }
            None => {
                written.text.push_str(text);
                written
                    .refused
                    .extend(here.into_iter().map(|one| (one, BROKEN)));
            }
        }
    }
    written
        .text
        .push_str(source.text.get(at..).unwrap_or_default());
    written
        .refused
        .extend(wanted.into_iter().map(|one| (one, BROKEN)));
    written.refused.sort();
    written
}

/// A document, or a whole file of Terraform's.
struct Piece<'r> {
    notation: Notation,
    reason: &'r Reason,
    original: &'r str,
    first: Option<Document>,
    text: String,
    read: Read,
    groups: Vec<Group>,
}

impl<'r> Piece<'r> {
    /// Nothing when the text cannot be read. `base` is where it begins in its file.
    fn new(
        text: &'r str,
        notation: Notation,
        reason: &'r Reason,
        wanted: &[Wanted],
        base: usize,
    ) -> Option<Self> {
        let read = read(text, notation)?;
        let mut groups: Vec<Group> = Vec::new();
        let mut line_end = 0;
        for (at, one) in wanted.iter().enumerate() {
            let range = one.span.range();
            let span = range.start - base..(range.end - base).min(text.len());
            let member = Member {
                at,
                rule: one.rule.clone(),
                span,
            };
            match groups.last_mut() {
                Some(group) if member.span.start < line_end => group.members.push(member),
                _ => {
                    let rest = text.get(member.span.start..)?;
                    line_end =
                        member.span.start + rest.find('\n').map_or(rest.len(), |end| end + 1);
                    groups.push(Group {
                        members: vec![member],
                        accepted: false,
                    });
                }
            }
        }
        Some(Piece {
            notation,
            reason,
            original: text,
            first: self::read(text, notation)?.document,
            text: text.to_owned(),
            read,
            groups,
        })
    }

    /// Accepts some of the groups: all at once, or, where that fails, each half for itself.
    fn accept(&mut self, some: Range<usize>) {
        if some.is_empty() {
            return;
        }
        if some.len() == 1 {
            let group = &self.groups[some.start];
            if group.is_accepted(&self.read.ignores, self.reason) {
                self.groups[some.start].accepted = true;
                return;
            }
            let mut tried = 0;
            while let Some(insertions) = self.places().nth(&self.groups[some.start], tried) {
                if self.try_out(insertions, &some) {
                    return;
                }
                tried += 1;
            }
            return;
        }
        let first: Option<Vec<Vec<Insertion>>> = {
            let places = self.places();
            let groups = self.groups[some.clone()].iter();
            groups.map(|group| places.nth(group, 0)).collect()
        };
        let insertions: Vec<Insertion> = first.into_iter().flatten().flatten().collect();
        let apart: BTreeSet<usize> = insertions.iter().map(|one| one.at).collect();
        let each_its_own = apart.len() == insertions.len() && !insertions.is_empty();
        if each_its_own && self.try_out(insertions, &some) {
            return;
        }
        let middle = some.start + some.len() / 2;
        self.accept(some.start..middle);
        self.accept(middle..some.end);
    }

    fn places(&self) -> Places<'_> {
        Places {
            text: &self.text,
            notation: self.notation,
            reason: self.reason,
            read: &self.read,
        }
    }

    /// Puts texts in, and keeps them when they do what they are for and nothing else.
    fn try_out(&mut self, mut insertions: Vec<Insertion>, some: &Range<usize>) -> bool {
        insertions.sort_by_key(|one| one.at);
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for one in &insertions {
            let Some(kept) = self.text.get(at..one.at) else {
                return false;
            };
            text.push_str(kept);
            text.push_str(&one.text);
            at = one.at;
        }
        text.push_str(&self.text[at..]);
        let Some(read) = read(&text, self.notation).filter(|read| self.says_the_same(&text, read))
        else {
            return false;
        };
        let moved = |range: &Range<usize>| {
            let before = |offset: usize| -> usize {
                // What comes on a line above moves what begins there; what comes behind does not.
                let before = insertions
                    .iter()
                    .filter(|one| one.at < offset + usize::from(one.text.ends_with('\n')));
                before.map(|one| one.text.len()).sum()
            };
            let start = range.start + before(range.start);
            let inside = range.end.saturating_sub(1).max(range.start);
            start..(range.end + before(inside)).max(start)
        };
        let groups: Vec<Group> = self
            .groups
            .iter()
            .map(|group| Group {
                accepted: group.accepted,
                members: group
                    .members
                    .iter()
                    .map(|one| Member {
                        span: moved(&one.span),
                        ..one.clone()
                    })
                    .collect(),
            })
            .collect();
        let meant = |at: usize| some.contains(&at);
        let held = groups.iter().enumerate().all(|(at, group)| {
            (!meant(at) && !group.accepted) || group.is_accepted(&read.ignores, self.reason)
        });
        if held {
            self.text = text;
            self.read = read;
            self.groups = groups;
            for group in &mut self.groups[some.clone()] {
                group.accepted = true;
            }
        }
        held
    }

    fn says_the_same(&self, text: &str, read: &Read) -> bool {
        match (&self.first, &read.document) {
            (Some(one), Some(other)) => yaml::same(one.root(), other.root(), &left_out),
            (None, None) => terraform::same(self.original, text),
            _ => false,
        }
    }
}

fn read(text: &str, notation: Notation) -> Option<Read> {
    let mut ignores = Ignores::default();
    if notation == Notation::Terraform {
        if !terraform::same(text, text) {
            return None;
        }
        ignores.read_lines(text, 0..text.len(), SourceId(0));
        return Some(Read {
            document: None,
            ignores: ignores.ignores,
        });
    }
    let stream = yaml::parse(text, SourceId(0));
    let [document]: [Document; 1] = stream.documents.try_into().ok()?;
    if !stream.errors.is_empty() {
        return None;
    }
    ignores.read_document(text, &document, None);
    Some(Read {
        document: Some(document),
        ignores: ignores.ignores,
    })
}
