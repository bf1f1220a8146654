//! Cases in which something is made on its way to a cluster: charts that releases fill in, objects that Flux changes, and
//! Applications that a chart makes.

use crate::kinds::{deployment, each, node_pool, repeat, single};
use crate::{CHECK, Case, Files};

const CHART: &str = "apiVersion: v2\nname: c\nversion: 0.1.0\n";
const PRINTED: &str = "tolerations: {{- toYaml .Values.tolerations | nindent 8 }}\n\
    nodeSelector: {acme.com/pool: {{ .Values.pool }}}\n";

/// An Application that installs a folder, with these lines below `spec`.
fn application(name: &str, folder: &str, lines: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
         destination: {{namespace: apps, name: prod}}\n  source:\n    repoURL: https://github.com/acme/apps\n    path: {folder}\n{lines}"
    )
}

fn gpu_pool() -> Files {
    single(
        "pools/gpu.yaml",
        node_pool(
            "gpu",
            "gpu",
            "{key: acme.com/gpu, value: a, effect: NoSchedule}",
        ),
    )
}

/// A chart with one template, which prints a list and a value.
fn chart(values: String) -> Files {
    vec![
        ("charts/c/Chart.yaml".to_owned(), CHART.to_owned()),
        (
            "charts/c/templates/a.yaml".to_owned(),
            deployment("'{{ .Release.Name }}'", PRINTED),
        ),
        ("charts/c/values.yaml".to_owned(), values),
    ]
}

pub const CASES: &[Case] = &[
    Case {
        name: "releases of a chart in the repository",
        arguments: CHECK,
        from: 100,
        to: 4_800,
        files: |n| {
            let mut files = chart("tolerations: []\npool: general\n".to_owned());
            files.extend(gpu_pool());
            files.extend(each(n, |at| {
                let values = format!(
                    "    helm:\n      valuesObject: {{pool: gpu, tolerations: [{{key: acme.com/gpu, value: v{at}, effect: NoSchedule}}]}}\n"
                );
                (
                    format!("releases/{at}.yaml"),
                    application(&format!("r{at}"), "charts/c", &values),
                )
            }));
            files
        },
    },
    Case {
        name: "values of a release over as many defaults",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let labels = |indent: &str| repeat(n, |at| format!("{indent}l{at}: v\n"));
            let below = labels("  ");
            let mut files = chart(format!("tolerations: []\npool: general\nlabels:\n{below}"));
            let template = "labels: {{- toYaml .Values.labels | nindent 4 }}\n";
            files.push((
                "charts/c/templates/b.yaml".to_owned(),
                format!("{}{template}", deployment("b", "")),
            ));
            files.extend(gpu_pool());
            let above = labels("          ");
            let values = format!("    helm:\n      valuesObject:\n        labels:\n{above}");
            files.extend(single("r.yaml", application("r", "charts/c", &values)));
            files
        },
    },
    Case {
        name: "objects with variables of Flux",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let kustomization = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n\
                spec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild: {substitute: {pool: gpu}}\n";
            let mut files = single("clusters/a/apps.yaml", kustomization.to_owned());
            files.extend(gpu_pool());
            files.extend(each(n, |at| {
                (
                    format!("apps/{at}.yaml"),
                    deployment(
                        &format!("web-{at}"),
                        "nodeSelector: {acme.com/pool: '${pool}'}\n",
                    ),
                )
            }));
            files
        },
    },
    Case {
        name: "Applications that a chart makes",
        arguments: CHECK,
        from: 100,
        to: 4_800,
        files: |n| {
            let template = format!(
                "{{{{- range .Values.apps }}}}\n---\n{}{{{{- end }}}}\n",
                application("'{{ . }}'", "'apps/{{ . }}'", "")
            );
            let mut files = vec![
                ("root/Chart.yaml".to_owned(), CHART.to_owned()),
                ("root/templates/apps.yaml".to_owned(), template),
                (
                    "root/values.yaml".to_owned(),
                    format!("apps:\n{}", repeat(n, |at| format!("- a{at}\n"))),
                ),
            ];
            files.extend(single("argo.yaml", application("root", "root", "")));
            files.extend(gpu_pool());
            files.extend(each(n, |at| {
                (
                    format!("apps/a{at}/web.yaml"),
                    deployment("web", "nodeSelector: {acme.com/pool: gpu}\n"),
                )
            }));
            files
        },
    },
];
