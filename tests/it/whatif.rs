//! `kubetaint whatif`: what each kind of change does, what changes nothing, and what cannot be answered.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used)]

use crate::program::{Run, repo, run};
use serde_json::Value;

const COMPLETE: &str = "clusters: {prod: {paths: [\"**\"], complete: true}}\n";

fn pool(name: &str, taints: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    \
         metadata: {{labels: {{acme.com/pool: {name}}}}}\n    spec:\n      \
         nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}\n      taints: {taints}\n"
    )
}

/// A workload with more lines of its pod spec.
fn workload(kind: &str, name: &str, lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("      {line}\n")).collect();
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec:\n      containers: [{{name: a, image: a}}]\n{}",
        lines.concat()
    )
}

const GPU: &str = "nodeSelector: {acme.com/pool: gpu}";
const WEB: &str = "nodeSelector: {acme.com/pool: web}";
const TOLERATES: &str = "tolerations: [{key: acme.com/gpu, operator: Exists, effect: NoSchedule}]";
const FOR_A_MINUTE: &str = "tolerations: [{key: acme.com/gpu, operator: Exists}, {key: acme.com/new, operator: Exists, \
     effect: NoExecute, tolerationSeconds: 60}]";
const ALL: &str = "tolerations: [{operator: Exists}]";

/// Pools gpu (tainted) and web, and workloads that land on: gpu, web, web, gpu, both, both.
fn files() -> Vec<(&'static str, String)> {
    vec![
        (".kubetaint.yaml", COMPLETE.to_owned()),
        (
            "pools/gpu.yaml",
            pool(
                "gpu",
                "[{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]",
            ),
        ),
        ("pools/web.yaml", pool("web", "[]")),
        (
            "apps/train.yaml",
            workload("Deployment", "train", &[GPU, TOLERATES]),
        ),
        ("apps/site.yaml", workload("Deployment", "site", &[WEB])),
        ("apps/any.yaml", workload("Deployment", "any", &[])),
        (
            "apps/brief.yaml",
            workload("StatefulSet", "brief", &[GPU, FOR_A_MINUTE]),
        ),
        ("apps/agent.yaml", workload("DaemonSet", "agent", &[ALL])),
        (
            "apps/both.yaml",
            workload("Deployment", "both", &[TOLERATES]),
        ),
    ]
}

fn asked(files: &[(&str, String)], arguments: &[&str]) -> Run {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let folder = repo(&files);
    let mut all = vec!["whatif"];
    all.extend(arguments);
    run(folder.path(), &all)
}

/// `name effect before -> after` of each workload, and the exit code.
fn effects_of(files: &[(&str, String)], arguments: &[&str]) -> (Vec<String>, i32) {
    let mut arguments = arguments.to_vec();
    arguments.extend(["-o", "json"]);
    let result = asked(files, &arguments);
    let document = result.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let names = |value: &Value| -> String {
        let names: Vec<String> = value.as_array().unwrap().iter().map(text).collect();
        names.join(",")
    };
    let workloads = document["workloads"].as_array().unwrap().iter().map(|one| {
        format!(
            "{} {} {} -> {}",
            text(&one["object"]["name"]),
            text(&one["effect"]),
            names(&one["before"]),
            names(&one["after"])
        )
    });
    (workloads.collect(), result.code)
}

fn effects(arguments: &[&str]) -> (Vec<String>, i32) {
    effects_of(&files(), arguments)
}

fn some(lines: &[&str], code: i32) -> (Vec<String>, i32) {
    (lines.iter().map(|line| (*line).to_owned()).collect(), code)
}

#[test]
fn a_no_execute_taint_evicts_at_once_or_after_seconds_and_leaves_who_tolerates_it() {
    let change = ["--taint", "gpu=acme.com/new=1:NoExecute"];
    assert_eq!(
        effects(&change),
        some(
            &[
                "both evicted gpu,web -> web",
                "train evicted gpu -> ",
                "brief evicted gpu -> gpu"
            ],
            1
        )
    );
    let seconds = asked(&files(), &[&change[..], &["-o", "json"]].concat()).json();
    let seconds = seconds["workloads"].as_array().unwrap();
    let seconds: Vec<_> = seconds.iter().map(|one| one["seconds"].as_i64()).collect();
    assert_eq!(seconds, [Some(0), Some(0), Some(60)]);
}

#[test]
fn a_no_schedule_taint_makes_pods_pending_or_takes_a_pool_from_them() {
    assert_eq!(
        effects(&["--taint", "web=acme.com/new:NoSchedule"]),
        some(
            &[
                "any pending web -> ",
                "site pending web -> ",
                "both loses gpu,web -> gpu"
            ],
            1
        )
    );
    // A soft taint keeps nobody out.
    assert_eq!(
        effects(&["--taint", "web=acme.com/new:PreferNoSchedule"]),
        some(&[], 0)
    );
}

