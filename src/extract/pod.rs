//! Pod specs and maps that look like one: node selectors, node affinity and all other fields that affect scheduling.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::read::{
    Context, Tolerations, is_filled_in, is_placeholder, is_template_action, looks_like_tolerations,
    read_text,
};
use super::resources::{ReadResources, read_resources};
use super::selectors::{PREFERRED, REQUIRED};
use super::selectors::{note_repeated_tolerations, note_selector_errors};
use crate::builtin;
use crate::model::Field;
use crate::model::near_miss::nearest_word;
use crate::model::node_selection::{NodeSelection, Requirement, Term};
use crate::model::notice::NoticeKind;
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::{self, Kind, Node};

/// Fields of a pod spec that kubetaint reads for scheduling. The API server drops misspelt ones.
const SCHEDULING_FIELDS: [&str; 7] = [
    "tolerations",
    "nodeSelector",
    "affinity",
    "nodeName",
    "priorityClassName",
    "runtimeClassName",
    "hostNetwork",
];

const NODE_AFFINITY_FIELDS: [&str; 2] = [REQUIRED, PREFERRED];

/// Every field of a pod spec, so that real fields are never reported as misspelt.
static POD_SPEC_FIELDS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| builtin::fields_of("PodSpec"));

/// Reads everything that affects scheduling in a pod spec, or in a map that looks like one.
pub(super) fn read_pod_spec(
    context: &mut Context<'_>,
    pod: Node<'_>,
    path: &str,
    tolerations_key: &str,
) -> Pod {
    let mut read = Pod::default();
    if let Some(list) = pod.field(tolerations_key) {
        let at = yaml::join(path, tolerations_key);
        read.tolerations = context.read_tolerations(list, &at);
    }
    // Patches of built-in kinds have no containers.
    if context.level == Level::Typed || pod.get("containers").is_some() {
        for field in pod.fields() {
            let name = field.name().unwrap_or_default();
            if !POD_SPEC_FIELDS.contains(name) && nearest_word(name, &SCHEDULING_FIELDS).is_some() {
                context.unknown_field(&field, path, "the pod spec", &SCHEDULING_FIELDS);
            } else if !POD_SPEC_FIELDS.contains(name)
                && name != tolerations_key
                && looks_like_tolerations(field.value)
            {
                let right = yaml::join(path, tolerations_key);
                let at = yaml::join(path, name);
                let kind = NoticeKind::MisplacedTolerations {
                    field: name.to_owned(),
                    place: "the pod spec, which has no field of this name".to_owned(),
                    move_to: right,
                };
                context.note(kind, field.key.span(), at);
            }
        }
    }
    if context.object.kind == "RuntimeClass" {
        note_repeated_tolerations(context, &read.tolerations);
    }
    note_selector_errors(context, pod, path);
    read_node_selector(context, pod, path, &mut read);
    read_affinity(context, pod, path, &mut read);
    let mut text = |name: &str| context.read_string(pod.field(name), &yaml::join(path, name));
    read.node_name = text("nodeName");
    read.priority_class = text("priorityClassName");
    read.runtime_class = text("runtimeClassName");
    read.host_network = read_host_network(context, pod, path);
    read.resources = read_resources(pod);
    read
}

fn read_host_network(context: &mut Context<'_>, pod: Node<'_>, path: &str) -> Field<bool> {
    let Some(field) = pod.field("hostNetwork") else {
        return Field::Absent;
    };
    context.expect_boolean(&field, &yaml::join(path, "hostNetwork"))
}

pub(super) fn read_node_selector(
    context: &mut Context<'_>,
    pod: Node<'_>,
    path: &str,
    read: &mut Pod,
) {
    let Some(selector) = pod.field("nodeSelector") else {
        return;
    };
    read_selector_at(context, selector, &yaml::join(path, "nodeSelector"), read);
}

/// Reads the node selector in a field at `path`.
pub(super) fn read_selector_at(
    context: &mut Context<'_>,
    selector: yaml::Field<'_>,
    path: &str,
    read: &mut Pod,
) {
    let node = selector.value;
    if node.is_null() {
        return;
    }
    if node.kind() != Kind::Mapping || is_template_action(node) {
        read.selection.unknown = true;
        return;
    }
    let mut at = path.to_owned();
    let mut node = node;
    // Custom resources may have a label selector here (OpenShift's nodePlacement), or a map of their own.
    let own_form = context.level != Level::Typed;
    if own_form && let Some(labels) = node.field("matchLabels") {
        read.selection.unknown |= node.fields().len() > 1;
        node = labels.value;
        at = yaml::join(&at, "matchLabels");
    }
    for field in node.fields() {
        let Some(key) = field.name() else {
            read.selection.unknown = true;
            continue;
        };
        if own_form && field.value.kind() != Kind::Scalar {
            read.selection.unknown = true;
            continue;
        }
        let at = yaml::join(&at, key);
        let value = context.read_string(Some(field), &at);
        if is_placeholder(key) {
            read.selection.unknown = true;
            continue;
        }
        // Kubernetes treats a null value as the empty string, and still requires the key.
        let value = match value {
            Field::Absent => Field::Is(String::new()),
            other => other,
        };
        read.selectors.push((key.to_owned(), field.span(), at));
        read.selection.node_selector.insert(key.to_owned(), value);
    }
}

fn read_affinity(context: &mut Context<'_>, pod: Node<'_>, path: &str, read: &mut Pod) {
    match pod.get("affinity") {
        Some(affinity) => {
            read_affinity_at(context, affinity, &yaml::join(path, "affinity"), read);
        }
        // Custom resources may leave out the map around it. In a pod spec it would be dropped.
        None if context.level == Level::Typed => {}
        None => {
            let affinity = pod.get("nodeAffinity");
            let at = yaml::join(path, "nodeAffinity");
            affinity.inspect(|affinity| read_node_affinity(context, *affinity, at, read));
        }
    }
}

