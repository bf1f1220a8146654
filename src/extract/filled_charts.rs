//! Releases of charts whose templates are in the repository: the pods that these make of the values of a release.

use std::collections::HashSet;
use std::sync::Arc;

use super::chart_inputs::pod_of;
use super::chart_parts::Filled;
use super::installed::Installed;
use super::reading::Reading;
use super::relocation::Relocation;
use super::subject::Subject;
use super::template_signs::WORDS;
use super::workloads as pods;
use super::{ChartSources, FileFacts, Table};
use crate::builtin;
use crate::model::workload::{Level, Stands, Workload};
use crate::source::{Source, SourceId, Span};
use crate::template::{Variant, Wishes};
use crate::yaml::{Node, Pieces};

/// The pods that the chart in a folder makes of values, of which each map is laid over those behind it. `None` if something
/// else decides what it makes. The `component` of each is the end of its name, if that is known.
pub fn made_of_values(
    chart: (&ChartSources, &str),
    values: &[Node<'_>],
    table: &Table,
) -> Option<Vec<Workload>> {
    let (made, _) = made(chart, values, table)?;
    Some(made.into_iter().map(|one| one.workload).collect())
}

/// A workload that a template makes.
struct Made {
    workload: Workload,
    /// Whether the template puts a value into a selector.
    puts_in: bool,
}

/// The same, with the files of the chart and of those in it.
fn made(
    chart: (&ChartSources, &str),
    values: &[Node<'_>],
    table: &Table,
) -> Option<(Vec<Made>, HashSet<SourceId>)> {
    let wishes = Wishes {
        words: &WORDS,
        oldest_release: builtin::oldest_release(),
    };
    let none = ChartSources::default();
    let mut made = Vec::new();
    let filled = Filled::of(chart, values, wishes)?;
    for (source, id, variant) in filled.texts {
        let text = Source::new(source.path.as_str(), variant.text.text()).rendered(true);
        let reading = Reading::alone(&text, id, table, &none);
        let mut facts = FileFacts::default();
        for document in &variant.stream.documents {
            let subject = Subject::new(document.root(), String::new(), reading);
            let mut read = pods::read(&subject).facts.workloads;
            read.retain(|one| one.stands == Stands::Alone);
            let start = document.root().span();
            if read.iter().any(|one| is_conditional(one, start, &variant)) {
                return None;
            }
            facts.workloads.extend(read.into_iter().map(with_names));
        }
        let put_in: Vec<Vec<Option<Span>>> = facts
            .workloads
            .iter()
            .map(|one| {
                let spans = one.selectors.iter().map(|(_, span, _)| *span);
                spans
                    .map(|span| value_in(&variant.text, span, id))
                    .collect()
            })
            .collect();
        Relocation {
            text: &variant.text,
            id,
            whole: Span::new(id, 0..0),
            name: None,
        }
        .apply(&mut facts);
        let read = facts.workloads.into_iter().zip(put_in);
        made.extend(read.map(|(mut workload, put_in)| {
            let selectors = workload.selectors.iter_mut();
            for ((_, span, _), value) in selectors.zip(&put_in) {
                *span = value.unwrap_or(*span);
            }
            Made {
                workload,
                puts_in: put_in.iter().any(Option::is_some),
            }
        }));
    }
    Some((made, filled.files))
}

/// The place of the value that a template puts into a part of its text. `None` if all of it comes from one file.
fn value_in(text: &Pieces, part: Span, template: SourceId) -> Option<Span> {
    let (own, values): (Vec<_>, Vec<_>) = text
        .places(part.range())
        .partition(|place| place.source == template);
    values.last().copied().filter(|_| !own.is_empty())
}

/// Whether something that is not known decides whether there is a workload in a document, or a part of what it says. Its places
/// are those in the text of the variant.
fn is_conditional(workload: &Workload, document: Span, variant: &Variant) -> bool {
    let selectors = workload.selectors.iter().map(|(_, span, _)| *span);
    let entries = workload.located.iter().map(|one| one.entry);
    let all = selectors.chain(entries).chain(workload.list);
    let mut all = all.chain([document]);
    all.any(|span| variant.is_conditional(span.start as usize, 0))
}

/// A workload with the names that its template says, which may be parts of the whole ones.
fn with_names(mut workload: Workload) -> Workload {
    let pod = pod_of(&workload);
    let is_named = !pod.name.starts_with(['*', '(']);
    workload.component = is_named.then(|| pod.name.as_str().into());
    workload.pods_in = pod.namespace.map(Into::into);
    workload
}

/// The pods of a release that say something of their scheduling. `values` are all its values, of which each map is laid over
/// those behind it; `has_values` says whether there are others than those of its chart. `None` if the templates of its chart are not known, or if something in the pods stays unknown: which values
/// reach them may still be known.
pub(super) fn workloads(
    subject: &Subject<'_>,
    (values, has_values): (&[Node<'_>], bool),
    installed: &Installed,
) -> Option<Vec<Workload>> {
    let Reading { sources, table, .. } = subject.reading;
    let chart = (sources, installed.folder.as_deref()?);
    let (mut made, files) = made(chart, values, table)?;
    let is_open = |one: &Made| {
        let shape = &one.workload.shape;
        shape.unread_tolerations.is_some() || shape.selection.unknown
    };
    if made.iter().any(is_open) {
        return None;
    }
    made.retain(|one| match has_values {
        true => one.workload.list.is_some() || !one.workload.selectors.is_empty(),
        // Lists and maps of the chart's own values are judged where they are.
        false => one.puts_in,
    });
    let made = made.into_iter();
    Some(
        made.map(|one| of_release(one.workload, subject, (&files, installed)))
            .collect(),
    )
}

/// A workload that a template makes, as a part of the release.
fn of_release(
    mut workload: Workload,
    subject: &Subject<'_>,
    (files, installed): (&HashSet<SourceId>, &Installed),
) -> Workload {
    let of_release = installed.namespace.as_deref();
    workload.pods_in = workload.pods_in.or(of_release.map(Into::into));
    workload.object = subject.object.clone();
    workload.source = subject.reading.id;
    workload.span = subject.own_span();
    workload.path.clone_from(&subject.base);
    let shape = Arc::make_mut(&mut workload.shape);
    shape.level = Level::Chart;
    point_at_values(&mut workload, files);
    workload
}

/// Lets what is found lead to the values of the release. What the chart says by itself is judged there.
fn point_at_values(workload: &mut Workload, files: &HashSet<SourceId>) {
    let is_given = |span: Span| !files.contains(&span.source);
    let entries = std::mem::take(&mut workload.located);
    let shape = Arc::make_mut(&mut workload.shape);
    let tolerations = std::mem::take(&mut shape.tolerations);
    let all = tolerations.into_iter().zip(entries);
    let (given, own): (Vec<_>, Vec<_>) = all.partition(|(_, located)| is_given(located.entry));
    let (mut tolerations, located): (Vec<_>, Vec<_>) = given.into_iter().unzip();
    tolerations.extend(own.into_iter().map(|(entry, _)| entry));
    shape.tolerations = tolerations;
    let selectors = workload.selectors.iter().map(|(_, span, _)| *span);
    let entries = located.iter().map(|one| one.entry);
    if let Some(given) = selectors.chain(entries).find(|span| is_given(*span)) {
        for (_, span, _) in &mut workload.selectors {
            if !is_given(*span) {
                *span = given;
            }
        }
    }
    workload.located = located.into();
}
