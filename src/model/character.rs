//! What sort of program the pods of a template are, as far as it shows: what makes them, and what they are for.

use std::collections::BTreeSet;

/// What sort of program the pods are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Character {
    /// The built-in kind that makes the pods, such as `DaemonSet`; empty where it is not known.
    pub controller: String,
    /// It reaches into its node, or is known to run on every node.
    pub agent: bool,
    /// It is part of the cluster itself, by what it is called.
    pub cluster_part: bool,
    /// It stands in a file that its own project has made.
    pub bundled: bool,
    /// It is an add-on of a provider that runs the control plane itself.
    pub managed: bool,
    /// It is no declaration: it was read from a cluster, which gave it a status, an id or a date.
    pub dumped: bool,
    /// Keys of labels of nodes that it prefers.
    pub preferred: BTreeSet<String>,
}
