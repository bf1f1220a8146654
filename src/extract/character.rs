//! What sort of program the pods of a template run: whether they access their node, what they are called, and which
//! nodes they prefer.

use std::collections::BTreeSet;

use super::read::is_placeholder;
use super::subject::Subject;
use crate::model::character::Character;
use crate::model::workload::Level;
use crate::yaml::{Kind, Node, Scalar};

/// Fields of a pod, or of values for one, that give access to the node if they are true.
const INTO_THE_NODE: [&str; 4] = ["hostNetwork", "hostPID", "hostIPC", "privileged"];

/// Labels that name a program.
const NAMES: [&str; 3] = ["app.kubernetes.io/name", "k8s-app", "app"];

/// Returns what sort of program the pods of `pod` run, which is a pod spec or a map that looks like one. The controller
/// is known for built-in kinds only.
pub(super) fn of(subject: &Subject<'_>, pod: Node<'_>, level: Level) -> Character {
    let (names, images) = names(subject, pod);
    let labels = label_keys(subject.root);
    let controller = match level {
        Level::Typed => subject.object.kind.clone(),
        Level::Custom | Level::Chart | Level::Values | Level::Other => String::new(),
    };
    let own = subject.object.name.as_deref().unwrap_or_default();
    Character {
        controller,
        agent: reaches_into_the_node(pod)
            || is_critical(pod)
            || subject.object.namespace.as_deref() == Some("kube-system")
            || subject.reading.table.is_node_agent(&names),
        cluster_part: subject.reading.table.is_cluster_part(&names)
            || labels.contains(&"cluster.x-k8s.io/provider")
            || has_label(subject.root, "control-plane", "controller-manager"),
        bundled: false,
        dumped: is_dumped(subject.root),
        managed: subject
            .reading
            .table
            .is_managed_add_on(own, &labels, &images),
        preferred: preferred(pod),
    }
}

/// The names of the program: from its object, its containers and images, its labels and its folder of values.
fn names<'n>(subject: &'n Subject<'n>, pod: Node<'n>) -> (Vec<&'n str>, Vec<&'n str>) {
    let mut names: Vec<&str> = Vec::new();
    let mut images = Vec::new();
    names.extend(subject.object.name.as_deref());
    let lists = ["containers", "initContainers"];
    let containers = lists.iter().filter_map(|list| pod.get(list));
    for container in containers.flat_map(|list| list.items()) {
        images.extend(container.get("image").and_then(Node::raw));
        // Many programs call their container `manager` or `agent`, so these names say nothing.
        names.extend(container.get("name").and_then(Node::raw));
    }
    let image = pod.get("image");
    images.extend(image.and_then(|image| image.raw().or_else(|| image.get("repository")?.raw())));
    for image in &images {
        let last = image.rsplit('/').next().unwrap_or_default();
        names.push(last.split([':', '@']).next().unwrap_or_default());
    }
    for labels in label_maps(subject.root) {
        names.extend(NAMES.iter().filter_map(|key| labels.get(key)?.raw()));
    }
    names.retain(|name| !is_placeholder(name));
    (names, images)
}

/// The labels of the object and of its pod template.
fn label_maps<'a>(root: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let own = root.get("metadata");
    let template = root.get("spec").and_then(|spec| spec.get("template"));
    let template = template.and_then(|template| template.get("metadata"));
    let all = own.into_iter().chain(template);
    all.filter_map(|metadata| metadata.get("labels"))
}

/// Whether the object is a dump from a cluster: nobody writes these fields by hand.
fn is_dumped(root: Node<'_>) -> bool {
    let is_given = |map: Node<'_>, key: &str| map.get(key).is_some_and(|value| !value.is_null());
    let status = root.get("status");
    let metadata = root.get("metadata");
    status.is_some_and(|status| !status.fields().is_empty())
        || metadata.is_some_and(|metadata| {
            [
                "uid",
                "creationTimestamp",
                "resourceVersion",
                "managedFields",
            ]
            .iter()
            .any(|key| is_given(metadata, key))
        })
}

fn label_keys<'a>(root: Node<'a>) -> Vec<&'a str> {
    let fields = label_maps(root).flat_map(|labels| labels.fields());
    fields.filter_map(|field| field.name()).collect()
}

fn has_label(root: Node<'_>, key: &str, value: &str) -> bool {
    let mut maps = label_maps(root);
    maps.any(|labels| labels.get(key).and_then(Node::raw) == Some(value))
}
/// Whether pods can access more of their node than usual: its network, its processes, its files, its devices.
fn reaches_into_the_node(pod: Node<'_>) -> bool {
    let is_on = |map: Node<'_>, key: &str| {
        let value = map.get(key);
        value.is_some_and(|value| value.scalar() == Some(Scalar::Bool(true)))
    };
    let is_privileged = |map: Node<'_>| {
        let context = map.get("securityContext");
        context.is_some_and(|context| is_on(context, "privileged"))
    };
    let lists = ["containers", "initContainers"];
    let mut containers = lists
        .iter()
        .filter_map(|list| pod.get(list))
        .flat_map(|list| list.items());
    let mut volumes = pod
        .get("volumes")
        .into_iter()
        .flat_map(|volumes| volumes.items());
    INTO_THE_NODE.iter().any(|key| is_on(pod, key))
        || is_privileged(pod)
        || containers.any(is_privileged)
        || volumes.any(|volume| volume.get("hostPath").is_some())
}

fn is_critical(pod: Node<'_>) -> bool {
    let class = pod.get("priorityClassName").and_then(Node::raw);
    class.is_some_and(|class| ["system-node-critical", "system-cluster-critical"].contains(&class))
}

/// The label keys in preferred node affinity.
fn preferred(pod: Node<'_>) -> BTreeSet<String> {
    let affinity = pod
        .get("affinity")
        .and_then(|affinity| affinity.get("nodeAffinity"));
    let affinity = affinity.or_else(|| pod.get("nodeAffinity"));
    let terms = affinity.and_then(|one| one.get("preferredDuringSchedulingIgnoredDuringExecution"));
    let terms = terms.filter(|terms| terms.kind() == Kind::Sequence);
    terms
        .into_iter()
        .flat_map(|terms| terms.items())
        .filter_map(|term| term.get("preference")?.get("matchExpressions"))
        .flat_map(|expressions| expressions.items())
        .filter(|one| {
            let operator = one.get("operator").and_then(Node::raw);
            matches!(operator, Some("In" | "Exists"))
        })
        .filter_map(|one| one.get("key")?.raw().map(str::to_owned))
        .collect()
}
