//! Kustomizations as they are built here against kustomize itself: in every run by the vectors, which hold what kustomize
//! makes of kustomizations, and where the oracle was built also by a fresh sample and by real repositories.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod generate;
mod listed;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::questions::{self, oracle};
use crate::vectors::{self, assert_agreement, number, path_of, seed, text};
use generate::Generator;
use kubetaint::kustomize::{Data, Files, Library, NAMES, Value};
use kubetaint::source::SourceId;
use kubetaint::yaml::{self, Kind, Node, Scalar};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The file of vectors.
const FILE: &str = "kustomize.jsonl";

/// Fields that are compared, wherever they are.
const FIELDS: [&str; 11] = [
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "startupTaints",
    "taints",
    "tolerations",
    "topologySpreadConstraints",
];

/// Files, and what kustomize makes of the kustomization in one of their folders.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Vector {
    files: BTreeMap<String, String>,
    top: String,
    kustomize: Answer,
}

/// A refused kustomization has the reason, any other its objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Answer {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    refused: String,
    objects: Option<Vec<Built>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Built {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    fields: BTreeMap<String, Json>,
    /// Fields with unknown parts; here only.
    #[serde(skip)]
    unknown: Vec<String>,
    /// Why it is not known completely; here only.
    #[serde(skip)]
    doubt: bool,
    /// Its namespace is not known; here only.
    #[serde(skip)]
    anywhere: bool,
}

/// What a comparison counts.
#[derive(Default)]
struct Tally {
    built: usize,
    refused: usize,
    objects: usize,
    fields: usize,
    unknown: usize,
}

struct Memory<'m>(&'m BTreeMap<String, String>);

impl Files for Memory<'_> {
    fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        Some((SourceId(0), self.0.get(path)?.clone()))
    }
}

/// The files of a folder on the disk.
struct Disk {
    root: PathBuf,
}

impl Files for Disk {
    fn has(&self, path: &str) -> bool {
        self.root.join(path).is_file()
    }

    fn text(&self, path: &str) -> Option<(SourceId, String)> {
        let text = fs::read_to_string(self.root.join(path)).ok()?;
        Some((SourceId(0), text))
    }
}

/// The objects that are built here, and what prevented building more.
fn build(files: &dyn Files, top: &str) -> (Vec<Built>, Vec<String>, bool) {
    let library = Library::new(files);
    let Some(path) = library.form_at(top) else {
        return (Vec::new(), vec!["no kustomization".to_owned()], false);
    };
    let built = library.build(&path);
    let living = built.objects.iter().filter(|object| !object.gone);
    let objects = living.map(|object| {
        let word = |path: &[&str]| {
            let found = object.value.at_path(path).and_then(Value::word);
            found.unwrap_or_default().to_owned()
        };
        let mut told = Built {
            api_version: word(&["apiVersion"]),
            kind: word(&["kind"]),
            namespace: word(&["metadata", "namespace"]),
            name: word(&["metadata", "name"]),
            fields: BTreeMap::new(),
            unknown: Vec::new(),
            doubt: object.doubt.is_some(),
            anywhere: false,
        };
        collect(&object.value, "", &mut told);
        let namespace = object.value.at_path(&["metadata", "namespace"]);
        told.anywhere = namespace.is_some_and(has_unknown);
        told
    });
    let troubles = library.troubles().into_iter().map(|one| one.why);
    (objects.collect(), troubles.collect(), built.open)
}

fn collect(value: &Value, path: &str, told: &mut Built) {
    for entry in value.entries() {
        let at = format!("{path}.{}", entry.key);
        if !FIELDS.contains(&&*entry.key) {
            collect(&entry.value, &at, told);
        } else if has_unknown(&entry.value) {
            told.unknown.push(at);
        } else {
            told.fields.insert(at, json(&entry.value));
        }
    }
    for (index, item) in value.items().iter().enumerate() {
        collect(item, &format!("{path}[{index}]"), told);
    }
    if matches!(value.data, Data::Unknown(_)) {
        told.unknown.push(path.to_owned());
    }
}

fn has_unknown(value: &Value) -> bool {
    matches!(value.data, Data::Unknown(_))
        || value.items().iter().any(has_unknown)
        || value
            .entries()
            .iter()
            .any(|entry| has_unknown(&entry.value))
}

/// What a value is when it is written down and read again.
fn json(value: &Value) -> Json {
    let pieces = value.write();
    let stream = yaml::parse(pieces.text(), SourceId(0));
    assert!(stream.errors.is_empty(), "{}", pieces.text());
    json_of(stream.documents[0].root())
}

fn json_of(node: Node<'_>) -> Json {
    match node.kind() {
        Kind::Sequence => node.items().map(json_of).collect(),
        Kind::Mapping => {
            let fields = node.fields().into_iter();
            let named = fields.map(|field| {
                let name = field.name().expect("a name").to_owned();
                (name, json_of(field.value))
            });
            Json::Object(named.collect())
        }
        Kind::Scalar => match node.scalar() {
            Some(Scalar::Null) | None => Json::Null,
            Some(Scalar::Bool(value)) => value.into(),
            Some(Scalar::Int(value)) => value.into(),
            Some(Scalar::Float(value)) => value.into(),
            Some(Scalar::Str(text)) => text.into(),
            Some(Scalar::BigInt) => node.raw().into(),
        },
    }
}

