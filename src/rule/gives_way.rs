//! Which rules give way to which: one mistake has one finding, and the rule that explains it best keeps its own.

use std::collections::BTreeMap;

use super::Rule;
use super::expression::{Bindings, Expression};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::source::Position;

/// One rule that another gives way to.
#[derive(Debug)]
pub struct GivesWay {
    /// The rule that stays.
    pub(super) rule: String,
    /// Where it is named.
    pub(super) position: Position,
    /// The condition, as written; without one the rule always gives way.
    pub(super) condition: Option<String>,
    /// The same, compiled.
    pub(super) when: Option<Expression>,
}

/// The rules of a list that are given way to here.
pub(super) fn those_here(all: &[GivesWay], bindings: &Bindings) -> Result<Vec<String>, String> {
    let mut here = Vec::new();
    for one in all {
        let holds = match &one.when {
            Some(when) => when.surely(bindings)?,
            None => true,
        };
        if holds {
            here.push(one.rule.clone());
        }
    }
    Ok(here)
}

/// What is wrong with who gives way to whom: rules that do not exist, and circles, in which every finding would wait for
/// another.
pub(super) fn check(rules: &BTreeMap<String, Rule>) -> Vec<Problem> {
    let ids: Vec<&str> = rules.keys().map(String::as_str).collect();
    let mut problems = Vec::new();
    for rule in rules.values() {
        for one in &rule.gives_way {
            let problem = |message: String| Problem {
                file: Some(rule.file.clone()),
                position: Some(one.position),
                message,
            };
            if !rules.contains_key(&one.rule) {
                let hint = nearest_word(&one.rule, &ids)
                    .map(|near| format!(" (did you mean `{near}`?)"))
                    .unwrap_or_default();
                problems.push(problem(format!("unknown rule `{}`{hint}", one.rule)));
            } else if let Some(way) = way_back(rules, &one.rule, &rule.id) {
                let circle: Vec<String> = way.iter().map(|id| format!("`{id}`")).collect();
                problems.push(problem(format!(
                    "`{}` gives way to {}: a cycle that would hide every finding",
                    rule.id,
                    circle.join(", which gives way to ")
                )));
            }
        }
    }
    problems
}

/// The rules on the way from one rule to another, both included, each giving way to the next.
fn way_back<'r>(
    rules: &'r BTreeMap<String, Rule>,
    from: &'r str,
    to: &str,
) -> Option<Vec<&'r str>> {
    // Each rule with the one from which it was reached.
    let mut reached: BTreeMap<&str, Option<&str>> = BTreeMap::from([(from, None)]);
    let mut pending = vec![from];
    while let Some(id) = pending.pop() {
        if id == to {
            let mut way = vec![id];
            let mut at = id;
            while let Some(Some(before)) = reached.get(at) {
                way.push(before);
                at = before;
            }
            way.reverse();
            return Some(way);
        }
        for next in rules.get(id).into_iter().flat_map(|rule| &rule.gives_way) {
            if !reached.contains_key(next.rule.as_str()) {
                reached.insert(&next.rule, Some(id));
                pending.push(&next.rule);
            }
        }
    }
    None
}
