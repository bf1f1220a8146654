//! Tests of the command line: what the program reads, prints and returns, especially for odd, broken or hostile input.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::program::{
    BAD, GOOD, OWN_RULE, Run, command, concise, repo, repo_of_bytes, run, run_with_input,
};
use serde_json::Value;
use tempfile::TempDir;

/// Checks a file next to one with a known finding, which must be reported whatever the first file contains.
fn beside_bad(content: impl AsRef<[u8]>) -> Run {
    let folder = repo_of_bytes(&[("odd.yaml", content.as_ref()), ("z.yaml", BAD.as_bytes())]);
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(
        result.places().last(),
        Some(&"z.yaml:9:7: error[value-with-exists"),
        "{}{}",
        result.out,
        result.err
    );
    result
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(bytes)
        .collect()
}

const ONE: [&str; 1] = ["z.yaml:9:7: error[value-with-exists"];

// Errors

#[test]
fn a_path_that_does_not_exist_is_named_and_ends_with_2() {
    let folder = repo(&[("a.yaml", BAD)]);
    let result = run(folder.path(), &["check", "nope"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    assert_eq!(result.err, "error: nope: path does not exist\n");
    // The existing file is still judged.
    let result = run(
        folder.path(),
        &["check", "nope", "a.yaml", "--format", "concise"],
    );
    assert_eq!(result.code, 2);
    assert_eq!(result.places(), ["a.yaml:9:7: error[value-with-exists"]);
    assert!(result.err.starts_with("error: nope: path does not exist\n"));
}

#[test]
fn a_missing_path_is_named_as_it_is_reached_from_here() {
    let folder = repo(&[("sub/a.yaml", "")]);
    let result = run(&folder.path().join("sub"), &["check", "nope/x.yaml"]);
    assert_eq!(result.code, 2);
    assert_eq!(result.err, "error: nope/x.yaml: path does not exist\n");
}

#[test]
fn a_folder_without_manifests_ends_with_2_and_says_so() {
    let folder = repo(&[("readme.md", "hello")]);
    let result = run(folder.path(), &["check"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    assert_eq!(
        result.err,
        "error: nothing to check: no YAML, JSON or Terraform files in .\n"
    );
    fs::create_dir(folder.path().join("x.yaml")).unwrap();
    let result = run(folder.path(), &["check", "x.yaml"]);
    assert_eq!(result.code, 2);
    assert!(result.err.contains("nothing to check"), "{}", result.err);
}

#[cfg(unix)]
#[test]
fn a_dangling_link_that_is_named_is_a_problem_and_one_that_is_met_is_not() {
    let folder = repo(&[("z.yaml", BAD)]);
    std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("dangling.yaml")).unwrap();
    let result = run(folder.path(), &["check", "dangling.yaml"]);
    assert_eq!(result.code, 2);
    assert!(result.err.contains("dangling.yaml: "), "{}", result.err);
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((result.code, result.places()), (1, ONE.to_vec()));
}

#[test]
fn every_error_of_the_configuration_is_told_with_its_place() {
    let config = "kubernetes: \"9\"\nbogus: 1\nexclude: 5\nrules:\n  value-with-exists: loud\n";
    let folder = repo(&[(".kubetaint.yaml", config), ("z.yaml", BAD)]);
    let result = run(folder.path(), &["check"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    for place in ["1:13: ", "2:1: ", "3:10: ", "5:22: "] {
        let line = format!("error: .kubetaint.yaml:{place}");
        assert!(result.err.contains(&line), "{line}: {}", result.err);
    }
}

#[test]
fn a_configuration_that_is_no_yaml_is_told_with_its_place() {
    let folder = repo(&[(".kubetaint.yaml", "rules: [\n"), ("z.yaml", "")]);
    let result = run(folder.path(), &["check"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    assert!(
        result.err.starts_with("error: .kubetaint.yaml:1:"),
        "{}",
        result.err
    );
}

#[test]
fn a_pattern_that_matches_nothing_is_a_problem_and_the_rest_is_judged() {
    let folder = repo(&[
        (".kubetaint.yaml", "exclude: [\"vendor/**\"]\n"),
        ("z.yaml", BAD),
    ]);
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((result.code, result.places()), (2, ONE.to_vec()));
    assert!(
        result
            .err
            .contains("error: .kubetaint.yaml:1:11: `vendor/**` matches no file\n"),
        "{}",
        result.err
    );
}

/// Asserts that the program refuses these arguments before reading files, with a message that begins like this.
fn assert_refused(folder: &TempDir, arguments: &[&str], expected: &str) {
    let result = run(folder.path(), arguments);
    assert_eq!((result.code, result.out.as_str()), (2, ""), "{arguments:?}");
    assert!(
        result.err.starts_with(expected),
        "{arguments:?}: {}",
        result.err
    );
}

#[test]
fn unknown_rules_formats_versions_and_flags_end_with_2_before_anything_is_read() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, expected) in [
        (
            &["check", "--select", "value-with-exist"][..],
            "error: --select: unknown rule `value-with-exist` (did you mean `value-with-exists`?)\n",
        ),
        (
            &["check", "--ignore", "zzz"],
            "error: --ignore: unknown rule `zzz`\n",
        ),
        (
            &["check", "--format", "xml"],
            "error: unknown format `xml`, expected one of ",
        ),
        (
            &["check", "--kubernetes", "new"],
            "error: --kubernetes: invalid Kubernetes version `new`",
        ),
        (&["check", "--config", "nope.yaml"], "error: "),
        (
            &["check", "--rules", "nope"],
            "error: nope: rule files cannot be read: ",
        ),
        (&["explain", "zzz"], "error: unknown rule `zzz`"),
        (
            &["charts", "falcoo"],
            "error: nothing is known of chart `falcoo` (did you mean `falco`?)",
        ),
        (&["check", "--frobnicate"], "error: unexpected argument"),
        (&["check", "--fail-on", "fatal"], "error: invalid value"),
    ] {
        assert_refused(&folder, arguments, expected);
    }
}

#[test]
fn a_report_that_cannot_be_written_ends_with_2() {
    let folder = repo(&[("z.yaml", BAD)]);
    let result = run(
        folder.path(),
        &["check", "--format", "json=no/such/folder/r.json"],
    );
    assert_eq!(result.code, 2);
    assert!(
        result.err.contains("no/such/folder/r.json"),
        "{}",
        result.err
    );
}

// Hostile files

#[test]
fn a_file_of_100_mb_is_a_finding_if_it_may_hold_manifests_and_is_not_kept_in_memory() {
    let folder = repo(&[("z.yaml", BAD)]);
    let huge = fs::File::create(folder.path().join("huge.yaml")).unwrap();
    {
        let mut huge = std::io::BufWriter::new(&huge);
        let block = "kind: List of many things\n".repeat(40_000);
        for _ in 0..100 {
            huge.write_all(block.as_bytes()).unwrap();
        }
    }
    let sparse = fs::File::create(folder.path().join("sparse.yaml")).unwrap();
    sparse.set_len(100 * 1024 * 1024).unwrap();
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(result.code, 1);
    let places = result.places();
    assert_eq!(places.len(), 2, "{}", result.out);
    assert!(
        places[0].starts_with("huge.yaml:1:1: ") && places[0].ends_with("[unparsable-manifest"),
        "{}",
        places[0]
    );
    assert!(result.out.contains("files beyond 32 MiB are not read"));
}

#[test]
fn nesting_of_100_000_levels_is_a_finding_in_every_notation() {
    let depth = 100_000;
    // With this depth of indentation, it exceeds the size limit.
    let block: String = {
        let keys: Vec<String> = (0..10_050).map(|n| " ".repeat(n) + "a:").collect();
        format!("kind: Pod\n{}", keys.join("\n"))
    };
    for (name, content) in [
        ("a.yaml", "[".repeat(depth)),
        (
            "a.yaml",
            format!("kind: {}{}", "[".repeat(depth), "]".repeat(depth)),
        ),
        ("a.yaml", "{a: ".repeat(depth)),
        ("a.yaml", "- ".repeat(depth)),
        ("a.yaml", "? ".repeat(depth)),
        ("a.yaml", block),
        (
            "a.json",
            format!("{{\"kind\": {}{}}}", "[".repeat(depth), "]".repeat(depth)),
        ),
        (
            "a.json",
            format!(
                "{{\"kind\": {}1{}}}",
                "{\"a\":".repeat(depth),
                "}".repeat(depth)
            ),
        ),
    ] {
        let start = &content[..content.len().min(20)];
        let result = concise(&[(name, &content), ("z.yaml", BAD)]);
        assert_eq!(result.code, 1, "{start}");
        let places = result.places();
        assert_eq!(places.len(), 2, "{start}: {}", result.out);
        assert!(
            places[0].ends_with("[unparsable-manifest"),
            "{start}: {}",
            result.out
        );
        assert_eq!(places[1], ONE[0]);
    }
}

#[test]
fn an_alias_bomb_is_a_finding_and_ends_soon() {
    let mut bomb =
        "apiVersion: v1\nkind: ConfigMap\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..30 {
        let list = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    let result = beside_bad(&bomb);
    assert!(
        result.out.contains("document contains excessive aliasing"),
        "{}",
        result.out
    );
}

#[test]
fn an_anchor_that_contains_itself_is_a_finding_at_the_alias() {
    let result = beside_bad(b"apiVersion: v1\nkind: Pod\nspec: &s\n  inner: *s\n");
    assert_eq!(
        result.places()[0],
        "odd.yaml:4:10: error[unparsable-manifest"
    );
    assert!(result.out.contains("anchor `s` contains itself"));
}

#[test]
fn the_last_of_two_anchors_of_one_name_counts() {
    let text = BAD.replace("value: w", "value: *v").replace(
        "metadata: {name: web}",
        "metadata: {name: web, labels: {a: &v x, b: &v ''}}",
    );
    assert_eq!(beside_bad(&text).places(), ONE);
    let text = text.replace("a: &v x, b: &v ''", "a: &v '', b: &v x");
    assert_eq!(beside_bad(&text).places().len(), 2);
}

#[test]
fn merged_tolerations_are_judged_where_they_are_written() {
    let text = "apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {}
x-base: &base
  key: example.com/x
  operator: Exists
  value: w
spec:
  containers: [{name: a, image: b}]
  tolerations:
    - <<: *base
      effect: NoSchedule
";
    let result = concise(&[("a.yaml", text)]);
    assert!(
        result
            .places()
            .contains(&"a.yaml:9:3: error[value-with-exists"),
        "{}",
        result.out
    );
}

#[test]
fn encrypted_and_binary_files_are_counted_as_not_judged() {
    for content in [
        &b"\0GITCRYPT\0\x9c\x01kind\xff"[..],
        b"kind: Pod\nname: a\0b\n",
        b"\x1f\x8b\x08\0\0\0\0\0kind",
    ] {
        let result = beside_bad(content);
        assert_eq!(result.places(), ONE, "{content:?}");
        assert!(
            result
                .err
                .contains("not judged: encrypted or binary files (1)"),
            "{}",
            result.err
        );
    }
}

#[test]
fn a_nul_byte_far_into_a_text_is_a_finding_at_its_place() {
    let text = format!(
        "apiVersion: v1\nkind: Pod\n{}a: \0\n",
        "# fill\n".repeat(2000)
    );
    let result = beside_bad(&text);
    assert_eq!(
        result.places()[0],
        "odd.yaml:2003:4: error[unparsable-manifest"
    );
}

#[test]
fn bytes_that_are_no_utf8_are_a_finding() {
    let result = beside_bad(b"apiVersion: v1\nkind: Pod\nname: \xff\xfe\n");
    assert!(
        result.places()[0].ends_with("[unparsable-manifest"),
        "{}",
        result.out
    );
    assert!(result.out.contains("line 3, column 7"), "{}", result.out);
}

// Odd but valid files

#[test]
fn utf16_a_byte_order_mark_and_windows_line_ends_do_not_move_a_finding() {
    let text = BAD.replace("value: w", "value: ü😀");
    let with_mark = format!("\u{feff}{text}");
    for content in [
        utf16(&text, u16::to_le_bytes),
        utf16(&text, u16::to_be_bytes),
        with_mark.into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{}", text.replace('\n', "\r\n")).into_bytes(),
        utf16(&text.replace('\n', "\r\n"), u16::to_le_bytes),
    ] {
        let folder = repo_of_bytes(&[("a.yaml", &content)]);
        let result = run(folder.path(), &["check", "--format", "json"]);
        assert_eq!(result.code, 1);
        let report = result.json();
        let finding = &report["findings"][0];
        assert_eq!(finding["rule"], "value-with-exists");
        for (end, line, column) in [("start", 9, 7), ("end", 9, 16)] {
            assert_eq!(finding[end]["line"], line, "{content:?}");
            assert_eq!(finding[end]["column"], column, "{content:?}");
        }
    }
}

#[test]
fn files_without_an_object_are_read_and_say_nothing() {
    for content in [
        &b""[..],
        b"\n\n",
        b"# only a comment",
        b"just text\n",
        b"42",
        b"- a\n- b\n",
        b"- - - 1\n",
        b"null\n",
        b"---\n",
        b"---\n---\n---\n",
        b"...\n",
        b"--- # c\n...\n---\n...\n",
        b"%YAML 1.1\n---\na: b\n",
        b"\"quoted\"",
        b"\xef\xbb\xbf",
        b"{}",
        b"[]",
        b"a:\tb\t\n",
        b"kind: 5\napiVersion: [x]\nspec: text\n",
        b"kind: Pod\napiVersion: v1\nspec:\n",
        b"kind: List\napiVersion: v1\nitems: 5\n",
        b"kind: List\napiVersion: v1\nitems: [null, 1, [], {}]\n",
    ] {
        let result = beside_bad(content);
        assert_eq!(
            (result.code, result.places()),
            (1, ONE.to_vec()),
            "{:?}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn document_markers_in_every_form_keep_their_documents_apart() {
    for between in [
        "---\n",
        "--- # a comment\n",
        "...\n---\n",
        "...\n",
        "---   \n---\n",
        "\n\n---\t\n",
        "---\r\n",
    ] {
        let text = format!("{GOOD}{between}{BAD}");
        let result = concise(&[("a.yaml", &text)]);
        let line = GOOD.lines().count() + between.lines().count() + 9;
        let expected = format!("a.yaml:{line}:7: error[value-with-exists");
        assert_eq!(result.places(), [expected.as_str()], "{between:?}");
    }
}

#[test]
fn a_broken_document_between_two_others_hides_neither() {
    let broken = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: [web\n";
    let text = format!("{BAD}---\n{broken}---\n{BAD}");
    let result = concise(&[("a.yaml", &text)]);
    assert_eq!(result.code, 1);
    assert_eq!(
        result.places(),
        [
            "a.yaml:9:7: error[value-with-exists",
            "a.yaml:15:9: error[unparsable-manifest",
            "a.yaml:25:7: error[value-with-exists",
        ],
        "{}",
        result.out
    );
}

#[test]
fn a_tab_as_indentation_is_a_finding_at_the_tab() {
    let result = beside_bad(b"apiVersion: v1\nkind: Pod\nmetadata:\n\tname: a\n");
    assert_eq!(
        result.places()[0],
        "odd.yaml:4:1: error[unparsable-manifest"
    );
}

#[test]
fn a_quoted_text_that_continues_at_the_margin_is_no_error() {
    let text = format!("{BAD}  hostname: \"a\nb\"#c\n");
    let result = concise(&[("a.yaml", &text)]);
    assert_eq!(result.places(), ["a.yaml:9:7: error[value-with-exists"]);
}

#[test]
fn thousands_of_documents_in_a_file_are_all_judged() {
    let text = format!("{GOOD}---\n").repeat(5_000) + BAD;
    let result = concise(&[("a.yaml", &text)]);
    assert_eq!(result.places(), ["a.yaml:30009:7: error[value-with-exists"]);
    assert!(
        result.err.contains("5001 documents, 5001 workloads"),
        "{}",
        result.err
    );
}

#[test]
fn json_is_read_minified_as_a_stream_and_as_a_list() {
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"ü"},"spec":{"tolerations":[{"key":"a","operator":"Exists","value":"y"}]}}"#;
    let column = pod.chars().count() - r#""value":"y"}]}}"#.len() + 1;
    let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{pod}]}}"#);
    let before = r#"{"apiVersion":"v1","kind":"List","items":["#.len();
    for (text, line, column) in [
        (pod.to_owned(), 1, column),
        (format!("{pod}\n{pod}"), 1, column),
        (list, 1, before + column),
        (format!("\n\t{pod}"), 2, column + 1),
    ] {
        let result = concise(&[("a.json", &text)]);
        let expected = format!("a.json:{line}:{column}: error[value-with-exists");
        assert_eq!(
            result.places().first(),
            Some(&expected.as_str()),
            "{}{}",
            result.out,
            result.err
        );
        assert!(!result.out.contains("unparsable"), "{}", result.out);
    }
}

#[test]
fn the_text_of_a_template_is_judged() {
    let template = BAD.replace(
        "  tolerations:\n",
        "  {{- if .Values.x }}\n  tolerations:\n",
    ) + "  {{- end }}\n";
    let result = beside_bad(&template);
    let both = ["odd.yaml:10:7: error[value-with-exists", ONE[0]];
    assert_eq!(result.places(), both);
}

// Paths

#[test]
fn standard_input_is_read_and_called_stdin() {
    let folder = repo(&[]);
    let arguments = ["check", "-", "--format", "concise"];
    let result = run_with_input(folder.path(), &arguments, BAD);
    assert_eq!(
        (result.code, result.places()),
        (1, vec!["<stdin>:9:7: error[value-with-exists"]),
        "{}",
        result.err
    );
    let result = run_with_input(folder.path(), &arguments, GOOD);
    assert_eq!((result.code, result.out.as_str()), (0, ""));
}

#[test]
fn an_empty_pipe_is_not_taken_for_a_repository_without_findings() {
    let folder = repo(&[("a.yaml", GOOD)]);
    let told = "error: nothing to check: standard input is empty\n";
    for empty in ["", "\n", "# Source: web\n---\n"] {
        for command in ["check", "pools"] {
            let result = run_with_input(folder.path(), &[command, "-", "-q"], empty);
            assert_eq!((result.code, result.err.as_str()), (2, told), "{empty:?}");
        }
        let result = run_with_input(folder.path(), &["check", "-", "a.yaml", "-q"], empty);
        assert_eq!((result.code, result.err.as_str()), (0, ""), "{empty:?}");
    }
    let list = "apiVersion: v1\nkind: List\nitems: []\n";
    let result = run_with_input(folder.path(), &["check", "-", "-q"], list);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
}

#[test]
fn a_broken_file_that_was_named_for_its_pools_ends_with_2() {
    let config = "clusters:\n  prod:\n    paths: [a.yaml]\n    inventory: [n.yaml]\n";
    let folder = repo(&[
        ("a.yaml", GOOD),
        ("n.yaml", "kind: List\nitems: [\n"),
        ("c.yaml", config),
    ]);
    let result = run(folder.path(), &["check", "a.yaml", "--pools", "n.yaml"]);
    let told = "error: n.yaml: no node pools found: the file cannot be parsed\n";
    assert_eq!(result.code, 2);
    assert!(result.err.starts_with(told), "{}", result.err);
    let result = run(folder.path(), &["check", "--config", "c.yaml"]);
    let told =
        "error: c.yaml:4:17: inventory `n.yaml`: no node pools found: the file cannot be parsed\n";
    assert_eq!(result.code, 2);
    assert!(result.err.starts_with(told), "{}", result.err);
}

#[test]
fn folders_that_the_configuration_names_in_vain_are_told_at_their_place() {
    let told = |config: &str, expected: &str| {
        let folder = repo(&[
            ("apps/a.yaml", GOOD),
            ("empty/a.txt", ""),
            (".kubetaint.yaml", config),
        ]);
        let result = run(folder.path(), &["check", "-q"]);
        assert_eq!(result.code, 2, "{}", result.err);
        let first = result.err.lines().next().unwrap_or_default();
        assert!(first.starts_with(expected), "{}", result.err);
    };
    told(
        "rule-dirs: [nope]\n",
        "error: .kubetaint.yaml:1:13: `nope`: rule files cannot be read: ",
    );
    told(
        "rule-dirs: [empty]\n",
        "error: .kubetaint.yaml:1:13: `empty`: no rule files (*.yaml) here",
    );
    told(
        "providers: [nope]\n",
        "error: .kubetaint.yaml:1:13: `nope`: provider tables cannot be read: ",
    );
    told(
        "clusters:\n  prod: {paths: [apps/], inventory: [apps]}\n",
        "error: .kubetaint.yaml:2:38: inventory `apps` is a folder; name the file",
    );
}

#[test]
fn another_placeholder_than_that_of_clusters_is_told() {
    let config = "clusters:\n  prod: {paths: [\"{env}/*.yaml\"]}\n";
    let folder = repo(&[("apps/a.yaml", GOOD), (".kubetaint.yaml", config)]);
    let result = run(folder.path(), &["check", "-q"]);
    let told = "error: .kubetaint.yaml:2:18: `{env}/*.yaml` matches no file; the only placeholder is `{cluster}`\n";
    assert_eq!((result.code, result.err.as_str()), (2, told));
}

#[test]
fn a_configuration_that_is_not_utf_8_is_told_as_line_and_column() {
    let folder = repo_of_bytes(&[
        ("a.yaml", GOOD.as_bytes()),
        (".kubetaint.yaml", b"exclude: [\"\xff\"]\n"),
    ]);
    let result = run(folder.path(), &["check"]);
    let told = "error: .kubetaint.yaml:1:12: not UTF-8\n";
    assert_eq!((result.code, result.err.as_str()), (2, told));
}

#[test]
fn two_reports_that_nobody_could_take_apart_are_not_written_to_one_output() {
    let folder = repo(&[("a.yaml", BAD)]);
    for (pair, name) in [
        (["text", "json"], "json"),
        (["sarif", "github"], "sarif"),
        (["json", "junit"], "json"),
    ] {
        let [one, other] = pair;
        let arguments = ["check", "--format", one, "--format", other];
        let result = run(folder.path(), &arguments);
        let told = format!(
            "error: --format: nobody could read {name} on standard output with another report; write \
             `--format {name}=FILE`\n"
        );
        assert_eq!(
            (result.code, result.out.as_str(), result.err),
            (2, "", told)
        );
    }
    let arguments = ["check", "--format", "text", "--format", "github"];
    assert_eq!(run(folder.path(), &arguments).code, 1);
}

#[test]
fn a_patch_with_nothing_in_it_says_so() {
    let folder = repo(&[("a.yaml", GOOD), ("b.yaml", BAD)]);
    let told = |arguments: &[&str], code: u8, expected: &str| {
        let result = run(folder.path(), arguments);
        assert_eq!(
            (i32::from(code), result.err.as_str()),
            (result.code, expected)
        );
        result.out
    };
    let none = "Nothing to fix\n";
    assert_eq!(told(&["check", "a.yaml", "--fix", "--diff"], 0, none), "");
    let none = "0 findings would be suppressed in 0 files\n";
    let accepts = ["check", "a.yaml", "--diff", "--add-ignores", "known"];
    assert_eq!(told(&accepts, 0, none), "");
    let one = "1 fix would be applied in 1 file\n";
    assert_ne!(told(&["check", "b.yaml", "--fix", "--diff"], 1, one), "");
    let one = "1 finding would be suppressed in 1 file\n";
    let accepts = ["check", "b.yaml", "--diff", "--add-ignores", "known"];
    assert_ne!(told(&accepts, 1, one), "");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_and_in_circles_are_not_followed() {
    let outside = repo(&[("a.yaml", BAD)]);
    let folder = repo(&[("z.yaml", BAD), ("sub/x.yaml", GOOD)]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
    };
    link(outside.path(), "out");
    link(&outside.path().join("a.yaml"), "out.yaml");
    link(folder.path(), "sub/loop");
    link(Path::new("self.yaml"), "self.yaml");
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(
        (result.code, result.places()),
        (1, ONE.to_vec()),
        "{}",
        result.err
    );
}

#[test]
fn gitignore_and_exclude_are_honoured() {
    let folder = repo(&[
        (".gitignore", "ignored/\n*.gen.yaml\n"),
        (".kubetaint.yaml", "exclude: [\"vendor/**\"]\n"),
        ("ignored/a.yaml", BAD),
        ("b.gen.yaml", BAD),
        ("vendor/deep/c.yaml", BAD),
        ("node_modules/d.yaml", BAD),
        ("z.yaml", BAD),
    ]);
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((result.code, result.places()), (1, ONE.to_vec()));
    // An ignored file is read if it is named explicitly.
    let result = run(
        folder.path(),
        &["check", "ignored/a.yaml", "--format", "concise"],
    );
    assert_eq!(
        result.places(),
        ["ignored/a.yaml:9:7: error[value-with-exists"]
    );
    let result = run(
        folder.path(),
        &["check", "--isolated", "--format", "concise"],
    );
    assert_eq!(result.places().len(), 2, "{}", result.out);
}

#[test]
fn another_configuration_can_be_named() {
    let folder = repo(&[
        (".kubetaint.yaml", "rules: {value-with-exists: off}\n"),
        (
            "other.txt",
            "rules: {value-with-exists: {severity: note}}\n",
        ),
        ("z.yaml", BAD),
    ]);
    let severity = |arguments: &[&str]| {
        let arguments = [&["check", "--format", "concise"], arguments].concat();
        let result = run(folder.path(), &arguments);
        (result.code, result.places().join("\n"))
    };
    assert_eq!(severity(&[]), (0, String::new()));
    assert_eq!(
        severity(&["--config", "other.txt"]),
        (0, "z.yaml:9:7: note[value-with-exists".to_owned())
    );
    assert_eq!(severity(&["--isolated"]), (1, ONE[0].to_owned()));
}

#[test]
fn paths_in_json_are_those_of_the_repository_wherever_the_run_starts() {
    let folder = repo(&[("apps/web/a.yaml", BAD), ("b.yaml", "")]);
    let elsewhere = TempDir::new().unwrap();
    let absolute = folder.path().to_str().unwrap();
    let deep = folder.path().join("apps/web");
    let file = format!("{absolute}/apps/web/a.yaml");
    for (from, path) in [
        (folder.path(), "."),
        (folder.path(), "apps"),
        (folder.path(), "./apps/../apps/web/a.yaml"),
        (deep.as_path(), "."),
        (deep.as_path(), "../../apps"),
        (deep.as_path(), "a.yaml"),
        (elsewhere.path(), absolute),
        (elsewhere.path(), &file),
    ] {
        let report = run(from, &["check", "--format", "json", path]).json();
        assert_eq!(
            report["findings"][0]["file"], "apps/web/a.yaml",
            "{from:?} {path}"
        );
    }
}

#[test]
fn paths_for_people_lead_there_from_where_they_stand() {
    let folder = repo(&[
        ("apps/web/a.yaml", BAD),
        ("apps/b.yaml", BAD),
        ("c.yaml", BAD),
    ]);
    for (from, paths) in [
        ("apps/web", ["../b.yaml", "a.yaml", "../../c.yaml"]),
        ("apps", ["b.yaml", "web/a.yaml", "../c.yaml"]),
        (".", ["apps/b.yaml", "apps/web/a.yaml", "c.yaml"]),
    ] {
        let from = folder.path().join(from);
        let root = folder.path().to_str().unwrap();
        let concise = run(&from, &["check", "--format", "concise", root]);
        let expected = paths.map(|path| format!("{path}:9:7: error[value-with-exists"));
        assert_eq!(concise.places(), expected);
        let text = run(&from, &["check", root]).out;
        for path in paths {
            assert!(from.join(path).exists(), "{path}");
            // The first one with its lines, the others by their places.
            let here = [format!("[{path}:9:7]"), format!(" {path}:9:7 ")];
            assert!(here.iter().any(|at| text.contains(at)), "{path}: {text}");
        }
        // Every command prints the same paths.
        let files = run(&from, &["check", "--show-files", root]).out;
        assert_eq!(files.lines().collect::<Vec<_>>(), paths);
    }
    let arguments = ["check", "-", "--format", "concise"];
    let below = run_with_input(&folder.path().join("apps"), &arguments, BAD);
    assert_eq!(below.places(), ["<stdin>:9:7: error[value-with-exists"]);
}

// The report

#[test]
fn terminal_sequences_and_line_breaks_in_manifests_stay_text() {
    let text = BAD
        .replace("name: web", r#"name: "we\e[31mb\nx\u009b\u202e""#)
        .replace("key: example.com/x", r#"key: "k\e]0;t\a\nx\u0085y""#)
        .replace("value: w", r#"value: "v\e[2J\nerror[x]: forged""#);
    let raw = BAD.replace("value: w", "value: w # \u{202e}\u{9b}31m");
    let folder = repo(&[("a.yaml", &text), ("b\u{1b}[31m\n.yaml", &raw)]);
    for format in ["text", "concise", "json"] {
        let result = run(folder.path(), &["check", "--format", format]);
        assert_eq!(result.code, 1);
        for text in [&result.out, &result.err] {
            for forbidden in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{85}', '\r'] {
                assert!(
                    !text.contains(forbidden),
                    "{format} {forbidden:?}: {text:?}"
                );
            }
            assert!(
                !text.lines().any(|line| line.starts_with("error[x]")),
                "{format}: {text}"
            );
        }
    }
    let result = run(folder.path(), &["check", "--format", "concise"]);
    let findings = run(folder.path(), &["check", "--format", "json"]).json();
    let count = findings["findings"].as_array().unwrap().len();
    assert_eq!(result.out.lines().count(), count, "{}", result.out);
}

#[test]
fn colour_is_used_when_asked_for_and_only_then() {
    let folder = repo(&[("z.yaml", BAD)]);
    let with = run(folder.path(), &["check", "--color", "always"]);
    assert!(with.out.contains('\u{1b}'));
    let without = run(folder.path(), &["check"]);
    assert!(!without.out.contains('\u{1b}'));
}

#[test]
fn several_formats_are_written_at_once() {
    let folder = repo(&[("z.yaml", BAD)]);
    let result = run(
        folder.path(),
        &[
            "check",
            "--format",
            "concise",
            "--format",
            "json=r.json",
            "--format",
            "text=r.txt",
        ],
    );
    assert_eq!((result.code, result.places()), (1, ONE.to_vec()));
    let json = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][0]["rule"], "value-with-exists");
    let text = fs::read_to_string(folder.path().join("r.txt")).unwrap();
    assert!(text.contains("z.yaml:9:7"), "{text}");
}

#[test]
fn the_report_is_on_standard_output_and_everything_else_is_not() {
    let folder = repo(&[("z.yaml", BAD)]);
    let result = run(folder.path(), &["check", "nope", ".", "--format", "json"]);
    assert_eq!(result.code, 2);
    assert_eq!(result.json()["problems"][0]["file"], "nope");
    assert!(result.err.starts_with("error: nope: "));
    let result = run(folder.path(), &["check", "--format", "concise", "-q"]);
    assert_eq!((result.out.lines().count(), result.err.as_str()), (1, ""));
}

#[test]
fn the_exit_code_follows_fail_on_whatever_the_format() {
    let warning = BAD.replace("      value: w\n", "").replace(
        "    - key: example.com/x\n      operator: Exists\n",
        "    - operator: Exists\n",
    );
    let warning = warning.replace("      effect: NoSchedule\n", "");
    let note = warning.replace("kind: Pod", "kind: DaemonSet");
    let note = note
        .replace("apiVersion: v1", "apiVersion: apps/v1")
        .replace(
            "spec:\n",
            "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n   metadata: {labels: {a: b}}\n   spec:\n",
        );
    let note: String = note
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0..=7 => format!("{line}\n"),
            _ => format!("  {line}\n"),
        })
        .collect();
    for (text, rule, codes) in [
        (BAD, "value-with-exists", [1, 1, 1, 0]),
        (&warning, "blanket-exists", [0, 1, 1, 0]),
        (&note, "blanket-exists", [0, 0, 1, 0]),
        (GOOD, "blanket-exists", [0, 0, 0, 0]),
    ] {
        let folder = repo(&[("a.yaml", text)]);
        for (level, code) in ["error", "warning", "note", "never"].into_iter().zip(codes) {
            for format in ["text", "concise", "json"] {
                let result = run(
                    folder.path(),
                    &[
                        "check",
                        "--select",
                        rule,
                        "--fail-on",
                        level,
                        "--format",
                        format,
                    ],
                );
                assert_eq!(result.code, code, "{level} {format} {}", result.out);
            }
        }
        let result = run(folder.path(), &["check", "--select", rule]);
        assert_eq!(result.code, codes[1], "warning is the default");
    }
}

#[test]
fn min_severity_hides_findings_and_changes_nothing_else() {
    let three = BAD.replace(
        "    - key: example.com/x\n",
        "    - key: example.com/x\n      operator: Exists\n    - operator: Exists\n    - key: z\n      operator: Exists\n",
    );
    let folder = repo(&[("a.yaml", &three)]);
    let select = ["--select", "value-with-exists,blanket-exists"];
    let all = [&["check", "--format", "json"], &select[..]].concat();
    let errors = [&all[..], &["--min-severity", "error"]].concat();
    let (all, errors) = (run(folder.path(), &all), run(folder.path(), &errors));
    assert_eq!((all.code, errors.code), (1, 1));
    let count = |run: &Run| run.json()["findings"].as_array().unwrap().len();
    assert!(count(&errors) < count(&all) && count(&errors) > 0);
    assert_eq!(all.json()["summary"], errors.json()["summary"]);
}

#[test]
fn the_json_report_has_the_promised_keys_and_its_places_are_true() {
    let pools = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ü-gpu}
spec:
  template:
    metadata: {labels: {pool: gpu}}
    spec:
      taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]
";
    let pod = "# ü
apiVersion: v1
kind: Pod
metadata: {name: ü, namespace: shop}
spec:
  nodeSelector: {pool: gpu}
  containers: [{name: ü, image: b}]
  tolerations:
    - {key: ü/x, operator: Exists, value: 'ü'}
    - {key: example.com/gpu, value: presentt, effect: NoSchedule}
    - {key: example.com/other, operator: Exists, value: a}
";
    let files = [("apps/pod.yaml", pod), ("apps/pools.yaml", pools)];
    let folder = repo(&files);
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let keys = |value: &Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(
        keys(&report),
        [
            "findings",
            "kubetaint",
            "not_judged",
            "problems",
            "schema",
            "summary"
        ]
    );
    assert_eq!(report["schema"], 1);
    for key in [
        "files",
        "documents",
        "workloads",
        "pools",
        "error",
        "warning",
        "note",
        "suppressed",
        "baselined",
        "not_judged",
    ] {
        assert!(report["summary"][key].is_u64(), "{key}");
    }
    let check_place = |place: &Value| {
        let (_, text) = files
            .iter()
            .find(|(path, _)| *path == place["file"])
            .unwrap();
        let mut offsets = Vec::new();
        for end in ["start", "end"] {
            assert_eq!(keys(&place[end]), ["column", "line", "offset"]);
            let offset = usize::try_from(place[end]["offset"].as_u64().unwrap()).unwrap();
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            assert_eq!(place[end]["line"], line, "{place}");
            assert_eq!(place[end]["column"], column, "{place}");
            offsets.push(offset);
        }
        assert!(offsets[0] < offsets[1], "{place}");
        text[offsets[0]..offsets[1]].to_owned()
    };
    let findings = report["findings"].as_array().unwrap();
    let mut related = 0;
    for finding in findings {
        assert_eq!(
            keys(finding),
            [
                "cluster",
                "end",
                "file",
                "fingerprint",
                "fix",
                "help",
                "message",
                "object",
                "occurrences",
                "path",
                "related",
                "rule",
                "severity",
                "start"
            ]
        );
        assert_eq!(
            keys(&finding["object"]),
            ["apiVersion", "kind", "name", "namespace"]
        );
        let slice = check_place(finding);
        if finding["path"] == "spec.tolerations[0].value" {
            assert_eq!(slice, "value: 'ü'");
            assert_eq!(finding["rule"], "value-with-exists");
            assert_eq!(finding["object"]["namespace"], "shop");
        }
        for label in finding["related"].as_array().unwrap() {
            assert_eq!(keys(label), ["end", "file", "message", "start"]);
            check_place(label);
            related += 1;
        }
    }
    assert!(findings.len() >= 3 && related > 0, "{report:#}");
}

