//! Labels of pools by their keys and values, so that a label is compared only with those that may be similar.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::alike::Alike;
use crate::model::label_keys::canonical_label_key;
use crate::model::near_miss::is_affirmation;
use crate::model::node_pool::NodePool;

/// A label that some pool has for certain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The first pool that has it.
    pub pool: usize,
    /// Its key, as written.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// Labels, by one of their two words.
#[derive(Debug, Default)]
struct Group {
    alike: Alike,
    labels: HashMap<String, Vec<Label>>,
}

impl Group {
    fn of(labels: Vec<(String, Label)>) -> Group {
        let mut group = Group::default();
        let mut words = Vec::new();
        for (word, label) in labels {
            if !group.labels.contains_key(&word) {
                words.push(word.clone());
            }
            group.labels.entry(word).or_default().push(label);
        }
        group.alike = Alike::of(words.iter().map(String::as_str));
        group
    }

    fn with<'g>(&'g self, word: &str) -> impl Iterator<Item = &'g Label> {
        self.labels.get(word).into_iter().flatten()
    }
}

fn groups(labels: HashMap<&str, Vec<(String, Label)>>) -> HashMap<String, Group> {
    let groups = labels.into_iter();
    let group = |(word, labels): (&str, Vec<(String, Label)>)| (word.to_owned(), Group::of(labels));
    groups.map(group).collect()
}

/// The labels of some pools.
#[derive(Debug, Default)]
pub struct ByLabel {
    pools: usize,
    /// The pools that have a label for certain, by the current name of its key.
    bearers: HashMap<String, HashSet<usize>>,
    /// The values that a label certainly has in some pool, by the current name of its key.
    values: HashMap<String, Group>,
    /// The keys, by value.
    keys: HashMap<String, Group>,
}

impl ByLabel {
    /// The labels of pools.
    pub fn of(pools: &[Arc<NodePool>]) -> ByLabel {
        let mut found = ByLabel {
            pools: pools.len(),
            ..ByLabel::default()
        };
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        let mut values: HashMap<&str, Vec<(String, Label)>> = HashMap::new();
        let mut keys: HashMap<&str, Vec<(String, Label)>> = HashMap::new();
        for (at, pool) in pools.iter().enumerate() {
            for (key, value) in &pool.labels.labels {
                let today = canonical_label_key(key);
                let Some(value) = value.known() else {
                    continue;
                };
                let bearers = found.bearers.entry(today.to_owned()).or_default();
                bearers.insert(at);
                if !seen.insert((key, value)) {
                    continue;
                }
                let label = Label {
                    pool: at,
                    key: key.clone(),
                    value: value.clone(),
                };
                let of_key = values.entry(today).or_default();
                of_key.push((value.clone(), label.clone()));
                keys.entry(value).or_default().push((key.clone(), label));
            }
        }
        found.values = groups(values);
        found.keys = groups(keys);
        found
    }

    /// The labels among which are all that are similar to this one, in the order of the pools.
    pub fn candidates(&self, key: &str, value: &str) -> BTreeSet<&Label> {
        let mut found = BTreeSet::new();
        if let Some(group) = self.values.get(canonical_label_key(key)) {
            let alike = group.alike.candidates(value);
            found.extend(alike.flat_map(|word| group.with(word)));
            if is_affirmation(value) {
                let all = group.labels.iter();
                let alike = all.filter(|(word, _)| is_affirmation(word));
                found.extend(alike.flat_map(|(_, labels)| labels));
            }
        }
        if let Some(group) = self.keys.get(value) {
            let alike = group.alike.candidates(key);
            found.extend(alike.flat_map(|word| group.with(word)));
        }
        found
    }

    /// The pools that may have a label: those that certainly have another value are left out.
    pub fn that_may_have(&self, key: &str, value: &str) -> impl Iterator<Item = usize> {
        let today = canonical_label_key(key);
        let bearers = self.bearers.get(today);
        let group = self.values.get(today);
        let with = group.into_iter().flat_map(move |group| group.with(value));
        let with = with.map(|label| label.pool);
        let others = match bearers.map_or(0, HashSet::len) == self.pools {
            true => 0..0,
            false => 0..self.pools,
        };
        let others = others.filter(move |at| bearers.is_none_or(|bearers| !bearers.contains(at)));
        with.chain(others)
    }
}
