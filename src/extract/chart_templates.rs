//! The templates of a chart in the repository, with its own values.

use std::fmt;

use crate::source::{Source, SourceId};
use crate::template::{Language, Template, Templates};
use crate::yaml::{self, Document, Kind};

/// The templates of a chart.
pub struct ChartTemplates {
    /// Those that make pods.
    pub(super) templates: Vec<(Source, SourceId, Template)>,
    /// Those that define named templates.
    pub(super) named: Templates,
    /// The chart's own values.
    pub(super) defaults: Option<Document>,
}

impl fmt::Debug for ChartTemplates {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.templates.iter().map(|(source, ..)| &source.path);
        to.debug_list().entries(paths).finish()
    }
}

impl ChartTemplates {
    /// Parses the templates that make pods, and those that define named templates. `None` if one of them is broken.
    pub fn parse(
        templates: impl IntoIterator<Item = (Source, SourceId)>,
        named: impl IntoIterator<Item = (String, SourceId)>,
        defaults: Option<(String, SourceId)>,
    ) -> Option<ChartTemplates> {
        let parse = |text: &str| Template::parse(text, Language::Go).ok();
        let templates = templates.into_iter().map(|(source, id)| {
            let template = parse(&source.text)?;
            Some((source, id, template))
        });
        let named = named
            .into_iter()
            .map(|(text, id)| Some((id, parse(&text)?)));
        let defaults = match defaults {
            Some((text, id)) => Some(map_of(&text, id)?),
            None => None,
        };
        Some(ChartTemplates {
            templates: templates.collect::<Option<_>>()?,
            named: named.collect::<Option<_>>()?,
            defaults,
        })
    }

    /// The files of the chart.
    pub(super) fn files(&self) -> impl Iterator<Item = SourceId> {
        let defaults = self.defaults.iter().map(|one| one.root().span().source);
        let templates = self.templates.iter().map(|(_, id, _)| *id);
        templates.chain(self.named.files()).chain(defaults)
    }
}

/// The map of values in a text, which may be empty. `None` if it is broken or something else.
pub(super) fn map_of(text: &str, id: SourceId) -> Option<Document> {
    let stream = yaml::parse(text, id);
    let is_whole = stream.errors.is_empty();
    let mut documents = stream.documents.into_iter().filter(|one| !one.is_empty());
    let map = match (documents.next(), documents.next()) {
        (None, _) => yaml::parse("{}", id).documents.into_iter().next(),
        (Some(only), None) => Some(only),
        _ => None,
    };
    map.filter(|one| is_whole && one.root().kind() == Kind::Mapping)
}
