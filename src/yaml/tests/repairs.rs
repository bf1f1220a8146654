//! Texts that go-yaml v2 accepts and a strict parser rejects: they are read with the values that Kubernetes sees.

use super::*;

/// The texts of a mapping's values, by key.
fn values(text: &str) -> Vec<(String, String)> {
    names(&one(text).root().fields())
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn value(text: &str) -> String {
    values(text).remove(0).1
}

#[test]
fn a_quoted_text_may_continue_at_any_indentation() {
    for (text, expected) in [
        ("a: \"x\ny\"\n", "x y"),
        ("a: 'x\ny'\nb: 1\n", "x y"),
        ("a: 'it''s\nso'\n", "it's so"),
        ("a: \"x\n\n\ny\n  z\"\n", "x\n\ny z"),
        ("a: \"x \t\n\n  y\"\n", "x\ny"),
        ("a: \"x\r\ny\"\r\n", "x y"),
        ("a: \"x \\\ny\"\n", "x y"),
        ("a: \"x\\\n\ny\"\n", "x\ny"),
        ("a: \"é\ny\\u00e9\\x41\\t'\\'\"\n", "é yéA\t''"),
        ("a: \"x\n# y\"\n", "x # y"),
        ("a: \"x\nk: y\"\nc: 1\n", "x k: y"),
        ("a: \"x\n---y\"\n", "x ---y"),
        ("a: \"x\n\ty\"\n", "x y"),
        ("a: 'x\n'\nb: 1\n", "x "),
        ("a: !!str \"x\ny\"\nb: 1\n", "x y"),
    ] {
        assert_eq!(value(text), expected, "{text:?}");
    }
    let document = one("- a: \"x\ny\"\n  b: 'z\nw'\n- c\n");
    let first = document.root().items().next().unwrap();
    assert_eq!(names(&first.fields()), [("a", "x y"), ("b", "z w")]);
}

#[test]
fn a_repaired_text_keeps_its_places() {
    let text = "a: \"ü\ny\"\nb: 1\n";
    let document = one(text);
    let fields = document.root().fields();
    assert_eq!(at(text, fields[0].value.span()), "\"ü\ny\"");
    assert_eq!(fields[0].value.style(), Style::DoubleQuoted);
    assert_eq!(at(text, fields[1].value.span()), "1");
}

#[test]
fn what_go_refuses_in_a_quoted_text_stays_refused() {
    for text in [
        "a: \"x\ny\n",
        "a: \"x\n---\ny\"\n",
        "a: \"x\ny\\q\"\n",
        "a: \"x\ny\\ud83d\"\n",
        "a: 'x\n... \ny'\n",
    ] {
        assert!(!read(text).errors.is_empty(), "{text:?}");
    }
}

#[test]
fn an_escaped_single_quote_is_a_single_quote() {
    assert_eq!(value("a: \"\\'x\\'\"\n"), "'x'");
}

#[test]
fn a_comment_needs_no_blank_after_quotes_brackets_and_headers() {
    for (text, expected) in [
        ("a: \"b\"#c\n", "b"),
        ("a: 'b'#c\r\n", "b"),
        ("a: |#c\n  b\n", "b\n"),
        ("a: >#c\n  b\n", "b\n"),
    ] {
        assert_eq!(value(text), expected, "{text:?}");
        let document = one(text);
        let comment = &document.comments()[0];
        assert_eq!((comment.text.as_str(), comment.own_line), ("c", false));
        assert_eq!(at(text, comment.span), "#c");
    }
    let document = one("a: [b,#c\n'd'#e\n]#f\n");
    let list = document.root().get("a").unwrap();
    let items: Vec<_> = list.items().map(|item| item.raw().unwrap()).collect();
    assert_eq!(items, ["b", "d"]);
    assert_eq!(document.comments().len(), 3);
    // Inside a plain text, it is text.
    assert_eq!(value("a: b#c\n"), "b#c");
}

#[test]
fn tabs_may_indent_a_flow_collection_inside_a_block() {
    let text =
        "a: {\n\t\"b\": 1,\n\t\"c\": {\n\t\t\"d\": [\n\t\t\t!!int \"2\"\n\t\t]\n\t}\n}\ne: 3\n";
    let document = one(text);
    let a = document.root().get("a").unwrap();
    assert_eq!(a.get("b").unwrap().as_int(), Some(1));
    let d = a.get("c").unwrap().get("d").unwrap();
    assert_eq!(d.items().next().unwrap().as_int(), Some(2));
    assert_eq!(document.root().get("e").unwrap().as_int(), Some(3));
}

#[test]
fn repairs_in_many_documents_and_a_broken_one_between_do_not_disturb_each_other() {
    let text = "a: \"x\ny\"\n---\nb: [\n---\nc: 'z\nw'#c\n---\nd: |\n  'x\n";
    let stream = read(text);
    assert_eq!(stream.errors.len(), 1);
    assert_eq!(&text[stream.errors[0].document.clone()], "---\nb: [\n");
    let all: Vec<_> = stream
        .documents
        .iter()
        .map(|document| document.root().fields()[0].value.raw().unwrap())
        .collect();
    assert_eq!(all, ["x y", "z w", "'x\n"]);
}

#[test]
fn a_text_that_needs_a_repair_at_every_line_is_read() {
    let text = "- \"x\ny\"\n".repeat(50_000);
    let stream = read(&text);
    assert_eq!(stream.errors.len() + stream.documents.len(), 1);
}

#[test]
fn a_stream_of_json_objects_needs_no_markers() {
    let text = "{\"a\": 1}\n{\"a\": \"ü\"}\n\n[3]\n";
    let stream = read(text);
    assert_eq!(stream.errors, []);
    let roots: Vec<_> = stream
        .documents
        .iter()
        .map(|document| at(text, document.root().span()))
        .collect();
    assert_eq!(roots, ["{\"a\": 1}", "{\"a\": \"ü\"}", "[3]"]);
    let ranges: Vec<_> = stream
        .documents
        .iter()
        .map(|document| &text[document.range()])
        .collect();
    assert_eq!(ranges.concat(), text);
}

#[test]
fn what_follows_a_document_and_is_no_json_is_an_error() {
    for text in ["{\"a\": 1}\nb: 2\n", "a: 1\n{b: 2}\n", "{\"a\": 1}}\n"] {
        assert_eq!(read(text).errors.len(), 1, "{text:?}");
    }
    // The parser still holds the first object when it reaches the broken one. The document after a marker is not lost.
    let stream = read("{a: 1}\n{b: [}\n---\nc: 1\n");
    assert_eq!((stream.documents.len(), stream.errors.len()), (1, 1));
}

#[test]
fn very_many_json_objects_are_read() {
    let stream = read(&"{\"a\":1}\n".repeat(50_000));
    assert_eq!(stream.documents.len(), 50_000);
}

#[test]
fn a_comment_that_ends_a_block_scalar_without_content_keeps_its_place() {
    for text in ["a: |\n     \n   # c\nb: d\n", "a: |4-\n   # c\nb: d\n"] {
        let document = one(text);
        let root = document.root();
        assert_eq!(root.get("a").unwrap().raw().unwrap().trim(), "", "{text:?}");
        assert_eq!(root.get("b").unwrap().raw(), Some("d"), "{text:?}");
        let comment = &document.comments()[0];
        assert_eq!((comment.text.as_str(), comment.own_line), (" c", true));
        assert_eq!(at(text, comment.span), "# c");
    }
}

#[test]
fn a_header_below_its_key_belongs_to_the_key() {
    for (text, expected) in [
        ("a:\n|\n  x\n", "x\n"),
        ("a:\r\n>-\r\n  x\r\n  y\r\n", "x y"),
        ("a: \u{85}|+\n  x\n\n", "x\n\n"),
        ("a: &b !!str\n\n|\n x\n", "x\n"),
        ("\u{feff}a:\n|\n  x\n", "x\n"),
    ] {
        assert_eq!(value(text), expected, "{text:?}");
    }
    let text = "- a: # c\n  # d\n  |\n   x\n  b: y\n- z\n";
    let document = one(text);
    let first = document.root().items().next().unwrap();
    assert_eq!(names(&first.fields()), [("a", "x\n"), ("b", "y")]);
    assert_eq!(at(text, first.get("a").unwrap().span()), "|\n   x");
    let comments = document.comments().iter();
    let comments: Vec<_> = comments
        .map(|comment| (at(text, comment.span), comment.own_line))
        .collect();
    assert_eq!(comments, [("# c", false), ("# d", true)]);
    for text in [
        "a: 1\n|\n x\n",
        "a:\n  b:\n |\n   x\n",
        "a:\n&b\n|\n x\n",
        "a: b\n- |\n x\n",
    ] {
        assert!(!read(text).errors.is_empty(), "{text:?}");
    }
}

#[test]
fn nothing_is_read_behind_the_end_of_a_document() {
    for text in [
        "a: b\n... c\n",
        "a: b\n... '# c\n",
        "a: b\n... &c # d\n",
        "a: b\n...\t{c:\n  d}\nc: [\n",
    ] {
        assert_eq!(value(text), "b", "{text:?}");
    }
    let text = "a: b\n... &c # d\ne: [\n---\nf: g\n... x\n";
    let stream = read(text);
    assert_eq!(stream.errors, []);
    let documents = stream.documents.iter();
    let ranges: Vec<_> = documents.map(|document| &text[document.range()]).collect();
    assert_eq!(ranges, ["a: b\n... &c # d\ne: [\n", "---\nf: g\n... x\n"]);
    assert_eq!(read("[a\n... x\n").errors.len(), 1);
}

#[test]
fn a_text_may_not_begin_with_the_end_of_a_document() {
    for text in [
        "...",
        "# a\n... # c\n",
        "\u{feff}...\n",
        "... x\na: 1\n",
        "...\n...\n",
    ] {
        let stream = read(text);
        assert_eq!(stream.errors.len(), 1, "{text:?}");
        assert_eq!(at(text, stream.errors[0].span), "...", "{text:?}");
        assert_eq!(stream.documents.len(), 0, "{text:?}");
    }
    // What follows is no part of the mistake.
    let text = "...\na: 1\n";
    let stream = read(text);
    assert_eq!(&text[stream.errors[0].document.clone()], "...");
    assert_eq!(at(text, stream.documents[0].root().span()), "a: 1");
    for text in ["...x\n", " ...\n", "---\n...\n"] {
        assert_eq!(read(text).errors, [], "{text:?}");
    }
}

#[test]
fn a_colon_behind_a_tag_in_braces_ends_an_empty_key() {
    for (text, expected) in [
        ("{!!str :v}\n", "v"),
        ("{! :v w}\n", "v w"),
        ("{!!str\t:\"v\"}\n", "v"),
        ("{&a !!str :v}#c\n", "v"),
        ("{!!binary :v}\n", "v"),
        ("{? !!str :v}\n", "v"),
    ] {
        assert_eq!(
            values(text),
            [(String::new(), expected.to_owned())],
            "{text:?}"
        );
    }
    let document = one("[!!str :[v]]\n");
    let pair = document.root().items().next().unwrap();
    assert_eq!(pair.get("").unwrap().items().count(), 1);
    for text in ["{!!int :v}\n", "{!!str\n :v}\n", "{a: !!str :v}\n"] {
        assert!(!read(text).errors.is_empty(), "{text:?}");
    }
    assert_eq!(value("a: !!str :v\n"), ":v");
}

#[test]
fn a_bracket_that_nothing_opened_does_not_break_the_document_that_it_follows() {
    for (text, expected) in [
        ("{a: b}}\n", "{a: b}"),
        ("{a: b} ]\n", "{a: b}"),
        ("[a,\n b]\n}\n", "[a,\n b]"),
        ("'a'\n]\n", "'a'"),
        ("  a: [b]\n ] [c\n", "a: [b]"),
        ("&a ] b: c\n", ""),
        ("&a-0] b: c\n", ""),
        ("--- # c\n!!str # d\n} b\n", ""),
    ] {
        let stream = read(text);
        assert_eq!(stream.errors.len(), 1, "{text:?}");
        assert_eq!(stream.errors[0].message, "misplaced bracket", "{text:?}");
        let place = at(text, stream.errors[0].span);
        assert!(["]", "}"].contains(&place), "{text:?}: {place}");
        assert_eq!(stream.documents.len(), 1, "{text:?}");
        let root = stream.documents[0].root();
        assert_eq!(at(text, root.span()), expected, "{text:?}");
    }
    for text in [
        "] a\n",
        "--- ]\n",
        "a: [b]\n]\n",
        "a: [b]]\n",
        "a: ]\n",
        "a: &a ]\n",
        "- &a\n]\n",
        "- a: [b]\n }\n",
        "? [a] ]\n",
        "[a]: b\n]\n",
    ] {
        let stream = read(text);
        assert_eq!(stream.documents.len(), 0, "{text:?}");
        assert_eq!(message(text).0, "misplaced bracket", "{text:?}");
    }
    // The next document is read.
    let text = "{a: b}} [\n---\nc: d\n";
    let stream = read(text);
    assert_eq!(stream.documents.len(), 2);
    assert_eq!(&text[stream.errors[0].document.clone()], "} [\n");
    assert_eq!(at(text, stream.documents[1].root().span()), "c: d");
}

#[test]
fn quotes_in_a_comment_that_ends_a_block_scalar_open_no_text() {
    let text = "a:\n  b: |\n    c:\n      d:\n #@ load(\"@x\", \"y:\n  '''''''  - e: f\n      g: |\n        h\n'''''' i\nj: \"k\"\n";
    for document in parse(text, SourceId(0)).documents {
        for comment in document.comments() {
            let written = text.get(comment.span.range()).unwrap();
            assert_eq!(written, format!("#{}", comment.text));
            assert!(!written.contains('\n'));
        }
    }
}
