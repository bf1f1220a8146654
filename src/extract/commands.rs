//! Reads what commands in scripts say about nodes: `kubectl taint`, cloud commands that create node pools, flags of the
//! kubelet and of agents. This is weak evidence: the command may never run, and it does not show the whole node.

use std::collections::BTreeMap;

use super::bottlerocket;
use super::flags::{self, Says};
use super::makers;
use super::taints::{partial_taint, parts};
use super::weak::{add, is_variable, read_labels, repeated, weak_pool};
use super::words::{Word, commands};
use crate::finding::Object;
use crate::model::Field;
use crate::model::node_pool::NodePool;
use crate::model::notice::Notice;
use crate::model::taint::{Effect, Taint};
use crate::source::Span;
use crate::source::text::Cut as _;

/// Whether a text may contain a relevant command. This is a cheap check before the text is split into words.
pub(super) fn is_worth_reading(text: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "taint node",
        "taint $",
        "taint \"$",
        "taint no ",
        "register-with-taints",
        "node-taint",
        "--taint",
        "nodepool-taints",
        "taint\nnode",
        "nodegroup-config",
    ];
    text.contains("taint") && SIGNS.iter().any(|sign| text.contains(sign))
}

/// Options of `kubectl taint` whose value is the next word.
const KUBECTL_VALUES: [&str; 12] = [
    "-l",
    "--selector",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "--namespace",
    "-n",
    "-o",
    "--output",
    "--server",
    "--field-manager",
];

/// A text that may contain commands.
pub(super) struct Script<'s> {
    pub(super) text: &'s str,
    /// Maps a range of the text to its place in the file.
    pub(super) place: &'s dyn Fn(usize, usize) -> Span,
    /// The object that the text belongs to.
    pub(super) object: &'s Object,
    /// Whether kubelet flags were already read with the pools of the document.
    pub(super) flags_known: bool,
}

/// Reads the commands of a text.
pub(super) fn read(script: &Script<'_>, notices: &mut Vec<Notice>) -> Vec<NodePool> {
    let mut pools = Vec::new();
    for words in commands(script.text, script.place) {
        pools.extend(read_command(&words, script.object, notices));
    }
    if !script.flags_known {
        pools.extend(read_flags(
            script.text,
            script.place,
            script.object,
            notices,
        ));
    }
    pools
}

/// Reads one command.
pub(super) fn read_command(
    words: &[Word],
    object: &Object,
    notices: &mut Vec<Notice>,
) -> Option<NodePool> {
    // `kubectl taint nodes x …`, and `kubectl taint "$node" …` where the variable contains `node/x`.
    for (at, (verb, next)) in words.iter().zip(words.iter().skip(1)).enumerate() {
        let (verb, next) = (verb.text.as_str(), next.text.as_str());
        let tool = at
            .checked_sub(1)
            .and_then(|before| words.get(before)?.text.rsplit('/').next());
        let named = ["node", "nodes", "no"].contains(&next);
        let variable = next.starts_with("node/") || is_variable(next);
        if verb == "taint" && (named || (variable && matches!(tool, Some("kubectl" | "oc")))) {
            let from = at + if named { 2 } else { 1 };
            return read_kubectl(
                words.get(at..).unwrap_or_default(),
                words.get(from..).unwrap_or_default(),
                object,
            );
        }
    }
    makers::read_command(words, object, notices)
}

/// Reads a command from `taint` on, and its arguments.
fn read_kubectl(words: &[Word], arguments: &[Word], object: &Object) -> Option<NodePool> {
    let whole = words.first()?.span.cover(words.last()?.span);
    let mut pool = weak_pool("", whole, object);
    let mut many = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text.starts_with('-') {
            many |= text == "--all" || text == "--all=true";
            let selector = text
                .strip_prefix("--selector=")
                .or_else(|| text.strip_prefix("-l="))
                .map(str::to_owned);
            let value = if KUBECTL_VALUES.contains(&text) {
                rest.next().map(|word| word.text.clone())
            } else {
                None
            };
            let selector = selector.or(value.filter(|_| ["-l", "--selector"].contains(&text)));
            if let Some(selector) = selector {
                many = true;
                read_labels(&mut pool, &selector);
                pool.name = if is_variable(&selector) {
                    String::new()
                } else {
                    selector
                };
            }
        } else if let Some(removed) = text.strip_suffix('-').and_then(removal) {
            pool.removes.push(removed);
        } else if text.contains([':', '=']) && !text.contains("::") {
            if let Ok(taint) = partial_taint(text) {
                add(&mut pool, taint, word.span);
            }
        } else if pool.taints.is_empty() && pool.removes.is_empty() {
            many |= is_variable(text);
            if pool.name.is_empty() && !is_variable(text) {
                text.clone_into(&mut pool.name);
                pool.name_span = Some(word.span);
            }
        }
    }
    if !many {
        // This is one node of many. Other nodes like it keep the taint.
        pool.removes.clear();
    }
    (!pool.taints.is_empty() || !pool.removes.is_empty()).then_some(pool)
}

