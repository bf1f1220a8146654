//! The configuration that `kubetaint init` proposes: a commented text, based on the files of a repository and the
//! recognized pools. It changes no verdict unless the files themselves justify that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::finding::Counts;
use crate::inventory::Pool;
use crate::model::cluster::environments;
use crate::model::path_words::is_test_path;
use crate::source::text::Cut as _;

/// Folders for third-party files.
const VENDORED: [&str; 6] = [
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "node_modules",
    "external",
];

/// Environments of which at least one must occur. Otherwise similar words probably mean something else.
const USUAL: [&str; 6] = ["dev", "preprod", "prod", "qa", "staging", "uat"];

/// The most patterns that are readable. Beyond that, users should write the clusters themselves.
const MOST_PATTERNS: usize = 20;
/// The most lines of a list in a comment.
const MOST_LINES: usize = 10;

/// Facts about a repository.
pub struct Seen<'s> {
    /// The node pools.
    pub pools: &'s [Pool],
    /// Files with workloads.
    pub workload_files: &'s BTreeSet<String>,
    /// Files that were read.
    pub files: &'s [String],
    /// Files that were not read.
    pub others: &'s [String],
    /// The counts of the run.
    pub counts: &'s Counts,
}

/// The text of the proposed configuration.
pub fn propose(seen: &Seen<'_>) -> String {
    let mut text = String::from(
        "# What kubetaint is to know about this repository. All of it is optional; `kubetaint check` reads this file.\n\
         # `kubetaint pools` shows the node pools that are understood.\n\n\
         # The release of your API servers; default: the newest known.\n\
         # kubernetes: \"1.34\"\n\n",
    );
    exclude(seen, &mut text);
    text.push('\n');
    clusters(seen, &mut text);
    text.push('\n');
    pools(seen, &mut text);
    text.push_str(
        "\n# Severities, and exceptions, of single rules; `kubetaint rules` lists them.\n\
         # rules:\n\
         #   blanket-exists: {severity: error, except: [{kind: DaemonSet, namespace: \"kube-*\"}]}\n\
         #   toleration-without-selector: off\n",
    );
    text
}

fn exclude(seen: &Seen<'_>, text: &mut String) {
    let vendored = top_folders(seen.files, |segment| VENDORED.contains(&segment));
    let test_folders = top_folders(seen.files, is_test_path);
    text.push_str("# Files that are not read.\n");
    if vendored.is_empty() {
        text.push_str("# exclude: [\"vendor/**\"]\n");
    } else {
        text.push_str("exclude:\n");
        for folder in &vendored {
            line(text, &format!("  - {}", pattern(folder, "/**")));
        }
    }
    let test_folders: Vec<String> = test_folders
        .into_iter()
        .filter(|folder| {
            !vendored
                .iter()
                .any(|above| folder.starts_with(&format!("{above}/")))
        })
        .collect();
    if !test_folders.is_empty() {
        text.push_str(
            "# These look like tests, examples or an archive. They are read, and what does not fit together in them is a note.\n",
        );
        let lines = test_folders
            .iter()
            .map(|folder| format!("  - {}", pattern(folder, "/**")));
        listed(text, lines);
    }
}

/// The outermost folders whose own name matches.
fn top_folders(files: &[String], says: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut end = 0;
        for segment in file.split('/') {
            let start = end;
            end = start + segment.len() + 1;
            if end < file.len() && says(segment) {
                found.insert(file.until(start + segment.len()).to_owned());
                break;
            }
        }
    }
    found.into_iter().collect()
}

/// A proposed cluster.
#[derive(Default)]
struct Proposed {
    environment: &'static str,
    folders: BTreeSet<String>,
    files: BTreeSet<String>,
}

