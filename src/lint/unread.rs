//! Lists the fields of workloads and pools that could not be read, each with its span.

use std::collections::HashSet;

use crate::finding::{Because, Open};
use crate::model::node_pool::NodePool;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::{MoreTolerations, Stands, Workload};
use crate::source::{SourceId, Span};

/// The fields of workloads that are not literal, with the span of each workload's name.
pub fn workloads<'w>(
    workloads: &'w [Workload],
    notices: &[Notice],
) -> impl Iterator<Item = (Span, Open)> + use<'w> {
    let refuted = refuted(notices);
    workloads
        .iter()
        .filter_map(move |workload| Some((workload.span, own(workload, &refuted)?)))
}

/// Fields that rules report as wrong. They are known to be wrong, so they are not undecided.
fn refuted(notices: &[Notice]) -> HashSet<Span> {
    use NoticeKind::{MalformedTolerations, MistypedField};
    let wrong =
        |one: &&Notice| matches!(one.kind, MistypedField { .. } | MalformedTolerations { .. });
    notices.iter().filter(wrong).map(|one| one.span).collect()
}

/// What is not literal in a workload, at its own span.
fn own(workload: &Workload, refuted: &HashSet<Span>) -> Option<Open> {
    let shape = &workload.shape;
    let open = |span, because| Some(Open::object(span, &workload.object, because));
    let said = |why: &str| Because::Own(why.into());
    let of_template = match shape.unread_tolerations {
        Some(MoreTolerations::TemplateDocument) => Some(Because::Template),
        Some(why @ MoreTolerations::Template(_)) => Some(said(why.as_str())),
        Some(MoreTolerations::InPart | MoreTolerations::Other(_)) | None => None,
    };
    if let Some(because) = of_template {
        return open(workload.list.unwrap_or(workload.span), because);
    }
    for (entry, located) in shape.tolerations.iter().zip(&workload.located) {
        let fields = [
            ("key", &entry.key),
            ("operator", &entry.operator),
            ("value", &entry.value),
            ("effect", &entry.effect),
        ];
        for (name, _) in fields.into_iter().filter(|(_, field)| field.is_unknown()) {
            let span = located.field(name).unwrap_or(located.entry);
            if !refuted.contains(&span) {
                return open(span, Because::Written(span));
            }
        }
    }
    if shape.node_name.is_unknown() {
        return open(workload.span, said("its `nodeName` is unknown"));
    }
    let selection = &shape.selection;
    let selector = selection.node_selector.iter();
    for (key, _) in selector.filter(|(_, value)| value.is_unknown()) {
        let mut selectors = workload.selectors.iter();
        let written = selectors.find(|(own, ..)| own == key);
        let span = written.map_or(workload.span, |(_, span, _)| *span);
        if !refuted.contains(&span) {
            return open(span, Because::Written(span));
        }
    }
    if selection.has_unknown_terms() {
        return open(workload.span, said("its node affinity is unknown"));
    }
    let open_selection = selection.unknown && workload.stands != Stands::InPart;
    if open_selection && shape.level.is_object() {
        let why = "its node selector or affinity is filled in by a template";
        return open(workload.span, said(why));
    }
    None
}

/// The span of a pool's name, or else of its start, or else its file.
pub fn pool_span(pool: &NodePool, source: SourceId) -> Span {
    let span = pool.name_span.or(pool.span);
    span.unwrap_or_else(|| Span::new(source, 0..0))
}

/// What is unknown about a pool.
pub fn pool(pool: &NodePool, source: SourceId) -> impl Iterator<Item = Open> {
    let taints = (!pool.complete).then(|| {
        let why = pool.incomplete_because.as_deref();
        Because::OwnTaints(why.unwrap_or("some could not be read").into())
    });
    let labels = pool.open_labels.then_some(Because::OwnLabels);
    let open = move |because| Open::object(pool_span(pool, source), &pool.object, because);
    taints.into_iter().chain(labels).map(open)
}
