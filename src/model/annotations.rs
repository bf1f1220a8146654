//! Parses the annotations of Namespaces that admission plugins read: lists of tolerations as JSON, and node selectors.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Field;
use super::toleration::Toleration;
use super::validation::{is_label_key, is_label_value};

/// Tolerations that PodTolerationRestriction adds to pods of the Namespace.
pub const DEFAULT_TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/defaultTolerations";
/// Tolerations that PodTolerationRestriction allows for pods of the Namespace.
pub const TOLERATIONS_WHITELIST: &str = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
/// Labels that PodNodeSelector adds to the node selector of pods of the Namespace.
pub const NODE_SELECTOR: &str = "scheduler.alpha.kubernetes.io/node-selector";

/// An annotation that may be absent, unknown, or invalid with the reason.
pub type Read<T> = Field<Result<T, String>>;

/// The scheduling settings of a Namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceWord {
    /// Tolerations that its pods are given.
    pub default_tolerations: Read<Vec<Toleration>>,
    /// Tolerations that its pods may have.
    pub whitelist: Read<Vec<Toleration>>,
    /// Labels that its pods require.
    pub node_selector: Read<BTreeMap<String, String>>,
}

impl NamespaceWord {
    /// Whether any of the settings is present.
    pub fn says_something(&self) -> bool {
        !(self.default_tolerations.is_absent()
            && self.whitelist.is_absent()
            && self.node_selector.is_absent())
    }
}

/// Parses a list of tolerations as PodTolerationRestriction does: an empty string is an empty list, field names are
/// case-insensitive, and unknown fields are ignored.
///
/// # Errors
/// Returns the reason if the list is invalid; then every pod of the Namespace is refused.
pub fn parse_tolerations(text: &str) -> Result<Vec<Toleration>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items.iter().map(toleration).collect(),
        other => Err(format!("a list is needed, not {}", describe(&other))),
    }
}

fn toleration(item: &Value) -> Result<Toleration, String> {
    let mut toleration = Toleration::default();
    let fields = match item {
        Value::Null => return Ok(toleration),
        Value::Object(fields) => fields,
        other => {
            return Err(format!(
                "an entry must be an object, not {}",
                describe(other)
            ));
        }
    };
    for (name, value) in fields {
        let lower = name.to_lowercase();
        let slot = match lower.as_str() {
            "key" => &mut toleration.key,
            "operator" => &mut toleration.operator,
            "value" => &mut toleration.value,
            "effect" => &mut toleration.effect,
            "tolerationseconds" => {
                toleration.toleration_seconds = match (value, value.as_i64()) {
                    (Value::Null, _) => Field::Absent,
                    (_, Some(seconds)) => Field::Is(seconds),
                    (other, None) => {
                        return Err(format!(
                            "{name} must be an integer, not {}",
                            describe(other)
                        ));
                    }
                };
                continue;
            }
            _ => continue,
        };
        *slot = match value {
            Value::Null => Field::Absent,
            Value::String(text) => Field::Is(text.clone()),
            other => return Err(format!("{name} must be a string, not {}", describe(other))),
        };
    }
    Ok(toleration)
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Parses a node selector as PodNodeSelector does: `key=value` pairs separated by commas.
///
/// # Errors
/// Returns the reason if the selector is invalid; then every pod of the Namespace is refused.
pub fn parse_node_selector(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut labels = BTreeMap::new();
    if text.is_empty() {
        return Ok(labels);
    }
    for pair in text.split(',') {
        let parts: Vec<&str> = pair.split('=').collect();
        let [key, value] = parts.as_slice() else {
            return Err(format!("`{pair}` is not of the form `key=value`"));
        };
        let (key, value) = (key.trim(), value.trim());
        is_label_key(key)?;
        is_label_value(value)?;
        labels.insert(key.to_owned(), value.to_owned());
    }
    Ok(labels)
}
