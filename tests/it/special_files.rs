//! Links, devices and pipes in a repository: endless files are not read, files outside the repository are not written, and
//! the run reports it.

#![cfg(unix)]
// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::program::{BAD, GOOD, OWN_RULE, Run, repo, run};
use tempfile::TempDir;

const INVENTORY: &str = "inventory: 1\npools: []\n";

fn link(folder: &TempDir, target: impl AsRef<Path>, name: &str) {
    symlink(target, folder.path().join(name)).unwrap();
}

fn pipe(folder: &TempDir, name: &str) {
    let made = Command::new("mkfifo")
        .arg(folder.path().join(name))
        .status()
        .unwrap();
    assert!(made.success());
}

/// Asserts that the run is incomplete and reports the reason for this file.
fn refuses(run: &Run, said: &str) {
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains(said), "{said}: {}", run.err);
}

#[test]
fn an_ignore_file_that_is_a_link_to_a_device_does_not_exhaust_memory() {
    for name in [".gitignore", ".ignore", "apps/.gitignore"] {
        let folder = repo(&[("apps/a.yaml", BAD)]);
        link(&folder, "/dev/zero", name);
        let run = run(folder.path(), &["check", "--format", "concise"]);
        refuses(
            &run,
            &format!("{name}: not read: it points outside the repository"),
        );
        assert!(run.out.contains("value-with-exists"), "{}", run.out);
    }
}

#[test]
fn an_ignore_file_that_is_a_pipe_does_not_block() {
    let folder = repo(&[("a.yaml", BAD)]);
    pipe(&folder, ".gitignore");
    let run = run(folder.path(), &["check", "--format", "concise"]);
    refuses(&run, ".gitignore: not read: it is a named pipe");
}

#[test]
fn an_ignore_file_of_many_megabytes_is_not_read() {
    let folder = repo(&[("a.yaml", BAD)]);
    let large = fs::File::create(folder.path().join(".gitignore")).unwrap();
    large.set_len(100 << 20).unwrap();
    let run = run(folder.path(), &["check", "--format", "concise"]);
    refuses(&run, ".gitignore: not read: it is larger than 1 MiB");
}

#[test]
fn an_ignore_file_that_is_a_link_within_the_repository_counts() {
    let folder = repo(&[("a.yaml", GOOD), ("b.yaml", BAD), ("ignored", "b.yaml\n")]);
    link(&folder, "ignored", ".ignore");
    let run = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_file_that_is_named_and_is_a_link_to_a_device_is_refused() {
    for arguments in [
        ["check", "--baseline", "link.yaml"],
        ["check", "--config", "link.yaml"],
        ["check", "--pools", "link.yaml"],
        ["check", "--rules", "link.yaml"],
    ] {
        let folder = repo(&[("a.yaml", GOOD)]);
        link(&folder, "/dev/zero", "link.yaml");
        let run = run(folder.path(), &arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains("link.yaml"), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn a_configuration_that_leads_out_of_the_repository_is_not_shown_to_anybody() {
    let elsewhere = TempDir::new().unwrap();
    fs::write(elsewhere.path().join("secret"), "token: s3cr3t\n").unwrap();
    for target in [
        elsewhere.path().join("secret"),
        Path::new("/dev/zero").to_owned(),
    ] {
        let folder = repo(&[("a.yaml", GOOD)]);
        link(&folder, target, ".kubetaint.yaml");
        let run = run(folder.path(), &["check"]);
        refuses(&run, ".kubetaint.yaml: it points outside the repository");
        assert!(!run.err.contains("s3cr3t"), "{}", run.err);
    }
    let folder = repo(&[("a.yaml", GOOD)]);
    pipe(&folder, ".kubetaint.yaml");
    refuses(
        &run(folder.path(), &["check"]),
        ".kubetaint.yaml: it is a named pipe",
    );
}

#[test]
fn what_the_configuration_names_outside_of_the_repository_is_refused() {
    let elsewhere = TempDir::new().unwrap();
    let outside = elsewhere.path().join("rules");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("no-x.yaml"), OWN_RULE).unwrap();
    fs::write(outside.join("pools.yaml"), INVENTORY).unwrap();
    let above = format!("../{}", elsewhere.path().file_name().unwrap().display());
    for named in [
        format!("{}/rules", elsewhere.path().display()),
        format!("{above}/rules"),
        "linked".to_owned(),
    ] {
        for configuration in [
            format!("rule-dirs: [\"{named}\"]\n"),
            format!("providers: [\"{named}\"]\n"),
            format!(
                "clusters: {{prod: {{paths: [\"**\"], inventory: [\"{named}/pools.yaml\"]}}}}\n"
            ),
        ] {
            let folder = repo(&[("a.yaml", GOOD), (".kubetaint.yaml", &configuration)]);
            link(&folder, &outside, "linked");
            let run = run(folder.path(), &["check"]);
            refuses(&run, ".kubetaint.yaml:1:");
            assert!(run.err.contains("the repository"), "{}", run.err);
        }
    }
    // Users may name files outside the repository.
    let folder = repo(&[("a.yaml", GOOD)]);
    let rules = outside.join("no-x.yaml");
    let run = run(
        folder.path(),
        &["check", "--rules", &rules.display().to_string()],
    );
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out_of_the_repository() {
    let elsewhere = TempDir::new().unwrap();
    let kept = elsewhere.path().join("kept");
    for arguments in [
        ["check", "--write-baseline", "link"],
        ["check", "--format", "json=link"],
        ["check", "--write-baseline", "folder/kept"],
        ["check", "--format", "sarif=folder/new"],
        ["check", "--format", "json=dangling"],
        ["check", "--fix", "link.yaml"],
        ["check", "--add-ignores=because", "link.yaml"],
        ["matrix", "--output", "link"],
        ["matrix", "--output", "folder/new"],
        ["matrix", "--output", "dangling"],
    ] {
        fs::write(&kept, BAD).unwrap();
        let folder = repo(&[("a.yaml", BAD)]);
        link(&folder, &kept, "link");
        link(&folder, &kept, "link.yaml");
        link(&folder, elsewhere.path(), "folder");
        link(&folder, elsewhere.path().join("new"), "dangling");
        let run = run(folder.path(), &arguments);
        refuses(&run, "link that leads out of the repository");
        assert_eq!(fs::read_to_string(&kept).unwrap(), BAD, "{arguments:?}");
        assert!(!elsewhere.path().join("new").exists(), "{arguments:?}");
    }
}

#[test]
fn reports_go_through_links_that_stay_in_the_repository_and_to_devices_that_are_named() {
    let folder = repo(&[("a.yaml", GOOD), ("reports/old.json", "")]);
    link(&folder, "reports/old.json", "report.json");
    for target in ["json=report.json", "json=/dev/null", "json=/dev/stdout"] {
        let run = run(folder.path(), &["check", "--quiet", "--format", target]);
        assert_eq!(run.code, 0, "{target}: {}", run.err);
    }
    let written = fs::read_to_string(folder.path().join("reports/old.json")).unwrap();
    assert!(written.starts_with('{'), "{written}");
}
