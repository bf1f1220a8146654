//! Merges a declared pool with its Nodes in a cluster dump. The result has the labels and taints of the nodes and the spans
//! of the declaration.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cluster::{clusters_of, is_named};
use super::gather::Gathered;
use super::placed_pool::PlacedPool;
use crate::config::Config;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};

/// A taint in comparable form. A missing value equals the empty value.
type Told<'t> = (&'t str, &'t str, &'t str);

/// Merges pools of named inventories with their declarations if they are certainly the same pool.
pub fn merge(gathered: &mut Gathered, config: &Config) {
    merge_dumps(gathered, config, |path| is_named(path, config));
}

/// Merges the pools of every dump, named or not, with their declarations if they are certainly the same pool.
pub fn merge_all(gathered: &mut Gathered, config: &Config) {
    merge_dumps(gathered, config, |_| true);
}

fn merge_dumps(gathered: &mut Gathered, config: &Config, is_dump: impl Fn(&str) -> bool) {
    let dumped: Vec<usize> = (0..gathered.pools.len())
        .filter(|at| {
            let placed = &gathered.pools[*at];
            placed.named_by.is_some() && is_dump(gathered.path(placed.source))
        })
        .collect();
    let mut gone = BTreeSet::new();
    for at in dumped.iter().copied() {
        let Some(declared) = declaration(at, &dumped, gathered, config) else {
            continue;
        };
        let merged = together(&gathered.pools[declared].pool, &gathered.pools[at].pool);
        gathered.pools[at].pool = Arc::new(merged);
        gone.insert(declared);
    }
    let mut at = 0;
    gathered.pools.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// The only declared pool with the label that names the nodes, or that made their machines, or `None` if it contradicts them.
fn declaration(at: usize, dumped: &[usize], gathered: &Gathered, config: &Config) -> Option<usize> {
    let seen = &gathered.pools[at];
    let (key, value) = seen.named_by.as_ref()?;
    // Other nodes of the pool have different taints, so the pool is in the middle of a change.
    let is_split = dumped
        .iter()
        .any(|other| *other != at && gathered.pools[*other].named_by == seen.named_by);
    let clusters = |placed: &PlacedPool| clusters_of(placed, gathered, config);
    let is_it = |other: &usize| {
        let placed = &gathered.pools[*other];
        let object = &placed.pool.object;
        let label = placed.pool.labels.labels.get(key).and_then(Field::known);
        let is_maker = object.kind == *key && object.name.as_ref() == Some(value);
        placed.named_by.is_none()
            && !placed.configured
            && placed.listed.is_none()
            && (label == Some(value) || is_maker)
            && (config.clusters.len() < 2 || clusters(placed) == clusters(seen))
    };
    let mut candidates = (0..gathered.pools.len()).filter(is_it);
    match (candidates.next(), candidates.next()) {
        (Some(only), None) if !is_split => {
            agree(&gathered.pools[only].pool, &seen.pool).then_some(only)
        }
        _ => None,
    }
}

/// Whether the nodes carry everything declared, and nothing else if the declaration is fully known.
fn agree(declared: &NodePool, seen: &NodePool) -> bool {
    let stays = |taint: &&PoolTaint| taint.origin != Origin::Startup;
    let written: Option<BTreeSet<Told<'_>>> =
        declared.taints.iter().filter(stays).map(told).collect();
    let carried: Option<BTreeSet<Told<'_>>> = seen.taints.iter().map(told).collect();
    match (written, carried) {
        (Some(written), Some(carried)) if declared.complete => written == carried,
        (Some(written), Some(carried)) => written.is_subset(&carried),
        _ => false,
    }
}

fn told(taint: &PoolTaint) -> Option<Told<'_>> {
    let taint = &taint.taint;
    let value = match &taint.value {
        Field::Absent => Some(""),
        value => value.text(),
    };
    Some((taint.key.text()?, value?, taint.effect.text()?))
}

fn together(declared: &NodePool, seen: &NodePool) -> NodePool {
    let startup = declared
        .taints
        .iter()
        .filter(|taint| taint.origin == Origin::Startup);
    let carried = seen.taints.iter().map(|carried| {
        let mut written = declared.taints.iter();
        let written =
            written.find(|one| one.origin != Origin::Startup && told(one) == told(carried));
        written.unwrap_or(carried)
    });
    NodePool {
        labels: seen.labels.clone(),
        taints: carried.chain(startup).cloned().collect(),
        complete: seen.complete,
        incomplete_because: None,
        open_labels: seen.open_labels,
        unschedulable: seen.unschedulable,
        ..declared.clone()
    }
}
