//! The clouds of pools and of workloads, as far as something says them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::gather::Gathered;
use super::placed_pool::PlacedPool;
use crate::model::clouds::Clouds;
use crate::model::node_pool::NodePool;

/// The cloud that is certain from the pools of a cluster: their kinds and the labels of their nodes name no other one. Paths
/// only tell what somebody calls a folder.
pub fn cloud_of<'p>(pools: impl Iterator<Item = &'p NodePool>) -> Clouds {
    pools.fold(Clouds::default(), with_pool)
}

/// What is known of clouds, with what a pool says: its provider, its declaring kind and the labels of its nodes.
fn with_pool(known: Clouds, pool: &NodePool) -> Clouds {
    let names = [
        pool.provider.as_str(),
        &pool.object.kind,
        &pool.object.api_version,
    ];
    let by_names = names.into_iter().map(Clouds::named_by);
    let by_keys = keys(pool).map(Clouds::of_key);
    by_names.chain(by_keys).fold(known, Clouds::with)
}

/// The cloud whose nodes alone have a key, if the pools of a cluster are all of another one, and none has the key.
pub fn foreign_cloud(cluster: Clouds, pools: &[Arc<NodePool>], key: &str) -> Option<&'static str> {
    cluster.only()?;
    let of_key = Clouds::of_key(key);
    let is_declared = || pools.iter().any(|pool| has_key(pool, key));
    let is_foreign = !cluster.can_be(of_key) && !is_declared();
    of_key.only().filter(|_| is_foreign)
}

/// Whether a pool has a label or a taint with this key, or asks for the label.
fn has_key(pool: &NodePool, key: &str) -> bool {
    let mut taints = pool.taints.iter();
    keys(pool).any(|own| own == key)
        || taints.any(|taint| taint.taint.key.text().is_none_or(|own| own == key))
}

/// The keys of the labels of a pool.
fn keys(pool: &NodePool) -> impl Iterator<Item = &str> {
    let requirements = pool.labels.requirements.iter();
    let asked = requirements.filter_map(|one| one.key.known().map(String::as_str));
    pool.labels.labels.keys().map(String::as_str).chain(asked)
}

/// The clouds of a pool, judging by its path, its declaring kind and the labels of its nodes.
pub fn pool_clouds(placed: &PlacedPool, path: &str) -> Clouds {
    with_pool(Clouds::named_by(path), &placed.pool)
}

/// The clouds of the workloads at each path, judging by the path and the other contents of the file.
pub fn clouds_at(gathered: &Gathered) -> BTreeMap<&str, Clouds> {
    let mut found: BTreeMap<&str, Clouds> = BTreeMap::new();
    for workload in &gathered.workloads {
        let path = gathered.scanned_path(workload.source);
        found.entry(path).or_insert_with(|| {
            let spoken_of = gathered.clouds.get(&workload.source);
            Clouds::named_by(path).with(spoken_of.copied().unwrap_or_default())
        });
    }
    found
}
