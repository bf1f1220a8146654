//! The files of a revision of a repository, found by the same rules as those on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::git::{Tracked, TrackedKind};
use super::ignore_files::{IgnoreFiles, MAX_BYTES};
use super::walk::SKIPPED_FOLDERS;
use super::{Blobs, CONFIG_FILE, Discovery, File, GitError, Repository, programs};
use crate::source::FileKind;

/// A revision of the repository below a root.
#[derive(Debug)]
pub struct Revision {
    /// The commit.
    pub commit: String,
    root: PathBuf,
    blobs: Blobs,
    /// The files, by their path relative to the root.
    tracked: BTreeMap<String, Tracked>,
    /// The folders of submodules, each with a slash at its end.
    pub submodules: Vec<String>,
}

impl Revision {
    /// Lists the files of a commit below the root of a run.
    ///
    /// # Errors
    /// Returns an error if the commit cannot be read.
    pub fn list(repository: &Repository, commit: &str, root: &Path) -> Result<Revision, GitError> {
        let below = repository.below(root);
        let mut tracked = BTreeMap::new();
        let mut submodules = Vec::new();
        for mut file in repository.files(commit, &below)? {
            let Some(path) = file.path.strip_prefix(&below) else {
                continue;
            };
            file.path = path.to_owned();
            match file.kind {
                // Links are not followed, as on the disk.
                TrackedKind::Link => {}
                TrackedKind::Submodule => submodules.push(format!("{}/", file.path)),
                TrackedKind::File => {
                    tracked.insert(file.path.clone(), file);
                }
            }
        }
        Ok(Revision {
            commit: commit.to_owned(),
            root: root.to_path_buf(),
            blobs: Blobs::of(repository),
            tracked,
            submodules,
        })
    }

    /// The contents.
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Whether there is a file at an absolute path below the root.
    pub fn has_file(&self, path: &Path) -> bool {
        let below = path.strip_prefix(&self.root).ok();
        let below = below.map(|below| super::shown(Path::new(""), below));
        below.is_some_and(|below| self.tracked.contains_key(&below))
    }

    /// A file by its path relative to the root, whatever its name.
    pub fn file(&self, path: &str) -> Option<File> {
        let tracked = self.tracked.get(path)?;
        Some(File {
            path: path.into(),
            absolute: self.root.join(path),
            scanned_from: 0,
            kind: FileKind::of(path).unwrap_or(FileKind::Yaml),
            bytes: tracked.bytes,
            blob: Some(tracked.object.clone()),
        })
    }

    /// The files below a folder, which ends with a slash, or the file itself.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = File> {
        let name = folder.trim_end_matches('/').to_owned();
        let inside = format!("{name}/");
        let is_meant = move |path: &&String| **path == name || path.starts_with(&inside);
        let paths = self.tracked.keys().filter(is_meant);
        paths.filter_map(|path| self.file(path))
    }

    /// The files to read, as [`super::discover`] finds them on the disk.
    pub fn discover(&self, exclude: &(dyn Fn(&str) -> bool + Sync)) -> Discovery {
        let mut discovery = Discovery {
            root: self.root.clone(),
            whole: true,
            ..Discovery::default()
        };
        let skipped = self.skipped();
        for path in self.tracked.keys() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if skipped.is(folder, path) || exclude(path) {
                continue;
            }
            if name == CONFIG_FILE {
                discovery.configs.push((path.clone(), 0));
                continue;
            }
            match (FileKind::of(path), self.file(path)) {
                (Some(_), Some(file)) => discovery.files.push(file),
                _ => discovery.others.push(path.clone()),
            }
        }
        // The order of the disk's paths, which compares folder by folder.
        discovery.files.sort();
        let programs = programs::without_others(&mut discovery.files, |_| false);
        discovery.others.extend(programs);
        discovery.others.sort();
        discovery
    }

    fn skipped(&self) -> Skipped<'_> {
        let ignore_files = IgnoreFiles::reading(Box::new(|folder, name| {
            let path = folder.join(name);
            let path = super::shown(Path::new(""), &path);
            let tracked = self.tracked.get(&path)?;
            Some(self.blobs.read(&tracked.object, MAX_BYTES))
        }));
        let mut folders: BTreeSet<&str> = BTreeSet::from([""]);
        for path in self.tracked.keys() {
            let mut rest = path.as_str();
            while let Some((folder, _)) = rest.rsplit_once('/') {
                if !folders.insert(folder) {
                    break;
                }
                rest = folder;
            }
        }
        let mut skipped: BTreeSet<String> = BTreeSet::new();
        // A folder sorts before what is in it.
        for folder in folders {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            let is_skipped = !folder.is_empty()
                && (skipped.contains(above)
                    || SKIPPED_FOLDERS.contains(&name)
                    || ignore_files.ignores(Path::new(folder), true));
            match is_skipped {
                true => {
                    skipped.insert(folder.to_owned());
                }
                // A file that cannot be read was reported when it was checked.
                false => drop(ignore_files.enter(Path::new(folder))),
            }
        }
        Skipped {
            folders: skipped,
            ignore_files,
        }
    }
}

/// What is not read.
struct Skipped<'r> {
    folders: BTreeSet<String>,
    ignore_files: IgnoreFiles<'r>,
}

impl Skipped<'_> {
    fn is(&self, folder: &str, path: &str) -> bool {
        self.folders.contains(folder) || self.ignore_files.ignores(Path::new(path), false)
    }
}
