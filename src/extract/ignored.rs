//! Arguments about taints in Terraform that have no effect, because nothing reads them.

use super::pool_document::{Condition, PoolDocument};
use super::read::read_text;
use super::rows::IgnoredRow;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::{Field, Truth};
use crate::yaml::{Found, Kind, Node};

/// Reports the arguments of a resource or module that its rows name as having no effect.
pub(super) fn note<'r>(
    rows: impl Iterator<Item = &'r IgnoredRow>,
    document: &PoolDocument<'_>,
    notices: &mut Vec<Notice>,
) {
    for row in rows {
        let condition = Condition {
            matches: &row.matches,
            unless: &row.unless,
            written: &[],
            absent: &[],
        };
        if condition.holds(document, document.root) != Truth::Yes {
            continue;
        }
        let mut found: Vec<Found<'_>> = row
            .arguments
            .iter()
            .flat_map(|path| path.find(document.root))
            .collect();
        found.extend(unread_keys(row, document));
        for one in found.iter().filter(|one| says_something(one.node)) {
            notices.push(notice(row, document, one));
        }
    }
}

/// Entries of maps under keys that nothing reads. Empty if it is unknown which keys are read.
fn unread_keys<'a>(row: &IgnoredRow, document: &PoolDocument<'a>) -> Vec<Found<'a>> {
    let mut known: Vec<String> = row.other_keys.clone();
    for path in &row.keys {
        if path.find_open(document.root).is_some() {
            return Vec::new();
        }
        for found in path.find(document.root) {
            match read_text(Some(found.node)) {
                Field::Is(name) => known.push(name),
                Field::Absent => {}
                Field::Unknown => return Vec::new(),
            }
        }
    }
    let mut unread = Vec::new();
    for map in row.maps.iter().flat_map(|path| path.find(document.root)) {
        for field in map.node.fields() {
            let Some(name) = field.name() else { continue };
            let is_open = field.key.unknown_because().is_some();
            if !is_open && !known.iter().any(|one| one == name) {
                unread.push(Found {
                    node: field.value,
                    path: crate::yaml::join(&map.path, name),
                    field: Some(field),
                });
            }
        }
    }
    unread
}

/// Whether a value says something. Empty lists do not, and for unknown values there is no way to tell.
fn says_something(node: Node<'_>) -> bool {
    let is_known = |one: Node<'_>| one.unknown_because().is_none();
    is_known(node)
        && match node.kind() {
            Kind::Scalar => !node.is_null(),
            Kind::Sequence => node.items().any(is_known),
            Kind::Mapping => node.written_fields().any(|field| is_known(field.key)),
        }
}

fn notice(row: &IgnoredRow, document: &PoolDocument<'_>, found: &Found<'_>) -> Notice {
    let span = found.field.map_or(found.node.span(), |field| field.span());
    let kind = NoticeKind::IgnoredArgument {
        argument: found.path.clone(),
        why: row.because.clone(),
        instead: row.instead.clone().unwrap_or_default(),
    };
    Notice {
        path: found.path.clone(),
        object: document.object.clone(),
        ..Notice::of_file(kind, span)
    }
}
