//! The tree: documents, nodes, fields and comments, with their places in the text.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "ids of nodes and runs of edges are given out by the document that they are used on"
    )
)]

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::assembly::Assembly;
use super::scalar::{Scalar, Tag, resolve};
use super::wide::Wide;
use crate::source::{SourceId, Span};

/// The maximum number of fields of merged mappings that one lookup may visit, so that chains of `<<` have a bounded cost.
const MERGE_BUDGET: usize = 100_000;

/// Up to this number of fields, comparing names is faster than hashing them.
const FEW_FIELDS: usize = 16;

/// A mapping with more edges than this is looked up in an index of its document.
pub(super) const WIDE_FIELDS: usize = 256;

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
    /// Only present in trees that are built from values, or from an assembled text.
    pub(super) assembly: Option<Box<Assembly>>,
    /// Made when a field of a wide mapping is looked up.
    pub(super) wide: OnceLock<Wide>,
}

/// A node's index in its document; stable for the document's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// A set of nodes of one document.
pub enum NodeSet {
    /// A flag for each node of the document.
    Flags(Vec<bool>),
    /// The nodes themselves: a part of a document may be much smaller than the document.
    Nodes(HashSet<NodeId>),
}

impl NodeSet {
    /// Returns the empty set for `document`.
    pub fn new(document: &Document) -> Self {
        NodeSet::Flags(vec![false; document.nodes.len()])
    }

    /// Returns the empty set for a node and the nodes below it.
    pub fn below(root: Node<'_>) -> Self {
        match root.id() == root.document().root {
            true => NodeSet::new(root.document()),
            false => NodeSet::Nodes(HashSet::new()),
        }
    }

    /// Adds a node, and returns whether it was new. Nodes of other documents are in no set.
    pub fn insert(&mut self, node: NodeId) -> bool {
        match self {
            NodeSet::Flags(flags) => flags
                .get_mut(node.0 as usize)
                .is_some_and(|flag| !std::mem::replace(flag, true)),
            NodeSet::Nodes(nodes) => nodes.insert(node),
        }
    }

    /// Whether a node was added.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        match self {
            NodeSet::Flags(flags) => flags.get(node.0 as usize).is_some_and(|flag| *flag),
            NodeSet::Nodes(nodes) => nodes.contains(&node),
        }
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
    /// A range of the document's `text`.
    Scalar { from: u32, to: u32 },
    /// A range of the document's `edges`.
    Sequence { from: u32, to: u32 },
    /// A range of the document's `edges`, with keys and values alternating.
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
    /// Whether only blanks precede it on its line.
    pub own_line: bool,
}

/// The kind of a node.
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
    /// Returns the top node.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, self.root)
    }

    /// Moves all places of a document that was parsed from a part of a text. The part begins at `offset`.
    pub(super) fn shift(&mut self, offset: usize) {
        let by = u32::try_from(offset).unwrap_or(u32::MAX);
        self.start = self.start.saturating_add(by);
        self.range = self.range.start + offset..self.range.end + offset;
        for node in &mut self.nodes {
            node.start = node.start.saturating_add(by);
            node.end = node.end.saturating_add(by);
        }
        for comment in &mut self.comments {
            comment.span = comment.span.shifted(offset);
        }
    }

    /// Returns the node with an id of this document.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        self.nodes.get(id.0 as usize).map(|_| Node::new(self, id))
    }

    /// Returns the node that an id refers to where it is written.
    pub(super) fn at(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// The span from the start marker, or from the first content without one, to the end of the last content.
    pub fn span(&self) -> Span {
        if self.root().is_assembled() {
            return self.root().span();
        }
        let start = self.start as usize;
        let end = self.nodes[self.root.0 as usize].end as usize;
        Span::new(self.source, start..end.max(start))
    }

    /// The bytes that belong to this document only: comments before it at the top of the file, the marker, the content,
    /// and everything up to the next document or the end.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether it contains nothing but comments, or an explicit null.
    pub fn is_empty(&self) -> bool {
        self.root().is_null()
    }

    /// The comments within [`Document::range`], in order.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// Resolves an id, following aliases.
    pub(super) fn target(&self, id: NodeId) -> NodeId {
        match self.nodes[id.0 as usize].shape {
            Shape::Alias(target) => target,
            _ => id,
        }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the tree: it may be large and deep.
        f.debug_struct("Document")
            .field("range", &self.range)
            .field("nodes", &self.nodes.len())
            .finish()
    }
}

