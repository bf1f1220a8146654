//! Objects that are put together from several files, such as those of kustomizations.

use std::collections::HashMap;

use super::chart_sources::ChartSources;
use super::reading::Reading;
use super::relocation::Relocation;
use super::table::Table;
use super::{FileFacts, document, nodes};
use crate::model::clouds::Clouds;
use crate::source::{Source, SourceId, Span};
use crate::yaml::Pieces;

/// An object that is put together from several files.
pub struct Whole<'w> {
    /// Its text. Each part of it has a place in one of the files.
    pub text: &'w Pieces,
    /// The places of the maps in its lists, by the place where the first key of each starts.
    pub items: HashMap<(SourceId, u32), Span>,
    /// The place of the object, for facts without a place of their own.
    pub at: Span,
    /// Its name.
    pub name: &'w str,
    /// The path of the file that most of it comes from.
    pub path: &'w str,
    /// The file whose path says where the object is used.
    pub place: SourceId,
}

/// Reads the facts of such an object.
pub fn read_built(whole: &Whole<'_>, table: &Table, sources: &ChartSources) -> FileFacts {
    let (text, stream) = whole.text.parse(whole.place);
    let source = Source::new(whole.path, text.text());
    let reading = Reading::alone(&source, whole.place, table, sources);
    let mut facts = FileFacts::default();
    for document in stream.documents.iter().filter(|one| !one.is_empty()) {
        facts.absorb(document::read(document.root(), reading));
    }
    nodes::fold(&mut facts.pools, table);
    if !facts.workloads.is_empty() {
        let clouds = Clouds::spoken_of_in(text.text());
        facts.clouds.push((whole.place, clouds));
    }
    Relocation {
        text: &text,
        id: whole.place,
        whole: whole.at,
        name: Some(whole.name),
    }
    .apply(&mut facts);
    for pointer in &mut facts.pointers {
        pointer.relocate(whole.at, &|span| {
            text.place(span.range()).unwrap_or(whole.at)
        });
    }
    let place = |span: &mut Span| {
        if let Some(item) = whole.items.get(&(span.source, span.start)) {
            *span = *item;
        }
    };
    let entries = facts.workloads.iter_mut();
    let entries = entries.flat_map(|workload| &mut workload.located);
    entries.for_each(|located| place(&mut located.entry));
    let taints = facts
        .pools
        .iter_mut()
        .flat_map(|read| &mut read.pool.taints);
    taints
        .filter_map(|taint| taint.span.as_mut())
        .for_each(place);
    facts
}
