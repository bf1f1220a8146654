//! Conditions: the one place that names the CEL library. Compiles expressions, checks every name in them at load, and
//! evaluates them over facts.

use std::sync::{Arc, LazyLock};

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use cel::common::types::{self, CelBool, CelList, CelString};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, Env, ExecutionError, Program, Value};

use super::fact::{Fact, FactKind, Handle, UNKNOWN};
use super::schema::Scope;
use super::vocabulary::{self, Entry, Ty};
use crate::model::near_miss::nearest_word;
use crate::model::node_pool::{Placement, place};
use crate::model::toleration::tolerate;
use crate::model::{Truth, validation};

/// Longer expressions can exhaust the parser's stack.
const MAX_EXPRESSION_BYTES: usize = 4096;

/// A compiled and checked expression.
#[derive(Debug)]
pub struct Expression {
    program: Program,
}

/// Why an expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// Byte offset in the expression's text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

/// What an expression must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A boolean.
    Condition,
    /// Something that can be written in a sentence.
    Text,
    /// A fact or a list of facts.
    Facts,
}

/// The values that an expression sees.
#[derive(Debug, Default)]
pub struct Bindings(Vec<(&'static str, Box<dyn Val>)>);

impl Bindings {
    /// Binds a fact to a variable.
    pub fn fact(mut self, name: &'static str, fact: &Fact) -> Self {
        self.0.push((name, Box::new(fact.clone())));
        self
    }

    /// Binds a list of facts to a variable.
    pub fn facts(mut self, name: &'static str, facts: &[Fact]) -> Self {
        let items: Vec<Box<dyn Val>> = facts
            .iter()
            .map(|fact| Box::new(fact.clone()) as Box<dyn Val>)
            .collect();
        self.0.push((name, Box::new(CelList::from(items))));
        self
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

/// Why an evaluation gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// It read something that is not known.
    Unknown,
    /// The expression itself is at fault, in a way that only shows when it runs.
    Failed(String),
}

static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    if let Err(error) = declare(&mut env) {
        // Only a name declared twice can fail here, which every test would show.
        debug_assert!(false, "{error}");
    }
    Arc::new(env)
});

fn declare(env: &mut Env) -> Result<(), cel::DeclarationError> {
    let text = || types::STRING_TYPE;
    let fact = |kind: FactKind| types::Type::new_unspecified_type(kind.name());
    env.add_overload("isLabelKey", "is_label_key", vec![text()], |args| {
        answer(text_of(&args, 0).map(|text| validation::is_label_key(text).is_ok()))
    })?;
    env.add_overload("isLabelValue", "is_label_value", vec![text()], |args| {
        answer(text_of(&args, 0).map(|text| validation::is_label_value(text).is_ok()))
    })?;
    env.add_overload(
        "isComparisonInteger",
        "is_comparison_integer",
        vec![text()],
        |args| answer(text_of(&args, 0).map(|text| validation::comparison_integer(text).is_ok())),
    )?;
    env.add_overload(
        "nearest",
        "nearest_word",
        vec![text(), types::LIST_TYPE],
        |args| {
            let word = text_of(&args, 0)?.to_owned();
            let list: &[Box<dyn Val>] = args[1].as_ref().try_into().map_err(|_| {
                ExecutionError::function_error("nearest", "a list of texts is needed")
            })?;
            let candidates: Vec<&str> = list
                .iter()
                .filter_map(|item| item.downcast_ref::<CelString>().map(|text| text.inner()))
                .collect();
            let nearest = nearest_word(&word, &candidates).unwrap_or_default();
            Ok(CowVal::owned(CelString::from(nearest.to_owned())))
        },
    )?;
    let (toleration, workload) = (FactKind::Toleration, FactKind::Workload);
    let (taint, pool) = (FactKind::Taint, FactKind::Pool);
    env.add_member_overload(
        "tolerates",
        "toleration_taint",
        fact(toleration),
        vec![fact(taint)],
        |args| {
            let (one, other) = two_facts(&args)?;
            match (one.handle(), other.handle()) {
                (Handle::Toleration(entry), Handle::Taint(taint)) => {
                    known(entry.tolerates(taint, one.comparison_operators()))
                }
                _ => mismatch("tolerates"),
            }
        },
    )?;
    env.add_member_overload(
        "tolerates",
        "workload_pool",
        fact(workload),
        vec![fact(pool)],
        |args| {
            let (one, other) = two_facts(&args)?;
            match (one.handle(), other.handle()) {
                (Handle::Workload(shape), Handle::Pool(pool)) => {
                    let truth =
                        pool.tolerated_by(&shape.all_tolerations(), one.comparison_operators());
                    match (truth, &shape.unread_tolerations) {
                        (Truth::No, Some(_)) => known(Truth::Unknown),
                        (truth, _) => known(truth),
                    }
                }
                _ => mismatch("tolerates"),
            }
        },
    )?;
    env.add_member_overload(
        "tolerates",
        "workload_taint",
        fact(workload),
        vec![fact(taint)],
        |args| {
            let (one, other) = two_facts(&args)?;
            match (one.handle(), other.handle()) {
                (Handle::Workload(shape), Handle::Taint(taint)) => {
                    let all = shape.all_tolerations();
                    match (
                        tolerate(&all, taint, one.comparison_operators()),
                        &shape.unread_tolerations,
                    ) {
                        (Truth::No, Some(_)) => known(Truth::Unknown),
                        (truth, _) => known(truth),
                    }
                }
                _ => mismatch("tolerates"),
            }
        },
    )?;
    env.add_member_overload(
        "selects",
        "workload_selects",
        fact(workload),
        vec![fact(pool)],
        |args| {
            let (one, other) = two_facts(&args)?;
            match (one.handle(), other.handle()) {
                (Handle::Workload(shape), Handle::Pool(pool)) => {
                    known(shape.selection.selects(&pool.labels, None))
                }
                _ => mismatch("selects"),
            }
        },
    )?;
    env.add_member_overload(
        "canLand",
        "workload_can_land",
        fact(workload),
        vec![fact(pool)],
        |args| {
            let (one, other) = two_facts(&args)?;
            match (one.handle(), other.handle()) {
                (Handle::Workload(shape), Handle::Pool(pool)) => {
                    let placement = place(
                        &shape.selection,
                        &shape.all_tolerations(),
                        shape.unread_tolerations.is_none(),
                        pool,
                        one.comparison_operators(),
                    );
                    known(match placement {
                        Placement::Lands => Truth::Yes,
                        Placement::Unselected | Placement::Untolerated(_) => Truth::No,
                        Placement::Unknown(_) => Truth::Unknown,
                    })
                }
                _ => mismatch("canLand"),
            }
        },
    )?;
    Ok(())
}

type Evaluated<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn text_of<'a>(args: &'a [CowVal<'_, '_>], at: usize) -> Result<&'a str, ExecutionError> {
    args.get(at)
        .and_then(|value| value.downcast_ref::<CelString>())
        .map(|text| text.inner())
        .ok_or_else(|| ExecutionError::invalid_argument_count(at + 1, args.len()))
}

