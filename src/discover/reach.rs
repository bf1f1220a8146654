//! Decides which paths may be opened: nothing that never ends or blocks, and nothing outside the repository that only the
//! repository itself refers to.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::absolute;

/// Checks a path that a user named. Rejects a link to a device, a pipe or a socket, such as a committed `baseline.yaml`
/// that links to `/dev/zero`. Accepts a special file that is named directly (`/dev/stdin`, `<(command)`, a named pipe).
///
/// # Errors
/// Returns an error if the path is rejected or does not exist.
pub fn check_named(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() || names_special(path)? {
        return Ok(());
    }
    Err(refused(format!(
        "it is a link to {}",
        special_kind(&metadata)
    )))
}

/// Checks a path that the repository refers to. Rejects special files and paths that lead outside of the repository.
///
/// # Errors
/// Returns an error if the path is rejected or does not exist.
pub fn check_found(root: &Path, path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if leads_out(root, path) {
        return Err(refused("it points outside the repository".to_owned()));
    }
    if !(metadata.is_file() || metadata.is_dir()) {
        return Err(refused(format!("it is {}", special_kind(&metadata))));
    }
    Ok(())
}

/// Whether a path is below a folder as written, but outside of it after resolving links. A link to a missing target counts
/// by its target.
pub fn leads_out(root: &Path, path: &Path) -> bool {
    let (Ok(root), Ok(named)) = (absolute(root), absolute(path)) else {
        return false;
    };
    let Ok(real_root) = root.canonicalize() else {
        return false;
    };
    if !named.starts_with(&root) && !named.starts_with(&real_root) {
        return false;
    }
    !real_path(&named, LINKS).is_some_and(|real| real.starts_with(&real_root))
}

/// The maximum number of links to follow, as on Linux.
const LINKS: u32 = 40;

/// Returns the target of a path, even if its last part does not exist, or `None` for cycles of links.
fn real_path(path: &Path, links_left: u32) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = real_path(path.parent()?, links_left)?;
    match fs::read_link(path) {
        Ok(target) => real_path(&folder.join(target), links_left.checked_sub(1)?),
        Err(_) => Some(folder.join(path.file_name()?)),
    }
}

/// Whether a path itself, not its link target, is a special file or is in a system folder.
fn names_special(path: &Path) -> io::Result<bool> {
    let named = std::path::absolute(path)?;
    let mut parts = named
        .components()
        .skip_while(|part| *part == Component::RootDir);
    let first = parts.next();
    let of_system =
        first.is_some_and(|part| ["dev", "proc"].iter().any(|name| part.as_os_str() == *name));
    Ok(of_system || !fs::symlink_metadata(path)?.is_symlink())
}

/// Opens a file without waiting for anybody, even if it has become a named pipe since it was found.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub(super) fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let at_once = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(at_once).unwrap_or_default());
    }
    options.open(path)
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(unix)]
pub(super) fn special_kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
pub(super) fn special_kind(_: &Metadata) -> &'static str {
    "not an ordinary file"
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_link_to_a_device_is_refused_and_the_device_itself_is_not() {
        let folder = TempDir::new().unwrap();
        let link = folder.path().join("baseline.yaml");
        symlink("/dev/zero", &link).unwrap();
        let error = check_named(&link).unwrap_err();
        assert_eq!(error.to_string(), "it is a link to a device");
        assert!(check_named(Path::new("/dev/null")).is_ok());
    }

    #[test]
    fn what_the_repository_names_must_stand_in_it() {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repository");
        fs::create_dir(&root).unwrap();
        fs::write(folder.path().join("outside.yaml"), "").unwrap();
        fs::write(root.join("inside.yaml"), "").unwrap();
        symlink("../outside.yaml", root.join("out.yaml")).unwrap();
        symlink("inside.yaml", root.join("in.yaml")).unwrap();
        symlink("..", root.join("folder")).unwrap();
        for (path, is_fine) in [
            ("inside.yaml", true),
            ("in.yaml", true),
            ("out.yaml", false),
            ("folder/outside.yaml", false),
        ] {
            assert_eq!(
                check_found(&root, &root.join(path)).is_ok(),
                is_fine,
                "{path}"
            );
        }
    }

    #[test]
    fn a_link_to_what_is_not_there_yet_counts_by_where_it_points() {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repository");
        fs::create_dir(&root).unwrap();
        symlink("../new.json", root.join("out.json")).unwrap();
        symlink("new.json", root.join("in.json")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        assert!(leads_out(&root, &root.join("out.json")));
        assert!(leads_out(&root, &root.join("circle")));
        assert!(!leads_out(&root, &root.join("in.json")));
        assert!(!leads_out(&root, &root.join("plain.json")));
        assert!(!leads_out(&root, &root.join("no/such/folder.json")));
        assert!(!leads_out(&root, &folder.path().join("elsewhere.json")));
    }
}
