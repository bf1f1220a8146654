//! How Go templates print values, and what is known of those that are filled in: whether they are empty, and what is in them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::flows::Flow;
use super::given::{Given, merged};
use super::go_values::Value;
use super::writer::Writer;
use crate::charts::Step;
use crate::source::text::Cut as _;
use crate::yaml::{Field, Kind, Node, Pieces};

const UNKNOWN: &str = "a template action prints it";

/// The maximum depth of values that are printed.
const MAX_DEPTH: usize = 24;

/// Writes a value.
pub fn print(value: Value, at: Range<usize>, writer: &mut Writer<'_>) {
    match value {
        Value::Number(number) => writer.made(&number.to_string(), at),
        Value::Text(text) => writer.pieces(&text),
        value => {
            let given = writer.given();
            if let Some(text) =
                given.and_then(|given| print_given(given, &value, false, &at, writer))
            {
                return writer.pieces(&text);
            }
            let flow = Flow {
                origin: value.origin(),
                is_yaml: value.is_yaml(),
            };
            writer.unknown(UNKNOWN, at, flow);
        }
    }
}

/// Whether a template takes a value for true, if that is known.
pub fn truth(given: &Given<'_>, value: &Value) -> Option<bool> {
    match value {
        Value::At(steps) => given.truth(steps),
        Value::Text(text) if text.open_because().is_none() => Some(!text.text().is_empty()),
        Value::Number(number) => Some(*number != 0),
        Value::First(all) => {
            for one in all {
                if truth(given, one)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        Value::Yaml(inner) => truth(given, inner),
        _ => None,
    }
}

/// The items of a list or the values of a map, each with its key and its path, if they are known.
pub fn children<'v>(given: &Given<'v>, value: &Value) -> Option<Vec<(Option<Node<'v>>, Value)>> {
    let steps = match chosen(given, value)? {
        Value::At(steps) => steps.clone(),
        _ => return None,
    };
    let inside = |key: &str| {
        let step = Step::Key(key.to_owned());
        Value::At(steps.iter().cloned().chain([step]).collect())
    };
    let found = given.at(&steps)?;
    let Some(first) = found.first() else {
        return Some(Vec::new());
    };
    if first.kind() == Kind::Sequence {
        let items = first.items().enumerate();
        return Some(
            items
                .map(|(at, _)| (None, inside(&at.to_string())))
                .collect(),
        );
    }
    // Templates take keys in order.
    let mut fields: BTreeMap<&str, Field<'v>> = BTreeMap::new();
    for field in found.iter().flat_map(|one| one.fields()) {
        fields.entry(field.name()?).or_insert(field);
    }
    // A null takes away what it is laid over.
    fields.retain(|_, field| given.layers.len() == 1 || !field.value.is_null());
    let all = fields.into_iter().map(|(name, field)| (name, field.key));
    Some(all.map(|(name, key)| (Some(key), inside(name))).collect())
}

/// The value that counts of several, of which the first that is not empty does.
fn chosen<'w>(given: &Given<'_>, value: &'w Value) -> Option<&'w Value> {
    match value {
        Value::First(all) => {
            for one in all {
                if truth(given, one)? {
                    return chosen(given, one);
                }
            }
            all.last()
        }
        other => Some(other),
    }
}

/// How a value is printed, in quotes if it is asked for. `None` if that is not known.
pub fn print_given(
    given: &Given<'_>,
    value: &Value,
    in_quotes: bool,
    at: &Range<usize>,
    writer: &mut Writer<'_>,
) -> Option<Pieces> {
    let (value, is_yaml) = match value {
        Value::Yaml(inner) => (chosen(given, inner)?, true),
        other => (chosen(given, other)?, false),
    };
    match value {
        Value::Text(text) if in_quotes && text.open_because().is_none() => {
            let quoted = serde_json::Value::from(text.text()).to_string();
            Some(writer.take(|writer| writer.made(&quoted, at.clone())))
        }
        Value::Text(text) => Some(text.clone()),
        Value::At(steps) => {
            let found = given.at(steps)?;
            let mut pieces = Pieces::default();
            match (found.as_slice(), is_yaml) {
                ([], _) if in_quotes => pieces.push_made("\"\"", writer.place(at.clone())),
                ([], true) => pieces.push_made("null", writer.place(at.clone())),
                // Helm prints nothing where there is no value.
                ([], false) => pieces.push_made("", writer.place(at.clone())),
                ([only], false) if only.is_null() && !in_quotes => {
                    pieces.push_made("", only.span());
                }
                // JSON stands behind its key.
                (all, true) if writer.has_begun_line() => flow(given, all, &mut pieces, 0)?,
                (all, true) => block(given, all, &mut pieces)?,
                ([only], false) => {
                    let text = only.raw().filter(|_| only.kind() == Kind::Scalar)?;
                    let quoted = || serde_json::Value::from(text).to_string();
                    let text = match in_quotes {
                        true => quoted(),
                        false => text.to_owned(),
                    };
                    pieces.push_made(&text, only.span());
                }
                _ => return None,
            }
            Some(pieces)
        }
        _ => None,
    }
}

/// Writes a value, of which each layer is laid over those behind it, with a line for each item or field.
fn block(given: &Given<'_>, layers: &[Node<'_>], pieces: &mut Pieces) -> Option<()> {
    let first = layers.first()?;
    match first.kind() {
        Kind::Mapping if layers.iter().any(|one| !one.fields().is_empty()) => {
            for (index, (key, value)) in merged(layers).into_iter().enumerate() {
                if index > 0 {
                    pieces.push_made("\n", key.span());
                }
                flow(given, &[key], pieces, 0)?;
                pieces.push_made(": ", key.span());
                flow(given, &value, pieces, 0)?;
            }
        }
        Kind::Sequence if first.items().next().is_some() => {
            for (index, item) in first.items().enumerate() {
                let mark = if index > 0 { "\n- " } else { "- " };
                pieces.push_made(mark, item.span());
                flow(given, &[item], pieces, 0)?;
            }
        }
        _ => flow(given, layers, pieces, 0)?,
    }
    Some(())
}

