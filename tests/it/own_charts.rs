//! Values of charts whose templates are in the repository: the templates say which pods a value reaches.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used)]

use crate::builtin::{RULES, judged};
use kubetaint::verify;

const CHART: &str = "apiVersion: v2\nname: c\nversion: 0.1.0\n";

const NOTHING: [&str; 0] = [];

const BLANKET: &str = "tolerations:\n- operator: Exists\n";

/// A chart template of a workload whose pod spec has these lines.
fn template(kind: &str, lines: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: {kind}
metadata:
  name: {{{{ include \"c.fullname\" . }}}}-web
spec:
  template:
    spec:
      containers: []
{lines}"
    )
}

/// `severity rule path:line` of what is found.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    let findings = report.findings.iter().map(|finding| {
        let source = &report.sources[&finding.span.source];
        let line = source.position(finding.span.start).line;
        let (severity, rule) = (finding.severity, &finding.rule);
        format!("{severity} {rule} {}:{line}", source.path)
    });
    findings.collect()
}

/// What is found if a template has these lines and the values of its chart are these.
fn found_with(kind: &str, lines: &str, values: &str) -> Vec<String> {
    found(&[
        ("c/Chart.yaml", CHART),
        ("c/templates/a.yaml", &template(kind, lines)),
        ("c/values.yaml", values),
    ])
}

#[test]
fn a_list_is_judged_as_that_of_the_pods_that_its_templates_put_it_into() {
    let lines = "      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n";
    assert_eq!(
        found_with("Deployment", lines, BLANKET),
        ["warning blanket-exists c/values.yaml:2"]
    );
    assert_eq!(
        found_with("DaemonSet", lines, BLANKET),
        ["note blanket-exists c/values.yaml:2"]
    );
}

#[test]
fn values_are_followed_through_blocks_variables_functions_and_library_templates() {
    for lines in [
        "      {{- with .Values.tolerations }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n",
        "      {{- if .Values.tolerations }}\n      tolerations:\n{{ toYaml .Values.tolerations | indent 8 }}\n      {{- end }}\n",
        "      {{- $own := .Values }}\n      tolerations: {{ toYaml $own.tolerations | nindent 8 }}\n",
        "      tolerations: {{ .Values.tolerations | toJson }}\n",
        "      tolerations: {{ tpl (toYaml .Values.tolerations) $ | nindent 8 }}\n",
        "      tolerations: {{ toYaml (.Values.tolerations | default .Values.others) | nindent 8 }}\n",
        "      tolerations: {{ coalesce .Values.others .Values.tolerations | toYaml | nindent 8 }}\n",
        "      tolerations: {{- include \"common.tplvalues.render\" (dict \"value\" .Values.tolerations \"context\" $) | nindent 8 }}\n",
        "      tolerations:\n      - key: a\n      {{- with .Values.tolerations }}\n      {{- toYaml . | nindent 6 }}\n      {{- end }}\n",
        "      {{- include \"c.own\" (dict \"of\" .Values) | nindent 6 }}\n{{- define \"c.own\" }}\ntolerations: {{ toYaml .of.tolerations | nindent 2 }}\n{{- end }}\n",
    ] {
        assert_eq!(
            found_with("Deployment", lines, BLANKET),
            ["warning blanket-exists c/values.yaml:2"],
            "{lines}"
        );
    }
}

#[test]
fn values_of_each_item_of_a_map_are_followed() {
    let lines = "      {{- range $name, $pool := .Values.pools }}\n      tolerations: {{ toYaml $pool.tolerations | nindent 8 }}\n      {{- end }}\n";
    let values = "pools:\n  one:\n    tolerations:\n    - operator: Exists\n";
    assert_eq!(
        found_with("Deployment", lines, values),
        ["warning blanket-exists c/values.yaml:4"]
    );
}

