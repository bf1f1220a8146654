//! The files of a run: those that were found, those that the configuration names, and those that the user gives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::own_files::{check_repository, refusal, too_large};
pub use super::place::Place;
use super::reading::Reading;
use super::{CommandError, configuration, configured_tables, load_table};
use crate::config::Config;
use crate::discover::{self, Discovery, File, Loaded, Pipes, Revision};
use crate::extract::Table;
use crate::finding::Problem;
use crate::lint::{
    ClusterListing, Content, Input, Later, Listing, Purpose, Settings, Suppressions, Survey,
    list_clusters, list_pools, survey_once,
};
use crate::model::notice::NoticeKind;
use crate::output;
use crate::rule::RuleSet;
use crate::source::{FileKind, STDIN_PATH};

/// The files of a run.
pub struct Inputs {
    /// Their repository.
    pub place: Place,
    /// The files found.
    pub discovery: Discovery,
    /// The table used to read them.
    pub table: Arc<Table>,
    /// Whether no files were found at the given paths.
    pub(super) nothing: bool,
    /// Whether standard input is all that the user gave.
    pub(super) only_stdin: bool,
    problems: Vec<Problem>,
    /// What was read from standard input and from pipes.
    pipes: Pipes,
    /// The revision that the files are from, unless they are all on the disk.
    pub revision: Option<Revision>,
}

impl Inputs {
    /// Finds the files to read: the requested ones, the inventories of the configuration, and the `given` ones.
    ///
    /// # Errors
    /// Returns an error if provider tables do not load or there is nothing to read.
    pub fn find(place: Place, given: &[PathBuf]) -> Result<Inputs, CommandError> {
        let mut inputs = Inputs::gather(place, given)?;
        if inputs.nothing {
            if inputs.problems.is_empty() {
                inputs.problems.push(Problem {
                    file: None,
                    position: None,
                    message: format!(
                        "nothing to check: no YAML, JSON or Terraform files in {}",
                        shown(&inputs.place.paths)
                    ),
                });
            }
            let lines = output::problem_lines(&inputs.problems, &inputs.place.standpoint);
            return Err(CommandError::Message(lines.join("\n")));
        }
        Ok(inputs)
    }

    /// Like `find`, but finding nothing is not an error.
    ///
    /// # Errors
    /// Returns an error if provider tables do not load.
    pub fn gather(place: Place, given: &[PathBuf]) -> Result<Inputs, CommandError> {
        let config = &place.config;
        let table = load_table(&configured_tables(config, &place.root)?)?;
        let mut discovery = discover::discover(&place.root, &place.paths, &|path| {
            // First, because a pattern counts as used once it matches.
            place.keeps_cache_at(path) || config.exclude.matches(path)
        });
        discovery.others.retain(|path| !place.keeps_cache_at(path));
        Ok(Inputs::assemble(
            place,
            discovery,
            Arc::new(table),
            given,
            None,
        ))
    }

    /// Puts together the files of a run that were found, and those that the configuration and the user name.
    pub(super) fn assemble(
        mut place: Place,
        mut discovery: Discovery,
        table: Arc<Table>,
        given: &[PathBuf],
        revision: Option<Revision>,
    ) -> Inputs {
        let mut problems = std::mem::take(&mut discovery.problems);
        problems.extend(place.misnamed.iter().cloned());
        let names: Vec<&str> = discovery
            .files
            .iter()
            .map(|file| &*file.path)
            .chain(discovery.others.iter().map(String::as_str))
            .collect();
        let unnamed = place.config.make_clusters(&names);
        if discovery.whole {
            problems.extend(unnamed);
            problems.extend(place.config.check_used(&names));
        }
        let only_stdin = place.stdin && discovery.files.is_empty();
        let root = &place.root;
        problems.extend(match &revision {
            Some(revision) => inventories_of(revision, &mut discovery, &place.config),
            None => add_inventories(&mut discovery, &place.config, root),
        });
        let is_manifest = |file: &File| !file.kind.is_beside();
        let nothing = !discovery.files.iter().any(is_manifest) && !place.stdin;
        place.config.given = add_given(&mut discovery, given, root, &mut problems);
        if place.usual {
            let nested = configuration::nested(&discovery, &place.config, root);
            place.say("warning", &nested);
        }
        let is_file = |path: &Path| match &revision {
            Some(revision) => revision.has_file(path),
            None => path.is_file(),
        };
        place.config.charts = discover::charts(root, &discovery.files, &is_file);
        Inputs {
            place,
            discovery,
            table,
            nothing,
            only_stdin,
            problems,
            pipes: Pipes::default(),
            revision,
        }
    }

