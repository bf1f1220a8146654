//! The verdict on pods of one shape and one pool, with places and in the scheduler's words.

use std::sync::Arc;

use crate::extract::is_placeholder;
use crate::finding::{FilePlace, Judgement, Object, PlacedObject, PoolColumn, Stay, Verdict};
use crate::lint::Survey;
use crate::model::Truth;
use crate::model::eviction::Eviction;
use crate::model::node_pool::NodePool;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::taint::{Effect, Taint};
use crate::model::toleration::{Toleration, tolerate};
use crate::model::workload::{PodShape, Workload};

/// A verdict without its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    reason: Option<Reason>,
    /// The index of the taint that decides.
    taint: Option<usize>,
    unknown: Option<String>,
}

/// Judges pods of a shape on the nodes of a pool, once startup taints are gone. `tolerations` are all those of the pods.
pub(super) fn outcome(
    shape: &PodShape,
    tolerations: &[Toleration],
    pool: &NodePool,
    comparison_operators: bool,
) -> Outcome {
    outcome_at(
        Moment::Lasting,
        shape,
        tolerations,
        pool,
        comparison_operators,
    )
}

/// Judges pods of a shape on the nodes of a pool, with the taints and cordons of a moment.
pub(super) fn outcome_at(
    moment: Moment,
    shape: &PodShape,
    tolerations: &[Toleration],
    pool: &NodePool,
    comparison_operators: bool,
) -> Outcome {
    let refused = |reason: Reason| Outcome {
        verdict: match reason {
            Reason::Taint(_) | Reason::Unschedulable => Verdict::KeptOut,
            Reason::NodeName | Reason::Affinity => Verdict::NotSelected,
        },
        reason: Some(reason),
        taint: match reason {
            Reason::Taint(at) => Some(at),
            _ => None,
        },
        unknown: None,
    };
    if shape.gets_none_of(pool) {
        return refused(Reason::Affinity);
    }
    let candidate = shape.candidate(tolerations);
    match place(&candidate, pool, moment, comparison_operators) {
        Placement::Refused(reason) => refused(reason),
        Placement::Unknown(why) => Outcome {
            verdict: Verdict::Unknown,
            reason: None,
            taint: None,
            unknown: Some(why),
        },
        Placement::Lands => {
            let soft = avoided(shape, tolerations, pool, comparison_operators);
            Outcome {
                verdict: match soft {
                    Some(_) => Verdict::PrefersNot,
                    None => Verdict::Lands,
                },
                reason: None,
                taint: soft,
                unknown: None,
            }
        }
    }
}

/// The first soft taint of a pool that the pods certainly do not tolerate.
fn avoided(
    shape: &PodShape,
    tolerations: &[Toleration],
    pool: &NodePool,
    comparison_operators: bool,
) -> Option<usize> {
    if shape.unread_tolerations.is_some() {
        return None;
    }
    let mut lasting = pool.lasting_taints();
    let found = lasting.find(|(_, taint)| {
        taint.taint.effect() == Some(Effect::PreferNoSchedule)
            && tolerate(tolerations, &taint.taint, comparison_operators) == Truth::No
    });
    found.map(|(at, _)| at)
}

/// When the taint-eviction controller deletes pods of a shape from nodes with these taints.
pub(super) fn stay(shape: &PodShape, taints: &[Taint], comparison_operators: bool) -> Stay {
    if taints.is_empty() {
        return Stay::Forever;
    }
    if shape.unread_tolerations.is_some() {
        return Stay::Unknown;
    }
    match shape.on_pods.eviction(taints, comparison_operators) {
        Eviction::Never => Stay::Forever,
        Eviction::AtOnce => Stay::Evicted,
        Eviction::Unknown => Stay::Unknown,
        after @ Eviction::After(_) => after.seconds().map_or(Stay::Unknown, Stay::For),
    }
}

impl Outcome {
    /// The verdict with its reason, and with the places for one of the workloads.
    pub(super) fn told(
        &self,
        survey: &Survey<'_>,
        workload: &Workload,
        pool: &NodePool,
    ) -> Judgement {
        let taint = self.taint.and_then(|at| pool.taints.get(at));
        let own = pool.name_span.or(pool.span);
        let of_pool = match taint {
            Some(taint) => taint.span.or(own),
            None => own,
        };
        let of_workload = match self.verdict {
            Verdict::KeptOut | Verdict::PrefersNot => workload.list.or(Some(workload.span)),
            Verdict::NotSelected => {
                let first = workload.selectors.first();
                Some(first.map_or(workload.span, |(_, span, _)| *span))
            }
            Verdict::Lands | Verdict::Unknown => None,
        };
        let spans = of_workload.into_iter().chain(of_pool);
        let soft = "node(s) had untolerated soft taint(s)";
        Judgement {
            verdict: self.verdict,
            plugin: match (self.verdict, self.reason) {
                (Verdict::PrefersNot, _) | (_, Some(Reason::Taint(_))) => Some("TaintToleration"),
                (_, Some(Reason::Unschedulable)) => Some("NodeUnschedulable"),
                (_, Some(Reason::NodeName)) => Some("NodeName"),
                (_, Some(Reason::Affinity)) => Some("NodeAffinity"),
                (_, None) => None,
            },
            reason: match (&self.unknown, self.reason) {
                (Some(why), _) => Some(why.clone()),
                (None, Some(reason)) => Some(reason.words().to_owned()),
                (None, None) => taint.map(|_| soft.to_owned()),
            },
            taint: taint.map(|taint| taint.taint.to_string()),
            places: spans.filter_map(|span| survey.place(span)).collect(),
        }
    }
}

/// A workload with its place.
pub(super) fn shown(survey: &Survey<'_>, workload: &Workload) -> PlacedObject {
    PlacedObject {
        object: shown_object(workload),
        place: survey.place(workload.span),
    }
}

/// The object that makes the pods of a workload.
pub(super) fn shown_object(workload: &Workload) -> Object {
    let mut object = workload.object.clone();
    if let Some(namespace) = &workload.pods_in {
        object.namespace = Some(namespace.to_string());
    }
    // Something fills in the namespace later.
    object.namespace = object
        .namespace
        .filter(|name| !is_placeholder(name) && !name.starts_with('$'));
    // A chart's values name no object; the chart does.
    if object.kind != workload.shape.kind
        && let Some(component) = workload.component.as_deref()
    {
        object.kind.clone_from(&workload.shape.kind);
        object.name = Some(component.to_owned());
    }
    object
}

/// A pool with its place.
pub(super) fn shown_pool(survey: &Survey<'_>, pool: &Arc<NodePool>) -> PoolColumn {
    let lasting = pool.lasting_taints();
    let own = pool.name_span.or(pool.span);
    let place: Option<FilePlace> = own.and_then(|span| survey.place(span));
    PoolColumn {
        name: pool.name.clone(),
        taints: lasting.map(|(_, taint)| taint.taint.to_string()).collect(),
        complete: pool.complete,
        place,
    }
}
