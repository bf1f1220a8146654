//! One state of a repository: a folder, a revision or the working tree.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tempfile::TempDir;

use super::inputs::Inputs;
use super::{CommandError, configured_rules};
use crate::discover::{File, short};

/// A state of a repository.
pub struct State {
    /// How people call it.
    pub name: String,
    /// Its files.
    pub inputs: Inputs,
    /// Copies of what a revision brings for itself: rules and provider tables.
    pub(super) copies: Option<TempDir>,
}

impl State {
    /// A state that brings nothing for itself.
    pub(super) fn new(name: String, inputs: Inputs) -> State {
        State {
            name,
            inputs,
            copies: None,
        }
    }

    /// The rule folders that its configuration names.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be read or contains no rules.
    pub fn rules(&self) -> Result<Vec<PathBuf>, CommandError> {
        let place = &self.inputs.place;
        let root = self
            .copies
            .as_ref()
            .map_or(place.root.as_path(), TempDir::path);
        configured_rules(&place.config, root)
    }
}

/// The files of a run by their path.
pub(super) fn by_path(inputs: &Inputs) -> BTreeMap<&str, &File> {
    let files = inputs.discovery.files.iter();
    files.map(|file| (&*file.path, file)).collect()
}

/// How people call a commit that they name.
pub(super) fn named(revision: &str, commit: &str) -> String {
    let commit = short(commit);
    match revision.starts_with(commit) || commit.starts_with(revision) {
        true => commit.to_owned(),
        false => format!("{revision} ({commit})"),
    }
}
