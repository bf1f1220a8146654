//! Facts as conditions see them: values of the model under the names of the rule language.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::Config;
use crate::extract::api_group;
use crate::model::device::{DeviceEntry, PlacedDeviceEntry};
use crate::model::eviction::Shadow;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::placement::Reason;
use crate::model::redundancy::Redundancy;
use crate::model::refusal::Refusal;
use crate::model::taint::{self, Taint};
use crate::model::toleration::Toleration;
use crate::model::well_known::WellKnown;
use crate::model::workload::{Level, PodShape, Workload};
use crate::model::{Field, Truth};
use crate::rule::fact::{Fact, FactBuilder, FactKind, Handle, Place};
use crate::source::Span;

/// `kubernetes`
pub fn kubernetes(config: &Config) -> Fact {
    FactBuilder::new(FactKind::Kubernetes)
        .text("version", config.kubernetes.to_string())
        .bool("comparisonOperators", config.comparison_operators())
        .text("comparisonStage", config.comparison_stage())
        .bool(
            "checksAffinityValues",
            config.kubernetes.checks_affinity_values(),
        )
        .bool(
            "hasControlPlaneTaint",
            config.kubernetes.has_control_plane_taint(),
        )
        .bool(
            "knowsDeviceEffectNone",
            config.kubernetes.knows_device_effect_none(),
        )
        .texts("admission", config.admission.iter().flatten())
        .bool("knowsAdmission", config.admission.is_some())
        .build()
}

/// The fact for an entry of a tolerations list, as written.
pub fn entry_fact(entry: &Toleration, index: usize, comparison_operators: bool) -> FactBuilder {
    toleration_fact(entry, comparison_operators).place(Some(Place::Entry(index)))
}

fn toleration_fact(entry: &Toleration, comparison_operators: bool) -> FactBuilder {
    let subject = match &entry.key {
        Field::Is(key) if !key.is_empty() => Field::Is(format!("toleration of `{key}`")),
        key => key.clone(),
    };
    let builder = FactBuilder::new(FactKind::Toleration)
        .field("subject", &subject, "a toleration without a key")
        .field("key", &entry.key, "")
        .field("operator", &entry.operator, "Equal")
        .field("value", &entry.value, "")
        .field("effect", &entry.effect, "")
        .text("text", entry.to_string())
        .handle(
            Handle::Toleration(Arc::new(entry.clone())),
            comparison_operators,
        );
    seconds(builder, entry)
}

fn seconds(builder: FactBuilder, entry: &Toleration) -> FactBuilder {
    match entry.toleration_seconds {
        Field::Absent => builder,
        Field::Is(seconds) => builder.int("tolerationSeconds", seconds),
        Field::Unknown => builder.unknown("tolerationSeconds"),
    }
}

/// What is known about the taints with an entry's key, for scope toleration. An entry without a key refers to no particular
/// taint.
pub fn well_known_fields(
    builder: FactBuilder,
    entry: &Toleration,
    well_known: &WellKnown,
) -> FactBuilder {
    const TEXTS: [&str; 4] = ["means", "addedBy", "replacedBy", "until"];
    let Some(key) = entry.key.text() else {
        let builder = builder
            .unknown("wellKnown")
            .unknown("legacy")
            .unknown("fits");
        return TEXTS.into_iter().fold(builder, FactBuilder::unknown);
    };
    let row = well_known.find(key);
    let known = [
        row.map_or("", |row| row.means.as_str()),
        row.map_or("", |row| &row.added_by),
        row.map_or("", |row| &row.replaced_by),
        row.map_or("", |row| &row.until),
    ];
    let builder = builder
        .bool("wellKnown", row.is_some())
        .bool("legacy", row.is_some_and(|row| row.dead))
        .truth("fits", row.map_or(Truth::No, |row| row.tolerated_by(entry)));
    std::iter::zip(TEXTS, known).fold(builder, |builder, (name, text)| builder.text(name, text))
}

