//! How Kubernetes decodes odd spellings and values in the wrong place, case by case. The comparison with Kubernetes' own
//! code over many texts is in `tests/conformance/`.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, TABLE, judged};
use kubetaint::extract::{FileFacts, extract};
use kubetaint::finding::Severity;
use kubetaint::lint::Suppressions;
use kubetaint::model::Field;
use kubetaint::source::{Source, SourceId};

fn pod(fields: &str) -> String {
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, image: i}]\n";
    format!("{head}{fields}\n")
}

fn node(fields: &str) -> String {
    format!("apiVersion: v1\nkind: Node\nmetadata: {{name: a}}\n{fields}\n")
}

/// The rules that report errors.
fn errors(text: &str) -> Vec<String> {
    let report = judged(&RULES, &[("a.yaml", text)], Suppressions::Off);
    let errors = report.findings.into_iter();
    errors
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.rule)
        .collect()
}

fn read(text: &str) -> FileFacts {
    extract(&Source::new("a.yaml", text), SourceId(0), &TABLE)
}

fn selector(text: &str) -> Vec<(String, String)> {
    let facts = read(text);
    let shape = &facts.workloads.first().expect("a pod").shape;
    let labels = shape.selection.node_selector.iter();
    labels
        .map(|(key, value)| (key.clone(), value.text().unwrap_or("?").to_owned()))
        .collect()
}

fn value(written: &str) -> Field<String> {
    let text = pod(&format!(
        "  tolerations: [{{key: k, value: {written}, operator: Equal}}]"
    ));
    assert_eq!(errors(&text), [""; 0], "{written}");
    read(&text).workloads[0].shape.tolerations[0].value.clone()
}

#[test]
fn whole_numbers_with_a_point_or_an_exponent_are_seconds() {
    for (written, seconds) in [
        ("1e16", 10_000_000_000_000_000),
        ("1e18", 1_000_000_000_000_000_000),
        ("9007199254740993.0", 9_007_199_254_740_992),
        ("4611686018427387904.0", 4_611_686_018_427_388_000),
        ("3e2", 300),
        ("-0.0", 0),
        ("0o17", 15),
        ("!!int '5'", 5),
    ] {
        let entry =
            format!("  - {{operator: Exists, effect: NoExecute, tolerationSeconds: {written}}}");
        let text = pod(&format!("  tolerations:\n{entry}"));
        assert_eq!(errors(&text), [""; 0], "{written}");
        let read = read(&text).workloads[0].shape.tolerations[0]
            .toleration_seconds
            .clone();
        assert_eq!(read, Field::Is(seconds), "{written}");
    }
    for written in [
        "1e19",
        "9223372036854775807.0",
        "1e21",
        "1.5",
        ".5",
        "1e-7",
        "! 5",
        "5s",
    ] {
        let entry =
            format!("  - {{operator: Exists, effect: NoExecute, tolerationSeconds: {written}}}");
        assert_eq!(
            errors(&pod(&format!("  tolerations:\n{entry}"))),
            ["mistyped-field"],
            "{written}"
        );
    }
}

#[test]
fn taints_of_a_node_that_are_no_list_are_no_taints() {
    for written in [
        "{}",
        "\"\"",
        "{key: k, effect: NoSchedule}",
        "{k: NoSchedule}",
        "\"k=v:NoSchedule\"",
        "k",
        "0",
        "false",
    ] {
        let text = node(&format!("spec:\n  taints: {written}"));
        assert_eq!(errors(&text), ["mistyped-field"], "{written}");
        let facts = read(&text);
        assert_eq!(facts.pools[0].pool.taints, [], "{written}");
        assert!(!facts.pools[0].pool.complete, "{written}");
    }
    for written in ["", "~", "[]", "[{key: k, effect: NoSchedule}]"] {
        assert_eq!(
            errors(&node(&format!("spec:\n  taints: {written}"))),
            [""; 0],
            "{written}"
        );
    }
}

#[test]
fn an_entry_of_the_taints_of_a_node_that_is_no_map_is_no_taint() {
    for written in [
        "\"k=v:NoSchedule\"",
        "[{key: k, effect: NoSchedule}]",
        "k",
        "1",
    ] {
        let text = node(&format!("spec:\n  taints:\n  - {written}"));
        assert_eq!(errors(&text), ["mistyped-field"], "{written}");
        assert_eq!(read(&text).pools[0].pool.taints, [], "{written}");
    }
}

