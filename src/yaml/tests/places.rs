//! Every node, field and comment has the place where it was written.

use super::*;

#[test]
fn places_after_characters_of_several_bytes_are_in_bytes() {
    let text = "é: ü # ö\nnaïve: \"zß\"\n日本: [本, x]\n";
    let document = one(text);
    let root = document.root();
    assert_eq!(at(text, root.get("é").unwrap().span()), "ü");
    assert_eq!(at(text, root.get("naïve").unwrap().span()), "\"zß\"");
    assert_eq!(
        at(text, root.field("日本").unwrap().span()),
        "日本: [本, x]"
    );
    assert_eq!(at(text, document.comments()[0].span), "# ö");
}

#[test]
fn a_block_ends_with_its_last_descendant_not_at_the_next_token() {
    let text = "a:\n  b:\n    - c\n    - d: e\n\n# about z\n\nz: 1\n\n# end\n";
    let document = one(text);
    let root = document.root();
    assert_eq!(
        at(text, root.get("a").unwrap().span()),
        "b:\n    - c\n    - d: e"
    );
    assert_eq!(
        at(text, root.field("a").unwrap().span()),
        "a:\n  b:\n    - c\n    - d: e"
    );
    assert_eq!(
        at(text, root.get("a").unwrap().get("b").unwrap().span()),
        "- c\n    - d: e"
    );
    assert!(at(text, root.span()).ends_with("z: 1"));
}

#[test]
fn lists_at_the_indentation_of_their_key_start_at_the_dash() {
    let text = "a:\n- b\n-\n  - c\n- {d: [e]}\nz: 1\n";
    let document = one(text);
    let list = document.root().get("a").unwrap();
    assert_eq!(at(text, list.span()), "- b\n-\n  - c\n- {d: [e]}");
    let items: Vec<_> = list.items().map(|item| at(text, item.span())).collect();
    assert_eq!(items, ["b", "- c", "{d: [e]}"]);
}

#[test]
fn a_list_in_a_list_starts_at_its_own_dash() {
    let text = "a: &x # - c\n- - b\n  - c\n- - d\n? k\n: - v\n";
    let document = one(text);
    let list = document.root().get("a").unwrap();
    assert_eq!(at(text, list.span()), "- - b\n  - c\n- - d");
    let items: Vec<_> = list.items().map(|item| at(text, item.span())).collect();
    assert_eq!(items, ["- b\n  - c", "- d"]);
    let pair = document.root().fields()[1];
    assert_eq!(at(text, pair.key.span()), "k");
    assert_eq!(at(text, pair.value.span()), "- v");
}

#[test]
fn flow_collections_run_from_bracket_to_bracket() {
    let text = "a: {b: , c, d: [ 1,\n 2 ] }  # x\ne: [f: g, h: ]\n";
    let document = one(text);
    let root = document.root();
    let a = root.get("a").unwrap();
    assert_eq!(at(text, a.span()), "{b: , c, d: [ 1,\n 2 ] }");
    assert_eq!(at(text, a.get("d").unwrap().span()), "[ 1,\n 2 ]");
    assert_eq!(at(text, a.field("b").unwrap().span()), "b:");
    assert_eq!(at(text, a.field("c").unwrap().span()), "c");
    let pairs: Vec<_> = root
        .get("e")
        .unwrap()
        .items()
        .map(|item| at(text, item.span()))
        .collect();
    assert_eq!(pairs, ["f: g", "h:"]);
}

#[test]
fn a_value_that_is_not_written_stands_after_its_indicator() {
    let text = "a:\nb:   # c\nc: ~\nd:\n  -\n  - # x\n  - y\n  -\n";
    let document = one(text);
    let root = document.root();
    let place = |node: Node<'_>| node.span().range();
    assert_eq!(place(root.get("a").unwrap()), 2..2);
    assert_eq!(place(root.get("b").unwrap()), 5..5);
    assert_eq!(at(text, root.get("c").unwrap().span()), "~");
    let items: Vec<_> = root.get("d").unwrap().items().map(place).collect();
    assert_eq!(items, [23..23, 27..27, 36..37, 41..41]);
    assert!(text[..items[1].start].ends_with("  -\n  -"));
    assert!(text[..items[3].start].ends_with("y\n  -"));
    assert_eq!(
        at(text, root.get("d").unwrap().span()),
        "-\n  - # x\n  - y\n  -"
    );
    assert_eq!(root.get("a").unwrap().raw(), Some(""));
    assert_eq!(root.get("c").unwrap().raw(), Some("~"));
}

