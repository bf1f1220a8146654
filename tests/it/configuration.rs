//! The configuration hides nothing: its errors are reported at their place, and its settings take effect.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use crate::program::{GOOD, Run, repo, run, write};
use crate::samples::POOL;

/// A Deployment that selects the pool and tolerates another value.
const APP: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
      tolerations:
        - {key: example.com/gpu, operator: Equal, value: presnt, effect: NoSchedule}
      containers: [{name: a, image: b}]
";

/// A DaemonSet that tolerates everything.
const AGENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: agent, namespace: kube-system}
spec:
  template:
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: a, image: b}]
";

fn check(files: &[(&str, &str)]) -> Run {
    let folder = repo(files);
    run(folder.path(), &["check", "--format", "concise"])
}

/// The severity and rule of each finding.
fn found(run: &Run) -> Vec<String> {
    let report = run.json();
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap();
            format!("{} {}", text("severity"), text("rule"))
        })
        .collect()
}

#[test]
fn complete_without_any_node_pool_is_an_error_at_its_place() {
    let claim = "clusters:\n  prod:\n    paths: [\"apps/**\"]\n    complete: true\n";
    let apart = [("apps/web.yaml", APP), ("pools/gpu.yaml", POOL)];
    let files = |config: &'static str| [&apart[..], &[(".kubetaint.yaml", config)]].concat();
    let result = check(&files(claim));
    assert_eq!(result.code, 2);
    let place = "error: .kubetaint.yaml:4:15: `complete: true` says that all node pools of cluster `prod` are known, but none was found";
    assert!(result.err.contains(place), "{}", result.err);

    // In a run over a part of the repository this is unknown.
    let folder = repo(&files(claim));
    let result = run(folder.path(), &["check", "apps"]);
    assert!(!result.err.contains("none was found"), "{}", result.err);
    // Pools count wherever they come from.
    let result = run(folder.path(), &["check", "--pools", "pools/gpu.yaml"]);
    assert!(!result.err.contains("none was found"), "{}", result.err);
    for more in [
        "    inventory: [pools/gpu.yaml]\n",
        "pools: [{name: a, cluster: prod}]\n",
        "pools: [{name: a}]\n",
    ] {
        write(folder.path(), ".kubetaint.yaml", format!("{claim}{more}"));
        let result = run(folder.path(), &["check"]);
        assert!(
            !result.err.contains("none was found"),
            "{more}: {}",
            result.err
        );
    }
    // One problem for several clusters is reported once.
    let many = "clusters:\n  \"{cluster}\": {paths: [\"apps/{cluster}/**\"], complete: true}\n";
    let result = check(&[
        ("apps/a/web.yaml", APP),
        ("apps/b/web.yaml", APP),
        (".kubetaint.yaml", many),
    ]);
    assert_eq!(
        result.err.matches("none was found").count(),
        1,
        "{}",
        result.err
    );
    assert!(result.err.contains("`a` (and 1 more)"), "{}", result.err);
    // `kubetaint pools` reports it, too.
    let folder = repo(&files(claim));
    assert_eq!(run(folder.path(), &["pools"]).code, 2);
}

#[test]
fn a_declared_cluster_is_no_test_whatever_its_folder_is_called() {
    for folder in ["e2e", "demo", "test", "staging-test", "Examples"] {
        let (app, pool) = (format!("{folder}/web.yaml"), format!("{folder}/pool.yaml"));
        let severities = |config: &str| {
            let folder = repo(&[(&app, APP), (&pool, POOL), (".kubetaint.yaml", config)]);
            found(&run(folder.path(), &["check", "--format", "json"]))
        };
        let none = severities("");
        // A slip of the pen is as wrong in an example.
        let is_note = |one: &String| one.starts_with("note ") || one.ends_with("near-miss");
        assert!(none.iter().all(is_note), "{none:?}");
        let declared = severities("clusters: {lab: {paths: [\"**\"], complete: true}}");
        assert!(
            declared.iter().any(|one| one.starts_with("error ")),
            "{folder}: {declared:?}"
        );
    }
}

