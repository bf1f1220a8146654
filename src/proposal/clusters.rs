//! The clusters of the proposed configuration: each with its files, how it is known, and what speaks for and against
//! `complete: true`.

use std::collections::{BTreeMap, BTreeSet};

use super::cover::{Cover, cover};
use super::text::{key, line, listed, place, quoted, short};
use crate::config::PLACEHOLDER;
use crate::finding::{Shown, ShownCluster, ShownPool};
use crate::model::path_words::is_test_path;

/// The most patterns that people keep up to date.
const MOST_PATTERNS: usize = 20;
/// The most bytes of a pattern.
const MOST_BYTES: usize = 1_000;
/// The most lines of a list in a comment.
const FEW: usize = 3;

/// A cluster with patterns for its files.
pub struct Entry<'s> {
    /// The cluster.
    pub shown: &'s ShownCluster,
    covers: Vec<Cover>,
    /// Says why it cannot be written, if so.
    too_much: Option<String>,
}

impl Entry<'_> {
    /// Whether its patterns match a path.
    pub fn has(&self, path: &str) -> bool {
        self.covers.iter().any(|one| one.matches(path))
    }

    /// Whether it can be written.
    pub fn is_writable(&self) -> bool {
        self.too_much.is_none()
    }
}

/// Finds the patterns of each cluster. Those match no other file of `relevant`.
pub fn entries<'s>(shown: &'s Shown, is_left_out: &dyn Fn(&str) -> bool) -> Vec<Entry<'s>> {
    let keep = |paths: &BTreeSet<String>| -> BTreeSet<String> {
        let kept = paths.iter().filter(|path| !is_left_out(path));
        kept.cloned().collect()
    };
    let relevant = keep(&shown.relevant);
    let mut all = keep(&shown.delivered);
    all.extend(relevant.iter().cloned());
    let entry = |shown: &'s ShownCluster| {
        let own = keep(&shown.files);
        let mut covers = cover(&own, &all);
        if covers.len() > MOST_PATTERNS {
            // What only delivers is known without patterns.
            covers = cover(&own.intersection(&relevant).cloned().collect(), &relevant);
        }
        let too_much = if shown.name.is_empty() || shown.name.contains(PLACEHOLDER) {
            Some("its name is no name for a cluster here".to_owned())
        } else if covers.is_empty() {
            Some("all its files are excluded".to_owned())
        } else if covers.len() > MOST_PATTERNS {
            Some(format!("its files take {} patterns", covers.len()))
        } else if covers.iter().any(|one| one.text().len() > MOST_BYTES) {
            Some("the path of one of its files is too long".to_owned())
        } else {
            None
        };
        Entry {
            shown,
            covers,
            too_much,
        }
    };
    shown.clusters.iter().map(entry).collect()
}

/// What trying the proposal has shown.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// Says why a cluster is only a comment, by its name.
    pub doubts: BTreeMap<String, String>,
    /// How many findings more there are where a cluster is complete.
    pub more: BTreeMap<String, usize>,
}

