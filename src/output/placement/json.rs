//! `why` and `matrix` for programs.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::finding::{
    FilePlace, Judgement, MatrixCluster, PlacedObject, ShownToleration, Stay, Who, Why,
};

/// A place as in all JSON documents.
pub(super) fn place(place: Option<&FilePlace>) -> Value {
    let Some((file, at)) = place else {
        return Value::Null;
    };
    json!({"file": file, "start": {"line": at.line, "column": at.column, "offset": at.offset}})
}

fn places(all: &[FilePlace]) -> Vec<Value> {
    all.iter().map(|one| place(Some(one))).collect()
}

fn object(of: &PlacedObject) -> Value {
    let object = &of.object;
    json!({
        "apiVersion": object.api_version,
        "kind": object.kind,
        "namespace": object.namespace,
        "name": object.name,
        "place": place(of.place.as_ref()),
    })
}

/// Writes the matrix.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_matrix_json(clusters: &[MatrixCluster], out: &mut dyn Write) -> io::Result<()> {
    let clusters = clusters.iter().map(|cluster| {
        let rows = cluster.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| cell.verdict.as_str());
            json!({
                "workloads": row.workloads.iter().map(object).collect::<Vec<_>>(),
                "cells": cells.collect::<Vec<_>>(),
            })
        });
        let pools = cluster.pools.iter().map(|pool| pool.name.as_str());
        json!({
            "cluster": cluster.name,
            "complete": cluster.complete,
            "pools": pools.collect::<Vec<_>>(),
            "rows": rows.collect::<Vec<_>>(),
        })
    });
    let clusters: Vec<Value> = clusters.collect();
    write(&json!({"schema": 1, "clusters": clusters}), out)
}

fn judgement(pool: &str, judged: &Judgement) -> Value {
    json!({
        "pool": pool,
        "verdict": judged.verdict.as_str(),
        "plugin": judged.plugin,
        "reason": judged.reason,
        "taint": judged.taint,
        "places": places(&judged.places),
    })
}

fn toleration(entry: &ShownToleration) -> Value {
    let [key, operator, value, effect] = &entry.fields;
    json!({
        "key": key,
        "operator": operator,
        "value": value,
        "effect": effect,
        "tolerationSeconds": entry.seconds,
        "origin": if entry.by.is_some() { "injected" } else { "written" },
        "by": entry.by,
        "certain": entry.certain,
        "matches": entry.matches,
        "place": place(entry.place.as_ref()),
    })
}

fn eviction((taint, stay): &(String, Stay)) -> Value {
    let (when, seconds) = match stay {
        Stay::Forever => ("never", None),
        Stay::Evicted => ("at-once", None),
        Stay::For(seconds) => ("after", Some(*seconds)),
        Stay::Unknown => ("unknown", None),
    };
    json!({"taint": taint, "when": when, "seconds": seconds})
}

/// Writes why a workload can or cannot run on each pool. Several workloads become an array under `workloads`.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_why_json(all: &[Why], out: &mut dyn Write) -> io::Result<()> {
    let one = |why: &Why| {
        let clusters = why.clusters.iter().map(|cluster| {
            let pools = cluster.pools.iter();
            json!({
                "cluster": cluster.name,
                "complete": cluster.complete,
                "pools": pools
                    .map(|(pool, judged)| judgement(&pool.name, judged))
                    .collect::<Vec<_>>(),
                "tolerations": cluster.tolerations.iter().map(toleration).collect::<Vec<_>>(),
                "more-tolerations": cluster.more_tolerations,
                "eviction": cluster.evictions.iter().map(eviction).collect::<Vec<_>>(),
            })
        });
        let clusters: Vec<Value> = clusters.collect();
        json!({"workload": object(&why.workload), "clusters": clusters})
    };
    let mut document = match all {
        [only] => one(only),
        several => json!({"workloads": several.iter().map(one).collect::<Vec<_>>()}),
    };
    if let Some(fields) = document.as_object_mut() {
        fields.insert("schema".to_owned(), json!(1));
    }
    write(&document, out)
}

/// Writes who can run on a pool.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_who_json(pool: &str, all: &[Who], out: &mut dyn Write) -> io::Result<()> {
    let clusters = all.iter().map(|who| {
        let workloads = who.workloads.iter().map(|one| {
            json!({
                "workload": object(&one.workload),
                "verdict": one.judgement.verdict.as_str(),
                "meant": one.meant,
                "plugin": one.judgement.plugin,
                "reason": one.judgement.reason,
                "taint": one.judgement.taint,
                "places": places(&one.judgement.places),
            })
        });
        json!({"cluster": who.cluster, "workloads": workloads.collect::<Vec<_>>()})
    });
    let clusters: Vec<Value> = clusters.collect();
    write(
        &json!({"schema": 1, "pool": pool, "clusters": clusters}),
        out,
    )
}

fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    out.write_all(b"\n")
}
