//! What can be concluded although something is missing: the rest of an object, some taints of a pool, or some pools.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::Severity;
use kubetaint::verify;

const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: batch}
spec:
  template:
    metadata: {labels: {example.com/pool: batch}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      taints: [{key: example.com/dedicated, value: batch, effect: NoSchedule}]
";

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: import, image: busybox}]
";

const GPU_POOLS: &str = "resource \"google_container_node_pool\" \"gpu\" {
  name    = \"gpu\"
  cluster = \"main\"
  node_config {
    machine_type = \"g2-standard-4\"
    labels       = { team = \"vision\" }
  }
}
resource \"google_container_node_pool\" \"batch\" {
  name    = \"batch\"
  cluster = \"main\"
  node_config {
    labels = { team = \"batch\" }
    taint {
      key    = \"example.com/dedicated\"
      value  = \"batch\"
      effect = \"NO_SCHEDULE\"
    }
  }
}
";

/// The findings of these rules: rule and severity.
fn found(rules: &[&str], files: &[(&str, &str)]) -> Vec<(String, Severity)> {
    let owned = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let files: Vec<(String, String)> = owned.collect();
    let report = judged(&RULES, &files, verify::SUPPRESSIONS);
    let findings = report.findings.into_iter();
    findings
        .filter(|finding| rules.contains(&finding.rule.as_str()))
        .map(|finding| (finding.rule, finding.severity))
        .collect()
}

fn of_selected(files: &[(&str, &str)]) -> Vec<Severity> {
    let found = found(&["selected-pool-not-tolerated"], files);
    found.into_iter().map(|(_, severity)| severity).collect()
}

fn of_effects(files: &[(&str, &str)]) -> Vec<Severity> {
    let found = found(&["toleration-effect-mismatch"], files);
    found.into_iter().map(|(_, severity)| severity).collect()
}

#[test]
fn a_patch_and_values_with_a_selector_and_tolerations_are_judged() {
    let patch = |key: &str| {
        format!(
            "apiVersion: apps/v1
kind: Deployment
metadata: {{name: crunch}}
spec:
  template:
    spec:
      nodeSelector: {{example.com/pool: batch}}
      tolerations: [{{key: {key}, operator: Exists}}]
"
        )
    };
    let values = |key: &str| {
        format!(
            "worker:
  nodeSelector: {{example.com/pool: batch}}
  tolerations: [{{key: {key}, operator: Exists}}]
"
        )
    };
    let other = "example.com/spot";
    let own = "example.com/dedicated";
    for (path, wrong, right) in [
        ("patch.yaml", patch(other), patch(own)),
        ("values.yaml", values(other), values(own)),
    ] {
        let severities = of_selected(&[("pools.yaml", POOL), (path, &wrong)]);
        assert_eq!(severities, [Severity::Warning], "{path}");
        assert_eq!(of_selected(&[("pools.yaml", POOL), (path, &right)]), []);
    }
    // Values of another file may replace the list.
    let (wrong, right) = (values(other), values(own));
    let files = [
        ("pools.yaml", POOL),
        ("c/values.yaml", wrong.as_str()),
        ("c/values-prod.yaml", &right),
    ];
    assert_eq!(of_selected(&files), [Severity::Note]);
    // Without a list, the rest of the object may have one.
    let patch = patch(other);
    let (without, _) = patch.split_once("      tolerations").unwrap();
    assert_eq!(
        of_selected(&[("pools.yaml", POOL), ("patch.yaml", without)]),
        []
    );
}

#[test]
fn a_label_of_the_owner_names_pools_and_a_label_of_a_provider_does_not() {
    let selecting = |label: &str| format!("{JOB}      nodeSelector: {{{label}}}\n");
    let own = selecting("example.com/pool: batch");
    assert_eq!(
        of_selected(&[("pools.yaml", POOL), ("job.yaml", &own)]),
        [Severity::Warning]
    );
    let name = selecting("karpenter.sh/nodepool: batch");
    assert_eq!(
        of_selected(&[("pools.yaml", POOL), ("job.yaml", &name)]),
        [Severity::Warning]
    );
    let pool = POOL.replace("example.com/pool: batch", "nvidia.com/gpu.present: 'true'");
    let common = selecting("nvidia.com/gpu.present: 'true'");
    assert_eq!(
        of_selected(&[("pools.yaml", &pool), ("job.yaml", &common)]),
        [Severity::Note]
    );
    // A pool of another folder with the label accepts the pods.
    let open = POOL
        .replace("name: batch}", "name: open}")
        .replace("NoSchedule", "PreferNoSchedule");
    let files = [
        ("a/pools.yaml", POOL),
        ("a/job.yaml", own.as_str()),
        ("b/pools.yaml", &open),
        ("b/job.yaml", JOB),
    ];
    assert_eq!(of_selected(&files), [Severity::Note]);
}

