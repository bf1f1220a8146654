//! Hints about a cluster's nodes from commands, and pools that may also belong to the cluster. Hints explain tolerations
//! and cast doubt on taints. No finding is based on them.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::sync::Arc;

use super::assignment::Cluster;
use super::facts::{pool_fact, taint_facts};
use super::gather::Gathered;
use crate::model::node_pool::NodePool;
use crate::model::taint::Taint;
use crate::model::toleration::Toleration;
use crate::model::{Field, Truth};
use crate::rule::fact::{Fact, FactBuilder};

struct Hint<'g> {
    pool: &'g Arc<NodePool>,
    fact: Fact,
    taints: Vec<Fact>,
}

/// The hints of a cluster.
pub struct Hints<'g>(Vec<Hint<'g>>);

impl<'g> Hints<'g> {
    /// The hints of a cluster, with their facts.
    pub fn new(cluster: &Cluster, gathered: &'g Gathered, comparison_operators: bool) -> Self {
        let commands = cluster.hints.iter().map(|index| &gathered.hints[*index]);
        let beside = cluster.beside.iter().map(|index| &gathered.pools[*index]);
        let hints = commands.chain(beside).map(|placed| {
            let pool = &placed.pool;
            let taints = taint_facts(pool);
            Hint {
                pool,
                fact: pool_fact(pool, &taints, comparison_operators),
                taints,
            }
        });
        Hints(hints.collect())
    }

    /// Pools that commands create or taint, and possible pools of the cluster. Removing taints creates no nodes.
    pub fn pools(&self) -> impl Iterator<Item = (&'g Arc<NodePool>, &Fact)> {
        let hints = self.0.iter().filter(|hint| !hint.taints.is_empty());
        hints.map(|hint| (hint.pool, &hint.fact))
    }

    /// `hinted`: whether a command, or a pool that may belong to the cluster, taints nodes with the entry's key.
    pub fn add_hinted(&self, builder: FactBuilder, entry: &Toleration) -> FactBuilder {
        let Some(key) = entry.key.text() else {
            return builder.unknown("hinted");
        };
        let mut taints = self.0.iter().flat_map(|hint| &hint.pool.taints);
        builder.bool(
            "hinted",
            taints.any(|taint| taint.taint.key.text() == Some(key)),
        )
    }

    /// `matches`: the matches of the pools, plus taints of hints that the entry tolerates. Unknown if none
    /// matches, but a partly unknown taint has its key.
    pub fn add_matches(
        &self,
        builder: FactBuilder,
        matches: impl Iterator<Item = Fact>,
        entry: &Toleration,
        comparison_operators: bool,
    ) -> FactBuilder {
        let mut matches: Vec<Fact> = matches.collect();
        let mut doubt = false;
        for hint in &self.0 {
            for (taint, fact) in hint.pool.taints.iter().zip(&hint.taints) {
                match entry.tolerates(&taint.taint, comparison_operators) {
                    Truth::Yes => matches.push(fact.clone()),
                    Truth::Unknown => doubt |= taint.taint.key == entry.key,
                    Truth::No => {}
                }
            }
        }
        if matches.is_empty() && doubt {
            builder.unknown("matches")
        } else {
            builder.facts("matches", matches)
        }
    }

    /// Marks those taints of a pool as unknown that a command removes from nodes like the pool's own.
    pub fn doubt(&self, pool: &Arc<NodePool>) -> Arc<NodePool> {
        let is_meant = |hint: &NodePool| {
            hint.labels.labels.iter().all(|(key, wanted)| {
                let own = pool.labels.labels.get(key);
                own.is_none_or(|own| own.is_unknown() || wanted.is_unknown() || own == wanted)
            })
        };
        let removes = |taint: &Taint| {
            self.0
                .iter()
                .map(|hint| hint.pool)
                .filter(|hint| is_meant(hint))
                .flat_map(|hint| &hint.removes)
                .any(|removed| {
                    removed.key == taint.key
                        && (removed.effect.is_absent() || removed.effect == taint.effect)
                })
        };
        if !pool.taints.iter().any(|taint| removes(&taint.taint)) {
            return Arc::clone(pool);
        }
        let mut pool = (**pool).clone();
        for taint in &mut pool.taints {
            if removes(&taint.taint) {
                taint.taint.effect = Field::Unknown;
            }
        }
        Arc::new(pool)
    }
}
