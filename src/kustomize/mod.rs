//! Builds kustomizations as kustomize does, without running it: resources, bases, components, patches, names, namespaces,
//! labels and replacements. Every value keeps the place where it was written. What this room does not read (generators,
//! remote bases, charts, transformers) leaves the objects that it may change in doubt. It knows YAML and places, and of
//! Kubernetes only which lists a patch merges.

mod bench;
mod build;
mod files;
mod json_patch;
mod merge;
mod metadata;
mod object;
mod patches;
pub mod paths;
mod replacements;
mod schema;
mod select;
mod value;

pub use bench::Built;
pub use build::Library;
pub use files::{Files, NAMES, Trouble};
pub use object::{Doubt, Object, Replaced};
pub use value::{Data, Entry, Value};

#[cfg(test)]
mod tests;