/// Writes a value, of which each layer is laid over those behind it, on one line. `None` if something else decides a part of
/// it.
fn flow(given: &Given<'_>, layers: &[Node<'_>], pieces: &mut Pieces, depth: usize) -> Option<()> {
    let node = layers.first().filter(|_| depth <= MAX_DEPTH)?;
    let at = node.span();
    match node.kind() {
        Kind::Scalar if given.is_open(*node) => return None,
        Kind::Scalar => {
            let text = match (node.as_str(), node.raw()) {
                (Some(text), _) => serde_json::Value::from(text).to_string(),
                (None, _) if node.is_null() => "null".to_owned(),
                (None, Some(text)) => text.to_owned(),
                (None, None) => return None,
            };
            pieces.push_made(&text, at);
        }
        Kind::Sequence => {
            pieces.push_made("[", at);
            for (index, item) in node.items().enumerate() {
                if index > 0 {
                    pieces.push_made(", ", item.span());
                }
                flow(given, &[item], pieces, depth + 1)?;
            }
            pieces.push_made("]", at);
        }
        Kind::Mapping => {
            pieces.push_made("{", at);
            for (index, (key, value)) in merged(layers).into_iter().enumerate() {
                if index > 0 {
                    pieces.push_made(", ", key.span());
                }
                flow(given, &[key], pieces, depth + 1)?;
                pieces.push_made(": ", key.span());
                flow(given, &value, pieces, depth + 1)?;
            }
            pieces.push_made("}", at);
        }
    }
    Some(())
}

/// Begins a line for the value of an action that is alone on its line. If `{{-` removes the line break before it, the
/// value brings one of its own, unless it is known.
pub fn begin_line(text: &str, value: &Value, at: &Range<usize>, writer: &mut Writer<'_>) {
    let before = text.until(at.start);
    let line = before.since(before.rfind('\n').map_or(0, |end| end + 1));
    let Some(column) = line.find("{{-").filter(|_| line.trim() == "{{-") else {
        return;
    };
    let is_open = match value {
        Value::Text(text) => !text.text().starts_with('\n') && text.open_because().is_some(),
        Value::Number(_) => false,
        _ => true,
    };
    if !is_open || !writer.is_within_line() {
        return;
    }
    let indentation = match value {
        Value::Text(_) => 0,
        _ => column,
    };
    writer.made(&format!("\n{}", " ".repeat(indentation)), at.clone());
}
