//! Computes the tolerations and the node selector that a workload's pods have after admission. Joins each workload with its
//! Namespace and its RuntimeClass and asks the model how Kubernetes merges them.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::paths::Paths;
use crate::config::Config;
use crate::extract::{Namespace, RuntimeClass, api_group};
use crate::finding::{Because, Gap, Open};
use crate::model::Field;
use crate::model::admission::PodTolerations;
use crate::model::admit::{InNamespace, OfClass, OpenWord, Plugins, admit};
use crate::model::workload::{PodShape, Stands, Workload};
use crate::source::{SourceId, Span};

/// The result of looking up a workload's RuntimeClass.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    /// The workload names no RuntimeClass.
    None,
    /// The RuntimeClass sets no scheduling fields.
    Silent,
    /// The RuntimeClass is read as the workload with this index.
    At(usize),
    /// The RuntimeClass is not in the repository.
    Missing,
    /// Several RuntimeClasses have this name.
    Several,
    /// The RuntimeClass is in the repository but could not be read.
    Unread,
}

/// Everything that affects a workload's pods apart from its own shape.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Situation {
    /// Indices of the possible Namespaces, one for each distinct set of annotations.
    namespaces: Vec<usize>,
    /// Whether the workload is certainly in that one Namespace.
    in_namespace: bool,
    /// Whether the workload's Namespace is missing from the repository.
    missing: bool,
    class: Class,
}

/// An admitted shape, and what its Namespace leaves unknown.
type Admitted = (Arc<PodShape>, Vec<OpenWord>);

/// Replaces each workload's shape with the admitted one. Returns the workloads whose RuntimeClass is undetermined, and
/// those whose Namespace annotations could not be read or may not apply.
pub fn apply(
    workloads: &mut [Workload],
    namespaces: &[Namespace],
    classes: &[RuntimeClass],
    config: &Config,
    paths: &Paths,
) -> Vec<Open> {
    let runs = |name: &str| config.runs(name) == Some(true);
    let plugins = Plugins {
        node_selector: runs("PodNodeSelector"),
        toleration_restriction: runs("PodTolerationRestriction"),
        extended_resources: runs("ExtendedResourceToleration"),
        all_known: config.admission.is_some(),
        ..Plugins::default()
    };
    let cluster = |source: SourceId| config.clusters_of(paths.of(source));
    let mut lent: HashMap<(SourceId, &str), usize> = HashMap::new();
    let mut by_name: BTreeMap<&str, Vec<&RuntimeClass>> = BTreeMap::new();
    for class in classes {
        by_name.entry(&class.name).or_default().push(class);
    }
    let names: Vec<Option<String>> = workloads.iter().map(class_name).collect();
    for (at, name) in names.iter().enumerate() {
        if let Some(name) = name {
            lent.insert((workloads[at].source, name.as_str()), at);
        }
    }
    let shapes: Vec<Arc<PodShape>> = workloads
        .iter()
        .map(|workload| Arc::clone(&workload.shape))
        .collect();
    let mut open = Vec::new();
    // Equal shapes in the same situation share one result. The input shapes live as long as this map.
    let mut known: HashMap<(*const PodShape, Situation), Admitted> = HashMap::new();
    for (at, workload) in workloads.iter_mut().enumerate() {
        let own = cluster(workload.source);
        let near = |source: SourceId| {
            let theirs = cluster(source);
            own.is_empty() || theirs.is_empty() || theirs.iter().any(|one| own.contains(one))
        };
        let class = match &shapes[at].runtime_class {
            Field::Absent => Class::None,
            // The empty name is the class that every cluster has without a declaration.
            Field::Is(name) if name.is_empty() => Class::None,
            Field::Is(name) => {
                let found = by_name.get(name.as_str()).map_or(&[][..], Vec::as_slice);
                let found = found.iter().filter(|class| near(class.source));
                class_of(found.copied(), &lent, &shapes)
            }
            Field::Unknown => Class::Missing,
        };
        let name = shapes[at].runtime_class.text().unwrap_or_default();
        let mut found = by_name.get(name).into_iter().flatten();
        let declared = found.find(|class| near(class.source)).map(|one| one.span);
        let because = class_gap(class, declared, &shapes)
            .map(|gap| Because::RuntimeClass(name.into(), gap))
            .filter(|_| !is_lent(workload));
        let situation = situation(workload, namespaces, near, class);
        let (shape, words) = known
            .entry((Arc::as_ptr(&shapes[at]), situation.clone()))
            .or_insert_with_key(|(_, situation)| {
                let mut shape = (*shapes[at]).clone();
                let words = admitted(
                    &mut shape,
                    workload.stands,
                    situation,
                    namespaces,
                    &shapes,
                    plugins,
                );
                (Arc::new(shape), words)
            });
        let own = workload.object.namespace.as_deref();
        let filled_in = own.is_some_and(is_filled_in);
        let mut named = namespaces.iter().filter(|_| filled_in && words.is_empty());
        let any = named.find(|one| one.word.says_something());
        let may_be_in =
            any.map(|one| Because::Namespace(one.name.as_str().into(), Gap::Several(one.span)));
        let of_words = words.iter().map(|word| {
            let namespaces = situation.namespaces.iter().map(|at| &namespaces[*at]);
            namespace_gap(*word, own, &namespaces.collect::<Vec<_>>(), &runs)
        });
        let reasons = because.into_iter().chain(may_be_in).chain(of_words);
        open.extend(reasons.map(|because| Open::object(workload.span, &workload.object, because)));
        workload.shape = Arc::clone(shape);
    }
    open
}

/// Whether a workload has no pods of its own. Anything unknown about it is reported for the workloads that name it.
fn is_lent(workload: &Workload) -> bool {
    workload.stands == Stands::ForOthers
}

