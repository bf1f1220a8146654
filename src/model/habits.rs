//! Finds what is usual in one part of a repository: how the tolerations of each key are written, and which ones go with a
//! label that pods select. The running time grows with the number of observations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::near_miss::{Likeness, is_same_word, key_likeness};
use super::toleration::Toleration;
use super::well_known::is_transient_key;
use super::workload::{Stands, Workload};

/// One entry in the tolerations of one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The index of the workload among all workloads.
    pub workload: usize,
    /// The index of the entry in its list.
    pub entry: usize,
}

/// How many workloads agree and how many deviate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// The number of workloads that do the usual thing.
    pub agreeing: usize,
    /// The number that deviate, including the one in question.
    pub deviating: usize,
}

impl Weight {
    /// Returns how far agreement exceeds the four of five that chance and taste explain, in tenths of a standard deviation:
    /// the z-statistic of Engler's "bugs as deviant behavior". It is 0 for 4 of 5, 7 for 9 of 10, 10 for 11 of 12, and
    /// negative for less than four of five. The same share counts for more with more workloads.
    pub fn strength(self) -> i64 {
        const USUAL: f64 = 0.8;
        let all = self.agreeing + self.deviating;
        if all == 0 {
            return -100;
        }
        #[allow(clippy::cast_precision_loss, reason = "counts of manifests are small")]
        let (agreeing, all) = (self.agreeing as f64, all as f64);
        let deviation = (USUAL * (1.0 - USUAL) / all).sqrt();
        let tenths = 10.0 * (agreeing / all - USUAL) / deviation;
        // The arithmetic for 4 of 5 is off by a tiny fraction of a tenth.
        #[allow(
            clippy::cast_possible_truncation,
            reason = "bounded by ten times the root of a count"
        )]
        let whole = (tenths + 1e-6).floor() as i64;
        whole
    }

    /// Whether the numbers allow a conclusion: at least four workloads agree, and four of five.
    pub(super) fn tells(self) -> bool {
        self.agreeing >= FEWEST && self.strength() >= 0
    }
}

/// The minimum number of workloads for a habit.
pub(super) const FEWEST: usize = 4;
/// The maximum number of usual keys in a cluster that a key is compared with.
const USUAL_KEYS: usize = 64;
/// The maximum number of labels and of keys of one pod that are combined.
const MOST_TOGETHER: usize = 32;

/// Identities of workloads, each with the first place of the observation.
pub(super) type Seen = BTreeMap<u32, Place>;

/// What nearly all others write, and how many do.
#[derive(Clone, Debug)]
pub(super) struct Usual<'g> {
    pub(super) text: &'g str,
    pub(super) weight: Weight,
    pub(super) places: Vec<Place>,
}

/// How tolerations with one key are written.
#[derive(Debug, Default)]
pub(super) struct KeyUse<'g> {
    pub(super) seen: Seen,
    /// Values of entries with `Equal`; a missing value is the empty one.
    values: BTreeMap<&'g str, Seen>,
    effects: BTreeMap<&'g str, Seen>,
    /// The key that was probably meant.
    pub(super) other_key: Option<(Usual<'g>, Likeness)>,
    /// For each value, the value that was probably meant.
    pub(super) other_values: BTreeMap<&'g str, Usual<'g>>,
    /// The effect that nearly all others have.
    pub(super) usual_effect: Option<Usual<'g>>,
}

/// What goes with a label that pods select.
#[derive(Debug, Default)]
pub(super) struct LabelUse<'g> {
    all: BTreeSet<u32>,
    keys: BTreeMap<&'g str, Forms<'g>>,
    /// The keys that nearly all tolerate: how many do, where, and the most frequent form of the entry.
    pub(super) usual: Vec<(Usual<'g>, &'g Toleration)>,
}

/// The forms in which entries with one key are written.
#[derive(Debug, Default)]
struct Forms<'g> {
    seen: Seen,
    times: BTreeMap<&'g Toleration, usize>,
}

/// The habits of one part of a repository.
#[derive(Debug, Default)]
pub(super) struct Habits<'g> {
    pub(super) keys: BTreeMap<&'g str, KeyUse<'g>>,
    pub(super) labels: BTreeMap<(&'g str, &'g str), LabelUse<'g>>,
    everyone: BTreeSet<u32>,
}

