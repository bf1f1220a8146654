//! Repositories of Nodes and workloads from a seed, as files and as kubetaint reads them.

use std::collections::BTreeMap;

use kubetaint::config::{self, Config};
use kubetaint::lint::{Content, Input, Settings, Suppressions, Survey, survey_once};
use kubetaint::model::validation::{is_label_key, is_label_value};
use kubetaint::source::{Source, SourceId};
use serde_json::{Value, json};

use crate::builtin::{RULES, TABLE};
use crate::case::{Requirement, Taint, Term, Toleration};
use crate::edges::{EFFECTS, KEYS};
use crate::generate::Generator;
use crate::scheduling::{Affinity, Node, NodeMetadata, NodeSpec, PodSpec};

const KINDS: [&str; 6] = [
    "DaemonSet",
    "Deployment",
    "StatefulSet",
    "Job",
    "CronJob",
    "Pod",
];

/// Values that labels and taints may have, some of which `Gt` and `Lt` compare.
const VALUES: [&str; 10] = ["", "v", "V", "true", "1", "01", "7", "10", "gpu", "a.b"];

const SECONDS: [i64; 9] = [
    0,
    -1,
    1,
    30,
    30,
    300,
    i64::MAX,
    9_223_372_037,
    36_028_797_018_963_969,
];

pub const NODES: usize = 20;
pub const WORKLOADS: usize = 50;
const CHANGES: usize = 3;

/// Nodes and workloads of one repository.
pub struct Repository {
    pub nodes: Vec<Node>,
    /// Kind and pod.
    pub workloads: Vec<(&'static str, PodSpec)>,
    /// Nodes, by index, that get a taint, one at a time.
    pub changes: Vec<(usize, Taint)>,
    /// Whether `Gt` and `Lt` work.
    pub gate: bool,
}

impl Repository {
    pub fn new(seed: u64) -> Repository {
        let mut generator = Generator::new(seed);
        let gate = generator.random.chance(50);
        let nodes: Vec<Node> = (0..NODES).map(|at| node(&mut generator, at)).collect();
        let workloads = (0..WORKLOADS).map(|_| {
            let kind = *generator.random.pick(&KINDS);
            (kind, pod(&mut generator, &nodes, gate))
        });
        let workloads = workloads.collect();
        let changes = (0..CHANGES).map(|_| {
            let at = generator.random.below(NODES);
            let evicts = generator.random.chance(60).then_some("NoExecute");
            let mut taint = new_taint(&mut generator, evicts);
            // One in place of another may let pods in.
            if let Some(own) = nodes[at].spec.taints.first()
                && generator.random.chance(50)
            {
                taint.key.clone_from(&own.key);
                taint.effect.clone_from(&own.effect);
            }
            (at, taint)
        });
        let changes = changes.collect();
        Repository {
            nodes,
            workloads,
            changes,
            gate,
        }
    }

    pub fn survey(&self) -> Survey<'static> {
        let gate = "feature-gates: {TaintTolerationComparisonOperators: true}\n";
        let text = format!(
            "kubernetes: \"1.36\"\n{}clusters: {{live: {{paths: [\"**\"], complete: true}}}}\n",
            if self.gate { gate } else { "" }
        );
        let parsed = config::parse(
            Source::new(".kubetaint.yaml", text),
            SourceId::CONFIGURATION,
        );
        let mut config: Config = parsed.expect("the configuration is valid");
        let paths = ["nodes.json", "workloads.json"];
        config.make_clusters(&paths);
        let texts = [list(self.manifests_of_nodes()), list(self.manifests())];
        let inputs = paths.map(|path| Input {
            path: path.into(),
            scanned_from: 0,
        });
        let load = |at: usize| Content::Text(texts[at].clone());
        let settings = Settings {
            rules: &RULES,
            table: &TABLE,
            config: &config,
            whole: true,
            suppressions: Suppressions::Off,
            rendered: None,
            cache: None,
        };
        let again = texts.clone();
        let later = Box::new(move |at: usize| Content::Text(again[at].clone()));
        survey_once(&inputs, &load, later, settings)
    }

    fn manifests_of_nodes(&self) -> Vec<Value> {
        let nodes = self.nodes.iter().map(|node| {
            let mut object = json!(node);
            object["apiVersion"] = json!("v1");
            object["kind"] = json!("Node");
            object
        });
        nodes.collect()
    }

    fn manifests(&self) -> Vec<Value> {
        let workloads = self.workloads.iter().enumerate();
        workloads
            .map(|(at, (kind, spec))| manifest(kind, &format!("w{at}"), spec))
            .collect()
    }

    /// A node after a change: the taint stands in place of one with the same key and effect.
    pub fn changed(&self, (at, taint): &(usize, Taint)) -> Node {
        let mut node = self.nodes[*at].clone();
        let same = |own: &Taint| own.key == taint.key && own.effect == taint.effect;
        node.spec.taints.retain(|own| !same(own));
        node.spec.taints.push(taint.clone());
        node
    }

    /// All NoExecute taints of the nodes.
    pub fn evicting_taints(&self) -> BTreeMap<String, Taint> {
        let all = self.nodes.iter().flat_map(|node| &node.spec.taints);
        let evicting = all.filter(|taint| taint.effect.as_deref() == Some("NoExecute"));
        evicting
            .map(|taint| (taint.model().to_string(), taint.clone()))
            .collect()
    }
}

