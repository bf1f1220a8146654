//! `whatif` for terminals.

use std::io::{self, Write};

use super::super::{object_name, style};
use super::{grouped, verdict, when, worth_showing};
use crate::finding::{Affected, ChangedCluster, Effect, FilePlace, Landing, LossReason, WhatIf};
use crate::output::standpoint::Standpoint;
use crate::output::{count, escape, wrap};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 100;
/// The most workloads that are named of those that the same happens to, and the most idle tolerations.
const MOST: usize = 12;
/// The most reasons and the most pools of a list.
const MOST_POOLS: usize = 6;

/// The answer with the user's display options.
pub struct WhatIfText<'a> {
    /// The user's working directory.
    pub standpoint: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
}

impl WhatIfText<'_> {
    /// Writes what changes do.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, found: &WhatIf, out: &mut dyn Write) -> io::Result<()> {
        let (bold, plain) = style(self.color, "\x1b[1m");
        for change in &found.changes {
            self.line(&escape::sentence(change), 0, out)?;
        }
        writeln!(out, "{bold}{}{plain}", verdict(found))?;
        for cluster in &found.clusters {
            self.cluster(cluster, out)?;
        }
        let mut last = None;
        for group in grouped(found) {
            let Some(first) = group.first() else {
                continue;
            };
            let heading = (first.effect, &first.cluster);
            if last != Some(heading) {
                let (color, plain) = style(self.color, paint(first.effect));
                let cluster = escape::name(&first.cluster);
                let title = title(first.effect);
                writeln!(out, "\n{color}{title}{plain} in cluster {cluster}")?;
                last = Some(heading);
            }
            self.group(&group, first, out)?;
        }
        if !found.idle.is_empty() {
            writeln!(
                out,
                "\ntolerations that match no taint of these pools any more"
            )?;
        }
        for idle in found.idle.iter().take(MOST) {
            let at = self.place(idle.place.as_ref());
            let at = at.map(|at| format!(" ({at})")).unwrap_or_default();
            let name = object_name(&idle.object);
            let text = escape::sentence(&idle.text);
            self.line(&format!("{name}: {text}{at}"), 2, out)?;
        }
        self.more(found.idle.len(), out)
    }

    fn cluster(&self, cluster: &ChangedCluster, out: &mut dyn Write) -> io::Result<()> {
        let complete = match cluster.complete {
            true => "complete",
            false => "not all pools are known",
        };
        let workloads = count(cluster.workloads, "workload", "workloads");
        let name = escape::name(&cluster.name);
        writeln!(out, "\ncluster {name} ({complete}), {workloads}")?;
        let pools: Vec<_> = worth_showing(cluster).collect();
        let names = pools.iter().map(|pool| escape::name(&pool.name));
        let names: Vec<_> = names.collect();
        let longest = names.iter().map(|name| name.chars().count()).max();
        let room = longest.unwrap_or_default();
        for (pool, name) in pools.iter().zip(names) {
            let before = side(pool.before.as_ref(), "not there");
            let after = side(pool.after.as_ref(), "removed");
            writeln!(out, "  pool {name:room$}  {before} -> {after}")?;
        }
        Ok(())
    }

    fn group(&self, group: &[&Affected], first: &Affected, out: &mut dyn Write) -> io::Result<()> {
        for one in group.iter().take(MOST) {
            let at = self.place(one.object.place.as_ref());
            let at = at.map(|at| format!("  {at}")).unwrap_or_default();
            writeln!(out, "  {}{at}", object_name(&one.object))?;
        }
        self.more(group.len(), out)?;
        let pools = format!("{} -> {}", listed(&first.before), listed(&first.after));
        self.line(&pools, 6, out)?;
        for why in first.reasons.iter().take(MOST_POOLS) {
            self.line(&reason(why), 6, out)?;
        }
        Ok(())
    }

    fn more(&self, all: usize, out: &mut dyn Write) -> io::Result<()> {
        match all.saturating_sub(MOST) {
            0 => Ok(()),
            more => writeln!(out, "  and {more} more"),
        }
    }

    fn line(&self, text: &str, indent: usize, out: &mut dyn Write) -> io::Result<()> {
        let width = if self.width == 0 { WIDTH } else { self.width };
        writeln!(
            out,
            "{:indent$}{}",
            "",
            wrap(text, width, indent, indent + 2)
        )
    }

    fn place(&self, place: Option<&FilePlace>) -> Option<String> {
        let (file, at) = place?;
        Some(format!("{}:{}", self.standpoint.path(file), at.line))
    }
}

fn reason(why: &LossReason) -> String {
    let stay = why.stay.map(|stay| format!("evicted {}: ", when(stay)));
    let taint = why.taint.as_ref().map(|taint| format!(" {{{taint}}}"));
    let text = format!(
        "{}: {}{}{}",
        why.pool,
        stay.unwrap_or_default(),
        why.reason,
        taint.unwrap_or_default()
    );
    escape::sentence(&text).into_owned()
}

fn side(landing: Option<&Landing>, none: &str) -> String {
    match landing {
        None => none.to_owned(),
        Some(landing) if landing.unknown == 0 => landing.lands.to_string(),
        Some(landing) => format!("{} ({} unknown)", landing.lands, landing.unknown),
    }
}

fn listed(pools: &[String]) -> String {
    let shown = pools.iter().take(MOST_POOLS);
    let shown: Vec<_> = shown.map(|name| escape::name(name)).collect();
    match pools.len().saturating_sub(MOST_POOLS) {
        _ if pools.is_empty() => "no known pool".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The heading over the workloads that something happens to.
fn title(effect: Effect) -> &'static str {
    match effect {
        Effect::Evicted => "evicted",
        Effect::Pending => "Pending",
        Effect::Moves => "move to other pools",
        Effect::Loses => "lose pools",
        Effect::Gains => "gain pools",
        Effect::Widened => "tolerate more",
        Effect::Ignored => "nothing reads the list",
        Effect::Unknown => "not known",
    }
}

fn paint(effect: Effect) -> &'static str {
    match effect {
        Effect::Evicted | Effect::Pending => "\x1b[31m",
        Effect::Moves | Effect::Loses | Effect::Unknown => "\x1b[33m",
        Effect::Gains | Effect::Widened | Effect::Ignored => "\x1b[32m",
    }
}
