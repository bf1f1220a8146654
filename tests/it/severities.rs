//! Severity follows proof: the same mistake has the same severity in every kind of file where it is proven, anything less
//! says why, and no note claims what only an error may claim.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, judged};
use crate::samples::POOL;
use kubetaint::finding::{Report, Severity};
use kubetaint::verify;

/// A mistake: the list as flow YAML, and the rule that reports it.
const MISTAKES: [(&str, &str); 11] = [
    (
        "{key: gpu, operator: Exists, effect: NoSchedule}",
        "malformed-tolerations",
    ),
    ("[\"gpu=true:NoSchedule\"]", "malformed-tolerations"),
    (
        "[{key: gpu, value: true, effect: NoSchedule}]",
        "mistyped-field",
    ),
    (
        "[{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: \"300\"}]",
        "mistyped-field",
    ),
    (
        "[{key: gpu, operator: Equals, value: a, effect: NoSchedule}]",
        "unknown-operator",
    ),
    (
        "[{key: gpu, operator: Exists, effect: NO_SCHEDULE}]",
        "unknown-effect",
    ),
    (
        "[{key: gpu, operator: Exists, value: a, effect: NoSchedule}]",
        "value-with-exists",
    ),
    (
        "[{key: gpu, operator: Exists, efect: NoSchedule}]",
        "unknown-field",
    ),
    (
        "[{operator: Equal, value: a, effect: NoSchedule}]",
        "empty-key-without-exists",
    ),
    (
        "[{key: \"gpu=true\", operator: Exists, effect: NoSchedule}]",
        "invalid-key",
    ),
    (
        "[{key: gpu, operator: Exists, effect: NoSchedule, tolerationSeconds: 300}]",
        "toleration-seconds-without-no-execute",
    ),
];

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      tolerations: @
";

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

const COPIES: &str = "spec:
  {{- with .Values.web.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
";

const QUOTES: &str = "spec:
  tolerations:
  {{- range .Values.web.tolerations }}
  - key: {{ .key }}
    value: {{ .value | quote }}
  {{- end }}
";

const VALUES: &str = "web:\n  tolerations: @\n";

/// Files in which the list certainly reaches the API server unchanged. `@` is the list.
fn proven() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let inner = |indent: usize, text: &str| -> String {
        let pad = " ".repeat(indent);
        text.lines().map(|line| format!("{pad}{line}\n")).collect()
    };
    let one = |path: &'static str, text: String| vec![(path, text)];
    let inline = |spec: &str, text: &str| {
        let (group, indent) = match spec {
            "" => ("kustomize.config.k8s.io/v1beta1", 0),
            _ => ("kustomize.toolkit.fluxcd.io/v1", 2),
        };
        let patches = format!("patches:\n- patch: |-\n{}", inner(4, text));
        format!(
            "apiVersion: {group}\nkind: Kustomization\nmetadata: {{name: web}}\n{spec}{}",
            inner(indent, &patches)
        )
    };
    vec![
        ("a manifest", one("a.yaml", DEPLOYMENT.to_owned())),
        (
            "a List",
            one(
                "a.yaml",
                format!(
                    "apiVersion: v1\nkind: List\nitems:\n-\n{}",
                    inner(2, DEPLOYMENT)
                ),
            ),
        ),
        (
            "a patch",
            one(
                "patch.yaml",
                DEPLOYMENT.replace("      containers: [{name: a, image: b}]\n", ""),
            ),
        ),
        (
            "a patch in a Kustomization",
            one("kustomization.yaml", inline("", DEPLOYMENT)),
        ),
        (
            "a patch in a Kustomization of Flux",
            one("flux.yaml", inline("spec:\n", DEPLOYMENT)),
        ),
        (
            "a patch in a file without a kind",
            one(
                "kustomization.yaml",
                format!(
                    "patchesStrategicMerge:\n- |-\n{}",
                    inner(
                        4,
                        &DEPLOYMENT.replace("      containers: [{name: a, image: b}]\n", "")
                    )
                ),
            ),
        ),
        (
            "values of no chart",
            one("prod/values.yaml", VALUES.to_owned()),
        ),
        (
            "values that say what kind they are for",
            one("values.yaml", format!("kind: DaemonSet\n{VALUES}")),
        ),
        (
            "values at the top",
            one("values-prod.yaml", "tolerations: @\n".to_owned()),
        ),
        (
            "values of a chart that copies them",
            vec![
                ("c/Chart.yaml", CHART.to_owned()),
                ("c/values.yaml", VALUES.to_owned()),
                ("c/templates/web.yaml", COPIES.to_owned()),
            ],
        ),
        (
            "values beside a chart that quotes its own",
            vec![
                ("c/Chart.yaml", CHART.to_owned()),
                ("c/values.yaml", VALUES.to_owned()),
                ("d/Chart.yaml", CHART.to_owned()),
                ("d/templates/web.yaml", QUOTES.to_owned()),
            ],
        ),
        (
            "a HelmRelease",
            one(
                "a.yaml",
                format!(
                    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: r}}\nspec:\n  values:\n{}",
                    inner(4, VALUES)
                ),
            ),
        ),
        (
            "an Application with an object",
            one(
                "a.yaml",
                format!(
                    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: r}}\nspec:\n  source:\n    helm:\n      valuesObject:\n{}",
                    inner(8, VALUES)
                ),
            ),
        ),
        (
            "an Application with a text",
            one(
                "a.yaml",
                format!(
                    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: r}}\nspec:\n  source:\n    helm:\n      values: |\n{}",
                    inner(8, VALUES)
                ),
            ),
        ),
        (
            "a ConfigMap with values",
            one(
                "a.yaml",
                format!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: r}}\ndata:\n  values.yaml: |\n{}",
                    inner(4, VALUES)
                ),
            ),
        ),
        (
            "values in Terraform",
            one(
                "main.tf",
                format!(
                    "resource \"helm_release\" \"r\" {{\n  name = \"r\"\n  values = [<<-EOT\n{}  EOT\n  ]\n}}\n",
                    inner(4, VALUES)
                ),
            ),
        ),
        (
            "a manifest in Terraform",
            one(
                "main.tf",
                format!(
                    "resource \"kubectl_manifest\" \"r\" {{\n  yaml_body = <<-EOT\n{}  EOT\n}}\n",
                    inner(4, DEPLOYMENT)
                ),
            ),
        ),
    ]
}

