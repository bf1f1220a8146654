//! `whatif` for a page or a comment: the verdict, a table of pools, a table of workloads.

use std::io::{self, Write};

use super::super::{known_name, line, place};
use super::{grouped, verdict, when, worth_showing};
use crate::finding::{Affected, Effect, Landing, WhatIf};
use crate::output::escape;

/// The most workloads that a row names, and the most idle tolerations.
const MOST: usize = 10;
/// The most pools in a cell.
const MOST_POOLS: usize = 6;

/// Writes what changes do as Markdown.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_whatif_markdown(found: &WhatIf, out: &mut dyn Write) -> io::Result<()> {
    let sign = match found.is_harmful() {
        true => "❌",
        false => "✅",
    };
    writeln!(out, "**{sign} What if: {}**\n", verdict(found))?;
    for change in &found.changes {
        writeln!(out, "- {}", code(change))?;
    }
    let shown = |one: &_| worth_showing(one).next().is_some();
    if found.clusters.iter().any(shown) {
        writeln!(out, "\n| cluster | pool | before | after |")?;
        writeln!(out, "| --- | --- | ---: | ---: |")?;
    }
    for cluster in &found.clusters {
        for pool in worth_showing(cluster) {
            let (name, pool_name) = (code(&cluster.name), code(&pool.name));
            let before = side(pool.before.as_ref(), "not there");
            let after = side(pool.after.as_ref(), "removed");
            writeln!(out, "| {name} | {pool_name} | {before} | {after} |")?;
        }
    }
    if !found.affected.is_empty() {
        writeln!(
            out,
            "\n| effect | workloads | cluster | before | after | why |"
        )?;
        writeln!(out, "| --- | --- | --- | --- | --- | --- |")?;
    }
    for group in grouped(found) {
        let Some(first) = group.first() else {
            continue;
        };
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            effect(first),
            workloads(&group),
            code(&first.cluster),
            pools(&first.before),
            pools(&first.after),
            reasons(first)
        )?;
    }
    if !found.idle.is_empty() {
        writeln!(
            out,
            "\nTolerations that match no taint of these pools any more:\n"
        )?;
    }
    for idle in found.idle.iter().take(MOST) {
        let at = idle.place.as_ref().map(|at| place(line(at)));
        let at = at.map(|at| format!(" {}", code(&at))).unwrap_or_default();
        let name = code(&known_name(&idle.object));
        writeln!(out, "- {name}: {}{at}", code(&idle.text))?;
    }
    match found.idle.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => writeln!(out, "- and {more} more"),
    }
}

fn effect(of: &Affected) -> String {
    let sign = match of.effect {
        Effect::Evicted | Effect::Pending => "❌",
        Effect::Moves | Effect::Loses => "⚠️",
        Effect::Unknown => "❔",
        Effect::Gains | Effect::Widened | Effect::Ignored => "✅",
    };
    format!("{sign} {}", of.effect.as_str())
}

fn workloads(group: &[&Affected]) -> String {
    let shown = group.iter().take(MOST).map(|one| {
        let at = one.object.place.as_ref().map(|at| place(line(at)));
        let at = at.map(|at| format!(" {}", code(&at))).unwrap_or_default();
        format!("{}{at}", code(&super::super::object_name(&one.object)))
    });
    let mut shown: Vec<String> = shown.collect();
    let more = group.len().saturating_sub(MOST);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("<br>")
}

fn reasons(of: &Affected) -> String {
    let shown = of.reasons.iter().take(MOST_POOLS).map(|why| {
        let taint = why.taint.as_ref().map(|taint| format!(" {}", code(taint)));
        let taint = taint.unwrap_or_default();
        let stay = why.stay.map(|stay| format!("evicted {}: ", when(stay)));
        let stay = stay.unwrap_or_default();
        format!("{}: {stay}{}{taint}", code(&why.pool), code(&why.reason))
    });
    let shown: Vec<String> = shown.collect();
    shown.join("<br>")
}

fn pools(all: &[String]) -> String {
    let mut shown: Vec<String> = all.iter().take(MOST_POOLS).map(|name| code(name)).collect();
    let more = all.len().saturating_sub(MOST_POOLS);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    match all.is_empty() {
        true => "no known pool".to_owned(),
        false => shown.join(", "),
    }
}

fn side(landing: Option<&Landing>, none: &str) -> String {
    match landing {
        None => none.to_owned(),
        Some(landing) if landing.unknown == 0 => landing.lands.to_string(),
        Some(landing) => format!("{} ({} unknown)", landing.lands, landing.unknown),
    }
}

/// A text that cannot leave its cell, as code.
fn code(text: &str) -> String {
    let name = escape::name(text);
    format!("`{}`", name.replace('`', "'").replace('|', "\\|"))
}
