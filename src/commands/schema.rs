//! `kubetaint schema`: the JSON Schema of a form of file.

use std::io::Write;

use super::{CommandError, Exit};
use crate::cli::Schema;
use crate::schema::schema;

/// Prints the schema.
///
/// # Errors
/// Output that cannot be written.
pub fn run(arguments: &Schema, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let text = serde_json::to_string_pretty(&schema(arguments.of)).map_err(std::io::Error::from)?;
    writeln!(out, "{text}")?;
    Ok(Exit::Clean)
}
