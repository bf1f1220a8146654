//! Finds and reads the files of a run. Only this module and the commands access the disk.

mod charts;
mod content;
mod git;
mod ignore_files;
mod pipes;
mod programs;
mod reach;
mod revision;
mod unread;
mod walk;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use crate::finding::Problem;
use crate::source::FileKind;
use walk::{Asked, Seen, Walk};

pub use charts::charts;
pub use content::{
    Loaded, MAX_FILE_BYTES, load, load_blob, read_bytes, read_bytes_up_to, read_stdin,
};
pub use git::{Blobs, GitError, Repository, short};
pub use pipes::Pipes;
pub use reach::{check_found, check_named, leads_out};
pub use revision::Revision;
pub use unread::{Unread, Why, unread};

/// The name of the configuration file; only read as a manifest if it is named explicitly.
pub const CONFIG_FILE: &str = ".kubetaint.yaml";

/// The files of a run.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The repository's root; paths are relative to it.
    pub root: PathBuf,
    /// The files to read, sorted by path without duplicates.
    pub files: Vec<File>,
    /// Paths of existing files that are not read, sorted.
    pub others: Vec<String>,
    /// Paths of configuration files, sorted, with the number of bytes that are above the scanned folder.
    pub configs: Vec<(String, usize)>,
    /// Errors from the file system, sorted.
    pub problems: Vec<Problem>,
    /// Whether the whole repository was scanned. Only then is a pattern without a match worth reporting.
    pub whole: bool,
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Relative to the root, with `/`; invalid UTF-8 is replaced. Absolute if the file is not below the root.
    pub path: Arc<str>,
    /// The path on the disk.
    pub absolute: PathBuf,
    /// The number of bytes of `path` that are above the scanned directory.
    pub scanned_from: usize,
    /// The format, according to its name.
    pub kind: FileKind,
    /// The size in bytes at the time of discovery; 0 for pipes.
    pub bytes: u64,
    /// The name of its content, if it is read from a revision and not from the disk.
    pub blob: Option<String>,
}

/// Returns the repository of `paths`: the nearest directory, from the paths' common ancestor upwards, that contains `.git`
/// or `.kubetaint.yaml`. Falls back to the common ancestor itself (for one file, its folder).
///
/// # Errors
/// Returns an error if the working directory is unknown.
pub fn find_root(paths: &[PathBuf]) -> io::Result<PathBuf> {
    let mut common: Option<PathBuf> = None;
    for path in paths {
        let mut folder = absolute(path)?;
        while !folder.is_dir() && folder.pop() {}
        common = Some(match common {
            None => folder,
            Some(other) => common_ancestor(&other, &folder),
        });
    }
    let start = match common {
        Some(start) => start,
        None => absolute(Path::new("."))?,
    };
    let root = start.ancestors().find(|folder| {
        folder.join(".git").exists() || folder.join(CONFIG_FILE).symlink_metadata().is_ok()
    });
    Ok(root.unwrap_or(&start).to_path_buf())
}

fn common_ancestor(one: &Path, other: &Path) -> PathBuf {
    one.components()
        .zip(other.components())
        .take_while(|(a, b)| a == b)
        .map(|(component, _)| component)
        .collect()
}

/// Returns an absolute path without `.` and `..` that keeps the user's names. Links are only resolved if a `..` follows
/// them, so that a file is reported under the name that the user gave.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let mut named = PathBuf::new();
    for component in std::path::absolute(path)?.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if let Ok(real) = named.canonicalize() {
                    named = real;
                }
                named.pop();
            }
            other => named.push(other),
        }
    }
    Ok(named)
}

/// Returns the name of a path in reports.
///
/// # Errors
/// Returns an error if nothing exists at the path, or if the path cannot be resolved.
pub fn report_path(root: &Path, path: &Path) -> io::Result<String> {
    let named = absolute(path)?;
    fs::symlink_metadata(&named)?;
    Ok(shown(root, &named))
}

/// Returns a path as reports show it.
fn shown(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut text = String::new();
    for component in below.components() {
        match component {
            Component::RootDir => text.push('/'),
            other => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                text.push_str(&other.as_os_str().to_string_lossy());
            }
        }
    }
    text
}