#[test]
fn what_becomes_of_a_value_is_not_known_if_a_template_takes_it_apart_or_changes_it() {
    for lines in [
        "      tolerations:\n      {{- range .Values.tolerations }}\n      - key: {{ .key }}\n      {{- end }}\n",
        "      tolerations: {{ include \"c.unknown\" .Values.tolerations }}\n",
        "      tolerations: {{ .Values.tolerations }}\n",
        "      {{- $_ := set .Values \"tolerations\" (list) }}\n      tolerations: {{ toYaml .Values.tolerations | nindent 8 }}\n",
    ] {
        assert_eq!(
            found_with("Deployment", lines, BLANKET),
            ["note blanket-exists c/values.yaml:2"],
            "{lines}"
        );
    }
}

#[test]
fn a_chart_in_a_chart_gets_its_values_from_both() {
    let lines = "      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n";
    let template = template("Deployment", lines);
    let values = format!("inner:\n  {}", BLANKET.replace('\n', "\n  "));
    assert_eq!(
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/values.yaml", values.trim_end()),
            ("c/charts/inner/Chart.yaml", CHART),
            ("c/charts/inner/templates/a.yaml", &template),
            ("c/charts/inner/values.yaml", BLANKET),
        ]),
        [
            "warning blanket-exists c/charts/inner/values.yaml:2",
            "warning blanket-exists c/values.yaml:3",
        ]
    );
}

/// Lines of a template that prints a selector and a list.
const PLACED: &str = "      {{- with .Values.nodeSelector }}\n      nodeSelector:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n      {{- with .Values.tolerations }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n";

/// A pool that these may be for.
const GPU: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: gpu\nspec:\n  template:\n    metadata:\n      labels:\n        pool: gpu\n    spec:\n      taints:\n      - key: gpu\n        value: 'true'\n        effect: NoSchedule\n";

#[test]
fn a_default_that_an_environment_replaces_is_judged_where_its_values_are() {
    let all = |values| {
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/templates/a.yaml", &template("Deployment", PLACED)),
            (
                "c/values.yaml",
                "tolerations: []\nnodeSelector:\n  pool: gpu\n",
            ),
            ("c/values-prod.yaml", values),
            ("pools/gpu.yaml", GPU),
        ])
    };
    let none: [&str; 0] = [];
    assert_eq!(all("tolerations:\n- key: gpu\n  operator: Exists\n"), none);
    // The near miss: the environment does not tolerate the taint.
    assert_eq!(
        all("tolerations:\n- key: other\n  operator: Exists\n"),
        ["warning selected-pool-not-tolerated c/values-prod.yaml:2"]
    );
    // Where the environment says nothing of it, the default counts.
    assert_eq!(
        all("replicas: 2\n"),
        ["warning selected-pool-not-tolerated c/values.yaml:3"]
    );
}

#[test]
fn a_selector_in_values_is_judged_with_the_list_beside_it() {
    let all = |values| {
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/templates/a.yaml", &template("Deployment", PLACED)),
            ("c/values-prod.yaml", values),
            ("pools/gpu.yaml", GPU),
        ])
    };
    assert_eq!(
        all("nodeSelector:\n  pool: gpu\ntolerations:\n- key: other\n  operator: Exists\n"),
        ["warning selected-pool-not-tolerated c/values-prod.yaml:2"]
    );
    assert_eq!(
        all("nodeSelector:\n  pool: gpu\ntolerations:\n- key: gpu\n  operator: Exists\n"),
        NOTHING
    );
}

/// A chart whose Deployment gets its tolerations from `tolerations`.
fn simple() -> String {
    template(
        "Deployment",
        "      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n",
    )
}

