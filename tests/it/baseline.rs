//! Tests of baselines from the command line: what they suppress, what they do not, and messages about outdated entries.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use crate::program::{Run, repo, run, write};
use tempfile::TempDir;

/// A Pod with one finding, `value-with-exists`.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers: [{{name: a, image: b}}]\n  tolerations:\n    \
         - key: example.com/x\n      operator: Exists\n      value: w\n      effect: NoSchedule\n"
    )
}

const LIST: &str = "tolerations:\n- key: example.com/x\n  operator: Exists\n  value: w\n";

struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        Folder(repo(files))
    }

    fn write(&self, path: &str, text: &str) {
        write(self.0.path(), path, text);
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.0.path().join(from), self.0.path().join(to)).unwrap();
    }

    fn baseline(&self) -> String {
        fs::read_to_string(self.0.path().join("known.yaml")).unwrap()
    }

    /// Checks the folder. The output holds only the places of findings.
    fn check(&self, arguments: &[&str]) -> Run {
        let asked = [&["check", "--format", "concise"], arguments].concat();
        let run = run(self.0.path(), &asked);
        let places = run.places().join("; ");
        Run { out: places, ..run }
    }

    fn with_baseline(&self, more: &[&str]) -> Run {
        self.check(&[&["--baseline", "known.yaml"], more].concat())
    }
}

