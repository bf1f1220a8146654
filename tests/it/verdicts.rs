//! Verdicts over small in-memory repositories: expected findings, their places, and what must stay undecided.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::builtin::{RULES, judged, rules_beside};
use crate::samples::{BLOCKED, POOL};
use kubetaint::finding::Report;
use kubetaint::rule::RuleSet;
use kubetaint::source::Source;
use kubetaint::verify;

fn report_with(files: &[(&str, &str)], own: &[(&str, &str)]) -> Report {
    let own: Vec<Source> = own
        .iter()
        .map(|(name, text)| Source::new(format!("own/{name}"), *text))
        .collect();
    checked(&rules_beside(&own), files)
}

fn checked(rules: &RuleSet, files: &[(&str, &str)]) -> Report {
    let report = judged(rules, files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    report
}

fn report(files: &[(&str, &str)]) -> Report {
    checked(&RULES, files)
}

/// `severity rule path:line:column` of all findings.
fn places(report: &Report) -> Vec<String> {
    report
        .findings
        .iter()
        .map(|finding| {
            let source = &report.sources[&finding.span.source];
            let at = source.position(finding.span.start);
            format!(
                "{} {} {}:{}:{}",
                finding.severity, finding.rule, source.path, at.line, at.column
            )
        })
        .collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_selector_without_a_toleration_is_found() {
    let files = [("pool.yaml", POOL), ("web.yaml", BLOCKED)];
    assert_eq!(
        places(&report(&files)),
        ["warning selected-pool-not-tolerated web.yaml:7:22"]
    );
}

#[test]
fn flux_without_a_path_patches_everything() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec:
  patches:
    - target: {kind: Deployment}
      patch: |
        - {op: add, path: /spec/template/spec/tolerations, value: [{operator: Exists}]}
";
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", flux),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
    let elsewhere = flux.replace("spec:\n", "spec:\n  path: ./elsewhere\n");
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", &elsewhere),
    ];
    assert_eq!(places(&report(&files)).len(), 1);
    let filled_in = elsewhere.replace("./elsewhere", "./${folder}");
    let files = [
        ("pool.yaml", POOL),
        ("web.yaml", BLOCKED),
        ("flux/apps.yaml", &filled_in),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

#[test]
fn a_second_kustomization_in_a_folder_does_not_hide_the_first() {
    let overlay = "kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
resources: [../base]
patches:
  - target: {kind: Deployment, name: web}
    patch: |
      - {op: add, path: /spec/template/spec/tolerations, value: [{operator: Exists}]}
";
    let base = "kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
resources: [../web]
";
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {path: ./elsewhere}
";
    let files = [
        ("base/kustomization.yaml", base),
        ("base/sync.yaml", flux),
        ("overlay/kustomization.yaml", overlay),
        ("pool.yaml", POOL),
        ("web/web.yaml", BLOCKED),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

/// `BLOCKED` with a RuntimeClass.
fn with_class() -> String {
    BLOCKED.replace(
        "      nodeSelector",
        "      runtimeClassName: gpu\n      nodeSelector",
    )
}

fn class(tolerations: &str) -> String {
    format!(
        "apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {{name: gpu}}
handler: gpu
scheduling: {{tolerations: {tolerations}}}
"
    )
}

fn not_judged(report: &Report) -> Vec<(&str, u32)> {
    let counts = &report.counts.not_judged;
    counts
        .iter()
        .map(|(reason, times)| (reason.as_str(), *times))
        .collect()
}

#[test]
fn a_runtime_class_whose_tolerations_are_a_template_leaves_the_pods_open() {
    let web = with_class();
    let literal = class("[{key: example.com/other, operator: Exists}]");
    let files = [
        ("a.yaml", literal.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    assert_eq!(
        places(&report(&files)),
        ["warning selected-pool-not-tolerated web.yaml:8:22"]
    );
    let templated = class("[\"${MORE}\"]");
    let files = [
        ("a.yaml", templated.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    assert_eq!(places(&report(&files)), NOTHING);
}

#[test]
fn two_runtime_classes_of_one_name_leave_the_pods_open() {
    let web = with_class();
    let (one, other) = (
        class("[{key: example.com/gpu, operator: Exists}]"),
        class("[{key: example.com/other, operator: Exists}]"),
    );
    let files = [
        ("a.yaml", one.as_str()),
        ("b.yaml", other.as_str()),
        ("pool.yaml", POOL),
        ("web.yaml", &web),
    ];
    let report = report(&files);
    assert_eq!(places(&report), NOTHING);
    assert_eq!(
        not_judged(&report),
        [("workloads whose RuntimeClass could not be determined", 1)]
    );
}

#[test]
fn a_runtime_class_that_is_not_there_is_counted() {
    let web = with_class();
    let files = [("pool.yaml", POOL), ("web.yaml", web.as_str())];
    assert_eq!(
        not_judged(&report(&files)),
        [("workloads whose RuntimeClass could not be determined", 1)]
    );
}

#[test]
fn an_operator_that_is_filled_in_later_is_counted() {
    let pod = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: a, image: b}]
  tolerations: [{key: example.com/x, operator: \"${OPERATOR}\"}]
";
    assert_eq!(
        not_judged(&report(&[("web.yaml", pod)])),
        [("objects with values that could not be determined", 1)]
    );
}

#[test]
fn an_inventory_that_cannot_be_read_makes_no_cluster_complete() {
    let config = "clusters: {all: {paths: [\"**\"], inventory: [nodes.yaml]}}\n";
    let nodes = "apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {pool: gpu}}
spec: {taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]}
";
    let severities = |nodes: &str| {
        let files = [
            (".kubetaint.yaml", config),
            ("nodes.yaml", nodes),
            ("pool.yaml", POOL),
            ("web.yaml", BLOCKED),
        ];
        let mut places = places(&report(&files));
        places.retain(|place| place.contains("selected-pool-not-tolerated"));
        places
    };
    let note = ["warning selected-pool-not-tolerated web.yaml:7:22"];
    let error = ["error selected-pool-not-tolerated web.yaml:7:22"];
    assert_eq!(severities(nodes), error);
    assert_eq!(
        severities(&format!("{nodes}---\nkind: Node\nspec: [\n")),
        note
    );
}

#[test]
fn a_bad_taint_in_a_kubeadm_patch_is_marked_in_the_file() {
    let kind = "apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster
nodes:
  - role: worker
    kubeadmConfigPatches:
      - |

        kind: JoinConfiguration
        nodeRegistration:
          taints:
            - key: example.com/gpu
              effect: NoScheduling
";
    assert_eq!(
        places(&report(&[("kind.yaml", kind)])),
        ["error invalid-taint kind.yaml:12:15"]
    );
}

/// A user-defined rule about Pods.
fn own_rule(condition: &str, message: &str) -> String {
    format!(
        "id: own
title: own
severity: warning
scope: workload
when: '{condition}'
at: workload
message: '{message}'
why: It is so.
examples:
  - bad: 'a # <- finding'
  - good: 'a'
"
    )
}

fn labelled(labels: &str) -> String {
    format!(
        "apiVersion: v1
kind: Pod
metadata: {{name: web, labels: {labels}}}
spec: {{containers: [{{name: a, image: b}}]}}
"
    )
}

#[test]
fn a_label_with_a_value_that_is_not_known_is_there() {
    let found = |condition: &str, labels: &str| {
        let rule = own_rule(condition, "found");
        let report = report_with(&[("web.yaml", &labelled(labels))], &[("own.yaml", &rule)]);
        report.findings.len()
    };
    let (unknown, known) = ("{team: \"${TEAM}\"}", "{team: a}");
    assert_eq!(found("!(\"team\" in workload.labels)", unknown), 0);
    assert_eq!(found("\"team\" in workload.labels", unknown), 1);
    assert_eq!(found("workload.labels.size() == 0", unknown), 0);
    assert_eq!(found("workload.labels[\"team\"] != \"a\"", unknown), 0);
    assert_eq!(found("!has(workload.labels.team)", unknown), 0);
    assert_eq!(found("!has(workload.labels.team)", "{}"), 1);
    assert_eq!(found("workload.labels.team == \"a\"", known), 1);
    assert_eq!(found("workload.labels == {\"team\": \"a\"}", known), 1);
    assert_eq!(found("workload.labels == {\"team\": \"b\"}", known), 0);
}

#[test]
fn keys_of_labels_come_in_their_order() {
    let rule = own_rule("true", "{workload.labels.map(k, k)}");
    let labels = "{h: x, b: x, f: x, d: x, a: x, g: x, c: x, e: x}";
    let report = report_with(&[("web.yaml", &labelled(labels))], &[("own.yaml", &rule)]);
    assert_eq!(report.findings[0].message, "a, b, c, d, e, f, g, h");
}

#[test]
fn what_no_rule_could_decide_is_counted_once() {
    let rule = own_rule("workload.labels[\"team\"] == \"a\"", "found");
    let counts = |labels: &str| {
        let files = [("web.yaml", labelled(labels))];
        let files = [(files[0].0, files[0].1.as_str())];
        let report = report_with(&files, &[("own.yaml", &rule)]);
        report.counts.not_judged.values().sum::<u32>()
    };
    assert_eq!(counts("{team: \"${TEAM}\"}"), 1);
    // A missing label is not an unknown one.
    assert_eq!(counts("{}"), 0);
}

#[test]
fn a_workload_that_meets_a_taint_with_an_unknown_value_is_counted() {
    let pool = POOL.replace("value: present", "value: \"${VALUE}\"");
    let web = BLOCKED.replace(
        "      containers",
        "      tolerations: [{key: example.com/gpu, value: present}]\n      containers",
    );
    let report = report(&[("pool.yaml", &pool), ("web.yaml", &web)]);
    assert_eq!(places(&report), NOTHING);
    assert_eq!(
        not_judged(&report),
        [
            ("node pools with unknown taints", 1),
            (
                "workloads that depend on node pools with unknown taints or labels",
                1
            )
        ]
    );
    let templated = web.replace("value: present", "value: \"${OTHER}\"");
    let report = self::report(&[("pool.yaml", &pool), ("web.yaml", &templated)]);
    assert_eq!(
        not_judged(&report),
        [
            ("node pools with unknown taints", 1),
            ("objects with values that could not be determined", 1)
        ]
    );
}

#[test]
fn long_lists_many_taints_and_as_many_pools_as_workloads_are_judged() {
    use std::fmt::Write as _;
    let many = 2_000;
    let mut pod = labelled("{}").replace(
        "spec: {containers: [{name: a, image: b}]}",
        "spec:\n  containers: [{name: a, image: b}]\n  tolerations:",
    );
    let mut nodes = String::new();
    let mut pods = String::new();
    let mut node =
        "apiVersion: v1\nkind: Node\nmetadata: {name: big}\nspec:\n  taints:\n".to_owned();
    for at in 0..many {
        writeln!(pod, "    - {{key: example.com/x{at}, operator: Exists}}").unwrap();
        writeln!(node, "    - {{key: example.com/t{at}, effect: NoSchedule}}").unwrap();
        writeln!(
            nodes,
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{at}, labels: {{example.com/rack: r{at}}}}}"
        )
        .unwrap();
        let small = labelled("{}").replace("name: web", &format!("name: web{at}"));
        write!(pods, "---\n{small}").unwrap();
    }
    assert_eq!(report(&[("web.yaml", &pod)]).counts.workloads, 1);
    assert_eq!(report(&[("node.yaml", &node)]).counts.pools, 1);
    let both = report(&[("nodes.yaml", &nodes), ("pods.yaml", &pods)]);
    assert_eq!((both.counts.pools, both.counts.workloads), (many, many));
}

#[test]
fn a_known_key_is_missed_only_as_far_as_pools_are_known() {
    let pod = labelled("{}").replace(
        "spec: {",
        "spec: {tolerations: [{key: example.com/gpus, operator: Exists}], ",
    );
    let message = |config: &str| {
        let files = [
            (".kubetaint.yaml", config),
            ("pool.yaml", POOL),
            ("web.yaml", &pod),
        ];
        let mut findings = report(&files).findings;
        findings.retain(|finding| finding.rule == "toleration-key-near-miss");
        findings.remove(0).message
    };
    let whole = "clusters: {all: {paths: [\"**\"], complete: true}}\n";
    assert!(
        message(whole).starts_with("no pool has "),
        "{}",
        message(whole)
    );
    let part = "clusters: {all: {paths: [\"**\"]}}\n";
    assert!(message(part).starts_with("no known pool has "));
}

#[test]
fn node_affinity_beside_containers_selects_nothing() {
    let affinity = "      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [gpu]}]}]
      containers";
    let web = BLOCKED.replace(
        "      nodeSelector: {pool: gpu}\n      containers",
        affinity,
    );
    let found = places(&report(&[("pool.yaml", POOL), ("web.yaml", &web)]));
    assert!(
        !found
            .iter()
            .any(|one| one.contains("selected-pool-not-tolerated")),
        "{found:?}"
    );
}

#[test]
fn a_host_network_that_is_text_is_rejected() {
    let pod =
        |value: &str| labelled("{}").replace("spec: {", &format!("spec: {{hostNetwork: {value}, "));
    assert_eq!(
        places(&report(&[("web.yaml", &pod("\"true\""))])),
        ["error mistyped-field web.yaml:4:8"]
    );
    for fine in ["true", "yes", "~", "\"${ON}\""] {
        assert_eq!(
            places(&report(&[("web.yaml", &pod(fine))])),
            NOTHING,
            "{fine}"
        );
    }
}

#[test]
fn a_machine_takes_its_taints_from_its_own_namespace() {
    let machines = |namespace: &str, key: &str| {
        format!(
            "---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {{name: gpu, namespace: {namespace}}}
spec:
  template:
    spec:
      bootstrap:
        configRef: {{kind: KubeadmConfigTemplate, name: gpu}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {{name: gpu, namespace: {namespace}}}
spec:
  template:
    spec:
      joinConfiguration:
        nodeRegistration:
          taints: [{{key: example.com/{key}, effect: NoSchedule}}]
"
        )
    };
    let rule = own_rule("true", "{pools.map(p, p.taints.map(t, t.key))}");
    let rule = rule
        .replace("scope: workload", "scope: pool")
        .replace("at: workload", "at: pool")
        .replace(
            "pools.map(p, p.taints.map(t, t.key))",
            "pool.taints.map(t, t.key)",
        );
    let both = machines("a", "one") + &machines("b", "other");
    let config = "clusters: {all: {paths: [\"**\"]}}\n";
    let report = report_with(
        &[(".kubetaint.yaml", config), ("all.yaml", &both)],
        &[("own.yaml", &rule)],
    );
    let messages: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "own")
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(messages, ["example.com/one", "example.com/other"]);
}

/// The message of a user-defined rule that always matches, for a pod spec or for each of its entries.
fn says(scope: &str, message: &str, files: &[(&str, &str)]) -> Vec<String> {
    let rule = own_rule("true", message)
        .replace("scope: workload", &format!("scope: {scope}"))
        .replace("at: workload", &format!("at: {scope}"));
    let mut findings = report_with(files, &[("own.yaml", &rule)]).findings;
    findings.retain(|finding| finding.rule == "own");
    findings
        .into_iter()
        .map(|finding| finding.message)
        .collect()
}

fn pod_with(spec: &str) -> String {
    labelled("{}").replace("spec: {", &format!("spec: {{{spec}, "))
}

#[test]
fn a_rule_sees_in_whose_shadow_an_entry_is() {
    let pod = pod_with(
        "tolerations: [{key: a, operator: Exists}, {key: a, effect: NoSchedule, value: b}, \
         {key: a, effect: NoExecute, value: b, tolerationSeconds: 9}, {key: c, operator: Exists}]",
    );
    assert_eq!(
        says(
            "toleration",
            "{toleration.key}: {toleration.shadowedBy.map(t, t.key)}",
            &[("web.yaml", &pod)]
        ),
        ["a: ", "a: ", "a: a", "c: "]
    );
}

#[test]
fn a_rule_sees_the_qos_class_and_what_belongs_to_the_cluster() {
    let said = |resources: &str, priority: &str| {
        let pod = pod_with(&format!("priorityClassName: {priority}"))
            .replace("image: b}", &format!("image: b, resources: {resources}}}"));
        let message = "{workload.qosClass} {workload.system} {workload.extendedResources}";
        says("workload", message, &[("web.yaml", &pod)]).join("")
    };
    assert_eq!(said("{}", "high"), "BestEffort false ");
    assert_eq!(
        said(
            "{limits: {cpu: 1, memory: 1Gi, example.com/x: 2}}",
            "system-node-critical"
        ),
        "Guaranteed true example.com/x"
    );
    assert_eq!(said("{requests: {cpu: 100m}}", "high"), "Burstable false ");
}

/// A Namespace with these annotations, and `BLOCKED` in it.
fn in_namespace(annotations: &str) -> (String, String) {
    let namespace = format!(
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n  annotations: {{{annotations}}}\n"
    );
    (
        namespace,
        BLOCKED.replace("{name: web}", "{name: web, namespace: team}"),
    )
}

#[test]
fn default_tolerations_of_a_namespace_are_merged() {
    let found = |config: &str, tolerations: &str| {
        let (namespace, web) = in_namespace(&format!(
            "scheduler.alpha.kubernetes.io/defaultTolerations: '{tolerations}'"
        ));
        let files = [
            (".kubetaint.yaml", config),
            ("ns.yaml", namespace.as_str()),
            ("pool.yaml", POOL),
            ("web.yaml", web.as_str()),
        ];
        places(&report(&files))
    };
    let fits = "[{\"key\": \"example.com/gpu\", \"operator\": \"Exists\"}]";
    let other = "[{\"key\": \"example.com/other\", \"operator\": \"Exists\"}]";
    let declared = "admission: [PodTolerationRestriction]\n";
    let blocked = ["warning selected-pool-not-tolerated web.yaml:7:22"];
    // Whether or not the plugin runs, the first toleration does not match and the second may.
    for config in ["{}", declared] {
        assert_eq!(found(config, other), blocked, "{config}");
        assert_eq!(found(config, fits), NOTHING, "{config}");
    }
    assert_eq!(found(declared, ""), blocked);
}

#[test]
fn a_runtime_class_without_scheduling_adds_nothing() {
    let class =
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: gpu}\nhandler: gpu\n";
    let web = with_class();
    let files = [
        ("a.yaml", class),
        ("pool.yaml", POOL),
        ("web.yaml", web.as_str()),
    ];
    let report = report(&files);
    assert_eq!(
        places(&report),
        ["warning selected-pool-not-tolerated web.yaml:8:22"]
    );
    assert_eq!(not_judged(&report), []);
}

/// A complete cluster that contains all files.
const COMPLETE: (&str, &str) = (
    ".kubetaint.yaml",
    "clusters: {all: {paths: [\"**\"], complete: true}}\n",
);

/// A Deployment that selects the pool but tolerates something else.
fn tolerates(key: &str) -> String {
    format!(
        "{BLOCKED}      tolerations: [{{key: {key}, operator: Equal, value: a, effect: NoSchedule}}]\n"
    )
}

#[test]
fn a_taint_that_a_script_sets_explains_a_toleration() {
    let app = tolerates("example.com/script");
    let orphan = "orphan-toleration";
    let with = |script: &str| {
        let files = [
            COMPLETE,
            ("pool.yaml", POOL),
            ("web.yaml", &app),
            ("setup.sh", script),
        ];
        places(&report(&files))
            .iter()
            .any(|found| found.contains(orphan))
    };
    assert!(with("echo no taint here\n"));
    assert!(with(
        "kubectl taint nodes a example.com/other=a:NoSchedule\n"
    ));
    assert!(!with(
        "kubectl taint nodes a example.com/script=a:NoSchedule\n"
    ));
    // The value is unknown, so it may be this one.
    assert!(!with(
        "kubectl taint nodes a example.com/script=$V:NoSchedule\n"
    ));
}

#[test]
fn what_a_command_says_accuses_nobody() {
    let script = "gcloud container node-pools create p --node-labels=pool=gpu \\\n  \
                  --node-taints=example.com/gpu=present:NoSchedule\n";
    let files = [("setup.sh", script), ("web.yaml", BLOCKED)];
    assert_eq!(places(&report(&files)), NOTHING);
    assert_eq!(report(&files).counts.pools, 0);
}

#[test]
fn a_taint_that_a_script_takes_off_may_not_be_there() {
    let with = |script: &str| {
        places(&report(&[
            COMPLETE,
            ("pool.yaml", POOL),
            ("web.yaml", BLOCKED),
            ("setup.sh", script),
        ]))
    };
    let blocked = |script: &str| {
        let rule = "selected-pool-not-tolerated";
        with(script).iter().any(|found| found.contains(rule))
    };
    for kept in [
        "echo no taint here\n",
        "kubectl taint nodes worker-1 example.com/gpu-\n",
        "kubectl taint nodes --all example.com/gpu:NoExecute-\n",
        "kubectl taint nodes --all example.com/other-\n",
        "kubectl taint nodes -l pool=cpu example.com/gpu-\n",
    ] {
        assert!(blocked(kept), "{kept}");
    }
    for removed in [
        "kubectl taint nodes --all example.com/gpu-\n",
        "kubectl taint nodes $NODE example.com/gpu:NoSchedule-\n",
        "kubectl taint nodes -l pool=gpu example.com/gpu=present:NoSchedule-\n",
    ] {
        assert!(!blocked(removed), "{removed}");
    }
}

#[test]
fn a_flag_that_a_later_one_replaces_and_an_effect_in_another_spelling_are_noticed() {
    const RULE: &str = "id: noticed
title: What reading pools noticed
severity: note
scope: notice
when: notice.kind == \"repeated-flag\" || notice.kind == \"effect-spelling\"
at: notice
message: '{notice.kind == \"repeated-flag\" ? [notice.flag, notice.lost, notice.both] : [notice.written, notice.meant]}'
help: none
why: none
examples:
  - bad: |
      a: b  # <- finding
  - good: |
      a: b
";
    let files = [
        (
            "setup.sh",
            "az aks nodepool add -n a --node-taints a=1:NoSchedule --node-taints b=2:NoSchedule\n\
             kubelet --register-with-taints=c:NoSchedule --register-with-taints=d:NoSchedule\n",
        ),
        (
            "group.yaml",
            "apiVersion: eks.services.k8s.aws/v1alpha1\nkind: Nodegroup\nmetadata: {name: a}\n\
             spec: {name: a, taints: [{key: a, effect: NoExecute}, {key: b, effect: NO_EXECUTE}]}\n",
        ),
    ];
    let report = report_with(&files, &[("noticed.yaml", RULE)]);
    let found: Vec<(&str, &str)> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "noticed")
        .map(|finding| {
            let source = &report.sources[&finding.span.source];
            (finding.message.as_str(), source.slice(finding.span))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("NoExecute, NO_EXECUTE", "NoExecute"),
            (
                "--node-taints, a=1:NoSchedule, a=1:NoSchedule,b=2:NoSchedule",
                "a=1:NoSchedule"
            ),
            (
                "--register-with-taints, c:NoSchedule, c:NoSchedule,d:NoSchedule",
                "c:NoSchedule"
            ),
        ]
    );
}

#[test]
fn a_patch_of_talos_may_allow_pods_on_control_planes() {
    let config = "clusters: {main: {paths: ['**'], complete: true}}\n";
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  \
               selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    \
               spec: {containers: [{name: a, image: a}]}\n";
    let nodes = "clusterName: home\nnodes:\n  - {hostname: one, ipAddress: 192.0.2.1, controlPlane: true}\n";
    let patched = format!(
        "{nodes}controlPlane:\n  patches:\n    - |-\n      cluster:\n        allowSchedulingOnMasters: true\n"
    );
    let found = |nodes: &str| {
        let report = report(&[
            (".kubetaint.yaml", config),
            ("talconfig.yaml", nodes),
            ("web.yaml", web),
        ]);
        places(&report)
    };
    assert_eq!(found(nodes), ["error unschedulable-workload web.yaml:3:18"]);
    assert_eq!(found(&patched), NOTHING);
}

#[test]
fn a_pod_template_is_judged_only_if_an_object_makes_pods_of_it() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    \
                metadata: {labels: {example.com/pool: gpu}}\n    spec:\n      taints:\n        \
                - {key: example.com/gpu, effect: NoSchedule}\n        \
                - {key: nvidia.com/gpu, effect: NoSchedule}\n        \
                - {key: cloud.google.com/gke-queued, value: 'true', effect: NoSchedule}\n";
    let template = |namespace: &str, tolerations: &str| {
        format!(
            "apiVersion: v1\nkind: PodTemplate\nmetadata: {{name: train{namespace}}}\ntemplate:\n  spec:\n    \
             nodeSelector: {{example.com/pool: gpu}}\n    tolerations: [{tolerations}]\n    containers:\n      \
             - {{name: a, image: b, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}\n"
        )
    };
    let request = |name: &str| {
        format!(
            "apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: ProvisioningRequest\n\
             metadata: {{name: later, namespace: ml}}\nspec:\n  podSets:\n    \
             - {{count: 1, podTemplateRef: {{name: {name}}}}}\n"
        )
    };
    let found = |template: &str, request: &str| {
        let files = [
            ("pool.yaml", pool),
            ("template.yaml", template),
            ("request.yaml", request),
        ];
        places(&report(&files))
    };
    let blocked = ["warning selected-pool-not-tolerated template.yaml:6:20"];
    let tolerates = "{key: example.com/gpu, operator: Exists}";
    assert_eq!(found(&template("", ""), &request("train")), blocked);
    assert_eq!(
        found(&template(", namespace: ml", ""), &request("train")),
        blocked
    );
    // What the autoscaler and an admission plugin may add is nobody's to write.
    assert_eq!(found(&template("", tolerates), &request("train")), NOTHING);
    assert_eq!(found(&template("", ""), &request("other")), NOTHING);
    assert_eq!(
        found(&template(", namespace: web", ""), &request("train")),
        NOTHING
    );
    assert_eq!(found(&template("", ""), ""), NOTHING);
}

#[test]
fn a_pool_with_unknown_labels_that_keeps_the_pods_out_hides_no_pool_that_they_select() {
    let pool = |name: &str, labels: &str, key: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    \
             metadata: {{labels: {labels}}}\n    spec:\n      taints: [{{key: {key}, value: a, effect: NoSchedule}}]\n"
        )
    };
    let app = |tolerations: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template:\n    spec:\n      \
             nodeSelector: {{example.com/tier: system}}\n      tolerations: [{tolerations}]\n      \
             containers: [{{name: a, image: b}}]\n"
        )
    };
    let found = |key: &str, tolerations: &str| {
        let system = pool("system", "{example.com/tier: system}", "example.com/system");
        let files = [
            ("platform/core/pools.yaml", system),
            (
                "platform/tenants/pools.yaml",
                pool("tenant", "\"${labels}\"", key),
            ),
            ("platform/tenants/app.yaml", app(tolerations)),
        ];
        let files = files.each_ref().map(|(at, text)| (*at, text.as_str()));
        places(&report(&files))
    };
    let told = ["note selected-pool-not-tolerated platform/tenants/app.yaml:7:22"];
    assert_eq!(found("example.com/tenant", ""), told);
    let system = "{key: example.com/system, operator: Exists}";
    assert_eq!(found("example.com/tenant", system), NOTHING);
    // The pods may run on the other pool.
    let tenant = "{key: example.com/tenant, operator: Exists}";
    assert_eq!(found("example.com/tenant", tenant), NOTHING);
    assert_eq!(found("example.com/tenant", "{operator: Exists}").len(), 1);
    assert_eq!(found("\"${key}\"", ""), NOTHING);
}

