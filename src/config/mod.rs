//! The validated contents of `.kubetaint.yaml`. The file format is in `form`, the checks are in `check`.

mod check;
mod clusters;
mod exceptions;
mod form;
mod index;
mod patterns;
mod releases;
mod test_paths;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Problem, Severity};
use crate::model::near_miss::nearest_word;
use crate::model::taint::Taint;
use crate::source::{Source, SourceId, Span};
use crate::yaml::Spanned;

pub use clusters::{Cluster, PLACEHOLDER, Template, WrittenCluster};
pub use exceptions::Exceptions;
pub use form::ConfigFile;
pub use patterns::{Pattern, PatternError, Patterns};
pub use releases::KubernetesVersion;
use releases::RELEASES;
pub use test_paths::TestPaths;
pub use version::VersionError;

/// The feature gate for the operators `Gt` and `Lt` (KEP-5471).
const COMPARISON_GATE: &str = "TaintTolerationComparisonOperators";

/// The contents of a configuration file, or the defaults.
#[derive(Debug, Default)]
pub struct Config {
    /// The release whose API rules apply.
    pub kubernetes: KubernetesVersion,
    /// Feature gates that are set, by name; only those that kubetaint knows.
    pub feature_gates: BTreeMap<String, bool>,
    /// Admission plugins, by name, that run in addition to the API server's default ones. Only plugins that kubetaint
    /// knows. `None` if not configured.
    pub admission: Option<Vec<String>>,
    /// Files to skip.
    pub exclude: Patterns,
    /// The clusters, in source order. Clusters created from templates come last.
    pub clusters: Vec<Cluster>,
    /// Entries that create several clusters each; see [`Config::make_clusters`].
    pub templates: Vec<Template>,
    /// For each of `templates`, the clusters that it created: the index in `clusters` by captured name.
    made: Vec<BTreeMap<String, usize>>,
    /// Finds clusters.
    index: index::Index,
    /// Pools that no file declares, in source order.
    pub pools: Vec<ConfiguredPool>,
    /// Settings of single rules, by rule id. [`Config::check_names`] checks the ids.
    pub rules: BTreeMap<String, RuleSetting>,
    /// Folders with the user's own rules, relative to the repository's root.
    pub rule_dirs: Vec<Located>,
    /// Folders with the user's own provider tables, relative to the repository's root.
    pub providers: Vec<Located>,
    /// Paths of tests, examples and archives; `None` for the default list.
    pub test_paths: Option<TestPaths>,
    /// Comments and annotations only suppress findings if they contain a reason.
    pub require_reason: bool,
    /// Paths of files whose pools were given on the command line.
    pub given: Vec<String>,
    /// Folders that are known to be Helm charts, even if their `Chart.yaml` is not read.
    pub charts: BTreeSet<String>,
    /// The file; `None` for the defaults.
    pub source: Option<Source>,
}

/// A text in the configuration with its span.
pub type Located = Spanned<String>;

/// A node pool that only the configuration declares.
#[derive(Clone, Debug)]
pub struct ConfiguredPool {
    /// Unique within its cluster.
    pub name: String,
    /// The name of one of [`Config::clusters`].
    pub cluster: Option<String>,
    /// The span of the cluster's name.
    pub cluster_span: Option<Span>,
    /// Labels of its nodes.
    pub labels: BTreeMap<String, String>,
    /// Taints of its nodes, with their spans.
    pub taints: Vec<(Taint, Span)>,
    /// The span of its name.
    pub span: Span,
}

/// Settings of one rule.
#[derive(Clone, Debug)]
pub struct RuleSetting {
    /// The rule is off.
    pub off: bool,
    /// Overrides the rule's own severity.
    pub severity: Option<Severity>,
    /// The objects and files that the rule skips.
    pub except: Exceptions,
    /// The span of the rule's id.
    pub span: Span,
}

/// Objects and files that a rule skips if they match all given patterns.
#[derive(Clone, Debug, Default)]
pub struct Except {
    /// A pattern for the object's kind.
    pub kind: Option<Pattern>,
    /// A pattern for its namespace.
    pub namespace: Option<Pattern>,
    /// A pattern for its name.
    pub name: Option<Pattern>,
    /// A pattern for its file's path.
    pub path: Option<Pattern>,
    /// The span of the entry.
    pub span: Option<Span>,
}

