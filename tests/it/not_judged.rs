//! A workload counted as not judged for a reason must have no finding that depends on that reason. Each bad example of
//! every rule gets something that may add tolerations. A remaining finding must occur whether or not they are added. Each
//! undecided object must be listed, and the summary must count the list.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;

use crate::builtin::RULES;
use crate::program::{GOOD, repo, run};
use crate::samples::BLOCKED;
use kubetaint::finding::{Report, Severity};
use kubetaint::rule::schema::Scope;
use kubetaint::verify;
use rayon::prelude::*;

type Files = Vec<(String, String)>;

/// The identity of a finding across runs: rule, file, field path, and its index among equal ones.
type Found = BTreeSet<(String, String, String, u32)>;

/// Something that may add tolerations, and its possible outcomes.
struct Doubt {
    name: &'static str,
    /// The files with the unknown source of tolerations.
    open: fn(&Files) -> Option<Files>,
    /// The same files with no toleration added, and with a toleration of everything.
    settled: fn(&Files) -> Option<[Files; 2]>,
    /// A part of the listed reason, or `None` if it depends on the pools whether there is one.
    because: Option<&'static str>,
}

const BLANKET: &str = "[{operator: Exists}]";

const DOUBTS: [Doubt; 7] = [
    Doubt {
        name: "default tolerations of a Namespace, which apply only if a plugin is enabled",
        open: |files| Some(beside(&in_namespace(files)?, &namespace(true))),
        settled: |files| {
            let inside = in_namespace(files)?;
            let given = beside(&inside, &namespace(true));
            Some([
                beside(&inside, &namespace(false)),
                with_plugin(&given, "PodTolerationRestriction")?,
            ])
        },
        because: Some(
            "Namespace `doubt` (zz-doubt.yaml:4) has default tolerations, which apply only if",
        ),
    },
    Doubt {
        name: "default tolerations of a Namespace that a template fills in",
        open: |files| {
            let text = namespace(true).replace("'[", "'{{ x }}[");
            Some(beside(&in_namespace(files)?, &text))
        },
        settled: |files| {
            let inside = in_namespace(files)?;
            let given = beside(&inside, &namespace(true));
            Some([
                beside(&inside, &namespace(false)),
                with_plugin(&given, "PodTolerationRestriction")?,
            ])
        },
        because: Some(
            "Namespace `doubt` (zz-doubt.yaml:4) has default tolerations that could not be read",
        ),
    },
    Doubt {
        name: "a RuntimeClass that is not there",
        open: |files| of_class(files),
        settled: |files| settled_class(files),
        because: Some("RuntimeClass `doubt` is not in this repository"),
    },
    Doubt {
        name: "a RuntimeClass with tolerations that a template fills in",
        open: |files| Some(beside(&of_class(files)?, &class("['{{ x }}']"))),
        settled: |files| settled_class(files),
        because: Some(
            "RuntimeClass `doubt` (zz-doubt.yaml:3) has tolerations that could not be read",
        ),
    },
    Doubt {
        name: "a policy that adds tolerations",
        open: |files| has_pods(files).then(|| beside(files, POLICY)),
        settled: |files| settled_class(files),
        because: Some("ClusterPolicy `add-tolerations` (zz-doubt.yaml:3) may add tolerations"),
    },
    Doubt {
        name: "a patch of a Kustomization that adds tolerations",
        open: patched,
        settled: |files| settled_class(files),
        because: Some("patched by zz-doubt.yaml:"),
    },
    Doubt {
        name: "a plugin that may add tolerations for requested resources",
        open: |files| requests_devices(files).then(|| files.clone()),
        settled: |files| {
            let with = |plugin| with_plugin(files, plugin);
            Some([
                with("PodNodeSelector")?,
                with("ExtendedResourceToleration")?,
            ])
        },
        because: None,
    },
];

/// Rules that report such a doubt themselves, in a note that says what it depends on.
const SAYS_SO: [&str; 1] = ["accelerator-request-without-toleration"];

