//! Charts with the charts in them, and what their templates become when all values are known.

use std::collections::HashSet;

use super::chart_sources::{ChartSources, Dependency, MAX_DEPTH};
use super::placeholders::is_placeholder;
use crate::charts::Step;
use crate::source::{Source, SourceId};
use crate::template::{Given, Variant, Variants, Wishes};
use crate::yaml::{Document, Kind, Node};

/// The maximum number of templates of a release that are filled in, and of charts in its chart.
const MAX_PARTS: usize = 500;

/// What the templates of a chart and of the charts in it become.
#[derive(Default)]
pub(super) struct Filled<'c> {
    /// Each template that makes pods, and what it becomes.
    pub(super) texts: Vec<(&'c Source, SourceId, Variant)>,
    /// The files of the charts.
    pub(super) files: HashSet<SourceId>,
    /// How many charts were filled in.
    charts: usize,
}

impl<'c> Filled<'c> {
    /// What the chart in a folder becomes with values, of which each map is laid over those behind it. `None` if something
    /// else decides what is written.
    pub(super) fn of(
        (sources, folder): (&'c ChartSources, &str),
        values: &[Node<'_>],
        wishes: Wishes<'_>,
    ) -> Option<Filled<'c>> {
        let given = Given {
            layers: values.to_vec(),
            globals: Vec::new(),
            is_open: is_placeholder,
        };
        let mut filled = Filled::default();
        filled.add((sources, folder), given, wishes, MAX_DEPTH)?;
        Some(filled)
    }

    fn add<'v>(
        &mut self,
        (sources, folder): (&'c ChartSources, &str),
        mut given: Given<'v>,
        wishes: Wishes<'_>,
        depth: usize,
    ) -> Option<()>
    where
        'c: 'v,
    {
        let depth = depth.checked_sub(1)?;
        let chart = sources.templates_at(folder)?;
        self.charts += 1;
        if self.charts + self.texts.len() > MAX_PARTS {
            return None;
        }
        self.files.extend(chart.files());
        given
            .layers
            .extend(chart.defaults.iter().map(Document::root));
        for (source, id, template) in &chart.templates {
            let variants = template.filled(*id, &chart.named, wishes, Some(&given));
            self.texts.push((source, *id, only(variants)?));
        }
        for part in sources.parts_of(folder) {
            if let Some(dependency) = part.dependency {
                if dependency.imports {
                    return None;
                }
                if !is_enabled(dependency, &given)? {
                    continue;
                }
            }
            let at = |key: &str| {
                let mut found = given.at(&[Step::Key(key.to_owned())])?;
                found.retain(|one| !one.is_null());
                let is_map = found.iter().all(|one| one.kind() == Kind::Mapping);
                is_map.then_some(found)
            };
            let inner = Given {
                layers: at(part.key)?,
                globals: at("global")?,
                is_open: given.is_open,
            };
            self.add((sources, part.folder()), inner, wishes, depth)?;
        }
        Some(())
    }
}

/// Whether values switch a dependency on. `None` if that is not known. Follows `processDependencyConditions` and
/// `processDependencyTags` of Helm's `pkg/chart/v2/util/dependencies.go`.
pub(super) fn is_enabled(dependency: &Dependency, given: &Given<'_>) -> Option<bool> {
    let said = |path: &str| -> Option<Option<bool>> {
        let steps: Vec<Step> = path
            .split('.')
            .map(|key| Step::Key(key.to_owned()))
            .collect();
        let found = given.at(&steps)?;
        Some(found.first().and_then(|one| one.as_bool()))
    };
    for path in &dependency.conditions {
        if let Some(said) = said(path)? {
            return Some(said);
        }
    }
    let tags = dependency
        .tags
        .iter()
        .map(|tag| said(&format!("tags.{tag}")));
    let tags: Vec<bool> = tags
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    Some(tags.is_empty() || tags.contains(&true))
}

/// The only variant of a template.
fn only(variants: Variants) -> Option<Variant> {
    // What a template changes, others see.
    let is_certain = variants.complete && variants.changed.is_empty() && variants.all.len() == 1;
    let only = variants.all.into_iter().next().filter(|_| is_certain)?;
    (only.stream.errors.is_empty() && !only.left_out).then_some(only)
}
