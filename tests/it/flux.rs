//! What Kustomizations of Flux change in the objects that they apply: patches, components and variables, in each cluster.

// A test that cannot set up its files must fail.
#![allow(clippy::expect_used)]

use crate::program::{repo, run};
use tempfile::TempDir;

/// A repository with clusters. Each has a Kustomization `apps` that applies `apps` with these fields, and `pools` without any.
fn repository(clusters: &[(&str, &str)], files: &[(&str, &str)]) -> Vec<(String, String)> {
    let kustomization = |name: &str, rest: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
             spec:\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{rest}---\n"
        )
    };
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n\
                  metadata: {name: flux-system, namespace: flux-system}\nspec: {url: https://github.com/acme/fleet}\n---\n";
    let mut all = Vec::new();
    for (cluster, fields) in clusters {
        let own = kustomization("flux-system", &format!("  path: ./clusters/{cluster}\n"));
        let apps = kustomization("apps", &format!("  path: ./apps\n{fields}"));
        let pools = kustomization("pools", "  path: ./pools\n");
        let text = format!("{source}{own}{apps}{pools}");
        all.push((format!("clusters/{cluster}/sync.yaml"), text));
    }
    all.push(("pools/gpu.yaml".to_owned(), POOL.to_owned()));
    let files = files.iter();
    all.extend(files.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    all
}

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    metadata: {labels: {pool: gpu}}\n    \
    spec:\n      taints: [{key: a.com/gpu, value: 'true', effect: NoSchedule}]\n";

/// A Deployment whose pods have these fields.
fn deployment(name: &str, pod: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      containers: [{{name: a}}]\n{pod}"
    )
}

const SELECTS: &str = "      nodeSelector: {pool: gpu}\n";

/// A folder with a repository.
fn folder(files: &[(String, String)]) -> TempDir {
    let files = files.iter();
    let files: Vec<(&str, &str)> = files
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    repo(&files)
}

/// `rule file:line cluster` of each error and warning.
fn found(clusters: &[(&str, &str)], files: &[(&str, &str)]) -> Vec<String> {
    let files = repository(clusters, files);
    let folder = folder(&files);
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    let line = |one: &serde_json::Value| {
        let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
        let place = &one["start"]["line"];
        format!(
            "{} {}:{place} {}",
            text("rule"),
            text("file"),
            text("cluster")
        )
    };
    let findings = findings.filter(|one| one["severity"] != "note");
    findings.map(line).collect()
}

fn substitute(pairs: &str) -> String {
    format!("  postBuild: {{substitute: {{{pairs}}}}}\n")
}

#[test]
fn each_cluster_gets_its_own_values_of_variables() {
    let web = deployment(
        "web",
        "      nodeSelector: {pool: \"${pool}\"}\n      tolerations: [{key: \"${key}\", operator: Exists}]\n",
    );
    let right = substitute("pool: gpu, key: a.com/gpu");
    let wrong = substitute("pool: gpu, key: a.com/wrong");
    let files = [("apps/web.yaml", web.as_str())];
    assert_eq!(
        found(&[("lab", &right), ("prod", &wrong)], &files),
        ["selected-pool-not-tolerated apps/web.yaml:8 prod"]
    );
    assert!(found(&[("lab", &right), ("prod", &right)], &files).is_empty());
    // A ConfigMap in the cluster may set them, too; what stands in the Kustomization goes before it.
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {pool: gpu, key: wrong}\n";
    let from = "  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}], substitute: {key: a.com/gpu}}\n";
    let beside = [files[0], ("clusters/lab/vars.yaml", map)];
    assert!(found(&[("lab", from)], &beside).is_empty());
    let only = from.replace(", substitute: {key: a.com/gpu}", "");
    assert_eq!(
        found(&[("lab", &only)], &beside),
        ["selected-pool-not-tolerated apps/web.yaml:8 lab"]
    );
}