#[test]
fn a_value_with_the_binary_tag_is_what_it_stands_for() {
    assert_eq!(value("!!binary Z3B1"), Field::Is("gpu".to_owned()));
    assert_eq!(
        selector(&pod("  nodeSelector: {!!binary YQ==: v}")),
        [("a".to_owned(), "v".to_owned())]
    );
    assert_eq!(
        errors(&pod("  nodeSelector: {a: !!binary x}")),
        ["unparsable-manifest"]
    );
}

#[test]
fn an_exclamation_mark_alone_makes_a_text() {
    assert_eq!(value("! 1"), Field::Is("1".to_owned()));
    assert_eq!(value("! true"), Field::Is("true".to_owned()));
    assert_eq!(value("! 'x'"), Field::Is("x".to_owned()));
}

#[test]
fn keys_that_are_numbers_or_booleans_are_the_texts_that_json_makes_of_them() {
    for (written, key) in [
        (".5", "0.5"),
        ("0550", "360"),
        ("1.10", "1.1"),
        ("yes", "true"),
        ("1", "1"),
        ("! 1", "1"),
        ("!!int '5'", "5"),
        ("1e3", "1000"),
        ("2001-01-01", "2001-01-01"),
    ] {
        let text = pod(&format!("  nodeSelector:\n    {written}: v"));
        assert_eq!(errors(&text), [""; 0], "{written}");
        assert_eq!(
            selector(&text),
            [(key.to_owned(), "v".to_owned())],
            "{written}"
        );
    }
    assert_eq!(
        errors(&pod("  nodeSelector:\n    1e6: v")),
        ["invalid-node-selector"]
    );
    for written in ["null", "~", "? [a]\n    ", "9223372036854775808"] {
        let text = pod(&format!("  nodeSelector:\n    {written}: v"));
        assert_eq!(errors(&text), ["unparsable-manifest"], "{written}");
    }
}

#[test]
fn numbers_that_json_does_not_have_are_not_read() {
    for written in [".inf", "-.INF", ".NaN"] {
        assert_eq!(
            errors(&pod(&format!("  priority: {written}"))),
            ["unparsable-manifest"],
            "{written}"
        );
    }
}

#[test]
fn labels_that_no_node_can_have_are_errors() {
    let labels = |written: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: a, labels: {written}}}\nspec: {{podCIDR: x}}\n"
        )
    };
    for (written, rule) in [
        ("{a/b/c: v}", "invalid-node-label"),
        ("{a: v w}", "invalid-node-label"),
        ("{-a: v}", "invalid-node-label"),
        ("{a: true}", "mistyped-field"),
        ("{a: 1}", "mistyped-field"),
        ("{a: [b]}", "mistyped-field"),
        ("[a]", "mistyped-field"),
        ("x", "mistyped-field"),
    ] {
        assert_eq!(errors(&labels(written)), [rule], "{written}");
    }
    for written in [
        "{a: \"true\"}",
        "{a: }",
        "{a: 2001-01-01}",
        "{example.com/a.b: v_w}",
        "~",
    ] {
        assert_eq!(errors(&labels(written)), [""; 0], "{written}");
    }
}

#[test]
fn a_cordon_that_is_no_boolean_is_an_error() {
    for written in ["\"true\"", "1", "[]", "maybe"] {
        assert_eq!(
            errors(&node(&format!("spec: {{unschedulable: {written}}}"))),
            ["mistyped-field"],
            "{written}"
        );
    }
    for written in ["true", "no", "~", "!!bool 'true'"] {
        assert_eq!(
            errors(&node(&format!("spec: {{unschedulable: {written}}}"))),
            [""; 0],
            "{written}"
        );
    }
}

#[test]
fn a_time_of_a_taint_that_is_none_is_an_error() {
    let taint = |time: &str| {
        node(&format!(
            "spec:\n  taints:\n  - {{key: k, effect: NoExecute, timeAdded: {time}}}"
        ))
    };
    for written in [
        "yesterday",
        "2024-01-01",
        "1",
        "''",
        "2024-02-30T00:00:00Z",
        "[]",
    ] {
        assert_eq!(errors(&taint(written)), ["mistyped-field"], "{written}");
    }
    for written in ["2024-01-01T00:00:00Z", "'2024-01-01T00:00:00+01:00'", "~"] {
        assert_eq!(errors(&taint(written)), [""; 0], "{written}");
    }
}

