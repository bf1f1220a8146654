//! Paths of tests, examples or archives: `test-paths` of the configuration, or the default list.

use std::sync::LazyLock;

use super::{Config, Pattern};
use crate::model::path_words::{name_words, test_path_words, test_words, without_test_clusters};
use crate::source::{SourceId, Span};

/// Paths in which findings that compare workloads with node pools are at most notes.
#[derive(Debug, Default)]
pub struct TestPaths(pub(super) Vec<Entry>);

#[derive(Debug)]
pub(super) enum Entry {
    /// A pattern for the names of folders and files, and for words in them.
    Name { written: Pattern, lower: Pattern },
    /// A pattern for whole paths.
    Path(Pattern),
}

/// The default list.
static DEFAULT: LazyLock<TestPaths> = LazyLock::new(|| TestPaths::of(test_path_words()));

/// The part of it that does not mean examples.
static WITHOUT_EXAMPLES: LazyLock<TestPaths> = LazyLock::new(|| TestPaths::of(test_words()));

impl Entry {
    pub(super) fn new(text: &str, span: Span) -> Result<Self, super::PatternError> {
        let path = Pattern::over_paths(text, span)?;
        if text.contains('/') {
            return Ok(Entry::Path(path));
        }
        Ok(Entry::Name {
            written: Pattern::over_names(text, span)?,
            lower: Pattern::over_names(&text.to_ascii_lowercase(), span)?,
        })
    }

    fn pattern(&self) -> &Pattern {
        match self {
            Entry::Name { written, .. } | Entry::Path(written) => written,
        }
    }

    fn covers(&self, path: &str, scanned: &str) -> bool {
        match self {
            Entry::Path(pattern) => pattern.matches(path),
            Entry::Name { lower, .. } => scanned.split('/').any(|name| {
                let name = name.to_ascii_lowercase();
                lower.matches(&name) || name_words(&name).any(|word| lower.matches(word))
            }),
        }
    }
}

impl TestPaths {
    fn of(words: impl Iterator<Item = &'static str>) -> TestPaths {
        let nowhere = Span::new(SourceId(0), 0..0);
        TestPaths(
            words
                .filter_map(|word| Entry::new(word, nowhere).ok())
                .collect(),
        )
    }

    /// Returns the entries as written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|entry| entry.pattern().text.as_str())
    }

    /// Returns the entries that match none of `paths`, except those of the default list.
    pub(super) fn unused<'a>(
        &'a self,
        paths: &'a [&str],
    ) -> impl Iterator<Item = &'a Pattern> + 'a {
        let is_default = |entry: &&Entry| {
            let text = &entry.pattern().text;
            test_path_words().any(|word| word == text.as_str())
        };
        self.0
            .iter()
            .filter(move |entry| !is_default(entry))
            .filter(|entry| !paths.iter().any(|path| entry.covers(path, path)))
            .map(Entry::pattern)
    }
}

impl Config {
    /// Returns the list in effect.
    pub fn test_paths_in_effect(&self) -> &TestPaths {
        self.test_paths.as_ref().unwrap_or(&DEFAULT)
    }

    /// Whether a file is among tests, examples or archives. `scanned` is the part of its path below the scanned folder. The
    /// names of folders above it are ignored.
    pub fn is_test(&self, path: &str, scanned: &str) -> bool {
        self.is_below(self.test_paths_in_effect(), path, scanned)
    }

    /// The same without examples, unless the configuration lists them.
    pub fn is_test_or_archive(&self, path: &str, scanned: &str) -> bool {
        let paths = self.test_paths.as_ref().unwrap_or(&WITHOUT_EXAMPLES);
        self.is_below(paths, path, scanned)
    }

    fn is_below(&self, paths: &TestPaths, path: &str, scanned: &str) -> bool {
        let is_covered = |scanned: &str| paths.0.iter().any(|entry| entry.covers(path, scanned));
        // A cluster may be called `test`, unless the configuration says what is a test.
        let own = || self.test_paths.is_some() || is_covered(&without_test_clusters(scanned));
        is_covered(scanned) && own()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::path_words::is_test_path;

    fn paths(entries: &[&str]) -> Config {
        let nowhere = Span::new(SourceId(0), 0..0);
        let entries = entries
            .iter()
            .map(|text| Entry::new(text, nowhere).unwrap());
        Config {
            test_paths: Some(TestPaths(entries.collect())),
            ..Config::default()
        }
    }

    #[test]
    fn without_a_configuration_it_is_the_list_that_init_goes_by() {
        for path in [
            "apps/test/web.yaml",
            "Examples/web.yaml",
            ".archive/web.yaml",
            "policies/.chainsaw-test/web.yaml",
            "charts/web/values-example.yaml",
            "apps/latest/web.yaml",
            "apps/contest/web.yaml",
            "a/e2e_x/b.yaml",
        ] {
            let config = Config::default();
            assert_eq!(config.is_test(path, path), is_test_path(path), "{path}");
        }
    }

    #[test]
    fn a_name_is_meant_at_any_depth_and_a_path_from_the_root() {
        let config = paths(&["sandbox", "lab/*.yaml", "*-try"]);
        let is_test = |path: &str| config.is_test(path, path);
        assert!(is_test("a/Sandbox/b.yaml") && is_test("values-sandbox.yaml"));
        assert!(is_test("lab/a.yaml") && !is_test("x/lab/a.yaml"));
        assert!(is_test("apps/web-try/a.yaml"));
        // The list replaces the default list.
        assert!(!is_test("examples/a.yaml"));
        assert!(!paths(&[]).is_test("examples/a.yaml", "examples/a.yaml"));
        // Names above the scanned folder are ignored, unless a pattern for whole paths matches.
        assert!(!config.is_test("sandbox/a.yaml", "a.yaml"));
        assert!(config.is_test("lab/a.yaml", "a.yaml"));
    }
}
