//! Testimony of the other workloads of a repository about each workload, also as facts under the names of the rule
//! language.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::assignment::Assignment;
use super::gather::Gathered;
use crate::model::cluster::Part;
use crate::model::dedicated::{Dedication, Mismatch};
use crate::model::habits::{Place as Seen, Weight};
use crate::model::siblings;
use crate::model::toleration::Toleration;
use crate::model::well_known::WellKnown;
use crate::model::witness::{Deviation, Missing, Witnesses};
use crate::model::workload::{PodShape, Workload};
use crate::rule::fact::{Fact, FactBuilder, FactKind, Place};
use crate::source::path::folder;

/// The ways in which other workloads differ from one workload.
#[derive(Debug, Default)]
pub struct Testimony {
    /// By index of its tolerations, or empty if there are none.
    deviations: Vec<Vec<Deviation>>,
    mismatches: Vec<Vec<Mismatch>>,
    missing: Vec<Missing>,
    siblings: Vec<Missing>,
}

/// The testimony about each workload. Index 0 is no testimony, which most workloads have.
#[derive(Debug)]
pub struct Testimonies {
    all: Vec<Testimony>,
    of_workload: Vec<usize>,
}

impl Testimonies {
    /// Collects testimony from all workloads. `declared` are the keys of pools.
    pub fn new(
        gathered: &Gathered,
        assignment: &Assignment,
        declared: &BTreeSet<String>,
        well_known: &WellKnown,
    ) -> Testimonies {
        let workloads = &gathered.workloads;
        let heard = heard(gathered, assignment);
        let witnesses = Witnesses::hear(workloads, &heard, declared, well_known);
        let dedication = Dedication::hear(workloads, &heard);
        let of_folder = |workload: &Workload| folder_of(gathered, workload);
        let mut siblings = siblings::lacking(workloads, &heard, &of_folder);
        let mut all = vec![Testimony::default()];
        let mut add = |testimony: Testimony| {
            if testimony.is_empty() {
                return 0;
            }
            all.push(testimony);
            all.len() - 1
        };
        // Workloads of one shape in one part get the same testimony, apart from their siblings.
        let mut known: HashMap<(*const PodShape, usize), usize> = HashMap::new();
        let mut of_workload = Vec::with_capacity(workloads.len());
        for (at, (workload, (part, _))) in workloads.iter().zip(&heard).enumerate() {
            let speak = || Testimony::about(workload, *part, &witnesses, &dedication, declared);
            let number = match siblings.remove(&at) {
                Some(siblings) => add(Testimony {
                    siblings,
                    ..speak()
                }),
                None => {
                    let same = (Arc::as_ptr(&workload.shape), *part);
                    *known.entry(same).or_insert_with(|| add(speak()))
                }
            };
            of_workload.push(number);
        }
        Testimonies { all, of_workload }
    }

    /// The index of the testimony about a workload. Most have 0, which is none.
    pub fn number(&self, workload: usize) -> usize {
        self.of_workload.get(workload).copied().unwrap_or_default()
    }

    /// The testimony with this index.
    pub fn get(&self, number: usize) -> Option<&Testimony> {
        self.all.get(number)
    }
}

/// For each workload the index of its part of the repository and of its identity. Copies of one manifest are identical.
fn heard(gathered: &Gathered, assignment: &Assignment) -> Vec<(usize, u32)> {
    let mut parts = BTreeMap::new();
    let mut of_source = HashMap::new();
    let mut identities: HashMap<(&str, &str, &str), u32> = HashMap::new();
    gathered
        .workloads
        .iter()
        .zip(&assignment.of_workload)
        .map(|(workload, cluster)| {
            let part = *of_source
                .entry((workload.source, *cluster))
                .or_insert_with(|| {
                    let path = gathered.scanned_path(workload.source);
                    let next = parts.len();
                    *parts.entry((*cluster, Part::of(path))).or_insert(next)
                });
            let object = &workload.object;
            // Anything without a name, such as Helm values, is identified by its folder.
            let name = object.name.as_deref().unwrap_or_else(|| {
                let folder = folder_of(gathered, workload);
                folder.rsplit('/').next().unwrap_or_default()
            });
            let identity = (object.kind.as_str(), name, workload.path.as_str());
            let next = u32::try_from(identities.len()).unwrap_or(u32::MAX);
            (part, *identities.entry(identity).or_insert(next))
        })
        .collect()
}

fn folder_of<'g>(gathered: &'g Gathered, workload: &Workload) -> &'g str {
    folder(gathered.path(workload.source))
}

