//! Applies type constraints of variables as far as they change values: numbers and booleans become texts, optional
//! attributes are added, and unknown attributes are dropped.

use std::rc::Rc;

use super::evaluate::{Evaluator, Names};
use super::syntax::{Expression, ExpressionKind};
use super::value::{Entry, Fields, Term, Value};

/// Converts the value to the type of the variable.
pub(super) fn conform(term: Term, of_type: &Expression, evaluator: Evaluator<'_>) -> Term {
    let at = term.at;
    if !evaluator.scope.run().spend(1) {
        return Term::unknown("it takes too much work to evaluate", at);
    }
    let value = match (&of_type.kind, &term.value) {
        (_, Value::Null | Value::Unknown(_) | Value::Encoded(..) | Value::Filled(_)) => {
            return term;
        }
        (ExpressionKind::Name(name), value) => match &**name {
            "string" => match value.as_text() {
                Some(text) => Value::Text(text),
                None => return term,
            },
            "number" => match value.as_number() {
                Some(number) => Value::Number(number),
                None => return term,
            },
            "bool" => match value.as_bool() {
                Some(value) => Value::Bool(value),
                None => return term,
            },
            _ => return term,
        },
        (ExpressionKind::Call(call), value) => {
            let Some(inner) = call.arguments.first() else {
                return term;
            };
            match (&*call.name, value) {
                ("optional", _) => return conform(term, inner, evaluator),
                ("list" | "set", Value::List(list)) => Value::list(
                    list.items
                        .iter()
                        .map(|item| conform(item.clone(), inner, evaluator))
                        .collect(),
                    list.more.clone(),
                ),
                ("map", Value::Object(object)) => Value::object(
                    object
                        .fields
                        .iter()
                        .map(|entry| Entry {
                            term: conform(entry.term.clone(), inner, evaluator),
                            ..entry.clone()
                        })
                        .collect(),
                    object.more.clone(),
                ),
                ("object", Value::Object(object)) => {
                    let ExpressionKind::Object(wanted) = &inner.kind else {
                        return term;
                    };
                    let mut fields = Fields::default();
                    for (key, of_field) in wanted {
                        let (ExpressionKind::Text(name) | ExpressionKind::Name(name)) = &key.kind
                        else {
                            return term;
                        };
                        let (known, key_at) =
                            match object.fields.iter().find(|entry| *entry.key == **name) {
                                Some(entry) => (Some(entry.term.clone()), entry.key_at),
                                None => (None, at),
                            };
                        let field = match (known, &object.more) {
                            (Some(known), _) if !matches!(known.value, Value::Null) => {
                                conform(known, of_field, evaluator)
                            }
                            (None, Some(why)) => Term::unknown(Rc::clone(why), at),
                            (known, _) => match default_of(of_field, evaluator) {
                                Some(default) => default,
                                None => known.unwrap_or_else(|| Term::new(Value::Null, at)),
                            },
                        };
                        fields.set(Entry {
                            key: (&**name).into(),
                            key_at,
                            term: field,
                        });
                    }
                    // Attributes that the type does not list are dropped.
                    fields.finish(None)
                }
                _ => return term,
            }
        }
        _ => return term,
    };
    Term::new(value, at)
}

/// Returns the default of `optional(type, default)`.
fn default_of(of_type: &Expression, evaluator: Evaluator<'_>) -> Option<Term> {
    let ExpressionKind::Call(call) = &of_type.kind else {
        return None;
    };
    let [inner, default] = call.arguments.as_slice() else {
        return None;
    };
    if &*call.name != "optional" {
        return None;
    }
    let default = evaluator.value(default, &Names::NONE);
    Some(conform(default, inner, evaluator))
}
