//! Node selectors in values of charts without tolerations beside them. Other values may say the rest, so nothing is judged by
//! them alone, but the labels are words of the repository.

use super::FileFacts;
use super::duplicates;
use super::pod::{Pod, read_node_selector};
use super::read::is_placeholder;
use super::subject::Subject;
use super::workloads;
use crate::model::workload::{Level, Stands, Workload};
use crate::yaml::{Kind, Node};

const KEY: &str = "nodeSelector";

/// Reads the selectors of values.
pub(super) fn read(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let is_values = subject.reading.is_values && !subject.is_object();
    if !is_values || !subject.text().contains(KEY) {
        return facts;
    }
    let visits = duplicates::walk(subject.root);
    for at in 0..visits.len() {
        let parent = duplicates::parent_of(&visits, at);
        let (Some(visit), Some(holder)) = (visits.get(at), visits.get(parent)) else {
            continue;
        };
        let is_alone = holder.node.get("tolerations").is_none();
        if duplicates::key_of(&visits, at) == Some(KEY) && is_alone && holds_labels(visit.node) {
            let path = duplicates::path_of(&visits, parent, &subject.base);
            facts.workloads.push(part(subject, holder.node, path));
        }
    }
    facts
}

/// Whether a map has nothing but texts.
fn holds_labels(node: Node<'_>) -> bool {
    let fields = node.fields();
    node.kind() == Kind::Mapping
        && !fields.is_empty()
        && fields.iter().all(|field| {
            field
                .value
                .as_str()
                .is_some_and(|text| !is_placeholder(text))
        })
}

/// The pods that the selector in a map is for, as far as it says something of them.
fn part(subject: &Subject<'_>, holder: Node<'_>, path: String) -> Workload {
    let mut read = Pod::default();
    // What is wrong with a label is told where the pods are known.
    let mut notices = Vec::new();
    let mut context = subject.context(Level::Other, &mut notices);
    read_node_selector(&mut context, holder, &path, &mut read);
    let key = holder.field(KEY).map(|field| field.key.span());
    let span = key.unwrap_or_else(|| subject.own_span());
    read.selection.partial = true;
    let shape = workloads::shape(subject, Level::Values, &read, None, Stands::ForOthers);
    workloads::workload(subject, shape, read, path, Stands::ForOthers, span)
}
