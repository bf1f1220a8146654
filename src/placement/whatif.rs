//! What changes on node pools do to each workload. Pods of one shape are judged once.

use std::collections::{BTreeSet, HashMap};

use super::changes::{Applied, PoolAfter};
use super::effects::{Outlook, Seat, Side, outlook};
use super::judgement::{Outcome, shown, stay};
use super::stand::Stand;
use crate::finding::{
    Affected, ChangedCluster, Effect, FilePlace, IdleToleration, Landing, LossReason, PoolNumbers,
    Stay, Verdict, WhatIf,
};
use crate::lint::{Survey, SurveyedCluster};
use crate::model::Truth;
use crate::model::admission::Giver;
use crate::model::node_pool::NodePool;
use crate::model::placement::Moment;
use crate::model::taint::Taint;
use crate::model::toleration::Toleration;
use crate::model::workload::{PodShape, Workload};

/// What changes on the pools of a survey do.
pub fn whatif(survey: &Survey<'_>, applied: &Applied) -> WhatIf {
    let mut found = WhatIf {
        changes: applied.words.clone(),
        ..WhatIf::default()
    };
    for (cluster, after) in survey.clusters.iter().zip(&applied.clusters) {
        let is_same = after.len() == cluster.pools.len() && !after.iter().any(|one| one.touched);
        if !is_same {
            Comparison::new(survey, cluster, after).add_to(&mut found);
        }
    }
    found.affected.sort_by_cached_key(|one| {
        let object = &one.object.object;
        (
            one.effect,
            one.cluster.clone(),
            object.namespace.clone(),
            object.kind.clone(),
            object.name.clone(),
            one.object.place.clone(),
        )
    });
    let of = |one: &IdleToleration| (one.cluster.clone(), one.place.clone(), one.text.clone());
    found.idle.sort_by_cached_key(of);
    found
}

/// A cluster before and after.
struct Comparison<'s> {
    survey: &'s Survey<'s>,
    cluster: &'s SurveyedCluster,
    before: Vec<Stand<'s>>,
    after: &'s [PoolAfter],
    /// The pools after, where they differ.
    changed: Vec<Option<Stand<'s>>>,
    /// Taints that a pool had and does not have any more.
    lost: Vec<Taint>,
}

