//! Truth tables of "tolerates" and of the API server's checks, with the reason for each row.
//! "Selects" and "can land" are in `node_selection.rs`.

// Clippy's exemption covers test functions only, not their helpers.
#![allow(clippy::panic)]

use Truth::{No, Unknown, Yes};
use kubetaint::model::taint::Taint;
use kubetaint::model::toleration::{Toleration, daemon_set_tolerations, tolerate};
use kubetaint::model::validation::ErrorCode::{self, *};
use kubetaint::model::{Field, Truth};

/// `-` is absent, `?` is unknown, `''` is the empty text, anything else is the text itself.
fn field(text: &str) -> Field<String> {
    match text {
        "-" => Field::Absent,
        "?" => Field::Unknown,
        "''" => Field::Is(String::new()),
        text => Field::Is(text.to_owned()),
    }
}

/// `key operator value effect`.
fn toleration(text: &str) -> Toleration {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [key, operator, value, effect] = parts[..] else {
        panic!("four parts in {text}");
    };
    Toleration {
        key: field(key),
        operator: field(operator),
        value: field(value),
        effect: field(effect),
        toleration_seconds: Field::Absent,
    }
}

/// `key value effect`.
fn taint(text: &str) -> Taint {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [key, value, effect] = parts[..] else {
        panic!("three parts in {text}");
    };
    Taint {
        key: field(key),
        value: field(value),
        effect: field(effect),
    }
}

#[test]
fn a_toleration_tolerates_a_taint_as_kubernetes_says() {
    for (mine, theirs, expected, reason) in [
        (
            "k Equal v NoSchedule",
            "k v NoSchedule",
            Yes,
            "all parts are equal",
        ),
        (
            "k - v NoSchedule",
            "k v NoSchedule",
            Yes,
            "no operator is Equal",
        ),
        (
            "k '' v NoSchedule",
            "k v NoSchedule",
            Yes,
            "an empty operator is Equal",
        ),
        (
            "k Equal v NoSchedule",
            "k w NoSchedule",
            No,
            "another value",
        ),
        (
            "k Equal v NoSchedule",
            "k V NoSchedule",
            No,
            "values are compared byte by byte",
        ),
        ("k Equal v NoSchedule", "l v NoSchedule", No, "another key"),
        (
            "k Equal v NoSchedule",
            "k v NoExecute",
            No,
            "another effect",
        ),
        (
            "k Equal v -",
            "k v NoExecute",
            Yes,
            "no effect is every effect",
        ),
        (
            "k Equal v ''",
            "k v PreferNoSchedule",
            Yes,
            "an empty effect is every effect",
        ),
        (
            "k Equal - NoSchedule",
            "k v NoSchedule",
            No,
            "an empty value is no wildcard",
        ),
        (
            "k Equal - NoSchedule",
            "k - NoSchedule",
            Yes,
            "both values are empty",
        ),
        (
            "k Equal '' NoSchedule",
            "k - NoSchedule",
            Yes,
            "absent and empty are the same",
        ),
        (
            "k - - -",
            "k - NoExecute",
            Yes,
            "a bare key fits a taint without value",
        ),
        (
            "k - - -",
            "k v NoExecute",
            No,
            "a bare key does not fit a taint with a value",
        ),
        (
            "k Exists - NoSchedule",
            "k v NoSchedule",
            Yes,
            "Exists fits every value",
        ),
        (
            "k Exists x NoSchedule",
            "k v NoSchedule",
            Yes,
            "Exists ignores its value",
        ),
        (
            "k Exists - NoSchedule",
            "l v NoSchedule",
            No,
            "Exists fits its key only",
        ),
        (
            "- Exists - -",
            "k v NoExecute",
            Yes,
            "an empty key with Exists fits everything",
        ),
        (
            "'' Exists - NoSchedule",
            "k v NoSchedule",
            Yes,
            "an empty key fits every key",
        ),
        (
            "- Exists - NoSchedule",
            "k v NoExecute",
            No,
            "an empty key leaves the effect to fit",
        ),
        (
            "- Equal v -",
            "k v NoSchedule",
            Yes,
            "invalid, but matching skips an empty key",
        ),
        (
            "k exists - -",
            "k v NoSchedule",
            No,
            "operators are written exactly",
        ),
        (
            "k In v -",
            "k v NoSchedule",
            No,
            "In is no operator of tolerations",
        ),
        (
            "k Exists - noSchedule",
            "k v NoSchedule",
            No,
            "effects are written exactly",
        ),
        (
            "? Equal v NoSchedule",
            "k v NoSchedule",
            Unknown,
            "the key could be any",
        ),
        (
            "k ? v NoSchedule",
            "k v NoSchedule",
            Unknown,
            "the operator could be any",
        ),
        (
            "k Equal ? NoSchedule",
            "k v NoSchedule",
            Unknown,
            "the value could be any",
        ),
        (
            "k Equal v ?",
            "k v NoSchedule",
            Unknown,
            "the effect could be any",
        ),
        (
            "k Equal v NoSchedule",
            "? v NoSchedule",
            Unknown,
            "the taint's key could be any",
        ),
        (
            "k Equal v NoSchedule",
            "k ? NoSchedule",
            Unknown,
            "the taint's value could be any",
        ),
        (
            "k Equal v NoSchedule",
            "k v ?",
            Unknown,
            "the taint's effect could be any",
        ),
        (
            "k Exists ? NoSchedule",
            "k ? NoSchedule",
            Yes,
            "Exists does not need the values",
        ),
        ("- Exists - -", "? ? ?", Yes, "everything is tolerated"),
        (
            "? Equal w NoSchedule",
            "k v NoSchedule",
            No,
            "the values differ whatever the key",
        ),
        (
            "k ? ? NoSchedule",
            "l v NoSchedule",
            No,
            "the keys differ whatever the rest",
        ),
        (
            "? ? ? NoSchedule",
            "k v NoExecute",
            No,
            "the effects differ whatever the rest",
        ),
    ] {
        for gate in [false, true] {
            let answer = toleration(mine).tolerates(&taint(theirs), gate);
            assert_eq!(answer, expected, "{mine} / {theirs}: {reason}");
        }
    }
}

