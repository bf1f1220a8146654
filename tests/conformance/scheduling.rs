//! Cases about placement, eviction, admission and QoS classes, and the model's verdicts on them in the oracle's terms.

use std::collections::BTreeMap;

use kubetaint::model::admission::PodTolerations;
use kubetaint::model::admit::{InNamespace, OfClass, Plugins, admit};
use kubetaint::model::annotations::{
    DEFAULT_TOLERATIONS, NODE_SELECTOR, NamespaceWord, TOLERATIONS_WHITELIST, parse_node_selector,
    parse_tolerations,
};
use kubetaint::model::eviction::Eviction;
use kubetaint::model::node_pool::{NodePool, PoolTaint};
use kubetaint::model::node_selection::{NodeLabels, NodeSelection, OtherLabels};
use kubetaint::model::placement::{Candidate, Moment, Placement, place};
use kubetaint::model::qos::{PodResources, Resources};
use kubetaint::model::quantity::Quantity;
use kubetaint::model::taint::Effect;
use kubetaint::model::toleration::tolerate;
use kubetaint::model::workload::{Level, PodShape};
use kubetaint::model::{Field, Truth, taint, toleration};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::case::{Selection, Taint, Term, Toleration, blanked_tolerations, known};

/// A pod, so far as these questions need it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pod {
    pub spec: PodSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_class_name: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Amounts>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<Container>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<Container>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<String>,
    #[serde(default)]
    pub resources: Amounts,
}

/// Requests and limits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Amounts {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Affinity {
    pub node_affinity: NodeAffinity,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: NodeSelectorTerms,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeSelectorTerms {
    #[serde(rename = "nodeSelectorTerms")]
    pub terms: Vec<Term>,
}

impl Affinity {
    pub fn new(terms: Vec<Term>) -> Affinity {
        Affinity {
            node_affinity: NodeAffinity {
                required: NodeSelectorTerms { terms },
            },
        }
    }
}

/// A node that a pod may be placed on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    pub metadata: NodeMetadata,
    #[serde(default)]
    pub spec: NodeSpec,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NodeMetadata {
    pub name: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NodeSpec {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unschedulable: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Taint>,
}

/// A pod and the nodes that it may be placed on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Placing {
    pub pod: Pod,
    pub nodes: Vec<Node>,
}

/// A pod and what its admission goes by.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Admitting {
    pub plugins: Vec<String>,
    /// Annotations of its Namespace.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespace: BTreeMap<String, String>,
    /// `scheduling` of the RuntimeClass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_class: Option<Scheduling>,
    pub pod: Pod,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scheduling {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
}

impl PodSpec {
    fn selection(&self) -> NodeSelection {
        Selection {
            node_selector: self.node_selector.clone(),
            terms: self
                .affinity
                .as_ref()
                .map(|affinity| affinity.node_affinity.required.terms.clone()),
            node: String::new(),
            labels: BTreeMap::new(),
        }
        .asked()
    }

    fn resources(&self) -> PodResources {
        PodResources {
            pod: self.resources.as_ref().map(Amounts::model),
            containers: self
                .containers
                .iter()
                .map(|one| one.resources.model())
                .collect(),
            init_containers: self
                .init_containers
                .iter()
                .map(|one| {
                    let stays = one.restart_policy.as_deref() == Some("Always");
                    (one.resources.model(), stays)
                })
                .collect(),
        }
    }

    pub fn qos_class(&self) -> Value {
        let class = self.resources().qos_class();
        json!(class.map_or("unknown", |class| class.as_str()))
    }

    fn tolerations(&self) -> Vec<toleration::Toleration> {
        self.tolerations.iter().map(Toleration::model).collect()
    }
}

impl Amounts {
    fn model(&self) -> Resources {
        let read = |amounts: &BTreeMap<String, String>| {
            amounts
                .iter()
                .map(|(name, text)| {
                    let amount = Quantity::parse(text);
                    (name.clone(), amount.expect("a quantity"))
                })
                .collect()
        };
        Resources {
            requests: read(&self.requests),
            limits: read(&self.limits),
        }
    }
}

