//! The meaning of words in paths: tests, examples and archives; intentionally broken files; environments. The words are in
//! `kubernetes/path-words.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::builtin;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PathWords {
    test_paths: Words,
    example_paths: Words,
    broken_on_purpose: BrokenOnPurpose,
    environment_folders: Folders,
    environments: Environments,
    collections: Folders,
    infrastructure: Folders,
    regions: Regions,
}

#[derive(Deserialize)]
struct Words {
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Folders {
    folders: Vec<String>,
}

#[derive(Deserialize)]
struct BrokenOnPurpose {
    folders: Vec<String>,
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Regions {
    areas: Vec<String>,
    directions: Vec<String>,
}

#[derive(Deserialize)]
struct Environments {
    names: BTreeMap<String, Vec<String>>,
}

static KNOWN: LazyLock<PathWords> = LazyLock::new(|| builtin::table(builtin::PATH_WORDS));

fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// Returns the words in the name of a folder or file.
pub fn name_words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', '.', ' '])
        .filter(|word| !word.is_empty())
}

/// Returns the words that mark a path as tests or archives. A word that ends in `*` is a prefix.
pub fn test_words() -> impl Iterator<Item = &'static str> {
    KNOWN.test_paths.words.iter().map(String::as_str)
}

/// Returns the words that mark a path as tests, examples or archives.
pub fn test_path_words() -> impl Iterator<Item = &'static str> {
    let examples = KNOWN.example_paths.words.iter().map(String::as_str);
    test_words().chain(examples)
}

/// Whether a path, relative to the scanned folder, is one of tests, examples or archives.
pub fn is_test_path(path: &str) -> bool {
    path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase();
        test_path_words().any(|known| match known.strip_suffix('*') {
            Some(beginning) => segment.starts_with(beginning),
            None => name_words(&segment).any(|word| word == known),
        })
    })
}

/// Returns a path without folders that are clusters or environments called `test`: `clusters/test/web.yaml` is no test.
pub fn without_test_clusters(path: &str) -> String {
    const PARENTS: [&str; 6] = [
        "cluster",
        "clusters",
        "env",
        "envs",
        "environment",
        "environments",
    ];
    let mut parent = "";
    let mut kept = Vec::new();
    for segment in path.split('/') {
        if !(PARENTS.contains(&parent) && environment(segment) == Some("test")) {
            kept.push(segment);
        }
        parent = segment;
    }
    kept.join("/")
}

/// Whether a path, relative to the scanned folder, suggests that its contents are broken on purpose.
pub fn is_broken_on_purpose(path: &str) -> bool {
    let known = &KNOWN.broken_on_purpose;
    let path = path.to_ascii_lowercase();
    let mut segments = path.split('/').peekable();
    let mut parent = "";
    while let Some(segment) = segments.next() {
        let folder_counts =
            segments.peek().is_some() && !has(&KNOWN.environment_folders.folders, parent);
        let says_so =
            |word| has(&known.words, word) || (folder_counts && has(&known.folders, word));
        if name_words(segment).any(says_so) || (folder_counts && has(&known.folders, segment)) {
            return true;
        }
        parent = segment;
    }
    false
}

/// Returns the environment that a word names, in one canonical spelling.
pub fn environment(word: &str) -> Option<&'static str> {
    let mut names = KNOWN.environments.names.iter();
    names
        .find(|(_, spellings)| has(spellings, word))
        .map(|(name, _)| name.as_str())
}

/// Whether the children of a folder are environments.
pub fn holds_environments(folder: &str) -> bool {
    folder == LIVE || has(&KNOWN.environment_folders.folders, folder)
}

/// A folder with all environments in the layout of Terragrunt. Without other environments it is the one that is live.
pub const LIVE: &str = "live";

/// Returns all environments except one.
pub fn all_but(environment: &str) -> impl Iterator<Item = &'static str> {
    let names = KNOWN.environments.names.keys().map(String::as_str);
    names.filter(move |name| *name != environment)
}

/// Whether the children of a folder are independent examples.
pub fn is_collection(folder: &str) -> bool {
    has(&KNOWN.collections.folders, folder)
}

/// Whether the name of a folder means "infrastructure".
pub fn is_infrastructure(folder: &str) -> bool {
    let known = &KNOWN.infrastructure.folders;
    has(known, folder) || name_words(folder).any(|word| has(known, word))
}

/// Whether the name of a folder is a region of a cloud: `eu`, `eu-west-1`, `europe-west4`, `eastus2`.
pub fn is_region(folder: &str) -> bool {
    let known = &KNOWN.regions;
    if has(&known.areas, folder) {
        return true;
    }
    let longest = |rest: &str, words: &[String]| {
        let found = words.iter().filter(|word| rest.starts_with(word.as_str()));
        found.map(String::len).max()
    };
    let (mut areas, mut directions) = (0, 0);
    let mut rest = folder.trim_end_matches(|letter: char| letter.is_ascii_digit());
    while !rest.is_empty() {
        let length = match (rest.starts_with(['-', '_']), longest(rest, &known.areas)) {
            (true, _) => 1,
            (false, Some(length)) => {
                areas += 1;
                length
            }
            (false, None) => {
                let Some(length) = longest(rest, &known.directions) else {
                    return false;
                };
                directions += 1;
                length
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    areas == 1 && directions > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_of_tests_is_known_by_its_folder_or_by_its_name() {
        for path in [
            "pkg/testdata/a.yaml",
            "tests/fixtures/a.yaml",
            "test/a.yaml",
            "test-data/a.yaml",
            "a/__fixtures__/a.yaml",
            "e2e/a.yaml",
            "invalid/a.yaml",
            "parser/invalid-yaml.yaml",
            "broken.yaml",
            "cases/malformed_list.yaml",
            "bad-indent.json",
        ] {
            assert!(is_broken_on_purpose(path), "{path}");
        }
        for path in [
            "apps/web.yaml",
            "overlays/test/web.yaml",
            "clusters/e2e/web.yaml",
            "apps/web-test.yaml",
            "examples/web.yaml",
            "latest/web.yaml",
            "badger/web.yaml",
        ] {
            assert!(!is_broken_on_purpose(path), "{path}");
        }
    }

    #[test]
    fn a_cluster_called_test_is_no_test() {
        let without = without_test_clusters;
        assert_eq!(without("clusters/test/web.yaml"), "clusters/web.yaml");
        assert_eq!(without("overlays/test/web.yaml"), "overlays/test/web.yaml");
        assert_eq!(
            without("tests/clusters/a/test/b"),
            "tests/clusters/a/test/b"
        );
    }

    #[test]
    fn regions_are_known_by_their_words() {
        for region in [
            "eu-west-1",
            "us-gov-east-1",
            "ap-southeast-2",
            "europe-west4",
            "us-central1",
            "northamerica-northeast1",
            "westeurope",
            "eastus2",
            "southcentralus",
            "uksouth",
            "eu",
        ] {
            assert!(is_region(region), "{region}");
        }
        for other in ["west", "eu-blue-1", "web", "us-eu", "usage", "east-1", ""] {
            assert!(!is_region(other), "{other}");
        }
    }

    #[test]
    fn only_whole_words_make_a_test_path() {
        assert!(is_test_path("apps/test/web.yaml"));
        assert!(is_test_path(".archive/web.yaml"));
        assert!(is_test_path("policies/.chainsaw-test/web.yaml"));
        assert!(is_test_path("charts/web/values-example.yaml"));
        assert!(!is_test_path("apps/latest/web.yaml"));
        assert!(!is_test_path("apps/contest/web.yaml"));
    }
}
