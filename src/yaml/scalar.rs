//! The meaning of a scalar: the typing rules of go-yaml v2's resolver, through which every Kubernetes manifest passes.

use super::time::is_timestamp;
use crate::source::text::Cut as _;

/// A typed scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `~`, `null`, `Null`, `NULL` or nothing at all.
    Null,
    /// `true`, `yes`, `on`, `y` and their opposites, in the spellings go-yaml v2 knows.
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer above the signed range that still fits 64 unsigned bits; larger ones are floats.
    BigInt,
    /// A floating-point number.
    Float(f64),
    /// Text: quoted, a block scalar, or a plain scalar of no other type (timestamps included).
    Str(&'a str),
}

impl Scalar<'_> {
    /// Returns the integer that a number becomes in a round trip through JSON, as in every manifest: `3e2` and `300.0`
    /// are 300. Go writes floats in their shortest form, from 1e21 on with an exponent, which integers never have.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(*value),
            Scalar::Float(value) if value.abs() < 1e21 => value.to_string().parse().ok(),
            _ => None,
        }
    }

    /// The short YAML tag of the type, as it appears in go-yaml's messages.
    pub(super) fn tag(&self) -> &'static str {
        match self {
            Scalar::Null => "!!null",
            Scalar::Bool(_) => "!!bool",
            Scalar::Int(_) | Scalar::BigInt => "!!int",
            Scalar::Float(_) => "!!float",
            Scalar::Str(_) => "!!str",
        }
    }
}

/// The explicit tag of a node, if it affects a scalar's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// No tag.
    None,
    /// `!`: a text, whatever it looks like.
    NonSpecific,
    /// `!!str`, and every YAML tag that the resolver does not know.
    Str,
    /// A tool's own tag, such as CloudFormation's `!Ref`: a text for go-yaml, an instruction for the tool.
    Local,
    Bool,
    Int,
    Float,
    Null,
    /// `!!timestamp`: a text that must look like a date.
    Timestamp,
    /// `!!binary`: a text that encodes bytes.
    Binary,
    /// `!!merge`, which turns a key `<<` into a merge key even if it is quoted.
    Merge,
}

impl Tag {
    /// The tag as it appears in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tag::None | Tag::NonSpecific | Tag::Local => "",
            Tag::Str => "!!str",
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
        }
    }
}

/// Determines the type of a scalar from its text, its tag, and whether it was written without quotes.
///
/// Returns `None` if the tag requires a type that the text does not have. go-yaml then rejects the whole document.
pub(super) fn resolve(text: &str, tag: Tag, plain: bool) -> Option<Scalar<'_>> {
    match tag {
        Tag::Str | Tag::NonSpecific | Tag::Local | Tag::Merge | Tag::Binary => {
            Some(Scalar::Str(text))
        }
        Tag::Timestamp => is_timestamp(text).then_some(Scalar::Str(text)),
        Tag::None if !plain => Some(Scalar::Str(text)),
        Tag::None => Some(resolve_plain(text)),
        Tag::Bool | Tag::Int | Tag::Float | Tag::Null => match (tag, resolve_plain(text)) {
            (Tag::Bool, found @ Scalar::Bool(_))
            | (Tag::Int, found @ (Scalar::Int(_) | Scalar::BigInt))
            | (Tag::Float, found @ Scalar::Float(_))
            | (Tag::Null, found @ Scalar::Null) => Some(found),
            // Rounding is part of the conversion to a 64-bit float.
            #[allow(clippy::cast_precision_loss)]
            (Tag::Float, Scalar::Int(value)) => Some(Scalar::Float(value as f64)),
            _ => None,
        },
    }
}

/// Determines the type of an untagged plain scalar.
pub(super) fn resolve_plain(text: &str) -> Scalar<'_> {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(text),
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        _ => None,
    }
    .unwrap_or(Scalar::Str(text))
}

fn word(text: &str) -> Option<Scalar<'static>> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => return None,
    })
}

