//! Searches a cluster's pools once for each distinct tolerations list and pod shape, in native code, and binds the results
//! to the names of the rule language.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Settings;
use super::assignment::Cluster;
use super::clouds::{cloud_of, foreign_cloud};
use super::facts::{
    self, entry_fact, kubernetes, pool_fact, redundancy_fields, shape_fact, taint_facts,
    well_known_fields,
};
use super::gather::Gathered;
use super::hints::Hints;
use super::purpose;
use super::testimony::Testimony;
use super::undeclared::undeclared;
use super::usage::{OwnPools, Usage};
use crate::model::Truth;
use crate::model::admission::{Giver, Injector};
use crate::model::clouds::Clouds;
use crate::model::eviction::Shadow;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::redundancy::Redundancy;
use crate::model::toleration::{Toleration, tolerate};
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
    pub pools: Vec<Fact>,
    /// `pools`
    pub all_pools: FactList,
    /// `kubernetes`
    pub kubernetes: Fact,
    /// The pools themselves.
    pub models: Vec<Arc<NodePool>>,
    /// Facts of each pool's taints.
    pub taints: Vec<Vec<Fact>>,
    /// Which pools they are among those of the repository.
    own: OwnPools,
    /// Hints from commands about nodes.
    hints: Hints<'g>,
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
            pools,
            kubernetes: kubernetes(config),
            models,
            taints,
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

    /// The taints of all pools: the index of the pool, the index of the taint in it, and the taint.
    pub fn all_taints(&self) -> impl Iterator<Item = (usize, usize, &PoolTaint)> {
        self.models.iter().enumerate().flat_map(|(pool, model)| {
            model
                .taints
                .iter()
                .enumerate()
                .map(move |(at, taint)| (pool, at, taint))
        })
    }

    /// `toleration` for one entry of a shape, with the testimony of other workloads. `redundancy` compares the shape's
    /// list, and `shadow` is the earlier entry that shadows this one.
    pub fn toleration(
        &self,
        shape: &PodShape,
        redundancy: &Redundancy,
        shadow: Shadow,
        index: usize,
        testimony: &Testimony,
    ) -> Fact {
        let entry = &shape.tolerations[index];
        let mut builder = entry_fact(entry, index, self.comparison_operators);
        builder = testimony.of_entry(builder, index, self.gathered);
        let gate = self.comparison_operators;
        let tolerated = |taint: &PoolTaint| entry.tolerates(&taint.taint, gate);
        builder = well_known_fields(builder, entry, self.well_known);
        let foreign = entry.key.text();
        let foreign = foreign.and_then(|key| foreign_cloud(self.cloud, &self.models, key));
        builder = builder.text("foreignCloud", foreign.unwrap_or_default());
        builder = redundancy_fields(builder, &shape.tolerations, redundancy, index);
        let truths: Vec<Truth> = self
            .all_taints()
            .map(|(_, _, taint)| tolerated(taint))
            .collect();
        if truths.contains(&Truth::Unknown) {
            builder = Self::open_mismatches(builder.unknown("matches"));
        } else {
            let matches = self
                .all_taints()
                .zip(&truths)
                .filter(|(_, truth)| **truth == Truth::Yes)
                .map(|((pool, at, _), _)| self.taints[pool][at].clone());
            builder = self.hints.add_matches(builder, matches, entry, gate);
            builder = self.mismatches(builder, shape, entry);
        }
        let builder = self.hints.add_hinted(builder, entry);
        let elsewhere = self.usage.of_other_effects(&shape.tolerations, entry, gate);
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
        let builder = self.near_value(builder, shape, entry);
        self.near_keys(builder, shape, entry).build()
    }

    /// `workload` for rules of scope toleration: the shape alone.
    pub fn shape(&self, shape: &Arc<PodShape>) -> Fact {
        shape_fact(shape, self.comparison_operators)
    }

    /// The result of searching the cluster's pools for a shape, for scope workload, with the testimony of others.
    pub fn search(&self, shape: &Arc<PodShape>, testimony: &Testimony) -> Fact {
        let whole = self.shape(shape);
        let as_read = shape.as_read();
        let shape = as_read.as_ref().unwrap_or(shape);
        let tolerations = shape.all_tolerations();
        let asks = !shape.selection.is_empty();
        let (mut selected, mut chosen) = (Vec::new(), Vec::new());
        let (mut possible, mut doubtful) = (Vec::new(), Vec::new());
        let (mut blocked, mut refusals) = (Vec::new(), Vec::new());
        let mut partly: Vec<Partly> = Vec::new();
        let mut open_keys: BTreeSet<&str> = BTreeSet::new();
        for (at, pool) in self.models.iter().enumerate() {
            // A pod with `nodeName` bypasses the scheduler.
            if !shape.node_name.is_absent() {
                possible.push(self.pools[at].clone());
                continue;
            }
            if shape.gets_none_of(pool) {
                let (fact, taints) = (&self.pools[at], &self.taints[at]);
                let reason = Reason::Affinity;
                refusals.push(facts::refusal_fact(fact, taints, pool, reason));
                continue;
            }
            let selects = shape.selection.selects(&pool.labels, None);
            let placement = place(
                &shape.candidate(&tolerations),
                pool,
                Moment::Lasting,
                self.comparison_operators,
            );
            if let Placement::Refused(reason) = placement {
                let (fact, taints) = (&self.pools[at], &self.taints[at]);
                refusals.push(facts::refusal_fact(fact, taints, pool, reason));
            }
            let certain = asks
                && (selects == Truth::Yes
                    || shape.selection.selects_kind(&pool.labels, None) == Truth::Yes);
            if certain {
                selected.push(self.pools[at].clone());
                chosen.push(at);
            }
            match placement {
                Placement::Lands | Placement::Unknown(_) => {
                    possible.push(self.pools[at].clone());
                    doubtful.extend(matches!(placement, Placement::Unknown(_)).then_some(at));
                    open_keys.extend(keys(pool));
                }
                Placement::Refused(Reason::Taint(taint)) if selects != Truth::No => {
                    if certain {
                        blocked.push(
                            FactBuilder::new(FactKind::Blocked)
                                .fact("pool", &self.pools[at])
                                .fact("taint", &self.taints[at][taint])
                                .build(),
                        );
                    }
                    partly.extend(self.partly(shape, at, taint));
                }
                Placement::Refused(_) => {}
            }
        }
        for (pool, fact) in self.hints.pools() {
            let (pod, gate) = (shape.candidate(&tolerations), self.comparison_operators);
            let placement = place(&pod, pool, Moment::Lasting, gate);
            if matches!(placement, Placement::Lands | Placement::Unknown(_)) {
                possible.push(fact.clone());
                open_keys.extend(keys(pool));
            }
        }
        // A toleration that unlocks one pool is useful even if it does not unlock another.
        partly.retain(|one| {
            let taint = &self.models[one.pool].taints[one.tolerated].taint;
            taint
                .key
                .known()
                .is_none_or(|key| !open_keys.contains(key.as_str()))
        });
        let undeclared = undeclared(&self.models, shape, &chosen, &doubtful);
        let undeclared = undeclared.into_iter().map(|at| self.pools[at].clone());
        let chosen: Vec<(usize, &Arc<NodePool>)> = match possible.is_empty() {
            true => chosen.iter().map(|at| (*at, &self.models[*at])).collect(),
            false => Vec::new(),
        };
        let gate = self.comparison_operators;
        let means = !chosen.is_empty() && self.usage.means(shape, &self.own, &chosen, gate);
        let partly: Vec<Fact> = partly.iter().map(|one| self.partly_fact(one)).collect();
        let builder = FactBuilder::extend(&whole);
        testimony
            .of_workload(builder, self.gathered)
            .bool("meansPools", means)
            .facts("selectedPools", selected)
            .facts("possiblePools", possible)
            .facts("undeclaredPools", undeclared)
            .facts("blockedPools", blocked)
            .facts("refusals", refusals)
            .facts("partlyToleratedPools", partly)
            .build()
    }

    /// The two taints, if a named entry tolerates another hard taint of the pool than the missing one.
    fn partly(&self, shape: &PodShape, pool: usize, missing: usize) -> Option<Partly> {
        let named: Vec<Toleration> = shape
            .tolerations
            .iter()
            .filter(|entry| entry.key.known().is_some_and(|key| !key.is_empty()))
            .cloned()
            .collect();
        let (tolerated, _) = self.models[pool].blocking_taints().find(|(at, taint)| {
            *at != missing
                && tolerate(&named, &taint.taint, self.comparison_operators) == Truth::Yes
        })?;
        Some(Partly {
            pool,
            tolerated,
            missing,
        })
    }

    fn partly_fact(&self, partly: &Partly) -> Fact {
        let taints = &self.taints[partly.pool];
        FactBuilder::new(FactKind::PartlyTolerated)
            .fact("pool", &self.pools[partly.pool])
            .fact("tolerated", &taints[partly.tolerated])
            .fact("missing", &taints[partly.missing])
            .build()
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

/// Two hard taints of one pool, by index: a tolerated one and one that is not tolerated.
struct Partly {
    pool: usize,
    tolerated: usize,
    missing: usize,
}

/// The keys of a pool's taints.
fn keys(pool: &NodePool) -> impl Iterator<Item = &str> {
    pool.taints
        .iter()
        .filter_map(|taint| taint.taint.key.known().map(String::as_str))
}

/// Whether pods of this shape tolerate all hard taints of a pool, not counting the tolerations that every pod or every
/// DaemonSet pod gets automatically.
pub fn means_pool(shape: &PodShape, pool: &NodePool, comparison_operators: bool) -> bool {
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
    let entries = meant.tolerations();
    let unread =
        shape.unread_tolerations.is_some() || entries.iter().any(|entry| entry.key.is_unknown());
    unread || pool.tolerated_by(&entries, comparison_operators) != Truth::No
}

/// The name of a cluster as part of a sentence.
pub fn of_cluster(name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!(" of cluster `{name}`"),
        Some(_) | None => String::new(),
    }
}
