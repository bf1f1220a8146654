//! Strategic merge patches, as kustomize applies them (`kyaml/yaml/merge2` and `kyaml/yaml/walk`).

use std::collections::HashMap;
use std::sync::Arc;

use super::schema::Shape;
use super::value::{Data, Entry, Value};

/// The key of a directive.
const DIRECTIVE: &str = "$patch";

/// How many keys two maps may have before they are compared by an index.
const FEW: usize = 16;

/// What a patch says about a map or a list as a whole.
#[derive(Clone, Copy, PartialEq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

impl Directive {
    fn of(word: Option<&str>) -> Result<Directive, String> {
        match word {
            None | Some("merge") => Ok(Directive::Merge),
            Some("replace") => Ok(Directive::Replace),
            Some("delete") => Ok(Directive::Delete),
            Some(other) => Err(format!("`{DIRECTIVE}: {other}` is not known")),
        }
    }
}

/// Applies a patch to an object. Returns `None` if nothing of the object remains.
///
/// # Errors
/// Returns the reason why kustomize refuses the patch.
pub fn merge(object: &Value, patch: &Value, shape: &Shape) -> Result<Option<Value>, String> {
    walk(Some(object), Some(patch), shape)
}

fn walk(
    dest: Option<&Value>,
    patch: Option<&Value>,
    shape: &Shape,
) -> Result<Option<Value>, String> {
    if let (Some(dest), None) = (dest, patch) {
        return Ok(match &dest.data {
            Data::Null(written) => written.then(|| dest.clone()),
            _ => Some(clean(dest, shape).unwrap_or_else(|| dest.clone())),
        });
    }
    let first = [dest, patch]
        .into_iter()
        .flatten()
        .find(|one| !one.is_null());
    let Some(first) = first else {
        return Ok(None);
    };
    let other = patch.filter(|patch| !patch.is_null() && !is_alike(first, patch));
    if let Some(other) = other {
        return Err(format!(
            "it has {} where the object has {}",
            describe(other),
            describe(first)
        ));
    }
    match &first.data {
        Data::Map(_) => walk_map(dest, patch, shape),
        Data::List(_) => match shape {
            Shape::List(keys, items) => walk_list(dest, patch, keys, items),
            Shape::Plain | Shape::Map(_) => Ok(patch.cloned()),
        },
        Data::Unknown(_) => Ok(Some(first.clone())),
        Data::Text(_) | Data::Plain(_) | Data::Null(_) => Ok(patch.cloned()),
    }
}

fn is_alike(one: &Value, other: &Value) -> bool {
    let sort = |value: &Value| match value.data {
        Data::Map(_) => 0,
        Data::List(_) => 1,
        Data::Text(_) | Data::Plain(_) | Data::Null(_) => 2,
        Data::Unknown(_) => 3,
    };
    sort(one) == sort(other) || sort(one) == 3 || sort(other) == 3
}

fn describe(value: &Value) -> &'static str {
    match value.data {
        Data::Map(_) => "a map",
        Data::List(_) => "a list",
        _ => "a single value",
    }
}

/// A map without its directive.
fn without_directive(map: &Value) -> Value {
    let mut map = map.clone();
    if map.entry(DIRECTIVE).is_some()
        && let Some(entries) = map.entries_mut()
    {
        entries.retain(|entry| &*entry.key != DIRECTIVE);
    }
    map
}

fn walk_map(
    dest: Option<&Value>,
    patch: Option<&Value>,
    shape: &Shape,
) -> Result<Option<Value>, String> {
    let Some(patch) = patch.filter(|patch| !patch.is_null()) else {
        return Ok(None);
    };
    let word = patch.get(DIRECTIVE).map(|value| value.word().unwrap_or(""));
    let directive = Directive::of(word);
    let own = without_directive(patch);
    let (base, patch) = match dest.filter(|dest| !dest.is_null()) {
        // What is wrong with a directive for a map that does not exist is not an error.
        None if directive == Ok(Directive::Delete) => return Ok(None),
        None => (own.clone(), own),
        Some(dest) => match directive? {
            Directive::Delete => return Ok(None),
            Directive::Replace => (own.clone(), own),
            Directive::Merge => (without_directive(dest), own),
        },
    };
    let mut merged = Vec::with_capacity(base.entries().len());
    let index = index(&patch);
    for entry in base.entries() {
        let over = match &index {
            Some(index) => index.get(&*entry.key).copied(),
            None => patch.entry(&entry.key),
        };
        let over_value = over.map(|over| &over.value);
        let inner = shape.field(&entry.key);
        let Some(value) = walk(Some(&entry.value), over_value, inner)? else {
            continue;
        };
        let is_dropped = value.is_null() && over.is_some();
        if !is_dropped {
            merged.push(Entry {
                key: Arc::clone(&entry.key),
                key_at: key_place(entry, over, &value),
                value,
            });
        }
    }
    let known = self::index(&base);
    for entry in patch.entries() {
        let is_known = match &known {
            Some(known) => known.contains_key(&*entry.key),
            None => base.entry(&entry.key).is_some(),
        };
        if is_known {
            continue;
        }
        let value = walk(None, Some(&entry.value), shape.field(&entry.key))?;
        if let Some(value) = value.filter(|value| !value.is_null()) {
            merged.push(Entry {
                value,
                ..entry.clone()
            });
        }
    }
    Ok(Some(Value {
        at: base.at,
        data: Data::Map(Arc::new(merged)),
    }))
}

