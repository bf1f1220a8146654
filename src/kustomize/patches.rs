//! The patches of a kustomization: finds what each is for, and applies it.

use std::rc::Rc;
use std::sync::Arc;

use super::bench::Bench;
use super::files::{Documents, parse};
use super::json_patch;
use super::merge::merge;
use super::object::{Object, Replaced};
use super::paths::{is_remote, resolve};
use super::schema;
use super::select::{Id, Target};
use super::value::{Data, Value, of_node};
use crate::source::Span;
use crate::yaml::{Kind, Node, pieces_of};

/// Applies `patchesStrategicMerge`.
pub(super) fn strategic(bench: &mut Bench<'_>, root: Node<'_>) {
    for entry in items(root, "patchesStrategicMerge") {
        let Some(text) = entry.as_str() else {
            bench.trouble(entry.span(), "this must be a patch or its path");
            continue;
        };
        let read = match text.contains('\n') || text.trim_start().starts_with('{') {
            true => Ok(inline(bench, entry, text)),
            false => from_file(bench, text),
        };
        match read {
            Ok(documents) => merge_all(bench, &documents, None, entry),
            Err(why) => unread(bench, None, entry.span(), why),
        }
    }
}

/// Applies `patches`.
pub(super) fn patches(bench: &mut Bench<'_>, root: Node<'_>) {
    for entry in items(root, "patches") {
        if entry.kind() != Kind::Mapping {
            bench.trouble(entry.span(), "this must be a map with `patch` or `path`");
            continue;
        }
        let target = match target(bench, entry) {
            Ok(target) => target,
            Err(()) => continue,
        };
        match text_of(bench, entry, ["patch", "path"]) {
            Ok(documents) => {
                let operations = documents.values.first().map(|(value, _)| value);
                match operations.filter(|value| matches!(value.data, Data::List(_))) {
                    Some(operations) => {
                        let operations = operations.clone();
                        run_operations(bench, &operations, target.as_ref(), entry, true);
                    }
                    None => merge_all(bench, &documents, target.as_ref(), entry),
                }
            }
            Err(why) => unread(bench, target.as_ref(), entry.span(), why),
        }
    }
}

/// Applies `patchesJson6902`.
pub(super) fn json(bench: &mut Bench<'_>, root: Node<'_>) {
    for entry in items(root, "patchesJson6902") {
        let target = match target(bench, entry) {
            Ok(target) => target,
            Err(()) => continue,
        };
        match text_of(bench, entry, ["patch", "path"]) {
            Ok(documents) => match documents.values.first() {
                Some((operations, _)) => {
                    let operations = operations.clone();
                    run_operations(bench, &operations, target.as_ref(), entry, false);
                }
                None => bench.trouble(entry.span(), "this patch is empty"),
            },
            Err(why) => unread(bench, target.as_ref(), entry.span(), why),
        }
    }
}

fn items<'a>(root: Node<'a>, list: &str) -> Vec<Node<'a>> {
    root.get(list)
        .into_iter()
        .flat_map(|list| list.items())
        .collect()
}

/// Marks the objects that a patch that could not be read may change.
fn unread(bench: &mut Bench<'_>, target: Option<&Target>, at: Span, why: String) {
    for object in &mut bench.built.objects {
        let is_meant = target
            .is_none_or(|one| one.selects(&object.original(), &object.current(), &object.value));
        if is_meant {
            object.doubt("a patch of it could not be read", at);
        }
    }
    bench.trouble(at, why);
}

/// The target of an entry. An invalid one may be meant for any object.
fn target(bench: &mut Bench<'_>, entry: Node<'_>) -> Result<Option<Target>, ()> {
    let Some(node) = entry.get("target").filter(|target| !target.is_null()) else {
        return Ok(None);
    };
    let read = of_node(node, &|span| span, &mut 1_000).ok_or("it is too large".to_owned());
    match read.and_then(|value| Target::read(&value)) {
        Ok(target) => Ok(Some(target)),
        Err(why) => {
            unread(
                bench,
                None,
                node.span(),
                format!("this target is invalid: {why}"),
            );
            Err(())
        }
    }
}