#[test]
fn variables_that_are_not_known_stay_unknown() {
    let web = deployment(
        "web",
        "      nodeSelector: {pool: gpu}\n      tolerations: [{key: \"${key}\", operator: Exists}]\n",
    );
    let files = [("apps/web.yaml", web.as_str())];
    // Nothing sets the variable; something that is not read may do so; nothing is filled in at all.
    let secret = "  postBuild: {substituteFrom: [{kind: Secret, name: s}]}\n";
    for fields in [&substitute("other: x"), secret, ""] {
        assert!(found(&[("lab", fields)], &files).is_empty(), "{fields}");
    }
    let disabled = web.replace(
        "{name: web}",
        "{name: web, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}",
    );
    let fields = substitute("key: wrong");
    assert!(found(&[("lab", &fields)], &[("apps/web.yaml", disabled.as_str())]).is_empty());
    assert_eq!(found(&[("lab", &fields)], &files).len(), 1);
}

#[test]
fn a_default_counts_unless_something_may_set_the_variable() {
    let web = deployment(
        "web",
        "      nodeSelector: {pool: gpu}\n      tolerations: [{key: \"${key:=wrong}\", operator: Exists}]\n",
    );
    let files = [("apps/web.yaml", web.as_str())];
    let found = |fields: &str| found(&[("lab", fields)], &files);
    assert_eq!(
        found(&substitute("other: x")),
        ["selected-pool-not-tolerated apps/web.yaml:8 lab"]
    );
    let secret = "  postBuild: {substituteFrom: [{kind: Secret, name: s}]}\n";
    assert!(found(secret).is_empty());
    assert!(found(&substitute("key: a.com/gpu")).is_empty());
}

#[test]
fn a_mistake_in_a_variable_is_found_where_it_is_used_and_is_not_written_over() {
    let web = deployment(
        "web",
        "      tolerations: [{key: a.com/gpu, operator: Exists, effect: \"${effect}\"}]\n",
    );
    let files = repository(
        &[("lab", &substitute("effect: NoSchedul"))],
        &[("apps/web.yaml", &web)],
    );
    let folder = folder(&files);
    let fixed = run(
        folder.path(),
        &["check", "--fix", "--unsafe-fixes", "--format", "json"],
    )
    .json();
    assert_eq!(fixed["findings"][0]["rule"], "unknown-effect");
    assert_eq!(fixed["findings"][0]["start"]["line"], 8);
    let text = std::fs::read_to_string(folder.path().join("apps/web.yaml"));
    assert_eq!(text.expect("a file"), web);
}

#[test]
fn a_variable_is_typed_as_if_it_was_written_without_quotes() {
    let web = deployment(
        "web",
        "      tolerations: [{key: a.com/gpu, value: \"${value}\", effect: NoSchedule}]\n",
    );
    let files = [("apps/web.yaml", web.as_str())];
    assert_eq!(
        found(&[("lab", &substitute("value: 'true'"))], &files),
        ["mistyped-field apps/web.yaml:8 -"]
    );
    assert!(found(&[("lab", &substitute("value: '\"true\"'"))], &files).is_empty());
}

#[test]
fn a_patch_for_one_cluster_counts_there_only() {
    let web = deployment("web", SELECTS);
    let files = [("apps/web.yaml", web.as_str())];
    let adds = "  patches:\n  - target: {kind: Deployment, name: web}\n    patch: |\n      - op: add\n        path: /spec/template/spec/tolerations\n        \
        value: [{key: a.com/gpu, operator: Exists}]\n";
    assert_eq!(
        found(&[("lab", ""), ("prod", adds)], &files),
        ["selected-pool-not-tolerated apps/web.yaml:8 lab"]
    );
    assert!(found(&[("prod", adds)], &files).is_empty());
    // The target is another object.
    let other = adds.replace("name: web", "name: other");
    assert_eq!(
        found(&[("prod", &other)], &files),
        ["selected-pool-not-tolerated apps/web.yaml:8 prod"]
    );
}

