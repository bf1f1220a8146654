//! Objects that name the address of charts, as rows of provider tables say.

use super::FileFacts;
use super::chart_sources::ChartSource;
use super::read::is_placeholder;
use super::subject::Subject;
use crate::yaml::Path;

/// Reads the address that an object names.
pub(super) fn read(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let (group, kind) = (subject.group(), &subject.object.kind);
    let providers = subject.reading.table.providers.iter();
    let rows = providers.flat_map(|provider| &provider.chart_sources);
    for row in rows.filter(|row| row.group == group && row.kinds.contains(kind)) {
        let text = |path: &Path| {
            let found = path.find(subject.root);
            let raw = found.first().and_then(|found| found.node.raw());
            raw.filter(|text| !is_placeholder(text)).map(str::to_owned)
        };
        let (Some(address), Some(name)) = (text(&row.address), subject.object.name.clone()) else {
            continue;
        };
        facts.chart_sources.push(ChartSource {
            kind: kind.clone(),
            name,
            namespace: subject.object.namespace.clone(),
            address,
            whole: row.whole,
            version: row.version.iter().find_map(text),
        });
    }
    facts
}
