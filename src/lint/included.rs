//! Which kustomizations include which, and which of them have to be built.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::kept::Kept;
use crate::extract::Kustomization;
use crate::kustomize::NAMES;
use crate::kustomize::paths::{is_within, resolve};
use crate::source::path::folder;

/// The kustomizations among some files.
#[derive(Default)]
pub struct Graph {
    /// By the path of the file.
    nodes: BTreeMap<String, Node>,
    /// Folders that something else than a kustomization applies.
    applied: BTreeSet<String>,
}

#[derive(Default)]
struct Node {
    /// The kustomizations that it includes.
    includes: Vec<String>,
    /// The other paths that it names.
    files: Vec<String>,
    /// It changes what it takes in, or takes it from elsewhere.
    matters: bool,
}

impl Graph {
    /// The kustomizations of these files.
    pub fn of(files: &[Kept]) -> Graph {
        let mut graph = Graph::default();
        let mut found: Vec<(&str, &Kustomization)> = Vec::new();
        for kept in files {
            let facts = kept.read.facts.as_deref();
            for one in facts.into_iter().flat_map(|facts| &facts.kustomizations) {
                let path = &*kept.input.path;
                match &one.applies {
                    Some(folder) => graph.applied.extend(resolve("", folder)),
                    None if is_form(path) => found.push((path, one)),
                    None => {}
                }
            }
        }
        let by_folder: HashMap<&str, &str> = found
            .iter()
            .map(|(path, _)| (folder(path), *path))
            .collect();
        for (path, one) in found {
            let own = folder(path);
            let mut node = Node {
                matters: one.changes,
                ..Node::default()
            };
            for entry in &one.entries {
                let Some(entry) = resolve(own, entry) else {
                    continue;
                };
                node.matters |= !is_within(&entry, own);
                match by_folder.get(entry.as_str()) {
                    Some(inner) => node.includes.push((*inner).to_owned()),
                    None => node.files.push(entry),
                }
            }
            graph.nodes.insert(path.to_owned(), node);
        }
        graph
    }

    /// The kustomizations that have to be built: no other includes them, and something below them matters.
    pub fn tops(&self) -> Vec<String> {
        let mut above: HashMap<&str, Vec<&str>> = HashMap::new();
        for (path, node) in &self.nodes {
            for inner in &node.includes {
                above.entry(inner).or_default().push(path);
            }
        }
        let matter = self.nodes.iter().filter(|(_, node)| node.matters);
        let mut open: Vec<&str> = matter.map(|(path, _)| path.as_str()).collect();
        let mut matter: HashSet<&str> = HashSet::new();
        while let Some(path) = open.pop() {
            if matter.insert(path) {
                open.extend(above.get(path).into_iter().flatten());
            }
        }
        let free = self.free().into_iter();
        let tops = free.filter(|path| matter.contains(path));
        tops.map(str::to_owned).collect()
    }

    /// Kustomizations that are applied themselves.
    fn free(&self) -> Vec<&str> {
        let included: HashSet<&str> = self
            .nodes
            .values()
            .flat_map(|node| &node.includes)
            .map(String::as_str)
            .collect();
        let mut free: Vec<&str> = Vec::new();
        let mut reached: HashSet<&str> = HashSet::new();
        for path in self.nodes.keys() {
            if !included.contains(path.as_str()) || self.applied.contains(folder(path)) {
                free.push(path);
                self.walk(path, &mut reached);
            }
        }
        // Those that include each other.
        for path in self.nodes.keys() {
            if !reached.contains(path.as_str()) {
                free.push(path);
                self.walk(path, &mut reached);
            }
        }
        free
    }

    /// Adds a kustomization and all that it includes to those that are reached.
    fn walk<'g>(&'g self, from: &'g str, reached: &mut HashSet<&'g str>) {
        let mut open = vec![from];
        while let Some(path) = open.pop() {
            if reached.insert(path)
                && let Some(node) = self.nodes.get(path)
            {
                open.extend(node.includes.iter().map(String::as_str));
            }
        }
    }

    /// The files that kustomizations name which do not have to be built.
    pub fn in_place(&self, tops: &[String]) -> HashSet<String> {
        let built: HashSet<&str> = tops.iter().map(String::as_str).collect();
        let mut files = HashSet::new();
        let mut reached = HashSet::new();
        for free in self.free() {
            if !built.contains(free) {
                self.walk(free, &mut reached);
            }
        }
        for path in reached {
            let node = self.nodes.get(path);
            files.extend(node.into_iter().flat_map(|node| node.files.iter().cloned()));
        }
        files
    }
}

/// Whether a path is that of a kustomization file.
fn is_form(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name)
}
