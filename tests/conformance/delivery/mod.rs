//! What is delivered where, against Argo CD and Flux themselves: in every run by the vectors, which hold what they make of
//! ApplicationSets, Applications, Kustomizations and variables, and where the oracles were built also by a fresh sample.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod generate;
mod listed;
mod order;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::questions::{self, oracle};
use crate::vectors::{self, assert_agreement, number, path_of, seed, text};
use generate::Generator;
use kubetaint::delivery::{
    Data, Graph, Pointer, Repository, Tree, Variables, graph, read, substitute,
};
use kubetaint::source::SourceId;
use kubetaint::yaml;
use serde::{Deserialize, Serialize};

/// A program whose meaning is compared.
#[derive(Clone, Copy)]
struct Tool {
    /// The file of vectors.
    file: &'static str,
    /// The variable that names its oracle.
    oracle: &'static str,
}

const ARGO: Tool = Tool {
    file: "delivery-argocd.jsonl",
    oracle: "KUBETAINT_ARGOCD_ORACLE",
};

const FLUX: Tool = Tool {
    file: "delivery-flux.jsonl",
    oracle: "KUBETAINT_FLUX_ORACLE",
};

/// An object in one of these files, or a text with variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Question {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    top: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<String, String>,
}

/// What a program makes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answer {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    refused: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    applications: Vec<Application>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// An Application of Argo CD.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Application {
    name: String,
    server: String,
    path: String,
    r#type: String,
    files: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    refused: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Vector {
    asked: Question,
    answer: Answer,
}

/// What a comparison counts.
#[derive(Default)]
struct Tally {
    known: usize,
    /// Those of them that deliver something.
    delivering: usize,
    files: usize,
    unknown: usize,
    refused: usize,
}

type Files = BTreeMap<String, String>;

/// The files of each cluster.
type Delivered = BTreeMap<String, BTreeSet<String>>;

/// A manifest says in which file it is.
fn manifest(path: &str) -> String {
    let name = path.replace(['/', '_'], "-").to_lowercase();
    let name = name.trim_start_matches(['.', '-']);
    let whole = format!("x-{}", name.replace(".-", "-"));
    let written = serde_json::json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": whole}, "data": {"file": path},
    });
    written.to_string()
}

fn is_manifest(files: &Files, path: &str) -> bool {
    files.get(path).is_some_and(|text| text == &manifest(path))
}

fn documents(text: &str) -> Option<Vec<Data>> {
    let documents = yaml::parse(text, SourceId(0)).documents;
    documents.iter().map(|one| Data::of(one.root())).collect()
}

/// The graph of a repository.
fn own_graph<'f>(files: impl Iterator<Item = (&'f String, &'f String)> + Clone) -> Graph {
    let mut pointers: Vec<(&str, Pointer)> = Vec::new();
    let mut forms: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (number, (path, text)) in (0..).zip(files.clone()) {
        for document in yaml::parse(text, SourceId(number)).documents {
            let root = document.root();
            let word = |key| root.get(key).and_then(|node| node.as_str());
            let version = word("apiVersion").unwrap_or_default();
            let group = version.split_once('/').map_or("", |(group, _)| group);
            let found = read(root, group, word("kind").unwrap_or_default());
            pointers.extend(found.map(|one| (path.as_str(), one)));
            if path.ends_with("kustomization.yaml") {
                let entries = root.get("resources");
                let entries = entries.into_iter().flat_map(|list| list.items());
                let entries = entries.filter_map(|one| Some(one.as_str()?.to_owned()));
                forms.insert(path, entries.collect());
            }
        }
    }
    pointers.sort_by_key(|(path, pointer)| (*path, pointer.whole.start));
    let texts: BTreeMap<&str, &str> = files
        .clone()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    graph(&Repository {
        fill: &|_, _, _| None,
        tree: Tree::new(texts.keys().copied().collect(), forms),
        pointers: pointers.iter().map(|(path, one)| (*path, one)).collect(),
        read: &|path| documents(texts.get(path)?),
        parse: &documents,
        is_test: &|_| false,
    })
}

