//! Evaluates rules over facts, once for each distinct input, and turns verdicts into findings with spans.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::Settings;
use super::assignment::{Assignment, Cluster};
use super::caught::{bug_text, caught};
use super::cluster::assign;
use super::exceptions;
use super::facts;
use super::fit;
use super::fixes::Proposals;
use super::gather::Gathered;
use super::giving_way::{self, Found};
use super::ignores;
use super::own_list::OwnList;
use super::place::{self, At};
use super::readers;
use super::search::{self, ClusterFacts};
use super::settled;
use super::spelling;
use super::testimony::{Testimonies, Testimony};
use super::tolerating::Tolerating;
use super::undecided::{self, Reasons};
use super::unread;
use super::usage::Usage;
use crate::finding::{Because, Finding, Label, Object, Open, Problem, Report, Severity};
use crate::model::device::DeviceEntry;
use crate::model::eviction::shadows;
use crate::model::notice::Notice;
use crate::model::vocabulary::Vocabulary;
use crate::model::well_known::WellKnown;
use crate::model::workload::{Level, PodShape, Stands, Workload};
use crate::rule::expression::Bindings;
use crate::rule::fact::Fact;
use crate::rule::schema::{Need, Otherwise, Scope};
use crate::rule::{CROSS_REFERENCE, Judged, Rule, SPELLING, Verdict, says_exhausted};
use crate::source::{SourceId, Span};

/// Judges everything and adds findings and problems to the report. The findings are unsorted and have no fingerprints or
/// fixes yet. Returns the rules' proposals for fixes, and what some rule could not judge.
pub fn judge(
    gathered: &Gathered,
    settings: Settings<'_>,
    well_known: &WellKnown,
    report: &mut Report,
) -> (Proposals, Vec<Open>) {
    let assignment = assign(gathered, settings.config, settings.whole);
    let declared = search::declared_keys(gathered);
    let vocabulary = spelling::vocabulary(gathered, well_known);
    let usage = Usage::new(gathered, &assignment);
    let testimonies = Testimonies::new(gathered, &assignment, &declared, well_known);
    let mut judge = Judge::new(gathered, settings);
    judge.notices(&gathered.notices);
    judge.notices(&spelling::notices(gathered, &vocabulary, settings.config));
    judge.guarded(None, Judge::devices);
    for (at, cluster) in assignment.clusters.iter().enumerate() {
        let facts = ClusterFacts::new(cluster, gathered, &vocabulary, &usage, well_known, settings);
        judge.cluster(at, cluster, &facts, &assignment, &testimonies);
    }
    judge.guarded(None, |judge| {
        judge.pools_alone(&assignment, &vocabulary, &usage, well_known);
    });
    judge.leave_out_exhausted();
    let found = giving_way::one_for_each_mistake(std::mem::take(&mut judge.found));
    let (mut findings, counted) = giving_way::counted(found);
    let (suppressed, remarks) = ignores::apply(&mut findings, gathered, settings);
    counted.take_out(&mut findings, settings.rules, report);
    // A finding about a suppression cannot be suppressed itself.
    judge.notices(&remarks);
    let Judge {
        found,
        proposals,
        failures,
        excepted,
        exhausted,
        open,
        ..
    } = judge;
    exceptions::report_unused(&excepted, gathered, settings, report);
    report.problems.extend(problems(failures));
    report.suppressed = suppressed;
    findings.extend(found.into_iter().map(|found| found.finding));
    findings.retain(|finding| !exhausted.contains(finding.rule.as_str()));
    report.findings = findings;
    (proposals, open)
}

/// A verdict on one entry of a shape: the rule, the index of the entry, the result, and whether the pools are complete for
/// this entry.
type ShapeVerdict<'r> = (&'r Rule, usize, Judged, bool);

/// The verdicts on all entries of a shape, and the first unknown fact that a rule read.
type EntryVerdicts<'r> = (Vec<ShapeVerdict<'r>>, Option<String>);

