//! Templates that include named templates of other files: of the same chart, of the charts in it, and of library charts. They
//! are read again with these files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::caught::caught;
use super::kept::{Kept, Load};
use super::read::name_digest;
use super::shapes::Shapes;
use crate::extract::{self, Beside, ChartSources, FileFacts, Table};
use crate::source::{Source, SourceId};
use crate::template::{Language, Template, Templates};

/// The maximum number of files that a template includes templates of.
const MAX_FILES: usize = 16;

/// The facts of templates that include named templates about scheduling.
pub fn read_again(
    files: &[Kept],
    load: &Load<'_>,
    table: &Table,
    shapes: &Shapes,
) -> HashMap<SourceId, FileFacts> {
    let defined = Defined::of(files);
    if defined.0.is_empty() {
        return HashMap::new();
    }
    let including = files
        .par_iter()
        .filter(|kept| !kept.read.includes.is_empty());
    let read = including.filter_map(|kept| {
        let wanted = defined.wanted_by(kept);
        if wanted.is_empty() {
            return None;
        }
        let templates: Templates = wanted
            .iter()
            .filter_map(|other| {
                let text = other.unchanged_text(load)?;
                let parse = || Template::parse(&text, Language::Go).ok();
                Some((other.id, caught(parse).ok()??))
            })
            .collect();
        let beside = Beside {
            sources: &ChartSources::default(),
            values: None,
            templates: &templates,
        };
        let source = Source::new(&*kept.input.path, kept.unchanged_text(load)?).rendered(true);
        let read = || extract::extract_beside(&source, kept.id, table, &beside);
        // The first reading has said so already if this fails.
        let mut facts = caught(read).ok()?;
        facts.documents = 0;
        facts.configuration = None;
        shapes.share(&mut facts.workloads);
        Some((kept.id, facts))
    });
    read.collect()
}

/// The files that define templates about scheduling, by the digest of each name.
struct Defined<'f>(HashMap<u64, Vec<&'f Kept>>);

impl<'f> Defined<'f> {
    fn of(files: &'f [Kept]) -> Self {
        let mut defined: HashMap<u64, Vec<&Kept>> = HashMap::new();
        for kept in files.iter().filter(|kept| kept.rendered) {
            let facts = kept.read.facts.as_deref();
            for name in facts.into_iter().flat_map(|facts| &facts.defines) {
                defined.entry(name_digest(name)).or_default().push(kept);
            }
        }
        Defined(defined)
    }

    /// The other files that define what a file includes, directly or through others.
    fn wanted_by(&self, kept: &'f Kept) -> Vec<&'f Kept> {
        let mut wanted: BTreeMap<SourceId, &Kept> = BTreeMap::new();
        let mut seen: BTreeSet<u64> = BTreeSet::new();
        let mut pending: Vec<&Kept> = vec![kept];
        while let Some(one) = pending.pop() {
            for name in &one.read.includes {
                if !seen.insert(*name) || wanted.len() == MAX_FILES {
                    continue;
                }
                let Some(file) = self.find(*name, &kept.input.path) else {
                    continue;
                };
                if file.id != kept.id && wanted.insert(file.id, file).is_none() {
                    pending.push(file);
                }
            }
        }
        wanted.into_values().collect()
    }

    /// The file that defines a template for a file: in the same chart, in a chart in it or around it, or else the only one.
    fn find(&self, name: u64, path: &str) -> Option<&'f Kept> {
        let all = self.0.get(&name)?;
        let chart = extract::chart_of(path)?;
        let is_within = |inner: &str, outer: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let distance = |other: &&&'f Kept| {
            let other = extract::chart_of(&other.input.path).unwrap_or_default();
            match (other == chart, is_within(other, chart)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) if is_within(chart, other) => 2,
                (false, false) => 3,
            }
        };
        let nearest = all.iter().min_by_key(distance)?;
        let is_near = distance(&nearest) < 3;
        (is_near || all.len() == 1).then_some(*nearest)
    }
}
