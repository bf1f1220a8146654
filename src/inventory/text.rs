//! Writes inventories as YAML that all readers interpret the same way. Anything that a reader might take for a number, a
//! date, a boolean or a merge is quoted, and control characters of terminals are escaped.

use std::fmt::Write;

use serde_yaml::Value;

/// Writes a value in block style.
pub(super) fn write(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Mapping(map) => {
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    spaces(indent, text);
                }
                scalar(key, text);
                text.push(':');
                nested(value, indent, text);
            }
        }
        Value::Sequence(items) => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    spaces(indent, text);
                }
                text.push_str("- ");
                if is_nested(item) {
                    block(item, indent + 2, text);
                } else {
                    scalar(item, text);
                    text.push('\n');
                }
            }
        }
        other => {
            scalar(other, text);
            text.push('\n');
        }
    }
}

/// Writes the value of a key.
fn nested(value: &Value, indent: usize, text: &mut String) {
    if is_nested(value) {
        let inside = if value.is_mapping() {
            indent + 2
        } else {
            indent
        };
        text.push('\n');
        spaces(inside, text);
        block(value, inside, text);
    } else {
        text.push(' ');
        scalar(value, text);
        text.push('\n');
    }
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Mapping(map) => !map.is_empty(),
        Value::Sequence(items) => !items.is_empty(),
        _ => false,
    }
}

fn spaces(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}

fn scalar(value: &Value, text: &mut String) {
    match value {
        Value::String(string) if is_plain(string) => text.push_str(string),
        Value::String(string) => quote(string, text),
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::Sequence(_) => text.push_str("[]"),
        Value::Mapping(_) => text.push_str("{}"),
        Value::Null | Value::Tagged(_) => text.push_str("null"),
    }
}

/// Words that YAML 1.1 readers do not interpret as text.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let inside = |c: char| c.is_ascii_alphanumeric() || " ./_-,()[]".contains(c);
    begins
        && text.chars().all(inside)
        && !text.ends_with(' ')
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        // Writing to a string cannot fail.
        let _ = match c {
            '"' | '\\' => write!(text, "\\{c}"),
            '\n' => write!(text, "\\n"),
            '\t' => write!(text, "\\t"),
            ' '..='~' => write!(text, "{c}"),
            c if c.is_alphanumeric() => write!(text, "{c}"),
            c if u32::from(c) <= 0xffff => write!(text, "\\u{:04x}", u32::from(c)),
            c => write!(text, "\\U{:08x}", u32::from(c)),
        };
    }
    text.push('"');
}
