//! Unknown values never cause false findings: if one value in a rule's bad example becomes a template and the rule's
//! condition reads that value, the finding must disappear.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::builtin::{RULES, judged};
use kubetaint::finding::Finding;
use kubetaint::rule::schema::Scope;
use kubetaint::rule::{Example, Rule};
use kubetaint::source::{SourceId, Span};
use kubetaint::verify;
use kubetaint::yaml::{self, Kind, Node};

/// An unknown value.
const UNKNOWN: &str = "\"{{ x }}\"";

/// Facts of an entry or a taint that are derived from several of its fields.
const DERIVED: &[(&str, &[&str])] = &[
    ("means", &["key"]),
    ("legacy", &["key"]),
    ("wellKnown", &["key"]),
    ("nearKeys", &["key"]),
    ("matches", &["key"]),
    ("otherValues", &["key"]),
    ("otherEffects", &["key"]),
    ("fits", &["key"]),
    ("duplicateOf", &["key", "operator", "value", "effect"]),
    ("subsumedBy", &["key", "effect"]),
    ("shadowedBy", &["key", "effect"]),
    ("duplicate", &["key", "effect"]),
    ("deviations", &["key"]),
    ("selectorMismatches", &["key", "value"]),
];

/// Values that a condition reads but does not depend on: rule, field and reason.
const NOT_NEEDED: &[(&str, &str, &str)] = &[
    (
        "immediate-eviction",
        "key",
        "outside a DaemonSet zero seconds are zero seconds whatever the taint",
    ),
    (
        "immediate-eviction",
        "operator",
        "outside a DaemonSet zero seconds are zero seconds whatever the taint",
    ),
    (
        "redundant-daemonset-toleration",
        "tolerationSeconds",
        "with Exists the controller replaces the entry whatever its seconds",
    ),
    ("invalid-taint", "effect", "the value alone is wrong"),
    ("invalid-device-taint", "key", "the value alone is wrong"),
    ("invalid-device-taint", "value", "the key alone is wrong"),
    (
        "invalid-device-toleration",
        "key",
        "the value alone is wrong",
    ),
];

#[test]
fn no_rule_fires_on_a_value_that_is_not_known() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for rule in RULES.iter() {
        let fields = fields_read(rule);
        for example in rule.examples.iter().filter(|example| example.bad) {
            for (at, span, field) in places(rule, example, &fields) {
                tried += 1;
                let mut files = example.files.clone();
                let text = &mut files[at].1;
                text.replace_range(span.start as usize..span.end as usize, UNKNOWN);
                let line = line_of(&example.files[at].1, span);
                if fires(rule, &files, at, line)
                    && !NOT_NEEDED
                        .iter()
                        .any(|(id, known, _)| *id == rule.id && *known == field)
                {
                    wrong.push(format!(
                        "{} {}: still found with `{field}: {UNKNOWN}` at line {line}",
                        rule.id,
                        example.name()
                    ));
                }
            }
        }
    }
    assert!(tried > 60, "{tried} values were tried");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The fields of a toleration or a taint that a rule's condition reads.
fn fields_read(rule: &Rule) -> Vec<&'static str> {
    let subject = match rule.scope {
        Scope::Toleration | Scope::DeviceToleration => "toleration",
        Scope::Taint | Scope::DeviceTaint => "taint",
        _ => return Vec::new(),
    };
    let reads = |name: &str| {
        let whole = format!("{subject}.{name}");
        rule.condition.match_indices(&whole).any(|(start, _)| {
            !rule.condition[start + whole.len()..].starts_with(char::is_alphanumeric)
        })
    };
    let mut fields: Vec<&'static str> = ["key", "operator", "value", "effect", "tolerationSeconds"]
        .into_iter()
        .filter(|name| reads(name))
        .collect();
    for (name, of) in DERIVED {
        if reads(name) {
            fields.extend(of.iter().copied());
        }
    }
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The places of these fields' values in the subjects of an example's findings: file, place and field.
fn places(
    rule: &Rule,
    example: &Example,
    fields: &[&'static str],
) -> Vec<(usize, Span, &'static str)> {
    let report = judged(&RULES, &example.files, verify::SUPPRESSIONS);
    let mut places = Vec::new();
    for finding in report.findings.iter().filter(|one| one.rule == rule.id) {
        let Some(source) = report.sources.get(&finding.span.source) else {
            continue;
        };
        let Some(at) = example
            .files
            .iter()
            .position(|(path, _)| *path == source.path)
        else {
            continue;
        };
        let stream = yaml::parse(&source.text, SourceId(0));
        let Some(entry) = stream
            .documents
            .iter()
            .find_map(|document| innermost(document.root(), finding))
        else {
            continue;
        };
        for name in fields {
            let value = entry.get(name).filter(|value| value.kind() == Kind::Scalar);
            if let Some(value) = value.filter(|value| value.span().start < value.span().end) {
                places.push((at, value.span(), *name));
            }
        }
    }
    places
}

/// The smallest mapping around a finding's start: the entry.
fn innermost<'a>(node: Node<'a>, finding: &Finding) -> Option<Node<'a>> {
    let span = node.span();
    if !(span.start <= finding.span.start && finding.span.start < span.end) {
        return None;
    }
    let below = node
        .fields()
        .into_iter()
        .map(|field| field.value)
        .chain(node.items())
        .find_map(|child| innermost(child, finding));
    below.or_else(|| (node.kind() == Kind::Mapping).then_some(node))
}

fn line_of(text: &str, span: Span) -> u32 {
    let before = &text[..span.start as usize];
    u32::try_from(before.matches('\n').count() + 1).expect("an example is short")
}

/// Whether the rule still has a finding in the entry that contains the line.
fn fires(rule: &Rule, files: &[(String, String)], at: usize, line: u32) -> bool {
    let report = judged(&RULES, files, verify::SUPPRESSIONS);
    report.findings.iter().any(|finding| {
        let Some(source) = report.sources.get(&finding.span.source) else {
            return false;
        };
        if finding.rule != rule.id || source.path != files[at].0 {
            return false;
        }
        let stream = yaml::parse(&source.text, SourceId(0));
        stream.documents.iter().any(|document| {
            innermost(document.root(), finding).is_some_and(|entry| {
                let lines = source.position(entry.span().start).line
                    ..=source.position(entry.span().end).line;
                lines.contains(&line)
            })
        })
    })
}
