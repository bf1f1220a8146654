//! The values that evaluation returns: what is known, where it is written, and why the rest is unknown.

use std::rc::Rc;

use crate::source::Span;
use crate::yaml::{Notation, Pieces};

/// A value and where it is written.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub value: Value,
    pub at: Span,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(Rc<str>),
    List(Rc<List>),
    Object(Rc<Object>),
    /// A text that encodes a value, such as the result of `yamlencode`.
    Encoded(Rc<Term>, Encoding),
    /// A text of lines with interpolations. It is unknown if one of its parts is.
    Filled(Rc<Filled>),
    /// The reason why it is unknown.
    Unknown(Rc<str>),
}

/// How a text encodes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As text in a notation that can be read.
    As(Notation),
    /// As with `base64encode`.
    Base64,
}

/// A text with its interpolations filled in.
#[derive(Debug)]
pub(super) struct Filled {
    /// The pieces that it consists of.
    pub pieces: Pieces,
    /// Why part of it is unknown, or `None` if all of it is known.
    open: Option<Rc<str>>,
}

/// The maximum nesting depth of values, which are walked recursively.
const MAX_DEPTH: u32 = 100;

/// Items, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    pub items: Vec<Term>,
    /// Why there may be more items after or between these, or `None` if there are none.
    pub more: Option<Rc<str>>,
    /// The nesting depth.
    depth: u32,
}

/// Fields with unique names.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    pub fields: Vec<Entry>,
    /// Why there may be fields with other names, or `None` if there are none.
    pub more: Option<Rc<str>>,
    /// All possible further fields, if only their names are unknown: the reason, the place of the name, and the value.
    pub unnamed: Vec<Unnamed>,
    depth: u32,
}

/// A field with an unknown name that differs from all other names.
#[derive(Debug, Clone)]
pub(super) struct Unnamed {
    pub why: Rc<str>,
    pub key_at: Span,
    pub term: Term,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub key: Rc<str>,
    pub key_at: Span,
    pub term: Term,
}

impl Object {
    pub fn get(&self, key: &str) -> Option<&Term> {
        self.fields
            .iter()
            .find(|entry| &*entry.key == key)
            .map(|entry| &entry.term)
    }

    /// The fields in the order of their names, in which Terraform iterates over maps.
    pub fn sorted(&self) -> Vec<&Entry> {
        let mut sorted: Vec<_> = self.fields.iter().collect();
        sorted.sort_by(|one, other| one.key.cmp(&other.key));
        sorted
    }
}

/// The fields of an object under construction: the last value of a name wins.
#[derive(Default)]
pub(super) struct Fields {
    fields: Vec<Entry>,
    places: std::collections::HashMap<Rc<str>, usize>,
}

impl Fields {
    pub fn set(&mut self, entry: Entry) {
        let place = self.places.get(&entry.key);
        match place.and_then(|place| self.fields.get_mut(*place)) {
            Some(known) => *known = entry,
            None => {
                self.places.insert(Rc::clone(&entry.key), self.fields.len());
                self.fields.push(entry);
            }
        }
    }

    pub fn get(&self, key: &str) -> Option<&Term> {
        Some(&self.fields.get(*self.places.get(key)?)?.term)
    }

    /// Replaces each value.
    pub fn map(&mut self, change: impl Fn(&Term) -> Term) {
        for entry in &mut self.fields {
            entry.term = change(&entry.term);
        }
    }

    /// Marks all fields so far as possibly overridden.
    pub fn doubt(&mut self, why: &Rc<str>) {
        self.doubt_where(why, |_| true);
    }

    /// Marks the fields with these names as possibly overridden.
    pub fn doubt_where(&mut self, why: &Rc<str>, may_be: impl Fn(&str) -> bool) {
        for entry in self.fields.iter_mut().filter(|entry| may_be(&entry.key)) {
            entry.term.value = Value::Unknown(Rc::clone(why));
        }
    }

    /// Whether any field may have this name.
    pub fn any(&self, may_be: impl Fn(&str) -> bool) -> bool {
        self.fields.iter().any(|entry| may_be(&entry.key))
    }

