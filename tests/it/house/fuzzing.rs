//! Checks the folder of fuzz targets: each says what must hold, has words and a small corpus, and needs no crate without a reason.
//! An archive of the crate lacks the folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{assert_none, read, root};

/// The crates that only the fuzz targets need.
pub const DEPENDENCIES: [&str; 1] = ["libfuzzer-sys"];

/// The most files of a corpus, and the most bytes of each: enough to reach what a longer run has reached.
const MOST: (usize, u64) = (60, 2048);

/// The values of a key in the manifest of the fuzz targets.
fn values(manifest: &str, key: &str) -> Vec<String> {
    let lines = manifest.lines();
    let found = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    found
        .map(|rest| rest.trim_end_matches('"').to_owned())
        .collect()
}

/// What is wrong with the corpus of a target.
fn corpus_complaints(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return vec![format!("{}: is not there", folder.display())];
    };
    let sizes: Vec<u64> = entries
        .flatten()
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .collect();
    let mut complaints = Vec::new();
    if sizes.is_empty() || sizes.len() > MOST.0 {
        complaints.push(format!("{}: {} files", folder.display(), sizes.len()));
    }
    let long = sizes.iter().filter(|size| **size > MOST.1);
    complaints.extend(long.map(|size| format!("{}: a file of {size} bytes", folder.display())));
    complaints
}

#[test]
fn every_fuzz_target_says_what_must_hold_and_has_words_and_a_small_corpus() {
    if !root().join("fuzz").exists() {
        return;
    }
    let manifest = read("fuzz/Cargo.toml");
    let targets: BTreeSet<String> = values(&manifest, "path").into_iter().collect();
    let entries = fs::read_dir(root().join("fuzz/fuzz_targets")).expect("the folder is there");
    let files: BTreeSet<String> = entries
        .flatten()
        .map(|entry| format!("fuzz_targets/{}", entry.file_name().to_string_lossy()))
        .collect();
    assert_eq!(targets, files, "fuzz/Cargo.toml and the folder");
    let mut complaints = Vec::new();
    for path in &targets {
        if !read(&format!("fuzz/{path}")).starts_with("//! ") {
            complaints.push(format!("fuzz/{path}: does not say what must hold"));
        }
        let name = path
            .trim_start_matches("fuzz_targets/")
            .trim_end_matches(".rs");
        if !root()
            .join(format!("fuzz/dictionaries/{name}.dict"))
            .exists()
        {
            complaints.push(format!("fuzz/dictionaries/{name}.dict: is not there"));
        }
        complaints.extend(corpus_complaints(&root().join("fuzz/corpus").join(name)));
    }
    assert_none(&complaints);
}

#[test]
fn fuzz_targets_need_no_crate_without_a_reason() {
    if !root().join("fuzz").exists() {
        return;
    }
    let manifest = read("fuzz/Cargo.toml");
    let section = manifest
        .split("[dependencies]\n")
        .nth(1)
        .unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let mut needed: BTreeSet<&str> = lines
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    assert!(needed.remove("kubetaint"), "{needed:?}");
    let own = super::dependencies();
    needed.retain(|name| !own.contains(*name));
    assert_eq!(needed, BTreeSet::from(DEPENDENCIES));
}
