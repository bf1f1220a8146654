//! Verdicts over values of known charts: which pods they reach decides, and what is not known of a release proves nothing.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::Report;
use kubetaint::verify;

const NODE_POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata:
      labels: {example.com/pool: gpu}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: example.com/gpu, value: \"true\", effect: NoSchedule}]
";

const PUBLISHER: &str = "https://grafana-community.github.io/helm-charts";

fn report(files: &[(&str, &str)]) -> Report {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    report
}

/// `severity rule line` of all findings.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let report = report(files);
    let findings = report.findings.iter().map(|finding| {
        let source = &report.sources[&finding.span.source];
        let line = source.position(finding.span.start).line;
        format!("{} {} {line}", finding.severity, finding.rule)
    });
    findings.collect()
}

fn repository(address: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {{name: charts, namespace: flux-system}}
spec: {{url: {address}}}
"
    )
}

/// A release of a chart with these values, which begin at line 11.
fn release(chart: &str, values: &str) -> String {
    let values: String = values.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: it, namespace: apps}}
spec:
  chart:
    spec:
      chart: {chart}
      version: 99.0.0
      sourceRef: {{kind: HelmRepository, name: charts, namespace: flux-system}}
  values:
{values}"
    )
}

/// The findings in a release of this chart from this address.
fn in_release(chart: &str, address: &str, values: &str) -> Vec<String> {
    let (release, repository) = (release(chart, values), repository(address));
    found(&[
        ("pool.yaml", NODE_POOL),
        ("release.yaml", &release),
        ("repository.yaml", &repository),
    ])
}

const BLANKET: &str = "tolerations:\n  - operator: Exists\n";
const NOTHING: [&str; 0] = [];

#[test]
fn a_blanket_entry_is_a_hazard_for_a_deployment_and_an_idiom_for_an_agent() {
    assert_eq!(
        in_release("grafana", PUBLISHER, BLANKET),
        ["warning blanket-exists 12"]
    );
    let exporters = "https://prometheus-community.github.io/helm-charts";
    let agent = in_release("prometheus-node-exporter", exporters, BLANKET);
    assert!(
        agent.iter().all(|one| !one.starts_with("warning")),
        "{agent:?}"
    );
}

#[test]
fn a_chart_of_an_unknown_publisher_only_has_the_same_name() {
    let elsewhere = "https://charts.example.com";
    assert_eq!(
        in_release("actualbudget", elsewhere, BLANKET),
        ["note blanket-exists 12"]
    );
    // There are charts of this name from several publishers.
    assert_eq!(
        in_release("grafana", elsewhere, BLANKET),
        ["note blanket-exists 12"]
    );
}

#[test]
fn a_switch_among_the_values_decides_the_kind() {
    let traefik = "https://traefik.github.io/charts";
    let as_agent = format!("deployment: {{kind: DaemonSet}}\n{BLANKET}");
    assert_eq!(
        in_release("traefik", traefik, BLANKET),
        ["warning blanket-exists 12"]
    );
    assert_eq!(
        in_release("traefik", traefik, &as_agent),
        ["note blanket-exists 13"]
    );
    // A switch that is filled in later may say either.
    let open = format!("deployment: {{kind: '${{KIND}}'}}\n{BLANKET}");
    assert_eq!(
        in_release("traefik", traefik, &open),
        ["note blanket-exists 13"]
    );
}

#[test]
fn a_selector_alone_is_judged_with_the_defaults_of_the_chart() {
    let selects = "nodeSelector: {example.com/pool: gpu}\n";
    assert_eq!(
        in_release("grafana", PUBLISHER, selects),
        ["warning selected-pool-not-tolerated 11"]
    );
    let tolerates = format!("{selects}tolerations: [{{key: example.com/gpu, operator: Exists}}]\n");
    assert_eq!(in_release("grafana", PUBLISHER, &tolerates), NOTHING);
    assert_eq!(in_release("in-house", PUBLISHER, selects), NOTHING);
}

#[test]
fn affinity_alone_is_judged_as_well() {
    let requires = "affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - {key: example.com/pool, operator: In, values: [gpu]}
";
    assert_eq!(
        in_release("grafana", PUBLISHER, requires),
        ["warning selected-pool-not-tolerated 16"]
    );
}

#[test]
fn values_that_other_files_may_add_to_prove_nothing() {
    let selects = "nodeSelector: {example.com/pool: gpu}\n";
    let release = release("grafana", selects);
    let repository = repository(PUBLISHER);
    for more in [
        "valuesFrom: [{kind: Secret, name: more}]",
        "postRenderers: [{kustomize: {}}]",
    ] {
        let open = release.replace("  values:\n", &format!("  {more}\n  values:\n"));
        let files = [
            ("pool.yaml", NODE_POOL),
            ("release.yaml", open.as_str()),
            ("repository.yaml", &repository),
        ];
        assert_eq!(found(&files), NOTHING, "{more}");
    }
}

#[test]
fn a_map_in_place_of_a_list_is_an_error_and_an_empty_one_is_not() {
    let map = "tolerations:\n  example.com/gpu: Exists\n";
    assert_eq!(
        in_release("grafana", PUBLISHER, map),
        ["error malformed-tolerations 11"]
    );
    assert_eq!(
        in_release("grafana", PUBLISHER, "tolerations: {}\n"),
        NOTHING
    );
    assert_eq!(
        in_release("actualbudget", "https://charts.example.com", map),
        NOTHING
    );
}

