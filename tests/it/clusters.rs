//! The clusters that a repository shows by itself: which pools judge what is delivered to several of them.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::process::Command;

use crate::builtin::{RULES, judged};
use kubetaint::finding::Report;
use kubetaint::verify;

fn report(files: &[(&str, &str)]) -> Report {
    judged(&RULES, files, verify::SUPPRESSIONS)
}

fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

fn pool(value: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: gpu}}\nspec:\n  template:\n    \
         metadata: {{labels: {{acme.com/pool: gpu}}}}\n    spec:\n      \
         nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}\n      \
         taints: [{{key: acme.com/gpu, value: '{value}', effect: NoSchedule}}]\n"
    )
}

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  \
    selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      \
    nodeSelector: {acme.com/pool: gpu}\n      \
    tolerations: [{key: acme.com/gpu, operator: Equal, value: big, effect: NoSchedule}]\n      \
    containers: [{name: a, image: a}]\n";

/// A repository with two clusters that share an application. Their pools have taints with these values.
fn two_clusters(prod: &str, staging: &str) -> Vec<(String, String)> {
    let mut files = vec![
        (
            "apps/base/kustomization.yaml".to_owned(),
            "resources: [web.yaml]\n".to_owned(),
        ),
        ("apps/base/web.yaml".to_owned(), WEB.to_owned()),
    ];
    for (name, value) in [("prod", prod), ("staging", staging)] {
        let sync = flux("flux-system", &format!("./clusters/{name}"));
        files.push((format!("clusters/{name}/flux-system/gotk-sync.yaml"), sync));
        files.push((
            format!("clusters/{name}/apps.yaml"),
            flux("apps", &format!("./apps/{name}")),
        ));
        files.push((
            format!("clusters/{name}/pools.yaml"),
            flux("pools", &format!("./machines/{name}")),
        ));
        files.push((
            format!("apps/{name}/kustomization.yaml"),
            "resources: [../base]\n".to_owned(),
        ));
        files.push((format!("machines/{name}/gpu.yaml"), pool(value)));
    }
    files
}

/// `cluster: rule` of what is found.
fn found(files: &[(String, String)]) -> Vec<String> {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let report = report(&files);
    let lines = report.findings.iter().map(|finding| {
        format!(
            "{}: {}",
            finding.cluster.as_deref().unwrap_or("-"),
            finding.rule
        )
    });
    lines.collect()
}

#[test]
fn a_shared_application_is_judged_with_the_pools_of_each_cluster() {
    let none: [&str; 0] = [];
    assert_eq!(found(&two_clusters("big", "big")), none);
    assert_eq!(
        found(&two_clusters("big", "small")),
        [
            "staging: selected-pool-not-tolerated",
            "staging: toleration-value-mismatch"
        ]
    );
}

#[test]
fn what_one_cluster_applies_is_not_what_another_makes_of_it() {
    // Staging applies both bases, and prod changes the taint and the toleration.
    let mut files = two_clusters("big", "big");
    files.retain(|(path, _)| {
        !path.contains("/staging/kustomization") && !path.contains("machines/")
    });
    for (path, text) in &mut files {
        if path.starts_with("clusters/staging/") {
            *text = text.replace("./apps/staging", "./apps/base");
            *text = text.replace("./machines/staging", "./machines/base");
        }
    }
    let general = pool("big").replace("gpu}\nspec", "general}\nspec");
    let general = general.replace("acme.com/pool: gpu", "acme.com/pool: general");
    let replace = |path: &str, value: &str| {
        format!(
            "patches:\n- target: {{name: web|gpu}}\n  patch: |-\n    - {{op: replace, path: {path}, value: {value}}}\n"
        )
    };
    let of_web = replace("/spec/template/spec/tolerations/0/value", "small");
    let of_pool = replace("/spec/template/spec/taints/0/value", "small");
    let mut add = |path: &str, text: String| {
        files.retain(|(known, _)| known != path);
        files.push((path.to_owned(), text));
    };
    add("machines/base/gpu.yaml", pool("big"));
    add("machines/base/general.yaml", general);
    add(
        "machines/base/kustomization.yaml",
        "resources: [gpu.yaml, general.yaml]\n".to_owned(),
    );
    add(
        "machines/prod/kustomization.yaml",
        format!("resources: [../base]\n{of_pool}"),
    );
    add(
        "apps/prod/kustomization.yaml",
        format!("resources: [../base]\n{of_web}"),
    );
    let none: [&str; 0] = [];
    assert_eq!(found(&files), none);
    // The near miss: prod changes only the taint.
    let at = files
        .iter()
        .position(|(path, _)| path == "apps/prod/kustomization.yaml");
    files[at.unwrap()].1 = "resources: [../base]\n".to_owned();
    assert_eq!(found(&files), ["prod: selected-pool-not-tolerated"]);
}