#[test]
fn test_paths_replace_the_list_that_is_there_without_them() {
    // A key similar to that of the pool: a warning if nothing lowers it.
    let app = APP
        .replace("example.com/gpu", "example.com/gpus")
        .replace("      nodeSelector: {pool: gpu}\n", "");
    let notes = |config: &str| {
        let folder = repo(&[
            ("lab/a/web.yaml", &app),
            ("lab/a/pool.yaml", POOL),
            ("archive/a/web.yaml", &app),
            ("archive/a/pool.yaml", POOL),
            (".kubetaint.yaml", config),
        ]);
        let rule = "toleration-key-near-miss";
        let result = run(
            folder.path(),
            &["check", "--format", "json", "--select", rule],
        );
        let findings = result.json()["findings"].as_array().unwrap().clone();
        assert_eq!(findings.len(), 2, "{config}{}", result.out);
        let notes = findings.iter().filter(|one| one["severity"] == "note");
        let files = notes.map(|one| one["file"].as_str().unwrap().to_owned());
        files.collect::<Vec<String>>()
    };
    assert_eq!(notes(""), ["archive/a/web.yaml"]);
    assert_eq!(notes("test-paths: [lab]\n"), ["lab/a/web.yaml"]);
    assert_eq!(notes("test-paths: [\"lab/**\"]\n"), ["lab/a/web.yaml"]);
    assert_eq!(notes("test-paths: []\n"), [""; 0]);
    assert_eq!(notes("test-paths: [lab, archive]\n").len(), 2);
    let result = check(&[
        ("a.yaml", GOOD),
        (".kubetaint.yaml", "test-paths: [example, lab, \"b/**\"]\n"),
    ]);
    assert_eq!(result.code, 2);
    let both = "error: .kubetaint.yaml:1:23: `lab` matches no file\nerror: .kubetaint.yaml:1:28: `b/**` matches no file\n";
    assert!(result.err.starts_with(both), "{}", result.err);
    assert!(!result.err.contains("`example`"), "{}", result.err);
}