impl Testimony {
    fn about(
        workload: &Workload,
        part: usize,
        witnesses: &Witnesses<'_>,
        dedication: &Dedication<'_>,
        declared: &BTreeSet<String>,
    ) -> Testimony {
        let list = &workload.shape.tolerations;
        let deviations: Vec<_> = (0..list.len())
            .map(|entry| witnesses.deviations(workload, part, entry))
            .collect();
        // If a pool declares the key, the pool decides what is right.
        let free = |entry: &Toleration| entry.key.known().is_none_or(|key| !declared.contains(key));
        let mismatches: Vec<_> = list
            .iter()
            .enumerate()
            .map(|(at, entry)| match free(entry) {
                true => dedication.mismatches(workload, part, at),
                false => Vec::new(),
            })
            .collect();
        Testimony {
            deviations: unless_all_empty(deviations),
            mismatches: unless_all_empty(mismatches),
            missing: witnesses.missing(workload, part),
            siblings: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.deviations.is_empty()
            && self.mismatches.is_empty()
            && self.missing.is_empty()
            && self.siblings.is_empty()
    }

    /// The field of an entry that others write differently, or empty if there is none.
    pub fn deviating_field(&self, entry: usize) -> &'static str {
        let first = self.deviations.get(entry).and_then(|list| list.first());
        first.map_or("", |deviation| deviation.field)
    }

    /// `deviations` and `selectorMismatches` of an entry.
    pub fn of_entry(&self, builder: FactBuilder, entry: usize, gathered: &Gathered) -> FactBuilder {
        let deviations = self.deviations.get(entry).into_iter().flatten().map(|one| {
            let fact = FactBuilder::new(FactKind::Deviation)
                .text("field", one.field)
                .text("written", one.written.clone())
                .text("usual", one.usual.clone())
                .text(
                    "likeness",
                    one.likeness.map_or("", |likeness| likeness.as_str()),
                );
            weighed(fact, one.weight, &one.places, gathered)
        });
        let mismatches = self.mismatches.get(entry).into_iter().flatten().map(|one| {
            let fact = FactBuilder::new(FactKind::SelectorMismatch)
                .text("field", one.field)
                .text("label", one.label.clone())
                .text("value", one.value.clone())
                .place(Some(Place::Selector(one.label.clone())));
            weighed(fact, one.weight, &one.places, gathered)
        });
        builder
            .facts("deviations", deviations)
            .facts("selectorMismatches", mismatches)
    }

    /// `usualTolerations` and `siblingTolerations` of a workload.
    pub fn of_workload(&self, builder: FactBuilder, gathered: &Gathered) -> FactBuilder {
        let missing = |list: &[Missing]| -> Vec<Fact> {
            list.iter()
                .map(|one| {
                    let fact = FactBuilder::new(FactKind::UsualToleration)
                        .field("key", &one.entry.key, "")
                        .text("text", line(&one.entry))
                        .text("common", one.common.clone())
                        .text("bond", one.bond);
                    weighed(fact, one.weight, &one.places, gathered)
                })
                .collect()
        };
        builder
            .facts("usualTolerations", missing(&self.missing))
            .facts("siblingTolerations", missing(&self.siblings))
    }
}

fn unless_all_empty<T>(lists: Vec<Vec<T>>) -> Vec<Vec<T>> {
    if lists.iter().all(Vec::is_empty) {
        Vec::new()
    } else {
        lists
    }
}

fn weighed(builder: FactBuilder, weight: Weight, places: &[Seen], gathered: &Gathered) -> Fact {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let witnesses = places.iter().filter_map(|place| {
        let workload = gathered.workloads.get(place.workload)?;
        let entry = workload.located.get(place.entry)?.entry;
        let witness = FactBuilder::new(FactKind::Witness)
            .text("kind", workload.object.kind.clone())
            .text("name", workload.object.name.clone().unwrap_or_default())
            .place(Some(Place::Span(entry)));
        Some(witness.build())
    });
    builder
        .int("agreeing", count(weight.agreeing))
        .int("deviating", count(weight.deviating))
        .int("strength", weight.strength())
        .facts("witnesses", witnesses)
        .build()
}

/// An entry as a single line.
fn line(entry: &Toleration) -> String {
    let mut fields = Vec::new();
    for (name, field) in [
        ("key", &entry.key),
        ("operator", &entry.operator),
        ("value", &entry.value),
        ("effect", &entry.effect),
    ] {
        match field.text() {
            Some("") => {}
            Some(text) if name == "value" => fields.push(format!("value: \"{text}\"")),
            Some(text) => fields.push(format!("{name}: {text}")),
            None => fields.push(format!("{name}: …")),
        }
    }
    format!("- {{{}}}", fields.join(", "))
}
