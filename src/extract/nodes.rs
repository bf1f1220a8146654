//! Folds the nodes of one pool into one pool: a dump of a cluster lists machines, and taints apply to all nodes of a pool.

use std::collections::{BTreeMap, BTreeSet};

use super::notation::api_group;
use super::pool_facts::ReadPool;
use super::pool_rows::PoolRow;
use super::table::Table;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, Requirement};
use crate::model::taint::Taint;
use crate::model::well_known::is_transient_key;

/// What the nodes of one pool share: the label that names the pool (or else all labels but their own), and the taints.
type Alike = (
    Result<(String, String), BTreeMap<String, Field<String>>>,
    BTreeSet<(Taint, Origin)>,
);

/// Folds pools of a file that are single nodes of one pool.
pub(super) fn fold(pools: &mut Vec<ReadPool>, table: &Table) {
    let mut groups: BTreeMap<Alike, usize> = BTreeMap::new();
    let mut folded: Vec<(Option<String>, Vec<ReadPool>)> = Vec::new();
    for mut read in pools.drain(..) {
        let row = row_of(&read.pool, table);
        let Some(row) = row.filter(|_| read.pool.complete && is_sound(&read.pool)) else {
            folded.push((None, vec![read]));
            continue;
        };
        read.pool.taints.retain(|taint| !passes_by(taint, table));
        let named = pool_label(&read.pool, row).or(read.named_by.take());
        let name = named.as_ref().map(|(_, value)| value.clone());
        read.named_by.clone_from(&named);
        let taints = read
            .pool
            .taints
            .iter()
            .map(|taint| (taint.taint.clone(), taint.origin))
            .collect();
        let alike = (named.ok_or_else(|| shared_labels(&read.pool, row)), taints);
        let at = *groups.entry(alike).or_insert(folded.len());
        match folded.get_mut(at) {
            Some((_, group)) => group.push(read),
            None => folded.push((name, vec![read])),
        }
    }
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for (name, group) in folded {
        let Some(mut one) = put_together(group) else {
            continue;
        };
        if let Some(name) = name {
            // Nodes of one pool with different taints become separate pools: they need different tolerations.
            let before = times.entry(name.clone()).or_default();
            *before += 1;
            one.pool.name = match *before {
                1 => name,
                number => format!("{name}-{number}"),
            };
        }
        pools.push(one);
    }
}

fn row_of<'t>(pool: &NodePool, table: &'t Table) -> Option<&'t PoolRow> {
    let api_version = pool.object.api_version.as_str();
    let version = api_version.rsplit('/').next().unwrap_or_default();
    table
        .pool_rows(api_group(api_version), version, &pool.object.kind)
        .map(|(_, row)| row)
        .find(|row| !row.fold_by.is_empty())
}

/// Whether a cluster can have these taints. The mistakes of an invalid Node are reported one by one.
fn is_sound(pool: &NodePool) -> bool {
    let mut seen = BTreeSet::new();
    pool.taints.iter().all(|one| {
        one.taint.errors().is_empty() && seen.insert((&one.taint.key, &one.taint.effect))
    })
}

/// Whether a taint describes the momentary state of a node, and not its configuration. Obsolete keys are kept: they
/// show which release of a tool tainted the node.
fn passes_by(taint: &PoolTaint, table: &Table) -> bool {
    let key = taint.taint.key.known();
    key.is_some_and(|key| is_transient_key(key) && !table.is_dead_taint(key))
        && taint.taint.errors().is_empty()
}

/// The label that names the pool of a node.
fn pool_label(pool: &NodePool, row: &PoolRow) -> Option<(String, String)> {
    row.fold_by.iter().find_map(|key| {
        let value = pool.labels.labels.get(key)?.known()?;
        (!value.is_empty()).then(|| (key.clone(), value.clone()))
    })
}

/// Whether a label key is in a list, in which `*` at the end stands for any text.
fn is_listed(key: &str, list: &[String]) -> bool {
    list.iter().any(|listed| match listed.strip_suffix('*') {
        Some(prefix) => key.starts_with(prefix),
        None => key == listed,
    })
}

