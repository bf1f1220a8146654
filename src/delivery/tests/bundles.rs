//! Tests of folders that Fleet deploys: what each cluster gets of them.

use super::shown;

const BUNDLE: &str = "helm: {chart: ./chart}
targetCustomizations:
- name: first
  clusterName: prod
  helm: {valuesFiles: [prod.yaml]}
- name: second
  clusterName: dev
  yaml: {overlays: [dev]}
- name: late
  clusterName: prod
  helm: {valuesFiles: [late.yaml]}
";

const FILES: [&str; 6] = [
    "web/chart/Chart.yaml",
    "web/dev.txt",
    "web/late.yaml",
    "web/overlays/dev/objects.yaml",
    "web/objects.yaml",
    "web/prod.yaml",
];

/// `cluster: files` of a repository with these files beside those of [`FILES`].
fn of_bundle(files: &[(&str, &str)]) -> Vec<String> {
    let beside = FILES.iter().map(|path| (*path, ""));
    let all: Vec<_> = beside.chain(files.iter().copied()).collect();
    let (clusters, troubles) = shown(&all);
    assert_eq!(troubles, [""; 0]);
    clusters
}

#[test]
fn each_cluster_gets_what_its_first_target_names_and_nothing_of_the_others() {
    assert_eq!(
        of_bundle(&[("web/fleet.yaml", BUNDLE)]),
        [
            "prod: web/chart/Chart.yaml web/dev.txt web/fleet.yaml web/objects.yaml web/prod.yaml",
            "dev: web/chart/Chart.yaml web/dev.txt web/fleet.yaml web/overlays/dev/objects.yaml",
        ]
    );
}

#[test]
fn a_git_repository_says_which_clusters_get_a_folder() {
    let repository = "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: a}\n\
        spec: {paths: [web], targets: [{clusterName: dev}, {clusterName: test}]}\n";
    assert_eq!(
        of_bundle(&[("web/fleet.yaml", BUNDLE), ("a.yaml", repository)]),
        [
            "dev: web/chart/Chart.yaml web/dev.txt web/fleet.yaml web/overlays/dev/objects.yaml",
            "test: web/chart/Chart.yaml web/dev.txt web/fleet.yaml web/objects.yaml",
        ]
    );
}

#[test]
fn labels_and_groups_choose_the_clusters_that_objects_describe() {
    let bundle = "targetCustomizations:\n\
        - {name: p, clusterSelector: {matchLabels: {env: prod}}, helm: {valuesFiles: [prod.yaml]}}\n\
        - {name: e, clusterGroup: early, helm: {valuesFiles: [late.yaml]}}\n\
        - {name: x, clusterSelector: {matchLabels: {env: none}}}\n";
    let clusters = "apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, labels: {env: prod}}\n---\n\
        apiVersion: fleet.cattle.io/v1alpha1\nkind: Cluster\nmetadata: {name: b, labels: {env: dev}}\n---\n\
        apiVersion: fleet.cattle.io/v1alpha1\nkind: ClusterGroup\nmetadata: {name: early}\n\
        spec: {selector: {matchLabels: {env: dev}}}\n";
    let all = "web/chart/Chart.yaml web/dev.txt web/fleet.yaml";
    let [last, objects] = ["web/overlays/dev/objects.yaml", "web/objects.yaml"];
    assert_eq!(
        of_bundle(&[("web/fleet.yaml", bundle), ("clusters.yaml", clusters)]),
        [
            format!("a: {all} {objects} {last} web/prod.yaml"),
            format!("b: {all} web/late.yaml {objects} {last}"),
        ]
    );
    // Where no object describes clusters, a target stands for the one of its name.
    let names: Vec<String> = of_bundle(&[("web/fleet.yaml", bundle)])
        .iter()
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .collect();
    assert_eq!(names, ["p", "e", "x"]);
}

#[test]
fn the_kustomization_of_a_target_stands_in_for_that_of_all() {
    let bundle = "kustomize: {dir: base}\ntargetCustomizations:\n\
        - {name: p, clusterName: prod, kustomize: {dir: prod}}\n\
        - {name: d, clusterName: dev}\n\
        - {name: o, clusterName: off, doNotDeploy: true}\n";
    let (clusters, _) = shown(&[
        ("web/fleet.yaml", bundle),
        ("web/base/kustomization.yaml", "resources: [a.yaml]\n"),
        ("web/base/a.yaml", ""),
        ("web/prod/kustomization.yaml", "resources: [b.yaml]\n"),
        ("web/prod/b.yaml", ""),
    ]);
    assert_eq!(
        clusters,
        [
            "prod: web/fleet.yaml web/prod/b.yaml web/prod/kustomization.yaml",
            "dev: web/base/a.yaml web/base/kustomization.yaml web/fleet.yaml",
        ]
    );
}
