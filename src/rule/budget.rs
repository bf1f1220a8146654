//! Bounds what the expressions of a repository's own rules cost: whatever is iterated over, put into a list or given to a
//! function is paid for by its size, and a rule that takes more steps than it has is at fault.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::common::types::{self, CelString};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use regex::RegexBuilder;

/// Steps of one evaluation: some tenths of a second.
const OF_AN_EVALUATION: u64 = 250_000;

/// Steps of all evaluations of an expression.
const IN_ALL: u64 = 100_000_000;

/// A text costs a step for so many bytes.
const BYTES_OF_A_STEP: usize = 64;

/// The functions that take steps; no name in CEL begins like these.
const SPEND: &str = "@spend";
const SPEND_ON_PATTERN: &str = "@spend_on_pattern";

/// Why a pattern cannot be used.
pub const PATTERN_TOO_LARGE: &str = "the regular expression is too large";

/// Why an expression has no more steps.
const EXHAUSTED: &str = "the expression takes too many steps; nested comprehensions, long lists and long strings multiply them";

thread_local! {
    /// The steps that the evaluation in this thread has left.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// What an expression has spent.
#[derive(Debug, Default)]
pub struct Budget(AtomicU64);

impl Budget {
    /// Evaluates with as many steps as one evaluation has. Whether an expression fails in a run does not depend on the order of
    /// its evaluations: one that takes too many steps by itself, or all of them together, leave none for the others.
    ///
    /// # Errors
    /// What the evaluation gives, and that there are no more steps.
    pub fn within<T>(
        &self,
        evaluate: impl FnOnce() -> Result<T, ExecutionError>,
    ) -> Result<T, ExecutionError> {
        if self.0.load(Ordering::Relaxed) > IN_ALL {
            return Err(exhausted());
        }
        LEFT.set(OF_AN_EVALUATION);
        let result = evaluate();
        let left = LEFT.replace(u64::MAX);
        // An error in one operand of `||` is none when the other holds; this one always is.
        let spent = match left {
            0 => IN_ALL + 1,
            left => OF_AN_EVALUATION - left,
        };
        if self.0.fetch_add(spent, Ordering::Relaxed) + spent > IN_ALL {
            return Err(exhausted());
        }
        result
    }
}

/// Whether this is why an evaluation gave nothing: there are no more steps.
pub fn says_exhausted(why: &str) -> bool {
    why.contains(EXHAUSTED)
}

fn exhausted() -> ExecutionError {
    ExecutionError::function_error("steps", EXHAUSTED)
}

/// Declares the functions that take steps.
///
/// # Errors
/// A name that is declared twice.
pub fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(SPEND, "spend", vec![types::DYN_TYPE], |mut args| {
        let value = args.pop().ok_or_else(exhausted)?;
        spend(weight(value.as_ref(), LEFT.get()))?;
        Ok(value)
    })?;
    let pattern = vec![types::STRING_TYPE];
    env.add_overload(SPEND_ON_PATTERN, "spend_on_pattern", pattern, |mut args| {
        let value: CowVal<'_, '_> = args.pop().ok_or_else(exhausted)?;
        if let Some(text) = value.downcast_ref::<CelString>() {
            // What is no pattern is reported by what matches with it.
            let cost = cost_of_pattern(text.inner()).unwrap_or(Some(1));
            let too_large = || ExecutionError::function_error("matches", PATTERN_TOO_LARGE);
            spend(cost.ok_or_else(too_large)?)?;
        }
        Ok(value)
    })
}

fn spend(steps: u64) -> Result<(), ExecutionError> {
    let left = LEFT.get().saturating_sub(steps);
    LEFT.set(left);
    if left == 0 { Err(exhausted()) } else { Ok(()) }
}

/// How large a value is, as far as it is smaller than `most`.
fn weight(value: &dyn Val, most: u64) -> u64 {
    if let Some(text) = value.downcast_ref::<CelString>() {
        return 1 + (text.inner().len() / BYTES_OF_A_STEP) as u64;
    }
    let list: Result<&[Box<dyn Val + '_>], _> = value.try_into();
    if let Ok(list) = list {
        let mut sum = 1;
        for item in list {
            if sum >= most {
                break;
            }
            sum += weight(item.as_ref(), most - sum);
        }
        return sum;
    }
    let size = value.as_sizer().map(|sizer| *sizer.size().inner());
    1 + size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0)
}

/// The steps that compiling a pattern takes, which CEL does whenever it matches; nothing when it is too large.
///
/// # Errors
/// What is wrong with the pattern.
pub fn cost_of_pattern(pattern: &str) -> Result<Option<u64>, regex::Error> {
    for (bytes, steps) in [(16_384, 50), (65_536, 200), (524_288, 2_000)] {
        match RegexBuilder::new(pattern).size_limit(bytes).build() {
            Ok(_) => return Ok(Some(steps)),
            Err(regex::Error::CompiledTooBig(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Puts what takes steps into an expression.
pub fn charge(expr: &mut IdedExpr) {
    match &mut expr.expr {
        Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
        Expr::Select(select) => charge(&mut select.operand),
        Expr::List(list) => list.elements.iter_mut().for_each(paid),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    paid(&mut entry.key);
                    paid(&mut entry.value);
                }
            }
        }
        Expr::Struct(_) => {}
        Expr::Call(call) => charge_call(call),
        Expr::Comprehension(comprehension) => {
            paid(&mut comprehension.iter_range);
            charge(&mut comprehension.accu_init);
            charge(&mut comprehension.loop_cond);
            charge(&mut comprehension.loop_step);
            charge(&mut comprehension.result);
        }
    }
}

fn charge_call(call: &mut CallExpr) {
    const WITHOUT_WORK: &[&str] = &[
        operators::CONDITIONAL,
        operators::LOGICAL_AND,
        operators::LOGICAL_OR,
        operators::LOGICAL_NOT,
        operators::NOT_STRICTLY_FALSE,
        operators::INDEX,
    ];
    let costs = !WITHOUT_WORK.contains(&call.func_name.as_str());
    let matches = call.func_name == "matches";
    let last = call.args.len().saturating_sub(1);
    for (at, argument) in call.args.iter_mut().enumerate() {
        if matches && at == last {
            charge(argument);
            wrap(argument, SPEND_ON_PATTERN);
        } else if costs {
            paid(argument);
        } else {
            charge(argument);
        }
    }
    match &mut call.target {
        Some(target) if costs => paid(target),
        Some(target) => charge(target),
        None => {}
    }
}

/// Charges an expression for what is in it and for its value. What a comprehension gathers is its own business: it only
/// grows by what is paid for.
fn paid(expr: &mut IdedExpr) {
    charge(expr);
    let free = match &expr.expr {
        Expr::Literal(_) => true,
        Expr::Ident(name) => name.starts_with('@'),
        _ => false,
    };
    if !free {
        wrap(expr, SPEND);
    }
}

fn wrap(expr: &mut IdedExpr, function: &str) {
    let id = expr.id;
    let inner = std::mem::take(expr);
    let call = CallExpr {
        func_name: function.to_owned(),
        target: None,
        args: vec![inner],
    };
    *expr = IdedExpr {
        id,
        expr: Expr::Call(call),
    };
}
