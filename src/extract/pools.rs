//! Reads node pools out of documents by the rows of provider tables: names, labels, and what else a pool is made of.

use std::collections::BTreeMap;

use super::pod::read_requirement;
use super::read::{is_placeholder, is_template_action, read_text};
use super::rows::{Anchored, PoolRow};
use super::table::Table;
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::model::taint::Taint;
use crate::model::workload::Oddity;
use crate::source::{SourceId, Span};
use crate::yaml::{Found, Kind, Node, Scalar};

/// A pool of one document, before documents that refer to each other are put together.
#[derive(Debug, Clone)]
pub struct ReadPool {
    /// The pool.
    pub pool: NodePool,
    /// Where its document is.
    pub source: SourceId,
    /// Kind and name of the document that adds taints and labels to it.
    pub refers: Option<(String, String)>,
    /// It is itself such a document.
    pub part: bool,
    /// A list of taints is written, be it empty, so that no default applies.
    pub taints_written: bool,
}

/// Everything about the document that reading its pools needs.
pub struct PoolDocument<'a> {
    /// Root of the object.
    pub root: Node<'a>,
    /// Who it is.
    pub object: &'a Object,
    /// The file's text, for places inside block strings.
    pub text: &'a str,
    /// The file.
    pub source: SourceId,
    /// Field path of the object inside its document (`items[3]` in a List).
    pub base: &'a str,
}

impl<'a> PoolDocument<'a> {
    fn find(&self, element: Node<'a>, path: &Anchored, element_path: &str) -> Vec<Found<'a>> {
        let (from, base) = if path.from_root {
            (self.root, self.base)
        } else {
            (element, element_path)
        };
        let mut found = path.path.find(from);
        for one in &mut found {
            one.path = join_paths(base, &one.path);
        }
        found
    }

    fn first_text(&self, element: Node<'a>, path: &Anchored) -> Option<(String, Span)> {
        let found = self.find(element, path, "");
        let one = found.first()?;
        match read_text(Some(one.node)) {
            Field::Is(text) => Some((
                text,
                one.field.map_or(one.node.span(), |field| field.span()),
            )),
            Field::Absent | Field::Unknown => None,
        }
    }
}

fn join_paths(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) if path.starts_with('[') => format!("{base}{path}"),
        (false, false) => format!("{base}.{path}"),
    }
}

/// Reads the pools that a row finds in a document.
pub fn read_pools(
    table: &Table,
    provider: &str,
    row: &PoolRow,
    document: &PoolDocument<'_>,
    oddities: &mut Vec<Oddity>,
) -> Vec<ReadPool> {
    let elements = row.each.find(document.root);
    let count = elements.len();
    let mut pools: Vec<ReadPool> = elements
        .into_iter()
        .filter(|element| element.node.kind() == Kind::Mapping)
        .filter(|element| matches(row, document, element.node))
        .map(|element| {
            let path = join_paths(document.base, &element.path);
            let mut reader = PoolReader {
                table,
                row,
                document,
                element: element.node,
                path,
                oddities,
                pool: start_pool(provider, row, document, element.node),
                taints_written: false,
                before: 0,
            };
            reader.read(count);
            let refers = row.refers.as_ref().and_then(|reference| {
                let kind = document.first_text(element.node, &reference.kind)?.0;
                let name = document.first_text(element.node, &reference.name)?.0;
                Some((kind, name))
            });
            ReadPool {
                taints_written: reader.taints_written,
                pool: reader.pool,
                source: document.source,
                refers,
                part: row.part,
            }
        })
        .collect();
    tell_apart(&mut pools);
    pools
}

/// Elements without a name of their own may come out alike; a number tells them apart.
fn tell_apart(pools: &mut [ReadPool]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for pool in pools {
        let times = seen.entry(pool.pool.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            pool.pool.name = format!("{}-{times}", pool.pool.name);
        }
    }
}

fn matches(row: &PoolRow, document: &PoolDocument<'_>, element: Node<'_>) -> bool {
    let literal = row
        .matches
        .iter()
        .all(|(path, text)| element.get(path).and_then(|node| node.raw()) == Some(text));
    let written = |path: &Anchored| {
        let from = if path.from_root {
            document.root
        } else {
            element
        };
        path.path
            .find(from)
            .iter()
            .any(|found| !found.node.is_null())
    };
    literal && row.match_written.iter().all(written) && !row.match_absent.iter().any(written)
}

