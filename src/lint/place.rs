//! Maps what a rule points at to a span and a field path, for each occurrence of the judged subject.

use std::collections::HashSet;

use crate::finding::Label;
use crate::model::label_keys::canonical_label_key;
use crate::model::node_pool::{NodePool, PoolTaint};
use crate::model::workload::{LocatedToleration, Workload};
use crate::rule::fact::Place;
use crate::source::Span;
use crate::yaml::join;

/// A place in a file with its field path.
pub struct At {
    /// Where.
    pub span: Span,
    /// Field path, or empty if there is none.
    pub path: String,
}

/// The place that a rule of scope toleration points at for one entry: this field, or the whole entry.
pub fn of_toleration(workload: &Workload, index: usize, field: &str) -> At {
    let Some(located) = workload.located.get(index) else {
        return of_workload(workload, "workload");
    };
    of_located(located, field)
}

/// A field of an entry, or the whole entry if the field is not written.
pub fn of_located(located: &LocatedToleration, field: &str) -> At {
    match located.field(field) {
        Some(span) => At {
            span,
            path: join(&located.path, field),
        },
        None => At {
            span: located.entry,
            path: located.path.clone(),
        },
    }
}

/// The place that a rule of scope workload points at.
pub fn of_workload(workload: &Workload, at: &str) -> At {
    let name = At {
        span: workload.span,
        path: "metadata.name".to_owned(),
    };
    match at {
        "workload.selector" => {
            let telling = |(key, _, _): &&(String, Span, String)| {
                ![
                    "kubernetes.io/os",
                    "kubernetes.io/arch",
                    "beta.kubernetes.io/os",
                    "beta.kubernetes.io/arch",
                ]
                .contains(&key.as_str())
            };
            workload
                .selectors
                .iter()
                .find(telling)
                .or_else(|| workload.selectors.first())
                .map_or(name, |(_, span, path)| At {
                    span: *span,
                    path: path.clone(),
                })
        }
        "workload.tolerations" => workload.list.map_or(name, |span| At {
            span,
            path: join(&workload.path, "tolerations"),
        }),
        _ => name,
    }
}

/// The place that a rule of scope taint points at.
pub fn of_taint(pool: &NodePool, taint: &PoolTaint, at: &str) -> Option<At> {
    let Some(span) = taint.span else {
        return of_pool(pool, "pool");
    };
    let errors = taint.taint.errors();
    let field = match at.strip_prefix("taint.") {
        Some("errors") => errors.first().map_or("", |error| error.field.as_ref()),
        Some(field) => field,
        None => "",
    };
    Some(match taint.fields.get(field) {
        Some(span) => At {
            span: *span,
            path: join(&taint.path, field),
        },
        None => At {
            span,
            path: taint.path.clone(),
        },
    })
}

/// The place that a rule of scope pool points at.
pub fn of_pool(pool: &NodePool, at: &str) -> Option<At> {
    let taint = pool.taints.iter().find(|taint| taint.span.is_some());
    if at == "pool.taints"
        && let Some(taint) = taint
    {
        return of_taint(pool, taint, "taint");
    }
    super::facts::pool_span(pool).map(|span| At {
        span,
        path: String::new(),
    })
}

/// The most related places of a finding. Without a limit, reports on many nodes would grow with nodes times workloads.
const MAX_LABELS: usize = 20;

/// The related places of a finding, for one occurrence; only the first few if there are many.
pub fn labels(related: &[(Place, String)], workload: Option<&Workload>) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    let mut seen = HashSet::new();
    for (place, message) in related {
        if labels.len() == MAX_LABELS {
            break;
        }
        let (span, message) = match place {
            Place::Span(span) => (*span, message.clone()),
            Place::Implied(span) => (*span, format!("{message} (implied, not written)")),
            Place::Entry(index) => {
                let Some(located) = workload.and_then(|workload| workload.located.get(*index))
                else {
                    continue;
                };
                (located.entry, message.clone())
            }
            Place::Selector(label) => {
                let asks =
                    |(key, _, _): &&(String, Span, String)| canonical_label_key(key) == label;
                let found = workload.and_then(|workload| workload.selectors.iter().find(asks));
                let Some((_, span, _)) = found else { continue };
                (*span, message.clone())
            }
        };
        let label = Label { span, message };
        if seen.insert(label.clone()) {
            labels.push(label);
        }
    }
    labels
}