fn clusters(seen: &Seen<'_>, text: &mut String) {
    text.push_str(
        "# A cluster is the files that belong to it: workloads are compared with the pools of their own clusters. Without\n\
         # this, folders decide which pools serve which workloads.\n",
    );
    let proposed = environments_of(seen);
    let shared = shared_patterns(seen, &proposed);
    let patterns: Vec<(String, Vec<String>)> = proposed
        .iter()
        .map(|(name, cluster)| (name.clone(), patterns(name, cluster, &shared)))
        .collect();
    let usual = proposed
        .values()
        .any(|one| USUAL.contains(&one.environment));
    let readable = patterns.iter().all(|(_, list)| list.len() <= MOST_PATTERNS);
    if proposed.len() < 2 || !usual || !readable {
        text.push_str(
            "# clusters:\n\
             #   prod:\n\
             #     paths: [\"clusters/prod/**\", \"apps/**\"]\n\
             #     complete: true            # these are all pools that prod has\n\
             #     inventory: [nodes.yaml]   # what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml` printed\n\
             #   \"{cluster}\":              # or one for each name that stands in a path\n\
             #     paths: [\"clusters/{cluster}/**\", \"**/values-{cluster}.yaml\"]\n",
        );
        return;
    }
    text.push_str(
        "# These are named after the environments that paths name; files that name none are in each.\n\
         clusters:\n",
    );
    for (name, list) in patterns {
        line(text, &format!("  {}:", key(&name)));
        line(text, "    paths:");
        for pattern in list {
            line(text, &format!("      - {pattern}"));
        }
        line(
            text,
            "    # complete: true  # when these are all pools that it has",
        );
    }
}

/// The files that clusters are built from.
fn relevant<'s>(seen: &'s Seen<'_>) -> impl Iterator<Item = &'s str> {
    let pools = seen.pools.iter().filter_map(|pool| pool.file.as_deref());
    let all: BTreeSet<&str> = pools
        .chain(seen.workload_files.iter().map(String::as_str))
        .collect();
    all.into_iter().filter(|path| {
        !is_test_path(path) && !path.split('/').any(|segment| VENDORED.contains(&segment))
    })
}

fn one_environment(word: &str) -> Option<&'static str> {
    let found = environments(word);
    let only = found.first().copied();
    only.filter(|_| found.len() == 1)
}

/// Clusters by name. A folder named after a cluster belongs to it, a file belongs to the cluster of its environment.
fn environments_of(seen: &Seen<'_>) -> BTreeMap<String, Proposed> {
    let mut clusters: BTreeMap<String, Proposed> = BTreeMap::new();
    let mut files = Vec::new();
    for path in relevant(seen) {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let mut end = 0;
        let mut found = false;
        for segment in folder.split('/') {
            end += segment.len() + 1;
            if let Some(environment) = one_environment(segment) {
                let cluster = clusters.entry(segment.to_owned()).or_default();
                cluster.environment = environment;
                cluster.folders.insert(folder.until(end - 1).to_owned());
                found = true;
                break;
            }
        }
        if let Some(environment) = one_environment(file).filter(|_| !found) {
            files.push((environment, path.to_owned()));
        }
    }
    for (environment, path) in files {
        if !clusters.values().any(|one| one.environment == environment) {
            clusters
                .entry(environment.to_owned())
                .or_default()
                .environment = environment;
        }
        for cluster in clusters.values_mut() {
            if cluster.environment == environment {
                cluster.files.insert(path.clone());
            }
        }
    }
    clusters
}

fn patterns(name: &str, cluster: &Proposed, shared: &[String]) -> Vec<String> {
    const FEW: usize = 3;
    let mut list: Vec<String> = if cluster.folders.len() > FEW {
        vec![quoted(&format!("**/{}/**", literal(name)))]
    } else {
        cluster
            .folders
            .iter()
            .map(|folder| pattern(folder, "/**"))
            .collect()
    };
    let names: BTreeSet<&str> = cluster
        .files
        .iter()
        .map(|path| path.rsplit('/').next().unwrap_or(path))
        .collect();
    if cluster.files.len() > FEW {
        list.extend(
            names
                .iter()
                .map(|name| quoted(&format!("**/{}", literal(name)))),
        );
    } else {
        list.extend(cluster.files.iter().map(|path| pattern(path, "")));
    }
    list.extend_from_slice(shared);
    list
}