fn list(items: Vec<Value>) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn manifest(kind: &str, name: &str, spec: &PodSpec) -> Value {
    let mut pod = json!(spec);
    pod["containers"] = json!([{"name": "a", "image": "a"}]);
    let metadata = json!({"name": name, "namespace": "team"});
    let template = json!({"metadata": {"labels": {"app": name}}, "spec": pod});
    let selector = json!({"matchLabels": {"app": name}});
    let (version, spec) = match kind {
        "Pod" => ("v1", pod),
        "Job" => ("batch/v1", json!({"template": template})),
        "CronJob" => {
            let job = json!({"spec": {"template": template}});
            (
                "batch/v1",
                json!({"schedule": "0 0 * * *", "jobTemplate": job}),
            )
        }
        "StatefulSet" => {
            let spec = json!({"selector": selector, "template": template, "serviceName": name});
            ("apps/v1", spec)
        }
        _ => (
            "apps/v1",
            json!({"selector": selector, "template": template}),
        ),
    };
    json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec})
}

fn new_taint(generator: &mut Generator, effect: Option<&str>) -> Taint {
    let key = *generator.random.pick(&KEYS);
    let value = *generator.random.pick(&VALUES);
    let other = *generator.random.pick(&EFFECTS);
    Taint::of(key, value, effect.unwrap_or(other))
}

fn node(generator: &mut Generator, at: usize) -> Node {
    let mut labels = BTreeMap::new();
    for _ in 0..generator.random.below(4) {
        let key = *generator.random.pick(&KEYS);
        let value = *generator.random.pick(&VALUES);
        labels.insert(key.to_owned(), value.to_owned());
    }
    // Nodes that are alike would be one pool.
    labels.insert("example.net/own".to_owned(), format!("n{at}"));
    let mut taints: Vec<Taint> = Vec::new();
    for _ in 0..*generator.random.pick(&[0, 0, 0, 1, 1, 2, 3]) {
        let taint = new_taint(generator, None);
        let is_same = |own: &Taint| own.key == taint.key && own.effect == taint.effect;
        if !taints.iter().any(is_same) {
            taints.push(taint);
        }
    }
    Node {
        metadata: NodeMetadata {
            name: format!("n{at}"),
            labels,
        },
        spec: NodeSpec {
            unschedulable: false,
            taints,
        },
    }
}

/// A pod that the API server takes, for one of the nodes more often than not.
fn pod(generator: &mut Generator, nodes: &[Node], gate: bool) -> PodSpec {
    let aim = generator.random.pick(nodes).clone();
    let mut spec = PodSpec::default();
    for _ in 0..generator.random.below(5) {
        let taint = match generator.random.below(4) {
            0 => new_taint(generator, None),
            _ if aim.spec.taints.is_empty() => new_taint(generator, None),
            _ => generator.random.pick(&aim.spec.taints).clone(),
        };
        spec.tolerations.push(toleration(generator, &taint));
    }
    let refused = |one: &Toleration| !one.model().errors(gate).is_empty();
    spec.tolerations.retain(|one| !refused(one));
    if generator.random.chance(8) {
        let name = *generator.random.pick(&["n0", "n1", "n9", "n99"]);
        spec.node_name = Some(name.to_owned());
    }
    let labels = &aim.metadata.labels;
    if generator.random.chance(30) {
        let (key, value) = generator.near_pair(labels);
        if is_label_key(&key).is_ok() && is_label_value(&value).is_ok() {
            spec.node_selector.insert(key, value);
        }
    }
    if generator.random.chance(30) {
        let count = *generator.random.pick(&[1, 1, 2]);
        let terms = (0..count).map(|_| generator.term(labels, &aim.metadata.name));
        let terms: Vec<Term> = terms.map(accepted).collect();
        spec.affinity = Some(Affinity::new(terms));
    }
    spec
}

fn toleration(generator: &mut Generator, taint: &Taint) -> Toleration {
    let mut made = generator.toleration_for(taint);
    if generator.random.chance(70) {
        let exists = generator.random.chance(60);
        let keyless = exists && generator.random.chance(15);
        made = Toleration {
            key: taint.key.clone().filter(|_| !keyless),
            operator: Some(if exists { "Exists" } else { "Equal" }.to_owned()),
            value: taint.value.clone().filter(|_| !exists),
            effect: taint.effect.clone().filter(|_| generator.random.chance(70)),
            toleration_seconds: None,
        };
    }
    let evicts = made.effect.as_deref() == Some("NoExecute");
    made.toleration_seconds =
        (evicts && generator.random.chance(50)).then(|| *generator.random.pick(&SECONDS));
    made
}

/// A term without the requirements that the API server refuses.
fn accepted(mut term: Term) -> Term {
    let is_integer = |text: &String| text.parse::<i64>().is_ok();
    term.match_expressions.retain(|one: &Requirement| {
        let values = &one.values;
        let are_labels = values.iter().all(|value| is_label_value(value).is_ok());
        let key = one.key.as_deref().unwrap_or_default();
        is_label_key(key).is_ok()
            && are_labels
            && match one.operator.as_deref() {
                Some("In" | "NotIn") => !values.is_empty(),
                Some("Exists" | "DoesNotExist") => values.is_empty(),
                Some("Gt" | "Lt") => values.len() == 1 && values.iter().all(is_integer),
                _ => false,
            }
    });
    term.match_fields.retain(|one| {
        one.key.as_deref() == Some("metadata.name")
            && matches!(one.operator.as_deref(), Some("In" | "NotIn"))
            && one.values.len() == 1
            && one.values.iter().all(|value| !value.is_empty())
    });
    term
}

#[test]
fn each_node_and_workload_of_a_repository_is_seen() {
    let survey = Repository::new(1).survey();
    assert_eq!(survey.workloads().len(), WORKLOADS);
    let pools: Vec<usize> = survey.clusters.iter().map(|one| one.pools.len()).collect();
    assert_eq!(pools, [NODES]);
}