#[test]
fn pools_that_gke_makes_by_itself_never_have_the_name_of_a_declared_one() {
    let found = |pool: &str, tolerations: &str| {
        let cluster = "resource \"google_container_cluster\" \"a\" {\n  name = \"a\"\n  remove_default_node_pool = true\n  \
                       cluster_autoscaling {\n    enabled = true\n  }\n}\n\
                       resource \"google_container_node_pool\" \"batch\" {\n  name = \"batch\"\n  \
                       cluster = google_container_cluster.a.name\n  node_config {\n    taint {\n      \
                       key = \"example.com/batch\"\n      value = \"a\"\n      effect = \"NO_SCHEDULE\"\n    }\n  }\n}\n";
        let job = format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec:\n  template:\n    spec:\n      \
             nodeSelector: {{cloud.google.com/gke-nodepool: {pool}}}\n      tolerations: [{tolerations}]\n      \
             containers: [{{name: a, image: b}}]\n"
        );
        let files = [("main.tf", cluster), ("job.yaml", &job)];
        places(&report(&files))
    };
    assert_eq!(
        found("batch", ""),
        ["warning selected-pool-not-tolerated job.yaml:7:22"]
    );
    assert_eq!(
        found("batch", "{key: example.com/batch, operator: Exists}"),
        NOTHING
    );
    assert_eq!(found("nap-e2-standard-1", ""), NOTHING);
}

