//! Where pods can land, as people ask for it: one workload and all pools, all workloads and all pools.

mod judgement;
mod matrix;
mod why;

pub use matrix::{MatrixFilter, matrix};
pub use why::{Question, known_names, who, why};
