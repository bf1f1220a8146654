//! The files of a repository, and which of them a folder stands for when Flux, Argo CD or kustomize applies it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::data::Data;
use super::facts::Directory;
use super::paths::{Star, join, matches};

/// The names of kustomization files.
const FORMS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The folders of a chart that Helm reads (`pkg/chart/loader` and `pkg/engine`).
const CHART_FOLDERS: [&str; 3] = ["charts", "crds", "templates"];

/// The files beside them that Helm reads without being told.
const CHART_FILES: [&str; 4] = [
    "Chart.yaml",
    "Chart.lock",
    "requirements.yaml",
    "values.yaml",
];

/// What is applied.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The folder.
    pub folder: String,
    /// How it is read.
    pub mode: Mode,
    /// Files of values beside it.
    pub values: Vec<String>,
    /// Values that are laid over those, the upper ones first.
    pub given: Vec<Data>,
}

/// How a folder is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// As Flux does: a kustomization, or everything below.
    Flux,
    /// As Argo CD does: a chart, a kustomization or the manifests in it.
    Argo,
    /// As a folder of manifests.
    Directory(Directory),
    /// As a chart.
    Chart,
    /// As a kustomization.
    Kustomize,
    /// Everything below, without these files and folders.
    Without(BTreeSet<String>),
    /// Only the files of values.
    Nothing,
}

/// What a folder consists of when Flux applies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The kustomization files from which objects are built.
    pub kustomizations: Vec<String>,
    /// The files with other objects.
    pub manifests: Vec<String>,
    /// All files that they need.
    pub all: Vec<String>,
}

/// The files of a repository.
pub struct Tree<'f> {
    /// In order.
    files: Vec<&'f str>,
    places: HashMap<&'f str, u32>,
    /// The paths that kustomization files name, by the path of the file.
    forms: BTreeMap<&'f str, Vec<String>>,
    /// The folders of the charts that a chart depends on, by its folder.
    charts: BTreeMap<String, Vec<String>>,
}

