//! Which nodes a pod selects (nodeSelector, required node affinity, nodeName), and whether a node's labels match.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::label_keys::{canonical_label_key, everyday_value, is_place_or_size_key};
use super::node_labels::Ask;
use super::validation::is_label_key;
use super::{Field, Truth};

/// One expression over a label or field of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Label key.
    pub key: Field<String>,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt`, `Lt`; Karpenter also `Gte`, `Lte`.
    pub operator: Field<String>,
    /// The values, as far as they could be read.
    #[serde(default)]
    pub values: Vec<Field<String>>,
}

/// A node selector term: all of its requirements must hold; an empty term matches no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// `matchExpressions`.
    pub expressions: Vec<Requirement>,
    /// `matchFields`; only `metadata.name` is in use.
    pub fields: Vec<Requirement>,
}

/// The node selection of a pod. All parts must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSelection {
    /// `nodeSelector`, sorted by key.
    pub node_selector: BTreeMap<String, Field<String>>,
    /// `requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`: one must match. Absent: no requirement.
    pub required: Field<Vec<Term>>,
    /// Part of the selection could not be read, so there may be further requirements.
    pub unknown: bool,
    /// There may be further requirements elsewhere: this is a patch, or the values of a chart. Those that were read hold.
    pub partial: bool,
}

/// What is known about the labels of a pool's nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeLabels {
    /// Labels with their values.
    pub labels: BTreeMap<String, Field<String>>,
    /// Values that nodes of this pool may be created with (Karpenter requirements).
    pub requirements: Vec<Requirement>,
    /// What it means if a label is not listed.
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
    /// Whether its key, its operator or one of its values is unknown.
    pub fn has_unknown_values(&self) -> bool {
        self.key.is_unknown()
            || self.operator.is_unknown()
            || self.values.iter().any(Field::is_unknown)
    }
}

impl NodeSelection {
    /// Whether a part of required node affinity is unknown.
    pub fn has_unknown_terms(&self) -> bool {
        let terms = self.required.known().into_iter().flatten();
        terms
            .flat_map(|term| term.expressions.iter().chain(&term.fields))
            .any(Requirement::has_unknown_values)
    }

    /// Whether a key, an operator or a value is unknown.
    pub fn has_unknown_values(&self) -> bool {
        self.node_selector.values().any(Field::is_unknown) || self.has_unknown_terms()
    }

    /// Whether the pod selects a node with these labels, or some node that a pool with these labels can create. `node_name`
    /// is the node's name if the node itself is known; it decides `matchFields`.
    ///
    /// One value must satisfy all requirements on a label: only `b` satisfies `k In [a, b]` with `k NotIn [a]`.
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
        if self.unknown || self.partial {
            answer.and(Truth::Unknown)
        } else {
            answer
        }
    }

    /// Whether the selected labels that identify a kind of node certainly match this pool. Labels that nearly every node
    /// has, and labels for location or size, are ignored because pools rarely declare them. Returns `No` if the pod selects
    /// no kind of node, or if the whole selection excludes the pool.
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
                // An alternative that identifies no kind allows any node.
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

    /// Evaluates `nodeSelector` and one of the terms together.
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
                // The scheduler cannot parse it, so the whole term matches no node.
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

    /// Whether there are no requirements and no unreadable ones.
    pub fn is_empty(&self) -> bool {
        self.node_selector.is_empty() && self.required.is_absent() && !self.unknown && !self.partial
    }

    /// Whether the pod selects a kind of node: at least one required label has a purpose, unlike labels that nearly every
    /// node has (Linux, amd64, on-demand) and labels for location or size. If terms are alternatives, each must do so.
    /// Unreadable parts are ignored.
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

    /// Returns the labels that every selected node certainly has, by key: those of `nodeSelector`, and those that a single
    /// term requires with one value. Unreadable labels are skipped.
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

    /// Returns the required labels that identify a kind of node, by current name.
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
    /// Whether it has no requirements; in Kubernetes, such a term matches no node.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty() && self.fields.is_empty()
    }

    fn pins(&self) -> bool {
        self.expressions.iter().any(Requirement::names_a_kind)
    }
}

impl Requirement {
    /// Whether it requires a label that distinguishes the node from an ordinary node.
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

/// Whether requiring one of these values excludes the ordinary node.
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

/// Evaluates one entry of `matchFields`: `In` or `NotIn` with one value. The scheduler knows only the field `metadata.name`
/// and reads others as empty, which `NotIn` accepts; the API server rejects such entries.
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
