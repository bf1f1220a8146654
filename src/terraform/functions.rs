//! Terraform's functions for maps, lists and texts. An unsupported function is unknown, and so is its value.

use std::rc::Rc;

use super::collections::Context;
use super::patterns;
use super::run::Run;
use super::text_functions;
use super::value::{
    Computed, Encoding, Entry, Failure, Fields, Term, Value, any_unknown, fail, index,
    unknown_or_fail,
};
use crate::source::Span;
use crate::yaml::{Notation, Pieces};

/// Calls a function, or returns `None` if it is not supported.
pub(super) fn call(name: &str, arguments: &[Term], run: &Run, at: Span) -> Computed {
    let size: usize = arguments.iter().map(size).sum();
    if !run.spend(size) {
        return Some(Ok(Value::Unknown(
            "it takes too much work to evaluate".into(),
        )));
    }
    let context = Context { run, at };
    context
        .structures(name, arguments)
        .or_else(|| patterns::call(name, arguments, at))
        .or_else(|| text_functions::call(name, arguments))
}

fn size(term: &Term) -> usize {
    match &term.value {
        Value::List(list) => list.items.len(),
        Value::Object(object) => object.fields.len(),
        Value::Text(text) => text.len() / 64,
        Value::Filled(filled) => filled.pieces.text().len() / 16,
        _ => 1,
    }
}

