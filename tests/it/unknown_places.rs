//! Unknown values never cause false findings, for whole files: in the bad examples of every rule, each value, sequence and
//! mapping in turn becomes a template. A finding that remains must be right for any value of the template. A finding that
//! is gone must be counted as not judged.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::builtin::{RULES, TABLE, judged};
use kubetaint::finding::{Report, Severity};
use kubetaint::rule::schema::{Need, Scope};
use kubetaint::rule::{Example, Rule, RuleSet};
use kubetaint::source::{Source, SourceId};
use kubetaint::verify;
use kubetaint::yaml::{self, Kind, Node};
use rayon::prelude::*;

/// Findings that are right although several values are possible, by rule and the suffix of the path of keys, with the
/// reason.
const SURE: &[(&str, &str, &str)] = &[
    (
        "daemonset-misses-pool",
        ".spec",
        "it speaks of the pools that it names; what keeps it off others takes nothing away",
    ),
    (
        "taint-flag-repeated",
        ".kind",
        "a command line stands where it stands, whatever the object",
    ),
    (
        "unmatchable-node-affinity",
        ".key",
        "a key that is none is told by another rule, and nothing matches all the same",
    ),
    (
        "unmatchable-node-affinity",
        ".operator",
        "an operator that takes values can do nothing with this one; any other is told by another rule",
    ),
    (
        "unschedulable-workload",
        "",
        "a label that no pool has is told by selector-matches-no-pool instead",
    ),
];

/// The most places with the same path of keys that are tried in one example.
const ALIKE: usize = 3;

type Files = Vec<(String, String)>;

/// A place that can become a template.
struct Place {
    file: usize,
    /// The value alone, or from the colon to its end.
    range: Range<usize>,
    /// The text before the inserted template.
    lead: &'static str,
    /// The nearest parent key.
    key: String,
    /// All parent keys.
    chain: String,
    /// The whole field with its line breaks, if it is on lines of its own, and its column.
    lines: Option<(Range<usize>, usize)>,
    kind: Kind,
}

/// The findings of the rule: file and path, with the severity.
type Found = BTreeMap<(String, String), Severity>;

#[test]
fn no_rule_fires_because_of_what_is_not_known() {
    let sources: Vec<Source> = kubetaint::builtin::RULES
        .iter()
        .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
        .collect();
    let wrong: Vec<String> = kubetaint::builtin::RULES
        .par_iter()
        .flat_map_iter(|(name, _)| {
            // Rules refer to each other, but each runs alone here.
            let mut rules = RuleSet::load(&sources).expect("the rules load");
            let id = name.trim_end_matches(".yaml");
            rules.retain(|rule| rule.id == id);
            let rule = rules.get(id).expect("a file holds a rule");
            let mut wrong = Vec::new();
            // Rules about single entries and taints are covered by `unknown_values.rs`.
            if !matches!(rule.scope, Scope::Workload | Scope::Pool | Scope::Notice) {
                return wrong;
            }
            for example in rule.examples.iter().filter(|example| example.bad) {
                try_example(&rules, rule, example, &mut wrong);
            }
            wrong
        })
        .collect();
    let distinct: BTreeSet<String> = wrong.into_iter().collect();
    let all: Vec<&str> = distinct.iter().map(String::as_str).collect();
    assert!(all.is_empty(), "\n{}\n{}", all.join("\n"), all.len());
}

