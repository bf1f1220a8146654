//! Terraform's templates as parts.

use super::Broken;
use super::tree::Part;
use crate::terraform::template::{self, Piece};

/// Parses a template file.
///
/// # Errors
/// Returns where it is broken.
pub fn parse(text: &str) -> Result<Vec<Part>, Broken> {
    let pieces = template::pieces(text).map_err(|error| Broken {
        at: error.at.0 as usize,
        message: error.message,
    })?;
    Ok(parts(pieces))
}

fn parts(pieces: Vec<Piece>) -> Vec<Part> {
    let part = |piece| match piece {
        Piece::Text(range) => Part::Text(range),
        Piece::Value(at) => Part::Value(at),
        Piece::If { at, yes, no } => Part::If {
            at,
            arms: match no.is_empty() {
                true => vec![parts(yes)],
                false => vec![parts(yes), parts(no)],
            },
        },
        Piece::For { at, body } => Part::For {
            at,
            body: parts(body),
            otherwise: None,
        },
    };
    pieces.into_iter().map(part).collect()
}
