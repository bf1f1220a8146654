//! Lists in the report what was not judged, with positions for spans and texts for reasons, each entry once.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::paths::Paths;
use super::texts::Places;
use crate::finding::{NotJudged, Open, Report, Texts};
use crate::source::{SourceId, Span};

/// Adds everything that was not judged to the report, sorted, and counts it by groups of reasons.
pub fn list(open: Vec<Open>, paths: &Paths, places: &Places, report: &mut Report) {
    let mut interned = Interned::default();
    let named = Named { paths, places };
    let mut listed: Vec<NotJudged> = open
        .into_iter()
        .map(|one| NotJudged {
            file: interned.text(named.path(one.span.source)),
            start: places.start(one.span),
            because: interned.text(&one.because.text(&named)),
            group: one.because.group(),
            object: one.object,
        })
        .collect();
    listed.sort_unstable();
    listed.dedup();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for one in &listed {
        *counts.entry(one.group.to_owned()).or_default() += 1;
    }
    report.counts.not_judged = counts;
    report.not_judged = listed;
}

/// Interns texts: many entries share few reasons.
#[derive(Default)]
struct Interned(HashSet<Arc<str>>);

impl Interned {
    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

struct Named<'n> {
    paths: &'n Paths,
    places: &'n Places,
}

impl Named<'_> {
    fn path(&self, source: SourceId) -> &str {
        self.paths.of(source)
    }
}

impl Texts for Named<'_> {
    fn place(&self, span: Span) -> String {
        let line = self.places.start(span).line;
        format!("{}:{line}", self.path(span.source))
    }

    fn written(&self, span: Span) -> String {
        self.places.written(span).to_owned()
    }
}
