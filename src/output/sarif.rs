//! SARIF 2.1.0 for code scanning, within its limits.
//!
//! Findings that a comment or a baseline suppresses come last, marked by `suppressions`, and are dropped first at the
//! limits. GitHub ignores the mark and would open an alert for each, so they can be left out. Fingerprints use their own
//! name, because `primaryLocationLineHash` belongs to the uploader, which warns about other values.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a field that is assigned to a JSON object by its name comes into being"
    )
)]

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};
use serde_json::ser::CompactFormatter;
use serde_json::{Value, json};

use crate::finding::{Finding, Fix, Label, Object, Problem, Report, Severity, Suppressed};
use crate::source::Span;

use super::place::locate;
use super::{RulePage, View, escape, telling, visible};

/// The most results in a run.
const RESULTS: usize = 25_000;
/// The most related places of a result. Together with the result's own place, this is the display limit.
const RELATED: usize = 99;
/// The most related places that the message links to.
const LINKED: usize = 9;
/// The most tags kept for a rule.
const TAGS: usize = 10;
/// The most characters of a rule's description.
const DESCRIPTION: usize = 1024;
/// The base that paths are relative to.
const ROOT: &str = "%SRCROOT%";
/// The characters to percent-encode in a relative reference.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Writes one log with one run.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut results: Vec<Shown> = view.worst_first().into_iter().map(Shown::Open).collect();
    let open = results.len();
    results.extend(suppressed(view));
    let kept = results
        .get(..results.len().min(RESULTS))
        .unwrap_or_default();
    let left = open.saturating_sub(RESULTS);
    let left_suppressed = results.len() - kept.len() - left;
    let mut notifications: Vec<Value> = view.report.problems.iter().map(of_problem).collect();
    for (reason, times) in &view.report.counts.not_judged {
        let text = format!("not judged: {} ({times})", escape::sentence(reason));
        notifications.push(json!({ "level": "note", "message": { "text": text } }));
    }
    if left > 0 {
        let text = format!("{left} findings are left out, the least severe ones");
        notifications.push(json!({ "level": "warning", "message": { "text": text } }));
    }
    if left_suppressed > 0 {
        let text = format!("{left_suppressed} suppressed findings are omitted");
        notifications.push(json!({ "level": "note", "message": { "text": text } }));
    }
    let run = Run {
        tool: json!({ "driver": {
            "name": "kubetaint",
            "semanticVersion": view.version,
            "rules": view.rules.iter().map(of_rule).collect::<Vec<_>>(),
        }}),
        invocations: json!([{
            "executionSuccessful": view.report.problems.is_empty(),
            "exitCode": view.exit_code,
            "toolExecutionNotifications": notifications,
        }]),
        column_kind: "unicodeCodePoints",
        original_uri_base_ids: json!({
            ROOT: { "description": { "text": "the root of the repository" } },
        }),
        results: Results { view, kept },
    };
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run],
    };
    // The consumer of the file limits its size.
    visible::write(&log, CompactFormatter, out)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Value,
    invocations: Value,
    column_kind: &'a str,
    original_uri_base_ids: Value,
    results: Results<'a>,
}

/// A finding to write.
enum Shown<'a> {
    /// Not suppressed.
    Open(&'a Finding),
    /// Suppressed by a comment or an annotation.
    InSource(&'a Suppressed),
    /// Suppressed by the baseline.
    External(&'a Finding),
}

impl<'a> Shown<'a> {
    fn finding(&self) -> &'a Finding {
        match self {
            Shown::Open(finding) | Shown::External(finding) => finding,
            Shown::InSource(one) => &one.finding,
        }
    }

    fn suppression(&self, report: &Report) -> Option<Value> {
        match self {
            Shown::Open(_) => None,
            Shown::InSource(one) => {
                let mut suppression = json!({
                    "kind": "inSource",
                    "status": "accepted",
                    "location": { "physicalLocation": physical(report, one.by) },
                });
                if !one.reason.is_empty() {
                    suppression["justification"] = json!(telling::line(&one.reason));
                }
                Some(suppression)
            }
            Shown::External(_) => Some(json!({ "kind": "external", "status": "accepted" })),
        }
    }
}

/// The suppressed findings, most severe first.
fn suppressed<'a>(view: &View<'a>) -> Vec<Shown<'a>> {
    if !view.with_suppressed {
        return Vec::new();
    }
    let least = view.min_severity.unwrap_or(Severity::Note);
    let in_source = view.report.suppressed.iter().map(Shown::InSource);
    let external = view.report.baselined.iter().map(Shown::External);
    let mut suppressed: Vec<Shown> = in_source
        .chain(external)
        .filter(|one| one.finding().severity >= least)
        .collect();
    suppressed.sort_by_key(|one| std::cmp::Reverse(one.finding().severity));
    suppressed
}

/// The results, built while they are written.
struct Results<'a> {
    view: &'a View<'a>,
    kept: &'a [Shown<'a>],
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules: HashMap<&str, usize> = (self.view.rules.iter().enumerate())
            .map(|(at, page)| (page.id.as_str(), at))
            .collect();
        serializer.collect_seq(self.kept.iter().map(|shown| {
            let finding = shown.finding();
            let mut result = of_finding(self.view.report, finding);
            if let Some(suppression) = shown.suppression(self.view.report) {
                result["suppressions"] = json!([suppression]);
            }
            if let Some(at) = rules.get(finding.rule.as_str()) {
                result["ruleIndex"] = json!(at);
            }
            result
        }))
    }
}

