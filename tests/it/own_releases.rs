//! Releases of charts whose templates are in the repository: these are filled in with all values of the release.

// A test that cannot set up its files must fail.
#![allow(clippy::expect_used)]

use crate::program::{repo, run};

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    metadata: {labels: {pool: gpu}}\n    \
    spec:\n      taints: [{key: a.com/team, value: ml, effect: NoSchedule}]\n";

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

/// Pods that select a pool by one value, and tolerate it by another.
const TEMPLATE: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ include "web.name" . }}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      {{- if .Values.dedicated.enabled }}
      nodeSelector:
        pool: {{ .Values.dedicated.pool | quote }}
      tolerations:
      - {key: a.com/team, operator: Equal, value: {{ .Values.dedicated.team }}, effect: NoSchedule}
      {{- end }}
      containers: [{name: web, image: web}]
"#;

const HELPERS: &str =
    "{{- define \"web.name\" -}}{{ printf \"%s-web\" .Release.Name | trunc 63 }}{{- end -}}\n";

const DEFAULTS: &str = "dedicated: {enabled: false, pool: general, team: none}\n";

/// `file:line` of the findings about a pool that is selected and not tolerated, beside the chart.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let chart = [
        ("pool.yaml", POOL),
        ("charts/web/Chart.yaml", CHART),
        ("charts/web/values.yaml", DEFAULTS),
        ("charts/web/templates/web.yaml", TEMPLATE),
        ("charts/web/templates/_helpers.tpl", HELPERS),
    ];
    let folder = repo(&[&chart, files].concat());
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    let findings = findings.filter(|one| one["rule"] == "selected-pool-not-tolerated");
    findings
        .map(|one| {
            format!(
                "{}:{}",
                one["file"].as_str().unwrap_or("-"),
                one["start"]["line"]
            )
        })
        .collect()
}

/// An Application that installs the chart with these lines for Helm.
fn application(helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: web}}\n  source:\n    repoURL: https://github.com/acme/apps\n    path: charts/web\n    \
         helm:\n{helm}"
    )
}

fn in_application(helm: &str) -> Vec<String> {
    found(&[("a.yaml", &application(helm))])
}

#[test]
fn values_that_templates_put_into_selectors_are_judged_with_what_is_tolerated() {
    let object = |values: &str| {
        in_application(&format!(
            "      valuesObject: {{dedicated: {{{values}}}}}\n"
        ))
    };
    assert_eq!(object("enabled: true, pool: gpu, team: web"), ["a.yaml:10"]);
    assert!(object("enabled: true, pool: gpu, team: ml").is_empty());
    assert!(object("enabled: true, pool: other, team: web").is_empty());
    assert!(object("enabled: false, pool: gpu, team: web").is_empty());
    // Something else decides it.
    for open in ["'{{ team }}'", "${team}", "$(TEAM)"] {
        assert!(object(&format!("enabled: true, pool: gpu, team: {open}")).is_empty());
        assert!(object(&format!("enabled: {open}, pool: gpu, team: web")).is_empty());
    }

    let text = |values: &str| {
        in_application(&format!(
            "      values: |\n        dedicated:\n          {values}\n"
        ))
    };
    assert_eq!(text("{enabled: true, pool: gpu, team: web}"), ["a.yaml:12"]);
    assert!(text("{enabled: true, pool: gpu, team: ml}").is_empty());
}

#[test]
fn values_that_are_set_one_by_one_lie_over_all_others() {
    let set = |team: &str| {
        in_application(&format!(
            "      valuesObject: {{dedicated: {{enabled: true, pool: gpu}}}}\n      \
             parameters: [{{name: dedicated.team, value: {team}}}]\n"
        ))
    };
    assert_eq!(set("web"), ["a.yaml:10"]);
    assert!(set("ml").is_empty());
    let alone = |pool: &str| {
        in_application(&format!(
            "      parameters:\n      - {{name: dedicated.enabled, value: 'true'}}\n      \
             - {{name: dedicated.pool, value: {pool}}}\n"
        ))
    };
    assert_eq!(alone("gpu"), ["a.yaml:12"]);
    assert!(alone("general").is_empty());
    assert!(alone("'{gpu,b}'").is_empty());
}

