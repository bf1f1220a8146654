//! One document: unpacks lists of objects and runs all readers on each object.

use std::collections::HashSet;

use thin_vec::thin_vec;

use super::FileFacts;
use super::chart_values::Values;
use super::read::is_placeholder;
use super::reading::Reading;
use super::subject::Subject;
use super::{
    borrowed, chart_addresses, chart_files, charted, charted_parts, dead_annotations, declared,
    devices, duplicates, elsewhere, generated_keys, namespaces, node_errors, plans, releases,
    scripts, strings, texts, values_objects, values_of_charts, values_selectors, workloads,
};
use super::{injected, overlays};
use crate::delivery;
use crate::finding::{Because, Open};
use crate::inventory;
use crate::model::workload::Level;
use crate::yaml::{self, Kind, Node};

/// Reads one document.
pub(super) fn read(root: Node<'_>, reading: Reading<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    // Lists may be nested. A work list instead of recursion keeps a deeply nested file from exhausting the stack.
    let mut pending = vec![Subject::new(root, String::new(), reading)];
    while let Some(subject) = pending.pop() {
        match items(&subject) {
            Some(items) => pending.extend(items.into_iter().rev()),
            None => facts.absorb(read_one(&subject)),
        }
    }
    facts
}

/// The objects of a list of objects. They inherit its kind and version if they lack their own.
fn items<'a>(list: &Subject<'a>) -> Option<Vec<Subject<'a>>> {
    let kind = list.object.kind.strip_suffix("List")?;
    let items = list.root.get("items")?;
    if items.kind() != Kind::Sequence {
        return None;
    }
    let path = yaml::join(&list.base, "items");
    let item = |(index, item): (usize, Node<'a>)| {
        let mut subject = Subject::new(item, yaml::index(&path, index), list.reading);
        let object = &mut subject.object;
        if !kind.is_empty() && object.api_version.is_empty() {
            object.api_version.clone_from(&list.object.api_version);
        }
        if object.kind.is_empty() {
            kind.clone_into(&mut object.kind);
        }
        subject
    };
    Some(items.items().enumerate().map(item).collect())
}

fn read_one(subject: &Subject<'_>) -> FileFacts {
    if subject.root.kind() != Kind::Mapping || !subject.is_object() {
        return read_other(subject);
    }
    match inventory::read(subject.root, subject.reading.id) {
        Some(Ok(read)) => {
            return FileFacts {
                inventories: thin_vec![read],
                ..FileFacts::default()
            };
        }
        Some(Err(unreadable)) => {
            return FileFacts {
                unreadable: unreadable.into(),
                ..FileFacts::default()
            };
        }
        None => {}
    }
    let table = subject.reading.table;
    let (group, kind) = (subject.group(), subject.object.kind.as_str());
    let mut facts = FileFacts::default();
    facts.not_judged.extend(open_kind(subject));
    facts.overlays.extend(injected::read(subject));
    if group == "argoproj.io" && kind.starts_with("Application") {
        let overlays = overlays::application(subject.root, subject.reading.id);
        facts.overlays.extend(overlays);
    }
    if subject.reading.depth == 0 {
        let pointer = delivery::read(subject.root, group, kind);
        facts.pointers.extend(pointer);
    }
    if table.is_skipped(group, kind) {
        return facts;
    }
    facts.managed_cluster = table.declares_managed(group, kind);
    facts.absorb(namespaces::read(subject));
    facts.borrowed = borrowed::read(subject).into();
    facts.absorb(chart_addresses::read(subject));
    let is_kustomization =
        kind == "Kustomization" || (kind == "Component" && group == "kustomize.config.k8s.io");
    if is_kustomization {
        facts.absorb(kustomization(subject));
    }
    let workloads = workloads::read(subject);
    let (level, mut known) = (workloads.level, workloads.known);
    facts.absorb(workloads.facts);
    let pools = declared::pools(subject);
    let has_pools = pools.is_some();
    facts.absorb(pools.unwrap_or_default());
    facts.absorb(declared::held_pools(subject));
    facts.notices.extend(node_errors::read(subject));
    let devices = devices::read(subject, &known);
    let has_devices = devices.is_some();
    if let Some((devices, lists)) = devices {
        facts.absorb(devices);
        known.lists.extend(lists);
    }
    facts.absorb(scripts::read_strings(subject, has_pools));
    if releases::is_release(subject) {
        facts.has_releases = true;
        facts.absorb(values_objects::pools(subject));
    }
    let releases = releases::read(subject);
    facts
        .referring
        .extend(releases.refers.then_some(subject.reading.id));
    facts.values_files = releases.values_files.into();
    facts.absorb(releases.charted.facts);
    known.lists.extend(releases.charted.lists);
    let (values, done) = texts::values(subject, &releases.texts, &read);
    facts.absorb(values);
    if !is_kustomization {
        facts.absorb(strings::read(subject, &done, &read));
    }
    if level.is_some() || has_pools || has_devices {
        let of_kind = match has_devices {
            true => Level::Typed,
            false => Level::Custom,
        };
        let found = duplicates::read(subject, level.unwrap_or(of_kind));
        facts.notices.extend(found);
    }
    if level == Some(Level::Typed) || kind == "Node" {
        let found = dead_annotations::read(subject, &known);
        facts.notices.extend(found);
    }
    if !table.has_other_tolerations(group, kind) {
        facts.absorb(elsewhere::read(
            subject,
            level.unwrap_or(Level::Other),
            &known,
        ));
    }
    facts
}

