//! Taints and tolerations of devices (dynamic resource allocation), at the paths that rows give.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::document::{ObjectReader, join};
use super::duplicates;
use super::read::{TAINT_FIELDS, is_placeholder, is_template_action};
use super::rows::DeviceRow;
use crate::model::device::{DeviceEntry, PlacedDeviceEntry};
use crate::model::notice::NoticeKind;
use crate::model::taint::Taint;
use crate::model::workload::{Level, LocatedToleration};
use crate::yaml::{self, Kind, Node};

impl<'a> ObjectReader<'_, 'a> {
    /// Reads what devices are tainted with and what requests for them tolerate. Gives whether the kind has a row.
    pub(super) fn read_devices(&mut self, group: &str, version: &str, kind: &str) -> bool {
        let rows: Vec<_> = self.table.device_rows(group, version, kind).collect();
        for row in &rows {
            for path in &row.taints {
                for found in path.find(self.root) {
                    if found.node.kind() == Kind::Mapping && !is_template_action(found.node) {
                        let at = join(&self.base, &found.path);
                        self.read_device_taint(found.node, at);
                    }
                }
            }
            for path in &row.tolerations {
                for found in path.find(self.root) {
                    let Some(field) = found.field else { continue };
                    self.known_lists.insert(found.node.id());
                    let at = join(&self.base, &found.path);
                    self.read_device_tolerations(field, &at);
                }
            }
            self.note_misplaced_requests(row);
        }
        !rows.is_empty()
    }

    fn read_device_taint(&mut self, node: Node<'a>, path: String) {
        let mut context = Self::context(&self.object, Level::Typed, &mut self.facts.notices);
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
        self.push_device(DeviceEntry::Taint(taint), located);
    }

    fn read_device_tolerations(&mut self, field: yaml::Field<'a>, path: &str) {
        let read = Self::context(&self.object, Level::Typed, &mut self.facts.notices)
            .read_tolerations(field, path);
        for (entry, located) in read.entries.into_iter().zip(read.located) {
            self.push_device(DeviceEntry::Toleration(entry), located);
        }
    }

    fn push_device(&mut self, entry: DeviceEntry, located: LocatedToleration) {
        self.facts.devices.push(PlacedDeviceEntry {
            entry,
            located,
            object: self.object.clone(),
        });
    }

    /// A list where this version of the API has no field for it; the shape differs between versions.
    fn note_misplaced_requests(&mut self, row: &DeviceRow) {
        let Some(right) = &row.right_place else {
            return;
        };
        let visits = duplicates::walk(self.root);
        for at in 0..visits.len() {
            let node = visits[at].node;
            if duplicates::key_of(&visits, at) != Some("tolerations")
                || node.kind() != Kind::Sequence
                || self.known_lists.contains(&node.id())
            {
                continue;
            }
            let path = duplicates::path_of(&visits, at, &self.base);
            // What the scheduler allotted is copied there.
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
                place: format!("a place that `{}` does not have", self.object.api_version),
                move_to: right.clone(),
            };
            Self::context(&self.object, Level::Typed, &mut self.facts.notices)
                .note(kind, span, path);
        }
    }
}