fn of_rule(page: &RulePage<'_>) -> Value {
    let first = page.why.split("\n\n").next().unwrap_or_default();
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rule = json!({
        "id": page.id,
        "shortDescription": { "text": page.title },
        "fullDescription": { "text": escape::shorten(first.into(), DESCRIPTION - 1) },
        "help": { "text": page.why.trim_end(), "markdown": (page.page)() },
        "defaultConfiguration": { "level": page.severity },
        "properties": {
            "tags": page.tags.iter().take(TAGS).collect::<Vec<_>>(),
            // How often the message is true: errors are proven.
            "precision": match page.severity {
                Severity::Error => "very-high",
                Severity::Warning => "high",
                Severity::Note => "medium",
            },
            "problem.severity": match page.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        },
    });
    if let Some(uri) = &page.uri {
        rule["helpUri"] = json!(uri);
    }
    rule
}

fn of_finding(report: &Report, finding: &Finding) -> Value {
    let related = finding.related.len().min(RELATED);
    let related = finding.related.get(..related).unwrap_or_default();
    let mut location = json!({ "physicalLocation": physical(report, finding.span) });
    if let Some(name) = logical(&finding.object, &finding.path) {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "object" }]);
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": { "text": message(report, finding, related) },
        "locations": [location],
        "partialFingerprints": { "kubetaint/v1": finding.fingerprint },
    });
    if !related.is_empty() {
        result["relatedLocations"] = (1..)
            .zip(related)
            .map(|(id, label)| {
                json!({
                    "id": id,
                    "message": { "text": unlinked(&link_text(report, label)) },
                    "physicalLocation": physical(report, label.span),
                })
            })
            .collect();
    }
    if let Some(cluster) = &finding.cluster {
        result["properties"] = json!({ "cluster": cluster });
    }
    if let Some(fix) = &finding.fix {
        result["fixes"] = json!([of_fix(report, fix)]);
    }
    result
}

/// The message, links to the related places, and the help text.
fn message(report: &Report, finding: &Finding, related: &[Label]) -> String {
    let mut message = unlinked(&telling::message(finding));
    let links: Vec<String> = (1..)
        .zip(related.iter().take(LINKED))
        .map(|(id, label)| {
            let text = link_text(report, label);
            let text = text.replace('\\', "\\\\");
            let text = text.replace('[', "\\[").replace(']', "\\]");
            format!("[{text}]({id})")
        })
        .collect();
    if !links.is_empty() {
        message.push_str(&format!(" (see {})", links.join(", ")));
    }
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {}", unlinked(&telling::line(help))));
    }
    message
}

fn link_text(report: &Report, label: &Label) -> String {
    match label.message.as_str() {
        "" => telling::place(report, label.span),
        message => telling::line(message),
    }
}

/// Text that contains no links. Brackets that cannot form a link are not escaped, because some readers do not remove the
/// escapes.
fn unlinked(text: &str) -> String {
    match text.contains("](") {
        true => text.replace('[', "\\[").replace(']', "\\]"),
        false => text.to_owned(),
    }
}

fn physical(report: &Report, span: Span) -> Value {
    json!({
        "artifactLocation": artifact(locate(report, span).file),
        "region": region(report, span),
    })
}

fn region(report: &Report, span: Span) -> Value {
    let place = locate(report, span);
    json!({
        "startLine": place.start.line,
        "startColumn": place.start.column,
        "endLine": place.end.line,
        "endColumn": place.end.column,
    })
}

/// A file of the repository, or a file elsewhere by its absolute path.
fn artifact(path: &str) -> Value {
    let encoded = utf8_percent_encode(path, PATH);
    match path.starts_with('/') {
        true => json!({ "uri": format!("file://{encoded}") }),
        false => json!({ "uri": encoded.to_string(), "uriBaseId": ROOT }),
    }
}

/// `apps/v1/Deployment/shop/web:spec.template...`, or `None` if the document has no kind.
fn logical(object: &Object, path: &str) -> Option<String> {
    if object.kind.is_empty() {
        return None;
    }
    let mut name: Vec<&str> = Vec::new();
    name.extend((!object.api_version.is_empty()).then_some(object.api_version.as_str()));
    name.push(&object.kind);
    name.extend(object.namespace.as_deref());
    name.extend(object.name.as_deref());
    let mut name = name.join("/");
    if !path.is_empty() {
        name.push(':');
        name.push_str(path);
    }
    Some(telling::line(&name))
}

fn of_fix(report: &Report, fix: &Fix) -> Value {
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        let mut replacement = json!({ "deletedRegion": region(report, edit.span) });
        if !edit.text.is_empty() {
            replacement["insertedContent"] = json!({ "text": edit.text });
        }
        let file = locate(report, edit.span).file;
        files.entry(file).or_default().push(replacement);
    }
    let changes: Vec<Value> = files
        .into_iter()
        .map(|(file, replacements)| {
            json!({ "artifactLocation": artifact(file), "replacements": replacements })
        })
        .collect();
    json!({ "description": { "text": telling::line(&fix.title) }, "artifactChanges": changes })
}

fn of_problem(problem: &Problem) -> Value {
    let mut notification = json!({
        "level": "error",
        "message": { "text": unlinked(&telling::line(&problem.message)) },
    });
    if let Some(file) = &problem.file {
        let mut place = json!({ "artifactLocation": artifact(file) });
        if let Some(at) = problem.position {
            place["region"] = json!({ "startLine": at.line, "startColumn": at.column });
        }
        notification["locations"] = json!([{ "physicalLocation": place }]);
    }
    notification
}
