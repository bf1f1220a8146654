//! One kustomization at work: its file, the objects so far, and what goes wrong.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::files::{Form, Shelf, Trouble};
use super::object::Object;
use crate::source::Span;

/// The objects of a kustomization.
#[derive(Debug, Default)]
pub struct Built {
    /// The objects. Those that patches removed are marked.
    pub objects: Vec<Object>,
    /// There may be more objects.
    pub open: bool,
    /// There are more objects, which do not matter.
    pub more: bool,
}

/// What the steps of a kustomization share.
pub(super) struct Bench<'b> {
    pub(super) shelf: &'b Shelf<'b>,
    pub(super) form: &'b Form,
    pub(super) built: &'b mut Built,
    pub(super) troubles: &'b RefCell<BTreeSet<Trouble>>,
}

impl Bench<'_> {
    pub(super) fn trouble(&self, at: Span, why: impl Into<String>) {
        self.troubles.borrow_mut().insert(Trouble {
            at,
            why: why.into(),
        });
    }

    pub(super) fn doubt_all(&mut self, why: &str, at: Span) {
        for object in &mut self.built.objects {
            object.doubt(why, at);
        }
    }
}
