//! Node pools that objects declare, by the rows of their kinds, and pools of the objects nested in them.

use super::FileFacts;
use super::pool_document::PoolDocument;
use super::pool_rows::PoolRow;
use super::pools::read_pools;
use super::subject::{Subject, join};
use crate::yaml::Found;

/// Reads the pools of an object by the rows of its kind, or returns `None` if its kind has no row.
pub(super) fn pools(subject: &Subject<'_>) -> Option<FileFacts> {
    let table = subject.reading.table;
    let (group, version) = (subject.group(), subject.version());
    let rows = table.pool_rows(group, version, &subject.object.kind);
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| by_rows(subject, &rows))
}

/// Reads the pools of a file that is not an API object.
pub(super) fn kindless_pools(subject: &Subject<'_>) -> FileFacts {
    let reading = subject.reading;
    let rows = reading
        .table
        .kindless_rows(subject.root, &reading.source.path);
    by_rows(subject, &rows.collect::<Vec<_>>())
}

/// Reads the pools of the objects nested in an object.
pub(super) fn held_pools(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let held = subject.reading.table;
    for (paths, incomplete) in held.held(subject.group(), &subject.object.kind) {
        for found in paths.iter().flat_map(|path| path.find(subject.root)) {
            facts.absorb(held_by(subject, &found, incomplete));
        }
    }
    facts
}

fn held_by(subject: &Subject<'_>, held: &Found<'_>, incomplete: Option<&String>) -> FileFacts {
    let base = join(&subject.base, &held.path);
    let held = Subject::new(held.node, base, subject.reading);
    let mut facts = pools(&held).unwrap_or_default();
    if let Some(why) = incomplete {
        for read in &mut facts.pools {
            read.pool.doubt(why);
        }
    }
    facts
}

fn by_rows(subject: &Subject<'_>, rows: &[(&str, &PoolRow)]) -> FileFacts {
    let source = subject.reading.source;
    let document = PoolDocument {
        root: subject.root,
        object: &subject.object,
        text: &source.text,
        source: subject.reading.id,
        file: &source.path,
        base: &subject.base,
        after_unknown: None,
    };
    let mut facts = FileFacts::default();
    for (provider, row) in rows {
        let table = subject.reading.table;
        facts.absorb(read_pools(table, provider, row, &document));
    }
    facts
}
