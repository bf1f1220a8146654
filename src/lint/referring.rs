//! Files whose charts are named in other files: releases that refer to a repository, and values for the dependencies of a
//! chart. They are read again when all files are known.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::Content;
use super::caught::caught;
use super::kept::{Kept, Load};
use super::shapes::Shapes;
use crate::charts::{Group, ValuePath};
use crate::extract::{self, ChartName, ChartSources, FileFacts, Table};
use crate::source::{Source, SourceId};

/// The facts of such files, where their charts are known. A file whose text has changed since it was
/// read is left out; the check starts over anyway.
pub fn read_again(
    files: &[Kept],
    load: &Load<'_>,
    table: &Table,
    shapes: &Shapes,
) -> HashMap<SourceId, FileFacts> {
    let facts = || {
        files
            .iter()
            .filter_map(|kept| Some((kept, kept.read.facts.as_deref()?)))
    };
    let mut sources = ChartSources::default();
    for (kept, facts) in facts() {
        facts.chart_sources.iter().for_each(|one| sources.add(one));
        if !facts.dependencies.is_empty() {
            let folder = kept.input.path.rsplit_once('/');
            let folder = folder.map_or("", |(folder, _)| folder);
            sources.add_dependencies(folder, &facts.dependencies);
        }
    }
    add_charts(&mut sources, files);
    if sources.is_empty() {
        return HashMap::new();
    }
    let refers = |kept: &&Kept| {
        let facts = kept.read.facts.as_deref();
        let path = &kept.input.path;
        facts.is_some_and(|facts| !facts.referring.is_empty())
            || !sources.dependencies_of(path).is_empty()
            || (facts.is_some_and(|facts| facts.schedules) && sources.has_charts_of(path))
    };
    let referring: Vec<&Kept> = files.iter().filter(refers).collect();
    let read = referring.into_par_iter().filter_map(|kept| {
        let content = kept.content(load);
        if super::digest::Digest::of(&content) != kept.read.digest {
            return None;
        }
        let Content::Text(text) = content else {
            return None;
        };
        let source = Source::new(kept.input.path.clone(), text).rendered(kept.rendered);
        let read = || extract::extract_with(&source, kept.id, table, &sources);
        // The first reading has said so already if this fails.
        let mut facts = caught(read).ok()?;
        facts.documents = 0;
        facts.configuration = None;
        shapes.share(&mut facts.workloads);
        Some((kept.id, facts))
    });
    read.collect()
}

/// Adds the charts whose templates are among the files.
fn add_charts(sources: &mut ChartSources, files: &[Kept]) {
    let mut charts: BTreeMap<&str, Vec<Group>> = BTreeMap::new();
    let mut changed: HashMap<&str, Vec<ValuePath>> = HashMap::new();
    let mut names: HashMap<&str, &ChartName> = HashMap::new();
    for kept in files {
        let path = kept.input.path.as_str();
        let Some(facts) = kept.read.facts.as_deref() else {
            continue;
        };
        let says_something = !facts.chart_groups.is_empty() || !facts.changed_values.is_empty();
        if says_something && let Some(folder) = extract::chart_of(path) {
            let groups = facts.chart_groups.iter().cloned();
            charts.entry(folder).or_default().extend(groups);
            let paths = facts.changed_values.iter().cloned();
            changed.entry(folder).or_default().extend(paths);
        }
        if let Some(chart) = &facts.chart {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            names.insert(folder, chart);
        }
    }
    for folder in names.keys() {
        charts.entry(folder).or_default();
    }
    for (folder, mut groups) in charts {
        let changed = changed.remove(folder).unwrap_or_default();
        groups.iter_mut().for_each(|group| group.forget(&changed));
        sources.add_chart(folder, names.get(folder).copied(), groups);
    }
}
