//! What a repository shows of its clusters, for commands that look at placement: workloads, pools, and which serve which.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assignment::Cluster;
use super::found::{Found, find};
use super::gather::Gathered;
use super::hints::Hints;
use super::session::{Load, Session};
use super::{Input, Settings, changed_file, texts};
use crate::finding::{FilePlace, Problem, Report};
use crate::model::node_pool::NodePool;
use crate::model::workload::{Stands, Workload};
use crate::source::{Source, SourceId, Span};

/// The clusters of a repository with everything in them.
#[derive(Debug)]
pub struct Survey {
    /// The clusters, in a stable order.
    pub clusters: Vec<SurveyedCluster>,
    /// Whether `Gt` and `Lt` work.
    pub comparison_operators: bool,
    /// Problems while reading.
    pub problems: Vec<Problem>,
    gathered: Gathered,
    sources: BTreeMap<SourceId, Source>,
}

/// A cluster, its pools and its workloads.
#[derive(Debug)]
pub struct SurveyedCluster {
    /// Its name, or the folder that shows it.
    pub name: String,
    /// Whether all its pools are known, with all their taints.
    pub complete: bool,
    /// Its node pools, as far as nothing contradicts their declaration.
    pub pools: Vec<Arc<NodePool>>,
    /// Its workloads, as indices into those of the survey.
    pub workloads: Vec<usize>,
}

impl Survey {
    /// All workloads of the repository.
    pub fn workloads(&self) -> &[Workload] {
        &self.gathered.workloads
    }

    /// The path of a file.
    pub fn path(&self, source: SourceId) -> &str {
        self.gathered.path(source)
    }

    /// The place of a span, if its file could be read again.
    pub fn place(&self, span: Span) -> Option<FilePlace> {
        let source = self.sources.get(&span.source)?;
        Some((source.path.clone(), source.position(span.start)))
    }
}

/// Reads every input once and finds their clusters.
pub fn survey_once(inputs: &[Input], load: &Load<'_>, settings: Settings<'_>) -> Survey {
    survey(&mut Session::once(inputs, load, settings))
}

/// Reads the files of a session and finds their clusters, with the pods that each has.
pub fn survey(session: &mut Session<'_>) -> Survey {
    let settings = session.settings();
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
    let comparison_operators = settings.config.comparison_operators();
    let clusters = clusters(&gathered, settings, comparison_operators);
    let members = clusters.iter().flat_map(|cluster| &cluster.workloads);
    let of_workloads = members
        .filter_map(|at| gathered.workloads.get(*at))
        .map(|workload| workload.source);
    let of_pools = clusters
        .iter()
        .flat_map(|cluster| &cluster.pools)
        .flat_map(|pool| {
            let taints = pool.taints.iter().filter_map(|taint| taint.span);
            let own = pool.name_span.or(pool.span);
            taints.chain(own).map(|span| span.source)
        });
    let named: BTreeSet<SourceId> = of_workloads.chain(of_pools).collect();
    let wanted = texts::wanted_by(named, &[]);
    let (_, changed) = texts::load_again(session, wanted, &mut report.sources);
    let problems = &mut report.problems;
    problems.extend(changed.into_values().map(changed_file));
    problems.sort();
    problems.dedup();
    if let Some(source) = &settings.config.source {
        let id = SourceId::CONFIGURATION;
        report.sources.insert(id, source.clone());
    }
    Survey {
        clusters,
        comparison_operators,
        problems: report.problems,
        gathered,
        sources: report.sources,
    }
}

fn clusters(
    gathered: &Gathered,
    settings: Settings<'_>,
    comparison_operators: bool,
) -> Vec<SurveyedCluster> {
    let found = find(gathered, settings).into_iter();
    let is_run = |index: &usize| {
        let workload = gathered.workloads.get(*index);
        workload.is_some_and(|workload| workload.stands == Stands::Alone)
    };
    let cluster = |((_, name), found): ((u8, String), Found)| {
        let as_assigned = Cluster {
            hints: found.hints.into_iter().collect(),
            beside: found.beside.into_iter().collect(),
            ..Cluster::default()
        };
        let hints = Hints::new(&as_assigned, gathered, comparison_operators);
        let pools = found.pools.iter().filter_map(|at| gathered.pools.get(*at));
        let mut workloads = found.workloads;
        workloads.retain(is_run);
        workloads.sort_unstable();
        workloads.dedup();
        SurveyedCluster {
            name,
            complete: found.complete,
            pools: pools.map(|placed| hints.doubt(&placed.pool)).collect(),
            workloads,
        }
    };
    found.map(cluster).collect()
}