fn requests_devices(files: &Files) -> bool {
    let is_asked = |text: &str| text.contains("limits") && text.contains("/gpu");
    files.iter().any(|(_, text)| is_asked(text)) && has_pods(files)
}

/// The files with a Kustomization that includes them and patches every object.
fn patched(files: &Files) -> Option<Files> {
    let own = |text: &str| text.contains("Kustomization") || text.contains("patches");
    if !has_pods(files) || files.iter().any(|(_, text)| own(text)) {
        return None;
    }
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let text = format!(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [{}]\npatches:\n  - target: {{kind: \
         \".*\"}}\n    patch: |\n      - {{op: add, path: /spec/tolerations, value: []}}\n",
        paths.join(", ")
    );
    Some(beside(files, &text))
}

const POLICY: &str = "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: add-tolerations}
spec:
  rules:
    - name: add
      match: {any: [{resources: {kinds: [Pod]}}]}
      mutate:
        patchStrategicMerge:
          spec:
            tolerations:
              - {key: '{{ request.object.metadata.labels.team }}', operator: Exists}
";

fn namespace(says: bool) -> String {
    let annotations = match says {
        true => {
            "\n  annotations:\n    scheduler.alpha.kubernetes.io/defaultTolerations: '[{\"operator\": \"Exists\"}]'"
        }
        false => "",
    };
    format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: doubt{annotations}\n")
}

fn class(tolerations: &str) -> String {
    format!(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {{name: doubt}}\nhandler: x\nscheduling: {{tolerations: \
         {tolerations}}}\n"
    )
}

fn settled_class(files: &Files) -> Option<[Files; 2]> {
    let of_class = of_class(files)?;
    let silent = beside(&of_class, &class("[]"));
    Some([silent, beside(&of_class, &class(BLANKET))])
}

fn beside(files: &Files, text: &str) -> Files {
    let mut files = files.clone();
    files.push(("zz-doubt.yaml".to_owned(), text.to_owned()));
    files
}

const CONFIG: &str = ".kubetaint.yaml";

/// Enables a plugin, and no other except Kubernetes' defaults.
fn with_plugin(files: &Files, plugin: &str) -> Option<Files> {
    let mut files = files.clone();
    let line = &*format!("admission: [{plugin}]\n");
    match files.iter_mut().find(|(path, _)| path == CONFIG) {
        Some((_, text)) if text.contains("admission:") => return None,
        Some((_, text)) => text.insert_str(0, line),
        None => files.push((CONFIG.to_owned(), line.to_owned())),
    }
    Some(files)
}

fn has_pods(files: &Files) -> bool {
    files
        .iter()
        .any(|(_, text)| documents(text).any(is_workload))
}

fn documents(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive("\n---")
}

/// Whether a document is an object of a built-in kind with a pod template.
fn is_workload(document: &str) -> bool {
    let kinds = [
        "Pod",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "ReplicaSet",
        "Job",
        "CronJob",
    ];
    let is = |kind: &str| {
        document
            .lines()
            .any(|line| line.trim_end() == format!("kind: {kind}"))
    };
    kinds.iter().any(|kind| is(kind)) && document.contains("containers:")
}

/// The files with each workload changed, or `None` if there is none or the change does not apply to one.
fn each_workload(files: &Files, change: impl Fn(&str) -> Option<String>) -> Option<Files> {
    if !has_pods(files) {
        return None;
    }
    files
        .iter()
        .map(|(path, text)| {
            let changed: Option<String> = documents(text)
                .map(|document| match is_workload(document) {
                    true => change(document),
                    false => Some(document.to_owned()),
                })
                .collect();
            Some((path.clone(), changed?))
        })
        .collect()
}

fn in_namespace(files: &Files) -> Option<Files> {
    each_workload(files, |document| {
        if document.contains("namespace:") {
            return None;
        }
        let flow = "\nmetadata: {";
        let block = "\nmetadata:\n  ";
        match (document.find(flow), document.find(block)) {
            (Some(_), _) => Some(document.replacen(flow, &format!("{flow}namespace: doubt, "), 1)),
            (_, Some(_)) => {
                Some(document.replacen(block, &format!("{block}namespace: doubt\n  "), 1))
            }
            _ => None,
        }
    })
}

fn of_class(files: &Files) -> Option<Files> {
    each_workload(files, |document| {
        if document.contains("runtimeClassName") {
            return None;
        }
        let at = document.find("containers:")?;
        let line = document[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &document[line..at];
        let with = match before.trim().is_empty() {
            true => format!("runtimeClassName: doubt\n{before}"),
            false => "runtimeClassName: doubt, ".to_owned(),
        };
        Some(format!("{}{with}{}", &document[..at], &document[at..]))
    })
}

fn judged(files: &Files) -> Report {
    crate::builtin::judged(&RULES, files, verify::SUPPRESSIONS)
}

fn found(report: &Report, counts: impl Fn(Severity, Scope) -> bool) -> Found {
    let mut found = Found::new();
    for finding in &report.findings {
        let rule = RULES.get(&finding.rule).expect("a finding has a rule");
        if !counts(finding.severity, rule.scope) {
            continue;
        }
        let source = &report.sources[&finding.span.source];
        let before = &source.text[..finding.span.start as usize];
        let document = u32::try_from(before.matches("\n---").count()).unwrap_or(u32::MAX);
        found.insert((
            finding.rule.clone(),
            source.path.clone(),
            finding.path.clone(),
            document,
        ));
    }
    found
}

fn is_about_objects(scope: Scope) -> bool {
    matches!(scope, Scope::Workload | Scope::Pool)
}

#[test]
fn what_is_not_judged_for_a_reason_is_not_held_against_it_for_the_same_reason() {
    let examples: Vec<_> = RULES
        .iter()
        .flat_map(|rule| rule.examples.iter().map(move |example| (rule, example)))
        // Invalid YAML has no pods, and only one of several duplicate keys is read.
        .filter(|(rule, _)| !["unparsable-manifest", "duplicate-yaml-key"].contains(&&*rule.id))
        .filter(|(_, example)| example.bad)
        .collect();
    let tried: Vec<(usize, Vec<String>)> = examples
        .par_iter()
        .map(|(rule, example)| {
            let (mut times, mut wrong) = (0, Vec::new());
            for doubt in &DOUBTS {
                let at = format!("{} {}, {}", rule.id, example.name(), doubt.name);
                let (Some(open), Some(settled)) = (
                    (doubt.open)(&example.files),
                    (doubt.settled)(&example.files),
                ) else {
                    continue;
                };
                times += 1;
                let report = judged(&open);
                let [without, with] = settled.map(|files| judged(&files));
                let here = found(&report, |_, scope| is_about_objects(scope));
                for settled in [&without, &with] {
                    let there = found(settled, |_, _| true);
                    let more = here
                        .difference(&there)
                        .filter(|(rule, ..)| !SAYS_SO.contains(&rule.as_str()));
                    wrong.extend(more.map(|one| format!("{at}: {one:?}")));
                }
                // Errors in what is written do not depend on what is added.
                let errors =
                    |severity, scope| severity == Severity::Error && !is_about_objects(scope);
                let (all, there) = (found(&report, |_, _| true), found(&without, errors));
                let both: Found = there.intersection(&found(&with, errors)).cloned().collect();
                let lost = both.difference(&all);
                wrong.extend(lost.map(|one| format!("{at}: lost {one:?}")));
                let names = |because| {
                    let mut all = report.not_judged.iter();
                    all.any(|one| one.because.contains(because))
                };
                if !doubt.because.is_none_or(names) {
                    let listed: Vec<_> = report.not_judged.iter().map(|one| &one.because).collect();
                    wrong.push(format!("{at}: not listed, but {listed:?}"));
                }
            }
            (times, wrong)
        })
        .collect();
    let times: usize = tried.iter().map(|(times, _)| times).sum();
    let wrong: BTreeSet<String> = tried.into_iter().flat_map(|(_, wrong)| wrong).collect();
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(times > 150, "{times} situations were tried");
}

#[test]
fn the_list_is_what_the_summary_counts_and_names_nothing_twice() {
    let rules: Vec<_> = RULES.iter().collect();
    rules.par_iter().for_each(|rule| {
        for example in rule.examples.iter().filter(|example| example.bad) {
            let report = judged(&example.files);
            let counted: u32 = report.counts.not_judged.values().sum();
            assert_eq!(counted as usize, report.not_judged.len(), "{}", rule.id);
            let distinct: BTreeSet<_> = report.not_judged.iter().collect();
            assert_eq!(distinct.len(), report.not_judged.len(), "{}", rule.id);
            assert!(report.not_judged.is_sorted(), "{}", rule.id);
        }
    });
}

/// The list for these files, as printed by `-v`.
fn listed(files: &[(&str, &str)]) -> Vec<String> {
    let report = crate::builtin::judged(&RULES, files, verify::SUPPRESSIONS);
    let all = report.not_judged.iter();
    all.map(|one| {
        let object = one.object.as_deref();
        let name = object.and_then(|object| object.name.as_deref());
        let (line, because) = (one.start.line, &one.because);
        format!("{}:{line} {}: {because}", one.file, name.unwrap_or("-"))
    })
    .collect()
}

#[test]
fn a_workload_that_a_kustomization_patches_names_the_patch() {
    let kustomization = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec:
  path: ./${folder}
  patches:
  - target: {kind: Deployment, name: web}
    patch: |
      - {op: add, path: /spec/template/spec/tolerations, value: []}
";
    let files = [
        ("base/web.yaml", BLOCKED),
        ("flux/apps.yaml", kustomization),
    ];
    let patched = "base/web.yaml:3 web: patched by flux/apps.yaml:7";
    assert!(listed(&files).contains(&patched.to_owned()));
}

fn pool(taints: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: gpu}}\nspec:\n  template:\n    metadata: {{labels: \
         {{pool: gpu}}}}\n    spec:\n      taints: {taints}\n"
    )
}

