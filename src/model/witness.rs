//! Evidence from workloads if no pools can be read: which keys, values and effects a cluster's tolerations use, and which
//! toleration goes with which selector. What nearly all workloads do is evidence against the one that differs. A witness is
//! one named object, however many copies of its manifest exist; unreadable workloads are no witnesses.

use std::collections::{BTreeMap, BTreeSet};

use super::habits::{
    Habits, Place, Usual, Weight, equal_value, is_blanket, is_told_in_full, telling_labels,
};
use super::near_miss::{Likeness, key_likeness};
use super::toleration::Toleration;
use super::well_known::{WellKnown, is_transient_key};
use super::workload::Workload;

/// A field of an entry that differs from nearly all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// `key`, `value` or `effect`.
    pub field: &'static str,
    /// The entry's text; empty if missing.
    pub written: String,
    /// The text of the others; empty if missing, or if they differ from each other.
    pub usual: String,
    /// For keys, how the two are similar.
    pub likeness: Option<Likeness>,
    /// How many agree and how many deviate.
    pub weight: Weight,
    /// Where some of the others are written.
    pub places: Vec<Place>,
}

/// A toleration that nearly all workloads for the same nodes have, and one lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The most frequent form of the entry.
    pub entry: Toleration,
    /// What the workloads have in common: a label that they select, as `key: value`, or their folder.
    pub common: String,
    /// What kind of thing that is: `label`, `folder`, `release`, `name` or `application`.
    pub bond: &'static str,
    /// How many have it and how many lack it.
    pub weight: Weight,
    /// Where some of the entries are written.
    pub places: Vec<Place>,
}

/// The evidence from the workloads of a repository, by part.
#[derive(Debug)]
pub struct Witnesses<'g> {
    parts: Vec<Habits<'g>>,
    declared: &'g BTreeSet<String>,
    well_known: &'g WellKnown,
}