#[test]
fn affinity_of_another_shape_than_its_own_is_an_error() {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for written in [
        "affinity: []".to_owned(),
        "affinity: ''".to_owned(),
        "affinity: [{nodeAffinity: {}}]".to_owned(),
        "affinity: {nodeAffinity: []}".to_owned(),
        "affinity: {nodeAffinity: true}".to_owned(),
        format!("affinity: {{nodeAffinity: {{{required}: [{{nodeSelectorTerms: []}}]}}}}"),
        format!(
            "affinity: {{nodeAffinity: {{{required}: {{nodeSelectorTerms: {{matchExpressions: []}}}}}}}}"
        ),
        format!(
            "affinity: {{nodeAffinity: {{{required}: {{nodeSelectorTerms: [{{matchExpressions: {{key: a}}}}]}}}}}}"
        ),
        format!("affinity: {{nodeAffinity: {{{required}: {{nodeSelectorTerms: [x]}}}}}}"),
        format!("affinity: {{nodeAffinity: {{{preferred}: {{weight: 1}}}}}}"),
        format!("affinity: {{nodeAffinity: {{{preferred}: [{{weight: 1, preference: []}}]}}}}"),
        "affinity: {podAffinity: []}".to_owned(),
        format!("affinity: {{podAntiAffinity: {{{required}: {{topologyKey: x}}}}}}"),
        "nodeSelector: [a]".to_owned(),
        "nodeSelector: x".to_owned(),
        "topologySpreadConstraints: {maxSkew: 1}".to_owned(),
    ] {
        assert_eq!(
            errors(&pod(&format!("  {written}"))),
            ["invalid-node-selector"],
            "{written}"
        );
    }
    let good = format!("affinity: {{nodeAffinity: {{{required}: ~}}, podAffinity: }}");
    assert_eq!(errors(&pod(&format!("  {good}"))), [""; 0]);
}

#[test]
fn a_spec_that_is_no_map_is_an_error() {
    for text in [
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: []\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: x\n",
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: a}\nhandler: h\nscheduling: [x]\n",
    ] {
        assert_eq!(errors(text), ["mistyped-field"], "{text}");
    }
}

#[test]
fn line_breaks_that_only_go_yaml_knows_end_values() {
    // The rest of the line counts as a separate line.
    for mark in ["\u{2028}", "\u{2029}", "\u{85}"] {
        let text = pod(&format!(
            "  tolerations:\n  - {{operator: Exists}}\n  nodeSelector:\n    a: x{mark}y"
        ));
        assert_eq!(errors(&text), ["unparsable-manifest"], "{mark:?}");
        let text = pod(&format!("  nodeSelector:\n    a: {mark}\n    b: c"));
        assert_eq!(errors(&text), [""; 0], "{mark:?}");
        let read = selector(&text);
        assert_eq!(read[0], ("a".to_owned(), String::new()), "{mark:?}");
        assert_eq!(read[1], ("b".to_owned(), "c".to_owned()), "{mark:?}");
    }
    let text = pod("  priorityClassName: \"x \u{2028}  y\"");
    assert_eq!(
        read(&text).workloads[0].shape.priority_class,
        Field::Is("x\u{2028}y".to_owned())
    );
}

#[test]
fn a_dash_alone_in_braces_is_a_text() {
    for (written, read) in [
        ("{value: -}", "-"),
        ("{value: -, key: k}", "-"),
        ("{value: -b}", "-b"),
    ] {
        let text = pod(&format!("  nodeSelector: {written}"));
        let labels = selector(&text);
        assert!(
            labels.contains(&("value".to_owned(), read.to_owned())),
            "{written} {labels:?}"
        );
    }
    // Followed by a blank, it starts an entry.
    assert_eq!(errors(&pod("  tolerations: [- ]")), ["unparsable-manifest"]);
}

