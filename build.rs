//! Lists the rule, provider and chart files, so that the program carries them and adding one touches no source file. The
//! program reads them as JSON, which takes a tenth of the time that YAML takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_yaml::Value;

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let root = Path::new(&root);
    let mut code = String::new();
    for (constant, folder) in [
        ("RULES", "rules"),
        ("PROVIDERS", "providers"),
        ("CHARTS", "charts"),
    ] {
        let files = yaml_files(&root.join(folder))?;
        let _ = writeln!(code, "/// Name and text of each file in `{folder}/`.");
        let _ = writeln!(code, "pub const {constant}: &[(&str, &str)] = &[");
        for (name, path) in &files {
            let path = path.display().to_string();
            let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
        }
        let _ = writeln!(code, "];");
        if constant == "RULES" {
            let _ = writeln!(
                code,
                "/// Each file in `{folder}/`, as the program reads it."
            );
            let _ = writeln!(code, "pub const CARRIED_RULES: &[CarriedRule] = &[");
            for (file, path) in &files {
                let (rule, examples) = parted(read(path)?);
                let (rule, examples) = (json(&rule)?, json(&examples)?);
                let _ = writeln!(
                    code,
                    "    CarriedRule {{ file: {file:?}, rule: {rule:?}, examples: {examples:?} }},"
                );
            }
        } else {
            let _ = writeln!(code, "/// Name and JSON of each file in `{folder}/`.");
            let _ = writeln!(code, "pub const CARRIED_{constant}: &[(&str, &str)] = &[");
            for (name, path) in &files {
                let text = json(&read(path)?)?;
                let _ = writeln!(code, "    ({name:?}, {text:?}),");
            }
        }
        let _ = writeln!(code, "];");
    }
    for (constant, file, about) in [
        (
            "RELEASES",
            "kubernetes/releases.yaml",
            "The table of releases",
        ),
        (
            "LABEL_KEYS",
            "kubernetes/label-keys.yaml",
            "Known keys of node labels",
        ),
        (
            "CLOUDS",
            "kubernetes/clouds.yaml",
            "Clouds, and the commands that create their node pools",
        ),
        (
            "QUIET_KINDS",
            "kubernetes/quiet-kinds.yaml",
            "Kinds whose objects say nothing of pods or nodes",
        ),
        (
            "PATH_WORDS",
            "kubernetes/path-words.yaml",
            "The meaning of words in paths",
        ),
        (
            "WELL_KNOWN_TAINTS",
            "providers/well-known-taints.yaml",
            "Taints that exist without being declared in a manifest",
        ),
    ] {
        let path = root.join(file);
        println!("cargo:rerun-if-changed={}", path.display());
        let text = json(&read(&path)?)?;
        let _ = writeln!(code, "/// {about}, as JSON.");
        let _ = writeln!(code, "pub const {constant}: &str = {text:?};");
    }
    fs::write(Path::new(&out).join("builtin.rs"), code)
}

/// The YAML files of a folder, by name.
fn yaml_files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".yaml") {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> io::Result<Value> {
    let wrong = |why: serde_yaml::Error| io::Error::other(format!("{}: {why}", path.display()));
    let mut value: Value = serde_yaml::from_str(&fs::read_to_string(path)?).map_err(wrong)?;
    value.apply_merge().map_err(wrong)?;
    Ok(value)
}

/// Takes the examples out of a rule: they are most of its text, and few commands need them.
fn parted(mut rule: Value) -> (Value, Value) {
    let none = Value::Sequence(Vec::new());
    let examples = rule.get_mut("examples");
    let examples = examples.map(|examples| std::mem::replace(examples, none));
    (rule, examples.unwrap_or_default())
}

fn json(value: &Value) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::other)
}
