//! Malicious texts: nesting, expansion, length, and random damage.

use super::*;

#[test]
fn endless_nesting_is_an_error_and_no_crash() {
    for opening in ["[", "{a: ", "- ", "? ", "{", "[{a: "] {
        let text = opening.repeat(100_000);
        let stream = read(&text);
        assert_eq!(
            (stream.documents.len(), stream.errors.len()),
            (0, 1),
            "{opening}"
        );
    }
}

#[test]
fn nesting_that_go_reads_is_read_walked_and_dropped() {
    let depth = 9_000;
    let text = format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
    let document = one(&text);
    let mut node = document.root();
    let mut seen = 0;
    while let Some(inner) = node.items().next() {
        node = inner;
        seen += 1;
    }
    assert_eq!((seen, node.as_str()), (depth, Some("x")));
    assert_eq!(
        from_node::<serde_json::Value>(document.root(), "the file")
            .errors
            .len(),
        1
    );
}

#[test]
fn very_many_documents_are_read() {
    let good = "---\na: 1\n# c\n".repeat(50_000);
    let stream = read(&good);
    assert_eq!((stream.documents.len(), stream.errors.len()), (50_000, 0));
    let bad = "---\na: [1\n".repeat(50_000);
    let stream = read(&bad);
    assert_eq!((stream.documents.len(), stream.errors.len()), (0, 50_000));
}

#[test]
fn unwritten_values_before_many_comments_are_read() {
    let text = format!("{}\n{}", "? ".repeat(9_000), "# comment\n".repeat(50_000));
    let stream = read(&text);
    assert_eq!(stream.documents.len() + stream.errors.len(), 1);
}

#[test]
fn chains_and_lists_of_merges_are_bounded() {
    let mut chain = "m0: &m0 {k: 0}\n".to_owned();
    for level in 1..300 {
        chain.push_str(&format!("m{level}: &m{level}\n  <<: *m{}\n", level - 1));
    }
    let document = one(&chain);
    let last = document.root().get("m299").unwrap();
    assert_eq!(last.get("k").unwrap().as_int(), Some(0));
    assert_eq!(last.fields().len(), 1);
    let wide = format!("a: &a {{b: 1}}\nc:\n  <<: [{}]\n", "*a, ".repeat(300_000));
    let document = one(&wide);
    assert!(document.root().get("c").unwrap().get("nope").is_none());
    assert_eq!(document.root().get("c").unwrap().fields().len(), 0);
}

#[test]
fn finding_what_is_kept_of_many_merges_is_bounded() {
    let fields: String = (0..1_000).map(|n| format!("k{n}: 1, ")).collect();
    let text = format!(
        "a: &a {{{fields}}}\nb: [{}{{~: 1}}]\n",
        "{<<: *a}, ".repeat(450)
    );
    assert_eq!(message(&text).0, "unsupported map key of type null");
    let brackets = format!("{{a: b}}{}", "}".repeat(100_000));
    assert_eq!(read(&brackets).documents.len(), 1);
}

const SAMPLES: &[&str] = &[
    "apiVersion: v1\nkind: Pod\nspec:\n  tolerations:\n  - key: a\n    operator: Exists\n",
    "a: |\n  x\n  é\n\nb: >-\n  folded\n  text\n# c\n",
    "---\na: &x {b: 1}\nc:\n  <<: *x\n  d: *x\n---\n# only\n---\n- 1\n- - 2\n",
    "{\"a\": [1, 2, {\"b\": \"c\\u00e9\"}], \"d\": null}\n",
    "é: ü # ö\n? complex\n: - v\n  -\n",
    "%YAML 1.2\n---\na: !!str 1\nb: !x y\n...\nc: 'it''s'\n",
    "\u{feff}a: 1\r\nb:\r\n- c\r\n-\r\n",
    "a: \"multi\n  line\"\nb: plain\n  more\n",
    "- [a: b, c: , {d}]\n- *x\n- &x\n",
    "x:\n  y:\n    z: [1,\n  2]\n  # c\nw: {{ .Values.a }}\n",
];

/// A small deterministic generator. The tests need variety, not quality.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % sides
    }
}

fn check_places(text: &str) {
    let check = |span: Span| {
        assert!(text.get(span.range()).is_some(), "{text:?}: {span:?}");
    };
    let stream = read(text);
    for error in &stream.errors {
        check(error.span);
        assert!(text.get(error.document.clone()).is_some(), "{text:?}");
        assert!(!error.message.is_empty());
    }
    for document in &stream.documents {
        check(document.span());
        assert!(text.get(document.range()).is_some(), "{text:?}");
        for comment in document.comments() {
            check(comment.span);
            assert!(text[comment.span.range()].starts_with('#'), "{text:?}");
        }
        // The number of steps is limited, because aliases may lead to the same nodes repeatedly.
        let mut open = vec![document.root()];
        for _ in 0..10_000 {
            let Some(node) = open.pop() else {
                break;
            };
            check(node.span());
            check(node.written_at());
            let _ = node.scalar();
            for child in node.items() {
                inside(text, node, child);
                open.push(child);
            }
            for field in node.written_fields() {
                check(field.span());
                inside(text, node, field.key);
                inside(text, node, field.value);
                open.extend([field.key, field.value]);
            }
            for field in node.fields() {
                if let Some(name) = field.name() {
                    assert!(node.field(name).unwrap().value == field.value, "{text:?}");
                }
            }
        }
    }
}

fn inside(text: &str, parent: Node<'_>, child: Node<'_>) {
    let (outer, inner) = (parent.span(), child.written_at());
    assert!(
        outer.start <= inner.start && inner.end <= outer.end,
        "{text:?}: {child:?} in {parent:?}"
    );
}

#[test]
fn mutated_texts_never_panic_and_all_places_are_in_the_text() {
    let mut dice = Dice(20_061_127);
    let spice = b"\n\t\r :-?[]{},#&*!|>'\"%@`~<\0.\\a0\xc3\xa9\xef";
    for _ in 0..2_000 {
        let mut bytes = SAMPLES[dice.roll(SAMPLES.len())].as_bytes().to_vec();
        for _ in 0..=dice.roll(4) {
            let place = dice.roll(bytes.len());
            match dice.roll(4) {
                0 => bytes[place] = spice[dice.roll(spice.len())],
                1 => bytes.insert(place, spice[dice.roll(spice.len())]),
                2 if bytes.len() > 1 => {
                    bytes.remove(place);
                }
                _ => {
                    let end = (place + dice.roll(12)).min(bytes.len());
                    let piece = bytes[place..end].to_vec();
                    let to = dice.roll(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        check_places(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn every_beginning_of_every_sample_is_handled() {
    for sample in SAMPLES {
        for (end, _) in sample.char_indices() {
            check_places(&sample[..end]);
        }
    }
}