/// Files in which something may change the list before it reaches a pod.
fn doubtful() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    vec![
        (
            "values of a chart that quotes them",
            vec![
                ("c/Chart.yaml", CHART.to_owned()),
                ("c/values.yaml", VALUES.to_owned()),
                ("c/templates/web.yaml", QUOTES.to_owned()),
            ],
        ),
        (
            "values for any chart, beside one that quotes",
            vec![
                ("c/Chart.yaml", CHART.to_owned()),
                ("c/templates/web.yaml", QUOTES.to_owned()),
                ("prod/values.yaml", VALUES.to_owned()),
            ],
        ),
        (
            "a custom resource that nobody knows",
            vec![(
                "a.yaml",
                "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: r}\nspec:\n  tolerations: @\n"
                    .to_owned(),
            )],
        ),
        (
            "a ConfigMap with somebody's configuration",
            vec![(
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata:\n  config.yaml: |\n    tolerations: @\n"
                    .to_owned(),
            )],
        ),
        (
            "a configuration that is neither an object nor values",
            vec![("tool/config.yaml", VALUES.to_owned())],
        ),
        (
            "a list of another name",
            vec![("values.yaml", "web:\n  extraTolerations: @\n".to_owned())],
        ),
    ]
}

fn report(files: &[(&str, String)], list: &str) -> Report {
    let filled: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.replace('@', list)))
        .collect();
    judged(&RULES, &filled, verify::SUPPRESSIONS)
}

/// The severity and the message of each finding of a rule.
fn found(report: &Report, rule: &str) -> Vec<(Severity, String)> {
    let mut all: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule)
        .map(|finding| (finding.severity, finding.message.clone()))
        .collect();
    all.dedup();
    all
}

#[test]
fn a_mistake_that_the_api_server_rejects_is_an_error_in_every_shape() {
    for (shape, files) in proven() {
        for (list, rule) in MISTAKES {
            let found = found(&report(&files, list), rule);
            assert_eq!(found.len(), 1, "{shape}: {list}: {found:?}");
            for (severity, message) in found {
                assert_eq!(severity, Severity::Error, "{shape}: {list}: {message}");
                let says = ["rejects the object", "rejects what is made with it"];
                let says = says.iter().any(|words| message.contains(words));
                assert!(says && !message.contains("unless"), "{shape}: {message}");
            }
        }
    }
}

#[test]
fn a_list_that_may_be_changed_on_the_way_is_a_warning_that_says_so() {
    for (shape, files) in doubtful() {
        for (list, rule) in MISTAKES {
            for (severity, message) in found(&report(&files, list), rule) {
                assert_eq!(severity, Severity::Warning, "{shape}: {list}: {message}");
                let says = "unless what reads it (a chart's template, an operator)";
                assert!(message.contains(says), "{shape}: {message}");
            }
        }
        let (list, rule) = MISTAKES[4];
        assert_eq!(found(&report(&files, list), rule).len(), 1, "{shape}");
    }
}

