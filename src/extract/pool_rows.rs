//! The schema of the rows under `pools` in provider tables: where a notation has the taints and labels of a pool, and
//! what the provider adds to them. `docs/provider-tables.md` explains each key to users.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "the table has a row for each variant"
    )
)]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::notation::{Anchored, OneOrMany, TaintText};
use crate::model::node_selection::OtherLabels;
use crate::model::taint::Effect;
use crate::source::text::Cut as _;
use crate::yaml::Path;

/// Where a kind, or a file that has none, declares node pools.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoolRow {
    /// API group; empty for the core group, and for documents without a kind.
    #[serde(default)]
    pub group: String,
    /// Kinds in it. Without any the row is for documents that name no `apiVersion`, or for Terraform.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Versions; empty means any.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Types of Terraform resources, in the place of `group` and `kinds`.
    #[serde(default)]
    pub terraform: Vec<String>,
    /// Terraform modules, in the place of `group` and `kinds`: `namespace/name/provider` as the registry has it, with
    /// `//folder` for a part of it; a `*` at the end stands for anything. Sources that name the module's repository are
    /// brought to this form; modules of the repository itself are not meant, what they declare is read instead.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Ends of paths of the files that are meant (`k3s/config.yaml`), or folders in them (`group_vars/`); any when empty.
    #[serde(default)]
    pub files: Vec<String>,
    /// Path to the elements that are a pool each; the document itself when empty.
    #[serde(default)]
    pub each: Path,
    /// Values that an element must have.
    #[serde(default, rename = "match")]
    pub matches: Values,
    /// Values that an element must not have.
    #[serde(default)]
    pub unless: Values,
    /// Fields that an element must have.
    #[serde(default)]
    pub match_written: Vec<Anchored>,
    /// Fields that an element must not have.
    #[serde(default)]
    pub match_absent: Vec<Anchored>,
    /// Where the name is; the first that is there.
    #[serde(default)]
    pub name: OneOrMany<NameSource>,
    /// Put before the name with a `-`, for elements that have none of their own.
    #[serde(default)]
    pub name_prefix: Option<Anchored>,
    /// Where the name of the pool's cluster is; the first that is known. `$file` means that the file is one cluster's.
    #[serde(default)]
    pub cluster: OneOrMany<NameSource>,
    /// Lists or maps of taints.
    #[serde(default)]
    pub taints: Vec<Anchored>,
    /// Only lists are taken under `taints`: whoever reads the notation drops a text that stands there.
    #[serde(default)]
    pub only_lists: bool,
    /// Taints that count when none of `taints` is written.
    #[serde(default)]
    pub fallback_taints: Vec<Anchored>,
    /// Maps from the names of pools to their taints; what stands under `all` is for every pool.
    #[serde(default)]
    pub taints_by_pool: Vec<Anchored>,
    /// Taints that are removed once a node is ready.
    #[serde(default)]
    pub startup_taints: Vec<Anchored>,
    /// Fields by which an element of `taints` is known to be a startup taint.
    #[serde(default)]
    pub startup_when: BTreeMap<String, String>,
    /// Maps or lists of labels.
    #[serde(default)]
    pub labels: Vec<Anchored>,
    /// Labels that count when none of `labels` is written.
    #[serde(default)]
    pub fallback_labels: Vec<Anchored>,
    /// Maps from the names of pools to their labels; what stands under `all` is for every pool.
    #[serde(default)]
    pub labels_by_pool: Vec<Anchored>,
    /// Only labels in these domains reach the node; any label when empty.
    #[serde(default)]
    pub label_domains: Vec<String>,
    /// Labels whose value stands elsewhere.
    #[serde(default)]
    pub labels_from: BTreeMap<String, Anchored>,
    /// Labels that are there with a value that no manifest shows.
    #[serde(default)]
    pub unknown_labels: Vec<String>,
    /// Karpenter requirements.
    #[serde(default)]
    pub requirements: Vec<Anchored>,
    /// Comma-separated taints.
    #[serde(default)]
    pub taint_flags: Vec<Anchored>,
    /// Comma-separated labels.
    #[serde(default)]
    pub label_flags: Vec<Anchored>,
    /// Command lines, their arguments or scripts, of which the kubelet's and the agents' flags for taints and labels
    /// are read.
    #[serde(default)]
    pub flags: Vec<Anchored>,
    /// Maps or lists of tags or annotations, of which those for the cluster autoscaler are read.
    #[serde(default)]
    pub autoscaler: Vec<Anchored>,
    /// Taints that are there when none of `taints` is written.
    #[serde(default)]
    pub default_taints: Vec<TaintText>,
    /// Decides in the place of `taints` whether `default-taints` are there.
    #[serde(default)]
    pub defaults_unless: Vec<Anchored>,
    /// Taints that are always there.
    #[serde(default)]
    pub implied_taints: Vec<TaintText>,
    /// Labels that are always there.
    #[serde(default)]
    pub implied_labels: BTreeMap<String, String>,
    /// Taints and labels that are there when the element has certain values.
    #[serde(default)]
    pub implied: Vec<Implied>,
    /// Labels whose value is the pool's name.
    #[serde(default)]
    pub pool_label: OneOrMany<String>,
    /// An element is a single node; the first of these labels that it has names its pool. Elements of one pool in one
    /// file are one pool, and so are those without such a label that are alike.
    #[serde(default)]
    pub fold_by: Vec<String>,
    /// The objects that made the machines of nodes without such a label, and so name their pools.
    #[serde(default)]
    pub machines: Option<Machines>,
    /// A file of such elements shows every pool of a cluster.
    #[serde(default)]
    pub lists_all: bool,
    /// Labels that tell nodes from each other that are alike; any with this beginning where it ends in `*`.
    #[serde(default)]
    pub own_labels: Vec<String>,
    /// Those of them that name a machine; an inventory that is written from nodes does not contain their values.
    #[serde(default)]
    pub machine_labels: Vec<String>,
    /// Where a node says when its state was last reported, as RFC 3339 times.
    #[serde(default)]
    pub seen: Vec<Anchored>,
    /// What a label that is not listed means.
    #[serde(default)]
    pub other_labels: OtherLabels,
    /// Where a node says that it is cordoned.
    #[serde(default)]
    pub unschedulable: Option<Anchored>,
    /// Other documents that add taints and labels.
    #[serde(default)]
    pub refers: Vec<Reference>,
    /// This is what others refer to; a pool of its own only when nobody does.
    #[serde(default)]
    pub part: bool,
    /// Others refer to it by another kind than its own, because they want only a part of it.
    #[serde(default)]
    pub part_kind: Option<String>,
    /// A `part` that says everything of its nodes by itself, so that it is known completely when nobody refers to it.
    #[serde(default)]
    pub whole: bool,
    /// Strings or maps that hold further documents about the same nodes, such as kubeadm or Talos configuration.
    #[serde(default)]
    pub patches: Vec<Anchored>,
    /// Which kinds of such documents are meant for this pool; any when empty.
    #[serde(default)]
    pub patch_kinds: Vec<String>,
    /// `default-taints` apply only from so many elements on.
    #[serde(default)]
    pub min_elements: usize,
    /// How effects are spelled here.
    #[serde(default)]
    pub effect_spelling: EffectSpelling,
    /// The provider makes such pools for the pods that ask for them: labels and taints that are not its own have a key that a
    /// pod both requires as a label and tolerates.
    #[serde(default)]
    pub made_on_demand: bool,
    /// Why pools of this row are never known completely.
    #[serde(default)]
    pub incomplete: Option<String>,
}

