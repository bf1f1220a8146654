//! What is rejected, where, and that nothing else is lost with it.

use super::*;

#[test]
fn one_bad_document_does_not_hide_the_others() {
    let text = "a: 1\n---\nb: [1\n---\nc: 3\n---\nd: : e\n";
    let stream = read(text);
    let keys: Vec<_> = stream
        .documents
        .iter()
        .map(|document| document.root().fields()[0].name().unwrap())
        .collect();
    assert_eq!(keys, ["a", "c"]);
    let broken: Vec<_> = stream
        .errors
        .iter()
        .map(|error| (&text[error.document.clone()], at(text, error.span)))
        .collect();
    assert_eq!(broken, [("---\nb: [1\n", "["), ("---\nd: : e\n", ":")]);
    assert_eq!(stream.documents[0].range(), 0..5);
}

#[test]
fn a_document_broken_at_its_first_token_keeps_its_extent() {
    let text = "}\n---\na: 1\n";
    let stream = read(text);
    assert_eq!(stream.documents.len(), 1);
    assert_eq!(stream.errors.len(), 1);
    assert_eq!(&text[stream.errors[0].document.clone()], "}\n");
}

#[test]
fn null_bytes_and_tabs_as_indentation_are_errors_with_a_place() {
    assert_eq!(message("a: 1\0b").1, "\0");
    assert_eq!(message("a: \"x\0y\"").1, "\0");
    assert_eq!(message("# c\0\na: 1").1, "\0");
    assert_eq!(message("a:\n\tb: 2\n").1, "\t");
    assert_eq!(message("a: 1\n\tb: 2\n").1, "\t");
}

#[test]
fn an_error_at_the_end_of_a_line_points_to_the_last_character_before() {
    for text in [
        "a: 'x", "a: [1,\n", "a: {", "- a\nb", "a: \"\\", "&", "a: *",
    ] {
        for error in read(text).errors {
            assert!(!error.span.range().is_empty(), "{text:?}");
            assert_ne!(at(text, error.span).trim(), "", "{text:?}");
        }
    }
    assert_eq!(read("a: *").errors.len(), 1);
}

#[test]
fn an_unknown_alias_spoils_its_own_document_only() {
    let text = "a: *nope\nb: &x 1\n---\nc: *x\n---\nd: &x 1\ne: *x\n";
    let stream = read(text);
    let errors: Vec<_> = stream
        .errors
        .iter()
        .map(|e| (e.message.as_str(), at(text, e.span)))
        .collect();
    assert_eq!(
        errors,
        [
            ("unknown anchor `nope` referenced", "*nope"),
            ("unknown anchor `x` referenced", "*x")
        ]
    );
    assert_eq!(stream.documents.len(), 1);
}

#[test]
fn an_anchor_inside_itself_is_an_error() {
    let expected = ("anchor `a` contains itself".to_owned(), "*a".to_owned());
    assert_eq!(message("&a [*a]"), expected);
    assert_eq!(message("x: &a\n  b: {c: *a}\n"), expected);
    assert_eq!(message("&a {<<: *a}"), expected);
}

#[test]
fn of_two_anchors_of_one_name_the_last_before_the_alias_counts() {
    let document = one("a: &x 1\nb: *x\nc: &x 2\nd: *x\n");
    let value = |key| document.root().get(key).unwrap().as_int();
    assert_eq!((value("b"), value("d")), (Some(1), Some(2)));
}

#[test]
fn billion_laughs_are_refused_and_honest_aliases_are_not() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let (message, place) = message(&text);
    assert_eq!(message, "document contains excessive aliasing");
    assert!(place.starts_with("*a"), "{place}");
    let honest = format!("a: &a [1, 2, 3]\nb:\n{}", "- *a\n".repeat(10_000));
    assert_eq!(
        one(&honest).root().get("b").unwrap().items().count(),
        10_000
    );
}

#[test]
fn a_tag_that_contradicts_its_scalar_is_an_error() {
    assert_eq!(
        message("a: !!int x\n"),
        (
            "cannot decode !!str `x` as a !!int".to_owned(),
            "x".to_owned()
        )
    );
}

#[test]
fn merging_something_else_than_mappings_is_an_error() {
    for text in [
        "<<: 1",
        "<<:",
        "<<: [{a: 1}, 2]",
        "a: &a [{b: 1}]\nc: {<<: *a}",
    ] {
        assert!(
            message(text).0.starts_with("map merge requires"),
            "{text:?}"
        );
    }
    assert_eq!(read("'<<': 1").errors, []);
}
