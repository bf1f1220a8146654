//! Trees that are put together from values instead of being read from one text: their nodes may stand in several
//! sources, and some of them are unknown.

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

/// Puts a tree together, children before parents.
#[derive(Default)]
pub struct TreeBuilder {
    nodes: Vec<NodeData>,
    edges: Vec<NodeId>,
    text: String,
    assembly: Assembly,
}

/// What a scalar of a tree is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaf<'t> {
    /// A text, which stays a text whatever it looks like.
    Text(&'t str),
    /// `null`, a boolean or a number, as YAML writes it.
    Plain(&'t str),
    /// A value that is not known, and why.
    Unknown(&'t str),
}

impl TreeBuilder {
    /// How many nodes there are so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// There are no nodes yet.
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

    /// A scalar. An unknown one reads as `${}`, which every reader takes for something that is filled in later.
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

    /// A text that was put together from parts; unknown as a value when one of them is.
    pub fn pieced(&mut self, pieces: &Pieces, span: Span) -> NodeId {
        let id = match pieces.open_because() {
            Some(why) => self.scalar(Leaf::Unknown(why), span),
            None => self.scalar(Leaf::Text(pieces.text()), span),
        };
        self.assembly.texts.insert(id.0, Box::new(pieces.clone()));
        id
    }

    /// A sequence of nodes that were added before.
    pub fn sequence(&mut self, items: &[NodeId], span: Span) -> NodeId {
        let from = index(self.edges.len());
        self.edges.extend_from_slice(items);
        let to = index(self.edges.len());
        self.push(span, Style::Flow, Shape::Sequence { from, to })
    }

    /// A mapping of keys and values that were added before.
    pub fn mapping(&mut self, fields: &[(NodeId, NodeId)], span: Span) -> NodeId {
        let from = index(self.edges.len());
        self.edges
            .extend(fields.iter().flat_map(|(key, value)| [*key, *value]));
        let to = index(self.edges.len());
        // Not flow style: what looks like `{{ }}` in a text that was read is a template action.
        let shape = Shape::Mapping {
            from,
            to,
            merges: false,
        };
        self.push(span, Style::Block, shape)
    }

    /// The tree under a node that was added last.
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
        }
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl<'a> Node<'a> {
    /// Why a value that was put together is not known; nothing for values that are.
    pub fn unknown_because(self) -> Option<&'a str> {
        let assembly = self.document().assembly.as_ref()?;
        assembly.unknown.get(&self.id().0).map(|why| &**why)
    }

    /// The tree was put together from values of a configuration language: nested blocks are lists, whether there is
    /// one or several, and where the notation does not tell, a block may stand there without its list.
    pub fn is_assembled(self) -> bool {
        let assembly = self.document().assembly.as_ref();
        assembly.is_some_and(|assembly| !assembly.spans.is_empty())
    }

    /// The tree is, or stands in, a configuration that was evaluated: what is unknown in it says why.
    pub fn is_evaluated(self) -> bool {
        self.document().assembly.is_some()
    }

    /// The text of a scalar with the places that its parts come from, where it was put together from parts. Some of it
    /// may be known though the value as a whole is not.
    pub fn pieces(self) -> Option<&'a Pieces> {
        let assembly = self.document().assembly.as_ref()?;
        assembly.texts.get(&self.id().0).map(|pieces| &**pieces)
    }

    /// Why something in the tree below is unknown; the first such place.
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
