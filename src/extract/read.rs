//! Reads tolerations, node selection and pod templates out of nodes, whatever the notation, and notes what is odd.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Object;
use crate::model::Field;
use crate::model::near_miss::nearest_word;
use crate::model::node_selection::{NodeSelection, Requirement, Term};
use crate::model::toleration::Toleration;
use crate::model::workload::{Level, LocatedToleration, Oddity};
use crate::source::Span;
use crate::yaml::{self, Kind, Node, Scalar, Style};

/// Fields of a toleration, in the order of Kubernetes' own type.
pub const TOLERATION_FIELDS: [&str; 5] =
    ["key", "operator", "value", "effect", "tolerationSeconds"];

/// Fields of a pod spec through which kubetaint sees scheduling; a misspelt one is dropped by the API server.
const SCHEDULING_FIELDS: [&str; 7] = [
    "tolerations",
    "nodeSelector",
    "affinity",
    "nodeName",
    "priorityClassName",
    "runtimeClassName",
    "hostNetwork",
];

/// Every field of a pod spec (core/v1 `PodSpec`), so that real fields are never taken for misspelt ones.
const POD_SPEC_FIELDS: [&str; 44] = [
    "activeDeadlineSeconds",
    "affinity",
    "automountServiceAccountToken",
    "containers",
    "dnsConfig",
    "dnsPolicy",
    "enableServiceLinks",
    "ephemeralContainers",
    "hostAliases",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostUsers",
    "hostname",
    "hostnameOverride",
    "imagePullSecrets",
    "initContainers",
    "nodeName",
    "nodeSelector",
    "os",
    "overhead",
    "preemptionPolicy",
    "priority",
    "priorityClassName",
    "readinessGates",
    "resourceClaims",
    "resources",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "schedulingGates",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "subdomain",
    "terminationGracePeriodSeconds",
    "tolerations",
    "topologySpreadConstraints",
    "volumes",
    "workloadRef",
    "schedulingGroup",
    "evictionInterceptors",
];

/// Whether a text is filled in later by some template language or by a person.
pub fn is_placeholder(text: &str) -> bool {
    if text.contains("{{")
        || text.contains("}}")
        || text.contains("<<")
        || text.contains("%{")
        || text.contains("{%")
        || text.contains("[[")
        || text.contains("@@")
    {
        return true;
    }
    let bytes = text.as_bytes();
    // `$` can stand in no key, value or effect, so `$NAME`, `${NAME}` and `$(NAME)` are variables.
    if bytes.windows(2).any(|pair| {
        pair[0] == b'$' && (pair[1] == b'{' || pair[1] == b'(' || pair[1].is_ascii_alphabetic())
    }) {
        return true;
    }
    let dunder = text.len() > 4 && text.starts_with("__") && text.ends_with("__");
    let angle = text.len() > 2 && text.starts_with('<') && text.ends_with('>');
    dunder || angle
}

/// Whether a node is an unquoted template action, which YAML reads as a map in a map.
pub fn is_template_action(node: Node<'_>) -> bool {
    if node.kind() != Kind::Mapping || node.style() != Style::Flow {
        return false;
    }
    let mut fields = node.written_fields();
    matches!((fields.next(), fields.next()), (Some(only), None)
        if only.key.kind() == Kind::Mapping && only.key.style() == Style::Flow)
}

/// What is read on the way, and for whom.
pub struct Context<'c> {
    /// The object that is being read.
    pub object: &'c Object,
    /// What is known of it.
    pub level: Level,
    /// Where oddities go.
    pub oddities: &'c mut Vec<Oddity>,
}

