//! The templates of a chart in the repository, and what they become when all values are known.

use std::fmt;

use super::placeholders::is_placeholder;
use crate::source::{Source, SourceId};
use crate::template::{Given, Language, Template, Templates, Variant, Variants, Wishes};
use crate::yaml::{self, Document, Kind, Node};

/// The templates of a chart.
pub struct ChartTemplates {
    /// Those that make pods.
    templates: Vec<(Source, SourceId, Template)>,
    /// Those that define named templates.
    named: Templates,
    /// The chart's own values.
    defaults: Option<Document>,
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

    /// Whether a file is one of the chart.
    pub(super) fn contains(&self, file: SourceId) -> bool {
        let defaults = self.defaults.iter().map(|one| one.root().span().source);
        let mut templates = self.templates.iter().map(|(_, id, _)| *id);
        templates.any(|id| id == file) || self.named.contains(file) || defaults.last() == Some(file)
    }

    /// What each template that makes pods becomes with these values, of which each map is laid over those behind it. `None` if
    /// something else decides what is written.
    pub(super) fn fill(
        &self,
        values: &[Node<'_>],
        wishes: Wishes<'_>,
    ) -> Option<Vec<(&Source, SourceId, Variant)>> {
        let defaults = self.defaults.iter().map(Document::root);
        let layers: Vec<Node<'_>> = values.iter().copied().chain(defaults).collect();
        let mut filled = Vec::new();
        for (source, id, template) in &self.templates {
            let given = Given {
                layers: layers.clone(),
                is_open: is_placeholder,
            };
            let variants = template.filled(*id, &self.named, wishes, Some(&given));
            filled.push((source, *id, only(variants)?));
        }
        Some(filled)
    }
}

/// The only variant of a template.
fn only(variants: Variants) -> Option<Variant> {
    // What a template changes, others see.
    let is_certain = variants.complete && variants.changed.is_empty() && variants.all.len() == 1;
    let only = variants.all.into_iter().next().filter(|_| is_certain)?;
    (only.stream.errors.is_empty() && !only.left_out).then_some(only)
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
