//! What the schemas of Nodes and of other objects refuse or drop of a list of taints, beside what the taints say.

use super::pools::PoolReader;
use super::read::{Context, TAINT_FIELDS, describe, is_filled_in, is_placeholder};
use crate::model::near_miss::nearest_word;
use crate::model::notice::NoticeKind;
use crate::model::workload::Level;
use crate::yaml::{self, Node, Scalar};

impl<'a> PoolReader<'_, 'a> {
    /// A list of taints whose name is misspelt, where the schema of a Node or a Karpenter pool drops or refuses it.
    pub(super) fn note_misspelt_lists(&mut self) {
        let object = self.document.object;
        let (holder, owner, lists): (&[&str], _, &[&str]) = match object.kind.as_str() {
            "Node" if object.api_version == "v1" => (&["spec"], "a Node's spec", &["taints"]),
            "NodePool" if object.api_version.starts_with("karpenter.sh/") => (
                &["spec", "template", "spec"],
                "a NodePool's template",
                &["taints", "startupTaints"],
            ),
            _ => return,
        };
        let mut node = Some(self.document.root);
        let mut path = self.document.base.to_owned();
        for name in holder {
            node = node.and_then(|node| node.get(name));
            path = yaml::join(&path, name);
        }
        let fields = node.map(|node| node.fields()).unwrap_or_default();
        for field in &fields {
            if field
                .name()
                .is_some_and(|name| nearest_word(name, lists).is_some())
            {
                let level = self.strict_level().unwrap_or(Level::Custom);
                Context {
                    object,
                    level,
                    notices: self.notices,
                }
                .unknown_field(field, &path, owner, lists);
                self.incomplete("a list of taints has a name that is never read");
            }
        }
    }

    /// A Node and a Karpenter pool have a schema that knows four fields of a taint, and drops or refuses any other.
    pub(super) fn note_unknown_fields(&mut self, item: Node<'a>, path: &str) {
        let api_version = self.document.object.api_version.as_str();
        let level = match api_version {
            "v1" => Level::Typed,
            other if other.starts_with("karpenter.sh/") => Level::Typed,
            _ => return,
        };
        for field in item.fields() {
            let known = field
                .name()
                .is_none_or(|name| TAINT_FIELDS.contains(&name) || is_placeholder(name));
            if !known {
                Context {
                    object: self.document.object,
                    level,
                    notices: self.notices,
                }
                .unknown_field(&field, path, "a taint", &TAINT_FIELDS);
            }
        }
    }

    /// A Node and a Karpenter pool have lists of maps and nothing else.
    pub(super) fn wants_maps(&self) -> bool {
        let api_version = self.document.object.api_version.as_str();
        !self.element.is_assembled()
            && (api_version == "v1" || api_version.starts_with("karpenter.sh/"))
    }

    pub(super) fn note_malformed_taint(&mut self, item: Node<'a>, path: String) {
        let level = self.strict_level().unwrap_or(Level::Custom);
        let kind = NoticeKind::MisshapenField {
            what: "a taint".to_owned(),
            found: describe(item),
            wanted: "a map",
        };
        self.context(level).note(kind, item.span(), path);
        self.incomplete("a taint is not a map");
    }

    pub(super) fn context(&mut self, level: Level) -> Context<'_> {
        Context {
            object: self.document.object,
            level,
            notices: self.notices,
        }
    }

    /// A time, which nobody writes by hand and dumps hold.
    pub(super) fn note_time(&mut self, item: Node<'a>, path: &str) {
        let field = item.field("timeAdded").filter(|_| self.wants_maps());
        let Some(field) = field.filter(|field| !is_filled_in(field.value)) else {
            return;
        };
        let level = self.strict_level().unwrap_or(Level::Custom);
        let at = yaml::join(path, "timeAdded");
        let good = match field.value.scalar() {
            Some(Scalar::Null) => true,
            Some(Scalar::Str(text)) => yaml::time::is_rfc3339(text),
            _ => false,
        };
        if !good {
            let wanted = "a time such as 2024-01-31T00:00:00Z";
            self.context(level).misshapen(&field, &at, wanted);
        }
    }

    /// Objects that an API server decodes refuse `value: true`; tools that read files take it as text.
    pub(super) fn strict_level(&self) -> Option<Level> {
        // Patches of another program's settings are handed on to it as they are.
        if !self.row.patches.is_empty() {
            return None;
        }
        let api_version = self.document.object.api_version.as_str();
        let group = api_version.split('/').next().unwrap_or_default();
        match group {
            "v1" => Some(Level::Typed),
            // Their schemas decode a taint as the built-in kinds do.
            "karpenter.sh" => Some(Level::Typed),
            other => other.ends_with("cluster.x-k8s.io").then_some(Level::Typed),
        }
    }
}