#[test]
fn releases_name_charts_and_files_of_values_by_their_paths() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c}\nspec:\n  source:\n    repoURL: https://example.com/repository\n    path: charts/c\n    helm:\n      valueFiles: [../../environments/prod.yaml]\n      valuesObject:\n        tolerations:\n        - operator: Exists\n";
    let helmfile =
        "releases:\n- name: c\n  chart: ./charts/c\n  values:\n  - environments/test.yaml\n";
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: c}\nspec:\n  chart:\n    spec:\n      chart: ./charts/c\n      sourceRef: {kind: GitRepository, name: own}\n  valuesFrom:\n  - {kind: ConfigMap, name: c-values}\n";
    let kustomization = "resources: [release.yaml]\nconfigMapGenerator:\n- name: c-values\n  files: [values.yaml=own.yaml]\n";
    assert_eq!(
        found(&[
            ("charts/c/Chart.yaml", CHART),
            ("charts/c/templates/a.yaml", &simple()),
            ("apps/application.yaml", application),
            ("helmfile.yaml", helmfile),
            ("environments/prod.yaml", BLANKET),
            ("environments/test.yaml", BLANKET),
            ("flux/release.yaml", release),
            ("flux/kustomization.yaml", kustomization),
            ("flux/own.yaml", BLANKET),
        ]),
        [
            "warning blanket-exists apps/application.yaml:12",
            "warning blanket-exists environments/prod.yaml:2",
            "warning blanket-exists environments/test.yaml:2",
            "warning blanket-exists flux/own.yaml:2",
        ]
    );
}

#[test]
fn files_of_values_for_published_charts_are_known_by_their_releases() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: grafana, namespace: m}\nspec:\n  chart:\n    spec:\n      chart: grafana\n      sourceRef: {kind: HelmRepository, name: grafana}\n  valuesFrom:\n  - {kind: ConfigMap, name: grafana-values}\n";
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: grafana, namespace: m}\nspec:\n  url: https://grafana.github.io/helm-charts\n";
    let kustomization = "resources: [release.yaml]\nconfigMapGenerator:\n- name: grafana-values\n  files: [values.yaml]\n";
    assert_eq!(
        found(&[
            ("flux/release.yaml", release),
            ("flux/repository.yaml", repository),
            ("flux/kustomization.yaml", kustomization),
            ("flux/values.yaml", BLANKET),
        ]),
        ["warning blanket-exists flux/values.yaml:2"]
    );
}

#[test]
fn a_list_that_replaces_the_one_of_the_chart_drops_its_entries() {
    let template = template(
        "DaemonSet",
        "      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n",
    );
    let default = "tolerations:\n- key: node-role.kubernetes.io/control-plane\n  operator: Exists\n  effect: NoSchedule\n";
    let all = |values| {
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/templates/a.yaml", &template),
            ("c/values.yaml", default),
            ("c/values-prod.yaml", values),
        ])
    };
    assert_eq!(
        all("tolerations:\n- key: gpu\n  operator: Exists\n  effect: NoSchedule\n"),
        ["warning values-replace-tolerations c/values-prod.yaml:1"]
    );
    assert_eq!(all(default), NOTHING);
}

#[test]
fn named_templates_of_other_files_are_read_where_they_are_included() {
    let pod = "{{- define \"c.pod\" }}\ncontainers: []\ntolerations:\n- key: gpu\n  operator: Exist\n{{- with .Values.tolerations }}\n{{ toYaml . }}\n{{- end }}\n{{- end }}\n";
    let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: c}\nspec:\n  template:\n    spec:\n      {{- include \"c.pod\" . | nindent 6 }}\n";
    let own = [
        ("c/Chart.yaml", CHART),
        ("c/templates/a.yaml", template),
        ("c/templates/_pod.tpl", pod),
        ("c/values.yaml", BLANKET),
    ];
    let in_library = [
        ("c/Chart.yaml", CHART),
        ("c/templates/a.yaml", template),
        ("library/Chart.yaml", CHART),
        ("library/templates/_pod.tpl", pod),
        ("c/values.yaml", BLANKET),
    ];
    for (files, place) in [
        (own.as_slice(), "c/templates/_pod.tpl:5"),
        (in_library.as_slice(), "library/templates/_pod.tpl:5"),
    ] {
        let mut expected = vec![
            format!("error unknown-operator {place}"),
            "warning blanket-exists c/values.yaml:2".to_owned(),
        ];
        expected.sort_by_key(|one| one.rsplit(' ').next().map(str::to_owned));
        assert_eq!(found(files), expected);
    }
}

#[test]
fn what_one_environment_sets_is_a_release_with_the_defaults_of_its_chart() {
    const LINES: &str = "      nodeSelector: {{- toYaml .Values.nodeSelector | nindent 8 }}
      tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: gpu\nspec:
  template:\n    metadata:\n      labels: {pool: gpu}\n    spec:\n      taints:
      - {key: dedicated, value: gpu, effect: NoSchedule}\n";
    let with = |environment: &str, defaults: &str| {
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/templates/a.yaml", &template("Deployment", LINES)),
            ("c/values.yaml", defaults),
            ("c/values-live.yaml", environment),
            ("pools.yaml", POOL),
        ])
    };
    let tolerating = "tolerations:\n- {key: dedicated, value: gpu, effect: NoSchedule}\n";
    let selecting = "nodeSelector: {pool: gpu}\n";
    let lost = |found: Vec<String>| -> Vec<String> {
        let meant = |one: &String| one.contains("selected-pool-not-tolerated");
        found.into_iter().filter(meant).collect()
    };
    assert_eq!(
        lost(with(&format!("{selecting}tolerations: []\n"), tolerating)),
        ["warning selected-pool-not-tolerated c/values-live.yaml:1"]
    );
    // The defaults hold where the environment sets no list.
    assert_eq!(lost(with(selecting, tolerating)), NOTHING);
    assert_eq!(
        lost(with(selecting, "tolerations: []\n")),
        ["warning selected-pool-not-tolerated c/values-live.yaml:1"]
    );
}

