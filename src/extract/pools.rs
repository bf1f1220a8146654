//! Reads node pools from documents by the rows of provider tables: names, labels and other properties.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::FileFacts;
use super::names::{Name, cluster_of};
use super::pod::read_requirement;
use super::pool_document::{Condition, PoolDocument, TEMPLATE, join_paths, open_below};
use super::pool_facts::{Element, PoolFacts, ReadPool, Referred};
use super::pool_rows::{PoolRow, Reference, Values};
use super::read::is_filled_in;
use super::table::Table;
use super::{autoscaler, flags, implied, labels, open, patches, taint_errors, taints};
use crate::model::node_pool::{NodePool, Origin};
use crate::model::node_selection::{NodeLabels, OtherLabels, Requirement};
use crate::model::notice::Notice;
use crate::model::{Field, Truth};
use crate::yaml::{Found, Kind, Path, Scalar};

/// Reads the pools that a row finds in a document.
pub(super) fn read_pools(
    table: &Table,
    provider: &str,
    row: &PoolRow,
    document: &PoolDocument<'_>,
) -> FileFacts {
    let mut facts = FileFacts::default();
    let elements = row.each.find(document.root);
    let count = elements.len();
    for found in elements {
        if found.node.kind() != Kind::Mapping || is_open_element(&found, row) {
            continue;
        }
        let holds = Condition::of_row(row).holds(document, found.node);
        let is_there = match holds {
            Truth::Yes => true,
            // The element may exist. A placeholder may become any value, but for documents without a kind that is too
            // little evidence.
            Truth::Unknown => found.node.is_assembled() || !row.kinds.is_empty(),
            Truth::No => false,
        };
        if !is_there {
            continue;
        }
        let element = Element {
            table,
            provider,
            row,
            document,
            node: found.node,
            path: join_paths(document.base, &found.path),
            name: Name::read(row, document, &found),
        };
        let (read, notices) = read_pool(&element, &found, holds, count);
        facts.pools.push(read);
        facts.notices.extend(notices);
    }
    if let Some(why) = open_elements(row, document) {
        facts.pools.push(open_pool(provider, document, why));
    }
    tell_apart(&mut facts.pools);
    facts
}

/// The reason why there may be more elements than those in the document, or `None` if there are no more.
fn open_elements<'a>(row: &PoolRow, document: &PoolDocument<'a>) -> Option<&'a str> {
    let is_open = |element: &Found<'a>| is_open_element(element, row);
    if row.kinds.is_empty() && !document.root.is_assembled() {
        // Without a kind only the list itself shows what its items are, not the fields that lead to it.
        let lists = row.each.list()?.find(document.root);
        let listed = lists.iter().any(is_open) || {
            let is_list = |found: &&Found<'a>| found.node.kind() == Kind::Sequence;
            let mut lists = lists.iter().filter(is_list);
            lists.any(|found| found.node.items().any(is_filled_in))
        };
        return listed.then_some(TEMPLATE);
    }
    let of_items = || {
        let found = row.each.find(document.root);
        found.iter().any(is_open).then_some(TEMPLATE)
    };
    open_below(document.root, &row.each).or_else(of_items)
}

/// Whether a template fills in an element.
fn is_open_element(element: &Found<'_>, row: &PoolRow) -> bool {
    row.each != Path::default() && !element.node.is_assembled() && is_filled_in(element.node)
}

/// A placeholder for the pools of an unknown list.
fn open_pool(provider: &str, document: &PoolDocument<'_>, why: &str) -> ReadPool {
    let pool = NodePool {
        name: document.object.name.clone().unwrap_or_default(),
        provider: provider.to_owned(),
        labels: NodeLabels {
            others: OtherLabels::Possible,
            ..NodeLabels::default()
        },
        complete: false,
        incomplete_because: Some(why.to_owned()),
        span: Some(document.root.span()),
        object: document.object.clone(),
        ..NodePool::default()
    };
    ReadPool::new(pool, document.source)
}

/// Elements without a name of their own may get equal names. A number distinguishes them.
fn tell_apart(pools: &mut [ReadPool]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for pool in pools {
        let times = seen.entry(pool.pool.name.clone()).or_default();
        *times += 1;
        if *times > 1 && !pool.pool.name.is_empty() {
            pool.pool.name = format!("{}-{times}", pool.pool.name);
        }
    }
}