#[test]
fn files_that_a_release_names_need_not_mention_scheduling() {
    let files = application("      valueFiles: [values.yaml, ../../env/prod.yaml]\n");
    let found = |prod: &str| found(&[("a.yaml", &files), ("env/prod.yaml", prod)]);
    assert_eq!(
        found("dedicated: {enabled: true, pool: gpu}\n"),
        ["env/prod.yaml:1"]
    );
    assert!(found("dedicated: {enabled: true, pool: gpu, team: ml}\n").is_empty());
    assert!(found("dedicated: {pool: gpu}\n").is_empty());
}

#[test]
fn environments_of_a_chart_are_releases_of_it() {
    let found = |prod: &str| found(&[("charts/web/values-prod.yaml", prod)]);
    assert_eq!(
        found("dedicated: {enabled: true, pool: gpu}\n"),
        ["charts/web/values-prod.yaml:1"]
    );
    assert!(found("dedicated: {enabled: true, pool: gpu, team: ml}\n").is_empty());
}

#[test]
fn releases_of_flux_and_helmfile_fill_in_the_chart_of_the_repository() {
    let flux = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: web}\nspec:\n  chart:\n    \
        spec:\n      chart: ./charts/web\n      sourceRef: {kind: GitRepository, name: apps}\n  values:\n    \
        dedicated: {enabled: true, pool: gpu}\n";
    assert_eq!(found(&[("a.yaml", flux)]), ["a.yaml:10"]);
    let right = flux.replace("pool: gpu", "pool: gpu, team: ml");
    assert!(found(&[("a.yaml", &right)]).is_empty());
    let helmfile = "releases:\n- name: web\n  namespace: web\n  chart: ./charts/web\n  values:\n  - dedicated:\n      enabled: true\n      \
        pool: gpu\n";
    assert_eq!(found(&[("helmfile.yaml", helmfile)]), ["helmfile.yaml:8"]);
}

#[test]
fn charts_that_change_their_values_are_not_filled_in() {
    let values =
        application("      valuesObject: {dedicated: {enabled: true, pool: gpu, team: web}}\n");
    let change = "{{- $_ := set .Values \"dedicated\" (dict \"enabled\" false) }}\n";
    let changed = format!("{change}{TEMPLATE}");
    assert!(
        found(&[
            ("a.yaml", &values),
            ("charts/web/templates/web.yaml", &changed)
        ])
        .is_empty()
    );
}

/// What a service says that has the chart twice, from its folder beside it.
const SERVICE: &str = "apiVersion: v2\nname: api\nversion: 1.0.0\ndependencies:\n\
    - {name: web, version: 1.0.0, repository: 'file://../../charts/web', alias: main}\n\
    - {name: web, version: 1.0.0, repository: 'file://../../charts/web', alias: worker, condition: worker.enabled}\n";

/// The findings about a service with these values, and those of an Application that installs it.
fn of_service(values: &str, helm: &str) -> Vec<String> {
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: api, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: api}}\n  source:\n    repoURL: https://github.com/acme/apps\n    path: services/api\n{helm}"
    );
    found(&[
        ("a.yaml", application.as_str()),
        ("services/api/Chart.yaml", SERVICE),
        ("services/api/values.yaml", values),
    ])
}

#[test]
fn values_of_a_service_reach_the_charts_that_it_is_made_of() {
    let values = |worker: &str| {
        format!(
            "main: {{dedicated: {{enabled: true, pool: gpu, team: ml}}}}\nworker:\n  enabled: true\n  dedicated:\n    \
             enabled: true\n    pool: gpu\n    team: {worker}\n"
        )
    };
    assert_eq!(
        of_service(&values("web"), ""),
        ["services/api/values.yaml:6"]
    );
    assert!(of_service(&values("ml"), "").is_empty());
    // The Application's values lie over those of the service.
    let helm = |text: &str| format!("    helm:\n      valuesObject: {text}\n");
    let set = helm("{worker: {dedicated: {team: ml}}}");
    assert!(of_service(&values("web"), &set).is_empty());
    let set = helm("{worker: {enabled: false}}");
    assert!(of_service(&values("web"), &set).is_empty());
    let set = helm("{worker: {dedicated: {team: other}}}");
    assert_eq!(of_service(&values("ml"), &set).len(), 1);
    // Something else may decide it.
    let set = helm("{worker: {enabled: '{{ on }}'}}");
    assert!(of_service(&values("web"), &set).is_empty());
}

