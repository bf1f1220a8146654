//! The built-in rules, provider tables, chart tables and other tables, as `build.rs` has prepared them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A rule as the program carries it: JSON, without its examples.
#[derive(Clone, Copy, Debug)]
pub struct CarriedRule {
    /// The name of its file in `rules/`.
    pub file: &'static str,
    /// The rule, with an empty list of examples.
    pub rule: &'static str,
    /// The list of its examples.
    pub examples: &'static str,
}

/// Parses one of the tables that the program carries.
#[allow(
    clippy::expect_used,
    reason = "the program carries the file, and tests read it"
)]
pub fn table<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("the table has the form of its type")
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
    #[derive(Deserialize)]
    struct Oldest {
        oldest: String,
    }
    let known: Oldest = table(RELEASES);
    let minor = known.oldest.strip_prefix("1.");
    minor
        .and_then(|minor| minor.parse().ok())
        .unwrap_or_default()
}
