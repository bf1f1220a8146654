//! Reads a template often enough that each of its branches occurs in a reading, but no two that exclude each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::branches::{Arm, Branches, Plan};
use super::flows::{Flow, Test};
use super::given::Given;
use super::writer::{Writer, Written};
use crate::charts::Step;
use crate::source::SourceId;
use crate::source::text::Cut as _;
use crate::yaml::{Document, Kind, Node, NodeSet, Pieces, Stream};

/// The maximum number of variants of a template.
const MAX_VARIANTS: usize = 8;

/// How often a variant is tried, each time without the branches that do not go with the others.
const MAX_TRIES: usize = 5;

/// A template written out with one arm of each block, and read as YAML.
pub struct Variant {
    branches: Branches,
    /// The text, for the places of what was read.
    pub text: Pieces,
    /// Its documents and errors.
    pub stream: Stream,
    /// Whether other variants contain relevant text that this one lacks.
    pub left_out: bool,
    flows: Vec<Flow>,
    tests: Vec<Test>,
}

impl Variant {
    /// Whether the text at an offset is in a block that the text at another offset is not in.
    pub fn is_conditional(&self, at: usize, beside: usize) -> bool {
        let (own, other) = (self.text.mark_at(at), self.text.mark_at(beside));
        !self.branches.contains(own, other)
    }

    /// Whether the text at an offset is not known.
    pub fn is_unknown_at(&self, at: usize) -> bool {
        self.text.is_open_at(at)
    }

    /// What the template prints at an offset of the text.
    pub fn flow_at(&self, at: usize) -> Option<&Flow> {
        let tag = self.text.tag_at(at) as usize;
        self.flows.get(tag.checked_sub(1)?)
    }

    /// Whether some part of it was chosen without knowing that it is written.
    pub fn has_choices(&self) -> bool {
        self.branches.arms().next().is_some()
    }

    /// What the template tests around the text at an offset, from the innermost condition; if there is another offset, only
    /// as far as it is not tested there.
    pub fn tests_at(&self, at: usize, outside: Option<usize>) -> Vec<&Test> {
        let outside = outside.map_or(0, |outside| self.text.mark_at(outside));
        let mut mark = self.text.mark_at(at);
        let mut tests = Vec::new();
        while !self.branches.contains(mark, outside) {
            let index = (mark as usize).checked_sub(1);
            tests.extend(index.and_then(|index| self.tests.get(index)));
            match self.branches.get(mark) {
                Some((parent, _)) => mark = parent,
                None => break,
            }
        }
        tests
    }
}

/// What was read of a template.
pub struct Variants {
    /// The variants.
    pub all: Vec<Variant>,
    /// Whether they cover all branches.
    pub complete: bool,
    /// Paths of values that the template changes.
    pub changed: BTreeSet<Vec<Step>>,
}

/// Reads a template of a file. `write` writes a variant of it.
pub fn variants(
    source: SourceId,
    given: Option<&Given<'_>>,
    write: impl Fn(&mut Writer<'_>),
) -> Variants {
    let mut covered = BTreeSet::new();
    let mut wanted = BTreeMap::new();
    let mut all = Vec::new();
    let mut changed = BTreeSet::new();
    let mut hiding = BTreeSet::new();
    loop {
        let (written, variant) = read(source, given, Plan::new(&covered, &wanted), &write);
        hiding.extend(hiding_arms(&variant));
        let before = covered.len();
        covered.extend(written.branches.arms());
        let is_new = covered.len() > before;
        if all.is_empty() || is_new {
            all.push(variant);
        }
        wanted.extend(written.wanted);
        changed.extend(written.changed);
        let is_complete = wanted.keys().all(|arm| covered.contains(arm));
        if is_complete || !is_new || written.is_full || all.len() >= MAX_VARIANTS {
            let complete = is_complete && !written.is_full;
            if !hiding.is_empty() {
                all.push(read(source, given, Plan::without(hiding), &write).1);
            }
            return Variants {
                all,
                complete,
                changed,
            };
        }
    }
}

/// Reads one variant: arms that exclude each other are left out until none are left.
fn read(
    source: SourceId,
    given: Option<&Given<'_>>,
    mut plan: Plan,
    write: &impl Fn(&mut Writer<'_>),
) -> (Written, Variant) {
    let mut tried = 0;
    loop {
        tried += 1;
        let mut writer = Writer::new(&plan, source);
        writer.fill(given);
        write(&mut writer);
        let written = writer.finish();
        let (text, stream) = written.pieces.parse(source);
        let arms = excluded(&text, &stream, &written.branches, &plan.covered);
        if arms.is_empty() || tried == MAX_TRIES {
            let left_out = written.left_out;
            let variant = Variant {
                branches: written.branches.clone(),
                text,
                stream,
                left_out,
                flows: written.flows.clone(),
                tests: written.tests.clone(),
            };
            return (written, variant);
        }
        plan.excluded.extend(arms);
    }
}

/// The arms with a field of a mapping that hides the one which is written before it in any case. Without them, that one counts.
fn hiding_arms(variant: &Variant) -> Vec<Arm> {
    let twice = variant.stream.documents.iter().flat_map(repeated);
    let arms = twice.filter_map(|(first, later)| {
        let (first, later) = (variant.text.mark_at(first), variant.text.mark_at(later));
        variant.branches.leading_to(later, first)
    });
    arms.collect()
}

/// The arms to leave out: of two with the same field of a mapping, the one that was written before, else the later one;
/// and the ones with broken YAML.
fn excluded(
    text: &Pieces,
    stream: &Stream,
    branches: &Branches,
    covered: &BTreeSet<Arm>,
) -> Vec<Arm> {
    let mut arms = Vec::new();
    for document in &stream.documents {
        for (first, later) in repeated(document) {
            let (first, later) = (text.mark_at(first), text.mark_at(later));
            if let Some((first, later)) = branches.apart(first, later) {
                let is_old = covered.contains(&first) && !covered.contains(&later);
                arms.push(if is_old { first } else { later });
            }
        }
    }
    for error in &stream.errors {
        let mark = text.mark_at(error.span.start as usize);
        // Without an arm that contains the whole document, more than the document would be missing.
        let document = text.text().within(error.document.clone());
        let blank = document.len() - document.trim_start_matches(['-', ' ', '\n', '\r']).len();
        let start = text.mark_at(error.document.start + blank);
        if !branches.contains(mark, start) {
            arms.extend(branches.get(mark).map(|(_, arm)| arm));
        }
    }
    arms
}

/// The offsets of keys that occur twice in a mapping: the first one and another one.
fn repeated(document: &Document) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut seen = NodeSet::new(document);
    let mut pending = vec![document.root()];
    while let Some(node) = pending.pop() {
        if !seen.insert(node.id()) {
            continue;
        }
        match node.kind() {
            Kind::Scalar => {}
            Kind::Sequence => pending.extend(node.items()),
            Kind::Mapping => {
                let mut names: HashMap<&str, Node<'_>> = HashMap::new();
                for field in node.written_fields() {
                    pending.push(field.value);
                    let Some(name) = field.name() else { continue };
                    match names.get(name) {
                        Some(first) => {
                            let place = |key: Node<'_>| key.span().start as usize;
                            found.push((place(*first), place(field.key)));
                        }
                        None => {
                            names.insert(name, field.key);
                        }
                    }
                }
            }
        }
    }
    found
}
