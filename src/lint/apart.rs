//! Tells apart the clusters whose pools one set of workloads may run on: those that Terraform configurations, variables files,
//! folders, and the pools themselves name.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::found::{Found, merge_alike};
use super::gather::Gathered;
use super::groups::{Group, View};

/// Whether workloads may be told apart that are judged with the same pools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MaySplit {
    Yes,
    No,
}

/// Lists each cluster by itself where folders alone say that workloads may run on the pools of several. Workloads that
/// nothing assigns to one of them remain.
pub fn tell_apart(
    all: BTreeMap<(u8, String, usize), Found>,
    gathered: &Gathered,
    may_split: MaySplit,
) -> BTreeMap<(u8, String), Found> {
    let mut view = View::new(gathered);
    view.installed = view.installed(all.values());
    let mut listed: BTreeMap<(u8, String), Found> = BTreeMap::new();
    let mut groups: BTreeMap<Group, Found> = BTreeMap::new();
    for ((known, name, _), mut found) in all {
        let key = (known, name);
        // A module is no cluster.
        if known == 2 && may_split == MaySplit::Yes {
            found.pools.retain(|at| !view.is_of_library(*at));
            if found.pools.is_empty() && found.workloads.is_empty() {
                continue;
            }
        }
        let of_pool: BTreeMap<usize, BTreeSet<Group>> = found
            .pools
            .iter()
            .map(|at| (*at, view.of_pool(*at)))
            .collect();
        let distinct: BTreeSet<Group> = of_pool.values().flatten().cloned().collect();
        let pools = found.pools.iter().map(|at| view.pool_path(*at));
        let mut paths = pools.chain(found.workloads.iter().map(|at| view.workload_path(*at)));
        let mut named = distinct.iter();
        let is_apart = distinct.len() > 1
            || distinct.iter().any(|group| view.is_joined(group))
            || paths.any(|path| view.is_inside(path));
        // The repository or the configuration names the others.
        if key.0 < 2 || found.complete || (is_apart && may_split == MaySplit::No) {
            add(&mut listed, key, found);
            continue;
        }
        if !is_apart {
            match named.next() {
                Some(group @ Group::Named(..)) => {
                    groups.entry(group.clone()).or_default().absorb(found);
                }
                _ => add(&mut listed, key, found),
            }
            continue;
        }
        let around = |path: &str| {
            let mut around = view.of_path(path);
            around.retain(|group| distinct.contains(group) || view.is_joined(group));
            around
        };
        for (at, mut own) in of_pool {
            if own.is_empty() {
                own = around(view.pool_path(at));
            }
            if !own.is_empty() {
                found.pools.remove(&at);
            }
            for group in own {
                groups.entry(group).or_default().pools.insert(at);
            }
        }
        let mut rest = Vec::new();
        for workload in std::mem::take(&mut found.workloads) {
            let mut own = around(view.workload_path(workload));
            if own.is_empty() && distinct.len() == 1 {
                own.clone_from(&distinct);
            }
            if own.is_empty() {
                own = view.of_configuration(view.workload_path(workload));
                own.retain(|group| distinct.contains(group));
            }
            // Where each cluster has its own values, nothing runs with those of the chart alone.
            if own.is_empty() && !view.is_in_each(workload, &distinct) {
                rest.push(workload);
            }
            for group in own {
                groups.entry(group).or_default().workloads.push(workload);
            }
        }
        found.workloads = rest;
        if found.workloads.is_empty() && found.pools.is_empty() {
            continue;
        }
        found.among = distinct.iter().map(|group| view.told(group)).collect();
        add(&mut listed, key, found);
    }
    for (group, own) in groups {
        let name = view.name(&group, &|name| listed.contains_key(&(2, name.to_owned())));
        let found = listed.entry((2, name)).or_insert_with(|| Found {
            known_from: match group {
                Group::State(_) => "terraform",
                Group::Named(..) => "folder",
            },
            at: view.place(&group, &own.pools),
            ..Found::default()
        });
        found.absorb(own);
    }
    // What is left of such a folder has no pools of its own, and there may be several.
    merge_alike(listed)
}

/// Adds a cluster, or what belongs to one of that name.
fn add(listed: &mut BTreeMap<(u8, String), Found>, key: (u8, String), found: Found) {
    match listed.entry(key) {
        Entry::Vacant(vacant) => {
            vacant.insert(found);
        }
        Entry::Occupied(mut known) => known.get_mut().absorb(found),
    }
}
