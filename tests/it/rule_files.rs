//! User-defined rule files: a single file adds a rule, and an invalid one is an error at its place.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::fs;

use crate::program::{repo, run};
use tempfile::TempDir;

/// A valid rule. Tests break it one line at a time.
const RULE: &str = r#"id: night-only
title: The night pool is for jobs
severity: warning
scope: toleration
when: toleration.key == "example.com/night" && workload.kind != "Job"
at: toleration.key
message: '{workload.kind} tolerates `{toleration.key}`'
help: run it as a Job
why: |
  Nodes of the night pool go away every morning.
examples:
  - bad: |
      apiVersion: v1
      kind: Pod
      metadata: {name: web}
      spec:
        tolerations:
          - key: example.com/night  # <- finding
            operator: Exists
  - good: |
      apiVersion: batch/v1
      kind: Job
      metadata: {name: report}
      spec:
        template:
          spec:
            tolerations:
              - key: example.com/night
                operator: Exists
    why: near miss - it is a Job
"#;

const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {example.com/pool: night}
  tolerations:
    - key: example.com/night
      operator: Exists
      effect: NoSchedule
";

/// A folder with `app/pod.yaml` and the given rule at `policies/night-only.yaml`.
fn folder(rule: &str) -> TempDir {
    repo(&[("policies/night-only.yaml", rule), ("app/pod.yaml", POD)])
}

fn replaced(from: &str, to: &str) -> String {
    assert_eq!(
        RULE.matches(from).count(),
        1,
        "`{from}` stands in the rule once"
    );
    RULE.replace(from, to)
}

/// Asserts that every command that loads the rule rejects it, with this message at this place of its file.
fn assert_refused(rule: &str, place: &str, complaint: &str) {
    let folder = folder(rule);
    for arguments in [
        ["check", "--rules", "policies", "app"].as_slice(),
        &["rules", "--rules", "policies"],
        &["test", "policies"],
    ] {
        let outcome = run(folder.path(), arguments);
        let expected = format!("error: policies/night-only.yaml:{place}: ");
        let line = outcome.err.lines().find(|line| line.starts_with(&expected));
        assert!(
            line.is_some_and(|line| line.contains(complaint)),
            "{arguments:?}: expected `{expected}…{complaint}…`, got:\n{}",
            outcome.err
        );
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert_eq!(
            outcome.out, "",
            "{arguments:?}: a refused rule leaves no report"
        );
    }
}

#[test]
fn one_file_adds_a_rule() {
    let folder = folder(RULE);
    let without = run(folder.path(), &["check", "--format", "concise", "app"]);
    assert_eq!(
        (without.code, without.out.as_str()),
        (0, ""),
        "{}",
        without.err
    );

    let with = run(
        folder.path(),
        &["check", "--format", "concise", "--rules", "policies", "app"],
    );
    assert_eq!(
        with.out,
        "app/pod.yaml:7:7: warning[night-only] Pod tolerates `example.com/night`\n"
    );
    assert_eq!(with.code, 1, "{}", with.err);

    let list = run(folder.path(), &["rules", "--rules", "policies"]);
    assert!(list.out.contains("night-only"), "{}", list.out);
    let page = run(
        folder.path(),
        &["explain", "night-only", "--rules", "policies"],
    );
    assert!(page.out.contains("go away every morning"), "{}", page.out);
}

#[test]
fn the_configuration_adds_a_rule_folder_too() {
    let folder = folder(RULE);
    fs::write(
        folder.path().join(".kubetaint.yaml"),
        "rule-dirs: [policies]\n",
    )
    .expect("a file");
    let outcome = run(folder.path(), &["check", "--format", "concise", "app"]);
    assert!(
        outcome.out.contains("warning[night-only]"),
        "{}{}",
        outcome.out,
        outcome.err
    );
}

#[test]
fn the_examples_of_a_rule_folder_are_run() {
    let outcome = run(folder(RULE).path(), &["test", "policies"]);
    assert_eq!(outcome.out, "2 passed, 0 failed\n");
    assert_eq!(outcome.code, 0, "{}", outcome.err);
}

#[test]
fn a_marked_line_without_a_finding_fails_and_is_named() {
    let rule = replaced(
        "          - key: example.com/night  # <- finding\n            operator: Exists",
        "          - key: example.com/night\n            operator: Exists  # <- finding",
    );
    let outcome = run(folder(&rule).path(), &["test", "policies"]);
    assert_eq!(
        outcome.out,
        "night-only: bad-1 (policies/night-only.yaml)\n  \
         example.yaml:7: expected a finding, but there is none\n  \
         example.yaml:6: unexpected finding\n\
         1 passed, 1 failed\n"
    );
    assert_eq!(outcome.code, 1, "{}", outcome.err);
}

