//! Conditions of Go templates: what they test, and whether they hold in every cluster or for the values that are filled in.

use gotmpl::parse::{Expr, PipeNode};

use super::branches::Condition;
use super::flows::Test;
use super::given::Given;
use super::go_printing::truth as is_true;
use super::go_values::Value;
use super::writer::number;
use crate::source::text::Cut as _;

/// Whether a condition holds in all clusters, or in none. `oldest_release` is that of [`Wishes`](super::Wishes).
pub fn truth(pipe: &PipeNode, oldest_release: u32) -> Option<bool> {
    let [command] = pipe.commands.as_slice() else {
        return None;
    };
    let (first, arguments) = command.args.split_first()?;
    let of = |argument: &Expr| match argument {
        Expr::Pipe(_, pipe) => truth(pipe, oldest_release),
        Expr::Bool(_, holds) => Some(*holds),
        _ => None,
    };
    let Expr::Identifier(_, name) = first else {
        return of(first).filter(|_| arguments.is_empty());
    };
    match (name.as_str(), arguments) {
        ("not", [only]) => of(only).map(|holds| !holds),
        ("and", all) if all.iter().any(|one| of(one) == Some(false)) => Some(false),
        ("and", all) if all.iter().all(|one| of(one) == Some(true)) => Some(true),
        ("or", all) if all.iter().any(|one| of(one) == Some(true)) => Some(true),
        ("or", all) if all.iter().all(|one| of(one) == Some(false)) => Some(false),
        ("semverCompare", [Expr::String(_, range), version]) if is_release(version) => {
            is_in_range(range, oldest_release)
        }
        _ => None,
    }
}

/// Whether an expression is the release of the cluster.
fn is_release(version: &Expr) -> bool {
    let (Expr::Field(_, names) | Expr::Variable(_, _, names)) = version else {
        return false;
    };
    let mut names = names.iter().map(|name| name.as_str());
    names.any(|name| name == "KubeVersion")
}

/// Whether all releases from `1.<oldest>` on are in a range such as `>=1.14-0`, or none of them is.
fn is_in_range(range: &str, oldest: u32) -> Option<bool> {
    let range = range.trim();
    let version = range.trim_start_matches(['<', '>', '=', '^', '~', ' ', 'v']);
    let operator = range
        .until(range.len() - version.len())
        .trim_end_matches(['v', ' ']);
    let minor = version.strip_prefix("1.")?;
    let digits = minor.len() - minor.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let minor: u32 = minor.until(digits).parse().ok()?;
    match operator {
        "<" | "<=" if minor < oldest => Some(false),
        ">" | ">=" | "^" if minor < oldest => Some(true),
        ">=" | "^" if minor == oldest => Some(true),
        "<" if minor == oldest => Some(false),
        "" | "=" | "~" if minor < oldest => Some(false),
        _ => None,
    }
}

/// Whether a condition asks whether a value is a text. Values for scheduling rarely are.
pub fn asks_for_text(pipe: &PipeNode) -> bool {
    let [command] = pipe.commands.as_slice() else {
        return false;
    };
    matches!(
        command.args.as_slice(),
        [Expr::Identifier(_, name), Expr::String(_, kind), _]
            if ["kindIs", "typeIs"].contains(&name.as_str()) && &**kind == "string"
    )
}

/// The condition of a block with this text, in a template that is called so, where `.` has this number.
pub fn condition(written: &str, calls: u64, dot: u64) -> Condition {
    let words: Vec<&str> = written.split_whitespace().skip(1).collect();
    let mut words = words.as_slice();
    let mut negated = false;
    while let ["not", rest @ ..] = words {
        negated = !negated;
        words = rest;
    }
    // What is tested depends on `.`, unless it begins at the top.
    let number = |words: &[&str]| {
        let text = words.join(" ");
        let text = text.trim_matches(['(', ')']);
        match text.strip_prefix('$').filter(|rest| rest.starts_with('.')) {
            Some(rest) => number((calls, 0_u64, rest)),
            None => number((calls, dot, text)),
        }
    };
    match words {
        [operator @ ("eq" | "ne"), subject, value] => Condition {
            subject: number(&[subject]),
            equal: Some(number(&[value])),
            negated: negated != (*operator == "ne"),
        },
        words => Condition {
            subject: number(words),
            equal: None,
            negated,
        },
    }
}

/// Whether a condition holds for the values that are known.
pub fn holds(
    given: &Given<'_>,
    pipe: &PipeNode,
    of_pipe: &dyn Fn(&PipeNode) -> Value,
    of_one: &dyn Fn(&Expr) -> Value,
) -> Option<bool> {
    let [command] = pipe.commands.as_slice() else {
        return is_true(given, &of_pipe(pipe));
    };
    let of = |one: &Expr| match one {
        Expr::Pipe(_, pipe) => holds(given, pipe, of_pipe, of_one),
        Expr::Bool(_, holds) => Some(*holds),
        other => is_true(given, &of_one(other)),
    };
    match command.args.as_slice() {
        [Expr::Identifier(_, name), rest @ ..] => match (name.as_str(), rest) {
            ("not", [only]) => of(only).map(|holds| !holds),
            ("and", all) if all.iter().any(|one| of(one) == Some(false)) => Some(false),
            ("and", all) => all.iter().all(|one| of(one) == Some(true)).then_some(true),
            ("or", all) if all.iter().any(|one| of(one) == Some(true)) => Some(true),
            ("or", all) => all
                .iter()
                .all(|one| of(one) == Some(false))
                .then_some(false),
            _ => is_true(given, &of_pipe(pipe)),
        },
        [only] => of(only),
        _ => None,
    }
}

/// What a condition tests.
pub fn tested(
    pipe: &PipeNode,
    of_pipe: &dyn Fn(&PipeNode) -> Value,
    of_one: &dyn Fn(&Expr) -> Value,
) -> Test {
    let (value, holds) = match pipe.commands.as_slice() {
        [command] => match command.args.as_slice() {
            [Expr::Identifier(_, name), only] if name.as_str() == "not" => (of_one(only), false),
            _ => (of_pipe(pipe), true),
        },
        _ => (of_pipe(pipe), true),
    };
    Test {
        value: match value {
            Value::At(steps) => Some(steps),
            _ => None,
        },
        holds,
    }
}
