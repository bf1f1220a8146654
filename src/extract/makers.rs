//! Reads cloud commands that create node pools. `kubernetes/clouds.yaml` lists the commands and their options.

use super::taints::{partial_taint, parts};
use super::weak::{add, is_variable, read_labels, repeated, weak_pool};
use super::words::Word;
use crate::finding::Object;
use crate::model::Field;
use crate::model::clouds::{PoolCommand, pool_commands};
use crate::model::node_pool::NodePool;
use crate::model::notice::Notice;
use crate::model::taint::{Effect, Taint};
use crate::source::text::Cut as _;

/// Reads a command, or returns `None` if it does not create a node pool.
pub(super) fn read_command(
    words: &[Word],
    object: &Object,
    notices: &mut Vec<Notice>,
) -> Option<NodePool> {
    pool_commands()
        .find_map(|command| Some((command, follows(words, &command.words)?)))
        .and_then(|(command, from)| {
            read_pool_command(
                command,
                words.get(from..).unwrap_or_default(),
                words,
                object,
                notices,
            )
        })
}

/// The index after the wanted words if they occur in this order, or `None` otherwise.
fn follows(words: &[Word], wanted: &[String]) -> Option<usize> {
    let mut at = 0;
    for want in wanted {
        let is_it = |word: &Word| {
            word.text == *want || (at == 0 && word.text.rsplit('/').next() == Some(want.as_str()))
        };
        at += words.get(at..)?.iter().position(is_it)? + 1;
    }
    Some(at)
}

/// The values of an option, for each time that it is given: all words up to the next option.
fn option(words: &[Word], names: &[String]) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for name in names {
            let Some(rest) = word.text.strip_prefix(name.as_str()) else {
                continue;
            };
            let values = || {
                words
                    .get(at + 1..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|word| !word.text.starts_with('-'))
            };
            if rest.is_empty() {
                found.push(values().cloned().collect());
            } else if rest.starts_with('=') {
                found.push(vec![word.after(name.len() + 1)]);
            }
        }
    }
    found
}

fn read_pool_command(
    command: &PoolCommand,
    arguments: &[Word],
    words: &[Word],
    object: &Object,
    notices: &mut Vec<Notice>,
) -> Option<NodePool> {
    let given = option(arguments, &command.taints);
    let used: &[Vec<Word>] = match given.as_slice() {
        all if command.taints_add => all,
        [earlier @ .., last] => {
            for lost in earlier {
                note_repeated(command, lost, last, object, notices);
            }
            std::slice::from_ref(last)
        }
        [] => return None,
    };
    let named = option(arguments, &command.name);
    let name = named.last().and_then(|values| values.first());
    let name = if command.name.is_empty() {
        arguments.first().filter(|word| !word.text.starts_with('-'))
    } else {
        name
    };
    let text = name.map_or("", |word| word.text.as_str());
    let whole = words.first()?.span.cover(words.last()?.span);
    let mut pool = weak_pool(text, whole, object);
    pool.name_span = name.filter(|_| !pool.name.is_empty()).map(|word| word.span);
    for key in &command.pool_labels {
        let value = if pool.name.is_empty() {
            Field::Unknown
        } else {
            Field::Is(pool.name.clone())
        };
        pool.labels.labels.insert(key.clone(), value);
    }
    for word in option(arguments, &command.labels).concat() {
        read_labels(&mut pool, &word.text);
    }
    for word in used.iter().flatten() {
        read_taint_argument(&mut pool, word);
    }
    (!pool.taints.is_empty()).then_some(pool)
}

/// Reads `k=v:E,k2:E2`, or aws structures: `key=k,value=v,effect=NO_SCHEDULE`, alone, in a list, or as JSON.
fn read_taint_argument(pool: &mut NodePool, word: &Word) {
    let added = word.text.split("removeTaints").next().unwrap_or_default();
    if !added.contains("effect") {
        for (part, at) in parts(&word.text, 0..word.text.len()) {
            if let Ok(taint) = partial_taint(part) {
                let span = word.part(at.start, at.end);
                add(pool, taint, span);
            }
        }
        return;
    }
    let field = |text: &str, name: &str| {
        let at = text.find(name)? + name.len();
        let rest = text
            .since(at)
            .trim_start_matches(['"', '\\', ' ', ':', '=']);
        let end = rest
            .find(['"', '\\', ',', '}', ']', ' '])
            .unwrap_or(rest.len());
        Some(rest.until(end).to_owned())
    };
    // Structures end with a brace. Shorthand without one is a single structure.
    for structure in added.split_inclusive('}') {
        let (key, effect) = (field(structure, "key"), field(structure, "effect"));
        let (Some(key), Some(effect)) = (key, effect) else {
            continue;
        };
        let part = |text: String| {
            if is_variable(&text) {
                Field::Unknown
            } else {
                Field::Is(text)
            }
        };
        let effect = match Effect::canonical(&effect) {
            Some(effect) => Field::Is(effect.as_str().to_owned()),
            None => part(effect),
        };
        let taint = Taint {
            key: part(key),
            value: part(field(structure, "value").unwrap_or_default()),
            effect,
        };
        if taint.errors().is_empty() {
            add(pool, taint, word.span);
        }
    }
}

fn note_repeated(
    command: &PoolCommand,
    lost: &[Word],
    kept: &[Word],
    object: &Object,
    notices: &mut Vec<Notice>,
) {
    let text = |words: &[Word]| {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.join(" ")
    };
    let Some(span) = lost.first().map(|word| word.span) else {
        return;
    };
    let flag = command.taints.first().map_or("", String::as_str);
    notices.push(repeated(object, span, flag, &text(lost), &text(kept)));
}
