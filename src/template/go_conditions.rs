//! Conditions of Go templates that have the same value in every cluster.

use gotmpl::parse::{Expr, PipeNode};

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
