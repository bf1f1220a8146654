//! One document: unpacks lists of objects, finds rows for its kind, reads pod templates and pools at their paths, and
//! looks for tolerations everywhere else.

use std::collections::HashSet;

use super::FileFacts;
use super::duplicates::{self};
use super::namespaces;
use super::notation::api_group;
use super::overlays;
use super::plans;
use super::pool_document::PoolDocument;
use super::pool_rows::PoolRow;
use super::pools::{ReadPool, read_pools};
use super::read::{Context, is_placeholder};
use super::reading::Reading;
use super::scripts;
use super::table::Table;
use crate::finding::{Because, Object, Open};
use crate::inventory;
use crate::model::workload::Level;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, Found, Kind, Node, NodeId};

/// Reads one document.
pub(super) fn extract(root: Node<'_>, reading: Reading<'_>, facts: &mut FileFacts) {
    // Lists may hold lists; a work list instead of recursion bounds what a file can make us do.
    let mut pending = vec![(root, String::new(), None::<(String, String)>)];
    while let Some((node, base, inherited)) = pending.pop() {
        let mut object = read_object(node);
        if let Some((api_version, kind)) = inherited {
            if object.api_version.is_empty() {
                object.api_version = api_version;
            }
            if object.kind.is_empty() {
                object.kind = kind;
            }
        }
        let items = node
            .get("items")
            .filter(|items| object.kind.ends_with("List") && items.kind() == Kind::Sequence);
        if let Some(items) = items {
            let of_items = match object.kind.strip_suffix("List") {
                Some("") | None => None,
                Some(kind) => Some((object.api_version.clone(), kind.to_owned())),
            };
            let path = yaml::join(&base, "items");
            let mut found: Vec<_> = items
                .items()
                .enumerate()
                .map(|(index, item)| (item, yaml::index(&path, index), of_items.clone()))
                .collect();
            found.reverse();
            pending.extend(found);
            continue;
        }
        let mut reader = ObjectReader::new(node, base, object, reading, facts);
        reader.read();
    }
}

/// Reads the pools of one object, and nothing else of it.
pub(super) fn read_pools_only(root: Node<'_>, reading: Reading<'_>, facts: &mut FileFacts) {
    let object = read_object(root);
    let mut reader = ObjectReader::new(root, String::new(), object, reading, facts);
    let (group, version) = reader.group_and_version();
    let kind = reader.object.kind.clone();
    if !reader.table.is_skipped(&group, &kind) {
        reader.read_declared_pools(&group, &version, &kind);
    }
}

/// Whether a document is an object of some API. The answer of an API server that refuses something is none.
pub(super) fn is_object(root: Node<'_>) -> bool {
    let object = read_object(root);
    let is_named = !(object.api_version.is_empty() && object.kind.is_empty());
    is_named && !(object.api_version == "v1" && object.kind == "Status")
}

pub(super) fn read_object(node: Node<'_>) -> Object {
    let text = |node: Option<Node<'_>>| {
        node.and_then(|node| node.raw().filter(|_| !node.is_null()))
            .map(str::to_owned)
    };
    let metadata = node.get("metadata");
    Object {
        api_version: text(node.get("apiVersion")).unwrap_or_default(),
        kind: text(node.get("kind")).unwrap_or_default(),
        namespace: text(metadata.and_then(|metadata| metadata.get("namespace"))),
        name: text(metadata.and_then(|metadata| metadata.get("name"))),
    }
}

/// Reads one object: what it is, and what is known of it so far.
pub(super) struct ObjectReader<'r, 'a> {
    pub(super) root: Node<'a>,
    pub(super) base: String,
    pub(super) object: Object,
    pub(super) source: &'r Source,
    pub(super) id: SourceId,
    pub(super) table: &'r Table,
    /// What is no object is values of a chart.
    pub(super) is_values: bool,
    pub(super) facts: &'r mut FileFacts,
    /// Lists that were read at a known path, so that the search elsewhere leaves them alone.
    pub(super) known_lists: HashSet<NodeId>,
    /// Field paths of the pod templates.
    pub(super) pods: Vec<String>,
}

