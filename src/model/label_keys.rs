//! What is known of node label keys in general: old names of the same label, whose domain a key is in,
//! and which keys say where a node is or how big it is rather than what it is for.

/// Labels with an old name that still means the same: (today's, old).
const ALIASES: [(&str, &str); 5] = [
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    (
        "node.kubernetes.io/instance-type",
        "beta.kubernetes.io/instance-type",
    ),
    (
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/region",
    ),
    (
        "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/zone",
    ),
];

/// Whether Kubernetes itself gives every node a label with this key, under today's name or the old one.
pub fn is_kubernetes_label_key(key: &str) -> bool {
    ALIASES
        .iter()
        .any(|(today, old)| [*today, *old].contains(&key))
}

/// Domains in which Kubernetes, a provider or a node agent sets labels that no manifest shows. Subdomains count.
const MANAGED_DOMAINS: [&str; 29] = [
    "alibabacloud.com",
    "aliyun.com",
    "amazonaws.com",
    "amd.com",
    "aws.com",
    "azure.com",
    "cattle.io",
    "cilium.io",
    "cloud.google.com",
    "digitalocean.com",
    "eksctl.io",
    "garden.sapcloud.io",
    "gardener.cloud",
    "gke.io",
    "intel.com",
    "k3s.io",
    "k8s.aws",
    "k8s.io",
    "karpenter.sh",
    "katacontainers.io",
    "kubernetes.io",
    "kubevirt.io",
    "linode.com",
    "nvidia.com",
    "openshift.io",
    "oraclecloud.com",
    "scaleway.com",
    "virtual-kubelet.io",
    "x-k8s.io",
];

/// Keys without a domain that providers set.
const MANAGED_PLAIN_KEYS: [&str; 4] = ["agentpool", "nodepool", "storageprofile", "storagetier"];

/// Key and value of labels that nearly every node has, so that asking for them singles out no pool.
const EVERYDAY: [(&str, &str); 4] = [
    ("kubernetes.io/os", "linux"),
    ("kubernetes.io/arch", "amd64"),
    ("karpenter.sh/capacity-type", "on-demand"),
    ("eks.amazonaws.com/capacityType", "ON_DEMAND"),
];

/// Domains under which Karpenter and its relatives describe an instance.
const INSTANCE_DOMAINS: [&str; 5] = [
    "eks.amazonaws.com/",
    "karpenter.azure.com/",
    "karpenter.k8s.aws/",
    "karpenter.k8s.gcp/",
    "karpenter.sh/",
];

/// Names under those domains that say how big a node is.
const SIZE_NAMES: [&str; 19] = [
    "instance-capability-flex",
    "instance-category",
    "instance-cpu",
    "instance-cpu-manufacturer",
    "instance-cpu-sustained-clock-speed-mhz",
    "instance-ebs-bandwidth",
    "instance-encryption-in-transit-supported",
    "instance-family",
    "instance-generation",
    "instance-hypervisor",
    "instance-memory",
    "instance-network-bandwidth",
    "instance-size",
    "sku-cpu",
    "sku-family",
    "sku-memory",
    "sku-name",
    "sku-series",
    "sku-version",
];

/// Beginnings of labels that say which accelerator a node has.
const ACCELERATOR_LABELS: [&str; 9] = [
    "amd.com/gpu",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.azure.com/sku-gpu-",
    "karpenter.k8s.aws/instance-accelerator-",
    "karpenter.k8s.aws/instance-gpu-",
    "karpenter.k8s.gcp/instance-gpu-",
    "nvidia.com/gpu",
];

/// Beginnings of instance types, families and categories that have one, after a provider's own prefix.
const ACCELERATED_FAMILIES: [&str; 15] = [
    "a2-", "a3-", "dl1", "dl2q", "g4", "g5", "g6", "inf", "nc", "nd", "nv", "p3", "p4", "p5", "trn",
];

/// Whether a node with this label and value has an accelerator.
pub fn says_accelerator(key: &str, value: &str) -> bool {
    let key = canonical_label_key(key);
    if ACCELERATOR_LABELS
        .iter()
        .any(|label| key.starts_with(label))
    {
        return !["", "0", "false", "none"].contains(&value);
    }
    let name = key.rsplit('/').next().unwrap_or(key);
    let sized = [
        "instance-family",
        "instance-type",
        "sku-family",
        "instance-category",
    ];
    if !is_place_or_size_key(key) || !sized.contains(&name) {
        return false;
    }
    let value = value.to_ascii_lowercase();
    let family = value.strip_prefix("standard_").unwrap_or(&value);
    // A category is one letter or two.
    ["g", "p"].contains(&family)
        || ACCELERATED_FAMILIES
            .iter()
            .any(|start| family.starts_with(start))
}

/// Today's name of a label: `beta.kubernetes.io/os` and `kubernetes.io/os` are the same label.
pub fn canonical_label_key(key: &str) -> &str {
    ALIASES
        .iter()
        .find(|(_, old)| *old == key)
        .map_or(key, |(today, _)| today)
}

/// The old name of a label, when it has one.
pub fn old_label_key(canonical: &str) -> Option<&'static str> {
    ALIASES
        .iter()
        .find(|(today, _)| *today == canonical)
        .map(|(_, old)| *old)
}

/// Whether Kubernetes, a provider or a node agent may put a label with this key on a node unasked.
pub fn is_managed_label_key(key: &str) -> bool {
    match key.split_once('/') {
        None => MANAGED_PLAIN_KEYS.contains(&key),
        Some((domain, _)) => MANAGED_DOMAINS
            .iter()
            .any(|managed| is_or_is_under(domain, managed)),
    }
}

/// Whether the domain is `parent` or a subdomain of it.
fn is_or_is_under(domain: &str, parent: &str) -> bool {
    domain
        .strip_suffix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a label says where a node is (zone, region, host) or how big it is (instance type, size, family).
pub fn is_place_or_size_key(key: &str) -> bool {
    let key = canonical_label_key(key);
    let name = key.rsplit('/').next().unwrap_or(key);
    matches!(
        key,
        "kubernetes.io/hostname"
            | "node.kubernetes.io/instance-type"
            | "cloud.google.com/machine-family"
    ) || key.starts_with("topology.")
        || INSTANCE_DOMAINS
            .iter()
            .any(|domain| key.starts_with(domain) && SIZE_NAMES.contains(&name))
}

/// The value that nearly every node has under this key, when there is one.
pub fn everyday_value(key: &str) -> Option<&'static str> {
    let key = canonical_label_key(key);
    EVERYDAY
        .iter()
        .find(|(everyday, _)| *everyday == key)
        .map(|(_, value)| *value)
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
        for (today, old) in ALIASES {
            assert_eq!(canonical_label_key(old), today);
            assert_eq!(canonical_label_key(today), today);
            assert_eq!(old_label_key(today), Some(old));
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
