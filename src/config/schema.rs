//! The form of `.kubetaint.yaml` as types, for its JSON Schema. What reads the file is `read`, which keeps the place of
//! everything; a test holds the two together, key by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::json;

use super::read::ADMISSION_PLUGINS;
use super::releases::RELEASES;
use crate::finding::Severity;

/// The configuration of kubetaint: `.kubetaint.yaml` at the root of a repository.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    rename = "Configuration",
    rename_all = "kebab-case"
)]
#[expect(dead_code, reason = "read by the derived schema only")]
pub struct ConfigFile {
    /// Which release's API rules apply, such as "1.34"; the newest known release when absent.
    kubernetes: Option<Version>,
    /// Feature gates of the API servers that differ from their defaults.
    #[schemars(extend("propertyNames" = json!({ "enum": RELEASES.feature_gates.keys().collect::<Vec<_>>() })))]
    feature_gates: Option<BTreeMap<String, bool>>,
    /// Admission plugins that the API servers run beyond their defaults. These are all: `[]` says that none does.
    #[schemars(extend("items" = json!({ "enum": ADMISSION_PLUGINS })))]
    admission: Option<Vec<String>>,
    /// Files that are not read: patterns with the meaning that .gitignore gives them.
    exclude: Option<Vec<String>>,
    /// Clusters by name: which files belong together.
    clusters: Option<BTreeMap<String, ClusterForm>>,
    /// Node pools that the repository cannot show.
    pools: Option<Vec<PoolForm>>,
    /// What is set for single rules, by their ids.
    rules: Option<BTreeMap<String, RuleForm>>,
    /// Folders with rules of your own, relative to the repository's root.
    rule_dirs: Option<Vec<Name>>,
    /// Folders with provider tables of your own, relative to the repository's root.
    providers: Option<Vec<Name>>,
    /// Tests, examples and archives: what workloads and node pools say of each other is a note there, outside of the clusters
    /// that are declared. An entry without `/` means names of folders and files, and words in them; any other is a pattern
    /// over paths. Instead of the list that is there without it, which `kubetaint check --show-settings` shows.
    test_paths: Option<Vec<Name>>,
    /// Comments and annotations that accept findings count only when they say why.
    require_reason: Option<bool>,
}

/// A version of Kubernetes. Quote it: YAML reads 1.30 as the number 1.3.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "read by the derived schema only")]
enum Version {
    Text(String),
    Number(f64),
}

/// A text that is not empty.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "read by the derived schema only")]
struct Name(#[schemars(length(min = 1))] String);

/// One cluster.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Cluster", rename_all = "kebab-case")]
#[expect(dead_code, reason = "read by the derived schema only")]
struct ClusterForm {
    /// The files that belong to it: patterns with the meaning that .gitignore gives them.
    #[schemars(length(min = 1))]
    paths: Vec<String>,
    /// These are all pools that the cluster has.
    complete: Option<bool>,
    /// Files with its Nodes, relative to the repository's root.
    inventory: Option<Vec<Name>>,
}

/// A node pool.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Pool", rename_all = "kebab-case")]
#[expect(dead_code, reason = "read by the derived schema only")]
struct PoolForm {
    /// Unique within its cluster.
    name: Name,
    /// One of the names under `clusters`.
    cluster: Option<Name>,
    /// Labels that its nodes carry.
    labels: Option<BTreeMap<String, String>>,
    /// Taints that its nodes carry, as `key=value:Effect`.
    taints: Option<Vec<Name>>,
}

/// What is set for one rule.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Rule")]
#[expect(dead_code, reason = "read by the derived schema only")]
enum RuleForm {
    Switch(Switch),
    Severity(Severity),
    Settings(Settings),
}

/// `off`, which YAML reads as false when it is not quoted.
#[derive(JsonSchema)]
#[schemars(extend("enum" = json!(["off", false])), with = "serde_json::Value")]
struct Switch;

/// A severity and exceptions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(dead_code, reason = "read by the derived schema only")]
struct Settings {
    /// Instead of the rule's own severity.
    severity: Option<Severity>,
    /// Where the rule is not applied.
    except: Option<Vec<Exception>>,
}

/// Objects and files that match every pattern written.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "kebab-case", extend("minProperties" = 1))]
#[expect(dead_code, reason = "read by the derived schema only")]
struct Exception {
    /// A pattern over kinds.
    kind: Option<String>,
    /// A pattern over namespaces.
    namespace: Option<String>,
    /// A pattern over names.
    name: Option<String>,
    /// A pattern over files.
    path: Option<String>,
}
