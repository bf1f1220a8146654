//! Validation against the API servers of each release: whole pod templates, RuntimeClasses and nodes, field by field.

mod cases;
mod generate;
mod manifests;
mod objections;
mod oracles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Instant;

use cases::{Case, Setting, Vector};
use generate::{Generator, listed};
use oracles::Oracles;

use crate::vectors::{self, assert_agreement, number, path_of, seed, text};

/// Random cases of each kind that the vectors hold beside the listed ones.
const WANTED: [(&str, usize); 3] = [("node", 100), ("pod-template", 300), ("runtime-class", 100)];

/// Of vectors with the same verdict the file holds so many, spread evenly over all that were made; of those that every
/// release accepts it holds more, because a check that is too strict could be in any of them.
const OF_EACH_VERDICT: usize = 2;
const ACCEPTED: usize = 25;

const FILE: &str = "validation.jsonl";

/// What the newest release that was built says without its gate, in the order of the questions.
pub fn newest_answers<A: serde::de::DeserializeOwned>(
    questions: &[impl serde::Serialize + Sync],
) -> Vec<A> {
    Oracles::find().ask_newest(questions)
}

fn vectors() -> Vec<Vector> {
    vectors::read(FILE)
}

#[test]
fn objects_are_refused_field_by_field_as_by_each_release() {
    let vectors = vectors();
    assert!(vectors.len() >= 500, "{} cases", vectors.len());
    // Those of which the vectors hold the verdicts.
    let releases = (29..=37).map(|minor| Setting::new(minor, false));
    let settings: Vec<Setting> = releases
        .chain((35..=37).map(|minor| Setting::new(minor, true)))
        .collect();
    let differences: Vec<_> = vectors
        .iter()
        .flat_map(|vector| vector.differences(&settings))
        .collect();
    assert_agreement(FILE, vectors.len(), &differences);
}

#[test]
fn manifests_are_refused_by_the_rule_for_it_at_the_field_that_is_wrong() {
    let vectors = vectors();
    let settings = [
        Setting::new(32, false),
        Setting::new(33, false),
        Setting::new(37, false),
        Setting::new(37, true),
    ];
    let mut differences = Vec::new();
    for setting in settings {
        differences.extend(manifests::differences(&vectors, setting));
    }
    assert_agreement("manifests", vectors.len(), &differences);
}

#[test]
fn the_vectors_hold_a_few_cases_of_each_verdict() {
    let vectors = vectors();
    assert_eq!(sampled(vectors.clone()).len(), vectors.len());
}

/// A few vectors of each verdict: of each kind of object, each set of fields in error with what is wrong with them, in
/// each release.
fn sampled(vectors: Vec<Vector>) -> Vec<Vector> {
    let mut by_verdict: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, vector) in vectors.iter().enumerate() {
        let key = (vector.case.kind(), vector.signature());
        by_verdict.entry(key).or_default().push(at);
    }
    let mut kept = BTreeSet::new();
    for list in by_verdict.values() {
        let wanted = match vectors[list[0]].is_accepted() {
            true => ACCEPTED,
            false => OF_EACH_VERDICT,
        };
        let count = wanted.min(list.len());
        kept.extend((0..count).map(|one| list[one * list.len() / count]));
    }
    let all = vectors.into_iter().enumerate();
    all.filter(|(at, _)| kept.contains(at))
        .map(|(_, vector)| vector)
        .collect()
}

#[test]
fn every_release_of_the_table_that_was_asked_is_in_the_vectors() {
    let named: BTreeSet<String> = vectors()
        .iter()
        .flat_map(|vector| vector.kubernetes.keys().cloned())
        .collect();
    // The oldest is always named; others where they differ from the release before.
    for expected in ["1.29", "1.33", "1.35+gate"] {
        assert!(named.contains(expected), "{expected}: {named:?}");
    }
}

