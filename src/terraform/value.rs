//! Values as evaluation gives them: what is known, where it is written, and why the rest is not known.

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
    /// A text that encodes a value, as `yamlencode` makes it.
    Encoded(Rc<Term>, Encoding),
    /// A text of lines that was filled in; not known when one of its parts is not.
    Filled(Rc<Filled>),
    /// Why it is not known.
    Unknown(Rc<str>),
}

/// How a text encodes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As a text that can be read.
    As(Notation),
    /// As `base64encode` makes it.
    Base64,
}

/// A text that was filled in.
#[derive(Debug)]
pub(super) struct Filled {
    /// What it was put together from.
    pub pieces: Pieces,
    /// Why part of it is unknown.
    open: Option<Rc<str>>,
}

/// Values are walked by recursion, so they are not nested deeper.
const MAX_DEPTH: u32 = 100;

/// Items, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    pub items: Vec<Term>,
    /// There may be more of them behind or between these, and why that is not known.
    pub more: Option<Rc<str>>,
    /// How deep it is nested.
    depth: u32,
}

/// Fields, each name once.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    pub fields: Vec<Entry>,
    /// There may be fields of other names, and why that is not known.
    pub more: Option<Rc<str>>,
    /// All that there may be further, where only its names are not known: why, where the name stands, and the value.
    pub unnamed: Vec<Unnamed>,
    depth: u32,
}

/// A field whose name is not known, and is none of the others.
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

    /// The fields in the order of their names, in which Terraform walks maps.
    pub fn sorted(&self) -> Vec<&Entry> {
        let mut sorted: Vec<_> = self.fields.iter().collect();
        sorted.sort_by(|one, other| one.key.cmp(&other.key));
        sorted
    }
}

/// Fields while an object is made: the last value of a name counts.
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

    /// Puts another value in the place of each.
    pub fn map(&mut self, change: impl Fn(&Term) -> Term) {
        for entry in &mut self.fields {
            entry.term = change(&entry.term);
        }
    }

    /// Whatever is there now may be overridden.
    pub fn doubt(&mut self, why: &Rc<str>) {
        self.doubt_where(why, |_| true);
    }

    /// What is there of these names may be overridden.
    pub fn doubt_where(&mut self, why: &Rc<str>, may_be: impl Fn(&str) -> bool) {
        for entry in self.fields.iter_mut().filter(|entry| may_be(&entry.key)) {
            entry.term.value = Value::Unknown(Rc::clone(why));
        }
    }

    /// Whether a field may be called so.
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

    /// An object that has these fields besides, and none but these.
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

    /// As a text, the way a text with parts is filled; an error where Terraform refuses it.
    pub fn as_text(&self) -> Option<Rc<str>> {
        match self {
            Value::Text(text) => Some(Rc::clone(text)),
            Value::Bool(value) => Some(value.to_string().into()),
            Value::Number(number) => Some(number_text(*number).into()),
            Value::Filled(filled) if filled.open.is_none() => Some(filled.pieces.text().into()),
            _ => None,
        }
    }

    /// This value as it is where it has one type with another; nothing where no type holds both.
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

/// A number as Terraform prints it.
pub(super) fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        number.to_string()
    }
}

/// Why Terraform would refuse an expression.
#[derive(Debug, Clone)]
pub(super) struct Failure(pub String);

pub(super) type Outcome = Result<Term, Failure>;

/// Keys and values as `for` and `for_each` walk them, and why there may be more.
pub(super) type Pairs = (Vec<(Term, Term)>, Option<Rc<str>>);

/// Keys and values of a list or a map; nothing for anything else.
pub(super) fn pairs(over: &Term) -> Option<Pairs> {
    match &over.value {
        Value::List(list) => {
            let pairs = list.items.iter().enumerate().map(|(at, item)| {
                #[allow(clippy::cast_precision_loss, reason = "lists are bounded")]
                let index = match &list.more {
                    // What stands before it is not known.
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

/// What a function gives; nothing when it is not known how it works.
pub(super) type Computed = Option<Result<Value, Failure>>;

/// The first reason among arguments that are not known.
pub(super) fn any_unknown(arguments: &[Term]) -> Option<Rc<str>> {
    arguments
        .iter()
        .find_map(|term| term.value.unknown().cloned())
}

/// A refusal.
pub(super) fn fail(why: &str) -> Computed {
    Some(Err(Failure(why.to_owned())))
}

/// Arguments of a wrong kind: unknown ones may still be right.
pub(super) fn unknown_or_fail(arguments: &[Term], why: &str) -> Computed {
    match any_unknown(arguments) {
        Some(unknown) => Some(Ok(Value::Unknown(unknown))),
        None => fail(why),
    }
}
