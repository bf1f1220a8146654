//! Turns what rules propose into edits of files: each is tried on the text, and one that would break it is no fix.

use std::collections::BTreeMap;
use std::ops::Range;

use super::place::At;
use crate::finding::{Edit, Finding, Fix};
use crate::rule::fix::Proposal;
use crate::source::{Source, SourceId, Span};
use crate::terraform::{is_configuration, is_template};
use crate::yaml::edit::{self, Change, Replacement, Target};
use crate::yaml::{self, Document, Kind, Node};

/// A proposal with its place.
#[derive(Debug)]
pub struct Placed {
    safe: bool,
    title: String,
    target: Target,
    span: Span,
    change: Change,
}

/// What a finding is known by before it has a fingerprint.
type Key = (String, Span, String);

/// What is proposed for findings, by finding.
#[derive(Debug, Default)]
pub struct Proposals(BTreeMap<Key, Vec<Placed>>);

impl Proposals {
    /// Remembers what is proposed for a finding. `locate` says where the places stand that proposals name.
    pub fn add(
        &mut self,
        finding: &Finding,
        proposals: &[Proposal],
        locate: &dyn Fn(&str) -> Option<At>,
    ) {
        let placed: Vec<Placed> = proposals
            .iter()
            .filter_map(|proposal| {
                let place = locate(&proposal.at)?;
                // Where a field is not written, its owner is named instead; that is not what is to be changed.
                let field = proposal.at.rsplit_once('.').map(|(_, field)| field);
                let last = place.path.rsplit('.').next().unwrap_or_default();
                let chosen_by_fact = ["errors", "deviation"];
                if field.is_some_and(|field| !chosen_by_fact.contains(&field) && field != last) {
                    return None;
                }
                // A key that holds dots stands in brackets, too, and in quotes.
                let target = if place.path.ends_with(']') && !place.path.ends_with("\"]") {
                    Target::Item
                } else {
                    Target::Field
                };
                Some(Placed {
                    safe: proposal.safe,
                    title: proposal.title.clone(),
                    target,
                    span: place.span,
                    change: proposal.change.clone(),
                })
            })
            .collect();
        if !placed.is_empty() {
            self.0.insert(key(finding), placed);
        }
    }

    /// Gives each finding the first of its fixes that can be applied to the text.
    pub fn work_out(&self, findings: &mut [Finding], sources: &BTreeMap<SourceId, Source>) {
        let mut trees: BTreeMap<SourceId, Vec<Document>> = BTreeMap::new();
        let mut found: BTreeMap<(SourceId, String), Vec<String>> = BTreeMap::new();
        for finding in findings.iter() {
            let rule = (finding.span.source, finding.rule.clone());
            found.entry(rule).or_default().push(finding.path.clone());
        }
        for finding in findings {
            let Some(proposals) = self.0.get(&key(finding)) else {
                continue;
            };
            let Some(source) = sources.get(&finding.span.source) else {
                continue;
            };
            if is_template(&source.path) {
                continue;
            }
            let id = finding.span.source;
            let documents = trees.entry(id).or_insert_with(|| {
                // A configuration is written in another language, apart from the heredocs in it.
                if is_configuration(&source.path) {
                    Vec::new()
                } else {
                    yaml::parse(&source.text, id).documents
                }
            });
            let found = &found[&(id, finding.rule.clone())];
            finding.fix = proposals
                .iter()
                .find_map(|one| one.fix(source, documents, found));
        }
    }
}

fn key(finding: &Finding) -> Key {
    (finding.rule.clone(), finding.span, finding.message.clone())
}

impl Placed {
    /// The fix, unless it would break the text or change more than what was found: `found` are the places of the rule's
    /// findings in this file.
    fn fix(&self, source: &Source, documents: &[Document], found: &[String]) -> Option<Fix> {
        let at = self.span.start as usize;
        if is_configuration(&source.path) {
            return self.fix_in_heredoc(source, at);
        }
        let document = documents
            .iter()
            .find(|document| document.range().contains(&at))?;
        let done = self.try_on(&source.text, document, self.span, found)?;
        Some(self.made(done))
    }

    /// The same for a manifest in Terraform that is YAML as it stands there.
    fn fix_in_heredoc(&self, source: &Source, at: usize) -> Option<Fix> {
        let inside = heredoc_around(&source.text, at)?;
        let text = &source.text[inside.clone()];
        // Variables stand where they stand; what depends on a condition does not.
        if text.contains("%{") || text.contains('*') {
            return None;
        }
        let span = self.span.range();
        let span = span.start - inside.start..span.end.checked_sub(inside.start)?;
        let span = Span::new(self.span.source, span);
        let stream = yaml::parse(text, self.span.source);
        let place = span.start as usize;
        let document = stream
            .documents
            .iter()
            .find(|document| document.range().contains(&place))?;
        let done = self.try_on(text, document, span, &[])?;
        let range = done.range.start + inside.start..done.range.end + inside.start;
        Some(self.made(Replacement { range, ..done }))
    }

    fn made(&self, done: Replacement) -> Fix {
        Fix {
            safe: self.safe,
            title: self.title.clone(),
            edits: vec![Edit {
                span: Span::new(self.span.source, done.range),
                text: done.text,
            }],
        }
    }

