//! Verdicts over small repositories that are held in memory: what must be found, where, and what must be left open.

// A test that cannot prepare its input has failed.
#![allow(clippy::unwrap_used, clippy::panic)]

use kubetaint::builtin;
use kubetaint::config::{self, Config};
use kubetaint::extract::Table;
use kubetaint::finding::Report;
use kubetaint::lint::{Content, Input, Settings, lint};
use kubetaint::rule::RuleSet;
use kubetaint::source::{Source, SourceId};

/// A pool named gpu with the label `pool: gpu` and one hard taint.
const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {pool: gpu}}
    spec:
      taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]
";

/// A Deployment that selects the pool and does not tolerate its taint.
const BLOCKED: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
      containers: [{name: a, image: b}]
";

fn report_with(files: &[(&str, &str)], rules: &[(&str, &str)]) -> Report {
    let sources: Vec<Source> = builtin::RULES
        .iter()
        .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
        .chain(
            rules
                .iter()
                .map(|(name, text)| Source::new(format!("own/{name}"), *text)),
        )
        .collect();
    let rules = RuleSet::load(&sources).unwrap();
    let table = Table::load(builtin::PROVIDERS.iter().copied()).unwrap();
    let mut config = Config::default();
    let (mut inputs, mut texts) = (Vec::new(), Vec::new());
    for (path, text) in files {
        if *path == ".kubetaint.yaml" {
            config = config::parse(Source::new(*path, *text), SourceId(0)).unwrap();
            continue;
        }
        inputs.push(Input {
            path: (*path).to_owned(),
            scanned_from: 0,
        });
        texts.push((*text).to_owned());
    }
    let settings = Settings {
        rules: &rules,
        table: &table,
        config: &config,
        whole: true,
    };
    let report = lint(&inputs, &|at| Content::Text(texts[at].clone()), settings);
    assert_eq!(report.problems, []);
    report
}

fn report(files: &[(&str, &str)]) -> Report {
    report_with(files, &[])
}

/// `severity rule path:line:column`, of all findings.
fn places(report: &Report) -> Vec<String> {
    report
        .findings
        .iter()
        .map(|finding| {
            let source = &report.sources[&finding.span.source];
            let at = source.position(finding.span.start);
            format!(
                "{} {} {}:{}:{}",
                finding.severity, finding.rule, source.path, at.line, at.column
            )
        })
        .collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_selector_without_a_toleration_is_found() {
    let files = [("pool.yaml", POOL), ("web.yaml", BLOCKED)];
    assert_eq!(
        places(&report(&files)),
        ["note selected-pool-not-tolerated web.yaml:7:22"]
    );
}

#[test]
fn flux_without_a_path_patches_everything() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec:
  patches:
    - target: {kind: Deployment}
      patch: |
        - {op: add, path: /spec/template/spec/tolerations, value: [{operator: Exists}]}
";
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", flux),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
    let elsewhere = flux.replace("spec:\n", "spec:\n  path: ./elsewhere\n");
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", &elsewhere),
    ];
    assert_eq!(places(&report(&files)).len(), 1);
    let filled_in = elsewhere.replace("./elsewhere", "./${folder}");
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", &filled_in),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

#[test]
fn a_second_kustomization_in_a_folder_does_not_hide_the_first() {
    let overlay = "kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
resources: [../base]
patches:
  - target: {kind: Deployment, name: web}
    patch: |
      - {op: add, path: /spec/template/spec/tolerations, value: [{operator: Exists}]}
";
    let base = "kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
resources: [../web]
";
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {path: ./elsewhere}
";
    let files = [
        ("base/kustomization.yaml", base),
        ("base/sync.yaml", flux),
        ("overlay/kustomization.yaml", overlay),
        ("pool.yaml", POOL),
        ("web/web.yaml", BLOCKED),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

/// `BLOCKED` with a RuntimeClass.
fn with_class() -> String {
    BLOCKED.replace(
        "      nodeSelector",
        "      runtimeClassName: gpu\n      nodeSelector",
    )
}

fn class(tolerations: &str) -> String {
    format!(
        "apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {{name: gpu}}
handler: gpu
scheduling: {{tolerations: {tolerations}}}
"
    )
}

fn not_judged(report: &Report) -> Vec<(&str, u32)> {
    let counts = &report.counts.not_judged;
    counts
        .iter()
        .map(|(reason, times)| (reason.as_str(), *times))
        .collect()
}

#[test]
fn a_runtime_class_whose_tolerations_are_a_template_leaves_the_pods_open() {
    let web = with_class();
    let literal = class("[{key: example.com/other, operator: Exists}]");
    let files = [
        ("a.yaml", literal.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    assert_eq!(
        places(&report(&files)),
        ["note selected-pool-not-tolerated web.yaml:8:22"]
    );
    let templated = class("[\"${MORE}\"]");
    let files = [
        ("a.yaml", templated.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

#[test]
fn two_runtime_classes_of_one_name_leave_the_pods_open() {
    let web = with_class();
    let (one, other) = (
        class("[{key: example.com/gpu, operator: Exists}]"),
        class("[{key: example.com/other, operator: Exists}]"),
    );
    let files = [
        ("a.yaml", one.as_str()),
        ("b.yaml", other.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    let report = report(&files);
    assert_eq!(places(&report), NOTHING);
    assert_eq!(
        not_judged(&report),
        [("workloads whose RuntimeClass cannot be told", 1)]
    );
}

#[test]
fn a_runtime_class_that_is_not_there_is_counted() {
    let web = with_class();
    let files = [("pool.yaml", POOL), ("web.yaml", web.as_str())];
    assert_eq!(
        not_judged(&report(&files)),
        [("workloads whose RuntimeClass cannot be told", 1)]
    );
}

#[test]
fn an_operator_that_is_filled_in_later_is_counted() {
    let pod = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: a, image: b}]
  tolerations: [{key: example.com/x, operator: \"${OPERATOR}\"}]
";
    assert_eq!(
        not_judged(&report(&[("web.yaml", pod)])),
        [(
            "tolerations or selectors with values that are not literal",
            1
        )]
    );
}

#[test]
fn an_inventory_that_cannot_be_read_makes_no_cluster_complete() {
    let config = "clusters: {all: {paths: [\"**\"], inventory: [nodes.yaml]}}\n";
    let nodes = "apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {pool: gpu}}
spec: {taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]}
";
    let severities = |nodes: &str| {
        let files = [
            (".kubetaint.yaml", config),
            ("nodes.yaml", nodes),
            ("pool.yaml", POOL),
            ("web.yaml", BLOCKED),
        ];
        let mut places = places(&report(&files));
        places.retain(|place| place.contains("selected-pool-not-tolerated"));
        places
    };
    let note = ["note selected-pool-not-tolerated web.yaml:7:22"];
    let error = ["error selected-pool-not-tolerated web.yaml:7:22"];
    assert_eq!(severities(nodes), error);
    assert_eq!(severities("[]\n"), note);
    assert_eq!(
        severities(&format!("{nodes}---\nkind: Node\nspec: [\n")),
        note
    );
}
