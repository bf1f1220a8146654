//! `kubetaint test`: runs the examples of rules.

use std::collections::BTreeSet;
use std::io::Write;

use rayon::prelude::*;

use super::{CommandError, Exit, load_rules, load_table, rule_sources};
use crate::cli::Test;
use crate::rule::Rule;
use crate::verify::{self, Outcome};

/// Runs the examples of the built-in rules, or of the rules at the given paths.
///
/// # Errors
/// Returns an error if the rules do not load or the output cannot be written.
pub fn run(arguments: &Test, out: &mut dyn Write) -> Result<Exit, CommandError> {
    let rules = load_rules(&arguments.paths)?;
    let table = load_table(&[])?;
    let asked: BTreeSet<String> = rule_sources(&arguments.paths)?
        .into_iter()
        .map(|source| source.path)
        .collect();
    let examples: Vec<_> = rules
        .iter()
        .filter(|rule| asked.is_empty() || asked.contains(&rule.file))
        .flat_map(|rule: &Rule| rule.examples.iter().map(move |example| (rule, example)))
        .collect();
    let outcomes: Vec<Outcome> = examples
        .par_iter()
        .map(|(rule, example)| verify::run(&rules, &table, rule, example))
        .collect();
    let mut failed = 0;
    for ((rule, example), outcome) in examples.iter().zip(&outcomes) {
        if *outcome != Outcome::Passed {
            failed += 1;
            write!(
                out,
                "{}: {} ({})\n{outcome}",
                rule.id,
                example.name(),
                rule.file
            )?;
        }
    }
    let unreached = rules
        .iter()
        .filter(|rule| asked.contains(&rule.file))
        .flat_map(|rule| rule.cases.iter().map(move |case| (rule, case)))
        .filter(|(_, case)| !case.is_reached());
    for (rule, case) in unreached {
        let condition = case.condition.trim();
        writeln!(
            out,
            "{}: no example reaches the case `{condition}`",
            rule.id
        )?;
    }
    let passed = examples.len() - failed;
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(if failed == 0 {
        Exit::Clean
    } else {
        Exit::Findings
    })
}
