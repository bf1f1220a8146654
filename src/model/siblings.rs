//! Finds a toleration that all but one of several related workloads have. Workloads of one kind are related if they are in
//! the same folder, belong to the same release, or have the same name or application in several folders.

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

/// Labels that name an application.
const APPLICATION_LABELS: [&str; 2] = ["app.kubernetes.io/name", "app"];

/// What relates workloads: the part of the repository, the kind, and what they have in common.
type Bond<'g> = (usize, &'g str, Kin<'g>);

/// What related workloads have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kin<'g> {
    /// A folder.
    Folder(&'g str),
    /// A release and its namespace.
    Release(&'g str, &'g str),
    /// A name. They are in several folders.
    Name(&'g str),
    /// An application, in several folders.
    Application(&'g str),
}

impl Kin<'_> {
    /// Its name in rules.
    fn bond(self) -> &'static str {
        match self {
            Kin::Folder(_) => "folder",
            Kin::Release(..) => "release",
            Kin::Name(_) => "name",
            Kin::Application(_) => "application",
        }
    }

    /// A description of workloads of a kind.
    fn describe(self, kind: &str) -> String {
        match self {
            Kin::Folder("") => format!("{kind}s in this folder"),
            Kin::Folder(folder) => format!("{kind}s in `{folder}`"),
            Kin::Release(release, _) => format!("{kind}s of the release `{release}`"),
            Kin::Name(name) => format!("{kind}s `{name}` in several folders"),
            Kin::Application(name) => {
                format!("{kind}s of the application `{name}` in several folders")
            }
        }
    }
}

/// The members of a family by identity, one for each name.
type Family<'g> = BTreeMap<u32, usize>;

/// Returns, for each workload by index, the tolerations that it lacks and all of its siblings have.
pub fn lacking<'g>(
    workloads: &'g [Workload],
    heard: &[(usize, u32)],
    folder: &dyn Fn(&'g Workload) -> &'g str,
) -> BTreeMap<usize, Vec<Missing>> {
    let mut families: BTreeMap<Bond<'g>, Family<'g>> = BTreeMap::new();
    // In several folders, each has its own copy.
    let mut copies: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for (at, (workload, (part, who))) in workloads.iter().zip(heard).enumerate() {
        // A workload that is not fully known still counts as a sibling, because it may lack the same toleration.
        if workload.shape.level != Level::Typed || workload.stands != Stands::Alone {
            continue;
        }
        let kind = workload.shape.kind.as_str();
        let mut join = |kin: Kin<'g>, who: u32| {
            let family = families.entry((*part, kind, kin)).or_default();
            family.entry(who).or_insert(at);
        };
        join(Kin::Folder(folder(workload)), *who);
        if let Some(release) = label(workload, &RELEASE_LABELS) {
            let namespace = workload.object.namespace.as_deref();
            join(Kin::Release(release, namespace.unwrap_or_default()), *who);
        }
        let next = u32::try_from(copies.len()).unwrap_or(u32::MAX);
        let copy = *copies.entry((folder(workload), *who)).or_insert(next);
        let name = workload.object.name.as_deref();
        if let Some(name) = name.filter(|name| is_written(name)) {
            join(Kin::Name(name), copy);
        }
        let application = label(workload, &APPLICATION_LABELS);
        if let Some(name) = application.filter(|name| is_written(name)) {
            join(Kin::Application(name), copy);
        }
    }
    let mut found: BTreeMap<usize, Vec<Missing>> = BTreeMap::new();
    for ((_, kind, kin), family) in &families {
        if family.len() <= FEWEST {
            continue;
        }
        let common = kin.describe(kind);
        for (at, missing) in lacking_in(workloads, family, (kin.bond(), &common)) {
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

/// Whether a name is none that is filled in later.
fn is_written(name: &str) -> bool {
    !name.is_empty() && !name.contains(['$', '{', '<', '%'])
}

/// Returns the value of the first of some labels that a workload has.
fn label<'g>(workload: &'g Workload, labels: &[&str]) -> Option<&'g str> {
    labels.iter().find_map(|label| {
        let found = workload.labels.iter().find(|(key, _)| key == label);
        found
            .and_then(|(_, value)| value.known())
            .map(String::as_str)
    })
}

fn lacking_in(
    workloads: &[Workload],
    family: &Family<'_>,
    (bond, common): (&'static str, &str),
) -> Vec<(usize, Missing)> {
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
                bond,
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
