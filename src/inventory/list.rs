//! From a pool as it was understood to its entry in an inventory.

use super::{Origin, OtherLabels, Owner, Pool, Requirement, Taint, Text};
use crate::model::Field;
use crate::model::node_pool::{self, NodePool};
use crate::model::node_selection;
use crate::source::Span;

/// A pool and what of it only the run knows.
pub struct Listed<'l> {
    /// The pool.
    pub pool: &'l NodePool,
    /// The configured cluster, or the one that the source names.
    pub cluster: Option<String>,
    /// File and line of a place.
    pub place: &'l dyn Fn(Span) -> Option<(String, u32)>,
}

impl Pool {
    /// The entry of a pool.
    pub fn list(listed: &Listed<'_>) -> Pool {
        let pool = listed.pool;
        let place = pool.span.or(pool.name_span).and_then(listed.place);
        let (file, line) = place.unzip();
        let taints = pool
            .taints
            .iter()
            .map(|taint| list_taint(taint, listed, file.as_deref()))
            .collect();
        let text = |field: &Field<String>| Text(field.clone());
        Pool {
            name: pool.name.clone(),
            provider: pool.provider.clone(),
            cluster: listed.cluster.clone(),
            file,
            line,
            object: Owner {
                api_version: pool.object.api_version.clone(),
                kind: pool.object.kind.clone(),
                namespace: pool.object.namespace.clone(),
                name: pool.object.name.clone(),
            },
            labels: pool
                .labels
                .labels
                .iter()
                .map(|(key, value)| (key.clone(), text(value)))
                .collect(),
            requirements: pool
                .labels
                .requirements
                .iter()
                .map(|requirement| Requirement {
                    key: text(&requirement.key),
                    operator: text(&requirement.operator),
                    values: requirement.values.iter().map(text).collect(),
                })
                .collect(),
            other_labels: match pool.labels.others {
                node_selection::OtherLabels::Possible => OtherLabels::Possible,
                node_selection::OtherLabels::WellKnownOnly => OtherLabels::WellKnownOnly,
                node_selection::OtherLabels::None => OtherLabels::None,
            },
            taints,
            unschedulable: pool.unschedulable,
            weak: pool.weak,
            complete: pool.complete,
            incomplete_because: pool.incomplete_because.clone(),
        }
    }
}

fn list_taint(taint: &node_pool::PoolTaint, listed: &Listed<'_>, file: Option<&str>) -> Taint {
    let (taint_file, line) = taint.span.and_then(listed.place).unzip();
    // An absent value is the empty one; where something is due, absent says so.
    let value = match &taint.taint.value {
        Field::Absent => Field::Is(String::new()),
        other => other.clone(),
    };
    Taint {
        key: Text(taint.taint.key.clone()),
        value: Text(value),
        effect: Text(taint.taint.effect.clone()),
        origin: match taint.origin {
            node_pool::Origin::Declared => Origin::Declared,
            node_pool::Origin::Startup => Origin::Startup,
            node_pool::Origin::Implied => Origin::Implied,
        },
        spelled: taint.spelled.clone(),
        file: taint_file.filter(|own| Some(own.as_str()) != file),
        line,
        field: taint.path.clone(),
    }
}
