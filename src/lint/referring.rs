//! Files whose charts are named in other files: releases that refer to a repository, and values for the dependencies of a
//! chart. They are read again when all files are known.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rayon::prelude::*;

use super::Content;
use super::caught::caught;
use super::kept::{Kept, Load};
use super::overridden;
use super::shapes::Shapes;
use crate::charts::{Group, ValuePath};
use crate::extract::{
    self, Beside, ChartName, ChartSources, ChartTemplates, FileFacts, Table, ValuesFile,
};
use crate::source::{Source, SourceId, path};
use crate::template::Templates;

/// The maximum number of times that templates of charts are filled in with the values of releases.
const MAX_FILLED: usize = 5_000;

/// What all files say about charts, and the facts of such files, where their charts are known. A file whose text has changed
/// since it was read is left out; the check starts over anyway. `known` are facts of files that were read again before.
pub fn read_again(
    files: &[Kept],
    load: &Load<'_>,
    table: &Table,
    shapes: &Shapes,
    known: &HashMap<SourceId, FileFacts>,
) -> (ChartSources, HashMap<SourceId, FileFacts>) {
    let facts = || {
        files
            .iter()
            .filter_map(|kept| Some((kept, kept.read.facts.as_deref()?)))
    };
    let mut sources = ChartSources::default();
    for (kept, facts) in facts() {
        facts.chart_sources.iter().for_each(|one| sources.add(one));
        for pointer in &facts.pointers {
            let names = pointer.environments();
            names.for_each(|name| sources.add_environment(name));
        }
        for key in &facts.generated {
            sources.add_generated(path::folder(&kept.input.path), key);
        }
        if !facts.dependencies.is_empty() {
            let folder = kept.input.path.rsplit_once('/');
            let folder = folder.map_or("", |(folder, _)| folder);
            sources.add_dependencies(folder, &facts.dependencies);
        }
    }
    add_charts(&mut sources, (files, known), load);
    let names_files = |kept: &Kept| {
        let facts = kept.read.facts.as_deref();
        facts.is_some_and(|facts| !facts.values_files.is_empty())
    };
    if sources.is_empty() && !files.iter().any(names_files) {
        return (sources, HashMap::new());
    }
    let refers = |kept: &&Kept| {
        let facts = kept.read.facts.as_deref();
        let path = &kept.input.path;
        facts.is_some_and(|facts| !facts.referring.is_empty())
            || sources.dependencies_of(path).next().is_some()
            || (facts.is_some_and(|facts| facts.schedules) && sources.has_charts_of(path))
            || sources.is_environment(path)
    };
    let referring: Vec<&Kept> = files.iter().filter(refers).collect();
    let read = |sources: &ChartSources, kept: &Kept, values: Option<&ValuesFile>| {
        let Content::Text(text) = kept.unchanged(load)? else {
            return None;
        };
        let source = Source::new(&*kept.input.path, text).rendered(kept.rendered);
        let read = || {
            let beside = Beside {
                sources,
                values,
                templates: Templates::none(),
            };
            extract::extract_beside(&source, kept.id, table, &beside)
        };
        // The first reading has said so already if this fails.
        let mut facts = caught(read).ok()?;
        facts.documents = 0;
        facts.configuration = None;
        shapes.share(&mut facts.workloads);
        Some((kept.id, facts))
    };
    let referring = referring.into_par_iter();
    let mut again: HashMap<SourceId, FileFacts> = referring
        .filter_map(|kept| read(&sources, kept, None))
        .collect();
    let releases = add_values(&mut sources, files, &again, load);
    add_templates(&mut sources, files, &again, load);
    let releases = releases.into_par_iter();
    let layered: Vec<_> = releases
        .filter_map(|kept| read(&sources, kept, None))
        .collect();
    again.extend(layered);
    let named = named_files(files, &again, &sources);
    let named: Vec<_> = named
        .into_par_iter()
        .filter_map(|(kept, values)| read(&sources, kept, Some(&values)))
        .collect();
    again.extend(named);
    overridden::leave_open(files, &mut again);
    (sources, again)
}

