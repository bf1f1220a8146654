//! A walk over a part of the disk: which folders it enters, which files it skips and which it reports.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::ignore_files::{IgnoreFiles, Refused};
use super::{CONFIG_FILE, File, shown};
use crate::finding::Problem;
use crate::source::FileKind;

/// Folders with copies of other projects or with a tool's state, which do not describe the repository's clusters.
pub(super) const SKIPPED_FOLDERS: [&str; 3] = [".git", "node_modules", ".terraform"];

/// A directory to scan.
pub(super) struct Asked {
    /// The path, as given.
    pub(super) folder: PathBuf,
    /// The number of bytes of displayed paths above it.
    pub(super) scanned_from: usize,
    /// Whether the walk from the root has reached it.
    pub(super) reached: AtomicBool,
}

/// A result of a walk.
pub(super) enum Seen {
    File(File),
    /// A file that is not read.
    Other(String),
    Problem(Problem),
    /// A configuration, and the number of bytes of its path above the scanned folder.
    Config(String, usize),
}

/// A walk over a part of the disk.
pub(super) struct Walk<'a> {
    root: &'a Path,
    /// The start, with the last link resolved, since the walker follows none.
    start: PathBuf,
    /// The name of `start` in reports.
    named: &'a Path,
    /// The requested parts of the tree; others are only traversed.
    asked: Vec<&'a Asked>,
    exclude: &'a (dyn Fn(&str) -> bool + Sync),
}

impl<'a> Walk<'a> {
    pub(super) fn from_root(
        root: &'a Path,
        folders: &'a [Asked],
        exclude: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> Self {
        Walk {
            root,
            start: root.canonicalize().unwrap_or_else(|_| root.to_path_buf()),
            named: root,
            asked: folders
                .iter()
                .filter(|asked| asked.folder.starts_with(root))
                .collect(),
            exclude,
        }
    }

    pub(super) fn from_asked(
        root: &'a Path,
        asked: &'a Asked,
        exclude: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> Self {
        Walk {
            root,
            start: asked
                .folder
                .canonicalize()
                .unwrap_or_else(|_| asked.folder.clone()),
            named: &asked.folder,
            asked: vec![asked],
            exclude,
        }
    }

    pub(super) fn run(&self, sender: &Sender<Seen>) {
        // Only ignore files in the repository count, not those of the machine (global excludes, .git/info). Otherwise, the
        // same commit could have different results for two users.
        let ignore_files = IgnoreFiles::new(self.root);
        let ignore_files = &ignore_files;
        WalkBuilder::new(&self.start)
            .standard_filters(false)
            .follow_links(false)
            .threads(rayon::current_num_threads().min(12))
            .build_parallel()
            .run(|| {
                let sender = sender.clone();
                Box::new(move |entry| {
                    let (seen, next) = match entry {
                        Ok(entry) => self.visit(&entry, ignore_files),
                        Err(error) => {
                            let seen = self.failure(&error).into_iter().collect();
                            (seen, WalkState::Continue)
                        }
                    };
                    for seen in seen {
                        // The receiver outlives the walk.
                        let _ = sender.send(seen);
                    }
                    next
                })
            });
    }

    /// Returns the name in reports for a path of the walk.
    fn name(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.start) {
            Ok(below) if below.as_os_str().is_empty() => self.named.to_path_buf(),
            Ok(below) => self.named.join(below),
            Err(_) => path.to_path_buf(),
        }
    }

    /// Returns the narrowest argument that contains a path.
    fn wanted_by(&self, named: &Path) -> Option<&'a Asked> {
        self.asked
            .iter()
            .copied()
            .filter(|asked| named.starts_with(&asked.folder))
            .max_by_key(|asked| asked.scanned_from)
    }