#[test]
fn what_show_settings_prints_is_a_configuration_that_says_the_same() {
    let parts = [
        "kubernetes: 1.30\n",
        "feature-gates: {TaintTolerationComparisonOperators: true}\n",
        "admission: []\n",
        "admission: [PodNodeSelector, ExtendedResourceToleration]\n",
        "exclude: [\"vendor/**\"]\n",
        "clusters:\n  prod: {paths: [\"apps/**\", \"pools/**\"], complete: true}\n  \"x {cluster}\": {paths: [\"lab/{cluster}/**\"]}\n",
        "clusters: {\"pr\\u2028od\": {paths: [\"**\"], inventory: [pools/gpu.yaml]}}\n",
        "pools:\n  - {name: \"a: b\", labels: {\"x.io/y\": \"no\"}, taints: [\"k=v:NoSchedule\", \"k2:NoExecute\", \"k3=:PreferNoSchedule\"]}\n",
        "rules: {blanket-exists: {severity: error, except: [{kind: Deploy*, name: \"agent\"}]}, value-with-exists: off, orphan-toleration: note}\n",
        "rules: {blanket-exists: {except: [{path: \"apps/**\", namespace: \"kube-*\"}]}, tolerates-cordon: warning}\n",
        "rule-dirs: [rules]\n",
        "providers: [tables]\n",
        "require-reason: true\n",
        "test-paths: [lab, \"apps/**\"]\n",
        "test-paths: []\n",
    ];
    let folder = repo(&[
        ("apps/web.yaml", APP),
        ("apps/agent.yaml", AGENT),
        ("lab/one/web.yaml", APP),
        ("lab/one/pool.yaml", POOL),
        ("vendor/web.yaml", APP),
        ("pools/gpu.yaml", POOL),
        ("rules/no-x.yaml", crate::program::OWN_RULE),
    ]);
    // A valid table, in the current format of tables.
    let provider = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/providers")).unwrap();
    let provider = provider
        .filter_map(Result::ok)
        .map(|one| one.path())
        .min()
        .unwrap();
    let name = provider.file_name().unwrap().to_str().unwrap().to_owned();
    write(
        folder.path(),
        &format!("tables/{name}"),
        fs::read_to_string(&provider).unwrap(),
    );
    let mut texts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    texts.push(String::new());
    // All that can be combined, with only one of those that share a key.
    for skip in 0..2 {
        let mut keys = std::collections::BTreeSet::new();
        let ordered: Vec<&str> = match skip {
            0 => parts.to_vec(),
            _ => parts.iter().rev().copied().collect(),
        };
        let all = ordered
            .into_iter()
            .filter(|part| keys.insert(part.split(':').next()));
        texts.push(all.collect());
    }
    for text in texts {
        write(folder.path(), ".kubetaint.yaml", &text);
        let shown = run(folder.path(), &["check", "--show-settings"]);
        assert_eq!(shown.code, 0, "{text}{}", shown.err);
        let before = run(folder.path(), &["check", "--format", "json"]);
        write(folder.path(), ".kubetaint.yaml", &shown.out);
        let again = run(folder.path(), &["check", "--show-settings"]);
        assert_eq!(again.out, shown.out, "{text}{}", again.err);
        let after = run(folder.path(), &["check", "--format", "json"]);
        let findings = |run: &Run| {
            let mut all = run.json()["findings"].clone();
            // A pool in the configuration is on another line of it.
            for one in all.as_array_mut().unwrap() {
                let one = one.as_object_mut().unwrap();
                one.remove("related");
                if one["file"] == ".kubetaint.yaml" {
                    one.retain(|key, _| ["rule", "severity", "message"].contains(&key.as_str()));
                }
            }
            all
        };
        assert_eq!(
            findings(&after),
            findings(&before),
            "{text}\n{}\n{}",
            before.err,
            after.err
        );
        assert_eq!(
            after.code, before.code,
            "{text}\n{}\n{}",
            before.err, after.err
        );
    }
    write(folder.path(), ".kubetaint.yaml", "");
    let shown = run(
        folder.path(),
        &["check", "--show-settings", "--ignore", "blanket-exists"],
    );
    assert!(
        shown.out.contains("\"blanket-exists\": off"),
        "{}",
        shown.out
    );
}

#[test]
fn a_configuration_of_another_name_is_an_error() {
    for (name, text) in [
        ("kubetaint.yaml", "rules: {value-with-exists: off}\n"),
        ("kubetaint.yml", "require-reason: true\n"),
        (".kubetaint.yml", ""),
        (".kubetaint.json", "{\"rules\": {}}"),
        (".kube-taint.yaml", "rules: {}\n"),
    ] {
        for beside in [true, false] {
            let mut files = vec![("a.yaml", GOOD), (name, text)];
            if beside {
                files.push((".kubetaint.yaml", "rules: {}\n"));
            }
            let folder = repo(&files);
            let result = run(folder.path(), &["check"]);
            assert_eq!(result.code, 2, "{name}: {}", result.err);
            let message = format!(
                "error: {name}:1:1: is not read: the name of the configuration is .kubetaint.yaml"
            );
            assert!(result.err.contains(&message), "{}", result.err);
            for arguments in [&["check", "--isolated"][..], &["check", "--config", name]] {
                if name != ".kubetaint.yml" || arguments.len() == 2 {
                    let result = run(folder.path(), arguments);
                    assert_eq!(result.code, 0, "{arguments:?}: {}", result.err);
                }
            }
        }
    }
    // Manifests and kubetaint's own output may have this name.
    let pools = "{\"pools\": []}";
    let result = check(&[("kubetaint.yaml", GOOD), ("kubetaint.json", pools)]);
    assert_eq!(
        (result.code, result.err.contains("is not read")),
        (0, false),
        "{}",
        result.err
    );
}

