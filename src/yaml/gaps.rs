//! Parses texts with gaps as YAML: a value that contains an unknown part is unknown.

use super::assembly::Assembly;
use super::node::Shape;
use super::parse::{Stream, parse};
use super::pieces::Pieces;
use super::settle::settle;
use crate::source::SourceId;

impl Pieces {
    /// Parses the text as YAML. Places refer to the text that is returned with it. Its [`Pieces::place`] returns where
    /// they come from. Values that contain an unknown part are unknown.
    pub fn parse(&self, source: SourceId) -> (Pieces, Stream) {
        let settled = settle(self);
        let mut stream = parse(settled.text(), source);
        for document in &mut stream.documents {
            let mut assembly = Assembly::default();
            for (index, node) in document.nodes.iter().enumerate() {
                let range = node.start as usize..node.end as usize;
                if let Shape::Scalar { .. } = node.shape
                    && let Some(why) = settled.unknown_in(&range)
                {
                    assembly
                        .unknown
                        .insert(u32::try_from(index).unwrap_or(u32::MAX), why.into());
                }
            }
            document.assembly = Some(Box::new(assembly));
        }
        (settled, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use crate::yaml::Document;

    const FILE: SourceId = SourceId(7);

    fn at(from: usize, to: usize) -> Span {
        Span::new(FILE, from..to)
    }

    fn yaml(pieces: &Pieces) -> (Pieces, Vec<Document>) {
        let (settled, stream) = pieces.parse(FILE);
        assert_eq!(stream.errors, [], "{}", settled.text());
        (settled, stream.documents)
    }

    /// Replaces `|` with an unknown part, and `>…<` with unknown lines that resemble the given one.
    fn open(text: &str) -> String {
        let mut pieces = Pieces::default();
        let mut rest = text;
        while let Some(sign) = rest.find(['|', '>']) {
            pieces.push_verbatim(&rest[..sign], FILE, 0);
            if rest[sign..].starts_with('|') {
                pieces.push_open("because", at(1, 2));
                rest = &rest[sign + 1..];
            } else {
                let end = rest.find('<').unwrap();
                pieces.push_open_lines("because", at(1, 2), &rest[sign + 1..end]);
                rest = &rest[end + 1..];
            }
        }
        pieces.push_verbatim(rest, FILE, 0);
        let (settled, documents) = yaml(&pieces);
        for document in &documents {
            assert_eq!(document.root().first_unknown(), Some("because"));
        }
        settled.text().to_owned()
    }

    #[test]
    fn unknown_parts_leave_a_text_that_can_be_read() {
        for (text, settled) in [
            ("a: |\n", "a: $unknown\n"),
            ("a: [x, |]\n", "a: [x, $unknown]\n"),
            ("a: x-|-y\n", "a: x-$unknown-y\n"),
            ("a:\n  |\nb: 1\n", "a:\n  $unknown\nb: 1\n"),
            ("a:\n- x\n|\nb: 1\n", "a:\n- x\n- $unknown\nb: 1\n"),
            ("a:\n  b: 1\n  |\n", "a:\n  b: 1\n  $unknown1: $unknown\n"),
            ("a:\n|\nb: 1\n", "a:\n- $unknown\nb: 1\n"),
            ("a: # b\n  |\n", "a: # b\n  $unknown\n"),
            (
                "a:\n  - b: 1\n    c: 2\n  |\n",
                "a:\n  - b: 1\n    c: 2\n  - $unknown\n",
            ),
            (
                "a:\n  - b: 1\n    c: 2\n    |\n",
                "a:\n  - b: 1\n    c: 2\n    $unknown1: $unknown\n",
            ),
            (
                "a:\n  b:\n    c: 1\n  |\n",
                "a:\n  b:\n    c: 1\n  $unknown1: $unknown\n",
            ),
            (
                "- a:\n    b: 1\n  |\n",
                "- a:\n    b: 1\n  $unknown1: $unknown\n",
            ),
            ("|\nb: 1\n", "$unknown1: $unknown\nb: 1\n"),
            ("|", "$unknown"),
            (
                "a:\n  - y\n>  - x<c: 1\n",
                "a:\n  - y\n  - $unknown1\nc: 1\n",
            ),
            (
                "a:\n  b: 1\n>  x: 1<  d: 1\n",
                "a:\n  b: 1\n  $unknown1: $unknown\n  d: 1\n",
            ),
        ] {
            assert_eq!(open(text), settled, "{text}");
        }
    }
}
