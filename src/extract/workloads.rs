//! Pod templates at the paths that rows give: the fields that affect scheduling, and what is known about the others.

use std::collections::HashSet;
use std::sync::Arc;

use thin_vec::ThinVec;

use super::FileFacts;
use super::character;
use super::controllers::{self, Switches};
use super::overlays::Overlay;
use super::pod::{Pod, read_pod_spec};
use super::read::{is_filled_in, is_placeholder, read_text};
use super::rows::{RowLevel, WorkloadRow};
use super::subject::Subject;
use crate::finding::{Because, Open};
use crate::model::admission::PodTolerations;
use crate::model::character::Character;
use crate::model::workload::{Level, MoreTolerations, Pairs, PodShape, Stands, Workload};
use crate::model::{Field, Truth};
use crate::source::Span;
use crate::yaml::{Kind, Node, NodeId};

/// What the rows of a kind find in an object.
pub(super) struct Workloads {
    pub(super) facts: FileFacts,
    /// How well the kind is known, or `None` if it has no row.
    pub(super) level: Option<Level>,
    pub(super) known: Known,
}

/// Places of an object that its rows name. The search for tolerations elsewhere skips them.
#[derive(Default)]
pub(super) struct Known {
    /// Lists of tolerations.
    pub(super) lists: HashSet<NodeId>,
    /// Field paths of the pod templates.
    pub(super) pods: Vec<String>,
}

/// Reads every pod template at a known path.
pub(super) fn read(subject: &Subject<'_>) -> Workloads {
    let mut read = Workloads {
        facts: FileFacts::default(),
        level: None,
        known: Known::default(),
    };
    let table = subject.reading.table;
    let (group, version) = (subject.group(), subject.version());
    for row in table.workload_rows(group, version, &subject.object.kind) {
        let level = match row.level {
            RowLevel::Typed => Level::Typed,
            RowLevel::Custom => Level::Custom,
        };
        read.level = Some(level);
        for path in &row.pods {
            let ends = path.find_ends(subject.root);
            let end = ends.iter().copied().find(|end| is_filled_in(*end));
            let open =
                |node: Node<'_>| Open::object(node.span(), &subject.object, Because::OpenPod);
            read.facts.not_judged.extend(end.map(open));
            let pods = path.find(subject.root);
            let is_bare = |above: &&Node<'_>| {
                above.id() != subject.root.id() && above.kind() == Kind::Mapping
            };
            if row.copies && end.is_none() {
                let bare = ends.iter().filter(is_bare);
                let bare = bare.map(|_| bare_pods(subject, level, row));
                read.facts.workloads.extend(bare);
            }
            for found in pods {
                if is_filled_in(found.node) {
                    read.facts.not_judged.push(open(found.node));
                } else if found.node.kind() == Kind::Mapping {
                    let list = found.node.get(&row.tolerations_key);
                    read.known.lists.extend(list.map(Node::id));
                    let at = subject.path(&found.path);
                    read.known.pods.push(at.clone());
                    read.facts
                        .absorb(read_pod(subject, found.node, at, level, row));
                } else if let Some(field) = &found.field
                    && level == Level::Typed
                {
                    let at = subject.path(&found.path);
                    let mut context = subject.context(level, &mut read.facts.notices);
                    context.expect_kind(field, Kind::Mapping, &at);
                }
            }
        }
    }
    read
}

/// The pods of an object that says nothing about them, to which its operator adds nothing of its own.
fn bare_pods(subject: &Subject<'_>, level: Level, row: &WorkloadRow) -> Workload {
    let read = Pod::default();
    let mut shape = shape(subject, level, &read, None, Stands::Alone);
    shape.character.controller = row.makes.clone().unwrap_or_default();
    let (path, span) = (String::new(), subject.own_span());
    workload(subject, shape, read, path, Stands::Alone, span)
}

