//! `kubetaint pools` and inventories from outside: what is listed, and that pools listed in one repository are judged
//! in another as if they were declared there.

// A test that cannot prepare its files has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

/// What a run gave.
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    Run {
        code: output.status.code().expect("ended by a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A repository with these files.
fn repo(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

fn write(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

const POOLS: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {example.com/team: vision, example.com/size: big}}
    spec:
      taints:
        - {key: example.com/gpu, value: \"yes\", effect: NoSchedule}
        - {key: example.com/warm, effect: PreferNoSchedule}
      startupTaints: [{key: example.com/agent, effect: NoExecute}]
      requirements:
        - {key: kubernetes.io/arch, operator: In, values: [amd64]}
        - {key: example.com/slot, operator: Exists}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: open}
spec: {template: {spec: {taints: \"{{ .Values.taints }}\"}}}
";

const KIND: &str = "\
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: local
nodes:
  - role: control-plane
  - role: worker
";

#[test]
fn the_table_shows_what_is_known_and_says_what_is_not_and_why() {
    let folder = repo(&[
        ("infra/pools.yaml", POOLS),
        ("kind.yaml", KIND),
        (
            ".kubetaint.yaml",
            "clusters: {prod: {paths: [infra/], complete: true}}\n\
             pools: [{name: bare, labels: {example.com/kind: metal}, taints: [\"example.com/metal:NoExecute\"]}]\n",
        ),
    ]);
    let result = run(folder.path(), &["pools"]);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
    insta::assert_snapshot!(result.out);
    let result = run(folder.path(), &["pools", "--quiet", "--color", "always"]);
    assert!(result.out.starts_with("\u{1b}[1mNAME"), "{}", result.out);
    assert!(!result.out.contains("node pools read"), "{}", result.out);
}

#[test]
fn the_json_list_has_the_promised_keys() {
    let folder = repo(&[("infra/pools.yaml", POOLS)]);
    let result = run(folder.path(), &["pools", "-o", "json"]);
    assert_eq!(result.code, 0);
    assert_eq!(
        result.err,
        "2 node pools read in 1 file; of 1 not every taint is known\n"
    );
    let list = result.json();
    let gpu = &list["pools"][0];
    assert_eq!(gpu["name"], "gpu");
    assert_eq!(gpu["provider"], "karpenter");
    assert_eq!(gpu["cluster"], Value::Null);
    assert_eq!(gpu["labels"]["example.com/team"], "vision");
    assert_eq!(
        gpu["taints"],
        json!([
            {"key": "example.com/gpu", "value": "yes", "effect": "NoSchedule", "origin": "declared",
             "line": 9, "field": "spec.template.spec.taints[0]"},
            {"key": "example.com/warm", "value": "", "effect": "PreferNoSchedule", "origin": "declared",
             "line": 10, "field": "spec.template.spec.taints[1]"},
            {"key": "example.com/agent", "value": "", "effect": "NoExecute", "origin": "startup",
             "line": 11, "field": "spec.template.spec.startupTaints[0]"},
        ])
    );
    assert_eq!(gpu["complete"], true);
    assert_eq!(
        (&gpu["file"], &gpu["line"]),
        (&json!("infra/pools.yaml"), &json!(1))
    );
    let open = &list["pools"][1];
    assert_eq!(
        (&open["complete"], &open["line"]),
        (&json!(false), &json!(16))
    );
    assert_eq!(
        open["incomplete_because"],
        "taints are filled in by a template"
    );
}

#[test]
fn that_nothing_was_read_is_said_aloud_and_is_no_failure() {
    let folder = repo(&[("apps/web.yaml", "kind: x\n")]);
    let result = run(folder.path(), &["pools"]);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
    assert!(
        result.out.starts_with("0 node pools read in 1 file"),
        "{}",
        result.out
    );
    let result = run(folder.path(), &["pools", "-o", "json"]);
    assert_eq!((result.code, &result.json()["pools"]), (0, &json!([])));
    assert!(
        result.err.starts_with("0 node pools read in 1 file"),
        "{}",
        result.err
    );
}

#[test]
fn what_keeps_pools_from_being_read_ends_with_2() {
    let folder = repo(&[("a.yaml", POOLS), ("bad.yaml", "clusters: [\n")]);
    let result = run(folder.path(), &["pools", "nope"]);
    assert_eq!(
        (result.code, result.err.as_str()),
        (2, "error: nope: path does not exist\n")
    );
    let result = run(folder.path(), &["pools", "--config", "bad.yaml"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    let result = run(folder.path(), &["pools", "--pools", "nope.yaml"]);
    assert_eq!(result.code, 2);
    assert_eq!(
        result.err.lines().next(),
        Some("error: nope.yaml: path does not exist")
    );
    let result = run(folder.path(), &["pools", "--pools", "."]);
    assert_eq!(result.code, 2);
    assert!(
        result.err.contains("--pools .: a folder; name the file"),
        "{}",
        result.err
    );
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let hostile = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: \"a\\e[31mred\\nb\"}\nspec:\n  template:\n    \
        metadata: {labels: {\"x\\u202ey\": \"\\a\"}}\n    spec: {taints: [{key: \"k\\e]0;t\\a\", effect: NoSchedule}]}\n";
    let folder = repo(&[("a\u{7}.yaml", hostile)]);
    let result = run(folder.path(), &["pools"]);
    assert!(result.out.contains("a\\x1b[31mred\\x0ab"), "{}", result.out);
    for acts in ['\u{1b}', '\u{7}', '\u{202e}'] {
        assert!(!result.out.contains(acts), "{:?}", result.out);
    }
    for format in ["yaml", "json"] {
        let result = run(folder.path(), &["pools", "-o", format]);
        assert!(!result.out.contains('\u{1b}'), "{:?}", result.out);
        assert!(!result.out.contains('\u{7}'), "{:?}", result.out);
    }
}
