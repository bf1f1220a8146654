//! "Did you mean" suggestions from the taints of a workload's own cluster, for an entry that matches none. Ranked by edit
//! distance, then by what the workload selects. Candidates that tie are all named.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use super::facts::entry_fact;
use super::own_list::OwnList;
use super::search::ClusterFacts;
use crate::model::Truth;
use crate::model::near_miss::{Likeness, key_distance, key_likeness, tells, value_distance};
use crate::model::node_pool::Origin;
use crate::model::toleration::Toleration;
use crate::model::vocabulary::Meant;
use crate::model::workload::PodShape;
use crate::rule::fact::{Fact, FactBuilder, FactKind, Place};

/// A taint by the indices of its pool and of itself, with its distance. Lower is nearer.
struct Candidate<N> {
    pool: usize,
    at: usize,
    nearness: N,
}

/// A key similar to another one.
struct NearKey<'k> {
    key: &'k str,
    likeness: Likeness,
    distance: usize,
    /// Whether the workload selects a pool with it.
    selected: bool,
    /// The pool and taint of the cluster that declare it.
    declared: Option<(usize, usize)>,
    /// What else is known of it.
    meant: Meant<'k>,
}

impl ClusterFacts<'_> {
    /// The same fields as `mismatches`, unknown, for an entry whose matches are unknown.
    pub fn open_mismatches(builder: FactBuilder) -> FactBuilder {
        const NAMES: [&str; 4] = [
            "otherValues",
            "otherEffects",
            "nearestValues",
            "nearestEffects",
        ];
        NAMES.into_iter().fold(builder, FactBuilder::unknown)
    }

    /// Taints with the entry's own key that nothing in the list tolerates: those that its effect covers but whose value
    /// differs, and those of another effect. Tolerations that may be added to the pod do not correct this entry.
    pub fn mismatches(
        &self,
        builder: FactBuilder,
        own: &OwnList<'_>,
        entry: &Toleration,
    ) -> FactBuilder {
        let shape = own.shape;
        let (mut values, mut effects) = (Vec::new(), Vec::new());
        let selected = || {
            let asks = !shape.selection.is_empty();
            asks.then(|| self.selectable(&shape.selection)).flatten()
        };
        let places = self.by_key.to_compare(entry, selected);
        for ((pool, at), taint) in self.taints_at(places) {
            if taint.origin == Origin::Startup {
                continue;
            }
            // A taint with an invalid effect is an error itself, so comparing with it is useless.
            if taint.taint.effect().is_none() && !taint.taint.effect.is_unknown() {
                continue;
            }
            match own.tolerates(&taint.taint) {
                Truth::Yes => continue,
                Truth::Unknown => return Self::open_mismatches(builder),
                Truth::No => {}
            }
            let covers_effect = entry.effect.text().is_none_or(|effect| {
                effect.is_empty() || taint.taint.effect.text() == Some(effect)
            });
            let (written, theirs) = (entry.value.text(), taint.taint.value.text());
            let same = entry.operator.text() == Some("Exists") || written == theirs;
            let distance = written
                .zip(theirs)
                .and_then(|(written, theirs)| value_distance(written, theirs));
            let nearness = match (same, distance) {
                (true, _) => 0,
                (false, Some(distance)) => distance.max(1),
                (false, None) => usize::MAX,
            };
            let list = if covers_effect {
                &mut values
            } else {
                &mut effects
            };
            list.push(Candidate { pool, at, nearness });
        }
        let builder = self.ranked(builder, shape, values, ["otherValues", "nearestValues"]);
        self.ranked(builder, shape, effects, ["otherEffects", "nearestEffects"])
    }

    /// All candidates, nearest first, and those that tie with the first.
    fn ranked<N: Ord + Copy>(
        &self,
        builder: FactBuilder,
        shape: &PodShape,
        mut candidates: Vec<Candidate<N>>,
        [all, nearest]: [&'static str; 2],
    ) -> FactBuilder {
        let rank = |one: &Candidate<N>| (one.nearness, !self.is_selected(shape, one.pool));
        candidates.sort_by_cached_key(rank);
        let first = candidates.first().map(rank);
        let is_first = |one: &&Candidate<N>| Some(rank(one)) == first;
        let firsts = candidates.iter().take_while(is_first);
        let fact = |one: &Candidate<N>| self.taints[one.pool][one.at].clone();
        builder
            .facts(all, candidates.iter().map(fact))
            .facts(nearest, firsts.map(fact))
    }

    /// Whether the workload selects nodes and its selection matches a pool.
    pub fn is_selected(&self, shape: &PodShape, pool: usize) -> bool {
        let labels = &self.models[pool].labels;
        !shape.selection.is_empty()
            && (shape.selection.selects(labels, None) == Truth::Yes
                || shape.selection.selects_kind(labels, None) == Truth::Yes)
    }

    /// The first entry of the list with a probable misspelling of the key that replaced this entry's key.
    pub fn misspelt_beside(
        &self,
        builder: FactBuilder,
        shape: &PodShape,
        entry: &Toleration,
    ) -> FactBuilder {
        let key = entry.key.known().map(String::as_str).unwrap_or_default();
        let row = self.well_known.find(key);
        let today = row.map_or("", |row| row.replaced_by.as_str());
        // Real lists are short. The limit avoids quadratic work on long ones.
        let list = shape.tolerations.iter().enumerate().take(64);
        let is_meant = |other: &Toleration| {
            let written = other.key.known().map(String::as_str).unwrap_or_default();
            !written.is_empty()
                && written != today
                && self.well_known.find(written).is_none()
                && key_likeness(written, today)
                    .is_some_and(|likeness| tells(written, today, likeness))
        };
        let mut found = list.filter(|(_, other)| !today.is_empty() && is_meant(other));
        let fact = |(at, other): (usize, &Toleration)| {
            entry_fact(other, at, self.comparison_operators).build()
        };
        builder.facts("misspeltBeside", found.next().map(fact))
    }

    /// `nearKeys` and `nearestKeys`: the keys that the entry's key is probably a misspelling of.
    pub fn near_keys(
        &self,
        builder: FactBuilder,
        own: &OwnList<'_>,
        entry: &Toleration,
    ) -> FactBuilder {
        let found = self.find_near_keys(own, entry);
        let rank = |near: &NearKey<'_>| {
            let is_known_only = near.declared.is_none();
            let letters = (near.likeness.rank(), near.distance);
            (is_known_only, letters, !near.selected)
        };
        let first = found.first().map(rank);
        let nearest = found.iter().take_while(|near| Some(rank(near)) == first);
        let fact = |near: &NearKey<'_>| -> Fact {
            let place = match near.declared {
                Some((pool, at)) => self.taints[pool][at].place().cloned(),
                None => near.meant.place.map(Place::Span),
            };
            let fact = FactBuilder::new(FactKind::NearKey)
                .text("key", near.key)
                .text("likeness", near.likeness.as_str())
                .bool("declared", near.declared.is_some());
            standing(fact, &near.meant).place(place).build()
        };
        builder
            .facts("nearestKeys", nearest.map(fact))
            .facts("nearKeys", found.iter().map(fact))
    }

    /// `nearValues`: the value that the entry's value is probably a misspelling of.
    pub fn near_value(
        &self,
        builder: FactBuilder,
        own: &OwnList<'_>,
        entry: &Toleration,
    ) -> FactBuilder {
        let (Some(key), Some(value)) = (entry.key.text(), entry.value.text()) else {
            return builder.facts("nearValues", []);
        };
        let is_equal = entry.effective_operator() == Some("Equal") && !value.is_empty();
        let meant = is_equal.then(|| self.vocabulary.meant_taint_value(key, value));
        // If one list contains both values, they are deliberate.
        let is_made_up = |meant: &Meant<'_>| own.covers(key, meant.word);
        let meant = meant.flatten().filter(|meant| !is_made_up(meant));
        let fact = meant.map(|meant| {
            let fact = FactBuilder::new(FactKind::NearValue).text("value", meant.word);
            let place = meant.place.map(Place::Span);
            standing(fact, &meant).place(place).build()
        });
        builder.facts("nearValues", fact)
    }

    fn find_near_keys(&self, own: &OwnList<'_>, entry: &Toleration) -> Vec<NearKey<'_>> {
        let Some(key) = entry.key.known().filter(|key| !key.is_empty()) else {
            return Vec::new();
        };
        if self.vocabulary.declares_taint(key) || self.well_known.find(key).is_some() {
            return Vec::new();
        }
        // If one list contains both spellings, they are deliberate.
        let deliberate = |candidate: &str| own.names(candidate);
        let mut found: Vec<NearKey<'_>> = Vec::new();
        let declared = self.by_key.alike().candidates(key).flat_map(|candidate| {
            let places = self.by_key.with(candidate).iter();
            places.map(move |place| (candidate, Some(*place)))
        });
        let known = self.known_keys();
        let known = known.candidates(key).map(|candidate| (candidate, None));
        for (candidate, declared) in declared.chain(known) {
            let Some(likeness) = key_likeness(key, candidate) else {
                continue;
            };
            let tells = declared.is_some() || tells(key, candidate, likeness);
            if !tells || deliberate(candidate) {
                continue;
            }
            let selected = declared.is_some_and(|(pool, _)| self.is_selected(own.shape, pool));
            match found.iter_mut().find(|near| near.key == candidate) {
                Some(near) if selected && !near.selected => {
                    (near.selected, near.declared) = (true, declared);
                }
                Some(_) => {}
                None => found.push(NearKey {
                    key: candidate,
                    likeness,
                    distance: key_distance(key, candidate),
                    selected,
                    declared,
                    meant: Meant {
                        word: candidate,
                        pool: declared.map_or("", |(pool, _)| &self.models[pool].name),
                        place: None,
                        well_known: declared.is_none(),
                        uses: 0,
                        sure: true,
                    },
                }),
            }
        }
        let meant = self
            .vocabulary
            .meant_taint_key(key, entry.value.text())
            .filter(|meant| !deliberate(meant.word))
            .filter(|meant| found.iter().all(|near| near.key != meant.word));
        if let Some(meant) = meant {
            let declared = self.by_key.with(meant.word).first();
            found.push(NearKey {
                key: meant.word,
                likeness: Likeness::Spelling,
                distance: 1,
                selected: false,
                declared: declared.copied(),
                meant,
            });
        }
        // Declared keys first, then by similarity, so that the message names the most likely key.
        found.sort_by_key(|near| {
            let letters = (near.likeness.rank(), near.distance);
            (near.declared.is_none(), letters, !near.selected, near.key)
        });
        found
    }
}

/// What is known of a word that was probably meant.
fn standing(fact: FactBuilder, meant: &Meant<'_>) -> FactBuilder {
    fact.text("pool", meant.pool)
        .bool("wellKnown", meant.well_known)
        .int("uses", i64::try_from(meant.uses).unwrap_or(i64::MAX))
        .bool("sure", meant.sure)
}
