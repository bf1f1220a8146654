//! Annotations that used to contain tolerations and taints. Nothing reads them any more, but API servers still parse them.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::duplicates;
use super::subject::Subject;
use super::workloads::Known;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::Level;
use crate::model::{former_annotations as annotations, taint};
use crate::yaml::{self, Scalar};

const DEAD_ANNOTATIONS: [&str; 2] = [annotations::TOLERATIONS, annotations::TAINTS];

/// Reports such annotations on the object and on its pod templates.
pub(super) fn read(subject: &Subject<'_>, known: &Known) -> Vec<Notice> {
    let mut notices = Vec::new();
    if !subject.text().contains("scheduler.alpha.kubernetes.io") {
        return notices;
    }
    let mut context = subject.context(Level::Typed, &mut notices);
    let visits = duplicates::walk(subject.root);
    for at in 0..visits.len() {
        if duplicates::key_of(&visits, at) != Some("annotations") {
            continue;
        }
        for field in visits[at].node.fields() {
            let mut dead = DEAD_ANNOTATIONS.into_iter();
            let Some(name) = dead.find(|name| field.name() == Some(name)) else {
                continue;
            };
            let map = duplicates::path_of(&visits, at, &subject.base);
            let path = yaml::join(&map, name);
            let dead = NoticeKind::DeadAnnotation { annotation: name };
            let invalid = invalid_annotation(subject, known, &field, &map);
            for kind in std::iter::once(dead).chain(invalid) {
                context.note(kind, field.key.span(), path.clone());
            }
        }
    }
    notices
}

/// Checks an annotation that the API server still parses: the one with taints on a Node, and the one with tolerations
/// on a Pod or a pod template. `map` is the path of the annotations.
fn invalid_annotation(
    subject: &Subject<'_>,
    known: &Known,
    field: &yaml::Field<'_>,
    map: &str,
) -> Option<NoticeKind> {
    let name = field.name()?;
    let holder = map.strip_suffix("metadata.annotations")?;
    let text = match field.value.scalar()? {
        // JSON starts with brackets itself, so only these signs mark a template.
        Scalar::Str(text) if !text.contains("{{") && !text.contains('$') => text,
        _ => return None,
    };
    let refused = |comparison_operators: bool| -> Option<String> {
        if name == annotations::TAINTS {
            let taints = match annotations::taints(text) {
                Ok(taints) => taints,
                Err(why) => return Some(why),
            };
            let repeats = taint::repeated(&taints).iter().any(Option::is_some);
            let error = taints.iter().find_map(|taint| taint.errors().pop());
            let repeat = || repeats.then(|| "two taints have the same key and effect".to_owned());
            return error.map(|error| error.message).or_else(repeat);
        }
        match annotations::tolerations(text) {
            Ok(tolerations) => {
                let mut errors = tolerations
                    .iter()
                    .flat_map(|entry| entry.errors(comparison_operators));
                errors.next().map(|error| error.message)
            }
            Err(why) => Some(why),
        }
    };
    let is_read = if name == annotations::TAINTS {
        subject.object.kind == "Node" && holder == subject.base
    } else {
        known
            .pods
            .iter()
            .any(|pod| pod.strip_suffix("spec") == Some(holder))
    };
    if !is_read {
        return None;
    }
    match (refused(true), refused(false)) {
        // Without the feature gate the value is not parsed, so it may be refused only with the gate.
        (Some(why), _) => Some(NoticeKind::InvalidAnnotation { why }),
        (None, Some(why)) => Some(NoticeKind::ComparisonInAnnotation { why }),
        (None, None) => None,
    }
}
