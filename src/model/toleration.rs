//! Tolerations, and the one definition of "tolerates".

use super::Field;

/// A toleration as written: nothing is defaulted, as in Kubernetes' own storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toleration {
    /// Absent or empty means every key.
    pub key: Field<String>,
    /// Absent or empty means `Equal`.
    pub operator: Field<String>,
    /// Absent means the empty value.
    pub value: Field<String>,
    /// Absent or empty means every effect.
    pub effect: Field<String>,
    /// Seconds to stay after a NoExecute taint appears; absent means for ever.
    pub toleration_seconds: Field<i64>,
}
