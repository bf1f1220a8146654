//! What is different about a pool before and after a change, in words.

use std::collections::BTreeSet;

use crate::finding::PoolChange;
use crate::model::Field;
use crate::model::node_pool::NodePool;
use crate::model::taint::Taint;

/// The most taints, labels or changes that a sentence lists.
pub(super) const MOST: usize = 3;

/// What is different about the nodes of a pool, each with a sentence without a full stop.
pub(super) fn compare(before: &NodePool, after: &NodePool) -> Vec<(PoolChange, String)> {
    let mut found = Vec::new();
    if !has_same_taints(before, after) {
        found.push((PoolChange::Taints, taints(before, after)));
    }
    if !has_same_labels(before, after) {
        found.push((PoolChange::Labels, labels(before, after)));
    }
    found
}

/// A new or removed pool in words.
pub(super) fn said(pool: &NodePool, change: PoolChange) -> String {
    let name = code(&pool.name);
    let own: Vec<String> = taint_set(pool).into_iter().map(code).collect();
    let verb = match change {
        PoolChange::Added => "is added",
        PoolChange::Removed => "is removed",
        PoolChange::Taints | PoolChange::Labels => "changes",
    };
    match own.as_slice() {
        [] if !pool.complete => format!("pool {name} {verb}; not all its taints are known"),
        [] => format!("pool {name} {verb}; it has no taint"),
        own => format!("pool {name} {verb}; it has {}", listed(own)),
    }
}

/// Whether pods are judged the same on both.
pub(super) fn is_same(before: &NodePool, after: &NodePool) -> bool {
    has_same_taints(before, after)
        && has_same_labels(before, after)
        && before.made_on_demand == after.made_on_demand
        && before.node_name() == after.node_name()
}

fn taint_set(pool: &NodePool) -> BTreeSet<&Taint> {
    pool.taints.iter().map(|own| &own.taint).collect()
}

fn has_same_taints(before: &NodePool, after: &NodePool) -> bool {
    let origins = |pool: &NodePool| -> BTreeSet<(Taint, &'static str)> {
        let taints = pool.taints.iter();
        let own = taints.map(|own| (own.taint.clone(), own.origin.as_str()));
        own.collect()
    };
    before.unschedulable == after.unschedulable
        && before.complete == after.complete
        && (before.complete || before.open_keys == after.open_keys)
        && origins(before) == origins(after)
}

fn has_same_labels(before: &NodePool, after: &NodePool) -> bool {
    let requirements = |pool: &NodePool| {
        let all = pool.labels.requirements.iter().cloned();
        let mut all: Vec<_> = all.collect();
        for one in &mut all {
            one.values.sort();
        }
        all.sort();
        all
    };
    before.labels.labels == after.labels.labels
        && before.labels.others == after.labels.others
        && before.open_labels == after.open_labels
        && requirements(before) == requirements(after)
}

fn taints(before: &NodePool, after: &NodePool) -> String {
    let name = code(&after.name);
    let (old, new) = (taint_set(before), taint_set(after));
    let texts = |all: std::collections::btree_set::Difference<'_, &Taint>| -> Vec<String> {
        all.map(code).collect()
    };
    let (lost, gained) = (texts(old.difference(&new)), texts(new.difference(&old)));
    match (lost.as_slice(), gained.as_slice()) {
        _ if before.complete && !after.complete => {
            format!("pool {name}: not all taints are known any more")
        }
        ([], []) if after.complete && !before.complete => {
            format!("pool {name}: all taints are known now")
        }
        ([], []) if after.unschedulable && !before.unschedulable => {
            format!("pool {name} is cordoned")
        }
        ([], []) if before.unschedulable && !after.unschedulable => {
            format!("pool {name} is no longer cordoned")
        }
        ([], []) => format!("pool {name} has its taints for another time or reason"),
        (lost, gained) => exchange(&name, (lost, gained), ["the taint", "the taints"]),
    }
}

/// What a pool loses and gets. `words` name what it is: one, and several.
fn exchange(name: &str, (lost, gained): (&[String], &[String]), words: [&str; 2]) -> String {
    let said = |all: &[String]| {
        let [one, several] = words;
        let word = if all.len() == 1 { one } else { several };
        format!("{word} {}", listed(all))
    };
    match (lost, gained) {
        (lost, []) => format!("pool {name} loses {}", said(lost)),
        ([], gained) => format!("pool {name} gets {}", said(gained)),
        (lost, gained) => format!(
            "pool {name} has {} instead of {}",
            said(gained),
            listed(lost)
        ),
    }
}

fn labels(before: &NodePool, after: &NodePool) -> String {
    let name = code(&after.name);
    let shown = |pool: &NodePool| -> BTreeSet<String> {
        let labels = pool.labels.labels.iter();
        let own = labels.map(|(key, value)| code(format_args!("{key}={}", text(value))));
        own.collect()
    };
    let (old, new) = (shown(before), shown(after));
    let lost: Vec<String> = old.difference(&new).cloned().collect();
    let gained: Vec<String> = new.difference(&old).cloned().collect();
    match (lost.as_slice(), gained.as_slice()) {
        ([], []) => format!("pool {name} can have other labels"),
        (lost, gained) => exchange(&name, (lost, gained), ["the label", "the labels"]),
    }
}

/// A name or a taint as code.
pub(super) fn code(of: impl std::fmt::Display) -> String {
    format!("`{}`", of.to_string().replace('`', "'"))
}

/// The text of a value, or an ellipsis.
pub(super) fn text(value: &Field<String>) -> &str {
    value.text().unwrap_or("…")
}

/// Some texts with commas and a closing "and".
pub(super) fn listed(all: &[String]) -> String {
    let shown = all.get(..MOST.min(all.len())).unwrap_or_default();
    let more = all.len() - shown.len();
    match (shown, more) {
        ([], _) => String::new(),
        ([only], 0) => only.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (some, more) => format!("{} and {more} more", some.join(", ")),
    }
}
