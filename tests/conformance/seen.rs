//! What `matrix`, `why` and `whatif` say of repositories of Nodes and workloads, against the scheduler's own filters and
//! the taint-eviction controller's own choices, asked about the pods as the DaemonSet controller and admission leave them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use kubetaint::finding::{Affected, Effect, Stay, Verdict};
use kubetaint::lint::Survey;
use kubetaint::model::{Field, taint};
use kubetaint::placement::{Applied, Change, MatrixFilter, matrix, whatif, why};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::case::{self, Taint};
use crate::questions::{ask, oracle};
use crate::repositories::{NODES, Repository, WORKLOADS};
use crate::vectors::{assert_agreement, number, seed};

/// An effect, with how long pods stay if they are evicted.
type Happening = (Effect, Option<Stay>);

/// Asks the oracle, with or without the feature gate.
fn answers(questions: Vec<(Value, bool)>) -> Vec<Value> {
    let mut answers = Vec::new();
    let gates: Vec<bool> = questions.iter().map(|(_, gate)| *gate).collect();
    let questions = questions.into_iter().map(|(question, _)| question);
    ask(
        &mut oracle("KUBETAINT_ORACLE"),
        questions,
        |_, verdict: case::Verdict| {
            let gate = gates[answers.len()];
            answers.push(match gate {
                true => verdict.with_gate().clone(),
                false => verdict.off.clone(),
            });
        },
    );
    answers
}

/// The pods of each repository as they are when they are scheduled.
fn admitted(repositories: &[Repository]) -> Vec<Vec<Value>> {
    let pods = repositories.iter().flat_map(|one| {
        let workloads = one.workloads.iter();
        workloads.map(|(kind, spec)| (*kind, json!(spec), one.gate))
    });
    let mut pods: Vec<(&str, Value, bool)> = pods.collect();
    let of_daemons = pods.iter().filter(|(kind, ..)| *kind == "DaemonSet");
    let questions = of_daemons.map(|(_, spec, gate)| {
        let list = spec.get("tolerations").cloned().unwrap_or(json!([]));
        let question = json!({"kind": "daemon-set", "hostNetwork": false, "tolerations": list});
        (question, *gate)
    });
    let mut given = answers(questions.collect()).into_iter();
    for (_, spec, _) in pods.iter_mut().filter(|(kind, ..)| *kind == "DaemonSet") {
        spec["tolerations"] = given.next().expect("an answer");
    }
    let questions = pods.iter().map(|(_, spec, gate)| {
        let plugins = ["DefaultTolerationSeconds"];
        let question = json!({"kind": "admit", "plugins": plugins, "pod": {"spec": spec}});
        (question, *gate)
    });
    let given = answers(questions.collect());
    for ((_, spec, _), given) in pods.iter_mut().zip(given) {
        spec["tolerations"] = given["tolerations"].clone();
    }
    let specs: Vec<Value> = pods.into_iter().map(|(_, spec, _)| spec).collect();
    specs.chunks(WORKLOADS).map(<[Value]>::to_vec).collect()
}

/// What Kubernetes says of one workload.
struct Theirs {
    /// For each node the words of the first filter that refuses it.
    words: Vec<String>,
    /// For each node how many soft taints are not tolerated.
    avoided: Vec<i64>,
    /// The nanoseconds until eviction for each NoExecute taint.
    stays: BTreeMap<String, i64>,
    /// For each change: the words, and the nanoseconds before and after.
    changes: Vec<(String, i64, i64)>,
}

/// All questions about a workload, in the order in which they are read again.
fn questions(repository: &Repository, spec: &Value) -> Vec<(Value, bool)> {
    let mut all = Vec::new();
    let pod = json!({"spec": spec});
    let evict = |taints: &[Taint]| json!({"kind": "evict", "tolerations": spec["tolerations"], "taints": taints});
    let nodes = &repository.nodes;
    all.push(json!({"kind": "place", "pod": pod, "nodes": nodes}));
    all.push(json!({"kind": "avoid", "pod": pod, "nodes": nodes}));
    for taint in repository.evicting_taints().values() {
        all.push(evict(std::slice::from_ref(taint)));
    }
    for change in &repository.changes {
        let node = repository.changed(change);
        all.push(json!({"kind": "place", "pod": pod, "nodes": [node]}));
        all.push(evict(&nodes[change.0].spec.taints));
        all.push(evict(&node.spec.taints));
    }
    let gate = repository.gate;
    all.into_iter().map(|question| (question, gate)).collect()
}