fn number(text: &str) -> Option<Scalar<'static>> {
    match text {
        ".nan" | ".NaN" | ".NAN" => return Some(Scalar::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(Scalar::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(Scalar::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    if text.starts_with('.') {
        // Underscores are not removed here, so `.5_0` stays text.
        return float(text);
    }
    let without = remove_underscores(text);
    let text = without.as_deref().unwrap_or(text);
    if let Some(value) = signed(text) {
        return Some(Scalar::Int(value));
    }
    if unsigned(text).is_some() {
        return Some(Scalar::BigInt);
    }
    if let Some(found) = float(text) {
        return Some(found);
    }
    // What go-yaml's own binary notation adds to Go's: a sign after the prefix.
    let rest = text.strip_prefix("0b")?;
    match i64::from_str_radix(rest, 2) {
        Ok(value) => Some(Scalar::Int(value)),
        Err(_) => u64::from_str_radix(rest, 2).ok().map(|_| Scalar::BigInt),
    }
}

fn remove_underscores(text: &str) -> Option<String> {
    text.contains('_').then(|| text.replace('_', ""))
}

/// Parses an integer in the notations of Go's `ParseInt` with base 0.
fn signed(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = i128::from(unsigned(digits)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// Parses an integer without a sign: decimal, `0x`, `0b`, `0o`, or octal after a zero.
fn unsigned(text: &str) -> Option<u64> {
    if !text.bytes().next()?.is_ascii_digit() {
        return None;
    }
    let (digits, base) = match text.strip_prefix('0') {
        Some("") => return Some(0),
        Some(rest) => match (rest.bytes().next()?.to_ascii_lowercase(), rest.len()) {
            (b'x', 2..) => (rest.since(1), 16),
            (b'b', 2..) => (rest.since(1), 2),
            (b'o', 2..) => (rest.since(1), 8),
            _ => (rest, 8),
        },
        None => (text, 10),
    };
    // The standard parser would accept a sign here, as in `0x+1`; Go does not.
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, base).ok()
}

/// Returns the value of a [`Scalar::BigInt`].
pub(super) fn big_int(text: &str) -> Option<u64> {
    let without = remove_underscores(text);
    unsigned(without.as_deref().unwrap_or(text))
}

/// Parses `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, if it is not too large for a float.
fn float(text: &str) -> Option<Scalar<'static>> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(rest);
    rest = rest.since(whole);
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = digits(after);
        if whole + fraction == 0 {
            return None;
        }
        rest = after.since(fraction);
    } else if whole == 0 {
        return None;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let after = after.strip_prefix(['-', '+']).unwrap_or(after);
        let exponent = digits(after);
        if exponent == 0 {
            return None;
        }
        rest = after.since(exponent);
    }
    if !rest.is_empty() {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(Scalar::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_typed_as_go_yaml_v2_types_them() {
        let table: &[(&str, Scalar<'_>)] = &[
            ("", Scalar::Null),
            ("~", Scalar::Null),
            ("null", Scalar::Null),
            ("NULL", Scalar::Null),
            ("nULL", Scalar::Str("nULL")),
            ("y", Scalar::Bool(true)),
            ("Yes", Scalar::Bool(true)),
            ("yEs", Scalar::Str("yEs")),
            ("on", Scalar::Bool(true)),
            ("oN", Scalar::Str("oN")),
            ("TRUE", Scalar::Bool(true)),
            ("n", Scalar::Bool(false)),
            ("No", Scalar::Bool(false)),
            ("OFF", Scalar::Bool(false)),
            ("0", Scalar::Int(0)),
            ("-0", Scalar::Int(0)),
            ("+12", Scalar::Int(12)),
            ("1_000", Scalar::Int(1000)),
            ("_1", Scalar::Str("_1")),
            ("0550", Scalar::Int(360)),
            ("-0550", Scalar::Int(-360)),
            ("0o17", Scalar::Int(15)),
            ("0O17", Scalar::Int(15)),
            ("089", Scalar::Float(89.0)),
            ("0x1F", Scalar::Int(31)),
            ("0X1f", Scalar::Int(31)),
            ("-0x10", Scalar::Int(-16)),
            ("0x", Scalar::Str("0x")),
            ("0x+1", Scalar::Str("0x+1")),
            ("0xg", Scalar::Str("0xg")),
            ("0b101", Scalar::Int(5)),
            ("-0b101", Scalar::Int(-5)),
            ("0b-1", Scalar::Int(-1)),
            ("0b2", Scalar::Str("0b2")),
            ("--1", Scalar::Str("--1")),
            ("+-1", Scalar::Str("+-1")),
            ("-", Scalar::Str("-")),
            ("+", Scalar::Str("+")),
            ("9223372036854775807", Scalar::Int(i64::MAX)),
            ("-9223372036854775808", Scalar::Int(i64::MIN)),
            ("9223372036854775808", Scalar::BigInt),
            ("18446744073709551615", Scalar::BigInt),
            (
                "18446744073709551616",
                Scalar::Float(18446744073709551616.0),
            ),
            (
                "-9223372036854775809",
                Scalar::Float(-9223372036854775808.0),
            ),
            ("1.10", Scalar::Float(1.1)),
            ("1.", Scalar::Float(1.0)),
            (".5", Scalar::Float(0.5)),
            (".5_0", Scalar::Str(".5_0")),
            ("1_0.5", Scalar::Float(10.5)),
            ("-.5", Scalar::Float(-0.5)),
            (".", Scalar::Str(".")),
            ("..", Scalar::Str("..")),
            ("1e3", Scalar::Float(1000.0)),
            ("3E+2", Scalar::Float(300.0)),
            ("1e", Scalar::Str("1e")),
            ("1e400", Scalar::Str("1e400")),
            ("300.0", Scalar::Float(300.0)),
            (".inf", Scalar::Float(f64::INFINITY)),
            ("-.INF", Scalar::Float(f64::NEG_INFINITY)),
            (".iNf", Scalar::Str(".iNf")),
            ("inf", Scalar::Str("inf")),
            ("nan", Scalar::Str("nan")),
            ("2024-01-01", Scalar::Str("2024-01-01")),
            (
                "2001-12-14 21:59:43.1",
                Scalar::Str("2001-12-14 21:59:43.1"),
            ),
            ("190:20:30", Scalar::Str("190:20:30")),
            ("1.2.3", Scalar::Str("1.2.3")),
            ("v1", Scalar::Str("v1")),
            ("é", Scalar::Str("é")),
            ("1é", Scalar::Str("1é")),
            ("0é", Scalar::Str("0é")),
        ];
        for (text, expected) in table {
            assert_eq!(resolve_plain(text), *expected, "{text:?}");
        }
        assert!(matches!(resolve_plain(".NaN"), Scalar::Float(value) if value.is_nan()));
    }

    #[test]
    fn a_tag_that_contradicts_the_text_gives_nothing() {
        assert_eq!(resolve("x", Tag::Int, true), None);
        assert_eq!(resolve("1", Tag::Bool, true), None);
        assert_eq!(resolve("5", Tag::Int, false), Some(Scalar::Int(5)));
        assert_eq!(resolve("5", Tag::Float, true), Some(Scalar::Float(5.0)));
        assert_eq!(resolve("yes", Tag::Str, true), Some(Scalar::Str("yes")));
        assert_eq!(
            resolve("yes", Tag::NonSpecific, true),
            Some(Scalar::Str("yes"))
        );
        assert_eq!(resolve("x", Tag::Timestamp, true), None);
    }

    #[test]
    fn floats_arrive_as_the_integers_that_json_makes_of_them() {
        let integer = |text: &str| resolve_plain(text).as_integer();
        assert_eq!(integer("300.0"), Some(300));
        assert_eq!(integer("1e16"), Some(10_000_000_000_000_000));
        assert_eq!(integer("1e18"), Some(1_000_000_000_000_000_000));
        assert_eq!(integer("9007199254740993.0"), Some(9_007_199_254_740_992));
        assert_eq!(
            integer("4611686018427387904.0"),
            Some(4_611_686_018_427_388_000)
        );
        assert_eq!(integer("-0.0"), Some(0));
        for text in [
            "1e19",
            "9223372036854775807.0",
            "1e21",
            "1.5",
            ".5",
            ".inf",
            "'1'",
            "x",
        ] {
            assert_eq!(integer(text), None, "{text}");
        }
    }
}
