//! Tests of `--add-ignores`: comments are written in the right place, take effect, and nothing else changes.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{BAD, Run, copy, repo, run, run_with_input};
use regex::Regex;
use tempfile::TempDir;
use walkdir::WalkDir;

const REASON: &str = "the agent drains nodes";

fn accept(folder: &Path, arguments: &[&str]) -> Run {
    let all = [
        &[
            "check",
            "--isolated",
            "--format",
            "concise",
            "--add-ignores",
            REASON,
        ],
        arguments,
    ];
    run(folder, &all.concat())
}

/// The text of a file after its findings were suppressed. No finding remains, and a second run changes nothing.
fn accepted(name: &str, text: &str) -> String {
    let folder = repo(&[(name, text)]);
    let path = folder.path().join(name);
    let result = accept(folder.path(), &[]);
    let after = fs::read_to_string(&path).unwrap();
    assert_eq!(
        (result.code, result.out.as_str()),
        (0, ""),
        "{}\n{after}",
        result.err
    );
    assert!(
        !result.err.contains("0 findings suppressed"),
        "{}",
        result.err
    );
    accept(folder.path(), &[]);
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    after
}

/// Asserts that exactly this part of the text changes.
#[track_caller]
fn becomes(name: &str, text: &str, from: &str, to: &str) {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    assert_eq!(accepted(name, text), text.replace(from, to));
}

/// A Pod with these lines as tolerations. Their dash is in the fifth column.
fn pod(tolerations: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  containers: [{{name: a, image: b}}]\n  tolerations:\n{tolerations}"
    )
}

#[test]
fn a_finding_is_accepted_at_the_end_of_its_line() {
    becomes(
        "a.yaml",
        BAD,
        "value: w\n",
        "value: w  # kubetaint: ignore[value-with-exists] the agent drains nodes\n",
    );
}

#[test]
fn several_findings_of_a_line_share_a_comment_with_what_is_there() {
    let line = "    - {key: a, operator: Exists, value: w, effect: noschedule}";
    let both = "ignore[unknown-effect, value-with-exists] the agent drains nodes";
    becomes(
        "a.yaml",
        &pod(&format!("{line}\n")),
        line,
        &format!("    # kubetaint: {both}\n{line}"),
    );
    becomes(
        "a.yaml",
        &pod(&format!("{line}  # ours\n")),
        line,
        &format!("    # kubetaint: {both}\n{line}"),
    );
    // An existing comment gives the reason for its own rules only.
    becomes(
        "a.yaml",
        &pod(&format!(
            "{line} # kubetaint: ignore[value-with-exists] old\n"
        )),
        "ignore[value-with-exists] old",
        "ignore[value-with-exists, unknown-effect] old; the agent drains nodes",
    );
    becomes(
        "a.yaml",
        &pod(&format!(
            "    # kubetaint: ignore[value-with-exists]\n    # more words\n{line}\n"
        )),
        "ignore[value-with-exists]",
        "ignore[value-with-exists, unknown-effect] the agent drains nodes",
    );
}

#[test]
fn a_comment_that_ends_is_not_prolonged_and_gives_its_day_to_nobody() {
    let line = "    - {key: a, operator: Exists, value: w, effect: noschedule}";
    let ends = format!("{line}  # kubetaint: ignore[value-with-exists] until=2999-01-31 old\n");
    becomes(
        "a.yaml",
        &pod(&ends),
        line,
        &format!("    # kubetaint: ignore[unknown-effect] the agent drains nodes\n{line}"),
    );
    let folder = repo(&[("a.yaml", BAD)]);
    let reason = "until=2999-01-31 the agent drains nodes";
    let result = run(folder.path(), &["check", "--add-ignores", reason]);
    assert_eq!(result.code, 0, "{}", result.err);
    let after = fs::read_to_string(folder.path().join("a.yaml")).unwrap();
    assert!(
        after.contains(&format!("ignore[value-with-exists] {reason}\n")),
        "{after}"
    );
}

