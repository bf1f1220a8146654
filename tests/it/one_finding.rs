//! One finding per mistake: no entry has two findings that contradict each other, the rule that explains the mistake wins,
//! and findings about the usual state are counted.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::builtin::{RULES, judged};
use crate::program::run;
use kubetaint::finding::{Report, Severity};
use kubetaint::lint::Suppressions;

/// Rules whose messages about one entry would contradict each other.
const CONTRADICTIONS: [(&str, &str); 24] = [
    ("legacy-master-key", "tolerates-control-plane"),
    ("legacy-master-key", "toleration-key-near-miss"),
    ("legacy-master-key", "duplicate-toleration"),
    ("legacy-master-key", "subsumed-toleration"),
    ("tolerates-control-plane", "duplicate-toleration"),
    ("tolerates-control-plane", "subsumed-toleration"),
    ("tolerates-cordon", "subsumed-toleration"),
    ("tolerates-cordon", "duplicate-toleration"),
    ("tolerates-cordon", "value-with-exists"),
    ("tolerates-cordon", "unknown-field"),
    ("tolerates-unreachable-forever", "subsumed-toleration"),
    ("tolerates-unreachable-forever", "duplicate-toleration"),
    ("tolerates-unreachable-forever", "unknown-operator"),
    ("tolerates-autoscaler-deletion", "subsumed-toleration"),
    ("blanket-exists", "unknown-field"),
    ("blanket-exists", "duplicate-toleration"),
    ("keyless-no-execute", "duplicate-toleration"),
    ("keyless-no-execute", "unknown-field"),
    ("empty-key-without-exists", "unknown-field"),
    ("duplicate-toleration", "unknown-field"),
    ("subsumed-toleration", "redundant-daemonset-toleration"),
    ("subsumed-toleration", "shadowed-toleration-seconds"),
    ("toleration-key-near-miss", "invalid-key"),
    ("orphan-toleration", "duplicate-toleration"),
];

/// Typical entries, valid and invalid.
const ENTRIES: [&str; 20] = [
    "{key: node-role.kubernetes.io/master, operator: Exists, effect: NoSchedule}",
    "{key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}",
    "{key: node-role.kubernetes.io/contro-plane, operator: Exists, effect: NoSchedule}",
    "{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}",
    "{key: node.kubernetes.io/unschedulable, operator: Exists, value: a, effect: NoSchedule}",
    "{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute}",
    "{key: node.kubernetes.io/unreachable, operator: exists, effect: NoExecute}",
    "{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 30}",
    "{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoSchedule, tolerationSeconds: 30}",
    "{key: ToBeDeletedByClusterAutoscaler, operator: Exists, effect: NoSchedule}",
    "{key: gpu, operator: Exists, effect: NoSchedule}",
    "{key: gpu, operator: Equal, value: a, effect: NoSchedule}",
    "{key: gpu, operator: Equal, effect: NoSchedule}",
    "{kye: gpu, operator: Exists}",
    "{kye: gpu, operator: Exists, effect: NoExecute}",
    "{kye: gpu, effect: NoSchedule}",
    "{key: \"gpu=a\", operator: Exists, effect: NoSchedule}",
    "{operator: Exists}",
    "{operator: Exists, effect: NoExecute}",
    "{operator: Exists, effect: NoSchedule}",
];

/// The rules with findings, by object and entry.
type Said = BTreeMap<(String, String), BTreeSet<String>>;

fn entry(path: &str) -> &str {
    path.rfind(']').map_or(path, |at| path.split_at(at + 1).0)
}

fn said(report: &Report) -> Said {
    let mut said = Said::new();
    for finding in &report.findings {
        let object = format!("{:?} in {:?}", finding.object, finding.span.source);
        let about = (object, entry(&finding.path).to_owned());
        said.entry(about).or_default().insert(finding.rule.clone());
    }
    said
}

fn contradictions(where_from: &str, said: &Said) -> Vec<String> {
    let mut found = Vec::new();
    for ((object, entry), rules) in said {
        for (one, other) in CONTRADICTIONS {
            if rules.contains(one) && rules.contains(other) {
                found.push(format!("{where_from}: {object} {entry}: {one}, {other}"));
            }
        }
    }
    found
}

fn report(files: &[(&str, &str)]) -> Report {
    judged(&RULES, files, Suppressions::Off)
}

fn rules_of(report: &Report) -> Vec<(&str, Severity)> {
    let all = report.findings.iter();
    all.map(|finding| (finding.rule.as_str(), finding.severity))
        .collect()
}

