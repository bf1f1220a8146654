//! Reads node pools out of documents by the rows of provider tables: names, labels, and what else a pool is made of.

use std::collections::BTreeMap;

use super::names::Name;
use super::pod::read_requirement;
use super::pool_document::{Condition, PoolDocument, TEMPLATE, join_paths, open_below};
use super::pool_rows::{PoolRow, Reference, Values};
use super::read::is_filled_in;
use super::table::Table;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels, Requirement};
use crate::model::notice::Notice;
use crate::model::{Field, Truth};
use crate::source::SourceId;
use crate::yaml::{Found, Kind, Node, Path, Scalar};

/// A pool of one document, before documents that refer to each other are put together.
#[derive(Debug, Clone)]
pub struct ReadPool {
    /// The pool.
    pub pool: NodePool,
    /// Where its document is.
    pub source: SourceId,
    /// Documents that add taints and labels to it.
    pub refers: Vec<Referred>,
    /// Its name as written, by which such a document is found, when it is one itself.
    pub part: Option<String>,
    /// The kind by which it is found then, when that is not its own.
    pub part_kind: Option<String>,
    /// As a part it says everything by itself.
    pub whole: bool,
    /// It stands in a list of all pools of its cluster.
    pub lists_all: bool,
    /// The label by which nodes are known to be this pool's, when it was put together from a dump of them.
    pub named_by: Option<(String, String)>,
    /// A list of taints is written, be it empty, so that no default applies.
    pub taints_written: bool,
}

impl ReadPool {
    /// A pool of which nothing else is known.
    pub(super) fn new(pool: NodePool, source: SourceId) -> Self {
        ReadPool {
            pool,
            source,
            refers: Vec::new(),
            part: None,
            part_kind: None,
            whole: false,
            lists_all: false,
            named_by: None,
            taints_written: false,
        }
    }
}

/// A document that adds to a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referred {
    /// Its kind.
    pub kind: String,
    /// Its name as written, which may hold variables: two texts that are equal in one file become equal names.
    pub name: String,
    /// It need not be there.
    pub optional: bool,
}

/// Reads the pools that a row finds in a document.
pub fn read_pools(
    table: &Table,
    provider: &str,
    row: &PoolRow,
    document: &PoolDocument<'_>,
    notices: &mut Vec<Notice>,
) -> Vec<ReadPool> {
    let elements = row.each.find(document.root);
    let count = elements.len();
    let mut pools: Vec<ReadPool> = elements
        .into_iter()
        .filter(|element| element.node.kind() == Kind::Mapping && !is_open_element(element, row))
        .map(|element| {
            (
                Condition::of_row(row).holds(document, element.node),
                element,
            )
        })
        .filter(|(holds, element)| match holds {
            Truth::Yes => true,
            // It may be there; what is filled in later by a template may be anything. Of what names no kind too little
            // is known for that.
            Truth::Unknown => element.node.is_assembled() || !row.kinds.is_empty(),
            Truth::No => false,
        })
        .map(|(holds, element)| {
            let path = join_paths(document.base, &element.path);
            let name = Name::read(row, document, &element);
            // Others know it by its object's name, whatever the pool is called.
            let own = document.object.name.clone().unwrap_or_default();
            let part = row.part.then_some(own);
            let name_is_open = name.on_nodes.is_unknown();
            let mut reader = PoolReader {
                table,
                row,
                document,
                element: element.node,
                path,
                notices,
                pool: start_pool(provider, row, document, &element, name),
                taints_written: false,
                before: 0,
                name_is_open,
            };
            if holds == Truth::Unknown {
                reader.doubt(Condition::of_row(row));
            }
            reader.read(count);
            let refers = reader.read_references();
            ReadPool {
                taints_written: reader.taints_written,
                pool: reader.pool,
                source: document.source,
                refers,
                part,
                part_kind: row.part_kind.clone(),
                whole: row.whole,
                lists_all: row.lists_all,
                named_by: None,
            }
        })
        .collect();
    if let Some(why) = open_elements(row, document) {
        pools.push(open_pool(provider, document, why));
    }
    tell_apart(&mut pools);
    pools
}

