//! A single file adds a provider: a user-defined table in a folder that the configuration names.

use crate::program::{Run, concise};

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

fn check(table: &str) -> Run {
    concise(&[
        ("tables/inhouse.yaml", table),
        ("all.yaml", MANIFESTS),
        (".kubetaint.yaml", CONFIGURATION),
    ])
}

#[test]
fn a_table_of_the_users_own_makes_pools() {
    let result = check(TABLE);
    assert_eq!(result.code, 1, "{}", result.out);
    assert!(
        result
            .out
            .contains("all.yaml:12:18: error[selected-pool-not-tolerated]"),
        "{}",
        result.out
    );
}

#[test]
fn a_broken_table_is_named_with_its_place() {
    let result = check(&TABLE.replace("kinds:", "kindz:"));
    assert_eq!(result.code, 2, "{}", result.err);
    assert!(
        result.err.contains("tables/inhouse.yaml:5:5:"),
        "{}",
        result.err
    );
    assert!(
        result
            .err
            .contains("unknown key `kindz` in an entry of `pools`; did you mean `kinds`?"),
        "{}",
        result.err
    );
}

#[test]
fn a_table_that_is_named_otherwise_than_its_file_is_told() {
    let result = check(&TABLE.replace("name: inhouse", "name: our-own"));
    assert_eq!(result.code, 2);
    let told = "tables/inhouse.yaml:1:7: name `our-own` differs from the file's name, `inhouse`\n";
    assert!(result.err.ends_with(told), "{}", result.err);
}

#[test]
fn what_is_wrong_with_a_table_is_told_with_its_place_once() {
    let result = check(&TABLE.replace("[spec.taints]", "spec.taints"));
    assert_eq!(result.code, 2);
    let told = "tables/inhouse.yaml:7:13: `taints` must be a list; found `spec.taints`\n";
    assert!(result.err.ends_with(told), "{}", result.err);
    let result = check(&TABLE.replace("[spec.taints]", "[spec..taints]"));
    let told = ":7:14: path `spec..taints`: a key is missing at byte 5 of the path\n";
    assert!(result.err.ends_with(told), "{}", result.err);
}
