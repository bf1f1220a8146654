//! Why admission plugins refuse a pod: a reason that rules can test, and the plugin's own message.

/// Why the API server refuses a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// PodNodeSelector: the pod and its Namespace select different values of one label.
    NamespaceSelector,
    /// PodTolerationRestriction: the pod has a toleration that its Namespace does not allow.
    Whitelist,
    /// An admission plugin cannot parse an annotation of the Namespace.
    Annotation {
        /// The plugin.
        plugin: &'static str,
        /// What is wrong with the annotation.
        why: String,
    },
    /// RuntimeClass: the pod and its RuntimeClass select different values of one label.
    RuntimeClassSelector {
        /// The label's key.
        key: String,
        /// The value that the RuntimeClass selects.
        theirs: String,
        /// The value that the pod selects.
        own: String,
    },
}

impl Refusal {
    /// Returns the word that rules use.
    pub fn as_str(&self) -> &'static str {
        match self {
            Refusal::NamespaceSelector => "namespace-selector",
            Refusal::Whitelist => "whitelist",
            Refusal::Annotation { .. } => "annotation",
            Refusal::RuntimeClassSelector { .. } => "runtime-class-selector",
        }
    }

    /// Returns the admission plugin that refuses the pod.
    pub fn plugin(&self) -> &'static str {
        match self {
            Refusal::NamespaceSelector => "PodNodeSelector",
            Refusal::Whitelist => "PodTolerationRestriction",
            Refusal::Annotation { plugin, .. } => plugin,
            Refusal::RuntimeClassSelector { .. } => "RuntimeClass",
        }
    }

    /// Returns the plugin's message.
    pub fn message(&self) -> String {
        match self {
            Refusal::NamespaceSelector => {
                "pod node label selector conflicts with its namespace node label selector"
                    .to_owned()
            }
            Refusal::Whitelist => {
                "pod tolerations (possibly merged with namespace default tolerations) conflict \
                 with its namespace whitelist"
                    .to_owned()
            }
            Refusal::Annotation { why, .. } => why.clone(),
            Refusal::RuntimeClassSelector { key, theirs, own } => format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {theirs}; \
                 pod.spec.nodeSelector[{key}] = {own}"
            ),
        }
    }
}