/// Where the objects that are built here differ from kustomize's.
fn difference(files: &dyn Files, top: &str, kustomize: &Answer, tally: &mut Tally) -> Vec<String> {
    let (mut own, troubles, open) = build(files, top);
    let Some(theirs) = &kustomize.objects else {
        tally.refused += 1;
        // Kustomize misses what was taken out for it.
        let is_known = open
            || !troubles.is_empty()
            || ACCEPTED.iter().any(|why| kustomize.refused.contains(why));
        return match is_known {
            true => Vec::new(),
            false => vec![format!(
                "{top}: only kustomize refuses it: {}",
                kustomize.refused
            )],
        };
    };
    tally.built += 1;
    let mut theirs = theirs.clone();
    let mut found = Vec::new();
    let is_whole = own.iter().all(|object| !object.doubt && !object.anywhere);
    if is_whole && !troubles.is_empty() && !is_left_out(&troubles) {
        found.push(format!("{top}: only here there is trouble: {troubles:?}"));
    }
    let key = |one: &Built| {
        (
            one.api_version.clone(),
            one.kind.clone(),
            one.namespace.clone(),
            one.name.clone(),
        )
    };
    own.sort_by_key(key);
    theirs.sort_by_key(key);
    let keys = |all: &[Built]| all.iter().map(key).collect::<Vec<_>>();
    if keys(&own) != keys(&theirs) && is_whole {
        let (own, theirs) = (keys(&own), keys(&theirs));
        let only_own: Vec<_> = own.iter().filter(|one| !theirs.contains(one)).collect();
        let only_theirs: Vec<_> = theirs.iter().filter(|one| !own.contains(one)).collect();
        found.push(format!(
            "{top}: other objects: only here {only_own:?}, only by kustomize {only_theirs:?}"
        ));
    }
    for object in &own {
        let is_it = |other: &&Built| {
            let mut other = key(other);
            if object.anywhere {
                other.2.clone_from(&object.namespace);
            }
            other == key(object)
        };
        let Some(other) = theirs.iter().find(is_it) else {
            continue;
        };
        tally.objects += 1;
        if object.doubt {
            tally.unknown += other.fields.len();
            continue;
        }
        let is_unknown = |path: &String| {
            object
                .unknown
                .iter()
                .any(|one| path.starts_with(one.as_str()))
        };
        let is_null = |fields: &BTreeMap<String, Json>, path: &String| {
            fields.get(path).is_none_or(Json::is_null)
        };
        for path in object.fields.keys().chain(other.fields.keys()) {
            if is_unknown(path) {
                tally.unknown += 1;
                continue;
            }
            tally.fields += usize::from(object.fields.contains_key(path));
            let both = [&object.fields, &other.fields].map(|fields| fields.get(path).map(nodes));
            let is_same = both[0] == both[1]
                || (is_null(&object.fields, path) && is_null(&other.fields, path));
            if !is_same {
                found.push(format!(
                    "{top}: {} {} {path}: here {}, by kustomize {}",
                    object.kind,
                    object.name,
                    object
                        .fields
                        .get(path)
                        .map(Json::to_string)
                        .unwrap_or_default(),
                    other
                        .fields
                        .get(path)
                        .map(Json::to_string)
                        .unwrap_or_default(),
                ));
            }
        }
    }
    found
}

/// A field without what it says of other pods, which labels of a kustomization may change.
fn nodes(field: &Json) -> Json {
    let mut field = field.clone();
    if let Some(affinity) = field.as_object_mut() {
        affinity.remove("podAffinity");
        affinity.remove("podAntiAffinity");
    }
    for item in field.as_array_mut().into_iter().flatten() {
        if let Some(item) = item.as_object_mut() {
            item.remove("labelSelector");
        }
    }
    field
}

/// Reasons for which kustomize refuses what is built here: they concern nothing that scheduling reads.
const ACCEPTED: [&str; 3] = [
    "may not add resource with an already registered id",
    "produces ID conflict",
    "already registered id",
];

/// Whether all troubles are about what is left out on purpose.
fn is_left_out(troubles: &[String]) -> bool {
    troubles
        .iter()
        .all(|why| why.ends_with("is not in this repository"))
}

#[test]
fn kustomizations_are_built_as_by_kustomize() {
    let vectors: Vec<Vector> = vectors::read(FILE);
    assert!(vectors.len() >= 150, "{} kustomizations", vectors.len());
    let mut tally = Tally::default();
    let differences: Vec<_> = vectors
        .iter()
        .flat_map(|one| difference(&Memory(&one.files), &one.top, &one.kustomize, &mut tally))
        .collect();
    assert_agreement(FILE, vectors.len(), &differences);
    // What is not known agrees with anything.
    assert!(
        tally.fields > 20 * tally.unknown,
        "{} unknown",
        tally.unknown
    );
}

