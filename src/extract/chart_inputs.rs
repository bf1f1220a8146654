//! What the templates of a chart say about its values: which of them reach the tolerations, the node selector and the affinity
//! of which pods.

use std::collections::BTreeMap;

use super::read::is_placeholder;
use crate::charts::{Condition, Group, Input, Pod, PodsIf, Step, ValuePath};
use crate::model::workload::{Stands, Workload};
use crate::template::{Flow, Origin, Test, Variant};
use crate::yaml::{Kind, Node, Path};

/// The fields of a pod that are looked at.
const FIELDS: [&str; 3] = ["tolerations", "nodeSelector", "affinity"];

/// The built-in kinds that have pods of their own.
const OWNERS: [&str; 7] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "ReplicaSet",
    "StatefulSet",
];

/// The values that reach the pods of one object, as the variants of its template say.
#[derive(Debug, Clone, Default)]
pub struct PodInputs {
    /// The pods. If there are several, some value decides their kind or their name.
    pods: Vec<Pod>,
    /// Whether they exist only under some condition.
    conditional: bool,
    /// Whether values may reach the pods that are not known: what fills a field, or all of the pod, comes from elsewhere.
    open: bool,
    /// For each of the fields, the values that it is filled with.
    found: [Vec<Input>; 3],
    /// Whether a variant writes the field itself.
    written: [bool; 3],
    /// Offsets of unknown parts of the fields, and whether it is known where they come from.
    pub(super) expressions: Vec<(usize, bool)>,
}

impl PodInputs {
    /// Reads a workload in a document of a variant. `None` if no value reaches it.
    pub(super) fn read(
        workload: &Workload,
        root: Node<'_>,
        variant: &Variant,
    ) -> Option<PodInputs> {
        if workload.stands != Stands::Alone {
            return None;
        }
        let path: Path = workload.path.parse().ok()?;
        let found = path.find(root);
        let pod = found.first()?.node;
        let start = root.span().start as usize;
        let mut inputs = PodInputs {
            pods: vec![pod_of(workload)],
            conditional: !variant.tests_at(start, None).is_empty(),
            open: pod.get("containers").is_none(),
            ..PodInputs::default()
        };
        let places = inputs.found.iter_mut().zip(&mut inputs.written);
        for (name, (found, written)) in FIELDS.iter().zip(places) {
            let mut read = read_field(pod, name, variant);
            for (input, offset) in &mut read.inputs {
                let tests = variant.tests_at(*offset, Some(start));
                if !tests.iter().all(|test| is_about(test, input)) {
                    input.only_if = Condition::try_from("unknown".to_owned()).ok();
                }
            }
            found.extend(read.inputs.into_iter().map(|(input, _)| input));
            *written = read.is_written;
            inputs.open |= read.is_open;
            inputs.expressions.extend(unknown_parts(pod, name, variant));
        }
        // A custom resource has no containers, and what its operator reads is in its table.
        inputs.open &= inputs.pods.iter().all(|pod| pod.place.is_none());
        Some(inputs)
    }

    /// Adds what another variant says of the same pods.
    pub(super) fn add(&mut self, other: PodInputs) {
        for pod in other.pods {
            if !self.pods.contains(&pod) {
                self.pods.push(pod);
            }
        }
        self.conditional |= other.conditional;
        self.open |= other.open;
        for (own, other) in self.found.iter_mut().zip(other.found) {
            for input in other {
                match own.iter_mut().find(|known| known.path == input.path) {
                    Some(known) if known.only_if.is_some() => *known = input,
                    Some(_) => {}
                    None => own.push(input),
                }
            }
        }
        for (own, other) in self.written.iter_mut().zip(other.written) {
            *own |= other;
        }
    }

    /// The groups of values that reach the pods. Pods that any value may reach are in a group without values.
    pub fn groups(self) -> Vec<Group> {
        let PodInputs {
            pods,
            conditional,
            open,
            mut found,
            written,
            expressions: _,
        } = self;
        let is_certain = !conditional && pods.len() == 1;
        for (all, is_written) in found.iter_mut().zip(written) {
            let paths: Vec<ValuePath> = all.iter().map(|input| input.path.clone()).collect();
            for (at, input) in all.iter_mut().enumerate() {
                // Each of them is used if those before it are empty.
                let (before, after) = paths.split_at(at);
                input.stands_in_for.extend(before.iter().cloned());
                let after = after.iter().skip(1).cloned();
                input.falls_back_to.extend(after);
                if is_written && input.keeps.is_none() {
                    input.when_empty.get_or_insert(serde_json::Value::Null);
                }
            }
        }
        let length = found.iter().map(Vec::len).max().unwrap_or_default();
        let mut groups = Vec::new();
        if open {
            groups.push(Group {
                pods_if: pods_if(&pods),
                ..Group::default()
            });
        }
        let [mut tolerations, mut selectors, mut affinities] = found.map(Vec::into_iter);
        for _ in 0..length {
            let (pods, pods_if) = match is_certain {
                true => (pods.clone(), Vec::new()),
                false => (Vec::new(), pods_if(&pods)),
            };
            groups.push(Group {
                tolerations: tolerations.next(),
                node_selector: selectors.next(),
                affinity: affinities.next(),
                pods,
                pods_if,
                copied_into: Vec::new(),
            });
        }
        groups
    }
}

