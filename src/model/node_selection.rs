//! Which nodes a pod asks for (nodeSelector, required node affinity, nodeName) and whether a node's labels answer.

use std::collections::BTreeMap;

use super::Field;

/// One expression over a label or a field of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Requirement {
    /// Label key.
    pub key: Field<String>,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt`; Karpenter also `Gte`, `Lte`.
    pub operator: Field<String>,
    /// Values, each as far as it could be read.
    pub values: Vec<Field<String>>,
}

/// One node selector term: everything in it must hold; an empty term matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// `matchExpressions`.
    pub expressions: Vec<Requirement>,
    /// `matchFields`; only `metadata.name` exists.
    pub fields: Vec<Requirement>,
}

/// What a pod asks of the labels of its node. All three parts must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSelection {
    /// `nodeSelector`, in the order of keys.
    pub node_selector: BTreeMap<String, Field<String>>,
    /// `requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`: one must match. Absent: no requirement.
    pub required: Field<Vec<Term>>,
    /// Part of the selection could not be read, so more may be asked for than stands here.
    pub unknown: bool,
}

/// What is known of the labels that a pool's nodes carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeLabels {
    /// Labels with their values.
    pub labels: BTreeMap<String, Field<String>>,
    /// Values that a node of this pool may be made with (Karpenter requirements).
    pub requirements: Vec<Requirement>,
    /// What a label that is not listed means.
    pub others: OtherLabels,
}

/// What may be said of a label that a pool does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OtherLabels {
    /// It may be there: labels can come from elsewhere.
    #[default]
    Possible,
    /// Labels in Kubernetes' and providers' own domains may be there, any other is not.
    WellKnownOnly,
    /// It is not there: the node itself was read.
    None,
}
