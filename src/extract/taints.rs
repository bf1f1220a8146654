//! Taints in every notation that pool sources use: maps, `k=v:E` texts, maps by key, comma-separated flags.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "names and parts are arrays that are written out here"
    )
)]

use std::ops::Range;

use super::embedded::Embedded;
use super::pool_rows::EffectSpelling;
use super::pools::PoolReader;
use super::read::{Context, describe, is_filled_in, is_placeholder, is_template_action, read_text};
use crate::model::Field;
use crate::model::node_pool::{Origin, PoolTaint};
use crate::model::notice::NoticeKind;
use crate::model::taint::{Effect, Taint};
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::{self, Found, Kind, Node};

/// A map that is a taint, not one of several. Of a map by key `key: NoSchedule` would be an entry of its own.
fn is_one_taint(node: Node<'_>) -> bool {
    let scalar = |name: &str| {
        let field = node.get(name)?;
        (field.kind() == Kind::Scalar).then(|| field.raw().unwrap_or_default())
    };
    let ends_in_effect = |text: &str| {
        let effect = text.rsplit(':').next().unwrap_or_default();
        Effect::canonical(effect).is_some()
    };
    match (scalar("key"), scalar("effect")) {
        (Some(key), Some(_)) => node.is_assembled() || !ends_in_effect(key),
        _ => false,
    }
}