#[test]
fn without_its_taint_a_pool_is_gained_and_tolerations_of_it_are_idle() {
    let change = ["--untaint", "gpu=acme.com/gpu"];
    assert_eq!(effects(&change), some(&["any gains web -> gpu,web"], 0));
    let result = asked(&files(), &[&change[..], &["-o", "json"]].concat()).json();
    let idle = result["idle"].as_array().unwrap().iter();
    let idle: Vec<&str> = idle
        .map(|one| one["place"]["file"].as_str().unwrap())
        .collect();
    // The agent's entry is for every key.
    assert_eq!(
        idle,
        ["apps/both.yaml", "apps/brief.yaml", "apps/train.yaml"]
    );
}

#[test]
fn a_removed_pool_leaves_those_who_select_it_pending() {
    assert_eq!(
        effects(&["--remove-pool", "gpu"]),
        some(
            &[
                "train pending gpu -> ",
                "brief pending gpu -> ",
                "agent loses gpu,web -> web",
                "both loses gpu,web -> web"
            ],
            1
        )
    );
}

#[test]
fn a_daemon_set_that_loses_a_pool_fails_and_a_deployment_does_not() {
    let mut files = files();
    files.retain(|(path, _)| !["apps/train.yaml", "apps/brief.yaml"].contains(path));
    let change = ["--remove-pool", "prod/gpu"];
    let lost = "both loses gpu,web -> web";
    assert_eq!(
        effects_of(&files, &change),
        some(&["agent loses gpu,web -> web", lost], 1)
    );
    files.retain(|(path, _)| *path != "apps/agent.yaml");
    assert_eq!(effects_of(&files, &change), some(&[lost], 0));
}

#[test]
fn a_label_moves_pods_or_leaves_them_pending() {
    assert_eq!(
        effects(&["--label", "web=acme.com/pool=front"]),
        some(&["site pending web -> "], 1)
    );
    let mut files = files();
    files.push(("pools/new.yaml", pool("new", "[]")));
    assert_eq!(
        effects_of(
            &files,
            &[
                "--label",
                "web=acme.com/pool=front",
                "--label",
                "new=acme.com/pool=web"
            ]
        ),
        some(&["site moves web -> new"], 0)
    );
}

#[test]
fn a_cordon_keeps_new_pods_out_and_daemon_sets_tolerate_it() {
    assert_eq!(
        effects(&["--cordon", "web"]),
        some(
            &[
                "any pending web -> ",
                "site pending web -> ",
                "both loses gpu,web -> gpu"
            ],
            1
        )
    );
}

#[test]
fn a_taint_that_comes_and_goes_with_a_nodes_state_counts_when_it_is_asked_for() {
    let (told, code) = effects(&[
        "--taint",
        "web=node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
    ]);
    assert_eq!(
        told,
        [
            "any evicted web -> ",
            "both evicted gpu,web -> gpu",
            "site evicted web -> "
        ]
    );
    assert_eq!(code, 1);
    // Every pod stays for five minutes.
    let unreachable = ["--taint", "web=node.kubernetes.io/unreachable:NoExecute"];
    let result = asked(&files(), &unreachable);
    assert!(
        result.out.contains("evicted after 300 seconds"),
        "{}",
        result.out
    );
}

#[test]
fn a_pool_is_added_and_can_replace_another_and_be_tainted() {
    let mut files = files();
    files.push((
        "new/gpu.yaml",
        pool(
            "gpu",
            "[{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]",
        ),
    ));
    files[0].1 = "exclude: [\"new/**\"]\n".to_owned() + COMPLETE;
    let add = ["--add-pool", "new/gpu.yaml"];
    // The order on the command line does not matter.
    let both = [&add[..], &["--remove-pool", "gpu"]].concat();
    assert_eq!(effects_of(&files, &both), some(&[], 0));
    let result = asked(&files, &add);
    assert!(
        result.err.contains("cluster prod already has a pool gpu"),
        "{}",
        result.err
    );
    files.push(("new/big.yaml", pool("big", "[]")));
    let gained = [
        "agent gains gpu,web -> big,gpu,web",
        "any gains web -> big,web",
        "both gains gpu,web -> big,gpu,web",
    ];
    for file in ["new/big.yaml", "prod=new/big.yaml"] {
        assert_eq!(
            effects_of(&files, &["--add-pool", file]),
            some(&gained, 0),
            "{file}"
        );
    }
    let tainted = ["--taint", "big=acme.com/x:NoSchedule"];
    assert_eq!(
        effects_of(
            &files,
            &[&["--add-pool", "new/big.yaml"], &tainted[..]].concat()
        ),
        some(&gained[..1], 0)
    );
}