/// The entries of the same list that make an entry redundant, for scope toleration.
pub fn redundancy_fields(
    builder: FactBuilder,
    list: &[Toleration],
    redundancy: &Redundancy,
    index: usize,
) -> FactBuilder {
    let fact = |at: usize| entry_fact(&list[at], at, false).build();
    builder
        .facts("duplicateOf", redundancy.duplicate_of(index).map(fact))
        .facts("subsumedBy", redundancy.subsumed_by(index).map(fact))
}

/// The fact for a taint that the scheduler refuses, or for the pool if no single taint is refused.
pub fn refusal_fact(pool: &Fact, taints: &[Fact], model: &NodePool, reason: Reason) -> Fact {
    let taint = match reason {
        Reason::Taint(at) => Some((&taints[at], model.taints[at].taint.to_string())),
        Reason::Unschedulable | Reason::NodeName | Reason::Affinity => None,
    };
    let (place, text) = match taint {
        Some((fact, text)) => (fact.place(), text),
        None => (pool.place(), String::new()),
    };
    FactBuilder::new(FactKind::Refusal)
        .fact("pool", pool)
        .text("reason", reason.words())
        .text("taint", text)
        .place(place.cloned())
        .build()
}

/// Adds the earlier entry that always decides eviction instead of this one, if there is one.
pub fn shadow(builder: FactBuilder, shape: &PodShape, shadow: Shadow, gate: bool) -> FactBuilder {
    match shadow {
        Shadow::By(at) => {
            let by = entry_fact(&shape.tolerations[at], at, gate).build();
            builder.facts("shadowedBy", [by])
        }
        // An entry that a template fills in may come before all readable ones.
        Shadow::None if shape.unread_tolerations.is_none() => builder.facts("shadowedBy", []),
        Shadow::None | Shadow::Unknown => builder.unknown("shadowedBy"),
    }
}

/// `workload` for rules of scope toleration: the shape alone.
pub fn shape_fact(shape: &Arc<PodShape>, comparison_operators: bool) -> Fact {
    let entries = shape
        .tolerations
        .iter()
        .enumerate()
        .map(|(index, entry)| entry_fact(entry, index, comparison_operators).build());
    let selector = shape
        .selection
        .node_selector
        .iter()
        .map(|(key, value)| (key.as_str(), value.text()));
    let builder = owner_fact(&shape.kind, &shape.api_group, shape.level)
        .field("nodeName", &shape.node_name, "")
        .field("priorityClassName", &shape.priority_class, "")
        .field("runtimeClassName", &shape.runtime_class, "")
        .map("nodeSelector", selector)
        .truth("asksForNodes", shape.asks_for_nodes())
        .texts("askedLabels", &shape.asked_keys())
        .text("controller", shape.character.controller.clone())
        .bool("nodeAgent", shape.character.agent)
        .bool("clusterPart", shape.character.cluster_part)
        .bool("bundled", shape.character.bundled)
        .bool("managedAddOn", shape.character.managed)
        .bool("dumped", shape.character.dumped)
        .bool("pinned", shape.selection.pins())
        .bool("partial", shape.selection.partial)
        .handle(Handle::Workload(Arc::clone(shape)), comparison_operators);
    let builder = match &shape.qos_class {
        Field::Is(class) => builder.text("qosClass", class.as_str()),
        Field::Absent | Field::Unknown => builder.unknown("qosClass"),
    };
    let builder = if shape.resources_unread {
        builder.unknown("extendedResources")
    } else {
        builder.texts("extendedResources", &shape.extended_resources)
    };
    let refused = shape.refused.as_ref();
    let builder = builder
        .truth("system", shape.system)
        .bool("onOpenShift", shape.on_openshift)
        .text("refused", refused.map_or("", Refusal::as_str))
        .text(
            "refusedMessage",
            refused.map(Refusal::message).unwrap_or_default(),
        );
    let builder = match shape.host_network {
        Field::Absent => builder.bool("hostNetwork", false),
        Field::Is(on) => builder.bool("hostNetwork", on),
        Field::Unknown => builder.unknown("hostNetwork"),
    };
    if shape.unread_tolerations.is_some() && shape.level != Level::Typed {
        // The readable entries exist, but there may be more.
        builder.facts("tolerations", entries).build()
    } else if shape.unread_tolerations.is_some() {
        builder.unknown("tolerations").build()
    } else {
        builder.facts("tolerations", entries).build()
    }
}

