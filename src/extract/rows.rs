//! The schema of provider tables (`providers/*.yaml`). Rows say which kinds contain pod templates or node pools, and at
//! which paths. `docs/provider-tables.md` explains each key to users.

use schemars::JsonSchema;
use serde::Deserialize;

use super::pool_rows::{PoolRow, Values};
use super::release_rows::{ChartSourceRow, ReleaseRow};
use crate::model::well_known::WellKnownTaint;
use crate::yaml::{Path, Spanned};

/// One file of `providers/`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Provider {
    /// Same as the file's name.
    pub name: Spanned<String>,
    /// What the table describes.
    pub about: String,
    /// Admission plugins that the API servers of its clusters run in addition to the default ones.
    #[serde(default)]
    pub admission: Vec<String>,
    /// The provider runs the control plane of its clusters itself, so no node has the taints of a control plane.
    #[serde(default)]
    pub managed_control_plane: bool,
    /// Kinds and Terraform resources that declare a cluster as a whole.
    #[serde(default)]
    pub clusters: Vec<ClusterRow>,
    /// How the provider's own add-ons are known.
    #[serde(default)]
    pub add_ons: Option<AddOns>,
    /// Programs that run on every node, by names of their objects, containers or images.
    #[serde(default)]
    pub node_agents: Vec<String>,
    /// Programs that are part of a cluster itself and belong on its control plane, by the same names.
    #[serde(default)]
    pub cluster_parts: Vec<String>,
    /// Kinds of files that a program reads itself. No API server ever sees them.
    #[serde(default)]
    pub own_files: Vec<KindRow>,
    /// Rows for pod templates and other maps that hold `tolerations`.
    #[serde(default)]
    pub workloads: Vec<WorkloadRow>,
    /// Rows for node pools.
    #[serde(default)]
    pub pools: Vec<PoolRow>,
    /// Rows for taints and tolerations of devices.
    #[serde(default)]
    pub devices: Vec<DeviceRow>,
    /// Objects that add tolerations to the pods of others.
    #[serde(default)]
    pub injects: Vec<InjectRow>,
    /// Objects that make pods of the pod templates of others.
    #[serde(default)]
    pub borrows: Vec<BorrowRow>,
    /// Kinds that kubetaint ignores.
    #[serde(default)]
    pub skip: Vec<KindRow>,
    /// Kinds whose `tolerations` are not about nodes.
    #[serde(default)]
    pub no_node_tolerations: Vec<KindRow>,
    /// Kinds that hold whole objects of other kinds.
    #[serde(default)]
    pub holds: Vec<HoldRow>,
    /// Kinds that hold Helm values, or other configuration with tolerations, as texts.
    #[serde(default)]
    pub values_texts: Vec<ValuesTextRow>,
    /// Kinds that install Helm charts.
    #[serde(default)]
    pub releases: Vec<ReleaseRow>,
    /// Kinds that name the address of Helm charts.
    #[serde(default)]
    pub chart_sources: Vec<ChartSourceRow>,
    /// Terraform resources that stand for objects of Kubernetes, or hold their text.
    #[serde(default)]
    pub manifests: Vec<ManifestRow>,
    /// Arguments of Terraform resources and modules that nobody reads.
    #[serde(default)]
    pub ignored: Vec<IgnoredRow>,
    /// Taints that Kubernetes, providers and add-ons set themselves.
    #[serde(default)]
    pub well_known_taints: Vec<WellKnownTaint>,
}

/// A kind or a Terraform resource that declares a cluster as a whole.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClusterRow {
    /// API group.
    #[serde(default)]
    pub group: String,
    /// Kinds in the group.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Types of Terraform resources.
    #[serde(default)]
    pub terraform: Vec<String>,
}

/// How the add-ons of a provider are known. One match is enough.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AddOns {
    /// Prefixes of their labels' keys.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Prefixes of their images' names.
    #[serde(default)]
    pub images: Vec<String>,
    /// Prefixes of the objects' names.
    #[serde(default)]
    pub names: Vec<String>,
}

/// A kind that holds whole objects of other kinds. Their pools are read as if the objects stood alone.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HoldRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Paths to the objects.
    pub objects: Vec<Path>,
    /// Why some taints or labels of the objects' pools are unknown, if that is so.
    #[serde(default)]
    pub incomplete: Option<String>,
}

/// A kind that holds Helm values as texts, or other configuration with tolerations: a list of them, or a pod. Values that it
/// holds as maps need no row.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ValuesTextRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Paths to the texts.
    #[serde(default)]
    pub texts: Vec<Path>,
    /// Paths to texts that may also be something else. Texts that are not YAML are skipped.
    #[serde(default)]
    pub other_texts: Vec<Path>,
}

/// A Terraform resource that stands for an object of Kubernetes, or holds the texts of some.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestRow {
    /// Types of Terraform resources.
    #[serde(default)]
    pub terraform: Vec<String>,
    /// Terraform modules as the registry names them. A `*` at the end matches anything.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Paths to arguments that are a release each. The other paths start there.
    #[serde(default)]
    pub each: Vec<Path>,
    /// Paths to manifests or Helm values, as texts or as values.
    #[serde(default)]
    pub texts: Vec<Path>,
    /// Paths to Helm's single values, each with its `name`, which is a path, and its `value`.
    #[serde(default)]
    pub sets: Vec<Path>,
    /// The chart that the values are for.
    #[serde(default)]
    pub release: Option<ReleaseRow>,
    /// Paths to what a machine runs when it starts, such as commands and the parts of cloud-init. Taints in it are weak
    /// evidence.
    #[serde(default)]
    pub scripts: Vec<Path>,
    /// Types of Terraform resources whose machines run these scripts if they refer to the resource. Such a resource is a pool
    /// if its script taints nodes.
    #[serde(default)]
    pub run_by: Vec<String>,
    /// The resource is itself an object of this kind, with Terraform's names for its fields.
    #[serde(default)]
    pub object: Option<ObjectRow>,
    /// Fields that are strings in Kubernetes. Terraform converts numbers and booleans in them to strings.
    #[serde(default)]
    pub strings: Vec<String>,
    /// Fields that are integers in Kubernetes. Terraform converts strings in them to integers.
    #[serde(default)]
    pub integers: Vec<String>,
}

