//! Node affinity as the API server decodes it. Reports wrong types and unknown fields on the way.

use super::read::{Context, describe, is_placeholder, is_template_action, read_text};
use crate::model::Field;
use crate::model::node_selection::Requirement;
use crate::model::notice::NoticeKind;
use crate::model::workload::Level;
use crate::yaml::{self, Kind, Node, Scalar};

/// Reads a requirement as the API server decodes it, and says whether all its values are known. Values of the wrong
/// type are reported and skipped.
pub(super) fn read_strict_requirement(
    context: &mut Context<'_>,
    item: Node<'_>,
    at: &str,
) -> (Requirement, bool) {
    if context.level != Level::Typed {
        let text = |name: &str| read_text(item.get(name));
        let values = item.get("values").filter(|values| !values.is_null());
        let counted = values.is_none_or(|values| values.kind() == Kind::Sequence);
        let list = values.into_iter().flat_map(|values| values.items());
        let requirement = Requirement {
            key: text("key"),
            operator: text("operator"),
            values: list.map(|value| read_text(Some(value))).collect(),
        };
        return (requirement, counted);
    }
    let mut text = |name: &str| context.read_string(item.field(name), &yaml::join(at, name));
    let (key, operator) = (text("key"), text("operator"));
    let mut requirement = Requirement {
        key,
        operator,
        values: Vec::new(),
    };
    let Some(values) = item.field("values") else {
        return (requirement, true);
    };
    if values.value.is_null() {
        return (requirement, true);
    }
    let at = yaml::join(at, "values");
    if !has_kind(context, &values, Kind::Sequence, &at) {
        return (requirement, false);
    }
    let mut counted = true;
    for (index, value) in values.value.items().enumerate() {
        let read = match value.scalar() {
            Some(Scalar::Null) => Field::Absent,
            Some(Scalar::Str(text)) if is_placeholder(text) => Field::Unknown,
            Some(Scalar::Str(text)) => Field::Is(text.to_owned()),
            None if is_template_action(value) => {
                // It may expand to several values, or to none.
                counted = false;
                continue;
            }
            _ => {
                let written = value.raw().unwrap_or_default().to_owned();
                let kind = NoticeKind::MalformedNodeSelector {
                    what: "a value".to_owned(),
                    found: describe(value),
                    wanted: "a string",
                    meant: format!("\"{written}\""),
                    written,
                };
                context.note(kind, value.written_at(), yaml::index(&at, index));
                Field::Unknown
            }
        };
        requirement.values.push(read);
    }
    (requirement, counted)
}

/// Whether a field has the expected type. Null and template actions do not, but are not reported either.
pub(super) fn has_kind(
    context: &mut Context<'_>,
    field: &yaml::Field<'_>,
    kind: Kind,
    at: &str,
) -> bool {
    let node = field.value;
    if node.is_null() || is_template_action(node) || node.raw().is_some_and(is_placeholder) {
        return false;
    }
    if node.kind() != kind {
        let wanted = match kind {
            Kind::Mapping => "a map",
            Kind::Sequence => "a list",
            Kind::Scalar => "a string",
        };
        malformed_selector(context, field, at, wanted);
        return false;
    }
    true
}

/// Whether an item of a list can be read as a map. Null is a map without fields.
pub(super) fn is_map(context: &mut Context<'_>, item: Node<'_>, at: &str, what: &str) -> bool {
    if is_template_action(item) || item.raw().is_some_and(is_placeholder) {
        return false;
    }
    let is_map = item.kind() == Kind::Mapping || item.is_null();
    if !is_map && context.level == Level::Typed {
        let kind = malformed(what.to_owned(), item, "a map");
        context.note(kind, item.span(), at.to_owned());
    }
    is_map
}

/// Reports a field of a node selector whose value has the wrong type.
pub(super) fn malformed_selector(
    context: &mut Context<'_>,
    field: &yaml::Field<'_>,
    at: &str,
    wanted: &'static str,
) {
    if context.level == Level::Typed {
        let name = format!("`{}`", field.name().unwrap_or_default());
        let kind = malformed(name, field.value, wanted);
        context.note(kind, field.span(), at.to_owned());
    }
}

pub(super) fn note_unknown(
    context: &mut Context<'_>,
    map: Node<'_>,
    at: &str,
    owner: &str,
    known: &[&str],
) {
    if context.level != Level::Typed {
        return;
    }
    for field in map.fields() {
        let name = field.name().unwrap_or_default();
        // A list of tolerations is reported as misplaced instead.
        let told = name.is_empty() || name == "tolerations" || is_placeholder(name);
        if !known.contains(&name) && !told {
            context.unknown_field(&field, at, owner, known);
        }
    }
}

/// The notice for a node of the wrong type.
fn malformed(what: String, node: Node<'_>, wanted: &'static str) -> NoticeKind {
    NoticeKind::MalformedNodeSelector {
        what,
        found: describe(node),
        wanted,
        written: String::new(),
        meant: String::new(),
    }
}
