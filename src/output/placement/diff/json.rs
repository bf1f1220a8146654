//! `diff` for programs.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::json::place;
use crate::finding::{
    Cause, ComparedCluster, Difference, Effect, Finding, PlacementEffect, PoolDifference, Presence,
    Report, Severity, Standing, Stay, Tenancy,
};
use crate::output::rows::Row;

/// Writes what a change does.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_diff_json(found: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let findings = &found.findings;
    let rows =
        |report: &Report, all: &mut dyn Iterator<Item = &Finding>| -> io::Result<Vec<Value>> {
            let rows = all.map(|finding| serde_json::to_value(Row::of(report, finding)));
            rows.map(|row| row.map_err(io::Error::from)).collect()
        };
    let document = json!({
        "schema": 1,
        "base": found.base,
        "head": found.head,
        "clusters": found.clusters.iter().map(cluster).collect::<Vec<_>>(),
        "placement": found.placement.iter().map(effect).collect::<Vec<_>>(),
        "pools": found.pools.iter().map(pool).collect::<Vec<_>>(),
        "tenancies": found.tenancies.iter().map(tenancy).collect::<Vec<_>>(),
        "findings": {
            "new": rows(&findings.head, &mut findings.new_ones())?,
            "on-change": rows(&findings.head, &mut findings.on_change.iter().map(|one| &one.finding))?,
            "gone": rows(&findings.base, &mut findings.gone_ones())?,
            "moved": findings.moved,
        },
        "summary": summary(found),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn summary(found: &Difference) -> Value {
    let effects = Effect::ALL.into_iter();
    let mut summary: serde_json::Map<String, Value> = effects
        .map(|effect| (effect.as_str().to_owned(), json!(found.count(effect))))
        .collect();
    let findings = &found.findings;
    let new = |severity: Severity| {
        let same = findings.new_ones().filter(|one| one.severity == severity);
        same.count()
    };
    let on_change = |severity: Severity| {
        let mut all = findings.on_change.iter();
        let same = all.by_ref().filter(|one| one.finding.severity == severity);
        same.count()
    };
    let more = [
        ("pools", json!(found.pools.len())),
        (
            "new",
            json!({
                "error": new(Severity::Error),
                "warning": new(Severity::Warning),
                "note": new(Severity::Note),
            }),
        ),
        (
            "on_change",
            json!({
                "error": on_change(Severity::Error),
                "warning": on_change(Severity::Warning),
                "note": on_change(Severity::Note),
            }),
        ),
        ("gone", json!(findings.gone.len())),
        ("moved", json!(findings.moved)),
        ("same", json!(findings.same)),
        (
            "not_judged",
            json!({"before": found.not_judged.0, "after": found.not_judged.1}),
        ),
    ];
    summary.extend(more.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(summary)
}

fn cluster(of: &ComparedCluster) -> Value {
    json!({
        "name": of.name,
        "before": of.before,
        "is": match of.side {
            Presence::Both => "both",
            Presence::Removed => "removed",
            Presence::Added => "added",
        },
        "changed": of.changed,
        "workloads": of.workloads,
    })
}

fn effect(of: &PlacementEffect) -> Value {
    let object = &of.object;
    json!({
        "object": {
            "apiVersion": object.api_version,
            "kind": object.kind,
            "namespace": object.namespace,
            "name": object.name,
        },
        "cluster": of.cluster,
        "effect": of.effect.as_str(),
        "seconds": of.stay.and_then(seconds),
        "cause": cause(&of.cause),
        "before": standing(&of.before),
        "after": standing(&of.after),
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

fn cause(of: &Cause) -> Value {
    let places = of.places.iter().map(|one| {
        let mut place = place(Some(&one.place));
        if let Some(fields) = place.as_object_mut() {
            let side = if one.is_after { "after" } else { "before" };
            fields.insert("side".to_owned(), json!(side));
        }
        place
    });
    json!({"message": of.message, "places": places.collect::<Vec<_>>()})
}

fn standing(of: &Standing) -> Value {
    json!({"lands": of.lands, "place": place(of.place.as_ref())})
}

fn pool(of: &PoolDifference) -> Value {
    json!({
        "pool": of.pool,
        "cluster": of.cluster,
        "change": of.change.as_str(),
        "message": of.message,
        "place": place(of.place.as_ref()),
    })
}

fn tenancy(of: &Tenancy) -> Value {
    json!({"pool": of.pool, "cluster": of.cluster, "used": of.is_used})
}
