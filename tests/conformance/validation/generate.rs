//! Objects made from a seed, and those that are listed on purpose: each edge in each place, the rest in order.

use std::collections::BTreeMap;

use kubetaint::model::former_annotations as annotations;

use super::cases::{Case, Node, PodTemplate, Preferred, RuntimeClass};
use crate::case::{self, Requirement, Taint, Term, Toleration};
use crate::edges::{
    EFFECTS, INTEGERS, OPERATORS, SELECTOR_OPERATORS, WRONG_EFFECTS, WRONG_OPERATORS,
    WRONG_SELECTOR_OPERATORS, edges,
};
use crate::generate::Generator as Parts;

/// Texts at the edges of what an annotation with JSON may be.
const ANNOTATIONS: [&str; 34] = [
    "",
    " ",
    "null",
    "[]",
    "[null]",
    "[{}]",
    "{}",
    "[true]",
    "[\"k=v:NoSchedule\"]",
    "\"[]\"",
    "true",
    "[{]",
    "[{\"key\":\"k\",}]",
    "[] []",
    "['k']",
    "- key: k",
    "[{\"key\":\"k\",\"operator\":\"Exists\"}]",
    "[{\"Key\":\"k\",\"OPERATOR\":\"Exists\"}]",
    "[{\"key\":\"k\",\"operator\":\"exists\"}]",
    "[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]",
    "[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\",\"other\":[1,{}]}]",
    "[{\"key\":\"k\",\"effect\":\"NoSchedule\"},{\"key\":\"k\",\"effect\":\"NoSchedule\"}]",
    "[{\"key\":\"k\",\"operator\":\"Gt\",\"value\":\"5\"}]",
    "[{\"key\":\"k\",\"operator\":\"Lt\",\"value\":\"05\"}]",
    "[{\"key\":1}]",
    "[{\"key\":null,\"operator\":\"Exists\"}]",
    "[{\"key\":\"k\",\"key\":null,\"effect\":\"NoSchedule\"}]",
    "[{\"KEY\":\"a b\",\"key\":\"k\",\"effect\":\"NoSchedule\"}]",
    "[{\"key\":\"k\",\"value\":true}]",
    "[{\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]",
    "[{\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":\"300\"}]",
    "[{\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300.0}]",
    "[{\"operator\":\"Exists\",\"tolerationSeconds\":null}]",
    "[{\"operator\":\"Exists\",\"tolerationSeconds\":9223372036854775808}]",
];

const WEIGHTS: [i32; 10] = [0, 1, 2, 50, 99, 100, 101, -1, i32::MIN, i32::MAX];

const NODE_NAMES: [&str; 12] = [
    "n1",
    "N1",
    "node-1.example.com",
    "node_1",
    "-n",
    "n-",
    ".n",
    "n.",
    "n..m",
    "1",
    "n 1",
    "\u{e9}",
];

