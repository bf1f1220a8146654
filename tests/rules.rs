//! One test for each example of each built-in rule, named like `blanket-exists::bad-1`.
//! `cargo test --test rules blanket-exists` runs those of one rule.

#[path = "rules/differences.rs"]
mod differences;

use std::process::ExitCode;
use std::sync::Arc;

use kubetaint::builtin;
use kubetaint::extract::Table;
use kubetaint::rule::{Example, MARK, RuleSet};
use kubetaint::source::Source;
use kubetaint::verify::{self, Outcome};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let sources: Vec<Source> = builtin::RULES
        .iter()
        .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
        .collect();
    let rules = match RuleSet::load(&sources) {
        Ok(rules) => Arc::new(rules),
        Err(problems) => {
            for problem in problems {
                eprintln!("{problem}");
            }
            return ExitCode::FAILURE;
        }
    };
    let table = match Table::load(builtin::PROVIDERS.iter().copied()) {
        Ok(table) => Arc::new(table),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials(&rules, &table)).exit_code()
}

fn trials(rules: &Arc<RuleSet>, table: &Arc<Table>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for rule in rules.iter() {
        let id = rule.id.clone();
        let kinds = Arc::clone(rules);
        trials.push(Trial::test(format!("{id}::has-both-kinds"), move || {
            has_both_kinds(&kinds, &id)
        }));
        for at in 0..rule.examples.len() {
            let name = format!("{}::{}", rule.id, rule.examples[at].name());
            let (rules, table, id) = (Arc::clone(rules), Arc::clone(table), rule.id.clone());
            trials.push(Trial::test(name, move || run(&rules, &table, &id, at)));
        }
    }
    trials
}

/// A rule shows what it finds and what it must not find; one of the latter is a near miss and says why.
fn has_both_kinds(rules: &RuleSet, id: &str) -> Result<(), Failed> {
    let rule = rules.get(id).ok_or("the rule is gone")?;
    let (bad, good): (Vec<_>, Vec<_>) = rule.examples.iter().partition(|example| example.bad);
    let fact = |why: &str| {
        let fact = why.strip_prefix("near miss - ");
        fact.is_some_and(|fact| !fact.trim().is_empty())
    };
    let near_miss = |why: &Option<String>| why.as_deref().is_some_and(fact);
    if bad.is_empty() {
        return Err("no bad example".into());
    }
    if !good.iter().any(|example| near_miss(&example.why)) {
        return Err(
            "no good example whose `why` is `near miss - ` and the fact in which it differs".into(),
        );
    }
    let page = [
        ("why", rule.why.trim().is_empty()),
        ("mend", rule.mend.is_none()),
        ("ignore-when", rule.ignore_when.is_none()),
        // Those about kubetaint's own comments follow nobody.
        ("source", rule.source.is_empty() && !rule.has_tag("ignores")),
    ];
    if let Some((part, _)) = page.iter().find(|(_, missing)| *missing) {
        return Err(format!("no `{part}`").into());
    }
    // Each finding of a bad example may be lost by one fact.
    let differs_in_one = |bad: &&Example, miss: &&Example| {
        let texts = bad.files.iter();
        let findings: usize = texts.map(|(_, text)| text.matches(MARK).count()).sum();
        differences::between(bad, miss) <= findings
    };
    let mut misses = good.iter().filter(|example| near_miss(&example.why));
    if !misses.any(|miss| bad.iter().any(|bad| differs_in_one(bad, miss))) {
        return Err(
            "no near miss that differs in one fact for each finding of a bad example".into(),
        );
    }
    if rule.has_fix() && bad.iter().all(|example| example.fixed.is_empty()) {
        return Err("a fix, and no bad example with what it gives (`fixed`)".into());
    }
    Ok(())
}

fn run(rules: &RuleSet, table: &Table, id: &str, at: usize) -> Result<(), Failed> {
    let rule = rules.get(id).ok_or("the rule is gone")?;
    let example = rule.examples.get(at).ok_or("the example is gone")?;
    match verify::run(rules, table, rule, example) {
        Outcome::Passed => Ok(()),
        outcome => Err(format!("{}\n{outcome}", rule.file).into()),
    }
}
