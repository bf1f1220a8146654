//! One cluster before and after a change: its pools are paired first, then its objects are judged. Pods of one shape on both
//! sides are judged once.

use std::collections::HashMap;
use std::rc::Rc;

use super::causes;
use super::compared::Compared;
use super::judge::{Judge, Judged, Pods, stands};
use super::judgement::shown_object;
use super::pairs::{self, ObjectKey};
use super::pool_pairs::{Broken, ClusterSides, PoolPairs};
use super::stand::{Surveys, of_side};
use super::tenancies;
use crate::finding::{Cause, CausePlace, Effect, PlacementEffect, Standing};
use crate::lint::{Renames, Shift, Survey, SurveyedCluster, WorkloadChange};
use crate::model::workload::{PodShape, Workload};

/// Whether the API server rejects the object of a workload, after the change or before.
type IsRejected<'s> = &'s dyn Fn(bool, &Workload) -> bool;

/// A cluster before and after.
pub(super) struct ClusterDifference<'s> {
    surveys: Surveys<'s>,
    sides: ClusterSides<'s>,
    renames: &'s Renames,
    is_rejected: IsRejected<'s>,
    pools: PoolPairs<'s>,
}

/// A pod template with its file, under the name that the file has after the change.
type Placed<'w> = (&'w Workload, &'w str);

/// What was already judged.
#[derive(Default)]
struct Known<'w> {
    judged: HashMap<(Pods<'w>, Pods<'w>), Option<Judged>>,
    shifts: HashMap<(Pods<'w>, Pods<'w>), Rc<Shift>>,
    /// What decides, by the shapes before and after.
    deciders: HashMap<(&'w PodShape, &'w PodShape), Decider>,
}

/// What decides about pods, where both they and the pools change.
#[derive(Clone, Copy)]
enum Decider {
    Pools,
    Workload,
    Both,
}

