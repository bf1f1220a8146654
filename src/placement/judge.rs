//! Judges pods on the pools of either side of a change.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::effects::{Outlook, Seat, Side, outlook, shift};
use super::stand::{Stand, Surveys, of_side};
use crate::finding::{Effect, Stay};
use crate::lint::Shift;
use crate::model::node_pool::NodePool;
use crate::model::placement::Moment;
use crate::model::workload::PodShape;

/// What is said of an object before its cause is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) effect: Effect,
    pub(super) stay: Option<Stay>,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) decisive: Vec<String>,
}

impl Judged {
    fn of(outlook: &Outlook<'_>) -> Judged {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
        Judged {
            effect: outlook.effect,
            stay: outlook.stay,
            before: names(&outlook.before),
            after: names(&outlook.after),
            decisive: names(&outlook.decisive),
        }
    }
}

/// The pods of a workload on one side, as a key.
pub(super) type Pods<'w> = Option<(&'w PodShape, bool)>;

/// Judges pods on the pools of either side.
pub(super) struct Judge<'s> {
    pub(super) surveys: Surveys<'s>,
    pub(super) complete: (bool, bool),
    pub(super) stands: (Vec<Stand<'s>>, Vec<Stand<'s>>),
}

impl<'s> Judge<'s> {
    fn seats(&'s self, is_after: bool, shape: &PodShape) -> Vec<Seat<'s>> {
        let stands = of_side(&self.stands, is_after);
        let survey = of_side(&self.surveys, is_after);
        let tolerations = shape.all_tolerations();
        let gate = survey.comparison_operators;
        let judged = stands.iter();
        judged
            .map(|stand| stand.judge(shape, &tolerations, gate).1)
            .collect()
    }

    pub(super) fn outlook(&self, before: Pods<'_>, after: Pods<'_>) -> Option<Judged> {
        self.between((before, false), (after, true))
    }

    /// What it does to pods to change, on the pools after.
    pub(super) fn outlook_after(&self, before: Pods<'_>, after: Pods<'_>) -> Option<Judged> {
        self.between((before, true), (after, true))
    }

    fn between(
        &self,
        (before, before_pools): (Pods<'_>, bool),
        (after, after_pools): (Pods<'_>, bool),
    ) -> Option<Judged> {
        let seats = |pods: Pods<'_>, is_after: bool| {
            pods.map_or(Vec::new(), |(shape, _)| self.seats(is_after, shape))
        };
        let tolerations =
            |pods: Pods<'_>| pods.map_or(Vec::new(), |(shape, _)| shape.all_tolerations());
        let (old, new) = (seats(before, before_pools), seats(after, after_pools));
        let (own, other) = (tolerations(before), tolerations(after));
        let known = |shape: &PodShape, complete: bool| {
            complete || !shape.selection.telling_labels().is_empty()
        };
        let one = before.map(|(shape, rejected)| Side {
            seats: &old,
            tolerations: &own,
            refused: rejected || shape.refused.is_some(),
            pools_known: known(shape, self.complete.0),
        });
        let another = after.map(|(shape, rejected)| Side {
            seats: &new,
            tolerations: &other,
            refused: rejected || shape.refused.is_some(),
            pools_known: known(shape, self.complete.1),
        });
        outlook(one.as_ref(), another.as_ref()).map(|outlook| Judged::of(&outlook))
    }

    /// Where pods could run and can run. `None` if they are new.
    pub(super) fn shift(&self, before: Pods<'_>, (shape, rejected): (&PodShape, bool)) -> Shift {
        let old = before.map_or(Vec::new(), |(shape, _)| self.seats(false, shape));
        let new = self.seats(true, shape);
        let earlier = before.map(|(shape, rejected)| Side {
            seats: &old,
            tolerations: &[],
            refused: rejected || shape.refused.is_some(),
            pools_known: true,
        });
        let later = Side {
            seats: &new,
            tolerations: &[],
            refused: rejected || shape.refused.is_some(),
            pools_known: true,
        };
        shift(earlier.as_ref(), &later)
    }

    pub(super) fn lands(&self, is_after: bool, shape: &PodShape) -> Vec<String> {
        let seats = self.seats(is_after, shape).into_iter();
        let open = seats.filter(|seat| seat.verdict.is_open());
        let names: BTreeSet<String> = open.map(|seat| seat.pool.to_owned()).collect();
        names.into_iter().collect()
    }

    pub(super) fn lands_on(&self, is_after: bool, shape: &PodShape, pool: &str) -> bool {
        let stands = of_side(&self.stands, is_after);
        let survey = of_side(&self.surveys, is_after);
        let tolerations = shape.all_tolerations();
        let gate = survey.comparison_operators;
        let mut meant = stands.iter().filter(|stand| stand.pool.name == pool);
        meant.any(|stand| stand.judge(shape, &tolerations, gate).1.verdict.is_open())
    }
}

/// The pools of a side with their taints that last.
pub(super) fn stands(pools: &[Arc<NodePool>]) -> Vec<Stand<'_>> {
    let stand = |pool| Stand::new(pool, Moment::Lasting);
    pools.iter().map(stand).collect()
}
