//! Puts together what the files say: pools with the documents that they refer to, workloads with what is added to or
//! changed in them elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Input, overlay};
use crate::config::Config;
use crate::extract::{FileFacts, ReadPool};
use crate::finding::{Object, Report};
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::model::workload::{Level, Oddity, PodShape, Workload};
use crate::source::SourceId;

/// A pool and the file that it stands in.
#[derive(Debug)]
pub struct PlacedPool {
    /// The pool.
    pub pool: Arc<NodePool>,
    /// Its file.
    pub source: SourceId,
    /// It stands in the configuration.
    pub configured: bool,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Node pools.
    pub pools: Vec<PlacedPool>,
    /// Pod templates and lists.
    pub workloads: Vec<Workload>,
    /// What reading noticed.
    pub oddities: Vec<Oddity>,
    /// Paths below the scanned folder, by source.
    pub scanned_paths: Vec<String>,
    /// Paths in the repository, by source.
    pub paths: Vec<String>,
}

const CHANGED_ELSEWHERE: &str = "workloads that a patch, a policy or a namespace changes";
const INCOMPLETE_POOLS: &str = "node pools whose taints are not all known";

/// Puts facts together and counts them.
pub fn gather(
    all: Vec<FileFacts>,
    inputs: &[Input],
    config_source: SourceId,
    config: &Config,
    report: &mut Report,
) -> Gathered {
    let mut gathered = Gathered::default();
    let mut read_pools = Vec::new();
    let mut overlays = Vec::new();
    let mut kustomizations = Vec::new();
    gathered
        .workloads
        .reserve_exact(all.iter().map(|facts| facts.workloads.len()).sum());
    for facts in all {
        report.counts.documents += facts.documents;
        for reason in facts.not_judged {
            *report
                .counts
                .not_judged
                .entry(reason.to_owned())
                .or_default() += 1;
        }
        gathered.workloads.extend(facts.workloads);
        gathered.oddities.extend(facts.oddities);
        read_pools.extend(facts.pools);
        overlays.extend(facts.overlays);
        kustomizations.extend(facts.kustomizations);
    }
    for input in inputs {
        let scanned = input.path.get(input.scanned_from..).unwrap_or(&input.path);
        gathered.scanned_paths.push(scanned.to_owned());
        gathered.paths.push(input.path.clone());
    }
    // The configuration is a source, too: pools may stand in it.
    gathered.scanned_paths.push(String::new());
    gathered.paths.push(
        config
            .source
            .as_ref()
            .map(|source| source.path.clone())
            .unwrap_or_default(),
    );

    gathered.pools = join_references(read_pools, &gathered.paths);
    gathered
        .pools
        .extend(configured_pools(config, config_source));
    apply_runtime_classes(&mut gathered.workloads);
    let changed = overlay::apply(
        &mut gathered.workloads,
        &overlays,
        &kustomizations,
        &gathered.paths,
    );
    let mut count = |reason: &str, times: usize| {
        if times > 0 {
            let times = u32::try_from(times).unwrap_or(u32::MAX);
            *report
                .counts
                .not_judged
                .entry(reason.to_owned())
                .or_default() += times;
        }
    };
    count(CHANGED_ELSEWHERE, changed);
    count(
        INCOMPLETE_POOLS,
        gathered
            .pools
            .iter()
            .filter(|placed| !placed.pool.complete)
            .count(),
    );
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    report.counts.pools = number(gathered.pools.len());
    let (other, known): (Vec<_>, Vec<_>) = gathered
        .workloads
        .iter()
        .partition(|workload| workload.shape.level == Level::Other);
    report.counts.workloads = number(known.len());
    report.counts.other_lists = number(other.len());
    gathered
}