/// The rules' verdicts on what was read, as they are found.
pub(super) struct Judge<'j> {
    gathered: &'j Gathered,
    settings: Settings<'j>,
    found: Vec<Found>,
    proposals: Proposals,
    failures: BTreeSet<(String, String)>,
    excepted: exceptions::Used,
    /// Rules that exceeded their step limit.
    exhausted: BTreeSet<&'j str>,
    /// Workloads and pools that some rule could not decide.
    open: Vec<Open>,
}

impl<'j> Judge<'j> {
    pub(super) fn new(gathered: &'j Gathered, settings: Settings<'j>) -> Judge<'j> {
        Judge {
            gathered,
            settings,
            found: Vec::new(),
            proposals: Proposals::default(),
            failures: BTreeSet::new(),
            excepted: exceptions::Used::new(),
            exhausted: BTreeSet::new(),
            open: Vec::new(),
        }
    }

    /// How many findings there are.
    pub(super) fn findings(&self) -> usize {
        self.found.len()
    }

    /// The findings, without those of rules that failed and those that give way to others, and the problems of rules.
    pub(super) fn found(mut self) -> (Vec<Finding>, Vec<Problem>) {
        self.leave_out_exhausted();
        let found = giving_way::one_for_each_mistake(self.found);
        let findings = found.into_iter().map(|found| found.finding);
        (findings.collect(), problems(self.failures))
    }

    /// Judges one part. A panic aborts only this part and becomes a problem of its file.
    pub(super) fn guarded(&mut self, source: Option<SourceId>, part: impl FnOnce(&mut Self)) {
        if let Err(why) = caught(|| part(self)) {
            self.stumbled(source, &why);
        }
    }

    fn stumbled(&mut self, source: Option<SourceId>, why: &str) {
        let file = source.map_or(".", |source| self.gathered.path(source));
        let file = file.to_owned();
        self.failures.insert((file, bug_text("judged", why)));
    }

    pub(super) fn rules(&self, scope: Scope) -> Vec<&'j Rule> {
        self.settings
            .rules
            .iter()
            .filter(|rule| rule.scope == scope)
            .filter(|rule| {
                !self
                    .settings
                    .config
                    .rules
                    .get(&rule.id)
                    .is_some_and(|setting| setting.off)
            })
            .collect()
    }

    /// Drops the findings of rules that exceeded their step limit, since they depend on the order of judging.
    fn leave_out_exhausted(&mut self) {
        let exhausted = &self.exhausted;
        self.found
            .retain(|found| !exhausted.contains(found.finding.rule.as_str()));
    }

    fn notices(&mut self, notices: &[Notice]) {
        let rules = self.rules(Scope::Notice);
        let kubernetes = facts::kubernetes(self.settings.config);
        for notice in notices {
            self.guarded(Some(notice.span.source), |judge| {
                judge.notice(notice, &rules, &kubernetes);
            });
        }
    }

    fn notice(&mut self, notice: &Notice, rules: &[&'j Rule], kubernetes: &Fact) {
        let path = self.gathered.scanned_path(notice.span.source);
        let reader = readers::of(notice, path, self.settings.table);
        let (fact, owner) = readers::facts(notice, reader, path);
        let bindings = Bindings::default()
            .fact("kubernetes", kubernetes)
            .fact("notice", &fact)
            .fact("workload", &owner);
        for rule in rules {
            let at = At {
                span: notice.span,
                path: notice.path.clone(),
            };
            if let Some(verdict) = self.verdict(rule, asked(rule, &bindings)) {
                let severity = verdict.severity;
                let mut labels = place::labels(&verdict.said(severity).related, None);
                labels.extend(notice.related.iter().cloned());
                let object = &notice.object;
                let (span, path) = (at.span, at.path.clone());
                let locate = |_: &str| {
                    Some(At {
                        span,
                        path: path.clone(),
                    })
                };
                let place = Place::of(object, at, labels);
                self.push(rule, &verdict, severity, &locate, place);
            }
        }
    }

    fn devices(&mut self) {
        let taints = self.rules(Scope::DeviceTaint);
        let tolerations = self.rules(Scope::DeviceToleration);
        let kubernetes = facts::kubernetes(self.settings.config);
        for placed in &self.gathered.devices {
            let (name, fact, owner) = facts::device(placed);
            let bindings = Bindings::default()
                .fact("kubernetes", &kubernetes)
                .fact(name, &fact)
                .fact("workload", &owner);
            let rules = match placed.entry {
                DeviceEntry::Taint(_) => &taints,
                DeviceEntry::Toleration(_) => &tolerations,
            };
            for rule in rules {
                if let Some(verdict) = self.verdict(rule, asked(rule, &bindings)) {
                    let locate = |at: &str| {
                        let field = at.split_once('.').map_or("", |(_, field)| field);
                        Some(place::of_located(&placed.located, field))
                    };
                    let Some(at) = locate(&rule.at) else {
                        continue;
                    };
                    let severity = verdict.severity;
                    let labels = place::labels(&verdict.said(severity).related, None);
                    let place = Place::of(&placed.object, at, labels);
                    self.push(rule, &verdict, severity, &locate, place);
                }
            }
        }
    }

    fn cluster(
        &mut self,
        at: usize,
        cluster: &Cluster,
        facts: &ClusterFacts<'_>,
        assignment: &Assignment,
        testimonies: &Testimonies,
    ) {
        // Workloads of one shape are judged separately if the testimony about them differs.
        let mut shapes: BTreeMap<(&Arc<PodShape>, usize), Vec<&Workload>> = BTreeMap::new();
        for index in assignment.members(at) {
            let workload = &self.gathered.workloads[*index];
            let judged = (&workload.shape, testimonies.number(*index));
            shapes.entry(judged).or_default().push(workload);
        }
        let applies = |rule: &&Rule| {
            let needs_pools = rule.needs(Need::Pools)
                || (rule.needs(Need::CompletePools) && rule.stands.is_none());
            !(needs_pools && cluster.pools.is_empty()) && rule.dares(cluster.complete)
        };
        let entry_rules: Vec<&Rule> = self
            .rules(Scope::Toleration)
            .into_iter()
            .filter(applies)
            .collect();
        let workload_rules: Vec<&Rule> = self
            .rules(Scope::Workload)
            .into_iter()
            .filter(applies)
            .collect();
        let mut part_rules = workload_rules.clone();
        part_rules.retain(|rule| rule.of_parts);
        let shapes: Vec<(&Arc<PodShape>, &Testimony, Vec<&Workload>)> = shapes
            .into_iter()
            .filter_map(|((shape, number), workloads)| {
                Some((shape, testimonies.get(number)?, workloads))
            })
            .collect();
        let judged: Vec<Result<EntryVerdicts<'_>, String>> = shapes
            .par_iter()
            .map(|(shape, testimony, _)| {
                caught(|| judge_entries(shape, testimony, facts, &entry_rules))
            })
            .collect();
        for ((shape, testimony, workloads), judged) in shapes.iter().zip(judged) {
            let source = workloads.first().map(|workload| workload.source);
            let (verdicts, open) = match judged {
                Ok(judged) => judged,
                Err(why) => {
                    self.stumbled(source, &why);
                    continue;
                }
            };
            for (rule, index, judged, complete) in verdicts {
                let Some(verdict) = self.verdict(rule, judged) else {
                    continue;
                };
                // Entries that a chart has by default are judged where they are written.
                let is_default = |one: &Workload| {
                    one.shape.level == Level::Chart && one.located.get(index).is_none()
                };
                for workload in workloads.iter().filter(|one| !is_default(one)) {
                    let locate = |at: &str| {
                        let field = match at {
                            "toleration.deviation" => testimony.deviating_field(index),
                            at => at.strip_prefix("toleration.").unwrap_or_default(),
                        };
                        place::of_toleration(workload, index, field)
                    };
                    let cluster = (cluster, complete);
                    self.push_workload(rule, &verdict, &locate, workload, cluster);
                }
            }
            let is_part = is_telling_part(shape);
            if shape.level.has_owner() || is_part {
                let rules = match is_part {
                    true => &part_rules,
                    false => &workload_rules,
                };
                self.guarded(source, |judge| {
                    let asks = !rules.is_empty();
                    let question = Question {
                        rules,
                        searched: asks.then(|| fit::search(facts, shape, testimony)),
                        open: open.as_deref(),
                    };
                    judge.workloads(shape, workloads, facts, cluster, &question);
                });
            }
        }
        self.guarded(None, |judge| {
            judge.pools(cluster, facts, &shapes, assignment, at);
        });
    }

    /// Runs the rules of scope workload.
    fn workloads(
        &mut self,
        shape: &Arc<PodShape>,
        workloads: &[&Workload],
        facts: &ClusterFacts<'_>,
        cluster: &Cluster,
        question: &Question<'_, 'j>,
    ) {
        let searched = question.searched.as_ref();
        let is_part = is_telling_part(shape);
        let as_read = shape.as_read().filter(|_| is_part);
        let whole = as_read.as_ref().unwrap_or(shape);
        let (is_literal, selects) = (whole.is_literal(), whole.selects_literally());
        let rules: Vec<&Rule> = question
            .rules
            .iter()
            .filter(|rule| !rule.needs(Need::Literal) || is_literal)
            .filter(|rule| !rule.needs(Need::LiteralSelector) || selects)
            .copied()
            .collect();
        let rules: Vec<&Rule> = match searched {
            // Most rules find nothing in most shapes, so ask once per shape before asking per workload.
            Some(searched) => {
                let bindings = bind(facts).fact("workload", searched);
                rules
                    .into_iter()
                    .filter(|rule| !rule.spares(&bindings))
                    .collect()
            }
            None => rules,
        };
        let mut reasons = Reasons::default();
        let literal = shape.is_literal();
        let is_unserved = LazyCell::new(|| settled::is_unserved(facts, whole));
        let unplaced = searched.filter(|_| literal);
        let unplaced = unplaced.and_then(|_| undecided::placement(shape, facts));
        for workload in workloads {
            // Most patches say too little about their object to be judged. A RuntimeClass has no pods.
            let is_judged = match workload.stands {
                Stands::Alone => true,
                Stands::InPart => is_part && workload.list.is_some(),
                Stands::ForOthers => false,
            };
            if !is_judged {
                continue;
            }
            let mut open = question.open.map(str::to_owned);
            let mut is_said = false;
            if let Some(searched) = searched {
                let path = self.gathered.scanned_path(workload.source);
                let named =
                    settled::named(facts, searched, workload, is_tried_out(path), *is_unserved);
                let bindings = bind(facts).fact("workload", &named);
                for rule in &rules {
                    let judged = asked(rule, &bindings);
                    note_unknown(&mut open, &judged);
                    if let Some(verdict) = self.verdict(rule, judged) {
                        is_said |= rule.has_tag(CROSS_REFERENCE);
                        let locate = |at: &str| place::of_workload(workload, at);
                        let cluster = (cluster, cluster.complete);
                        self.push_workload(rule, &verdict, &locate, workload, cluster);
                    }
                }
            }
            if is_part {
                continue;
            }
            // A workload that is not literal was already listed when it was read.
            let listed = self.gathered.listed.contains(&workload.span) && !literal;
            let asked = open.filter(|_| !listed);
            let asked = asked.and_then(|what| reasons.because(shape, facts, &what));
            // The place was judged if a finding mentions it.
            let unplaced = unplaced.iter().filter(|_| !is_said).cloned();
            for because in unplaced.chain(asked) {
                let open = Open::object(workload.span, &workload.object, because);
                self.open.push(open);
            }
        }
    }

    /// Runs the pool rules: the pools of a cluster against all its workloads.
    fn pools(
        &mut self,
        cluster: &Cluster,
        facts: &ClusterFacts<'_>,
        shapes: &[(&Arc<PodShape>, &Testimony, Vec<&Workload>)],
        assignment: &Assignment,
        at: usize,
    ) {
        let rules: Vec<&Rule> = self
            .rules(Scope::Pool)
            .into_iter()
            .filter(|rule| rule.dares(cluster.complete))
            .collect();
        // Several inferred clusters may have the same pools; report these once. Configured clusters are separate.
        if cluster.name.is_none()
            && assignment
                .clusters
                .get(..at)
                .unwrap_or_default()
                .iter()
                .any(|other| other.name.is_none() && other.pools == cluster.pools)
        {
            return;
        }
        let gate = self.settings.config.comparison_operators();
        let unread = self.unread_tolerations(cluster);
        let tolerating = Tolerating::of(shapes.iter().map(|(shape, _, _)| *shape), gate);
        for (index, pool) in facts.models.iter().enumerate() {
            let tolerated = tolerating.is_tolerated(pool);
            let fact = crate::rule::fact::FactBuilder::extend(&facts.pools[index]);
            let fact = if tolerated || unread.is_none() {
                fact.bool("tolerated", tolerated).build()
            } else {
                fact.unknown("tolerated").build()
            };
            let bindings = bind(facts).fact("pool", &fact);
            for rule in &rules {
                let judged = asked(rule, &bindings);
                if matches!(&judged, Judged::Unknown(what) if what == "tolerated") {
                    let source = self.gathered.pools[cluster.pools[index]].source;
                    let because = unread.map(Because::UnreadTolerations);
                    let span = unread::pool_span(pool, source);
                    let open = |because| Open::object(span, &pool.object, because);
                    self.open.extend(because.map(open));
                }
                let Some(verdict) = self.verdict(rule, judged) else {
                    continue;
                };
                let Some(at) = place::of_pool(pool, &rule.at) else {
                    continue;
                };
                let standing = (cluster, cluster.complete);
                let Some(severity) = self.lower(rule, &verdict, standing, at.span.source) else {
                    continue;
                };
                let labels = place::labels(&verdict.said(severity).related, None);
                let before = self.found.len();
                let place = Place {
                    cluster: cluster.name.clone(),
                    ..Place::of(&pool.object, at, labels)
                };
                let locate = |at: &str| place::of_pool(pool, at);
                self.push(rule, &verdict, severity, &locate, place);
                self.mark_undecided(before, rule, &verdict, cluster.complete);
            }
        }
    }

    /// The first unparsed document of the cluster that mentions tolerations.
    fn unread_tolerations(&self, cluster: &Cluster) -> Option<Span> {
        let config = self.settings.config;
        let named = |name: &String| config.clusters.iter().position(|one| one.name == *name);
        match cluster.name.as_ref().and_then(named) {
            Some(at) => self
                .gathered
                .first_unread(config, at, |unread| unread.tolerations),
            None => {
                let mut unread = self.gathered.unread.iter();
                let found = unread.find(|(_, unread)| unread.tolerations);
                found.map(|(span, _)| *span)
            }
        }
    }

    /// Runs the taint rules once for each pool, whether or not it serves any workload.
    fn pools_alone(
        &mut self,
        assignment: &Assignment,
        vocabulary: &Vocabulary<'_>,
        usage: &Usage<'_>,
        well_known: &WellKnown,
    ) {
        let rules = self.rules(Scope::Taint);
        let mut names: BTreeMap<usize, &String> = BTreeMap::new();
        for cluster in &assignment.clusters {
            let Some(name) = &cluster.name else { continue };
            for index in &cluster.pools {
                names.entry(*index).or_insert(name);
            }
        }
        let serving: BTreeSet<usize> = assignment
            .clusters
            .iter()
            .flat_map(|cluster| cluster.pools.iter().copied())
            .collect();
        for index in 0..self.gathered.pools.len() {
            let named = names.get(&index).map(|name| (*name).clone());
            let alone = Cluster {
                name: named.clone(),
                pools: vec![index],
                ..Cluster::default()
            };
            let facts = ClusterFacts::new(
                &alone,
                self.gathered,
                vocabulary,
                usage,
                well_known,
                self.settings,
            );
            if !serving.contains(&index) {
                // The pool serves none of the workloads, but it is still a pool.
                self.pools(&alone, &facts, &[], assignment, assignment.clusters.len());
            }
            let pool = &self.gathered.pools[index].pool;
            let repeated = facts::repeated_taints(pool);
            let mut open = None;
            for (at, taint) in pool.taints.iter().enumerate() {
                let fact = facts::judged_taint(&facts.taints[0][at], taint, repeated[at]);
                let bindings = bind(&facts)
                    .fact("taint", &fact)
                    .fact("pool", &facts.pools[0]);
                for rule in &rules {
                    let judged = asked(rule, &bindings);
                    note_unknown(&mut open, &judged);
                    let Some(verdict) = self.verdict(rule, judged) else {
                        continue;
                    };
                    if let Some(at) = place::of_taint(pool, taint, &rule.at) {
                        let severity = verdict.severity;
                        let labels = place::labels(&verdict.said(severity).related, None);
                        let place = Place {
                            cluster: named.clone(),
                            ..Place::of(&pool.object, at, labels)
                        };
                        let locate = |at: &str| place::of_taint(pool, taint, at);
                        self.push(rule, &verdict, severity, &locate, place);
                    }
                }
            }
            if open.is_some() && pool.complete {
                let span = unread::pool_span(pool, self.gathered.pools[index].source);
                let open = Open::object(span, &pool.object, Because::OwnValues);
                self.open.push(open);
            }
        }
    }

    /// The verdict, if there is one. An error in the rule is recorded as a problem.
    pub(super) fn verdict(&mut self, rule: &'j Rule, judged: Judged) -> Option<Verdict> {
        match judged {
            Judged::Verdict(verdict) => Some(verdict),
            Judged::Nothing | Judged::Unknown(_) => None,
            Judged::Failed(why) => {
                if says_exhausted(&why) {
                    self.exhausted.insert(&rule.id);
                }
                self.failures.insert((
                    rule.file.clone(),
                    format!("rule {} could not be evaluated: {why}", rule.id),
                ));
                None
            }
        }
    }

    /// The severity after taking completeness and the kind of path into account, or `None` if there is no finding. With
    /// the cluster comes whether its pools are complete for what the verdict is about.
    pub(super) fn lower(
        &self,
        rule: &Rule,
        verdict: &Verdict,
        (cluster, complete): (&Cluster, bool),
        source: SourceId,
    ) -> Option<Severity> {
        let incomplete = rule.needs(Need::CompletePools) && !complete;
        if incomplete && !verdict.stands && rule.otherwise == Otherwise::Off {
            return None;
        }
        let path = self.gathered.path(source);
        let scanned = self.gathered.scanned_path(source);
        // A configured cluster is never a test, whatever its folder is called.
        let is_test = !cluster.configured
            && rule.has_tag(CROSS_REFERENCE)
            && match rule.has_tag(SPELLING) {
                true => self.settings.config.is_test_or_archive(path, scanned),
                false => self.settings.config.is_test(path, scanned),
            };
        Some(match verdict.severity {
            _ if is_test || (incomplete && !verdict.stands) => Severity::Note,
            Severity::Error if incomplete => Severity::Warning,
            severity => severity,
        })
    }

    fn push_workload(
        &mut self,
        rule: &Rule,
        verdict: &Verdict,
        locate: &dyn Fn(&str) -> At,
        workload: &Workload,
        (cluster, complete): (&Cluster, bool),
    ) {
        let standing = (cluster, complete);
        let Some(severity) = self.lower(rule, verdict, standing, workload.source) else {
            return;
        };
        let labels = place::labels(&verdict.said(severity).related, Some(workload));
        let name = if rule.has_tag(CROSS_REFERENCE) {
            cluster.name.clone()
        } else {
            None
        };
        let at = locate(&rule.at);
        let locate = |at: &str| Some(locate(at));
        let place = Place {
            cluster: name,
            ..Place::of(&workload.object, at, labels)
        };
        let before = self.found.len();
        self.push(rule, verdict, severity, &locate, place);
        self.mark_undecided(before, rule, verdict, complete);
    }

    /// Marks the findings since `before` that are notes only because pools are missing.
    pub(super) fn mark_undecided(
        &mut self,
        before: usize,
        rule: &Rule,
        verdict: &Verdict,
        complete: bool,
    ) {
        let undecided = rule.needs(Need::CompletePools)
            && !complete
            && !verdict.stands
            && verdict.severity != Severity::Note;
        for found in self.found.iter_mut().skip(before) {
            found.finding.undecided = undecided;
        }
    }

    pub(super) fn push(
        &mut self,
        rule: &Rule,
        verdict: &Verdict,
        severity: Severity,
        locate: &dyn Fn(&str) -> Option<At>,
        place: Place<'_>,
    ) {
        let Place {
            object,
            at,
            cluster,
            related,
        } = place;
        let file = self.gathered.path(at.span.source);
        // The message follows what is proven, whatever severity the configuration sets.
        let said = verdict.said(severity);
        let mut severity = severity;
        if let Some(setting) = self.settings.config.rules.get(&rule.id) {
            let excepting = setting.except.covering(
                Some(object.kind.as_str()).filter(|kind| !kind.is_empty()),
                object.namespace.as_deref(),
                object.name.as_deref(),
                file,
            );
            if !excepting.is_empty() {
                let excepting = excepting.into_iter().map(|at| (rule.id.clone(), at));
                self.excepted.extend(excepting);
                return;
            }
            // The configured severity applies to the rule's strongest verdict. Anything unproven stays a note.
            if let Some(wanted) = setting.severity
                && (severity != Severity::Note || verdict.severity == Severity::Note)
            {
                severity = wanted;
            }
        }
        let finding = Finding {
            rule: rule.id.clone(),
            severity,
            message: said.message.clone(),
            help: said.help.clone(),
            span: at.span,
            path: at.path,
            cluster,
            object: object.clone(),
            related,
            fix: None,
            fingerprint: String::new(),
            fingerprint_anywhere: String::new(),
            undecided: false,
            occurrences: 1,
        };
        self.proposals.add(&finding, &verdict.fixes, locate);
        let about = locate(rule.scope.subject()).map_or(finding.span, |at| at.span);
        self.found.push(Found {
            finding,
            scope: rule.scope,
            about,
            gives_way_to: verdict.gives_way_to.clone(),
            counted: verdict.counted && !self.settings.rules.is_asked_for(&rule.id),
        });
    }
}