/// A folder with a baseline for all its findings.
fn accepted(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(files);
    let Run { code, out, err } = folder.check(&["--write-baseline", "known.yaml"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("known.yaml: written with "), "{err}");
    folder
}

#[test]
fn what_is_accepted_is_counted_and_not_reported() {
    let folder = accepted(&[("a.yaml", &pod("web")), ("values.yaml", LIST)]);
    let Run { code, out, err } = folder.with_baseline(&[]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("2 in the baseline"), "{err}");
    assert!(!err.contains("no longer match"), "{err}");
    // Without the baseline the findings are still reported.
    assert_eq!(folder.check(&[]).code, 1);
    // Writing the baseline again gives the same file.
    let before = folder.baseline();
    folder.check(&["--write-baseline", "known.yaml"]);
    assert_eq!(folder.baseline(), before);
}

#[test]
fn lines_may_move_and_a_file_may_be_renamed_where_the_object_is_the_same() {
    let folder = accepted(&[("a.yaml", &pod("web")), ("values.yaml", LIST)]);
    folder.write(
        "a.yaml",
        &format!(
            "# one\n# two\n---\n{}",
            pod("web").replace(
                "    - key",
                "    - key: z\n      operator: Exists\n    - key"
            )
        ),
    );
    assert_eq!(folder.with_baseline(&[]).out, "");
    folder.rename("a.yaml", "b.yaml");
    let Run { code, out, err } = folder.with_baseline(&[]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(!err.contains("no longer match"), "{err}");
    // Values have no object with a name.
    folder.rename("values.yaml", "other-values.yaml");
    let Run { code, out, err } = folder.with_baseline(&[]);
    assert_eq!(
        (code, out.as_str()),
        (1, "other-values.yaml:4:3: error[value-with-exists"),
        "{err}"
    );
    assert!(err.contains("1 entry no longer matches"), "{err}");
    assert!(
        err.contains("  value-with-exists in values.yaml\n"),
        "{err}"
    );
}

#[test]
fn what_is_new_is_reported() {
    let folder = accepted(&[("a.yaml", &pod("web"))]);
    folder.write("b.yaml", &pod("web2"));
    assert_eq!(
        folder.with_baseline(&[]).out,
        "b.yaml:9:7: error[value-with-exists"
    );
    // A copy is also new: the baseline covers only one finding, the one in the original file.
    folder.write("b.yaml", "");
    folder.write("0.yaml", &pod("web"));
    assert_eq!(
        folder.with_baseline(&[]).out,
        "0.yaml:9:7: error[value-with-exists"
    );
    folder.write("0.yaml", "");
    // Another value makes another finding.
    folder.write("a.yaml", &pod("web").replace("value: w", "value: v"));
    let Run { out, err, .. } = folder.with_baseline(&[]);
    assert_eq!(out, "a.yaml:9:7: error[value-with-exists");
    assert!(
        err.contains("value-with-exists in a.yaml, Pod web"),
        "{err}"
    );
}

#[test]
fn entries_that_match_nothing_are_told_and_taken_out_on_request() {
    let folder = accepted(&[("a.yaml", &pod("web")), ("b.yaml", &pod("api"))]);
    let whole = folder.baseline();
    folder.write("b.yaml", &pod("api").replace("      value: w\n", ""));
    assert!(
        folder
            .with_baseline(&[])
            .err
            .contains("value-with-exists in b.yaml, Pod api")
    );
    assert_eq!(folder.baseline(), whole);
    // Findings in files that were not read may still exist.
    for narrow in [
        &["a.yaml"][..],
        &["--select", "unknown-effect"],
        &["--ignore", "value-with-exists"],
    ] {
        let err = folder
            .with_baseline(&[narrow, &["--prune-baseline"]].concat())
            .err;
        assert!(!err.contains("no longer match"), "{narrow:?}: {err}");
        assert_eq!(folder.baseline(), whole);
    }
    let Run { code, err, .. } = folder.with_baseline(&["--prune-baseline"]);
    assert_eq!(code, 0);
    assert!(err.contains("known.yaml: removed 1 entry"), "{err}");
    assert!(!folder.baseline().contains("Pod api"));
    assert!(folder.baseline().contains("Pod web"));
    assert!(!folder.with_baseline(&[]).err.contains("no longer match"));
}

#[test]
fn of_several_that_are_alike_as_many_are_accepted_as_there_were() {
    let two = pod("web").replace("    - key", "    - {key: example.com/y, operator: Exists, value: w}\n    - {key: example.com/y, operator: Exists, value: w}\n    - key");
    let folder = accepted(&[("a.yaml", &two)]);
    assert!(
        folder.baseline().contains("count: 3"),
        "{}",
        folder.baseline()
    );
    assert_eq!(folder.with_baseline(&[]).out, "");
    folder.write(
        "a.yaml",
        &two.replace(
            "  tolerations:\n",
            "  tolerations:\n    - {key: example.com/y, operator: Exists, value: w}\n",
        ),
    );
    let out = folder.with_baseline(&[]).out;
    assert!(out.contains("value-with-exists"), "{out}");
}

#[test]
fn a_wrong_baseline_is_told_before_anything_is_done() {
    let folder = Folder::new(&[("a.yaml", &pod("web"))]);
    let cases = [
        (
            "version: 2\nfindings: []\n",
            "known.yaml:1:10: unsupported baseline version 2; this release reads version 1",
        ),
        (
            "version: 1\nfindings:\n- {rule: a, file: b, fingerprint: c, fingreprint: d}\n",
            "known.yaml:3:38: unknown key `fingreprint`",
        ),
        ("version: [\n", "known.yaml:"),
        ("", "known.yaml: the baseline file is empty"),
        ("[]\n", "known.yaml:1:1: "),
    ];
    for (text, expected) in cases {
        folder.write("known.yaml", text);
        let Run { code, out, err } = folder.with_baseline(&[]);
        assert_eq!((code, out.as_str()), (2, ""), "{text}: {err}");
        assert!(err.contains(expected), "{text}: {err}");
    }
    let Run { code, err, .. } = folder.check(&["--baseline", "nowhere.yaml"]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere.yaml: "), "{err}");
    let Run { code, err, .. } = folder.check(&["--write-baseline", "nowhere/known.yaml"]);
    assert_eq!(code, 2);
    assert!(err.contains("nowhere/known.yaml: "), "{err}");
    assert_eq!(folder.check(&["--prune-baseline"]).code, 2);
}

#[test]
fn a_comment_inside_what_is_accepted_does_not_make_it_new() {
    let written = |comment: &str, quote: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  tolerations:\n  - key: {quote}a{quote} {comment}\n    operator: Exists\n\
             \x20 - operator: Exists {comment}\n    {comment}\n    tolerationSeconds: 5\n"
        )
    };
    let folder = accepted(&[("web.yaml", &written("", ""))]);
    folder.write("web.yaml", &written("# why: \"it's\"", "'"));
    let Run {
        code,
        out,
        err: said,
    } = folder.with_baseline(&["--fail-on", "note"]);
    assert_eq!(code, 0, "{out}{said}");
    assert!(!said.contains("no longer match"), "{said}");
}

#[test]
fn what_other_files_are_needed_for_is_not_gone_when_they_are_not_read() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  template:\n    spec:\n      \
                taints:\n      - {key: example.com/gpu, value: \"yes\", effect: NoSchedule}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  tolerations:\n  - {key: example.com/gpu, value: \"no\", \
               effect: NoSchedule}\n  - {key: example.com/a, operator: Exists, value: b}\n";
    let folder = accepted(&[("infra/pools.yaml", pool), ("apps/web.yaml", pod)]);
    let written = folder.baseline();
    assert!(written.contains("toleration-value-mismatch"), "{written}");
    let Run {
        code, err: said, ..
    } = folder.with_baseline(&["--prune-baseline", "apps"]);
    assert_eq!((code, said.contains("removed")), (0, false), "{said}");
    assert_eq!(folder.baseline(), written);
    // A finding that depends only on its own file is gone.
    folder.write("apps/web.yaml", &pod.replace(", value: b", ""));
    let Run { err: said, .. } = folder.with_baseline(&["--prune-baseline", "apps"]);
    assert!(said.contains("removed 1 entry"), "{said}");
}

#[test]
fn entries_of_a_rule_that_is_no_more_are_told_and_taken_out() {
    let folder = accepted(&[("apps/a.yaml", &pod("web")), ("b.yaml", &pod("api"))]);
    let known = folder.baseline();
    let renamed = known.replacen("rule: value-with-exists", "rule: value-beside-exists", 1);
    folder.write("known.yaml", &renamed);
    folder.write("apps/a.yaml", &pod("web").replace("      value: w\n", ""));
    // A run over a part of the repository cannot judge this entry.
    let err = folder.with_baseline(&["--prune-baseline", "b.yaml"]).err;
    assert!(!err.contains("no longer match"), "{err}");
    let err = folder.with_baseline(&["--prune-baseline"]).err;
    assert!(err.contains("known.yaml: removed 1 entry"), "{err}");
    assert!(!folder.baseline().contains("value-beside-exists"));
    assert!(folder.baseline().contains("Pod api"));
}
