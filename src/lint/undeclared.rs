//! Pools that pods can only select if something outside the repository labels their nodes.

use std::sync::Arc;

use crate::model::Field;
use crate::model::node_pool::NodePool;
use crate::model::node_selection::OtherLabels;
use crate::model::workload::PodShape;

/// Those of the doubtful pools that the pods can only select if something outside the repository adds a label that all
/// chosen pools declare. Pools are positions in `models`.
pub fn undeclared(
    models: &[Arc<NodePool>],
    shape: &PodShape,
    chosen: &[usize],
    doubtful: &[usize],
) -> Vec<usize> {
    if chosen.is_empty() {
        return Vec::new();
    }
    let mut asked = shape.selection.required_labels();
    asked.retain(|key, value| {
        let mut pools = chosen.iter().filter_map(|at| models.get(*at));
        pools.all(|pool| pool.labels.labels.get(*key).and_then(Field::text) == Some(*value))
    });
    let lacks = |at: &&usize| {
        let Some(pool) = models.get(**at) else {
            return false;
        };
        let labels = &pool.labels;
        let speaks_of = |key: &str| {
            let mut requirements = labels.requirements.iter();
            labels.labels.contains_key(key)
                || requirements.any(|one| one.key.text().is_none_or(|own| own == key))
        };
        labels.others != OtherLabels::Possible && asked.keys().any(|key| !speaks_of(key))
    };
    doubtful.iter().filter(lacks).copied().collect()
}
