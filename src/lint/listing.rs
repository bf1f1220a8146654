//! Lists the recognized node pools as an inventory.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;

use super::cluster::{clusters_of, configured_clusters, given_complete};
use super::gather::{Gathered, PlacedPool};
use super::session::{Load, Session};
use super::{Input, Settings, changed_file, texts};
use crate::finding::{Counts, Problem, Report};
use crate::inventory::{API_VERSION, Inventory, KIND, Listed, Pool};
use crate::source::{Source, SourceId, Span};

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

/// The pools to list: all recognized pools, and hints from commands that have taints.
fn placed_pools(gathered: &Gathered) -> impl Iterator<Item = &PlacedPool> {
    let hints = gathered.hints.iter();
    let tainted = hints.filter(|hint| !hint.pool.taints.is_empty());
    gathered.pools.iter().chain(tainted)
}

/// Reads every input and lists its node pools. The same inputs give the same list.
///
/// `load` is called once for each input, and once more for each input with pools.
pub fn list_pools(inputs: &[Input], load: &Load<'_>, settings: Settings<'_>) -> Listing {
    list(&mut Session::once(inputs, load, settings))
}

/// Lists the node pools in the files of a session.
pub fn list(session: &mut Session<'_>) -> Listing {
    let settings = session.settings();
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
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
    let mut pools: Vec<Pool> = placed_pools(&gathered)
        .flat_map(|placed| {
            let mut names: Vec<Option<String>> = clusters_of(placed, &gathered, settings.config)
                .into_iter()
                .map(|at| Some(clusters[at].name.clone()))
                .collect();
            if names.is_empty() {
                names.push(placed.pool.cluster.clone());
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
                    place,
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
    let complete_clusters = configured_clusters(&gathered, settings.config, settings.whole)
        .into_iter()
        .filter(|cluster| cluster.complete)
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
            complete: given_complete(&gathered, settings.config),
            complete_clusters,
            pools,
        },
        workload_files,
        counts: report.counts,
        problems: report.problems,
    }
}
