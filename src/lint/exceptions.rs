//! Exceptions in the configuration that match nothing because of a mistyped name or because they are outdated.

use std::collections::BTreeSet;

use super::Settings;
use super::gather::Gathered;
use crate::config::{Except, Pattern};
use crate::finding::{Object, Report};
use crate::model::near_miss::nearest_word;
use crate::source::Span;

/// The exceptions that matched a finding, as rule id and entry index.
pub type Used = BTreeSet<(String, usize)>;

/// Reports unused exceptions: a problem if an exception matches no object but nearly matches one, a warning for any other
/// without a finding. Reports nothing if only a part of the repository was read.
pub fn report_unused(
    used: &Used,
    gathered: &Gathered,
    settings: Settings<'_>,
    report: &mut Report,
) {
    if !settings.whole {
        return;
    }
    let config = settings.config;
    let ran = config
        .rules
        .iter()
        .filter(|(id, setting)| !setting.off && settings.rules.get(id).is_some());
    let excepts = ran.flat_map(|(id, setting)| {
        let numbered = setting.except.iter().enumerate();
        numbered.map(move |(at, except)| (id, at, except))
    });
    let unused = excepts.filter(|(id, at, _)| !used.contains(&((*id).clone(), *at)));
    for (id, _, except) in unused {
        let fits = |object: &Object| {
            let kind = Some(object.kind.as_str()).filter(|kind| !kind.is_empty());
            let (namespace, name) = (object.namespace.as_deref(), object.name.as_deref());
            fits(&except.kind, kind)
                && fits(&except.namespace, namespace)
                && fits(&except.name, name)
        };
        let names = except.kind.is_some() || except.namespace.is_some() || except.name.is_some();
        // A path that matches no file is reported for all patterns in the same way.
        let rule = settings.rules.get(id);
        if rule.is_some_and(|rule| rule.scope.is_of_changes()) {
            // Only a comparison of two revisions finds something.
            continue;
        }
        if !names || objects(gathered).any(fits) {
            report.warnings.extend(except.span.map(|span| {
                let message =
                    format!("this exception matches no finding of `{id}`; remove it if it is no longer needed");
                config.problem(span, message)
            }));
            continue;
        }
        let Some(problem) = misfit(except, gathered, id) else {
            continue;
        };
        let Misfit { at, why, near } = problem;
        let problem = config.problem(at, why);
        // A near match is a typo. Anything else may be meant for a future object or one that could not be read.
        if near && gathered.unread.is_empty() {
            report.problems.push(problem);
        } else {
            report.warnings.push(problem);
        }
    }
    report.warnings.sort();
    report.warnings.dedup();
}

fn fits(pattern: &Option<Pattern>, text: Option<&str>) -> bool {
    match (pattern, text) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(pattern), Some(text)) => pattern.matches(text),
    }
}

/// Every object that a finding can be about.
fn objects(gathered: &Gathered) -> impl Iterator<Item = &Object> {
    let workloads = gathered.workloads.iter().map(|one| &one.object);
    let pools = gathered.pools.iter().chain(&gathered.hints);
    let devices = gathered.devices.iter().map(|one| &one.object);
    let notices = gathered.notices.iter().map(|one| &one.object);
    workloads
        .chain(pools.map(|placed| &placed.pool.object))
        .chain(devices)
        .chain(notices)
}

/// An exception that matches no object.
struct Misfit {
    at: Span,
    why: String,
    /// Whether the repository contains a similar name.
    near: bool,
}

/// Where and why an exception matches no object: its first pattern that matches none, or all patterns combined.
fn misfit(except: &Except, gathered: &Gathered, rule: &str) -> Option<Misfit> {
    type Part = fn(&Object) -> Option<&str>;
    let parts: [(&str, &Option<Pattern>, Part); 3] = [
        ("kind", &except.kind, |object| {
            Some(object.kind.as_str()).filter(|kind| !kind.is_empty())
        }),
        ("namespace", &except.namespace, |object| {
            object.namespace.as_deref()
        }),
        ("name", &except.name, |object| object.name.as_deref()),
    ];
    for (what, pattern, part) in parts {
        let Some(pattern) = pattern else { continue };
        let known: BTreeSet<&str> = objects(gathered).filter_map(part).collect();
        if known.iter().any(|text| pattern.matches(text)) {
            continue;
        }
        let known: Vec<&str> = known.into_iter().collect();
        let is_name = !pattern.text.contains(['*', '?', '[', '{']);
        let near = nearest_word(&pattern.text, &known).filter(|_| is_name);
        let hint = near
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        let message = format!(
            "this exception of `{rule}` matches nothing: no workload or node pool has the {what} `{}`{hint}",
            pattern.text
        );
        return Some(Misfit {
            at: pattern.span,
            why: message,
            near: near.is_some(),
        });
    }
    let message = format!(
        "this exception of `{rule}` matches nothing: no workload or node pool matches all of its patterns"
    );
    Some(Misfit {
        at: except.span?,
        why: message,
        near: false,
    })
}
