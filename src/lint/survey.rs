//! What a repository shows of its clusters, for commands that look at placement: workloads, pools, and which serve which.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::apart::{MaySplit, tell_apart};
use super::assignment::Cluster;
use super::found::{Found, find};
use super::gather::Gathered;
use super::hints::Hints;
use super::session::{Load, Session};
use super::texts::{Held, Later};
use super::{Input, Settings};
use crate::finding::{FilePlace, Problem, Report};
use crate::model::node_pool::NodePool;
use crate::model::workload::{Stands, Workload};
use crate::source::{SourceId, Span};

/// The clusters of a repository with everything in them.
#[derive(Debug)]
pub struct Survey<'l> {
    /// The clusters, in a stable order.
    pub clusters: Vec<SurveyedCluster>,
    /// Whether `Gt` and `Lt` work.
    pub comparison_operators: bool,
    problems: Vec<Problem>,
    gathered: Gathered,
    texts: Held<'l>,
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

impl Survey<'_> {
    /// All workloads of the repository.
    pub fn workloads(&self) -> &[Workload] {
        &self.gathered.workloads
    }

    /// The path of a file.
    pub fn path(&self, source: SourceId) -> &str {
        self.gathered.path(source)
    }

    /// The files of which not everything could be read.
    pub fn broken_files(&self) -> BTreeSet<&str> {
        let unread = self.gathered.unread.iter();
        let unread = unread.map(|(span, _)| self.path(span.source));
        let notices = self.gathered.notices.iter();
        let unparsed = notices.filter(|notice| notice.kind.is_unread_file());
        let unparsed = unparsed.map(|notice| self.path(notice.span.source));
        let problems = self.problems.iter();
        let files = problems.filter_map(|problem| problem.file.as_deref());
        unread.chain(unparsed).chain(files).collect()
    }

    /// The place of a span, if its file could be read again.
    pub fn place(&self, span: Span) -> Option<FilePlace> {
        self.texts.place(span)
    }

    /// Prepares for the places of many spans, whose texts are loaded several at a time.
    pub fn expect_places(&self, spans: impl Iterator<Item = Span>) {
        self.texts
            .load_all(&spans.map(|span| span.source).collect());
    }

    /// Everything that was read.
    pub(super) fn gathered(&self) -> &Gathered {
        &self.gathered
    }

    /// The texts of its files.
    pub(super) fn texts(&self) -> &Held<'_> {
        &self.texts
    }

    /// Problems while reading, also those while places were looked up.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        problems.extend(self.texts.changed());
        problems.sort();
        problems.dedup();
        problems
    }

    /// Files that changed before their places were looked up.
    pub fn changed(&self) -> Vec<Problem> {
        self.texts.changed()
    }

    /// Adds problems.
    pub fn add_problems(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems);
    }
}

/// Reads every input once and finds their clusters. `later` loads the texts that places are looked up in.
pub fn survey_once<'l>(
    inputs: &[Input],
    load: &Load<'_>,
    later: Later<'l>,
    settings: Settings<'_>,
) -> Survey<'l> {
    let mut session = Session::once(inputs, load, settings);
    let mut report = Report::default();
    let gathered = session.gather(&mut report);
    let clusters = clusters(&gathered, settings);
    let texts = Held::new(&session, later);
    survey(gathered, clusters, settings, (texts, report.problems))
}

/// Puts a survey together.
pub(super) fn survey<'l>(
    gathered: Gathered,
    clusters: Vec<SurveyedCluster>,
    settings: Settings<'_>,
    (texts, problems): (Held<'l>, Vec<Problem>),
) -> Survey<'l> {
    if let Some(source) = &settings.config.source {
        texts.hold(SourceId::CONFIGURATION, source.clone());
    }
    Survey {
        clusters,
        comparison_operators: settings.config.comparison_operators(),
        problems,
        gathered,
        texts,
    }
}

/// The clusters with their pools and workloads.
pub(super) fn clusters(gathered: &Gathered, settings: Settings<'_>) -> Vec<SurveyedCluster> {
    let comparison_operators = settings.config.comparison_operators();
    let found = tell_apart(find(gathered, settings), gathered, MaySplit::No).into_iter();
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
