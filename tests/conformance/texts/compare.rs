//! What Kubernetes makes of a text against what this program makes of it: as YAML, as facts, and as findings.

use std::collections::{BTreeMap, BTreeSet};

use kubetaint::extract::extract;
use kubetaint::finding::Severity;
use kubetaint::lint::Suppressions;
use kubetaint::model::{Field, node_pool::Origin, node_selection, taint, toleration};
use kubetaint::source::{Source, SourceId};
use kubetaint::yaml::{self, Kind, Node, Scalar};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Case;
use super::generate::MARKS;
use crate::builtin::{RULES, TABLE, judged};
use crate::case::{Requirement, Taint, Term, Toleration};

/// What became of a text at an API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub strict: String,
    /// The text as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<String>,
}

/// Rules that say that an API server refuses an object.
const REFUSING: [&str; 19] = [
    "comparison-operator-unavailable",
    "duplicate-runtime-class-toleration",
    "duplicate-taint",
    "effect-spelling",
    "empty-key-without-exists",
    "invalid-key",
    "invalid-node-label",
    "invalid-node-selector",
    "invalid-scheduling-annotation",
    "invalid-taint",
    "invalid-value",
    "malformed-tolerations",
    "mistyped-field",
    "non-integer-comparison",
    "toleration-seconds-without-no-execute",
    "unknown-effect",
    "unknown-operator",
    "unparsable-manifest",
    "value-with-exists",
];

/// Words of which one is in the path of everything that scheduling reads.
const OURS: [&str; 14] = [
    "olerations",
    "nodeSelector",
    "ffinity",
    "nodeName",
    "hostNetwork",
    "priorityClassName",
    "runtimeClassName",
    "taints",
    "unschedulable",
    "metadata.labels",
    "NodeSpec",
    "required",
    "preferred",
    "scheduling",
];

impl Taken {
    pub fn kind(&self) -> String {
        let refused = self.refused.as_deref().unwrap_or("taken");
        let number = |text: &str| text.replace(|one: char| one.is_ascii_digit(), "");
        match refused {
            "taken" => {
                let kinds: BTreeSet<&str> = self
                    .objections
                    .iter()
                    .filter_map(|one| one.split('[').next())
                    .collect();
                format!("taken {kinds:?}")
            }
            _ => number(&format!(
                "{refused} {}",
                self.because.split('`').next().unwrap_or_default()
            )),
        }
    }
}

/// How the program differs from Kubernetes.
pub fn difference(case: &Case, theirs: &Taken) -> Option<String> {
    let text = &case.text;
    let told = |what: String| {
        Some(format!(
            "{text:?}\n{text}\n  Kubernetes: {} {} {:?} {}\n  {what}",
            theirs.refused.as_deref().unwrap_or("taken"),
            theirs.because,
            theirs.objections,
            theirs.strict
        ))
    };
    let marked = MARKS.iter().any(|mark| text.contains(mark));
    if is_left_out(text) {
        return None;
    }
    let stream = yaml::parse(text, SourceId(0));
    let first_error = stream.errors.first().map(|error| error.document.start);
    let first_document = stream
        .documents
        .first()
        .map(|document| document.range().start);
    let broken = match (first_error, first_document) {
        (Some(error), Some(document)) => error < document,
        (error, _) => error.is_some(),
    };
    let unread = theirs.refused.as_deref() == Some("reading");
    if broken != unread {
        // Of a text that begins with a brace clients read the JSON; what follows a value that ends is not read at all.
        let mut lines = text.lines().filter(|line| !line.starts_with("---"));
        let first = lines.find_map(|line| {
            line.split_whitespace()
                .find(|word| !word.starts_with(['!', '&']))
        });
        let flow = first.is_some_and(|word| word.starts_with('{'));
        let cut = theirs.json.as_ref().is_some_and(|json| !json.is_object());
        // The parser may begin another document with what Kubernetes cannot read.
        let later = unread && !stream.errors.is_empty();
        if marked && unread || broken && (flow || cut) || later {
            return None;
        }
        let why = stream.errors.first().map_or("", |error| &error.message);
        return told(format!("yaml: broken is {broken}: {why}"));
    }
    if broken {
        return None;
    }
    if let (Some(theirs), Some(document)) = (&theirs.json, stream.documents.first()) {
        let mine = as_json(document.root());
        if !same(&mine, theirs) {
            return told(format!("yaml: {mine}\n        {theirs}"));
        }
    }
    // Only the first document of a stream was asked about.
    let others = stream.errors.len()
        + stream
            .documents
            .iter()
            .filter(|document| !document.is_empty())
            .count();
    if marked || others != 1 || is_open(text, theirs) {
        return None;
    }
    let errors = errors(text);
    match theirs.refused.as_deref() {
        Some(_) => {
            // What is of no kind is nobody's to read.
            let is_object = !["is missing in", "no kind \"", "get version/kind"]
                .iter()
                .any(|words| theirs.because.contains(words));
            let ours = OURS.iter().any(|word| theirs.because.contains(word));
            if errors.is_empty() && ours && is_object {
                return told("finds nothing".to_owned());
            }
            None
        }
        None => {
            let ours = theirs.objections.iter().any(|one| {
                let field = one.split('|').next().unwrap_or_default();
                // No rule is about the names of other objects.
                !field.ends_with("ClassName") && OURS.iter().any(|word| field.contains(word))
            });
            // What is missing because its name is misspelt is reported as an unknown field.
            let misspelt = errors.is_empty() && !theirs.strict.is_empty();
            if ours == errors.is_empty() && !misspelt {
                return told(format!("finds {errors:?}"));
            }
            facts(text, theirs).and_then(told)
        }
    }
}

