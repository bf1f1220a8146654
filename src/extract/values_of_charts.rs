//! Files of values in the repository that no release names: those of its charts, for themselves and for their dependencies.

use std::sync::Arc;

use super::chart_values::Values;
use super::charted::{self, Charted};
use super::charted_parts;
use super::installed::{Described, Installed, Origin, edition};
use super::subject::Subject;
use crate::yaml;

/// Reads values for a chart whose templates are in the repository, and for the charts in it.
pub(super) fn own_values(subject: &Subject<'_>) -> Charted {
    let reading = &subject.reading;
    let mut charted = Charted::default();
    for (key, chart) in reading.sources.charts_of(&reading.source.path) {
        let (root, base) = match key {
            None => (Some(subject.root), subject.base.clone()),
            Some(key) => (subject.root.get(key), yaml::join(&subject.base, key)),
        };
        let Some(root) = root else { continue };
        // What one environment sets, beside the defaults of the chart, is a release of it.
        let open = key.is_some() || !reading.sources.is_environment(&reading.source.path);
        let installed = Installed {
            chart: chart.name.clone(),
            edition: Described::Templates(Arc::clone(&chart.edition)),
            folder: Some(chart.folder.clone()),
            version: None,
            sure: true,
            open,
            namespace: None,
            below: Vec::new(),
        };
        let values = Values {
            root,
            base,
            under: Vec::new(),
            open,
            is_whole: false,
        };
        charted.absorb(charted::read(subject, &values, &installed));
        if !open {
            charted.absorb(charted_parts::read(subject, &[root], &installed));
        }
    }
    charted
}

/// Reads the values that a chart passes to its dependencies. Other files of values may be used beside this one.
pub(super) fn passed_on(subject: &Subject<'_>) -> Charted {
    let mut charted = Charted::default();
    let reading = &subject.reading;
    for dependency in reading.sources.dependencies_of(&reading.source.path) {
        let Some(root) = subject.root.get(&dependency.key) else {
            continue;
        };
        let address = dependency.address.clone();
        let origin = address.map_or(Origin::Unknown, Origin::Address);
        let Some((edition, sure)) = edition(&dependency.chart, &origin) else {
            continue;
        };
        let installed = Installed {
            chart: dependency.chart.clone(),
            edition: Described::Table(edition),
            folder: None,
            version: dependency.version.clone(),
            sure,
            open: true,
            namespace: None,
            below: Vec::new(),
        };
        let values = Values {
            root,
            base: yaml::join(&subject.base, &dependency.key),
            under: Vec::new(),
            open: true,
            is_whole: false,
        };
        charted.absorb(charted::read(subject, &values, &installed));
    }
    charted
}
