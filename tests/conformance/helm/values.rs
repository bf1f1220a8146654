//! Values of charts: what is there by default, and what is put at a path.

use kubetaint::charts::Step;
use serde_json::{Map, Value as Json, json};

/// Values that switch on what is switched off by default.
pub fn switched_on(defaults: &Json) -> Json {
    let mut values = Map::new();
    for (key, value) in defaults.as_object().into_iter().flatten() {
        if ["enabled", "create"].contains(&key.as_str()) && *value == Json::Bool(false) {
            values.insert(key.clone(), Json::Bool(true));
        }
        let inner = switched_on(value);
        if inner.as_object().is_some_and(|inner| !inner.is_empty()) {
            values.insert(key.clone(), inner);
        }
    }
    Json::Object(values)
}

/// The default at a path, as far as it has a single one.
pub fn at<'d>(defaults: &'d Json, steps: &[Step]) -> Option<&'d Json> {
    steps.iter().try_fold(defaults, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::AnyKey => value.as_object()?.values().next(),
        Step::Items => value.get(0),
    })
}

/// Puts a value at a path, and switches on what is around it.
pub fn put(values: &mut Json, defaults: &Json, steps: &[Step], value: &Json) {
    let Some((step, rest)) = steps.split_first() else {
        *values = value.clone();
        return;
    };
    if defaults.get("enabled") == Some(&Json::Bool(false))
        && (!rest.is_empty() || values.is_object())
    {
        if !values.is_object() {
            *values = Json::Object(Map::new());
        }
        values["enabled"] = Json::Bool(true);
    }
    match step {
        Step::Key(key) => {
            if !values.is_object() {
                *values = Json::Object(Map::new());
            }
            let own = defaults.get(key).unwrap_or(&Json::Null);
            put(&mut values[key], own, rest, value);
        }
        Step::AnyKey => {
            if !values.is_object() {
                *values = Json::Object(Map::new());
            }
            let known = defaults.as_object().filter(|known| !known.is_empty());
            let keys = known.map_or_else(
                || vec!["marked".to_owned()],
                |known| known.keys().cloned().collect(),
            );
            for key in keys {
                let own = defaults.get(&key).unwrap_or(&Json::Null);
                put(&mut values[&key], own, rest, value);
            }
        }
        Step::Items => {
            let known = defaults.as_array().filter(|known| !known.is_empty());
            let mut items = match values.as_array() {
                Some(items) => items.clone(),
                None => known
                    .cloned()
                    .unwrap_or_else(|| vec![json!({"name": "marked"})]),
            };
            for item in &mut items {
                let own = item.clone();
                put(item, &own, rest, value);
            }
            *values = Json::Array(items);
        }
    }
}
