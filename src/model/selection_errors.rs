//! The API server's validation errors for node selectors and node affinity, by field.

use super::Field;
use super::node_selection::Requirement;
use super::validation::{
    ErrorCode, FieldError, is_label_key, is_label_value, is_node_name, parse_integer,
};

/// The operators of `matchExpressions`, in the order in which Kubernetes declares them.
pub const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// The only field that `matchFields` supports.
const NODE_NAME_FIELD: &str = "metadata.name";

/// Validates one entry of a `nodeSelector`. The fields are `key` and `value`; Kubernetes itself reports the mapping.
pub fn label_errors(key: &str, value: &Field<String>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Err(why) = is_label_key(key) {
        errors.push(FieldError::new("key", ErrorCode::InvalidKey, why));
    }
    if let Some(Err(why)) = value.text().map(is_label_value) {
        errors.push(FieldError::new("value", ErrorCode::InvalidValue, why));
    }
    errors
}

/// Validates a `nodeName`; an empty one counts as missing.
pub fn node_name_error(name: &str) -> Option<FieldError> {
    if name.is_empty() {
        return None;
    }
    let why = is_node_name(name).err()?;
    Some(FieldError::new("", ErrorCode::InvalidNodeName, why))
}

/// Validates required node affinity with this number of terms. An empty term is accepted and matches no node.
pub fn terms_error(terms: usize) -> Option<FieldError> {
    (terms == 0).then(|| {
        FieldError::new(
            "nodeSelectorTerms",
            ErrorCode::MissingTerms,
            "there must be at least one term",
        )
    })
}

/// Validates the weight of a preferred term; a missing one is 0.
pub fn weight_error(weight: i64) -> Option<FieldError> {
    (!(1..=100).contains(&weight)).then(|| {
        FieldError::new(
            "weight",
            ErrorCode::WeightOutOfRange,
            "the weight must be a number from 1 to 100",
        )
    })
}

impl Requirement {
    /// Validates an entry of `matchExpressions`. Checks that depend on an unreadable part are skipped; `counted` means that
    /// all values are known. `values_checked` means that values must be label values, as for required affinity and newer
    /// releases.
    pub fn expression_errors(&self, counted: bool, values_checked: bool) -> Vec<FieldError> {
        let count = self.values.len();
        let of_operator = match self.operator.text() {
            None => None,
            Some("In" | "NotIn") => {
                (counted && count == 0).then(|| values("In and NotIn need at least one value"))
            }
            Some("Exists" | "DoesNotExist") => (count > 0).then(|| {
                FieldError::new(
                    "values",
                    ErrorCode::UnwantedValues,
                    "Exists and DoesNotExist take no values",
                )
            }),
            Some("Gt" | "Lt") => ((counted && count != 1) || count > 1)
                .then(|| values("Gt and Lt take exactly one value")),
            Some(_) => Some(unknown_operator(
                "the operator must be In, NotIn, Exists, DoesNotExist, Gt or Lt",
            )),
        };
        let mut errors: Vec<FieldError> = of_operator.into_iter().collect();
        if let Some(Err(why)) = self.key.text().map(is_label_key) {
            errors.push(FieldError::new("key", ErrorCode::InvalidKey, why));
        }
        if values_checked {
            errors.extend(self.each_value(ErrorCode::InvalidValue, is_label_value));
        }
        errors
    }

    /// Validates an entry of `matchFields`, which supports only the name of the node, and In or NotIn with one value.
    pub fn field_errors(&self, counted: bool) -> Vec<FieldError> {
        let count = self.values.len();
        let of_operator = match self.operator.text() {
            None => None,
            Some("In" | "NotIn") => ((counted && count != 1) || count > 1)
                .then(|| values("In and NotIn of matchFields take exactly one value")),
            Some(_) => Some(unknown_operator(
                "the operator of matchFields must be In or NotIn",
            )),
        };
        let mut errors: Vec<FieldError> = of_operator.into_iter().collect();
        match self.key.text() {
            None => {}
            Some(NODE_NAME_FIELD) => {
                errors.extend(self.each_value(ErrorCode::InvalidNodeName, is_node_name));
            }
            Some(_) => errors.push(FieldError::new(
                "key",
                ErrorCode::UnknownField,
                "matchFields knows the field metadata.name only",
            )),
        }
        errors
    }

    /// Returns the values that make an entry of `matchExpressions` useless although the API server accepts it: no label can
    /// have the value, or `Gt` and `Lt` cannot compare it. Each comes with its index and the reason.
    pub fn unusable_values(&self) -> Vec<(usize, &str, String)> {
        let compares = matches!(self.operator.text(), Some("Gt" | "Lt"));
        let values = self.values.iter().enumerate();
        values
            .filter_map(|(at, value)| {
                let text = value.text()?;
                let why = match is_label_value(text) {
                    Err(why) => why,
                    Ok(()) if compares => parse_integer(text)
                        .err()
                        .map(|error| format!("Gt and Lt compare with a number: {error}"))?,
                    Ok(()) => return None,
                };
                Some((at, text, why))
            })
            .collect()
    }

    fn each_value(
        &self,
        code: ErrorCode,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<FieldError> {
        let values = self.values.iter().enumerate();
        values
            .filter_map(|(at, value)| {
                let why = check(value.text()?).err()?;
                Some(FieldError::new(format!("values[{at}]"), code, why))
            })
            .collect()
    }
}

fn values(why: &str) -> FieldError {
    FieldError::new("values", ErrorCode::WrongNumberOfValues, why)
}

fn unknown_operator(why: &str) -> FieldError {
    FieldError::new("operator", ErrorCode::UnknownOperator, why)
}
