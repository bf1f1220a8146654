//! Patterns for paths and names. They store their span in the configuration and whether they have matched.

use std::sync::atomic::{AtomicBool, Ordering};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::source::Span;

/// The maximum length of a pattern, so that no configuration makes matching expensive.
const MAX_PATTERN_BYTES: usize = 1000;

/// Why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern is empty and could match nothing.
    #[error("the pattern is empty")]
    Empty,
    /// The pattern is longer than the limit.
    #[error("the pattern is too long: {0} bytes, and the limit is {MAX_PATTERN_BYTES}")]
    TooLong(usize),
    /// The pattern is not a valid glob.
    #[error("invalid pattern `{pattern}`: {cause}")]
    Syntax {
        /// The pattern, as written.
        pattern: String,
        /// The error.
        cause: String,
    },
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The pattern, as written.
    pub text: String,
    /// Its span.
    pub span: Span,
    /// The compiled regular expression over bytes.
    pub(super) expression: String,
    glob: Glob,
    set: GlobSet,
}

impl Pattern {
    /// Compiles a pattern for paths relative to the repository's root. `*` and `?` do not match `/`, but `**` does.
    /// `vendor/` matches everything in that folder; a leading `/` or `./` is ignored.
    ///
    /// # Errors
    /// Returns an error if the text is empty, too long or not a glob.
    pub fn over_paths(text: &str, span: Span) -> Result<Self, PatternError> {
        let below = text.strip_prefix("./").unwrap_or(text);
        let mut glob = below.trim_start_matches('/').to_owned();
        if glob.ends_with('/') {
            glob.push_str("**");
        }
        Self::compile(text, &glob, span, true)
    }

    /// Compiles a pattern for a name, in which `*` matches anything.
    ///
    /// # Errors
    /// See [`Pattern::over_paths`].
    pub fn over_names(text: &str, span: Span) -> Result<Self, PatternError> {
        Self::compile(text, text, span, false)
    }

    fn compile(text: &str, glob: &str, span: Span, separated: bool) -> Result<Self, PatternError> {
        if glob.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong(text.len()));
        }
        let syntax = |error: globset::Error| PatternError::Syntax {
            pattern: text.to_owned(),
            cause: error.kind().to_string(),
        };
        let glob = GlobBuilder::new(glob)
            .literal_separator(separated)
            .backslash_escape(true)
            .build()
            .map_err(syntax)?;
        let expression = glob.regex().to_owned();
        // A set even for one pattern: compiling a single matcher can panic, while a set returns an error.
        let mut set = GlobSetBuilder::new();
        let set = set.add(glob.clone()).build().map_err(syntax)?;
        Ok(Pattern {
            text: text.to_owned(),
            span,
            expression,
            glob,
            set,
        })
    }

    /// Whether a path or name matches.
    pub fn matches(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// The only text that matches; `None` if others may.
    pub(super) fn literal(&self) -> Option<&str> {
        let glob = self.glob.glob();
        let is_plain = !glob.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
        is_plain.then_some(glob)
    }

    /// The pattern as part of a set.
    pub(super) fn glob(&self) -> &Glob {
        &self.glob
    }
}

/// Returns the patterns that match none of these paths. Many patterns are matched together.
pub(super) fn without_match<'a>(
    patterns: impl Iterator<Item = &'a Pattern>,
    paths: &[&str],
) -> Vec<&'a Pattern> {
    let mut patterns: Vec<&Pattern> = patterns.collect();
    let mut set = GlobSetBuilder::new();
    for pattern in &patterns {
        set.add(pattern.glob().clone());
    }
    match set.build() {
        Ok(set) => {
            let mut matched = vec![false; patterns.len()];
            for at in paths.iter().flat_map(|path| set.matches(path)) {
                if let Some(matched) = matched.get_mut(at) {
                    *matched = true;
                }
            }
            let mut matched = matched.into_iter();
            patterns.retain(|_| !matched.next().unwrap_or_default());
        }
        // Together they are too large.
        Err(_) => patterns.retain(|pattern| !paths.iter().any(|path| pattern.matches(path))),
    }
    patterns
}

/// Several patterns, of which one must match.
#[derive(Debug, Default)]
pub struct Patterns {
    patterns: Vec<(Pattern, AtomicBool)>,
}

impl Patterns {
    /// Whether any pattern matches. Records each pattern that does, so that the others can be reported as unused.
    pub fn matches(&self, path: &str) -> bool {
        let mut any = false;
        for (pattern, used) in &self.patterns {
            if pattern.matches(path) {
                used.store(true, Ordering::Relaxed);
                any = true;
            }
        }
        any
    }

