//! The matrix for terminals: rows of workloads, a column for each pool, folded to the width.

use std::collections::HashMap;
use std::io::{self, Write};

use super::{known_name, paint, style};
use crate::finding::{MatrixCluster, MatrixRow, Verdict};
use crate::output::{count, escape};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 100;
/// The most columns for the names of workloads, and for the name of a pool.
const NAMES: (usize, usize) = (24, 44);
const POOL: usize = 18;

/// A matrix with the user's display options.
pub struct MatrixTable<'a> {
    /// The clusters.
    pub clusters: &'a [MatrixCluster],
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
}

impl MatrixTable<'_> {
    /// Writes the matrix.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (at, cluster) in self.clusters.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            self.cluster(cluster, out)?;
        }
        Ok(())
    }

    fn cluster(&self, cluster: &MatrixCluster, out: &mut dyn Write) -> io::Result<()> {
        let (bold, plain) = style(self.color, "\x1b[1m");
        let workloads: usize = cluster.rows.iter().map(|row| row.workloads.len()).sum();
        let complete = match cluster.complete {
            true => "complete",
            false => "not all pools are known",
        };
        writeln!(
            out,
            "{bold}{}{plain}  {}, {}, {complete}",
            escape::name(&cluster.name),
            count(cluster.pools.len(), "node pool", "node pools"),
            count(workloads, "workload", "workloads"),
        )?;
        if cluster.pools.is_empty() || cluster.rows.is_empty() {
            return Ok(());
        }
        let rows = folded(&cluster.rows);
        let names: Vec<String> = rows.iter().map(|row| name(row)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max();
        let room = longest.unwrap_or_default().clamp(NAMES.0, NAMES.1);
        let width = if self.width == 0 { WIDTH } else { self.width };
        let columns = columns(cluster, &rows);
        let mut rest = columns.as_slice();
        while !rest.is_empty() {
            let (shown, after) = rest.split_at(fitting(rest, width, room));
            rest = after;
            let mut line = format!("  {:room$}", "");
            for column in shown {
                line.push_str(&format!("  {:<1$}", column.title, column.width()));
            }
            writeln!(out, "{}", line.trim_end())?;
            for (at, name) in names.iter().enumerate() {
                let mut line = format!("  {:room$}", shortened(name, room));
                for column in shown {
                    let Some(verdict) = column.verdicts.get(at) else {
                        continue;
                    };
                    let (color, plain) = style(self.color, paint(*verdict));
                    let word = sign(*verdict);
                    let padding = column.width() - word.chars().count();
                    line.push_str(&format!("  {color}{word}{plain}{:padding$}", ""));
                }
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    /// One line that counts.
    pub fn summary(&self) -> String {
        let rows = || self.clusters.iter().flat_map(|cluster| &cluster.rows);
        let workloads: usize = rows().map(|row| row.workloads.len()).sum();
        let shut: usize = rows()
            .filter(|row| row.is_problem())
            .map(|row| row.workloads.len())
            .sum();
        let clusters = count(self.clusters.len(), "cluster", "clusters");
        let workloads = count(workloads, "workload", "workloads");
        format!("{clusters}, {workloads}; {shut} can run on no known pool")
    }
}

/// Rows with the same verdicts, in the order of the first of each.
fn folded(rows: &[MatrixRow]) -> Vec<Vec<&MatrixRow>> {
    let mut known: HashMap<Vec<Verdict>, usize> = HashMap::new();
    let mut found: Vec<Vec<&MatrixRow>> = Vec::new();
    for row in rows {
        let verdicts: Vec<Verdict> = row.cells.iter().map(|cell| cell.verdict).collect();
        let next = found.len();
        let at = *known.entry(verdicts).or_insert(next);
        match found.get_mut(at) {
            Some(same) => same.push(row),
            None => found.push(vec![row]),
        }
    }
    found
}

fn name(rows: &[&MatrixRow]) -> String {
    let mut workloads = rows.iter().flat_map(|row| &row.workloads);
    let first = workloads.next().map(known_name).unwrap_or_default();
    match workloads.count() {
        0 => first,
        more => format!("{first} +{more}"),
    }
}

/// Pools with the same verdicts.
struct Column {
    title: String,
    verdicts: Vec<Verdict>,
}

impl Column {
    /// The width of its title, or of the longest word in it.
    fn width(&self) -> usize {
        self.title.chars().count().max("unknown".len())
    }
}

/// The pools with the same verdicts on all rows, in the order of the first of each.
fn columns(cluster: &MatrixCluster, rows: &[Vec<&MatrixRow>]) -> Vec<Column> {
    let mut known: HashMap<Vec<Verdict>, usize> = HashMap::new();
    let mut found: Vec<(Vec<&str>, Vec<Verdict>)> = Vec::new();
    for (at, pool) in cluster.pools.iter().enumerate() {
        let cells = rows.iter().filter_map(|row| row.first()?.cells.get(at));
        let verdicts: Vec<Verdict> = cells.map(|cell| cell.verdict).collect();
        let next = found.len();
        let at = *known.entry(verdicts.clone()).or_insert(next);
        match found.get_mut(at) {
            Some((names, _)) => names.push(&pool.name),
            None => found.push((vec![&pool.name], verdicts)),
        }
    }
    let titled = found.into_iter().map(|(names, verdicts)| {
        let first = names.first().copied().unwrap_or_default();
        let name = shortened(&escape::name(first), POOL);
        let title = match names.len() {
            1 => name,
            more => format!("{name} +{}", more - 1),
        };
        Column { title, verdicts }
    });
    titled.collect()
}

/// How many of these columns fit beside the names; at least one.
fn fitting(columns: &[Column], width: usize, room: usize) -> usize {
    let mut used = 2 + room;
    let mut fits = 0;
    for column in columns {
        used += 2 + column.width();
        if used > width && fits > 0 {
            break;
        }
        fits += 1;
    }
    fits.clamp(1, columns.len().max(1))
}

fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Lands => "lands",
        Verdict::PrefersNot => "avoids",
        Verdict::KeptOut => "taint",
        Verdict::NotSelected => "-",
        Verdict::Unknown => "unknown",
    }
}

/// A name, cut in the middle to at most so many characters. The count at its end stays.
fn shortened(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let half = (most - 1) / 2;
    let start: String = name.chars().take(most - 1 - half).collect();
    let end: String = name.chars().skip(length - half).collect();
    format!("{start}…{end}")
}