impl Context<'_> {
    /// Notes an oddity; the caller fills what is particular.
    pub fn note(&mut self, oddity: Oddity) {
        self.oddities.push(oddity);
    }

    /// An oddity about this object.
    pub fn oddity(&self, kind: &'static str, span: Span, path: String) -> Oddity {
        Oddity {
            kind,
            field: String::new(),
            written: String::new(),
            suggestion: String::new(),
            detail: String::new(),
            level: self.level,
            object: self.object.clone(),
            span,
            path,
            related: Vec::new(),
        }
    }

    fn mistyped(&mut self, field: &yaml::Field<'_>, path: String, found: &str, suggestion: String) {
        let mut oddity = self.oddity("mistyped-field", field.span(), path);
        oddity.field = field.name().unwrap_or_default().to_owned();
        oddity.written = field.value.raw().unwrap_or_default().to_owned();
        oddity.detail = found.to_owned();
        oddity.suggestion = suggestion;
        self.note(oddity);
    }

    /// A field that Kubernetes decodes into a string.
    pub fn read_string(&mut self, field: Option<yaml::Field<'_>>, at: &str) -> Field<String> {
        let Some(field) = field else {
            return Field::Absent;
        };
        let quoted = || format!("\"{}\"", field.value.raw().unwrap_or_default());
        let found = match field.value.scalar() {
            Some(Scalar::Null) => return Field::Absent,
            Some(Scalar::Str(text)) if is_placeholder(text) => return Field::Unknown,
            Some(Scalar::Str(text)) => return Field::Is(text.to_owned()),
            Some(Scalar::Bool(_)) => "a boolean",
            Some(Scalar::Int(_) | Scalar::BigInt | Scalar::Float(_)) => "a number",
            None if is_template_action(field.value) => return Field::Unknown,
            None => {
                let found = describe(field.value);
                self.mistyped(&field, at.to_owned(), found, String::new());
                return Field::Unknown;
            }
        };
        self.mistyped(&field, at.to_owned(), found, quoted());
        Field::Unknown
    }

    fn read_seconds(&mut self, field: Option<yaml::Field<'_>>, at: &str) -> Field<i64> {
        let Some(field) = field else {
            return Field::Absent;
        };
        let (found, suggestion) = match field.value.scalar() {
            Some(Scalar::Null) => return Field::Absent,
            Some(Scalar::Int(seconds)) => return Field::Is(seconds),
            // Clients turn YAML into JSON first, and `300.0` arrives as 300.
            Some(Scalar::Float(seconds))
                if seconds.fract() == 0.0 && seconds.abs() < 9_007_199_254_740_992.0 =>
            {
                #[allow(clippy::cast_possible_truncation)]
                return Field::Is(seconds as i64);
            }
            Some(Scalar::Float(_)) => ("a fraction", String::new()),
            Some(Scalar::BigInt) => ("a number beyond 64 bits", String::new()),
            Some(Scalar::Str(text)) if is_placeholder(text) => return Field::Unknown,
            Some(Scalar::Str(text)) => (
                "a string",
                text.parse::<i64>()
                    .map(|seconds| seconds.to_string())
                    .unwrap_or_default(),
            ),
            Some(Scalar::Bool(_)) => ("a boolean", String::new()),
            None if is_template_action(field.value) => return Field::Unknown,
            None => (describe(field.value), String::new()),
        };
        self.mistyped(&field, at.to_owned(), found, suggestion);
        Field::Unknown
    }

    fn unknown_field(
        &mut self,
        field: &yaml::Field<'_>,
        path: &str,
        owner: &str,
        candidates: &[&str],
    ) {
        let name = field.name().unwrap_or_default();
        let mut oddity = self.oddity("unknown-field", field.key.span(), yaml::join(path, name));
        oddity.field = name.to_owned();
        oddity.suggestion = nearest_word(name, candidates)
            .unwrap_or_default()
            .to_owned();
        oddity.detail = owner.to_owned();
        self.note(oddity);
    }

    /// A list under `tolerations`: entries, where they stand, and why there may be more of them.
    pub fn read_tolerations(&mut self, field: yaml::Field<'_>, path: &str) -> Tolerations {
        let list = field.value;
        let mut read = Tolerations {
            span: Some(field.key.span()),
            ..Tolerations::default()
        };
        match list.kind() {
            Kind::Sequence => {}
            Kind::Scalar if list.is_null() => return read,
            _ if is_template_action(list) || list.raw().is_some_and(is_placeholder) => {
                read.unread = Some("`tolerations` is filled in by a template".to_owned());
                return read;
            }
            _ => {
                self.malformed(field.span(), path, describe(list), "the list");
                read.unread = Some("`tolerations` is not a list".to_owned());
                return read;
            }
        }
        for (index, item) in list.items().enumerate() {
            let at = yaml::index(path, index);
            match item.kind() {
                Kind::Mapping if is_template_action(item) => read.unread = Some(templated()),
                Kind::Mapping => {
                    let (entry, located) = self.read_toleration(item, at);
                    read.entries.push(entry);
                    read.located.push(located);
                }
                // A null entry decodes into an empty toleration.
                Kind::Scalar if item.is_null() => {
                    read.entries.push(Toleration::default());
                    read.located.push(LocatedToleration {
                        entry: item.span(),
                        path: at,
                        fields: BTreeMap::new(),
                    });
                }
                Kind::Scalar if item.raw().is_some_and(is_placeholder) => {
                    read.unread = Some(templated());
                }
                _ => {
                    self.malformed(item.span(), &at, describe(item), "an entry");
                    read.unread = Some("an entry of `tolerations` is not a map".to_owned());
                }
            }
        }
        read
    }

    fn malformed(&mut self, span: Span, path: &str, written: &str, detail: &str) {
        let mut oddity = self.oddity("malformed-tolerations", span, path.to_owned());
        oddity.field = "tolerations".to_owned();
        oddity.written = written.to_owned();
        oddity.detail = detail.to_owned();
        self.note(oddity);
    }

    fn read_toleration(&mut self, item: Node<'_>, path: String) -> (Toleration, LocatedToleration) {
        let mut fields = BTreeMap::new();
        for field in item.fields() {
            let name = field.name().unwrap_or_default();
            match TOLERATION_FIELDS.iter().find(|known| **known == name) {
                Some(known) => {
                    fields.insert(*known, field.span());
                }
                None if field.key.raw().is_none_or(is_placeholder) => {}
                None => self.unknown_field(&field, &path, "a toleration", &TOLERATION_FIELDS),
            }
        }
        let mut text = |name: &str| self.read_string(item.field(name), &yaml::join(&path, name));
        let toleration = Toleration {
            key: text("key"),
            operator: text("operator"),
            value: text("value"),
            effect: text("effect"),
            toleration_seconds: self.read_seconds(
                item.field("tolerationSeconds"),
                &yaml::join(&path, "tolerationSeconds"),
            ),
        };
        let located = LocatedToleration {
            entry: item.span(),
            path,
            fields,
        };
        (toleration, located)
    }

    /// Everything that scheduling reads of a pod spec, or of a map that looks like one.
    pub fn read_pod(&mut self, pod: Node<'_>, path: &str, tolerations_key: &str) -> Pod {
        let mut read = Pod::default();
        if let Some(list) = pod.field(tolerations_key) {
            let at = yaml::join(path, tolerations_key);
            read.tolerations = self.read_tolerations(list, &at);
        }
        if pod.get("containers").is_some() {
            for field in pod.fields() {
                let name = field.name().unwrap_or_default();
                if !POD_SPEC_FIELDS.contains(&name)
                    && nearest_word(name, &SCHEDULING_FIELDS).is_some()
                {
                    self.unknown_field(&field, path, "the pod spec", &SCHEDULING_FIELDS);
                }
            }
        }
        self.read_node_selector(pod, path, &mut read);
        self.read_affinity(pod, path, &mut read);
        let mut text = |name: &str| self.read_string(pod.field(name), &yaml::join(path, name));
        read.node_name = text("nodeName");
        read.priority_class = text("priorityClassName");
        read.runtime_class = text("runtimeClassName");
        read.host_network = match pod.get("hostNetwork").map(|node| node.scalar()) {
            None | Some(Some(Scalar::Null)) => Field::Absent,
            Some(Some(Scalar::Bool(on))) => Field::Is(on),
            Some(_) => Field::Unknown,
        };
        read.extended_resources = read_extended_resources(pod);
        read
    }

    fn read_node_selector(&mut self, pod: Node<'_>, path: &str, read: &mut Pod) {
        let Some(selector) = pod.field("nodeSelector") else {
            return;
        };
        let node = selector.value;
        if node.is_null() {
            return;
        }
        if node.kind() != Kind::Mapping || is_template_action(node) {
            read.selection.unknown = true;
            return;
        }
        let at = yaml::join(path, "nodeSelector");
        for field in node.fields() {
            let Some(key) = field.name() else {
                read.selection.unknown = true;
                continue;
            };
            let at = yaml::join(&at, key);
            let value = self.read_string(Some(field), &at);
            if is_placeholder(key) {
                read.selection.unknown = true;
                continue;
            }
            // A null value is the empty string to Kubernetes, and the key is still asked for.
            let value = match value {
                Field::Absent => Field::Is(String::new()),
                other => other,
            };
            read.selectors.push((key.to_owned(), field.span(), at));
            read.selection.node_selector.insert(key.to_owned(), value);
        }
    }

    fn read_affinity(&mut self, pod: Node<'_>, path: &str, read: &mut Pod) {
        let (affinity, at) = match pod.get("affinity") {
            Some(affinity) if is_template_action(affinity) || is_text(affinity) => {
                read.selection.unknown = true;
                return;
            }
            Some(affinity) => (
                affinity.get("nodeAffinity"),
                yaml::join(&yaml::join(path, "affinity"), "nodeAffinity"),
            ),
            None => (pod.get("nodeAffinity"), yaml::join(path, "nodeAffinity")),
        };
        let Some(affinity) = affinity else { return };
        if affinity.kind() != Kind::Mapping || is_template_action(affinity) {
            read.selection.unknown |= !affinity.is_null();
            return;
        }
        const KNOWN: [&str; 2] = [
            "requiredDuringSchedulingIgnoredDuringExecution",
            "preferredDuringSchedulingIgnoredDuringExecution",
        ];
        for field in affinity.fields() {
            let name = field.name().unwrap_or_default();
            if !KNOWN.contains(&name) && self.level != Level::Other && !is_placeholder(name) {
                self.unknown_field(&field, &at, "node affinity", &KNOWN);
            }
        }
        read.prefers = affinity.get(KNOWN[1]).is_some_and(|list| !list.is_null());
        let Some(required) = affinity.get(KNOWN[0]).filter(|node| !node.is_null()) else {
            return;
        };
        let at = yaml::join(&at, KNOWN[0]);
        let Some(terms) = required
            .get("nodeSelectorTerms")
            .filter(|node| node.kind() == Kind::Sequence && !is_template_action(required))
        else {
            read.selection.unknown = true;
            read.selection.required = Field::Unknown;
            return;
        };
        let at = yaml::join(&at, "nodeSelectorTerms");
        let mut list = Vec::new();
        for (index, term) in terms.items().enumerate() {
            let at = yaml::index(&at, index);
            if term.kind() != Kind::Mapping || is_template_action(term) {
                read.selection.unknown = true;
                continue;
            }
            list.push(Term {
                expressions: self.read_expressions(term, "matchExpressions", &at, read),
                fields: self.read_expressions(term, "matchFields", &at, read),
            });
        }
        read.selection.required = Field::Is(list);
    }

    fn read_expressions(
        &mut self,
        term: Node<'_>,
        name: &str,
        at: &str,
        read: &mut Pod,
    ) -> Vec<Requirement> {
        let Some(list) = term.get(name).filter(|node| !node.is_null()) else {
            return Vec::new();
        };
        if list.kind() != Kind::Sequence {
            read.selection.unknown = true;
            return Vec::new();
        }
        let at = yaml::join(at, name);
        let mut requirements = Vec::new();
        for (index, item) in list.items().enumerate() {
            let requirement = read_requirement(item);
            if let Some(key) = requirement.key.known() {
                read.selectors
                    .push((key.clone(), item.span(), yaml::index(&at, index)));
            }
            requirements.push(requirement);
        }
        requirements
    }
}

