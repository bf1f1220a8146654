//! Objects that change other objects before or while they reach the cluster: patches, mutating policies, namespace
//! defaults. What they touch cannot be judged from the other object's manifest alone.

use super::read::is_placeholder;
use crate::finding::Object;
use crate::source::SourceId;
use crate::yaml::{self, Kind, Node};

/// Something that may change the tolerations or selectors of workloads elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Where it stands.
    pub source: SourceId,
    /// What it changes.
    pub target: Target,
    /// What it is, for people.
    pub what: &'static str,
    /// Files and folders that it reaches, relative to its own file's folder, or to the repository's root when they
    /// start with `/`; absent when it reaches everything.
    pub within: Option<Vec<String>>,
}

/// What a Kustomization takes in: paths relative to its own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kustomization {
    /// Where it stands.
    pub source: SourceId,
    /// Files and folders.
    pub entries: Vec<String>,
}

/// What a kustomize Kustomization takes in; also what it makes, so that one Kustomization can take in another.
pub fn takes_in(root: Node<'_>, source: SourceId) -> Kustomization {
    let mut entries = Vec::new();
    for list in ["resources", "bases", "components"] {
        for entry in root.get(list).into_iter().flat_map(|node| node.items()) {
            entries.extend(entry.as_str().map(str::to_owned));
        }
    }
    Kustomization { source, entries }
}

/// Which workloads an overlay touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Workloads whose pods a policy or a webhook may change.
    Injected {
        /// Only those that carry this label.
        label: Option<String>,
        /// Only those of these kinds; any when empty.
        kinds: Vec<String>,
    },
    /// Workloads of one namespace.
    Namespace(String),
    /// Workloads of this kind and name; absent means any.
    Object {
        /// Kind.
        kind: Option<String>,
        /// Name.
        name: Option<String>,
    },
}

const DEFAULT_TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/defaultTolerations";

/// A Namespace whose annotation adds tolerations where PodTolerationRestriction runs.
pub fn namespace_defaults(root: Node<'_>, object: &Object, source: SourceId) -> Option<Overlay> {
    if object.kind != "Namespace" {
        return None;
    }
    root.get("metadata")?
        .get("annotations")?
        .get(DEFAULT_TOLERATIONS)?;
    Some(Overlay {
        source,
        target: Target::Namespace(object.name.clone()?),
        what: "its Namespace has default tolerations",
        within: None,
    })
}

/// Whether a text touches what scheduling reads.
fn touches_scheduling(text: &str) -> bool {
    ["olerations", "nodeSelector", "ffinity", "nodeName"]
        .iter()
        .any(|word| text.contains(word))
}

/// The targets of the patches that a Kustomization (kustomize's own, or Flux's) holds or names.
pub fn kustomization(root: Node<'_>, source: SourceId) -> Vec<Overlay> {
    let holder = root
        .get("spec")
        .filter(|spec| spec.get("patches").is_some())
        .unwrap_or(root);
    // Flux names a folder from the repository's root; kustomize lists what stands in or beside its own folder.
    let within = match holder.get("path").and_then(|path| path.as_str()) {
        Some(path) => vec![format!(
            "/{}",
            path.trim_start_matches("./").trim_start_matches('/')
        )],
        None => takes_in(holder, source).entries,
    };
    let mut overlays = Vec::new();
    for list in ["patches", "patchesStrategicMerge", "patchesJson6902"] {
        for entry in holder.get(list).into_iter().flat_map(|node| node.items()) {
            let text = match entry.kind() {
                Kind::Scalar => entry.raw(),
                _ => entry.get("patch").and_then(|patch| patch.raw()),
            };
            let inline = text.filter(|text| text.contains('\n'));
            if inline.is_some_and(|text| !touches_scheduling(text)) {
                continue;
            }
            let target = entry
                .get("target")
                .map(|target| named(target, true))
                .or_else(|| inline.and_then(inner_target));
            // A patch that is named by a path is a document of its own and speaks for itself.
            if let Some(target) = target {
                overlays.push(Overlay {
                    source,
                    target,
                    what: "a Kustomization patches it",
                    within: Some(within.clone()),
                });
            }
        }
    }
    overlays
}

fn inner_target(text: &str) -> Option<Target> {
    let stream = yaml::parse(text, SourceId(0));
    let document = stream.documents.first()?;
    let root = document.root();
    let mut target = named(root, false);
    if let (Target::Object { name, .. }, Some(metadata)) = (&mut target, root.get("metadata")) {
        *name = literal(metadata.get("name"));
    }
    Some(target)
}

fn named(node: Node<'_>, patterns: bool) -> Target {
    // kustomize reads a target's name as an anchored regular expression; anything but a plain name may be many.
    let plain = |text: &String| {
        !patterns
            || text
                .chars()
                .all(|one| one.is_ascii_alphanumeric() || one == '-' || one == '.')
    };
    Target::Object {
        kind: literal(node.get("kind")).filter(plain),
        name: literal(node.get("name")).filter(plain),
    }
}

fn literal(node: Option<Node<'_>>) -> Option<String> {
    node.and_then(|node| node.as_str())
        .filter(|text| !is_placeholder(text))
        .map(str::to_owned)
}

/// A document that is only part of an object (a strategic merge patch) and says something about scheduling.
pub fn partial(object: &Object, source: SourceId) -> Overlay {
    Overlay {
        source,
        target: Target::Object {
            kind: Some(object.kind.clone()),
            name: object.name.clone().filter(|name| !is_placeholder(name)),
        },
        what: "a patch changes it",
        within: None,
    }
}
