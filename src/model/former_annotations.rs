//! Parses the annotations that contained taints and tolerations before these became fields. The API server no longer reads
//! them but still validates them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::Field;
use super::taint::Taint;
use super::toleration::Toleration;

/// The annotation of pods and pod templates.
pub const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
/// The annotation of nodes.
pub const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";

/// Parses the annotation [`TOLERATIONS`] as Go's JSON decoder does: an empty string and `null` are an empty list, field
/// names are case-insensitive, the last duplicate counts, and unknown fields are skipped. The error is one sentence.
pub fn tolerations(text: &str) -> Result<Vec<Toleration>, String> {
    let read = |entry: &Entry| {
        Ok(Toleration {
            key: entry.text("key")?,
            operator: entry.text("operator")?,
            value: entry.text("value")?,
            effect: entry.text("effect")?,
            toleration_seconds: entry.whole_number("tolerationSeconds")?,
        })
    };
    list(text)?.iter().map(read).collect()
}

/// Parses the annotation [`TAINTS`] in the same way.
pub fn taints(text: &str) -> Result<Vec<Taint>, String> {
    let read = |entry: &Entry| {
        Ok(Taint {
            key: entry.text("key")?,
            value: entry.text("value")?,
            effect: entry.text("effect")?,
        })
    };
    list(text)?.iter().map(read).collect()
}

fn list(text: &str) -> Result<Vec<Entry>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let list: Option<Vec<Option<Entry>>> = serde_json::from_str(text)
        .map_err(|error| format!("must be a list of objects in JSON: {error}"))?;
    // `null` is an entry without fields.
    let entries = list.unwrap_or_default().into_iter();
    Ok(entries.map(Option::unwrap_or_default).collect())
}

/// The fields of an object, in source order.
#[derive(Default)]
struct Entry(Vec<(String, Value)>);

impl Entry {
    /// Returns every field with this name, case-insensitively.
    fn named(&self, name: &str) -> impl Iterator<Item = &Value> {
        let fields = self.0.iter();
        let named = fields.filter(move |(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Result<Field<String>, String> {
        let mut read = Field::Absent;
        for value in self.named(name) {
            match value {
                // `null` keeps the value of an earlier field.
                Value::Null => {}
                Value::String(text) => read = Field::Is(text.clone()),
                other => return Err(format!("`{name}` must be a text, not {other}")),
            }
        }
        Ok(read)
    }

    fn whole_number(&self, name: &str) -> Result<Field<i64>, String> {
        let mut read = Field::Absent;
        for value in self.named(name) {
            read = match value {
                Value::Null => Field::Absent,
                number => Field::Is(
                    number
                        .as_i64()
                        .ok_or_else(|| format!("`{name}` must be a whole number, not {number}"))?,
                ),
            };
        }
        Ok(read)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entry, M::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Entry(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
