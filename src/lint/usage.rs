//! How the whole repository uses taints: the effects that go with each key, and the pools with each label. It bears witness
//! where a workload's own pools do not settle a question.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::assignment::{Assignment, Cluster};
use super::gather::Gathered;
use super::own_list::OwnList;
use super::placed_pool::PlacedPool;
use crate::model::cluster::{Part, environments};
use crate::model::label_keys::{is_managed_label_key, names_pools};
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::placement::{Moment, Placement, Reason, place};
use crate::model::taint::Effect;
use crate::model::toleration::Toleration;
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
    /// For each label, the pools that certainly have it, by index.
    bearers: BTreeMap<(&'g str, &'g str), Vec<usize>>,
    /// The pools that belong to a cluster with a name.
    of_named: BTreeSet<usize>,
    /// For pods and a label, the pools with it that do not keep them out. Each cluster with such pods asks again.
    open_to: Mutex<HashMap<PodShape, ByLabel>>,
    gathered: &'g Gathered,
}

/// Pools for each label, as `key=value`, by index.
type ByLabel = HashMap<String, Arc<Vec<usize>>>;

/// The pools of one cluster, by index.
pub struct OwnPools {
    /// In order.
    pools: Vec<usize>,
    /// Whether the cluster has a name.
    named: bool,
}

impl OwnPools {
    /// The pools of a cluster.
    pub fn of(cluster: &Cluster) -> OwnPools {
        OwnPools {
            pools: cluster.pools.clone(),
            named: cluster.name.is_some(),
        }
    }

    /// Whether the cluster has a name.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Whether a pool that bears a label is in another cluster than those that the pods choose among their own.
    fn is_elsewhere(&self, bearer: usize, chosen: &[usize], usage: &Usage<'_>) -> bool {
        if self.pools.binary_search(&bearer).is_ok() {
            return false;
        }
        if self.named && usage.of_named.contains(&bearer) {
            return true;
        }
        let placed = |at: usize| usage.gathered.pools.get(at);
        let Some(other) = placed(bearer) else {
            return false;
        };
        let named = |placed: &PlacedPool| environments(usage.gathered.scanned_path(placed.source));
        let theirs = named(other);
        let mut own = chosen.iter().filter_map(|at| placed(*self.pools.get(*at)?));
        let differs = |own: &PlacedPool| {
            let by_values = match (&own.pool.variant, &other.pool.variant) {
                (Some(own), Some(other)) => own.name != other.name,
                _ => false,
            };
            let named = named(own);
            by_values || (!named.is_empty() && !theirs.is_empty() && named.is_disjoint(&theirs))
        };
        own.all(differs)
    }
}

impl<'g> Usage<'g> {
    /// Looks through everything that was read.
    pub fn new(gathered: &'g Gathered, assignment: &Assignment) -> Self {
        let clusters = assignment.clusters.iter();
        let named = clusters.filter(|cluster| cluster.name.is_some());
        let mut usage = Usage {
            of_named: named
                .flat_map(|cluster| cluster.pools.iter().copied())
                .collect(),
            gathered,
            taints: BTreeMap::new(),
            open: BTreeSet::new(),
            effects: BTreeSet::new(),
            entries: BTreeMap::new(),
            values: BTreeMap::new(),
            bearers: BTreeMap::new(),
            open_to: Mutex::default(),
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
        for (at, placed) in gathered.pools.iter().enumerate() {
            for (key, value) in &placed.pool.labels.labels {
                if let Some(value) = value.text().filter(|_| is_own(key)) {
                    let bearers = usage.bearers.entry((key, value)).or_default();
                    bearers.push(at);
                }
            }
        }
        for workload in &gathered.workloads {
            if workload.shape.level == Level::Values && workload.list.is_some() {
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

    /// Whether some pool of the repository has a taint with this key, or may have one with an effect that is not known.
    pub fn is_taint_key(&self, key: &Field<String>) -> bool {
        key.text().is_none_or(|key| self.taints.contains_key(key))
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
        list: &OwnList<'_>,
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
            if list.tolerates(&taint.taint) != Truth::No {
                return Vec::new();
            }
            if any_effect.tolerates(&taint.taint, comparison_operators) == Truth::Yes {
                found.push((*pool, *taint));
            }
        }
        found
    }

    /// Whether the pods select pools of their cluster by a label of their owner's: the name of a pool, or a label that no
    /// provider sets, and no pool with that label accepts the pods, unless it is in another cluster. `chosen` holds the
    /// positions of the pools in the cluster and the pools.
    pub fn means(
        &self,
        shape: &PodShape,
        own: &OwnPools,
        chosen: &[(usize, &Arc<NodePool>)],
        comparison_operators: bool,
    ) -> bool {
        let labels = shape.selection.telling_labels();
        let mut telling = labels.iter().filter(|(key, value)| {
            let held = |(_, pool): &(usize, &Arc<NodePool>)| {
                let label = pool.labels.labels.get(**key);
                label.and_then(|label| label.text()) == Some(**value)
            };
            is_own(key) && chosen.iter().all(held)
        });
        let positions: Vec<usize> = chosen.iter().map(|(at, _)| *at).collect();
        telling.any(|(key, value)| {
            let open = self.open_to(shape, (*key, *value), comparison_operators);
            open.iter()
                .all(|at| own.is_elsewhere(*at, &positions, self))
        })
    }

    /// The pools with a label that do not keep the pods out by a taint or another label.
    fn open_to(
        &self,
        shape: &PodShape,
        label: (&str, &str),
        comparison_operators: bool,
    ) -> Arc<Vec<usize>> {
        let Some(bearers) = self.bearers.get(&label) else {
            return Arc::default();
        };
        let label = format!("{}={}", label.0, label.1);
        // The map is valid even after a panic in another thread, because it only grows.
        let known = || self.open_to.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = known().get(shape).and_then(|labels| labels.get(&label)) {
            return Arc::clone(open);
        }
        let tolerations = shape.all_tolerations();
        let candidate = shape.candidate(&tolerations);
        let is_open = |at: &usize| {
            self.gathered.pools.get(*at).is_some_and(|placed| {
                let pool = &placed.pool;
                let placement = place(&candidate, pool, Moment::Lasting, comparison_operators);
                !matches!(
                    placement,
                    Placement::Refused(Reason::Taint(_) | Reason::Affinity)
                )
            })
        };
        let open: Arc<Vec<usize>> = Arc::new(bearers.iter().copied().filter(is_open).collect());
        let mut known = known();
        let labels = known.entry(shape.clone()).or_default();
        labels.insert(label, Arc::clone(&open));
        open
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
        let placed = own.into_iter().flatten();
        for placed in placed.filter_map(|at| self.gathered.pools.get(*at)) {
            let placement = place(
                &candidate,
                &placed.pool,
                Moment::Lasting,
                comparison_operators,
            );
            let Placement::Refused(Reason::Taint(taint)) = placement else {
                return Vec::new();
            };
            let other = self.gathered.scanned_path(placed.source);
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