fn start_pool(
    provider: &str,
    row: &PoolRow,
    document: &PoolDocument<'_>,
    element: Node<'_>,
) -> NodePool {
    let own = row
        .name
        .as_slice()
        .iter()
        .find_map(|path| document.first_text(element, path));
    let prefix = row
        .name_prefix
        .as_ref()
        .and_then(|path| document.first_text(element, path));
    let name_span = own.as_ref().map(|(_, span)| *span);
    let name = match (prefix, own) {
        (Some((prefix, _)), Some((name, _))) => format!("{prefix}-{name}"),
        (Some((name, _)), None) | (None, Some((name, _))) => name,
        (None, None) => String::new(),
    };
    let named = !name.is_empty();
    let mut labels: BTreeMap<String, Field<String>> = row
        .implied_labels
        .iter()
        .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
        .collect();
    for key in row.pool_label.as_slice() {
        let value = if named {
            Field::Is(name.clone())
        } else {
            Field::Unknown
        };
        labels.insert(key.clone(), value);
    }
    NodePool {
        name,
        provider: provider.to_owned(),
        cluster: None,
        labels: NodeLabels {
            labels,
            requirements: Vec::new(),
            others: OtherLabels::from(row.other_labels),
        },
        taints: Vec::new(),
        complete: row.incomplete.is_none(),
        incomplete_because: row.incomplete.clone(),
        unschedulable: row.unschedulable.as_ref().is_some_and(|path| {
            document
                .find(element, path, "")
                .first()
                .is_some_and(|found| matches!(found.node.scalar(), Some(Scalar::Bool(true))))
        }),
        span: Some(element.span()),
        name_span,
        object: document.object.clone(),
    }
}

/// Reads one element as a pool.
pub(super) struct PoolReader<'r, 'a> {
    pub(super) table: &'r Table,
    pub(super) row: &'r PoolRow,
    pub(super) document: &'r PoolDocument<'a>,
    pub(super) element: Node<'a>,
    pub(super) path: String,
    pub(super) oddities: &'r mut Vec<Oddity>,
    pub(super) pool: NodePool,
    pub(super) taints_written: bool,
    /// How many taints there were before the list that is being read.
    pub(super) before: usize,
}

impl<'a> PoolReader<'_, 'a> {
    fn read(&mut self, elements: usize) {
        let row = self.row;
        for path in &row.labels {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_labels(found.node);
            }
        }
        for (key, path) in &row.labels_from {
            let value = match self.document.first_text(self.element, path) {
                Some((text, _)) => Field::Is(text),
                None => Field::Unknown,
            };
            self.pool.labels.labels.insert(key.clone(), value);
        }
        for key in &row.unknown_labels {
            self.pool.labels.labels.insert(key.clone(), Field::Unknown);
        }
        for path in &row.requirements {
            for found in self.document.find(self.element, path, &self.path) {
                self.pool
                    .labels
                    .requirements
                    .extend(found.node.items().map(read_requirement));
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
        if !row.defaults_unless.is_empty() {
            self.taints_written = row.defaults_unless.iter().any(|path| {
                self.document
                    .find(self.element, path, "")
                    .iter()
                    .any(|found| !found.node.is_null())
            });
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
        for path in &row.patches {
            for found in self.document.find(self.element, path, &self.path) {
                self.read_patch(&found);
            }
        }
        if !self.taints_written && elements >= row.min_elements {
            self.imply(row.default_taints.iter().map(|text| text.0.clone()));
        }
        self.imply(row.implied_taints.iter().map(|text| text.0.clone()));
    }

    fn imply(&mut self, taints: impl Iterator<Item = Taint>) {
        for taint in taints {
            self.pool.taints.push(PoolTaint {
                taint,
                origin: Origin::Implied,
                span: None,
                path: String::new(),
                spelled: None,
                fields: BTreeMap::new(),
            });
        }
    }

    /// Adds a taint, unless another list gave the same one: nodes that are made the first or the later way carry it
    /// once. Repetition within a list stays, for whoever judges lists.
    pub(super) fn add(&mut self, taint: PoolTaint) {
        let repeated = self.pool.taints[..self.before]
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

    fn read_labels(&mut self, node: Node<'a>) {
        if node.is_null() {
            return;
        }
        if node.kind() != Kind::Mapping || is_template_action(node) {
            self.pool.labels.others = OtherLabels::Possible;
            return;
        }
        for field in node.fields() {
            match field.name() {
                Some(key) if !self.reaches_node(key) => {}
                Some(key) if !is_placeholder(key) => {
                    let value = match read_text(Some(field.value)) {
                        Field::Absent => Field::Is(String::new()),
                        other => other,
                    };
                    self.pool.labels.labels.insert(key.to_owned(), value);
                }
                _ => self.pool.labels.others = OtherLabels::Possible,
            }
        }
    }

    fn reaches_node(&self, key: &str) -> bool {
        let domains = &self.row.label_domains;
        let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
        domains.is_empty()
            || domains.iter().any(|domain| {
                prefix == domain
                    || prefix
                        .strip_suffix(domain.as_str())
                        .is_some_and(|rest| rest.ends_with('.'))
            })
    }

    fn read_label_flag(&mut self, node: Node<'a>) {
        match read_text(Some(node)) {
            Field::Is(text) => {
                for pair in text.split(',').filter(|pair| !pair.is_empty()) {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    self.pool
                        .labels
                        .labels
                        .insert(key.to_owned(), Field::Is(value.to_owned()));
                }
            }
            Field::Absent => {}
            Field::Unknown => self.pool.labels.others = OtherLabels::Possible,
        }
    }
}
