//! The two states of a repository that are compared: folders, revisions, or a revision and the working tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::earlier::{before, place_at};
use super::inputs::{Inputs, Place};
use super::state::{State, by_path, named};
use super::{CommandError, configured_tables, load_table};
use crate::cli::Beside;
use crate::config::Config;
use crate::discover::{self, GitError, Repository, Revision, short};
use crate::extract::Table;
use crate::lint::find_renames;
use crate::source::FileKind;

impl From<GitError> for CommandError {
    fn from(error: GitError) -> CommandError {
        CommandError::Message(error.to_string())
    }
}

/// How people call what is on the disk.
const WORKING_TREE: &str = "the working tree";

/// What is compared.
pub struct States {
    /// Before.
    pub base: State,
    /// After.
    pub head: State,
    /// What may be wrong, in words.
    pub warnings: Vec<String>,
}

/// What is compared, as the user wrote it.
pub struct Asked<'a> {
    /// Before.
    pub base: &'a str,
    /// After; the working tree if `None`.
    pub head: Option<&'a str>,
    /// What is read beside the files.
    pub beside: &'a Beside,
    /// Pools before and after.
    pub pools: (&'a [PathBuf], &'a [PathBuf]),
}

impl Asked<'_> {
    /// Finds the files of both states.
    ///
    /// # Errors
    /// Returns an error if there is no such revision or folder, or a configuration has errors.
    pub fn find(&self) -> Result<States, CommandError> {
        if let Some(head) = self.head
            && let (Some(base), Some(head)) = (folder(self.base)?, folder(head)?)
        {
            return self.folders(&base, &head);
        }
        let (base, head) = match self.head {
            Some(head) => (self.base, Some(head)),
            None => match self.base.split_once("..") {
                Some((base, head)) => (base, Some(head)),
                None => (self.base, None),
            },
        };
        // `A...B` is B against the commit that both come from, and `A..B` is B against A.
        let meets = head.is_some_and(|head| head.starts_with('.'));
        let head = head.map(|head| head.trim_start_matches('.'));
        let head = head.map(|head| if head.is_empty() { "HEAD" } else { head });
        let base = if base.is_empty() { "HEAD" } else { base };
        let mut place = Place::find(&[PathBuf::from(".")], self.beside)?;
        // All of the repository, wherever in it the user stands.
        place.paths = vec![place.root.clone()];
        let commit = |repository: &Repository, name: &str| {
            let found = repository.commit(name);
            found.map_err(|error| mixed(name, self.head.is_some()).unwrap_or(error.into()))
        };
        let repository = Repository::of(&place.root)
            .map_err(|error| mixed(base, self.head.is_some()).unwrap_or(error.into()))?;
        let mut before = commit(&repository, base)?;
        match head {
            None => self.against_working_tree(&repository, place, &before, base),
            Some(head) => {
                let after = commit(&repository, head)?;
                if meets {
                    before = repository.merge_base(&before, &after)?;
                }
                self.revisions(&repository, &place, (&before, base), (&after, head))
            }
        }
    }

    fn given(&self, own: &[PathBuf]) -> Vec<PathBuf> {
        self.beside.pools.iter().chain(own).cloned().collect()
    }

    fn folders(&self, base: &Path, head: &Path) -> Result<States, CommandError> {
        let state = |path: &Path, own: &[PathBuf]| -> Result<State, CommandError> {
            let place = Place::of_folder(path, self.beside)?;
            let name = path.display().to_string();
            let inputs = Inputs::gather(place, &self.given(own))
                .map_err(|error| CommandError::Message(format!("{name}: {error}")))?;
            Ok(State::new(name, inputs))
        };
        States {
            base: state(base, self.pools.0)?,
            head: state(head, self.pools.1)?,
            warnings: Vec::new(),
        }
        .with_something()
    }

    fn against_working_tree(
        &self,
        repository: &Repository,
        place: Place,
        commit: &str,
        base: &str,
    ) -> Result<States, CommandError> {
        let head = Inputs::gather(place, &self.given(self.pools.1))?;
        let given = self.given(self.pools.0);
        let commit = (commit, base);
        States::of_working_tree(head, repository, commit, (self.beside, &given))?.with_something()
    }

    fn revisions(
        &self,
        repository: &Repository,
        place: &Place,
        (commit, base): (&str, &str),
        (after, head): (&str, &str),
    ) -> Result<States, CommandError> {
        let root = &place.root;
        let later = Revision::list(repository, after, root)?;
        let earlier_one = Revision::list(repository, commit, root)?;
        let mut warnings = Vec::new();
        if !later.submodules.is_empty() || !earlier_one.submodules.is_empty() {
            warnings.push("files of submodules are not compared between revisions".to_owned());
        }
        let head_place = place.at(&later, self.beside)?;
        let copies = copies(&later, &head_place.config)?;
        let table = match &copies {
            Some(copies) => load_table(&configured_tables(&head_place.config, copies.path())?)?,
            None => load_table(&[])?,
        };
        let table = Arc::new(table);
        let (base_place, problem) = place_at(&head_place, &earlier_one, self.beside)?;
        warnings.extend(problem);
        let state = |revision: Revision, place: Place, table: Arc<Table>, own: &[PathBuf]| {
            let config = &place.config;
            let found = revision.discover(&|path| config.exclude.matches(path));
            Inputs::assemble(place, found, table, &self.given(own), Some(revision))
        };
        let shared = Arc::clone(&table);
        States {
            base: State::new(
                named(base, commit),
                state(earlier_one, base_place, shared, self.pools.0),
            ),
            head: State {
                inputs: state(later, head_place, table, self.pools.1),
                name: named(head, after),
                copies,
            },
            warnings,
        }
        .with_something()
    }
}