#[test]
fn a_pod_whose_toleration_a_plugin_may_add_says_so() {
    let gpu = "{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}";
    let web = BLOCKED.replace("{name: a, image: b}", gpu);
    let pool = pool("[{key: nvidia.com/gpu, value: present, effect: NoSchedule}]");
    let files = [("apps/web.yaml", web.as_str()), ("pools.yaml", &pool)];
    let because = "GPU pods: ExtendedResourceToleration may add a toleration for `nvidia.com/gpu`";
    assert_eq!(listed(&files), [format!("apps/web.yaml:3 web: {because}")]);
    // Without a request the same pod is judged, and nothing is undecided.
    let files = [("apps/web.yaml", BLOCKED), ("pools.yaml", &pool)];
    assert_eq!(listed(&files), [] as [&str; 0]);
}

#[test]
fn each_workload_that_one_pool_leaves_open_names_the_pool() {
    let pool = pool("[{key: example.com/gpu, value: \"${VALUE}\", effect: NoSchedule}]");
    let entry = "      tolerations: [{key: example.com/gpu, value: x}]\n      containers";
    let texts: Vec<(String, String)> = (0..40)
        .map(|at| {
            let web = BLOCKED.replace("name: web", &format!("name: web-{at:02}"));
            let web = web.replace("      containers", entry);
            (format!("apps/web-{at:02}.yaml"), web)
        })
        .collect();
    let mut files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    files.push(("pools.yaml", &pool));
    let listed = listed(&files);
    assert_eq!(listed.len(), 41, "{listed:#?}");
    let because = "node pool `gpu` (pools.yaml:3) has unknown taints";
    for (at, line) in listed.iter().take(40).enumerate() {
        let wanted = format!("apps/web-{at:02}.yaml:3 web-{at:02}: {because}");
        assert!(line.starts_with(&wanted), "{line}");
    }
    assert!(listed[40].starts_with("pools.yaml:3 gpu: some of its taints are unknown"));
}

