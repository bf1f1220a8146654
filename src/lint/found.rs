//! The clusters that a repository shows, before they are listed: named ones, those of Terraform configurations, and those that
//! only folders show.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::Settings;
use super::assignment::Cluster;
use super::cluster::{assign, given_complete};
use super::delivered::own_cluster;
use super::gather::Gathered;
use crate::delivery::{From, cluster_folder, example_of};
use crate::model::cluster::environments;
use crate::source::path::folder;
use crate::source::{FileKind, Span};

/// A cluster before its places are looked up.
#[derive(Default)]
pub struct Found {
    pub known_from: &'static str,
    pub at: Option<Span>,
    /// The pools, the hints from commands and the pools that may belong to it, by index.
    pub pools: BTreeSet<usize>,
    pub hints: BTreeSet<usize>,
    pub beside: BTreeSet<usize>,
    /// Its workloads that have pods, by index.
    pub workloads: Vec<usize>,
    pub complete: bool,
    pub unread: Option<Span>,
    /// The Terraform configurations of which one may make its nodes.
    pub states: Vec<String>,
}

/// The clusters by how well they are known, and by name.
pub fn find(gathered: &Gathered, settings: Settings<'_>) -> BTreeMap<(u8, String), Found> {
    let assignment = assign(gathered, settings.config, settings.whole);
    let mut all: BTreeMap<(u8, String), Found> = BTreeMap::new();
    let mut serving: BTreeSet<usize> = BTreeSet::new();
    let is_owned = |index: &&usize| gathered.workloads[**index].shape.level.has_owner();
    for (at, cluster) in assignment.clusters.iter().enumerate() {
        serving.extend(&cluster.pools);
        let members = assignment.members(at);
        let Some(name) = &cluster.name else {
            let named = named_by_all(cluster, gathered);
            for index in members.iter().filter(is_owned) {
                let path = gathered.scanned_path(gathered.workloads[*index].source);
                let name = named.map_or_else(|| by_folder(path), str::to_owned);
                let found = all.entry((2, name)).or_default();
                found.known_from =
                    match cluster.complete && given_complete(gathered, settings.config) {
                        true => "inventory",
                        false => "folder",
                    };
                found.complete = is_known(cluster, gathered);
                found.pools.extend(&cluster.pools);
                found.hints.extend(&cluster.hints);
                found.beside.extend(&cluster.beside);
                found.workloads.push(*index);
            }
            continue;
        };
        let mut graph = gathered.graph.clusters.iter();
        let known = graph.find(|known| !cluster.configured && known.name == *name);
        let config = settings
            .config
            .clusters
            .iter()
            .position(|one| one.name == *name);
        let config = config.filter(|_| cluster.configured);
        let (from, span) = match known {
            Some(known) => (word(known.from), Some(known.at)),
            None if cluster.configured => (
                "configuration",
                config.map(|at| settings.config.clusters[at].span),
            ),
            None => ("folder", None),
        };
        let unread =
            config.and_then(|at| gathered.first_unread(settings.config, at, |unread| unread.pools));
        let order = u8::from(!cluster.configured);
        all.insert(
            (order, name.clone()),
            Found {
                known_from: from,
                at: span,
                pools: cluster.pools.iter().copied().collect(),
                hints: cluster.hints.iter().copied().collect(),
                beside: cluster.beside.iter().copied().collect(),
                workloads: members.iter().filter(is_owned).copied().collect(),
                complete: is_known(cluster, gathered),
                unread,
                states: Vec::new(),
            },
        );
    }
    // Pools that serve no workload show a cluster, too.
    for (index, placed) in gathered.pools.iter().enumerate() {
        if serving.contains(&index) {
            continue;
        }
        let path = gathered.scanned_path(placed.source);
        let name = match own_cluster(&placed.pool) {
            Some(name) => name.to_owned(),
            None => by_folder(path),
        };
        let found = all.entry((2, name)).or_insert_with(|| Found {
            known_from: match FileKind::of(path) {
                Some(FileKind::Terraform) => "terraform",
                _ => "folder",
            },
            at: placed.pool.name_span.or(placed.pool.span),
            ..Found::default()
        });
        found.pools.insert(index);
    }
    merge_alike(all)
}

