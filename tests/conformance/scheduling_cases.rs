//! Cases about placement, eviction, admission and QoS classes: listed ones and ones from a seed.

use std::collections::BTreeMap;

use serde_json::json;

use crate::case::{Case, Taint, Toleration};
use crate::edges::EFFECTS;
use crate::generate::Generator;
use crate::scheduling::{
    ADMISSION_KEYS, Admitting, Affinity, Amounts, Container, Node, NodeMetadata, NodeSpec, Placing,
    Pod, PodSpec, Scheduling,
};

/// Seconds at which eviction turns: none, the limits of 64 bits, and what becomes negative, nothing or little when it is
/// multiplied into nanoseconds.
const SECONDS: [i64; 16] = [
    0,
    -1,
    1,
    2,
    300,
    301,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    9_223_372_036,
    9_223_372_037,
    18_446_744_073,
    18_446_744_074,
    36_028_797_018_963_967,
    36_028_797_018_963_968,
    36_028_797_018_963_969,
];

const PLUGINS: [&str; 5] = [
    "PodNodeSelector",
    "DefaultTolerationSeconds",
    "PodTolerationRestriction",
    "ExtendedResourceToleration",
    "RuntimeClass",
];

/// Amounts, many of which are the same in another spelling.
const AMOUNTS: [&str; 31] = [
    "0",
    "1",
    "2",
    "1000m",
    "2000m",
    "0.5",
    "500m",
    ".5",
    "5e-1",
    "1e3",
    "1E3",
    "1k",
    "1Ki",
    "1024",
    "1Mi",
    "1024Ki",
    "1M",
    "1Gi",
    "1073741824",
    "1.5Gi",
    "1536Mi",
    "1m",
    "0.001",
    "0.0",
    "0Gi",
    "0m",
    "+1",
    // Nothing near 64 bits, of which the model says no class, and nothing below a thousandth, which Kubernetes rounds up in
    // containers and not always in the pod as a whole.
    "1e15",
    "1P",
    "001",
    "1.",
];

const RESOURCES: [&str; 9] = [
    "cpu",
    "memory",
    "example.com/device",
    "example.com/other",
    "ephemeral-storage",
    "hugepages-2Mi",
    "kubernetes.io/x",
    "requests.example.com/device",
    "a.kubernetes.io/b",
];

const NODE_KEYS: [&str; 3] = [
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/network-unavailable",
];

impl Generator {
    /// A pod against some nodes.
    pub fn placing(&mut self) -> Case {
        let nodes: Vec<Node> = (0..=self.random.below(4)).map(|at| self.node(at)).collect();
        let aim = self.random.pick(&nodes).clone();
        let mut spec = PodSpec::default();
        for _ in 0..self.random.below(5) {
            let taint = match self.random.below(8) {
                0 => Some(cordon()),
                1 => None,
                _ if aim.spec.taints.is_empty() => None,
                _ => Some(self.random.pick(&aim.spec.taints).clone()),
            };
            let taint = taint.unwrap_or_else(|| self.plain_taint());
            spec.tolerations.push(self.fitting(&taint));
        }
        if self.random.chance(15) {
            let name = self.random.pick(&["n0", "n1", "N0", "n9", ""]);
            spec.node_name = Some((*name).to_owned());
        }
        let labels = &aim.metadata.labels;
        if self.random.chance(25) {
            let (key, value) = self.near_pair(labels);
            spec.node_selector.insert(key, value);
        }
        if self.random.chance(40) {
            let count = *self.random.pick(&[0, 1, 1, 1, 2, 2]);
            let terms = (0..count).map(|_| self.term(labels, &aim.metadata.name));
            spec.affinity = Some(Affinity::new(terms.collect()));
        }
        Case::Place(Placing {
            pod: Pod { spec },
            nodes,
        })
    }