/// Arguments of a Terraform resource or module that have no effect.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IgnoredRow {
    /// Types of Terraform resources.
    #[serde(default)]
    pub terraform: Vec<String>,
    /// Terraform modules as the registry names them. A `*` at the end matches anything.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Values that the resource or module must have, by path.
    #[serde(default, rename = "match")]
    pub matches: Values,
    /// Values that the resource or module must not have, by path.
    #[serde(default)]
    pub unless: Values,
    /// Paths to the arguments without effect.
    #[serde(default)]
    pub arguments: Vec<Path>,
    /// Paths to maps in which only some keys have an effect.
    #[serde(default)]
    pub maps: Vec<Path>,
    /// Paths to the keys of these maps that have an effect.
    #[serde(default)]
    pub keys: Vec<Path>,
    /// Keys of these maps that always have an effect.
    #[serde(default)]
    pub other_keys: Vec<String>,
    /// Why they have none, as the end of a sentence.
    pub because: String,
    /// What to write instead.
    #[serde(default)]
    pub instead: Option<String>,
}

/// How a Terraform resource maps to the object that it stands for. Names of arguments become camel case. Blocks that are
/// not listed are left out.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectRow {
    /// `apiVersion` of the object.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Blocks, each with its field. `[]` at the end means that each block is an item of a list.
    pub blocks: std::collections::BTreeMap<String, String>,
    /// Arguments whose field is not their name in camel case.
    #[serde(default)]
    pub names: std::collections::BTreeMap<String, String>,
}

/// Kinds of one API group.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KindRow {
    /// API group. Empty for the core group.
    pub group: String,
    /// Kinds in the group. Empty means all.
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// A kind whose objects add tolerations to the pods of others.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InjectRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Only if the document contains this text.
    #[serde(default)]
    pub when_text: Option<String>,
    /// Only pods of workloads that carry this label.
    #[serde(default)]
    pub workload_label: Option<String>,
    /// Only pods of workloads of these kinds. Empty means any.
    #[serde(default)]
    pub workload_kinds: Vec<String>,
    /// Where the only namespaces are written whose pods it changes.
    #[serde(default)]
    pub namespaces: Option<Path>,
    /// Where the path of the field is written that it changes. It adds no tolerations if this is another field.
    #[serde(default)]
    pub location: Option<Path>,
    /// Where the tolerations are written that it adds. By default they are all that is written under keys for tolerations.
    #[serde(default)]
    pub value: Option<Path>,
}

/// A kind that makes pods of pod templates in other objects of its namespace.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BorrowRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// The kind of the objects with the pod templates.
    pub from: String,
    /// Where their names are written.
    pub names: Path,
    /// Keys of taints that these pods may tolerate without saying so.
    #[serde(default)]
    pub gives: Vec<String>,
}

/// Where a kind holds its pod templates.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorkloadRow {
    /// API group. Empty for the core group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Versions. Empty means any.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Whether the API server decodes the pod template.
    #[serde(default)]
    pub level: RowLevel,
    /// Paths to the maps that hold `tolerations`.
    pub pods: Vec<Path>,
    /// No other place of the kind holds tolerations of pods. A list anywhere else has no effect.
    #[serde(default)]
    pub all_paths: bool,
    /// It lends its pod template to other objects and has no pods itself.
    #[serde(default)]
    pub lends: bool,
    /// The operator copies the list and adds no tolerations of its own, so that a missing list is an empty one.
    #[serde(default)]
    pub copies: bool,
    /// The built-in kind, such as `DaemonSet`, that the operator makes pods with unless the object says otherwise.
    #[serde(default)]
    pub makes: Option<String>,
    /// The key of the list, if it is not `tolerations`.
    #[serde(default = "usual_tolerations_key")]
    pub tolerations_key: String,
}

fn usual_tolerations_key() -> String {
    "tolerations".to_owned()
}

/// Where a kind holds taints or tolerations of devices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DeviceRow {
    /// API group.
    pub group: String,
    /// Kinds in the group.
    pub kinds: Vec<String>,
    /// Versions. Empty means any.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Paths to taints, each a map.
    #[serde(default)]
    pub taints: Vec<Path>,
    /// Paths to lists of tolerations.
    #[serde(default)]
    pub tolerations: Vec<Path>,
    /// The path to suggest for a list of tolerations at any other place of the object.
    #[serde(default)]
    pub right_place: Option<String>,
}

/// Level of a workload row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowLevel {
    /// A built-in kind.
    Typed,
    /// A custom resource.
    #[default]
    Custom,
}

impl KindRow {
    /// Whether the row covers a kind.
    pub fn covers(&self, group: &str, kind: &str) -> bool {
        self.group == group
            && (self.kinds.is_empty()
                || self.kinds.iter().any(|known| known == kind || known == "*"))
    }
}
