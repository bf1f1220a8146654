//! What the API server refuses of a Node besides its taints: invalid labels, and values of the wrong type.

use super::read::{Context, is_placeholder};
use super::subject::Subject;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::selection_errors::label_errors;
use crate::model::validation::ErrorCode;
use crate::model::workload::Level;
use crate::yaml::{self, Node};

/// Reports what the API server refuses of a Node.
pub(super) fn read(subject: &Subject<'_>) -> Vec<Notice> {
    let mut notices = Vec::new();
    if subject.object.kind != "Node" || subject.object.api_version != "v1" {
        return notices;
    }
    let (root, base) = (subject.root, subject.base.as_str());
    let mut context = subject.context(Level::Typed, &mut notices);
    if let Some((metadata, at)) = context.map_at(root, base, "metadata")
        && let Some((labels, at)) = context.map_at(metadata, &at, "labels")
    {
        note_labels(labels, &at, &mut context);
    }
    if let Some((spec, at)) = context.map_at(root, base, "spec")
        && let Some(field) = spec.field("unschedulable")
    {
        let at = yaml::join(&at, "unschedulable");
        context.expect_boolean(&field, &at);
    }
    notices
}

fn note_labels(labels: Node<'_>, at: &str, context: &mut Context<'_>) {
    for field in labels.fields() {
        let Some(key) = field.name().filter(|key| !is_placeholder(key)) else {
            continue;
        };
        let at = yaml::join(at, key);
        let value = context.read_string(Some(field), &at);
        for error in label_errors(key, &value) {
            let written = match error.code {
                ErrorCode::InvalidKey => key,
                _ => value.text().unwrap_or_default(),
            };
            let kind = NoticeKind::InvalidNodeLabel {
                why: error.message,
                written: written.to_owned(),
            };
            context.note(kind, field.span(), at.clone());
        }
    }
}
