//! Turns rule proposals into edits of files. Each edit is tried on the text and dropped if it would break it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::caught::{bug, caught};
use super::place::At;
use super::trial::Trials;
use crate::finding::{Edit, Finding, Fix, Problem};
use crate::rule::fix::Proposal;
use crate::source::text::Cut as _;
use crate::source::{FileKind, Source, SourceId, Span};
use crate::terraform;
use crate::yaml::edit::{self, Change, Replacement, Target};
use crate::yaml::{self, Document, Entries, Kind, Node, Style};

/// A proposal with its span.
#[derive(Debug)]
pub struct Placed {
    safe: bool,
    title: String,
    target: Target,
    span: Span,
    /// The field path at the span. For text inside a string, the span may be that of the whole string.
    path: String,
    change: Change,
}

/// The identity of a finding before it has a fingerprint.
type Key = (String, Span, String);

/// The proposals for each finding.
#[derive(Debug, Default)]
pub struct Proposals(BTreeMap<Key, Vec<Placed>>);

impl Proposals {
    /// Stores the proposals for a finding. `locate` maps the fields that proposals name to spans.
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
                // If a field is not written, `locate` returns its parent, which must not be changed.
                let field = proposal.at.rsplit_once('.').map(|(_, field)| field);
                let last = place.path.rsplit('.').next().unwrap_or_default();
                let chosen_by_fact = ["errors", "deviation"];
                if field.is_some_and(|field| !chosen_by_fact.contains(&field) && field != last) {
                    return None;
                }
                // A key that contains dots is also in brackets, but quoted.
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
                    path: place.path,
                    change: proposal.change.clone(),
                })
            })
            .collect();
        if !placed.is_empty() {
            self.0.insert(key(finding), placed);
        }
    }

    /// Gives each finding the first of its fixes that applies to the text. Returns the problems on the way.
    pub fn work_out(
        &self,
        findings: &mut [Finding],
        sources: &BTreeMap<SourceId, Source>,
    ) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut readings: BTreeMap<SourceId, Vec<Reading<'_>>> = BTreeMap::new();
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
            if source.kind.is_read_by_others() {
                continue;
            }
            let id = finding.span.source;
            // Field paths of findings in Terraform differ from those in the texts inside it.
            let found: &[String] = match source.kind == FileKind::Terraform {
                true => &[],
                false => {
                    let found = found.get(&(id, finding.rule.clone()));
                    found.map_or(&[], Vec::as_slice)
                }
            };
            let tried = caught(|| {
                let readings = readings
                    .entry(id)
                    .or_insert_with(|| Reading::all(source, id));
                proposals.iter().find_map(|one| {
                    let at = one.span.start as usize;
                    let behind = readings.partition_point(|reading| reading.range.start <= at);
                    let reading = readings.get_mut(behind.checked_sub(1)?)?;
                    let reading = Some(reading).filter(|reading| reading.range.contains(&at))?;
                    Some(one.made(reading.try_out(one, found)?))
                })
            });
            finding.fix = tried.unwrap_or_else(|why| {
                problems.push(bug(&source.path, "fixed", &why));
                None
            });
        }
        problems
    }
}

fn key(finding: &Finding) -> Key {
    (finding.rule.clone(), finding.span, finding.message.clone())
}

impl Placed {
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
}

/// A YAML text, or YAML embedded in another language. It is parsed when a fix needs it.
struct Reading<'s> {
    /// Its range in the file.
    range: Range<usize>,
    text: &'s str,
    documents: Option<Vec<Document>>,
    trials: Trials,
    /// Nested texts that are YAML documents themselves, such as values in an object, by their ranges.
    inside: HashMap<Range<usize>, Reading<'s>>,
}

