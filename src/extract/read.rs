//! Single values and lists of tolerations in any notation, with notices about mistakes in them.

pub use super::placeholders::{is_filled_in, is_placeholder, is_template_action};
use crate::finding::{Label, Object};
use crate::model::Field;
use crate::model::near_miss::nearest_word;
use crate::model::notice::{Notice, NoticeKind};
use crate::model::toleration::Toleration;
use crate::model::workload::{Level, LocatedToleration, MoreTolerations};
use crate::source::Span;
use crate::yaml::{self, Kind, Node, Scalar};

/// Fields of a taint, in the order of the Kubernetes type.
pub const TAINT_FIELDS: [&str; 4] = ["key", "value", "effect", "timeAdded"];

/// Fields of a toleration, in the order of the Kubernetes type.
pub const TOLERATION_FIELDS: [&str; 5] =
    ["key", "operator", "value", "effect", "tolerationSeconds"];

/// Whether a key is a name for lists of tolerations outside the Kubernetes types: `tolerations`, or `extraTolerations`,
/// `agent_tolerations` or `PLUGIN_TOLERATIONS` for one of several.
pub fn names_tolerations(key: &str) -> bool {
    key == "tolerations"
        || key.ends_with("Tolerations")
        || ["_tolerations", "-tolerations", "_TOLERATIONS"]
            .iter()
            .any(|end| key.ends_with(end))
}

/// Whether a node is a non-empty list of maps that have only fields of a toleration, at least one of them
/// characteristic. Next to two such fields, a field that is nearly another one counts as a typo.
pub fn looks_like_tolerations(node: Node<'_>) -> bool {
    if node.kind() != Kind::Sequence {
        return false;
    }
    let mut any = false;
    for item in node.items() {
        if item.kind() != Kind::Mapping || is_template_action(item) {
            return false;
        }
        let names: Vec<_> = item.fields().iter().map(yaml::Field::name).collect();
        let is_known =
            |name: &Option<&str>| name.is_some_and(|name| TOLERATION_FIELDS.contains(&name));
        let (known, others): (Vec<_>, Vec<_>) = names.into_iter().partition(is_known);
        let telling = known
            .iter()
            .any(|name| matches!(name, Some("key" | "operator" | "effect")));
        let slip = |name: &Option<&str>| {
            name.and_then(|name| nearest_word(name, &TOLERATION_FIELDS))
                .is_some_and(|meant| !known.contains(&Some(meant)))
        };
        let fits = match others.as_slice() {
            [] => true,
            [other] => known.len() >= 2 && slip(other),
            _ => false,
        };
        if !fits || !telling {
            return false;
        }
        any = true;
    }
    any
}

/// The object that is being read, and where its notices go.
pub struct Context<'c> {
    /// The object that is being read.
    pub object: &'c Object,
    /// How well the object is known.
    pub level: Level,
    /// Collects notices.
    pub notices: &'c mut Vec<Notice>,
}