impl<'r, 'a> ObjectReader<'r, 'a> {
    pub(super) fn new(
        root: Node<'a>,
        base: String,
        object: Object,
        reading: Reading<'r>,
        facts: &'r mut FileFacts,
    ) -> Self {
        let Reading {
            source,
            id,
            table,
            is_values,
        } = reading;
        ObjectReader {
            root,
            base,
            object,
            source,
            id,
            table,
            is_values,
            facts,
            known_lists: HashSet::new(),
            pods: Vec::new(),
        }
    }

    pub(super) fn reading(&self) -> Reading<'r> {
        Reading {
            source: self.source,
            id: self.id,
            table: self.table,
            is_values: self.is_values,
        }
    }

    fn read(&mut self) {
        let text = self.source.slice(self.root.span());
        if self.root.kind() != Kind::Mapping
            || self.object.kind.is_empty()
            || self.object.api_version.is_empty()
        {
            if self.object.kind == "Kustomization"
                || self.source.path.ends_with("kustomization.yaml")
            {
                self.read_kustomization();
            }
            if plans::read_state(self.root, self.reading(), self.facts) {
                return;
            }
            if self.object.api_version.is_empty() {
                let before = self.facts.pools.len();
                self.read_kindless_pools();
                self.read_strings(self.facts.pools.len() > before);
            }
            self.search_elsewhere(text, Level::Other);
            return;
        }
        match inventory::read(self.root, self.id) {
            Some(Ok(read)) => return self.facts.inventories.push(read),
            Some(Err(errors)) => return self.facts.unreadable.extend(errors),
            None => {}
        }
        let (group, version) = self.group_and_version();
        let kind = self.object.kind.clone();
        let open_group = is_placeholder(&self.object.api_version) && self.table.knows_kind(&kind);
        if is_placeholder(&kind) || open_group {
            let field = if is_placeholder(&kind) {
                "kind"
            } else {
                "apiVersion"
            };
            let at = self.root.get(field).unwrap_or(self.root).span();
            let open = Open::object(at, &self.object, Because::OpenKind);
            self.facts.not_judged.push(open);
        }
        if let Some(row) = self.table.injects(&group, &kind, text) {
            self.facts.overlays.push(overlays::Overlay {
                source: self.id,
                span: self.own_span(),
                target: overlays::Target::Injected {
                    by: match &self.object.name {
                        Some(name) => format!("{kind} `{name}`").into(),
                        None => format!("a {kind}").into(),
                    },
                    label: row.workload_label.clone(),
                    kinds: row.workload_kinds.clone(),
                },
                what: "a policy in this repository adds tolerations",
                within: None,
            });
        }
        if self.table.is_skipped(&group, &kind) {
            return;
        }
        self.facts.managed_cluster |= self.table.declares_managed(&group, &kind);
        self.read_others(&group, &kind);
        if kind == "Kustomization" || (kind == "Component" && group == "kustomize.config.k8s.io") {
            self.read_kustomization();
        }
        let level = self.read_workloads(&group, &version, &kind);
        let pools = self.read_pools(&group, &version, &kind);
        self.note_node_errors();
        let devices = self.read_devices(&group, &version, &kind);
        self.read_strings(pools);
        self.read_values_texts(&group, &kind);
        if level.is_some() || pools || devices {
            let kinds = if devices { Level::Typed } else { Level::Custom };
            let table = self.table;
            let deciding = || duplicates::deciding(table, &group, &version, &kind);
            self.note_duplicates(level.unwrap_or(kinds), &deciding);
        }
        if level == Some(Level::Typed) || kind == "Node" {
            self.note_dead_annotations(text);
        }
        if !self.table.has_other_tolerations(&group, &kind) {
            self.search_elsewhere(text, level.unwrap_or(Level::Other));
        }
    }

    /// The object's name, or what comes nearest to it.
    pub(super) fn own_span(&self) -> Span {
        let metadata = self.root.get("metadata");
        let name = metadata.and_then(|metadata| metadata.get("name"));
        name.or_else(|| self.root.get("kind"))
            .unwrap_or(self.root)
            .span()
    }

    /// What counts for the pods of others.
    fn read_others(&mut self, group: &str, kind: &str) {
        let at = self.own_span();
        match (group, kind) {
            ("", "Namespace") => {
                let mut context =
                    Self::context(&self.object, Level::Typed, &mut self.facts.notices);
                let read = namespaces::namespace(self.root, &self.base, at, &mut context);
                self.facts.namespaces.extend(read);
            }
            ("node.k8s.io", "RuntimeClass") => {
                let read = namespaces::runtime_class(self.root, &self.object, at);
                self.facts.runtime_classes.extend(read);
            }
            _ => {}
        }
    }

    fn read_kustomization(&mut self) {
        let (root, id) = (self.root, self.id);
        self.facts
            .overlays
            .extend(overlays::kustomization(root, id));
        self.facts.kustomizations.push(overlays::takes_in(root, id));
        self.read_inline_patches();
    }

    pub(super) fn context<'c>(
        object: &'c Object,
        level: Level,
        notices: &'c mut Vec<crate::model::notice::Notice>,
    ) -> Context<'c> {
        Context {
            object,
            level,
            notices,
        }
    }

    fn read_pools(&mut self, group: &str, version: &str, kind: &str) -> bool {
        let found = self.read_declared_pools(group, version, kind);
        let (table, root) = (self.table, self.root);
        for (paths, incomplete) in table.held(group, kind) {
            for one in paths.iter().flat_map(|path| path.find(root)) {
                self.read_held(&one, incomplete);
            }
        }
        found
    }

    /// Pools that objects of this kind declare; whether there are rows for it.
    fn read_declared_pools(&mut self, group: &str, version: &str, kind: &str) -> bool {
        let rows: Vec<_> = self.table.pool_rows(group, version, kind).collect();
        self.apply_pool_rows(&rows);
        !rows.is_empty()
    }

    /// Pools of a file that is no object of any API.
    fn read_kindless_pools(&mut self) {
        let rows: Vec<_> = self
            .table
            .kindless_rows(self.root, &self.source.path)
            .collect();
        self.apply_pool_rows(&rows);
    }

    fn apply_pool_rows(&mut self, rows: &[(&str, &PoolRow)]) {
        let document = PoolDocument {
            root: self.root,
            object: &self.object,
            text: &self.source.text,
            source: self.id,
            file: &self.source.path,
            base: &self.base,
            after_unknown: None,
        };
        let table = self.table;
        let notices = &mut self.facts.notices;
        let pools: Vec<ReadPool> = rows
            .iter()
            .flat_map(|(provider, row)| read_pools(table, provider, row, &document, notices))
            .collect();
        self.facts.pools.extend(pools);
    }

    /// Pools of an object that stands in another.
    fn read_held(&mut self, held: &Found<'a>, incomplete: Option<&String>) {
        let base = join(&self.base, &held.path);
        let object = read_object(held.node);
        let mut reader = ObjectReader::new(held.node, base, object, self.reading(), self.facts);
        let before = reader.facts.pools.len();
        let (group, version) = reader.group_and_version();
        let kind = reader.object.kind.clone();
        reader.read_declared_pools(&group, &version, &kind);
        for read in reader.facts.pools.get_mut(before..).unwrap_or_default() {
            if let Some(why) = incomplete {
                read.pool.complete = false;
                read.pool
                    .incomplete_because
                    .get_or_insert_with(|| why.clone());
            }
        }
    }

    /// Commands in the strings of the document.
    fn read_strings(&mut self, pools_known: bool) {
        let strings = scripts::Strings {
            root: self.root,
            source: self.source,
            id: self.id,
            object: &self.object,
            base: &self.base,
            pools_known,
        };
        strings.read(self.facts);
    }

    fn group_and_version(&self) -> (String, String) {
        let api_version = &self.object.api_version;
        let version = api_version.rsplit('/').next().unwrap_or_default();
        (api_group(api_version).to_owned(), version.to_owned())
    }

    fn note_duplicates(&mut self, level: Level, deciding: &dyn Fn() -> Vec<Vec<&'r str>>) {
        let visits = duplicates::walk(self.root);
        let mut context = Self::context(&self.object, level, &mut self.facts.notices);
        let text = &self.source.text;
        duplicates::note(&visits, &self.base, deciding, text, &mut context);
    }
}

pub(super) fn join(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) => format!("{base}.{path}"),
    }
}