#[test]
fn a_patch_that_selects_a_pool_is_judged_with_the_object_that_it_changes() {
    let web = deployment("web", "");
    let selects = "  patches:\n  - patch: |\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: web}\n      \
        spec: {template: {spec: {nodeSelector: {pool: gpu}}}}\n";
    let found_with =
        |web: &str| found(&[("lab", ""), ("prod", selects)], &[("apps/web.yaml", web)]);
    let places = found_with(&web);
    assert_eq!(places.len(), 1);
    assert!(
        places[0].starts_with("selected-pool-not-tolerated clusters/prod/sync.yaml:")
            && places[0].ends_with(" prod"),
        "{places:?}"
    );
    let tolerates = deployment(
        "web",
        "      tolerations: [{key: a.com/gpu, operator: Exists}]\n",
    );
    assert!(found_with(&tolerates).is_empty());
}

#[test]
fn a_component_that_a_kustomization_names_counts() {
    let web = deployment("web", SELECTS);
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment}\n  patch: |\n    \
        - op: add\n      path: /spec/template/spec/tolerations\n      value: [{key: a.com/gpu, operator: Exists}]\n";
    let files = [
        ("apps/web.yaml", web.as_str()),
        ("components/gpu/kustomization.yaml", component),
    ];
    let names = "  components: [../components/gpu]\n";
    assert_eq!(
        found(&[("lab", ""), ("prod", names)], &files),
        ["selected-pool-not-tolerated apps/web.yaml:8 lab"]
    );
    // What is not here may add the toleration.
    let elsewhere = "  components: [../components/other]\n";
    assert!(found(&[("prod", elsewhere)], &files).is_empty());
}

#[test]
fn an_object_that_another_kustomization_applies_unchanged_is_judged_as_it_is() {
    let web = deployment("web", SELECTS);
    let again = "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: again, namespace: flux-system}\nspec:\n  \
        sourceRef: {kind: GitRepository, name: flux-system}\n  path: ./apps\n  patches:\n  - target: {kind: Deployment}\n    patch: |\n      \
        - op: add\n        path: /spec/template/spec/tolerations\n        value: [{key: a.com/gpu, operator: Exists}]\n";
    assert_eq!(
        found(&[("lab", again)], &[("apps/web.yaml", &web)]),
        ["selected-pool-not-tolerated apps/web.yaml:8 lab"]
    );
}

#[test]
fn pools_of_a_cluster_have_its_variables() {
    let pool = POOL
        .replace("a.com/gpu", "'${key}'")
        .replace("gpu}", "'${pool}'}");
    let clusters = [
        ("lab", substitute("key: a.com/lab, pool: lab")),
        ("prod", substitute("key: a.com/prod, pool: prod")),
    ];
    let clusters: Vec<(&str, &str)> = clusters
        .iter()
        .map(|(name, fields)| (*name, fields.as_str()))
        .collect();
    let files = repository(&clusters, &[("apps/pool.yaml", &pool)]);
    let folder = folder(&files);
    let listed = run(folder.path(), &["pools", "-o", "json"]).json();
    let pools = listed["pools"].as_array().expect("a list").iter();
    let mut pools: Vec<String> = pools
        .filter(|pool| pool["file"] == "apps/pool.yaml")
        .map(|pool| format!("{} {}", pool["cluster"], pool["taints"][0]["key"]))
        .collect();
    pools.sort();
    assert_eq!(pools, ["\"lab\" \"a.com/lab\"", "\"prod\" \"a.com/prod\""]);
}

#[test]
fn an_overlay_with_variables_is_filled_in_where_it_is_applied() {
    let web = deployment("web", "      nodeSelector: {pool: \"${pool}\"}\n");
    let patch = "patches:\n- target: {kind: Deployment}\n  patch: |\n    - op: add\n      path: /spec/template/spec/tolerations\n      \
        value: [{key: \"${key}\", operator: Exists}]\nresources: [../base]\n";
    let files = [
        ("base/kustomization.yaml", "resources: [web.yaml]\n"),
        ("base/web.yaml", web.as_str()),
        ("apps/kustomization.yaml", patch),
    ];
    let right = substitute("pool: gpu, key: a.com/gpu");
    let wrong = substitute("pool: gpu, key: wrong");
    assert_eq!(
        found(&[("lab", &right), ("prod", &wrong)], &files),
        ["selected-pool-not-tolerated base/web.yaml:8 prod"]
    );
}

