//! The idiom of dedicated nodes: a label and a taint with the same key and the same value, so that a selector and a
//! toleration with both belong together. Where a workload's own two nearly agree, one of them is a slip.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeMap;

use super::habits::{Place, Seen, Weight, equal_value, is_blanket, places, telling_labels};
use super::near_miss::{is_affirmation, key_likeness};
use super::well_known::is_transient_key;
use super::workload::{Stands, Workload};

/// A toleration that nearly agrees with its own workload's selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `key` or `value`: in what they differ.
    pub field: &'static str,
    /// The label that the workload selects.
    pub label: String,
    /// Its value.
    pub value: String,
    /// Others whose selector and toleration agree about this key, and those who pair the two as this one does.
    pub weight: Weight,
    /// Where some of those who agree stand.
    pub places: Vec<Place>,
}

/// Two texts that nearly agree: label key and toleration key, or the two values of one key.
type Pair<'g> = (&'static str, &'g str, &'g str);

/// Which selectors and tolerations go together in the parts of a repository.
#[derive(Debug, Default)]
pub struct Dedication<'g> {
    /// By part and key: those whose label and toleration have the same key and value.
    agreeing: BTreeMap<(usize, &'g str), Seen>,
    /// By part: those who pair two texts that nearly agree.
    nearly: BTreeMap<(usize, Pair<'g>), Seen>,
}

impl<'g> Dedication<'g> {
    /// Hears all workloads; `heard` gives the part of each and who it is.
    pub fn hear(workloads: &'g [Workload], heard: &[(usize, u32)]) -> Dedication<'g> {
        let mut dedication = Dedication::default();
        for (at, (workload, (part, who))) in workloads.iter().zip(heard).enumerate() {
            for (entry, toleration) in workload.shape.tolerations.iter().enumerate() {
                let place = Place {
                    workload: at,
                    entry,
                };
                let Some((key, value)) = toleration.key.known().zip(equal_value(toleration)) else {
                    continue;
                };
                if telling_labels(workload).any(|label| label == (key.as_str(), value)) {
                    let seen = dedication.agreeing.entry((*part, key)).or_default();
                    seen.entry(*who).or_insert(place);
                }
                for (pair, _) in nearly(workload, entry) {
                    let seen = dedication.nearly.entry((*part, pair)).or_default();
                    seen.entry(*who).or_insert(place);
                }
            }
        }
        dedication
    }

    /// Where an entry nearly agrees with a label that its own workload selects.
    pub fn mismatches(&self, workload: &Workload, part: usize, entry: usize) -> Vec<Mismatch> {
        let found = nearly(workload, entry)
            .into_iter()
            .filter_map(|(pair, value)| {
                let (field, one, other) = pair;
                let deviating = self.nearly.get(&(part, pair)).map_or(1, BTreeMap::len);
                let keys: &[&str] = match field {
                    "key" => &[one, other],
                    _ => &[workload.shape.tolerations[entry]
                        .key
                        .text()
                        .unwrap_or_default()],
                };
                let theirs = keys
                    .iter()
                    .filter_map(|key| self.agreeing.get(&(part, *key)))
                    .max_by_key(|seen| seen.len());
                let weight = Weight {
                    agreeing: theirs.map_or(0, BTreeMap::len),
                    deviating,
                };
                // What is always done so is meant so.
                (deviating == 1 || weight.strength() >= 0).then(|| Mismatch {
                    field,
                    label: match field {
                        "key" => one.to_owned(),
                        _ => keys.first().copied().unwrap_or_default().to_owned(),
                    },
                    value: value.to_owned(),
                    weight,
                    places: theirs.map(places).unwrap_or_default(),
                })
            });
        found.collect()
    }
}

/// What of its workload's selector an entry nearly agrees with: the pair, and the value that is selected.
fn nearly(workload: &Workload, entry: usize) -> Vec<(Pair<'_>, &str)> {
    let list = &workload.shape.tolerations;
    let mut found = Vec::new();
    let Some(toleration) = list.get(entry) else {
        return found;
    };
    let (Some(key), Some(value)) = (toleration.key.known(), equal_value(toleration)) else {
        return found;
    };
    if names_nothing(value)
        || is_transient_key(key)
        || workload.stands != Stands::Alone
        || list.iter().any(is_blanket)
    {
        return found;
    }
    let selected = telling_labels(workload).find(|(label, _)| label == key);
    match selected {
        Some((_, selected)) if selected == value || names_nothing(selected) => {}
        Some((_, selected)) => {
            // One entry for each value of several is no slip; one that takes any value covers the selected one.
            let covered = list.iter().enumerate().any(|(at, other)| {
                at != entry
                    && other.key == toleration.key
                    && equal_value(other).is_none_or(|other| other == selected)
            });
            if !covered {
                found.push((("value", selected, value), selected));
            }
        }
        None => {
            for (label, selected) in telling_labels(workload) {
                let covered = list
                    .iter()
                    .any(|other| other.key.known().is_some_and(|other| other == label));
                if selected == value && !covered && key_likeness(label, key).is_some() {
                    found.push((("key", label, key.as_str()), selected));
                }
            }
        }
    }
    found
}

/// Whether a value does not say whose the node is.
fn names_nothing(value: &str) -> bool {
    const OF_TAINTS: [&str; 5] = ["dedicated", "exclusive", "false", "only", "reserved"];
    value.is_empty() || is_affirmation(value) || OF_TAINTS.contains(&value)
}
