//! Policies and webhooks that add tolerations to the pods of others: whose pods they change, and what they add.

use super::duplicates::{Visit, key_of, walk};
use super::is_placeholder;
use super::overlays::{Injection, Overlay, Target};
use super::read::{TOLERATION_FIELDS, read_text};
use super::rows::InjectRow;
use super::subject::Subject;
use crate::model::Field;
use crate::model::toleration::Toleration;
use crate::yaml::{self, Kind, Node, Path};

/// A policy that adds more entries than this is treated as one that adds any.
pub const MOST_ADDITIONS: usize = 64;

/// Fields with texts for people, which change nothing.
const WORDS: [&str; 4] = ["name", "message", "description", "title"];

/// Reads an object that adds tolerations to other pods.
pub(super) fn read(subject: &Subject<'_>) -> Option<Overlay> {
    let kind = &subject.object.kind;
    let table = subject.reading.table;
    let row = table.injects(subject.group(), kind, subject.text())?;
    let place = row.location.as_ref().map(|path| texts(path, subject.root));
    if let Some(Some(places)) = &place
        && places.iter().all(|place| !place.contains("oleration"))
    {
        return None;
    }
    let adds = match row.value.as_ref() {
        Some(value) => entries_at(value, subject.root),
        None => additions(subject.root),
    };
    let injection = Injection {
        by: match &subject.object.name {
            Some(name) => format!("{kind} `{name}`").into(),
            None => format!("a {kind}").into(),
        },
        label: row.workload_label.clone(),
        kinds: row.workload_kinds.clone(),
        namespaces: namespaces(row, subject.root),
        adds: adds.filter(|adds| is_telling(adds)),
    };
    Some(Overlay {
        source: subject.reading.id,
        span: subject.own_span(),
        target: Target::Injected(Box::new(injection)),
        what: "a policy in this repository adds tolerations",
        within: None,
        is_part: false,
    })
}

/// Whether entries leave most taints alone: each has a key.
fn is_telling(adds: &[Toleration]) -> bool {
    let has_key = |entry: &Toleration| entry.key.text().is_some_and(|key| !key.is_empty());
    !adds.is_empty() && adds.len() <= MOST_ADDITIONS && adds.iter().all(has_key)
}

/// The texts at a path, or `None` if one of them is not known.
fn texts<'a>(path: &Path, root: Node<'a>) -> Option<Vec<&'a str>> {
    let found = path.find(root).into_iter();
    let text = |node: Node<'a>| node.as_str().filter(|text| !is_placeholder(text));
    found.map(|found| text(found.node)).collect()
}

/// The only namespaces whose pods are changed, or none if they may be any.
fn namespaces(row: &InjectRow, root: Node<'_>) -> Vec<String> {
    let names = row.namespaces.as_ref().and_then(|path| texts(path, root));
    let names = names.filter(|names| !names.iter().any(|name| name.contains(['*', '?', '{', '$'])));
    names
        .unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The entries of the lists at a path, or `None` if something there is no toleration.
fn entries_at(path: &Path, root: Node<'_>) -> Option<Vec<Toleration>> {
    let mut adds = Vec::new();
    for found in path.find(root) {
        take(found.node, &mut adds)?;
    }
    Some(adds)
}

/// All entries under keys for tolerations, or `None` if a text speaks of tolerations, too: it may hold a patch.
fn additions(root: Node<'_>) -> Option<Vec<Toleration>> {
    let mut adds = Vec::new();
    let own = |name: &str| ["apiVersion", "kind", "metadata"].contains(&name);
    for field in root.fields() {
        if field.name().is_some_and(own) {
            continue;
        }
        let visits = walk(field.value);
        for (at, visit) in visits.iter().enumerate() {
            let key = key_of(&visits, at).unwrap_or_default();
            // Kyverno writes anchors around a key: `+(tolerations)`.
            let plain = key.trim_end_matches(')');
            if plain.ends_with("oleration") || plain.ends_with("olerations") {
                take(visit.node, &mut adds)?;
            } else if speaks(visit, key) {
                return None;
            }
        }
    }
    Some(adds)
}

fn speaks(visit: &Visit<'_>, key: &str) -> bool {
    let text = visit.node.raw().unwrap_or_default();
    text.contains("oleration") && !WORDS.contains(&key)
}

/// Takes a list of tolerations, or a single one. Returns `None` if it is neither.
fn take(node: Node<'_>, adds: &mut Vec<Toleration>) -> Option<()> {
    match node.kind() {
        Kind::Mapping => adds.push(entry(node)?),
        Kind::Sequence => {
            for item in node.items() {
                adds.push(entry(item)?);
            }
        }
        Kind::Scalar if node.is_null() => {}
        Kind::Scalar => return None,
    }
    Some(())
}

/// An entry. Its seconds do not decide what it matches.
fn entry(node: Node<'_>) -> Option<Toleration> {
    let known = |name: &str| TOLERATION_FIELDS.contains(&name);
    let fields = node.fields();
    let mut names = fields.iter().map(yaml::Field::name);
    let is_entry = node.kind() == Kind::Mapping && names.all(|name| name.is_some_and(known));
    is_entry.then(|| Toleration {
        key: read_text(node.field("key").map(|field| field.value)),
        operator: read_text(node.field("operator").map(|field| field.value)),
        value: read_text(node.field("value").map(|field| field.value)),
        effect: read_text(node.field("effect").map(|field| field.value)),
        toleration_seconds: Field::Absent,
    })
}
