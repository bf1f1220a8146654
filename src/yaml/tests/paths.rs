//! Paths as patterns and as places.

use super::*;

fn found(text: &str, path: &str) -> Vec<String> {
    let document = one(text);
    let path: Path = path.parse().unwrap();
    path.find(document.root())
        .into_iter()
        .map(|found| found.path)
        .collect()
}

const TREE: &str = "
spec:
  templates:
  - name: a
    x: 1
  - name: b
  - just text
  - name: b
    x: 2
  main: {template: {x: 3}}
  side: {template: 4, 'odd key': 5}
metadata:
  annotations: {a.b/c: d, \"q\\\"\": e, '*': f}
";

#[test]
fn patterns_lead_to_concrete_places() {
    let cases: &[(&str, &[&str])] = &[
        (
            "spec.templates[].x",
            &["spec.templates[0].x", "spec.templates[3].x"],
        ),
        (
            "spec.*.template",
            &["spec.main.template", "spec.side.template"],
        ),
        ("spec.*.template.x", &["spec.main.template.x"]),
        (
            "spec.templates[name=b].name",
            &["spec.templates[1].name", "spec.templates[3].name"],
        ),
        ("spec.templates[name=b].x", &["spec.templates[3].x"]),
        ("spec.templates[1]", &["spec.templates[1]"]),
        (
            "metadata.annotations.\"a.b/c\"",
            &["metadata.annotations[\"a.b/c\"]"],
        ),
        (
            "metadata.annotations[\"a.b/c\"]",
            &["metadata.annotations[\"a.b/c\"]"],
        ),
        (
            "metadata.annotations.\"*\"",
            &["metadata.annotations[\"*\"]"],
        ),
        ("spec.side.\"odd key\"", &["spec.side[\"odd key\"]"]),
        (".", &[""]),
        ("", &[""]),
        ("spec.nope.x", &[]),
        ("spec[]", &[]),
        ("spec.templates.name", &[]),
    ];
    for (path, expected) in cases {
        assert_eq!(found(TREE, path), *expected, "{path}");
    }
    assert_eq!(found("- a: 1\n- [2, 3]\n", "[].a"), ["[0].a"]);
    assert_eq!(found("- a: 1\n- [2, 3]\n", "[][]"), ["[1][0]", "[1][1]"]);
}

#[test]
fn every_concrete_place_is_a_path_to_itself() {
    for pattern in ["*.*.*", "*.*[].*", "*.*"] {
        for place in found(TREE, pattern) {
            assert_eq!(found(TREE, &place).join(" "), place);
        }
    }
}

#[test]
fn the_last_step_shows_its_field() {
    let document = one(TREE);
    let field = |path: &str| path.parse::<Path>().unwrap().find(document.root())[0].field;
    assert_eq!(
        at(TREE, field("spec.main.template").unwrap().span()),
        "template: {x: 3}"
    );
    assert!(field("spec.templates[]").is_none());
    assert!(field(".").is_none());
}

#[test]
fn a_filter_reads_fields_behind_aliases() {
    let text = "a: &a {name: x, v: 1}\nb: [*a]\n";
    assert_eq!(found(text, "b[name=x].v"), ["b[0].v"]);
}

#[test]
fn texts_that_are_no_path_say_where() {
    for (path, at) in [
        ("a..b", 2),
        ("a.", 2),
        (".a", 0),
        ("a[x]", 2),
        ("a[0", 3),
        ("a]", 1),
        ("\"a", 0),
        ("a[=x]", 2),
        ("a b", 1),
    ] {
        let error = path.parse::<Path>().unwrap_err();
        assert_eq!(error.at, at, "{path}: {error}");
    }
}

#[test]
fn joined_paths_quote_only_what_must_be() {
    assert_eq!(join("", "spec"), "spec");
    assert_eq!(join("spec", "a-b/c"), "spec.a-b/c");
    assert_eq!(join("m.annotations", "a.b/c"), "m.annotations[\"a.b/c\"]");
    assert_eq!(join("", "a\"b"), "[\"a\\\"b\"]");
    assert_eq!(index("a", 3), "a[3]");
}