/// Adds the files of values that releases name. Returns the files of these releases, and of those that install charts of the
/// repository.
fn add_values<'f>(
    sources: &mut ChartSources,
    files: &'f [Kept],
    again: &HashMap<SourceId, FileFacts>,
    load: &Load<'_>,
) -> Vec<&'f Kept> {
    let mut releases = Vec::new();
    let mut values: Vec<&ValuesFile> = Vec::new();
    for kept in files {
        let facts = again.get(&kept.id).or(kept.read.facts.as_deref());
        let Some(facts) = facts else { continue };
        if !facts.values_files.is_empty() || !facts.installs.is_empty() {
            releases.push(kept);
            values.extend(&facts.values_files);
        }
    }
    if releases.is_empty() {
        return releases;
    }
    let by_path: HashMap<&str, &Kept> =
        files.iter().map(|kept| (&*kept.input.path, kept)).collect();
    let paths = values.into_iter().filter_map(|one| {
        let path = one.find(sources, |path| by_path.contains_key(path))?;
        by_path.get(path.as_str()).copied()
    });
    let found: BTreeMap<SourceId, &Kept> = paths.map(|kept| (kept.id, kept)).collect();
    for kept in found.into_values() {
        if let Some(text) = kept.unchanged_text(load) {
            sources.add_values(&kept.input.path, &text, kept.id);
        }
    }
    releases
}

/// Adds the templates of the charts that releases install.
fn add_templates(
    sources: &mut ChartSources,
    files: &[Kept],
    again: &HashMap<SourceId, FileFacts>,
    load: &Load<'_>,
) {
    let mut installs: BTreeMap<&str, usize> = BTreeMap::new();
    for folder in again.values().flat_map(|facts| &facts.installs) {
        *installs.entry(folder).or_default() += 1;
    }
    let (installs, outer) = with_parts(sources, &installs);
    let mut charts: BTreeMap<&str, Chart<'_>> = BTreeMap::new();
    for kept in files {
        let path = &*kept.input.path;
        if let Some(folder) = extract::chart_of(path).filter(|_| kept.rendered) {
            // A chart may include what is defined in the charts in it.
            for outer in outer.get(folder).into_iter().flatten() {
                let chart = charts.entry(outer).or_default();
                chart.add(kept, *outer == folder);
            }
        } else if path.rsplit('/').next() == Some("values.yaml")
            && let Some((folder, _)) = installs.get_key_value(path::folder(path))
        {
            charts.entry(folder).or_default().defaults = Some(kept);
        }
    }
    let size = |(folder, chart): (&&str, &Chart<'_>)| {
        let releases = installs.get(*folder).copied().unwrap_or_default();
        releases.saturating_mul(chart.templates.len())
    };
    if charts.iter().map(size).sum::<usize>() > MAX_FILLED {
        return;
    }
    let read: Vec<_> = installs
        .keys()
        .filter_map(|folder| {
            let chart = charts.remove(folder).unwrap_or_default();
            Some(((*folder).to_owned(), chart.read(load)?))
        })
        .collect();
    for (folder, templates) in read {
        sources.add_templates(&folder, templates);
    }
}

/// The folders of installed charts and of the charts in them, each with the number of its releases; and, for each of these
/// folders, that of the chart itself and of all charts that contain it.
fn with_parts<'s>(
    sources: &'s ChartSources,
    installs: &BTreeMap<&'s str, usize>,
) -> (
    BTreeMap<&'s str, usize>,
    BTreeMap<&'s str, BTreeSet<&'s str>>,
) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut outer: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (folder, releases) in installs {
        for part in sources.all_parts_of(folder) {
            *counts.entry(part).or_default() += releases;
        }
    }
    for folder in counts.keys() {
        for part in sources.all_parts_of(folder) {
            outer.entry(part).or_default().insert(folder);
        }
    }
    (counts, outer)
}

/// The files of a chart that releases install.
#[derive(Default)]
struct Chart<'f> {
    /// Templates that make pods.
    templates: Vec<&'f Kept>,
    /// Files with named templates.
    named: Vec<&'f Kept>,
    defaults: Option<&'f Kept>,
    /// Whether templates change values that others read.
    changes: bool,
}

impl<'f> Chart<'f> {
    /// Adds a file, which belongs to the chart itself or to one in it.
    fn add(&mut self, kept: &'f Kept, is_own: bool) {
        let facts = kept.read.facts.as_deref();
        self.changes |= facts.is_some_and(|facts| !facts.changed_values.is_empty());
        if is_own && facts.is_some_and(|facts| !facts.workloads.is_empty()) {
            self.templates.push(kept);
        }
        if !kept.input.path.ends_with(".yaml") {
            self.named.push(kept);
        }
    }

