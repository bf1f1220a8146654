//! What the API server refuses of a Node beside what its taints say: labels that no node can have, and values of the
//! wrong type.

use super::document::{ObjectReader, join};
use super::read::{Context, describe, is_filled_in, is_placeholder};
use crate::model::Field;
use crate::model::notice::NoticeKind;
use crate::model::selection_errors::label_errors;
use crate::model::validation::ErrorCode;
use crate::model::workload::Level;
use crate::yaml::{self, Kind, Node, Scalar};

impl ObjectReader<'_, '_> {
    /// Notes what the API server refuses of a Node.
    pub(super) fn note_node_errors(&mut self) {
        if self.object.kind != "Node" || self.object.api_version != "v1" {
            return;
        }
        let root = self.root;
        let base = join(&self.base, "");
        let mut context = Self::context(&self.object, Level::Typed, &mut self.facts.notices);
        if let Some((metadata, at)) = context.map_at(root, &base, "metadata")
            && let Some((labels, at)) = context.map_at(metadata, &at, "labels")
        {
            context.note_labels(labels, &at);
        }
        if let Some((spec, at)) = context.map_at(root, &base, "spec")
            && let Some(field) = spec.field("unschedulable")
        {
            let at = yaml::join(&at, "unschedulable");
            context.expect_boolean(&field, &at);
        }
    }
}

impl Context<'_> {
    /// The map in a field and its path. What is no map is noted; what a template fills in is not looked at.
    pub(super) fn map_at<'a>(
        &mut self,
        holder: Node<'a>,
        path: &str,
        name: &str,
    ) -> Option<(Node<'a>, String)> {
        let field = holder.field(name)?;
        let at = yaml::join(path, name);
        self.expect_kind(&field, Kind::Mapping, &at);
        let is_map = field.value.kind() == Kind::Mapping && !is_filled_in(field.value);
        is_map.then_some((field.value, at))
    }

    /// Notes a field that holds another kind of value than it must, unless a template fills it in. Null is nothing.
    pub(super) fn expect_kind(&mut self, field: &yaml::Field<'_>, kind: Kind, at: &str) {
        if field.value.kind() == kind || field.value.is_null() || is_filled_in(field.value) {
            return;
        }
        let wanted = match kind {
            Kind::Mapping => "a map",
            Kind::Sequence => "a list",
            Kind::Scalar => "a single value",
        };
        self.misshapen(field, at, wanted);
    }

    /// Notes a field whose value is of a type that it cannot have.
    pub(super) fn misshapen(&mut self, field: &yaml::Field<'_>, at: &str, wanted: &'static str) {
        let kind = NoticeKind::MisshapenField {
            what: format!("`{}`", field.name().unwrap_or_default()),
            found: describe(field.value),
            wanted,
        };
        self.note(kind, field.span(), at.to_owned());
    }

    /// A field that Kubernetes decodes into a boolean.
    pub(super) fn expect_boolean(&mut self, field: &yaml::Field<'_>, at: &str) -> Field<bool> {
        let node = field.value;
        match node.scalar() {
            Some(Scalar::Null) => return Field::Absent,
            Some(Scalar::Bool(on)) => return Field::Is(on),
            _ => {}
        }
        if self.level == Level::Typed && !is_filled_in(node) {
            let meant = ["true", "false"].into_iter();
            let meant = meant.filter(|word| node.raw() == Some(*word)).collect();
            self.mistyped(field, at, (describe(node), "true or false"), meant);
        }
        Field::Unknown
    }

    fn note_labels(&mut self, labels: Node<'_>, at: &str) {
        for field in labels.fields() {
            let Some(key) = field.name().filter(|key| !is_placeholder(key)) else {
                continue;
            };
            let at = yaml::join(at, key);
            let value = self.read_string(Some(field), &at);
            for error in label_errors(key, &value) {
                let written = match error.code {
                    ErrorCode::InvalidKey => key,
                    _ => value.text().unwrap_or_default(),
                };
                let kind = NoticeKind::InvalidNodeLabel {
                    why: error.message,
                    written: written.to_owned(),
                };
                self.note(kind, field.span(), at.clone());
            }
        }
    }
}
