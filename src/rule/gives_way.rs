//! Which rules give way to which others: each mistake gets one finding, from the rule that explains it best.

use std::collections::BTreeMap;

use super::Rule;
use super::expression::{Bindings, Expression};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::source::Position;

/// A rule that another rule gives way to.
#[derive(Debug)]
pub struct GivesWay {
    /// The id of the rule that takes precedence.
    pub(super) rule: String,
    /// The position of the id.
    pub(super) position: Position,
    /// The condition, as written; if `None`, the rule always gives way.
    pub(super) condition: Option<String>,
    /// The compiled condition.
    pub(super) when: Option<Expression>,
}

/// Returns the rules of a list that take precedence for this input.
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

/// Checks which rules give way to which: reports unknown rules, and cycles, in which every finding would wait for another.
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

/// Returns the rules on the path from one rule to another, including both; each gives way to the next.
fn way_back<'r>(
    rules: &'r BTreeMap<String, Rule>,
    from: &'r str,
    to: &str,
) -> Option<Vec<&'r str>> {
    // Each reached rule, with the previous one on the path.
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
