//! JSON patches (RFC 6902), as the library that kustomize uses applies them: an index may count from the end, and
//! `replace` may create a key.

use super::value::{Data, Entry, Value};
use crate::source::Span;

/// Applies the operations of a patch to an object.
///
/// # Errors
/// Returns the place of the operation that does not apply, and the reason. The object is as before then.
pub fn apply(object: &mut Value, operations: &Value) -> Result<(), (Span, String)> {
    // What a copy shares is copied before it is changed, so there is none where the first error comes before any change.
    let is_whole = |operation: &Value| operation.get("op").and_then(Value::word) != Some("move");
    let before = match operations.items() {
        [single] if is_whole(single) => None,
        _ => Some(object.clone()),
    };
    for operation in operations.items() {
        if let Err(why) = one(object, operation) {
            if let Some(before) = before {
                *object = before;
            }
            return Err((operation.at, why));
        }
    }
    Ok(())
}

/// Whether a value looks like a list of operations.
pub fn is_patch(value: &Value) -> bool {
    let items = value.items();
    !items.is_empty() && items.iter().all(|item| item.get("op").is_some())
}

fn one(object: &mut Value, operation: &Value) -> Result<(), String> {
    let word = |key: &str| operation.get(key).and_then(Value::word);
    let pointer = |key: &str| {
        let text = word(key).ok_or_else(|| format!("it has no `{key}`"))?;
        steps(text)
    };
    let path_at = operation.get("path").map_or(operation.at, |path| path.at);
    let value = || {
        let null = Value {
            at: operation.at,
            data: Data::Null(true),
        };
        operation.get("value").cloned().unwrap_or(null)
    };
    match word("op").unwrap_or_default() {
        "add" => add(object, &pointer("path")?, value(), path_at),
        "remove" => remove(object, &pointer("path")?).map(|_| ()),
        "replace" => replace(object, &pointer("path")?, value(), path_at),
        "move" => {
            let moved = remove(object, &pointer("from")?)?;
            add(object, &pointer("path")?, moved, path_at)
        }
        "copy" => {
            let copied = find(object, &pointer("from")?)?.clone();
            add(object, &pointer("path")?, copied, path_at)
        }
        "test" => {
            let found = find(object, &pointer("path")?)?;
            match found.means(&value()) {
                true => Ok(()),
                false => Err("its test fails".to_owned()),
            }
        }
        other => Err(format!("`{other}` is no operation")),
    }
}

/// The steps of a JSON pointer.
fn steps(pointer: &str) -> Result<Vec<String>, String> {
    let rest = pointer.strip_prefix('/');
    let rest = rest.ok_or_else(|| format!("`{pointer}` does not begin with `/`"))?;
    let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
    Ok(rest.split('/').map(step).collect())
}

fn missing(step: &str) -> String {
    format!("there is no `{step}` in the object")
}

/// The position that a step means in a list with this many places.
fn position(step: &str, length: usize) -> Option<usize> {
    let at: i64 = step.parse().ok()?;
    let at = match at < 0 {
        true => i64::try_from(length).ok()? + at,
        false => at,
    };
    usize::try_from(at).ok().filter(|at| *at < length)
}

fn child<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match &value.data {
        Data::Map(_) => value.get(step),
        Data::List(items) => items.get(position(step, items.len())?),
        _ => None,
    }
}

fn find<'v>(object: &'v Value, path: &[String]) -> Result<&'v Value, String> {
    path.iter().try_fold(object, |value, step| {
        child(value, step).ok_or_else(|| missing(step))
    })
}

/// The value that holds the last step of a path, and that step.
fn holder<'v, 's>(
    object: &'v mut Value,
    path: &'s [String],
) -> Result<(&'v mut Value, &'s str), String> {
    let (last, above) = path.split_last().ok_or("its path is empty")?;
    let mut at = object;
    for step in above {
        // Check first, so that nothing is copied for a patch that does not apply.
        child(at, step).ok_or_else(|| missing(step))?;
        let index = match &at.data {
            Data::List(items) => position(step, items.len()),
            _ => None,
        };
        let next = at.child_mut(step, index);
        at = next.ok_or_else(|| missing(step))?;
    }
    match at.data {
        Data::Map(_) | Data::List(_) => Ok((at, last)),
        _ => Err(missing(last)),
    }
}

fn put(holder: &mut Value, step: &str, value: Value, key_at: Span) {
    holder.set(Entry {
        key: step.into(),
        key_at,
        value,
    });
}

fn add(object: &mut Value, path: &[String], value: Value, at: Span) -> Result<(), String> {
    let (holder, step) = holder(object, path)?;
    let Some(items) = holder.items_mut() else {
        put(holder, step, value, at);
        return Ok(());
    };
    let index = match step {
        "-" => items.len(),
        step => position(step, items.len() + 1).ok_or_else(|| missing(step))?,
    };
    items.insert(index, value);
    Ok(())
}

fn replace(object: &mut Value, path: &[String], value: Value, at: Span) -> Result<(), String> {
    let (holder, step) = holder(object, path)?;
    let Some(items) = holder.items_mut() else {
        put(holder, step, value, at);
        return Ok(());
    };
    let index = position(step, items.len());
    let known = index.and_then(|index| items.get_mut(index));
    *known.ok_or_else(|| missing(step))? = value;
    Ok(())
}

fn remove(object: &mut Value, path: &[String]) -> Result<Value, String> {
    let (holder, step) = holder(object, path)?;
    if let Some(items) = holder.items_mut() {
        let index = position(step, items.len()).ok_or_else(|| missing(step))?;
        return Ok(items.remove(index));
    }
    let entries = holder.entries_mut().ok_or_else(|| missing(step))?;
    let index = entries.iter().position(|entry| &*entry.key == step);
    Ok(entries.remove(index.ok_or_else(|| missing(step))?).value)
}