#[test]
fn charts_of_one_name_are_told_apart_by_their_address() {
    // This publisher's chart calls the component by another name.
    let values = "controller:\n  tolerations:\n    - operator: Exists\n";
    let argo = in_release("argo-cd", "https://argoproj.github.io/argo-helm", values);
    assert_eq!(argo, ["warning blanket-exists 13"]);
    let other = in_release(
        "argo-cd",
        "oci://registry-1.docker.io/bitnamicharts",
        values,
    );
    assert_eq!(other, ["warning blanket-exists 13"]);
    let neither = in_release("argo-cd", "https://charts.example.com", values);
    assert_eq!(neither, ["note blanket-exists 13"]);
}

#[test]
fn one_tool_or_another_may_install_the_chart() {
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: it}}
spec:
  sources:
    - repoURL: {PUBLISHER}
      chart: grafana
      targetRevision: 99.0.0
      helm:
        values: |
          tolerations:
            - operator: Exists
"
    );
    assert_eq!(
        found(&[("a.yaml", &application)]),
        ["warning blanket-exists 12"]
    );
    let kustomization = format!(
        "helmCharts:
  - name: grafana
    repo: {PUBLISHER}
    valuesInline:
      tolerations:
        - operator: Exists
"
    );
    assert_eq!(
        found(&[("it/kustomization.yaml", &kustomization)]),
        ["warning blanket-exists 6"]
    );
    let helmfile = format!(
        "repositories:
  - {{name: g, url: {PUBLISHER}}}
releases:
  - name: it
    chart: g/grafana
    values:
      - tolerations:
          - operator: Exists
"
    );
    assert_eq!(
        found(&[("helmfile.yaml", &helmfile)]),
        ["warning blanket-exists 8"]
    );
    let controller = format!(
        "apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {{name: it}}
spec:
  repo: {PUBLISHER}
  chart: grafana
  valuesContent: |
    tolerations:
      - operator: Exists
"
    );
    assert_eq!(
        found(&[("h.yaml", &controller)]),
        ["warning blanket-exists 9"]
    );
}

#[test]
fn a_chart_that_terraform_installs_is_known_as_well() {
    let resource = format!(
        "resource \"helm_release\" \"it\" {{
  name       = \"it\"
  repository = \"{PUBLISHER}\"
  chart      = \"grafana\"
  values = [yamlencode({{
    tolerations = [{{ operator = \"Exists\" }}]
  }})]
}}
"
    );
    assert_eq!(found(&[("it.tf", &resource)]), ["warning blanket-exists 6"]);
    let other = resource.replace(PUBLISHER, "https://charts.example.com");
    assert_eq!(found(&[("it.tf", &other)]), ["note blanket-exists 6"]);
    let open = resource.replace("\"grafana\"", "var.chart");
    assert_eq!(found(&[("it.tf", &open)]), ["note blanket-exists 6"]);
}

#[test]
fn a_chart_with_an_address_of_its_own_is_known_by_it() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: logs, namespace: apps}
spec:
  url: oci://ghcr.io/falcosecurity/charts/falco
  ref: {tag: 9.1.0}
";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: it, namespace: apps}
spec:
  chartRef: {kind: OCIRepository, name: logs}
  values:
    tolerations:
      - {key: example.com/gpu, operator: Exists}
";
    let files = [("release.yaml", release), ("source.yaml", source)];
    assert_eq!(found(&files), ["warning values-replace-tolerations 7"]);
    // Two sources of one name with different addresses are not told apart.
    let other = source
        .replace("namespace: apps", "namespace: other")
        .replace("falco\n", "falcosidekick\n");
    let ambiguous = release.replace("namespace: apps", "namespace: third");
    let files = [
        ("release.yaml", ambiguous.as_str()),
        ("a.yaml", source),
        ("b.yaml", &other),
    ];
    assert_eq!(found(&files), NOTHING);
}

#[test]
fn a_misspelt_value_of_a_known_chart_is_reported_once() {
    let values = "toleration:\n  - {key: example.com/gpu, operator: Exists}\n";
    assert_eq!(
        in_release("grafana", PUBLISHER, values),
        ["warning unread-chart-value 11"]
    );
    let values = "imageRendrer:\n  tolerations:\n    - {key: example.com/gpu, operator: Exists}\n";
    assert_eq!(
        in_release("grafana", PUBLISHER, values),
        ["warning unread-chart-value 12"]
    );
}

#[test]
fn values_for_a_dependency_of_a_chart_reach_the_pods_of_that_chart() {
    let chart = format!(
        "apiVersion: v2
name: monitoring
version: 1.0.0
dependencies:
  - {{name: grafana, alias: boards, version: 99.0.0, repository: {PUBLISHER}}}
"
    );
    let values = "boards:\n  nodeSelector: {example.com/pool: gpu}\n  tolerations:\n    - operator: Exists\n";
    let files = |folder: &str| {
        found(&[
            ("monitoring/Chart.yaml", &chart),
            (&format!("{folder}/values-prod.yaml"), values),
        ])
    };
    assert_eq!(files("monitoring"), ["warning blanket-exists 4"]);
    assert_eq!(files("other"), ["note blanket-exists 4"]);
    // Other files may add to the values, so the toleration is not missing.
    let selects = "boards:\n  nodeSelector: {example.com/pool: gpu}\n";
    let files = [
        ("monitoring/pool.yaml", NODE_POOL),
        ("monitoring/Chart.yaml", &chart),
        ("monitoring/values.yaml", selects),
    ];
    assert_eq!(found(&files), NOTHING);
}

#[test]
fn what_the_chart_adds_by_itself_is_not_missing() {
    // The chart joins these values with those of its core pods, which have a default.
    let values = "hub:\n  nodeSelector: {example.com/pool: gpu}\n";
    let jupyterhub = "https://hub.jupyter.org/helm-chart";
    assert_eq!(in_release("jupyterhub", jupyterhub, values), NOTHING);
}
