//! Evaluates expressions as far as possible without running Terraform. The rest is unknown, with a reason. An
//! expression that Terraform itself rejects is a failure, and `try` and `can` treat it as one.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "indices come from enumerating the very lists that they are used on"
    )
)]

use std::rc::Rc;

use super::expressions::is_kept;
use super::run::Run;
use super::syntax::{Expression, ExpressionKind, File, Operator, Step};
use super::value::{Entry, Failure, Fields, Outcome, Term, Unnamed, Value};
use crate::source::{SourceId, Span};

/// The maximum nesting depth of evaluations, including evaluations through names.
const MAX_DEPTH: u32 = 200;

/// Names that are valid in a part of a file: `each`, `count`, the variables of `for`, the iterator of a dynamic block.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    outer: Option<&'n Names<'n>>,
    names: &'n [(&'n str, Term)],
}

impl<'n> Names<'n> {
    pub const NONE: Names<'static> = Names {
        outer: None,
        names: &[],
    };

    pub fn within(outer: &'n Names<'n>, names: &'n [(&'n str, Term)]) -> Names<'n> {
        Names {
            outer: Some(outer),
            names,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Term> {
        let mut scope = Some(self);
        while let Some(names) = scope {
            if let Some((_, term)) = names.names.iter().find(|(known, _)| *known == name) {
                return Some(term);
            }
            scope = names.outer;
        }
        None
    }
}

/// The names and files that expressions refer to.
pub(super) trait Scope {
    /// The remaining budget of the evaluation.
    fn run(&self) -> &Run;
    /// `path:line`
    fn place_of(&self, file: &File, offset: u32) -> String;
    /// Returns the value of a variable, or why it is unknown.
    fn variable(&self, name: &str) -> Result<Term, String>;
    /// Returns the value of a local, or why it is unknown.
    fn local(&self, name: &str) -> Result<Term, String>;
    /// Returns an output of a module that can be read.
    fn output(&self, module: &str, output: &str) -> Option<Term>;
    /// The folders of the module and of the configuration, as paths in the repository that start with `/`.
    fn folders(&self) -> [String; 2];
    /// Returns the text of a file of the repository.
    fn text_of(&self, path: &str) -> Option<(SourceId, Rc<str>)>;
    /// Whether a file is currently being read, directly or through another.
    fn is_reading(&self, _path: &str) -> bool {
        false
    }
}

/// Evaluates the expressions of one file.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'e> {
    pub scope: &'e dyn Scope,
    pub file: &'e File,
}

