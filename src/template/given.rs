//! Values that a template is filled in with: what is at a path, as far as it is known.

use crate::charts::Step;
use crate::yaml::{Kind, Node};

/// Maps of values. Each is laid over those behind it.
#[derive(Clone, Debug)]
pub struct Given<'v>(pub Vec<Node<'v>>);

impl<'v> Given<'v> {
    /// What is at a path: nothing if it is absent, and several maps if they are merged. `None` if that is not known.
    pub fn at(&self, steps: &[Step]) -> Option<Vec<Node<'v>>> {
        let mut layers = self.0.clone();
        for step in steps {
            let Step::Key(key) = step else {
                return None;
            };
            let mut below = Vec::new();
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
        let is_open = |node: &Node<'_>| node.raw().is_some_and(|text| text.contains("{{"));
        (!layers.iter().any(is_open)).then_some(layers)
    }
}
