//! Patches and mutating policies. They change other objects, whose own manifests do not show the result.

use std::sync::Arc;

use regex::Regex;

use super::read::is_placeholder;
use crate::finding::Object;
use crate::model::toleration::Toleration;
use crate::source::{SourceId, Span};
use crate::yaml::{self, Kind, Node};

/// Something that may change the tolerations or selectors of workloads elsewhere.
#[derive(Debug, Clone)]
pub struct Overlay {
    /// Its file.
    pub source: SourceId,
    /// What it changes.
    pub target: Target,
    /// A description for users.
    pub what: &'static str,
    /// Its place in the file.
    pub span: Span,
    /// Files and folders that it affects, relative to the folder of its file, or to the root of the repository if they
    /// start with `/`. `None` if it affects everything.
    pub within: Option<Arc<[String]>>,
    /// It is part of an object, which something may merge into the whole one.
    pub is_part: bool,
}

/// The entries of a Kustomization: paths relative to its own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kustomization {
    /// Its file.
    pub source: SourceId,
    /// Files and folders.
    pub entries: Vec<String>,
    /// Files whose documents are patches.
    pub patches: Vec<String>,
    /// It changes the objects that it takes in.
    pub changes: bool,
    /// It runs transformers, which may read further files.
    pub transforms: bool,
    /// The folder that a Kustomization of Flux applies.
    pub applies: Option<String>,
}

/// Returns what a kustomize Kustomization includes, and so what it produces: one Kustomization can include another.
pub fn takes_in(root: Node<'_>, source: SourceId) -> Kustomization {
    let mut entries = Vec::new();
    for list in ["resources", "bases", "components"] {
        for entry in root.get(list).into_iter().flat_map(|node| node.items()) {
            entries.extend(entry.as_str().map(str::to_owned));
        }
    }
    let mut patches = Vec::new();
    for list in ["patches", "patchesStrategicMerge"] {
        for entry in root.get(list).into_iter().flat_map(|node| node.items()) {
            let file = match entry.kind() {
                Kind::Scalar => entry.as_str(),
                _ => entry.get("path").and_then(|path| path.as_str()),
            };
            // A multi-line entry is an inline patch.
            let file = file.filter(|file| !file.contains('\n') && !is_placeholder(file));
            patches.extend(file.map(str::to_owned));
        }
    }
    let is_used = |key: &&str| root.get(key).is_some_and(|node| !node.is_null());
    let spec = root.get("spec");
    Kustomization {
        source,
        entries,
        patches,
        changes: CHANGES.iter().any(is_used),
        transforms: is_used(&"transformers"),
        applies: literal(spec.and_then(|spec| spec.get("path"))),
    }
}

/// Fields of a kustomization that change objects in ways that scheduling may notice.
const CHANGES: [&str; 6] = [
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "transformers",
];

/// The workloads that an overlay affects.
#[derive(Debug, Clone)]
pub enum Target {
    /// Workloads whose pods a policy or a webhook may change.
    Injected(Box<Injection>),
    /// Workloads of this kind and name. `None` means any.
    Object {
        /// Kind.
        kind: Option<Words>,
        /// Name.
        name: Option<Words>,
    },
}

/// What a policy or a webhook adds to the pods of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// Its kind and name.
    pub by: Arc<str>,
    /// Only workloads with this label.
    pub label: Option<String>,
    /// Only workloads of these kinds. Empty means any.
    pub kinds: Vec<String>,
    /// Only pods in these namespaces. Empty means any.
    pub namespaces: Vec<String>,
    /// The tolerations that it may add, or `None` if they are unknown.
    pub adds: Option<Vec<Toleration>>,
}

/// A word, or a pattern as in the kind and name of a kustomize target: a regular expression that must match the whole word.
#[derive(Debug, Clone)]
pub enum Words {
    /// Exactly this word.
    Exactly(String),
    /// Words that match a pattern. Patterns are large, and most targets need none.
    Fitting(Regex),
}

impl Words {
    /// Compiles a pattern, or returns `None` if it is not a valid regular expression. It then matches any word.
    fn fitting(pattern: &str) -> Option<Words> {
        if regex::escape(pattern) == pattern.replace('-', r"\-") {
            return Some(Words::Exactly(pattern.to_owned()));
        }
        Regex::new(&format!("^(?:{pattern})$"))
            .ok()
            .map(Words::Fitting)
    }

    /// Whether a word matches.
    pub fn fit(&self, word: &str) -> bool {
        match self {
            Words::Exactly(own) => own == word,
            Words::Fitting(pattern) => pattern.is_match(word),
        }
    }
}

/// Whether a text mentions fields that scheduling reads.
fn touches_scheduling(text: &str) -> bool {
    ["olerations", "nodeSelector", "ffinity", "nodeName"]
        .iter()
        .any(|word| text.contains(word))
}

