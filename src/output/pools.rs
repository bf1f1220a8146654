//! Node pools for people: a row each, with unknown properties below it.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "rows, widths and titles have a place for each column"
    )
)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::finding::Counts;
use crate::inventory::{Inventory, Origin, Pool, Requirement, Taint, shown};

use super::escape;
use super::standpoint::Standpoint;
use super::summary::count;
use super::wrap::wrap;

/// Columns between two cells.
const GAP: usize = 2;
/// The most labels shown for a pool.
const MOST_LABELS: usize = 12;
/// The most characters shown of a name, a taint or a label, at any width.
const CELL_LIMIT: usize = 160;
/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 80;

/// A list of pools with the user's display options.
pub struct PoolTable<'a> {
    /// The pools.
    pub inventory: &'a Inventory,
    /// What was read.
    pub counts: &'a Counts,
    /// The user's working directory.
    pub standpoint: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
}

/// A column: its heading, and how far a long cell in one row may widen the column for all rows.
struct Column {
    title: &'static str,
    most: usize,
}

/// The place comes after these columns.
const COLUMNS: [Column; 3] = [
    column("NAME", 36),
    column("PROVIDER", 16),
    column("CLUSTER", 16),
];
const PLACE: &str = "PLACE";

const fn column(title: &'static str, most: usize) -> Column {
    Column { title, most }
}

/// A pool as shown: a row of the table, and the lines below it.
struct Row {
    cells: [String; COLUMNS.len()],
    place: String,
    taints: Vec<String>,
    labels: Vec<String>,
    incomplete: Option<String>,
}

impl PoolTable<'_> {
    /// Writes the table, followed by the summary if `summary` is set.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, summary: bool, out: &mut dyn Write) -> io::Result<()> {
        let rows: Vec<Row> = self
            .inventory
            .pools
            .iter()
            .map(|pool| self.row(pool))
            .collect();
        if !rows.is_empty() {
            self.write_rows(&rows, out)?;
        }
        if summary {
            if !rows.is_empty() {
                writeln!(out)?;
            }
            writeln!(out, "{}", self.summary())?;
        }
        Ok(())
    }

    /// A one-line summary of what was read, with extra lines if there is a reason not to trust it.
    pub fn summary(&self) -> String {
        let pools = &self.inventory.pools;
        let files = count(self.counts.files, "file", "files");
        if pools.is_empty() {
            return format!(
                "0 node pools read in {files} (`pools:` in .kubetaint.yaml can name them, and --pools can give them)"
            );
        }
        let open = pools.iter().filter(|pool| !pool.complete).count();
        let read = usize::try_from(self.counts.pools).unwrap_or(usize::MAX);
        let mut text = format!("{} read in {files}", count(read, "node pool", "node pools"));
        if pools.len() != read {
            // Nodes of a dump become one pool, a pool of two clusters is listed for each, and commands about nodes are, too.
            let rows = count(pools.len(), "row", "rows");
            text.push_str(&format!(", listed in {rows}"));
        }
        if open > 0 {
            text.push_str(&format!("; {open} with unknown taints"));
        }
        let complete: Vec<Cow<'_, str>> = self
            .inventory
            .complete_clusters
            .iter()
            .map(|name| escape::name(name))
            .collect();
        if self.inventory.complete {
            text.push_str("; these are all pools");
        } else if !complete.is_empty() {
            text.push_str(&format!("; complete: {}", complete.join(", ")));
        }
        text
    }

    fn row(&self, pool: &Pool) -> Row {
        let taints: Vec<String> = pool.taints.iter().map(shown_taint).collect();
        let place = match (&pool.file, pool.line) {
            (Some(file), Some(line)) => format!("{}:{line}", self.standpoint.path(file)),
            (Some(file), None) => self.standpoint.path(file),
            (None, _) => String::new(),
        };
        let incomplete = (!pool.complete).then(|| {
            let why = pool.incomplete_because.as_deref().unwrap_or("unknown");
            escape::sentence(why).into_owned()
        });
        let name = match pool.name.as_str() {
            "" => "(no name)",
            name => name,
        };
        Row {
            cells: [
                limited(name),
                limited(&pool.provider),
                limited(pool.cluster.as_deref().unwrap_or_default()),
            ],
            place,
            taints,
            labels: shown_labels(pool),
            incomplete,
        }
    }

    fn write_rows(&self, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        let widths = widths(rows);
        let paint = |code| match self.color {
            true => (code, "\x1b[0m"),
            false => ("", ""),
        };
        let (bold, plain) = paint("\x1b[1m");
        let titles = line(&COLUMNS.map(|column| column.title), &widths);
        writeln!(out, "{bold}{titles}{PLACE}{plain}")?;
        let (mark, plain) = paint("\x1b[33m");
        let width = if self.width == 0 { WIDTH } else { self.width };
        for row in rows {
            let cells = line(&row.cells.each_ref().map(String::as_str), &widths);
            // A place is never cut, so that it can be copied.
            if length(&cells) + length(&row.place) <= width {
                writeln!(out, "{}", format!("{cells}{}", row.place).trim_end())?;
            } else {
                writeln!(out, "{}", cells.trim_end())?;
                writeln!(out, "  place   {}", row.place)?;
            }
            if !(row.taints.is_empty() && row.incomplete.is_some()) {
                let none = ["none".to_owned()];
                let taints = if row.taints.is_empty() {
                    &none
                } else {
                    &row.taints[..]
                };
                writeln!(out, "  taints  {}", taints.join("\n          "))?;
            }
            if let Some(why) = &row.incomplete {
                let words = "some taints are unknown:";
                let why = wrap(why, width, 3 + words.len(), 4);
                writeln!(out, "  {mark}{words}{plain} {why}")?;
            }
            if !row.labels.is_empty() {
                writeln!(out, "  labels  {}", listed(&row.labels, width, 10))?;
            }
        }
        Ok(())
    }
}