impl States {
    /// The files of a run in the working tree, and the same at a revision.
    ///
    /// # Errors
    /// Returns an error if there is no such revision, or its configuration has errors.
    pub fn since(base: &str, head: Inputs, beside: &Beside) -> Result<States, CommandError> {
        let repository = Repository::of(&head.place.root)?;
        let (base, meets) = match base.strip_suffix("...") {
            Some(base) => (base, true),
            None => (base, false),
        };
        let mut commit = repository.commit(base)?;
        if meets {
            commit = repository.merge_base(&commit, &repository.commit("HEAD")?)?;
        }
        let given = (beside, beside.pools.as_slice());
        States::of_working_tree(head, &repository, (&commit, base), given)
    }

    /// The files of the working tree after, and as they were at a commit before. `given` are the pools before.
    fn of_working_tree(
        head: Inputs,
        repository: &Repository,
        commit: (&str, &str),
        (beside, given): (&Beside, &[PathBuf]),
    ) -> Result<States, CommandError> {
        let (base, warnings) = before(&head, repository, commit, beside, given)?;
        Ok(States {
            base,
            head: State::new(WORKING_TREE.to_owned(), head),
            warnings,
        })
    }

    fn with_something(self) -> Result<States, CommandError> {
        match self.base.inputs.nothing && self.head.inputs.nothing {
            true => Err(CommandError::Message(format!(
                "nothing to compare: no YAML, JSON or Terraform files in {} and {}",
                self.base.name, self.head.name
            ))),
            false => Ok(self),
        }
    }

    /// Whether a file of the base is one of the head, with the same text.
    pub fn is_same(&self) -> impl Fn(usize) -> bool + Sync + '_ {
        let now = by_path(&self.head.inputs);
        move |index| {
            let before = self.base.inputs.discovery.files.get(index);
            before.is_some_and(|before| {
                let known = now.get(&*before.path);
                known.is_some_and(|now| match (&before.blob, &now.blob) {
                    (Some(one), Some(other)) => one == other,
                    (None, None) => before.absolute == now.absolute && before.bytes > 0,
                    _ => false,
                })
            })
        }
    }

    /// The files that were renamed, by their path before.
    pub fn renames(&self) -> BTreeMap<String, String> {
        let paths = |state: &State| -> BTreeSet<String> {
            let files = state.inputs.discovery.files.iter();
            files.map(|file| file.path.to_string()).collect()
        };
        let (old, new) = (paths(&self.base), paths(&self.head));
        let texts = |state: &State, other: &BTreeSet<String>| -> BTreeMap<String, String> {
            let files = state.inputs.discovery.files.iter().enumerate();
            let own = files.filter(|(_, file)| !other.contains(&*file.path));
            let own = own.filter_map(|(at, file)| {
                let text = state.inputs.text(at)?;
                Some((file.path.to_string(), text))
            });
            own.collect()
        };
        find_renames(&texts(&self.base, &new), &texts(&self.head, &old))
    }
}

/// Why a folder is not compared, if `name` is one.
fn mixed(name: &str, has_both: bool) -> Option<CommandError> {
    let message = match has_both {
        true => format!("`{name}` is a folder: compare two folders, or two revisions"),
        false => format!("`{name}` is a folder: name the folder to compare it with, too"),
    };
    Path::new(name)
        .is_dir()
        .then_some(CommandError::Message(message))
}

/// A folder that the user names, unless the name is that of a revision.
fn folder(name: &str) -> Result<Option<PathBuf>, CommandError> {
    let path = PathBuf::from(name);
    if !path.is_dir() {
        return Ok(None);
    }
    let is_written_as_path = path.is_absolute() || name.starts_with('.') || name.ends_with('/');
    let repository = Repository::of(Path::new(".")).ok();
    let is_revision = repository.is_some_and(|one| one.commit(name).is_ok());
    match is_revision && !is_written_as_path {
        true => Err(CommandError::Message(format!(
            "`{name}` is a folder and a revision: write `./{name}` or `refs/heads/{name}`"
        ))),
        false => Ok(Some(path)),
    }
}

/// Copies the rules and provider tables that a revision's configuration names to a folder of their own.
fn copies(revision: &Revision, config: &Config) -> Result<Option<TempDir>, CommandError> {
    let folders: Vec<&str> = config
        .rule_dirs
        .iter()
        .chain(&config.providers)
        .map(|folder| folder.value.as_str())
        .collect();
    if folders.is_empty() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| {
        let named = folders.join("`, `");
        CommandError::Message(format!(
            "`{named}` of {} cannot be copied to a temporary folder: {error}",
            short(&revision.commit)
        ))
    };
    let copies = TempDir::with_prefix("kubetaint-").map_err(failed)?;
    for folder in &folders {
        for file in revision.below(folder.trim_start_matches("./")) {
            if file.kind != FileKind::Yaml || file.path.split('/').any(|part| part == "..") {
                continue;
            }
            let object = file.blob.as_deref().unwrap_or_default();
            let bytes = revision.blobs().read(object, discover::MAX_FILE_BYTES);
            let bytes = bytes.map_err(failed)?;
            let path = copies.path().join(&*file.path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            std::fs::write(path, bytes).map_err(failed)?;
        }
    }
    Ok(Some(copies))
}
