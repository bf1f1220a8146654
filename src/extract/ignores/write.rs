//! Writes the comments and annotations that suppress findings into a text. The result is read again before it counts:
//! it must cover its findings, and the text must otherwise mean the same as before.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::place::{Group, Insertion, Member, Notation, Places, holding, left_out};
use super::reading::Read;
use super::{Ignores, Reason};
use crate::source::text::Cut as _;
use crate::source::{FileKind, Source, SourceId, Span};
use crate::terraform;
use crate::yaml::{self, Document};

/// A finding to suppress.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Its place.
    pub span: Span,
    /// The id of its rule.
    pub rule: String,
}

/// A text with its new suppressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The whole text.
    pub text: String,
    /// The findings that have no place for a comment, each with the reason.
    pub refused: Vec<(Wanted, &'static str)>,
}

const SCRIPT: &str = "comments in scripts are not read";
const BROKEN: &str = "the document cannot be parsed, so it cannot be edited safely";
const JSON: &str = "JSON has no comments, and no enclosing object has metadata for an annotation";
const NO_PLACE: &str = "a comment here would change something else";

/// Suppresses findings of one file.
pub fn write(source: &Source, wanted: &[Wanted], reason: &Reason) -> Written {
    let mut wanted: Vec<Wanted> = wanted.to_vec();
    wanted.sort();
    wanted.dedup();
    let mut written = Written {
        text: String::with_capacity(source.text.len()),
        refused: Vec::new(),
    };
    if source.kind == FileKind::Script {
        source.text.as_ref().clone_into(&mut written.text);
        written.refused = wanted.into_iter().map(|one| (one, SCRIPT)).collect();
        return written;
    }
    let json = source.path.ends_with(".json");
    let terraform = matches!(source.kind, FileKind::Terraform | FileKind::Included) && !json;
    let notation = match (json, terraform) {
        (true, _) => Notation::Json,
        (_, true) => Notation::Terraform,
        _ => Notation::Yaml,
    };
    let pieces: Vec<Range<usize>> = if terraform {
        std::iter::once(0..source.text.len()).collect()
    } else {
        let stream = yaml::parse(&source.text, SourceId(0));
        let errors = stream.errors.iter();
        let errors: HashSet<u32> = errors.map(|error| error.span.start).collect();
        let broken = |one: &Wanted| errors.contains(&one.span.start);
        let refused: Vec<Wanted>;
        (refused, wanted) = wanted.into_iter().partition(broken);
        written
            .refused
            .extend(refused.into_iter().map(|one| (one, BROKEN)));
        stream.documents.iter().map(Document::range).collect()
    };
    let mut at = 0;
    let mut placed = HashSet::new();
    for range in pieces {
        let (Some(kept), Some(text)) = (
            source.text.get(at..range.start),
            source.text.get(range.clone()),
        ) else {
            continue;
        };
        written.text.push_str(kept);
        at = range.end;
        // The findings are sorted, as the documents are.
        let is_before = |one: &Wanted, end: usize| (one.span.start as usize) < end;
        let from = wanted.partition_point(|one| is_before(one, range.start));
        let to = wanted.partition_point(|one| is_before(one, range.end));
        let here: Vec<Wanted> = wanted.get(from..to).unwrap_or_default().to_vec();
        placed.extend(from..to);
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
    let wanted = wanted.into_iter().enumerate();
    let rest = wanted.filter(|(at, _)| !placed.contains(at));
    written.refused.extend(rest.map(|(_, one)| (one, BROKEN)));
    written.refused.sort();
    written
}

/// A document, or a whole Terraform file.
struct Piece<'r> {
    notation: Notation,
    reason: &'r Reason,
    original: &'r str,
    first: Option<Document>,
    text: String,
    read: Read,
    groups: Vec<Group>,
    /// How often the text was read again.
    #[cfg(test)]
    readings: usize,
}