#[test]
fn a_release_with_variables_is_still_one_of_its_chart() {
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: grafana, namespace: flux-system}\n\
                      spec: {url: https://grafana.github.io/helm-charts}\n";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: grafana, namespace: monitoring}\nspec:\n  \
        chart: {spec: {chart: grafana, version: 8.5.0, sourceRef: {kind: HelmRepository, name: grafana, namespace: flux-system}}}\n  \
        values:\n    grafana.ini: {server: {domain: \"${domain}\"}}\n    nodeSelector: {pool: \"${pool}\"}\n";
    let files = [
        ("sources/grafana.yaml", repository),
        ("apps/release.yaml", release),
    ];
    // The chart has no tolerations by default.
    let fields = substitute("domain: example.com, pool: gpu");
    assert_eq!(
        found(&[("lab", &fields)], &files),
        ["selected-pool-not-tolerated apps/release.yaml:8 lab"]
    );
    let other = substitute("domain: example.com, pool: other");
    assert!(found(&[("lab", &other)], &files).is_empty());
}

#[test]
fn a_pool_that_one_overlay_patches_stays_in_those_of_other_clusters() {
    let sync = |cluster: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: pools, namespace: flux-system}}\n\
             spec:\n  path: ./pools/{cluster}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
        )
    };
    let patched = "resources: [../base]\npatches:\n- target: {kind: NodePool}\n  patch: |\n    - op: replace\n      \
        path: /spec/template/spec/taints/0/value\n      value: other\n";
    let folder = repo(&[
        ("clusters/prod/pools.yaml", &sync("prod")),
        ("clusters/staging/pools.yaml", &sync("staging")),
        ("pools/base/gpu.yaml", POOL),
        ("pools/base/kustomization.yaml", "resources: [gpu.yaml]\n"),
        ("pools/prod/kustomization.yaml", "resources: [../base]\n"),
        ("pools/staging/kustomization.yaml", patched),
    ]);
    let listed = run(folder.path(), &["clusters", "-o", "json"]).json();
    let clusters = listed["clusters"].as_array().expect("a list").iter();
    let pools = clusters.map(|one| format!("{} {}", one["name"], one["pools"]));
    assert_eq!(
        pools.collect::<Vec<_>>(),
        [r#""prod" ["gpu"]"#, r#""staging" ["gpu"]"#]
    );
    let pools = run(folder.path(), &["pools", "-o", "json"]).json();
    let pools = pools["pools"].as_array().expect("a list").iter();
    let values = pools.map(|one| one["taints"][0]["value"].to_string());
    assert_eq!(values.collect::<Vec<_>>(), [r#""true""#, r#""other""#]);
}

/// `name: pools, workloads` of each cluster.
fn listed(files: &[(&str, &str)]) -> Vec<String> {
    let folder = repo(files);
    let listed = run(folder.path(), &["clusters", "--output", "json"]).json();
    let clusters = listed["clusters"].as_array().expect("a list").iter();
    let line = |one: &serde_json::Value| {
        let pools = one["pools"].as_array().expect("a list").iter();
        let pools: Vec<&str> = pools.filter_map(|pool| pool.as_str()).collect();
        let name = one["name"].as_str().unwrap_or_default();
        format!("{name}: {}, {}", pools.join(" "), one["workloads"])
    };
    clusters.map(line).collect()
}

/// Two clusters that take their Kustomizations from a base. `prod` gets this kustomization, and this file beside it.
fn of_a_base(prod: &str, beside: &str) -> Vec<(String, String)> {
    let kustomization = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
             spec:\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n  path: {path}\n---\n"
        )
    };
    let select = |pool: &str| format!("      nodeSelector: {{pool: {pool}}}\n");
    let tolerate = "      tolerations: [{key: a.com/gpu, operator: Exists}]\n";
    let mut files = vec![
        (
            "clusters/dev/sync.yaml".to_owned(),
            kustomization("flux-system", "./clusters/dev"),
        ),
        (
            "clusters/prod/sync.yaml".to_owned(),
            kustomization("flux-system", "./clusters/prod"),
        ),
        (
            "clusters/base/kustomization.yaml".to_owned(),
            "resources: [apps.yaml]\n".to_owned(),
        ),
        (
            "clusters/base/apps.yaml".to_owned(),
            kustomization("apps", "./apps/dev") + &kustomization("pools", "./pools"),
        ),
        (
            "clusters/dev/kustomization.yaml".to_owned(),
            "resources: [sync.yaml, ../base]\n".to_owned(),
        ),
        (
            "clusters/prod/kustomization.yaml".to_owned(),
            format!("resources: [sync.yaml, ../base]\n{prod}"),
        ),
        (
            "apps/dev/web.yaml".to_owned(),
            deployment("web", &select("gpu")),
        ),
        (
            "apps/prod/web.yaml".to_owned(),
            deployment("web", &(select("gpu") + tolerate)),
        ),
        ("pools/gpu.yaml".to_owned(), POOL.to_owned()),
    ];
    if !beside.is_empty() {
        files.push((
            "clusters/prod/apps-patch.yaml".to_owned(),
            beside.to_owned(),
        ));
    }
    files
}

