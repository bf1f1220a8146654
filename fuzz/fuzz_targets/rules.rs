//! Rule files: one is refused with its mistakes, or it loads, its own examples run, and it judges a small repository without
//! a bug.

#![no_main]

use kubetaint::rule::{Rule, RuleSet};
use kubetaint::source::Source;
use kubetaint::{explain, verify};
use kubetaint_fuzz::{TABLE, prepare, report_places, stated};
use libfuzzer_sys::fuzz_target;

/// A repository with something for each scope of rules.
const REPOSITORY: [(&str, &str); 2] = [
    ("pools.yaml", include_str!("../samples/pools.yaml")),
    ("web.yaml", include_str!("../samples/workloads.yaml")),
];

fuzz_target!(init: prepare(), |text: &str| {
    // A rule is named like its file.
    let id = text.lines().find_map(|line| line.strip_prefix("id: "));
    let path = format!("rules/{}.yaml", id.unwrap_or("own"));
    let source = Source::new(path, text);
    let rule = match Rule::load(&source) {
        Ok(rule) => rule,
        Err(problems) => return stated(&problems),
    };
    explain::page(&rule);
    let rules = match RuleSet::load([&source]) {
        Ok(rules) => rules,
        Err(problems) => return stated(&problems),
    };
    for example in rule.examples.iter() {
        verify::run(&rules, &TABLE, &rule, example);
    }
    match verify::report(&rules, &TABLE, &REPOSITORY, verify::SUPPRESSIONS) {
        Ok(report) => report_places(&report),
        Err(problems) => stated(&problems),
    }
});
