//! An order: which folders go to which cluster.

use super::tree::Target;

/// The cluster that something goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// The one where the object itself is.
    Here,
    /// The one of this name.
    Named(String),
    /// It is not known.
    Unknown,
}

/// What goes to one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The cluster.
    pub to: To,
    /// The folders.
    pub targets: Vec<Target>,
}
