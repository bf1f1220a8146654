//! The files of the working tree as they were at a commit. What has not changed since is read from the working tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::CommandError;
use super::inputs::{Inputs, Place};
use super::only::Only;
use super::state::{State, by_path, named};
use crate::cli::Beside;
use crate::discover::{Blobs, File, Repository, Revision, short};

/// The state of some files of the working tree at a commit, and what may be wrong with it. `name` is what the user calls the
/// commit.
pub(super) fn before(
    head: &Inputs,
    repository: &Repository,
    (commit, name): (&str, &str),
    beside: &Beside,
    given: &[PathBuf],
) -> Result<(State, Vec<String>), CommandError> {
    let root = &head.place.root;
    let revision = Revision::list(repository, commit, root)?;
    let mut warnings = Vec::new();
    let (place, problem) = place_at(&head.place, &revision, beside)?;
    warnings.extend(problem);
    let config = &place.config;
    let mut discovery = revision.discover(&|path| config.exclude.matches(path));
    let changed = changed(repository, commit, root)?;
    let now = by_path(head);
    let asked = Only::named(head.place.paths(), root)?;
    let mut files = Vec::new();
    for mut file in std::mem::take(&mut discovery.files) {
        let known = now.get(&*file.path);
        let is_changed = changed.contains(&*file.path);
        if asked
            .as_ref()
            .is_some_and(|asked| !asked.covers(&file.path))
        {
            continue;
        }
        match known {
            Some(known) if !is_changed => files.push((*known).clone()),
            // A large file that git keeps elsewhere: only the working tree has its text.
            Some(known) if is_pointer(revision.blobs(), &file) => {
                warnings.push(format!(
                    "{}: kept in Git LFS; it is read as it is now on both sides",
                    file.path
                ));
                files.push((*known).clone());
            }
            _ if is_changed || file.absolute.exists() => {
                file.scanned_from = known.map_or(0, |known| known.scanned_from);
                files.push(file);
            }
            // The working tree has only a part of the files.
            _ => {}
        }
    }
    // Files of submodules belong to other repositories: both sides have them as they are now.
    for submodule in &revision.submodules {
        let name = submodule.trim_end_matches('/');
        if changed.contains(name) {
            warnings.push(format!(
                "{name}: a submodule at another commit; its files are read as they are now on both sides"
            ));
        }
        let own = head.discovery.files.iter();
        let own = own.filter(|file| file.path.starts_with(submodule));
        files.extend(own.cloned());
    }
    files.sort();
    files.dedup_by(|one, other| one.path == other.path);
    discovery.files = files;
    discovery.whole = head.discovery.whole;
    let table = Arc::clone(&head.table);
    let inputs = Inputs::assemble(place, discovery, table, given, Some(revision));
    Ok((State::new(named(name, commit), inputs), warnings))
}

/// The paths that differ between a commit and the working tree, relative to the root of a run.
fn changed(
    repository: &Repository,
    commit: &str,
    root: &Path,
) -> Result<BTreeSet<String>, CommandError> {
    let below = repository.below(root);
    let changed = repository.changed(commit)?.into_iter();
    let own = changed.filter_map(|path| path.strip_prefix(&below).map(str::to_owned));
    Ok(own.collect())
}

/// The place of a run at an earlier revision, and why its configuration cannot be used if that is so.
///
/// # Errors
/// Returns an error if the configuration that the user names has errors.
pub(super) fn place_at(
    now: &Place,
    revision: &Revision,
    beside: &Beside,
) -> Result<(Place, Option<String>), CommandError> {
    let why = match now.at(revision, beside) {
        Ok(place) => return Ok((place, None)),
        Err(error) => error.to_string(),
    };
    let why = why.lines().next().unwrap_or_default();
    let commit = short(&revision.commit);
    let warning = format!(
        "the configuration of {commit} has errors, so that revision is read without one: {why}"
    );
    let bare = Beside {
        config: None,
        isolated: true,
        pools: beside.pools.clone(),
    };
    Ok((now.at(revision, &bare)?, Some(warning)))
}

/// Whether a file of a revision is what Git LFS leaves in place of a large file.
fn is_pointer(blobs: &Blobs, file: &File) -> bool {
    const MOST: u64 = 1024;
    const MARK: &[u8] = b"version https://git-lfs.github.com/spec/";
    let object = file.blob.as_deref().filter(|_| file.bytes <= MOST);
    object.is_some_and(|object| {
        let read = blobs.read(object, MOST);
        read.is_ok_and(|bytes| bytes.starts_with(MARK))
    })
}