#[test]
fn comparisons_need_the_gate_and_canonical_integers() {
    let max = "k Gt 9223372036854775807 -";
    for (mine, theirs, expected, reason) in [
        ("k Gt 5 -", "k 6 NoSchedule", Yes, "the taint is greater"),
        ("k Gt 5 -", "k 5 NoSchedule", No, "Gt is strict"),
        ("k Gt 5 -", "k 4 NoSchedule", No, "the taint is smaller"),
        ("k Lt 5 -", "k 4 NoSchedule", Yes, "the taint is smaller"),
        ("k Lt 5 -", "k 5 NoSchedule", No, "Lt is strict"),
        ("k Lt 5 -", "k 6 NoSchedule", No, "the taint is greater"),
        (
            "k Gt -5 -",
            "k 0 NoSchedule",
            Yes,
            "negative bounds are allowed",
        ),
        ("k Gt 5 -", "l 6 NoSchedule", No, "another key"),
        ("k Gt 5 NoExecute", "k 6 NoSchedule", No, "another effect"),
        (
            "k Gt 5 -",
            "k - NoSchedule",
            No,
            "an empty value is no number",
        ),
        ("k Gt 5 -", "k high NoSchedule", No, "a word is no number"),
        (
            "k Gt 5 -",
            "k 007 NoSchedule",
            No,
            "padded numbers do not compare",
        ),
        (
            "k Gt 5 -",
            "k 6.5 NoSchedule",
            No,
            "decimals do not compare",
        ),
        (
            "k Gt 05 -",
            "k 7 NoSchedule",
            No,
            "the bound must be canonical too",
        ),
        (
            "k Gt +5 -",
            "k 7 NoSchedule",
            No,
            "the bound must be canonical too",
        ),
        ("k Lt - -", "k 7 NoSchedule", No, "a bound is needed"),
        (
            "k Lt 9223372036854775808 -",
            "k 7 NoSchedule",
            No,
            "the bound must fit 64 bits",
        ),
        (
            max,
            "k 9223372036854775807 NoSchedule",
            No,
            "nothing is greater",
        ),
        (
            "k Gt ? -",
            "k 7 NoSchedule",
            Unknown,
            "the bound could be any",
        ),
        (
            "k Gt 5 -",
            "k ? NoSchedule",
            Unknown,
            "the value could be any",
        ),
        (
            "k Gt ? -",
            "k high NoSchedule",
            No,
            "a word is no number for any bound",
        ),
        (
            "k Gt 05 -",
            "k ? NoSchedule",
            No,
            "a bad bound fits no value",
        ),
    ] {
        let (mine, theirs) = (toleration(mine), taint(theirs));
        assert_eq!(
            mine.tolerates(&theirs, true),
            expected,
            "{mine:?}: {reason}"
        );
        assert_eq!(
            mine.tolerates(&theirs, false),
            No,
            "{mine:?} without the gate"
        );
    }
}

