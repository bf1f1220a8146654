//! Values that a template is filled in with: what is at a path, as far as it is known.

use std::collections::HashMap;

use crate::charts::Step;
use crate::yaml::{Kind, Node};

/// Maps of values.
#[derive(Clone, Debug)]
pub struct Given<'v> {
    /// The maps. Each is laid over those behind it.
    pub layers: Vec<Node<'v>>,
    /// Maps that are laid over what is at `global`: charts share it with those that they contain.
    pub globals: Vec<Node<'v>>,
    /// Whether something else fills in a text.
    pub is_open: fn(&str) -> bool,
}

impl<'v> Given<'v> {
    /// What is at a path: nothing if it is absent, and several maps if they are merged. `None` if that is not known.
    pub fn at(&self, steps: &[Step]) -> Option<Vec<Node<'v>>> {
        if steps.is_empty() && !self.globals.is_empty() {
            return None;
        }
        let mut layers = self.layers.clone();
        for (depth, step) in steps.iter().enumerate() {
            let Step::Key(key) = step else {
                return None;
            };
            let mut below = match depth == 0 && key == "global" {
                true => self.globals.clone(),
                false => Vec::new(),
            };
            for layer in layers {
                let found = match layer.kind() {
                    Kind::Mapping => layer.get(key),
                    Kind::Sequence => key.parse().ok().and_then(|at| layer.items().nth(at)),
                    Kind::Scalar => None,
                };
                let Some(found) = found else { continue };
                let is_map = found.kind() == Kind::Mapping;
                if is_map || below.is_empty() {
                    below.push(found);
                }
                // Anything else hides what it is laid over.
                if !is_map {
                    break;
                }
            }
            layers = below;
        }
        let is_open = |node: &Node<'_>| self.is_open(*node);
        (!layers.iter().any(is_open)).then_some(layers)
    }

    /// Whether a template takes what is at a path for true, if that is known: whether it is not empty.
    pub fn truth(&self, steps: &[Step]) -> Option<bool> {
        let found = self.at(steps)?;
        let Some(first) = found.first() else {
            return Some(false);
        };
        Some(match first.kind() {
            Kind::Mapping => found.iter().any(|one| !one.fields().is_empty()),
            Kind::Sequence => first.items().next().is_some(),
            Kind::Scalar => !first.is_null() && !is_empty_scalar(*first),
        })
    }

    /// Whether something else decides what a scalar is.
    pub fn is_open(&self, node: Node<'_>) -> bool {
        node.unknown_because().is_some() || node.raw().is_some_and(self.is_open)
    }
}

fn is_empty_scalar(node: Node<'_>) -> bool {
    match node.as_str() {
        Some(text) => text.is_empty(),
        None => node
            .raw()
            .is_some_and(|text| ["false", "0", "0.0"].contains(&text)),
    }
}

/// The fields of maps, of which each is laid over those behind it, with what is at each key.
pub fn merged<'v>(layers: &[Node<'v>]) -> Vec<(Node<'v>, Vec<Node<'v>>)> {
    let mut all: Vec<(Node<'v>, Vec<Node<'v>>)> = Vec::new();
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    for field in layers.iter().flat_map(|layer| layer.fields()) {
        let at = *places.entry(field.key.as_str()).or_insert(all.len());
        match all.get_mut(at) {
            Some((_, below)) => {
                let is_map = |one: &Node<'_>| one.kind() == Kind::Mapping;
                if is_map(&field.value) && below.iter().all(is_map) {
                    below.push(field.value);
                }
            }
            None => all.push((field.key, vec![field.value])),
        }
    }
    // A null takes away what it is laid over.
    if layers.len() > 1 {
        all.retain(|(_, values)| !values.first().is_some_and(|first| first.is_null()));
    }
    all
}
