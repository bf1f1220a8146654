//! Labels of pools in every notation that pool sources use: maps, lists of keys and values, `k=v` strings.

use super::pool_facts::{Element, PoolFacts};
use super::read::{is_placeholder, is_template_action, read_text};
use crate::model::Field;
use crate::yaml::{Kind, Node};

/// Reads a map or a list of labels.
pub(super) fn read(element: &Element<'_, '_>, node: Node<'_>) -> PoolFacts {
    let mut facts = PoolFacts::default();
    if node.is_null() {
        return facts;
    }
    if is_template_action(node) {
        facts.open_labels();
        return facts;
    }
    match node.kind() {
        Kind::Mapping => {
            for field in node.fields() {
                insert(element, field.name(), Some(field.value), &mut facts);
            }
        }
        Kind::Sequence => {
            for item in node.items() {
                let field = |names: [&str; 4]| names.iter().find_map(|name| item.get(name));
                match item.kind() {
                    Kind::Mapping => {
                        let key = field(["key", "name", "Key", "Name"]).and_then(Node::raw);
                        let value = field(["value", "Value", "value", "Value"]);
                        insert(element, key, value, &mut facts);
                    }
                    _ => facts.absorb(read_flag(item)),
                }
            }
        }
        Kind::Scalar => return read_flag(node),
    }
    facts
}

fn insert(
    element: &Element<'_, '_>,
    key: Option<&str>,
    value: Option<Node<'_>>,
    facts: &mut PoolFacts,
) {
    match key {
        Some(key) if !reaches_node(element, key) => {}
        Some(key) if !is_placeholder(key) => {
            let value = match read_text(value) {
                Field::Absent => Field::Is(String::new()),
                other => other,
            };
            facts.open_labels |= value.is_unknown();
            facts.labels.insert(key.to_owned(), value);
        }
        _ => facts.open_labels(),
    }
}

fn reaches_node(element: &Element<'_, '_>, key: &str) -> bool {
    let domains = &element.row.label_domains;
    let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
    domains.is_empty()
        || domains.iter().any(|domain| {
            prefix == domain
                || prefix
                    .strip_suffix(domain.as_str())
                    .is_some_and(|rest| rest.ends_with('.'))
        })
}

/// Reads `key=value,key2=value2`.
pub(super) fn read_flag(node: Node<'_>) -> PoolFacts {
    match (node.raw(), read_text(Some(node))) {
        (_, Field::Absent) => PoolFacts::default(),
        (Some(text), _) if !node.has_local_tag() => read_words(text),
        _ => PoolFacts {
            other_labels: true,
            ..PoolFacts::default()
        },
    }
}

/// Reads the same notation from a text, parts of which may be filled in later.
pub(super) fn read_words(text: &str) -> PoolFacts {
    let mut facts = PoolFacts::default();
    for pair in text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_placeholder(key) {
            facts.open_labels();
            continue;
        }
        facts.open_labels |= is_placeholder(value);
        let value = if is_placeholder(value) {
            Field::Unknown
        } else {
            Field::Is(value.to_owned())
        };
        facts.labels.insert(key.to_owned(), value);
    }
    facts
}
