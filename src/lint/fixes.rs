//! Turns what rules propose into edits of files: each is tried on the text, and one that would break it is no fix.

use std::collections::BTreeMap;

use super::place::At;
use crate::finding::{Edit, Finding, Fix};
use crate::rule::fix::Proposal;
use crate::source::{Source, SourceId, Span};
use crate::terraform::{is_configuration, is_template};
use crate::yaml::edit::{self, Change, Replacement, Target};
use crate::yaml::{self, Document};

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
                let target = if place.path.ends_with(']') {
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
        for finding in findings {
            let Some(proposals) = self.0.get(&key(finding)) else {
                continue;
            };
            let Some(source) = sources.get(&finding.span.source) else {
                continue;
            };
            // What stands in a configuration is written in another language there.
            if is_configuration(&source.path) || is_template(&source.path) {
                continue;
            }
            let id = finding.span.source;
            let documents = trees
                .entry(id)
                .or_insert_with(|| yaml::parse(&source.text, id).documents);
            finding.fix = proposals.iter().find_map(|one| one.fix(source, documents));
        }
    }
}

fn key(finding: &Finding) -> Key {
    (finding.rule.clone(), finding.span, finding.message.clone())
}

impl Placed {
    fn fix(&self, source: &Source, documents: &[Document]) -> Option<Fix> {
        let at = self.span.start as usize;
        let document = documents
            .iter()
            .find(|document| document.range().contains(&at))?;
        let text = &source.text;
        let done = edit::change(document, text, (self.target, self.span), &self.change)?;
        // An alias to what was taken out, or a text that means something else where it stands now.
        let range = document.range();
        let mut after = text.get(range.start..done.range.start)?.to_owned();
        after.push_str(&done.text);
        after.push_str(text.get(done.range.end..range.end.max(done.range.end))?);
        let read = yaml::parse(&after, self.span.source);
        if !read.errors.is_empty() || read.documents.len() != 1 {
            return None;
        }
        Some(Fix {
            safe: self.safe,
            title: self.title.clone(),
            edits: vec![Edit {
                span: Span::new(self.span.source, done.range),
                text: done.text,
            }],
        })
    }
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
    chosen.sort();
    let replacements: Vec<Replacement> = chosen
        .into_iter()
        .map(|edit| Replacement {
            range: edit.span.range(),
            text: edit.text.clone(),
        })
        .collect();
    (applied > 0).then(|| (edit::apply(&source.text, &replacements), applied))
}
