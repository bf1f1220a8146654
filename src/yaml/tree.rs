//! Trees that are built from values instead of being parsed from one text: their nodes may come from several sources,
//! and some of them are unknown.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "ids of nodes and runs of edges are given out by the document that they are used on"
    )
)]

use super::assembly::Assembly;
use super::node::{Document, Node, NodeData, NodeId, Shape, Style};
use super::pieces::Pieces;
use super::scalar::Tag;
use crate::source::Span;
use std::sync::OnceLock;

/// Builds a tree, children before parents.
#[derive(Default)]
pub struct TreeBuilder {
    nodes: Vec<NodeData>,
    edges: Vec<NodeId>,
    text: String,
    assembly: Assembly,
}

/// The content of a scalar in a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaf<'t> {
    /// A text, which stays a text whatever it looks like.
    Text(&'t str),
    /// `null`, a boolean or a number in YAML notation.
    Plain(&'t str),
    /// An unknown value, with the reason.
    Unknown(&'t str),
}

impl TreeBuilder {
    /// The number of nodes so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn push(&mut self, span: Span, style: Style, shape: Shape) -> NodeId {
        let id = NodeId(index(self.nodes.len()));
        self.nodes.push(NodeData {
            start: span.start,
            end: span.end,
            style,
            tag: Tag::None,
            shape,
        });
        self.assembly.spans.push(span);
        id
    }

    /// Adds a scalar. An unknown one reads as `${}`, which every reader treats as a placeholder.
    pub fn scalar(&mut self, leaf: Leaf<'_>, span: Span) -> NodeId {
        let (text, style) = match leaf {
            Leaf::Text(text) => (text, Style::DoubleQuoted),
            Leaf::Plain(text) => (text, Style::Plain),
            Leaf::Unknown(_) => ("${}", Style::DoubleQuoted),
        };
        let from = index(self.text.len());
        self.text.push_str(text);
        let to = index(self.text.len());
        let id = self.push(span, style, Shape::Scalar { from, to });
        if let Leaf::Unknown(why) = leaf {
            self.assembly.unknown.insert(id.0, why.into());
        }
        id
    }

    /// Adds an assembled text. As a value it is unknown if one of its parts is.
    pub fn pieced(&mut self, pieces: &Pieces, span: Span) -> NodeId {
        let id = match pieces.open_because() {
            Some(why) => self.scalar(Leaf::Unknown(why), span),
            None => self.scalar(Leaf::Text(pieces.text()), span),
        };
        self.assembly.texts.insert(id.0, Box::new(pieces.clone()));
        id
    }

    /// Adds a sequence of existing nodes.
    pub fn sequence(&mut self, items: &[NodeId], span: Span) -> NodeId {
        let from = index(self.edges.len());
        self.edges.extend_from_slice(items);
        let to = index(self.edges.len());
        self.push(span, Style::Flow, Shape::Sequence { from, to })
    }

    /// Adds a mapping of existing keys and values.
    pub fn mapping(&mut self, fields: &[(NodeId, NodeId)], span: Span) -> NodeId {
        let from = index(self.edges.len());
        self.edges
            .extend(fields.iter().flat_map(|(key, value)| [*key, *value]));
        let to = index(self.edges.len());
        // Not flow style: in a parsed text, something like `{{ }}` is a template action.
        let shape = Shape::Mapping {
            from,
            to,
            merges: false,
        };
        self.push(span, Style::Block, shape)
    }

    /// Returns the tree under a node that was added last.
    pub fn finish(self, root: NodeId) -> Document {
        let span = self.assembly.spans[root.0 as usize];
        Document {
            source: span.source,
            nodes: self.nodes,
            edges: self.edges,
            text: self.text,
            root,
            start: span.start,
            range: span.range(),
            comments: Vec::new(),
            assembly: Some(Box::new(self.assembly)),
            wide: OnceLock::new(),
        }
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl<'a> Node<'a> {
    /// Returns why an assembled value is unknown, or `None` if it is known.
    pub fn unknown_because(self) -> Option<&'a str> {
        let assembly = self.document().assembly.as_ref()?;
        assembly.unknown.get(&self.id().0).map(|why| &**why)
    }

    /// Whether the tree is built from values of a configuration language. Nested blocks are lists, whether there is one
    /// or several. If the notation is ambiguous, a block may appear without its list.
    pub fn is_assembled(self) -> bool {
        let assembly = self.document().assembly.as_ref();
        assembly.is_some_and(|assembly| !assembly.spans.is_empty())
    }

    /// Whether the tree is, or is part of, an evaluated configuration: unknown values in it have a reason.
    pub fn is_evaluated(self) -> bool {
        self.document().assembly.is_some()
    }

    /// Returns the text of a scalar with the places of its parts, if it was assembled from parts. Some of it may be
    /// known although the whole value is not.
    pub fn pieces(self) -> Option<&'a Pieces> {
        let assembly = self.document().assembly.as_ref()?;
        assembly.texts.get(&self.id().0).map(|pieces| &**pieces)
    }

    /// Returns why something in this tree is unknown: the reason of the first such place.
    pub fn first_unknown(self) -> Option<&'a str> {
        let assembly = self.document().assembly.as_ref()?;
        if assembly.unknown.is_empty() {
            return None;
        }
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            if let Some(why) = node.unknown_because() {
                return Some(why);
            }
            let from = open.len();
            open.extend(node.items());
            open.extend(
                node.written_fields()
                    .flat_map(|field| [field.key, field.value]),
            );
            open.get_mut(from..).unwrap_or_default().reverse();
        }
        None
    }
}
