//! What the file of a chart says: its name and its dependencies.

use super::chart_sources::{ChartName, Dependency};
use super::read::is_placeholder;
use super::subject::Subject;
use crate::yaml::Node;

/// The name and the version of the chart that a file describes.
pub(super) fn chart(subject: &Subject<'_>) -> Option<ChartName> {
    if !subject.reading.source.path.ends_with("Chart.yaml") {
        return None;
    }
    let text = |key: &str| subject.root.get(key).and_then(Node::raw).map(str::to_owned);
    Some(ChartName {
        name: text("name")?,
        version: text("version"),
    })
}

/// The dependencies that a chart names.
pub(super) fn dependencies(subject: &Subject<'_>) -> Vec<Dependency> {
    let path = &subject.reading.source.path;
    let name = path.rsplit('/').next().unwrap_or_default();
    if !["Chart.yaml", "requirements.yaml"].contains(&name) {
        return Vec::new();
    }
    let list = subject.root.get("dependencies");
    let items = list.into_iter().flat_map(Node::items);
    let named = items.filter_map(|item| {
        let text = |key: &str| {
            let text = item.get(key).and_then(Node::raw);
            text.filter(|text| !text.is_empty() && !is_placeholder(text))
        };
        let chart = text("name")?.to_owned();
        let address = text("repository").unwrap_or_default();
        let folder = match address.strip_prefix("file:") {
            Some(path) => Some(path.trim_start_matches("//").to_owned()),
            None => address.is_empty().then(|| format!("charts/{chart}")),
        };
        let texts = |key: &str| {
            let list = item.get(key).into_iter().flat_map(Node::items);
            list.filter_map(Node::raw).map(str::to_owned).collect()
        };
        Some(Dependency {
            key: text("alias").unwrap_or(&chart).to_owned(),
            // A name of a repository means something on one machine only.
            address: address
                .contains("://")
                .then(|| address.to_owned())
                .filter(|_| folder.is_none()),
            version: text("version").map(str::to_owned),
            folder,
            conditions: text("condition").map_or_else(Vec::new, |paths| {
                paths
                    .split(',')
                    .map(|path| path.trim().to_owned())
                    .collect()
            }),
            tags: texts("tags"),
            imports: item.get("import-values").is_some(),
            chart,
        })
    });
    named.collect()
}