/// The documents of a patch that is written in an entry or in a file that the entry names.
fn text_of(
    bench: &Bench<'_>,
    entry: Node<'_>,
    [own, path]: [&str; 2],
) -> Result<Rc<Documents>, String> {
    let text = |key: &str| {
        let node = entry.get(key)?;
        let text = node.as_str().filter(|text| !text.trim().is_empty())?;
        Some((node, text))
    };
    let read = match (text(own), text(path)) {
        (Some((node, text)), None) => inline(bench, node, text),
        (None, Some((_, path))) => from_file(bench, path)?,
        (Some(_), Some(_)) => return Err("a patch has both a `patch` and a `path`".to_owned()),
        (None, None) => return Err("a patch has neither `patch` nor `path`".to_owned()),
    };
    match read.half_json {
        true => Err("a patch that begins with `[` must be JSON".to_owned()),
        false => Ok(read),
    }
}

fn inline(bench: &Bench<'_>, node: Node<'_>, text: &str) -> Rc<Documents> {
    let pieces = pieces_of(&bench.form.text, node, text);
    let whole = node.span();
    let place = |span: Span| pieces.place(span.range()).unwrap_or(whole);
    Rc::new(parse(text, bench.form.source, &place))
}

fn from_file(bench: &Bench<'_>, entry: &str) -> Result<Rc<Documents>, String> {
    let missing = || format!("the patch `{entry}` is not among the files that were read");
    if is_remote(entry) {
        return Err(missing());
    }
    let path = resolve(&bench.form.folder, entry).ok_or_else(missing)?;
    let documents = bench.shelf.documents(&path).ok_or_else(missing)?;
    match documents.broken {
        true => Err(format!("the patch `{entry}` could not be read completely")),
        false => Ok(documents),
    }
}

/// Applies strategic merge patches.
fn merge_all(
    bench: &mut Bench<'_>,
    documents: &Documents,
    target: Option<&Target>,
    entry: Node<'_>,
) {
    if documents.broken || documents.values.is_empty() {
        let why = "this patch is empty or could not be read completely";
        return unread(bench, target, entry.span(), why.to_owned());
    }
    if target.is_some() && documents.values.len() > 1 {
        let why = "a patch with a target must be a single document";
        return unread(bench, target, entry.span(), why.to_owned());
    }
    let option = |key: &str| {
        let options = entry.get("options");
        options.and_then(|options| options.get(key)?.as_bool()) == Some(true)
    };
    let changes = Changes {
        name: option("allowNameChange"),
        kind: option("allowKindChange"),
    };
    for (patch, at) in &documents.values {
        if !matches!(patch.data, Data::Map(_)) {
            unread(bench, target, *at, "this patch is not a map".to_owned());
            continue;
        }
        let selected: Vec<usize> = match target {
            Some(target) => selected(bench, target),
            None => {
                let id = Id::of(patch);
                let mut found: Vec<usize> = living(bench)
                    .filter(|(_, object)| object.was(&id))
                    .map(|(at, _)| at)
                    .collect();
                if found.len() > 1 {
                    let what = format!("{} `{}` is there more than once", id.kind, id.name);
                    for at_object in found.drain(..) {
                        if let Some(object) = bench.built.objects.get_mut(at_object) {
                            object.doubt("it is not the only one that a patch may be for", *at);
                        }
                    }
                    bench.trouble(*at, what);
                } else if found.is_empty() && is_missed(bench, patch) {
                    bench.trouble(
                        *at,
                        format!("its target, {} `{}`, is not there", id.kind, id.name),
                    );
                }
                found
            }
        };
        for index in selected {
            let result = bench.built.objects.get_mut(index).map(|object| {
                let result = merge_one(object, patch, changes);
                object.add_patch(*at);
                object.add_patch(entry.span());
                if result.is_err() {
                    object.doubt("a patch of it does not apply", *at);
                }
                result
            });
            if let Some(Err(why)) = result {
                bench.trouble(*at, format!("this patch does not apply: {why}"));
            }
        }
    }
}

/// Whether the target of a patch would have been found.
fn is_missed(bench: &Bench<'_>, patch: &Value) -> bool {
    let word = |key: &str| patch.get(key).and_then(Value::word).unwrap_or_default();
    let is_read = schema::has_pods(word("apiVersion"), word("kind"));
    !bench.built.open && (is_read || !bench.built.more)
}

fn living<'b>(bench: &'b Bench<'_>) -> impl Iterator<Item = (usize, &'b Object)> {
    let objects = bench.built.objects.iter().enumerate();
    objects.filter(|(_, object)| !object.gone)
}