    fn visit(&self, entry: &DirEntry, ignore_files: &IgnoreFiles<'_>) -> (Vec<Seen>, WalkState) {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() > 0 && ignore_files.ignores(entry.path(), is_dir) {
            return (Vec::new(), WalkState::Skip);
        }
        if !is_dir {
            return (
                self.visit_file(entry).into_iter().collect(),
                WalkState::Continue,
            );
        }
        match self.visit_folder(entry) {
            WalkState::Continue => {
                let refused = ignore_files.enter(entry.path()).into_iter();
                let problems = refused.filter_map(|one| self.refused(&one));
                (problems.collect(), WalkState::Continue)
            }
            other => (Vec::new(), other),
        }
    }

    fn visit_file(&self, entry: &DirEntry) -> Option<Seen> {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if !is_file {
            return None;
        }
        let named = self.name(entry.path());
        let asked = self.wanted_by(&named)?;
        let path = shown(self.root, &named);
        if (self.exclude)(&path) {
            return None;
        }
        if entry.file_name() == CONFIG_FILE {
            return Some(Seen::Config(path, asked.scanned_from));
        }
        let Some(kind) = FileKind::of(&path) else {
            return Some(Seen::Other(path));
        };
        Some(match entry.metadata() {
            Ok(metadata) => Seen::File(File {
                path,
                absolute: named,
                scanned_from: asked.scanned_from,
                kind,
                bytes: metadata.len(),
                blob: None,
            }),
            Err(error) => Seen::Problem(unreadable(path, &error)),
        })
    }

    /// Reports an ignore file that was not read, unless the configuration excludes it.
    fn refused(&self, refused: &Refused) -> Option<Seen> {
        let path = shown(self.root, &self.name(&refused.path));
        let message = format!(
            "not read: {}; files that it excludes are checked anyway",
            refused.why
        );
        (!(self.exclude)(&path)).then_some(Seen::Problem(Problem {
            file: Some(path),
            position: None,
            message,
        }))
    }

    fn visit_folder(&self, entry: &DirEntry) -> WalkState {
        let named = self.name(entry.path());
        let skipped = SKIPPED_FOLDERS
            .iter()
            .any(|name| entry.file_name() == *name);
        if skipped && entry.depth() > 0 {
            // A folder like this that was named explicitly gets a walk that starts there.
            return WalkState::Skip;
        }
        for asked in &self.asked {
            if asked.folder == named {
                asked.reached.store(true, Ordering::Relaxed);
            }
        }
        let leads_there = self
            .asked
            .iter()
            .any(|asked| named.starts_with(&asked.folder) || asked.folder.starts_with(&named));
        if leads_there {
            WalkState::Continue
        } else {
            WalkState::Skip
        }
    }

    /// Returns a problem for a folder that cannot be listed, or `None` if the user did not ask for it.
    fn failure(&self, error: &ignore::Error) -> Option<Seen> {
        let named = match failed_path(error) {
            Some(path) => self.name(path),
            None => self.start.clone(),
        };
        self.wanted_by(&named)?;
        let path = shown(self.root, &named);
        if (self.exclude)(&format!("{path}/")) {
            return None;
        }
        Some(Seen::Problem(unreadable(path, error)))
    }
}

fn unreadable(path: String, error: &ignore::Error) -> Problem {
    let cause = match error.io_error() {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    };
    // A folder that was named is walked as `folder/.`.
    let path = path.strip_suffix("/.").map_or(path.clone(), str::to_owned);
    Problem {
        file: Some(if path.is_empty() {
            ".".to_owned()
        } else {
            path
        }),
        position: None,
        message: format!("cannot be read: {cause}"),
    }
}

/// Returns the path in an error of the walker. A loop unwraps the few nested errors.
fn failed_path(error: &ignore::Error) -> Option<&Path> {
    let mut error = error;
    loop {
        match error {
            ignore::Error::WithPath { path, .. } => return Some(path),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                error = err;
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn an_error_of_the_walker_names_its_path_and_cause_once() {
        let error = ignore::Error::WithDepth {
            depth: 1,
            err: Box::new(ignore::Error::WithPath {
                path: PathBuf::from("/r/locked"),
                err: Box::new(ignore::Error::Io(io::Error::from(
                    io::ErrorKind::PermissionDenied,
                ))),
            }),
        };
        assert_eq!(failed_path(&error), Some(Path::new("/r/locked")));
        assert_eq!(
            unreadable("locked".to_owned(), &error).to_string(),
            "locked: cannot be read: permission denied"
        );
    }
}
