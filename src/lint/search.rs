//! The facts of a cluster, and what its taints say about each distinct entry of a list of tolerations, bound to the names of
//! the rule language.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::Settings;
use super::assignment::Cluster;
use super::by_key::{ByKey, TaintAt};
use super::by_label::ByLabel;
use super::clouds::{cloud_of, foreign_cloud};
use super::facts::{
    self, entry_fact, kubernetes, pool_fact, redundancy_fields, shape_fact, taint_facts,
    well_known_fields,
};
use super::gather::Gathered;
use super::hints::Hints;
use super::own_list::OwnList;
use super::plain::Plain;
use super::purpose;
use super::selectable::Selectable;
use super::testimony::Testimony;
use super::usage::{OwnPools, Usage};
use crate::model::Truth;
use crate::model::admission::{Giver, Injector};
use crate::model::alike::Alike;
use crate::model::clouds::Clouds;
use crate::model::eviction::Shadow;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::node_selection::NodeSelection;
use crate::model::toleration::Toleration;
use crate::model::vocabulary::Vocabulary;
use crate::model::well_known::WellKnown;
use crate::model::workload::PodShape;
use crate::rule::expression::FactList;
use crate::rule::fact::{Fact, FactBuilder, FactKind};

/// Facts of a cluster, built once for all its workloads.
pub struct ClusterFacts<'g> {
    /// `cluster`
    pub cluster: Fact,
    /// `cluster` for a question that depends on what some pool leaves open.
    open_cluster: Fact,
    /// Whether there are no other pools than these.
    pub is_complete: bool,
    /// The clouds of the pools.
    pub cloud: Clouds,
    /// Each of `pools`.
    pub pools: Arc<Vec<Fact>>,
    /// `pools`
    pub all_pools: FactList,
    /// `kubernetes`
    pub kubernetes: Fact,
    /// The pools themselves.
    pub models: Arc<Vec<Arc<NodePool>>>,
    /// Facts of each pool's taints.
    pub taints: Arc<Vec<Vec<Fact>>>,
    /// The taints by key.
    pub by_key: Arc<ByKey>,
    by_label: OnceLock<ByLabel>,
    selectable: OnceLock<Selectable>,
    all_known: OnceLock<bool>,
    /// The keys that are well known.
    known_keys: OnceLock<Alike>,
    /// Where pods land that select nothing and tolerate nothing.
    plain: OnceLock<Arc<Plain>>,
    /// Which pools they are among those of the repository.
    pub(super) own: OwnPools,
    /// Hints from commands about nodes.
    pub(super) hints: Hints<'g>,
    /// Everything that was read.
    pub gathered: &'g Gathered,
    /// The words of the repository.
    pub vocabulary: &'g Vocabulary<'g>,
    /// Taints that exist without being declared in a manifest.
    pub well_known: &'g WellKnown,
    /// How the whole repository uses taints.
    pub usage: &'g Usage<'g>,
    /// Whether `Gt` and `Lt` work.
    pub comparison_operators: bool,
}

/// Every key that a pool of the repository declares.
pub fn declared_keys(gathered: &Gathered) -> BTreeSet<String> {
    gathered
        .pools
        .iter()
        .chain(&gathered.hints)
        .flat_map(|placed| &placed.pool.taints)
        .filter_map(|taint| taint.taint.key.known().cloned())
        .collect()
}

