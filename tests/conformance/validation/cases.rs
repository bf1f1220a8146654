//! A whole object as the oracles and the vectors write it, and the model's verdict on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kubetaint::config::KubernetesVersion;
use kubetaint::model::validation::FieldError;
use kubetaint::model::{
    Field, Truth, former_annotations as annotations, selection_errors, taint, toleration,
};
use serde::{Deserialize, Serialize};

use super::objections::named;
use crate::case::{Requirement, Taint, Term, Toleration};

/// One question to Kubernetes and to the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Case {
    /// A pod template: what scheduling reads of it.
    PodTemplate(PodTemplate),
    /// A RuntimeClass: what it lends to pods.
    RuntimeClass(RuntimeClass),
    /// A node: its taints.
    Node(Node),
    /// Does the toleration tolerate the taint?
    Match {
        toleration: Toleration,
        taint: Taint,
    },
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodTemplate {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Absent means that there is no required node affinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Vec<Term>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferred: Vec<Preferred>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node_name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Preferred {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<i32>,
    #[serde(default)]
    pub preference: Term,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeClass {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
}

/// A release, and whether its gate for comparison operators is on. The order is that of the vectors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    pub gate: bool,
    pub release: KubernetesVersion,
}

impl Setting {
    pub fn new(minor: u32, gate: bool) -> Setting {
        let release = KubernetesVersion { minor };
        Setting { gate, release }
    }

    /// Whether the release has words of its own for `Gt` and `Lt`. To those before they are like any other operator that
    /// there is not.
    pub fn names_comparisons(self) -> bool {
        self.release.minor >= 35
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            self.release,
            if self.gate { "+gate" } else { "" }
        )
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What an oracle says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// To a match.
    Matches(bool),
    /// Each objection as `field|type|detail`.
    Objections(Vec<String>),
}

impl PartialEq for Answer {
    /// Kubernetes goes through maps in no order, and what it objects to has none either.
    fn eq(&self, other: &Answer) -> bool {
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        match (self, other) {
            (Answer::Matches(one), Answer::Matches(other)) => one == other,
            (Answer::Objections(one), Answer::Objections(other)) => sorted(one) == sorted(other),
            _ => false,
        }
    }
}

/// A case with Kubernetes' verdicts: a line of the vectors. A setting that is not listed says what the one before it says:
/// the releases in their order, and after them those with the gate on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vector {
    pub case: Case,
    pub kubernetes: BTreeMap<String, Answer>,
}

impl Vector {
    /// What a setting says; `None` where only later ones were asked.
    pub fn says(&self, setting: Setting) -> Option<&Answer> {
        let read = |name: &str| {
            let release = name.strip_suffix("+gate");
            let minor = release.unwrap_or(name).strip_prefix("1.")?.parse().ok()?;
            Some(Setting::new(minor, release.is_some()))
        };
        let answers = self.kubernetes.iter();
        let known = answers.map(|(name, answer)| (read(name).expect("a setting"), answer));
        known
            .filter(|(at, _)| *at <= setting)
            .max_by_key(|(at, _)| *at)
            .map(|(_, answer)| answer)
    }

    /// What the model says otherwise than Kubernetes in the first of these settings in which they differ.
    pub fn differences(&self, settings: &[Setting]) -> Vec<String> {
        let mut found = Vec::new();
        for setting in settings.iter().copied() {
            let Some(theirs) = self.says(setting) else {
                continue;
            };
            let (theirs, mine) = match (theirs, &self.case) {
                (Answer::Matches(theirs), Case::Match { toleration, taint }) => {
                    let mine = toleration.model().tolerates(&taint.model(), setting.gate);
                    let theirs = if *theirs { Truth::Yes } else { Truth::No };
                    (format!("{theirs:?}"), format!("{mine:?}"))
                }
                (Answer::Objections(theirs), case) => (
                    format!("{:?}", named_all(theirs)),
                    format!("{:?}", case.objections(setting)),
                ),
                _ => ("an answer to another question".to_owned(), String::new()),
            };
            if theirs != mine {
                found.push(format!(
                    "{}\n  Kubernetes {setting} says {theirs}\n  the model says {mine}",
                    super::text(&self.case)
                ));
                break;
            }
        }
        found
    }

    /// Whether every release takes it, whatever the gate.
    pub fn is_accepted(&self) -> bool {
        let mut answers = self.kubernetes.values();
        answers.all(|answer| matches!(answer, Answer::Objections(list) if list.is_empty()))
    }

    /// What tells verdicts apart when cases are chosen and counted.
    pub fn signature(&self) -> String {
        let answers = self.kubernetes.iter();
        let told: Vec<String> = answers
            .map(|(setting, answer)| match answer {
                Answer::Matches(matches) => format!("{setting} {matches}"),
                Answer::Objections(list) => {
                    let kinds: BTreeSet<String> = named_all(list)
                        .iter()
                        .map(|one| one.replace(|c: char| c.is_ascii_digit(), ""))
                        .collect();
                    format!("{setting} {kinds:?}")
                }
            })
            .collect();
        told.join(" ")
    }
}

/// Objections as pairs of field and code; how often a check objects to the same field does not count.
pub fn named_all(objections: &[String]) -> BTreeSet<String> {
    objections.iter().map(|one| named(one)).collect()
}

