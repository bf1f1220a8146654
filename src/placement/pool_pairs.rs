//! The pools of one cluster before and after a change, and what is different about them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pairs::Pair;
use super::stand::{Surveys, of_side};
use super::{pairs, pool_changes};
use crate::finding::{PoolChange, PoolDifference};
use crate::lint::{PoolSides, Renames, SurveyedCluster};
use crate::model::node_pool::NodePool;

/// The cluster on each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterSides<'s> {
    pub(super) before: Option<&'s SurveyedCluster>,
    pub(super) after: Option<&'s SurveyedCluster>,
}

/// The files that cannot be read, on each side.
pub(super) type Broken<'s> = &'s (BTreeSet<&'s str>, BTreeSet<&'s str>);

/// The pools of a cluster on both sides.
pub(super) struct PoolPairs<'s> {
    surveys: Surveys<'s>,
    sides: ClusterSides<'s>,
    renames: &'s Renames,
    pub(super) broken: Broken<'s>,
    /// The pools on each side. One that is missing because its file cannot be read is there, with nothing known.
    pub(super) both: (Vec<Arc<NodePool>>, Vec<Arc<NodePool>>),
    /// What is different.
    pub(super) differences: Vec<PoolDifference>,
    /// The pools that differ.
    pub(super) changed: Vec<PoolSides>,
    /// The same, and those that cannot be read on one side, as indices into `both`.
    pub(super) unlike: Vec<Pair<usize>>,
}

impl<'s> PoolPairs<'s> {
    /// Pairs pools by name.
    pub(super) fn new(
        surveys: Surveys<'s>,
        sides: ClusterSides<'s>,
        renames: &'s Renames,
        broken: Broken<'s>,
    ) -> PoolPairs<'s> {
        let mut pairs = PoolPairs {
            surveys,
            sides,
            renames,
            broken,
            both: (Vec::new(), Vec::new()),
            differences: Vec::new(),
            changed: Vec::new(),
            unlike: Vec::new(),
        };
        pairs.pair();
        pairs
    }

    fn pair(&mut self) {
        let of = |side: Option<&'s SurveyedCluster>| side.map_or(&[][..], |one| &one.pools);
        let (before, after) = (of(self.sides.before), of(self.sides.after));
        let names = |pools: &'s [Arc<NodePool>]| -> Vec<&'s str> {
            pools.iter().map(|pool| pool.name.as_str()).collect()
        };
        self.both = (before.to_vec(), after.to_vec());
        for pair in pairs::by_name(&names(before), &names(after)) {
            let old = pair.before.and_then(|at| before.get(at));
            let new = pair.after.and_then(|at| after.get(at));
            match (old, new) {
                (Some(old), Some(new)) => {
                    if !pool_changes::is_same(old, new) {
                        self.unlike.push(pair);
                        self.changed
                            .push((Some(Arc::clone(old)), Some(Arc::clone(new))));
                    }
                    for (change, message) in pool_changes::compare(old, new) {
                        self.add_difference(new, true, change, message);
                    }
                }
                (Some(old), None) if self.is_lost(old, false) => {
                    let after = Some(self.both.1.len());
                    self.both.1.push(Arc::new(hidden(old)));
                    self.unlike.push(Pair { after, ..pair });
                }
                (Some(old), None) => {
                    self.unlike.push(pair);
                    if self.sides.after.is_some() {
                        self.changed.push((Some(Arc::clone(old)), None));
                        let message = pool_changes::said(old, PoolChange::Removed);
                        self.add_difference(old, false, PoolChange::Removed, message);
                    }
                }
                (None, Some(new)) if self.is_lost(new, true) => {
                    let before = Some(self.both.0.len());
                    self.both.0.push(Arc::new(hidden(new)));
                    self.unlike.push(Pair { before, ..pair });
                }
                (None, Some(new)) => {
                    self.unlike.push(pair);
                    self.changed.push((None, Some(Arc::clone(new))));
                    if self.sides.before.is_some() {
                        let message = pool_changes::said(new, PoolChange::Added);
                        self.add_difference(new, true, PoolChange::Added, message);
                    }
                }
                (None, None) => {}
            }
        }
    }

    /// Whether pods find the same on both sides.
    pub(super) fn is_same(&self) -> bool {
        self.unlike.is_empty()
    }

    /// Whether a pool is missing on the other side because its file cannot be read there.
    fn is_lost(&self, pool: &NodePool, is_after: bool) -> bool {
        let Some(span) = pool.span.or(pool.name_span) else {
            return false;
        };
        match is_after {
            true => self.broken.0.contains(self.surveys.1.path(span.source)),
            false => {
                let path = self.surveys.0.path(span.source);
                self.broken.1.contains(self.renames.file(path))
            }
        }
    }

    fn add_difference(
        &mut self,
        pool: &NodePool,
        is_after: bool,
        change: PoolChange,
        message: String,
    ) {
        let survey = of_side(&self.surveys, is_after);
        let shown = self.sides.after.or(self.sides.before);
        let mut spans = pool.taints.iter().filter_map(|taint| taint.span);
        let of_taint = spans.next().filter(|_| change == PoolChange::Taints);
        let span = of_taint.or(pool.name_span).or(pool.span);
        self.differences.push(PoolDifference {
            pool: pool.name.clone(),
            cluster: shown.map_or_else(String::new, |one| one.name.clone()),
            change,
            message,
            place: span.and_then(|span| survey.place(span)),
        });
    }
}

/// A pool of which only the name is known.
fn hidden(pool: &NodePool) -> NodePool {
    let mut hidden = pool.clone();
    hidden.taints.clear();
    hidden.labels = Default::default();
    hidden.open_labels = true;
    hidden.doubt("its file cannot be read");
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_that_cannot_be_read_keep_nobody_out_and_let_nobody_in() {
        let pool = NodePool {
            name: "gpu".to_owned(),
            complete: true,
            ..NodePool::default()
        };
        let hidden = hidden(&pool);
        assert!(!hidden.complete && hidden.open_labels);
        assert!(hidden.may_have_unknown_taint(Some("any")));
    }
}