/// Makes cases; parts come from the generator of the other kinds.
pub struct Generator {
    parts: Parts,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            parts: Parts::new(seed),
        }
    }

    pub fn case(&mut self) -> Case {
        match self.parts.random.below(20) {
            0..=11 => Case::PodTemplate(self.pod_template()),
            12..=14 => Case::RuntimeClass(self.runtime_class()),
            15..=17 => Case::Node(self.node()),
            _ => match self.parts.matching() {
                case::Case::Match { toleration, taint } => Case::Match { toleration, taint },
                other => panic!("{other:?} is no match"),
            },
        }
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.parts.random.chance(percent)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.parts.random.below(limit)
    }

    fn pod_template(&mut self) -> PodTemplate {
        let mut template = PodTemplate::default();
        if self.chance(15) {
            let text = self.annotation();
            template
                .annotations
                .insert(annotations::TOLERATIONS.to_owned(), text);
        }
        if self.chance(35) {
            template.node_selector = self.labels();
        }
        if self.chance(50) {
            let count = [0, 1, 1, 1, 1, 2, 3][self.below(7)];
            template.required = Some((0..count).map(|_| self.term()).collect());
        }
        if self.chance(30) {
            let count = 1 + self.below(2);
            template.preferred = (0..count).map(|_| self.preferred()).collect();
        }
        if self.chance(12) {
            template.node_name = self.node_name();
        }
        if self.chance(45) {
            template.tolerations = self.tolerations();
        }
        template
    }

    fn runtime_class(&mut self) -> RuntimeClass {
        let mut class = RuntimeClass::default();
        if self.chance(35) {
            class.node_selector = self.labels();
        }
        class.tolerations = self.tolerations();
        // The same once more, nearly or quite: whoever compares other fields than Kubernetes is found out.
        if self.chance(50)
            && let Some(entry) = class.tolerations.first().cloned()
        {
            let mut again = entry;
            match self.below(8) {
                0 => again.toleration_seconds = Some(60),
                1 => again.operator = Some("Equal".to_owned()),
                2 => again.operator = None,
                3 => again.value = Some(String::new()),
                4 => again.effect = None,
                5 => again.key = again.key.map(|key| self.parts.near(&key)),
                _ => {}
            }
            class.tolerations.push(again);
        }
        class
    }

    fn node(&mut self) -> Node {
        let mut node = Node::default();
        if self.chance(20) {
            let text = self.annotation();
            node.annotations
                .insert(annotations::TAINTS.to_owned(), text);
        }
        let count = [0, 1, 1, 2, 2, 3, 4][self.below(7)];
        for _ in 0..count {
            let taint = self.taint();
            node.taints.push(taint);
        }
        if self.chance(40)
            && let Some(taint) = node.taints.first().cloned()
        {
            let mut again = taint;
            match self.below(6) {
                0 => again.value = Some("other".to_owned()),
                1 => again.effect = Some(EFFECTS[self.below(3)].to_owned()),
                2 => again.effect = None,
                3 => again.key = Some(String::new()),
                _ => {}
            }
            node.taints.push(again);
        }
        node
    }

    /// Mostly one that is in order: an object in which everything is wrong shows little.
    fn tolerations(&mut self) -> Vec<Toleration> {
        let count = [1, 1, 1, 2, 3][self.below(5)];
        (0..count).map(|_| self.toleration()).collect()
    }

    fn toleration(&mut self) -> Toleration {
        if self.chance(45) {
            return Toleration {
                key: Some("example.com/gpu".to_owned()),
                operator: Some(OPERATORS[self.below(2)].to_owned()),
                effect: Some(EFFECTS[self.below(3)].to_owned()),
                ..Toleration::default()
            };
        }
        match self.parts.validating_a_toleration() {
            case::Case::ValidateToleration { toleration } => toleration,
            other => panic!("{other:?} is no toleration"),
        }
    }

    fn taint(&mut self) -> Taint {
        if self.chance(55) {
            return Taint {
                key: Some(["k", "example.com/gpu"][self.below(2)].to_owned()),
                value: Some("v".to_owned()),
                effect: Some(EFFECTS[self.below(3)].to_owned()),
            };
        }
        match self.parts.validating_a_taint() {
            case::Case::ValidateTaint { taint } => taint,
            other => panic!("{other:?} is no taint"),
        }
    }

    fn labels(&mut self) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::new();
        for _ in 0..=self.below(2) {
            let key = if self.chance(30) {
                self.parts.edge()
            } else {
                "example.com/pool".to_owned()
            };
            let value = if self.chance(30) {
                self.parts.edge()
            } else {
                "v".to_owned()
            };
            labels.insert(key, value);
        }
        labels
    }

    fn term(&mut self) -> Term {
        let labels = BTreeMap::from([("k".to_owned(), "v".to_owned())]);
        let mut term = self.parts.term(&labels, "n1");
        for requirement in &mut term.match_expressions {
            if self.chance(8) {
                requirement.key = self.text();
            }
            if self.chance(5) {
                requirement.operator = None;
            }
            if self.chance(15) {
                requirement.values.push(self.parts.edge());
            }
        }
        for requirement in &mut term.match_fields {
            if self.chance(25) {
                requirement.values = vec![self.node_name()];
            }
        }
        term
    }

    fn preferred(&mut self) -> Preferred {
        let weight = match self.below(10) {
            0 => None,
            1..=3 => Some(WEIGHTS[self.below(WEIGHTS.len())]),
            _ => Some(1 + i32::try_from(self.below(100)).expect("small")),
        };
        Preferred {
            weight,
            preference: self.term(),
        }
    }

    fn node_name(&mut self) -> String {
        match self.below(3) {
            0 => self.parts.edge(),
            _ => NODE_NAMES[self.below(NODE_NAMES.len())].to_owned(),
        }
    }

    fn text(&mut self) -> Option<String> {
        match self.below(4) {
            0 => None,
            1 => Some(String::new()),
            _ => Some(self.parts.edge()),
        }
    }

    fn annotation(&mut self) -> String {
        match self.below(4) {
            0 | 1 => ANNOTATIONS[self.below(ANNOTATIONS.len())].to_owned(),
            2 => serde_json::to_string(&self.tolerations()).expect("JSON"),
            _ => serde_json::to_string(&[self.taint()]).expect("JSON"),
        }
    }
}

