//! The files of vectors, and what every comparison with Kubernetes' verdicts shares.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Differences that are printed; the rest is counted.
const SHOWN: usize = 20;

/// Where a file of vectors is.
pub fn path_of(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/conformance/vectors")
        .join(file)
}

/// The vectors of a file, one on each line.
pub fn read<V: DeserializeOwned>(file: &str) -> Vec<V> {
    let text = fs::read_to_string(path_of(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.lines()
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}:{}: {error}", at + 1))
        })
        .collect()
}

/// A case as oracles read it and files hold it.
pub fn text(case: &impl Serialize) -> String {
    serde_json::to_string(case).expect("a case is JSON")
}

/// Fails when there are differences, and shows some of them.
pub fn assert_agreement(what: &str, asked: usize, differences: &[String]) {
    assert!(
        differences.is_empty(),
        "{what}: {} differences in {asked} cases\n{}",
        differences.len(),
        differences[..differences.len().min(SHOWN)].join("\n")
    );
}

/// Fails when a listed case is not among the vectors.
pub fn assert_held(held: impl IntoIterator<Item = String>, listed: &[impl Serialize]) {
    let held: BTreeSet<String> = held.into_iter().collect();
    let missing: Vec<_> = listed
        .iter()
        .map(text)
        .filter(|case| !held.contains(case))
        .collect();
    assert!(
        missing.is_empty(),
        "make the vectors anew:\n{}",
        missing.join("\n")
    );
}

/// The seed of a sample: the one that is asked for, or the time.
pub fn seed() -> u64 {
    number("KUBETAINT_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.expect("a clock after 1970").as_nanos() as u64
    })
}

/// A number that the environment may give.
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
    )
}
