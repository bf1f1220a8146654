//! The files of a repository by folder: the modules, their calls, and the values that variables files set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::run::Run;
use super::syntax::{Block, Expression, File, Variable};
use super::var_files::{
    VarFiles, is_automatic, is_named_backend, is_values, order_of_values, stem,
};
use super::variants::{self, Environments, Sorted, Values};
use crate::source::path::join;
use crate::source::{SourceId, Span};

/// The most statements of commands about variables files that are followed.
const MOST_COMMANDS: usize = 1_000;
/// How many folders up a configuration is looked for that variables files beside it are for.
const MOST_LEVELS: usize = 2;

/// The configuration files of one folder, which share one namespace.
#[derive(Debug, Default)]
pub struct Folder {
    /// Its path without a trailing slash; empty for the root of the repository.
    pub(super) path: String,
    files: Vec<Arc<File>>,
    /// Variables files that Terraform loads automatically, in its order.
    automatic_values: Vec<(String, Arc<File>)>,
    /// Other variables files, with their paths.
    pub(super) named_values: Vec<(String, Arc<File>)>,
    /// The same, by what they are for.
    pub(super) sorted: Sorted,
    /// Variables files with other things than values of its variables, such as where its state is kept.
    foreign: Vec<Arc<File>>,
}

impl Folder {
    fn all_files(&self) -> impl Iterator<Item = &File> {
        let values = self.automatic_values.iter().chain(&self.named_values);
        let values = values.map(|(_, file)| file).chain(&self.foreign);
        let all = self.files.iter().chain(values);
        all.map(|file| &**file)
    }

    /// Its path in the repository; `.` for the root.
    pub fn path(&self) -> &str {
        if self.path.is_empty() {
            "."
        } else {
            &self.path
        }
    }

    /// The sets of values that it is applied with, if there are variables files for several.
    pub fn variants(&self) -> &[Values] {
        &self.sorted.variants
    }

    /// The first variables file that is not one of them because there are too many.
    pub fn left_out(&self) -> Option<Span> {
        self.sorted.left_out
    }
}

/// The files of a repository that configurations may read.
pub trait Files: Sync {
    /// Returns the file at a path relative to the repository, with its text.
    fn text(&self, path: &str) -> Option<(SourceId, String)>;
    /// The path of a file.
    fn path(&self, file: SourceId) -> &str;
}

/// No files besides the configurations.
struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &str) -> Option<(SourceId, String)> {
        None
    }

    fn path(&self, _: SourceId) -> &str {
        ""
    }
}

/// All Terraform configurations of a repository.
pub struct Repository<'t> {
    pub(super) folders: BTreeMap<String, Folder>,
    paths: BTreeMap<SourceId, String>,
    files: &'t dyn Files,
}

impl Folder {
    /// Whether this is treated as a root module. A folder below a modules folder is only a root module if it has a
    /// backend or variables files.
    pub fn is_top(&self) -> bool {
        !is_library(&self.path)
            || self.files.iter().any(|file| file.has_backend)
            || !self.automatic_values.is_empty()
            || !self.named_values.is_empty()
            || !self.foreign.is_empty()
    }

    pub(super) fn variable(&self, name: &str) -> Option<(&File, &str, &Variable)> {
        self.files.iter().find_map(|file| {
            let (name, variable) = file.variables.get_key_value(name)?;
            Some((&**file, &**name, variable))
        })
    }

    pub(super) fn local(&self, name: &str) -> Option<(&File, &str, &Expression)> {
        self.files.iter().find_map(|file| {
            let (name, expression) = file.locals.get_key_value(name)?;
            Some((&**file, &**name, expression))
        })
    }

    pub(super) fn output(&self, name: &str) -> Option<(&File, &Expression)> {
        self.files
            .iter()
            .find_map(|file| Some((&**file, file.outputs.get(name)?)))
    }

    pub(super) fn module(&self, name: &str) -> Option<(&File, &Block)> {
        self.modules()
            .find(|(_, block)| block.labels.first().is_some_and(|label| **label == *name))
    }