#[test]
fn one_fitting_entry_is_enough_and_none_is_no() {
    let theirs = taint("k v NoSchedule");
    let all = |texts: &[&str]| {
        let tolerations: Vec<_> = texts.iter().map(|text| toleration(text)).collect();
        tolerate(&tolerations, &theirs, false)
    };
    assert_eq!(all(&[]), No);
    assert_eq!(all(&["l Exists - -", "k Exists - -"]), Yes);
    assert_eq!(all(&["k Equal ? -", "k Exists - -"]), Yes);
    assert_eq!(all(&["k Equal ? -", "l Exists - -"]), Unknown);
    assert_eq!(all(&["k Equal w -", "l Exists - -"]), No);
}

#[test]
fn the_api_server_objects_in_its_own_order() {
    /// Entry, seconds, field and code of each error, reason.
    type Row<'a> = (&'a str, Option<i64>, &'a [(&'a str, ErrorCode)], &'a str);
    let cases: &[Row] = &[
        ("k Equal v NoSchedule", None, &[], "legal"),
        ("- Exists - -", None, &[], "everything"),
        ("k Exists '' -", None, &[], "an empty value is none"),
        (
            "k Exists - NoExecute",
            Some(-1),
            &[],
            "negative seconds are legal",
        ),
        ("-k Exists - -", None, &[("key", InvalidKey)], "T1"),
        (
            "- - - -",
            None,
            &[("operator", EmptyKeyWithoutExists)],
            "T2, an empty entry",
        ),
        (
            "- exists - -",
            None,
            &[
                ("operator", EmptyKeyWithoutExists),
                ("operator", UnknownOperator),
            ],
            "T2 and T9 are independent",
        ),
        (
            "- Gt 5 -",
            None,
            &[
                ("operator", EmptyKeyWithoutExists),
                ("operator", ComparisonUnavailable),
            ],
            "T2 and T6",
        ),
        (
            "k Exists - -",
            Some(0),
            &[("effect", SecondsWithoutNoExecute)],
            "T3, no effect",
        ),
        (
            "k Exists - NoSchedule",
            Some(300),
            &[("effect", SecondsWithoutNoExecute)],
            "T3",
        ),
        (
            "k Exists - noExecute",
            Some(300),
            &[
                ("effect", SecondsWithoutNoExecute),
                ("effect", UnknownEffect),
            ],
            "T3 and T10",
        ),
        (
            "k Equal a/b -",
            None,
            &[("operator", InvalidValue)],
            "T4 blames the operator",
        ),
        (
            "k - -5 -",
            None,
            &[("operator", InvalidValue)],
            "T4 without operator",
        ),
        (
            "k Exists v -",
            None,
            &[("operator", ValueWithExists)],
            "T5 blames the operator",
        ),
        (
            "k Exists a/b -",
            None,
            &[("operator", ValueWithExists)],
            "T5 looks at no more",
        ),
        (
            "k Gt abc -",
            None,
            &[("operator", ComparisonUnavailable)],
            "T6 stops the operator",
        ),
        ("k In v -", None, &[("operator", UnknownOperator)], "T9"),
        (
            "k exists v -",
            None,
            &[("operator", UnknownOperator)],
            "T9, case matters",
        ),
        (
            "k Exists - PreferredNoSchedule",
            None,
            &[("effect", UnknownEffect)],
            "T10",
        ),
        ("? ? ? ?", Some(300), &[], "nothing could be read"),
        (
            "k ? a/b -",
            None,
            &[],
            "what is asked of the value depends on the operator",
        ),
        ("? Equal v -", None, &[], "the key may be there"),
        ("k Exists ? -", None, &[], "the value may be empty"),
        (
            "k Exists - ?",
            Some(300),
            &[],
            "the effect may be NoExecute",
        ),
        ("- ? - -", None, &[], "the operator may be Exists"),
    ];
    for (text, seconds, expected, reason) in cases {
        let mut entry = toleration(text);
        entry.toleration_seconds = seconds.map_or(Field::Absent, Field::Is);
        let errors = entry.errors(false);
        let errors: Vec<_> = errors
            .iter()
            .map(|error| (error.field.as_ref(), error.code))
            .collect();
        assert_eq!(&errors, expected, "{text}: {reason}");
    }
}

