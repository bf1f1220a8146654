//! The tables of facts in `kubernetes/`: each fact has a source, and none is duplicated.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_yaml::Value;

/// Tables whose sources are comments, or the program that generated them.
const OTHERS: [&str; 2] = ["fields.jsonl", "releases.yaml"];

#[test]
fn every_fact_has_a_source() {
    let mut read = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("kubernetes")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if OTHERS.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# "), "{name} says what is in it");
        check(&serde_yaml::from_str(&text).unwrap(), false, &name);
        read += 1;
    }
    assert!(read >= 3);
}

/// Checks that each text is below a mapping with a source, and that no sequence contains a value twice.
fn check(value: &Value, mut sourced: bool, at: &str) {
    match value {
        Value::Mapping(map) => {
            if let Some(source) = map.get("source") {
                assert!(source.as_str().is_some_and(|text| text.len() > 2), "{at}");
                sourced = true;
            }
            for (key, value) in map {
                check(
                    value,
                    sourced,
                    &format!("{at}: {}", key.as_str().unwrap_or_default()),
                );
            }
        }
        Value::Sequence(list) => {
            let mut seen = BTreeSet::new();
            for (index, value) in list.iter().enumerate() {
                let text = format!("{value:?}");
                assert!(seen.insert(text), "{at}[{index}] stands twice");
                check(value, sourced, &format!("{at}[{index}]"));
            }
        }
        _ => assert!(sourced, "{at} has no source"),
    }
}
