//! Texts that are YAML themselves: facts from them get the places where the parts of the text come from.

use std::borrow::Cow;
use std::sync::Arc;

use super::FileFacts;
use super::ignores::Covers;
use super::reading::Reading;
use super::{broken, template_files};
use crate::finding::{Because, Object, Open};
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::notice::Notice;
use crate::model::workload::{LocatedToleration, Workload};
use crate::source::{Source, SourceId, Span};
use crate::yaml::{Node, Pieces};

/// The text of a scalar with the places of its parts, or `None` if no part of it is known.
pub(super) fn text_of(node: Node<'_>) -> Option<Cow<'_, Pieces>> {
    if let Some(pieces) = node.pieces() {
        return Some(Cow::Borrowed(pieces));
    }
    if node.unknown_because().is_some() || node.is_null() {
        return None;
    }
    let mut pieces = Pieces::default();
    pieces.push_made(node.raw()?, node.span());
    Some(Cow::Owned(pieces))
}

/// A text that is YAML itself: it is inside a string of a file, or was assembled from parts.
pub(super) struct Text<'t> {
    pub(super) pieces: &'t Pieces,
    /// The place of the whole text, for facts without a place of their own.
    pub(super) whole: Span,
    /// The object that contains the text. Objects without a known name get its name.
    pub(super) owner: &'t Object,
    /// The file of the owner, and how to read the text.
    pub(super) reading: Reading<'t>,
}

impl Text<'_> {
    /// Reads its documents, with the places where the parts of the text come from. `None` if the text is broken and not
    /// necessarily YAML (`maybe`).
    pub(super) fn read(
        &self,
        maybe: bool,
        read_document: &dyn Fn(Node<'_>, Reading<'_>) -> FileFacts,
    ) -> Option<FileFacts> {
        let (file, id) = (self.reading.source, self.reading.id);
        let (text, stream) = self.pieces.parse(id);
        let broken = stream.errors.len();
        if broken > 0 && maybe {
            return None;
        }
        let source = Source::new(file.path.as_str(), text.text()).rendered(file.rendered);
        let reading = Reading {
            source: &source,
            depth: self.reading.depth.saturating_add(1),
            ..self.reading
        };
        let mut read = FileFacts::default();
        let is_template = broken > 0 && template_files::is_template(&source, broken, id);
        for error in &stream.errors {
            let open = |because| Open::object(error.span, self.owner, because);
            // A placeholder may be the missing part.
            if let Some(why) = self.pieces.open_because() {
                read.not_judged.push(open(unknown_manifest(why)));
            } else if is_template {
                read.not_judged.push(open(Because::Template));
            } else {
                let document = text.text().get(error.document.clone()).unwrap_or_default();
                let notice = broken::document(error.span, &error.message, document);
                read.notices.push(notice);
            }
        }
        for document in stream.documents.iter().filter(|one| !one.is_empty()) {
            read.documents += 1;
            read.absorb(read_document(document.root(), reading));
        }
        read.ignores.read_documents(text.text(), &stream.documents);
        Relocation {
            text: &text,
            id: reading.id,
            whole: self.whole,
            name: Some(self.owner.name.as_deref().unwrap_or_default()),
        }
        .apply(&mut read);
        Some(read)
    }
}

/// The reason for a text that only running Terraform would produce.
pub(super) fn unknown_manifest(why: &str) -> Because {
    Because::Terraform(format!("one of its manifests is unknown: {why}").into())
}

/// Maps the places of facts to the file.
pub(super) struct Relocation<'r> {
    /// The text that the facts were read from.
    pub(super) text: &'r Pieces,
    /// The id that the text was read with. A place with another id is already a place in a file.
    pub(super) id: SourceId,
    /// The place of the whole text, for facts without a place of their own.
    pub(super) whole: Span,
    /// The name for objects whose own name is unknown.
    pub(super) name: Option<&'r str>,
}

impl Relocation<'_> {
    /// Maps every place in the facts of one text.
    pub(super) fn apply(&self, facts: &mut FileFacts) {
        for workload in &mut facts.workloads {
            self.workload(workload);
        }
        for read in &mut facts.pools {
            self.pool(&mut read.pool);
        }
        for notice in &mut facts.notices {
            self.notice(notice);
        }
        for entry in &mut facts.devices {
            self.located(&mut entry.located);
            self.object(&mut entry.object);
        }
        for ignore in &mut facts.ignores.ignores {
            self.span(&mut ignore.span);
            for (_, span) in &mut ignore.rules {
                self.span(span);
            }
            let (Covers::Line(range) | Covers::Below(range)) = &mut ignore.covers;
            let mut span = Span {
                source: self.id,
                start: range.start,
                end: range.end,
            };
            self.span(&mut span);
            *range = span.start..span.end;
            self.object(&mut ignore.object);
        }
        for open in &mut facts.not_judged {
            self.span(&mut open.span);
            if let Some(object) = &mut open.object {
                self.object(Arc::make_mut(object));
            }
        }
        for overlay in &mut facts.overlays {
            self.span(&mut overlay.span);
        }
        for namespace in &mut facts.namespaces {
            self.span(&mut namespace.span);
        }
        for class in &mut facts.runtime_classes {
            self.span(&mut class.span);
        }
        for misspelt in &mut facts.ignores.misspelt {
            self.span(&mut misspelt.span);
            self.object(&mut misspelt.object);
        }
    }

    fn span(&self, span: &mut Span) {
        if span.source == self.id {
            *span = self.text.place(span.range()).unwrap_or(self.whole);
        }
    }

    fn object(&self, object: &mut Object) {
        if object
            .name
            .as_deref()
            .is_some_and(|name| name.contains('$'))
        {
            object.name = self.name.map(str::to_owned);
        }
    }

    fn located(&self, located: &mut LocatedToleration) {
        self.span(&mut located.entry);
        for (_, span) in &mut located.fields {
            self.span(span);
        }
    }

    fn workload(&self, workload: &mut Workload) {
        self.object(&mut workload.object);
        self.span(&mut workload.span);
        if let Some(list) = &mut workload.list {
            self.span(list);
        }
        for located in &mut workload.located {
            self.located(located);
        }
        for (_, span, _) in &mut workload.selectors {
            self.span(span);
        }
    }

    fn taint(&self, taint: &mut PoolTaint) {
        if let Some(span) = &mut taint.span {
            self.span(span);
        }
        for span in taint.fields.values_mut() {
            self.span(span);
        }
    }

    fn pool(&self, pool: &mut NodePool) {
        if pool.name.is_empty() || pool.name.contains('$') {
            self.name.unwrap_or_default().clone_into(&mut pool.name);
        }
        self.object(&mut pool.object);
        for span in [&mut pool.span, &mut pool.name_span].into_iter().flatten() {
            self.span(span);
        }
        for taint in &mut pool.taints {
            self.taint(taint);
        }
        if let Some(autoscaler) = &mut pool.autoscaler {
            for taint in &mut autoscaler.taints {
                self.taint(taint);
            }
            for (_, span) in autoscaler.labels.values_mut() {
                self.span(span);
            }
        }
    }

    fn notice(&self, notice: &mut Notice) {
        self.span(&mut notice.span);
        self.object(&mut notice.object);
        for label in &mut notice.related {
            self.span(&mut label.span);
        }
    }
}
