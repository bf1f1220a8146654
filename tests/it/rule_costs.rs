//! Rules from a repository have a step limit: a rule that exceeds it is named, and the run ends.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::program::{BAD, OWN_RULE, Run, repo, run};

const CONDITION: &str = "toleration.key == \"x\"";

/// The output of a run with a rule of this condition in the repository.
fn with_condition(condition: &str) -> Run {
    let rule = OWN_RULE.replace(
        &format!("when: {CONDITION}\n"),
        &format!("when: |-\n  {condition}\n"),
    );
    assert_ne!(rule, OWN_RULE);
    with_rule(&rule)
}

fn with_rule(rule: &str) -> Run {
    let pools = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {template: {spec: {taints: \
                 [{key: example.com/x, effect: NoSchedule}]}}}\n";
    let folder = repo(&[
        (".kubetaint.yaml", "rule-dirs: [rules]\n"),
        ("rules/no-x.yaml", rule),
        ("pods/a.yaml", BAD),
        ("pods/b.yaml", BAD),
        ("pools.yaml", pools),
    ]);
    run(
        folder.path(),
        &["check", "--format", "concise", "pods", "pools.yaml"],
    )
}

fn is_named(condition: &str) {
    let Run { code, out, err } = with_condition(condition);
    assert_eq!(code, 2, "{condition}\n{out}{err}");
    assert!(err.contains("rule no-x"), "{condition}\n{err}");
    assert!(err.contains("too many steps"), "{condition}\n{err}");
    assert!(!out.contains("[no-x]"), "{out}");
    // The other rules still apply.
    assert!(out.contains("value-with-exists"), "{out}");
}

fn is_fine(condition: &str) {
    let Run { code, out, err } = with_condition(condition);
    assert_eq!(code, 1, "{condition}\n{out}{err}");
    assert!(out.contains("no-x"), "{condition}\n{out}{err}");
}

fn numbers(upto: usize) -> String {
    let numbers: Vec<String> = (1..=upto).map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(","))
}

/// Nested comprehensions over the same range.
fn nested(range: &str, depth: usize, inner: &str) -> String {
    let mut text = inner.to_owned();
    for level in (0..depth).rev() {
        text = format!("{range}.all(v{level}, {text})");
    }
    text
}

#[test]
fn comprehensions_in_each_other_end_soon() {
    let range = numbers(50);
    is_named(&nested(&range, 8, "toleration.key != \"q\""));
    is_named(&nested(&range, 8, "v0 + v7 > 0"));
    is_named(&nested(&range, 8, "v7 < 0").replace(".all(", ".exists("));
    let gathered = nested(&range, 8, "v0").replace(".all(", ".map(");
    is_named(&format!("size({gathered}) > 0"));
}

#[test]
fn a_rule_without_steps_fails_whatever_else_its_condition_says() {
    let costly = nested(&numbers(50), 8, "v7 > 0");
    is_named(&format!("{costly} || true"));
    is_named(&format!("[1, 2].exists(n, n == 2 || {costly})"));
    // The same limit applies to messages.
    let rule = OWN_RULE
        .replace(CONDITION, "toleration.key != \"\"")
        .replace(
            "message: key x is used",
            &format!("message: '{{{costly}}}'"),
        );
    let Run { code, out, err } = with_rule(&rule);
    assert_eq!(code, 2, "{out}{err}");
    assert!(
        err.contains("rule no-x") && err.contains("too many steps"),
        "{err}"
    );
    assert!(!out.contains("[no-x]"), "{out}");
}

#[test]
fn texts_and_lists_that_multiply_end_soon() {
    // Each level has one iteration, and a text or list thirty times the size.
    let mut text = "v4 != \"\"".to_owned();
    let mut list = "size(v4) > 0".to_owned();
    for level in (0..5).rev() {
        let before = match level {
            0 => "toleration.key".to_owned(),
            level => format!("v{}", level - 1),
        };
        let times = |sign: &str| vec![before.as_str(); 30].join(sign);
        text = format!("[{}].all(v{level}, {text})", times("+"));
        list = format!("[[{}]].all(v{level}, {list})", times(","));
    }
    is_named(&text);
    is_named(&list);
}

#[test]
fn expressions_that_nest_deeply_are_refused_where_they_are_read() {
    for condition in [
        format!("{}true{}", "(".repeat(60), ")".repeat(60)),
        nested("[1]", 20, "v19 > 0"),
    ] {
        let Run { code, err, .. } = with_condition(&condition);
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains("rules/no-x.yaml:") && err.contains("deep"),
            "{err}"
        );
    }
}

#[test]
fn patterns_that_are_large_when_compiled_are_refused_or_paid_for() {
    let Run { code, err, .. } = with_condition("toleration.key.matches(\"((a{100}){100}){100}\")");
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("rules/no-x.yaml:") && err.contains("too large"),
        "{err}"
    );
    let Run { code, err, .. } =
        with_condition("toleration.key.matches(\"((a{100}){100}\" + \"){100}\")");
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("rule no-x") && err.contains("too large"),
        "{err}"
    );
    let list = numbers(100);
    is_named(&format!(
        "{list}.all(a, {list}.all(b, {list}.all(c, !toleration.key.matches(\"^(\\\\w{{3}})$\"))))"
    ));
}

#[test]
fn rules_of_usual_size_have_enough_steps() {
    is_fine("toleration.key.matches(\"^example[.]com/\")");
    is_fine(&format!(
        "{}.exists(n, n == 50) && toleration.key.startsWith(\"example\")",
        numbers(50)
    ));
    is_fine(&format!(
        "size({}.map(n, n + 1).filter(n, n > 3)) > 3",
        numbers(200)
    ));
    is_fine(&nested(&numbers(20), 3, "v0 + v1 + v2 > 0"));
}