impl Node {
    fn model(&self) -> NodePool {
        let mut pool = NodePool {
            name: self.metadata.name.clone(),
            labels: NodeLabels {
                labels: known(&self.metadata.labels),
                requirements: Vec::new(),
                others: OtherLabels::None,
            },
            complete: true,
            unschedulable: self.spec.unschedulable,
            ..NodePool::default()
        };
        pool.object.api_version = "v1".to_owned();
        pool.object.kind = "Node".to_owned();
        pool.object.name = Some(self.metadata.name.clone());
        pool.taints = self
            .spec
            .taints
            .iter()
            .map(|taint| PoolTaint {
                taint: taint.model(),
                ..PoolTaint::default()
            })
            .collect();
        pool
    }
}

impl Placing {
    fn placements(
        &self,
        tolerations: &[toleration::Toleration],
        tolerations_known: bool,
        comparison_operators: bool,
    ) -> Vec<Placement> {
        let spec = &self.pod.spec;
        let pod = Candidate {
            selection: &spec.selection(),
            node_name: &spec.node_name.clone().map_or(Field::Absent, Field::Is),
            tolerations,
            tolerations_known,
        };
        self.nodes
            .iter()
            .map(|node| place(&pod, &node.model(), Moment::Now, comparison_operators))
            .collect()
    }

    pub fn verdict(&self, comparison_operators: bool) -> Value {
        let tolerations = self.pod.spec.tolerations();
        let placements = self.placements(&tolerations, true, comparison_operators);
        let words = placements.into_iter().map(|placement| match placement {
            Placement::Lands => String::new(),
            Placement::Refused(reason) => reason.words().to_owned(),
            Placement::Unknown(why) => format!("unknown: {why}"),
        });
        json!(words.collect::<Vec<_>>())
    }

    /// Verdicts that are surer than they may be, with a part of the pod unread.
    pub fn contradictions(
        &self,
        comparison_operators: bool,
        theirs: &Value,
        found: &mut Vec<String>,
    ) {
        let whole = self.pod.spec.tolerations();
        let mut lists = vec![("more tolerations", whole.clone(), false)];
        for (at, toleration) in whole.iter().enumerate() {
            for (what, blank) in blanked_tolerations(toleration) {
                let mut list = whole.clone();
                list[at] = blank;
                lists.push((what, list, true));
            }
        }
        for (what, list, complete) in lists {
            let placements = self.placements(&list, complete, comparison_operators);
            for (at, placement) in placements.iter().enumerate() {
                let lands = theirs[at] == "";
                let wrong = match placement {
                    Placement::Lands => !lands,
                    // With fewer tolerations the pod may be refused where it is not.
                    Placement::Refused(_) => lands,
                    Placement::Unknown(_) => false,
                };
                if wrong {
                    found.push(format!(
                        "the model is sure of {placement:?} with {what} unread"
                    ));
                }
            }
        }
    }
}

/// Nanoseconds until eviction, -1 for never.
fn nanoseconds(eviction: Eviction) -> Option<i64> {
    match eviction {
        Eviction::Never => Some(-1),
        Eviction::AtOnce => Some(0),
        Eviction::After(nanoseconds) => i64::try_from(nanoseconds).ok(),
        Eviction::Unknown => None,
    }
}

pub fn evicted(tolerations: &[Toleration], taints: &[Taint], comparison_operators: bool) -> Value {
    let tolerations: Vec<_> = tolerations.iter().map(Toleration::model).collect();
    let taints: Vec<_> = taints.iter().map(Taint::model).collect();
    let eviction = PodTolerations::new(&tolerations).eviction(&taints, comparison_operators);
    nanoseconds(eviction).map_or(json!("unknown"), |nanoseconds| json!(nanoseconds))
}

/// The same with one field after the other unread.
pub fn eviction_contradictions(
    tolerations: &[Toleration],
    taints: &[Taint],
    comparison_operators: bool,
    theirs: &Value,
    found: &mut Vec<String>,
) {
    let tolerations: Vec<_> = tolerations.iter().map(Toleration::model).collect();
    let taints: Vec<_> = taints.iter().map(Taint::model).collect();
    for (what, list) in each_blanked(&tolerations) {
        let eviction = PodTolerations::new(&list).eviction(&taints, comparison_operators);
        if nanoseconds(eviction).is_some_and(|nanoseconds| json!(nanoseconds) != *theirs) {
            found.push(format!(
                "the model is sure of {eviction:?} with {what} unread"
            ));
        }
    }
}

