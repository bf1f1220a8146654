//! Why a change does something to the pods of an object: a pool changed, or what the object says of its pods.

use std::collections::BTreeSet;

use super::judge::Judged;
use super::pool_changes::{MOST, code, listed, text};
use super::stand::Surveys;
use crate::finding::{Cause, CausePlace, Effect, PoolChange, PoolDifference};
use crate::lint::Survey;
use crate::model::toleration::Toleration;
use crate::model::workload::Workload;
use crate::source::Span;

/// The changes of the pools that decide.
pub(super) fn of_pools(judged: &Judged, differences: &[PoolDifference]) -> Cause {
    let mut meant: BTreeSet<&String> = judged.decisive.iter().collect();
    if judged.effect != Effect::Evicted {
        let sets = [&judged.before, &judged.after];
        let [old, new] = sets.map(|all| all.iter().collect::<BTreeSet<_>>());
        meant.extend(old.symmetric_difference(&new).copied());
    }
    let is_meant = |one: &&PoolDifference| meant.contains(&one.pool);
    let mut changes: Vec<&PoolDifference> = differences.iter().filter(is_meant).collect();
    if changes.is_empty() {
        changes = differences.iter().collect();
    }
    // A change of all pools at once would be as long for each object.
    let more = changes.len().saturating_sub(MOST);
    changes.truncate(MOST);
    let pools: Vec<String> = changes.iter().map(|one| one.message.clone()).collect();
    let places = changes.iter().filter_map(|one| {
        let place = one.place.clone()?;
        let is_after = one.change != PoolChange::Removed;
        Some(CausePlace { is_after, place })
    });
    let said = pools.join("; ");
    Cause {
        places: places.collect(),
        is_pool: true,
        message: match (pools.is_empty(), more) {
            (true, _) => "not all pools can be read".to_owned(),
            (false, 0) => said,
            (false, 1) => format!("{said}; and 1 more change of a pool"),
            (false, more) => format!("{said}; and {more} more changes of pools"),
        },
        pools,
    }
}

/// What is different about the pods of a workload.
pub(super) fn of_workload(
    (before, after): (&Workload, &Workload),
    (base, head): Surveys<'_>,
) -> Cause {
    let mut found = Vec::new();
    found.extend(tolerations(before, after));
    found.extend(selectors(before, after));
    found.extend(others(before, after));
    let mut spans: (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    let mut said = Vec::new();
    for one in found {
        said.push(one.message);
        spans.0.extend(one.before);
        spans.1.extend(one.after);
    }
    if said.is_empty() {
        said.push("something else about its pods changes".to_owned());
    }
    let start = |spans: Vec<Span>, workload: &Workload| match spans.as_slice() {
        [] => vec![workload.list.unwrap_or(workload.span)],
        _ => spans,
    };
    let old = start(spans.0, before).into_iter();
    let new = start(spans.1, after).into_iter();
    let old = old.filter_map(|span| place(base, span, false));
    let new = new.filter_map(|span| place(head, span, true));
    let mut places: Vec<CausePlace> = old.chain(new).collect();
    places.dedup();
    Cause {
        message: said.join("; "),
        places,
        ..Cause::default()
    }
}

/// The place of a span on one side.
pub(super) fn place(survey: &Survey<'_>, span: Span, is_after: bool) -> Option<CausePlace> {
    let place = survey.place(span)?;
    Some(CausePlace { is_after, place })
}

/// Something that is different.
struct Told {
    message: String,
    before: Vec<Span>,
    after: Vec<Span>,
}

fn tolerations(before: &Workload, after: &Workload) -> Option<Told> {
    let set = |workload: &Workload| -> BTreeSet<Toleration> {
        workload.shape.tolerations.iter().cloned().collect()
    };
    let (old, new) = (set(before), set(after));
    let lost: Vec<&Toleration> = old.difference(&new).collect();
    let gained: Vec<&Toleration> = new.difference(&old).collect();
    let texts = |all: &[&Toleration]| -> Vec<String> { all.iter().map(code).collect() };
    let message = match (lost.as_slice(), gained.as_slice()) {
        ([], []) => {
            let unread = (
                before.shape.unread_tolerations,
                after.shape.unread_tolerations,
            );
            let message = match unread {
                (None, Some(why)) => format!("its tolerations cannot be read: {}", why.as_str()),
                (Some(_), None) => "its tolerations can be read".to_owned(),
                _ => return None,
            };
            return Some(Told {
                message,
                before: before.list.into_iter().collect(),
                after: after.list.into_iter().collect(),
            });
        }
        (lost, []) if new.is_empty() && after.list.is_none() => {
            format!("the list of tolerations is gone: {}", listed(&texts(lost)))
        }
        (lost, []) => format!("{} {} gone", noun(lost), is_or_are(lost, &texts(lost))),
        ([], gained) => format!("{} {} new", noun(gained), is_or_are(gained, &texts(gained))),
        (lost, gained) => format!(
            "{} {} {} {}",
            noun(lost),
            listed(&texts(lost)),
            if lost.len() == 1 { "becomes" } else { "become" },
            listed(&texts(gained))
        ),
    };
    let spans = |workload: &Workload, entries: &[&Toleration]| -> Vec<Span> {
        let own = workload.shape.tolerations.iter().zip(&workload.located);
        let meant = own.filter(|(entry, _)| entries.contains(entry));
        let first = meant.map(|(_, located)| located.entry).next();
        first.or(workload.list).into_iter().collect()
    };
    Some(Told {
        message,
        before: spans(before, &lost),
        after: spans(after, &gained),
    })
}

fn noun(entries: &[&Toleration]) -> &'static str {
    match entries {
        [_] => "the toleration",
        _ => "the tolerations",
    }
}

