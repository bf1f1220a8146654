//! One document: unpacks lists of objects, finds rows for its kind, reads pod templates and pools at their paths, and
//! looks for tolerations everywhere else.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::FileFacts;
use super::duplicates::{self, Visit};
use super::overlays;
use super::pools::{PoolDocument, read_pools};
use super::read::{Context, Pod, TOLERATION_FIELDS, is_placeholder, is_template_action};
use super::table::{RowLevel, Table};
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_selection::NodeSelection;
use crate::model::toleration::daemon_set_tolerations;
use crate::model::workload::{Level, PodShape, Workload};
use crate::source::{Source, SourceId, Span};
use crate::yaml::{self, Kind, Node, NodeId};

const UNREAD_LIST: &str = "tolerations or selectors with values that are not literal";
const DEAD_ANNOTATIONS: [&str; 2] = [
    "scheduler.alpha.kubernetes.io/tolerations",
    "scheduler.alpha.kubernetes.io/taints",
];

/// Reads one document.
pub fn extract(
    root: Node<'_>,
    source: &Source,
    id: SourceId,
    table: &Table,
    facts: &mut FileFacts,
) {
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
        let mut reader = ObjectReader {
            root: node,
            base,
            object,
            source,
            id,
            table,
            facts,
            known_lists: HashSet::new(),
            pods: Vec::new(),
        };
        reader.read();
    }
}