impl<'s> Comparison<'s> {
    fn new(
        survey: &'s Survey<'s>,
        cluster: &'s SurveyedCluster,
        after: &'s [PoolAfter],
    ) -> Comparison<'s> {
        let before = cluster.pools.iter();
        let before: Vec<_> = before
            .map(|pool| Stand::new(pool, Moment::Lasting))
            .collect();
        let changed: Vec<_> = after
            .iter()
            .map(|one| one.touched.then(|| Stand::new(&one.pool, one.moment())))
            .collect();
        let mut lost: BTreeSet<&Taint> = before.iter().flat_map(|one| &one.taints).collect();
        for (one, changed) in after.iter().zip(&changed) {
            let own = one.from.and_then(|from| before.get(from));
            let stand = changed.as_ref().or(own);
            for taint in stand.iter().flat_map(|stand| &stand.taints) {
                lost.remove(taint);
            }
        }
        let lost = lost.into_iter().cloned().collect();
        Comparison {
            survey,
            cluster,
            before,
            after,
            changed,
            lost,
        }
    }

    fn add_to(&self, found: &mut WhatIf) {
        let mut groups: Vec<Vec<&Workload>> = Vec::new();
        let mut known: HashMap<&PodShape, usize> = HashMap::new();
        let members = self.cluster.workloads.iter();
        for workload in members.filter_map(|at| self.survey.workloads().get(*at)) {
            let next = groups.len();
            let at = *known.entry(&workload.shape).or_insert(next);
            match groups.get_mut(at) {
                Some(group) => group.push(workload),
                None => groups.push(vec![workload]),
            }
        }
        let mut numbers: (Vec<Landing>, Vec<Landing>) = (
            vec![Landing::default(); self.before.len()],
            vec![Landing::default(); self.after.len()],
        );
        for group in &groups {
            self.judge(group, &mut numbers, found);
        }
        found.clusters.push(ChangedCluster {
            name: self.cluster.name.clone(),
            complete: self.cluster.complete,
            workloads: groups.iter().map(Vec::len).sum(),
            pools: self.numbers(numbers),
        });
    }

    /// Judges workloads of one shape.
    fn judge(
        &self,
        group: &[&'s Workload],
        (before, after): &mut (Vec<Landing>, Vec<Landing>),
        found: &mut WhatIf,
    ) {
        let Some(first) = group.first() else {
            return;
        };
        let gate = self.survey.comparison_operators;
        let shape = &first.shape;
        let tolerations = shape.all_tolerations();
        let old = self.before.iter();
        let old: Vec<(Outcome, Seat<'_>)> = old
            .map(|stand| stand.judge(shape, &tolerations, gate))
            .collect();
        let new = self.after.iter().zip(&self.changed);
        let new: Vec<(Outcome, Seat<'_>)> = new
            .filter_map(|(one, changed)| match changed {
                Some(stand) => Some(stand.judge(shape, &tolerations, gate)),
                None => old.get(one.from?).cloned(),
            })
            .collect();
        add(before, &old, group.len());
        add(after, &new, group.len());
        let seats = |side: &[(Outcome, Seat<'s>)]| -> Vec<Seat<'s>> {
            side.iter().map(|(_, seat)| seat.clone()).collect()
        };
        let (old_seats, new_seats) = (seats(&old), seats(&new));
        let pools_known = self.cluster.complete || !shape.selection.telling_labels().is_empty();
        let side = |seats| Side {
            seats,
            tolerations: &tolerations,
            refused: shape.refused.is_some(),
            pools_known,
        };
        if let Some(outlook) = outlook(Some(&side(&old_seats)), Some(&side(&new_seats))) {
            for workload in group {
                let affected = self.affected(workload, &outlook, &new);
                found.affected.push(affected);
            }
        }
        for at in self.idle(shape) {
            let told = group.iter().filter_map(|workload| self.entry(workload, at));
            found.idle.extend(told);
        }
    }

    fn affected(
        &self,
        workload: &Workload,
        outlook: &Outlook<'_>,
        after: &[(Outcome, Seat<'_>)],
    ) -> Affected {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
        let reasons = outlook.decisive.iter().map(|name| {
            let mut all = self.after.iter().zip(after);
            let found = all.find(|(one, _)| one.pool.name == *name);
            self.reason(workload, name, found, outlook.effect == Effect::Evicted)
        });
        Affected {
            object: shown(self.survey, workload),
            cluster: self.cluster.name.clone(),
            effect: outlook.effect,
            stay: outlook.stay,
            before: names(&outlook.before),
            after: names(&outlook.after),
            reasons: reasons.collect(),
        }
    }

    fn reason(
        &self,
        workload: &Workload,
        name: &str,
        found: Option<(&PoolAfter, &(Outcome, Seat<'_>))>,
        is_evicted: bool,
    ) -> LossReason {
        let Some((one, (outcome, seat))) = found else {
            let mut gone = self.cluster.pools.iter();
            let gone = gone.find(|pool| pool.name == *name);
            return LossReason {
                pool: name.to_owned(),
                stay: None,
                plugin: None,
                reason: "the pool is removed".to_owned(),
                taint: None,
                places: gone.and_then(|pool| self.place(pool)).into_iter().collect(),
            };
        };
        let told = outcome.told(self.survey, workload, &one.pool);
        let is_evicted = is_evicted && seat.stay != Stay::Forever;
        let taint = match is_evicted {
            true => self.evicting(workload, &one.pool, seat.stay),
            false => None,
        };
        // Pods that stay for a time can run there.
        let words = match seat.verdict.is_open() {
            true => "tolerated for a time only",
            false => "it is not known",
        };
        let told_reason = told.reason.filter(|_| !seat.verdict.is_open());
        LossReason {
            pool: name.to_owned(),
            stay: is_evicted.then_some(seat.stay),
            plugin: told.plugin.filter(|_| !seat.verdict.is_open()),
            reason: told_reason.unwrap_or_else(|| words.to_owned()),
            taint: taint.or(told.taint.filter(|_| !seat.verdict.is_open())),
            places: told.places,
        }
    }

    /// The taint of a pool that evicts the pods first.
    fn evicting(&self, workload: &Workload, pool: &NodePool, soonest: Stay) -> Option<String> {
        let gate = self.survey.comparison_operators;
        let mut taints = pool.taints.iter().map(|own| &own.taint);
        let found = taints
            .find(|taint| stay(&workload.shape, std::slice::from_ref(*taint), gate) == soonest);
        found.map(ToString::to_string)
    }

    fn place(&self, pool: &NodePool) -> Option<FilePlace> {
        let own = pool.name_span.or(pool.span)?;
        self.survey.place(own)
    }

    /// The written entries of a shape that matched a taint which is gone, and match none that is left.
    fn idle(&self, shape: &PodShape) -> Vec<usize> {
        let gate = self.survey.comparison_operators;
        let entries = shape.on_pods.entries.iter().filter(|entry| entry.certain);
        let written = entries.filter_map(|entry| match entry.giver {
            Giver::Manifest(at) => Some((at, &entry.toleration)),
            Giver::Injected(_) => None,
        });
        let is_idle = |entry: &Toleration| {
            // An entry for every key is meant for whatever comes.
            if entry.key.text() == Some("") {
                return false;
            }
            let matches = |taint: &Taint| entry.tolerates(taint, gate);
            self.lost.iter().any(|taint| matches(taint) == Truth::Yes)
                && self.after.iter().zip(&self.changed).all(|(one, changed)| {
                    let key = entry.key.text();
                    let own = one.from.and_then(|from| self.before.get(from));
                    let mut taints = changed.as_ref().or(own).into_iter().flat_map(|s| &s.taints);
                    !one.pool.may_have_unknown_taint(key)
                        && taints.all(|taint| matches(taint) == Truth::No)
                })
        };
        let idle = written.filter(|(_, entry)| is_idle(entry));
        idle.map(|(at, _)| at).collect()
    }

    fn entry(&self, workload: &Workload, at: usize) -> Option<IdleToleration> {
        let entry = workload.shape.tolerations.get(at)?;
        let located = workload.located.get(at);
        Some(IdleToleration {
            object: shown(self.survey, workload),
            cluster: self.cluster.name.clone(),
            text: entry.to_string(),
            place: located.and_then(|located| self.survey.place(located.entry)),
        })
    }

    fn numbers(&self, (before, after): (Vec<Landing>, Vec<Landing>)) -> Vec<PoolNumbers> {
        let mut pools: Vec<PoolNumbers> = Vec::new();
        for (pool, before) in self.cluster.pools.iter().zip(before) {
            pools.push(PoolNumbers {
                name: pool.name.clone(),
                before: Some(before),
                after: None,
                changed: true,
                place: self.place(pool),
            });
        }
        for (one, after) in self.after.iter().zip(after) {
            match one.from.and_then(|from| pools.get_mut(from)) {
                Some(pool) => {
                    pool.after = Some(after);
                    pool.changed = one.touched;
                }
                None => pools.push(PoolNumbers {
                    name: one.pool.name.clone(),
                    before: None,
                    after: Some(after),
                    changed: true,
                    place: self.place(&one.pool),
                }),
            }
        }
        pools
    }
}

fn add(numbers: &mut [Landing], judged: &[(Outcome, Seat<'_>)], workloads: usize) {
    for (landing, (_, seat)) in numbers.iter_mut().zip(judged) {
        if seat.verdict.is_open() {
            landing.lands += workloads;
        } else if seat.verdict == Verdict::Unknown {
            landing.unknown += workloads;
        }
    }
}
