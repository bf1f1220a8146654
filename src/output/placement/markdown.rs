//! The matrix as Markdown: a table for each cluster.

use std::io::{self, Write};

use super::known_name;
use crate::finding::{MatrixCluster, MatrixRow, Verdict};
use crate::output::{count, escape};

/// The most workloads that a row names.
const MOST_NAMES: usize = 3;

/// Writes the matrix as Markdown.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_matrix_markdown(clusters: &[MatrixCluster], out: &mut dyn Write) -> io::Result<()> {
    for cluster in clusters {
        let complete = match cluster.complete {
            true => "all pools known",
            false => "not all pools known",
        };
        writeln!(out, "### {} ({complete})\n", cell(&cluster.name))?;
        if cluster.pools.is_empty() {
            writeln!(out, "No node pool was read.\n")?;
            continue;
        }
        let pools = cluster.pools.iter().map(|pool| cell(&pool.name));
        let pools: Vec<String> = pools.collect();
        writeln!(out, "| workloads | {} |", pools.join(" | "))?;
        writeln!(out, "| --- |{}", " --- |".repeat(pools.len()))?;
        for row in &cluster.rows {
            let cells: Vec<&str> = row.cells.iter().map(|one| sign(one.verdict)).collect();
            writeln!(out, "| {} | {} |", names(row), cells.join(" | "))?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "✅ lands, 🟡 lands but is avoided (soft taint), ⛔ kept out by a taint, · not selected, ❔ unknown"
    )
}

fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Lands => "✅",
        Verdict::PrefersNot => "🟡",
        Verdict::KeptOut => "⛔",
        Verdict::NotSelected => "·",
        Verdict::Unknown => "❔",
    }
}

fn names(row: &MatrixRow) -> String {
    let first = row.workloads.iter().take(MOST_NAMES).map(known_name);
    let mut names: Vec<String> = first.map(|name| cell(&name)).collect();
    let more = row.workloads.len().saturating_sub(MOST_NAMES);
    if more > 0 {
        names.push(format!("and {}", count(more, "other", "others")));
    }
    names.join("<br>")
}

/// A text that cannot leave its cell, as code.
fn cell(text: &str) -> String {
    let name = escape::name(text);
    format!("`{}`", name.replace('`', "'").replace('|', "\\|"))
}
