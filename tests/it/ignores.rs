//! Suppression by comments and annotations: what each form covers, and what is reported for unused ones.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::builtin::{RULES, rules_beside};
use kubetaint::finding::Report;
use kubetaint::lint::Suppressions;
use kubetaint::source::SourceId;

const TODAY: jiff::civil::Date = jiff::civil::date(2026, 6, 30);

fn report_with(files: &[(&str, &str)], suppressions: Suppressions, keep: &[&str]) -> Report {
    if keep.is_empty() {
        return crate::builtin::judged(&RULES, files, suppressions);
    }
    let mut rules = rules_beside(&[]);
    rules.retain(|rule| keep.contains(&rule.id.as_str()));
    crate::builtin::judged(&rules, files, suppressions)
}

/// `line rule` of each remaining and each suppressed finding.
fn judged(text: &str) -> (Vec<String>, Vec<String>) {
    told(&report_with(
        &[("pod.yaml", text)],
        Suppressions::On(TODAY),
        &[],
    ))
}

fn told(report: &Report) -> (Vec<String>, Vec<String>) {
    assert_eq!(report.problems, []);
    assert_eq!(report.counts.suppressed as usize, report.suppressed.len());
    let line = |finding: &kubetaint::finding::Finding| {
        let source = &report.sources[&finding.span.source];
        let line = source.position(finding.span.start).line;
        format!("{line} {}", finding.rule)
    };
    (
        report.findings.iter().map(line).collect(),
        report
            .suppressed
            .iter()
            .map(|one| line(&one.finding))
            .collect(),
    )
}

/// A Pod with two bad entries (lines 8 and 12); `@1` to `@9` mark places for comments.
const POD: &str = "@1apiVersion: v1
kind: Pod
metadata: {name: web}
@2spec:
  containers: [{name: a, image: b}]
@3  tolerations:@4
@5    - key: example.com/x@6
      operator: Exists@7
      value: v@8
      effect: NoSchedule
@9    - key: example.com/y
      operator: Exists
      value: w
      effect: NoSchedule
";

/// The Pod with a text inserted at one of its marks.
fn pod(place: usize, text: &str) -> String {
    let mut pod = POD.replace(&format!("@{place}"), text);
    for other in 1..=9 {
        pod = pod.replace(&format!("@{other}"), "");
    }
    pod
}

const ABOVE: &str = "# kubetaint: ignore[value-with-exists] why\n";
const BEHIND: &str = "  # kubetaint: ignore[value-with-exists] why";

#[test]
fn a_comment_above_covers_the_item_the_list_or_the_object_that_comes_next() {
    let cases = [
        (
            1,
            vec![],
            vec!["10 value-with-exists", "14 value-with-exists"],
        ),
        (
            2,
            vec![],
            vec!["10 value-with-exists", "14 value-with-exists"],
        ),
        (
            3,
            vec![],
            vec!["10 value-with-exists", "14 value-with-exists"],
        ),
        (
            5,
            vec!["14 value-with-exists"],
            vec!["10 value-with-exists"],
        ),
        (9, vec!["9 value-with-exists"], vec!["14 value-with-exists"]),
    ];
    for (place, left, accepted) in cases {
        let (found, suppressed) = judged(&pod(place, ABOVE));
        assert_eq!(found, left, "place {place}");
        assert_eq!(suppressed, accepted, "place {place}");
    }
}

#[test]
fn a_comment_behind_covers_its_line_and_the_item_that_begins_there() {
    for place in [6, 8] {
        let (found, suppressed) = judged(&pod(place, BEHIND));
        assert_eq!(found, ["13 value-with-exists"], "place {place}");
        assert_eq!(suppressed, ["9 value-with-exists"], "place {place}");
    }
    for (place, line) in [(4, 6), (7, 8)] {
        let (found, suppressed) = judged(&pod(place, BEHIND));
        let unused = format!("{line} unused-ignore");
        assert!(found.contains(&unused), "place {place}: {found:?}");
        assert_eq!(suppressed, [""; 0], "place {place}");
    }
}

