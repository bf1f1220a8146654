//! The clusters of a repository, as `kubetaint clusters` lists them.

use std::collections::BTreeSet;

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

/// What every cluster lacks that nothing declares complete.
pub const NOT_DECLARED: &str = "nothing says that these are all its pools: `complete: true` or an `inventory` in .kubetaint.yaml would";

/// Something that is missing, and its place if it has one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedGap {
    /// What it is.
    pub what: String,
    /// Its place.
    pub place: Option<FilePlace>,
}

/// The clusters that a repository shows, with their files.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The clusters with node pools, by name.
    pub clusters: Vec<ShownCluster>,
    /// The names of clusters without, as far as something delivers to them.
    pub without_pools: BTreeSet<String>,
    /// All files with workloads or node pools, and those that name variants of node pools.
    pub relevant: BTreeSet<String>,
    /// All files that are delivered to some cluster.
    pub delivered: BTreeSet<String>,
    /// Documents that could not be parsed and may declare node pools.
    pub unread: Vec<FilePlace>,
    /// What was not read of the files that say what runs where.
    pub not_read: Vec<ListedGap>,
}

/// A cluster that a repository shows.
#[derive(Clone, Debug)]
pub struct ShownCluster {
    /// Its name.
    pub name: String,
    /// How it is known.
    pub known_from: &'static str,
    /// Where, unless only folders show it.
    pub place: Option<FilePlace>,
    /// Its node pools.
    pub pools: Vec<ShownPool>,
    /// The number of its workloads.
    pub workloads: usize,
    /// The files with its workloads and node pools.
    pub files: BTreeSet<String>,
    /// Says what is not certain about it, if anything.
    pub doubt: Option<&'static str>,
}

/// A node pool of such a cluster.
#[derive(Clone, Debug)]
pub struct ShownPool {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub place: Option<FilePlace>,
    /// Says why not all its taints are known, if so.
    pub unknown: Option<String>,
}
