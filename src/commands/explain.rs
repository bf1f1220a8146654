//! `kubetaint explain`: the page of one rule.

use std::io::Write;

use super::{CommandError, Exit, load_rules_here};
use crate::cli::Explain;
use crate::explain::page;
use crate::model::near_miss::nearest_word;

/// Prints the page of one rule.
///
/// # Errors
/// A rule that does not exist; rules that do not load; output that cannot be written.
pub fn run(arguments: &Explain, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let rules = load_rules_here(&arguments.rules)?;
    let Some(rule) = rules.get(&arguments.rule) else {
        let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let hint = nearest_word(&arguments.rule, &ids)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        return Err(CommandError::Message(format!(
            "there is no rule `{}`{hint}; `kubetaint rules` lists them",
            arguments.rule
        )));
    };
    write!(out, "{}", page(rule))?;
    Ok(Exit::Clean)
}
