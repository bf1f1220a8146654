//! Facts about what a change does to a workload or a pool, as rules of scope `change` see them. Of a list, they hold what
//! is certain: what is not known on one side is never different.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Settings;
use super::cluster_change::{ClusterChange, WorkloadChange};
use super::facts::{entry_fact, named, pool_fact, pool_span, shape_fact, taint_facts};
use super::purpose;
use super::search::{is_managed, of_cluster};
use super::survey::Survey;
use crate::extract::is_placeholder;
use crate::model::Truth;
use crate::model::node_pool::NodePool;
use crate::model::redundancy::covers;
use crate::model::taint::Taint;
use crate::model::toleration::{Toleration, tolerate};
use crate::model::well_known::WellKnown;
use crate::model::workload::{Level, PodShape, Workload};
use crate::rule::expression::FactList;
use crate::rule::fact::{Fact, FactBuilder, FactKind, Handle, Place};
use crate::rule::schema::Scope;
use crate::rule::vocabulary::{self, Ty};
use crate::source::Span;

/// The facts of a cluster after a change.
pub struct ChangeFacts<'s> {
    /// `cluster`
    pub cluster: Fact,
    /// `pools`
    pub pools: FactList,
    /// `kubernetes`
    pub kubernetes: Fact,
    well_known: &'s WellKnown,
    changes: &'s [WorkloadChange<'s>],
    /// By the name of a pool: which of these gain it, and which lose it.
    shifts: HashMap<&'s str, (Vec<usize>, Vec<usize>)>,
    /// Their facts after the change, as far as they were asked for.
    workloads: Vec<OnceCell<Fact>>,
    /// Each pool after the change, with the facts of its taints.
    after: Vec<(Arc<NodePool>, Vec<Fact>)>,
    /// Whether `Gt` and `Lt` work, before and after.
    gates: (bool, bool),
}

/// A pool or workload on both sides, and what is different about it.
pub struct Sides {
    /// `before`
    pub before: Fact,
    /// `after`
    pub after: Fact,
    /// `change`
    pub change: Fact,
}