impl<'g> ClusterFacts<'g> {
    /// Builds the facts of a cluster and its pools.
    pub fn new(
        cluster: &Cluster,
        gathered: &'g Gathered,
        vocabulary: &'g Vocabulary<'g>,
        usage: &'g Usage<'g>,
        well_known: &'g WellKnown,
        settings: Settings<'_>,
    ) -> Self {
        let config = settings.config;
        let comparison_operators = config.comparison_operators();
        let hints = Hints::new(cluster, gathered, comparison_operators);
        let models: Vec<Arc<NodePool>> = cluster
            .pools
            .iter()
            .map(|index| hints.doubt(&gathered.pools[*index].pool))
            .collect();
        let taints: Vec<Vec<Fact>> = models.iter().map(taint_facts).collect();
        let pools: Vec<Fact> = models
            .iter()
            .zip(&taints)
            .map(|(pool, taints)| {
                let fact = pool_fact(pool, taints, comparison_operators);
                let purpose = purpose::of(pool, well_known);
                FactBuilder::extend(&fact).text("purpose", purpose).build()
            })
            .collect();
        let managed = is_managed(&models, gathered, settings);
        let cloud = cloud_of(models.iter().map(|pool| &**pool));
        let fact = |complete: bool| {
            FactBuilder::new(FactKind::Cluster)
                .text("name", cluster.name.clone().unwrap_or_default())
                .text("clause", of_cluster(cluster.name.as_deref()))
                .bool("complete", complete)
                .bool("managed", managed)
                .text("cloud", cloud.only().unwrap_or_default())
                .build()
        };
        ClusterFacts {
            cluster: fact(cluster.complete),
            open_cluster: fact(false),
            is_complete: cluster.complete,
            cloud,
            all_pools: FactList::new(&pools),
            pools: Arc::new(pools),
            kubernetes: kubernetes(config),
            by_key: Arc::new(ByKey::of(models.iter())),
            by_label: OnceLock::new(),
            selectable: OnceLock::new(),
            all_known: OnceLock::new(),
            known_keys: OnceLock::new(),
            plain: OnceLock::new(),
            models: Arc::new(models),
            taints: Arc::new(taints),
            own: OwnPools::of(cluster),
            hints,
            gathered,
            vocabulary,
            well_known,
            usage,
            comparison_operators,
        }
    }

    /// `cluster` for a question that the pools' taints settle, or that they leave open.
    pub fn cluster_if(&self, settled: bool) -> &Fact {
        match settled {
            true => &self.cluster,
            false => &self.open_cluster,
        }
    }

    /// The labels by key and value.
    pub fn by_label(&self) -> &ByLabel {
        self.by_label.get_or_init(|| ByLabel::of(&self.models))
    }

    /// The pools that a selection does not certainly exclude by a label, in order; `None` for all.
    pub fn selectable(&self, selection: &NodeSelection) -> Option<Vec<usize>> {
        let selectable = self.selectable.get_or_init(|| Selectable::of(&self.models));
        selectable.by(selection)
    }

    /// Where pods land that select nothing and tolerate nothing.
    pub(super) fn plain(&self) -> &Arc<Plain> {
        let plain = || Arc::new(Plain::of(&self.models, self.comparison_operators));
        self.plain.get_or_init(plain)
    }

    /// Whether this holds for all pools. It is asked once, always with the same question.
    pub(super) fn all_known(&self, known: impl Fn(&Arc<NodePool>) -> bool) -> bool {
        *self.all_known.get_or_init(|| self.models.iter().all(known))
    }

    /// The well-known keys, to compare others with.
    pub fn known_keys(&self) -> &Alike {
        let known = || Alike::of(self.well_known.keys());
        self.known_keys.get_or_init(known)
    }

    /// The taint at a place.
    pub fn taint(&self, (pool, at): TaintAt) -> Option<&PoolTaint> {
        self.models.get(pool)?.taints.get(at)
    }

    /// The taints of pools at these places.
    pub fn taints_at(
        &self,
        places: impl IntoIterator<Item = TaintAt>,
    ) -> impl Iterator<Item = (TaintAt, &PoolTaint)> {
        let places = places.into_iter();
        places.filter_map(|place| Some((place, self.taint(place)?)))
    }