#[test]
fn pools_of_terraform_and_nodes_of_a_cluster_can_be_added() {
    let mut files = files();
    files[0].1 = "exclude: [\"new/**\"]\n".to_owned() + COMPLETE;
    files.push((
        "new/nodes.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  \
         metadata: {name: n1, labels: {acme.com/pool: web}}\n  spec: {}\n"
            .to_owned(),
    ));
    files.push((
        "new/main.tf",
        "resource \"aws_eks_node_group\" \"a\" {\n  node_group_name = \"n1\"\n  \
         labels = { \"acme.com/pool\" = \"web\" }\n}\n"
            .to_owned(),
    ));
    for file in ["new/nodes.yaml", "new/main.tf"] {
        assert_eq!(
            effects_of(&files, &["--add-pool", file]),
            some(
                &[
                    "agent gains gpu,web -> gpu,n1,web",
                    "any gains web -> n1,web",
                    "both gains gpu,web -> gpu,n1,web",
                    "site gains web -> n1,web"
                ],
                0
            ),
            "{file}"
        );
    }
}

#[test]
fn a_taint_takes_the_place_of_one_with_the_same_key_and_effect() {
    let mut files = files();
    files.push((
        "apps/exact.yaml",
        workload(
            "Deployment",
            "exact",
            &[
                GPU,
                "tolerations: [{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]",
            ],
        ),
    ));
    assert_eq!(
        effects_of(&files, &["--taint", "gpu=acme.com/gpu=no:NoSchedule"]),
        some(&["exact pending gpu -> "], 1)
    );
}

#[test]
fn what_nobody_minds_changes_nothing() {
    for change in [
        ["--label", "web=acme.com/zone=b"],
        ["--label", "web=acme.com/pool=web"],
        ["--taint", "gpu=acme.com/gpu=yes:NoSchedule"],
        ["--taint", "gpu=acme.com/gpu=other:NoSchedule"],
        ["--untaint", "web=acme.com/gpu"],
        ["--untaint", "gpu=acme.com/gpu:NoExecute"],
    ] {
        assert_eq!(effects(&change), some(&[], 0), "{change:?}");
    }
    let mut everyone = files();
    everyone.retain(|(path, _)| !path.starts_with("apps/") || *path == "apps/agent.yaml");
    assert_eq!(
        effects_of(&everyone, &["--taint", "web=acme.com/new:NoExecute"]),
        some(&[], 0)
    );
    let result = asked(&files(), &["--untaint", "web=acme.com/gpu"]);
    assert_eq!(result.err, "warning: pool web has no taint acme.com/gpu\n");
    assert!(result.out.contains("nothing changes"), "{}", result.out);
}

#[test]
fn a_pool_with_unknown_taints_is_unknown_before_and_after() {
    let mut open = files();
    open[2].1 = pool("web", "'{{ taints }}'");
    // Nothing certain is said of the pool, and nothing of a label that nobody selects.
    assert_eq!(
        effects_of(&open, &["--label", "web=acme.com/zone=b"]),
        some(&[], 0)
    );
    assert_eq!(
        effects_of(&open, &["--taint", "web=acme.com/new:NoSchedule"]),
        some(
            &[
                "any unknown  -> ",
                "both unknown gpu -> gpu",
                "site unknown  -> "
            ],
            0
        )
    );
}

#[test]
fn pods_with_unknown_tolerations_are_unknown() {
    let mut open = files();
    open.retain(|(path, _)| !path.starts_with("apps/"));
    open.push((
        "apps/a.yaml",
        workload("Deployment", "a", &[WEB, "tolerations: '${tolerations}'"]),
    ));
    assert_eq!(
        effects_of(&open, &["--taint", "web=acme.com/new:NoExecute"]),
        some(&["a unknown web -> "], 0)
    );
}

#[test]
fn without_complete_pools_only_pods_that_select_a_pool_are_pending() {
    let mut open = files();
    open.remove(0);
    assert_eq!(
        effects_of(&open, &["--taint", "web=acme.com/new:NoSchedule"]),
        some(
            &[
                "site pending web -> ",
                "any loses web -> ",
                "both loses gpu,web -> gpu"
            ],
            1
        )
    );
}

/// Two clusters that both have a pool gpu.
fn two_clusters() -> Vec<(&'static str, String)> {
    let taint = "[{key: acme.com/gpu, value: 'yes', effect: NoSchedule}]";
    let config = "clusters:\n  prod: {paths: [\"prod/**\"], complete: true}\n  test: {paths: [\"test/**\"], complete: true}\n";
    vec![
        (".kubetaint.yaml", config.to_owned()),
        ("prod/gpu.yaml", pool("gpu", taint)),
        ("test/gpu.yaml", pool("gpu", taint)),
        (
            "prod/a.yaml",
            workload("Deployment", "of-prod", &[GPU, TOLERATES]),
        ),
        (
            "test/a.yaml",
            workload("Deployment", "of-test", &[GPU, TOLERATES]),
        ),
    ]
}

