//! What was not judged, where it stands and why. While files are read and judged the places are spans, which are small;
//! a report holds them as positions, so that no text must be kept for them.

use std::sync::Arc;

use super::Object;
use crate::source::{Position, Span};

/// Something that was not judged, as it is noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Where it stands. A file as a whole is its first byte.
    pub span: Span,
    /// The object, where it is one. Most entries of a large repository are files.
    pub object: Option<Arc<Object>>,
    /// Why.
    pub because: Because,
}

impl Open {
    /// A file, or a part of one that is no object.
    pub fn part(span: Span, because: Because) -> Open {
        Open {
            span,
            object: None,
            because,
        }
    }

    /// An object.
    pub fn object(span: Span, object: &Object, because: Because) -> Open {
        let known = *object != Object::default();
        Open {
            span,
            object: known.then(|| Arc::new(object.clone())),
            because,
        }
    }

    /// The places that the text about it names: its own first.
    pub fn spans(&self) -> impl Iterator<Item = Span> {
        std::iter::once(self.span).chain(self.because.span())
    }
}

/// Something that was not judged, as a report lists it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotJudged {
    /// The file, relative to the repository.
    pub file: Arc<str>,
    /// Where in it.
    pub start: Position,
    /// The object, where it is one.
    pub object: Option<Arc<Object>>,
    /// Why, in plain words.
    pub because: Arc<str>,
    /// The group of reasons that the summary counts it in.
    pub group: &'static str,
}

/// Why something was not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The file is a template: only rendering would make it a manifest.
    Template,
    /// The file is encrypted, or no text at all.
    Binary,
    /// The file is too large, or no text in UTF-8: a sentence.
    Unusable(Arc<str>),
    /// A template fills in which kind of object it is.
    OpenKind,
    /// A template fills in its pod template.
    OpenPod,
    /// Something of its own is not known: a sentence.
    Own(Arc<str>),
    /// What is written here is filled in later.
    Written(Span),
    /// What Terraform makes of this is not known.
    Terraform(Arc<str>),
    /// A patch at this place may change it.
    Patched(Span),
    /// A policy may add tolerations: what it is, and where it stands.
    Policy(Arc<str>, Span),
    /// Something about its RuntimeClass, which has this name, is not known.
    RuntimeClass(Arc<str>, Gap),
    /// Something about its Namespace, which has this name, is not known.
    Namespace(Arc<str>, Gap),
    /// An admission plugin that may run would add a toleration for an extended resource that the pods request.
    ExtendedResource(Arc<str>),
    /// Something about a node pool is not known, and about so many others.
    Pool(Arc<PoolGap>, u32),
    /// Its own taints are not all known, and why.
    OwnTaints(Arc<str>),
    /// Its own labels are not all known.
    OwnLabels,
    /// Some of its own taints have values that are not literal.
    OwnValues,
    /// A document at this place could not be read and may tolerate its taints.
    UnreadTolerations(Span),
    /// The pools of this cluster may not be all: a document at this place could not be read, or else only a part of the
    /// repository was.
    Cluster(Arc<str>, Option<Span>),
}

/// What is not known of another object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It is not in the repository.
    Missing,
    /// Several have its name and say different things; one of them stands here.
    Several(Span),
    /// What it says could not be read.
    Unread(&'static str, Span),
    /// What it says counts only where a plugin runs of which nobody says that it does: the plugin, and what it is.
    Plugin(&'static str, &'static str, Span),
    /// The workload names no namespace and may be in this one, which says something.
    Perhaps(&'static str, Span),
}

/// What is not known of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolGap {
    /// Its name; empty where it has none that is known.
    pub name: String,
    /// Where it stands.
    pub span: Option<Span>,
    /// `taints` or `labels`, or whatever is not known.
    pub what: &'static str,
    /// Why.
    pub why: Option<String>,
}

/// What the texts of the files tell of a place in them.
pub trait Texts {
    /// `FILE:LINE`.
    fn place(&self, span: Span) -> String;
    /// What is written there, on one line.
    fn written(&self, span: Span) -> String;
}

impl Because {
    /// The other place that it names.
    pub fn span(&self) -> Option<Span> {
        match self {
            Because::Patched(span)
            | Because::Policy(_, span)
            | Because::UnreadTolerations(span)
            | Because::Written(span) => Some(*span),
            Because::Cluster(_, span) => *span,
            Because::RuntimeClass(_, gap) | Because::Namespace(_, gap) => match gap {
                Gap::Missing => None,
                Gap::Several(span)
                | Gap::Unread(_, span)
                | Gap::Plugin(_, _, span)
                | Gap::Perhaps(_, span) => Some(*span),
            },
            Because::Pool(gap, _) => gap.span,
            _ => None,
        }
    }

