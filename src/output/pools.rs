//! Node pools for people: a row each, with what is not known about it underneath.

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
use crate::inventory::{Inventory, Origin, Pool, Requirement, Taint};

use super::escape;
use super::standpoint::Standpoint;
use super::summary::count;

/// Between two columns.
const GAP: usize = 2;
/// Labels that are shown of a pool with fewer taints than that.
const FEW_LABELS: usize = 2;
/// Characters of a cell that are shown, whatever the width.
const CELL_LIMIT: usize = 80;

/// A list of pools and how the user wants to look at it.
pub struct PoolTable<'a> {
    /// The pools.
    pub inventory: &'a Inventory,
    /// What was read.
    pub counts: &'a Counts,
    /// Where the user stands.
    pub standpoint: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// Columns of the terminal. 0 means unknown: nothing is cut then.
    pub width: usize,
}

/// A column: what stands above it, and how few characters it can do with.
struct Column {
    title: &'static str,
    least: usize,
}

const NAME: usize = 0;
const TAINTS: usize = 3;
const LABELS: usize = 4;
const PLACE: usize = 5;
const COLUMNS: [Column; 6] = [
    column("NAME", 16),
    column("PROVIDER", 12),
    column("CLUSTER", 8),
    column("TAINTS", 30),
    column("LABELS", 20),
    column("PLACE", 24),
];

const fn column(title: &'static str, least: usize) -> Column {
    Column { title, least }
}

/// A pool as it is shown: the lines of each cell, and what stands underneath.
struct Row {
    cells: [Vec<String>; COLUMNS.len()],
    incomplete: Option<String>,
}

impl PoolTable<'_> {
    /// Writes the table, and what was read below it when `summary` is set.
    ///
    /// # Errors
    /// When `out` fails.
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

    /// What was read, in one line; a line more when something must be known to trust it.
    pub fn summary(&self) -> String {
        let pools = &self.inventory.pools;
        let files = count(self.counts.files, "file", "files");
        if pools.is_empty() {
            return format!(
                "0 node pools read in {files} (`pools:` in .kubetaint.yaml can name them, and --pools can give them)"
            );
        }
        let open = pools.iter().filter(|pool| !pool.complete).count();
        let mut text = format!(
            "{} read in {files}",
            count(pools.len(), "node pool", "node pools")
        );
        if open > 0 {
            text.push_str(&format!("; of {open} not every taint is known"));
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
        let labels = shown_labels(pool, taints.len().max(FEW_LABELS));
        let one = |text: &str| vec![limited(text)];
        let incomplete = (!pool.complete).then(|| {
            let why = pool.incomplete_because.as_deref().unwrap_or("unknown");
            escape::sentence(why).into_owned()
        });
        Row {
            cells: [
                one(if pool.name.is_empty() {
                    "(no name)"
                } else {
                    &pool.name
                }),
                one(&pool.provider),
                one(pool.cluster.as_deref().unwrap_or_default()),
                taints,
                labels,
                vec![place],
            ],
            incomplete,
        }
    }

    fn write_rows(&self, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths(rows);
        let shown: Vec<usize> = (0..COLUMNS.len()).filter(|at| widths[*at] > 0).collect();
        let titles: Vec<(usize, &str)> = shown.iter().map(|at| (*at, COLUMNS[*at].title)).collect();
        let (bold, plain) = if self.color {
            ("\x1b[1m", "\x1b[0m")
        } else {
            ("", "")
        };
        writeln!(out, "{bold}{}{plain}", line(&titles, &widths))?;
        let (mark, plain) = if self.color {
            ("\x1b[33m", "\x1b[0m")
        } else {
            ("", "")
        };
        for row in rows {
            let height = row.cells.iter().map(Vec::len).max().unwrap_or(0);
            for number in 0..height {
                let cells: Vec<(usize, &str)> = shown
                    .iter()
                    .map(|at| (*at, row.cells[*at].get(number).map_or("", String::as_str)))
                    .collect();
                writeln!(out, "{}", line(&cells, &widths))?;
            }
            if let Some(why) = &row.incomplete {
                writeln!(out, "  {mark}not every taint is known:{plain} {why}")?;
            }
        }
        Ok(())
    }

    /// How wide each column is; 0 for one that has nothing to show.
    fn widths(&self, rows: &[Row]) -> [usize; COLUMNS.len()] {
        let mut widths = [0; COLUMNS.len()];
        for (at, width) in widths.iter_mut().enumerate() {
            let cells = rows.iter().flat_map(|row| &row.cells[at]);
            let widest = cells.map(|cell| length(cell)).max().unwrap_or(0);
            if widest > 0 {
                *width = widest.max(COLUMNS[at].title.len());
            }
        }
        if self.width == 0 {
            return widths;
        }
        let columns = widths.iter().filter(|width| **width > 0).count();
        let total = widths.iter().sum::<usize>() + GAP * columns.saturating_sub(1);
        let mut surplus = total.saturating_sub(self.width);
        // What can be read at the place goes first, and of the place its end is kept.
        for at in [LABELS, PLACE, TAINTS, NAME] {
            let can = widths[at].saturating_sub(COLUMNS[at].least).min(surplus);
            widths[at] -= can;
            surplus -= can;
        }
        widths
    }
}