#[test]
fn line_ends_the_mark_at_the_start_and_a_missing_last_line_end_stay() {
    let bad = "    - key: a\n      operator: Exists\n      value: w";
    let comment = "# kubetaint: ignore[value-with-exists] the agent drains nodes";
    becomes(
        "a.yaml",
        &pod(bad),
        "value: w",
        &format!("value: w  {comment}"),
    );
    let windows = format!("{}\r\n", pod(bad).replace('\n', "\r\n"));
    becomes(
        "a.yaml",
        &windows,
        "value: w",
        &format!("value: w  {comment}"),
    );
    let marked = format!("\u{feff}{windows}");
    becomes(
        "a.yaml",
        &marked,
        "value: w",
        &format!("value: w  {comment}"),
    );
    let long = "v".repeat(80);
    let windows = windows.replace("value: w", &format!("value: {long}"));
    becomes(
        "a.yaml",
        &windows,
        "      value: ",
        &format!("      {comment}\r\n      value: "),
    );
    becomes(
        "a.yaml",
        &pod(&format!("{bad}   \n")),
        "value: w   ",
        &format!("value: w   {comment}"),
    );
}

#[test]
fn where_a_comment_would_be_text_it_stands_at_the_nearest_place_around() {
    // Inside quotes that span lines.
    let quoted = pod("    - key: a\n      operator: Exists\n      value: \"w\n        x\"\n");
    let comment = "# kubetaint: ignore[value-with-exists, invalid-value] the agent drains nodes";
    let after = accepted("a.yaml", &quoted);
    let above = "      # kubetaint: ignore[";
    assert!(
        after.contains(above) && after.contains("value: \"w\n        x\"\n"),
        "{after}"
    );
    assert_ne!(
        after,
        quoted.replace("value: \"w", &format!("value: \"w  {comment}"))
    );
    // Inside a block scalar.
    let script = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  run.sh: |\n    kubelet \\\n      \
                  --register-with-taints=a=b:NoSchedule --register-with-taints=c=d:NoSchedule\n";
    becomes(
        "a.yaml",
        script,
        "  run.sh: |\n",
        "  # kubetaint: ignore[taint-flag-repeated] the agent drains nodes\n  run.sh: |\n",
    );
}

#[test]
fn a_list_in_brackets_over_several_lines_has_comments_inside() {
    let text = pod(
        "    [\n      {key: a, operator: Exists, value: w},\n      {key: b, operator: Exists, value: x}\n    ]\n",
    );
    let after = accepted("a.yaml", &text);
    let comment = "  # kubetaint: ignore[value-with-exists] the agent drains nodes";
    assert_eq!(
        after,
        text.replace("value: w},", &format!("value: w}},{comment}"))
            .replace("value: x}", &format!("value: x}}{comment}"))
    );
}

#[test]
fn json_has_an_annotation_on_the_object_and_not_on_its_pods() {
    let template = r#""spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [],
    "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}}}"#;
    let head = "{\n  \"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\",\n  \"metadata\": {\n    \"name\": \"a\"";
    let pair = "\"ignore.kubetaint.io/value-with-exists\": \"the agent drains nodes\"";
    becomes(
        "a.json",
        &format!("{head}\n  }},\n  {template}}}"),
        "\"name\": \"a\"",
        &format!("\"name\": \"a\",\n    \"annotations\": {{{pair}}}"),
    );
    becomes(
        "a.json",
        &format!("{head}, \"annotations\": {{}}}},\n  {template}}}"),
        "\"annotations\": {}",
        &format!("\"annotations\": {{{pair}}}"),
    );
    becomes(
        "a.json",
        &format!("{head}, \"annotations\": {{\"x\": \"y\"}}}},\n  {template}}}"),
        "{\"x\": \"y\"}",
        &format!("{{\"x\": \"y\", {pair}}}"),
    );
    // Without metadata there is no place for an annotation, and the output says so.
    let bare = format!("{{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", {template}}}");
    let folder = repo(&[("a.json", &bare)]);
    let result = accept(folder.path(), &[]);
    assert_eq!(result.code, 1);
    assert!(
        result.err.contains(
            "warning: a.json:2:56: value-with-exists: not suppressed: JSON has no comments"
        ),
        "{}",
        result.err
    );
}

