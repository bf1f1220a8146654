//! How the whole repository uses taints: the effects that go with each key, and the pools with each label. It bears witness
//! where a workload's own pools do not settle a question.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::gather::{Gathered, PlacedPool};
use crate::model::cluster::{Part, environments};
use crate::model::label_keys::{is_managed_label_key, names_pools};
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::taint::Effect;
use crate::model::toleration::{Toleration, tolerate};
use crate::model::well_known::is_transient_key;
use crate::model::workload::{Level, PodShape, Workload};
use crate::model::{Field, Truth};
use crate::source::SourceId;

/// More taints with one key than this say nothing more about it.
const ENOUGH: usize = 64;

/// The taints and tolerations of all files.
pub struct Usage<'g> {
    /// For each key, taints of pools that are permanent.
    taints: BTreeMap<&'g str, Vec<(&'g Arc<NodePool>, &'g PoolTaint)>>,
    /// The keys with an effect that could not be read, and the effects of each key, in any taint at all.
    open: BTreeSet<&'g str>,
    effects: BTreeSet<(&'g str, Effect)>,
    /// The files that tolerate a key with an effect, at most two of them.
    entries: BTreeMap<(&'g str, &'g str), BTreeSet<SourceId>>,
    /// For each path to a list in the values of a chart, the files.
    values: BTreeMap<&'g str, BTreeSet<&'g str>>,
    /// For each label, the pools that certainly have it.
    bearers: BTreeMap<(&'g str, &'g str), Vec<&'g PlacedPool>>,
}

impl<'g> Usage<'g> {
    /// Looks through everything that was read.
    pub fn new(gathered: &'g Gathered) -> Self {
        let mut usage = Usage {
            taints: BTreeMap::new(),
            open: BTreeSet::new(),
            effects: BTreeSet::new(),
            entries: BTreeMap::new(),
            values: BTreeMap::new(),
            bearers: BTreeMap::new(),
        };
        for placed in gathered.pools.iter().chain(&gathered.hints) {
            for taint in &placed.pool.taints {
                let Some(key) = taint.taint.key.text() else {
                    continue;
                };
                match taint.taint.effect() {
                    Some(effect) => _ = usage.effects.insert((key, effect)),
                    None => _ = usage.open.insert(key),
                }
                let lasts = taint.origin != Origin::Startup && !is_transient_key(key);
                let known = usage.taints.entry(key).or_default();
                if lasts && !placed.pool.weak && known.len() < ENOUGH {
                    known.push((&placed.pool, taint));
                }
            }
        }
        for placed in &gathered.pools {
            for (key, value) in &placed.pool.labels.labels {
                if let Some(value) = value.text().filter(|_| is_own(key)) {
                    let bearers = usage.bearers.entry((key, value)).or_default();
                    bearers.push(placed);
                }
            }
        }
        for workload in &gathered.workloads {
            if workload.shape.level == Level::Values {
                let files = usage.values.entry(&workload.path).or_default();
                files.insert(gathered.scanned_path(workload.source));
            }
            let entries = workload.shape.tolerations.iter();
            for (entry, located) in entries.zip(&workload.located) {
                let (Some(key), Some(effect)) = (entry.key.text(), entry.effect.text()) else {
                    continue;
                };
                let files = usage.entries.entry((key, effect)).or_default();
                if files.len() < 2 {
                    files.insert(located.entry.source);
                }
            }
        }
        usage
    }

    /// Whether other values near this list, in the folder above or below it, may replace it: they have a list at the same
    /// path.
    pub fn is_layered(&self, workload: &Workload, path: &str) -> bool {
        let files = self.values.get(workload.path.as_str());
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let mut near = files.into_iter().flat_map(|files| files.range(above..));
        let mut near = near
            .by_ref()
            .take_while(|file| file.starts_with(above))
            .take(ENOUGH);
        workload.shape.level == Level::Values && near.any(|file| *file != path)
    }

