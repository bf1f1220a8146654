//! The matrix as CSV: one line for each workload and pool.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::finding::MatrixCluster;

/// Writes the matrix as CSV (RFC 4180, lines end in LF).
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_matrix_csv(clusters: &[MatrixCluster], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "cluster,namespace,kind,name,file,line,pool,verdict,reason,taint"
    )?;
    for cluster in clusters {
        for row in &cluster.rows {
            for workload in &row.workloads {
                let object = &workload.object;
                let (file, line) = match &workload.place {
                    Some((file, at)) => (file.as_str(), at.line.to_string()),
                    None => ("", String::new()),
                };
                for (pool, cell) in cluster.pools.iter().zip(&row.cells) {
                    let fields = [
                        cluster.name.as_str(),
                        object.namespace.as_deref().unwrap_or_default(),
                        &object.kind,
                        object.name.as_deref().unwrap_or_default(),
                        file,
                        &line,
                        &pool.name,
                        cell.verdict.as_str(),
                        cell.reason.as_deref().unwrap_or_default(),
                        cell.taint.as_deref().unwrap_or_default(),
                    ];
                    let fields: Vec<Cow<'_, str>> = fields.into_iter().map(field).collect();
                    writeln!(out, "{}", fields.join(","))?;
                }
            }
        }
    }
    Ok(())
}

/// A field, in quotes where it needs them. Spreadsheets run what begins with `=`, `+`, `-` or `@`, so such a field begins
/// with an apostrophe.
fn field(text: &str) -> Cow<'_, str> {
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = match runs {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    };
    match text.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))),
        false => text,
    }
}