    fn node(&mut self, at: usize) -> Node {
        let mut labels = BTreeMap::new();
        for _ in 0..self.random.below(4) {
            let (key, value) = (self.label_key(), self.label_value());
            labels.insert(key, value);
        }
        let mut taints: Vec<Taint> = (0..*self.random.pick(&[0, 0, 1, 1, 2, 3]))
            .map(|_| self.plain_taint())
            .collect();
        if self.random.chance(15) {
            taints.push(Taint {
                key: Some((*self.random.pick(&NODE_KEYS)).to_owned()),
                value: None,
                effect: Some((*self.random.pick(&EFFECTS)).to_owned()),
            });
        }
        let unschedulable = self.random.chance(20);
        if unschedulable && self.random.chance(50) {
            taints.push(cordon());
        }
        Node {
            metadata: NodeMetadata {
                name: format!("n{at}"),
                labels,
            },
            spec: NodeSpec {
                unschedulable,
                taints,
            },
        }
    }

    /// A toleration of the taint, which fits more often than not.
    fn fitting(&mut self, taint: &Taint) -> Toleration {
        if self.random.chance(50) {
            return self.toleration_for(taint);
        }
        let exists = self.random.chance(60);
        Toleration {
            key: taint
                .key
                .clone()
                .filter(|_| !exists || self.random.chance(80)),
            operator: Some(if exists { "Exists" } else { "Equal" }.to_owned()),
            value: taint.value.clone().filter(|_| !exists),
            effect: taint.effect.clone().filter(|_| self.random.chance(60)),
            toleration_seconds: None,
        }
    }

    fn seconds(&mut self) -> Option<i64> {
        match self.random.below(10) {
            0..=3 => None,
            4..=5 => Some(self.random.below(1000) as i64),
            _ => Some(*self.random.pick(&SECONDS)),
        }
    }

    /// Tolerations of a pod against taints of its node; the order of the list matters.
    pub fn evicting(&mut self) -> Case {
        let mut taints: Vec<Taint> = (0..self.random.below(4))
            .map(|_| self.plain_taint())
            .collect();
        for taint in &mut taints {
            if self.random.chance(75) {
                taint.effect = Some("NoExecute".to_owned());
            }
        }
        let mut tolerations = Vec::new();
        for _ in 0..self.random.below(6) {
            let aim = if taints.is_empty() || self.random.chance(10) {
                self.plain_taint()
            } else {
                self.random.pick(&taints).clone()
            };
            let mut toleration = self.fitting(&aim);
            toleration.toleration_seconds = self.seconds();
            tolerations.push(toleration);
        }
        Case::Evict {
            tolerations,
            taints,
        }
    }

    /// A list that already holds some of what the DaemonSet controller adds, or nearly.
    pub fn making_a_daemon_pod(&mut self) -> Case {
        const KEYS: [&str; 4] = [
            "not-ready",
            "unreachable",
            "network-unavailable",
            "unschedulable",
        ];
        let mut tolerations = Vec::new();
        for _ in 0..self.random.below(6) {
            let mut toleration = Toleration {
                key: Some(format!("node.kubernetes.io/{}", self.random.pick(&KEYS))),
                operator: Some("Exists".to_owned()),
                value: None,
                effect: Some((*self.random.pick(&["NoExecute", "NoSchedule"])).to_owned()),
                toleration_seconds: self.seconds(),
            };
            match self.random.below(12) {
                0 => toleration.operator = None,
                1 => toleration.operator = Some("Equal".to_owned()),
                2 => toleration.value = Some("v".to_owned()),
                3 => toleration.value = Some(String::new()),
                4 => toleration.effect = None,
                5 => toleration.key = None,
                6 => toleration = self.admitted_toleration(),
                _ => {}
            }
            tolerations.push(toleration);
        }
        Case::DaemonSet {
            host_network: self.random.chance(50),
            tolerations,
        }
    }

