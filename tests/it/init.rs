//! Tests of `kubetaint init`: its proposal is valid and loses none of the previous findings.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use crate::program::{Run, copy, repo, run};
use tempfile::TempDir;
use walkdir::WalkDir;

fn pool(name: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      \
         taints: [{{key: example.com/{name}, effect: NoSchedule}}]\n"
    )
}

fn job(pool: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec:\n  template:\n    spec:\n      \
         nodeSelector: {{karpenter.sh/nodepool: {pool}}}\n      containers: [{{name: a, image: b}}]\n"
    )
}

fn environments() -> TempDir {
    let open = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: open}\nspec: {template: {spec: {taints: \
                \"{{ .taints }}\"}}}\n";
    repo(&[
        ("infra/prod-eu/pools.yaml", &pool("gpu")),
        ("infra/staging/pools.yaml", &pool("small")),
        ("infra/common/pools.yaml", open),
        (
            "apps/web/values-prod.yaml",
            "tolerations: [{key: example.com/gpu, operator: Exists}]\n",
        ),
        ("apps/web/base/job.yaml", &job("gpu")),
        ("apps/web/staging/job.yaml", &job("small")),
        ("charts/a/vendor/x.yaml", &job("gpu")),
        ("tests/job.yaml", &job("gpu")),
        ("main.tf", ""),
    ])
}

#[test]
fn a_proposal_names_clusters_pools_and_what_is_not_read() {
    let folder = environments();
    let Run {
        code,
        out: text,
        err,
    } = run(folder.path(), &["init", "--stdout"]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(text);
    assert!(!folder.path().join(".kubetaint.yaml").exists());
    assert_eq!(run(folder.path(), &["init", "-"]).out, text);
}

#[test]
fn what_is_written_is_read_and_finds_what_was_found_before() {
    let folder = environments();
    let places = || -> Vec<String> {
        let Run { code, out, err } = run(folder.path(), &["check", "--format", "concise"]);
        assert_ne!(code, 2, "{err}");
        let about = |line: &&str| {
            !line.contains("vendor/")
                && !line.starts_with("tests/")
                && line.contains("selected-pool-not-tolerated")
        };
        let place = |line: &str| line.split_once(": ").unwrap().0.to_owned();
        out.lines().filter(about).map(place).collect()
    };
    let before = places();
    assert_eq!(before.len(), 2, "{before:?}");
    let Run { code, out, .. } = run(folder.path(), &["init"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("wrote ./.kubetaint.yaml\n"), "{out}");
    let Run { code, err, .. } = run(folder.path(), &["pools"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(places(), before);
}

#[test]
fn init_prints_what_it_wrote_what_it_found_and_the_next_command() {
    let folder = environments();
    let out = run(folder.path(), &["init"]).out;
    assert_eq!(
        out,
        "wrote ./.kubetaint.yaml\n\
         found 2 clusters, 3 node pools and 4 workloads in 9 files\n\
         next: review it, then run `kubetaint check`\n"
    );
    let quiet = run(folder.path(), &["init", "--force", "--quiet"]).out;
    assert_eq!(quiet, "wrote ./.kubetaint.yaml\n");
}

#[test]
fn what_the_readme_says_of_each_commit_and_change_is_what_the_repository_offers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let readme = read("README.md");
    let block = |first: &str| {
        let (_, behind) = readme.split_once(&format!("```yaml\n{first}")).unwrap();
        behind.split("```").next().unwrap().to_owned()
    };
    let (commit, change) = (block("repos:\n"), block("name: kubetaint\n"));
    let ids: Vec<&str> = commit
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- id: "))
        .collect();
    assert_eq!(ids, ["kubetaint"]);
    let hooks = read(".pre-commit-hooks.yaml");
    assert!(hooks.contains("- id: kubetaint\n") && root.join("action.yml").exists());
    let address = env!("CARGO_PKG_REPOSITORY");
    assert!(commit.contains(&format!("- repo: {address}\n")));
    let name = address.strip_prefix("https://github.com/").unwrap();
    assert!(change.contains(&format!("- uses: {name}@")));
}

#[test]
fn what_is_there_is_replaced_only_when_that_is_asked_for() {
    let folder = repo(&[("a.yaml", "a: b\n"), (".kubetaint.yaml", "rules: {}\n")]);
    let Run { code, out, err } = run(folder.path(), &["init"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "error: ./.kubetaint.yaml is there already; --force replaces it, --stdout prints what it would become\n"
    );
    let text = || fs::read_to_string(folder.path().join(".kubetaint.yaml")).unwrap();
    assert_eq!(text(), "rules: {}\n");
    assert_eq!(run(folder.path(), &["init", "--stdout"]).code, 0);
    assert_eq!(text(), "rules: {}\n");
    assert_eq!(run(folder.path(), &["init", "--force"]).code, 0);
    assert!(text().starts_with("# What kubetaint is to know"));
    assert_eq!(
        run(folder.path(), &["init", "nope"]).err,
        "error: nope: not a folder\n"
    );
}

#[test]
fn names_that_mean_something_in_yaml_or_in_patterns_stay_names() {
    let folder = repo(&[
        ("it's {a}/prod*/p.yaml", &pool("x")),
        ("it's {a}/staging # b/p.yaml", &pool("y\\nclusters: [")),
        ("vendor [1]/vendor/p.yaml", "a: b\n"),
    ]);
    let Run { code, err, .. } = run(folder.path(), &["init"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let Run { code, err, .. } = run(folder.path(), &["pools"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn every_situation_gets_a_configuration_that_loads_and_loses_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let mut tried = 0;
    for entry in WalkDir::new(root)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
    {
        let situation = entry.unwrap().into_path();
        if situation.join(".kubetaint.yaml").exists() {
            continue;
        }
        // Only meaningful paths give it more than comments.
        let Run {
            code,
            out: text,
            err,
        } = run(&situation, &["init", "--stdout"]);
        assert_eq!(code, 0, "{}: {err}", situation.display());
        if !text
            .lines()
            .any(|line| line.starts_with("clusters:") || line.starts_with("exclude:"))
        {
            continue;
        }
        let folder = repo(&[(".kubetaint.yaml", &text)]);
        copy(&situation, folder.path());
        let Run {
            code,
            out: with,
            err,
        } = run(folder.path(), &["check", "--format", "concise"]);
        assert_ne!(code, 2, "{}: {err}", situation.display());
        let without = run(
            folder.path(),
            &["check", "--format", "concise", "--isolated"],
        )
        .out;
        assert_eq!(with, without, "{}", situation.display());
        tried += 1;
    }
    assert!(tried > 0);
}
