//! The replacements of a kustomization: copies of values from one object into others. A value that cannot be worked out
//! is unknown where it would be copied to.

use std::rc::Rc;

use super::bench::Bench;
use super::object::Object;
use super::paths::resolve;
use super::select::Target;
use super::value::{Data, Entry, Value, of_node};
use crate::source::Span;
use crate::yaml::Node;

const WHY: &str = "a replacement sets it";

/// Applies `replacements`.
pub(super) fn apply(bench: &mut Bench<'_>, root: Node<'_>) {
    let list = root
        .get("replacements")
        .into_iter()
        .flat_map(|list| list.items());
    for entry in list.collect::<Vec<_>>() {
        match entry.get("path").and_then(|path| path.as_str()) {
            Some(path) => from_file(bench, path, entry.span()),
            None => match of_node(entry, &|span| span, &mut 10_000) {
                Some(value) => one(bench, &value),
                None => bench.doubt_all(WHY, entry.span()),
            },
        }
    }
}

fn from_file(bench: &mut Bench<'_>, entry: &str, at: Span) {
    let path = resolve(&bench.form.folder, entry);
    let documents = path.and_then(|path| bench.shelf.documents(&path));
    let Some(documents) = documents.filter(|documents| !documents.broken) else {
        bench.trouble(at, format!("the replacement `{entry}` could not be read"));
        return bench.doubt_all("a replacement that could not be read may change it", at);
    };
    for (value, _) in &Rc::clone(&documents).values {
        match &value.data {
            Data::List(items) => items.iter().for_each(|value| one(bench, value)),
            _ => one(bench, value),
        }
    }
}

fn one(bench: &mut Bench<'_>, replacement: &Value) {
    let source = source_of(bench, replacement);
    let targets: Vec<Value> = replacement
        .get("targets")
        .map(|targets| targets.items().to_vec())
        .unwrap_or_default();
    for target in targets {
        let read = |value: Option<&Value>| value.map(Target::read);
        let (Some(Ok(select)), rejects) = (
            read(target.get("select")),
            target.get("reject").map_or(&[][..], Value::items),
        ) else {
            bench.doubt_all(WHY, target.at);
            continue;
        };
        let rejects: Vec<_> = rejects
            .iter()
            .filter_map(|value| Target::read(value).ok())
            .collect();
        let paths: Vec<String> = match target.get("fieldPaths") {
            Some(paths) => paths
                .items()
                .iter()
                .filter_map(Value::word)
                .map(str::to_owned)
                .collect(),
            None => vec!["metadata.name".to_owned()],
        };
        let options = target.get("options");
        let creates = options.and_then(|one| one.get("create")?.word()) == Some("true");
        let is_part = options.is_some_and(|one| one.get("delimiter").is_some());
        let value = source.as_ref().filter(|_| !is_part);
        for object in bench.built.objects.iter_mut().filter(|one| !one.gone) {
            let is = |target: &Target| {
                target.selects(&object.original(), &object.current(), &object.value)
            };
            if !is(&select) || rejects.iter().any(is) {
                continue;
            }
            for path in &paths {
                set(object, path, value, creates, target.at);
            }
        }
    }
}

/// The value that is copied, or `None` if it is not known.
fn source_of(bench: &Bench<'_>, replacement: &Value) -> Option<Value> {
    if let Some(value) = replacement.get("sourceValue") {
        return Some(value.clone());
    }
    let source = replacement.get("source")?;
    if source.get("options").is_some() {
        return None;
    }
    let word = |key: &str| source.get(key).and_then(Value::word).unwrap_or_default();
    let fits = |wanted: &str, own: &str| wanted.is_empty() || wanted == own;
    let is_it = |object: &&Object| {
        let mut ids = vec![object.current()];
        ids.extend(object.previous.iter().cloned());
        ids.iter().any(|id| {
            fits(word("group"), &id.group)
                && fits(word("version"), &id.version)
                && fits(word("kind"), &id.kind)
                && fits(word("name"), &id.name)
                && fits(word("namespace"), &id.namespace)
        })
    };
    let mut found = bench
        .built
        .objects
        .iter()
        .filter(|one| !one.gone)
        .filter(is_it);
    let (Some(object), None) = (found.next(), found.next()) else {
        if !bench.built.open && !bench.built.more {
            bench.trouble(
                source.at,
                "this replacement does not have exactly one source",
            );
        }
        return None;
    };
    let path = match word("fieldPath") {
        "" => "metadata.name",
        path => path,
    };
    let steps = steps(path);
    let value = steps
        .iter()
        .try_fold(&object.value, |value, step| match &value.data {
            Data::Map(_) => value.get(step),
            Data::List(items) => {
                let at = find_item(items, step)?;
                items.get(at)
            }
            _ => None,
        });
    value.filter(|_| object.doubt.is_none()).cloned()
}

