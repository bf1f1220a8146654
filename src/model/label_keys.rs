//! Facts about node label keys: old names of a label, who sets labels under a domain, and which keys describe the location
//! or size of a node instead of its purpose. The data is in `kubernetes/label-keys.yaml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::builtin;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct LabelKeys {
    renamed: Renamed,
    managed_domains: Vec<Managed>,
    managed_plain_keys: Vec<Managed>,
    pool_names: Vec<PoolName>,
    everyday: Vec<Everyday>,
    place_or_size: PlaceOrSize,
    accelerators: Accelerators,
    well_known: Vec<KnownLabel>,
}

#[derive(Deserialize)]
struct Renamed {
    labels: Vec<RenamedLabel>,
}

#[derive(Deserialize)]
struct RenamedLabel {
    today: String,
    before: String,
}

#[derive(Deserialize)]
struct Managed {
    #[serde(alias = "domain")]
    key: String,
}

#[derive(Deserialize)]
struct PoolName {
    key: String,
    made: Option<String>,
}

#[derive(Deserialize)]
struct Everyday {
    key: String,
    value: String,
}

#[derive(Deserialize)]
struct KnownLabel {
    key: String,
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PlaceOrSize {
    keys: Vec<String>,
    key_prefixes: Vec<String>,
    instance_domains: Vec<String>,
    size_names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Accelerators {
    label_prefixes: Vec<String>,
    none: Vec<String>,
    family_names: Vec<String>,
    provider_prefix: String,
    family_prefixes: Vec<String>,
    categories: Vec<String>,
}

static KNOWN: LazyLock<LabelKeys> = LazyLock::new(|| builtin::table(builtin::LABEL_KEYS));

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|one| one == text)
}

fn begins_with_one_of(text: &str, beginnings: &[String]) -> bool {
    beginnings.iter().any(|one| text.starts_with(one.as_str()))
}

/// Whether Kubernetes itself sets a label with this key on every node, under its current or old name.
pub fn is_kubernetes_label_key(key: &str) -> bool {
    let mut labels = KNOWN.renamed.labels.iter();
    labels.any(|label| label.today == key || label.before == key)
}

/// Whether a node with this label and value has an accelerator.
pub fn says_accelerator(key: &str, value: &str) -> bool {
    let key = canonical_label_key(key);
    let known = &KNOWN.accelerators;
    if begins_with_one_of(key, &known.label_prefixes) {
        return !has(&known.none, value);
    }
    let name = key.rsplit('/').next().unwrap_or(key);
    if !is_place_or_size_key(key) || !has(&known.family_names, name) {
        return false;
    }
    let value = value.to_ascii_lowercase();
    let family = value.strip_prefix(&known.provider_prefix).unwrap_or(&value);
    has(&known.categories, family) || begins_with_one_of(family, &known.family_prefixes)
}

/// Returns the current name of a label: `beta.kubernetes.io/os` and `kubernetes.io/os` are the same label.
pub fn canonical_label_key(key: &str) -> &str {
    let mut labels = KNOWN.renamed.labels.iter();
    labels
        .find(|label| label.before == key)
        .map_or(key, |label| &label.today)
}

/// Returns the old name of a label, or `None` if it has none.
pub fn old_label_key(canonical: &str) -> Option<&'static str> {
    let mut labels = KNOWN.renamed.labels.iter();
    labels
        .find(|label| label.today == canonical)
        .map(|label| label.before.as_str())
}

/// Whether Kubernetes, a provider or a node agent may add a label with this key to a node by default.
pub fn is_managed_label_key(key: &str) -> bool {
    match key.split_once('/') {
        None => KNOWN.managed_plain_keys.iter().any(|one| one.key == key),
        Some((domain, _)) => {
            let mut managed = KNOWN.managed_domains.iter();
            managed.any(|one| is_or_is_under(domain, &one.key))
        }
    }
}

/// Whether the value of this label is the name of the node's pool.
pub fn names_pools(key: &str) -> bool {
    KNOWN.pool_names.iter().any(|one| one.key == key)
}