fn is_or_are(entries: &[&Toleration], texts: &[String]) -> String {
    let verb = if entries.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", listed(texts))
}

fn selectors(before: &Workload, after: &Workload) -> Vec<Told> {
    let (old, new) = (&before.shape.selection, &after.shape.selection);
    let span = |workload: &Workload, key: &str| -> Vec<Span> {
        let mut own = workload.selectors.iter();
        let found = own.find(|(known, _, _)| known == key);
        found.map(|(_, span, _)| *span).into_iter().collect()
    };
    let keys: BTreeSet<&String> = old
        .node_selector
        .keys()
        .chain(new.node_selector.keys())
        .collect();
    let mut told = Vec::new();
    for key in keys {
        let message = match (old.node_selector.get(key), new.node_selector.get(key)) {
            (Some(one), Some(other)) if one != other => {
                let (one, other) = (text(one), text(other));
                let (one, other) = (format!("{key}={one}"), format!("{key}={other}"));
                format!("the node selector {} becomes {}", code(one), code(other))
            }
            (Some(one), None) => {
                let one = format!("{key}={}", text(one));
                format!("the node selector {} is gone", code(one))
            }
            (None, Some(other)) => {
                let other = format!("{key}={}", text(other));
                format!("the node selector {} is new", code(other))
            }
            _ => continue,
        };
        told.push(Told {
            message,
            before: span(before, key),
            after: span(after, key),
        });
    }
    if old.required != new.required {
        let expressed = |workload: &Workload| -> Vec<Span> {
            let own = &workload.shape.selection.node_selector;
            let mut all = workload.selectors.iter();
            let found = all.find(|(key, _, _)| !own.contains_key(key));
            found.map(|(_, span, _)| *span).into_iter().collect()
        };
        let message = match (old.required.is_absent(), new.required.is_absent()) {
            (true, false) => "required node affinity is new",
            (false, true) => "required node affinity is gone",
            _ => "required node affinity changes",
        };
        told.push(Told {
            message: message.to_owned(),
            before: expressed(before),
            after: expressed(after),
        });
    }
    if (old.unknown, old.partial) != (new.unknown, new.partial) {
        let message = match new.unknown || new.partial {
            true => "not all of its node selection can be read",
            false => "all of its node selection can be read",
        };
        told.push(Told {
            message: message.to_owned(),
            before: Vec::new(),
            after: Vec::new(),
        });
    }
    told
}

fn others(before: &Workload, after: &Workload) -> Vec<Told> {
    let (old, new) = (&before.shape, &after.shape);
    let written = |shape: &crate::model::workload::PodShape| -> BTreeSet<Toleration> {
        shape.tolerations.iter().cloned().collect()
    };
    let fields = [
        (old.node_name != new.node_name, "nodeName changes"),
        (
            old.runtime_class != new.runtime_class,
            "runtimeClassName changes",
        ),
        (
            written(old) == written(new) && old.tolerations != new.tolerations,
            "the order of its tolerations changes",
        ),
        (
            old.tolerations == new.tolerations && old.on_pods != new.on_pods,
            "what is added to its tolerations changes",
        ),
    ];
    let told = fields.into_iter().filter(|(differs, _)| *differs);
    told.map(|(_, message)| Told {
        message: message.to_owned(),
        before: Vec::new(),
        after: Vec::new(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_does_not_grow_with_the_number_of_pools_that_change() {
        let pool = |number: usize| PoolDifference {
            pool: format!("p{number}"),
            cluster: "c".to_owned(),
            change: PoolChange::Taints,
            message: format!("pool {number} changes"),
            place: None,
        };
        let of = |many: usize| {
            let all: Vec<PoolDifference> = (0..many).map(pool).collect();
            let judged = Judged {
                effect: Effect::Loses,
                stay: None,
                before: all.iter().map(|one| one.pool.clone()).collect(),
                after: Vec::new(),
                decisive: Vec::new(),
            };
            of_pools(&judged, &all)
        };
        let three = "pool 0 changes; pool 1 changes; pool 2 changes";
        assert_eq!(of(3).message, three);
        assert_eq!(
            of(4).message,
            format!("{three}; and 1 more change of a pool")
        );
        assert_eq!(
            of(9).message,
            format!("{three}; and 6 more changes of pools")
        );
        assert_eq!(of(9).pools.len(), 3);
    }
}
