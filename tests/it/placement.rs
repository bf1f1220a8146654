//! `kubetaint why` and `matrix`: how workloads are named, and what each format shows.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used)]

use crate::program::{Run, repo, run};

const POOLS: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {acme.com/pool: gpu}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}
      taints: [{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web-a}
spec:
  template:
    metadata: {labels: {acme.com/pool: web}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}
      taints: [{key: acme.com/spot, effect: PreferNoSchedule}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web-b}
spec:
  template:
    metadata: {labels: {acme.com/pool: web}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}
      taints: [{key: acme.com/spot, effect: PreferNoSchedule}]
";

const TRAIN: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {acme.com/pool: gpu}
      containers: [{name: a, image: a}]
";

const SITE: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: site, namespace: shop}
spec:
  selector: {matchLabels: {app: site}}
  template:
    metadata: {labels: {app: site}}
    spec:
      tolerations: [{key: acme.com/gpu, operator: Exists, effect: NoSchedule}]
      containers: [{name: a, image: a}]
";

fn asked(arguments: &[&str]) -> Run {
    let config = "clusters: {prod: {paths: [\"**\"], complete: true}}\n";
    // The second workload of the file has the shape of the first.
    let copy = SITE.replace("site", "copy");
    let apps = format!("{SITE}---\n{copy}---\n{TRAIN}");
    let folder = repo(&[
        (".kubetaint.yaml", config),
        ("pools.yaml", POOLS),
        ("apps.yaml", &apps),
    ]);
    run(folder.path(), arguments)
}

#[test]
fn why_names_each_pool_with_the_first_reason_against_it() {
    let result = asked(&["why", "job/train"]);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
    insta::assert_snapshot!(result.out);
}

#[test]
fn a_workload_is_named_by_kind_namespace_or_line() {
    let train = asked(&["why", "ml/Job/train"]).out;
    assert!(train.starts_with("ml/Job/train  apps.yaml:"), "{train}");
    for name in ["jobs/train", "Job/train", "apps.yaml:30", "./apps.yaml:27"] {
        assert_eq!(asked(&["why", name]).out, train, "{name}");
    }
    let site = asked(&["why", "deploy/site"]).out;
    assert!(site.starts_with("shop/Deployment/site"), "{site}");
    assert_eq!(asked(&["why", "apps.yaml:9"]).out, site);
}

#[test]
fn an_unknown_workload_or_pool_ends_with_2() {
    for (arguments, why) in [
        (
            vec!["why", "job/trian"],
            "there is no workload `job/trian`; did you mean `job/train`?",
        ),
        (
            vec!["why", "shop/job/train"],
            "there is no workload `shop/job/train`; `deployment/copy`, `deployment/site`, `job/train` were read",
        ),
        (
            vec!["why", "train"],
            "`train` is no workload: write KIND/NAME, NAMESPACE/KIND/NAME or FILE:LINE",
        ),
        (
            vec!["why", "--pool", "gqu"],
            "there is no pool `gqu`; did you mean `gpu`?",
        ),
    ] {
        let result = asked(&arguments);
        assert_eq!((result.code, result.out.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(result.err, format!("error: {why}\n"));
    }
}

#[test]
fn why_of_a_pool_says_who_can_run_there_and_who_is_meant_to() {
    insta::assert_snapshot!(asked(&["why", "--pool", "gpu"]).out);
    let document = asked(&["why", "--pool", "gpu", "-o", "json"]).json();
    let workloads = document["clusters"][0]["workloads"].as_array().unwrap();
    let told: Vec<_> = workloads
        .iter()
        .map(|one| {
            let name = one["workload"]["name"].as_str().unwrap();
            (name, one["verdict"].as_str().unwrap(), one["meant"] == true)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("site", "lands", false),
            ("copy", "lands", false),
            ("train", "kept-out", true)
        ]
    );
}

#[test]
fn why_as_json_has_the_taint_with_its_places() {
    let document = asked(&["why", "job/train", "-o", "json"]).json();
    let gpu = &document["clusters"][0]["pools"][0];
    assert_eq!(gpu["verdict"], "kept-out");
    assert_eq!(gpu["plugin"], "TaintToleration");
    assert_eq!(gpu["taint"], "acme.com/gpu=yes:NoSchedule");
    let places = gpu["places"].as_array().unwrap();
    assert_eq!(places.last().unwrap()["file"], "pools.yaml");
    assert_eq!(places.last().unwrap()["start"]["line"], 9);
}

#[test]
fn the_matrix_folds_what_is_alike() {
    let result = asked(&["matrix"]);
    assert_eq!(
        result.err,
        "1 cluster, 3 workloads; 1 can run on no known pool\n"
    );
    insta::assert_snapshot!(result.out);
}

#[test]
fn the_matrix_in_each_other_format() {
    insta::assert_snapshot!("matrix_markdown", asked(&["matrix", "-o", "markdown"]).out);
    insta::assert_snapshot!("matrix_csv", asked(&["matrix", "-o", "csv"]).out);
    let document = asked(&["matrix", "-o", "json"]).json();
    let cluster = &document["clusters"][0];
    assert_eq!(
        cluster["pools"],
        serde_json::json!(["gpu", "web-a", "web-b"])
    );
    let cells = |at: usize| cluster["rows"][at]["cells"].clone();
    assert_eq!(
        cells(0),
        serde_json::json!(["kept-out", "not-selected", "not-selected"])
    );
    assert_eq!(
        cells(1),
        serde_json::json!(["lands", "prefers-not", "prefers-not"])
    );
    assert_eq!(cluster["rows"][1]["workloads"].as_array().unwrap().len(), 2);
}

#[test]
fn the_matrix_shows_only_what_is_asked_for() {
    let shown = |arguments: &[&str]| {
        let arguments = [&["matrix", "-o", "csv"], arguments].concat();
        let out = asked(&arguments).out;
        let names = out
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').nth(3));
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.dedup();
        names
    };
    assert_eq!(shown(&["--problems"]), ["train"]);
    assert_eq!(shown(&["--namespace", "shop"]), ["site", "copy"]);
    assert_eq!(shown(&["--cluster", "prod"]), ["train", "site", "copy"]);
    let none = asked(&["matrix", "--cluster", "nowhere"]);
    assert_eq!(
        (none.code, none.err.as_str()),
        (
            2,
            "error: there is no cluster `nowhere`; there are `prod`\n"
        )
    );
}

#[test]
fn hostile_names_stay_in_their_cells() {
    let job = TRAIN.replace("name: train", "name: \"=1|`\\n| x\\u202e,\\\"\"");
    let pools = POOLS.replace("name: gpu", "name: \"@g|`u\\n\"");
    let folder = repo(&[("pools.yaml", &pools), ("job.yaml", &job)]);
    let markdown = run(folder.path(), &["matrix", "-o", "markdown"]).out;
    let rows: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(rows.len(), 3, "{markdown}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 5, "{row}");
        assert_eq!(row.matches('`').count() % 2, 0, "{row}");
    }
    assert!(!markdown.contains('\u{202e}'), "{markdown}");
    let csv = run(folder.path(), &["matrix", "-o", "csv"]).out;
    // Spreadsheets run what begins with `=` or `@`.
    assert!(csv.contains(",\"'=1|`\n| x\u{202e},\"\"\","), "{csv}");
    assert!(csv.contains(",\"'@g|`u\n\","), "{csv}");
    let text = run(folder.path(), &["matrix"]).out;
    assert!(!text.contains('\u{202e}'), "{text}");
}
