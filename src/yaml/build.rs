//! Builds one document from the parser's events: adds nodes to the arena, corrects their places, and rejects what
//! Kubernetes' reader rejects.
//!
//! Nothing here recurses: open collections are frames on a list.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "ids of nodes and runs of edges are given out by the document that they are used on"
    )
)]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use granit_parser::{Event, ScalarStyle, StructureStyle};

use super::base64;
use super::between::{self, Around, Flaw};
use super::kept::Kept;
use super::keys;
use super::node::{Document, NodeData, NodeId, Shape, Style, is_merge_key};
use super::scalar::{Scalar, Tag, resolve, resolve_plain};
use super::scan::{Scan, WINDOW};
use crate::source::SourceId;
use crate::source::text::Cut as _;
use crate::source::text::{floor, line_start};

/// The number of nodes to which aliases may expand a document of any size.
const EXPANSION_FLOOR: u64 = 1_000_000;

/// Beyond the floor, aliases may expand a document to this multiple of the nodes written.
const EXPANSION_FACTOR: u64 = 10;

/// The anchor and tag before a node: the YAML specification calls them the node's properties.
struct Properties {
    /// The number of its anchor, or 0 if it has none.
    anchor: usize,
    tag: Tag,
}

impl Properties {
    fn of(anchor: usize, tag: Option<&granit_parser::Tag>) -> Properties {
        Properties {
            anchor,
            tag: tag_of(tag),
        }
    }
}

/// A collection that has not ended yet.
struct Frame {
    node: NodeId,
    anchor: usize,
    /// Where its children start in the list of waiting nodes.
    first: usize,
    /// The number of nodes below it so far, with aliases expanded.
    size: u64,
    mapping: bool,
}

/// An anchored node; its expanded size is unknown while it is open.
struct Anchor {
    node: NodeId,
    size: Option<u64>,
}

/// An estimate of the size of a document before it is read, so that its lists do not have to grow in steps.
#[derive(Clone, Copy)]
pub(super) struct Size {
    nodes: usize,
    edges: usize,
    text: usize,
}

impl Size {
    /// Estimates the size of the only document in a text of this many bytes. Estimates low for large texts: most of
    /// them are one scalar, or many documents.
    pub fn of_text(bytes: usize) -> Self {
        const ENOUGH: usize = 16 * 1024;
        let bytes = bytes.min(ENOUGH);
        Size {
            nodes: bytes / 10,
            edges: bytes / 10,
            text: bytes / 2,
        }
    }
}

/// What has no form in JSON. The document is only refused if it is kept: a later value of the same key replaces it first.
struct Unwritable {
    node: NodeId,
    is_key: bool,
    message: String,
    place: Range<usize>,
}

/// A document being built.
pub(super) struct Build {
    pub start: usize,
    marker: usize,
    nodes: Vec<NodeData>,
    edges: Vec<NodeId>,
    text: String,
    frames: Vec<Frame>,
    /// Finished nodes whose parent is still open.
    waiting: Vec<NodeId>,
    anchors: HashMap<usize, Anchor>,
    /// End of the last token seen, not counting comments. The search for indicators of the next node starts here.
    pub reached: usize,
    /// The number of nodes, with aliases expanded.
    size: u64,
    /// The alias that expands to the most nodes, for the error if there are too many.
    heaviest: (u64, Range<usize>),
    pub problem: Option<(String, Range<usize>)>,
    unwritable: Vec<Unwritable>,
    /// How far the text was checked for things that go-yaml rejects.
    checked: usize,
    /// How far the text was checked before the last token.
    before: usize,
    /// Set if the last token was a plain value: the start of its block.
    after_plain: Option<Option<usize>>,
    /// Set if the last token was a block scalar: the indentation of its lines.
    after_block: Option<usize>,
    /// Whether nothing was read yet.
    fresh: bool,
    /// The number of open brackets and braces.
    flows: usize,
    /// The starts of the open blocks.
    blocks: Vec<usize>,
    /// Whether clients read it as JSON, or `None` if not determined yet.
    json: Option<bool>,
    /// A tag that go-yaml reads further than the parser does.
    pub tag: Option<Range<usize>>,
}

