//! Assigns each workload the pools it is judged by: from the configuration, or else from the folder layout.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::assignment::{Assignment, Cluster};
use super::clouds::{clouds_at, pool_clouds};
use super::delivered::{self, Inferred};
use super::gather::Gathered;
use super::inventories::{all_listed, inventory_at};
use super::placed_pool::PlacedPool;
use super::sides::Sides;
use crate::config::Config;
use crate::model::clouds::Clouds;
use crate::model::cluster::{Part, Pools, environments, infer};
use crate::source::{STDIN_PATH, SourceId};

/// Where a pool belongs.
enum Membership {
    /// In these configured clusters, by index.
    In(Vec<usize>),
    /// In every cluster.
    Everywhere,
    /// Wherever the folder layout suggests.
    Free,
}

/// Whether a file was named as an inventory for the run or for a cluster.
pub fn is_named(file: &str, config: &Config) -> bool {
    let mut inventories = config
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.inventory);
    config.given.iter().any(|one| one == file) || inventories.any(|one| one.value == file)
}

fn membership(placed: &PlacedPool, gathered: &Gathered, config: &Config) -> Membership {
    let named = |name: &str| config.cluster_named(name);
    let own = placed.pool.cluster.as_deref();
    if placed.configured {
        return match own {
            // The cluster may be one that none of the files belongs to.
            Some(name) => Membership::In(named(name).into_iter().collect()),
            None => Membership::Everywhere,
        };
    }
    let path = gathered.path(placed.source);
    let inventoried = config.clusters_of_inventory(path);
    let given = config.given.iter().any(|file| file == path);
    // An inventory may list the pools of several clusters and name the cluster of each pool.
    let listed = own.filter(|_| placed.listed.is_some());
    let says = |name: &str| {
        let same = |other: &&PlacedPool| other.source == placed.source && other.listed.is_some();
        let others = gathered.pools.iter().filter(same);
        others
            .map(|other| other.pool.cluster.as_deref())
            .any(|other| other == Some(name))
    };
    if !inventoried.is_empty() {
        let theirs = inventoried.iter().copied().filter(|at| {
            let name = config.clusters[*at].name.as_str();
            match listed {
                None => true,
                Some(own) if own == name => true,
                // The inventory may call the cluster by another name.
                Some(own) => named(own).is_none() && !says(name),
            }
        });
        return Membership::In(theirs.collect());
    }
    if let Some(at) = listed.and_then(named) {
        return Membership::In(vec![at]);
    }
    if given {
        return Membership::Everywhere;
    }
    let mut clusters = config.clusters_of(path);
    if let Some(variant) = &placed.pool.variant {
        let of_values = config.clusters_of(gathered.path(variant.at.source));
        clusters = if of_values.is_empty() {
            clusters
        } else {
            of_values
        };
        let is_named = |at: &usize| names(&variant.name, &config.clusters[*at].name);
        // Clusters may share the files of a configuration. Then the variant's name tells them apart.
        if clusters.iter().any(is_named) {
            clusters.retain(is_named);
        }
    }
    if clusters.is_empty() {
        return Membership::Free;
    }
    Membership::In(clusters)
}

/// Whether a variant of a configuration has the name or the environment of a cluster.
fn names(variant: &str, cluster: &str) -> bool {
    variant == cluster || {
        let named = environments(variant);
        !named.is_empty() && named == environments(cluster)
    }
}

/// The configured clusters that a pool is in, by index.
pub fn clusters_of(placed: &PlacedPool, gathered: &Gathered, config: &Config) -> Vec<usize> {
    match membership(placed, gathered, config) {
        Membership::In(clusters) => clusters,
        Membership::Everywhere | Membership::Free => Vec::new(),
    }
}

/// The pools known independently of folders: those of each configured cluster, those of every cluster, and the rest.
struct Known {
    configured: Vec<Cluster>,
    everywhere: Vec<usize>,
    free: Vec<usize>,
}

