//! Pod templates at the paths that rows give: what scheduling reads of them, and what is known about the rest.

use std::sync::Arc;

use super::controllers;
use super::document::{ObjectReader, join};
use super::notation::api_group;
use super::overlays::Overlay;
use super::pod::Pod;
use super::read::{is_filled_in, is_placeholder, read_text};
use super::rows::{RowLevel, WorkloadRow};
use crate::finding::{Because, Open};
use crate::model::admission::PodTolerations;
use crate::model::character::Character;
use crate::model::workload::{Level, MoreTolerations, Pairs, PodShape, Stands, Workload};
use crate::model::{Field, Truth};
use crate::source::Span;
use crate::yaml::{Kind, Node};

impl<'a> ObjectReader<'_, 'a> {
    /// Reads every pod template at a known path; the level when the kind has a row.
    pub(super) fn read_workloads(
        &mut self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> Option<Level> {
        let mut level = None;
        let rows: Vec<_> = self.table.workload_rows(group, version, kind).collect();
        for row in rows {
            let row_level = match row.level {
                RowLevel::Typed => Level::Typed,
                RowLevel::Custom => Level::Custom,
            };
            level = Some(row_level);
            for path in &row.pods {
                let mut ends = path.find_ends(self.root).into_iter();
                if let Some(end) = ends.find(|end| is_filled_in(*end)) {
                    self.open_pod(end);
                }
                for found in path.find(self.root) {
                    if is_filled_in(found.node) {
                        self.open_pod(found.node);
                    } else if found.node.kind() == Kind::Mapping {
                        let at = join(&self.base, &found.path);
                        self.read_pod(found.node, at, row_level, row);
                    } else if let Some(field) = &found.field
                        && row_level == Level::Typed
                    {
                        let at = join(&self.base, &found.path);
                        Self::context(&self.object, row_level, &mut self.facts.notices)
                            .expect_kind(field, Kind::Mapping, &at);
                    }
                }
            }
        }
        level
    }

    fn open_pod(&mut self, node: Node<'_>) {
        let open = Open::object(node.span(), &self.object, Because::OpenPod);
        self.facts.not_judged.push(open);
    }

    fn read_pod(&mut self, node: Node<'a>, path: String, level: Level, row: &WorkloadRow) {
        let list = row.tolerations_key.as_str();
        let mut read =
            Self::context(&self.object, level, &mut self.facts.notices).read_pod(node, &path, list);
        // A field whose name is filled in may be any of those that are not there.
        let has_gap = node
            .fields()
            .iter()
            .any(|field| field.name().is_some_and(is_placeholder));
        read.selection.unknown |= has_gap;
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
        let stands = match level {
            _ if row.lends => Stands::ForOthers,
            // A built-in pod spec without containers is a patch.
            Level::Typed if !has_containers => Stands::InPart,
            _ => Stands::Alone,
        };
        if stands == Stands::InPart && says_something {
            self.facts
                .overlays
                .push(Overlay::partial(&self.object, self.own_span()));
        }
        let lacks_list = node.get(list).is_none();
        let unread = match (read.tolerations.unread, lacks_list) {
            (Some(reason), _) => Some(reason),
            (None, true) if has_gap => Some(MoreTolerations::Template(
                "a field is filled in by a template",
            )),
            (None, true) if stands == Stands::InPart => Some(MoreTolerations::InPart),
            (None, true) if level == Level::Custom && !has_containers => {
                Some(MoreTolerations::Other("its operator may add tolerations"))
            }
            _ => None,
        };
        let mut shape = self.shape(level, &read, unread, stands);
        shape.character = self.character(node, level);
        if level == Level::Custom {
            let name = path.rsplit('.').next();
            let spec = self.root.get("spec").map(|spec| (spec, None));
            let way = std::iter::once((node, name)).chain(spec);
            let found = controllers::beside(way.chain([(self.root, None)]));
            shape.character.controller = found.or_else(|| row.makes.clone()).unwrap_or_default();
        }
        if row.lends {
            shape.character.controller.clear();
        }
        self.push(shape, read, path, stands, None);
    }

    pub(super) fn shape(
        &self,
        level: Level,
        read: &Pod,
        unread: Option<MoreTolerations>,
        stands: Stands,
    ) -> PodShape {
        let group = api_group(&self.object.api_version);
        let resources = &read.resources;
        let computed = level == Level::Typed && stands == Stands::Alone && !resources.unread;
        let mut selection = read.selection.clone();
        selection.unknown |= stands == Stands::InPart;
        PodShape {
            kind: self.object.kind.clone(),
            api_group: group.to_owned(),
            level,
            tolerations: read.tolerations.entries.clone(),
            on_pods: PodTolerations::default(),
            unread_tolerations: unread,
            selection,
            prefers: read.prefers,
            node_name: read.node_name.clone(),
            priority_class: read.priority_class.clone(),
            runtime_class: read.runtime_class.clone(),
            host_network: read.host_network.clone(),
            extended_resources: resources
                .resources
                .extended_resources()
                .map(str::to_owned)
                .collect(),
            resources_unread: resources.unread,
            qos_class: match resources.resources.qos_class() {
                Some(class) if computed => Field::Is(class),
                _ => Field::Unknown,
            },
            system: self.is_system(read),
            on_openshift: self.is_about_openshift(),
            refused: None,
            character: Character::default(),
        }
    }

    /// Whether the object, or the path of its file, names OpenShift: in a namespace, an annotation, an image.
    fn is_about_openshift(&self) -> bool {
        const NAME: &str = "openshift";
        self.source.path.to_ascii_lowercase().contains(NAME)
            || self.source.slice(self.root.span()).contains(NAME)
    }

    /// Whether the pods belong to the cluster itself.
    fn is_system(&self, read: &Pod) -> Truth {
        let by_namespace = match self.object.namespace.as_deref() {
            Some(name) if is_placeholder(name) => Truth::Unknown,
            name => (name == Some("kube-system")).into(),
        };
        let by_class = match read.priority_class.text() {
            None => Truth::Unknown,
            Some(class) => ["system-node-critical", "system-cluster-critical"]
                .contains(&class)
                .into(),
        };
        by_namespace.or(by_class)
    }

    pub(super) fn push(
        &mut self,
        shape: PodShape,
        read: Pod,
        path: String,
        stands: Stands,
        span: Option<Span>,
    ) {
        let metadata = self.root.get("metadata");
        let span = span.unwrap_or_else(|| self.own_span());
        let map = |name: &str| {
            metadata
                .and_then(|metadata| metadata.get(name))
                .map(read_map)
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
            located: read.tolerations.located.into(),
            selectors: read.selectors.into(),
            stands,
        });
    }
}

fn read_map(node: Node<'_>) -> Pairs {
    let mut pairs: Vec<_> = node
        .fields()
        .into_iter()
        .filter_map(|field| Some((field.name()?.to_owned(), read_text(Some(field.value)))))
        .collect();
    pairs.sort_unstable();
    pairs.into()
}