    /// Whether this entry alone, in one file of the repository, combines its key with its effect: no taint does, and no other
    /// toleration.
    pub fn is_alone(&self, entry: &Toleration) -> bool {
        let (Some(key), Some(effect)) = (entry.key.text(), entry.effect.text()) else {
            return false;
        };
        let Some(parsed) = Effect::parse(effect).filter(|_| !key.is_empty()) else {
            return false;
        };
        let files = self.entries.get(&(key, effect)).map_or(0, BTreeSet::len);
        files < 2 && !self.open.contains(key) && !self.effects.contains(&(key, parsed))
    }

    /// The permanent taints of all files that the entry would match if its effect were another, and that nothing else in
    /// the list tolerates. Empty if one of them is tolerated, or may be.
    pub fn of_other_effects(
        &self,
        list: &[Toleration],
        entry: &Toleration,
        comparison_operators: bool,
    ) -> Vec<(&'g Arc<NodePool>, &'g PoolTaint)> {
        let key = entry.key.text().filter(|key| !key.is_empty());
        let taints = key.and_then(|key| self.taints.get(key));
        let mut found = Vec::new();
        let any_effect = Toleration {
            effect: Field::Absent,
            ..entry.clone()
        };
        for (pool, taint) in taints.into_iter().flatten() {
            if tolerate(list, &taint.taint, comparison_operators) != Truth::No {
                return Vec::new();
            }
            if any_effect.tolerates(&taint.taint, comparison_operators) == Truth::Yes {
                found.push((*pool, *taint));
            }
        }
        found
    }

    /// Whether the pods select these pools by a label of their owner's: the name of a pool, or a label that no provider
    /// sets, and no pool of the repository with that label accepts the pods.
    pub fn means(
        &self,
        shape: &PodShape,
        selected: &[&Arc<NodePool>],
        comparison_operators: bool,
    ) -> bool {
        let tolerations = shape.all_tolerations();
        let candidate = shape.candidate(&tolerations);
        let labels = shape.selection.telling_labels();
        let mut own = labels.iter().filter(|(key, value)| {
            let held = |pool: &&Arc<NodePool>| {
                let label = pool.labels.labels.get(**key);
                label.and_then(|label| label.text()) == Some(**value)
            };
            is_own(key) && selected.iter().all(held)
        });
        own.any(|(key, value)| {
            let bearers = self.bearers.get(&(*key, *value));
            let mut bearers = bearers.into_iter().flatten();
            bearers.all(|placed| {
                let pool = &placed.pool;
                let placement = place(&candidate, pool, Moment::Lasting, comparison_operators);
                matches!(
                    placement,
                    Placement::Refused(Reason::Taint(_) | Reason::Affinity)
                )
            })
        })
    }
}

impl<'g> Usage<'g> {
    /// The pools that pods select by a label of their owner's, each with the index of a taint that they do not tolerate, if
    /// all pools of the repository with this label keep them out. Only pools of the part that `path` belongs to are
    /// returned.
    pub fn kept_out(
        &self,
        shape: &PodShape,
        path: &str,
        gathered: &Gathered,
        comparison_operators: bool,
    ) -> Vec<(&'g Arc<NodePool>, usize)> {
        if !shape.node_name.is_absent() {
            return Vec::new();
        }
        let labels = shape.selection.telling_labels();
        let own = labels.into_iter().find_map(|(key, value)| {
            let bearers = self.bearers.get(&(key, value));
            bearers.filter(|bearers| bearers.len() <= ENOUGH)
        });
        let (part, named) = (Part::of(path).without_environments(), environments(path));
        let tolerations = shape.all_tolerations();
        let candidate = shape.candidate(&tolerations);
        let mut found = Vec::new();
        for placed in own.into_iter().flatten() {
            let placement = place(
                &candidate,
                &placed.pool,
                Moment::Lasting,
                comparison_operators,
            );
            let Placement::Refused(Reason::Taint(taint)) = placement else {
                return Vec::new();
            };
            let other = gathered.scanned_path(placed.source);
            let theirs = environments(other);
            let agree = named.is_empty() || theirs.is_empty() || !named.is_disjoint(&theirs);
            if agree && Part::of(other).without_environments() == part {
                found.push((&placed.pool, taint));
            }
        }
        found
    }
}

/// Whether a label belongs to the owner of the pool: it is the pool's name, or no provider sets it.
fn is_own(key: &str) -> bool {
    names_pools(key) || !is_managed_label_key(key)
}