impl<'s> Reading<'s> {
    /// The YAML texts of a file, in order.
    fn all(source: &'s Source, id: SourceId) -> Vec<Reading<'s>> {
        let text: &str = &source.text;
        // Terraform is not YAML, except for manifests in heredocs. Interpolations keep their position, but conditional parts
        // do not, so heredocs with directives are skipped.
        let ranges: Vec<Range<usize>> = if source.kind == FileKind::Terraform {
            let heredocs = terraform::heredocs(text).into_iter();
            let fixed = heredocs.filter(|one| !one.has_directives);
            fixed.map(|one| one.lines).collect()
        } else {
            std::iter::once(0..text.len()).collect()
        };
        let reading = |range: Range<usize>| Reading::of(text.within(range.clone()), range, id);
        ranges.into_iter().map(reading).collect()
    }

    fn of(text: &'s str, range: Range<usize>, id: SourceId) -> Reading<'s> {
        Reading {
            range,
            text,
            documents: None,
            trials: Trials::on(id, text),
            inside: HashMap::new(),
        }
    }

    /// The edit for a proposal, or `None` if it would break the text or change more than the reported places. `found` are
    /// the places of the rule's findings in the file.
    fn try_out(&mut self, proposal: &Placed, found: &[String]) -> Option<Replacement> {
        let span = proposal.span.range();
        let before = self.range.start;
        let at = span.start.checked_sub(before)?..span.end.checked_sub(before)?;
        let source = proposal.span.source;
        let documents = self
            .documents
            .get_or_insert_with(|| yaml::parse(self.text, source).documents);
        let behind = documents.partition_point(|document| document.range().start <= at.start);
        let document = documents.get(behind.checked_sub(1)?)?;
        if !document.range().contains(&at.start) {
            return None;
        }
        let place = (proposal.target, Span::new(source, at));
        if let Some(block) = block_around(document, self.text, place.1) {
            let text = self.text.get(block.clone())?;
            let range = before + block.start..before + block.end;
            let inside = self.inside.entry(range.clone());
            let inside = inside.or_insert_with(|| Reading::of(text, range, source));
            // The field paths of findings refer to the outer file.
            return inside.try_out(proposal, &[]);
        }
        if !edit::is_named(document, place, &proposal.path) {
            return None;
        }
        let done = edit::change(document, self.text, place, &proposal.change)?;
        // The value of a variable is not written over the variable: it differs from cluster to cluster.
        let variables = |text: &str| text.matches("${").count();
        if variables(self.text.get(done.range.clone())?) > variables(&done.text) {
            return None;
        }
        let holds = self.trials.holds(document, self.text, &done, found);
        holds.then(|| Replacement {
            range: done.range.start + before..done.range.end + before,
            ..done
        })
    }
}

/// The range of the block scalar that contains a span, without the block indicator.
fn block_around(document: &Document, text: &str, place: Span) -> Option<Range<usize>> {
    let mut node = document.root();
    loop {
        let span = node.span();
        if node.style() == Style::Literal && span != place {
            let head = text.get(span.range())?.find('\n')?;
            return Some(span.start as usize + head + 1..span.end as usize);
        }
        let near = Entries::of(node).near(place.start);
        let mut parts = near.flat_map(|entry| entry.key.into_iter().chain([entry.value]));
        node = parts.find(|child| {
            let span = child.span();
            !child.is_alias() && span.start <= place.start && place.end <= span.end
        })?;
    }
}

/// Applies the fixes of the findings to a text. Of overlapping fixes only the first is applied; another round may apply the
/// rest. Returns the new text and the number of applied fixes, or `None` if nothing applies.
pub fn apply<'f>(
    source: &Source,
    fixes: impl IntoIterator<Item = &'f Fix>,
) -> Option<(String, usize)> {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by(|one, other| one.edits.cmp(&other.edits));
    fixes.dedup_by(|one, other| one.edits == other.edits);
    // Keyed by start. Chosen edits never overlap, so a new one can only touch its two neighbours.
    let mut chosen: BTreeMap<u32, &Edit> = BTreeMap::new();
    let mut applied = 0;
    for fix in fixes {
        let touches = |edit: &Edit| {
            let (start, end) = (edit.span.start, edit.span.end);
            let before = chosen.range(..=start).next_back();
            let after = chosen.range(start..).next();
            // Two insertions at the same position have no defined order.
            before.is_some_and(|(at, other)| *at == start || start < other.span.end)
                || after.is_some_and(|(at, _)| *at < end)
        };
        if fix.edits.is_empty() || fix.edits.iter().any(touches) {
            continue;
        }
        chosen.extend(fix.edits.iter().map(|edit| (edit.span.start, edit)));
        applied += 1;
    }
    if chosen.is_empty() {
        return None;
    }
    let replacements: Vec<Replacement> = chosen
        .into_values()
        .map(|edit| Replacement {
            range: edit.span.range(),
            text: edit.text.clone(),
        })
        .collect();
    let all = replacements.len();
    let left = leave_entries(&source.text, replacements);
    applied -= all - left.len();
    Some((edit::apply(&source.text, &left), applied))
}

/// Drops changes until no collection becomes empty. Each change alone leaves an entry, but all together may not. The next
/// round knows how to write an empty collection.
fn leave_entries(text: &str, mut changes: Vec<Replacement>) -> Vec<Replacement> {
    let before = empty_values(text);
    while changes.len() > 1 {
        let empty = empty_values(&edit::apply(text, &changes));
        let mut empty = empty.into_iter().peekable();
        // Bytes inserted and removed before a position of the changed text.
        let (mut came, mut went) = (0, 0);
        let all = changes.len();
        changes.retain(|change| {
            let mut empties = false;
            // Empty values before this change and after the previous one.
            while let Some(at) = empty.next_if(|at| at + went <= change.range.start + came) {
                empties |= before
                    .binary_search(&(at + went).saturating_sub(came))
                    .is_err();
            }
            came += change.text.len();
            went += change.range.len();
            !empties
        });
        if changes.len() == all {
            break;
        }
    }
    changes
}

/// The positions of all empty values, in order.
fn empty_values(text: &str) -> Vec<usize> {
    let stream = yaml::parse(text, SourceId(0));
    let mut open: Vec<Node<'_>> = stream.documents.iter().map(Document::root).collect();
    let mut empty = Vec::new();
    while let Some(node) = open.pop() {
        let fields = node.written_fields().map(|field| field.value);
        for child in fields.chain(node.items()) {
            if child.is_null() {
                empty.push(child.written_at().range().start);
            }
            if child.kind() != Kind::Scalar && !child.is_alias() {
                open.push(child);
            }
        }
    }
    empty.sort_unstable();
    empty
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The changes that remove these parts of a text, one change each.
    fn taking_out(text: &str, parts: &[&str]) -> Vec<Replacement> {
        let part = |(at, part): (usize, &str)| Replacement {
            range: at..at + part.len(),
            text: String::new(),
        };
        let mut changes: Vec<Replacement> = parts
            .iter()
            .flat_map(|one| text.match_indices(one).map(part))
            .collect();
        changes.sort_by_key(|change| change.range.start);
        changes
    }

    #[test]
    fn of_each_list_that_would_lose_all_its_entries_one_is_left() {
        let list = |name: usize| format!("{name}:\n  - a\n  - b\n");
        let text = format!("none:\n{}last: ~\n", (0..50).map(list).collect::<String>());
        let all = taking_out(&text, &["  - a\n", "  - b\n"]);
        assert_eq!(all.len(), 100);
        let left = leave_entries(&text, all);
        assert_eq!(left, taking_out(&text, &["  - b\n"]));
        assert_eq!(empty_values(&text).len(), 2);
    }

    #[test]
    fn what_had_no_value_before_keeps_no_change_from_being_made() {
        let text = "none:\n# why\na: {}\nb:\n  - \"x\"\n  - \"y\"\n";
        let mut changes = taking_out(text, &["# why\n", "  - \"y\"\n"]);
        changes[0].text = "# because of something longer\n".to_owned();
        assert_eq!(leave_entries(text, changes.clone()), changes);
    }
}
