//! Combines the facts of all files: pools with the documents that they refer to, workloads with the patches, policies and
//! defaults that other files apply to them.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::drift::drift;
use super::kustomizations::Kustomizations;
use super::paths::Paths;
use super::placed_pool::PlacedPool;
use super::{admission, borrowed, configured, overlay, unread};
use crate::config::Config;
use crate::delivery::Graph;
use crate::extract::ignores::Ignores;
use crate::extract::{DeclaredCluster, FileFacts, ReadPool, Table, Unread};
use crate::finding::{Because, Object, Open, Report};
use crate::inventory::{Inventory, ReadInventory};
use crate::model::clouds::Clouds;
use crate::model::device::PlacedDeviceEntry;
use crate::model::node_pool::NodePool;
use crate::model::notice::Notice;
use crate::model::workload::{PodShape, Stands, Workload};
use crate::source::path::folder;
use crate::source::{SourceId, Span};

/// The facts of all files.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Node pools.
    pub pools: Vec<PlacedPool>,
    /// Hints from commands about nodes. They explain tolerations, but no workload is judged by them.
    pub hints: Vec<PlacedPool>,
    /// Pod templates and lists.
    pub workloads: Vec<Workload>,
    /// Taints and tolerations of devices.
    pub devices: Vec<PlacedDeviceEntry>,
    /// Notices from reading.
    pub notices: Vec<Notice>,
    /// Comments and annotations that suppress findings.
    pub ignores: Ignores,
    /// The contents of documents that could not be parsed, and where each parse error starts.
    pub unread: Vec<(Span, Unread)>,
    /// Everything that could not be judged so far.
    pub open: Vec<Open>,
    /// The workloads in `open`, by the span of their names.
    pub listed: HashSet<Span>,
    /// File-level statements of inventories, by source.
    pub inventories: BTreeMap<SourceId, Inventory>,
    /// Labels that identify pools, by source: labels of nodes in a dump, or (true) of pools that are listed themselves.
    pub pool_labels: BTreeMap<SourceId, BTreeSet<(String, bool)>>,
    /// The clouds that files with workloads refer to, by source.
    pub clouds: BTreeMap<SourceId, Clouds>,
    /// Chart templates that transform tolerations instead of only copying them.
    pub reshaping: Vec<SourceId>,
    /// Keys that are nearly `tolerations`, with the file that uses them.
    pub near_keys: Vec<(SourceId, String)>,
    /// The paths of the files.
    pub paths: Paths,
    /// Whether some file declares a cluster with a provider-managed control plane.
    pub managed_cluster: bool,
    /// Files of Terraform modules that nothing here calls.
    pub libraries: BTreeSet<SourceId>,
    /// Clusters in Terraform configurations whose control plane the provider runs.
    pub declared_clusters: Vec<DeclaredCluster>,
    /// The objects that were rendered.
    pub rendered: BTreeSet<Object>,
    /// What runs in which cluster.
    pub graph: Graph,
}

impl Gathered {
    /// The path of a source in the repository.
    pub fn path(&self, source: SourceId) -> &str {
        self.paths.of(source)
    }

    /// The path of a source below the scanned folder.
    pub fn scanned_path(&self, source: SourceId) -> &str {
        self.paths.scanned(source)
    }

    /// The first unparsed document of a configured cluster with something of this sort.
    pub fn first_unread(
        &self,
        config: &Config,
        cluster: usize,
        sort: fn(Unread) -> bool,
    ) -> Option<Span> {
        let mut unread = self.unread.iter();
        let found = unread.find(|(span, unread)| {
            let path = self.path(span.source);
            sort(*unread) && config.clusters_of(path).contains(&cluster)
        });
        found.map(|(span, _)| *span)
    }

    /// Adds what the providers document about the API servers of the pools.
    pub fn add_admission(&mut self, table: &Table) {
        for placed in self.pools.iter_mut().chain(&mut self.hints) {
            let plugins = table.admission(&placed.pool.provider);
            if !plugins.is_empty() {
                Arc::make_mut(&mut placed.pool).admission = plugins.to_vec();
            }
        }
    }
}

