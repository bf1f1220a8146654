//! Tests of `kubetaint pools` and inventories: what is listed, and that pools listed in one repository are judged in
//! another as if they were declared there.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use crate::builtin::{RULES, TABLE};
use crate::program::{repo, run, write};
use kubetaint::config::{self, Config};
use kubetaint::finding::Report;
use kubetaint::inventory::{self, Inventory};
use kubetaint::lint::{Content, Input, Listing, Purpose, Settings, Suppressions, lint, list_pools};
use kubetaint::model::Field;
use kubetaint::source::{Source, SourceId};
use serde_json::{Value, json};
use tempfile::TempDir;
use walkdir::WalkDir;

const POOLS: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    metadata: {labels: {example.com/team: vision, example.com/size: big}}
    spec:
      taints:
        - {key: example.com/gpu, value: \"yes\", effect: NoSchedule}
        - {key: example.com/warm, effect: PreferNoSchedule}
      startupTaints: [{key: example.com/agent, effect: NoExecute}]
      requirements:
        - {key: kubernetes.io/arch, operator: In, values: [amd64]}
        - {key: example.com/slot, operator: Exists}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: open}
spec: {template: {spec: {taints: \"{{ .Values.taints }}\"}}}
";

const KIND: &str = "\
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: local
nodes:
  - role: control-plane
  - role: worker
";

#[test]
fn the_table_shows_what_is_known_and_says_what_is_not_and_why() {
    let folder = repo(&[
        ("infra/pools.yaml", POOLS),
        ("kind.yaml", KIND),
        (
            ".kubetaint.yaml",
            "clusters: {prod: {paths: [infra/], complete: true}}\n\
             pools: [{name: bare, labels: {example.com/kind: metal}, taints: [\"example.com/metal:NoExecute\"]}]\n",
        ),
    ]);
    let result = run(folder.path(), &["pools"]);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
    let widest = result.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", result.out);
    insta::assert_snapshot!(result.out);
    let result = run(folder.path(), &["pools", "--quiet", "--color", "always"]);
    assert!(result.out.starts_with("\u{1b}[1mNAME"), "{}", result.out);
    assert!(!result.out.contains("node pools read"), "{}", result.out);
}

#[test]
fn the_json_list_has_the_promised_keys() {
    let folder = repo(&[("infra/pools.yaml", POOLS)]);
    let result = run(folder.path(), &["pools", "-o", "json"]);
    assert_eq!(result.code, 0);
    assert_eq!(
        result.err,
        "2 node pools read in 1 file; 1 with unknown taints\n"
    );
    let list = result.json();
    let gpu = &list["pools"][0];
    assert_eq!(gpu["name"], "gpu");
    assert_eq!(gpu["provider"], "karpenter");
    assert_eq!(gpu["cluster"], Value::Null);
    assert_eq!(gpu["labels"]["example.com/team"], "vision");
    assert_eq!(
        gpu["taints"],
        json!([
            {"key": "example.com/gpu", "value": "yes", "effect": "NoSchedule", "origin": "declared",
             "line": 9, "field": "spec.template.spec.taints[0]"},
            {"key": "example.com/warm", "value": "", "effect": "PreferNoSchedule", "origin": "declared",
             "line": 10, "field": "spec.template.spec.taints[1]"},
            {"key": "example.com/agent", "value": "", "effect": "NoExecute", "origin": "startup",
             "line": 11, "field": "spec.template.spec.startupTaints[0]"},
        ])
    );
    assert_eq!(gpu["complete"], true);
    assert_eq!(
        (&gpu["file"], &gpu["line"]),
        (&json!("infra/pools.yaml"), &json!(1))
    );
    let open = &list["pools"][1];
    assert_eq!(
        (&open["complete"], &open["line"]),
        (&json!(false), &json!(16))
    );
    assert_eq!(
        open["incomplete_because"],
        "taints are filled in by a template"
    );
}

#[test]
fn that_nothing_was_read_is_said_aloud_and_is_no_failure() {
    let folder = repo(&[("apps/web.yaml", "kind: x\n")]);
    let result = run(folder.path(), &["pools"]);
    assert_eq!((result.code, result.err.as_str()), (0, ""));
    assert!(
        result.out.starts_with("0 node pools read in 1 file"),
        "{}",
        result.out
    );
    let result = run(folder.path(), &["pools", "-o", "json"]);
    assert_eq!((result.code, &result.json()["pools"]), (0, &json!([])));
    assert!(
        result.err.starts_with("0 node pools read in 1 file"),
        "{}",
        result.err
    );
}

#[test]
fn what_keeps_pools_from_being_read_ends_with_2() {
    let folder = repo(&[("a.yaml", POOLS), ("bad.yaml", "clusters: [\n")]);
    let result = run(folder.path(), &["pools", "nope"]);
    assert_eq!(
        (result.code, result.err.as_str()),
        (2, "error: nope: path does not exist\n")
    );
    let result = run(folder.path(), &["pools", "--config", "bad.yaml"]);
    assert_eq!((result.code, result.out.as_str()), (2, ""));
    let result = run(folder.path(), &["pools", "--pools", "nope.yaml"]);
    assert_eq!(result.code, 2);
    assert_eq!(
        result.err.lines().next(),
        Some("error: nope.yaml: path does not exist")
    );
    let result = run(folder.path(), &["pools", "--pools", "."]);
    assert_eq!(result.code, 2);
    assert!(
        result.err.contains("--pools .: a folder; name the file"),
        "{}",
        result.err
    );
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let hostile = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: \"a\\e[31mred\\nb\"}\nspec:\n  template:\n    \
        metadata: {labels: {\"x\\u202ey\": \"\\a\"}}\n    spec: {taints: [{key: \"k\\e]0;t\\a\", effect: NoSchedule}]}\n";
    let folder = repo(&[("a\u{7}.yaml", hostile)]);
    let result = run(folder.path(), &["pools"]);
    assert!(result.out.contains("a\\x1b[31mred\\x0ab"), "{}", result.out);
    for acts in ['\u{1b}', '\u{7}', '\u{202e}'] {
        assert!(!result.out.contains(acts), "{:?}", result.out);
    }
    for format in ["yaml", "json"] {
        let result = run(folder.path(), &["pools", "-o", format]);
        assert!(!result.out.contains('\u{1b}'), "{:?}", result.out);
        assert!(!result.out.contains('\u{7}'), "{:?}", result.out);
    }
}

fn settings(config: &Config) -> Settings<'_> {
    Settings {
        rules: &RULES,
        table: &TABLE,
        config,
        whole: true,
        suppressions: Suppressions::Off,
        rendered: None,
        cache: None,
    }
}

fn check(files: &[(String, String)], config: &Config) -> Report {
    let load = |at: usize| Content::Text(files[at].1.clone());
    lint(&inputs(files), &load, settings(config))
}

fn list(files: &[(String, String)], config: &Config) -> Listing {
    let load = |at: usize| Content::Text(files[at].1.clone());
    list_pools(&inputs(files), &load, settings(config), Purpose::Inventory)
}

fn inputs(files: &[(String, String)]) -> Vec<Input> {
    files
        .iter()
        .map(|(path, _)| Input {
            path: path.as_str().into(),
            scanned_from: 0,
        })
        .collect()
}

/// The manifests of a situation, by path.
fn manifests(situation: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in WalkDir::new(situation).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(situation).unwrap();
        let path = path.to_str().unwrap().replace('\\', "/");
        let manifest = [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| path.ends_with(end));
        if let Ok(text) = fs::read_to_string(entry.path())
            && manifest
            && path != ".kubetaint.yaml"
        {
            files.push((path, text));
        }
    }
    files
}

/// One cluster for all files.
fn one_cluster(complete: bool) -> Config {
    let text = format!("clusters: {{all: {{paths: ['**'], complete: {complete}}}}}\n");
    let source = Source::new(".kubetaint.yaml", text);
    config::parse(source, SourceId::CONFIGURATION).unwrap()
}

/// `severity rule place`. A place in a pool is the pool's file. Excludes rules of scope notice, which are about the text of
/// a file that an inventory does not contain.
fn findings(report: &Report, pool_file: &dyn Fn(&str, u32) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for finding in &report.findings {
        let source = &report.sources[&finding.span.source];
        let at = source.position(finding.span.start);
        let (rule, severity) = (&finding.rule, finding.severity);
        match pool_file(&source.path, at.line) {
            Some(_) if RULES.get(rule).unwrap().scope.as_str() == "notice" => {}
            Some(file) => found.push(format!("{severity} {rule} {file}")),
            None => found.push(format!(
                "{severity} {rule} {}:{}:{}",
                source.path, at.line, at.column
            )),
        }
    }
    found.sort();
    found
}

/// Situations in which the files with pools also change workloads, which an inventory cannot do.
const CHANGE_WORKLOADS: [&str; 1] = ["kueue-flavor-adds-the-toleration"];

const OPEN_POOL: &str = "\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [g5]}]
      taints: \"{{ .Values.taints }}\"
";

/// The results of situations whose pools are listed in an inventory instead of declared.
#[derive(Default)]
struct Apart {
    compared: usize,
    about_both: usize,
    /// Situations with different findings, with the expected and the actual ones.
    different: Vec<String>,
}

/// Judges every situation with its pools in an inventory, after applying `change` to the inventory.
fn apart(change: &dyn Fn(&mut Inventory), until_different: bool) -> Apart {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let mut folders: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    // A partly unknown pool, so that rules about complete clusters do not apply.
    let open = repo(&[("pools/gpu.yaml", OPEN_POOL), ("apps/web.yaml", LOST)]);
    folders.push(open.path().to_owned());
    let mut apart = Apart::default();
    for situation in folders {
        if CHANGE_WORKLOADS
            .iter()
            .any(|name| situation.ends_with(name))
        {
            continue;
        }
        let whole = manifests(&situation);
        for complete in [false, true] {
            let config = one_cluster(complete);
            let listing = list(&whole, &config);
            let listed = &listing.inventory.pools;
            let declares =
                |path: &str| listed.iter().any(|pool| pool.file.as_deref() == Some(path));
            let (pools, workloads): (Vec<_>, Vec<_>) =
                whole.iter().cloned().partition(|(path, _)| declares(path));
            let mut inventory = list(&pools, &config).inventory;
            // Pools in the same file as workloads cannot be separated.
            let mixed = listing.workload_files.iter().any(|file| declares(file));
            if mixed
                || pools.is_empty()
                || workloads.is_empty()
                || inventory.pools.len() != listed.len()
            {
                continue;
            }
            change(&mut inventory);
            let mut texts = vec![inventory.to_yaml().unwrap(), inventory.to_json().unwrap()];
            texts.truncate(if until_different { 1 } else { 2 });
            for text in texts {
                let mut elsewhere = one_cluster(false);
                elsewhere.given = vec!["pools.inventory".to_owned()];
                let mut files = workloads.clone();
                files.push(("pools.inventory".to_owned(), text.clone()));
                let report = check(&files, &elsewhere);
                assert_eq!(report.problems, [], "{}", situation.display());
                // The start of each entry, and the file that it names.
                let mut entries: Vec<(u32, String)> = Vec::new();
                for (number, line) in (1..).zip(text.lines()) {
                    let line = line.trim_start_matches("- ").trim();
                    if line.starts_with("name:") || line.starts_with("\"name\":") {
                        entries.push((number, String::new()));
                    }
                    let file = line
                        .strip_prefix("file: ")
                        .or_else(|| line.strip_prefix("\"file\": "));
                    if let (Some(file), Some(entry)) = (file, entries.last_mut()) {
                        entry.1 = file.trim_matches([',', '"']).to_owned();
                    }
                }
                let original = |path: &str, line: u32| {
                    let mut before = entries
                        .iter()
                        .filter(|(start, file)| *start <= line && !file.is_empty());
                    (path == "pools.inventory").then(|| before.next_back().unwrap().1.clone())
                };
                let found = findings(&report, &original);
                let itself = |path: &str, _| declares(path).then(|| path.to_owned());
                let together = check(&whole, &config);
                let due = findings(&together, &itself);
                if found != due {
                    let name = situation.display();
                    let what = format!("{name} {complete}\ndue {due:#?}\nfound {found:#?}\n{text}");
                    apart.different.push(what);
                    if until_different {
                        return apart;
                    }
                }
                apart.compared += 1;
                apart.about_both += usize::from(
                    together
                        .findings
                        .iter()
                        .any(|finding| !finding.related.is_empty()),
                );
            }
        }
    }
    apart
}

#[test]
fn pools_that_are_listed_elsewhere_are_judged_as_if_they_were_declared_here() {
    let apart = apart(&|_| {}, false);
    assert!(
        apart.different.is_empty(),
        "{}",
        apart.different.join("\n\n")
    );
    assert!(
        apart.compared > 100 && apart.about_both > 60,
        "{} {}",
        apart.compared,
        apart.about_both
    );
}

/// Information that an inventory could lose.
type Loss = (&'static str, fn(&mut Inventory));

#[test]
fn whatever_an_inventory_loses_changes_a_finding_somewhere() {
    fn taints(inventory: &mut Inventory) -> impl Iterator<Item = &mut inventory::Taint> {
        inventory.pools.iter_mut().flat_map(|pool| &mut pool.taints)
    }
    let losses: [Loss; 9] = [
        ("origins", |list| {
            taints(list).for_each(|taint| taint.origin = inventory::Origin::Declared);
        }),
        ("values", |list| {
            taints(list).for_each(|taint| taint.value = Field::default());
        }),
        ("effects", |list| {
            let soft = Field::Is("PreferNoSchedule".to_owned());
            taints(list).for_each(|taint| taint.effect = soft.clone());
        }),
        ("that not every taint is known", |list| {
            list.pools.iter_mut().for_each(|pool| pool.complete = true);
        }),
        ("that all pools are listed", |list| {
            (list.complete, list.complete_clusters) = (false, Vec::new());
        }),
        ("labels", |list| {
            list.pools.iter_mut().for_each(|pool| pool.labels.clear());
        }),
        ("requirements", |list| {
            list.pools
                .iter_mut()
                .for_each(|pool| pool.requirements.clear());
        }),
        ("what other labels mean", |list| {
            let possible = inventory::OtherLabels::Possible;
            list.pools
                .iter_mut()
                .for_each(|pool| pool.other_labels = possible);
        }),
        ("providers", |list| {
            list.pools.iter_mut().for_each(|pool| pool.provider.clear());
        }),
    ];
    let unseen: Vec<&str> = losses
        .iter()
        .filter(|(_, loss)| apart(loss, true).different.is_empty())
        .map(|(what, _)| *what)
        .collect();
    assert_eq!(unseen, Vec::<&str>::new());
}

const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      nodeSelector: {example.com/team: sound}
      tolerations: [{key: example.com/gpu, operator: Equal, value: \"yes\", effect: NoSchedule}]
      containers: [{name: a, image: b}]
";

fn node(name: &str, pool: &str, taint: &str) -> String {
    format!(
        "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: {name}\n    labels: {{kubernetes.io/hostname: {name}, \
         cloud.google.com/gke-nodepool: {pool}, example.com/team: {pool}}}\n  spec:\n    taints:\n    \
         - {{key: {taint}, value: \"yes\", effect: NoSchedule}}\n    \
         - {{key: node.kubernetes.io/not-ready, effect: NoExecute}}\n"
    )
}

fn concise(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let result = run(
        folder,
        &[&["check", "--format", "concise"], arguments].concat(),
    );
    result
        .out
        .lines()
        .filter_map(|line| Some(line.split_once(']')?.0.to_owned()))
        .collect()
}

#[test]
fn a_dump_of_nodes_is_complete_and_its_pools_are_pools() {
    let mut nodes = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
    for at in 0..100 {
        nodes.push_str(&node(&format!("n{at}"), "vision", "example.com/gpu"));
        nodes.push_str(&node(&format!("m{at}"), "idle", "example.com/idle"));
    }
    let folder = repo(&[("apps/train.yaml", JOB)]);
    let outside = repo(&[("nodes.yaml", &nodes)]);
    let dump = outside.path().join("nodes.yaml");
    let dump = dump.to_str().unwrap();
    let list = run(folder.path(), &["pools", "--pools", dump, "-o", "json"]).json();
    let names: Vec<&Value> = list["pools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pool| &pool["name"])
        .collect();
    assert_eq!(names, ["vision", "idle"]);
    // A third pool may currently have no nodes.
    assert_eq!(list["complete"], false);
    let nodes = nodes.replace("cloud.google.com/gke-nodepool", "example.com/pool");
    write(outside.path(), "nodes.yaml", &nodes);
    let list = run(folder.path(), &["pools", "--pools", dump, "-o", "json"]).json();
    assert_eq!(list["pools"].as_array().unwrap().len(), 2);
    assert_eq!(list["complete"], true);
    assert_eq!(concise(folder.path(), &[]), Vec::<String>::new());
    // No node has the team's label, and these are all nodes.
    let found = concise(folder.path(), &["--pools", dump]);
    let about = |rule: &str| {
        found
            .iter()
            .filter(|one| one.contains(rule))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        about("selector-matches-no-pool"),
        ["apps/train.yaml:7:22: error[selector-matches-no-pool"]
    );
    assert_eq!(about("untolerated-pool").len(), 1, "{found:?}");
    // An inventory listed from such a dump is as complete as the dump.
    let listed = run(folder.path(), &["pools", "--pools", dump, "-o", "yaml"]).out;
    write(outside.path(), "listed.yaml", &listed);
    let listed = outside.path().join("listed.yaml");
    let again = concise(folder.path(), &["--pools", listed.to_str().unwrap()]);
    assert!(
        again.contains(&about("selector-matches-no-pool")[0]),
        "{again:?}"
    );
}

#[test]
fn an_inventory_of_several_clusters_gives_each_its_own() {
    let infra = repo(&[
        ("prod/pools.yaml", POOLS),
        ("staging/pools.yaml", &POOLS.replace("vision", "sound")),
        (
            ".kubetaint.yaml",
            "clusters:\n  prod: {paths: [prod/], complete: true}\n  staging: {paths: [staging/], complete: true}\n",
        ),
    ]);
    // A pool with taints from a template leaves no cluster complete.
    for folder in ["prod", "staging"] {
        let path = infra.path().join(folder).join("pools.yaml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.split("---").next().unwrap()).unwrap();
    }
    let inventory = run(infra.path(), &["pools", "-o", "yaml"]).out;
    assert!(
        inventory.contains("complete_clusters:\n- prod\n- staging\n"),
        "{inventory}"
    );
    let clusters = "clusters:\n  prod: {paths: [apps/prod/], inventory: [pools/all.yaml]}\n  \
                    test: {paths: [apps/staging/], inventory: [pools/all.yaml]}\n";
    let apps = repo(&[
        ("apps/prod/train.yaml", JOB),
        ("apps/staging/train.yaml", JOB),
        ("pools/all.yaml", &inventory),
        (".kubetaint.yaml", &clusters.replace("test:", "staging:")),
    ]);
    let selector = |found: Vec<String>| -> Vec<String> {
        found
            .into_iter()
            .filter(|one| one.contains("selector-matches-no-pool"))
            .collect()
    };
    assert_eq!(
        selector(concise(apps.path(), &[])),
        ["apps/prod/train.yaml:7:22: warning[selector-matches-no-pool"]
    );
    // A cluster with another name in this repository may be any without a name.
    write(apps.path(), ".kubetaint.yaml", clusters);
    assert_eq!(
        selector(concise(apps.path(), &[])),
        ["apps/prod/train.yaml:7:22: warning[selector-matches-no-pool"]
    );
    // If given with a flag, each pool belongs to the cluster that it names.
    write(
        apps.path(),
        ".kubetaint.yaml",
        "clusters:\n  prod: {paths: [apps/prod/]}\n  staging: {paths: [apps/staging/]}\n",
    );
    fs::rename(
        apps.path().join("pools/all.yaml"),
        apps.path().join("all.inventory"),
    )
    .unwrap();
    assert_eq!(
        selector(concise(apps.path(), &["--pools", "all.inventory", "."])),
        ["apps/prod/train.yaml:7:22: warning[selector-matches-no-pool"]
    );
}

#[test]
fn a_pool_is_listed_once_where_its_inventory_lies_beside_it() {
    let folder = repo(&[("infra/pools.yaml", POOLS)]);
    let inventory = run(folder.path(), &["pools", "-o", "yaml"]).out;
    write(folder.path(), "infra/inventory.yaml", &inventory);
    let again = run(folder.path(), &["pools", "-o", "yaml"]).out;
    assert_eq!(again, inventory);
    // Without the original file the inventory's pool is used, with the places of the original.
    fs::remove_file(folder.path().join("infra/pools.yaml")).unwrap();
    assert_eq!(run(folder.path(), &["pools", "-o", "yaml"]).out, inventory);
}

#[test]
fn an_inventory_with_a_mistake_ends_with_2_and_names_the_place() {
    let text = "apiVersion: kubetaint.io/v1\nkind: PoolInventory\npools:\n- name: a\n  complete: true\n  lables: {}\n";
    let folder = repo(&[("apps/train.yaml", JOB), ("pools.yaml", text)]);
    let result = run(folder.path(), &["check", "apps", "--pools", "pools.yaml"]);
    assert_eq!(result.code, 2);
    assert!(
        result.err.starts_with(
            "error: pools.yaml:6:3: unknown key `lables` in an entry of `pools`; did you mean `labels`?"
        ),
        "{}",
        result.err
    );
}

#[test]
fn clusters_that_share_files_judge_them_each() {
    let gpu = POOLS.split("---").next().unwrap();
    let files = [
        ("clusters/eu/pools.yaml", gpu.replace("vision", "sound")),
        ("clusters/us/pools.yaml", gpu.to_owned()),
        ("apps/train.yaml", JOB.to_owned()),
        (
            ".kubetaint.yaml",
            "clusters:\n  \"{cluster}\":\n    paths: [\"clusters/{cluster}/**\", apps/]\n    complete: true\n".to_owned(),
        ),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let folder = repo(&files);
    let list = run(folder.path(), &["pools", "-o", "json"]).json();
    let clusters: Vec<&Value> = list["pools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pool| &pool["cluster"])
        .collect();
    assert_eq!(clusters, ["eu", "us"]);
    assert_eq!(list["complete_clusters"], json!(["eu", "us"]));
    let report = run(folder.path(), &["check", "--format", "json"]).json();
    let unschedulable: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["rule"] == "selector-matches-no-pool")
        .map(|finding| &finding["cluster"])
        .collect();
    assert_eq!(unschedulable, ["us"]);
    // A pool's cluster name that no path gives is an error at its place.
    write(
        folder.path(),
        ".kubetaint.yaml",
        "clusters: {\"{cluster}\": {paths: [\"clusters/{cluster}/\"]}}\npools: [{name: a, cluster: su}]\n",
    );
    let result = run(folder.path(), &["pools"]);
    assert_eq!(result.code, 2);
    assert_eq!(
        result.err,
        "error: .kubetaint.yaml:2:28: unknown cluster `su`: it appears in no file path\n"
    );
}

#[test]
fn a_file_that_was_named_for_its_pools_and_has_none_is_a_problem() {
    let folder = repo(&[
        ("apps/train.yaml", JOB),
        ("nodes.yaml", "apiVersion: v1\nkind: List\nitems: []\n"),
    ]);
    let result = run(folder.path(), &["check", "apps", "--pools", "nodes.yaml"]);
    assert_eq!(
        (result.code, result.err.as_str()),
        (2, format!("error: nodes.yaml: {NO_POOLS}\n").as_str())
    );
    write(
        folder.path(),
        ".kubetaint.yaml",
        "clusters: {prod: {paths: [apps/], inventory: [./nodes.yaml]}}\n",
    );
    let result = run(folder.path(), &["check"]);
    assert_eq!(
        (result.code, result.err.as_str()),
        (
            2,
            format!("error: .kubetaint.yaml:1:47: inventory `nodes.yaml`: {NO_POOLS}\n").as_str()
        )
    );
}

const NO_POOLS: &str = "no node pools were read in it; such a file is what `kubectl get nodes -o yaml` or `kubetaint pools -o yaml` \
     printed, a list of node pools of gcloud, az or aws, or manifests of node pools";

/// A workload that fits no pool, even if all are known.
const LOST: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: a, image: b}]
";

#[test]
fn lists_of_the_clouds_are_complete_and_single_pools_are_not() {
    let gcloud = r#"{"name": "p", "config": {"machineType": "e2", "taints": [{"key": "a.example.com/b", "value": "c", "effect": "NO_SCHEDULE"}]}}"#;
    let az = r#"{"name": "p", "type": "Microsoft.ContainerService/managedClusters/agentPools", "vmSize": "x",
        "nodeTaints": ["a.example.com/b=c:NoSchedule"]}"#;
    let aws = r#"{"nodegroup": {"nodegroupName": "p", "clusterName": "c",
        "taints": [{"key": "a.example.com/b", "value": "c", "effect": "NO_SCHEDULE"}]}}"#;
    let karpenter = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {taints: \
                     [{key: a.example.com/b, value: c, effect: NoSchedule}]}}}\n";
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: p}\nspec: {taints: [{key: a.example.com/b, value: c, effect: \
                NoSchedule}]}\n";
    for (name, text, complete) in [
        ("list.json", format!("[{gcloud}]"), true),
        ("describe.json", gcloud.to_owned(), false),
        (
            "cluster.yaml",
            format!("name: c\nnodePools: [{gcloud}]\n"),
            true,
        ),
        ("az.json", format!("[{az}]"), true),
        ("nodepool.json", az.to_owned(), false),
        (
            "aks.json",
            format!("{{\"agentPoolProfiles\": [{az}]}}"),
            true,
        ),
        ("aws.json", aws.to_owned(), false),
        ("karpenter.yaml", karpenter.to_owned(), false),
        ("nodes.yaml", node.to_owned(), true),
    ] {
        let folder = repo(&[("web.yaml", LOST)]);
        let elsewhere = TempDir::new().unwrap();
        write(elsewhere.path(), name, &text);
        let path = elsewhere.path().join(name);
        let result = run(
            folder.path(),
            &["pools", "-o", "json", "--pools", path.to_str().unwrap()],
        );
        let list = result.json();
        assert_eq!(list["complete"], complete, "{name} {}", result.out);
        let taint = &list["pools"][0]["taints"][0];
        assert_eq!(
            (&taint["key"], &taint["value"], &taint["effect"]),
            (&json!("a.example.com/b"), &json!("c"), &json!("NoSchedule")),
            "{name}"
        );
    }
}

