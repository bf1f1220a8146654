//! One cluster before and after a change: its pools are paired first, then its objects are judged. Pods of one shape on both
//! sides are judged once.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::causes::{self, Surveys};
use super::effects::{Outlook, Seat, Side, outlook, shift};
use super::judgement::shown_object;
use super::pairs::{self, ObjectKey};
use super::pool_changes;
use super::stand::Stand;
use crate::finding::{
    Cause, CausePlace, Effect, PlacementEffect, PoolChange, PoolDifference, Standing, Stay, Tenancy,
};
use crate::lint::{
    ClusterChange, PoolSides, Renames, Shift, Survey, SurveyedCluster, WorkloadChange,
};
use crate::model::node_pool::NodePool;
use crate::model::placement::Moment;
use crate::model::workload::{PodShape, Workload};

/// The cluster on each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterSides<'s> {
    pub(super) before: Option<&'s SurveyedCluster>,
    pub(super) after: Option<&'s SurveyedCluster>,
}

/// What a change does in one cluster.
#[derive(Debug, Default)]
pub(super) struct Compared<'s> {
    pub(super) placement: Vec<PlacementEffect>,
    pub(super) pools: Vec<PoolDifference>,
    pub(super) tenancies: Vec<Tenancy>,
    /// What rules may look at.
    pub(super) workloads: Vec<WorkloadChange<'s>>,
    pub(super) changed_pools: Vec<PoolSides>,
}

impl<'s> Compared<'s> {
    /// Whether it changes anything.
    pub(super) fn changes(&self) -> bool {
        !(self.placement.is_empty() && self.pools.is_empty())
    }

    /// Takes out what rules may look at.
    pub(super) fn take_change(
        &mut self,
        sides: ClusterSides<'s>,
        is_configured: bool,
    ) -> ClusterChange<'s> {
        let both = [sides.before, sides.after];
        let shown = sides.after.or(sides.before);
        ClusterChange {
            name: shown.map_or("", |cluster| &cluster.name),
            after: sides.after,
            is_configured,
            complete: both.iter().flatten().all(|cluster| cluster.complete),
            workloads: std::mem::take(&mut self.workloads),
            pools: std::mem::take(&mut self.changed_pools),
        }
    }
}

/// Whether the API server rejects the object of a workload, after the change or before.
type IsRejected<'s> = &'s dyn Fn(bool, &Workload) -> bool;

/// A cluster before and after.
pub(super) struct ClusterDifference<'s> {
    surveys: Surveys<'s>,
    sides: ClusterSides<'s>,
    renames: &'s Renames,
    is_rejected: IsRejected<'s>,
    /// The pools on each side. One that is missing because its file cannot be read is there, with nothing known.
    pools: (Vec<Arc<NodePool>>, Vec<Arc<NodePool>>),
    differences: Vec<PoolDifference>,
    changed_pools: Vec<PoolSides>,
    is_same: bool,
    /// The files that cannot be read, on each side.
    broken: (BTreeSet<&'s str>, BTreeSet<&'s str>),
}

/// What is said of an object before its cause is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Judged {
    effect: Effect,
    stay: Option<Stay>,
    before: Vec<String>,
    after: Vec<String>,
    decisive: Vec<String>,
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
type Pods<'w> = Option<(&'w PodShape, bool)>;

/// A pod template with its file, under the name that the file has after the change.
type Placed<'w> = (&'w Workload, &'w str);

/// What was already judged.
#[derive(Default)]
struct Known<'w> {
    judged: HashMap<(Pods<'w>, Pods<'w>), Option<Judged>>,
    shifts: HashMap<(Pods<'w>, Pods<'w>), Rc<Shift>>,
}