impl<'g> Habits<'g> {
    pub(super) fn hear(&mut self, at: usize, workload: &'g Workload, who: u32) {
        self.everyone.insert(who);
        let list = &workload.shape.tolerations;
        for (index, entry) in list.iter().enumerate() {
            let Some(key) = entry.key.known().filter(|key| !key.is_empty()) else {
                continue;
            };
            let place = Place {
                workload: at,
                entry: index,
            };
            let used = self.keys.entry(key.as_str()).or_default();
            used.seen.entry(who).or_insert(place);
            if let Some(value) = equal_value(entry) {
                let seen = used.values.entry(value).or_default();
                seen.entry(who).or_insert(place);
            }
            if let Some(effect) = entry.effect.text().filter(|effect| !effect.is_empty()) {
                let seen = used.effects.entry(effect).or_default();
                seen.entry(who).or_insert(place);
            }
        }
        if !is_told_in_full(workload) || list.iter().any(is_blanket) {
            return;
        }
        for label in telling_labels(workload) {
            let used = self.labels.entry(label).or_default();
            used.all.insert(who);
            for (index, entry) in list.iter().enumerate().take(MOST_TOGETHER) {
                let Some(key) = entry.key.known().filter(|key| !is_transient_key(key)) else {
                    continue;
                };
                let forms = used.keys.entry(key.as_str()).or_default();
                forms.seen.entry(who).or_insert(Place {
                    workload: at,
                    entry: index,
                });
                *forms.times.entry(entry).or_default() += 1;
            }
        }
    }

    /// Finds what is usual, in time proportional to the observations.
    pub(super) fn conclude(&mut self) {
        let mut usual: Vec<(&str, usize)> = self
            .keys
            .iter()
            .map(|(key, used)| (*key, used.seen.len()))
            .filter(|(_, times)| *times >= FEWEST)
            .collect();
        usual.sort_by_key(|(key, times)| (Reverse(*times), *key));
        usual.truncate(USUAL_KEYS);
        let other_keys: Vec<_> = self
            .keys
            .iter()
            .map(|(key, used)| self.other_key(key, used, &usual))
            .collect();
        for (used, other_key) in self.keys.values_mut().zip(other_keys) {
            used.other_key = other_key;
            used.other_values = used.other_values();
            used.usual_effect = used.usual_effect();
        }
        let keys = &self.keys;
        let everyone = self.everyone.len();
        for used in self.labels.values_mut() {
            used.usual = used.usual(keys, everyone);
        }
    }

