//! Tests of reports in the formats of other programs, and of related options.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use crate::program::{BAD, GOOD, OWN_RULE, command, repo, run};
use serde_json::Value;

const FORMATS: [&str; 10] = [
    "text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson", "markdown",
];

#[test]
fn every_format_is_written_in_one_run_and_none_changes_the_exit_code() {
    let folder = repo(&[("apps/bad.yaml", BAD), ("broken.yaml", "a: [\n")]);
    // Outside the repository, so that the next run does not read them.
    let reports = tempfile::TempDir::new().unwrap();
    let path = |format: &str| reports.path().join(format);
    let targets: Vec<String> = FORMATS
        .iter()
        .map(|format| format!("--format={format}={}", path(format).display()))
        .collect();
    let mut arguments = vec!["check"];
    arguments.extend(targets.iter().map(String::as_str));
    let all = run(folder.path(), &arguments);
    assert_eq!((all.code, all.out.as_str()), (1, ""), "{}", all.err);
    for format in FORMATS {
        let one = run(folder.path(), &["check", "--format", format]);
        assert_eq!(one.code, 1, "{format}");
        let file = fs::read_to_string(path(format)).unwrap();
        assert_eq!(file, one.out, "{format}");
        assert!(file.contains("value-with-exists"), "{format}: {file}");
        assert!(file.contains("apps/bad.yaml"), "{format}: {file}");
    }
}

#[test]
fn two_reports_for_one_file_are_refused_before_one_is_lost() {
    let folder = repo(&[("bad.yaml", BAD)]);
    let arguments = ["check", "--format", "sarif=out", "--format", "json=out"];
    let both = run(folder.path(), &arguments);
    assert_eq!(both.code, 2, "{}", both.err);
    assert!(
        both.err
            .contains("sarif and json would both be written to out"),
        "{}",
        both.err
    );
    assert!(!folder.path().join("out").exists());
}

#[test]
fn the_formats_that_help_names_are_those_that_exist() {
    let folder = repo(&[("a.yaml", GOOD)]);
    let wrong = run(folder.path(), &["check", "--format", "html"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains(&FORMATS.join(", ")), "{}", wrong.err);
    let help = run(folder.path(), &["check", "--help"]).out;
    for format in FORMATS {
        assert!(help.contains(format), "{format}: {help}");
    }
}

#[test]
fn paths_of_machine_formats_are_those_of_the_repository_wherever_the_run_starts() {
    let folder = repo(&[("apps/bad.yaml", BAD)]);
    for format in &FORMATS[2..] {
        let here = run(folder.path(), &["check", "--format", format]);
        let below = run(
            &folder.path().join("apps"),
            &["check", "..", "--format", format],
        );
        assert_eq!(here.out, below.out, "{format}");
    }
}

#[test]
fn sarif_carries_the_rules_that_ran_the_exit_code_and_the_problems() {
    let folder = repo(&[("bad.yaml", BAD)]);
    let arguments = [
        "check",
        "--format",
        "sarif",
        "--select",
        "value-with-exists,unknown-effect",
    ];
    let sarif = run(
        folder.path(),
        &[&arguments[..], &["bad.yaml", "gone.yaml"]].concat(),
    );
    assert_eq!(sarif.code, 2);
    let log = sarif.json();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 2);
    let help = rules[1]["help"]["markdown"].as_str().unwrap();
    assert!(help.starts_with("# value-with-exists\n"), "{help}");
    let result = &run["results"][0];
    assert_eq!(result["ruleIndex"], 1);
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"]["startLine"],
        9
    );
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["exitCode"], 2);
    assert_eq!(invocation["executionSuccessful"], false);
    let problem = &invocation["toolExecutionNotifications"][0];
    assert_eq!(problem["message"]["text"], "path does not exist");
}

#[test]
fn reports_link_to_pages_of_rules_that_exist_and_to_none_for_rules_of_ones_own() {
    let folder = repo(&[("bad.yaml", BAD), ("policies/no-x.yaml", OWN_RULE)]);
    let arguments = ["check", "--format=sarif", "--rules=policies", "bad.yaml"];
    let log = run(folder.path(), &arguments).json();
    let below = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/");
    assert!(below.starts_with("https://"), "{below}");
    for rule in log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
    {
        let id = rule["id"].as_str().unwrap();
        if id == "no-x" {
            assert_eq!(rule.get("helpUri"), None);
            continue;
        }
        let page = rule["helpUri"].as_str().unwrap().strip_prefix(below);
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page.unwrap());
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.starts_with(&format!("# {id}\n")), "{page:?}");
    }
}