#[test]
fn a_pool_that_is_declared_and_seen_in_a_dump_is_one_pool() {
    let declared = |taint: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: gpu}}\nspec:\n  template:\n    spec:\n      \
             taints: {taint}\n      startupTaints: [{{key: a.example.com/warm, effect: NoExecute}}]\n"
        )
    };
    let node = |name: &str, taints: &str| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{karpenter.sh/nodepool: gpu, \
             example.com/team: x}}}}\nspec: {{taints: {taints}}}\n"
        )
    };
    let taint = "[{key: a.example.com/gpu, value: \"1\", effect: NoSchedule}]";
    let other = "[{key: a.example.com/other, effect: NoSchedule}]";
    let list = |declaration: &str, nodes: &str| {
        let folder = repo(&[("infra/pools.yaml", declaration), ("nodes.dump", nodes)]);
        let run = run(
            folder.path(),
            &["pools", "-o", "json", "--pools", "nodes.dump"],
        );
        run.json()["pools"].as_array().unwrap().clone()
    };
    let nodes = node("n1", taint) + &node("n2", taint);
    for declaration in [declared(taint), declared("\"{{ .Values.taints }}\"")] {
        let pools = list(&declaration, &nodes);
        assert_eq!(pools.len(), 1, "{pools:#?}");
        let pool = &pools[0];
        assert_eq!(
            (&pool["file"], &pool["provider"], &pool["complete"]),
            (
                &json!("infra/pools.yaml"),
                &json!("karpenter"),
                &json!(true)
            )
        );
        assert_eq!(pool["labels"]["example.com/team"], "x");
        assert_eq!(pool["taints"].as_array().unwrap().len(), 2);
    }
    // Differing pools are not merged: nodes of which some have another taint, and a declaration that contradicts them.
    assert_eq!(list(&declared(other), &nodes).len(), 2);
    assert_eq!(
        list(&declared(taint), &(node("n1", taint) + &node("n2", other))).len(),
        3
    );
    // Two pools with the same name are ambiguous.
    let twice = format!("{}---\n{0}", declared(taint));
    assert_eq!(list(&twice, &nodes).len(), 3);
}

