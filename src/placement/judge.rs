//! Judges pods on the pools of either side of a change.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::effects::{Outlook, Seat, Side, outlook, shift};
use super::pairs::Pair;
use super::stand::{Stand, Surveys, of_side};
use crate::finding::{Effect, Stay, Verdict};
use crate::lint::Shift;
use crate::model::node_pool::NodePool;
use crate::model::placement::Moment;
use crate::model::toleration::Toleration;
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

/// What pods of one shape find on one side.
struct Seen<'s> {
    seats: Vec<Seat<'s>>,
    tolerations: Vec<Toleration>,
}

/// The most seats that are kept at a time.
const MOST_SEATS: usize = 1 << 19;

/// The pools of both sides.
type Stands<'s> = (Vec<Stand<'s>>, Vec<Stand<'s>>);

/// Judges pods on the pools of either side.
pub(super) struct Judge<'s> {
    surveys: Surveys<'s>,
    complete: (bool, bool),
    stands: Stands<'s>,
    /// The pools that differ, as indices into `stands`.
    unlike: &'s [Pair<usize>],
    /// What pods of a shape find before and after. One object asks for the same several times, one after another.
    seen: RefCell<HashMap<(bool, &'s PodShape), Rc<Seen<'s>>>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(
        surveys: Surveys<'s>,
        complete: (bool, bool),
        (stands, unlike): (Stands<'s>, &'s [Pair<usize>]),
    ) -> Judge<'s> {
        Judge {
            surveys,
            complete,
            stands,
            unlike,
            seen: RefCell::default(),
        }
    }

    /// Whether the pools that differ treat pods of a shape the same on both sides. All others do, so that nothing happens to
    /// pods that do not change.
    pub(super) fn is_alike(&self, shape: &PodShape) -> bool {
        let gates = (
            self.surveys.0.comparison_operators,
            self.surveys.1.comparison_operators,
        );
        let tolerations = shape.all_tolerations();
        let seat = |is_after: bool, at: Option<usize>| {
            let stand = of_side(&self.stands, is_after).get(at?)?;
            let gate = *of_side(&gates, is_after);
            Some(stand.judge(shape, &tolerations, gate).1)
        };
        let mut unlike = self.unlike.iter();
        let is_closed = |seat: &Seat<'_>| {
            let verdict = seat.verdict;
            !verdict.is_open() && verdict != Verdict::Unknown
        };
        gates.0 == gates.1
            && unlike.all(
                |pair| match (seat(false, pair.before), seat(true, pair.after)) {
                    (Some(old), Some(new)) => old == new,
                    (one, other) => one.iter().chain(&other).all(is_closed),
                },
            )
    }

    fn see(&self, is_after: bool, shape: &'s PodShape) -> Rc<Seen<'s>> {
        let mut seen = self.seen.borrow_mut();
        if let Some(known) = seen.get(&(is_after, shape)) {
            return Rc::clone(known);
        }
        let stands = of_side(&self.stands, is_after);
        if seen.len() * stands.len() > MOST_SEATS {
            seen.clear();
        }
        let tolerations = shape.all_tolerations();
        let gate = of_side(&self.surveys, is_after).comparison_operators;
        let judged = stands.iter();
        let seats = judged.map(|stand| stand.judge(shape, &tolerations, gate).1);
        let fresh = Rc::new(Seen {
            seats: seats.collect(),
            tolerations,
        });
        seen.insert((is_after, shape), Rc::clone(&fresh));
        fresh
    }

    pub(super) fn outlook(&self, before: Pods<'s>, after: Pods<'s>) -> Option<Judged> {
        self.between((before, false), (after, true))
    }

    /// What it does to pods to change, on the pools after.
    pub(super) fn outlook_after(&self, before: Pods<'s>, after: Pods<'s>) -> Option<Judged> {
        self.between((before, true), (after, true))
    }

    fn between(
        &self,
        (before, before_pools): (Pods<'s>, bool),
        (after, after_pools): (Pods<'s>, bool),
    ) -> Option<Judged> {
        let see = |pods: Pods<'s>, is_after: bool| {
            pods.map(|(shape, rejected)| (shape, rejected, self.see(is_after, shape)))
        };
        let (old, new) = (see(before, before_pools), see(after, after_pools));
        let old = old.as_ref().map(|pods| side(pods, self.complete.0));
        let new = new.as_ref().map(|pods| side(pods, self.complete.1));
        outlook(old.as_ref(), new.as_ref()).map(|outlook| Judged::of(&outlook))
    }

    /// Where pods could run and can run. `None` if they are new.
    pub(super) fn shift(&self, before: Pods<'s>, (shape, rejected): (&'s PodShape, bool)) -> Shift {
        let old = before.map(|(shape, rejected)| (shape, rejected, self.see(false, shape)));
        let new = (shape, rejected, self.see(true, shape));
        shift(
            old.as_ref().map(|pods| side(pods, true)).as_ref(),
            &side(&new, true),
        )
    }

    pub(super) fn lands(&self, is_after: bool, shape: &'s PodShape) -> Vec<String> {
        let seen = self.see(is_after, shape);
        let open = seen.seats.iter().filter(|seat| seat.verdict.is_open());
        let names: BTreeSet<&str> = open.map(|seat| seat.pool).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// On which of some pools pods of any of these shapes can run.
    pub(super) fn landed_on<'p>(
        &self,
        is_after: bool,
        shapes: impl IntoIterator<Item = &'s PodShape>,
        asked: &BTreeSet<&'p str>,
    ) -> BTreeSet<&'p str> {
        let gate = of_side(&self.surveys, is_after).comparison_operators;
        let stands = of_side(&self.stands, is_after).iter();
        let stands = stands.filter_map(|stand| Some((stand, *asked.get(&*stand.pool.name)?)));
        let mut empty: Vec<(&Stand<'_>, &str)> = stands.collect();
        let mut found = BTreeSet::new();
        for shape in shapes {
            if empty.is_empty() {
                break;
            }
            let tolerations = shape.all_tolerations();
            empty.retain(|(stand, name)| {
                let is_open = stand.judge(shape, &tolerations, gate).1.verdict.is_open();
                if is_open {
                    found.insert(*name);
                }
                !is_open
            });
        }
        found
    }
}

fn side<'a, 's>(
    (shape, rejected, seen): &'a (&'s PodShape, bool, Rc<Seen<'s>>),
    complete: bool,
) -> Side<'a> {
    Side {
        seats: &seen.seats,
        tolerations: &seen.tolerations,
        refused: *rejected || shape.refused.is_some(),
        pools_known: complete || !shape.selection.telling_labels().is_empty(),
    }
}

/// The pools of a side with their taints that last.
pub(super) fn stands(pools: &[Arc<NodePool>]) -> Vec<Stand<'_>> {
    let stand = |pool| Stand::new(pool, Moment::Lasting);
    pools.iter().map(stand).collect()
}
