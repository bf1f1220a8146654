//! Names of clusters that pools and workloads have in common: folders and files on both sides are named after them.

use std::collections::{BTreeMap, BTreeSet};

use super::delivered::own_cluster;
use super::gather::Gathered;
use crate::delivery::cluster_folder;
use crate::model::cluster::environments;
use crate::model::path_words::name_words;
use crate::source::path::folder;

/// The folder whose children are overlays of Kustomize.
const OVERLAYS: &str = "overlays";

/// The names that both sides have.
#[derive(Default)]
pub struct Sides {
    names: BTreeSet<String>,
    /// The name of each pool, by index.
    of_pool: Vec<Option<String>>,
}

impl Sides {
    /// Finds the names. Folders of clusters name them; overlays and files of values do so where folders of pools that stand
    /// together have at least two of their names, and the pools themselves have none of them. A pool may say its cluster itself.
    pub fn find(gathered: &Gathered) -> Sides {
        let pools: Vec<&str> = gathered
            .pools
            .iter()
            .map(|placed| gathered.scanned_path(placed.source))
            .collect();
        let workloads: BTreeSet<&str> = gathered
            .workloads
            .iter()
            .map(|one| gathered.scanned_path(one.source))
            .collect();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut perhaps: BTreeSet<&str> = BTreeSet::new();
        for path in pools.iter().chain(&workloads) {
            names.extend(cluster_folder(folder(path)).map(|(_, name)| name));
        }
        for path in &workloads {
            perhaps.extend(overlay(path));
        }
        let own = |at: usize| -> Option<&str> {
            let name = own_cluster(&gathered.pools.get(at)?.pool)?;
            names.contains(name).then_some(name)
        };
        let own: Vec<Option<&str>> = (0..pools.len()).map(own).collect();
        let is_told_otherwise = |name: &&str| !environments(name).is_empty();
        perhaps.retain(|name| !names.contains(name) && !is_told_otherwise(name));
        names.retain(|name| !is_told_otherwise(name));
        names.extend(siblings(gathered, &pools, &perhaps));
        let name = |(at, path): (usize, &&str)| {
            let is_variant = gathered
                .pools
                .get(at)
                .is_some_and(|placed| placed.pool.variant.is_some());
            if let Some(own) = own.get(at).copied().flatten().filter(|_| !is_variant) {
                return Some(own.to_owned());
            }
            let mut found = parts(path).filter(|part| names.contains(part));
            let first = found.next().filter(|_| !is_variant)?;
            found.all(|other| other == first).then(|| first.to_owned())
        };
        Sides {
            of_pool: pools.iter().enumerate().map(name).collect(),
            names: names.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The name that the path of a pool has.
    pub fn of_pool(&self, at: usize) -> Option<&str> {
        self.of_pool.get(at)?.as_deref()
    }

    /// The name that the path of a file has.
    pub fn of_path(&self, path: &str) -> Option<&str> {
        let mut found = parts(path).filter_map(|part| self.names.get(part));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }
}

/// The folders of a path, and the name of its file without what says that it holds values.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    folder.split('/').chain(Some(stem(file)))
}

fn stem(file: &str) -> &str {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let start = ["values-", "values."];
    let mut start = start.iter();
    start
        .find_map(|before| stem.strip_prefix(before))
        .or_else(|| stem.strip_suffix(".values"))
        .unwrap_or(stem)
}

/// The name of the overlay that a file is in, or that its values are for.
fn overlay(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folders = folder.split('/');
    if folders.any(|name| name == OVERLAYS) {
        return folders.next();
    }
    let own = stem(file);
    (own.len() < file.len() && file.contains("values")).then_some(own)
}

/// The names that at least two folders or files of pools in the same folder have, unless pools have such names.
fn siblings<'n>(
    gathered: &Gathered,
    pools: &[&'n str],
    names: &BTreeSet<&'n str>,
) -> BTreeSet<&'n str> {
    let mut together: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut own: BTreeSet<&str> = BTreeSet::new();
    for (path, placed) in pools.iter().zip(&gathered.pools) {
        let mut end = 0;
        for part in path.split('/') {
            let above = path.get(..end).unwrap_or_default();
            end += part.len() + 1;
            let name = if end > path.len() { stem(part) } else { part };
            if names.contains(name) {
                together.entry(above).or_default().insert(name);
                let mut words = name_words(&placed.pool.name);
                if placed.pool.name == name || words.any(|word| word == name) {
                    own.insert(name);
                }
            }
        }
    }
    let several = together
        .into_values()
        .filter(|names| names.len() > 1 && names.is_disjoint(&own));
    several.flatten().collect()
}