    /// The group that a summary counts it in, in the plural.
    pub fn group(&self) -> &'static str {
        match self {
            Because::Template => "templates",
            Because::Binary => "encrypted or binary files",
            Because::Unusable(_) => "files that are too large or not UTF-8",
            Because::OpenKind => "objects whose apiVersion or kind is templated",
            Because::OpenPod => "workloads whose pod template is templated",
            Because::Own(_) | Because::Written(_) => {
                "objects with values that could not be determined"
            }
            Because::Terraform(_) => "Terraform values that could not be evaluated",
            Because::Patched(_) => "workloads that a patch may change",
            Because::Policy(..) => "workloads that a policy may change",
            Because::RuntimeClass(..) => "workloads whose RuntimeClass could not be determined",
            Because::Namespace(..) => "workloads that their Namespace may change",
            Because::ExtendedResource(_) => {
                "pods to which ExtendedResourceToleration may add a toleration"
            }
            Because::Pool(..) => {
                "workloads that depend on node pools with unknown taints or labels"
            }
            Because::OwnTaints(_) => "node pools with unknown taints",
            Because::OwnLabels => "node pools with unknown labels",
            Because::OwnValues => "node pools with unknown taint values",
            Because::UnreadTolerations(_) => "node pools that an unreadable document may tolerate",
            Because::Cluster(_, Some(_)) => {
                "clusters that may have node pools in unreadable documents"
            }
            Because::Cluster(_, None) => "clusters that were only partly read",
        }
    }

    /// The reason in plain words.
    pub fn text(&self, texts: &dyn Texts) -> String {
        let place = |span| texts.place(span);
        match self {
            Because::Template => "template".to_owned(),
            Because::Binary => "encrypted or binary".to_owned(),
            Because::OpenKind => "its apiVersion or kind is filled in by a template".to_owned(),
            Because::OpenPod => "its pod template is filled in by a template".to_owned(),
            Because::Own(why) | Because::Terraform(why) | Because::Unusable(why) => why.to_string(),
            Because::Written(span) => format!("`{}` is filled in later", texts.written(*span)),
            Because::Patched(span) => format!("patched by {}", place(*span)),
            Because::Policy(policy, span) => {
                format!("{policy} ({}) may add tolerations", place(*span))
            }
            Because::RuntimeClass(name, Gap::Missing) if name.is_empty() => {
                "its `runtimeClassName` is filled in by a template".to_owned()
            }
            Because::RuntimeClass(name, gap) => gap_text("RuntimeClass", name, gap, texts),
            Because::Namespace(name, gap) => gap_text("Namespace", name, gap, texts),
            Because::ExtendedResource(resource) => {
                let pods = match resource.contains("gpu") {
                    true => "GPU pods".to_owned(),
                    false => format!("pods that request `{resource}`"),
                };
                format!("{pods}: ExtendedResourceToleration may add a toleration for `{resource}`")
            }
            Because::Pool(gap, more) => pool_text(gap, *more, texts),
            Because::OwnTaints(why) => format!("some of its taints are unknown: {why}"),
            Because::OwnLabels => "some of its labels are unknown".to_owned(),
            Because::OwnValues => "some of its taint values are unknown".to_owned(),
            Because::UnreadTolerations(span) => format!(
                "the document at {} could not be read and may tolerate its taints",
                place(*span)
            ),
            Because::Cluster(name, Some(span)) => format!(
                "cluster `{name}`: the document at {} could not be read and may hold node pools",
                place(*span)
            ),
            Because::Cluster(name, None) => {
                format!("cluster `{name}`: only part of the repository was read")
            }
        }
    }
}

fn gap_text(kind: &str, name: &str, gap: &Gap, texts: &dyn Texts) -> String {
    let at = |span| texts.place(span);
    match gap {
        Gap::Missing => format!("{kind} `{name}` is not in this repository"),
        Gap::Several(span) => format!(
            "several {kind} objects match, such as `{name}` ({})",
            at(*span)
        ),
        Gap::Unread(what, span) => format!(
            "{kind} `{name}` ({}) has {what} that could not be read",
            at(*span)
        ),
        Gap::Plugin(plugin, what, span) => format!(
            "{kind} `{name}` ({}) has {what}, which apply only if {plugin} is enabled",
            at(*span)
        ),
        Gap::Perhaps(what, span) => format!(
            "it sets no namespace and may be in {kind} `{name}` ({}), which has {what}",
            at(*span)
        ),
    }
}

fn pool_text(gap: &PoolGap, more: u32, texts: &dyn Texts) -> String {
    let mut text = match gap.name.as_str() {
        "" => "a node pool".to_owned(),
        name => format!("node pool `{name}`"),
    };
    if let Some(span) = gap.span {
        text.push_str(&format!(" ({})", texts.place(span)));
    }
    text.push_str(&format!(" has unknown {}", gap.what));
    if let Some(why) = &gap.why {
        text.push_str(&format!(": {why}"));
    }
    match more {
        0 => {}
        1 => text.push_str("; and 1 more pool"),
        more => text.push_str(&format!("; and {more} more pools")),
    }
    text
}