/// Combines the facts of all files, which have so many workloads, and of what was rendered from them, and counts them. Each
/// file's own facts go as soon as they are taken.
pub fn gather(
    (all, workloads): (impl Iterator<Item = FileFacts>, usize),
    mut rendered: FileFacts,
    mut kustomizations: Kustomizations,
    paths: Paths,
    config: &Config,
    report: &mut Report,
) -> Gathered {
    // Patches have already been applied to these.
    let mut finished = std::mem::take(&mut rendered.workloads);
    let objects = finished.iter().map(|workload| &workload.object);
    let objects = objects.chain(rendered.pools.iter().map(|read| &read.pool.object));
    let objects = objects.chain(rendered.notices.iter().map(|notice| &notice.object));
    let has_kind = |object: &&Object| !object.kind.is_empty();
    let objects: BTreeSet<Object> = objects.filter(has_kind).cloned().collect();
    let mut facts = FileFacts::default();
    facts.workloads.reserve_exact(workloads);
    for one in all {
        facts.absorb(one);
    }
    facts.take_in_heredocs();
    kustomizations.apply(&mut facts);
    facts.absorb(rendered);
    report.counts.documents += facts.documents;
    count_expressions(&facts.expressions, report);
    borrowed::run(&mut facts.workloads, &facts.borrowed);
    borrowed::run(&mut finished, &facts.borrowed);
    let mut gathered = Gathered {
        workloads: facts.workloads,
        devices: facts.devices.into(),
        notices: facts.notices,
        ignores: facts.ignores,
        unread: facts.unread.into(),
        open: facts.not_judged,
        clouds: facts.clouds.into_iter().collect(),
        reshaping: facts.reshaping.into(),
        near_keys: facts.near_keys.into(),
        paths,
        managed_cluster: facts.managed_cluster,
        libraries: facts.libraries.into_iter().collect(),
        declared_clusters: facts.declared_clusters.into(),
        ..Gathered::default()
    };

    (gathered.hints, gathered.pools) = join_references(facts.pools, &gathered.paths)
        .into_iter()
        .partition(|placed| placed.pool.weak);
    let configured = configured::pools(config);
    gathered.pools.extend(configured.map(|pool| PlacedPool {
        configured: true,
        ..PlacedPool::new(pool, SourceId::CONFIGURATION)
    }));
    take_in(facts.inventories, &mut gathered);
    let drifts = gathered.pools.iter().flat_map(|placed| drift(&placed.pool));
    gathered.notices.extend(drifts);
    // Runs before other files change the workloads, so it covers what they say themselves.
    for (at, open) in unread::workloads(&gathered.workloads, &gathered.notices) {
        gathered.listed.insert(at);
        gathered.open.push(open);
    }
    let before = gathered.open.len();
    let admitted = admission::apply(
        &mut gathered.workloads,
        &facts.namespaces,
        &facts.runtime_classes,
        config,
        &gathered.paths,
    );
    gathered.open.extend(admitted);
    let changed = overlay::apply(
        &mut gathered.workloads,
        &facts.overlays,
        &facts.kustomizations,
        config,
        &gathered.paths,
    );
    gathered.open.extend(changed);
    gathered
        .open
        .extend(kustomizations.doubt(&mut gathered.workloads));
    admission::apply(
        &mut finished,
        &facts.namespaces,
        &facts.runtime_classes,
        config,
        &gathered.paths,
    );
    gathered.rendered = objects;
    gathered.workloads.extend(finished);
    // These reasons are listed at the workload's own span.
    let elsewhere = gathered
        .open
        .get(before..)
        .unwrap_or_default()
        .iter()
        .map(|open| open.span);
    gathered.listed.extend(elsewhere);
    let claimed = (0..config.clusters.len()).filter(|at| config.clusters[*at].complete);
    for at in claimed {
        if let Some(unread) = gathered.first_unread(config, at, |unread| unread.pools) {
            let cluster = &config.clusters[at];
            let because = Because::Cluster(cluster.name.as_str().into(), Some(unread));
            gathered.open.push(Open::part(cluster.span, because));
        }
    }
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (other, known): (Vec<_>, Vec<_>) = gathered
        .workloads
        .iter()
        .partition(|workload| !workload.shape.level.has_owner());
    report.counts.workloads = number(known.len());
    let is_list = |one: &&&Workload| one.list.is_some() || one.stands == Stands::Alone;
    report.counts.other_lists = number(other.iter().filter(is_list).count());
    gathered
}

/// Counts the pools and lists what is unknown about them.
pub fn count_pools(gathered: &mut Gathered, report: &mut Report) {
    report.counts.pools = u32::try_from(gathered.pools.len()).unwrap_or(u32::MAX);
    for placed in &gathered.pools {
        let open = unread::pool(&placed.pool, placed.source);
        gathered.open.extend(open);
    }
}

/// Adds the pools of inventories. A pool whose declaration was also read is not added twice.
fn take_in(inventories: impl IntoIterator<Item = ReadInventory>, gathered: &mut Gathered) {
    let paths = &gathered.paths;
    let originals: BTreeSet<(&str, &str, &str)> = gathered
        .pools
        .iter()
        .chain(&gathered.hints)
        .map(|placed| {
            let pool = &placed.pool;
            // The file that declares a pool may differ from the file that it belongs to.
            let declared = pool.span.or(pool.name_span).map(|span| span.source);
            let source = declared.unwrap_or(placed.source);
            let path = paths.of(source);
            (path, pool.name.as_str(), pool.provider.as_str())
        })
        .collect();
    let mut listed = Vec::new();
    for mut read in inventories {
        let entries = std::mem::take(&mut read.inventory.pools);
        for (pool, entry) in read.pools.into_iter().zip(entries) {
            let file = entry.file.as_deref().unwrap_or_default();
            if originals.contains(&(file, entry.name.as_str(), entry.provider.as_str())) {
                continue;
            }
            listed.push(PlacedPool {
                listed: Some(entry),
                ..PlacedPool::new(pool, read.source)
            });
        }
        gathered.inventories.insert(read.source, read.inventory);
    }
    let (hints, listed): (Vec<_>, Vec<_>) = listed.into_iter().partition(|placed| placed.pool.weak);
    gathered.pools.extend(listed);
    gathered.hints.extend(hints);
}