#[test]
fn a_good_example_with_a_finding_fails_and_is_named() {
    let rule = replaced("workload.kind != \"Job\"", "workload.kind != \"CronJob\"");
    let outcome = run(folder(&rule).path(), &["test", "policies"]);
    assert_eq!(
        outcome.out,
        "night-only: good-1 (policies/night-only.yaml)\n  \
         example.yaml:8: unexpected finding\n\
         1 passed, 1 failed\n"
    );
    assert_eq!(outcome.code, 1, "{}", outcome.err);
}

#[test]
fn an_unknown_name_is_refused_where_it_stands() {
    let rule = replaced("workload.kind != \"Job\"", "wrkload.kind != \"Job\"");
    assert_refused(&rule, "5:48", "did you mean `workload`?");
}

#[test]
fn an_unknown_field_is_refused_with_the_one_that_was_meant() {
    let rule = replaced("when: toleration.key", "when: toleration.kye");
    assert_refused(&rule, "5:18", "did you mean `key`?");
}

#[test]
fn a_condition_that_is_not_boolean_is_refused() {
    let rule = replaced(
        "when: toleration.key == \"example.com/night\" && workload.kind != \"Job\"",
        "when: toleration.key + \"x\"",
    );
    assert_refused(&rule, "5:7", "bool");
}

#[test]
fn a_condition_that_is_not_cel_is_refused() {
    let rule = replaced(" && workload.kind", " &&& workload.kind");
    assert_refused(&rule, "5:47", "invalid CEL");
}

#[test]
fn an_error_in_a_condition_of_several_lines_is_found_on_its_line() {
    let rule = replaced(
        "when: toleration.key == \"example.com/night\" && workload.kind != \"Job\"",
        "when: |\n  toleration.key == \"example.com/night\" &&\n  workload.knid != \"Job\"",
    );
    assert_refused(&rule, "7:12", "did you mean `kind`?");
}

/// The rule with named values and cases.
fn with_cases(names: &str, cases: &str) -> String {
    let rule = replaced(
        "when: toleration.key",
        &format!("let:\n{names}when: toleration.key"),
    );
    rule.replace(
        "help: run it as a Job\n",
        &format!("help: run it as a Job\ncases:\n{cases}"),
    )
}

#[test]
fn a_case_says_otherwise_where_it_holds() {
    let rule = with_cases(
        "  first: workload.tolerations[0]\n  isFirst: first.key == toleration.key\n",
        "  - {when: workload.kind == \"Deployment\", message: never}\n  \
         - {when: isFirst, message: 'first is `{first.key}`'}\n  \
         - {when: isFirst, message: later, severity: error}\n",
    );
    let folder = folder(&rule);
    let arguments = ["check", "--format", "concise", "--rules", "policies", "app"];
    let outcome = run(folder.path(), &arguments);
    assert_eq!(
        outcome.out, "app/pod.yaml:7:7: error[night-only] first is `example.com/night`\n",
        "{}",
        outcome.err
    );
    let tested = run(folder.path(), &["test", "policies"]);
    assert_eq!(
        tested.out,
        "night-only: no example reaches the case `workload.kind == \"Deployment\"`\n\
         2 passed, 0 failed\n",
        "{}",
        tested.err
    );
}

#[test]
fn what_is_wrong_with_a_named_value_or_a_case_is_refused_where_it_stands() {
    let named = |names: &str| with_cases(names, "  - {when: 'true', severity: note}\n");
    let case = |case: &str| with_cases("  one: '1'\n", &format!("  - {case}\n"));
    for (rule, place, complaint) in [
        (
            named("  one: wrkload.kind\n"),
            "6:8",
            "did you mean `workload`?",
        ),
        (
            named("  one: two\n  two: '1'\n"),
            "6:8",
            "unknown name `two`",
        ),
        (named("  workload: '1'\n"), "6:13", "already has a meaning"),
        (named("  a-b: '1'\n"), "6:8", "letters and digits"),
        (
            named("  one: workload.tolerations.exists(toleration, true)\n"),
            "6:",
            "another name",
        ),
        (case("{when: one, severity: note}"), "12:12", "boolean"),
        (case("{when: 'true'}"), "12:13", "needs `message`"),
        (
            case("{when: 'severity == \"note\"', severity: error}"),
            "12:",
            "unknown name `severity`",
        ),
        (
            case("{when: 'true', message: '{workload.knid}'}"),
            "12:",
            "did you mean `kind`?",
        ),
    ] {
        let folder = folder(&rule);
        let outcome = run(folder.path(), &["test", "policies"]);
        let expected = format!("error: policies/night-only.yaml:{place}");
        let found = |line: &str| line.starts_with(&expected) && line.contains(complaint);
        assert!(
            outcome.err.lines().any(found),
            "{expected} {complaint}:\n{}",
            outcome.err
        );
    }
}