/// The folder that a path is in; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Gives pools the taints and labels of the documents that they refer to; those are no pools of their own then.
fn join_references(mut pools: Vec<ReadPool>, paths: &[String]) -> Vec<PlacedPool> {
    let mut parts: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (index, pool) in pools.iter().enumerate() {
        if pool.part {
            let key = (pool.pool.object.kind.clone(), pool.pool.name.clone());
            parts.entry(key).or_default().push(index);
        }
    }
    let path = |source: SourceId| paths.get(source.0 as usize).map_or("", String::as_str);
    let mut absorbed = vec![false; pools.len()];
    for index in 0..pools.len() {
        let Some(reference) = pools[index].refers.clone() else {
            continue;
        };
        let own = pools[index].source;
        // Names are unique in a namespace of one cluster only: the same file first, then the same folder.
        let candidates = parts.get(&reference).map_or(&[][..], Vec::as_slice);
        let found = candidates
            .iter()
            .find(|part| pools[**part].source == own)
            .or_else(|| {
                let mut beside = candidates
                    .iter()
                    .filter(|part| folder(path(pools[**part].source)) == folder(path(own)));
                // Two in one folder cannot be told apart.
                match (beside.next(), beside.next()) {
                    (Some(only), None) => Some(only),
                    _ => None,
                }
            })
            .copied();
        match found {
            Some(part) => {
                absorbed[part] = true;
                let part = pools[part].pool.clone();
                absorb(&mut pools[index].pool, part);
            }
            None => {
                let pool = &mut pools[index].pool;
                pool.complete = false;
                pool.incomplete_because.get_or_insert_with(|| {
                    format!("{} {} was not found", reference.0, reference.1)
                });
            }
        }
    }
    pools
        .into_iter()
        .zip(absorbed)
        .filter(|(_, absorbed)| !absorbed)
        .map(|(read, _)| PlacedPool {
            pool: Arc::new(read.pool),
            source: read.source,
            configured: false,
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
    pool.complete &= part.complete;
    if pool.incomplete_because.is_none() {
        pool.incomplete_because = part.incomplete_because;
    }
}

fn configured_pools(config: &Config, source: SourceId) -> Vec<PlacedPool> {
    config
        .pools
        .iter()
        .map(|pool| PlacedPool {
            pool: Arc::new(NodePool {
                name: pool.name.clone(),
                provider: "configuration".to_owned(),
                cluster: pool.cluster.clone(),
                labels: NodeLabels {
                    labels: pool
                        .labels
                        .iter()
                        .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
                        .collect(),
                    requirements: Vec::new(),
                    others: OtherLabels::WellKnownOnly,
                },
                taints: pool
                    .taints
                    .iter()
                    .map(|(taint, span)| PoolTaint {
                        taint: taint.clone(),
                        origin: Origin::Declared,
                        span: Some(crate::source::Span { source, ..*span }),
                        path: "pools".to_owned(),
                        spelled: None,
                        fields: BTreeMap::new(),
                    })
                    .collect(),
                complete: true,
                incomplete_because: None,
                unschedulable: false,
                span: Some(crate::source::Span {
                    source,
                    ..pool.span
                }),
                name_span: Some(crate::source::Span {
                    source,
                    ..pool.span
                }),
                object: Object::default(),
            }),
            source,
            configured: true,
        })
        .collect()
}

/// Changes a workload's shape, which others may share.
pub fn change(workload: &mut Workload, with: impl FnOnce(&mut PodShape)) {
    let mut shape = (*workload.shape).clone();
    with(&mut shape);
    workload.shape = Arc::new(shape);
}

/// A RuntimeClass adds its tolerations and its node selector to pods that name it.
fn apply_runtime_classes(workloads: &mut [Workload]) {
    let classes: BTreeMap<String, Arc<PodShape>> = workloads
        .iter()
        .filter(|workload| workload.object.kind == "RuntimeClass")
        .filter_map(|workload| Some((workload.object.name.clone()?, Arc::clone(&workload.shape))))
        .collect();
    for workload in workloads {
        let name = match &workload.shape.runtime_class {
            Field::Absent => continue,
            Field::Is(name) => Some(name.clone()),
            Field::Unknown => None,
        };
        let class = name.as_ref().and_then(|name| classes.get(name));
        change(workload, |shape| match class {
            Some(class) => {
                shape.injected.extend(class.tolerations.iter().cloned());
                for (key, value) in &class.selection.node_selector {
                    shape
                        .selection
                        .node_selector
                        .entry(key.clone())
                        .or_insert_with(|| value.clone());
                }
            }
            None => {
                shape
                    .unread_tolerations
                    .get_or_insert_with(|| "its RuntimeClass is not in this repository".to_owned());
                shape.selection.unknown = true;
            }
        });
    }
}
