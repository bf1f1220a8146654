//! Checks the architecture: imports point downward, each external crate is used only where it belongs, files have a
//! readable size, and the documentation matches the program.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod fuzzing;
mod imports;
mod screens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use imports::{Named, named_paths, without_literals, without_tests};
use walkdir::WalkDir;

/// The layers, highest first. A module imports only from lower layers, never from its own or a higher one.
const FLOORS: &[&[&str]] = &[
    &["main"],
    &["commands"],
    &["verify"],
    &["placement"],
    &["lint", "discover", "explain", "schema", "proposal"],
    &["cache"],
    &["extract", "rule", "config", "output", "baseline"],
    &["template", "rendering"],
    &["inventory", "terraform", "charts", "kustomize", "delivery"],
    &["yaml", "model", "cli"],
    &["finding"],
    &["source", "builtin"],
];

/// Imports that the layers would allow but the design does not.
const STRANGERS: &[(&str, &str, &str)] = &[
    ("yaml", "finding", "yaml knows nothing of Kubernetes"),
    (
        "terraform",
        "model",
        "terraform knows nothing of Kubernetes",
    ),
    ("terraform", "cli", "terraform reads what it is handed"),
    ("kustomize", "model", "kustomize knows little of Kubernetes"),
    ("kustomize", "cli", "kustomize reads what it is handed"),
    (
        "output",
        "terraform",
        "output is handed findings and sources",
    ),
    ("output", "yaml", "output is handed findings and sources"),
    ("output", "model", "output is handed findings and sources"),
    ("baseline", "model", "a baseline knows findings only"),
    ("discover", "yaml", "discover reads bytes, not meaning"),
    ("discover", "model", "discover reads bytes, not meaning"),
    ("lint", "builtin", "whoever calls says which rules run"),
    ("lint", "cli", "the pipeline does not know who calls it"),
];