/// Creates a pool with what its row says about every such pool.
fn start_pool(element: &Element<'_, '_>, found: &Found<'_>) -> NodePool {
    let (row, name) = (element.row, &element.name);
    let mut labels: BTreeMap<String, Field<String>> = row
        .implied_labels
        .iter()
        .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
        .collect();
    for key in row.pool_label.as_slice() {
        labels.insert(key.clone(), name.on_nodes.clone());
    }
    NodePool {
        name: name.text.clone(),
        provider: element.provider.to_owned(),
        cluster: cluster_of(row, element.document, found),
        labels: NodeLabels {
            labels,
            requirements: Vec::new(),
            // Whatever adds taints that are not seen here may add labels, too.
            others: match row.incomplete {
                Some(_) => OtherLabels::Possible,
                None => row.other_labels,
            },
        },
        open_labels: !row.pool_label.as_slice().is_empty()
            && name.span.is_some()
            && name.on_nodes.is_unknown(),
        complete: row.incomplete.is_none(),
        incomplete_because: row.incomplete.clone(),
        made_on_demand: row.made_on_demand,
        unschedulable: row.unschedulable.as_ref().is_some_and(|path| {
            element
                .find([path])
                .first()
                .is_some_and(|found| matches!(found.node.scalar(), Some(Scalar::Bool(true))))
        }),
        span: Some(match found.field {
            Some(field) if element.node.is_assembled() => field.span(),
            _ => element.node.span(),
        }),
        name_span: name.span,
        object: element.document.object.clone(),
        ..NodePool::default()
    }
}

/// Reads one element as a pool. `holds` says whether it exists, `count` is the number of elements.
fn read_pool(
    element: &Element<'_, '_>,
    found: &Found<'_>,
    holds: Truth,
    count: usize,
) -> (ReadPool, Vec<Notice>) {
    let (row, document) = (element.row, element.document);
    let mut facts = PoolFacts::default();
    facts.absorb(written(element));
    let mut pool = start_pool(element, found);
    if holds == Truth::Unknown {
        pool.doubt_keys(open::may_not_exist(element), []);
    }
    let notices = std::mem::take(&mut facts.notices);
    let taints_written = facts.taints_written;
    facts.fill(&mut pool);
    if !taints_written && count >= row.min_elements {
        implied::taints(&mut pool, row.default_taints.iter());
    }
    implied::taints(&mut pool, row.implied_taints.iter());
    implied::by_conditions(element, &mut pool);
    let mut refers = Vec::new();
    for reference in &row.refers {
        match read_reference(element, reference) {
            Ok(referred) => refers.extend(referred),
            Err(why) => pool.doubt(why),
        }
    }
    // Other documents refer to it by the name of its object, whatever the name of the pool.
    let own = document.object.name.clone().unwrap_or_default();
    let read = ReadPool {
        refers,
        part: row.part.then_some(own),
        part_kind: row.part_kind.clone(),
        whole: row.whole,
        lists_all: row.lists_all,
        named_by: maker(element),
        seen: last_seen(element),
        taints_written,
        ..ReadPool::new(pool, document.source)
    };
    (read, notices)
}

/// The object that made the machine of a node: its kind and name.
fn maker(element: &Element<'_, '_>) -> Option<(String, String)> {
    let machines = element.row.machines.as_ref()?;
    let machine = element.find(&machines.name);
    let machine = machine.first()?.node.raw()?;
    let set = set_of_machine(machine.rsplit('/').next()?)?;
    Some((machines.kind.clone(), set.to_owned()))
}

/// The name of the set that made a machine: `workers` for `workers-x7k2p`. Sets name their machines by `generateName`, which
/// adds five characters without vowels (`k8s.io/apiserver/pkg/storage/names`).
fn set_of_machine(machine: &str) -> Option<&str> {
    let (set, random) = machine.rsplit_once('-')?;
    let is_random = |letter: char| "bcdfghjklmnpqrstvwxz2456789".contains(letter);
    (random.len() == 5 && random.chars().all(is_random)).then_some(set)
}

/// The day of the latest time that a node reports, in UTC.
fn last_seen(element: &Element<'_, '_>) -> Option<Date> {
    let times = element.find(&element.row.seen);
    let times = times.iter().filter_map(|found| found.node.raw());
    let days = times.filter_map(|time| time.parse::<Timestamp>().ok());
    days.max().map(|time| time.to_zoned(TimeZone::UTC).date())
}