    /// From few parts, so that entries cover each other often.
    fn admitted_toleration(&mut self) -> Toleration {
        let mut pick = |list: &[&str]| {
            let text = *self.random.pick(list);
            (text != "-").then(|| text.to_owned())
        };
        let key = pick(&[&["-", "", "a", "a"], &ADMISSION_KEYS[..]].concat());
        let operator = pick(&[
            "-", "", "Equal", "Equal", "Exists", "Exists", "Exists", "Gt", "exists",
        ]);
        let value = pick(&["-", "-", "", "v", "v", "w", "5"]);
        let effect = pick(&[
            "-",
            "",
            "NoSchedule",
            "NoExecute",
            "NoExecute",
            "PreferNoSchedule",
        ]);
        let toleration_seconds = self
            .random
            .chance(35)
            .then(|| *self.random.pick(&[0, 5, 5, 6, 300, -1]));
        Toleration {
            key,
            operator,
            value,
            effect,
            toleration_seconds,
        }
    }

    fn some_tolerations(&mut self, most: usize) -> Vec<Toleration> {
        (0..self.random.below(most + 1))
            .map(|_| self.admitted_toleration())
            .collect()
    }

    /// A pod with what its admission goes by.
    pub fn admitting(&mut self) -> Case {
        let mut plugins = Vec::new();
        for plugin in PLUGINS {
            if self.random.chance(60) {
                plugins.push(plugin.to_owned());
            }
        }
        let mut namespace = BTreeMap::new();
        for name in ["defaultTolerations", "tolerationsWhitelist"] {
            let often = if name == "defaultTolerations" { 60 } else { 25 };
            if self.random.chance(often) {
                let list = self.some_tolerations(3);
                let text = match self.random.below(25) {
                    0 => String::new(),
                    1 => "null".to_owned(),
                    2 => "{}".to_owned(),
                    3 => "[{\"KEY\": \"a\", \"Operator\": \"Exists\", \"other\": {}}, null]"
                        .to_owned(),
                    4 => "[{\"key\": 1}]".to_owned(),
                    5 => "[{\"tolerationSeconds\": 5.0}]".to_owned(),
                    6 => "[{\"tolerationSeconds\": \"5\"}]".to_owned(),
                    7 => "[] x".to_owned(),
                    8 => "[{\"operator\": \"Exists\"}]".to_owned(),
                    _ => json!(list).to_string(),
                };
                namespace.insert(format!("scheduler.alpha.kubernetes.io/{name}"), text);
            }
        }
        const SELECTORS: [&str; 9] = [
            "", "a=b", "a=c", "a=b,x=y", " a = b ", "a", "a==b", "a=b,", "-a=b",
        ];
        if self.random.chance(30) {
            let text = (*self.random.pick(&SELECTORS)).to_owned();
            namespace.insert(
                "scheduler.alpha.kubernetes.io/node-selector".to_owned(),
                text,
            );
        }
        let labels = |this: &mut Generator| {
            let mut labels = BTreeMap::new();
            for _ in 0..*this.random.pick(&[0, 0, 1, 2]) {
                let key = (*this.random.pick(&["a", "x", "z"])).to_owned();
                labels.insert(key, (*this.random.pick(&["b", "y", ""])).to_owned());
            }
            labels
        };
        let runtime_class = self.random.chance(60).then(|| Scheduling {
            node_selector: labels(self),
            tolerations: self.some_tolerations(3),
        });
        let containers = (0..=self.random.below(2))
            .map(|at| self.container(at, 40))
            .collect();
        let init_containers = (0..self.random.below(2))
            .map(|at| self.container(at + 5, 40))
            .collect();
        let pod = Pod {
            spec: PodSpec {
                node_selector: labels(self),
                tolerations: self.some_tolerations(4),
                runtime_class_name: self.random.chance(70).then(|| "class".to_owned()),
                containers,
                init_containers,
                ..PodSpec::default()
            },
        };
        Case::Admit(Admitting {
            plugins,
            namespace,
            runtime_class,
            pod,
        })
    }

    fn container(&mut self, at: usize, resources: usize) -> Container {
        let resources = if self.random.chance(resources) {
            self.amounts()
        } else {
            Amounts::default()
        };
        Container {
            name: format!("c{at}"),
            restart_policy: None,
            resources,
        }
    }

