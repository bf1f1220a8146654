//! Places before a change, among the sources of findings on the side after.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::survey::Survey;
use crate::source::{SourceId, Span};

/// Where the files before a change are among the sources of findings: under an id of their own.
pub struct Moved<'c> {
    base: &'c Survey<'c>,
    head: &'c Survey<'c>,
    ids: RefCell<Ids>,
}

struct Ids {
    taken: BTreeSet<SourceId>,
    next: u32,
    moved: HashMap<SourceId, SourceId>,
    /// The other way round.
    originals: HashMap<SourceId, SourceId>,
}

impl<'c> Moved<'c> {
    pub fn new(base: &'c Survey<'c>, head: &'c Survey<'c>) -> Moved<'c> {
        let ids = Ids {
            taken: head.texts().ids().collect(),
            next: SourceId::CONFIGURATION.0,
            moved: HashMap::new(),
            originals: HashMap::new(),
        };
        Moved {
            base,
            head,
            ids: RefCell::new(ids),
        }
    }

    /// The place among the sources of findings.
    pub fn span(&self, span: Span) -> Span {
        let mut ids = self.ids.borrow_mut();
        let known = ids.moved.get(&span.source).copied();
        let source = known.unwrap_or_else(|| {
            loop {
                ids.next = ids.next.saturating_sub(1);
                let fresh = SourceId(ids.next);
                if ids.next == 0 || !ids.taken.contains(&fresh) {
                    ids.moved.insert(span.source, fresh);
                    ids.originals.insert(fresh, span.source);
                    return fresh;
                }
            }
        });
        Span { source, ..span }
    }

    /// A place before the change in a file that is the same after it is the place there.
    pub fn settled(&self, span: Span) -> Span {
        let original = self.original(span.source);
        let (base, head) = (self.base.texts(), self.head.texts());
        match original.filter(|id| base.is_same(head, *id)) {
            Some(source) => Span { source, ..span },
            None => span,
        }
    }

    /// The id before the change of a source that has one of its own.
    pub fn original(&self, id: SourceId) -> Option<SourceId> {
        self.ids.borrow().originals.get(&id).copied()
    }
}
