//! Cases that are made on purpose: every edge in every place, with everything else in order.

use std::collections::BTreeMap;

use crate::case::{Case, Requirement, Selection, Taint, Term, Toleration};
use crate::edges::{
    EFFECTS, INTEGERS, OPERATORS, SELECTOR_OPERATORS, WRONG_EFFECTS, WRONG_OPERATORS,
    WRONG_SELECTOR_OPERATORS, edges,
};
use crate::scheduling_cases;

/// Stands for a field that is not written, where cases are listed; no edge.
const ABSENT: &str = "\u{2205}";

fn toleration(parts: [&str; 4]) -> Toleration {
    let [key, operator, value, effect] =
        parts.map(|text| (text != ABSENT).then(|| text.to_owned()));
    Toleration {
        key,
        operator,
        value,
        effect,
        toleration_seconds: None,
    }
}

fn taint(parts: [&str; 3]) -> Taint {
    let [key, value, effect] = parts.map(|text| (text != ABSENT).then(|| text.to_owned()));
    Taint { key, value, effect }
}

/// Every edge in every place, each with the other places in order.
pub fn listed() -> Vec<Case> {
    let mut tolerations = Vec::new();
    for text in &edges() {
        tolerations.push(toleration([text, "Exists", ABSENT, ABSENT]));
        tolerations.push(toleration(["k", "Equal", text, "NoSchedule"]));
        tolerations.push(toleration(["k", "Gt", text, ABSENT]));
        tolerations.push(toleration(["k", "Exists", text, ABSENT]));
    }
    let operators = OPERATORS
        .iter()
        .chain(&WRONG_OPERATORS)
        .chain(&["", ABSENT, " "]);
    for operator in operators {
        for key in ["k", "", ABSENT, "-k"] {
            tolerations.push(toleration([key, operator, "5", ABSENT]));
        }
        tolerations.push(toleration(["k", operator, ABSENT, ABSENT]));
        tolerations.push(toleration(["k", operator, "a b", ABSENT]));
    }
    for effect in EFFECTS.iter().chain(&WRONG_EFFECTS).chain(&["", ABSENT]) {
        for seconds in [
            None,
            Some(0),
            Some(-1),
            Some(300),
            Some(i64::MIN),
            Some(i64::MAX),
        ] {
            let mut entry = toleration(["k", "Exists", ABSENT, effect]);
            entry.toleration_seconds = seconds;
            tolerations.push(entry);
        }
    }
    let mut taints = vec![
        taint([ABSENT, ABSENT, ABSENT]),
        taint(["k", ABSENT, "NoExecute"]),
    ];
    for text in &edges() {
        taints.push(taint([text, "v", "NoSchedule"]));
        taints.push(taint(["k", text, "NoSchedule"]));
    }
    for effect in EFFECTS.iter().chain(&WRONG_EFFECTS).chain(&["", ABSENT]) {
        taints.push(taint(["k", "v", effect]));
    }
    let validated = tolerations
        .into_iter()
        .map(|toleration| Case::ValidateToleration { toleration });
    let mut cases: Vec<Case> = validated
        .chain(
            taints
                .into_iter()
                .map(|taint| Case::ValidateTaint { taint }),
        )
        .collect();
    cases.extend([false, true].map(|host_network| Case::DaemonSet {
        host_network,
        tolerations: Vec::new(),
    }));
    cases.extend(scheduling_cases::listed());
    cases.extend(listed_matches());
    cases.extend(listed_selections());
    cases
}

/// Every near miss in every part of a match, and every integer under `Gt` and `Lt`.
fn listed_matches() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut push = |mine: [&str; 4], [key, value, effect]: [&str; 3]| {
        cases.push(Case::Match {
            toleration: toleration(mine),
            taint: taint([key, value, effect]),
        });
    };
    for bound in INTEGERS {
        for value in ["0", "1", "9223372036854775807", bound] {
            for operator in ["Gt", "Lt"] {
                push(["k", operator, bound, ABSENT], ["k", value, "NoSchedule"]);
            }
        }
    }
    let like = ["k", "K", "k ", " k", "k\n", "kk", "k/k", "", ABSENT];
    for (operator, value) in [("Equal", "v"), ("Exists", ABSENT), (ABSENT, "v")] {
        for key in like {
            push([key, operator, value, ABSENT], ["k", "v", "NoSchedule"]);
        }
        for effect in EFFECTS.iter().chain(&WRONG_EFFECTS).chain(&["", ABSENT]) {
            push(["k", operator, value, effect], ["k", "v", "NoSchedule"]);
            push(["k", operator, value, "NoExecute"], ["k", "v", effect]);
        }
    }
    for operator in OPERATORS
        .iter()
        .chain(&WRONG_OPERATORS)
        .chain(&["", ABSENT])
    {
        for mine in ["v", "V", "v ", "", ABSENT] {
            push(["k", operator, mine, ABSENT], ["k", "v", "NoSchedule"]);
        }
        push(["k", operator, ABSENT, ABSENT], ["k", "", "NoSchedule"]);
        push(["k", operator, "5", ABSENT], ["k", ABSENT, "NoSchedule"]);
    }
    cases
}