/// Writes the clusters. `complete` says of those that are proposed that they are.
pub fn write(
    entries: &[Entry<'_>],
    shown: &Shown,
    tried: &Tried,
    complete: bool,
    text: &mut String,
) {
    let writable = || entries.iter().filter(|entry| entry.is_writable());
    let is_proposed = |entry: &&Entry<'_>| !tried.doubts.contains_key(&entry.shown.name);
    let proposed: Vec<&Entry<'_>> = writable().filter(is_proposed).collect();
    if writable().next().is_none() {
        text.push_str(
            "# clusters:\n\
             #   prod:\n\
             #     paths: [\"clusters/prod/**\", \"apps/**\"]\n\
             #     complete: true            # these are all pools that prod has\n\
             #     inventory: [nodes.yaml]   # what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml` printed\n\
             #   \"{cluster}\":              # or one for each name that stands in a path\n\
             #     paths: [\"clusters/{cluster}/**\", \"**/values-{cluster}.yaml\"]\n",
        );
    } else if proposed.is_empty() {
        text.push_str("# clusters:\n");
    } else {
        text.push_str("clusters:\n");
    }
    for entry in &proposed {
        for one in lines(entry, shown, tried, complete) {
            line(text, &format!("  {one}"));
        }
    }
    for entry in writable().filter(|entry| !is_proposed(entry)) {
        let why = tried.doubts.get(&entry.shown.name);
        line(
            text,
            &format!("  # Not proposed: {}", why.map_or("", String::as_str)),
        );
        for one in lines(entry, shown, tried, false) {
            line(text, &format!("  # {}", one.trim_start_matches("# ")));
        }
    }
    left_out(entries, shown, text);
}

/// The lines of one cluster.
fn lines(entry: &Entry<'_>, shown: &Shown, tried: &Tried, complete: bool) -> Vec<String> {
    let cluster = entry.shown;
    let mut lines = vec![
        format!("# {}", known(cluster)),
        format!("{}:", key(&cluster.name)),
        "  paths:".to_owned(),
    ];
    let patterns = entry.covers.iter();
    lines.extend(patterns.map(|one| format!("    - {}", quoted(&one.text()))));
    if complete {
        lines.push("  complete: true".to_owned());
    }
    lines.push("  # complete: true  # if these are all its node pools".to_owned());
    let is_known = |pool: &&ShownPool| pool.unknown.is_none();
    let known: Vec<&ShownPool> = cluster.pools.iter().filter(is_known).collect();
    if !known.is_empty() {
        let places: BTreeSet<String> = known
            .iter()
            .filter_map(|pool| Some(pool.place.as_ref()?.0.clone()))
            .collect();
        let what = format!("{} with all taints", pools(known.len()));
        let all = format!("{what}, in {}", some(places.iter()));
        lines.push(format!("  #   for it: {}", short(&all)));
    }
    match tried.more.get(&cluster.name) {
        None | Some(0) => {}
        Some(1) => lines.push("  #   for it: `check` then reports 1 finding more".to_owned()),
        Some(more) => lines.push(format!(
            "  #   for it: `check` then reports {more} findings more"
        )),
    }
    let against = |what: &str| format!("  #   against it: {}", short(what));
    let unknown: BTreeSet<String> = cluster
        .pools
        .iter()
        .filter_map(|pool| {
            let why = short(pool.unknown.as_deref()?);
            Some(match &pool.place {
                Some(at) => format!("{} ({})", why, place(at)),
                None => why,
            })
        })
        .collect();
    lines.extend(
        unknown
            .iter()
            .take(FEW)
            .map(|what| format!("  #   against it: {what}")),
    );
    if unknown.len() > FEW {
        let more = unknown.len() - FEW;
        lines.push(against(&format!(
            "{} more with unknown taints",
            pools(more)
        )));
    }
    let unread: BTreeSet<String> = shown
        .unread
        .iter()
        .filter(|(path, _)| entry.has(path))
        .map(place)
        .collect();
    if !unread.is_empty() {
        let what = "what could not be read may declare node pools";
        lines.push(against(&format!("{what}: {}", some(unread.iter()))));
    }
    if unknown.is_empty() && unread.is_empty() {
        lines.push(against(
            "nothing here says that there are no other node pools",
        ));
    }
    lines
}

/// How a cluster is known.
fn known(cluster: &ShownCluster) -> String {
    let what = match cluster.known_from {
        "flux" => "Shown by Flux",
        "argocd" => "Shown by Argo CD",
        "fleet" => "Shown by Fleet",
        "helmfile" => "An environment of a helmfile",
        "pool" => "Named by its node pools",
        "variant" => "Named by values of a Terraform configuration",
        "folder" => "Named by a folder, with node pools",
        "environment" => "Named by folders and files of an environment, with node pools",
        _ => {
            "The only one that is shown here: these node pools serve all workloads. Call it what you like"
        }
    };
    match &cluster.place {
        Some(at) => format!("{what}: {}", place(at)),
        None => what.to_owned(),
    }
}

/// What no cluster has.
fn left_out(entries: &[Entry<'_>], shown: &Shown, text: &mut String) {
    for entry in entries {
        if let Some(why) = &entry.too_much {
            let name = quoted(&entry.shown.name);
            line(text, &format!("# Left out: cluster {name}, because {why}."));
        }
    }
    if !shown.without_pools.is_empty() {
        let names = some(shown.without_pools.iter());
        line(
            text,
            &format!(
                "# Left out, because no node pool of theirs was read: {names}. An `inventory` names them."
            ),
        );
    }
    if entries.is_empty() {
        return;
    }
    let is_free = |path: &&String| {
        !is_test_path(path)
            && !entries
                .iter()
                .any(|entry| entry.shown.files.contains(*path))
    };
    let free: BTreeSet<&String> = shown.relevant.iter().filter(is_free).collect();
    if !free.is_empty() {
        let what = format!(
            "In no cluster: {} with workloads or node pools",
            files(free.len())
        );
        let all = format!("{what}: {}", some(free.into_iter()));
        line(text, &format!("# {}", short(&all)));
    }
    if !shown.not_read.is_empty() {
        text.push_str("# Not known of what runs where:\n");
        let gaps = shown.not_read.iter().map(|gap| match &gap.place {
            Some(at) => format!("  {} ({})", short(&gap.what), place(at)),
            None => format!("  {}", short(&gap.what)),
        });
        listed(text, FEW, gaps);
    }
}

/// The first few of some names, and how many there are beside them.
fn some<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    let count = names.len();
    let mut shown: Vec<&str> = names.take(FEW).map(String::as_str).collect();
    let more = format!("{} more", count.saturating_sub(FEW));
    if count > FEW {
        shown.push(&more);
    }
    shown.join(", ")
}

fn pools(count: usize) -> String {
    match count {
        1 => "1 node pool".to_owned(),
        count => format!("{count} node pools"),
    }
}

fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}
