//! Taints in every notation that pool sources use: maps, `k=v:E` texts, maps by key, comma-separated flags.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "names and parts are arrays that are written out here"
    )
)]

use std::ops::Range;

use super::pool_facts::{Element, PoolFacts};
use super::pool_rows::EffectSpelling;
use super::read::{describe, is_filled_in, is_placeholder, is_template_action, read_text};
use super::taint_errors::{self, strict_level, wants_maps};
use crate::model::Field;
use crate::model::node_pool::{Origin, PoolTaint};
use crate::model::notice::NoticeKind;
use crate::model::taint::{Effect, Taint};
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::{self, Embedded, Found, Kind, Node};

/// Whether a map is a single taint. In a map by key, `key: NoSchedule` would be an entry of its own.
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

/// Reads a list of taints in any notation.
pub(super) fn read(element: &Element<'_, '_>, found: &Found<'_>, origin: Origin) -> PoolFacts {
    let mut list = List {
        element,
        origin,
        facts: PoolFacts::default(),
    };
    list.read(found);
    list.facts
}

/// Reads `k=v:E,k2:E2` in one string.
pub(super) fn read_flag(element: &Element<'_, '_>, found: &Found<'_>) -> PoolFacts {
    let node = found.node;
    match (node.raw(), read_text(Some(node))) {
        (_, Field::Absent) => PoolFacts::default(),
        (Some(text), _) if !node.has_local_tag() => {
            let embedded = Embedded::new(element.document.text, node, text);
            let words = parts(text, 0..text.len());
            let words = words.map(|(word, at)| (word, embedded.place_of(at)));
            read_words(element, words, &found.path)
        }
        _ => {
            let mut facts = PoolFacts::default();
            facts.doubt("taints are filled in by a template");
            facts
        }
    }
}

/// Reads words of the same notation. A kubelet flag adds taints; the default of kubeadm still applies.
pub(super) fn read_words<'t>(
    element: &Element<'_, '_>,
    words: impl Iterator<Item = (&'t str, Span)>,
    path: &str,
) -> PoolFacts {
    let mut list = List {
        element,
        origin: Origin::Declared,
        facts: PoolFacts::default(),
    };
    for (word, at) in words {
        list.read_word(word, at, path);
    }
    list.facts
}

/// One list, and what was read from it so far.
struct List<'l, 'e, 'a> {
    element: &'l Element<'e, 'a>,
    origin: Origin,
    facts: PoolFacts,
}