    /// Requests and limits, often of the same amount.
    fn amounts(&mut self) -> Amounts {
        let mut amounts = Amounts::default();
        for name in ["cpu", "memory", "other"] {
            let name = if name == "other" {
                *self.random.pick(&RESOURCES)
            } else {
                name
            };
            if self.random.chance(30) {
                continue;
            }
            let amount = *self.random.pick(&AMOUNTS);
            if self.random.chance(70) {
                amounts.limits.insert(name.to_owned(), amount.to_owned());
            }
            if self.random.chance(60) {
                let amount = match self.random.below(10) {
                    0..=6 => amount,
                    _ => *self.random.pick(&AMOUNTS),
                };
                amounts.requests.insert(name.to_owned(), amount.to_owned());
            }
        }
        amounts
    }

    /// A pod whose requests and limits decide about its class.
    pub fn classing(&mut self) -> Case {
        let mut spec = PodSpec::default();
        for at in 0..=self.random.below(2) {
            let one = self.container(at, 90);
            spec.containers.push(one);
        }
        for at in 0..self.random.below(3) {
            let mut one = self.container(at + 5, 80);
            one.restart_policy = self.random.chance(40).then(|| "Always".to_owned());
            spec.init_containers.push(one);
        }
        // Every container the same: often enough that all of them are guaranteed.
        if self.random.chance(30) {
            let same = self.amounts();
            for one in spec.containers.iter_mut().chain(&mut spec.init_containers) {
                one.resources = same.clone();
            }
        }
        spec.resources = match self.random.below(10) {
            0 => Some(Amounts::default()),
            1..=3 => Some(self.amounts()),
            _ => None,
        };
        Case::Qos { pod: Pod { spec } }
    }
}

fn cordon() -> Taint {
    Taint {
        key: Some("node.kubernetes.io/unschedulable".to_owned()),
        value: None,
        effect: Some("NoSchedule".to_owned()),
    }
}

fn toleration(
    key: &str,
    operator: &str,
    value: &str,
    effect: &str,
    seconds: Option<i64>,
) -> Toleration {
    Toleration {
        toleration_seconds: seconds,
        ..Toleration::of(key, operator, value, effect)
    }
}

/// Cases that are made on purpose.
pub fn listed() -> Vec<Case> {
    let mut cases = listed_evictions();
    cases.extend(listed_placements());
    cases.extend(listed_admissions());
    for one in AMOUNTS {
        for other in ["1", "1000m", "1Gi", "1m"] {
            let of = |text: &str| {
                BTreeMap::from(["cpu", "memory"].map(|name| (name.to_owned(), text.to_owned())))
            };
            let container = Container {
                name: "c".to_owned(),
                restart_policy: None,
                resources: Amounts {
                    requests: of(one),
                    limits: of(other),
                },
            };
            cases.push(Case::Qos {
                pod: Pod {
                    spec: PodSpec {
                        containers: vec![container],
                        ..PodSpec::default()
                    },
                },
            });
        }
    }
    cases
}

fn listed_evictions() -> Vec<Case> {
    let taint = |key: &str, effect: &str| Taint {
        key: Some(key.to_owned()),
        value: Some("5".to_owned()),
        effect: Some(effect.to_owned()),
    };
    let mut cases = Vec::new();
    for seconds in SECONDS.map(Some).into_iter().chain([None]) {
        let mine = toleration("k", "Exists", "", "NoExecute", seconds);
        let lasting = toleration("", "Exists", "", "", None);
        let other = toleration("k", "Exists", "", "NoExecute", Some(7));
        let no_match = toleration("k", "Equal", "6", "NoExecute", Some(1));
        let greater = toleration("k", "Gt", "4", "NoExecute", seconds);
        for tolerations in [
            vec![mine.clone()],
            vec![mine.clone(), lasting.clone()],
            vec![lasting, mine.clone()],
            vec![mine.clone(), other.clone()],
            vec![other.clone(), mine.clone()],
            vec![no_match, mine.clone()],
            vec![greater, other],
        ] {
            for taints in [
                vec![taint("k", "NoExecute")],
                vec![taint("k", "NoSchedule")],
                vec![taint("k", "NoExecute"), taint("l", "NoExecute")],
            ] {
                cases.push(Case::Evict {
                    tolerations: tolerations.clone(),
                    taints,
                });
            }
        }
    }
    cases.push(Case::Evict {
        tolerations: Vec::new(),
        taints: Vec::new(),
    });
    cases
}

