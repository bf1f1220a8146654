//! Tolerations where no row expects them: misplaced ones in built-in kinds, and custom lists elsewhere.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a visit is named by its place in the list of all visits, and so is its parent"
    )
)]

use super::FileFacts;
use super::character;
use super::controllers::{self, Step, Switches};
use super::duplicates::{self, Visit};
use super::misspelt;
use super::pod::{Pod, read_node_selector};
use super::read::{
    TOLERATION_FIELDS, Tolerations, describe, is_template_action, looks_like_tolerations,
    names_tolerations,
};
use super::subject::Subject;
use super::workloads::{self, Known};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::taint::Effect;
use crate::model::workload::{Level, Stands, Workload};
use crate::source::Span;
use crate::source::text::Cut as _;
use crate::yaml::{self, Kind, Node};

/// Looks for tolerations where no row expects them: misplaced ones in built-in kinds, and custom lists elsewhere.
pub(super) fn read(subject: &Subject<'_>, level: Level, known: &Known) -> FileFacts {
    let mut facts = FileFacts::default();
    let text = subject.text();
    if !text.contains("olerations") && !misspelt::may_be_in(text) {
        return facts;
    }
    let visits = duplicates::walk(subject.root);
    let only = only_places(subject, level);
    let switches = Switches::default();
    for at in 0..visits.len() {
        let Some(key) = duplicates::key_of(&visits, at) else {
            continue;
        };
        let node = visits[at].node;
        if known.lists.contains(&node.id()) {
            continue;
        }
        let spot = Spot {
            subject,
            visits: &visits,
            at,
            switches: &switches,
        };
        let meant = misspelt::meant(key, node)
            .filter(|_| !spot.is_in_pod(level, known) && !spot.is_anchored(key));
        if level == Level::Typed {
            if key == "tolerations" || meant.is_some() {
                spot.note_misplaced(key, known, &mut facts.notices);
            }
        } else if let Some(meant) = meant {
            spot.note_misspelt(key, &meant, level, &mut facts.notices);
        } else if names_tolerations(key) && looks_like_tolerations(node) {
            match &only {
                Some(only) if key == "tolerations" && !is_free_form(&visits, at) => {
                    spot.note_unread(only, &mut facts.notices);
                }
                _ => facts.absorb(spot.read_list(key)),
            }
        } else if key == "tolerations" && is_one_toleration(node) {
            spot.note_map(&mut facts.notices);
        } else if key == "tolerations" && is_list_of_words(node) {
            spot.note_words(&mut facts.notices);
        }
    }
    facts
}

/// Where a custom resource can contain tolerations, or `None` if not all places are known.
fn only_places(subject: &Subject<'_>, level: Level) -> Option<Vec<String>> {
    let table = subject.reading.table;
    let (group, version) = (subject.group(), subject.version());
    table
        .only_places(group, version, &subject.object.kind)
        .filter(|_| level == Level::Custom)
}

/// A place that may contain tolerations.
struct Spot<'s, 'a> {
    subject: &'s Subject<'a>,
    /// All nodes of the object.
    visits: &'s [Visit<'a>],
    /// The index of this place among them.
    at: usize,
    switches: &'s Switches,
}

