//! Quotes a text so that it is read back as the same text.

use super::node::Style;
use super::scalar::{Scalar, resolve_plain};

/// Writes a text as a scalar in a style. Uses double quotes if a plain scalar would have another meaning.
pub(super) fn written(value: &str, style: Style) -> String {
    match style {
        Style::SingleQuoted if !value.contains(char::is_control) => {
            format!("'{}'", value.replace('\'', "''"))
        }
        Style::Plain if is_plain(value) => value.to_owned(),
        _ => quoted(value),
    }
}

/// A text in double quotes, as both JSON and YAML read it.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_control() => text.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}

/// Whether a text without quotes is read as the same text in any position.
fn is_plain(value: &str) -> bool {
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    value.bytes().all(usual)
        && value
            .bytes()
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
        && resolve_plain(value) == Scalar::Str(value)
}
