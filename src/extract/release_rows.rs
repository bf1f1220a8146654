//! Rows of provider tables about installed Helm charts: which kinds install one, and which name the address of one.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::yaml::Path;

/// A kind whose objects install Helm charts, or a file without a kind that does.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReleaseRow {
    /// API group.
    #[serde(default)]
    pub group: String,
    /// Kinds in the group.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Beginnings of the names of files without a kind, or names of their folders with `/` at the end.
    #[serde(default)]
    pub files: Vec<String>,
    /// Paths to releases, if an object has several. The other paths start there.
    #[serde(default)]
    pub each: Vec<Path>,
    /// Paths to the namespace that the chart is installed into, from the release or from the document. The first that says one
    /// counts.
    #[serde(default)]
    pub namespace: Vec<Path>,
    /// Path to the name of the chart, which may have an address or the name of a repository before it.
    #[serde(default)]
    pub chart: Option<Path>,
    /// Path to the address of the chart's repository.
    #[serde(default)]
    pub address: Option<Path>,
    /// Path to the version of the chart.
    #[serde(default)]
    pub version: Option<Path>,
    /// Paths to references to an object that has the address: maps with `kind`, `name` and `namespace`.
    #[serde(default)]
    pub sources: Vec<Path>,
    /// Path from the document to each repository, a map with `name` and `url`, if a chart's name begins with that of one.
    #[serde(default)]
    pub repositories: Option<Path>,
    /// Paths to values as maps.
    #[serde(default)]
    pub values: Vec<Path>,
    /// Paths to values as texts. Rows under `values-texts` have them, too.
    #[serde(default)]
    pub texts: Vec<Path>,
    /// Path to the folder of a chart in the repository.
    #[serde(default)]
    pub folder: Option<Path>,
    /// Paths to names of files of values.
    #[serde(default)]
    pub values_files: Vec<Path>,
    /// Paths to references to objects with values: maps with `name` and `valuesKey`.
    #[serde(default)]
    pub values_from: Vec<Path>,
    /// Each release stands over what the document says at the same paths: it says what the release does not, and maps of values
    /// are merged.
    #[serde(default)]
    pub over_document: bool,
    /// Charts may be in the folder of the file. One without a name is that folder itself.
    #[serde(default)]
    pub in_folder: bool,
    /// Paths to values that are set one by one, over all others: maps with `name` and `value`.
    #[serde(default)]
    pub sets: Vec<Path>,
    /// Paths to whatever may set or change further values, such as files of values and patches.
    #[serde(default)]
    pub others: Vec<Path>,
}

/// A kind whose objects name the address of charts.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChartSourceRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Path to the address.
    pub address: Path,
    /// Paths to the version of the chart.
    #[serde(default)]
    pub version: Vec<Path>,
    /// The address is that of a single chart and ends with its name.
    #[serde(default)]
    pub whole: bool,
}