/// Joins groups of the same values. The pods of groups without values may be reached by each value.
pub fn join(groups: impl IntoIterator<Item = Group>) -> Vec<Group> {
    let mut joined: Vec<Group> = Vec::new();
    let mut known: BTreeMap<[Option<ValuePath>; 3], usize> = BTreeMap::new();
    let (open, groups): (Vec<_>, Vec<_>) = groups.into_iter().partition(Group::is_open);
    for group in groups {
        let inputs = [&group.tolerations, &group.node_selector, &group.affinity];
        let paths = inputs.map(|input| input.as_ref().map(|input| input.path.clone()));
        let at = *known.entry(paths).or_insert(joined.len());
        match joined.get_mut(at) {
            Some(known) => {
                known.pods.extend(group.pods);
                known.pods_if.extend(group.pods_if);
            }
            None => joined.push(group),
        }
    }
    for group in &mut joined {
        let perhaps = open.iter().flat_map(|open| &open.pods_if);
        group.pods_if.extend(perhaps.cloned());
    }
    joined
}

/// The pods that a document declares that cannot be read: any value may reach them. `None` if it declares none.
pub(super) fn unread(document: &str) -> Option<Group> {
    let kinds = document
        .lines()
        .filter_map(|line| line.strip_prefix("kind:"));
    let kinds = kinds.map(str::trim).filter(|kind| OWNERS.contains(kind));
    let pods: Vec<Pod> = kinds
        .filter_map(|kind| Pod::try_from(format!("{kind}/*")).ok())
        .collect();
    let group = Group {
        pods_if: pods_if(&pods),
        ..Group::default()
    };
    (!pods.is_empty()).then_some(group)
}

fn pods_if(pods: &[Pod]) -> Vec<PodsIf> {
    let condition = Condition::try_from("unknown".to_owned()).ok();
    let pods = pods.to_vec();
    condition
        .map(|condition| PodsIf { condition, pods })
        .into_iter()
        .collect()
}

/// The pods of a workload. Of its name, what comes after the name of the release counts.
pub(super) fn pod_of(workload: &Workload) -> Pod {
    let kind = workload.object.kind.clone();
    let name = workload.object.name.as_deref().unwrap_or_default();
    let own = name.rsplit("$unknown").next().unwrap_or_default();
    let name = match own.trim_start_matches('-') {
        "" => "(release)",
        own if is_placeholder(own) => "*",
        own => own,
    };
    let is_built_in = [
        "spec",
        "spec.template.spec",
        "spec.jobTemplate.spec.template.spec",
    ]
    .contains(&workload.path.as_str());
    let place = (!is_built_in).then(|| workload.path.clone());
    Pod {
        written: match &place {
            Some(place) => format!("{kind}@{place}/{name}"),
            None => format!("{kind}/{name}"),
        },
        kind,
        place,
        name: name.to_owned(),
        namespace: workload
            .object
            .namespace
            .clone()
            .filter(|name| !is_placeholder(name) && !name.contains('$')),
    }
}

/// A field of a pod.
#[derive(Default)]
struct ReadField {
    /// The values that it is filled with, each with the offset of where it is printed.
    inputs: Vec<(Input, usize)>,
    /// Whether it is written in the template itself.
    is_written: bool,
    /// Whether something unknown is printed there.
    is_open: bool,
}

