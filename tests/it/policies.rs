//! Policies that add tolerations to the pods of others: whose pods they change, and which taints they may answer.

use crate::builtin::{RULES, judged};
use kubetaint::verify;

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    \
    metadata: {labels: {acme.com/pool: gpu}}\n    spec:\n      \
    nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}\n      \
    taints: [{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]\n";

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, labels: {kueue.x-k8s.io/queue-name: q}}\n\
    spec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      \
    nodeSelector: {acme.com/pool: gpu}\n      containers: [{name: a, image: a}]\n";

/// The rules with findings if this policy is at this path.
fn found(path: &str, policy: &str) -> Vec<String> {
    let files = [("pool.yaml", POOL), ("web.yaml", WEB), (path, policy)];
    let report = judged(&RULES, &files, verify::SUPPRESSIONS);
    report.findings.into_iter().map(|one| one.rule).collect()
}

const FOUND: [&str; 1] = ["selected-pool-not-tolerated"];
const NONE: [&str; 0] = [];

fn kyverno(list: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: add-tolerations}}\nspec:\n  rules:\n    \
         - name: add-tolerations\n      match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n      \
         mutate:\n        patchStrategicMerge:\n          spec:\n            +(tolerations): {list}\n"
    )
}

fn gatekeeper(namespace: &str, location: &str) -> String {
    format!(
        "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nmetadata: {{name: tolerations}}\nspec:\n  \
         applyTo: [{{groups: [''], kinds: [Pod], versions: [v1]}}]\n  match: {{namespaces: ['{namespace}']}}\n  \
         location: {location}\n  parameters: {{assign: {{value: [{{key: acme.com/gpu, operator: Exists}}]}}}}\n"
    )
}

#[test]
fn a_policy_answers_only_the_taints_that_its_entries_match() {
    let fits = kyverno("[{key: acme.com/gpu, operator: Exists}]");
    assert_eq!(found("policy.yaml", &fits), NONE);
    let other = kyverno("[{key: acme.com/spot, operator: Exists}]");
    assert_eq!(found("policy.yaml", &other), FOUND);
    let unknown = kyverno("[{key: '{{ request.object.metadata.labels.team }}', operator: Exists}]");
    assert_eq!(found("policy.yaml", &unknown), NONE);
    let listed = kyverno("'{{ tolerations }}'");
    assert_eq!(found("policy.yaml", &listed), NONE);
}

#[test]
fn a_policy_that_patches_by_a_text_may_add_anything() {
    let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: a}\nspec:\n  rules:\n    - name: a\n      \
        mutate:\n        patchesJson6902: |-\n          - {op: add, path: /spec/tolerations/-, value: {key: x}}\n";
    assert_eq!(found("policy.yaml", policy), NONE);
}

#[test]
fn a_policy_of_another_example_changes_nothing_here() {
    let fits = kyverno("[{key: acme.com/gpu, operator: Exists}]");
    assert_eq!(found("examples/policies/policy.yaml", &fits), FOUND);
}

#[test]
fn a_policy_changes_only_the_pods_of_its_namespaces_and_only_its_field() {
    assert_eq!(
        found("p.yaml", &gatekeeper("shop", "spec.tolerations")),
        NONE
    );
    assert_eq!(
        found("p.yaml", &gatekeeper("billing", "spec.tolerations")),
        FOUND
    );
    assert_eq!(
        found("p.yaml", &gatekeeper("sh*", "spec.tolerations")),
        NONE
    );
    assert_eq!(found("p.yaml", &gatekeeper("shop", "spec.affinity")), FOUND);
}

#[test]
fn a_flavor_answers_only_the_taints_that_its_entries_match() {
    let flavor = |key: &str| {
        format!(
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {{name: a}}\nspec:\n  \
             tolerations: [{{key: {key}, operator: Exists}}]\n"
        )
    };
    assert_eq!(found("flavor.yaml", &flavor("acme.com/gpu")), NONE);
    assert_eq!(found("flavor.yaml", &flavor("acme.com/spot")), FOUND);
}
