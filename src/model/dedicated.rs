//! The idiom of dedicated nodes: a label and a taint with the same key and value, so that a selector and a toleration with
//! both belong together. If the two nearly agree in one workload, one of them is probably a typo.

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

/// A toleration that nearly agrees with the selector of its own workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The field that differs: `key` or `value`.
    pub field: &'static str,
    /// The label that the workload selects.
    pub label: String,
    /// Its value.
    pub value: String,
    /// How many others have a selector and toleration that agree on this key, and how many have this same mismatch.
    pub weight: Weight,
    /// Where some of the agreeing tolerations are written.
    pub places: Vec<Place>,
}

/// Two strings that nearly agree: label key and toleration key, or the two values of one key.
type Pair<'g> = (&'static str, &'g str, &'g str);

/// Which selectors and tolerations belong together in each part of a repository.
#[derive(Debug, Default)]
pub struct Dedication<'g> {
    /// By part and key: the workloads whose label and toleration have the same key and value.
    agreeing: BTreeMap<(usize, &'g str), Seen>,
    /// By part: the workloads with two strings that nearly agree.
    nearly: BTreeMap<(usize, Pair<'g>), Seen>,
}

impl<'g> Dedication<'g> {
    /// Collects facts from all workloads; `heard` contains the part and the identity of each.
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

    /// Returns the labels selected by the workload with which an entry nearly agrees.
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
                // A mismatch that several workloads share is intentional unless most others agree on the label.
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

/// Returns the parts of the workload's selector with which an entry nearly agrees, each with the selected value.
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
            // Separate entries for several values are not a typo, and an entry for any value covers the selected one.
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

/// Whether a value does not name an owner of the node.
fn names_nothing(value: &str) -> bool {
    const OF_TAINTS: [&str; 5] = ["dedicated", "exclusive", "false", "only", "reserved"];
    value.is_empty() || is_affirmation(value) || OF_TAINTS.contains(&value)
}
