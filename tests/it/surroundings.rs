//! Surroundings that lack what a program usually has: variables, a terminal, a folder to stand in, open pipes, today's date,
//! threads, memory, open files.

#![cfg(target_os = "linux")]
// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{Read as _, pipe};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use crate::program::{BAD, GOOD, OWN_RULE, Run, command, repo, run, write};
use tempfile::TempDir;

/// The program, with these words of a shell before it.
pub fn after(folder: &Path, shell: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{shell} exec \"$@\""), "sh"])
        .arg(env!("CARGO_BIN_EXE_kubetaint"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// The program as a user whom permissions bind, even if the tests run as root.
pub fn as_nobody(folder: &Path, arguments: &[&str]) -> Command {
    const NOBODY: u32 = 65_534;
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return command(folder, arguments);
    }
    // The folder that the program was built in may be closed to others.
    static OPEN: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = OPEN.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let program = folder.path().join("kubetaint");
        let built = env!("CARGO_BIN_EXE_kubetaint");
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        (folder, program)
    });
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .uid(NOBODY)
        .gid(NOBODY);
    command
}

fn ran(mut command: Command) -> Run {
    Run::of(command.output().unwrap())
}

/// A repository with this many files that each have one finding.
fn many(files: usize) -> TempDir {
    let folder = repo(&[]);
    for at in 0..files {
        write(folder.path(), &format!("d{}/f{at}.yaml", at % 5), BAD);
    }
    folder
}

// Pipes that are closed

#[test]
fn a_reader_that_left_made_a_run_with_findings_succeed() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, code) in [
        (&["check"][..], 1),
        (&["check", "--format", "json", "--format", "sarif=kept"], 1),
        (&["check", "--statistics"], 1),
        (&["check", "--diff"], 1),
        (&["pools"], 0),
        (&["explain", "blanket-exists"], 0),
    ] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), arguments).stdout(writer).output();
        let run = Run::of(output.unwrap());
        assert_eq!(run.code, code, "{arguments:?}: {}", run.err);
        let is_told = run.err.contains("error: the output");
        assert!(!is_told, "{arguments:?}: {}", run.err);
    }
    // The other report was written all the same.
    let kept = fs::read_to_string(folder.path().join("kept")).unwrap();
    assert!(kept.contains("value-with-exists"), "{kept}");
}

#[test]
fn a_reader_may_leave_in_the_middle() {
    let folder = many(200);
    let (mut reader, writer) = pipe().unwrap();
    let mut command = command(folder.path(), &["check", "--format", "json"]);
    let mut child = command
        .stdout(writer)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The writing end belongs to the program alone.
    drop(command);
    let mut some = [0; 10];
    reader.read_exact(&mut some).unwrap();
    drop(reader);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn without_standard_streams_the_exit_code_says_what_was_found() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, code) in [
        (&["check"][..], 1),
        (&["check", "nope"], 2),
        (&["check", "-"], 2),
    ] {
        let mut closed = after(folder.path(), "exec <&- >&- 2>&-;", arguments);
        assert_eq!(closed.status().unwrap().code(), Some(code), "{arguments:?}");
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut deaf = command(folder.path(), arguments);
        let output = deaf.stdin(Stdio::null()).stderr(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

// Places and variables

#[test]
fn a_run_needs_no_variables() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, code) in [
        (&["check"][..], 1),
        (&["check", "--render", "helm"], 1),
        (&["explain", "blanket-exists"], 0),
        (&["init", "--stdout"], 0),
    ] {
        let bare = command(folder.path(), arguments).env_clear().output();
        let bare = Run::of(bare.unwrap());
        let usual = run(folder.path(), arguments);
        assert_eq!(bare.code, code, "{arguments:?}: {}", bare.err);
        assert_eq!(bare.out, usual.out, "{arguments:?}");
    }
    // Revisions are read with git, which is found by the PATH.
    let nowhere = folder.path().join("no-programs");
    let mut without = command(folder.path(), &["diff", "HEAD"]);
    let told = Run::of(without.env_clear().env("PATH", nowhere).output().unwrap());
    assert_eq!(told.code, 2);
    assert!(
        told.err.starts_with("error: git is not installed"),
        "{}",
        told.err
    );
}

