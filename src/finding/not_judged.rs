//! What was not checked, where and why. During the run, places are spans, which are small. A report contains positions
//! instead, so that the texts need not be kept.

use std::sync::Arc;

use super::Object;
use crate::source::{Position, Span};

/// Something that was not checked, as recorded during the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its span. For a whole file, the first byte.
    pub span: Span,
    /// The object, if it is one. Most entries of a large repository are files.
    pub object: Option<Arc<Object>>,
    /// The reason.
    pub because: Because,
}

impl Open {
    /// Creates an entry for a file, or for a part of one that is not an object.
    pub fn part(span: Span, because: Because) -> Open {
        Open {
            span,
            object: None,
            because,
        }
    }

    /// Creates an entry for an object.
    pub fn object(span: Span, object: &Object, because: Because) -> Open {
        let known = *object != Object::default();
        Open {
            span,
            object: known.then(|| Arc::new(object.clone())),
            because,
        }
    }

    /// Returns the spans that its text mentions, starting with its own.
    pub fn spans(&self) -> impl Iterator<Item = Span> {
        std::iter::once(self.span).chain(self.because.span())
    }
}

/// Something that was not checked, as a report lists it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotJudged {
    /// The file, relative to the repository.
    pub file: Arc<str>,
    /// The position in the file.
    pub start: Position,
    /// The object, if it is one.
    pub object: Option<Arc<Object>>,
    /// The reason, in plain words.
    pub because: Arc<str>,
    /// The group of reasons for the summary.
    pub group: &'static str,
}

/// Why something was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The file is a template and only becomes a manifest when rendered.
    Template,
    /// The file is a template that cannot be parsed: what is wrong, as a clause.
    BrokenTemplate(Arc<str>),
    /// The file is a jsonnet program, which is not run.
    Jsonnet,
    /// The file is a program that declares node pools, which is not run.
    Program,
    /// The file is encrypted or binary.
    Binary,
    /// The file is too large or not UTF-8: a sentence.
    Unusable(Arc<str>),
    /// A template fills in the object's kind.
    OpenKind,
    /// A template fills in the object's pod template.
    OpenPod,
    /// A part of the object is unknown: a sentence.
    Own(Arc<str>),
    /// The value at this place is filled in later.
    Written(Span),
    /// The result of this in Terraform is unknown.
    Terraform(Arc<str>),
    /// A patch at this place may change it.
    Patched(Span),
    /// A kustomization could not be built completely, for this reason.
    Kustomize(Arc<str>),
    /// What runs in which cluster could not be determined, for this reason.
    Delivery(Arc<str>),
    /// A policy may add tolerations: its description and its place.
    Policy(Arc<str>, Span),
    /// Something about its RuntimeClass, with this name, is unknown.
    RuntimeClass(Arc<str>, Gap),
    /// Something about its Namespace, with this name, is unknown.
    Namespace(Arc<str>, Gap),
    /// An admission plugin that may run would add a toleration for an extended resource that the pods request.
    ExtendedResource(Arc<str>),
    /// Something about a node pool, and about this many others, is unknown.
    Pool(Arc<PoolGap>, u32),
    /// Not all of its own taints are known, with the reason.
    OwnTaints(Arc<str>),
    /// Not all of its own labels are known.
    OwnLabels,
    /// Some of its own taints have values that are not literal.
    OwnValues,
    /// A document at this place could not be read and may tolerate its taints.
    UnreadTolerations(Span),
    /// The cluster may have more pools: a document at this place could not be read, or only a part of the repository was
    /// read.
    Cluster(Arc<str>, Option<Span>),
}

/// What is unknown about another object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The object is not in the repository.
    Missing,
    /// Several objects have its name and differ; one of them is at this place.
    Several(Span),
    /// Its setting could not be read.
    Unread(&'static str, Span),
    /// Its setting only applies if a plugin runs, which is not configured: the plugin, and the setting.
    Plugin(&'static str, &'static str, Span),
    /// The workload has no namespace and may be in this one, which has settings.
    Perhaps(&'static str, Span),
}

/// What is unknown about a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolGap {
    /// The pool's name; empty if it has none or it is unknown.
    pub name: String,
    /// The pool's span.
    pub span: Option<Span>,
    /// What is unknown: `taints`, `labels` or something else.
    pub what: &'static str,
    /// The reason.
    pub why: Option<String>,
}

/// Access to the texts of the files.
pub trait Texts {
    /// Returns `FILE:LINE`.
    fn place(&self, span: Span) -> String;
    /// Returns the text under a span, on one line.
    fn written(&self, span: Span) -> String;
}

impl Because {
    /// Returns the other span that the text mentions.
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

    /// Returns the group of reasons for the summary, in the plural.
    pub fn group(&self) -> &'static str {
        match self {
            Because::Template | Because::BrokenTemplate(_) => "templates",
            Because::Jsonnet => "jsonnet files",
            Because::Program => "programs that declare node pools",
            Because::Binary => "encrypted or binary files",
            Because::Unusable(_) => "files that are too large or not UTF-8",
            Because::OpenKind => "objects whose apiVersion or kind is templated",
            Because::OpenPod => "workloads whose pod template is templated",
            Because::Own(_) | Because::Written(_) => {
                "objects with values that could not be determined"
            }
            Because::Terraform(_) => "Terraform values that could not be evaluated",
            Because::Patched(_) => "workloads that a patch may change",
            Because::Kustomize(_) => "kustomizations that could not be built completely",
            Because::Delivery(_) => "objects whose clusters or folders could not be determined",
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

    /// Returns the reason in plain words.
    pub fn text(&self, texts: &dyn Texts) -> String {
        let place = |span| texts.place(span);
        match self {
            Because::Template => "template".to_owned(),
            Because::BrokenTemplate(why) => format!("its template cannot be parsed: {why}"),
            Because::Jsonnet => "jsonnet, which is not evaluated".to_owned(),
            Because::Program => "a program that declares node pools, which is not run".to_owned(),
            Because::Binary => "encrypted or binary".to_owned(),
            Because::OpenKind => "its apiVersion or kind is filled in by a template".to_owned(),
            Because::OpenPod => "its pod template is filled in by a template".to_owned(),
            Because::Own(why)
            | Because::Terraform(why)
            | Because::Unusable(why)
            | Because::Kustomize(why)
            | Because::Delivery(why) => why.to_string(),
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