/// The list with one field after the other unread, seconds among them.
fn each_blanked(
    whole: &[toleration::Toleration],
) -> Vec<(&'static str, Vec<toleration::Toleration>)> {
    let mut lists = Vec::new();
    for (at, toleration) in whole.iter().enumerate() {
        let mut blanked = blanked_tolerations(toleration);
        let mut seconds = toleration.clone();
        seconds.toleration_seconds = Field::Unknown;
        blanked.push(("tolerationSeconds", seconds));
        for (what, blank) in blanked {
            let mut list = whole.to_vec();
            list[at] = blank;
            lists.push((what, list));
        }
    }
    lists
}

pub fn daemon_set(tolerations: &[Toleration], host_network: bool) -> Value {
    let tolerations: Vec<_> = tolerations.iter().map(Toleration::model).collect();
    let mut on_pods = PodTolerations::new(&tolerations);
    on_pods.add_daemon_set(&Field::Is(host_network));
    json!(written(&on_pods))
}

/// The list as Kubernetes writes it: empty texts are left out.
fn written(on_pods: &PodTolerations) -> Vec<Toleration> {
    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    on_pods
        .tolerations()
        .iter()
        .map(|toleration| {
            let whole = Toleration::of_model(toleration);
            Toleration {
                key: text(whole.key),
                operator: text(whole.operator),
                value: text(whole.value),
                effect: text(whole.effect),
                toleration_seconds: whole.toleration_seconds,
            }
        })
        .collect()
}

impl Admitting {
    /// A shape of which nothing is known but these.
    fn shape(&self, tolerations: Vec<toleration::Toleration>, spec: &PodSpec) -> PodShape {
        let resources = spec.resources();
        PodShape {
            possible: Vec::new(),
            kind: "Pod".to_owned(),
            api_group: String::new(),
            level: Level::Typed,
            tolerations,
            on_pods: PodTolerations::default(),
            unread_tolerations: None,
            selection: spec.selection(),
            prefers: false,
            node_name: Field::Absent,
            priority_class: Field::Absent,
            runtime_class: Field::Absent,
            host_network: Field::Absent,
            extended_resources: resources.extended_resources().map(str::to_owned).collect(),
            resources_unread: false,
            qos_class: resources.qos_class().map_or(Field::Unknown, Field::Is),
            system: Truth::No,
            on_openshift: false,
            refused: None,
            character: kubetaint::model::character::Character::default(),
        }
    }

    /// What admission makes of the pod with these tolerations. `certain` is whether its Namespace is known.
    fn admitted(&self, tolerations: Vec<toleration::Toleration>, certain: bool) -> PodShape {
        let mut shape = self.shape(tolerations, &self.pod.spec);
        let runs = |name: &str| self.plugins.iter().any(|plugin| plugin == name);
        // A plugin that is not declared may run for the model; here it does not.
        let read = |plugin: &str| !certain || runs(plugin);
        if !read("ExtendedResourceToleration") {
            shape.extended_resources.clear();
        }
        let annotation = |name: &str| {
            let plugin = if name == NODE_SELECTOR {
                "PodNodeSelector"
            } else {
                "PodTolerationRestriction"
            };
            self.namespace.get(name).filter(|_| read(plugin))
        };
        let word = NamespaceWord {
            default_tolerations: annotation(DEFAULT_TOLERATIONS)
                .map_or(Field::Absent, |text| Field::Is(parse_tolerations(text))),
            whitelist: annotation(TOLERATIONS_WHITELIST)
                .map_or(Field::Absent, |text| Field::Is(parse_tolerations(text))),
            node_selector: annotation(NODE_SELECTOR)
                .map_or(Field::Absent, |text| Field::Is(parse_node_selector(text))),
        };
        let class = self.runtime_class.as_ref().map(|scheduling| {
            let spec = PodSpec {
                node_selector: scheduling.node_selector.clone(),
                ..PodSpec::default()
            };
            let lent = scheduling.tolerations.iter().map(Toleration::model);
            self.shape(lent.collect(), &spec)
        });
        let class = match (&class, &self.pod.spec.runtime_class_name) {
            (Some(class), Some(_)) => OfClass::Lends(class),
            _ => OfClass::Silent,
        };
        let plugins = Plugins {
            node_selector: runs("PodNodeSelector"),
            default_seconds: runs("DefaultTolerationSeconds"),
            toleration_restriction: runs("PodTolerationRestriction"),
            extended_resources: runs("ExtendedResourceToleration"),
            runtime_class: runs("RuntimeClass"),
            all_known: false,
        };
        let namespace = InNamespace {
            words: vec![&word],
            certain,
            missing: false,
        };
        admit(&mut shape, &namespace, class, plugins);
        shape
    }