impl<'s, 'a> Spot<'s, 'a> {
    fn node(&self) -> Node<'a> {
        self.visits[self.at].node
    }

    fn path(&self) -> String {
        duplicates::path_of(self.visits, self.at, &self.subject.base)
    }

    /// The place of the parent.
    fn parent(&self) -> usize {
        duplicates::parent_of(self.visits, self.at)
    }

    fn holder(&self) -> Node<'a> {
        self.visits[self.parent()].node
    }

    /// The span of the key of this list.
    fn span(&self, key: &str) -> Span {
        let field = self.holder().field(key);
        field.map_or(self.node().span(), |field| field.key.span())
    }

    /// Reports a list in a custom resource that can contain lists only at `only`, if it is at none of these places.
    fn note_unread(&self, only: &[String], notices: &mut Vec<Notice>) {
        let path = self.path();
        let place = path.strip_suffix(".tolerations").unwrap_or(&path);
        let kind = NoticeKind::DroppedTolerations {
            place: place.to_owned(),
            move_to: nearest_place(&path, only),
        };
        let mut context = self.subject.context(Level::Custom, notices);
        context.note(kind, self.span("tolerations"), path);
    }

    /// Whether it is a field of a whole pod template, whose reader reports misspelt fields.
    fn is_in_pod(&self, level: Level, known: &Known) -> bool {
        let holder = self.holder();
        let is_whole = level == Level::Typed || holder.get("containers").is_some();
        let path = || duplicates::path_of(self.visits, self.parent(), &self.subject.base);
        is_whole && known.pods.contains(&path())
    }

    /// Whether the value of a key has an anchor, so that other places of the file may use it.
    fn is_anchored(&self, key: &str) -> bool {
        let Some(field) = self.holder().field(key) else {
            return false;
        };
        let (from, to) = (field.key.span().end, field.value.span().start);
        let text = &self.subject.reading.source.text;
        text.within(from as usize..to as usize).contains('&')
    }

    /// Reports a list under a key that is nearly `meant`.
    fn note_misspelt(&self, key: &str, meant: &str, level: Level, notices: &mut Vec<Notice>) {
        let kind = NoticeKind::MisspelledList {
            field: key.to_owned(),
            meant: meant.to_owned(),
        };
        let mut context = self.subject.context(level, notices);
        context.note(kind, self.span(key), self.path());
    }

    /// Reports a list in a built-in kind, outside its pod templates.
    fn note_misplaced(&self, key: &str, known: &Known, notices: &mut Vec<Notice>) {
        let holder = duplicates::key_of(self.visits, self.parent());
        if matches!(
            holder,
            Some("annotations" | "labels" | "matchLabels" | "data" | "nodeSelector")
        ) {
            return;
        }
        let pod = known.pods.first();
        let right = pod.map(|pod| yaml::join(pod, "tolerations"));
        let kind = NoticeKind::MisplacedTolerations {
            field: key.to_owned(),
            place: self.holder_in_words(),
            move_to: right.unwrap_or_default(),
        };
        let mut context = self.subject.context(Level::Typed, notices);
        context.note(kind, self.span(key), self.path());
    }

    fn holder_in_words(&self) -> String {
        let parent = self.parent();
        let grand = duplicates::parent_of(self.visits, parent);
        let lists = ["containers", "initContainers", "ephemeralContainers"];
        if duplicates::key_of(self.visits, grand).is_some_and(|key| lists.contains(&key)) {
            return "a container".to_owned();
        }
        let path = self.path();
        match duplicates::key_of(self.visits, parent) {
            Some(key @ ("affinity" | "nodeAffinity" | "securityContext" | "metadata")) => {
                format!("`{key}`")
            }
            Some("template") => "the pod template, beside its spec".to_owned(),
            Some("spec") if path == "spec.tolerations" => format!(
                "the spec of the {}, outside the pod template",
                self.subject.object.kind
            ),
            Some("spec") if path == "spec.jobTemplate.spec.tolerations" => {
                "the spec of the job, outside the pod template".to_owned()
            }
            Some("jobTemplate") => "the job template, beside its spec".to_owned(),
            None if parent == 0 => "the top level of the object".to_owned(),
            Some(key) => format!("`{key}`"),
            None => "a list".to_owned(),
        }
    }

    /// Reports a single toleration in place of a list, as far as its owner is known.
    fn note_map(&self, notices: &mut Vec<Notice>) {
        let field = self.holder().field("tolerations");
        let span = field.map_or(self.node().span(), |field| field.span());
        let mut context = self.subject.context(self.level(), notices);
        context.malformed(span, &self.path(), describe(self.node()), false);
    }

    /// Reports taints in the notation of `kubectl taint` in place of tolerations. Only Helm values must follow the
    /// Kubernetes notation; other tools may define their own.
    fn note_words(&self, notices: &mut Vec<Notice>) {
        let level = self.level();
        if level != Level::Values {
            return;
        }
        let path = self.path();
        let mut context = self.subject.context(level, notices);
        for (index, item) in self.node().items().enumerate() {
            let at = yaml::index(&path, index);
            context.malformed(item.span(), &at, describe(item), true);
        }
    }

    /// Reads the list under `key`.
    fn read_list(&self, key: &str) -> FileFacts {
        let mut facts = FileFacts::default();
        let parent = self.parent();
        let Some(field) = self.holder().field(key) else {
            return facts;
        };
        let holder = duplicates::path_of(self.visits, parent, &self.subject.base);
        let level = self.level();
        let mut context = self.subject.context(level, &mut facts.notices);
        let mut read = Pod {
            tolerations: context.read_tolerations(field, &self.path()),
            ..Pod::default()
        };
        // Charts that write each label of a selector separately, in quotes, are not rare.
        context.level = Level::Other;
        // Fields next to the list belong to it. There may be more where the values are used.
        if key == "tolerations" {
            read_node_selector(&mut context, self.holder(), &holder, &mut read);
        }
        let outward = self.outward(parent);
        let way: Vec<Step<'_>> = outward
            .map(|at| (self.visits[at].node, duplicates::key_of(self.visits, at)))
            .collect();
        let span = field.key.span();
        let way = (way.as_slice(), self.switches);
        let workload = of_list(self.subject, read, level, holder, span, way);
        facts.workloads.push(workload);
        facts
    }

    /// A place and the places around it, out to the whole object.
    fn outward(&self, from: usize) -> impl Iterator<Item = usize> + use<'s, 'a> {
        let visits = self.visits;
        std::iter::successors(Some(from), move |at| {
            (*at != 0).then(|| duplicates::parent_of(visits, *at))
        })
    }

    /// How well the owner of an unexpected list is known. Charts copy `tolerations` into pods unchanged, which is the
    /// purpose of values. What other tools do with their lists is unknown.
    fn level(&self) -> Level {
        let is_values = self.subject.reading.is_values && !self.subject.is_object();
        let held = || {
            let mut keys = self
                .outward(self.at)
                .filter_map(|at| duplicates::key_of(self.visits, at));
            keys.any(|key| key.starts_with("values") || key.ends_with("Values"))
        };
        let is_list = duplicates::key_of(self.visits, self.at) == Some("tolerations");
        match is_list && (is_values || held()) {
            true => Level::Values,
            false => Level::Other,
        }
    }
}

