//! Cases with many clusters, and with many objects that deliver to them.

use crate::kinds::{deployment, each, node_pool, repeat, single, word};
use crate::{CHECK, Case, Files};

/// A workload and a pool for each of many clusters.
fn of_clusters(count: usize) -> Files {
    let mut files = each(count, |at| {
        let lines = format!("nodeSelector: {{acme.com/pool: p{at}}}\n");
        (
            format!("clusters/c{at}/web.yaml"),
            deployment("web", &lines),
        )
    });
    files.extend(each(count, |at| {
        let taints = "{key: acme.com/gpu, value: v, effect: NoSchedule}";
        (
            format!("clusters/c{at}/pool.yaml"),
            node_pool("gpu", &format!("p{at}"), taints),
        )
    }));
    files
}

fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

fn with(mut files: Files, path: &str, text: String) -> Files {
    files.push((path.to_owned(), text));
    files
}

const CONFIGURATION: &str = ".kubetaint.yaml";

pub const CASES: &[Case] = &[
    Case {
        name: "clusters by captured names",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let text =
                "clusters:\n  'x-{cluster}': {paths: ['clusters/{cluster}/**'], complete: true}\n";
            with(of_clusters(n), CONFIGURATION, text.to_owned())
        },
    },
    Case {
        name: "clusters by names captured in words",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let text = "clusters:\n  'x-{cluster}': {paths: ['**/{cluster}*/**', '**/values-{cluster}.yaml'], complete: true}\n";
            with(of_clusters(n), CONFIGURATION, text.to_owned())
        },
    },
    Case {
        name: "clusters that are listed",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let list = repeat(n, |at| {
                format!("  c{at}: {{paths: ['clusters/c{at}/**'], complete: true}}\n")
            });
            with(of_clusters(n), CONFIGURATION, format!("clusters:\n{list}"))
        },
    },
    Case {
        name: "clusters by their folders",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: of_clusters,
    },
    Case {
        name: "clusters that Flux delivers to",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let mut files = of_clusters(n);
            files.extend(each(n, |at| {
                let text = flux("flux-system", &format!("./clusters/c{at}"));
                (format!("clusters/c{at}/flux-system/gotk-sync.yaml"), text)
            }));
            files
        },
    },
    Case {
        name: "clusters that share an application",
        arguments: CHECK,
        from: 100,
        to: 8_000,
        files: |n| {
            let mut files = single(
                "apps/web.yaml",
                deployment("web", "nodeSelector: {acme.com/pool: gpu}\n"),
            );
            files.extend(each(n, |at| {
                let text = flux("flux-system", &format!("./clusters/c{at}"));
                (format!("clusters/c{at}/flux-system/gotk-sync.yaml"), text)
            }));
            files.extend(each(n, |at| {
                (format!("clusters/c{at}/apps.yaml"), flux("apps", "./apps"))
            }));
            files.extend(each(n, |at| {
                let taints = format!("{{key: acme.com/gpu, value: v{at}, effect: NoSchedule}}");
                (
                    format!("clusters/c{at}/pool.yaml"),
                    node_pool("gpu", "gpu", &taints),
                )
            }));
            files
        },
    },
    Case {
        name: "Flux Kustomizations of one cluster",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let mut files = single(
                "clusters/a/flux-system/gotk-sync.yaml",
                flux("flux-system", "./clusters/a"),
            );
            files.extend(each(n, |at| {
                (
                    format!("clusters/a/{at}.yaml"),
                    flux(&format!("app-{at}"), &format!("./apps/{at}")),
                )
            }));
            files.extend(each(n, |at| {
                let lines = "nodeSelector: {acme.com/pool: gpu}\n";
                (
                    format!("apps/{at}/web.yaml"),
                    deployment(&format!("web-{at}"), lines),
                )
            }));
            files
        },
    },
    Case {
        name: "HelmReleases",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = each(n, |at| {
                (
                    format!("releases/{at}.yaml"),
                    format!(
                        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: r{at}, namespace: apps}}\nspec:\n  chart:\n    spec:\n      chart: falco\n      version: 99.0.0\n      sourceRef: {{kind: HelmRepository, name: falco-{at}, namespace: flux-system}}\n  values:\n    tolerations: [{{key: acme.com/{}, operator: Exists, value: v}}]\n",
                        word(at)
                    ),
                )
            });
            files.extend(each(n, |at| {
                (
                    format!("sources/{at}.yaml"),
                    format!("apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: falco-{at}, namespace: flux-system}}\nspec: {{url: 'https://falcosecurity.github.io/charts'}}\n"),
                )
            }));
            files
        },
    },
    Case {
        name: "elements of an ApplicationSet",
        arguments: CHECK,
        from: 250,
        to: 32_000,
        files: |n| {
            let elements = repeat(n, |at| format!("        - {{name: c{at}}}\n"));
            let text = format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  generators:\n  - list:\n      elements:\n{elements}  template:\n    metadata: {{name: 'app-{{{{name}}}}'}}\n    spec:\n      source: {{repoURL: 'https://example.com/acme/deploy.git', path: 'clusters/{{{{name}}}}'}}\n      destination: {{name: '{{{{name}}}}'}}\n"
            );
            with(of_clusters(n), "argocd/set.yaml", text)
        },
    },
    Case {
        name: "Applications of Argo CD",
        arguments: CHECK,
        from: 250,
        to: 16_000,
        files: |n| {
            let mut files = of_clusters(n);
            files.extend(each(n, |at| {
                (
                    format!("argocd/{at}.yaml"),
                    format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: app-{at}}}\nspec:\n  source: {{repoURL: 'https://example.com/acme/deploy.git', path: clusters/c{at}}}\n  destination: {{name: c{at}}}\n"),
                )
            }));
            files
        },
    },
    Case {
        name: "overlays over one base",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let mut files = single(
                "base/kustomization.yaml",
                "resources: [web.yaml]\n".to_owned(),
            );
            files.extend(single(
                "base/web.yaml",
                deployment("web", "nodeSelector: {acme.com/pool: gpu}\n"),
            ));
            files.extend(each(n, |at| {
                (
                    format!("overlays/o{at}/kustomization.yaml"),
                    format!("resources: [../../base]\nnamespace: n{at}\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {{name: web, namespace: shop}}\n    spec: {{template: {{spec: {{tolerations: [{{key: acme.com/k{at}, operator: Exists}}]}}}}}}\n"),
                )
            }));
            files
        },
    },
    Case {
        name: "patches of one target",
        arguments: CHECK,
        from: 100,
        to: 16_000,
        files: |n| {
            let patches = repeat(n, |at| {
                format!(
                    "- target: {{kind: Deployment, name: web}}\n  patch: |-\n    - {{op: add, path: /spec/template/spec/nodeSelector/k{at}, value: v}}\n"
                )
            });
            let mut files = single(
                "base/web.yaml",
                deployment("web", "nodeSelector: {acme.com/pool: gpu}\n"),
            );
            files.extend(single(
                "base/kustomization.yaml",
                format!("resources: [web.yaml]\npatches:\n{patches}"),
            ));
            files
        },
    },
    Case {
        name: "patches that each replace a list",
        arguments: CHECK,
        from: 100,
        to: 8_000,
        files: |n| {
            let patches = repeat(n, |at| {
                format!(
                    "- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {{name: web-{at}, namespace: shop}}\n    spec: {{template: {{spec: {{tolerations: [{{key: acme.com/k{at}, operator: Exists}}]}}}}}}\n"
                )
            });
            let names = repeat(n, |at| format!("- web-{at}.yaml\n"));
            let mut files = each(n, |at| {
                let lines = "tolerations: [{key: acme.com/gpu, operator: Exists}]\n";
                (
                    format!("base/web-{at}.yaml"),
                    deployment(&format!("web-{at}"), lines),
                )
            });
            files.extend(single(
                "base/kustomization.yaml",
                format!("resources:\n{names}patches:\n{patches}"),
            ));
            files
        },
    },
    Case {
        name: "kustomizations above one another",
        arguments: CHECK,
        from: 10,
        to: 320,
        files: |n| {
            let mut files = each(n, |at| {
                (
                    format!("k{at}/kustomization.yaml"),
                    format!("resources: [../k{}, web.yaml]\n", at + 1),
                )
            });
            files.extend(each(n + 1, |at| {
                (
                    format!("k{at}/web.yaml"),
                    deployment(&format!("web-{at}"), "nodeSelector: {a: b}\n"),
                )
            }));
            files.extend(single(
                &format!("k{n}/kustomization.yaml"),
                "resources: [web.yaml]\n".to_owned(),
            ));
            files
        },
    },
];
