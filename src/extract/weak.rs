//! Pools that are known from a command or a flag: creates them, and adds facts to them.

use std::collections::BTreeMap;

use super::read::is_placeholder;
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_pool::{NodePool, Origin, PoolTaint};
use crate::model::node_selection::{NodeLabels, OtherLabels};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::taint::Taint;
use crate::source::Span;

/// The provider name of weak pools in reports.
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

/// Whether the shell or make replaces a word or a part of it.
pub(super) fn is_variable(text: &str) -> bool {
    is_placeholder(text) || text.contains(['$', '`', '*']) || text.contains("{}")
}

pub(super) fn add(pool: &mut NodePool, taint: Taint, span: Span) {
    // A taint with a variable as its key says nothing.
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

/// Reads `k=v,k2=v2`.
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

/// The notice for a flag that a later one replaces: the lost value, and the one that counts.
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