#[test]
fn what_is_written_and_not_literal_is_shown_at_its_place() {
    let web = BLOCKED.replace("{pool: gpu}", "{pool: \"${POOL}\"}");
    let shown = "apps/web.yaml:7 web: `pool: \"${POOL}\"` is filled in later";
    assert_eq!(listed(&[("apps/web.yaml", &web)]), [shown]);
    // A rejection by the API server is a verdict: it is an error, and nothing is undecided.
    let web = BLOCKED.replace("{pool: gpu}", "{pool: true}");
    assert_eq!(listed(&[("apps/web.yaml", &web)]), [] as [&str; 0]);
}

#[test]
fn a_workload_that_its_namespace_may_cover_lacks_no_usual_toleration() {
    let arm = |name: &str, namespace: &str, list: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec:\n  nodeSelector: \
             {{kubernetes.io/arch: arm64}}\n  tolerations: {list}\n  containers: [{{name: a, image: b}}]\n"
        )
    };
    let usual = "[{key: example.com/arm, operator: Exists}]";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: covered\n  annotations:\n    \
                     scheduler.alpha.kubernetes.io/defaultTolerations: '[{\"key\": \"example.com/arm\"}]'\n";
    let mut files: Files = (0..12)
        .map(|at| {
            let name = format!("pod-{at}");
            (format!("{name}.yaml"), arm(&name, "shop", usual))
        })
        .collect();
    files.push(("namespaces.yaml".to_owned(), namespace.to_owned()));
    let found = |namespace: &str| {
        let mut files = files.clone();
        files.push(("odd.yaml".to_owned(), arm("odd", namespace, "[]")));
        let report = judged(&files);
        let rules = report.findings.iter().map(|one| one.rule.clone());
        let open = report.not_judged.iter().map(|one| one.because.to_string());
        (rules.collect::<Vec<_>>(), open.collect::<Vec<_>>())
    };
    let (rules, open) = found("shop");
    assert_eq!(rules, ["missing-usual-toleration"]);
    assert_eq!(open, [] as [&str; 0]);
    let (rules, open) = found("covered");
    assert_eq!(rules, [] as [&str; 0]);
    let because = "Namespace `covered` (namespaces.yaml:4) has default tolerations, which apply \
                   only if PodTolerationRestriction is enabled";
    assert_eq!(open, [because]);
}

