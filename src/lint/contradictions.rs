//! Declared pools that disagree with an inventory of the same cluster: an inventory is a photograph, and it grows old.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::cluster::{clusters_of, is_named};
use super::gather::Gathered;
use super::inventories::{all_listed, inventory_at};
use super::placed_pool::PlacedPool;
use crate::config::Config;
use crate::extract::Table;
use crate::finding::Label;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::Level;

/// The label by which a provider names a pool on its nodes, and the name.
type PoolName<'p> = (&'p str, &'p str);

/// Returns a notice for each declared pool that an inventory of its cluster lists with other taints, or does not list.
pub fn contradictions(gathered: &Gathered, config: &Config, table: &Table) -> Vec<Notice> {
    let keys = table.node_pool_labels();
    let name_of = |pool: &'_ NodePool| -> Option<(String, String)> {
        let own = |key: &&String| pool.labels.labels.get(*key).and_then(Field::known);
        let key = keys.iter().find(|key| own(key).is_some())?;
        Some((key.clone(), own(&key)?.clone()))
    };
    let mut listed: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let mut declared = Vec::new();
    for (at, placed) in gathered.pools.iter().enumerate() {
        let Some(name) = name_of(&placed.pool) else {
            continue;
        };
        if is_from_inventory(placed, gathered, config) {
            listed.entry(name).or_default().push(at);
        } else if !placed.configured {
            declared.push((at, name));
        }
    }
    let mut found = Vec::new();
    for (at, name) in declared {
        let declared = &gathered.pools[at];
        let clusters = clusters_of(declared, gathered, config);
        let is_same_cluster = |other: &PlacedPool| {
            config.clusters.is_empty()
                || (config.clusters.len() == 1 && clusters.is_empty())
                || clusters_of(other, gathered, config)
                    .iter()
                    .any(|cluster| clusters.contains(cluster))
        };
        let theirs: Vec<&PlacedPool> = listed
            .get(&name)
            .into_iter()
            .flatten()
            .map(|index| &gathered.pools[*index])
            .filter(|other| is_same_cluster(other))
            .collect();
        found.extend(match theirs.as_slice() {
            [] => not_listed(declared, (&name.0, &name.1), gathered, config),
            theirs => differing(declared, theirs, gathered),
        });
    }
    found
}

/// Whether a pool comes from a file that is named as an inventory, and not from a declaration.
fn is_from_inventory(placed: &PlacedPool, gathered: &Gathered, config: &Config) -> bool {
    let is_dump = placed.listed.is_some() || placed.named_by.is_some() || placed.lists_all;
    is_dump && is_named(gathered.path(placed.source), config)
}

/// A notice if no entry of the inventory has the taints that a complete declaration has.
fn differing(declared: &PlacedPool, listed: &[&PlacedPool], gathered: &Gathered) -> Option<Notice> {
    let pool = &declared.pool;
    let own = taints(pool).filter(|_| pool.complete)?;
    let theirs: Option<Vec<BTreeSet<String>>> = listed
        .iter()
        .map(|other| taints(&other.pool).filter(|_| other.pool.complete))
        .collect();
    let theirs = theirs?;
    let first = theirs.first()?;
    // The nodes of a pool may differ while a change is rolled out.
    if theirs.contains(&own) {
        return None;
    }
    let other = listed.first()?;
    let kind = NoticeKind::InventoryTaints {
        pool: pool.name.clone(),
        declared: told(&own),
        listed: told(first),
        inventory: gathered.path(other.source).to_owned(),
    };
    let mut notice = notice(pool, kind)?;
    let span = other.pool.span.or(other.pool.name_span)?;
    notice.related.push(Label {
        span,
        message: "the inventory lists the pool here".to_owned(),
    });
    Some(notice)
}

/// A notice if an inventory of all pools of the cluster lists pools of this sort, but not this one.
fn not_listed(
    declared: &PlacedPool,
    (key, name): PoolName<'_>,
    gathered: &Gathered,
    config: &Config,
) -> Option<Notice> {
    let clusters = clusters_of(declared, gathered, config);
    let (files, cluster): (Vec<&str>, Option<&str>) = match clusters.as_slice() {
        [] => (config.given.iter().map(String::as_str).collect(), None),
        [only] => {
            let cluster = config.clusters.get(*only)?;
            let files = cluster.inventory.iter().map(|file| file.value.as_str());
            (files.collect(), Some(cluster.name.as_str()))
        }
        _ => return None,
    };
    let first = files.first()?;
    if !all_listed(gathered, &files, cluster) {
        return None;
    }
    let is_there = |placed: &&PlacedPool| files.contains(&gathered.path(placed.source));
    let has_key = |placed: &PlacedPool| placed.pool.labels.labels.contains_key(key);
    if !gathered.pools.iter().filter(is_there).any(has_key) {
        return None;
    }
    let kind = NoticeKind::NotInInventory {
        pool: name.to_owned(),
        inventory: (*first).to_owned(),
    };
    notice(&declared.pool, kind)
}

fn notice(pool: &NodePool, kind: NoticeKind) -> Option<Notice> {
    let written = pool.taints.iter().find_map(|taint| taint.span);
    let own = pool.name_span.or(pool.span);
    let span = match kind {
        NoticeKind::InventoryTaints { .. } => written.or(own)?,
        _ => own?,
    };
    Some(Notice {
        level: Level::Custom,
        object: pool.object.clone(),
        ..Notice::of_file(kind, span)
    })
}

/// The taints that the nodes of a pool keep, or `None` if one is unknown or no node can have it.
fn taints(pool: &NodePool) -> Option<BTreeSet<String>> {
    let stays = |taint: &&PoolTaint| taint.origin != Origin::Startup;
    let told = |taint: &PoolTaint| {
        let fields = [&taint.taint.key, &taint.taint.value, &taint.taint.effect];
        let is_known = !fields.iter().any(|field| field.is_unknown());
        let is_sound = is_known && taint.taint.errors().is_empty();
        is_sound.then(|| taint.taint.to_string())
    };
    pool.taints.iter().filter(stays).map(told).collect()
}

fn told(taints: &BTreeSet<String>) -> String {
    match taints.is_empty() {
        true => "no taint".to_owned(),
        false => {
            let quoted: Vec<String> = taints.iter().map(|taint| format!("`{taint}`")).collect();
            quoted.join(", ")
        }
    }
}

/// The named inventories whose date is known, by path.
pub fn dates(gathered: &Gathered, config: &Config) -> BTreeMap<String, Date> {
    let mut dates: BTreeMap<String, Date> = BTreeMap::new();
    for placed in &gathered.pools {
        let path = gathered.path(placed.source);
        let written = inventory_at(gathered, path).and_then(|inventory| inventory.taken);
        let Some(date) = written.map(|day| day.0).or(placed.seen) else {
            continue;
        };
        if is_named(path, config) {
            let known = dates.entry(path.to_owned()).or_insert(date);
            *known = date.max(*known);
        }
    }
    dates
}