    /// The values by their names.
    pub fn into_terms(self) -> impl Iterator<Item = (String, Term)> {
        self.fields
            .into_iter()
            .map(|entry| (entry.key.to_string(), entry.term))
    }

    pub fn finish(self, more: Option<Rc<str>>) -> Value {
        Value::object(self.fields, more)
    }
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn depth(&self) -> u32 {
        match self {
            Value::List(list) => list.depth,
            Value::Object(object) => object.depth,
            Value::Encoded(inner, _) => inner.value.depth() + 1,
            _ => 0,
        }
    }

    pub fn list(items: Vec<Term>, more: Option<Rc<str>>) -> Value {
        let depth = 1 + items
            .iter()
            .map(|item| item.value.depth())
            .max()
            .unwrap_or(0);
        if depth > MAX_DEPTH {
            return Value::Unknown("it is nested too deeply".into());
        }
        Value::List(Rc::new(List { items, more, depth }))
    }

    pub fn object(fields: Vec<Entry>, more: Option<Rc<str>>) -> Value {
        let depths = fields.iter().map(|entry| entry.term.value.depth());
        let depth = 1 + depths.max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Value::Unknown("it is nested too deeply".into());
        }
        Value::Object(Rc::new(Object {
            fields,
            more,
            unnamed: Vec::new(),
            depth,
        }))
    }

    /// Returns an object with these additional fields, and no others.
    pub fn with_unnamed(self, unnamed: Vec<Unnamed>) -> Value {
        match self {
            Value::Object(object) => {
                let object = Rc::unwrap_or_clone(object);
                let depths = unnamed.iter().map(|one| one.term.value.depth() + 1);
                let depth = depths.max().unwrap_or(0).max(object.depth);
                if depth > MAX_DEPTH {
                    return Value::Unknown("it is nested too deeply".into());
                }
                Value::Object(Rc::new(Object {
                    unnamed,
                    depth,
                    ..object
                }))
            }
            other => other,
        }
    }

    pub fn encoded(term: Term, encoding: Encoding) -> Value {
        if term.value.depth() >= MAX_DEPTH {
            return Value::Unknown("it is nested too deeply".into());
        }
        Value::Encoded(Rc::new(term), encoding)
    }

    pub fn filled(pieces: Pieces) -> Value {
        let open = pieces.open_because().map(Into::into);
        Value::Filled(Rc::new(Filled { pieces, open }))
    }

    pub fn unknown(&self) -> Option<&Rc<str>> {
        match self {
            Value::Unknown(why) => Some(why),
            Value::Filled(filled) => filled.open.as_ref(),
            _ => None,
        }
    }

    /// Converts the value to text like an interpolation, or returns `None` if Terraform rejects that.
    pub fn as_text(&self) -> Option<Rc<str>> {
        match self {
            Value::Text(text) => Some(Rc::clone(text)),
            Value::Bool(value) => Some(value.to_string().into()),
            Value::Number(number) => Some(number_text(*number).into()),
            Value::Filled(filled) if filled.open.is_none() => Some(filled.pieces.text().into()),
            _ => None,
        }
    }

    /// Returns this value converted to the type it shares with another, or `None` if no type fits both.
    pub fn beside(self, other: &Value) -> Option<Value> {
        let is_text = |value: &Value| {
            matches!(
                value,
                Value::Text(_) | Value::Filled(_) | Value::Encoded(..)
            )
        };
        match (&self, other) {
            (Value::Null, _) | (_, Value::Null) => Some(self),
            _ if self.unknown().is_some() || other.unknown().is_some() => Some(self),
            (Value::Number(_) | Value::Bool(_), _) if is_text(other) => {
                self.as_text().map(Value::Text)
            }
            (Value::Number(_), Value::Number(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::List(_), Value::List(_))
            | (Value::Object(_), Value::Object(_)) => Some(self),
            (_, Value::Number(_) | Value::Bool(_)) if is_text(&self) => Some(self),
            _ => (is_text(&self) && is_text(other)).then_some(self),
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Number(_) => None,
            _ => match &*self.as_text()? {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Bool(_) => None,
            _ => self.as_text()?.parse().ok(),
        }
    }
}

impl Term {
    pub fn new(value: Value, at: Span) -> Term {
        Term { value, at }
    }

    pub fn unknown(why: impl Into<Rc<str>>, at: Span) -> Term {
        Term {
            value: Value::Unknown(why.into()),
            at,
        }
    }
}

/// Formats a number like Terraform.
pub(super) fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        number.to_string()
    }
}

