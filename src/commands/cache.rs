//! The folder of `--cache`: finds what earlier runs of this program kept there, and keeps what this run read. Whatever is wrong
//! with the folder is a warning, and the files are read as always.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::write;
use crate::cache::{Cache, Key, MAX_BYTES};
use crate::discover;

/// Tells backup programs that the folder can be made again.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of kubetaint. It can be removed at any time.\n",
);

/// Keeps git from seeing the folder.
const IGNORE: (&str, &str) = (".gitignore", "# Made by kubetaint.\n*\n");

/// How the names of packs begin and end. Each program has its own.
const PACK: (&str, &str) = ("facts-", ".pack");

/// How the names of files begin that a killed run left behind.
const UNFINISHED: &str = ".kubetaint-";

/// A file that no run finished after so long is never finished.
const UNFINISHED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How many packs of other programs stay.
const MOST_OTHERS: usize = 3;

/// The folder of a cache, and what was found in it.
pub struct CacheFolder {
    /// As the user named it.
    named: PathBuf,
    /// The root of the repository.
    root: PathBuf,
    /// Its path from there, if it is in it.
    below: Option<String>,
    /// The pack of this program.
    pack: PathBuf,
    /// What files said.
    pub cache: Cache,
}

impl CacheFolder {
    /// Opens a folder, which need not exist. Says why if it cannot be used.
    pub fn open(named: &Path, root: &Path) -> Option<CacheFolder> {
        let found = write::within(root, named)
            .and_then(|()| check_own(named))
            .and_then(|()| program());
        let program = match found {
            Ok(program) => program,
            Err(error) => {
                warn(named, &format!("not used: {error}"));
                return None;
            }
        };
        let (start, end) = PACK;
        let pack = named.join(format!("{start}{}{end}", program.short()));
        let bytes = match discover::read_bytes_up_to(&pack, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                warn(named, &format!("cannot be read: {error}"));
                Vec::new()
            }
        };
        Some(CacheFolder {
            named: named.to_path_buf(),
            below: below(named, root),
            root: root.to_path_buf(),
            pack,
            cache: Cache::new(program, bytes),
        })
    }

    /// Whether a path in the repository is that of the folder or below it.
    pub fn holds(&self, path: &str) -> bool {
        let rest = self.below.as_deref().and_then(|own| path.strip_prefix(own));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Keeps what was read, unless little was.
    pub fn save(&self) {
        let Some(pack) = self.cache.packed() else {
            return;
        };
        if let Err(error) = self.write(&pack) {
            warn(&self.named, &format!("cannot be written: {error}"));
        }
    }

    /// Says how many files were known.
    pub fn say_counts(&self) {
        let (asked, known) = self.cache.counts();
        super::say(format_args!(
            "note: --cache {}: {known} of {asked} files were known",
            self.named.display()
        ));
    }

    fn write(&self, pack: &[u8]) -> io::Result<()> {
        write::within(&self.root, &self.named)?;
        fs::create_dir_all(&self.named)?;
        for (name, text) in [TAG, IGNORE] {
            let path = self.named.join(name);
            if fs::symlink_metadata(&path).is_err() {
                write::replace(&self.root, &path, text.as_bytes())?;
            }
        }
        // Nothing is lost if the disk fails: a pack that is not whole counts as none.
        write::report(&self.root, &self.pack, &|out| out.write_all(pack))?;
        self.tidy();
        Ok(())
    }

    /// Removes packs of programs that have not run for a while, and what killed runs left behind.
    fn tidy(&self) {
        let mut others: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.named).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            let changed = entry.metadata().and_then(|metadata| metadata.modified());
            let Ok(changed) = changed else { continue };
            let is_old = || changed.elapsed().is_ok_and(|age| age > UNFINISHED_AFTER);
            if is_pack(&name) && path != self.pack {
                others.push((changed, path));
            } else if name.starts_with(UNFINISHED) && is_old() {
                let _ = fs::remove_file(path);
            }
        }
        others.sort();
        let surplus = others.len().saturating_sub(MOST_OTHERS);
        for (_, path) in others.into_iter().take(surplus) {
            let _ = fs::remove_file(path);
        }
    }
}

fn warn(named: &Path, why: &str) {
    super::say(format_args!("warning: --cache {}: {why}", named.display()));
}

fn is_pack(name: &str) -> bool {
    let (start, end) = PACK;
    name.starts_with(start) && name.ends_with(end)
}

/// Refuses a folder with files of others: git would no longer see them.
fn check_own(named: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(named) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let is_own = name == TAG.0 || name == IGNORE.0 || is_pack(&name);
        if !is_own && !name.starts_with(UNFINISHED) {
            return Err(io::Error::other(format!(
                "the folder has other files (`{name}`); name one for the cache alone"
            )));
        }
    }
    Ok(())
}

/// The path of a folder from the root of the repository, if it is below it.
fn below(named: &Path, root: &Path) -> Option<String> {
    let absolute = std::path::absolute(named).ok()?;
    // A folder that does not exist yet is in one that may.
    let mut known = absolute.as_path();
    let real = loop {
        match known.canonicalize() {
            Ok(real) => break real.join(absolute.strip_prefix(known).ok()?),
            Err(_) => known = known.parent()?,
        }
    };
    let root = root.canonicalize().ok()?;
    let parts = real.strip_prefix(root).ok()?.iter();
    let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// What identifies this program: all of its bytes. Its version does not, because builds of one version may differ, in their
/// dependencies for example.
fn program() -> io::Result<Key> {
    // Under Linux, this is the running program even if another has taken its place.
    let file = fs::File::open("/proc/self/exe").or_else(|_| fs::File::open(env::current_exe()?));
    let mut file = file.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("the program itself cannot be read: {error}"),
        )
    })?;
    let mut digest = Key::writer();
    let mut chunk = vec![0; 128 * 1024];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(digest.key()),
            read => digest.add(chunk.get(..read).unwrap_or_default()),
        }
    }
}
