//! What else a search of a cluster's pools gives for a pod shape: labels that no pool answers, and pools that an agent
//! which should run everywhere does not reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::search::ClusterFacts;
use super::testimony::Testimony;
use crate::model::label_keys::canonical_label_key;
use crate::model::near_miss::{is_same_word, key_likeness};
use crate::model::node_pool::NodePool;
use crate::model::node_selection::NodeSelection;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::workload::PodShape;
use crate::model::{Field, Truth};
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// `workload` for scope workload: what searching the pools for a shape gives, and what others say about it.
pub fn search(facts: &ClusterFacts<'_>, shape: &Arc<PodShape>, testimony: &Testimony) -> Fact {
    FactBuilder::extend(&facts.search(shape, testimony))
        .facts("unansweredLabels", unanswered(facts, shape))
        .facts("missedPools", missed(facts, shape))
        .build()
}

/// Labels that the pod surely asks for and that no pool has or may have.
fn unanswered(facts: &ClusterFacts<'_>, shape: &PodShape) -> Vec<Fact> {
    if facts.models.is_empty() || !shape.node_name.is_absent() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, value) in shape.selection.required_labels() {
        let asked = NodeSelection {
            node_selector: BTreeMap::from([(key.to_owned(), Field::Is(value.to_owned()))]),
            ..NodeSelection::default()
        };
        let mut models = facts.models.iter();
        if models.any(|pool| asked.selects(&pool.labels, None) != Truth::No) {
            continue;
        }
        let near = facts
            .models
            .iter()
            .enumerate()
            .find_map(|(at, pool)| Some((at, near_label(pool, key, value)?)));
        let builder = FactBuilder::new(FactKind::UnansweredLabel)
            .text("key", key)
            .text("value", value);
        let builder = match near {
            Some((at, near)) => builder
                .text("near", near)
                .text("pool", facts.models[at].name.clone())
                .place(facts.pools[at].place().cloned()),
            None => builder.text("near", "").text("pool", ""),
        };
        found.push(builder.build());
    }
    found
}

/// A label of the pool that is nearly this one, as `key: value`.
fn near_label(pool: &Arc<NodePool>, key: &str, value: &str) -> Option<String> {
    pool.labels.labels.iter().find_map(|(own, held)| {
        let held = held.known()?;
        let same_key = canonical_label_key(own) == canonical_label_key(key);
        let near = (same_key && is_same_word(value, held))
            || (held == value && key_likeness(key, own).is_some());
        near.then(|| format!("{own}: {held}"))
    })
}

/// Pools that a DaemonSet which asks for no particular nodes does not reach, each with the taint that is in the way.
fn missed(facts: &ClusterFacts<'_>, shape: &PodShape) -> Vec<Fact> {
    let everywhere = shape.kind == "DaemonSet"
        && shape.selection.is_empty()
        && !shape.prefers
        && shape.node_name.is_absent();
    if !everywhere {
        return Vec::new();
    }
    let tolerations = shape.all_tolerations();
    let candidate = shape.candidate(&tolerations);
    let gate = facts.comparison_operators;
    let missed = facts.models.iter().enumerate().filter_map(|(at, pool)| {
        match place(&candidate, pool, Moment::Lasting, gate) {
            Placement::Refused(Reason::Taint(taint)) => {
                let fact = FactBuilder::new(FactKind::Blocked)
                    .fact("pool", &facts.pools[at])
                    .fact("taint", &facts.taints[at][taint]);
                Some(fact.build())
            }
            _ => None,
        }
    });
    missed.collect()
}
