//! A case as the oracle and the vectors write it, and the model's verdict on it in the oracle's terms.

use std::collections::{BTreeMap, BTreeSet};

use kubetaint::model::node_pool::{NodePool, PoolTaint};
use kubetaint::model::node_selection::{self, NodeLabels, NodeSelection, OtherLabels};
use kubetaint::model::placement::{Candidate, Moment, Placement, Reason, place};
use kubetaint::model::validation::{ErrorCode, FieldError, is_label_value};
use kubetaint::model::{Field, Truth, taint, toleration};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::scheduling::{self, Admitting, Placing, Pod};

/// A toleration in Kubernetes' JSON; what is absent is not written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Toleration {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

/// A field of an object; an empty text stands for one that is not written.
fn written(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Toleration {
    /// One without seconds; what is empty is not written.
    pub fn of(key: &str, operator: &str, value: &str, effect: &str) -> Toleration {
        Toleration {
            key: written(key),
            operator: written(operator),
            value: written(value),
            effect: written(effect),
            toleration_seconds: None,
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Taint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

impl Taint {
    /// What is empty is not written.
    pub fn of(key: &str, value: &str, effect: &str) -> Taint {
        Taint {
            key: written(key),
            value: written(value),
            effect: written(effect),
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Term {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<Requirement>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<Requirement>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Requirement {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// One question to Kubernetes and to the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Case {
    /// Does the toleration tolerate the taint?
    Match {
        toleration: Toleration,
        taint: Taint,
    },
    /// Which taint is the first that keeps the pod away, by index; -1 for none.
    Tolerate {
        tolerations: Vec<Toleration>,
        taints: Vec<Taint>,
    },
    /// What does the API server object to?
    ValidateToleration { toleration: Toleration },
    /// What does the API server object to?
    ValidateTaint { taint: Taint },
    /// What does the DaemonSet controller make of the tolerations?
    #[serde(rename_all = "camelCase")]
    DaemonSet {
        host_network: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tolerations: Vec<Toleration>,
    },
    /// Do node selector and required node affinity select the node?
    Select(Selection),
    /// Why does the scheduler refuse each of the nodes? Empty where it does not.
    Place(Placing),
    /// After how many nanoseconds is the pod deleted from a node with these taints? -1 for never.
    Evict {
        tolerations: Vec<Toleration>,
        taints: Vec<Taint>,
    },
    /// What do admission plugins make of the pod's tolerations and node selector?
    Admit(Admitting),
    /// Which QoS class does the pod have?
    Qos { pod: Pod },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Absent means that there is no required node affinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<Term>>,
    pub node: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// What Kubernetes says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Without the feature gate for comparison operators.
    pub off: Value,
    /// With it, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Value>,
    /// What an old release says, where it was asked.
    #[serde(rename = "v1.29", skip_serializing_if = "Option::is_none")]
    pub v1_29: Option<Value>,
}

impl Verdict {
    pub fn with_gate(&self) -> &Value {
        self.on.as_ref().unwrap_or(&self.off)
    }
}

/// A case with Kubernetes' verdict: a line of the vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vector {
    pub case: Case,
    pub kubernetes: Verdict,
}

impl Vector {
    /// What the model says otherwise than Kubernetes; `None` when they agree.
    pub fn difference(&self) -> Option<String> {
        let answers = [
            ("gate off", false, Some(&self.kubernetes.off)),
            ("gate on", true, Some(self.kubernetes.with_gate())),
            ("Kubernetes 1.29", false, self.kubernetes.v1_29.as_ref()),
        ];
        let mut complaints = Vec::new();
        for (setting, comparison_operators, theirs) in answers {
            let Some(theirs) = theirs else { continue };
            let theirs = self.case.normalised(theirs);
            let mine = self.case.verdict(comparison_operators);
            let complaint = if mine == theirs {
                self.case
                    .contradictions(comparison_operators, &theirs)
                    .next()
            } else {
                Some(format!("the model says {mine}"))
            };
            if let Some(complaint) = complaint {
                complaints.push(format!(
                    "  {setting}: Kubernetes says {theirs}, {complaint}"
                ));
            }
        }
        let case = serde_json::to_string(&self.case).expect("a case is JSON");
        (!complaints.is_empty()).then(|| format!("{case}\n{}", complaints.join("\n")))
    }
}

impl Case {
    /// Kubernetes' answer in the form that [`Case::verdict`] gives. Objections become pairs of field and code;
    /// how often the same check objects to the same field (a bad key can fail in several ways) does not count.
    pub fn normalised(&self, theirs: &Value) -> Value {
        match theirs {
            Value::Array(objections)
                if matches!(
                    self,
                    Case::ValidateToleration { .. } | Case::ValidateTaint { .. }
                ) =>
            {
                let pairs: BTreeSet<String> = objections
                    .iter()
                    .map(|objection| named(objection.as_str().expect("an objection is text")))
                    .collect();
                json!(pairs)
            }
            other => other.clone(),
        }
    }

    /// The model's answer.
    pub fn verdict(&self, comparison_operators: bool) -> Value {
        match self {
            Case::Match { toleration, taint } => truth(
                toleration
                    .model()
                    .tolerates(&taint.model(), comparison_operators),
            ),
            Case::Tolerate {
                tolerations,
                taints,
            } => {
                let tolerations: Vec<_> = tolerations.iter().map(Toleration::model).collect();
                let pool = pool(taints.iter().map(Taint::model));
                let (first, all) = placed(&tolerations, &pool, comparison_operators);
                match (&first, all) {
                    (Placement::Lands, Truth::Yes) => json!(-1),
                    (Placement::Refused(Reason::Taint(at)), Truth::No) => json!(at),
                    _ => json!(format!("{first:?}, tolerated by all: {all:?}")),
                }
            }
            Case::ValidateToleration { toleration } => {
                objections(&toleration.model().errors(comparison_operators))
            }
            Case::ValidateTaint { taint } => objections(&taint.model().errors()),
            Case::DaemonSet {
                host_network,
                tolerations,
            } => scheduling::daemon_set(tolerations, *host_network),
            Case::Place(placing) => placing.verdict(comparison_operators),
            Case::Evict {
                tolerations,
                taints,
            } => scheduling::evicted(tolerations, taints, comparison_operators),
            Case::Admit(admitting) => admitting.verdict(),
            Case::Qos { pod } => pod.spec.qos_class(),
            Case::Select(selection) => truth(selection.answer(&selection.asked())),
        }
    }

    /// Verdicts of the model that are surer than they may be: each field in turn is made unreadable, and what is
    /// then said for certain has to be what Kubernetes says.
    fn contradictions(
        &self,
        comparison_operators: bool,
        theirs: &Value,
    ) -> impl Iterator<Item = String> {
        let mut found = Vec::new();
        let mut judge = |what: &str, answer: Truth| {
            if answer != Truth::Unknown && truth(answer) != *theirs {
                found.push(format!(
                    "the model is sure of {answer:?} with {what} unread"
                ));
            }
        };
        match self {
            Case::Match { toleration, taint } => {
                let theirs = taint.model();
                for (what, mine) in blanked_tolerations(&toleration.model()) {
                    judge(what, mine.tolerates(&theirs, comparison_operators));
                }
                let mine = toleration.model();
                for (what, theirs) in blanked_taints(&theirs) {
                    judge(what, mine.tolerates(&theirs, comparison_operators));
                }
            }
            Case::Select(selection) => {
                for (what, asked) in selection.blanked() {
                    judge(what, selection.answer(&asked));
                }
            }
            Case::Tolerate { .. } | Case::DaemonSet { .. } | Case::Qos { .. } => {}
            Case::Place(placing) => {
                placing.contradictions(comparison_operators, theirs, &mut found);
            }
            Case::Evict {
                tolerations,
                taints,
            } => scheduling::eviction_contradictions(
                tolerations,
                taints,
                comparison_operators,
                theirs,
                &mut found,
            ),
            Case::Admit(admitting) => {
                admitting.contradictions(comparison_operators, theirs, &mut found);
            }
            Case::ValidateToleration { toleration } => {
                for (what, mine) in blanked_tolerations(&toleration.model()) {
                    let said = objections(&mine.errors(comparison_operators));
                    found.extend(surplus(&said, theirs).map(|one| {
                        format!("the model objects with {one} although {what} is unread")
                    }));
                }
            }
            Case::ValidateTaint { taint } => {
                for (what, blank) in blanked_taints(&taint.model()) {
                    let said = objections(&blank.errors());
                    found.extend(surplus(&said, theirs).map(|one| {
                        format!("the model objects with {one} although {what} is unread")
                    }));
                }
            }
        }
        found.into_iter()
    }
}

impl Toleration {
    pub fn model(&self) -> toleration::Toleration {
        toleration::Toleration {
            key: field(self.key.as_ref()),
            operator: field(self.operator.as_ref()),
            value: field(self.value.as_ref()),
            effect: field(self.effect.as_ref()),
            toleration_seconds: self.toleration_seconds.map_or(Field::Absent, Field::Is),
        }
    }
}

impl Toleration {
    pub fn of_model(model: &toleration::Toleration) -> Toleration {
        Toleration {
            key: model.key.known().cloned(),
            operator: model.operator.known().cloned(),
            value: model.value.known().cloned(),
            effect: model.effect.known().cloned(),
            toleration_seconds: model.toleration_seconds.known().copied(),
        }
    }
}

impl Taint {
    pub fn model(&self) -> taint::Taint {
        taint::Taint {
            key: field(self.key.as_ref()),
            value: field(self.value.as_ref()),
            effect: field(self.effect.as_ref()),
        }
    }
}

impl Requirement {
    pub fn model(&self) -> node_selection::Requirement {
        node_selection::Requirement {
            key: field(self.key.as_ref()),
            operator: field(self.operator.as_ref()),
            values: self.values.iter().cloned().map(Field::Is).collect(),
        }
    }
}

impl Selection {
    pub fn asked(&self) -> NodeSelection {
        let models = |list: &[Requirement]| list.iter().map(Requirement::model).collect();
        NodeSelection {
            node_selector: known(&self.node_selector),
            required: self.terms.as_ref().map_or(Field::Absent, |terms| {
                Field::Is(
                    terms
                        .iter()
                        .map(|term| node_selection::Term {
                            expressions: models(&term.match_expressions),
                            fields: models(&term.match_fields),
                        })
                        .collect(),
                )
            }),
            unknown: false,
            partial: false,
        }
    }

    fn answer(&self, asked: &NodeSelection) -> Truth {
        let labels = NodeLabels {
            labels: known(&self.labels),
            requirements: Vec::new(),
            others: OtherLabels::None,
        };
        asked.selects(&labels, Some(&self.node))
    }

    /// What is asked, with one part after the other unread. A value that could not be read is taken for one that
    /// a label can have: with another one the API server takes no such pod.
    fn blanked(&self) -> Vec<(&'static str, NodeSelection)> {
        let asked = self.asked();
        let mut blanked = Vec::new();
        for key in self.node_selector.keys() {
            let mut blank = asked.clone();
            blank.node_selector.insert(key.clone(), Field::Unknown);
            blanked.push(("a value of the node selector", blank));
        }
        let Field::Is(terms) = &asked.required else {
            return blanked;
        };
        for (at, term) in terms.iter().enumerate() {
            for in_fields in [false, true] {
                let list = if in_fields {
                    &term.fields
                } else {
                    &term.expressions
                };
                for (entry, requirement) in list.iter().enumerate() {
                    let mut change = |what, change: &dyn Fn(&mut node_selection::Requirement)| {
                        let mut terms = terms.clone();
                        let term = &mut terms[at];
                        let list = if in_fields {
                            &mut term.fields
                        } else {
                            &mut term.expressions
                        };
                        change(&mut list[entry]);
                        let required = Field::Is(terms);
                        blanked.push((
                            what,
                            NodeSelection {
                                required,
                                ..asked.clone()
                            },
                        ));
                    };
                    change("a key", &|blank| blank.key = Field::Unknown);
                    change("an operator", &|blank| blank.operator = Field::Unknown);
                    for (value, text) in requirement.values.iter().enumerate() {
                        if text
                            .known()
                            .is_some_and(|text| is_label_value(text).is_err())
                        {
                            continue;
                        }
                        change("a value", &|blank| blank.values[value] = Field::Unknown);
                    }
                }
            }
        }
        blanked
    }
}

fn field(text: Option<&String>) -> Field<String> {
    text.cloned().map_or(Field::Absent, Field::Is)
}

pub fn known(map: &BTreeMap<String, String>) -> BTreeMap<String, Field<String>> {
    map.iter()
        .map(|(key, value)| (key.clone(), Field::Is(value.clone())))
        .collect()
}

fn truth(answer: Truth) -> Value {
    match answer {
        Truth::Yes => json!(true),
        Truth::No => json!(false),
        Truth::Unknown => json!("unknown"),
    }
}

fn pool(taints: impl Iterator<Item = taint::Taint>) -> NodePool {
    NodePool {
        taints: taints
            .map(|taint| PoolTaint {
                taint,
                ..PoolTaint::default()
            })
            .collect(),
        complete: true,
        ..NodePool::default()
    }
}

/// The model's two ways to ask: the first taint in the way, and whether there is none.
fn placed(
    tolerations: &[toleration::Toleration],
    pool: &NodePool,
    comparison_operators: bool,
) -> (Placement, Truth) {
    let pod = Candidate {
        selection: &NodeSelection::default(),
        node_name: &Field::Absent,
        tolerations,
        tolerations_known: true,
    };
    (
        place(&pod, pool, Moment::Lasting, comparison_operators),
        pool.tolerated_by(tolerations, comparison_operators),
    )
}

pub fn blanked_tolerations(
    whole: &toleration::Toleration,
) -> Vec<(&'static str, toleration::Toleration)> {
    type Part = fn(&mut toleration::Toleration) -> &mut Field<String>;
    let parts: [(&str, Part); 4] = [
        ("the toleration's key", |it| &mut it.key),
        ("the operator", |it| &mut it.operator),
        ("the toleration's value", |it| &mut it.value),
        ("the toleration's effect", |it| &mut it.effect),
    ];
    parts
        .into_iter()
        .map(|(what, part)| {
            let mut blank = whole.clone();
            *part(&mut blank) = Field::Unknown;
            (what, blank)
        })
        .collect()
}

fn blanked_taints(whole: &taint::Taint) -> Vec<(&'static str, taint::Taint)> {
    type Part = fn(&mut taint::Taint) -> &mut Field<String>;
    let parts: [(&str, Part); 3] = [
        ("the taint's key", |it| &mut it.key),
        ("the taint's value", |it| &mut it.value),
        ("the taint's effect", |it| &mut it.effect),
    ];
    parts
        .into_iter()
        .map(|(what, part)| {
            let mut blank = whole.clone();
            *part(&mut blank) = Field::Unknown;
            (what, blank)
        })
        .collect()
}

/// The model's objections, as a sorted list of `field code`.
fn objections(errors: &[FieldError]) -> Value {
    let pairs: BTreeSet<String> = errors
        .iter()
        .map(|error| format!("{} {:?}", error.field, error.code))
        .collect();
    json!(pairs)
}

fn surplus(said: &Value, theirs: &Value) -> impl Iterator<Item = String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let theirs = list(theirs);
    list(said)
        .into_iter()
        .filter(move |one| !theirs.contains(one))
        .map(|one| one.to_string())
}

/// Kubernetes' objection as `field code`, by its kind of error and by its words where one kind has several checks.
/// One that is not known stays as it is, and so is a difference.
pub fn named(objection: &str) -> String {
    let mut parts = objection.splitn(3, '|');
    let (Some(field), Some(kind), Some(detail)) = (parts.next(), parts.next(), parts.next()) else {
        return objection.to_owned();
    };
    let code = match (field, kind) {
        ("key", "Invalid value") => ErrorCode::InvalidKey,
        ("operator", "Invalid value") if detail.starts_with("operator must be Exists") => {
            ErrorCode::EmptyKeyWithoutExists
        }
        ("operator", "Invalid value") if detail.starts_with("value must be empty") => {
            ErrorCode::ValueWithExists
        }
        ("operator", "Invalid value") => ErrorCode::InvalidValue,
        ("operator", "Unsupported value") if detail.contains("\"Lt\"") => {
            ErrorCode::ComparisonUnavailable
        }
        ("operator", "Unsupported value") => ErrorCode::UnknownOperator,
        ("value", "Invalid value") if detail.starts_with("strconv.ParseInt") => {
            ErrorCode::UnparsableInteger
        }
        ("value", "Invalid value")
            if detail == "must be non-empty"
                || detail.starts_with("must be a valid decimal integer") =>
        {
            ErrorCode::NonCanonicalInteger
        }
        ("value", "Invalid value") => ErrorCode::InvalidValue,
        ("effect", "Invalid value") => ErrorCode::SecondsWithoutNoExecute,
        ("effect", "Unsupported value") => ErrorCode::UnknownEffect,
        ("effect", "Required value") => ErrorCode::MissingEffect,
        _ => return objection.to_owned(),
    };
    format!("{field} {code:?}")
}
