//! Which pools the workloads of a cluster tolerate, found without comparing each shape with each pool.

use std::collections::HashMap;
use std::sync::Arc;

use super::search::meant_entries;
use crate::model::Truth;
use crate::model::node_pool::NodePool;
use crate::model::toleration::Toleration;
use crate::model::workload::PodShape;

/// The tolerations that some shapes mean, by what they can match.
pub struct Tolerating {
    comparison_operators: bool,
    /// Some shape may tolerate anything.
    unread: bool,
    shapes: Vec<Vec<Toleration>>,
    /// The shapes with an entry for a key and one value; `None` for several values.
    by_key: HashMap<String, HashMap<Option<String>, Vec<usize>>>,
    /// The shapes with an entry for every key.
    of_any_key: Vec<usize>,
}

impl Tolerating {
    /// Collects the tolerations of shapes, not counting those that every pod or every DaemonSet pod gets automatically.
    pub fn of<'s>(
        shapes: impl Iterator<Item = &'s Arc<PodShape>>,
        comparison_operators: bool,
    ) -> Tolerating {
        let mut all = Tolerating {
            comparison_operators,
            unread: false,
            shapes: Vec::new(),
            by_key: HashMap::new(),
            of_any_key: Vec::new(),
        };
        for (at, shape) in shapes.enumerate() {
            let entries = meant_entries(shape);
            all.unread |= shape.unread_tolerations.is_some();
            for entry in &entries {
                let Some(key) = entry.key.text() else {
                    all.unread = true;
                    continue;
                };
                if key.is_empty() {
                    all.of_any_key.push(at);
                    continue;
                }
                let is_equal = entry.effective_operator() == Some("Equal");
                let value = entry.value.text().filter(|_| is_equal);
                let values = all.by_key.entry(key.to_owned()).or_default();
                let known = values.entry(value.map(str::to_owned)).or_default();
                known.push(at);
            }
            all.shapes.push(entries);
        }
        all
    }

    /// Whether some shape tolerates, or may tolerate, all hard taints of a pool.
    pub fn is_tolerated(&self, pool: &NodePool) -> bool {
        let mut shapes = match self.candidates(pool) {
            _ if self.unread => return true,
            Some(candidates) => candidates,
            None => (0..self.shapes.len()).collect(),
        }
        .into_iter();
        let gate = self.comparison_operators;
        shapes.any(|at| {
            let entries = self.shapes.get(at);
            entries.is_some_and(|entries| pool.tolerated_by(entries, gate) != Truth::No)
        })
    }

    /// The shapes that may tolerate the first taint of a pool that is certainly hard and known, if there is one.
    fn candidates(&self, pool: &NodePool) -> Option<Vec<usize>> {
        let (key, value) = pool.blocking_taints().find_map(|(_, taint)| {
            let key = taint.taint.key.text()?;
            Some((key, taint.taint.value.text()?))
        })?;
        let mut found = self.of_any_key.clone();
        if let Some(values) = self.by_key.get(key) {
            let same = values.get(&Some(value.to_owned()));
            found.extend(same.into_iter().chain(values.get(&None)).flatten());
        }
        Some(found)
    }
}
