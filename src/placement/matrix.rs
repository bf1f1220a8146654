//! All workloads by all pools: rows of pods that are alike for the scheduler, one table for each cluster.

use std::collections::BTreeMap;

use super::judgement::{outcome, shown, shown_pool};
use crate::finding::{MatrixCluster, MatrixRow};
use crate::lint::{Survey, SurveyedCluster};
use crate::model::Field;
use crate::model::node_selection::NodeSelection;
use crate::model::toleration::Toleration;
use crate::model::workload::{PodShape, Workload};

/// Which part of the matrix to show. `None` means all.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixFilter<'f> {
    /// Only clusters with this name.
    pub cluster: Option<&'f str>,
    /// Only workloads in this namespace.
    pub namespace: Option<&'f str>,
    /// Only pods that can run on none of the pools.
    pub problems: bool,
}

/// What the scheduler sees of pods. Pods that are alike in it form one row.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alike<'s> {
    tolerations: Vec<Toleration>,
    unread: bool,
    selection: &'s NodeSelection,
    node_name: &'s Field<String>,
}

impl<'s> Alike<'s> {
    fn of(shape: &'s PodShape) -> Alike<'s> {
        let mut tolerations = shape.all_tolerations();
        for entry in &mut tolerations {
            entry.toleration_seconds = Field::Absent;
        }
        tolerations.sort();
        tolerations.dedup();
        Alike {
            tolerations,
            unread: shape.unread_tolerations.is_some(),
            selection: &shape.selection,
            node_name: &shape.node_name,
        }
    }
}

/// The matrix of each cluster with workloads or pools.
pub fn matrix(survey: &Survey<'_>, filter: MatrixFilter<'_>) -> Vec<MatrixCluster> {
    let shown = survey.clusters.iter();
    let shown = shown.filter(|one| filter.cluster.is_none_or(|name| name == one.name));
    let shown: Vec<&SurveyedCluster> = shown.collect();
    let spans = shown.iter().flat_map(|cluster| {
        let workloads = members(survey, cluster, filter.namespace);
        let pools = cluster.pools.iter();
        let of_pools = pools.filter_map(|pool| pool.name_span.or(pool.span));
        workloads.map(|one| one.span).chain(of_pools)
    });
    survey.expect_places(spans);
    let mut clusters = Vec::new();
    for cluster in shown {
        let mut rows = rows(survey, cluster, filter.namespace);
        if filter.problems {
            rows.retain(MatrixRow::is_problem);
        }
        let is_asked = filter.problems || filter.namespace.is_some();
        if rows.is_empty() && is_asked {
            continue;
        }
        clusters.push(MatrixCluster {
            name: cluster.name.clone(),
            complete: cluster.complete,
            pools: cluster
                .pools
                .iter()
                .map(|pool| shown_pool(survey, pool))
                .collect(),
            rows,
        });
    }
    clusters
}

/// The workloads of a cluster in a namespace, or in any.
fn members<'s>(
    survey: &'s Survey<'_>,
    cluster: &'s SurveyedCluster,
    namespace: Option<&str>,
) -> impl Iterator<Item = &'s Workload> {
    let all = cluster.workloads.iter();
    let all = all.filter_map(|at| survey.workloads().get(*at));
    all.filter(move |one| {
        let own = one.object.namespace.as_deref();
        namespace.is_none_or(|namespace| own == Some(namespace))
    })
}

fn rows(survey: &Survey<'_>, cluster: &SurveyedCluster, namespace: Option<&str>) -> Vec<MatrixRow> {
    let mut alike: BTreeMap<Alike<'_>, Vec<&Workload>> = BTreeMap::new();
    for workload in members(survey, cluster, namespace) {
        let key = Alike::of(&workload.shape);
        alike.entry(key).or_default().push(workload);
    }
    let gate = survey.comparison_operators;
    let mut rows: Vec<MatrixRow> = Vec::new();
    for workloads in alike.into_values() {
        let Some(first) = workloads.first() else {
            continue;
        };
        let tolerations = first.shape.all_tolerations();
        let cells = cluster.pools.iter().map(|pool| {
            let outcome = outcome(&first.shape, &tolerations, pool, gate);
            outcome.told(survey, first, pool)
        });
        rows.push(MatrixRow {
            cells: cells.collect(),
            workloads: workloads.iter().map(|one| shown(survey, one)).collect(),
        });
    }
    let key = |row: &MatrixRow| {
        let first = row.workloads.first();
        first.map(|one| {
            let object = &one.object;
            (
                object.namespace.clone(),
                object.name.clone(),
                object.kind.clone(),
                one.place.clone(),
            )
        })
    };
    rows.sort_by_cached_key(key);
    rows
}
