//! Admits a pod: applies the DaemonSet controller and then each admission plugin, with what is known of the Namespace, the
//! RuntimeClass and the active plugins. Unknown facts make the result uncertain, never wrong.

use super::admission::{DEFAULT_TOLERATION_SECONDS, PodTolerations, merge_runtime_class_selector};
use super::annotations::{NamespaceWord, Read};
use super::qos::QosClass;
use super::refusal::Refusal;
use super::toleration::Toleration;
use super::workload::{Level, MoreTolerations, PodShape};
use super::{Field, Truth};

/// The admission plugins that certainly run. Others may run too unless `all_known` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plugins {
    /// PodNodeSelector.
    pub node_selector: bool,
    /// DefaultTolerationSeconds.
    pub default_seconds: bool,
    /// PodTolerationRestriction.
    pub toleration_restriction: bool,
    /// ExtendedResourceToleration.
    pub extended_resources: bool,
    /// RuntimeClass.
    pub runtime_class: bool,
    /// No other plugins run.
    pub all_known: bool,
}

impl Default for Plugins {
    /// The plugins that are on by default.
    fn default() -> Self {
        Plugins {
            node_selector: false,
            default_seconds: true,
            toleration_restriction: false,
            extended_resources: false,
            runtime_class: true,
            all_known: false,
        }
    }
}

/// What is known about a pod's Namespace.
#[derive(Clone, Debug)]
pub struct InNamespace<'n> {
    /// The distinct settings of the Namespaces that the pod may be in.
    pub words: Vec<&'n NamespaceWord>,
    /// The pod is in the one known Namespace.
    pub certain: bool,
    /// The pod may be in a Namespace that is not known.
    pub missing: bool,
}

/// What is known about a pod's RuntimeClass.
#[derive(Clone, Copy, Debug)]
pub enum OfClass<'c> {
    /// The pod has no RuntimeClass, or one without `scheduling`.
    Silent,
    /// The class adds the tolerations and selection of this shape to pods.
    Lends(&'c PodShape),
    /// The class is unknown, with the reason.
    Open(&'static str),
}

/// What is unknown about a pod's Namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWord {
    /// The Namespace is not known.
    Missing,
    /// A setting of the Namespace with this index could not be read: the name of the setting.
    Unread(usize, &'static str),
    /// A setting of the Namespace with this index may or may not apply: the plugin that reads it, and the setting.
    MayCount(usize, &'static str, &'static str),
}

/// Fills in the tolerations and the refusal of the pods of a shape. Returns what is unknown about their Namespace.
pub fn admit(
    shape: &mut PodShape,
    namespace: &InNamespace<'_>,
    class: OfClass<'_>,
    plugins: Plugins,
) -> Vec<OpenWord> {
    shape.on_pods = PodTolerations::new(&shape.tolerations);
    let mut pods = Admission {
        shape,
        certain: namespace.certain,
        open: Vec::new(),
    };
    pods.make();
    if namespace.missing && (plugins.node_selector || plugins.toleration_restriction) {
        pods.missing_namespace(plugins);
    }
    if plugins.node_selector || !plugins.all_known {
        pods.node_selector(&namespace.words, plugins.node_selector);
    }
    if plugins.default_seconds {
        pods.default_seconds();
    }
    if plugins.toleration_restriction || !plugins.all_known {
        pods.namespace_defaults(&namespace.words, plugins.toleration_restriction);
    }
    let restricted = plugins.toleration_restriction && namespace.certain;
    let whitelist = match namespace.words.as_slice() {
        [only] if restricted => only.whitelist.clone(),
        _ => Field::Absent,
    };
    pods.whitelist(&whitelist);
    let resources = pods.shape.extended_resources.clone();
    if plugins.extended_resources || !plugins.all_known {
        let on_pods = &mut pods.shape.on_pods;
        on_pods.add_extended_resources(&resources, plugins.extended_resources);
    }
    if plugins.runtime_class {
        pods.runtime_class(class);
    }
    let possible = pods.shape.possible.clone();
    pods.shape.on_pods.add_possible(possible);
    // The plugin checks the final list, after all other plugins.
    pods.whitelist(&whitelist);
    pods.open
}

struct Admission<'s> {
    shape: &'s mut PodShape,
    certain: bool,
    open: Vec<OpenWord>,
}

