//! Reads revisions of a git repository with the installed `git`: the files of a commit, their texts, and what differs from the
//! working tree. Runs plumbing only, which neither runs hooks nor needs the network.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Why git could not answer, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GitError(String);

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Relative to the top of the repository, with `/`; invalid UTF-8 is replaced.
    pub path: String,
    /// What it is.
    pub kind: TrackedKind,
    /// The name of its content.
    pub object: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a commit has under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackedKind {
    /// An ordinary file.
    File,
    /// A symbolic link.
    Link,
    /// A commit of another repository.
    Submodule,
}

/// A git repository.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The top folder of its working tree.
    pub top: PathBuf,
}

/// The words of git for an object that a shallow or partial clone does not have.
const MISSING: [&str; 3] = ["missing", "bad object", "unable to read"];

impl Repository {
    /// The repository of a folder.
    ///
    /// # Errors
    /// Returns an error if git is not installed or the folder is in no repository.
    pub fn of(folder: &Path) -> Result<Repository, GitError> {
        let found = run(folder, &["rev-parse", "--show-toplevel"])?;
        if !found.status.success() {
            let why = first_line(&found.stderr);
            let folder = folder.display();
            return Err(GitError(match why.contains("not a git repository") {
                true => format!("{folder} is in no git repository, so it has no revisions"),
                false => format!("git: {why}"),
            }));
        }
        let top = String::from_utf8_lossy(&found.stdout);
        Ok(Repository {
            top: PathBuf::from(top.trim_end_matches(['\r', '\n'])),
        })
    }

    /// The path of a folder relative to the top. It ends with a slash unless it is empty.
    pub fn below(&self, folder: &Path) -> String {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let (top, folder) = (real(&self.top), real(folder));
        let below = folder.strip_prefix(&top).unwrap_or(Path::new(""));
        let below = super::shown(Path::new(""), below);
        match below.is_empty() {
            true => below,
            false => format!("{below}/"),
        }
    }

    /// The commit that a revision names, in full.
    ///
    /// # Errors
    /// Returns an error if there is no such commit, or a shallow clone does not have it.
    pub fn commit(&self, revision: &str) -> Result<String, GitError> {
        // A name may be known without its commit, which git reads to say that it is one.
        let wanted = format!("{revision}^{{commit}}");
        let asked = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ];
        let found = run(&self.top, &asked)?;
        let commit = first_line(&found.stdout);
        match found.status.success() && !commit.is_empty() {
            true => Ok(commit),
            false => Err(GitError(self.without(revision))),
        }
    }

    fn without(&self, revision: &str) -> String {
        let is_shallow = run(&self.top, &["rev-parse", "--is-shallow-repository"])
            .is_ok_and(|found| first_line(&found.stdout) == "true");
        let is_name_of_commit =
            revision.len() >= 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        match (is_shallow, is_name_of_commit) {
            (true, true) => format!(
                "the commit {revision} is not here: the clone is shallow; fetch it with `git fetch --depth=1 origin {revision}`"
            ),
            (true, false) => format!(
                "there is no revision `{revision}` here: the clone is shallow; fetch more of its history with `git fetch --unshallow`"
            ),
            (false, _) => format!("there is no revision `{revision}` in this git repository"),
        }
    }

    /// The last commit that two commits have in common.
    ///
    /// # Errors
    /// Returns an error if they have none that is known.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, GitError> {
        let found = run(&self.top, &["merge-base", one, other])?;
        let base = first_line(&found.stdout);
        match found.status.success() && !base.is_empty() {
            true => Ok(base),
            false => Err(GitError(format!(
                "no commit is known that {} and {} both come from; clone with more history, or name the revision to compare with",
                short(one),
                short(other)
            ))),
        }
    }

    /// The files of a commit below a folder, which is relative to the top and ends with `/` unless it is empty.
    ///
    /// # Errors
    /// Returns an error if the commit cannot be read.
    pub fn files(&self, commit: &str, below: &str) -> Result<Vec<Tracked>, GitError> {
        let mut asked = vec!["ls-tree", "-r", "-z", "--long", "--full-tree", commit];
        if !below.is_empty() {
            asked.extend(["--", below]);
        }
        let listed = self.answer(&asked)?;
        let lines = listed
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty());
        Ok(lines.filter_map(tracked).collect())
    }

    /// The paths that differ between a commit and the working tree, relative to the top. Files that are not tracked are not
    /// among them.
    ///
    /// # Errors
    /// Returns an error if git cannot compare them.
    pub fn changed(&self, commit: &str) -> Result<BTreeSet<String>, GitError> {
        let asked = [
            "diff-index",
            "-z",
            "--name-only",
            "--no-renames",
            "--ignore-submodules=dirty",
            commit,
        ];
        let listed = self.answer(&asked)?;
        let paths = listed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        Ok(paths
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect())
    }

    fn answer(&self, asked: &[&str]) -> Result<Vec<u8>, GitError> {
        let found = run(&self.top, asked)?;
        match found.status.success() {
            true => Ok(found.stdout),
            false => Err(GitError(format!("git: {}", first_line(&found.stderr)))),
        }
    }
}

