//! Functions that compare, spread or create the items of lists and sets, and functions that decode texts.

use std::rc::Rc;

use super::run::Run;
use super::value::{
    Computed, Entry, Fields, Term, Value, any_unknown, fail, pairs, unknown_or_fail,
};
use crate::source::Span;
use crate::yaml::{Kind, Node, Pieces, Scalar};

/// The context of function calls.
pub(super) struct Context<'e> {
    pub run: &'e Run,
    pub at: Span,
}

impl Context<'_> {
    /// Removes duplicate items.
    pub fn distinct(&self, arguments: &[Term]) -> Computed {
        let Some(Value::List(list)) = arguments.first().map(|term| &term.value) else {
            return unknown_or_fail(arguments, "expected a list");
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
            return fail("`flatten` expects a list");
        };
        if !matches!(first.value, Value::List(_)) {
            return unknown_or_fail(arguments, "`flatten` expects a list");
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
                // It may itself be a list.
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
            _ => return fail("`range` expects numbers"),
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
                return unknown_or_fail(arguments, "`setproduct` expects lists");
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
            return unknown_or_fail(arguments, "expected two sets");
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
                        .or_else(|| Some("a set depends on unknown values".into()));
                }
            }
        }
        Some(Ok(Value::list(kept, more)))
    }

    /// Functions that change the lines of a text and keep its places.
    pub fn lines(&self, name: &str, rest: &[Term], text: &Pieces) -> Computed {
        let whole = text.text();
        if name == "indent" {
            let spaces = rest.first()?.value.as_number()?;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let spaces = spaces.clamp(0.0, 100.0) as usize;
            // Each line may be cut from that many pieces.
            let lines = whole.lines().count();
            if !self.run.spend(lines.saturating_mul(lines) / 64) {
                return Some(Ok(Value::Unknown("a string becomes too long".into())));
            }
            return Some(Ok(Value::filled(text.indented(spaces))));
        }
        let end = whole.trim_end_matches(['\n', '\r']).len();
        let kept = match name {
            "chomp" => 0..end,
            _ => whole.len() - whole.trim_start().len()..whole.trim_end().len(),
        };
        Some(Ok(Value::filled(text.slice(kept))))
    }

    /// Decodes a text. The values get their places in the text.
    pub fn decode(&self, text: &Pieces) -> Value {
        if !self.run.spend(text.text().len() / 16) {
            return Value::Unknown("it takes too much work to evaluate".into());
        }
        let (text, stream) = text.parse(self.at.source);
        match (stream.documents.as_slice(), stream.errors.is_empty()) {
            ([document], true) => self.decoded(document.root(), &text, 0).value,
            _ => Value::Unknown("a string cannot be decoded".into()),
        }
    }

    fn decoded(&self, node: Node<'_>, text: &Pieces, depth: u32) -> Term {
        const MAX_DECODED_DEPTH: u32 = 60;
        let at = text.place(node.span().range()).unwrap_or(self.at);
        if depth > MAX_DECODED_DEPTH {
            return Term::unknown("a value is nested too deeply", at);
        }
        if let Some(why) = node.unknown_because() {
            return Term::unknown(why, at);
        }
        let value = match node.kind() {
            Kind::Sequence => {
                let items = node.items().map(|item| self.decoded(item, text, depth + 1));
                Value::list(items.collect(), None)
            }
            Kind::Mapping => {
                let mut fields = Fields::default();
                let mut more = None;
                for field in node.fields() {
                    if let Some(why) = field.key.unknown_because() {
                        more = Some(Rc::from(why));
                        continue;
                    }
                    let Some(name) = field.name() else {
                        return Term::unknown("a key of a decoded value is not a string", at);
                    };
                    fields.set(Entry {
                        key: name.into(),
                        key_at: text.place(field.key.span().range()).unwrap_or(self.at),
                        term: self.decoded(field.value, text, depth + 1),
                    });
                }
                fields.finish(more)
            }
            Kind::Scalar => match node.scalar() {
                Some(Scalar::Null) | None => Value::Null,
                Some(Scalar::Bool(value)) => Value::Bool(value),
                #[allow(clippy::cast_precision_loss, reason = "as Terraform prints it, too")]
                Some(Scalar::Int(number)) => Value::Number(number as f64),
                Some(Scalar::Float(number)) => Value::Number(number),
                Some(_) => Value::text(node.raw().unwrap_or_default()),
            },
        };
        Term::new(value, at)
    }
}
