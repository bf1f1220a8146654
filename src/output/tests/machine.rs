//! Output of the formats for programs: snapshots of an ordinary and a hostile report, and the limits of the formats.

use serde_json::Value;

use super::*;
use crate::finding::{Edit, Fix};

/// An ordinary report: two files, a fix, a problem, something that could not be judged.
fn ordinary() -> Draft {
    let mut draft = two_files();
    let span = draft.span(0, "NoExecute");
    draft.0.findings[0].fix = Some(Fix {
        safe: false,
        title: "write `NoSchedule`".to_owned(),
        edits: vec![Edit {
            span,
            text: "NoSchedule".to_owned(),
        }],
    });
    let span = draft.span(0, "operator: Exists\n          effect");
    draft.add(
        "blanket-exists",
        Severity::Warning,
        "`x` at spec.tolerations[0]",
        span,
    );
    let span = draft.span(1, "labels");
    draft.add(
        "untolerated-pool",
        Severity::Note,
        "nobody tolerates it",
        span,
    );
    draft.0.problems = vec![Problem {
        file: Some("apps/locked.yaml".to_owned()),
        position: None,
        message: "cannot be read: permission denied".to_owned(),
    }];
    draft.0.counts.not_judged = BTreeMap::from([("files with template actions".to_owned(), 3)]);
    draft.0.not_judged = open_things();
    draft
}

/// A report in which every text is an injection attempt.
fn hostile() -> Draft {
    let path = "a\n::error::b,c:d%0A ##[add-mask]x|<b>&\"'@team.yaml";
    let mut draft = Draft::new(&[(path, WEB), ("infra/pools.yaml", POOLS)]);
    let harm = "`v`\n::set-env name=X::y\r\n##[error]z ]]><script>alert(1)</script> | <b>b</b> ![i](http://evil.example/i) \
                [l](1) @team `unpaired \x1b[31mred\u{202e} \0 &amp; www.evil.example https://evil.example \u{ffff}";
    let related = Label {
        span: draft.span(1, "value: present"),
        message: "here [1](2) \\".to_owned() + harm,
    };
    let span = draft.span(0, "effect: NoExecute");
    let finding = draft.add("unknown-effect", Severity::Error, harm, span);
    finding.help = Some(harm.to_owned());
    finding.related = vec![related];
    finding.object.kind = harm.to_owned();
    finding.object.name = Some(harm.to_owned());
    draft.0.problems = vec![Problem {
        file: Some(path.to_owned()),
        position: Some(Position {
            line: 3,
            column: 4,
            offset: 9,
        }),
        message: harm.to_owned(),
    }];
    draft
}

fn page(id: &str, severity: Severity) -> RulePage<'_> {
    RulePage {
        id: id.to_owned(),
        title: "What it finds".to_owned(),
        severity,
        tags: vec!["security".to_owned()],
        why: "Why it\nmatters.\n\nMore of it.\n".to_owned(),
        page: Box::new(move || format!("# {id}\n\nWhy it matters.")),
        uri: Some(format!("https://example.com/{id}.md")),
    }
}

fn show(draft: &Draft, format: Format) -> String {
    let rules = [
        page("blanket-exists", Severity::Warning),
        page("toleration-effect-mismatch", Severity::Error),
    ];
    let view = View {
        standpoint: &BESIDE,
        rules: &rules,
        exit_code: 2,
        ..view(&draft.0)
    };
    written(format, &view)
}

fn json(draft: &Draft, format: Format) -> Value {
    serde_json::from_str(&show(draft, format)).expect("JSON")
}

/// SARIF is written without line breaks. This adds them so that the snapshot is readable.
fn indented(draft: &Draft, format: Format) -> String {
    serde_json::to_string_pretty(&json(draft, format)).expect("JSON")
}

#[test]
fn jsonl_is_a_line_per_finding_and_a_closing_line() {
    insta::assert_snapshot!(show(&ordinary(), Format::Jsonl));
}

#[test]
fn jsonl_and_json_say_the_same() {
    let draft = ordinary();
    let lines = show(&draft, Format::Jsonl);
    let mut lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mut whole = lines.pop().expect("a closing line");
    whole["findings"] = lines.into();
    assert_eq!(whole, json(&draft, Format::Json));
}

#[test]
fn sarif_of_an_ordinary_report() {
    insta::assert_snapshot!(indented(&ordinary(), Format::Sarif));
}

#[test]
fn sarif_of_hostile_text_has_no_links_but_its_own() {
    insta::assert_snapshot!(indented(&hostile(), Format::Sarif));
}