    /// `toleration` for one entry of a list, with the testimony of other workloads. `shadow` is the earlier entry that
    /// shadows this one.
    pub fn toleration(
        &self,
        list: &OwnList<'_>,
        shadow: Shadow,
        index: usize,
        testimony: &Testimony,
    ) -> Fact {
        let shape = list.shape;
        let entry = &shape.tolerations[index];
        let mut builder = entry_fact(entry, index, self.comparison_operators);
        builder = testimony.of_entry(builder, index, self.gathered);
        let gate = self.comparison_operators;
        let tolerated = |taint: &PoolTaint| entry.tolerates(&taint.taint, gate);
        builder = well_known_fields(builder, entry, self.well_known);
        let foreign = entry.key.text();
        let foreign = foreign.and_then(|key| foreign_cloud(self.cloud, &self.models, key));
        builder = builder.text("foreignCloud", foreign.unwrap_or_default());
        builder = redundancy_fields(builder, &shape.tolerations, &list.redundancy, index);
        let places = self.by_key.that_may_match(entry);
        let truths = self.taints_at(places);
        let truths: Vec<(TaintAt, Truth)> = truths
            .map(|(place, taint)| (place, tolerated(taint)))
            .collect();
        if truths.iter().any(|(_, truth)| *truth == Truth::Unknown) {
            builder = Self::open_mismatches(builder.unknown("matches"));
        } else {
            let matches = truths
                .iter()
                .filter(|(_, truth)| *truth == Truth::Yes)
                .map(|((pool, at), _)| self.taints[*pool][*at].clone());
            builder = self.hints.add_matches(builder, matches, entry, gate);
            builder = self.mismatches(builder, list, entry);
        }
        let builder = self.hints.add_hinted(builder, entry);
        let elsewhere = self.usage.of_other_effects(list, entry, gate);
        let builder = builder
            .bool("loneEffect", self.usage.is_alone(entry))
            .bool("taintElsewhere", self.usage.is_taint_key(&entry.key))
            .facts(
                "effectsElsewhere",
                elsewhere
                    .iter()
                    .map(|(pool, taint)| facts::taint_fact(pool, taint)),
            );
        let builder = facts::shadow(builder, shape, shadow, self.comparison_operators);
        let builder = self.misspelt_beside(builder, shape, entry);
        let builder = self.near_value(builder, list, entry);
        self.near_keys(builder, list, entry).build()
    }

    /// `workload` for rules of scope toleration: the shape alone.
    pub fn shape(&self, shape: &Arc<PodShape>) -> Fact {
        shape_fact(shape, self.comparison_operators)
    }
}

/// Whether the provider runs the cluster's control plane, so that no node has control plane taints. Decided by the pools,
/// or by the rest of the repository if no pools are known.
pub fn is_managed(pools: &[Arc<NodePool>], gathered: &Gathered, settings: Settings<'_>) -> bool {
    let of_control_plane = |pool: &NodePool| {
        keys(pool).any(|key| {
            key.starts_with("node-role.kubernetes.io/") && key != "node-role.kubernetes.io/infra"
        })
    };
    let is_managed = |pool: &NodePool| settings.table.is_managed(&pool.provider);
    match pools.is_empty() {
        false => {
            pools.iter().any(|pool| is_managed(pool))
                && !pools.iter().any(|pool| of_control_plane(pool))
        }
        true => {
            let mut others = gathered.pools.iter().map(|placed| &*placed.pool);
            (gathered.managed_cluster || others.clone().any(is_managed))
                && !others.any(of_control_plane)
        }
    }
}

/// The keys of a pool's taints.
pub fn keys(pool: &NodePool) -> impl Iterator<Item = &str> {
    pool.taints
        .iter()
        .filter_map(|taint| taint.taint.key.known().map(String::as_str))
}

/// The tolerations of the pods of a shape, not counting those that every pod or every DaemonSet pod gets automatically.
pub fn meant_entries(shape: &PodShape) -> Vec<Toleration> {
    let mut meant = shape.on_pods.clone();
    meant.entries.retain(|entry| match entry.giver {
        Giver::Manifest(_) => {
            shape.kind != "DaemonSet"
                || entry
                    .toleration
                    .key
                    .known()
                    .is_some_and(|key| !key.is_empty())
        }
        Giver::Injected(Injector::DaemonSet | Injector::DefaultTolerationSeconds) => false,
        Giver::Injected(_) => true,
    });
    meant.tolerations()
}

/// The name of a cluster as part of a sentence.
pub fn of_cluster(name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!(" of cluster `{name}`"),
        Some(_) | None => String::new(),
    }
}
