//! Evaluates the rules of scope `change`: on two revisions of a repository, once for each workload and pool that a change
//! does something to.

use std::collections::BTreeSet;

use super::Settings;
use super::assignment::Cluster;
use super::change_facts::{ChangeFacts, Sides};
use super::cluster_change::ClusterChange;
use super::ignores;
use super::judge::{Judge, Place, asked};
use super::moved::Moved;
use super::place::{self, At};
use super::survey::Survey;
use super::{identity, several};
use crate::finding::{Finding, Label, Report};
use crate::model::node_pool::NodePool;
use crate::model::well_known::WellKnown;
use crate::model::workload::Workload;
use crate::rule::expression::Bindings;
use crate::rule::fact;
use crate::rule::schema::{Need, Scope};
use crate::rule::{Rule, Verdict};
use crate::source::{SourceId, Span};
use crate::yaml::join;

/// The rules of scope `change`, and what they have found.
pub struct OnChange<'c> {
    base: &'c Survey<'c>,
    head: &'c Survey<'c>,
    settings: Settings<'c>,
    well_known: WellKnown,
    of_workloads: Vec<&'c Rule>,
    of_pools: Vec<&'c Rule>,
    judge: Judge<'c>,
    moved: Moved<'c>,
}

/// A workload or pool, for findings about it.
struct Subject<'a> {
    change: &'a ClusterChange<'a>,
    after: After<'a>,
    /// Whether everything about it could be read, on both sides, and whether all its selectors could.
    is_literal: (bool, bool),
    facts: &'a ChangeFacts<'a>,
    sides: Sides,
}