#[test]
fn the_pool_of_a_cluster_of_a_blueprint_does_not_answer_for_a_pool_with_another_name() {
    let blueprint = |name: &str| {
        format!(
            "blueprint_name: sky\nvars: {{deployment_name: sky}}\ndeployment_groups:\n- group: primary\n  modules:\n  \
             - id: cluster\n    source: modules/scheduler/gke-cluster\n    settings: {{{name}system_node_pool_taints: []}}\n  \
             - id: batch\n    source: modules/compute/gke-node-pool\n    use: [cluster]\n    settings:\n      name: batch\n      \
             taints: [{{key: example.com/batch, value: a, effect: NO_SCHEDULE}}]\n"
        )
    };
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
               nodeSelector: {cloud.google.com/gke-nodepool: batch}\n      containers: [{name: a, image: b}]\n";
    let found = |name: &str| {
        let blueprint = blueprint(name);
        places(&report(&[
            ("sky/blueprint.yaml", &blueprint),
            ("sky/job.yaml", job),
        ]))
    };
    assert_eq!(
        found(""),
        ["warning selected-pool-not-tolerated sky/job.yaml:7:22"]
    );
    // A pool with a name that is not read may have any.
    assert_eq!(found("system_node_pool_name: $(vars.pool), "), NOTHING);
}
