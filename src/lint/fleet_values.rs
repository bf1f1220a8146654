//! Values that a `fleet.yaml` has for all clusters: where a target has its own in the same place, those count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::gather::Gathered;
use crate::model::workload::{Level, Workload};
use crate::source::SourceId;

/// The start of the path of a target's values.
const TARGETS: &str = "targetCustomizations[";

/// Takes the pods of values for all clusters out of the clusters whose target has values for the same pods.
pub fn replace(gathered: &mut Gathered) {
    let Gathered {
        workloads,
        graph,
        paths,
        ..
    } = gathered;
    // The values of targets, by their file and their path in a target.
    let mut of_targets: BTreeMap<(SourceId, &str), Vec<usize>> = BTreeMap::new();
    for (at, workload) in workloads.iter().enumerate() {
        let target = workload.path.strip_prefix(TARGETS);
        if let Some((_, path)) = target.and_then(|rest| rest.split_once("].")) {
            of_targets
                .entry((workload.source, path))
                .or_default()
                .push(at);
        }
    }
    if of_targets.is_empty() {
        return;
    }
    let (mut shared, mut replaced) = (BTreeSet::new(), BTreeSet::new());
    for (at, workload) in workloads.iter().enumerate() {
        let targets = of_targets.get(&(workload.source, workload.path.as_str()));
        let targets = targets.into_iter().flatten();
        let targets: Vec<&Workload> = targets.filter_map(|at| workloads.get(*at)).collect();
        let file = (workload.source, paths.of(workload.source));
        let of_targets = targets.iter().map(|one| graph.clusters_of(file, one.span));
        let clusters: BTreeSet<usize> = of_targets.flatten().collect();
        if clusters.is_empty() {
            continue;
        }
        graph.replace(workload.source, workload.span, clusters);
        if !graph.clusters_of(file, workload.span).is_empty() {
            continue;
        }
        match targets.iter().any(|one| one.list == workload.list) {
            true => shared.insert(at),
            false => replaced.insert(at),
        };
    }
    // A list that some target shares is judged there. Of one that none has, only the mistakes in it remain.
    for at in replaced {
        if let Some(workload) = workloads.get_mut(at) {
            Arc::make_mut(&mut workload.shape).level = Level::Other;
        }
    }
    let mut at = 0;
    workloads.retain(|_| {
        at += 1;
        !shared.contains(&(at - 1))
    });
}