fn try_example(rules: &RuleSet, rule: &Rule, example: &Example, wrong: &mut Vec<String>) {
    let before = run(rules, rule, &example.files)
        .map(|(found, _)| found)
        .unwrap_or_default();
    let known = values(rule);
    for place in places(&example.files) {
        let mut fills: Option<Vec<(String, Found)>> = None;
        if place.key == "apiVersion"
            || [".metadata", ".metadata.name"].contains(&place.chain.as_str())
        {
            // These identify an object, and no rules are about that.
            continue;
        }
        let is_application = [
            ".metadata.labels",
            ".metadata.labels.app.kubernetes.io/name",
        ]
        .contains(&place.chain.as_str());
        if is_application && rule.has_tag("witnesses") {
            // So do these, where objects of one application are compared.
            continue;
        }
        for (form, files) in templated(&example.files, &place) {
            let Some((found, report)) = run(rules, rule, &files) else {
                continue;
            };
            let at = format!(
                "{} {} {}:{} {} {form}",
                rule.id,
                example.name(),
                example.files[place.file].0,
                line_of(&example.files[place.file].1, place.range.start),
                place.key,
            );
            let gone: Vec<_> = before
                .keys()
                .filter(|one| !found.contains_key(*one))
                .collect();
            // Notices are about literal values, which a template is not.
            let counts = rule.scope != Scope::Notice;
            if counts
                && !gone.is_empty()
                && report.counts.not_judged.is_empty()
                && !is_counted(&files)
            {
                let _ = write!(
                    wrong_entry(wrong),
                    "{at}: not found any more, and not counted"
                );
            }
            if rule.has_tag("witnesses") && (form != "quoted" || place.kind == Kind::Mapping) {
                // An unreadable workload gives no testimony, and the message counts the readable ones.
                continue;
            }
            let proves =
                |severity: Severity| !rule.needs(Need::CompletePools) || severity != Severity::Note;
            if !found.values().any(|severity| proves(*severity)) {
                continue;
            }
            let filled = fills.get_or_insert_with(|| {
                candidates(&place, &known)
                    .into_iter()
                    .filter_map(|text| {
                        let files = filled(&example.files, &place, &text)?;
                        Some((text, run(rules, rule, &files)?.0))
                    })
                    .collect()
            });
            for (text, there) in filled {
                let lost = found.iter().find(|(one, severity)| {
                    proves(**severity)
                        && there.get(*one).is_none_or(|real| {
                            **severity == Severity::Error && *real != Severity::Error
                        })
                });
                let sure = |(id, end, _): &(&str, &str, &str)| {
                    rule.id == *id && place.chain.ends_with(end)
                };
                if SURE.iter().any(sure) {
                    break;
                }
                if let Some(((file, path), severity)) = lost {
                    let what = if there.is_empty() {
                        "not found"
                    } else {
                        "less"
                    };
                    let _ = write!(
                        wrong_entry(wrong),
                        "{at}: still found at {file} {path} ({severity:?}), but {what} with {text}"
                    );
                    break;
                }
            }
        }
    }
}

/// Whether any rule counts something as not judged.
fn is_counted(files: &Files) -> bool {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    !report.counts.not_judged.is_empty()
}

fn wrong_entry(wrong: &mut Vec<String>) -> &mut String {
    wrong.push(String::new());
    wrong.last_mut().expect("just pushed")
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Findings of the rule, or `None` if the files cannot be read for a reason other than the template.
fn run(rules: &RuleSet, rule: &Rule, files: &Files) -> Option<(Found, Report)> {
    let report = verify::report(rules, &TABLE, files, verify::SUPPRESSIONS).ok()?;
    let mut found = Found::new();
    for finding in report.findings.iter().filter(|one| one.rule == rule.id) {
        let source = report.sources.get(&finding.span.source)?;
        let before = &source.text[..finding.span.start as usize];
        let document = before.matches("\n---").count();
        let at = (source.path.clone(), format!("{document}:{}", finding.path));
        let severity = found.entry(at).or_insert(finding.severity);
        *severity = (*severity).max(finding.severity);
    }
    Some((found, report))
}

/// Every value, sequence and mapping of the files.
fn places(files: &Files) -> Vec<Place> {
    let mut places = Vec::new();
    for (file, (path, text)) in files.iter().enumerate() {
        if path == ".kubetaint.yaml" || path.ends_with(".tf") {
            continue;
        }
        let stream = yaml::parse(text, SourceId(0));
        for document in &stream.documents {
            below(document.root(), file, text, "", &mut places);
        }
    }
    // A few of the places that are alike in many documents are enough.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    places.retain(|place| {
        let times = seen.entry(place.chain.clone()).or_default();
        *times += 1;
        *times <= ALIKE
    });
    places
}

