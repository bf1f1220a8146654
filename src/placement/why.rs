//! One workload and all pools of its clusters, or one pool and all workloads: what decides, and where it is written.

use super::judgement::{outcome, shown, shown_object, shown_pool, stay};
use crate::finding::{ShownToleration, Stay, Who, WhoWorkload, Why, WhyCluster};
use crate::lint::{Survey, SurveyedCluster};
use crate::model::admission::{Giver, Injector};
use crate::model::taint::{Effect, Taint};
use crate::model::workload::Workload;
use crate::model::{Field, Truth};

/// The workload that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// By its object: namespace and kind if given, and its name.
    Object {
        /// Any namespace if `None`.
        namespace: Option<String>,
        /// In lower case.
        kind: String,
        /// The name.
        name: String,
    },
    /// The workload around a line of a file.
    Line {
        /// The path in the repository.
        file: String,
        /// One-based.
        line: u32,
    },
}

impl Question {
    /// Reads `kind/name`, `namespace/kind/name` or `FILE:LINE`, or returns `None` if it is none of these.
    pub fn parse(text: &str) -> Option<Question> {
        if let Some((file, line)) = text.rsplit_once(':')
            && let Ok(line) = line.parse()
            && !file.is_empty()
        {
            let file = file.to_owned();
            return Some(Question::Line { file, line });
        }
        let parts: Vec<&str> = text.split('/').collect();
        let (namespace, kind, name) = match parts.as_slice() {
            [kind, name] => (None, kind, name),
            [namespace, kind, name] => (Some((*namespace).to_owned()), kind, name),
            _ => return None,
        };
        let is_told = !kind.is_empty() && !name.is_empty();
        is_told.then(|| Question::Object {
            namespace,
            kind: kind.to_ascii_lowercase(),
            name: (*name).to_owned(),
        })
    }

    fn asks_for(&self, workload: &Workload) -> bool {
        match self {
            Question::Object {
                namespace,
                kind,
                name,
            } => {
                let object = shown_object(workload);
                let own = object.namespace.as_deref();
                namespace
                    .as_deref()
                    .is_none_or(|wanted| own == Some(wanted))
                    && is_kind(&object.kind, kind)
                    && object.name.as_deref() == Some(name)
            }
            Question::Line { .. } => false,
        }
    }

    /// The workloads that are asked for, by index.
    pub fn workloads(&self, survey: &Survey<'_>) -> Vec<usize> {
        let all = survey.workloads().iter().enumerate();
        let Question::Line { file, line } = self else {
            let asked = all.filter(|(_, one)| self.asks_for(one));
            return asked.map(|(at, _)| at).collect();
        };
        // The last workload that begins at or above the line.
        let mut found: Vec<usize> = Vec::new();
        let mut nearest = 0;
        for (at, workload) in all {
            if survey.path(workload.source) != file {
                continue;
            }
            let Some((_, start)) = survey.place(workload.span) else {
                continue;
            };
            if start.line > *line || start.line < nearest {
                continue;
            }
            if start.line > nearest {
                found.clear();
            }
            nearest = start.line;
            found.push(at);
        }
        found
    }
}

/// Whether a kind is meant by a word as kubectl takes it: `deployment`, `deployments` or `deploy`.
fn is_kind(kind: &str, word: &str) -> bool {
    const SHORT: [(&str, &str); 8] = [
        ("cj", "cronjob"),
        ("deploy", "deployment"),
        ("ds", "daemonset"),
        ("po", "pod"),
        ("rc", "replicationcontroller"),
        ("rs", "replicaset"),
        ("sts", "statefulset"),
        ("jobs", "job"),
    ];
    let kind = kind.to_ascii_lowercase();
    let long = SHORT.iter().find(|(short, _)| *short == word);
    let word = long.map_or(word, |(_, long)| long);
    kind == word || word.strip_suffix('s') == Some(&kind)
}

/// Why the pods of a workload can or cannot run on the pools of each of its clusters.
pub fn why(survey: &Survey<'_>, at: usize) -> Option<Why> {
    let workload = survey.workloads().get(at)?;
    let clusters = survey.clusters.iter();
    let of = clusters.filter(|cluster| cluster.workloads.binary_search(&at).is_ok());
    Some(Why {
        workload: shown(survey, workload),
        clusters: of
            .map(|cluster| in_cluster(survey, cluster, workload))
            .collect(),
    })
}