fn two_facts<'a>(args: &'a [CowVal<'_, '_>]) -> Result<(&'a Fact, &'a Fact), ExecutionError> {
    let fact = |at: usize| args.get(at).and_then(|value| value.downcast_ref::<Fact>());
    fact(0)
        .zip(fact(1))
        .ok_or_else(|| ExecutionError::invalid_argument_count(2, args.len()))
}

fn answer<'b, 'v>(result: Result<bool, ExecutionError>) -> Evaluated<'b, 'v> {
    result.map(|value| CowVal::owned(CelBool::from(value)))
}

fn known<'b, 'v>(truth: Truth) -> Evaluated<'b, 'v> {
    match truth {
        Truth::Yes => answer(Ok(true)),
        Truth::No => answer(Ok(false)),
        Truth::Unknown => Err(ExecutionError::function_error(UNKNOWN, "not known")),
    }
}

fn mismatch<'b, 'v>(function: &str) -> Evaluated<'b, 'v> {
    Err(ExecutionError::function_error(
        function,
        "not meant for these facts",
    ))
}

impl Expression {
    /// Compiles an expression and checks every name in it.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place in the text.
    pub fn compile(text: &str, scope: Scope, expected: Expected) -> Result<Self, ExpressionError> {
        let error = |offset: usize, message: String| Err(ExpressionError { offset, message });
        if text.len() > MAX_EXPRESSION_BYTES {
            return error(
                0,
                format!("the expression is longer than {MAX_EXPRESSION_BYTES} bytes"),
            );
        }
        let program = match ENV.compile(text) {
            Ok(program) => program,
            Err(errors) => {
                let first = errors.errors.first();
                let offset = first.map_or(0, |error| line_column_offset(text, error.pos));
                let message = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
                return error(offset, format!("not valid CEL: {message}"));
            }
        };
        let mut check = Check {
            scope,
            text,
            program: &program,
            local: Vec::new(),
        };
        let ty = check.infer(program.expression())?;
        let fits = matches!(
            (expected, ty),
            (_, Ty::Dyn)
                | (Expected::Condition, Ty::Bool)
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
                Expected::Condition => "a condition must be boolean",
                Expected::Text => "a hole must give a text, a number or a list of texts",
                Expected::Facts => {
                    "this must give a fact (a taint, a pool, a toleration) or a list of them"
                }
            };
            return error(0, wanted.to_owned());
        }
        Ok(Expression { program })
    }

    fn run(&self, bindings: &Bindings) -> Result<Value, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(bindings);
        self.program.execute(&context)
    }

    /// Whether the condition holds.
    ///
    /// # Errors
    /// What was read is not known, or the expression fails.
    pub fn holds(&self, bindings: &Bindings) -> Result<bool, Evaluation> {
        match self.run(bindings) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(Evaluation::Failed(format!(
                "the condition gave {other:?}, which is not boolean"
            ))),
            Err(error) => Err(explain(&error)),
        }
    }

    /// The text that a hole gives.
    ///
    /// # Errors
    /// What was read is not known, or the expression fails.
    pub fn text(&self, bindings: &Bindings) -> Result<String, Evaluation> {
        let value = self.run(bindings).map_err(|error| explain(&error))?;
        Ok(write_value(&value))
    }

    /// The facts that an expression gives: one, or a list of them.
    ///
    /// # Errors
    /// What was read is not known, or the expression fails.
    pub fn facts(&self, bindings: &Bindings) -> Result<Vec<Fact>, Evaluation> {
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(bindings);
        let value = Value::resolve_val(self.program.expression(), &context)
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
            Err(_) => Err(Evaluation::Failed("this gave no facts".to_owned())),
        }
    }
}