#[test]
fn a_patch_of_a_kustomization_of_flux_says_what_its_cluster_gets() {
    let inline = "patches:\n- target: {kind: Kustomization, name: apps}\n  patch: |\n    \
                  - {op: replace, path: /spec/path, value: ./apps/prod}\n";
    let named = "patches: [{path: apps-patch.yaml}]\n";
    let patch = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n\
                 spec: {path: ./apps/prod}\n";
    for (prod, beside) in [(inline, ""), (named, patch)] {
        let files = of_a_base(prod, beside);
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        assert_eq!(listed(&files), ["dev: gpu, 1", "prod: gpu, 1"]);
        let folder = repo(&files);
        let report = run(folder.path(), &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().expect("a list");
        let places: Vec<String> = findings
            .iter()
            .map(|one| {
                format!(
                    "{} {}",
                    one["file"].as_str().unwrap_or_default(),
                    one["cluster"].as_str().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(places, ["apps/dev/web.yaml dev"]);
    }
}

#[test]
fn patches_that_a_patch_adds_to_a_kustomization_of_flux_are_not_known() {
    let prod = "patches:\n- target: {kind: Kustomization, name: apps}\n  patch: |\n    \
                - op: add\n      path: /spec/patches\n      value:\n      - patch: |\n          \
                [{op: add, path: /spec/template/spec/tolerations, value: [{key: a.com/gpu, operator: Exists}]}]\n        \
                target: {kind: Deployment}\n";
    let found_in = |prod: &str| {
        let mut files = of_a_base(prod, "");
        // Only one of the clusters gets what is patched.
        files.retain(|(path, _)| !path.starts_with("clusters/dev"));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let folder = repo(&files);
        let report = run(folder.path(), &["check", "--format", "json"]).json();
        let warnings = report["summary"]["warning"].as_u64();
        (warnings, report["summary"]["error"].as_u64())
    };
    assert_eq!(found_in(""), (Some(1), Some(0)));
    assert_eq!(found_in(prod), (Some(0), Some(0)));
}

#[test]
fn a_pool_that_one_overlay_deletes_stays_in_those_of_other_clusters() {
    let fields = |cluster: &str| format!("  path: ./pools/{cluster}\n");
    let kustomization = |cluster: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: pools, namespace: flux-system}}\n\
             spec:\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{}",
            fields(cluster)
        )
    };
    let (dev, prod) = (kustomization("dev"), kustomization("prod"));
    let delete = "resources: [../base]\npatches:\n- patch: |\n    $patch: delete\n    apiVersion: karpenter.sh/v1\n    \
                  kind: NodePool\n    metadata: {name: gpu}\n";
    let other = POOL.replace("gpu", "big");
    let pools = format!("{POOL}---\n{other}");
    let clusters = listed(&[
        ("clusters/dev/pools.yaml", &dev),
        ("clusters/prod/pools.yaml", &prod),
        ("pools/base/kustomization.yaml", "resources: [pools.yaml]\n"),
        ("pools/base/pools.yaml", &pools),
        ("pools/dev/kustomization.yaml", "resources: [../base]\n"),
        ("pools/prod/kustomization.yaml", delete),
    ]);
    assert_eq!(clusters, ["dev: big gpu, 0", "prod: big, 0"]);
}