fn selected(bench: &Bench<'_>, target: &Target) -> Vec<usize> {
    living(bench)
        .filter(|(_, one)| target.selects(&one.original(), &one.current(), &one.value))
        .map(|(at, _)| at)
        .collect()
}

/// Which parts of an identity a patch may change.
#[derive(Clone, Copy)]
struct Changes {
    name: bool,
    kind: bool,
}

fn merge_one(object: &mut Object, patch: &Value, changes: Changes) -> Result<(), String> {
    let id = object.current();
    if changes.name || changes.kind {
        object.remember();
    }
    let before = object.value.clone();
    let api_version = match id.group.as_str() {
        "" => id.version.clone(),
        group => format!("{group}/{}", id.version),
    };
    let shape = schema::of_kind(&api_version, &id.kind);
    let mut patch = patch.clone();
    // A patch with a target may have any version; that of the object stays.
    if let (Some(known), Some(over)) = (before.entry("apiVersion"), patch.entry("apiVersion"))
        && !known.value.means(&over.value)
    {
        patch.set(known.clone());
    }
    let Some(mut merged) = merge(&before, &patch, shape)? else {
        object.gone = true;
        return Ok(());
    };
    if !changes.kind {
        restore(&mut merged, &before, &["kind"]);
    }
    if !changes.name {
        restore(&mut merged, &before, &["metadata", "name"]);
    }
    restore(&mut merged, &before, &["metadata", "namespace"]);
    object.touched |= !schema::has_pods(&api_version, &id.kind) || schema::is_of_pods(&patch);
    let mut found = Vec::new();
    replaced(&before, &patch, shape, &mut Vec::new(), &mut found);
    Arc::make_mut(&mut object.replaced).extend(found);
    object.value = merged;
    Ok(())
}

/// Gives a field the value that it had before.
fn restore(merged: &mut Value, before: &Value, path: &[&str]) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let old = before
        .at_path(above)
        .and_then(|holder| holder.entry(last))
        .cloned();
    let mut holder = merged;
    for key in above {
        match holder.get_mut(key) {
            Some(next) => holder = next,
            None => return,
        }
    }
    match old {
        Some(old) => holder.set(old),
        None => {
            if let Some(entries) = holder.entries_mut() {
                entries.retain(|entry| &*entry.key != *last);
            }
        }
    }
}

/// Collects the lists of maps that a patch replaces as a whole.
fn replaced(
    before: &Value,
    patch: &Value,
    shape: &schema::Shape,
    path: &mut Vec<Arc<str>>,
    found: &mut Vec<Replaced>,
) {
    if patch.get("$patch").is_some() {
        return;
    }
    for over in patch.entries() {
        let Some(known) = before.entry(&over.key) else {
            continue;
        };
        let inner = shape.field(&over.key);
        path.push(Arc::clone(&over.key));
        match (&known.value.data, &over.value.data) {
            (Data::Map(_), Data::Map(_)) => {
                replaced(&known.value, &over.value, inner, path, found);
            }
            (Data::List(_), Data::List(_)) if !matches!(inner, schema::Shape::List(..)) => {
                found.push(Replaced {
                    path: path.clone(),
                    before: known.clone(),
                    after: over.clone(),
                });
            }
            _ => {}
        }
        path.pop();
    }
}

/// Applies a JSON patch.
fn run_operations(
    bench: &mut Bench<'_>,
    operations: &Value,
    target: Option<&Target>,
    entry: Node<'_>,
    remembers: bool,
) {
    let Some(target) = target else {
        let why = "a JSON patch needs a target";
        return unread(bench, None, entry.span(), why.to_owned());
    };
    if !json_patch::is_patch(operations) {
        let why = "this patch is not a list of operations";
        return unread(bench, Some(target), entry.span(), why.to_owned());
    }
    for index in selected(bench, target) {
        let failed = bench.built.objects.get_mut(index).and_then(|object| {
            if remembers {
                object.remember();
            }
            let result = json_patch::apply(&mut object.value, operations);
            object.add_patch(operations.at);
            object.add_patch(entry.span());
            match result {
                Ok(()) => object.touched = true,
                Err((at, _)) => object.doubt("a patch of it does not apply", at),
            }
            result.err()
        });
        if let Some((at, why)) = failed {
            bench.trouble(at, format!("this operation does not apply: {why}"));
        }
    }
}
