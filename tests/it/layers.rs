//! Values of a release that stand in several places: files that it names, in order, and values in the release itself.

// A test that cannot set up its files must fail.
#![allow(clippy::expect_used)]

use crate::program::{repo, run};

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    metadata: {labels: {pool: gpu}}\n    \
    spec:\n      taints: [{key: a.com/gpu, value: 'true', effect: NoSchedule}]\n";

const SELECTS: &str = "nodeSelector: {pool: gpu}\n";
const RIGHT: &str = "tolerations: [{key: a.com/gpu, operator: Exists}]\n";
const WRONG: &str = "tolerations: [{key: wrong, operator: Exists}]\n";

/// An Application that installs grafana with these lines for Helm.
fn application(helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: grafana, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: monitoring}}\n  sources:\n  - repoURL: https://grafana.github.io/helm-charts\n    chart: grafana\n    \
         targetRevision: 8.5.0\n    helm:\n{helm}  - {{repoURL: 'https://github.com/acme/config', ref: values}}\n"
    )
}

/// `file:line` of the findings about a pool that is selected and not tolerated.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = repo(&[&[("pool.yaml", POOL)], files].concat());
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    let findings = findings.filter(|one| one["rule"] == "selected-pool-not-tolerated");
    findings
        .map(|one| {
            format!(
                "{}:{}",
                one["file"].as_str().unwrap_or("-"),
                one["start"]["line"]
            )
        })
        .collect()
}

const FILES: &str = "      valueFiles: [$values/base.yaml, $values/prod.yaml]\n";

#[test]
fn a_file_of_values_is_judged_with_those_that_it_is_laid_over() {
    let named = application(FILES);
    let found = |base: &str, prod: &str| {
        found(&[("a.yaml", &named), ("base.yaml", base), ("prod.yaml", prod)])
    };
    assert_eq!(found(WRONG, SELECTS), ["prod.yaml:1"]);
    assert!(found(RIGHT, SELECTS).is_empty());
    assert_eq!(found(SELECTS, WRONG), ["base.yaml:1"]);
    assert!(found(SELECTS, RIGHT).is_empty());
    // A list replaces the one below it.
    assert_eq!(found(RIGHT, &format!("{SELECTS}{WRONG}")), ["prod.yaml:1"]);
    assert!(found(&format!("{SELECTS}{WRONG}"), RIGHT).is_empty());
    // Maps are merged.
    let both = "nodeSelector: {kubernetes.io/os: linux}\n";
    assert_eq!(found(SELECTS, &format!("{both}{WRONG}")), ["base.yaml:1"]);
}

#[test]
fn values_in_the_release_lie_over_its_files() {
    let object = |values: &str| {
        application(&format!(
            "{FILES}      valuesObject: {{{}}}\n",
            values.trim()
        ))
    };
    let text = |values: &str| application(&format!("{FILES}      values: |\n        {values}"));
    for inline in [&object as &dyn Fn(&str) -> String, &text] {
        let found = |base: &str, values: &str| {
            found(&[
                ("a.yaml", &inline(values)),
                ("base.yaml", base),
                ("prod.yaml", "a: b\n"),
            ])
        };
        assert_eq!(found(WRONG, SELECTS).len(), 1);
        assert!(found(WRONG, SELECTS)[0].starts_with("a.yaml:"));
        assert!(found(RIGHT, SELECTS).is_empty());
        assert_eq!(found(SELECTS, WRONG), ["base.yaml:1"]);
        assert!(found(SELECTS, RIGHT).is_empty());
    }
}

#[test]
fn what_may_be_laid_over_values_keeps_them_open() {
    let base = [("base.yaml", WRONG), ("prod.yaml", SELECTS)];
    let named = application(FILES);
    assert_eq!(found(&[("a.yaml", &named), base[0], base[1]]).len(), 1);
    // A file is missing, a parameter sets more, and a template has no values yet.
    assert!(found(&[("a.yaml", &named), base[1]]).is_empty());
    let parameters = application(&format!(
        "{FILES}      parameters: [{{name: 'tolerations[0].key', value: a.com/gpu}}]\n"
    ));
    assert!(found(&[("a.yaml", &parameters), base[0], base[1]]).is_empty());
    let template = ("base.yaml", "{{ if x }}\ntolerations: []\n{{ end }}\n");
    assert!(found(&[("a.yaml", &named), template, base[1]]).is_empty());
    // Another release uses the upper file without the lower one.
    let other = application("      valueFiles: [$values/prod.yaml]\n")
        .replace("name: grafana,", "name: other,");
    assert!(found(&[("a.yaml", &named), ("b.yaml", &other), base[0], base[1]]).is_empty());
}

#[test]
fn the_order_of_a_helmfile_counts() {
    let helmfile = |values: &str| {
        format!(
            "environments: {{prod: {{}}, lab: {{}}}}\n---\nrepositories:\n- {{name: g, url: 'https://grafana.github.io/helm-charts'}}\n\
             releases:\n- name: grafana\n  chart: g/grafana\n  version: 8.5.0\n  values: [{values}]\n"
        )
    };
    let found = |values: &str| {
        found(&[
            ("helmfile.yaml", &helmfile(values)),
            ("wrong.yaml", WRONG),
            ("right.yaml", RIGHT),
            ("selects.yaml", SELECTS),
        ])
    };
    assert_eq!(found("wrong.yaml, selects.yaml"), ["selects.yaml:1"]);
    assert!(found("wrong.yaml, right.yaml, selects.yaml").is_empty());
    assert_eq!(
        found("right.yaml, wrong.yaml, selects.yaml"),
        ["selects.yaml:1"]
    );
    let inline = "nodeSelector: {pool: gpu}";
    assert_eq!(
        found(&format!("wrong.yaml, {{{inline}}}")),
        ["helmfile.yaml:9"]
    );
    assert!(found(&format!("right.yaml, {{{inline}}}")).is_empty());
    // What lies above is not known to come last.
    assert!(found(&format!("{{{inline}}}, wrong.yaml")).is_empty());
}

#[test]
fn values_of_a_config_map_lie_below_those_of_a_release() {
    let release = |values: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: grafana, namespace: flux-system}}\n\
             spec: {{url: https://grafana.github.io/helm-charts}}\n---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n\
             metadata: {{name: grafana, namespace: monitoring}}\nspec:\n  chart: {{spec: {{chart: grafana, version: 8.5.0, \
             sourceRef: {{kind: HelmRepository, name: grafana, namespace: flux-system}}}}}}\n  \
             valuesFrom: [{{kind: ConfigMap, name: grafana-values}}]\n  values:\n    {values}"
        )
    };
    let kustomization = "resources: [release.yaml]\nconfigMapGenerator:\n- name: grafana-values\n  files: [values.yaml=base.yaml]\n";
    let found = |base: &str, values: &str| {
        found(&[
            ("kustomization.yaml", kustomization),
            ("release.yaml", &release(values)),
            ("base.yaml", base),
        ])
    };
    assert_eq!(found(WRONG, SELECTS), ["release.yaml:13"]);
    assert!(found(RIGHT, SELECTS).is_empty());
    assert_eq!(found(SELECTS, WRONG), ["base.yaml:1"]);
}
