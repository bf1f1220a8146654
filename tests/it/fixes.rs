//! Tests of `--fix`, `--unsafe-fixes` and `--diff`: the right bytes change, and no others.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Run, copy, run};
use tempfile::TempDir;

fn check(folder: &Path, arguments: &[&str]) -> Run {
    run(
        folder,
        &[&["check", "--format", "concise"], arguments].concat(),
    )
}

/// A file's text after `--fix` with these arguments.
fn fixed(text: &str, arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pod.yaml");
    fs::write(&path, text).unwrap();
    let before = fs::metadata(&path).unwrap().permissions();
    check(folder.path(), arguments);
    assert_eq!(fs::metadata(&path).unwrap().permissions(), before);
    let after = fs::read_to_string(&path).unwrap();
    // A second run changes nothing.
    check(folder.path(), arguments);
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    after
}

#[track_caller]
fn becomes(text: &str, from: &str, to: &str) {
    assert!(text.contains(from), "{from}");
    for line_end in ["\n", "\r\n"] {
        let text = text.replace('\n', line_end);
        let (from, to) = (from.replace('\n', line_end), to.replace('\n', line_end));
        assert_eq!(fixed(&text, &["--fix"]), text.replace(&from, &to));
        let marked = format!("\u{feff}{text}");
        assert_eq!(fixed(&marked, &["--fix"]), marked.replace(&from, &to));
    }
}

const POD: &str = "# The team's pod.
apiVersion: v1
kind: Pod
metadata: {name: 'web',  labels: {a: \"b\"}}   # odd   spacing
spec:
  containers:   [ {name: a, image: b} ]

  tolerations:

    # dedicated nodes
    - key:   example.com/x
      operator: 'Exists'
      value: w  # ours
      effect: NoSchedule
    - {key: \"example.com/y\", operator: Exists, value: w, effect: noschedule}
";

#[test]
fn only_what_is_meant_changes() {
    becomes(
        POD,
        "      value: w  # ours\n      effect: NoSchedule\n    - {key: \"example.com/y\", operator: Exists, value: w, effect: noschedule}\n",
        "      # ours\n      effect: NoSchedule\n    - {key: \"example.com/y\", operator: Exists, effect: NoSchedule}\n",
    );
}

#[test]
fn anchors_json_and_several_documents_are_fixed_where_they_stand() {
    becomes(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: &spec\n  containers: [{name: a}]\n  tolerations: &both\n  - &one {key: a, \
         operator: Exists, value: b}\n---\n# second\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: b}\nspec: {template: \
         {spec: {containers: [], tolerations: [{key: c, operator: exists}]}}}\n",
        "operator: Exists, value: b}\n---\n# second\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: b}\nspec: {template: {spec: \
         {containers: [], tolerations: [{key: c, operator: exists}]}}}\n",
        "operator: Exists}\n---\n# second\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: b}\nspec: {template: {spec: {containers: [], \
         tolerations: [{key: c, operator: Exists}]}}}\n",
    );
    becomes(
        "{\n  \"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"},\n  \"spec\": {\"containers\": [],\n    \"tolerations\": [\n      \
         {\n        \"key\": \"a\",\n        \"operator\": \"Equal\",\n        \"value\": true\n      }\n    ]}\n}",
        "\"value\": true",
        "\"value\": \"true\"",
    );
}

#[test]
fn a_template_and_what_is_accepted_stay_as_they_are() {
    let accepted = POD.replace(
        "    - key:   example.com/x",
        "    # kubetaint: ignore[value-with-exists] meant\n    - key:   example.com/x",
    );
    let got = fixed(&accepted, &["--fix"]);
    assert!(got.contains("      value: w  # ours\n"), "{got}");
    assert!(!got.contains("noschedule"), "{got}");
    let template = format!("{POD}{{{{- if .Values.more }}}}\n    - key: z\n{{{{- end }}}}\n");
    assert_eq!(fixed(&template, &["--unsafe-fixes"]), template);
}

#[test]
fn what_may_move_pods_is_fixed_only_when_asked_for() {
    let two = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: b}]\n  tolerations:\n  - key: a\n    \
               operator: Exists\n  - key: a\n    operator: Exists\n    effect: NoSchedule\n";
    assert_eq!(fixed(two, &["--fix"]), two);
    let narrow = two.replace(
        "  - key: a\n    operator: Exists\n    effect: NoSchedule\n",
        "",
    );
    assert_eq!(fixed(two, &["--unsafe-fixes"]), narrow);
    assert_eq!(fixed(two, &["--fix", "--unsafe-fixes"]), narrow);
    assert_eq!(
        fixed(
            two,
            &["--fix", "--unsafe-fixes", "--ignore", "subsumed-toleration"]
        ),
        two
    );
}

