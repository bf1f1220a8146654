//! Reading into derived types, and the places of its errors.

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Config {
    name: Spanned<String>,
    #[serde(default)]
    level: Option<Level>,
    #[serde(default)]
    max_count: Option<u32>,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    flags: BTreeMap<Spanned<String>, Spanned<bool>>,
    #[serde(default)]
    ratio: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Level {
    Off,
    Warn,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Rule {
    Nothing,
    Paths(Vec<String>),
    Limit { at: i64 },
    Other(OneOrMany),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum OneOrMany {
    One(i64),
    Many(Vec<i64>),
}

fn config(text: &str) -> Result<Config, (String, String)> {
    let document = one(text);
    from_node(document.root()).map_err(|error| (error.message, at(text, error.span).to_owned()))
}

#[test]
fn a_whole_configuration_is_read_with_places() {
    let text = "name: &n é x\nlevel: off\nmaxCount: 010\nratio: 2\nrules:\n- nothing\n- paths: [a, b]\n- limit: {at: -3}\n- other: 5\n- other: [1, 2]\nlabels: {1: 'a', x: b}\nflags: {f: true, g: no}\n";
    let config = config(text).unwrap();
    assert_eq!(config.name.value, "é x");
    assert_eq!(at(text, config.name.span), "é x");
    assert_eq!(config.level, Some(Level::Off));
    assert_eq!(config.max_count, Some(8));
    assert_eq!(config.ratio, 2.0);
    assert_eq!(
        config.rules,
        [
            Rule::Nothing,
            Rule::Paths(vec!["a".to_owned(), "b".to_owned()]),
            Rule::Limit { at: -3 },
            Rule::Other(OneOrMany::One(5)),
            Rule::Other(OneOrMany::Many(vec![1, 2])),
        ]
    );
    assert_eq!(config.labels["1"], "a");
    assert_eq!(config.labels["x"], "b");
    let places: Vec<_> = config
        .flags
        .iter()
        .map(|(key, value)| (at(text, key.span), at(text, value.span), value.value))
        .collect();
    assert_eq!(places, [("f", "true", true), ("g", "no", false)]);
}

#[test]
fn null_is_nothing_for_an_option() {
    let config = config("name: x\nlevel:\nmaxCount: ~\n").unwrap();
    assert_eq!((config.level, config.max_count), (None, None));
}

#[test]
fn merges_and_aliases_are_followed() {
    let text = "name: x\nlabels:\n  <<: {a: b}\n  a: c\nrules: [paths: &p [z], paths: *p]\n";
    let config = config(text).unwrap();
    assert_eq!(config.labels["a"], "c");
    assert_eq!(config.rules[0], config.rules[1]);
}

#[test]
fn errors_point_to_the_key_or_value_at_fault() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "name: x\nmaxcount: 1\n",
            "maxcount",
            "unknown field `maxcount`, expected one of `name`, `level`, `maxCount`, `rules`, `labels`, `flags`, `ratio`; did you mean `maxCount`?",
        ),
        (
            "name: x\nzzz: 1\n",
            "zzz",
            "unknown field `zzz`, expected one of `name`, `level`, `maxCount`, `rules`, `labels`, `flags`, `ratio`",
        ),
        (
            "level: warn\nratio: 1\n\n# c\n",
            "level: warn\nratio: 1",
            "missing field `name`",
        ),
        (
            "name: x\nlevel: wran\n",
            "wran",
            "unknown value `wran`, expected one of `off`, `warn`; did you mean `warn`?",
        ),
        (
            "name: x\nmaxCount: 'a'\n",
            "'a'",
            "expected u32, found string \"a\"",
        ),
        (
            "name: x\nmaxCount: -1\n",
            "-1",
            "invalid value: integer `-1`, expected u32",
        ),
        (
            "name: true\n",
            "true",
            "expected a string, found boolean `true`",
        ),
        (
            "name: x\nlabels: [a]\n",
            "[a]",
            "expected a map, found a list",
        ),
        (
            "name: x\nlabels: {a: {b: c}}\n",
            "{b: c}",
            "expected a string, found a mapping",
        ),
        (
            "name: x\nrules:\n- paths: [a, 1]\n",
            "1",
            "expected a string, found integer `1`",
        ),
        ("name: x\nname: y\n", "name", "duplicate field `name`"),
        ("name: x\nlevel: {warn: 1}\n", "1", "`warn` takes no value"),
        (
            "name: x\nflags: {a: maybe}\n",
            "maybe",
            "expected a boolean, found string \"maybe\"",
        ),
        ("name:\n", "", "expected a string, found null"),
    ];
    for (text, place, message) in cases {
        assert_eq!(
            config(text).unwrap_err(),
            ((*message).to_owned(), (*place).to_owned()),
            "{text:?}"
        );
    }
    let document = one("name: x\nname: y\n");
    let error = from_node::<Config>(document.root()).unwrap_err();
    assert_eq!(error.span.range(), 8..12);
}

#[test]
fn a_list_of_the_wrong_length_is_an_error() {
    let document = one("[1, 2, 3]");
    let error = from_node::<(i64, i64)>(document.root()).unwrap_err();
    assert_eq!(error.span.range(), 7..8);
    assert!(from_node::<(i64, i64, i64, i64)>(document.root()).is_err());
}

#[test]
fn integers_beyond_64_signed_bits_are_read_where_they_fit() {
    let document = one("[18446744073709551615]");
    assert_eq!(from_node::<Vec<u64>>(document.root()), Ok(vec![u64::MAX]));
    assert!(from_node::<Vec<i64>>(document.root()).is_err());
    let keys = one("{1: a, 0x10: b}");
    let map: BTreeMap<u8, String> = from_node(keys.root()).unwrap();
    assert_eq!(map[&16], "b");
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    let nest = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let fine = one(&nest(100));
    assert!(from_node::<serde_json::Value>(fine.root()).is_ok());
    let deep = one(&nest(200));
    let error = from_node::<serde_json::Value>(deep.root()).unwrap_err();
    assert_eq!(error.message, "nested deeper than 128 levels");
    assert_eq!(error.span.start, 129);
}