#[test]
fn an_unknown_taint_of_one_pool_does_not_silence_the_others() {
    let config = "clusters: {main: {paths: [\"**\"], complete: true}}\n";
    let job = |key: &str| {
        format!("{JOB}      tolerations: [{{key: {key}, operator: Exists, effect: NoExecute}}]\n")
    };
    let judge = |key: &str| {
        let job = job(key);
        let files = [
            (".kubetaint.yaml", config),
            ("pools.tf", GPU_POOLS),
            ("job.yaml", job.as_str()),
        ];
        found(&["toleration-effect-mismatch", "orphan-toleration"], &files)
    };
    let mismatch = ("toleration-effect-mismatch".to_owned(), Severity::Warning);
    assert_eq!(judge("example.com/dedicated"), [mismatch]);
    let orphan = judge("example.com/gone");
    assert_eq!(orphan.len(), 1);
    // The pool with accelerators may have this taint.
    assert_eq!(judge("nvidia.com/gpu"), []);
}

#[test]
fn an_effect_that_only_one_file_uses_is_a_warning() {
    let job = |effect: &str| {
        format!(
            "{JOB}      tolerations: [{{key: example.com/dedicated, operator: Exists, effect: {effect}}}]\n"
        )
    };
    let (wrong, right) = (job("NoExecute"), job("NoSchedule"));
    let pool = ("pools.yaml", POOL);
    assert_eq!(
        of_effects(&[pool, ("job.yaml", &wrong)]),
        [Severity::Warning]
    );
    assert_eq!(of_effects(&[pool, ("job.yaml", &right)]), []);
    // Two files that say so know something.
    let two = of_effects(&[pool, ("job.yaml", &wrong), ("other.yaml", &wrong)]);
    assert_eq!(two, [Severity::Note, Severity::Note]);
    // So does a pool.
    let executes = POOL.replace("NoSchedule", "NoExecute");
    let files = [
        ("a/pools.yaml", POOL),
        ("a/job.yaml", &wrong),
        ("b/pools.yaml", &executes),
        ("b/job.yaml", JOB),
    ];
    assert_eq!(of_effects(&files), [Severity::Note]);
    // A pool of another folder bears witness, too, unless the entry beside this one tolerates its taint.
    let away = [
        ("a/pools.yaml", POOL),
        ("a/job.yaml", JOB),
        ("b/job.yaml", &wrong),
    ];
    assert_eq!(of_effects(&away), [Severity::Warning]);
    let both = wrong.replace(
        "[{",
        "[{key: example.com/dedicated, operator: Exists, effect: NoSchedule}, {",
    );
    let away = [
        ("a/pools.yaml", POOL),
        ("a/job.yaml", JOB),
        ("b/job.yaml", both.as_str()),
    ];
    assert_eq!(of_effects(&away), []);
}

#[test]
fn a_custom_resource_without_a_list_has_no_tolerations_where_the_operator_copies_it() {
    let of = |group: &str, kind: &str| {
        format!(
            "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: main, namespace: monitoring}}\nspec:\n  nodeSelector: {{acme.com/pool: gpu}}\n"
        )
    };
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    \
        metadata: {labels: {acme.com/pool: gpu}}\n    spec:\n      \
        nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}\n      \
        taints: [{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]\n";
    let rules = |object: &str| {
        let files = [("pool.yaml", pool), ("object.yaml", object)];
        let report = crate::builtin::judged(
            &crate::builtin::RULES,
            &files,
            kubetaint::verify::SUPPRESSIONS,
        );
        let rules = report.findings.into_iter().map(|one| one.rule);
        rules.collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    let prometheus = of("monitoring.coreos.com/v1", "Prometheus");
    assert_eq!(rules(&prometheus), ["selected-pool-not-tolerated"]);
    // Nobody knows what this operator adds.
    assert_eq!(rules(&of("monitoring.rhobs/v1", "Prometheus")), none);
}