    fn try_on(
        &self,
        text: &str,
        document: &Document,
        span: Span,
        found: &[String],
    ) -> Option<Replacement> {
        let done = edit::change(document, text, (self.target, span), &self.change)?;
        // An alias to what was taken out, or a text that means something else where it stands now.
        let whole = document.range();
        let aliased = text.get(whole.clone())?.contains('*');
        let range = match aliased {
            true => whole,
            false => part_around(document, text, &done.range),
        };
        let mut after = text.get(range.start..done.range.start)?.to_owned();
        after.push_str(&done.text);
        after.push_str(text.get(done.range.end..range.end.max(done.range.end))?);
        let read = yaml::parse(&after, self.span.source);
        if !read.errors.is_empty() || read.documents.len() != 1 {
            return None;
        }
        // What has a name may stand in other places as well, where the same need not be wrong.
        if aliased {
            let changed = yaml::changed_paths(document.root(), read.documents[0].root())?;
            if !changed.iter().all(|path| is_found(path, found)) {
                return None;
            }
        }
        Some(done)
    }
}

/// What has to be read again to try a change: the object of a list that it is in, or the whole document. Lists of thousands
/// of objects have findings in thousands of them.
fn part_around(document: &Document, text: &str, change: &Range<usize>) -> Range<usize> {
    let whole = document.range();
    let part = || {
        let items = document.root().get("items")?;
        let starts: Vec<usize> = items
            .items()
            .map(|item| item.span().range().start)
            .collect();
        let at = starts
            .partition_point(|start| *start <= change.start)
            .checked_sub(1)?;
        // From its dash, which begins a line, to that of the next.
        let dash = |start: usize| {
            let line = text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
            (text.get(line..start)?.trim() == "-").then_some(line)
        };
        let start = dash(starts[at])?;
        let end = match starts.get(at + 1) {
            Some(next) => dash(*next)?,
            None => whole.end,
        };
        (change.end <= end).then_some(start..end)
    };
    part().unwrap_or(whole)
}

/// The lines of the heredoc that a place is in, without its marks.
fn heredoc_around(text: &str, at: usize) -> Option<Range<usize>> {
    let mut start = 0;
    let mut open: Option<(usize, String)> = None;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        match &open {
            Some((from, mark)) if line.trim() == mark => {
                if (*from..start).contains(&at) {
                    return Some(*from..start);
                }
                open = None;
            }
            Some(_) => {}
            None => {
                let mark = line.split_once("<<").map(|(_, mark)| mark.trim());
                let mark = mark.map(|mark| mark.strip_prefix('-').unwrap_or(mark));
                let is_mark = |mark: &&str| {
                    let letter = |one: char| one.is_alphanumeric() || one == '_' || one == '-';
                    !mark.is_empty() && mark.chars().all(letter)
                };
                open = mark.filter(is_mark).map(|mark| (end, mark.to_owned()));
            }
        }
        start = end;
    }
    None
}

/// Whether a place that changes is one of these, or a field beside or in it, or the list that it is in.
fn is_found(changed: &str, found: &[String]) -> bool {
    let above = |path: &str| -> String {
        let end = path.rfind(['.', '[']).unwrap_or(0);
        path[..end].to_owned()
    };
    let of_changed = above(changed);
    found.iter().any(|found| {
        let of_found = above(found);
        [found.as_str(), of_found.as_str()].contains(&changed)
            || of_changed == *found
            || of_changed == of_found
    })
}

/// A text after the fixes of its findings. Of fixes that overlap the first is applied; another round may apply the other.
/// Gives nothing when there is nothing to apply, else the text and how many fixes it holds.
pub fn mend<'f>(
    source: &Source,
    fixes: impl IntoIterator<Item = &'f Fix>,
) -> Option<(String, usize)> {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by(|one, other| one.edits.cmp(&other.edits));
    fixes.dedup_by(|one, other| one.edits == other.edits);
    let mut chosen: Vec<&Edit> = Vec::new();
    let mut applied = 0;
    for fix in fixes {
        let touches = |edit: &Edit| {
            chosen.iter().any(|other| {
                let (one, other) = (edit.span, other.span);
                // Two texts put in at one place have no order.
                one.start == other.start || (one.start < other.end && other.start < one.end)
            })
        };
        if fix.edits.is_empty() || fix.edits.iter().any(touches) {
            continue;
        }
        chosen.extend(&fix.edits);
        applied += 1;
    }
    if applied == 0 {
        return None;
    }
    chosen.sort();
    let replacements: Vec<Replacement> = chosen
        .into_iter()
        .map(|edit| Replacement {
            range: edit.span.range(),
            text: edit.text.clone(),
        })
        .collect();
    let mut text = edit::apply(&source.text, &replacements);
    let before = empty_fields(&source.text);
    let mut empty = empty_fields(&text);
    let mut left = replacements.clone();
    // Each leaves something, and all together nothing: the next round knows how a list without entries is written.
    for at in (0..replacements.len()).rev() {
        if empty <= before || left.len() < 2 {
            break;
        }
        let without = left.remove(at);
        let shorter = edit::apply(&source.text, &left);
        let fewer = empty_fields(&shorter);
        if fewer < empty {
            (text, empty) = (shorter, fewer);
            applied -= 1;
        } else {
            left.insert(at, without);
        }
    }
    Some((text, applied))
}

/// How many fields of a text have no value.
fn empty_fields(text: &str) -> usize {
    let stream = yaml::parse(text, SourceId(0));
    let mut open: Vec<Node<'_>> = stream.documents.iter().map(Document::root).collect();
    let mut empty = 0;
    while let Some(node) = open.pop() {
        let fields = node.written_fields().map(|field| field.value);
        for child in fields.chain(node.items()) {
            empty += usize::from(child.is_null());
            if child.kind() != Kind::Scalar && !child.is_alias() {
                open.push(child);
            }
        }
    }
    empty
}