#[test]
fn sarif_marks_what_comments_and_the_baseline_accept_unless_it_is_to_leave_them_out() {
    let meant = BAD.replace(
        "value: w",
        "value: w # kubetaint: ignore[value-with-exists] the webhook drops it",
    );
    let folder = repo(&[("known.yaml", BAD), ("meant.yaml", &meant)]);
    let check = ["check", "--format", "sarif"];
    let with = |more: &[&str]| {
        let result = run(folder.path(), &[&check[..], more].concat());
        let results = result.json()["runs"][0]["results"].take();
        (result.code, results.as_array().cloned().unwrap_or_default())
    };
    run(
        folder.path(),
        &["check", "--write-baseline", "accepted.txt"],
    );
    let (code, results) = with(&["--baseline", "accepted.txt"]);
    assert_eq!((code, results.len()), (0, 2));
    let place =
        |at: usize| &results[at]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(
        (place(0).as_str(), place(1).as_str()),
        (Some("meant.yaml"), Some("known.yaml"))
    );
    assert_eq!(
        results[0]["suppressions"][0]["justification"],
        "the webhook drops it"
    );
    assert_eq!(results[1]["suppressions"][0]["kind"], "external");
    let (code, results) = with(&["--baseline", "accepted.txt", "--omit-suppressed"]);
    assert_eq!((code, results.len()), (0, 0));
    let (code, results) = with(&["--baseline", "accepted.txt", "--only", "meant.yaml"]);
    assert_eq!((code, results.len()), (0, 1));
    // Without suppression, they are ordinary findings.
    let (code, results) = with(&["--no-ignores", "--omit-suppressed"]);
    assert_eq!((code, results.len()), (1, 2));
}

#[test]
fn jsonl_ends_with_a_line_that_holds_the_rest() {
    let folder = repo(&[("bad.yaml", BAD)]);
    let lines = run(folder.path(), &["check", "--format", "jsonl"]).out;
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["rule"], "value-with-exists");
    assert_eq!(lines[1]["summary"]["error"], 1);
}