#[test]
fn a_key_of_a_chart_silences_only_what_that_chart_may_read() {
    let nodes =
        "nodes:\n  placement:\n    toleration:\n      - {key: example.com/gpu, operator: Exists}\n";
    let with = |values: &str, lines: &str, nodes: &str| {
        found(&[
            ("c/Chart.yaml", CHART),
            ("c/templates/web.yaml", &template("Deployment", lines)),
            ("c/values.yaml", values),
            ("tests/nodes.yaml", nodes),
        ])
    };
    let values = "# tolerations\n## toleration: NoSchedule\ndiscover:\n  # NoSchedule or NoExecute\n  toleration:\n  other: a\n";
    let reads = "      {{- with .Values.discover }}\n      nodeSelector: {a: {{ .toleration }}}\n      {{- end }}\n";
    let told = ["warning unknown-field tests/nodes.yaml:3"];
    assert_eq!(with(values, "", nodes), told);
    assert_eq!(with(values, reads, nodes), told);
    // The same map, a list, or a template that reads the key of a map that is not known.
    let same = nodes.replace("placement", "discover");
    assert_eq!(with(values, reads, &same), NOTHING);
    let list = "# tolerations\ndiscover:\n  toleration: [{key: a}]\n";
    assert_eq!(with(list, "", nodes), NOTHING);
    assert_eq!(with("a: b # tolerations\n", reads, nodes), NOTHING);
}

#[test]
fn a_selector_in_values_is_a_word_whether_tolerations_are_written_or_not() {
    let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      \
                    {{- with .Values.nodeSelector }}\n      nodeSelector: {{- toYaml . | nindent 8 }}\n      {{- end }}\n      \
                    {{- with .Values.tolerations }}\n      tolerations: {{- toYaml . | nindent 8 }}\n      {{- end }}\n      \
                    containers: [{name: web, image: \"acme/web:1\"}]\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  template:\n    \
                        metadata: {labels: {example.com/pool: ingest}}\n    spec: {}\n";
    let told_of = |value: &str, more: &str, prod: &str| {
        let values = format!("nodeSelector:\n  example.com/pool: {value}\n{more}");
        let files = [
            ("pools/pool.yaml", POOL),
            ("chart/Chart.yaml", CHART),
            ("chart/templates/web.yaml", template),
            ("chart/values.yaml", &values),
            ("chart/values-prod.yaml", prod),
        ];
        found(&files)
    };
    let told = ["warning selector-near-miss chart/values.yaml:2"];
    let prod = "tolerations:\n  - {key: example.com/gpu, operator: Exists}\n";
    for prod in ["", prod] {
        for more in ["", "tolerations: []\n"] {
            assert_eq!(told_of("ingst", more, prod), told, "{more}{prod}");
        }
    }
    assert_eq!(told_of("ingest", "", prod), NOTHING);
    assert_eq!(told_of("other", "", ""), NOTHING);
}