/// `workload` with the fields that the object determines.
pub fn owner_fact(kind: &str, api_group: &str, level: Level) -> FactBuilder {
    FactBuilder::new(FactKind::Workload)
        .text("kind", kind)
        .text("apiGroup", api_group)
        .text("level", level.as_str())
        .bool("verbatim", level.is_verbatim())
        .text("rejection", rejection(kind, level))
        .text("typeRejection", type_rejection(kind, level))
}

/// Like `rejection`, for a value of the wrong type. The schema of a custom resource rejects such a value.
fn type_rejection(kind: &str, level: Level) -> String {
    match level {
        Level::Custom => format!("so the schema of the {kind}, or its operator, rejects it"),
        Level::Typed | Level::Chart | Level::Values | Level::Other => rejection(kind, level),
    }
}

/// The consequence of a list that the API server rejects, as a clause that follows the description of the error.
fn rejection(kind: &str, level: Level) -> String {
    match (level, kind) {
        (Level::Typed, _) => "so the API server rejects the object".to_owned(),
        (Level::Custom, kind) => format!(
            "so the API server rejects its pods (FailedCreate), although it accepts the {kind}"
        ),
        (Level::Chart | Level::Values, _) => {
            "so the API server rejects what is made with it".to_owned()
        }
        (Level::Other, _) => {
            "so the API server rejects what is made with it, unless what reads it (a chart's \
                              template, an operator) changes it on the way"
                .to_owned()
        }
    }
}

/// `workload` with its identity, for scope workload.
///
/// `in_tests` says whether the workload is only a test, judging by the path of its file.
pub fn named(shape: &Fact, workload: &Workload, in_tests: bool, elsewhere: Vec<Fact>) -> Fact {
    fn texts(pairs: &[(String, Field<String>)]) -> impl Iterator<Item = (&str, Option<&str>)> {
        pairs
            .iter()
            .map(|(key, value)| (key.as_str(), value.text()))
    }
    let kind = match workload.shape.kind.as_str() {
        "" => "workload",
        kind => kind,
    };
    let title = match workload.name() {
        Some(name) if !name.is_empty() => format!("{kind} `{name}`"),
        _ => format!("this {kind}"),
    };
    FactBuilder::extend(shape)
        .text("name", workload.name().unwrap_or_default())
        .text("title", title)
        .text(
            "namespace",
            workload.object.namespace.clone().unwrap_or_default(),
        )
        .bool("inTests", in_tests)
        .facts("blockedElsewhere", elsewhere)
        .map("labels", texts(&workload.labels))
        .map("annotations", texts(&workload.annotations))
        .build()
}

/// The span of a pool's name, or else of its start.
pub fn pool_span(pool: &NodePool) -> Option<Span> {
    pool.name_span.or(pool.span)
}

/// The toleration that matches a taint, as a line to write.
fn remedy(taint: &Taint) -> String {
    let word = |word: &str| Field::Is(word.to_owned());
    let any_value = taint.value.text() == Some("");
    let entry = Toleration {
        key: taint.key.clone(),
        operator: word(if any_value { "Exists" } else { "Equal" }),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
        toleration_seconds: Field::Absent,
    };
    format!("`- {entry}`")
}

