//! `whatif` for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::json::place;
use crate::finding::{
    Affected, ChangedCluster, Effect, IdleToleration, Landing, LossReason, PlacedObject,
    PoolNumbers, Stay, WhatIf,
};

/// Writes what changes do.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_whatif_json(found: &WhatIf, out: &mut dyn Write) -> io::Result<()> {
    // Changes of pools neither widen lists nor make them unread.
    let counted = Effect::ALL
        .into_iter()
        .filter(|effect| !matches!(effect, Effect::Widened | Effect::Ignored));
    let summary: serde_json::Map<String, Value> = counted
        .map(|effect| (effect.as_str().to_owned(), json!(found.count(effect))))
        .collect();
    let document = json!({
        "schema": 1,
        "changes": found.changes,
        "clusters": found.clusters.iter().map(cluster).collect::<Vec<_>>(),
        "workloads": found.affected.iter().map(affected).collect::<Vec<_>>(),
        "idle": found.idle.iter().map(idle).collect::<Vec<_>>(),
        "summary": summary,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn object(of: &PlacedObject) -> Value {
    let object = &of.object;
    json!({
        "apiVersion": object.api_version,
        "kind": object.kind,
        "namespace": object.namespace,
        "name": object.name,
    })
}

fn cluster(of: &ChangedCluster) -> Value {
    json!({
        "cluster": of.name,
        "complete": of.complete,
        "workloads": of.workloads,
        "pools": of.pools.iter().map(pool).collect::<Vec<_>>(),
    })
}

fn pool(of: &PoolNumbers) -> Value {
    let landing = |side: &Landing| json!({"lands": side.lands, "unknown": side.unknown});
    json!({
        "pool": of.name,
        "changed": of.changed,
        "before": of.before.as_ref().map(landing),
        "after": of.after.as_ref().map(landing),
        "place": place(of.place.as_ref()),
    })
}

fn affected(of: &Affected) -> Value {
    json!({
        "object": object(&of.object),
        "cluster": of.cluster,
        "effect": of.effect.as_str(),
        "seconds": of.stay.map(seconds),
        "before": of.before,
        "after": of.after,
        "reasons": of.reasons.iter().map(reason).collect::<Vec<_>>(),
        "place": place(of.object.place.as_ref()),
    })
}

/// After how many seconds pods are evicted.
fn seconds(stay: Stay) -> Option<i64> {
    match stay {
        Stay::Evicted => Some(0),
        Stay::For(seconds) => Some(seconds),
        Stay::Forever | Stay::Unknown => None,
    }
}

fn reason(of: &LossReason) -> Value {
    json!({
        "pool": of.pool,
        "seconds": of.stay.map(seconds),
        "plugin": of.plugin,
        "reason": of.reason,
        "taint": of.taint,
        "places": of.places.iter().map(|one| place(Some(one))).collect::<Vec<_>>(),
    })
}

fn idle(of: &IdleToleration) -> Value {
    json!({
        "object": object(&of.object),
        "cluster": of.cluster,
        "toleration": of.text,
        "place": place(of.place.as_ref()),
    })
}
