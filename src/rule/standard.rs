//! Names of the rule language that Kubernetes' own policies know, too.

use super::fact::FactKind;

/// Returns the field in Kubernetes' own object (the entry, the pod spec or the object) that a name corresponds to, or
/// `None` for names that only kubetaint knows, which a policy inside of the API server cannot use.
pub fn standard_path(kind: FactKind, name: &str) -> Option<&'static str> {
    let names: &[(&str, &str)] = match kind {
        FactKind::Toleration => &[
            ("key", "key"),
            ("operator", "operator"),
            ("value", "value"),
            ("effect", "effect"),
            ("tolerationSeconds", "tolerationSeconds"),
        ],
        FactKind::Taint => &[("key", "key"), ("value", "value"), ("effect", "effect")],
        FactKind::Workload => &[
            ("kind", "kind"),
            ("name", "metadata.name"),
            ("namespace", "metadata.namespace"),
            ("labels", "metadata.labels"),
            ("annotations", "metadata.annotations"),
            ("tolerations", "spec.tolerations"),
            ("nodeSelector", "spec.nodeSelector"),
            ("nodeName", "spec.nodeName"),
            ("hostNetwork", "spec.hostNetwork"),
            ("priorityClassName", "spec.priorityClassName"),
            ("runtimeClassName", "spec.runtimeClassName"),
        ],
        _ => &[],
    };
    let found = names.iter().find(|(standard, _)| *standard == name);
    found.map(|(_, path)| *path)
}

/// Whether a function is one of CEL's own; the others are kubetaint's and have Kubernetes' semantics.
pub fn is_standard_function(name: &str) -> bool {
    const STANDARD: [&str; 9] = [
        "size",
        "string",
        "int",
        "bool",
        "type",
        "startsWith",
        "endsWith",
        "contains",
        "matches",
    ];
    STANDARD.contains(&name)
}
