//! Named values of a rule (`let`): each use stands for the expression, so that a value that nothing reads costs nothing and
//! what is not known stays unknown where it is read.

use std::sync::OnceLock;

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr};

use super::parse::{self, ExpressionError, MAX_DEPTH, depth};
use super::vocabulary::Ty;

/// Bytes of an expression once every named value in it is written out.
const MAX_WRITTEN_OUT: usize = 65_536;

/// The named values that an expression may use, in the order of the file.
#[derive(Debug, Default)]
pub struct Names(Vec<Named>);

#[derive(Debug)]
struct Named {
    name: String,
    text: Box<str>,
    ty: Ty,
    size: Size,
    program: OnceLock<Result<IdedExpr, ExpressionError>>,
}

/// How large an expression is once named values are written out.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    bytes: usize,
    depth: usize,
    /// It could tell one object of a shape from another, as its name or a label of it.
    pub reads_identity: bool,
}

impl Names {
    /// Adds a value that may use the ones before it.
    pub fn push(&mut self, name: &str, text: &str, ty: Ty) {
        let size = self.size(text);
        self.0.push(Named {
            name: name.to_owned(),
            text: text.into(),
            ty,
            size,
            program: OnceLock::new(),
        });
    }

    /// The names and their types.
    pub fn types(&self) -> impl Iterator<Item = (&str, Ty)> {
        self.0.iter().map(|one| (one.name.as_str(), one.ty))
    }

    /// How large a text is. It counts a name wherever its letters stand, so that it may be too much, never too little.
    pub fn size(&self, text: &str) -> Size {
        // A field cannot be read without its name in the text.
        let identity = ["name", "labels", "annotations", "inTests"];
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

    /// Puts the named values in the place of their names.
    ///
    /// # Errors
    /// A named value is no expression.
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
            let mut program = parse::parse(&one.text)?.expression().clone();
            // A value uses only those before it, so that this ends.
            self.write_out(&mut program)?;
            Ok(program)
        };
        one.program.get_or_init(parsed).clone()
    }
}

impl Size {
    /// What is wrong with the size.
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

/// The expressions that an expression is made of.
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