/// A handle to a node. Aliases are followed: only [`Node::written_at`] and [`Node::is_alias`] distinguish them.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    id: NodeId,
    /// The node of the reference; `id` unless it is an alias.
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
        // Ids only come from the document's own arena.
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

    /// Returns the document that contains the node.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// Returns the node's index in its document. An alias has the index of its target.
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

    /// The span of the node's own text: from its first byte to the end of its last descendant, without anchor and tag.
    ///
    /// It includes quotes and brackets. A block scalar extends from its header to its last line that is not blank. An
    /// unwritten value has an empty span after its `:` or `-`.
    pub fn span(self) -> Span {
        self.span_of(self.id)
    }

    /// The span of the reference to the node: the `*name` of an alias, otherwise [`Node::span`].
    pub fn written_at(self) -> Span {
        self.span_of(self.at)
    }

    /// Whether it has a local tag of some tool (`!Ref`, `!vault`): the tool replaces the node.
    pub fn has_local_tag(self) -> bool {
        self.data().tag == Tag::Local
    }

    /// The node's own index where it is written: for an alias that of the alias.
    pub(super) fn written_id(self) -> NodeId {
        self.at
    }

    /// Whether it was reached through an alias.
    pub fn is_alias(self) -> bool {
        self.id != self.at
    }

    /// Returns the value of a mapping's field, as go-yaml v2 would see it; see [`Node::field`].
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.field(key).map(|field| field.value)
    }

    /// Returns the effective field of a mapping for `key`.
    ///
    /// Follows go-yaml v2: fields are assigned in the order written, and the last one wins. `<<` assigns the merged
    /// fields at its place, so it overrides earlier fields. In a list of merge sources, earlier sources win.
    pub fn field(self, key: &str) -> Option<Field<'a>> {
        let is_wide = self.edges().len() > WIDE_FIELDS;
        if is_wide && !self.has_merge() && self.kind() == Kind::Mapping {
            let wide = self.document.wide.get_or_init(|| Wide::of(self.document));
            return wide.field(self, key);
        }
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

    /// Returns the effective fields after merges and duplicates, each at the place where its key first occurred.
    ///
    /// The rules are those of [`Node::field`]. All fields with an unknown or non-scalar key are kept. Empty for other
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
        for field in self.assignments(MERGE_BUDGET) {
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

    /// Returns the fields in the order in which go-yaml assigns them, those that `<<` merges in its place. Ends early once
    /// it has visited `budget` fields of merged mappings.
    pub(super) fn assignments(self, budget: usize) -> impl Iterator<Item = Field<'a>> + 'a {
        let mut budget = budget;
        let mut open = vec![Walk::whole(self)];
        std::iter::from_fn(move || {
            while let Some(walk) = open.last_mut() {
                let Some(field) = walk.next() else {
                    open.pop();
                    continue;
                };
                let is_merge = field.is_merge();
                let sources = match is_merge {
                    true => merge_sources(field.value),
                    false => Vec::new(),
                };
                let cost = usize::from(open.len() > 1) + sources.len();
                budget = budget.checked_sub(cost)?;
                if !is_merge {
                    return Some(field);
                }
                // The first source is applied last, so it wins. The top of the stack is applied first.
                open.extend(sources.into_iter().map(Walk::whole));
            }
            None
        })
    }

    /// Returns the fields as written: with duplicates, and with `<<` as an ordinary field (see [`Field::is_merge`]).
    pub fn written_fields(self) -> impl Iterator<Item = Field<'a>> + 'a {
        let mut walk = Walk::whole(self);
        std::iter::from_fn(move || walk.next())
    }

    /// Whether the mapping has a `<<` field.
    pub fn has_merge(self) -> bool {
        matches!(self.data().shape, Shape::Mapping { merges: true, .. })
    }

    /// Returns the ids of the items of a sequence, or of the keys and values of a mapping in turn, as written.
    pub(super) fn edges(self) -> &'a [NodeId] {
        let range = match self.data().shape {
            Shape::Sequence { from, to } | Shape::Mapping { from, to, .. } => {
                from as usize..to as usize
            }
            Shape::Scalar { .. } | Shape::Alias(_) => return &[],
        };
        self.document.edges.get(range).unwrap_or_default()
    }

    /// Returns the items of a sequence; empty for other kinds.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> + 'a {
        let edges: &'a [NodeId] = match self.data().shape {
            Shape::Sequence { .. } => self.edges(),
            _ => &[],
        };
        edges.iter().map(move |id| Node::new(self.document, *id))
    }

    /// Returns the typed value of a scalar, or `None` for collections.
    pub fn scalar(self) -> Option<Scalar<'a>> {
        let text = self.raw()?;
        let data = self.data();
        // The parser already rejected documents with a tag that contradicts its scalar.
        Some(resolve(text, data.tag, data.style == Style::Plain).unwrap_or(Scalar::Str(text)))
    }

    /// Returns the unescaped text of a scalar of any type. It is empty for an unwritten value.
    pub fn raw(self) -> Option<&'a str> {
        match self.data().shape {
            Shape::Scalar { from, to } => self.document.text.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// Whether the value is null or not written.
    pub fn is_null(self) -> bool {
        self.scalar() == Some(Scalar::Null)
    }

    /// Returns the text of a scalar that is typed as a string.
    pub fn as_str(self) -> Option<&'a str> {
        match self.scalar() {
            Some(Scalar::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a scalar that is typed as a boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.scalar() {
            Some(Scalar::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of a scalar that is typed as an integer, or `None` for floats such as `300.0`.
    pub fn as_int(self) -> Option<i64> {
        match self.scalar() {
            Some(Scalar::Int(value)) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the children: trees may be deep.
        f.debug_struct("Node")
            .field("kind", &self.kind())
            .field("raw", &self.raw())
            .field("span", &self.written_at().range())
            .finish()
    }
}

/// Two handles are equal if they refer to the same node of the same document.
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
    /// The value, with an alias already followed.
    pub value: Node<'a>,
}

impl<'a> Field<'a> {
    /// Returns the key's raw text, or `None` if the key is a collection.
    pub fn name(&self) -> Option<&'a str> {
        self.key.raw()
    }

    /// Returns the key's text, or `None` if part of it is unknown.
    pub fn known_name(&self) -> Option<&'a str> {
        self.name().filter(|_| self.key.unknown_because().is_none())
    }

    /// The span from the key's start to the end of the value, or of the `*name` that refers to the value.
    pub fn span(&self) -> Span {
        let (key, value) = (self.key.written_at(), self.value.written_at());
        // If the value is written elsewhere than its key, its place is the one to report.
        if self.value.is_assembled() && (key.source != value.source || value.start < key.start) {
            return value;
        }
        key.cover(value)
    }

    /// Whether the field is `<<`: the fields of its value are merged into the mapping.
    pub fn is_merge(&self) -> bool {
        !self.key.is_alias() && is_merge_key(self.key.data(), self.key.raw())
    }
}

/// go-yaml v2 only merges for a plain `<<`, unless the tag requires it.
pub(super) fn is_merge_key(key: &NodeData, raw: Option<&str>) -> bool {
    raw == Some("<<")
        && match key.tag {
            Tag::None => key.style == Style::Plain,
            Tag::NonSpecific | Tag::Merge => true,
            _ => false,
        }
}

/// The mappings that a `<<` refers to, in the order written.
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
            Shape::Mapping { .. } => node.edges(),
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
