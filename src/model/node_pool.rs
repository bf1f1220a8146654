//! A node pool (or a single node) with its taints and labels.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Object;
use crate::source::Span;

use super::node_selection::NodeLabels;
use super::taint::Taint;
use super::toleration::{Toleration, tolerate};
use super::well_known::is_transient_key;
use super::{Field, Truth};

/// How a taint comes to be on a pool's nodes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Written, and there to stay.
    #[default]
    Declared,
    /// Written, and removed once the node is ready (Karpenter `startupTaints`, Cluster API `OnInitialization`).
    Startup,
    /// Not written: the provider puts it there.
    Implied,
}

impl Origin {
    /// The word that inventories and reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Declared => "declared",
            Origin::Startup => "startup",
            Origin::Implied => "implied",
        }
    }
}

/// A taint of a pool and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PoolTaint {
    /// The taint, its effect in Kubernetes' spelling.
    pub taint: Taint,
    /// How it comes to be there.
    pub origin: Origin,
    /// Where it is written; absent for an implied one.
    pub span: Option<Span>,
    /// Field path in the object that declares it; empty when there is none.
    pub path: String,
    /// The effect as written, when that was not Kubernetes' spelling.
    pub spelled: Option<String>,
    /// Where its fields are written, key and value together, by name; empty for notations in one piece.
    pub fields: BTreeMap<&'static str, Span>,
}

/// What a pool tells the cluster autoscaler of its nodes, for the time when it has none. It taints and labels nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoscalerTemplate {
    /// Taints, in the order of the source; of one that could not be read, the parts are unknown.
    pub taints: Vec<PoolTaint>,
    /// Labels, each with the place where it is told.
    pub labels: BTreeMap<String, (Field<String>, Span)>,
    /// It could be read to the end.
    pub complete: bool,
}

/// Nodes that are made alike, or one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePool {
    /// Name as its source gives it.
    pub name: String,
    /// Which provider table read it.
    pub provider: String,
    /// Admission plugins beyond Kubernetes' defaults that the API servers of the provider's clusters run.
    pub admission: Vec<String>,
    /// The cluster that the source itself names.
    pub cluster: Option<String>,
    /// What is known of the nodes' labels.
    pub labels: NodeLabels,
    /// In the order of the source.
    pub taints: Vec<PoolTaint>,
    /// Every taint is known.
    pub complete: bool,
    /// Why not every taint is known.
    pub incomplete_because: Option<String>,
    /// Labels are filled in by a template, so that they are not known.
    pub open_labels: bool,
    /// `spec.unschedulable` of a Node: cordoned.
    pub unschedulable: bool,
    /// Known from a command or a flag alone: what it says is there was there when somebody ran it. It can explain a
    /// toleration and accuses nobody.
    pub weak: bool,
    /// Taints that a command takes off nodes, by key and, where given, effect.
    pub removes: Vec<Taint>,
    /// What it tells the cluster autoscaler; none when it tells nothing.
    pub autoscaler: Option<AutoscalerTemplate>,
    /// Where it is declared, as a whole.
    pub span: Option<Span>,
    /// Where its name is written; absent when it has none of its own.
    pub name_span: Option<Span>,
    /// The object that declares it.
    pub object: Object,
}

impl NodePool {
    /// Its taints are not all known. The first reason is kept.
    pub fn doubt(&mut self, because: impl Into<String>) {
        self.complete = false;
        self.incomplete_because
            .get_or_insert_with(|| because.into());
    }

    /// The taints that keep pods away for good, with their index: hard, declared or implied, not of the kind that
    /// comes and goes with a node's state. A taint whose effect could not be read is not among them.
    pub fn blocking_taints(&self) -> impl Iterator<Item = (usize, &PoolTaint)> {
        self.lasting_taints()
            .filter(|(_, taint)| taint.taint.is_hard() == Truth::Yes)
    }

    /// The taints that stay, whatever their effect.
    pub(super) fn lasting_taints(&self) -> impl Iterator<Item = (usize, &PoolTaint)> {
        self.taints.iter().enumerate().filter(|(_, taint)| {
            taint.origin != Origin::Startup && !taint.taint.key.text().is_some_and(is_transient_key)
        })
    }

    /// Whether these tolerations get a pod past every taint that keeps pods away. Of a pool whose taints are not
    /// all known this is never `Yes`. `comparison_operators` is the feature gate.
    pub fn tolerated_by(&self, tolerations: &[Toleration], comparison_operators: bool) -> Truth {
        let known = Truth::all(
            self.lasting_taints()
                .map(|(_, taint)| passes(tolerations, &taint.taint, comparison_operators)),
        );
        if self.complete {
            known
        } else {
            known.and(Truth::Unknown)
        }
    }

    /// The node's name, where the pool is one node that was read.
    pub(super) fn node_name(&self) -> Option<&str> {
        let is_node = self.object.kind == "Node" && self.object.api_version == "v1";
        self.object.name.as_deref().filter(|_| is_node)
    }
}

/// Whether a taint leaves the pod alone: it is not hard, or it is tolerated.
pub(super) fn passes(
    tolerations: &[Toleration],
    taint: &Taint,
    comparison_operators: bool,
) -> Truth {
    let is_hard = taint.is_hard();
    if is_hard == Truth::No {
        return Truth::Yes;
    }
    (!is_hard).or(tolerate(tolerations, taint, comparison_operators))
}
