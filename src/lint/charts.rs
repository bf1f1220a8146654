//! Helm values that are not used as their names say: templates transform them, or read them under an unusual key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::gather::Gathered;
use crate::extract::chart_of;
use crate::model::notice::NoticeKind;
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

/// Drops notices about keys that are nearly `tolerations` where other files use the same key, so that what reads it may know
/// it. A chart that reads the key in one map only says nothing of others. The keys of known custom resources are known.
pub fn drop_used_keys(gathered: &mut Gathered) {
    let Gathered {
        near_keys,
        paths,
        notices,
        ..
    } = gathered;
    // The keys that the own values of charts have, by their folders.
    let mut own: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (source, key) in near_keys.iter() {
        let path = paths.of(*source);
        if path.rsplit('/').next() == Some("values.yaml") {
            own.entry(folder_of(path)).or_default().insert(key);
        }
    }
    let mut used: BTreeMap<&str, BTreeSet<SourceId>> = BTreeMap::new();
    for (source, key) in near_keys.iter() {
        // A template that reads a key of `.` reads it in the maps that have it among the values.
        let keys = chart_of(paths.of(*source)).and_then(|chart| own.get(chart));
        let is_of_map = |one: &&str| one.rsplit_once('.').is_some_and(|(_, last)| last == key);
        let is_known =
            keys.is_some_and(|keys| !keys.contains(key.as_str()) && keys.iter().any(is_of_map));
        if !is_known {
            used.entry(key).or_default().insert(*source);
        }
    }
    notices.retain(|notice| match &notice.kind {
        NoticeKind::MisspelledList { field, .. } if notice.level != Level::Custom => {
            let in_map = format!("{}.{field}", holder(&notice.path));
            let files = [field.as_str(), &in_map]
                .into_iter()
                .filter_map(|key| used.get(key));
            let mut files = files.flatten();
            files.all(|file| *file == notice.span.source)
        }
        _ => true,
    });
}

/// The key of the map that contains the field at a path.
fn holder(path: &str) -> &str {
    let (above, _) = path.rsplit_once('.').unwrap_or_default();
    let last = above.rsplit('.').next().unwrap_or_default();
    last.split('[').next().unwrap_or_default()
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
