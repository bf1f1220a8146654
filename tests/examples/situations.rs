//! Small repositories under `fixtures/situations`, each with every finding that is due in it: one test per folder.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use libtest_mimic::Trial;

use crate::program::run;

pub fn trials() -> io::Result<Vec<Trial>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let mut folders: Vec<_> = fs::read_dir(&root)?.collect::<Result<_, _>>()?;
    folders.sort_by_key(fs::DirEntry::file_name);
    let trial = |entry: fs::DirEntry| {
        let folder = entry.path();
        Trial::test(entry.file_name().to_string_lossy(), move || {
            Ok(compare(&folder)?)
        })
    };
    let folders = folders.into_iter().filter(|entry| entry.path().is_dir());
    Ok(folders.map(trial).collect())
}

/// Runs the program in the folder; every line of `severity rule path:line` must be expected, and the reverse.
fn compare(folder: &Path) -> Result<(), String> {
    let expected = fs::read_to_string(folder.join("expected.txt"))
        .map_err(|error| format!("expected.txt: {error}"))?;
    let run = run(folder, &["check", ".", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out)
        .map_err(|error| format!("no report ({error}): {}", run.err))?;
    let prefix = folder
        .strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .map(|path| path.to_string_lossy().replace('\\', "/") + "/")
        .unwrap_or_default();
    let mut found: Vec<String> = report["findings"]
        .as_array()
        .ok_or("no findings in the report")?
        .iter()
        .map(|finding| {
            let file = finding["file"].as_str().unwrap_or_default();
            format!(
                "{} {} {}:{}",
                finding["severity"].as_str().unwrap_or_default(),
                finding["rule"].as_str().unwrap_or_default(),
                file.strip_prefix(&prefix).unwrap_or(file),
                finding["start"]["line"]
            )
        })
        .collect();
    found.sort();
    let mut due: Vec<&str> = expected.lines().collect();
    due.sort_unstable();
    if found == due {
        return Ok(());
    }
    let due_set: BTreeSet<&str> = due.iter().copied().collect();
    let found_set: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let missing = due_set
        .difference(&found_set)
        .map(|one| format!("missing {one}"));
    let surplus = found_set
        .difference(&due_set)
        .map(|one| format!("surplus {one}"));
    let mut lines: Vec<String> = missing.chain(surplus).collect();
    if lines.is_empty() {
        lines.push(format!("repeated findings: {found:?}"));
    }
    Err(lines.join("\n"))
}
