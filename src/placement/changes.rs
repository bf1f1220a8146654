//! Changes on node pools that somebody asks about, applied to copies of the pools.

use std::sync::Arc;

use super::change::Change;
use crate::lint::{Survey, SurveyedCluster};
use crate::model::Field;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::placement::Moment;
use crate::model::taint::{Effect, Taint};

/// A pool of a cluster after the changes.
#[derive(Clone, Debug)]
pub(super) struct PoolAfter {
    pub(super) pool: Arc<NodePool>,
    /// The index of the pool before, unless it is added.
    pub(super) from: Option<usize>,
    /// Whether it differs.
    pub(super) touched: bool,
    /// Whether a change cordons it.
    cordoned: bool,
}

impl PoolAfter {
    fn unchanged((at, pool): (usize, &Arc<NodePool>)) -> PoolAfter {
        PoolAfter {
            pool: Arc::clone(pool),
            from: Some(at),
            touched: false,
            cordoned: false,
        }
    }

    /// What keeps pods away. Of a changed pool, that is all that it has: taints that come and go are asked for, too.
    pub(super) fn moment(&self) -> Moment {
        match self.touched && (self.cordoned || !self.pool.unschedulable) {
            true => Moment::Now,
            false => Moment::Lasting,
        }
    }

    /// The pool to change, without the taints that do not last.
    fn edited(&mut self) -> &mut NodePool {
        if !self.touched {
            self.touched = true;
            let mut pool = (*self.pool).clone();
            pool.taints = pool
                .lasting_taints()
                .map(|(_, taint)| taint.clone())
                .collect();
            self.pool = Arc::new(pool);
        }
        Arc::make_mut(&mut self.pool)
    }

    /// Removes taints and returns whether there may have been one.
    fn untaint(&mut self, key: &str, effect: Option<Effect>) -> bool {
        let meant = |taint: &PoolTaint| {
            let own = taint.taint.effect.text();
            taint.taint.key.text() == Some(key)
                && effect.is_none_or(|effect| own.is_none_or(|own| own == effect.as_str()))
        };
        let may = self.pool.may_have_unknown_taint(Some(key));
        if !may && !self.pool.taints.iter().any(meant) {
            return false;
        }
        let pool = self.edited();
        pool.taints.retain(|taint| !meant(taint));
        if effect.is_none()
            && let Some(open) = &mut pool.open_keys
        {
            open.remove(key);
        }
        true
    }

    /// Adds a taint and returns whether it was not there.
    fn taint(&mut self, taint: &Taint) -> bool {
        if self.pool.taints.iter().any(|own| own.taint == *taint) && !self.touched {
            // A taint with a key that comes and goes does not keep pods away until somebody asks.
            let mut lasting = self.pool.lasting_taints();
            if lasting.any(|(_, own)| own.taint == *taint) {
                return false;
            }
        }
        let pool = self.edited();
        pool.taints
            .retain(|own| own.taint.key != taint.key || own.taint.effect != taint.effect);
        pool.taints.push(PoolTaint {
            taint: taint.clone(),
            ..PoolTaint::default()
        });
        true
    }

    fn label(&mut self, key: &str, value: &str) -> bool {
        let wanted = Field::Is(value.to_owned());
        if self.pool.labels.labels.get(key) == Some(&wanted) {
            return false;
        }
        let labels = &mut self.edited().labels;
        labels.labels.insert(key.to_owned(), wanted);
        labels
            .requirements
            .retain(|one| one.key.text() != Some(key));
        true
    }

    fn cordon(&mut self) -> bool {
        let fresh = !self.pool.unschedulable;
        self.edited().unschedulable = true;
        self.cordoned = true;
        fresh
    }
}

/// The pools of each cluster of a survey after changes.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// In the order of the survey's clusters.
    pub(super) clusters: Vec<Vec<PoolAfter>>,
    /// The changes in words, in the order in which they were applied.
    pub(super) words: Vec<String>,
    /// What may not be meant, in words: changes that change nothing, and pools with the name of another.
    pub warnings: Vec<String>,
}

/// Why changes cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// There is no such pool.
    NoPool {
        /// The name.
        asked: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// Another reason, in words.
    Other(String),
}

impl Applied {
    /// Applies changes to copies of the pools of a survey, kind by kind.
    ///
    /// # Errors
    /// Returns an error if a change names a pool or cluster that is not there.
    pub fn new(survey: &Survey<'_>, changes: &[Change]) -> Result<Applied, ChangeError> {
        let pools = |cluster: &SurveyedCluster| {
            let pools = cluster.pools.iter().enumerate();
            pools.map(PoolAfter::unchanged).collect()
        };
        let mut applied = Applied {
            clusters: survey.clusters.iter().map(pools).collect(),
            ..Applied::default()
        };
        let mut ordered: Vec<&Change> = changes.iter().collect();
        ordered.sort_by_key(|change| change.rank());
        for change in ordered {
            applied.apply(survey, change)?;
        }
        Ok(applied)
    }

