//! The limits on the cost of evaluating one configuration.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::equality::equal;
use super::value::Value;
use super::workspaces::Workspaces;
use crate::source::Span;

/// The maximum size of texts in bytes. Longer texts are not built.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// The maximum number of module calls in total. Ten calls in each of eight folders are a hundred million.
const MAX_CALLS: u32 = 4_000;

/// The budget of one evaluation of a configuration, and the equality of values within it.
pub(super) struct Run {
    budget: Cell<u32>,
    depth: Cell<u32>,
    calls: Cell<u32>,
    /// The first call that was not followed.
    left_out: Cell<Option<Span>>,
    used: RefCell<Used>,
    pub workspaces: Workspaces,
}

/// The inputs of one evaluation, including missing paths. If they do not change, neither does the result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// Folders of modules.
    pub folders: BTreeSet<String>,
    /// Other files, which it reads by name.
    pub files: BTreeSet<String>,
}

impl Used {
    /// Adds other inputs.
    pub fn absorb(&mut self, other: Used) {
        self.folders.extend(other.folders);
        self.files.extend(other.files);
    }
}

impl Run {
    pub fn new(budget: u32, workspace: Option<&str>) -> Run {
        Run {
            budget: budget.into(),
            depth: 0.into(),
            calls: 0.into(),
            left_out: Cell::default(),
            used: RefCell::default(),
            workspaces: Workspaces::of(workspace),
        }
    }

    /// Records that a module folder was looked up.
    pub fn use_folder(&self, path: &str) {
        self.used.borrow_mut().folders.insert(path.to_owned());
    }

    /// Records that a file was looked up.
    pub fn use_file(&self, path: &str) {
        self.used.borrow_mut().files.insert(path.to_owned());
    }

    /// Returns the recorded inputs, and the workspaces that the configuration names.
    pub fn finish(self) -> (Used, BTreeMap<String, Span>) {
        (self.used.into_inner(), self.workspaces.named())
    }

    /// Returns the number of steps that are left.
    pub fn left(&self) -> u32 {
        self.budget.get()
    }

    /// Takes a cost from the budget. Returns whether there was enough.
    pub fn spend(&self, cost: usize) -> bool {
        let left = u32::try_from(cost)
            .ok()
            .and_then(|cost| self.budget.get().checked_sub(cost));
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Goes one level deeper. Returns whether that is allowed.
    pub fn enter(&self, limit: u32) -> bool {
        if self.depth.get() >= limit || !self.spend(1) {
            return false;
        }
        self.depth.set(self.depth.get() + 1);
        true
    }

    /// Returns from a level.
    pub fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// Whether one more module call at this place and depth may be followed.
    pub fn call(&self, at: Span, is_too_deep: bool) -> bool {
        let calls = self.calls.get();
        if is_too_deep || calls >= MAX_CALLS {
            self.left_out.set(self.left_out.get().or(Some(at)));
            return false;
        }
        self.calls.set(calls + 1);
        true
    }

    /// Returns the first module call that was not followed.
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
