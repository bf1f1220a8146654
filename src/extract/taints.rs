//! Taints in every notation that pool sources use: maps, `k=v:E` texts, maps by key, comma-separated flags.

use std::collections::BTreeMap;

use super::pools::PoolReader;
use super::read::{Context, describe, is_placeholder, is_template_action, read_text};
use super::rows::EffectSpelling;
use crate::model::Field;
use crate::model::node_pool::{Origin, PoolTaint};
use crate::model::taint::{Effect, Taint};
use crate::model::workload::Level;
use crate::source::Span;
use crate::yaml::{self, Found, Kind, Node};

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
        match node.kind() {
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    let path = yaml::index(&found.path, index);
                    match item.kind() {
                        Kind::Mapping if is_template_action(item) => {
                            self.incomplete("a taint is filled in by a template");
                        }
                        Kind::Mapping => self.read_taint(item, path, origin),
                        _ => self.read_taint_text(item, &path, origin),
                    }
                }
            }
            Kind::Mapping => {
                for field in node.fields() {
                    self.read_keyed_taint(&field, &found.path, origin);
                }
            }
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
        let mut text = |name: &str| self.read_taint_field(item, name, &path);
        let (key, value, effect) = (text("key"), text("value"), text("effect"));
        let fields = ["key", "value", "effect"]
            .into_iter()
            .filter_map(|name| Some((name, item.field(name)?.span())))
            .collect();
        let unread = key.is_unknown() || effect.is_unknown();
        let (effect, spelled) = self.canonical(effect);
        if unread && origin != Origin::Startup {
            self.incomplete("a taint could not be read");
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

    /// A Node and a Karpenter pool have a schema that knows four fields of a taint, and drops or refuses any other.
    fn note_unknown_fields(&mut self, item: Node<'a>, path: &str) {
        const KNOWN: [&str; 4] = ["key", "value", "effect", "timeAdded"];
        let api_version = self.document.object.api_version.as_str();
        let level = match api_version {
            "v1" => Level::Typed,
            other if other.starts_with("karpenter.sh/") => Level::Custom,
            _ => return,
        };
        for field in item.fields() {
            let known = field
                .name()
                .is_none_or(|name| KNOWN.contains(&name) || is_placeholder(name));
            if !known {
                Context {
                    object: self.document.object,
                    level,
                    oddities: self.oddities,
                }
                .unknown_field(&field, path, "a taint", &KNOWN);
            }
        }
    }

    fn read_taint_field(&mut self, item: Node<'a>, name: &str, path: &str) -> Field<String> {
        let field = item.field(name);
        // Objects that an API server decodes refuse `value: true`; tools that read files take it as text.
        let group = self
            .document
            .object
            .api_version
            .split('/')
            .next()
            .unwrap_or_default();
        let strict = ["v1", "karpenter.sh"].contains(&group) || group.ends_with("cluster.x-k8s.io");
        if !strict {
            return read_text(field.map(|field| field.value));
        }
        let level = if group == "v1" {
            Level::Typed
        } else {
            Level::Custom
        };
        Context {
            object: self.document.object,
            level,
            oddities: self.oddities,
        }
        .read_string(field, &yaml::join(path, name))
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
        match read_text(Some(item)) {
            Field::Is(text) => self.push_taint_text(&text, item.span(), path, origin),
            Field::Absent => {}
            Field::Unknown if item.kind() == Kind::Scalar => {
                self.incomplete("a taint is filled in by a template");
            }
            Field::Unknown => {
                self.incomplete(&format!("a taint is {}", describe(item)));
            }
        }
    }

    /// `k: "v:E"`, `k: ":E"` or `k: E`
    fn read_keyed_taint(&mut self, field: &yaml::Field<'a>, path: &str, origin: Origin) {
        let (Some(key), Field::Is(text)) = (field.name(), read_text(Some(field.value))) else {
            self.incomplete("a taint is filled in by a template");
            return;
        };
        if is_placeholder(key) {
            self.incomplete("a taint is filled in by a template");
            return;
        }
        let (value, effect) = text.rsplit_once(':').unwrap_or(("", text.as_str()));
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
            span: Some(field.span()),
            path: yaml::join(path, key),
            spelled,
            fields: BTreeMap::new(),
        });
    }

    /// `k=v:E,k2:E2` in one string.
    pub(super) fn read_taint_flag(&mut self, found: &Found<'a>) {
        self.before = self.pool.taints.len();
        let span = found.field.map_or(found.node.span(), |field| field.span());
        match read_text(Some(found.node)) {
            // A flag of the kubelet adds taints; kubeadm's own default stays beside them.
            Field::Is(text) => {
                for part in text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                {
                    self.push_taint_text(part, span, &found.path, Origin::Declared);
                }
            }
            Field::Absent => {}
            Field::Unknown => self.incomplete("taints are filled in by a template"),
        }
    }

    fn push_taint_text(&mut self, text: &str, span: Span, path: &str, origin: Origin) {
        match Taint::parse_flag(text) {
            Ok(taint) => self.add(PoolTaint {
                taint,
                origin,
                span: Some(span),
                path: path.to_owned(),
                spelled: None,
                fields: BTreeMap::new(),
            }),
            Err(error) => self.incomplete(&format!("taint `{text}`: {error}")),
        }
    }
}