/// Every operator of node affinity on a label that is absent, empty, the same, another or an integer nearby.
fn listed_selections() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut push =
        |labels: &[(&str, &str)], terms: Option<Vec<Term>>, selector: &[(&str, &str)]| {
            let owned = |pairs: &[(&str, &str)]| {
                let pairs = pairs
                    .iter()
                    .map(|&(key, value)| (key.to_owned(), value.to_owned()));
                pairs.collect::<BTreeMap<_, _>>()
            };
            cases.push(Case::Select(Selection {
                node_selector: owned(selector),
                terms,
                node: "n1".to_owned(),
                labels: owned(labels),
            }));
        };
    let requirement = |key: &str, operator: &str, values: &[&str]| Requirement {
        key: Some(key.to_owned()),
        operator: Some(operator.to_owned()),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let by_label = |requirement: Requirement| Term {
        match_expressions: vec![requirement],
        ..Term::default()
    };
    let by_field = |requirement: Requirement| Term {
        match_fields: vec![requirement],
        ..Term::default()
    };
    let lists: [&[&str]; 9] = [
        &[],
        &["5"],
        &["v"],
        &[""],
        &["5", "5"],
        &["5", "v"],
        &["a b"],
        &["-5"],
        &["05"],
    ];
    for operator in SELECTOR_OPERATORS
        .iter()
        .chain(&WRONG_SELECTOR_OPERATORS[..3])
    {
        for values in lists {
            for label in [None, Some(""), Some("4"), Some("5"), Some("6"), Some("v")] {
                // Where no value fits the operator, one label is enough to show it.
                let pointless = matches!(*operator, "in" | "notin" | "NotExists")
                    || (matches!(*operator, "Exists" | "DoesNotExist") && !values.is_empty());
                if pointless && label != Some("5") {
                    continue;
                }
                let labels: Vec<_> = label.map(|label| ("k", label)).into_iter().collect();
                let term = by_label(requirement("k", operator, values));
                push(&labels, Some(vec![term]), &[]);
            }
        }
        for (key, name) in [
            ("metadata.name", "n1"),
            ("metadata.name", "n2"),
            ("spec.x", "n1"),
            ("spec.x", ""),
        ] {
            push(
                &[],
                Some(vec![by_field(requirement(key, operator, &[name]))]),
                &[],
            );
        }
    }
    // Which terms count, and what holds beside them.
    let yes = || by_label(requirement("k", "In", &["v"]));
    let no = || by_label(requirement("k", "In", &["w"]));
    let bad = || by_label(requirement("-k", "Exists", &[]));
    let empty = Term::default;
    let both = |one: Term, other: Term| Term {
        match_expressions: [one.match_expressions, other.match_expressions].concat(),
        match_fields: [one.match_fields, other.match_fields].concat(),
    };
    let here = || by_field(requirement("metadata.name", "In", &["n1"]));
    let there = || by_field(requirement("metadata.name", "In", &["n2"]));
    for terms in [
        None,
        Some(vec![]),
        Some(vec![empty()]),
        Some(vec![empty(), yes()]),
        Some(vec![no(), empty()]),
        Some(vec![no(), yes()]),
        Some(vec![bad(), yes()]),
        Some(vec![yes(), bad()]),
        Some(vec![both(yes(), no())]),
        Some(vec![both(yes(), bad())]),
        Some(vec![both(yes(), here())]),
        Some(vec![both(yes(), there())]),
        Some(vec![both(no(), here())]),
        Some(vec![both(yes(), there()), both(yes(), here())]),
    ] {
        for selector in [
            &[][..],
            &[("k", "v")],
            &[("k", "w")],
            &[("l", "")],
            &[("k", "v"), ("l", "x")],
        ] {
            push(&[("k", "v")], terms.clone(), selector);
        }
    }
    cases
}