impl<'g> Witnesses<'g> {
    /// Collects evidence from all workloads. `heard` contains, for each workload, the number of its part of the repository
    /// and the number of its identity; `declared` contains the keys of pools, which need no evidence.
    pub fn hear(
        workloads: &'g [Workload],
        heard: &[(usize, u32)],
        declared: &'g BTreeSet<String>,
        well_known: &'g WellKnown,
    ) -> Witnesses<'g> {
        let count = heard.iter().map(|(part, _)| part + 1).max().unwrap_or(0);
        let mut parts: Vec<Habits<'g>> = Vec::new();
        parts.resize_with(count, Habits::default);
        for (at, (workload, (part, who))) in workloads.iter().zip(heard).enumerate() {
            if let Some(habits) = parts.get_mut(*part) {
                habits.hear(at, workload, *who);
            }
        }
        for habits in &mut parts {
            habits.conclude();
        }
        Witnesses {
            parts,
            declared,
            well_known,
        }
    }

    /// Returns how one entry of a workload differs from nearly all others of its part.
    pub fn deviations(&self, workload: &Workload, part: usize, entry: usize) -> Vec<Deviation> {
        let list = &workload.shape.tolerations;
        let (Some(habits), Some(entry)) = (self.parts.get(part), list.get(entry)) else {
            return Vec::new();
        };
        let Some(key) = entry.key.known().map(String::as_str) else {
            return Vec::new();
        };
        let Some(used) = habits.keys.get(key) else {
            return Vec::new();
        };
        if self.declared.contains(key) || is_transient_key(key) {
            return Vec::new();
        }
        let same_key = || list.iter().filter(|other| other.key == entry.key);
        let row = self.well_known.find(key);
        let mut found = Vec::new();
        let mut add = |field, written: &str, usual: &Usual<'_>, likeness| {
            found.push(Deviation {
                field,
                written: written.to_owned(),
                usual: usual.text.to_owned(),
                likeness,
                weight: usual.weight,
                places: usual.places.clone(),
            });
        };
        if row.is_none()
            && let Some((usual, likeness)) = &used.other_key
        {
            add("key", key, usual, Some(*likeness));
        }
        if let Some(value) = equal_value(entry)
            && let Some(usual) = used.other_values.get(value)
            && row.is_none_or(|row| !row.values.iter().any(|known| known == value))
        {
            // Another entry for the usual value, or for any value, compensates for this one.
            let made_up = same_key().any(|other| {
                equal_value(other).is_none_or(|other| other != value && !other.is_empty())
            });
            if !made_up {
                add("value", value, usual, None);
            }
        }
        if let Some(effect) = entry.effect.text().filter(|effect| !effect.is_empty())
            && let Some(usual) = &used.usual_effect
            && row.is_none_or(|row| !row.effects.iter().any(|known| known.as_str() == effect))
        {
            let covered = same_key().any(|other| {
                let other = other.effect.text().unwrap_or_default();
                other.is_empty() || other == usual.text
            });
            if !covered {
                add("effect", effect, usual, None);
            }
        }
        // Asked last, because it looks at the whole list.
        if !found.is_empty() && list.iter().any(is_blanket) {
            return Vec::new();
        }
        found
    }

    /// Returns the tolerations that nearly all workloads of the same part with the same label have and this one lacks,
    /// strongest first.
    pub fn missing(&self, workload: &Workload, part: usize) -> Vec<Missing> {
        let list = &workload.shape.tolerations;
        let Some(habits) = self.parts.get(part) else {
            return Vec::new();
        };
        if !is_told_in_full(workload) || list.iter().any(is_blanket) {
            return Vec::new();
        }
        let has = |key: &str| {
            let own = |own: &str| own == key || key_likeness(own, key).is_some();
            list.iter()
                .any(|entry| entry.key.known().is_some_and(|key| own(key)))
                || workload.shape.extended_resources.contains(key)
                || workload.shape.on_pods.may_be_given(key)
        };
        let mut found: BTreeMap<&str, Missing> = BTreeMap::new();
        for label in telling_labels(workload) {
            let Some(used) = habits.labels.get(&label) else {
                continue;
            };
            for (usual, entry) in &used.usual {
                let stronger = found
                    .get(usual.text)
                    .is_none_or(|known| usual.weight.strength() > known.weight.strength());
                if stronger && !has(usual.text) {
                    let value = if label.1.is_empty() { "\"\"" } else { label.1 };
                    let missing = Missing {
                        entry: (*entry).clone(),
                        common: format!("{}: {value}", label.0),
                        bond: "label",
                        weight: usual.weight,
                        places: usual.places.clone(),
                    };
                    found.insert(usual.text, missing);
                }
            }
        }
        let mut found: Vec<Missing> = found.into_values().collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.weight.strength()));
        found
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::Field;
    use crate::model::workload::{Level, PodShape, Stands};

    fn weight(agreeing: usize, deviating: usize) -> Weight {
        Weight {
            agreeing,
            deviating,
        }
    }

    #[test]
    fn strength_grows_with_the_share_and_with_the_number() {
        for (agreeing, deviating, strength) in [
            (4, 1, 0),
            (8, 2, 0),
            (9, 1, 7),
            (10, 1, 9),
            (11, 1, 10),
            (12, 1, 11),
            (24, 1, 20),
            (3, 1, -3),
            (70, 30, -25),
        ] {
            let found = weight(agreeing, deviating).strength();
            assert_eq!(found, strength, "{agreeing} to {deviating}");
        }
    }

    #[test]
    fn three_of_three_are_no_habit() {
        assert!(weight(4, 1).tells() && !weight(3, 0).tells() && !weight(9, 3).tells());
    }

    fn entry(key: &str, value: Field<String>, effect: &str) -> Toleration {
        Toleration {
            key: Field::Is(key.to_owned()),
            value,
            effect: Field::Is(effect.to_owned()),
            ..Toleration::default()
        }
    }

    fn workload(list: Vec<Toleration>) -> Workload {
        let shape = PodShape {
            kind: "Job".to_owned(),
            api_group: "batch".to_owned(),
            level: Level::Typed,
            tolerations: list,
            on_pods: crate::model::admission::PodTolerations::default(),
            possible: Vec::new(),
            unread_tolerations: None,
            selection: crate::model::node_selection::NodeSelection::default(),
            prefers: false,
            node_name: Field::Absent,
            priority_class: Field::Absent,
            runtime_class: Field::Absent,
            host_network: Field::Absent,
            extended_resources: BTreeSet::new(),
            resources_unread: false,
            qos_class: Field::Unknown,
            system: crate::model::Truth::No,
            on_openshift: false,
            refused: None,
            character: crate::model::character::Character::default(),
        };
        Workload {
            object: crate::finding::Object::default(),
            labels: [].into(),
            annotations: [].into(),
            shape: Arc::new(shape),
            source: crate::source::SourceId(0),
            span: crate::source::Span::new(crate::source::SourceId(0), 0..0),
            path: String::new(),
            component: None,
            pods_in: None,
            list: None,
            located: [].into(),
            selectors: [].into(),
            stands: Stands::Alone,
            delivered_to: thin_vec::ThinVec::new(),
        }
    }

    /// Returns the fields in which the last of these deviates, with the usual text.
    fn deviations(lists: Vec<Vec<Toleration>>) -> Vec<(&'static str, String)> {
        let workloads: Vec<Workload> = lists.into_iter().map(workload).collect();
        let heard: Vec<(usize, u32)> = (0..).map(|who| (0, who)).take(workloads.len()).collect();
        let (declared, well_known) = (BTreeSet::new(), WellKnown::default());
        let witnesses = Witnesses::hear(&workloads, &heard, &declared, &well_known);
        let last = workloads.last().unwrap();
        let found = witnesses.deviations(last, 0, 0).into_iter();
        found.map(|one| (one.field, one.usual)).collect()
    }

    fn is(value: &str) -> Field<String> {
        Field::Is(value.to_owned())
    }

    #[test]
    fn what_could_not_be_read_is_no_witness_and_does_not_deviate() {
        let good = || vec![entry("team/pool", is("true"), "NoExecute")];
        let many = |last: Toleration| {
            let mut all: Vec<_> = (0..9).map(|_| good()).collect();
            all.push(vec![last]);
            deviations(all)
        };
        assert_eq!(many(entry("team/pool", Field::Unknown, "NoExecute")), []);
        let absent = entry("team/pool", Field::Absent, "NoExecute");
        assert_eq!(many(absent), [("value", "true".to_owned())]);
        let mut unread: Vec<_> = (0..9)
            .map(|_| vec![entry("team/pool", Field::Unknown, "NoExecute")])
            .collect();
        unread.push(vec![entry("team/pool", Field::Absent, "NoExecute")]);
        assert_eq!(deviations(unread), []);
    }

    #[test]
    fn values_that_all_differ_speak_only_against_none() {
        let mut all: Vec<_> = ["a", "b", "c", "d", "e"]
            .map(|team| vec![entry("team/pool", is(team), "NoExecute")])
            .into();
        all.push(vec![entry("team/pool", is("f"), "NoExecute")]);
        assert_eq!(deviations(all.clone()), []);
        all.push(vec![entry("team/pool", Field::Absent, "NoExecute")]);
        assert_eq!(deviations(all), [("value", String::new())]);
    }

    #[test]
    fn two_keys_that_many_write_are_two_keys() {
        let some = |key: &str, times: usize| {
            let list = vec![entry(key, Field::Absent, "NoExecute")];
            vec![list; times]
        };
        let both = [some("team-io/pool", 12), some("team.io/pool", 5)].concat();
        assert_eq!(deviations(both), []);
        let one = [some("team-io/pool", 12), some("team.io/pool", 1)].concat();
        assert_eq!(deviations(one), [("key", "team-io/pool".to_owned())]);
    }

    #[test]
    fn hearing_many_workloads_with_keys_of_their_own_takes_no_time_for_pairs() {
        let lists = (0..20_000).map(|at| vec![entry(&format!("k{at}/pool"), is("x"), "NoExecute")]);
        assert_eq!(deviations(lists.collect()), []);
    }
}
