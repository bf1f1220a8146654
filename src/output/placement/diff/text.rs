//! `diff` for terminals.

use std::io::{self, Write};

use super::super::style;
use super::{
    Group, groups, listed, not_judged, object_name, other_pools, renamed, tenancies, title, told,
    unchanged, verdict, worst_first,
};
use crate::finding::{
    CausePlace, Difference, Effect, Finding, PlacementEffect, Report, Severity, Stay,
};
use crate::output::place::locate;
use crate::output::standpoint::Standpoint;
use crate::output::{count, escape, telling, wrap};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 100;
/// The most objects that are named of those that the same happens to.
const MOST: usize = 6;
/// The most pools of a list, and the most findings and pools that are listed.
const MOST_POOLS: usize = 6;
const MOST_FINDINGS: usize = 12;

/// The answer with the user's display options.
pub struct DiffText<'a> {
    /// The user's working directory, seen from the state after.
    pub standpoint: &'a Standpoint,
    /// The same, seen from the state before.
    pub base: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
    /// Whether to name everything instead of counting what is left out.
    pub unfolds: bool,
}

impl DiffText<'_> {
    /// Writes what a change does.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, found: &Difference, out: &mut dyn Write) -> io::Result<()> {
        let (bold, plain) = style(self.color, "\x1b[1m");
        let sides = format!(
            "{} -> {}",
            escape::name(&found.base),
            escape::name(&found.head)
        );
        if found.is_empty() && !self.unfolds {
            return writeln!(out, "{bold}{}{plain} ({sides})", verdict(found));
        }
        writeln!(out, "{bold}{}{plain}", verdict(found))?;
        let groups = groups(found);
        for group in &groups {
            self.group(group, out)?;
        }
        let pools = other_pools(found, &groups);
        if !pools.is_empty() {
            writeln!(out, "\npools")?;
        }
        for pool in pools.iter().take(self.most(MOST_FINDINGS)) {
            let at = pool
                .place
                .as_ref()
                .map(|(file, at)| self.place(file, at.line));
            let at = at.map(|at| format!("  {at}")).unwrap_or_default();
            let cluster = escape::name(&pool.cluster);
            let message = escape::sentence(&pool.message);
            self.line(&format!("{message} (cluster {cluster}){at}"), 2, out)?;
        }
        self.more(pools.len(), MOST_FINDINGS, out)?;
        let found_findings = &found.findings;
        let new = worst_first(found_findings);
        self.findings("new findings", &new, &found_findings.head, out)?;
        let gone: Vec<&Finding> = found_findings.gone_ones().collect();
        self.findings("findings that are gone", &gone, &found_findings.base, out)?;
        let mut last: Vec<String> = tenancies(found);
        last.extend(renamed(found));
        last.extend(unchanged(found));
        let moved = found_findings.moved;
        if moved > 0 {
            last.push(count(moved, "finding only moved", "findings only moved"));
        }
        last.extend(told(found_findings));
        last.extend(not_judged(found));
        last.push(sides);
        writeln!(out)?;
        for line in last {
            self.line(&line, 0, out)?;
        }
        Ok(())
    }

    fn most(&self, folded: usize) -> usize {
        if self.unfolds { usize::MAX } else { folded }
    }

    fn group(&self, group: &Group<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (color, plain) = style(self.color, paint(group.effect));
        let clusters: Vec<String> = group
            .clusters
            .iter()
            .map(|name| escape::name(name).into_owned())
            .collect();
        let word = if clusters.len() == 1 {
            "cluster"
        } else {
            "clusters"
        };
        let heading = title(group.effect);
        let clusters = listed(&clusters, MOST_POOLS);
        writeln!(out, "\n{color}{heading}{plain} ({word} {clusters})")?;
        let stay = group.stay().map(when).unwrap_or_default();
        let cause = escape::sentence(&group.cause.message);
        self.line(
            &format!("{cause}{stay}{}", self.places(group.places())),
            2,
            out,
        )?;
        for ((before, after), members) in group.by_pools() {
            for one in members.iter().take(self.most(MOST)) {
                writeln!(
                    out,
                    "    {}{}",
                    object_name(&one.object),
                    self.object_place(one)
                )?;
            }
            self.more(members.len(), MOST, out)?;
            if group.effect != Effect::Ignored {
                let pools = format!(
                    "{} -> {}",
                    listed(&names(before), MOST_POOLS),
                    listed(&names(after), MOST_POOLS)
                );
                self.line(&pools, 6, out)?;
            }
        }
        Ok(())
    }

    fn object_place(&self, one: &PlacementEffect) -> String {
        let place = one.after.place.as_ref().or(one.before.place.as_ref());
        place.map_or_else(String::new, |(file, at)| {
            format!("  {}", self.place(file, at.line))
        })
    }

    fn places(&self, places: &[CausePlace]) -> String {
        let side = |is_after: bool| {
            let mut own = places.iter().filter(|one| one.is_after == is_after);
            own.next().map(|one| {
                let from = if is_after { self.standpoint } else { self.base };
                let file = from.path(&one.place.0);
                super::super::place((&file, one.place.1.line))
            })
        };
        match (side(false), side(true)) {
            (Some(before), Some(after)) if before == after => format!("  {after}"),
            (Some(before), Some(after)) => format!("  {before} -> {after}"),
            (Some(only), None) | (None, Some(only)) => format!("  {only}"),
            (None, None) => String::new(),
        }
    }

    fn findings(
        &self,
        heading: &str,
        all: &[&Finding],
        report: &Report,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{heading}")?;
        for finding in all.iter().take(self.most(MOST_FINDINGS)) {
            let place = locate(report, finding.span);
            let at = self.place(place.file, place.start.line);
            let (color, plain) = style(self.color, severity_paint(finding.severity));
            let severity = finding.severity;
            let message = telling::message(finding);
            let rule = escape::name(&finding.rule);
            let text = format!("{at} {color}{severity}{plain}[{rule}] {message}");
            self.line(&text, 2, out)?;
        }
        self.more(all.len(), MOST_FINDINGS, out)
    }

    fn place(&self, file: &str, line: u32) -> String {
        let file = self.standpoint.path(file);
        super::super::place((&file, line))
    }

    fn line(&self, text: &str, indent: usize, out: &mut dyn Write) -> io::Result<()> {
        let width = if self.width == 0 { WIDTH } else { self.width };
        let wrapped = wrap::wrap(text, width, indent, indent + 2);
        let lines: Vec<&str> = wrapped.lines().map(str::trim_end).collect();
        let wrapped = lines.join("\n");
        writeln!(out, "{:indent$}{wrapped}", "")
    }

    fn more(&self, all: usize, folded: usize, out: &mut dyn Write) -> io::Result<()> {
        match all.saturating_sub(self.most(folded)) {
            0 => Ok(()),
            more => writeln!(out, "    and {more} more (-v names them)"),
        }
    }
}

fn names(all: &[String]) -> Vec<String> {
    all.iter()
        .map(|name| escape::name(name).into_owned())
        .collect()
}

fn when(stay: Stay) -> String {
    match stay {
        Stay::Evicted => ", which evicts its pods at once".to_owned(),
        Stay::For(seconds) => format!(", which evicts its pods after {seconds} s"),
        Stay::Forever | Stay::Unknown => String::new(),
    }
}

fn paint(effect: Effect) -> &'static str {
    match effect {
        Effect::Evicted | Effect::Pending => "\x1b[31m",
        Effect::Moves | Effect::Loses | Effect::Unknown | Effect::Ignored => "\x1b[33m",
        Effect::Gains | Effect::Widened => "\x1b[32m",
    }
}

fn severity_paint(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[31m",
        Severity::Warning => "\x1b[33m",
        Severity::Note => "\x1b[2m",
    }
}