#[test]
fn a_folder_that_was_deleted_under_the_run_is_told() {
    let folder = repo(&[("z.yaml", BAD)]);
    let path = folder.path().display().to_string();
    let shell = "mkdir gone && cd gone && rmdir ../gone;";
    let run = ran(after(folder.path(), shell, &["check"]));
    let told = "error: the working directory: No such file or directory (os error 2)\n";
    assert_eq!((run.code, run.err.as_str()), (2, told));
    let run = ran(after(folder.path(), shell, &["check", &path]));
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn copies_that_find_no_room_were_said_to_be_the_output() {
    let folder = repo(&[(".kubetaint.yaml", "rule-dirs: [own]\n"), ("z.yaml", GOOD)]);
    let rule = include_str!("../../rules/blanket-exists.yaml");
    write(folder.path(), "own/blanket-exists.yaml", rule);
    let shell = "rm -r .git && git init -q . && git add . && git -c user.name=a -c user.email=b commit -qm x;";
    let mut committed = after(folder.path(), shell, &["diff", "HEAD", "HEAD"]);
    let run = Run::of(committed.env("TMPDIR", "/nowhere").output().unwrap());
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.starts_with("error: `own` of "), "{}", run.err);
    let told = "cannot be copied to a temporary folder: No such file";
    assert!(run.err.contains(told), "{}", run.err);
}

#[test]
fn what_may_only_be_read_is_checked_and_not_written() {
    let folder = repo(&[("z.yaml", BAD), ("old.json", "old")]);
    let open = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    open(&folder.path().join("old.json"), 0o666);
    open(folder.path(), 0o555);
    for (arguments, told) in [
        (
            &["check", "--fix"][..],
            "error: z.yaml: not fixed: Permission denied",
        ),
        (
            &["check", "--add-ignores=because"],
            "error: z.yaml: not written: Permission denied",
        ),
        (
            &["check", "--write-baseline", "new.yaml"],
            "error: new.yaml: Permission denied",
        ),
        (
            &["check", "--format", "json=new.json"],
            "error: new.json: Permission denied",
        ),
        (
            &["matrix", "--output", "new.txt"],
            "error: new.txt: Permission denied",
        ),
        (&["init"], "error: ./.kubetaint.yaml: Permission denied"),
    ] {
        let run = ran(as_nobody(folder.path(), arguments));
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains(told), "{arguments:?}: {}", run.err);
    }
    // A report may be written where only its own file is writable, such as a mounted one.
    let run = ran(as_nobody(
        folder.path(),
        &["check", "--format", "json=old.json"],
    ));
    assert_eq!(run.code, 1, "{}", run.err);
    let report = fs::read_to_string(folder.path().join("old.json")).unwrap();
    assert!(report.ends_with("}\n") && report.contains("value-with-exists"));
    open(folder.path(), 0o755);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

// Clocks

/// Gives a program that is linked to it another date.
const CLOCK: &str = "#include <time.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME) return syscall(SYS_clock_gettime, clock, now);
  now->tv_sec = atoll(getenv(\"CLOCK\"));
  now->tv_nsec = 0;
  return 0;
}
";

#[cfg(target_env = "gnu")]
#[test]
fn the_clock_may_stand_in_1970_or_in_2100() {
    let tools = TempDir::new().unwrap();
    write(tools.path(), "clock.c", CLOCK);
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "clock.so", "clock.c"])
        .current_dir(tools.path())
        .status();
    assert!(built.unwrap().success());
    let limited = BAD.replace(
        "    - key",
        "    # kubetaint: ignore[value-with-exists] until=2090-01-01 because\n    - key",
    );
    let folder = repo(&[("z.yaml", &limited)]);
    let future = SystemTime::now() + Duration::from_secs(1 << 32);
    let file = fs::File::options()
        .append(true)
        .open(folder.path().join("z.yaml"));
    file.unwrap().set_modified(future).unwrap();
    for (seconds, code) in [
        ("0", 0),
        ("-86400", 0),
        ("4102444800", 1),
        ("99999999999", 1),
    ] {
        let output = command(
            folder.path(),
            &["check", "--isolated", "--format", "concise"],
        )
        .env("LD_PRELOAD", tools.path().join("clock.so"))
        .env("CLOCK", seconds)
        .output();
        let run = Run::of(output.unwrap());
        assert_eq!(run.code, code, "{seconds}: {}{}", run.out, run.err);
        assert_eq!(
            run.out.contains("value-with-exists"),
            code == 1,
            "{seconds}: {}",
            run.out
        );
    }
}

