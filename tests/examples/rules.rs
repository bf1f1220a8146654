//! One test for each example of each built-in rule, named like `blanket-exists::bad-1`.
//! `cargo test --test examples blanket-exists` runs those of one rule.

use kubetaint::extract::Table;
use kubetaint::rule::{Example, MARK, RuleSet};
use kubetaint::verify::{self, Outcome};
use libtest_mimic::{Failed, Trial};

use crate::builtin::{RULES, TABLE};
use crate::differences;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for rule in RULES.iter() {
        let id = &rule.id;
        trials.push(Trial::test(format!("{id}::has-both-kinds"), || {
            has_both_kinds(&RULES, id)
        }));
        for (at, example) in rule.examples.iter().enumerate() {
            let name = format!("{id}::{}", example.name());
            trials.push(Trial::test(name, move || run(&RULES, &TABLE, id, at)));
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
        ("how-to-fix", rule.how_to_fix.is_none()),
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
