//! Tolerations where no row expects them: misplaced in built-in kinds, somebody's own lists elsewhere.

use super::document::ObjectReader;
use super::duplicates::{self, Visit};
use super::pod::Pod;
use super::read::{TOLERATION_FIELDS, is_template_action};
use crate::model::workload::{Level, Stands};
use crate::yaml::{self, Kind, Node};

impl ObjectReader<'_, '_> {
    /// Looks for tolerations where no row expects them: misplaced in built-in kinds, somebody's own elsewhere.
    pub(super) fn search_elsewhere(&mut self, text: &str, level: Level) {
        if !text.contains("olerations") {
            return;
        }
        let visits = duplicates::walk(self.root);
        for at in 0..visits.len() {
            let Some(key) = duplicates::key_of(&visits, at) else {
                continue;
            };
            let node = visits[at].node;
            if self.known_lists.contains(&node.id()) {
                continue;
            }
            if level == Level::Typed {
                if key == "tolerations" {
                    self.note_misplaced(&visits, at);
                }
            } else if (key == "tolerations" || key.ends_with("Tolerations"))
                && looks_like_tolerations(node)
            {
                self.read_other_list(&visits, at);
            }
        }
    }

    fn note_misplaced(&mut self, visits: &[Visit<'_>], at: usize) {
        let parent = duplicates::parent_of(visits, at);
        let holder = duplicates::key_of(visits, parent);
        if matches!(
            holder,
            Some("annotations" | "labels" | "matchLabels" | "data" | "nodeSelector")
        ) {
            return;
        }
        let path = duplicates::path_of(visits, at, &self.base);
        let right = self
            .pods
            .first()
            .map(|pod| yaml::join(pod, "tolerations"))
            .unwrap_or_default();
        let detail = self.place(visits, parent, &path);
        let context = Self::context(&self.object, Level::Typed, &mut self.facts.oddities);
        let field = visits[parent].node.field("tolerations");
        let span = field.map_or(visits[at].node.span(), |field| field.key.span());
        let mut oddity = context.oddity("misplaced-tolerations", span, path);
        oddity.field = "tolerations".to_owned();
        oddity.suggestion = right;
        oddity.detail = detail;
        context.oddities.push(oddity);
    }

    fn place(&self, visits: &[Visit<'_>], parent: usize, path: &str) -> String {
        let grand = duplicates::parent_of(visits, parent);
        let lists = ["containers", "initContainers", "ephemeralContainers"];
        if duplicates::key_of(visits, grand).is_some_and(|key| lists.contains(&key)) {
            return "a container".to_owned();
        }
        match duplicates::key_of(visits, parent) {
            Some(key @ ("affinity" | "nodeAffinity" | "securityContext" | "metadata")) => {
                format!("`{key}`")
            }
            Some("template") => "the pod template, beside its spec".to_owned(),
            Some("spec") if path == "spec.tolerations" => {
                format!(
                    "the spec of the {}, outside the pod template",
                    self.object.kind
                )
            }
            Some("spec") if path == "spec.jobTemplate.spec.tolerations" => {
                "the spec of the job, outside the pod template".to_owned()
            }
            Some("jobTemplate") => "the job template, beside its spec".to_owned(),
            None if parent == 0 => "the top level of the object".to_owned(),
            Some(key) => format!("`{key}`"),
            None => "a list".to_owned(),
        }
    }

    fn read_other_list(&mut self, visits: &[Visit<'_>], at: usize) {
        let path = duplicates::path_of(visits, at, &self.base);
        let parent = duplicates::parent_of(visits, at);
        let key = duplicates::key_of(visits, at).unwrap_or_default();
        let Some(field) = visits[parent].node.field(key) else {
            return;
        };
        let holder = duplicates::path_of(visits, parent, &self.base);
        let mut context = Self::context(&self.object, Level::Other, &mut self.facts.oddities);
        let mut read = Pod {
            tolerations: context.read_tolerations(field, &path),
            ..Pod::default()
        };
        // What stands beside the list belongs to it; more may stand where the values are used.
        if key == "tolerations" {
            context.read_node_selector(visits[parent].node, &holder, &mut read);
        }
        read.selection.unknown = true;
        let unread = read.tolerations.unread.clone();
        let shape = self.shape(Level::Other, &read, unread, Stands::Alone);
        let span = field.key.span();
        self.push(shape, read, holder, Stands::Alone, Some(span));
    }
}

/// A non-empty list of maps that have only a toleration's fields, and at least one that makes it one.
fn looks_like_tolerations(node: Node<'_>) -> bool {
    if node.kind() != Kind::Sequence {
        return false;
    }
    let mut any = false;
    for item in node.items() {
        if item.kind() != Kind::Mapping || is_template_action(item) {
            return false;
        }
        let names: Vec<_> = item.fields().iter().map(yaml::Field::name).collect();
        let known = names
            .iter()
            .all(|name| name.is_some_and(|name| TOLERATION_FIELDS.contains(&name)));
        let telling = names
            .iter()
            .any(|name| matches!(name, Some("key" | "operator" | "effect")));
        if !known || !telling {
            return false;
        }
        any = true;
    }
    any
}