#[test]
fn several_rules_and_several_comments_may_stand_for_one_place() {
    let (found, suppressed) = judged(&pod(
        9,
        "# kubetaint: ignore[unknown-effect, value-with-exists]: why\n",
    ));
    assert_eq!(found, ["9 value-with-exists", "11 unused-ignore"]);
    assert_eq!(suppressed, ["14 value-with-exists"]);
    let (found, _) = judged(&pod(
        5,
        "# other words\n# kubetaint: ignore[value-with-exists] why\n\n# more words\n",
    ));
    assert_eq!(found, ["17 value-with-exists"]);
    let (found, _) = judged(&pod(
        8,
        "  # TODO # kubetaint:ignore[value-with-exists] # more",
    ));
    assert_eq!(found, ["13 value-with-exists"]);
}

#[test]
fn a_comment_is_for_its_own_file_and_document() {
    let first = pod(1, "");
    let second = pod(1, ABOVE);
    let both = format!("{first}---\n{second}");
    let (found, suppressed) = judged(&both);
    assert_eq!(found, ["9 value-with-exists", "13 value-with-exists"]);
    assert_eq!(suppressed.len(), 2);
    // At the end of a document it can only apply to the next one.
    let (found, suppressed) = judged(&format!("{first}{ABOVE}---\n{first}"));
    assert_eq!(found, ["9 value-with-exists", "13 value-with-exists"]);
    assert_eq!(suppressed.len(), 2);
    let (found, _) = judged(&format!("{first}{ABOVE}"));
    assert!(found.contains(&"15 unused-ignore".to_owned()), "{found:?}");
    // A text that looks like a comment is not one.
    let (found, suppressed) = judged(&pod(2, "# as in `kubetaint: ignore[value-with-exists]`\n"));
    assert_eq!((found.len(), suppressed.len()), (2, 0));
}

#[test]
fn an_annotation_covers_the_object_or_the_pod_template_that_it_stands_in() {
    let text = r#"
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: one
    annotations: {ignore.kubetaint.io/value-with-exists: "the webhook drops it"}
  spec: &spec
    template:
      spec:
        containers: [{name: a}]
        tolerations: [{key: a, operator: Exists, value: b}]
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: two}
  spec:
    template:
      metadata: {annotations: {ignore.kubetaint.io/value-with-exists: ""}}
      spec:
        containers: [{name: a}]
        tolerations: [{key: a, operator: Exists, value: b}]
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: three}
  spec:
    template:
      spec:
        containers: [{name: a}]
        tolerations: [{key: a, operator: Exists, value: b}]
"#;
    let report = report_with(&[("list.yaml", text)], Suppressions::On(TODAY), &[]);
    let (found, suppressed) = told(&report);
    assert_eq!(found, ["31 value-with-exists"]);
    assert_eq!(suppressed, ["14 value-with-exists", "23 value-with-exists"]);
    assert_eq!(report.suppressed[0].reason, "the webhook drops it");
    let json = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a",
        "annotations": {"ignore.kubetaint.io/value-with-exist": "why"}},
        "spec": {"containers": [{"name": "a"}], "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}}"#;
    let report = report_with(&[("pod.json", json)], Suppressions::On(TODAY), &[]);
    let help: Vec<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "unused-ignore")
        .filter_map(|finding| finding.help.as_deref())
        .collect();
    assert_eq!(help, ["did you mean value-with-exists?"]);
}

