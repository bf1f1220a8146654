//! An object of a kustomization, on its way through patches and other changes.

use std::sync::Arc;

use super::select::Id;
use super::value::{Entry, Value};
use crate::source::{SourceId, Span};

/// Why an object is not known completely, and the place of the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The place.
    pub at: Span,
    /// The reason.
    pub why: Arc<str>,
}

/// A list that a patch replaced as a whole.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The keys that lead to it.
    pub path: Vec<Arc<str>>,
    /// The list before.
    pub before: Entry,
    /// The list of the patch.
    pub after: Entry,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its content.
    pub value: Value,
    /// Where it is written as a whole: a document, or an item of a list of objects.
    pub origin: Span,
    /// The file whose path says where the object is used: its own file, or the kustomization that takes it from elsewhere.
    pub place: SourceId,
    /// The folder of that file.
    pub folder: Arc<str>,
    /// The places of the patches and replacements that were applied to it, and of the entries that name them.
    pub patches: Arc<Vec<Span>>,
    /// A patch changed more of it than scheduling never reads.
    pub touched: bool,
    /// The lists that patches replaced.
    pub replaced: Arc<Vec<Replaced>>,
    /// Why it is not known completely.
    pub doubt: Option<Doubt>,
    /// A patch removed it.
    pub gone: bool,
    pub(super) previous: Arc<Vec<Id>>,
}

impl Object {
    pub(super) fn new(value: Value, origin: Span, source: SourceId, folder: Arc<str>) -> Object {
        Object {
            value,
            origin,
            place: source,
            folder,
            patches: Arc::default(),
            touched: false,
            replaced: Arc::default(),
            doubt: None,
            gone: false,
            previous: Arc::default(),
        }
    }

    pub(super) fn current(&self) -> Id {
        Id::of(&self.value)
    }

    pub(super) fn original(&self) -> Id {
        match self.previous.first() {
            Some(first) => first.clone(),
            None => self.current(),
        }
    }

    /// Whether this is its current identity or one that it had.
    pub(super) fn was(&self, id: &Id) -> bool {
        self.previous.contains(id) || self.current() == *id
    }

    /// Keeps the current identity, before a change of it.
    pub(super) fn remember(&mut self) {
        let current = self.current();
        if !self.previous.contains(&current) {
            Arc::make_mut(&mut self.previous).push(current);
        }
    }

    /// Notes why it is not known completely, unless something else says so already.
    pub fn doubt(&mut self, why: &str, at: Span) {
        self.doubt.get_or_insert_with(|| Doubt {
            at,
            why: why.into(),
        });
    }

    pub(super) fn add_patch(&mut self, at: Span) {
        Arc::make_mut(&mut self.patches).push(at);
    }
}
