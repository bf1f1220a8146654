//! The built-in rules, provider tables, chart tables and release table. `build.rs` lists those that consist of several files.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// The table of releases.
pub const RELEASES: &str = include_str!("../kubernetes/releases.yaml");
/// Known keys of node labels.
pub const LABEL_KEYS: &str = include_str!("../kubernetes/label-keys.yaml");
/// Clouds, and the commands that create their node pools.
pub const CLOUDS: &str = include_str!("../kubernetes/clouds.yaml");
/// The meaning of words in paths.
pub const PATH_WORDS: &str = include_str!("../kubernetes/path-words.yaml");
/// Taints that exist without being declared in a manifest.
pub const WELL_KNOWN_TAINTS: &str = include_str!("../providers/well-known-taints.yaml");

/// Parses one of the tables above.
#[allow(
    clippy::expect_used,
    reason = "the program carries the file, and tests read it"
)]
pub fn table<T: DeserializeOwned>(text: &str) -> T {
    serde_yaml::from_str(text).expect("the table has the form of its type")
}

/// The fields of Kubernetes types, with a line for each release in which a type differs from the previous release.
const FIELDS: &str = include_str!("../kubernetes/fields.jsonl");

#[derive(Deserialize)]
struct Release {
    fields: BTreeMap<String, Vec<String>>,
}

/// The fields that a Kubernetes type, such as `PodSpec`, has in any release.
pub fn fields_of(kind: &str) -> BTreeSet<String> {
    let releases = FIELDS.lines().flat_map(serde_json::from_str::<Release>);
    let lists = releases.filter_map(|mut release| release.fields.remove(kind));
    lists.flatten().collect()
}

/// Returns the oldest release of Kubernetes that [`RELEASES`] knows: `20` for 1.20.
pub fn oldest_release() -> u32 {
    RELEASES
        .lines()
        .find_map(|line| {
            let release = line.strip_prefix("oldest: \"1.")?;
            release.trim_end_matches('"').parse().ok()
        })
        .unwrap_or_default()
}
