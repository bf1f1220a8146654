//! Converts keys to text: JSON only has text keys, so numbers and booleans become texts.

use super::scalar::Scalar;

/// Returns the text of a key that is not a text. `sigs.k8s.io/yaml` writes numbers like Go: integers in full, and
/// floats as 32-bit floats in their shortest form.
///
/// Returns `None` for a text, which does not change.
pub(super) fn as_text(key: Scalar<'_>) -> Option<String> {
    match key {
        Scalar::Bool(value) => Some(value.to_string()),
        Scalar::Int(value) => Some(value.to_string()),
        Scalar::Float(value) => Some(shortest(value)),
        Scalar::Str(_) | Scalar::Null | Scalar::BigInt => None,
    }
}

/// Returns the error of Go's reader for a key that cannot become a text.
pub(super) fn refusal(key: Scalar<'_>) -> Option<&'static str> {
    match key {
        Scalar::Null => Some("unsupported map key of type null"),
        Scalar::BigInt => Some("unsupported map key of type uint64"),
        _ => None,
    }
}

/// Formats a float like Go's `FormatFloat(value, 'g', -1, 32)`.
fn shortest(value: f64) -> String {
    // Go rounds to 32 bits here.
    #[allow(clippy::cast_possible_truncation)]
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_go_writes_them() {
        for (value, text) in [
            (0.5, "0.5"),
            (1.1, "1.1"),
            (1000.0, "1000"),
            (1e6, "1e+06"),
            (1e21, "1e+21"),
            (0.000_01, "1e-05"),
            (0.0001, "0.0001"),
            (123_456.0, "123456"),
            (123_456_789.5, "1.2345679e+08"),
            (-0.0, "-0"),
            (-1.5, "-1.5"),
            (1e39, ".inf"),
            (1e-50, "0"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(shortest(value), text);
        }
    }
}
