//! What the provider tables read out of `fixtures/providers/`: pools with labels, taints and their origins, and the
//! tolerations of every custom resource.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use kubetaint::builtin;
use kubetaint::config::Config;
use kubetaint::extract::{FileFacts, Table, extract};
use kubetaint::finding::Report;
use kubetaint::lint::Input;
use kubetaint::lint::gather::gather;
use kubetaint::model::Field;
use kubetaint::model::node_pool::{NodePool, Origin};
use kubetaint::model::workload::Level;
use kubetaint::source::{Source, SourceId};
use serde_json::{Map, Value, json};

/// The folder whose `expected.json` lists tolerations instead of pools.
const CUSTOM_RESOURCES: &str = "custom-resources";

fn folder(provider: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/providers")
        .join(provider)
}

fn table() -> Table {
    Table::load(builtin::PROVIDERS.iter().copied()).expect("the built-in tables load")
}

fn input(provider: &str) -> (Source, FileFacts) {
    let text = fs::read_to_string(folder(provider).join("input.yaml")).expect("an input");
    let source = Source::new("input.yaml", text);
    let facts = extract(&source, SourceId(0), &table());
    (source, facts)
}

fn expected(provider: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder(provider).join("expected.json")).expect("an expectation");
    serde_json::from_str(&text).expect("a JSON list")
}

fn text(field: &Field<String>) -> Value {
    match field {
        Field::Absent => json!(""),
        Field::Is(text) => json!(text),
        // Written, and not to be known from here.
        Field::Unknown => Value::Null,
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Declared => "declared",
        Origin::Startup => "startup",
        Origin::Implied => "implied",
    }
}

fn pool(pool: &NodePool, source: &Source) -> Value {
    let taints: Vec<Value> = pool
        .taints
        .iter()
        .map(|one| {
            json!({
                "key": text(&one.taint.key),
                "value": text(&one.taint.value),
                "effect": text(&one.taint.effect),
                "origin": origin(one.origin),
            })
        })
        .collect();
    let labels: Map<String, Value> = pool
        .labels
        .labels
        .iter()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect();
    let mut value = json!({
        // A pool that has no name, not even a made-up one.
        "name": Some(&pool.name).filter(|name| !name.is_empty()),
        "provider": pool.provider,
        "labels": labels,
        "taints": taints,
        "complete": pool.complete,
        "line": pool.span.map(|span| source.position(span.start).line),
    });
    if pool.unschedulable {
        value["unschedulable"] = json!(true);
    }
    value
}

fn pools(provider: &str) -> Vec<Value> {
    let (source, facts) = input(provider);
    let inputs = [Input {
        path: source.path.clone(),
        scanned_from: 0,
    }];
    let mut report = Report::default();
    let gathered = gather(
        vec![facts],
        &inputs,
        SourceId(1),
        &Config::default(),
        &mut report,
    );
    let mut pools: Vec<Value> = gathered
        .pools
        .iter()
        .map(|placed| pool(&placed.pool, &source))
        .collect();
    pools.sort_by_key(|pool| pool["line"].as_u64());
    pools
}

fn assert_pools(provider: &str) {
    let found = pools(provider);
    let expected = expected(provider);
    let mut differences = Vec::new();
    for at in 0..found.len().max(expected.len()) {
        let (found, expected) = (found.get(at), expected.get(at));
        if found != expected {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            differences.push(format!(
                "expected {}\n   found {}",
                show(expected),
                show(found)
            ));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}

#[test]
fn nodes_are_read_with_their_taints_and_cordons() {
    assert_pools("core-node");
}

#[test]
fn karpenter_pools_are_read_in_every_version() {
    assert_pools("karpenter");
}

#[test]
fn eksctl_node_groups_are_read_with_taints_as_maps_and_as_lists() {
    assert_pools("eksctl");
}

#[test]
fn cluster_api_pools_are_joined_with_the_templates_that_they_refer_to() {
    assert_pools("cluster-api");
}

#[test]
fn kubeadm_nodes_have_the_control_plane_taint_unless_a_list_is_written() {
    assert_pools("kubeadm");
}

#[test]
fn kind_control_planes_are_tainted_only_beside_workers() {
    assert_pools("kind");
}

#[test]
fn kueue_flavours_never_show_every_taint() {
    assert_pools("kueue");
}

#[test]
fn every_provider_fixture_is_tested() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers.rs"))
        .expect("this file");
    for entry in fs::read_dir(folder("")).expect("the fixtures") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let tested = text.contains(&format!("assert_pools(\"{name}\")"));
        assert!(
            tested || name == CUSTOM_RESOURCES,
            "fixtures/providers/{name} has no test"
        );
    }
}

/// One toleration with a known owner: kind, path and key, and what is told of the three.
type Known = (String, String, String);

fn known_tolerations() -> BTreeMap<Known, (String, u64)> {
    let (source, facts) = input(CUSTOM_RESOURCES);
    facts
        .workloads
        .iter()
        .filter(|workload| workload.shape.level != Level::Other)
        .flat_map(|workload| {
            let entries = workload.shape.tolerations.iter().zip(&workload.located);
            entries.map(|(entry, located)| {
                let key = entry.key.text().unwrap_or("?").to_owned();
                let line = source.position(located.entry.start).line;
                (
                    (workload.object.kind.clone(), located.path.clone(), key),
                    (workload.shape.level.as_str().to_owned(), u64::from(line)),
                )
            })
        })
        .collect()
}

#[test]
fn every_toleration_of_a_custom_resource_is_found_at_its_path() {
    let word = |value: &Value, key: &str| value[key].as_str().expect("a text").to_owned();
    let expected: BTreeMap<Known, (String, u64)> = expected(CUSTOM_RESOURCES)
        .iter()
        .map(|one| {
            (
                (word(one, "kind"), word(one, "path"), word(one, "key")),
                (word(one, "level"), one["line"].as_u64().expect("a line")),
            )
        })
        .collect();
    assert!(expected.len() > 400, "the expectation is whole");
    let found = known_tolerations();
    let missing: Vec<_> = expected
        .iter()
        .filter(|one| found.get(one.0) != Some(one.1))
        .collect();
    let surplus: Vec<_> = found
        .iter()
        .filter(|one| expected.get(one.0) != Some(one.1))
        .collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "missing {missing:#?}\nsurplus {surplus:#?}"
    );
}

#[test]
fn what_nobody_reads_as_tolerations_of_pods_is_not_found() {
    let (source, facts) = input(CUSTOM_RESOURCES);
    // The fixture holds such entries.
    assert!(source.text.matches("key: never.example.io/").count() >= 10);
    let found: BTreeSet<String> = facts
        .workloads
        .iter()
        .flat_map(|workload| &workload.shape.tolerations)
        .filter_map(|entry| entry.key.known().cloned())
        .filter(|key| key.starts_with("never.example.io/"))
        .collect();
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn each_table_that_the_fixture_covers_is_built_in() {
    let tables: BTreeSet<&str> = builtin::PROVIDERS
        .iter()
        .map(|(name, _)| name.trim_end_matches(".yaml"))
        .collect();
    for one in expected(CUSTOM_RESOURCES) {
        let provider = one["provider"].as_str().expect("a text");
        assert!(tables.contains(provider), "providers/{provider}.yaml");
    }
}