/// Lists each Terraform configuration as a cluster of its own where folders alone say that workloads may run on the pools of
/// several that each declare a cluster: each has a state, and a state is one cluster's.
pub fn by_state(
    all: BTreeMap<(u8, String), Found>,
    gathered: &Gathered,
) -> BTreeMap<(u8, String), Found> {
    let paths = gathered
        .cluster_files
        .iter()
        .map(|source| gathered.scanned_path(*source));
    let declaring: BTreeSet<&str> = paths.map(folder).collect();
    let state = |at: &usize| {
        let placed = gathered.pools.get(*at)?;
        let path = gathered.scanned_path(placed.source);
        let is_terraform = FileKind::of(path) == Some(FileKind::Terraform);
        let is_own = declaring.contains(folder(path)) && placed.pool.variant.is_none();
        (is_terraform && is_own).then(|| folder(path).to_owned())
    };
    let mut listed: BTreeMap<(u8, String), Found> = BTreeMap::new();
    let mut states: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (key, mut found) in all {
        let mut own: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        if found.known_from == "folder" && found.at.is_none() {
            for at in &found.pools {
                if let Some(state) = state(at) {
                    own.entry(state).or_default().insert(*at);
                }
            }
        }
        if own.len() > 1 {
            found.pools.retain(|at| state(at).is_none());
            found.states = own.keys().cloned().collect();
            for (state, pools) in own {
                states.entry(state).or_default().extend(pools);
            }
        }
        listed.insert(key, found);
    }
    for (state, pools) in states {
        let last = state.rsplit('/').next().unwrap_or(&state).to_owned();
        let is_free = |name: &str| !name.is_empty() && !listed.contains_key(&(2, name.to_owned()));
        let name = if is_free(&last) { last } else { state };
        let mut placed = pools.iter().filter_map(|at| gathered.pools.get(*at));
        let first = placed.next().map(|placed| &placed.pool);
        let found = listed.entry((2, name)).or_insert_with(|| Found {
            known_from: "terraform",
            at: first.and_then(|pool| pool.name_span.or(pool.span)),
            ..Found::default()
        });
        found.pools.extend(pools);
    }
    // What is left of such a folder has no pools of its own, and there may be several.
    merge_alike(listed)
}

/// Merges the folders whose workloads have the same pools: nothing tells them from one cluster. Its name is the folder that
/// they have in common.
fn merge_alike(all: BTreeMap<(u8, String), Found>) -> BTreeMap<(u8, String), Found> {
    let is_folder = |found: &Found| found.known_from == "folder" && found.at.is_none();
    let (folders, mut merged): (BTreeMap<_, _>, BTreeMap<_, _>) =
        all.into_iter().partition(|(_, found)| is_folder(found));
    let mut alike: BTreeMap<_, Vec<(String, Found)>> = BTreeMap::new();
    for ((_, name), found) in folders {
        let same = alike
            .entry((found.pools.clone(), found.complete))
            .or_default();
        same.push((name, found));
    }
    // Those with pools are named first.
    for same in alike.into_values().rev() {
        let names: Vec<String> = same.iter().map(|(name, _)| name.clone()).collect();
        let parts = names.iter().map(String::as_str);
        let common = match parts.reduce(common_folder) {
            None | Some("") => ".",
            Some(folder) => folder,
        };
        let mut free = std::iter::once(common.to_owned()).chain(names.iter().cloned());
        let name = free.find(|name| !merged.contains_key(&(2, name.clone())));
        let name = name.unwrap_or_else(|| common.to_owned());
        for (_, one) in same {
            let known = merged.entry((2, name.clone())).or_default();
            let mut workloads = std::mem::take(&mut known.workloads);
            workloads.extend(&one.workloads);
            let mut hints = std::mem::take(&mut known.hints);
            hints.extend(&one.hints);
            let mut beside = std::mem::take(&mut known.beside);
            beside.extend(&one.beside);
            let mut states = std::mem::take(&mut known.states);
            states.extend(one.states.iter().cloned());
            states.sort();
            states.dedup();
            *known = Found {
                workloads,
                hints,
                beside,
                states,
                ..one
            };
        }
    }
    merged
}

/// The folder that contains both, or an empty text.
fn common_folder<'p>(one: &'p str, other: &str) -> &'p str {
    if one == other {
        return one;
    }
    let (mut end, mut same) = (0, 0);
    for (ours, theirs) in one.split('/').zip(other.split('/')) {
        if ours != theirs {
            break;
        }
        end += ours.len() + 1;
        same = end - 1;
    }
    one.get(..same).unwrap_or_default()
}

/// The word for what shows a cluster.
pub fn word(from: From) -> &'static str {
    match from {
        From::Flux => "flux",
        From::Argo => "argocd",
        From::Fleet => "fleet",
    }
}

/// Whether there are no other pools than those of the cluster, and all their taints are known.
fn is_known(cluster: &Cluster, gathered: &Gathered) -> bool {
    let mut pools = cluster
        .pools
        .iter()
        .filter_map(|at| gathered.pools.get(*at));
    cluster.complete && pools.all(|placed| placed.pool.complete)
}

/// The name that all pools of a cluster say.
fn named_by_all<'g>(cluster: &Cluster, gathered: &'g Gathered) -> Option<&'g str> {
    let pools = cluster.pools.iter().map(|at| &gathered.pools[*at].pool);
    let mut names = pools.map(|pool| own_cluster(pool));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// The name of the cluster that a path says, as far as it says one.
fn by_folder(path: &str) -> String {
    if let Some((_, name)) = cluster_folder(path.rsplit_once('/').map_or("", |(folder, _)| folder))
    {
        return name.to_owned();
    }
    let example = example_of(path);
    if !example.is_empty() {
        return example.trim_end_matches('/').to_owned();
    }
    let named: Vec<&str> = environments(path).into_iter().collect();
    match named.as_slice() {
        [only] => (*only).to_owned(),
        _ => ".".to_owned(),
    }
}