fn templated() -> String {
    "an entry of `tolerations` is filled in by a template".to_owned()
}

fn is_text(node: Node<'_>) -> bool {
    node.kind() == Kind::Scalar && !node.is_null()
}

/// One `{key, operator, values}` of node affinity or of Karpenter requirements.
pub fn read_requirement(item: Node<'_>) -> Requirement {
    let text = |name: &str| read_text(item.get(name));
    Requirement {
        key: text("key"),
        operator: text("operator"),
        values: item
            .get("values")
            .map(|values| values.items().map(|value| read_text(Some(value))).collect())
            .unwrap_or_default(),
    }
}

/// A string as lenient readers take it: numbers and booleans count as their text.
pub fn read_text(node: Option<Node<'_>>) -> Field<String> {
    let Some(node) = node else {
        return Field::Absent;
    };
    match node.scalar() {
        Some(Scalar::Null) => Field::Absent,
        Some(_) => match node.raw() {
            Some(text) if !is_placeholder(text) => Field::Is(text.to_owned()),
            _ => Field::Unknown,
        },
        None => Field::Unknown,
    }
}

fn read_extended_resources(pod: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for list in ["containers", "initContainers"] {
        for container in pod.get(list).into_iter().flat_map(|node| node.items()) {
            let Some(resources) = container.get("resources") else {
                continue;
            };
            for part in ["limits", "requests"] {
                let fields = resources.get(part).map(|node| node.fields());
                for field in fields.into_iter().flatten() {
                    // `IsExtendedResourceName`: has a domain that is not Kubernetes' own.
                    if let Some(name) = field.name()
                        && name.contains('/')
                        && !name.contains("kubernetes.io/")
                        && !name.starts_with("requests.")
                    {
                        names.insert(name.to_owned());
                    }
                }
            }
        }
    }
    names
}

