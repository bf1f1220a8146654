//! Verdicts over the objects that kustomizations build from bases, components and patches.

use crate::builtin::{RULES, judged};
use kubetaint::finding::Report;
use kubetaint::verify;

const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {pool: gpu}}
    spec:
      taints: [{key: gpu, value: 'true', effect: NoSchedule}]
";

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
      containers: [{name: web}]
";

const TOLERANT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      tolerations:
      - {key: gpu, operator: Exists, effect: NoSchedule}
      containers: [{name: web}]
";

/// The configuration of a cluster whose pools are all known.
const PROD: &str = "clusters: {prod: {paths: ['pools/**', 'prod/**'], complete: true}}\n";

fn report(files: &[(&str, &str)]) -> Report {
    judged(&RULES, files, verify::SUPPRESSIONS)
}

/// Errors and warnings: rule, file and line.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let report = report(files);
    assert_eq!(report.problems, [], "{:?}", report.problems);
    let findings = report.findings.iter();
    let heavy = findings.filter(|one| one.severity != kubetaint::finding::Severity::Note);
    heavy
        .map(|one| {
            let source = &report.sources[&one.span.source];
            let line = source.position(one.span.start).line;
            format!("{} {}:{line}", one.rule, source.path)
        })
        .collect()
}

fn patch(body: &str) -> String {
    format!(
        "resources: [../base]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {{name: web}}\n    spec: {{template: {{spec: {body}}}}}\n"
    )
}

#[test]
fn a_toleration_that_an_overlay_adds_is_there() {
    let adds = patch("{tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}");
    let base = ("base/kustomization.yaml", "resources: [web.yaml]");
    let files = [
        (".kubetaint.yaml", PROD),
        base,
        ("base/web.yaml", WEB),
        ("pools/gpu.yaml", POOL),
        ("prod/kustomization.yaml", &adds),
    ];
    assert_eq!(found(&files), [""; 0]);
    let without = "resources: [../base]";
    let files = [
        (".kubetaint.yaml", PROD),
        base,
        ("base/web.yaml", WEB),
        ("pools/gpu.yaml", POOL),
        ("prod/kustomization.yaml", without),
    ];
    assert_eq!(
        found(&files),
        ["selected-pool-not-tolerated base/web.yaml:7"]
    );
}

#[test]
fn a_patch_that_selects_a_pool_and_drops_the_toleration_is_found_at_the_patch() {
    let drops = patch("{nodeSelector: {pool: gpu}, tolerations: []}");
    let files = [
        (".kubetaint.yaml", PROD),
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", TOLERANT),
        ("pools/gpu.yaml", POOL),
        ("prod/kustomization.yaml", &drops),
    ];
    assert_eq!(
        found(&files),
        ["selected-pool-not-tolerated prod/kustomization.yaml:7"]
    );
}