/// The first characters of a commit's name.
pub fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// An entry of `git ls-tree -z --long`: mode, type, name and size, then a tab and the path.
fn tracked(line: &[u8]) -> Option<Tracked> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = line.split_at_checked(tab)?;
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split_ascii_whitespace();
    let (mode, _, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some(Tracked {
        path: String::from_utf8_lossy(path.get(1..)?).into_owned(),
        kind: match mode {
            "120000" => TrackedKind::Link,
            "160000" => TrackedKind::Submodule,
            _ => TrackedKind::File,
        },
        object: object.to_owned(),
        bytes: size.parse().unwrap_or(0),
    })
}

fn command(folder: &Path, asked: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .args(asked)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C");
    git
}

fn run(folder: &Path, asked: &[&str]) -> Result<Output, GitError> {
    let ran = command(folder, asked).stdin(Stdio::null()).output();
    ran.map_err(|error| GitError(not_run(&error)))
}

fn not_run(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "git is not installed, and revisions are read with it; compare two folders instead"
                .to_owned()
        }
        _ => format!("git could not be run: {error}"),
    }
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().next().unwrap_or_default().trim();
    let line = line.strip_prefix("fatal: ").unwrap_or(line);
    line.to_owned()
}

/// The contents of a repository, read from one process that stays open.
#[derive(Debug, Default)]
pub struct Blobs {
    top: PathBuf,
    /// Started when the first content is asked for.
    open: Mutex<Option<Reader>>,
}

#[derive(Debug)]
struct Reader {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It ends by itself when its input is closed; nothing waits for what it would still write.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Blobs {
    /// The contents of a repository.
    pub fn of(repository: &Repository) -> Blobs {
        Blobs {
            top: repository.top.clone(),
            open: Mutex::default(),
        }
    }

    /// The bytes of a content, at most `most` and one more.
    ///
    /// # Errors
    /// Returns an error if the repository does not have it, or git fails.
    pub fn read(&self, object: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = Some(self.start()?);
        }
        let answer = match open.as_mut() {
            Some(reader) => reader.read(object, most),
            None => Err(io::Error::other("git could not be run")),
        };
        if answer.is_err() {
            // What it was about to say is not in step any more.
            *open = None;
        }
        answer
    }

    fn start(&self) -> io::Result<Reader> {
        let mut child = command(&self.top, &["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), not_run(&error)))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("git has no pipes"))?;
        Ok(Reader {
            child,
            input,
            output: BufReader::new(output),
        })
    }
}

impl Reader {
    fn read(&mut self, object: &str, most: u64) -> io::Result<Vec<u8>> {
        writeln!(self.input, "{object}")?;
        self.input.flush()?;
        let mut head = String::new();
        self.output.read_line(&mut head)?;
        // `NAME blob SIZE`, or `NAME missing`.
        let mut words = head.trim_end().rsplit(' ');
        let Some(size) = words.next().and_then(|size| size.parse::<u64>().ok()) else {
            let is_missing = MISSING.iter().any(|word| head.contains(word));
            return Err(io::Error::other(match is_missing {
                true => "this clone does not have its content",
                false => "git could not read it",
            }));
        };
        let mut bytes = Vec::new();
        let kept = size.min(most + 1);
        bytes.reserve_exact(usize::try_from(kept).unwrap_or(0));
        (&mut self.output).take(kept).read_to_end(&mut bytes)?;
        io::copy(
            &mut (&mut self.output).take(size - kept + 1),
            &mut io::sink(),
        )?;
        match bytes.len() as u64 == kept {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
