//! Fuzzing: on any repository, a run ends soon and without a crash, and it changes only what it says that it changes.
//!
//! Plain `cargo test` tries a few files. `cargo test --test it fuzz -- --ignored` tries `KUBETAINT_FUZZ_FILES` files,
//! starting at seed `KUBETAINT_SEED` (one batch per seed). The initial files are the fixtures, the rules and the folders in
//! `KUBETAINT_FUZZ_SEEDS` (separated by `:`). `KUBETAINT_FUZZ_PROGRAM` names another build of the program,
//! `KUBETAINT_FUZZ_SECONDS` the processor time allowed for a run. A failing batch is bisected, and the minimized files are
//! kept in the system's temporary folder.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]
#![cfg(unix)]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::mutations::{Dice, Seed, mutated, seeds};
use serde_json::Value;
use tempfile::TempDir;
use walkdir::WalkDir;

/// Files in a batch: enough that the start of the program does not matter, few enough to bisect quickly.
const BATCH: usize = 100;

/// The memory limit of a run.
const KILOBYTES: usize = 512 * 1024;

/// `Err` describes the first failure.
type Tried = Result<(), String>;

/// A check on a folder with a batch of files.
type Trial = fn(&Path) -> Tried;

/// The checks, in rotation.
const TRIALS: &[(&str, Trial)] = &[
    ("reports", reports),
    ("fixes", |folder| fixes(folder, "--fix")),
    ("pools", pools),
    ("unsafe fixes", |folder| fixes(folder, "--unsafe-fixes")),
    ("listings", listings),
    ("fixes again", |folder| fixes(folder, "--fix")),
    ("baseline", baseline),
    ("unsafe fixes again", |folder| {
        fixes(folder, "--unsafe-fixes")
    }),
    ("ignores", ignores),
    ("own files", own_files),
    ("placement", placement),
];

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect(name))
}

fn program() -> PathBuf {
    env::var_os("KUBETAINT_FUZZ_PROGRAM")
        .map_or_else(|| env!("CARGO_BIN_EXE_kubetaint").into(), PathBuf::from)
}

/// Runs the program within limits. Returns an error if it ends abnormally.
fn run(folder: &Path, arguments: &[&str]) -> Result<Output, String> {
    let seconds = number("KUBETAINT_FUZZ_SECONDS", 10);
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "ulimit -c 0; ulimit -v {KILOBYTES}; ulimit -t {seconds}; exec \"$0\" \"$@\""
        ))
        .arg(program())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = format!("{arguments:?}: {}", output.status);
    let last: Vec<&str> = errors.lines().rev().take(5).collect();
    if output.status.signal().is_some() || errors.contains("panicked") {
        return Err(format!("{said}: {last:?}"));
    }
    match output.status.code() {
        Some(0..=2) => Ok(output),
        _ => Err(format!("{said}: {last:?}")),
    }
}

/// The JSON report of a run, or an error if it wrote none.
fn json(output: &Output) -> Result<Value, String> {
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("no JSON: {error}: {said}")
    })?;
    for problem in report["problems"].as_array().unwrap() {
        let message = problem["message"].as_str().unwrap();
        if message.contains("bug") || message.contains("panic") {
            return Err(problem.to_string());
        }
    }
    Ok(report)
}

/// A copy of the files alone.
fn copy(folder: &Path) -> TempDir {
    let target = TempDir::new().unwrap();
    fs::create_dir(target.path().join(".git")).unwrap();
    for (path, text) in files(folder) {
        write(target.path(), &path, &text);
    }
    target
}

