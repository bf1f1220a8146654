//! `--cache` from outside: what is in the folder, several runs at once, folders that cannot be used, and that no report changes.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::program::{BAD, GOOD, Run, command, repo, run, write};

/// What a run with these arguments says, and how many files it knew of how many.
fn told(folder: &Path, cache: &str, arguments: &[&str]) -> (Run, String) {
    let all: Vec<&str> = ["check", "-v", "--format", "json", "--cache", cache]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let run = run(folder, &all);
    let line = run.err.lines().find(|line| line.contains("were known"));
    let known = line
        .and_then(|line| line.rsplit_once(": "))
        .map(|(_, counts)| counts);
    let known = known.unwrap_or_default().replace(" files were known", "");
    (run, known)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn pack(folder: &Path) -> PathBuf {
    let names = names(folder);
    let pack = names.iter().find(|name| name.ends_with(".pack"));
    folder.join(pack.expect("a pack"))
}

#[test]
fn a_second_run_knows_the_files_and_says_the_same() {
    let folder = repo(&[
        ("apps/web.yaml", BAD),
        ("apps/fine.yaml", GOOD),
        ("chart/Chart.yaml", "name: web\nversion: 1.0.0\n"),
        (
            "chart/templates/web.yaml",
            "{{- if .Values.on }}\nkind: Pod\nspec: {tolerations: {{ .Values.x }}}\n{{- end }}\n",
        ),
        (".kubetaint.yaml", "exclude: [\"old/**\"]\n"),
        ("old/a.yaml", BAD),
    ]);
    let root = folder.path();
    let bare = run(root, &["check", "--format", "json"]);
    let files = run(root, &["check", "--show-files", "-v"]);
    let expected = [("0 of 4", "1"), ("4 of 4", "1"), ("4 of 4", "8")];
    for (known, threads) in expected {
        let (run, found) = told(root, "kept/facts", &["--threads", threads]);
        assert_eq!((run.out, run.code), (bare.out.clone(), bare.code));
        assert_eq!(found, known, "{}", run.err);
    }
    let cache = root.join("kept/facts");
    let [ignore, tag, pack] = &names(&cache)[..] else {
        panic!("{:?}", names(&cache));
    };
    assert_eq!([ignore, tag], [".gitignore", "CACHEDIR.TAG"]);
    assert!(pack.starts_with("facts-"));
    let tag = fs::read_to_string(cache.join(tag)).unwrap();
    assert!(tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
    // The folder is none of the files of the repository.
    assert_eq!(
        fs::read_to_string(cache.join(ignore))
            .unwrap()
            .lines()
            .last(),
        Some("*")
    );
    let arguments = ["check", "--show-files", "-v", "--cache", "kept/facts"];
    let again = run(root, &arguments);
    assert_eq!((again.out, again.err), (files.out, files.err));
    write(root, "apps/fine.yaml", BAD.as_bytes());
    let (changed, known) = told(root, "kept/facts", &[]);
    assert_eq!(changed.out, run(root, &["check", "--format", "json"]).out);
    assert_eq!(known, "3 of 4");
}

#[test]
fn the_folder_is_not_read_where_nothing_ignores_it() {
    let folder = repo(&[
        ("a.yaml", BAD),
        (".kubetaint.yaml", "exclude: [\"facts/**\"]\n"),
    ]);
    let root = folder.path();
    let first = run(root, &["check", "--cache", "facts"]);
    fs::remove_file(root.join("facts/.gitignore")).unwrap();
    for arguments in [
        &["check", "--cache", "facts"][..],
        &["check", "--cache", "./facts/"],
    ] {
        let again = run(root, arguments);
        assert_eq!(
            (again.out, again.err),
            (first.out.clone(), first.err.clone())
        );
    }
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let files: Vec<(String, String)> = (0..40)
        .map(|number| {
            (
                format!("apps/{number}.yaml"),
                BAD.replace("web", &format!("web-{number}")),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let folder = repo(&files);
    let bare = run(folder.path(), &["check", "--format", "json"]);
    let arguments = ["check", "--format", "json", "--cache", "facts"];
    let running: Vec<_> = (0..6)
        .map(|_| {
            let mut command = command(folder.path(), &arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in running {
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(
            (run.out, run.err, run.code),
            (bare.out.clone(), bare.err.clone(), bare.code)
        );
    }
    let (_, known) = told(folder.path(), "facts", &[]);
    assert_eq!(known, "40 of 40");
    assert_eq!(names(&folder.path().join("facts")).len(), 3);
}

#[test]
fn a_pack_that_is_none_is_replaced() {
    let folder = repo(&[("a.yaml", BAD), ("b.yaml", GOOD)]);
    let bare = run(folder.path(), &["check", "--format", "json"]);
    told(folder.path(), "facts", &[]);
    let pack = pack(&folder.path().join("facts"));
    for text in ["", "kubetaint facts 1\n", "{}"] {
        fs::write(&pack, text).unwrap();
        let (broken, known) = told(folder.path(), "facts", &[]);
        assert_eq!((broken.out, broken.code), (bare.out.clone(), bare.code));
        assert!(!broken.err.contains("warning"), "{}", broken.err);
        assert_eq!(known, "0 of 2");
        assert_eq!(told(folder.path(), "facts", &[]).1, "2 of 2");
    }
}

/// The folder is a file, has the files of somebody else, or is a link to elsewhere.
#[test]
fn a_folder_that_cannot_be_used_is_told_and_changes_nothing() {
    let folder = repo(&[("a.yaml", BAD), ("apps/b.yaml", GOOD)]);
    let root = folder.path();
    let elsewhere = tempfile::TempDir::new().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(elsewhere.path(), root.join("link")).unwrap();
    let bare = run(root, &["check", "--format", "json"]);
    let cases = [
        ("a.yaml", "not used: "),
        ("apps", "not used: the folder has other files (`b.yaml`)"),
        (".", "not used: the folder has other files"),
        ("a.yaml/x", "not used: "),
        #[cfg(unix)]
        (
            "link",
            "not used: it is a link that leads out of the repository",
        ),
        #[cfg(unix)]
        (
            "link/x",
            "not used: it is a link that leads out of the repository",
        ),
    ];
    for (named, why) in cases {
        let (used, _) = told(root, named, &[]);
        assert_eq!(
            (used.out, used.code),
            (bare.out.clone(), bare.code),
            "{named}"
        );
        let told = format!("warning: --cache {named}: {why}");
        assert!(used.err.contains(&told), "{named}: {}", used.err);
    }
    assert_eq!(names(elsewhere.path()), [""; 0]);
    assert_eq!(names(&root.join("apps")), ["b.yaml"]);
    assert!(!root.join(".gitignore").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_told_and_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::surroundings::as_nobody;

    let folder = repo(&[("a.yaml", BAD), ("b.yaml", GOOD)]);
    let root = folder.path();
    fs::create_dir(root.join("facts")).unwrap();
    let open = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    open(root, 0o755);
    open(&root.join("facts"), 0o555);
    let arguments = ["check", "-q", "--format", "json"];
    let bare = Run::of(as_nobody(root, &arguments).output().unwrap());
    for named in ["facts", "new/facts"] {
        let arguments = [&arguments[..], &["--cache", named]].concat();
        let run = Run::of(as_nobody(root, &arguments).output().unwrap());
        assert_eq!((run.out, run.code), (bare.out.clone(), bare.code));
        let told = format!("warning: --cache {named}: cannot be written: ");
        assert!(run.err.starts_with(&told), "{}", run.err);
    }
    // What was kept before is used all the same.
    open(&root.join("facts"), 0o755);
    told(root, "facts", &[]);
    open(&root.join("facts"), 0o555);
    let (used, known) = told(root, "facts", &[]);
    assert_eq!((used.code, known.as_str()), (1, "2 of 2"));
    open(&root.join("facts"), 0o000);
    let bare = Run::of(as_nobody(root, &arguments).output().unwrap());
    let arguments = [&arguments[..], &["--cache", "facts"]].concat();
    let run = Run::of(as_nobody(root, &arguments).output().unwrap());
    assert_eq!((run.out, run.code), (bare.out, bare.code));
    assert!(
        run.err.contains("not used: Permission denied"),
        "{}",
        run.err
    );
    open(&root.join("facts"), 0o755);
}

#[test]
fn packs_of_other_programs_stay_for_a_while() {
    let folder = repo(&[("a.yaml", BAD)]);
    let cache = folder.path().join("facts");
    fs::create_dir(&cache).unwrap();
    for number in 0..6 {
        let path = cache.join(format!("facts-{number}.pack"));
        fs::write(&path, "of another program").unwrap();
        let day = std::time::Duration::from_secs(86_400 * (number + 1));
        let time = std::time::SystemTime::UNIX_EPOCH + day;
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
    }
    fs::write(cache.join(".kubetaint-abcdef"), "half").unwrap();
    told(folder.path(), "facts", &[]);
    let names = names(&cache);
    for (number, stays) in [(0, false), (2, false), (3, true), (5, true)] {
        let name = format!("facts-{number}.pack");
        assert_eq!(names.contains(&name), stays, "{names:?}");
    }
    assert!(
        names.contains(&".kubetaint-abcdef".to_owned()),
        "another run may be writing it"
    );
}

#[test]
fn fixes_and_changes_are_the_same_with_a_cache() {
    let git = |folder: &Path, arguments: &[&str]| {
        let run = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments)
            .current_dir(folder)
            .output();
        assert!(run.unwrap().status.success(), "git {arguments:?}");
    };
    let folders = [0, 1].map(|_| {
        let folder = repo(&[("a.yaml", GOOD), ("b.yaml", BAD)]);
        git(folder.path(), &["init", "-q"]);
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-q", "-m", "a"]);
        write(folder.path(), "a.yaml", BAD.as_bytes());
        folder
    });
    let [bare, kept] = folders.each_ref().map(tempfile::TempDir::path);
    for arguments in [
        &["check", "--format", "json", "--base", "HEAD"][..],
        &["check", "--fix", "--diff"],
        &["check", "--fix"],
        &["check", "--format", "json", "--base", "HEAD"],
        &["check"],
    ] {
        let one = run(bare, arguments);
        for _ in 0..2 {
            if arguments == ["check", "--fix"] {
                write(kept, "a.yaml", BAD.as_bytes());
                write(kept, "b.yaml", BAD.as_bytes());
            }
            let other = run(kept, &[arguments, &["--cache", "facts"]].concat());
            assert_eq!(one.out, other.out, "{arguments:?}");
            assert_eq!(one.code, other.code, "{arguments:?}");
        }
    }
    for file in ["a.yaml", "b.yaml"] {
        let text = |folder: &Path| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(text(bare), text(kept));
    }
}