    /// The settings of a run over these files.
    pub fn settings<'s>(&'s self, rules: &'s RuleSet, suppressions: Suppressions) -> Settings<'s> {
        Settings {
            rules,
            table: &self.table,
            config: &self.place.config,
            whole: self.discovery.whole,
            suppressions,
            rendered: None,
            cache: self.place.cache.as_ref().map(|folder| &folder.cache),
        }
    }

    /// Lists the node pools in the files. Earlier problems are included.
    pub fn list_pools(&self, quiet: bool, purpose: Purpose) -> Listing {
        let rules = RuleSet::default();
        let settings = self.settings(&rules, Suppressions::Off);
        let mut listing = self.read(quiet, |list, load| {
            list_pools(list, load, settings, purpose)
        });
        let empty = self.check_stdin(&listing.counts, !listing.problems.is_empty());
        listing.problems.extend(empty);
        self.add_problems(&mut listing.problems);
        listing
    }

    /// Lists the clusters that the files show. Earlier problems are included.
    pub fn list_clusters(&self, quiet: bool) -> ClusterListing {
        let rules = RuleSet::default();
        let settings = self.settings(&rules, Suppressions::Off);
        let mut listing = self.read(quiet, |list, load| list_clusters(list, load, settings));
        self.add_problems(&mut listing.problems);
        listing
    }

    /// Surveys the clusters that the files show. Earlier problems are included.
    pub fn survey(&self, quiet: bool) -> Survey<'_> {
        let rules = RuleSet::default();
        let settings = self.settings(&rules, Suppressions::Off);
        let later = || self.later();
        let mut survey = self.read(quiet, |list, load| {
            survey_once(list, load, later(), settings)
        });
        survey.add_problems(self.problems.iter().cloned());
        survey
    }

    /// Loads files again, after all were read.
    pub fn later(&self) -> Later<'_> {
        Box::new(|index| self.content(index))
    }

    /// The text of the file with this index, if it has one that is read.
    pub(super) fn text(&self, index: usize) -> Option<String> {
        match self.content(index) {
            Content::Text(text) | Content::Template(text) | Content::Parameters(text) => Some(text),
            Content::Irrelevant | Content::Unusable(_) | Content::Unreadable(_) => None,
        }
    }

    /// The content of the file with this index.
    fn content(&self, index: usize) -> Content {
        let file = self.discovery.files.get(index);
        if let (Some(file), Some(revision)) = (file, &self.revision)
            && let Some(object) = &file.blob
        {
            return content(discover::load_blob(
                revision.blobs(),
                object,
                file.bytes,
                file.kind,
            ));
        }
        content(self.pipes.load(index, file))
    }

    /// Adds earlier problems to those of a run.
    pub fn add_problems(&self, problems: &mut Vec<Problem>) {
        problems.extend(self.problems.iter().cloned());
        problems.sort();
        problems.dedup();
    }

    /// Whether standard input is among the files.
    pub fn has_stdin(&self) -> bool {
        self.place.stdin
    }

    /// The text of standard input, if it was given and has one.
    pub fn stdin(&self) -> Option<String> {
        let index = self.discovery.files.len();
        match self.place.stdin.then(|| self.pipes.load(index, None))? {
            Loaded::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Reads every file and shows the progress if it takes long.
    pub fn read<T>(
        &self,
        quiet: bool,
        job: impl FnOnce(&[Input], &(dyn Fn(usize) -> Content + Sync)) -> T,
    ) -> T {
        let reading = self.reading(quiet);
        job(&reading.list, &|index| reading.load(index))
    }

    /// Begins to read the files.
    pub fn reading(&self, quiet: bool) -> Reading<'_> {
        Reading::of(self.list(), |index| self.content(index), quiet)
    }

    /// The files in the order of their indices.
    fn list(&self) -> Vec<Input> {
        let files = self.discovery.files.iter();
        let mut inputs: Vec<Input> = files
            .map(|file| Input {
                path: Arc::clone(&file.path),
                scanned_from: file.scanned_from,
            })
            .collect();
        if self.place.stdin {
            inputs.push(Input {
                path: STDIN_PATH.into(),
                scanned_from: 0,
            });
        }
        inputs
    }
}

