//! Objects that affect other pods at admission: Namespaces with their annotations, and RuntimeClasses.

use super::FileFacts;
use super::read::{Context, is_filled_in, is_placeholder};
use super::subject::Subject;
use crate::model::Field;
use crate::model::annotations::{
    DEFAULT_TOLERATIONS, NODE_SELECTOR, NamespaceWord, Read, TOLERATIONS_WHITELIST,
    parse_node_selector, parse_tolerations,
};
use crate::model::notice::{Notice, NoticeKind};
use crate::model::workload::Level;
use crate::source::{SourceId, Span};
use crate::yaml::{self, Node};

/// A Namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Its file.
    pub source: SourceId,
    /// Its place in the file.
    pub span: Span,
    /// Its effect on pods.
    pub word: NamespaceWord,
}

/// A RuntimeClass. The tolerations and labels that it adds to pods are read as a separate workload, if there are any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeClass {
    /// Its name.
    pub name: String,
    /// Its file.
    pub source: SourceId,
    /// Its place in the file.
    pub span: Span,
    /// `scheduling` is set.
    pub schedules: bool,
}

/// Reads a Namespace or a RuntimeClass.
pub(super) fn read(subject: &Subject<'_>) -> FileFacts {
    let mut facts = FileFacts::default();
    match (subject.group(), subject.object.kind.as_str()) {
        ("", "Namespace") => {
            let read = namespace(subject, &mut facts.notices);
            facts.namespaces.extend(read);
        }
        ("node.k8s.io", "RuntimeClass") => facts.runtime_classes.extend(runtime_class(subject)),
        _ => {}
    }
    facts
}

fn namespace(subject: &Subject<'_>, notices: &mut Vec<Notice>) -> Option<Namespace> {
    let (root, span) = (subject.root, subject.own_span());
    let name = subject.object.name.clone()?;
    let mut word = NamespaceWord::default();
    let annotations = root
        .get("metadata")
        .and_then(|metadata| metadata.get("annotations"));
    let filled_in = [root.get("metadata"), annotations];
    if filled_in.into_iter().flatten().any(is_filled_in) {
        word = NamespaceWord {
            default_tolerations: Field::Unknown,
            whitelist: Field::Unknown,
            node_selector: Field::Unknown,
        };
    }
    let Some(annotations) = annotations.filter(|node| !is_filled_in(*node)) else {
        return Some(Namespace {
            name,
            source: span.source,
            span,
            word,
        });
    };
    let at = yaml::join(&yaml::join(&subject.base, "metadata"), "annotations");
    let mut read = Reader {
        annotations,
        at,
        context: subject.context(Level::Typed, notices),
    };
    word = NamespaceWord {
        default_tolerations: read.annotation(DEFAULT_TOLERATIONS, parse_tolerations),
        whitelist: read.annotation(TOLERATIONS_WHITELIST, parse_tolerations),
        node_selector: read.annotation(NODE_SELECTOR, parse_node_selector),
    };
    Some(Namespace {
        name,
        source: span.source,
        span,
        word,
    })
}

fn runtime_class(subject: &Subject<'_>) -> Option<RuntimeClass> {
    let (root, span) = (subject.root, subject.own_span());
    let holds = |node: Option<Node<'_>>| {
        node.and_then(|node| node.get("scheduling"))
            .is_some_and(|scheduling| !scheduling.is_null())
    };
    Some(RuntimeClass {
        name: subject.object.name.clone()?,
        source: span.source,
        span,
        schedules: holds(Some(root)) || holds(root.get("spec")),
    })
}

struct Reader<'a, 'c> {
    annotations: Node<'a>,
    at: String,
    context: Context<'c>,
}

impl Reader<'_, '_> {
    fn annotation<T>(
        &mut self,
        name: &'static str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Read<T> {
        let Some(field) = self.annotations.field(name) else {
            return Field::Absent;
        };
        let text = match (field.value.is_null(), field.value.raw()) {
            // The API server treats a null annotation as an empty one.
            (true, _) => "",
            (false, Some(text)) if !is_placeholder(without_brackets(text)) => text,
            (false, _) => return Field::Unknown,
        };
        let parsed = parse(text);
        if let Err(why) = &parsed {
            let path = yaml::join(&self.at, name);
            let kind = NoticeKind::InvalidNamespaceAnnotation {
                annotation: name,
                why: why.clone(),
            };
            self.context.note(kind, field.span(), path);
        }
        Field::Is(parsed)
    }
}

/// Strips the brackets of a JSON list. Elsewhere they mark values that are computed later.
fn without_brackets(text: &str) -> &str {
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(text)
}
