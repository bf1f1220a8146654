//! Which nodes a pod asks for (nodeSelector, required node affinity, nodeName) and whether a node's labels answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::label_keys::{canonical_label_key, everyday_value, is_place_or_size_key};
use super::node_labels::Ask;
use super::validation::is_label_key;
use super::{Field, Truth};

/// One expression over a label or a field of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Label key.
    pub key: Field<String>,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt`; Karpenter also `Gte`, `Lte`.
    pub operator: Field<String>,
    /// Values, each as far as it could be read.
    #[serde(default)]
    pub values: Vec<Field<String>>,
}

/// One node selector term: everything in it must hold; an empty term matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// `matchExpressions`.
    pub expressions: Vec<Requirement>,
    /// `matchFields`; only `metadata.name` is ever set.
    pub fields: Vec<Requirement>,
}

/// What a pod asks of the labels of its node. All three parts must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSelection {
    /// `nodeSelector`, in the order of keys.
    pub node_selector: BTreeMap<String, Field<String>>,
    /// `requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`: one must match. Absent: no requirement.
    pub required: Field<Vec<Term>>,
    /// Part of the selection could not be read, so more may be asked for than stands here.
    pub unknown: bool,
}

/// What is known of the labels that a pool's nodes carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeLabels {
    /// Labels with their values.
    pub labels: BTreeMap<String, Field<String>>,
    /// Values that a node of this pool may be made with (Karpenter requirements).
    pub requirements: Vec<Requirement>,
    /// What a label that is not listed means.
    pub others: OtherLabels,
}

/// What a label that a pool does not list means.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OtherLabels {
    /// It may be there: labels can come from elsewhere.
    #[default]
    Possible,
    /// Labels in Kubernetes' and providers' own domains may be there, any other is not.
    WellKnownOnly,
    /// It is not there: the node itself was read.
    None,
}

impl Requirement {
    /// Whether its key, its operator or one of its values is not known.
    pub fn has_unknown_values(&self) -> bool {
        self.key.is_unknown()
            || self.operator.is_unknown()
            || self.values.iter().any(Field::is_unknown)
    }
}

impl NodeSelection {
    /// Whether something in required node affinity is not known.
    pub fn has_unknown_terms(&self) -> bool {
        let terms = self.required.known().into_iter().flatten();
        terms
            .flat_map(|term| term.expressions.iter().chain(&term.fields))
            .any(Requirement::has_unknown_values)
    }

    /// Whether a key, an operator or a value that is written here is not known.
    pub fn has_unknown_values(&self) -> bool {
        self.node_selector.values().any(Field::is_unknown) || self.has_unknown_terms()
    }

    /// Whether a node with these labels, or some node that a pool with these labels can give, is one that the
    /// pod asks for. `node_name` is the node's name where the node itself is known; it decides `matchFields`.
    ///
    /// Everything that is asked of one label must hold of one value: `k In [a, b]` with `k NotIn [a]` is answered
    /// by `b` only.
    pub fn selects(&self, node: &NodeLabels, node_name: Option<&str>) -> Truth {
        let answer = match &self.required {
            Field::Absent => self.selects_by(None, node, node_name),
            Field::Unknown => self.selects_by(None, node, node_name).and(Truth::Unknown),
            Field::Is(terms) => Truth::any(
                terms
                    .iter()
                    .filter(|term| !term.is_empty())
                    .map(|term| self.selects_by(Some(term), node, node_name)),
            ),
        };
        if self.unknown {
            answer.and(Truth::Unknown)
        } else {
            answer
        }
    }

    /// Whether the labels that name a kind of node, of all that the pod asks for, surely select this pool. What nearly
    /// every node has, and where a node is or how big it is, is left aside: a pool seldom says it. `No` where the pod
    /// asks for no kind of node, or where the whole selection rules the pool out.
    pub fn selects_kind(&self, node: &NodeLabels, node_name: Option<&str>) -> Truth {
        if self.selects(node, node_name) == Truth::No {
            return Truth::No;
        }
        let mut kind = self.clone();
        kind.node_selector
            .retain(|key, value| names_a_kind(key, std::slice::from_ref(value)));
        match &mut kind.required {
            Field::Is(terms) => {
                terms.retain(|term| !term.is_empty());
                for term in terms.iter_mut() {
                    term.expressions.retain(Requirement::names_a_kind);
                }
                // An alternative that names no kind lets in any node.
                if terms.iter().any(Term::is_empty) {
                    kind.required = Field::Absent;
                }
            }
            Field::Absent | Field::Unknown => {}
        }
        if kind.node_selector.is_empty() && kind.required.is_absent() {
            return Truth::No;
        }
        kind.selects(node, node_name)
    }

    /// `nodeSelector` and one of the terms together.
    fn selects_by(&self, term: Option<&Term>, node: &NodeLabels, node_name: Option<&str>) -> Truth {
        let mut answer = Truth::Yes;
        let mut asks: BTreeMap<&str, Vec<Ask<'_>>> = BTreeMap::new();
        for (key, value) in &self.node_selector {
            asks.entry(canonical_label_key(key))
                .or_default()
                .push(Ask::In(std::slice::from_ref(value)));
        }
        for expression in term.map_or(&[][..], |term| &term.expressions) {
            match expression.key.text() {
                None => answer = answer.and(Truth::Unknown),
                // The scheduler cannot parse it, and then the whole term matches no node.
                Some(key) if is_label_key(key).is_err() => return Truth::No,
                Some(key) => asks
                    .entry(canonical_label_key(key))
                    .or_default()
                    .push(Ask::of_pod(expression)),
            }
        }
        for field in term.map_or(&[][..], |term| &term.fields) {
            answer = answer.and(field_matches(field, node_name));
        }
        for (key, asks) in &asks {
            if answer == Truth::No {
                break;
            }
            answer = answer.and(node.can_answer(key, asks));
        }
        answer
    }

    /// Whether nothing is asked, and nothing that might be asked is unread.
    pub fn is_empty(&self) -> bool {
        self.node_selector.is_empty() && self.required.is_absent() && !self.unknown
    }

    /// Whether the pod asks for a kind of node: at least one label must be there with a purpose, which excludes
    /// what nearly every node has (Linux, amd64, on-demand) and where a node is or how big it is. Where terms are
    /// alternatives, each must do so. What could not be read counts for nothing.
    pub fn pins(&self) -> bool {
        let by_selector = self
            .node_selector
            .iter()
            .any(|(key, value)| names_a_kind(key, std::slice::from_ref(value)));
        by_selector
            || self.required.known().is_some_and(|terms| {
                let mut terms = terms.iter().filter(|term| !term.is_empty()).peekable();
                terms.peek().is_some() && terms.all(Term::pins)
            })
    }

    /// Labels that every selected node surely has, by key: those of `nodeSelector`, and those that a single term
    /// asks for with one value. Only what could be read.
    pub fn required_labels(&self) -> BTreeMap<&str, &str> {
        let selected = self
            .node_selector
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value.text()?)));
        let terms = self.required.known().map_or(&[][..], Vec::as_slice);
        let mut terms = terms.iter().filter(|term| !term.is_empty());
        let only_term = match (terms.next(), terms.next()) {
            (Some(term), None) => term.expressions.as_slice(),
            _ => &[],
        };
        let expressed = only_term.iter().filter_map(|expression| {
            let (Some("In"), [value]) = (expression.operator.text(), expression.values.as_slice())
            else {
                return None;
            };
            Some((expression.key.text()?, value.text()?))
        });
        expressed.chain(selected).collect()
    }

    /// Those of the required labels that tell a kind of node, each under today's name.
    pub fn telling_labels(&self) -> BTreeMap<&str, &str> {
        self.required_labels()
            .into_iter()
            .filter(|(key, value)| {
                !is_place_or_size_key(key) && everyday_value(key) != Some(*value)
            })
            .map(|(key, value)| (canonical_label_key(key), value))
            .collect()
    }
}

impl Term {
    /// Whether it asks nothing; Kubernetes lets such a term match no node.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty() && self.fields.is_empty()
    }

    fn pins(&self) -> bool {
        self.expressions.iter().any(Requirement::names_a_kind)
    }
}

impl Requirement {
    /// Whether a node must have a label that tells it from the everyday node.
    fn names_a_kind(&self) -> bool {
        let Some(key) = self.key.text() else {
            return false;
        };
        match self.operator.text() {
            Some("In") => names_a_kind(key, &self.values),
            Some("Exists" | "Gt" | "Lt") => {
                everyday_value(key).is_none() && !is_place_or_size_key(key)
            }
            _ => false,
        }
    }
}

/// Whether asking for one of these values leaves out the everyday node.
fn names_a_kind(key: &str, values: &[Field<String>]) -> bool {
    if is_place_or_size_key(key) {
        return false;
    }
    match everyday_value(key) {
        None => true,
        Some(everyday) => values
            .iter()
            .all(|value| value.text().is_some_and(|value| value != everyday)),
    }
}

/// One entry of `matchFields`: `In` or `NotIn` with one value. The scheduler knows the field `metadata.name` only and
/// reads any other as empty, which `NotIn` lets pass; the API server refuses such an entry.
fn field_matches(field: &Requirement, node_name: Option<&str>) -> Truth {
    let is_in = match field.operator.text() {
        None => return Truth::Unknown,
        Some("In") => true,
        Some("NotIn") => false,
        Some(_) => return Truth::No,
    };
    let [value] = field.values.as_slice() else {
        return Truth::No;
    };
    let held = match field.key.text() {
        None => None,
        Some("metadata.name") => node_name,
        Some(_) => Some(""),
    };
    match (value.text(), held) {
        (Some(value), Some(held)) => ((value == held) == is_in).into(),
        _ => Truth::Unknown,
    }
}