impl<'f> Tree<'f> {
    /// The files, and what each kustomization file among them names.
    pub fn new(mut files: Vec<&'f str>, forms: BTreeMap<&'f str, Vec<String>>) -> Tree<'f> {
        files.sort_unstable();
        files.dedup();
        let places = (0..).zip(&files).map(|(at, path)| (*path, at)).collect();
        Tree {
            files,
            places,
            forms,
            charts: BTreeMap::new(),
        }
    }

    /// The same with the charts that charts depend on, all by their folders.
    #[must_use]
    pub fn with_charts(self, charts: BTreeMap<String, Vec<String>>) -> Tree<'f> {
        Tree { charts, ..self }
    }

    /// The path of a file.
    pub fn path(&self, file: u32) -> &'f str {
        self.files.get(file as usize).copied().unwrap_or_default()
    }

    /// The number of a file.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.places.get(path).copied()
    }

    /// All files.
    pub fn files(&self) -> &[&'f str] {
        &self.files
    }

    /// All folders, in order, except hidden ones and what is in them.
    pub fn folders(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for path in &self.files {
            for (end, _) in path.match_indices('/') {
                let folder = path.get(..end).unwrap_or_default();
                if folder.split('/').any(|name| name.starts_with('.')) {
                    break;
                }
                found.insert(folder.to_owned());
            }
        }
        found
    }

    /// The numbers of the files below a folder.
    fn below(&self, folder: &str) -> std::ops::Range<usize> {
        if folder.is_empty() {
            return 0..self.files.len();
        }
        let inside = format!("{folder}/");
        let from = self.files.partition_point(|path| *path < inside.as_str());
        let rest = self.files.get(from..).unwrap_or_default();
        from..from + rest.partition_point(|path| path.starts_with(&inside))
    }

    /// The files below a folder: their numbers, and their paths in it.
    fn inside(&self, folder: &str) -> impl Iterator<Item = (u32, &'f str)> {
        let start = match folder.len() {
            0 => 0,
            length => length + 1,
        };
        self.below(folder).filter_map(move |number| {
            let inside = self.files.get(number)?.get(start..)?;
            Some((u32::try_from(number).ok()?, inside))
        })
    }

    /// Whether some file is below a folder.
    pub fn has_folder(&self, folder: &str) -> bool {
        !self.below(folder).is_empty()
    }

    /// The files that a target stands for, in order.
    pub fn reach(&self, target: &Target) -> Vec<u32> {
        let mut reached = HashSet::new();
        let folder = target.folder.as_str();
        match &target.mode {
            Mode::Flux => self.add_flux(folder, &mut reached),
            Mode::Chart => self.add_chart(folder, &mut reached),
            Mode::Kustomize => self.add_kustomization(folder, &mut reached),
            Mode::Without(others) => self.add_without(folder, others, &mut reached),
            Mode::Nothing => {}
            Mode::Directory(directory) => self.add_directory(folder, directory, &mut reached),
            Mode::Argo => {
                // Where there are both, Argo CD runs kustomize.
                if self.form(folder).is_some() {
                    self.add_kustomization(folder, &mut reached);
                } else if self.file(&at(folder, "Chart.yaml")).is_some() {
                    self.add_chart(folder, &mut reached);
                } else {
                    self.add_directory(folder, &Directory::default(), &mut reached);
                }
            }
        }
        self.add_dependencies(&mut reached);
        reached.extend(target.values.iter().filter_map(|path| self.file(path)));
        let mut files: Vec<u32> = reached.into_iter().collect();
        files.sort_unstable();
        files
    }

    /// Whether Argo CD runs Helm on a folder.
    pub fn is_chart(&self, folder: &str) -> bool {
        self.form(folder).is_none() && self.file(&at(folder, "Chart.yaml")).is_some()
    }

    fn form(&self, folder: &str) -> Option<u32> {
        FORMS.iter().find_map(|name| self.file(&at(folder, name)))
    }

    fn add_flux(&self, folder: &str, reached: &mut HashSet<u32>) {
        let (built, manifests) = self.flux_parts(folder);
        for folder in built {
            self.add_kustomization(folder, reached);
        }
        reached.extend(manifests);
    }

    /// What a folder consists of when Flux applies it.
    pub fn parts(&self, folder: &str) -> Parts {
        let (built, manifests) = self.flux_parts(folder);
        let path = |file: u32| self.path(file).to_owned();
        let forms = built.iter().filter_map(|folder| self.form(folder));
        let mut all = HashSet::new();
        self.add_flux(folder, &mut all);
        let mut all: Vec<u32> = all.into_iter().collect();
        all.sort_unstable();
        Parts {
            kustomizations: forms.map(path).collect(),
            manifests: manifests.into_iter().map(path).collect(),
            all: all.into_iter().map(path).collect(),
        }
    }

    /// The folders with kustomizations that Flux builds for a folder, and the other files that it applies.
    fn flux_parts<'t>(&'t self, folder: &'t str) -> (BTreeSet<&'t str>, Vec<u32>) {
        let mut built = BTreeSet::new();
        let mut manifests = Vec::new();
        if self.form(folder).is_some() {
            built.insert(folder);
            return (built, manifests);
        }
        // Flux writes a kustomization with everything below, but does not descend into one that it finds.
        let mut inner: HashMap<&str, bool> = HashMap::new();
        for (number, _) in self.inside(folder) {
            let path = self.path(number);
            // The outermost kustomization that the file is in.
            let mut outermost = None;
            let mut above = crate::source::path::folder(path);
            while above.len() > folder.len() {
                let is_form = inner
                    .entry(above)
                    .or_insert_with(|| self.form(above).is_some());
                if *is_form {
                    outermost = Some(above);
                }
                above = crate::source::path::folder(above);
            }
            if let Some(outermost) = outermost {
                built.insert(outermost);
            } else if is_applied(path) && (path.ends_with(".yaml") || path.ends_with(".yml")) {
                manifests.push(number);
            }
        }
        (built, manifests)
    }

    /// Adds what Helm reads of a chart. Other files of values count only for those who name them.
    fn add_chart(&self, folder: &str, reached: &mut HashSet<u32>) {
        for (number, inside) in self.inside(folder) {
            let is_read = match inside.split_once('/') {
                Some((inner, _)) => CHART_FOLDERS.contains(&inner),
                None => CHART_FILES.contains(&inside),
            };
            if is_read {
                reached.insert(number);
            }
        }
    }

    /// Adds the charts of the repository that charts depend on.
    fn add_dependencies(&self, reached: &mut HashSet<u32>) {
        if self.charts.is_empty() {
            return;
        }
        let of = |file: &u32| self.path(*file).strip_suffix("Chart.yaml");
        let charts = reached.iter().filter_map(of);
        let mut open: Vec<&str> = charts.map(|at| at.trim_end_matches('/')).collect();
        let mut known: HashSet<&str> = open.iter().copied().collect();
        while let Some(folder) = open.pop() {
            for inner in self.charts.get(folder).into_iter().flatten() {
                if known.insert(inner) {
                    self.add_chart(inner, reached);
                    open.push(inner);
                }
            }
        }
    }

    fn add_without(&self, folder: &str, others: &BTreeSet<String>, reached: &mut HashSet<u32>) {
        for (number, _) in self.inside(folder) {
            let path = self.path(number);
            let mut ends = path.match_indices('/').map(|(end, _)| end);
            let is_other = others.contains(path)
                || ends.any(|end| path.get(..end).is_some_and(|above| others.contains(above)));
            if !is_other {
                reached.insert(number);
            }
        }
    }

    /// The files of a folder that an overlay for it replaces.
    pub fn replaced(&self, overlay: &str, folder: &str) -> Vec<String> {
        let files = self.inside(overlay);
        files.map(|(_, inside)| at(folder, inside)).collect()
    }

    fn add_directory(&self, folder: &str, directory: &Directory, reached: &mut HashSet<u32>) {
        for (number, inside) in self.inside(folder) {
            let kinds = [".yaml", ".yml", ".json", ".jsonnet"];
            let fits = |pattern: &str| matches(pattern, inside, Star::Anything);
            let is_read = directory.recurse || !inside.contains('/');
            let is_kind = kinds.iter().any(|kind| inside.ends_with(kind));
            let is_left_out = !directory.exclude.is_empty() && fits(&directory.exclude);
            let is_taken = directory.include.is_empty() || fits(&directory.include);
            let applies = is_read && is_kind && is_taken && !is_left_out;
            if applies {
                reached.insert(number);
            }
        }
    }

    /// Adds everything that a kustomization names, and what the kustomizations name that it names.
    fn add_kustomization(&self, folder: &str, reached: &mut HashSet<u32>) {
        let mut open: Vec<String> = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            let Some(form) = self.form(&folder).filter(|form| reached.insert(*form)) else {
                continue;
            };
            let named = self.forms.get(self.path(form));
            for entry in named.into_iter().flatten() {
                let Some(path) = join(&folder, entry).filter(|_| !is_remote(entry)) else {
                    continue;
                };
                match self.file(&path) {
                    Some(file) => {
                        reached.insert(file);
                    }
                    None => open.push(path),
                }
            }
        }
    }
}

fn at(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    }
}

/// Whether Flux takes a file out of a repository: it leaves out what is there for programs that build and test.
fn is_applied(path: &str) -> bool {
    let is_left_out = |name: &str| {
        [
            ".git",
            ".github",
            ".circleci",
            ".travis.yml",
            ".gitlab-ci.yml",
            ".goreleaser.yml",
            ".sops.yaml",
            ".flux.yaml",
            "appveyor.yml",
            ".drone.yml",
            "cloudbuild.yaml",
            "codeship-services.yml",
            "codeship-steps.yml",
        ]
        .contains(&name)
    };
    !path.split('/').any(is_left_out)
}

fn is_remote(entry: &str) -> bool {
    entry.contains("://") || entry.starts_with("git@") || entry.contains("?ref=")
}
