//! What Rancher Fleet and helmfile deploy: the values of each target and environment, judged with the pools of its clusters.

use crate::builtin::{RULES, judged};
use crate::program::{repo, run};
use kubetaint::verify;

const NOTHING: [&str; 0] = [];

/// A `fleet.yaml` of a chart, with these values for all and for one target.
fn bundle(of_all: &str, of_target: &str) -> String {
    format!(
        "defaultNamespace: m
helm:
  chart: grafana
  repo: https://grafana.github.io/helm-charts
  values: {{{of_all}}}
targetCustomizations:
- name: production
  clusterName: prod
  helm:
    values: {{{of_target}}}
"
    )
}

fn pool(name: &str, value: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    \
         metadata: {{labels: {{acme.com/pool: {name}}}}}\n    spec:\n      \
         nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}\n      \
         taints: [{{key: acme.com/gpu, value: '{value}', effect: NoSchedule}}]\n"
    )
}

/// `cluster: severity rule path:line` of what is found.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    let findings = report.findings.iter().map(|finding| {
        let source = &report.sources[&finding.span.source];
        let line = source.position(finding.span.start).line;
        let cluster = finding.cluster.as_deref().unwrap_or("-");
        let (severity, rule) = (finding.severity, &finding.rule);
        format!("{cluster}: {severity} {rule} {}:{line}", source.path)
    });
    findings.collect()
}

const SELECTS: &str = "nodeSelector: {acme.com/pool: gpu}";

fn tolerates(value: &str) -> String {
    format!(
        "tolerations: [{{key: acme.com/gpu, operator: Equal, value: '{value}', effect: NoSchedule}}]"
    )
}

#[test]
fn the_values_of_a_target_are_merged_with_those_of_all() {
    let of = |value: &str| bundle(&tolerates(value), SELECTS);
    let pool = pool("gpu", "big");
    let with = |bundle: &str| found(&[("web/fleet.yaml", bundle), ("prod/pool.yaml", &pool)]);
    assert_eq!(with(&of("big")), NOTHING);
    assert_eq!(
        with(&of("small")),
        [
            "prod: note toleration-value-mismatch web/fleet.yaml:5",
            "prod: warning selected-pool-not-tolerated web/fleet.yaml:10"
        ]
    );
}

#[test]
fn a_list_of_a_target_stands_in_for_that_of_all() {
    let pool = pool("gpu", "big");
    let both = format!("{SELECTS}, {}", tolerates("big"));
    let with = |target: &str| {
        found(&[
            ("web/fleet.yaml", &bundle(&both, target)),
            ("prod/pool.yaml", &pool),
        ])
    };
    assert_eq!(with(&tolerates("big")), NOTHING);
    assert_eq!(
        with("tolerations: [{key: acme.com/gpu, operator: Equal, value: old}]"),
        [
            "prod: warning selected-pool-not-tolerated web/fleet.yaml:5",
            "prod: note toleration-value-mismatch web/fleet.yaml:10"
        ]
    );
}

#[test]
fn a_mistake_in_the_values_of_all_is_told_once() {
    let of_all = "tolerations: [{key: acme.com/gpu, operator: Exist}]";
    assert_eq!(
        found(&[("web/fleet.yaml", &bundle(of_all, SELECTS))]),
        ["-: error unknown-operator web/fleet.yaml:5"]
    );
}

#[test]
fn the_chart_beside_a_bundle_is_the_one_that_it_installs() {
    let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      \
        containers: []\n      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n";
    let values = "values: {tolerations: [{operator: Exists}]}";
    for (chart, folder) in [
        ("", "web"),
        ("chart: ./c, ", "web/c"),
        ("chart: c, ", "web/c"),
    ] {
        let target = format!("targetCustomizations:\n- clusterName: prod\n  helm: {{{values}}}\n");
        let bundle = format!("helm: {{{chart}releaseName: web}}\n{target}");
        let report = found(&[
            ("web/fleet.yaml", &bundle),
            (
                &format!("{folder}/Chart.yaml"),
                "apiVersion: v2\nname: c\nversion: 0.1.0\n",
            ),
            (&format!("{folder}/templates/a.yaml"), template),
        ]);
        assert_eq!(
            report,
            ["-: warning blanket-exists web/fleet.yaml:4"],
            "{chart}"
        );
    }
}

#[test]
fn each_environment_of_a_helmfile_is_judged_with_its_own_pools() {
    let helmfile = "environments: {prod: {}, staging: {}}\nrepositories: [{name: g, url: 'https://grafana.github.io/helm-charts'}]\n\
        releases:\n- name: a\n  namespace: m\n  chart: g/grafana\n  values:\n  - values/{{ .Environment.Name }}.yaml\n";
    let values = |value: &str| format!("{SELECTS}\n{}\n", tolerates(value));
    // What else a template prints is no matter.
    let template = helmfile.replace(
        "  namespace: m",
        "  installed: {{ .Values.installed }}\n  namespace: m",
    );
    let with = |file: &str, helmfile: &str, staging: &str| {
        found(&[
            (file, helmfile),
            ("values/prod.yaml", &values("big")),
            ("values/staging.yaml", &values(staging)),
            ("machines/prod/pool.yaml", &pool("gpu", "big")),
            ("machines/staging/pool.yaml", &pool("gpu", "small")),
        ])
    };
    for (file, helmfile) in [
        ("helmfile.yaml", helmfile),
        ("helmfile.yaml.gotmpl", &template),
    ] {
        assert_eq!(with(file, helmfile, "small"), NOTHING);
        assert_eq!(
            with(file, helmfile, "big"),
            [
                "staging: warning selected-pool-not-tolerated values/staging.yaml:1",
                "staging: note toleration-value-mismatch values/staging.yaml:2"
            ]
        );
    }
}

#[test]
fn values_of_all_are_no_workload_where_a_target_has_its_own() {
    let clusters = "apiVersion: fleet.cattle.io/v1alpha1
kind: GitRepo
metadata: {name: lab, namespace: fleet-default}
spec:
  repo: https://example.com/lab/fleet
  paths: [web]
  targets: [{clusterName: prod}, {clusterName: staging}]
";
    let counts = |of_all: &str| {
        let folder = repo(&[
            ("gitrepo.yaml", clusters),
            ("web/fleet.yaml", &bundle(of_all, &tolerates("big"))),
            ("prod/pool.yaml", &pool("gpu", "big")),
        ]);
        let listed = run(folder.path(), &["clusters", "-o", "json"]).json();
        let clusters = listed["clusters"].as_array().cloned().unwrap_or_default();
        let told = clusters
            .iter()
            .map(|one| format!("{} {}", one["name"], one["workloads"]));
        told.collect::<Vec<_>>()
    };
    // The other cluster has what is for all.
    for of_all in ["tolerations: []", &tolerates("small")] {
        assert_eq!(counts(of_all), ["\"prod\" 1", "\"staging\" 1"], "{of_all}");
    }
    // Values in other places are for other pods.
    assert_eq!(
        counts(&format!("imageRenderer: {{{}}}", tolerates("small"))),
        ["\"prod\" 2", "\"staging\" 1"]
    );
}
