//! Manifests as texts, from the bytes to the objections, against an API server: what it cannot read or decode is reported,
//! and what it decodes is what this program reads.

mod compare;
mod generate;
mod spell;

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use compare::{Taken, difference};
use generate::{Generator, listed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::validation::newest_answers;
use crate::vectors::{self, assert_agreement, assert_held, number, path_of, seed, text};

const FILE: &str = "manifests.jsonl";

/// A manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "manifest")]
pub struct Case {
    text: String,
}

/// A manifest with what the newest release makes of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Vector {
    case: Case,
    kubernetes: Taken,
}

fn differences(vectors: &[Vector]) -> Vec<String> {
    vectors
        .par_iter()
        .filter_map(|vector| difference(&vector.case, &vector.kubernetes))
        .collect()
}

fn asked(cases: Vec<Case>) -> Vec<Vector> {
    let answers: Vec<Taken> = newest_answers(&cases);
    assert_eq!(answers.len(), cases.len(), "an answer to each case");
    let pairs = cases.into_iter().zip(answers);
    pairs
        .map(|(case, kubernetes)| Vector { case, kubernetes })
        .collect()
}

#[test]
fn texts_are_read_and_decoded_as_by_the_api_server() {
    let vectors: Vec<Vector> = vectors::read(FILE);
    assert!(vectors.len() >= 1500, "{} cases", vectors.len());
    assert_agreement(FILE, vectors.len(), &differences(&vectors));
}

#[test]
fn the_vectors_hold_every_listed_text() {
    let held = vectors::read::<Vector>(FILE)
        .into_iter()
        .map(|vector| text(&vector.case));
    assert_held(held, &listed());
}

#[test]
#[ignore = "needs the oracles"]
fn a_fresh_sample_of_texts_agrees_with_the_newest_release() {
    let seed = seed();
    let count = number("KUBETAINT_TEXTS").unwrap_or(20_000) as usize;
    println!("KUBETAINT_SEED={seed}");
    let mut generator = Generator::new(seed);
    let started = Instant::now();
    let vectors = asked((0..count).map(|_| generator.case()).collect());
    let mut kinds = BTreeMap::<String, usize>::new();
    for vector in &vectors {
        let refused = vector.kubernetes.refused.as_deref();
        *kinds
            .entry(refused.unwrap_or("taken").to_owned())
            .or_default() += 1;
    }
    println!(
        "{count} texts, {kinds:?}, {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    let differences = differences(&vectors);
    println!(
        "{} differences, {:.1} s",
        differences.len(),
        started.elapsed().as_secs_f64()
    );
    if let Some(path) = std::env::var_os("KUBETAINT_DIFFERENCES") {
        fs::write(path, differences.join("\n\u{c}\n")).expect("the file can be written");
    }
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), count, &differences);
}

#[test]
#[ignore = "needs the oracles"]
fn the_vectors_of_texts_say_what_the_newest_release_says() {
    let written: Vec<Vector> = vectors::read(FILE);
    let cases = written.iter().map(|vector| vector.case.clone()).collect();
    let mut differences = Vec::new();
    for (written, said) in written.iter().zip(asked(cases)) {
        if written.kubernetes != said.kubernetes {
            differences.push(format!("{written:?}\n{said:?}"));
        }
    }
    assert_agreement(FILE, written.len(), &differences);
}

#[test]
#[ignore = "writes into the repository; needs the oracles"]
fn the_vectors_of_texts_are_made_anew() {
    const SEED: u64 = 1;
    const WANTED: usize = 600;
    let mut chosen = asked(listed());
    let mut generator = Generator::new(SEED);
    let mut by_verdict: BTreeMap<String, Vec<Vector>> = BTreeMap::new();
    let random = (0..40_000)
        .map(|_| generator.case())
        .filter(|case| case.text.len() < 500);
    for vector in asked(random.collect()) {
        by_verdict
            .entry(vector.kubernetes.kind())
            .or_default()
            .push(vector);
    }
    // As many of each verdict as there are of the others, so far as they come up.
    let most = by_verdict.values().map(Vec::len).max().unwrap_or(0);
    let rounds =
        (0..most).flat_map(|round| by_verdict.values().filter_map(move |list| list.get(round)));
    chosen.extend(rounds.take(WANTED).cloned());
    let lines: String = chosen
        .iter()
        .map(|vector| format!("{}\n", serde_json::to_string(vector).expect("JSON")))
        .collect();
    fs::write(path_of(FILE), lines).expect("the vectors can be written");
    println!("{FILE}: {} cases", chosen.len());
}
