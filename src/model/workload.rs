//! Workloads and pod shapes: what scheduling reads of a pod template, and where in the files it stands.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::admission::PodTolerations;
use super::character::Character;
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
    /// A list under the key `tolerations` in the values of a chart: templates copy it into pods as it stands.
    Values,
    /// A list whose owner is not known, or may change it before a pod gets it.
    Other,
}

impl Level {
    /// The word that rules use.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Typed => "typed",
            Level::Custom => "custom",
            Level::Values | Level::Other => "other",
        }
    }

    /// Whether it is known what reads the list and makes pods of it.
    pub fn has_owner(self) -> bool {
        matches!(self, Level::Typed | Level::Custom)
    }

    /// Whether what is written reaches the API server as it stands.
    pub fn is_verbatim(self) -> bool {
        self != Level::Other
    }
}

/// What scheduling reads of a pod template. Equal shapes are judged once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodShape {
    /// Kind of the owner; empty when not known.
    pub kind: String,
    /// API group of the owner; empty for the core group and when not known.
    pub api_group: String,
    /// What is known about the owner.
    pub level: Level,
    /// The entries that the manifest gives, in order.
    pub tolerations: Vec<Toleration>,
    /// The entries that its pods have once they are admitted; empty until that is worked out.
    pub on_pods: PodTolerations,
    /// Why more may be tolerated than is written: part of the list is a template, or something else adds entries.
    pub unread_tolerations: Option<MoreTolerations>,
    /// Which nodes the pod asks for.
    pub selection: NodeSelection,
    /// The pod prefers nodes without demanding them.
    pub prefers: bool,
    /// `nodeName`: the scheduler is bypassed.
    pub node_name: Field<String>,
    /// `priorityClassName`.
    pub priority_class: Field<String>,
    /// `runtimeClassName`.
    pub runtime_class: Field<String>,
    /// `hostNetwork`.
    pub host_network: Field<bool>,
    /// Names of extended resources that containers ask for.
    pub extended_resources: BTreeSet<String>,
    /// Some requests and limits could not be read: more resources may be asked for than stand here.
    pub resources_unread: bool,
    /// The QoS class; never absent.
    pub qos_class: Field<QosClass>,
    /// It is part of the cluster itself, by its priority class or its namespace.
    pub system: Truth,
    /// What is written of it names OpenShift, whose nodes differ in their taints from those of other distributions.
    pub on_openshift: bool,
    /// Why the API server refuses its pods.
    pub refused: Option<Refusal>,
    /// What sort of program it is.
    pub character: Character,
}

impl PodShape {
    /// Written and injected entries, in the order in which the pod will have them.
    pub fn all_tolerations(&self) -> Vec<Toleration> {
        self.on_pods.tolerations()
    }

    /// What its pods bring to the scheduler; `tolerations` are those of [`PodShape::all_tolerations`].
    pub fn candidate<'p>(&'p self, tolerations: &'p [Toleration]) -> Candidate<'p> {
        Candidate {
            selection: &self.selection,
            node_name: &self.node_name,
            tolerations,
            tolerations_known: self.unread_tolerations.is_none(),
        }
    }

    /// Whether every toleration and every selector of the pod is known.
    pub fn is_literal(&self) -> bool {
        self.unread_tolerations.is_none()
            && !self.selection.unknown
            && !self.node_name.is_unknown()
            && self.tolerations.iter().all(|entry| {
                !(entry.key.is_unknown()
                    || entry.operator.is_unknown()
                    || entry.value.is_unknown()
                    || entry.effect.is_unknown())
            })
    }

    /// Keys of the labels that it asks of nodes, demanded or preferred. What it shuns is not among them.
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

    /// Whether the pod asks for particular nodes in any way, demanded or preferred.
    pub fn asks_for_nodes(&self) -> Truth {
        if self.prefers || !self.node_name.is_absent() {
            return Truth::Yes;
        }
        let asks = !self.selection.node_selector.is_empty() || !self.selection.required.is_absent();
        match (asks, self.selection.unknown) {
            (true, _) => Truth::Yes,
            (false, true) => Truth::Unknown,
            (false, false) => Truth::No,
        }
    }
}

/// Where one entry of a list of tolerations stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedToleration {
    /// The whole entry.
    pub entry: Span,
    /// Field path of the entry.
    pub path: String,
    /// Fields that are written: name, and span of key and value together. Few, and one such list for each entry of a
    /// repository, so no map.
    pub fields: Box<[(&'static str, Span)]>,
}

impl LocatedToleration {
    /// Where a field stands, key and value together.
    pub fn field(&self, name: &str) -> Option<Span> {
        let found = self.fields.iter().find(|(known, _)| *known == name);
        found.map(|(_, span)| *span)
    }
}

/// Labels or annotations, each value as far as it could be read, sorted by key. There are two for each workload of a repository,
/// and a map with one entry takes half a kilobyte.
pub type Pairs = Box<[(String, Field<String>)]>;

/// One pod template, or one list of tolerations, in one document.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The object that it belongs to.
    pub object: Object,
    /// Labels of the object.
    pub labels: Pairs,
    /// Annotations of the object.
    pub annotations: Pairs,
    /// What scheduling sees.
    pub shape: Arc<PodShape>,
    /// The file.
    pub source: SourceId,
    /// The object's name, or what comes nearest to it.
    pub span: Span,
    /// Field path of the map that holds `tolerations`.
    pub path: String,
    /// The key of the list of tolerations, when there is one.
    pub list: Option<Span>,
    /// Where each of `shape.tolerations` stands.
    pub located: Box<[LocatedToleration]>,
    /// Where the pod asks for nodes: nodeSelector entries and affinity expressions, by label key.
    pub selectors: Box<[(String, Span, String)]>,
    /// Where the pods of this list are declared.
    pub stands: Stands,
}

/// Why pods may have more tolerations than could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MoreTolerations {
    /// The whole document is a template.
    TemplateDocument,
    /// A template fills in the list or a part of it, in words.
    Template(&'static str),
    /// Only part of the object is in this file: what it does not write may stand in the object that it changes.
    InPart,
    /// Something else, in words.
    Other(&'static str),
}

impl MoreTolerations {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            MoreTolerations::TemplateDocument => "its document is a template",
            MoreTolerations::InPart => "only part of the object is in this file",
            MoreTolerations::Template(why) | MoreTolerations::Other(why) => why,
        }
    }
}

impl Workload {
    /// Takes it for a patch: what it does not write may stand in the object that it changes.
    pub fn take_as_part(&mut self) {
        let mut shape = (*self.shape).clone();
        if self.list.is_none() {
            shape
                .unread_tolerations
                .get_or_insert(MoreTolerations::InPart);
        }
        shape.selection.unknown = true;
        shape.qos_class = Field::Unknown;
        self.shape = Arc::new(shape);
        self.stands = Stands::InPart;
    }

    /// Whether it writes something that decides where its pods run.
    pub fn says_where(&self) -> bool {
        let shape = &self.shape;
        self.list.is_some()
            || !self.selectors.is_empty()
            || shape.selection.unknown
            || !shape.node_name.is_absent()
    }
}

/// Whether an object is all that its pods are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// It is.
    Alone,
    /// It is a patch or otherwise only part of an object: what it lacks may stand elsewhere.
    InPart,
    /// It lends tolerations to pods of other objects (RuntimeClass) and has none of its own.
    ForOthers,
}
