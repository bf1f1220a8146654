//! Templates: mistakes in their text are found at the line where they are written, and what their values decide is not.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::Report;
use kubetaint::verify;

const CHART: (&str, &str) = ("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n");

const NOTHING: [&str; 0] = [];

fn report(files: &[(&str, &str)]) -> Report {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    report
}

/// `severity rule path:line` of all errors and warnings.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let report = report(files);
    let findings = report
        .findings
        .iter()
        .filter(|finding| finding.severity.to_string() != "note");
    findings
        .map(|finding| {
            let source = &report.sources[&finding.span.source];
            let line = source.position(finding.span.start).line;
            format!(
                "{} {} {}:{line}",
                finding.severity, finding.rule, source.path
            )
        })
        .collect()
}

/// A chart template of a Deployment whose pod spec ends with these lines.
fn deployment(lines: &str) -> String {
    format!(
        "{{{{- if .Values.enabled }}}}
apiVersion: {{{{ include \"c.version\" . }}}}
kind: Deployment
metadata:
  name: {{{{ include \"c.name\" . }}}}
  labels:
    {{{{- include \"c.labels\" . | nindent 4 }}}}
spec:
  template:
    spec:
      containers:
      {{{{- range .Values.programs }}}}
      - name: {{{{ .name }}}}
        image: \"{{{{ .image }}}}:{{{{ .tag }}}}\"
      {{{{- end }}}}
{lines}{{{{- end }}}}
"
    )
}

/// What is found in the lines at the end of that pod spec, by line.
fn found_in(lines: &str) -> Vec<String> {
    let found = found(&[CHART, ("c/templates/a.yaml", &deployment(lines))]);
    let of_line = |one: String| {
        let (rest, line) = one.rsplit_once(':').unwrap();
        let line: usize = line.parse().unwrap();
        let rule = rest.rsplit_once(' ').unwrap().0.to_owned();
        format!("{rule} {}", line - 15)
    };
    found.into_iter().map(of_line).collect()
}

#[test]
fn literal_entries_in_a_template_are_judged() {
    assert_eq!(
        found_in("      tolerations:\n      - key: a\n        operator: Exist\n      - key: a b\n"),
        ["error unknown-operator 3", "error invalid-key 4"]
    );
}

#[test]
fn every_branch_is_judged() {
    assert_eq!(
        found_in(
            "      {{- if .Values.a }}
      tolerations:
      - {key: a, operator: Exist}
      {{- else if .Values.b }}
      tolerations:
      - {key: a, effect: NoExec}
      {{- else }}
      tolerations:
      - {key: a, operator: Exists, value: b}
      {{- end }}
"
        ),
        [
            "error unknown-operator 3",
            "error unknown-effect 6",
            "error value-with-exists 9"
        ]
    );
}

#[test]
fn branches_that_exclude_each_other_hold_no_key_twice() {
    for lines in [
        "      {{- if .Values.a }}\n      tolerations: []\n      {{- end }}\n      {{- if .Values.b }}\n      tolerations: []\n      {{- end }}\n",
        "      {{- with .Values.a }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- else }}\n      tolerations: []\n      {{- end }}\n",
    ] {
        assert_eq!(found_in(lines), NOTHING, "{lines}");
    }
    assert_eq!(
        found_in(
            "      tolerations: []\n      {{- with .Values.a }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n"
        ),
        ["warning duplicate-yaml-key 3"]
    );
}

#[test]
fn a_list_that_a_condition_writes_again_is_judged_and_both_are_told_with_that_condition() {
    let lines = "      tolerations:
      - {key: node-role.kubernetes.io/control-plane, effect: NoExec}
      {{- with .Values.a }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
";
    let of = |values: Option<&str>, lines: &str| {
        let template = deployment(lines);
        let mut files = vec![CHART, ("c/templates/a.yaml", &*template)];
        files.extend(values.map(|values| ("c/values.yaml", values)));
        let report = report(&files);
        let told = report.findings.iter();
        let told = told.filter(|one| one.severity.to_string() != "note");
        let told = told.map(|one| format!("{} {}: {}", one.severity, one.rule, one.message));
        told.collect::<Vec<_>>()
    };
    let rejected = |told: &[String]| told[0].contains("unknown-effect");
    let told = of(Some("a: [] # tolerations\n"), lines);
    assert!(rejected(&told), "{told:?}");
    assert_eq!(
        told[1..],
        [
            "warning duplicate-yaml-key: when `a` is set, key `tolerations` is written twice in the same map, and only the last one counts"
        ]
    );
    assert_eq!(of(None, lines)[1..], told[1..], "a chart without values");
    // What is not known to hold is no error.
    for (values, condition, severity) in [
        ("a: [{key: tolerations}]\n", ".Values.a", "error"),
        (
            "a: [] # tolerations\n",
            "(.Values.a | default .Values.b)",
            "warning",
        ),
    ] {
        let told = of(Some(values), &lines.replace(".Values.a", condition));
        let start = format!("{severity} duplicate-yaml-key: when ");
        assert!(told[1].starts_with(&start), "{told:?}");
    }
    let unless = lines.replace("with .Values.a", "if not .Values.a");
    let told = of(Some("a: true # tolerations\n"), &unless);
    assert!(
        told[1].starts_with("warning duplicate-yaml-key: when `a` is not set, "),
        "{told:?}"
    );
}

#[test]
fn what_actions_print_is_neither_missing_nor_wrong() {
    for lines in [
        "      tolerations:\n{{ toYaml .Values.tolerations | indent 8 }}\n",
        "      tolerations: {{ toYaml .Values.tolerations | nindent 8 }}\n",
        "      {{- with .Values.tolerations }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n",
        "      tolerations:\n      - key: a\n        operator: Exists\n      {{- toYaml .Values.more | nindent 6 }}\n",
        "      tolerations:\n      {{- range .Values.tolerations }}\n      - key: {{ .key }}\n        operator: {{ .operator }}\n        effect: {{ .effect | default \"NoSchedule\" }}\n      {{- end }}\n",
        "      {{- include \"c.scheduling\" . | nindent 6 }}\n",
        "      tolerations:\n      - key: {{ .Values.key }}\n        {{- if .Values.value }}\n        operator: Equal\n        value: {{ .Values.value | quote }}\n        {{- else }}\n        operator: Exists\n        {{- end }}\n",
    ] {
        assert_eq!(found_in(lines), NOTHING, "{lines}");
    }
}

#[test]
fn lists_at_the_wrong_level_are_found() {
    assert_eq!(
        found_in("    tolerations:\n    - {key: a, operator: Exists}\n"),
        ["error misplaced-tolerations 1"]
    );
    assert_eq!(
        found_in("      tolerations:\n        key: a\n        operator: Exists\n"),
        ["error malformed-tolerations 1"]
    );
}

#[test]
fn a_mistake_in_a_template_of_the_chart_is_found_where_it_is_written() {
    let text = "{{- define \"t\" }}
tolerations:
- key: a
  operator: Exist
{{- end }}
apiVersion: v1
kind: Pod
metadata:
  name: a
spec:
  containers: []
  {{- include \"t\" . | nindent 2 }}
";
    assert_eq!(
        found(&[CHART, ("c/templates/a.yaml", text)]),
        ["error unknown-operator c/templates/a.yaml:4"]
    );
}

#[test]
fn templates_of_other_languages_are_read() {
    let jinja = "apiVersion: v1
kind: Pod
metadata:
  name: {{ name }}
spec:
  containers: []
{% if a is defined %}
  tolerations:
{% for one in all %}
  - key: {{ one }}
    operator: Exist
{% endfor %}
{% endif %}
";
    let terraform = "apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers: []
%{ if a ~}
  tolerations:
%{ for one in all ~}
  - key: ${one}
    operator: Exist
%{ endfor ~}
%{ endif ~}
";
    for (path, text) in [
        ("a.yaml.j2", jinja),
        ("a.yaml", jinja),
        ("a.yaml.tftpl", terraform),
        ("a.tpl", terraform),
    ] {
        assert_eq!(
            found(&[(path, text)]),
            [format!("error unknown-operator {path}:11")]
        );
    }
}

#[test]
fn a_template_that_terraform_fills_in_is_read_once() {
    let template = "apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers: []
  tolerations:
  - key: ${key}
    operator: Exist
";
    let main = "resource \"kubectl_manifest\" \"a\" {\n  yaml_body = templatefile(\"${path.module}/a.yaml.tftpl\", { name = \"web\", key = \"b\" })\n}\n";
    let files = [("main.tf", main), ("a.yaml.tftpl", template)];
    assert_eq!(found(&files), ["error unknown-operator a.yaml.tftpl:9"]);
    let report = report(&files);
    assert_eq!(report.counts.workloads, 1);
    assert_eq!(report.findings[0].object.name.as_deref(), Some("web"));
}

#[test]
fn a_broken_template_is_counted_with_what_is_wrong() {
    let text = deployment("      tolerations: []\n").replace("{{- end }}\n", "");
    let report = report(&[CHART, ("c/templates/a.yaml", &text)]);
    let told: Vec<&str> = report.not_judged.iter().map(|one| &*one.because).collect();
    assert_eq!(
        told,
        ["its template cannot be parsed: this block has no `end`"]
    );
}

#[test]
fn a_pool_in_a_template_has_the_taints_outside_of_conditions() {
    let text = "{{- if .Values.gpu }}
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      taints:
      - key: fixed
        effect: NoSchedule
      {{- if .Values.more }}
      - key: sometimes
        effect: NoSchedule
      {{- end }}
      {{- with .Values.taints }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}
";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: []\n  nodeSelector: {karpenter.sh/nodepool: gpu}\n  tolerations:\n  - {key: fixed, operator: Exists}\n";
    let files = [CHART, ("c/templates/a.yaml", text), ("pod.yaml", pod)];
    let report = report(&files);
    assert_eq!(report.counts.pools, 1);
    assert_eq!(found(&files), NOTHING);
}

#[test]
fn a_field_of_a_taint_that_a_condition_decides_is_unknown() {
    let text = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: gpu
spec:
  template:
    spec:
      taints:
      - key: a
        {{- if .Values.x }}
        value: b
        {{- end }}
        effect: NoSchedule
";
    let pod = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: []\n  nodeSelector: {{karpenter.sh/nodepool: gpu}}\n  tolerations:\n  - {{key: a, value: {value}, effect: NoSchedule}}\n"
        )
    };
    let config = (
        ".kubetaint.yaml",
        "clusters:\n  all:\n    paths: [\"**\"]\n    complete: true\n",
    );
    for value in ["b", "c"] {
        let files = [
            CHART,
            config,
            ("c/templates/a.yaml", text),
            ("pod.yaml", &pod(value)),
        ];
        assert_eq!(found(&files), NOTHING, "{value}");
    }
}

#[test]
fn comments_in_templates_suppress_findings() {
    assert_eq!(
        found_in(
            "      tolerations:\n      - key: a\n        operator: Exist # kubetaint: ignore[unknown-operator] meant\n"
        ),
        NOTHING
    );
}