fn known(gathered: &Gathered, config: &Config, whole: bool) -> Known {
    let mut of_cluster = vec![Vec::new(); config.clusters.len()];
    let (mut everywhere, mut free) = (Vec::new(), Vec::new());
    for (index, placed) in gathered.pools.iter().enumerate() {
        match membership(placed, gathered, config) {
            Membership::In(clusters) => {
                for at in clusters {
                    of_cluster[at].push(index);
                }
            }
            Membership::Everywhere => everywhere.push(index),
            Membership::Free => free.push(index),
        }
    }
    let configured = config
        .clusters
        .iter()
        .zip(of_cluster)
        .enumerate()
        .map(|(at, (cluster, mut pools))| {
            pools.extend(&everywhere);
            pools.sort_unstable();
            let name = Some(cluster.name.as_str());
            let files = cluster.inventory.iter();
            let listed: Vec<&str> = files.map(|file| file.value.as_str()).collect();
            // A dump of Nodes does not name its cluster.
            let given = config.clusters.len() == 1
                || config
                    .given
                    .iter()
                    .all(|file| inventory_at(gathered, file).is_some());
            Cluster {
                name: Some(cluster.name.clone()),
                configured: true,
                complete: (cluster.complete
                    && whole
                    && gathered
                        .first_unread(config, at, |unread| unread.pools)
                        .is_none())
                    || all_listed(gathered, &listed, name)
                    || (given && all_listed(gathered, &config.given, name)),
                pools,
                ..Cluster::default()
            }
        })
        .collect();
    Known {
        configured,
        everywhere,
        free,
    }
}

/// The configured clusters with their pools. `whole` says whether the whole repository was read.
pub fn configured_clusters(gathered: &Gathered, config: &Config, whole: bool) -> Vec<Cluster> {
    known(gathered, config, whole).configured
}

/// Whether the pools given for a run are complete, when no cluster is configured.
pub fn given_complete(gathered: &Gathered, config: &Config) -> bool {
    config.clusters.is_empty() && all_listed(gathered, &config.given, None)
}