/// Counts the actions of chart templates that print something for the scheduling of pods. Files that include the same
/// template have the same ones.
fn count_expressions(expressions: &[(Span, bool)], report: &mut Report) {
    let mut places: BTreeMap<Span, bool> = BTreeMap::new();
    for (place, is_known) in expressions {
        *places.entry(*place).or_default() |= is_known;
    }
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    report.counts.expressions = number(places.len());
    report.counts.known_expressions = number(places.values().filter(|known| **known).count());
}

/// Gives pools the taints and labels of the documents that they refer to. Those documents are then no pools themselves.
fn join_references(mut pools: Vec<ReadPool>, paths: &Paths) -> Vec<PlacedPool> {
    let path = |source: SourceId| paths.of(source);
    // Names are unique only within a namespace of one cluster, so prefer the same file, then the same folder.
    let mut in_file: BTreeMap<(String, String, SourceId), Vec<usize>> = BTreeMap::new();
    let mut in_folder: BTreeMap<(String, String, &str), Vec<usize>> = BTreeMap::new();
    for (index, pool) in pools.iter().enumerate() {
        if let Some(name) = &pool.part {
            let kind = pool.part_kind.as_ref().unwrap_or(&pool.pool.object.kind);
            let file = (kind.clone(), name.clone(), pool.source);
            in_file.entry(file).or_default().push(index);
            let folder = (kind.clone(), name.clone(), folder(path(pool.source)));
            in_folder.entry(folder).or_default().push(index);
        }
    }
    let mut absorbed = vec![false; pools.len()];
    for index in 0..pools.len() {
        for reference in std::mem::take(&mut pools[index].refers) {
            let own = pools[index].source;
            let namespace = &pools[index].pool.object.namespace;
            let only = |candidates: Option<&Vec<usize>>| {
                let mut fitting = candidates.into_iter().flatten().filter(|part| {
                    let theirs = &pools[**part].pool.object.namespace;
                    theirs.is_none() || namespace.is_none() || theirs == namespace
                });
                // Two candidates are ambiguous.
                match (fitting.next(), fitting.next()) {
                    (Some(only), None) => Some(*only),
                    _ => None,
                }
            };
            let (kind, name) = (reference.kind.clone(), reference.name.clone());
            let found = only(in_file.get(&(kind.clone(), name.clone(), own))).or_else(|| {
                let nameless = name.is_empty();
                let there = in_folder.get(&(kind, name, folder(path(own))));
                only(there.filter(|_| !nameless))
            });
            match found {
                Some(part) => {
                    absorbed[part] = true;
                    let part = pools[part].pool.clone();
                    absorb(&mut pools[index].pool, part);
                }
                None if reference.optional => {}
                None => {
                    let because = format!("{} {} was not found", reference.kind, reference.name);
                    pools[index].pool.doubt(because);
                }
            }
        }
    }
    for (pool, absorbed) in pools.iter_mut().zip(&absorbed) {
        if pool.part.is_some() && !absorbed && !pool.whole {
            pool.pool.doubt("no object that refers to it was found");
        }
    }
    pools
        .into_iter()
        .zip(absorbed)
        .filter(|(_, absorbed)| !absorbed)
        .map(|(read, _)| PlacedPool {
            lists_all: read.lists_all,
            named_by: read.named_by,
            seen: read.seen,
            delivered_to: read.delivered_to,
            ..PlacedPool::new(read.pool, read.source)
        })
        .collect()
}

fn absorb(pool: &mut NodePool, part: NodePool) {
    for taint in part.taints {
        if !pool.taints.iter().any(|known| known.taint == taint.taint) {
            pool.taints.push(taint);
        }
    }
    for (key, value) in part.labels.labels {
        pool.labels.labels.entry(key).or_insert(value);
    }
    if pool.autoscaler.is_none() {
        pool.autoscaler = part.autoscaler;
    }
    if !part.complete {
        let because = part.incomplete_because.unwrap_or_default();
        match part.open_keys {
            Some(keys) => pool.doubt_keys(because, keys),
            None => pool.doubt(because),
        }
    }
}

/// Changes a workload's shape. Copies the shape first if other workloads share it.
pub fn change(workload: &mut Workload, with: impl FnOnce(&mut PodShape)) {
    let mut shape = (*workload.shape).clone();
    with(&mut shape);
    workload.shape = Arc::new(shape);
}
