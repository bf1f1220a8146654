//! Limits the cost of expressions in a repository's own rules. Each value that an expression iterates over, puts into a
//! list or passes to a function costs steps according to its size; a rule that exceeds its steps fails.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::common::types::{self, CelString};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use regex::RegexBuilder;

/// The maximum number of steps of one evaluation: some tenths of a second.
const OF_AN_EVALUATION: u64 = 250_000;

/// The maximum number of steps of all evaluations of an expression.
const IN_ALL: u64 = 100_000_000;

/// The number of bytes of a text that cost one step.
const BYTES_OF_A_STEP: usize = 64;

/// The functions that spend steps; no name in CEL begins like these.
const SPEND: &str = "@spend";
const SPEND_ON_PATTERN: &str = "@spend_on_pattern";

/// The error for a pattern that is too large.
pub const PATTERN_TOO_LARGE: &str = "the regular expression is too large";

/// The error for an expression that has exhausted its steps.
const EXHAUSTED: &str = "the expression takes too many steps; nested comprehensions, long lists and long strings multiply them";

thread_local! {
    /// The remaining steps of the evaluation in this thread.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// The steps that an expression has spent.
#[derive(Debug, Default)]
pub struct Budget(AtomicU64);

impl Budget {
    /// Evaluates with the steps of one evaluation. Failure does not depend on the order of evaluations in a run: if one
    /// evaluation or all together exceed the limit, no steps remain for the others.
    ///
    /// # Errors
    /// Returns the error of the evaluation, or that the steps are exhausted.
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
        // `||` hides an error in one operand if the other one holds; exhaustion is an error in any case.
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

/// Whether this error means that the steps are exhausted.
pub fn says_exhausted(why: &str) -> bool {
    why.contains(EXHAUSTED)
}

fn exhausted() -> ExecutionError {
    ExecutionError::function_error("steps", EXHAUSTED)
}

/// Declares the functions that spend steps.
///
/// # Errors
/// Returns an error if a name is declared twice.
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
            // The matching function itself reports an invalid pattern.
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

/// Returns the size of a value, at most `most`.
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

/// Returns the steps for compiling a pattern, which CEL does for each match, or `None` if it is too large.
///
/// # Errors
/// Returns what is wrong with the pattern.
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

/// Adds calls that spend steps to an expression.
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

/// Charges an expression for its parts and its value. The accumulator of a comprehension is not charged, because it grows
/// only by charged values.
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