/// The steps of a path. Dots within brackets do not separate.
fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut depth = 0_usize;
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'.') => {
                letters.next();
                steps.last_mut().into_iter().for_each(|step| step.push('.'));
                continue;
            }
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => {
                steps.push(String::new());
                continue;
            }
            _ => {}
        }
        steps
            .last_mut()
            .into_iter()
            .for_each(|step| step.push(letter));
    }
    steps.retain(|step| !step.is_empty());
    for step in &mut steps {
        let inner = step
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(inner) = inner.filter(|inner| !inner.contains('=')) {
            *step = inner.to_owned();
        }
    }
    steps
}

/// The position of the item that a step means: a number, or `[key=word]`.
fn find_item(items: &[Value], step: &str) -> Option<usize> {
    if let Ok(at) = step.parse::<usize>() {
        return (at < items.len()).then_some(at);
    }
    let inner = step.strip_prefix('[')?.strip_suffix(']')?;
    let (key, word) = inner.split_once('=')?;
    let mut found = items.iter().enumerate().filter(|(_, item)| {
        let own = item.get(key).and_then(Value::word);
        own == Some(word)
    });
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

/// Copies a value to a path of an object. What it cannot follow becomes unknown at the last value that it knows.
fn set(object: &mut Object, path: &str, value: Option<&Value>, creates: bool, at: Span) {
    let steps = steps(path);
    let Some((last, above)) = steps.split_last() else {
        return;
    };
    let unknown = || Value::unknown(WHY, at);
    let mut holder = &mut object.value;
    for (depth, step) in above.iter().enumerate() {
        let next = match &holder.data {
            Data::Map(_) if holder.get(step).is_some_and(|next| !next.is_null()) => true,
            Data::List(items) => find_item(items, step).is_some(),
            _ => false,
        };
        if !next {
            let is_map = matches!(holder.data, Data::Map(_)) && creates;
            if !is_map
                || value.is_none()
                || above
                    .iter()
                    .skip(depth)
                    .any(|step| step.contains(['[', '*']))
            {
                // Without the field there is nothing to set, unless it is created.
                let is_open = holder.get(step).is_some()
                    || matches!(holder.data, Data::List(_) | Data::Unknown(_))
                    || creates;
                if is_open {
                    *holder = unknown();
                    object.add_patch(at);
                    object.touched = true;
                }
                return;
            }
            holder.set(Entry {
                key: step.as_str().into(),
                key_at: at,
                value: Value::map(at),
            });
        }
        let index = match &holder.data {
            Data::List(items) => find_item(items, step),
            _ => None,
        };
        let next = holder.child_mut(step, index);
        match next {
            Some(next) => holder = next,
            None => return,
        }
    }
    let wanted = value.cloned().unwrap_or_else(unknown);
    let index = match &holder.data {
        Data::List(items) => find_item(items, last),
        _ => None,
    };
    if let Some(known) = holder.child_mut(last, index) {
        *known = over(known, wanted);
    } else if matches!(holder.data, Data::List(_)) {
        *holder = unknown();
    } else if matches!(holder.data, Data::Map(_)) && creates && !last.contains(['[', '*']) {
        holder.set(Entry {
            key: last.as_str().into(),
            key_at: at,
            value: wanted,
        });
    } else {
        return;
    }
    object.add_patch(at);
    object.touched = true;
}

/// A scalar keeps its type when another word is put in its place.
fn over(known: &Value, wanted: Value) -> Value {
    let data = match (&known.data, wanted.word()) {
        (Data::Text(_), Some(word)) => Data::Text(word.into()),
        (Data::Plain(_) | Data::Null(_), Some(_)) if !matches!(wanted.data, Data::Text(_)) => {
            wanted.data
        }
        (Data::Plain(_) | Data::Null(_), Some(_)) => Data::Unknown(WHY.into()),
        _ => wanted.data,
    };
    Value {
        at: wanted.at,
        data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_in_brackets_and_after_backslashes_do_not_separate() {
        assert_eq!(
            steps("spec.tolerations.[key=a.b/c].value"),
            ["spec", "tolerations", "[key=a.b/c]", "value"]
        );
        assert_eq!(
            steps(r"metadata.labels.a\.b.[c.d/e]"),
            ["metadata", "labels", "a.b", "c.d/e"]
        );
    }
}