    pub(super) fn modules(&self) -> impl Iterator<Item = (&File, &Block)> {
        self.files
            .iter()
            .flat_map(|file| file.modules.iter().map(move |block| (&**file, block)))
    }

    pub(super) fn resources(&self) -> impl Iterator<Item = (&File, &Block)> {
        self.files
            .iter()
            .flat_map(|file| file.resources.iter().map(move |block| (&**file, block)))
    }

    /// Returns the value from the variables files that Terraform loads automatically. The last one wins.
    pub(super) fn automatic(&self, name: &str) -> Option<(&File, &Expression)> {
        variants::last(self.automatic_values.iter().map(|(_, file)| file), name)
    }

    /// Puts aside the variables files that set none of its variables, and those that configure its backend: their other
    /// keys are not variables. A file with the name of an environment stays. If a declaration may be missing, all files do.
    fn put_foreign_aside(&mut self, backends: &BTreeSet<String>, environments: Environments) {
        let names = self.files.iter().flat_map(|file| file.variables.keys());
        let declared: BTreeSet<&str> = names.map(|name| &**name).collect();
        if declared.is_empty() || self.files.iter().any(|file| file.broken) {
            return;
        }
        let is_own = |(path, file): &(String, Arc<File>)| {
            let mut names = file
                .values
                .iter()
                .map(|(name, _)| declared.contains(&**name));
            if file.broken || names.len() == 0 {
                return true;
            }
            match backends.contains(path) || is_named_backend(path) {
                true => names.all(|known| known),
                false => names.any(|known| known) || !environments(stem(path)).is_empty(),
            }
        };
        let named = std::mem::take(&mut self.named_values);
        let (own, foreign): (Vec<_>, Vec<_>) = named.into_iter().partition(is_own);
        self.foreign = foreign.into_iter().map(|(_, file)| file).collect();
        self.named_values = own;
    }

    /// Sorts the variables files that Terraform does not load automatically.
    fn sort(&mut self, environments: Environments) {
        let is_needed = |name: &str| {
            let variable = self.variable(name);
            let lacks_value = variable.is_some_and(|(_, _, one)| one.default.is_none());
            lacks_value && self.automatic(name).is_none()
        };
        self.sorted = variants::sort(&self.path, &self.named_values, &is_needed, environments);
    }
}

