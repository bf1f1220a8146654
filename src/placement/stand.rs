//! A node pool on one side of a comparison, and what pods find there.

use std::sync::Arc;

use super::effects::Seat;
use super::judgement::{Outcome, outcome_at, stay};
use crate::finding::Verdict;
use crate::lint::Survey;
use crate::model::Truth;
use crate::model::node_pool::NodePool;
use crate::model::placement::Moment;
use crate::model::taint::Taint;
use crate::model::toleration::Toleration;
use crate::model::workload::PodShape;

/// The sides of a comparison.
pub(super) type Surveys<'s> = (&'s Survey<'s>, &'s Survey<'s>);

/// What belongs to the side after a change, or to the one before.
pub(super) fn of_side<T>(both: &(T, T), is_after: bool) -> &T {
    match is_after {
        true => &both.1,
        false => &both.0,
    }
}

/// A pool on one side of a comparison.
#[derive(Debug)]
pub(super) struct Stand<'s> {
    pub(super) pool: &'s Arc<NodePool>,
    moment: Moment,
    /// The taints that evict.
    pub(super) taints: Vec<Taint>,
}

impl<'s> Stand<'s> {
    pub(super) fn new(pool: &'s Arc<NodePool>, moment: Moment) -> Stand<'s> {
        let counted: Vec<&Taint> = match moment {
            Moment::Now => pool.taints.iter().map(|own| &own.taint).collect(),
            Moment::Lasting => pool.lasting_taints().map(|(_, own)| &own.taint).collect(),
        };
        Stand {
            pool,
            moment,
            taints: counted.into_iter().cloned().collect(),
        }
    }

    /// Judges pods of a shape on its nodes. `tolerations` are all those of the pods.
    pub(super) fn judge(
        &self,
        shape: &PodShape,
        tolerations: &[Toleration],
        gate: bool,
    ) -> (Outcome, Seat<'s>) {
        let pool = self.pool;
        let outcome = outcome_at(self.moment, shape, tolerations, pool, gate);
        // A taint hides whether the pool is selected.
        let selected = match outcome.verdict {
            Verdict::NotSelected => Truth::No,
            Verdict::Lands | Verdict::PrefersNot => Truth::Yes,
            Verdict::KeptOut | Verdict::Unknown if shape.gets_none_of(pool) => Truth::No,
            Verdict::KeptOut | Verdict::Unknown => {
                shape.selection.selects(&pool.labels, pool.node_name())
            }
        };
        let seat = Seat {
            pool: &pool.name,
            verdict: outcome.verdict,
            selected,
            stay: stay(shape, &self.taints, gate),
        };
        (outcome, seat)
    }
}