fn requirement(key: &str, operator: &str, values: &[&str]) -> Requirement {
    Requirement {
        key: Some(key.to_owned()),
        operator: Some(operator.to_owned()),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    }
}

/// Cases that are made on purpose.
pub fn listed() -> Vec<Case> {
    let mut cases = Vec::new();
    listed_terms(&mut cases);
    let template = |template| Case::PodTemplate(template);
    // Each text in every place of one object: what is said of one place does not depend on the others.
    for text in edges() {
        let term = Term {
            match_expressions: vec![
                requirement(&text, "Exists", &[]),
                requirement("k", "In", &["v", &text]),
            ],
            match_fields: vec![requirement("metadata.name", "In", &[&text])],
        };
        cases.push(template(PodTemplate {
            node_selector: BTreeMap::from([
                (text.clone(), "v".to_owned()),
                ("kk".to_owned(), text.clone()),
            ]),
            required: Some(vec![term]),
            node_name: text.clone(),
            ..PodTemplate::default()
        }));
    }
    for name in NODE_NAMES {
        cases.push(template(PodTemplate {
            node_name: name.to_owned(),
            ..PodTemplate::default()
        }));
    }
    for text in ANNOTATIONS {
        cases.push(template(PodTemplate {
            annotations: BTreeMap::from([(annotations::TOLERATIONS.to_owned(), text.to_owned())]),
            ..PodTemplate::default()
        }));
        cases.push(Case::Node(Node {
            annotations: BTreeMap::from([(annotations::TAINTS.to_owned(), text.to_owned())]),
            ..Node::default()
        }));
    }
    listed_tolerations(&mut cases);
    listed_taints(&mut cases);
    cases
}

fn listed_terms(cases: &mut Vec<Case>) {
    let mut push = |required: Option<Vec<Term>>, preferred: Vec<Preferred>| {
        cases.push(Case::PodTemplate(PodTemplate {
            required,
            preferred,
            ..PodTemplate::default()
        }));
    };
    let expression = |requirement: Requirement| Term {
        match_expressions: vec![requirement],
        ..Term::default()
    };
    let field = |requirement: Requirement| Term {
        match_fields: vec![requirement],
        ..Term::default()
    };
    let preferred = |weight: Option<i32>, preference: Term| Preferred { weight, preference };
    for terms in [
        vec![],
        vec![Term::default()],
        vec![Term::default(), Term::default()],
    ] {
        push(Some(terms), vec![]);
    }
    for weight in WEIGHTS.into_iter().map(Some).chain([None]) {
        push(
            None,
            vec![preferred(
                weight,
                expression(requirement("k", "Exists", &[])),
            )],
        );
        push(None, vec![preferred(weight, Term::default())]);
    }
    let lists: [&[&str]; 9] = [
        &[],
        &[""],
        &["v"],
        &["5"],
        &["-5"],
        &["a b"],
        &["v", "w"],
        &["v", "a b", "-"],
        &["5", "6"],
    ];
    for (operator, values) in operators_with(&lists) {
        let term = Term {
            match_expressions: vec![requirement("k", operator, values)],
            match_fields: vec![requirement("metadata.name", operator, values)],
        };
        push(Some(vec![term.clone()]), vec![preferred(Some(1), term)]);
    }
    for key in [
        "metadata.name",
        "metadata.Name",
        "metadata.namespace",
        "spec.x",
        "",
        " ",
    ] {
        push(Some(vec![field(requirement(key, "In", &["n1"]))]), vec![]);
        push(Some(vec![field(requirement(key, "In", &["N 1"]))]), vec![]);
    }
    for text in INTEGERS {
        let term = expression(requirement("k", "Gt", &[text]));
        push(Some(vec![term.clone()]), vec![preferred(Some(1), term)]);
    }
}