/// Reads a document that is not an API object: values, configuration of some tool, a plan.
fn read_other(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    let path = &subject.reading.source.path;
    if subject.object.kind == "Kustomization" || path.ends_with("kustomization.yaml") {
        facts.absorb(kustomization(subject));
    } else {
        facts.absorb(strings::read(subject, &HashSet::new(), &read));
    }
    if let Some(state) = plans::read_state(subject) {
        facts.absorb(state);
        return facts;
    }
    if subject.object.api_version.is_empty() {
        let pools = declared::kindless_pools(subject);
        let has_pools = !pools.pools.is_empty();
        facts.absorb(pools);
        facts.absorb(scripts::read_strings(subject, has_pools));
        facts.absorb(values_objects::pools(subject));
    }
    let mut known = workloads::Known::default();
    if subject.reading.depth == 0 {
        facts
            .pointers
            .extend(delivery::read_bundle(subject.root, path));
        facts.pointers.extend(delivery::read_helmfile(subject.root));
    }
    facts.dependencies = chart_files::dependencies(subject).into();
    facts.chart = chart_files::chart(subject);
    let releases = releases::read(subject);
    let refers = releases.refers.then_some(subject.reading.id);
    facts.referring.extend(refers);
    facts.values_files = releases.values_files.into();
    for charted in [
        releases.charted,
        values_of_charts::passed_on(subject),
        values_of_charts::own_values(subject),
    ] {
        facts.absorb(charted.facts);
        known.lists.extend(charted.lists);
    }
    if let Some(installed) = subject.reading.installed {
        let values = Values {
            root: subject.root,
            base: subject.base.clone(),
            under: installed.below_all(),
            open: installed.open,
            is_whole: false,
        };
        let mut charted = charted::read(subject, &values, installed);
        let below = values.under.iter().map(|(root, _)| *root);
        let layers: Vec<Node<'_>> = std::iter::once(values.root).chain(below).collect();
        // The values of an environment are read with those of their chart.
        if !subject.reading.sources.is_environment(path) {
            charted.absorb(charted_parts::read(subject, &layers, installed));
        }
        facts.laid_over.extend(installed.files_below());
        facts.absorb(charted.facts);
        known.lists.extend(charted.lists);
    }
    facts.schedules = fills_a_field(subject);
    facts.absorb(values_selectors::read(subject));
    facts.absorb(elsewhere::read(subject, Level::Other, &known));
    facts
}

/// Whether values contain tolerations, a node selector or affinity that are not empty.
fn fills_a_field(subject: &Subject<'_>) -> bool {
    let text = &subject.reading.source.text;
    let words = ["olerations", "odeSelector", "ffinity"];
    if !words.iter().any(|word| text.contains(word)) {
        return false;
    }
    let visits = duplicates::walk(subject.root);
    (0..visits.len()).any(|at| {
        let key = duplicates::key_of(&visits, at).unwrap_or_default();
        let is_named = words.iter().any(|word| key.ends_with(word));
        let node = visits.get(at).map(|visit| visit.node);
        is_named
            && node.is_some_and(|node| !node.fields().is_empty() || node.items().next().is_some())
    })
}

/// Reports an object whose kind is filled in later.
fn open_kind(subject: &Subject<'_>) -> Option<Open> {
    let object = &subject.object;
    let table = subject.reading.table;
    let field = if is_placeholder(&object.kind) {
        "kind"
    } else if is_placeholder(&object.api_version) && table.knows_kind(&object.kind) {
        "apiVersion"
    } else {
        return None;
    };
    let at = subject.root.get(field).unwrap_or(subject.root).span();
    Some(Open::object(at, object, Because::OpenKind))
}

fn kustomization(subject: &Subject<'_>) -> FileFacts {
    let (root, id) = (subject.root, subject.reading.id);
    let mut facts = FileFacts {
        overlays: overlays::kustomization(root, id),
        kustomizations: thin_vec![overlays::takes_in(root, id)],
        generated: generated_keys::read(root, &subject.reading.source.path).into(),
        ..FileFacts::default()
    };
    facts.absorb(texts::patches(subject, &read));
    facts
}
