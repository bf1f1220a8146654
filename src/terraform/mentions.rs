//! Finds the resources that a block mentions. Attributes that are known only after creation have no value, but still
//! show which resources belong together.

use super::syntax::{Body, Expression, ExpressionKind, Part, Step};

/// Returns the names of resources (`type.name`) in the arguments of a block, sorted and without duplicates.
pub(super) fn mentions(body: &Body) -> Vec<String> {
    let mut names = Vec::new();
    let mut bodies = vec![body];
    let mut open: Vec<&Expression> = Vec::new();
    while let Some(body) = bodies.pop() {
        bodies.extend(body.blocks.iter().map(|block| &block.body));
        open.extend(body.attributes.iter().map(|(_, _, value)| value));
        open.extend(body.given.iter().map(|given| &given.inputs));
    }
    while let Some(expression) = open.pop() {
        if let ExpressionKind::Access(of, steps) = &expression.kind
            && let (ExpressionKind::Name(of_type), Some(Step::Name(name))) =
                (&of.kind, steps.first())
            && of_type.contains('_')
        {
            names.push(format!("{of_type}.{name}"));
        }
        parts(expression, &mut open);
    }
    names.sort();
    names.dedup();
    names
}

/// Adds the direct subexpressions of an expression.
fn parts<'e>(expression: &'e Expression, open: &mut Vec<&'e Expression>) {
    match &expression.kind {
        ExpressionKind::Null
        | ExpressionKind::Bool(_)
        | ExpressionKind::Number(_)
        | ExpressionKind::LongNumber(_)
        | ExpressionKind::Text(_)
        | ExpressionKind::Name(_) => {}
        ExpressionKind::Template(template) => {
            let values = template.parts.iter().filter_map(|part| match part {
                Part::Value(value, _) => Some(value),
                _ => None,
            });
            open.extend(values);
        }
        ExpressionKind::List(items) => open.extend(items),
        ExpressionKind::Object(fields) => {
            open.extend(fields.iter().flat_map(|(key, value)| [key, value]));
        }
        ExpressionKind::Access(of, steps) => {
            open.push(of);
            let indices = steps.iter().filter_map(|step| match step {
                Step::Index(index) => Some(&**index),
                // A legacy index is a number.
                Step::Name(_) | Step::Each | Step::OfEach(_) => None,
            });
            open.extend(indices);
        }
        ExpressionKind::Conditional(parts) => open.extend(parts.iter()),
        ExpressionKind::Call(call) => open.extend(&call.arguments),
        ExpressionKind::For(one) => {
            open.extend([&one.over, &one.value]);
            open.extend(one.key.iter().chain(&one.when));
        }
        ExpressionKind::Not(inner) | ExpressionKind::Negative(inner) => open.push(inner),
        ExpressionKind::Binary(parts) => open.extend([&parts.0, &parts.2]),
    }
}