/// Spellings that are not compared, as CONTRIBUTING.md says: brackets, quotes, commas, colons, escapes, a handle or a third exclamation mark in a
/// tag, a question mark right before a key in brackets, and a colon right before the comma or the bracket that ends a value.
fn is_left_out(text: &str) -> bool {
    let mut words = text.split(|one: char| one.is_whitespace() || one == '{');
    words.any(|word| {
        let tag = word.find('!').and_then(|at| word.get(at..));
        tag.is_some_and(|tag| {
            let odd = ['\'', '"', '[', ']', '(', ')', '%'];
            let comma = tag.contains([',', ':']) && !tag.starts_with("!<");
            let handle = !tag.starts_with("!!") && tag.matches('!').count() > 1;
            tag.contains(odd) || comma || handle || tag.matches('!').count() > 2
        })
    }) || [":,", ":]", ":}"].iter().any(|end| text.contains(end))
        || has_asked_key(text)
}

/// Whether a question mark stands right before a key in brackets.
fn has_asked_key(text: &str) -> bool {
    text.match_indices('?').any(|(at, _)| {
        let mut before = text[..at].trim_end();
        while let Some((lead, comment)) = before.rsplit_once('#')
            && !comment.contains('\n')
        {
            before = lead.trim_end();
        }
        let next = text[at + 1..].chars().next();
        before.ends_with(['{', '[', ',']) && next.is_some_and(|next| !next.is_whitespace())
    })
}

/// Whether a value stands for another one: by a tag of some tool's own, or by a mark that YAML has a meaning for, too.
fn is_open(text: &str, theirs: &Taken) -> bool {
    let tags = text.match_indices('!').any(|(at, _)| {
        let after = text[at + 1..].chars().next();
        !text[..at].ends_with('!') && after.is_some_and(|next| !next.is_whitespace() && next != '!')
    });
    let json = theirs.json.as_ref().map(Value::to_string);
    tags || json.is_some_and(|json| json.contains("<<"))
}

fn errors(text: &str) -> BTreeSet<String> {
    let files = [
        (".kubetaint.yaml", "kubernetes: \"1.37\"\n"),
        ("case.yaml", text),
    ];
    let report = judged(&RULES, &files, Suppressions::Off);
    assert_eq!(report.problems, []);
    let errors = report
        .findings
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors
        .filter(|finding| REFUSING.contains(&finding.rule.as_str()))
        .map(|finding| format!("{} {}", finding.rule, finding.path))
        .collect()
}