#[test]
fn a_setting_that_only_shares_its_name_with_tolerations_is_no_mistake() {
    for text in [
        "web:\n  tolerations: {}\n",
        "web:\n  tolerations: true\n",
        "web:\n  tolerations: gpu=true:NoSchedule\n",
        "web:\n  tolerations: {gpu: [{key: gpu, operator: Exists}], web: []}\n",
        "web:\n  tolerations: {gpu: {key: gpu, operator: Exists}}\n",
        "web:\n  tolerations: {enabled: true, key: gpu}\n",
        "web:\n  tolerations: [gpu, web]\n",
    ] {
        let report = judged(&RULES, &[("values.yaml", text)], verify::SUPPRESSIONS);
        assert_eq!(found(&report, "malformed-tolerations"), [], "{text}");
    }
}

/// Claims about pods and objects that only an error may make.
const CLAIMS: [&str; 10] = [
    "Pending",
    "rejects",
    "is rejected",
    "FailedCreate",
    "ends as Failed",
    "never created",
    "never runs",
    "cannot run",
    "no pods are",
    "gets no pods:",
];

#[test]
fn a_note_never_claims_what_only_an_error_may_claim() {
    let mut wrong = Vec::new();
    let mut notes = 0;
    for rule in RULES.iter() {
        for example in rule.examples.iter().filter(|example| example.bad) {
            let as_it_is = example.files.clone();
            let moved = |folder: &str| -> Vec<(String, String)> {
                let files = example.files.iter();
                files
                    .map(|(path, text)| match path.starts_with(".kubetaint") {
                        true => (path.clone(), text.clone()),
                        false => (format!("{folder}/{path}"), text.clone()),
                    })
                    .collect()
            };
            let incomplete = example
                .files
                .iter()
                .map(|(path, text)| {
                    (
                        path.clone(),
                        text.replace("complete: true", "complete: false"),
                    )
                })
                .collect();
            for files in [as_it_is, moved("examples"), moved("e2e/one"), incomplete] {
                let Ok(report) =
                    verify::report(&RULES, &crate::builtin::TABLE, &files, verify::SUPPRESSIONS)
                else {
                    continue;
                };
                for finding in report
                    .findings
                    .iter()
                    .filter(|one| one.severity == Severity::Note)
                {
                    notes += 1;
                    let related = finding.related.iter().map(|label| label.message.as_str());
                    let said: Vec<&str> = related.chain([finding.message.as_str()]).collect();
                    for claim in CLAIMS {
                        if said.iter().any(|text| text.contains(claim)) {
                            wrong.push(format!("{}: {}", finding.rule, finding.message));
                        }
                    }
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, Vec::<String>::new());
    assert!(notes > 100, "{notes} notes are too few to say anything");
}

#[test]
fn an_error_about_placement_says_what_becomes_of_the_pods() {
    let web = DEPLOYMENT.replace("tolerations: @", "nodeSelector: {pool: gpu}");
    let config = "clusters: {main: {paths: [\"**\"], complete: @}}\n";
    let judge = |complete: &str, folder: &str| {
        let files = [
            (".kubetaint.yaml".to_owned(), config.replace('@', complete)),
            ("pool.yaml".to_owned(), POOL.to_owned()),
            (format!("{folder}web.yaml"), web.clone()),
        ];
        let report = judged(&RULES, &files, verify::SUPPRESSIONS);
        let mut found = found(&report, "selected-pool-not-tolerated");
        assert_eq!(found.len(), 1, "{complete} {folder}");
        found.remove(0)
    };
    let (severity, message) = judge("true", "");
    assert_eq!(severity, Severity::Error);
    assert!(message.ends_with("so its pods stay Pending"), "{message}");
    let (severity, message) = judge("false", "");
    assert_eq!(severity, Severity::Warning);
    assert!(
        message.ends_with("and no other known pool accepts its pods"),
        "{message}"
    );
}

#[test]
fn a_patch_in_a_kustomization_is_only_a_part_of_its_object() {
    let patch = "patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          nodeSelector: {pool: gpu}
          tolerations:
          - $patch: replace
          - {key: example.com/gpu, operator: Exists, effect: NoSchedule}
- target: {kind: Deployment}
  patch: |-
    - op: remove
      path: /spec/template/spec/tolerations
- path: tolerations-of-kind.yaml
";
    let report = judged(
        &RULES,
        &[("kustomization.yaml", patch)],
        verify::SUPPRESSIONS,
    );
    assert_eq!(report.findings, []);
    let list = "[{key: a, operator: Exits}]";
    let text = patch.replace("          tolerations:\n          - $patch: replace\n          - {key: example.com/gpu, operator: Exists, effect: NoSchedule}\n", &format!("          tolerations: {list}\n"));
    let report = judged(
        &RULES,
        &[("kustomization.yaml", text.as_str())],
        verify::SUPPRESSIONS,
    );
    let finding = &report.findings[0];
    let at = report.sources[&finding.span.source].position(finding.span.start);
    assert_eq!((finding.rule.as_str(), at.line), ("unknown-operator", 10));
    assert_eq!(
        finding.path,
        "patches[0].patch.spec.template.spec.tolerations[0].operator"
    );
}
