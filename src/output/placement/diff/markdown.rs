//! `diff` for a comment on a change: one screen, the verdict in the first line.

use std::io::{self, Write};

use super::{
    Group, groups, not_judged, object_name, other_pools, renamed, tenancies, title, told,
    unchanged, verdict, worst_first,
};
use crate::finding::{CausePlace, Difference, Effect, Finding, PlacementEffect, Severity, Stay};
use crate::output::place::locate;
use crate::output::{count, escape, telling};

/// The most rows, so that the summary fits one screen.
const MOST_ROWS: usize = 12;
/// The most objects of a row.
const MOST_OBJECTS: usize = 3;
/// The most pools of a cell.
const MOST_POOLS: usize = 4;
/// The most findings and pools in a list.
const MOST_FINDINGS: usize = 6;

/// The line by which a comment is found again, to be replaced.
const MARK: &str = "<!-- kubetaint diff -->";

/// Writes what a change does as Markdown.
///
/// # Errors
/// Returns an error if `out` fails.
pub fn write_diff_markdown(found: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let sides = format!("{} → {}", code(&found.base), code(&found.head));
    let has_errors = found
        .findings
        .brought()
        .any(|finding| finding.severity > Severity::Note);
    let sign = match (
        found.is_harmful(),
        has_errors || found.count(Effect::Loses) > 0,
    ) {
        (true, _) => "❌",
        (false, true) => "⚠️",
        (false, false) => "✅",
    };
    let verdict = capitalized(&verdict(found));
    if found.is_empty() {
        return writeln!(out, "**{sign} {verdict}.** {sides} {MARK}");
    }
    writeln!(out, "**{sign} {verdict}**")?;
    let groups = groups(found);
    if !groups.is_empty() {
        writeln!(out, "\n| | cause | workloads | before → after |")?;
        writeln!(out, "| --- | --- | --- | --- |")?;
    }
    for group in groups.iter().take(MOST_ROWS) {
        writeln!(
            out,
            "| {} {} | {} | {} | {} |",
            sign_of(group.effect),
            title(group.effect),
            cause(group),
            objects(group, found.clusters.len() > 1),
            pools(group)
        )?;
    }
    let more = groups.len().saturating_sub(MOST_ROWS);
    let mut lines: Vec<String> = Vec::new();
    if more > 0 {
        lines.push(count(more, "more cause, left out", "more causes, left out"));
    }
    let others = other_pools(found, &groups);
    for pool in others.iter().take(MOST_FINDINGS) {
        let at = pool.place.as_ref().map(|(file, at)| place(file, at.line));
        let at = at.map(|at| format!(" {at}")).unwrap_or_default();
        let message = telling::line(&pool.message);
        lines.push(format!(
            "{} (cluster {}){at}",
            prose(&message),
            code(&pool.cluster)
        ));
    }
    lines.extend(left_out(
        others.len(),
        "more pool changes",
        "more pools change",
    ));
    let findings = &found.findings;
    let new = worst_first(findings);
    for finding in new.iter().take(MOST_FINDINGS) {
        let at = locate(&findings.head, finding.span);
        lines.push(new_finding(finding, &place(at.file, at.start.line)));
    }
    lines.extend(left_out(new.len(), "more new finding", "more new findings"));
    let gone: Vec<&Finding> = findings.gone_ones().collect();
    if !gone.is_empty() {
        lines.push(format!("gone: {}", rules(&gone)));
    }
    lines.extend(tenancies(found).iter().map(|line| prose(line)));
    lines.extend(renamed(found).iter().map(|line| prose(line)));
    lines.extend(unchanged(found).iter().map(|line| prose(line)));
    if findings.moved > 0 {
        lines.push(count(
            findings.moved,
            "finding only moved",
            "findings only moved",
        ));
    }
    lines.extend(told(findings).map(|line| prose(&line)));
    lines.extend(not_judged(found));
    if !lines.is_empty() {
        writeln!(out)?;
    }
    for line in lines {
        writeln!(out, "- {line}")?;
    }
    writeln!(out, "\n{sides} {MARK}")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn left_out(all: usize, one: &str, many: &str) -> Option<String> {
    let more = all.saturating_sub(MOST_FINDINGS);
    (more > 0).then(|| count(more, one, many))
}

fn sign_of(effect: Effect) -> &'static str {
    match effect {
        Effect::Evicted | Effect::Pending => "❌",
        Effect::Moves | Effect::Loses | Effect::Ignored => "⚠️",
        Effect::Unknown => "❔",
        Effect::Gains | Effect::Widened => "ℹ️",
    }
}

