//! The form of provider tables (`providers/*.yaml`): rows that say which kinds hold pod templates or node pools, and at
//! which paths.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::node_selection::OtherLabels;
use crate::model::taint::Taint;
use crate::model::well_known::WellKnownTaint;
use crate::yaml::Path;

/// One file of `providers/`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Provider {
    /// Same as the file's name.
    pub name: String,
    /// What the table describes.
    pub about: String,
    /// Rows for pod templates and other maps that hold `tolerations`.
    #[serde(default)]
    pub workloads: Vec<WorkloadRow>,
    /// Rows for node pools.
    #[serde(default)]
    pub pools: Vec<PoolRow>,
    /// Objects that add tolerations to the pods of others.
    #[serde(default)]
    pub injects: Vec<InjectRow>,
    /// Kinds that are never looked into.
    #[serde(default)]
    pub skip: Vec<KindRow>,
    /// Kinds whose `tolerations` are not about nodes.
    #[serde(default)]
    pub no_node_tolerations: Vec<KindRow>,
    /// Taints that Kubernetes, providers and add-ons set themselves.
    #[serde(default)]
    pub well_known_taints: Vec<WellKnownTaint>,
}

/// A kind, without anything to read in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KindRow {
    /// API group; empty for the core group.
    pub group: String,
    /// Kinds in it; empty means all.
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// A kind whose objects add tolerations to the pods of others.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InjectRow {
    /// API group.
    pub group: String,
    /// Kinds in it.
    pub kinds: Vec<String>,
    /// Only when this text occurs in the document.
    #[serde(default)]
    pub when_text: Option<String>,
    /// Only pods of workloads that carry this label.
    #[serde(default)]
    pub workload_label: Option<String>,
    /// Only pods of workloads of these kinds; any when empty.
    #[serde(default)]
    pub workload_kinds: Vec<String>,
}

/// Where a kind holds its pod templates.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WorkloadRow {
    /// API group; empty for the core group.
    pub group: String,
    /// Kinds in it.
    pub kinds: Vec<String>,
    /// Versions; empty means any.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Whether the API server decodes the pod template.
    #[serde(default)]
    pub level: RowLevel,
    /// Paths to the maps that hold `tolerations`.
    pub pods: Vec<Path>,
    /// What it holds is lent to pods of others: the object itself has none.
    #[serde(default)]
    pub lends: bool,
    /// The list's name, where it is another.
    #[serde(default = "usual_tolerations_key")]
    pub tolerations_key: String,
}

fn usual_tolerations_key() -> String {
    "tolerations".to_owned()
}

/// Level of a workload row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowLevel {
    /// A built-in kind.
    Typed,
    /// A custom resource.
    #[default]
    Custom,
}

/// Where a kind declares node pools.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoolRow {
    /// API group; empty for the core group.
    pub group: String,
    /// Kinds in it.
    pub kinds: Vec<String>,
    /// Versions; empty means any.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Path to the elements that are a pool each; the document itself when empty.
    #[serde(default)]
    pub each: Path,
    /// Literal values that an element must have.
    #[serde(default, rename = "match")]
    pub matches: BTreeMap<String, String>,
    /// Fields that an element must have.
    #[serde(default)]
    pub match_written: Vec<Anchored>,
    /// Fields that an element must not have.
    #[serde(default)]
    pub match_absent: Vec<Anchored>,
    /// Where the name is; the first that is there.
    #[serde(default)]
    pub name: OneOrMany<Anchored>,
    /// Put before the name with a `-`, for elements that have none of their own.
    #[serde(default)]
    pub name_prefix: Option<Anchored>,
    /// Lists or maps of taints.
    #[serde(default)]
    pub taints: Vec<Anchored>,
    /// Taints that are removed once a node is ready.
    #[serde(default)]
    pub startup_taints: Vec<Anchored>,
    /// Fields by which an element of `taints` is known to be a startup taint.
    #[serde(default)]
    pub startup_when: BTreeMap<String, String>,
    /// Maps of labels.
    #[serde(default)]
    pub labels: Vec<Anchored>,
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
    /// Labels whose value is the pool's name.
    #[serde(default)]
    pub pool_label: OneOrMany<String>,
    /// What a label that is not listed means.
    #[serde(default)]
    pub other_labels: OtherLabelsWord,
    /// Where a node says that it is cordoned.
    #[serde(default)]
    pub unschedulable: Option<Anchored>,
    /// Another document that adds taints and labels.
    #[serde(default)]
    pub refers: Option<Reference>,
    /// This is what others refer to; a pool of its own only when nobody does.
    #[serde(default)]
    pub part: bool,
    /// Strings that hold further YAML documents, read as kubeadm configuration.
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
    /// Why pools of this row are never known completely.
    #[serde(default)]
    pub incomplete: Option<String>,
}

/// Paths to the kind and name of another document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Path to the kind.
    pub kind: Anchored,
    /// Path to the name.
    pub name: Anchored,
}

/// How a source spells effects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
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

/// `other-labels` of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherLabelsWord {
    /// Labels can come from elsewhere.
    #[default]
    Possible,
    /// Only Kubernetes' and providers' own labels can.
    WellKnownOnly,
    /// None can.
    None,
}

impl From<OtherLabelsWord> for OtherLabels {
    fn from(word: OtherLabelsWord) -> Self {
        match word {
            OtherLabelsWord::Possible => OtherLabels::Possible,
            OtherLabelsWord::WellKnownOnly => OtherLabels::WellKnownOnly,
            OtherLabelsWord::None => OtherLabels::None,
        }
    }
}

/// A path from the element, or from the document's root when it was written with a leading `/`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Anchored {
    /// Starts at the document's root.
    pub from_root: bool,
    /// The path.
    pub path: Path,
}

impl TryFrom<String> for Anchored {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (from_root, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        let path = rest
            .parse::<Path>()
            .map_err(|error| format!("path `{text}`: {error}"))?;
        Ok(Anchored { from_root, path })
    }
}

/// A taint written as `key[=value]:Effect`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct TaintText(pub Taint);

impl TryFrom<String> for TaintText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Taint::parse_flag(&text)
            .map(TaintText)
            .map_err(|error| error.to_string())
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl<T> OneOrMany<T> {
    /// All of them, in order.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

impl KindRow {
    /// Whether a kind is meant.
    pub fn covers(&self, group: &str, kind: &str) -> bool {
        self.group == group
            && (self.kinds.is_empty()
                || self.kinds.iter().any(|known| known == kind || known == "*"))
    }
}
