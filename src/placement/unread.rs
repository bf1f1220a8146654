//! Lists that a change touches where nothing reads them: which object each belongs to, and in which clusters.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::judgement::shown_object;
use crate::finding::{
    Cause, CausePlace, Difference, Effect, FilePlace, Finding, FindingDifference, Object,
    PlacementEffect, Standing,
};
use crate::lint::{Examination, Survey};
use crate::model::workload::Workload;
use crate::rule::RuleSet;
use crate::source::SourceId;

/// The tag of rules about lists that nothing reads.
const UNREAD: &str = "not-read";

/// The rules about lists that nothing reads.
pub(super) struct Unread(BTreeSet<String>);

impl Unread {
    pub(super) fn of(side: &Examination<'_>, rules: &RuleSet) -> Unread {
        let named = side.report.findings.iter().map(|finding| &finding.rule);
        let is_unread = |id: &&String| rules.get(id).is_some_and(|rule| rule.has_tag(UNREAD));
        Unread(named.filter(is_unread).cloned().collect())
    }

    /// The new findings of these rules.
    pub(super) fn news(&self, findings: &FindingDifference) -> UnreadLists {
        let new = findings.new_ones().filter(|one| self.0.contains(&one.rule));
        let lists = new.filter_map(|finding| {
            let source = findings.head.sources.get(&finding.span.source)?;
            let place = (source.path.clone(), source.position(finding.span.start));
            Some((finding.clone(), place))
        });
        let all: Vec<(Finding, FilePlace)> = lists.collect();
        let mut first = HashMap::new();
        for (at, (finding, _)) in all.iter().enumerate() {
            if let Some(known) = Known::of(&finding.object) {
                first.entry((finding.span.source, known)).or_insert(at);
            }
        }
        UnreadLists { all, first }
    }
}

/// How the object of a list is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Known {
    kind: String,
    name: String,
    namespace: Option<String>,
}

impl Known {
    /// `None` if the object has no name.
    fn of(object: &Object) -> Option<Known> {
        Some(Known {
            kind: object.kind.clone(),
            name: object.name.clone()?,
            namespace: object.namespace.clone(),
        })
    }

    /// The names of the object of a workload: that of the object which makes its pods, and its own.
    fn of_workload(workload: &Workload) -> impl Iterator<Item = Known> {
        let objects = [
            Known::of(&shown_object(workload)),
            Known::of(&workload.object),
        ];
        objects.into_iter().flatten()
    }
}

/// Lists that were changed where nothing reads them, each with its finding and place.
pub(super) struct UnreadLists {
    all: Vec<(Finding, FilePlace)>,
    /// The first list of each object in a file.
    first: HashMap<(SourceId, Known), usize>,
}

impl UnreadLists {
    /// The first such list of the object of a workload.
    pub(super) fn of(&self, workload: &Workload) -> Option<Cause> {
        if self.all.is_empty() {
            return None;
        }
        let known = Known::of_workload(workload);
        let found = known.filter_map(|known| self.first.get(&(workload.source, known)));
        let (finding, place) = self.all.get(*found.min()?)?;
        Some(cause(finding, place))
    }

    /// The lists of objects that have no pods of their own, such as the values of a release.
    pub(super) fn without_pods(
        &self,
        found: &Difference,
        survey: &Survey<'_>,
    ) -> Vec<PlacementEffect> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let mut told: BTreeSet<(Object, String)> = found
            .placement
            .iter()
            .map(|one| (one.object.clone(), one.cluster.clone()))
            .collect();
        let workloads = survey.workloads().iter();
        let with_pods: HashSet<Known> = workloads.flat_map(Known::of_workload).collect();
        let clusters = clusters_by_file(survey);
        let mut all = Vec::new();
        for (finding, place) in &self.all {
            if Known::of(&finding.object).is_some_and(|known| with_pods.contains(&known)) {
                continue;
            }
            for cluster in clusters_of(finding, survey, &clusters) {
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
        ..Cause::default()
    }
}

/// The clusters with anything of a file, in their order.
type ByFile<'s> = BTreeMap<SourceId, Vec<&'s str>>;

fn clusters_by_file<'s>(survey: &'s Survey<'_>) -> ByFile<'s> {
    let mut found = ByFile::new();
    for cluster in &survey.clusters {
        let own = cluster.workloads.iter();
        let own = own.filter_map(|at| survey.workloads().get(*at));
        let files: BTreeSet<SourceId> = own.map(|workload| workload.source).collect();
        for file in files {
            found.entry(file).or_default().push(&cluster.name);
        }
    }
    found
}

/// The clusters that an object without pods belongs to: those with anything of its file, or the only one.
fn clusters_of(finding: &Finding, survey: &Survey<'_>, by_file: &ByFile<'_>) -> Vec<String> {
    let of_file = by_file.get(&finding.span.source);
    match (of_file, survey.clusters.as_slice()) {
        (Some(names), _) => names.iter().map(|name| (*name).to_owned()).collect(),
        (None, [only]) => vec![only.name.clone()],
        (None, _) => finding.cluster.clone().into_iter().collect(),
    }
}