/// A workload of a kind, with these lines in its pod spec.
fn workload(kind: &str, name: &str, spec: &str) -> String {
    let spec: String = spec.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      containers: [{{name: a, image: \"b:1\"}}]\n{spec}"
    )
}

const MASTER: &str = "tolerations:
  - {key: node-role.kubernetes.io/master, operator: Exists, effect: NoSchedule}
";

#[test]
fn no_entry_of_generated_lists_gets_two_findings_that_contradict() {
    let mut wrong = Vec::new();
    for kind in ["Deployment", "DaemonSet", "StatefulSet", "values"] {
        let mut files: Vec<(String, String)> = Vec::new();
        for (at, one) in ENTRIES.iter().enumerate() {
            for (beside, other) in ENTRIES.iter().enumerate() {
                let list = format!("tolerations:\n  - {one}\n  - {other}\n");
                let name = format!("w{at}-{beside}");
                files.push(match kind {
                    "values" => (format!("{name}/values.yaml"), list),
                    kind => (format!("{name}.yaml"), workload(kind, &name, &list)),
                });
            }
        }
        let found = judged(&RULES, &files, Suppressions::Off);
        assert!(
            found.findings.len() > ENTRIES.len(),
            "{kind}: little is found"
        );
        wrong.extend(contradictions(kind, &said(&found)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_entry_of_the_rules_examples_gets_two_findings_that_contradict() {
    let mut wrong = Vec::new();
    for rule in RULES.iter() {
        for example in &rule.examples {
            let files: Vec<(&str, String)> = example
                .files
                .iter()
                .map(|(path, text)| (path.as_str(), kubetaint::verify::without_marks(text)))
                .collect();
            let files: Vec<(&str, &str)> = files
                .iter()
                .map(|(path, text)| (*path, text.as_str()))
                .collect();
            let name = format!("{}::{}", rule.id, example.name());
            wrong.extend(contradictions(&name, &said(&report(&files))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_entry_of_the_situations_gets_two_findings_that_contradict() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let run = run(
        &root,
        &["check", ".", "--format", "json", "--min-severity", "note"],
    );
    let found: serde_json::Value = serde_json::from_str(&run.out).expect("a report");
    let mut said = Said::new();
    for finding in found["findings"].as_array().expect("findings") {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let object = format!("{} in {}", finding["object"], text("file"));
        let about = (object, entry(&text("path")).to_owned());
        said.entry(about).or_default().insert(text("rule"));
    }
    assert!(said.len() > 20, "little is found");
    let wrong = contradictions("fixtures/situations", &said);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_former_key_is_not_called_both_without_effect_and_dangerous() {
    let found = report(&[("a.yaml", &workload("Deployment", "web", MASTER))]);
    assert_eq!(rules_of(&found), [("legacy-master-key", Severity::Note)]);
}

#[test]
fn the_former_key_is_a_warning_where_control_plane_nodes_are_wanted() {
    let found = report(&[("a.yaml", &workload("DaemonSet", "agent", MASTER))]);
    assert_eq!(rules_of(&found), [("legacy-master-key", Severity::Warning)]);
    let selects =
        format!("nodeSelector: {{node-role.kubernetes.io/control-plane: \"\"}}\n{MASTER}");
    let found = report(&[("a.yaml", &workload("Deployment", "backup", &selects))]);
    assert_eq!(rules_of(&found), [("legacy-master-key", Severity::Warning)]);
}

#[test]
fn a_managed_control_plane_has_no_nodes_for_the_former_key() {
    let agent = workload("DaemonSet", "agent", MASTER);
    for cluster in [
        "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: c, region: x}\nmanagedNodeGroups:\n  - name: a\n",
        "apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata: {name: c}\nspec: {location: x}\n",
        "apiVersion: controlplane.cluster.x-k8s.io/v1beta2\nkind: AWSManagedControlPlane\nmetadata: {name: c}\nspec: {region: x}\n",
    ] {
        let found = report(&[("a.yaml", &agent), ("cluster.yaml", cluster)]);
        assert!(found.findings.is_empty(), "{cluster}{:?}", rules_of(&found));
    }
}

#[test]
fn a_misspelt_key_beside_the_former_one_is_one_mistake() {
    let list = format!(
        "{MASTER}  - {{key: node-role.kubernetes.io/contro-plane, operator: Exists, effect: NoSchedule}}\n"
    );
    let found = report(&[("a.yaml", &workload("DaemonSet", "agent", &list))]);
    assert_eq!(
        rules_of(&found),
        [("toleration-key-near-miss", Severity::Warning)]
    );
}

#[test]
fn an_entry_for_everything_added_to_values_is_the_mistake_and_not_the_entry_beside_it() {
    let values = "web:\n  tolerations:\n    - {key: gpu, operator: Exists, effect: NoSchedule}\n    - operator: Exists\n";
    let found = report(&[("values.yaml", values)]);
    assert_eq!(rules_of(&found), [("blanket-exists", Severity::Note)]);
}

#[test]
fn a_misspelt_field_name_is_the_mistake_and_not_what_follows_from_it() {
    let list = "tolerations:\n  - {kye: gpu, operator: Exists}\n";
    let found = report(&[("a.yaml", &workload("Deployment", "web", list))]);
    let rules: Vec<&str> = rules_of(&found).iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, ["unknown-field"]);
}

#[test]
fn values_of_an_unknown_kind_are_not_taken_for_a_deployment() {
    let list = "tolerations:\n    - {operator: Exists, effect: NoSchedule}\n";
    let unknown = format!("agent:\n  {list}");
    assert!(report(&[("values.yaml", &unknown)]).findings.is_empty());
    let daemon = format!("agent:\n  mode: daemonset\n  {list}");
    assert!(report(&[("values.yaml", &daemon)]).findings.is_empty());
    let deployment = format!("agent:\n  kind: Deployment\n  {list}");
    let found = report(&[("values.yaml", &deployment)]);
    assert_eq!(rules_of(&found), [("tolerates-cordon", Severity::Note)]);
}

const AGENT: &str = "hostNetwork: true
tolerations:
  - operator: Exists
";

#[test]
fn node_agents_that_tolerate_everything_are_counted_and_not_listed() {
    let found = report(&[("a.yaml", &workload("DaemonSet", "shipper", AGENT))]);
    assert!(found.findings.is_empty(), "{:?}", rules_of(&found));
    let tally = found.counts.counted.get("blanket-exists");
    let sentence = tally.map(kubetaint::finding::Tally::sentence);
    assert_eq!(
        sentence.as_deref(),
        Some("1 node agent tolerates every taint")
    );
}

#[test]
fn node_agents_that_tolerate_everything_are_listed_where_a_pool_is_set_apart() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    spec:\n      taints: [{key: team, value: ml, effect: NoSchedule}]\n";
    let agent = workload("DaemonSet", "shipper", AGENT);
    let found = report(&[("a.yaml", &agent), ("pool.yaml", pool)]);
    assert_eq!(rules_of(&found), [("blanket-exists", Severity::Note)]);
}

#[test]
fn a_daemonset_of_which_nothing_says_that_it_is_an_agent_is_listed() {
    let list = "tolerations:\n  - operator: Exists\n";
    let found = report(&[("a.yaml", &workload("DaemonSet", "web", list))]);
    assert_eq!(rules_of(&found), [("blanket-exists", Severity::Note)]);
}

#[test]
fn what_is_meant_to_run_on_the_control_plane_is_left_alone() {
    let list = "tolerations:\n  - {key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}\n";
    let bad = report(&[("a.yaml", &workload("Deployment", "web", list))]);
    assert_eq!(
        rules_of(&bad),
        [("tolerates-control-plane", Severity::Note)]
    );
    let prefers = format!(
        "affinity: {{nodeAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 1, preference: {{matchExpressions: \
         [{{key: node-role.kubernetes.io/control-plane, operator: Exists}}]}}}}]}}}}\n{list}"
    );
    for (name, spec) in [
        ("web", prefers.as_str()),
        ("coredns", list),
        ("capi-controller-manager", list),
    ] {
        let found = report(&[("a.yaml", &workload("Deployment", name, spec))]);
        assert!(found.findings.is_empty(), "{name}: {:?}", rules_of(&found));
    }
}

#[test]
fn a_tools_own_file_reaches_no_api_server() {
    let tool = "nodeTypes:\n  a:\n    placement:\n      nodeSelector: {storage: true}\n      tolerations:\n        - {key: a, operator: Exists, effect: NoSchedule}\n";
    let found = report(&[("tool.yaml", tool)]);
    let worst = found.findings.iter().map(|finding| finding.severity).max();
    assert!(
        worst.is_none_or(|worst| worst == Severity::Note),
        "{:?}",
        rules_of(&found)
    );
}
