//! Deserialization into derived types, and the places of its errors.

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
enum Rule {
    #[serde(rename = "$string")]
    Named(String),
    #[serde(rename = "$list")]
    Paths(Vec<Spanned<String>>),
    #[serde(rename = "$mapping")]
    Limit(Limit),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Limit {
    at: i64,
    version: Written,
    owner: NonEmpty,
}

/// Returns the value, and each error with the text at its place.
fn config(text: &str) -> (Option<Config>, Vec<(String, String)>) {
    let document = one(text);
    let reading = from_node(document.root(), "the file");
    let shown = |error: DeError| (error.message, at(text, error.span).to_owned());
    (
        reading.value,
        reading.errors.into_iter().map(shown).collect(),
    )
}

fn right(text: &str) -> Config {
    let (config, errors) = config(text);
    assert_eq!(errors, [], "{text:?}");
    config.unwrap()
}

#[test]
fn a_whole_configuration_is_read_with_places() {
    let text = "name: &n é x\nlevel: off\nmaxCount: 010\nratio: 2\nrules:\n- nothing\n- [a, b]\n- {at: -3, version: 1.30, owner: me}\nlabels: {1: 'a', x: b}\nflags: {f: true, g: no}\n";
    let config = right(text);
    assert_eq!(config.name.value, "é x");
    assert_eq!(at(text, config.name.span), "é x");
    assert_eq!(config.level, Some(Level::Off));
    assert_eq!(config.max_count, Some(8));
    assert_eq!(config.ratio, 2.0);
    let [Rule::Named(name), Rule::Paths(paths), Rule::Limit(limit)] = config.rules.as_slice()
    else {
        panic!("{:?}", config.rules);
    };
    assert_eq!(name, "nothing");
    let paths: Vec<_> = paths.iter().map(|path| at(text, path.span)).collect();
    assert_eq!(paths, ["a", "b"]);
    assert_eq!((limit.at, limit.version.0.as_str()), (-3, "1.30"));
    assert_eq!(limit.owner.0, "me");
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
    let config = right("name: x\nlevel:\nmaxCount: ~\n");
    assert_eq!((config.level, config.max_count), (None, None));
}

#[test]
fn merges_and_aliases_are_followed() {
    let text = "name: x\nlabels:\n  <<: {a: b}\n  a: c\nrules: [&p [z], *p]\n";
    let config = right(text);
    assert_eq!(config.labels["a"], "c");
    assert_eq!(config.rules[0], config.rules[1]);
}

#[test]
fn errors_point_to_the_key_or_value_at_fault() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "name: x\nmaxcount: 1\n",
            "maxcount",
            "unknown key `maxcount` in the file; did you mean `maxCount`?",
        ),
        (
            "name: x\nzzz: 1\n",
            "zzz",
            "unknown key `zzz` in the file; expected `name`, `level`, `maxCount`, `rules`, `labels`, `flags` or `ratio`",
        ),
        (
            "level: warn\nratio: 1\n\n# c\n",
            "level: warn\nratio: 1",
            "missing key `name` in the file",
        ),
        (
            "name: x\nlevel: wran\n",
            "wran",
            "`level` must be `off` or `warn`; found `wran`",
        ),
        (
            "name: x\nmaxCount: 'a'\n",
            "'a'",
            "`maxCount` must be a whole number; found `'a'`",
        ),
        (
            "name: x\nmaxCount: -1\n",
            "-1",
            "`maxCount` must be a whole number from 0 to 4294967295; found `-1`",
        ),
        (
            "name: true\n",
            "true",
            "`name` must be a string; write \"true\"",
        ),
        (
            "name: x\nlabels: [a]\n",
            "[a]",
            "`labels` must be a mapping; found a list",
        ),
        (
            "name: x\nlabels: {a: {b: c}}\n",
            "{b: c}",
            "`a` must be a string; found a mapping",
        ),
        (
            "name: x\nrules:\n- [a, 1]\n",
            "1",
            "an entry of `rules` must be a string; write \"1\"",
        ),
        (
            "name: x\nrules:\n-\n",
            "",
            "an entry of `rules` must be a string, a mapping or a list; found nothing",
        ),
        (
            "name: x\nrules:\n- {at: 1, version: 2}\n",
            "{at: 1, version: 2}",
            "missing key `owner` in an entry of `rules`",
        ),
        (
            "name: x\nrules:\n- {at: 1, version: 2, owner: \"\"}\n",
            "\"\"",
            "`owner` must be a non-empty string; found `\"\"`",
        ),
        (
            "name: x\nname: z\n",
            "name",
            "duplicate key `name` in the file",
        ),
        (
            "name: x\nlevel: {warn: 1}\n",
            "{warn: 1}",
            "`level` must be `off` or `warn`; found a mapping",
        ),
        (
            "name: x\nflags: {a: maybe}\n",
            "maybe",
            "`a` must be true or false; found `maybe`",
        ),
        ("name:\n", "", "`name` must be a string; found nothing"),
    ];
    for (text, place, message) in cases {
        let expected = ((*message).to_owned(), (*place).to_owned());
        assert_eq!(config(text).1, [expected], "{text:?}");
    }
    let document = one("name: x\nname: z\n");
    let reading = from_node::<Config>(document.root(), "the file");
    assert_eq!(reading.errors[0].span.range(), 8..12);
    assert_eq!(reading.value.unwrap().name.value, "z");
}

