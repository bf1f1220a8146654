//! Weak pools from scripts, and from documents with commands in their strings.

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
use super::pool_facts::ReadPool;
use super::subject::Subject;
use super::words::Word;
use crate::finding::Object;
use crate::model::node_pool::NodePool;
use crate::model::notice::Notice;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{Embedded, Kind, Node};

/// Reads a script.
pub(super) fn read_script(source: &Source, id: SourceId) -> FileFacts {
    let mut facts = FileFacts::default();
    if is_worth_reading(&source.text) {
        let script = Script {
            text: &source.text,
            place: &|from, to| Span::new(id, from..to),
            object: &Object::default(),
            flags_known: false,
        };
        let pools = commands::read(&script, &mut facts.notices);
        facts.pools = weak(pools, id, "");
    }
    facts
}

/// Reads the commands in the strings and argument lists of an object. `pools_known` says that its pools were already
/// read, and with them the kubelet flags.
pub(super) fn read_strings(subject: &Subject<'_>, pools_known: bool) -> FileFacts {
    let mut facts = FileFacts::default();
    let text = subject.text();
    let has_list = || {
        ["- taint\n", "\"taint\"", "[taint", ", taint,", "'taint'"]
            .iter()
            .any(|sign| text.contains(sign))
    };
    if !text.contains("taint") || !(is_worth_reading(text) || has_list()) {
        return facts;
    }
    let visits = duplicates::walk(subject.root);
    for at in 0..visits.len() {
        let pools = read_visit(subject, pools_known, &visits, at, &mut facts.notices);
        if !pools.is_empty() {
            let path = duplicates::path_of(&visits, at, &subject.base);
            facts.pools.extend(weak(pools, subject.reading.id, &path));
        }
    }
    facts
}

fn read_visit(
    subject: &Subject<'_>,
    pools_known: bool,
    visits: &[Visit<'_>],
    at: usize,
    notices: &mut Vec<Notice>,
) -> Vec<NodePool> {
    let (node, text) = (visits[at].node, &subject.reading.source.text);
    let object = &subject.object;
    if node.kind() == Kind::Sequence {
        let words: Vec<Word> = node.items().filter_map(|item| word(item, text)).collect();
        let is_command = words.iter().any(|word| word.text == "taint");
        return is_command
            .then(|| commands::read_command(&words, object, notices))
            .flatten()
            .into_iter()
            .collect();
    }
    let Some(inner) = node.raw() else {
        return Vec::new();
    };
    let embedded = Embedded::new(text, node, inner);
    let place = |from, to| embedded.place_of(from..to);
    if duplicates::key_of(visits, at) == Some("register-with-taints") && !pools_known {
        let pool = commands::read_value(inner, &place, object);
        return pool.into_iter().collect();
    }
    if !is_worth_reading(inner) {
        return Vec::new();
    }
    let script = Script {
        text: inner,
        place: &place,
        object,
        flags_known: pools_known,
    };
    commands::read(&script, notices)
}

fn word(item: Node<'_>, text: &str) -> Option<Word> {
    let inner = item.raw()?;
    let embedded = Embedded::new(text, item, inner);
    Some(Word {
        text: inner.to_owned(),
        span: embedded.place_of(0..inner.len()),
    })
}

/// Converts pools that are known from commands at a path of a file.
pub(super) fn weak(pools: Vec<NodePool>, source: SourceId, path: &str) -> Vec<ReadPool> {
    let read = |mut pool: NodePool| {
        for taint in &mut pool.taints {
            path.clone_into(&mut taint.path);
        }
        ReadPool {
            taints_written: true,
            ..ReadPool::new(pool, source)
        }
    };
    pools.into_iter().map(read).collect()
}
