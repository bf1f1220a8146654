//! Texts in an object that are YAML themselves: Helm values such as those of an Argo CD Application, pods that a
//! controller creates from their text, lists of tolerations, and the patches of Kustomizations.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::installed::Installed;
use super::overlays::holder;
use super::read::{looks_like_tolerations, names_tolerations};
use super::reading::Reading;
use super::relocation::Text;
use super::subject::{Subject, is_object, join, read_object};
use super::{FileFacts, elsewhere};
use crate::finding::Object;
use crate::model::workload::{Level, MoreTolerations};
use crate::source::Span;
use crate::yaml::{self, Found, Kind, Node, NodeId, Pieces, pieces_of};

/// Reads one document of a text.
pub(super) type ReadDocument<'r> = &'r dyn Fn(Node<'_>, Reading<'_>) -> FileFacts;

/// Reads the texts that the rows of the kind name, like a file of Helm values.
/// Returns the facts and the texts.
///
/// `charts` has the charts of texts that are values of a known one.
pub(super) fn values(
    subject: &Subject<'_>,
    charts: &HashMap<NodeId, Installed>,
    read: ReadDocument<'_>,
) -> (FileFacts, HashSet<NodeId>) {
    let mut facts = FileFacts::default();
    let mut done = HashSet::new();
    let table = subject.reading.table;
    for row in table.values_texts(subject.group(), &subject.object.kind) {
        let sure = row.texts.iter().map(|path| (path, true));
        let others = row.other_texts.iter().map(|path| (path, false));
        for (path, is_sure) in sure.chain(others) {
            for found in path.find(subject.root) {
                if done.contains(&found.node.id()) {
                    continue;
                }
                let installed = charts.get(&found.node.id());
                if let Some(read) = value(subject, &found, (is_sure, installed), read) {
                    done.insert(found.node.id());
                    facts.absorb(read);
                }
            }
        }
    }
    (facts, done)
}

fn value(
    subject: &Subject<'_>,
    found: &Found<'_>,
    (is_sure, installed): (bool, Option<&Installed>),
    read_document: ReadDocument<'_>,
) -> Option<FileFacts> {
    let key = found.field.as_ref().and_then(|field| field.name());
    let is_list = key.is_some_and(names_tolerations);
    if !is_sure && !key.is_some_and(may_be_yaml) {
        return None;
    }
    let inner = found.node.raw().filter(|inner| {
        found.node.kind() == Kind::Scalar
            && (is_list || inner.contains("oleration") || installed.is_some())
    })?;
    let inner = Inner {
        pieces: &pieces_of(&subject.reading.source.text, found.node, inner),
        whole: found.node.span(),
        key,
        base: &subject.path(&found.path),
        owner: &subject.object,
        reading: Reading {
            installed,
            ..subject.reading
        },
    };
    inner.read(is_sure, read_document)
}

/// A text that may be YAML, in a string or heredoc of a file.
pub(super) struct Inner<'i> {
    /// The text, with the places of its parts.
    pub(super) pieces: &'i Pieces,
    /// The place of the whole text.
    pub(super) whole: Span,
    /// The key of the string, if it has one.
    pub(super) key: Option<&'i str>,
    /// The field path of the string.
    pub(super) base: &'i str,
    /// The object that contains the string.
    pub(super) owner: &'i Object,
    /// How to read the file of the owner.
    pub(super) reading: Reading<'i>,
}

