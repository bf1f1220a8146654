//! The API server's validation of keys, values and integers, and the possible errors of taints and tolerations.

use std::borrow::Cow;
use std::num::IntErrorKind;

/// A validation error of the API server for one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field that Kubernetes reports (`key`, `operator`, `value`, `effect`, `values[1]`), relative to the validated
    /// entry. For an invalid value with `Equal` and for a value with `Exists`, that is `operator`, although the value must
    /// change. Empty if the error is about the whole entry.
    pub field: Cow<'static, str>,
    /// Which check failed.
    pub code: ErrorCode,
    /// The error, in words close to Kubernetes' own.
    pub message: String,
}

impl FieldError {
    pub(super) fn new(
        field: impl Into<Cow<'static, str>>,
        code: ErrorCode,
        message: impl Into<String>,
    ) -> Self {
        FieldError {
            field: field.into(),
            code,
            message: message.into(),
        }
    }
}

/// The check that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorCode {
    /// The key is not a label key.
    InvalidKey,
    /// No key, and the operator is not `Exists`.
    EmptyKeyWithoutExists,
    /// `tolerationSeconds` with an effect other than `NoExecute`, or with none.
    SecondsWithoutNoExecute,
    /// The value is not a label value.
    InvalidValue,
    /// `Exists` with a value.
    ValueWithExists,
    /// `Gt` or `Lt` where the API server does not accept them.
    ComparisonUnavailable,
    /// `Gt` or `Lt` with a value that is not an integer in canonical form.
    NonCanonicalInteger,
    /// `Gt` or `Lt` with a value that does not parse as a 64-bit integer.
    UnparsableInteger,
    /// Not an operator.
    UnknownOperator,
    /// Not an effect.
    UnknownEffect,
    /// A taint without effect.
    MissingEffect,
    /// An earlier taint of the list has the same key and effect, or an earlier toleration of a RuntimeClass has the
    /// same key, operator, value and effect.
    Duplicate,
    /// Required node affinity without a term.
    MissingTerms,
    /// No value, or a number of values that the operator does not accept.
    WrongNumberOfValues,
    /// Values with an operator that accepts none.
    UnwantedValues,
    /// Not a field that `matchFields` supports.
    UnknownField,
    /// Not a valid node name.
    InvalidNodeName,
    /// The weight of a preferred term is not between 1 and 100.
    WeightOutOfRange,
    /// An annotation does not contain the required JSON list.
    MalformedAnnotation,
}

/// The maximum length in bytes of the name part of a key, and of a value.
const NAME_LIMIT: usize = 63;
/// The maximum length in bytes of the prefix part of a key.
const PREFIX_LIMIT: usize = 253;

/// Checks that a text is a label key: `name` or `prefix/name`. The error is one sentence.
pub fn is_label_key(key: &str) -> Result<(), String> {
    let name = match key.split_once('/') {
        None => key,
        Some((_, name)) if name.contains('/') => {
            return Err(
                "a key has at most one `/`, between an optional prefix part and the name part"
                    .into(),
            );
        }
        Some((prefix, name)) => {
            is_subdomain(prefix)?;
            name
        }
    };
    if name.is_empty() {
        return Err("the name part must be non-empty".into());
    }
    if name.len() > NAME_LIMIT {
        return Err(format!(
            "the name part must be no more than {NAME_LIMIT} bytes"
        ));
    }
    if !is_name(name) {
        return Err(
            "the name part must consist of alphanumeric characters, `-`, `_` or `.`, \
             and must start and end with an alphanumeric character"
                .into(),
        );
    }
    Ok(())
}