#[test]
fn the_last_day_still_counts() {
    for (until, holds) in [("2026-06-29", false), ("2026-06-30", true)] {
        let comment = format!("# kubetaint: ignore[value-with-exists] until={until} why\n");
        let (found, suppressed) = judged(&pod(3, &comment));
        if holds {
            assert_eq!((found.len(), suppressed.len()), (0, 2));
        } else {
            assert_eq!(
                found,
                [
                    "6 expired-ignore",
                    "10 value-with-exists",
                    "14 value-with-exists"
                ]
            );
        }
    }
    for wrong in ["2026-02-30", "2026-6-30", "tomorrow", "20260630", ""] {
        let comment = format!("# kubetaint: ignore[value-with-exists] until={wrong} why\n");
        let (found, suppressed) = judged(&pod(3, &comment));
        assert!(
            found.contains(&"6 unused-ignore".to_owned()),
            "{wrong}: {found:?}"
        );
        assert_eq!(suppressed.len(), 0, "{wrong}");
    }
}

#[test]
fn what_does_not_say_which_rule_is_told() {
    for wrong in [
        "ignore",
        "ignore[]",
        "ignore[ , ]",
        "ignore value-with-exists",
        "ignore[value-with-exists",
        "noqa",
        "Ignore",
    ] {
        let (found, _) = judged(&pod(3, &format!("# kubetaint: {wrong}\n")));
        assert!(
            found.contains(&"6 unused-ignore".to_owned()),
            "{wrong}: {found:?}"
        );
    }
    let (found, _) = judged(&pod(3, "# kubetaint: a linter that reads this\n"));
    assert_eq!(found, ["10 value-with-exists", "14 value-with-exists"]);
}

#[test]
fn a_rule_that_did_not_run_makes_no_comment_unused() {
    let unused = pod(3, "# kubetaint: ignore[unknown-effect] why\n");
    let files = [("pod.yaml", unused.as_str())];
    let on = Suppressions::On(TODAY);
    let (found, _) = told(&report_with(
        &files,
        on,
        &["unused-ignore", "value-with-exists"],
    ));
    assert_eq!(found, ["10 value-with-exists", "14 value-with-exists"]);
    let (found, _) = told(&report_with(&files, on, &[]));
    assert!(found.contains(&"6 unused-ignore".to_owned()), "{found:?}");
    let off = [
        files[0],
        (".kubetaint.yaml", "rules: {unknown-effect: off}\n"),
    ];
    let (found, _) = told(&report_with(&off, on, &[]));
    assert_eq!(found, ["10 value-with-exists", "14 value-with-exists"]);
    // Without pools this rule reports nothing, whatever the manifest contains.
    let pools = pod(3, "# kubetaint: ignore[toleration-value-mismatch] why\n");
    let (found, _) = told(&report_with(&[("pod.yaml", &pools)], on, &[]));
    assert_eq!(found, ["10 value-with-exists", "14 value-with-exists"]);
}

#[test]
fn comments_are_passed_over_when_asked() {
    let text = pod(3, ABOVE);
    let (found, suppressed) = told(&report_with(&[("pod.yaml", &text)], Suppressions::Off, &[]));
    assert_eq!(found, ["10 value-with-exists", "14 value-with-exists"]);
    assert_eq!(suppressed.len(), 0);
    let text = pod(3, "# kubetaint: ignore[value-with-exists]\n");
    let files = [
        ("pod.yaml", text.as_str()),
        (".kubetaint.yaml", "require-reason: true\n"),
    ];
    let (found, _) = told(&report_with(&files, Suppressions::On(TODAY), &[]));
    assert_eq!(
        found,
        [
            "6 ignore-without-reason",
            "10 value-with-exists",
            "14 value-with-exists"
        ]
    );
}

#[test]
fn accepting_does_not_change_who_a_finding_is() {
    let plain = report_with(&[("pod.yaml", &pod(1, ""))], Suppressions::On(TODAY), &[]);
    let accepted = report_with(
        &[("pod.yaml", &pod(3, ABOVE))],
        Suppressions::On(TODAY),
        &[],
    );
    let before: Vec<&str> = plain
        .findings
        .iter()
        .map(|one| one.fingerprint.as_str())
        .collect();
    let after: Vec<&str> = accepted
        .suppressed
        .iter()
        .map(|one| one.finding.fingerprint.as_str())
        .collect();
    assert_eq!(before, after);
    assert!(before.iter().all(|one| one.len() == 32));
}

