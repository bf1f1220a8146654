//! Clusters for people and for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::escape;
use super::standpoint::Standpoint;
use super::summary::count;
use super::wrap::wrap;
use crate::finding::{FilePlace, ListedCluster, ListedGap, NOT_DECLARED};

/// The width in columns for files and for terminals of unknown width.
const WIDTH: usize = 80;
/// The most pools that are named for a cluster.
const MOST_POOLS: usize = 12;
/// The most gaps that are shown for a cluster.
const MOST_GAPS: usize = 8;
/// The most places that were not read that are shown.
const MOST_NOT_READ: usize = 12;

/// The most names of gaps that are shown besides the first of those that are alike.
const MOST_ALIKE: usize = 5;
/// The number of gaps that are alike from which they are shown as one.
const MANY_ALIKE: usize = 4;

/// Puts gaps together that say the same of different names, if there are many.
fn fold<'g>(gaps: impl Iterator<Item = &'g ListedGap>) -> Vec<Vec<&'g ListedGap>> {
    let mut folded: Vec<Vec<&ListedGap>> = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for gap in gaps {
        let Some((before, _, after)) = parts(&gap.what) else {
            folded.push(vec![gap]);
            continue;
        };
        let at = *places.entry((before, after)).or_insert(folded.len());
        match folded.get_mut(at) {
            Some(alike) => alike.push(gap),
            None => folded.push(vec![gap]),
        }
    }
    let apart = |alike: Vec<&'g ListedGap>| match alike.len() >= MANY_ALIKE {
        true => vec![alike],
        false => alike.into_iter().map(|gap| vec![gap]).collect(),
    };
    folded.into_iter().flat_map(apart).collect()
}

/// A sentence before, in and after its first name.
fn parts(what: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = what.split_once('`')?;
    let (name, after) = rest.split_once('`')?;
    Some((before, name, after))
}

/// A list of clusters with the user's display options.
pub struct ClusterTable<'a> {
    /// The clusters.
    pub clusters: &'a [ListedCluster],
    /// What was not read of the files that say what runs where.
    pub not_read: &'a [ListedGap],
    /// The user's working directory.
    pub standpoint: &'a Standpoint,
    /// Whether terminal colours may be used.
    pub color: bool,
    /// The width of the terminal in columns. 0 means unknown.
    pub width: usize,
}

/// The clusters that a repository shows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Clusters")]
struct Document<'a> {
    /// The version of this format. It changes when a field is removed or changes its meaning, not when one is added.
    schema: u32,
    /// The clusters: configured ones, then those that objects deliver to, then those that folders and pools show.
    clusters: Vec<Row<'a>>,
    /// What was not read of the files that say what runs where.
    #[serde(rename = "not-read")]
    not_read: Vec<Gap<'a>>,
}

/// A cluster.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Cluster")]
struct Row<'a> {
    /// Its name, which no other of the same order has; a folder where nothing names it, `.` for the repository's.
    name: &'a str,
    /// How it is known: `configuration`, `flux`, `argocd`, `fleet`, `helmfile`, `terraform`, `inventory` or `folder`.
    known_from: &'a str,
    /// Where it is known from.
    place: Option<PlaceRow<'a>>,
    /// The names of its pools.
    pools: &'a [String],
    /// The number of its workloads.
    workloads: usize,
    /// Whether it has no other pools, and all their taints are known.
    complete: bool,
    /// What is missing for that, a sentence each.
    missing: Vec<String>,
}

/// Something that was not read.
#[derive(Serialize, JsonSchema)]
struct Gap<'a> {
    /// What and why, as a sentence.
    message: &'a str,
    /// Where.
    place: Option<PlaceRow<'a>>,
}

/// A place in a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Place")]
struct PlaceRow<'a> {
    /// The path in the repository, with `/`.
    file: &'a str,
    /// Its first character.
    start: Start,
}

/// A position in a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Position")]
struct Start {
    /// The line, from 1.
    line: u32,
    /// The column in characters, from 1.
    column: u32,
    /// The offset in bytes, from 0.
    offset: u32,
}

/// The JSON Schema of the list.
pub fn clusters_schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document<'_>>()
}

fn place(place: Option<&FilePlace>) -> Option<PlaceRow<'_>> {
    place.map(|(file, at)| PlaceRow {
        file,
        start: Start {
            line: at.line,
            column: at.column,
            offset: at.offset,
        },
    })
}