/// Whether this label is the name of a pool that no provider gives to one that it makes on demand.
pub fn names_declared_pool(key: &str, value: &str) -> bool {
    let mut rows = KNOWN.pool_names.iter();
    let row = rows.find(|one| one.key == key);
    row.is_some_and(|one| {
        one.made
            .as_ref()
            .is_none_or(|start| !value.starts_with(start))
    })
}

/// Whether the domain is `parent` or a subdomain of it.
fn is_or_is_under(domain: &str, parent: &str) -> bool {
    domain
        .strip_suffix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a label describes a node's location (zone, region, host) or size (instance type, size, family).
pub fn is_place_or_size_key(key: &str) -> bool {
    let key = canonical_label_key(key);
    let name = key.rsplit('/').next().unwrap_or(key);
    let known = &KNOWN.place_or_size;
    has(&known.keys, key)
        || begins_with_one_of(key, &known.key_prefixes)
        || (begins_with_one_of(key, &known.instance_domains) && has(&known.size_names, name))
}

/// Returns the keys of labels that are well known, each with its values; without values, any may occur.
pub fn known_labels() -> impl Iterator<Item = (&'static str, &'static [String])> {
    let known = KNOWN.well_known.iter();
    known.map(|label| (label.key.as_str(), label.values.as_slice()))
}

/// Returns the value that nearly every node has for this key, or `None` if there is none.
pub fn everyday_value(key: &str) -> Option<&'static str> {
    let key = canonical_label_key(key);
    let mut everyday = KNOWN.everyday.iter();
    everyday
        .find(|label| label.key == key)
        .map(|label| label.value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_counts_with_its_subdomains_and_not_by_its_ending() {
        for key in [
            "kubernetes.io/os",
            "node-role.kubernetes.io/x",
            "kops.k8s.io/instancegroup",
            "alpha.eksctl.io/nodegroup-name",
            "topology.ebs.csi.aws.com/zone",
            "kubernetes.azure.com/agentpool",
            "node.openshift.io/os_id",
            "agentpool",
        ] {
            assert!(is_managed_label_key(key), "{key}");
        }
        for key in [
            "mykubernetes.io/os",
            "example.com/k8s.io",
            "pool",
            "team",
            "kubernetes.io.example.com/a",
        ] {
            assert!(!is_managed_label_key(key), "{key}");
        }
    }

    #[test]
    fn old_names_lead_to_todays_and_back() {
        for RenamedLabel { today, before } in &KNOWN.renamed.labels {
            assert_eq!(canonical_label_key(before), today);
            assert_eq!(canonical_label_key(today), today);
            assert_eq!(old_label_key(today), Some(before.as_str()));
        }
        assert_eq!(canonical_label_key("pool"), "pool");
        assert_eq!(old_label_key("pool"), None);
    }

    #[test]
    fn accelerators_are_told_by_label_and_by_family() {
        for (key, value, says) in [
            ("nvidia.com/gpu.present", "true", true),
            ("nvidia.com/gpu.present", "false", false),
            ("karpenter.k8s.aws/instance-gpu-count", "1", true),
            ("karpenter.k8s.aws/instance-gpu-count", "0", false),
            ("karpenter.k8s.aws/instance-family", "g5", true),
            ("karpenter.k8s.aws/instance-family", "m5", false),
            ("karpenter.k8s.aws/instance-category", "g", true),
            ("beta.kubernetes.io/instance-type", "p4d.24xlarge", true),
            ("node.kubernetes.io/instance-type", "Standard_NC6s_v3", true),
            ("node.kubernetes.io/instance-type", "Standard_D4s_v3", false),
            ("example.com/instance-family", "g5", false),
        ] {
            assert_eq!(says_accelerator(key, value), says, "{key}: {value}");
        }
    }

    #[test]
    fn size_is_told_from_purpose() {
        assert!(is_place_or_size_key("karpenter.k8s.aws/instance-family"));
        assert!(is_place_or_size_key(
            "failure-domain.beta.kubernetes.io/zone"
        ));
        assert!(!is_place_or_size_key("karpenter.k8s.aws/instance-gpu-name"));
        assert!(!is_place_or_size_key("example.com/instance-family"));
        assert!(!is_place_or_size_key("karpenter.sh/nodepool"));
    }
}