/// Checks that a text is a label value; it may be empty. The error is one sentence.
pub fn is_label_value(value: &str) -> Result<(), String> {
    if value.len() > NAME_LIMIT {
        return Err(format!("a value must be no more than {NAME_LIMIT} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        return Err(
            "a value must be empty or consist of alphanumeric characters, `-`, `_` or `.`, \
             and must start and end with an alphanumeric character"
                .into(),
        );
    }
    Ok(())
}

/// Checks that a text is a valid node name. The error is one sentence.
pub fn is_node_name(name: &str) -> Result<(), String> {
    if name.len() > PREFIX_LIMIT {
        return Err(format!(
            "a node's name must be no more than {PREFIX_LIMIT} bytes"
        ));
    }
    if !is_dns_subdomain(name) {
        return Err(
            "a node's name must be a DNS subdomain of lower case alphanumeric characters, `-` or `.`, \
             such as worker-1.example.com"
                .into(),
        );
    }
    Ok(())
}

/// Checks that the prefix of a key is a DNS-1123 subdomain.
fn is_subdomain(prefix: &str) -> Result<(), String> {
    if prefix.is_empty() {
        return Err("the prefix part must be non-empty where there is a `/`".into());
    }
    if prefix.len() > PREFIX_LIMIT {
        return Err(format!(
            "the prefix part must be no more than {PREFIX_LIMIT} bytes"
        ));
    }
    if !is_dns_subdomain(prefix) {
        return Err(
            "the prefix part must be a DNS subdomain of lower case alphanumeric characters, \
             `-` or `.`, such as example.com"
                .into(),
        );
    }
    Ok(())
}

/// Whether a text is labels of lowercase letters, digits and inner `-`, separated by dots; lengths are not checked.
fn is_dns_subdomain(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part =
        |part: &str| is_enclosed(part, is_inner) && part.bytes().all(|b| is_inner(b) || b == b'-');
    text.split('.').all(is_part)
}

fn is_name(name: &str) -> bool {
    is_enclosed(name, |byte| byte.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Whether the first and the last byte both pass; `false` for the empty text.
fn is_enclosed(text: &str, passes: impl Fn(u8) -> bool) -> bool {
    match text.as_bytes() {
        [] => false,
        [first, .., last] => passes(*first) && passes(*last),
        [only] => passes(*only),
    }
}

/// Why `Gt` or `Lt` cannot compare a value. Kubernetes checks both the form and whether Go's parser accepts it; a value can
/// fail either or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum IntegerError {
    /// Fails both checks.
    #[error("must be non-empty")]
    Empty,
    /// Fails both checks.
    #[error("must be a valid decimal integer in canonical form")]
    NotAnInteger,
    /// Fails only the check of form: Go would parse it (`+5`, `007`, `-0`).
    #[error(
        "must be a valid decimal integer in canonical form, without `+`, leading zeros or `-0`"
    )]
    NotCanonical,
    /// Fails only Go's parser.
    #[error("value out of range of a 64-bit integer")]
    OutOfRange,
    /// Fails both checks.
    #[error("must be a valid decimal integer in canonical form, within 64 bits")]
    NotCanonicalNorInRange,
}

impl IntegerError {
    /// Returns Kubernetes' error about the form, or `None` if the form is valid.
    pub fn form(self) -> Option<&'static str> {
        match self {
            IntegerError::Empty => Some("must be non-empty"),
            IntegerError::OutOfRange => None,
            IntegerError::NotAnInteger
            | IntegerError::NotCanonical
            | IntegerError::NotCanonicalNorInRange => {
                Some("must be a valid decimal integer in canonical form")
            }
        }
    }

    /// Returns the error of Go's parser, or `None` if it parses.
    pub fn parse(self) -> Option<&'static str> {
        match self {
            IntegerError::Empty | IntegerError::NotAnInteger => Some("invalid syntax"),
            IntegerError::NotCanonical => None,
            IntegerError::OutOfRange | IntegerError::NotCanonicalNorInRange => {
                Some("value out of range")
            }
        }
    }
}

/// Parses an integer as `Gt` and `Lt` of tolerations do: `0`, or digits without leading zero after an optional `-`, within
/// 64 bits.
pub fn comparison_integer(text: &str) -> Result<i64, IntegerError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = text == "0" || (is_digits(digits) && !digits.starts_with('0'));
    match (parse_integer(text), is_canonical) {
        (Ok(number), true) => Ok(number),
        (Ok(_), false) => Err(IntegerError::NotCanonical),
        (Err(IntegerError::OutOfRange), false) => Err(IntegerError::NotCanonicalNorInRange),
        (Err(error), _) => Err(error),
    }
}

