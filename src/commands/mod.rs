//! One file for each command, and what they share: gathers what it needs from the disk, calls the pure parts, writes
//! what they give.

mod add_ignores;
mod baseline;
mod changes;
pub mod check;
pub mod completions;
mod configuration;
pub mod explain;
mod files;
mod fix;
pub mod init;
mod inputs;
mod only;
mod own_files;
mod pager;
pub mod pools;
mod reports;
pub mod rules;
pub mod schema;
mod screen;
mod settings;
mod standard_input;
pub mod test;
mod write;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use self::inputs::Place;
use crate::builtin;
use crate::cli::Beside;
use crate::config::{Config, Located};
use crate::extract::Table;
use crate::finding::Problem;
use crate::rule::RuleSet;
use crate::source::Source;

/// Says a line on standard error. Where nobody can listen (a full disk, a closed pipe) nothing is said, and the run goes on.
pub fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// How a command ends; the numbers are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing at or above the threshold.
    Clean,
    /// Findings at or above it.
    Findings,
    /// The job could not be done.
    Problems,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Problems => 2,
        }
    }
}

/// Why a command could not do its job.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Problems with places, one line each.
    #[error("{}", lines(.0))]
    Problems(Vec<Problem>),
    /// Anything else, in one sentence.
    #[error("{0}")]
    Message(String),
    /// Output could not be written.
    #[error("the output could not be written: {0}")]
    Output(#[from] std::io::Error),
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The provider tables that the program carries, and those in the given folders. A table of the user's replaces a
/// built-in one of the same file name.
///
/// # Errors
/// A folder that cannot be read or holds no table, a table that does not load.
pub fn load_table(folders: &[PathBuf]) -> Result<Table, CommandError> {
    let mut files: BTreeMap<String, Source> = builtin::PROVIDERS
        .iter()
        .map(|(name, text)| {
            (
                (*name).to_owned(),
                Source::new(format!("providers/{name}"), *text),
            )
        })
        .collect();
    for source in yaml_files(folders, PROVIDER_TABLES)? {
        let name = source
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        files.insert(name, source);
    }
    let files = files
        .values()
        .map(|source| (source.path.as_str(), &*source.text));
    Table::load(files).map_err(CommandError::Problems)
}

/// The rules that the program carries, and those of the given files and folders. A rule of the user's replaces a
/// built-in one of the same id.
///
/// # Errors
/// A path that cannot be read, a folder without rules, a rule that does not load.
pub fn load_rules(paths: &[PathBuf]) -> Result<RuleSet, CommandError> {
    let built_in: Vec<Source> = builtin::RULES
        .iter()
        .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
        .collect();
    RuleSet::load_beside(&built_in, &rule_sources(paths)?).map_err(CommandError::Problems)
}

/// The same, with those of the folders that the configuration of this repository names: findings have their names. A mistake
/// there is told and keeps nobody from reading about the other rules.
///
/// # Errors
/// As [`load_rules`], for the given paths.
pub fn load_rules_here(paths: &[PathBuf]) -> Result<RuleSet, CommandError> {
    let beside = Beside {
        config: None,
        isolated: false,
        pools: Vec::new(),
    };
    let configured = Place::find(&[PathBuf::from(".")], &beside).and_then(|place| {
        let mut folders = configured_rules(&place.config, &place.root)?;
        // Before those that are named: the last of one id counts.
        if !folders.is_empty() {
            load_rules(&folders)?;
        }
        folders.extend(paths.iter().cloned());
        Ok(folders)
    });
    match configured {
        Ok(folders) => load_rules(&folders),
        Err(error) => {
            for line in error.to_string().lines() {
                say(format_args!("warning: {line}"));
            }
            load_rules(paths)
        }
    }
}

/// The rule files at the given paths; folders with everything below them.
///
/// # Errors
/// A path that cannot be read, a folder without rules.
pub fn rule_sources(paths: &[PathBuf]) -> Result<Vec<Source>, CommandError> {
    yaml_files(paths, RULE_FILES)
}

const RULE_FILES: &str = "rule files";
const PROVIDER_TABLES: &str = "provider tables";

/// The folders with rules that the configuration names.
///
/// # Errors
/// One that cannot be read or holds none, at its place in the configuration.
pub fn configured_rules(config: &Config, root: &Path) -> Result<Vec<PathBuf>, CommandError> {
    configured(config, &config.rule_dirs, root, RULE_FILES)
}

/// The folders with provider tables that the configuration names.
///
/// # Errors
/// As [`configured_rules`].
pub fn configured_tables(config: &Config, root: &Path) -> Result<Vec<PathBuf>, CommandError> {
    configured(config, &config.providers, root, PROVIDER_TABLES)
}

fn configured(
    config: &Config,
    folders: &[Located],
    root: &Path,
    what: &str,
) -> Result<Vec<PathBuf>, CommandError> {
    let mut paths = Vec::new();
    let mut problems = Vec::new();
    for folder in folders {
        let path = root.join(&folder.value);
        let found = own_files::check_repository(root, &folder.value)
            .map_err(|why| format!("{what} cannot be read: {why}"))
            .and_then(|()| yaml_paths(&path, what));
        match found {
            Ok(_) => paths.push(path),
            Err(why) => {
                let message = format!("`{}`: {why}", folder.value);
                problems.push(config.problem(folder.span, message));
            }
        }
    }
    if problems.is_empty() {
        Ok(paths)
    } else {
        Err(CommandError::Problems(problems))
    }
}

fn yaml_files(paths: &[PathBuf], what: &str) -> Result<Vec<Source>, CommandError> {
    let mut sources = Vec::new();
    for path in paths {
        let files = yaml_paths(path, what)
            .map_err(|why| CommandError::Message(format!("{}: {why}", path.display())))?;
        for file in files {
            sources.push(read_file(&file)?);
        }
    }
    Ok(sources)
}

/// The files at a path, those below a folder by name; why there are none.
fn yaml_paths(path: &Path, what: &str) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let cause = error
                .io_error()
                .map_or_else(|| error.to_string(), ToString::to_string);
            format!("{what} cannot be read: {cause}")
        })?;
        let wanted = is_yaml(entry.path()) || entry.depth() == 0;
        if entry.file_type().is_file() && wanted {
            files.push(entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(format!("no {what} (*.yaml) here"));
    }
    Ok(files)
}

fn is_yaml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A file of kubetaint's own (rules, tables, a baseline), read within the bounds of all files.
fn read_file(path: &Path) -> Result<Source, CommandError> {
    own_files::read_source(path, path.display().to_string())
}
