//! The workspaces that a configuration names. Terraform does not list them, but expressions with `terraform.workspace` name
//! those that they know.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::value::{Term, Value};
use crate::source::Span;

/// The maximum number of workspaces of one configuration.
const MAX_WORKSPACES: usize = 100;

/// The workspace of one evaluation, and the names that the configuration compares it with.
#[derive(Default)]
pub(super) struct Workspaces {
    /// Its name, if it is known.
    own: Option<Box<str>>,
    /// Where `terraform.workspace` stands.
    read_at: RefCell<BTreeSet<Span>>,
    /// The names and where each is written.
    named: RefCell<BTreeMap<String, Span>>,
    /// Whether a map has a key for each workspace.
    is_list: Cell<bool>,
}

impl Workspaces {
    /// Evaluates in this workspace.
    pub fn of(name: Option<&str>) -> Workspaces {
        Workspaces {
            own: name.map(Into::into),
            ..Workspaces::default()
        }
    }

    /// Returns the name of the workspace, which an expression at this place reads.
    pub fn read(&self, at: Span) -> Option<Value> {
        self.read_at.borrow_mut().insert(at);
        self.own.as_deref().map(Value::text)
    }

    /// Notes the names that two compared values are.
    pub fn compare(&self, one: &Term, other: &Term) {
        for (one, other) in [(one, other), (other, one)] {
            if self.is_workspace(one)
                && let Value::Text(text) = &other.value
            {
                self.note(text, other.at);
            }
        }
    }

    /// Notes the keys of a map that has a key for each workspace, or the items of a list of them.
    pub fn look_up(&self, among: &Term, key: &Term, is_list: bool) {
        if !self.is_workspace(key) {
            return;
        }
        match &among.value {
            Value::Object(object) => {
                self.is_list.set(self.is_list.get() || is_list);
                for entry in &object.fields {
                    self.note(&entry.key, entry.key_at);
                }
            }
            Value::List(list) => {
                for item in &list.items {
                    if let Value::Text(text) = &item.value {
                        self.note(text, item.at);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the workspaces that the configuration tells apart: at least two, or all keys of a map.
    pub fn named(self) -> BTreeMap<String, Span> {
        let named = self.named.into_inner();
        match named.len() > 1 || self.is_list.get() {
            true => named,
            false => BTreeMap::new(),
        }
    }

    fn note(&self, name: &str, at: Span) {
        let mut named = self.named.borrow_mut();
        if !name.is_empty() && named.len() < MAX_WORKSPACES {
            named.entry(name.to_owned()).or_insert(at);
        }
    }

    fn is_workspace(&self, term: &Term) -> bool {
        let is_text = matches!(term.value, Value::Unknown(_) | Value::Text(_));
        is_text && self.read_at.borrow().contains(&term.at)
    }
}
