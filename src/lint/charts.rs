//! Values that do not reach pods unchanged because templates of their chart transform them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::gather::Gathered;
use crate::extract::chart_of;
use crate::model::workload::Level;
use crate::source::SourceId;

/// Clears the mark that values reach pods unchanged if a chart of the repository transforms them. This covers the chart's
/// own values and values outside any chart, which may be for that chart.
pub fn doubt_values(gathered: &mut Gathered) {
    let Gathered {
        paths,
        workloads,
        notices,
        reshaping,
        ..
    } = gathered;
    if reshaping.is_empty() {
        return;
    }
    let path = |source: SourceId| paths.of(source);
    let changing: BTreeSet<&str> = reshaping
        .iter()
        .filter_map(|source| chart_of(path(*source)))
        .collect();
    let charts: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_suffix("Chart.yaml"))
        .map(|folder| folder.trim_end_matches('/'))
        .chain(changing.iter().copied())
        .collect();
    let doubt = |level: &Level, source: SourceId| {
        *level == Level::Values
            && match folders(path(source)).find(|folder| charts.contains(folder)) {
                // A chart passes values on to its subcharts.
                Some(own) => changing.iter().any(|chart| is_in(chart, own)),
                None => true,
            }
    };
    for workload in workloads {
        if doubt(&workload.shape.level, workload.source) {
            Arc::make_mut(&mut workload.shape).level = Level::Other;
        }
    }
    for notice in notices {
        if doubt(&notice.level, notice.span.source) {
            notice.level = Level::Other;
        }
    }
}

/// The folders that contain a file, innermost first. The last one is the empty path.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder_of(path)), |at| {
        (!at.is_empty()).then(|| folder_of(at))
    })
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_in(folder: &str, above: &str) -> bool {
    above.is_empty()
        || folder
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
