//! What is not known or is wrong about deliveries.

use crate::source::Span;

/// Something that is not known or that is wrong, and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// Its place.
    pub at: Span,
    /// What it is, as a sentence without a full stop.
    pub why: String,
}
