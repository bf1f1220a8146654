//! Tests of advice: a finding proposes the nearest match in the workload's own cluster, and findings about an entry do not
//! depend on tolerations that may be added to its pods.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::{Finding, Report};
use kubetaint::verify;

/// A Karpenter pool with the label `pool: <name>` and one taint.
fn pool(name: &str, taint: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {name}}}
spec:
  template:
    metadata: {{labels: {{pool: {name}}}}}
    spec:
      taints: [{taint}]
---
"
    )
}

/// A Deployment with these fields in its pod spec.
fn web(fields: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  template:
    spec:
      containers: [{{name: a, image: b}}]
{fields}"
    )
}

fn report<'f>(files: impl IntoIterator<Item = (&'f str, String)>) -> Report {
    let files: Vec<(String, String)> = files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text))
        .collect();
    judged(&RULES, &files, verify::SUPPRESSIONS)
}

fn only(report: &Report, rule: &str) -> Finding {
    let found: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule)
        .collect();
    assert_eq!(found.len(), 1, "{rule}: {:?}", report.findings);
    found[0].clone()
}

/// The message and the help text of a rule about a toleration, given these pools.
fn advice(rule: &str, pools: &[(&str, &str)], fields: &str) -> (String, String) {
    let pools: String = pools
        .iter()
        .map(|(name, taint)| pool(name, taint))
        .collect();
    let report = report([("pools.yaml", pools), ("web.yaml", web(fields))]);
    let found = only(&report, rule);
    (found.message, found.help.unwrap_or_default())
}

const DB: (&str, &str) = ("db", "{key: dedicated, value: db, effect: NoSchedule}");
const BATCH: (&str, &str) = (
    "batch",
    "{key: dedicated, value: batch, effect: NoSchedule}",
);

#[test]
fn the_nearest_value_is_proposed_and_not_the_first() {
    let fields = "      tolerations: [{key: dedicated, value: bah, effect: NoSchedule}]\n";
    for pools in [[DB, BATCH], [BATCH, DB]] {
        let (message, help) = advice("toleration-value-mismatch", &pools, fields);
        assert!(message.contains("`batch` has `batch`"), "{message}");
        assert!(!message.contains("`db`"), "{message}");
        assert!(help.contains("`value: \"batch\"`"), "{help}");
    }
}

#[test]
fn of_values_that_are_equally_far_that_of_the_selected_pool_is_proposed() {
    let fields = "      nodeSelector: {pool: batch}
      tolerations: [{key: dedicated, value: reports, effect: NoSchedule}]\n";
    let (message, help) = advice("toleration-value-mismatch", &[DB, BATCH], fields);
    assert!(!message.contains("`db`"), "{message}");
    assert!(help.contains("`value: \"batch\"`"), "{help}");
}

#[test]
fn values_that_nothing_tells_apart_are_all_named() {
    let fields = "      tolerations: [{key: dedicated, value: reports, effect: NoSchedule}]\n";
    let (message, help) = advice("toleration-value-mismatch", &[DB, BATCH], fields);
    assert!(message.contains("that of pool `db` has `db`"), "{message}");
    assert!(
        message.contains("that of pool `batch` has `batch`"),
        "{message}"
    );
    assert!(help.contains("the value of the intended pool"), "{help}");
}

#[test]
fn the_nearest_value_outranks_the_selected_pool() {
    let fields = "      nodeSelector: {pool: db}
      tolerations: [{key: dedicated, value: bah, effect: NoSchedule}]\n";
    let (_, help) = advice("toleration-value-mismatch", &[DB, BATCH], fields);
    assert!(help.contains("`value: \"batch\"`"), "{help}");
}

#[test]
fn the_nearest_key_is_proposed_and_not_the_first_by_name() {
    let pools = [
        ("a", "{key: workload-batches, effect: NoSchedule}"),
        ("b", "{key: workload-batch, effect: NoSchedule}"),
    ];
    let fields = "      tolerations: [{key: workload-bach, operator: Exists}]\n";
    for pools in [pools, [pools[1], pools[0]]] {
        let (message, help) = advice("toleration-key-near-miss", &pools, fields);
        assert!(help.contains("`key: workload-batch`"), "{message} {help}");
    }
}

#[test]
fn keys_that_are_equally_near_are_both_named() {
    let pools = [
        ("a", "{key: batchjobs, effect: NoSchedule}"),
        ("b", "{key: batchjobz, effect: NoSchedule}"),
    ];
    let fields = "      tolerations: [{key: batchjobx, operator: Exists}]\n";
    let (message, help) = advice("toleration-key-near-miss", &pools, fields);
    assert!(message.contains("`batchjobs`, `batchjobz`"), "{message}");
    assert!(!help.contains("key:"), "{help}");
    let fields =
        "      nodeSelector: {pool: b}\n      tolerations: [{key: batchjobx, operator: Exists}]\n";
    let (_, help) = advice("toleration-key-near-miss", &pools, fields);
    assert!(help.contains("`key: batchjobz`"), "{help}");
}

