//! Where pods can land, as `kubetaint why`, `matrix`, `whatif` and `diff` say it.

use serde::Serialize;

use super::{FilePlace, Object};

/// What becomes of a pod on the nodes of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It can run there.
    Lands,
    /// It can run there, but the scheduler avoids the pool because of a taint with the effect `PreferNoSchedule`.
    PrefersNot,
    /// A taint keeps it out.
    KeptOut,
    /// Its node selector, required node affinity or node name excludes the pool.
    NotSelected,
    /// It is not known.
    Unknown,
}

impl Verdict {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Lands => "lands",
            Verdict::PrefersNot => "prefers-not",
            Verdict::KeptOut => "kept-out",
            Verdict::NotSelected => "not-selected",
            Verdict::Unknown => "unknown",
        }
    }

    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Lands => "lands",
            Verdict::PrefersNot => "prefers not",
            Verdict::KeptOut => "kept out",
            Verdict::NotSelected => "not selected",
            Verdict::Unknown => "unknown",
        }
    }

    /// Whether the pod certainly can run there.
    pub fn is_open(self) -> bool {
        matches!(self, Verdict::Lands | Verdict::PrefersNot)
    }
}

/// A verdict on pods and a pool, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The plugin of the scheduler that decides, unless the pod lands.
    pub plugin: Option<&'static str>,
    /// The reason: in the words of the scheduler if the pod is kept out, or what is not known.
    pub reason: Option<String>,
    /// The taint that decides, as `key=value:Effect`.
    pub taint: Option<String>,
    /// The places of the taint, or of the pool, and of the selector or the tolerations.
    pub places: Vec<FilePlace>,
}

/// A workload and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedObject {
    /// The object.
    pub object: Object,
    /// Where it is declared.
    pub place: Option<FilePlace>,
}

/// A node pool of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolColumn {
    /// Its name.
    pub name: String,
    /// Its taints, as `key=value:Effect`.
    pub taints: Vec<String>,
    /// Whether all its taints are known.
    pub complete: bool,
    /// Where it is declared.
    pub place: Option<FilePlace>,
}

/// The workloads of a cluster by its pools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixCluster {
    /// Its name.
    pub name: String,
    /// Whether all its pools are known, with all their taints.
    pub complete: bool,
    /// The columns.
    pub pools: Vec<PoolColumn>,
    /// The rows.
    pub rows: Vec<MatrixRow>,
}

/// Workloads whose pods are alike for the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// The workloads.
    pub workloads: Vec<PlacedObject>,
    /// One judgement for each pool of the cluster.
    pub cells: Vec<Judgement>,
}

impl MatrixRow {
    /// Whether something is wrong with the row: there is a pool, and its pods can certainly run on none of them.
    pub fn is_problem(&self) -> bool {
        let is_shut =
            |cell: &Judgement| matches!(cell.verdict, Verdict::KeptOut | Verdict::NotSelected);
        !self.cells.is_empty() && self.cells.iter().all(is_shut)
    }
}

/// A workload in each of its clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The workload.
    pub workload: PlacedObject,
    /// What is said of it in each cluster.
    pub clusters: Vec<WhyCluster>,
}

/// A workload in one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyCluster {
    /// The cluster's name.
    pub name: String,
    /// Whether all its pools are known, with all their taints.
    pub complete: bool,
    /// Each pool with the verdict.
    pub pools: Vec<(PoolColumn, Judgement)>,
    /// The tolerations of its pods.
    pub tolerations: Vec<ShownToleration>,
    /// Why there may be more tolerations.
    pub more_tolerations: Option<&'static str>,
    /// What happens on each NoExecute taint of the pools.
    pub evictions: Vec<(String, Stay)>,
}

/// An entry of the tolerations of pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownToleration {
    /// The fields: key, operator, value and effect as the API server sees them, `None` if not known.
    pub fields: [Option<String>; 4],
    /// The seconds, if there are any and they are known.
    pub seconds: Option<i64>,
    /// The entry as a line of a manifest.
    pub text: String,
    /// Who adds it, or `None` if it is written.
    pub by: Option<&'static str>,
    /// Whether it is certainly on the pods.
    pub certain: bool,
    /// The pools with a taint that it tolerates.
    pub matches: Vec<String>,
    /// Where it is written.
    pub place: Option<FilePlace>,
}

/// How long a pod stays on a node that gets a NoExecute taint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// For ever.
    Forever,
    /// It is evicted at once.
    Evicted,
    /// It is evicted after this many seconds.
    For(i64),
    /// It is not known.
    Unknown,
}

/// A pool of a cluster, and the workloads of that cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The cluster's name.
    pub cluster: String,
    /// Each workload with its verdict.
    pub workloads: Vec<WhoWorkload>,
}

/// A workload, judged for one pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhoWorkload {
    /// The workload.
    pub workload: PlacedObject,
    /// The verdict.
    pub judgement: Judgement,
    /// Whether its selectors ask for the pool.
    pub meant: bool,
}
