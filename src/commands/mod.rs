//! One file for each command, plus shared code: collects the inputs from the disk, calls the pure modules and writes their
//! output.

mod add_ignores;
mod baseline;
mod cache;
mod changes;
pub mod charts;
pub mod check;
pub mod clusters;
mod comparing;
pub mod completions;
mod configuration;
pub mod diff;
mod earlier;
pub mod explain;
mod files;
mod fix;
pub mod init;
mod inputs;
pub mod matrix;
mod only;
mod own_files;
mod pager;
mod place;
pub mod pools;
mod reading;
mod render;
mod reports;
pub mod rules;
pub mod schema;
mod screen;
mod settings;
mod standard_input;
pub mod standard_output;
mod state;
mod states;
mod templates;
pub mod test;
pub mod threads;
mod trying;
pub mod whatif;
pub mod why;
mod write;

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

/// Prints a line on standard error. Ignores write errors (a full disk, a closed pipe), so that the run continues.
pub fn say(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The outcome of a command. The numbers are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// No finding at or above the threshold.
    Clean,
    /// Findings at or above the threshold.
    Findings,
    /// The command could not do its job.
    Problems,
}

impl Exit {
    /// The outcome of a command that shows what was read.
    fn after(problems: &[Problem]) -> Exit {
        match problems {
            [] => Exit::Clean,
            _ => Exit::Problems,
        }
    }

    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Problems => 2,
        }
    }
}

/// An error that prevents a command from doing its job.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Problems with places, one per line.
    #[error("{}", lines(.0))]
    Problems(Vec<Problem>),
    /// Any other error, in one sentence.
    #[error("{0}")]
    Message(String),
    /// An error while writing the output.
    #[error("the output could not be written: {0}")]
    Output(#[from] std::io::Error),
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The built-in provider tables and those in the given folders. A table in a folder replaces a built-in one with the same
/// file name.
///
/// # Errors
/// Returns an error if a folder cannot be read or contains no table, or a table does not load.
pub fn load_table(folders: &[PathBuf]) -> Result<Table, CommandError> {
    let own = yaml_files(folders, PROVIDER_TABLES)?;
    Table::load_beside(builtin::CARRIED_PROVIDERS, &own).map_err(CommandError::Problems)
}

/// The built-in rules and those at the given files and folders. A given rule replaces a built-in one with the same id.
///
/// # Errors
/// Returns an error if a path cannot be read, a folder contains no rules, or a rule does not load.
pub fn load_rules(paths: &[PathBuf]) -> Result<RuleSet, CommandError> {
    let own = rule_sources(paths)?;
    RuleSet::load_beside(builtin::CARRIED_RULES, &own).map_err(CommandError::Problems)
}

/// Like [`load_rules`], plus the rules that the repository's configuration names, since findings refer to them. Errors in
/// those are only printed, so that the other rules can still be shown.
///
/// # Errors
/// Returns an error like [`load_rules`] does for the given paths.
pub fn load_rules_here(paths: &[PathBuf]) -> Result<RuleSet, CommandError> {
    let beside = Beside {
        config: None,
        isolated: false,
        pools: Vec::new(),
    };
    let configured = Place::find(&[PathBuf::from(".")], &beside).and_then(|place| {
        let mut folders = configured_rules(&place.config, &place.root)?;
        // Placed first, because the last rule with an id wins.
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

/// The rule files at the given paths. Folders are searched recursively.
///
/// # Errors
/// Returns an error if a path cannot be read or a folder contains no rules.
pub fn rule_sources(paths: &[PathBuf]) -> Result<Vec<Source>, CommandError> {
    yaml_files(paths, RULE_FILES)
}

const RULE_FILES: &str = "rule files";
const PROVIDER_TABLES: &str = "provider tables";

/// The rule folders that the configuration names.
///
/// # Errors
/// Returns an error if a folder cannot be read or contains no rules, with its place in the configuration.
pub fn configured_rules(config: &Config, root: &Path) -> Result<Vec<PathBuf>, CommandError> {
    configured(config, &config.rule_dirs, root, RULE_FILES)
}

/// The folders with provider tables that the configuration names.
///
/// # Errors
/// Returns an error like [`configured_rules`] does.
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

/// The files at a path, sorted by name if it is a folder, or the reason why there are none.
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

/// A file of kubetaint's own (rules, tables, a baseline), read within the size limit of all files.
fn read_file(path: &Path) -> Result<Source, CommandError> {
    own_files::read_source(path, path.display().to_string())
}