#[test]
fn comments_in_a_text_that_is_not_read_are_read_by_lines() {
    use kubetaint::extract::ignores::{Covers, Ignores};
    let text = "resource \"a\" \"b\" {\n  // kubetaint: ignore[one] why\n  taint {\n    key = \"a\"\n  }\n  x = 1 # kubetaint: ignore[two]\n\
                  {{/* kubetaint: ignore[three] why */}}\n  y = \"kubetaint: ignore[four]\"\n}\n";
    let mut ignores = Ignores::default();
    ignores.read_lines(text, 0..text.len(), SourceId(0));
    assert_eq!(ignores.misspelt, []);
    let read: Vec<(&str, &str, &str)> = ignores
        .ignores
        .iter()
        .map(|one| {
            let (Covers::Line(range) | Covers::Below(range)) = &one.covers;
            let covered = &text[range.start as usize..range.end as usize];
            (
                one.rules[0].0.as_str(),
                one.reason.as_str(),
                covered.trim_end(),
            )
        })
        .collect();
    assert_eq!(
        read,
        [
            ("one", "why", "  taint {\n    key = \"a\""),
            ("two", "", "  x = 1 # kubetaint: ignore[two]"),
            ("three", "why", "  y = \"kubetaint: ignore[four]\""),
        ]
    );
    let places: Vec<&str> = ignores
        .ignores
        .iter()
        .map(|one| &text[one.rules[0].1.range()])
        .collect();
    assert_eq!(places, ["one", "two", "three"]);
}

/// Whether the one finding in a pod with these tolerations is suppressed, and the rules with findings.
fn accepted(list: &str) -> (bool, Vec<String>) {
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: a, image: b}}]\n{list}"
    );
    let report = report_with(
        &[("pod.yaml", &text)],
        Suppressions::On(TODAY),
        &["value-with-exists", "unused-ignore"],
    );
    let rules = report.findings.iter().map(|one| one.rule.clone());
    (report.suppressed.len() == 1, rules.collect())
}

#[test]
fn comments_count_wherever_they_say_what_they_are_for() {
    const IT: &str = "# kubetaint: ignore[value-with-exists] meant";
    let block = "  - key: a\n    operator: Exists\n    value: b\n";
    for list in [
        format!("  {IT}\n  tolerations:\n{block}"),
        format!("  tolerations:\n  - {IT}\n    key: a\n    operator: Exists\n    value: b\n"),
        format!("  tolerations:\n{IT}\n{block}"),
        format!("  tolerations:\n  {IT}\n  # and more\n\n{block}"),
        format!("  tolerations: [{{key: a, operator: Exists, value: b}}] {IT}\n"),
        format!("  tolerations: [\n    {IT}\n    {{key: a, operator: Exists, value: b}},\n  ]\n"),
        format!("  tolerations:\n  - key: a\n    operator: Exists\n    value: b\t{IT}\n"),
    ] {
        assert_eq!(accepted(&list), (true, vec![]), "{list}");
    }
    let report = report_with(
        &[(
            "pod.yaml",
            &format!(
                "--- {IT}\napiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: []\n  tolerations:\n{block}---\napiVersion: v1\nkind: Pod\n\
                 metadata: {{name: b}}\nspec:\n  containers: []\n  tolerations:\n{block}"
            ),
        )],
        Suppressions::On(TODAY),
        &["value-with-exists", "unused-ignore"],
    );
    assert_eq!((report.suppressed.len(), report.findings.len()), (1, 1));
}