fn write(folder: &Path, path: &str, text: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap();
            let path = path.to_str().unwrap().to_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Returns an error for the first file that differs between two copies.
fn same(what: &str, one: &Path, other: &Path) -> Tried {
    let other = files(other);
    for (path, text) in files(one) {
        if other.get(&path) != Some(&text) {
            return Err(format!("{what}: {path} differs"));
        }
    }
    Ok(())
}

fn reports(folder: &Path) -> Tried {
    let formats = [
        "text", "concise", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson", "markdown",
    ];
    let elsewhere = TempDir::new().unwrap();
    let targets: Vec<String> = formats
        .iter()
        .map(|name| format!("{name}={}/{name}", elsewhere.path().display()))
        .collect();
    let mut arguments = vec!["check", "--min-severity", "note", "--format", "json"];
    for target in &targets {
        arguments.extend(["--format", target.as_str()]);
    }
    json(&run(folder, &arguments)?)?;
    for name in ["sarif", "gitlab", "rdjson"] {
        let text = fs::read(elsewhere.path().join(name)).unwrap();
        serde_json::from_slice::<Value>(&text).map_err(|error| format!("{name}: {error}"))?;
    }
    let lines = fs::read_to_string(elsewhere.path().join("jsonl")).unwrap();
    for line in lines.lines() {
        serde_json::from_str::<Value>(line).map_err(|error| format!("jsonl: {error}"))?;
    }
    Ok(())
}

/// `--fix` makes the changes of the patch, a second run changes nothing, and only reported edits are made.
fn fixes(folder: &Path, how: &str) -> Tried {
    let patch = run(folder, &["check", how, "--diff"])?.stdout;
    let fixed = copy(folder);
    run(fixed.path(), &["check", how])?;
    let patched = copy(folder);
    if !patch.is_empty() {
        apply(patched.path(), &patch)?;
    }
    same("the patch and the fixes", fixed.path(), patched.path())?;
    if how == "--fix" {
        outside(folder, fixed.path())?;
    }
    let again = copy(fixed.path());
    run(again.path(), &["check", how])?;
    same("a second time", fixed.path(), again.path())
}

fn apply(folder: &Path, patch: &[u8]) -> Tried {
    // Outside the folder, so that it is not one of the files.
    let elsewhere = TempDir::new().unwrap();
    let path = elsewhere.path().join("patch");
    fs::write(&path, patch).unwrap();
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .arg(&path)
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", env::temp_dir())
        .env("GIT_DIR", elsewhere.path())
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git apply: {said}"))
}

/// Checks that no bytes changed outside of safe fixes.
fn outside(folder: &Path, fixed: &Path) -> Tried {
    let report = json(&run(folder, &["check", "--format", "json"])?)?;
    let (before, after) = (files(folder), files(fixed));
    let edits = edits(&report);
    let none = Vec::new();
    for (path, old) in &before {
        let edits = edits.get(path).unwrap_or(&none);
        let new = &after[path];
        if old == new || kept(old, new, edits) {
            continue;
        }
        // Fixes may have enabled others, which the first report does not contain.
        let again = copy(folder);
        write(again.path(), path, &applied(old, edits));
        let next = json(&run(again.path(), &["check", "--format", "json"])?)?;
        if !self::edits(&next).contains_key(path) {
            return Err(format!("{path} changed where no fix says so"));
        }
    }
    Ok(())
}

type Edit = (usize, usize, String);

/// The edits of safe fixes, by file, in order.
fn edits(report: &Value) -> BTreeMap<String, Vec<Edit>> {
    let mut all: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        if finding["fix"]["safe"] != true {
            continue;
        }
        for edit in finding["fix"]["edits"].as_array().unwrap() {
            let offset =
                |end: &str| usize::try_from(edit[end]["offset"].as_u64().unwrap()).unwrap();
            let file = edit["file"].as_str().unwrap().to_owned();
            let text = edit["text"].as_str().unwrap().to_owned();
            all.entry(file)
                .or_default()
                .push((offset("start"), offset("end"), text));
        }
    }
    for edits in all.values_mut() {
        edits.sort();
        edits.dedup();
    }
    all
}

/// The text after a byte order mark. The report's offsets refer to it.
fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Whether everything between the edits is still there, in the same order.
fn kept(old: &[u8], new: &[u8], edits: &[Edit]) -> bool {
    let (old, mut rest) = (unmarked(old), unmarked(new));
    let mut at = 0;
    for (number, (start, end, _)) in edits.iter().enumerate() {
        let piece = &old[at.min(*start)..*start];
        if at <= *start {
            let found = if number == 0 {
                rest.starts_with(piece).then_some(0)
            } else {
                position(rest, piece)
            };
            let Some(found) = found else { return false };
            rest = &rest[found + piece.len()..];
        }
        at = at.max(*end);
    }
    rest.ends_with(&old[at..])
}

fn position(text: &[u8], piece: &[u8]) -> Option<usize> {
    if piece.is_empty() {
        return Some(0);
    }
    text.windows(piece.len()).position(|held| held == piece)
}