/// A value that comes from the patch has the patch's key, too.
fn key_place(entry: &Entry, over: Option<&Entry>, value: &Value) -> crate::source::Span {
    match over {
        Some(over) if value.at == over.value.at => over.key_at,
        _ => entry.key_at,
    }
}

/// The entries of a large map by their keys.
fn index(map: &Value) -> Option<HashMap<&str, &Entry>> {
    let entries = map.entries();
    (entries.len() > FEW).then(|| entries.iter().map(|entry| (&*entry.key, entry)).collect())
}

/// The values of the merge keys of an item.
fn keys_of<'v>(item: &'v Value, keys: &[&str]) -> Option<Vec<&'v str>> {
    keys.iter().map(|key| item.get(key)?.word()).collect()
}

fn walk_list(
    dest: Option<&Value>,
    patch: Option<&Value>,
    keys: &[&str],
    shape: &Shape,
) -> Result<Option<Value>, String> {
    let Some(patch) = patch.filter(|patch| !patch.is_null()) else {
        return Ok(None);
    };
    let mut own = patch.clone();
    let dest = dest.filter(|dest| !dest.is_null());
    let base = match dest {
        None => own.clone(),
        Some(dest) => match list_directive(&mut own)? {
            Directive::Delete => return Ok(None),
            Directive::Replace => own.clone(),
            Directive::Merge => dest.clone(),
        },
    };
    let all = || own.items().iter().chain(base.items());
    if all().any(|item| keys_of(item, keys).is_none()) {
        let why = format!("an item has no {}", keys.join(" and no "));
        return Ok(Some(Value::unknown(&why, patch.at)));
    }
    let by_key = |list: &Value| -> HashMap<Vec<String>, Value> {
        let keyed = list.items().iter().rev().filter_map(|item| {
            let key = keys_of(item, keys)?;
            Some((key.into_iter().map(str::to_owned).collect(), item.clone()))
        });
        keyed.collect()
    };
    let (patched, based) = (by_key(&own), by_key(&base));
    let mut seen = std::collections::HashSet::new();
    let mut merged = Vec::new();
    // What is new comes first. With one key, so does everything that the patch mentions.
    let is_new = |item: &&Value| {
        keys.len() == 1
            || keys_of(item, keys).is_some_and(|key| {
                let key: Vec<String> = key.into_iter().map(str::to_owned).collect();
                !based.contains_key(&key)
            })
    };
    for item in own.items().iter().filter(is_new).chain(base.items()) {
        let Some(key) = keys_of(item, keys) else {
            continue;
        };
        let key: Vec<String> = key.into_iter().map(str::to_owned).collect();
        if !seen.insert(key.clone()) {
            continue;
        }
        let value = walk(based.get(&key), patched.get(&key), shape)?;
        let is_left = |value: &Value| {
            let is_empty = matches!(&value.data, Data::Map(entries) if entries.is_empty());
            !value.is_null() && !is_empty
        };
        merged.extend(value.filter(is_left));
    }
    Ok(Some(Value {
        at: base.at,
        data: Data::List(Arc::new(merged)),
    }))
}

/// Takes the item with nothing but a directive out of a list.
fn list_directive(list: &mut Value) -> Result<Directive, String> {
    let is_directive = |item: &Value| item.entry(DIRECTIVE).is_some();
    let Some(item) = list.items().iter().find(|item| is_directive(item)) else {
        return Ok(Directive::Merge);
    };
    if item.entries().len() > 1 {
        return Ok(Directive::Merge);
    }
    let word = item.get(DIRECTIVE).map(|value| value.word().unwrap_or(""));
    let directive = Directive::of(word)?;
    if let Some(items) = list.items_mut() {
        items.retain(|item| !(is_directive(item) && item.entries().len() == 1));
    }
    Ok(directive)
}

/// Drops keys without a value from maps, as every merge does. `None` if there are none.
fn clean(value: &Value, shape: &Shape) -> Option<Value> {
    match (&value.data, shape) {
        (Data::Map(entries), _) => {
            let mut cleaned: Option<Vec<Entry>> = None;
            for (at, entry) in entries.iter().enumerate() {
                if matches!(entry.value.data, Data::Null(false)) {
                    cleaned.get_or_insert_with(|| entries.iter().take(at).cloned().collect());
                    continue;
                }
                let inner = clean(&entry.value, shape.field(&entry.key));
                match (inner, &mut cleaned) {
                    (None, None) => {}
                    (None, Some(kept)) => kept.push(entry.clone()),
                    (Some(value), kept) => {
                        let kept =
                            kept.get_or_insert_with(|| entries.iter().take(at).cloned().collect());
                        kept.push(Entry {
                            value,
                            ..entry.clone()
                        });
                    }
                }
            }
            cleaned.map(|cleaned| Value {
                at: value.at,
                data: Data::Map(Arc::new(cleaned)),
            })
        }
        (Data::List(items), Shape::List(_, inner)) => {
            let cleaned: Vec<Option<Value>> = items.iter().map(|item| clean(item, inner)).collect();
            if cleaned.iter().all(Option::is_none) {
                return None;
            }
            let both = items.iter().zip(cleaned);
            let items = both.map(|(item, cleaned)| cleaned.unwrap_or_else(|| item.clone()));
            Some(Value {
                at: value.at,
                data: Data::List(Arc::new(items.collect())),
            })
        }
        _ => None,
    }
}
