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

/// Files as `repo` takes them.
fn folder(files: &[(String, String)]) -> TempDir {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    repo(&files)
}

/// The part of a proposal about clusters, without its introduction.
fn clusters_in(text: &str) -> String {
    let start = text.find("clusters:\n").unwrap();
    let start = text[..start].rfind('\n').unwrap() + 1;
    let rest = &text[start..];
    rest[..rest.find("\n\n").unwrap()].to_owned()
}

/// What `check` finds, without what it says about it.
fn found(folder: &Path) -> Vec<String> {
    let Run { code, out, err } = run(folder, &["check", "--format", "json"]);
    assert_ne!(code, 2, "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let mut all: Vec<String> = findings
        .map(|one| {
            format!(
                "{} {}:{} {}",
                one["severity"].as_str().unwrap(),
                one["file"].as_str().unwrap(),
                one["line"],
                one["rule"].as_str().unwrap()
            )
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Writes the proposal, which must load and change nothing, and returns its part about clusters.
fn proposed(folder: &Path) -> String {
    let before = found(folder);
    let Run { code, err, .. } = run(folder, &["init"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let text = fs::read_to_string(folder.join(".kubetaint.yaml")).unwrap();
    let Run { code, err, .. } = run(folder, &["pools"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(found(folder), before, "{text}");
    // The same files give the same text, whatever is there already.
    assert_eq!(run(folder, &["init", "--stdout"]).out, text);
    clusters_in(&text)
}

/// Uncomments what only the owner can say.
fn say_complete(folder: &Path) {
    let path = folder.join(".kubetaint.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let complete = text.replace("    # complete: true", "    complete: true");
    assert_ne!(text, complete);
    fs::write(path, complete).unwrap();
}

fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

fn web(label: &str, key: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  \
         selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      \
         nodeSelector: {{{label}}}\n      tolerations: [{{key: {key}, operator: Exists}}]\n      \
         containers: [{{name: a, image: a}}]\n"
    )
}

/// A configuration with one variable.
const TERRAFORM: &str = "variable \"taint\" { type = string }\nresource \"aws_eks_node_group\" \"gpu\" {\n  \
                cluster_name    = \"a\"\n  node_group_name = \"gpu\"\n  labels = { \"acme.com/pool\" = \"gpu\" }\n  taint {\n    \
                key    = \"acme.com/gpu\"\n    value  = var.taint\n    effect = \"NO_SCHEDULE\"\n  }\n}\n";

fn files(list: &[(&str, String)]) -> Vec<(String, String)> {
    let list = list.iter();
    list.map(|(path, text)| ((*path).to_owned(), text.clone()))
        .collect()
}

#[test]
fn clusters_of_flux_get_what_is_delivered_to_them() {
    let mut all = files(&[
        (
            "apps/base/kustomization.yaml",
            "resources: [web.yaml]\n".to_owned(),
        ),
        (
            "apps/base/web.yaml",
            web("karpenter.sh/nodepool: small", "example.com/small"),
        ),
        // Nothing delivers it.
        ("attic-room/web.yaml", web("a: b", "example.com/other")),
    ]);
    for (name, of) in [("prod", "gpu"), ("staging", "small")] {
        all.extend(files(&[
            (
                &format!("clusters/{name}/flux-system/gotk-sync.yaml"),
                flux("flux-system", &format!("./clusters/{name}")),
            ),
            (
                &format!("clusters/{name}/apps.yaml"),
                flux("apps", &format!("./apps/{name}")),
            ),
            (
                &format!("clusters/{name}/pools.yaml"),
                flux("pools", &format!("./machines/{name}")),
            ),
            (
                &format!("apps/{name}/kustomization.yaml"),
                "resources: [../base]\n".to_owned(),
            ),
            (&format!("machines/{name}/pool [1].yaml"), pool(of)),
        ]));
    }
    let folder = folder(&all);
    let text = proposed(folder.path());
    insta::assert_snapshot!(text);
    let before = found(folder.path());
    say_complete(folder.path());
    let after = found(folder.path());
    assert!(after.len() > before.len(), "{after:?}");
    assert!(
        after.iter().any(|one| one.contains("apps/base/web.yaml")),
        "{after:?}"
    );
}

#[test]
fn clusters_of_an_application_of_applications_get_what_is_delivered_to_them() {
    let application = |name: &str, path: &str, server: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
             project: default\n  source: {{repoURL: 'https://git.example.com/acme/fleet', path: {path}, targetRevision: HEAD}}\n  \
             destination: {{{server}, namespace: shop}}\n"
        )
    };
    let all = files(&[
        (
            "root/all.yaml",
            application("all", "children", "name: in-cluster"),
        ),
        (
            "children/east.yaml",
            application("east", "east", "name: east"),
        ),
        (
            "children/west.yaml",
            application("west", "west", "name: west"),
        ),
        (
            "children/west-pools.yaml",
            application("west-pools", "machines/west", "name: west"),
        ),
        (
            "children/east-pools.yaml",
            application("east-pools", "machines/east", "name: east"),
        ),
        (
            "east/web.yaml",
            web("karpenter.sh/nodepool: a", "example.com/a"),
        ),
        (
            "west/web.yaml",
            web("karpenter.sh/nodepool: b", "example.com/b"),
        ),
        ("machines/east/pool.yaml", pool("a")),
        ("machines/west/pool.yaml", pool("b")),
    ]);
    let folder = folder(&all);
    insta::assert_snapshot!(proposed(folder.path()));
}

#[test]
fn clusters_of_terraform_are_its_variables_files() {
    let all = files(&[
        ("terraform/main.tf", TERRAFORM.to_owned()),
        (
            "terraform/envs/prod.tfvars",
            "taint = \"prod\"\n".to_owned(),
        ),
        (
            "terraform/envs/staging.tfvars",
            "taint = \"staging\"\n".to_owned(),
        ),
        ("apps/web.yaml", web("acme.com/pool: gpu", "acme.com/gpu")),
        (
            "apps/prod/web.yaml",
            web("acme.com/pool: gpu", "acme.com/gpu"),
        ),
        (
            "apps/staging/web.yaml",
            web("acme.com/pool: cpu", "acme.com/gpu"),
        ),
    ]);
    let folder = folder(&all);
    insta::assert_snapshot!(proposed(folder.path()));
    let before = found(folder.path());
    say_complete(folder.path());
    let after = found(folder.path());
    let is_new = |one: &&String| !before.contains(one);
    let new: Vec<&String> = after.iter().filter(is_new).collect();
    assert!(
        !new.is_empty() && new.iter().all(|one| one.contains("apps/staging/web.yaml")),
        "{new:?}"
    );
}

#[test]
fn the_only_cluster_of_a_repository_is_all_of_it_but_tests() {
    let all = files(&[
        ("infra/pools.yaml", pool("gpu")),
        (
            "apps/web.yaml",
            web("karpenter.sh/nodepool: gpu", "example.com/gpu"),
        ),
        (
            "tests/web.yaml",
            web("karpenter.sh/nodepool: gpu", "example.com/gpu"),
        ),
    ]);
    let folder = folder(&all);
    insta::assert_snapshot!(proposed(folder.path()));
}

#[test]
fn a_repository_without_pools_gets_an_example() {
    let with = files(&[("clusters/prod/web.yaml", web("a: b", "example.com/a"))]);
    let folder = folder(&with);
    let text = proposed(folder.path());
    assert!(text.starts_with("# clusters:\n#   prod:\n"), "{text}");
    assert!(text.lines().all(|line| line.starts_with('#')), "{text}");
}

#[test]
fn a_cluster_that_would_lose_a_finding_is_only_a_comment() {
    // Cluster `c` has no pools that are known, so it is judged by those of all as long as nothing says whose they are.
    let mut all = files(&[
        ("terraform/main.tf", TERRAFORM.to_owned()),
        ("terraform/a.tfvars", "taint = \"a\"\n".to_owned()),
        ("terraform/b.tfvars", "taint = \"b\"\n".to_owned()),
        (
            "clusters/a/web.yaml",
            web("acme.com/pool: gpu", "acme.com/gpu"),
        ),
        (
            "clusters/c/web.yaml",
            web("acme.com/pool: gpu", "acme.com/other"),
        ),
    ]);
    let text = proposed(folder(&all).path());
    let why = "# clusters:\n  # Not proposed: it would lose selected-pool-not-tolerated at clusters/c/web.yaml:9";
    assert!(text.starts_with(why), "{text}");
    assert!(
        text.contains("\n  # a:\n  #   paths:\n  #     - \"clusters/a/**\"\n"),
        "{text}"
    );
    all.pop();
    let text = proposed(folder(&all).path());
    assert!(
        text.starts_with("clusters:\n  # Named by values of a Terraform configuration: "),
        "{text}"
    );
}

#[test]
fn vendored_pools_that_findings_depend_on_are_not_excluded() {
    let all = files(&[
        ("infra/vendor/pools.yaml", pool("gpu")),
        ("apps/job.yaml", job("gpu")),
    ]);
    let folder = folder(&all);
    assert_eq!(found(folder.path()).len(), 1);
    let text = proposed(folder.path());
    assert!(text.starts_with("clusters:\n"), "{text}");
}

#[test]
fn vendored_files_in_which_something_is_found_are_not_excluded() {
    let all = files(&[
        ("infra/pools.yaml", pool("gpu")),
        (
            "apps/web.yaml",
            web("karpenter.sh/nodepool: gpu", "example.com/gpu"),
        ),
        ("apps/vendor/job.yaml", job("gpu")),
        (
            "infra/vendor/web.yaml",
            web("karpenter.sh/nodepool: gpu", "example.com/gpu"),
        ),
    ]);
    let folder = folder(&all);
    assert_eq!(found(folder.path()).len(), 1);
    proposed(folder.path());
    let text = fs::read_to_string(folder.path().join(".kubetaint.yaml")).unwrap();
    assert!(text.contains("\n  - \"infra/vendor/**\"\n"), "{text}");
    assert!(text.contains("\n  # - \"apps/vendor/**\""), "{text}");
}

#[test]
fn names_of_files_never_make_a_pattern_that_matches_something_else() {
    let odd = [
        "a b",
        "[x]",
        "{y}",
        "z*",
        "!w",
        "it's \"q\"",
        "back\\slash",
        "zeile\u{85}",
        "#h: c",
    ];
    let mut all = Vec::new();
    for name in odd {
        all.extend(files(&[
            (&format!("clusters/{name}/pools.yaml"), pool("gpu")),
            (
                &format!("clusters/{name}/web.yaml"),
                web("karpenter.sh/nodepool: gpu", "example.com/gpu"),
            ),
        ]));
    }
    let folder = folder(&all);
    let text = proposed(folder.path());
    let paths = text.lines().filter(|line| line.starts_with("      - "));
    assert_eq!(paths.count(), odd.len(), "{text}");
}