/// Every way of being refused with every other one, so that their order shows.
fn listed_placements() -> Vec<Case> {
    let mut cases = Vec::new();
    for bits in 0..32_u8 {
        let is = |bit: u8| bits & (1 << bit) != 0;
        let mut node = Node::default();
        node.metadata.name = "n0".to_owned();
        node.metadata.labels = BTreeMap::from([("pool".to_owned(), "a".to_owned())]);
        node.spec.unschedulable = is(0);
        if is(2) {
            node.spec.taints.push(Taint {
                key: Some("k".to_owned()),
                value: None,
                effect: Some("NoExecute".to_owned()),
            });
        }
        let mut spec = PodSpec {
            node_name: is(1).then(|| "n1".to_owned()),
            ..PodSpec::default()
        };
        if is(3) {
            spec.node_selector.insert("pool".to_owned(), "b".to_owned());
        }
        if is(4) {
            spec.tolerations.push(toleration(
                "node.kubernetes.io/unschedulable",
                "Exists",
                "",
                "NoSchedule",
                None,
            ));
        }
        cases.push(Case::Place(Placing {
            pod: Pod { spec },
            nodes: vec![node],
        }));
    }
    cases
}

fn listed_admissions() -> Vec<Case> {
    let parts = [
        toleration("a", "Exists", "", "NoExecute", None),
        toleration("a", "Exists", "", "NoExecute", Some(5)),
        toleration("a", "Exists", "", "NoExecute", Some(6)),
        toleration("a", "Exists", "", "", None),
        toleration("a", "Equal", "v", "NoExecute", None),
        toleration("a", "", "v", "NoExecute", None),
        toleration("a", "Gt", "5", "NoExecute", None),
        toleration("", "Exists", "", "", None),
        toleration("", "Exists", "", "NoExecute", Some(5)),
        toleration(
            "node.kubernetes.io/not-ready",
            "Equal",
            "x",
            "NoExecute",
            None,
        ),
        toleration(
            "node.kubernetes.io/not-ready",
            "Exists",
            "",
            "NoSchedule",
            None,
        ),
        toleration("example.com/device", "Exists", "", "NoSchedule", Some(5)),
    ];
    let mut cases = Vec::new();
    for mine in &parts {
        for theirs in &parts {
            for (plugin, annotation) in [
                ("RuntimeClass", None),
                ("PodTolerationRestriction", Some("tolerationsWhitelist")),
            ] {
                let namespace = annotation.map(|name| {
                    (
                        format!("scheduler.alpha.kubernetes.io/{name}"),
                        json!([theirs]).to_string(),
                    )
                });
                cases.push(Case::Admit(Admitting {
                    plugins: vec!["DefaultTolerationSeconds".to_owned(), plugin.to_owned()],
                    namespace: namespace.into_iter().collect(),
                    runtime_class: (plugin == "RuntimeClass").then(|| Scheduling {
                        node_selector: BTreeMap::new(),
                        tolerations: vec![theirs.clone()],
                    }),
                    pod: Pod {
                        spec: PodSpec {
                            runtime_class_name: (plugin == "RuntimeClass")
                                .then(|| "class".to_owned()),
                            tolerations: vec![mine.clone()],
                            ..PodSpec::default()
                        },
                    },
                }));
            }
        }
    }
    cases
}
