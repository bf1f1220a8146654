//! What the evaluation of one configuration may cost.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::equality::equal;
use super::value::Value;
use crate::source::Span;

/// Texts of more bytes are not made.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// Calls of modules, whatever calls them. Ten calls in each of eight folders are a hundred million.
const MAX_CALLS: u32 = 4_000;

/// What one evaluation of a configuration may cost, and whether two values are the same within it.
pub(super) struct Run {
    budget: Cell<u32>,
    depth: Cell<u32>,
    calls: Cell<u32>,
    /// The first call that was not followed.
    left_out: Cell<Option<Span>>,
    used: RefCell<Used>,
}

/// What one configuration was read from, paths of what is not there included: it is the same as long as these are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// Folders of modules.
    pub folders: BTreeSet<String>,
    /// Other files, which it reads by their names.
    pub files: BTreeSet<String>,
}

impl Run {
    pub fn new(budget: u32) -> Run {
        Run {
            budget: budget.into(),
            depth: 0.into(),
            calls: 0.into(),
            left_out: Cell::default(),
            used: RefCell::default(),
        }
    }

    /// Remembers that a folder of a module was looked up.
    pub fn use_folder(&self, path: &str) {
        self.used.borrow_mut().folders.insert(path.to_owned());
    }

    /// Remembers that a file was looked up.
    pub fn use_file(&self, path: &str) {
        self.used.borrow_mut().files.insert(path.to_owned());
    }

    /// What was looked up.
    pub fn used(self) -> Used {
        self.used.into_inner()
    }

    /// Takes from the budget; whether there was enough.
    pub fn spend(&self, cost: usize) -> bool {
        let left = u32::try_from(cost)
            .ok()
            .and_then(|cost| self.budget.get().checked_sub(cost));
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Goes one level deeper; whether that is allowed.
    pub fn enter(&self, limit: u32) -> bool {
        if self.depth.get() >= limit || !self.spend(1) {
            return false;
        }
        self.depth.set(self.depth.get() + 1);
        true
    }

    /// Comes back from a level.
    pub fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// Whether one more call of a module may be followed, which stands here and so deep.
    pub fn call(&self, at: Span, is_too_deep: bool) -> bool {
        let calls = self.calls.get();
        if is_too_deep || calls >= MAX_CALLS {
            self.left_out.set(self.left_out.get().or(Some(at)));
            return false;
        }
        self.calls.set(calls + 1);
        true
    }

    /// The first call of a module that was not followed.
    pub fn left_out(&self) -> Option<Span> {
        self.left_out.get()
    }

    pub fn equal(&self, one: &Value, other: &Value) -> Option<bool> {
        let mut budget = self.budget.get();
        let same = equal(one, other, &mut budget);
        self.budget.set(budget);
        same
    }
}
