//! Which lists of Kubernetes' own kinds a strategic merge patch merges, and by which keys. All other lists are replaced
//! as a whole, tolerations and taints among them. This follows `x-kubernetes-patch-strategy` in the OpenAPI document that
//! kustomize carries (`kyaml/openapi/kubernetesapi`); kinds that are not in it have no such lists.

use super::value::Value;

/// A part of an object.
#[derive(Debug)]
pub enum Shape {
    /// No list in it is merged.
    Plain,
    /// A map with parts that contain such lists.
    Map(&'static [(&'static str, Shape)]),
    /// A list whose items are merged when these keys agree.
    List(&'static [&'static str], &'static Shape),
}

use Shape::{List, Map, Plain};

const CONTAINER: Shape = Map(&[
    ("env", List(&["name"], &Plain)),
    ("ports", List(&["containerPort", "protocol"], &Plain)),
    ("volumeDevices", List(&["devicePath"], &Plain)),
    ("volumeMounts", List(&["mountPath"], &Plain)),
]);

const META: Shape = Map(&[("ownerReferences", List(&["uid"], &Plain))]);

const POD_SPEC: Shape = Map(&[
    ("containers", List(&["name"], &CONTAINER)),
    ("ephemeralContainers", List(&["name"], &CONTAINER)),
    ("hostAliases", List(&["ip"], &Plain)),
    ("imagePullSecrets", List(&["name"], &Plain)),
    ("initContainers", List(&["name"], &CONTAINER)),
    (
        "topologySpreadConstraints",
        List(&["topologyKey", "whenUnsatisfiable"], &Plain),
    ),
    ("volumes", List(&["name"], &Plain)),
]);

const TEMPLATE: Shape = Map(&[("metadata", META), ("spec", POD_SPEC)]);

static OTHER: Shape = Plain;

static POD: Shape = TEMPLATE;

static POD_TEMPLATE: Shape = Map(&[("metadata", META), ("template", TEMPLATE)]);

static CONTROLLER: Shape = Map(&[("metadata", META), ("spec", Map(&[("template", TEMPLATE)]))]);

static CRON_JOB: Shape = Map(&[
    ("metadata", META),
    (
        "spec",
        Map(&[(
            "jobTemplate",
            Map(&[("metadata", META), ("spec", Map(&[("template", TEMPLATE)]))]),
        )]),
    ),
]);

/// The shape of the objects of a kind.
pub fn of_kind(api_version: &str, kind: &str) -> &'static Shape {
    match (api_version, kind) {
        ("v1", "Pod") => &POD,
        ("v1", "PodTemplate") => &POD_TEMPLATE,
        ("v1", "ReplicationController")
        | ("apps/v1", "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet")
        | ("batch/v1", "Job") => &CONTROLLER,
        ("batch/v1" | "batch/v1beta1", "CronJob") => &CRON_JOB,
        _ => &OTHER,
    }
}

/// Whether objects of a kind contain a pod, or a template of one, in a form that kustomize knows.
pub fn has_pods(api_version: &str, kind: &str) -> bool {
    !matches!(of_kind(api_version, kind), Plain)
}

/// Whether a patch of an object with pods may change where they run. Misspelt and misplaced keys count, too.
pub fn is_of_pods(patch: &Value) -> bool {
    patch.entries().iter().any(|entry| match &*entry.key {
        "apiVersion" | "kind" => false,
        "metadata" => entry
            .value
            .entries()
            .iter()
            .any(|one| &*one.key != "name" && &*one.key != "namespace"),
        "spec" | "template" | "jobTemplate" => is_of_pods(&entry.value),
        "replicas" | "strategy" | "volumes" | "selector" | "paused" | "schedule" => false,
        "containers" | "initContainers" => entry.value.items().iter().any(is_of_container),
        _ => true,
    })
}

/// Whether a patch of a container may change what it requests, or contains anything that does not belong there.
fn is_of_container(patch: &Value) -> bool {
    const OTHERS: [&str; 11] = [
        "args",
        "command",
        "env",
        "envFrom",
        "image",
        "imagePullPolicy",
        "livenessProbe",
        "name",
        "ports",
        "readinessProbe",
        "volumeMounts",
    ];
    patch
        .entries()
        .iter()
        .any(|entry| !OTHERS.contains(&&*entry.key))
}

impl Shape {
    /// The shape of the value under a key.
    pub fn field(&self, key: &str) -> &Shape {
        match self {
            Map(fields) => {
                let found = fields.iter().find(|(name, _)| *name == key);
                found.map_or(&OTHER, |(_, shape)| shape)
            }
            Plain | List(..) => &OTHER,
        }
    }
}

/// Kinds that have no namespace, as far as kustomize knows, with their API group.
const CLUSTER_WIDE: &[(&str, &str)] = &[
    ("", "ComponentStatus"),
    ("", "Namespace"),
    ("", "Node"),
    ("", "PersistentVolume"),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
    ),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("networking.k8s.io", "IngressClass"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodSecurityPolicy"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
];

/// Whether objects of a kind have no namespace.
pub fn is_cluster_wide(group: &str, kind: &str) -> bool {
    CLUSTER_WIDE.contains(&(group, kind))
}
