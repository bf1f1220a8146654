//! Slips of the pen, compared with the words of the whole repository: what is reported, how severely, and which families of
//! words stay silent.

// A test that cannot set up its input must fail.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::builtin::{RULES, judged};
use kubetaint::verify;

/// A NodePool with a label and a taint, each as `key: value`.
fn pool(name: &str, label: (&str, &str), taint: (&str, &str)) -> String {
    let (key, value) = taint;
    format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\nspec:\n  template:\n    \
         metadata: {{labels: {{{}: \"{}\"}}}}\n    spec:\n      nodeClassRef: {{group: karpenter.k8s.aws, kind: \
         EC2NodeClass, name: default}}\n      taints: [{{key: {key}, value: \"{value}\", effect: NoSchedule}}]\n",
        label.0, label.1
    )
}

/// A Job with a selected label and a toleration.
fn job(name: &str, label: (&str, &str), entry: (&str, &str)) -> String {
    let (key, value) = entry;
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n      containers: \
         [{{name: a, image: \"a:1\"}}]\n      nodeSelector: {{{}: \"{}\"}}\n      tolerations:\n        - {{key: {key}, \
         operator: Equal, value: \"{value}\", effect: NoSchedule}}\n",
        label.0, label.1
    )
}

/// `severity rule` of each finding about spelling in the files.
fn spelling(files: &[(String, String)]) -> Vec<String> {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(at, text)| (at.as_str(), text.as_str()))
        .collect();
    let report = judged(&RULES, &files, verify::SUPPRESSIONS);
    assert_eq!(report.problems, []);
    let mut found: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.rule.ends_with("near-miss"))
        .map(|finding| format!("{} {}", finding.severity, finding.rule))
        .collect();
    found.sort();
    found
}

const LABEL: (&str, &str) = ("acme.dev/pool", "reporting");
const TAINT: (&str, &str) = ("acme.dev/dedicated", "reporting");

fn files(all: &[(&str, String)]) -> Vec<(String, String)> {
    all.iter()
        .map(|(at, text)| ((*at).to_owned(), text.clone()))
        .collect()
}

/// A pool in one part of a repository and a job in another.
fn beside_a_pool(path: &str, job: String) -> Vec<(String, String)> {
    files(&[
        ("clusters/a/pools.yaml", pool("reporting", LABEL, TAINT)),
        (path, job),
    ])
}

#[test]
fn a_slip_is_found_in_every_role_wherever_the_pool_is() {
    for (label, entry, found) in [
        (LABEL, TAINT, None),
        (
            LABEL,
            ("acme.dev/dedicatde", "reporting"),
            Some("warning toleration-key-near-miss"),
        ),
        (
            LABEL,
            ("acme.dev/dedicated", "reportign"),
            Some("warning toleration-value-near-miss"),
        ),
        (
            ("acme.dev/poool", "reporting"),
            TAINT,
            Some("warning selector-near-miss"),
        ),
        (
            ("acme.dev/pool", "repotring"),
            TAINT,
            Some("warning selector-near-miss"),
        ),
    ] {
        let all = beside_a_pool("apps/shop/job.yaml", job("shop", label, entry));
        assert_eq!(spelling(&all), Vec::from_iter(found), "{label:?} {entry:?}");
    }
}

#[test]
fn members_of_a_family_are_no_slips() {
    for (declared, written) in [
        ("pool-1", "pool-2"),
        ("gpu-a100", "gpu-h100"),
        ("team-a", "team-b"),
        ("l4", "m4"),
        ("arm64", "amd64"),
        ("cpu", "gpu"),
        ("dev", "uat"),
        ("v5e", "v6e"),
        ("app", "api"),
        ("blue", "green"),
        ("node-reader", "node-leader"),
    ] {
        let (label, taint) = (
            ("acme.dev/pool", declared),
            ("acme.dev/dedicated", declared),
        );
        let (asks, entry) = (("acme.dev/pool", written), ("acme.dev/dedicated", written));
        let all = [
            ("clusters/a/pools.yaml", pool(declared, label, taint)),
            ("apps/job.yaml", job("a", asks, entry)),
        ];
        let warnings: Vec<String> = spelling(&files(&all));
        let warnings: Vec<_> = warnings
            .iter()
            .filter(|one| one.starts_with("warning"))
            .collect();
        assert!(warnings.is_empty(), "{declared} {written}: {warnings:?}");
        let (declared_key, key) = (
            format!("acme.dev/{declared}"),
            format!("acme.dev/{written}"),
        );
        let all = [
            (
                "clusters/a/pools.yaml",
                pool("a", LABEL, (&declared_key, "true")),
            ),
            ("apps/job.yaml", job("a", LABEL, (&key, "true"))),
        ];
        let warnings: Vec<String> = spelling(&files(&all));
        let warnings: Vec<_> = warnings
            .iter()
            .filter(|one| one.starts_with("warning"))
            .collect();
        assert!(warnings.is_empty(), "{declared_key} {key}: {warnings:?}");
    }
}

#[test]
fn digits_and_a_first_letter_excuse_no_slip_in_a_long_word() {
    for (declared, written, found) in [
        ("team-alpha", "team-lpha", "warning"),
        ("async", "sync", ""),
        (
            "tpu7x-standard-4t-nodepool",
            "tpu7x-standard-4t-nodepol",
            "warning",
        ),
        ("batchpool2", "bachpool2", "warning"),
        ("gpu-l4-24gb", "gpu-l4-24bg", "note"),
        ("gpu-x2", "gpu-y2", ""),
        ("arm64", "asm64", ""),
    ] {
        let all = [
            (
                "clusters/a/pools.yaml",
                pool(declared, ("acme.dev/pool", declared), TAINT),
            ),
            ("apps/job.yaml", job("a", ("acme.dev/pool", written), TAINT)),
        ];
        let all = spelling(&files(&all)).concat();
        assert_eq!(
            all.split(' ').next(),
            Some(found),
            "{declared} {written}: {all}"
        );
    }
}

#[test]
fn a_slip_is_as_wrong_in_an_example_but_not_in_a_test() {
    let wrong = || job("a", LABEL, ("acme.dev/dedicatde", "reporting"));
    let severity = |path: &str| spelling(&beside_a_pool(path, wrong())).concat();
    assert!(severity("examples/web/job.yaml").starts_with("warning"));
    assert!(severity("e2e/job.yaml").starts_with("note"));
    assert!(severity("archive/job.yaml").starts_with("note"));
}

#[test]
fn two_files_with_one_word_mean_it() {
    let wrong = |name: &str| job(name, ("acme.dev/pool", "reportign"), TAINT);
    let mut all = beside_a_pool("apps/a.yaml", wrong("a"));
    assert_eq!(spelling(&all), ["warning selector-near-miss"]);
    all.push(("apps/b.yaml".to_owned(), wrong("b")));
    assert_eq!(spelling(&all), [""; 0]);
}

#[test]
fn what_others_write_counts_where_no_pool_is_known() {
    let entry = |name: &str, key: &str| {
        let at = format!("charts/{name}/values.yaml");
        (
            at,
            format!("web:\n  tolerations:\n    - {{key: {key}, operator: Exists}}\n"),
        )
    };
    let mut all: Vec<_> = ["a", "b", "c", "d"]
        .map(|name| entry(name, "acme.dev/dedicated"))
        .into();
    all.push(entry("odd", "acme.dev/dediacted"));
    assert_eq!(spelling(&all), ["warning toleration-key-near-miss"]);
    all.remove(0);
    assert_eq!(spelling(&all), ["note toleration-key-near-miss"]);
    all.drain(..2);
    assert_eq!(spelling(&all), [""; 0]);
}

#[test]
fn a_value_that_no_pool_has_is_odd_if_everyone_else_uses_those_of_pools() {
    let value = |at: usize| ["l4", "t4"][at % 2];
    let label = |at: usize| ("acme.dev/card", value(at));
    let mut all: Vec<_> = (0..2)
        .map(|at| {
            (
                format!("infra/{at}.yaml"),
                pool(value(at), label(at), TAINT),
            )
        })
        .chain((0..6).map(|at| {
            (
                format!("apps/{at}.yaml"),
                job(&format!("j{at}"), label(at), TAINT),
            )
        }))
        .collect();
    assert_eq!(spelling(&all), [""; 0]);
    all.push((
        "apps/odd.yaml".to_owned(),
        job("odd", ("acme.dev/card", "m4"), TAINT),
    ));
    assert_eq!(spelling(&all), ["warning selector-near-miss"]);
    all.pop();
    all.push((
        "apps/odd.yaml".to_owned(),
        job("odd", ("acme.dev/card", "mi300"), TAINT),
    ));
    assert_eq!(spelling(&all), ["note selector-near-miss"]);
    // With fewer others, both may be pools that are declared elsewhere.
    all.drain(2..5);
    assert_eq!(spelling(&all), [""; 0]);
}

#[test]
fn values_that_stand_for_others_do_not_speak_for_values_that_no_pool_has() {
    const KEY: &str = "acme.dev/pool";
    let with = |others: &str, written: &str| {
        let mut all = files(&[
            ("clusters/a/pools.yaml", pool("spot", (KEY, "spot"), TAINT)),
            ("apps/odd.yaml", job("odd", (KEY, written), TAINT)),
        ]);
        all.extend((0..3).map(|at| {
            let file = format!("apps/{at}.yaml");
            (file, job(&format!("j{at}"), (KEY, "spot"), TAINT))
        }));
        all.push((
            "apps/later.yaml".to_owned(),
            job("later", (KEY, others), TAINT),
        ));
        spelling(&all)
    };
    for others in ["CHANGEME", "replaced-by-kustomize", "TODO"] {
        assert_eq!(
            with(others, "sppt"),
            ["warning selector-near-miss"],
            "{others}"
        );
        assert_eq!(with(others, others), [""; 0]);
    }
    assert_eq!(with("build", "sppt"), ["note selector-near-miss"]);
}

#[test]
fn the_name_of_a_pool_excuses_no_label_that_the_pool_has_with_another_value() {
    const KEY: &str = "acme.dev/pool";
    let with = |name: &str, key: &str, uses: usize| {
        let mut all = files(&[
            (
                "clusters/a/pools.yaml",
                pool(name, (key, "batchjob"), TAINT),
            ),
            ("apps/odd.yaml", job("odd", (KEY, "batchjobs"), TAINT)),
            (
                "clusters/a/other.yaml",
                pool("other", (KEY, "batchjob"), TAINT),
            ),
        ]);
        all.extend((0..uses).map(|at| {
            let file = format!("apps/{at}.yaml");
            (file, job(&format!("j{at}"), (KEY, "batchjob"), TAINT))
        }));
        spelling(&all)
    };
    assert_eq!(with("batchjobs", KEY, 0), ["note selector-near-miss"]);
    assert_eq!(with("batchjobs", KEY, 3), ["warning selector-near-miss"]);
    // Something else may give the pool this label with its name.
    assert_eq!(with("batchjobs", "acme.dev/tier", 3), [""; 0]);
}
