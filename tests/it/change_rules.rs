//! Rules of scope `change`: a team's own rule, what comments and the configuration do to it, and where its findings show.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::builtin::{TABLE, rules_beside};
use crate::program::{Run, repo, run, write};
use kubetaint::rule::RuleSet;
use kubetaint::source::Source;
use kubetaint::verify::{self, SUPPRESSIONS};

const RULE: &str = "id: no-gpu-toleration
title: A change lets pods outside namespace ml tolerate the GPU taint
severity: error
scope: change
when: after.namespace != \"ml\" && change.added.exists(entry, entry.key == \"acme.com/gpu\")
at: change.added.filter(entry, entry.key == \"acme.com/gpu\")
related:
  - at: before
    message: the workload before the change
message: '{after.kind} `{after.name}` may not tolerate the GPU taint'
why: |
  Only namespace ml has GPUs.
examples:
  - bad:
      before: {}
      after:
        web.yaml: |
          apiVersion: v1
          kind: Pod
          metadata: {name: web, namespace: shop}
          spec:
            containers: [{name: a, image: a}]
            tolerations:
              - {key: acme.com/gpu, operator: Exists}  # <- finding
  - good:
      before: {}
      after:
        web.yaml: |
          apiVersion: v1
          kind: Pod
          metadata: {name: web, namespace: ml}
          spec:
            containers: [{name: a, image: a}]
            tolerations:
              - {key: acme.com/gpu, operator: Exists}
";

const POOL: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: gpu, labels: {acme.com/pool: gpu}}\nspec:\n  \
    taints: [{key: acme.com/gpu, effect: NoSchedule}]\n";

/// A Deployment with this list of tolerations.
fn web(namespace: &str, tolerations: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: {namespace}\nspec:\n  \
         selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      \
         containers: [{{name: a, image: a}}]\n{tolerations}"
    )
}

const SPOT: &str = "      tolerations:\n        - {key: acme.com/spot, operator: Exists}\n";
const GPU: &str = "      tolerations:\n        - {key: acme.com/spot, operator: Exists}\n        \
    - {key: acme.com/gpu, operator: Exists}\n";

/// Two states side by side, and a folder with the rule.
fn states(before: &[(&str, &str)], after: &[(&str, &str)]) -> TempDir {
    let folder = repo(&[("policies/no-gpu-toleration.yaml", RULE)]);
    for (state, files) in [("before", before), ("after", after)] {
        write(folder.path(), &format!("{state}/pool.yaml"), POOL);
        for (path, text) in files {
            write(folder.path(), &format!("{state}/{path}"), text);
        }
    }
    folder
}

fn diff(folder: &Path, more: &[&str]) -> Run {
    let mut arguments = vec!["diff", "before", "after", "--rules", "policies"];
    arguments.extend(more);
    run(folder, &arguments)
}

/// What the rule finds.
fn found(folder: &Path) -> (i32, Vec<Value>) {
    let outcome = diff(folder, &["-o", "json"]);
    let document = outcome.json();
    let all = document["findings"]["on-change"]
        .as_array()
        .unwrap()
        .clone();
    let own = |row: &Value| row["rule"] == "no-gpu-toleration";
    (outcome.code, all.into_iter().filter(own).collect())
}

fn changed(before: &str, after: &str) -> (i32, Vec<Value>) {
    found(states(&[("web.yaml", before)], &[("web.yaml", after)]).path())
}

#[test]
fn a_teams_rule_finds_the_new_entry_with_its_object_and_the_place_before() {
    let (code, rows) = changed(&web("shop", SPOT), &web("shop", GPU));
    assert_eq!((code, rows.len()), (1, 1), "{rows:?}");
    let row = &rows[0];
    let expected = [
        ("severity", "error"),
        ("file", "web.yaml"),
        ("path", "spec.template.spec.tolerations[1]"),
        ("message", "Deployment `web` may not tolerate the GPU taint"),
    ];
    for (field, text) in expected {
        assert_eq!(row[field], text, "{row}");
    }
    assert_eq!(row["start"]["line"], 14, "{row}");
    assert_eq!(row["object"]["name"], "web", "{row}");
    assert!(!row["fingerprint"].as_str().unwrap().is_empty(), "{row}");
    let related = &row["related"][0];
    assert_eq!(related["file"], "web.yaml", "{row}");
    assert_eq!(related["start"]["line"], 4, "{row}");
}

