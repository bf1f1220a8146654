//! The tree: documents, nodes, fields and comments, with the places they were written at.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "ids of nodes and runs of edges are given out by the document that they are used on"
    )
)]

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use super::assembly::Assembly;
use super::scalar::{Scalar, Tag, resolve};
use crate::source::{SourceId, Span};

/// How many fields of merged mappings one lookup may visit, so that chains of `<<` cannot cost without bound.
const MERGE_BUDGET: usize = 100_000;

/// Up to this many fields comparing names is faster than hashing them.
const FEW_FIELDS: usize = 16;

/// One YAML document: an arena of nodes that owns its text and can be sent between threads.
#[derive(Clone)]
pub struct Document {
    pub(super) source: SourceId,
    pub(super) nodes: Vec<NodeData>,
    /// The children of all collections; each collection owns a run of it.
    pub(super) edges: Vec<NodeId>,
    /// The unescaped text of all scalars; each scalar owns a run of it.
    pub(super) text: String,
    pub(super) root: NodeId,
    /// Offset of the start marker, or of the first content without one.
    pub(super) start: u32,
    pub(super) range: Range<usize>,
    pub(super) comments: Vec<Comment>,
    /// Only of trees that come from values, or from a text that was put together.
    pub(super) assembly: Option<Box<Assembly>>,
}

/// A node's index in its document; stable for the document's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// A set of nodes of one document: a flag for each.
pub struct NodeSet(Vec<bool>);

impl NodeSet {
    /// No node of `document`.
    pub fn new(document: &Document) -> Self {
        NodeSet(vec![false; document.nodes.len()])
    }

    /// Adds a node; whether it was not in the set. Nodes of other documents are in no set.
    pub fn insert(&mut self, node: NodeId) -> bool {
        self.0
            .get_mut(node.0 as usize)
            .is_some_and(|flag| !std::mem::replace(flag, true))
    }
}

#[derive(Clone, Debug)]
pub(super) struct NodeData {
    pub start: u32,
    pub end: u32,
    pub style: Style,
    pub tag: Tag,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A run of the document's `text`.
    Scalar { from: u32, to: u32 },
    /// A run of the document's `edges`.
    Sequence { from: u32, to: u32 },
    /// A run of the document's `edges`, keys and values in turn.
    Mapping { from: u32, to: u32, merges: bool },
    /// The anchored node, which is never an alias itself.
    Alias(NodeId),
}

/// A comment, from `#` to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From `#` to the end of the line, without the line break.
    pub span: Span,
    /// The text after `#`, untrimmed.
    pub text: String,
    /// Nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Keys and values.
    Mapping,
    /// Items.
    Sequence,
    /// A single value.
    Scalar,
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// A scalar without quotes.
    Plain,
    /// A scalar in `'`.
    SingleQuoted,
    /// A scalar in `"`.
    DoubleQuoted,
    /// A block scalar after `|`.
    Literal,
    /// A block scalar after `>`.
    Folded,
    /// A collection in brackets.
    Flow,
    /// A collection by indentation.
    Block,
}

impl Document {
    /// The top node.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, self.root)
    }

    /// The node of an id that this document gave out.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        self.nodes.get(id.0 as usize).map(|_| Node::new(self, id))
    }

    /// From the start marker, or the first content without one, to the end of the last content.
    pub fn span(&self) -> Span {
        if self.root().is_assembled() {
            return self.root().span();
        }
        let start = self.start as usize;
        let end = self.nodes[self.root.0 as usize].end as usize;
        Span::new(self.source, start..end.max(start))
    }

    /// Every byte that belongs to this document and no other: comments before it at the top of the file, the marker,
    /// the content, and whatever follows up to the next document or the end.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Nothing is in it but comments, or an explicit null.
    pub fn is_empty(&self) -> bool {
        self.root().is_null()
    }

    /// The comments within [`Document::range`], in order.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The node behind an id, aliases followed.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.nodes[id.0 as usize].shape {
            Shape::Alias(target) => target,
            _ => id,
        }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the tree: it may be large, and deep.
        f.debug_struct("Document")
            .field("range", &self.range)
            .field("nodes", &self.nodes.len())
            .finish()
    }
}

/// A handle to a node. Aliases are followed: only [`Node::written_at`] and [`Node::is_alias`] tell them apart.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    id: NodeId,
    /// Where the reference stands; `id` unless it is an alias.
    at: NodeId,
}

impl<'a> Node<'a> {
    fn new(document: &'a Document, at: NodeId) -> Self {
        Node {
            document,
            id: document.target(at),
            at,
        }
    }

