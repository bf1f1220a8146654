//! What the API server says to node selectors and node affinity, field by field.

use super::Field;
use super::node_selection::Requirement;
use super::validation::{
    ErrorCode, FieldError, is_label_key, is_label_value, is_node_name, parse_integer,
};

/// The operators of `matchExpressions`, in the order in which Kubernetes declares them.
pub const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// The only field that `matchFields` knows.
const NODE_NAME_FIELD: &str = "metadata.name";

/// What it says to one entry of a `nodeSelector`. The fields are `key` and `value`; Kubernetes itself blames the map.
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

/// What it says to a `nodeName`; an empty one counts as none.
pub fn node_name_error(name: &str) -> Option<FieldError> {
    if name.is_empty() {
        return None;
    }
    let why = is_node_name(name).err()?;
    Some(FieldError::new("", ErrorCode::InvalidNodeName, why))
}

/// What it says to required node affinity with so many terms. A term that asks nothing is taken, and matches no node.
pub fn terms_error(terms: usize) -> Option<FieldError> {
    (terms == 0).then(|| {
        FieldError::new(
            "nodeSelectorTerms",
            ErrorCode::MissingTerms,
            "there must be at least one term",
        )
    })
}

/// What it says to the weight of a preferred term; one that is not written is 0.
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
    /// What it says to an entry of `matchExpressions`. Checks that depend on a part that could not be read are
    /// skipped; `counted` says whether all values are here. `values_checked`: values must be label values, which holds for
    /// required affinity and newer releases.
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

    /// What it says to an entry of `matchFields`, which knows the name of the node, and In or NotIn with one value.
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

    /// Why the scheduler can use an entry of `matchExpressions` in no way although the API server takes it: a value that
    /// no label can have, or one that `Gt` and `Lt` cannot compare with. Each with the value's index and its text.
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