/// Reads the text at `path` that is a list of tolerations and nothing else.
pub(super) fn read_whole_list(subject: &Subject<'_>, path: &str) -> FileFacts {
    let mut facts = FileFacts::default();
    let span = subject.root.span();
    let mut tolerations = Tolerations {
        span: Some(span),
        ..Tolerations::default()
    };
    let mut context = subject.context(Level::Other, &mut facts.notices);
    context.read_entries(subject.root, path, &mut tolerations);
    let read = Pod {
        tolerations,
        ..Pod::default()
    };
    let (path, way) = (path.to_owned(), (&[][..], &Switches::default()));
    let workload = of_list(subject, read, Level::Other, path, span, way);
    facts.workloads.push(workload);
    facts
}

/// Builds a workload for the pods of a list. `way` leads from the map that contains the list out to the whole object.
fn of_list(
    subject: &Subject<'_>,
    mut read: Pod,
    level: Level,
    holder: String,
    span: Span,
    (way, switches): (&[Step<'_>], &Switches),
) -> Workload {
    match level {
        Level::Values => read.selection.partial = true,
        _ => read.selection.unknown = true,
    }
    let unread = read.tolerations.unread;
    let mut shape = workloads::shape(subject, level, &read, unread, Stands::Alone);
    if let Some((holding, _)) = way.first() {
        shape.character = character::of(subject, *holding, level);
        let found = controllers::beside(way.iter().copied(), switches);
        shape.character.controller = found.unwrap_or_default();
    }
    workloads::workload(subject, shape, read, holder, Stands::Alone, span)
}

/// Keys below which custom resources contain free-form data for other programs.
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

/// Whether the kind does not define the form of a list: it is in free-form data, or in a pod template that is used whole.
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

/// Of the places where a kind contains tolerations, the one that has most in common with a path, with the indices of
/// the path.
fn nearest_place(path: &str, places: &[String]) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    let common = |place: &String| {
        std::iter::zip(&steps, place.split('.'))
            .take_while(|(own, known)| is_step(own, known))
            .count()
    };
    // Take the first one on a tie.
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

/// Whether a pattern allows a step of a path.
fn is_step(own: &str, known: &str) -> bool {
    let name = |step: &str| step.split_once('[').map(|(name, _)| name.to_owned());
    known == "*" || own == known || (known.ends_with("[]") && name(own) == name(known))
}

/// Whether a node is a list of nothing but taints in one-word notation: `key=value:NoSchedule`.
fn is_list_of_words(node: Node<'_>) -> bool {
    let is_taint = |item: Node<'_>| {
        let effect = item.raw().and_then(|word| word.rsplit_once(':'));
        item.kind() == Kind::Scalar
            && effect
                .is_some_and(|(key, effect)| !key.is_empty() && Effect::parse(effect).is_some())
    };
    node.kind() == Kind::Sequence && node.items().next().is_some() && node.items().all(is_taint)
}

/// Whether a node is a map with only the fields of a toleration, each a plain value, and more than one of them or a word of
/// Kubernetes.
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
    let is_telling = has("key") && (has("operator") || has("effect"));
    fields.iter().all(known) && (is_telling || misspelt::has_words(node))
}