#[test]
fn what_the_change_does_not_add_is_not_found() {
    for (before, after) in [
        (web("ml", SPOT), web("ml", GPU)),
        (web("shop", GPU), web("shop", GPU)),
        (web("shop", GPU), web("shop", SPOT)),
        // A blanket entry covered it before.
        (
            web("shop", "      tolerations: [{operator: Exists}]\n"),
            web("shop", GPU),
        ),
        // Nobody knows what the template fills in, before or after.
        (
            web("shop", "      tolerations: {{ .Values.all }}\n"),
            web("shop", GPU),
        ),
        (
            web("shop", SPOT),
            web(
                "shop",
                "      tolerations:\n        - key: ${KEY}\n          operator: Exists\n",
            ),
        ),
    ] {
        let (_, rows) = changed(&before, &after);
        assert_eq!(rows, Vec::<Value>::new(), "{before}\n{after}");
    }
}

#[test]
fn a_new_object_is_found_and_one_whose_file_could_not_be_read_before_is_not() {
    let new = web("shop", GPU);
    let (code, rows) = found(states(&[], &[("web.yaml", &new)]).path());
    assert_eq!((code, rows.len()), (1, 1), "{rows:?}");
    let broken = format!("{}\n  - [unclosed\n", web("shop", GPU));
    let (_, rows) = changed(&broken, &new);
    assert_eq!(rows, Vec::<Value>::new());
    // It only moved.
    let (_, rows) = found(states(&[("a.yaml", &new)], &[("b/c.yaml", &new)]).path());
    assert_eq!(rows, Vec::<Value>::new());
}

#[test]
fn a_comment_suppresses_it_and_is_never_unused() {
    let comment =
        "        # kubetaint: ignore[no-gpu-toleration] agreed\n        - {key: acme.com/gpu";
    let after = web("shop", GPU).replace("        - {key: acme.com/gpu", comment);
    let folder = states(&[("web.yaml", &web("shop", SPOT))], &[("web.yaml", &after)]);
    assert_eq!(found(folder.path()), (0, Vec::new()));
    let check = run(
        folder.path(),
        &[
            "check", "after", "--rules", "policies", "--format", "concise",
        ],
    );
    assert!(!check.out.contains("unused-ignore"), "{}", check.out);
}

#[test]
fn the_configuration_changes_its_severity_turns_it_off_and_excepts_objects() {
    for (setting, severity) in [
        ("{severity: note}", Some("note")),
        ("{severity: warning}", Some("warning")),
        ("off", None),
        ("{except: [{name: web}]}", None),
        ("{except: [{path: \"web.*\"}]}", None),
        ("{except: [{namespace: other}]}", Some("error")),
    ] {
        let config = format!("rules:\n  no-gpu-toleration: {setting}\n");
        let folder = states(
            &[("web.yaml", &web("shop", SPOT))],
            &[
                ("web.yaml", &web("shop", GPU)),
                (".kubetaint.yaml", &config),
            ],
        );
        let (code, rows) = found(folder.path());
        let told: Vec<&str> = rows
            .iter()
            .map(|row| row["severity"].as_str().unwrap())
            .collect();
        assert_eq!(told, severity.into_iter().collect::<Vec<_>>(), "{setting}");
        let fails = severity.is_some_and(|severity| severity != "note");
        assert_eq!(code, i32::from(fails), "{setting}");
    }
}

#[test]
fn an_exception_is_not_called_unused_by_a_check_that_cannot_use_it() {
    let config = "rule-dirs: [policies]\nrules:\n  no-gpu-toleration: {except: [{name: web}]}\n";
    let files = [
        ("policies/no-gpu-toleration.yaml", RULE),
        (".kubetaint.yaml", config),
        ("web.yaml", &web("shop", GPU)),
    ];
    let outcome = run(repo(&files).path(), &["check", "--format", "concise"]);
    assert!(!outcome.err.contains("exception"), "{}", outcome.err);
    assert!(
        !outcome.out.contains("no-gpu-toleration"),
        "{}",
        outcome.out
    );
}

#[test]
fn fail_on_decides_whether_it_fails() {
    let folder = states(
        &[("web.yaml", &web("shop", SPOT))],
        &[("web.yaml", &web("shop", GPU))],
    );
    assert_eq!(diff(folder.path(), &["--fail-on", "never"]).code, 0);
    assert_eq!(diff(folder.path(), &[]).code, 1);
}

