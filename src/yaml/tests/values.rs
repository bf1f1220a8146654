//! Typing, merges and duplicates.

use super::*;

#[test]
fn only_plain_scalars_are_typed_unless_a_tag_says_so() {
    let text =
        "[yes, 'yes', \"1\", 0550, !!str yes, !!int '5', ! 'on', !mine 1, !!float 1, 2024-01-01]";
    let document = one(text);
    let values: Vec<_> = document
        .root()
        .items()
        .map(|item| item.scalar().unwrap())
        .collect();
    assert_eq!(
        values,
        [
            Scalar::Bool(true),
            Scalar::Str("yes"),
            Scalar::Str("1"),
            Scalar::Int(360),
            Scalar::Str("yes"),
            Scalar::Int(5),
            Scalar::Str("on"),
            Scalar::Str("1"),
            Scalar::Float(1.0),
            Scalar::Str("2024-01-01"),
        ]
    );
    let block = one("a: |-\n  true\nb: ''\n");
    assert_eq!(block.root().get("a").unwrap().as_bool(), None);
    assert_eq!(block.root().get("a").unwrap().as_str(), Some("true"));
    assert!(!block.root().get("b").unwrap().is_null());
    assert_eq!(one("a: !\n").root().get("a").unwrap().as_str(), Some(""));
}

#[test]
fn of_duplicates_the_last_wins_and_all_are_written() {
    let text = "a: 1\nb: 2\na: 3\n";
    let document = one(text);
    let root = document.root();
    assert_eq!(root.get("a").unwrap().as_int(), Some(3));
    assert_eq!(at(text, root.field("a").unwrap().span()), "a: 3");
    assert_eq!(names(&root.fields()), [("a", "3"), ("b", "2")]);
    assert_eq!(root.written_fields().count(), 3);
    assert!(!root.has_merge());
}

#[test]
fn a_merge_overrides_what_stands_before_it_and_not_what_stands_after() {
    let text = "base: &b {x: 1, w: 1, z: 1}\nx:\n  x: 0\n  <<: *b\n  w: 2\n";
    let document = one(text);
    let merged = document.root().get("x").unwrap();
    assert_eq!(
        names(&merged.fields()),
        [("x", "1"), ("w", "2"), ("z", "1")]
    );
    for (name, value) in names(&merged.fields()) {
        assert_eq!(merged.get(name).unwrap().raw(), Some(value));
    }
    assert!(merged.has_merge());
    assert!(merged.get("<<").is_none());
    assert_eq!(merged.written_fields().filter(Field::is_merge).count(), 1);
    // The merged field's place is the anchor's.
    assert_eq!(at(text, merged.field("z").unwrap().span()), "z: 1");
}

#[test]
fn in_a_list_of_merge_sources_the_earlier_wins() {
    let text =
        "a: &a {k: 1, m: 1}\nb: &b {<<: {p: 2, k: 9}, k: 2, l: 2}\nc:\n  <<: [*a, *b, {o: 3}]\n";
    let document = one(text);
    let merged = document.root().get("c").unwrap();
    let mut fields = names(&merged.fields());
    fields.sort_unstable();
    assert_eq!(
        fields,
        [("k", "1"), ("l", "2"), ("m", "1"), ("o", "3"), ("p", "2")]
    );
    for (name, value) in fields {
        assert_eq!(merged.get(name).unwrap().raw(), Some(value), "{name}");
    }
}

#[test]
fn a_quoted_merge_key_is_a_field() {
    let document = one("a: {'<<': {b: 1}}");
    let a = document.root().get("a").unwrap();
    assert_eq!(a.get("<<").unwrap().kind(), Kind::Mapping);
    assert!(a.get("b").is_none());
}

#[test]
fn accessors_of_other_kinds_give_nothing() {
    let document = one("a: [1]\nb: x\n");
    let root = document.root();
    assert_eq!(root.kind(), Kind::Mapping);
    assert!(root.items().next().is_none() && root.scalar().is_none() && root.raw().is_none());
    let list = root.get("a").unwrap();
    assert!(list.get("0").is_none() && list.fields().is_empty());
    assert!(root.get("b").unwrap().items().next().is_none());
}