impl<'a> PoolReader<'_, 'a> {
    pub(super) fn read_taints(&mut self, found: &Found<'a>, origin: Origin) {
        self.before = self.pool.taints.len();
        let node = found.node;
        if node.is_null() {
            return;
        }
        if is_template_action(node) || node.raw().is_some_and(is_placeholder) {
            self.incomplete("taints are filled in by a template");
            return;
        }
        if node.kind() != Kind::Sequence
            && !node.is_assembled()
            && let Some(level) = self.strict_level()
        {
            // Nothing that is not a list is decoded into one.
            if let Some(field) = &found.field {
                self.context(level).misshapen(field, &found.path, "a list");
            }
            return self.incomplete("`taints` is not a list");
        }
        match node.kind() {
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    let path = yaml::index(&found.path, index);
                    match item.kind() {
                        Kind::Mapping if is_template_action(item) => {
                            self.incomplete("a taint is filled in by a template");
                        }
                        Kind::Mapping => self.read_taint(item, path, origin),
                        // The API server decodes null into a taint without anything.
                        _ if item.is_null() && self.document.object.api_version == "v1" => {
                            self.read_taint(item, path, origin);
                        }
                        _ if self.wants_maps() && !is_filled_in(item) => {
                            self.note_malformed_taint(item, path);
                        }
                        _ => self.read_taint_text(item, &path, origin),
                    }
                }
            }
            // A single block without its list, in JSON and where newer versions have an object.
            Kind::Mapping if is_one_taint(node) => {
                self.read_taint(node, found.path.clone(), origin);
            }
            Kind::Mapping => {
                for field in node.fields() {
                    match (field.name(), field.value.kind()) {
                        // The keys only tell the taints apart.
                        (Some(key), Kind::Mapping) if !is_template_action(field.value) => {
                            let path = yaml::join(&found.path, key);
                            self.read_taint(field.value, path, origin);
                        }
                        _ => self.read_keyed_taint(&field, &found.path, origin),
                    }
                }
            }
            Kind::Scalar if self.row.only_lists => {}
            Kind::Scalar => self.read_taint_flag(found),
        }
    }

    /// `{key: k, value: v, effect: E}`
    fn read_taint(&mut self, item: Node<'a>, path: String, origin: Origin) {
        let row = self.row;
        let startup = !row.startup_when.is_empty()
            && row
                .startup_when
                .iter()
                .all(|(key, text)| item.get(key).and_then(|node| node.raw()) == Some(text));
        let origin = if startup { Origin::Startup } else { origin };
        self.note_unknown_fields(item, &path);
        self.note_time(item, &path);
        let strict = self.strict_level().is_some();
        let written = PARTS.map(|names| {
            let names = if strict {
                names.get(..1).unwrap_or_default()
            } else {
                names
            };
            names.iter().find_map(|name| item.field(name))
        });
        if !strict && written.iter().all(Option::is_none) {
            self.incomplete("a taint has an unknown format");
            return;
        }
        let mut text = |at: usize| self.read_taint_field(written[at], PARTS[at][0], &path);
        let (key, value, effect) = (text(0), text(1), text(2));
        let fields = PARTS
            .iter()
            .zip(&written)
            .filter_map(|(names, field)| Some((names[0], field.as_ref()?.span())))
            .collect();
        if let (Some(field), Field::Is(effect)) = (&written[2], &effect) {
            self.note_spelling(effect, field.value.span(), &yaml::join(&path, "effect"));
        }
        let unread = key.is_unknown() || value.is_unknown() || effect.is_unknown();
        let (effect, spelled) = self.canonical(effect);
        if unread && origin != Origin::Startup {
            self.incomplete("a taint could not be read");
        }
        if item.is_assembled() && effect == Field::Absent {
            self.incomplete("a taint has no effect, and the provider's default is unknown");
        }
        self.add(PoolTaint {
            taint: Taint { key, value, effect },
            origin,
            span: Some(item.span()),
            path,
            spelled,
            fields,
        });
    }

    fn read_taint_field(
        &mut self,
        field: Option<yaml::Field<'a>>,
        name: &str,
        path: &str,
    ) -> Field<String> {
        let Some(level) = self.strict_level() else {
            return read_text(field.map(|field| field.value));
        };
        Context {
            object: self.document.object,
            level,
            notices: self.notices,
        }
        .read_string(field, &yaml::join(path, name))
    }

    /// An effect that is one of the three, and not in the spelling that this source wants.
    fn note_spelling(&mut self, written: &str, span: Span, path: &str) {
        let wanted =
            Effect::canonical(written).map(|effect| self.row.effect_spelling.spell(effect));
        let Some(wanted) = wanted.filter(|wanted| *wanted != written) else {
            return;
        };
        let kind = NoticeKind::EffectSpelling {
            written: written.to_owned(),
            meant: wanted.to_owned(),
        };
        self.context(Level::Custom)
            .note(kind, span, path.to_owned());
    }

    fn canonical(&self, effect: Field<String>) -> (Field<String>, Option<String>) {
        let Field::Is(written) = &effect else {
            return (effect, None);
        };
        let own = match self.row.effect_spelling {
            EffectSpelling::Kubernetes => false,
            EffectSpelling::UpperSnake | EffectSpelling::Kebab => true,
        };
        match Effect::canonical(written) {
            Some(known) if own && known.as_str() != written => {
                (Field::Is(known.as_str().to_owned()), Some(written.clone()))
            }
            _ => (effect, None),
        }
    }

    /// `k=v:E` as one item of a list.
    fn read_taint_text(&mut self, item: Node<'a>, path: &str, origin: Origin) {
        match (item.raw(), read_text(Some(item))) {
            (_, Field::Absent) => {}
            (Some(text), _) if !item.has_local_tag() => {
                self.push_taint_text(text, item.span(), path, origin);
            }
            (Some(_), _) => self.incomplete("a taint is filled in by a template"),
            (None, _) if is_template_action(item) => {
                self.incomplete("a taint is filled in by a template");
            }
            (None, _) => {
                self.incomplete(&format!("a taint is {}", describe(item)));
            }
        }
    }

    /// `k: "v:E"`, `k: ":E"` or `k: E`, or a list of such.
    fn read_keyed_taint(&mut self, field: &yaml::Field<'a>, path: &str, origin: Origin) {
        let Some(key) = field.name().filter(|name| !is_placeholder(name)) else {
            self.incomplete("a taint is filled in by a template");
            return;
        };
        let path = yaml::join(path, key);
        if field.value.kind() == Kind::Sequence && !is_template_action(field.value) {
            for (index, item) in field.value.items().enumerate() {
                let path = yaml::index(&path, index);
                self.push_keyed_taint(key, item, item.span(), path, origin);
            }
        } else {
            self.push_keyed_taint(key, field.value, field.span(), path, origin);
        }
    }

    fn push_keyed_taint(
        &mut self,
        key: &str,
        text: Node<'a>,
        span: Span,
        path: String,
        origin: Origin,
    ) {
        let Field::Is(text) = read_text(Some(text)) else {
            self.incomplete("a taint is filled in by a template");
            return;
        };
        let (value, effect) = text.rsplit_once(':').unwrap_or(("", text.as_str()));
        self.note_spelling(effect, span, &path);
        let (effect, spelled) = self.canonical(Field::Is(effect.to_owned()));
        self.add(PoolTaint {
            taint: Taint {
                key: Field::Is(key.to_owned()),
                value: if value.is_empty() {
                    Field::Absent
                } else {
                    Field::Is(value.to_owned())
                },
                effect,
            },
            origin,
            span: Some(span),
            path,
            spelled,
            ..PoolTaint::default()
        });
    }

    /// `k=v:E,k2:E2` in one string.
    pub(super) fn read_taint_flag(&mut self, found: &Found<'a>) {
        let node = found.node;
        match (node.raw(), read_text(Some(node))) {
            (_, Field::Absent) => {}
            (Some(text), _) if !node.has_local_tag() => {
                let embedded = Embedded::new(self.document.text, node, text);
                self.read_taint_list(text, 0..text.len(), &embedded, &found.path);
            }
            _ => self.incomplete("taints are filled in by a template"),
        }
    }

    /// The same in a part of a text. A flag of the kubelet adds taints; kubeadm's own default stays beside them.
    pub(super) fn read_taint_list(
        &mut self,
        text: &str,
        range: Range<usize>,
        embedded: &Embedded<'_>,
        path: &str,
    ) {
        self.before = self.pool.taints.len();
        for (part, at) in parts(text, range) {
            self.push_taint_text(part, embedded.place_of(at), path, Origin::Declared);
        }
    }

    fn push_taint_text(&mut self, text: &str, span: Span, path: &str, origin: Origin) {
        let taint = match partial_taint(text) {
            Ok(taint) => taint,
            Err(why) => return self.incomplete(&why),
        };
        if taint.key.is_unknown() || taint.value.is_unknown() || taint.effect.is_unknown() {
            self.incomplete("a taint is filled in by a template");
        }
        self.add(PoolTaint {
            taint,
            origin,
            span: Some(span),
            path: path.to_owned(),
            ..PoolTaint::default()
        });
    }
}