/// What a node is, in words for messages.
pub fn describe(node: Node<'_>) -> &'static str {
    match (node.kind(), node.scalar()) {
        (Kind::Mapping, _) => "a map",
        (Kind::Sequence, _) => "a list",
        (Kind::Scalar, Some(Scalar::Bool(_))) => "a boolean",
        (Kind::Scalar, Some(Scalar::Int(_) | Scalar::BigInt | Scalar::Float(_))) => "a number",
        (Kind::Scalar, _) => "a string",
    }
}

/// A list of tolerations as read.
#[derive(Debug, Default)]
pub struct Tolerations {
    /// The entries, in order.
    pub entries: Vec<Toleration>,
    /// Where each stands.
    pub located: Vec<LocatedToleration>,
    /// Why there may be more than stand here.
    pub unread: Option<String>,
    /// The key that the list stands under; absent when it is not written.
    pub span: Option<Span>,
}

/// A pod spec as read.
#[derive(Debug, Default)]
pub struct Pod {
    /// `tolerations`.
    pub tolerations: Tolerations,
    /// `nodeSelector` and required node affinity.
    pub selection: NodeSelection,
    /// Preferred node affinity is given.
    pub prefers: bool,
    /// Where nodes are asked for: label key, span, field path.
    pub selectors: Vec<(String, Span, String)>,
    /// `nodeName`.
    pub node_name: Field<String>,
    /// `priorityClassName`.
    pub priority_class: Field<String>,
    /// `runtimeClassName`.
    pub runtime_class: Field<String>,
    /// `hostNetwork`.
    pub host_network: Field<bool>,
    /// Extended resources in requests and limits.
    pub extended_resources: BTreeSet<String>,
}