/// The text after applying the edits that overlap no earlier one.
fn applied(old: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mark = old.len() - unmarked(old).len();
    let mut made = old[..mark].to_vec();
    let old = unmarked(old);
    let mut at = 0;
    for (start, end, text) in edits {
        if *start < at {
            continue;
        }
        made.extend_from_slice(&old[at..*start]);
        made.extend_from_slice(text.as_bytes());
        at = *end;
    }
    made.extend_from_slice(&old[at..]);
    made
}

/// Pools listed as an inventory can be read as one.
fn pools(folder: &Path) -> Tried {
    run(folder, &["pools"])?;
    for form in ["yaml", "json"] {
        let listed = run(folder, &["pools", "-o", form])?;
        let elsewhere = TempDir::new().unwrap();
        let path = elsewhere.path().join(format!("pools.{form}"));
        fs::write(&path, &listed.stdout).unwrap();
        let path = path.to_str().unwrap();
        let report = json(&run(
            folder,
            &["check", "--pools", path, "--format", "json"],
        )?)?;
        let about = format!("pools.{form}");
        for problem in report["problems"].as_array().unwrap() {
            if problem["file"]
                .as_str()
                .is_some_and(|file| file.ends_with(&about))
            {
                return Err(format!("its own inventory: {problem}"));
            }
        }
    }
    Ok(())
}

/// The JSON list of a run, which is missing only if there was nothing to read.
fn listed(output: &Output) -> Result<Value, String> {
    if output.stdout.is_empty() && output.status.code() == Some(2) {
        return Ok(Value::Null);
    }
    let said = |error| format!("no JSON: {error}: {:?}", output.status);
    serde_json::from_slice(&output.stdout).map_err(said)
}

/// Commands that show clusters and placement, in each of their formats.
fn placement(folder: &Path) -> Tried {
    listed(&run(folder, &["clusters", "-o", "json"])?)?;
    let matrix = run(folder, &["matrix", "-o", "json"])?;
    for form in ["text", "markdown", "csv", "html"] {
        run(folder, &["matrix", "-o", form])?;
    }
    let matrix = listed(&matrix)?;
    let clusters = matrix["clusters"].as_array();
    for cluster in clusters.into_iter().flatten() {
        let Some(pool) = cluster["pools"][0].as_str() else {
            continue;
        };
        // A name may be one that no argument can hold.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if pool.chars().all(is_plain) && !pool.starts_with('-') {
            run(folder, &["why", "--pool", pool])?;
            let taint = format!("{pool}=a=b:NoExecute");
            run(folder, &["whatif", "--taint", &taint, "-o", "json"])?;
        }
    }
    Ok(())
}

fn listings(folder: &Path) -> Tried {
    run(folder, &["init", "--stdout"])?;
    run(folder, &["check", "--show-files"])?;
    run(folder, &["check", "--show-settings"])?;
    run(folder, &["check", "--statistics", "--verbose"])?;
    let first = files(folder).into_keys().next();
    if let Some(first) = first {
        json(&run(
            folder,
            &["check", "--format", "json", "--only", &first],
        )?)?;
    }
    Ok(())
}

/// Findings in a baseline are no longer reported.
fn baseline(folder: &Path) -> Tried {
    let elsewhere = TempDir::new().unwrap();
    let path = elsewhere.path().join("baseline.yaml");
    let path = path.to_str().unwrap();
    run(folder, &["check", "--write-baseline", path])?;
    if !Path::new(path).exists() {
        return Ok(());
    }
    let arguments = ["check", "--baseline", path, "--format", "json"];
    let report = json(&run(folder, &arguments)?)?;
    let left = report["findings"].as_array().unwrap();
    match left.first() {
        Some(finding) => Err(format!("left by its own baseline: {finding}")),
        None => Ok(()),
    }
}

/// Written comments suppress their findings, and a second run writes nothing.
fn ignores(folder: &Path) -> Tried {
    let patch = run(folder, &["check", "--add-ignores", "why not", "--diff"])?.stdout;
    let written = copy(folder);
    run(written.path(), &["check", "--add-ignores", "why not"])?;
    let patched = copy(folder);
    if !patch.is_empty() {
        apply(patched.path(), &patch)?;
    }
    same("the patch and the comments", written.path(), patched.path())?;
    let again = copy(written.path());
    run(again.path(), &["check", "--add-ignores", "why not"])?;
    same("a second time", written.path(), again.path())
}