#[test]
fn terraform_is_accepted_in_its_own_comments() {
    let pool = "resource \"google_container_node_pool\" \"gpu\" {\n  name    = \"gpu\"\n  cluster = \"c\"\n  node_config {\n    taint {\n      \
                key    = \"example.com/gpu\"\n      value  = \"true\"\n      effect = \"NoSchedule\"\n    }\n  }\n}\n";
    becomes(
        "main.tf",
        pool,
        "effect = \"NoSchedule\"",
        "effect = \"NoSchedule\" # kubetaint: ignore[effect-spelling] the agent drains nodes"
            .replace("\" #", "\"  #")
            .as_str(),
    );
}

#[test]
fn what_terragrunt_includes_is_accepted_where_it_stands() {
    let environment = "terraform {\n  source = \"tfr:///terraform-aws-modules/eks/aws?version=20.8.4\"\n}\ninputs = {\n  \
                       eks_managed_node_groups = {\n    p = {\n      taints = {\n        a = {\n          key    = \"a\"\n          \
                       effect = \"NoSchedule\"\n        }\n      }\n    }\n  }\n}\n";
    let folder = repo(&[
        ("_env/eks.hcl", environment),
        (
            "live/terragrunt.hcl",
            "include \"env\" {\n  path = \"../_env/eks.hcl\"\n}\n",
        ),
    ]);
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert!(
        found.out.starts_with("_env/eks.hcl:10:20: "),
        "{}",
        found.out
    );
    let result = accept(folder.path(), &[]);
    assert_eq!(
        (result.code, result.out.as_str()),
        (0, ""),
        "{}",
        result.err
    );
    let after = fs::read_to_string(folder.path().join("_env/eks.hcl")).unwrap();
    assert_eq!(
        after,
        environment.replace(
            "\"NoSchedule\"",
            "\"NoSchedule\"  # kubetaint: ignore[effect-spelling] the agent drains nodes"
        )
    );
}

#[test]
fn a_manifest_inside_terraform_is_accepted_above_the_text_that_holds_it() {
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: []\n  tolerations:\n    - {key: a, operator: Exists, \
                    value: b}\n";
    let resource = format!(
        "resource \"kubectl_manifest\" \"a\" {{\n  yaml_body = <<-YAML\n{manifest}YAML\n}}\n"
    );
    // A comment inside would become part of the value in Terraform.
    becomes(
        "main.tf",
        &resource,
        "  yaml_body = <<",
        "  # kubetaint: ignore[value-with-exists] the agent drains nodes\n  yaml_body = <<",
    );
}

#[test]
fn what_cannot_be_accepted_is_told_with_its_place_and_stays_in_the_report() {
    let broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: [web\n";
    let folder = repo(&[("a.yaml", BAD), ("b.yaml", broken)]);
    let result = accept(folder.path(), &[]);
    assert_eq!(result.code, 1);
    assert_eq!(result.places().len(), 1, "{}", result.out);
    assert!(result.places()[0].ends_with("[unparsable-manifest"));
    assert!(result.err.contains("warning: b.yaml:"), "{}", result.err);
    assert!(
        result
            .err
            .contains(": not suppressed: the document cannot be parsed"),
        "{}",
        result.err
    );
    assert!(
        result.err.contains("1 finding suppressed in 1 file\n"),
        "{}",
        result.err
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("b.yaml")).unwrap(),
        broken
    );
}