    fn data(self) -> &'a NodeData {
        // Ids come from the document's own arena only.
        &self.document.nodes[self.id.0 as usize]
    }

    fn span_of(self, id: NodeId) -> Span {
        let assembly = self.document.assembly.as_ref();
        if let Some(span) = assembly.and_then(|assembly| assembly.spans.get(id.0 as usize)) {
            return *span;
        }
        let data = &self.document.nodes[id.0 as usize];
        Span::new(self.document.source, data.start as usize..data.end as usize)
    }

    /// The document that the node is in.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The node's index in its document; an alias has the index of what it stands for.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Mapping, sequence or scalar.
    pub fn kind(self) -> Kind {
        match self.data().shape {
            Shape::Mapping { .. } => Kind::Mapping,
            Shape::Sequence { .. } => Kind::Sequence,
            // An alias never points to an alias.
            Shape::Scalar { .. } | Shape::Alias(_) => Kind::Scalar,
        }
    }

    /// How it was written.
    pub fn style(self) -> Style {
        self.data().style
    }

    /// The node's own text: from its first byte to the end of its last descendant, without anchor and tag.
    ///
    /// Quotes and brackets are inside; a block scalar runs from its header to its last line that is not blank.
    /// A value that is not written has an empty span after its `:` or `-`.
    pub fn span(self) -> Span {
        self.span_of(self.id)
    }

    /// Where the reference to the node stands: the `*name` of an alias, otherwise [`Node::span`].
    pub fn written_at(self) -> Span {
        self.span_of(self.at)
    }

    /// It has a tag of some tool's own (`!Ref`, `!vault`): the tool puts something else in its place.
    pub fn has_local_tag(self) -> bool {
        self.data().tag == Tag::Local
    }

    /// It was reached through an alias.
    pub fn is_alias(self) -> bool {
        self.id != self.at
    }

    /// The value of a mapping's field, as go-yaml v2 would see it; see [`Node::field`].
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.field(key).map(|field| field.value)
    }

    /// The field of a mapping that counts for `key`.
    ///
    /// Follows go-yaml v2: fields are assigned in the order written, the last one wins, and `<<` assigns the merged
    /// fields at its place, so that it overrides what stands before it. In a list of merge sources earlier ones win.
    pub fn field(self, key: &str) -> Option<Field<'a>> {
        // Backwards, so that the first match is the last assignment.
        let mut budget = MERGE_BUDGET;
        let mut open = vec![Walk::whole(self)];
        while let Some(walk) = open.last_mut() {
            let Some(field) = walk.previous() else {
                open.pop();
                continue;
            };
            let mut cost = usize::from(open.len() > 1);
            if field.is_merge() {
                let sources = merge_sources(field.value);
                cost += sources.len();
                open.extend(sources.into_iter().rev().map(Walk::whole));
            } else if field.name() == Some(key) {
                return Some(field);
            }
            budget = budget.checked_sub(cost)?;
        }
        None
    }

    /// The fields that count after merges and duplicates, each at the place where its key first came up.
    ///
    /// The rules are those of [`Node::field`]. Fields whose key is not a scalar, or not known, are all kept. Empty for other
    /// kinds.
    pub fn fields(self) -> Vec<Field<'a>> {
        let mut kept: Vec<Field<'a>> = Vec::new();
        if !self.has_merge() && Walk::whole(self).edges.len() <= 2 * FEW_FIELDS {
            for field in self.written_fields() {
                let name = field.known_name();
                match kept.iter_mut().find(|known| known.known_name() == name) {
                    Some(known) if name.is_some() => *known = field,
                    _ => kept.push(field),
                }
            }
            return kept;
        }
        let mut places: HashMap<&'a str, usize> = HashMap::new();
        let mut budget = MERGE_BUDGET;
        let mut open = vec![Walk::whole(self)];
        while let Some(walk) = open.last_mut() {
            let Some(field) = walk.next() else {
                open.pop();
                continue;
            };
            let mut cost = usize::from(open.len() > 1);
            let sources = if field.is_merge() {
                merge_sources(field.value)
            } else {
                Vec::new()
            };
            cost += sources.len();
            let Some(left) = budget.checked_sub(cost) else {
                break;
            };
            budget = left;
            if field.is_merge() {
                // The first source is applied last and so wins; the stack's top is applied first.
                open.extend(sources.into_iter().map(Walk::whole));
                continue;
            }
            match field.known_name().map(|name| places.entry(name)) {
                Some(std::collections::hash_map::Entry::Occupied(place)) => {
                    kept[*place.get()] = field;
                }
                Some(std::collections::hash_map::Entry::Vacant(place)) => {
                    place.insert(kept.len());
                    kept.push(field);
                }
                None => kept.push(field),
            }
        }
        kept
    }

    /// The fields as written: duplicates included, `<<` as a field of its own (see [`Field::is_merge`]).
    pub fn written_fields(self) -> impl Iterator<Item = Field<'a>> + 'a {
        let mut walk = Walk::whole(self);
        std::iter::from_fn(move || walk.next())
    }

    /// The mapping has a `<<` field.
    pub fn has_merge(self) -> bool {
        matches!(self.data().shape, Shape::Mapping { merges: true, .. })
    }

    /// The items of a sequence; none for other kinds.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> + 'a {
        let edges: &'a [NodeId] = match self.data().shape {
            Shape::Sequence { from, to } => self
                .document
                .edges
                .get(from as usize..to as usize)
                .unwrap_or_default(),
            _ => &[],
        };
        edges.iter().map(move |id| Node::new(self.document, *id))
    }

    /// The typed value of a scalar; nothing for collections.
    pub fn scalar(self) -> Option<Scalar<'a>> {
        let text = self.raw()?;
        let data = self.data();
        // A document with a tag that contradicts its scalar was refused while parsing.
        Some(resolve(text, data.tag, data.style == Style::Plain).unwrap_or(Scalar::Str(text)))
    }

    /// The unescaped text of a scalar, whatever its type; empty for a value that is not written.
    pub fn raw(self) -> Option<&'a str> {
        match self.data().shape {
            Shape::Scalar { from, to } => self.document.text.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// The value is null or not written.
    pub fn is_null(self) -> bool {
        self.scalar() == Some(Scalar::Null)
    }

    /// The text of a scalar that is typed as a string.
    pub fn as_str(self) -> Option<&'a str> {
        match self.scalar() {
            Some(Scalar::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// The value of a scalar that is typed as a boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.scalar() {
            Some(Scalar::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// The value of a scalar that is typed as an integer; `300.0` is a float and gives nothing.
    pub fn as_int(self) -> Option<i64> {
        match self.scalar() {
            Some(Scalar::Int(value)) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the children: trees may be deep.
        f.debug_struct("Node")
            .field("kind", &self.kind())
            .field("raw", &self.raw())
            .field("span", &self.written_at().range())
            .finish()
    }
}

/// Two handles are equal when they stand for the same node of the same document.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

/// A key and its value in a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The key, nearly always a scalar.
    pub key: Node<'a>,
    /// The value, an alias already followed.
    pub value: Node<'a>,
}

impl<'a> Field<'a> {
    /// The key's raw text; nothing for a key that is a collection.
    pub fn name(&self) -> Option<&'a str> {
        self.key.raw()
    }

    /// The key's text, where all of it is known.
    pub fn known_name(&self) -> Option<&'a str> {
        self.name().filter(|_| self.key.unknown_because().is_none())
    }

    /// From the key's start to the value's end, or to the end of the `*name` that stands for the value.
    pub fn span(&self) -> Span {
        let (key, value) = (self.key.written_at(), self.value.written_at());
        // A value that stands elsewhere than its key is the place to go to.
        if self.value.is_assembled() && (key.source != value.source || value.start < key.start) {
            return value;
        }
        key.cover(value)
    }

    /// The field is `<<`: its value's fields are merged into the mapping.
    pub fn is_merge(&self) -> bool {
        !self.key.is_alias() && is_merge_key(self.key.data(), self.key.raw())
    }
}

/// go-yaml v2 merges for a plain `<<` only, unless the tag says so.
pub(super) fn is_merge_key(key: &NodeData, raw: Option<&str>) -> bool {
    raw == Some("<<")
        && match key.tag {
            Tag::None => key.style == Style::Plain,
            Tag::NonSpecific | Tag::Merge => true,
            _ => false,
        }
}

/// The mappings that a `<<` names, in the order written.
fn merge_sources(value: Node<'_>) -> Vec<Node<'_>> {
    match value.kind() {
        Kind::Mapping => vec![value],
        Kind::Sequence => value
            .items()
            .filter(|item| item.kind() == Kind::Mapping)
            .collect(),
        Kind::Scalar => Vec::new(),
    }
}

/// A walk over the written fields of one mapping, from either end.
struct Walk<'a> {
    document: &'a Document,
    edges: &'a [NodeId],
}

impl<'a> Walk<'a> {
    fn whole(node: Node<'a>) -> Self {
        let edges: &[NodeId] = match node.data().shape {
            Shape::Mapping { from, to, .. } => node
                .document
                .edges
                .get(from as usize..to as usize)
                .unwrap_or_default(),
            _ => &[],
        };
        Walk {
            document: node.document,
            edges,
        }
    }

    fn next(&mut self) -> Option<Field<'a>> {
        let ([key, value], rest) = self.edges.split_first_chunk()?;
        self.edges = rest;
        Some(self.pair(*key, *value))
    }

    fn previous(&mut self) -> Option<Field<'a>> {
        let (rest, [key, value]) = self.edges.split_last_chunk()?;
        self.edges = rest;
        Some(self.pair(*key, *value))
    }

    fn pair(&self, key: NodeId, value: NodeId) -> Field<'a> {
        Field {
            key: Node::new(self.document, key),
            value: Node::new(self.document, value),
        }
    }
}