impl Evaluator<'_> {
    pub(super) fn span(self, expression: &Expression) -> Span {
        self.file.span(expression.at)
    }

    /// Returns an unknown value, with the expression that causes it and its place.
    pub fn unknown(self, expression: &Expression, why: &str) -> Term {
        Term::unknown(self.reason(expression, why), self.span(expression))
    }

    fn reason(self, expression: &Expression, why: &str) -> String {
        let place = self.scope.place_of(self.file, expression.at.0);
        format!("`{}` ({place}) {why}", expression.describe())
    }

    /// Returns the value of an expression. An expression that Terraform would reject is unknown, too.
    pub fn value(self, expression: &Expression, names: &Names<'_>) -> Term {
        self.evaluate(expression, names)
            .unwrap_or_else(|Failure(why)| {
                self.unknown(expression, &format!("cannot be evaluated: {why}"))
            })
    }

    pub fn evaluate(self, expression: &Expression, names: &Names<'_>) -> Outcome {
        if !self.scope.run().enter(MAX_DEPTH) {
            return Ok(self.unknown(expression, "takes too much work to evaluate"));
        }
        let outcome = self.evaluate_inner(expression, names);
        self.scope.run().leave();
        outcome
    }

    fn evaluate_inner(self, expression: &Expression, names: &Names<'_>) -> Outcome {
        let at = self.span(expression);
        let value = match &expression.kind {
            ExpressionKind::Null => Value::Null,
            ExpressionKind::Bool(value) => Value::Bool(*value),
            ExpressionKind::Number(number) => Value::Number(*number),
            ExpressionKind::LongNumber(_) => {
                return Ok(self.unknown(expression, "has too many digits"));
            }
            ExpressionKind::Text(text) => Value::text(text),
            ExpressionKind::Template(template) => return self.template(template, at, names),
            ExpressionKind::List(items) => {
                let items: Result<_, _> = items
                    .iter()
                    .map(|item| self.evaluate(item, names))
                    .collect();
                Value::list(items?, None)
            }
            ExpressionKind::Object(fields) => self.object(fields, names)?,
            ExpressionKind::Name(name) => {
                return match names.get(name) {
                    Some(term) => Ok(term.clone()),
                    None => Ok(self.unknown(expression, "is not a value")),
                };
            }
            ExpressionKind::Access(of, steps) => return self.access(expression, of, steps, names),
            ExpressionKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.evaluate(condition, names)?;
                return match (condition.value.as_bool(), condition.value.unknown()) {
                    (Some(true), _) => self.chosen(yes, no, names),
                    (Some(false), _) => self.chosen(no, yes, names),
                    (None, Some(why)) => {
                        // Both sides may have the same value.
                        let (yes, no) = (self.value(yes, names), self.value(no, names));
                        match self.scope.run().equal(&yes.value, &no.value) {
                            Some(true) => Ok(yes),
                            _ => Ok(Term::unknown(Rc::clone(why), at)),
                        }
                    }
                    (None, None) => Err(Failure("a condition is not a boolean".to_owned())),
                };
            }
            ExpressionKind::Call(call) => return self.call(expression, call, at, names),
            ExpressionKind::For(one) => return self.for_each(one, at, names),
            ExpressionKind::Not(inner) => {
                let inner = self.evaluate(inner, names)?;
                match (inner.value.as_bool(), inner.value.unknown()) {
                    (Some(value), _) => Value::Bool(!value),
                    (None, Some(why)) => Value::Unknown(Rc::clone(why)),
                    (None, None) => return Err(Failure("`!` expects a boolean".to_owned())),
                }
            }
            ExpressionKind::Negative(inner) => {
                let inner = self.evaluate(inner, names)?;
                match (inner.value.as_number(), inner.value.unknown()) {
                    (Some(number), _) => Value::Number(-number),
                    (None, Some(why)) => Value::Unknown(Rc::clone(why)),
                    (None, None) => return Err(Failure("`-` expects a number".to_owned())),
                }
            }
            ExpressionKind::Binary(parts) => {
                let (one, operator, other) = &**parts;
                self.binary(one, *operator, other, names)?
            }
        };
        Ok(Term::new(value, at))
    }

    /// Returns the result of a conditional. Both sides have the same type: if one is a text, a number becomes a text, too.
    fn chosen(self, one: &Expression, other: &Expression, names: &Names<'_>) -> Outcome {
        let term = self.evaluate(one, names)?;
        let beside = match self.evaluate(other, names) {
            Ok(beside) => Some(beside.value),
            Err(_) => other.like(),
        };
        match term.value.beside(beside.as_ref().unwrap_or(&Value::Null)) {
            Some(value) => Ok(Term { value, ..term }),
            None => Err(Failure(
                "the two sides of a conditional have different types".to_owned(),
            )),
        }
    }

    fn object(
        self,
        written: &[(Expression, Expression)],
        names: &Names<'_>,
    ) -> Result<Value, Failure> {
        let mut fields = Fields::default();
        let mut open: Vec<(&Expression, Unnamed)> = Vec::new();
        for (written, value) in written {
            let key_at = self.span(written);
            let key = self.evaluate(written, names)?;
            let term = self.evaluate(value, names)?;
            match (key.value.as_text(), key.value.unknown()) {
                (Some(key), _) => fields.set(Entry { key, key_at, term }),
                (None, Some(why)) => {
                    fields.doubt_where(why, |name| written.may_be(name));
                    let why = Rc::clone(why);
                    open.push((written, Unnamed { why, key_at, term }));
                }
                (None, None) => return Err(Failure("a key is not a string".to_owned())),
            }
        }
        let Some((_, first)) = open.first() else {
            return Ok(fields.finish(None));
        };
        let more = Some(Rc::clone(&first.why));
        // If names are equal, only the last one counts.
        let is_own = |at: usize| {
            let key = open[at].0;
            let mut others = open.iter().enumerate().filter(|(other, _)| *other != at);
            !fields.any(|name| key.may_be(name)) && others.all(|(_, (other, _))| key.differs(other))
        };
        if !(0..open.len()).all(is_own) {
            return Ok(fields.finish(more));
        }
        let unnamed = open.into_iter().map(|(_, one)| one).collect();
        Ok(fields.finish(more).with_unnamed(unnamed))
    }

    /// Evaluates `&&` and `||`. One side may decide the result alone, but the other must still be a boolean.
    fn logical(
        self,
        one: &Expression,
        decides: bool,
        other: &Expression,
        names: &Names<'_>,
    ) -> Result<Value, Failure> {
        let mut sides = Vec::with_capacity(2);
        for side in [one, other] {
            let outcome = self.evaluate(side, names).map(|term| term.value);
            let like = match &outcome {
                Ok(Value::Null) => None,
                Ok(value) => Some(value.clone()).filter(|value| value.unknown().is_none()),
                Err(_) => side.like(),
            };
            if like.is_some_and(|value| value.as_bool().is_none()) {
                return Err(Failure("expected a boolean".to_owned()));
            }
            sides.push(outcome);
        }
        let bool_of = |side: &Result<Value, Failure>| side.as_ref().ok().and_then(Value::as_bool);
        if sides.iter().any(|side| bool_of(side) == Some(decides)) {
            return Ok(Value::Bool(decides));
        }
        let sides: Vec<Value> = sides.into_iter().collect::<Result<_, _>>()?;
        if sides.iter().all(|side| side.as_bool().is_some()) {
            return Ok(Value::Bool(!decides));
        }
        match sides.iter().find_map(Value::unknown) {
            Some(why) => Ok(Value::Unknown(Rc::clone(why))),
            None => Err(Failure("expected a boolean".to_owned())),
        }
    }

    fn binary(
        self,
        one: &Expression,
        operator: Operator,
        other: &Expression,
        names: &Names<'_>,
    ) -> Result<Value, Failure> {
        if let Operator::And | Operator::Or = operator {
            return self.logical(one, operator == Operator::Or, other, names);
        }
        let (one, other) = (self.evaluate(one, names)?, self.evaluate(other, names)?);
        self.scope.run().workspaces.compare(&one, &other);
        let (one, other) = (one.value, other.value);
        if let Operator::Equal | Operator::Unequal = operator {
            return Ok(match self.scope.run().equal(&one, &other) {
                Some(same) => Value::Bool(same == (operator == Operator::Equal)),
                None => {
                    let why = one.unknown().or(other.unknown());
                    Value::Unknown(match why {
                        Some(why) => Rc::clone(why),
                        None => "a comparison depends on unknown values".into(),
                    })
                }
            });
        }
        let (Some(a), Some(b)) = (one.as_number(), other.as_number()) else {
            return unknown_of(&one, &other, "expected a number");
        };
        if let Some(computed) = computed_exactly(&one, operator, &other) {
            return Ok(computed);
        }
        Ok(match operator {
            Operator::Less => Value::Bool(a < b),
            Operator::LessOrEqual => Value::Bool(a <= b),
            Operator::Greater => Value::Bool(a > b),
            Operator::GreaterOrEqual => Value::Bool(a >= b),
            Operator::Plus => computed(a + b),
            Operator::Minus => computed(a - b),
            Operator::Times => computed(a * b),
            Operator::Divided if b == 0.0 => return Err(Failure("a division by zero".to_owned())),
            Operator::Divided => computed(a / b),
            Operator::Modulo if b == 0.0 => Value::Number(a),
            _ => computed(a % b),
        })
    }
}