fn below(node: Node<'_>, file: usize, text: &str, chain: &str, places: &mut Vec<Place>) {
    for field in node.written_fields() {
        let name = field.name().unwrap_or_default();
        let value = field.value;
        let (from, to) = (field.key.span().range(), value.span().range());
        if value.is_alias() || to.is_empty() || name == "containers" {
            continue;
        }
        let line = text[..from.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[to.end..]
            .find('\n')
            .map_or(text.len(), |at| to.end + at + 1);
        let own =
            text[line..from.start].trim().is_empty() && text[to.end..end].trim_end().is_empty();
        places.push(Place {
            file,
            range: from.end..to.end,
            lead: ": ",
            key: name.to_owned(),
            chain: format!("{chain}.{name}"),
            lines: own.then_some((line..end, from.start - line)),
            kind: value.kind(),
        });
        below(value, file, text, &format!("{chain}.{name}"), places);
    }
    for item in node.items() {
        places.push(Place {
            file,
            range: item.span().range(),
            lead: "",
            key: chain.rsplit('.').next().unwrap_or_default().to_owned(),
            chain: format!("{chain}[]"),
            lines: None,
            kind: item.kind(),
        });
        below(item, file, text, chain, places);
    }
}

/// The files with the place as a template, in each form that fits there.
fn templated(files: &Files, place: &Place) -> Vec<(&'static str, Files)> {
    let mut all = Vec::new();
    let mut put = |form, range: Range<usize>, text: &str| {
        let mut files = files.clone();
        files[place.file].1.replace_range(range, text);
        all.push((form, files));
    };
    let one = |text: &str| format!("{}{text}", place.lead);
    put("quoted", place.range.clone(), &one("\"{{ .Values.x }}\""));
    if place.kind == Kind::Scalar {
        put("shell", place.range.clone(), &one("${X}"));
    }
    if let Some((lines, column)) = &place.lines {
        let indent = " ".repeat(*column);
        let key = &place.key;
        let inner = column + 2;
        let with = format!(
            "{indent}{{{{- with .Values.x }}}}\n{indent}{key}:\n{indent}  {{{{- toYaml . | nindent {inner} }}}}\n{indent}{{{{- end }}}}\n"
        );
        put("with", lines.clone(), &with);
    }
    all
}

/// The files with the place filled in.
fn filled(files: &Files, place: &Place, text: &str) -> Option<Files> {
    let mut files = files.clone();
    files[place.file]
        .1
        .replace_range(place.range.clone(), &format!("{}{text}", place.lead));
    let stream = yaml::parse(&files[place.file].1, SourceId(0));
    stream.errors.is_empty().then_some(files)
}

/// The values of each key in all examples of the rule, as JSON.
fn values(rule: &Rule) -> BTreeMap<String, BTreeSet<String>> {
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for example in &rule.examples {
        for (_, text) in &example.files {
            let stream = yaml::parse(text, SourceId(0));
            let mut open: Vec<(String, Node<'_>)> = stream
                .documents
                .iter()
                .map(|document| (String::new(), document.root()))
                .collect();
            while let Some((key, node)) = open.pop() {
                for field in node.fields() {
                    let name = field.name().unwrap_or_default().to_owned();
                    known
                        .entry(name.clone())
                        .or_default()
                        .insert(json(field.value));
                    open.push((name, field.value));
                }
                for item in node.items() {
                    known
                        .entry(format!("{key}[]"))
                        .or_default()
                        .insert(json(item));
                    open.push((key.clone(), item));
                }
            }
        }
    }
    known
}

fn json(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Mapping => {
            let fields: Vec<String> = node
                .fields()
                .iter()
                .map(|one| format!("{:?}: {}", one.name().unwrap_or_default(), json(one.value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Kind::Sequence => {
            let items: Vec<String> = node.items().map(json).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Scalar => match node.as_str() {
            Some(text) => format!("{text:?}"),
            None => node.raw().unwrap_or("null").to_owned(),
        },
    }
}

/// Possible values of the template.
fn candidates(place: &Place, known: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut all: Vec<&str> = match place.kind {
        Kind::Scalar => vec!["\"other\"", "\"\""],
        Kind::Sequence => vec!["[]", "[{operator: Exists}]"],
        Kind::Mapping => vec!["{}", "{other: thing}"],
    };
    let key = if place.lead.is_empty() {
        format!("{}[]", place.key)
    } else {
        place.key.clone()
    };
    all.extend(known.get(&key).into_iter().flatten().map(String::as_str));
    all.into_iter().map(str::to_owned).collect()
}

/// Two node groups, and workloads that each have a mismatch.
const TERRAFORM: [(&str, &str); 3] = [
    (
        ".kubetaint.yaml",
        "clusters:\n  prod:\n    paths: [\"**\"]\n    complete: true\n",
    ),
    (
        "pools.tf",
        r#"resource "aws_eks_node_group" "batch" {
  cluster_name    = "shop"
  node_group_name = "batch"
  labels = { "node.example.com/pool" = "batch" }
  taint {
    key    = "example.com/dedicated"
    value  = "batch"
    effect = "NO_SCHEDULE"
  }
}
resource "aws_eks_node_group" "general" {
  cluster_name    = "shop"
  node_group_name = "general"
  labels = { "node.example.com/pool" = "general" }
}
"#,
    ),
    (
        "app.yaml",
        r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: blocked}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      nodeSelector: {node.example.com/pool: batch}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: lost}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      nodeSelector: {node.example.com/pool: bacth}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: otherwise}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      tolerations:
        - {key: example.com/dedicated, operator: Equal, value: web, effect: NoSchedule}
        - {key: example.com/nobody, operator: Exists}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: misspelt}
spec:
  template:
    spec:
      containers: [{name: a, image: b}]
      tolerations: [{key: example.com/dedicatd, operator: Exists}]
"#,
    ),
];

/// Rules that share the workloads that fit no pool. Which one applies depends on what is known about the pools.
const NOWHERE: [&str; 3] = [
    "selected-pool-not-tolerated",
    "selector-matches-no-pool",
    "unschedulable-workload",
];

/// A slip of the pen is no conclusion from what is absent, so pools that are not known do not excuse it. But it replaces one.
const SLIP: &str = "selector-near-miss";

/// Possible values of a variable.
const SETTINGS: [&str; 7] = [
    "\"other\"",
    "\"batch\"",
    "\"web\"",
    "\"example.com/nobody\"",
    "\"NO_EXECUTE\"",
    "{ \"node.example.com/pool\" = \"bacth\" }",
    "{}",
];

#[test]
fn no_rule_fires_because_of_a_variable_of_terraform_that_has_no_value() {
    let judged = |terraform: &str| -> BTreeMap<(String, String, usize), Severity> {
        let mut files: Files = TERRAFORM
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        files[1].1 = format!("{terraform}\nvariable \"open\" {{}}\n");
        let report = judged(&RULES, &files, verify::SUPPRESSIONS);
        report
            .findings
            .iter()
            .filter(|one| one.severity != Severity::Note)
            .filter_map(|one| {
                let source = report.sources.get(&one.span.source)?;
                let start = one.span.start as usize;
                let at = if NOWHERE.contains(&one.rule.as_str()) {
                    let document = source.text[..start].matches("\n---").count();
                    ("fits no pool".to_owned(), source.path.clone(), document)
                } else {
                    let line = line_of(&source.text, start);
                    (one.rule.clone(), source.path.clone(), line)
                };
                Some((at, one.severity))
            })
            .collect()
    };
    let whole = TERRAFORM[1].1;
    let first = judged(whole);
    for rule in [
        "fits no pool",
        "toleration-value-mismatch",
        "toleration-key-near-miss",
    ] {
        assert!(
            first.keys().any(|(id, _, _)| id == rule),
            "{rule}: {first:?}"
        );
    }
    let mut start = 0;
    let mut wrong = Vec::new();
    let mut silent = 0;
    for line in whole.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let Some((before, value)) = line.split_once(" = ") else {
            continue;
        };
        let range = at + before.len() + 3..at + before.len() + 3 + value.trim_end().len();
        let with = |text: &str| {
            let mut terraform = whole.to_owned();
            terraform.replace_range(range.clone(), text);
            judged(&terraform)
        };
        let open = with("var.open");
        silent += usize::from(open.len() < first.len());
        for setting in SETTINGS.into_iter().chain([value.trim_end()]) {
            let set = with(setting);
            wrong.extend(
                open.keys()
                    .filter(|found| !set.contains_key(*found) && found.0 != SLIP)
                    .filter(|found| {
                        found.0 != "fits no pool" || !set.keys().any(|(id, _, _)| id == SLIP)
                    })
                    .map(|found| format!("{}: {found:?}, but not with {setting}", line.trim())),
            );
        }
    }
    assert!(silent >= 4, "{silent} variables made something silent");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