/// Patterns that match only the files that name no environment.
fn shared_patterns(seen: &Seen<'_>, clusters: &BTreeMap<String, Proposed>) -> Vec<String> {
    let named = |path: &str| {
        clusters.values().any(|cluster| {
            cluster.files.contains(path)
                || cluster.folders.iter().any(|folder| {
                    let rest = path.strip_prefix(folder.as_str());
                    rest.is_some_and(|rest| rest.starts_with('/'))
                })
        })
    };
    let (named, shared): (Vec<&str>, Vec<&str>) = relevant(seen).partition(|path| named(path));
    let mut found = BTreeSet::new();
    for path in shared {
        // The outermost parent folder that contains no file of a single environment.
        let above = path.match_indices('/').map(|(at, _)| path.until(at + 1));
        let folder = above
            .into_iter()
            .find(|folder| !named.iter().any(|other| other.starts_with(folder)));
        found.insert(match folder {
            Some(folder) => pattern(folder, "**"),
            None => pattern(path, ""),
        });
    }
    found.into_iter().collect()
}

fn pools(seen: &Seen<'_>, text: &mut String) {
    let count = seen.pools.len();
    let place = |pool: &Pool| {
        let file = pool.file.as_deref().unwrap_or_default();
        format!("{file}:{}", pool.line.unwrap_or(1))
    };
    if count == 0 {
        text.push_str("# No node pools were read here: nothing is compared across files until some are known.\n");
    } else {
        let _ = writeln!(text, "# Node pools that are read here: {count}");
        let lines = seen.pools.iter().map(|pool| {
            let taints = match pool.taints.len() {
                0 => "no taints".to_owned(),
                1 => "1 taint".to_owned(),
                times => format!("{times} taints"),
            };
            format!(
                "  {} ({}, {taints}) {}",
                pool.name,
                pool.provider,
                place(pool)
            )
        });
        listed(text, lines);
    }
    let open: Vec<&Pool> = seen.pools.iter().filter(|pool| !pool.complete).collect();
    if !open.is_empty() {
        text.push_str("# Not every taint is known of:\n");
        let lines = open.into_iter().map(|pool| {
            let why = pool.incomplete_because.as_deref().unwrap_or("unknown");
            format!("  {} {}: {why}", pool.name, place(pool))
        });
        listed(text, lines);
    }
    let unread: Vec<&String> = seen
        .others
        .iter()
        .filter(|path| path.ends_with(".tf") || path.ends_with(".tf.json"))
        .collect();
    if !unread.is_empty() {
        let _ = writeln!(
            text,
            "# Terraform files that are not read: {}",
            unread.len()
        );
    }
    if !seen.counts.not_judged.is_empty() {
        text.push_str("# Not judged:\n");
        let reasons = seen.counts.not_judged.iter();
        listed(
            text,
            reasons.map(|(reason, times)| format!("  {reason}: {times}")),
        );
    }
    text.push_str(
        "# Pools that these files cannot show can be written here.\n\
         # pools:\n\
         #   - name: gpu\n\
         #     cluster: prod\n\
         #     labels: {node.example.com/pool: gpu}\n\
         #     taints: [\"nvidia.com/gpu=present:NoSchedule\"]\n",
    );
}

/// Writes the first few lines of a comment.
fn listed(text: &mut String, lines: impl Iterator<Item = String>) {
    let mut more = 0;
    for (at, one) in lines.enumerate() {
        if at < MOST_LINES {
            line(text, &format!("# {one}"));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        let _ = writeln!(text, "#   and {more} more");
    }
}

/// Writes one line, whatever characters its names contain.
fn line(text: &mut String, content: &str) {
    text.extend(
        content
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c }),
    );
    text.push('\n');
}

/// A path as a quoted pattern that matches itself, or everything below it.
fn pattern(path: &str, below: &str) -> String {
    quoted(&format!("{}{below}", literal(path)))
}

/// A path with all pattern characters escaped.
fn literal(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}\\!".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// A cluster's name as a YAML key, quoted if it could be misread.
fn key(name: &str) -> String {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    if plain { name.to_owned() } else { quoted(name) }
}

/// A text in double quotes, valid in YAML and JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
