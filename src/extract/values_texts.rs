//! Configuration that an object holds as a text: Helm values such as those of an Argo CD Application, which are read as a
//! file of values is, pods that some controller makes of their text, and lists of tolerations.

use std::collections::HashSet;
use std::sync::Arc;

use super::document::{self, ObjectReader, join};
use super::embedded::pieces_of;
use super::read::{looks_like_tolerations, names_tolerations};
use super::reading::Reading;
use super::relocation::Relocation;
use super::{FileFacts, broken, template_files};
use crate::finding::{Because, Object, Open};
use crate::model::workload::{Level, MoreTolerations};
use crate::source::Source;
use crate::yaml::{Document, Found, Kind};

impl ObjectReader<'_, '_> {
    /// Reads the texts that the kind's rows name.
    pub(super) fn read_values_texts(&mut self, group: &str, kind: &str) {
        let (table, root) = (self.table, self.root);
        let mut done = HashSet::new();
        for row in table.values_texts(group, kind) {
            let sure = row.texts.iter().map(|path| (path, true));
            let others = row.other_texts.iter().map(|path| (path, false));
            for (path, is_sure) in sure.chain(others) {
                for found in path.find(root) {
                    if done.insert(found.node.id()) {
                        self.read_values_text(&found, is_sure);
                    }
                }
            }
        }
    }

    fn read_values_text(&mut self, found: &Found<'_>, is_sure: bool) {
        let key = found.field.as_ref().and_then(|field| field.name());
        let is_list = key.is_some_and(names_tolerations);
        if !is_sure && !key.is_some_and(may_be_yaml) {
            return;
        }
        let Some(inner) = found.node.raw().filter(|inner| {
            found.node.kind() == Kind::Scalar && (is_list || inner.contains("oleration"))
        }) else {
            return;
        };
        let pieces = pieces_of(&self.source.text, found.node, inner);
        let (text, stream) = pieces.parse(self.id);
        let source =
            Source::new(self.source.path.as_str(), text.text()).rendered(self.source.rendered);
        let base = join(&self.base, &found.path);
        let reading = Reading {
            source: &source,
            is_values: is_sure,
            ..self.reading()
        };
        let mut read = FileFacts::default();
        let broken = stream.errors.len();
        if broken > 0 && !is_sure {
            return;
        }
        let is_template = broken > 0 && template_files::is_template(&source, broken, self.id);
        for error in &stream.errors {
            if is_template {
                // Moved to its place in the file with all the rest.
                let open = Open::object(error.span, &self.object, Because::Template);
                read.not_judged.push(open);
            } else {
                read.notices
                    .push(broken::document(error.span, &error.message, text.text()));
            }
        }
        for document in &stream.documents {
            let root = document.root();
            if is_list && looks_like_tolerations(root) {
                ObjectReader::new(root, String::new(), Object::default(), reading, &mut read)
                    .read_text_list(&base);
            } else if is_pod(document) {
                read_pod_text(document, reading, &mut read);
            } else if root.get("apiVersion").is_none() {
                // Values are no objects. What claims to be one is not read, as it may be meant for another cluster, and so
                // texts in texts in texts are not either.
                document::extract(root, reading, &mut read);
            }
        }
        read.ignores.read_documents(text.text(), &stream.documents);
        Relocation {
            text: &text,
            whole: found.node.span(),
            name: self.object.name.as_deref().unwrap_or_default(),
        }
        .apply(&mut read);
        for workload in &mut read.workloads {
            workload.object = self.object.clone();
            if workload.path != base {
                workload.path = join(&base, &workload.path);
            }
        }
        for notice in &mut read.notices {
            notice.object = self.object.clone();
            notice.path = join(&base, &notice.path);
        }
        self.facts.workloads.extend(read.workloads);
        self.facts.notices.extend(read.notices);
        self.facts.not_judged.extend(read.not_judged);
        self.facts.ignores.ignores.extend(read.ignores.ignores);
        self.facts.ignores.misspelt.extend(read.ignores.misspelt);
    }
}

/// A pod whose text some controller may make pods of: it is no object yet, and what it lacks may be added.
fn read_pod_text(document: &Document, reading: Reading<'_>, read: &mut FileFacts) {
    let (workloads, notices) = (read.workloads.len(), read.notices.len());
    document::extract(document.root(), reading, read);
    for workload in read.workloads.get_mut(workloads..).unwrap_or_default() {
        let shape = Arc::make_mut(&mut workload.shape);
        shape.level = Level::Other;
        shape.selection.unknown = true;
        if workload.list.is_none() {
            shape
                .unread_tolerations
                .get_or_insert(MoreTolerations::Other("its controller may add tolerations"));
        }
    }
    for notice in read.notices.get_mut(notices..).unwrap_or_default() {
        notice.level = Level::Other;
    }
}

/// Whether a text with this name may be configuration in YAML or JSON: scripts and notes say what they are.
fn may_be_yaml(name: &str) -> bool {
    name.rsplit_once('.')
        .is_none_or(|(_, ending)| ["yaml", "yml", "json"].contains(&ending))
}

fn is_pod(document: &Document) -> bool {
    let object = document::read_object(document.root());
    object.api_version == "v1" && object.kind == "Pod"
}