impl Context<'_> {
    /// Reports something about this object.
    pub fn note(&mut self, kind: NoticeKind, span: Span, path: String) {
        self.note_beside(kind, span, path, None);
    }

    /// Like [`Context::note`], with a second relevant place.
    pub fn note_beside(
        &mut self,
        kind: NoticeKind,
        span: Span,
        path: String,
        related: Option<Label>,
    ) {
        self.notices.push(Notice {
            kind,
            level: self.level,
            object: self.object.clone(),
            span,
            path,
            related: related.into_iter().collect(),
        });
    }

    /// Reports a field with a value of the wrong type. `meant` is the right value as it must be written, if that is clear.
    pub(super) fn mistyped(
        &mut self,
        field: &yaml::Field<'_>,
        path: &str,
        (found, wanted): (&'static str, &'static str),
        meant: String,
    ) {
        let is_string = matches!(field.value.scalar(), Some(Scalar::Str(_)));
        let written = field.value.raw().filter(|_| !is_string);
        let kind = NoticeKind::MistypedField {
            field: field.name().unwrap_or_default().to_owned(),
            found,
            written: written.unwrap_or_default().to_owned(),
            wanted,
            quoted: meant.starts_with('"'),
            meant,
        };
        self.note(kind, field.span(), path.to_owned());
    }

    /// Returns the map in a field and its path. Reports other types, and skips template actions.
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

    /// Reports a field with a value of the wrong kind, unless a template fills it in. Null counts as absent.
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

    /// Reports a field whose value has the wrong type.
    pub(super) fn misshapen(&mut self, field: &yaml::Field<'_>, at: &str, wanted: &'static str) {
        let kind = NoticeKind::MisshapenField {
            what: format!("`{}`", field.name().unwrap_or_default()),
            found: describe(field.value),
            wanted,
        };
        self.note(kind, field.span(), at.to_owned());
    }

    /// Reads a field that Kubernetes decodes into a boolean.
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

    /// Reads a field that Kubernetes decodes into a string.
    pub fn read_string(&mut self, field: Option<yaml::Field<'_>>, at: &str) -> Field<String> {
        let Some(field) = field else {
            return Field::Absent;
        };
        let quoted = || format!("\"{}\"", field.value.raw().unwrap_or_default());
        let found = match field.value.scalar() {
            Some(Scalar::Null) => return Field::Absent,
            Some(Scalar::Str(text)) if is_placeholder(text) => return Field::Unknown,
            Some(Scalar::Str(text)) => return Field::Is(text.to_owned()),
            Some(Scalar::Bool(_)) => "a boolean",
            Some(Scalar::Int(_) | Scalar::BigInt | Scalar::Float(_)) => "a number",
            None if is_template_action(field.value) => return Field::Unknown,
            None => {
                let found = describe(field.value);
                self.mistyped(&field, at, (found, "a string"), String::new());
                return Field::Unknown;
            }
        };
        self.mistyped(&field, at, (found, "a string"), quoted());
        Field::Unknown
    }

    fn read_seconds(&mut self, field: Option<yaml::Field<'_>>, at: &str) -> Field<i64> {
        let Some(field) = field else {
            return Field::Absent;
        };
        let scalar = field.value.scalar();
        if let Some(seconds) = scalar.and_then(|scalar| scalar.as_integer()) {
            return Field::Is(seconds);
        }
        let (found, meant) = match scalar {
            Some(Scalar::Null) => return Field::Absent,
            Some(Scalar::Float(number)) if number.fract() == 0.0 => {
                ("a number beyond 64 bits", String::new())
            }
            // Integers were handled above.
            Some(Scalar::Float(_)) => ("a fraction", String::new()),
            Some(Scalar::Int(_) | Scalar::BigInt) => ("a number beyond 64 bits", String::new()),
            Some(Scalar::Str(text)) if is_placeholder(text) => return Field::Unknown,
            Some(Scalar::Str(text)) => (
                "a string",
                text.parse::<i64>()
                    .map(|seconds| seconds.to_string())
                    .unwrap_or_default(),
            ),
            Some(Scalar::Bool(_)) => ("a boolean", String::new()),
            None if is_template_action(field.value) => return Field::Unknown,
            None => (describe(field.value), String::new()),
        };
        self.mistyped(&field, at, (found, "a whole number"), meant);
        Field::Unknown
    }

    pub(super) fn unknown_field(
        &mut self,
        field: &yaml::Field<'_>,
        path: &str,
        owner: &str,
        candidates: &[&str],
    ) {
        let name = field.name().unwrap_or_default();
        let near = nearest_word(name, candidates);
        let kind = NoticeKind::UnknownField {
            field: name.to_owned(),
            owner: owner.to_owned(),
            meant: near.unwrap_or_default().to_owned(),
        };
        self.note(kind, field.key.span(), yaml::join(path, name));
    }

    /// Reads a list under `tolerations`: its entries, their places, and why there may be more of them.
    pub fn read_tolerations(&mut self, field: yaml::Field<'_>, path: &str) -> Tolerations {
        let list = field.value;
        let mut read = Tolerations {
            span: Some(field.key.span()),
            ..Tolerations::default()
        };
        match list.kind() {
            Kind::Sequence => {}
            Kind::Scalar if list.is_null() => return read,
            _ if is_template_action(list) || list.raw().is_some_and(is_placeholder) => {
                read.unread = Some(MoreTolerations::Template(
                    "`tolerations` is filled in by a template",
                ));
                return read;
            }
            _ => {
                self.malformed(field.span(), path, describe(list), false);
                read.unread = Some(MoreTolerations::Other("`tolerations` is not a list"));
                return read;
            }
        }
        self.read_entries(list, path, &mut read);
        read
    }

    /// Reads the entries of a list of tolerations.
    pub fn read_entries(&mut self, list: Node<'_>, path: &str, read: &mut Tolerations) {
        for (index, item) in list.items().enumerate() {
            let at = yaml::index(path, index);
            match item.kind() {
                // This is not an entry, but a patch directive for the list or for one of its entries.
                Kind::Mapping if item.get("$patch").is_some() => {}
                Kind::Mapping if is_template_action(item) => read.unread = Some(TEMPLATED),
                Kind::Mapping => {
                    let (entry, located) = self.read_toleration(item, at);
                    read.entries.push(entry);
                    read.located.push(located);
                }
                // A null entry decodes into an empty toleration.
                Kind::Scalar if item.is_null() => {
                    read.entries.push(Toleration::default());
                    read.located.push(LocatedToleration {
                        entry: item.span(),
                        path: at,
                        fields: Box::default(),
                    });
                }
                Kind::Scalar if item.raw().is_some_and(is_placeholder) => {
                    read.unread = Some(TEMPLATED);
                }
                _ => {
                    self.malformed(item.span(), &at, describe(item), true);
                    read.unread = Some(MoreTolerations::Other(
                        "an entry of `tolerations` is not a map",
                    ));
                }
            }
        }
    }

    /// Reports a value under `tolerations` that is not a list, or an entry of the list that is not a map.
    pub(super) fn malformed(&mut self, span: Span, path: &str, found: &'static str, entry: bool) {
        let kind = NoticeKind::MalformedTolerations { entry, found };
        self.note(kind, span, path.to_owned());
    }

    fn read_toleration(&mut self, item: Node<'_>, path: String) -> (Toleration, LocatedToleration) {
        let mut fields = Vec::new();
        for field in item.fields() {
            let name = field.name().unwrap_or_default();
            match TOLERATION_FIELDS.iter().find(|known| **known == name) {
                Some(known) => {
                    fields.push((*known, field.span()));
                }
                None if field.key.raw().is_none_or(is_placeholder) => {}
                None => self.unknown_field(&field, &path, "a toleration", &TOLERATION_FIELDS),
            }
        }
        let mut text = |name: &str| self.read_string(item.field(name), &yaml::join(&path, name));
        let toleration = Toleration {
            key: text("key"),
            operator: text("operator"),
            value: text("value"),
            effect: text("effect"),
            toleration_seconds: self.read_seconds(
                item.field("tolerationSeconds"),
                &yaml::join(&path, "tolerationSeconds"),
            ),
        };
        let located = LocatedToleration {
            entry: item.span(),
            path,
            fields: fields.into(),
        };
        (toleration, located)
    }
}

