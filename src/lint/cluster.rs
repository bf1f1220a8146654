//! Which pools each workload is judged by: as configured, else as the folders suggest.

use std::collections::BTreeMap;

use super::gather::Gathered;
use crate::config::Config;
use crate::model::cluster::infer;

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
            Cluster {
                name: Some(cluster.name.clone()),
                complete: known && ((cluster.complete && whole) || !cluster.inventory.is_empty()),
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
    let inferred = infer(&pool_paths, &workload_paths);

    let mut clusters: BTreeMap<Cluster, usize> = BTreeMap::new();
    let mut order = Vec::new();
    let mut of_workload = Vec::with_capacity(gathered.workloads.len());
    for (workload, serving) in gathered.workloads.iter().zip(inferred) {
        let cluster = match config.cluster_of(path(workload.source)) {
            Some(at) => configured[at].clone(),
            None => {
                let mut pools: Vec<usize> = serving.iter().map(|at| free[*at]).collect();
                pools.extend(&everywhere);
                pools.sort_unstable();
                Cluster {
                    name: None,
                    complete: false,
                    pools,
                }
            }
        };
        let next = clusters.len();
        let at = *clusters.entry(cluster.clone()).or_insert(next);
        if at == next {
            order.push(cluster);
        }
        of_workload.push(at);
    }
    // Configured clusters without a workload still have pools to judge.
    for cluster in configured {
        let next = clusters.len();
        if *clusters.entry(cluster.clone()).or_insert(next) == next {
            order.push(cluster);
        }
    }
    Assignment {
        clusters: order,
        of_workload,
    }
}

fn indices(gathered: &Gathered, keep: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..gathered.pools.len())
        .filter(|index| keep(*index))
        .collect()
}
