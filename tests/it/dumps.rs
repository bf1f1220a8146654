//! Tests when a dump of a cluster's Nodes lists all pools: not if a pool may currently have no nodes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::Severity;
use kubetaint::verify;

/// A Node with these labels, as a list item.
fn node(name: &str, labels: &str) -> String {
    format!(
        "- apiVersion: v1
  kind: Node
  metadata:
    name: {name}
    labels: {{kubernetes.io/hostname: {name}, kubernetes.io/os: linux, {labels}}}
  spec: {{}}
"
    )
}

fn karpenter(name: &str, version: &str, kind: &str) -> String {
    format!(
        "- apiVersion: karpenter.sh/{version}
  kind: {kind}
  metadata: {{name: {name}}}
  spec:
    template:
      spec:
        requirements: []
"
    )
}

fn list(items: &[String]) -> String {
    format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat())
}

/// Whether these inventories cover all pools of a cluster. Only then can a finding say that no pool has a label.
fn is_complete(inventories: &[(&str, String)]) -> bool {
    let names: Vec<&str> = inventories.iter().map(|(name, _)| *name).collect();
    let config = format!(
        "clusters: {{main: {{paths: [\"apps/**\"], inventory: [{}]}}}}\n",
        names.join(", ")
    );
    let web = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      nodeSelector: {example.com/tier: none}
";
    let mut files = vec![
        (".kubetaint.yaml".to_owned(), config),
        ("apps/web.yaml".to_owned(), web.to_owned()),
    ];
    files.extend(
        inventories
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.clone())),
    );
    let report = judged(&RULES, &files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    let found = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "selector-matches-no-pool");
    let found: Vec<Severity> = found.map(|finding| finding.severity).collect();
    assert!(found.len() < 2, "{found:?}");
    !found.is_empty()
}

#[test]
fn nodes_that_belong_to_no_pool_are_all_there_are() {
    let nodes = list(&[node("a", "x: y"), node("b", "x: z")]);
    assert!(is_complete(&[("nodes.yaml", nodes)]));
}

#[test]
fn nodes_of_pools_that_may_be_at_zero_are_not_all_there_are() {
    for label in [
        "karpenter.sh/nodepool: web",
        "karpenter.sh/provisioner-name: web",
        "eks.amazonaws.com/nodegroup: web",
        "alpha.eksctl.io/nodegroup-name: web",
        "cloud.google.com/gke-nodepool: web",
        "kubernetes.azure.com/agentpool: web",
        "agentpool: web",
        "kops.k8s.io/instancegroup: web",
        "doks.digitalocean.com/node-pool: web",
        "worker.gardener.cloud/pool: web",
    ] {
        let nodes = list(&[node("a", label), node("b", "x: y")]);
        assert!(!is_complete(&[("nodes.yaml", nodes)]), "{label}");
    }
}

#[test]
fn a_dump_with_the_pools_themselves_says_which_there_are() {
    let items = [
        node("a", "karpenter.sh/nodepool: web"),
        karpenter("web", "v1", "NodePool"),
        karpenter("at-zero", "v1", "NodePool"),
    ];
    assert!(is_complete(&[("nodes.yaml", list(&items))]));
    // A manifest elsewhere adds one pool, but it is not a full list.
    let pool = karpenter("web", "v1", "NodePool")
        .replacen("- ", "", 1)
        .replace("\n  ", "\n");
    let nodes = list(&items[..1]);
    assert!(!is_complete(&[("nodes.yaml", nodes), ("pool.yaml", pool)]));
}

#[test]
fn pools_of_one_maker_say_nothing_of_those_of_another() {
    let items = [
        node("a", "karpenter.sh/nodepool: web"),
        node("b", "eks.amazonaws.com/nodegroup: system"),
        karpenter("web", "v1", "NodePool"),
    ];
    assert!(!is_complete(&[("nodes.yaml", list(&items))]));
}

#[test]
fn the_list_of_a_cloud_says_which_pools_there_are() {
    let google = "[{\"name\": \"web\", \"config\": {\"machineType\": \"e2\", \"taints\": []}},
 {\"name\": \"at-zero\", \"config\": {\"machineType\": \"e2\"}}]\n";
    let nodes = list(&[node("a", "cloud.google.com/gke-nodepool: web")]);
    let files = [("nodes.yaml", nodes), ("pools.json", google.to_owned())];
    assert!(is_complete(&files));
    assert!(is_complete(&files[1..]));
    let azure = "[{\"name\": \"web\", \"type\": \"Microsoft.ContainerService/managedClusters/agentPools\", \"mode\": \"User\"}]\n";
    for label in [
        "agentpool: web",
        "kubernetes.azure.com/agentpool: web, agentpool: web",
    ] {
        let nodes = list(&[node("a", label)]);
        assert!(!is_complete(&[("nodes.yaml", nodes.clone())]));
        let files = [("nodes.yaml", nodes), ("pools.json", azure.to_owned())];
        assert!(is_complete(&files), "{label}");
    }
}

/// A Node whose machine OpenShift's machine API made.
fn machine_node(name: &str, machine: &str) -> String {
    let annotation = format!(
        "    annotations: {{machine.openshift.io/machine: openshift-machine-api/{machine}}}\n"
    );
    node(name, "node-role.kubernetes.io/worker: \"\"").replace("  spec:", &(annotation + "  spec:"))
}

fn machine_set(name: &str) -> String {
    format!(
        "- apiVersion: machine.openshift.io/v1beta1
  kind: MachineSet
  metadata: {{name: {name}, namespace: openshift-machine-api}}
  spec:
    replicas: 0
    template:
      spec:
        metadata: {{labels: {{pool: {name}}}}}
"
    )
}

#[test]
fn nodes_with_the_machine_sets_that_make_them_are_all_there_are() {
    // A machine that no MachineSet made.
    let control_plane = machine_node("a", "prod-master-0");
    assert!(is_complete(&[(
        "nodes.yaml",
        list(std::slice::from_ref(&control_plane))
    )]));

    let worker = machine_node("b", "workers-x7k2p");
    let nodes = [control_plane, worker];
    assert!(!is_complete(&[("nodes.yaml", list(&nodes))]));

    let with_set = list(&[nodes.concat(), machine_set("workers")]);
    assert!(is_complete(&[("nodes.yaml", with_set)]));
}

#[test]
fn a_machine_set_at_zero_is_a_pool_and_one_with_nodes_is_its_nodes() {
    let items = [
        machine_node("b", "workers-x7k2p"),
        machine_set("workers").replace("labels: {pool: workers}", "labels: {}"),
        machine_set("at-zero"),
    ];
    let gpu = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      nodeSelector: {pool: at-zero}
";
    let taint = "{key: gpu, effect: NoSchedule}";
    let dump = list(&items).replace(
        "        metadata: {labels: {pool: at-zero}}\n",
        &format!("        metadata: {{labels: {{pool: at-zero}}}}\n        taints: [{taint}]\n"),
    );
    let config = "clusters: {main: {paths: [\"apps/**\"], inventory: [nodes.yaml]}}\n".to_owned();
    let files = [
        (".kubetaint.yaml".to_owned(), config),
        ("apps/web.yaml".to_owned(), gpu.to_owned()),
        ("nodes.yaml".to_owned(), dump),
    ];
    let report = judged(&RULES, &files, verify::SUPPRESSIONS);
    let found = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.message.as_str());
    // The MachineSet of the nodes, whose other labels are unknown, would leave it open.
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "Deployment `web` selects pool `at-zero`, but does not tolerate `gpu:NoSchedule`, so its pods stay Pending"
        ]
    );
}
