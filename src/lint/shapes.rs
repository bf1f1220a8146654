//! Interns pod shapes: most workloads of a repository have the same scheduling constraints.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::workload::{PodShape, Workload};

/// The shapes seen so far by all reading threads.
#[derive(Default)]
pub struct Shapes {
    known: Mutex<HashSet<Arc<PodShape>>>,
}

impl Shapes {
    /// Replaces the shapes of workloads with the copies of equal shapes.
    pub fn share(&self, workloads: &mut [Workload]) {
        if workloads.is_empty() {
            return;
        }
        // The set is valid even after a panic in another thread, because it only grows.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for workload in workloads {
            match known.get(&workload.shape) {
                Some(shape) => workload.shape = Arc::clone(shape),
                None => {
                    known.insert(Arc::clone(&workload.shape));
                }
            }
        }
    }
}
