//! Tolerations, and the only definition of "tolerates".

use super::taint::{Effect, Taint, unknown_effect};
use super::validation::{ErrorCode, FieldError, comparison_integer, is_label_key, is_label_value};
use super::{Field, Truth, first_alike};

/// A toleration as written, without defaults, as Kubernetes stores it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toleration {
    /// Absent or empty means every key.
    pub key: Field<String>,
    /// Absent or empty means `Equal`.
    pub operator: Field<String>,
    /// Absent means the empty value.
    pub value: Field<String>,
    /// Absent or empty means every effect.
    pub effect: Field<String>,
    /// Seconds that the pod stays after a NoExecute taint appears; absent means for ever.
    pub toleration_seconds: Field<i64>,
}

/// Whether any of the tolerations tolerates the taint. `comparison_operators` is the feature gate
/// `TaintTolerationComparisonOperators`.
pub fn tolerate(tolerations: &[Toleration], taint: &Taint, comparison_operators: bool) -> Truth {
    Truth::any(
        tolerations
            .iter()
            .map(|toleration| toleration.tolerates(taint, comparison_operators)),
    )
}

/// Returns the tolerations that the DaemonSet controller adds to all of its pods. They do not include user-defined taints,
/// the control plane's taint and `not-ready:NoSchedule`.
pub fn daemon_set_tolerations(host_network: bool) -> Vec<Toleration> {
    const ADDED: [(&str, Effect); 6] = [
        ("node.kubernetes.io/not-ready", Effect::NoExecute),
        ("node.kubernetes.io/unreachable", Effect::NoExecute),
        ("node.kubernetes.io/disk-pressure", Effect::NoSchedule),
        ("node.kubernetes.io/memory-pressure", Effect::NoSchedule),
        ("node.kubernetes.io/pid-pressure", Effect::NoSchedule),
        ("node.kubernetes.io/unschedulable", Effect::NoSchedule),
    ];
    let on_host_network =
        host_network.then_some(("node.kubernetes.io/network-unavailable", Effect::NoSchedule));
    ADDED
        .into_iter()
        .chain(on_host_network)
        .map(|(key, effect)| Toleration {
            key: Field::Is(key.to_owned()),
            operator: Field::Is("Exists".to_owned()),
            value: Field::Absent,
            effect: Field::Is(effect.as_str().to_owned()),
            toleration_seconds: Field::Absent,
        })
        .collect()
}

impl Toleration {
    /// Returns the operator as Kubernetes reads it (absent is `Equal`), or `None` if it could not be read.
    pub fn effective_operator(&self) -> Option<&str> {
        match self.operator.text()? {
            "" => Some("Equal"),
            operator => Some(operator),
        }
    }

    /// Whether this entry tolerates the taint according to Kubernetes' `ToleratesTaint`. Returns `No` as soon as one part
    /// certainly does not match, even if others are unreadable. `comparison_operators` is the feature gate
    /// `TaintTolerationComparisonOperators`; without it, `Gt` and `Lt` match nothing.
    pub fn tolerates(&self, taint: &Taint, comparison_operators: bool) -> Truth {
        fits_or_open(&self.effect, &taint.effect)
            .and(fits_or_open(&self.key, &taint.key))
            .and(self.value_fits(taint, comparison_operators))
    }

    fn value_fits(&self, taint: &Taint, comparison_operators: bool) -> Truth {
        match self.effective_operator() {
            None => Truth::Unknown,
            Some("Exists") => Truth::Yes,
            Some("Equal") => match (self.value.text(), taint.value.text()) {
                (Some(mine), Some(theirs)) => (mine == theirs).into(),
                _ => Truth::Unknown,
            },
            Some(operator @ ("Gt" | "Lt")) if comparison_operators => {
                match (Number::read(&self.value), Number::read(&taint.value)) {
                    (Number::None, _) | (_, Number::None) => Truth::No,
                    (Number::Is(mine), Number::Is(theirs)) if operator == "Gt" => {
                        (theirs > mine).into()
                    }
                    (Number::Is(mine), Number::Is(theirs)) => (theirs < mine).into(),
                    _ => Truth::Unknown,
                }
            }
            Some(_) => Truth::No,
        }
    }

