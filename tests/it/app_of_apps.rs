//! Applications of Argo CD that a chart makes of its values, for each Application that installs the chart.

// A test that cannot set up its files must fail.
#![allow(clippy::expect_used)]

use crate::program::{repo, run};

/// An Application that installs the chart `root` with these lines for Helm.
fn parent(name: &str, helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
         destination: {{server: https://kubernetes.default.svc}}\n  source:\n    repoURL: https://github.com/acme/gitops\n    \
         path: root\n    helm:\n{helm}"
    )
}

const TEMPLATE: &str = "{{- range .Values.apps }}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  \
    name: {{ . }}-{{ $.Values.cluster }}\n  labels: {{- include \"root.labels\" $ | nindent 4 }}\nspec:\n  destination:\n    \
    name: {{ $.Values.cluster }}\n  source:\n    repoURL: https://github.com/acme/gitops\n    \
    path: {{ . }}/{{ $.Values.cluster }}\n{{- end }}\n";

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      \
    nodeSelector: {pool: gpu}\n      tolerations: [{key: a.com/prod, operator: Exists}]\n      containers: [{name: a}]\n";

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    \
    metadata: {labels: {pool: gpu}}\n    spec:\n      taints: [{key: a.com/CLUSTER, effect: NoSchedule}]\n";

/// `cluster: pools/workloads` of each cluster but the one that Argo CD runs in, and `rule cluster` of each error and warning.
fn found(own: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let [prod, lab] = ["prod", "lab"].map(|cluster| POOL.replace("CLUSTER", cluster));
    let chart = [
        (
            "root/Chart.yaml",
            "apiVersion: v2\nname: root\nversion: 0.1.0\n",
        ),
        ("root/values.yaml", "apps: [web, pools]\n"),
        ("root/values-prod.yaml", "cluster: prod\n"),
        ("root/values-lab.yaml", "cluster: lab\n"),
        ("root/templates/apps.yaml", TEMPLATE),
        ("web/prod/web.yaml", WEB),
        ("web/lab/web.yaml", WEB),
        ("pools/prod/gpu.yaml", &prod),
        ("pools/lab/gpu.yaml", &lab),
    ];
    let folder = repo(&[&chart[..], own].concat());
    let listed = run(folder.path(), &["clusters", "-o", "json"]).json();
    let clusters = listed["clusters"].as_array().expect("a list").iter();
    let clusters = clusters.filter(|one| one["name"] != "in-cluster");
    let clusters = clusters.map(|one| {
        let pools = one["pools"].as_array().map_or(0, Vec::len);
        format!(
            "{}: {pools}/{}",
            one["name"].as_str().unwrap_or("-"),
            one["workloads"]
        )
    });
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    let findings = findings.filter(|one| one["severity"] != "note");
    let findings = findings.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
        format!("{} {}", text("rule"), text("cluster"))
    });
    (clusters.collect(), findings.collect())
}

const WRONG_IN_LAB: &str = "selected-pool-not-tolerated lab";

#[test]
fn a_chart_of_applications_is_filled_in_for_each_that_installs_it() {
    let file = |cluster: &str| {
        parent(
            cluster,
            &format!("      valueFiles: [values-{cluster}.yaml]\n"),
        )
    };
    let object = |cluster: &str| {
        parent(
            cluster,
            &format!("      valuesObject: {{cluster: {cluster}}}\n"),
        )
    };
    let text = |cluster: &str| {
        parent(
            cluster,
            &format!("      values: |\n        cluster: {cluster}\n"),
        )
    };
    let parameters = |cluster: &str| {
        parent(
            cluster,
            &format!("      parameters: [{{name: cluster, value: {cluster}}}]\n"),
        )
    };
    let ways: [&dyn Fn(&str) -> String; 4] = [&file, &object, &text, &parameters];
    for way in ways {
        let (clusters, findings) = found(&[("lab.yaml", &way("lab")), ("prod.yaml", &way("prod"))]);
        assert_eq!(clusters, ["lab: 1/1", "prod: 1/1"], "{}", way("lab"));
        assert_eq!(findings, [WRONG_IN_LAB]);
    }
}

#[test]
fn what_values_do_not_say_leaves_applications_open() {
    // The parent names a file that is not here.
    let missing = parent("lab", "      valueFiles: [values-other.yaml]\n");
    let (clusters, findings) = found(&[("lab.yaml", &missing)]);
    assert!(
        !clusters.iter().any(|one| one == "lab: 1/1"),
        "{clusters:?}"
    );
    assert!(
        findings.iter().all(|one| !one.ends_with(" root")),
        "{findings:?}"
    );
    // A parameter goes before a file.
    let over = parent(
        "lab",
        "      valueFiles: [values-lab.yaml]\n      parameters: [{name: cluster, value: prod}]\n",
    );
    let (clusters, findings) = found(&[("lab.yaml", &over)]);
    assert!(clusters.contains(&"prod: 1/1".to_owned()), "{clusters:?}");
    assert!(!findings.contains(&WRONG_IN_LAB.to_owned()) || clusters.len() > 1);
}

#[test]
fn an_application_set_may_install_a_chart_of_applications() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: root, namespace: argocd}\nspec:\n  \
        generators: [{list: {elements: [{c: prod}, {c: lab}]}}]\n  template:\n    metadata: {name: 'root-{{c}}'}\n    spec:\n      \
        destination: {server: https://kubernetes.default.svc}\n      source:\n        repoURL: https://github.com/acme/gitops\n        \
        path: root\n        helm: {values: 'cluster: {{c}}'}\n";
    let (clusters, findings) = found(&[("set.yaml", set)]);
    assert!(
        clusters.contains(&"lab: 1/1".to_owned()) && clusters.contains(&"prod: 1/1".to_owned()),
        "{clusters:?}"
    );
    assert_eq!(findings, [WRONG_IN_LAB]);
}

#[test]
fn what_an_application_patches_is_not_held_against_the_workload() {
    let application = |kustomize: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec:\n  \
             destination: {{name: lab}}\n  sources:\n  - {{repoURL: 'https://github.com/acme/gitops', path: pools/lab}}\n  \
             - repoURL: https://github.com/acme/gitops\n    path: web/lab\n    kustomize:\n{kustomize}"
        )
    };
    let pool = POOL.replace("CLUSTER", "lab");
    let found = |kustomize: &str| {
        let folder = repo(&[
            ("web.yaml", &application(kustomize)),
            ("web/lab/kustomization.yaml", "resources: [web.yaml]\n"),
            ("web/lab/web.yaml", WEB),
            ("pools/lab/gpu.yaml", &pool),
        ]);
        let report = run(folder.path(), &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().expect("a list").iter();
        let mut rules = findings.map(|one| one["rule"].as_str().unwrap_or("-"));
        rules.any(|rule| rule == "selected-pool-not-tolerated")
    };
    let patch = |kind: &str, field: &str| {
        format!(
            "      patches:\n      - target: {{kind: {kind}}}\n        patch: |\n          - op: add\n            \
             path: /spec/template/spec/{field}\n            value: []\n"
        )
    };
    assert!(!found(&patch("Deployment", "tolerations")));
    assert!(!found("      components: [../../tolerant]\n"));
    // Near misses: another kind, another field, no patch.
    assert!(found(&patch("StatefulSet", "tolerations")));
    assert!(found(&patch("Deployment", "containers")));
    assert!(found("      namePrefix: a-\n"));
}