impl<'t> Repository<'t> {
    /// Sorts files into their folders. Paths are relative to the repository and use `/`. `environments` says which the
    /// name of a file or folder names. `named` is what commands say of variables files.
    pub fn new(
        files: Vec<(String, Arc<File>)>,
        named: &BTreeSet<VarFiles>,
        environments: Environments,
    ) -> Repository<'t> {
        let mut repository = Repository {
            folders: BTreeMap::new(),
            paths: BTreeMap::new(),
            files: &NoFiles,
        };
        let mut values = Vec::new();
        for (path, file) in files {
            if let Some(source) = file.source {
                repository.paths.insert(source, path.clone());
            }
            if is_values(&path) {
                values.push((path, file));
            } else {
                let folder = parent(&path).to_owned();
                let entry = repository.folders.entry(folder.clone()).or_default();
                entry.path = folder;
                entry.files.push(file);
            }
        }
        values.sort_by(|(one, _), (other, _)| order_of_values(one).cmp(&order_of_values(other)));
        let mut children: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let configurations = repository.folders.keys();
        for folder in configurations.filter(|folder| !folder.is_empty() && !is_library(folder)) {
            let of_parent = children.entry(parent(folder).to_owned()).or_default();
            of_parent.push(folder.clone());
        }
        let mut backends = BTreeSet::new();
        for (path, file) in values {
            let own = parent(&path);
            let mut followed = named.iter().take(MOST_COMMANDS);
            if followed.any(|one| one.is_for_backend && one.is(&path)) {
                backends.insert(path.clone());
            }
            let said: BTreeSet<&str> = named
                .iter()
                .take(MOST_COMMANDS)
                .filter(|one| !one.is_for_backend && one.folder != own && one.is(&path))
                .map(|one| one.folder.as_str())
                .filter(|folder| repository.folders.contains_key(*folder))
                .collect();
            if !said.is_empty() {
                repository.name_values(&said, &path, &file);
                continue;
            }
            // A folder that contains only variables files (`environments/`) belongs to the configuration above it.
            let mut holder = Some(own);
            while let Some(folder) =
                holder.filter(|folder| !repository.folders.contains_key(*folder))
            {
                holder = (!folder.is_empty()).then(|| parent(folder));
            }
            let Some(folder) = holder.and_then(|holder| repository.folders.get_mut(holder)) else {
                let beside = repository.beside_values(&path, &file, &children);
                let beside = beside.iter().map(String::as_str).collect();
                repository.name_values(&beside, &path, &file);
                continue;
            };
            if folder.path == own && is_automatic(&path) {
                folder.automatic_values.push((path, file));
            } else {
                folder.named_values.push((path, file));
            }
        }
        for folder in repository.folders.values_mut() {
            folder.put_foreign_aside(&backends, environments);
            folder.sort(environments);
        }
        repository
    }

    /// Adds a variables file to folders.
    fn name_values(&mut self, folders: &BTreeSet<&str>, path: &str, file: &Arc<File>) {
        for folder in folders {
            if let Some(folder) = self.folders.get_mut(*folder) {
                folder
                    .named_values
                    .push((path.to_owned(), Arc::clone(file)));
            }
        }
    }

    /// The configurations that a variables file without one above it is for: the nearest ones beside its folders that declare
    /// all variables that it sets. `children` are the configurations in each folder.
    fn beside_values(
        &self,
        path: &str,
        file: &File,
        children: &BTreeMap<String, Vec<String>>,
    ) -> Vec<String> {
        let declares = |child: &&String| {
            let folder = self.folders.get(*child);
            let mut values = file.values.iter();
            folder.is_some_and(|one| values.all(|(name, _)| one.variable(name).is_some()))
        };
        let mut above = parent(path);
        for _ in 0..MOST_LEVELS {
            if above.is_empty() || file.values.is_empty() {
                break;
            }
            above = parent(above);
            let beside = children.get(above).into_iter().flatten();
            let found: Vec<String> = beside.filter(declares).cloned().collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the path of a file, or an empty string if it is unknown.
    pub fn path(&self, file: SourceId) -> &str {
        match self.paths.get(&file) {
            Some(path) => path,
            None => self.files.path(file),
        }
    }

    /// Adds the other files that configurations may read.
    #[must_use]
    pub fn beside(self, files: &'t dyn Files) -> Repository<'t> {
        Repository { files, ..self }
    }

    pub(super) fn text(&self, path: &str, run: &Run) -> Option<(SourceId, String)> {
        run.use_file(path);
        self.files.text(path)
    }

    pub(super) fn folder(&self, path: &str, run: &Run) -> Option<&Folder> {
        run.use_folder(path);
        self.folders.get(path)
    }

    /// The files of a folder, including its variables files.
    pub fn sources(&self, folder: &str) -> impl Iterator<Item = SourceId> {
        let folder = self.folders.get(folder).into_iter();
        folder
            .flat_map(Folder::all_files)
            .filter_map(|file| file.source)
    }

    /// Returns the folder that a `module` block calls if its source is a path.
    pub(super) fn called(&self, from: &str, block: &Block) -> Option<String> {
        let source = block.body.attribute("source")?.plain_text()?;
        if !(source.starts_with("./") || source.starts_with("../")) {
            return None;
        }
        join(from, source)
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a folder usually holds modules for other configurations.
pub fn is_library(folder: &str) -> bool {
    let mut parts = folder.split('/');
    parts.any(|part| part == "modules" || part == "module" || part.ends_with("-modules"))
}
