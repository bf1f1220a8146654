//! Reviewdog's diagnostic format. Reviewdog counts columns in bytes and offers fixes as suggestions.

#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        reason = "a field that is assigned to a JSON object by its name comes into being"
    )
)]

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};

use crate::finding::{Finding, Fix, Report, Severity};
use crate::source::{Source, Span};

use super::place::locate;
use super::{View, telling, visible};

/// Writes one object with all diagnostics.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let result = DiagnosticResult {
        source: json!({ "name": "kubetaint" }),
        diagnostics: Diagnostics(view),
    };
    visible::write(&result, PrettyFormatter::new(), out)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct DiagnosticResult<'a> {
    source: Value,
    diagnostics: Diagnostics<'a>,
}

struct Diagnostics<'a>(&'a View<'a>);

impl Serialize for Diagnostics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.findings().map(|one| diagnostic(self.0, one)))
    }
}

fn diagnostic(view: &View, finding: &Finding) -> Value {
    let report = view.report;
    let mut code = json!({ "value": finding.rule });
    if let Some(uri) = view.rule(&finding.rule).and_then(|page| page.uri.as_ref()) {
        code["url"] = json!(uri);
    }
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|label| {
            json!({
                "message": telling::line(&label.message),
                "location": location(report, label.span),
            })
        })
        .collect();
    let mut diagnostic = json!({
        "message": telling::lines(report, finding).join("\n"),
        "location": location(report, finding.span),
        "severity": match finding.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "INFO",
        },
        "code": code,
    });
    if !related.is_empty() {
        diagnostic["relatedLocations"] = related.into();
    }
    if let Some(suggestion) = finding
        .fix
        .as_ref()
        .and_then(|fix| suggestion(report, finding.span, fix))
    {
        diagnostic["suggestions"] = json!([suggestion]);
    }
    diagnostic
}

fn location(report: &Report, span: Span) -> Value {
    json!({
        "path": locate(report, span).file,
        "range": report.sources.get(&span.source).map(|source| range(source, span)),
    })
}

/// Lines and columns count from 1, columns in bytes.
fn range(source: &Source, span: Span) -> Value {
    let (start, end) = source.positions(span);
    let [start, end] = [start, end].map(|at| {
        let before = source.line_starts().get(at.line as usize - 1).copied();
        json!({ "line": at.line, "column": at.offset - before.unwrap_or_default() + 1 })
    });
    json!({ "start": start, "end": end })
}

/// A fix as one suggestion. Reviewdog offers each suggestion separately, so all edits are joined with the text between
/// them. Returns `None` for a fix that changes another file.
fn suggestion(report: &Report, about: Span, fix: &Fix) -> Option<Value> {
    let whole = fix.edits.iter().map(|edit| edit.span).reduce(Span::cover)?;
    if fix
        .edits
        .iter()
        .any(|edit| edit.span.source != about.source)
    {
        return None;
    }
    let source = report.sources.get(&about.source)?;
    let mut text = String::new();
    let mut done = whole.start;
    for edit in &fix.edits {
        text.push_str(source.text.get(done as usize..edit.span.start as usize)?);
        text.push_str(&edit.text);
        done = edit.span.end;
    }
    Some(json!({ "range": range(source, whole), "text": text }))
}