impl Build {
    pub fn new(start: usize, marker: usize, content: usize, expected: Size) -> Self {
        Build {
            start,
            marker,
            nodes: Vec::with_capacity(expected.nodes),
            edges: Vec::with_capacity(expected.edges),
            text: String::with_capacity(expected.text),
            frames: Vec::new(),
            waiting: Vec::new(),
            anchors: HashMap::new(),
            reached: content,
            size: 0,
            heaviest: (0, 0..0),
            problem: None,
            unwritable: Vec::new(),
            checked: start,
            before: start,
            after_plain: None,
            after_block: None,
            fresh: true,
            flows: 0,
            blocks: Vec::new(),
            json: None,
            tag: None,
        }
    }

    /// Checks the gap before a non-empty token, and continues after the token.
    fn pass(&mut self, text: &str, token: Range<usize>, plain: bool) {
        let gap = self.checked..token.start.max(self.checked);
        let around = self.around();
        let flaw = self.flaw_before(text, gap.clone());
        let flaw = flaw.or_else(|| {
            let in_lines = || between::flaw_in_plain(text, token.clone(), around);
            plain.then(in_lines).flatten()
        });
        let flaw = flaw.or_else(|| {
            let in_flow = || between::flaw_in_flow(text, token.clone());
            (plain && around.flow).then(in_flow).flatten()
        });
        self.refuse_flaw(text, flaw);
        self.pass_key(text, token.start);
        if around.flow && self.tag.is_none() {
            self.tag = between::swallowed(text, gap);
        }
        self.before = self.checked;
        self.checked = self.checked.max(token.end);
        self.after_plain = plain.then_some(around.block);
        self.fresh = false;
    }

    /// Handles the start of a value: its key must be on one line.
    fn pass_key(&mut self, text: &str, value: usize) {
        let Some(key) = self.open_key() else { return };
        let before = if key.is_empty() {
            self.checked
        } else {
            self.before
        };
        let flaw = match self.flows {
            0 => between::broken_block_key(text, key),
            _ => between::broken_key(text, before, key, value),
        };
        self.refuse_flaw(text, flaw);
    }

    /// Returns the key that is waiting for its value.
    fn open_key(&self) -> Option<Range<usize>> {
        let frame = self.frames.last().filter(|frame| frame.mapping)?;
        let waiting = self.waiting.get(frame.first..)?;
        let key = waiting.last().filter(|_| waiting.len() % 2 == 1)?;
        let data = &self.nodes[key.0 as usize];
        Some(data.start as usize..data.end as usize)
    }

    /// The number of open brackets and braces.
    pub fn in_flow(&self) -> usize {
        self.flows
    }

    /// The column of the innermost block.
    pub fn column(&self, text: &str) -> Option<usize> {
        let block = self.blocks.last()?;
        Some(between::column(text, *block))
    }

    fn around(&self) -> Around {
        Around {
            flow: self.flows > 0,
            block: self.blocks.last().copied(),
            after_plain: self.after_plain.is_some(),
            fresh: self.fresh,
        }
    }

    /// The same for the text that follows the last value.
    fn behind(&self) -> Around {
        let around = self.around();
        let block = self.after_plain.unwrap_or(around.block);
        Around { block, ..around }
    }

    /// A flaw in a template says little about the rendered text.
    fn refuse_flaw(&mut self, text: &str, flaw: Option<Flaw>) {
        if let Some((message, place)) = flaw
            && self.problem.is_none()
            && !["{{", "{%"].iter().any(|mark| text.contains(mark))
        {
            self.refuse(|| message.to_owned(), place);
        }
    }

    /// Returns a tag before an error that go-yaml reads further than the parser does.
    pub fn tag_before(&self, text: &str, at: usize) -> Option<Range<usize>> {
        between::swallowed(text, self.checked..at.max(self.checked))
    }

    /// Handles the end of the document at an offset.
    pub fn pass_end(&mut self, text: &str, end: usize) {
        let gap = self.checked..end.max(self.checked);
        let flaw = self.flaw_before(text, gap);
        self.refuse_flaw(text, flaw);
    }

    /// Returns the flaw in a gap after the last token, or `None` if there is none.
    fn flaw_before(&mut self, text: &str, gap: Range<usize>) -> Option<Flaw> {
        let indent = self.after_block.take();
        let in_block =
            indent.and_then(|indent| between::flaw_behind_block(text, gap.clone(), indent));
        in_block.or_else(|| between::flaw(text, gap, self.behind()))
    }

