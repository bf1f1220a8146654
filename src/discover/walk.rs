//! A walk over a part of the disk: which folders it enters, which files it skips and which it reports.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use rayon::Scope;

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
        let running = Running {
            walk: self,
            ignore_files: &ignore_files,
            sender,
        };
        if self.enters(&self.start, true) {
            // In the threads that exist already: a walk needs none that the system might refuse.
            rayon::scope(|scope| running.enter(scope, &self.start));
        }
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

    fn visit_file(&self, entry: &DirEntry) -> Option<Seen> {
        let named = self.name(&entry.path());
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
                path: path.into(),
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

    /// Whether the walk enters a folder, which may be the one that it starts at.
    fn enters(&self, folder: &Path, is_start: bool) -> bool {
        let named = self.name(folder);
        let is_skipped = SKIPPED_FOLDERS
            .iter()
            .any(|name| folder.file_name().is_some_and(|own| own == *name));
        if is_skipped && !is_start {
            // A folder like this that was named explicitly gets a walk that starts there.
            return false;
        }
        for asked in &self.asked {
            if asked.folder == named {
                asked.reached.store(true, Ordering::Relaxed);
            }
        }
        self.asked
            .iter()
            .any(|asked| named.starts_with(&asked.folder) || asked.folder.starts_with(&named))
    }

    /// Returns a problem for a folder that cannot be listed, or `None` if the user did not ask for it.
    fn failure(&self, path: &Path, error: &io::Error) -> Option<Seen> {
        let named = self.name(path);
        self.wanted_by(&named)?;
        let path = shown(self.root, &named);
        if (self.exclude)(&format!("{path}/")) {
            return None;
        }
        Some(Seen::Problem(unreadable(path, error)))
    }
}

/// A walk that is on its way.
struct Running<'w> {
    walk: &'w Walk<'w>,
    ignore_files: &'w IgnoreFiles<'w>,
    sender: &'w Sender<Seen>,
}

impl Running<'_> {
    fn tell(&self, seen: Option<Seen>) {
        // The receiver outlives the walk.
        let _ = seen.map(|seen| self.sender.send(seen));
    }

    /// Lists a folder, and leaves the folders in it to whichever thread has time.
    fn enter<'s>(&'s self, scope: &Scope<'s>, folder: &Path) {
        for refused in self.ignore_files.enter(folder) {
            self.tell(self.walk.refused(&refused));
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.tell(self.walk.failure(folder, &error)),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                // Nothing follows an error.
                Err(error) => return self.tell(self.walk.failure(folder, &error)),
            };
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if !self.ignore_files.ignores(&path, true) && self.walk.enters(&path, false) {
                        scope.spawn(move |scope| self.enter(scope, &path));
                    }
                }
                Ok(kind) if kind.is_file() => {
                    if !self.ignore_files.ignores(&path, false) {
                        self.tell(self.walk.visit_file(&entry));
                    }
                }
                // Links are not followed, and nobody asked for pipes and devices.
                Ok(_) => {}
                Err(error) => self.tell(self.walk.failure(&path, &error)),
            }
        }
    }
}

fn unreadable(path: String, cause: &io::Error) -> Problem {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_walk_names_its_path_and_cause_once() {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        for (path, named) in [("locked", "locked"), ("locked/.", "locked"), ("", ".")] {
            assert_eq!(
                unreadable(path.to_owned(), &error).to_string(),
                format!("{named}: cannot be read: permission denied")
            );
        }
    }
}
