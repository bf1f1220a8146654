//! The shape of the JSON report, which is a promise; `schema` counts changes that break readers. What is absent is
//! `null`; lines and columns count from 1, columns in characters, offsets in bytes; paths are relative to the repository.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::finding::{Finding, Fix, Problem, Report, Severity};
use crate::source::{Position, Span};

use super::View;
use super::place::locate;

/// Raised when a reader of the version before would go wrong.
const SCHEMA: u32 = 1;

/// The whole report.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: u32,
    kubetaint: &'a str,
    summary: Summary<'a>,
    findings: Findings<'a>,
    problems: Vec<ProblemRow<'a>>,
}

impl<'a> Document<'a> {
    /// The report as the view shows it.
    pub(super) fn of(view: &'a View<'a>) -> Self {
        let Closing {
            schema,
            kubetaint,
            summary,
            problems,
        } = Closing::of(view);
        Document {
            schema,
            kubetaint,
            summary,
            findings: Findings(view),
            problems,
        }
    }
}

/// The report without its findings.
#[derive(Serialize)]
pub(super) struct Closing<'a> {
    schema: u32,
    kubetaint: &'a str,
    summary: Summary<'a>,
    problems: Vec<ProblemRow<'a>>,
}

impl<'a> Closing<'a> {
    /// What is left to say when the findings were told.
    pub(super) fn of(view: &'a View<'a>) -> Self {
        Closing {
            schema: SCHEMA,
            kubetaint: view.version,
            summary: Summary::of(view.report),
            problems: view.report.problems.iter().map(ProblemRow::of).collect(),
        }
    }
}

/// The whole run, whichever findings are shown: it must agree with how the run ends.
#[derive(Serialize)]
struct Summary<'a> {
    files: u32,
    documents: u32,
    workloads: u32,
    other_lists: u32,
    pools: u32,
    error: usize,
    warning: usize,
    note: usize,
    suppressed: u32,
    baselined: u32,
    not_judged: u64,
    not_judged_because: &'a BTreeMap<String, u32>,
}

impl<'a> Summary<'a> {
    fn of(report: &'a Report) -> Self {
        let counts = &report.counts;
        Summary {
            files: counts.files,
            documents: counts.documents,
            workloads: counts.workloads,
            other_lists: counts.other_lists,
            pools: counts.pools,
            error: report.count(Severity::Error),
            warning: report.count(Severity::Warning),
            note: report.count(Severity::Note),
            suppressed: counts.suppressed,
            baselined: counts.baselined,
            not_judged: counts.not_judged.values().copied().map(u64::from).sum(),
            not_judged_because: &counts.not_judged,
        }
    }
}

/// Rows are made while they are written, so that a long report is never in memory twice.
struct Findings<'a>(&'a View<'a>);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.0;
        serializer.collect_seq(view.findings().map(|finding| Row::of(view.report, finding)))
    }
}

/// One finding.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    rule: &'a str,
    severity: Severity,
    message: &'a str,
    help: Option<&'a str>,
    #[serde(flatten)]
    place: PlaceRow<'a>,
    path: Option<&'a str>,
    cluster: Option<&'a str>,
    object: ObjectRow<'a>,
    related: Vec<RelatedRow<'a>>,
    fix: Option<FixRow<'a>>,
    fingerprint: &'a str,
    occurrences: u32,
}

#[derive(Serialize)]
struct PlaceRow<'a> {
    file: &'a str,
    start: PositionRow,
    end: PositionRow,
}

#[derive(Serialize)]
struct PositionRow {
    line: u32,
    column: u32,
    offset: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ObjectRow<'a> {
    api_version: Option<&'a str>,
    kind: Option<&'a str>,
    namespace: Option<&'a str>,
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct RelatedRow<'a> {
    #[serde(flatten)]
    place: PlaceRow<'a>,
    message: &'a str,
}

#[derive(Serialize)]
struct FixRow<'a> {
    safe: bool,
    title: &'a str,
    edits: Vec<EditRow<'a>>,
}

#[derive(Serialize)]
struct EditRow<'a> {
    #[serde(flatten)]
    place: PlaceRow<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    message: &'a str,
    file: Option<&'a str>,
    start: Option<PositionRow>,
}

impl<'a> Row<'a> {
    /// A finding with its places.
    pub(super) fn of(report: &'a Report, finding: &'a Finding) -> Self {
        let object = &finding.object;
        Row {
            rule: &finding.rule,
            severity: finding.severity,
            message: &finding.message,
            help: finding.help.as_deref(),
            place: PlaceRow::of(report, finding.span),
            path: present(Some(&finding.path)),
            cluster: present(finding.cluster.as_deref()),
            object: ObjectRow {
                api_version: present(Some(&object.api_version)),
                kind: present(Some(&object.kind)),
                namespace: present(object.namespace.as_deref()),
                name: present(object.name.as_deref()),
            },
            related: finding
                .related
                .iter()
                .map(|label| RelatedRow {
                    place: PlaceRow::of(report, label.span),
                    message: &label.message,
                })
                .collect(),
            fix: finding.fix.as_ref().map(|fix| FixRow::of(report, fix)),
            fingerprint: &finding.fingerprint,
            occurrences: finding.occurrences,
        }
    }
}

/// Nothing written and nothing there are one thing to a reader.
fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

impl<'a> PlaceRow<'a> {
    fn of(report: &'a Report, span: Span) -> Self {
        let place = locate(report, span);
        PlaceRow {
            file: place.file,
            start: place.start.into(),
            end: place.end.into(),
        }
    }
}

impl<'a> FixRow<'a> {
    fn of(report: &'a Report, fix: &'a Fix) -> Self {
        FixRow {
            safe: fix.safe,
            title: &fix.title,
            edits: fix
                .edits
                .iter()
                .map(|edit| EditRow {
                    place: PlaceRow::of(report, edit.span),
                    text: &edit.text,
                })
                .collect(),
        }
    }
}

impl From<Position> for PositionRow {
    fn from(at: Position) -> Self {
        PositionRow {
            line: at.line,
            column: at.column,
            offset: at.offset,
        }
    }
}

impl<'a> ProblemRow<'a> {
    fn of(problem: &'a Problem) -> Self {
        ProblemRow {
            message: &problem.message,
            file: problem.file.as_deref(),
            start: problem.position.map(PositionRow::from),
        }
    }
}