/// What is unknown about a class. `declared` is the place of a class with that name.
fn class_gap(class: Class, declared: Option<Span>, shapes: &[Arc<PodShape>]) -> Option<Gap> {
    const TOLERATIONS: &str = "tolerations";
    match (class, declared) {
        (Class::None | Class::Silent, _) => None,
        (Class::Missing, _) | (_, None) => Some(Gap::Missing),
        (Class::Several, Some(at)) => Some(Gap::Several(at)),
        (Class::Unread, Some(at)) => Some(Gap::Unread("`scheduling`", at)),
        (Class::At(lent), Some(at)) => {
            let shape = &shapes[lent];
            let is_open = shape.selection.unknown || shape.selection.partial;
            match (&shape.unread_tolerations, is_open) {
                (Some(_), _) => Some(Gap::Unread(TOLERATIONS, at)),
                (None, true) => Some(Gap::Unread("a node selector", at)),
                (None, false) => None,
            }
        }
    }
}

/// The reason why a Namespace's annotations leave a workload unjudged.
fn namespace_gap(
    word: OpenWord,
    own: Option<&str>,
    namespaces: &[&Namespace],
    runs: &impl Fn(&str) -> bool,
) -> Because {
    let (at, gap): (_, fn(&'static str, &'static str, Span) -> Gap) = match word {
        OpenWord::Missing => (None, |_, _, _| Gap::Missing),
        OpenWord::Unread(at, _) | OpenWord::MayCount(at, ..) if own.is_none() => {
            (Some(at), |_, what, at| Gap::Perhaps(what, at))
        }
        OpenWord::Unread(at, _) => (Some(at), |_, what, at| Gap::Unread(what, at)),
        OpenWord::MayCount(at, plugin, _) if runs(plugin) => {
            (Some(at), |_, _, at| Gap::Several(at))
        }
        OpenWord::MayCount(at, ..) => (Some(at), Gap::Plugin),
    };
    let (plugin, what) = match word {
        OpenWord::Missing => ("", ""),
        OpenWord::Unread(_, what) => ("", what),
        OpenWord::MayCount(_, plugin, what) => (plugin, what),
    };
    match at.and_then(|at| namespaces.get(at)) {
        Some(one) => Because::Namespace(one.name.as_str().into(), gap(plugin, what, one.span)),
        None => Because::Namespace(own.unwrap_or_default().into(), Gap::Missing),
    }
}

/// The name of the RuntimeClass that a workload was read from.
fn class_name(workload: &Workload) -> Option<String> {
    let object = &workload.object;
    let is_class = object.kind == "RuntimeClass" && api_group(&object.api_version) == "node.k8s.io";
    object.name.clone().filter(|_| is_class)
}

/// Classes of the same name belong to different clusters, so the lookup is ambiguous unless they are equal.
fn class_of<'c>(
    found: impl Iterator<Item = &'c RuntimeClass>,
    lent: &HashMap<(SourceId, &str), usize>,
    shapes: &[Arc<PodShape>],
) -> Class {
    let mut class = Class::Missing;
    for one in found {
        let next = match lent.get(&(one.source, one.name.as_str())) {
            Some(at) => Class::At(*at),
            None if one.schedules => Class::Unread,
            None => Class::Silent,
        };
        class = match (class, next) {
            (Class::Missing, next) => next,
            (Class::At(known), Class::At(other)) if shapes[known] == shapes[other] => class,
            (known, next) if known == next => known,
            _ => return Class::Several,
        };
    }
    class
}

fn situation(
    workload: &Workload,
    namespaces: &[Namespace],
    near: impl Fn(SourceId) -> bool,
    class: Class,
) -> Situation {
    // A manifest without a namespace gets one from kustomize, Flux or the command line, so it may be any of these.
    let own = workload.object.namespace.as_deref();
    let own = own.filter(|name| !is_filled_in(name));
    let mut found: Vec<usize> = Vec::new();
    for (at, namespace) in namespaces.iter().enumerate() {
        if own.is_none_or(|own| own == namespace.name)
            && near(namespace.source)
            && !found
                .iter()
                .any(|known| namespaces[*known].word == namespace.word)
        {
            found.push(at);
        }
    }
    let made_by_the_cluster = |name: &str| name == "default" || name.starts_with("kube-");
    Situation {
        missing: found.is_empty() && own.is_some_and(|own| !made_by_the_cluster(own)),
        in_namespace: own.is_some() && found.len() <= 1,
        namespaces: found,
        class,
    }
}

/// Whether a template fills in part of a name.
pub(super) fn is_filled_in(name: &str) -> bool {
    name.contains(['{', '$', '<'])
}

/// Asks the model for the shape after admission. Also returns what is unknown about the Namespace.
fn admitted(
    shape: &mut PodShape,
    stands: Stands,
    situation: &Situation,
    namespaces: &[Namespace],
    shapes: &[Arc<PodShape>],
    plugins: Plugins,
) -> Vec<OpenWord> {
    if stands == Stands::ForOthers {
        shape.on_pods = PodTolerations::new(&shape.tolerations);
        return Vec::new();
    }
    let words = situation.namespaces.iter();
    let namespace = InNamespace {
        words: words.map(|at| &namespaces[*at].word).collect(),
        certain: situation.in_namespace,
        missing: situation.missing,
    };
    let class = match situation.class {
        Class::None | Class::Silent => OfClass::Silent,
        Class::At(at) => OfClass::Lends(&shapes[at]),
        Class::Missing => OfClass::Open("its RuntimeClass is not in this repository"),
        Class::Several => OfClass::Open("several RuntimeClasses in this repository have its name"),
        Class::Unread => OfClass::Open("its RuntimeClass could not be read"),
    };
    admit(shape, &namespace, class, plugins)
}