/// The fact for a taint of a pool.
pub fn taint_fact(pool: &NodePool, taint: &PoolTaint) -> Fact {
    let origin = match taint.origin {
        Origin::Declared => "declared",
        Origin::Startup => "startup",
        Origin::Implied => "implied",
    };
    let place = match taint.span {
        Some(span) => Some(Place::Span(span)),
        None => pool_span(pool).map(Place::Implied),
    };
    FactBuilder::new(FactKind::Taint)
        .field("key", &taint.taint.key, "")
        .field("value", &taint.taint.value, "")
        .field("effect", &taint.taint.effect, "")
        .text("origin", origin)
        .text("pool", pool.name.clone())
        .truth("hard", taint.taint.is_hard())
        .text("text", taint.taint.to_string())
        .text("remedy", remedy(&taint.taint))
        .place(place)
        .handle(Handle::Taint(Arc::new(taint.taint.clone())), false)
        .build()
}

/// The facts for the taints of a pool, in order.
pub fn taint_facts(pool: &Arc<NodePool>) -> Vec<Fact> {
    let taints = pool.taints.iter();
    taints.map(|taint| taint_fact(pool, taint)).collect()
}

/// The fact for a pool, with the facts of its taints.
pub fn pool_fact(pool: &Arc<NodePool>, taints: &[Fact], comparison_operators: bool) -> Fact {
    let labels = pool
        .labels
        .labels
        .iter()
        .map(|(key, value)| (key.as_str(), value.text()));
    let hard: BTreeSet<usize> = pool.blocking_taints().map(|(at, _)| at).collect();
    let hard_taints = taints
        .iter()
        .enumerate()
        .filter(|(at, _)| hard.contains(at))
        .map(|(_, fact)| fact.clone());
    FactBuilder::new(FactKind::Pool)
        .text("name", pool.name.clone())
        .text("provider", pool.provider.clone())
        .texts("admission", &pool.admission)
        .bool("complete", pool.complete)
        .text("accelerator", pool.labels.accelerator().unwrap_or_default())
        .map("labels", labels)
        .facts("taints", taints.iter().cloned())
        .facts("hardTaints", hard_taints)
        .place(pool_span(pool).map(Place::Span))
        .handle(Handle::Pool(Arc::clone(pool)), comparison_operators)
        .build()
}

/// For each taint of a pool, whether it repeats an earlier one: same key and effect, as API validation compares them.
pub fn repeated_taints(pool: &NodePool) -> Vec<bool> {
    let mut lists: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in pool.taints.iter().enumerate() {
        lists.entry(list_of(&one.path)).or_default().push(at);
    }
    let mut repeated = vec![false; pool.taints.len()];
    for list in lists.values() {
        let taints = list.iter().map(|at| &pool.taints[*at].taint);
        for (at, earlier) in list.iter().zip(taint::repeated(taints)) {
            repeated[*at] = earlier.is_some();
        }
    }
    repeated
}

/// `taint` for scope taint, with its validation errors and whether it is a duplicate.
pub fn judged_taint(fact: &Fact, taint: &PoolTaint, duplicate: bool) -> Fact {
    let errors = taint.taint.errors().into_iter().map(|error| {
        FactBuilder::new(FactKind::FieldError)
            .text("field", error.field)
            .text("message", error.message)
            .build()
    });
    FactBuilder::extend(fact)
        .bool("duplicate", duplicate)
        .facts("errors", errors)
        .build()
}

/// The path of the sequence that contains the item with this path.
fn list_of(path: &str) -> &str {
    path.rsplit_once('[').map_or(path, |(list, _)| list)
}

/// `taint` or `toleration` of devices, and `workload` as far as it is known: the object.
pub fn device(placed: &PlacedDeviceEntry) -> (&'static str, Fact, Fact) {
    let (name, fact) = match &placed.entry {
        DeviceEntry::Taint(taint) => {
            let fact = FactBuilder::new(FactKind::Taint)
                .field("key", &taint.key, "")
                .field("value", &taint.value, "")
                .field("effect", &taint.effect, "")
                .text("text", taint.to_string())
                .build();
            ("taint", fact)
        }
        DeviceEntry::Toleration(entry) => ("toleration", entry_fact(entry, 0, false).build()),
    };
    let group = api_group(&placed.object.api_version);
    let owner = owner_fact(&placed.object.kind, group, Level::Typed).build();
    (name, fact, owner)
}
