//! The JSON Schemas: the files in `schemas/` match the program's output, and the repository's files are valid.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::fs;
use std::path::Path;

use crate::program::{BAD, repo, run};
use jsonschema::Validator;
use kubetaint::cli::SchemaOf;
use kubetaint::schema::schema;
use serde_json::{Value, json};

const FORMS: [SchemaOf; 6] = [
    SchemaOf::Config,
    SchemaOf::Rule,
    SchemaOf::Provider,
    SchemaOf::Chart,
    SchemaOf::Report,
    SchemaOf::Clusters,
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator(form: SchemaOf) -> Validator {
    jsonschema::draft202012::new(&schema(form)).expect("the schema is a schema")
}

/// The validation errors of a value, one per line.
fn wrong(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// YAML as JSON, as an editor sees it.
fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).expect("YAML")
}

#[test]
fn the_files_are_what_the_program_prints() {
    for form in FORMS {
        let name = form.name();
        let file = format!("schemas/{name}.json");
        let stored = fs::read_to_string(root().join(&file)).unwrap_or_default();
        let printed = run(root(), &["schema", name]).out;
        assert!(
            stored == printed,
            "{file} is old: write it anew with `kubetaint schema {name} > {file}`"
        );
    }
}

#[test]
fn each_schema_is_one_and_has_a_name_and_describes_every_key() {
    fn undescribed(at: &str, schema: &Value, found: &mut Vec<String>) {
        let Some(object) = schema.as_object() else {
            return;
        };
        let members = |key: &str| {
            object
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
        };
        for (key, property) in members("properties") {
            if property.get("description").is_none() {
                found.push(format!("{at}.{key}"));
            }
        }
        for (name, form) in members("$defs") {
            undescribed(name, form, found);
        }
    }
    for form in FORMS {
        let schema = schema(form);
        jsonschema::meta::validate(&schema).expect("the schema is a schema");
        assert_eq!(
            schema["$id"],
            format!("urn:kubetaint:schema:{}", form.name())
        );
        let mut found = Vec::new();
        undescribed(form.name(), &schema, &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
}

#[test]
fn built_in_rules_and_tables_are_valid() {
    for (form, files) in [
        (SchemaOf::Rule, kubetaint::builtin::RULES),
        (SchemaOf::Provider, kubetaint::builtin::PROVIDERS),
        (SchemaOf::Chart, kubetaint::builtin::CHARTS),
    ] {
        let validator = validator(form);
        for (name, text) in files {
            assert_eq!(
                wrong(&validator, &yaml(text)),
                Vec::<String>::new(),
                "{name}"
            );
        }
    }
}

#[test]
fn the_configuration_that_the_readme_shows_is_valid() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let shown = readme
        .split("```yaml\n")
        .skip(1)
        .find(|block| block.contains("\nclusters:"))
        .expect("a configuration");
    let shown = shown.split("```").next().expect("its end");
    assert_eq!(
        wrong(&validator(SchemaOf::Config), &yaml(shown)),
        Vec::<String>::new()
    );
}

#[test]
fn a_configuration_is_valid_when_the_program_takes_it_and_not_when_it_does_not() {
    let folder = repo(&[("a.yaml", BAD)]);
    let validator = validator(SchemaOf::Config);
    for (takes, text) in [
        (true, "{}"),
        (true, "kubernetes: 1.30"),
        (true, "kubernetes: \"1.34\""),
        (
            true,
            "feature-gates: {TaintTolerationComparisonOperators: true}",
        ),
        (true, "admission: [PodNodeSelector]"),
        (
            true,
            "rules: {blanket-exists: off, value-with-exists: note}",
        ),
        (
            true,
            "rules: {blanket-exists: {severity: error, except: [{kind: DaemonSet}]}}",
        ),
        (
            true,
            "pools: [{name: a, labels: {b: c}, taints: [\"d=e:NoSchedule\"]}]",
        ),
        (true, "require-reason: true"),
        (false, "exclud: []"),
        (false, "kubernetes: [1]"),
        (false, "feature-gates: {Other: true}"),
        (false, "admission: [Other]"),
        (false, "clusters: {prod: {complete: true}}"),
        (
            false,
            "clusters: {prod: {paths: [\"**\"], complete: maybe}}",
        ),
        (false, "pools: [{labels: {}}]"),
        (false, "pools: [{name: a, labels: {b: 1}}]"),
        (false, "rules: {blanket-exists: fatal}"),
        (false, "rules: {blanket-exists: {except: [{}]}}"),
        (false, "rules: {blanket-exists: {except: [{label: x}]}}"),
        (false, "rule-dirs: [\"\"]"),
    ] {
        fs::write(folder.path().join(".kubetaint.yaml"), text).unwrap();
        let code = run(folder.path(), &["check", "a.yaml"]).code;
        assert_eq!(code != 2, takes, "the program: {text}");
        let errors = wrong(&validator, &yaml(text));
        assert_eq!(errors.is_empty(), takes, "the schema: {text}: {errors:?}");
    }
}

#[test]
fn a_rule_with_a_wrong_key_or_word_is_not_valid() {
    let (_, text) = kubetaint::builtin::RULES[0];
    let validator = validator(SchemaOf::Rule);
    for change in [
        |rule: &mut Value| rule["wehn"] = json!("true"),
        |rule: &mut Value| rule["severity"] = json!("fatal"),
        |rule: &mut Value| rule["scope"] = json!("node"),
        |rule: &mut Value| drop(rule.as_object_mut().unwrap().remove("why")),
    ] {
        let mut rule = yaml(text);
        change(&mut rule);
        assert!(!wrong(&validator, &rule).is_empty(), "{rule}");
    }
}

#[test]
fn real_lists_of_clusters_are_valid() {
    let validator = validator(SchemaOf::Clusters);
    let listed = run(root(), &["clusters", "fixtures", "-o", "json"]).json();
    assert!(!listed["clusters"].as_array().unwrap().is_empty());
    assert_eq!(wrong(&validator, &listed), Vec::<String>::new());
    for change in [
        |list: &mut Value| list["clusters"][0]["pools"] = json!("a"),
        |list: &mut Value| drop(list.as_object_mut().unwrap().remove("not-read")),
    ] {
        let mut listed = listed.clone();
        change(&mut listed);
        assert!(!wrong(&validator, &listed).is_empty());
    }
}

#[test]
fn real_reports_are_valid() {
    let validator = validator(SchemaOf::Report);
    let report = run(root(), &["check", "fixtures", "--format", "json"]);
    let value = report.json();
    assert!(value["findings"].as_array().unwrap().len() > 20);
    assert_eq!(wrong(&validator, &value), Vec::<String>::new());

    let folder = repo(&[("a.yaml", BAD)]);
    let report = run(
        folder.path(),
        &["check", "a.yaml", "gone.yaml", "--format", "json"],
    );
    let mut value = report.json();
    assert_eq!(value["problems"].as_array().unwrap().len(), 1);
    assert_eq!(wrong(&validator, &value), Vec::<String>::new());
    value["findings"][0]["start"]["line"] = json!("9");
    assert!(!wrong(&validator, &value).is_empty());
}