#[test]
fn a_template_that_takes_blanks_away_swallows_no_comment() {
    let open = "    - key: a\n      operator: Exists\n      value: {{ .Values.v -}}\n      {{- if .Values.x }}\n      effect: NoSchedule\n      {{- end }}\n";
    let text = pod(&format!("    - key: b\n      operator: exists\n{open}"));
    let folder = repo(&[("templates/a.yaml", &text)]);
    accept(folder.path(), &[]);
    let after = fs::read_to_string(folder.path().join("templates/a.yaml")).unwrap();
    assert!(!after.contains("-}}  #"), "{after}");
    assert!(!after.contains("nodes\n      {{-"), "{after}");
}

#[test]
fn only_what_would_fail_the_run_is_accepted() {
    let both =
        pod("    - key: a\n      operator: Exists\n      value: w\n    - operator: Exists\n");
    let folder = repo(&[("a.yaml", &both)]);
    let text = || fs::read_to_string(folder.path().join("a.yaml")).unwrap();
    let result = accept(folder.path(), &["--fail-on", "error"]);
    assert_eq!(result.code, 0, "{}", result.out);
    assert!(text().contains("ignore[value-with-exists]") && !text().contains("blanket-exists"));
    fs::write(folder.path().join("a.yaml"), &both).unwrap();
    let result = accept(folder.path(), &["--select", "blanket-exists"]);
    assert_eq!(result.code, 0, "{}", result.out);
    assert!(
        !text().contains("value-with-exists")
            && text().contains("- operator: Exists  # kubetaint: ignore[blanket-exists]")
    );
}

#[test]
fn what_a_comment_without_the_reason_that_is_required_covers_is_accepted_anew() {
    let text = pod(
        "    # kubetaint: ignore[value-with-exists]\n    - {key: a, operator: Exists, value: w}\n",
    );
    let annotated = pod("    - {key: a, operator: Exists, value: w}\n").replace(
        "name: web}",
        "name: web, annotations: {ignore.kubetaint.io/value-with-exists: 'until=2020-01-01 old'}}",
    );
    for text in [text, annotated] {
        let folder = repo(&[
            ("a.yaml", &text),
            (".kubetaint.yaml", "require-reason: true\n"),
        ]);
        let chosen = ["check", "--select", "value-with-exists"];
        assert_eq!(run(folder.path(), &chosen).code, 1, "{text}");
        let asked = [&chosen[..], &["--add-ignores", REASON]].concat();
        let result = run(folder.path(), &asked);
        let after = fs::read_to_string(folder.path().join("a.yaml")).unwrap();
        assert_eq!(result.code, 0, "{}{after}", result.err);
        assert!(
            after.contains(&format!("ignore[value-with-exists] {REASON}")),
            "{after}"
        );
    }
}

#[test]
fn a_patch_shows_the_comments_and_writes_none() {
    let folder = repo(&[("a.yaml", BAD)]);
    let result = run(
        folder.path(),
        &["check", "--isolated", "--diff", "--add-ignores", REASON],
    );
    assert_eq!(result.code, 1);
    assert!(
        result.out.starts_with("diff --git a/a.yaml b/a.yaml\n"),
        "{}",
        result.out
    );
    assert!(
        result.out.contains(
            "\n+      value: w  # kubetaint: ignore[value-with-exists] the agent drains nodes\n"
        ),
        "{}",
        result.out
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a.yaml")).unwrap(),
        BAD
    );
}

#[test]
fn a_reason_that_would_not_be_read_as_it_is_written_is_refused() {
    let folder = repo(&[("a.yaml", BAD)]);
    for (reason, why) in [
        ("", "give a reason"),
        ("  \n ", "give a reason"),
        ("until=2999-01-31", "give a reason"),
        ("until=2001-01-31 old", "is in the past"),
        ("until=tomorrow x", "`tomorrow` is not a date"),
        ("see #5 # and", "only `see #5` would be read"),
        ("a {{ b }}", "must not contain `{{`"),
        ("a\u{1b}[31m", "one line of plain text"),
    ] {
        let result = run(folder.path(), &["check", "--add-ignores", reason]);
        assert_eq!((result.code, result.out.as_str()), (2, ""), "{reason:?}");
        assert!(
            result.err.starts_with("error: --add-ignores: ") && result.err.contains(why),
            "{reason:?}: {}",
            result.err
        );
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("a.yaml")).unwrap(),
        BAD
    );
}

