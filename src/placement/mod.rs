//! Where pods can land, as people ask for it: one workload and all pools, all workloads and all pools,
//! and what a change does to them.

mod causes;
mod change;
mod changes;
mod cluster_difference;
mod compared;
mod difference;
mod effects;
mod judge;
mod judgement;
mod matrix;
mod pairs;
mod pool_changes;
mod pool_pairs;
mod rejected;
mod stand;
mod tenancies;
mod unread;
mod whatif;
mod why;

pub use change::Change;
pub use changes::{Applied, ChangeError};
pub use difference::difference;
pub use effects::{Outlook, Seat, Side, outlook};
pub use matrix::{MatrixFilter, matrix};
pub use whatif::whatif;
pub use why::{Question, known_names, who, why};
