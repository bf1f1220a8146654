//! The file format of `.kubetaint.yaml`. Its JSON Schema is generated from these types; the comments on fields become its
//! descriptions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::releases::RELEASES;
use crate::finding::Severity;
use crate::yaml::{NonEmpty, Spanned, Written};

/// Admission plugins that are valid in a configuration.
pub(super) const ADMISSION_PLUGINS: [&str; 3] = [
    "ExtendedResourceToleration",
    "PodNodeSelector",
    "PodTolerationRestriction",
];

/// The configuration of kubetaint: `.kubetaint.yaml` at the root of a repository.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Configuration")]
pub struct ConfigFile {
    /// The Kubernetes release whose API rules apply, such as "1.34". Quote it: YAML reads 1.30 as the number 1.3. Without
    /// it, the newest supported release applies.
    pub kubernetes: Option<Spanned<Written>>,
    /// Feature gates of the API servers that differ from their defaults.
    #[schemars(extend("propertyNames" = json!({ "enum": RELEASES.feature_gates.keys().collect::<Vec<_>>() })))]
    pub feature_gates: Option<BTreeMap<Spanned<String>, bool>>,
    /// All admission plugins that the API servers run in addition to the default ones. `[]` means that they run none.
    #[schemars(extend("items" = json!({ "enum": ADMISSION_PLUGINS })))]
    pub admission: Option<Vec<Spanned<String>>>,
    /// Files to skip, as patterns in the syntax of .gitignore.
    pub exclude: Option<Vec<Spanned<String>>>,
    /// Clusters by name, each with the files that belong to it.
    pub clusters: Option<Spanned<BTreeMap<Spanned<NonEmpty>, Spanned<ClusterForm>>>>,
    /// Node pools that no file in the repository declares.
    pub pools: Option<Vec<PoolForm>>,
    /// Settings of single rules, by rule id.
    pub rules: Option<BTreeMap<Spanned<NonEmpty>, RuleForm>>,
    /// Folders with your own rules, relative to the root of the repository.
    pub rule_dirs: Option<Vec<Spanned<NonEmpty>>>,
    /// Folders with your own provider tables, relative to the root of the repository.
    pub providers: Option<Vec<Spanned<NonEmpty>>>,
    /// Paths of tests, examples and archives. Findings that compare workloads with node pools are notes there, unless the
    /// file belongs to a configured cluster. An entry without `/` matches names of folders and files, and words in them. Any
    /// other entry is a pattern for paths. This list replaces the default one, which `kubetaint check --show-settings`
    /// prints.
    pub test_paths: Option<Vec<Spanned<NonEmpty>>>,
    /// Comments and annotations that suppress findings count only if they give a reason.
    #[serde(default)]
    pub require_reason: bool,
}

/// One cluster.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Cluster")]
pub struct ClusterForm {
    /// The files that belong to the cluster, as patterns in the syntax of .gitignore.
    #[schemars(length(min = 1))]
    pub paths: Vec<Spanned<String>>,
    /// The cluster has no other node pools than the known ones.
    pub complete: Option<Spanned<bool>>,
    /// Files that list the cluster's nodes, relative to the root of the repository.
    pub inventory: Option<Vec<Spanned<NonEmpty>>>,
}

/// A node pool.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Pool")]
pub struct PoolForm {
    /// The pool's name, unique within its cluster.
    pub name: Spanned<NonEmpty>,
    /// The pool's cluster, one of those under `clusters`.
    pub cluster: Option<Spanned<NonEmpty>>,
    /// Labels of the pool's nodes.
    pub labels: Option<BTreeMap<NonEmpty, String>>,
    /// Taints of the pool's nodes, each written as `key=value:Effect`.
    pub taints: Option<Vec<Spanned<NonEmpty>>>,
}

/// Settings of one rule.
#[derive(Deserialize, JsonSchema)]
#[schemars(untagged, rename = "Rule")]
pub enum RuleForm {
    /// A severity, or `off`.
    #[serde(rename = "$string")]
    Level(Level),
    /// A severity and exceptions.
    #[serde(rename = "$mapping")]
    Settings(Settings),
}

/// A severity, or `off`, which YAML reads as false unless it is quoted.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(with = "serde_json::Value", extend("enum" = json!(["error", "warning", "note", "off", false])))]
pub enum Level {
    Error,
    Warning,
    Note,
    Off,
}

impl Level {
    /// Returns the severity, or `None` for a rule that is off.
    pub(super) fn severity(&self) -> Option<Severity> {
        match self {
            Level::Error => Some(Severity::Error),
            Level::Warning => Some(Severity::Warning),
            Level::Note => Some(Severity::Note),
            Level::Off => None,
        }
    }
}

/// A severity and exceptions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The severity that replaces the rule's own.
    pub severity: Option<Severity>,
    /// Objects and files that the rule skips.
    pub except: Option<Vec<Spanned<Exception>>>,
}

/// Objects and files that match every given pattern.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(extend("minProperties" = 1))]
pub struct Exception {
    /// A pattern for kinds.
    pub kind: Option<Spanned<String>>,
    /// A pattern for namespaces.
    pub namespace: Option<Spanned<String>>,
    /// A pattern for names of objects.
    pub name: Option<Spanned<String>>,
    /// A pattern for paths of files.
    pub path: Option<Spanned<String>>,
}
