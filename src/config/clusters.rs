//! Clusters and their files. An entry whose name and paths contain `{cluster}` is a template: it creates a cluster for each
//! name that its paths match.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use regex::bytes::Regex;

use super::index::Index;
use super::patterns::without_match;
use super::{Config, Located, Pattern, PatternError, Patterns};
use crate::finding::Problem;
use crate::model::near_miss::nearest_word;
use crate::source::Span;

/// The placeholder for a cluster's name in names, paths and inventories.
pub const PLACEHOLDER: &str = "{cluster}";

/// One cluster, as a set of paths.
#[derive(Debug)]
pub struct Cluster {
    /// Unique.
    pub name: String,
    /// The span of its name.
    pub span: Span,
    /// Patterns for its files.
    pub paths: Patterns,
    /// All its pools are known.
    pub complete: bool,
    /// Where the configuration says so.
    pub complete_span: Option<Span>,
    /// Files that contain its Nodes, relative to the repository's root.
    pub inventory: Vec<Located>,
    /// It was created from a [`Template`], so its patterns need not match any file.
    pub(super) made: bool,
}

/// An entry that creates several clusters.
#[derive(Debug)]
pub struct Template {
    /// The name, including the placeholder.
    pub(super) name: String,
    /// The span of the name.
    pub(super) span: Span,
    /// The patterns, with or without the placeholder.
    pub(super) paths: Vec<TemplatePath>,
    pub(super) complete: bool,
    pub(super) complete_span: Option<Span>,
    pub(super) inventory: Vec<Located>,
}

/// A path pattern of a template.
#[derive(Debug)]
pub(super) struct TemplatePath {
    /// The pattern with `*` instead of the placeholder.
    any: Pattern,
    /// Captures the name in a path; `None` for a pattern without the placeholder.
    name: Option<Regex>,
    /// The literal text around the placeholder in its segment, if there is nothing else.
    around: Option<(String, String)>,
}

impl TemplatePath {
    /// Compiles a path pattern. If it contains the placeholder several times, all must match the same name.
    pub(super) fn new(text: &str, span: Span) -> Result<Self, PatternError> {
        let mut any = Pattern::over_paths(&text.replace(PLACEHOLDER, "*"), span)?;
        any.text = text.to_owned();
        if !text.contains(PLACEHOLDER) {
            return Ok(TemplatePath {
                any,
                name: None,
                around: None,
            });
        }
        // A word without special characters that occurs in no path.
        const MARK: &str = "kubetaintNameOfTheCluster";
        let marked = Pattern::over_paths(&text.replace(PLACEHOLDER, MARK), span)?;
        let expression = marked
            .expression
            .replacen(MARK, "(?P<name>[^/]+)", 1)
            .replace(MARK, "[^/]+");
        let name = Regex::new(&expression).map_err(|error| PatternError::Syntax {
            pattern: text.to_owned(),
            cause: error.to_string(),
        })?;
        Ok(TemplatePath {
            any,
            name: Some(name),
            around: around(text),
        })
    }

    /// Calls `take` with every text in a path that may be the name, or returns `None` if any may be.
    pub(super) fn names_in(&self, path: &str, mut take: impl FnMut(&str)) -> Option<()> {
        let (before, after) = self.around.as_ref()?;
        for segment in path.split('/') {
            let rest = segment.strip_prefix(before.as_str());
            if let Some(name) = rest.and_then(|rest| rest.strip_suffix(after.as_str())) {
                take(name);
            }
        }
        Some(())
    }

    /// Whether a path matches with some name.
    pub(super) fn matches_any(&self, path: &str) -> bool {
        self.any.matches(path)
    }

    pub(super) fn names_clusters(&self) -> bool {
        self.name.is_some()
    }

    /// Returns the name in a path at the position of the placeholder, or `None` if the path does not match.
    /// `known` has the patterns of names that were found before.
    fn name_in<'p>(
        &self,
        path: &'p str,
        known: &mut HashMap<&'p str, Option<Pattern>>,
    ) -> Option<&'p str> {
        let found = self
            .name
            .as_ref()?
            .captures(path.as_bytes())?
            .name("name")?;
        let name = path.get(found.range())?;
        // All placeholders must match the same name.
        let own = known
            .entry(name)
            .or_insert_with(|| Pattern::over_paths(&self.with(name), self.any.span).ok());
        own.as_ref()?.matches(path).then_some(name)
    }

    /// Returns the pattern for one name.
    fn with(&self, name: &str) -> String {
        let mut literal = String::new();
        for c in name.chars() {
            if "*?[]{}\\!".contains(c) {
                literal.push('\\');
            }
            literal.push(c);
        }
        self.any.text.replace(PLACEHOLDER, &literal)
    }
}