#[test]
fn reports_for_people_list_a_teams_rule_and_only_count_what_they_say_anyway() {
    let folder = states(
        &[("web.yaml", &web("shop", SPOT))],
        &[("web.yaml", &web("shop", GPU))],
    );
    for format in ["text", "markdown"] {
        let outcome = diff(folder.path(), &["-o", format]);
        let said = outcome
            .out
            .matches("may not tolerate the GPU taint")
            .count();
        assert_eq!(said, 1, "{}", outcome.out);
        assert!(outcome.out.contains("1 new error"), "{}", outcome.out);
        assert!(
            outcome
                .out
                .contains("1 finding says the same: toleration-widened"),
            "{}",
            outcome.out
        );
        assert!(!outcome.out.contains("newly tolerates"), "{}", outcome.out);
    }
}

#[test]
fn a_check_since_a_revision_reports_it_and_one_without_does_not() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = Command::new("git")
            .current_dir(root)
            .args(identity)
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    write(root, "policies/no-gpu-toleration.yaml", RULE);
    write(
        root,
        ".kubetaint.yaml",
        "rule-dirs: [policies]\nexclude: [policies/]\n",
    );
    write(root, "pool.yaml", POOL);
    write(root, "web.yaml", web("shop", SPOT));
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "base"]);
    write(root, "web.yaml", web("shop", GPU));
    let own = |outcome: &Run| outcome.out.matches("error[no-gpu-toleration]").count();
    let with = run(root, &["check", "--format", "concise", "--base", "HEAD"]);
    assert_eq!((with.code, own(&with)), (1, 1), "{}{}", with.out, with.err);
    assert!(with.out.contains("web.yaml:14:"), "{}", with.out);
    let without = run(root, &["check", "--format", "concise"]);
    assert_eq!(own(&without), 0, "{}", without.out);
}

fn loaded(rule: &str) -> Result<RuleSet, Vec<String>> {
    let source = Source::new("no-gpu-toleration.yaml", rule);
    let said = |problems: Vec<kubetaint::finding::Problem>| {
        problems.iter().map(ToString::to_string).collect()
    };
    RuleSet::load([&source]).map_err(said)
}

#[test]
fn a_rule_that_cannot_work_is_refused_with_the_reason() {
    assert!(loaded(RULE).is_ok());
    for (from, to, complaint) in [
        (
            "change.added.exists",
            "change.lostBy.exists",
            "has no field `lostBy`",
        ),
        ("after.namespace", "after.spaces", "has no field `spaces`"),
        (
            "after.namespace",
            "workload.namespace",
            "unknown name `workload`",
        ),
        ("at: change.added.", "at: change.effect.", "need a list"),
        (
            "scope: change",
            "scope: change\nof: pool",
            "has no field `namespace`",
        ),
        (
            "scope: change",
            "scope: change\nof-parts: true",
            "has no `of-parts`",
        ),
        (
            "before: {}",
            "before.yaml: x",
            "a map with `before` and `after`",
        ),
    ] {
        let problems = loaded(&RULE.replacen(from, to, 1)).expect_err(to);
        assert!(
            problems.iter().any(|problem| problem.contains(complaint)),
            "{to}: {problems:?}"
        );
    }
    let other = RULE.replace("scope: change", "scope: workload\nof: pool");
    let problems = loaded(&other).expect_err("a rule about workloads");
    for complaint in [
        "`of` belongs to rules of scope `change`",
        "only a rule of scope `change`",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(complaint)),
            "{problems:?}"
        );
    }
}

#[test]
fn an_entry_in_a_patch_that_is_no_longer_listed_is_told_of_the_object() {
    let patch = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  template:\n    spec:\n{GPU}"
    );
    let listed = "resources: [web.yaml]\npatches: [{path: patch.yaml}]\n";
    let plain = web("shop", "");
    let files = |kustomization: &'static str| {
        [
            ("pool.yaml", POOL),
            ("kustomization.yaml", kustomization),
            ("web.yaml", &*plain),
            ("patch.yaml", &*patch),
        ]
    };
    let (before, after) = (files(listed), files("resources: [web.yaml]\n"));
    let at = told(
        "workload",
        "change.removed.size() > 0",
        "change.removed",
        &before,
        &after,
    );
    assert_eq!(at, ["web.yaml:4"]);
}

