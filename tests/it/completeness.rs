//! Declaring a cluster complete proves more findings and never hides one. Checked over all situations, all examples of
//! rules and generated repositories.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::builtin::{RULES, judged};
use kubetaint::finding::{Report, Severity};
use kubetaint::verify;
use rayon::prelude::*;
use walkdir::WalkDir;

type Files = Vec<(String, String)>;

const CONFIG: &str = ".kubetaint.yaml";

/// A finding without the fields that completeness may change: rule, file, line and column.
type Key = (String, String, u32, u32);

fn found(report: &Report) -> BTreeMap<Key, Severity> {
    let mut found = BTreeMap::new();
    for finding in &report.findings {
        let Some(source) = report.sources.get(&finding.span.source) else {
            continue;
        };
        let at = source.position(finding.span.start);
        let key = (
            finding.rule.clone(),
            source.path.clone(),
            at.line,
            at.column,
        );
        let severity = found.entry(key).or_insert(finding.severity);
        *severity = (*severity).max(finding.severity);
    }
    found
}

/// All repositories of the situations and of the rules' examples, by name.
fn repositories() -> Vec<(String, Files)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let mut all: BTreeMap<String, Files> = BTreeMap::new();
    for entry in WalkDir::new(&root).sort_by_file_name() {
        let entry = entry.expect("fixtures can be read");
        let below = entry.path().strip_prefix(&root).expect("below the root");
        let below = below.to_string_lossy().replace('\\', "/");
        let Some((folder, path)) = below.split_once('/') else {
            continue;
        };
        if let Ok(text) = std::fs::read_to_string(entry.path())
            && path != "expected.txt"
        {
            let files = all.entry(folder.to_owned()).or_default();
            files.push((path.to_owned(), text));
        }
    }
    let mut all: Vec<(String, Files)> = all.into_iter().collect();
    for rule in RULES.iter() {
        for (at, example) in rule.examples.iter().enumerate() {
            let plain =
                |(path, text): &(String, String)| (path.clone(), verify::without_marks(text));
            let name = format!("{} example {at}", rule.id);
            all.push((name, example.files.iter().map(plain).collect()));
        }
    }
    all
}

fn with(files: &Files, config: &str) -> Files {
    let mut files: Files = files
        .iter()
        .filter(|(path, _)| path != CONFIG)
        .cloned()
        .collect();
    files.push((CONFIG.to_owned(), config.to_owned()));
    files
}

#[test]
fn to_say_that_a_cluster_is_complete_hides_no_finding() {
    let all = repositories();
    let lost: Vec<String> = all
        .par_iter()
        .flat_map(|(name, files)| {
            let own = files
                .iter()
                .find(|(path, text)| path == CONFIG && text.contains("complete: true"));
            let mut pairs = vec![(
                "clusters: {all: {paths: [\"**\"]}}\n".to_owned(),
                "clusters: {all: {paths: [\"**\"], complete: true}}\n".to_owned(),
            )];
            if let Some((_, text)) = own {
                pairs.push((
                    text.replace("complete: true", "complete: false"),
                    text.clone(),
                ));
            }
            pairs
                .into_iter()
                .flat_map(|(without, claimed)| {
                    let before = judged(&RULES, &with(files, &without), verify::SUPPRESSIONS);
                    let after = judged(&RULES, &with(files, &claimed), verify::SUPPRESSIONS);
                    lost(name, &before, &after)
                })
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// Findings of the first report that are missing or less severe in the second.
fn lost(name: &str, before: &Report, after: &Report) -> Vec<String> {
    let later = found(after);
    let mut lost = Vec::new();
    for (key, severity) in found(before) {
        let still = later.get(&key);
        if still.is_none_or(|still| *still < severity) {
            let (rule, file, line, column) = &key;
            let mut text =
                format!("{name}: {severity} {rule} {file}:{line}:{column} became {still:?}");
            for ((other, path, at, _), _) in later
                .iter()
                .filter(|((_, path, at, _), _)| path == file && at == line)
            {
                let _ = write!(text, "; there {other} {path}:{at}");
            }
            lost.push(text);
        }
    }
    lost
}