#[test]
fn charts_that_a_service_is_made_of_run_where_it_runs() {
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: api, namespace: argocd}\nspec:\n  \
        destination: {name: prod, namespace: api}\n  source:\n    repoURL: https://github.com/acme/apps\n    path: services/api\n";
    let folder = repo(&[
        ("a.yaml", argo),
        ("services/api/Chart.yaml", SERVICE),
        ("charts/web/Chart.yaml", CHART),
        ("charts/web/values.yaml", DEFAULTS),
        ("charts/web/templates/web.yaml", TEMPLATE),
        ("charts/web/templates/_helpers.tpl", HELPERS),
    ]);
    let listed = run(folder.path(), &["clusters", "--output", "json"]).json();
    let clusters = listed["clusters"].as_array().expect("a list");
    let shown: Vec<_> = clusters
        .iter()
        .map(|one| format!("{} {}", one["name"], one["workloads"]))
        .collect();
    assert_eq!(shown, [r#""prod" 1"#]);
}

/// `rule file:line cluster` of each finding in a repository with a pool that is tainted.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let folder = repo(&[&[("pools/pool.yaml", POOL)], files].concat());
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    let text = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap_or("-").to_owned();
    let line = |one| {
        let (rule, file, cluster) = (text(one, "rule"), text(one, "file"), text(one, "cluster"));
        format!("{rule} {file}:{} {cluster}", one["start"]["line"])
    };
    findings.map(line).collect()
}

/// An Application for cluster `prod` with these sources, and one that brings the pool there.
fn for_prod(sources: &str) -> String {
    let application = |name: &str, sources: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
             destination: {{name: prod, namespace: web}}\n{sources}---\n"
        )
    };
    let pools = "  source: {repoURL: https://github.com/acme/apps, path: pools}\n";
    application("web", sources) + &application("pools", pools)
}

#[test]
fn values_of_a_chart_from_elsewhere_reach_the_cluster_of_the_application_that_names_them() {
    let application = for_prod(
        "  sources:\n  - repoURL: https://kubernetes.github.io/ingress-nginx\n    chart: ingress-nginx\n    targetRevision: 4.11.3\n    \
         helm: {valueFiles: [$values/values/ingress.yaml]}\n  - {repoURL: https://github.com/acme/apps, ref: values}\n",
    );
    let files = |values: &'static str| [("values/ingress.yaml", values)];
    let found = |values: &'static str| {
        let all = [&[("apps/a.yaml", application.as_str())], &files(values)[..]].concat();
        told(&all)
    };
    let wrong = "controller:\n  nodeSelector: {pool: gpu}\n  tolerations: []\n";
    assert_eq!(
        found(wrong),
        ["selected-pool-not-tolerated values/ingress.yaml:2 prod"]
    );
    let right = "controller:\n  nodeSelector: {pool: gpu}\n  tolerations: [{key: a.com/team, operator: Exists}]\n";
    assert!(found(right).is_empty());
}

#[test]
fn values_that_are_only_set_one_by_one_are_those_of_the_release() {
    let found = |key: &str| {
        let sources = format!(
            "  source:\n    repoURL: https://kubernetes.github.io/ingress-nginx\n    chart: ingress-nginx\n    targetRevision: 4.11.3\n    \
             helm:\n      parameters:\n      - {{name: controller.nodeSelector.pool, value: gpu}}\n      \
             - {{name: 'controller.tolerations[0].key', value: {key}}}\n      \
             - {{name: 'controller.tolerations[0].operator', value: Exists}}\n"
        );
        told(&[("apps/a.yaml", &for_prod(&sources))])
    };
    assert_eq!(
        found("a.com/other"),
        ["selected-pool-not-tolerated apps/a.yaml:12 prod"]
    );
    assert!(found("a.com/team").is_empty());
}

