//! Which charts and kustomizations of a repository are rendered: those that no other one contains.

use std::collections::{BTreeMap, BTreeSet};

use super::Tool;
use crate::source::SourceId;
use crate::yaml::{self, Document};

/// The names of files that make a folder a kustomization.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const CHART: &str = "Chart.yaml";

/// One chart or kustomization to render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program that renders it.
    pub tool: Tool,
    /// Its file: `Chart.yaml` or `kustomization.yaml`.
    pub file: String,
    /// The name of the chart. Empty for a kustomization.
    pub name: String,
    /// The files that a kustomization consists of, with those of the kustomizations that it includes.
    pub parts: Vec<String>,
    /// Something that it takes from outside the repository, and that is therefore not rendered.
    pub outside: Option<String>,
}

impl Job {
    /// The folder of its file.
    pub fn folder(&self) -> &str {
        folder_of(&self.file)
    }
}

/// The charts and kustomizations to render among the files at these paths. `text` reads a file.
pub fn plan(paths: &[&str], tools: &[Tool], text: &dyn Fn(&str) -> Option<String>) -> Vec<Job> {
    let mut jobs = Vec::new();
    if tools.contains(&Tool::Helm) {
        jobs.extend(charts(paths, text));
    }
    if tools.contains(&Tool::Kustomize) {
        jobs.extend(kustomizations(paths, text));
    }
    jobs
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn first_document(text: &str) -> Option<Document> {
    let mut documents = yaml::parse(text, SourceId(0)).documents;
    documents.retain(|document| !document.is_empty());
    (!documents.is_empty()).then(|| documents.swap_remove(0))
}

/// Charts outside of other charts. Those inside are rendered with them, and libraries are not rendered at all.
fn charts(paths: &[&str], text: &dyn Fn(&str) -> Option<String>) -> Vec<Job> {
    let files = paths.iter().filter(|path| file_name(path) == CHART);
    let folders: BTreeSet<&str> = files.clone().map(|path| folder_of(path)).collect();
    let is_inside = |path: &str| {
        let mut folder = folder_of(path);
        while let Some((above, _)) = folder.rsplit_once('/') {
            if file_name(above) == "charts" && folders.contains(folder_of(above)) {
                return true;
            }
            folder = above;
        }
        false
    };
    let read = |path: &&&str| {
        let document = first_document(&text(path)?)?;
        let root = document.root();
        let word = |key: &str| {
            root.get(key)
                .and_then(|node| node.as_str())
                .map(str::to_owned)
        };
        if word("type").as_deref() == Some("library") {
            return None;
        }
        Some(Job {
            tool: Tool::Helm,
            file: (***path).to_owned(),
            name: word("name")?,
            parts: Vec::new(),
            outside: None,
        })
    };
    files
        .filter(|path| !is_inside(path))
        .filter_map(|path| read(&path))
        .collect()
}

/// What one kustomization refers to.
#[derive(Default)]
struct Kustomization {
    /// Files and folders, as written.
    entries: Vec<String>,
    is_component: bool,
}

fn kustomizations(paths: &[&str], text: &dyn Fn(&str) -> Option<String>) -> Vec<Job> {
    let mut by_folder: BTreeMap<&str, (&str, Kustomization)> = BTreeMap::new();
    for path in paths {
        if KUSTOMIZATIONS.contains(&file_name(path))
            && let Some(read) = text(path).as_deref().and_then(kustomization)
        {
            by_folder.insert(folder_of(path), (path, read));
        }
    }
    let entries = |folder: &str| {
        by_folder
            .get(folder)
            .into_iter()
            .flat_map(|(_, one)| &one.entries)
    };
    let included: BTreeSet<String> = by_folder
        .keys()
        .flat_map(|folder| entries(folder).filter_map(|entry| joined(folder, entry)))
        .collect();
    let known: BTreeSet<&str> = paths.iter().copied().collect();
    let mut jobs = Vec::new();
    for (folder, (path, one)) in &by_folder {
        if one.is_component || included.contains(*folder) {
            continue;
        }
        let mut parts = BTreeSet::from([(*path).to_owned()]);
        let mut outside = None;
        let mut seen = BTreeSet::from([(*folder).to_owned()]);
        let mut pending = vec![(*folder).to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in entries(&folder) {
                match joined(&folder, entry) {
                    Some(path) if known.contains(path.as_str()) => {
                        parts.insert(path);
                    }
                    Some(path) if by_folder.contains_key(path.as_str()) => {
                        parts.extend(
                            by_folder
                                .get(path.as_str())
                                .map(|(file, _)| (*file).to_owned()),
                        );
                        if seen.insert(path.clone()) {
                            pending.push(path);
                        }
                    }
                    Some(_) => {}
                    None => outside = outside.or(Some(entry.clone())),
                }
            }
        }
        jobs.push(Job {
            tool: Tool::Kustomize,
            file: (*path).to_owned(),
            name: String::new(),
            parts: parts.into_iter().collect(),
            outside,
        });
    }
    jobs
}

/// Reads what a kustomization refers to. `None` for the resource of the same kind that Flux defines.
fn kustomization(text: &str) -> Option<Kustomization> {
    let document = first_document(text)?;
    let root = document.root();
    let word = |key: &str| root.get(key).and_then(|node| node.as_str());
    let version = word("apiVersion").unwrap_or("kustomize.config.k8s.io/v1beta1");
    if !version.starts_with("kustomize.config.k8s.io/") {
        return None;
    }
    let mut read = Kustomization {
        is_component: word("kind") == Some("Component"),
        ..Kustomization::default()
    };
    let lists = [
        "resources",
        "bases",
        "components",
        "crds",
        "patches",
        "patchesStrategicMerge",
        "patchesJson6902",
        "generators",
        "transformers",
        "validators",
    ];
    for list in lists {
        for entry in root.get(list).into_iter().flat_map(|node| node.items()) {
            let path = entry.as_str().or_else(|| entry.get("path")?.as_str());
            // An entry of several lines is a patch itself.
            let path = path.filter(|path| !path.contains('\n') && !path.contains('{'));
            read.entries.extend(path.map(str::to_owned));
        }
    }
    Some(read)
}

/// The path of an entry in a folder, or `None` if it is outside the repository.
fn joined(folder: &str, entry: &str) -> Option<String> {
    let is_remote = entry.contains("://")
        || entry.contains("?ref=")
        || entry.contains("git@")
        || entry.starts_with('/')
        || entry.starts_with("github.com/");
    if is_remote {
        return None;
    }
    let mut segments: Vec<&str> = folder.split('/').filter(|one| !one.is_empty()).collect();
    for segment in entry.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(files: &[(&str, &str)]) -> Vec<Job> {
        let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        let text = |wanted: &str| {
            let found = files.iter().find(|(path, _)| *path == wanted);
            found.map(|(_, text)| (*text).to_owned())
        };
        plan(&paths, &[Tool::Helm, Tool::Kustomize], &text)
    }

    #[test]
    fn charts_inside_of_charts_and_libraries_are_not_rendered_by_themselves() {
        let jobs = planned(&[
            ("web/Chart.yaml", "name: web\n"),
            ("web/charts/db/Chart.yaml", "name: db\n"),
            ("charts/api/Chart.yaml", "name: api\n"),
            ("charts/common/Chart.yaml", "name: common\ntype: library\n"),
        ]);
        let files: Vec<&str> = jobs.iter().map(|job| job.file.as_str()).collect();
        assert_eq!(files, ["web/Chart.yaml", "charts/api/Chart.yaml"]);
    }

    #[test]
    fn a_kustomization_that_another_one_includes_is_not_rendered_by_itself() {
        let jobs = planned(&[
            ("base/kustomization.yaml", "resources: [web.yaml]\n"),
            ("base/web.yaml", ""),
            (
                "prod/kustomization.yaml",
                "resources: [../base]\npatches: [{path: p.yaml}]\n",
            ),
            ("prod/p.yaml", ""),
            (
                "far/kustomization.yaml",
                "resources: ['https://example.com/a.yaml']\n",
            ),
            ("part/kustomization.yaml", "kind: Component\n"),
            (
                "flux/kustomization.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n",
            ),
        ]);
        let told: Vec<_> = jobs
            .iter()
            .map(|job| (job.file.as_str(), job.outside.as_deref()))
            .collect();
        let far = ("far/kustomization.yaml", Some("https://example.com/a.yaml"));
        assert_eq!(told, [far, ("prod/kustomization.yaml", None)]);
        let parts = [
            "base/kustomization.yaml",
            "base/web.yaml",
            "prod/kustomization.yaml",
            "prod/p.yaml",
        ];
        assert_eq!(jobs[1].parts, parts);
    }

    #[test]
    fn kustomizations_that_include_each_other_end() {
        let jobs = planned(&[
            ("a/kustomization.yaml", "resources: [../b]\n"),
            ("b/kustomization.yaml", "resources: [../a]\n"),
            ("c/kustomization.yaml", "resources: [../a, ../../d]\n"),
        ]);
        assert_eq!(jobs.len(), 1);
        assert_eq!(jobs[0].outside.as_deref(), Some("../../d"));
    }
}
