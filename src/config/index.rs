//! Finds the clusters of a path, of an inventory and of a name without asking each cluster.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, OnceLock};

use globset::{GlobSet, GlobSetBuilder};

use super::{Cluster, Config};

/// What is found on first use. [`Config::make_clusters`] makes it anew.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The patterns of all clusters that the configuration declares itself; `None` if together they are too large.
    written: OnceLock<Option<Written>>,
    of_path: Mutex<HashMap<String, Vec<usize>>>,
    of_inventory: OnceLock<HashMap<String, Vec<usize>>>,
    of_name: OnceLock<HashMap<String, usize>>,
}

/// Patterns of several clusters as one set.
#[derive(Debug)]
struct Written {
    set: GlobSet,
    /// For each pattern of the set, its cluster and its position there.
    places: Vec<(usize, usize)>,
}

impl Written {
    fn of(clusters: &[Cluster]) -> Option<Written> {
        let mut set = GlobSetBuilder::new();
        let mut places = Vec::new();
        let clusters = clusters.iter().enumerate();
        for (cluster, declared) in clusters.filter(|(_, cluster)| !cluster.made) {
            for (at, pattern) in declared.paths.iter().enumerate() {
                set.add(pattern.glob().clone());
                places.push((cluster, at));
            }
        }
        let set = set.build().ok()?;
        Some(Written { set, places })
    }
}

impl Index {
    /// The indices of the clusters that a path belongs to.
    pub(super) fn clusters_of(&self, config: &Config, path: &str) -> Vec<usize> {
        if config.clusters.is_empty() {
            return Vec::new();
        }
        let known = self.of_path.lock();
        if let Some(found) = known.ok().and_then(|known| known.get(path).cloned()) {
            return found;
        }
        let mut found = self.written_of(config, path);
        found.extend(Index::made_of(config, path));
        found.sort_unstable();
        found.dedup();
        if let Ok(mut known) = self.of_path.lock() {
            known.insert(path.to_owned(), found.clone());
        }
        found
    }

    /// The clusters that the configuration declares itself.
    fn written_of(&self, config: &Config, path: &str) -> Vec<usize> {
        let written = self.written.get_or_init(|| Written::of(&config.clusters));
        let Some(written) = written else {
            let all = config.clusters.iter().enumerate();
            let all = all.filter(|(_, cluster)| !cluster.made && cluster.paths.matches(path));
            return all.map(|(at, _)| at).collect();
        };
        let matching = written.set.matches(path).into_iter();
        let places = matching.filter_map(|at| written.places.get(at));
        let found = places.filter_map(|(cluster, at)| {
            config.clusters.get(*cluster)?.paths.use_one(*at);
            Some(*cluster)
        });
        found.collect()
    }

    /// The clusters of templates.
    fn made_of(config: &Config, path: &str) -> Vec<usize> {
        let is_in = |at: &usize| {
            let cluster = config.clusters.get(*at);
            cluster.is_some_and(|cluster| cluster.paths.matches(path))
        };
        let mut found = Vec::new();
        for (template, made) in config.templates.iter().zip(&config.made) {
            for pattern in &template.paths {
                let mut candidates = Vec::new();
                let named = pattern.names_in(path, |name| candidates.extend(made.get(name)));
                if named.is_none() && pattern.matches_any(path) {
                    candidates = possible(path, made);
                }
                found.extend(candidates.into_iter().filter(is_in));
            }
        }
        found
    }

    /// The cluster with a name.
    pub(super) fn cluster_named(&self, config: &Config, name: &str) -> Option<usize> {
        let index = self.of_name.get_or_init(|| {
            let clusters = config.clusters.iter().enumerate().rev();
            clusters.map(|(at, one)| (one.name.clone(), at)).collect()
        });
        index.get(name).copied()
    }

    /// The clusters that a file is an inventory of.
    pub(super) fn clusters_of_inventory(&self, config: &Config, path: &str) -> &[usize] {
        let index = self.of_inventory.get_or_init(|| {
            let mut index: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, cluster) in config.clusters.iter().enumerate() {
                for file in &cluster.inventory {
                    let known = index.entry(file.value.clone()).or_default();
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
            }
            index
        });
        index.get(path).map_or(&[], Vec::as_slice)
    }
}

/// The clusters whose captured name is part of a segment of a path.
fn possible(path: &str, made: &BTreeMap<String, usize>) -> Vec<usize> {
    let parts: usize = path.split('/').map(|part| part.len() * part.len()).sum();
    if made.len() <= parts {
        return made.values().copied().collect();
    }
    let segments = path.split('/');
    let parts = segments.flat_map(|segment| {
        let ends = move |from: usize| (from + 1..=segment.len()).map(move |to| (from, to));
        let ranges = (0..segment.len()).flat_map(ends);
        ranges.filter_map(move |(from, to)| segment.get(from..to))
    });
    parts.filter_map(|part| made.get(part).copied()).collect()
}