/// What was read of the object otherwise than Kubernetes reads it. What is refused is read as far as it goes.
fn facts(text: &str, theirs: &Taken) -> Option<String> {
    let facts = extract(&Source::new("case.yaml", text), SourceId(0), &TABLE);
    let (mine, theirs) = match (&theirs.pod, &theirs.node) {
        (Some(pod), _) => {
            let Some(workload) = facts.workloads.first() else {
                let nothing = pod.as_object().is_some_and(Map::is_empty);
                return (!nothing).then(|| format!("no pod is read of {pod}"));
            };
            if theirs
                .objections
                .iter()
                .any(|one| one.contains("containers|Required"))
            {
                // A patch, as it seems.
                return None;
            }
            let shape = &workload.shape;
            let open = shape.unread_tolerations.is_some() || shape.selection.unknown;
            // Terms that are missing are refused, and then it does not matter.
            if open
                && theirs
                    .objections
                    .iter()
                    .any(|one| one.contains("required.nodeSelectorTerms|"))
            {
                return None;
            }
            if open {
                return Some(format!(
                    "open: {:?} {:?}",
                    shape.unread_tolerations, shape.selection
                ));
            }
            let mut mine = Map::new();
            let selector: BTreeMap<&String, Value> = shape
                .selection
                .node_selector
                .iter()
                .map(|(key, value)| (key, string(value)))
                .collect();
            put(&mut mine, "nodeSelector", json!(selector));
            put(
                &mut mine,
                "tolerations",
                shape.tolerations.iter().map(of_toleration).collect(),
            );
            if let Field::Is(terms) = &shape.selection.required {
                mine.insert("required".to_owned(), terms.iter().map(of_term).collect());
            }
            put(&mut mine, "prefers", json!(shape.prefers));
            put(&mut mine, "nodeName", string(&shape.node_name));
            put(
                &mut mine,
                "priorityClassName",
                string(&shape.priority_class),
            );
            put(&mut mine, "runtimeClassName", string(&shape.runtime_class));
            put(
                &mut mine,
                "hostNetwork",
                json!(shape.host_network.known().copied().unwrap_or_default()),
            );
            (Value::Object(mine), normal_pod(pod))
        }
        (_, Some(node)) => {
            let Some(read) = facts.pools.first() else {
                return Some("no node is read".to_owned());
            };
            let pool = &read.pool;
            let empty = node.get("taints").is_none();
            if !pool.complete && !empty {
                return Some(format!("open: {:?}", pool.incomplete_because));
            }
            let mut mine = Map::new();
            let declared = pool
                .taints
                .iter()
                .filter(|one| one.origin == Origin::Declared);
            put(
                &mut mine,
                "taints",
                declared.map(|one| of_taint(&one.taint)).collect(),
            );
            let labels: BTreeMap<&String, Value> = pool
                .labels
                .labels
                .iter()
                .map(|(key, value)| (key, string(value)))
                .collect();
            put(&mut mine, "labels", json!(labels));
            put(&mut mine, "unschedulable", json!(pool.unschedulable));
            (Value::Object(mine), normal_node(node))
        }
        _ => return None,
    };
    (mine != theirs).then(|| format!("facts: {mine}\n         {theirs}"))
}

/// Adds what is not empty.
fn put(map: &mut Map<String, Value>, name: &str, value: Value) {
    let empty = match &value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if !empty {
        map.insert(name.to_owned(), value);
    }
}

fn string(field: &Field<String>) -> Value {
    field.text().map_or(json!("(unknown)"), |text| json!(text))
}

fn of_toleration(read: &toleration::Toleration) -> Value {
    let mut map = Map::new();
    put(&mut map, "key", string(&read.key));
    put(&mut map, "operator", string(&read.operator));
    put(&mut map, "value", string(&read.value));
    put(&mut map, "effect", string(&read.effect));
    match read.toleration_seconds {
        Field::Is(seconds) => put(&mut map, "tolerationSeconds", json!(seconds)),
        Field::Unknown => put(&mut map, "tolerationSeconds", json!("(unknown)")),
        Field::Absent => {}
    }
    Value::Object(map)
}

fn of_taint(read: &taint::Taint) -> Value {
    let mut map = Map::new();
    put(&mut map, "key", string(&read.key));
    put(&mut map, "value", string(&read.value));
    put(&mut map, "effect", string(&read.effect));
    Value::Object(map)
}