fn in_cluster(survey: &Survey<'_>, cluster: &SurveyedCluster, workload: &Workload) -> WhyCluster {
    let gate = survey.comparison_operators;
    let shape = &workload.shape;
    let tolerations = shape.all_tolerations();
    let pools = cluster.pools.iter().map(|pool| {
        let outcome = outcome(shape, &tolerations, pool, gate);
        (
            shown_pool(survey, pool),
            outcome.told(survey, workload, pool),
        )
    });
    let entries = shape.on_pods.entries.iter();
    let shown = entries.map(|entry| {
        let toleration = &entry.toleration;
        let mut matches: Vec<String> = Vec::new();
        for pool in &cluster.pools {
            let mut taints = pool.lasting_taints();
            if taints.any(|(_, taint)| toleration.tolerates(&taint.taint, gate) == Truth::Yes) {
                matches.push(pool.name.clone());
            }
        }
        let written = match entry.giver {
            Giver::Manifest(index) => workload.located.get(index),
            Giver::Injected(_) => None,
        };
        let word = |field: &Field<String>| match field {
            Field::Is(text) => Some(text.clone()),
            Field::Absent => Some(String::new()),
            Field::Unknown => None,
        };
        ShownToleration {
            fields: [
                word(&toleration.key),
                word(&toleration.operator).map(|word| match word.as_str() {
                    "" => "Equal".to_owned(),
                    _ => word,
                }),
                word(&toleration.value),
                word(&toleration.effect),
            ],
            seconds: toleration.toleration_seconds.known().copied(),
            text: toleration.to_string(),
            by: match entry.giver {
                Giver::Manifest(_) => None,
                Giver::Injected(by) => Some(by_whom(by)),
            },
            certain: entry.certain,
            matches,
            place: written.and_then(|located| survey.place(located.entry)),
        }
    });
    let tolerations = shown.collect();
    WhyCluster {
        name: cluster.name.clone(),
        complete: cluster.complete,
        pools: pools.collect(),
        tolerations,
        more_tolerations: shape.unread_tolerations.map(|why| why.as_str()),
        evictions: evictions(cluster, workload, gate),
    }
}

/// What happens to the pods on each NoExecute taint of the cluster's pools, and on those that Kubernetes sets itself.
fn evictions(cluster: &SurveyedCluster, workload: &Workload, gate: bool) -> Vec<(String, Stay)> {
    let own = ["not-ready", "unreachable"].map(|word| {
        let key = format!("node.kubernetes.io/{word}");
        Taint::new(&key, "", Effect::NoExecute)
    });
    let of_pools = cluster.pools.iter().flat_map(|pool| &pool.taints);
    let of_pools = of_pools.filter(|taint| taint.taint.effect() == Some(Effect::NoExecute));
    let mut found: Vec<(String, Stay)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for taint in of_pools.map(|taint| &taint.taint).chain(&own) {
        let text = taint.to_string();
        if !seen.insert(text.clone()) {
            continue;
        }
        let stay = stay(&workload.shape, std::slice::from_ref(taint), gate);
        found.push((text, stay));
    }
    found
}

fn by_whom(injector: Injector) -> &'static str {
    match injector {
        Injector::DaemonSet => "DaemonSet controller",
        Injector::DefaultTolerationSeconds => "DefaultTolerationSeconds",
        Injector::PodTolerationRestriction => "PodTolerationRestriction",
        Injector::ExtendedResourceToleration => "ExtendedResourceToleration",
        Injector::RuntimeClass => "RuntimeClass",
        Injector::Other => "policy or chart",
    }
}

/// Who can run on the pools with this name.
pub fn who(survey: &Survey<'_>, name: &str) -> Vec<Who> {
    let gate = survey.comparison_operators;
    let mut found = Vec::new();
    for cluster in &survey.clusters {
        for pool in cluster.pools.iter().filter(|pool| pool.name == name) {
            let mut workloads = Vec::new();
            for workload in cluster
                .workloads
                .iter()
                .filter_map(|at| survey.workloads().get(*at))
            {
                let shape = &workload.shape;
                let tolerations = shape.all_tolerations();
                let judged = outcome(shape, &tolerations, pool, gate);
                let selects = !shape.selection.is_empty()
                    && shape.selection.selects(&pool.labels, None) == Truth::Yes;
                let judgement = judged.told(survey, workload, pool);
                workloads.push(WhoWorkload {
                    workload: shown(survey, workload),
                    judgement,
                    meant: selects,
                });
            }
            found.push(Who {
                cluster: cluster.name.clone(),
                workloads,
            });
        }
    }
    found
}

/// The names of all workloads, as a question names them.
pub fn known_names(survey: &Survey<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let run = survey
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.workloads);
    for workload in run.filter_map(|at| survey.workloads().get(*at)) {
        let object = shown_object(workload);
        if let (false, Some(name)) = (object.kind.is_empty(), object.name) {
            names.push(format!("{}/{name}", object.kind.to_ascii_lowercase()));
        }
    }
    names.sort();
    names.dedup();
    names
}
