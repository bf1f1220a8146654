//! What sort of program the pods of a template are, as far as it is visible: what creates them, and what they are for.

use std::collections::BTreeSet;

/// What sort of program the pods are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Character {
    /// The built-in kind that creates the pods, such as `DaemonSet`; empty if unknown.
    pub controller: String,
    /// The pods access the host node, or are known to run on every node.
    pub agent: bool,
    /// The pods are part of the cluster itself, judging by their name.
    pub cluster_part: bool,
    /// The template is in a file that the program's own project published.
    pub bundled: bool,
    /// The pods are an add-on of a provider that runs the control plane itself.
    pub managed: bool,
    /// The object was exported from a cluster, which added a status, an id or a date.
    pub dumped: bool,
    /// Keys of the node labels that the pods prefer.
    pub preferred: BTreeSet<String>,
}