#[test]
fn values_of_a_chart_reach_the_charts_from_elsewhere_in_it() {
    let chart = "apiVersion: v2\nname: ingress\nversion: 1.0.0\ndependencies:\n\
        - {name: ingress-nginx, version: 4.11.3, repository: 'https://kubernetes.github.io/ingress-nginx', condition: use}\n";
    let found = |values: &str, above: &str, helm: &str| {
        let sources = format!(
            "  source:\n    repoURL: https://github.com/acme/apps\n    path: charts/ingress\n{helm}"
        );
        told(&[
            ("apps/a.yaml", for_prod(&sources).as_str()),
            ("charts/ingress/Chart.yaml", chart),
            ("charts/ingress/values.yaml", values),
            ("charts/ingress/values-prod.yaml", above),
        ])
    };
    let selects = "ingress-nginx:\n  controller:\n    nodeSelector: {pool: gpu}\n";
    let tolerates =
        "ingress-nginx:\n  controller:\n    tolerations: [{key: a.com/team, operator: Exists}]\n";
    let in_both = format!("{selects}    tolerations: [{{key: a.com/team, operator: Exists}}]\n");
    let files = "    helm: {valueFiles: [values.yaml, values-prod.yaml]}\n";
    let rule = "selected-pool-not-tolerated";
    assert_eq!(
        found(selects, "{}\n", ""),
        [format!("{rule} charts/ingress/values.yaml:3 prod")]
    );
    assert!(found(&in_both, "{}\n", "").is_empty());
    assert!(found(selects, tolerates, files).is_empty());
    // What lies above takes the tolerations away, or selects something else.
    let none = "ingress-nginx: {controller: {tolerations: []}}\n";
    assert_eq!(found(&in_both, none, files).len(), 1);
    let other = "ingress-nginx: {controller: {nodeSelector: {pool: gpuu}}}\n";
    assert_eq!(
        found(&in_both, other, files),
        ["selector-near-miss charts/ingress/values-prod.yaml:1 -"]
    );
    // The chart is switched off, or something else decides that.
    assert!(found(&format!("use: false\n{selects}"), "{}\n", "").is_empty());
}

#[test]
fn a_helmfile_takes_its_environments_from_its_bases_and_values_need_no_tolerations() {
    let releases = "releases:\n- name: web\n  chart: ./charts/web\n  values: ['values/{{ .Environment.Name }}.yaml']\n";
    let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    metadata: {labels: {app: web}}\n    \
        spec:\n      containers: [{name: a, image: a}]\n      {{- with .Values.nodeSelector }}\n      nodeSelector: {{- toYaml . | nindent 8 }}\n      \
        {{- end }}\n      {{- with .Values.tolerations }}\n      tolerations: {{- toYaml . | nindent 8 }}\n      {{- end }}\n";
    let environments = "environments: {dev: {}, prod: {}}\n";
    let based = format!("bases: [environments.yaml]\n---\n{releases}");
    let inline = format!("{environments}---\n{releases}");
    for (helmfile, base) in [(&based, environments), (&inline, "unused: true\n")] {
        let files = |prod: &'static str| {
            [
                ("helmfile.yaml", helmfile.as_str()),
                ("environments.yaml", base),
                ("charts/web/Chart.yaml", CHART),
                (
                    "charts/web/values.yaml",
                    "nodeSelector: {}\ntolerations: []\n",
                ),
                ("charts/web/templates/web.yaml", template),
                ("values/dev.yaml", "replicas: 1\n"),
                ("values/prod.yaml", prod),
            ]
        };
        let selects = "nodeSelector: {pool: gpu}\n";
        assert_eq!(
            told(&files(selects)),
            ["selected-pool-not-tolerated values/prod.yaml:1 prod"],
            "{helmfile}"
        );
        let tolerates =
            "nodeSelector: {pool: gpu}\ntolerations: [{key: a.com/team, operator: Exists}]\n";
        assert!(told(&files(tolerates)).is_empty());
    }
}