impl<'s> ChangeFacts<'s> {
    pub fn new(
        of: &'s ClusterChange<'s>,
        (base, head): (&Survey<'_>, &Survey<'_>),
        settings: Settings<'s>,
        well_known: &'s WellKnown,
    ) -> ChangeFacts<'s> {
        let gates = (base.comparison_operators, head.comparison_operators);
        let models = of.after.map_or(&[][..], |after| &after.pools);
        let after: Vec<_> = models
            .iter()
            .map(|pool| (Arc::clone(pool), taint_facts(pool)))
            .collect();
        let facts: Vec<Fact> = after
            .iter()
            .map(|(pool, taints)| pool_fact_of(pool, taints, gates.1, well_known))
            .collect();
        let is_one_of_several = of.is_configured || head.clusters.len() > 1;
        let named = Some(of.name).filter(|_| is_one_of_several);
        let cluster = FactBuilder::new(FactKind::Cluster)
            .text("name", of.name)
            .text("clause", of_cluster(named))
            .bool("complete", of.complete)
            .bool("managed", is_managed(models, head.gathered(), settings));
        let changes = of.workloads.as_slice();
        let mut shifts: HashMap<&str, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, one) in changes.iter().enumerate() {
            for name in &one.shift.gained {
                shifts.entry(name).or_default().0.push(at);
            }
            for name in &one.shift.lost {
                shifts.entry(name).or_default().1.push(at);
            }
        }
        ChangeFacts {
            cluster: cluster.build(),
            pools: FactList::new(&facts),
            kubernetes: super::facts::kubernetes(settings.config),
            well_known,
            changes,
            shifts,
            workloads: changes.iter().map(|_| OnceCell::new()).collect(),
            after,
            gates,
        }
    }

    /// The facts about the workload with this index. `moved` says where a place before the change is among the sources of the findings.
    pub fn of_workload(
        &self,
        (at, changed): (usize, &WorkloadChange<'_>),
        moved: &dyn Fn(Span) -> Span,
    ) -> Sides {
        let (before, after) = (changed.before, changed.after);
        let shift = &changed.shift;
        let here = |span: Span| span;
        let (old, new) = (before.map(|one| &*one.shape), &*after.shape);
        let (earlier, later) = (
            before.map_or_else(Vec::new, |one| entries(one, self.gates.0, moved)),
            entries(after, self.gates.1, &here),
        );
        let by_old = Tolerating::of(old, self.gates.0);
        let by_new = Tolerating::of(Some(new), self.gates.1);
        let added = later.iter().zip(&new.tolerations);
        let added = added.filter(|(_, entry)| by_old.covers(entry) == Truth::No);
        let removed = earlier
            .iter()
            .zip(old.map_or(&[][..], |old| &old.tolerations));
        let removed = removed.filter(|(_, entry)| by_new.covers(entry) == Truth::No);
        let (newly, no_longer) = self.taints(&by_old, &by_new);
        let change = FactBuilder::new(FactKind::Change)
            .bool("isNew", before.is_none())
            .text(
                "effect",
                changed.effect.map_or("", |effect| effect.as_str()),
            )
            .texts("gained", &shift.gained)
            .texts("lost", &shift.lost)
            .facts("added", added.map(|(fact, _)| fact.clone()))
            .facts("removed", removed.map(|(fact, _)| fact.clone()))
            .facts("newlyTolerated", newly)
            .facts("noLongerTolerated", no_longer);
        Sides {
            before: match before {
                Some(before) => self.workload(before, &shift.before, earlier, self.gates.0, moved),
                None => missing(FactKind::Workload, Scope::Change),
            },
            after: self.after(at, changed, later),
            change: change.build(),
        }
    }

    /// The fact about a workload after the change.
    fn after(&self, at: usize, changed: &WorkloadChange<'_>, entries: Vec<Fact>) -> Fact {
        let here = |span: Span| span;
        let (after, lands) = (changed.after, &changed.shift.after);
        let build = || self.workload(after, lands, entries, self.gates.1, &here);
        match self.workloads.get(at) {
            Some(known) => known.get_or_init(build).clone(),
            None => build(),
        }
    }

    /// The lasting taints of the pools after the change that pods certainly tolerate now and did not, and the reverse.
    fn taints(&self, old: &Tolerating<'_>, new: &Tolerating<'_>) -> (Vec<Fact>, Vec<Fact>) {
        let (mut newly, mut no_longer) = (Vec::new(), Vec::new());
        for (pool, facts) in &self.after {
            for (at, own) in pool.lasting_taints() {
                match (old.tolerates(&own.taint), new.tolerates(&own.taint)) {
                    (Truth::No, Truth::Yes) => newly.extend(facts.get(at).cloned()),
                    (Truth::Yes, Truth::No) => no_longer.extend(facts.get(at).cloned()),
                    _ => {}
                }
            }
        }
        (newly, no_longer)
    }

    fn workload(
        &self,
        workload: &Workload,
        lands: &[String],
        entries: Vec<Fact>,
        gate: bool,
        moved: &dyn Fn(Span) -> Span,
    ) -> Fact {
        let shape = &workload.shape;
        let fact = named(&shape_fact(shape, gate), workload, false, Vec::new());
        let mut builder = FactBuilder::extend(&fact)
            .texts("lands", lands)
            .place(Some(Place::Span(moved(workload.span))));
        if shape.unread_tolerations.is_none() || shape.level != Level::Typed {
            builder = builder.facts("tolerations", entries);
        }
        let namespace = workload.object.namespace.as_deref();
        if namespace.is_some_and(|name| is_placeholder(name) || name.starts_with('$')) {
            builder = builder.unknown("namespace");
        }
        builder.build()
    }

    /// The facts about a pool: on each side, if it is there.
    pub fn of_pool(
        &self,
        (before, after): (Option<&Arc<NodePool>>, Option<&Arc<NodePool>>),
        moved: &dyn Fn(Span) -> Span,
    ) -> Sides {
        let before = before.map(|pool| Arc::new(of_before(pool, moved)));
        let facts = |pool: Option<&Arc<NodePool>>| pool.map_or_else(Vec::new, taint_facts);
        let (earlier, later) = (facts(before.as_ref()), facts(after));
        let name = after.or(before.as_ref()).map_or("", |pool| &pool.name);
        let (gained, lost) = match self.shifts.get(name) {
            Some((gained, lost)) => (gained.as_slice(), lost.as_slice()),
            None => (&[][..], &[][..]),
        };
        let change = FactBuilder::new(FactKind::Change)
            .bool("isNew", before.is_none())
            .bool("isGone", after.is_none())
            .texts("gained", &self.names(gained))
            .texts("lost", &self.names(lost))
            .facts("gainedBy", self.all_after(gained))
            .facts("lostBy", self.all_after(lost))
            .facts("added", only(after, &later, before.as_ref()))
            .facts("removed", only(before.as_ref(), &earlier, after));
        let fact = |pool: Option<&Arc<NodePool>>, taints: &[Fact], gate: bool| match pool {
            Some(pool) => pool_fact_of(pool, taints, gate, self.well_known),
            None => missing(FactKind::Pool, Scope::PoolChange),
        };
        Sides {
            before: fact(before.as_ref(), &earlier, self.gates.0),
            after: fact(after, &later, self.gates.1),
            change: change.build(),
        }
    }

    /// `kind/name` of each workload.
    fn names(&self, all: &[usize]) -> BTreeSet<String> {
        let all = all.iter().filter_map(|at| self.changes.get(*at));
        let name = |one: &WorkloadChange<'_>| {
            let kind = one.after.shape.kind.to_lowercase();
            format!("{kind}/{}", one.after.name().unwrap_or_default())
        };
        all.map(name).collect()
    }

    /// The facts of workloads after the change.
    fn all_after(&self, all: &[usize]) -> Vec<Fact> {
        let here = |span: Span| span;
        let all = all.iter().filter_map(|at| {
            let changed = self.changes.get(*at)?;
            let known = self.workloads.get(*at)?;
            let build = || {
                let entries = entries(changed.after, self.gates.1, &here);
                self.after(*at, changed, entries)
            };
            Some(known.get().cloned().unwrap_or_else(build))
        });
        all.collect()
    }
}

