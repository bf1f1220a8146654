//! Resource quantities (`resource.Quantity`) for comparing and adding.

use crate::source::text::Cut as _;

/// An amount in thousandths, the API server's precision. `i128` holds the sum over all containers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity(pub i128);

/// Amounts that exceed 64 bits are capped at this.
const GREATEST: i128 = i64::MAX as i128;

impl Quantity {
    /// Parses a quantity as `ParseQuantity` does, then rounds it to thousandths, away from zero, as defaulting does for
    /// containers. Returns `None` if Kubernetes rejects it.
    pub fn parse(text: &str) -> Option<Quantity> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, text.since(1)),
            b'+' => (false, text.since(1)),
            _ => (false, text),
        };
        let end = rest
            .find(|one: char| !one.is_ascii_digit() && one != '.')
            .unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let (two, ten) = scale(suffix)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Quantity(0));
        }
        // Thousandths: digits times 2^two times 10^exponent.
        let exponent = ten.saturating_add(3) - i32::try_from(fraction.len()).unwrap_or(i32::MAX);
        // Amounts that fit into 64 bits and a power of ten are exact; larger ones are capped.
        let whole = whole.trim_start_matches('0').len().max(1);
        let small = two == 0 && whole + fraction.len() <= 18 && exponent >= -6;
        let most = if small { i128::MAX } else { GREATEST * 1000 };
        let amount = amount(digits, two, exponent, most);
        Some(Quantity(if negative { -amount } else { amount }))
    }
}

/// Returns `digits * 2^two * 10^ten`, rounded up and at most `cap`.
fn amount(digits: &str, two: u32, ten: i32, cap: i128) -> i128 {
    // Digits beyond those of the greatest amount exceed it or the precision.
    let (mut value, mut ten, mut rest) = (0_i128, ten, false);
    for (at, digit) in digits.bytes().enumerate() {
        if at < 26 {
            value = value * 10 + i128::from(digit - b'0');
        } else {
            rest |= digit != b'0';
            ten = ten.saturating_add(1);
        }
    }
    // Powers of two first: they increase the value, while powers of ten may decrease it.
    for _ in 0..two {
        value = match value.checked_mul(2) {
            Some(twice) => twice,
            None => return cap,
        };
    }
    while ten > 0 {
        value = value.saturating_mul(10);
        if value >= cap {
            return cap;
        }
        ten -= 1;
    }
    while ten < 0 && value > 0 {
        rest |= value % 10 != 0;
        value /= 10;
        ten += 1;
    }
    (value + i128::from(rest)).min(cap)
}

/// Returns a suffix as powers of two and ten.
fn scale(suffix: &str) -> Option<(u32, i32)> {
    let powers = match suffix {
        "" => (0, 0),
        "n" => (0, -9),
        "u" => (0, -6),
        "m" => (0, -3),
        "k" => (0, 3),
        "M" => (0, 6),
        "G" => (0, 9),
        "T" => (0, 12),
        "P" => (0, 15),
        "E" => (0, 18),
        "Ki" => (10, 0),
        "Mi" => (20, 0),
        "Gi" => (30, 0),
        "Ti" => (40, 0),
        "Pi" => (50, 0),
        "Ei" => (60, 0),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|one| one.is_ascii_digit()) {
                return None;
            }
            (0, exponent.parse::<i32>().ok()?)
        }
    };
    Some(powers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_amount_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("1", "1000m"),
            ("0.5", "500m"),
            ("1Gi", "1073741824"),
            ("1Gi", "1024Mi"),
            ("1.5Gi", "1536Mi"),
            ("1e3", "1k"),
            ("1E3", "1000"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+1", "1"),
            ("1u", "1m"),
            ("1n", "0.0001"),
            ("9Ei", "9223372036854775807"),
            ("9Ei", "8Ei"),
            ("1e30", "1000000e24"),
        ] {
            assert_eq!(
                Quantity::parse(one),
                Quantity::parse(other),
                "{one} {other}"
            );
            assert!(Quantity::parse(one).is_some(), "{one}");
        }
        assert!(Quantity::parse("1G") < Quantity::parse("1Gi"));
        assert!(Quantity::parse("9Ei") < Quantity::parse("1e30"));
        assert_eq!(Quantity::parse("-0"), Some(Quantity(0)));
        assert!(Quantity::parse("-1n") < Quantity::parse("0"));
    }

    #[test]
    fn what_kubernetes_refuses_is_no_quantity() {
        for text in [
            "", "a", "1x", "1 Gi", "1.2.3", "-", ".", "1gi", "1K", "1e", "0x1", "1mi",
        ] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
    }
}
