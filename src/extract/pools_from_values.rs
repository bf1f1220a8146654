//! Node pools that a template makes of values that are known.

use super::reading::Reading;
use super::template_text::{WORDS, read_variant};
use super::{ChartSources, ReadPool, Table};
use crate::builtin;
use crate::source::{Source, SourceId};
use crate::template::{Given, Language, Template, Templates, Wishes};
use crate::yaml;

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
    let given = Given(documents.map(|one| one.root()).collect());
    let template = Template::parse(&source.text, Language::Go).ok()?;
    let wishes = Wishes {
        words: &WORDS,
        oldest_release: builtin::oldest_release(),
    };
    let variants = template.filled(id, Templates::none(), wishes, Some(&given));
    // Something else decides what is written.
    let [only] = variants.all.as_slice() else {
        return None;
    };
    if !variants.complete || !only.stream.errors.is_empty() {
        return None;
    }
    let none = ChartSources::default();
    let reading = Reading::alone(source, id, table, &none);
    let (read, _) = read_variant(only, reading, true);
    Some(read.pools)
}