/// Reads the affinity at `path`.
pub(super) fn read_affinity_at(
    context: &mut Context<'_>,
    affinity: Node<'_>,
    path: &str,
    read: &mut Pod,
) {
    if is_template_action(affinity) || is_text(affinity) {
        read.selection.unknown = true;
    } else if let Some(affinity) = affinity.get("nodeAffinity") {
        read_node_affinity(context, affinity, yaml::join(path, "nodeAffinity"), read);
    }
}

fn read_node_affinity(context: &mut Context<'_>, affinity: Node<'_>, at: String, read: &mut Pod) {
    if affinity.kind() != Kind::Mapping || is_template_action(affinity) {
        read.selection.unknown |= !affinity.is_null();
        return;
    }
    for field in affinity.fields() {
        let name = field.name().unwrap_or_default();
        if !NODE_AFFINITY_FIELDS.contains(&name)
            && context.level.has_owner()
            && !is_placeholder(name)
        {
            context.unknown_field(&field, &at, "node affinity", &NODE_AFFINITY_FIELDS);
        }
    }
    read.prefers = affinity.get(PREFERRED).is_some_and(|list| !list.is_null());
    let Some(required) = affinity.get(REQUIRED).filter(|node| !node.is_null()) else {
        return;
    };
    let at = yaml::join(&at, REQUIRED);
    let Some(terms) = required
        .get("nodeSelectorTerms")
        .filter(|node| node.kind() == Kind::Sequence && !is_template_action(required))
    else {
        read.selection.unknown = true;
        read.selection.required = Field::Unknown;
        return;
    };
    let at = yaml::join(&at, "nodeSelectorTerms");
    let mut list = Vec::new();
    for (index, term) in terms.items().enumerate() {
        let at = yaml::index(&at, index);
        if term.is_null() {
            // Null decodes into a term without requirements, which selects nothing.
            list.push(Term::default());
            continue;
        }
        if term.kind() != Kind::Mapping || is_template_action(term) {
            read.selection.unknown = true;
            continue;
        }
        list.push(Term {
            expressions: read_expressions(term, "matchExpressions", &at, read),
            fields: read_expressions(term, "matchFields", &at, read),
        });
    }
    read.selection.required = Field::Is(list);
}

fn read_expressions(term: Node<'_>, name: &str, at: &str, read: &mut Pod) -> Vec<Requirement> {
    let Some(list) = term.get(name).filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    if list.kind() != Kind::Sequence {
        read.selection.unknown = true;
        return Vec::new();
    }
    let at = yaml::join(at, name);
    let mut requirements = Vec::new();
    for (index, item) in list.items().enumerate() {
        let requirement = read_requirement(item);
        if let Some(key) = requirement.key.known() {
            read.selectors
                .push((key.clone(), item.span(), yaml::index(&at, index)));
        }
        requirements.push(requirement);
    }
    requirements
}

fn is_text(node: Node<'_>) -> bool {
    node.kind() == Kind::Scalar && !node.is_null()
}

/// Reads one `{key, operator, values}` of node affinity or of Karpenter requirements.
pub fn read_requirement(item: Node<'_>) -> Requirement {
    if is_filled_in(item) {
        return Requirement {
            key: Field::Unknown,
            operator: Field::Unknown,
            values: vec![Field::Unknown],
        };
    }
    let text = |name: &str| read_text(item.get(name));
    Requirement {
        key: text("key"),
        operator: text("operator"),
        values: match item.get("values").filter(|values| !values.is_null()) {
            None => Vec::new(),
            Some(list) if list.kind() == Kind::Sequence => {
                list.items().map(|value| read_text(Some(value))).collect()
            }
            // A value that is not a list is a placeholder or a mistake.
            Some(_) => vec![Field::Unknown],
        },
    }
}

/// A pod spec as read.
#[derive(Debug, Default)]
pub struct Pod {
    /// `tolerations`.
    pub tolerations: Tolerations,
    /// `nodeSelector` and required node affinity.
    pub selection: NodeSelection,
    /// Whether preferred node affinity is set.
    pub prefers: bool,
    /// Requirements on nodes: label key, span, field path.
    pub selectors: Vec<(String, Span, String)>,
    /// `nodeName`.
    pub node_name: Field<String>,
    /// `priorityClassName`.
    pub priority_class: Field<String>,
    /// `runtimeClassName`.
    pub runtime_class: Field<String>,
    /// `hostNetwork`.
    pub host_network: Field<bool>,
    /// Requests and limits.
    pub resources: ReadResources,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{read, selectors};

    #[test]
    fn the_fields_that_are_looked_for_are_those_of_kubernetes() {
        let compare = |kind: &str, ours: &[&str]| {
            let ours: BTreeSet<String> = ours.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(ours, builtin::fields_of(kind), "{kind}");
        };
        compare("Toleration", &read::TOLERATION_FIELDS);
        compare("Taint", &read::TAINT_FIELDS);
        compare("Affinity", &selectors::AFFINITY_FIELDS);
        compare("NodeAffinity", &NODE_AFFINITY_FIELDS);
        compare("NodeSelectorTerm", &selectors::TERM_FIELDS);
        compare("NodeSelectorRequirement", &selectors::REQUIREMENT_FIELDS);
        for name in SCHEDULING_FIELDS {
            assert!(POD_SPEC_FIELDS.contains(name), "{name}");
        }
    }
}
