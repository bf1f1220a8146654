//! Additional results of searching a cluster's pools for a pod shape: labels that no pool provides, and pools that an agent
//! meant for every node does not reach.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use super::by_label::Label;
use super::clouds::foreign_cloud;
use super::search::ClusterFacts;
use super::searched;
use super::testimony::Testimony;
use crate::model::label_keys::canonical_label_key;
use crate::model::near_miss::{is_same_word, key_distance, key_likeness, value_distance};
use crate::model::node_selection::NodeSelection;
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::workload::PodShape;
use crate::model::{Field, Truth};
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// A DaemonSet's facts hold at most this many of the pools that it misses, and one more with another key. Nobody reads more.
const MISSED: usize = 100;

/// `workload` for scope workload: the result of searching the pools for a shape, and the testimony of other workloads.
pub fn search(facts: &ClusterFacts<'_>, shape: &Arc<PodShape>, testimony: &Testimony) -> Fact {
    let (labels, clouds) = foreign(facts, shape);
    FactBuilder::extend(&searched::search(facts, shape, testimony))
        .texts("foreignLabels", &labels)
        .text("foreignCloud", clouds.first().copied().unwrap_or_default())
        .facts("unansweredLabels", unanswered(facts, shape))
        .facts("missedPools", missed(facts, shape))
        .build()
}

/// Labels that the pod certainly requires and that no pool has or may have.
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
        let pools = facts.by_label().that_may_have(key, value);
        let mut models = pools.filter_map(|at| facts.models.get(at));
        if models.any(|pool| asked.selects(&pool.labels, None) != Truth::No) {
            continue;
        }
        let near = near_labels(facts, key, value);
        let builder = FactBuilder::new(FactKind::UnansweredLabel)
            .text("key", key)
            .text("value", value)
            .texts("alternatives", near.iter().skip(1).map(|(_, label)| label));
        let builder = match near.first() {
            Some((at, label)) => builder
                .text("near", label.clone())
                .text("pool", facts.models[*at].name.clone())
                .place(facts.pools[*at].place().cloned()),
            None => builder.text("near", "").text("pool", ""),
        };
        found.push(builder.build());
    }
    found
}

/// Labels that the pod certainly requires and that only nodes of another cloud have, as `key: value`, and these clouds.
fn foreign(facts: &ClusterFacts<'_>, shape: &PodShape) -> (Vec<String>, Vec<&'static str>) {
    let required = shape.selection.required_labels().into_iter();
    let foreign = required.filter_map(|(key, value)| {
        let cloud = foreign_cloud(facts.cloud, &facts.models, key)?;
        Some((format!("{key}: {value}"), cloud))
    });
    foreign.unzip()
}

/// The labels nearest to this one, each once as `key: value` with a pool that has it. Returns several if they are equally
/// near.
fn near_labels(facts: &ClusterFacts<'_>, key: &str, value: &str) -> Vec<(usize, String)> {
    let labels = facts.by_label().candidates(key, value).into_iter();
    let near = labels.filter_map(|label| {
        let distance = distance(label, key, value)?;
        let text = format!("{}: {}", label.key, label.value);
        Some((distance, label.pool, text))
    });
    let near: Vec<_> = near.collect();
    let nearest = near.iter().map(|(distance, _, _)| *distance).min();
    let mut found: Vec<(usize, String)> = Vec::new();
    for (distance, at, label) in near {
        if Some(distance) == nearest && !found.iter().any(|(_, known)| *known == label) {
            found.push((at, label));
        }
    }
    found
}

/// The edit distance of a label from this one, if it is similar.
fn distance(label: &Label, key: &str, value: &str) -> Option<usize> {
    let (own, held) = (label.key.as_str(), label.value.as_str());
    let same_key = canonical_label_key(own) == canonical_label_key(key);
    if same_key && is_same_word(value, held) {
        return Some(value_distance(value, held).unwrap_or(usize::MAX));
    }
    (held == value && key_likeness(key, own).is_some()).then(|| key_distance(key, own))
}

/// Pools that a DaemonSet without node selection does not reach, each with the taint that blocks it: the first ones, and the
/// first with another key, if there is one.
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
    let pools = facts.models.iter().enumerate();
    let mut missed =
        pools.filter_map(
            |(at, pool)| match place(&candidate, pool, Moment::Lasting, gate) {
                Placement::Refused(Reason::Taint(taint)) => Some((at, taint)),
                _ => None,
            },
        );
    let key = |(at, taint): (usize, usize)| &facts.models[at].taints[taint].taint.key;
    let mut first: Vec<(usize, usize)> = missed.by_ref().take(MISSED).collect();
    if let Some(one) = first.first().map(|one| key(*one))
        && first.iter().all(|other| key(*other) == one)
    {
        first.extend(missed.find(|other| key(*other) != one));
    }
    let fact = |(at, taint): (usize, usize)| {
        FactBuilder::new(FactKind::Blocked)
            .fact("pool", &facts.pools[at])
            .fact("taint", &facts.taints[at][taint])
            .build()
    };
    first.into_iter().map(fact).collect()
}
