//! Reads node pools out of documents by the rows of provider tables: names, labels, and taints in every notation.

use std::collections::BTreeMap;

use super::read::{
    Context, describe, is_placeholder, is_template_action, read_requirement, read_text,
};
use super::table::{Anchored, EffectSpelling, PoolRow, Table};
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::model::taint::{Effect, Taint};
use crate::model::workload::{Level, Oddity};
use crate::source::{SourceId, Span};
use crate::yaml::{self, Found, Kind, Node, Scalar, Style};

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

struct PoolReader<'r, 'a> {
    table: &'r Table,
    row: &'r PoolRow,
    document: &'r PoolDocument<'a>,
    element: Node<'a>,
    path: String,
    oddities: &'r mut Vec<Oddity>,
    pool: NodePool,
    taints_written: bool,
    /// How many taints there were before the list that is being read.
    before: usize,
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
    fn add(&mut self, taint: PoolTaint) {
        let repeated = self.pool.taints[..self.before]
            .iter()
            .any(|known| known.taint == taint.taint && known.origin == taint.origin);
        if !repeated {
            self.pool.taints.push(taint);
        }
    }

    fn incomplete(&mut self, because: &str) {
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

    fn read_taints(&mut self, found: &Found<'a>, origin: Origin) {
        self.before = self.pool.taints.len();
        let node = found.node;
        if node.is_null() {
            return;
        }
        if is_template_action(node) || node.raw().is_some_and(is_placeholder) {
            self.incomplete("taints are filled in by a template");
            return;
        }
        match node.kind() {
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    let path = yaml::index(&found.path, index);
                    match item.kind() {
                        Kind::Mapping if is_template_action(item) => {
                            self.incomplete("a taint is filled in by a template");
                        }
                        Kind::Mapping => self.read_taint(item, path, origin),
                        _ => self.read_taint_text(item, &path, origin),
                    }
                }
            }
            Kind::Mapping => {
                for field in node.fields() {
                    self.read_keyed_taint(&field, &found.path, origin);
                }
            }
            Kind::Scalar => self.read_taint_flag(found),
        }
    }

    /// `{key: k, value: v, effect: E}`
    fn read_taint(&mut self, item: Node<'a>, path: String, origin: Origin) {
        let row = self.row;
        let startup = !row.startup_when.is_empty()
            && row
                .startup_when
                .iter()
                .all(|(key, text)| item.get(key).and_then(|node| node.raw()) == Some(text));
        let origin = if startup { Origin::Startup } else { origin };
        let mut text = |name: &str| self.read_taint_field(item, name, &path);
        let (key, value, effect) = (text("key"), text("value"), text("effect"));
        let fields = ["key", "value", "effect"]
            .into_iter()
            .filter_map(|name| Some((name, item.field(name)?.span())))
            .collect();
        let unread = key.is_unknown() || effect.is_unknown();
        let (effect, spelled) = self.canonical(effect);
        if unread && origin != Origin::Startup {
            self.incomplete("a taint could not be read");
        }
        self.add(PoolTaint {
            taint: Taint { key, value, effect },
            origin,
            span: Some(item.span()),
            path,
            spelled,
            fields,
        });
    }

    fn read_taint_field(&mut self, item: Node<'a>, name: &str, path: &str) -> Field<String> {
        let field = item.field(name);
        // Objects that an API server decodes refuse `value: true`; tools that read files take it as text.
        let group = self
            .document
            .object
            .api_version
            .split('/')
            .next()
            .unwrap_or_default();
        let strict = ["v1", "karpenter.sh"].contains(&group) || group.ends_with("cluster.x-k8s.io");
        if !strict {
            return read_text(field.map(|field| field.value));
        }
        let level = if group == "v1" {
            Level::Typed
        } else {
            Level::Custom
        };
        Context {
            object: self.document.object,
            level,
            oddities: self.oddities,
        }
        .read_string(field, &yaml::join(path, name))
    }

    fn canonical(&self, effect: Field<String>) -> (Field<String>, Option<String>) {
        let Field::Is(written) = &effect else {
            return (effect, None);
        };
        let own = match self.row.effect_spelling {
            EffectSpelling::Kubernetes => false,
            EffectSpelling::UpperSnake | EffectSpelling::Kebab => true,
        };
        match Effect::canonical(written) {
            Some(known) if own && known.as_str() != written => {
                (Field::Is(known.as_str().to_owned()), Some(written.clone()))
            }
            _ => (effect, None),
        }
    }

    /// `k=v:E` as one item of a list.
    fn read_taint_text(&mut self, item: Node<'a>, path: &str, origin: Origin) {
        match read_text(Some(item)) {
            Field::Is(text) => self.push_taint_text(&text, item.span(), path, origin),
            Field::Absent => {}
            Field::Unknown if item.kind() == Kind::Scalar => {
                self.incomplete("a taint is filled in by a template");
            }
            Field::Unknown => {
                self.incomplete(&format!("a taint is {}", describe(item)));
            }
        }
    }

    /// `k: "v:E"`, `k: ":E"` or `k: E`
    fn read_keyed_taint(&mut self, field: &yaml::Field<'a>, path: &str, origin: Origin) {
        let (Some(key), Field::Is(text)) = (field.name(), read_text(Some(field.value))) else {
            self.incomplete("a taint is filled in by a template");
            return;
        };
        if is_placeholder(key) {
            self.incomplete("a taint is filled in by a template");
            return;
        }
        let (value, effect) = text.rsplit_once(':').unwrap_or(("", text.as_str()));
        let (effect, spelled) = self.canonical(Field::Is(effect.to_owned()));
        self.add(PoolTaint {
            taint: Taint {
                key: Field::Is(key.to_owned()),
                value: if value.is_empty() {
                    Field::Absent
                } else {
                    Field::Is(value.to_owned())
                },
                effect,
            },
            origin,
            span: Some(field.span()),
            path: yaml::join(path, key),
            spelled,
            fields: BTreeMap::new(),
        });
    }

    /// `k=v:E,k2:E2` in one string.
    fn read_taint_flag(&mut self, found: &Found<'a>) {
        self.before = self.pool.taints.len();
        let span = found.field.map_or(found.node.span(), |field| field.span());
        match read_text(Some(found.node)) {
            // A flag of the kubelet adds taints; kubeadm's own default stays beside them.
            Field::Is(text) => {
                for part in text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                {
                    self.push_taint_text(part, span, &found.path, Origin::Declared);
                }
            }
            Field::Absent => {}
            Field::Unknown => self.incomplete("taints are filled in by a template"),
        }
    }

    fn push_taint_text(&mut self, text: &str, span: Span, path: &str, origin: Origin) {
        match Taint::parse_flag(text) {
            Ok(taint) => self.add(PoolTaint {
                taint,
                origin,
                span: Some(span),
                path: path.to_owned(),
                spelled: None,
                fields: BTreeMap::new(),
            }),
            Err(error) => self.incomplete(&format!("taint `{text}`: {error}")),
        }
    }

    /// kubeadm configuration inside a block string.
    fn read_patch(&mut self, found: &Found<'a>) {
        let Some(inner) = found.node.raw() else {
            return;
        };
        let stream = yaml::parse(inner, self.document.source);
        if !stream.errors.is_empty() {
            self.incomplete("a kubeadm patch is not valid YAML");
        }
        for document in &stream.documents {
            let root = document.root();
            let Some(kind) = root.get("kind").and_then(|node| node.as_str()) else {
                continue;
            };
            let meant = &self.row.patch_kinds;
            if !meant.is_empty() && !meant.iter().any(|one| one == kind) {
                continue;
            }
            let group = match kind {
                "KubeletConfiguration" => "kubelet.config.k8s.io",
                _ => "kubeadm.k8s.io",
            };
            let object = Object {
                api_version: group.to_owned(),
                kind: kind.to_owned(),
                ..Object::default()
            };
            let inner_document = PoolDocument {
                root,
                object: &object,
                text: inner,
                source: self.document.source,
                base: "",
            };
            // Rows of one kind differ in what they match and imply, not in where taints are: the first will do.
            let row = self.table.pool_rows(group, "", kind).next();
            if let Some((provider, row)) = row {
                let row = PoolRow {
                    match_written: Vec::new(),
                    match_absent: Vec::new(),
                    default_taints: Vec::new(),
                    implied_labels: BTreeMap::new(),
                    incomplete: None,
                    ..row.clone()
                };
                let mut ignored = Vec::new();
                for read in read_pools(self.table, provider, &row, &inner_document, &mut ignored) {
                    self.taints_written |= read.taints_written;
                    self.adopt(read.pool, found, inner);
                }
            }
        }
    }

    fn adopt(&mut self, patch: NodePool, found: &Found<'a>, inner: &str) {
        if !patch.complete {
            self.incomplete("a kubeadm patch could not be read");
        }
        self.pool.labels.labels.extend(patch.labels.labels);
        let known: Vec<_> = self
            .pool
            .taints
            .iter()
            .map(|one| one.taint.clone())
            .collect();
        for mut taint in patch.taints {
            taint.span = taint
                .span
                .map(|span| embedded_span(self.document.text, found.node, inner, span));
            taint.path = found.path.clone();
            if !known.contains(&taint.taint) {
                self.pool.taints.push(taint);
            }
        }
    }
}

/// The place in the file of a place inside a literal block string; the whole string for other styles.
fn embedded_span(text: &str, node: Node<'_>, inner: &str, span: Span) -> Span {
    let whole = node.span();
    if node.style() != Style::Literal {
        return whole;
    }
    let Some(content) = text.get(whole.range()).and_then(|block| block.find('\n')) else {
        return whole;
    };
    let content_start = whole.start as usize + content + 1;
    let first_line = text[content_start..].lines().next().unwrap_or_default();
    let inner_first = inner.lines().next().unwrap_or_default();
    let indent = first_line.len().saturating_sub(inner_first.len());
    let outer = |offset: usize| {
        let before = &inner.as_bytes()[..offset.min(inner.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        let mut at = content_start;
        for _ in 0..line {
            at += text[at..].find('\n')? + 1;
        }
        Some(at + indent + column)
    };
    match (outer(span.start as usize), outer(span.end as usize)) {
        (Some(start), Some(end)) if end <= whole.end as usize + 1 && start <= end => {
            Span::new(whole.source, start..end)
        }
        _ => whole,
    }
}