/// Reads a pool from all places that its row names.
fn written(element: &Element<'_, '_>) -> PoolFacts {
    let row = element.row;
    let mut facts = open::read(element);
    facts.absorb(taint_errors::misspelt_lists(element));
    let by_pool = element.of_this_pool(&row.labels_by_pool);
    let fallback = !element.is_written(&row.labels);
    let fallback = row.fallback_labels.iter().filter(|_| fallback);
    for found in element.find(&row.labels).iter().chain(&by_pool) {
        facts.absorb(labels::read(element, found.node));
    }
    for found in element.find(fallback) {
        facts.absorb(labels::read(element, found.node));
    }
    for (key, path) in &row.labels_from {
        let value = match element.document.first_text(element.node, path) {
            Some((text, _)) => Field::Is(text),
            None => Field::Unknown,
        };
        facts.open_labels |= value.is_unknown();
        facts.labels.insert(key.clone(), value);
    }
    for key in &row.unknown_labels {
        facts.labels.insert(key.clone(), Field::Unknown);
    }
    for found in element.find(&row.requirements) {
        let read: Vec<_> = found.node.items().map(read_requirement).collect();
        facts.open_labels |= read.iter().any(Requirement::has_unknown_values);
        if is_filled_in(found.node) {
            facts.open_labels();
        }
        facts.requirements.extend(read);
    }
    for found in element.find(&row.label_flags) {
        facts.absorb(labels::read_flag(found.node));
    }
    for found in element.find(&row.taints) {
        facts.taints_written |= !found.node.is_null();
        facts.absorb(taints::read(element, &found, Origin::Declared));
    }
    let by_pool = element.of_this_pool(&row.taints_by_pool);
    let fallback = !element.is_written(&row.taints) && !element.is_open(&row.taints);
    let fallback = element.find(row.fallback_taints.iter().filter(|_| fallback));
    for found in by_pool.iter().chain(&fallback) {
        facts.absorb(taints::read(element, found, Origin::Declared));
    }
    // If the list is unknown, it may or may not be written.
    facts.taints_written |= element.is_open(&row.taints);
    if !row.defaults_unless.is_empty() {
        let others = &row.defaults_unless;
        facts.taints_written = element.is_written(others) || element.is_open(others);
    }
    for found in element.find(&row.startup_taints) {
        facts.absorb(taints::read(element, &found, Origin::Startup));
    }
    for found in element.find(&row.taint_flags) {
        facts.absorb(taints::read_flag(element, &found));
    }
    for found in element.find(&row.flags) {
        facts.absorb(flags::read(element, &found));
    }
    for found in element.find(&row.patches) {
        let read = patches::read(element, &found, &facts.taints, &read_pools);
        facts.absorb(read);
    }
    facts.autoscaler = autoscaler::read(element);
    facts
}

/// Returns the document that a pool refers to, if any.
///
/// # Errors
/// Returns the reason if it is unknown what the pool refers to.
fn read_reference(
    element: &Element<'_, '_>,
    reference: &Reference,
) -> Result<Option<Referred>, &'static str> {
    let condition = Condition {
        matches: &reference.matches,
        unless: &Values::new(),
        written: &[],
        absent: &[],
    };
    match condition.holds(element.document, element.node) {
        Truth::Yes => {}
        Truth::No => return Ok(None),
        Truth::Unknown => return Err("what it refers to depends on a template"),
    }
    let written = |path| {
        let found = element.find([path]);
        found
            .first()
            .map(|found| found.node.raw().map(str::to_owned))
    };
    let kind = match &reference.kind {
        Some(path) => written(path),
        None => Some(reference.kinds.first().cloned()),
    };
    let name = match &reference.name {
        Some(path) => written(path),
        None => Some(Some(String::new())),
    };
    let (Some(kind), Some(name)) = (kind, name) else {
        return Ok(None);
    };
    let (Some(kind), Some(name)) = (kind, name) else {
        return Err("what it refers to is filled in by a template");
    };
    let followed = reference.kinds.is_empty() || reference.kinds.contains(&kind);
    Ok(followed.then_some(Referred {
        kind,
        name,
        optional: reference.optional,
    }))
}

#[cfg(test)]
mod tests {
    use crate::builtin::PROVIDERS;
    use crate::extract::{Table, extract};
    use crate::source::{Source, SourceId};

    fn count(text: &str) -> usize {
        let table = Table::load(PROVIDERS.iter().copied()).unwrap();
        extract(&Source::new("any.yaml", text), SourceId(0), &table)
            .pools
            .len()
    }

    #[test]
    fn a_list_that_a_template_fills_in_stands_for_pools_only_where_its_place_says_so() {
        for text in [
            "resources: ${RESOURCES}\n",
            "resources: [\"${BASE}/web\", <here>]\n",
            "nodes: \"{{ .Values.nodes }}\"\n",
            "all: {hosts: \"{{ hosts }}\"}\n",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        let profiles =
            "resources: [{type: x, properties: {agentPoolProfiles: \"[variables('p')]\"}}]\n";
        assert_eq!(count(profiles), 1);
        let groups = "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nnodeGroups: ${GROUPS}\n";
        assert_eq!(count(groups), 1);
    }
}