#[test]
fn fields_are_the_same_in_small_and_in_large_mappings() {
    for count in [1, 15, 16, 17, 40] {
        let text: String = (0..count)
            .map(|n| format!("k{n}: {n}\n"))
            .chain(["k0: again\n".to_owned()])
            .collect();
        let document = one(&text);
        let fields = document.root().fields();
        assert_eq!(fields.len(), count, "{count}");
        assert_eq!(names(&fields)[0], ("k0", "again"));
        assert_eq!(document.root().written_fields().count(), count + 1);
    }
    // Keys that a template generates are all kept.
    assert_eq!(one("{{ a }}: 1\n{{ b }}: 2\n").root().fields().len(), 2);
}

#[test]
fn keys_that_are_no_texts_have_one_spelling() {
    let document = one("{on: 1, 0x10: 2, .50: 3, 'on': 4, 07: 5, 1: 6}");
    let fields = document.root().fields();
    let names: Vec<_> = fields.iter().filter_map(Field::name).collect();
    assert_eq!(names, ["true", "16", "0.5", "on", "7", "1"]);
    assert_eq!(document.root().get("16").unwrap().as_int(), Some(2));
}

#[test]
fn keys_that_json_cannot_have_are_refused() {
    for (text, message) in [
        ("? [a]\n: 1\n", "invalid map key: a map or a list"),
        ("{{a: b}: c}", "invalid map key: a map or a list"),
        ("~: 1\n", "unsupported map key of type null"),
        ("{: 1}", "unsupported map key of type null"),
        (
            "9223372036854775808: 1\n",
            "unsupported map key of type uint64",
        ),
        ("a: .inf\n", "unsupported value: .inf"),
    ] {
        let stream = parse(text, SourceId(7));
        let told: Vec<_> = stream
            .errors
            .iter()
            .map(|error| error.message.as_str())
            .collect();
        // Text that looks like a template action is one.
        let expected: &[&str] = if text.starts_with("{{") {
            &[]
        } else {
            &[message]
        };
        assert_eq!(told, expected, "{text}");
    }
}

#[test]
fn what_json_cannot_have_is_accepted_where_a_later_value_replaces_it() {
    for text in [
        "a: {~: x}\na: 1\n",
        "a: {~: x}\n<<: {a: 1}\n",
        "? a\n: ?\n<<: {a: 1}\n",
        "<<: {a: {~: x}}\na: 1\n",
        "<<: [{a: 1}, {a: {~: x}}]\n",
        "b: &b {a: {~: x}}\nb: 2\n<<: *b\na: 1\n",
        "a: [.inf]\na: 1\n",
        "a: {9223372036854775808: x}\na: 1\n",
        "c: {0.0: {~: x}, -0.0: x}\na: 1\n",
    ] {
        let document = one(text);
        let last = document.root().get("a").and_then(Node::as_int);
        assert_eq!(last, Some(1), "{text}");
    }
    for (text, expected) in [
        ("a: 1\na: {~: x}\n", "unsupported map key of type null"),
        ("<<: {~: x}\n", "unsupported map key of type null"),
        (
            "<<: [{a: {~: x}}, {a: 1}]\n",
            "unsupported map key of type null",
        ),
        (
            "a: &a {~: x}\na: 1\nb: *a\n",
            "unsupported map key of type null",
        ),
        (
            "a: &a {~: x}\na: 1\nb: {<<: *a}\n",
            "unsupported map key of type null",
        ),
        ("1: {~: x}\n'1': 1\n", "unsupported map key of type null"),
        ("1: {~: x}\n1.0: 1\n", "unsupported map key of type null"),
        (
            ".nan: {~: x}\n.nan: 1\n",
            "unsupported map key of type null",
        ),
        ("? &a .inf\n: 1\nb: *a\n", "unsupported value: .inf"),
        // go-yaml finds these while it reads them.
        ("a: {[b]: c}\na: 1\n", "invalid map key: a map or a list"),
        (
            "a: {<<: 1}\na: 1\n",
            "map merge requires map or sequence of maps as the value",
        ),
    ] {
        assert_eq!(message(text).0, expected, "{text}");
    }
}