/// External paths, and the only modules that may use them.
const RESERVED: &[(&str, &[&str])] = &[
    ("gotmpl", &["template"]),
    ("granit_parser", &["yaml"]),
    ("unicode_ident", &["terraform"]),
    ("cel", &["rule"]),
    ("miette", &["output"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli", "commands"]),
    ("clap_mangen", &["commands"]),
    ("percent_encoding", &["output"]),
    (
        "schemars",
        &[
            "charts", "config", "extract", "finding", "model", "output", "rule", "schema", "yaml",
        ],
    ),
    ("supports_hyperlinks", &["commands"]),
    ("ignore", &["discover"]),
    ("rustix", &["discover"]),
    ("walkdir", &["commands"]),
    ("indicatif", &["commands"]),
    ("globset", &["config"]),
    ("std::fs", &["commands", "discover", "main"]),
    ("std::env", &["commands", "discover", "main"]),
    ("std::process", &["commands", "discover", "main"]),
    ("std::net", &[]),
];

/// The most lines of a file without its tests.
const MAX_LINES: usize = 420;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[
    (
        "lint/judge.rs",
        "one pass for each scope over the same state",
    ),
    ("model/notice.rs", "one row for each kind of notice"),
    ("rule/mod.rs", "a rule, its loading and its evaluation"),
    (
        "yaml/build.rs",
        "one state machine over the parser's events",
    ),
    (
        "yaml/de.rs",
        "one method for each shape that a derived type asks for",
    ),
    ("yaml/node.rs", "the tree and every way to look at it"),
];

/// Deliberate cycles: a whole and its part, split only because of their size.
const PAIRS: &[[&str; 2]] = &[
    ["model::node_labels", "model::node_selection"],
    ["lint::overlay", "lint::gather"],
    ["yaml::node", "yaml::wide"],
];

/// Files that still contain methods of a type from another file. Do not add any.
const AWAY: &[&str] = &[
    "commands/standard_input.rs",
    "config/clusters.rs",
    "config/test_paths.rs",
    "config/version.rs",
    "extract/table_names.rs",
    "inventory/list.rs",
    "lint/nearest.rs",
    "model/eviction.rs",
    "model/node_labels.rs",
    "model/selection_errors.rs",
    "output/place.rs",
    "terraform/body.rs",
    "terraform/describe.rs",
    "terraform/evaluate.rs",
    "terraform/expressions.rs",
    "terraform/fill.rs",
    "terraform/functions.rs",
    "terraform/includes.rs",
    "terraform/mod.rs",
    "terraform/references.rs",
    "terraform/templates.rs",
    "terraform/trees.rs",
    "yaml/gaps.rs",
    "yaml/tree.rs",
];

/// Names that say nothing about the contents.
const EMPTY_NAMES: [&str; 7] = [
    "utils", "util", "helpers", "helper", "common", "misc", "shared",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A source file: its path below `src/`, with `/`, and its text.
struct Code {
    path: String,
    text: String,
}

impl Code {
    fn new(path: &str, text: &str) -> Code {
        Code {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The module of the file: `yaml/path.rs` is `yaml`, `path`.
    fn module(&self) -> Vec<String> {
        let mut module: Vec<String> = self
            .path
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
            module.pop();
        }
        module
    }

    /// The top-level module of the file; empty for `lib.rs`.
    fn top(&self) -> String {
        self.module().first().cloned().unwrap_or_default()
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    fn code(&self) -> String {
        without_tests(&without_literals(&self.text))
    }

    fn named(&self) -> Vec<Named> {
        named_paths(&self.code())
    }

    /// A path from the crate root, or `None` if it leads outside this crate.
    fn resolve(&self, segments: &[String]) -> Option<Vec<String>> {
        let mut base = self.module();
        let mut rest = segments;
        match rest.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            // The binary sees the library from outside.
            "kubetaint" if self.top() == "main" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }
}

fn sources() -> Vec<Code> {
    let folder = root().join("src");
    let mut sources = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.expect("src can be walked");
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
        {
            let path = entry.path().strip_prefix(&folder).expect("below src");
            sources.push(Code {
                path: path.to_string_lossy().replace('\\', "/"),
                text: fs::read_to_string(entry.path()).expect("a source file is text"),
            });
        }
    }
    assert!(sources.len() > 40, "the source files were found");
    sources
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// All violations in the files' imports.
fn import_complaints(sources: &[Code]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let top = source.top();
        if top.is_empty() {
            continue;
        }
        let Some(own) = floor(&top) else {
            complaints.push(format!("src/{}: `{top}` has no floor", source.path));
            continue;
        };
        for named in source.named() {
            let Some(target) = source.resolve(&named.segments) else {
                continue;
            };
            let place = format!("src/{}:{}", source.path, named.line);
            let Some(to) = target.first() else {
                complaints.push(format!("{place}: names the whole crate"));
                continue;
            };
            if *to == top {
                continue;
            }
            match floor(to) {
                None => complaints.push(format!("{place}: `{to}` has no floor")),
                Some(theirs) if theirs <= own => {
                    complaints.push(format!("{place}: `{top}` must not import `{to}`"));
                }
                Some(_) => {}
            }
            for (from, stranger, why) in STRANGERS {
                if top == *from && to == stranger {
                    complaints.push(format!("{place}: `{top}` must not import `{to}`: {why}"));
                }
            }
        }
    }
    complaints
}

/// External paths that are used where they must not be.
fn reserved_complaints(sources: &[Code]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let top = source.top();
        for named in source.named() {
            for (path, allowed) in RESERVED {
                let is_it = path
                    .split("::")
                    .zip(
                        named
                            .segments
                            .iter()
                            .map(Some)
                            .chain(std::iter::repeat(None)),
                    )
                    .all(|(part, segment)| segment.is_some_and(|segment| segment == part));
                // A single word that is not imported is a variable.
                let is_path = named.imported || named.segments.len() > 1;
                if is_it && is_path && !allowed.contains(&top.as_str()) {
                    complaints.push(format!(
                        "src/{}:{}: `{path}` is for {allowed:?} only",
                        source.path, named.line
                    ));
                }
            }
        }
    }
    complaints
}

/// Import cycles between the files of a folder. `mod.rs` files are left out, because files may use what they declare.
fn circles(sources: &[Code]) -> Vec<String> {
    let modules: BTreeSet<Vec<String>> = sources.iter().map(Code::module).collect();
    let mut edges: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let from = source.module();
        for named in source.named() {
            let Some(target) = source.resolve(&named.segments) else {
                continue;
            };
            let file = (1..=target.len())
                .rev()
                .map(|length| target[..length].to_vec())
                .find(|prefix| modules.contains(prefix));
            if let Some(to) = file
                && to != from
                && !from.starts_with(&to)
                && !to.starts_with(&from)
            {
                edges.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    for [one, other] in PAIRS {
        let name = |module: &[String]| module.join("::");
        for (from, to) in &mut edges {
            if name(from) == *one {
                to.retain(|to| name(to) != *other);
            }
        }
    }
    // A file that imports no remaining file, or is imported by none, is in no cycle.
    loop {
        let imported: BTreeSet<_> = edges.values().flatten().cloned().collect();
        let free: Vec<_> = edges
            .iter()
            .filter(|(from, to)| {
                !imported.contains(*from) || to.iter().all(|to| !edges.contains_key(to))
            })
            .map(|(from, _)| from.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        for from in free {
            edges.remove(&from);
        }
    }
    edges
        .into_iter()
        .map(|(from, to)| {
            let to: Vec<String> = to.iter().map(|to| to.join("::")).collect();
            format!("{} -> {}", from.join("::"), to.join(", "))
        })
        .collect()
}

/// Methods outside the file of their type. Such files call each other without a visible import.
fn methods_away_from_their_type(sources: &[Code]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let code = source.code();
        let defines = |name: &str| {
            ["struct", "enum", "union", "trait"].iter().any(|word| {
                let definition = format!("{word} {name}");
                code.match_indices(&definition).any(|(at, _)| {
                    let next = code[at + definition.len()..].chars().next();
                    next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
                })
            })
        };
        for (line, text) in code.lines().enumerate() {
            let Some(rest) = text.strip_prefix("impl") else {
                continue;
            };
            // Angle brackets after `impl` enclose generic parameters.
            let mut depth = 0_i32;
            let start = rest.find(|c: char| {
                depth += match c {
                    '<' => 1,
                    '>' => -1,
                    _ => 0,
                };
                depth == 0 && c.is_alphabetic()
            });
            let header = &rest[start.unwrap_or(rest.len())..];
            let end = header.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &header[..end.unwrap_or(header.len())];
            let is_of_trait = header.contains(" for ") || header.contains("::");
            if !is_of_trait && !name.is_empty() && !defines(name) {
                complaints.push(format!(
                    "src/{}:{}: `{name}` is defined in another file",
                    source.path,
                    line + 1
                ));
            }
        }
    }
    complaints
}

fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn imports_run_downward() {
    assert_none(&import_complaints(&sources()));
}

#[test]
fn outside_libraries_and_the_disk_are_named_only_where_they_belong() {
    assert_none(&reserved_complaints(&sources()));
}

#[test]
fn no_file_imports_in_a_circle() {
    assert_none(&circles(&sources()));
}

#[test]
fn methods_stand_beside_their_type() {
    let mut complaints = methods_away_from_their_type(&sources());
    for path in AWAY {
        let own = format!("src/{path}:");
        let before = complaints.len();
        complaints.retain(|complaint| !complaint.starts_with(&own));
        if complaints.len() == before {
            complaints.push(format!("src/{path}: no longer needs its excuse"));
        }
    }
    assert_none(&complaints);
}

#[test]
fn methods_away_from_their_type_are_reported() {
    let sources = [
        Code::new(
            "yaml/path.rs",
            "pub struct Path;\nimpl Path {}\nimpl<'a> Clone for Walk<'a> {}\n",
        ),
        Code::new("yaml/walk.rs", "impl<'a> Walk<'a> {}\nimpl Pathway {}\n"),
    ];
    assert_eq!(
        methods_away_from_their_type(&sources),
        [
            "src/yaml/walk.rs:1: `Walk` is defined in another file",
            "src/yaml/walk.rs:2: `Pathway` is defined in another file",
        ]
    );
}

#[test]
fn the_map_lists_the_modules_in_floor_order() {
    let text = read("src/lib.rs");
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let floors: Vec<usize> = listed
        .iter()
        .map(|module| floor(module).unwrap_or_else(|| panic!("`{module}` has no floor")))
        .collect();
    assert!(floors.is_sorted(), "src/lib.rs: {listed:?}");
    let planned = FLOORS.iter().flat_map(|floor| floor.iter()).count();
    // All except `main`.
    assert_eq!(listed.len(), planned - 1);
}

#[test]
fn a_wrong_import_is_reported_however_it_is_written() {
    for text in [
        "use crate::lint::lint;",
        "use crate::{source::Span, lint::{self, Input}};",
        "fn f() { crate::lint::lint(); }",
        "pub use super::super::lint;",
        "use\n    crate::\n    lint::*;",
    ] {
        let code = [Code::new("model/taint.rs", text)];
        let complaints = import_complaints(&code);
        assert_eq!(
            complaints.len(),
            complaints
                .iter()
                .filter(|one| one.contains("`model` must not import `lint`"))
                .count()
        );
        assert!(!complaints.is_empty(), "{text}");
    }
    let neighbours = [Code::new("extract/read.rs", "use crate::rule::Rule;")];
    assert_eq!(
        import_complaints(&neighbours),
        ["src/extract/read.rs:1: `extract` must not import `rule`"]
    );
    let newcomer = [Code::new("attic.rs", "use crate::source::Span;")];
    assert_eq!(
        import_complaints(&newcomer),
        ["src/attic.rs: `attic` has no floor"]
    );
}

#[test]
fn what_only_looks_like_an_import_is_not_reported() {
    let text = r##"
        //! See `crate::lint`.
        /* crate::lint /* crate::verify */ crate::lint */
        const A: &str = "use crate::lint; \" crate::lint";
        const B: &str = r#"crate::"lint"#;
        const C: char = '"';
        fn f<'a>(x: &'a str) -> crate::source::Span { super::toleration::x(x) }
        #[cfg(test)]
        mod tests {
            use crate::lint::lint;
        }
    "##;
    assert_none(&import_complaints(&[Code::new("model/taint.rs", text)]));
}

#[test]
fn a_reserved_path_is_reported_however_it_is_written() {
    for text in [
        "use std::{env, fs::File};",
        "fn f() { std::fs::read(\"x\"); }",
        "use std::fs;",
    ] {
        let complaints = reserved_complaints(&[Code::new("lint/mod.rs", text)]);
        assert!(
            complaints
                .iter()
                .any(|one| one.contains("`std::fs` is for")),
            "{text}: {complaints:?}"
        );
    }
    let program = [Code::new("lint/judge.rs", "fn f(program: cel::Program) {}")];
    assert_eq!(
        reserved_complaints(&program),
        ["src/lint/judge.rs:1: `cel` is for [\"rule\"] only"]
    );
    assert_none(&reserved_complaints(&[Code::new(
        "rule/mod.rs",
        "use cel::Program;",
    )]));
}

#[test]
fn a_circle_between_files_is_reported() {
    let sources = [
        Code::new("yaml/mod.rs", "mod path; mod node; pub use path::Path;"),
        Code::new("yaml/path.rs", "use super::node::Node;"),
        Code::new("yaml/node.rs", "use crate::yaml::path::Path;"),
        Code::new("yaml/scan.rs", "use super::node::Node;"),
    ];
    let found = circles(&sources);
    assert!(
        found.contains(&"yaml::node -> yaml::path".to_owned()),
        "{found:?}"
    );
    assert_none(&circles(&sources[..2]));
}

#[test]
fn every_source_file_says_what_belongs_in_it() {
    let silent: Vec<String> = sources()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path.clone())
        .collect();
    assert_none(&silent);
}

#[test]
fn no_file_is_too_long_to_be_read() {
    let mut complaints = Vec::new();
    let sources = sources();
    for source in sources.iter().filter(|source| !source.is_test()) {
        // Lines of tests inside the file do not count.
        let code = without_literals(&source.text);
        let tests = code
            .lines()
            .zip(without_tests(&code).lines())
            .filter(|(all, kept)| all != kept)
            .count();
        let lines = source.text.lines().count() - tests;
        let excused = LONG_FILES.iter().any(|(path, _)| *path == source.path);
        if lines > MAX_LINES && !excused {
            complaints.push(format!("src/{}: {lines} lines", source.path));
        }
        if lines <= MAX_LINES && excused {
            complaints.push(format!("src/{}: no longer needs its excuse", source.path));
        }
    }
    for (path, _) in LONG_FILES {
        if !sources.iter().any(|source| source.path == *path) {
            complaints.push(format!("src/{path}: excused, and not there"));
        }
    }
    assert_none(&complaints);
}

#[test]
fn no_module_has_an_empty_name() {
    for source in sources() {
        for part in source.module() {
            assert!(!EMPTY_NAMES.contains(&part.as_str()), "src/{}", source.path);
        }
    }
}

/// Notices have a field for each property that a rule may need, and messages have a case for each condition.
#[test]
fn built_in_rules_parse_no_words_of_ours_and_say_plain_sentences() {
    let ours = ["notice.", "workload.refused", "workload.rejection"];
    let parses = [".startsWith(", ".endsWith(", ".contains(", ".matches("];
    let mut complaints = Vec::new();
    for entry in fs::read_dir(root().join("rules")).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        let mut key = "";
        for line in text.lines().take_while(|line| !line.starts_with("why:")) {
            if !line.starts_with(' ') {
                key = line.split(':').next().unwrap_or_default();
            }
            let is_of_ours = |at: usize| {
                let before = line[..at].rsplit([' ', '(', '!', '{', '\'']).next();
                before.is_some_and(|before| ours.iter().any(|made| before.starts_with(made)))
            };
            let parsed = parses
                .iter()
                .any(|call| line.match_indices(call).any(|(at, _)| is_of_ours(at)));
            let says = ["message", "help", "cases"].contains(&key);
            if parsed || (says && line.contains(" ? ")) {
                complaints.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn rules_and_providers_are_named_like_their_files() {
    for (folder, key) in [("rules", "id"), ("providers", "name")] {
        let mut files = 0;
        for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            assert!(
                path.extension()
                    .is_some_and(|extension| extension == "yaml"),
                "{}",
                path.display()
            );
            let text = fs::read_to_string(&path).expect("text");
            let expected = format!("{key}: {name}");
            assert!(
                text.lines().any(|line| line == expected),
                "{folder}/{name}.yaml: no line `{expected}`"
            );
            files += 1;
        }
        assert!(files > 20, "{folder}/ holds files");
    }
}

/// Every file that belongs in the repository, without those that `.gitignore` excludes.
fn repository_files() -> Vec<PathBuf> {
    ignore::WalkBuilder::new(root())
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect()
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    // Assembled here, so that this file does not contain them.
    let places = [["/wo", "rk/"], ["/tmp", "/wt"], ["/ro", "ot/"]].map(|parts| parts.concat());
    let files = repository_files();
    assert!(files.len() > 100, "the repository's files were found");
    let mut complaints = Vec::new();
    for file in files {
        let text =
            String::from_utf8_lossy(&fs::read(&file).expect("a file can be read")).into_owned();
        for (number, line) in (1..).zip(text.lines()) {
            if places.iter().any(|place| line.contains(place.as_str())) {
                complaints.push(format!("{}:{number}: {line}", file.display()));
            }
        }
    }
    assert_none(&complaints);
}

fn kubetaint(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("kubetaint runs");
    let text = String::from_utf8(output.stdout).expect("the report is UTF-8");
    (output.status.code(), text)
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let (code, report) = kubetaint(&["check", "fixtures/gpu-pool"]);
    assert_eq!(code, Some(1), "{report}");
    let readme = read("README.md");
    assert!(
        readme.contains(&format!("```text\n{}\n```", report.trim_end())),
        "README.md does not show this report:\n{report}"
    );
}

#[test]
fn the_configuration_and_the_rule_that_the_readme_shows_are_right() {
    let readme = read("README.md");
    let mut blocks = readme
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("policies")).expect("a folder");
    fs::create_dir(path("apps")).expect("a folder");
    fs::copy(
        root().join("fixtures/gpu-pool/apps/gallery.yaml"),
        path("apps/gallery.yaml"),
    )
    .expect("a copy");
    // The first pattern of the sample cluster and of the excluded files must match something.
    for place in ["clusters/prod", "vendor"] {
        fs::create_dir_all(path(place)).expect("folders");
        fs::write(path(place).join("x.yaml"), "{}\n").expect("a file");
    }
    for (file, text) in [
        (
            "nodes/prod.yaml",
            "{apiVersion: v1, kind: Node, metadata: {name: a}}\n",
        ),
        ("terraform/dev.tfvars", ""),
    ] {
        let file = path(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(file, text).expect("a file");
    }
    let configuration = blocks.next().expect("the configuration");
    fs::write(path(".kubetaint.yaml"), configuration).expect("a file");
    let rule = blocks
        .find(|block| block.starts_with("id: "))
        .expect("the rule");
    fs::write(path("policies/night-only.yaml"), rule).expect("a file");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("kubetaint runs");
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let (code, text) = run(&["check", "--fail-on", "never"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&["test", "policies"]);
    assert_eq!((code, text.as_str()), (Some(0), "2 passed, 0 failed\n"));
}

#[test]
fn the_readme_names_every_command_and_no_other() {
    let (_, help) = kubetaint(&["--help"]);
    let commands: BTreeSet<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // A long description goes on below itself, not below the names.
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|command| !["", "help"].contains(command))
        .collect();
    assert!(commands.contains("check"), "{help}");
    let readme = read("README.md");
    let named: BTreeSet<&str> = readme
        .split("kubetaint ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next())
        .filter(|word| commands.contains(word))
        .collect();
    assert_eq!(named, commands);
}

#[test]
fn the_readme_shows_what_the_action_takes_and_gives() {
    let action: serde_yaml::Value =
        serde_yaml::from_str(&read("action.yml")).expect("action.yml is YAML");
    let entries = |key: &str| -> Vec<(String, String, String)> {
        let entries = action[key].as_mapping().expect(key);
        entries
            .iter()
            .map(|(name, entry)| {
                let text =
                    |value: &serde_yaml::Value| value.as_str().unwrap_or_default().to_owned();
                (
                    text(name),
                    text(&entry["default"]),
                    text(&entry["description"]),
                )
            })
            .collect()
    };
    let mut table = String::from("| input | default | |\n| --- | --- | --- |\n");
    for (name, default, description) in entries("inputs") {
        let default = match default.as_str() {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        table.push_str(&format!("| `{name}` | {default} | {description} |\n"));
    }
    table.push('\n');
    let readme = read("README.md");
    assert!(readme.contains(&table), "README.md does not show:\n{table}");
    let mut table = String::from("| output | |\n| --- | --- |\n");
    for (name, _, description) in entries("outputs") {
        table.push_str(&format!("| `{name}` | {description} |\n"));
    }
    table.push('\n');
    assert!(readme.contains(&table), "README.md does not show:\n{table}");
    // The version in the README is the one used here.
    let checkout = readme
        .lines()
        .find(|line| line.contains("uses: actions/checkout@"))
        .expect("README.md shows a workflow");
    assert!(read(".github/workflows/ci.yml").contains(checkout.trim()));
    let released = read("action/releases")
        .lines()
        .any(|line| !line.starts_with('#'));
    let words: Vec<&str> = readme.split_whitespace().collect();
    let says_none = words
        .join(" ")
        .contains("verifies their SHA-256. There is none yet");
    assert_eq!(says_none, !released, "what README.md says of releases");
}

#[test]
fn the_rules_that_the_pages_name_exist() {
    let ids: BTreeSet<&str> = kubetaint::builtin::RULES
        .iter()
        .map(|(name, _)| name.trim_end_matches(".yaml"))
        .collect();
    let readme = read("README.md");
    let mut named = 0;
    for after in readme.split("kubetaint explain ").skip(1) {
        let id = after
            .split(|c: char| !c.is_ascii_lowercase() && c != '-')
            .next()
            .unwrap_or_default();
        if !id.is_empty() {
            assert!(ids.contains(id), "README.md: there is no rule `{id}`");
            named += 1;
        }
    }
    assert!(named > 0, "README.md shows `kubetaint explain`");
}

/// Names of the dependencies in `Cargo.toml`, including dev-dependencies.
fn dependencies() -> BTreeSet<String> {
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in read("Cargo.toml").lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
            // The form that cargo writes into the package.
            if let Some((_, name)) = line.split_once("dependencies.") {
                names.insert(name.trim_end_matches(']').to_owned());
            }
        } else if let Some((name, _)) = line.split_once(" = ")
            && inside
        {
            names.insert(name.to_owned());
        }
    }
    names
}

#[test]
fn contributing_gives_a_reason_for_each_dependency_and_no_other() {
    let text = read("CONTRIBUTING.md");
    let reasoned: BTreeSet<String> = text
        .lines()
        .skip_while(|line| *line != "## Dependencies")
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    let all: BTreeSet<String> = dependencies()
        .into_iter()
        .chain(fuzzing::DEPENDENCIES.map(str::to_owned))
        .collect();
    assert_eq!(reasoned, all);
}

#[test]
fn contributing_shows_the_floors_that_are_held() {
    let plan: String = FLOORS
        .iter()
        .map(|floor| format!("{}\n", floor.join("  ")))
        .collect();
    let text = read("CONTRIBUTING.md");
    assert!(
        text.contains(&format!("```text\n{plan}```")),
        "CONTRIBUTING.md does not show:\n{plan}"
    );
}
