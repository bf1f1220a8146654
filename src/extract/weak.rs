//! Pools of which a command or a flag says something: how they start, and what is added to them.

use std::collections::BTreeMap;

use super::read::is_placeholder;
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::taint::Taint;
use crate::source::Span;

/// The name under which weak pools are listed.
const PROVIDER: &str = "flags";

const BECAUSE: &str = "a command shows what it adds, not what the nodes already have";

pub(super) fn weak_pool(name: &str, span: Span, object: &Object) -> NodePool {
    NodePool {
        name: if is_variable(name) {
            String::new()
        } else {
            name.to_owned()
        },
        provider: PROVIDER.to_owned(),
        labels: NodeLabels {
            labels: BTreeMap::new(),
            requirements: Vec::new(),
            others: OtherLabels::Possible,
        },
        incomplete_because: Some(BECAUSE.to_owned()),
        span: Some(span),
        object: object.clone(),
        weak: true,
        ..NodePool::default()
    }
}

/// Whether the shell or make puts something else in the place of a word, or of a part of it.
pub(super) fn is_variable(text: &str) -> bool {
    is_placeholder(text) || text.contains(['$', '`', '*']) || text.contains("{}")
}

pub(super) fn add(pool: &mut NodePool, taint: Taint, span: Span) {
    // Of a taint whose key is a variable nothing is known.
    if taint.key.is_unknown() || pool.taints.iter().any(|known| known.taint == taint) {
        return;
    }
    pool.taints.push(PoolTaint {
        taint,
        origin: Origin::Declared,
        span: Some(span),
        ..PoolTaint::default()
    });
}

/// `k=v,k2=v2`
pub(super) fn read_labels(pool: &mut NodePool, text: &str) {
    for pair in text.split(',') {
        let Some((key, value)) = pair.split_once('=') else {
            continue;
        };
        let key = key.trim_end_matches('!');
        if pair.contains("!=") || is_variable(key) || key.is_empty() {
            continue;
        }
        let value = value.trim_start_matches('=');
        let value = if is_variable(value) {
            Field::Unknown
        } else {
            Field::Is(value.to_owned())
        };
        pool.labels.labels.insert(key.to_owned(), value);
    }
}

/// A flag of a command that a later one replaces: the value that is lost, and the one that counts.
pub(super) fn repeated(object: &Object, span: Span, flag: &str, lost: &str, kept: &str) -> Notice {
    Notice {
        object: object.clone(),
        ..Notice::of_file(repeated_flag(flag, lost, kept), span)
    }
}

pub(super) fn repeated_flag(flag: &str, lost: &str, kept: &str) -> NoticeKind {
    NoticeKind::RepeatedFlag {
        flag: flag.to_owned(),
        lost: lost.to_owned(),
        kept: kept.to_owned(),
        both: format!("{lost},{kept}"),
    }
}
