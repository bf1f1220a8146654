//! Keys that are written twice in one map: the last one wins, and nobody says so.

use std::collections::HashMap;

use super::read::Context;
use crate::finding::Label;
use crate::source::Span;
use crate::yaml::{self, Kind, Node, NodeSet};

/// A node of a document on a walk: how it was reached, without building its path unless asked.
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

/// Every node below (and with) a root, once each, parents before children; aliases are not walked a second time, but a list
/// that only an alias calls tolerations is visited under that name, too.
pub fn walk(root: Node<'_>) -> Vec<Visit<'_>> {
    let mut seen = NodeSet::new(root.document());
    let mut named = NodeSet::new(root.document());
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

/// The key under which a visited node stands, when its parent is a map.
pub fn key_of<'a>(visits: &[Visit<'a>], at: usize) -> Option<&'a str> {
    match visits[at].step {
        Step::Key(key) => Some(key),
        Step::Root | Step::Index(_) => None,
    }
}

/// The visit of the map or list that a node stands in.
pub fn parent_of(visits: &[Visit<'_>], at: usize) -> usize {
    visits[at].parent
}

/// Up to this many keys comparing is faster than hashing, and nearly every map has fewer.
const FEW_KEYS: usize = 16;

/// Where each key of a map was last seen.
#[derive(Default)]
struct LastPlaces<'a> {
    few: Vec<(&'a str, Span)>,
    others: HashMap<&'a str, Span>,
}

impl<'a> LastPlaces<'a> {
    /// Notes a place of a key and gives the one before.
    fn replace(&mut self, key: &'a str, span: Span) -> Option<Span> {
        if let Some((_, last)) = self.few.iter_mut().find(|(known, _)| *known == key) {
            return Some(std::mem::replace(last, span));
        }
        if self.few.len() < FEW_KEYS {
            self.few.push((key, span));
            return None;
        }
        self.others.insert(key, span)
    }
}

/// Notes every key that is written twice. `pods` are the paths of pod templates, to tell what scheduling loses.
pub fn note(visits: &[Visit<'_>], base: &str, pods: &[String], context: &mut Context<'_>) {
    for (at, visit) in visits.iter().enumerate() {
        if visit.node.kind() != Kind::Mapping {
            continue;
        }
        let mut last = LastPlaces::default();
        for field in visit.node.written_fields() {
            let Some(key) = field.name().filter(|key| *key != "<<") else {
                continue;
            };
            let span = field.key.span();
            let Some(earlier) = last.replace(key, span) else {
                continue;
            };
            let map = path_of(visits, at, base);
            let path = yaml::join(&map, key);
            let mut oddity = context.oddity("duplicate-yaml-key", span, path.clone());
            oddity.field = key.to_owned();
            oddity.detail = if touches_scheduling(&map, &path, pods) {
                "scheduling"
            } else {
                "other"
            }
            .to_owned();
            let mut fields = visit.node.written_fields();
            let other = fields.find(|other| other.key.span() == earlier);
            let says_the_same = other.is_some_and(|other| {
                yaml::differences(other.value, field.value).is_some_and(|found| found.is_empty())
            });
            if says_the_same {
                oddity.suggestion = "remove one".to_owned();
            }
            oddity.related.push(Label {
                span: earlier,
                message: "this one is dropped".to_owned(),
            });
            context.note(oddity);
        }
    }
}

fn touches_scheduling(map: &str, path: &str, pods: &[String]) -> bool {
    if path.contains("aints") {
        return true;
    }
    pods.iter().any(|pod| {
        let holds_pod = pod == path || pod.starts_with(&format!("{path}."));
        let inside = ["tolerations", "nodeSelector", "affinity", "nodeName"]
            .iter()
            .any(|name| {
                let field = yaml::join(pod, name);
                path == field || map.starts_with(&field)
            });
        holds_pod || inside
    })
}
