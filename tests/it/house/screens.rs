//! Compares the screens in the README with what the program prints for the repository in `tests/it/pull_request/`: its folder
//! `before` is the state before a change, and `after` has the files that change. `KUBETAINT_PAGES=write cargo test --test it
//! screens` writes the screens anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{read, root};
use crate::program::{copy, run};

/// Runs git as it runs everywhere: the names of commits depend on nobody's settings.
fn git(folder: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "kubetaint")
            .env(format!("GIT_{who}_EMAIL"), "kubetaint@example.com")
            .env(format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z");
    }
    let done = git
        .args(["-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", folder.join("no-settings"))
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

/// The repository with the change in its working tree.
fn changed() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let states = root().join("tests/it/pull_request");
    copy(&states.join("before"), folder.path());
    git(
        folder.path(),
        &["init", "-q", "-b", "main", "--object-format=sha1"],
    );
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "before"]);
    copy(&states.join("after"), folder.path());
    folder
}

/// Compares the README with a screen, which stands below a heading between the first line that `begins` and the next blank
/// line or fence. Each of its lines has the prefix.
fn compare(heading: &str, begins: &str, screen: &str) {
    let readme = read("README.md");
    let (before, section) = readme
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("README.md has no {heading}"));
    let (start, is_fenced) = match begins {
        "```text" => (
            section.find("```text\n").map(|at| at + "```text\n".len()),
            true,
        ),
        _ => (section.find(&format!("\n{begins}")).map(|at| at + 1), false),
    };
    let start = start.unwrap_or_else(|| panic!("{heading}: no screen"));
    let rest = &section[start..];
    let end = match is_fenced {
        true => rest.find("```").expect("a fence ends the screen"),
        false => rest.find("\n\n").expect("a blank line ends the screen") + 1,
    };
    if rest[..end] == *screen {
        return;
    }
    if std::env::var_os("KUBETAINT_PAGES").is_some_and(|value| value == "write") {
        let text = format!(
            "{before}\n{heading}\n{}{screen}{}",
            &section[..start],
            &rest[end..]
        );
        fs::write(root().join("README.md"), text).expect("README.md can be written");
        return;
    }
    panic!("README.md, {heading}, does not show this screen:\n{screen}");
}

#[test]
fn the_readme_shows_the_matrix_and_a_change_as_the_program_prints_them() {
    let repository = changed();
    let matrix = run(repository.path(), &["matrix"]);
    assert_eq!(matrix.code, 0, "{}", matrix.err);
    compare("## Where pods can run", "```text", &matrix.out);
    let diff = run(repository.path(), &["diff", "main", "-o", "markdown"]);
    assert_eq!(diff.code, 1, "{}", diff.err);
    let quoted: String = diff
        .out
        .lines()
        .map(|line| format!("{}\n", format!("> {line}").trim_end()))
        .collect();
    compare("## What a change does", ">", &quoted);
}
