//! Defaults of a chart that has files of values for environments: its pods are judged as each environment makes them.

use std::collections::HashMap;
use std::sync::Arc;

use super::kept::Kept;
use crate::extract::{self, FileFacts};
use crate::model::workload::{Level, MoreTolerations, Workload};
use crate::source::{SourceId, path};

const WHY: &str = "values of an environment may replace it";

/// Marks the pods that a chart makes by default as not known completely where an environment makes them: it may replace the
/// defaults, and is judged with those that it leaves. `again` has the facts of these files.
pub fn leave_open(files: &[Kept], again: &mut HashMap<SourceId, FileFacts>) {
    let mut by_folder: HashMap<&str, Vec<SourceId>> = HashMap::new();
    for kept in files {
        let path = &*kept.input.path;
        if again.contains_key(&kept.id) && extract::names_environment(path) {
            by_folder
                .entry(path::folder(path))
                .or_default()
                .push(kept.id);
        }
    }
    for kept in files {
        let path = &*kept.input.path;
        let environments = match path.rsplit('/').next() {
            Some("values.yaml") => by_folder.get(path::folder(path)),
            _ => None,
        };
        let Some(environments) = environments else {
            continue;
        };
        let Some(mut facts) = again.remove(&kept.id) else {
            continue;
        };
        let others = environments.iter().filter_map(|id| again.get(id));
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
