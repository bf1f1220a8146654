//! Lists the clusters of a repository: how each is known, and what is missing to know all its pools.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::assignment::Cluster;
use super::cluster::{assign, given_complete};
use super::delivered::own_cluster;
use super::gather::Gathered;
use super::session::{Load, Session};
use super::{Input, Settings, changed_file, texts};
use crate::delivery::{From, cluster_folder, example_of};
use crate::finding::{FilePlace, ListedCluster, ListedGap, NOT_DECLARED, Problem, Report};
use crate::model::cluster::environments;
use crate::model::node_pool::NodePool;
use crate::source::{FileKind, SourceId, Span};

/// The clusters of a run.
#[derive(Debug)]
pub struct ClusterListing {
    /// The clusters, in a stable order.
    pub clusters: Vec<ListedCluster>,
    /// What was not read of the files that say what runs where.
    pub not_read: Vec<ListedGap>,
    /// Problems while reading.
    pub problems: Vec<Problem>,
}

/// A cluster before its places are looked up.
#[derive(Default)]
pub(super) struct Found {
    known_from: &'static str,
    at: Option<Span>,
    /// The pools, the hints from commands and the pools that may belong to it, by index.
    pub(super) pools: BTreeSet<usize>,
    pub(super) hints: BTreeSet<usize>,
    pub(super) beside: BTreeSet<usize>,
    /// Its workloads that have pods, by index.
    pub(super) workloads: Vec<usize>,
    pub(super) complete: bool,
    unread: Option<Span>,
}

/// Reads every input and lists the clusters. The same inputs give the same list.
pub fn list_clusters(inputs: &[Input], load: &Load<'_>, settings: Settings<'_>) -> ClusterListing {
    let mut session = Session::once(inputs, load, settings);
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
    let found = find(&gathered, settings);
    let pools = gathered.pools.iter();
    let of_pools = pools.filter_map(|placed| placed.pool.name_span.or(placed.pool.span));
    let of_clusters = found
        .values()
        .flat_map(|one| one.at.into_iter().chain(one.unread));
    let of_graph = gathered.graph.troubles.iter().map(|trouble| trouble.at);
    let named: BTreeSet<SourceId> = of_pools
        .chain(of_clusters)
        .chain(of_graph)
        .map(|span| span.source)
        .collect();
    let wanted = texts::wanted_by(named, &[]);
    let (_, changed) = texts::load_again(&session, wanted, &mut report.sources);
    report
        .problems
        .extend(changed.into_values().map(changed_file));
    if let Some(source) = &settings.config.source {
        report
            .sources
            .insert(SourceId::CONFIGURATION, source.clone());
    }
    let place = |span: Span| -> Option<FilePlace> {
        let source = report.sources.get(&span.source)?;
        Some((source.path.clone(), source.position(span.start)))
    };
    let clusters = found.into_iter().map(|((_, name), found)| {
        let mut missing = Vec::new();
        if !found.complete {
            missing = gaps(&gathered, &found, &place);
        }
        let names = found
            .pools
            .iter()
            .map(|at| gathered.pools[*at].pool.name.clone());
        let names: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
        ListedCluster {
            name,
            known_from: found.known_from,
            place: found.at.and_then(place),
            pools: names.into_iter().collect(),
            workloads: found.workloads.len(),
            complete: found.complete,
            missing,
        }
    });
    let clusters = clusters.collect();
    let troubles = gathered.graph.troubles.iter();
    let not_read = troubles.map(|trouble| ListedGap {
        what: trouble.why.clone(),
        place: place(trouble.at),
    });
    let not_read = not_read.collect();
    report.problems.sort();
    report.problems.dedup();
    ClusterListing {
        clusters,
        not_read,
        problems: report.problems,
    }
}

/// The clusters by how well they are known, and by name.
pub(super) fn find(gathered: &Gathered, settings: Settings<'_>) -> BTreeMap<(u8, String), Found> {
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
            *known = Found {
                workloads,
                hints,
                beside,
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
pub(super) fn word(from: From) -> &'static str {
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

/// What is missing to know all pools of a cluster with all their taints.
fn gaps(
    gathered: &Gathered,
    found: &Found,
    place: &dyn Fn(Span) -> Option<FilePlace>,
) -> Vec<ListedGap> {
    let mut missing = Vec::new();
    if found.pools.is_empty() {
        missing.push(ListedGap {
            what: "no node pool was read".to_owned(),
            place: None,
        });
    }
    for index in &found.pools {
        let pool = &gathered.pools[*index].pool;
        let Some(what) = unknown_taints(pool) else {
            continue;
        };
        missing.push(ListedGap {
            what,
            place: pool.name_span.or(pool.span).and_then(place),
        });
    }
    if let Some(unread) = found.unread {
        missing.push(ListedGap {
            what: "this document could not be read and may declare node pools".to_owned(),
            place: place(unread),
        });
    }
    missing.sort();
    missing.dedup();
    missing.push(ListedGap {
        what: NOT_DECLARED.to_owned(),
        place: None,
    });
    missing
}

/// Says that not all taints of a pool are known, and why.
pub(super) fn unknown_taints(pool: &NodePool) -> Option<String> {
    if pool.complete {
        return None;
    }
    let why = pool
        .incomplete_because
        .as_deref()
        .unwrap_or("some could not be read");
    let name = match pool.name.as_str() {
        "" => "a pool without a name".to_owned(),
        name => format!("pool `{name}`"),
    };
    Some(format!("{name} has unknown taints: {why}"))
}
