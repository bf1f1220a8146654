//! What is unknown in a pool because of unknown values, in Terraform and in plans; and fallback lists that apply when
//! others are missing.

use super::notation::Anchored;
use super::pool_document::Condition;
use super::pool_facts::{Element, PoolFacts};
use crate::yaml::Node;

/// Whether a plan does not know the value at a path yet.
fn unknown_in_plan(element: &Element<'_, '_>, path: &Anchored) -> bool {
    element.document.after_unknown.is_some_and(|root| {
        let found = path.path.find(root);
        found.into_iter().any(|one| holds_true(one.node))
    })
}

/// Whether a tree contains `true`.
fn holds_true(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.as_bool() == Some(true) {
            return true;
        }
        open.extend(node.items());
        open.extend(node.fields().into_iter().map(|field| field.value));
    }
    false
}

/// Explains why it is unknown whether the pool exists.
pub(super) fn may_not_exist(element: &Element<'_, '_>) -> String {
    let why = Condition::of_row(element.row).why_open(element.document, element.node);
    let why = why.unwrap_or("it depends on unknown values");
    format!("it may not exist: {why}")
}

/// Explains why it is unknown whether the provider adds a taint.
pub(super) fn may_be_tainted(element: &Element<'_, '_>, condition: Condition<'_>) -> String {
    match condition.why_open(element.document, element.node) {
        Some(why) => format!("the provider may add a taint: {why}"),
        None => "whether the provider adds a taint depends on a template".to_owned(),
    }
}

/// Marks taints and labels that cannot be read as unknown, with the reason from the value itself.
pub(super) fn read(element: &Element<'_, '_>) -> PoolFacts {
    let mut facts = PoolFacts::default();
    let row = element.row;
    let fallback = !element.is_written(&row.taints);
    let paths = row
        .taints
        .iter()
        .chain(row.fallback_taints.iter().filter(|_| fallback))
        .chain(&row.taint_flags)
        .chain(&row.flags)
        .chain(&row.patches)
        .chain(&row.startup_taints);
    for path in paths {
        let found = element.find([path]);
        let inside = found.iter().find_map(|one| unknown_taint(one.node));
        let open = element.open_at(path);
        if let Some(why) = open.or(inside) {
            facts.doubt(why);
        }
        if unknown_in_plan(element, path) {
            facts.doubt("some of its taints are known only after the plan is applied");
        }
    }
    for path in &row.taints_by_pool {
        let open = element.open_at(path);
        let maps = element.find([path]);
        let of_key = maps.iter().find_map(|map| {
            let mut fields = map.node.written_fields();
            fields.find_map(|field| field.key.unknown_because())
        });
        if let Some(why) = open.or(of_key) {
            facts.doubt(why);
        }
    }
    let name_is_open = element.name.on_nodes.is_unknown();
    if name_is_open && element.names_pools(&row.taints_by_pool) {
        facts.doubt("its taints are listed by pool name, and its name is unknown");
    }
    if name_is_open && element.names_pools(&row.labels_by_pool) {
        facts.open_labels();
    }
    for found in element.of_this_pool(&row.taints_by_pool) {
        if let Some(why) = unknown_taint(found.node) {
            facts.doubt(why);
        }
    }
    let labels = row.labels.iter().chain(&row.fallback_labels);
    for path in labels.chain(&row.labels_by_pool).chain(&row.label_flags) {
        if element.open_at(path).is_some() || unknown_in_plan(element, path) {
            facts.open_labels();
        }
    }
    facts
}

/// The reason why a list of taints is incomplete, or `None` if it is complete.
fn unknown_taint<'a>(list: Node<'a>) -> Option<&'a str> {
    list.unknown_because()
        .or_else(|| list.items().find_map(in_taint))
        .or_else(|| {
            list.written_fields().find_map(|field| {
                let of_value = in_taint(field.value);
                field.key.unknown_because().or(of_value)
            })
        })
}

fn in_taint<'a>(taint: Node<'a>) -> Option<&'a str> {
    taint.unknown_because().or_else(|| {
        taint.written_fields().find_map(|field| {
            let of_value = field.value.unknown_because();
            field.key.unknown_because().or(of_value)
        })
    })
}
