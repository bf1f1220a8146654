//! Compares values as far as they are known.

use super::value::Value;

/// Whether two values are equal, or `None` if that is unknown. `budget` limits the number of values compared.
pub(super) fn equal(one: &Value, other: &Value, budget: &mut u32) -> Option<bool> {
    *budget = budget.checked_sub(1)?;
    match (one, other) {
        _ if one.unknown().or(other.unknown()).is_some() => None,
        (Value::Null, Value::Null) => Some(true),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        #[allow(clippy::float_cmp, reason = "as Terraform compares")]
        (Value::Number(a), Value::Number(b)) => Some(a == b),
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::List(a), Value::List(b)) => {
            if a.more.is_some() || b.more.is_some() {
                return None;
            }
            if a.items.len() != b.items.len() {
                return Some(false);
            }
            all(
                a.items
                    .iter()
                    .zip(&b.items)
                    .map(|(a, b)| (&a.value, &b.value)),
                budget,
            )
        }
        (Value::Object(a), Value::Object(b)) => {
            if a.more.is_some() || b.more.is_some() {
                return None;
            }
            if a.fields.len() != b.fields.len()
                || a.fields.iter().any(|one| b.get(&one.key).is_none())
            {
                return Some(false);
            }
            let pairs = a
                .fields
                .iter()
                .filter_map(|one| Some((&one.term.value, &b.get(&one.key)?.value)));
            all(pairs, budget)
        }
        (Value::Encoded(..), _) | (_, Value::Encoded(..)) => None,
        (Value::Filled(text), Value::Text(other)) | (Value::Text(other), Value::Filled(text)) => {
            Some(text.pieces.text() == &**other)
        }
        (Value::Filled(text), Value::Filled(other)) => {
            Some(text.pieces.text() == other.pieces.text())
        }
        _ => Some(false),
    }
}

fn all<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>, budget: &mut u32) -> Option<bool> {
    let mut known = true;
    for (a, b) in pairs {
        match equal(a, b, budget) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = false,
        }
    }
    known.then_some(true)
}
