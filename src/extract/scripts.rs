//! Weak pools of files: scripts, and documents with strings that hold commands.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::FileFacts;
use super::commands::{self, Script, is_worth_reading};
use super::duplicates::{self, Visit};
use super::embedded::Embedded;
use super::pools::ReadPool;
use super::words::Word;
use crate::finding::Object;
use crate::model::node_pool::NodePool;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{Kind, Node};

/// Reads a file that is all commands.
pub(super) fn read_script(source: &Source, id: SourceId, facts: &mut FileFacts) {
    if !is_worth_reading(&source.text) {
        return;
    }
    let script = Script {
        text: &source.text,
        place: &|from, to| Span::new(id, from..to),
        object: &Object::default(),
        flags_known: false,
    };
    let pools = commands::read(&script, &mut facts.notices);
    take(pools, id, "", facts);
}

/// A document in whose strings commands may be.
pub(super) struct Strings<'s, 'a> {
    pub(super) root: Node<'a>,
    pub(super) source: &'s Source,
    pub(super) id: SourceId,
    pub(super) object: &'s Object,
    /// Field path of the object inside its document.
    pub(super) base: &'s str,
    /// Its pools, and with them flags of kubelets, were read.
    pub(super) pools_known: bool,
}

impl Strings<'_, '_> {
    /// Reads the strings and the lists of arguments.
    pub(super) fn read(&self, facts: &mut FileFacts) {
        let text = self.source.slice(self.root.span());
        let has_list = || {
            ["- taint\n", "\"taint\"", "[taint", ", taint,", "'taint'"]
                .iter()
                .any(|sign| text.contains(sign))
        };
        if !text.contains("taint") || !(is_worth_reading(text) || has_list()) {
            return;
        }
        let visits = duplicates::walk(self.root);
        for at in 0..visits.len() {
            let pools = self.read_visit(&visits, at, facts);
            if !pools.is_empty() {
                let path = duplicates::path_of(&visits, at, self.base);
                take(pools, self.id, &path, facts);
            }
        }
    }

    fn read_visit(&self, visits: &[Visit<'_>], at: usize, facts: &mut FileFacts) -> Vec<NodePool> {
        let (node, text) = (visits[at].node, &self.source.text);
        let notices = &mut facts.notices;
        if node.kind() == Kind::Sequence {
            let words: Vec<Word> = node.items().filter_map(|item| word(item, text)).collect();
            let is_command = words.iter().any(|word| word.text == "taint");
            return is_command
                .then(|| commands::read_command(&words, self.object, notices))
                .flatten()
                .into_iter()
                .collect();
        }
        let Some(inner) = node.raw() else {
            return Vec::new();
        };
        let embedded = Embedded::new(text, node, inner);
        let place = |from, to| embedded.place_of(from..to);
        if duplicates::key_of(visits, at) == Some("register-with-taints") && !self.pools_known {
            let pool = commands::read_value(inner, &place, self.object);
            return pool.into_iter().collect();
        }
        if !is_worth_reading(inner) {
            return Vec::new();
        }
        let script = Script {
            text: inner,
            place: &place,
            object: self.object,
            flags_known: self.pools_known,
        };
        commands::read(&script, notices)
    }
}

fn word(item: Node<'_>, text: &str) -> Option<Word> {
    let inner = item.raw()?;
    let embedded = Embedded::new(text, item, inner);
    Some(Word {
        text: inner.to_owned(),
        span: embedded.place_of(0..inner.len()),
    })
}

/// Adds pools to the facts of a file.
pub(super) fn take(pools: Vec<NodePool>, source: SourceId, path: &str, facts: &mut FileFacts) {
    for mut pool in pools {
        for taint in &mut pool.taints {
            path.clone_into(&mut taint.path);
        }
        facts.pools.push(ReadPool {
            taints_written: true,
            ..ReadPool::new(pool, source)
        });
    }
}
