//! What the provider tables read from `fixtures/providers/`: pools with labels, taints and their origins, and the
//! tolerations of every custom resource.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::builtin::{TABLE, gathered};
use kubetaint::extract::{FileFacts, extract};
use kubetaint::model::Field;
use kubetaint::model::node_pool::{NodePool, Origin, PoolTaint};
use kubetaint::source::{Source, SourceId};
use serde_json::{Map, Value, json};

/// The folder whose `expected.json` lists tolerations instead of pools.
const CUSTOM_RESOURCES: &str = "custom-resources";

fn folder(provider: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/providers")
        .join(provider)
}

fn input(provider: &str) -> (Source, FileFacts) {
    let text = fs::read_to_string(folder(provider).join("input.yaml")).expect("an input");
    let source = Source::new("input.yaml", text);
    let facts = extract(&source, SourceId(0), &TABLE);
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
        // Written, but its value is unknown.
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

/// A taint and the text at its span. The first line is enough to verify that it is the right one.
fn taint(one: &PoolTaint, sources: &[Source]) -> Value {
    let mut value = json!({
        "key": text(&one.taint.key),
        "value": text(&one.taint.value),
        "effect": text(&one.taint.effect),
        "origin": origin(one.origin),
    });
    if let Some(span) = one.span {
        let source = &sources[span.source.0 as usize];
        let line = source.position(span.start).line;
        let written = source.slice(span).lines().next().unwrap_or_default();
        value["at"] = json!(format!("{line}: {written}"));
    }
    value
}

fn pool(pool: &NodePool, sources: &[Source]) -> Value {
    let source = &sources[pool.span.map_or(0, |span| span.source.0 as usize)];
    let taints: Vec<Value> = pool.taints.iter().map(|one| taint(one, sources)).collect();
    let labels: Map<String, Value> = pool
        .labels
        .labels
        .iter()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect();
    let mut value = json!({
        // A pool without a name, not even a generated one.
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
    if source.path != "input.yaml" {
        value["file"] = json!(source.path);
    }
    if pool.weak {
        value["weak"] = json!(true);
    }
    if !pool.removes.is_empty() {
        let removes: Vec<String> = pool.removes.iter().map(ToString::to_string).collect();
        value["removes"] = json!(removes);
    }
    if let Some(template) = &pool.autoscaler {
        let taints: Vec<Value> = template
            .taints
            .iter()
            .map(|one| taint(one, sources))
            .collect();
        value["autoscaler"] = json!({
            "taints": taints,
            "labels": template
                .labels
                .iter()
                .map(|(key, (value, _))| (key.clone(), text(value)))
                .collect::<Map<_, _>>(),
            "complete": template.complete,
        });
    }
    value
}

/// Every file of a fixture except the expectation, by path.
fn inputs(provider: &str) -> Vec<Source> {
    let folder = folder(provider);
    walkdir::WalkDir::new(&folder)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.file_type().is_file() && entry.file_name() != "expected.json")
        .map(|entry| {
            let path = entry
                .path()
                .strip_prefix(&folder)
                .expect("below the fixture");
            let text = fs::read_to_string(entry.path()).expect("a text");
            Source::new(path.to_string_lossy().replace('\\', "/"), text)
        })
        .collect()
}

fn pools(provider: &str) -> Vec<Value> {
    let sources = inputs(provider);
    let facts = (0..)
        .zip(&sources)
        .map(|(id, source)| extract(source, SourceId(id), &TABLE))
        .collect();
    let gathered = gathered(facts, &sources);
    let mut pools: Vec<Value> = gathered
        .pools
        .iter()
        .chain(&gathered.hints)
        .map(|placed| pool(&placed.pool, &sources))
        .collect();
    pools.sort_by_key(|pool| {
        let file = pool["file"].as_str().unwrap_or_default().to_owned();
        (file, pool["line"].as_u64())
    });
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
fn kops_groups_have_their_own_taints_and_the_clusters() {
    assert_pools("kops");
}

#[test]
fn gardener_workers_are_read_and_the_tolerations_of_shoots_are_not() {
    assert_pools("gardener");
}

#[test]
fn eks_anywhere_groups_are_read_with_their_control_plane() {
    assert_pools("eks-anywhere");
}

#[test]
fn rules_of_node_feature_discovery_are_read_with_their_taints() {
    assert_pools("node-feature-discovery");
}

#[test]
fn openshift_machines_label_nodes_in_the_inner_metadata() {
    assert_pools("openshift-machines");
}

#[test]
fn rancher_pools_without_workers_are_tainted_for_their_roles() {
    assert_pools("rancher");
}

#[test]
fn k3s_configuration_is_known_by_its_keys() {
    assert_pools("k3s");
}

#[test]
fn talos_machines_are_read_in_every_form() {
    assert_pools("talos");
}

#[test]
fn k0s_hosts_are_read_by_their_flags() {
    assert_pools("k0s");
}

#[test]
fn kubespray_variables_are_read_for_groups_and_hosts() {
    assert_pools("kubespray");
}

#[test]
fn kubermatic_machines_and_kubeone_hosts_are_read() {
    assert_pools("kubermatic");
}

#[test]
fn gke_pools_have_the_taints_that_gke_adds() {
    assert_pools("gke");
}

#[test]
fn aks_spot_pools_are_tainted_and_system_pools_are_not() {
    assert_pools("aks");
}

#[test]
fn eks_groups_are_read_from_every_tool_and_functions_are_unknown() {
    assert_pools("eks");
}

#[test]
fn upbound_blocks_are_read_as_lists_and_as_objects() {
    assert_pools("upbound");
}

#[test]
fn managed_machine_pools_are_joined_with_theirs() {
    assert_pools("cluster-api-providers");
}

#[test]
fn pulumi_resources_are_known_by_their_type() {
    assert_pools("pulumi");
}

#[test]
fn huawei_pools_are_known_by_their_version() {
    assert_pools("huawei-cce");
}

#[test]
fn tanzu_pools_are_read() {
    assert_pools("tanzu");
}

#[test]
fn commands_are_read_as_weak_evidence() {
    assert_pools("flags");
}

#[test]
fn modules_of_blueprints_are_read() {
    assert_pools("cluster-toolkit");
}

#[test]
fn every_provider_fixture_is_tested() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/providers.rs"))
            .expect("this file");
    for entry in fs::read_dir(folder("")).expect("the fixtures") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let tested = text.contains(&format!("assert_pools(\"{name}\")"));
        // Configurations of several files are tested elsewhere.
        let is_configuration = name.starts_with("terraform-");
        assert!(
            tested || name == CUSTOM_RESOURCES || is_configuration,
            "fixtures/providers/{name} has no test"
        );
    }
}

/// Identifies a toleration with a known owner: kind, path and key.
type Known = (String, String, String);

fn known_tolerations() -> BTreeMap<Known, (String, u64)> {
    let (source, facts) = input(CUSTOM_RESOURCES);
    facts
        .workloads
        .iter()
        .filter(|workload| workload.shape.level.has_owner())
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
    // The fixture contains such entries.
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
    let tables: BTreeSet<&str> = kubetaint::builtin::PROVIDERS
        .iter()
        .map(|(name, _)| name.trim_end_matches(".yaml"))
        .collect();
    for one in expected(CUSTOM_RESOURCES) {
        let provider = one["provider"].as_str().expect("a text");
        assert!(tables.contains(provider), "providers/{provider}.yaml");
    }
}