const TEMPLATED: MoreTolerations =
    MoreTolerations::Template("an entry of `tolerations` is filled in by a template");

/// Reads a string like a lenient parser: numbers and booleans count as their text.
pub fn read_text(node: Option<Node<'_>>) -> Field<String> {
    let Some(node) = node else {
        return Field::Absent;
    };
    if node.has_local_tag() {
        return Field::Unknown;
    }
    match node.scalar() {
        Some(Scalar::Null) => Field::Absent,
        Some(_) => match node.raw() {
            Some(text) if !is_placeholder(text) => Field::Is(text.to_owned()),
            _ => Field::Unknown,
        },
        None => Field::Unknown,
    }
}

/// Describes a node in words for messages.
pub fn describe(node: Node<'_>) -> &'static str {
    match (node.kind(), node.scalar()) {
        (Kind::Mapping, _) => "a map",
        (Kind::Sequence, _) => "a list",
        (Kind::Scalar, Some(Scalar::Bool(_))) => "a boolean",
        (Kind::Scalar, Some(Scalar::Int(_) | Scalar::BigInt | Scalar::Float(_))) => "a number",
        (Kind::Scalar, _) => "a string",
    }
}

/// A list of tolerations as read.
#[derive(Debug, Default)]
pub struct Tolerations {
    /// The entries, in order.
    pub entries: Vec<Toleration>,
    /// The place of each entry.
    pub located: Vec<LocatedToleration>,
    /// Why there may be more entries.
    pub unread: Option<MoreTolerations>,
    /// The key of the list, or `None` if it is not written.
    pub span: Option<Span>,
}
