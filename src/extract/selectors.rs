//! Node selectors and node affinity that the API server refuses, and node affinity that no node can match.

use super::decoding::{
    has_kind, is_map, malformed_selector, note_unknown, read_strict_requirement,
};
use super::read::{Context, Tolerations, is_placeholder};
use crate::finding::Label;
use crate::model::Field;
use crate::model::near_miss::nearest_word;
use crate::model::node_selection::Requirement;
use crate::model::notice::NoticeKind;
use crate::model::selection_errors::{
    OPERATORS, label_errors, node_name_error, terms_error, weight_error,
};
use crate::model::toleration;
use crate::model::validation::{ErrorCode, FieldError};
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::{self, Kind, Node, Scalar};

pub(super) const AFFINITY_FIELDS: [&str; 3] = ["nodeAffinity", "podAffinity", "podAntiAffinity"];
pub(super) const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
pub(super) const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
pub(super) const TERM_FIELDS: [&str; 2] = ["matchExpressions", "matchFields"];
pub(super) const REQUIREMENT_FIELDS: [&str; 3] = ["key", "operator", "values"];

/// Reports what the API server refuses of `nodeSelector`, `nodeName` and node affinity. Wrong types are reported for
/// built-in kinds only: the schema of a custom resource may differ.
pub(super) fn note_selector_errors(context: &mut Context<'_>, pod: Node<'_>, path: &str) {
    if !context.level.has_owner() {
        return;
    }
    note_label_errors(context, pod, path);
    // A RuntimeClass adds tolerations and labels to pods, but has none of the other fields.
    if context.object.kind == "RuntimeClass" {
        return;
    }
    if let Some(field) = pod.field("nodeName")
        && let Some(Scalar::Str(name)) = field.value.scalar()
        && !is_placeholder(name)
        && let Some(error) = node_name_error(name)
    {
        invalid(
            context,
            field.span(),
            yaml::join(path, "nodeName"),
            name,
            &error,
        );
    }
    let spread = "topologySpreadConstraints";
    if let Some(field) = pod.field(spread) {
        has_kind(context, &field, Kind::Sequence, &yaml::join(path, spread));
    }
    let Some(affinity) = pod.field("affinity") else {
        return;
    };
    let at = yaml::join(path, "affinity");
    if !has_kind(context, &affinity, Kind::Mapping, &at) {
        return;
    }
    note_unknown(context, affinity.value, &at, "affinity", &AFFINITY_FIELDS);
    for name in ["podAffinity", "podAntiAffinity"] {
        note_pod_affinity(context, affinity.value, name, &at);
    }
    let Some(affinity) = affinity.value.field("nodeAffinity") else {
        return;
    };
    let at = yaml::join(&at, "nodeAffinity");
    if !has_kind(context, &affinity, Kind::Mapping, &at) {
        return;
    }
    if let Some(required) = affinity.value.field(REQUIRED) {
        let whole = pod.get("containers").is_some();
        note_required(context, &required, &yaml::join(&at, REQUIRED), whole);
    }
    if let Some(preferred) = affinity.value.field(PREFERRED) {
        note_preferred(context, &preferred, &yaml::join(&at, PREFERRED));
    }
}

/// Reports duplicate entries in the list of a RuntimeClass.
pub(super) fn note_repeated_tolerations(context: &mut Context<'_>, read: &Tolerations) {
    for (at, earlier) in toleration::repeated(&read.entries).into_iter().enumerate() {
        let (Some(entry), Some(earlier)) = (
            read.located.get(at),
            earlier.and_then(|at| Some((read.located.get(at)?, read.entries.get(at)?))),
        ) else {
            continue;
        };
        let identical = read.entries.get(at) == Some(earlier.1);
        let kind = NoticeKind::RepeatedToleration { identical };
        let same = Label {
            span: earlier.0.entry,
            message: "the same toleration".to_owned(),
        };
        context.note_beside(kind, entry.entry, entry.path.clone(), Some(same));
    }
}

