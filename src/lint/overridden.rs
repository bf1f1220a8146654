//! Values that others are laid over: the pods of a chart are judged as each environment and each release makes them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::kept::Kept;
use crate::extract::{self, FileFacts};
use crate::model::workload::{Level, MoreTolerations, Workload};
use crate::source::{SourceId, path};

const WHY: &str = "values of an environment may replace it";

/// Marks the pods that a file of values makes as not known completely where other values are laid over it: they may replace
/// these, and are judged with those that they leave. `again` has the facts of these files.
pub fn leave_open(files: &[Kept], again: &mut HashMap<SourceId, FileFacts>) {
    let mut by_folder: HashMap<&str, Vec<SourceId>> = HashMap::new();
    let mut tops: HashMap<SourceId, BTreeSet<SourceId>> = HashMap::new();
    for kept in files {
        let path = &*kept.input.path;
        let Some(facts) = again.get(&kept.id) else {
            continue;
        };
        if extract::names_environment(path) {
            let of_folder = by_folder.entry(path::folder(path)).or_default();
            of_folder.push(kept.id);
        }
        for below in facts.laid_over.iter().filter(|below| **below != kept.id) {
            tops.entry(*below).or_default().insert(kept.id);
        }
    }
    for kept in files {
        let path = &*kept.input.path;
        if path.rsplit('/').next() == Some("values.yaml")
            && let Some(environments) = by_folder.get(path::folder(path))
        {
            tops.entry(kept.id).or_default().extend(environments);
        }
        let Some(tops) = tops.get(&kept.id) else {
            continue;
        };
        let Some(mut facts) = again.remove(&kept.id) else {
            continue;
        };
        let others = tops.iter().filter_map(|id| again.get(id));
        let others: Vec<&Workload> = others.flat_map(|facts| &facts.workloads).collect();
        for workload in &mut facts.workloads {
            let is_judged = others.iter().any(|other| is_same_part(workload, other));
            if is_judged && workload.shape.level == Level::Chart {
                let shape = Arc::make_mut(&mut workload.shape);
                shape
                    .unread_tolerations
                    .get_or_insert(MoreTolerations::Other(WHY));
                shape.selection.unknown = true;
            }
        }
        again.insert(kept.id, facts);
    }
}

/// Whether two files of values are for the same pods of a chart.
fn is_same_part(one: &Workload, other: &Workload) -> bool {
    let part = |workload: &Workload| {
        let controller = workload.shape.character.controller.clone();
        (workload.component.clone(), controller)
    };
    other.shape.level == Level::Chart && part(one) == part(other)
}
