//! Files that vanish, change or become something else while a run reads them. A named pipe among the files holds the run at
//! a known place: before the other files are read, or after.

#![cfg(target_os = "linux")]
// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{BAD, GOOD, Run, repo, run};
use crate::surroundings::as_nobody;

/// The pipe that is read before all other files.
const FIRST: &str = "a.pipe";

/// The pipe that is read after all other files.
const LAST: &str = "z.pipe";

/// Asks the system not to wait for a reader.
const AT_ONCE: i32 = 0o4000;

/// The finding in `m.yaml`, which nobody changes.
const STANDS: &str = "m.yaml:9:7: error[value-with-exists";

/// A Pod with a comment above it, whose finding is at line 10.
fn moved() -> String {
    format!("# new\n{BAD}")
}

/// Runs the program in a repository with the changing `f.yaml` and the lasting `m.yaml`. Makes the change when the program
/// has come to a pipe.
fn run_with_change(pipe: &str, arguments: &[&str], change: impl FnOnce(&Path)) -> (Run, String) {
    let folder = repo(&[("f.yaml", BAD), ("m.yaml", BAD), ("sub/g.yaml", BAD)]);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().join(pipe);
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let words = [&["check", "--threads", "1", pipe, "."], arguments].concat();
    let child = as_nobody_unless_it_writes(folder.path(), &words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = opened_by_a_reader(&path);
    change(folder.path());
    held.write_all(GOOD.as_bytes()).unwrap();
    drop(held);
    let run = ended(child);
    assert!(!run.err.contains("bug in kubetaint"), "{}", run.err);
    let after = folder.path().join("f.yaml");
    // Reading a pipe would never end.
    let after = match after.is_file() && words.contains(&"--fix") {
        true => fs::read_to_string(after).unwrap(),
        false => String::new(),
    };
    (run, after)
}

fn as_nobody_unless_it_writes(folder: &Path, words: &[&str]) -> Command {
    match words.contains(&"--fix") {
        true => crate::program::command(folder, words),
        false => as_nobody(folder, words),
    }
}

/// Waits until somebody reads a pipe.
fn opened_by_a_reader(path: &Path) -> fs::File {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let mut options = OpenOptions::new();
        match options.write(true).custom_flags(AT_ONCE).open(path) {
            Ok(opened) => return opened,
            // No reader yet.
            Err(error) if error.raw_os_error() == Some(6) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(Instant::now() < until, "nobody reads {}", path.display());
        thread::sleep(Duration::from_millis(2));
    }
}

/// The result of a run that prints little, which has to end soon.
fn ended(mut child: Child) -> Run {
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("the run does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
    Run::of(child.wait_with_output().unwrap())
}

const CONCISE: [&str; 2] = ["--format", "concise"];

/// Asserts that a run is incomplete, says why, and has the other finding.
fn tells(run: &Run, told: &str) {
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains(told), "{told}: {}", run.err);
    assert!(run.places().contains(&STANDS), "{}", run.out);
}

#[test]
fn a_file_that_is_not_what_was_found_is_told_by_its_name_and_the_others_stand() {
    let file = |folder: &Path| folder.join("f.yaml");
    let gone = |folder: &Path| fs::remove_file(file(folder)).unwrap();
    let (run, _) = run_with_change(FIRST, &CONCISE, gone);
    tells(&run, "error: f.yaml: cannot be read: No such file");
    let (run, _) = run_with_change(FIRST, &CONCISE, |folder| {
        gone(folder);
        fs::create_dir(file(folder)).unwrap();
    });
    tells(&run, "error: f.yaml: cannot be read: Is a directory");
    let (run, _) = run_with_change(FIRST, &CONCISE, |folder| {
        let hidden = fs::Permissions::from_mode(0o000);
        fs::set_permissions(file(folder), hidden).unwrap();
    });
    tells(&run, "error: f.yaml: cannot be read: Permission denied");
    let (run, _) = run_with_change(FIRST, &CONCISE, |folder| {
        fs::remove_dir_all(folder.join("sub")).unwrap();
    });
    tells(&run, "error: sub/g.yaml: cannot be read: No such file");
}

#[test]
fn a_file_that_became_a_pipe_held_the_run_for_ever() {
    let (run, _) = run_with_change(FIRST, &CONCISE, |folder| {
        let path = folder.join("f.yaml");
        fs::remove_file(&path).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    });
    tells(&run, "error: f.yaml: cannot be read: it is a named pipe");
}

#[test]
fn a_pipe_that_is_to_be_fixed_held_the_run_for_ever() {
    let folder = repo(&[("m.yaml", GOOD)]);
    let pipe = folder.path().join("f.yaml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = crate::program::command(folder.path(), &["check", "--fix", "f.yaml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = opened_by_a_reader(&pipe);
    held.write_all(BAD.as_bytes()).unwrap();
    drop(held);
    let run = ended(child);
    assert_eq!(run.code, 2, "{}", run.err);
    let told = "error: f.yaml: not fixed: it is a named pipe\n";
    assert!(run.err.contains(told), "{}", run.err);
}

#[test]
fn what_a_file_says_when_it_is_read_counts_and_not_its_former_size() {
    let (grown, _) = run_with_change(FIRST, &CONCISE, |folder| {
        let text = format!("{}---\n{BAD}", moved());
        fs::write(folder.join("f.yaml"), text).unwrap();
    });
    let found: Vec<&str> = grown.places();
    assert_eq!(grown.code, 1, "{}", grown.err);
    assert!(found.starts_with(&["f.yaml:10:7: error[value-with-exists"]));
    assert_eq!(found.len(), 4, "{found:?}");
    let (shrunk, _) = run_with_change(FIRST, &CONCISE, |folder| {
        fs::write(folder.join("f.yaml"), "").unwrap();
    });
    assert_eq!(shrunk.code, 1, "{}", shrunk.err);
    assert_eq!(shrunk.places().len(), 2, "{}", shrunk.out);
}

#[test]
fn a_file_that_changes_between_reading_and_the_report_is_read_again() {
    let (run, _) = run_with_change(LAST, &CONCISE, |folder| {
        fs::write(folder.join("f.yaml"), moved()).unwrap();
    });
    assert_eq!(run.code, 1, "{}", run.err);
    let first = run.places().first().copied();
    assert_eq!(first, Some("f.yaml:10:7: error[value-with-exists"));
    let (run, _) = run_with_change(LAST, &CONCISE, |folder| {
        fs::remove_file(folder.join("f.yaml")).unwrap();
    });
    tells(&run, "error: f.yaml: cannot be read: No such file");
    let (run, _) = run_with_change(LAST, &CONCISE, |folder| {
        fs::write(folder.join("f.yaml"), "kind: [").unwrap();
    });
    assert!(run.places().contains(&STANDS), "{}", run.out);
    assert!(!run.out.contains("f.yaml:9"), "{}", run.out);
}

#[test]
fn a_fix_never_takes_back_what_somebody_wrote_meanwhile() {
    let (run, after) = run_with_change(LAST, &["--fix"], |folder| {
        fs::write(folder.join("f.yaml"), moved()).unwrap();
    });
    assert!(after.starts_with("# new\n"), "{after}");
    assert!(run.err.contains("applied in 3 files"), "{}", run.err);
    assert!(!after.contains("value: w"), "{after}");
}

#[test]
fn a_fix_leaves_a_file_alone_that_changes_while_others_are_written() {
    // Between the last look at a file and its replacement, nothing can notice a change. That is a short time, so it does not
    // happen again and again.
    let is_kept = (0..3).any(|_| keeps_what_changes_while_others_are_written());
    assert!(is_kept, "the new content is gone");
}

fn keeps_what_changes_while_others_are_written() -> bool {
    const FILES: usize = 60;
    let folder = repo(&[]);
    let path = |at: usize| folder.path().join(format!("f{at:03}.yaml"));
    for at in 0..FILES {
        fs::write(path(at), BAD).unwrap();
    }
    let child = crate::program::command(folder.path(), &["check", "--fix"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(path(0)).unwrap() == BAD && Instant::now() < until {}
    fs::write(path(FILES - 1), moved()).unwrap();
    let run = ended(child);
    let told = format!(
        "error: f{:03}.yaml: not fixed: it changed meanwhile",
        FILES - 1
    );
    assert!(run.code == 0 || run.err.contains(&told), "{}", run.err);
    let last = fs::read_to_string(path(FILES - 1)).unwrap();
    last.starts_with("# new\n")
}

#[test]
fn runs_over_files_that_never_rest_end_in_order() {
    let folder = repo(&[("m.yaml", BAD)]);
    let is_over = AtomicBool::new(false);
    let ended = |result: std::io::Result<()>| {
        let is_fine = |error: &std::io::Error| {
            use ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
            [AlreadyExists, DirectoryNotEmpty, NotFound].contains(&error.kind())
        };
        assert!(result.as_ref().err().is_none_or(is_fine), "{result:?}");
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_usize.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let name = |at: usize| folder.path().join(format!("d{}/f{at}.yaml", at % 3));
                for at in 0..12 {
                    ended(fs::create_dir_all(name(at).parent().unwrap()));
                    let lines = "# line\n".repeat((round + at) % 7);
                    ended(fs::write(name(at), format!("{lines}{BAD}")));
                    ended(fs::rename(name(at), name((at + 5) % 12)));
                }
                if round % 4 == 0 {
                    ended(fs::remove_dir_all(folder.path().join("d1")));
                }
            }
        });
        // The other thread has to end even if an assertion fails.
        let outcome = std::panic::catch_unwind(|| {
            for arguments in [&CONCISE[..], &["--fix", "--format", "concise"]] {
                for _ in 0..4 {
                    let run = run(folder.path(), &[&["check"], arguments].concat());
                    assert!(!run.err.contains("bug in kubetaint"), "{}", run.err);
                    let stands = run.places().contains(&STANDS);
                    assert!(stands || arguments.contains(&"--fix"), "{}", run.out);
                    for line in run.err.lines().filter(|line| line.starts_with("error: ")) {
                        let names = line.starts_with("error: d") || line.contains(".yaml");
                        assert!(names, "{line}");
                    }
                }
            }
        });
        is_over.store(true, Ordering::Relaxed);
        outcome.unwrap();
    });
}
