//! Lists the clusters of a repository: how each is known, and what is missing to know all its pools.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;

use super::apart::{MaySplit, tell_apart};
use super::found::{Found, find};
use super::gather::Gathered;
use super::session::{Load, Session};
use super::{Input, Settings, changed_file, texts};
use crate::finding::{FilePlace, ListedCluster, ListedGap, NOT_DECLARED, Problem, Report};
use crate::model::node_pool::NodePool;
use crate::source::{SourceId, Span};

/// The clusters of a run.
#[derive(Debug)]
pub struct ClusterListing {
    /// The clusters, in a stable order.
    pub clusters: Vec<ListedCluster>,
    /// What was not read of the files that say what runs where.
    pub not_read: Vec<ListedGap>,
    /// Problems while reading.
    pub problems: Vec<Problem>,
}

/// The most clusters that a gap names.
const MOST_NAMES: usize = 5;

/// Reads every input and lists the clusters. The same inputs give the same list.
pub fn list_clusters(inputs: &[Input], load: &Load<'_>, settings: Settings<'_>) -> ClusterListing {
    let mut session = Session::once(inputs, load, settings);
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
    let found = tell_apart(find(&gathered, settings), &gathered, MaySplit::Yes);
    let pools = gathered.pools.iter();
    let of_pools = pools.filter_map(|placed| placed.pool.name_span.or(placed.pool.span));
    let of_clusters = found
        .values()
        .flat_map(|one| one.at.into_iter().chain(one.unread));
    let of_graph = gathered.graph.troubles.iter().map(|trouble| trouble.at);
    let named: BTreeSet<SourceId> = of_pools
        .chain(of_clusters)
        .chain(of_graph)
        .map(|span| span.source)
        .collect();
    let wanted = texts::wanted_by(named, &[]);
    let (_, changed) = texts::load_again(&session, wanted, &mut report.sources);
    report
        .problems
        .extend(changed.into_values().map(changed_file));
    if let Some(source) = &settings.config.source {
        report
            .sources
            .insert(SourceId::CONFIGURATION, source.clone());
    }
    let place = |span: Span| -> Option<FilePlace> {
        let source = report.sources.get(&span.source)?;
        Some((source.path.clone(), source.position(span.start)))
    };
    let clusters = found.into_iter().map(|((_, name), found)| {
        let mut missing = Vec::new();
        if !found.complete {
            missing = gaps(&gathered, &found, &place);
        }
        let names = found
            .pools
            .iter()
            .map(|at| gathered.pools[*at].pool.name.clone());
        let names: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
        ListedCluster {
            name,
            known_from: found.known_from,
            place: found.at.and_then(place),
            pools: names.into_iter().collect(),
            workloads: found.workloads.len(),
            complete: found.complete,
            missing,
        }
    });
    let clusters = clusters.collect();
    let troubles = gathered.graph.troubles.iter();
    let not_read = troubles.map(|trouble| ListedGap {
        what: trouble.why.clone(),
        place: place(trouble.at),
    });
    let not_read = not_read.collect();
    report.problems.sort();
    report.problems.dedup();
    ClusterListing {
        clusters,
        not_read,
        problems: report.problems,
    }
}

/// What is missing to know all pools of a cluster with all their taints.
fn gaps(
    gathered: &Gathered,
    found: &Found,
    place: &dyn Fn(Span) -> Option<FilePlace>,
) -> Vec<ListedGap> {
    let mut missing = Vec::new();
    if !found.among.is_empty() {
        let names: Vec<String> = found
            .among
            .iter()
            .take(MOST_NAMES)
            .map(|name| format!("`{name}`"))
            .collect();
        let more = match found.among.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        missing.push(ListedGap {
            what: format!(
                "nothing says on which of the pools in {names}{more} these workloads run"
            ),
            place: None,
        });
    } else if found.pools.is_empty() {
        missing.push(ListedGap {
            what: match gathered.pools.is_empty() {
                true => "no node pool was read".to_owned(),
                false => "none of the node pools that were read is known to be its own".to_owned(),
            },
            place: None,
        });
    }
    for index in &found.pools {
        let pool = &gathered.pools[*index].pool;
        let Some(what) = unknown_taints(pool) else {
            continue;
        };
        missing.push(ListedGap {
            what,
            place: pool.name_span.or(pool.span).and_then(place),
        });
    }
    if let Some(unread) = found.unread {
        missing.push(ListedGap {
            what: "this document could not be read and may declare node pools".to_owned(),
            place: place(unread),
        });
    }
    missing.sort();
    missing.dedup();
    missing.push(ListedGap {
        what: NOT_DECLARED.to_owned(),
        place: None,
    });
    missing
}

/// Says that not all taints of a pool are known, and why.
pub(super) fn unknown_taints(pool: &NodePool) -> Option<String> {
    if pool.complete {
        return None;
    }
    let why = pool
        .incomplete_because
        .as_deref()
        .unwrap_or("some could not be read");
    let name = match pool.name.as_str() {
        "" => "a pool without a name".to_owned(),
        name => format!("pool `{name}`"),
    };
    Some(format!("{name} has unknown taints: {why}"))
}