/// Uses each file as one of kubetaint's own files, although it may not be valid.
fn own_files(folder: &Path) -> Tried {
    for (path, text) in files(folder).into_iter().take(12) {
        let elsewhere = copy_of_nothing();
        let here = elsewhere.path();
        let forms = ["settings", "rules", "providers", "baseline"];
        let known = forms.iter().find(|form| path.contains(*form));
        let form = known.unwrap_or(&forms[path.len() % 4]);
        write(here, "pod.yaml", b"kind: Pod\napiVersion: v1\nspec: {}\n");
        write(here, &format!("{form}/a.yaml"), &text);
        match *form {
            "settings" => run(here, &["check", "--config", "settings/a.yaml"])?,
            "rules" => run(here, &["test", "rules"])?,
            "providers" => {
                write(here, ".kubetaint.yaml", b"providers: [providers]\n");
                run(here, &["check"])?
            }
            _ => run(here, &["check", "--baseline", "baseline/a.yaml"])?,
        };
    }
    Ok(())
}

fn copy_of_nothing() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

fn try_files(files: &[Seed], trial: Trial) -> Tried {
    let folder = copy_of_nothing();
    for file in files {
        write(folder.path(), &file.name, &file.text);
    }
    trial(folder.path())
}

/// A minimal set of files that still fails, with the failure.
fn bisect(files: &[Seed], why: String, trial: Trial) -> (Vec<Seed>, String) {
    let mut files = files.to_vec();
    let mut why = why;
    let mut parts = 2;
    while files.len() > 1 {
        let size = files.len().div_ceil(parts);
        // If it fails without some of the files, they are not needed.
        let fewer = (0..files.len()).step_by(size).find_map(|from| {
            let to = (from + size).min(files.len());
            let rest = [&files[..from], &files[to..]].concat();
            let alone = files[from..to].to_vec();
            [alone, rest].into_iter().find_map(|part| {
                let failed = try_files(&part, trial).err()?;
                (part.len() < files.len() && !part.is_empty()).then_some((part, failed))
            })
        });
        match fewer {
            Some((part, failed)) => {
                files = part;
                why = failed;
                parts = 2;
            }
            None if parts >= files.len() => break,
            None => parts = (parts * 2).min(files.len()),
        }
    }
    (files, why)
}

/// Tries this many files, starting at a seed. Failing files are kept and named.
fn fuzz(count: usize, seed: u64) {
    let asked = env::var("KUBETAINT_FUZZ_SEEDS").unwrap_or_default();
    let own = ["fixtures", "rules", "providers", "tests/it/odd_fixes"];
    let mut folders: Vec<&Path> = own.iter().map(Path::new).collect();
    folders.extend(
        asked
            .split(':')
            .filter(|one| !one.is_empty())
            .map(Path::new),
    );
    let seeds = seeds(&folders);
    assert!(seeds.len() > 100, "{} files to begin with", seeds.len());
    println!("KUBETAINT_SEED={seed} KUBETAINT_FUZZ_FILES={count}");
    let mut failures = Vec::new();
    for batch in 0..count.div_ceil(BATCH) {
        let number = seed + batch as u64;
        let mut dice = Dice::new(number.wrapping_mul(0x0001_0000_0001));
        let size = BATCH.min(count - batch * BATCH);
        let files: Vec<Seed> = (0..size)
            .map(|number| mutated(&seeds, number, &mut dice))
            .collect();
        let (name, trial) = TRIALS[usize::try_from(number).unwrap() % TRIALS.len()];
        let Err(why) = try_files(&files, trial) else {
            continue;
        };
        let (few, why) = bisect(&files, why, trial);
        let kept = env::temp_dir().join(format!("kubetaint-fuzz-{number}"));
        for file in &few {
            write(&kept, &file.name, &file.text);
        }
        let failure = format!("{name}, seed {number}, {}: {why}", kept.display());
        println!("{failure}");
        failures.push(failure);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_handful_of_files_that_nobody_wrote_ends_no_run_in_disorder() {
    for trial in 0..4 {
        fuzz(10, trial);
    }
}

#[test]
#[ignore = "takes as long as one wants: KUBETAINT_FUZZ_FILES"]
fn files_that_nobody_wrote_end_no_run_in_disorder() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let count = usize::try_from(number("KUBETAINT_FUZZ_FILES", 1000)).unwrap();
    fuzz(count, number("KUBETAINT_SEED", now.as_secs()));
}
