//! Helm charts among the files of a run. Files in their template folders are rendered before they are used.

use std::collections::BTreeSet;

use super::Input;

/// The name of the file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// Folders of charts.
#[derive(Debug, Default)]
pub struct Charts {
    folders: BTreeSet<String>,
}

impl Charts {
    /// The charts among the inputs, plus further known charts.
    pub fn of(inputs: &[Input], known: &BTreeSet<String>) -> Self {
        let read = inputs.iter().filter_map(|input| {
            let folder = input.path.strip_suffix(CHART)?;
            folder.strip_suffix('/').or(folder.is_empty().then_some(""))
        });
        Charts {
            folders: read
                .map(str::to_owned)
                .chain(known.iter().cloned())
                .collect(),
        }
    }

    /// Whether a file is in a chart's `templates` folder, at any depth.
    pub fn render(&self, path: &str) -> bool {
        !self.folders.is_empty()
            && path.match_indices("templates/").any(|(at, _)| {
                let folder = path.get(..at).unwrap_or_default();
                match folder.strip_suffix('/') {
                    Some(folder) => self.folders.contains(folder),
                    None => folder.is_empty() && self.folders.contains(""),
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_templates_beside_a_chart_are_rendered() {
        let inputs = ["Chart.yaml", "charts/web/Chart.yaml", "a/notChart.yaml"].map(|path| Input {
            path: path.into(),
            scanned_from: 0,
        });
        let known = BTreeSet::from(["other".to_owned()]);
        let charts = Charts::of(&inputs, &known);
        for path in [
            "templates/a.yaml",
            "charts/web/templates/deep/a.yaml",
            "other/templates/a.yaml",
        ] {
            assert!(charts.render(path), "{path}");
        }
        for path in [
            "a/templates/a.yaml",
            "charts/web/crds/a.yaml",
            "charts/web/mytemplates/a.yaml",
            "web/templates/a.yaml",
        ] {
            assert!(!charts.render(path), "{path}");
        }
    }
}