    fn other_key(
        &self,
        key: &str,
        used: &KeyUse<'g>,
        usual: &[(&'g str, usize)],
    ) -> Option<(Usual<'g>, Likeness)> {
        let fitting = usual.iter().filter_map(|(usual, times)| {
            let weight = Weight {
                agreeing: *times,
                deviating: used.seen.len(),
            };
            let likeness = weight.tells().then(|| key_likeness(key, usual))??;
            let theirs = &self.keys.get(usual)?.seen;
            // A workload that writes both keys means both.
            let both = used.seen.keys().any(|one| theirs.contains_key(one));
            (!both).then_some((likeness, usual, weight, theirs))
        });
        let (likeness, text, weight, theirs) =
            fitting.min_by_key(|(likeness, usual, weight, _)| {
                (likeness.rank(), Reverse(weight.agreeing), **usual)
            })?;
        let places = places(theirs);
        let usual = Usual {
            text,
            weight,
            places,
        };
        Some((usual, likeness))
    }
}

impl<'g> KeyUse<'g> {
    fn other_values(&self) -> BTreeMap<&'g str, Usual<'g>> {
        let mut found = BTreeMap::new();
        let Some((usual, theirs)) = most(&self.values) else {
            return found;
        };
        for (value, own) in &self.values {
            let (text, agreeing, theirs) = if value.is_empty() {
                // Values can differ from pool to pool, so only the presence of a value counts.
                let given = self.values.iter().filter(|(value, _)| !value.is_empty());
                let who: BTreeSet<&u32> = given.clone().flat_map(|(_, seen)| seen.keys()).collect();
                let agreeing = who.iter().filter(|who| !own.contains_key(who)).count();
                let most = given.clone().max_by_key(|(_, seen)| seen.len());
                match (most, given.count()) {
                    (Some((only, seen)), 1) => (*only, agreeing, seen),
                    (Some((_, seen)), _) => ("", agreeing, seen),
                    (None, _) => continue,
                }
            } else if *value != usual && (usual.is_empty() || is_same_word(value, usual)) {
                let both = own.keys().filter(|who| theirs.contains_key(who)).count();
                (usual, theirs.len() - both, theirs)
            } else {
                continue;
            };
            let weight = Weight {
                agreeing,
                deviating: own.len(),
            };
            if weight.tells() {
                let places = places(theirs);
                let usual = Usual {
                    text,
                    weight,
                    places,
                };
                found.insert(*value, usual);
            }
        }
        found
    }

    fn usual_effect(&self) -> Option<Usual<'g>> {
        let (text, theirs) = most(&self.effects)?;
        let others: BTreeSet<&u32> = self
            .effects
            .values()
            .flat_map(BTreeMap::keys)
            .filter(|who| !theirs.contains_key(who))
            .collect();
        let weight = Weight {
            agreeing: theirs.len(),
            deviating: others.len(),
        };
        weight.tells().then(|| Usual {
            text,
            weight,
            places: places(theirs),
        })
    }
}

impl<'g> LabelUse<'g> {
    /// Returns the keys that nearly all workloads with the label tolerate. Each workload adds few keys, so there are few.
    fn usual(
        &self,
        keys: &BTreeMap<&'g str, KeyUse<'g>>,
        everyone: usize,
    ) -> Vec<(Usual<'g>, &'g Toleration)> {
        let usual = self.keys.iter().filter_map(|(key, forms)| {
            let weight = Weight {
                agreeing: forms.seen.len(),
                deviating: self.all.len() - forms.seen.len(),
            };
            // It must go with the label, not with everything in this part.
            let there = keys.get(key).map_or(0, |used| used.seen.len());
            let elsewhere = there.saturating_sub(forms.seen.len());
            if !weight.tells() || elsewhere * 2 > everyone - self.all.len() {
                return None;
            }
            let forms_by_use = forms.times.iter();
            let (entry, _) =
                forms_by_use.min_by_key(|(entry, times)| (Reverse(**times), **entry))?;
            let usual = Usual {
                text: key,
                weight,
                places: places(&forms.seen),
            };
            Some((usual, *entry))
        });
        usual.collect()
    }
}

/// Returns the value that an entry compares with a taint's value.
pub(super) fn equal_value(entry: &Toleration) -> Option<&str> {
    match entry.effective_operator()? {
        "Equal" => entry.value.text(),
        _ => None,
    }
}

/// Whether an entry tolerates every key.
pub(super) fn is_blanket(entry: &Toleration) -> bool {
    entry.key.text() == Some("")
}

/// Whether all tolerations and selectors of the pods are written in this workload.
pub(super) fn is_told_in_full(workload: &Workload) -> bool {
    workload.stands == Stands::Alone
        && workload.shape.level.is_object()
        && workload.shape.is_literal()
}

/// Returns the first few labels that a workload selects and that identify a kind of node.
pub(super) fn telling_labels(workload: &Workload) -> impl Iterator<Item = (&str, &str)> {
    let labels = workload.shape.selection.telling_labels();
    labels.into_iter().take(MOST_TOGETHER)
}

/// Returns the most frequent text; the first one in a tie.
fn most<'s, 'g>(said: &'s BTreeMap<&'g str, Seen>) -> Option<(&'g str, &'s Seen)> {
    said.iter()
        .min_by_key(|(text, seen)| (std::cmp::Reverse(seen.len()), **text))
        .map(|(text, seen)| (*text, seen))
}

pub(super) fn places(seen: &Seen) -> Vec<Place> {
    let mut places: Vec<Place> = seen.values().copied().collect();
    places.sort_unstable();
    places.truncate(2);
    places
}
