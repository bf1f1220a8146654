//! Rendered manifests: standard input that names its templates, and what helm and kustomize print on request. Small scripts
//! stand for these programs; `.ci/render/run` uses the real ones.

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
                "<stdin>:10:5: warning[selected-pool-not-tolerated",
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

/// Programs that print the file `printed` of the folder that they are asked to render.
#[cfg(unix)]
mod programs {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;
    use std::{env, fs};

    use super::{CHART, POOL, PRINTED, TEMPLATE};
    use crate::program::{Run, command, repo};

    const HELM: &str = "[ $1 = template ] && exec /bin/cat \"$3/printed\"";
    const KUSTOMIZE: &str = "[ $3 = LoadRestrictionsRootOnly ] && exec /bin/cat \"$4/printed\"";

    /// Checks a folder with these scripts on the PATH.
    fn rendered(folder: &Path, scripts: &[(&str, &str)], arguments: &[&str]) -> Run {
        let programs = tempfile::TempDir::new().unwrap();
        for (name, script) in scripts {
            let path = programs.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let paths = [programs.path().to_path_buf(), "/nowhere".into()];
        let all = [&["check", "--format", "concise"], arguments].concat();
        let mut command = command(folder, &all);
        Run::of(
            command
                .env("PATH", env::join_paths(paths).unwrap())
                .output()
                .unwrap(),
        )
    }

    const VALUES: &str = "enabled: true
tolerations:
  - key: \"x\"
    operator: \"Exist\" # wrong
    effect: NoSchedule
";

    #[test]
    fn what_helm_prints_is_found_where_it_is_written_and_said_once() {
        let folder = repo(&[
            ("web/Chart.yaml", CHART),
            ("web/values.yaml", VALUES),
            ("web/templates/pod.yaml", TEMPLATE),
            ("web/printed", PRINTED),
            ("pools.yaml", POOL),
        ]);
        let without = rendered(folder.path(), &[], &[]);
        assert_eq!(
            without.places(),
            [
                "web/templates/pod.yaml:14:7: error[value-with-exists",
                "web/values.yaml:4:5: error[unknown-operator",
            ]
        );
        let with = rendered(folder.path(), &[("helm", HELM)], &["--render", "helm"]);
        assert_eq!(
            (with.code, with.places()),
            (
                1,
                vec![
                    "web/templates/pod.yaml:9:5: warning[selected-pool-not-tolerated",
                    "web/templates/pod.yaml:14:7: error[value-with-exists",
                    "web/values.yaml:4:5: error[unknown-operator",
                ]
            ),
            "{}",
            with.err
        );
    }

    #[test]
    fn a_value_that_only_rendering_shows_is_judged() {
        let template = TEMPLATE.replace("operator: Exists", "operator: {{ .Values.how }}");
        let folder = repo(&[
            ("web/Chart.yaml", CHART),
            ("web/templates/pod.yaml", &template),
            (
                "web/printed",
                &PRINTED
                    .replace("operator: Exists", "operator: Exits")
                    .replace("Exist\n", "Exists\n"),
            ),
        ]);
        assert_eq!(rendered(folder.path(), &[], &[]).out, "");
        let with = rendered(folder.path(), &[("helm", HELM)], &["--render", "helm"]);
        assert_eq!(
            with.places(),
            ["web/templates/pod.yaml:13:7: error[unknown-operator"],
            "{}",
            with.err
        );
    }

    #[test]
    fn what_kustomize_prints_is_found_in_the_files_that_it_comes_from() {
        let pod = PRINTED
            .replace("# Source: web/templates/pod.yaml\n", "")
            .replace("value: w\n", "");
        let printed = pod
            .replace("name: release", "name: prod-release")
            .replace("gpu\n", "gpu\n    zone: a\n");
        let folder = repo(&[
            ("base/kustomization.yaml", "resources: [pod.yaml]\n"),
            ("base/pod.yaml", &pod),
            (
                "prod/kustomization.yaml",
                "namePrefix: prod-\nresources: [../base]\npatches: [{path: patch.yaml}]\n",
            ),
            (
                "prod/patch.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: release\nspec:\n  nodeSelector:\n    zone: a\n",
            ),
            ("prod/printed", &printed),
            ("pools.yaml", POOL),
        ]);
        let scripts = [("kustomize", KUSTOMIZE)];
        let with = rendered(folder.path(), &scripts, &["--render", "kustomize"]);
        assert_eq!(
            (with.code, with.places()),
            (1, vec!["base/pod.yaml:13:7: error[unknown-operator"]),
            "{}",
            with.err
        );
        let printed = printed.replace("operator: Exist\n", "operator: Exit\n");
        fs::write(folder.path().join("prod/printed"), printed).unwrap();
        let with = rendered(folder.path(), &scripts, &["--render", "kustomize"]);
        // Nothing says where this value comes from.
        assert_eq!(
            with.places(),
            [
                "base/pod.yaml:13:7: error[unknown-operator",
                "prod/kustomization.yaml:1:1: error[unknown-operator",
            ]
        );
    }

    #[test]
    fn what_is_not_rendered_is_a_problem_and_nothing_else_is_lost() {
        let folder = repo(&[
            ("a/Chart.yaml", CHART),
            ("a/printed", PRINTED),
            ("b/Chart.yaml", CHART),
            (
                "far/kustomization.yaml",
                "resources: ['github.com/a/b?ref=c']\n",
            ),
            ("link/Chart.yaml", CHART),
            ("odd/Chart.yaml", CHART),
            ("odd/printed", "a: [\n---\nkind: ]\n"),
        ]);
        symlink("/etc/passwd", folder.path().join("link/values.yaml")).unwrap();
        let helm = format!(
            "[ -e \"$3/printed\" ] || {{ echo 'Error: no such thing' >&2; exit 1; }}\n{HELM}"
        );
        let with = rendered(
            folder.path(),
            &[("helm", &helm)],
            &["--render", "helm,kustomize"],
        );
        assert_eq!(
            (with.code, with.places()),
            (
                2,
                vec![
                    "a/Chart.yaml:1:1: error[unknown-operator",
                    "a/Chart.yaml:1:1: error[value-with-exists",
                ]
            ),
            "{}",
            with.err
        );
        for told in [
            "error: --render kustomize: `kustomize` is not on the PATH\n",
            "error: b/Chart.yaml: not rendered by helm: Error: no such thing\n",
            "error: link/Chart.yaml: not rendered by helm: `link/values.yaml` points outside the repository\n",
        ] {
            assert!(with.err.contains(told), "{}", with.err);
        }
        let with = rendered(
            folder.path(),
            &[("kustomize", KUSTOMIZE)],
            &["--render", "kustomize"],
        );
        let told = "far/kustomization.yaml: not rendered by kustomize: it includes `github.com/a/b?ref=c`, which is not in \
                    the repository\n";
        assert!(with.code == 2 && with.err.contains(told), "{}", with.err);
        let with = rendered(folder.path(), &[], &["--render", "helm", "--fix"]);
        assert_eq!(with.code, 2);
    }
}