fn cause(group: &Group<'_>) -> String {
    let message = prose(&telling::line(&group.cause.message));
    let stay = match group.stay() {
        Some(Stay::Evicted) => ", which evicts its pods at once".to_owned(),
        Some(Stay::For(seconds)) => format!(", which evicts its pods after {seconds} s"),
        _ => String::new(),
    };
    format!("{message}{stay}{}", places(group.places()))
}

fn places(all: &[CausePlace]) -> String {
    let side = |is_after: bool| {
        let mut own = all.iter().filter(|one| one.is_after == is_after);
        own.next().map(|one| place(&one.place.0, one.place.1.line))
    };
    match (side(false), side(true)) {
        (Some(before), Some(after)) if before == after => format!("<br>{after}"),
        (Some(before), Some(after)) => format!("<br>{before} → {after}"),
        (Some(only), None) | (None, Some(only)) => format!("<br>{only}"),
        (None, None) => String::new(),
    }
}

fn objects(group: &Group<'_>, with_clusters: bool) -> String {
    let object = |one: &&PlacementEffect| {
        let at = one.after.place.as_ref().or(one.before.place.as_ref());
        let at = at.map(|(file, at)| format!(" {}", place(file, at.line)));
        format!(
            "{}{}",
            code(&object_name(&one.object)),
            at.unwrap_or_default()
        )
    };
    let mut shown: Vec<String> = group
        .members
        .iter()
        .take(MOST_OBJECTS)
        .map(object)
        .collect();
    let more = group.members.len().saturating_sub(MOST_OBJECTS);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    if with_clusters {
        let names: Vec<String> = group.clusters.iter().map(|name| code(name)).collect();
        let word = if names.len() == 1 {
            "cluster"
        } else {
            "clusters"
        };
        shown.push(format!("{word} {}", super::listed(&names, MOST_POOLS)));
    }
    shown.join("<br>")
}

fn pools(group: &Group<'_>) -> String {
    if group.effect == Effect::Ignored {
        return "the same".to_owned();
    }
    let names = |all: &[String]| -> Vec<String> { all.iter().map(|name| code(name)).collect() };
    let shown = group.by_pools();
    let lines = shown.iter().take(MOST_OBJECTS).map(|((before, after), _)| {
        format!(
            "{} → {}",
            super::listed(&names(before), MOST_POOLS),
            super::listed(&names(after), MOST_POOLS)
        )
    });
    let mut lines: Vec<String> = lines.collect();
    let more = shown.len().saturating_sub(MOST_OBJECTS);
    if more > 0 {
        lines.push(format!("and {more} others"));
    }
    lines.join("<br>")
}

fn new_finding(finding: &Finding, at: &str) -> String {
    let message = prose(&telling::message(finding));
    let severity = match finding.severity {
        Severity::Note => "note".to_owned(),
        Severity::Error | Severity::Warning => format!("**{}**", finding.severity),
    };
    format!("new {severity} {} {at}: {message}", code(&finding.rule))
}

/// How many findings of each rule.
fn rules(all: &[&Finding]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for finding in all {
        *counts.entry(&finding.rule).or_default() += 1;
    }
    let shown = counts.iter().map(|(rule, many)| match many {
        1 => code(rule),
        many => format!("{} ({many})", code(rule)),
    });
    let shown: Vec<String> = shown.collect();
    shown.join(", ")
}

fn place(file: &str, line: u32) -> String {
    code(&format!("{file}:{line}"))
}

/// One of our sentences with untrusted words in it, for a cell of a table.
fn prose(text: &str) -> String {
    crate::output::markdown::prose(text)
}

/// A text that cannot leave its cell, as code.
fn code(text: &str) -> String {
    let name = escape::name(text);
    format!("`{}`", name.replace('`', "'").replace('|', "\\|"))
}
