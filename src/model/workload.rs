//! Workloads and pod shapes: the parts of a pod template that scheduling reads, and their locations in the files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thin_vec::ThinVec;

use super::admission::PodTolerations;
use super::character::Character;
use super::label_keys::{is_managed_label_key, names_declared_pool};
use super::node_pool::NodePool;
use super::node_selection::{NodeSelection, Requirement};
use super::placement::Candidate;
use super::qos::QosClass;
use super::refusal::Refusal;
use super::toleration::Toleration;
use super::{Field, Truth};
use crate::finding::Object;
use crate::source::{SourceId, Span};

/// How much is known about the owner of a pod template or of a list of tolerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// A built-in kind: the API server decodes and validates the pod template.
    Typed,
    /// A custom resource at a path that its operator is known to read.
    Custom,
    /// Values of a chart that the tables of charts know: it is known which pods they reach.
    Chart,
    /// A list under the key `tolerations` in the values of a chart: templates copy it into pods unchanged.
    Values,
    /// A list whose owner is unknown, or may change it before a pod gets it.
    Other,
}

impl Level {
    /// Returns the word that rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Typed => "typed",
            Level::Custom => "custom",
            Level::Chart => "chart",
            Level::Values | Level::Other => "other",
        }
    }

    /// Whether it is known what reads the list and creates pods from it.
    pub fn has_owner(self) -> bool {
        matches!(self, Level::Typed | Level::Custom | Level::Chart)
    }

    /// Whether the pod template stands in an object of its own, not in the values of a chart.
    pub fn is_object(self) -> bool {
        matches!(self, Level::Typed | Level::Custom)
    }

    /// Whether the list reaches the API server unchanged.
    pub fn is_verbatim(self) -> bool {
        self != Level::Other
    }
}

/// The parts of a pod template that scheduling reads. Equal shapes are evaluated once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodShape {
    /// The owner's kind; empty if unknown.
    pub kind: String,
    /// The owner's API group; empty for the core group and if unknown.
    pub api_group: String,
    /// What is known about the owner.
    pub level: Level,
    /// The entries in the manifest, in order.
    pub tolerations: Vec<Toleration>,
    /// Further entries that the chart adds, or uses by default, in the version that was examined.
    pub possible: Vec<Toleration>,
    /// The entries of its pods after admission; empty until computed.
    pub on_pods: PodTolerations,
    /// Why there may be more tolerations: part of the list is a template, or something else adds entries.
    pub unread_tolerations: Option<MoreTolerations>,
    /// The nodes that the pod selects.
    pub selection: NodeSelection,
    /// The pod prefers nodes without requiring them.
    pub prefers: bool,
    /// `nodeName`: the scheduler is bypassed.
    pub node_name: Field<String>,
    /// `priorityClassName`.
    pub priority_class: Field<String>,
    /// `runtimeClassName`.
    pub runtime_class: Field<String>,
    /// `hostNetwork`.
    pub host_network: Field<bool>,
    /// The names of extended resources that containers request.
    pub extended_resources: BTreeSet<String>,
    /// Some requests and limits could not be read, so there may be more resources.
    pub resources_unread: bool,
    /// The QoS class; never absent.
    pub qos_class: Field<QosClass>,
    /// It is part of the cluster itself, judging by its priority class or namespace.
    pub system: Truth,
    /// It mentions OpenShift, whose nodes have other taints than those of other distributions.
    pub on_openshift: bool,
    /// Why the API server refuses its pods.
    pub refused: Option<Refusal>,
    /// What sort of program it is.
    pub character: Character,
}

impl PodShape {
    /// Returns written and injected entries, in the order that the pod will have them.
    pub fn all_tolerations(&self) -> Vec<Toleration> {
        self.on_pods.tolerations()
    }

    /// Returns the properties for the scheduler; `tolerations` are those of [`PodShape::all_tolerations`].
    pub fn candidate<'p>(&'p self, tolerations: &'p [Toleration]) -> Candidate<'p> {
        Candidate {
            selection: &self.selection,
            node_name: &self.node_name,
            tolerations,
            tolerations_known: self.unread_tolerations.is_none(),
        }
    }

    /// Whether every selector of the pod is known.
    pub fn selects_literally(&self) -> bool {
        !self.selection.unknown && !self.selection.partial && !self.node_name.is_unknown()
    }

