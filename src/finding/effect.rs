//! What a change does to where pods can land, as `kubetaint whatif` and `diff` say it.

use serde::Serialize;

use super::{FilePlace, Object, PlacedObject, Stay};

/// What a change does to the pods of an object in a cluster. The order is that in which they are asked: the first that fits
/// is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// A pool that they ran on is still there and selected, and now has a NoExecute taint that they do not tolerate for ever.
    Evicted,
    /// They could run somewhere, and certainly can run nowhere now.
    Pending,
    /// They gain pools and lose others.
    Moves,
    /// They lose pools.
    Loses,
    /// They gain pools.
    Gains,
    /// They can run on the same pools, and tolerate more than before.
    Widened,
    /// A list of theirs was changed that nothing reads.
    Ignored,
    /// It depends on something that is not known.
    Unknown,
}

impl Effect {
    /// All effects, in their order.
    pub const ALL: [Effect; 8] = [
        Effect::Evicted,
        Effect::Pending,
        Effect::Moves,
        Effect::Loses,
        Effect::Gains,
        Effect::Widened,
        Effect::Ignored,
        Effect::Unknown,
    ];

    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Evicted => "evicted",
            Effect::Pending => "pending",
            Effect::Moves => "moves",
            Effect::Loses => "loses",
            Effect::Gains => "gains",
            Effect::Widened => "widened",
            Effect::Ignored => "ignored",
            Effect::Unknown => "unknown",
        }
    }

    /// Whether it keeps something from running: pods are evicted or Pending, or a DaemonSet loses a pool.
    pub fn is_harmful(self, object: &Object) -> bool {
        match self {
            Effect::Evicted | Effect::Pending => true,
            Effect::Moves | Effect::Loses => object.kind == "DaemonSet",
            Effect::Gains | Effect::Widened | Effect::Ignored | Effect::Unknown => false,
        }
    }

    /// The words for people, after a number of workloads.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Evicted => "evicted",
            Effect::Pending => "Pending",
            Effect::Moves => "moved to other pools",
            Effect::Loses => "with fewer pools",
            Effect::Gains => "with more pools",
            Effect::Widened => "that tolerate more",
            Effect::Ignored => "with a list that nothing reads",
            Effect::Unknown => "where it is not known",
        }
    }
}

/// What changes on node pools do, as `kubetaint whatif` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhatIf {
    /// The changes, in words and in the order in which they are applied.
    pub changes: Vec<String>,
    /// The clusters with a change.
    pub clusters: Vec<ChangedCluster>,
    /// The workloads that it does something to, worst first.
    pub affected: Vec<Affected>,
    /// Tolerations that matched a taint of their cluster's pools, and match none any more.
    pub idle: Vec<IdleToleration>,
}

impl WhatIf {
    /// How many workloads it does this to, counted in each cluster.
    pub fn count(&self, effect: Effect) -> usize {
        let same = self.affected.iter().filter(|one| one.effect == effect);
        same.count()
    }

    /// Whether something cannot run any more: pods are evicted or Pending, or a DaemonSet loses a pool.
    pub fn is_harmful(&self) -> bool {
        let mut all = self.affected.iter();
        all.any(|one| one.effect.is_harmful(&one.object.object))
    }
}

/// A cluster with a change, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedCluster {
    /// Its name.
    pub name: String,
    /// Whether all its pools are known, with all their taints.
    pub complete: bool,
    /// How many workloads it has.
    pub workloads: usize,
    /// Its pools, those that are added last.
    pub pools: Vec<PoolNumbers>,
}

/// A pool before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolNumbers {
    /// Its name.
    pub name: String,
    /// `None` if it is added.
    pub before: Option<Landing>,
    /// `None` if it is removed.
    pub after: Option<Landing>,
    /// Whether it is changed, added or removed.
    pub changed: bool,
    /// Where it is declared.
    pub place: Option<FilePlace>,
}

/// The workloads on a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landing {
    /// How many can run there.
    pub lands: usize,
    /// Of how many it is not known.
    pub unknown: usize,
}

/// A workload that a change does something to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affected {
    /// The workload.
    pub object: PlacedObject,
    /// The cluster.
    pub cluster: String,
    /// The effect.
    pub effect: Effect,
    /// When the first of its pods are evicted, if they are.
    pub stay: Option<Stay>,
    /// The pools that it could certainly run on before.
    pub before: Vec<String>,
    /// The pools that it certainly can run on after.
    pub after: Vec<String>,
    /// Why, for each pool that decides.
    pub reasons: Vec<LossReason>,
}

/// Why pods no longer run on a pool, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossReason {
    /// The pool.
    pub pool: String,
    /// When pods are evicted from it, if they are.
    pub stay: Option<Stay>,
    /// The plugin of the scheduler that decides.
    pub plugin: Option<&'static str>,
    /// The reason, in the words of the scheduler where it has one.
    pub reason: String,
    /// The taint that decides.
    pub taint: Option<String>,
    /// The places of the taint or the pool, and of the selector or the tolerations.
    pub places: Vec<FilePlace>,
}

/// An entry that matches no taint any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleToleration {
    /// The workload.
    pub object: PlacedObject,
    /// The cluster.
    pub cluster: String,
    /// The entry as a line of a manifest.
    pub text: String,
    /// Where it is written.
    pub place: Option<FilePlace>,
}
