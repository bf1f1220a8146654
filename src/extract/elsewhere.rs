//! Tolerations where no row expects them: misplaced in built-in kinds, somebody's own lists elsewhere.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::controllers::{self, Step};
use super::document::ObjectReader;
use super::duplicates::{self, Visit};
use super::notation::api_group;
use super::pod::Pod;
use super::read::{
    TOLERATION_FIELDS, Tolerations, describe, is_template_action, looks_like_tolerations,
    names_tolerations,
};
use crate::model::notice::NoticeKind;
use crate::model::taint::Effect;
use crate::model::workload::{Level, Stands};
use crate::source::Span;
use crate::yaml::{self, Kind, Node};

impl ObjectReader<'_, '_> {
    /// Looks for tolerations where no row expects them: misplaced in built-in kinds, somebody's own elsewhere.
    pub(super) fn search_elsewhere(&mut self, text: &str, level: Level) {
        if !text.contains("olerations") {
            return;
        }
        let visits = duplicates::walk(self.root);
        let only = self.only_places(level);
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
            } else if names_tolerations(key) && looks_like_tolerations(node) {
                match &only {
                    Some(only) if key == "tolerations" && !is_free_form(&visits, at) => {
                        self.note_unread(&visits, at, only);
                    }
                    _ => self.read_other_list(&visits, at),
                }
            } else if key == "tolerations" && is_one_toleration(node) {
                self.note_map(&visits, at);
            } else if key == "tolerations" && is_list_of_words(node) {
                self.note_words(&visits, at);
            }
        }
    }

    /// Where a custom resource holds its tolerations, when no other place of it is read.
    fn only_places(&self, level: Level) -> Option<Vec<String>> {
        let version = self.object.api_version.rsplit('/').next()?;
        let group = api_group(&self.object.api_version);
        self.table
            .only_places(group, version, &self.object.kind)
            .filter(|_| level == Level::Custom)
    }

    fn note_unread(&mut self, visits: &[Visit<'_>], at: usize, only: &[String]) {
        let parent = duplicates::parent_of(visits, at);
        let path = duplicates::path_of(visits, at, &self.base);
        let right = nearest_place(&path, only);
        let field = visits[parent].node.field("tolerations");
        let span = field.map_or(visits[at].node.span(), |field| field.key.span());
        let place = path.strip_suffix(".tolerations").unwrap_or(&path);
        let kind = NoticeKind::DroppedTolerations {
            place: place.to_owned(),
            move_to: right,
        };
        Self::context(&self.object, Level::Custom, &mut self.facts.notices).note(kind, span, path);
    }

    /// One toleration where a list of them belongs, for all that is known of its owner.
    fn note_map(&mut self, visits: &[Visit<'_>], at: usize) {
        let path = duplicates::path_of(visits, at, &self.base);
        let parent = duplicates::parent_of(visits, at);
        let node = visits[at].node;
        let span = visits[parent]
            .node
            .field("tolerations")
            .map_or(node.span(), |field| field.span());
        let level = self.level_of_list(visits, at);
        Self::context(&self.object, level, &mut self.facts.notices).malformed(
            span,
            &path,
            describe(node),
            false,
        );
    }

    /// Taints as `kubectl taint` takes them where tolerations belong.
    fn note_words(&mut self, visits: &[Visit<'_>], at: usize) {
        let path = duplicates::path_of(visits, at, &self.base);
        let level = self.level_of_list(visits, at);
        if level != Level::Values {
            // Somebody's own form of a list is as good as any.
            return;
        }
        let mut context = Self::context(&self.object, level, &mut self.facts.notices);
        for (index, item) in visits[at].node.items().enumerate() {
            let at = yaml::index(&path, index);
            context.malformed(item.span(), &at, describe(item), true);
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
        let kind = NoticeKind::MisplacedTolerations {
            field: "tolerations".to_owned(),
            place: self.place(visits, parent, &path),
            move_to: right,
        };
        let field = visits[parent].node.field("tolerations");
        let span = field.map_or(visits[at].node.span(), |field| field.key.span());
        Self::context(&self.object, Level::Typed, &mut self.facts.notices).note(kind, span, path);
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
        let level = self.level_of_list(visits, at);
        let mut context = Self::context(&self.object, level, &mut self.facts.notices);
        let mut read = Pod {
            tolerations: context.read_tolerations(field, &path),
            ..Pod::default()
        };
        // Charts that write each label of a selector by themselves, in quotes, are not rare.
        context.level = Level::Other;
        // What stands beside the list belongs to it; more may stand where the values are used.
        if key == "tolerations" {
            context.read_node_selector(visits[parent].node, &holder, &mut read);
        }
        let way = Self::way_out(visits, parent);
        self.push_other_list(read, level, holder, field.key.span(), &way);
    }

    /// The maps and lists from one outward to the whole object, each with the key that it stands under.
    fn way_out<'v>(visits: &[Visit<'v>], at: usize) -> Vec<Step<'v>> {
        let outward = std::iter::successors(Some(at), |at| {
            (*at != 0).then(|| duplicates::parent_of(visits, *at))
        });
        outward
            .map(|at| (visits[at].node, duplicates::key_of(visits, at)))
            .collect()
    }

    /// What becomes of a list that no row expects: charts copy `tolerations` into pods as they stand, and that is what
    /// values are for; what others make of theirs is not known.
    fn level_of_list(&self, visits: &[Visit<'_>], at: usize) -> Level {
        let is_object = !self.object.kind.is_empty() && !self.object.api_version.is_empty();
        let is_values = self.is_values && !is_object;
        let held = || {
            let above = std::iter::successors(Some(at), |at| {
                (*at != 0).then(|| duplicates::parent_of(visits, *at))
            });
            let mut keys = above.filter_map(|at| duplicates::key_of(visits, at));
            keys.any(|key| key.starts_with("values") || key.ends_with("Values"))
        };
        if duplicates::key_of(visits, at) == Some("tolerations") && (is_values || held()) {
            Level::Values
        } else {
            Level::Other
        }
    }

    /// Reads a text that is a list of tolerations and nothing else.
    pub(super) fn read_text_list(&mut self, path: &str) {
        let span = self.root.span();
        let mut tolerations = Tolerations {
            span: Some(span),
            ..Tolerations::default()
        };
        Self::context(&self.object, Level::Other, &mut self.facts.notices).read_entries(
            self.root,
            path,
            &mut tolerations,
        );
        let read = Pod {
            tolerations,
            ..Pod::default()
        };
        self.push_other_list(read, Level::Other, path.to_owned(), span, &[]);
    }

    /// `way` leads from the map that the list stands in out to the whole object.
    fn push_other_list(
        &mut self,
        mut read: Pod,
        level: Level,
        holder: String,
        span: Span,
        way: &[Step<'_>],
    ) {
        read.selection.unknown = true;
        let unread = read.tolerations.unread;
        let mut shape = self.shape(level, &read, unread, Stands::Alone);
        if let Some((holding, _)) = way.first() {
            shape.character = self.character(*holding, level);
            let found = controllers::beside(way.iter().copied());
            shape.character.controller = found.unwrap_or_default();
        }
        self.push(shape, read, holder, Stands::Alone, Some(span));
    }
}

/// Keys below which custom resources hold whatever others want to read.
const FREE_FORM: [&str; 13] = [
    "annotations",
    "args",
    "config",
    "configuration",
    "data",
    "env",
    "metadata",
    "overrides",
    "parameters",
    "settings",
    "status",
    "values",
    "valuesObject",
];

/// Whether a list stands in something whose form its kind does not decide: free text of others, or a pod template that
/// is put somewhere whole.
fn is_free_form(visits: &[Visit<'_>], at: usize) -> bool {
    let parent = duplicates::parent_of(visits, at);
    if visits[parent].node.get("containers").is_some() {
        return true;
    }
    let mut at = parent;
    while at != 0 {
        if duplicates::key_of(visits, at).is_some_and(|key| FREE_FORM.contains(&key)) {
            return true;
        }
        at = duplicates::parent_of(visits, at);
    }
    false
}

/// Of the places where a kind holds tolerations the one that has most in common with a path, with the path's own
/// indices.
fn nearest_place(path: &str, places: &[String]) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    let common = |place: &String| {
        std::iter::zip(&steps, place.split('.'))
            .take_while(|(own, known)| is_step(own, known))
            .count()
    };
    // Of several that have as much in common the first.
    let best = places.iter().rev().max_by_key(|place| common(place));
    let Some(best) = best else {
        return String::new();
    };
    let shared = common(best);
    let own = steps.iter().take(shared).copied();
    own.chain(best.split('.').skip(shared))
        .collect::<Vec<_>>()
        .join(".")
}

/// Whether a step of a path is one that a pattern allows.
fn is_step(own: &str, known: &str) -> bool {
    let name = |step: &str| step.split_once('[').map(|(name, _)| name.to_owned());
    known == "*" || own == known || (known.ends_with("[]") && name(own) == name(known))
}

/// A list of nothing but taints in one word each: `key=value:NoSchedule`.
fn is_list_of_words(node: Node<'_>) -> bool {
    let is_taint = |item: Node<'_>| {
        let effect = item.raw().and_then(|word| word.rsplit_once(':'));
        item.kind() == Kind::Scalar
            && effect
                .is_some_and(|(key, effect)| !key.is_empty() && Effect::parse(effect).is_some())
    };
    node.kind() == Kind::Sequence && node.items().next().is_some() && node.items().all(is_taint)
}

/// A map with only a toleration's fields, each a plain value.
fn is_one_toleration(node: Node<'_>) -> bool {
    if node.kind() != Kind::Mapping || is_template_action(node) {
        return false;
    }
    let fields = node.fields();
    let known = |field: &yaml::Field<'_>| {
        let named = field
            .name()
            .is_some_and(|name| TOLERATION_FIELDS.contains(&name));
        named && field.value.kind() == Kind::Scalar
    };
    let has = |name: &str| fields.iter().any(|field| field.name() == Some(name));
    fields.iter().all(known) && has("key") && (has("operator") || has("effect"))
}
