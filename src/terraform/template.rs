//! The parts of a template file without their values, for readers that do not know how the file is called.

use std::ops::Range;

use super::SyntaxError;
use super::parser::Parser;
use super::syntax::{Expression, Part};
use super::tokens::Kind;

/// A piece of a template.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// Text that is written as in the file.
    Text(Range<usize>),
    /// `${…}`
    Value(Range<usize>),
    /// `%{ if … }`
    If {
        /// The condition.
        at: Range<usize>,
        /// What is written if it holds.
        yes: Vec<Piece>,
        /// What is written otherwise.
        no: Vec<Piece>,
    },
    /// `%{ for … }`
    For {
        /// The collection.
        at: Range<usize>,
        /// What is written for each item.
        body: Vec<Piece>,
    },
}

/// Returns the pieces of a template file.
///
/// # Errors
/// Returns the first error that Terraform would report.
pub fn pieces(text: &str) -> Result<Vec<Piece>, SyntaxError> {
    let parts = Parser::template(text).template_parts(Kind::End, false);
    let parts = parts.map_err(|mistake| SyntaxError {
        at: mistake.at,
        message: mistake.message,
    })?;
    Ok(pieces_of(&parts))
}

fn pieces_of(parts: &[Part]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            Part::Text(literal) => {
                let ends = literal.runs.iter().skip(1).map(|(next, _)| *next);
                for ((at, offset), end) in literal.runs.iter().zip(ends.chain([literal.text.len()]))
                {
                    let offset = *offset as usize;
                    pieces.push(Piece::Text(offset..offset + end.saturating_sub(*at)));
                }
            }
            Part::Value(_, at) => pieces.push(Piece::Value(range(*at))),
            Part::If(one) => pieces.push(Piece::If {
                at: place(&one.condition),
                yes: pieces_of(&one.yes),
                no: pieces_of(&one.no),
            }),
            Part::For(one) => pieces.push(Piece::For {
                at: place(&one.over),
                body: pieces_of(&one.body),
            }),
            Part::Unread => {}
        }
    }
    pieces
}

fn place(expression: &Expression) -> Range<usize> {
    range(expression.at)
}

fn range((start, end): (u32, u32)) -> Range<usize> {
    start as usize..end as usize
}