fn of_term(read: &node_selection::Term) -> Value {
    let list = |list: &[node_selection::Requirement]| -> Value {
        let one = |read: &node_selection::Requirement| {
            let mut map = Map::new();
            put(&mut map, "key", string(&read.key));
            put(&mut map, "operator", string(&read.operator));
            put(&mut map, "values", read.values.iter().map(string).collect());
            Value::Object(map)
        };
        list.iter().map(one).collect()
    };
    let mut map = Map::new();
    put(&mut map, "matchExpressions", list(&read.expressions));
    put(&mut map, "matchFields", list(&read.fields));
    Value::Object(map)
}

/// The same of what Kubernetes decoded: what is empty is left out everywhere.
fn normal_pod(pod: &Value) -> Value {
    let mut map = Map::new();
    let get = |name: &str| pod.get(name).cloned().unwrap_or_default();
    for name in [
        "nodeSelector",
        "prefers",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
        "hostNetwork",
    ] {
        put(&mut map, name, get(name));
    }
    let read: Vec<Toleration> =
        serde_json::from_value(pod.get("tolerations").cloned().unwrap_or(json!([])))
            .expect("tolerations");
    put(
        &mut map,
        "tolerations",
        read.iter().map(|one| of_toleration(&one.model())).collect(),
    );
    if let Some(terms) = pod.get("required") {
        let terms: Option<Vec<Term>> = serde_json::from_value(terms.clone()).expect("terms");
        let model = |term: &Term| node_selection::Term {
            expressions: term
                .match_expressions
                .iter()
                .map(Requirement::model)
                .collect(),
            fields: term.match_fields.iter().map(Requirement::model).collect(),
        };
        let terms = terms.unwrap_or_default();
        map.insert(
            "required".to_owned(),
            terms.iter().map(|term| of_term(&model(term))).collect(),
        );
    }
    Value::Object(map)
}

fn normal_node(node: &Value) -> Value {
    let mut map = Map::new();
    let get = |name: &str| node.get(name).cloned().unwrap_or_default();
    for name in ["labels", "unschedulable"] {
        put(&mut map, name, get(name));
    }
    let read: Vec<Taint> =
        serde_json::from_value(node.get("taints").cloned().unwrap_or(json!([]))).expect("taints");
    put(
        &mut map,
        "taints",
        read.iter().map(|one| of_taint(&one.model())).collect(),
    );
    Value::Object(map)
}

/// A tree as `sigs.k8s.io/yaml` turns it into JSON.
fn as_json(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Mapping => {
            let fields = node.fields().into_iter();
            let fields = fields.map(|field| {
                (
                    field.name().unwrap_or("(a collection)").to_owned(),
                    as_json(field.value),
                )
            });
            Value::Object(fields.collect())
        }
        Kind::Sequence => node.items().map(as_json).collect(),
        Kind::Scalar => match node.scalar() {
            None | Some(Scalar::Null) => Value::Null,
            Some(Scalar::Bool(value)) => json!(value),
            Some(Scalar::Int(value)) => json!(value),
            Some(Scalar::BigInt) => json!("(a big integer)"),
            Some(Scalar::Float(value)) => json!(value),
            Some(Scalar::Str(text)) => json!(text),
        },
    }
}

fn same(mine: &Value, theirs: &Value) -> bool {
    match (mine, theirs) {
        (Value::Object(mine), Value::Object(theirs)) => {
            mine.len() == theirs.len()
                && mine
                    .iter()
                    .all(|(key, value)| theirs.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(mine), Value::Array(theirs)) => {
            mine.len() == theirs.len()
                && mine
                    .iter()
                    .zip(theirs)
                    .all(|(mine, theirs)| same(mine, theirs))
        }
        (Value::String(mine), Value::Number(theirs)) if mine == "(a big integer)" => {
            theirs.as_i64().is_none()
        }
        (Value::Number(mine), Value::Number(theirs)) if mine.is_f64() => {
            let (mine, theirs) = (
                mine.as_f64().unwrap_or_default(),
                theirs.as_f64().unwrap_or_default(),
            );
            (mine - theirs).abs() <= mine.abs() * 1e-14
        }
        _ => mine == theirs,
    }
}
