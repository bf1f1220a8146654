//! What one list of tolerations says as a whole. It is found once for each list and not once for each of its entries.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::model::Truth;
use crate::model::redundancy::Redundancy;
use crate::model::taint::Taint;
use crate::model::toleration::tolerate;
use crate::model::workload::PodShape;

/// A list of tolerations.
pub struct OwnList<'s> {
    /// The shape that it belongs to.
    pub shape: &'s PodShape,
    /// Which entries make others redundant.
    pub redundancy: Redundancy,
    comparison_operators: bool,
    of_key: HashMap<&'s str, OfKey<'s>>,
    /// Whether some entry tolerates a taint, for those that were asked for.
    tolerated: RefCell<HashMap<Taint, Truth>>,
}

/// The entries with one key.
#[derive(Default)]
struct OfKey<'s> {
    /// One of them has the operator `Exists`.
    exists: bool,
    values: HashSet<&'s str>,
}

impl<'s> OwnList<'s> {
    /// The list of a shape.
    pub fn of(shape: &'s PodShape, comparison_operators: bool) -> OwnList<'s> {
        let mut of_key: HashMap<&str, OfKey<'_>> = HashMap::new();
        for entry in &shape.tolerations {
            let Some(key) = entry.key.text() else {
                continue;
            };
            let known = of_key.entry(key).or_default();
            known.exists |= entry.effective_operator() == Some("Exists");
            known.values.extend(entry.value.text());
        }
        let complete = shape.unread_tolerations.is_none();
        OwnList {
            shape,
            redundancy: Redundancy::of(&shape.tolerations, complete),
            comparison_operators,
            of_key,
            tolerated: RefCell::default(),
        }
    }

    /// Whether an entry has this key.
    pub fn names(&self, key: &str) -> bool {
        self.of_key.contains_key(key)
    }

    /// Whether an entry has this key with this value, or with any value.
    pub fn covers(&self, key: &str, value: &str) -> bool {
        let known = self.of_key.get(key);
        known.is_some_and(|known| known.exists || known.values.contains(value))
    }

    /// Whether some entry tolerates a taint.
    pub fn tolerates(&self, taint: &Taint) -> Truth {
        if let Some(known) = self.tolerated.borrow().get(taint) {
            return *known;
        }
        let truth = tolerate(&self.shape.tolerations, taint, self.comparison_operators);
        self.tolerated.borrow_mut().insert(taint.clone(), truth);
        truth
    }
}