impl Admission<'_> {
    fn make(&mut self) {
        let built_in = ["apps", "extensions"].contains(&self.shape.api_group.as_str());
        if self.shape.kind == "DaemonSet" && built_in {
            self.shape.on_pods.add_daemon_set(&self.shape.host_network);
        }
    }

    /// Records an unknown. If several Namespaces leave the same thing unknown, the first is enough.
    fn leave_open(&mut self, word: OpenWord) {
        let without_index = |word: OpenWord| match word {
            OpenWord::Missing => (false, ""),
            OpenWord::Unread(_, what) => (false, what),
            OpenWord::MayCount(_, _, what) => (true, what),
        };
        let mut known = self.open.iter();
        if !known.any(|one| without_index(*one) == without_index(word)) {
            self.open.push(word);
        }
    }

    fn refuse(&mut self, why: Refusal) {
        self.shape.refused.get_or_insert(why);
    }

    fn refuse_annotation(&mut self, plugin: &'static str, why: &str) {
        let why = why.to_owned();
        self.refuse(Refusal::Annotation { plugin, why });
    }

    fn more_tolerations(&mut self, why: &'static str) {
        self.shape
            .unread_tolerations
            .get_or_insert(MoreTolerations::Other(why));
    }

    fn missing_namespace(&mut self, plugins: Plugins) {
        self.leave_open(OpenWord::Missing);
        self.shape.selection.unknown |= plugins.node_selector;
        if plugins.toleration_restriction {
            self.more_tolerations("its Namespace is not in this repository");
        }
    }

    fn default_seconds(&mut self) {
        // A list without a typed owner may be used by pods of any kind, with entries that their controllers add.
        let seconds = match self.shape.level {
            Level::Typed => Field::Is(DEFAULT_TOLERATION_SECONDS),
            Level::Custom | Level::Chart | Level::Values | Level::Other => Field::Unknown,
        };
        self.shape.on_pods.add_default_seconds(&seconds);
    }

    /// Applies PodNodeSelector. If not configured, the plugin may still run: the annotation suggests that it does.
    fn node_selector(&mut self, words: &[&NamespaceWord], runs: bool) {
        const PLUGIN: &str = "PodNodeSelector";
        const WHAT: &str = "a node selector";
        for (at, word) in words.iter().enumerate() {
            let selection = &mut self.shape.selection;
            match &word.node_selector {
                Field::Absent => {}
                Field::Is(Ok(labels)) if runs && self.certain => {
                    let mut conflict = false;
                    for (key, value) in labels {
                        match selection.node_selector.get(key) {
                            None => {
                                let value = Field::Is(value.clone());
                                selection.node_selector.insert(key.clone(), value);
                            }
                            Some(Field::Is(own)) => conflict |= own != value,
                            Some(Field::Absent | Field::Unknown) => {}
                        }
                    }
                    if conflict {
                        self.refuse(Refusal::NamespaceSelector);
                    }
                }
                Field::Is(Ok(labels)) => {
                    let asked = labels.iter().all(|(key, value)| {
                        selection.node_selector.get(key).and_then(Field::known) == Some(value)
                    });
                    if !asked && self.certain {
                        selection.unknown = true;
                        self.leave_open(OpenWord::MayCount(at, PLUGIN, WHAT));
                    }
                }
                Field::Is(Err(why)) if runs && self.certain => {
                    self.refuse_annotation(PLUGIN, why);
                }
                // If the plugin runs, no pod is created; if it does not, nobody reads the annotation.
                Field::Is(Err(_)) => {}
                Field::Unknown if self.certain => {
                    selection.unknown = true;
                    self.leave_open(OpenWord::Unread(at, WHAT));
                }
                Field::Unknown => {}
            }
        }
    }

    fn namespace_defaults(&mut self, words: &[&NamespaceWord], runs: bool) {
        const WHAT: &str = "default tolerations";
        let certain = runs && self.certain;
        let best_effort = match &self.shape.qos_class {
            Field::Is(class) => (*class == QosClass::BestEffort).into(),
            Field::Absent | Field::Unknown => Truth::Unknown,
        };
        let mut defaults: Vec<Toleration> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match &word.default_tolerations {
                Field::Absent => {}
                Field::Is(Ok(list)) => {
                    if !certain && !list.is_empty() {
                        self.leave_open(OpenWord::MayCount(at, RESTRICTION, WHAT));
                    }
                    defaults.extend(list.iter().cloned());
                }
                Field::Is(Err(why)) if certain => self.refuse_annotation(RESTRICTION, why),
                Field::Is(Err(_)) => {}
                Field::Unknown => {
                    self.leave_open(OpenWord::Unread(at, WHAT));
                    self.more_tolerations("its Namespace's default tolerations could not be read");
                }
            }
        }
        let on_pods = &mut self.shape.on_pods;
        if certain || (runs && defaults.is_empty()) {
            on_pods.add_namespace_defaults(&defaults, best_effort, true);
            return;
        }
        on_pods.add_namespace_defaults(&defaults, Truth::Yes, false);
        if runs {
            // The entry for memory pressure does not depend on the Namespace.
            on_pods.add_namespace_defaults(&[], best_effort, true);
        }
    }

    fn whitelist(&mut self, whitelist: &Read<Vec<Toleration>>) {
        match whitelist {
            Field::Is(Ok(list)) if self.shape.on_pods.are_whitelisted(list) == Truth::No => {
                self.refuse(Refusal::Whitelist);
            }
            // The annotation does not matter for a pod without tolerations.
            Field::Is(Err(why)) if self.shape.on_pods.entries.iter().any(|entry| entry.certain) => {
                self.refuse_annotation(RESTRICTION, why);
            }
            Field::Unknown if !self.shape.on_pods.entries.is_empty() => {
                self.leave_open(OpenWord::Unread(0, "a whitelist of tolerations"));
            }
            Field::Is(_) | Field::Absent | Field::Unknown => {}
        }
    }

    fn runtime_class(&mut self, class: OfClass<'_>) {
        let class = match class {
            OfClass::Silent => return,
            OfClass::Lends(class) => class,
            OfClass::Open(why) => {
                self.more_tolerations(why);
                self.shape.selection.unknown = true;
                return;
            }
        };
        self.shape.on_pods.add_runtime_class(&class.tolerations);
        if let Some(why) = class.unread_tolerations {
            self.shape.unread_tolerations.get_or_insert(why);
        }
        let selection = &mut self.shape.selection;
        selection.unknown |= class.selection.unknown;
        let theirs = &class.selection.node_selector;
        if let Err(key) = merge_runtime_class_selector(&mut selection.node_selector, theirs) {
            let text = |field: Option<&Field<String>>| {
                field.and_then(Field::text).unwrap_or("?").to_owned()
            };
            let (theirs, own) = (theirs.get(&key), selection.node_selector.get(&key));
            let why = Refusal::RuntimeClassSelector {
                theirs: text(theirs),
                own: text(own),
                key,
            };
            self.refuse(why);
        }
    }
}

const RESTRICTION: &str = "PodTolerationRestriction";