#[test]
fn it_goes_neither_with_fixes_nor_with_standard_input() {
    let folder = repo(&[("a.yaml", BAD)]);
    for other in [
        "--fix",
        "--unsafe-fixes",
        "--no-ignores",
        "--write-baseline=b.yaml",
        "--fail-on=never",
    ] {
        let result = run(folder.path(), &["check", "--add-ignores", REASON, other]);
        assert_eq!((result.code, result.out.as_str()), (2, ""), "{other}");
        assert!(
            result.err.contains("--add-ignores"),
            "{other}: {}",
            result.err
        );
    }
    let result = run_with_input(folder.path(), &["check", "-", "--add-ignores", REASON], BAD);
    assert_eq!(result.code, 2);
    assert!(
        result.err.contains("standard input cannot be written to"),
        "{}",
        result.err
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a.yaml")).unwrap(),
        BAD
    );
}

/// All files below a folder, by path.
fn texts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            (
                entry.path().display().to_string(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// Suppresses everything in a folder. Removing the comments restores the files byte by byte, and nothing is unreported.
fn accepts_everything(folder: &Path, least: &str) -> usize {
    let behind =
        Regex::new(r" {0,2}# kubetaint: ignore\[[a-z, -]+\] the agent drains nodes").unwrap();
    let above =
        Regex::new(r"(?m)^ *# kubetaint: ignore\[[a-z, -]+\] the agent drains nodes\r?\n").unwrap();
    let annotated = Regex::new(
        r#",?\s*"annotations": \{("ignore\.kubetaint\.io/[a-z-]+": "the agent drains nodes",? ?)+\}|,?\s*"ignore\.kubetaint\.io/[a-z-]+": "the agent drains nodes""#,
    )
    .unwrap();
    // Existing comments may gain rules and the reason.
    let known =
        Regex::new(r"ignore\[[a-z, -]+\] (all|before|what)(; the agent drains nodes)?").unwrap();
    let before = texts(folder);
    let result = accept(folder, &["--fail-on", least]);
    let after = texts(folder);
    let mut changed = 0;
    for (path, old) in &before {
        let new = &after[path];
        if new == old {
            continue;
        }
        changed += 1;
        let new = String::from_utf8(new.clone()).unwrap();
        let new = known.replace_all(&new, "ignore[] $1");
        let old = String::from_utf8(old.clone()).unwrap();
        let old = known.replace_all(&old, "ignore[] $1");
        let stripped = above.replace_all(&new, "");
        let stripped = behind.replace_all(&stripped, "");
        let stripped = annotated.replace_all(&stripped, "");
        // Another test checks that existing blanks before a comment are kept.
        let lines = |text: &str| -> Vec<String> {
            let kept = |line: &str| match line.strip_suffix('\r') {
                Some(line) => format!("{}\r", line.trim_end()),
                None => line.trim_end().to_owned(),
            };
            text.split('\n').map(kept).collect()
        };
        assert!(lines(&stripped) == lines(&old), "{path}\n{new}");
    }
    assert_eq!(before.len(), after.len());
    for line in result.out.lines() {
        let place: Vec<&str> = line.splitn(4, ':').collect();
        let said = format!("warning: {}:{}:{}: ", place[0], place[1], place[2]);
        let is_counted = match least {
            "note" => true,
            _ => !line.contains(": note["),
        };
        assert!(
            !is_counted || result.err.contains(&said),
            "left unsaid: {line}"
        );
    }
    accept(folder, &["--fail-on", least]);
    assert_eq!(texts(folder), after, "again");
    changed
}

#[test]
fn all_fixtures_are_accepted_and_change_in_nothing_else() {
    let folder = TempDir::new().unwrap();
    copy(Path::new("fixtures"), &folder.path().join("fixtures"));
    assert!(accepts_everything(folder.path(), "note") > 20);
}

#[test]
fn all_fixtures_with_windows_line_ends_are_accepted_and_change_in_nothing_else() {
    let folder = TempDir::new().unwrap();
    let situations = "fixtures/situations";
    copy(Path::new(situations), &folder.path().join(situations));
    for (path, bytes) in texts(folder.path()) {
        if let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\r')
        {
            fs::write(path, text.replace('\n', "\r\n")).unwrap();
        }
    }
    assert!(accepts_everything(folder.path(), "note") > 20);
}

/// The next number of a pseudorandom sequence.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn invented_files_in_every_layout_are_accepted_and_change_in_nothing_else() {
    let mut state = 0x5eed_u64;
    let mut pick = |from: &[&str]| {
        from[usize::try_from(next(&mut state)).unwrap_or(0) % from.len()].to_owned()
    };
    let folder = TempDir::new().unwrap();
    for at in 0..120 {
        let mut text = String::new();
        for document in 0..1 + at % 3 {
            if document > 0 {
                text.push_str(&pick(&[
                    "---\n",
                    "--- # next\n",
                    "...\n---\n",
                    "# between\n---\n",
                ]));
            }
            text.push_str(&pick(&[
                "",
                "# head\n",
                "# kubetaint: ignore[unknown-field] all\n",
                "\n\n",
            ]));
            text.push_str("apiVersion: apps/v1\nkind: Deployment\n");
            text.push_str(&pick(&[
                "metadata: {name: a}\n",
                "metadata:\n  name: a # it\n",
                "metadata: {name: a,\n  labels: {b: c}}\n",
            ]));
            text.push_str("spec:\n  template:\n    spec:\n");
            text.push_str(&pick(&[
                "",
                "      nodeSelektor: {a: b}\n",
                "      priority: |\n        a # b\n        c\n",
            ]));
            text.push_str("      tolerations:");
            text.push_str(&pick(&["\n", " # these\n", "\n      # more\n", " &t\n"]));
            for _ in 0..3 {
                text.push_str(&pick(&[
                    "      - key: a\n        operator: Exists\n        value: w\n",
                    "      - {key: a, operator: Exists,\n         value: 'w',\n         effect: noschedule}\n",
                    "      - key: a # x\n        operator: exists   \n",
                    "      -\n        key: a\n        operator: Exists\n        value: \"w\n          x\"\n",
                    "      - operator: Exists\n        value: |\n          some # text\n          more\n",
                    "      # kubetaint: ignore[value-with-exists] before\n      - {key: b, operator: Exists, value: x, effect: Nothing}\n",
                    "      - \"key\": \"c\"\n        \"operator\": \"Equal\"\n        \"value\": true  # kubetaint: ignore[unknown-effect] what\n",
                    "      - key: d\n        operator: Exist\n        tolerationSeconds: >\n          12\n          3\n        effect: NoExecute\n",
                    "      - key: ü😀\n        operator: Equal\n        value: a b c\n",
                ]));
            }
        }
        if at % 5 == 0 {
            text = text.trim_end().to_owned();
        }
        if at % 7 == 0 {
            text = text.replace('\n', "\r\n");
        }
        fs::write(folder.path().join(format!("{at:03}.yaml")), text).unwrap();
    }
    assert!(accepts_everything(folder.path(), "note") > 100);
}

#[test]
fn a_manifest_behind_a_comment_that_looks_like_a_heredoc_is_accepted_above_its_text() {
    let resource = "resource \"kubectl_manifest\" \"a\" {\n  yaml_body = <<-YAML\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    \
                    spec:\n      containers: []\n      tolerations:\n        - {key: a, operator: Exists, value: b}\n    YAML\n}\n";
    for above in [
        "# <<YAML\n",
        "locals {\n  a = \"<<YAML\"\n}\n",
        "// <<EOT\n",
    ] {
        becomes(
            "main.tf",
            &format!("{above}{resource}"),
            "  yaml_body = <<",
            "  # kubetaint: ignore[value-with-exists] the agent drains nodes\n  yaml_body = <<",
        );
    }
}