impl Expression {
    /// Returns a value of the type that the expression must have, even if it cannot be evaluated.
    fn like(&self) -> Option<Value> {
        use Operator::{Divided, Minus, Modulo, Plus, Times};
        Some(match &self.kind {
            ExpressionKind::Negative(_) => Value::Number(0.0),
            ExpressionKind::Binary(parts) => match parts.1 {
                Plus | Minus | Times | Divided | Modulo => Value::Number(0.0),
                _ => Value::Bool(true),
            },
            ExpressionKind::Not(_) => Value::Bool(true),
            ExpressionKind::List(_) => Value::list(Vec::new(), None),
            ExpressionKind::Number(number) => Value::Number(*number),
            ExpressionKind::Bool(own) => Value::Bool(*own),
            ExpressionKind::Text(text) => Value::text(text),
            ExpressionKind::Template(template)
                if template.has_lines || template.parts.len() > 1 =>
            {
                Value::text("")
            }
            ExpressionKind::Conditional(parts) => {
                let [_, yes, no] = &**parts;
                yes.like()?.beside(&no.like()?)?
            }
            // A splat is a tuple, even if its elements cannot be evaluated.
            ExpressionKind::Access(of, steps)
                if matches!(steps.as_slice(), [Step::Each, ..] | [Step::OfEach(_)]) =>
            {
                of.like()?;
                Value::list(Vec::new(), None)
            }
            _ => return None,
        })
    }
}

