//! Texts in an object that are YAML themselves: Helm values such as those of an Argo CD Application, pods that a
//! controller creates from their text, lists of tolerations, and the patches of Kustomizations.

use std::collections::HashSet;
use std::sync::Arc;

use super::embedded::pieces_of;
use super::overlays::holder;
use super::read::{looks_like_tolerations, names_tolerations};
use super::reading::Reading;
use super::relocation::Text;
use super::subject::{Subject, join, read_object};
use super::{FileFacts, elsewhere};
use crate::finding::Object;
use crate::model::workload::{Level, MoreTolerations};
use crate::yaml::{self, Found, Kind, Node};

/// Reads one document of a text.
type ReadDocument<'r> = &'r dyn Fn(Node<'_>, Reading<'_>) -> FileFacts;

/// Reads the texts that the rows of the kind name, like a file of Helm values.
pub(super) fn values(subject: &Subject<'_>, read: ReadDocument<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let mut done = HashSet::new();
    let table = subject.reading.table;
    for row in table.values_texts(subject.group(), &subject.object.kind) {
        let sure = row.texts.iter().map(|path| (path, true));
        let others = row.other_texts.iter().map(|path| (path, false));
        for (path, is_sure) in sure.chain(others) {
            for found in path.find(subject.root) {
                if done.insert(found.node.id()) {
                    facts.absorb(value(subject, &found, is_sure, read).unwrap_or_default());
                }
            }
        }
    }
    facts
}

fn value(
    subject: &Subject<'_>,
    found: &Found<'_>,
    is_sure: bool,
    read_document: ReadDocument<'_>,
) -> Option<FileFacts> {
    let key = found.field.as_ref().and_then(|field| field.name());
    let is_list = key.is_some_and(names_tolerations);
    if !is_sure && !key.is_some_and(may_be_yaml) {
        return None;
    }
    let inner = found.node.raw().filter(|inner| {
        found.node.kind() == Kind::Scalar && (is_list || inner.contains("oleration"))
    })?;
    let base = subject.path(&found.path);
    let mut read = read_text(subject, found.node, inner, is_sure, &|root, reading| {
        let object = read_object(root);
        if is_list && looks_like_tolerations(root) {
            let list = Subject {
                object: Object::default(),
                ..Subject::new(root, String::new(), reading)
            };
            elsewhere::read_whole_list(&list, &base)
        } else if object.api_version == "v1" && object.kind == "Pod" {
            pod(read_document(root, reading))
        } else if root.get("apiVersion").is_none() {
            // Values are not objects. Texts that look like objects are skipped, since they may be for another cluster.
            // This also bounds the nesting of texts in texts.
            read_document(root, reading)
        } else {
            FileFacts::default()
        }
    })?;
    for workload in &mut read.workloads {
        workload.object = subject.object.clone();
        if workload.path != base {
            workload.path = join(&base, &workload.path);
        }
    }
    for notice in &mut read.notices {
        notice.object = subject.object.clone();
        notice.path = join(&base, &notice.path);
    }
    Some(read)
}

/// Adjusts the facts of a pod that a controller may create from a text: it is not an object yet, and fields may be added.
fn pod(mut read: FileFacts) -> FileFacts {
    for workload in &mut read.workloads {
        let shape = Arc::make_mut(&mut workload.shape);
        shape.level = Level::Other;
        shape.selection.unknown = true;
        if workload.list.is_none() {
            shape
                .unread_tolerations
                .get_or_insert(MoreTolerations::Other("its controller may add tolerations"));
        }
    }
    for notice in &mut read.notices {
        notice.level = Level::Other;
    }
    read
}

/// Whether a text with this name may be configuration in YAML or JSON. Scripts and notes have other extensions.
fn may_be_yaml(name: &str) -> bool {
    name.rsplit_once('.')
        .is_none_or(|(_, ending)| ["yaml", "yml", "json"].contains(&ending))
}

/// Reads the patches in a kustomize or Flux Kustomization, each like a patch file. The object that a patch changes may
/// contain more fields.
pub(super) fn patches(subject: &Subject<'_>, read: ReadDocument<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let holder = holder(subject.root);
    let above = if holder.id() == subject.root.id() {
        ""
    } else {
        "spec"
    };
    for list in ["patches", "patchesStrategicMerge"] {
        let Some(items) = holder
            .get(list)
            .filter(|list| list.kind() == Kind::Sequence)
        else {
            continue;
        };
        let path = subject.path(&join(above, list));
        for (index, item) in items.items().enumerate() {
            let at = yaml::index(&path, index);
            let (text, at) = match item.kind() {
                Kind::Scalar => (Some(item), at),
                Kind::Mapping => (item.get("patch"), yaml::join(&at, "patch")),
                Kind::Sequence => (None, at),
            };
            let patch = text.and_then(|text| patch(subject, text, &at, read));
            facts.absorb(patch.unwrap_or_default());
        }
    }
    facts
}

fn patch(
    subject: &Subject<'_>,
    node: Node<'_>,
    path: &str,
    read_document: ReadDocument<'_>,
) -> Option<FileFacts> {
    let is_patch = |text: &&str| text.contains("oleration") && text.contains("kind");
    let inner = node.raw().filter(is_patch)?;
    // A text that is not YAML may be a file name. kustomize reports it.
    let mut read = read_text(subject, node, inner, false, &|root, reading| {
        let object = read_object(root);
        let is_object = !object.kind.is_empty() && !object.api_version.is_empty();
        match is_object && object.kind != "Kustomization" {
            true => read_document(root, reading),
            false => FileFacts::default(),
        }
    })?;
    for workload in &mut read.workloads {
        workload.take_as_part();
        workload.path = join(path, &workload.path);
        for located in &mut workload.located {
            located.path = join(path, &located.path);
        }
        for (_, _, at) in &mut workload.selectors {
            *at = join(path, at);
        }
    }
    for notice in &mut read.notices {
        notice.path = join(path, &notice.path);
    }
    Some(read)
}

/// Reads the documents of a text. `None` if it is broken, unless it must be YAML (`is_sure`). Only workloads and
/// related facts are kept, because such texts do not create pools.
fn read_text(
    subject: &Subject<'_>,
    node: Node<'_>,
    inner: &str,
    is_sure: bool,
    read_document: ReadDocument<'_>,
) -> Option<FileFacts> {
    let text = Text {
        pieces: &pieces_of(&subject.reading.source.text, node, inner),
        whole: node.span(),
        owner: &subject.object,
        reading: Reading {
            is_values: is_sure,
            ..subject.reading
        },
    };
    let mut read = text.read(!is_sure, read_document)?;
    read.ignores.unread.clear();
    Some(FileFacts {
        workloads: read.workloads,
        notices: read.notices,
        not_judged: read.not_judged,
        ignores: read.ignores,
        ..FileFacts::default()
    })
}