#[test]
fn a_tag_in_braces_takes_the_comma_behind_it() {
    for written in [
        "{key: !!str, operator: Exists}",
        "{key: !, operator: Exists}",
        "{key: !!str}",
        "{operator: Exists, key: !}",
    ] {
        assert_eq!(
            errors(&pod(&format!("  tolerations: [{written}]"))),
            ["unparsable-manifest"],
            "{written}"
        );
    }
    for written in [
        "{key: !!str , operator: Exists}",
        "{operator: Exists, key: !!str }",
    ] {
        let text = pod(&format!("  tolerations: [{written}]"));
        assert_eq!(errors(&text), [""; 0], "{written}");
        let entry = read(&text).workloads[0].shape.tolerations[0].clone();
        assert_eq!(entry.key.text(), Some(""), "{written}");
    }
    let text = pod("  tolerations: [!!map, {key: k, operator: Exists}]");
    assert_eq!(read(&text).workloads[0].shape.tolerations.len(), 1);
}

#[test]
fn tabs_where_a_block_may_begin_are_refused() {
    for text in [
        "apiVersion: v1\nkind: 'Pod'\n \t\nmetadata: {name: a}\n",
        "apiVersion: v1\nkind: Pod\n\t# c\nmetadata: {name: a}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n\t\n",
        "apiVersion: v1\nkind: List\nitems:\n-\t{}\n",
    ] {
        assert_eq!(errors(text), ["unparsable-manifest"], "{text:?}");
    }
    for text in [
        "apiVersion: v1\nkind:\tPod\t# c\nmetadata:\t{name: a}\n",
        "apiVersion: v1\nkind: Pod\n \t\nmetadata: {name: a}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name:\n\ta}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {'name': 'a'\n\t}\n",
    ] {
        assert_eq!(errors(text), [""; 0], "{text:?}");
    }
}

#[test]
fn names_of_anchors_are_those_that_go_yaml_knows() {
    assert_eq!(
        errors(&pod("  nodeSelector: &a.b {k: v}")),
        ["unparsable-manifest"]
    );
    assert_eq!(
        errors(&pod("  nodeSelector: &\u{e9} {k: v}")),
        ["unparsable-manifest"]
    );
    assert_eq!(errors(&pod("  nodeSelector: &a-1_b {k: v}")), [""; 0]);
}

#[test]
fn a_pod_spec_that_merges_a_map_is_read_in_full() {
    let text = pod("  <<: {hostNetwork: true}\n  nodeSelector: {k: v}");
    let shape = read(&text).workloads[0].shape.clone();
    assert!(!shape.selection.unknown && shape.unread_tolerations.is_none());
    assert_eq!(shape.host_network, Field::Is(true));
}

/// A toleration in a flow sequence, between two valid ones.
fn in_brackets(entry: &str) -> String {
    pod(&format!(
        "  tolerations: [{{key: a, operator: Exists}}, {entry}]"
    ))
}

#[test]
fn a_key_in_braces_whose_colon_stands_on_the_next_line_is_refused_without_a_value_too() {
    for entry in [
        "{key\n  : , operator: Exists}",
        "{operator: Exists, value\n\n   : }",
    ] {
        assert_eq!(
            errors(&in_brackets(entry)),
            ["unparsable-manifest"],
            "{entry}"
        );
    }
    assert_eq!(errors(&in_brackets("{key: , operator: Exists}")), [""; 0]);
}

#[test]
fn a_value_in_braces_that_goes_on_in_the_next_line_needs_no_colon() {
    assert_eq!(
        errors(&pod("  nodeSelector: {a: b, c\n    d}")),
        ["invalid-node-selector"]
    );
}

#[test]
fn a_directive_that_nobody_knows_is_refused() {
    let object = pod("  nodeSelector: {a: b}");
    assert_eq!(errors(&format!("%YAML 1.1\n---\n{object}")), [""; 0]);
    let text = format!("%AML 1.1\n---\n{object}");
    assert_eq!(errors(&text), ["unparsable-manifest"]);
}

#[test]
fn a_tab_in_the_lines_behind_a_block_scalar_is_refused() {
    let head = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n";
    for tail in [
        "\t# c\n",
        "  \t\n",
        "\n  \n \t",
        "\t\n  hostNetwork: true\n",
    ] {
        let text = format!("{head}  nodeName: |\n    h\n{tail}");
        assert_eq!(errors(&text), ["unparsable-manifest"], "{tail:?}");
    }
    let text = format!("{head}  nodeName: |-\n    h\n    \t# d\n  hostNetwork:\ttrue\n");
    assert_eq!(errors(&text), ["invalid-node-selector"]);
}

#[test]
fn a_key_that_holds_a_line_break_is_refused_above_a_block_too() {
    let text = pod("  \"\u{2029}nodeSelector\":\n    k: v");
    assert_eq!(errors(&text), ["unparsable-manifest"]);
}