impl Theirs {
    fn read(repository: &Repository, answers: &mut impl Iterator<Item = Value>) -> Theirs {
        let mut next = || answers.next().expect("an answer");
        let words = serde_json::from_value(next()).expect("words");
        let avoided = serde_json::from_value(next()).expect("numbers");
        let time = |answer: Value| answer.as_i64().expect("nanoseconds");
        let taints = repository.evicting_taints().into_keys();
        let stays = taints.map(|text| (text, time(next()))).collect();
        let changes = repository.changes.iter().map(|_| {
            let words: Vec<String> = serde_json::from_value(next()).expect("words");
            (words.concat(), time(next()), time(next()))
        });
        Theirs {
            words,
            avoided,
            stays,
            changes: changes.collect(),
        }
    }

    /// The verdict on a node in the words of a report.
    fn verdict(&self, at: usize) -> Verdict {
        match self.words[at].as_str() {
            "" if self.avoided[at] > 0 => Verdict::PrefersNot,
            "" => Verdict::Lands,
            "node(s) had untolerated taint(s)" => Verdict::KeptOut,
            _ => Verdict::NotSelected,
        }
    }

    /// What a change does, with how long pods stay if they are evicted, and where they land before and after.
    fn effect(&self, change: usize, node: usize) -> (Option<Happening>, [BTreeSet<String>; 2]) {
        let (words, before, after) = &self.changes[change];
        let lands = |at: &usize| self.words[*at].is_empty();
        let name = |at: usize| format!("n{at}");
        let old: BTreeSet<String> = (0..NODES).filter(lands).map(name).collect();
        let mut new = old.clone();
        match words.is_empty() {
            true => new.insert(name(node)),
            false => new.remove(&name(node)),
        };
        let rank = |time: i64| if time < 0 { i64::MAX } else { time };
        let is_selected = Verdict::NotSelected != self.verdict(node);
        let effect = if old.contains(&name(node)) && is_selected && rank(*after) < rank(*before) {
            Some((Effect::Evicted, Some(stay(*after))))
        } else if new.len() < old.len() {
            let effect = if new.is_empty() {
                Effect::Pending
            } else {
                Effect::Loses
            };
            Some((effect, None))
        } else {
            (new.len() > old.len()).then_some((Effect::Gains, None))
        };
        (effect, [old, new])
    }
}

/// How long a pod stays, from nanoseconds. What is no whole number of seconds has overflowed.
fn stay(nanoseconds: i64) -> Stay {
    const SECOND: i64 = 1_000_000_000;
    match nanoseconds {
        ..0 => Stay::Forever,
        0 => Stay::Evicted,
        time if time % SECOND == 0 => Stay::For(time / SECOND),
        _ => Stay::Unknown,
    }
}

/// What the program says otherwise than Kubernetes, and how many pairs it was asked about by verdict.
fn differences(
    repository: &Repository,
    theirs: &[Theirs],
) -> (Vec<String>, BTreeMap<&'static str, usize>) {
    let survey = repository.survey();
    let mut found = Vec::new();
    let mut verdicts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let number = |name: Option<&String>| -> Option<usize> { name?.get(1..)?.parse().ok() };
    let mut seen = BTreeSet::new();
    for cluster in matrix(&survey, MatrixFilter::default()) {
        for row in &cluster.rows {
            for workload in &row.workloads {
                let at = number(workload.object.name.as_ref()).expect("a number");
                for (pool, cell) in cluster.pools.iter().zip(&row.cells) {
                    let node = number(Some(&pool.name)).expect("a number");
                    let right = theirs[at].verdict(node);
                    seen.insert((at, node));
                    *verdicts.entry(right.as_str()).or_default() += 1;
                    if cell.verdict != right {
                        found.push(format!(
                            "matrix: w{at} n{node}: {:?} instead of {right:?}",
                            cell.verdict
                        ));
                    }
                }
            }
        }
    }
    if seen.len() != NODES * WORKLOADS {
        found.push(format!("matrix shows {} pairs", seen.len()));
    }
    for index in 0..survey.workloads().len() {
        let told = why(&survey, index).expect("a workload");
        let at = number(told.workload.object.name.as_ref()).expect("a number");
        for cluster in &told.clusters {
            for (pool, judged) in &cluster.pools {
                let node = number(Some(&pool.name)).expect("a number");
                let words = theirs[at].words[node].as_str();
                let said = match judged.verdict.is_open() {
                    true => "",
                    false => judged.reason.as_deref().unwrap_or_default(),
                };
                if said != words {
                    found.push(format!("why: w{at} n{node}: {said:?} instead of {words:?}"));
                }
            }
            let stays: BTreeMap<&String, Stay> = cluster
                .evictions
                .iter()
                .map(|(text, stay)| (text, *stay))
                .collect();
            for (text, time) in &theirs[at].stays {
                if stays.get(text) != Some(&stay(*time)) {
                    found.push(format!(
                        "why: w{at} {text}: {:?} instead of {:?}",
                        stays.get(text),
                        stay(*time)
                    ));
                }
            }
        }
    }
    for (which, change) in repository.changes.iter().enumerate() {
        found.extend(of_change(repository, &survey, (which, change), theirs));
    }
    (found, verdicts)
}