fn explain(error: &ExecutionError) -> Evaluation {
    match error {
        ExecutionError::FunctionError { function, .. } if function == UNKNOWN => {
            Evaluation::Unknown
        }
        // A label or annotation that is not there, read without `in` or `has`.
        ExecutionError::NoSuchKey(_) => Evaluation::Unknown,
        other => Evaluation::Failed(other.to_string()),
    }
}

fn write_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        // Each text once: two pools of one name are one name in a sentence.
        Value::List(items) => {
            let mut texts: Vec<String> = Vec::new();
            for text in items.iter().map(write_value) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts.join(", ")
        }
        other => format!("{other:?}"),
    }
}

fn line_column_offset(text: &str, (line, column): (isize, isize)) -> usize {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let column = usize::try_from(column).unwrap_or(1).max(1);
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    char_offset(text.get(start..).unwrap_or_default(), column - 1) + start
}

fn char_offset(text: &str, chars: usize) -> usize {
    text.char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at)
}

/// The walk that checks names and finds types.
struct Check<'e> {
    scope: Scope,
    text: &'e str,
    program: &'e Program,
    local: Vec<(String, Ty)>,
}

impl Check<'_> {
    fn error<T>(&self, expr: &IdedExpr, message: String) -> Result<T, ExpressionError> {
        let chars = self
            .program
            .source_info()
            .offset_for(expr.id)
            .map_or(0, |(start, _)| start);
        Err(ExpressionError {
            offset: char_offset(self.text, chars as usize),
            message,
        })
    }

    fn infer(&mut self, expr: &IdedExpr) -> Result<Ty, ExpressionError> {
        match &expr.expr {
            Expr::Unspecified => Ok(Ty::Dyn),
            Expr::Literal(literal) => Ok(match literal {
                LiteralValue::Boolean(_) => Ty::Bool,
                LiteralValue::Int(_) | LiteralValue::UInt(_) => Ty::Int,
                LiteralValue::String(_) => Ty::Text,
                _ => Ty::Dyn,
            }),
            Expr::Ident(name) => self.variable(expr, name),
            Expr::Select(select) => {
                let owner = self.infer(&select.operand)?;
                let ty = self.field(expr, owner, &select.field)?;
                Ok(if select.test { Ty::Bool } else { ty })
            }
            Expr::List(list) => {
                let mut element = None;
                for item in &list.elements {
                    let ty = self.infer(item)?;
                    element = Some(match element {
                        None => ty,
                        Some(known) if known == ty => ty,
                        Some(_) => Ty::Dyn,
                    });
                }
                Ok(Ty::List(list_element(element.unwrap_or(Ty::Dyn))))
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let cel::common::ast::EntryExpr::MapEntry(entry) = &entry.expr {
                        self.infer(&entry.key)?;
                        self.infer(&entry.value)?;
                    }
                }
                Ok(Ty::Dyn)
            }
            Expr::Struct(_) => self.error(expr, "messages are not supported here".to_owned()),
            Expr::Call(call) => {
                let target = match &call.target {
                    Some(target) => Some(self.infer(target)?),
                    None => None,
                };
                let mut arguments = Vec::new();
                for argument in &call.args {
                    arguments.push(self.infer(argument)?);
                }
                self.call(expr, &call.func_name, target, &arguments)
            }
            Expr::Comprehension(comprehension) => {
                let range = self.infer(&comprehension.iter_range)?;
                let element = match range {
                    Ty::List(element) => *element,
                    Ty::TextMap => Ty::Text,
                    Ty::Dyn => Ty::Dyn,
                    _ => {
                        return self.error(
                            &comprehension.iter_range,
                            "exists, all, map and filter need a list".to_owned(),
                        );
                    }
                };
                let start = self.infer(&comprehension.accu_init)?;
                let depth = self.local.len();
                self.local.push((comprehension.accu_var.clone(), start));
                self.local.push((comprehension.iter_var.clone(), element));
                if let Some(second) = &comprehension.iter_var2 {
                    self.local.push((second.clone(), Ty::Dyn));
                }
                self.infer(&comprehension.loop_cond)?;
                let step = self.infer(&comprehension.loop_step)?;
                self.local.truncate(depth);
                self.local.push((comprehension.accu_var.clone(), step));
                let result = self.infer(&comprehension.result)?;
                self.local.truncate(depth);
                Ok(result)
            }
        }
    }

    fn variable(&self, expr: &IdedExpr, name: &str) -> Result<Ty, ExpressionError> {
        if let Some((_, ty)) = self.local.iter().rev().find(|(local, _)| local == name) {
            return Ok(*ty);
        }
        let known = vocabulary::variables(self.scope);
        match known.iter().find(|(known, _)| *known == name) {
            Some((_, ty)) => Ok(*ty),
            None => self.error(
                expr,
                format!(
                    "unknown name `{name}`{}; scope {} has {}",
                    suggest(name, &known),
                    self.scope.as_str(),
                    names(&known)
                ),
            ),
        }
    }

    fn field(&self, expr: &IdedExpr, owner: Ty, name: &str) -> Result<Ty, ExpressionError> {
        match owner {
            Ty::Fact(kind) => {
                let known = vocabulary::fields(kind, self.scope);
                match known.iter().find(|(known, _)| *known == name) {
                    Some((_, ty)) => Ok(*ty),
                    None => self.error(
                        expr,
                        format!(
                            "a {} has no field `{name}` here{}; it has {}",
                            kind.cel_type().name(),
                            suggest(name, &known),
                            names(&known)
                        ),
                    ),
                }
            }
            Ty::TextMap => Ok(Ty::Text),
            Ty::Dyn => Ok(Ty::Dyn),
            Ty::Bool | Ty::Int | Ty::Text | Ty::List(_) => self.error(
                expr,
                format!("there is no field `{name}` in a {}", word(owner)),
            ),
        }
    }

    fn call(
        &self,
        expr: &IdedExpr,
        name: &str,
        target: Option<Ty>,
        arguments: &[Ty],
    ) -> Result<Ty, ExpressionError> {
        if let Some(ty) = operator_type(name, arguments) {
            return match ty {
                Ok(ty) => Ok(ty),
                Err(message) => self.error(expr, message),
            };
        }
        let known: &[Entry] = if target.is_some() {
            &vocabulary::MEMBER_FUNCTIONS
        } else {
            &vocabulary::GLOBAL_FUNCTIONS
        };
        match known.iter().find(|(known, _)| *known == name) {
            Some((_, ty)) => Ok(*ty),
            None => self.error(
                expr,
                format!(
                    "unknown function `{name}`{}; known are {}",
                    suggest(name, known),
                    names(known)
                ),
            ),
        }
    }
}

