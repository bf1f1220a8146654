//! Writes files atomically, so that no partial file is ever visible. A run that is killed may leave the temporary file,
//! `.kubetaint-` and six characters, beside the file that it was about to replace; no run reads it.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::discover;

/// The reason not to replace a read-only file.
const READ_ONLY: &str = "the file is read-only";

/// The reason why a file cannot be replaced, or `None` if the file itself shows none.
pub fn obstacle(root: &Path, path: &Path) -> Option<String> {
    if let Err(error) = within(root, path) {
        return Some(error.to_string());
    }
    let metadata = fs::metadata(path).ok()?;
    let read_only = metadata.is_file() && metadata.permissions().readonly();
    read_only.then(|| READ_ONLY.to_owned())
}

/// Refuses to write through a link that leads out of the repository. Otherwise a malicious repository could overwrite any
/// file of the user who runs kubetaint.
///
/// # Errors
/// Returns an error if the path is such a link or below one.
pub fn within(root: &Path, path: &Path) -> io::Result<()> {
    if discover::leads_out(root, path) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is a link that leads out of the repository, so it is not written",
        ));
    }
    Ok(())
}

/// Replaces the content of a file in one step. An existing file keeps its permissions. A link is kept, and its target is
/// written.
///
/// # Errors
/// Returns an error if the folder cannot be written to, or a link leads out of the repository.
pub fn replace(root: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    match Target::at(root, path)? {
        Target::Special(target) => fs::write(target, content),
        Target::Ordinary(target, old) => swap(&target, old.as_ref(), &|mut file| {
            file.write_all(content)?;
            file.sync_all()
        }),
    }
}

/// Writes a report that `fill` prints, in one step. A file whose folder lets nothing be replaced, such as one that is mounted
/// by itself, is written in place, and is empty if that fails.
///
/// # Errors
/// Returns an error like [`replace`] does.
pub fn report(
    root: &Path,
    path: &Path,
    fill: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match Target::at(root, path)? {
        Target::Special(target) => fill(&mut File::create(target)?),
        Target::Ordinary(target, old) => {
            match swap(&target, old.as_ref(), &|mut file| fill(&mut file)) {
                Err(error) if old.is_some() && is_about_folder(&error) => {
                    let mut file = File::create(&target)?;
                    fill(&mut file).inspect_err(|_| {
                        let _ = file.set_len(0);
                    })
                }
                other => other,
            }
        }
    }
}

/// What is at a path that is to be written, links resolved.
enum Target {
    /// A device or a pipe, or a name of the system for one of its own open files: it is written to, not replaced.
    Special(PathBuf),
    /// A file, with what is known of the one that is there.
    Ordinary(PathBuf, Option<Metadata>),
}

impl Target {
    fn at(root: &Path, path: &Path) -> io::Result<Target> {
        within(root, path)?;
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
            Err(error) => return Err(error),
        };
        let of_system = ["/dev", "/proc"].iter().any(|name| path.starts_with(name));
        match fs::metadata(&target) {
            Ok(metadata) if of_system || !(metadata.is_file() || metadata.is_dir()) => {
                Ok(Target::Special(path.to_path_buf()))
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, READ_ONLY))
            }
            found => Ok(Target::Ordinary(target, found.ok())),
        }
    }
}

/// Writes a new file beside an old one and puts it in its place. Whatever ends the program, the path has the old content or
/// the new one.
fn swap(
    target: &Path,
    old: Option<&Metadata>,
    fill: &dyn Fn(&File) -> io::Result<()>,
) -> io::Result<()> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kubetaint-");
    let usual = usual_permissions();
    if let Some(usual) = &usual {
        builder.permissions(usual.clone());
    }
    let file = builder.tempfile_in(folder).map_err(plain)?;
    fill(file.as_file())?;
    if let Some(old) = old {
        // Done before setting permissions, because changing the owner clears some of them.
        keep_owner(file.as_file(), old);
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Whether an error keeps a file from being replaced, although the file itself may be writable.
fn is_about_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    [
        CrossesDevices,
        PermissionDenied,
        ReadOnlyFilesystem,
        ResourceBusy,
    ]
    .contains(&error.kind())
}

/// An error without the temporary file's name, which means nothing to users.
fn plain(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause.to_owned()),
        None => error,
    }
}

/// Restores a file's owner and group, as far as the current user may: root in a container may.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata().map(|new| (new.uid(), new.gid())).ok();
    if new != Some((old.uid(), old.gid())) {
        // A user who may not change the owner may still set the group to one of their own.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()))
            .or_else(|_| fchown(file, None, Some(old.gid())));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// The mode of a new file before the umask applies. A temporary file would be readable by its owner only.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn permissions_and_links_stay() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("script"), "old").unwrap();
        fs::set_permissions(path("script"), Permissions::from_mode(0o750)).unwrap();
        symlink("script", path("link")).unwrap();
        replace(folder.path(), &path("link"), b"new").unwrap();
        assert_eq!(fs::read_to_string(path("script")).unwrap(), "new");
        assert_eq!(
            fs::metadata(path("script")).unwrap().permissions().mode() & 0o777,
            0o750
        );
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
        replace(folder.path(), &path("fresh"), b"new").unwrap();
        // Readable by others, whatever the umask of the test run.
        fs::write(path("other"), "").unwrap();
        let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode();
        assert_eq!(mode("fresh"), mode("other"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        let error = replace(folder.path(), &path("nowhere/file"), b"")
            .unwrap_err()
            .to_string();
        assert_eq!(error, "No such file or directory (os error 2)");
    }

    #[test]
    fn the_owner_stays_where_it_may_be_set() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        // Only root may change owners. For other users there is nothing to preserve.
        let given = chown(&path, Some(12_345), Some(12_346)).is_ok();
        fs::set_permissions(&path, Permissions::from_mode(0o4750)).unwrap();
        let before = fs::metadata(&path).unwrap();
        assert_eq!(given, before.uid() == 12_345);
        replace(folder.path(), &path, b"new").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(after.permissions(), before.permissions());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_device_stays_one_and_a_read_only_file_stays_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        // A link, so that a bug replaces only the link.
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        replace(Path::new("/nowhere"), &null, b"new").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let kept = folder.path().join("kept");
        fs::write(&kept, "old").unwrap();
        fs::set_permissions(&kept, Permissions::from_mode(0o444)).unwrap();
        let error = replace(folder.path(), &kept, b"new")
            .unwrap_err()
            .to_string();
        assert_eq!(error, "the file is read-only");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "old");
    }
}