#[test]
fn values_that_an_overlay_adds_to_a_release_without_any_are_judged() {
    let apps = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n\
                spec:\n  sourceRef: {kind: GitRepository, name: flux-system}\n  path: ./apps/prod\n---\n";
    let pools = apps.replace("apps", "pools").replace("/prod", "");
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: podinfo}\nspec:\n  chart: {spec: {chart: podinfo, \
                   sourceRef: {kind: HelmRepository, name: podinfo}}}\n  values: {redis: {enabled: true}}\n---\n\
                   apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: podinfo}\n\
                   spec: {url: https://stefanprodan.github.io/podinfo}\n";
    let patch = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: podinfo}\nspec:\n  values:\n    \
                 nodeSelector: {pool: gpu}\n";
    let clusters = format!("{apps}{pools}");
    let tolerated = format!("{patch}    tolerations: [{{key: a.com/gpu, operator: Exists}}]\n");
    let found = |patch: &str| {
        let folder = repo(&[
            ("clusters/prod/apps.yaml", &clusters),
            ("pools/gpu.yaml", POOL),
            (
                "apps/base/kustomization.yaml",
                "resources: [release.yaml]\n",
            ),
            ("apps/base/release.yaml", release),
            (
                "apps/prod/kustomization.yaml",
                "resources: [../base]\npatches: [{path: values.yaml}]\n",
            ),
            ("apps/prod/values.yaml", patch),
        ]);
        let report = run(folder.path(), &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().expect("a list").iter();
        let places = findings.map(|one| {
            format!(
                "{}:{}",
                one["file"].as_str().unwrap_or_default(),
                one["start"]["line"]
            )
        });
        places.collect::<Vec<_>>()
    };
    assert_eq!(found(patch), ["apps/prod/values.yaml:6"]);
    assert!(found(&tolerated).is_empty());
}

#[test]
fn values_that_an_overlay_generates_reach_the_release_of_its_base() {
    let apps = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n\
                spec:\n  sourceRef: {kind: GitRepository, name: flux-system}\n  path: ./apps/prod\n";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: podinfo}\nspec:\n  chart: {spec: {chart: podinfo, \
                   sourceRef: {kind: HelmRepository, name: podinfo}}}\n  valuesFrom: [{kind: ConfigMap, name: podinfo-values}]\n---\n\
                   apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: podinfo}\n\
                   spec: {url: https://stefanprodan.github.io/podinfo}\n";
    let generate = "resources: [../base, pool.yaml]\nconfigMapGenerator: [{name: podinfo-values, files: [values.yaml=podinfo.yaml]}]\n";
    let files = [
        ("clusters/prod/apps.yaml", apps),
        (
            "apps/base/kustomization.yaml",
            "resources: [release.yaml]\n",
        ),
        ("apps/base/release.yaml", release),
        ("apps/prod/kustomization.yaml", generate),
        ("apps/prod/pool.yaml", POOL),
        ("apps/prod/podinfo.yaml", "nodeSelector: {pool: gpu}\n"),
    ];
    let places = |files: &[(&str, &str)]| {
        let folder = repo(files);
        let report = run(folder.path(), &["check", "--format", "json"]).json();
        let findings = report["findings"].as_array().expect("a list").iter();
        let places = findings.map(|one| one["file"].as_str().unwrap_or_default().to_owned());
        places.collect::<Vec<_>>()
    };
    assert_eq!(places(&files), ["apps/prod/podinfo.yaml"]);
    // Which of two files it is depends on the overlay.
    let other = (
        "apps/dev/kustomization.yaml",
        "resources: [../base]\nconfigMapGenerator: [{name: podinfo-values, files: [values.yaml=podinfo.yaml]}]\n",
    );
    let its_own = ("apps/dev/podinfo.yaml", "replicas: 1\n");
    assert!(places(&[&files[..], &[other, its_own]].concat()).is_empty());
}
