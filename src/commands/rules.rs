//! `kubetaint rules`: lists all rules as a table or as JSON.

use std::io::Write;

use serde_json::json;

use super::screen::Screen;
use super::{CommandError, Exit, load_rules_here};
use crate::cli::{Cli, Listing, Rules};
use crate::output::wrap;
use crate::rule::{Rule, RuleSet};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 80;

/// Lists the rules.
///
/// # Errors
/// Returns an error if the rules do not load or the output cannot be written.
pub fn run(cli: &Cli, arguments: &Rules, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let rules = load_rules_here(&arguments.rules)?;
    match arguments.output {
        Listing::Table => {
            let width = match Screen::of(cli).width {
                0 => WIDTH,
                width => width,
            };
            write_table(&rules, width, out)?;
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

/// Writes each rule on one line if all of them fit. Otherwise titles are on separate lines.
fn write_table(rules: &RuleSet, width: usize, out: &mut dyn Write) -> std::io::Result<()> {
    let widest = |of: fn(&Rule) -> usize| rules.iter().map(of).max().unwrap_or_default();
    let ids = widest(|rule| rule.id.len());
    let scopes = widest(|rule| rule.scope.as_str().len());
    let titles = widest(|rule| rule.title.chars().count());
    let on_one_line = ids + 2 + 7 + 2 + scopes + 2 + titles <= width;
    for rule in rules.iter() {
        let (id, severity, scope) = (&rule.id, rule.severity.as_str(), rule.scope.as_str());
        if on_one_line {
            let title = &rule.title;
            writeln!(out, "{id:ids$}  {severity:7}  {scope:scopes$}  {title}")?;
        } else {
            writeln!(out, "{id:ids$}  {severity:7}  {scope}")?;
            writeln!(out, "  {}", wrap(&rule.title, width, 2, 2))?;
        }
    }
    Ok(())
}
