//! Arguments about taints that are written in Terraform and have no effect, because the module does not read them, or
//! none any more, because Terraform was told to leave them alone.

use super::pool_document::{Condition, PoolDocument, open_at};
use super::pool_rows::PoolRow;
use super::read::read_text;
use super::rows::IgnoredRow;
use crate::model::workload::{Level, Oddity};
use crate::model::{Field, Truth};
use crate::source::Span;
use crate::yaml::{Found, Kind, Node, Path};

/// Notes what a resource or module has of the arguments that its rows name.
pub(super) fn note<'r>(
    rows: impl Iterator<Item = &'r IgnoredRow>,
    document: &PoolDocument<'_>,
    oddities: &mut Vec<Oddity>,
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
            let mut oddity = oddity(document, one);
            oddity.detail.clone_from(&row.because);
            oddity.suggestion = row.instead.clone().unwrap_or_default();
            oddities.push(oddity);
        }
    }
}

/// Entries of maps under keys that nobody reads; none where it is open which are read.
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

/// Notes taints of a pool that Terraform leaves as they were when the pool was made.
pub(super) fn note_changes(row: &PoolRow, document: &PoolDocument<'_>, oddities: &mut Vec<Oddity>) {
    let Ok(path) = "lifecycle[].ignore_changes[]".parse::<Path>() else {
        return;
    };
    let names: Vec<(String, Span)> = path
        .find(document.root)
        .iter()
        .filter_map(|one| Some((bare(one.node.raw()?), one.node.span())))
        .collect();
    if names.is_empty() || row.each != Path::default() {
        return;
    }
    for path in &row.taints {
        let argument = bare(&path.path.to_string());
        let covers = |name: &str| {
            let rest = argument.strip_prefix(name);
            name == "all" || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let Some((_, at)) = names.iter().find(|(name, _)| covers(name)) else {
            continue;
        };
        if open_at(document, document.root, path).is_some() {
            continue;
        }
        let found = document.find(document.root, path, document.base);
        let Some(one) = found.iter().find(|one| says_something(one.node)) else {
            continue;
        };
        let mut oddity = oddity(document, one);
        oddity.written = "changes".to_owned();
        oddity.related.push(crate::finding::Label {
            span: *at,
            message: "this is why".to_owned(),
        });
        oddities.push(oddity);
    }
}

/// A path without the numbers of its blocks.
fn bare(path: &str) -> String {
    let mut bare = String::new();
    let mut inside = false;
    for one in path.chars() {
        match one {
            '[' => inside = true,
            ']' => inside = false,
            one if !inside => bare.push(one),
            _ => {}
        }
    }
    bare
}

/// Empty lists say nothing that could be ignored, and of what is not known nobody knows whether it says something.
fn says_something(node: Node<'_>) -> bool {
    let is_known = |one: Node<'_>| one.unknown_because().is_none();
    is_known(node)
        && match node.kind() {
            Kind::Scalar => !node.is_null(),
            Kind::Sequence => node.items().any(is_known),
            Kind::Mapping => node.written_fields().any(|field| is_known(field.key)),
        }
}

fn oddity(document: &PoolDocument<'_>, found: &Found<'_>) -> Oddity {
    let span = found.field.map_or(found.node.span(), |field| field.span());
    let mut oddity = super::file_oddity("ignored-argument", span, "", "");
    oddity.field.clone_from(&found.path);
    oddity.path.clone_from(&found.path);
    oddity.object = document.object.clone();
    oddity.level = Level::Other;
    oddity
}