fn read_field(pod: Node<'_>, name: &str, variant: &Variant) -> ReadField {
    let at = |node: Node<'_>| node.span().start as usize;
    let Some(value) = pod.get(name) else {
        // Values may be copied into the pod as a whole.
        let fields = pod.fields();
        let whole = fields.iter().filter_map(|field| {
            let offset = at(field.key);
            let flow = variant.flow_at(offset).filter(|flow| flow.is_yaml)?;
            match &flow.origin {
                Origin::Value(steps) => {
                    let mut steps = steps.clone();
                    steps.push(Step::Key(name.to_owned()));
                    Some((input(&ValuePath::from_steps(steps), false), offset))
                }
                _ => None,
            }
        });
        return ReadField {
            inputs: whole.collect(),
            ..ReadField::default()
        };
    };
    let offset = at(value);
    if let Some(flow) = variant.flow_at(offset) {
        let inputs = inputs(flow);
        return ReadField {
            is_open: inputs.is_empty() && flow.origin != Origin::Template,
            inputs: inputs.into_iter().map(|one| (one, offset)).collect(),
            is_written: false,
        };
    }
    let parts: Vec<Node<'_>> = match value.kind() {
        Kind::Scalar => Vec::new(),
        Kind::Sequence => value.items().collect(),
        Kind::Mapping => value.fields().iter().map(|field| field.key).collect(),
    };
    let mut read = ReadField::default();
    match value.raw().is_some_and(is_placeholder) {
        true => read.is_open = true,
        false => read.is_written = value.kind() == Kind::Scalar && !value.is_null(),
    }
    for part in parts {
        match variant.flow_at(at(part)) {
            Some(flow) => {
                let found = inputs(flow);
                read.is_open |= found.is_empty() && flow.origin != Origin::Template;
                let found = found.into_iter().map(|one| (one, at(part)));
                read.inputs.extend(found);
            }
            None if part.raw().is_some_and(is_placeholder) => read.is_open = true,
            None => read.is_written = true,
        }
    }
    if read.is_written {
        for (input, _) in &mut read.inputs {
            // What exactly the template adds is not needed.
            input.keeps = Some(serde_json::Value::Null);
        }
    }
    read
}

/// The offsets of the unknown parts of a field, and whether it is known where each comes from.
fn unknown_parts(pod: Node<'_>, name: &str, variant: &Variant) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut pending: Vec<Node<'_>> = pod.get(name).into_iter().collect();
    while let Some(node) = pending.pop() {
        let offset = node.span().start as usize;
        if variant.is_unknown_at(offset) {
            found.push((offset, variant.flow_at(offset).is_some()));
        }
        pending.extend(node.items());
        for field in node.written_fields() {
            pending.extend([field.key, field.value]);
        }
    }
    found
}

/// The values of one action.
fn inputs(flow: &Flow) -> Vec<Input> {
    let text = !flow.is_yaml;
    let path = |origin: &Origin| match origin {
        Origin::Value(steps) if !steps.is_empty() => Some(ValuePath::from_steps(steps.clone())),
        _ => None,
    };
    let all = |origins: &[Origin]| -> Option<Vec<ValuePath>> { origins.iter().map(path).collect() };
    match &flow.origin {
        origin @ Origin::Value(_) => path(origin)
            .map(|path| input(&path, text))
            .into_iter()
            .collect(),
        Origin::First(origins) => {
            let own: Vec<&Origin> = origins
                .iter()
                .filter(|one| **one != Origin::Template)
                .collect();
            let has_default = own.len() < origins.len();
            let own: Option<Vec<ValuePath>> = own.into_iter().map(path).collect();
            let Some(paths) = own else { return Vec::new() };
            let each = paths.iter().enumerate().map(|(at, path)| {
                let mut one = input(path, text);
                one.stands_in_for = paths.iter().take(at).cloned().collect();
                one.falls_back_to = paths.iter().skip(at + 1).cloned().collect();
                one.when_empty = has_default.then_some(serde_json::Value::Null);
                one
            });
            each.collect()
        }
        Origin::All(origins) => {
            let Some(paths) = all(origins) else {
                return Vec::new();
            };
            let each = paths.iter().map(|path| {
                let mut one = input(path, text);
                let others = paths.iter().filter(|other| *other != path);
                one.joins = others.cloned().collect();
                one
            });
            each.collect()
        }
        Origin::Unknown | Origin::Template => Vec::new(),
    }
}

fn input(path: &ValuePath, text: bool) -> Input {
    Input {
        text,
        ..Input::at(path.clone())
    }
}

/// Whether a condition only asks for a value that is printed under it, or for something around it.
fn is_about(test: &Test, input: &Input) -> bool {
    let Some(tested) = &test.value else {
        return false;
    };
    let is_in = |path: &ValuePath| path.steps().starts_with(tested);
    let others = input.falls_back_to.iter().chain(&input.joins);
    match test.holds {
        true => is_in(&input.path) || others.clone().any(is_in),
        // The other arm of a condition on a value that is used instead.
        false => tested.last() == input.path.steps().last(),
    }
}