/// Returns the text around the first placeholder of a pattern in its segment, or `None` if that has other special characters.
fn around(pattern: &str) -> Option<(String, String)> {
    let is_special = |c: char| "*?[]{}\\!".contains(c);
    let mut segments = pattern.split('/');
    let segment = segments.find(|segment| segment.contains(PLACEHOLDER))?;
    let (before, after) = segment.split_once(PLACEHOLDER)?;
    let is_literal = !before.contains(is_special) && !after.contains(is_special);
    is_literal.then(|| (before.to_owned(), after.to_owned()))
}

/// A cluster as written in the configuration.
#[derive(Debug)]
pub struct WrittenCluster<'c> {
    /// The name, including the placeholder if it is a template's.
    pub name: &'c str,
    /// Its path patterns.
    pub paths: Vec<&'c str>,
    /// All its pools are known.
    pub complete: bool,
    /// Files that contain its Nodes.
    pub inventory: &'c [Located],
}

impl Config {
    /// Returns the clusters as written, templates last.
    pub fn written_clusters(&self) -> impl Iterator<Item = WrittenCluster<'_>> {
        let single = self.clusters.iter().filter(|cluster| !cluster.made);
        let single = single.map(|cluster| WrittenCluster {
            name: &cluster.name,
            paths: cluster.paths.iter().map(|one| one.text.as_str()).collect(),
            complete: cluster.complete,
            inventory: &cluster.inventory,
        });
        let many = self.templates.iter().map(|template| WrittenCluster {
            name: &template.name,
            paths: template
                .paths
                .iter()
                .map(|one| one.any.text.as_str())
                .collect(),
            complete: template.complete,
            inventory: &template.inventory,
        });
        single.chain(many)
    }

    /// Creates the clusters of templates: one for each name that their paths capture, unless the configuration declares
    /// that cluster itself. Returns a problem for each pool whose cluster does not exist.
    pub fn make_clusters(&mut self, paths: &[&str]) -> Vec<Problem> {
        let mut taken: HashSet<String> = self.clusters.iter().map(|one| one.name.clone()).collect();
        for template in &self.templates {
            let names: BTreeSet<&str> = template
                .paths
                .iter()
                .filter(|pattern| pattern.names_clusters())
                .flat_map(|pattern| {
                    let mut known = HashMap::new();
                    let names = paths.iter();
                    let names = names.filter_map(move |path| pattern.name_in(path, &mut known));
                    names.collect::<BTreeSet<&str>>()
                })
                .collect();
            let mut made = BTreeMap::new();
            for captured in names {
                let cluster = template.make(captured);
                if taken.insert(cluster.name.clone()) {
                    made.insert(captured.to_owned(), self.clusters.len());
                    self.clusters.push(cluster);
                }
            }
            self.made.push(made);
        }
        self.index = Index::default();
        let known: Vec<&str> = self.clusters.iter().map(|one| one.name.as_str()).collect();
        self.pools
            .iter()
            .filter(|pool| {
                let named = pool.cluster.as_deref();
                named.is_some_and(|name| !known.contains(&name))
            })
            .map(|pool| {
                let name = pool.cluster.as_deref().unwrap_or_default();
                let hint = nearest_word(name, &known)
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                self.problem(
                    pool.cluster_span.unwrap_or(pool.span),
                    format!("unknown cluster `{name}`: it appears in no file path{hint}"),
                )
            })
            .collect()
    }

    /// Returns the path patterns of clusters that match nothing, as written.
    pub(super) fn unused_cluster_patterns<'a>(&'a self, paths: &[&str]) -> Vec<&'a Pattern> {
        let written = self.clusters.iter().filter(|cluster| !cluster.made);
        let templates = self.templates.iter().flat_map(|template| &template.paths);
        let templates = templates.map(|pattern| &pattern.any);
        let written = written.flat_map(|cluster| cluster.paths.not_used());
        without_match(written.chain(templates), paths)
    }
}

impl Template {
    /// Returns the cluster for a name that the paths capture.
    fn make(&self, captured: &str) -> Cluster {
        let own = |text: &str| text.replace(PLACEHOLDER, captured);
        let inventory = self.inventory.iter().map(|file| Located {
            value: own(&file.value),
            span: file.span,
        });
        let paths = self.paths.iter().filter_map(|pattern| {
            Pattern::over_paths(&pattern.with(captured), pattern.any.span).ok()
        });
        Cluster {
            name: own(&self.name),
            span: self.span,
            paths: paths.collect(),
            complete: self.complete,
            complete_span: self.complete_span,
            inventory: inventory.collect(),
            made: true,
        }
    }
}
