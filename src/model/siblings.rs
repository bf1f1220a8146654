//! Finds a toleration that all but one of several related workloads have. Workloads of one kind are related if they are in
//! the same folder or belong to the same release.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use super::habits::{Place, Seen, Weight, is_blanket, is_told_in_full, places, telling_labels};
use super::near_miss::key_likeness;
use super::toleration::Toleration;
use super::well_known::is_transient_key;
use super::witness::Missing;
use super::workload::{Level, Stands, Workload};

/// The minimum number of siblings that must agree.
const FEWEST: usize = 3;
/// The maximum number of entries compared per list.
const MOST_ENTRIES: usize = 32;
/// Labels that name a release, the most specific first.
const RELEASE_LABELS: [&str; 3] = [
    "app.kubernetes.io/instance",
    "app.kubernetes.io/part-of",
    "release",
];

/// What relates workloads: the part of the repository, the kind, and a folder or a release with its namespace.
type Bond<'g> = (usize, &'g str, &'g str, Option<&'g str>);

/// The members of a family by identity, one for each name.
type Family<'g> = BTreeMap<u32, usize>;

/// Returns, for each workload by index, the tolerations that it lacks and all of its siblings have.
pub fn lacking<'g>(
    workloads: &'g [Workload],
    heard: &[(usize, u32)],
    folder: &dyn Fn(&'g Workload) -> &'g str,
) -> BTreeMap<usize, Vec<Missing>> {
    let mut families: BTreeMap<Bond<'g>, Family<'g>> = BTreeMap::new();
    for (at, (workload, (part, who))) in workloads.iter().zip(heard).enumerate() {
        // A workload that is not fully known still counts as a sibling, because it may lack the same toleration.
        if workload.shape.level != Level::Typed || workload.stands != Stands::Alone {
            continue;
        }
        let kind = workload.shape.kind.as_str();
        let mut join = |name: &'g str, namespace: Option<&'g str>| {
            let family = families.entry((*part, kind, name, namespace)).or_default();
            family.entry(*who).or_insert(at);
        };
        join(folder(workload), None);
        if let Some(release) = release(workload) {
            join(
                release,
                Some(workload.object.namespace.as_deref().unwrap_or_default()),
            );
        }
    }
    let mut found: BTreeMap<usize, Vec<Missing>> = BTreeMap::new();
    for ((_, kind, name, namespace), family) in &families {
        if family.len() <= FEWEST {
            continue;
        }
        let common = match (namespace, name.is_empty()) {
            (Some(_), _) => format!("{kind}s of the release `{name}`"),
            (None, true) => format!("{kind}s in this folder"),
            (None, false) => format!("{kind}s in `{name}`"),
        };
        for (at, missing) in lacking_in(workloads, family, &common) {
            let known = found.entry(at).or_default();
            if !known
                .iter()
                .any(|other| other.entry.key == missing.entry.key)
            {
                known.push(missing);
            }
        }
    }
    found
}

/// Returns the release that a workload's labels name.
fn release(workload: &Workload) -> Option<&str> {
    RELEASE_LABELS.iter().find_map(|label| {
        let found = workload.labels.iter().find(|(key, _)| key == label);
        found
            .and_then(|(_, value)| value.known())
            .map(String::as_str)
    })
}

fn lacking_in(workloads: &[Workload], family: &Family<'_>, common: &str) -> Vec<(usize, Missing)> {
    let mut keys: BTreeMap<&str, (Seen, BTreeMap<&Toleration, usize>)> = BTreeMap::new();
    let mut blanket = BTreeSet::new();
    for (who, at) in family {
        let list = &workloads[*at].shape.tolerations;
        if list.iter().any(is_blanket) {
            blanket.insert(*who);
            continue;
        }
        for (entry, toleration) in list.iter().enumerate().take(MOST_ENTRIES) {
            let Some(key) = toleration.key.known().filter(|key| !is_transient_key(key)) else {
                continue;
            };
            let (seen, forms) = keys.entry(key).or_default();
            let place = Place {
                workload: *at,
                entry,
            };
            if seen.insert(*who, place).is_none() {
                *forms.entry(toleration).or_default() += 1;
            }
        }
    }
    let mut found = Vec::new();
    for (key, (seen, forms)) in &keys {
        // A workload that tolerates everything is no evidence for this key, but does not lack it.
        if seen.len() < FEWEST || seen.len() + blanket.len() + 1 != family.len() {
            continue;
        }
        let odd = family
            .iter()
            .find(|(who, _)| !seen.contains_key(who) && !blanket.contains(who));
        let Some((_, at)) = odd else { continue };
        let workload = &workloads[*at];
        if !is_told_in_full(workload) {
            continue;
        }
        let like = |own: &str| own == *key || key_likeness(own, key).is_some();
        let has_it = workload.shape.extended_resources.contains(*key)
            || workload.shape.on_pods.may_be_given(key)
            || workload
                .shape
                .tolerations
                .iter()
                .any(|entry| entry.key.known().is_some_and(|own| like(own)));
        if has_it || !asks_alike(workloads, workload, seen) {
            continue;
        }
        let usual = forms
            .iter()
            .min_by_key(|(entry, times)| (std::cmp::Reverse(**times), **entry));
        let Some((entry, _)) = usual else { continue };
        found.push((
            *at,
            Missing {
                entry: (*entry).clone(),
                common: common.to_owned(),
                weight: Weight {
                    agreeing: seen.len(),
                    deviating: 1,
                },
                places: places(seen),
            },
        ));
    }
    found
}

/// Whether most siblings select the same kind of node: a workload for other nodes need not tolerate the same taints.
fn asks_alike(workloads: &[Workload], workload: &Workload, siblings: &Seen) -> bool {
    let own: Vec<_> = telling_labels(workload).collect();
    let alike = siblings
        .values()
        .filter(|place| telling_labels(&workloads[place.workload]).eq(own.iter().copied()))
        .count();
    alike * 2 > siblings.len()
}