fn of_change(
    repository: &Repository,
    survey: &Survey<'_>,
    (which, (node, taint)): (usize, &(usize, Taint)),
    theirs: &[Theirs],
) -> Vec<String> {
    let taint: taint::Taint = taint::Taint {
        value: Field::Is(taint.value.clone().unwrap_or_default()),
        ..taint.model()
    };
    let pool = format!("n{node}");
    let text = taint.to_string();
    let change = Change::Taint { pool, taint };
    let applied = Applied::new(survey, &[change]).expect("the pool is there");
    let told = whatif(survey, &applied);
    let told: BTreeMap<String, &Affected> = told
        .affected
        .iter()
        .map(|one| (one.object.object.name.clone().unwrap_or_default(), one))
        .collect();
    let mut found = Vec::new();
    for (at, theirs) in theirs.iter().enumerate().take(repository.workloads.len()) {
        let (right, [old, new]) = theirs.effect(which, *node);
        let one = told.get(&format!("w{at}"));
        let said = one.map(|one| (one.effect, one.stay));
        let names = |list: &[String]| list.iter().cloned().collect::<BTreeSet<_>>();
        let is_same = one.is_none_or(|one| names(&one.before) == old && names(&one.after) == new);
        if said != right || !is_same {
            found.push(format!(
                "whatif n{node}={text}: w{at}: {said:?} instead of {right:?} ({is_same})"
            ));
        }
    }
    found
}

#[test]
#[ignore = "needs the oracle"]
fn fresh_repositories_are_seen_as_by_the_scheduler_and_the_eviction_controller() {
    let seed = seed();
    let pairs = number("KUBETAINT_PAIRS").unwrap_or(110_000) as usize;
    println!("KUBETAINT_SEED={seed}");
    let started = Instant::now();
    let count = pairs.div_ceil(NODES * WORKLOADS) as u64;
    let repositories: Vec<Repository> = (0..count)
        .map(|at| Repository::new(seed.wrapping_add(at)))
        .collect();
    let pods = admitted(&repositories);
    let asked = repositories.iter().zip(&pods);
    let all = asked.flat_map(|(one, pods)| pods.iter().flat_map(|spec| questions(one, spec)));
    let mut answers = answers(all.collect()).into_iter();
    let theirs: Vec<Vec<Theirs>> = repositories
        .iter()
        .map(|one| {
            (0..WORKLOADS)
                .map(|_| Theirs::read(one, &mut answers))
                .collect()
        })
        .collect();
    let compared: Vec<_> = repositories
        .par_iter()
        .zip(&theirs)
        .map(|(one, theirs)| differences(one, theirs))
        .collect();
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, (differences, counted)) in compared.into_iter().enumerate() {
        let seed = seed.wrapping_add(at as u64);
        found.extend(
            differences
                .into_iter()
                .map(|one| format!("seed {seed}: {one}")),
        );
        for (verdict, count) in counted {
            *verdicts.entry(verdict).or_default() += count;
        }
    }
    let mut effects: BTreeMap<String, usize> = BTreeMap::new();
    for (one, theirs) in repositories.iter().zip(&theirs) {
        for (which, (node, _)) in one.changes.iter().enumerate() {
            for theirs in theirs {
                let effect = theirs.effect(which, *node).0.map(|(effect, _)| effect);
                *effects.entry(format!("{effect:?}")).or_default() += 1;
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("verdicts {verdicts:?}, effects {effects:?}, {seconds:.1} s");
    // A sample in which everything is refused would agree with anything.
    assert!(
        verdicts.len() == 4 && effects.len() >= 4,
        "{verdicts:?} {effects:?}"
    );
    let asked = verdicts.values().sum();
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), asked, &found);
}
