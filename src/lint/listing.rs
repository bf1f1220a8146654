//! Lists the recognized node pools as an inventory.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cluster::{clusters_of, configured_clusters, given_complete};
use super::gather::Gathered;
use super::inventories::all_listed;
use super::placed_pool::PlacedPool;
use super::session::{Load, Session};
use super::{Input, Settings, changed_file, dumps, texts};
use crate::extract::{Table, without_machines};
use crate::finding::{Counts, Problem, Report};
use crate::inventory::{API_VERSION, Day, Inventory, KIND, Listed, Pool};
use crate::source::{STDIN_PATH, Source, SourceId, Span};

/// The node pools of a run.
#[derive(Debug)]
pub struct Listing {
    /// The pools, sorted by file and place.
    pub inventory: Inventory,
    /// Files with workloads, relative to the repository.
    pub workload_files: BTreeSet<String>,
    /// What was read.
    pub counts: Counts,
    /// Problems while reading.
    pub problems: Vec<Problem>,
}

/// What a list of pools is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// People read it, and look for the places.
    Table,
    /// It is kept as a file. What was dumped from a running cluster is told without its machines.
    Inventory,
}

/// The pools to list: all recognized pools, and hints from commands that have taints.
fn placed_pools(gathered: &Gathered) -> impl Iterator<Item = &PlacedPool> {
    let hints = gathered.hints.iter();
    let tainted = hints.filter(|hint| !hint.pool.taints.is_empty());
    gathered.pools.iter().chain(tainted)
}

/// Reads every input and lists its node pools. The same inputs give the same list.
///
/// `load` is called once for each input, and once more for each input with pools.
pub fn list_pools(
    inputs: &[Input],
    load: &Load<'_>,
    settings: Settings<'_>,
    purpose: Purpose,
) -> Listing {
    list(&mut Session::once(inputs, load, settings), purpose)
}

/// Lists the node pools in the files of a session.
pub fn list(session: &mut Session<'_>, purpose: Purpose) -> Listing {
    let settings = session.settings();
    let mut report = Report::default();
    let mut gathered = session.gather(&mut report);
    let complete = match purpose {
        Purpose::Table => given_complete(&gathered, settings.config),
        Purpose::Inventory => {
            hide_machines(&mut gathered, settings.table);
            dumps::merge_all(&mut gathered, settings.config);
            lists_all_pools(&gathered, settings)
        }
    };
    let named: BTreeSet<_> = placed_pools(&gathered)
        .filter(|placed| placed.listed.is_none())
        .flat_map(|placed| {
            let taints = placed.pool.taints.iter().filter_map(|taint| taint.span);
            let own = placed.pool.span.or(placed.pool.name_span);
            taints.chain(own).map(|span| span.source)
        })
        .collect();
    let wanted = texts::wanted_by(named, &[]);
    let (_, changed) = texts::load_again(session, wanted, &mut report.sources);
    report
        .problems
        .extend(changed.into_values().map(changed_file));
    if let Some(source) = &settings.config.source {
        let id = SourceId::CONFIGURATION;
        report.sources.insert(id, source.clone());
    }
    let place = |span: Span| {
        let source: &Source = report.sources.get(&span.source)?;
        Some((source.path.clone(), source.position(span.start).line))
    };
    let clusters = &settings.config.clusters;
    // Standard input is gone when somebody reads the inventory.
    let is_placed = |placed: &PlacedPool| gathered.path(placed.source) != STDIN_PATH;
    let mut pools: Vec<Pool> = placed_pools(&gathered)
        .flat_map(|placed| {
            let mut names: Vec<Option<String>> = clusters_of(placed, &gathered, settings.config)
                .into_iter()
                .map(|at| Some(clusters[at].name.clone()))
                .collect();
            if names.is_empty() {
                let variant = placed.pool.variant.as_ref().map(|one| one.name.clone());
                names.push(placed.pool.cluster.clone().or(variant));
            }
            let place = &place;
            names.into_iter().map(move |cluster| match &placed.listed {
                // The pool is declared in another file, so its place is the one that the inventory gives.
                Some(entry) => Pool {
                    cluster,
                    ..entry.clone()
                },
                None => Pool::list(&Listed {
                    pool: &placed.pool,
                    cluster,
                    place: if is_placed(placed) { place } else { &|_| None },
                }),
            })
        })
        .collect();
    pools.sort_by(|one, other| {
        (&one.file, one.line, &one.name, &one.cluster).cmp(&(
            &other.file,
            other.line,
            &other.name,
            &other.cluster,
        ))
    });
    if purpose == Purpose::Inventory {
        tell_apart(&mut pools);
    }
    let complete_clusters = configured_clusters(&gathered, settings.config, settings.whole)
        .into_iter()
        .filter(|cluster| {
            let mut pools = cluster
                .pools
                .iter()
                .filter_map(|at| gathered.pools.get(*at));
            cluster.complete && pools.all(|placed| placed.pool.complete)
        })
        .filter_map(|cluster| cluster.name)
        .collect();
    let workload_files = gathered
        .workloads
        .iter()
        .map(|workload| gathered.path(workload.source).to_owned())
        .collect();
    report.problems.sort();
    report.problems.dedup();
    Listing {
        inventory: Inventory {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            taken: taken(&gathered),
            complete,
            complete_clusters,
            pools,
        },
        workload_files,
        counts: report.counts,
        problems: report.problems,
    }
}

/// Removes the names, ids and addresses of machines from pools that were read from nodes.
fn hide_machines(gathered: &mut Gathered, table: &Table) {
    for placed in &mut gathered.pools {
        if let Some(pool) = without_machines(&placed.pool, table) {
            placed.pool = Arc::new(pool);
        }
    }
}

/// Pools that lost the names of their machines may have equal names. A number distinguishes them.
fn tell_apart(pools: &mut [Pool]) {
    let mut times: BTreeMap<(Option<String>, String), u32> = BTreeMap::new();
    for pool in pools.iter_mut().filter(|pool| pool.file.is_none()) {
        let before = times
            .entry((pool.cluster.clone(), pool.name.clone()))
            .or_default();
        *before += 1;
        if *before > 1 {
            pool.name = format!("{}-{before}", pool.name);
        }
    }
}

/// The day of the newest dump, or of the inventory that the pools come from.
fn taken(gathered: &Gathered) -> Option<Day> {
    let seen = gathered.pools.iter().filter_map(|placed| placed.seen);
    let written = gathered.inventories.values().filter_map(|one| one.taken);
    seen.chain(written.map(|day| day.0)).max().map(Day)
}

/// Whether the files that were read list all pools of one cluster.
fn lists_all_pools(gathered: &Gathered, settings: Settings<'_>) -> bool {
    let files: BTreeSet<&str> = gathered
        .pools
        .iter()
        .map(|placed| gathered.path(placed.source))
        .collect();
    let files: Vec<&str> = files.into_iter().collect();
    settings.config.clusters.is_empty() && all_listed(gathered, &files, None)
}