/// The width of each column, or 0 for a column without content.
fn widths(rows: &[Row]) -> [usize; COLUMNS.len()] {
    let mut widths = [0; COLUMNS.len()];
    for (at, width) in widths.iter_mut().enumerate() {
        let cells = rows.iter().map(|row| length(&row.cells[at]));
        let widest = cells.clone().max().unwrap_or(0);
        if widest > 0 {
            let usual = cells.filter(|cell| *cell <= COLUMNS[at].most).max();
            *width = usual.unwrap_or(0).max(COLUMNS[at].title.len());
        }
    }
    widths
}

/// Cells in their columns, each followed by a gap. A long cell shifts the ones after it.
fn line(cells: &[&str; COLUMNS.len()], widths: &[usize; COLUMNS.len()]) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths).filter(|(_, width)| **width > 0) {
        text.push_str(cell);
        let pad = width.saturating_sub(length(cell)) + GAP;
        text.extend(std::iter::repeat_n(' ', pad));
    }
    text
}

/// Entries separated by commas. An entry that does not fit on a line starts a new one.
fn listed(entries: &[String], width: usize, indent: usize) -> String {
    let mut text = String::new();
    let mut column = indent;
    for (at, entry) in entries.iter().enumerate() {
        let last = at + 1 == entries.len();
        let needed = length(entry) + usize::from(!last);
        if at > 0 && column + 1 + needed > width {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if at > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(entry);
        text.push_str(if last { "" } else { "," });
        column += needed;
    }
    text
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A name on one line, shortened so that it does not flood the screen.
fn limited(text: &str) -> String {
    escape::shorten(escape::name(text), CELL_LIMIT).into_owned()
}

/// `key=value:Effect`, with the origin of the taint unless it is plainly declared.
fn shown_taint(taint: &Taint) -> String {
    let mut text = shown(&taint.key).to_owned();
    let (value, effect) = (shown(&taint.value), shown(&taint.effect));
    if !value.is_empty() {
        text.push('=');
        text.push_str(value);
    }
    if !effect.is_empty() {
        text.push(':');
        text.push_str(effect);
    }
    let mut text = limited(&text);
    if taint.origin != Origin::Declared {
        text.push_str(&format!(" ({})", taint.origin.as_str()));
    }
    text
}

/// The first labels, user-defined ones first, and the number of remaining labels.
fn shown_labels(pool: &Pool) -> Vec<String> {
    let own = |key: &str| !key.contains("kubernetes.io/") && !key.contains("k8s.");
    // A label that repeats the pool's name adds no information.
    let repeats = |value: &str| !value.is_empty() && value == pool.name;
    let labels = pool.labels.iter().map(|(key, value)| {
        let text = match shown(value) {
            "" => key.clone(),
            value => format!("{key}={value}"),
        };
        (!own(key) || repeats(shown(value)), text)
    });
    let requirements = pool.requirements.iter().map(|requirement| {
        let text = shown_requirement(requirement);
        (!own(shown(&requirement.key)), text)
    });
    let all: BTreeSet<(bool, String)> = labels.chain(requirements).collect();
    let whole = all.len();
    let mut shown: Vec<String> = all
        .into_iter()
        .take(MOST_LABELS)
        .map(|(_, text)| limited(&text))
        .collect();
    if whole > shown.len() {
        shown.push(format!("and {} more", whole - shown.len()));
    }
    shown
}

/// `key=value` for a single value, or else the notation of node affinity.
fn shown_requirement(requirement: &Requirement) -> String {
    let (key, operator) = (shown(&requirement.key), shown(&requirement.operator));
    let values: Vec<&str> = requirement.values.iter().map(shown).collect();
    match (operator, values.as_slice()) {
        ("In", [value]) => format!("{key}={value}"),
        (_, []) => format!("{key} {operator}"),
        _ => format!("{key} {operator} {}", values.join(",")),
    }
}