/// Each operator with each list of values; of those that there are not, most with one list.
fn operators_with<'v>(lists: &[&'v [&'v str]]) -> Vec<(&'static str, &'v [&'v str])> {
    let wrong = WRONG_SELECTOR_OPERATORS.iter().enumerate();
    let real = SELECTOR_OPERATORS
        .iter()
        .map(|operator| (*operator, lists.len()));
    let wrong = wrong.map(|(at, operator)| (*operator, if at == 0 { lists.len() } else { 3 }));
    real.chain(wrong)
        .flat_map(|(operator, count)| lists[..count].iter().map(move |list| (operator, *list)))
        .collect()
}

fn listed_tolerations(cases: &mut Vec<Case>) {
    let mut push = |tolerations: Vec<Toleration>| {
        cases.push(Case::PodTemplate(PodTemplate {
            tolerations: tolerations.clone(),
            ..PodTemplate::default()
        }));
        cases.push(Case::RuntimeClass(RuntimeClass {
            tolerations,
            ..RuntimeClass::default()
        }));
    };
    push(vec![Toleration::default()]);
    for operator in OPERATORS.iter().chain(&WRONG_OPERATORS) {
        push(vec![Toleration::of("k", operator, "5", "")]);
        push(vec![Toleration::of("", operator, "", "NoExecute")]);
    }
    for value in INTEGERS {
        push(vec![Toleration::of("k", "Gt", value, "NoSchedule")]);
    }
    for effect in EFFECTS.iter().chain(&WRONG_EFFECTS) {
        let mut one = Toleration::of("k", "Exists", "", effect);
        push(vec![one.clone()]);
        one.toleration_seconds = Some(0);
        push(vec![one]);
    }
    let base = Toleration::of("k", "Equal", "v", "NoExecute");
    let changed = |change: &dyn Fn(&mut Toleration)| {
        let mut other = base.clone();
        change(&mut other);
        vec![base.clone(), other]
    };
    push(changed(&|_| {}));
    push(changed(&|it| it.toleration_seconds = Some(1)));
    push(changed(&|it| it.key = Some("K".to_owned())));
    push(changed(&|it| it.operator = None));
    push(changed(&|it| it.operator = Some(String::new())));
    push(changed(&|it| it.value = None));
    push(changed(&|it| it.effect = None));
    let plain = Toleration::of("k", "", "v", "");
    push(vec![plain.clone(), plain.clone(), plain.clone()]);
    push(vec![plain.clone(), base.clone(), plain]);
    let invalid = Toleration::of("a b", "Exist", "v", "No");
    push(vec![invalid.clone(), invalid]);
}

fn listed_taints(cases: &mut Vec<Case>) {
    let mut push = |taints: Vec<Taint>| {
        cases.push(Case::Node(Node {
            taints,
            ..Node::default()
        }));
    };
    push(vec![Taint::default()]);
    push(vec![Taint::default(), Taint::default()]);
    for text in edges() {
        push(vec![
            Taint::of(&text, "v", "NoSchedule"),
            Taint::of("k", &text, "NoExecute"),
        ]);
    }
    for effect in EFFECTS.iter().chain(&WRONG_EFFECTS) {
        push(vec![Taint::of("k", "", effect)]);
        push(vec![
            Taint::of("k", "", "NoSchedule"),
            Taint::of("k", "", effect),
        ]);
        push(vec![
            Taint::of("k", "", effect),
            Taint::of("k", "v", effect),
        ]);
        push(vec![Taint::of("k", "", effect), Taint::of("K", "", effect)]);
    }
    let one = Taint::of("k", "v", "NoExecute");
    push(vec![one.clone(), one.clone(), one.clone()]);
    push(vec![one.clone(), Taint::of("l", "", "NoExecute"), one]);
}