#[test]
fn an_inventory_outside_of_the_folder_was_shown_below_it() {
    // Outside a repository, paths start at the listed folder.
    let folder = repo(&[("apps/a.yaml", "a: b\n")]);
    fs::remove_dir(folder.path().join(".git")).unwrap();
    let elsewhere = repo(&[(
        "nodes.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n",
    )]);
    let nodes = elsewhere.path().join("nodes.yaml");
    let nodes = nodes.to_str().unwrap();
    let shown = run(folder.path(), &["pools", "--pools", nodes, "apps"]).out;
    assert!(shown.contains(&format!(" {nodes}:1")), "{shown}");
}

const NODES: &str = "\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Node
    metadata:
      name: ip-10-1-2-3
      labels:
        kubernetes.io/hostname: ip-10-1-2-3
        karpenter.sh/nodepool: general
        topology.kubernetes.io/zone: a
    spec: {}
    status: {conditions: [{type: Ready, lastHeartbeatTime: \"2026-01-31T10:04:00Z\"}]}
  - apiVersion: v1
    kind: Node
    metadata:
      name: ip-10-1-2-4
      labels: {kubernetes.io/hostname: ip-10-1-2-4, karpenter.sh/nodepool: general, topology.kubernetes.io/zone: b}
    spec: {}
    status: {conditions: [{type: Ready, lastHeartbeatTime: \"2026-01-30T10:04:00Z\"}]}
  - apiVersion: v1
    kind: Node
    metadata: {name: rack-7, labels: {example.com/host: rack-7, example.com/disk: ssd}}
    spec: {}
  - apiVersion: v1
    kind: Node
    metadata: {name: rack-8, labels: {example.com/host: rack-8, node-role.kubernetes.io/control-plane: \"\"}}
    spec: {}
  - apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: general}
    spec: {template: {metadata: {labels: {example.com/team: web}}, spec: {}}}
  - apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {name: gpu}
    spec: {template: {spec: {taints: [{key: example.com/gpu, effect: NoSchedule}]}}}
";

#[test]
fn an_inventory_of_a_running_cluster_has_its_pools_and_none_of_its_machines() {
    let files = [("nodes.yaml".to_owned(), NODES.to_owned())];
    let inventory = list(&files, &Config::default()).inventory;
    let written = inventory.to_yaml().unwrap();
    for machine in ["ip-10", "rack-"] {
        assert!(!written.contains(machine), "{written}");
    }
    assert!(written.contains("taken: \"2026-01-31\""), "{written}");
    assert!(inventory.complete);
    let names: Vec<&str> = inventory
        .pools
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    // The pool without nodes is known by its own object.
    assert_eq!(names, ["nodes", "control-plane", "general", "gpu"]);
    let hosts = |at: usize| {
        let requirements = inventory.pools[at].requirements.iter();
        let keys = requirements.filter(|one| one.operator == Field::Is("Exists".to_owned()));
        keys.filter_map(|one| one.key.known().cloned())
            .collect::<Vec<_>>()
    };
    assert_eq!(hosts(0), ["example.com/host"]);
    assert_eq!(hosts(2), ["kubernetes.io/hostname"]);
    let disk = inventory.pools[0].labels.get("example.com/disk");
    assert_eq!(disk, Some(&Field::Is("ssd".to_owned())));
}

#[test]
fn a_check_says_how_old_its_inventory_is() {
    let head = "apiVersion: kubetaint.io/v1\nkind: PoolInventory\n";
    let old = format!("{head}taken: \"2020-01-31\"\npools:\n- {{name: a, complete: true}}\n");
    let repo = repo(&[
        ("prod.yaml", old.as_str()),
        (
            ".kubetaint.yaml",
            "clusters: {prod: {paths: [\"**\"], inventory: [prod.yaml]}}\n",
        ),
        (
            "pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n",
        ),
    ]);
    let age = "note: prod.yaml: this inventory was taken on 2020-01-31, ";
    let said = run(repo.path(), &["check"]).err;
    assert!(said.contains(age), "{said}");
    let said = run(repo.path(), &["check", "--quiet"]).err;
    assert!(!said.contains("2020-01-31"), "{said}");
    write(
        repo.path(),
        "prod.yaml",
        format!("{head}taken: soon\npools: []\n"),
    );
    let said = run(repo.path(), &["check"]).err;
    assert!(said.contains("prod.yaml:3:8"), "{said}");
    assert!(
        said.contains("`soon` is not a date such as 2026-01-31"),
        "{said}"
    );
}