#[test]
fn a_notice_has_the_fields_of_its_kind_alone() {
    let rule = |when: &str, message: &str| {
        RULE.replace("scope: toleration", "scope: notice")
            .replace("at: toleration.key", "at: notice")
            .replace(
                "toleration.key == \"example.com/night\" && workload.kind != \"Job\"",
                when,
            )
            .replace("'{workload.kind} tolerates `{toleration.key}`'", message)
    };
    let unknown = rule("notice.kind == \"repeated-flg\"", "x");
    assert_refused(&unknown, "5:19", "did you mean `repeated-flag`?");
    let other = rule("notice.kind == \"repeated-flag\"", "'{notice.key}'");
    assert_refused(
        &other,
        "7:19",
        "a notice of kind `repeated-flag` has no field `key`",
    );
    let either = rule(
        "notice.kind in [\"repeated-flag\", \"duplicate-yaml-key\"] && notice.identical",
        "x",
    );
    assert_refused(
        &either,
        "5:72",
        "has no field `identical`; test `notice.kind` first",
    );
}

#[test]
fn an_unknown_key_of_the_file_is_refused() {
    let rule = replaced("help: run", "hlep: run");
    assert_refused(&rule, "8:1", "hlep");
}

#[test]
fn missing_examples_are_refused() {
    let (rule, _) = RULE.split_once("examples:").expect("the rule has examples");
    assert_refused(rule, "1:1", "examples");
}

#[test]
fn examples_of_one_kind_are_refused() {
    let (rule, _) = RULE
        .split_once("  - good:")
        .expect("the rule has a good example");
    assert_refused(rule, "1:5", "at least one good example");
}

#[test]
fn an_id_unlike_the_files_name_is_refused() {
    assert_refused(
        &replaced("id: night-only", "id: day-only"),
        "1:5",
        "night-only",
    );
}

#[test]
fn an_unclosed_hole_is_refused() {
    let rule = replaced(
        "tolerates `{toleration.key}`",
        "tolerates `{toleration.key`",
    );
    assert_refused(&rule, "7:38", "unclosed");
}

#[test]
fn a_pattern_that_is_no_regular_expression_is_refused() {
    let rule = replaced(
        r#"toleration.key == "example.com/night""#,
        r#"toleration.key.matches("night(")"#,
    );
    assert_refused(&rule, "5:30", "unclosed group");
}

#[test]
fn two_broken_rules_are_both_told() {
    let folder = folder(&replaced("help: run", "hlep: run"));
    let second = replaced("id: night-only", "id: other")
        .replace("when: toleration.key", "when: toleration.kye");
    fs::write(folder.path().join("policies/other.yaml"), second).expect("a file");
    let outcome = run(folder.path(), &["check", "--rules", "policies", "app"]);
    assert!(
        outcome.err.contains("policies/night-only.yaml:8:1:"),
        "{}",
        outcome.err
    );
    assert!(
        outcome.err.contains("policies/other.yaml:5:18:"),
        "{}",
        outcome.err
    );
    assert_eq!(outcome.code, 2);
}

#[test]
fn a_folder_without_rules_is_told() {
    let folder = folder(RULE);
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    for path in ["empty", "missing"] {
        let outcome = run(folder.path(), &["check", "--rules", path, "app"]);
        assert!(outcome.err.contains(path), "{}", outcome.err);
        assert_eq!(outcome.code, 2);
    }
}

#[test]
fn an_example_that_is_no_yaml_is_told_as_the_cause() {
    let rule = RULE.replacen("kind: Pod\n", "kind: Pod: x\n", 1);
    let folder = repo(&[("policies/night-only.yaml", &rule)]);
    let result = run(folder.path(), &["test", "policies"]);
    assert_eq!(
        (result.code, result.out.as_str()),
        (
            1,
            "night-only: bad-1 (policies/night-only.yaml)\n  \
             example.yaml:2:10: not valid YAML: mapping values are not allowed in this context\n  \
             example.yaml:6: expected a finding, but there is none\n1 passed, 1 failed\n"
        ),
        "{}",
        result.err
    );
}

#[test]
fn a_rule_that_the_configuration_brings_is_listed_and_explained() {
    let folder = repo(&[
        ("policies/night-only.yaml", RULE),
        ("apps/a.yaml", POD),
        (".kubetaint.yaml", "rule-dirs: [policies]\n"),
    ]);
    for place in [folder.path().to_owned(), folder.path().join("apps")] {
        let result = run(&place, &["explain", "night-only"]);
        assert!(result.out.starts_with("# night-only\n"), "{}", result.err);
        assert!(
            result.out.contains("\n\nRun it as a Job.\n"),
            "{}",
            result.out
        );
        assert_eq!((result.code, result.err.as_str()), (0, ""));
        let result = run(&place, &["rules"]);
        assert!(result.out.contains("\nnight-only "), "{}", result.out);
    }
}

#[test]
fn a_mistake_in_the_configuration_keeps_nobody_from_reading_about_a_rule() {
    let folder = repo(&[(".kubetaint.yaml", "rule-dirs: [nope]\n")]);
    let result = run(folder.path(), &["explain", "blanket-exists"]);
    assert_eq!(result.code, 0);
    assert!(result.out.starts_with("# blanket-exists\n"));
    let told = "warning: .kubetaint.yaml:1:13: `nope`: rule files cannot be read: ";
    assert!(result.err.starts_with(told), "{}", result.err);
}