/// Returns a pool of nodes without what identifies its machines: their names, ids and addresses. Returns `None` for a pool
/// that was not read from nodes.
pub fn without_machines(pool: &NodePool, table: &Table) -> Option<NodePool> {
    let row = row_of(pool, table)?;
    let mut one = pool.clone();
    let machine = one.object.name.take();
    let names_machine = |value: &Field<String>| value.known() == machine.as_ref();
    let labels = std::mem::take(&mut one.labels.labels);
    let (hidden, shown): (BTreeMap<_, _>, BTreeMap<_, _>) =
        labels.into_iter().partition(|(key, value)| {
            is_listed(key, &row.machine_labels) || (machine.is_some() && names_machine(value))
        });
    one.labels.labels = shown;
    for requirement in &mut one.labels.requirements {
        let key = requirement.key.known();
        if key.is_some_and(|key| is_listed(key, &row.machine_labels)) {
            *requirement = with_any_value(requirement.key.clone());
        }
    }
    let hidden = hidden.into_keys().map(|key| with_any_value(Field::Is(key)));
    one.labels.requirements.extend(hidden);
    one.labels.requirements.sort();
    if pool_label(pool, row).is_none() {
        let is_control_plane = |key: &String| is_control_plane_label(key);
        let name = match one.labels.labels.keys().any(is_control_plane) {
            true => "control-plane",
            false => "nodes",
        };
        name.clone_into(&mut one.name);
    }
    Some(one)
}

/// A label that every node has, each with a value that is not told.
fn with_any_value(key: Field<String>) -> Requirement {
    Requirement {
        key,
        operator: Field::Is("Exists".to_owned()),
        values: Vec::new(),
    }
}

fn is_control_plane_label(key: &str) -> bool {
    [
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
    ]
    .contains(&key)
}

