//! One copy of each pod shape: most workloads of a repository ask for the same nodes in the same way.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::workload::{PodShape, Workload};

/// The shapes seen so far, by all threads that read.
#[derive(Default)]
pub struct Shapes {
    known: Mutex<HashSet<Arc<PodShape>>>,
}

impl Shapes {
    /// Gives workloads the copies that equal ones have already.
    pub fn share(&self, workloads: &mut [Workload]) {
        if workloads.is_empty() {
            return;
        }
        // A thread that panicked left a set that is whole all the same: it only ever grows.
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
