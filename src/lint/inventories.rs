//! Files named as inventories of node pools: whether they contain pools, and whether those are all pools of a cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::Gathered;
use crate::config::Config;
use crate::finding::Problem;
use crate::inventory::Inventory;
use crate::source::SourceId;

/// The inventory in a file, or `None` if it contains none.
pub fn inventory_at<'g>(gathered: &'g Gathered, file: &str) -> Option<&'g Inventory> {
    let at = |source: &SourceId| gathered.path(*source) == file;
    let mut found = gathered.inventories.iter();
    found
        .find(|(source, _)| at(source))
        .map(|(_, inventory)| inventory)
}

/// The problem text for a named inventory that cannot be parsed.
const BROKEN: &str = "no node pools found: the file cannot be parsed";

/// The problem text for a named inventory without pools.
const NO_POOLS: &str = "no node pools were read in it; such a file is what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml` \
     printed, a list of node pools of gcloud, az or aws, or manifests of node pools";

/// A problem for each named inventory without pools.
pub fn without_pools(gathered: &Gathered, config: &Config, known: &[Problem]) -> Vec<Problem> {
    let is_read = |file: &str| gathered.paths.contains(file);
    let given = config.given.iter().map(|file| (file.as_str(), None));
    let configured = config
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.inventory)
        .map(|file| (file.value.as_str(), Some(file.span)));
    given
        .chain(configured)
        .filter(|(file, _)| is_read(file) && !has_pools(gathered, file))
        .filter(|(file, _)| {
            known
                .iter()
                .all(|problem| problem.file.as_deref() != Some(file))
        })
        .map(|(file, span)| {
            // A separate finding reports the line.
            let why = if is_broken(gathered, file) {
                BROKEN
            } else {
                NO_POOLS
            };
            match span {
                Some(span) => config.problem(span, format!("inventory `{file}`: {why}")),
                None => Problem {
                    file: Some(file.to_owned()),
                    position: None,
                    message: why.to_owned(),
                },
            }
        })
        .collect()
}

/// Marks dumps of Nodes that may lack a pool. Nodes with a pool's label, or with a machine that a MachineSet made, are created and removed by the pool's manager
/// (Karpenter, the cluster autoscaler, a cloud), so such a pool may have no nodes at the time of the dump. A file that
/// lists the pools themselves lists empty pools too: the objects in the same dump, or a cloud's list.
pub fn note_pools_at_zero(gathered: &mut Gathered) {
    let mut found: BTreeMap<SourceId, BTreeSet<(String, bool)>> = BTreeMap::new();
    for placed in &gathered.pools {
        if let Some((key, _)) = &placed.named_by {
            let keys = found.entry(placed.source).or_default();
            keys.insert((key.clone(), false));
        }
    }
    let of_nodes: BTreeSet<String> = found
        .values()
        .flatten()
        .map(|(key, _)| key.clone())
        .collect();
    let dumps: BTreeSet<SourceId> = found.keys().copied().collect();
    for placed in gathered.pools.iter_mut() {
        let is_listed = placed.lists_all || dumps.contains(&placed.source);
        if placed.named_by.is_some() || !is_listed {
            continue;
        }
        let (labels, kind) = (&placed.pool.labels.labels, &placed.pool.object.kind);
        let own = of_nodes.iter();
        let own = own.filter(|key| labels.contains_key(*key) || *key == kind);
        let own: Vec<_> = own.map(|key| (key.clone(), true)).collect();
        // The output of `kubectl get nodes,nodepools` contains all nodes and all pools.
        placed.lists_all |= !own.is_empty();
        found.entry(placed.source).or_default().extend(own);
    }
    gathered.pool_labels = found;
}

/// Whether each pool that may have no nodes is itself listed in one of the files.
fn lists_pools_at_zero(gathered: &Gathered, files: &[impl AsRef<str>]) -> bool {
    let is_named = |source: &SourceId| {
        let path = gathered.path(*source);
        files.iter().any(|file| file.as_ref() == path)
    };
    let labels = gathered.pool_labels.iter();
    let labels = labels.filter(|(source, _)| is_named(source));
    let (listed, of_nodes): (BTreeSet<_>, BTreeSet<_>) = labels
        .flat_map(|(_, labels)| labels)
        .partition(|(_, listed)| *listed);
    let listed: BTreeSet<&String> = listed.into_iter().map(|(key, _)| key).collect();
    of_nodes.iter().all(|(key, _)| listed.contains(key))
}

/// Whether some files list all pools of a cluster; without a name, of the cluster that the files are about.
pub fn all_listed(gathered: &Gathered, files: &[impl AsRef<str>], cluster: Option<&str>) -> bool {
    let lists_all = |file: &str| match inventory_at(gathered, file) {
        Some(inventory) => says_complete(gathered, file, inventory, cluster),
        None => lists_all(gathered, file),
    };
    // Manifests next to a full list add pools, but they are no full list themselves.
    files.iter().any(|file| lists_all(file.as_ref()))
        && lists_pools_at_zero(gathered, files)
        && files.iter().all(|file| {
            let file = file.as_ref();
            is_whole(gathered, file) && (inventory_at(gathered, file).is_none() || lists_all(file))
        })
}

/// Whether an inventory claims to contain all pools of a cluster.
fn says_complete(
    gathered: &Gathered,
    file: &str,
    inventory: &Inventory,
    cluster: Option<&str>,
) -> bool {
    let complete = |name: &str| inventory.complete_clusters.iter().any(|one| one == name);
    let mut names = gathered
        .pools
        .iter()
        .filter(|placed| gathered.path(placed.source) == file)
        .map(|placed| placed.pool.cluster.as_deref());
    match cluster {
        Some(name) if complete(name) => true,
        Some(name) if names.clone().any(|one| one == Some(name)) => false,
        // The inventory gives the cluster another name, or none.
        _ => names.all(|name| name.map_or(inventory.complete, complete)),
    }
}

/// Whether a file was read completely.
fn is_whole(gathered: &Gathered, file: &str) -> bool {
    gathered.paths.contains(file) && !is_broken(gathered, file)
}

/// Whether a file lists all pools of a cluster. Objects beside a full list, such as MachineSets beside Nodes, only add pools
/// that have no nodes at the time.
fn lists_all(gathered: &Gathered, file: &str) -> bool {
    let mut pools = gathered.pools.iter();
    pools.any(|placed| placed.lists_all && gathered.path(placed.source) == file)
}

fn has_pools(gathered: &Gathered, file: &str) -> bool {
    let is_it = |source: SourceId| gathered.path(source) == file;
    inventory_at(gathered, file).is_some()
        || gathered.pools.iter().any(|placed| is_it(placed.source))
}

/// Whether a part of a file could not be parsed. That part may have been another node.
fn is_broken(gathered: &Gathered, file: &str) -> bool {
    let is_it = |source: SourceId| gathered.path(source) == file;
    gathered
        .notices
        .iter()
        .any(|notice| notice.kind.is_unread_file() && is_it(notice.span.source))
}