#[test]
fn a_configuration_below_the_root_is_told_and_breaks_nothing() {
    let config = "rules: {}\n";
    let files = [
        ("a.yaml", GOOD),
        ("apps/.kubetaint.yaml", config),
        ("apps/b.yaml", GOOD),
    ];
    let result = check(&files);
    assert_eq!(result.code, 0, "{}", result.err);
    let message = "warning: apps/.kubetaint.yaml:1:1: is not read: the configuration of a run is the .kubetaint.yaml at the repository's root";
    assert!(result.err.contains(message), "{}", result.err);
    // A configuration of a nested repository, in a test or excluded is not reported.
    let silent = |path: &str, root: &str, git: bool| {
        let folder = repo(&[("a.yaml", GOOD), (path, config), (".kubetaint.yaml", root)]);
        if git {
            fs::create_dir(folder.path().join("sub/.git")).unwrap();
        }
        let result = run(folder.path(), &["check"]);
        assert!(!result.err.contains("is not read"), "{}", result.err);
    };
    silent("sub/x/.kubetaint.yaml", config, true);
    silent("testdata/x/.kubetaint.yaml", config, false);
    silent(
        "vendor/x/.kubetaint.yaml",
        "exclude: [\"vendor/**\"]\n",
        false,
    );
}

#[test]
fn an_exception_that_fits_nothing_is_told_at_its_place() {
    let result = |except: &str| {
        let config = format!("rules:\n  blanket-exists:\n    except: [{{{except}}}]\n");
        check(&[
            ("agent.yaml", AGENT),
            ("web.yaml", APP),
            (".kubetaint.yaml", &config),
        ])
    };
    let fine = result("kind: Deployment, namespace: \"kube-*\"");
    assert!(!fine.err.contains("exception"), "{}", fine.err);
    for (except, place, why) in [
        (
            "kind: Deploymnt",
            "3:21",
            "no workload or node pool has the kind `Deploymnt`; did you mean `Deployment`?",
        ),
        (
            "namespace: kube-systm",
            "3:26",
            "has the namespace `kube-systm`; did you mean `kube-system`?",
        ),
        (
            "kind: Deployment, name: nobody",
            "3:39",
            "has the name `nobody`",
        ),
        (
            "namespace: shop, name: agent",
            "3:14",
            "matches all of its patterns",
        ),
    ] {
        let run = result(except);
        // A near match is a typo; anything else may be meant for future objects.
        let weight = match why.contains("did you mean") {
            true => "error",
            false => "warning",
        };
        assert_eq!(run.code == 2, weight == "error", "{except}: {}", run.err);
        let at = format!(
            "{weight}: .kubetaint.yaml:{place}: this exception of `blanket-exists` matches nothing"
        );
        assert!(
            run.err.contains(&at) && run.err.contains(why),
            "{}",
            run.err
        );
    }
    // An exception that could match but currently matches no finding is worth a warning.
    let spare = result("name: web");
    let line =
        "warning: .kubetaint.yaml:3:14: this exception matches no finding of `blanket-exists`";
    assert!(spare.code < 2 && spare.err.contains(line), "{}", spare.err);
    // Neither is known for a part of the repository or for a rule that did not run.
    let config = "rules: {blanket-exists: {except: [{kind: Nothing}]}}\n";
    let folder = repo(&[("a/agent.yaml", AGENT), (".kubetaint.yaml", config)]);
    for arguments in [
        &["check", "a"][..],
        &["check", "--ignore", "blanket-exists"],
        &["check", "--isolated"],
    ] {
        let run = run(folder.path(), arguments);
        assert!(!run.err.contains("exception"), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn an_empty_list_of_admission_plugins_says_that_none_runs() {
    let pool = POOL.replace("example.com/gpu", "nvidia.com/gpu");
    let pod = "apiVersion: v1
kind: Pod
metadata: {name: train, namespace: default}
spec:
  containers:
    - name: a
      image: b
      resources: {limits: {nvidia.com/gpu: 1}}
";
    let selecting = pod.replace("spec:\n", "spec:\n  nodeSelector: {pool: gpu}\n");
    let severities = |pod: &str, admission: &str| {
        let config = format!("clusters: {{all: {{paths: [\"**\"], complete: true}}}}\n{admission}");
        let folder = repo(&[
            ("pool.yaml", &pool),
            ("pod.yaml", pod),
            (".kubetaint.yaml", &config),
        ]);
        let result = run(folder.path(), &["check", "--format", "json"]);
        found(&result)
    };
    let is_told = |found: &[String]| found.iter().any(|one| one.starts_with("error "));
    for pod in [pod, selecting.as_str()] {
        for silent in [
            "",
            "admission:\n",
            "admission: [ExtendedResourceToleration]\n",
        ] {
            assert!(
                !is_told(&severities(pod, silent)),
                "{silent}{:?}",
                severities(pod, silent)
            );
        }
        for none in ["admission: []\n", "admission: [PodNodeSelector]\n"] {
            assert!(
                is_told(&severities(pod, none)),
                "{none}{:?}",
                severities(pod, none)
            );
        }
    }
}

#[test]
fn what_is_easily_mistyped_in_a_configuration_is_told_at_its_place() {
    for (config, place) in [
        (
            "clusters: {a: {paths: [\"**\"], complete: \"true\"}}\n",
            "1:41: `complete` must be true or false",
        ),
        (
            "clusters:\n  a: {paths: [\"**\"]}\n  a: {paths: [\"**\"]}\n",
            "3:3: duplicate key `a`",
        ),
        (
            "clusters: {a: {paths: [\"*.yaml\", \"b/**\"]}}\n",
            "1:34: `b/**` matches no file",
        ),
        (
            "clusters: {\"{cluster}\": {paths: [\"apps/{clutser}/**\"]}}\n",
            "1:12: no entry in `paths` of cluster `{cluster}`",
        ),
        (
            "clusters: {a: {paths: [\"**\"], inventory: [a.yaml, ./a.yaml]}}\n",
            "1:51: duplicate entry `a.yaml`",
        ),
        (
            "clusters: {a: {paths: [\"**\"], inventory: [a.yaml]}}\n",
            "1:43: inventory `a.yaml`: no node pools",
        ),
        ("exclude: [\"x/**\"]\n", "1:11: `x/**` matches no file"),
        ("rules: {no-such: off}\n", "1:9: unknown rule `no-such`"),
        (
            "pools: [{name: a, cluster: b}]\n",
            "1:28: unknown cluster `b`",
        ),
        (
            "test-path: []\n",
            "1:1: unknown key `test-path` in the configuration; did you mean `test-paths`?",
        ),
        (
            "test-paths: examples\n",
            "1:13: `test-paths` must be a list",
        ),
        ("rules:\n\tblanket-exists: off\n", "2:1: not valid YAML"),
    ] {
        let result = check(&[("a.yaml", GOOD), (".kubetaint.yaml", config)]);
        assert_eq!(result.code, 2, "{config}{}", result.err);
        assert!(
            result.err.contains(&format!(".kubetaint.yaml:{place}")),
            "{config}{}",
            result.err
        );
    }
    for config in ["", "# nothing\n", "---\n", "kubernetes: 1.30\n"] {
        let result = check(&[("a.yaml", GOOD), (".kubetaint.yaml", config)]);
        assert_eq!(result.code, 0, "{config}{}", result.err);
    }
}
