//! The clouds of pools and of workloads, as far as something says them.

use std::collections::BTreeMap;

use super::gather::{Gathered, PlacedPool};
use crate::model::clouds::Clouds;

/// The clouds of a pool, judging by its path, its declaring kind and the labels of its nodes.
pub fn pool_clouds(placed: &PlacedPool, path: &str) -> Clouds {
    let pool = &placed.pool;
    let names = [
        path,
        &pool.provider,
        &pool.object.kind,
        &pool.object.api_version,
    ];
    let labels = pool.labels.labels.keys().map(String::as_str);
    let requirements = pool.labels.requirements.iter();
    let asked = requirements.filter_map(|one| one.key.known().map(String::as_str));
    let by_names = names.into_iter().map(Clouds::named_by);
    let by_keys = labels.chain(asked).map(Clouds::of_key);
    by_names
        .chain(by_keys)
        .fold(Clouds::default(), Clouds::with)
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
