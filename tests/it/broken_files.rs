//! Files that cannot be parsed: broken ones, templates, and irrelevant ones.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::builtin::{RULES, judged};
use crate::program::{repo, run, run_with_input};
use kubetaint::finding::Report;
use kubetaint::verify;

/// A manifest that no tool can parse in any folder.
const BROKEN: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  tolerations:\n    - key: a: b\n";

/// A workload whose toleration the API server rejects.
const REJECTED: &str = "apiVersion: v1
kind: Pod
metadata: {name: b}
spec:
  containers: [{name: a, image: b}]
  tolerations:
    - {key: example.com/a, operator: Exists, value: c}
";

fn report(files: &[(&str, &str)]) -> Report {
    judged(&RULES, files, verify::SUPPRESSIONS)
}

/// `severity path:line` of all findings of a rule.
fn of_rule(report: &Report, rule: &str) -> Vec<String> {
    let mut found = Vec::new();
    for finding in report.findings.iter().filter(|one| one.rule == rule) {
        let source = &report.sources[&finding.span.source];
        let line = source.position(finding.span.start).line;
        found.push(format!("{} {}:{line}", finding.severity, source.path));
    }
    found
}

fn unparsable(files: &[(&str, &str)]) -> Vec<String> {
    of_rule(&report(files), "unparsable-manifest")
}

fn duplicates(text: &str) -> Vec<String> {
    of_rule(&report(&[("a.yaml", text)]), "duplicate-yaml-key")
}

#[test]
fn what_parses_in_a_template_is_judged_and_the_rest_is_counted() {
    let text = format!(
        "{{{{ if .Values.a }}}}\napiVersion: v1\n---\n{REJECTED}---\n{BROKEN}{{{{ end }}}}\n"
    );
    let report = report(&[("a.yaml", &text)]);
    assert_eq!(of_rule(&report, "unparsable-manifest"), [""; 0]);
    assert_eq!(of_rule(&report, "value-with-exists"), ["error a.yaml:10"]);
    assert_eq!(report.counts.not_judged.get("templates"), Some(&1));
}

#[test]
fn a_broken_document_beside_one_with_a_variable_in_its_arguments_is_an_error() {
    let plain = "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec:\n  containers:\n    - {name: a, image: b, args: [\"$(X)\", '%s ${Y} {z}']}\n";
    let text = format!("{plain}---\n{BROKEN}");
    assert_eq!(unparsable(&[("a.yaml", &text)]), ["error a.yaml:13"]);
}