    fn read(&self, load: &Load<'_>) -> Option<ChartTemplates> {
        if self.changes {
            return None;
        }
        let text = |kept: &&Kept| match kept.unchanged(load)? {
            Content::Text(text) | Content::Template(text) | Content::Parameters(text) => Some(text),
            Content::Irrelevant | Content::Unusable(_) | Content::Unreadable(_) => None,
        };
        let templates = self.templates.iter().map(|kept| {
            let source = Source::new(&*kept.input.path, text(kept)?).rendered(true);
            Some((source, kept.id))
        });
        let templates: Vec<_> = templates.collect::<Option<_>>()?;
        let named = self.named.iter().map(|kept| Some((text(kept)?, kept.id)));
        let named: Vec<_> = named.collect::<Option<_>>()?;
        let defaults = self.defaults.map(|kept| Some((text(&kept)?, kept.id)));
        let defaults = match defaults {
            Some(defaults) => Some(defaults?),
            None => None,
        };
        let parse = || ChartTemplates::parse(templates, named, defaults);
        caught(parse).ok()?
    }
}

/// The files that releases name as files of values for one chart. Values for several charts could be meant in several ways.
fn named_files<'f>(
    files: &'f [Kept],
    again: &'f HashMap<SourceId, FileFacts>,
    sources: &ChartSources,
) -> Vec<(&'f Kept, ValuesFile)> {
    let facts = files.iter().filter_map(|kept| {
        let facts = again.get(&kept.id);
        facts.or(kept.read.facts.as_deref())
    });
    let values: Vec<&ValuesFile> = facts.flat_map(|facts| &facts.values_files).collect();
    if values.is_empty() {
        return Vec::new();
    }
    let by_path: HashMap<&str, &Kept> =
        files.iter().map(|kept| (&*kept.input.path, kept)).collect();
    let mut named: BTreeMap<SourceId, (&Kept, Option<ValuesFile>)> = BTreeMap::new();
    for one in values {
        let path = one.find(sources, |path| by_path.contains_key(path));
        let Some(kept) = path.and_then(|path| by_path.get(path.as_str()).copied()) else {
            continue;
        };
        let new = || (kept, Some(one.clone()));
        let (_, known) = named.entry(kept.id).or_insert_with(new);
        let same = known.take().filter(|known| known.is_for_same(one));
        *known = same.map(|known| known.open_unless_same(one));
    }
    let named = named.into_values();
    named
        .filter(|(kept, _)| {
            kept.read
                .facts
                .as_deref()
                .is_some_and(|facts| facts.schedules)
        })
        .filter_map(|(kept, values)| Some((kept, values?)))
        .collect()
}

/// Adds the charts whose templates are among the files.
fn add_charts(
    sources: &mut ChartSources,
    (files, known): (&[Kept], &HashMap<SourceId, FileFacts>),
    load: &Load<'_>,
) {
    let mut charts: BTreeMap<&str, Vec<Group>> = BTreeMap::new();
    let mut changed: HashMap<&str, Vec<ValuePath>> = HashMap::new();
    let mut names: HashMap<&str, &ChartName> = HashMap::new();
    for kept in files {
        let path = &*kept.input.path;
        let Some(facts) = known.get(&kept.id).or(kept.read.facts.as_deref()) else {
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
    let with_defaults = defaults(files, charts.keys().copied());
    for (folder, mut groups) in charts {
        if let Some(kept) = with_defaults.get(folder)
            && let Content::Text(text) = kept.content(load)
        {
            extract::set_defaults(&mut groups, &text, kept.id);
        }
        let changed = changed.remove(folder).unwrap_or_default();
        // A group that had no values to begin with says something else.
        groups.retain_mut(|group| {
            group.is_open() || {
                group.forget(&changed);
                !group.is_open()
            }
        });
        sources.add_chart(folder, names.get(folder).copied(), groups);
    }
}

/// The files of values of charts that other files override: in their folders, or anywhere if there are releases.
fn defaults<'f>(
    files: &'f [Kept],
    charts: impl Iterator<Item = &'f str>,
) -> HashMap<&'f str, &'f Kept> {
    let charts: HashSet<&str> = charts.collect();
    let mut own = HashMap::new();
    let mut overridden = HashSet::new();
    let mut has_releases = false;
    for kept in files {
        let path = &*kept.input.path;
        let mut folder = path::folder(path);
        if extract::names_environment(path) && charts.contains(folder) {
            overridden.insert(folder);
        }
        let Some(facts) = kept.read.facts.as_deref() else {
            continue;
        };
        has_releases |= !facts.referring.is_empty() || !facts.values_files.is_empty();
        if !facts.schedules {
            continue;
        }
        if charts.contains(folder) && path.rsplit('/').next() == Some("values.yaml") {
            own.insert(folder, kept);
            continue;
        }
        while !charts.contains(folder) && !folder.is_empty() {
            folder = path::folder(folder);
        }
        overridden.insert(folder);
    }
    own.retain(|folder, _| has_releases || overridden.contains(folder));
    own
}