/// Finds all files to read below `paths`. The paths themselves are read even if ignore files exclude them. Below them,
/// `.gitignore` and `.ignore` files between the root and the file apply, links are not followed, and files whose path
/// `exclude` accepts are skipped. `exclude` is called from several threads.
pub fn discover(
    root: &Path,
    paths: &[PathBuf],
    exclude: &(dyn Fn(&str) -> bool + Sync),
) -> Discovery {
    let mut discovery = Discovery {
        root: root.to_path_buf(),
        ..Discovery::default()
    };
    let mut files = Vec::new();
    let mut folders: Vec<Asked> = Vec::new();
    for path in paths {
        let found = absolute(path).and_then(|named| Ok((fs::metadata(&named)?, named)));
        match found {
            Err(error) => discovery.problems.push(Problem {
                file: Some(match absolute(path) {
                    Ok(named) => shown(root, &named),
                    Err(_) => path.to_string_lossy().into_owned(),
                }),
                position: None,
                message: match error.kind() {
                    io::ErrorKind::NotFound => "path does not exist".to_owned(),
                    _ => format!("cannot be read: {error}"),
                },
            }),
            Ok((metadata, named)) if metadata.is_dir() => {
                if folders.iter().all(|asked| asked.folder != named) {
                    folders.push(Asked {
                        scanned_from: scanned_from(root, &named),
                        folder: named,
                        reached: AtomicBool::new(false),
                    });
                }
            }
            Ok((metadata, named)) => files.push(File {
                path: shown(root, &named).into(),
                scanned_from: named
                    .parent()
                    .map_or(0, |folder| scanned_from(root, folder)),
                kind: FileKind::of(&named.to_string_lossy())
                    .filter(|kind| !kind.is_read_by_others())
                    .unwrap_or(FileKind::Yaml),
                bytes: metadata.len(),
                absolute: named,
                blob: None,
            }),
        }
    }
    discovery.whole = folders.iter().any(|asked| asked.folder == root);

    let (sender, seen) = channel();
    let mut walks = 0;
    if folders.iter().any(|asked| asked.folder.starts_with(root)) {
        // Start at the root, so that ignore files between it and the given folders apply, but none above.
        Walk::from_root(root, &folders, exclude).run(&sender);
        walks += 1;
    }
    for asked in &folders {
        // Ignored, in a skipped folder, reached through a link, or outside the root, but named explicitly.
        if !asked.reached.load(Ordering::Relaxed) {
            Walk::from_asked(root, asked, exclude).run(&sender);
            walks += 1;
        }
    }
    drop(sender);
    let named: HashSet<PathBuf> = files.iter().map(|file| file.absolute.clone()).collect();
    let sources = walks + files.len();
    for one in seen {
        match one {
            Seen::File(file) => files.push(file),
            Seen::Other(path) => discovery.others.push(path),
            Seen::Config(path, scanned_from) => discovery.configs.push((path, scanned_from)),
            Seen::Problem(problem) => discovery.problems.push(problem),
        }
    }

    if sources > 1 {
        // A single walk finds each file once, and resolving real paths takes longer than the walk.
        files = without_duplicates(files);
    }
    let others = programs::without_others(&mut files, |file| named.contains(&file.absolute));
    discovery.others.extend(others);
    files.sort();
    discovery.files = files;
    discovery.others.sort();
    discovery.others.dedup();
    discovery.configs.sort();
    discovery.configs.dedup();
    discovery.problems.sort();
    discovery.problems.dedup();
    discovery
}

/// Returns the number of bytes of displayed paths above the entries of `folder`.
fn scanned_from(root: &Path, folder: &Path) -> usize {
    let above = shown(root, folder);
    match above.len() {
        0 => 0,
        length if above.ends_with('/') => length,
        length => length + 1,
    }
}

/// Removes duplicates of a file on the disk. If several arguments cover a file, the narrowest one counts, because the path
/// that was named on the command line does not describe the file.
fn without_duplicates(files: Vec<File>) -> Vec<File> {
    let mut by_place: BTreeMap<PathBuf, File> = BTreeMap::new();
    let mut real_folders: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for file in files {
        let place = real_place(&file.absolute, &mut real_folders);
        match by_place.get_mut(&place) {
            None => {
                by_place.insert(place, file);
            }
            Some(known) => {
                // Prefer the real name over a name through a link.
                let better = (file.absolute == place, file.scanned_from)
                    > (known.absolute == place, known.scanned_from);
                if better {
                    *known = file;
                }
            }
        }
    }
    by_place.into_values().collect()
}