#[test]
fn a_patch_shows_what_would_change_and_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pod.yaml");
    fs::write(&path, POD.trim_end()).unwrap();
    let Run {
        code,
        out: patch,
        err,
    } = check(folder.path(), &["--diff"]);
    assert_eq!(code, 1, "{err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), POD.trim_end());
    assert_eq!(
        patch,
        "diff --git a/pod.yaml b/pod.yaml\n--- a/pod.yaml\n+++ b/pod.yaml\n@@ -10,6 +10,6 @@\n     # dedicated nodes\n     - key:   example.com/x\n       \
         operator: 'Exists'\n-      value: w  # ours\n+      # ours\n       effect: NoSchedule\n-    - {key: \"example.com/y\", operator: Exists, value: w, \
         effect: noschedule}\n\\ No newline at end of file\n+    - {key: \"example.com/y\", operator: Exists, effect: NoSchedule}\n\\ No newline at end of file\n"
    );
    let Run { code, out, err } = check(folder.path(), &["--fix"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("3 fixes applied in 1 file"), "{err}");
    let Run {
        code, out: patch, ..
    } = check(folder.path(), &["--diff"]);
    assert_eq!((code, patch.as_str()), (0, ""));
}

#[test]
fn standard_input_cannot_be_fixed() {
    let folder = TempDir::new().unwrap();
    for flag in ["--fix", "--diff", "--unsafe-fixes"] {
        let Run { code, err, .. } = check(folder.path(), &[flag, "-"]);
        assert_eq!(code, 2);
        assert!(err.contains("standard input cannot be fixed"), "{err}");
    }
}

#[test]
fn mending_all_situations_breaks_none_and_is_done_at_once() {
    let folder = TempDir::new().unwrap();
    let situations = "fixtures/situations";
    copy(Path::new(situations), &folder.path().join(situations));
    let errors = |out: &str, rule: &str| out.matches(&format!("error[{rule}]")).count();
    let before = check(folder.path(), &["--isolated"]).out;
    let Run {
        out: after, err, ..
    } = check(folder.path(), &["--isolated", "--unsafe-fixes"]);
    assert!(err.contains("fixes applied"), "{err}");
    assert!(errors(&before, "value-with-exists") > 0);
    assert_eq!(errors(&after, "value-with-exists"), 0, "{after}");
    assert!(errors(&after, "unparsable-manifest") <= errors(&before, "unparsable-manifest"));
    let err = check(folder.path(), &["--isolated", "--unsafe-fixes"]).err;
    assert!(err.contains("Nothing to fix"), "{err}");
}

/// A file's bytes after `--fix`.
fn fixed_bytes(name: &str, bytes: &[u8]) -> (Vec<u8>, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let err = check(folder.path(), &["--fix"]).err;
    (fs::read(&path).unwrap(), err)
}

#[test]
fn bytes_that_are_not_utf_8_stay_and_are_told() {
    let french = POD.replace("The team's", "L'\u{e9}quipe:");
    let latin: Vec<u8> = french.chars().map(|letter| letter as u32 as u8).collect();
    let (after, err) = fixed_bytes("pod.yaml", &latin);
    assert_eq!(after, latin, "{err}");
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(POD.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let (after, err) = fixed_bytes("pod.yaml", &wide);
    assert_eq!(after, wide, "{err}");
}

#[test]
fn what_cannot_be_written_is_told_and_still_found() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(POD.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    write("a.yaml", POD.as_bytes());
    write("kept.yaml", POD.as_bytes());
    write("wide.yaml", &wide);
    let kept = folder.path().join("kept.yaml");
    let mut permissions = fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&kept, permissions).unwrap();
    // A patch cannot contain a file that git treats as binary.
    let Run {
        code,
        out: patch,
        err,
    } = check(folder.path(), &["--diff"]);
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "6 fixes would be applied in 2 files\nerror: wide.yaml: not shown: it is not UTF-8\n"
    );
    assert!(
        patch.contains("a/kept.yaml") && !patch.contains("wide.yaml"),
        "{patch}"
    );
    let Run { code, out, err } = check(folder.path(), &["--fix"]);
    assert_eq!(code, 2);
    let told = [
        "3 fixes applied in 1 file\n",
        "error: kept.yaml: not fixed: the file is read-only\n",
        "error: wide.yaml: not fixed: it is not UTF-8\n",
    ];
    assert!(told.iter().all(|told| err.contains(told)), "{err}");
    for (name, times) in [("a.yaml", 0), ("kept.yaml", 3), ("wide.yaml", 3)] {
        assert_eq!(out.matches(&format!("{name}:")).count(), times, "{out}");
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), POD);
    assert_eq!(fs::read(folder.path().join("wide.yaml")).unwrap(), wide);
}