/// What there is after the change.
#[derive(Clone, Copy)]
enum After<'a> {
    Workload(&'a Workload),
    /// The pool, or the one that is gone.
    Pool(&'a NodePool, bool),
}

impl<'c> OnChange<'c> {
    /// The rules of a run, for findings on the side after.
    pub fn new(base: &'c Survey<'c>, head: &'c Survey<'c>, settings: Settings<'c>) -> OnChange<'c> {
        let judge = Judge::new(head.gathered(), settings);
        OnChange {
            base,
            head,
            settings,
            well_known: WellKnown::new(settings.table.well_known_taints()),
            of_workloads: judge.rules(Scope::Change),
            of_pools: judge.rules(Scope::PoolChange),
            judge,
            moved: Moved::new(base, head),
        }
    }

    /// Whether there is any rule.
    pub fn asks(&self) -> bool {
        !(self.of_workloads.is_empty() && self.of_pools.is_empty())
    }

    /// Evaluates the rules on what a change does in a cluster.
    pub fn cluster(&mut self, change: &ClusterChange<'_>) {
        if change.workloads.is_empty() && change.pools.is_empty() {
            return;
        }
        let OnChange { judge, moved, .. } = self;
        let surveys = (self.base, self.head);
        let facts = ChangeFacts::new(change, surveys, self.settings, &self.well_known);
        for (at, one) in change.workloads.iter().enumerate() {
            let sides = || facts.of_workload((at, one), &|span| moved.span(span));
            let shapes = || {
                let both = one.before.into_iter().chain([one.after]);
                both.map(|workload| &workload.shape)
            };
            let is_literal = (
                shapes().all(|shape| shape.is_literal()),
                shapes().all(|shape| shape.selects_literally()),
            );
            let source = one.after.source;
            judge.guarded(Some(source), |judge| {
                let subject = Subject {
                    change,
                    after: After::Workload(one.after),
                    is_literal,
                    facts: &facts,
                    sides: sides(),
                };
                subject.ask(&self.of_workloads, judge, moved);
            });
        }
        for (before, after) in &change.pools {
            let Some(shown) = after.as_ref().or(before.as_ref()) else {
                continue;
            };
            judge.guarded(None, |judge| {
                let sides = (before.as_ref(), after.as_ref());
                let subject = Subject {
                    change,
                    after: After::Pool(shown, after.is_none()),
                    is_literal: (true, true),
                    facts: &facts,
                    sides: facts.of_pool(sides, &|span| moved.span(span)),
                };
                subject.ask(&self.of_pools, judge, moved);
            });
        }
    }

    /// The findings. Those that a comment suppresses, the texts that they point into, and the problems of rules go to the
    /// report on the side after.
    pub fn finish(self, report: &mut Report) -> Vec<Finding> {
        let (mut findings, problems) = self.judge.found();
        report.problems.extend(problems);
        report.problems.sort();
        report.problems.dedup();
        for finding in &mut findings {
            finding.span = self.moved.settled(finding.span);
            for label in &mut finding.related {
                label.span = self.moved.settled(label.span);
            }
        }
        let gathered = self.head.gathered();
        let mut suppressed = ignores::take_out(&mut findings, gathered, self.settings);
        let taken_out = suppressed.iter().map(|one| &one.finding);
        let spans = findings.iter().chain(taken_out).flat_map(|finding| {
            let related = finding.related.iter().map(|label| label.span);
            related.chain([finding.span])
        });
        let mut wanted: BTreeSet<SourceId> = spans.map(|span| span.source).collect();
        wanted.extend(suppressed.iter().map(|one| one.by.source));
        for id in wanted {
            if report.sources.contains_key(&id) {
                continue;
            }
            let source = match self.moved.original(id) {
                Some(original) => self.base.texts().source(original),
                None => self.head.texts().source(id),
            };
            report
                .sources
                .extend(source.map(|source| (id, (*source).clone())));
        }
        several::join(&mut findings);
        identity::finish(&mut findings, &gathered.paths, &report.sources);
        identity::finish_suppressed(&mut suppressed, &gathered.paths, &report.sources);
        report.counts.suppressed += u32::try_from(suppressed.len()).unwrap_or(u32::MAX);
        report.suppressed.extend(suppressed);
        findings
    }
}

impl Subject<'_> {
    fn ask<'r>(&self, rules: &[&'r Rule], judge: &mut Judge<'r>, moved: &Moved<'_>) {
        let bindings = Bindings::default()
            .fact("kubernetes", &self.facts.kubernetes)
            .fact("cluster", &self.facts.cluster)
            .facts("pools", &self.facts.pools)
            .fact("before", &self.sides.before)
            .fact("after", &self.sides.after)
            .fact("change", &self.sides.change);
        for rule in rules.iter().filter(|rule| self.is_answerable(rule)) {
            if let Some(verdict) = judge.verdict(rule, asked(rule, &bindings)) {
                self.push(rule, &verdict, judge, moved);
            }
        }
    }

    fn is_answerable(&self, rule: &Rule) -> bool {
        let has_pools = self
            .change
            .after
            .is_some_and(|after| !after.pools.is_empty());
        (!rule.needs(Need::Pools) || has_pools)
            && (!rule.needs(Need::Literal) || self.is_literal.0)
            && (!rule.needs(Need::LiteralSelector) || self.is_literal.1)
            && rule.dares(self.change.complete)
    }

    fn push<'r>(
        &self,
        rule: &'r Rule,
        verdict: &Verdict,
        judge: &mut Judge<'r>,
        moved: &Moved<'_>,
    ) {
        let cluster = Cluster {
            name: Some(self.change.name.to_owned()),
            configured: self.change.is_configured,
            complete: self.change.complete,
            ..Cluster::default()
        };
        // The severity may choose other sentences, but not another place.
        let told = place::labels(&verdict.said(verdict.severity).related, None);
        let (at, lost) = self.at(rule, verdict, &told, moved);
        let complete = self.change.complete;
        let Some(severity) = judge.lower(rule, verdict, (&cluster, complete), at.span.source)
        else {
            return;
        };
        let mut related = place::labels(&verdict.said(severity).related, None);
        related.retain(|label| label.span != at.span);
        if let Some(span) = lost
            && related.iter().all(|label| label.span != span)
            && span != at.span
        {
            let message = "before the change".to_owned();
            related.push(Label { span, message });
        }
        let before = judge.findings();
        let (span, path) = (at.span, at.path.clone());
        let locate = |_: &str| {
            Some(At {
                span,
                path: path.clone(),
            })
        };
        let place = Place {
            object: match self.after {
                After::Workload(workload) => &workload.object,
                After::Pool(pool, _) => &pool.object,
            },
            at,
            cluster: Some(self.change.name.to_owned()),
            related,
        };
        judge.push(rule, verdict, severity, &locate, place);
        judge.mark_undecided(before, rule, verdict, complete);
    }

    /// The first place that the rule points to on the side after. If there is none, the list or the object that still is
    /// there, else the first related place that is, else the place before. Also returns what it points to before the
    /// change, if it is gone.
    fn at(
        &self,
        rule: &Rule,
        verdict: &Verdict,
        related: &[Label],
        moved: &Moved<'_>,
    ) -> (At, Option<Span>) {
        let spans = verdict.at.iter().filter_map(|place| match place {
            fact::Place::Span(span) | fact::Place::Implied(span) => Some(*span),
            fact::Place::Entry(_) | fact::Place::Selector(_) => None,
        });
        let spans: Vec<Span> = spans.collect();
        let is_after = |span: &Span| moved.original(span.source).is_none();
        if let Some(span) = spans.iter().copied().find(is_after) {
            return (self.with_path(span), None);
        }
        let lost = spans.first().copied();
        let nowhere = Span::new(SourceId::CONFIGURATION, 0..0);
        let at = match self.after {
            After::Workload(workload) => {
                let is_entry = rule.at != "after" && workload.list.is_some();
                let word = if is_entry {
                    "workload.tolerations"
                } else {
                    "workload"
                };
                place::of_workload(workload, word)
            }
            After::Pool(pool, false) => place::of_pool(pool, "pool").unwrap_or_else(|| At {
                span: lost.unwrap_or(nowhere),
                path: String::new(),
            }),
            After::Pool(pool, true) => {
                let mut there = related.iter().map(|label| label.span);
                let own = || {
                    let own = pool.name_span.or(pool.span);
                    own.map(|span| moved.span(span)).or(lost)
                };
                let span = there.find(is_after).or_else(own);
                self.with_path(span.unwrap_or(nowhere))
            }
        };
        (at, lost)
    }

    fn with_path(&self, span: Span) -> At {
        let path = match self.after {
            After::Workload(workload) => {
                let mut entries = workload.located.iter();
                let entry = entries.find(|located| located.entry == span);
                match entry {
                    Some(entry) => entry.path.clone(),
                    None if workload.list == Some(span) => join(&workload.path, "tolerations"),
                    None if workload.span == span => "metadata.name".to_owned(),
                    None => String::new(),
                }
            }
            After::Pool(pool, _) => {
                let mut taints = pool.taints.iter();
                let taint = taints.find(|taint| taint.span == Some(span));
                taint.map_or_else(String::new, |taint| taint.path.clone())
            }
        };
        At { span, path }
    }
}
