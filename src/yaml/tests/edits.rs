//! Changes of a text: what they change, and above all what they do not change.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::super::edit::{Change, Replacement, Target, apply, change};
use super::super::{Document, Field, Kind, Node, Scalar, parse};
use crate::source::SourceId;

/// The tree as plain data, with aliases and merges resolved.
fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Mapping => {
            let mut map = Map::new();
            for field in node.fields() {
                map.insert(
                    field.name().unwrap_or_default().to_owned(),
                    value(field.value),
                );
            }
            Value::Object(map)
        }
        Kind::Sequence => Value::Array(node.items().map(value).collect()),
        Kind::Scalar => match node.scalar() {
            Some(Scalar::Str(text)) => json!(text),
            Some(Scalar::Bool(value)) => json!(value),
            Some(Scalar::Int(value)) => json!(value),
            _ => json!(node.raw().map(|raw| ["?", raw])),
        },
    }
}

fn values(text: &str) -> Vec<Value> {
    let stream = parse(text, SourceId(0));
    assert_eq!(stream.errors, [], "{text}");
    stream
        .documents
        .iter()
        .map(|one| value(one.root()))
        .collect()
}

/// Applies a change to the field `x`, or to the item that has a field `x`.
fn changed(text: &str, target: Target, what: &Change) -> Option<String> {
    let stream = parse(text, SourceId(0));
    assert_eq!(stream.errors, [], "{text}");
    let document = &stream.documents[0];
    let mut pending = vec![document.root()];
    let mut place = None;
    while let Some(node) = pending.pop() {
        for field in node.written_fields() {
            if field.name() == Some("x") {
                place.get_or_insert(match target {
                    Target::Field => field.span(),
                    Target::Item => node.written_at(),
                });
            }
            pending.push(field.value);
        }
        pending.extend(node.items());
    }
    let done = change(document, text, (target, place.expect("a field x")), what)?;
    Some(apply(text, &[done]))
}

#[track_caller]
fn removed(text: &str, expected: &str) {
    let got = changed(text, Target::Field, &Change::Remove);
    assert_eq!(got.as_deref(), Some(expected), "{text}");
    values(expected);
}

#[test]
fn a_removed_field_takes_its_line_and_nothing_else() {
    removed("a: 1\nx: 2\nb: 3\n", "a: 1\nb: 3\n");
    removed("a: 1\r\nx: 2\r\nb: 3\r\n", "a: 1\r\nb: 3\r\n");
    removed("a: 1\nx: 2", "a: 1");
    removed("a: 1\r\nx: 2", "a: 1");
    removed("a: 1\n\nx: 2", "a: 1");
    removed("a: 1\nx: 2  # why\nb: 3\n", "a: 1\n# why\nb: 3\n");
    removed("# top\nx: 2\n# of b\nb: 3\n", "# top\n# of b\nb: 3\n");
    removed("a: 1\nx:\n  - y\n  - z\nb: 3\n", "a: 1\nb: 3\n");
    removed("a: 1\nx: |\n  y\n  z\nb: 3\n", "a: 1\nb: 3\n");
}

#[test]
fn blank_lines_around_what_goes_are_not_doubled() {
    removed("a: 1\n\nx: 2\n\nb: 3\n", "a: 1\n\nb: 3\n");
    removed("a: 1\r\n\r\nx: 2\r\n\r\nb: 3\r\n", "a: 1\r\n\r\nb: 3\r\n");
    removed("a: 1\n\nx: 2\nb: 3\n", "a: 1\n\nb: 3\n");
    removed("a: 1\nx: 2\n\nb: 3\n", "a: 1\n\nb: 3\n");
    removed("a: 1\n \n\nx: 2\n", "a: 1\n");
    removed("c:\n  a: 1\n\n  x: 2\nb: 3\n", "c:\n  a: 1\nb: 3\n");
    removed("a: 1\n\nx: 2\n# why\n", "a: 1\n\n# why\n");
    removed("a: 1\n\nx: 2\n...\n", "a: 1\n...\n");
    // These blank lines are part of the text.
    removed("a: |+\n  y\n\nx: 2\n\nb: 3\n", "a: |+\n  y\n\n\nb: 3\n");
}