/// Reports wrong types around the terms of affinity to other pods.
fn note_pod_affinity(context: &mut Context<'_>, affinity: Node<'_>, name: &str, at: &str) {
    let at = yaml::join(at, name);
    let Some(field) = affinity.field(name) else {
        return;
    };
    if !has_kind(context, &field, Kind::Mapping, &at) {
        return;
    }
    for (name, what) in [(REQUIRED, "a term"), (PREFERRED, "a preferred term")] {
        let at = yaml::join(&at, name);
        let Some(list) = field.value.field(name) else {
            continue;
        };
        if has_kind(context, &list, Kind::Sequence, &at) {
            for (index, item) in list.value.items().enumerate() {
                is_map(context, item, &yaml::index(&at, index), what);
            }
        }
    }
}

fn note_label_errors(context: &mut Context<'_>, pod: Node<'_>, path: &str) {
    let Some(selector) = pod.field("nodeSelector") else {
        return;
    };
    let at = yaml::join(path, "nodeSelector");
    if !has_kind(context, &selector, Kind::Mapping, &at) {
        return;
    }
    let fields = selector.value.fields();
    // Custom resources may have a label selector here, or a map of their own.
    let own_form = context.level != Level::Typed
        && fields
            .iter()
            .any(|field| field.value.kind() != Kind::Scalar);
    if own_form {
        return;
    }
    for field in fields {
        let Some(key) = field.name().filter(|key| !is_placeholder(key)) else {
            continue;
        };
        // Values that are not strings are reported elsewhere.
        let value = match field.value.scalar() {
            Some(Scalar::Null) => Field::Absent,
            Some(Scalar::Str(text)) if !is_placeholder(text) => Field::Is(text.to_owned()),
            _ => Field::Unknown,
        };
        for error in label_errors(key, &value) {
            let written = match error.code {
                ErrorCode::InvalidKey => key,
                _ => value.text().unwrap_or_default(),
            };
            invalid(context, field.span(), yaml::join(&at, key), written, &error);
        }
    }
}

fn note_required(context: &mut Context<'_>, required: &yaml::Field<'_>, at: &str, whole: bool) {
    if !has_kind(context, required, Kind::Mapping, at) {
        return;
    }
    let node = required.value;
    note_unknown(
        context,
        node,
        at,
        "required node affinity",
        &["nodeSelectorTerms"],
    );
    let terms = node.field("nodeSelectorTerms");
    let written = terms.as_ref().filter(|field| !field.value.is_null());
    let Some(terms) = written else {
        // A patch may leave the terms to the object that it changes. Misspelt fields were already reported.
        if whole && node.fields().iter().all(|field| field.value.is_null()) {
            let span = terms.map_or(required.key.span(), |field| field.span());
            no_terms(context, span, at);
        }
        return;
    };
    let at_terms = yaml::join(at, "nodeSelectorTerms");
    if !has_kind(context, terms, Kind::Sequence, &at_terms) {
        return;
    }
    if terms.value.items().next().is_none() {
        no_terms(context, terms.span(), at);
    }
    for (index, term) in terms.value.items().enumerate() {
        note_term(context, term, &yaml::index(&at_terms, index), true);
    }
}

fn no_terms(context: &mut Context<'_>, span: Span, at: &str) {
    if let Some(error) = terms_error(0) {
        invalid(context, span, format!("{at}.{}", error.field), "", &error);
    }
}

fn note_preferred(context: &mut Context<'_>, preferred: &yaml::Field<'_>, at: &str) {
    if !has_kind(context, preferred, Kind::Sequence, at) {
        return;
    }
    for (index, item) in preferred.value.items().enumerate() {
        let at = yaml::index(at, index);
        if !is_map(context, item, &at, "a preferred term") {
            continue;
        }
        note_unknown(
            context,
            item,
            &at,
            "a preferred term",
            &["weight", "preference"],
        );
        note_weight(context, item, &at);
        if let Some(preference) = item.field("preference") {
            note_term(
                context,
                preference.value,
                &yaml::join(&at, "preference"),
                false,
            );
        }
    }
}