impl<'s> ClusterDifference<'s> {
    pub(super) fn new(
        surveys: Surveys<'s>,
        sides: ClusterSides<'s>,
        (renames, broken): (&'s Renames, Broken<'s>),
        is_rejected: IsRejected<'s>,
    ) -> ClusterDifference<'s> {
        ClusterDifference {
            surveys,
            sides,
            renames,
            is_rejected,
            pools: PoolPairs::new(surveys, sides, renames, broken),
        }
    }

    fn name(&self) -> &'s str {
        let shown = self.sides.after.or(self.sides.before);
        shown.map_or("", |cluster| &cluster.name)
    }

    /// Judges each object. `unread` says which list of a workload was changed where nothing reads it, and `is_known` whether
    /// an object of a new cluster was in another one before.
    pub(super) fn compare(
        mut self,
        unread: &dyn Fn(&Workload) -> Option<Cause>,
        is_known: &dyn Fn(&ObjectKey) -> bool,
    ) -> Compared<'s> {
        let mut compared = Compared::default();
        if let (Some(before), Some(after)) = (self.sides.before, self.sides.after) {
            self.judge_objects((before, after), unread, &mut compared);
        } else if let Some(after) = self.sides.after {
            compared.workloads = self.new_objects(after, is_known);
        }
        compared.changed_pools = std::mem::take(&mut self.pools.changed);
        compared.pools = self.pools.differences;
        compared
    }

    fn judge_objects<'a>(
        &'a self,
        (before, after): (&'s SurveyedCluster, &'s SurveyedCluster),
        unread: &dyn Fn(&Workload) -> Option<Cause>,
        compared: &mut Compared<'s>,
    ) where
        's: 'a,
    {
        let (base, head) = self.surveys;
        let old = pairs::objects(base, before, Some(self.renames));
        let new = pairs::objects(head, after, None);
        let pools = (stands(&self.pools.both.0), stands(&self.pools.both.1));
        let complete = (before.complete, after.complete);
        let judge = Judge::new(self.surveys, complete, (pools, &self.pools.unlike));
        let mut known = Known::default();
        for pair in pairs::keys(&old, &new) {
            let of = |survey: &'s Survey<'s>, all: Option<&Vec<usize>>| -> Vec<&'s Workload> {
                let all = all.into_iter().flatten();
                all.filter_map(|at| survey.workloads().get(*at)).collect()
            };
            let one = of(base, pair.before.as_ref().and_then(|key| old.get(key)));
            let other = of(head, pair.after.as_ref().and_then(|key| new.get(key)));
            let sides = (one.as_slice(), other.as_slice());
            let told = self.object(sides, &judge, &mut known, &mut compared.workloads);
            let told = told.or_else(|| {
                let (old, new) = (*one.first()?, *other.first()?);
                Some(self.ignored((old, new), unread(new)?, &judge))
            });
            compared.placement.extend(told);
        }
        compared.tenancies =
            tenancies::find(&compared.placement, (self.surveys, &judge), (before, after));
    }

    /// The worst that the change does to the pod templates of an object.
    fn object<'a>(
        &'a self,
        (before, after): (&[&'s Workload], &[&'s Workload]),
        judge: &Judge<'a>,
        known: &mut Known<'s>,
        changes: &mut Vec<WorkloadChange<'s>>,
    ) -> Option<PlacementEffect> {
        let (base, head) = self.surveys;
        let old: Vec<(&Workload, &str)> = before
            .iter()
            .map(|one| (*one, self.renames.file(base.path(one.source))))
            .collect();
        let new: Vec<(&Workload, &str)> = after
            .iter()
            .map(|one| (*one, head.path(one.source)))
            .collect();
        let mut worst: Option<(Judged, Option<&'s Workload>, Option<&'s Workload>)> = None;
        for pair in pairs::templates(&old, &new) {
            let one = pair.before.and_then(|at| before.get(at)).copied();
            let other = pair.after.and_then(|at| after.get(at)).copied();
            let judged = match (one, other) {
                (Some(one), Some(other)) if self.pools.is_same() && one.shape == other.shape => {
                    match self.rejected(false, one) == self.rejected(true, other) {
                        true => None,
                        false => self.judged(one, other, judge, known),
                    }
                }
                (Some(one), Some(other)) => self.judged(one, other, judge, known),
                (one, other) => self.of_one_side(one, other, (&old, &new), judge),
            };
            if let Some(after) = other {
                let is_new = one.is_none() && !self.is_hidden(after, &old);
                let is_other = one.is_some_and(|one| one.shape != after.shape);
                if is_new || is_other || (one.is_some() && judged.is_some()) {
                    changes.push(WorkloadChange {
                        before: one,
                        after,
                        effect: judged.as_ref().map(|judged| judged.effect),
                        shift: self.shift(one, after, judge, known),
                    });
                }
            }
            if let Some(judged) = judged
                && worst
                    .as_ref()
                    .is_none_or(|(known, _, _)| judged.effect < known.effect)
            {
                worst = Some((judged, one, other));
            }
        }
        let (judged, one, other) = worst?;
        let cause = self.cause(&judged, one, other, (judge, known));
        Some(self.told(judged, (one, other), cause))
    }

    fn shift<'a>(
        &'a self,
        before: Option<&'s Workload>,
        after: &'s Workload,
        judge: &Judge<'a>,
        known: &mut Known<'s>,
    ) -> Rc<Shift> {
        let one = before.map(|one| (&*one.shape, self.rejected(false, one)));
        let other = (&*after.shape, self.rejected(true, after));
        let shift = known.shifts.entry((one, Some(other)));
        let shift = shift.or_insert_with(|| Rc::new(judge.shift(one, other)));
        Rc::clone(shift)
    }

    /// An object with a list that nothing reads, whose pods run where they ran.
    fn ignored<'a>(
        &'a self,
        (before, after): (&'s Workload, &'s Workload),
        cause: Cause,
        judge: &Judge<'a>,
    ) -> PlacementEffect {
        let judged = Judged {
            effect: Effect::Ignored,
            stay: None,
            before: judge.lands(false, &before.shape),
            after: judge.lands(true, &after.shape),
            decisive: Vec::new(),
        };
        self.told(judged, (Some(before), Some(after)), cause)
    }

    /// Whether an object that seems new may have been in a file that could not be read before.
    fn is_hidden(&self, after: &Workload, before: &[(&Workload, &str)]) -> bool {
        let path = self.surveys.1.path(after.source);
        before.is_empty() && self.pools.broken.0.contains(path)
    }

    /// The objects of a new cluster that were in no cluster before.
    fn new_objects(
        &self,
        after: &'s SurveyedCluster,
        is_known: &dyn Fn(&ObjectKey) -> bool,
    ) -> Vec<WorkloadChange<'s>> {
        let head = self.surveys.1;
        let pools = (Vec::new(), stands(&self.pools.both.1));
        let judge = Judge::new(self.surveys, (true, after.complete), (pools, &[]));
        let objects = pairs::objects(head, after, None).into_iter();
        let new = objects.filter(|(key, _)| !is_known(key));
        let workloads = new.flat_map(|(_, all)| all);
        let workloads = workloads.filter_map(|at| head.workloads().get(at));
        let mut known = Known::default();
        workloads
            .filter(|one| !self.is_hidden(one, &[]))
            .map(|one| WorkloadChange {
                before: None,
                after: one,
                effect: None,
                shift: self.shift(None, one, &judge, &mut known),
            })
            .collect()
    }

    fn rejected(&self, is_after: bool, workload: &Workload) -> bool {
        (self.is_rejected)(is_after, workload)
    }

    fn judged<'a>(
        &'a self,
        before: &'s Workload,
        after: &'s Workload,
        judge: &Judge<'a>,
        known: &mut Known<'s>,
    ) -> Option<Judged> {
        let one = (&*before.shape, self.rejected(false, before));
        let other = (&*after.shape, self.rejected(true, after));
        let key = (Some(one), Some(other));
        let found = known.judged.get(&key).cloned();
        found.unwrap_or_else(|| {
            let is_alike = one == other && judge.is_alike(one.0);
            let judged = match is_alike {
                true => None,
                false => judge.outlook(Some(one), Some(other)),
            };
            known.judged.insert(key, judged.clone());
            judged
        })
    }

    /// A pod template that only one side has: something is said of it if its file cannot be read on the other, or if it is
    /// new and lands nowhere.
    fn of_one_side<'a>(
        &'a self,
        before: Option<&'s Workload>,
        after: Option<&'s Workload>,
        (old, new): (&[Placed<'_>], &[Placed<'_>]),
        judge: &Judge<'a>,
    ) -> Option<Judged> {
        let is_lost = match (before, after) {
            (Some(one), _) => {
                let path = self.renames.file(self.surveys.0.path(one.source));
                new.is_empty() && self.pools.broken.1.contains(path)
            }
            (None, Some(other)) => self.is_hidden(other, old),
            (None, None) => false,
        };
        if is_lost {
            let lands = |is_after: bool, one: Option<&'s Workload>| {
                one.map_or(Vec::new(), |one| judge.lands(is_after, &one.shape))
            };
            return Some(Judged {
                effect: Effect::Unknown,
                stay: None,
                before: lands(false, before),
                after: lands(true, after),
                decisive: Vec::new(),
            });
        }
        let other = after?;
        // An object with other pod templates before is not new.
        match before.is_none() && old.is_empty() {
            true => judge.outlook(None, Some((&*other.shape, self.rejected(true, other)))),
            false => None,
        }
    }

    fn told(
        &self,
        judged: Judged,
        (before, after): (Option<&Workload>, Option<&Workload>),
        cause: Cause,
    ) -> PlacementEffect {
        let (base, head) = self.surveys;
        let place = |survey: &Survey<'_>, one: Option<&Workload>| survey.place(one?.span);
        let object = after.or(before).map(shown_object).unwrap_or_default();
        PlacementEffect {
            cause,
            object,
            cluster: self.name().to_owned(),
            effect: judged.effect,
            stay: judged.stay,
            before: Standing {
                lands: judged.before,
                place: place(base, before),
            },
            after: Standing {
                lands: judged.after,
                place: place(head, after),
            },
        }
    }

    fn cause<'a>(
        &'a self,
        judged: &Judged,
        before: Option<&'s Workload>,
        after: Option<&'s Workload>,
        (judge, known): (&Judge<'a>, &mut Known<'s>),
    ) -> Cause {
        let at = |is_after: bool, one: &Workload| -> Vec<CausePlace> {
            let survey = of_side(&self.surveys, is_after);
            let span = one.list.unwrap_or(one.span);
            causes::place(survey, span, is_after).into_iter().collect()
        };
        let said = |message: &str, places: Vec<CausePlace>| Cause {
            message: message.to_owned(),
            places,
            ..Cause::default()
        };
        let (one, other) = match (before, after) {
            (Some(one), Some(other)) => (one, other),
            (Some(one), None) => return said("its file cannot be read", at(false, one)),
            (None, Some(other)) if judged.effect == Effect::Unknown => {
                return said("its file could not be read before", at(true, other));
            }
            (None, Some(other)) => return said("it is new and fits no pool", at(true, other)),
            (None, None) => return Cause::default(),
        };
        if self.rejected(true, other) || other.shape.refused.is_some() {
            return said("the API server rejects it", at(true, other));
        }
        let of_pools = || causes::of_pools(judged, &self.pools.differences);
        if one.shape == other.shape {
            return of_pools();
        }
        let of_workload = || causes::of_workload((one, other), self.surveys);
        if self.pools.is_same() {
            return of_workload();
        }
        let shapes = (&*one.shape, &*other.shape);
        let decider = known.deciders.entry(shapes);
        match decider.or_insert_with(|| decider_of(judged, shapes, judge)) {
            Decider::Pools => of_pools(),
            Decider::Workload => of_workload(),
            Decider::Both => {
                let (mut cause, own) = (of_pools(), of_workload());
                cause.message = format!("{}; {}", cause.message, own.message);
                cause.places.extend(own.places);
                cause
            }
        }
    }
}

/// What decides about pods that change on pools that change: what either alone would do.
fn decider_of<'s>(
    judged: &Judged,
    (before, after): (&'s PodShape, &'s PodShape),
    judge: &Judge<'s>,
) -> Decider {
    let (old, new) = (Some((before, false)), Some((after, false)));
    let Some(by_pools) = judge.outlook(old, old) else {
        return Decider::Workload;
    };
    match judge.outlook_after(old, new) {
        None => Decider::Pools,
        Some(own) if own.effect == judged.effect && by_pools.effect != own.effect => {
            Decider::Workload
        }
        Some(_) if by_pools == *judged => Decider::Pools,
        Some(_) => Decider::Both,
    }
}