fn read_object(node: Node<'_>) -> Object {
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

/// The API group of an `apiVersion`; empty for the core group.
pub fn api_group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

struct ObjectReader<'r, 'a> {
    root: Node<'a>,
    base: String,
    object: Object,
    source: &'r Source,
    id: SourceId,
    table: &'r Table,
    facts: &'r mut FileFacts,
    /// Lists that were read at a known path, so that the search elsewhere leaves them alone.
    known_lists: HashSet<NodeId>,
    /// Field paths of the pod templates.
    pods: Vec<String>,
}

impl<'a> ObjectReader<'_, 'a> {
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
            self.search_elsewhere(text, Level::Other);
            return;
        }
        let group = api_group(&self.object.api_version).to_owned();
        let version = self
            .object
            .api_version
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        let kind = self.object.kind.clone();
        if let Some(row) = self.table.injects(&group, &kind, text) {
            self.facts.overlays.push(overlays::Overlay {
                source: self.id,
                target: overlays::Target::Injected {
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
        self.facts.overlays.extend(overlays::namespace_defaults(
            self.root,
            &self.object,
            self.id,
        ));
        if kind == "Kustomization" || (kind == "Component" && group == "kustomize.config.k8s.io") {
            self.read_kustomization();
        }
        let level = self.read_workloads(&group, &version, &kind);
        let pools = self.read_pools(&group, &version, &kind);
        let templated = text.contains("{{");
        if (level.is_some() || pools) && !templated {
            self.note_duplicates(level.unwrap_or(Level::Custom));
        }
        if level == Some(Level::Typed) || kind == "Node" {
            self.note_dead_annotations(text);
        }
        if !self.table.has_other_tolerations(&group, &kind) {
            self.search_elsewhere(text, level.unwrap_or(Level::Other));
        }
    }

    fn read_kustomization(&mut self) {
        let (root, id) = (self.root, self.id);
        self.facts
            .overlays
            .extend(overlays::kustomization(root, id));
        self.facts.kustomizations.push(overlays::takes_in(root, id));
    }

    fn context<'c>(
        object: &'c Object,
        level: Level,
        oddities: &'c mut Vec<crate::model::workload::Oddity>,
    ) -> Context<'c> {
        Context {
            object,
            level,
            oddities,
        }
    }

    /// Reads every pod template at a known path; the level when the kind has a row.
    fn read_workloads(&mut self, group: &str, version: &str, kind: &str) -> Option<Level> {
        let mut level = None;
        let rows: Vec<_> = self.table.workload_rows(group, version, kind).collect();
        for row in rows {
            let row_level = match row.level {
                RowLevel::Typed => Level::Typed,
                RowLevel::Custom => Level::Custom,
            };
            level = Some(row_level);
            for path in &row.pods {
                for found in path.find(self.root) {
                    if found.node.kind() == Kind::Mapping && !is_template_action(found.node) {
                        let at = join(&self.base, &found.path);
                        self.read_pod(found.node, at, row_level, &row.tolerations_key);
                    }
                }
            }
        }
        level
    }

    fn read_pod(&mut self, node: Node<'a>, path: String, level: Level, list: &str) {
        let read = Self::context(&self.object, level, &mut self.facts.oddities)
            .read_pod(node, &path, list);
        let has_containers = node.get("containers").is_some();
        let says_something = [list, "nodeSelector", "affinity", "nodeAffinity", "nodeName"]
            .iter()
            .any(|name| node.get(name).is_some());
        if let Some(list) = node.get(list) {
            self.known_lists.insert(list.id());
        }
        self.pods.push(path.clone());
        if level == Level::Custom && !has_containers && !says_something {
            return;
        }
        // RuntimeClass scheduling is complete without containers; any other built-in pod spec is not.
        let partial =
            level == Level::Typed && !has_containers && self.object.kind != "RuntimeClass";
        if partial && says_something {
            self.facts
                .overlays
                .push(overlays::partial(&self.object, self.id));
        }
        let lacks_list = node.get(list).is_none();
        let unread = match (&read.tolerations.unread, lacks_list) {
            (Some(reason), _) => Some(reason.clone()),
            (None, true) if partial => Some("only part of the object stands here".to_owned()),
            (None, true) if level == Level::Custom && !has_containers => {
                Some("its operator may set tolerations of its own".to_owned())
            }
            _ => None,
        };
        let shape = self.shape(level, &read, unread, partial);
        self.push(shape, read, path, partial, None);
    }

    fn shape(&self, level: Level, read: &Pod, unread: Option<String>, partial: bool) -> PodShape {
        let group = api_group(&self.object.api_version);
        let injected = if self.object.kind == "DaemonSet" && ["apps", "extensions"].contains(&group)
        {
            daemon_set_tolerations(read.host_network == Field::Is(true))
        } else {
            Vec::new()
        };
        let mut selection = read.selection.clone();
        selection.unknown |= partial;
        PodShape {
            kind: self.object.kind.clone(),
            api_group: group.to_owned(),
            level,
            tolerations: read.tolerations.entries.clone(),
            injected,
            unread_tolerations: unread,
            selection,
            prefers: read.prefers,
            node_name: read.node_name.clone(),
            priority_class: read.priority_class.clone(),
            runtime_class: read.runtime_class.clone(),
            host_network: read.host_network.clone(),
            extended_resources: read.extended_resources.clone(),
        }
    }

    fn push(
        &mut self,
        shape: PodShape,
        read: Pod,
        path: String,
        partial: bool,
        span: Option<Span>,
    ) {
        if shape
            .unread_tolerations
            .as_deref()
            .is_some_and(|why| why.contains("template"))
            || shape.tolerations.iter().any(|entry| {
                entry.key.is_unknown() || entry.value.is_unknown() || entry.effect.is_unknown()
            })
            || (shape.selection.unknown && !partial && shape.level != Level::Other)
        {
            self.facts.not_judged.push(UNREAD_LIST);
        }
        let metadata = self.root.get("metadata");
        let name = metadata.and_then(|metadata| metadata.get("name"));
        let span = span.unwrap_or_else(|| {
            name.or_else(|| self.root.get("kind"))
                .unwrap_or(self.root)
                .span()
        });
        let map = |name: &str| {
            metadata
                .and_then(|metadata| metadata.get(name))
                .map(literal_map)
                .unwrap_or_default()
        };
        self.facts.workloads.push(Workload {
            object: self.object.clone(),
            labels: map("labels"),
            annotations: map("annotations"),
            shape: Arc::new(shape),
            source: self.id,
            span,
            path,
            list: read.tolerations.span,
            located: read.tolerations.located,
            selectors: read.selectors,
            partial,
        });
    }

    fn read_pools(&mut self, group: &str, version: &str, kind: &str) -> bool {
        let rows: Vec<_> = self.table.pool_rows(group, version, kind).collect();
        let document = PoolDocument {
            root: self.root,
            object: &self.object,
            text: &self.source.text,
            source: self.id,
            base: &self.base,
        };
        let found = !rows.is_empty();
        for (provider, row) in rows {
            let pools = read_pools(
                self.table,
                provider,
                row,
                &document,
                &mut self.facts.oddities,
            );
            self.facts.pools.extend(pools);
        }
        found
    }

    fn note_duplicates(&mut self, level: Level) {
        let visits = duplicates::walk(self.root);
        let mut context = Self::context(&self.object, level, &mut self.facts.oddities);
        duplicates::note(&visits, &self.base, &self.pods, &mut context);
    }

    fn note_dead_annotations(&mut self, text: &str) {
        if !text.contains("scheduler.alpha.kubernetes.io") {
            return;
        }
        let visits = duplicates::walk(self.root);
        for at in 0..visits.len() {
            if duplicates::key_of(&visits, at) != Some("annotations") {
                continue;
            }
            for field in visits[at].node.fields() {
                let Some(name) = field.name().filter(|name| DEAD_ANNOTATIONS.contains(name)) else {
                    continue;
                };
                let path = yaml::join(&duplicates::path_of(&visits, at, &self.base), name);
                let context = Self::context(&self.object, Level::Typed, &mut self.facts.oddities);
                let mut oddity = context.oddity("dead-annotation", field.key.span(), path);
                oddity.field = name.to_owned();
                context.oddities.push(oddity);
            }
        }
    }

    /// Looks for tolerations where no row expects them: misplaced in built-in kinds, somebody's own elsewhere.
    fn search_elsewhere(&mut self, text: &str, level: Level) {
        if !text.contains("olerations") {
            return;
        }
        let visits = duplicates::walk(self.root);
        for at in 0..visits.len() {
            let Some(key) = duplicates::key_of(&visits, at) else {
                continue;
            };
            let node = visits[at].node;
            if self.known_lists.contains(&node.id()) {
                continue;
            }
            if level == Level::Typed {
                if key == "tolerations" {
                    self.note_misplaced(&visits, at);
                }
            } else if (key == "tolerations" || key.ends_with("Tolerations"))
                && looks_like_tolerations(node)
            {
                self.read_other_list(&visits, at);
            }
        }
    }

    fn note_misplaced(&mut self, visits: &[Visit<'_>], at: usize) {
        let parent = duplicates::parent_of(visits, at);
        let holder = duplicates::key_of(visits, parent);
        if matches!(
            holder,
            Some("annotations" | "labels" | "matchLabels" | "data" | "nodeSelector")
        ) {
            return;
        }
        let path = duplicates::path_of(visits, at, &self.base);
        let right = self
            .pods
            .first()
            .map(|pod| yaml::join(pod, "tolerations"))
            .unwrap_or_default();
        let detail = self.place(visits, parent, &path);
        let context = Self::context(&self.object, Level::Typed, &mut self.facts.oddities);
        let field = visits[parent].node.field("tolerations");
        let span = field.map_or(visits[at].node.span(), |field| field.key.span());
        let mut oddity = context.oddity("misplaced-tolerations", span, path);
        oddity.field = "tolerations".to_owned();
        oddity.suggestion = right;
        oddity.detail = detail;
        context.oddities.push(oddity);
    }

    fn place(&self, visits: &[Visit<'_>], parent: usize, path: &str) -> String {
        let grand = duplicates::parent_of(visits, parent);
        let lists = ["containers", "initContainers", "ephemeralContainers"];
        if duplicates::key_of(visits, grand).is_some_and(|key| lists.contains(&key)) {
            return "a container".to_owned();
        }
        match duplicates::key_of(visits, parent) {
            Some(key @ ("affinity" | "nodeAffinity" | "securityContext" | "metadata")) => {
                format!("`{key}`")
            }
            Some("template") => "the pod template, beside its spec".to_owned(),
            Some("spec") if path == "spec.tolerations" => {
                format!(
                    "the spec of the {}, outside the pod template",
                    self.object.kind
                )
            }
            Some("jobTemplate") => "the job template, beside its spec".to_owned(),
            None if parent == 0 => "the top level of the object".to_owned(),
            Some(key) => format!("`{key}`"),
            None => "a list".to_owned(),
        }
    }

    fn read_other_list(&mut self, visits: &[Visit<'_>], at: usize) {
        let path = duplicates::path_of(visits, at, &self.base);
        let parent = duplicates::parent_of(visits, at);
        let key = duplicates::key_of(visits, at).unwrap_or_default();
        let Some(field) = visits[parent].node.field(key) else {
            return;
        };
        let tolerations = Self::context(&self.object, Level::Other, &mut self.facts.oddities)
            .read_tolerations(field, &path);
        let read = Pod {
            tolerations,
            selection: NodeSelection {
                unknown: true,
                ..NodeSelection::default()
            },
            ..Pod::default()
        };
        let unread = read.tolerations.unread.clone();
        let shape = self.shape(Level::Other, &read, unread, false);
        let span = field.key.span();
        let holder = duplicates::path_of(visits, parent, &self.base);
        self.push(shape, read, holder, false, Some(span));
    }
}

fn join(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) => format!("{base}.{path}"),
    }
}

fn literal_map(node: Node<'_>) -> BTreeMap<String, String> {
    node.fields()
        .into_iter()
        .filter_map(|field| {
            let value = field.value.raw().filter(|text| !is_placeholder(text))?;
            Some((field.name()?.to_owned(), value.to_owned()))
        })
        .collect()
}

/// A non-empty list of maps that have only a toleration's fields, and at least one that makes it one.
fn looks_like_tolerations(node: Node<'_>) -> bool {
    if node.kind() != Kind::Sequence {
        return false;
    }
    let mut any = false;
    for item in node.items() {
        if item.kind() != Kind::Mapping || is_template_action(item) {
            return false;
        }
        let names: Vec<_> = item.fields().iter().map(yaml::Field::name).collect();
        let known = names
            .iter()
            .all(|name| name.is_some_and(|name| TOLERATION_FIELDS.contains(&name)));
        let telling = names
            .iter()
            .any(|name| matches!(name, Some("key" | "operator" | "effect")));
        if !known || !telling {
            return false;
        }
        any = true;
    }
    any
}
