//! What a change of a repository does to placement: each cluster before and after, pool by pool and object by object.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cluster_difference::ClusterDifference;
use super::judgement::shown_object;
use super::pairs::{self, ObjectKey, Pair};
use super::pool_pairs::ClusterSides;
use super::stand::of_side;
use crate::finding::{
    Cause, CausePlace, ChangeFinding, ComparedCluster, Difference, Effect, FilePlace, Finding,
    FindingDifference, Object, PlacementEffect, Presence, Standing,
};
use crate::lint::{Examination, OnChange, Renames, Settings, Survey, compare};
use crate::model::workload::Workload;
use crate::rule::RuleSet;
use crate::rule::schema::Scope;
use crate::source::{SourceId, Span};

/// The tag of rules whose errors say that the API server rejects an object.
const REJECTED: &str = "api-server";
/// The tag of rules of scope `change` that say what the effects on placement say, too.
const PLACEMENT: &str = "placement";
/// The tag of rules about lists that nothing reads.
const UNREAD: &str = "not-read";

/// Compares two states of a repository, with the settings of the state after. `files` says which files had another name before.
pub fn difference(
    base: Examination<'_>,
    head: Examination<'_>,
    settings: Settings<'_>,
    files: BTreeMap<String, String>,
) -> Difference {
    let rules = settings.rules;
    let (before, after) = (&base.survey, &head.survey);
    let mut renames = Renames {
        files,
        clusters: BTreeMap::new(),
    };
    let rejected = (Rejected::of(&base, rules), Rejected::of(&head, rules));
    let unread = Unread::of(&head, rules);
    let mut found = Difference {
        not_judged: (base.report.not_judged.len(), head.report.not_judged.len()),
        ..Difference::default()
    };
    let sides: Vec<(Pair<usize>, ClusterSides<'_>)> = pairs::clusters(before, after)
        .into_iter()
        .map(|pair| {
            let sides = ClusterSides {
                before: pair.before.and_then(|at| before.clusters.get(at)),
                after: pair.after.and_then(|at| after.clusters.get(at)),
            };
            (pair, sides)
        })
        .collect();
    for (_, sides) in &sides {
        if let (Some(old), Some(new)) = (sides.before, sides.after)
            && old.name != new.name
        {
            renames.clusters.insert(old.name.clone(), new.name.clone());
        }
    }
    let reports = (base.report, head.report);
    found.findings = compare(reports.0, reports.1, &renames);
    let news = unread.news(&found.findings);
    let is_rejected =
        |is_after: bool, one: &Workload| of_side(&rejected, is_after).contains(one);
    let known: OnceCell<BTreeSet<ObjectKey>> = OnceCell::new();
    let is_known = |key: &ObjectKey| {
        let known = known.get_or_init(|| objects(before, &renames));
        known.contains(key)
    };
    let mut on_change = OnChange::new(before, after, settings);
    let mut affected: BTreeSet<Object> = BTreeSet::new();
    for (pair, sides) in sides {
        let mut compared = ClusterDifference::new((before, after), sides, &renames, &is_rejected)
            .compare(&|workload| news.of(workload), &is_known);
        let with_effect = compared.workloads.iter().filter(|one| one.effect.is_some());
        affected.extend(with_effect.map(|one| one.after.object.clone()));
        let mut configured = settings.config.clusters.iter();
        let is_configured =
            configured.any(|one| sides.after.is_some_and(|side| side.name == one.name));
        if on_change.asks() {
            on_change.cluster(&compared.take_change(sides, is_configured));
        }
        found
            .clusters
            .push(listed(&pair, sides, compared.changes()));
        found.placement.extend(compared.placement);
        found.pools.extend(compared.pools);
        found.tenancies.extend(compared.tenancies);
    }
    let ignored = news.without_pods(&found, after);
    found.placement.extend(ignored);
    let told = on_change.finish(&mut found.findings.head);
    let told = told.into_iter().map(|finding| ChangeFinding {
        is_told: is_told(&finding, &found, &affected, rules),
        finding,
    });
    found.findings.on_change = told.collect();
    sort(&mut found);
    found
}

/// Whether what a change does to placement says the same: it does something to the object, or takes workloads from the
/// pool.
fn is_told(
    finding: &Finding,
    found: &Difference,
    affected: &BTreeSet<Object>,
    rules: &RuleSet,
) -> bool {
    let rule = rules.get(&finding.rule);
    if !rule.is_some_and(|rule| rule.has_tag(PLACEMENT)) {
        return false;
    }
    let is_pool = rule.is_some_and(|rule| rule.scope == Scope::PoolChange);
    let name = finding.object.name.as_deref().unwrap_or_default();
    if !is_pool {
        return affected.contains(&finding.object);
    }
    let takes_away = |one: &PlacementEffect| {
        let (before, after) = (&one.before.lands, &one.after.lands);
        let mut lost = before.iter().filter(|pool| !after.contains(pool));
        one.cause.is_pool && lost.any(|pool| pool == name)
    };
    found.placement.iter().any(takes_away)
}

/// The objects of all clusters, as files are called after.
fn objects(survey: &Survey<'_>, renames: &Renames) -> BTreeSet<ObjectKey> {
    let clusters = survey.clusters.iter();
    let objects = clusters.map(|cluster| pairs::objects(survey, cluster, Some(renames)));
    objects.flat_map(pairs::Objects::into_keys).collect()
}

fn listed(pair: &Pair<usize>, sides: ClusterSides<'_>, changed: bool) -> ComparedCluster {
    let name = |side: Option<&crate::lint::SurveyedCluster>| side.map(|one| one.name.clone());
    let (old, new) = (name(sides.before), name(sides.after));
    let shown = sides.after.or(sides.before);
    ComparedCluster {
        name: new.clone().or(old.clone()).unwrap_or_default(),
        before: old.filter(|old| new.as_ref().is_some_and(|new| new != old)),
        side: match (pair.before, pair.after) {
            (Some(_), None) => Presence::Removed,
            (None, Some(_)) => Presence::Added,
            _ => Presence::Both,
        },
        changed,
        workloads: shown.map_or(0, |one| one.workloads.len()),
    }
}

fn sort(found: &mut Difference) {
    found
        .clusters
        .sort_by(|one, other| one.name.cmp(&other.name));
    found.placement.sort_by_cached_key(|one| {
        let object = &one.object;
        (
            one.effect,
            one.cluster.clone(),
            object.namespace.clone(),
            object.kind.clone(),
            object.name.clone(),
            one.after.place.clone(),
        )
    });
    found.pools.sort_by(|one, other| {
        let key =
            |of: &crate::finding::PoolDifference| (of.cluster.clone(), of.pool.clone(), of.change);
        key(one).cmp(&key(other))
    });
    found
        .tenancies
        .sort_by(|one, other| (&one.cluster, &one.pool).cmp(&(&other.cluster, &other.pool)));
}

/// The places of what the API server rejects.
struct Rejected(BTreeMap<SourceId, Vec<Span>>);

impl Rejected {
    fn of(side: &Examination<'_>, rules: &RuleSet) -> Rejected {
        let mut spans: BTreeMap<SourceId, Vec<Span>> = BTreeMap::new();
        let is_rejected = |finding: &&Finding| {
            let rule = rules.get(&finding.rule);
            finding.severity == crate::finding::Severity::Error
                && rule.is_some_and(|rule| rule.has_tag(REJECTED))
        };
        for finding in side.report.findings.iter().filter(is_rejected) {
            let of_file = spans.entry(finding.span.source).or_default();
            of_file.push(finding.span);
        }
        Rejected(spans)
    }

    /// Whether an entry of a workload, its list or its name is among them.
    fn contains(&self, workload: &Workload) -> bool {
        let contains = |outer: Span| {
            let mut spans = self.0.get(&outer.source).into_iter().flatten();
            spans.any(|inner| outer.start <= inner.start && inner.end <= outer.end)
        };
        let selectors = workload.selectors.iter().map(|(_, span, _)| *span);
        let entries = workload.located.iter().map(|one| one.entry);
        entries
            .chain(selectors)
            .chain([workload.span])
            .any(contains)
    }
}

/// The rules about lists that nothing reads.
struct Unread(BTreeSet<String>);

impl Unread {
    fn of(side: &Examination<'_>, rules: &RuleSet) -> Unread {
        let named = side.report.findings.iter().map(|finding| &finding.rule);
        let is_unread = |id: &&String| rules.get(id).is_some_and(|rule| rule.has_tag(UNREAD));
        Unread(named.filter(is_unread).cloned().collect())
    }

    /// The new findings of these rules.
    fn news(&self, findings: &FindingDifference) -> UnreadLists {
        let new = findings.new_ones().filter(|one| self.0.contains(&one.rule));
        let lists = new.filter_map(|finding| {
            let source = findings.head.sources.get(&finding.span.source)?;
            let place = (source.path.clone(), source.position(finding.span.start));
            Some((finding.clone(), place))
        });
        UnreadLists(lists.collect())
    }
}

/// Lists that were changed where nothing reads them, each with its finding and place.
struct UnreadLists(Vec<(Finding, FilePlace)>);

impl UnreadLists {
    /// The first such list of the object of a workload.
    fn of(&self, workload: &Workload) -> Option<Cause> {
        let mut all = self.0.iter();
        let found = all.find(|(finding, _)| {
            finding.span.source == workload.source && is_about(finding, workload)
        });
        found.map(|(finding, place)| cause(finding, place))
    }

    /// The lists of objects that have no pods of their own, such as the values of a release.
    fn without_pods(&self, found: &Difference, survey: &Survey<'_>) -> Vec<PlacementEffect> {
        let mut told: BTreeSet<(Object, String)> = found
            .placement
            .iter()
            .map(|one| (one.object.clone(), one.cluster.clone()))
            .collect();
        let mut all = Vec::new();
        for (finding, place) in &self.0 {
            let mut workloads = survey.workloads().iter();
            if workloads.any(|one| is_about(finding, one)) {
                continue;
            }
            for cluster in clusters_of(finding, survey) {
                if told.insert((finding.object.clone(), cluster.clone())) {
                    all.push(PlacementEffect {
                        object: finding.object.clone(),
                        cluster,
                        effect: Effect::Ignored,
                        stay: None,
                        cause: cause(finding, place),
                        before: Standing::default(),
                        after: Standing {
                            lands: Vec::new(),
                            place: Some(place.clone()),
                        },
                    });
                }
            }
        }
        all
    }
}

fn cause(finding: &Finding, place: &FilePlace) -> Cause {
    Cause {
        message: finding.message.clone(),
        places: vec![CausePlace {
            is_after: true,
            place: place.clone(),
        }],
        is_pool: false,
    }
}

/// Whether a finding is about the object of a workload.
fn is_about(finding: &Finding, workload: &Workload) -> bool {
    let same = |one: &Object| {
        (&one.kind, &one.name, &one.namespace)
            == (
                &finding.object.kind,
                &finding.object.name,
                &finding.object.namespace,
            )
    };
    finding.object.name.is_some() && (same(&shown_object(workload)) || same(&workload.object))
}

/// The clusters that an object without pods belongs to: those with anything of its file, or the only one.
fn clusters_of(finding: &Finding, survey: &Survey<'_>) -> Vec<String> {
    let with = |meant: &dyn Fn(&Workload) -> bool| -> Vec<String> {
        let has = |cluster: &&crate::lint::SurveyedCluster| {
            let mut own = cluster.workloads.iter();
            own.any(|at| survey.workloads().get(*at).is_some_and(meant))
        };
        let clusters = survey.clusters.iter().filter(has);
        clusters.map(|cluster| cluster.name.clone()).collect()
    };
    let of_file = with(&|workload| workload.source == finding.span.source);
    match (of_file.is_empty(), survey.clusters.as_slice()) {
        (false, _) => of_file,
        (true, [only]) => vec![only.name.clone()],
        (true, _) => finding.cluster.clone().into_iter().collect(),
    }
}
