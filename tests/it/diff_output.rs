//! What `kubetaint diff` prints: for terminals and for a comment on a change.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use tempfile::TempDir;

use crate::program::{run, write};

const CONFIGURATION: &str = "clusters: {live: {paths: [\"**\"], complete: true}}\n";

fn pool(name: &str, taint: &str) -> String {
    let taints = match taint {
        "" => String::new(),
        taint => format!("\n      taints:\n        - {taint}"),
    };
    format!(
        "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: \"{name}\"
spec:
  template:
    metadata:
      labels: {{pool: \"{name}\"}}
    spec:
      requirements: []{taints}
---
"
    )
}

fn workload(kind: &str, name: &str, lines: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: {kind}
metadata:
  name: {name}
  namespace: shop
spec:
  selector: {{}}
  template:
    spec:
      containers: [{{name: main, image: main}}]
{lines}---
"
    )
}

const GPU: &str = "{key: example.com/gpu, value: \"true\", effect: NoSchedule}";
const DRAINED: &str = "{key: example.com/drained, value: \"true\", effect: NoExecute}";

/// Writes both sides and compares them.
fn diff(sides: [&[(&str, String)]; 2], arguments: &[&str]) -> (String, i32) {
    let folder = TempDir::new().unwrap();
    for (side, files) in ["before", "after"].iter().zip(sides) {
        let root = folder.path().join(side);
        write(&root, ".kubetaint.yaml", CONFIGURATION);
        for (path, text) in files {
            write(&root, path, text);
        }
    }
    let mut all = vec!["diff", "before", "after"];
    all.extend(arguments);
    let run = run(folder.path(), &all);
    assert_eq!(run.err, "");
    (run.out, run.code)
}

fn before() -> Vec<(&'static str, String)> {
    let selecting = "      nodeSelector: {pool: gpu}\n      tolerations:\n        - {key: example.com/gpu, operator: Exists}\n";
    let web: String = (1..=8)
        .map(|at| workload("Deployment", &format!("web-{at}"), ""))
        .collect();
    vec![
        ("pools.yaml", pool("gpu", GPU) + &pool("web", "")),
        ("train.yaml", workload("Deployment", "train", selecting)),
        (
            "agent.yaml",
            workload(
                "DaemonSet",
                "agent",
                "      tolerations:\n        - {operator: Exists}\n",
            ),
        ),
        ("web.yaml", web),
    ]
}

fn after() -> Vec<(&'static str, String)> {
    let pinned =
        "      nodeSelector: {pool: web}\n      tolerations:\n        - {operator: Exists}\n";
    let selecting = "      nodeSelector: {pool: gpu}\n";
    let mut files = before();
    files[0].1 = pool("gpu", GPU) + &pool("web", DRAINED) + &pool("cheap", "");
    files[1].1 = workload("Deployment", "train", selecting);
    files[2].1 = workload("DaemonSet", "agent", pinned);
    files
}

#[test]
fn a_change_is_told_by_its_causes_worst_first() {
    let (text, code) = diff([&before(), &after()], &[]);
    assert_eq!(code, 1);
    insta::assert_snapshot!(text);
}

#[test]
fn a_comment_on_a_change_fits_one_screen() {
    let (text, code) = diff([&before(), &after()], &["-o", "markdown"]);
    assert_eq!(code, 1);
    assert!(text.lines().count() <= 30, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_change_that_does_nothing_is_one_line() {
    let (text, code) = diff([&before(), &before()], &[]);
    assert_eq!((text.lines().count(), code), (1, 0), "{text}");
    let (text, code) = diff([&before(), &before()], &["-o", "markdown"]);
    assert_eq!((text.lines().count(), code), (1, 0), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn names_of_a_repository_are_neither_markdown_nor_control_characters() {
    let hostile = "`|<b>@team\\e[31m";
    let pools = pool("web", "") + &pool(hostile, "");
    let before: Vec<_> = vec![
        ("pools.yaml", pool("web", "")),
        ("web.yaml", workload("Deployment", "web", "")),
    ];
    let mut after = before.clone();
    after[0].1 = pools;
    for arguments in [&[][..], &["-o", "markdown"]] {
        let (text, _) = diff([&before, &after], arguments);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        if !arguments.is_empty() {
            assert!(!text.contains("<b>") || text.contains("`'\\|<b>"), "{text}");
        }
    }
}