    /// The current size.
    pub fn size(&self) -> Size {
        Size {
            nodes: self.nodes.len(),
            edges: self.edges.len(),
            text: self.text.len(),
        }
    }

    /// Records a problem. Only the first one is kept.
    fn refuse(&mut self, message: impl FnOnce() -> String, place: Range<usize>) {
        if self.problem.is_none() {
            self.problem = Some((message(), place));
        }
    }

    pub fn accept(&mut self, text: &str, event: Event<'_>, range: Range<usize>) {
        let end = range.end;
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(
                    text,
                    &value,
                    style,
                    Properties::of(anchor, tag.as_deref()),
                    range,
                );
            }
            Event::SequenceStart(style, anchor, tag) => {
                let range = match style {
                    StructureStyle::Block => self.first_dash(text, range),
                    StructureStyle::Flow => range,
                };
                self.open(
                    text,
                    style,
                    Properties::of(anchor, tag.as_deref()),
                    range,
                    false,
                );
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(
                    text,
                    style,
                    Properties::of(anchor, tag.as_deref()),
                    range,
                    true,
                );
            }
            Event::SequenceEnd | Event::MappingEnd => return self.end(text, range),
            Event::Alias(anchor) => self.alias(text, anchor, range),
            Event::UnresolvedAlias(name) => {
                self.refuse(
                    || format!("unknown anchor `{name}` referenced"),
                    range.clone(),
                );
                let node = self.push(
                    range,
                    Style::Plain,
                    Tag::None,
                    Shape::Scalar { from: 0, to: 0 },
                );
                self.done(node, 1);
            }
            _ => {}
        }
        self.reached = self.reached.max(end);
    }

    fn push(&mut self, range: Range<usize>, style: Style, tag: Tag, shape: Shape) -> NodeId {
        let id = NodeId(offset(self.nodes.len()));
        self.nodes.push(NodeData {
            start: offset(range.start),
            end: offset(range.end),
            style,
            tag,
            shape,
        });
        id
    }

    /// Completes a node: it becomes a child of the innermost open collection.
    fn done(&mut self, node: NodeId, size: u64) {
        self.waiting.push(node);
        let total = match self.frames.last_mut() {
            Some(frame) => &mut frame.size,
            None => &mut self.size,
        };
        *total = total.saturating_add(size);
    }

    fn scalar(
        &mut self,
        text: &str,
        value: &str,
        style: ScalarStyle,
        Properties { anchor, tag }: Properties,
        range: Range<usize>,
    ) {
        let mut value = value;
        let (style, place) = match style {
            ScalarStyle::Plain if range.is_empty() => {
                // The parser reports a `~` for it.
                value = "";
                let place = self.unwritten(text, &range);
                self.reached = self.reached.max(place.end);
                (Style::Plain, place)
            }
            ScalarStyle::Plain => (Style::Plain, range.clone()),
            ScalarStyle::SingleQuoted => (Style::SingleQuoted, range.clone()),
            ScalarStyle::DoubleQuoted => (Style::DoubleQuoted, range.clone()),
            ScalarStyle::Literal => (Style::Literal, self.block_scalar(text, range.clone())),
            ScalarStyle::Folded => (Style::Folded, self.block_scalar(text, range.clone())),
        };
        if !place.is_empty() {
            self.pass(
                text,
                place.start..place.end.max(range.end),
                style == Style::Plain,
            );
        } else if text.until(place.start).ends_with(':') {
            self.pass_key(text, place.start);
        }
        if matches!(style, Style::Literal | Style::Folded) {
            let indent = range.start - line_start(text, range.start);
            self.after_block = (!range.is_empty()).then_some(indent);
            let flaw = between::flaw_in_block(text, place.start, range.start);
            self.refuse_flaw(text, flaw);
        }
        if style == Style::DoubleQuoted
            && let Some(flaw) = between::escaped_slash(text, place.clone())
            && !self.is_json(text)
        {
            self.refuse_flaw(text, Some(flaw));
        }
        if resolve(value, tag, style == Style::Plain).is_none() {
            let found = resolve_plain(value).tag();
            self.refuse(
                || format!("cannot decode {found} `{value}` as a {}", tag.name()),
                place.clone(),
            );
        }
        let bytes = match tag {
            Tag::Binary => base64::decode(value),
            _ => None,
        };
        if tag == Tag::Binary && bytes.is_none() {
            let message = "!!binary value contains invalid base64 data";
            self.refuse(|| message.to_owned(), place.clone());
        }
        let shape = self.keep(bytes.as_deref().unwrap_or(value));
        let node = self.push(place.clone(), style, tag, shape);
        if let Some(Scalar::Float(number)) = resolve(value, tag, style == Style::Plain)
            && !number.is_finite()
        {
            self.unwritable.push(Unwritable {
                node,
                is_key: false,
                message: format!("unsupported value: {value}"),
                place,
            });
        }
        self.anchor(anchor, node, Some(1));
        self.done(node, 1);
    }

    /// Adds the text of a scalar.
    fn keep(&mut self, text: &str) -> Shape {
        let from = offset(self.text.len());
        self.text.push_str(text);
        let to = offset(self.text.len());
        Shape::Scalar { from, to }
    }

    /// Whether clients read the document as JSON.
    fn is_json(&mut self, text: &str) -> bool {
        let Some(root) = self.nodes.first() else {
            return false;
        };
        let start = root.start as usize;
        *self
            .json
            .get_or_insert_with(|| between::begins_json(text, start))
    }

    /// The place of an unwritten value: after its `:` or `-`.
    fn unwritten(&self, text: &str, range: &Range<usize>) -> Range<usize> {
        let wanted = match self.frames.last() {
            Some(frame) if !frame.mapping => Some(b'-'),
            Some(frame) if (self.waiting.len() - frame.first) % 2 == 1 => Some(b':'),
            // A key, or the whole document.
            _ => None,
        };
        let fallback = range.start.max(self.reached);
        let Some(wanted) = wanted else {
            return fallback..fallback;
        };
        let window = floor(text, self.reached + WINDOW);
        let mut scan = Scan::new(text.until(window), self.reached);
        scan.skip_blanks();
        let at = if scan.peek() == Some(wanted) {
            scan.at + 1
        } else {
            self.reached
        };
        at..at
    }

    /// The range of a block scalar from its header to its last visible line, given the range of its content.
    pub fn block_scalar(&self, text: &str, content: Range<usize>) -> Range<usize> {
        let mut scan = Scan::new(text.until(content.start), self.reached);
        let header = loop {
            scan.skip_blanks();
            match scan.peek() {
                Some(b'|' | b'>') => break Some(scan.at),
                // Anchors and tags extend to the next blank and may contain any of these characters.
                Some(b'&' | b'!') => scan.skip_word(),
                Some(_) => scan.at += 1,
                None => break None,
            }
        };
        // At the end of the text, the parser reports a scalar without content at its header.
        let start = header.unwrap_or(content.start);
        let indicators = text
            .as_bytes()
            .get(start + 1..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'))
            .count();
        let header_end = start + 1 + indicators;
        let shown = text.within(content.clone()).trim_end().len();
        if shown == 0 || header.is_none() {
            return start..header_end;
        }
        // Blanks at the end of the last line are content.
        let rest = text.within(content.start + shown..content.end);
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        start..content.start + shown + line
    }

    /// The start of a block sequence. If it is not indented below its key, the parser reports the start of the first item.
    fn first_dash(&self, text: &str, given: Range<usize>) -> Range<usize> {
        if !self.frames.last().is_some_and(|frame| frame.mapping) {
            return given;
        }
        let mut scan = Scan::new(text.until(given.start), self.reached);
        loop {
            scan.skip_blanks();
            match scan.peek() {
                Some(b'-') => return scan.at..scan.at,
                Some(b'&' | b'!') => scan.skip_word(),
                Some(_) => scan.at += 1,
                None => return given,
            }
        }
    }

    fn open(
        &mut self,
        text: &str,
        style: StructureStyle,
        Properties { anchor, tag }: Properties,
        range: Range<usize>,
        mapping: bool,
    ) {
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        if style == Style::Flow && !range.is_empty() {
            self.pass(text, range.clone(), false);
        } else {
            self.pass_key(text, range.start);
        }
        match style {
            Style::Flow => self.flows += 1,
            _ => self.blocks.push(range.start),
        }
        // The range of children is filled in at the end.
        let node = self.push(range, style, tag, Shape::Sequence { from: 0, to: 0 });
        self.anchor(anchor, node, None);
        self.frames.push(Frame {
            node,
            anchor,
            first: self.waiting.len(),
            size: 1,
            mapping,
        });
    }

    fn end(&mut self, text: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.pass(text, range.clone(), false);
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let flow = self.nodes[frame.node.0 as usize].style == Style::Flow;
        if flow {
            self.flows = self.flows.saturating_sub(1);
        } else {
            self.blocks.pop();
        }
        let from = offset(self.edges.len());
        self.edges.extend(self.waiting.drain(frame.first..));
        let to = offset(self.edges.len());
        let children = self
            .edges
            .get(from as usize..to as usize)
            .unwrap_or_default();
        let last = children
            .last()
            .map_or(0, |last| self.nodes[last.0 as usize].end);
        let shape = if frame.mapping {
            let merges = self.check_merges(from as usize..to as usize);
            self.settle_keys(text, from as usize..to as usize);
            Shape::Mapping { from, to, merges }
        } else {
            Shape::Sequence { from, to }
        };
        let data = &mut self.nodes[frame.node.0 as usize];
        data.shape = shape;
        // The end event of a block, and of a pair in `[a: b]`, is empty and is placed at the next token.
        data.end = if range.is_empty() {
            data.end.max(last)
        } else {
            self.reached = self.reached.max(range.end);
            offset(range.end)
        };
        if let Some(anchor) = self.anchors.get_mut(&frame.anchor)
            && anchor.node == frame.node
        {
            anchor.size = Some(frame.size);
        }
        self.done(frame.node, frame.size);
    }

    /// Whether a finished mapping has merge keys. Like go-yaml, rejects the document if one merges anything but mappings.
    fn check_merges(&mut self, children: Range<usize>) -> bool {
        let mut merges = false;
        for at in children.step_by(2) {
            let (key, Some(value)) = (self.edges[at], self.edges.get(at + 1).copied()) else {
                break;
            };
            let data = &self.nodes[key.0 as usize];
            let raw = match data.shape {
                Shape::Scalar { from, to } => self.text.get(from as usize..to as usize),
                _ => None,
            };
            if !is_merge_key(data, raw) {
                continue;
            }
            merges = true;
            let written = &self.nodes[value.0 as usize];
            let good = match written.shape {
                // A list of sources must be written here, not as an alias.
                Shape::Sequence { from, to } => self
                    .edges
                    .get(from as usize..to as usize)
                    .unwrap_or_default()
                    .iter()
                    .all(|source| self.is_mapping(*source)),
                _ => self.is_mapping(value),
            };
            if !good {
                let place = written.start as usize..written.end as usize;
                let message = "map merge requires map or sequence of maps as the value";
                self.refuse(|| message.to_owned(), place);
            }
        }
        merges
    }

    /// Converts keys to texts, and notes those that cannot be converted.
    fn settle_keys(&mut self, text: &str, children: Range<usize>) {
        for at in children.step_by(2) {
            let key = self.edges[at];
            let data = &self.nodes[key.0 as usize];
            let place = data.start as usize..data.end as usize;
            let meant = match data.shape {
                Shape::Alias(target) => &self.nodes[target.0 as usize],
                _ => data,
            };
            let Shape::Scalar { from, to } = meant.shape else {
                if !is_action(text, &place) {
                    self.refuse(|| "invalid map key: a map or a list".to_owned(), place);
                }
                continue;
            };
            let text = self
                .text
                .get(from as usize..to as usize)
                .unwrap_or_default();
            let Some(found) = resolve(text, meant.tag, meant.style == Style::Plain) else {
                continue;
            };
            if let Some(message) = keys::refusal(found) {
                self.unwritable.push(Unwritable {
                    node: key,
                    is_key: true,
                    message: message.to_owned(),
                    place,
                });
            } else if let Some(arrives) = keys::as_text(found).filter(|arrives| arrives != text) {
                // It keeps its type, but gets its canonical spelling.
                let tag = match found {
                    // `1.0` becomes `1`.
                    Scalar::Float(_) => Tag::Float,
                    _ => meant.tag,
                };
                let style = meant.style;
                let shape = self.keep(&arrives);
                let data = &mut self.nodes[key.0 as usize];
                (data.shape, data.style, data.tag) = (shape, style, tag);
            }
        }
    }

    fn is_mapping(&self, node: NodeId) -> bool {
        let node = match self.nodes[node.0 as usize].shape {
            Shape::Alias(target) => target,
            _ => node,
        };
        matches!(self.nodes[node.0 as usize].shape, Shape::Mapping { .. })
    }

    fn anchor(&mut self, anchor: usize, node: NodeId, size: Option<u64>) {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor { node, size });
        }
    }

    fn alias(&mut self, text: &str, anchor: usize, range: Range<usize>) {
        let name = text.within(range.clone()).trim_start_matches('*');
        self.pass(text, range.clone(), false);
        if !between::is_name(name) {
            self.refuse_flaw(text, Some(between::bad_name(range.clone())));
        }
        let (shape, size) = match self.anchors.get(&anchor) {
            Some(&Anchor {
                node,
                size: Some(size),
            }) => (Shape::Alias(node), size),
            found => {
                let message = match found {
                    Some(_) => format!("anchor `{name}` contains itself"),
                    None => format!("unknown anchor `{name}` referenced"),
                };
                self.refuse(|| message, range.clone());
                (Shape::Scalar { from: 0, to: 0 }, 1)
            }
        };
        if size > self.heaviest.0 {
            self.heaviest = (size, range.clone());
        }
        let node = self.push(range, Style::Plain, Tag::None, shape);
        self.done(node, size);
    }

    pub fn finish(mut self, source: SourceId) -> Result<Document, (String, Range<usize>)> {
        let written = self.nodes.len() as u64;
        if self.size > EXPANSION_FLOOR && self.size > written.saturating_mul(EXPANSION_FACTOR) {
            let place = self.heaviest.1.clone();
            self.refuse(|| "document contains excessive aliasing".to_owned(), place);
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let root = match self.waiting.last() {
            Some(root) => *root,
            // The parser reports a node for every document, even if it is a null.
            None => {
                let at = self.reached;
                self.push(
                    at..at,
                    Style::Plain,
                    Tag::None,
                    Shape::Scalar { from: 0, to: 0 },
                )
            }
        };
        let document = Document {
            source,
            nodes: self.nodes,
            edges: self.edges,
            text: self.text,
            root,
            start: offset(self.marker),
            range: 0..0,
            comments: Vec::new(),
            assembly: None,
            wide: OnceLock::new(),
        };
        if self.unwritable.is_empty() {
            return Ok(document);
        }
        let kept = Kept::of(&document);
        let unwritable = self.unwritable.into_iter();
        let mut refused = unwritable.filter(|one| match one.is_key {
            true => kept.has_key(one.node),
            false => kept.has_value(one.node),
        });
        match refused.next() {
            Some(one) => Err((one.message, one.place)),
            None => Ok(document),
        }
    }
}

/// Offsets and indices fit: texts of 4 GiB are rejected at the start.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn tag_of(tag: Option<&granit_parser::Tag>) -> Tag {
    let Some(tag) = tag else {
        return Tag::None;
    };
    if let Some(name) = tag.suffix_in_namespace("tag:yaml.org,2002:") {
        return match &*name {
            "bool" => Tag::Bool,
            "int" => Tag::Int,
            "float" => Tag::Float,
            "null" => Tag::Null,
            "timestamp" => Tag::Timestamp,
            "binary" => Tag::Binary,
            "merge" => Tag::Merge,
            _ => Tag::Str,
        };
    }
    match tag.parts() {
        ("", "!") | ("!", "") => Tag::NonSpecific,
        _ => Tag::Local,
    }
}

/// Whether a key in braces or brackets is the inner part of a template action: `{{ x }}`, also before a colon.
fn is_action(text: &str, place: &Range<usize>) -> bool {
    let key = text.get(place.clone()).unwrap_or_default();
    let before = text.get(..place.start).unwrap_or_default();
    ['{', '['].into_iter().any(|brace| {
        key.strip_prefix(brace)
            .is_some_and(|rest| before.ends_with(brace) || rest.starts_with(brace))
    })
}