/// Parses the `key[=value][:Effect]` before the `-` that removes a taint.
fn removal(text: &str) -> Option<Taint> {
    let (left, effect) = text.split_once(':').unwrap_or((text, ""));
    let key = left.split('=').next().unwrap_or_default();
    if key.is_empty() || is_variable(key) || text.contains(' ') {
        return None;
    }
    Some(Taint {
        key: Field::Is(key.to_owned()),
        value: Field::Absent,
        effect: match Effect::parse(effect) {
            Some(effect) => Field::Is(effect.as_str().to_owned()),
            None => Field::Absent,
        },
    })
}

/// Reads flags of the kubelet and of agents anywhere in the text. The flags of one line, including its continuation
/// lines, describe one group of nodes.
fn read_flags(
    text: &str,
    place: &dyn Fn(usize, usize) -> Span,
    object: &Object,
    notices: &mut Vec<Notice>,
) -> Vec<NodePool> {
    let found = flags::find(text, false);
    let mut lines: BTreeMap<usize, Vec<flags::Flag>> = BTreeMap::new();
    for flag in found {
        // Skip flags of commands that create pools. They were read with the command.
        let (start, line) = line_of(text, flag.value.start);
        let elsewhere = ["gcloud", "eksctl"].iter().any(|tool| line.contains(tool));
        if !elsewhere && !line.trim_start().starts_with('#') {
            lines.entry(start).or_default().push(flag);
        }
    }
    let mut pools = Vec::new();
    for flags in lines.into_values() {
        let (Some(first), Some(last)) = (flags.first(), flags.last()) else {
            continue;
        };
        let mut pool = weak_pool("", place(first.value.start, last.value.end), object);
        for (flag, later) in flags.iter().zip(flags::replaced(&flags)) {
            let value = flag.value.clone();
            if let Some(later) = later {
                let (lost, kept) = flag.values(text, later);
                let span = place(value.start, value.end);
                notices.push(repeated(object, span, &flag.dashed(), lost, kept));
                continue;
            }
            match flag.says {
                Says::Labels => read_labels(&mut pool, text.within(value)),
                Says::Taints => {
                    for (part, at) in parts(text, value) {
                        if let Ok(taint) = partial_taint(part) {
                            add(&mut pool, taint, place(at.start, at.end));
                        }
                    }
                }
            }
        }
        if !pool.taints.is_empty() {
            pools.push(pool);
        }
    }
    pools.extend(read_settings(text, place, object));
    pools
}

/// Reads Bottlerocket's settings.
fn read_settings(
    text: &str,
    place: &dyn Fn(usize, usize) -> Span,
    object: &Object,
) -> Option<NodePool> {
    let found = bottlerocket::settings(text);
    let (first, last) = (found.first()?, found.last()?);
    let mut pool = weak_pool("", place(first.value.start, last.value.end), object);
    for setting in &found {
        match setting.is_taint {
            false => read_labels(&mut pool, &setting.word),
            true => {
                if let Ok(taint) = partial_taint(&setting.word) {
                    add(
                        &mut pool,
                        taint,
                        place(setting.value.start, setting.value.end),
                    );
                }
            }
        }
    }
    (!pool.taints.is_empty()).then_some(pool)
}

/// The logical line at an offset, including continuation lines: its start and its text.
fn line_of(text: &str, at: usize) -> (usize, &str) {
    let mut start = text.until(at).rfind('\n').map_or(0, |end| end + 1);
    while start >= 2 && text.until(start - 1).trim_end_matches('\r').ends_with('\\') {
        start = text.until(start - 1).rfind('\n').map_or(0, |end| end + 1);
    }
    let end = text.since(at).find('\n').map_or(text.len(), |end| at + end);
    (start, text.within(start..end))
}

/// Reads the value of `register-with-taints` from configuration of an unknown kind.
pub(super) fn read_value(
    text: &str,
    place: &dyn Fn(usize, usize) -> Span,
    object: &Object,
) -> Option<NodePool> {
    let mut pool = weak_pool("", place(0, text.len()), object);
    for (part, at) in parts(text, 0..text.len()) {
        if let Ok(taint) = partial_taint(part) {
            add(&mut pool, taint, place(at.start, at.end));
        }
    }
    (!pool.taints.is_empty()).then_some(pool)
}