#[test]
fn a_finding_that_all_overlays_share_is_reported_once_at_the_base() {
    let base = WEB.replace(
        "containers:",
        "tolerations: [{key: a, operator: Exist}]\n      containers:",
    );
    let overlay = |image: &str| {
        format!(
            "resources: [../../base]\nnamePrefix: {image}-\nnamespace: {image}\n{}",
            &patch(&format!("{{containers: [{{name: web, image: {image}}}]}}"))
                ["resources: [../base]\n".len()..]
        )
    };
    let overlays: Vec<(String, String)> = ["a", "b", "c"]
        .iter()
        .map(|name| (format!("overlays/{name}/kustomization.yaml"), overlay(name)))
        .collect();
    let mut files = vec![
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", base.as_str()),
    ];
    files.extend(
        overlays
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    assert_eq!(found(&files), ["unknown-operator base/web.yaml:8"]);
}

#[test]
fn a_mistake_in_a_list_that_every_overlay_replaces_is_still_one() {
    let base = TOLERANT.replace("Exists", "Exist");
    let replaces = patch("{tolerations: [{key: gpu, operator: Exists}]}");
    let files = [
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", base.as_str()),
        ("prod/kustomization.yaml", &replaces),
    ];
    assert_eq!(found(&files), ["unknown-operator base/web.yaml:8"]);
}

#[test]
fn a_mistake_in_a_patch_is_reported_once_at_its_place() {
    let wrong = patch("{tolerations: [{key: gpu, operator: Exist}]}");
    let operations = "resources: [../base]
patches:
- target: {kind: Deployment}
  patch: |
    - op: add
      path: /spec/template/spec/tolerations
      value:
      - key: gpu
        operator: Exist
";
    for (overlay, line) in [(wrong.as_str(), 7), (operations, 9)] {
        let files = [
            ("base/kustomization.yaml", "resources: [web.yaml]"),
            ("base/web.yaml", WEB),
            ("prod/kustomization.yaml", overlay),
        ];
        assert_eq!(
            found(&files),
            [format!("unknown-operator prod/kustomization.yaml:{line}")]
        );
    }
}

#[test]
fn a_taint_that_an_overlay_adds_to_a_pool_is_there() {
    let pool = POOL.replace("{key: gpu, value: 'true', effect: NoSchedule}", "");
    let taints = "resources: [../pools]
patches:
- target: {kind: NodePool}
  patch: |
    - op: add
      path: /spec/template/spec/taints/-
      value: {key: gpu, effect: NoSchedule}
";
    let config = "clusters: {prod: {paths: ['prod/**'], complete: true}}\n";
    let files = [
        (".kubetaint.yaml", config),
        ("pools/kustomization.yaml", "resources: [gpu.yaml]"),
        ("pools/gpu.yaml", &pool),
        ("prod/kustomization.yaml", taints),
        ("prod/web.yaml", WEB),
    ];
    assert_eq!(
        found(&files),
        ["selected-pool-not-tolerated prod/web.yaml:7"]
    );
}

#[test]
fn a_component_changes_what_the_kustomization_that_uses_it_takes_in() {
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target: {kind: Deployment, labelSelector: tier=front}
  patch: |
    - op: add
      path: /spec/template/spec/tolerations
      value: [{key: gpu, operator: Exists}]
";
    let prod = "resources: [../base]\ncomponents: [../tolerant]\n";
    let mut files = vec![
        (".kubetaint.yaml", PROD),
        (
            "base/kustomization.yaml",
            "resources: [web.yaml]\ncommonLabels: {tier: front}\n",
        ),
        ("base/web.yaml", WEB),
        ("pools/gpu.yaml", POOL),
        ("prod/kustomization.yaml", prod),
        ("tolerant/kustomization.yaml", component),
    ];
    assert_eq!(found(&files), [""; 0]);
    let other = component.replace("tier=front", "tier=back");
    files[5].1 = &other;
    assert_eq!(
        found(&files),
        ["selected-pool-not-tolerated base/web.yaml:7"]
    );
}

#[test]
fn what_prevents_building_a_kustomization_is_told_and_the_rest_is_judged() {
    let prod = "resources: [../base, ../gone, https://example.com/x, ../prod]
transformers: [../base/web.yaml]
";
    let files = [
        (".kubetaint.yaml", PROD),
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", WEB),
        ("pools/gpu.yaml", POOL),
        ("prod/kustomization.yaml", prod),
        ("prod/other.yaml", WEB),
    ];
    assert_eq!(
        found(&files),
        ["selected-pool-not-tolerated prod/other.yaml:7"]
    );
    let listed: Vec<String> = report(&files)
        .not_judged
        .iter()
        .map(|one| format!("{}:{} {}", one.file, one.start.line, one.because))
        .collect();
    assert_eq!(
        listed,
        [
            "base/web.yaml:3 its kustomization uses transformers, which are not run",
            "prod/kustomization.yaml:1 `../gone` is not among the files that were read",
            "prod/kustomization.yaml:1 `https://example.com/x` is not in this repository",
            "prod/kustomization.yaml:1 `../prod` includes this kustomization again",
        ]
    );
}

#[test]
fn a_base_of_many_overlays_is_read_once_for_all() {
    let overlays: Vec<(String, String)> = (0..100)
        .map(|at| {
            let replicas = format!("resources: [../../base]\nnamespace: n{at}\npatches:\n- target: {{kind: Deployment}}\n  patch: '[{{\"op\": \"add\", \"path\": \"/spec/replicas\", \"value\": {at}}}]'\n");
            (format!("overlays/o{at}/kustomization.yaml"), replicas)
        })
        .collect();
    let base = TOLERANT.replace("Exists", "Exist");
    let mut files = vec![
        ("base/kustomization.yaml", "resources: [web.yaml]"),
        ("base/web.yaml", base.as_str()),
    ];
    files.extend(
        overlays
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    assert_eq!(found(&files), ["unknown-operator base/web.yaml:8"]);
    assert_eq!(report(&files).counts.workloads, 100);
}