// Limits

/// Makes the system refuse each new thread, for want of memory for its stack.
const NO_THREADS: (&str, &str) = ("RUST_MIN_STACK", "70368744177664");

#[test]
fn a_run_that_could_start_no_thread_called_it_a_bug() {
    let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
    let folder = repo(&[
        ("a/z.yaml", BAD),
        ("charts/web/Chart.yaml", chart),
        ("own.yaml", OWN_RULE),
    ]);
    let programs = TempDir::new().unwrap();
    let script = format!("#!/bin/sh\ncat <<'END'\n{GOOD}END\n");
    write(programs.path(), "helm", script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(programs.path().join("helm"), executable).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    for arguments in [
        &["check"][..],
        &["check", "--threads", "4", "--render", "helm"],
        &["matrix"],
        &["rules"],
        &["test", "own.yaml"],
    ] {
        let outcome = |name: &str| {
            let mut command = command(folder.path(), arguments);
            let output = command.env("PATH", &path).env(name, NO_THREADS.1).output();
            let run = Run::of(output.unwrap());
            (run.code, run.out, run.err)
        };
        assert_eq!(outcome(NO_THREADS.0), outcome("OTHER"), "{arguments:?}");
    }
}

#[test]
fn few_files_may_be_open_at_once() {
    let folder = many(40);
    let usual = run(folder.path(), &["check", "--format", "concise"]);
    let arguments = ["check", "--format", "concise", "--threads", "8"];
    let limited = ran(after(folder.path(), "ulimit -n 16;", &arguments));
    assert_eq!(
        (limited.code, &limited.out),
        (1, &usual.out),
        "{}",
        limited.err
    );
    let tight = ran(after(folder.path(), "ulimit -n 5;", &arguments));
    assert!(!tight.err.contains("bug in kubetaint"), "{}", tight.err);
    if tight.out != usual.out {
        assert_eq!(tight.code, 2, "{}", tight.err);
        assert!(tight.err.contains("Too many open files"), "{}", tight.err);
    }
}

#[test]
fn too_little_memory_ends_a_run_at_once_and_says_so() {
    const ABORTED: i32 = 6;
    let folder = many(40);
    let usual = run(folder.path(), &["check", "--format", "concise"]);
    for kilobytes in [180_000, 200_000, 250_000, 400_000] {
        let shell = format!("ulimit -c 0; ulimit -v {kilobytes};");
        let arguments = ["check", "--format", "concise", "--threads", "4"];
        let output = after(folder.path(), &shell, &arguments).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        match (output.status.code(), output.status.signal()) {
            (Some(1), None) => assert_eq!(String::from_utf8_lossy(&output.stdout), usual.out),
            (Some(127), None) => assert!(err.contains("shared libraries"), "{err}"),
            (Some(2), None) => assert!(err.contains("error: "), "{err}"),
            (None, Some(ABORTED)) => assert!(err.contains("memory allocation of "), "{err}"),
            other => panic!("{kilobytes}: {other:?}: {err}"),
        }
        let is_odd = err.contains("bug in kubetaint") || err.contains("panicked");
        assert!(!is_odd, "{kilobytes}: {err}");
    }
}