#[test]
fn a_pool_that_an_unread_document_may_tolerate_is_listed_with_that_document() {
    let config = "clusters:\n  prod:\n    paths: [\"**\"]\n    complete: true\n";
    let pool = pool("[{key: example.com/gpu, effect: NoSchedule}]");
    let broken = "apiVersion: v1\nkind: Pod\nspec:\n  {{ if x }}\n  tolerations: []\n";
    let files = [
        (".kubetaint.yaml", config),
        ("apps/a.yaml", broken),
        ("apps/web.yaml", BLOCKED),
        ("pools.yaml", &pool),
    ];
    let listed = listed(&files);
    let expected = [
        "apps/a.yaml:4 -: its template cannot be parsed: this block has no `end`",
        "pools.yaml:3 gpu: the document at apps/a.yaml:5 could not be read and may tolerate its taints",
    ];
    assert_eq!(listed, expected);
}

#[test]
fn a_cluster_whose_pools_may_stand_in_an_unread_document_is_listed_where_it_claims_to_be_complete()
{
    let config =
        "kubernetes: \"1.34\"\nclusters:\n  prod:\n    paths: [\"**\"]\n    complete: true\n";
    let broken =
        "{{ if x }}\napiVersion: karpenter.sh/v1\nkind: NodePool\nspec: {{ y }}: [\n{{ end }}\n";
    let pool = pool("[]");
    let files = [
        (".kubetaint.yaml", config),
        ("apps/web.yaml", BLOCKED),
        ("pools.yaml", &pool),
        ("template.yaml", broken),
    ];
    let listed = listed(&files);
    let because = "cluster `prod`: the document at template.yaml:";
    let found = listed
        .iter()
        .any(|line| line.starts_with(&format!(".kubetaint.yaml:3 -: {because}")));
    assert!(found, "{listed:#?}");
}