/// The manifests of each cluster, and what is not known.
fn delivered(files: &Files) -> (Delivered, Vec<String>) {
    let graph = own_graph(files.iter());
    let mut found = Delivered::new();
    for (path, clusters) in &graph.of_file {
        if is_manifest(files, path) {
            for cluster in clusters {
                let name = graph.clusters[*cluster].name.clone();
                found.entry(name).or_default().insert(path.clone());
            }
        }
    }
    (
        found,
        graph.troubles.into_iter().map(|one| one.why).collect(),
    )
}

/// The manifests of each cluster according to Argo CD.
fn by_argo(files: &Files, answer: &Answer) -> Delivered {
    let mut found = Delivered::new();
    for one in answer
        .applications
        .iter()
        .filter(|one| one.refused.is_empty())
    {
        let server = one.server.trim_start_matches("https://");
        let cluster = match (one.name.as_str(), server) {
            ("", "kubernetes.default.svc") => "in-cluster",
            // The names of clusters are those of their servers.
            ("", server) => server,
            (name, _) => name,
        };
        let inside = |path: &str| format!("{}/{path}", one.path);
        let deployed: Vec<String> = match one.r#type.as_str() {
            "Directory" => one.files.clone(),
            "Kustomize" => {
                let form = &files[&inside("kustomization.yaml")];
                let form = documents(form).expect("a kustomization");
                let entries = form[0].get("resources").expect("resources");
                let entries = entries.items().iter().filter_map(Data::text);
                entries.map(inside).collect()
            }
            // Of a chart, Helm reads these.
            _ => {
                let below = ["charts/", "crds/", "templates/"].map(inside);
                let is_read = |path: &&String| below.iter().any(|below| path.starts_with(below));
                files.keys().filter(is_read).cloned().collect()
            }
        };
        let deployed = deployed.into_iter().filter(|path| is_manifest(files, path));
        found
            .entry(cluster.to_owned())
            .or_default()
            .extend(deployed);
    }
    found.retain(|_, files| !files.is_empty());
    found
}

/// Where what is delivered according to this program differs from what the other says.
fn difference(one: &Vector, tally: &mut Tally) -> Option<String> {
    let Vector { asked, answer } = one;
    if let Some(written) = &asked.text {
        return text_difference(written, &asked.variables, answer, tally);
    }
    let (own, troubles) = delivered(&asked.files);
    let theirs = match asked.files[&asked.top].contains("kustomize.toolkit.fluxcd.io") {
        false => by_argo(&asked.files, answer),
        true => {
            let files: BTreeSet<String> = answer.files.iter().cloned().collect();
            let of_prod = (!files.is_empty()).then(|| ("prod".to_owned(), files));
            of_prod.into_iter().collect()
        }
    };
    tally.refused += usize::from(!answer.refused.is_empty());
    if own == theirs {
        tally.known += 1;
        tally.delivering += usize::from(!own.is_empty());
        tally.files += own.values().map(BTreeSet::len).sum::<usize>();
        return None;
    }
    let is_part = own.iter().all(|(cluster, files)| {
        theirs
            .get(cluster)
            .is_some_and(|theirs| files.is_subset(theirs))
    });
    // One template that fails ends all. Here it only counts as one that is not filled in.
    let fails = answer.refused.contains("failed to execute go template");
    if (is_part || fails) && !troubles.is_empty() {
        tally.unknown += 1;
        return None;
    }
    Some(format!(
        "here {own:?}, really {theirs:?} {:?}; here is told: {troubles:?}",
        answer.refused
    ))
}

fn text_difference(
    written: &str,
    variables: &BTreeMap<String, String>,
    answer: &Answer,
    tally: &mut Tally,
) -> Option<String> {
    let known = variables.iter();
    let variables = Variables {
        known: known
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        open: false,
    };
    let own = substitute(written, &variables);
    tally.refused += usize::from(!answer.refused.is_empty());
    match (&own, &answer.text) {
        (None, _) => {
            tally.unknown += usize::from(answer.refused.is_empty());
            None
        }
        (Some(own), Some(theirs)) if own == theirs => {
            tally.known += 1;
            None
        }
        _ => Some(format!(
            "here {own:?}, by Flux {:?} {}",
            answer.text, answer.refused
        )),
    }
}