/// What a rule of this scope, condition and place finds between two states, with the built-in rules beside it.
fn told(
    of: &str,
    when: &str,
    at: &str,
    before: &[(&str, &str)],
    after: &[(&str, &str)],
) -> Vec<String> {
    let rule = format!(
        "id: own\ntitle: a\nseverity: note\nscope: change\nof: {of}\nwhen: '{when}'\nat: {at}\nmessage: found\nwhy: a\n\
         examples:\n  - {{bad: {{before: {{}}, after: {{a.yaml: \"a: # <- finding\"}}}}}}\n  \
         - {{good: {{before: {{}}, after: {{}}}}}}\n"
    );
    let rules = rules_beside(&[Source::new("own.yaml", rule)]);
    let report = verify::news(&rules, &TABLE, (before, after), SUPPRESSIONS).unwrap();
    assert_eq!(report.problems, []);
    let own = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "own");
    own.map(|finding| {
        let source = &report.sources[&finding.span.source];
        format!(
            "{}:{}",
            source.path,
            source.position(finding.span.start).line
        )
    })
    .collect()
}

#[test]
fn a_rule_about_pools_sees_what_is_new_what_differs_and_what_is_gone() {
    let plain = POOL.replace(
        "\n  taints: [{key: acme.com/gpu, effect: NoSchedule}]",
        " {}",
    );
    let (bare, tainted) = ([("pool.yaml", &*plain)], [("pool.yaml", POOL)]);
    let ask = |when: &str, at: &str, before: &[(&str, &str)], after: &[(&str, &str)]| {
        told("pool", when, at, before, after)
    };
    let nothing = Vec::<String>::new();
    let added = "change.added.exists(taint, taint.hard)";
    assert_eq!(ask(added, "change.added", &bare, &tainted), ["pool.yaml:5"]);
    assert_eq!(ask(added, "change.added", &tainted, &bare), nothing);
    assert_eq!(ask(added, "change.added", &tainted, &tainted), nothing);
    // What is gone is told of the pool that is still there.
    let removed = "change.removed.size() == 1";
    assert_eq!(
        ask(removed, "change.removed", &tainted, &bare),
        ["pool.yaml:3"]
    );
    assert_eq!(ask("change.isNew", "after", &[], &tainted), ["pool.yaml:3"]);
    // Of a pool that is gone there is only the place before.
    let keep = (
        "other.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: other}\n",
    );
    let gone = ask("change.isGone", "before", &[keep, tainted[0]], &[keep]);
    assert_eq!(gone, ["pool.yaml:3"]);
    // A taint that a template fills in may be the same.
    let open = POOL.replace("acme.com/gpu, effect", "\"{{ .Values.key }}\", effect");
    assert_eq!(
        ask(added, "change.added", &[("pool.yaml", &*open)], &tainted),
        nothing
    );
}

#[test]
fn a_rule_sees_where_pods_can_run_before_and_after() {
    let selects = |list: &str| {
        web(
            "shop",
            &format!("      nodeSelector: {{acme.com/pool: gpu}}\n{list}"),
        )
    };
    let (out, inside) = (selects(""), selects(GPU));
    let files = |text: &'_ str| {
        [
            ("pool.yaml", POOL.to_owned()),
            ("web.yaml", text.to_owned()),
        ]
    };
    let ask = |when: &str, before: &str, after: &str| {
        let (before, after) = (files(before), files(after));
        let both = [&before, &after].map(|all| all.each_ref().map(|(path, text)| (*path, &**text)));
        told("workload", when, "after", &both[0], &both[1])
    };
    let gains = "change.gained == [\"gpu\"] && before.lands.size() == 0 && after.lands == [\"gpu\"] && change.effect == \"gains\"";
    assert_eq!(ask(gains, &out, &inside), ["web.yaml:4"]);
    assert_eq!(
        ask("change.lost == [\"gpu\"]", &inside, &out),
        ["web.yaml:4"]
    );
    let functions =
        "!before.tolerates(pools[0]) && after.canLand(pools[0]) && before.selects(pools[0])";
    assert_eq!(ask(functions, &out, &inside), ["web.yaml:4"]);
    let new = "change.isNew && before.name == \"\" && !before.selects(pools[0]) && before.tolerations.size() == 0";
    let told = told(
        "workload",
        new,
        "after",
        &[("pool.yaml", POOL)],
        &[("pool.yaml", POOL), ("web.yaml", &inside)],
    );
    assert_eq!(told, ["web.yaml:4"]);
}
