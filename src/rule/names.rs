//! Named values of a rule (`let`). Each use is replaced by the expression, so an unused value costs nothing and an unknown
//! part only matters where it is read.

use std::sync::OnceLock;

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr};

use super::parse::{self, ExpressionError, MAX_DEPTH, depth};
use super::vocabulary::Ty;

/// The maximum length in bytes of an expression after inlining named values.
const MAX_WRITTEN_OUT: usize = 65_536;

/// The named values that an expression may use, in source order.
#[derive(Debug, Default)]
pub struct Names(Vec<Named>);

#[derive(Debug)]
struct Named {
    name: String,
    text: Box<str>,
    ty: Ty,
    size: Size,
    is_known: bool,
    program: OnceLock<Result<IdedExpr, ExpressionError>>,
}

/// The size of an expression after inlining named values.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    bytes: usize,
    depth: usize,
    /// It may distinguish objects of one shape, such as by name or label.
    pub reads_identity: bool,
}

impl Names {
    /// Adds a value that may use the earlier ones.
    pub fn push(&mut self, name: &str, text: &str, ty: Ty) {
        self.add(name, text, ty, false);
    }

    /// Adds a value of a built-in rule, which is known to be valid.
    pub fn push_known(&mut self, name: &str, text: &str) {
        self.add(name, text, Ty::Dyn, true);
    }

    fn add(&mut self, name: &str, text: &str, ty: Ty, is_known: bool) {
        let size = self.size(text);
        self.0.push(Named {
            name: name.to_owned(),
            text: text.into(),
            ty,
            size,
            is_known,
            program: OnceLock::new(),
        });
    }

    /// Returns the names and their types.
    pub fn types(&self) -> impl Iterator<Item = (&str, Ty)> {
        self.0.iter().map(|one| (one.name.as_str(), one.ty))
    }

    /// Returns the size of a text. Counts every occurrence of a name's letters, so it may be too large, never too small.
    pub fn size(&self, text: &str) -> Size {
        // Reading a field requires its name in the text.
        let identity = [
            "name",
            "labels",
            "annotations",
            "inTests",
            "blockedElsewhere",
        ];
        let mut size = Size {
            bytes: text.len(),
            depth: depth(text),
            reads_identity: identity.iter().any(|name| text.contains(name)),
        };
        let own = size.depth;
        for one in &self.0 {
            let uses = text.matches(one.name.as_str()).count();
            if uses > 0 {
                size.bytes = size
                    .bytes
                    .saturating_add(uses.saturating_mul(one.size.bytes));
                size.depth = size.depth.max(own + one.size.depth);
                size.reads_identity |= one.size.reads_identity;
            }
        }
        size
    }

    /// Inlines the named values.
    ///
    /// # Errors
    /// Returns an error if a named value is not a valid expression.
    pub fn write_out(&self, expr: &mut IdedExpr) -> Result<(), ExpressionError> {
        if let Expr::Ident(name) = &expr.expr {
            if let Some(at) = self.0.iter().position(|one| one.name == *name) {
                *expr = self.program(at)?;
            }
            return Ok(());
        }
        children(expr)
            .into_iter()
            .try_for_each(|child| self.write_out(child))
    }

    fn program(&self, at: usize) -> Result<IdedExpr, ExpressionError> {
        let Some(one) = self.0.get(at) else {
            return Ok(IdedExpr::default());
        };
        let parsed = || {
            let mut program = match one.is_known {
                true => parse::parse_known(&one.text)?,
                false => parse::parse(&one.text)?.expression().clone(),
            };
            // A value can only use earlier values, so this terminates.
            self.write_out(&mut program)?;
            Ok(program)
        };
        one.program.get_or_init(parsed).clone()
    }
}

impl Size {
    /// Returns the error if the size exceeds a limit.
    pub fn error(&self) -> Option<String> {
        if self.depth > MAX_DEPTH {
            return Some(parse::TOO_DEEP.to_owned());
        }
        (self.bytes > MAX_WRITTEN_OUT).then(|| {
            format!(
                "the expression is longer than {MAX_WRITTEN_OUT} bytes with its named values written out"
            )
        })
    }
}

/// Returns the subexpressions of an expression.
fn children(expr: &mut IdedExpr) -> Vec<&mut IdedExpr> {
    match &mut expr.expr {
        Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) | Expr::Struct(_) => Vec::new(),
        Expr::Select(select) => vec![&mut select.operand],
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => {
            let mut all = Vec::new();
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    all.extend([&mut entry.key, &mut entry.value]);
                }
            }
            all
        }
        Expr::Call(call) => {
            let target = call.target.as_deref_mut();
            target.into_iter().chain(&mut call.args).collect()
        }
        Expr::Comprehension(comprehension) => vec![
            &mut comprehension.iter_range,
            &mut comprehension.accu_init,
            &mut comprehension.loop_cond,
            &mut comprehension.loop_step,
            &mut comprehension.result,
        ],
    }
}
