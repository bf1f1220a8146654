//! Writing that ends in the middle, because the disk is full or the program is killed: every file has its old content or its
//! new content, whole. The tests limit how large a file may become, which interrupts the writing like a full disk, or kills
//! the program in the middle of it.

#![cfg(target_os = "linux")]
// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{BAD, Run, command, repo, run, write};
use crate::surroundings::after;
use tempfile::TempDir;

/// Lets no file become larger than 1 KiB: each write beyond fails.
const FULL: &str = "trap '' XFSZ; ulimit -f 1;";

/// Lets the system kill the program at the first write beyond 1 KiB.
const KILLED: &str = "ulimit -c 0; ulimit -f 1;";

/// What each command writes, and how its error begins.
const WRITES: [(&[&str], &str, &str); 7] = [
    (
        &["check", "--fix"],
        "large.yaml",
        "error: large.yaml: not fixed: ",
    ),
    (
        &["check", "--add-ignores=because"],
        "large.yaml",
        "error: large.yaml: not written: ",
    ),
    (
        &["check", "--write-baseline", "known.yaml"],
        "known.yaml",
        "error: known.yaml: ",
    ),
    (
        &["check", "--format", "json=report.json"],
        "report.json",
        "error: report.json: ",
    ),
    (
        &["check", "--quiet", "--format", "junit=report.xml"],
        "report.xml",
        "error: report.xml: ",
    ),
    (
        &["matrix", "-o", "html", "--output", "page.html"],
        "page.html",
        "error: page.html: ",
    ),
    (
        &["init", "--force"],
        ".kubetaint.yaml",
        "error: ./.kubetaint.yaml: ",
    ),
];

/// A Pod with so many findings that no report about them fits 1 KiB.
fn large() -> String {
    let (head, list) = BAD.split_once("    - ").unwrap();
    let one = |at: usize| format!("    - {}", list.replace("/x", &format!("/x{at}")));
    let all: String = (0..30).map(one).collect();
    format!("{head}{all}")
}

fn repository() -> TempDir {
    repo(&[("large.yaml", &large()), ("small.yaml", BAD)])
}

/// The names of the files in a folder that no user gave.
fn leftovers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with(".kubetaint-"))
        .collect()
}

#[test]
fn half_a_report_stayed_on_a_full_disk() {
    for (arguments, name, told) in WRITES {
        let folder = repository();
        let path = folder.path().join(name);
        let before = fs::read_to_string(&path).ok();
        let output = after(folder.path(), FULL, arguments).output().unwrap();
        let run = Run::of(output);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        let told = format!("{told}File too large (os error 27)\n");
        assert!(run.err.contains(&told), "{arguments:?}: {}", run.err);
        assert_eq!(fs::read_to_string(&path).ok(), before, "{arguments:?}");
        assert!(leftovers(folder.path()).is_empty(), "{arguments:?}");
    }
}

#[test]
fn one_report_that_could_not_be_written_kept_the_others_from_being_written() {
    let folder = repo(&[("z.yaml", BAD)]);
    let formats = ["json=/dev/full", "sarif=kept.sarif", "concise"];
    let formats = formats.iter().flat_map(|format| ["--format", format]);
    let arguments: Vec<&str> = ["check"].into_iter().chain(formats).collect();
    let found = run(folder.path(), &arguments);
    let told = "error: /dev/full: No space left on device (os error 28)\n";
    assert_eq!(found.code, 2);
    assert!(found.err.ends_with(told), "{}", found.err);
    assert_eq!(found.places(), ["z.yaml:9:7: error[value-with-exists"]);
    let kept = || fs::read_to_string(folder.path().join("kept.sarif")).unwrap();
    assert!(kept().contains("value-with-exists"));
    fs::remove_file(folder.path().join("kept.sarif")).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let arguments = ["check", "--format", "text", "--format", "sarif=kept.sarif"];
    let output = command(folder.path(), &arguments).stdout(full).output();
    let found = Run::of(output.unwrap());
    let told = "error: the output could not be written: No space left on device (os error 28)\n";
    assert_eq!((found.code, found.err.as_str()), (2, told));
    assert!(kept().contains("value-with-exists"));
}

#[test]
fn output_for_which_there_is_no_room_fails_every_command() {
    let folder = repo(&[("z.yaml", BAD)]);
    for arguments in [
        &["check", "--write-baseline", "/dev/full"][..],
        &["matrix", "--output", "/dev/full"],
        &["check", "--diff"],
        &["pools", "-o", "yaml"],
        &["init", "--stdout"],
        &["explain", "blanket-exists"],
        &["completions", "bash"],
        &["man"],
        &["schema", "rule"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(folder.path(), arguments).stdout(full).output();
        let failed = Run::of(output.unwrap());
        assert_eq!(failed.code, 2, "{arguments:?}: {}", failed.err);
        let is_told = failed.err.contains(": No space left on device");
        assert!(is_told, "{arguments:?}: {}", failed.err);
    }
}

#[test]
fn a_run_that_is_killed_while_it_writes_leaves_the_old_content() {
    for (arguments, name, _) in WRITES {
        let folder = repository();
        let path = folder.path().join(name);
        if !path.exists() {
            fs::write(&path, "old\n").unwrap();
        }
        let before = fs::read_to_string(&path).unwrap();
        let ended = after(folder.path(), KILLED, arguments).output().unwrap();
        let signal = ended.status.signal();
        assert!(signal.is_some(), "{arguments:?}: {:?}", ended.status);
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "{arguments:?}");
        // What the killed run leaves is not in the way of the next.
        assert_eq!(leftovers(folder.path()).len(), 1, "{arguments:?}");
        let next = run(folder.path(), arguments);
        assert_ne!(next.code, 2, "{arguments:?}: {}", next.err);
        let now = fs::read_to_string(&path).unwrap();
        assert_ne!(now, before, "{arguments:?}");
        assert_eq!(leftovers(folder.path()).len(), 1, "{arguments:?}");
    }
}

#[test]
fn what_a_killed_run_leaves_is_not_read() {
    let folder = repo(&[("a.yaml", BAD), (".kubetaint-a1B2c3", BAD)]);
    let found = run(folder.path(), &["check", "--format", "json"]);
    assert_eq!(found.code, 1, "{}", found.err);
    assert_eq!(found.json()["summary"]["files"], 1);
}

#[test]
fn fixes_that_are_killed_at_any_moment_leave_each_file_as_it_was_or_fixed() {
    const FILES: usize = 20;
    let path = |folder: &Path, at: usize| folder.join(format!("f{at:02}.yaml"));
    let fixed = BAD.replace("      value: w\n", "");
    for round in 0..5 {
        let folder = repo(&[]);
        for at in 0..FILES {
            write(folder.path(), &format!("f{at:02}.yaml"), BAD);
        }
        let mut child = command(folder.path(), &["check", "--fix", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Killed when the first files are written, each time a little later.
        let first = path(folder.path(), round);
        let until = Instant::now() + Duration::from_secs(60);
        while fs::read_to_string(&first).unwrap() == BAD && Instant::now() < until {
            thread::sleep(Duration::from_micros(50));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for at in 0..FILES {
            let text = fs::read_to_string(path(folder.path(), at)).unwrap();
            assert!(text == BAD || text == fixed, "{round}: {at}: {text}");
        }
        let left = leftovers(folder.path()).len();
        assert!(left <= 1, "{left}");
    }
}
