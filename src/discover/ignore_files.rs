//! Evaluates `.gitignore` and `.ignore` files. The walker would read them through any link and at any size, so they are
//! read here, within limits, and passed to its matcher.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::reach;

/// The maximum size in bytes of an ignore file that is read (1 MiB).
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// The ignore files of the folders that one walk has entered.
pub(super) struct IgnoreFiles<'r> {
    read: Read<'r>,
    /// By folder. Folders below no ignore file are omitted.
    folders: RwLock<HashMap<PathBuf, Arc<Folder>>>,
}

/// Reads the ignore file with a name in a folder. `None` if there is none.
type Read<'r> = Box<dyn Fn(&Path, &str) -> Option<io::Result<Vec<u8>>> + Sync + 'r>;

/// The patterns that apply below a folder.
struct Folder {
    ignore: Gitignore,
    git_ignore: Gitignore,
    above: Option<Arc<Folder>>,
}

/// An ignore file that was not read.
pub(super) struct Refused {
    pub(super) path: PathBuf,
    pub(super) why: String,
}

impl<'r> IgnoreFiles<'r> {
    /// Those on the disk.
    pub(super) fn new(root: &'r Path) -> Self {
        IgnoreFiles::reading(Box::new(|folder, name| {
            let path = folder.join(name);
            let metadata = fs::symlink_metadata(&path).ok()?;
            (!metadata.is_dir()).then(|| bytes(root, &path))
        }))
    }

    /// Those that a function reads, at most [`MAX_BYTES`] and one more.
    pub(super) fn reading(read: Read<'r>) -> Self {
        IgnoreFiles {
            read,
            folders: RwLock::default(),
        }
    }

    /// Reads the ignore files of a folder; must be called before any query about the folder's contents.
    pub(super) fn enter(&self, folder: &Path) -> Vec<Refused> {
        let mut refused = Vec::new();
        let above = folder.parent().and_then(|parent| self.of(parent));
        let ignore = self.read(folder, ".ignore", &mut refused);
        let git_ignore = self.read(folder, ".gitignore", &mut refused);
        let here = match (ignore, git_ignore) {
            (None, None) => above,
            (ignore, git_ignore) => Some(Arc::new(Folder {
                ignore: ignore.unwrap_or_else(Gitignore::empty),
                git_ignore: git_ignore.unwrap_or_else(Gitignore::empty),
                above,
            })),
        };
        if let Some(here) = here {
            let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
            folders.insert(folder.to_path_buf(), here);
        }
        refused
    }

    /// Whether a file or folder is ignored. The nearest file with a matching pattern decides, and `.ignore` files take
    /// precedence over `.gitignore` files.
    pub(super) fn ignores(&self, path: &Path, is_dir: bool) -> bool {
        let Some(nearest) = path.parent().and_then(|parent| self.of(parent)) else {
            return false;
        };
        let decide = |one: fn(&Folder) -> &Gitignore| {
            let mut folder = Some(&nearest);
            while let Some(here) = folder {
                match one(here).matched(path, is_dir) {
                    Match::None => folder = here.above.as_ref(),
                    Match::Ignore(_) => return Some(true),
                    Match::Whitelist(_) => return Some(false),
                }
            }
            None
        };
        decide(|folder| &folder.ignore)
            .or_else(|| decide(|folder| &folder.git_ignore))
            .unwrap_or(false)
    }

    fn of(&self, folder: &Path) -> Option<Arc<Folder>> {
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.get(folder).cloned()
    }

    fn read(&self, folder: &Path, name: &str, refused: &mut Vec<Refused>) -> Option<Gitignore> {
        let read = (self.read)(folder, name)?;
        match read.and_then(|bytes| matcher(folder, &bytes)) {
            Ok(matcher) => Some(matcher),
            Err(why) => {
                let (path, why) = (folder.join(name), why.to_string());
                refused.push(Refused { path, why });
                None
            }
        }
    }
}

fn bytes(root: &Path, path: &Path) -> io::Result<Vec<u8>> {
    reach::check_found(root, path)?;
    let mut bytes = Vec::new();
    reach::open_at_once(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn matcher(folder: &Path, bytes: &[u8]) -> io::Result<Gitignore> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // Skip invalid patterns, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(io::Error::other)
}
