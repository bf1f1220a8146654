//! Conditions: compiles expressions, checks every name when a rule is loaded, and evaluates them over facts.

use std::sync::{Arc, OnceLock};

use cel::common::ast::{Expr, operators};
use cel::common::types::{CelList, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError, IdedExpr, Value};

use super::budget::{self, Budget};
use super::check;
use super::compiler::{Compiler, Expected};
use super::fact::{Fact, UNKNOWN};
use super::functions::ENV;
use super::kinds::Kinds;
use super::names::Names;
use super::parse::{ExpressionError, parse, parse_known};
use super::vocabulary::{self, Ty};
use crate::finding::Severity;

/// The maximum number of texts that a sentence lists.
const MAX_TEXTS: usize = 12;

/// An expression that has been compiled and checked, or is known to be valid.
#[derive(Debug)]
pub struct Expression {
    text: Box<str>,
    names: Arc<Names>,
    program: OnceLock<Result<IdedExpr, ExpressionError>>,
    budget: Budget,
    may_read_identity: bool,
    /// The kinds of notices for which it may be true, and those for which it may be false.
    kinds: (Kinds, Kinds),
}

/// The variables of an expression.
#[derive(Debug, Default)]
pub struct Bindings(Vec<(&'static str, Arc<dyn Val>)>);

/// A list of facts that many evaluations share. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct FactList(Arc<dyn Val>);

impl FactList {
    /// Creates the list from facts.
    pub fn new(facts: &[Fact]) -> Self {
        let items: Vec<Box<dyn Val>> = facts
            .iter()
            .map(|fact| Box::new(fact.clone()) as Box<dyn Val>)
            .collect();
        FactList(Arc::new(CelList::from(items)))
    }
}

impl Bindings {
    /// Binds a fact to a variable.
    pub fn fact(mut self, name: &'static str, fact: &Fact) -> Self {
        self.0.push((name, Arc::new(fact.clone())));
        self
    }

    /// Binds a list of facts to a variable.
    pub fn facts(mut self, name: &'static str, facts: &FactList) -> Self {
        self.0.push((name, Arc::clone(&facts.0)));
        self
    }
}

impl Bindings {
    /// Returns the same bindings with the severity of the finding, for sentences.
    pub fn with_severity(&self, severity: Severity) -> Self {
        let mut all = self.0.clone();
        let word: Arc<dyn Val> = Arc::new(CelString::from(severity.as_str()));
        all.push((vocabulary::SEVERITY, word));
        Bindings(all)
    }
}

impl VariableResolver for Bindings {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        self.0
            .iter()
            .find(|(name, _)| *name == variable)
            .map(|(_, value)| CowVal::Borrowed(value.as_ref()))
    }
}

/// Why an evaluation returned no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// It read something unknown: the name of the field, of the key or of the function.
    Unknown(String),
    /// It read a key that its mapping does not have, without testing it with `in` or `has` first.
    Absent,
    /// The expression itself fails, which only shows at run time.
    Failed(String),
}

impl Expression {
    /// Compiles an expression and checks every name in it.
    ///
    /// # Errors
    /// Returns the first error, with its place in the text.
    pub fn compile(
        text: &str,
        compiler: &Compiler,
        expected: Expected,
    ) -> Result<Self, ExpressionError> {
        let program = OnceLock::new();
        let mut kinds = (Kinds::ALL, Kinds::ALL);
        if !compiler.deferred {
            type_of(text, compiler, expected)?;
            let mut compiled = written_out(text, &compiler.names)?;
            kinds = (
                Kinds::where_it(true, &compiled),
                Kinds::where_it(false, &compiled),
            );
            // Built-in expressions are known to be valid.
            budget::charge(&mut compiled);
            let _ = program.set(Ok(compiled));
        }
        Ok(Expression {
            text: text.into(),
            names: Arc::clone(&compiler.names),
            program,
            budget: Budget::default(),
            may_read_identity: compiler.names.size(text).reads_identity,
            kinds,
        })
    }

    /// Returns the kinds of notices for which the condition may be true, or false if `holds` is false.
    pub fn kinds(&self, holds: bool) -> Kinds {
        if holds { self.kinds.0 } else { self.kinds.1 }
    }

    /// Whether the text contains a word.
    pub fn mentions(&self, word: &str) -> bool {
        self.text.contains(word)
    }

    fn program(&self) -> Result<&IdedExpr, ExecutionError> {
        self.program
            .get_or_init(|| {
                let mut program = parse_known(&self.text)?;
                self.names.write_out(&mut program)?;
                Ok(program)
            })
            .as_ref()
            .map_err(|error| ExecutionError::function_error("compile", &error.message))
    }

    /// Whether the expression may distinguish objects of one shape by name, namespace, labels or annotations. Only `false`
    /// is certain: pools have names, too.
    pub fn may_read_identity(&self) -> bool {
        self.may_read_identity
    }

