//! The model against Kubernetes' own code: in every run by the vectors, which hold Kubernetes' verdicts, and where the
//! oracle was built also by a fresh sample. CONTRIBUTING.md says how.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[path = "../it/builtin.rs"]
mod builtin;
mod case;
mod delivery;
mod edges;
mod generate;
mod hcl;
mod helm;
mod kustomize;
mod listed;
mod questions;
mod random;
mod repositories;
mod scheduling;
mod scheduling_cases;
mod seen;
mod texts;
mod validation;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Instant;

use case::{Case, Vector};
use generate::Generator;
use listed::listed;
use questions::oracle;
use vectors::{assert_agreement, assert_held, number, path_of, seed, text};

/// Random cases that are written down are no longer than this, in bytes: long ones are listed.
fn longest(file: &str) -> usize {
    match file {
        // Several objects make a case.
        "admit.jsonl" | "place.jsonl" => 900,
        _ => 400,
    }
}

/// Makes a case of one kind.
type Make = fn(&mut Generator) -> Case;

/// The file that holds a case.
fn file_of(case: &Case) -> &'static str {
    match case {
        Case::Match { .. } => "match.jsonl",
        Case::Tolerate { .. } => "tolerate.jsonl",
        Case::ValidateToleration { .. } => "validate-toleration.jsonl",
        Case::ValidateTaint { .. } => "validate-taint.jsonl",
        Case::DaemonSet { .. } => "daemon-set.jsonl",
        Case::Select(_) => "select.jsonl",
        Case::Place(_) => "place.jsonl",
        Case::Evict { .. } => "evict.jsonl",
        Case::Admit(_) => "admit.jsonl",
        Case::Qos { .. } => "qos.jsonl",
    }
}

/// Files of vectors, how many random cases each holds beside the listed ones, and what makes them.
const FILES: [(&str, usize, Make); 10] = [
    ("admit.jsonl", 350, Generator::admitting),
    ("daemon-set.jsonl", 60, Generator::making_a_daemon_pod),
    ("evict.jsonl", 200, Generator::evicting),
    ("match.jsonl", 500, Generator::matching),
    ("place.jsonl", 250, Generator::placing),
    ("qos.jsonl", 150, Generator::classing),
    ("select.jsonl", 350, Generator::selecting),
    ("tolerate.jsonl", 300, Generator::tolerating),
    ("validate-taint.jsonl", 100, Generator::validating_a_taint),
    (
        "validate-toleration.jsonl",
        160,
        Generator::validating_a_toleration,
    ),
];

fn assert_file_agrees(file: &str, at_least: usize) {
    let vectors: Vec<Vector> = vectors::read(file);
    assert!(vectors.len() >= at_least, "{file}: {} cases", vectors.len());
    let differences: Vec<_> = vectors.iter().filter_map(Vector::difference).collect();
    assert_agreement(file, vectors.len(), &differences);
}

#[test]
fn a_toleration_matches_a_taint_as_in_kubernetes() {
    assert_file_agrees("match.jsonl", 1000);
}

#[test]
fn the_first_untolerated_taint_is_the_one_that_the_scheduler_finds() {
    assert_file_agrees("tolerate.jsonl", 300);
}

#[test]
fn tolerations_are_refused_as_by_the_api_server() {
    assert_file_agrees("validate-toleration.jsonl", 900);
}

#[test]
fn taints_are_refused_as_by_the_api_server() {
    assert_file_agrees("validate-taint.jsonl", 400);
}

#[test]
fn daemon_sets_are_given_the_tolerations_that_their_controller_adds() {
    assert_file_agrees("daemon-set.jsonl", 60);
}

#[test]
fn nodes_are_refused_for_the_reason_that_the_scheduler_gives() {
    assert_file_agrees("place.jsonl", 250);
}

#[test]
fn pods_are_evicted_when_the_controller_evicts_them() {
    assert_file_agrees("evict.jsonl", 400);
}

#[test]
fn pods_are_admitted_as_by_the_plugins() {
    assert_file_agrees("admit.jsonl", 500);
}

#[test]
fn qos_classes_are_those_that_the_api_server_computes() {
    assert_file_agrees("qos.jsonl", 250);
}

#[test]
fn nodes_are_selected_as_by_the_scheduler() {
    assert_file_agrees("select.jsonl", 600);
}

#[test]
fn the_vectors_hold_every_listed_case() {
    let held = FILES
        .into_iter()
        .flat_map(|(file, ..)| vectors::read::<Vector>(file));
    assert_held(held.map(|vector| text(&vector.case)), &listed());
}

#[test]
fn the_same_seed_makes_the_same_cases() {
    let some = |seed| {
        let mut generator = Generator::new(seed);
        let cases: Vec<_> = (0..20).map(|_| text(&generator.selecting())).collect();
        cases
    };
    assert_eq!(some(7), some(7));
    assert_ne!(some(7), some(8));
}