/// The model's objections, collected with their paths.
#[derive(Default)]
struct Collected(BTreeSet<String>);

impl Collected {
    fn add(&mut self, path: &str, errors: impl IntoIterator<Item = FieldError>) {
        for error in errors {
            let field = if error.field.is_empty() {
                path.to_owned()
            } else {
                format!("{path}.{}", error.field)
            };
            self.0.insert(format!("{field} {:?}", error.code));
        }
    }

    fn tolerations(&mut self, path: &str, list: &[toleration::Toleration], gate: bool) {
        for (at, entry) in list.iter().enumerate() {
            self.add(&format!("{path}[{at}]"), entry.errors(gate));
        }
    }

    fn repeated(&mut self, path: &str, repeated: &[Option<usize>]) {
        for (at, earlier) in repeated.iter().enumerate() {
            if earlier.is_some() {
                self.0.insert(format!("{path}[{at}] Duplicate"));
            }
        }
    }

    /// Kubernetes blames the map for its entries.
    fn labels(&mut self, path: &str, labels: &BTreeMap<String, String>) {
        for (key, value) in labels {
            for error in selection_errors::label_errors(key, &Field::Is(value.clone())) {
                self.0.insert(format!("{path} {:?}", error.code));
            }
        }
    }

    fn term(&mut self, path: &str, term: &Term, values_checked: bool) {
        let list = |requirements: &[Requirement]| {
            let models = requirements.iter().map(Requirement::model);
            models.enumerate().collect::<Vec<_>>()
        };
        for (at, requirement) in list(&term.match_expressions) {
            let errors = requirement.expression_errors(true, values_checked);
            self.add(&format!("{path}.matchExpressions[{at}]"), errors);
        }
        for (at, requirement) in list(&term.match_fields) {
            let errors = requirement.field_errors(true);
            self.add(&format!("{path}.matchFields[{at}]"), errors);
        }
    }
}

impl Case {
    pub fn kind(&self) -> &'static str {
        match self {
            Case::PodTemplate(_) => "pod-template",
            Case::RuntimeClass(_) => "runtime-class",
            Case::Node(_) => "node",
            Case::Match { .. } => "match",
        }
    }

    /// The model's objections, as `path code`.
    fn objections(&self, setting: Setting) -> BTreeSet<String> {
        let mut found = Collected::default();
        match self {
            Case::PodTemplate(template) => template.object(setting, &mut found),
            Case::RuntimeClass(class) => {
                let tolerations: Vec<_> = class.tolerations.iter().map(Toleration::model).collect();
                found.labels("scheduling.nodeSelector", &class.node_selector);
                // The gate means nothing here.
                found.tolerations("scheduling.tolerations", &tolerations, false);
                found.repeated(
                    "scheduling.tolerations",
                    &toleration::repeated(&tolerations),
                );
            }
            Case::Node(node) => {
                if let Some(text) = node.annotations.get(annotations::TAINTS) {
                    let path = format!("metadata.annotations.{}", annotations::TAINTS);
                    match annotations::taints(text) {
                        Ok(taints) => found.taints(&path, &taints),
                        Err(_) => {
                            found
                                .0
                                .insert("metadata.annotations MalformedAnnotation".to_owned());
                        }
                    }
                }
                let taints: Vec<_> = node.taints.iter().map(Taint::model).collect();
                found.taints("metadata.taints", &taints);
            }
            Case::Match { .. } => {}
        }
        let reworded = |objection: String| {
            if setting.names_comparisons() {
                return objection;
            }
            objection.replace("ComparisonUnavailable", "UnknownOperator")
        };
        found.0.into_iter().map(reworded).collect()
    }
}

impl Collected {
    fn taints(&mut self, path: &str, taints: &[taint::Taint]) {
        for (at, taint) in taints.iter().enumerate() {
            self.add(&format!("{path}[{at}]"), taint.errors());
        }
        self.repeated(path, &taint::repeated(taints));
    }
}

impl PodTemplate {
    fn object(&self, setting: Setting, found: &mut Collected) {
        if let Some(text) = self.annotations.get(annotations::TOLERATIONS) {
            let path = format!("annotations.{}", annotations::TOLERATIONS);
            match annotations::tolerations(text) {
                Ok(list) => found.tolerations(&path, &list, setting.gate),
                Err(_) => {
                    found.0.insert("annotations MalformedAnnotation".to_owned());
                }
            }
        }
        found.labels("spec.nodeSelector", &self.node_selector);
        if let Some(terms) = &self.required {
            found.add("required", selection_errors::terms_error(terms.len()));
            for (at, term) in terms.iter().enumerate() {
                let checked = setting.release.checks_affinity_values();
                found.term(&format!("required.nodeSelectorTerms[{at}]"), term, checked);
            }
        }
        for (at, preferred) in self.preferred.iter().enumerate() {
            let path = format!("preferred[{at}]");
            let weight = preferred.weight.unwrap_or_default();
            found.add(&path, selection_errors::weight_error(i64::from(weight)));
            found.term(&format!("{path}.preference"), &preferred.preference, false);
        }
        found.add(
            "spec.nodeName",
            selection_errors::node_name_error(&self.node_name),
        );
        let tolerations: Vec<_> = self.tolerations.iter().map(Toleration::model).collect();
        found.tolerations("spec.tolerations", &tolerations, setting.gate);
    }
}
