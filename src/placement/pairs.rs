//! What is the same before and after a change: clusters by name, pools by their own name, objects by kind, namespace and
//! name.

use std::collections::{BTreeMap, BTreeSet};

use super::judgement::shown_object;
use crate::lint::{Renames, Survey, SurveyedCluster, pair_in_rounds};
use crate::model::workload::{PodShape, Workload};

/// Something on both sides, or on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair<T> {
    pub(super) before: Option<T>,
    pub(super) after: Option<T>,
}

impl<T> Pair<T> {
    fn only_before(one: T) -> Pair<T> {
        Pair {
            before: Some(one),
            after: None,
        }
    }

    fn only_after(one: T) -> Pair<T> {
        Pair {
            before: None,
            after: Some(one),
        }
    }
}

impl<T> From<(T, T)> for Pair<T> {
    fn from((before, after): (T, T)) -> Pair<T> {
        Pair {
            before: Some(before),
            after: Some(after),
        }
    }
}

/// How an object is known in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObjectKey {
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    /// Its name, or its file where it has none.
    pub(super) name: String,
}

impl ObjectKey {
    fn of(survey: &Survey<'_>, workload: &Workload, renames: Option<&Renames>) -> ObjectKey {
        let object = shown_object(workload);
        let file = || {
            let path = survey.path(workload.source);
            let renamed = renames.and_then(|renames| renames.files.get(path));
            renamed.map_or(path, String::as_str).to_owned()
        };
        ObjectKey {
            kind: object.kind,
            name: object.name.unwrap_or_else(file),
            // A namespace that nobody writes may be the default one.
            namespace: object.namespace.filter(|name| name != "default"),
        }
    }
}

/// The objects of a cluster with their pod templates, as indices into the workloads of the survey.
pub(super) type Objects = BTreeMap<ObjectKey, Vec<usize>>;

/// The objects of a cluster. `renames` says how files are called on the other side.
pub(super) fn objects(
    survey: &Survey<'_>,
    cluster: &SurveyedCluster,
    renames: Option<&Renames>,
) -> Objects {
    let mut objects = Objects::new();
    for at in &cluster.workloads {
        if let Some(workload) = survey.workloads().get(*at) {
            let key = ObjectKey::of(survey, workload, renames);
            objects.entry(key).or_default().push(*at);
        }
    }
    objects
}

/// The clusters that are the same: those with one name, then those that have most in common.
pub(super) fn clusters<'s>(before: &'s Survey<'_>, after: &'s Survey<'_>) -> Vec<Pair<usize>> {
    let names = |survey: &'s Survey<'_>| -> Vec<&'s str> {
        let clusters = survey.clusters.iter();
        clusters.map(|cluster| cluster.name.as_str()).collect()
    };
    let (old, new) = (names(before), names(after));
    let named = pair_in_rounds(&old, &new, [|name: &&'s str| Some(*name)]);
    let (mut gone, mut fresh) = (named.gone, named.fresh);
    let mut pairs: Vec<Pair<usize>> = named.pairs.into_iter().map(Pair::from).collect();
    let contents = |survey: &Survey<'_>, all: &[usize]| -> Vec<BTreeSet<String>> {
        let clusters = all.iter().filter_map(|at| survey.clusters.get(*at));
        clusters.map(|cluster| content(survey, cluster)).collect()
    };
    let (old, new) = (contents(before, &gone), contents(after, &fresh));
    let mut alike = Vec::new();
    for (at, old) in gone.iter().zip(&old) {
        for (other, new) in fresh.iter().zip(&new) {
            let common = old.intersection(new).count();
            // Half of what either has.
            if common > 0 && 2 * common >= old.len().max(new.len()) {
                alike.push((std::cmp::Reverse(common), *at, *other));
            }
        }
    }
    alike.sort_unstable();
    for (_, at, other) in alike {
        if gone.contains(&at) && fresh.contains(&other) {
            gone.retain(|one| *one != at);
            fresh.retain(|one| *one != other);
            pairs.push(Pair::from((at, other)));
        }
    }
    pairs.extend(gone.into_iter().map(Pair::only_before));
    pairs.extend(fresh.into_iter().map(Pair::only_after));
    pairs
}

/// What tells one cluster from others: its pools and objects.
fn content(survey: &Survey<'_>, cluster: &SurveyedCluster) -> BTreeSet<String> {
    let pools = cluster
        .pools
        .iter()
        .map(|pool| format!("pool {}", pool.name));
    let objects = objects(survey, cluster, None).into_keys();
    let objects = objects.map(|key| format!("{} {:?} {}", key.kind, key.namespace, key.name));
    pools.chain(objects).collect()
}

/// Pairs what has the same name, several with one name in their order: first what is there after, in its order.
pub(super) fn by_name<'n>(before: &'n [&'n str], after: &'n [&'n str]) -> Vec<Pair<usize>> {
    let named = pair_in_rounds(before, after, [|name: &'n &'n str| Some(*name)]);
    let mut pairs: Vec<Pair<usize>> = named.pairs.into_iter().map(Pair::from).collect();
    pairs.extend(named.fresh.into_iter().map(Pair::only_after));
    pairs.sort_unstable_by_key(|pair| pair.after);
    pairs.extend(named.gone.into_iter().map(Pair::only_before));
    pairs
}

/// Pairs objects by their key, then those of which one side does not say the namespace.
pub(super) fn keys(before: &Objects, after: &Objects) -> Vec<Pair<ObjectKey>> {
    let mut pairs = Vec::new();
    let mut gone: BTreeMap<(&str, &str), Vec<&ObjectKey>> = BTreeMap::new();
    for key in before.keys().filter(|key| !after.contains_key(key)) {
        gone.entry((&key.kind, &key.name)).or_default().push(key);
    }
    for key in after.keys() {
        let same = before.contains_key(key).then(|| key.clone());
        let nearly = || {
            let named = gone.get_mut(&(key.kind.as_str(), key.name.as_str()))?;
            let is_open = |one: &&ObjectKey| one.namespace.is_none() || key.namespace.is_none();
            let at = named.iter().position(is_open)?;
            Some(named.remove(at).clone())
        };
        pairs.push(Pair {
            before: same.or_else(nearly),
            after: Some(key.clone()),
        });
    }
    let gone = gone.into_values().flatten();
    pairs.extend(gone.cloned().map(Pair::only_before));
    pairs
}

/// Pairs the pod templates of one object: those in the same place of the same file, then equal ones, then those in the same
/// place, then the rest in order.
pub(super) fn templates<'w>(
    before: &[(&'w Workload, &'w str)],
    after: &[(&'w Workload, &'w str)],
) -> Vec<Pair<usize>> {
    type Key<'k> = (Option<&'k str>, Option<&'k str>, Option<&'k PodShape>);
    type Round<'k, 'w> = fn(&'k (&'w Workload, &'w str)) -> Option<Key<'k>>;
    let rounds: [Round<'_, 'w>; 4] = [
        |(one, file)| Some((Some(file), Some(&one.path), None)),
        |(one, _)| Some((None, None, Some(&one.shape))),
        |(one, _)| Some((None, Some(&one.path), None)),
        |_| Some((None, None, None)),
    ];
    let alike = pair_in_rounds(before, after, rounds);
    let mut pairs: Vec<Pair<usize>> = alike.pairs.into_iter().map(Pair::from).collect();
    pairs.extend(alike.fresh.into_iter().map(Pair::only_after));
    pairs.extend(alike.gone.into_iter().map(Pair::only_before));
    pairs
}