#[test]
fn comparison_values_are_checked_where_comparisons_are_taken() {
    let cases: &[(&str, &[ErrorCode])] = &[
        ("5", &[]),
        ("-5", &[]),
        ("-", &[NonCanonicalInteger, UnparsableInteger]),
        ("+5", &[NonCanonicalInteger]),
        ("abc", &[NonCanonicalInteger, UnparsableInteger]),
        ("9223372036854775808", &[UnparsableInteger]),
        ("?", &[]),
    ];
    for (value, expected) in cases {
        let errors = toleration(&format!("k Gt {value} -")).errors(true);
        let codes: Vec<_> = errors.iter().map(|error| error.code).collect();
        assert_eq!(&codes, expected, "{value}");
        assert!(errors.iter().all(|error| error.field == "value"));
    }
}

#[test]
fn daemon_sets_tolerate_conditions_and_nothing_else() {
    let on_pods = daemon_set_tolerations(false);
    let on_host = daemon_set_tolerations(true);
    for (theirs, pods, host) in [
        ("node.kubernetes.io/not-ready - NoExecute", Yes, Yes),
        ("node.kubernetes.io/not-ready - NoSchedule", No, No),
        ("node.kubernetes.io/unreachable - NoExecute", Yes, Yes),
        ("node.kubernetes.io/disk-pressure - NoSchedule", Yes, Yes),
        ("node.kubernetes.io/memory-pressure - NoSchedule", Yes, Yes),
        ("node.kubernetes.io/pid-pressure - NoSchedule", Yes, Yes),
        ("node.kubernetes.io/unschedulable - NoSchedule", Yes, Yes),
        (
            "node.kubernetes.io/network-unavailable - NoSchedule",
            No,
            Yes,
        ),
        ("node-role.kubernetes.io/control-plane - NoSchedule", No, No),
        (
            "node.cloudprovider.kubernetes.io/uninitialized true NoSchedule",
            No,
            No,
        ),
    ] {
        assert_eq!(tolerate(&on_pods, &taint(theirs), false), pods, "{theirs}");
        assert_eq!(tolerate(&on_host, &taint(theirs), false), host, "{theirs}");
    }
    assert!(
        on_host
            .iter()
            .all(|entry| entry.toleration_seconds.is_absent())
    );
}
