//! The names of clusters that nothing delivers to: what pools, folders, environments and variants say.

use std::collections::{BTreeMap, BTreeSet};

use super::delivered::own_cluster;
use super::placed_pool::PlacedPool;
use crate::delivery::{cluster_folder, may_hold_clusters};
use crate::model::cluster::environments;
use crate::model::path_words::{LIVE, is_collection};
use crate::source::path::folder;

/// Environments of which at least one must occur. Otherwise similar words probably mean something else.
const USUAL: [&str; 6] = ["dev", "preprod", "prod", "qa", "staging", "uat"];

/// How a cluster is known that is named after an environment.
pub const ENVIRONMENT: &str = "environment";

/// The name of a cluster, and how it is known.
pub struct Name {
    pub name: String,
    pub from: &'static str,
}

/// The names of the clusters of a repository.
#[derive(Default)]
pub struct Names {
    /// The folders that describe one cluster each, with its name.
    by_folder: BTreeMap<String, String>,
    /// The names of environments, and the clusters that are named after each.
    by_environment: BTreeMap<&'static str, BTreeSet<String>>,
    /// Folders that describe several clusters, one in each folder in them.
    of_several: BTreeSet<String>,
}

impl Names {
    /// Collects the names in the paths of pools and workloads.
    pub fn new<'p>(
        pools: impl Iterator<Item = (&'p PlacedPool, &'p str)>,
        workloads: impl Iterator<Item = &'p str>,
    ) -> Names {
        let pools: Vec<(&PlacedPool, &str)> = pools.collect();
        let workloads: Vec<&str> = workloads.collect();
        let of_several = of_several(pools.iter().map(|(_, path)| *path), &workloads);
        let mut folders: BTreeMap<&str, &str> = BTreeMap::new();
        let mut segments: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        let mut words: BTreeSet<&'static str> = BTreeSet::new();
        // The environments that have pools of their own.
        let mut with_pools: BTreeSet<&'static str> = BTreeSet::new();
        let mut see = |path: &'p str, has_pool: bool| {
            if let Some((at, name)) = described(path, &of_several) {
                folders.insert(at, name);
                return;
            }
            let Some((environment, segment)) = environment_of(path) else {
                return;
            };
            with_pools.extend(has_pool.then_some(environment));
            match segment {
                Some(segment) => {
                    let of = segments.entry(environment).or_default();
                    of.insert(segment.to_owned());
                }
                None => {
                    words.insert(environment);
                }
            }
        };
        for (placed, path) in &pools {
            if own(placed).is_none() && placed.pool.variant.is_none() {
                see(path, true);
            }
        }
        workloads.iter().for_each(|path| see(path, false));
        let is_usual = with_pools.iter().any(|one| USUAL.contains(one));
        let mut names = Names::default();
        if with_pools.len() > 1 && is_usual {
            for word in words {
                let of = segments.entry(word).or_default();
                if of.is_empty() {
                    of.insert(word.to_owned());
                }
            }
            names.by_environment = segments;
        }
        let mut times: BTreeMap<&str, u32> = BTreeMap::new();
        for name in folders.values() {
            *times.entry(name).or_default() += 1;
        }
        for (at, name) in &folders {
            let is_one = times.get(name) == Some(&1);
            let name = if is_one { *name } else { *at };
            names.by_folder.insert((*at).to_owned(), name.to_owned());
        }
        names.of_several = of_several;
        names
    }

    /// The clusters that a pool says, or its path.
    pub fn of_pool(&self, placed: &PlacedPool, path: &str) -> Vec<Name> {
        let said = |name: &str, from| {
            vec![Name {
                name: name.to_owned(),
                from,
            }]
        };
        if let Some(own) = own(placed) {
            return said(own, "pool");
        }
        match &placed.pool.variant {
            Some(variant) => said(&variant.name, "variant"),
            None => self.of_path(path),
        }
    }

    /// The clusters that a path says.
    pub fn of_path(&self, path: &str) -> Vec<Name> {
        if let Some((at, _)) = described(path, &self.of_several) {
            let name = self.by_folder.get(at).cloned();
            return name
                .map(|name| Name {
                    name,
                    from: "folder",
                })
                .into_iter()
                .collect();
        }
        let from = ENVIRONMENT;
        match environment_of(path) {
            Some((environment, Some(segment))) if self.by_environment.contains_key(environment) => {
                vec![Name {
                    name: segment.to_owned(),
                    from,
                }]
            }
            Some((environment, None)) => {
                let of = self.by_environment.get(environment).into_iter().flatten();
                of.map(|name| Name {
                    name: name.clone(),
                    from,
                })
                .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The name of the only cluster, as far as the paths of its pools say one.
    pub fn only(paths: &[&str]) -> &'static str {
        let said: BTreeSet<&'static str> =
            paths.iter().flat_map(|path| environments(path)).collect();
        match said.first() {
            Some(only) if said.len() == 1 => only,
            _ => "main",
        }
    }
}

/// The folder that describes the cluster of a path, and its name. A folder named `cluster` often holds the tools that make
/// one, not several clusters.
fn described<'p>(path: &'p str, of_several: &BTreeSet<String>) -> Option<(&'p str, &'p str)> {
    let (at, name) = cluster_folder(folder(path))?;
    let above = folder(at).rsplit('/').next();
    if above == Some("cluster") {
        return None;
    }
    match of_several.contains(at) {
        true => child(path, at),
        false => Some((at, name)),
    }
}

