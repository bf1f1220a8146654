//! Sentences with CEL holes: `toleration of {toleration.key}`; `{{` and `}}` are literal braces.

use super::compiler::{Compiler, Expected};
use super::expression::{Bindings, Evaluation, Expression};
use super::parse::ExpressionError;
use super::vocabulary;
use crate::source::text::Cut as _;

/// A compiled sentence.
#[derive(Debug)]
pub struct Template(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Hole(Expression),
}

impl Template {
    /// Compiles a sentence; offsets in errors are relative to the sentence.
    ///
    /// # Errors
    /// Returns an error if a hole is unterminated or its expression is invalid.
    pub fn compile(text: &str, compiler: &Compiler) -> Result<Self, ExpressionError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut at = 0;
        while let Some(brace) = text.since(at).find(['{', '}']).map(|found| at + found) {
            literal.push_str(text.within(at..brace));
            let doubled = text
                .since(brace + 1)
                .starts_with(text.within(brace..brace + 1));
            if doubled || text.since(brace).starts_with('}') {
                literal.push_str(text.within(brace..brace + 1));
                at = brace + 1 + usize::from(doubled);
                continue;
            }
            let Some(end) = hole_end(text.since(brace + 1)).map(|end| brace + 1 + end) else {
                return Err(ExpressionError {
                    offset: brace,
                    message: "unclosed `{`; write `{{` for a literal brace".to_owned(),
                });
            };
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            let hole = Expression::compile(text.within(brace + 1..end), compiler, Expected::Text)
                .map_err(|error| ExpressionError {
                offset: brace + 1 + error.offset,
                ..error
            })?;
            parts.push(Part::Hole(hole));
            at = end + 1;
        }
        literal.push_str(text.since(at));
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Template(parts))
    }

    /// Whether the sentence may depend on the severity of the finding. Only `false` is certain.
    pub fn reads_severity(&self) -> bool {
        self.0.iter().any(|part| match part {
            Part::Text(_) => false,
            Part::Hole(expression) => expression.mentions(vocabulary::SEVERITY),
        })
    }

    /// Returns the sentence for these facts. Unknown and missing values become `…`.
    ///
    /// # Errors
    /// Returns an error if a hole's expression fails.
    pub fn fill(&self, bindings: &Bindings) -> Result<String, String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Hole(expression) => match expression.text(bindings) {
                    Ok(value) => text.push_str(&value),
                    Err(Evaluation::Unknown(_) | Evaluation::Absent) => text.push('…'),
                    Err(Evaluation::Failed(why)) => return Err(why),
                },
            }
        }
        Ok(text)
    }
}

/// Returns the end of a hole: the first brace outside of strings that does not close an inner one.
fn hole_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, one) in text.char_indices() {
        match (quote, one) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if one == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(one),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}
