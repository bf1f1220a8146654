//! Node pools that templates of charts make from values: the templates are filled in with the values of their chart, and with
//! those of each environment beside them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use super::caught::caught;
use super::kept::{Kept, Load};
use crate::extract::{self, FileFacts, ReadPool, Table};
use crate::model::node_pool::Variant;
use crate::source::path::folder;
use crate::source::{Source, SourceId, Span};

/// The maximum number of environments of a chart.
const MAX_ENVIRONMENTS: usize = 64;

/// Replaces the pools of templates by those that values make of them. Releases may set other values, so that they are only added
/// where there are some.
pub fn fill_in(
    files: &[Kept],
    load: &Load<'_>,
    table: &Table,
    again: &mut HashMap<SourceId, FileFacts>,
) {
    let mut charts: BTreeMap<&str, Chart<'_>> = BTreeMap::new();
    let mut releases = false;
    for kept in files {
        let facts = again.get(&kept.id).or(kept.read.facts.as_deref());
        let Some(facts) = facts else { continue };
        releases |= !facts.referring.is_empty() || !facts.values_files.is_empty();
        let has_pools = kept.rendered && facts.pools.iter().any(|read| !read.pool.complete);
        if has_pools && let Some(folder) = extract::chart_of(&kept.input.path) {
            charts.entry(folder).or_default().templates.push(kept);
        }
    }
    if charts.is_empty() {
        return;
    }
    for kept in files {
        let path = &*kept.input.path;
        let Some(chart) = charts.get_mut(folder(path)) else {
            continue;
        };
        match path.rsplit('/').next() {
            Some("values.yaml") => chart.defaults = Some(kept),
            _ if extract::names_environment(path) => chart.environments.push(kept),
            _ => {}
        }
    }
    // The values of a chart in another one stand among those of that.
    let paths = files.iter().map(|kept| &*kept.input.path);
    let charted: HashSet<&str> = paths
        .filter(|path| path.rsplit('/').next() == Some("Chart.yaml"))
        .map(folder)
        .collect();
    let inner = |at: &str| {
        let above = folder(at);
        above.rsplit('/').next() == Some("charts") && charted.contains(folder(above))
    };
    let jobs: Vec<(&Kept, &Chart<'_>)> = charts
        .iter()
        .filter(|(at, chart)| chart.defaults.is_some() && !inner(at))
        .flat_map(|(_, chart)| chart.templates.iter().map(move |one| (*one, chart)))
        .collect();
    let made: Vec<(SourceId, Vec<ReadPool>)> = jobs
        .into_par_iter()
        .filter_map(|(template, chart)| {
            let read = || chart.pools(template, load, table);
            Some((template.id, caught(read).ok()??))
        })
        .collect();
    // Where nothing here sets any pools, something else may.
    for (id, pools) in made.into_iter().filter(|(_, pools)| !pools.is_empty()) {
        let facts = match again.entry(id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let at = files.binary_search_by_key(&id, |kept| kept.id);
                let kept = at.ok().and_then(|at| files.get(at));
                let facts = kept.and_then(|kept| kept.read.facts.as_deref());
                let Some(facts) = facts else { continue };
                entry.insert(FileFacts {
                    documents: 0,
                    configuration: None,
                    ..facts.clone()
                })
            }
        };
        if !releases {
            facts.pools.clear();
        }
        facts.pools.extend(pools);
    }
}

/// A chart with templates of pools.
#[derive(Default)]
struct Chart<'f> {
    templates: Vec<&'f Kept>,
    defaults: Option<&'f Kept>,
    environments: Vec<&'f Kept>,
}

impl Chart<'_> {
    /// The pools that a template makes, for each environment. `None` if it is not known what it makes.
    fn pools(&self, template: &Kept, load: &Load<'_>, table: &Table) -> Option<Vec<ReadPool>> {
        let source =
            Source::new(&*template.input.path, template.unchanged_text(load)?).rendered(true);
        let defaults = self.defaults?;
        let below = defaults.unchanged_text(load)?;
        let read = |values: &[(&str, SourceId)]| {
            extract::pools_from_values(&source, template.id, table, values)
        };
        if self.environments.is_empty() {
            return read(&[(&below, defaults.id)]);
        }
        let mut all = Vec::new();
        for kept in self.environments.iter().take(MAX_ENVIRONMENTS) {
            let own = kept.unchanged_text(load)?;
            let mut pools = read(&[(&own, kept.id), (&below, defaults.id)])?;
            for read in &mut pools {
                read.pool.variant = Some(Variant {
                    name: environment(&kept.input.path).to_owned(),
                    at: Span::new(kept.id, 0..0),
                });
            }
            all.extend(pools);
        }
        Some(all)
    }
}

/// The name of the environment that a file of values is for.
fn environment(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let rest = stem.strip_prefix("values").unwrap_or(stem);
    rest.trim_start_matches(['-', '_', '.'])
}
