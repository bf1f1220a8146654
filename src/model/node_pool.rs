//! A node pool (or a single node) with its taints and labels.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::finding::Object;
use crate::source::Span;

use super::node_selection::NodeLabels;
use super::taint::Taint;
use super::toleration::{Toleration, tolerate};
use super::well_known::is_transient_key;
use super::{Field, Truth};

/// How a taint gets onto a pool's nodes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Declared in the source, and permanent.
    #[default]
    Declared,
    /// Declared, and removed once the node is ready (Karpenter `startupTaints`, Cluster API `OnInitialization`).
    Startup,
    /// Not declared: the provider adds it.
    Implied,
}

impl Origin {
    /// Returns the word that inventories and reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Declared => "declared",
            Origin::Startup => "startup",
            Origin::Implied => "implied",
        }
    }
}

/// A taint of a pool and its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PoolTaint {
    /// The taint, with its effect in Kubernetes' spelling.
    pub taint: Taint,
    /// How it gets onto the nodes.
    pub origin: Origin,
    /// Where it is declared; `None` for an implied taint.
    pub span: Option<Span>,
    /// The field path in the object that declares it; empty if there is none.
    pub path: String,
    /// The effect as written, if that is not Kubernetes' spelling.
    pub spelled: Option<String>,
    /// The spans of its fields by name, key and value together; empty for notations in one string.
    pub fields: BTreeMap<&'static str, Span>,
}

/// The taints and labels that a pool declares to the cluster autoscaler for scaling up from zero. Nodes do not get them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoscalerTemplate {
    /// The taints, in source order. A taint that could not be read has unknown parts.
    pub taints: Vec<PoolTaint>,
    /// The labels, each with its location.
    pub labels: BTreeMap<String, (Field<String>, Span)>,
    /// All of it could be read.
    pub complete: bool,
}

/// One of several sets of values that a configuration is applied with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// Its name, usually that of a cluster or an environment.
    pub name: String,
    /// Where it is named: its variables file, or the name of its workspace.
    pub at: Span,
}

/// A group of nodes that are created alike, or a single node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePool {
    /// The name in the source.
    pub name: String,
    /// The provider table that read it.
    pub provider: String,
    /// Admission plugins that the API servers of the provider's clusters run in addition to Kubernetes' defaults.
    pub admission: Vec<String>,
    /// The cluster that the source names.
    pub cluster: Option<String>,
    /// The variant of its configuration that creates it, if there are several.
    pub variant: Option<Variant>,
    /// What is known about the nodes' labels.
    pub labels: NodeLabels,
    /// The taints, in source order.
    pub taints: Vec<PoolTaint>,
    /// All taints are known.
    pub complete: bool,
    /// Why not all taints are known.
    pub incomplete_because: Option<String>,
    /// The keys that its unknown taints can have, if it is not complete. `None` means any key; an empty set means that all
    /// its taints are known, but not whether it exists.
    pub open_keys: Option<BTreeSet<String>>,
    /// The provider makes such pools for the pods that ask for them. Labels and taints that are not the provider's own have
    /// a key that a pod both requires as a label and tolerates.
    pub made_on_demand: bool,
    /// A template fills in the labels, so they are unknown.
    pub open_labels: bool,
    /// `spec.unschedulable` of a Node: cordoned.
    pub unschedulable: bool,
    /// Known only from a command or a flag, so it describes the state when somebody ran it. It can explain a toleration but
    /// does not cause findings.
    pub weak: bool,
    /// Taints that a command removes from nodes, by key and, if given, effect.
    pub removes: Vec<Taint>,
    /// The declaration for the cluster autoscaler, if any.
    pub autoscaler: Option<AutoscalerTemplate>,
    /// The span of the whole declaration.
    pub span: Option<Span>,
    /// The span of its name, or `None` if it has no name of its own.
    pub name_span: Option<Span>,
    /// The object that declares it.
    pub object: Object,
}

impl NodePool {
    /// Marks the taints as incomplete: there may be taints with any key. Only the first reason is kept.
    pub fn doubt(&mut self, because: impl Into<String>) {
        self.complete = false;
        self.open_keys = None;
        self.incomplete_because
            .get_or_insert_with(|| because.into());
    }

    /// Marks the taints as incomplete: there may be taints with these keys. Only the first reason is kept.
    pub fn doubt_keys(
        &mut self,
        because: impl Into<String>,
        keys: impl IntoIterator<Item = String>,
    ) {
        if self.complete {
            self.complete = false;
            self.open_keys = Some(BTreeSet::new());
        }
        if let Some(open) = &mut self.open_keys {
            open.extend(keys);
        }
        self.incomplete_because
            .get_or_insert_with(|| because.into());
    }

    /// Whether its unknown taints, if there are any, can have this key. Any key if it is `None`.
    pub fn may_have_unknown_taint(&self, key: Option<&str>) -> bool {
        !self.complete
            && match (&self.open_keys, key) {
                (None, _) => true,
                (Some(open), None) => !open.is_empty(),
                (Some(open), Some(key)) => open.contains(key),
            }
    }

    /// Returns the taints that permanently keep pods away, with their index: hard, declared or implied, and not transient
    /// with a node's state. Taints with unreadable effects are excluded.
    pub fn blocking_taints(&self) -> impl Iterator<Item = (usize, &PoolTaint)> {
        self.lasting_taints()
            .filter(|(_, taint)| taint.taint.is_hard() == Truth::Yes)
    }

    /// Returns the permanent taints, whatever their effect.
    pub fn lasting_taints(&self) -> impl Iterator<Item = (usize, &PoolTaint)> {
        self.taints.iter().enumerate().filter(|(_, taint)| {
            taint.origin != Origin::Startup && !taint.taint.key.text().is_some_and(is_transient_key)
        })
    }

    /// Whether these tolerations tolerate every taint that keeps pods away. Never `Yes` if the pool's taints are not all
    /// known. `comparison_operators` is the feature gate.
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

    /// Returns the node's name if the pool is a single Node object.
    pub fn node_name(&self) -> Option<&str> {
        let is_node = self.object.kind == "Node" && self.object.api_version == "v1";
        self.object.name.as_deref().filter(|_| is_node)
    }
}

/// Whether a taint does not affect the pod: it is not hard, or it is tolerated.
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
