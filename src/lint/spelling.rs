//! Selected labels that are slips of the pen, compared with the words of the whole repository, as notices.

use std::collections::HashSet;

use super::gather::Gathered;
use crate::config::Config;
use crate::finding::Label;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::vocabulary::{Meant, Vocabulary};
use crate::model::well_known::WellKnown;
use crate::model::workload::{Selected, Workload, selected};

/// The words of all pools and workloads of a repository.
pub fn vocabulary<'g>(gathered: &'g Gathered, well_known: &'g WellKnown) -> Vocabulary<'g> {
    let placed = gathered.pools.iter().chain(&gathered.hints);
    let pools = placed.map(|placed| &*placed.pool);
    Vocabulary::hear(pools, &gathered.workloads, well_known)
}

/// Notices about selected labels with a misspelt key or value, one for each place.
pub fn notices(gathered: &Gathered, vocabulary: &Vocabulary<'_>, config: &Config) -> Vec<Notice> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for workload in &gathered.workloads {
        let labels: Vec<Selected<'_>> = selected(workload).collect();
        for label in &labels {
            if !seen.insert((label.span, label.values.clone())) {
                continue;
            }
            let first = label.values.first().copied();
            // A workload that selects both words means both.
            let other = |key: &str| labels.iter().any(|other| other.key == key);
            let key = vocabulary.meant_label_key(label.key, first);
            if let Some(meant) = key.filter(|meant| !other(meant.word)) {
                let value = first.unwrap_or_default();
                found.push(notice(
                    workload,
                    label,
                    ("key", value),
                    &meant,
                    (gathered, config),
                ));
                continue;
            }
            for value in &label.values {
                let meant = vocabulary.meant_label_value(label.key, value);
                if let Some(meant) = meant.filter(|meant| !label.values.contains(&meant.word)) {
                    let at = (gathered, config);
                    found.push(notice(workload, label, ("value", value), &meant, at));
                }
            }
        }
    }
    found
}

fn notice(
    workload: &Workload,
    label: &Selected<'_>,
    (field, value): (&'static str, &str),
    meant: &Meant<'_>,
    (gathered, config): (&Gathered, &Config),
) -> Notice {
    let path = gathered.path(label.span.source);
    let scanned = gathered.scanned_path(label.span.source);
    // A configured cluster is never a test, whatever its folder is called.
    let is_test = config.clusters_of(path).is_empty() && config.is_test_or_archive(path, scanned);
    let message = match meant.pool.is_empty() {
        true => "this is written elsewhere",
        false => "this pool has it",
    };
    let related = meant.place.map(|span| Label {
        span,
        message: message.to_owned(),
    });
    Notice {
        kind: NoticeKind::StrangeSelector {
            field,
            label: label.key.to_owned(),
            value: value.to_owned(),
            meant: meant.word.to_owned(),
            pool: meant.pool.to_owned(),
            well_known: meant.well_known,
            uses: meant.uses.to_string(),
            sure: meant.sure && !is_test,
        },
        level: workload.shape.level,
        object: workload.object.clone(),
        span: label.span,
        path: label.path.to_owned(),
        related: related.into_iter().collect(),
    }
}
