//! Taints and tolerations of devices (dynamic resource allocation), at the paths that rows give.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::FileFacts;
use super::duplicates;
use super::read::{Context, TAINT_FIELDS, is_placeholder, is_template_action};
use super::subject::Subject;
use super::workloads::Known;
use crate::model::device::{DeviceEntry, PlacedDeviceEntry};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::taint::Taint;
use crate::model::workload::{Level, LocatedToleration};
use crate::yaml::{self, Kind, Node, NodeId};

/// Reads taints of devices and the tolerations of requests for them, and returns the lists that were read, or `None` if
/// the kind has no row.
pub(super) fn read(subject: &Subject<'_>, known: &Known) -> Option<(FileFacts, Vec<NodeId>)> {
    let table = subject.reading.table;
    let (group, version) = (subject.group(), subject.version());
    let mut facts = FileFacts::default();
    let mut lists = Vec::new();
    let mut has_row = false;
    for row in table.device_rows(group, version, &subject.object.kind) {
        has_row = true;
        for found in row.taints.iter().flat_map(|path| path.find(subject.root)) {
            if found.node.kind() == Kind::Mapping && !is_template_action(found.node) {
                let at = subject.path(&found.path);
                let mut context = subject.context(Level::Typed, &mut facts.notices);
                facts.devices.push(read_taint(found.node, at, &mut context));
            }
        }
        for found in row
            .tolerations
            .iter()
            .flat_map(|path| path.find(subject.root))
        {
            let Some(field) = found.field else { continue };
            lists.push(found.node.id());
            let at = subject.path(&found.path);
            let mut context = subject.context(Level::Typed, &mut facts.notices);
            let read = context.read_tolerations(field, &at);
            let entries = read.entries.into_iter().zip(read.located);
            facts
                .devices
                .extend(entries.map(|(entry, located)| PlacedDeviceEntry {
                    entry: DeviceEntry::Toleration(entry),
                    located,
                    object: subject.object.clone(),
                }));
        }
        if let Some(right) = &row.right_place {
            let is_known = |id: &NodeId| known.lists.contains(id) || lists.contains(id);
            facts.notices.extend(misplaced(subject, right, &is_known));
        }
    }
    has_row.then_some((facts, lists))
}

fn read_taint(node: Node<'_>, path: String, context: &mut Context<'_>) -> PlacedDeviceEntry {
    let mut fields = Vec::new();
    for field in node.fields() {
        let name = field.name().unwrap_or_default();
        match TAINT_FIELDS.iter().find(|known| **known == name) {
            Some(known) => fields.push((*known, field.span())),
            None if field.key.raw().is_none_or(is_placeholder) => {}
            None => context.unknown_field(&field, &path, "a device's taint", &TAINT_FIELDS),
        }
    }
    let mut text = |name: &str| context.read_string(node.field(name), &yaml::join(&path, name));
    let taint = Taint {
        key: text("key"),
        value: text("value"),
        effect: text("effect"),
    };
    let located = LocatedToleration {
        entry: node.span(),
        path,
        fields: fields.into(),
    };
    PlacedDeviceEntry {
        entry: DeviceEntry::Taint(taint),
        located,
        object: context.object.clone(),
    }
}

/// Reports a list at a place where this API version has no field for it. The schema differs between versions.
fn misplaced(
    subject: &Subject<'_>,
    right: &str,
    is_known: &dyn Fn(&NodeId) -> bool,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    let visits = duplicates::walk(subject.root);
    for at in 0..visits.len() {
        let node = visits[at].node;
        if duplicates::key_of(&visits, at) != Some("tolerations")
            || node.kind() != Kind::Sequence
            || is_known(&node.id())
        {
            continue;
        }
        let path = duplicates::path_of(&visits, at, &subject.base);
        // The scheduler copies its allocation there.
        if path.starts_with("status.") {
            continue;
        }
        let parent = duplicates::parent_of(&visits, at);
        let span = visits[parent]
            .node
            .field("tolerations")
            .map_or(node.span(), |field| field.key.span());
        let kind = NoticeKind::MisplacedTolerations {
            field: "tolerations".to_owned(),
            place: format!(
                "a place that `{}` does not have",
                subject.object.api_version
            ),
            move_to: right.to_owned(),
        };
        let mut context = subject.context(Level::Typed, &mut notices);
        context.note(kind, span, path);
    }
    notices
}
