//! Runs the program as a user does, for tests of the command line.

#![allow(dead_code, reason = "other test programs use a part of it")]
// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use walkdir::WalkDir;

/// A Pod whose only finding is `value-with-exists`, at line 9, column 7.
pub const BAD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: a, image: b}]
  tolerations:
    - key: example.com/x
      operator: Exists
      value: w
      effect: NoSchedule
";

/// A Pod without findings.
pub const GOOD: &str = "apiVersion: v1
kind: Pod
metadata: {name: fine}
spec:
  containers: [{name: a, image: b}]
";

/// The rule `no-x`. Its bad example only matches once its key is `x`.
pub const OWN_RULE: &str = "id: no-x
title: Key x is used
severity: warning
scope: toleration
when: toleration.key == \"x\"
at: toleration.key
message: key x is used
help: use another key
why: |
  Because.
examples:
  - bad: |
      apiVersion: v1
      kind: Pod
      metadata: {name: a}
      spec:
        tolerations:
          - key: y  # <- finding
            operator: Exists
  - good: |
      apiVersion: v1
      kind: Pod
      metadata: {name: a}
      spec:
        tolerations:
          - key: z
            operator: Exists
";

/// The result of a run.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The concise lines, up to the rule.
    pub fn places(&self) -> Vec<&str> {
        self.out
            .lines()
            .map(|line| line.split_once("] ").map_or(line, |(place, _)| place))
            .collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubetaint"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR");
    command
}

pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(command(folder, arguments).output().unwrap())
}

pub fn run_with_input(folder: &Path, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that rejects its arguments exits without reading.
    match child.stdin.take().unwrap().write_all(input.as_ref()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    Run::of(child.wait_with_output().unwrap())
}

/// A repository with these files.
pub fn repo(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    repo_of_bytes(&files)
}

/// A repository with files that may be binary.
pub fn repo_of_bytes(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

/// Writes a file and creates its folders.
pub fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Copies a folder recursively.
pub fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Checks a repository with these files, one concise line per finding.
pub fn concise(files: &[(&str, &str)]) -> Run {
    let folder = repo(files);
    run(folder.path(), &["check", "--format", "concise"])
}