fn problems(failures: BTreeSet<(String, String)>) -> Vec<Problem> {
    let failures = failures.into_iter();
    let problem = |(file, message)| Problem {
        file: Some(file),
        position: None,
        message,
    };
    failures.map(problem).collect()
}

/// Whether a shape is a part of pods that says enough to be judged by the rules for parts: it requires labels, and it has
/// tolerations.
fn is_telling_part(shape: &PodShape) -> bool {
    let selection = &shape.selection;
    let selects = !selection.node_selector.is_empty() || !selection.required.is_absent();
    selection.partial && selects && !shape.tolerations.is_empty() && shape.level.is_verbatim()
}

/// The rules to ask about the workloads of one shape.
struct Question<'q, 'j> {
    rules: &'q [&'j Rule],
    /// The shape with its matching pools, or `None` if no rule needs it.
    searched: Option<Fact>,
    /// The unknown fact that a rule about their entries read.
    open: Option<&'q str>,
}

/// The place of a finding.
pub(super) struct Place<'p> {
    pub(super) object: &'p Object,
    pub(super) at: At,
    pub(super) cluster: Option<String>,
    pub(super) related: Vec<Label>,
}

impl<'p> Place<'p> {
    /// A place outside any particular cluster.
    fn of(object: &'p Object, at: At, related: Vec<Label>) -> Place<'p> {
        Place {
            object,
            at,
            cluster: None,
            related,
        }
    }
}

/// Records the first unknown fact that a rule read.
fn note_unknown(open: &mut Option<String>, judged: &Judged) {
    if let Judged::Unknown(what) = judged {
        open.get_or_insert_with(|| what.clone());
    }
}

/// The verdicts on the entries of a shape, and the first unknown fact that a rule read.
fn judge_entries<'r>(
    shape: &Arc<PodShape>,
    testimony: &Testimony,
    facts: &ClusterFacts<'_>,
    rules: &[&'r Rule],
) -> EntryVerdicts<'r> {
    let (mut verdicts, mut open) = (Vec::new(), None);
    if shape.tolerations.is_empty() {
        return (verdicts, open);
    }
    let workload: Fact = facts.shape(shape);
    let list = OwnList::of(shape, facts.comparison_operators);
    let shadows = shadows(&shape.tolerations);
    for (index, shadow) in shadows.into_iter().enumerate() {
        let toleration = facts.toleration(&list, shadow, index, testimony);
        let settled = settled::settles(facts, shape, index);
        let bindings = bind_if(facts, settled)
            .fact("toleration", &toleration)
            .fact("workload", &workload);
        let complete = facts.is_complete && settled;
        for rule in rules {
            if (rule.needs(Need::Literal) && !shape.is_literal()) || !rule.dares(complete) {
                continue;
            }
            // Only the first unknown fact counts, and long lists are worth a shorter way.
            if open.is_some() && rule.begins_unknown(&bindings) {
                continue;
            }
            match asked(rule, &bindings) {
                Judged::Nothing => {}
                Judged::Unknown(what) => {
                    open.get_or_insert(what);
                }
                judged => verdicts.push((*rule, index, judged, complete)),
            }
        }
    }
    (verdicts, open)
}