impl Context<'_> {
    #[allow(clippy::too_many_lines, reason = "one arm for each function")]
    fn structures(&self, name: &str, arguments: &[Term]) -> Computed {
        let first = arguments.first();
        let value = match name {
            // These functions do not change their argument.
            "sensitive" | "nonsensitive" | "ephemeralasnull" | "tolist" | "tomap" => {
                return Some(match first {
                    Some(first) => Ok(first.value.clone()),
                    None => Err(Failure("an argument is missing".to_owned())),
                });
            }
            "toset" | "distinct" => return self.distinct(arguments),
            "merge" => return Some(merge(arguments)),
            "concat" => return Some(concat(arguments)),
            "flatten" => return self.flatten(arguments),
            "setunion" => {
                return self.distinct(&[Term::new(
                    match concat(arguments) {
                        Ok(value) => value,
                        Err(failure) => return Some(Err(failure)),
                    },
                    self.at,
                )]);
            }
            "lookup" => {
                let [map, key, rest @ ..] = arguments else {
                    return fail("`lookup` expects a map and a key");
                };
                match (index(map, key), rest.first()) {
                    (Ok(found), _) => found.value,
                    (Err(_), Some(default)) => default.value.clone(),
                    (Err(failure), None) => return Some(Err(failure)),
                }
            }
            "element" => {
                let [list, key] = arguments else {
                    return fail("`element` expects a list and an index");
                };
                let key = match (&list.value, key.value.as_number()) {
                    #[allow(clippy::cast_precision_loss, reason = "lists are bounded")]
                    (Value::List(items), Some(number)) if !items.items.is_empty() => Term::new(
                        Value::Number(number.rem_euclid(items.items.len() as f64)),
                        key.at,
                    ),
                    _ => key.clone(),
                };
                return Some(index(list, &key).map(|term| term.value));
            }
            "coalesce" => {
                for term in arguments {
                    match &term.value {
                        Value::Null => {}
                        Value::Text(text) if text.is_empty() => {}
                        other => return Some(Ok(other.clone())),
                    }
                }
                return fail("every argument of `coalesce` is null");
            }
            "coalescelist" => {
                for term in arguments {
                    match &term.value {
                        Value::Null => {}
                        Value::List(list) if list.items.is_empty() => {
                            if let Some(why) = &list.more {
                                return Some(Ok(Value::Unknown(Rc::clone(why))));
                            }
                        }
                        other => return Some(Ok(other.clone())),
                    }
                }
                return fail("every list of `coalescelist` is empty");
            }
            "compact" => {
                let Some(Value::List(list)) = first.map(|term| &term.value) else {
                    return unknown_or_fail(arguments, "`compact` expects a list");
                };
                let kept = list.items.iter().filter(|item| match &item.value {
                    Value::Null => false,
                    Value::Text(text) => !text.is_empty(),
                    _ => true,
                });
                Value::list(kept.cloned().collect(), list.more.clone())
            }
            "keys" | "values" => {
                let Some(Value::Object(object)) = first.map(|term| &term.value) else {
                    return unknown_or_fail(arguments, "expected a map");
                };
                let items = object.sorted().into_iter().map(|entry| match name {
                    "keys" => Term::new(Value::Text(Rc::clone(&entry.key)), entry.key_at),
                    _ => entry.term.clone(),
                });
                Value::list(items.collect(), object.more.clone())
            }
            "length" => match first.map(|term| &term.value) {
                Some(Value::List(list)) => count(list.items.len(), list.more.as_ref()),
                Some(Value::Object(object)) => count(object.fields.len(), object.more.as_ref()),
                Some(value) if value.as_text().is_some() => {
                    let text = value.as_text().unwrap_or_default();
                    count(text.chars().count(), None)
                }
                _ => {
                    return unknown_or_fail(
                        arguments,
                        "`length` expects a list, a map or a string",
                    );
                }
            },
            "contains" => {
                let [list, wanted] = arguments else {
                    return fail("`contains` expects a list and a value");
                };
                let Value::List(list) = &list.value else {
                    return unknown_or_fail(arguments, "`contains` expects a list");
                };
                let mut open = list.more.clone();
                for item in &list.items {
                    match self.run.equal(&item.value, &wanted.value) {
                        Some(true) => return Some(Ok(Value::Bool(true))),
                        Some(false) => {}
                        None => {
                            open = any_unknown(&[item.clone(), wanted.clone()])
                                .or_else(|| Some("a comparison depends on unknown values".into()));
                        }
                    }
                }
                match open {
                    Some(why) => Value::Unknown(why),
                    None => Value::Bool(false),
                }
            }
            "one" => match first.map(|term| &term.value) {
                Some(Value::List(list)) if list.more.is_none() => match list.items.as_slice() {
                    [] => Value::Null,
                    [one] => one.value.clone(),
                    _ => return fail("`one` expects a list of one"),
                },
                Some(Value::List(list)) => match &list.more {
                    Some(why) => Value::Unknown(Rc::clone(why)),
                    None => Value::Null,
                },
                _ => return unknown_or_fail(arguments, "`one` expects a list"),
            },
            "reverse" | "sort" => {
                let Some(Value::List(list)) = first.map(|term| &term.value) else {
                    return unknown_or_fail(arguments, "expected a list");
                };
                let mut items = list.items.clone();
                if name == "reverse" {
                    items.reverse();
                } else {
                    items.sort_by_key(|item| item.value.as_text());
                }
                Value::list(items, list.more.clone())
            }
            "slice" => return slice(arguments),
            "range" => return self.range(arguments),
            "zipmap" => {
                let [keys, values] = arguments else {
                    return fail("`zipmap` expects two lists");
                };
                let (Value::List(keys), Value::List(values)) = (&keys.value, &values.value) else {
                    return unknown_or_fail(arguments, "`zipmap` expects two lists");
                };
                if let Some(why) = keys.more.as_ref().or(values.more.as_ref()) {
                    return Some(Ok(Value::Unknown(Rc::clone(why))));
                }
                let mut fields = Fields::default();
                for (key, term) in keys.items.iter().zip(&values.items) {
                    let Some(name) = key.value.as_text() else {
                        return unknown_or_fail(&keys.items, "a key is not a string");
                    };
                    fields.set(Entry {
                        key: name,
                        key_at: key.at,
                        term: term.clone(),
                    });
                }
                fields.finish(None)
            }
            "setproduct" => return self.product(arguments),
            "setsubtract" | "setintersection" => return self.subtract(name, arguments),
            "alltrue" | "anytrue" => {
                let Some(Value::List(list)) = first.map(|term| &term.value) else {
                    return unknown_or_fail(arguments, "expected a list");
                };
                let decides = name == "anytrue";
                if list
                    .items
                    .iter()
                    .any(|item| item.value.as_bool() == Some(decides))
                {
                    return Some(Ok(Value::Bool(decides)));
                }
                match list.more.clone().or_else(|| any_unknown(&list.items)) {
                    Some(why) => Value::Unknown(why),
                    None => Value::Bool(!decides),
                }
            }
            "jsonencode" | "yamlencode" => match first {
                Some(first) if name == "jsonencode" => {
                    Value::encoded(first.clone(), Encoding::As(Notation::Json))
                }
                Some(first) => Value::encoded(first.clone(), Encoding::As(Notation::Yaml)),
                None => return fail("an argument is missing"),
            },
            "base64encode" | "base64gzip" => match first {
                Some(first) => Value::encoded(first.clone(), Encoding::Base64),
                None => return fail("an argument is missing"),
            },
            "base64decode" => match first.map(|term| &term.value) {
                Some(Value::Encoded(inner, Encoding::Base64)) => inner.value.clone(),
                _ => return None,
            },
            "jsondecode" | "yamldecode" => match first.map(|term| &term.value) {
                Some(Value::Encoded(inner, Encoding::As(_))) => inner.value.clone(),
                Some(Value::Encoded(..)) => return None,
                Some(Value::Filled(filled)) => self.decode(&filled.pieces),
                Some(Value::Text(text)) => {
                    let mut pieces = Pieces::default();
                    pieces.push_made(text, first.map_or(self.at, |term| term.at));
                    self.decode(&pieces)
                }
                _ => return unknown_or_fail(arguments, "expected a string"),
            },
            "indent" | "chomp" | "trimspace" => {
                let (last, rest) = arguments.split_last()?;
                let pieces = last.value.pieces()?;
                return self.lines(name, rest, &pieces);
            }
            _ => return None,
        };
        Some(Ok(value))
    }
}