/// Parses an integer as Go's `strconv.ParseInt` does with base 10, for `Gt` and `Lt` of node affinity. `+5` and `007` are
/// valid.
pub fn parse_integer(text: &str) -> Result<i64, IntegerError> {
    if text.is_empty() {
        return Err(IntegerError::Empty);
    }
    // Checked before parsing, so that an overflow is not reported for a text that is not an integer at all.
    if !is_digits(text.strip_prefix(['+', '-']).unwrap_or(text)) {
        return Err(IntegerError::NotAnInteger);
    }
    text.parse()
        .map_err(|error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => IntegerError::OutOfRange,
            _ => IntegerError::NotAnInteger,
        })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_judged_as_label_keys() {
        let prefix = format!("{}.io", "a".repeat(250));
        let longest = format!("{prefix}/{}", "n".repeat(63));
        assert_eq!(prefix.len(), 253);
        for key in [
            "a",
            "A_b.c-D9",
            "example.com/a",
            "9.a-b/x",
            "CriticalAddonsOnly",
            longest.as_str(),
        ] {
            assert_eq!(is_label_key(key), Ok(()), "{key}");
        }
        let too_long_name = "n".repeat(64);
        let too_long_prefix = format!("a{prefix}/n");
        for (key, part) in [
            ("", "non-empty"),
            ("a/", "name part must be non-empty"),
            ("/a", "prefix part must be non-empty"),
            ("a/b/c", "at most one"),
            ("-a", "name part must consist"),
            ("a-", "name part must consist"),
            ("a b", "name part must consist"),
            ("a=b", "name part must consist"),
            ("é", "name part must consist"),
            ("Example.com/a", "prefix part must be a DNS"),
            ("a_b.com/a", "prefix part must be a DNS"),
            ("a..b/c", "prefix part must be a DNS"),
            ("-a.b/c", "prefix part must be a DNS"),
            (too_long_name.as_str(), "63 bytes"),
            (too_long_prefix.as_str(), "253 bytes"),
        ] {
            let error = is_label_key(key).unwrap_err();
            assert!(error.contains(part), "{key}: {error}");
        }
    }

    #[test]
    fn values_are_judged_as_label_values() {
        for value in ["", "a", "1.10", "a_b-c", &"v".repeat(63)] {
            assert_eq!(is_label_value(value), Ok(()), "{value}");
        }
        for value in [
            "a/b",
            "a:b",
            "a b",
            "-1",
            "x_",
            "a,b",
            "@",
            "+5",
            &"v".repeat(64),
        ] {
            assert!(is_label_value(value).is_err(), "{value}");
        }
    }

    #[test]
    fn comparison_integers_follow_the_table_string_by_string() {
        for (text, number) in [
            ("0", 0),
            ("7", 7),
            ("-7", -7),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(comparison_integer(text), Ok(number), "{text}");
        }
        for (text, error, objections) in [
            ("", IntegerError::Empty, 2),
            ("-0", IntegerError::NotCanonical, 1),
            ("00", IntegerError::NotCanonical, 1),
            ("0550", IntegerError::NotCanonical, 1),
            ("-05", IntegerError::NotCanonical, 1),
            ("+5", IntegerError::NotCanonical, 1),
            ("-", IntegerError::NotAnInteger, 2),
            ("+", IntegerError::NotAnInteger, 2),
            ("--5", IntegerError::NotAnInteger, 2),
            ("+-5", IntegerError::NotAnInteger, 2),
            (" 5", IntegerError::NotAnInteger, 2),
            ("5 ", IntegerError::NotAnInteger, 2),
            ("5.0", IntegerError::NotAnInteger, 2),
            ("1e3", IntegerError::NotAnInteger, 2),
            ("0x10", IntegerError::NotAnInteger, 2),
            ("1_000", IntegerError::NotAnInteger, 2),
            ("abc", IntegerError::NotAnInteger, 2),
            ("٣", IntegerError::NotAnInteger, 2),
            ("99999999999999999999x", IntegerError::NotAnInteger, 2),
            ("9223372036854775808", IntegerError::OutOfRange, 1),
            ("-9223372036854775809", IntegerError::OutOfRange, 1),
            (
                "09223372036854775808",
                IntegerError::NotCanonicalNorInRange,
                2,
            ),
            (
                "+9223372036854775808",
                IntegerError::NotCanonicalNorInRange,
                2,
            ),
        ] {
            assert_eq!(comparison_integer(text), Err(error), "{text}");
            let made = error.form().iter().count() + error.parse().iter().count();
            assert_eq!(made, objections, "{text}");
        }
    }

    #[test]
    fn label_integers_are_read_as_go_reads_them() {
        for (text, number) in [("+5", 5), ("007", 7), ("-0", 0), ("-12", -12)] {
            assert_eq!(parse_integer(text), Ok(number), "{text}");
        }
        for text in ["", "+", "1_0", "0x1", "5 ", "1.0"] {
            assert!(parse_integer(text).is_err(), "{text}");
        }
    }
}
