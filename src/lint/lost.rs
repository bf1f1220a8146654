//! Entries of lists that a patch replaces as a whole and that are lost because of it.

use crate::extract::{FileFacts, is_placeholder};
use crate::finding::{Label, Object as Identity};
use crate::kustomize::{Object, Replaced, Value};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::redundancy::covers;
use crate::model::toleration::Toleration;
use crate::model::workload::Level;
use crate::model::{Field, Truth};

/// Notices about the entries that an object loses to patches. `facts` are those of the object in the end.
pub fn notices(object: &Object, facts: &FileFacts) -> Vec<Notice> {
    let replaced = object.replaced.iter();
    replaced
        .filter_map(|one| notice(object, one, facts))
        .collect()
}

fn notice(object: &Object, replaced: &Replaced, facts: &FileFacts) -> Option<Notice> {
    let field = match replaced.path.last().map(|key| &**key) {
        Some("tolerations") => "tolerations",
        Some("taints") => "taints",
        _ => return None,
    };
    let path: Vec<&str> = replaced.path.iter().map(|key| &**key).collect();
    // An empty list is meant.
    let now = object
        .value
        .at_path(&path)
        .filter(|list| !list.items().is_empty())?;
    let before = replaced.before.value.items();
    let lost: Vec<&Value> = before
        .iter()
        .filter(|known| is_known(known))
        .filter(|known| {
            let mut own = now.items().iter();
            !own.any(|own| !is_known(own) || speaks_of(own, known, field))
        })
        .collect();
    let (first, more) = (lost.first()?, lost.len() - 1);
    let keys: Vec<&str> = lost
        .iter()
        .filter_map(|entry| entry.get("key")?.word())
        .collect();
    let needed = match field {
        "tolerations" => facts.workloads.iter().any(|workload| {
            let asked = workload.shape.asked_keys();
            keys.iter().any(|key| asked.contains(*key))
        }),
        _ => has_label(&object.value, &keys, 0),
    };
    let all: Vec<String> = lost.iter().map(|entry| written(entry)).collect();
    let word = |path: &[&str]| {
        let found = object.value.at_path(path).and_then(Value::word);
        found.map(str::to_owned)
    };
    Some(Notice {
        kind: NoticeKind::ReplacedByPatch {
            field: field.to_owned(),
            lost: match more {
                0 => written(first),
                more => format!("{} and {more} more", written(first)),
            },
            all: all.join(", "),
            needed,
        },
        level: Level::Typed,
        object: Identity {
            api_version: word(&["apiVersion"]).unwrap_or_default(),
            kind: word(&["kind"]).unwrap_or_default(),
            namespace: word(&["metadata", "namespace"]),
            name: word(&["metadata", "name"]),
        },
        span: replaced.after.key_at,
        path: path.join("."),
        related: vec![Label {
            span: replaced.before.key_at,
            message: "this list is replaced".to_owned(),
        }],
    })
}

/// Whether an entry is a map whose fields nothing fills in later.
fn is_known(entry: &Value) -> bool {
    let is_word = |value: &Value| match value.word() {
        Some(word) => !is_placeholder(word),
        None => value.is_null(),
    };
    !entry.entries().is_empty() && entry.entries().iter().all(|field| is_word(&field.value))
}

/// Whether an entry may mean what another means, or deliberately says something else of the same key.
fn speaks_of(own: &Value, known: &Value, field: &str) -> bool {
    let key = |entry: &Value| entry.get("key").and_then(Value::word).map(str::to_owned);
    let (own_key, known_key) = (key(own), key(known));
    if known_key.is_some() && own_key == known_key {
        return true;
    }
    field == "tolerations" && covers(&toleration(own), &toleration(known)) != Truth::No
}

fn toleration(entry: &Value) -> Toleration {
    let text = |name: &str| match entry.get(name) {
        None => Field::Absent,
        Some(value) if value.is_null() => Field::Absent,
        Some(value) => value
            .word()
            .map_or(Field::Unknown, |word| Field::Is(word.to_owned())),
    };
    let seconds = entry.get("tolerationSeconds").and_then(Value::word);
    Toleration {
        key: text("key"),
        operator: text("operator"),
        value: text("value"),
        effect: text("effect"),
        toleration_seconds: match seconds {
            None => Field::Absent,
            Some(word) => word.parse().map_or(Field::Unknown, Field::Is),
        },
    }
}

/// An entry in short, as in `key=value:Effect`.
fn written(entry: &Value) -> String {
    let word = |name: &str| entry.get(name).and_then(Value::word);
    let mut text = word("key").unwrap_or("every key").to_owned();
    if let Some(value) = word("value") {
        text.push_str(&format!("={value}"));
    }
    if let Some(effect) = word("effect") {
        text.push_str(&format!(":{effect}"));
    }
    format!("`{text}`")
}

/// Whether labels somewhere in an object have one of the keys.
fn has_label(value: &Value, keys: &[&str], depth: usize) -> bool {
    const MAX_DEPTH: usize = 12;
    depth < MAX_DEPTH
        && value.entries().iter().any(|entry| {
            let is_labels = ["labels", "nodeLabels"].contains(&&*entry.key);
            (is_labels && keys.iter().any(|key| entry.value.get(key).is_some()))
                || has_label(&entry.value, keys, depth + 1)
        })
}