#[test]
fn sarif_keeps_the_worst_within_the_limits_and_says_what_it_left_out() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = draft.span(0, "tolerations");
    for _ in 0..25_000 {
        draft.add("r", Severity::Note, "m", span);
    }
    let label = Label {
        span,
        message: "m".to_owned(),
    };
    draft.add("worst", Severity::Error, "m", span).related = vec![label; 200];
    let log = json(&draft, Format::Sarif);
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 25_000);
    assert_eq!(results[0]["ruleId"], "worst");
    assert_eq!(
        results[0]["relatedLocations"].as_array().map(Vec::len),
        Some(99)
    );
    let notifications = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(
        notifications[0]["message"]["text"],
        "1 findings are left out, the least severe ones"
    );
}

#[test]
fn sarif_marks_what_is_accepted_and_cuts_it_first() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = draft.span(0, "tolerations");
    let by = draft.span(0, "operator: Exists");
    let finding = |draft: &mut Draft, rule: &str, severity| {
        draft.add(rule, severity, "m", span);
        draft.0.findings.pop().expect("the finding")
    };
    let note = finding(&mut draft, "known", Severity::Note);
    let error = finding(&mut draft, "meant", Severity::Error);
    draft.0.baselined = vec![note];
    draft.0.suppressed = vec![Suppressed {
        finding: error,
        by,
        reason: "why\nnot".to_owned(),
    }];
    draft.add("open", Severity::Note, "m", span);
    let results = |draft: &Draft| json(draft, Format::Sarif)["runs"][0].take();
    let run = results(&draft);
    let shown: Vec<(&str, &str)> = (run["results"].as_array().expect("results").iter())
        .map(|one| {
            let kind = one["suppressions"][0]["kind"].as_str();
            (one["ruleId"].as_str().expect("a rule"), kind.unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        shown,
        [("open", "-"), ("meant", "inSource"), ("known", "external")]
    );
    let suppression = &run["results"][1]["suppressions"][0];
    assert_eq!(suppression["status"], "accepted");
    assert_eq!(suppression["justification"], "why not");
    let region = &suppression["location"]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 13);
    for _ in 0..24_999 {
        draft.add("open", Severity::Note, "m", span);
    }
    let run = results(&draft);
    let all = run["results"].as_array().expect("results");
    assert_eq!(all.len(), 25_000);
    assert!(all.iter().all(|one| one.get("suppressions").is_none()));
    assert_eq!(
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        "2 suppressed findings are omitted"
    );
}

#[test]
fn sarif_names_files_as_uris() {
    let mut draft = Draft::new(&[("a b/ü:#?%[x].yaml", WEB), ("/elsewhere/a b.yaml", WEB)]);
    for file in 0..2 {
        let span = draft.span(file, "tolerations");
        draft.add("r", Severity::Note, "m", span);
    }
    let log = json(&draft, Format::Sarif);
    let file = |at: usize| {
        let result = &log["runs"][0]["results"][at];
        result["locations"][0]["physicalLocation"]["artifactLocation"].clone()
    };
    assert_eq!(file(0)["uri"], "a%20b/%C3%BC%3A%23%3F%25%5Bx%5D.yaml");
    assert_eq!(file(0)["uriBaseId"], "%SRCROOT%");
    assert_eq!(file(1)["uri"], "file:///elsewhere/a%20b.yaml");
    assert_eq!(file(1)["uriBaseId"], Value::Null);
}

#[test]
fn github_of_an_ordinary_report() {
    insta::assert_snapshot!(show(&ordinary(), Format::Github));
}

#[test]
fn github_of_hostile_text_has_one_command_per_line_and_no_other() {
    let shown = show(&hostile(), Format::Github);
    for line in shown.lines() {
        assert!(
            line.starts_with("::error file=a\\x0a%3A%3Aerror%3A%3Ab%2Cc%3Ad%250A"),
            "{line}"
        );
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn github_annotates_ten_of_each_severity_and_counts_the_rest() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = draft.span(0, "tolerations");
    for (severity, times) in [
        (Severity::Note, 11),
        (Severity::Warning, 10),
        (Severity::Error, 13),
    ] {
        for at in 0..times {
            let rule = if at < 11 { "one" } else { "##[other]" };
            draft.add(rule, severity, "m", span);
        }
    }
    draft.0.problems = vec![Problem {
        file: None,
        position: None,
        message: "no".to_owned(),
    }];
    let shown = show(&draft, Format::Github);
    let starts = |with: &str| shown.lines().filter(|line| line.starts_with(with)).count();
    assert_eq!(starts("::error "), 10, "{shown}");
    assert_eq!((starts("::warning "), starts("::notice ")), (10, 10));
    let rest: Vec<&str> = shown.lines().skip(30).collect();
    assert_eq!(
        rest,
        [
            "4 more errors without an annotation: # #[other] (2), one (2)",
            "1 more note without an annotation: one (1)",
        ]
    );
}

#[test]
fn gitlab_of_an_ordinary_report() {
    insta::assert_snapshot!(show(&ordinary(), Format::Gitlab));
}

#[test]
fn gitlab_of_hostile_text() {
    insta::assert_snapshot!(show(&hostile(), Format::Gitlab));
}

#[test]
fn gitlab_tells_equal_findings_apart() {
    let issues = json(&with_notes(), Format::Gitlab);
    let issues = issues.as_array().expect("an array");
    let mut fingerprints: Vec<&str> = issues
        .iter()
        .filter_map(|issue| issue["fingerprint"].as_str())
        .collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), issues.len());
    assert_eq!(issues.len(), 5);
}

