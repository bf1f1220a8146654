//! The repository of a run: its root, its configuration, and where the user stands.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::CacheFolder;
use super::{CommandError, configuration};
use crate::cli::Beside;
use crate::config::Config;
use crate::discover::{self, Revision};
use crate::finding::Problem;
use crate::output::{self, Standpoint};

/// The repository of a run, with its configuration.
pub struct Place {
    /// The files and folders given by the user.
    pub(super) paths: Vec<PathBuf>,
    /// Whether standard input was given.
    pub(super) stdin: bool,
    /// The repository's root.
    pub root: PathBuf,
    /// The user's working directory.
    pub standpoint: Standpoint,
    /// The configuration, or the default one.
    pub config: Config,
    /// Whether the configuration is that of the repository: the user neither named another nor disabled it.
    pub(super) usual: bool,
    /// Problems for misnamed configurations next to it, which are not read.
    pub misnamed: Vec<Problem>,
    /// What files said in earlier runs, if that is kept.
    pub cache: Option<Arc<CacheFolder>>,
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
            cache: None,
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
            cache: None,
            root,
        })
    }

    /// Treats a folder as a repository of its own, with the configuration in it unless another was requested.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be accessed or the configuration has errors.
    pub fn of_folder(folder: &Path, beside: &Beside) -> Result<Place, CommandError> {
        let mut place = Place::bare(folder)?;
        place.config = configuration::load(beside.config.as_deref(), beside.isolated, &place.root)?;
        place.usual = beside.config.is_none() && !beside.isolated;
        Ok(place)
    }

    /// The same repository at a revision, with the configuration that it has there unless another was requested.
    ///
    /// # Errors
    /// Returns an error if that configuration has errors.
    pub fn at(&self, revision: &Revision, beside: &Beside) -> Result<Place, CommandError> {
        let config = match self.usual && !beside.isolated {
            true => configuration::of_revision(revision)?,
            false => configuration::load(beside.config.as_deref(), beside.isolated, &self.root)?,
        };
        Ok(Place {
            paths: vec![self.root.clone()],
            stdin: false,
            root: self.root.clone(),
            standpoint: self.standpoint.clone(),
            config,
            usual: false,
            misnamed: Vec::new(),
            cache: self.cache.clone(),
        })
    }

    /// Whether a path in the repository is in the folder that keeps what files said, which is none of its files.
    pub fn keeps_cache_at(&self, path: &str) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.holds(path))
    }

    /// Prints problems on standard error, each as `error` or `warning` with its place relative to the working directory.
    pub fn say(&self, weight: &str, problems: &[Problem]) {
        for line in output::problem_lines(problems, &self.standpoint) {
            super::say(format_args!("{weight}: {line}"));
        }
    }
}

/// The working directory, relative to the root. If it is unknown, the root is used.
fn standpoint(root: &Path) -> Standpoint {
    env::current_dir().map_or_else(
        |_| Standpoint::default(),
        |here| Standpoint::new(root, &here),
    )
}
