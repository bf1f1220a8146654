//! What sources tell the cluster autoscaler about nodes that do not exist yet: tags of machine groups, and annotations
//! of Cluster API machines.

use super::pool_facts::Element;
use super::read::{is_placeholder, is_template_action, read_text};
use super::taints::{partial_taint, parts};
use crate::model::Field;
use crate::model::node_pool::{AutoscalerTemplate, PoolTaint};
use crate::model::taint::Taint;
use crate::source::Span;
use crate::yaml::{self, Embedded, Found, Kind, Node};

/// Tags of AWS auto scaling groups, which other clouds adopted. The key of the taint or label follows.
const TAINT_TAG: &str = "k8s.io/cluster-autoscaler/node-template/taint/";
const LABEL_TAG: &str = "k8s.io/cluster-autoscaler/node-template/label/";

/// The prefix on Azure, where keys have `_` for `/` and `~2` for `_`.
const AZURE_TAINT_TAG: &str = "k8s.io_cluster-autoscaler_node-template_taint_";
const AZURE_LABEL_TAG: &str = "k8s.io_cluster-autoscaler_node-template_label_";

/// The annotations of Cluster API, with lists of taints and labels.
const TAINTS_ANNOTATION: &str = "capacity.cluster-autoscaler.kubernetes.io/taints";
const LABELS_ANNOTATION: &str = "capacity.cluster-autoscaler.kubernetes.io/labels";

/// Reads the tags of a pool, or returns `None` if none of them is for the autoscaler.
pub(super) fn read(element: &Element<'_, '_>) -> Option<AutoscalerTemplate> {
    let mut tags = Tags {
        text: element.document.text,
        template: None,
    };
    for found in element.find(&element.row.autoscaler) {
        tags.read_tags(&found);
    }
    tags.template
}

struct Tags<'t> {
    /// The text of the file.
    text: &'t str,
    template: Option<AutoscalerTemplate>,
}

impl Tags<'_> {
    fn told(&mut self) -> &mut AutoscalerTemplate {
        self.template.get_or_insert_with(|| AutoscalerTemplate {
            complete: true,
            ..AutoscalerTemplate::default()
        })
    }

    /// A map of tags, or a list of them with keys and values.
    fn read_tags(&mut self, found: &Found<'_>) {
        let node = found.node;
        if node.is_null() {
            return;
        }
        if is_template_action(node) || node.kind() == Kind::Scalar {
            // There may be tags, but they are unknown here.
            self.told().complete = false;
            return;
        }
        for field in node.fields() {
            match field.name() {
                Some(key) if !is_placeholder(key) => {
                    self.read_tag(
                        key,
                        field.value,
                        field.span(),
                        &yaml::join(&found.path, key),
                    );
                }
                _ => self.open_template(),
            }
        }
        for (index, item) in node.items().enumerate() {
            let one = |names: [&str; 2]| names.iter().find_map(|name| item.get(name));
            let path = yaml::index(&found.path, index);
            match (one(["Key", "key"]), one(["Value", "value"])) {
                (Some(key), Some(value)) => match read_text(Some(key)) {
                    Field::Is(key) => self.read_tag(&key, value, item.span(), &path),
                    Field::Absent | Field::Unknown => self.open_template(),
                },
                _ => self.open_template(),
            }
        }
    }

    /// Handles a tag that cannot be read. It may be one for the autoscaler if the pool has such tags at all.
    fn open_template(&mut self) {
        if let Some(template) = &mut self.template {
            template.complete = false;
        }
    }

    fn read_tag(&mut self, key: &str, value: Node<'_>, span: Span, path: &str) {
        let azure = |key: &str| key.replace('_', "/").replace("~2", "_");
        let taint = match key.strip_prefix(TAINT_TAG) {
            Some(key) => Some(key.to_owned()),
            None => key.strip_prefix(AZURE_TAINT_TAG).map(azure),
        };
        let label = match key.strip_prefix(LABEL_TAG) {
            Some(key) => Some(key.to_owned()),
            None => key.strip_prefix(AZURE_LABEL_TAG).map(azure),
        };
        if let Some(key) = taint {
            self.add_template_taint(tagged_taint(key, &read_text(Some(value))), span, path);
        } else if let Some(key) = label {
            let value = known(read_text(Some(value)));
            self.told().labels.insert(key, (value, span));
        } else if key == TAINTS_ANNOTATION {
            let Some(text) = value.raw() else { return };
            let embedded = Embedded::new(self.text, value, text);
            for (part, at) in parts(text, 0..text.len()) {
                match partial_taint(part) {
                    Ok(taint) => self.add_template_taint(taint, embedded.place_of(at), path),
                    Err(_) => self.told().complete = false,
                }
            }
        } else if key == LABELS_ANNOTATION {
            let Some(text) = value.raw() else { return };
            let embedded = Embedded::new(self.text, value, text);
            for (pair, at) in parts(text, 0..text.len()) {
                match pair.split_once('=') {
                    Some((key, value)) if !is_placeholder(pair) => {
                        let told = (Field::Is(value.to_owned()), embedded.place_of(at));
                        self.told().labels.insert(key.to_owned(), told);
                    }
                    _ => self.told().complete = false,
                }
            }
        }
    }

    fn add_template_taint(&mut self, taint: Taint, span: Span, path: &str) {
        self.told().taints.push(PoolTaint {
            taint,
            span: Some(span),
            path: path.to_owned(),
            ..PoolTaint::default()
        });
    }
}

/// Parses a tag value of the form `<value>:<Effect>`.
fn tagged_taint(key: String, value: &Field<String>) -> Taint {
    let (value, effect) = match value {
        Field::Is(text) => match text.rsplit_once(':') {
            Some((value, effect)) => (Field::Is(value.to_owned()), Field::Is(effect.to_owned())),
            // The autoscaler skips such a tag.
            None => (Field::Is(text.clone()), Field::Absent),
        },
        Field::Absent => (Field::Absent, Field::Absent),
        Field::Unknown => (Field::Unknown, Field::Unknown),
    };
    Taint {
        key: Field::Is(key),
        value,
        effect,
    }
}

fn known(value: Field<String>) -> Field<String> {
    match value {
        Field::Absent => Field::Is(String::new()),
        other => other,
    }
}