/// The names of a taint's key, value and effect: Kubernetes' own first, then those of CloudFormation and of ROSA.
const PARTS: [&[&str]; 3] = [
    &["key", "Key"],
    &["value", "Value"],
    &["effect", "Effect", "schedule_type", "scheduleType"],
];

/// The items of a comma-separated list in a part of a text, each with its range.
pub(super) fn parts(text: &str, range: Range<usize>) -> impl Iterator<Item = (&str, Range<usize>)> {
    let list = text.get(range.clone()).unwrap_or_default();
    let mut at = range.start;
    list.split(',').filter_map(move |part| {
        let trimmed = part.trim();
        let start = at + (part.len() - part.trim_start().len());
        at += part.len() + 1;
        (!trimmed.is_empty()).then_some((trimmed, start..start + trimmed.len()))
    })
}

/// Reads `key[=value]:Effect` of which parts may be variables.
///
/// # Errors
/// Why the text tells nothing of any taint.
pub(super) fn partial_taint(text: &str) -> Result<Taint, String> {
    if !is_placeholder(text) {
        return Taint::parse_flag(text).map_err(|error| format!("taint `{text}`: {error}"));
    }
    let unread = || "a taint is filled in by a template".to_owned();
    let (left, effect) = text.rsplit_once(':').ok_or_else(unread)?;
    let effect = match Effect::parse(effect) {
        Some(effect) => Field::Is(effect.as_str().to_owned()),
        None if is_placeholder(effect) && !effect.contains('=') => Field::Unknown,
        None => return Err(unread()),
    };
    let (key, value) = left.split_once('=').unwrap_or((left, ""));
    let read = |part: &str| {
        if is_placeholder(part) {
            Field::Unknown
        } else {
            Field::Is(part.to_owned())
        }
    };
    let taint = Taint {
        key: read(key),
        value: read(value),
        effect,
    };
    let readable = taint.errors().is_empty();
    if readable { Ok(taint) } else { Err(unread()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_a_variable_is_read() {
        let read = |text: &str| {
            let taint = partial_taint(text).unwrap();
            [taint.key, taint.value, taint.effect].map(|part| part.known().cloned())
        };
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("a.example.io/x=${V}:NoSchedule"),
            [is("a.example.io/x"), None, is("NoSchedule")]
        );
        assert_eq!(read("$KEY:NoExecute"), [None, is(""), is("NoExecute")]);
        assert_eq!(read("a=b:${EFFECT}"), [is("a"), is("b"), None]);
        for text in [
            "$TAINTS",
            "${TAINT:-a=b:NoSchedule}",
            "{{ .taints }}",
            "a=b",
        ] {
            assert!(partial_taint(text).is_err(), "{text}");
        }
    }

    #[test]
    fn items_of_a_list_have_their_places() {
        let text = "x=a:NoSchedule, b:NoExecute,,";
        let found: Vec<_> = parts(text, 2..text.len()).collect();
        assert_eq!(found, [("a:NoSchedule", 2..14), ("b:NoExecute", 16..27)]);
    }
}
