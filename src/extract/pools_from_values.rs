//! What a template makes of values that are known: node pools, and other documents.

use super::is_placeholder;
use super::reading::Reading;
use super::template_signs::WORDS;
use super::template_text::read_variant;
use super::{ChartSources, ReadPool, Table};
use crate::builtin;
use crate::source::{Source, SourceId, Span};
use crate::template::{Given, Language, Template, Templates, Variant, Wishes};
use crate::yaml::{self, Document, Node};

/// Reads the pools that a template of a chart makes of values, each laid over those behind it. `None` if that is not known.
pub fn pools_from_values(
    source: &Source,
    id: SourceId,
    table: &Table,
    values: &[(&str, SourceId)],
) -> Option<Vec<ReadPool>> {
    let streams: Vec<_> = values
        .iter()
        .map(|(text, id)| yaml::parse(text, *id))
        .collect();
    if streams.iter().any(|stream| !stream.errors.is_empty()) {
        return None;
    }
    let documents = streams.iter().filter_map(|stream| stream.documents.first());
    let made = made(source, id, documents.map(|one| one.root()).collect())?;
    let none = ChartSources::default();
    let reading = Reading::alone(source, id, table, &none);
    let (read, _) = read_variant(&made, reading, true);
    Some(read.pools)
}

/// The documents that a template of a chart makes of maps of values, each laid over those behind it, with their places in the
/// template. `None` if that is not known.
pub fn documents_from_values(
    source: &Source,
    id: SourceId,
    values: Vec<Node<'_>>,
) -> Option<Vec<(Document, Span)>> {
    let made = made(source, id, values)?;
    let documents = made.stream.documents.into_iter();
    let documents = documents.filter(|one| !one.is_empty()).map(|one| {
        let place = made.text.place(one.root().span().range());
        (one, place.unwrap_or(Span::new(id, 0..0)))
    });
    Some(documents.collect())
}

/// The only text that a template can become with these values. `None` if something else decides what is written.
fn made(source: &Source, id: SourceId, values: Vec<Node<'_>>) -> Option<Variant> {
    let given = Given {
        layers: values,
        globals: Vec::new(),
        is_open: is_placeholder,
    };
    let template = Template::parse(&source.text, Language::Go).ok()?;
    let wishes = Wishes {
        words: &WORDS,
        oldest_release: builtin::oldest_release(),
    };
    let variants = template.filled(id, Templates::none(), wishes, Some(&given));
    let mut all = variants.all.into_iter();
    let only = all
        .next()
        .filter(|_| variants.complete && all.next().is_none())?;
    only.stream.errors.is_empty().then_some(only)
}
