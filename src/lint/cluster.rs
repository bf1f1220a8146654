//! Which pools each workload is judged by: as configured, else as the folders suggest.

use std::collections::BTreeMap;

use super::gather::Gathered;
use crate::config::Config;
use crate::model::cluster::infer;

/// Oddities of files of which a part or nothing was read.
const UNREAD_FILE: [&str; 4] = ["unparsable-manifest", "too-large", "not-utf8", "binary"];

/// A set of pools that serve some workloads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// Name, when configured.
    pub name: Option<String>,
    /// All its pools are known, with all their taints.
    pub complete: bool,
    /// Indices of its pools.
    pub pools: Vec<usize>,
}

/// The clusters, and for each workload the index of its own.
pub struct Assignment {
    /// Distinct clusters, in a stable order.
    pub clusters: Vec<Cluster>,
    /// By workload.
    pub of_workload: Vec<usize>,
}

/// Finds the cluster of every workload. `whole`: the whole repository was read.
pub fn assign(gathered: &Gathered, config: &Config, whole: bool) -> Assignment {
    let path = |source: crate::source::SourceId| gathered.paths[source.0 as usize].as_str();
    let scanned =
        |source: crate::source::SourceId| gathered.scanned_paths[source.0 as usize].as_str();
    let cluster_of_pool: Vec<Option<usize>> = gathered
        .pools
        .iter()
        .map(|placed| {
            if placed.configured {
                return placed.pool.cluster.as_ref().and_then(|name| {
                    config
                        .clusters
                        .iter()
                        .position(|cluster| cluster.name == *name)
                });
            }
            let own = path(placed.source);
            config
                .clusters
                .iter()
                .position(|cluster| cluster.inventory.iter().any(|file| file.value == own))
                .or_else(|| config.cluster_of(own))
        })
        .collect();
    // Pools of the configuration that name no cluster are in every one.
    let everywhere: Vec<usize> = indices(gathered, |index| {
        gathered.pools[index].configured && cluster_of_pool[index].is_none()
    });
    let free: Vec<usize> = indices(gathered, |index| {
        !gathered.pools[index].configured && cluster_of_pool[index].is_none()
    });

    let configured: Vec<Cluster> = config
        .clusters
        .iter()
        .enumerate()
        .map(|(at, cluster)| {
            let mut pools = indices(gathered, |index| cluster_of_pool[index] == Some(at));
            pools.extend(&everywhere);
            pools.sort_unstable();
            let known = pools
                .iter()
                .all(|index| gathered.pools[*index].pool.complete);
            let inventoried = !cluster.inventory.is_empty()
                && cluster
                    .inventory
                    .iter()
                    .all(|file| is_inventory(gathered, &file.value));
            Cluster {
                name: Some(cluster.name.clone()),
                complete: known && ((cluster.complete && whole) || inventoried),
                pools,
            }
        })
        .collect();

    let pool_paths: Vec<&str> = free
        .iter()
        .map(|index| scanned(gathered.pools[*index].source))
        .collect();
    let workload_paths: Vec<&str> = gathered
        .workloads
        .iter()
        .map(|workload| scanned(workload.source))
        .collect();
    let serving = infer(&pool_paths, &workload_paths);
    let inferred = |list: &[usize]| {
        let mut pools: Vec<usize> = list.iter().map(|at| free[*at]).collect();
        pools.extend(&everywhere);
        pools.sort_unstable();
        Cluster {
            name: None,
            complete: false,
            pools,
        }
    };

    // Lists of pools are long and clusters few: each list is looked at once, not once for each workload.
    let mut numbers: BTreeMap<Cluster, usize> = BTreeMap::new();
    let mut number = |cluster: Cluster| {
        let next = numbers.len();
        *numbers.entry(cluster).or_insert(next)
    };
    // Configured clusters without a workload still have pools to judge.
    let of_configured: Vec<usize> = configured.into_iter().map(&mut number).collect();
    let mut of_list: Vec<Option<usize>> = vec![None; serving.lists.len()];
    let mut of_source: BTreeMap<crate::source::SourceId, Option<usize>> = BTreeMap::new();
    let of_workload = gathered
        .workloads
        .iter()
        .zip(&serving.of_workload)
        .map(|(workload, list)| {
            let configured = of_source
                .entry(workload.source)
                .or_insert_with(|| config.cluster_of(path(workload.source)));
            match configured {
                Some(at) => of_configured[*at],
                None => {
                    *of_list[*list].get_or_insert_with(|| number(inferred(&serving.lists[*list])))
                }
            }
        })
        .collect();
    let mut clusters: Vec<(Cluster, usize)> = numbers.into_iter().collect();
    clusters.sort_by_key(|(_, number)| *number);
    Assignment {
        clusters: clusters.into_iter().map(|(cluster, _)| cluster).collect(),
        of_workload,
    }
}

/// Whether a file is there and lists nodes, all of which could be read.
fn is_inventory(gathered: &Gathered, file: &str) -> bool {
    let is_it = |source: crate::source::SourceId| gathered.paths[source.0 as usize] == file;
    let lists = gathered.pools.iter().any(|placed| is_it(placed.source));
    // What cannot be parsed may have been one more node.
    let broken = gathered
        .oddities
        .iter()
        .any(|oddity| UNREAD_FILE.contains(&oddity.kind) && is_it(oddity.span.source));
    lists && !broken
}

fn indices(gathered: &Gathered, keep: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..gathered.pools.len())
        .filter(|index| keep(*index))
        .collect()
}