fn count(number: usize, more: Option<&Rc<str>>) -> Value {
    match more {
        Some(why) => Value::Unknown(Rc::clone(why)),
        #[allow(clippy::cast_precision_loss, reason = "lists are bounded")]
        None => Value::Number(number as f64),
    }
}

/// Merges maps. Later maps win; an unknown map may override the values before it.
fn merge(arguments: &[Term]) -> Result<Value, Failure> {
    let mut fields = Fields::default();
    let mut more = None;
    for term in arguments {
        match &term.value {
            Value::Null => {}
            Value::Object(object) => {
                if let Some(why) = &object.more {
                    fields.doubt(why);
                    more = Some(Rc::clone(why));
                }
                for entry in &object.fields {
                    fields.set(entry.clone());
                }
            }
            Value::Unknown(why) => {
                fields.doubt(why);
                more = Some(Rc::clone(why));
            }
            _ => return Err(Failure("`merge` expects maps".to_owned())),
        }
    }
    Ok(fields.finish(more))
}

fn concat(arguments: &[Term]) -> Result<Value, Failure> {
    let mut items = Vec::new();
    let mut more = None;
    for term in arguments {
        match &term.value {
            Value::List(list) => {
                items.extend(list.items.iter().cloned());
                more = more.or_else(|| list.more.clone());
            }
            Value::Unknown(why) => more = Some(Rc::clone(why)),
            _ => return Err(Failure("`concat` expects lists".to_owned())),
        }
    }
    Ok(Value::list(items, more))
}

fn slice(arguments: &[Term]) -> Computed {
    let [list, from, to] = arguments else {
        return fail("`slice` expects a list and two indices");
    };
    let (Value::List(items), Some(from), Some(to)) =
        (&list.value, from.value.as_number(), to.value.as_number())
    else {
        return unknown_or_fail(arguments, "`slice` expects a list and two indices");
    };
    if let Some(why) = &items.more {
        return Some(Ok(Value::Unknown(Rc::clone(why))));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let (from, to) = (from.max(0.0) as usize, to.max(0.0) as usize);
    match items.items.get(from..to) {
        Some(found) => Some(Ok(Value::list(found.to_vec(), None))),
        None => fail("`slice` goes beyond the list"),
    }
}
