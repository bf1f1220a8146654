//! Values in Go templates, as far as they are texts in the template itself, and functions that lay out text.

use std::ops::Range;

use super::writer::Writer;
use crate::yaml::Pieces;

const UNKNOWN: &str = "a template action prints it";

/// The maximum number of spaces that an action adds to a line.
const MAX_INDENTATION: i64 = 200;

/// The value of an expression.
pub enum Value {
    /// It depends on values.
    Unknown,
    /// A number.
    Number(i64),
    /// A text, some parts of which may be unknown.
    Text(Pieces),
}

/// Calls a function.
pub fn call(
    name: &str,
    mut values: Vec<Value>,
    at: &Range<usize>,
    writer: &mut Writer<'_>,
) -> Value {
    let Some(last) = values.pop() else {
        return Value::Unknown;
    };
    match (name, values.as_slice(), last) {
        ("nindent" | "indent", [Value::Number(spaces)], last)
            if (0..=MAX_INDENTATION).contains(spaces) =>
        {
            let spaces = usize::try_from(*spaces).unwrap_or_default();
            let inner = match last {
                Value::Text(text) => text,
                other => writer.take(|writer| print(other, at.clone(), writer)),
            };
            Value::Text(writer.take(|writer| {
                if name == "nindent" {
                    writer.made("\n", at.clone());
                }
                writer.made(&" ".repeat(spaces), at.clone());
                writer.pieces(&inner.indented(spaces));
            }))
        }
        ("tpl", [Value::Text(text)], _) => Value::Text(text.clone()),
        ("default", _, Value::Text(text)) => Value::Text(text),
        ("print" | "quote" | "squote" | "toString", [], Value::Text(text)) => Value::Text(text),
        ("trim", [], Value::Text(text)) => {
            let written = text.text();
            let start = written.len() - written.trim_start().len();
            let end = written.trim_end().len();
            Value::Text(text.slice(start..end.max(start)))
        }
        _ => Value::Unknown,
    }
}

/// Writes a value.
pub fn print(value: Value, at: Range<usize>, writer: &mut Writer<'_>) {
    match value {
        Value::Unknown => writer.unknown(UNKNOWN, at),
        Value::Number(number) => writer.made(&number.to_string(), at),
        Value::Text(text) => writer.pieces(&text),
    }
}
