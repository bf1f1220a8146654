//! Parses CEL within limits: a text that is too long, nested too deep or invalid is an error with its place.

use cel::parser::PrattParser;
use cel::{IdedExpr, Program};

use super::functions::ENV;

/// Longer expressions can exhaust the parser's stack.
const MAX_EXPRESSION_BYTES: usize = 4096;

/// The maximum nesting of brackets, including comprehensions: each level takes stack for parsing and for evaluation.
pub const MAX_DEPTH: usize = 16;

/// The error for deeper nesting.
pub const TOO_DEEP: &str = "brackets are nested more than 16 levels deep";

/// The error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// Byte offset in the expression's text.
    pub offset: usize,
    /// The message.
    pub message: String,
}

/// Parses an expression without checking its names.
///
/// # Errors
/// Returns an error if it is too long or not valid CEL.
pub fn parse(text: &str) -> Result<Program, ExpressionError> {
    let error = |offset: usize, message: String| Err(ExpressionError { offset, message });
    if text.len() > MAX_EXPRESSION_BYTES {
        return error(
            0,
            format!("the expression is longer than {MAX_EXPRESSION_BYTES} bytes"),
        );
    }
    if depth(text) > MAX_DEPTH {
        return error(0, TOO_DEEP.to_owned());
    }
    let program = ENV.compile(text).or_else(|errors| {
        let first = errors.errors.first();
        let offset = first.map_or(0, |error| line_column_offset(text, error.pos));
        let message = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
        error(offset, format!("invalid CEL: {message}"))
    })?;
    #[cfg(test)]
    tests::assert_same(text, program.expression());
    Ok(program)
}

/// Parses an expression that is known to be valid, in a tenth of the time. CEL's second parser is not used for rules that
/// people write: it is young, and its errors have other words.
///
/// # Errors
/// Returns an error if it is not valid CEL.
pub fn parse_known(text: &str) -> Result<IdedExpr, ExpressionError> {
    let parsed = PrattParser::new().parse(text);
    parsed.or_else(|_| Ok(parse(text)?.expression().clone()))
}

/// Returns the maximum nesting of brackets; those in strings count, too.
pub fn depth(text: &str) -> usize {
    let (mut depth, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

fn line_column_offset(text: &str, (line, column): (isize, isize)) -> usize {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let column = usize::try_from(column).unwrap_or(1).max(1);
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    char_offset(text.get(start..).unwrap_or_default(), column - 1) + start
}

/// Returns the byte offset of a character in a text.
pub fn char_offset(text: &str, chars: usize) -> usize {
    text.char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::RULES;
    use crate::rule::RuleSet;
    use crate::source::Source;

    /// An expression as text, without the numbers of its nodes.
    fn shown(expression: &IdedExpr) -> String {
        let numbers = regex::Regex::new(r"\bid: \d+").unwrap();
        let shown = format!("{expression:?}");
        numbers.replace_all(&shown, "id").into_owned()
    }

    /// Both parsers read a valid text alike.
    pub(super) fn assert_same(text: &str, program: &IdedExpr) {
        let other = PrattParser::new().parse(text).unwrap();
        assert_eq!(shown(&other), shown(program), "{text}");
    }

    #[test]
    fn both_parsers_read_the_expressions_of_the_built_in_rules_alike() {
        let sources: Vec<Source> = RULES
            .iter()
            .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
            .collect();
        // Each expression is compared where it is parsed.
        assert!(RuleSet::load(&sources).is_ok());
    }
}