/// Returns the real path of a file. Resolves each folder once, and the file itself only if it was named through a link.
fn real_place(file: &Path, folders: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return file.to_path_buf();
    };
    let real = match folders.get(folder) {
        Some(real) => real,
        None => {
            let real = folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf());
            folders.entry(folder.to_path_buf()).or_insert(real)
        }
    };
    let place = real.join(name);
    if place.is_symlink() {
        place.canonicalize().unwrap_or(place)
    } else {
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// Creates a folder with these files, each containing an empty object.
    fn tree(files: &[&str]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for file in files {
            write(&folder, file, b"{}\n");
        }
        folder
    }

    fn write(folder: &TempDir, file: &str, content: &[u8]) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn scan_paths(folder: &TempDir, paths: &[&str]) -> Discovery {
        let paths: Vec<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
        discover(folder.path(), &paths, &|_| false)
    }

    fn names(discovery: &Discovery) -> Vec<&str> {
        discovery.files.iter().map(|file| &*file.path).collect()
    }

    #[test]
    fn manifests_are_known_by_their_extension_in_any_case() {
        let folder = tree(&["a.yaml", "b/c.YML", "d.Json", "e.txt", "yaml", "f.yaml.gz"]);
        let found = scan_paths(&folder, &["."]);
        assert_eq!(names(&found), ["a.yaml", "b/c.YML", "d.Json"]);
        assert_eq!(found.files[2].kind, FileKind::Json);
        assert_eq!(found.files[0].bytes, 3);
        assert!(found.problems.is_empty());
        assert!(found.whole);
    }

    #[test]
    fn a_file_named_explicitly_is_read_whatever_it_is_called() {
        let folder = tree(&["deploy.tpl", ".gitignore", "ignored.yaml"]);
        write(&folder, ".gitignore", b"ignored.yaml\n");
        let found = scan_paths(&folder, &["deploy.tpl", "ignored.yaml"]);
        assert_eq!(names(&found), ["deploy.tpl", "ignored.yaml"]);
        assert_eq!(found.files[0].kind, FileKind::Yaml);
        assert!(!found.whole);
    }

    #[test]
    fn hidden_folders_are_walked_and_tool_folders_are_not() {
        let folder = tree(&[
            ".github/a.yaml",
            ".git/b.yaml",
            "x/node_modules/c.yaml",
            ".terraform/d.yaml",
            "target/e.yaml",
            ".kubetaint.yaml",
        ]);
        assert_eq!(
            names(&scan_paths(&folder, &["."])),
            [".github/a.yaml", "target/e.yaml"]
        );
        assert_eq!(
            names(&scan_paths(&folder, &["x/node_modules"])),
            ["x/node_modules/c.yaml"]
        );
    }

    #[test]
    fn ignore_files_between_the_root_and_a_file_are_honoured_outside_git_too() {
        let folder = tree(&[
            "a/keep.yaml",
            "a/build/out.yaml",
            "a/b/local.yaml",
            "a/b/again.yaml",
            "c/private.yaml",
        ]);
        write(
            &folder,
            ".gitignore",
            b"build/\n/c/private.yaml\nlocal.yaml\nagain.yaml\n",
        );
        write(&folder, "a/b/.gitignore", b"!again.yaml\n");
        assert_eq!(
            names(&scan_paths(&folder, &["."])),
            ["a/b/again.yaml", "a/keep.yaml"]
        );
        assert_eq!(
            names(&scan_paths(&folder, &["a", "c"])),
            ["a/b/again.yaml", "a/keep.yaml"]
        );
        write(&folder, ".ignore", b"keep.yaml\n");
        assert_eq!(names(&scan_paths(&folder, &["."])), ["a/b/again.yaml"]);
    }

    #[test]
    fn ignore_files_above_the_root_have_no_say() {
        let folder = tree(&["repo/a.yaml"]);
        write(&folder, ".gitignore", b"*\n");
        let root = folder.path().join("repo");
        let found = discover(&root, std::slice::from_ref(&root), &|_| false);
        assert_eq!(names(&found), ["a.yaml"]);
    }

    #[test]
    fn an_ignored_folder_that_is_named_explicitly_is_walked() {
        let folder = tree(&["out/render/a.yaml", "out/b.yaml", "c.yaml"]);
        write(&folder, ".gitignore", b"out/\n");
        let found = scan_paths(&folder, &["out/render"]);
        assert_eq!(names(&found), ["out/render/a.yaml"]);
        assert_eq!(found.files[0].scanned_from, "out/render/".len());
    }

    #[test]
    fn excluded_paths_are_passed_by_unless_named_explicitly() {
        let folder = tree(&["a.yaml", "vendor/b.yaml"]);
        let exclude = |path: &str| path.starts_with("vendor/");
        let found = discover(folder.path(), &[folder.path().to_path_buf()], &exclude);
        assert_eq!(names(&found), ["a.yaml"]);
        let found = discover(
            folder.path(),
            &[folder.path().join("vendor/b.yaml")],
            &exclude,
        );
        assert_eq!(names(&found), ["vendor/b.yaml"]);
    }

    #[test]
    fn the_scanned_part_of_a_path_starts_below_the_argument() {
        let folder = tree(&["a/b/x/y.yaml"]);
        let scanned = |path: &str| {
            let found = scan_paths(&folder, &[path]);
            let file = &found.files[0];
            file.path[file.scanned_from..].to_owned()
        };
        assert_eq!(scanned("."), "a/b/x/y.yaml");
        assert_eq!(scanned("a/b"), "x/y.yaml");
        assert_eq!(scanned("a/b/"), "x/y.yaml");
        assert_eq!(scanned("a/./b/x/../x"), "y.yaml");
        assert_eq!(scanned("a/b/x/y.yaml"), "y.yaml");
    }

    #[test]
    fn overlapping_arguments_give_each_file_once_and_the_narrowest_counts() {
        let folder = tree(&["test/a.yaml", "test/b.yaml", "c.yaml"]);
        let found = scan_paths(&folder, &[".", "test", "test/b.yaml", "test", "c.yaml"]);
        assert_eq!(names(&found), ["c.yaml", "test/a.yaml", "test/b.yaml"]);
        let from: Vec<usize> = found.files.iter().map(|file| file.scanned_from).collect();
        assert_eq!(from, [0, 5, 5]);
    }

    #[test]
    fn what_does_not_exist_is_a_problem_and_the_rest_is_read() {
        let folder = tree(&["a.yaml"]);
        let found = scan_paths(&folder, &["nowhere/x.yaml", "a.yaml"]);
        assert_eq!(names(&found), ["a.yaml"]);
        assert_eq!(found.problems.len(), 1);
        assert_eq!(
            found.problems[0].to_string(),
            "nowhere/x.yaml: path does not exist"
        );
    }

    #[test]
    fn a_path_through_a_file_is_a_problem_with_its_cause() {
        let folder = tree(&["a.yaml"]);
        let found = scan_paths(&folder, &["a.yaml/b.yaml"]);
        assert!(found.files.is_empty());
        assert!(
            found.problems[0].message.starts_with("cannot be read: "),
            "{}",
            found.problems[0]
        );
    }

    #[cfg(unix)]
    mod links {
        use super::*;
        use std::os::unix::fs::symlink;

        #[test]
        fn links_inside_the_tree_are_not_followed() {
            let outside = tree(&["secret.yaml"]);
            let folder = tree(&["real/a.yaml"]);
            symlink(outside.path(), folder.path().join("out")).unwrap();
            symlink(
                outside.path().join("secret.yaml"),
                folder.path().join("s.yaml"),
            )
            .unwrap();
            symlink(folder.path(), folder.path().join("real/loop")).unwrap();
            symlink(
                folder.path().join("real/a.yaml"),
                folder.path().join("b.yaml"),
            )
            .unwrap();
            symlink("dangling", folder.path().join("d.yaml")).unwrap();
            let found = scan_paths(&folder, &["."]);
            assert_eq!(names(&found), ["real/a.yaml"]);
            assert!(found.problems.is_empty(), "{:?}", found.problems);
        }

        #[test]
        fn a_link_on_the_command_line_is_followed_under_its_own_name() {
            let outside = tree(&["sub/a.yaml"]);
            let folder = tree(&["b.yaml"]);
            symlink(outside.path(), folder.path().join("out")).unwrap();
            symlink(folder.path().join("b.yaml"), folder.path().join("c.yaml")).unwrap();
            assert_eq!(names(&scan_paths(&folder, &["out"])), ["out/sub/a.yaml"]);
            assert_eq!(
                names(&scan_paths(&folder, &["out/sub"])),
                ["out/sub/a.yaml"]
            );
            assert_eq!(names(&scan_paths(&folder, &["c.yaml"])), ["c.yaml"]);
        }

        #[test]
        fn a_file_reached_by_link_and_by_name_is_read_once() {
            let folder = tree(&["real/a.yaml"]);
            symlink(folder.path().join("real"), folder.path().join("link")).unwrap();
            symlink(
                folder.path().join("real/a.yaml"),
                folder.path().join("a.yaml"),
            )
            .unwrap();
            let found = scan_paths(&folder, &["link", "a.yaml", "."]);
            assert_eq!(names(&found), ["real/a.yaml"]);
        }

        #[test]
        fn a_dangling_link_on_the_command_line_does_not_exist() {
            let folder = tree(&[]);
            symlink("nothing", folder.path().join("d.yaml")).unwrap();
            let found = scan_paths(&folder, &["d.yaml"]);
            assert_eq!(found.problems[0].to_string(), "d.yaml: path does not exist");
        }

        #[test]
        fn names_that_are_not_utf8_are_read_and_shown_with_replacements() {
            use std::os::unix::ffi::OsStrExt;
            let folder = tree(&[]);
            for byte in [0xFEu8, 0xFF] {
                let name = [b'a', byte, b'.', b'y', b'm', b'l'];
                fs::write(folder.path().join(std::ffi::OsStr::from_bytes(&name)), "x").unwrap();
            }
            let found = scan_paths(&folder, &["."]);
            assert_eq!(names(&found), ["a\u{FFFD}.yml", "a\u{FFFD}.yml"]);
            assert_eq!(load(&found.files[1]), Loaded::Text("x".to_owned()));
        }

        #[test]
        fn a_folder_that_cannot_be_listed_is_a_problem_and_the_walk_goes_on() {
            use std::os::unix::fs::PermissionsExt;
            let folder = tree(&["locked/a.yaml", "open/b.yaml"]);
            let locked = folder.path().join("locked");
            fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
            // Permissions do not restrict root.
            let holds = fs::read_dir(&locked).is_err();
            let found = scan_paths(&folder, &["."]);
            let elsewhere = scan_paths(&folder, &["open"]);
            let excluded = discover(folder.path(), &[folder.path().to_path_buf()], &|path| {
                path.starts_with("locked/")
            });
            fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
            assert!(names(&found).contains(&"open/b.yaml"));
            assert!(elsewhere.problems.is_empty());
            assert!(excluded.problems.is_empty());
            assert_eq!(found.problems.len(), usize::from(holds));
            for problem in &found.problems {
                let text = problem.to_string();
                assert!(text.starts_with("locked: cannot be read: "), "{text}");
            }
        }
    }

    #[test]
    fn the_root_is_the_nearest_folder_with_git_or_configuration() {
        let folder = tree(&["repo/.git/HEAD", "repo/a/b/x.yaml", "repo/c/y.yaml"]);
        let at = |path: &str| folder.path().join(path);
        let root = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| at(path)).collect();
            find_root(&paths).unwrap()
        };
        assert_eq!(root(&["repo/a/b/x.yaml"]), at("repo"));
        assert_eq!(root(&["repo"]), at("repo"));
        assert_eq!(root(&["repo/a/b/missing/x.yaml"]), at("repo"));
        write(&folder, "repo/a/.kubetaint.yaml", b"");
        assert_eq!(root(&["repo/a/b"]), at("repo/a"));
        assert_eq!(root(&["repo/a/b", "repo/c/y.yaml"]), at("repo"));
    }

    #[test]
    fn without_marks_the_root_is_what_is_scanned() {
        let folder = tree(&["a/b/x.yaml", "a/c/y.yaml"]);
        let at = |path: &str| folder.path().join(path);
        assert_eq!(find_root(&[at("a/b")]).unwrap(), at("a/b"));
        assert_eq!(find_root(&[at("a/b/x.yaml")]).unwrap(), at("a/b"));
        assert_eq!(find_root(&[at("a/b"), at("a/c/y.yaml")]).unwrap(), at("a"));
    }

    #[test]
    fn a_file_that_is_gone_or_a_folder_by_now_is_unreadable() {
        let folder = tree(&["a.yaml"]);
        let file = scan_paths(&folder, &["a.yaml"]).files.remove(0);
        fs::remove_file(&file.absolute).unwrap();
        assert!(matches!(load(&file), Loaded::Unreadable(_)));
        fs::create_dir(&file.absolute).unwrap();
        assert!(matches!(load(&file), Loaded::Unreadable(_)));
    }

    #[test]
    fn a_huge_file_is_too_large_only_when_it_may_hold_manifests() {
        use std::io::{Seek, SeekFrom, Write};
        const SIZE: u64 = 100_000_000;
        let folder = tree(&["a.yaml"]);
        let path = folder.path().join("a.yaml");
        let mut huge = fs::OpenOptions::new().write(true).open(&path).unwrap();
        huge.set_len(SIZE).unwrap();
        let file = scan_paths(&folder, &["."]).files.remove(0);
        assert_eq!(file.bytes, SIZE);
        assert_eq!(load(&file), Loaded::Irrelevant);
        // Across the boundary of two chunks, far from both ends.
        huge.seek(SeekFrom::Start(50 * 64 * 1024 - 4)).unwrap();
        huge.write_all(b"tolerations").unwrap();
        assert_eq!(load(&file), Loaded::TooLarge { bytes: SIZE });
    }
}