impl<'r> Piece<'r> {
    /// Returns `None` if the text cannot be read. `base` is its offset in the file.
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
            #[cfg(test)]
            readings: 0,
        })
    }

    /// Suppresses some of the groups. Tries all at once first, and then other places for those that are still not
    /// suppressed. If that fails, tries each half separately.
    fn accept(&mut self, some: Range<usize>) {
        if some.is_empty() {
            return;
        }
        if some.len() == 1 {
            let group = &self.groups[some.start];
            if group.is_accepted(&holding(&self.read.ignores, self.reason)) {
                self.groups[some.start].accepted = true;
                return;
            }
            let mut tried = 0;
            while let Some(insertions) = self.places().nth(&self.groups[some.start], tried) {
                if self.try_out(insertions, &some).is_ok() {
                    return;
                }
                tried += 1;
            }
            return;
        }
        let mut tried = vec![0; some.len()];
        while let Some(insertions) = self.each_its_own(&some, &tried) {
            let open = match self.try_out(insertions, &some) {
                Ok(()) => return,
                Err(open) if open.is_empty() => break,
                Err(open) => open,
            };
            for at in open {
                tried[at - some.start] += 1;
            }
        }
        let middle = some.start + some.len() / 2;
        self.accept(some.start..middle);
        self.accept(middle..some.end);
    }

    /// The insertions for some groups, skipping the first `tried` places of each. `None` if a group has no place left,
    /// or if two groups share a place.
    fn each_its_own(&self, some: &Range<usize>, tried: &[usize]) -> Option<Vec<Insertion>> {
        let places = self.places();
        let groups = self.groups[some.clone()].iter().zip(tried);
        let ways: Option<Vec<Vec<Insertion>>> =
            groups.map(|(group, at)| places.nth(group, *at)).collect();
        let insertions: Vec<Insertion> = ways?.into_iter().flatten().collect();
        let apart: BTreeSet<usize> = insertions.iter().map(|one| one.at).collect();
        let each_its_own = apart.len() == insertions.len() && !insertions.is_empty();
        each_its_own.then_some(insertions)
    }

    fn places(&self) -> Places<'_> {
        Places {
            text: &self.text,
            notation: self.notation,
            reason: self.reason,
            read: &self.read,
        }
    }

    /// Makes insertions, and keeps them if they have the intended effect and no other.
    ///
    /// # Errors
    /// Returns the groups that are still not suppressed, or an empty list if something else is wrong.
    fn try_out(
        &mut self,
        mut insertions: Vec<Insertion>,
        some: &Range<usize>,
    ) -> Result<(), Vec<usize>> {
        insertions.sort_by_key(|one| one.at);
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for one in &insertions {
            let Some(kept) = self.text.get(at..one.at) else {
                return Err(Vec::new());
            };
            text.push_str(kept);
            text.push_str(&one.text);
            at = one.at;
        }
        text.push_str(self.text.since(at));
        #[cfg(test)]
        {
            self.readings += 1;
        }
        let Some(read) = read(&text, self.notation).filter(|read| self.says_the_same(&text, read))
        else {
            return Err(Vec::new());
        };
        let moved = Moved::by(&insertions);
        let groups: Vec<Group> = self
            .groups
            .iter()
            .map(|group| Group {
                accepted: group.accepted,
                members: group
                    .members
                    .iter()
                    .map(|one| Member {
                        span: moved.range(&one.span),
                        ..one.clone()
                    })
                    .collect(),
            })
            .collect();
        let meant = |at: &usize| some.contains(at);
        let holding = holding(&read.ignores, self.reason);
        let mut open: Vec<usize> = (0..groups.len())
            .filter(|at| meant(at) || groups[*at].accepted)
            .filter(|at| !groups[*at].is_accepted(&holding))
            .collect();
        if !open.is_empty() {
            open.retain(meant);
            return Err(open);
        }
        self.text = text;
        self.read = read;
        self.groups = groups;
        for group in &mut self.groups[some.clone()] {
            group.accepted = true;
        }
        Ok(())
    }

    fn says_the_same(&self, text: &str, read: &Read) -> bool {
        match (&self.first, &read.document) {
            (Some(one), Some(other)) => yaml::same(one.root(), other.root(), &left_out),
            (None, None) => terraform::same(self.original, text),
            _ => false,
        }
    }
}