/// Whether a file only exercises scheduling: it is a test, or it belongs to a scheduler or a cluster simulator, which place
/// pods themselves.
fn is_tried_out(path: &str) -> bool {
    const TESTS: [&str; 6] = [
        "conformance",
        "e2e",
        "fixtures",
        "test",
        "testdata",
        "tests",
    ];
    const TOOLS: [&str; 4] = ["scheduler", "scheduling", "simulator", "kwok"];
    let mut parts = path.split('/').map(str::to_ascii_lowercase);
    parts.any(|part| TESTS.contains(&part.as_str()) || TOOLS.iter().any(|tool| part.contains(tool)))
}

/// Evaluates a rule. A panic counts as a failed evaluation.
pub(super) fn asked(rule: &Rule, bindings: &Bindings) -> Judged {
    caught(|| rule.judge(bindings)).unwrap_or_else(|why| Judged::Failed(bug_text("judged", &why)))
}

fn bind(facts: &ClusterFacts<'_>) -> Bindings {
    bind_if(facts, true)
}

/// The facts of the cluster for a question that the pools' taints settle, or that they leave open.
fn bind_if(facts: &ClusterFacts<'_>, settled: bool) -> Bindings {
    Bindings::default()
        .fact("kubernetes", &facts.kubernetes)
        .fact("cluster", facts.cluster_if(settled))
        .facts("pools", &facts.all_pools)
}