/// The labels that do not distinguish one node of a pool from another.
fn shared_labels(pool: &NodePool, row: &PoolRow) -> BTreeMap<String, Field<String>> {
    let labels = pool.labels.labels.iter();
    labels
        .filter(|(key, _)| !is_listed(key, &row.own_labels))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Merges a group into its first pool.
fn put_together(group: Vec<ReadPool>) -> Option<ReadPool> {
    let nodes = group.len();
    let labels: Vec<NodeLabels> = group.iter().map(|read| read.pool.labels.clone()).collect();
    let seen = group.iter().filter_map(|read| read.seen).max();
    let cordoned = group.iter().all(|read| read.pool.unschedulable);
    let mut one = group.into_iter().next()?;
    one.seen = seen;
    if nodes > 1 {
        one.pool.labels = common(&labels);
        one.pool.unschedulable = cordoned;
        // It is no longer the single node with this name.
        one.pool.object.name = None;
    }
    Some(one)
}

/// Merges the labels of several nodes.
fn common(nodes: &[NodeLabels]) -> NodeLabels {
    let mut values: BTreeMap<&String, Vec<&Field<String>>> = BTreeMap::new();
    for (key, value) in nodes.iter().flat_map(|node| &node.labels) {
        values.entry(key).or_default().push(value);
    }
    let mut labels = NodeLabels {
        others: nodes.first().map(|node| node.others).unwrap_or_default(),
        ..NodeLabels::default()
    };
    for (key, found) in values {
        let everywhere = found.len() == nodes.len();
        let distinct: BTreeSet<&Field<String>> = found.into_iter().collect();
        let mut distinct = distinct.into_iter();
        match (everywhere, distinct.next(), distinct.len()) {
            (true, Some(only), 0) => {
                labels.labels.insert(key.clone(), only.clone());
            }
            (true, Some(first), _) => labels.requirements.push(Requirement {
                key: Field::Is(key.clone()),
                operator: Field::Is("In".to_owned()),
                values: std::iter::once(first).chain(distinct).cloned().collect(),
            }),
            // Some nodes have it and some do not. No operator expresses that.
            _ => labels.requirements.push(Requirement {
                key: Field::Is(key.clone()),
                operator: Field::Unknown,
                values: Vec::new(),
            }),
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::PROVIDERS;
    use crate::extract::extract;
    use crate::model::Truth;
    use crate::model::node_selection::NodeSelection;
    use crate::source::{Source, SourceId};

    fn pools(text: &str) -> Vec<NodePool> {
        let table = Table::load(PROVIDERS.iter().copied()).unwrap();
        let facts = extract(&Source::new("nodes.yaml", text), SourceId(0), &table);
        facts.pools.into_iter().map(|read| read.pool).collect()
    }

    fn node(name: &str, labels: &str, spec: &str) -> String {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}, \
             {labels}}}}}\nspec: {{{spec}}}\n"
        )
    }

    fn names(pools: &[NodePool]) -> Vec<&str> {
        pools.iter().map(|pool| pool.name.as_str()).collect()
    }

    fn selects(pool: &NodePool, key: &str, value: &str) -> Truth {
        let selection = NodeSelection {
            node_selector: [(key.to_owned(), Field::Is(value.to_owned()))].into(),
            ..NodeSelection::default()
        };
        selection.selects(&pool.labels, None)
    }

    const TAINT: &str = "taints: [{key: a, effect: NoSchedule}";

    #[test]
    fn nodes_of_one_pool_are_one_pool_named_by_its_label() {
        let label = "eks.amazonaws.com/nodegroup: gpu, team: x";
        let text = [
            node("n1", &format!("{label}, size: s"), &format!("{TAINT}]")),
            node("n2", &format!("{label}, size: m"), &format!("{TAINT}]")),
            node(
                "n3",
                label,
                &format!("{TAINT}, {{key: node.kubernetes.io/not-ready, effect: NoExecute}}]"),
            ),
        ];
        let pools = pools(&text.concat());
        assert_eq!(names(&pools), ["gpu"]);
        assert_eq!(pools[0].taints.len(), 1);
        assert_eq!(selects(&pools[0], "team", "x"), Truth::Yes);
        assert_eq!(selects(&pools[0], "team", "y"), Truth::No);
        assert_eq!(
            selects(&pools[0], "kubernetes.io/hostname", "n2"),
            Truth::Yes
        );
        assert_eq!(
            selects(&pools[0], "kubernetes.io/hostname", "n9"),
            Truth::No
        );
        // Only some nodes have it.
        assert_eq!(selects(&pools[0], "size", "s"), Truth::Unknown);
        assert_eq!(selects(&pools[0], "other", "s"), Truth::No);
    }

    #[test]
    fn a_node_with_other_taints_than_its_pool_stands_apart() {
        let label = "karpenter.sh/nodepool: gpu";
        let text = [
            node("n1", label, &format!("{TAINT}]")),
            node("n2", label, ""),
        ];
        assert_eq!(names(&pools(&text.concat())), ["gpu", "gpu-2"]);
    }

    #[test]
    fn nodes_without_a_pool_label_are_one_when_they_differ_in_their_own_labels_only() {
        let zone = |zone: &str| format!("team: x, topology.kubernetes.io/zone: {zone}");
        let text = [
            node("n1", &zone("a"), ""),
            node("n2", &zone("b"), ""),
            node("n3", "team: y", ""),
        ];
        assert_eq!(names(&pools(&text.concat())), ["n1", "n3"]);
    }

    #[test]
    fn a_pool_is_cordoned_when_all_its_nodes_are() {
        let cordoned = "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]";
        let both = pools(&[node("n1", "a: b", cordoned), node("n2", "a: b", cordoned)].concat());
        assert!(both[0].unschedulable && both.len() == 1 && both[0].taints.is_empty());
        let one = pools(&[node("n1", "a: b", cordoned), node("n2", "a: b", "")].concat());
        assert!(!one[0].unschedulable && one.len() == 1);
    }

    #[test]
    fn a_node_that_could_not_be_read_in_full_is_never_taken_for_another() {
        let open = "taints: \"{{ .Values.taints }}\"";
        assert_eq!(
            pools(&[node("n1", "a: b", open), node("n2", "a: b", open)].concat()).len(),
            2
        );
    }
}