#[test]
fn the_dash_stays_when_the_first_field_of_an_item_goes() {
    removed("- x: 2\n  a: 1\n", "- a: 1\n");
    removed("-   x: 2\n    a: 1\n", "-   a: 1\n");
    removed("- x: 2 # why\n  a: 1\n", "- # why\n  a: 1\n");
    removed("- x: 2\n  # of a\n  a: 1\n", "- # of a\n  a: 1\n");
    removed("- a: 1\n  x: 2\n- b: 1\n", "- a: 1\n- b: 1\n");
}

#[test]
fn in_flow_style_a_comma_goes_along() {
    removed("- {a: 1, x: 2}\n", "- {a: 1}\n");
    removed("- {x: 2, a: 1}\n", "- {a: 1}\n");
    removed("- {a: 1, x: 2, b: 3}\n", "- {a: 1, b: 3}\n");
    removed("- {x: 2}\n", "- {}\n");
    removed("{\n  \"a\": 1,\n  \"x\": 2\n}\n", "{\n  \"a\": 1\n}\n");
    removed("{\n  \"x\": 2,\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n");
    let commented = "a: {\n  b: 1, # why\n  x: 2}\n";
    assert_eq!(changed(commented, Target::Field, &Change::Remove), None);
}

#[test]
fn a_collection_that_loses_all_that_it_has_stays() {
    removed("a:\n  x: 2\nb: 3\n", "a: {}\nb: 3\n");
    let item = |text: &str| changed(text, Target::Item, &Change::Remove);
    assert_eq!(item("a:\n- x: 2\nb: 3\n").as_deref(), Some("a: []\nb: 3\n"));
    assert_eq!(item("a:\n  - x: 2\n    y: 3\n").as_deref(), Some("a: []\n"));
    assert_eq!(item("a: [{x: 2}]\n").as_deref(), Some("a: []\n"));
    assert_eq!(
        item("a:\n  # why\n  - x: 2\n").as_deref(),
        Some("a: []\n  # why\n")
    );
    assert_eq!(
        item("a: # k\r\n- x: 2 # of x\r\n  y: 3 # end\r\nb: 4\r\n").as_deref(),
        Some("a: [] # k\r\n# of x\r\n# end\r\nb: 4\r\n")
    );
    assert_eq!(item("a:\n- x: 2 # end\n").as_deref(), Some("a: [] # end\n"));
    assert_eq!(item("a: &b\n  - x: 2\nc: *b\n"), None);
}

#[test]
fn a_number_sign_in_quotes_or_in_a_key_is_no_comment() {
    // The only field of a map in explicit form, whose value ends on the line of the colon.
    removed("? a\n: x: \"]#\"\n", "? a\n: {}\n");
    removed("? a\n: x: \"]#\" # why\n", "? a\n: {} # why\n");
    removed("? a # one: two\n: x: 1\n", "? a # one: two\n: {}\n");
    removed("a: 1\nx: \"# no\" # yes\nb: 3\n", "a: 1\n# yes\nb: 3\n");
    removed("- x: \"# no\"\n  a: 1\n", "- a: 1\n");
    removed("a:\n  x: \"y # z\"\nb: 3\n", "a: {}\nb: 3\n");
}

#[test]
fn a_lone_carriage_return_ends_a_line() {
    removed("a: 1\rx: 2\rb: 3\r", "a: 1\rb: 3\r");
    removed("a: 1\rx: 2", "a: 1");
    removed("a:\r  x: 2\rb: 3\r", "a: {}\rb: 3\r");
    removed("- x: 2 # why\r  a: 1\r", "- # why\r  a: 1\r");
}

#[test]
fn a_removed_item_takes_its_lines() {
    let item = |text: &str, expected: &str| {
        let got = changed(text, Target::Item, &Change::Remove);
        assert_eq!(got.as_deref(), Some(expected), "{text}");
        values(expected);
    };
    item("- a: 1\n- x: 2\n  y: 3\n- b: 4\n", "- a: 1\n- b: 4\n");
    item(
        "l:\n  - a: 1\n  # why\n  - x: 2\n    y: 3\n",
        "l:\n  - a: 1\n  # why\n",
    );
    item("- a: 1\n- x: 2 # why\n", "- a: 1\n# why\n");
    let nested = "- -   x: 2\n  - a: 1\n- b: 1\n";
    assert_eq!(changed(nested, Target::Item, &Change::Remove), None);
}

