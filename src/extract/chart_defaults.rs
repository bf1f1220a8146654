//! Defaults of the values of a chart whose files are in the repository.

use serde_json::Value;

use super::chart_values::Values;
use crate::charts::{Group, Step};
use crate::source::SourceId;
use crate::yaml;

/// Sets the defaults of values from the text of the chart's own file of values.
pub fn set_defaults(groups: &mut [Group], text: &str, id: SourceId) {
    let stream = yaml::parse(text, id);
    let Some(document) = stream.documents.first() else {
        return;
    };
    let values = Values {
        under: Vec::new(),
        root: document.root(),
        base: String::new(),
        open: false,
        is_whole: false,
    };
    for group in groups {
        let inputs = [
            &mut group.tolerations,
            &mut group.node_selector,
            &mut group.affinity,
        ];
        for input in inputs.into_iter().flatten() {
            let is_single = |step: &Step| matches!(step, Step::Key(_));
            if !input.path.steps().iter().all(is_single) {
                continue;
            }
            let Some(spot) = values.all(&input.path).pop() else {
                continue;
            };
            let node = spot.field.value;
            if node.fields().is_empty() && node.items().next().is_none() {
                continue;
            }
            input.default = yaml::from_node::<Value>(node, "the values").value;
            input.default_at = Some(spot.field.key.span());
        }
    }
}