#[test]
#[ignore = "needs the oracles"]
fn a_fresh_sample_agrees_with_each_release() {
    let seed = seed();
    let count = number("KUBETAINT_VALIDATIONS").unwrap_or(60_000) as usize;
    println!("KUBETAINT_SEED={seed}");
    let mut generator = Generator::new(seed);
    // With every edge in every place, of which the vectors hold a sample only.
    let mut cases = listed();
    cases.extend((0..count).map(|_| generator.case()));
    let started = Instant::now();
    let oracles = Oracles::find();
    let vectors = oracles.ask(&cases);
    println!(
        "{count} cases, {} verdicts of {:?} in {:.1} s",
        count * oracles.settings().len(),
        oracles.settings(),
        started.elapsed().as_secs_f64()
    );
    let mut signatures = BTreeMap::<String, usize>::new();
    for vector in &vectors {
        *signatures.entry(vector.signature()).or_default() += 1;
    }
    let accepted = vectors.iter().filter(|vector| vector.is_accepted()).count();
    println!(
        "{} kinds of verdicts, {accepted} cases accepted by all",
        signatures.len()
    );
    // A sample in which everything is refused, or nothing, would agree with anything.
    assert!(count < 1000 || (accepted > count / 20 && accepted < count * 19 / 20));
    let started = Instant::now();
    let settings = oracles.settings();
    let mut differences: Vec<_> = vectors
        .iter()
        .flat_map(|vector| vector.differences(&settings))
        .collect();
    println!(
        "model: {} differences, {:.1} s",
        differences.len(),
        started.elapsed().as_secs_f64()
    );
    // Reading manifests costs more than judging, and every part was tried already.
    let some: Vec<Vector> = vectors.into_iter().step_by(20).collect();
    for setting in settings {
        let started = Instant::now();
        let found = manifests::differences(&some, setting);
        println!(
            "{} manifests, {setting}: {} differences, {:.1} s",
            some.len(),
            found.len(),
            started.elapsed().as_secs_f64()
        );
        differences.extend(found);
    }
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), count, &differences);
}

#[test]
#[ignore = "needs the oracles"]
fn the_vectors_say_what_each_release_says() {
    let written = vectors();
    let cases: Vec<Case> = written.iter().map(|vector| vector.case.clone()).collect();
    let oracles = Oracles::find();
    let mut differences = Vec::new();
    for (written, asked) in written.iter().zip(oracles.ask(&cases)) {
        for setting in oracles.settings() {
            if written.says(setting) != asked.says(setting) {
                differences.push(format!(
                    "{}\n  {setting}: written {:?}, said {:?}",
                    text(&written.case),
                    written.says(setting),
                    asked.says(setting)
                ));
            }
        }
    }
    assert_agreement(FILE, written.len(), &differences);
}

#[test]
#[ignore = "writes into the repository; needs the oracles"]
fn the_vectors_of_validation_are_made_anew() {
    const SEED: u64 = 1;
    let oracles = Oracles::find();
    let mut seen = BTreeSet::new();
    let fixed: Vec<Case> = listed()
        .into_iter()
        .filter(|case| seen.insert(text(case)))
        .collect();
    let mut chosen = oracles.ask(&fixed);
    let mut generator = Generator::new(SEED);
    let random: Vec<Case> = (0..60_000)
        .map(|_| generator.case())
        // A short case says as much as a long one.
        .filter(|case| text(case).len() < 350 && seen.insert(text(case)))
        .collect();
    let mut by_verdict: BTreeMap<(&str, String), Vec<Vector>> = BTreeMap::new();
    for vector in oracles.ask(&random) {
        let key = (vector.case.kind(), vector.signature());
        by_verdict.entry(key).or_default().push(vector);
    }
    for (kind, wanted) in WANTED {
        // As many of each verdict as there are of the others, so far as they come up.
        let lists: Vec<&Vec<Vector>> = by_verdict
            .iter()
            .filter(|((of, _), _)| *of == kind)
            .map(|(_, list)| list)
            .collect();
        let most = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        let rounds =
            (0..most).flat_map(|round| lists.iter().filter_map(move |list| list.get(round)));
        chosen.extend(rounds.take(wanted).cloned());
    }
    let chosen = sampled(chosen);
    let lines: String = chosen
        .iter()
        .map(|vector| format!("{}\n", serde_json::to_string(vector).expect("JSON")))
        .collect();
    fs::write(path_of(FILE), lines).expect("the vectors can be written");
    println!("{FILE}: {} cases, {:?}", chosen.len(), oracles.settings());
}
