//! What is the same before and after a change: clusters by name, pools by their own name, objects by kind, namespace and
//! name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::judgement::shown_object;
use crate::lint::{Renames, Survey, SurveyedCluster};
use crate::model::workload::Workload;

/// Something on both sides, or on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair<T> {
    pub(super) before: Option<T>,
    pub(super) after: Option<T>,
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
pub(super) fn clusters(before: &Survey<'_>, after: &Survey<'_>) -> Vec<Pair<usize>> {
    let mut waiting: HashMap<&str, usize> = HashMap::new();
    for (at, cluster) in before.clusters.iter().enumerate() {
        waiting.insert(&cluster.name, at);
    }
    let mut pairs: Vec<Pair<usize>> = Vec::new();
    let mut fresh = Vec::new();
    for (at, cluster) in after.clusters.iter().enumerate() {
        match waiting.remove(cluster.name.as_str()) {
            Some(before) => pairs.push(Pair {
                before: Some(before),
                after: Some(at),
            }),
            None => fresh.push(at),
        }
    }
    let mut gone: Vec<usize> = waiting.into_values().collect();
    gone.sort_unstable();
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
            pairs.push(Pair {
                before: Some(at),
                after: Some(other),
            });
        }
    }
    let (removed, added) = (gone.into_iter(), fresh.into_iter());
    pairs.extend(removed.map(|at| Pair {
        before: Some(at),
        after: None,
    }));
    pairs.extend(added.map(|at| Pair {
        before: None,
        after: Some(at),
    }));
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

/// Pairs what has the same name, several with one name in their order.
pub(super) fn by_name<'n>(
    before: impl Iterator<Item = &'n str>,
    after: impl Iterator<Item = &'n str>,
) -> Vec<Pair<usize>> {
    let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in before.enumerate() {
        waiting.entry(name).or_default().push(at);
    }
    for all in waiting.values_mut() {
        all.reverse();
    }
    let mut pairs: Vec<Pair<usize>> = Vec::new();
    for (at, name) in after.enumerate() {
        pairs.push(Pair {
            before: waiting.get_mut(name).and_then(Vec::pop),
            after: Some(at),
        });
    }
    let mut gone: Vec<usize> = waiting.into_values().flatten().collect();
    gone.sort_unstable();
    pairs.extend(gone.into_iter().map(|at| Pair {
        before: Some(at),
        after: None,
    }));
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
    pairs.extend(gone.map(|key| Pair {
        before: Some(key.clone()),
        after: None,
    }));
    pairs
}

/// Pairs the pod templates of one object: those in the same place of the same file, then equal ones, then those in the same
/// place, then the rest in order.
pub(super) fn templates<'w>(
    before: &[(&'w Workload, &'w str)],
    after: &[(&'w Workload, &'w str)],
) -> Vec<Pair<usize>> {
    type Alike = fn(&(&Workload, &str), &(&Workload, &str)) -> bool;
    let rounds: [Alike; 4] = [
        |one, other| one.1 == other.1 && one.0.path == other.0.path,
        |one, other| one.0.shape == other.0.shape,
        |one, other| one.0.path == other.0.path,
        |_, _| true,
    ];
    let mut gone: Vec<usize> = (0..before.len()).collect();
    let mut fresh: Vec<usize> = (0..after.len()).collect();
    let mut pairs = Vec::new();
    for alike in rounds {
        fresh.retain(|at| {
            let same = gone.iter().position(|old| {
                let sides = before.get(*old).zip(after.get(*at));
                sides.is_some_and(|(one, other)| alike(one, other))
            });
            if let Some(same) = same {
                pairs.push(Pair {
                    before: Some(gone.remove(same)),
                    after: Some(*at),
                });
            }
            same.is_none()
        });
    }
    pairs.extend(fresh.into_iter().map(|at| Pair {
        before: None,
        after: Some(at),
    }));
    pairs.extend(gone.into_iter().map(|at| Pair {
        before: Some(at),
        after: None,
    }));
    pairs
}
