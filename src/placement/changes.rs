//! Changes on node pools that somebody asks about, applied to copies of the pools.

use std::sync::Arc;

use crate::lint::{Survey, SurveyedCluster};
use crate::model::Field;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::placement::Moment;
use crate::model::taint::{Effect, Taint, TaintSyntaxError};
use crate::model::validation::{is_label_key, is_label_value};

/// A change. Pools are named as `POOL` or `CLUSTER/POOL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Remove a pool.
    Remove {
        /// The pool.
        pool: String,
    },
    /// Add pools.
    Add {
        /// Where they come from, for people.
        from: String,
        /// The cluster, or every cluster that the pools may belong to.
        cluster: Option<String>,
        /// The pools.
        pools: Vec<NodePool>,
    },
    /// Remove the taints with a key.
    Untaint {
        /// The pool.
        pool: String,
        /// The key.
        key: String,
        /// Only those with this effect.
        effect: Option<Effect>,
    },
    /// Add a taint, in place of one with the same key and effect.
    Taint {
        /// The pool.
        pool: String,
        /// The taint.
        taint: Taint,
    },
    /// Set a label.
    Label {
        /// The pool.
        pool: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// Make the nodes unschedulable.
    Cordon {
        /// The pool.
        pool: String,
    },
}

impl Change {
    /// Reads `POOL=key=value:Effect` or `POOL=key:Effect`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn taint(text: &str) -> Result<Change, String> {
        let (pool, taint) = of_pool(text, "POOL=key=value:Effect")?;
        let taint = Taint::parse_flag(taint).map_err(|why: TaintSyntaxError| why.to_string())?;
        Ok(Change::Taint { pool, taint })
    }

    /// Reads `POOL=key` or `POOL=key:Effect`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn untaint(text: &str) -> Result<Change, String> {
        let (pool, taint) = of_pool(text, "POOL=key or POOL=key:Effect")?;
        let (key, effect) = match taint.split_once(':') {
            None => (taint, None),
            Some((key, effect)) => {
                let parsed = Effect::parse(effect).ok_or_else(|| {
                    let effect = effect.to_owned();
                    TaintSyntaxError::UnknownEffect { effect }.to_string()
                })?;
                (key, Some(parsed))
            }
        };
        let key = label_key(key)?;
        Ok(Change::Untaint { pool, key, effect })
    }

    /// Reads `POOL=key=value`.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn label(text: &str) -> Result<Change, String> {
        const FORM: &str = "POOL=key=value";
        let (pool, label) = of_pool(text, FORM)?;
        let Some((key, value)) = label.split_once('=') else {
            return Err(format!("a label has a value: write {FORM}"));
        };
        is_label_value(value).map_err(|why| format!("the value `{value}` is not valid: {why}"))?;
        Ok(Change::Label {
            pool,
            key: label_key(key)?,
            value: value.to_owned(),
        })
    }

    /// The place of its kind in the order in which changes are applied: what is added can be changed, and a taint with
    /// another value can take the place of one that is removed.
    fn rank(&self) -> u8 {
        match self {
            Change::Remove { .. } => 0,
            Change::Add { .. } => 1,
            Change::Untaint { .. } => 2,
            Change::Taint { .. } => 3,
            Change::Label { .. } => 4,
            Change::Cordon { .. } => 5,
        }
    }
}

fn of_pool<'t>(text: &'t str, form: &str) -> Result<(String, &'t str), String> {
    match text.split_once('=') {
        Some((pool, rest)) if !pool.is_empty() => Ok((pool.to_owned(), rest)),
        _ => Err(format!("it names no pool: write {form}")),
    }
}

fn label_key(key: &str) -> Result<String, String> {
    is_label_key(key).map_err(|why| format!("the key `{key}` is not valid: {why}"))?;
    Ok(key.to_owned())
}

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
    pub fn new(survey: &Survey, changes: &[Change]) -> Result<Applied, ChangeError> {
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

    fn apply(&mut self, survey: &Survey, change: &Change) -> Result<(), ChangeError> {
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
        survey: &Survey,
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
        survey: &Survey,
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

    fn say(&mut self, survey: &Survey, words: String, clusters: &[usize]) {
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
    fn find(&self, survey: &Survey, asked: &str) -> Result<Meant, ChangeError> {
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
