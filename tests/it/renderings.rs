//! Rendered manifests: standard input that names its templates.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used)]

use crate::program::{repo, run_with_input};

const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata:
      labels: {pool: gpu}
    spec:
      taints:
        - {key: example.com/gpu, value: a, effect: NoSchedule}
";

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

const TEMPLATE: &str = "{{- if .Values.enabled }}
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}
spec:
  containers: [{name: a}]
  nodeSelector:
    pool: gpu
  tolerations:
    {{- toYaml .Values.tolerations | nindent 4 }}
    - key: example.com/other
      operator: Exists
      value: w
{{- end }}
";

/// What helm prints for it.
const PRINTED: &str = "---
# Source: web/templates/pod.yaml
apiVersion: v1
kind: Pod
metadata:
  name: release
spec:
  containers: [{name: a}]
  nodeSelector:
    pool: gpu
  tolerations:
    - effect: NoSchedule
      key: x
      operator: Exist
    - key: example.com/other
      operator: Exists
      value: w
";

const ARGUMENTS: [&str; 5] = ["check", "--format", "concise", "-", "infra"];

#[test]
fn findings_in_standard_input_lead_to_the_templates_that_it_names() {
    let folder = repo(&[
        ("infra/teams/a/pools.yaml", POOL),
        ("charts/web/Chart.yaml", CHART),
        ("charts/web/templates/pod.yaml", TEMPLATE),
    ]);
    let result = run_with_input(folder.path(), &ARGUMENTS, PRINTED);
    assert_eq!(
        (result.code, result.places()),
        (
            1,
            vec![
                "<stdin>:10:5: note[selected-pool-not-tolerated",
                "<stdin>:14:7: error[unknown-operator",
                "<stdin>:17:7: error[value-with-exists",
            ]
        )
    );
    let lines: Vec<&str> = result.out.lines().collect();
    for (line, place) in lines.iter().zip(["9:5", "11:5", "14:7"]) {
        let told = format!("charts/web/templates/pod.yaml:{place} rendered from this template)");
        assert!(line.ends_with(&told), "{line}");
    }
    let both = ["check", "--format", "json", "-", "infra"];
    let report = run_with_input(folder.path(), &both, PRINTED).json();
    let related = &report["findings"][2]["related"][0];
    assert_eq!(related["file"], "charts/web/templates/pod.yaml");
    assert_eq!(
        related["start"]["offset"],
        TEMPLATE.find("value: w").unwrap()
    );
    // A report of this template's findings has them, too.
    let only = [
        "check", "--format", "concise", "-", "infra", "--only", "charts",
    ];
    assert_eq!(
        run_with_input(folder.path(), &only, PRINTED).places().len(),
        3
    );
}

#[test]
fn a_template_that_is_not_in_the_repository_or_in_two_charts_is_not_named() {
    for (path, more) in [
        ("charts/api/Chart.yaml", "name: api\n"),
        ("other/Chart.yaml", CHART),
    ] {
        let folder = repo(&[
            ("infra/pools.yaml", POOL),
            ("charts/web/Chart.yaml", CHART),
            (path, more),
            ("other/templates/pod.yaml", TEMPLATE),
            ("charts/web/templates/odd.yaml", TEMPLATE),
            (
                "charts/web/templates/pod.yaml",
                if path.starts_with("other") {
                    TEMPLATE
                } else {
                    ""
                },
            ),
        ]);
        let odd = PRINTED.replace("web/templates/pod.yaml", "web/../../../etc/passwd");
        for text in [odd.as_str(), PRINTED] {
            let result = run_with_input(folder.path(), &ARGUMENTS, text);
            assert_eq!(result.places().len(), 3, "{}", result.err);
            let named = result.out.contains("rendered from this template");
            // The empty template is known, but none of its lines are printed.
            assert_eq!(
                named,
                path == "charts/api/Chart.yaml" && text == PRINTED,
                "{path}: {}",
                result.out
            );
        }
    }
}

#[test]
fn standard_input_is_compared_with_the_pools_of_one_part_of_a_repository() {
    for (paths, expected) in [
        (["infra/deep/a/pools.yaml", "infra/deep/b/pools.yaml"], 3),
        (["examples/a/pools.yaml", "examples/b/pools.yaml"], 2),
    ] {
        let folder = repo(&[(paths[0], POOL), (paths[1], POOL)]);
        let result = run_with_input(
            folder.path(),
            &["check", "--format", "concise", "-", "."],
            PRINTED,
        );
        assert_eq!(result.places().len(), expected, "{}", result.out);
    }
}