    /// Whether every toleration and every selector of the pod is known.
    pub fn is_literal(&self) -> bool {
        self.unread_tolerations.is_none()
            && self.selects_literally()
            && self.tolerations.iter().all(|entry| {
                !(entry.key.is_unknown()
                    || entry.operator.is_unknown()
                    || entry.value.is_unknown()
                    || entry.effect.is_unknown())
            })
    }

    /// Returns the shape without the requirements that may be elsewhere, if there may be any. Further requirements never
    /// let pods onto more nodes.
    pub fn as_read(&self) -> Option<PodShape> {
        self.selection.partial.then(|| {
            let mut shape = self.clone();
            shape.selection.partial = false;
            shape
        })
    }

    /// Whether a pool that its provider makes on demand is certainly not made for these pods: they require a label that no
    /// provider sets, and tolerate no taint with its key, or they name another pool.
    pub fn gets_none_of(&self, pool: &NodePool) -> bool {
        let tolerates = |key: &str| {
            let mut entries = self.tolerations.iter();
            entries.any(|entry| {
                entry
                    .key
                    .text()
                    .is_none_or(|own| own.is_empty() || own == key)
            })
        };
        let labels = self.selection.required_labels();
        let names_another = |(key, value): (&&str, &&str)| names_declared_pool(key, value);
        let mut own = labels.keys().filter(|key| !is_managed_label_key(key));
        let mut asks_for_own = || own.any(|key| !tolerates(key));
        pool.made_on_demand
            && (labels.iter().any(names_another)
                || (self.unread_tolerations.is_none() && asks_for_own()))
    }

    /// Returns the keys of node labels that it requires or prefers, without those that it avoids.
    pub fn asked_keys(&self) -> BTreeSet<String> {
        let selected = self.selection.node_selector.keys().map(String::as_str);
        let preferred = self.character.preferred.iter().map(String::as_str);
        let terms = self.selection.required.known().into_iter().flatten();
        let wants = |requirement: &&Requirement| {
            let operator = requirement.operator.text();
            !matches!(operator, Some("NotIn" | "DoesNotExist"))
        };
        let expressed = terms.flat_map(|term| term.expressions.iter().filter(wants));
        let expressed = expressed.filter_map(|requirement| requirement.key.text());
        let all = selected.chain(preferred).chain(expressed);
        all.map(str::to_owned).collect()
    }

    /// Whether the pod requires or prefers particular nodes in any way.
    pub fn asks_for_nodes(&self) -> Truth {
        if self.prefers || !self.node_name.is_absent() {
            return Truth::Yes;
        }
        let asks = !self.selection.node_selector.is_empty() || !self.selection.required.is_absent();
        match (asks, self.selection.unknown || self.selection.partial) {
            (true, _) => Truth::Yes,
            (false, true) => Truth::Unknown,
            (false, false) => Truth::No,
        }
    }
}

/// The location of one entry of a list of tolerations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedToleration {
    /// The whole entry.
    pub entry: Span,
    /// The field path of the entry.
    pub path: String,
    /// The fields that are present: name, and span of key and value together. Not a map, because the lists are short and
    /// there is one for each entry of a repository.
    pub fields: Box<[(&'static str, Span)]>,
}

impl LocatedToleration {
    /// Returns the span of a field, key and value together.
    pub fn field(&self, name: &str) -> Option<Span> {
        let found = self.fields.iter().find(|(known, _)| *known == name);
        found.map(|(_, span)| *span)
    }
}

/// Labels or annotations, sorted by key, with values as far as they could be read. There are two for each workload, and a
/// map with one entry takes half a kilobyte.
pub type Pairs = Box<[(String, Field<String>)]>;

/// A pod template, or a list of tolerations, in a document.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The object that contains it.
    pub object: Object,
    /// Labels of the object.
    pub labels: Pairs,
    /// Annotations of the object.
    pub annotations: Pairs,
    /// The parts that scheduling reads.
    pub shape: Arc<PodShape>,
    /// The file.
    pub source: SourceId,
    /// The span of the object's name, or of the closest substitute.
    pub span: Span,
    /// The field path of the mapping that contains `tolerations`.
    pub path: String,
    /// The name of the object that a chart makes of it, without the name of the release.
    pub component: Option<Box<str>>,
    /// The namespace of the pods, if the object only says that of itself.
    pub pods_in: Option<Box<str>>,
    /// The key of the list of tolerations, if there is one.
    pub list: Option<Span>,
    /// The location of each of `shape.tolerations`.
    pub located: Box<[LocatedToleration]>,
    /// Where the pod selects nodes: nodeSelector entries and affinity expressions, by label key.
    pub selectors: Box<[(String, Span, String)]>,
    /// How the pods of this list are declared.
    pub stands: Stands,
    /// The clusters that get it in this form, as indices of those that the repository shows. Empty if its file says where
    /// it runs.
    pub delivered_to: ThinVec<u32>,
}