    /// Records that a pattern has matched.
    pub(super) fn use_one(&self, at: usize) {
        if let Some((_, used)) = self.patterns.get(at) {
            used.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the patterns that have not matched so far and match none of `paths`.
    pub fn unused<'a>(&'a self, paths: &[&str]) -> Vec<&'a Pattern> {
        without_match(self.not_used(), paths)
    }

    /// Returns the patterns that have not matched so far.
    pub(super) fn not_used(&self) -> impl Iterator<Item = &Pattern> {
        let unused = self.patterns.iter();
        let unused = unused.filter(|(_, used)| !used.load(Ordering::Relaxed));
        unused.map(|(pattern, _)| pattern)
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns the patterns in source order.
    pub fn iter(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().map(|(pattern, _)| pattern)
    }
}

impl FromIterator<Pattern> for Patterns {
    fn from_iter<I: IntoIterator<Item = Pattern>>(patterns: I) -> Self {
        Patterns {
            patterns: patterns
                .into_iter()
                .map(|pattern| (pattern, AtomicBool::new(false)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn span() -> Span {
        Span::new(SourceId(0), 0..0)
    }

    fn path(text: &str) -> Pattern {
        Pattern::over_paths(text, span()).unwrap()
    }

    #[test]
    fn stars_stay_within_a_folder_and_double_stars_do_not() {
        for (pattern, matching, other) in [
            ("vendor/**", "vendor/a/b.yaml", "x/vendor/a.yaml"),
            ("**/testdata/**", "testdata/a.yaml", "testdata.yaml"),
            (
                "**/testdata/**",
                "a/b/testdata/c/d.yaml",
                "a/testdata2/x.yaml",
            ),
            (
                "apps/*/values.yaml",
                "apps/web/values.yaml",
                "apps/a/b/values.yaml",
            ),
            (
                "apps/**/values-{prod,qa}.yaml",
                "apps/values-qa.yaml",
                "apps/values-dev.yaml",
            ),
            ("a[0-9].yaml", "a7.yaml", "ab.yaml"),
            ("vendor/", "vendor/a/b.yaml", "vendors/a.yaml"),
            ("./a/*.yaml", "a/b.yaml", "b/a.yaml"),
            ("/a.yaml", "a.yaml", "b/a.yaml"),
        ] {
            assert!(path(pattern).matches(matching), "{pattern} {matching}");
            assert!(!path(pattern).matches(other), "{pattern} {other}");
        }
    }

    #[test]
    fn stars_in_names_match_anything() {
        let pattern = Pattern::over_names("kube-*", span()).unwrap();
        assert!(pattern.matches("kube-system"));
        assert!(pattern.matches("kube-a/b"));
        assert!(!pattern.matches("my-kube-system"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_says_why() {
        let error = |text: &str| Pattern::over_paths(text, span()).unwrap_err();
        assert_eq!(error(""), PatternError::Empty);
        assert_eq!(error("/"), PatternError::Empty);
        assert_eq!(error(&"a".repeat(1001)), PatternError::TooLong(1001));
        for text in ["a[", "{a,b", "[z-a]", "a\\"] {
            assert!(
                error(text)
                    .to_string()
                    .starts_with(&format!("invalid pattern `{text}`: ")),
                "{}",
                error(text)
            );
        }
    }

    #[test]
    fn hostile_patterns_are_errors_or_match_in_time() {
        for text in [
            "{".repeat(1000),
            format!("{}{}", "{a,".repeat(200), "}".repeat(200)),
            "**/".repeat(333),
            "*a".repeat(500),
            "[!a]*".repeat(200),
            "?".repeat(1000),
        ] {
            if let Ok(pattern) = Pattern::over_paths(&text, span()) {
                pattern.matches(&"a/".repeat(2000));
            }
        }
    }

    #[test]
    fn every_matching_pattern_counts_as_used_not_only_the_first() {
        let patterns: Patterns = ["a/**", "**/b.yaml", "c/**"]
            .map(path)
            .into_iter()
            .collect();
        assert!(patterns.matches("a/b.yaml"));
        assert!(!patterns.matches("d.yaml"));
        let unused = |paths: &[&str]| -> Vec<String> {
            patterns
                .unused(paths)
                .into_iter()
                .map(|pattern| pattern.text.clone())
                .collect()
        };
        assert_eq!(unused(&[]), ["c/**"]);
        assert_eq!(unused(&["d.yaml", "c/d.yaml"]), Vec::<String>::new());
    }
}