#[test]
fn all_errors_are_collected_and_the_rest_is_read() {
    let text = "nmae: x\nlevel: high\nmaxCount: 3\nrules:\n- {at: x, version: 1, ovner: y}\n- 3\n- fine\nlabels: {a: 1, b: c, b: d}\nratio: x\n";
    let (value, errors) = config(text);
    let places: Vec<&str> = errors.iter().map(|(_, place)| place.as_str()).collect();
    // `name` and `owner` are only missing because they are misspelled.
    assert_eq!(
        places,
        ["nmae", "high", "x", "ovner", "3", "1", "b", "x"],
        "{errors:?}"
    );
    assert_eq!(value, None);
    let (value, errors) = config(&text.replace("nmae", "name"));
    assert_eq!(errors.len(), places.len() - 1);
    let value = value.unwrap();
    assert_eq!(value.max_count, Some(3));
    assert_eq!(value.rules, [Rule::Named("fine".to_owned())]);
    assert_eq!(value.labels.len(), 1);
}

#[test]
fn very_many_errors_are_not_all_listed() {
    let text = format!("name: x\nlevels: 1\nlabels:\n{}", "- 1\n".repeat(3));
    assert_eq!(config(&text).1.len(), 2);
    let labels: String = (0..500).map(|at| format!("  l{at}: 1\n")).collect();
    let errors = config(&format!("name: x\nlabels:\n{labels}")).1;
    assert_eq!(errors.len(), 101);
    assert!(errors[100].0.contains("more than 100 errors"), "{errors:?}");
}

#[test]
fn integers_beyond_64_signed_bits_are_read_where_they_fit() {
    let document = one("[18446744073709551615]");
    let unsigned = from_node::<Vec<u64>>(document.root(), "the file").value;
    assert_eq!(unsigned, Some(vec![u64::MAX]));
    let signed = from_node::<Vec<i64>>(document.root(), "the file");
    assert_eq!(signed.errors.len(), 1);
}

#[test]
fn nesting_beyond_the_limit_is_an_error() {
    let nest = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let read = |text: &str| from_node::<serde_json::Value>(one(text).root(), "the file").errors;
    assert_eq!(read(&nest(100)), []);
    let errors = read(&nest(200));
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "nested deeper than 128 levels");
    assert_eq!(errors[0].span.start, 128);
}