#[test]
fn a_jsonnet_file_is_listed_if_it_mentions_scheduling() {
    let tolerating = "{ spec: { tolerations: [{ key: 'a', operator: 'Exist' }] } }";
    let folder = repo(&[
        ("a.yaml", GOOD),
        ("pods.jsonnet", tolerating),
        (
            "lib/pools.libsonnet",
            "{ pool:: { taints: [{ key: 'a' }] } }",
        ),
        (
            "vendor/k8s/core.libsonnet",
            "{ withTolerations(list):: { tolerations: list } }",
        ),
        ("dashboards.jsonnet", "{ title: 'nodes' }"),
    ]);
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let listed: Vec<_> = report["not_judged"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let files: Vec<_> = listed.iter().map(|one| one["file"].as_str()).collect();
    assert_eq!(files, [Some("lib/pools.libsonnet"), Some("pods.jsonnet")]);
    assert_eq!(listed[0]["because"], "jsonnet, which is not evaluated");
    // One that is named explicitly is not taken for YAML.
    let named = run(
        folder.path(),
        &["check", "--format", "json", "pods.jsonnet", "a.yaml"],
    );
    assert_eq!(
        (named.code, &named.json()["findings"]),
        (0, &serde_json::json!([]))
    );
    assert_eq!(named.json()["not_judged"][0]["file"], "pods.jsonnet");
}

#[test]
fn a_program_is_listed_if_it_declares_node_pools() {
    let pulumi = "import pulumi_aws as aws\naws.eks.NodeGroup('gpu', taints=[{'key': 'a'}])\n";
    let cdk = "import * as eks from 'aws-cdk-lib/aws-eks';\ncluster.addNodegroupCapacity('gpu', {taints: []});\n";
    let go = "import (\n\t\"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/eks\"\n)\nfunc a() { eks.NewNodeGroup(ctx, \"gpu\", nil) }\n";
    let java = "import software.amazon.awscdk.services.eks.*;\ncluster.addNodegroupCapacity(\"gpu\", a);\n";
    let net = "using Pulumi.Gcp.Container;\nvar gpu = new NodePool(\"gpu\");\n";
    // A near miss: what it imports creates no pools.
    let scan = "import scanner\ntaints = scanner.taints('gpu')\n";
    let folder = repo(&[
        ("a.yaml", GOOD),
        ("infra/__main__.py", pulumi),
        ("infra/stack.ts", cdk),
        ("go/Pulumi.yaml", "name: pools\nruntime: go\n"),
        ("go/pools/main.go", go),
        // A near miss: nothing says that this is run.
        ("operator/main.go", go),
        ("java/cdk.json", "{\"app\": \"mvn exec:java\"}"),
        ("java/src/Pools.java", java),
        ("net/Pulumi.yaml", "name: pools\nruntime: dotnet\n"),
        ("net/Pools.cs", net),
        ("tools/scan.py", scan),
        (
            "tools/bucket.py",
            "import pulumi_aws as aws\naws.s3.Bucket('a')\n",
        ),
    ]);
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let listed = report["not_judged"].as_array().expect("a list").iter();
    let listed: Vec<(&str, &str)> = listed
        .map(|one| {
            let text = |key: &str| one[key].as_str().expect("a text");
            (text("file"), text("because"))
        })
        .collect();
    let because = "a program that declares node pools, which is not run";
    assert_eq!(
        listed,
        [
            ("go/pools/main.go", because),
            ("infra/__main__.py", because),
            ("infra/stack.ts", because),
            ("java/src/Pools.java", because),
            ("net/Pools.cs", because),
        ]
    );
}