    fn apply(&mut self, survey: &Survey<'_>, change: &Change) -> Result<(), ChangeError> {
        match change {
            Change::Remove { pool } => {
                let found = self.find(survey, pool)?;
                for (at, name) in found.clusters.iter().zip(&found.names) {
                    if let Some(pools) = self.clusters.get_mut(*at) {
                        pools.retain(|one| one.pool.name != *name);
                    }
                }
                self.say(survey, format!("remove pool {pool}"), &found.clusters);
            }
            Change::Add {
                from,
                cluster,
                pools,
            } => self.add(survey, from, cluster.as_deref(), pools)?,
            Change::Untaint { pool, key, effect } => {
                let effect_word = effect
                    .map(|effect| format!(":{effect}"))
                    .unwrap_or_default();
                let what = format!("{key}{effect_word}");
                self.each(
                    survey,
                    pool,
                    format!("remove the taint {what} from pool {pool}"),
                    format!("pool {pool} has no taint {what}"),
                    |one| one.untaint(key, *effect),
                )?;
            }
            Change::Taint { pool, taint } => self.each(
                survey,
                pool,
                format!("taint pool {pool} with {taint}"),
                format!("pool {pool} already has the taint {taint}"),
                |one| one.taint(taint),
            )?,
            Change::Label { pool, key, value } => self.each(
                survey,
                pool,
                format!("label pool {pool} with {key}={value}"),
                format!("pool {pool} already has the label {key}={value}"),
                |one| one.label(key, value),
            )?,
            Change::Cordon { pool } => self.each(
                survey,
                pool,
                format!("cordon pool {pool}"),
                format!("pool {pool} is already cordoned"),
                PoolAfter::cordon,
            )?,
        }
        Ok(())
    }

    /// Changes each pool with a name.
    fn each(
        &mut self,
        survey: &Survey<'_>,
        asked: &str,
        words: String,
        idle: String,
        mut change: impl FnMut(&mut PoolAfter) -> bool,
    ) -> Result<(), ChangeError> {
        let found = self.find(survey, asked)?;
        let mut changed = false;
        for (at, name) in found.clusters.iter().zip(&found.names) {
            let pools = self.clusters.get_mut(*at).into_iter().flatten();
            for pool in pools.filter(|one| one.pool.name == *name) {
                changed |= change(pool);
            }
        }
        if !changed {
            self.warnings.push(idle);
        }
        self.say(survey, words, &found.clusters);
        Ok(())
    }

    fn add(
        &mut self,
        survey: &Survey<'_>,
        from: &str,
        cluster: Option<&str>,
        pools: &[NodePool],
    ) -> Result<(), ChangeError> {
        if survey.clusters.is_empty() {
            let why = "nothing was read that could run on a new pool";
            return Err(ChangeError::Other(why.to_owned()));
        }
        for pool in pools {
            let own = pool.cluster.as_deref();
            let own = own.filter(|name| survey.clusters.iter().any(|one| one.name == *name));
            let wanted = cluster.or(own);
            let is_wanted = |one: &SurveyedCluster| wanted.is_none_or(|wanted| wanted == one.name);
            let mut into = Vec::new();
            let places = survey.clusters.iter().zip(&mut self.clusters);
            for (at, (one, after)) in (0..).zip(places).filter(|(_, (one, _))| is_wanted(one)) {
                into.push(at);
                if after.iter().any(|known| known.pool.name == pool.name) {
                    let (name, cluster) = (&pool.name, &one.name);
                    self.warnings.push(format!(
                        "cluster {cluster} already has a pool {name}; with --remove-pool {name}, the new one replaces it"
                    ));
                }
                after.push(PoolAfter {
                    pool: Arc::new(pool.clone()),
                    from: None,
                    touched: true,
                    cordoned: false,
                });
            }
            let words = format!("add pool {} from {from}", pool.name);
            self.say(survey, words, &into);
        }
        Ok(())
    }

    fn say(&mut self, survey: &Survey<'_>, words: String, clusters: &[usize]) {
        let names = clusters.iter().filter_map(|at| survey.clusters.get(*at));
        let names: Vec<&str> = names.map(|cluster| cluster.name.as_str()).collect();
        let what = match names.as_slice() {
            [_] => "cluster",
            _ => "clusters",
        };
        self.words
            .push(format!("{words} ({what} {})", names.join(", ")));
    }

    /// The clusters with a pool that is meant by `POOL` or `CLUSTER/POOL`, and its own name in each.
    fn find(&self, survey: &Survey<'_>, asked: &str) -> Result<Meant, ChangeError> {
        let mut meant = Meant::default();
        let places = || (0..).zip(survey.clusters.iter().zip(&self.clusters));
        for (at, (_, pools)) in places() {
            if pools.iter().any(|one| one.pool.name == asked) {
                meant.clusters.push(at);
                meant.names.push(asked.to_owned());
            }
        }
        if meant.clusters.is_empty() {
            for (at, (cluster, pools)) in places() {
                let rest = asked.strip_prefix(cluster.name.as_str());
                let Some(name) = rest.and_then(|rest| rest.strip_prefix('/')) else {
                    continue;
                };
                if pools.iter().any(|one| one.pool.name == name) {
                    meant.clusters.push(at);
                    meant.names.push(name.to_owned());
                }
            }
        }
        if !meant.clusters.is_empty() {
            return Ok(meant);
        }
        let mut names: Vec<String> = Vec::new();
        for (_, (cluster, pools)) in places() {
            for one in pools {
                let name = &one.pool.name;
                // With a cluster, the question is which of its pools is meant.
                names.push(match asked.contains('/') {
                    true => format!("{}/{name}", cluster.name),
                    false => name.clone(),
                });
            }
        }
        names.sort();
        names.dedup();
        Err(ChangeError::NoPool {
            asked: asked.to_owned(),
            names,
        })
    }
}

/// The pools that a name means: clusters, and the pool's own name in each.
#[derive(Default)]
struct Meant {
    clusters: Vec<usize>,
    names: Vec<String>,
}
