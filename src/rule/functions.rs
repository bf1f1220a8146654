//! The functions that conditions may call: Kubernetes' semantics, applied to the model's values of facts.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the number of arguments was checked when the expression was compiled"
    )
)]

use std::sync::{Arc, LazyLock};

use cel::common::types::{self, CelBool, CelString};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};

use super::budget;
use super::fact::{Fact, FactKind, Handle, UNKNOWN};
use crate::model::near_miss::nearest_word;
use crate::model::node_pool::NodePool;
use crate::model::placement::{Moment, Placement, place};
use crate::model::taint::Taint;
use crate::model::toleration::tolerate;
use crate::model::workload::PodShape;
use crate::model::{Truth, validation};

/// CEL's standard library and kubetaint's functions.
pub static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    if let Err(error) = declare(&mut env) {
        // This can only fail if a name is declared twice, and then every test fails.
        debug_assert!(false, "{error}");
    }
    Arc::new(env)
});

type Evaluated<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn declare(env: &mut Env) -> Result<(), cel::DeclarationError> {
    budget::declare(env)?;
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
    let words = vec![text(), types::LIST_TYPE];
    env.add_overload("nearest", "nearest_word", words, nearest)?;
    let (toleration, workload) = (FactKind::Toleration, FactKind::Workload);
    let (taint, pool) = (FactKind::Taint, FactKind::Pool);
    let mut member = |name: &str, id: &str, of: FactKind, to: FactKind, function| {
        env.add_member_overload(name, id, fact(of), vec![fact(to)], function)
    };
    member("tolerates", "toleration_taint", toleration, taint, |args| {
        let (one, other) = two_facts(&args)?;
        match (one.handle(), other.handle()) {
            (Handle::Toleration(entry), Handle::Taint(taint)) => known(
                "tolerates",
                entry.tolerates(taint, one.comparison_operators()),
            ),
            _ => mismatch("tolerates"),
        }
    })?;
    member("tolerates", "workload_taint", workload, taint, |args| {
        let (one, other) = two_facts(&args)?;
        match (one.handle(), other.handle()) {
            (Handle::Workload(shape), Handle::Taint(taint)) => known(
                "tolerates",
                shape_tolerates(shape, taint, one.comparison_operators()),
            ),
            (Handle::Missing, _) => answer(Ok(false)),
            _ => mismatch("tolerates"),
        }
    })?;
    member("tolerates", "workload_pool", workload, pool, |args| {
        of_pool(&args, "tolerates", |shape, pool, gate| {
            let truth = pool.tolerated_by(&shape.all_tolerations(), gate);
            unless_unread(shape, truth)
        })
    })?;
    member("selects", "workload_selects", workload, pool, |args| {
        of_pool(&args, "selects", |shape, pool, _| {
            shape.selection.selects(&pool.labels, None)
        })
    })?;
    member("canLand", "workload_can_land", workload, pool, |args| {
        of_pool(&args, "canLand", can_land)
    })
}

fn nearest<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Evaluated<'b, 'v> {
    let word = text_of(&args, 0)?.to_owned();
    let list: &[Box<dyn Val + 'v>] = args[1]
        .as_ref()
        .try_into()
        .map_err(|_| ExecutionError::function_error("nearest", "expected a list of strings"))?;
    let candidates: Vec<&str> = list
        .iter()
        .filter_map(|item| item.downcast_ref::<CelString>().map(|text| text.inner()))
        .collect();
    let nearest = nearest_word(&word, &candidates).unwrap_or_default();
    Ok(CowVal::owned(CelString::from(nearest.to_owned())))
}

fn shape_tolerates(shape: &PodShape, taint: &Taint, gate: bool) -> Truth {
    unless_unread(shape, tolerate(&shape.all_tolerations(), taint, gate))
}

/// If there may be unread tolerations, nothing is certainly untolerated.
fn unless_unread(shape: &PodShape, truth: Truth) -> Truth {
    match (truth, &shape.unread_tolerations) {
        (Truth::No, Some(_)) => Truth::Unknown,
        (truth, _) => truth,
    }
}

fn can_land(shape: &PodShape, pool: &NodePool, gate: bool) -> Truth {
    let tolerations = shape.all_tolerations();
    let placement = place(&shape.candidate(&tolerations), pool, Moment::Lasting, gate);
    match placement {
        Placement::Lands => Truth::Yes,
        Placement::Refused(_) => Truth::No,
        Placement::Unknown(_) => Truth::Unknown,
    }
}

fn of_pool<'b, 'v>(
    args: &[CowVal<'_, '_>],
    function: &str,
    ask: impl Fn(&PodShape, &NodePool, bool) -> Truth,
) -> Evaluated<'b, 'v> {
    let (one, other) = two_facts(args)?;
    match (one.handle(), other.handle()) {
        (Handle::Workload(shape), Handle::Pool(pool)) => {
            known(function, ask(shape, pool, one.comparison_operators()))
        }
        (Handle::Missing, _) | (_, Handle::Missing) => answer(Ok(false)),
        _ => mismatch(function),
    }
}

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

/// Returns the answer; an unknown one is reported with the name of the function.
fn known<'b, 'v>(function: &str, truth: Truth) -> Evaluated<'b, 'v> {
    match truth {
        Truth::Yes => answer(Ok(true)),
        Truth::No => answer(Ok(false)),
        Truth::Unknown => Err(ExecutionError::function_error(UNKNOWN, function)),
    }
}

fn mismatch<'b, 'v>(function: &str) -> Evaluated<'b, 'v> {
    Err(ExecutionError::function_error(
        function,
        "does not apply to these facts",
    ))
}
