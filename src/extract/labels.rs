//! Labels of pools in every notation that pool sources use: maps, lists of keys and values, `k=v` texts.

use super::pools::PoolReader;
use super::read::{is_placeholder, is_template_action, read_text};
use crate::model::Field;
use crate::model::node_selection::OtherLabels;
use crate::yaml::{Kind, Node};

impl<'a> PoolReader<'_, 'a> {
    /// There may be labels that cannot be read.
    pub(super) fn open_labels(&mut self) {
        self.pool.labels.others = OtherLabels::Possible;
        self.pool.open_labels = true;
    }

    pub(super) fn read_labels(&mut self, node: Node<'a>) {
        if node.is_null() {
            return;
        }
        if is_template_action(node) {
            self.open_labels();
            return;
        }
        match node.kind() {
            Kind::Mapping => {
                for field in node.fields() {
                    self.insert_label(field.name(), Some(field.value));
                }
            }
            Kind::Sequence => {
                for item in node.items() {
                    let field = |names: [&str; 4]| names.iter().find_map(|name| item.get(name));
                    match item.kind() {
                        Kind::Mapping => {
                            let key = field(["key", "name", "Key", "Name"]).and_then(Node::raw);
                            let value = field(["value", "Value", "value", "Value"]);
                            self.insert_label(key, value);
                        }
                        _ => self.read_label_flag(item),
                    }
                }
            }
            Kind::Scalar => self.read_label_flag(node),
        }
    }

    fn insert_label(&mut self, key: Option<&str>, value: Option<Node<'a>>) {
        match key {
            Some(key) if !self.reaches_node(key) => {}
            Some(key) if !is_placeholder(key) => {
                let value = match read_text(value) {
                    Field::Absent => Field::Is(String::new()),
                    other => other,
                };
                self.pool.open_labels |= value.is_unknown();
                self.pool.labels.labels.insert(key.to_owned(), value);
            }
            _ => self.open_labels(),
        }
    }

    fn reaches_node(&self, key: &str) -> bool {
        let domains = &self.row.label_domains;
        let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
        domains.is_empty()
            || domains.iter().any(|domain| {
                prefix == domain
                    || prefix
                        .strip_suffix(domain.as_str())
                        .is_some_and(|rest| rest.ends_with('.'))
            })
    }

    /// `key=value,key2=value2`
    pub(super) fn read_label_flag(&mut self, node: Node<'a>) {
        match (node.raw(), read_text(Some(node))) {
            (_, Field::Absent) => {}
            (Some(text), _) if !node.has_local_tag() => self.read_label_text(text),
            _ => self.pool.labels.others = OtherLabels::Possible,
        }
    }

    /// The same in a text, of which parts may be filled in later.
    pub(super) fn read_label_text(&mut self, text: &str) {
        for pair in text
            .split(',')
            .map(str::trim)
            .filter(|pair| !pair.is_empty())
        {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if is_placeholder(key) {
                self.open_labels();
                continue;
            }
            self.pool.open_labels |= is_placeholder(value);
            let value = if is_placeholder(value) {
                Field::Unknown
            } else {
                Field::Is(value.to_owned())
            };
            self.pool.labels.labels.insert(key.to_owned(), value);
        }
    }
}
