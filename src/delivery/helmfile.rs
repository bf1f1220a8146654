//! Helmfiles: each environment is a cluster, and paths may have its name in them.

use std::collections::{BTreeMap, BTreeSet};

use super::data::Data;
use super::facts::{Helmfile, Pointer, Says, Word};
use super::order::{Order, To};
use super::paths::{Star, join, matches};
use super::reading::words;
use super::repository::Repository;
use super::tree::{Mode, Target, Tree};
use crate::source::path::folder;
use crate::yaml::Node;

/// The environment that helmfile uses if nobody names one.
const DEFAULT: &str = "default";

/// Reads a document of a helmfile, or one with environments that a helmfile may name as a base.
pub fn read_helmfile(root: Node<'_>) -> Option<Pointer> {
    let is_map = |key: &str| root.get(key).is_some_and(|one| !one.fields().is_empty());
    let is_list = |key: &str| {
        root.get(key)
            .is_some_and(|one| one.items().next().is_some())
    };
    let lists = ["releases", "helmfiles", "bases"];
    if !is_map("environments") && !lists.into_iter().any(is_list) {
        return None;
    }
    let data = Data::of(root)?;
    let releases = data.get("releases").map_or(&[][..], Data::items);
    let values = releases.iter().map(|release| words(release.get("values")));
    let charts = releases.iter().filter_map(|one| Word::of(one.get("chart")));
    let charts = charts.filter(|chart| chart.text.starts_with('.'));
    let environments = data.get("environments").into_iter().flat_map(Data::fields);
    let environments = environments.map(|(name, one)| (name.to_owned(), words(one.get("values"))));
    let helmfiles = data.get("helmfiles").map_or(&[][..], Data::items).iter();
    let helmfiles = helmfiles.filter_map(|one| Word::of(Some(one.get("path").unwrap_or(one))));
    let at = root.field("environments").map(|field| field.key.span());
    Some(Pointer {
        kind: "helmfile".to_owned(),
        name: String::new(),
        namespace: String::new(),
        whole: root.span(),
        at: at.unwrap_or(root.span()),
        says: Says::Helmfile(Helmfile {
            environments: environments.collect(),
            bases: words(data.get("bases")),
            helmfiles: helmfiles.collect(),
            values: values.flatten().collect(),
            charts: charts.collect(),
        }),
    })
}

/// Whether a path is that of a helmfile.
pub fn is_helmfile(path: &str) -> bool {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    name.starts_with("helmfile") || above.rsplit('/').next() == Some("helmfile.d")
}

/// A path with the name of an environment in place of the actions that print it, or `None` if something else is filled in.
pub fn of_environment(path: &str, name: &str) -> Option<String> {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, inside)) = rest.split_once("{{") {
        // What a release says may be written so that it is filled in later.
        let inside = inside.strip_prefix('`').unwrap_or(inside);
        let inside = inside.strip_prefix("{{").unwrap_or(inside);
        let (action, after) = inside.split_once("}}")?;
        if action.trim_matches(['-', ' ']) != ".Environment.Name" {
            return None;
        }
        let after = after.strip_prefix("`}}").unwrap_or(after);
        filled.push_str(before);
        filled.push_str(name);
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Works out what goes to the cluster of each environment.
pub struct Helmfiles<'r> {
    tree: &'r Tree<'r>,
    by_file: BTreeMap<&'r str, Vec<&'r Helmfile>>,
    /// The helmfiles that name each one, by their patterns.
    above: Vec<(String, &'r str)>,
}

impl<'r> Helmfiles<'r> {
    /// Finds the helmfiles of a repository.
    pub fn new(repository: &'r Repository<'r>) -> Helmfiles<'r> {
        let mut by_file: BTreeMap<&str, Vec<&Helmfile>> = BTreeMap::new();
        let mut above = Vec::new();
        for (path, pointer) in &repository.pointers {
            if let Says::Helmfile(one) = &pointer.says {
                by_file.entry(path).or_default().push(one);
                let named = one.helmfiles.iter();
                let named = named.filter_map(|word| join(folder(path), &word.text));
                above.extend(named.map(|pattern| (pattern, *path)));
            }
        }
        Helmfiles {
            tree: &repository.tree,
            by_file,
            above,
        }
    }

    /// What a document of a helmfile orders.
    pub fn of(&self, file: &str, helmfile: &Helmfile) -> Vec<Order> {
        if !is_helmfile(file) {
            return Vec::new();
        }
        let environments = self.environments(file);
        let names = || environments.keys().map(String::as_str);
        let is_default = |name: &&str| *name == DEFAULT && environments.len() > 1;
        // A single environment without a name says nothing.
        if names().all(|name| name == DEFAULT) {
            return Vec::new();
        }
        let own = folder(file);
        let fill = |words: &[Word], name: &str| -> Vec<String> {
            let paths = words.iter();
            let paths = paths.filter_map(|word| of_environment(&word.text, name));
            let paths = paths.filter_map(|path| join(own, &path));
            paths
                .filter(|path| self.tree.file(path).is_some())
                .collect()
        };
        let all: BTreeSet<String> = names()
            .flat_map(|name| fill(&helmfile.values, name))
            .collect();
        let mut orders = Vec::new();
        for name in names().filter(|name| !is_default(name)) {
            let mut values = fill(&helmfile.values, name);
            values.extend(environments.get(name).into_iter().flatten().cloned());
            let others: BTreeSet<String> = all
                .iter()
                .filter(|path| !values.contains(path))
                .cloned()
                .collect();
            let charts = helmfile.charts.iter();
            let charts = charts.filter_map(|chart| of_environment(&chart.text, name));
            let charts = charts.filter_map(|chart| join(own, &chart));
            let mut targets: Vec<Target> = charts
                .filter(|folder| !folder.is_empty() && self.tree.has_folder(folder))
                .map(|folder| Target {
                    folder,
                    mode: Mode::Without(others.clone()),
                    values: Vec::new(),
                    given: Vec::new(),
                })
                .collect();
            values.push(file.to_owned());
            targets.push(Target {
                folder: own.to_owned(),
                mode: Mode::Nothing,
                values,
                given: Vec::new(),
            });
            orders.push(Order {
                to: To::Named(name.to_owned()),
                targets,
            });
        }
        orders
    }

    /// The environments of a helmfile with their own files of values: those that it or its bases declare, or those of the helmfiles
    /// that name it.
    fn environments(&self, file: &str) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut open = vec![file];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(file) = open.pop() {
            if !seen.insert(file) {
                continue;
            }
            let documents = self.by_file.get(file);
            for document in documents.into_iter().flatten() {
                for (name, values) in &document.environments {
                    let paths = values.iter();
                    let paths = paths.filter_map(|word| of_environment(&word.text, name));
                    let paths = paths.filter_map(|path| join(folder(file), &path));
                    found.entry(name.clone()).or_default().extend(paths);
                }
                let bases = document.bases.iter();
                let bases = bases.filter_map(|word| join(folder(file), &word.text));
                open.extend(
                    bases
                        .filter_map(|path| self.by_file.get_key_value(path.as_str()))
                        .map(|(path, _)| *path),
                );
            }
            if open.is_empty() && found.is_empty() {
                let above = self.above.iter();
                let above = above.filter(|(pattern, _)| {
                    pattern == file
                        || pattern == folder(file)
                        || matches(pattern, file, Star::Segment)
                });
                open.extend(above.map(|(_, path)| *path));
            }
        }
        found
    }
}
