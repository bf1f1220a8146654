//! `kubetaint explain`: the page of one rule.

use std::io::Write;

use super::screen::Screen;
use super::{CommandError, Exit, load_rules_here, pager};
use crate::cli::{Cli, Explain};
use crate::explain::{page, screen};
use crate::model::near_miss::nearest_word;

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 80;
/// Longer lines are hard to read.
const MOST_COLUMNS: usize = 100;

/// Prints the page of a rule.
///
/// # Errors
/// Returns an error if the rule does not exist, the rules do not load, or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Explain, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let rules = load_rules_here(&arguments.rules)?;
    let Some(rule) = rules.get(&arguments.rule) else {
        let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        let hint = nearest_word(&arguments.rule, &ids)
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        return Err(CommandError::Message(format!(
            "unknown rule `{}`{hint}; `kubetaint rules` lists them",
            arguments.rule
        )));
    };
    let width = match Screen::of(cli).width {
        0 => WIDTH,
        width => width.min(MOST_COLUMNS),
    };
    let text = match arguments.examples {
        true => page(rule),
        false => screen(rule, width),
    };
    pager::show(&text, out)?;
    Ok(Exit::Clean)
}
