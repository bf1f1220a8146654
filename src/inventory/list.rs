//! Converts a pool to its entry in an inventory.

use super::{Autoscaler, Pool, Taint};
use crate::model::Field;
use crate::model::node_pool::{self, NodePool};
use crate::source::Span;

/// A pool, with facts that only the run knows.
pub struct Listed<'l> {
    /// The pool.
    pub pool: &'l NodePool,
    /// The configured cluster, or the one that the source names.
    pub cluster: Option<String>,
    /// Returns the file and line of a span.
    pub place: &'l dyn Fn(Span) -> Option<(String, u32)>,
}

impl Pool {
    /// Returns the entry of a pool.
    pub fn list(listed: &Listed<'_>) -> Pool {
        let pool = listed.pool;
        let place = pool.span.or(pool.name_span).and_then(listed.place);
        let (file, line) = place.unzip();
        let taints = |taints: &[node_pool::PoolTaint]| -> Vec<Taint> {
            let entry = |taint| list_taint(taint, listed, file.as_deref());
            taints.iter().map(entry).collect()
        };
        let removed = pool.removes.iter().map(|taint| node_pool::PoolTaint {
            taint: taint.clone(),
            ..node_pool::PoolTaint::default()
        });
        let removes = taints(&removed.collect::<Vec<_>>());
        let autoscaler = pool.autoscaler.as_ref().map(|template| Autoscaler {
            labels: template
                .labels
                .iter()
                .map(|(key, (value, _))| (key.clone(), value.clone()))
                .collect(),
            taints: taints(&template.taints),
            complete: template.complete,
        });
        let taints = taints(&pool.taints);
        Pool {
            name: pool.name.clone(),
            provider: pool.provider.clone(),
            cluster: listed.cluster.clone(),
            file,
            line,
            object: pool.object.clone(),
            labels: pool.labels.labels.clone(),
            requirements: pool.labels.requirements.clone(),
            other_labels: pool.labels.others,
            taints,
            unschedulable: pool.unschedulable,
            weak: pool.weak,
            removes,
            autoscaler,
            complete: pool.complete,
            incomplete_because: pool.incomplete_because.clone(),
        }
    }
}

fn list_taint(taint: &node_pool::PoolTaint, listed: &Listed<'_>, file: Option<&str>) -> Taint {
    let (taint_file, line) = taint.span.and_then(listed.place).unzip();
    // An absent value is the empty one, but in the inventory, absent means that a value is missing.
    let value = match &taint.taint.value {
        Field::Absent => Field::Is(String::new()),
        other => other.clone(),
    };
    Taint {
        key: taint.taint.key.clone(),
        value,
        effect: taint.taint.effect.clone(),
        origin: taint.origin,
        spelled: taint.spelled.clone(),
        file: taint_file.filter(|own| Some(own.as_str()) != file),
        line,
        field: taint.path.clone(),
    }
}