impl List<'_, '_, '_> {
    fn read(&mut self, found: &Found<'_>) {
        let element = self.element;
        let node = found.node;
        if node.is_null() {
            return;
        }
        if is_template_action(node) || node.raw().is_some_and(is_placeholder) {
            self.facts.doubt("taints are filled in by a template");
            return;
        }
        if node.kind() != Kind::Sequence
            && !node.is_assembled()
            && let Some(level) = strict_level(element)
        {
            // Only a list can be decoded into a list.
            if let Some(field) = &found.field {
                let mut context = element.context(level, &mut self.facts.notices);
                context.misshapen(field, &found.path, "a list");
            }
            return self.facts.doubt("`taints` is not a list");
        }
        match node.kind() {
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    self.read_item(item, yaml::index(&found.path, index));
                }
            }
            // A single block without a list, in JSON and where newer versions have an object.
            Kind::Mapping if is_one_taint(node) => self.read_map(node, found.path.clone()),
            Kind::Mapping => {
                for field in node.fields() {
                    match (field.name(), field.value.kind()) {
                        // The keys only distinguish the taints.
                        (Some(key), Kind::Mapping) if !is_template_action(field.value) => {
                            self.read_map(field.value, yaml::join(&found.path, key));
                        }
                        _ => self.read_keyed(&field, &found.path),
                    }
                }
            }
            Kind::Scalar if element.row.only_lists => {}
            Kind::Scalar => self.facts.absorb(read_flag(element, found)),
        }
    }

    fn read_item(&mut self, item: Node<'_>, path: String) {
        let element = self.element;
        match item.kind() {
            Kind::Mapping if is_template_action(item) => {
                self.facts.doubt("a taint is filled in by a template");
            }
            Kind::Mapping => self.read_map(item, path),
            // The API server decodes null into an empty taint.
            _ if item.is_null() && element.document.object.api_version == "v1" => {
                self.read_map(item, path);
            }
            _ if wants_maps(element) && !is_filled_in(item) => {
                self.facts
                    .absorb(taint_errors::malformed(element, item, path));
            }
            _ => match (item.raw(), read_text(Some(item))) {
                (_, Field::Absent) => {}
                (Some(text), _) if !item.has_local_tag() => {
                    self.read_word(text, item.span(), &path);
                }
                (None, _) if !is_template_action(item) => {
                    self.facts.doubt(format!("a taint is {}", describe(item)));
                }
                _ => self.facts.doubt("a taint is filled in by a template"),
            },
        }
    }

    /// Reads `{key: k, value: v, effect: E}`.
    fn read_map(&mut self, item: Node<'_>, path: String) {
        let element = self.element;
        let row = element.row;
        let startup = !row.startup_when.is_empty()
            && row
                .startup_when
                .iter()
                .all(|(key, text)| item.get(key).and_then(|node| node.raw()) == Some(text));
        let origin = if startup {
            Origin::Startup
        } else {
            self.origin
        };
        let facts = &mut self.facts;
        let unknown = taint_errors::unknown_fields(element, item, &path);
        facts.notices.extend(unknown);
        let wrong = taint_errors::wrong_time(element, item, &path);
        facts.notices.extend(wrong);
        let strict = strict_level(element);
        let written = PARTS.map(|names| {
            let names = match strict {
                Some(_) => names.get(..1).unwrap_or_default(),
                None => names,
            };
            names.iter().find_map(|name| item.field(name))
        });
        if strict.is_none() && written.iter().all(Option::is_none) {
            facts.doubt("a taint has an unknown format");
            return;
        }
        let mut text = |at: usize| match strict {
            Some(level) => {
                let mut context = element.context(level, &mut facts.notices);
                context.read_string(written[at], &yaml::join(&path, PARTS[at][0]))
            }
            None => read_text(written[at].map(|field| field.value)),
        };
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
            self.facts.doubt("a taint could not be read");
        }
        if item.is_assembled() && effect == Field::Absent {
            let why = "a taint has no effect, and the provider's default is unknown";
            self.facts.doubt(why);
        }
        self.facts.taints.push(PoolTaint {
            taint: Taint { key, value, effect },
            origin,
            span: Some(item.span()),
            path,
            spelled,
            fields,
        });
    }

    /// Reports a valid effect that is not in the spelling of this source.
    fn note_spelling(&mut self, written: &str, span: Span, path: &str) {
        let spelling = self.element.row.effect_spelling;
        let wanted = Effect::canonical(written).map(|effect| spelling.spell(effect));
        let Some(wanted) = wanted.filter(|wanted| *wanted != written) else {
            return;
        };
        let kind = NoticeKind::EffectSpelling {
            written: written.to_owned(),
            meant: wanted.to_owned(),
        };
        let notices = &mut self.facts.notices;
        let mut context = self.element.context(Level::Custom, notices);
        context.note(kind, span, path.to_owned());
    }

    fn canonical(&self, effect: Field<String>) -> (Field<String>, Option<String>) {
        let Field::Is(written) = &effect else {
            return (effect, None);
        };
        let own = match self.element.row.effect_spelling {
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

    /// Reads `k: "v:E"`, `k: ":E"` or `k: E`, or a list of them.
    fn read_keyed(&mut self, field: &yaml::Field<'_>, path: &str) {
        let Some(key) = field.name().filter(|name| !is_placeholder(name)) else {
            self.facts.doubt("a taint is filled in by a template");
            return;
        };
        let path = yaml::join(path, key);
        if field.value.kind() == Kind::Sequence && !is_template_action(field.value) {
            for (index, item) in field.value.items().enumerate() {
                self.read_under(key, item, item.span(), yaml::index(&path, index));
            }
        } else {
            self.read_under(key, field.value, field.span(), path);
        }
    }

    /// Reads a value and an effect under their key.
    fn read_under(&mut self, key: &str, text: Node<'_>, span: Span, path: String) {
        let Field::Is(text) = read_text(Some(text)) else {
            self.facts.doubt("a taint is filled in by a template");
            return;
        };
        let (value, effect) = text.rsplit_once(':').unwrap_or(("", text.as_str()));
        self.push_written([key, value, effect], span, path);
    }

    /// Adds a taint as it is written, whether it is valid or not.
    fn push_written(&mut self, [key, value, effect]: [&str; 3], span: Span, path: String) {
        self.note_spelling(effect, span, &path);
        let (effect, spelled) = self.canonical(Field::Is(effect.to_owned()));
        self.facts.taints.push(PoolTaint {
            taint: Taint {
                key: Field::Is(key.to_owned()),
                value: if value.is_empty() {
                    Field::Absent
                } else {
                    Field::Is(value.to_owned())
                },
                effect,
            },
            origin: self.origin,
            span: Some(span),
            path,
            spelled,
            ..PoolTaint::default()
        });
    }

    /// Reads `k=v:E`.
    fn read_word(&mut self, text: &str, span: Span, path: &str) {
        let taint = match partial_taint(text) {
            Ok(taint) => taint,
            Err(why) => match split_taint(text) {
                Some([key, value, effect]) => {
                    return self.push_written([key, value, effect], span, path.to_owned());
                }
                None => return self.facts.doubt(why),
            },
        };
        if taint.key.is_unknown() || taint.value.is_unknown() || taint.effect.is_unknown() {
            self.facts.doubt("a taint is filled in by a template");
        }
        self.facts.taints.push(PoolTaint {
            taint,
            origin: self.origin,
            span: Some(span),
            path: path.to_owned(),
            ..PoolTaint::default()
        });
    }
}

/// The names of the key, value and effect of a taint: those of Kubernetes first, then those of CloudFormation and of ROSA.
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

/// The key, the value and the effect of a text that is written as a taint and has no variables. They may not be valid.
fn split_taint(text: &str) -> Option<[&str; 3]> {
    let (left, effect) = text.split_once(':').filter(|_| !is_placeholder(text))?;
    let (key, value) = left.split_once('=').unwrap_or((left, ""));
    let is_whole = !key.is_empty() && !effect.is_empty();
    (is_whole && !text.ends_with('-') && !effect.contains(':') && !value.contains('='))
        .then_some([key, value, effect])
}

/// Parses `key[=value]:Effect`, parts of which may be variables.
///
/// # Errors
/// Returns the reason if the text does not describe a taint.
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
