//! What a kustomization sets in the metadata of all its objects: namespaces, names, labels and annotations.

use super::bench::Bench;
use crate::yaml::Node;

/// Sets the namespace under a key.
pub(super) fn namespace(bench: &mut Bench<'_>, root: Node<'_>, key: &str) {
    let Some(node) = root.get(key) else {
        return;
    };
    let Some(namespace) = node.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    for object in &mut bench.built.objects {
        object.remember();
        if object.current().namespace != "_non_namespaceable_" {
            let path = ["metadata", "namespace"];
            object.value.set_text(&path, namespace, node.span());
        }
        let current = object.current();
        if current.kind == "Namespace" && current.group.is_empty() {
            object
                .value
                .set_text(&["metadata", "name"], namespace, node.span());
        }
    }
}

/// Adds the prefix and the suffix to names.
pub(super) fn names(bench: &mut Bench<'_>, root: Node<'_>) {
    const KEPT: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];
    for (key, is_prefix) in [("namePrefix", true), ("nameSuffix", false)] {
        let Some(part) = root.get(key).and_then(|node| node.as_str()) else {
            continue;
        };
        if part.is_empty() {
            continue;
        }
        for object in &mut bench.built.objects {
            let (original, current) = (object.original(), object.current());
            let keeps = KEPT.contains(&original.kind.as_str())
                && (original.kind != "APIService" || original.group == "apiregistration.k8s.io");
            if keeps {
                continue;
            }
            object.remember();
            let name = match is_prefix {
                true => format!("{part}{}", current.name),
                false => format!("{}{part}", current.name),
            };
            let at = object.value.at;
            object.value.set_text(&["metadata", "name"], &name, at);
        }
    }
}

/// Adds labels and annotations, as far as targets can select by them.
pub(super) fn pairs(bench: &mut Bench<'_>, root: Node<'_>) {
    let mut all: Vec<(&str, Node<'_>)> = Vec::new();
    all.extend(root.get("commonLabels").map(|pairs| ("labels", pairs)));
    for entry in root.get("labels").into_iter().flat_map(|list| list.items()) {
        all.extend(entry.get("pairs").map(|pairs| ("labels", pairs)));
    }
    all.extend(
        root.get("commonAnnotations")
            .map(|pairs| ("annotations", pairs)),
    );
    for (field, pairs) in all {
        for pair in pairs.fields() {
            let (Some(key), Some(word)) = (pair.name(), pair.value.raw()) else {
                continue;
            };
            for object in &mut bench.built.objects {
                let path = ["metadata", field, key];
                object.value.set_text(&path, word, pair.value.span());
            }
        }
    }
}
