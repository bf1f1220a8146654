//! The missing fact if a rule could not decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::search::ClusterFacts;
use crate::finding::{Because, PoolGap};
use crate::model::Truth;
use crate::model::admission::{Giver, Injector};
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::placement::{Moment, Placement, place};
use crate::model::workload::{MoreTolerations, PodShape};

/// The reason why a rule that read the fact `what` could not judge pods of this shape, or `None` if it was already given
/// when the workload was read.
fn undecided(shape: &PodShape, facts: &ClusterFacts<'_>, what: &str) -> Option<Because> {
    let said = |why: &str| Some(Because::Own(why.into()));
    match what {
        "priorityClassName" | "runtimeClassName" | "hostNetwork" | "nodeName"
        | "tolerationSeconds" => return said(&format!("its `{what}` is unknown")),
        "system" => return said("its namespace or `priorityClassName` is unknown"),
        "extendedResources" => return said("its requests and limits are unknown"),
        "qosClass" if shape.resources_unread => {
            return said("its requests and limits are unknown");
        }
        "qosClass" => return said("the QoS class of its pods depends on other objects"),
        _ => {}
    }
    if let Some(why) = shape.unread_tolerations {
        return (why != MoreTolerations::InPart).then(|| Because::Own(why.as_str().into()));
    }
    let taints = facts.models.iter().flat_map(|pool| &pool.taints);
    if let Some(because) = added(shape, taints) {
        return Some(because);
    }
    if let Some(because) = pools(shape, facts) {
        return Some(because);
    }
    match what {
        "canLand" | "tolerates" | "selects" | "matches" | "shadowedBy" => {
            said("its pods may have other tolerations")
        }
        _ => said(&format!("`{what}` is unknown")),
    }
}

/// The reason why it is unknown whether pods of this shape fit their selected pools, if none certainly accepts them.
pub fn placement(shape: &PodShape, facts: &ClusterFacts<'_>) -> Option<Because> {
    let uncertain = shape.on_pods.entries.iter().any(|entry| !entry.certain);
    let known = |pool: &Arc<NodePool>| pool.complete && !has_open_taint(pool);
    if shape.selection.is_empty() || (!uncertain && facts.all_known(known)) {
        return None;
    }
    let tolerations = shape.all_tolerations();
    let candidate = shape.candidate(&tolerations);
    let gate = facts.comparison_operators;
    let mut open: Vec<&Arc<NodePool>> = Vec::new();
    for pool in facts.models.iter() {
        let selects = shape.selection.selects(&pool.labels, None) == Truth::Yes
            || shape.selection.selects_kind(&pool.labels, None) == Truth::Yes;
        if !selects {
            continue;
        }
        match place(&candidate, pool, Moment::Lasting, gate) {
            Placement::Lands => return None,
            Placement::Unknown(_) => open.push(pool),
            Placement::Refused(_) => {}
        }
    }
    let first = open.first()?;
    let added = open.iter().find_map(|pool| added(shape, &pool.taints));
    if !known(first) {
        let more = u32::try_from(open.len() - 1).unwrap_or(u32::MAX);
        return added.or_else(|| Some(Because::Pool(Arc::new(gap(first)), more)));
    }
    added
}

fn has_open_taint(pool: &NodePool) -> bool {
    pool.taints.iter().any(|taint| {
        let taint = &taint.taint;
        taint.key.is_unknown() || taint.value.is_unknown() || taint.effect.is_unknown()
    })
}

/// A toleration that an admission plugin may add and that would match one of these taints.
fn added<'t>(
    shape: &PodShape,
    taints: impl IntoIterator<Item = &'t PoolTaint> + Clone,
) -> Option<Because> {
    let uncertain = shape.on_pods.entries.iter().filter(|entry| !entry.certain);
    for entry in uncertain {
        let Some(key) = entry.toleration.key.known() else {
            continue;
        };
        let mut taints = taints.clone().into_iter();
        let mut fits = || taints.any(|taint| taint.taint.key.known() == Some(key));
        match entry.giver {
            Giver::Injected(Injector::ExtendedResourceToleration) if fits() => {
                return Some(Because::ExtendedResource(key.as_str().into()));
            }
            Giver::Injected(Injector::Other) if fits() => {
                let why = format!("a policy or its chart may add a toleration of `{key}`");
                return Some(Because::Own(why.as_str().into()));
            }
            _ => {}
        }
    }
    None
}

/// Pools with unknown properties that matter to these pods: the first one, and the number of others.
fn pools(shape: &PodShape, facts: &ClusterFacts<'_>) -> Option<Because> {
    let tolerations = shape.all_tolerations();
    let candidate = shape.candidate(&tolerations);
    let gate = facts.comparison_operators;
    let matters = |pool: &&Arc<NodePool>| {
        let unknown = matches!(
            place(&candidate, pool, Moment::Lasting, gate),
            Placement::Unknown(_)
        );
        unknown
            || pool.taints.iter().any(|taint| {
                let mut entries = shape.tolerations.iter();
                entries.any(|entry| entry.tolerates(&taint.taint, gate) == Truth::Unknown)
            })
    };
    let mut open = facts.models.iter().filter(matters);
    let first = open.next()?;
    let more = u32::try_from(open.count()).unwrap_or(u32::MAX);
    Some(Because::Pool(Arc::new(gap(first)), more))
}

/// What is unknown about a pool.
fn gap(pool: &NodePool) -> PoolGap {
    let (what, why) = match (pool.complete, has_open_taint(pool)) {
        (false, _) => ("taints", pool.incomplete_because.clone()),
        (true, true) => ("taint values", None),
        (true, false) => ("labels", None),
    };
    PoolGap {
        name: pool.name.clone(),
        span: pool.name_span.or(pool.span),
        what,
        why,
    }
}

/// The reasons for one shape in one cluster, each computed once, however many workloads share the shape.
#[derive(Default)]
pub struct Reasons(BTreeMap<String, Option<Because>>);

impl Reasons {
    /// The reason why a rule that read `what` could not judge.
    pub fn because(
        &mut self,
        shape: &PodShape,
        facts: &ClusterFacts<'_>,
        what: &str,
    ) -> Option<Because> {
        if let Some(known) = self.0.get(what) {
            return known.clone();
        }
        let because = undecided(shape, facts, what);
        self.0.insert(what.to_owned(), because.clone());
        because
    }
}