/// Why there may be elements beyond those that are there.
fn open_elements<'a>(row: &PoolRow, document: &PoolDocument<'a>) -> Option<&'a str> {
    let is_open = |element: &Found<'a>| is_open_element(element, row);
    if row.kinds.is_empty() && !document.root.is_assembled() {
        // Without a kind only the list itself says what is listed there, not what leads to it.
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

/// An element that a template fills in.
fn is_open_element(element: &Found<'_>, row: &PoolRow) -> bool {
    row.each != Path::default() && !element.node.is_assembled() && is_filled_in(element.node)
}

/// Stands for the pools of a list that is not known.
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

/// Elements without a name of their own may come out alike; a number tells them apart.
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

fn start_pool(
    provider: &str,
    row: &PoolRow,
    document: &PoolDocument<'_>,
    element: &Found<'_>,
    name: Name,
) -> NodePool {
    let mut labels: BTreeMap<String, Field<String>> = row
        .implied_labels
        .iter()
        .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
        .collect();
    for key in row.pool_label.as_slice() {
        labels.insert(key.clone(), name.on_nodes.clone());
    }
    NodePool {
        name: name.text,
        provider: provider.to_owned(),
        labels: NodeLabels {
            labels,
            requirements: Vec::new(),
            others: OtherLabels::from(row.other_labels),
        },
        open_labels: !row.pool_label.as_slice().is_empty()
            && name.span.is_some()
            && name.on_nodes.is_unknown(),
        complete: row.incomplete.is_none(),
        incomplete_because: row.incomplete.clone(),
        unschedulable: row.unschedulable.as_ref().is_some_and(|path| {
            document
                .find(element.node, path, "")
                .first()
                .is_some_and(|found| matches!(found.node.scalar(), Some(Scalar::Bool(true))))
        }),
        span: Some(match element.field {
            Some(field) if element.node.is_assembled() => field.span(),
            _ => element.node.span(),
        }),
        name_span: name.span,
        object: document.object.clone(),
        ..NodePool::default()
    }
}

/// Reads one element as a pool.
pub(super) struct PoolReader<'r, 'a> {
    pub(super) table: &'r Table,
    pub(super) row: &'r PoolRow,
    pub(super) document: &'r PoolDocument<'a>,
    pub(super) element: Node<'a>,
    pub(super) path: String,
    pub(super) notices: &'r mut Vec<Notice>,
    pub(super) pool: NodePool,
    pub(super) taints_written: bool,
    /// How many taints there were before the list that is being read.
    pub(super) before: usize,
    /// What its nodes call it could not be read.
    pub(super) name_is_open: bool,
}

impl<'a> PoolReader<'_, 'a> {
    fn read(&mut self, elements: usize) {
        let row = self.row;
        self.note_open();
        self.note_misspelt_lists();
        for path in &row.labels {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_labels(found.node);
            }
        }
        for found in self.other_labels() {
            self.read_labels(found.node);
        }
        for (key, path) in &row.labels_from {
            let value = match self.document.first_text(self.element, path) {
                Some((text, _)) => Field::Is(text),
                None => Field::Unknown,
            };
            self.pool.open_labels |= value.is_unknown();
            self.pool.labels.labels.insert(key.clone(), value);
        }
        for key in &row.unknown_labels {
            self.pool.labels.labels.insert(key.clone(), Field::Unknown);
        }
        for path in &row.requirements {
            for found in self.document.find(self.element, path, &self.path) {
                let read: Vec<_> = found.node.items().map(read_requirement).collect();
                self.pool.open_labels |= read.iter().any(Requirement::has_unknown_values);
                if is_filled_in(found.node) {
                    self.open_labels();
                }
                self.pool.labels.requirements.extend(read);
            }
        }
        for path in &row.label_flags {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_label_flag(found.node);
            }
        }
        for path in &row.taints {
            for found in self.document.find(self.element, path, &self.path) {
                self.taints_written |= !found.node.is_null();
                self.read_taints(&found, Origin::Declared);
            }
        }
        for found in self.other_taints() {
            self.read_taints(&found, Origin::Declared);
        }
        if self.is_open(&row.taints) {
            // Nobody knows whether a list is written.
            self.taints_written = true;
        }
        if !row.defaults_unless.is_empty() {
            self.taints_written = row.defaults_unless.iter().any(|path| {
                self.document
                    .find(self.element, path, "")
                    .iter()
                    .any(|found| !found.node.is_null())
            }) || self.is_open(&row.defaults_unless);
        }
        for path in &row.startup_taints {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_taints(&found, Origin::Startup);
            }
        }
        for path in &row.taint_flags {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_taint_flag(&found);
            }
        }
        for path in &row.flags {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_flags(&found);
            }
        }
        for path in &row.patches {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_patch(&found);
            }
        }
        for path in &row.autoscaler {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_autoscaler_tags(&found);
            }
        }
        if !self.taints_written && elements >= row.min_elements {
            self.imply(row.default_taints.iter().map(|text| text.0.clone()));
        }
        self.imply(row.implied_taints.iter().map(|text| text.0.clone()));
        self.read_implied();
    }

    fn read_references(&mut self) -> Vec<Referred> {
        let row = self.row;
        row.refers
            .iter()
            .filter_map(|reference| self.read_reference(reference))
            .collect()
    }

    fn read_reference(&mut self, reference: &Reference) -> Option<Referred> {
        let condition = Condition {
            matches: &reference.matches,
            unless: &Values::new(),
            written: &[],
            absent: &[],
        };
        match condition.holds(self.document, self.element) {
            Truth::Yes => {}
            Truth::No => return None,
            Truth::Unknown => {
                self.incomplete("what it refers to depends on a template");
                return None;
            }
        }
        let written = |path| {
            let found = self.document.find(self.element, path, "");
            found
                .first()
                .map(|found| found.node.raw().map(str::to_owned))
        };
        let kind = match &reference.kind {
            Some(path) => written(path)?,
            None => reference.kinds.first().cloned(),
        };
        let name = match &reference.name {
            Some(path) => written(path)?,
            None => Some(String::new()),
        };
        let (Some(kind), Some(name)) = (kind, name) else {
            self.incomplete("what it refers to is filled in by a template");
            return None;
        };
        let followed = reference.kinds.is_empty() || reference.kinds.contains(&kind);
        followed.then_some(Referred {
            kind,
            name,
            optional: reference.optional,
        })
    }

    /// Adds a taint, unless another list gave the same one: nodes that are made the first or the later way carry it
    /// once. Repetition within a list stays, for whoever judges lists.
    pub(super) fn add(&mut self, taint: PoolTaint) {
        let repeated = self
            .pool
            .taints
            .get(..self.before)
            .unwrap_or_default()
            .iter()
            .any(|known| known.taint == taint.taint && known.origin == taint.origin);
        if !repeated {
            self.pool.taints.push(taint);
        }
    }

    pub(super) fn incomplete(&mut self, because: &str) {
        self.pool.complete = false;
        self.pool
            .incomplete_because
            .get_or_insert_with(|| because.to_owned());
    }
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