/// How far offsets move after insertions.
struct Moved<'i> {
    /// Sorted by place.
    insertions: &'i [Insertion],
    /// The total length of the insertions before each one, and last the length of all.
    before: Vec<usize>,
}

impl<'i> Moved<'i> {
    fn by(insertions: &'i [Insertion]) -> Moved<'i> {
        let mut before = vec![0];
        let mut sum = 0;
        for one in insertions {
            sum += one.text.len();
            before.push(sum);
        }
        Moved { insertions, before }
    }

    /// The range after the insertions.
    fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = range.start + self.distance(range.start);
        let inside = range.end.saturating_sub(1).max(range.start);
        start..(range.end + self.distance(inside)).max(start)
    }

    fn distance(&self, place: usize) -> usize {
        let first = self.insertions.partition_point(|one| one.at < place);
        // A new line above moves what begins here. An insertion at the end of a line does not.
        let here = self.insertions.get(first..).unwrap_or_default().iter();
        let above = here
            .take_while(|one| one.at == place)
            .filter(|one| one.text.ends_with('\n'));
        self.before[first] + above.map(|one| one.text.len()).sum::<usize>()
    }
}

fn read(text: &str, notation: Notation) -> Option<Read> {
    let mut ignores = Ignores::default();
    if notation == Notation::Terraform {
        if !terraform::same(text, text) {
            return None;
        }
        ignores.read_configuration(text, SourceId(0));
        return Some(Read::of_terraform(text, ignores.ignores.into()));
    }
    let stream = yaml::parse(text, SourceId(0));
    let [document]: [Document; 1] = stream.documents.try_into().ok()?;
    if !stream.errors.is_empty() {
        return None;
    }
    ignores.read_document(text, &document, None);
    Some(Read::of_yaml(document, ignores.ignores.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Suppresses the finding at each `value`. Returns whether all are suppressed, and the number of readings.
    fn accept_all(text: &str, notation: Notation) -> (bool, usize) {
        let today = jiff::civil::date(2026, 1, 31);
        let reason = Reason::read("the agent drains nodes", today).unwrap();
        let found = text.match_indices("value").map(|(at, _)| Wanted {
            span: Span::new(SourceId(0), at..at + 8),
            rule: "value-with-exists".to_owned(),
        });
        let wanted: Vec<Wanted> = found.collect();
        let mut piece = Piece::new(text, notation, &reason, &wanted, 0).unwrap();
        piece.accept(0..piece.groups.len());
        (piece.groups.iter().all(|one| one.accepted), piece.readings)
    }

    #[test]
    fn many_findings_are_accepted_together_wherever_they_stand() {
        let entry = "- key: k\n      operator: Exists\n      value: v\n";
        let list: String = (0..200).map(|_| format!("    {entry}")).collect();
        let text = |at: usize| format!("  v{at}.yaml: |\n    tolerations:\n    {entry}");
        let texts: String = (0..200).map(text).collect();
        let resource = |at: usize| {
            format!(
                "resource \"kubectl_manifest\" \"m{at}\" {{\n  yaml_body = <<-EOT\n    tolerations:\n    {entry}  EOT\n}}\n"
            )
        };
        let resources: String = (0..200).map(resource).collect();
        let mixed = format!("tolerations:\n{list}data:\n{texts}");
        for (text, notation) in [
            (format!("tolerations:\n{list}"), Notation::Yaml),
            (format!("data:\n{texts}"), Notation::Yaml),
            (mixed, Notation::Yaml),
            (resources, Notation::Terraform),
        ] {
            let (all, readings) = accept_all(&text, notation);
            assert!(all, "{}", &text[..100]);
            assert!(readings < 10, "{readings}: {}", &text[..100]);
        }
    }
}