impl<'s> ClusterDifference<'s> {
    pub(super) fn new(
        surveys: Surveys<'s>,
        sides: ClusterSides<'s>,
        renames: &'s Renames,
        is_rejected: IsRejected<'s>,
    ) -> ClusterDifference<'s> {
        let mut compared = ClusterDifference {
            surveys,
            sides,
            renames,
            is_rejected,
            pools: (Vec::new(), Vec::new()),
            differences: Vec::new(),
            changed_pools: Vec::new(),
            is_same: true,
            broken: (surveys.0.broken_files(), surveys.1.broken_files()),
        };
        compared.pair_pools();
        compared
    }

    fn name(&self) -> &'s str {
        let shown = self.sides.after.or(self.sides.before);
        shown.map_or("", |cluster| &cluster.name)
    }

    fn pair_pools(&mut self) {
        let of = |side: Option<&'s SurveyedCluster>| side.map_or(&[][..], |one| &one.pools);
        let (before, after) = (of(self.sides.before), of(self.sides.after));
        let names = |pools: &'s [Arc<NodePool>]| pools.iter().map(|pool| pool.name.as_str());
        self.pools = (before.to_vec(), after.to_vec());
        for pair in pairs::by_name(names(before), names(after)) {
            let old = pair.before.and_then(|at| before.get(at));
            let new = pair.after.and_then(|at| after.get(at));
            match (old, new) {
                (Some(old), Some(new)) => {
                    if !pool_changes::is_same(old, new) {
                        self.is_same = false;
                        self.changed_pools
                            .push((Some(Arc::clone(old)), Some(Arc::clone(new))));
                    }
                    for (change, message) in pool_changes::compare(old, new) {
                        self.add_difference(new, true, change, message);
                    }
                }
                (Some(old), None) => {
                    self.is_same = false;
                    if self.is_lost(old, false) {
                        self.pools.1.push(Arc::new(hidden(old)));
                    } else if self.sides.after.is_some() {
                        self.changed_pools.push((Some(Arc::clone(old)), None));
                        let message = pool_changes::said(old, PoolChange::Removed);
                        self.add_difference(old, false, PoolChange::Removed, message);
                    }
                }
                (None, Some(new)) => {
                    self.is_same = false;
                    if self.is_lost(new, true) {
                        self.pools.0.push(Arc::new(hidden(new)));
                        continue;
                    }
                    self.changed_pools.push((None, Some(Arc::clone(new))));
                    if self.sides.before.is_some() {
                        let message = pool_changes::said(new, PoolChange::Added);
                        self.add_difference(new, true, PoolChange::Added, message);
                    }
                }
                (None, None) => {}
            }
        }
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
                self.broken.1.contains(self.renamed(path))
            }
        }
    }

    fn renamed<'p>(&'p self, path: &'p str) -> &'p str {
        self.renames.files.get(path).map_or(path, String::as_str)
    }

    fn add_difference(
        &mut self,
        pool: &NodePool,
        is_after: bool,
        change: PoolChange,
        message: String,
    ) {
        let survey = if is_after {
            self.surveys.1
        } else {
            self.surveys.0
        };
        let mut spans = pool.taints.iter().filter_map(|taint| taint.span);
        let of_taint = spans.next().filter(|_| change == PoolChange::Taints);
        let span = of_taint.or(pool.name_span).or(pool.span);
        self.differences.push(PoolDifference {
            pool: pool.name.clone(),
            cluster: self.name().to_owned(),
            change,
            message,
            place: span.and_then(|span| survey.place(span)),
        });
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
        compared.changed_pools = std::mem::take(&mut self.changed_pools);
        compared.pools = self.differences;
        compared
    }

    fn judge_objects(
        &self,
        (before, after): (&'s SurveyedCluster, &'s SurveyedCluster),
        unread: &dyn Fn(&Workload) -> Option<Cause>,
        compared: &mut Compared<'s>,
    ) {
        let (base, head) = self.surveys;
        let old = pairs::objects(base, before, Some(self.renames));
        let new = pairs::objects(head, after, None);
        let judge = Judge {
            surveys: self.surveys,
            complete: (before.complete, after.complete),
            stands: (stands(&self.pools.0), stands(&self.pools.1)),
        };
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
                self.ignored((old, new), unread(new)?, &judge)
            });
            compared.placement.extend(told);
        }
        self.add_tenancies(&judge, (before, after), compared);
    }

    /// The worst that the change does to the pod templates of an object.
    fn object<'w>(
        &self,
        (before, after): (&[&'w Workload], &[&'w Workload]),
        judge: &Judge<'_>,
        known: &mut Known<'w>,
        changes: &mut Vec<WorkloadChange<'w>>,
    ) -> Option<PlacementEffect> {
        let (base, head) = self.surveys;
        let old: Vec<(&Workload, &str)> = before
            .iter()
            .map(|one| (*one, self.renamed(base.path(one.source))))
            .collect();
        let new: Vec<(&Workload, &str)> = after
            .iter()
            .map(|one| (*one, head.path(one.source)))
            .collect();
        let mut worst: Option<(Judged, Option<&'w Workload>, Option<&'w Workload>)> = None;
        for pair in pairs::templates(&old, &new) {
            let one = pair.before.and_then(|at| before.get(at)).copied();
            let other = pair.after.and_then(|at| after.get(at)).copied();
            let judged = match (one, other) {
                (Some(one), Some(other)) if self.is_same && one.shape == other.shape => {
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
        Some(self.told(judged, one, other, judge))
    }

    fn shift<'w>(
        &self,
        before: Option<&'w Workload>,
        after: &'w Workload,
        judge: &Judge<'_>,
        known: &mut Known<'w>,
    ) -> Rc<Shift> {
        let one = before.map(|one| (&*one.shape, self.rejected(false, one)));
        let other = (&*after.shape, self.rejected(true, after));
        let shift = known.shifts.entry((one, Some(other)));
        let shift = shift.or_insert_with(|| Rc::new(judge.shift(one, other)));
        Rc::clone(shift)
    }

    /// An object with a list that nothing reads, whose pods run where they ran.
    fn ignored(
        &self,
        (before, after): (&Workload, &Workload),
        cause: Cause,
        judge: &Judge<'_>,
    ) -> Option<PlacementEffect> {
        let judged = Judged {
            effect: Effect::Ignored,
            stay: None,
            before: judge.lands(false, &before.shape),
            after: judge.lands(true, &after.shape),
            decisive: Vec::new(),
        };
        let told = self.told(judged, Some(before), Some(after), judge);
        Some(PlacementEffect { cause, ..told })
    }

    /// Whether an object that seems new may have been in a file that could not be read before.
    fn is_hidden(&self, after: &Workload, before: &[(&Workload, &str)]) -> bool {
        let path = self.surveys.1.path(after.source);
        before.is_empty() && self.broken.0.contains(path)
    }

    /// The objects of a new cluster that were in no cluster before.
    fn new_objects(
        &self,
        after: &'s SurveyedCluster,
        is_known: &dyn Fn(&ObjectKey) -> bool,
    ) -> Vec<WorkloadChange<'s>> {
        let head = self.surveys.1;
        let judge = Judge {
            surveys: self.surveys,
            complete: (true, after.complete),
            stands: (Vec::new(), stands(&self.pools.1)),
        };
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

    fn judged<'w>(
        &self,
        before: &'w Workload,
        after: &'w Workload,
        judge: &Judge<'_>,
        known: &mut Known<'w>,
    ) -> Option<Judged> {
        let one = (&*before.shape, self.rejected(false, before));
        let other = (&*after.shape, self.rejected(true, after));
        let key = (Some(one), Some(other));
        let found = known.judged.get(&key).cloned();
        found.unwrap_or_else(|| {
            let judged = judge.outlook(Some(one), Some(other));
            known.judged.insert(key, judged.clone());
            judged
        })
    }

    /// A pod template that only one side has: something is said of it if its file cannot be read on the other, or if it is
    /// new and lands nowhere.
    fn of_one_side(
        &self,
        before: Option<&Workload>,
        after: Option<&Workload>,
        (old, new): (&[Placed<'_>], &[Placed<'_>]),
        judge: &Judge<'_>,
    ) -> Option<Judged> {
        let is_lost = match (before, after) {
            (Some(one), _) => {
                let path = self.renamed(self.surveys.0.path(one.source));
                new.is_empty() && self.broken.1.contains(path)
            }
            (None, Some(other)) => self.is_hidden(other, old),
            (None, None) => false,
        };
        let pods = |is_after: bool, one: Option<&'_ Workload>| {
            one.map(|one| (one.shape.clone(), self.rejected(is_after, one)))
        };
        let (one, other) = (pods(false, before), pods(true, after));
        if is_lost {
            let lands = |is_after: bool, pods: Option<&(Arc<PodShape>, bool)>| {
                pods.map_or(Vec::new(), |(shape, _)| judge.lands(is_after, shape))
            };
            return Some(Judged {
                effect: Effect::Unknown,
                stay: None,
                before: lands(false, one.as_ref()),
                after: lands(true, other.as_ref()),
                decisive: Vec::new(),
            });
        }
        let (shape, rejected) = other?;
        // An object with other pod templates before is not new.
        match before.is_none() && old.is_empty() {
            true => judge.outlook(None, Some((&*shape, rejected))),
            false => None,
        }
    }

    fn told(
        &self,
        judged: Judged,
        before: Option<&Workload>,
        after: Option<&Workload>,
        judge: &Judge<'_>,
    ) -> PlacementEffect {
        let (base, head) = self.surveys;
        let place = |survey: &Survey<'_>, one: Option<&Workload>| survey.place(one?.span);
        let object = after.or(before).map(shown_object).unwrap_or_default();
        PlacementEffect {
            cause: self.cause(&judged, before, after, judge),
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

    fn cause(
        &self,
        judged: &Judged,
        before: Option<&Workload>,
        after: Option<&Workload>,
        judge: &Judge<'_>,
    ) -> Cause {
        let at = |is_after: bool, one: &Workload| -> Vec<CausePlace> {
            let survey = if is_after {
                self.surveys.1
            } else {
                self.surveys.0
            };
            let span = one.list.unwrap_or(one.span);
            causes::place(survey, span, is_after).into_iter().collect()
        };
        let said = |message: &str, places: Vec<CausePlace>| Cause {
            message: message.to_owned(),
            places,
            is_pool: false,
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
        let of_pools = || self.pool_cause(judged);
        if one.shape == other.shape {
            return of_pools();
        }
        let of_workload = || causes::of_workload((one, other), self.surveys);
        if self.is_same {
            return of_workload();
        }
        let old = Some((&*one.shape, false));
        let by_pools = judge.outlook(old, old);
        let new = Some((&*other.shape, false));
        let by_workload = judge.outlook_after(old, new);
        match (by_pools, by_workload) {
            (None, _) => of_workload(),
            (Some(_), None) => of_pools(),
            (Some(alone), Some(_)) if alone == *judged => of_pools(),
            (Some(_), Some(_)) => {
                let (mut cause, own) = (of_pools(), of_workload());
                cause.message = format!("{}; {}", cause.message, own.message);
                cause.places.extend(own.places);
                cause
            }
        }
    }

    /// The changes of the pools that decide.
    fn pool_cause(&self, judged: &Judged) -> Cause {
        let sets = [&judged.before, &judged.after, &judged.decisive];
        let [old, new, decisive] = sets.map(|all| all.iter().collect::<BTreeSet<_>>());
        let mut meant: BTreeSet<&String> = old.symmetric_difference(&new).copied().collect();
        meant.extend(decisive);
        let is_meant = |one: &&PoolDifference| meant.contains(&one.pool);
        let mut changes: Vec<&PoolDifference> = self.differences.iter().filter(is_meant).collect();
        if changes.is_empty() {
            changes = self.differences.iter().collect();
        }
        let messages: Vec<&str> = changes.iter().map(|one| one.message.as_str()).collect();
        let places = changes.iter().filter_map(|one| {
            let place = one.place.clone()?;
            let is_after = one.change != PoolChange::Removed;
            Some(CausePlace { is_after, place })
        });
        Cause {
            places: places.collect(),
            is_pool: true,
            message: match messages.is_empty() {
                true => "not all pools can be read".to_owned(),
                false => messages.join("; "),
            },
        }
    }

    fn add_tenancies(
        &self,
        judge: &Judge<'_>,
        (before, after): (&'s SurveyedCluster, &'s SurveyedCluster),
        compared: &mut Compared<'s>,
    ) {
        let mut touched: BTreeSet<&str> = BTreeSet::new();
        for one in &compared.placement {
            let sides = [&one.before.lands, &one.after.lands];
            let [old, new] = sides.map(|all| all.iter().collect::<BTreeSet<_>>());
            touched.extend(old.symmetric_difference(&new).map(|name| name.as_str()));
        }
        let mut told = Vec::new();
        for pool in touched {
            let used = |is_after: bool| {
                let (survey, cluster) = match is_after {
                    true => (self.surveys.1, after),
                    false => (self.surveys.0, before),
                };
                let own = cluster.workloads.iter();
                let mut own = own.filter_map(|at| survey.workloads().get(*at));
                own.any(|one| {
                    one.shape.kind != "DaemonSet" && judge.lands_on(is_after, &one.shape, pool)
                })
            };
            let (old, new) = (used(false), used(true));
            let mut unknown = compared.placement.iter();
            let is_unknown = unknown.any(|one| {
                one.effect == Effect::Unknown && one.before.lands.iter().any(|own| own == pool)
            });
            if old != new && !is_unknown {
                told.push(Tenancy {
                    pool: pool.to_owned(),
                    cluster: self.name().to_owned(),
                    is_used: new,
                });
            }
        }
        compared.tenancies = told;
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

fn stands(pools: &[Arc<NodePool>]) -> Vec<Stand<'_>> {
    let stand = |pool| Stand::new(pool, Moment::Lasting);
    pools.iter().map(stand).collect()
}

/// Judges pods on the pools of either side.
struct Judge<'s> {
    surveys: Surveys<'s>,
    complete: (bool, bool),
    stands: (Vec<Stand<'s>>, Vec<Stand<'s>>),
}

impl<'s> Judge<'s> {
    fn seats(&'s self, is_after: bool, shape: &PodShape) -> Vec<Seat<'s>> {
        let (stands, survey) = match is_after {
            true => (&self.stands.1, self.surveys.1),
            false => (&self.stands.0, self.surveys.0),
        };
        let tolerations = shape.all_tolerations();
        let gate = survey.comparison_operators;
        let judged = stands.iter();
        judged
            .map(|stand| stand.judge(shape, &tolerations, gate).1)
            .collect()
    }

    fn outlook(&self, before: Pods<'_>, after: Pods<'_>) -> Option<Judged> {
        self.between((before, false), (after, true))
    }

    /// What it does to pods to change, on the pools after.
    fn outlook_after(&self, before: Pods<'_>, after: Pods<'_>) -> Option<Judged> {
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
    fn shift(&self, before: Pods<'_>, (shape, rejected): (&PodShape, bool)) -> Shift {
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

    fn lands(&self, is_after: bool, shape: &PodShape) -> Vec<String> {
        let seats = self.seats(is_after, shape).into_iter();
        let open = seats.filter(|seat| seat.verdict.is_open());
        let names: BTreeSet<String> = open.map(|seat| seat.pool.to_owned()).collect();
        names.into_iter().collect()
    }

    fn lands_on(&self, is_after: bool, shape: &PodShape, pool: &str) -> bool {
        let stands = if is_after {
            &self.stands.1
        } else {
            &self.stands.0
        };
        let survey = if is_after {
            self.surveys.1
        } else {
            self.surveys.0
        };
        let tolerations = shape.all_tolerations();
        let gate = survey.comparison_operators;
        let mut meant = stands.iter().filter(|stand| stand.pool.name == pool);
        meant.any(|stand| stand.judge(shape, &tolerations, gate).1.verdict.is_open())
    }
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