#[test]
fn junit_of_an_ordinary_report() {
    insta::assert_snapshot!(show(&ordinary(), Format::Junit));
}

#[test]
fn junit_of_hostile_text() {
    insta::assert_snapshot!(show(&hostile(), Format::Junit));
}

#[test]
fn junit_of_nothing_has_a_case_that_passes() {
    insta::assert_snapshot!(show(&Draft::new(&[]), Format::Junit));
}

#[test]
fn junit_tells_what_a_rule_finds_twice_at_one_place_apart() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = draft.span(0, "effect: NoExecute");
    for cluster in ["prod", "stage"] {
        draft.add("unschedulable-workload", Severity::Error, cluster, span);
    }
    let written = show(&draft, Format::Junit);
    let names: Vec<&str> = written
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<testcase name=\""))
        .filter_map(|line| line.split('"').next())
        .collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
}

#[test]
fn rdjson_of_an_ordinary_report() {
    insta::assert_snapshot!(show(&ordinary(), Format::Rdjson));
}

#[test]
fn rdjson_of_hostile_text() {
    insta::assert_snapshot!(show(&hostile(), Format::Rdjson));
}

#[test]
fn rdjson_counts_columns_in_bytes_and_puts_edits_together() {
    let mut draft = Draft::new(&[("a.yaml", "é: é1 é2\n"), ("b.yaml", "x")]);
    let span = draft.span(0, "é1 é2");
    let edits = vec![
        Edit {
            span: draft.span(0, "1"),
            text: "one".to_owned(),
        },
        Edit {
            span: draft.span(0, "2"),
            text: String::new(),
        },
    ];
    let fix = Fix {
        safe: true,
        title: "t".to_owned(),
        edits,
    };
    draft.add("r", Severity::Note, "m", span).fix = Some(fix.clone());
    let elsewhere = Edit {
        span: draft.span(1, "x"),
        text: String::new(),
    };
    let mut far = fix;
    far.edits.push(elsewhere);
    draft.add("r", Severity::Note, "m", span).fix = Some(far);
    let result = json(&draft, Format::Rdjson);
    let diagnostic = &result["diagnostics"][0];
    let range = |value: &Value| {
        let at = |end: &str| value["range"][end]["column"].as_u64();
        (at("start"), at("end"))
    };
    assert_eq!(range(&diagnostic["location"]), (Some(5), Some(12)));
    let suggestion = &diagnostic["suggestions"][0];
    assert_eq!(range(suggestion), (Some(7), Some(12)));
    assert_eq!(suggestion["text"], "one é");
    assert_eq!(result["diagnostics"][1]["suggestions"], Value::Null);
}

#[test]
fn markdown_of_an_ordinary_report() {
    insta::assert_snapshot!(show(&ordinary(), Format::Markdown));
}

#[test]
fn markdown_of_hostile_text() {
    insta::assert_snapshot!(show(&hostile(), Format::Markdown));
}

#[test]
fn markdown_is_cut_between_two_findings_before_it_is_too_large_for_a_summary() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = draft.span(0, "tolerations");
    let long = "m".repeat(900);
    for _ in 0..2000 {
        draft.add("r", Severity::Warning, &long, span);
    }
    draft.add("worst", Severity::Error, "m", span);
    let shown = show(&draft, Format::Markdown);
    assert!(shown.len() < 1024 * 1024 && shown.len() > 900_000);
    let rows: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("| **"))
        .collect();
    assert!(rows[0].contains("worst"));
    assert!(rows.iter().all(|row| row.ends_with(" |")));
    let left = 2001 - rows.len();
    assert!(
        shown.contains(&format!("\n{left} more findings, left out")),
        "{left}"
    );
}

#[test]
fn text_links_rules_to_their_pages_where_links_are_known() {
    let draft = two_files();
    let rules = [page("toleration-effect-mismatch", Severity::Error)];
    let linked = |hyperlinks: bool| {
        let view = View {
            color: true,
            hyperlinks,
            rules: &rules,
            ..view(&draft.0)
        };
        written(Format::Text, &view)
    };
    let uri = "https://example.com/toleration-effect-mismatch.md";
    assert!(linked(true).starts_with(&format!("\x1b]8;;{uri}\x1b\\")));
    assert!(linked(true).contains("error[toleration-effect-mismatch]"));
    assert!(!linked(false).contains(uri));
}