#[test]
fn a_value_keeps_its_quotes() {
    let set = |text: &str, new: &str| changed(text, Target::Field, &Change::Set(new.to_owned()));
    assert_eq!(set("x: a # why\n", "b").as_deref(), Some("x: b # why\n"));
    assert_eq!(set("x: 'a'\n", "it's").as_deref(), Some("x: 'it''s'\n"));
    assert_eq!(
        set("x: \"a\"\n", "b\"\\").as_deref(),
        Some("x: \"b\\\"\\\\\"\n")
    );
    assert_eq!(set("{\"x\": true}", "b").as_deref(), Some("{\"x\": \"b\"}"));
    for needs_quotes in [
        "true", "1", "", "a: b", "- a", "#a", "*a", "~", "1.5", "yes", "0x1",
    ] {
        let new = set("x: a\n", needs_quotes).unwrap();
        assert_eq!(values(&new), [json!({"x": needs_quotes})]);
    }
    assert_eq!(set("x: a\n", "a"), None);
    assert_eq!(set("x:\ny: 1\n", "a").as_deref(), Some("x: a\ny: 1\n"));
    assert_eq!(set("x: # why\n", "a").as_deref(), Some("x: a # why\n"));
    assert_eq!(
        set("{x: , y: 1}\n", "a").as_deref(),
        Some("{x: a , y: 1}\n")
    );
    assert_eq!(set("{x, y: 1}\n", "a"), None);
    assert_eq!(set("{\"x\": b}\n", "a").as_deref(), Some("{\"x\": a}\n"));
    assert_eq!(
        set("x: |-\n  b\ny: 1\n", "a").as_deref(),
        Some("x: a\ny: 1\n")
    );
    assert_eq!(set("y: &a b\nx: *a\n", "c"), None);
}

#[test]
fn quotes_are_put_on_and_taken_off() {
    let quote = |text: &str| changed(text, Target::Field, &Change::Quote);
    assert_eq!(
        quote("x: yes # why\n").as_deref(),
        Some("x: \"yes\" # why\n")
    );
    assert_eq!(quote("{\"x\": 0550}").as_deref(), Some("{\"x\": \"0550\"}"));
    assert_eq!(quote("x: \"yes\"\n"), None);
    let unquote = |text: &str| changed(text, Target::Field, &Change::Unquote);
    assert_eq!(unquote("x: '300'\n").as_deref(), Some("x: 300\n"));
    assert_eq!(unquote("x: '5m'\n"), None);
    assert_eq!(unquote("x: 300\n"), None);
}

#[test]
fn a_key_is_renamed_and_a_field_added() {
    let rename = |text: &str| changed(text, Target::Field, &Change::Rename("name".to_owned()));
    assert_eq!(
        rename("- x: 1 # why\n").as_deref(),
        Some("- name: 1 # why\n")
    );
    assert_eq!(rename("{\"x\": 1}").as_deref(), Some("{\"name\": 1}"));
    let add = |text: &str| {
        let what = Change::Add("op".to_owned(), "Exists".to_owned());
        let new = changed(text, Target::Item, &what);
        if let Some(new) = &new {
            values(new);
        }
        new
    };
    assert_eq!(add("- x: 1\n").as_deref(), Some("- x: 1\n  op: Exists\n"));
    assert_eq!(
        add("- x: 1 # why\r\n- b\r\n").as_deref(),
        Some("- x: 1 # why\r\n  op: Exists\r\n- b\r\n")
    );
    assert_eq!(
        add("- a: 1\n  x: 1").as_deref(),
        Some("- a: 1\n  x: 1\n  op: Exists")
    );
    assert_eq!(add("- {x: 1}\n").as_deref(), Some("- {x: 1, op: Exists}\n"));
    assert_eq!(
        add("[{\"x\": 1}]").as_deref(),
        Some("[{\"x\": 1, \"op\": \"Exists\"}]")
    );
    assert_eq!(
        add("[{\"x\":1}]").as_deref(),
        Some("[{\"x\":1,\"op\":\"Exists\"}]")
    );
    assert_eq!(
        add("[\n  {\n    \"a\": 1,\n    \"x\": 1\n  }\n]\n").as_deref(),
        Some("[\n  {\n    \"a\": 1,\n    \"x\": 1,\n    \"op\": \"Exists\"\n  }\n]\n")
    );
    assert_eq!(
        add("- {\r\n    x: 1,\r\n  }\r\n").as_deref(),
        Some("- {\r\n    x: 1,\r\n    op: Exists,\r\n  }\r\n")
    );
    assert_eq!(
        add("- a: 1\r\n  x: 1").as_deref(),
        Some("- a: 1\r\n  x: 1\r\n  op: Exists")
    );
    assert_eq!(add("- {a: 1, # why\n   x: 1}\n"), None);
    assert_eq!(add("- x: 1\n  op: Equal\n"), None);
    let beside = "name: 2\nx: 1\n";
    let what = Change::Rename("name".to_owned());
    assert_eq!(changed(beside, Target::Field, &what), None);
}