impl Except {
    /// Whether the rule skips an object. An unknown value matches no pattern.
    pub fn covers(
        &self,
        kind: Option<&str>,
        namespace: Option<&str>,
        name: Option<&str>,
        path: &str,
    ) -> bool {
        let answers = |pattern: &Option<Pattern>, text: Option<&str>| match (pattern, text) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(pattern), Some(text)) => pattern.matches(text),
        };
        answers(&self.kind, kind)
            && answers(&self.namespace, namespace)
            && answers(&self.name, name)
            && answers(&self.path, Some(path))
    }
}

/// Parses a configuration file and performs all checks that do not need other files.
///
/// # Errors
/// Returns all problems with their places, in source order.
pub fn parse(source: Source, id: SourceId) -> Result<Config, Vec<Problem>> {
    check::read(source, id)
}

/// Whether a key is valid at the top level of a configuration.
pub fn is_key(key: &str) -> bool {
    let schema = schemars::schema_for!(ConfigFile);
    let keys = schema.get("properties");
    keys.is_some_and(|keys| keys.get(key).is_some())
}

impl Config {
    /// Returns the indices in [`Config::clusters`] of the clusters that a path belongs to. Clusters may share files.
    pub fn clusters_of(&self, path: &str) -> Vec<usize> {
        self.index.clusters_of(self, path)
    }

    /// The cluster with a name.
    pub fn cluster_named(&self, name: &str) -> Option<usize> {
        self.index.cluster_named(self, name)
    }

    /// The clusters that a file is an inventory of.
    pub fn clusters_of_inventory(&self, path: &str) -> &[usize] {
        self.index.clusters_of_inventory(self, path)
    }

    /// Returns a problem for each rule id in the configuration that is not in `rule_ids`.
    pub fn check_names(&self, rule_ids: &[&str]) -> Vec<Problem> {
        let unknown = self
            .rules
            .iter()
            .filter(|(id, _)| !rule_ids.contains(&id.as_str()));
        let mut problems: Vec<Problem> = unknown
            .map(|(id, setting)| {
                let hint = match nearest_word(id, rule_ids) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`kubetaint rules` lists all rules".to_owned(),
                };
                self.problem(setting.span, format!("unknown rule `{id}`; {hint}"))
            })
            .collect();
        problems.sort();
        problems
    }

    /// Returns a problem for each path pattern without a match: neither an existing file (`paths`) nor, for `exclude`, a
    /// path that it was tested against before. Only meaningful after a walk over the whole repository.
    pub fn check_used(&self, paths: &[&str]) -> Vec<Problem> {
        let excepted = self
            .rules
            .values()
            .flat_map(|setting| setting.except.iter())
            .filter_map(|except| except.path.as_ref());
        let mut problems: Vec<Problem> = self
            .exclude
            .unused(paths)
            .into_iter()
            .chain(self.unused_cluster_patterns(paths))
            .chain(patterns::without_match(excepted, paths))
            .chain(self.test_paths.iter().flat_map(|tests| tests.unused(paths)))
            .map(|pattern| {
                let text = &pattern.text;
                let folder = format!("{}/", text.trim_start_matches("./").trim_start_matches('/'));
                let hint = if paths.iter().any(|path| path.starts_with(&folder)) {
                    format!("; write `{text}/` to match everything in that folder")
                } else if text.contains('{') && !text.contains(',') && !text.contains(PLACEHOLDER) {
                    format!("; the only placeholder is `{PLACEHOLDER}`")
                } else {
                    String::new()
                };
                self.problem(pattern.span, format!("`{text}` matches no file{hint}"))
            })
            .collect();
        problems.sort();
        problems
    }

    /// Whether an admission plugin runs that is not one of the API server's defaults, or `None` if not configured.
    pub fn runs(&self, plugin: &str) -> Option<bool> {
        let named = self.admission.as_ref()?;
        Some(named.iter().any(|one| one == plugin))
    }

    /// Whether the API server accepts `Gt` and `Lt` in tolerations.
    pub fn comparison_operators(&self) -> bool {
        let set = self.feature_gates.get(COMPARISON_GATE).copied();
        RELEASES.is_on(COMPARISON_GATE, self.kubernetes, set)
    }

    /// Returns the stage of the gate for `Gt` and `Lt` in this release (`alpha`, `beta`, `GA`); empty if there is none.
    pub fn comparison_stage(&self) -> &str {
        RELEASES
            .stage(COMPARISON_GATE, self.kubernetes)
            .map_or("", |stage| stage.stage.as_str())
    }

    /// Creates a problem at a place in the configuration file.
    pub fn problem(&self, span: Span, message: String) -> Problem {
        match &self.source {
            Some(source) => Problem::at(source, span, message),
            None => Problem {
                file: None,
                position: None,
                message,
            },
        }
    }
}

#[cfg(test)]
mod tests;