/// The folder in another one that holds a file, and its name.
fn child<'p>(path: &'p str, above: &str) -> Option<(&'p str, &'p str)> {
    let (name, _) = path
        .strip_prefix(above)?
        .strip_prefix('/')?
        .split_once('/')?;
    let at = path.get(..above.len() + 1 + name.len())?;
    Some((at, name))
}

/// The folders that describe one cluster each by their names, but hold several of which each has its own pools and workloads.
fn of_several<'p>(pools: impl Iterator<Item = &'p str>, workloads: &[&str]) -> BTreeSet<String> {
    let mut with_pools: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in pools {
        if let Some((at, _)) = cluster_folder(folder(path)).filter(|(at, _)| may_hold_clusters(at))
        {
            let of = with_pools.entry(at).or_default();
            of.insert(child(path, at).map_or("", |(child, _)| child));
        }
    }
    let mut with_workloads: BTreeSet<&str> = BTreeSet::new();
    for path in workloads {
        let found = cluster_folder(folder(path)).and_then(|(at, _)| child(path, at));
        with_workloads.extend(found.map(|(child, _)| child));
    }
    let several = with_pools
        .into_iter()
        .filter(|(_, children)| children.len() > 1 && children.is_subset(&with_workloads));
    several.map(|(at, _)| at.to_owned()).collect()
}

/// The environment that a path names, and the name of the folder that does.
fn environment_of(path: &str) -> Option<(&'static str, Option<&str>)> {
    let one = |word: &str| {
        let found = environments(word);
        found.first().copied().filter(|_| found.len() == 1)
    };
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let found = |segment| Some((one(segment)?, Some(segment)));
    let mut segments = folder.split('/').filter(|segment| *segment != LIVE);
    if let Some(named) = segments.find_map(found) {
        return Some(named);
    }
    if folder.split('/').any(|segment| segment == LIVE) {
        return found(LIVE);
    }
    one(file).map(|environment| (environment, None))
}

/// The cluster that a pool names itself, unless the name is filled in later.
fn own(placed: &PlacedPool) -> Option<&str> {
    let own = own_cluster(&placed.pool);
    own.filter(|name| !name.is_empty() && !name.contains(['{', '}', '$', '<', '%']))
}

/// Whether a path is that of an example among others. The templates of a chart are none.
pub fn is_example(path: &str) -> bool {
    folder(path)
        .split('/')
        .any(|segment| segment != "templates" && is_collection(segment))
}
