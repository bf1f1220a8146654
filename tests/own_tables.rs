//! A provider is added by one file: a table of the user's own, in a folder that the configuration names.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

const TABLE: &str = "\
name: inhouse
about: Machine groups of our own operator.
pools:
  - group: machines.example.com
    kinds: [MachineGroup]
    name: metadata.name
    taints: [spec.taints]
    labels: [spec.labels]
    other-labels: none
";

const MANIFESTS: &str = "\
apiVersion: machines.example.com/v1
kind: MachineGroup
metadata: {name: gpu}
spec:
  labels: {pool: gpu}
  taints: {nvidia.com/gpu: \"present:NoSchedule\"}
---
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector: {pool: gpu}
  containers: [{name: main, image: trainer}]
";

const CONFIGURATION: &str = "\
providers: [tables]
clusters: {all: {paths: [\"**\"], complete: true}}
";

fn check(table: &str) -> Output {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("tables")).unwrap();
    fs::write(folder.path().join("tables/inhouse.yaml"), table).unwrap();
    fs::write(folder.path().join("all.yaml"), MANIFESTS).unwrap();
    fs::write(folder.path().join(".kubetaint.yaml"), CONFIGURATION).unwrap();
    Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(["check", "--format", "concise"])
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn a_table_of_the_users_own_makes_pools() {
    let output = check(TABLE);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("all.yaml:12:18: error[selected-pool-not-tolerated]"),
        "{text}"
    );
}

#[test]
fn a_broken_table_is_named_with_its_place() {
    let output = check(&TABLE.replace("kinds:", "kindz:"));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("tables/inhouse.yaml:5:5:"), "{text}");
    assert!(text.contains("unknown field `kindz`"), "{text}");
}