/// Why Terraform would reject an expression.
#[derive(Debug, Clone)]
pub(super) struct Failure(pub String);

pub(super) type Outcome = Result<Term, Failure>;

/// Keys and values as `for` and `for_each` iterate over them, and why there may be more.
pub(super) type Pairs = (Vec<(Term, Term)>, Option<Rc<str>>);

/// Returns the keys and values of a list or a map, or `None` for other values.
pub(super) fn pairs(over: &Term) -> Option<Pairs> {
    match &over.value {
        Value::List(list) => {
            let pairs = list.items.iter().enumerate().map(|(at, item)| {
                #[allow(clippy::cast_precision_loss, reason = "lists are bounded")]
                let index = match &list.more {
                    // The number of items before it is unknown.
                    Some(why) => Value::Unknown(Rc::clone(why)),
                    None => Value::Number(at as f64),
                };
                (Term::new(index, item.at), item.clone())
            });
            Some((pairs.collect(), list.more.clone()))
        }
        Value::Object(object) => {
            let pairs = object.sorted().into_iter().map(|entry| {
                let key = Term::new(Value::Text(Rc::clone(&entry.key)), entry.key_at);
                (key, entry.term.clone())
            });
            Some((pairs.collect(), object.more.clone()))
        }
        _ => None,
    }
}

/// `term[key]`
pub(super) fn index(term: &Term, key: &Term) -> Outcome {
    if let Some(why) = term.value.unknown().or(key.value.unknown()) {
        return Ok(Term::unknown(Rc::clone(why), term.at));
    }
    match &term.value {
        Value::Object(object) => {
            let Some(name) = key.value.as_text() else {
                return Err(Failure("a key is not a string".to_owned()));
            };
            match (object.get(&name), &object.more) {
                (Some(found), _) => Ok(found.clone()),
                (None, Some(why)) => Ok(Term::unknown(Rc::clone(why), term.at)),
                (None, None) => Err(Failure(format!("it has no attribute `{name}`"))),
            }
        }
        Value::List(list) => {
            if let Some(why) = &list.more {
                return Ok(Term::unknown(Rc::clone(why), term.at));
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let place = key
                .value
                .as_number()
                .filter(|number| *number >= 0.0 && number.fract() == 0.0)
                .map(|number| number as usize);
            match place.and_then(|place| list.items.get(place)) {
                Some(found) => Ok(found.clone()),
                None => Err(Failure("the index is out of range".to_owned())),
            }
        }
        Value::Encoded(..) => Ok(Term::unknown("an encoded string is not parsed", term.at)),
        _ => Err(Failure("it has no attributes or elements".to_owned())),
    }
}

/// The result of a function, or `None` if the function is not supported.
pub(super) type Computed = Option<Result<Value, Failure>>;

/// Returns the first reason of the unknown arguments.
pub(super) fn any_unknown(arguments: &[Term]) -> Option<Rc<str>> {
    arguments
        .iter()
        .find_map(|term| term.value.unknown().cloned())
}

/// An error that Terraform would report.
pub(super) fn fail(why: &str) -> Computed {
    Some(Err(Failure(why.to_owned())))
}

/// Arguments of the wrong kind. If any is unknown, the result is unknown, because it may still be valid.
pub(super) fn unknown_or_fail(arguments: &[Term], why: &str) -> Computed {
    match any_unknown(arguments) {
        Some(unknown) => Some(Ok(Value::Unknown(unknown))),
        None => fail(why),
    }
}
