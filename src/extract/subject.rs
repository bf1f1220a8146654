//! The object that is being read, as shared by all readers of its parts. It does not change while it is read.

use super::notation::api_group;
use super::read::{Context, is_placeholder};
use super::reading::Reading;
use crate::finding::Object;
use crate::model::notice::Notice;
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::Node;

/// One object of a document, or a document in place of an object.
pub(super) struct Subject<'a> {
    pub(super) root: Node<'a>,
    /// Field path of the object inside its document (`items[3]` in a List).
    pub(super) base: String,
    pub(super) object: Object,
    pub(super) reading: Reading<'a>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(root: Node<'a>, base: String, reading: Reading<'a>) -> Self {
        let mut object = read_object(root);
        // A template may choose between versions. Nobody else has a kind of this name.
        if is_placeholder(&object.api_version)
            && let Some(version) = reading.table.built_in_version(&object.kind)
        {
            object.api_version = version;
        }
        Subject {
            root,
            base,
            object,
            reading,
        }
    }

    /// The API group of its `apiVersion`.
    pub(super) fn group(&self) -> &str {
        api_group(&self.object.api_version)
    }

    /// The version without the group.
    pub(super) fn version(&self) -> &str {
        let version = self.object.api_version.rsplit('/').next();
        version.unwrap_or_default()
    }

    /// Whether it is an object of some API: it has a kind and a version.
    pub(super) fn is_object(&self) -> bool {
        !self.object.kind.is_empty() && !self.object.api_version.is_empty()
    }

    /// Its source text.
    pub(super) fn text(&self) -> &'a str {
        self.reading.source.slice(self.root.span())
    }

    /// The place of its name, or of the nearest substitute.
    pub(super) fn own_span(&self) -> Span {
        let metadata = self.root.get("metadata");
        let name = metadata.and_then(|metadata| metadata.get("name"));
        name.or_else(|| self.root.get("kind"))
            .unwrap_or(self.root)
            .span()
    }

    /// Converts a path in the object to a path in the document.
    pub(super) fn path(&self, path: &str) -> String {
        join(&self.base, path)
    }

    /// The context for readers of single values. It collects `notices`.
    pub(super) fn context<'c>(&'c self, level: Level, notices: &'c mut Vec<Notice>) -> Context<'c> {
        Context {
            object: &self.object,
            level,
            notices,
        }
    }
}

/// The identity of an object.
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

/// Whether a document is an object of some API. Error responses of an API server are not.
pub(super) fn is_object(root: Node<'_>) -> bool {
    let object = read_object(root);
    let is_named = !(object.api_version.is_empty() && object.kind.is_empty());
    is_named && !(object.api_version == "v1" && object.kind == "Status")
}

/// Appends a path to another.
pub(super) fn join(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) => format!("{base}.{path}"),
    }
}
