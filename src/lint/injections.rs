//! The tolerations that policies and webhooks of the repository may add to the pods of a workload.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::admission::is_filled_in;
use super::paths::Paths;
use crate::config::Config;
use crate::extract::{Injection, MOST_ADDITIONS, Overlay, Target, is_placeholder};
use crate::finding::Because;
use crate::model::cluster::Part;
use crate::model::toleration::Toleration;
use crate::model::workload::{PodShape, Workload};
use crate::source::Span;

/// Policies that change the pods of the same workloads.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reach<'o> {
    part: Part<'o>,
    clusters: Vec<usize>,
    label: Option<&'o str>,
    kinds: &'o [String],
}

/// What the policies of one reach add.
#[derive(Default)]
struct Group<'o> {
    adds: BTreeSet<&'o Toleration>,
    /// A policy that adds entries that are not known.
    unknown: Option<(&'static str, Because)>,
}

/// The policies of a repository.
pub struct Injections<'o> {
    groups: Vec<(Reach<'o>, Group<'o>)>,
    /// The groups for the pods of one namespace, or of any.
    of_namespace: BTreeMap<Option<&'o str>, Vec<usize>>,
    config: &'o Config,
    paths: &'o Paths,
    /// Shapes with the entries that these groups add, so that equal ones are made once.
    known: HashMap<(*const PodShape, Vec<usize>), Added>,
}

/// A shape, which lives as long as its address is a key, and the same with more entries.
struct Added {
    _before: Arc<PodShape>,
    after: Arc<PodShape>,
}

impl<'o> Injections<'o> {
    /// Groups the policies among these overlays.
    pub fn new(overlays: &[&'o Overlay], config: &'o Config, paths: &'o Paths) -> Self {
        let mut found = Injections {
            groups: Vec::new(),
            of_namespace: BTreeMap::new(),
            config,
            paths,
            known: HashMap::new(),
        };
        type Numbers<'o> = BTreeMap<Reach<'o>, Group<'o>>;
        let mut groups: BTreeMap<Option<&'o str>, Numbers<'o>> = BTreeMap::new();
        for overlay in overlays {
            let Target::Injected(injection) = &overlay.target else {
                continue;
            };
            let mut namespaces: Vec<Option<&str>> = injection
                .namespaces
                .iter()
                .map(|name| Some(name.as_str()))
                .collect();
            if namespaces.is_empty() {
                namespaces.push(None);
            }
            for namespace in namespaces {
                let reach = Reach {
                    part: Part::of(paths.scanned(overlay.source)),
                    clusters: config.clusters_of(paths.of(overlay.source)),
                    label: injection.label.as_deref(),
                    kinds: &injection.kinds,
                };
                let of_namespace = groups.entry(namespace).or_default();
                let group = of_namespace.entry(reach).or_default();
                group.take(injection, overlay.what, overlay.span);
            }
        }
        for (namespace, groups) in groups {
            let first = found.groups.len();
            found.groups.extend(groups);
            let own = (first..found.groups.len()).collect();
            found.of_namespace.insert(namespace, own);
        }
        found
    }

    /// Adds the entries that policies may add to the pods of a workload. Returns a policy that may add others, which are not
    /// known.
    pub fn add_to(&mut self, workload: &mut Workload) -> Option<(&'static str, Because)> {
        if self.groups.is_empty() {
            return None;
        }
        let groups = self.groups_for(workload);
        let all = groups.iter().filter_map(|at| self.groups.get(*at));
        let all = all.map(|(_, group)| group);
        let unknown = all.clone().find_map(|group| group.unknown.clone());
        let adds: BTreeSet<&Toleration> = all.flat_map(|group| &group.adds).copied().collect();
        if adds.is_empty() {
            return unknown;
        }
        let before = Arc::clone(&workload.shape);
        let key = (Arc::as_ptr(&before), groups);
        let added = self.known.entry(key).or_insert_with(|| {
            let mut shape = (*before).clone();
            shape.on_pods.add_possible(adds.into_iter().cloned());
            Added {
                _before: before,
                after: Arc::new(shape),
            }
        });
        workload.shape = Arc::clone(&added.after);
        unknown
    }

    /// The groups that may change the pods of a workload, in order.
    fn groups_for(&self, workload: &Workload) -> Vec<usize> {
        let own = workload.object.namespace.as_deref();
        let own = own.filter(|name| !is_placeholder(name) && !is_filled_in(name));
        let own_part = Part::of(self.paths.scanned(workload.source));
        let clusters = self.config.clusters_of(self.paths.of(workload.source));
        let candidates: Vec<usize> = match own {
            Some(_) => {
                let lists = [None, own].map(|name| self.of_namespace.get(&name));
                lists.into_iter().flatten().flatten().copied().collect()
            }
            // The namespace is given elsewhere, so it may be any.
            None => (0..self.groups.len()).collect(),
        };
        let touches = |at: &usize| {
            let Some((reach, _)) = self.groups.get(*at) else {
                return false;
            };
            let meets = clusters.is_empty()
                || reach.clusters.is_empty()
                || reach.clusters.iter().any(|one| clusters.contains(one));
            let labels = workload.labels.iter();
            let is_labelled = |label| labels.clone().any(|(key, _)| key.as_str() == label);
            meets
                && (!clusters.is_empty() || reach.part.may_affect(&own_part))
                && reach.label.is_none_or(is_labelled)
                && (reach.kinds.is_empty() || reach.kinds.contains(&workload.object.kind))
        };
        candidates.into_iter().filter(touches).collect()
    }
}

impl<'o> Group<'o> {
    fn take(&mut self, injection: &'o Injection, what: &'static str, span: Span) {
        match &injection.adds {
            Some(adds) if self.adds.len() + adds.len() <= MOST_ADDITIONS => self.adds.extend(adds),
            _ => {
                let because = || Because::Policy(Arc::clone(&injection.by), span);
                self.unknown.get_or_insert_with(|| (what, because()));
            }
        }
    }
}
