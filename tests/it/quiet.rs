//! Documents that are left out without being parsed never change what is read: a comparison with parsing everything, over the
//! fixtures, the examples of rules, and texts that are made from them.

use std::path::Path;

use kubetaint::extract::{extract, extract_all};
use kubetaint::source::{FileKind, Source, SourceId};
use kubetaint::yaml;

use crate::builtin::{RULES, TABLE};

/// Pieces of YAML that a made-up text consists of.
const LINES: [&str; 70] = [
    "apiVersion: v1",
    "apiVersion: rbac.authorization.k8s.io/v1",
    "apiVersion: apps/v1",
    "kind: Service",
    "kind: ConfigMap",
    "kind: ClusterRole",
    "kind: Deployment",
    "kind: Secret",
    "kind: Service # a comment",
    "kind: \"Service\"",
    "metadata:",
    "metadata: {name: a}",
    "  name: a",
    "  name: a # b",
    "  name: 'a'",
    "  name: \"a\"",
    "  name: \"a\\n\"",
    "  name: a: b",
    "  note: 'it''s",
    "    more: of it'",
    "  note: \"a",
    "    b \\q c\"",
    "    b \\\" c\" # d",
    "  pattern: ^[a-z]+$",
    "  labels:",
    "    app.kubernetes.io/name: web",
    "    a: 1e400",
    "    a: .inf",
    "    a: 10.0.0.1",
    "    a: -1",
    "data:",
    "  config.yaml: |",
    "    a: 1",
    "    tolerations: []",
    "  A: x",
    "  b: |-",
    "    x",
    "",
    "  ",
    "     y",
    "   z",
    "# a comment",
    "    # indented",
    "---",
    "--- # a",
    "---  ",
    "...",
    "spec:",
    "  ports:",
    "  - port: 80",
    "    name: http",
    "  - name: x",
    "    - port: 81",
    "   - port: 82",
    "rules:",
    "- apiGroups: [\"\"]",
    "  resources: [pods, nodes]",
    "  verbs: [\"*\"]",
    "- apiGroups:",
    "  - apps",
    "  - \"\"",
    "-",
    "  a: &x b",
    "  a: *x",
    "\ta: b",
    "  a: b\t",
    "  taint: x",
    "null: x",
    "{}",
    "  key: [a, {b: c}]",
];

/// A generator of numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

fn compare(path: &str, text: &str) -> u32 {
    let source = Source::new(path, text);
    let id = SourceId(1);
    let (short, whole) = (
        extract(&source, id, &TABLE),
        extract_all(&source, id, &TABLE),
    );
    assert_eq!(
        format!("{short:?}"),
        format!("{whole:?}"),
        "{path}:\n{text}"
    );
    for part in yaml::split(text).unwrap_or_default() {
        let part = &text[part];
        if yaml::outline(part).is_some() {
            let stream = yaml::parse(part, id);
            assert!(
                stream.errors.is_empty(),
                "{path}: {:?}\n{part}",
                stream.errors
            );
            let documents = stream.documents.iter();
            assert_eq!(documents.filter(|one| !one.is_empty()).count(), 1, "{part}");
        }
    }
    whole.documents
}

fn files_below(folder: &Path, found: &mut Vec<(String, String)>) {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name();
    let entries = entries
        .into_iter()
        .filter_entry(|one| one.file_name() != ".git");
    for entry in entries.flatten() {
        let path = entry.path().to_string_lossy().into_owned();
        if FileKind::of(&path) == Some(FileKind::Yaml)
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            found.push((path, text));
        }
    }
}

/// Texts of real form: all YAML files below a folder and the examples of the rules.
fn real_texts(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    files_below(folder, &mut found);
    let examples = RULES.iter().flat_map(|rule| rule.examples.iter());
    found.extend(examples.flat_map(|one| one.files.iter().cloned()));
    found
}

/// Compares this many documents that are made from lines and from parts of real texts.
fn compare_made_up(real: &[(String, String)], seed: u64, least: u32) -> u32 {
    let mut numbers = Numbers(seed);
    let mut documents = 0;
    while documents < least {
        let mut text = String::new();
        if numbers.below(2) == 0 {
            for _ in 0..numbers.below(24) + 3 {
                text.push_str(LINES[numbers.below(LINES.len())]);
                text.push('\n');
            }
        } else {
            // Some lines of a real text, with one of them changed, and its neighbour.
            for _ in 0..numbers.below(3) + 1 {
                let (_, one) = &real[numbers.below(real.len())];
                let mut lines: Vec<&str> = one.lines().take(120).collect();
                if !lines.is_empty() && numbers.below(2) == 0 {
                    let at = numbers.below(lines.len());
                    lines[at] = LINES[numbers.below(LINES.len())];
                }
                text.push_str(&lines.join("\n"));
                text.push_str("\n---\n");
            }
        }
        documents += compare("made/up.yaml", &text) + 1;
    }
    documents
}

#[test]
fn documents_that_are_left_out_change_nothing_that_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut real = real_texts(&root.join("fixtures"));
    files_below(&root.join("providers"), &mut real);
    for (path, text) in &real {
        compare(path, text);
    }
    compare_made_up(&real, 1, 4_000);
}

/// The first line is then a key of several lines, or an entry of its own, and not the marker of a document.
#[test]
fn a_first_line_that_only_begins_like_a_marker_is_not_passed_over() {
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n";
    for first in ["---x", "---x: y", "----", "---\"", "---#"] {
        let text = format!("{first}\n{service}");
        assert!(yaml::outline(&text).is_none(), "{text}");
        compare("a.yaml", &text);
    }
    for first in ["---", "--- ", "--- # a", "# a\n---"] {
        let text = format!("{first}\n{service}");
        assert!(yaml::outline(&text).is_some(), "{text}");
        compare("a.yaml", &text);
    }
}

/// The same for many more texts: `KUBETAINT_CORPUS` is a folder with repositories, `KUBETAINT_DOCUMENTS` the number of documents
/// and `KUBETAINT_SEED` makes others.
#[test]
#[ignore = "takes minutes"]
fn documents_that_are_left_out_change_nothing_in_many_texts() {
    let variable = |name: &str| std::env::var(name).ok();
    let number = |name: &str, other: u64| {
        variable(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(other)
    };
    let root = variable("KUBETAINT_CORPUS").unwrap_or(env!("CARGO_MANIFEST_DIR").to_owned());
    let real = real_texts(Path::new(&root));
    let mut documents: u32 = real.iter().map(|(path, text)| compare(path, text)).sum();
    documents += compare_made_up(
        &real,
        number("KUBETAINT_SEED", 1),
        number("KUBETAINT_DOCUMENTS", 100_000) as u32,
    );
    println!("{} files, {documents} documents, no difference", real.len());
}