#[test]
fn a_pool_that_is_delivered_to_one_cluster_does_not_serve_another() {
    let mut files = two_clusters("small", "big");
    files.retain(|(path, _)| {
        !path.ends_with("staging/gpu.yaml") && path != "clusters/staging/pools.yaml"
    });
    assert_eq!(
        found(&files),
        [
            "prod: selected-pool-not-tolerated",
            "prod: toleration-value-mismatch"
        ]
    );
}

#[test]
fn what_is_wrong_in_all_clusters_is_told_once_and_names_them() {
    let mut files = two_clusters("small", "small");
    // Both clusters have the same pool.
    files.retain(|(path, _)| !path.starts_with("machines/"));
    files.push(("machines/gpu.yaml".to_owned(), pool("small")));
    for (path, text) in &mut files {
        if path.ends_with("pools.yaml") {
            *text = flux("pools", "./machines");
        }
    }
    assert_eq!(
        found(&files),
        [
            "prod, staging: selected-pool-not-tolerated",
            "prod, staging: toleration-value-mismatch"
        ]
    );
}

#[test]
fn a_file_of_eksctl_names_its_cluster() {
    let folder = tempfile::TempDir::new().unwrap();
    let eksctl = "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: prod-eu, region: eu-west-1}\n\
        managedNodeGroups: [{name: gpu}]\n";
    fs::write(folder.path().join("cluster.yaml"), eksctl).unwrap();
    fs::write(folder.path().join("web.yaml"), WEB).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(["clusters", "-o", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed["clusters"][0]["name"], "prod-eu", "{listed}");
    assert_eq!(listed["clusters"][0]["workloads"], 1);
    assert_eq!(listed["clusters"].as_array().unwrap().len(), 1);
}

#[test]
fn the_clusters_are_listed_with_their_pools_and_what_is_missing() {
    let folder = tempfile::TempDir::new().unwrap();
    for (path, text) in two_clusters("big", "small") {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed: serde_json::Value =
        serde_json::from_str(&run(&["clusters", "-o", "json"])).unwrap();
    assert_eq!(listed["schema"], 1);
    let clusters = listed["clusters"].as_array().unwrap();
    let names: Vec<&str> = clusters
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["prod", "staging"]);
    let prod = &clusters[0];
    assert_eq!(prod["known-from"], "flux");
    assert_eq!(
        prod["place"]["file"],
        "clusters/prod/flux-system/gotk-sync.yaml"
    );
    assert_eq!(prod["pools"], serde_json::json!(["gpu"]));
    assert_eq!(prod["workloads"], 1);
    assert_eq!(prod["complete"], false);
    assert!(
        prod["missing"][0]
            .as_str()
            .unwrap()
            .contains("complete: true")
    );
    let text = run(&["clusters"]);
    // What is missing everywhere is told once.
    assert_eq!(text.matches("complete: true").count(), 1, "{text}");
    assert!(
        text.contains("staging  Flux, clusters/staging/flux-system/gotk-sync.yaml:3"),
        "{text}"
    );
}

#[test]
fn a_pool_of_another_cluster_does_not_excuse_what_a_workload_selects_in_its_own() {
    let files = two_clusters("big", "small");
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let report = report(&files);
    let severities = report.findings.iter().map(|one| one.severity.to_string());
    assert_eq!(severities.collect::<Vec<_>>(), ["warning", "note"]);
}

#[test]
fn pools_beside_the_only_cluster_serve_it_unless_they_belong_elsewhere() {
    let of = |folder: &str, prod: &str, pools: usize| {
        let mut files = two_clusters("small", "big");
        files.retain(|(path, _)| {
            !path.contains("staging") && !path.contains("machines") && !path.ends_with("pools.yaml")
        });
        files.push((format!("{folder}/gpu.yaml"), pool(prod)));
        let found = found(&files);
        let is_kept_out = |one: &&String| one.as_str() == "prod: selected-pool-not-tolerated";
        assert_eq!(
            found.iter().filter(is_kept_out).count(),
            pools,
            "{folder}: {found:?}"
        );
    };
    of("talos", "small", 1);
    of("talos", "big", 0);
    of("clusters/lab", "small", 0);
    of("clusters/_shared", "small", 1);
}

#[test]
fn each_terraform_configuration_that_declares_a_cluster_is_listed_as_one() {
    let eks = |name: &str| {
        format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"~> 20.0\"\n  cluster_name = \"{name}\"\n  \
             eks_managed_node_groups = {{\n    {name}-gpu = {{ taints = {{ a = {{ key = \"a\", value = \"b\", effect = \"NO_SCHEDULE\" }} }} }}\n  }}\n}}\n"
        )
    };
    let folder = tempfile::TempDir::new().unwrap();
    let files = [
        ("infra/berlin/main.tf", eks("berlin")),
        ("infra/oslo/main.tf", eks("oslo")),
        ("apps/web.yaml", WEB.to_owned()),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(["clusters", "-o", "json", "--quiet"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let clusters = listed["clusters"].as_array().unwrap();
    let told: Vec<String> = clusters
        .iter()
        .map(|one| format!("{} {} {}", one["name"], one["known-from"], one["pools"]))
        .collect();
    assert_eq!(
        told,
        [
            "\".\" \"folder\" []",
            "\"berlin\" \"terraform\" [\"berlin-gpu\"]",
            "\"oslo\" \"terraform\" [\"oslo-gpu\"]"
        ]
    );
    let missing = clusters[0]["missing"].to_string();
    assert!(
        missing.contains("`infra/berlin`, `infra/oslo`"),
        "{missing}"
    );
}

fn listed(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kubetaint"))
        .args(["clusters", "-o", "json", "--quiet"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let clusters = listed["clusters"].as_array().unwrap().iter();
    let told = clusters.map(|one| {
        let pools = one["pools"].as_array().unwrap().iter();
        let pools: Vec<&str> = pools.map(|pool| pool.as_str().unwrap()).collect();
        let name = one["name"].as_str().unwrap();
        format!("{name}: {} ({})", pools.join(" "), one["workloads"])
    });
    told.collect()
}

const GKE: &str = "resource \"google_container_cluster\" \"c\" {\n  name = local.cluster_name\n  remove_default_node_pool = true\n}\n";

fn gke_pool(name: &str) -> String {
    format!(
        "resource \"google_container_node_pool\" \"p\" {{\n  name = \"{name}\"\n  cluster = data.google_container_cluster.c.name\n}}\n"
    )
}

#[test]
fn a_configuration_of_node_pools_belongs_to_the_nearest_cluster_above() {
    let (gpu, cpu, arm) = (gke_pool("gpu"), gke_pool("cpu"), gke_pool("arm"));
    let found = listed(&[
        ("platforms/blue/cluster.tf", GKE),
        ("platforms/blue/regions/west/pools.tf", &gpu),
        ("platforms/green/core/cluster/main.tf", GKE),
        ("platforms/green/core/pools/main.tf", &cpu),
        ("platforms/green/apps/pools/main.tf", &arm),
        ("platforms/green/apps/web.yaml", WEB),
        ("apps/web.yaml", WEB),
    ]);
    assert_eq!(found, [".:  (1)", "blue: gpu (0)", "green: arm cpu (1)"]);
}

#[test]
fn configurations_that_share_the_name_of_their_cluster_are_ways_to_make_one() {
    let cpu = gke_pool("cpu");
    let own = format!("locals {{\n  cluster_name = \"a\"\n}}\n{GKE}");
    let of = |one: &str, other: &str| {
        listed(&[
            ("infra/cluster/main.tf", one),
            ("infra/cluster_autopilot/main.tf", other),
            ("infra/pools/main.tf", &cpu),
            ("apps/web.yaml", WEB),
        ])
    };
    assert_eq!(of(GKE, GKE), ["infra: cpu (1)"]);
    // Each has a name of its own, and nothing says which one is meant.
    assert_eq!(of(GKE, &own), [".: cpu (1)"]);
}

#[test]
fn a_configuration_of_node_pools_of_another_cloud_belongs_to_no_cluster_here() {
    let aks = "resource \"azurerm_kubernetes_cluster_node_pool\" \"p\" {\n  name = \"cpu\"\n}\n";
    let found = listed(&[
        ("terraform/google/main.tf", GKE),
        ("terraform/azure/main.tf", aks),
        ("terraform/azure/web.yaml", WEB),
    ]);
    assert_eq!(found, [".: cpu (1)"]);
}

#[test]
fn a_module_is_no_cluster() {
    let cpu = gke_pool("cpu");
    let found = listed(&[
        ("modules/gke/main.tf", GKE),
        ("modules/pools/main.tf", &cpu),
        ("apps/web.yaml", WEB),
    ]);
    assert_eq!(found, [".:  (1)"]);
}

#[test]
fn variables_files_are_the_clusters_of_a_configuration() {
    let main = "variable \"name\" {}\nresource \"google_container_node_pool\" \"p\" {\n  name = var.name\n}\n";
    let found = listed(&[
        ("infra/main.tf", main),
        ("infra/prod.tfvars", "name = \"big\"\n"),
        ("infra/staging.tfvars", "name = \"small\"\n"),
        ("apps/web.yaml", WEB),
        ("apps/prod/web.yaml", WEB),
    ]);
    assert_eq!(found, [".:  (1)", "prod: big (1)", "staging: small (0)"]);
}

#[test]
fn files_that_each_declare_a_whole_cluster_are_listed_one_by_one() {
    let kind = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: [{role: control-plane}, {role: worker}]\n";
    let machines = |cluster: &str| {
        format!(
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {{name: {cluster}-md}}\n\
             spec: {{clusterName: {cluster}, template: {{spec: {{clusterName: {cluster}}}}}}}\n"
        )
    };
    let (berlin, oslo) = (machines("berlin"), machines("oslo"));
    let found = listed(&[
        ("ci/one.yaml", kind),
        ("ci/two.yaml", kind),
        ("machines/berlin.yaml", &berlin),
        ("machines/oslo.yaml", &oslo),
    ]);
    assert_eq!(
        found,
        [
            "berlin: berlin-md (0)",
            "ci/one: control-plane worker (0)",
            "ci/two: control-plane worker (0)",
            "oslo: oslo-md (0)"
        ]
    );
}

const BY_VARIABLE: &str =
    "variable \"name\" {}\nresource \"google_container_node_pool\" \"p\" {\n  name = var.name\n}\n";

#[test]
fn variables_files_beside_a_configuration_that_declares_all_that_they_set_are_its_own() {
    let of = |prod: &str| {
        listed(&[
            ("infra/main/main.tf", BY_VARIABLE),
            ("infra/network/main.tf", "variable \"cidr\" {}\n"),
            ("infra/env/prod.tfvars", prod),
            ("infra/env/staging.tfvars", prod),
            ("apps/prod/web.yaml", WEB),
        ])
    };
    assert_eq!(
        of("name = \"big\"\n"),
        ["prod: big (1)", "staging: big (0)"]
    );
    // Another configuration may be meant.
    assert_eq!(of("name = \"big\"\nsize = 1\n"), ["prod: p (1)"]);
}

#[test]
fn commands_say_which_configuration_a_variables_file_is_for() {
    let of = |path: &str, text: &str| {
        listed(&[
            ("main/main.tf", BY_VARIABLE),
            ("settings/a/b/prod.tfvars", "name = \"big\"\nsize = 1\n"),
            ("settings/a/b/staging.tfvars", "name = \"small\"\n"),
            ("apps/prod/web.yaml", WEB),
            (path, text),
        ])
    };
    let script = "cd main\nterraform apply \\\n  -var-file ../settings/a/b/$1.tfvars\n";
    let expected = ["prod: big (1)", "staging: small (0)"];
    assert_eq!(of("deploy.sh", script), expected);
    let workflow = "on: push\njobs:\n  a:\n    steps:\n    - working-directory: main\n      run: terraform plan -var-file=../settings/a/b/${{ matrix.env }}.tfvars\n";
    assert_eq!(of(".github/workflows/plan.yml", workflow), expected);
    let other = script.replace("/b/", "/c/");
    assert_ne!(of("deploy.sh", &other), expected);
}

#[test]
fn a_folder_that_all_variables_files_are_in_is_no_part_of_their_names() {
    let found = listed(&[
        ("terraform/main.tf", BY_VARIABLE),
        ("terraform/projects/berlin.tfvars", "name = \"big\"\n"),
        ("terraform/projects/oslo.tfvars", "name = \"small\"\n"),
        ("config/clusters/berlin/web.yaml", WEB),
    ]);
    assert_eq!(found, ["berlin: big (1)", "oslo: small (0)"]);
}

#[test]
fn variables_files_that_configure_a_backend_are_no_clusters() {
    let of = |folder: &str, backend: &str, text: &str, command: &str| {
        listed(&[
            ("tf/main.tf", "variable \"region\" {}\n"),
            ("tf/pools.tf", BY_VARIABLE),
            (
                &format!("tf/envs/{folder}dev.tfvars"),
                "name = \"small\"\nregion = \"us\"\n",
            ),
            (&format!("tf/envs/{backend}"), text),
            ("tf/envs/prod.tfvars", "name = \"big\"\n"),
            ("tf/init.sh", command),
            ("k8s/dev/web.yaml", WEB),
            ("k8s/prod/web.yaml", WEB),
        ])
    };
    let expected = ["dev: small (1)", "prod: big (1)"];
    let state = "bucket = \"state\"\n";
    let with_region = "bucket = \"state\"\nregion = \"eu\"\n";
    assert_eq!(of("dev/", "dev/backend.tfvars", state, ""), expected);
    assert_eq!(of("dev/", "dev/state.tfvars", state, ""), expected);
    assert_eq!(of("", "dev.backend.tfvars", with_region, ""), expected);
    assert_eq!(
        of("", "dev.backend.tfvars.json", "{\"bucket\": \"a\"}", ""),
        expected
    );
    let init = "terraform init -backend-config=envs/state-$CITY.tfvars\n";
    assert_eq!(of("", "state-oslo.tfvars", with_region, init), expected);
    // A file that sets a variable is another environment, whatever else it sets.
    assert_ne!(of("", "state-oslo.tfvars", with_region, ""), expected);
    let other = "name = \"other\"\n";
    assert_ne!(of("", "backend-test.tfvars", other, ""), expected);
}

#[test]
fn workloads_of_a_configuration_run_in_each_cluster_that_its_variables_files_make() {
    let main = format!(
        "{BY_VARIABLE}resource \"kubernetes_deployment\" \"api\" {{\n  metadata {{\n    name = \"api\"\n  }}\n  spec {{\n    template {{\n      \
         spec {{\n        node_selector = {{ role = \"spark\" }}\n      }}\n    }}\n  }}\n}}\n"
    );
    let of = |path: &str, text: &str| {
        listed(&[
            ("main.tf", &main),
            ("env/prod.tfvars", "name = \"big\"\n"),
            ("env/stage.tfvars", "name = \"small\"\n"),
            (path, text),
        ])
    };
    assert_eq!(of("a.txt", ""), ["prod: big (1)", "stage: small (1)"]);
    // What stands beside it need not run there.
    let beside = [".:  (1)", "prod: big (1)", "stage: small (1)"];
    assert_eq!(of("web.yaml", WEB), beside);
}

#[test]
fn each_region_of_an_environment_is_a_cluster_with_the_workloads_of_the_environment() {
    let cpu = format!("{GKE}{}", gke_pool("cpu"));
    let of = |regions: [&str; 2]| {
        let path = |name: &str, region: &str| format!("infra/{name}/{region}/gke/main.tf");
        listed(&[
            (&path("prod", regions[0]), &cpu),
            (&path("prod", regions[1]), &cpu),
            (&path("staging", regions[0]), &cpu),
            ("k8s/prod/web.yaml", WEB),
            ("k8s/staging/web.yaml", WEB),
        ])
    };
    let expected = [
        "prod-europe-west4: cpu (1)",
        "prod-us-east1: cpu (1)",
        "staging: cpu (1)",
    ];
    assert_eq!(of(["europe-west4", "us-east1"]), expected);
    // Clusters that are not told apart by regions need not have the same workloads.
    assert!(of(["blue", "green"]).contains(&"prod:  (1)".to_owned()));
    let path = |region: &str| format!("infra/prod/{region}/gke/main.tf");
    let found = listed(&[
        (&path("europe-west4"), &cpu),
        (&path("us-east1"), &cpu),
        ("infra/staging/gke/main.tf", &cpu),
        ("k8s/prod/us-east1/web.yaml", WEB),
        ("k8s/staging/web.yaml", WEB),
    ]);
    assert_eq!(
        found,
        [
            "prod-europe-west4: cpu (0)",
            "prod-us-east1: cpu (1)",
            "staging: cpu (1)"
        ]
    );
}

/// A pool and a workload that selects it, but does not tolerate its taint.
fn kept_out(value: &str) -> (String, String) {
    let workload = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template:\n    spec:\n      nodeSelector: {{acme.io/pool: {value}}}\n\
         \x20     tolerations: [{{key: acme.io/pool, value: {value}}}]\n      containers: []\n"
    );
    let pool = format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: p-{value}}}\nspec:\n  template:\n    metadata: {{labels: {{acme.io/pool: {value}}}}}\n\
         \x20   spec:\n      requirements: []\n      taints: [{{key: acme.io/pool, value: {value}, effect: NoSchedule}}]\n"
    );
    (pool, workload)
}

#[test]
fn pools_and_workloads_whose_folders_have_the_name_of_a_cluster_belong_together() {
    let ((big, runs_big), (small, runs_small)) = (kept_out("big"), kept_out("small"));
    let named = |pools: [&str; 2], workloads: [&str; 2]| {
        listed(&[
            (pools[0], &big),
            (pools[1], &small),
            (workloads[0], &runs_big),
            (workloads[1], &runs_small),
        ])
    };
    let expected = ["berlin: p-big (1)", "oslo: p-small (1)"];
    let pools = ["infra/berlin/pools.yaml", "infra/oslo/pools.yaml"];
    assert_eq!(
        named(
            pools,
            ["clusters/berlin/a/w.yaml", "clusters/oslo/a/w.yaml"]
        ),
        expected
    );
    let overlays = ["apps/overlays/berlin/w.yaml", "apps/overlays/oslo/w.yaml"];
    assert_eq!(named(pools, overlays), expected);
    // A folder of pools with one of the names may be there for something else.
    let one = ["infra/berlin/pools.yaml", "infra/more.yaml"];
    assert_eq!(named(one, overlays), [".: p-big p-small (2)"]);
    // Overlays that are named after pools are not clusters.
    let pools = ["pools/big/pool.yaml", "pools/small/pool.yaml"];
    let overlays = ["apps/overlays/big/w.yaml", "apps/overlays/small/w.yaml"];
    assert_eq!(named(pools, overlays), [".: p-big p-small (2)"]);
}

#[test]
fn the_clusters_of_a_ring_are_listed_one_by_one() {
    let ((big, runs_big), (small, runs_small)) = (kept_out("big"), kept_out("small"));
    let found = listed(&[
        ("rings/canary/berlin/pools.yaml", &big),
        ("rings/canary/oslo/pools.yaml", &small),
        ("rings/canary/berlin/apps/w.yaml", &runs_big),
        ("rings/canary/oslo/apps/w.yaml", &runs_small),
        ("rings/wide/pools.yaml", &big),
        ("rings/wide/apps/w.yaml", &runs_big),
    ]);
    assert_eq!(
        found,
        ["berlin: p-big (1)", "oslo: p-small (1)", "wide: p-big (1)"]
    );
}

#[test]
fn a_pool_of_cluster_api_serves_the_folder_of_the_cluster_that_it_names() {
    let machines = |cluster: &str| {
        format!(
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {{name: {cluster}-md}}\nspec: {{clusterName: {cluster}, \
             template: {{spec: {{clusterName: {cluster}}}}}}}\n---\n"
        )
    };
    let all = machines("berlin") + &machines("oslo");
    let found = listed(&[
        ("management/machines.yaml", &all),
        ("clusters/berlin/apps/web.yaml", WEB),
        ("clusters/oslo/apps/web.yaml", WEB),
    ]);
    assert_eq!(found, ["berlin: berlin-md (1)", "oslo: oslo-md (1)"]);
}

#[test]
fn configurations_of_environments_make_the_clusters_of_these() {
    let pool = format!("{GKE}{}", gke_pool("gpu"));
    for above in ["live", "infra/environments", "terraform"] {
        let at = |environment: &str| format!("{above}/{environment}/gke/main.tf");
        let (prod, dev) = (at("prod"), at("dev"));
        let found = listed(&[
            (&prod, &pool),
            (&dev, &pool),
            ("k8s/overlays/prod/w.yaml", WEB),
            ("k8s/overlays/dev/w.yaml", WEB),
        ]);
        assert_eq!(found, ["dev: gpu (1)", "prod: gpu (1)"], "{above}");
    }
    // Two clusters of one environment stay apart.
    let found = listed(&[
        ("live/prod/blue/main.tf", &pool),
        ("live/prod/green/main.tf", &pool),
        ("live/dev/gke/main.tf", &pool),
        ("k8s/overlays/prod/w.yaml", WEB),
        ("k8s/overlays/dev/w.yaml", WEB),
    ]);
    assert_eq!(
        found,
        [
            "blue: gpu (0)",
            "dev: gpu (1)",
            "green: gpu (0)",
            "prod:  (1)"
        ]
    );
}

#[test]
fn a_chart_with_values_for_each_environment_shows_no_cluster_of_its_own() {
    let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers: []\n      \
        nodeSelector: {{ toYaml .Values.nodeSelector | nindent 8 }}\n      tolerations: {{ toYaml .Values.tolerations | nindent 8 }}\n";
    let values = "nodeSelector: {acme.com/pool: gpu}\ntolerations: [{key: acme.com/gpu, operator: Equal, value: big, effect: NoSchedule}]\n";
    let environment = "tolerations: [{key: acme.com/gpu, operator: Exists, effect: NoSchedule}]\n";
    let pool = |name: &str| {
        format!(
            "resource \"aws_eks_node_group\" \"p\" {{\n  cluster_name = \"{name}\"\n  node_group_name = \"gpu\"\n  labels = {{ \"acme.com/pool\" = \"gpu\" }}\n}}\n"
        )
    };
    let (dev, prod) = (pool("dev"), pool("prod"));
    let mut files = vec![
        ("infra/dev/pools.tf", dev.as_str()),
        ("infra/prod/pools.tf", &prod),
        (
            "charts/web/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 0.1.0\n",
        ),
        ("charts/web/templates/web.yaml", template),
        ("charts/web/values.yaml", values),
        ("charts/web/values-dev.yaml", environment),
        ("charts/web/values-prod.yaml", environment),
    ];
    assert_eq!(listed(&files), ["dev: gpu (1)", "prod: gpu (1)"]);
    // The other environment may have what the chart says by itself.
    files.pop();
    let names: Vec<_> = listed(&files)
        .into_iter()
        .map(|one| one.split(':').next().map(str::to_owned))
        .collect();
    assert!(names.contains(&Some(".".to_owned())), "{names:?}");
}