impl ClusterTable<'_> {
    /// Writes the clusters as JSON.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = |gap: &ListedGap| match &gap.place {
            Some((file, at)) => format!("{} ({file}:{})", gap.what, at.line),
            None => gap.what.clone(),
        };
        let clusters = self.clusters.iter().map(|cluster| Row {
            name: &cluster.name,
            known_from: cluster.known_from,
            place: place(cluster.place.as_ref()),
            pools: &cluster.pools,
            workloads: cluster.workloads,
            complete: cluster.complete,
            missing: cluster.missing.iter().map(text).collect(),
        });
        let not_read = self.not_read.iter().map(|gap| Gap {
            message: &gap.what,
            place: place(gap.place.as_ref()),
        });
        let document = Document {
            schema: 1,
            clusters: clusters.collect(),
            not_read: not_read.collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")
    }

    /// Writes the clusters for people.
    ///
    /// # Errors
    /// Returns an error if `out` fails.
    pub fn write(&self, summary: bool, out: &mut dyn Write) -> io::Result<()> {
        let width = if self.width == 0 { WIDTH } else { self.width };
        let (bold, plain) = match self.color {
            true => ("\x1b[1m", "\x1b[0m"),
            false => ("", ""),
        };
        for cluster in self.clusters {
            let name = escape::name(&cluster.name);
            writeln!(out, "{bold}{name}{plain}  {}", self.known(cluster))?;
            let mut pools: Vec<String> = cluster
                .pools
                .iter()
                .take(MOST_POOLS)
                .map(|name| escape::name(name).into_owned())
                .collect();
            if cluster.pools.len() > MOST_POOLS {
                pools.push(format!("and {} more", cluster.pools.len() - MOST_POOLS));
            }
            let pools = match pools.is_empty() {
                true => "none".to_owned(),
                false => pools.join(", "),
            };
            writeln!(out, "  pools      {}", wrap(&pools, width, 13, 13))?;
            writeln!(out, "  workloads  {}", cluster.workloads)?;
            if cluster.complete {
                writeln!(out, "  complete   yes")?;
            }
            let is_own = |gap: &&ListedGap| gap.what != NOT_DECLARED;
            let own = fold(cluster.missing.iter().filter(is_own));
            for alike in own.iter().take(MOST_GAPS) {
                writeln!(
                    out,
                    "  missing    {}",
                    wrap(&self.alike(alike), width, 13, 13)
                )?;
            }
            if own.len() > MOST_GAPS {
                let more = own.len() - MOST_GAPS;
                writeln!(out, "  missing    {more} more, which -o json lists")?;
            }
        }
        let not_read = fold(self.not_read.iter());
        for alike in not_read.iter().take(MOST_NOT_READ) {
            writeln!(out, "not read: {}", wrap(&self.alike(alike), width, 10, 10))?;
        }
        if not_read.len() > MOST_NOT_READ {
            let more = not_read.len() - MOST_NOT_READ;
            writeln!(out, "not read: {more} more, which -o json lists")?;
        }
        if self.clusters.iter().any(|cluster| !cluster.complete) {
            let said = "A cluster has no other pools if .kubetaint.yaml says so, by `complete: true` or by an `inventory`.";
            writeln!(out, "{}", wrap(said, width, 0, 0))?;
        }
        if summary {
            writeln!(out, "{}", self.summary())?;
        }
        Ok(())
    }

    /// A one-line summary.
    pub fn summary(&self) -> String {
        let complete = self.clusters.iter().filter(|one| one.complete).count();
        let clusters = count(self.clusters.len(), "cluster", "clusters");
        format!("{clusters}, {complete} complete")
    }

    fn known(&self, cluster: &ListedCluster) -> String {
        let from = match cluster.known_from {
            "flux" => "Flux",
            "argocd" => "Argo CD",
            "fleet" => "Fleet",
            other => other,
        };
        match &cluster.place {
            Some((file, at)) => format!("{from}, {}:{}", self.standpoint.path(file), at.line),
            None => from.to_owned(),
        }
    }

    /// The first of several gaps in full, and the names of the others.
    fn alike(&self, alike: &[&ListedGap]) -> String {
        let Some((first, others)) = alike.split_first() else {
            return String::new();
        };
        let mut text = self.gap(first);
        if others.is_empty() {
            return text;
        }
        let named = others.iter().filter_map(|gap| parts(&gap.what));
        let named = named.map(|(_, name, _)| format!("`{}`", escape::sentence(name)));
        let named: Vec<String> = named.take(MOST_ALIKE).collect();
        text.push_str("; the same for ");
        text.push_str(&named.join(", "));
        match others.len().saturating_sub(MOST_ALIKE) {
            0 => {}
            more => text.push_str(&format!(" and {more} more, which -o json lists")),
        }
        text
    }

    fn gap(&self, gap: &ListedGap) -> String {
        let what = escape::sentence(&gap.what);
        match &gap.place {
            Some((file, at)) => format!("{what} ({}:{})", self.standpoint.path(file), at.line),
            None => what.into_owned(),
        }
    }
}
