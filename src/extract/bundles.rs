//! Files that projects generate for their users to install. Their contents are what the project ships.

use std::sync::Arc;

use super::quiet::Quiet;
use super::subject::read_object;
use crate::model::Field;
use crate::model::workload::Workload;
use crate::source::Source;
use crate::yaml::Document;

/// Folders for third-party files.
const FOLDERS: [&str; 6] = [
    "third-party",
    "third_party",
    "thirdparty",
    "upstream",
    "vendor",
    "vendored",
];

/// Labels that tools add to what they render.
const RENDERED: [&str; 2] = ["helm.sh/chart", "app.kubernetes.io/version"];

/// Files with fewer objects are often handwritten.
const MANY: usize = 5;

/// Marks the workloads of a file that a project generated. `quiet` are the documents that were not parsed.
pub(super) fn mark(
    documents: &[Document],
    quiet: &Quiet,
    source: &Source,
    workloads: &mut [Workload],
) {
    if workloads.is_empty() {
        return;
    }
    let is_vendored = source
        .path
        .split('/')
        .any(|part| FOLDERS.contains(&part.to_ascii_lowercase().as_str()));
    let kinds = documents.iter().filter(|document| !document.is_empty());
    let kinds: Vec<String> = kinds
        .map(|document| read_object(document.root()).kind)
        .collect();
    let definition = "CustomResourceDefinition";
    let defines = quiet.contains_key(definition) || kinds.iter().any(|kind| kind == definition);
    let objects = kinds.len() + quiet.values().sum::<u32>() as usize;
    for workload in workloads {
        let is_rendered = || {
            let is_from_tool = |(key, value): &(String, Field<String>)| {
                RENDERED.contains(&key.as_str())
                    || (key == "app.kubernetes.io/managed-by" && value.text() == Some("Helm"))
            };
            objects >= MANY && workload.labels.iter().any(is_from_tool)
        };
        if is_vendored || defines || is_rendered() {
            let shape = Arc::make_mut(&mut workload.shape);
            shape.character.bundled = true;
        }
    }
}