impl PoolRow {
    /// Whether the row applies to a file with this path.
    pub fn covers_file(&self, path: &str) -> bool {
        let rooted = format!("/{path}");
        self.files.is_empty()
            || self.files.iter().any(|file| {
                let wanted = format!("/{file}");
                if file.ends_with('/') {
                    rooted.contains(&wanted)
                } else {
                    rooted.ends_with(&wanted)
                }
            })
    }
}

/// Values by path: one, or several of which any one is enough. A `*` matches anything. `true` and `false` are
/// booleans in any spelling.
pub type Values = BTreeMap<Anchored, OneOrMany<String>>;

/// Where a node says which object made its machine.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machines {
    /// The kind of such objects.
    pub kind: String,
    /// The name of the machine, `[NAMESPACE/]OBJECT-xxxxx`, whose last part is random.
    pub name: Vec<Anchored>,
}

/// Taints and labels that a provider adds to pools of a certain kind.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Implied {
    /// Values that the element must have.
    #[serde(default, rename = "match")]
    pub matches: Values,
    /// Values that the element must not have.
    #[serde(default)]
    pub unless: Values,
    /// Fields that the element must have.
    #[serde(default)]
    pub match_written: Vec<Anchored>,
    /// Fields that the element must not have.
    #[serde(default)]
    pub match_absent: Vec<Anchored>,
    /// The taints, but for those whose key and effect the pool has already.
    #[serde(default)]
    pub taints: Vec<TaintText>,
    /// The labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Labels whose value is the pool's name.
    #[serde(default)]
    pub pool_label: OneOrMany<String>,
    /// Why pools like this are not known completely.
    #[serde(default)]
    pub incomplete: Option<String>,
    /// The only keys that unknown taints of such pools can have; any key if this is missing.
    #[serde(default)]
    pub incomplete_keys: Option<Vec<String>>,
}

/// Paths to the kind and name of another document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Path to the kind; where there is none, `kinds` names the only one.
    #[serde(default)]
    pub kind: Option<Anchored>,
    /// Path to the name; where there is none, a document without a name in the same file is meant.
    #[serde(default)]
    pub name: Option<Anchored>,
    /// References to other kinds are not followed; any is when empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// The other document need not be there.
    #[serde(default)]
    pub optional: bool,
    /// Values that the element must have, or it refers to nothing.
    #[serde(default, rename = "match")]
    pub matches: Values,
}

/// Where a pool's name is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub enum NameSource {
    /// At a path.
    At(Anchored),
    /// `$key`: the key of the element in its map, which names it here and not on its nodes.
    Key,
    /// `$file`: the file's name without its ending, which names it here and not on its nodes.
    File,
    /// `=name`: always this one.
    Fixed(String),
}

impl TryFrom<String> for NameSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "$key" => Ok(NameSource::Key),
            "$file" => Ok(NameSource::File),
            fixed if fixed.starts_with('=') => Ok(NameSource::Fixed(fixed.since(1).to_owned())),
            _ => Anchored::try_from(text).map(NameSource::At),
        }
    }
}

/// How a source spells effects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectSpelling {
    /// `NoSchedule`
    #[default]
    Kubernetes,
    /// `NO_SCHEDULE`
    UpperSnake,
    /// `no-schedule`
    Kebab,
}

impl EffectSpelling {
    /// The name of an effect in this source.
    pub fn spell(self, effect: Effect) -> &'static str {
        let spellings = match effect {
            Effect::NoSchedule => ["NoSchedule", "NO_SCHEDULE", "no-schedule"],
            Effect::PreferNoSchedule => [
                "PreferNoSchedule",
                "PREFER_NO_SCHEDULE",
                "prefer-no-schedule",
            ],
            Effect::NoExecute => ["NoExecute", "NO_EXECUTE", "no-execute"],
        };
        spellings[self as usize]
    }
}