fn note_weight(context: &mut Context<'_>, item: Node<'_>, at: &str) {
    let field = item.field("weight");
    let written = field.as_ref().map(|field| field.value);
    let span = field.as_ref().map_or(item.span(), |field| field.span());
    let path = yaml::join(at, "weight");
    let scalar = written.and_then(|node| node.scalar());
    let number = scalar.and_then(|scalar| scalar.as_integer());
    let weight = match scalar {
        None if written.is_none() => 0,
        Some(Scalar::Null) => 0,
        Some(Scalar::Int(_) | Scalar::Float(_)) if let Some(weight) = number => weight,
        Some(Scalar::Str(text)) if is_placeholder(text) => return,
        _ => {
            if let Some(field) = &field {
                malformed_selector(context, field, &path, "a number");
            }
            return;
        }
    };
    if let Some(error) = weight_error(weight) {
        let text = written.and_then(|node| node.raw()).unwrap_or_default();
        invalid(context, span, path, text, &error);
    }
}

fn note_term(context: &mut Context<'_>, term: Node<'_>, at: &str, required: bool) {
    if !is_map(context, term, at, "a node selector term") {
        return;
    }
    note_unknown(context, term, at, "a node selector term", &TERM_FIELDS);
    for name in TERM_FIELDS {
        let Some(list) = term.field(name) else {
            continue;
        };
        let at = yaml::join(at, name);
        if !has_kind(context, &list, Kind::Sequence, &at) {
            continue;
        }
        for (index, item) in list.value.items().enumerate() {
            let at = yaml::index(&at, index);
            if !is_map(context, item, &at, "an entry") {
                continue;
            }
            note_unknown(
                context,
                item,
                &at,
                "a node selector requirement",
                &REQUIREMENT_FIELDS,
            );
            note_requirement(context, item, &at, name == "matchFields", required);
        }
    }
}

fn note_requirement(
    context: &mut Context<'_>,
    item: Node<'_>,
    at: &str,
    of_field: bool,
    required: bool,
) {
    let (requirement, counted) = read_strict_requirement(context, item, at);
    let errors = if of_field {
        requirement.field_errors(counted)
    } else {
        requirement.expression_errors(counted, false)
    };
    for error in &errors {
        let (span, written) = blamed(item, &requirement, error);
        invalid(
            context,
            span,
            format!("{at}.{}", error.field),
            &written,
            error,
        );
    }
    if of_field {
        return;
    }
    for (index, text, why) in requirement.unusable_values() {
        let refused = requirement.expression_errors(counted, required);
        let field = format!("values[{index}]");
        let (written, preferred) = (text.to_owned(), !required);
        let kind = match refused.iter().any(|error| error.field == field) {
            true => NoticeKind::InvalidAffinityValue {
                why,
                written,
                preferred,
            },
            // An invalid entry need not be usable.
            false if !errors.is_empty() => continue,
            false => NoticeKind::UnusableAffinityValue {
                why,
                written,
                preferred,
            },
        };
        let value = item
            .get("values")
            .and_then(|values| values.items().nth(index));
        let span = value.map_or(item.span(), |value| value.written_at());
        context.note(kind, span, format!("{at}.{field}"));
    }
}

/// The place of the field that an error is about, and its value.
fn blamed(item: Node<'_>, requirement: &Requirement, error: &FieldError) -> (Span, String) {
    let name = error.field.split('[').next().unwrap_or_default();
    let index = error
        .field
        .strip_prefix("values[")
        .and_then(|rest| rest.strip_suffix(']')?.parse::<usize>().ok());
    let field = item.field(name);
    let span = match (&field, index) {
        (Some(field), Some(index)) => field
            .value
            .items()
            .nth(index)
            .map_or(field.span(), |value| value.written_at()),
        (Some(field), None) => field.span(),
        (None, _) => item.span(),
    };
    let text = match (name, index) {
        ("key", _) => requirement.key.text(),
        ("operator", _) => requirement.operator.text(),
        (_, Some(index)) => requirement.values.get(index).and_then(|value| value.text()),
        _ => None,
    };
    (span, text.unwrap_or_default().to_owned())
}

fn invalid(context: &mut Context<'_>, span: Span, path: String, written: &str, error: &FieldError) {
    let is_operator = error.code == ErrorCode::UnknownOperator;
    let near = nearest_word(written, &OPERATORS).filter(|_| is_operator);
    let kind = NoticeKind::InvalidNodeSelector {
        field: error.field.clone().into_owned(),
        why: error.message.clone(),
        written: written.to_owned(),
        meant: near.unwrap_or_default().to_owned(),
    };
    context.note(kind, span, path);
}