#[test]
#[ignore = "needs the oracle"]
fn the_vectors_say_what_kustomize_says() {
    let written: Vec<Vector> = vectors::read(FILE);
    let mut known = written.clone().into_iter();
    let cases = written.into_iter().map(|one| (one.files, one.top));
    ask(cases, |vector| {
        let known = known.next().expect("a vector for each answer");
        assert_eq!(known.kustomize, vector.kustomize, "{}", text(&vector.files));
    });
}

#[test]
#[ignore = "writes into the repository; needs the oracle"]
fn the_vectors_are_made_anew() {
    const SEED: u64 = 1;
    /// Longer cases say no more.
    const LONGEST: usize = 2500;
    let mut generator = Generator::new(SEED);
    let random = std::iter::from_fn(move || Some(generator.files()));
    let random = random
        .filter(|files| files.values().map(String::len).sum::<usize>() < LONGEST)
        .take(150);
    let random = random.map(|files| (files, "top".to_owned()));
    let mut lines = String::new();
    ask(listed::cases().into_iter().chain(random), |vector| {
        lines.push_str(&text(&vector));
        lines.push('\n');
    });
    fs::write(path_of(FILE), lines).expect("the vectors can be written");
}

#[test]
#[ignore = "needs the oracle"]
fn a_fresh_sample_is_built_as_by_kustomize() {
    let seed = seed();
    let cases = number("KUBETAINT_CASES").unwrap_or(2_000) as usize;
    println!("KUBETAINT_SEED={seed}");
    let mut generator = Generator::new(seed);
    let all = (0..cases).map(move |_| (generator.files(), "top".to_owned()));
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    ask(all, |one| {
        let found = difference(&Memory(&one.files), &one.top, &one.kustomize, &mut tally);
        let written = |found| format!("{found}\n--- {}", text(&one.files));
        differences.extend(found.into_iter().map(written));
    });
    // The shortest cases say most.
    differences.sort_by_key(String::len);
    println!("{}, {} differences", tally.said(), differences.len());
    assert!(tally.built > cases / 3, "{} of {cases}", tally.built);
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), cases, &differences);
}

/// `KUBETAINT_KUSTOMIZATIONS` names a folder of repositories.
#[test]
#[ignore = "needs the oracle and repositories"]
fn real_kustomizations_are_built_as_by_kustomize() {
    let folder = std::env::var_os("KUBETAINT_KUSTOMIZATIONS");
    let shared = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = folder.map_or_else(shared, PathBuf::from);
    let mut roots: Vec<_> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    roots.sort();
    let mut differences = Vec::new();
    for root in roots {
        let tops = tops(&root);
        if tops.is_empty() {
            continue;
        }
        let disk = Disk { root: root.clone() };
        let mut tally = Tally::default();
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let before = differences.len();
        let questions = tops.into_iter().map(|top| Question {
            root: Some(root.to_string_lossy().into_owned()),
            files: BTreeMap::new(),
            top,
        });
        questions::ask(
            &mut oracle("KUBETAINT_KUSTOMIZE_ORACLE"),
            questions,
            |asked, answer: Answer| {
                let found = difference(&disk, &asked.top, &answer, &mut tally);
                differences.extend(found.into_iter().map(|found| format!("{name}: {found}")));
            },
        );
        println!(
            "{name}: {}, {} differences",
            tally.said(),
            differences.len() - before
        );
    }
    if let Some(file) = std::env::var_os("KUBETAINT_DIFFERENCES") {
        fs::write(file, differences.join("\n")).expect("the differences can be written");
    }
    assert_agreement("real kustomizations", differences.len(), &differences);
}

/// The folders of a repository that are kustomizations.
fn tops(root: &Path) -> Vec<String> {
    let mut tops = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        if NAMES.iter().any(|name| folder.join(name).is_file()) {
            let below = folder.strip_prefix(root).expect("below the root");
            tops.push(below.to_string_lossy().into_owned());
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != ".git" {
                open.push(entry.path());
            }
        }
    }
    tops.sort();
    tops
}

impl Tally {
    fn said(&self) -> String {
        format!(
            "{} built, {} refused, {} objects, {} fields equal, {} unknown",
            self.built, self.refused, self.objects, self.fields, self.unknown
        )
    }
}

/// A kustomization as the oracle reads it.
#[derive(Serialize)]
struct Question {
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    files: BTreeMap<String, String>,
    top: String,
}

/// Asks the oracle and hands each case on with what kustomize makes of it, in order.
fn ask(
    cases: impl Iterator<Item = (BTreeMap<String, String>, String)> + Send,
    mut take: impl FnMut(Vector),
) {
    let questions = cases.map(|(files, top)| Question {
        root: None,
        files,
        top,
    });
    questions::ask(
        &mut oracle("KUBETAINT_KUSTOMIZE_ORACLE"),
        questions,
        |asked, kustomize| {
            take(Vector {
                files: asked.files,
                top: asked.top,
                kustomize,
            });
        },
    );
}
