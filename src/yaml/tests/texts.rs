//! Text formats that must be readable.

use super::*;

#[test]
fn carriage_returns_a_byte_order_mark_and_tabs_after_a_colon_are_fine() {
    let text = "\u{feff}# c\r\na: 1\r\nb:\tx\r\n";
    let document = one(text);
    assert_eq!(at(text, document.root().get("a").unwrap().span()), "1");
    assert_eq!(at(text, document.root().get("b").unwrap().span()), "x");
    assert!(document.comments()[0].own_line);
    assert_eq!(document.comments()[0].text, " c");
}

#[test]
fn three_dots_end_a_document_without_a_marker() {
    let stream = read("a: 1\n...\nb: 2\n");
    assert_eq!(stream.documents.len(), 2);
    assert_eq!(
        stream.documents[1].root().get("b").unwrap().as_int(),
        Some(2)
    );
}

#[test]
fn content_may_follow_the_marker_on_its_line() {
    let text = "--- {k: v}\n--- x\n";
    let stream = read(text);
    assert_eq!(at(text, stream.documents[0].root().span()), "{k: v}");
    assert_eq!(stream.documents[1].root().as_str(), Some("x"));
}

#[test]
fn documents_of_comments_are_empty_and_no_error() {
    for text in [
        "",
        "# a\n# b\n",
        "---\n",
        "---\n# a\n---\n# b\n",
        "\u{feff}",
        "null\n",
    ] {
        let stream = read(text);
        assert_eq!(stream.errors, [], "{text:?}");
        assert!(stream.documents.iter().all(Document::is_empty), "{text:?}");
    }
    let stream = read("# a\n---\n# b\n---\na: 1\n");
    assert!(!stream.documents.last().unwrap().is_empty());
}

#[test]
fn json_with_tabs_and_long_keys_is_read() {
    let key = "k".repeat(5000);
    let text = format!("{{\n\t\"{key}\":\t[\n\t\t1,\n\t\t{{\t\"a\":\t\"\\u00e9\\/\"}}\n\t]\n}}\n");
    let document = one(&text);
    let list = document.root().get(&key).unwrap();
    let items: Vec<_> = list.items().collect();
    assert_eq!(items[0].as_int(), Some(1));
    assert_eq!(items[1].get("a").unwrap().as_str(), Some("é/"));
    assert_eq!(list.style(), Style::Flow);
}

#[test]
fn a_long_comment_block_is_read() {
    let text = format!("a:\n{}  b: 1\n", "  # c\n".repeat(500));
    let document = one(&text);
    assert_eq!(document.comments().len(), 500);
}

#[test]
fn directives_are_accepted() {
    let stream = read("%YAML 1.2\n---\na: 1\n...\n%YAML 1.1\n---\nb: 2\n");
    assert_eq!((stream.documents.len(), stream.errors.len()), (2, 0));
}

#[test]
fn documents_can_be_sent_to_other_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Document>();
}