/// Why pods may have more tolerations than could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MoreTolerations {
    /// The whole document is a template.
    TemplateDocument,
    /// A template fills in the list or a part of it, in words.
    Template(&'static str),
    /// The file contains only part of the object: the rest may be in the object that it patches.
    InPart,
    /// Something else, in words.
    Other(&'static str),
}

impl MoreTolerations {
    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            MoreTolerations::TemplateDocument => "its document is a template",
            MoreTolerations::InPart => "only part of the object is in this file",
            MoreTolerations::Template(why) | MoreTolerations::Other(why) => why,
        }
    }
}

impl Workload {
    /// Treats it as a patch: missing fields may be present in the object that it patches.
    pub fn take_as_part(&mut self) {
        let mut shape = (*self.shape).clone();
        if self.list.is_none() {
            shape
                .unread_tolerations
                .get_or_insert(MoreTolerations::InPart);
        }
        shape.selection.partial = true;
        shape.qos_class = Field::Unknown;
        self.shape = Arc::new(shape);
        self.stands = Stands::InPart;
    }

    /// The name that messages show.
    pub fn name(&self) -> Option<&str> {
        let own = self.component.as_deref();
        own.or(self.object.name.as_deref())
    }

    /// Whether it contains a field that decides where its pods run.
    pub fn says_where(&self) -> bool {
        let shape = &self.shape;
        self.list.is_some()
            || !self.selectors.is_empty()
            || shape.selection.unknown
            || shape.selection.partial
            || !shape.node_name.is_absent()
    }
}

/// A label that a workload requires, with the values that it accepts and where.
pub struct Selected<'g> {
    /// The key.
    pub key: &'g str,
    /// The values; none if any will do.
    pub values: Vec<&'g str>,
    /// The entry.
    pub span: Span,
    /// Its path.
    pub path: &'g str,
}

/// Of more values of one label than this, only these are compared with other words if the label is also required at this many
/// places.
const MOST_VALUES: usize = 100;

/// Returns the labels that a workload requires.
pub fn selected(workload: &Workload) -> impl Iterator<Item = Selected<'_>> {
    let selection = &workload.shape.selection;
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, _, _) in &workload.selectors {
        *places.entry(key).or_default() += 1;
    }
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (key, value) in &selection.node_selector {
        values.entry(key).or_default().extend(value.text());
    }
    let terms = selection.required.known().into_iter().flatten();
    for asks in terms.flat_map(|term| &term.expressions) {
        if let (Some(key), Some("In")) = (asks.key.text(), asks.operator.text()) {
            let known = values.entry(key).or_default();
            known.extend(asks.values.iter().filter_map(Field::text));
        }
    }
    for (key, values) in &mut values {
        if places.get(key).is_some_and(|places| *places > MOST_VALUES) {
            values.truncate(MOST_VALUES);
        }
    }
    // A label that a chart selects by itself leads to an entry of the release. It is one of the chart's files.
    let entries = workload.located.iter().map(|one| one.entry);
    let entries: BTreeSet<Span> = entries.collect();
    workload
        .selectors
        .iter()
        .filter(move |(_, span, _)| !entries.contains(span))
        .map(move |(key, span, path)| Selected {
            key,
            values: values.get(key.as_str()).cloned().unwrap_or_default(),
            span: *span,
            path,
        })
}

/// Whether the pods are created from this object alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// They are.
    Alone,
    /// It is a patch or otherwise only part of an object: missing fields may be present elsewhere.
    InPart,
    /// It says something of the pods of other objects (RuntimeClass, a selector in values) and has no pods of its own.
    ForOthers,
}
