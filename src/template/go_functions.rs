//! Functions of Go templates: those that lay out text, and those that choose or combine values.

use std::ops::Range;

use super::go_printing::{print, print_given};
use super::go_values::Value;
use super::writer::Writer;
use crate::charts::Step;

/// The maximum number of spaces that an action adds to a line.
const MAX_INDENTATION: i64 = 200;

/// The maximum number of values that are combined into one.
const MAX_VALUES: usize = 64;

/// Calls a function.
pub fn call(
    name: &str,
    mut values: Vec<Value>,
    at: &Range<usize>,
    writer: &mut Writer<'_>,
) -> Value {
    if values.len() > MAX_VALUES {
        return Value::Unknown;
    }
    if let Some(path) = changed(name, &values) {
        writer.change(path);
    }
    if let Some(made) = combine(name, &values) {
        return made;
    }
    let Some(last) = values.pop() else {
        return Value::Unknown;
    };
    if let (Some(given), "quote" | "squote" | "toString", []) =
        (writer.given(), name, values.as_slice())
        && let Some(text) = print_given(given, &last, name != "toString", at, writer)
    {
        return Value::Text(text);
    }
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
        ("print" | "quote" | "squote" | "toString", [], Value::Text(text)) => Value::Text(text),
        ("trim", [], Value::Text(text)) => {
            let written = text.text();
            let start = written.len() - written.trim_start().len();
            let end = written.trim_end().len();
            Value::Text(text.slice(start..end.max(start)))
        }
        ("trim", [], last @ Value::Yaml(_)) => last,
        _ => Value::Unknown,
    }
}

/// The path of the value that a function changes.
fn changed(name: &str, values: &[Value]) -> Option<Vec<Step>> {
    match (name, values) {
        ("set" | "unset", [map, key, ..]) => match inside(map, key) {
            Value::At(path) => Some(path),
            _ => None,
        },
        (
            "merge" | "mustMerge" | "mergeOverwrite" | "mustMergeOverwrite",
            [Value::At(path), ..],
        ) => Some(path.clone()),
        _ => None,
    }
}

/// Calls a function that chooses, combines or converts values. `None` if it is none of these.
fn combine(name: &str, values: &[Value]) -> Option<Value> {
    Some(match (name, values) {
        (
            "toYaml" | "toJson" | "toRawJson" | "toPrettyJson" | "toYamlPretty" | "mustToYaml"
            | "mustToJson",
            [value],
        ) => as_yaml(value),
        ("fromYaml" | "fromYamlArray" | "fromJson" | "fromJsonArray", [Value::Yaml(value)]) => {
            (**value).clone()
        }
        ("deepCopy" | "mustDeepCopy" | "uniq", [value]) | ("required", [_, value]) => value.clone(),
        ("tpl", [value, _]) => value.clone(),
        ("default", [_, Value::Text(text)]) if !text.text().is_empty() => Value::Text(text.clone()),
        ("default", [otherwise, value]) => first(&[value.clone(), otherwise.clone()]),
        ("coalesce" | "or", [_, ..]) => first(values),
        ("ternary", [one, other, _]) => either(&[one.clone(), other.clone()]),
        ("concat", [_, ..]) => Value::All(values.to_vec()),
        ("index" | "get", [value, keys @ ..]) => keys
            .iter()
            .fold(value.clone(), |value, key| inside(&value, key)),
        ("dig", [keys @ .., otherwise, value]) => {
            let found = keys
                .iter()
                .fold(value.clone(), |value, key| inside(&value, key));
            first(&[found, otherwise.clone()])
        }
        ("dict", fields) => dict(fields),
        ("list", items) => Value::List(items.to_vec()),
        // Later maps only add to earlier ones, or replace their fields.
        ("merge" | "mustMerge", maps) => merge(maps.iter()),
        ("mergeOverwrite" | "mustMergeOverwrite", maps) => merge(maps.iter().rev()),
        _ => return None,
    })
}

fn as_yaml(value: &Value) -> Value {
    match value {
        Value::Unknown => Value::Unknown,
        Value::Text(text) => Value::Text(text.clone()),
        Value::Yaml(_) => Value::Unknown,
        other => Value::Yaml(Box::new(other.clone())),
    }
}

/// The first value that is not empty.
fn first(values: &[Value]) -> Value {
    let mut some: Vec<Value> = Vec::new();
    for value in values.iter().filter(|value| !value.is_empty()) {
        match value {
            Value::First(inner) => some.extend(inner.iter().cloned()),
            other => some.push(other.clone()),
        }
    }
    match some.as_slice() {
        [only] => only.clone(),
        _ => Value::First(some),
    }
}

/// One of two values. A text is printed as it is, and anything else as YAML.
fn either(values: &[Value]) -> Value {
    match values {
        [one, Value::Yaml(other)] | [Value::Yaml(other), one] if **other == *one => {
            Value::Yaml(Box::new(one.clone()))
        }
        _ => Value::Either(values.to_vec()),
    }
}

fn inside(value: &Value, key: &Value) -> Value {
    match (value, key) {
        (Value::List(items), Value::Number(at)) => usize::try_from(*at)
            .ok()
            .and_then(|at| items.get(at))
            .cloned()
            .unwrap_or(Value::Unknown),
        (value, Value::Text(text)) if text.open_because().is_none() => value.field(text.text()),
        _ => Value::Unknown,
    }
}

fn dict(fields: &[Value]) -> Value {
    let mut made = Vec::new();
    for pair in fields.chunks(2) {
        match pair {
            [Value::Text(key), value] if key.open_because().is_none() => {
                made.push((key.text().to_owned(), value.clone()));
            }
            _ => return Value::Unknown,
        }
    }
    Value::Map(made, None)
}

/// One map of several, the most important one first.
fn merge<'v>(maps: impl Iterator<Item = &'v Value> + Clone) -> Value {
    let is_own = |map: &Value| matches!(map, Value::Map(..) | Value::Top);
    if !maps.clone().any(is_own) {
        return Value::All(maps.cloned().collect());
    }
    let mut merged: Option<Value> = None;
    for map in maps {
        merged = Some(match merged {
            None => map.clone(),
            Some(above) => over(above, map),
        });
    }
    merged.unwrap_or(Value::Unknown)
}

/// A map over another one.
fn over(above: Value, below: &Value) -> Value {
    match above {
        Value::Map(fields, None) => Value::Map(fields, Some(Box::new(below.clone()))),
        Value::Map(fields, Some(rest)) => Value::Map(fields, Some(Box::new(over(*rest, below)))),
        _ => Value::Unknown,
    }
}

/// What a well-known template prints. Most charts do not have the library that defines it beside them, and others copy it
/// under their own name.
pub fn printed_by_known(name: &str, value: &Value) -> Option<Value> {
    let is_known = [".tplvalues.render", ".tplValue"]
        .iter()
        .any(|end| name.ends_with(end));
    let inner = value.field("value");
    (is_known && inner != Value::Unknown).then(|| Value::Yaml(Box::new(inner)))
}