impl Inner<'_> {
    /// Reads the documents of the text: objects, pods that a controller creates, values and lists of tolerations. `None` if
    /// the text is broken, unless it must be YAML (`is_sure`).
    pub(super) fn read(&self, is_sure: bool, read_document: ReadDocument<'_>) -> Option<FileFacts> {
        let is_list = self.key.is_some_and(names_tolerations);
        let may_be_values = is_sure || self.key.is_some_and(may_be_yaml);
        let text = Text {
            pieces: self.pieces,
            whole: self.whole,
            owner: self.owner,
            reading: self.reading,
        };
        let mut read = read_text(text, is_sure, &|root, reading| {
            let object = read_object(root);
            if is_list && looks_like_tolerations(root) {
                let list = Subject {
                    object: Object::default(),
                    ..Subject::new(root, String::new(), reading)
                };
                self.owned(elsewhere::read_whole_list(&list, ""))
            } else if object.api_version == "v1" && object.kind == "Pod" {
                self.pod(read_document(root, reading))
            } else if is_object(root) {
                manifest(read_document(root, reading))
            } else if may_be_values {
                self.owned(read_document(root, reading))
            } else {
                FileFacts::default()
            }
        })?;
        put_below(self.base, &mut read);
        Some(read)
    }

    /// Gives facts without an object that of the text.
    fn owned(&self, mut read: FileFacts) -> FileFacts {
        let mut objects: Vec<&mut Object> = Vec::new();
        objects.extend(read.workloads.iter_mut().map(|one| &mut one.object));
        objects.extend(read.notices.iter_mut().map(|one| &mut one.object));
        for object in objects {
            if object.kind.is_empty() {
                object.clone_from(self.owner);
            }
        }
        read
    }

    /// Adjusts the facts of a pod that a controller may create from a text: it is not an object yet, and fields may be added.
    fn pod(&self, mut read: FileFacts) -> FileFacts {
        let has_owner = !self.owner.kind.is_empty();
        for workload in &mut read.workloads {
            let shape = Arc::make_mut(&mut workload.shape);
            shape.level = Level::Other;
            shape.selection.unknown = true;
            if workload.list.is_none() {
                shape
                    .unread_tolerations
                    .get_or_insert(MoreTolerations::Other("its controller may add tolerations"));
            }
            if has_owner {
                workload.object.clone_from(self.owner);
            }
        }
        for notice in &mut read.notices {
            notice.level = Level::Other;
            if has_owner {
                notice.object.clone_from(self.owner);
            }
        }
        read
    }
}

/// Adjusts the facts of an object in a text. It may be for another cluster, so it is not compared with pools.
fn manifest(mut read: FileFacts) -> FileFacts {
    for workload in &mut read.workloads {
        let shape = Arc::make_mut(&mut workload.shape);
        shape.selection.unknown = true;
        shape
            .unread_tolerations
            .get_or_insert(MoreTolerations::Other("it may be for another cluster"));
    }
    read
}

/// Puts the path of the text before the paths of facts in it.
fn put_below(base: &str, read: &mut FileFacts) {
    let below = |path: &mut String| {
        *path = match path.starts_with('[') {
            true => format!("{base}{path}"),
            false => join(base, path),
        };
    };
    for workload in &mut read.workloads {
        below(&mut workload.path);
        for located in &mut workload.located {
            below(&mut located.path);
        }
        for (_, _, at) in &mut workload.selectors {
            below(at);
        }
    }
    for notice in &mut read.notices {
        below(&mut notice.path);
    }
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
    let text = Text {
        pieces: &pieces_of(&subject.reading.source.text, node, inner),
        whole: node.span(),
        owner: &subject.object,
        reading: subject.reading,
    };
    let mut read = read_text(text, false, &|root, reading| {
        let object = read_object(root);
        let is_object = !object.kind.is_empty() && !object.api_version.is_empty();
        match is_object && object.kind != "Kustomization" {
            true => read_document(root, reading),
            false => FileFacts::default(),
        }
    })?;
    for workload in &mut read.workloads {
        workload.take_as_part();
    }
    put_below(path, &mut read);
    Some(read)
}

/// Reads the documents of a text. `None` if it is broken, unless it must be YAML (`is_sure`). Only workloads and
/// related facts are kept, because such texts do not create pools.
fn read_text(
    mut text: Text<'_>,
    is_sure: bool,
    read_document: ReadDocument<'_>,
) -> Option<FileFacts> {
    text.reading.is_values = is_sure;
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
