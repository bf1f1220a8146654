//! `kubetaint schema`: prints the JSON Schema of a file format.

use std::io::Write;

use super::{CommandError, Exit};
use crate::cli::Schema;
use crate::schema::schema;

/// Prints the schema.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn run(arguments: &Schema, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let text = serde_json::to_string_pretty(&schema(arguments.of)).map_err(std::io::Error::from)?;
    writeln!(out, "{text}")?;
    Ok(Exit::Clean)
}
