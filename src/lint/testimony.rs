//! What the workloads of a repository bear witness to, for each workload, and as facts under the names of the rule
//! language.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::cluster::Assignment;
use super::gather::{Gathered, folder};
use crate::model::cluster::Part;
use crate::model::dedicated::{Dedication, Mismatch};
use crate::model::habits::{Place as Seen, Weight};
use crate::model::siblings;
use crate::model::toleration::Toleration;
use crate::model::well_known::WellKnown;
use crate::model::witness::{Deviation, Missing, Witnesses};
use crate::model::workload::{PodShape, Workload};
use crate::rule::fact::{Fact, FactBuilder, FactKind, Place};

/// What others say that one workload does not.
#[derive(Debug, Default)]
pub struct Testimony {
    /// By entry of its tolerations; empty when there is nothing.
    deviations: Vec<Vec<Deviation>>,
    mismatches: Vec<Vec<Mismatch>>,
    missing: Vec<Missing>,
    siblings: Vec<Missing>,
}

/// Testimony about each workload. Most have none, which is the first.
#[derive(Debug)]
pub struct Testimonies {
    all: Vec<Testimony>,
    of_workload: Vec<usize>,
}

impl Testimonies {
    /// Hears all workloads and finds those of which others say something else. `declared` are the keys of pools.
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
        // Workloads of one shape in one part are told the same, apart from their siblings.
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

    /// The number of the testimony about a workload; that of most is 0, which is none.
    pub fn number(&self, workload: usize) -> usize {
        self.of_workload.get(workload).copied().unwrap_or_default()
    }

    /// The testimony of a number.
    pub fn get(&self, number: usize) -> Option<&Testimony> {
        self.all.get(number)
    }
}

/// For each workload the number of its part of the repository, and of who it is: copies of one manifest are one.
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
            // What has no name is known by the folder that it stands in, as Helm values are.
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
        // Of a key that a pool has, the pool says what is right.
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

    /// The field of an entry that others write in another way; empty when there is none.
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
                        .text("common", one.common.clone());
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

/// An entry as the line that one would write.
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
