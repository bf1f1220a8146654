//! Checks an expression before it runs: every name must exist, and known types must match.

use cel::Program;
use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::budget;
use super::compiler::{Compiler, Expected};
use super::fact::FactKind;
use super::kinds::{self, Kinds};
use super::names::Names;
use super::parse::{ExpressionError, char_offset};
use super::schema::Scope;
use super::vocabulary::{self, Entry, Ty};
use crate::model::near_miss::nearest_word;

/// Returns the type of a compiled expression.
///
/// # Errors
/// Returns the first unknown name, or the first operation that can never be valid.
pub fn infer(
    program: &Program,
    text: &str,
    compiler: &Compiler,
    expected: Expected,
) -> Result<Ty, ExpressionError> {
    let mut check = Check {
        scope: compiler.scope,
        names: &compiler.names,
        kinds: compiler.kinds,
        expected,
        text,
        program,
        local: Vec::new(),
    };
    check.infer(program.expression())
}

/// The traversal that checks names and infers types.
struct Check<'e> {
    scope: Scope,
    names: &'e Names,
    /// The possible kinds of the notice at this point.
    kinds: Kinds,
    expected: Expected,
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
        let mut offset = char_offset(self.text, chars as usize);
        // The parser places a selection at its dot; users expect the name.
        let rest = self.text.get(offset..).unwrap_or_default();
        if let Some(name) = rest.strip_prefix('.') {
            offset += 1 + name.len() - name.trim_start().len();
        }
        Err(ExpressionError { offset, message })
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
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.infer(&entry.key)?;
                        self.infer(&entry.value)?;
                    }
                }
                Ok(Ty::Dyn)
            }
            Expr::Struct(_) => self.error(expr, "message literals are not supported".to_owned()),
            Expr::Call(call) => {
                let target = match &call.target {
                    Some(target) => Some(self.infer(target)?),
                    None => None,
                };
                let arguments = self.arguments(call)?;
                if let Some(message) =
                    kinds::unknown_kind(call).filter(|_| self.scope == Scope::Notice)
                {
                    return self.error(expr, message);
                }
                if call.func_name == "matches" {
                    self.check_pattern(call)?;
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
                for name in std::iter::once(&comprehension.iter_var).chain(&comprehension.iter_var2)
                {
                    self.check_new_name(expr, name)?;
                }
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

    /// Returns the types of arguments. The operands after `&&`, `||` and `?` are only evaluated if the condition before
    /// them holds or fails, respectively.
    fn arguments(&mut self, call: &CallExpr) -> Result<Vec<Ty>, ExpressionError> {
        let kinds = self.kinds;
        let mut types = Vec::new();
        for (at, argument) in call.args.iter().enumerate() {
            types.push(self.infer(argument)?);
            self.kinds = match (call.func_name.as_str(), at) {
                (operators::LOGICAL_AND, _) => self.kinds.and(Kinds::where_it(true, argument)),
                (operators::LOGICAL_OR, _) => self.kinds.and(Kinds::where_it(false, argument)),
                (operators::CONDITIONAL, 0) => kinds.and(Kinds::where_it(true, argument)),
                (operators::CONDITIONAL, 1) => match call.args.first() {
                    Some(condition) => kinds.and(Kinds::where_it(false, condition)),
                    None => kinds,
                },
                _ => kinds,
            };
        }
        self.kinds = kinds;
        Ok(types)
    }

    /// A comprehension must not shadow a name, because named values are inlined where they are used.
    fn check_new_name(&self, expr: &IdedExpr, name: &str) -> Result<(), ExpressionError> {
        let scope = vocabulary::variables(self.scope);
        let mut known = scope.iter().map(|(known, _)| *known);
        if known.any(|known| known == name) || self.names.types().any(|(known, _)| known == name) {
            return self.error(
                expr,
                format!("`{name}` already has a meaning here; use another name"),
            );
        }
        Ok(())
    }

    /// CEL compiles patterns at run time; a literal pattern can be rejected here, at its place.
    fn check_pattern(&self, call: &CallExpr) -> Result<(), ExpressionError> {
        let Some(pattern) = call.args.last() else {
            return Ok(());
        };
        let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else {
            return Ok(());
        };
        match budget::cost_of_pattern(text.inner()) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => self.error(pattern, budget::PATTERN_TOO_LARGE.to_owned()),
            Err(error) => {
                let reason = error.to_string();
                let last = reason.lines().last().unwrap_or_default();
                let last = last.trim_start_matches("error: ");
                self.error(pattern, format!("not a regular expression: {last}"))
            }
        }
    }

    fn variable(&self, expr: &IdedExpr, name: &str) -> Result<Ty, ExpressionError> {
        if let Some((_, ty)) = self.local.iter().rev().find(|(local, _)| local == name) {
            return Ok(*ty);
        }
        let mut known = vocabulary::variables(self.scope);
        if matches!(self.expected, Expected::Text | Expected::Choice) {
            known.extend(vocabulary::OF_SENTENCES);
        }
        if let Some((_, ty)) = self.names.types().find(|(known, _)| *known == name) {
            return Ok(ty);
        }
        match known.iter().find(|(known, _)| *known == name) {
            Some((_, ty)) => Ok(*ty),
            None => self.error(
                expr,
                format!(
                    "unknown name `{name}`{}; names in scope {}: {}",
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
                    Some((_, ty)) => {
                        match self.kinds.lacks(name).filter(|_| kind == FactKind::Notice) {
                            Some(message) => self.error(expr, message),
                            None => Ok(*ty),
                        }
                    }
                    None => self.error(
                        expr,
                        format!(
                            "a {} has no field `{name}` in this scope{}; its fields: {}",
                            kind.cel_type().name(),
                            suggest(name, &known),
                            names(&known)
                        ),
                    ),
                }
            }
            Ty::TextMap => Ok(Ty::Text),
            Ty::Dyn => Ok(Ty::Dyn),
            Ty::Bool | Ty::Int | Ty::Text | Ty::List(_) => {
                self.error(expr, format!("a {} has no field `{name}`", word(owner)))
            }
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
                    "unknown function `{name}`{}; functions: {}",
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
                    "the operands of `&&`, `||` and `!` must be boolean".to_owned()
                ));
            }
            Ty::Bool
        }
        operators::EQUALS | operators::NOT_EQUALS => {
            // CEL compares any two values and returns false; across types, that is always a mistake.
            if let [left, right] = arguments
                && *left != Ty::Dyn
                && *right != Ty::Dyn
                && std::mem::discriminant(left) != std::mem::discriminant(right)
            {
                return Some(Err(format!(
                    "cannot compare a {} with a {}",
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

/// Lists with every element type that occurs, so that types stay `Copy`.
fn list_element(ty: Ty) -> &'static Ty {
    match ty {
        Ty::Bool => &Ty::Bool,
        Ty::Int => &Ty::Int,
        Ty::Text => &Ty::Text,
        Ty::Fact(FactKind::Taint) => &Ty::Fact(FactKind::Taint),
        Ty::Fact(FactKind::Pool) => &Ty::Fact(FactKind::Pool),
        Ty::Fact(FactKind::Toleration) => &Ty::Fact(FactKind::Toleration),
        Ty::Fact(FactKind::Workload) => &Ty::Fact(FactKind::Workload),
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