/// Removes every field and item of every fixture, one at a time. The text still parses, and is otherwise unchanged.
#[test]
fn removing_anything_from_real_manifests_leaves_all_else_as_it_was() {
    let files: Vec<_> = walkdir::WalkDir::new("fixtures")
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .collect();
    let (tried, done) = files
        .par_iter()
        .map(|path| remove_each(path))
        .reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
    assert!(done > 1_000, "{done} of {tried}");
    assert!(done * 100 > tried * 95, "{done} of {tried}");
}

/// Returns how many fields and items of a file were tried, and how many could be removed.
fn remove_each(path: &Path) -> (usize, usize) {
    let name = path.to_string_lossy().into_owned();
    if !(name.ends_with(".yaml") || name.ends_with(".json")) {
        return (0, 0);
    }
    let Ok(text) = std::fs::read_to_string(path) else {
        return (0, 0);
    };
    // Each change parses its file again, which takes too long for large files.
    if text.len() > 4_000 {
        return (0, 0);
    }
    let (mut tried, mut done) = (0, 0);
    for text in [text.clone(), text.replace('\n', "\r\n")] {
        let stream = parse(&text, SourceId(0));
        if !stream.errors.is_empty() || text.contains("<<:") || name.contains("duplicate-key") {
            continue;
        }
        let before = values(&text);
        for (at, document) in stream.documents.iter().enumerate() {
            for (target, pointer, node_span) in places(document) {
                tried += 1;
                let Some(gone) = change(document, &text, (target, node_span), &Change::Remove)
                else {
                    continue;
                };
                done += 1;
                check_removed(&name, (&text, before.clone()), at, &pointer, &gone);
            }
        }
    }
    (tried, done)
}

/// Checks that the text without the place has the same content otherwise. `before` is the text with its content.
fn check_removed(
    name: &str,
    before: (&str, Vec<Value>),
    at: usize,
    pointer: &str,
    gone: &Replacement,
) {
    let (text, mut expected) = before;
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match expected[at].pointer_mut(parent).unwrap() {
        Value::Object(map) => {
            map.remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        Value::Array(list) => {
            list.remove(key.parse().unwrap());
        }
        other => panic!("{other}"),
    }
    let new = apply(text, std::slice::from_ref(gone));
    let stream = parse(&new, SourceId(0));
    assert_eq!(stream.errors, [], "{name} without {pointer}:\n{new}");
    let got: Vec<Value> = stream
        .documents
        .iter()
        .map(|one| value(one.root()))
        .collect();
    assert_eq!(got, expected, "{name} without {pointer}:\n{new}");
    let comments = |text: &str| text.matches('#').count();
    assert!(comments(&new) >= comments(text) - comments(&text[gone.range.clone()]));
}

/// Returns all places as JSON pointers, except those in anchored collections, which occur several times.
fn places(document: &Document) -> Vec<(Target, String, crate::source::Span)> {
    let mut found = Vec::new();
    let mut pending = vec![(document.root(), String::new())];
    while let Some((node, pointer)) = pending.pop() {
        for field in node.fields() {
            let twin = |other: &Field<'_>| other.name() == field.name();
            // If a key is written twice, the other one remains.
            if node.written_fields().filter(twin).count() > 1 {
                continue;
            }
            let key = field
                .name()
                .unwrap_or_default()
                .replace('~', "~0")
                .replace('/', "~1");
            let pointer = format!("{pointer}/{key}");
            if field.value.is_alias() {
                return Vec::new();
            }
            found.push((Target::Field, pointer.clone(), field.span()));
            pending.push((field.value, pointer));
        }
        for (index, item) in node.items().enumerate() {
            let pointer = format!("{pointer}/{index}");
            if item.is_alias() {
                return Vec::new();
            }
            found.push((Target::Item, pointer.clone(), item.written_at()));
            pending.push((item, pointer));
        }
    }
    found
}
