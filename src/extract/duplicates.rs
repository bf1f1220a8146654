//! Keys that occur twice in one map: the last one wins silently.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use std::collections::HashMap;

use super::subject::Subject;
use super::template_signs;
use crate::finding::Label;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::Level;
use crate::yaml::{self, Field, Kind, Node, NodeSet, Path};

/// A node visited on a walk of a document. It knows how it was reached; its path is built only on request.
pub struct Visit<'a> {
    /// The node.
    pub node: Node<'a>,
    parent: usize,
    step: Step<'a>,
}

enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

/// Returns every node below (and with) a root once, parents before children. Aliases are not walked a second time, but
/// a list that only an alias calls tolerations is also visited under that name.
pub fn walk(root: Node<'_>) -> Vec<Visit<'_>> {
    let mut seen = NodeSet::below(root);
    let mut named = NodeSet::below(root);
    let mut visits = vec![Visit {
        node: root,
        parent: 0,
        step: Step::Root,
    }];
    seen.insert(root.id());
    let mut at = 0;
    while at < visits.len() {
        let node = visits[at].node;
        match node.kind() {
            Kind::Mapping => {
                for field in node.fields() {
                    let Some(key) = field.name() else {
                        continue;
                    };
                    let is_new = seen.insert(field.value.id());
                    let is_named = key.ends_with("olerations")
                        && field.value.kind() == Kind::Sequence
                        && named.insert(field.value.id());
                    if is_new || is_named {
                        visits.push(Visit {
                            node: field.value,
                            parent: at,
                            step: Step::Key(key),
                        });
                    }
                }
            }
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    if seen.insert(item.id()) {
                        visits.push(Visit {
                            node: item,
                            parent: at,
                            step: Step::Index(index),
                        });
                    }
                }
            }
            Kind::Scalar => {}
        }
        at += 1;
    }
    visits
}

/// The field path of a visited node, below `base`.
pub fn path_of(visits: &[Visit<'_>], mut at: usize, base: &str) -> String {
    let mut steps = Vec::new();
    while at != 0 {
        steps.push(&visits[at].step);
        at = visits[at].parent;
    }
    steps
        .into_iter()
        .rev()
        .fold(base.to_owned(), |path, step| match step {
            Step::Root => path,
            Step::Key(key) => yaml::join(&path, key),
            Step::Index(index) => yaml::index(&path, *index),
        })
}

/// The key of a visited node, or `None` if its parent is not a map.
pub fn key_of<'a>(visits: &[Visit<'a>], at: usize) -> Option<&'a str> {
    match visits[at].step {
        Step::Key(key) => Some(key),
        Step::Root | Step::Index(_) => None,
    }
}

/// The visit of the map or list that contains a node.
pub fn parent_of(visits: &[Visit<'_>], at: usize) -> usize {
    visits[at].parent
}

/// Up to this many keys, comparing is faster than hashing. Nearly every map has fewer.
const FEW_KEYS: usize = 16;

/// The last field with each key of a map.
#[derive(Default)]
struct LastFields<'a> {
    few: Vec<(&'a str, Field<'a>)>,
    others: HashMap<&'a str, Field<'a>>,
}

impl<'a> LastFields<'a> {
    /// Records a field with a key and returns the previous one.
    fn replace(&mut self, key: &'a str, field: Field<'a>) -> Option<Field<'a>> {
        if let Some((_, last)) = self.few.iter_mut().find(|(known, _)| *known == key) {
            return Some(std::mem::replace(last, field));
        }
        if self.few.len() < FEW_KEYS {
            self.few.push((key, field));
            return None;
        }
        self.others.insert(key, field)
    }
}

/// Reports every duplicate key on the way to something that affects scheduling, or inside it. Other duplicate keys are
/// off-topic.
pub(super) fn read(subject: &Subject<'_>, level: Level) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut context = subject.context(level, &mut notices);
    let visits = walk(subject.root);
    let text = &subject.reading.source.text;
    let mut wanted = None;
    for (at, visit) in visits.iter().enumerate() {
        if visit.node.kind() != Kind::Mapping {
            continue;
        }
        let mut last = LastFields::default();
        for field in visit.node.written_fields() {
            let Some(key) = field.name().filter(|key| *key != "<<") else {
                continue;
            };
            let span = field.key.span();
            let Some(other) = last.replace(key, field) else {
                continue;
            };
            let earlier = other.key.span();
            let mut names = names_of(&visits, at);
            names.push(key);
            let wanted = wanted.get_or_insert_with(|| deciding(subject));
            let decides = wanted.iter().any(|wanted| meet(wanted, &names));
            let between = text.get(earlier.range().end..span.range().start);
            if !decides || between.is_some_and(template_signs::may_branch) {
                continue;
            }
            let map = path_of(&visits, at, &subject.base);
            let found = yaml::differences(other.value, field.value);
            let says_the_same = found.is_some_and(|found| found.is_empty());
            let kind = NoticeKind::DuplicateYamlKey {
                key: key.to_owned(),
                identical: says_the_same,
                condition: String::new(),
                tests: String::new(),
                met: false,
            };
            let dropped = Label {
                span: earlier,
                message: "this one is dropped".to_owned(),
            };
            context.note_beside(kind, span, yaml::join(&map, key), Some(dropped));
        }
    }
    notices
}

/// The names of the fields on the way to a visited node.
fn names_of<'a>(visits: &[Visit<'a>], mut at: usize) -> Vec<&'a str> {
    let mut names = Vec::new();
    while let Some(visit) = visits.get(at).filter(|_| at != 0) {
        if let Step::Key(key) = visit.step {
            names.push(key);
        }
        at = visit.parent;
    }
    names.reverse();
    names
}

/// Whether one path is a prefix of the other.
fn meet(wanted: &[&str], names: &[&str]) -> bool {
    let mut pairs = wanted.iter().zip(names);
    pairs.all(|(wanted, name)| *wanted == "*" || wanted == name)
}

/// Fields of a pod that affect where it runs.
const OF_PODS: [&str; 8] = [
    "affinity",
    "nodeAffinity",
    "nodeName",
    "nodeSelector",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "topologySpreadConstraints",
];

/// The names of the fields on the way to what affects scheduling in objects of this kind. `*` matches any.
fn deciding<'a>(subject: &'a Subject<'_>) -> Vec<Vec<&'a str>> {
    let table = subject.reading.table;
    let (group, version) = (subject.group(), subject.version());
    let kind = subject.object.kind.as_str();
    let mut wanted: Vec<Vec<&str>> = Vec::new();
    for row in table.workload_rows(group, version, kind) {
        for pod in &row.pods {
            let fields = OF_PODS.into_iter().chain([row.tolerations_key.as_str()]);
            wanted.extend(fields.map(|field| [pod.names(), vec![field]].concat()));
        }
    }
    for (_, row) in table.pool_rows(group, version, kind) {
        let places = [
            &row.taints,
            &row.fallback_taints,
            &row.startup_taints,
            &row.taints_by_pool,
            &row.taint_flags,
            &row.labels,
            &row.fallback_labels,
            &row.labels_by_pool,
            &row.label_flags,
            &row.requirements,
        ];
        for place in places.into_iter().flatten() {
            let start = match place.from_root {
                true => Vec::new(),
                false => row.each.names(),
            };
            wanted.push([start, place.path.names()].concat());
        }
    }
    for row in table.device_rows(group, version, kind) {
        let places = row.taints.iter().chain(&row.tolerations);
        wanted.extend(places.map(Path::names));
    }
    wanted
}