#[test]
#[ignore = "needs the oracle"]
fn a_fresh_sample_agrees_with_kubernetes() {
    let seed = seed();
    let matches = number("KUBETAINT_CASES").unwrap_or(200_000) as usize;
    let counts: [(&str, usize, Make); 10] = [
        ("match", matches, Generator::matching),
        ("tolerate", matches / 10, Generator::tolerating),
        (
            "validate-toleration",
            matches * 3 / 16,
            Generator::validating_a_toleration,
        ),
        (
            "validate-taint",
            matches / 16,
            Generator::validating_a_taint,
        ),
        ("select", matches / 10, Generator::selecting),
        ("place", matches / 8, Generator::placing),
        ("evict", matches / 10, Generator::evicting),
        ("admit", matches / 40, Generator::admitting),
        ("daemon-set", matches / 40, Generator::making_a_daemon_pod),
        ("qos", matches / 20, Generator::classing),
    ];
    println!("KUBETAINT_SEED={seed}");
    let mut differences = Vec::new();
    let mut asked = 0;
    for (at, (kind, count, make)) in (0u64..).zip(counts) {
        let started = Instant::now();
        let mut generator = Generator::new(seed.wrapping_add(at));
        let mut verdicts = BTreeMap::<String, usize>::new();
        let before = differences.len();
        ask((0..count).map(move |_| make(&mut generator)), |vector| {
            *verdicts.entry(signature(&vector)).or_default() += 1;
            differences.extend(vector.difference());
            asked += 1;
        });
        println!(
            "{kind}: {count} cases, {} kinds of verdicts, the commonest {} times, {} differences, {:.1} s",
            verdicts.len(),
            verdicts.values().max().unwrap_or(&0),
            differences.len() - before,
            started.elapsed().as_secs_f64()
        );
        // A sample in which everything is refused would agree with anything.
        assert!(verdicts.len() > 1 || count < 100, "{kind}: {verdicts:?}");
    }
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), asked, &differences);
}

#[test]
#[ignore = "needs the oracle"]
fn the_vectors_say_what_the_oracle_says() {
    for (file, ..) in FILES {
        let written: Vec<Vector> = vectors::read(file);
        let mut at = 0;
        let cases: Vec<_> = written.iter().map(|vector| vector.case.clone()).collect();
        ask(cases.into_iter(), |vector| {
            assert_eq!(
                written[at].kubernetes,
                vector.kubernetes,
                "{file}:{}",
                at + 1
            );
            at += 1;
        });
    }
}

#[test]
#[ignore = "writes into the repository; needs the oracle"]
fn the_vectors_are_made_anew() {
    const SEED: u64 = 1;
    let mut chosen: BTreeMap<&str, Vec<Vector>> = BTreeMap::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    ask(listed().into_iter(), |vector| {
        if seen.insert(text(&vector.case)) {
            chosen
                .entry(file_of(&vector.case))
                .or_default()
                .push(vector);
        }
    });
    for (file, wanted, make) in FILES {
        let mut generator = Generator::new(SEED);
        // As many of each verdict as there are of the others, so far as they come up.
        let mut by_verdict: BTreeMap<String, Vec<Vector>> = BTreeMap::new();
        ask(
            (0..wanted * 30).map(move |_| make(&mut generator)),
            |vector| {
                // A short case says as much as a long one; long ones are listed.
                if text(&vector.case).len() < longest(file) && seen.insert(text(&vector.case)) {
                    by_verdict
                        .entry(signature(&vector))
                        .or_default()
                        .push(vector);
                }
            },
        );
        let file = chosen.entry(file).or_default();
        let mut left = wanted;
        let mut round = 0;
        while left > 0 {
            let next: Vec<_> = by_verdict
                .values()
                .filter_map(|list| list.get(round))
                .collect();
            assert!(!next.is_empty(), "there are cases enough");
            file.extend(next.iter().take(left).map(|&vector| vector.clone()));
            left = left.saturating_sub(next.len());
            round += 1;
        }
    }
    for (file, vectors) in chosen {
        let lines: String = vectors
            .iter()
            .map(|vector| format!("{}\n", serde_json::to_string(vector).expect("JSON")))
            .collect();
        fs::write(path_of(file), lines).expect("the vectors can be written");
        println!("{file}: {} cases", vectors.len());
    }
}

/// What tells verdicts apart when cases are chosen and counted: of objections the checks, of answers the answers.
fn signature(vector: &Vector) -> String {
    let (off, on) = (&vector.kubernetes.off, vector.kubernetes.with_gate());
    match &vector.case {
        Case::ValidateToleration { .. } | Case::ValidateTaint { .. } => format!(
            "{} {}",
            vector.case.normalised(off),
            vector.case.normalised(on)
        ),
        Case::Match { toleration, .. } => format!("{off} {on} {:?}", toleration.operator),
        _ => format!("{off} {on}"),
    }
}

/// Asks the oracle and hands each case on with Kubernetes' verdict, in order.
fn ask(cases: impl Iterator<Item = Case> + Send, mut take: impl FnMut(Vector)) {
    questions::ask(
        &mut oracle("KUBETAINT_ORACLE"),
        cases,
        |case, kubernetes| {
            take(Vector { case, kubernetes });
        },
    );
}
