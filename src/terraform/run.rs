//! What the evaluation of one configuration may cost.

use std::cell::Cell;

use super::equality::equal;
use super::value::Value;

/// Texts of more bytes are not made.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// What one evaluation of a configuration may cost, and whether two values are the same within it.
pub(super) struct Run {
    budget: Cell<u32>,
    depth: Cell<u32>,
}

impl Run {
    pub fn new(budget: u32) -> Run {
        Run {
            budget: budget.into(),
            depth: 0.into(),
        }
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

    pub fn equal(&self, one: &Value, other: &Value) -> Option<bool> {
        let mut budget = self.budget.get();
        let same = equal(one, other, &mut budget);
        self.budget.set(budget);
        same
    }
}
