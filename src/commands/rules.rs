//! `kubetaint rules`: every rule, a line each, or as JSON.

use std::io::Write;

use serde_json::json;

use super::{CommandError, Exit, load_rules_here};
use crate::cli::{Listing, Rules};

/// Lists the rules.
///
/// # Errors
/// Rules that do not load; output that cannot be written.
pub fn run(arguments: &Rules, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let rules = load_rules_here(&arguments.rules)?;
    match arguments.output {
        Listing::Table => {
            let width = rules
                .iter()
                .map(|rule| rule.id.len())
                .max()
                .unwrap_or_default();
            for rule in rules.iter() {
                writeln!(
                    out,
                    "{:width$}  {:7}  {:10}  {}",
                    rule.id,
                    rule.severity.as_str(),
                    rule.scope.as_str(),
                    rule.title
                )?;
            }
        }
        Listing::Json => {
            let list: Vec<_> = rules
                .iter()
                .map(|rule| {
                    json!({
                        "id": rule.id,
                        "title": rule.title,
                        "severity": rule.severity,
                        "scope": rule.scope.as_str(),
                        "tags": rule.tags,
                        "file": rule.file,
                    })
                })
                .collect();
            let text = serde_json::to_string_pretty(&json!({ "rules": list }))
                .map_err(std::io::Error::from)?;
            writeln!(out, "{text}")?;
        }
    }
    Ok(Exit::Clean)
}