#[test]
fn colours_follow_the_flag_then_the_environment() {
    let folder = repo(&[("bad.yaml", BAD)]);
    let painted = |flags: &[&str], variables: &[(&str, &str)]| {
        let output = command(folder.path(), &[&["check"], flags].concat())
            .env_remove("CLICOLOR_FORCE")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!painted(&[], &[]), "no terminal");
    assert!(painted(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!painted(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!painted(&[], &[("CLICOLOR_FORCE", "")]));
    assert!(!painted(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(painted(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(painted(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!painted(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn completions_name_commands_and_options_in_every_shell() {
    let folder = repo(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(folder.path(), &["completions", shell]);
        assert_eq!(script.code, 0, "{shell}");
        for word in ["explain", "min-severity"] {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(folder.path(), &["completions", "ksh"]).code, 2);
}

#[test]
fn manual_pages_are_made_for_the_program_and_each_command() {
    let folder = repo(&[]);
    let page = run(folder.path(), &["man"]);
    assert_eq!(page.code, 0);
    assert!(page.out.contains(".TH kubetaint 1"), "{}", page.out);
    assert!(page.out.contains("kubetaint\\-check(1)"), "{}", page.out);
    let page = run(folder.path(), &["man", "check"]);
    assert!(page.out.contains(".TH kubetaint-check 1"), "{}", page.out);
    assert!(page.out.contains("\\-\\-min\\-severity"), "{}", page.out);
    let wrong = run(folder.path(), &["man", "chekc"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong
            .err
            .contains("there is no command `chekc` (did you mean `check`?)"),
        "{}",
        wrong.err
    );
}

/// A workload whose selector matches a pool in another file that it does not tolerate, and a finding elsewhere.
fn two_places() -> tempfile::TempDir {
    let pool = "apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {node.example.com/pool: gpu}}
spec: {taints: [{key: example.com/gpu, value: present, effect: NoSchedule}]}
";
    let workload = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {node.example.com/pool: gpu}
  containers: [{name: a, image: b}]
";
    repo(&[
        ("apps/web.yaml", workload),
        ("apps/web.yaml.d/bad.yaml", BAD),
        ("infra/pools.yaml", pool),
        ("kubetaint.txt", "x"),
        (
            ".kubetaint.yaml",
            "clusters: {prod: {paths: [\"**\"], complete: true}}\n",
        ),
    ])
}

#[test]
fn only_keeps_what_touches_the_files_by_its_own_place_or_a_related_one() {
    let folder = two_places();
    let rules = |only: &[&str]| {
        let arguments = [
            "check",
            ".",
            "--format",
            "concise",
            "--ignore",
            "untolerated-pool",
            "--only",
        ];
        let result = run(folder.path(), &[&arguments[..], only].concat());
        let mut rules: Vec<String> = result
            .out
            .lines()
            .map(|line| line.split(['[', ']']).nth(1).unwrap().to_owned())
            .collect();
        rules.dedup();
        (result.code, rules)
    };
    let selected = "selected-pool-not-tolerated".to_owned();
    let exists = "value-with-exists".to_owned();
    assert_eq!(rules(&["apps/web.yaml"]), (1, vec![selected.clone()]));
    let (code, found) = rules(&["infra/pools.yaml"]);
    assert_eq!((code, found.contains(&selected)), (1, true), "{found:?}");
    assert!(!found.contains(&exists));
    let (_, found) = rules(&["apps/web.yaml.d", "infra"]);
    assert!(found.contains(&exists) && found.contains(&selected));
    // Findings in other files do not fail this run and are not counted.
    assert_eq!(rules(&["kubetaint.txt"]), (0, Vec::new()));
    let gone = run(folder.path(), &["check", "--only", "gone.yaml"]);
    assert_eq!(gone.code, 2);
    assert!(
        gone.err.contains("--only: gone.yaml: path does not exist"),
        "{}",
        gone.err
    );
}

#[test]
fn only_means_the_same_file_from_wherever_it_is_named() {
    let folder = two_places();
    let here = run(
        folder.path(),
        &["check", ".", "--format", "json", "--only", "apps/web.yaml"],
    );
    let below = run(
        &folder.path().join("apps"),
        &[
            "check",
            "..",
            "--format",
            "json",
            "--only",
            "../apps/./web.yaml",
        ],
    );
    assert_eq!(here.out, below.out);
    let summary = &here.json()["summary"];
    assert_eq!(
        (&summary["files"], &summary["error"]),
        (&3.into(), &1.into())
    );
}

#[test]
fn statistics_count_rules_in_the_place_of_the_report() {
    let folder = repo(&[("a.yaml", BAD), ("b.yaml", BAD)]);
    let result = run(
        folder.path(),
        &["check", "--statistics", "--format", "json=report.json"],
    );
    assert_eq!(result.code, 1);
    let mut lines = result.out.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("2  error    value-with-exists  "),
        "{first}"
    );
    assert!(result.out.contains("2 errors"), "{}", result.out);
    assert!(!result.out.contains("a.yaml"), "{}", result.out);
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap();
    assert!(report.contains("\"findings\""), "{report}");
    let quiet = run(folder.path(), &["check", "--statistics", "-q", "."]);
    assert_eq!(quiet.out.lines().count(), 1, "{}", quiet.out);
    let both = run(
        folder.path(),
        &["check", "--statistics", "--format", "json"],
    );
    assert_eq!((both.code, both.out.as_str()), (2, ""));
    assert!(both.err.contains("--format json=FILE"), "{}", both.err);
}

#[test]
fn show_files_lists_what_is_read_and_says_why_the_rest_is_not() {
    let folder = repo(&[
        (".kubetaint.yaml", "exclude: [vendor/**]\n"),
        (".gitignore", "out/\n"),
        ("apps/b.yaml", "- no manifest"),
        ("apps/a.json", "{}"),
        ("vendor/x.yaml", ""),
        ("out/y.yaml", ""),
        ("README.md", ""),
        ("node_modules/z.yaml", ""),
    ]);
    let result = run(folder.path(), &["check", "--show-files"]);
    assert_eq!(
        (result.code, result.out.as_str()),
        (0, "apps/a.json\napps/b.yaml\n")
    );
    assert_eq!(
        result.err,
        "not read: .kubetaint.yaml: it is the configuration\n\
         not read: out/y.yaml: excluded by a .gitignore or .ignore file\n\
         not read: vendor/x.yaml: excluded by `exclude` in the configuration\n\
         not read: 2 more that are neither YAML nor JSON (-v lists them)\n"
    );
    let more = run(folder.path(), &["check", "--show-files", "-v"]);
    assert!(
        more.err
            .contains("not read: README.md: it is neither YAML nor JSON\n"),
        "{}",
        more.err
    );
    let quiet = run(
        &folder.path().join("apps"),
        &["check", "..", "--show-files", "-q"],
    );
    assert_eq!(
        (quiet.out.as_str(), quiet.err.as_str()),
        ("a.json\nb.yaml\n", "")
    );
    // If no file is read, the reasons are printed by default.
    let nothing = run(folder.path(), &["check", "vendor", "--show-files"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, ""));
    assert!(nothing.err.contains("`exclude`"), "{}", nothing.err);
}

#[cfg(unix)]
#[test]
fn show_files_tells_links() {
    let folder = repo(&[("a.yaml", GOOD)]);
    std::os::unix::fs::symlink("a.yaml", folder.path().join("b.yaml")).unwrap();
    let result = run(folder.path(), &["check", "--show-files"]);
    assert_eq!(result.out, "a.yaml\n");
    assert_eq!(result.err, "not read: b.yaml: it is a link\n");
}