#[test]
fn a_patch_of_a_first_line_has_its_byte_order_mark() {
    let folder = TempDir::new().unwrap();
    let json = "\u{feff}{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [], \
                \"tolerations\": [{\"key\": \"a\", \"operator\": \"exists\"}]}}\n";
    fs::write(folder.path().join("pod.json"), json).unwrap();
    let Run {
        out: patch, err, ..
    } = check(folder.path(), &["--diff"]);
    let fixed = json.replace("exists", "Exists");
    assert!(
        patch.ends_with(&format!("@@ -1 +1 @@\n-{json}+{fixed}")),
        "{patch}{err}"
    );
    check(folder.path(), &["--fix"]);
    let after = fs::read_to_string(folder.path().join("pod.json")).unwrap();
    assert_eq!(after, fixed);
}

#[test]
fn git_makes_of_a_patch_what_the_fixes_make_whatever_ends_lines_and_names() {
    let names = [
        "pod.yaml",
        "with space.yaml",
        " a  b .yaml",
        "quo\"te's.yaml",
        "grün 😀.yaml",
        "tab\there.yaml",
        "back\\slash.yaml",
        "a b/b a/ b/pod.yaml",
        "-- a/pod.yaml",
    ];
    let texts = [
        POD.to_owned(),
        POD.trim_end().to_owned(),
        format!("{}\r", POD.trim_end()),
        format!("{POD}# more\r"),
        format!("{POD}\r"),
        POD.replace('\n', "\r\n"),
        format!("{}\r", POD.replace('\n', "\r\n").trim_end()),
        POD.replace('\n', "\r"),
        POD.replace("operator: 'Exists'\n", "operator: 'Exists'\r\n"),
        POD.replacen('\n', "\r", 3),
        format!("\u{feff}{POD}"),
        format!("\u{feff}{}\r", POD.trim_end()),
        format!("{POD}# \u{85}\u{2028}x\u{c}\u{b}\n"),
    ];
    let (fixed, patched) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for (at, text) in texts.iter().enumerate() {
        for name in names {
            for folder in [fixed.path(), patched.path()] {
                crate::program::write(folder, &format!("{at}/{name}"), text);
            }
        }
    }
    let elsewhere = TempDir::new().unwrap();
    let patch = elsewhere.path().join("patch");
    fs::write(&patch, check(patched.path(), &["--diff"]).out).unwrap();
    let said = check(fixed.path(), &["--fix"]).err;
    assert!(said.contains("fixes applied in 1"), "{said}");
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn"])
        .arg(&patch)
        .current_dir(patched.path())
        .env("GIT_DIR", elsewhere.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    for at in 0..texts.len() {
        for name in names {
            let read = |folder: &Path| fs::read(folder.join(at.to_string()).join(name)).unwrap();
            let (one, other) = (read(fixed.path()), read(patched.path()));
            assert_eq!(one, other, "{name} of text {at}");
        }
    }
}

#[test]
fn line_ends_of_two_sorts_stay_where_they_are() {
    let mixed = POD.replace("operator: 'Exists'\n", "operator: 'Exists'\r\n");
    let (after, err) = fixed_bytes("pod.yaml", mixed.as_bytes());
    let expected = mixed
        .replace("      value: w  # ours\n", "      # ours\n")
        .replace(", value: w, effect: noschedule", ", effect: NoSchedule");
    assert_eq!(String::from_utf8(after).unwrap(), expected, "{err}");
}

#[test]
fn manifests_in_heredocs_are_fixed_and_nothing_around_them() {
    let terraform = "# tolerations: value\nresource \"kubectl_manifest\" \"a\" {\n  yaml_body = <<-EOT\n    apiVersion: v1\n    kind: Pod\n    metadata:\n      \
                     name: a-${var.name}\n    spec:\n      containers: [{name: a, image: b}]\n      tolerations:\n      - key: a\n        \
                     operator: Exists\n        value: b # why\n  EOT\n}\nvariable \"name\" {}\n";
    let (after, err) = fixed_bytes("main.tf", terraform.as_bytes());
    let expected = terraform.replace("        value: b # why\n", "        # why\n");
    assert_eq!(String::from_utf8(after).unwrap(), expected, "{err}");
    let open = terraform.replace("      tolerations:\n", "      tolerations:\n%{ if true }\n");
    let open = open.replace("  EOT\n", "%{ endif }\n  EOT\n");
    let (after, _) = fixed_bytes("main.tf", open.as_bytes());
    assert_eq!(String::from_utf8(after).unwrap(), open);
}

#[test]
fn comments_and_texts_that_look_like_heredocs_keep_no_manifest_below_from_being_fixed() {
    let resource = "resource \"kubectl_manifest\" \"a\" {\n  yaml_body = <<-EOT\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    \
                    spec:\n      containers: [{name: a, image: b}]\n      tolerations:\n      - key: a\n        operator: Exists\n        \
                    value: b # why\n  EOT\n}\n";
    let expected = resource.replace("        value: b # why\n", "        # why\n");
    for above in [
        "# <<EOT\n",
        "// <<-OTHER\n",
        "/* text = <<EOT\n*/\n",
        "locals {\n  a = \"<<EOT\"\n  b = \"# <<EOT\"\n}\n",
        "locals {\n  a = <<EOT\nEOT\n  b = (<<EOT\nx\nEOT\n)\n}\n",
        "locals {\n  a = <<OTHER\n<<EOT\nOTHER\n}\n",
        "locals {\n  a = { b = 1, b = 2 }\n}\n",
        "# a \" and a ${\n",
    ] {
        let (after, err) = fixed_bytes("main.tf", format!("{above}{resource}").as_bytes());
        let after = String::from_utf8(after).unwrap();
        assert_eq!(after, format!("{above}{expected}"), "{above} {err}");
    }
    // `%%{` is an escape, not a directive.
    let said = resource.replace("# why", "# 5 %%{ why");
    let (after, err) = fixed_bytes("main.tf", said.as_bytes());
    let expected = said.replace("        value: b # 5", "        # 5");
    assert_eq!(String::from_utf8(after).unwrap(), expected, "{err}");
}
