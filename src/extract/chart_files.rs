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
        // A chart in this repository may be anyone's.
        let is_own = address.is_empty() || address.starts_with("file:");
        (!is_own).then(|| Dependency {
            key: text("alias").unwrap_or(&chart).to_owned(),
            chart: chart.clone(),
            // A name of a repository means something on one machine only.
            address: address.contains("://").then(|| address.to_owned()),
            version: text("version").map(str::to_owned),
        })
    });
    named.collect()
}