#[test]
fn block_scalars_run_from_their_header_to_the_last_visible_line() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "a: |\n  x\n  y  \n\n\n# c\nb: 1",
            "|\n  x\n  y  ",
            "x\ny  \n",
        ),
        ("a: |2- # hi | there\n   x", "|2- # hi | there\n   x", " x"),
        ("a: # x | y\n  >-\n  t\n  u\nb: 1", ">-\n  t\n  u", "t u"),
        ("a: |\nb: 1", "|", ""),
        ("a: |+\n\n\nb: 1", "|+", "\n\n"),
        ("a: |", "|", ""),
        ("a: &x-y !!str |\n  t\n", "|\n  t", "t\n"),
        ("a: |\r\n  x\r\n\r\nb: 1\r\n", "|\r\n  x", "x\n"),
        ("a: |\n  no newline", "|\n  no newline", "no newline"),
        ("a: >\n  é\n  | ü\n", ">\n  é\n  | ü", "é | ü\n"),
    ];
    for (text, place, raw) in cases {
        let document = one(text);
        let value = document.root().get("a").unwrap();
        assert_eq!(at(text, value.span()), *place, "{text:?}");
        assert_eq!(value.raw(), Some(*raw), "{text:?}");
        assert!(matches!(value.style(), Style::Literal | Style::Folded));
    }
    let text = "- |-\n x\n-\n- - |\n   y\n";
    let document = one(text);
    let items: Vec<_> = document.root().items().collect();
    assert_eq!(at(text, items[0].span()), "|-\n x");
    assert_eq!(at(text, items[2].span()), "- |\n   y");
    let text = "--- |\n  x\n---\n? |\n  k\n: - v\n";
    let stream = read(text);
    assert_eq!(at(text, stream.documents[0].root().span()), "|\n  x");
    let key = stream.documents[1].root().fields()[0].key;
    assert_eq!(at(text, key.span()), "|\n  k");
}

#[test]
fn plain_scalars_over_several_lines_end_with_their_last_word() {
    let text = "a: b\n  c\n  d   \n\ne: f";
    let document = one(text);
    let value = document.root().get("a").unwrap();
    assert_eq!(at(text, value.span()), "b\n  c\n  d");
    assert_eq!(value.raw(), Some("b c d"));
}

#[test]
fn an_alias_keeps_the_place_where_it_is_written() {
    let text = "a: &x [1, 2]\nb: *x\n";
    let document = one(text);
    let field = document.root().field("b").unwrap();
    assert!(field.value.is_alias());
    assert_eq!(at(text, field.value.span()), "[1, 2]");
    assert_eq!(at(text, field.value.written_at()), "*x");
    assert_eq!(at(text, field.span()), "b: *x");
    assert_eq!(field.value.items().count(), 2);
    assert_eq!(field.value, document.root().get("a").unwrap());
    assert_eq!(field.value.id(), document.root().get("a").unwrap().id());
    assert_eq!(document.node(field.value.id()), Some(field.value));
}

#[test]
fn comments_know_their_line_and_belong_to_the_document_they_stand_in() {
    let text = "# top\na: 1 # side\n# tail\n---\n  # own\nb: '#no'\n...\n# third\nc: 3\n";
    let stream = read(text);
    let comments: Vec<Vec<_>> = stream
        .documents
        .iter()
        .map(|document| {
            let comments = document.comments().iter();
            comments
                .map(|comment| (comment.text.as_str(), comment.own_line))
                .collect()
        })
        .collect();
    assert_eq!(
        comments,
        [
            vec![(" top", true), (" side", false), (" tail", true)],
            vec![(" own", true)],
            vec![(" third", true)]
        ]
    );
    let ranges: Vec<_> = stream.documents.iter().map(|d| &text[d.range()]).collect();
    assert_eq!(ranges.concat(), text);
    assert!(ranges[1].starts_with("---"));
    assert!(ranges[2].starts_with("\n# third"));
    assert_eq!(
        at(text, stream.documents[1].span()),
        "---\n  # own\nb: '#no'"
    );
    assert_eq!(at(text, stream.documents[2].span()), "c: 3");
}