fn operator_type(name: &str, arguments: &[Ty]) -> Option<Result<Ty, String>> {
    let boolean = |ty: &Ty| matches!(ty, Ty::Bool | Ty::Dyn);
    let ty = match name {
        operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT => {
            if !arguments.iter().all(boolean) {
                return Some(Err(
                    "both sides of && and ||, and what follows !, must be boolean".to_owned(),
                ));
            }
            Ty::Bool
        }
        operators::EQUALS | operators::NOT_EQUALS => {
            // CEL compares anything with anything, silently false; across types it is always a mistake.
            if let [left, right] = arguments
                && *left != Ty::Dyn
                && *right != Ty::Dyn
                && std::mem::discriminant(left) != std::mem::discriminant(right)
            {
                return Some(Err(format!(
                    "a {} is never equal to a {}",
                    word(*left),
                    word(*right)
                )));
            }
            Ty::Bool
        }
        operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | operators::IN => Ty::Bool,
        operators::CONDITIONAL => match arguments {
            [_, first, second] if first == second => *first,
            [_, first, Ty::List(Ty::Dyn)] => *first,
            [_, Ty::List(Ty::Dyn), second] => *second,
            _ => Ty::Dyn,
        },
        operators::ADD => match arguments {
            [Ty::List(Ty::Dyn), right @ Ty::List(_)] => *right,
            [first, ..] => *first,
            [] => Ty::Dyn,
        },
        operators::INDEX => match arguments {
            [Ty::List(element), _] => **element,
            [Ty::TextMap, _] => Ty::Text,
            _ => Ty::Dyn,
        },
        operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO => {
            Ty::Int
        }
        other if other.starts_with('_') || other.starts_with('@') || other.starts_with('-') => {
            Ty::Dyn
        }
        _ => return None,
    };
    Some(Ok(ty))
}

/// Lists of every element type that the checker can meet, so that types stay `Copy`.
fn list_element(ty: Ty) -> &'static Ty {
    match ty {
        Ty::Bool => &Ty::Bool,
        Ty::Int => &Ty::Int,
        Ty::Text => &Ty::Text,
        Ty::Fact(FactKind::Taint) => &Ty::Fact(FactKind::Taint),
        Ty::Fact(FactKind::Pool) => &Ty::Fact(FactKind::Pool),
        Ty::Fact(FactKind::Toleration) => &Ty::Fact(FactKind::Toleration),
        _ => &Ty::Dyn,
    }
}

fn word(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "boolean",
        Ty::Int => "number",
        Ty::Text => "text",
        Ty::TextMap => "map",
        Ty::List(_) => "list",
        Ty::Fact(kind) => kind.cel_type().name(),
        Ty::Dyn => "value",
    }
}

fn names(known: &[Entry]) -> String {
    known
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn suggest(name: &str, known: &[Entry]) -> String {
    let candidates: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    nearest_word(name, &candidates)
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default()
}