/// A repository with findings in several files and places.
fn many() -> TempDir {
    let text = format!("{BAD}---\n{BAD}");
    let several = BAD.replace(
        "      effect: NoSchedule\n",
        "      effect: NoSchedul\n    - operator: Exists\n    - key: node-role.kubernetes.io/master\n",
    );
    let names: Vec<String> = (0..60)
        .map(|n| format!("d{}/f{}.yaml", n % 7, n * 37 % 60))
        .collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let text = if n % 2 == 0 { &text } else { &several };
            (name.as_str(), text.as_str())
        })
        .collect();
    repo(&files)
}

#[test]
fn findings_are_sorted_by_file_place_and_rule() {
    let folder = many();
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let keys: Vec<(String, u64, String)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            (
                finding["file"].as_str().unwrap().to_owned(),
                finding["start"]["offset"].as_u64().unwrap(),
                finding["rule"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert!(keys.len() > 100);
    assert!(keys.is_sorted(), "{keys:#?}");
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = many();
    for format in ["text", "concise", "json"] {
        let one = run(
            folder.path(),
            &["check", "--threads", "1", "--format", format],
        );
        for _ in 0..3 {
            let many = run(
                folder.path(),
                &["check", "--threads", "8", "--format", format],
            );
            assert_eq!(
                (one.code, &one.out, &one.err),
                (many.code, &many.out, &many.err)
            );
        }
    }
}

#[test]
fn comparison_operators_follow_the_version_and_the_gate() {
    let text = BAD
        .replace("operator: Exists", "operator: Gt")
        .replace("value: w", "value: '5'");
    let rule = ["--select", "comparison-operator-unavailable"];
    let count = |config: &str, arguments: &[&str]| {
        let folder = repo(&[("z.yaml", &text), (".kubetaint.yaml", config)]);
        let arguments = [&["check", "--format", "concise"], &rule[..], arguments].concat();
        run(folder.path(), &arguments).out.lines().count()
    };
    assert_eq!(count("{}\n", &["--kubernetes", "1.34"]), 1);
    let gate = "feature-gates: {TaintTolerationComparisonOperators: true}\n";
    assert_eq!(count(&format!("kubernetes: \"1.35\"\n{gate}"), &[]), 0);
    assert_eq!(count(&gate.replace("true", "false"), &[]), 1);
    assert_eq!(
        count(gate, &["--kubernetes", "1.34"]),
        1,
        "1.34 does not know the gate"
    );
}

// The other commands

#[test]
fn rules_are_listed_as_a_table_and_as_json() {
    let folder = repo(&[]);
    let table = run(folder.path(), &["rules"]);
    let json = run(folder.path(), &["rules", "-o", "json"]);
    assert_eq!((table.code, json.code), (0, 0));
    let json = json.json();
    let rules = json["rules"].as_array().unwrap();
    // Titles are on separate lines below.
    let rows = table.out.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(rows.count(), rules.len());
    assert!(table.out.lines().all(|line| line.chars().count() <= 80));
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        assert!(table.out.contains(&format!("{id} ")), "{id}");
    }
}

#[test]
fn every_chart_is_shown_on_a_screen_and_as_json() {
    let folder = repo(&[("z.yaml", BAD)]);
    let list = run(folder.path(), &["charts"]);
    assert_eq!(list.code, 0);
    for (file, _) in kubetaint::builtin::CHARTS {
        let name = file.strip_suffix(".yaml").unwrap();
        let listed = list
            .out
            .lines()
            .any(|line| line.split(' ').next() == Some(name));
        assert!(listed, "{name}");
    }
    let page = run(folder.path(), &["charts", "falco"]).out;
    assert!(page.contains("  DaemonSet/falco\n"), "{page}");
    assert!(page.contains("    tolerations: tolerations\n"), "{page}");
    for name in ["aws-ebs-csi-driver", "jupyterhub", "loki"] {
        let page = run(folder.path(), &["charts", name]).out;
        let broken = |line: &&str| line.chars().count() > 80 && line.trim().contains("  ");
        assert_eq!(page.lines().find(broken), None, "{name}");
    }
    let whole = run(folder.path(), &["charts", "falco", "-o", "json"]).out;
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let values = &whole["charts"][0]["editions"][0]["values"];
    assert!(values.as_array().is_some_and(|values| !values.is_empty()));
}

#[test]
fn every_rule_is_explained_on_a_screen_and_its_examples_are_for_those_who_ask() {
    let folder = repo(&[]);
    for (name, _) in kubetaint::builtin::RULES {
        let id = name.trim_end_matches(".yaml");
        let page = run(folder.path(), &["explain", id]);
        assert_eq!((page.code, page.err.as_str()), (0, ""), "{id}");
        assert!(page.out.starts_with(&format!("# {id}\n")), "{}", page.out);
        assert!(page.out.contains("## When to ignore it\n"), "{}", page.out);
        assert!(!page.out.contains("\n## Examples\n"), "{}", page.out);
        let rows = page.out.lines().count();
        assert!(rows <= 70, "{id}: {rows} lines");
    }
    let page = run(folder.path(), &["explain", "blanket-exists", "--examples"]).out;
    assert!(page.contains("\n## Condition\n") && page.contains("\n## Examples\n"));
}

#[test]
fn a_path_without_a_command_is_told_what_checks_it() {
    let folder = repo(&[("apps/a.yaml", BAD)]);
    let result = run(folder.path(), &["apps"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    let advice =
        "error: `apps` is a path, not a command; to check it, run `kubetaint check apps`\n";
    assert!(result.err.starts_with(advice), "{}", result.err);
    assert!(
        run(folder.path(), &["."])
            .err
            .contains("`kubetaint check .`")
    );
}

#[test]
fn the_examples_of_the_built_in_rules_pass_and_a_wrong_one_fails() {
    let folder = repo(&[]);
    let result = run(folder.path(), &["test"]);
    assert_eq!(result.code, 0, "{}", result.out);
    assert!(
        result.out.ends_with(" passed, 0 failed\n"),
        "{}",
        result.out
    );
    fs::create_dir(folder.path().join("own")).unwrap();
    let path = folder.path().join("own/no-x.yaml");
    fs::write(&path, OWN_RULE).unwrap();
    let result = run(folder.path(), &["test", "own"]);
    assert_eq!(result.code, 1, "{}{}", result.out, result.err);
    assert!(
        result.out.contains("no-x: ") && result.out.ends_with("1 passed, 1 failed\n"),
        "{}",
        result.out
    );
    fs::write(&path, OWN_RULE.replace("key: y ", "key: x ")).unwrap();
    let result = run(folder.path(), &["test", "own"]);
    assert_eq!(
        (result.code, result.out.as_str()),
        (0, "2 passed, 0 failed\n")
    );
    let result = run(folder.path(), &["rules", "--rules", "own"]);
    assert!(result.out.contains("no-x "), "{}", result.out);

    for (wrong, line) in [
        (
            OWN_RULE.replace("toleration.key == \"x\"", "toleration.ky == \"x\""),
            5,
        ),
        (
            OWN_RULE.replace("toleration.key == \"x\"", "toleration.key"),
            5,
        ),
        (OWN_RULE.replace("severity: warning", "severity: loud"), 3),
    ] {
        fs::write(&path, wrong).unwrap();
        let result = run(folder.path(), &["check", "--rules", "own"]);
        assert_eq!((result.code, result.out.as_str()), (2, ""));
        let place = format!("error: own/no-x.yaml:{line}:");
        assert!(result.err.starts_with(&place), "{place} {}", result.err);
    }
}

#[test]
fn help_names_every_option_of_every_command() {
    let folder = repo(&[]);
    for (command, options) in [
        (
            "check",
            &[
                "--format",
                "--config",
                "--isolated",
                "--rules",
                "--select",
                "--ignore",
                "--kubernetes",
                "--fail-on",
                "--min-severity",
                "--threads",
                "--color",
                "--quiet",
                "--verbose",
            ][..],
        ),
        ("rules", &["--output", "--rules", "--color"]),
        ("explain", &["--rules", "<RULE>"]),
        ("test", &["[PATH]..."]),
    ] {
        let result = run(folder.path(), &[command, "--help"]);
        assert_eq!((result.code, result.err.as_str()), (0, ""), "{command}");
        for option in options {
            assert!(result.out.contains(option), "{command} {option}");
        }
        let whole = run(folder.path(), &["--help"]);
        assert!(whole.out.contains(&format!("\n  {command} ")), "{command}");
    }
    let result = run(folder.path(), &["--version"]);
    assert_eq!(
        result.out,
        format!("kubetaint {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = many();
    let mut child = command(folder.path(), &["check", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let result = child.wait_with_output().unwrap();
    let err = String::from_utf8(result.stderr).unwrap();
    assert!(!err.contains("panicked"), "{err}");
    assert_ne!(result.status.code(), Some(101));
}

#[test]
fn a_part_of_a_repository_proves_nothing_about_a_complete_cluster() {
    let folder = repo(&[
        (
            ".kubetaint.yaml",
            "clusters: {prod: {paths: [\"**\"], complete: true}}\n",
        ),
        (
            "pools/gpu.yaml",
            "apiVersion: v1\nkind: Node\nmetadata: {name: gpu, labels: {pool: gpu}}\nspec:\n  taints: \
              [{key: example.com/gpu, effect: NoSchedule}]\n",
        ),
        (
            "pools/general.yaml",
            "apiVersion: v1\nkind: Node\nmetadata: {name: general, labels: {pool: general}}\nspec: {}\n",
        ),
        (
            "apps/web.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: web, image: web}]\n",
        ),
    ]);
    let whole = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(whole.code, 0, "{}", whole.out);
    let part = run(
        folder.path(),
        &["check", "--format", "concise", "apps", "pools/gpu.yaml"],
    );
    assert_eq!((part.code, part.out.as_str()), (0, ""));
    assert!(
        part.err.contains("clusters that were only partly read (1)"),
        "{}",
        part.err
    );
}

#[test]
fn the_settings_in_effect_are_shown_and_nothing_is_checked() {
    let config = "kubernetes: \"1.36\"\nfeature-gates: {TaintTolerationComparisonOperators: true}\n\
        admission: [ExtendedResourceToleration]\nexclude: [\"vendor/**\"]\n\
        clusters: {prod: {paths: [\"apps/**\"], complete: true}}\n\
        pools: [{name: gpu, cluster: prod, taints: [\"example.com/gpu=a:NoSchedule\"]}]\n\
        rules:\n  value-with-exists: off\n  blanket-exists: {severity: error, except: [{kind: DaemonSet}]}\n";
    let folder = repo(&[(".kubetaint.yaml", config), ("apps/a.yaml", BAD)]);
    let result = run(folder.path(), &["check", "--show-settings"]);
    assert_eq!(result.code, 0, "{}", result.err);
    let shown: serde_yaml::Value = serde_yaml::from_str(&result.out).unwrap();
    assert_eq!(shown["kubernetes"], "1.36");
    assert_eq!(
        shown["feature-gates"]["TaintTolerationComparisonOperators"],
        true
    );
    assert_eq!(shown["admission"][0], "ExtendedResourceToleration");
    assert_eq!(shown["exclude"][0], "vendor/**");
    assert_eq!(shown["clusters"]["prod"]["complete"], true);
    assert_eq!(
        shown["pools"][0]["taints"][0],
        "example.com/gpu=a:NoSchedule"
    );
    assert_eq!(shown["rules"]["value-with-exists"], "off");
    assert_eq!(shown["rules"]["blanket-exists"]["severity"], "error");
    assert_eq!(
        shown["rules"]["blanket-exists"]["except"][0]["kind"],
        "DaemonSet"
    );
    // A rule with varying severity cannot be written with a single one.
    assert!(
        result.out.contains("\n  # unknown-effect: error\n"),
        "{}",
        result.out
    );
    let words = shown["test-paths"].as_sequence().unwrap();
    assert!(words.contains(&"testdata".into()), "{words:?}");

    let defaults = run(
        folder.path(),
        &[
            "check",
            "--show-settings",
            "--isolated",
            "--kubernetes",
            "1.30",
        ],
    );
    let shown: serde_yaml::Value = serde_yaml::from_str(&defaults.out).unwrap();
    assert_eq!(shown["kubernetes"], "1.30");
    assert_eq!(shown["rules"]["value-with-exists"], serde_yaml::Value::Null);
    let decides = "\n  # value-with-exists: error\n";
    assert!(defaults.out.contains(decides), "{}", defaults.out);
}

#[test]
fn completions_know_rules_formats_and_every_command() {
    let folder = repo(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(folder.path(), &["completions", shell]).out;
        for word in ["add-ignores", "omit-suppressed", "explain", "man"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        if ["bash", "zsh", "fish"].contains(&shell) {
            assert!(
                script.contains("blanket-exists") && script.contains("rdjson"),
                "{shell}"
            );
        }
    }
}

// Output destinations and special files

#[cfg(target_os = "linux")]
#[test]
fn nobody_who_listens_to_standard_error_is_no_failure() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, code) in [
        (&["check", "nope"][..], 2),
        (&["check"], 1),
        (&["pools"], 0),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(folder.path(), arguments)
            .stderr(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_on_a_full_disk_is_told_with_its_file() {
    let folder = repo(&[("z.yaml", BAD)]);
    let result = run(folder.path(), &["check", "--format", "json=/dev/full"]);
    assert_eq!(result.code, 2);
    assert!(
        result
            .err
            .starts_with("error: /dev/full: No space left on device"),
        "{}",
        result.err
    );
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command(folder.path(), &["check"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("the output could not be written: No space left"),
        "{err}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_takes_a_baseline_and_stays_a_device() {
    use std::os::unix::fs::FileTypeExt as _;
    let folder = repo(&[("z.yaml", BAD)]);
    // Through a link of the user's own, so that a bug replaces at most the link.
    let elsewhere = tempfile::TempDir::new().unwrap();
    let link = elsewhere.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let named = link.display().to_string();
    let result = run(folder.path(), &["check", "--write-baseline", &named]);
    assert_eq!(result.code, 0, "{}", result.err);
    assert!(fs::metadata(&link).unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_fixed_and_that_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = repo(&[("z.yaml", BAD)]);
    let path = folder.path().join("z.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let result = run(folder.path(), &["check", "--fix"]);
    assert_eq!(result.code, 2);
    assert!(result.err.contains("Nothing was fixed\n"), "{}", result.err);
    assert!(
        result
            .err
            .contains("error: z.yaml: not fixed: the file is read-only\n"),
        "{}",
        result.err
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), BAD);
}

#[test]
fn a_file_that_cannot_be_made_is_told_without_the_name_of_a_temporary_one() {
    let folder = repo(&[("z.yaml", BAD)]);
    let result = run(
        folder.path(),
        &["check", "--write-baseline", "no/such/known.yaml"],
    );
    assert_eq!(
        (result.code, result.err.as_str()),
        (
            2,
            "error: no/such/known.yaml: No such file or directory (os error 2)\n"
        )
    );
}

#[test]
fn a_configuration_that_would_not_be_read_is_not_passed_over_in_silence() {
    let folder = repo(&[
        ("z.yaml", BAD),
        (".kubetaint.yml", "rules: {value-with-exists: off}\n"),
    ]);
    let result = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((result.code, result.places()), (2, ONE.to_vec()));
    let error =
        "error: .kubetaint.yml:1:1: is not read: the name of the configuration is .kubetaint.yaml";
    assert!(result.err.starts_with(error), "{}", result.err);
    let result = run(folder.path(), &["check", "--isolated"]);
    assert!(!result.err.contains("is not read"), "{}", result.err);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", folder.path().join(".kubetaint.yaml")).unwrap();
        let result = run(folder.path(), &["check"]);
        assert_eq!(result.code, 2);
        assert!(
            result
                .err
                .starts_with("error: .kubetaint.yaml: No such file"),
            "{}",
            result.err
        );
    }
}

#[test]
fn a_slip_in_a_list_of_rules_a_format_or_a_number_is_told_as_what_it_is() {
    let folder = repo(&[("z.yaml", BAD)]);
    for (arguments, expected) in [
        (
            &["check", "--select", ""][..],
            "error: --select: the id of a rule is missing",
        ),
        (
            &["check", "--ignore", "blanket-exists,"],
            "error: --ignore: the id of a rule is missing",
        ),
        (
            &["check", "--format", "jsn"],
            "error: unknown format `jsn`, expected one of ",
        ),
        (
            &["check", "--threads", "99999"],
            "error: invalid value '99999' for '--threads <N>'",
        ),
    ] {
        assert_refused(&folder, arguments, expected);
    }
    let result = run(folder.path(), &["check", "--format", "jsn"]);
    assert!(
        result.err.ends_with(" (did you mean `json`?)\n"),
        "{}",
        result.err
    );
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_in_the_configuration_mean_nothing() {
    let folder = repo(&[
        (
            ".kubetaint.yaml",
            "\u{feff}rules:\r\n  value-with-exists: off\r\n",
        ),
        ("sub/z.yaml", BAD),
    ]);
    // It also applies in a subfolder.
    for from in [folder.path().to_path_buf(), folder.path().join("sub")] {
        let result = run(&from, &["check"]);
        assert_eq!(result.code, 0, "{}{}", result.out, result.err);
    }
}

#[test]
fn what_was_not_judged_is_listed_where_the_user_asks_for_it() {
    let template = "{{ if x }}\napiVersion: v1\nkind: Pod\nspec: {tolerations: []}\n";
    let open = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec:\n  containers: [{name: a, image: \
                b}]\n  tolerations: [{key: \"${KEY}\", operator: Exists}]\n";
    let folder = repo(&[("apps/a.yaml", template), ("apps/web.yaml", open)]);
    let lines = "Not judged:\n  apps/a.yaml:1:1: its template cannot be parsed: this block has no `end`\n  apps/web.yaml:6:18: Pod shop/web: `key: \"${KEY}\"` is filled \
                 in later\n";
    let check = |arguments: &[&str]| run(folder.path(), &[&["check"], arguments].concat());
    let text = check(&["-v"]);
    assert!(text.out.contains(lines), "{}", text.out);
    assert!(!text.out.contains("-v lists them"), "{}", text.out);
    let plain = check(&[]);
    assert!(!plain.out.contains("Not judged:"), "{}", plain.out);
    assert!(plain.out.contains("; -v lists them"), "{}", plain.out);
    let quiet = check(&["-q"]);
    assert_eq!(quiet.out, "");
    // With other formats the list goes to the same stream as the summary.
    let concise = check(&["-v", "--format", "concise"]);
    assert_eq!(concise.out, "");
    assert!(
        concise.err.contains("apps/a.yaml:1:1: its template"),
        "{}",
        concise.err
    );
    let json = check(&["--format", "json"]).json();
    let listed = json["not_judged"].as_array().unwrap();
    assert_eq!(json["summary"]["not_judged"], listed.len());
    let because: Vec<&Value> = listed.iter().map(|one| &one["because"]).collect();
    assert_eq!(
        because,
        [
            "its template cannot be parsed: this block has no `end`",
            "`key: \"${KEY}\"` is filled in later"
        ]
    );
    assert_eq!(listed[1]["object"]["name"], "web");
    assert_eq!(listed[1]["start"]["line"], 6);
    let lines = check(&["--format", "jsonl"]);
    let last: Value = serde_json::from_str(lines.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["not_judged"], json["not_judged"]);
}
