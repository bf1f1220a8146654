//! Manifests in strings of any object and in heredocs of scripts and Terraform files: ConfigMaps, pod templates in Helm values,
//! commands that pipe a manifest to `kubectl`.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits"
    )
)]

use std::collections::HashSet;

use super::duplicates;
use super::misspelt;
use super::read::names_tolerations;
use super::reading::Reading;
use super::subject::Subject;
use super::texts::{Inner, ReadDocument};
use super::{FileFacts, heredocs, ytt};
use crate::finding::Object;
use crate::source::text::Cut as _;
use crate::source::{FileKind, Span};
use crate::terraform;
use crate::yaml::{Kind, Node, NodeId, Pieces, Style, pieces_of};

/// The maximum nesting of texts in texts.
const MAX_DEPTH: u8 = 4;

/// Keys of strings that are not applied: copies that tools write, and what other readers handle.
const SKIPPED: [&str; 2] = ["annotations", "status"];

/// Reads the strings of an object that contain manifests, except for those that were read already.
pub(super) fn read(
    subject: &Subject<'_>,
    done: &HashSet<NodeId>,
    read_document: ReadDocument<'_>,
) -> FileFacts {
    let mut facts = FileFacts::default();
    if subject.reading.depth >= MAX_DEPTH || !may_hold_texts(subject.text()) {
        return facts;
    }
    let visits = duplicates::walk(subject.root);
    for at in 0..visits.len() {
        let node = visits[at].node;
        let Some(inner) = node.raw().filter(|_| node.kind() == Kind::Scalar) else {
            continue;
        };
        let key = duplicates::key_of(&visits, at);
        let is_list = key.is_some_and(names_tolerations);
        let is_text = inner.trim_end().contains('\n') || inner.starts_with(['{', '[']);
        let is_read = done.contains(&node.id()) || is_skipped(&visits, at);
        if !is_text || is_read || !(is_list || may_have_tolerations(inner)) {
            continue;
        }
        let string = StringNode {
            subject,
            node,
            key,
            path: duplicates::path_of(&visits, at, &subject.base),
        };
        facts.absorb(string.read(inner, read_document));
    }
    facts
}

/// Whether a text may contain other texts, as block strings or with escapes.
fn may_hold_texts(text: &str) -> bool {
    text.contains(['|', '>', '\\', '{']) && may_have_tolerations(text)
}

/// Whether a text may be a manifest or another text with tolerations.
fn may_have_tolerations(text: &str) -> bool {
    text.contains(':') && (text.contains("olerations") || misspelt::may_be_in(text))
}

fn is_skipped(visits: &[duplicates::Visit<'_>], mut at: usize) -> bool {
    while at != 0 {
        if duplicates::key_of(visits, at).is_some_and(|key| SKIPPED.contains(&key)) {
            return true;
        }
        at = duplicates::parent_of(visits, at);
    }
    false
}

/// A string of an object.
struct StringNode<'s> {
    subject: &'s Subject<'s>,
    node: Node<'s>,
    key: Option<&'s str>,
    path: String,
}

impl StringNode<'_> {
    fn read(&self, inner: &str, read_document: ReadDocument<'_>) -> FileFacts {
        let pieces = self.pieces(inner);
        if let Some(read) = self.inner(&pieces).read(false, read_document) {
            return read;
        }
        let mut facts = FileFacts::default();
        if inner.contains("<<") {
            for lines in heredocs::in_shell(inner) {
                let part = pieces.slice(lines);
                if may_have_tolerations(part.text()) {
                    let read = self.inner(&part).read(false, read_document);
                    facts.absorb(read.unwrap_or_default());
                }
            }
            return facts;
        }
        // Only the lines of a block string keep their places when their text changes.
        if self.node.style() == Style::Literal
            && let Some(filled) = heredocs::without_braced_words(inner)
        {
            let read = self.inner(&self.pieces(&filled)).read(false, read_document);
            facts.absorb(read.unwrap_or_default());
        }
        facts
    }

    fn pieces(&self, inner: &str) -> Pieces {
        pieces_of(&self.subject.reading.source.text, self.node, inner)
    }

    fn inner<'i>(&'i self, pieces: &'i Pieces) -> Inner<'i> {
        Inner {
            pieces,
            whole: self.node.span(),
            key: self.key,
            base: &self.path,
            owner: &self.subject.object,
            reading: self.subject.reading,
        }
    }
}

/// Reads the heredocs of a script or Terraform file. Returns their facts with the place of their lines.
pub(super) fn read_heredocs(
    reading: Reading<'_>,
    read_document: ReadDocument<'_>,
) -> Vec<(Span, FileFacts)> {
    let text: &str = &reading.source.text;
    if !text.contains("<<") || !may_have_tolerations(text) {
        return Vec::new();
    }
    let is_terraform = reading.source.kind == FileKind::Terraform;
    let ranges: Vec<_> = match is_terraform {
        true => terraform::heredocs(text)
            .into_iter()
            .map(|one| (one.lines, one.has_directives))
            .collect(),
        false => heredocs::in_shell(text)
            .into_iter()
            .map(|lines| (lines, false))
            .collect(),
    };
    let mut found = Vec::new();
    for (lines, has_directives) in ranges {
        let inner = text.within(lines.clone());
        if !may_have_tolerations(inner) {
            continue;
        }
        let filled = match is_terraform {
            true => heredocs::without_interpolations(inner),
            false => inner.to_owned(),
        };
        let whole = Span::new(reading.id, lines);
        let mut pieces = Pieces::default();
        pieces.push_verbatim(&filled, reading.id, whole.start);
        let inner = Inner {
            pieces: &pieces,
            whole,
            // A heredoc of Terraform may be Helm values.
            key: is_terraform.then_some("values"),
            base: "",
            owner: &Object::default(),
            reading,
        };
        if let Some(mut facts) = inner.read(false, read_document) {
            if has_directives {
                ytt::doubt(&mut facts);
            }
            found.push((whole, facts));
        }
    }
    found
}