#[test]
fn a_folder_of_templates_is_one_only_beside_a_chart() {
    let chart = (
        "web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    let template = ("web/templates/a.yaml", BROKEN);
    assert_eq!(unparsable(&[chart, template]), [""; 0]);
    assert_eq!(unparsable(&[template]), ["error web/templates/a.yaml:6"]);
    let outside = ("web/crds/a.yaml", BROKEN);
    assert_eq!(unparsable(&[chart, outside]), ["error web/crds/a.yaml:6"]);
    // A single template, as pre-commit hooks pass files.
    let folder = repo(&[chart, template]);
    let alone = run(
        folder.path(),
        &["check", "web/templates/a.yaml", "--format", "concise"],
    );
    assert_eq!((alone.code, alone.out.as_str()), (0, ""), "{}", alone.err);
}

#[test]
fn a_name_of_a_template_is_enough() {
    for name in [
        "a.yaml.j2",
        "a.j2.yaml",
        "a.tmpl",
        "a.template.json",
        "values.gotmpl",
        "main.tf.tmpl",
        "a.j2.tfvars",
    ] {
        let folder = repo(&[(name, "apiVersion: v1\nkind: Pod\ntolerations: [\n")]);
        let result = run(folder.path(), &["check", name, "--format", "concise"]);
        assert_eq!(
            (result.code, result.out.as_str()),
            (0, ""),
            "{name}: {}",
            result.err
        );
        assert!(
            result.err.contains("templates (1)"),
            "{name}: {}",
            result.err
        );
    }
}

#[test]
fn values_of_terraform_that_jinja_writes_are_not_broken() {
    let jinja = "pools = {\n{% for pool in pools %}\n  {{ pool }} = 1\n{% endfor %}\n}\n";
    assert_eq!(unparsable(&[("prod.tfvars", jinja)]), [""; 0]);
    let broken = "name = \"{{ x }}\"\npools = {\n";
    assert_eq!(unparsable(&[("prod.tfvars", broken)]).len(), 1);
}

#[test]
fn what_nobody_would_apply_is_a_note_at_most() {
    let workflow = "on: push\njobs:\n  a: [\n";
    let dump = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  uid: 0b1c2d3e-0000-4a4a-8b8b-0123456789ab\n  x: [\n";
    for (path, text) in [
        (".github/workflows/a.yaml", workflow),
        ("a.yaml", dump),
        ("pkg/testdata/a.yaml", BROKEN),
        ("tests/a.yaml", BROKEN),
        ("cases/invalid-pod.yaml", BROKEN),
        ("tests/main.tf", "a = [\n"),
    ] {
        let found = unparsable(&[(path, text)]);
        assert!(found.iter().all(|one| one.starts_with("note")), "{found:?}");
    }
    for path in ["apps/a.yaml", "overlays/test/a.yaml", "examples/a.yaml"] {
        let found = unparsable(&[(path, BROKEN)]);
        assert_eq!(found, [format!("error {path}:6")]);
    }
    // Only the path below the scanned folder counts.
    let folder = repo(&[("tests/a.yaml", BROKEN)]);
    let below = run(folder.path(), &["check", "tests", "--format", "concise"]);
    assert_eq!(below.code, 1, "{}", below.out);
}

#[test]
fn json_with_comments_and_json_lines_are_not_broken_manifests() {
    let options = "{\n  // comment\n  \"kind\": \"build\",\n  \"files\": [/* all */],\n}\n";
    let lines = "{\"kind\": \"a\"}\n{\"kind\": \"b\"}\n";
    for (path, text) in [("tsconfig.json", options), ("a.json", lines)] {
        assert_eq!(unparsable(&[(path, text)]), [""; 0], "{path}");
    }
    let pod = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n\"spec\": {\"tolerations\": [}\n";
    assert_eq!(unparsable(&[("pod.json", pod)]), ["error pod.json:2"]);
}

#[test]
fn a_repeated_key_counts_only_where_it_takes_scheduling_with_it() {
    let deployment =
        |rest: &str| format!("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n{rest}");
    let pod = "      containers: [{name: a, image: b}]\n";
    for (what, text) in [
        (
            "labels",
            "  labels: {a: b}\n  labels: {c: d}\nspec: {template: {spec: {containers: []}}}\n"
                .to_owned(),
        ),
        (
            "env",
            "spec:\n  template:\n    spec:\n      containers:\n        - name: a\n          env: []\n          env: [{name: x}]\n"
                .to_owned(),
        ),
        (
            "replicas",
            format!("spec:\n  replicas: 1\n  replicas: 2\n  template:\n    spec:\n{pod}"),
        ),
        (
            "labels of pods",
            format!(
                "spec:\n  template:\n    metadata:\n      labels: {{a: b}}\n      labels: {{a: c}}\n    spec:\n{pod}"
            ),
        ),
    ] {
        assert_eq!(duplicates(&deployment(&text)), [""; 0], "{what}");
    }
    let list = "      tolerations: [{key: a, operator: Exists}]\n";
    for (what, text, line) in [
        (
            "tolerations",
            format!("spec:\n  template:\n    spec:\n{pod}{list}      tolerations: []\n"),
            10,
        ),
        (
            "nodeSelector",
            format!(
                "spec:\n  template:\n    spec:\n{pod}      nodeSelector: {{a: b}}\n      nodeSelector: {{c: d}}\n"
            ),
            10,
        ),
        (
            "a label",
            format!("spec:\n  template:\n    spec:\n{pod}      nodeSelector: {{a: b, a: c}}\n"),
            9,
        ),
        (
            "template",
            format!("spec:\n  template:\n    spec:\n{pod}{list}  template:\n    spec:\n{pod}"),
            10,
        ),
        (
            "spec without a template",
            format!("spec:\n  template:\n    spec:\n{pod}{list}spec:\n  replicas: 1\n"),
            10,
        ),
        (
            "operator",
            format!(
                "spec:\n  template:\n    spec:\n{pod}      tolerations:\n        - {{key: a, operator: Equal, operator: Exists}}\n"
            ),
            10,
        ),
    ] {
        let found = duplicates(&deployment(&text));
        assert_eq!(found, [format!("error a.yaml:{line}")], "{what}");
    }
}

#[test]
fn a_repeated_key_of_a_pool_counts_where_its_labels_or_taints_stand() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: a\n  labels: {a: b}\n  labels: {c: d}\nspec:\n  template:\n";
    let labels = "    metadata:\n      labels: {a: b}\n      labels: {c: d}\n";
    let taints = "    spec:\n      taints: [{key: a, effect: NoSchedule}]\n      taints: []\n";
    assert_eq!(
        duplicates(&format!("{pool}{labels}")),
        ["warning a.yaml:11"]
    );
    assert_eq!(
        duplicates(&format!("{pool}{taints}")),
        ["warning a.yaml:11"]
    );
    let node =
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {a: b}\n  labels: {c: d}\n";
    assert_eq!(duplicates(node), ["warning a.yaml:6"]);
}

#[test]
fn keys_in_two_branches_of_a_condition_do_not_repeat_each_other() {
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: \"{{ .Name }}\"}\nspec:\n  containers: [{name: a, image: b}]\n";
    let first = "  tolerations: [{key: a, operator: Exists}]\n";
    let second = "  tolerations: [{key: b, operator: Exists}]\n";
    for branch in ["  # {{ else }}\n", "  #@ else:\n", "  # {% else %}\n"] {
        assert_eq!(
            duplicates(&format!("{head}{first}{branch}{second}")),
            [""; 0],
            "{branch}"
        );
    }
    // The name is filled in, and both keys are present whatever it is.
    assert_eq!(
        duplicates(&format!("{head}{first}{second}")),
        ["error a.yaml:7"]
    );
}

#[test]
fn input_without_any_manifest_is_not_taken_for_a_clean_one() {
    let folder = repo(&[("pools.yaml", REJECTED)]);
    let told = "error: nothing to check: standard input holds no manifest\n";
    for text in [
        "Error: template: x.yaml:3: nil pointer\n",
        "Error: template: web/templates/a.yaml:3:14: executing \"a\" at <.Values.x.y>: nil pointer evaluating interface {}.y\n",
        "Error: parse error at (a.yaml:3): {{ template \"x\" . }} unexpected: \"}\"\n",
        "error\n",
        "- a\n- b\n",
        "a: b\n",
        "[]\n",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\"}\n",
    ] {
        let result = run_with_input(folder.path(), &["check", "-", "-q"], text);
        assert_eq!((result.code, result.err.as_str()), (2, told), "{text}");
        // Pools given with --pools are not the files to check.
        let beside = ["check", "-", "-q", "--pools", "pools.yaml"];
        assert_eq!(
            run_with_input(folder.path(), &beside, text).code,
            2,
            "{text}"
        );
    }
    let text = format!("Error: one chart failed\n---\n{REJECTED}");
    assert_eq!(
        run_with_input(folder.path(), &["check", "-", "-q"], &text).code,
        1
    );
    for text in [
        "apiVersion: v1\nkind: List\nitems: []\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Name }}-a}\n",
        "kind: Service\napiVersion: v1\n",
    ] {
        let result = run_with_input(folder.path(), &["check", "-", "-q"], text);
        assert_eq!(result.code, 0, "{text}{}", result.err);
    }
    let broken = run_with_input(folder.path(), &["check", "-", "-q"], BROKEN);
    assert_eq!(broken.code, 1, "{}", broken.err);
}
