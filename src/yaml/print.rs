//! Prints trees as text in which each part has the place that it comes from.

use super::node::{Field, Kind, Node, Style};
use super::pieces::Pieces;
use crate::source::Span;

/// The notation of a printed tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// On one line, as JSON, which is also valid YAML.
    Json,
    /// On several lines, like Terraform's `yamlencode`.
    Yaml,
}

/// The maximum depth. Deeper parts of a tree are not printed.
const MAX_DEPTH: usize = 200;

/// Prints a tree. Unknown values become unknown parts of the text.
pub fn print(node: Node<'_>, notation: Notation) -> Pieces {
    let mut pieces = Pieces::default();
    match notation {
        Notation::Json => flow(node, 0, &mut pieces),
        Notation::Yaml => {
            block(node, 0, &mut pieces);
            if node.kind() == Kind::Scalar || is_empty(node) {
                pieces.push_made("\n", node.span());
            }
        }
    }
    pieces
}

fn is_empty(node: Node<'_>) -> bool {
    node.items().next().is_none() && node.written_fields().next().is_none()
}

fn scalar(node: Node<'_>, span: Span, pieces: &mut Pieces) {
    if let Some(why) = node.unknown_because() {
        return pieces.push_open(why, span);
    }
    let raw = node.raw().unwrap_or_default();
    if node.style() == Style::Plain {
        pieces.push_made(if raw.is_empty() { "null" } else { raw }, span);
    } else {
        pieces.push_made(&quoted(raw), span);
    }
}

fn flow(node: Node<'_>, depth: usize, pieces: &mut Pieces) {
    let span = node.written_at();
    if depth > MAX_DEPTH {
        return pieces.push_open("it is nested too deeply", span);
    }
    match node.kind() {
        Kind::Scalar => scalar(node, span, pieces),
        Kind::Sequence => {
            pieces.push_made("[", span);
            for (at, item) in node.items().enumerate() {
                if at > 0 {
                    pieces.push_made(", ", item.written_at());
                }
                flow(item, depth + 1, pieces);
            }
            pieces.push_made("]", span);
        }
        Kind::Mapping => {
            pieces.push_made("{", span);
            for (at, field) in node.written_fields().enumerate() {
                let key_at = field.key.written_at();
                if at > 0 {
                    pieces.push_made(", ", key_at);
                }
                flow(field.key, depth + 1, pieces);
                pieces.push_made(": ", key_at);
                value_of(&field, depth + 1, pieces);
            }
            pieces.push_made("}", span);
        }
    }
}

/// A scalar that is written elsewhere than its key, such as the value of a variable, gets the place where it is used.
fn value_of(field: &Field<'_>, depth: usize, pieces: &mut Pieces) {
    let (key, value) = (field.key.written_at(), field.value.written_at());
    let is_elsewhere = key.source != value.source || value.start < key.start;
    match field.value.kind() {
        Kind::Scalar if is_elsewhere => scalar(field.value, key, pieces),
        _ => flow(field.value, depth, pieces),
    }
}

/// Prints a node at an indentation. The first line is already indented.
fn block(node: Node<'_>, indentation: usize, pieces: &mut Pieces) {
    if node.kind() == Kind::Scalar || is_empty(node) || indentation > 2 * MAX_DEPTH {
        return flow(node, 0, pieces);
    }
    let pad = " ".repeat(indentation);
    let mut first = true;
    let start = |at, pieces: &mut Pieces, first: &mut bool| {
        if !std::mem::take(first) {
            pieces.push_made(&pad, at);
        }
    };
    for item in node.items() {
        start(item.written_at(), pieces, &mut first);
        pieces.push_made("- ", item.written_at());
        block(item, indentation + 2, pieces);
        end_line(item, pieces);
    }
    for field in node.written_fields() {
        let (key_at, value) = (field.key.written_at(), field.value);
        start(key_at, pieces, &mut first);
        flow(field.key, 0, pieces);
        pieces.push_made(":", key_at);
        let is_leaf = value.kind() == Kind::Scalar || is_empty(value);
        if is_leaf {
            pieces.push_made(" ", key_at);
            value_of(&field, 0, pieces);
        } else {
            // Items of a list are printed below its key.
            let deeper = match value.kind() {
                Kind::Sequence => indentation,
                _ => indentation + 2,
            };
            pieces.push_made("\n", key_at);
            pieces.push_made(&" ".repeat(deeper), key_at);
            block(value, deeper, pieces);
        }
        end_line(value, pieces);
    }
}

/// A collection has already ended its last line.
fn end_line(node: Node<'_>, pieces: &mut Pieces) {
    if node.kind() == Kind::Scalar || is_empty(node) {
        pieces.push_made("\n", node.written_at());
    }
}

/// Quotes a text like JSON, which is also valid YAML.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for one in text.chars() {
        match one {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            one if one.is_control() || one == '\u{feff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(one)));
            }
            one => quoted.push(one),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::source::SourceId;

    fn printed(text: &str, notation: Notation) -> Pieces {
        let stream = parse(text, SourceId(0));
        print(stream.documents[0].root(), notation)
    }

    #[test]
    fn a_tree_is_written_on_one_line_or_on_several() {
        let text = "a: [1, \"x\\ny\", {b: null, c: []}]\nd: {e: {f: true}}\ng: {}\n";
        assert_eq!(
            printed(text, Notation::Json).text(),
            "{a: [1, \"x\\ny\", {b: null, c: []}], d: {e: {f: true}}, g: {}}"
        );
        assert_eq!(
            printed(text, Notation::Yaml).text(),
            "a:\n- 1\n- \"x\\ny\"\n- b: null\n  c: []\nd:\n  e:\n    f: true\ng: {}\n"
        );
    }

    #[test]
    fn every_part_knows_where_it_comes_from() {
        let pieces = printed("a:\n- b: c\n", Notation::Json);
        assert_eq!(pieces.text(), "{a: [{b: c}]}");
        let place = |from, to| pieces.place(from..to);
        let at = |from, to| Some(Span::new(SourceId(0), from..to));
        assert_eq!(place(9, 10), at(8, 9));
        assert_eq!(place(6, 10), at(5, 9));
        assert_eq!(place(5, 11), at(5, 9));
    }
}
