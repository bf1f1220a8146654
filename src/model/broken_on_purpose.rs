//! Paths that say that what stands there is broken on purpose: input of tests.

use super::cluster::words;

/// Names of folders, or words in them, below which files are input of tests.
const FOLDERS: &[&str] = &[
    "__fixtures__",
    "__tests__",
    "e2e",
    "fail",
    "failing",
    "fails",
    "fixture",
    "fixtures",
    "fuzz",
    "golden",
    "goldens",
    "mock",
    "mocks",
    "test",
    "testcases",
    "testdata",
    "testing",
    "tests",
    "unittest",
];

/// Words in the name of a file or a folder that say it by themselves.
const WORDS: &[&str] = &[
    "bad",
    "broken",
    "corrupt",
    "corrupted",
    "erroneous",
    "fixture",
    "illegal",
    "incorrect",
    "invalid",
    "malformed",
    "negative",
    "testdata",
    "unparsable",
    "unparseable",
    "unreadable",
    "wrong",
];

/// Folders whose children are environments, of which one may be called `test`.
const ENVIRONMENTS: &[&str] = &[
    "cluster",
    "clusters",
    "env",
    "environment",
    "environments",
    "envs",
    "overlay",
    "overlays",
    "stage",
    "stages",
    "tenants",
    "values",
];

/// Whether a path below the scanned folder says that what stands there may be broken on purpose.
pub fn is_broken_on_purpose(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let mut segments = path.split('/').peekable();
    let mut parent = "";
    while let Some(segment) = segments.next() {
        let is_folder = segments.peek().is_some();
        let is_environment = ENVIRONMENTS.contains(&parent);
        let mut found = words(segment);
        if found.any(|word| {
            WORDS.contains(&word) || (is_folder && !is_environment && FOLDERS.contains(&word))
        }) {
            return true;
        }
        if is_folder && !is_environment && FOLDERS.contains(&segment) {
            return true;
        }
        parent = segment;
    }
    false
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
}