/// Finds the clusters of every workload. `whole` says whether the whole repository was read.
pub fn assign(gathered: &Gathered, config: &Config, whole: bool) -> Assignment {
    let path = |source: SourceId| gathered.path(source);
    let scanned = |source: SourceId| gathered.scanned_path(source);
    let Known {
        configured,
        everywhere,
        free,
    } = known(gathered, config, whole);
    let given = given_complete(gathered, config);

    let pool_paths: Vec<&str> = free
        .iter()
        .map(|index| scanned(gathered.pools[*index].source))
        .collect();
    let workloads = gathered.workloads.iter();
    let workload_paths: Vec<&str> = workloads.map(|one| scanned(one.source)).collect();
    let clouds_at = clouds_at(gathered);
    let in_clouds = |placed: &PlacedPool| pool_clouds(placed, scanned(placed.source));
    let free_clouds: Vec<Clouds> = free
        .iter()
        .map(|index| in_clouds(&gathered.pools[*index]))
        .collect();
    let sides = Sides::find(gathered);
    let variants: Vec<Option<&str>> = free
        .iter()
        .map(|index| match &gathered.pools[*index].pool.variant {
            Some(variant) => Some(variant.name.as_str()),
            None => sides.of_pool(*index),
        })
        .collect();
    let free_pools = Pools {
        paths: &pool_paths,
        clouds: &free_clouds,
        variants: &variants,
    };
    let serving = infer(&free_pools, &workload_paths, &clouds_at);
    // Hints are inferred separately from pools, so that a script next to workloads does not affect pool inference.
    let (mut configured, free_hints) = share_hints(configured, gathered, config);
    let hint_paths: Vec<&str> = free_hints
        .iter()
        .map(|index| scanned(gathered.hints[*index].source))
        .collect();
    let hint_clouds: Vec<Clouds> = free_hints
        .iter()
        .map(|index| in_clouds(&gathered.hints[*index]))
        .collect();
    let hints = Pools {
        paths: &hint_paths,
        clouds: &hint_clouds,
        variants: &[],
    };
    let hinting = infer(&hints, &workload_paths, &clouds_at);
    let inferred = |list: usize, hints: &[usize]| {
        let placed = |list: &[usize]| list.iter().map(|at| free[*at]).collect::<Vec<_>>();
        let mut pools = placed(&serving.lists[list]);
        pools.extend(&everywhere);
        pools.sort_unstable();
        Cluster {
            name: None,
            configured: false,
            complete: given,
            pools,
            hints: hints.iter().map(|at| free_hints[*at]).collect(),
            beside: placed(&serving.beside[list]),
        }
    };

    let map = |lists: &[Vec<usize>], of: &[usize]| -> Vec<Vec<usize>> {
        let list = |list: &Vec<usize>| list.iter().map(|at| of[*at]).collect();
        lists.iter().map(list).collect()
    };
    let lists = map(&serving.lists, &free);
    let beside = map(&serving.beside, &free);
    let hints = map(&hinting.lists, &free_hints);
    let mut of_source: BTreeMap<SourceId, Vec<usize>> = BTreeMap::new();
    let mut configured_at = |source: SourceId| {
        let of = of_source.entry(source);
        of.or_insert_with(|| config.clusters_of(path(source)))
            .clone()
    };
    let mut is_free = |source| configured_at(source).is_empty();
    let mut delivered =
        delivered::clusters(gathered, &mut is_free, (&free, &free_hints), &|workload| {
            let key = (serving.of_workload[workload], hinting.of_workload[workload]);
            let inferred = Inferred {
                pools: &lists[key.0],
                beside: &beside[key.0],
                hints: &hints[key.1],
            };
            (key, inferred)
        });
    for cluster in &mut delivered.clusters {
        cluster.pools.extend(&everywhere);
        cluster.pools.sort_unstable();
        cluster.complete = given;
    }
    delivered.fold();

    let for_stdin = pools_for_stdin(gathered, &free);
    let mut of_stdin = None;
    // Pool lists are long and clusters are few, so each list is processed once instead of once per workload.
    let mut numbers: BTreeMap<Cluster, usize> = BTreeMap::new();
    let mut number = |cluster: Cluster| {
        let next = numbers.len();
        *numbers.entry(cluster).or_insert(next)
    };
    // Configured clusters without workloads still have pools to judge.
    let of_configured: Vec<usize> = configured.drain(..).map(&mut number).collect();
    let of_delivered: Vec<usize> = delivered.clusters.drain(..).map(&mut number).collect();
    let mut of_lists: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut groups: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let of_workload = gathered
        .workloads
        .iter()
        .zip(serving.of_workload.iter().zip(&hinting.of_workload))
        .zip(&delivered.of_workload)
        .map(|((workload, (list, hints)), delivered)| {
            let configured = configured_at(workload.source);
            let is_stdin = || path(workload.source) == STDIN_PATH;
            let group: Vec<usize> = if !delivered.is_empty() {
                delivered.iter().map(|at| of_delivered[*at]).collect()
            } else if configured.is_empty()
                && serving.lists[*list].is_empty()
                && !for_stdin.is_empty()
                && is_stdin()
            {
                vec![*of_stdin.get_or_insert_with(|| {
                    let mut cluster = inferred(*list, &hinting.lists[*hints]);
                    cluster.pools.extend(&for_stdin);
                    cluster.pools.sort_unstable();
                    cluster.complete = false;
                    number(cluster)
                })]
            } else if configured.is_empty() {
                vec![
                    *of_lists
                        .entry((*list, *hints))
                        .or_insert_with(|| number(inferred(*list, &hinting.lists[*hints]))),
                ]
            } else {
                configured.iter().map(|at| of_configured[*at]).collect()
            };
            let next = groups.len();
            *groups.entry(group).or_insert(next)
        })
        .collect::<Vec<usize>>();
    let mut clusters: Vec<(Cluster, usize)> = numbers.into_iter().collect();
    clusters.sort_by_key(|(_, number)| *number);
    let mut groups: Vec<(Vec<usize>, usize)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, number)| *number);
    let mut members = vec![Vec::new(); clusters.len()];
    for (workload, group) in of_workload.iter().enumerate() {
        for cluster in &groups[*group].0 {
            members[*cluster].push(workload);
        }
    }
    Assignment {
        clusters: clusters.into_iter().map(|(cluster, _)| cluster).collect(),
        members,
        of_workload,
    }
}

/// The pools that serve the workloads of standard input if its place serves none: all of those given along with it, unless
/// they are in several examples or clusters.
fn pools_for_stdin(gathered: &Gathered, free: &[usize]) -> Vec<usize> {
    let part = |index: &usize| {
        let source = gathered.pools[*index].source;
        Part::of(gathered.scanned_path(source)).without_environments()
    };
    let parts: BTreeSet<Part<'_>> = free.iter().map(part).collect();
    match parts.len() {
        1 => free.to_vec(),
        _ => Vec::new(),
    }
}

/// Gives configured clusters the hints in their files. Also returns the hints that are in no such cluster.
fn share_hints(
    mut configured: Vec<Cluster>,
    gathered: &Gathered,
    config: &Config,
) -> (Vec<Cluster>, Vec<usize>) {
    let mut free = Vec::new();
    for (index, hint) in gathered.hints.iter().enumerate() {
        match membership(hint, gathered, config) {
            Membership::In(clusters) => {
                for at in clusters {
                    configured[at].hints.push(index);
                }
            }
            Membership::Everywhere | Membership::Free => free.push(index),
        }
    }
    (configured, free)
}
