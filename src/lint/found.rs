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
use super::gather::Gathered;
use crate::delivery::{From, cluster_folder, example_of};
use crate::model::cluster::environments;
use crate::source::path::common_folder;
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
    /// The clusters of which each may be the one.
    pub among: Vec<String>,
}

impl Found {
    /// Adds what belongs to the same cluster.
    pub fn absorb(&mut self, other: Found) {
        self.pools.extend(other.pools);
        self.hints.extend(other.hints);
        self.beside.extend(other.beside);
        self.workloads.extend(other.workloads);
        self.among.extend(other.among);
    }
}

/// The clusters by how well they are known, by name, and by what their pools are known from.
pub fn find(gathered: &Gathered, settings: Settings<'_>) -> BTreeMap<(u8, String, usize), Found> {
    let assignment = assign(gathered, settings.config, settings.whole);
    let mut all: BTreeMap<(u8, String, usize), Found> = BTreeMap::new();
    let mut serving: BTreeSet<usize> = BTreeSet::new();
    let is_owned = |index: &&usize| gathered.workloads[**index].shape.level.has_owner();
    for (at, cluster) in assignment.clusters.iter().enumerate() {
        let members = assignment.members(at);
        if cluster.name.is_some() || members.iter().any(|one| is_owned(&one)) {
            serving.extend(&cluster.pools);
        }
        let Some(name) = &cluster.name else {
            for index in members.iter().filter(is_owned) {
                let path = gathered.scanned_path(gathered.workloads[*index].source);
                let found = all.entry((2, by_folder(path), at)).or_default();
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
            (order, name.clone(), at),
            Found {
                known_from: from,
                at: span,
                pools: cluster.pools.iter().copied().collect(),
                hints: cluster.hints.iter().copied().collect(),
                beside: cluster.beside.iter().copied().collect(),
                workloads: members.iter().filter(is_owned).copied().collect(),
                complete: is_known(cluster, gathered),
                unread,
                among: Vec::new(),
            },
        );
    }
    // Pools that serve no workload show a cluster, too.
    for (index, placed) in gathered.pools.iter().enumerate() {
        if serving.contains(&index) {
            continue;
        }
        let path = gathered.scanned_path(placed.source);
        let found = all
            .entry((2, by_folder(path), usize::MAX))
            .or_insert_with(|| Found {
                known_from: match FileKind::of(path) {
                    Some(FileKind::Terraform) => "terraform",
                    _ => "folder",
                },
                at: placed.pool.name_span.or(placed.pool.span),
                ..Found::default()
            });
        found.pools.insert(index);
    }
    all
}

/// Merges the folders whose workloads have the same pools: nothing tells them from one cluster. Its name is the folder that
/// they have in common.
pub fn merge_alike(all: BTreeMap<(u8, String), Found>) -> BTreeMap<(u8, String), Found> {
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
            let before = std::mem::replace(known, one);
            known.absorb(before);
            known.among.sort();
            known.among.dedup();
        }
    }
    merged
}

/// The word for what shows a cluster.
pub fn word(from: From) -> &'static str {
    match from {
        From::Flux => "flux",
        From::Argo => "argocd",
        From::Fleet => "fleet",
        From::Helmfile => "helmfile",
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
