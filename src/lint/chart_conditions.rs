//! What the own values of a chart say of the conditions under which its templates write a key twice.

use std::collections::HashMap;

use super::Content;
use super::gather::Gathered;
use super::kept::{Kept, Load};
use crate::extract;
use crate::model::notice::NoticeKind;
use crate::source::{SourceId, path};

/// Marks the keys that a template of a chart writes twice with the chart's own values.
pub fn judge(gathered: &mut Gathered, files: &[Kept], load: &Load<'_>) {
    let Gathered { paths, notices, .. } = gathered;
    let mut charts: Option<Charts<'_>> = None;
    for notice in notices {
        let NoticeKind::DuplicateYamlKey { tests, met, .. } = &mut notice.kind else {
            continue;
        };
        let chart = extract::chart_of(paths.of(notice.span.source));
        let Some(chart) = chart.filter(|_| !tests.is_empty()) else {
            continue;
        };
        let charts = charts.get_or_insert_with(|| Charts::of(files));
        let Some((text, id)) = charts.values(chart, load) else {
            continue;
        };
        *met = extract::is_met(tests, &text, id);
    }
}

/// The charts of the files, by their folders: each with its file of values, if it has one.
struct Charts<'f>(HashMap<&'f str, Option<&'f Kept>>);

impl<'f> Charts<'f> {
    fn of(files: &'f [Kept]) -> Self {
        let mut charts = HashMap::new();
        for kept in files {
            let name = &*kept.input.path;
            match name.rsplit('/').next() {
                Some("Chart.yaml") => {
                    charts.entry(path::folder(name)).or_insert(None);
                }
                Some("values.yaml") => {
                    charts.insert(path::folder(name), Some(kept));
                }
                _ => {}
            }
        }
        Charts(charts)
    }

    /// The own values of the chart in a folder, if they are known.
    fn values(&self, folder: &str, load: &Load<'_>) -> Option<(String, SourceId)> {
        match self.0.get(folder)? {
            None => Some((String::new(), SourceId::CONFIGURATION)),
            Some(kept) => match kept.unchanged(load)? {
                Content::Text(text) | Content::Parameters(text) => Some((text, kept.id)),
                Content::Template(_)
                | Content::Irrelevant
                | Content::Unusable(_)
                | Content::Unreadable(_) => None,
            },
        }
    }
}
