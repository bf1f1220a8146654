//! Taints and effects, in Kubernetes' spelling and with Kubernetes' rules for keys and values.

use super::Field;

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// New pods are not scheduled here.
    NoSchedule,
    /// New pods are scheduled elsewhere if that scores better.
    PreferNoSchedule,
    /// New pods are not scheduled here and running ones are deleted.
    NoExecute,
}

/// A taint as declared. Absent value means the empty value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Taint {
    /// A label key.
    pub key: Field<String>,
    /// A label value.
    pub value: Field<String>,
    /// In Kubernetes' spelling, whatever the source's own spelling was.
    pub effect: Field<String>,
}
