//! Pools by the labels that they certainly have, so that a pod that asks for a label is compared only with pools that it may
//! select.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::label_keys::canonical_label_key;
use crate::model::node_pool::NodePool;
use crate::model::node_selection::NodeSelection;

/// The pools that certainly have a label with one key, by index.
#[derive(Debug, Default)]
struct Bearers {
    all: HashSet<usize>,
    of_value: HashMap<String, Vec<usize>>,
}

/// Some pools, by label.
#[derive(Debug, Default)]
pub struct Selectable {
    pools: usize,
    /// By the current name of the key.
    of_key: HashMap<String, Bearers>,
}

impl Selectable {
    /// Collects the labels of pools.
    pub fn of(pools: &[Arc<NodePool>]) -> Selectable {
        let mut found = Selectable {
            pools: pools.len(),
            ..Selectable::default()
        };
        for (at, pool) in pools.iter().enumerate() {
            let keys = pool.labels.labels.keys();
            let keys: BTreeSet<&str> = keys.map(|key| canonical_label_key(key)).collect();
            for key in keys {
                let Some(value) = pool.labels.fixed(key).and_then(|value| value.text()) else {
                    continue;
                };
                let bearers = found.of_key.entry(key.to_owned()).or_default();
                bearers.all.insert(at);
                let of_value = bearers.of_value.entry(value.to_owned()).or_default();
                of_value.push(at);
            }
        }
        found
    }

    /// The pools that a selection does not certainly exclude by a label that it requires and that they have with another value,
    /// in order; `None` for all pools.
    pub fn by(&self, selection: &NodeSelection) -> Option<Vec<usize>> {
        let required = selection.required_labels().into_iter();
        let few = required.filter_map(|(key, value)| {
            let bearers = self.of_key.get(canonical_label_key(key))?;
            let with = bearers.of_value.get(value).map_or(&[][..], Vec::as_slice);
            let count = with.len() + self.pools.saturating_sub(bearers.all.len());
            Some((count, bearers, with))
        });
        let (count, bearers, with) = few.min_by_key(|(count, ..)| *count)?;
        if count == self.pools {
            return None;
        }
        let mut found = with.to_vec();
        if with.len() < count {
            let others = 0..self.pools;
            found.extend(others.filter(|at| !bearers.all.contains(at)));
            found.sort_unstable();
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::node_selection::{NodeLabels, Requirement, Term};
    use crate::model::{Field, Truth};

    fn selection(labels: &[(&str, &str)], term: Option<(&str, &str)>) -> NodeSelection {
        let is = |text: &str| Field::Is(text.to_owned());
        let labels = labels.iter();
        let required = match term {
            None => Field::Absent,
            Some((key, value)) => Field::Is(vec![Term {
                expressions: vec![Requirement {
                    key: is(key),
                    operator: is("In"),
                    values: vec![is(value)],
                }],
                ..Term::default()
            }]),
        };
        NodeSelection {
            node_selector: labels
                .map(|(key, value)| ((*key).to_owned(), is(value)))
                .collect(),
            required,
            ..NodeSelection::default()
        }
    }

    #[test]
    fn pools_that_are_left_out_are_certainly_not_selected() {
        let (old, new) = ("beta.kubernetes.io/os", "kubernetes.io/os");
        let texts = [Field::Is("a".to_owned()), Field::Is("b".to_owned())];
        let values: Vec<Option<Field<String>>> = [None, Some(Field::Unknown)]
            .into_iter()
            .chain(texts.into_iter().map(Some))
            .collect();
        let mut pools = Vec::new();
        for first in &values {
            for second in &values {
                for third in &values {
                    let labels = [(old, first), (new, second), ("x", third)].into_iter();
                    let labels = labels.filter_map(|(key, value)| Some((key, value.clone()?)));
                    let labels: BTreeMap<String, Field<String>> =
                        labels.map(|(key, value)| (key.to_owned(), value)).collect();
                    pools.push(Arc::new(NodePool {
                        labels: NodeLabels {
                            labels,
                            ..NodeLabels::default()
                        },
                        ..NodePool::default()
                    }));
                }
            }
        }
        let selectable = Selectable::of(&pools);
        let mut left_out = 0;
        for asked in [
            selection(&[], None),
            selection(&[("y", "a")], None),
            selection(&[("x", "a")], None),
            selection(&[(old, "a")], None),
            selection(&[(new, "b"), ("x", "b")], None),
            selection(&[("x", "c")], Some((new, "a"))),
            selection(&[], Some((old, "b"))),
        ] {
            let Some(found) = selectable.by(&asked) else {
                continue;
            };
            assert!(found.is_sorted());
            for (at, pool) in pools.iter().enumerate() {
                if !found.contains(&at) {
                    left_out += 1;
                    assert_eq!(asked.selects(&pool.labels, None), Truth::No);
                }
            }
        }
        assert!(left_out > 50, "{left_out}");
    }
}
