//! Which kinds of notices satisfy a condition, so that a field is only read from notices that have it.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::vocabulary::OF_NOTICES;
use crate::model::near_miss::nearest_word;
use crate::model::notice::{NoticeKind, NoticeNames};

/// A set of kinds, with a bit for each row of [`NoticeKind::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u64);

impl Kinds {
    /// All kinds.
    pub const ALL: Kinds = Kinds(u64::MAX);

    /// Returns the kinds in both sets.
    pub fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    fn of(word: &str) -> Kinds {
        let at = NoticeKind::NAMES.iter().position(|(name, _)| *name == word);
        Kinds(at.map_or(0, |at| 1 << at))
    }

    /// Returns the kinds for which an expression may be true, or false if `holds` is false.
    pub fn where_it(holds: bool, expr: &IdedExpr) -> Kinds {
        let Expr::Call(call) = &expr.expr else {
            return Kinds::ALL;
        };
        let parts = call.args.iter().map(|part| Kinds::where_it(holds, part));
        match call.func_name.as_str() {
            operators::LOGICAL_NOT => {
                let inner = call.args.first();
                inner.map_or(Kinds::ALL, |inner| Kinds::where_it(!holds, inner))
            }
            operators::LOGICAL_AND if holds => parts.fold(Kinds::ALL, Kinds::and),
            operators::LOGICAL_AND => parts.fold(Kinds(0), Kinds::or),
            operators::LOGICAL_OR if holds => parts.fold(Kinds(0), Kinds::or),
            operators::LOGICAL_OR => parts.fold(Kinds::ALL, Kinds::and),
            operators::NOT_EQUALS => Kinds::named(call, !holds),
            _ => Kinds::named(call, holds),
        }
    }

    fn named(call: &CallExpr, holds: bool) -> Kinds {
        let Some(words) = words(call) else {
            return Kinds::ALL;
        };
        let named = words.iter().map(|word| Kinds::of(word));
        let named = named.fold(Kinds(0), Kinds::or);
        if holds { named } else { Kinds(!named.0) }
    }

    /// Returns the error for a field that a notice of these kinds may lack, or `None` if all have it.
    pub fn lacks(self, field: &str) -> Option<String> {
        if OF_NOTICES.iter().any(|(known, _)| *known == field) {
            return None;
        }
        let here = |at: usize| self.0 & (1 << at) != 0;
        let lacks = |(_, fields): &NoticeNames| !fields.iter().any(|(name, _)| *name == field);
        let mut rows = NoticeKind::NAMES.iter().enumerate();
        let (_, (kind, _)) = rows.find(|(at, row)| here(*at) && lacks(row))?;
        Some(format!(
            "a notice of kind `{kind}` has no field `{field}`; test `notice.kind` first"
        ))
    }
}

/// Returns the error for comparing the kind of a notice with an unknown word, which is never true.
pub fn unknown_kind(call: &CallExpr) -> Option<String> {
    let known: Vec<&str> = NoticeKind::NAMES.iter().map(|(kind, _)| *kind).collect();
    let mut words = words(call)?.into_iter();
    let word = words.find(|word| !known.contains(word))?;
    let near = nearest_word(word, &known)
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default();
    Some(format!("there is no kind of notice `{word}`{near}"))
}

/// Returns the words that a comparison compares the kind of the notice with.
fn words(call: &CallExpr) -> Option<Vec<&str>> {
    let compares = [operators::EQUALS, operators::NOT_EQUALS, operators::IN];
    if !compares.contains(&call.func_name.as_str()) {
        return None;
    }
    let [left, right] = call.args.as_slice() else {
        return None;
    };
    let (kind, other) = if is_kind(left) {
        (left, right)
    } else {
        (right, left)
    };
    if !is_kind(kind) {
        return None;
    }
    match &other.expr {
        Expr::List(list) => list.elements.iter().map(text).collect(),
        _ => Some(vec![text(other)?]),
    }
}

fn text(expr: &IdedExpr) -> Option<&str> {
    match &expr.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

fn is_kind(expr: &IdedExpr) -> bool {
    let Expr::Select(select) = &expr.expr else {
        return false;
    };
    select.field == "kind" && select.operand.expr == Expr::Ident("notice".to_owned())
}
