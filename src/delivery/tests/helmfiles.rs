//! Tests of helmfiles: what goes to the cluster of each environment.

use super::{NOTHING, shown};

const ENVIRONMENTS: &str =
    "environments:\n  default: {}\n  prod: {values: [env/prod.yaml]}\n  dev: {}\n";

const RELEASES: &str = "releases:\n- name: web\n  chart: ./charts/web\n  values:\n  - all.yaml\n  \
    - values/{{ .Environment.Name }}/web.yaml\n  - 'charts/web/values-{{`{{ .Environment.Name }}`}}.yaml'\n  \
    - values/{{ .Values.other }}.yaml\n- {name: shop, chart: acme/shop}\n";

const FILES: [&str; 9] = [
    "all.yaml",
    "charts/web/Chart.yaml",
    "charts/web/values-dev.yaml",
    "charts/web/values-prod.yaml",
    "env/prod.yaml",
    "shop/Chart.yaml",
    "values/dev/web.yaml",
    "values/other.yaml",
    "values/prod/web.yaml",
];

fn of_helmfiles(files: &[(&str, &str)]) -> Vec<String> {
    let beside = FILES.iter().map(|path| (*path, ""));
    let all: Vec<_> = beside.chain(files.iter().copied()).collect();
    let (clusters, troubles) = shown(&all);
    assert_eq!(troubles, NOTHING);
    clusters
}

/// What goes to both, if these files say so.
fn both(files: &str) -> [String; 2] {
    [
        format!(
            "dev: all.yaml charts/web/Chart.yaml charts/web/values-dev.yaml {files} values/dev/web.yaml"
        ),
        format!(
            "prod: all.yaml charts/web/Chart.yaml charts/web/values-prod.yaml env/prod.yaml {files} values/prod/web.yaml"
        ),
    ]
}

#[test]
fn each_environment_is_a_cluster_with_the_files_that_its_name_is_filled_into() {
    let one = format!("{ENVIRONMENTS}{RELEASES}");
    assert_eq!(
        of_helmfiles(&[("helmfile.yaml", &one)]),
        both("helmfile.yaml")
    );
    let documents = format!("{ENVIRONMENTS}---\n{RELEASES}");
    assert_eq!(
        of_helmfiles(&[("helmfile.yaml", &documents)]),
        both("helmfile.yaml")
    );
}

#[test]
fn environments_may_be_those_of_a_base_or_of_the_helmfile_above() {
    let with_base = format!("bases: [envs.yaml]\n{RELEASES}");
    let files = [("envs.yaml", ENVIRONMENTS), ("helmfile.yaml", &with_base)];
    assert_eq!(of_helmfiles(&files), both("helmfile.yaml"));
    let above = format!("{ENVIRONMENTS}helmfiles: [{{path: helmfile-*.yaml}}]\n");
    let files = [
        ("helmfile.yaml", above.as_str()),
        ("helmfile-web.yaml", RELEASES),
    ];
    assert_eq!(
        of_helmfiles(&files),
        both("helmfile-web.yaml helmfile.yaml")
    );
}

#[test]
fn a_helmfile_without_environments_shows_no_cluster() {
    assert_eq!(of_helmfiles(&[("helmfile.yaml", RELEASES)]), NOTHING);
    let only = format!("environments: {{default: {{}}}}\n{RELEASES}");
    assert_eq!(of_helmfiles(&[("helmfile.yaml", &only)]), NOTHING);
    // Other tools have environments, too.
    let other = format!("{ENVIRONMENTS}{RELEASES}");
    assert_eq!(of_helmfiles(&[("deploy.yaml", &other)]), NOTHING);
}