/// The result of integer arithmetic if one of the operands has more digits than an `f64` keeps.
fn computed_exactly(one: &Value, operator: Operator, other: &Value) -> Option<Value> {
    let is_long = |value: &Value| matches!(value, Value::Text(text) if !is_kept(text));
    let is_arithmetic = matches!(
        operator,
        Operator::Plus | Operator::Minus | Operator::Times | Operator::Divided | Operator::Modulo
    );
    if !is_arithmetic || !(is_long(one) || is_long(other)) {
        return None;
    }
    let (a, b) = (one.as_number()?, other.as_number()?);
    if operator == Operator::Modulo && a.abs() < b.abs() && !is_long(one) {
        return Some(Value::Number(a));
    }
    let integer = |value: &Value| match value {
        Value::Text(text) => text.parse::<i128>().ok(),
        other => format!("{}", other.as_number()?).parse().ok(),
    };
    let result = integer(one).zip(integer(other)).and_then(|(a, b)| {
        match operator {
            Operator::Plus => a.checked_add(b),
            Operator::Minus => a.checked_sub(b),
            Operator::Times => a.checked_mul(b),
            Operator::Modulo if b == 0 => Some(a),
            Operator::Modulo => a.checked_rem(b),
            _ if b == 0 || a % b != 0 => None,
            _ => a.checked_div(b),
        }
        .map(|result| result.to_string())
    });
    Some(match result {
        Some(text) if is_kept(&text) => text.parse().map_or(Value::Null, Value::Number),
        Some(text) => Value::text(&text),
        None => Value::Unknown("a number has too many digits".into()),
    })
}

/// The result of arithmetic. HCL computes with 512 bits, so a result that fills the digits of a `f64` may differ there.
fn computed(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_exact = number.fract() == 0.0 && number.abs() < EXACT;
    let digits = || {
        let written = format!("{number:e}");
        let digits = written.split('e').next().unwrap_or_default();
        digits.bytes().filter(u8::is_ascii_digit).count()
    };
    match is_exact || digits() <= 15 {
        true => Value::Number(number),
        false => Value::Unknown("a result has too many digits".into()),
    }
}

fn unknown_of(one: &Value, other: &Value, wanted: &str) -> Result<Value, Failure> {
    match one.unknown().or(other.unknown()) {
        Some(why) => Ok(Value::Unknown(Rc::clone(why))),
        None => Err(Failure(wanted.to_owned())),
    }
}