#[test]
fn the_effect_of_the_pool_with_the_same_value_is_proposed() {
    let pools = [
        ("db", "{key: dedicated, value: db, effect: NoExecute}"),
        (
            "web",
            "{key: dedicated, value: web, effect: PreferNoSchedule}",
        ),
    ];
    let fields = "      tolerations: [{key: dedicated, value: web, effect: NoSchedule}]\n";
    let (message, help) = advice("toleration-effect-mismatch", &pools, fields);
    assert!(message.contains("`web` has PreferNoSchedule"), "{message}");
    assert!(help.contains("`effect: PreferNoSchedule`"), "{help}");
    let fields = "      tolerations: [{key: dedicated, operator: Exists, effect: NoSchedule}]\n";
    let (message, help) = advice("toleration-effect-mismatch", &pools, fields);
    assert!(
        message.contains("`db`") && message.contains("`web`"),
        "{message}"
    );
    assert!(help.contains("the effect of the intended pool"), "{help}");
}

#[test]
fn the_nearest_label_is_proposed_for_a_selector() {
    let taint = "{key: a, effect: PreferNoSchedule}";
    let pools: String = ["batchen", "batch", "web"]
        .map(|name| pool(name, taint))
        .concat();
    let config = "clusters: {main: {paths: [\"**\"], complete: true}}\n".to_owned();
    let report = report([
        (".kubetaint.yaml", config),
        ("pools.yaml", pools),
        ("web.yaml", web("      nodeSelector: {pool: Batche}\n")),
    ]);
    let help = only(&report, "selector-matches-no-pool")
        .help
        .unwrap_or_default();
    assert!(
        help.contains("`pool: batch`") && help.contains("`pool: batchen`"),
        "{help}"
    );
}

#[test]
fn what_an_entry_matches_does_not_depend_on_what_may_be_added() {
    let gpus = pool(
        "gpu",
        "{key: nvidia.com/gpu, value: present, effect: NoSchedule}",
    );
    let web = |entry: &str| {
        format!(
            "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  template:
    spec:
      containers: [{{name: a, image: b, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
      tolerations: [{entry}]
"
        )
    };
    for (rule, entry) in [
        (
            "toleration-value-mismatch",
            "{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}",
        ),
        (
            "toleration-effect-mismatch",
            "{key: nvidia.com/gpu, value: present, effect: NoExecute}",
        ),
        (
            "equal-without-value",
            "{key: nvidia.com/gpu, effect: NoSchedule}",
        ),
    ] {
        for admission in ["", "admission: [ExtendedResourceToleration]\n"] {
            let report = report([
                (".kubetaint.yaml", format!("exclude: []\n{admission}")),
                ("pools.yaml", gpus.clone()),
                ("web.yaml", web(entry)),
            ]);
            only(&report, rule);
        }
    }
}

/// An AKS node pool with a taint of this key.
fn aks(key: &str) -> String {
    format!(
        "resource \"azurerm_kubernetes_cluster_node_pool\" \"batch\" {{
  name        = \"batch\"
  node_taints = [\"{key}=batch:NoSchedule\"]
}}
"
    )
}

/// A GKE node pool with a taint of this key.
fn gke(key: &str) -> String {
    format!(
        "resource \"google_container_node_pool\" \"batch\" {{
  name = \"batch\"
  node_config {{
    taint {{
      key    = \"{key}\"
      value  = \"batch\"
      effect = \"NO_SCHEDULE\"
    }}
  }}
}}
"
    )
}

/// Values with two typos in the key of a toleration.
const SLIP: &str =
    "worker:\n  tolerations: [{key: worklod-bach, operator: Exists, effect: NoSchedule}]\n";

/// The related files of the finding about that typo.
fn drawn(files: Vec<(&str, String)>) -> Option<Vec<String>> {
    let report = report(files);
    let mut found = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "toleration-key-near-miss");
    let found = found.next()?;
    let related = found.related.iter();
    Some(
        related
            .map(|label| report.sources[&label.span.source].path.clone())
            .collect(),
    )
}

#[test]
fn the_values_of_a_gke_cluster_are_not_answered_with_a_taint_in_azure() {
    for path in [
        "config/gke.yaml",
        "helm/values-gke-prod.yaml",
        "clusters/gcp-1/values.yaml",
        "google/values.yaml",
    ] {
        let azure = ("terraform/azure/main.tf", aks("workload-batch"));
        assert_eq!(
            drawn(vec![azure.clone(), (path, SLIP.to_owned())]),
            None,
            "{path}"
        );
        let google = ("terraform/gcp/main.tf", gke("workload-batch"));
        for pools in [[azure.clone(), google.clone()], [google.clone(), azure]] {
            let files = pools.into_iter().chain([(path, SLIP.to_owned())]);
            let drawn = drawn(files.collect());
            assert_eq!(
                drawn.as_deref(),
                Some(&["terraform/gcp/main.tf".to_owned()][..]),
                "{path}"
            );
        }
    }
}

#[test]
fn values_with_the_keys_of_one_cloud_are_of_that_cloud() {
    let values = format!("{SLIP}  nodeSelector: {{cloud.google.com/gke-nodepool: batch}}\n");
    let azure = ("infra/main.tf", aks("workload-batch"));
    assert_eq!(
        drawn(vec![azure.clone(), ("apps/values.yaml", values)]),
        None
    );
    let silent = ("apps/values.yaml", SLIP.to_owned());
    assert!(drawn(vec![azure, silent]).is_some());
}

#[test]
fn values_of_an_environment_are_of_the_cloud_of_its_pools() {
    let pools = [
        ("terraform/azure/main.tf", aks("workload-batch")),
        ("terraform/gcp/prod/main.tf", gke("workload-batches")),
    ];
    let drawn = drawn(
        pools
            .into_iter()
            .chain([("config/prod.yaml", SLIP.to_owned())])
            .collect(),
    );
    assert_ne!(drawn, Some(vec!["terraform/azure/main.tf".to_owned()]));
}