#[test]
fn a_text_that_begins_with_a_brace_is_json_only_if_it_is_json() {
    let json =
        "\t{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"\\/\"}}\n";
    assert_eq!(errors(json), [""; 0]);
    for text in [
        "\t{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": a}}\n",
        "{\"apiVersion\": v1, \"kind\": \"Node\", \"metadata\": {\"name\": \"\\/\"}}\n",
    ] {
        assert_eq!(errors(text), ["unparsable-manifest"], "{text}");
    }
}

#[test]
fn a_key_in_braces_whose_tag_stands_on_another_line_is_refused() {
    for entry in [
        "{key: k, ! # c\n   operator: Exists}",
        "{key: k, !!str\n   operator: Exists}",
        "{key: k, &a # c\n   ! operator: Exists}",
        "{operator: Exists, ! # c: d\n   : x}",
        "{operator: Exists, key # c: d\n   : k}",
        "{key: &a , operator\n   : Exists}",
    ] {
        assert_eq!(
            errors(&in_brackets(entry)),
            ["unparsable-manifest"],
            "{entry}"
        );
    }
    for entry in [
        "{key: k, # c\n   ! operator: Exists}",
        "{key: ! # c\n   k, operator: Exists}",
        "{key: k, ? ! # c\n   operator\n   : Exists}",
    ] {
        assert_eq!(errors(&in_brackets(entry)), [""; 0], "{entry}");
    }
}

fn priority_class(written: &str, rest: &str) -> Field<String> {
    let text = format!("{}{rest}", pod(&format!("  priorityClassName: {written}")));
    assert_eq!(errors(&text), [""; 0], "{written:?}");
    read(&text).workloads[0].shape.priority_class.clone()
}

#[test]
fn line_breaks_that_only_go_yaml_knows_are_kept_in_block_scalars() {
    for (written, value) in [
        ("|+\n \u{2028}      v", "\u{2028}v\n"),
        ("|\n  \u{2028}   v", "\u{2028}v\n"),
        ("|-\n    v\u{2028}    w", "v\u{2028}w"),
        ("|-\n    v\u{85}    w", "v\nw"),
        (">-\n    v\u{85}    w", "v w"),
        (">-\n    v\u{2028}    w", "v\u{2028}w"),
        (">-\n    v\n\u{2028}    w\r\n     x", "v\u{2028}w\n x"),
    ] {
        assert_eq!(
            priority_class(written, ""),
            Field::Is(value.to_owned()),
            "{written:?}"
        );
    }
}

#[test]
fn a_block_scalar_at_the_end_of_a_text_ends_as_it_is_written() {
    for (written, value) in [
        ("|\n    v", "v"),
        ("|+\n    v\n", "v\n"),
        ("|+\n\n", "\n"),
        ("|+\n\n  ", "\n"),
        ("|+\n    ", ""),
        ("|\n    v\n      ", "v\n  "),
    ] {
        let text = pod(&format!("  priorityClassName: {written}"));
        // Without the line break that ends every other text here.
        let text = text.strip_suffix('\n').expect("a line break");
        let class = read(text).workloads[0].shape.priority_class.clone();
        assert_eq!(class, Field::Is(value.to_owned()), "{written:?}");
    }
}

#[test]
fn a_tab_that_starts_a_block_scalar_is_refused() {
    for header in ["|", ">-", "|+ # 2"] {
        let text = pod(&format!("  priorityClassName: {header}\n    \tv"));
        assert_eq!(errors(&text), ["unparsable-manifest"], "{header}");
    }
    assert_eq!(
        priority_class("|2-\n    \tv", ""),
        Field::Is("\tv".to_owned())
    );
    assert_eq!(
        priority_class("|-\n    v\n    \tw", ""),
        Field::Is("v\n\tw".to_owned())
    );
}

#[test]
fn a_comment_ends_a_block_scalar_without_content_wherever_it_stands() {
    for written in ["|\n         \n     # c", "|4\n    # c", ">-\n      \n   #"] {
        let class = priority_class(written, "  hostNetwork: true\n");
        assert_eq!(class, Field::Is(String::new()), "{written:?}");
    }
    let text = pod("  priorityClassName: |\n         \n     v");
    assert_eq!(errors(&text), ["unparsable-manifest"]);
}