    pub fn verdict(&self) -> Value {
        let shape = self.admitted(self.pod.spec.tolerations(), true);
        if let Some(refusal) = &shape.refused {
            return json!({"refused": refusal.plugin()});
        }
        if shape.on_pods.unsettled {
            return json!("unsettled");
        }
        let mut whole = serde_json::Map::new();
        if !shape.on_pods.entries.is_empty() {
            whole.insert("tolerations".to_owned(), json!(written(&shape.on_pods)));
        }
        let selector: BTreeMap<_, _> = shape
            .selection
            .node_selector
            .iter()
            .filter_map(|(key, value)| Some((key, value.text()?)))
            .collect();
        if !selector.is_empty() {
            whole.insert("nodeSelector".to_owned(), json!(selector));
        }
        Value::Object(whole)
    }

    /// What is said of the admitted pod with a part unread, where Kubernetes' own list says otherwise.
    pub fn contradictions(
        &self,
        comparison_operators: bool,
        theirs: &Value,
        found: &mut Vec<String>,
    ) {
        let refused = theirs.get("refused").is_some();
        let list = theirs.get("tolerations").cloned().unwrap_or(json!([]));
        let list: Vec<Toleration> = serde_json::from_value(list).expect("a list of tolerations");
        let theirs: Vec<_> = list.iter().map(Toleration::model).collect();
        let theirs = PodTolerations::new(&theirs);
        let whole = self.pod.spec.tolerations();
        let mut ways = vec![("its Namespace", self.admitted(whole.clone(), false))];
        for (what, list) in each_blanked(&whole) {
            ways.push((what, self.admitted(list, true)));
        }
        for (what, mine) in ways {
            if refused {
                continue;
            }
            if let Some(refusal) = &mine.refused {
                found.push(format!(
                    "the model is sure of {refusal:?} with {what} unread"
                ));
            }
            if mine.unread_tolerations.is_some() {
                continue;
            }
            for taint in probes() {
                let sure = tolerate(&mine.all_tolerations(), &taint, comparison_operators);
                let right = tolerate(&theirs.tolerations(), &taint, comparison_operators);
                if sure != Truth::Unknown && sure != right {
                    found.push(format!(
                        "the model is sure of {sure:?} about {taint} with {what} unread"
                    ));
                }
                let taints = [taint];
                let sure = nanoseconds(mine.on_pods.eviction(&taints, comparison_operators));
                let right = nanoseconds(theirs.eviction(&taints, comparison_operators));
                if sure.is_some() && sure != right {
                    found.push(format!(
                        "the model is sure of {sure:?} ns on {} with {what} unread",
                        taints[0]
                    ));
                }
            }
        }
    }
}

/// Keys that tolerations of pods to be admitted are about.
pub const ADMISSION_KEYS: [&str; 6] = [
    "a",
    "b",
    "example.com/device",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/memory-pressure",
];

fn probes() -> impl Iterator<Item = taint::Taint> {
    ADMISSION_KEYS.into_iter().flat_map(|key| {
        [
            ("", Effect::NoSchedule),
            ("v", Effect::NoExecute),
            ("", Effect::NoExecute),
        ]
        .map(|(value, effect)| taint::Taint::new(key, value, effect))
    })
}