    fn run(&self, bindings: &Bindings) -> Result<Value, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(bindings);
        let program = self.program()?;
        self.budget.within(|| Value::resolve(program, &context))
    }

    /// Whether the condition holds.
    ///
    /// # Errors
    /// Returns an error if it read something unknown, or if the expression fails.
    pub fn holds(&self, bindings: &Bindings) -> Result<bool, Evaluation> {
        match self.run(bindings) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(Evaluation::Failed(format!(
                "the condition returned {other:?}, which is not boolean"
            ))),
            Err(error) => Err(explain(&error)),
        }
    }

    /// Whether the first of several conditions that must all hold is unknown. Then the whole does not hold.
    pub fn begins_unknown(&self, bindings: &Bindings) -> bool {
        let Ok(program) = self.program() else {
            return false;
        };
        let mut first = program;
        while let Expr::Call(call) = &first.expr
            && call.func_name == operators::LOGICAL_AND
            && let Some(operand) = call.args.first()
        {
            first = operand;
        }
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(bindings);
        let result = Value::resolve(first, &context);
        result.is_err_and(|error| matches!(explain(&error), Evaluation::Unknown(_)))
    }

    /// Whether the condition certainly holds; `false` if unknown.
    ///
    /// # Errors
    /// Returns an error if the expression fails.
    pub fn surely(&self, bindings: &Bindings) -> Result<bool, String> {
        match self.holds(bindings) {
            Ok(holds) => Ok(holds),
            Err(Evaluation::Unknown(_) | Evaluation::Absent) => Ok(false),
            Err(Evaluation::Failed(why)) => Err(why),
        }
    }

    /// Returns the text for a hole.
    ///
    /// # Errors
    /// Returns an error if it read something unknown, or if the expression fails.
    pub fn text(&self, bindings: &Bindings) -> Result<String, Evaluation> {
        let value = self.run(bindings).map_err(|error| explain(&error))?;
        Ok(write_value(&value))
    }

    /// Returns the fact or the list of facts that an expression evaluates to.
    ///
    /// # Errors
    /// Returns an error if it read something unknown, or if the expression fails.
    pub fn facts(&self, bindings: &Bindings) -> Result<Vec<Fact>, Evaluation> {
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(bindings);
        let program = self.program().map_err(|error| explain(&error))?;
        let value = self
            .budget
            .within(|| Value::resolve_val(program, &context))
            .map_err(|error| explain(&error))?;
        if let Some(fact) = value.downcast_ref::<Fact>() {
            return Ok(vec![fact.clone()]);
        }
        let list: Result<&[Box<dyn Val + '_>], _> = value.as_ref().try_into();
        match list {
            Ok(list) => Ok(list
                .iter()
                .filter_map(|item| item.downcast_ref::<Fact>().cloned())
                .collect()),
            Err(_) => Err(Evaluation::Failed(
                "the expression returned no facts".to_owned(),
            )),
        }
    }
}

/// Parses an expression and inlines named values.
fn written_out(text: &str, names: &Names) -> Result<IdedExpr, ExpressionError> {
    let mut program = parse(text)?.expression().clone();
    names.write_out(&mut program)?;
    Ok(program)
}

/// Checks an expression and returns its type.
///
/// # Errors
/// Returns the first error, with its place in the text.
pub fn type_of(text: &str, compiler: &Compiler, expected: Expected) -> Result<Ty, ExpressionError> {
    let error = |offset: usize, message: String| Err(ExpressionError { offset, message });
    let program = parse(text)?;
    let ty = check::infer(&program, text, compiler, expected)?;
    if let Some(message) = compiler.names.size(text).error() {
        return error(0, message);
    }
    let fits = matches!(
        (expected, ty),
        (_, Ty::Dyn)
            | (Expected::Value, _)
            | (Expected::Condition | Expected::Choice, Ty::Bool)
            | (
                Expected::Text,
                Ty::Text | Ty::Int | Ty::Bool | Ty::List(Ty::Text | Ty::Dyn)
            )
            | (
                Expected::Facts,
                Ty::Fact(_) | Ty::List(Ty::Fact(_) | Ty::Dyn)
            )
    );
    if !fits {
        let wanted = match expected {
            Expected::Condition | Expected::Choice | Expected::Value => {
                "a condition must be boolean"
            }
            Expected::Text => {
                "an expression in `{}` must return a string, a number or a list of strings"
            }
            Expected::Facts => {
                "the expression must return a fact (a taint, a pool, a toleration) or a list of facts"
            }
        };
        return error(0, wanted.to_owned());
    }
    Ok(ty)
}

fn explain(error: &ExecutionError) -> Evaluation {
    match error {
        ExecutionError::FunctionError { function, message } if function == UNKNOWN => {
            Evaluation::Unknown(message.to_string())
        }
        ExecutionError::NoSuchKey(_) => Evaluation::Absent,
        other => Evaluation::Failed(other.to_string()),
    }
}

fn write_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        // Duplicates are removed: two pools with the same name are one name in a sentence.
        Value::List(items) => {
            let mut texts: Vec<String> = Vec::new();
            for text in items.iter().map(write_value) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            if texts.len() > MAX_TEXTS {
                let more = texts.len() - MAX_TEXTS;
                texts.truncate(MAX_TEXTS);
                return format!("{} and {more} more", texts.join(", "));
            }
            texts.join(", ")
        }
        other => format!("{other:?}"),
    }
}