#[test]
fn comments_that_are_nearly_in_the_form_are_told() {
    for comment in [
        "# Kubetaint: Ignore[value-with-exists] meant",
        "# kubetaint ignore[value-with-exists] meant",
        "# we know; kubetaint: ignore[value-with-exists] meant",
        "# kubetaint: ignore[value-with-exists] UNTIL=2020-01-01 meant",
        "# kubetaint: ignore[value-with-exists] until:2099-01-01 meant",
        "# kubetaint: ignore[value-with-exists] meant, until: 2099-01-01",
        "# kubetaint: ignore[value-with-exists] until 2099-01-01",
    ] {
        let list =
            format!("  tolerations:\n  - key: a\n    operator: Exists\n    value: b {comment}\n");
        let (accepted, mut rules) = accepted(&list);
        rules.sort();
        assert!(!accepted, "{comment}");
        assert_eq!(rules, ["unused-ignore", "value-with-exists"], "{comment}");
    }
}

#[test]
fn a_reason_may_speak_of_days() {
    for said in [
        "the fix came too late until 2020-01-01",
        "until: it ends",
        "until then",
    ] {
        let list = format!(
            "  tolerations:\n  - key: a\n    operator: Exists\n    value: b # kubetaint: ignore[value-with-exists] {said}\n"
        );
        assert_eq!(accepted(&list), (true, vec![]), "{said}");
    }
}

#[test]
fn the_second_of_two_on_one_line_is_not_passed_over() {
    let (first, second) = ("ignore[unknown-effect] a", "ignore[value-with-exists] b");
    let list = format!(
        "  tolerations:\n  - key: a\n    operator: Exists\n    effect: Never\n    value: b # kubetaint: {first} # kubetaint: {second}\n"
    );
    assert_eq!(accepted(&list), (true, vec![]));
    let terraform = format!(
        "resource \"kubernetes_pod_v1\" \"a\" {{\n  spec {{\n    # kubetaint: {first} # kubetaint: {second}\n    toleration {{\n      key = \"a\"\n      \
         operator = \"Exists\"\n      value = \"b\"\n      effect = \"Never\"\n    }}\n  }}\n}}\n"
    );
    let report = report_with(
        &[("main.tf", &terraform)],
        Suppressions::On(TODAY),
        &["value-with-exists", "unknown-effect", "unused-ignore"],
    );
    assert_eq!((report.suppressed.len(), report.findings.len()), (2, 0));
}

#[test]
fn comments_in_what_was_not_read_may_be_of_use_later() {
    let list = |id: &str| {
        format!(
            "  tolerations:\n    {{{{- if .Values.x }}}}\n    # kubetaint: ignore[{id}] meant\n    - key: a\n"
        )
    };
    assert_eq!(accepted(&list("value-with-exists")), (false, vec![]));
    let unknown = accepted(&list("value-with-exist"));
    assert_eq!(unknown, (false, vec!["unused-ignore".to_owned()]));
}

#[test]
fn a_text_in_quotes_accepts_nothing_in_a_configuration() {
    let said = "kubetaint: ignore[value-with-exists] the agent drains nodes";
    let terraform = |value: &str| {
        format!(
            "resource \"kubernetes_pod_v1\" \"a\" {{\n  spec {{\n    toleration {{\n      key = \"a\"\n      operator = \"Exists\"\n      value = \
             {value}\n    }}\n  }}\n}}\n"
        )
    };
    for (value, accepted) in [
        (format!("\"b # {said}\""), 0),
        (format!("\"b # c\" # {said}"), 1),
        (format!("\"b\" // {said}"), 1),
        (format!("\"${{\"b\"}} # {said}\""), 0),
    ] {
        let text = terraform(&value);
        let report = report_with(
            &[("main.tf", &text)],
            Suppressions::On(TODAY),
            &["value-with-exists", "unused-ignore"],
        );
        let counts = (report.suppressed.len(), report.findings.len());
        assert_eq!(counts, (accepted, 1 - accepted), "{value}");
    }
}