fn line(cells: &[(usize, &str)], widths: &[usize]) -> String {
    let mut text = String::new();
    for (at, cell) in cells {
        let width = widths[*at];
        let surplus = length(cell).saturating_sub(width);
        let cell = if surplus > 0 && *at == PLACE {
            let end: String = cell.chars().skip(surplus + 1).collect();
            Cow::Owned(format!("…{end}"))
        } else if surplus > 0 {
            escape::shorten(Cow::Borrowed(cell), width.saturating_sub(1))
        } else {
            Cow::Borrowed(*cell)
        };
        let pad = width - length(&cell).min(width) + GAP;
        text.push_str(&cell);
        text.extend(std::iter::repeat_n(' ', pad));
    }
    text.truncate(text.trim_end().len());
    text
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A name on one line, of a length that does not flood a screen.
fn limited(text: &str) -> String {
    escape::shorten(escape::name(text), CELL_LIMIT).into_owned()
}

/// `key=value:Effect`, and how it comes to be there when it is not plainly declared.
fn shown_taint(taint: &Taint) -> String {
    let mut text = taint.key.shown().to_owned();
    let (value, effect) = (taint.value.shown(), taint.effect.shown());
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

/// The first labels, those of the user's own first, and how many there are beside.
fn shown_labels(pool: &Pool, lines: usize) -> Vec<String> {
    let own = |key: &str| !key.contains("kubernetes.io/") && !key.contains("k8s.");
    // The label that says the pool's name says nothing new.
    let repeats = |value: &str| !value.is_empty() && value == pool.name;
    let labels = pool.labels.iter().map(|(key, value)| {
        let text = match value.shown() {
            "" => key.clone(),
            value => format!("{key}={value}"),
        };
        (!own(key) || repeats(value.shown()), text)
    });
    let requirements = pool.requirements.iter().map(|requirement| {
        let text = shown_requirement(requirement);
        (!own(requirement.key.shown()), text)
    });
    let all: BTreeSet<(bool, String)> = labels.chain(requirements).collect();
    let whole = all.len();
    let fits = if whole <= lines { lines } else { lines - 1 };
    let mut shown: Vec<String> = all
        .into_iter()
        .take(fits)
        .map(|(_, text)| limited(&text))
        .collect();
    if whole > shown.len() {
        shown.push(format!("and {} more", whole - shown.len()));
    }
    shown
}

/// `key=value` where there is one value, else as node affinity says it.
fn shown_requirement(requirement: &Requirement) -> String {
    let (key, operator) = (requirement.key.shown(), requirement.operator.shown());
    let values: Vec<&str> = requirement
        .values
        .iter()
        .map(|value| value.shown())
        .collect();
    match (operator, values.as_slice()) {
        ("In", [value]) => format!("{key}={value}"),
        (_, []) => format!("{key} {operator}"),
        _ => format!("{key} {operator} {}", values.join(",")),
    }
}
