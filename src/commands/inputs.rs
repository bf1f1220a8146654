//! The inputs that commands reading manifests need from the disk: the repository's root, its configuration and the files.
//! Shows the progress of reading them.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::own_files::{check_repository, refusal, too_large};
use super::{CommandError, configuration, configured_tables, load_table};
use crate::cli::Beside;
use crate::config::Config;
use crate::discover::{self, Discovery, File, Loaded, Pipes};
use crate::extract::Table;
use crate::finding::Problem;
use crate::lint::{
    ClusterListing, Content, Input, Later, Listing, Purpose, Settings, Suppressions, Survey,
    list_clusters, list_pools, survey_once,
};
use crate::model::notice::NoticeKind;
use crate::output::{self, Standpoint};
use crate::rule::RuleSet;
use crate::source::{FileKind, STDIN_PATH};

/// A run that takes longer shows its progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// The repository of a run, with its configuration.
pub struct Place {
    /// The files and folders given by the user.
    paths: Vec<PathBuf>,
    /// Whether standard input was given.
    stdin: bool,
    /// The repository's root.
    pub root: PathBuf,
    /// The user's working directory.
    pub standpoint: Standpoint,
    /// The configuration, or the default one.
    pub config: Config,
    /// Whether the configuration is that of the repository: the user neither named another nor disabled it.
    usual: bool,
    /// Problems for misnamed configurations next to it, which are not read.
    pub misnamed: Vec<Problem>,
}

impl Place {
    /// The files and folders given by the user.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Finds the repository of the paths and the requested configuration.
    ///
    /// # Errors
    /// Returns an error if the working directory is unknown, or the configuration cannot be read or has errors.
    pub fn find(paths: &[PathBuf], beside: &Beside) -> Result<Place, CommandError> {
        let (stdin, paths): (Vec<_>, Vec<_>) = paths
            .iter()
            .cloned()
            .partition(|path| path.as_os_str() == "-");
        let root = discover::find_root(&paths)
            .map_err(|error| CommandError::Message(format!("the working directory: {error}")))?;
        let usual = beside.config.is_none() && !beside.isolated;
        Ok(Place {
            stdin: !stdin.is_empty(),
            standpoint: standpoint(&root),
            config: configuration::load(beside.config.as_deref(), beside.isolated, &root)?,
            usual,
            misnamed: match usual {
                true => configuration::misnamed(&root),
                false => Vec::new(),
            },
            paths,
            root,
        })
    }

    /// Treats a folder as a repository of its own, without configuration.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be accessed.
    pub fn bare(folder: &Path) -> Result<Place, CommandError> {
        let root = folder
            .canonicalize()
            .map_err(|error| CommandError::Message(format!("{}: {error}", folder.display())))?;
        Ok(Place {
            paths: vec![root.clone()],
            stdin: false,
            standpoint: standpoint(&root),
            config: Config::default(),
            usual: false,
            misnamed: Vec::new(),
            root,
        })
    }

    /// Prints problems on standard error, each as `error` or `warning` with its place relative to the working directory.
    pub fn say(&self, weight: &str, problems: &[Problem]) {
        for line in output::problem_lines(problems, &self.standpoint) {
            super::say(format_args!("{weight}: {line}"));
        }
    }
}

/// The files of a run.
pub struct Inputs {
    /// Their repository.
    pub place: Place,
    /// The files found.
    pub discovery: Discovery,
    /// The table used to read them.
    pub table: Table,
    /// Whether no files were found at the given paths.
    nothing: bool,
    /// Whether standard input is all that the user gave.
    pub(super) only_stdin: bool,
    problems: Vec<Problem>,
    /// What was read from standard input and from pipes.
    pipes: Pipes,
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
    pub fn gather(mut place: Place, given: &[PathBuf]) -> Result<Inputs, CommandError> {
        let config = &place.config;
        let table = load_table(&configured_tables(config, &place.root)?)?;
        let mut discovery = discover::discover(&place.root, &place.paths, &|path| {
            config.exclude.matches(path)
        });
        let mut problems = std::mem::take(&mut discovery.problems);
        problems.extend(place.misnamed.iter().cloned());
        let names: Vec<&str> = discovery
            .files
            .iter()
            .map(|file| file.path.as_str())
            .chain(discovery.others.iter().map(String::as_str))
            .collect();
        let unnamed = place.config.make_clusters(&names);
        if discovery.whole {
            problems.extend(unnamed);
            problems.extend(place.config.check_used(&names));
        }
        let only_stdin = place.stdin && discovery.files.is_empty();
        problems.extend(add_inventories(&mut discovery, &place.config, &place.root));
        let is_manifest = |file: &File| !file.kind.is_beside();
        let nothing = !discovery.files.iter().any(is_manifest) && !place.stdin;
        place.config.given = add_given(&mut discovery, given, &place.root, &mut problems);
        if place.usual {
            let nested = configuration::nested(&discovery, &place.config, &place.root);
            place.say("warning", &nested);
        }
        place.config.charts = discover::charts(&place.root, &discovery.files);
        Ok(Inputs {
            place,
            discovery,
            table,
            nothing,
            only_stdin,
            problems,
            pipes: Pipes::default(),
        })
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

    /// The content of the file with this index.
    fn content(&self, index: usize) -> Content {
        content(self.pipes.load(index, self.discovery.files.get(index)))
    }

    /// Adds earlier problems to those of a run.
    pub fn add_problems(&self, problems: &mut Vec<Problem>) {
        problems.extend(self.problems.iter().cloned());
        problems.sort();
        problems.dedup();
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
        let mut inputs: Vec<Input> = self
            .discovery
            .files
            .iter()
            .map(|file| Input {
                path: file.path.clone(),
                scanned_from: file.scanned_from,
            })
            .collect();
        if self.place.stdin {
            inputs.push(Input {
                path: STDIN_PATH.to_owned(),
                scanned_from: 0,
            });
        }
        let started = Instant::now();
        let read = AtomicUsize::new(0);
        let bar = ProgressBar::hidden();
        bar.set_length(inputs.len() as u64);
        let result = job(&inputs, &|index| {
            let content = self.content(index);
            let done = 1 + read.fetch_add(1, Ordering::Relaxed);
            if !quiet && started.elapsed() > PATIENCE {
                if bar.is_hidden() {
                    // Draws only on a terminal.
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_position(done.min(inputs.len()) as u64);
            }
            content
        });
        bar.finish_and_clear();
        result
    }
}

/// The working directory, relative to the root. If it is unknown, the root is used.
fn standpoint(root: &Path) -> Standpoint {
    env::current_dir().map_or_else(
        |_| Standpoint::default(),
        |here| Standpoint::new(root, &here),
    )
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
            .any(|file| file.path == inventory.value)
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
                path: inventory.value.clone(),
                absolute,
                scanned_from: 0,
                kind: FileKind::Yaml,
                bytes: metadata.len(),
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
            paths.push(file.path.clone());
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