/// The entries of a list, with their places.
fn entries(workload: &Workload, gate: bool, moved: &dyn Fn(Span) -> Span) -> Vec<Fact> {
    let own = workload.shape.tolerations.iter().enumerate();
    let fact = |(at, entry): (usize, &Toleration)| {
        let span = workload.located.get(at).map(|located| located.entry);
        let place = span.map(|span| Place::Span(moved(span)));
        entry_fact(entry, at, gate).place(place).build()
    };
    own.map(fact).collect()
}

/// Pods of one side with all their tolerations.
struct Tolerating<'w> {
    /// `None` if that side has no such pods.
    shape: Option<&'w PodShape>,
    all: Vec<Toleration>,
    gate: bool,
}

impl<'w> Tolerating<'w> {
    fn of(shape: Option<&'w PodShape>, gate: bool) -> Tolerating<'w> {
        Tolerating {
            shape,
            all: shape.map_or_else(Vec::new, PodShape::all_tolerations),
            gate,
        }
    }

    /// Whether they tolerate all that an entry tolerates: with the same entry or a wider one.
    fn covers(&self, entry: &Toleration) -> Truth {
        self.shape.map_or(Truth::No, |shape| {
            let same = shape.tolerations.contains(entry);
            let wide = Truth::any(self.all.iter().map(|wide| covers(wide, entry)));
            unless_unread(shape, Truth::from(same).or(wide))
        })
    }

    fn tolerates(&self, taint: &Taint) -> Truth {
        self.shape.map_or(Truth::No, |shape| {
            unless_unread(shape, tolerate(&self.all, taint, self.gate))
        })
    }
}

/// Where there may be more entries, nothing is certainly missing.
fn unless_unread(shape: &PodShape, truth: Truth) -> Truth {
    match (truth, shape.unread_tolerations) {
        (Truth::No, Some(_)) => Truth::Unknown,
        (truth, _) => truth,
    }
}

/// The taints of a pool that the other side certainly does not have.
fn only(pool: Option<&Arc<NodePool>>, facts: &[Fact], other: Option<&Arc<NodePool>>) -> Vec<Fact> {
    let taints = pool.map_or(&[][..], |pool| &pool.taints);
    let is_known = |taint: &Taint| {
        let fields = [&taint.key, &taint.value, &taint.effect];
        !fields.into_iter().any(|field| field.is_unknown())
    };
    let is_missing = |taint: &Taint| {
        let Some(other) = other else {
            return true;
        };
        let mut theirs = other.taints.iter().map(|own| &own.taint);
        // A part that is not known may be the same.
        let may_be = |their: &Taint| {
            let pairs = [
                (&taint.key, &their.key),
                (&taint.value, &their.value),
                (&taint.effect, &their.effect),
            ];
            let mut pairs = pairs.into_iter();
            pairs.all(|(one, two)| one == two || one.is_unknown() || two.is_unknown())
        };
        !other.may_have_unknown_taint(taint.key.text()) && !theirs.any(may_be)
    };
    let all = taints.iter().zip(facts);
    let meant = all.filter(|(own, _)| is_known(&own.taint) && is_missing(&own.taint));
    meant.map(|(_, fact)| fact.clone()).collect()
}

/// A pool with its places among the sources of the findings.
fn of_before(pool: &NodePool, moved: &dyn Fn(Span) -> Span) -> NodePool {
    let mut pool = pool.clone();
    pool.span = pool.span.map(moved);
    pool.name_span = pool.name_span.map(moved);
    for taint in &mut pool.taints {
        taint.span = taint.span.map(moved);
        for span in taint.fields.values_mut() {
            *span = moved(*span);
        }
    }
    pool
}

fn pool_fact_of(pool: &Arc<NodePool>, taints: &[Fact], gate: bool, well_known: &WellKnown) -> Fact {
    let fact = pool_fact(pool, taints, gate);
    let purpose = purpose::of(pool, well_known);
    FactBuilder::extend(&fact)
        .text("purpose", purpose)
        .place(pool_span(pool).map(Place::Span))
        .build()
}

/// A workload or pool that one side does not have: every field is empty.
fn missing(kind: FactKind, scope: Scope) -> Fact {
    let fields = vocabulary::fields(kind, scope).into_iter();
    let builder = fields.fold(FactBuilder::new(kind), |builder, (name, ty)| match ty {
        Ty::Bool => builder.bool(name, false),
        Ty::Int => builder.int(name, 0),
        Ty::Text => builder.text(name, ""),
        Ty::TextMap => builder.map(name, []),
        Ty::List(_) => builder.facts(name, []),
        Ty::Fact(_) | Ty::Dyn => builder.unknown(name),
    });
    builder.handle(Handle::Missing, false).build()
}