fn read_pod(
    subject: &Subject<'_>,
    node: Node<'_>,
    path: String,
    level: Level,
    row: &WorkloadRow,
) -> FileFacts {
    let mut facts = FileFacts::default();
    let list = row.tolerations_key.as_str();
    let mut context = subject.context(level, &mut facts.notices);
    let mut read = read_pod_spec(&mut context, node, &path, list);
    // A field with a placeholder as its name may be any of the missing fields.
    let has_gap = node
        .fields()
        .iter()
        .any(|field| field.name().is_some_and(is_placeholder));
    read.selection.unknown |= has_gap;
    let has_containers = node.get("containers").is_some();
    let says_something = [list, "nodeSelector", "affinity", "nodeAffinity", "nodeName"]
        .iter()
        .any(|name| node.get(name).is_some());
    if level == Level::Custom && !has_containers && !says_something && !row.copies {
        return facts;
    }
    let stands = match level {
        _ if row.lends => Stands::ForOthers,
        // A built-in pod spec without containers is a patch.
        Level::Typed if !has_containers => Stands::InPart,
        _ => Stands::Alone,
    };
    if stands == Stands::InPart && says_something {
        let part = Overlay::partial(&subject.object, subject.own_span());
        facts.overlays.push(part);
    }
    let lacks_list = node.get(list).is_none();
    let unread = match (read.tolerations.unread, lacks_list) {
        (Some(reason), _) => Some(reason),
        (None, true) if has_gap => Some(MoreTolerations::Template(
            "a field is filled in by a template",
        )),
        (None, true) if stands == Stands::InPart => Some(MoreTolerations::InPart),
        (None, true) if level == Level::Custom && !has_containers && !row.copies => {
            Some(MoreTolerations::Other("its operator may add tolerations"))
        }
        _ => None,
    };
    let mut shape = shape(subject, level, &read, unread, stands);
    shape.character = character::of(subject, node, level);
    if level == Level::Custom {
        let name = path.rsplit('.').next();
        let spec = subject.root.get("spec").map(|spec| (spec, None));
        let way = std::iter::once((node, name)).chain(spec);
        let found = controllers::beside(way.chain([(subject.root, None)]), &Switches::default());
        shape.character.controller = found.or_else(|| row.makes.clone()).unwrap_or_default();
    }
    if row.lends {
        shape.character.controller.clear();
    }
    let span = subject.own_span();
    facts
        .workloads
        .push(workload(subject, shape, read, path, stands, span));
    facts
}

/// The fields of a pod that affect scheduling.
pub(super) fn shape(
    subject: &Subject<'_>,
    level: Level,
    read: &Pod,
    unread: Option<MoreTolerations>,
    stands: Stands,
) -> PodShape {
    let resources = &read.resources;
    let computed = level == Level::Typed && stands == Stands::Alone && !resources.unread;
    let mut selection = read.selection.clone();
    selection.partial |= stands == Stands::InPart;
    PodShape {
        kind: subject.object.kind.clone(),
        api_group: subject.group().to_owned(),
        level,
        tolerations: read.tolerations.entries.clone(),
        possible: Vec::new(),
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
        system: is_system(subject, read),
        on_openshift: is_about_openshift(subject),
        refused: None,
        character: Character::default(),
    }
}

/// Whether the object or the path of its file mentions OpenShift: in a namespace, an annotation, an image.
fn is_about_openshift(subject: &Subject<'_>) -> bool {
    const NAME: &str = "openshift";
    let path = subject.reading.source.path.to_ascii_lowercase();
    path.contains(NAME) || subject.text().contains(NAME)
}

/// Whether the pods belong to the cluster itself.
fn is_system(subject: &Subject<'_>, read: &Pod) -> Truth {
    let by_namespace = match subject.object.namespace.as_deref() {
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

/// Creates a workload of the object.
pub(super) fn workload(
    subject: &Subject<'_>,
    shape: PodShape,
    read: Pod,
    path: String,
    stands: Stands,
    span: Span,
) -> Workload {
    let metadata = subject.root.get("metadata");
    let map = |name: &str| {
        metadata
            .and_then(|metadata| metadata.get(name))
            .map(read_map)
            .unwrap_or_default()
    };
    Workload {
        object: subject.object.clone(),
        labels: map("labels"),
        annotations: map("annotations"),
        shape: Arc::new(shape),
        source: subject.reading.id,
        span,
        path,
        component: None,
        pods_in: None,
        list: read.tolerations.span,
        located: read.tolerations.located.into(),
        selectors: read.selectors.into(),
        stands,
        delivered_to: ThinVec::new(),
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
