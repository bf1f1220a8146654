//! What the pools of a cluster settle, and what the rest of the repository says where no pool of the cluster does.

use std::sync::Arc;

use super::facts::{self as all_facts, pool_fact, taint_facts};
use super::search::ClusterFacts;
use crate::model::Truth;
use crate::model::label_keys::is_managed_label_key;
use crate::model::node_pool::NodePool;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::workload::{PodShape, Workload};
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// Whether the pools' taints settle what an entry of a shape matches: no pool that these pods may select can have an
/// unknown taint with the entry's key.
pub fn settles(facts: &ClusterFacts<'_>, shape: &PodShape, index: usize) -> bool {
    let Some(entry) = shape.tolerations.get(index) else {
        return false;
    };
    let key = entry.key.text().filter(|key| !key.is_empty());
    let asks = |key: &str| shape.selection.required_labels().contains_key(key);
    let is_open = |pool: &&Arc<NodePool>| {
        // A provider that makes pools on demand taints them only with keys that the pods require as labels, too.
        let is_made =
            !pool.made_on_demand || key.is_none_or(|key| is_managed_label_key(key) || asks(key));
        is_made && pool.may_have_unknown_taint(key) && !shape.gets_none_of(pool)
    };
    let mut open = facts.models.iter().filter(is_open);
    !open.any(|pool| shape.selection.selects(&pool.labels, None) != Truth::No)
}

/// Whether no pool of a cluster serves a shape: it has none, or folders alone tell which it has, and each that the pods may
/// select has a taint with a key that they do not tolerate.
pub fn is_unserved(facts: &ClusterFacts<'_>, shape: &PodShape) -> bool {
    if facts.models.is_empty() {
        return true;
    }
    let pools = facts.selectable(&shape.selection);
    if facts.own.is_named() || facts.hints.pools().next().is_some() {
        return false;
    }
    let tolerations = shape.all_tolerations();
    let candidate = shape.candidate(&tolerations);
    let gate = facts.comparison_operators;
    // Pools that have what the pods ask for, as far as it says what sort of nodes they are, are judged themselves.
    let is_meant = |pool: &NodePool| shape.selection.selects_kind(&pool.labels, None) == Truth::Yes;
    let is_kept_out = |pool: &Arc<NodePool>| match shape.selection.selects(&pool.labels, None) {
        _ if is_meant(pool) => false,
        Truth::No => true,
        Truth::Yes => false,
        Truth::Unknown => match place(&candidate, pool, Moment::Lasting, gate) {
            Placement::Refused(Reason::Taint(at)) => {
                let taint = pool.taints.get(at);
                taint.is_some_and(|one| !one.taint.key.is_unknown())
            }
            _ => false,
        },
    };
    let pools = pools.unwrap_or_else(|| (0..facts.models.len()).collect());
    let mut pools = pools.iter().filter_map(|at| facts.models.get(*at));
    pools.all(is_kept_out)
}

/// `workload` with the fields that the object determines: if no pool serves it, also the pools elsewhere in the
/// repository that it means and that keep it out.
pub fn named(
    facts: &ClusterFacts<'_>,
    searched: &Fact,
    workload: &Workload,
    in_tests: bool,
    is_unserved: bool,
) -> Fact {
    let mut elsewhere = Vec::new();
    if is_unserved {
        let path = facts.gathered.scanned_path(workload.source);
        let as_read = workload.shape.as_read();
        let shape = as_read.as_ref().unwrap_or(&workload.shape);
        let gate = facts.comparison_operators;
        let is_own = |pool: &NodePool| facts.models.iter().any(|own| std::ptr::eq(&**own, pool));
        for (pool, taint) in facts.usage.kept_out(shape, path, gate) {
            if is_own(pool) {
                continue;
            }
            let taints = taint_facts(pool);
            let Some(taint) = taints.get(taint) else {
                continue;
            };
            let fact = FactBuilder::new(FactKind::Blocked)
                .fact("pool", &pool_fact(pool, &taints, gate))
                .fact("taint", taint);
            elsewhere.push(fact.build());
        }
    }
    let path = facts.gathered.scanned_path(workload.source);
    let layered = facts.usage.is_layered(workload, path);
    let named = all_facts::named(searched, workload, in_tests, elsewhere);
    FactBuilder::extend(&named).bool("layered", layered).build()
}
