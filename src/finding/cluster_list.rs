//! The clusters of a repository, as `kubetaint clusters` lists them.

use crate::source::Position;

/// A place in a file.
pub type FilePlace = (String, Position);

/// A cluster, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCluster {
    /// Its name.
    pub name: String,
    /// How it is known.
    pub known_from: &'static str,
    /// Where, unless only folders show it.
    pub place: Option<FilePlace>,
    /// The names of its node pools.
    pub pools: Vec<String>,
    /// The number of its workloads.
    pub workloads: usize,
    /// Whether all its pools are known, with all their taints.
    pub complete: bool,
    /// What is missing for that, each a sentence without a full stop.
    pub missing: Vec<ListedGap>,
}

/// Something that is missing, and its place if it has one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedGap {
    /// What it is.
    pub what: String,
    /// Its place.
    pub place: Option<FilePlace>,
}