    /// Returns the API server's validation errors for this entry, in its order. Checks that depend on an unreadable field
    /// are skipped. `comparison_operators` says whether `Gt` and `Lt` are accepted: the feature gate for pods and
    /// templates, always `false` for a RuntimeClass. Without it, their value is not checked.
    pub fn errors(&self, comparison_operators: bool) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let operator = self.operator.text();
        let key = self.key.text();
        if key == Some("") && operator.is_some_and(|operator| operator != "Exists") {
            errors.push(FieldError::new(
                "operator",
                ErrorCode::EmptyKeyWithoutExists,
                "operator must be Exists when `key` is empty, which means every key and every value",
            ));
        }
        if let Some(key) = key
            && !key.is_empty()
            && let Err(why) = is_label_key(key)
        {
            errors.push(FieldError::new("key", ErrorCode::InvalidKey, why));
        }
        if self.toleration_seconds.known().is_some()
            && self
                .effect
                .text()
                .is_some_and(|effect| effect != Effect::NoExecute.as_str())
        {
            errors.push(FieldError::new(
                "effect",
                ErrorCode::SecondsWithoutNoExecute,
                "effect must be NoExecute when `tolerationSeconds` is set",
            ));
        }
        if let Some(operator) = operator {
            self.operator_errors(operator, comparison_operators, &mut errors);
        }
        if let Some(effect) = self.effect.text()
            && !effect.is_empty()
        {
            errors.extend(unknown_effect(effect));
        }
        errors
    }

    fn operator_errors(
        &self,
        operator: &str,
        comparison_operators: bool,
        errors: &mut Vec<FieldError>,
    ) {
        let value = self.value.text();
        match operator {
            "" | "Equal" => {
                if let Some(Err(why)) = value.map(is_label_value) {
                    errors.push(FieldError::new("operator", ErrorCode::InvalidValue, why));
                }
            }
            "Exists" => {
                if value.is_some_and(|value| !value.is_empty()) {
                    errors.push(FieldError::new(
                        "operator",
                        ErrorCode::ValueWithExists,
                        "value must be empty when `operator` is Exists",
                    ));
                }
            }
            "Gt" | "Lt" if !comparison_operators => errors.push(FieldError::new(
                "operator",
                ErrorCode::ComparisonUnavailable,
                format!("operator {operator} is not supported here: use Equal or Exists"),
            )),
            "Gt" | "Lt" => {
                if let Some(Err(error)) = value.map(comparison_integer) {
                    errors.extend(
                        error.form().map(|why| {
                            FieldError::new("value", ErrorCode::NonCanonicalInteger, why)
                        }),
                    );
                    errors.extend(
                        error
                            .parse()
                            .map(|why| FieldError::new("value", ErrorCode::UnparsableInteger, why)),
                    );
                }
            }
            _ => errors.push(FieldError::new(
                "operator",
                ErrorCode::UnknownOperator,
                "unsupported operator: use Equal or Exists",
            )),
        }
    }
}

impl std::fmt::Display for Toleration {
    /// Formats it as an entry of a manifest: `{key: a, operator: Exists, effect: NoSchedule}`. Unknown parts are `…`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields = [
            ("key", &self.key),
            ("operator", &self.operator),
            ("value", &self.value),
            ("effect", &self.effect),
        ];
        let mut parts: Vec<String> = fields
            .into_iter()
            .filter_map(|(name, field)| match field.text() {
                Some("") => None,
                // Always quoted: `true` and `0550` are strings here.
                Some(value) if name == "value" => Some(format!("{name}: \"{value}\"")),
                Some(text) => Some(format!("{name}: {text}")),
                None => Some(format!("{name}: …")),
            })
            .collect();
        match &self.toleration_seconds {
            Field::Absent => {}
            Field::Is(seconds) => parts.push(format!("tolerationSeconds: {seconds}")),
            Field::Unknown => parts.push("tolerationSeconds: …".to_owned()),
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}

/// Returns, for each entry of a RuntimeClass's list, the earlier one with the same key, operator, value and effect. The API
/// server rejects it there, but accepts it in pods. A missing operator differs from `Equal`. Unreadable entries are never
/// duplicates.
pub fn repeated(tolerations: &[Toleration]) -> Vec<Option<usize>> {
    first_alike(tolerations, |entry: &Toleration| {
        Some((
            entry.key.text()?,
            entry.operator.text()?,
            entry.value.text()?,
            entry.effect.text()?,
        ))
    })
}

/// Whether a toleration's field is empty or equal to the taint's.
fn fits_or_open(mine: &Field<String>, theirs: &Field<String>) -> Truth {
    match (mine.text(), theirs.text()) {
        (Some(""), _) => Truth::Yes,
        (Some(mine), Some(theirs)) => (mine == theirs).into(),
        _ => Truth::Unknown,
    }
}

/// One side of a comparison: a number, something that is not a number, or unknown.
enum Number {
    Is(i64),
    None,
    Unknown,
}

impl Number {
    fn read(field: &Field<String>) -> Number {
        match field.text().map(comparison_integer) {
            Some(Ok(number)) => Number::Is(number),
            Some(Err(_)) => Number::None,
            None => Number::Unknown,
        }
    }
}