fn shown(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}

/// Inventories are read from any folder. A missing one is a problem at its place in the configuration.
fn add_inventories(discovery: &mut Discovery, config: &Config, root: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for inventory in config
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.inventory)
    {
        if discovery
            .files
            .iter()
            .any(|file| *file.path == inventory.value)
        {
            continue;
        }
        if let Err(why) = check_repository(root, &inventory.value) {
            problems.push(config.problem(
                inventory.span,
                format!("inventory `{}` cannot be read: {why}", inventory.value),
            ));
            continue;
        }
        let absolute = root.join(&inventory.value);
        match absolute.metadata() {
            Ok(metadata) if metadata.is_dir() => problems.push(config.problem(
                inventory.span,
                format!("inventory `{}` is a folder; name the file", inventory.value),
            )),
            Ok(metadata) => discovery.files.push(File {
                path: inventory.value.as_str().into(),
                absolute,
                scanned_from: 0,
                kind: FileKind::Yaml,
                bytes: metadata.len(),
                blob: None,
            }),
            Err(error) => problems.push(config.problem(
                inventory.span,
                format!("inventory `{}` cannot be read: {error}", inventory.value),
            )),
        }
    }
    discovery.files.sort();
    problems
}

/// Inventories are read from any folder of a revision.
fn inventories_of(revision: &Revision, discovery: &mut Discovery, config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let inventories = config.clusters.iter().flat_map(|one| &one.inventory);
    for inventory in inventories {
        let is_known = |file: &File| *file.path == inventory.value;
        if discovery.files.iter().any(is_known) {
            continue;
        }
        match revision.file(&inventory.value) {
            Some(file) => discovery.files.push(file),
            None => problems.push(config.problem(
                inventory.span,
                format!("inventory `{}` is not in the revision", inventory.value),
            )),
        }
    }
    discovery.files.sort();
    problems
}

/// Inventories given for this run are read from any folder. Returns the paths that they are read by.
fn add_given(
    discovery: &mut Discovery,
    given: &[PathBuf],
    root: &Path,
    problems: &mut Vec<Problem>,
) -> Vec<String> {
    let mut paths = Vec::new();
    for path in given {
        let found = discover::discover(root, std::slice::from_ref(path), &|_| false);
        problems.extend(found.problems);
        if path.is_dir() {
            problems.push(Problem {
                file: None,
                position: None,
                message: format!("--pools {}: a folder; name the file", path.display()),
            });
            continue;
        }
        for mut file in found.files {
            // A named file is always relevant, whatever its name.
            file.kind = FileKind::Yaml;
            paths.push(file.path.to_string());
            discovery.files.retain(|other| other.path != file.path);
            discovery.files.push(file);
        }
    }
    discovery.files.sort();
    paths
}

fn content(loaded: Loaded) -> Content {
    match loaded {
        Loaded::Text(text) => Content::Text(text),
        Loaded::Template(text) => Content::Template(text),
        Loaded::Irrelevant => Content::Irrelevant,
        Loaded::Parameters(text) => Content::Parameters(text),
        Loaded::TooLarge { bytes } => Content::Unusable(NoticeKind::TooLarge {
            why: too_large(bytes),
        }),
        Loaded::Binary => Content::Unusable(NoticeKind::Binary {}),
        Loaded::NotUtf8 { .. } => Content::Unusable(NoticeKind::NotUtf8 {
            why: refusal(&loaded),
        }),
        Loaded::Unreadable(why) => Content::Unreadable(format!("cannot be read: {why}")),
    }
}