/// The map that contains the patches: the Kustomization itself, or the spec of a Flux Kustomization.
pub(super) fn holder(root: Node<'_>) -> Node<'_> {
    root.get("spec")
        .filter(|spec| spec.get("patches").is_some())
        .unwrap_or(root)
}

/// Returns the targets of the patches in a Kustomization of kustomize or Flux, inline or in files.
pub fn kustomization(root: Node<'_>, source: SourceId) -> Vec<Overlay> {
    let holder = holder(root);
    // Flux names a folder relative to the repository root. kustomize lists files in or next to its own folder.
    let flux = holder.id() != root.id();
    let within: Option<Arc<[String]>> = match literal(holder.get("path")) {
        Some(path) => Some(Arc::from([format!(
            "/{}",
            path.trim_start_matches("./").trim_start_matches('/')
        )])),
        // Flux defaults to the root of its source. A path that is filled in later may be any path.
        None if flux => None,
        None => Some(takes_in(holder, source).entries.into()),
    };
    patches(holder, source, within, "a Kustomization patches it")
}

/// Returns the targets of the patches that Applications of Argo CD apply to kustomizations, and whatever their components
/// change.
pub fn application(root: Node<'_>, source: SourceId) -> Vec<Overlay> {
    const WHAT: &str = "an Application patches it";
    let template = root.get("spec").and_then(|spec| spec.get("template"));
    let mut overlays = Vec::new();
    for spec in [root.get("spec"), template.and_then(|one| one.get("spec"))] {
        let one = spec.and_then(|spec| spec.get("source"));
        let many = spec.and_then(|spec| spec.get("sources"));
        let many = many.into_iter().flat_map(|list| list.items());
        for of_source in one.into_iter().chain(many) {
            let Some(holder) = of_source.get("kustomize") else {
                continue;
            };
            let path = literal(of_source.get("path"));
            let within: Option<Arc<[String]>> = path.map(|path| {
                let path = path.trim_start_matches("./").trim_start_matches('/');
                Arc::from([format!("/{path}")])
            });
            let components = holder.get("components").into_iter();
            let components = components.flat_map(|list| list.items());
            overlays.extend(components.take(1).map(|one| Overlay {
                source,
                target: Target::Object {
                    kind: None,
                    name: None,
                },
                what: WHAT,
                span: one.span(),
                within: within.clone(),
                is_part: false,
            }));
            overlays.extend(patches(holder, source, within, WHAT));
        }
    }
    overlays
}

/// The targets of the patches in a map.
fn patches(
    holder: Node<'_>,
    source: SourceId,
    within: Option<Arc<[String]>>,
    what: &'static str,
) -> Vec<Overlay> {
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
                .map(named)
                .or_else(|| inline.and_then(inner_target));
            // A patch in a file is read as a document of its own.
            if let Some(target) = target {
                overlays.push(Overlay {
                    source,
                    target,
                    what,
                    span: entry.span(),
                    within: within.clone(),
                    is_part: false,
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
    let name = root
        .get("metadata")
        .and_then(|metadata| metadata.get("name"));
    Some(Target::Object {
        kind: literal(root.get("kind")).map(Words::Exactly),
        name: literal(name).map(Words::Exactly),
    })
}

fn named(target: Node<'_>) -> Target {
    let words = |key: &str| literal(target.get(key)).and_then(|text| Words::fitting(&text));
    Target::Object {
        kind: words("kind"),
        name: words("name"),
    }
}

fn literal(node: Option<Node<'_>>) -> Option<String> {
    node.and_then(|node| node.as_str())
        .filter(|text| !is_placeholder(text))
        .map(str::to_owned)
}

impl Overlay {
    /// The overlay for a partial object (a strategic merge patch) that affects scheduling.
    pub fn partial(object: &Object, span: Span) -> Overlay {
        Overlay {
            source: span.source,
            span,
            target: Target::Object {
                kind: Some(Words::Exactly(object.kind.clone())),
                name: object
                    .name
                    .clone()
                    .filter(|name| !is_placeholder(name))
                    .map(Words::Exactly),
            },
            what: "a patch changes it",
            within: None,
            is_part: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_pattern_over_the_whole_word() {
        let words = Words::fitting("web-.*").expect("a pattern");
        assert!(words.fit("web-shop"));
        assert!(!words.fit("my-web-shop"));
        assert!(Words::fitting("web-(").is_none());
        assert!(!Words::Exactly("a.b".to_owned()).fit("axb"));
    }

    #[test]
    fn a_plain_target_needs_no_pattern() {
        assert!(matches!(
            Words::fitting("web-shop"),
            Some(Words::Exactly(_))
        ));
        assert!(matches!(
            Words::fitting("web|shop"),
            Some(Words::Fitting(_))
        ));
    }
}