impl Tally {
    fn said(&self) -> String {
        format!(
            "{} alike, {} of them with {} files, {} unknown here, {} refused",
            self.known, self.delivering, self.files, self.unknown, self.refused
        )
    }
}

fn vectors_agree(tool: Tool) {
    let vectors: Vec<Vector> = vectors::read(tool.file);
    assert!(vectors.len() >= 100, "{} cases", vectors.len());
    let mut tally = Tally::default();
    let differences: Vec<_> = vectors
        .iter()
        .filter_map(|one| difference(one, &mut tally))
        .collect();
    assert_agreement(tool.file, vectors.len(), &differences);
    // What is not known agrees with anything.
    assert!(tally.known > 4 * tally.unknown, "{}", tally.said());
}

#[test]
fn deliveries_are_those_of_argo_cd() {
    vectors_agree(ARGO);
}

#[test]
fn deliveries_are_those_of_flux() {
    vectors_agree(FLUX);
}

/// Asks an oracle and hands each case on with its answer, in order.
fn ask(tool: Tool, asked: impl Iterator<Item = Question> + Send, mut take: impl FnMut(Vector)) {
    questions::ask(&mut oracle(tool.oracle), asked, |asked, answer| {
        take(Vector { asked, answer });
    });
}

fn vectors_are_true(tool: Tool) {
    let written: Vec<Vector> = vectors::read(tool.file);
    let mut known = written.clone().into_iter();
    let cases = written.into_iter().map(|one| one.asked);
    ask(tool, cases, |vector| {
        let known = known.next().expect("a vector for each answer");
        assert_eq!(known.answer, vector.answer, "{}", text(&vector.asked));
    });
}

#[test]
#[ignore = "needs the oracles"]
fn the_vectors_say_what_argo_cd_and_flux_say() {
    vectors_are_true(ARGO);
    vectors_are_true(FLUX);
}

#[test]
#[ignore = "writes into the repository; needs the oracles"]
fn the_vectors_are_made_anew() {
    const SEED: u64 = 1;
    /// Longer cases say no more.
    const LONGEST: usize = 3_500;
    for (tool, listed, many) in [(ARGO, listed::argo(), 60), (FLUX, listed::flux(), 90)] {
        let mut generator = Generator::new(SEED);
        let random = std::iter::from_fn(move || Some(generator.question(tool.file == FLUX.file)));
        let random = random.filter(|one| text(one).len() < LONGEST);
        let mut lines = String::new();
        ask(
            tool,
            listed.into_iter().chain(random.take(many)),
            |vector| {
                lines.push_str(&text(&vector));
                lines.push('\n');
            },
        );
        fs::write(path_of(tool.file), lines).expect("the vectors can be written");
    }
}

#[test]
#[ignore = "needs the oracles"]
fn a_fresh_sample_is_delivered_as_by_argo_cd_and_flux() {
    let seed = seed();
    println!("KUBETAINT_SEED={seed}");
    let cases = number("KUBETAINT_CASES").unwrap_or(600) as usize;
    for tool in [ARGO, FLUX] {
        let mut generator = Generator::new(seed);
        let all = (0..cases).map(move |_| generator.question(tool.file == FLUX.file));
        let mut tally = Tally::default();
        let mut differences = Vec::new();
        ask(tool, all, |one| {
            let found = difference(&one, &mut tally);
            let written = |found| format!("{found}\n--- {}", text(&one.asked));
            differences.extend(found.into_iter().map(written));
        });
        // The shortest cases say most.
        differences.sort_by_key(String::len);
        println!(
            "{}: {}, {} differences",
            tool.file,
            tally.said(),
            differences.len()
        );
        assert!(tally.known > cases / 2, "{} of {cases}", tally.known);
        assert_agreement(&format!("KUBETAINT_SEED={seed}"), cases, &differences);
    }
}
