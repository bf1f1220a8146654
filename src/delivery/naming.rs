//! Names of clusters that nothing names: by the folder that says what they run.

/// Folders whose children are clusters.
const OF_CLUSTERS: [&str; 2] = ["clusters", "cluster"];

/// Folders whose children are environments, each with a cluster of its own.
const OF_ENVIRONMENTS: [&str; 8] = [
    "env",
    "envs",
    "environment",
    "environments",
    "rings",
    "stages",
    "sites",
    "regions",
];

/// Folders whose names say nothing of the cluster.
const PLAIN: [&str; 24] = [
    "app-of-apps",
    "applications",
    "applicationsets",
    "apps",
    "argo",
    "argo-cd",
    "argocd",
    "base",
    "bootstrap",
    "cluster",
    "clusters",
    "config",
    "deploy",
    "deployments",
    "flux",
    "flux-system",
    "fluxcd",
    "gitops",
    "infra",
    "infrastructure",
    "k8s",
    "kubernetes",
    "manifests",
    "root",
];

/// The folder of one cluster that a path is in, and its name: a child of `clusters`, or of `environments`.
pub fn cluster_folder(path: &str) -> Option<(&str, &str)> {
    let mut found = None;
    let mut end = 0;
    let mut before = "";
    for segment in path.split('/') {
        let start = end;
        end += segment.len();
        let is_child =
            OF_CLUSTERS.contains(&before) || (OF_ENVIRONMENTS.contains(&before) && found.is_none());
        if is_child && !PLAIN.contains(&segment) {
            found = Some((path.get(..end).unwrap_or_default(), path.get(start..end)?));
        }
        before = segment;
        end += 1;
    }
    found
}

/// Whether the children of a folder that describes a cluster may be clusters themselves: `rings/<ring>/<cluster>`.
pub fn may_hold_clusters(folder: &str) -> bool {
    let above = crate::source::path::folder(folder);
    above.rsplit('/').next() == Some("rings")
}

/// Whether the name of a folder says nothing of the cluster.
pub fn says_little(name: &str) -> bool {
    PLAIN.contains(&name)
}

/// Whether the children of the folder above are clusters.
pub fn is_in_clusters(folder: &str) -> bool {
    let above = crate::source::path::folder(folder);
    OF_CLUSTERS.contains(&above.rsplit('/').next().unwrap_or_default())
}

/// The name of the cluster that a folder describes, if its name says one.
pub fn by_folder(folder: &str) -> Option<&str> {
    if let Some((_, name)) = cluster_folder(folder) {
        return Some(name);
    }
    folder
        .rsplit('/')
        .find(|segment| !segment.is_empty() && !PLAIN.contains(segment))
}

/// The name of a cluster according to the Secret with its kubeconfig: Cluster API names it `<cluster>-kubeconfig`.
pub fn by_secret(secret: &str) -> &str {
    let ends = ["-kubeconfig", "-kubeconf", "-kube-config"];
    let mut ends = ends.iter();
    ends.find_map(|end| secret.strip_suffix(end))
        .filter(|name| !name.is_empty())
        .unwrap_or(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_named_after_its_folder() {
        assert_eq!(by_folder("clusters/prod"), Some("prod"));
        assert_eq!(
            by_folder("kubernetes/clusters/prod/flux-system"),
            Some("prod")
        );
        assert_eq!(by_folder("kubernetes/main/flux"), Some("main"));
        assert_eq!(by_folder("kubernetes/flux"), None);
        assert_eq!(by_folder("clusters/test"), Some("test"));
        assert_eq!(by_secret("eu-kubeconfig"), "eu");
        let found = cluster_folder("gitops/clusters/prod/apps");
        assert_eq!(found, Some(("gitops/clusters/prod", "prod")));
    }
}
