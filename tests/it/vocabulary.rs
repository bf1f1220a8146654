//! The page about writing rules mentions every name that rules may use.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::TABLE;
use kubetaint::model::notice::NoticeKind;
use kubetaint::rule::fact::FactKind;
use kubetaint::rule::schema::Scope;
use kubetaint::rule::vocabulary;

const PAGE: &str = include_str!("../../docs/writing-rules.md");

const SCOPES: [Scope; 9] = [
    Scope::Toleration,
    Scope::Taint,
    Scope::Workload,
    Scope::Pool,
    Scope::Notice,
    Scope::DeviceTaint,
    Scope::DeviceToleration,
    Scope::Change,
    Scope::PoolChange,
];

fn is_named(name: &str) -> bool {
    PAGE.contains(&format!("`{name}`")) || PAGE.contains(&format!("`{name}("))
}

#[test]
fn every_variable_and_field_is_on_the_page() {
    let mut missing = Vec::new();
    for scope in SCOPES {
        for (name, _) in vocabulary::variables(scope) {
            if !is_named(name) {
                missing.push(name);
            }
        }
        for kind in FactKind::ALL {
            for (name, _) in vocabulary::fields(kind, scope) {
                if !is_named(name) {
                    missing.push(name);
                }
            }
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_kind_of_notice_is_on_the_page_with_its_fields() {
    for (kind, fields) in NoticeKind::NAMES {
        let row = PAGE
            .lines()
            .find(|line| line.starts_with(&format!("| `{kind}` |")))
            .unwrap_or_else(|| panic!("no row of `{kind}`"));
        for (name, _) in *fields {
            assert!(row.contains(&format!("`{name}` (")), "{kind}: {name}");
        }
    }
}

#[test]
fn every_function_is_on_the_page() {
    let all = vocabulary::GLOBAL_FUNCTIONS
        .iter()
        .chain(&vocabulary::MEMBER_FUNCTIONS);
    let missing: Vec<_> = all
        .map(|(name, _)| *name)
        .filter(|name| !is_named(name) && !PAGE.contains(&format!(".{name}(")))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_place_is_on_the_page() {
    for scope in SCOPES {
        for place in vocabulary::places(scope) {
            assert!(is_named(place), "{place}");
        }
    }
}

#[test]
fn the_rules_on_the_page_work() {
    for id in [
        "team-label-on-dedicated-taints",
        "gpu-toleration-outside-ml",
    ] {
        let start = PAGE.find(&format!("```yaml\nid: {id} ")).expect(id) + "```yaml\n".len();
        let end = start + PAGE[start..].find("```").expect("the block ends");
        let source = kubetaint::source::Source::new(format!("{id}.yaml"), &PAGE[start..end]);
        let rules = kubetaint::rule::RuleSet::load([&source]).expect("the rule loads");
        let rule = rules.get(id).unwrap();
        for example in &rule.examples {
            let outcome = kubetaint::verify::run(&rules, &TABLE, rule, example);
            assert_eq!(outcome, kubetaint::verify::Outcome::Passed, "{id}");
        }
    }
}

/// All keys of a struct that provider tables are parsed into, as tables write them.
fn row_keys(code: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut renamed = None;
    let mut in_table = false;
    for line in code.lines() {
        if line.starts_with("#[derive") {
            in_table = line.contains("Deserialize");
        }
        if let Some((_, rest)) = line.split_once("rename = \"") {
            renamed = rest.split('"').next().map(str::to_owned);
        }
        let field = line
            .strip_prefix("    pub ")
            .filter(|rest| !rest.starts_with("fn "))
            .and_then(|rest| rest.split_once(": "));
        if let Some((name, _)) = field.filter(|_| in_table) {
            keys.push(renamed.take().unwrap_or_else(|| name.replace('_', "-")));
        }
    }
    keys
}

#[test]
fn every_key_of_a_provider_table_is_on_its_page() {
    let page = include_str!("../../docs/provider-tables.md");
    let keys: Vec<String> = [
        include_str!("../../src/extract/rows.rs"),
        include_str!("../../src/extract/pool_rows.rs"),
    ]
    .into_iter()
    .flat_map(row_keys)
    .collect();
    assert!(keys.len() > 50, "the keys are found: {keys:?}");
    let missing: Vec<_> = keys
        .iter()
        .filter(|key| !page.contains(&format!("`{key}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_page_says_which_names_exist_in_kubernetes_own_objects() {
    let (_, table) = PAGE.split_once("| name | in Kubernetes |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    for (kind, variable) in [
        (FactKind::Toleration, "toleration"),
        (FactKind::Taint, "taint"),
        (FactKind::Workload, "workload"),
        (FactKind::Pool, "pool"),
    ] {
        for scope in SCOPES {
            for (name, _) in vocabulary::fields(kind, scope) {
                assert_eq!(
                    vocabulary::standard_path(kind, name).is_some(),
                    table.contains(&format!("`{variable}.{name}`")),
                    "{variable}.{name}"
                );
            }
        }
    }
    let own = vocabulary::GLOBAL_FUNCTIONS
        .iter()
        .chain(&vocabulary::MEMBER_FUNCTIONS)
        .filter(|(name, _)| !vocabulary::is_standard_function(name));
    let own: Vec<&str> = own.map(|(name, _)| *name).collect();
    let expected = [
        "isLabelKey",
        "isLabelValue",
        "isComparisonInteger",
        "nearest",
        "tolerates",
        "selects",
        "canLand",
    ];
    assert_eq!(own, expected);
}
