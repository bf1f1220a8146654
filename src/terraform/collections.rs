//! Functions about lists and sets that compare, spread or make their items, and the reading of encoded texts.

use std::rc::Rc;

use super::run::Run;
use super::value::{
    Computed, Entry, Fields, Term, Value, any_unknown, fail, pairs, unknown_or_fail,
};
use crate::source::Span;

/// What calls of functions need to know.
pub(super) struct Context<'e> {
    pub run: &'e Run,
    pub at: Span,
}

impl Context<'_> {
    /// Without what is there already.
    pub fn distinct(&self, arguments: &[Term]) -> Computed {
        let Some(Value::List(list)) = arguments.first().map(|term| &term.value) else {
            return unknown_or_fail(arguments, "a list is wanted");
        };
        let mut kept: Vec<Term> = Vec::new();
        for item in &list.items {
            let known = |other: &Term| self.run.equal(&item.value, &other.value) == Some(true);
            if !kept.iter().any(known) {
                kept.push(item.clone());
            }
        }
        Some(Ok(Value::list(kept, list.more.clone())))
    }

    pub fn flatten(&self, arguments: &[Term]) -> Computed {
        let [first] = arguments else {
            return fail("`flatten` wants a list");
        };
        if !matches!(first.value, Value::List(_)) {
            return unknown_or_fail(arguments, "`flatten` wants a list");
        }
        let mut items = Vec::new();
        let mut more = None;
        let mut open = vec![first.clone()];
        while let Some(term) = open.pop() {
            if !self.run.spend(1) {
                more = Some("a list becomes too long".into());
                break;
            }
            match &term.value {
                Value::List(list) => {
                    more = more.or_else(|| list.more.clone());
                    open.extend(list.items.iter().rev().cloned());
                }
                // It may be a list itself.
                Value::Unknown(why) => more = Some(Rc::clone(why)),
                _ => items.push(term),
            }
        }
        Some(Ok(Value::list(items, more)))
    }

    pub fn range(&self, arguments: &[Term]) -> Computed {
        if let Some(why) = any_unknown(arguments) {
            return Some(Ok(Value::Unknown(why)));
        }
        let numbers: Option<Vec<f64>> = arguments
            .iter()
            .map(|term| term.value.as_number())
            .collect();
        let (from, to, step) = match numbers.as_deref() {
            Some([to]) => (0.0, *to, 1.0),
            Some([from, to]) => (*from, *to, 1.0),
            Some([from, to, step]) => (*from, *to, *step),
            _ => return fail("`range` wants numbers"),
        };
        // Terraform's own limit.
        const MAX_RANGE: usize = 1024;
        let mut items = Vec::new();
        let mut number = from;
        while (step > 0.0 && number < to) || (step < 0.0 && number > to) {
            items.push(Term::new(Value::Number(number), self.at));
            number += step;
            if items.len() > MAX_RANGE {
                return fail("`range` gives too many numbers");
            }
        }
        Some(Ok(Value::list(items, None)))
    }

    pub fn product(&self, arguments: &[Term]) -> Computed {
        let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
        for argument in arguments {
            let Some((found, more)) = pairs(argument) else {
                return unknown_or_fail(arguments, "`setproduct` wants lists");
            };
            if let Some(why) = more {
                return Some(Ok(Value::Unknown(why)));
            }
            if !self.run.spend(rows.len().saturating_mul(found.len())) {
                return Some(Ok(Value::Unknown("a list becomes too long".into())));
            }
            rows = rows
                .iter()
                .flat_map(|row| {
                    found.iter().map(|(_, item)| {
                        let mut row = row.clone();
                        row.push(item.clone());
                        row
                    })
                })
                .collect();
        }
        let rows = rows
            .into_iter()
            .map(|row| Term::new(Value::list(row, None), self.at));
        Some(Ok(Value::list(rows.collect(), None)))
    }

    pub fn subtract(&self, name: &str, arguments: &[Term]) -> Computed {
        let [
            Term {
                value: Value::List(one),
                ..
            },
            Term {
                value: Value::List(other),
                ..
            },
        ] = arguments
        else {
            return unknown_or_fail(arguments, "two sets are wanted");
        };
        let mut more = one.more.clone();
        let mut kept = Vec::new();
        for item in &one.items {
            let mut there = Some(false);
            for known in &other.items {
                match self.run.equal(&item.value, &known.value) {
                    Some(true) => {
                        there = Some(true);
                        break;
                    }
                    Some(false) => {}
                    None => there = None,
                }
            }
            if there == Some(false) && other.more.is_some() {
                there = None;
            }
            match there {
                Some(there) if there == (name == "setintersection") => kept.push(item.clone()),
                Some(_) => {}
                None => {
                    more = more
                        .or_else(|| other.more.clone())
                        .or_else(|| Some("a set depends on values that are not known".into()));
                }
            }
        }
        Some(Ok(Value::list(kept, more)))
    }

    /// A text that is taken apart loses the places inside it: all of it stands where the text stands.
    pub fn decode(&self, text: &str) -> Value {
        let stream = crate::yaml::parse(text, self.at.source);
        match (stream.documents.as_slice(), stream.errors.is_empty()) {
            ([document], true) => decoded(document.root(), self.at, 0),
            _ => Value::Unknown("a text cannot be decoded".into()),
        }
    }
}

fn decoded(node: crate::yaml::Node<'_>, at: Span, depth: u32) -> Value {
    use crate::yaml::{Kind, Scalar};
    const MAX_DECODED_DEPTH: u32 = 60;
    if depth > MAX_DECODED_DEPTH {
        return Value::Unknown("a text is nested too deeply".into());
    }
    match node.kind() {
        Kind::Sequence => Value::list(
            node.items()
                .map(|item| Term::new(decoded(item, at, depth + 1), at))
                .collect(),
            None,
        ),
        Kind::Mapping => {
            let mut fields = Fields::default();
            for field in node.fields() {
                let Some(name) = field.name() else {
                    return Value::Unknown("a key of a decoded text is no text".into());
                };
                fields.set(Entry {
                    key: name.into(),
                    key_at: at,
                    term: Term::new(decoded(field.value, at, depth + 1), at),
                });
            }
            fields.finish(None)
        }
        Kind::Scalar => match node.scalar() {
            Some(Scalar::Null) | None => Value::Null,
            Some(Scalar::Bool(value)) => Value::Bool(value),
            #[allow(clippy::cast_precision_loss, reason = "as Terraform prints it, too")]
            Some(Scalar::Int(number)) => Value::Number(number as f64),
            Some(Scalar::Float(number)) => Value::Number(number),
            Some(_) => Value::text(node.raw().unwrap_or_default()),
        },
    }
}
