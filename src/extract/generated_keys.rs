//! Files that Kustomizations put into ConfigMaps and Secrets.

use crate::source::path::{folder, join};
use crate::yaml::Node;

/// A file that a Kustomization puts into a ConfigMap or a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedKey {
    /// The name of the object.
    pub name: String,
    /// The key.
    pub key: String,
    /// The path of the file.
    pub path: String,
}

/// The files that a Kustomization puts into objects.
pub(super) fn read(root: Node<'_>, file: &str) -> Vec<GeneratedKey> {
    let mut keys = Vec::new();
    let generators = ["configMapGenerator", "secretGenerator"];
    let generators = generators.iter().filter_map(|list| root.get(list));
    for generator in generators.flat_map(Node::items) {
        let name = generator.get("name").and_then(Node::as_str);
        let files = generator.get("files").into_iter().flat_map(Node::items);
        for entry in files.filter_map(Node::as_str) {
            let (key, path) = match entry.split_once('=') {
                Some((key, path)) => (key, path),
                None => (entry.rsplit('/').next().unwrap_or_default(), entry),
            };
            if let (Some(name), Some(path)) = (name, join(folder(file), path)) {
                keys.push(GeneratedKey {
                    name: name.to_owned(),
                    key: key.to_owned(),
                    path,
                });
            }
        }
    }
    keys
}