#[test]
fn a_name_means_the_pools_of_all_clusters_unless_it_names_one() {
    let both = ["--taint", "gpu=acme.com/new:NoSchedule"];
    let one = ["--taint", "test/gpu=acme.com/new:NoSchedule"];
    assert_eq!(
        effects_of(&two_clusters(), &both),
        some(&["of-prod pending gpu -> ", "of-test pending gpu -> "], 1)
    );
    assert_eq!(
        effects_of(&two_clusters(), &one),
        some(&["of-test pending gpu -> "], 1)
    );
    let said = asked(&two_clusters(), &both).out;
    assert!(said.contains("(clusters prod, test)"), "{said}");
}

#[test]
fn what_cannot_be_answered_ends_with_2_and_says_why() {
    for (arguments, why) in [
        (
            vec!["--taint", "gpuu=a=b:NoSchedule"],
            "there is no pool `gpuu`; did you mean `gpu`?",
        ),
        (
            vec!["--cordon", "prod/gpuu"],
            "there is no pool `prod/gpuu`; did you mean `prod/gpu`?",
        ),
        (
            vec!["--remove-pool", "gpu", "--cordon", "gpu"],
            "there is no pool `gpu`; `web` were read",
        ),
        (
            vec!["--taint", "gpu=a=b"],
            "--taint gpu=a=b: `a=b` has no effect: a taint is `key=value:Effect` or `key:Effect`",
        ),
        (
            vec!["--taint", "gpu"],
            "--taint gpu: it names no pool: write POOL=key=value:Effect",
        ),
        (
            vec!["--taint", "gpu=a:noSchedule"],
            "--taint gpu=a:noSchedule: `noSchedule` is not an effect: use NoSchedule, PreferNoSchedule or NoExecute",
        ),
        (
            vec!["--untaint", "gpu=a:no"],
            "--untaint gpu=a:no: `no` is not an effect: use NoSchedule, PreferNoSchedule or NoExecute",
        ),
        (
            vec!["--label", "gpu=a"],
            "--label gpu=a: a label has a value: write POOL=key=value",
        ),
        (
            vec!["--add-pool", "nowhere.yaml"],
            "--add-pool nowhere.yaml: path does not exist",
        ),
        (
            vec!["--add-pool", "pools"],
            "--add-pool pools: a folder; name the file",
        ),
    ] {
        let result = asked(&files(), &arguments);
        assert_eq!((result.code, result.out.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(result.err, format!("error: {why}\n"));
    }
    for arguments in [&["--label", "gpu=-a=b"][..], &["--label", "gpu=a=b c"], &[]] {
        let result = asked(&files(), arguments);
        assert_eq!((result.code, result.out.as_str()), (2, ""), "{arguments:?}");
    }
    let without = asked(&files(), &["--add-pool", "apps/any.yaml"]);
    assert_eq!((without.code, without.out.as_str()), (2, ""));
    assert!(
        without
            .err
            .contains("apps/any.yaml: no node pools were read"),
        "{}",
        without.err
    );
}

#[test]
fn the_answer_as_text() {
    let result = asked(
        &files(),
        &[
            "--taint",
            "gpu=acme.com/new=1:NoExecute",
            "--untaint",
            "gpu=acme.com/gpu",
        ],
    );
    insta::assert_snapshot!(result.out);
}

#[test]
fn the_answer_as_markdown() {
    let mut files = files();
    files.push(("apps/odd.yaml", {
        let odd = workload("Deployment", "odd", &[WEB]);
        odd.replace("name: odd,", "name: \"x`|<b>\\n| y\",")
    }));
    let result = asked(&files, &["--remove-pool", "web", "-o", "markdown"]);
    insta::assert_snapshot!(result.out);
}

#[test]
fn many_workloads_of_one_shape_are_folded() {
    let mut files = files();
    let many: Vec<String> = (0..300)
        .map(|at| workload("Deployment", &format!("n{at}"), &[WEB]))
        .collect();
    files.push(("apps/many.yaml", many.join("---\n")));
    let result = asked(&files, &["--remove-pool", "web"]);
    assert_eq!(result.code, 1);
    assert!(result.out.lines().count() < 60, "{}", result.out);
    assert!(result.out.contains("more"), "{}", result.out);
    let (told, _) = effects_of(&files, &["--remove-pool", "web"]);
    assert!(told.len() > 300);
}
