//! The JSON report: one object that holds everything, for programs. Its shape is a promise; `schema` counts changes
//! that break readers. What is absent is `null`; lines and columns count from 1, columns in characters, offsets in
//! bytes; paths are relative to the repository.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::finding::{Finding, Problem, Report, Severity};
use crate::source::{Position, Span};

use super::place::locate;
use super::{View, escape};

/// Raised when a reader of the version before would go wrong.
const SCHEMA: u32 = 1;

/// Writes the object with a line break after it.
pub(super) fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        kubetaint: view.version,
        summary: Summary::of(view.report),
        findings: Findings(view),
        problems: view.report.problems.iter().map(ProblemRow::of).collect(),
    };
    let mut serializer = serde_json::Serializer::with_formatter(
        &mut *out,
        Visible {
            pretty: PrettyFormatter::new(),
        },
    );
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    kubetaint: &'a str,
    summary: Summary<'a>,
    findings: Findings<'a>,
    problems: Vec<ProblemRow<'a>>,
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

#[derive(Serialize)]
struct Row<'a> {
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
    /// Always `null` until findings carry fixes; the key is there so that readers can rely on it.
    fix: Option<()>,
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
struct ProblemRow<'a> {
    message: &'a str,
    file: Option<&'a str>,
    start: Option<PositionRow>,
}

impl<'a> Row<'a> {
    fn of(report: &'a Report, finding: &'a Finding) -> Self {
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
            fix: None,
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

/// Pretty JSON in which the characters that JSON allows but terminals obey are written as `\u` escapes: the text that
/// a program reads is the same, and showing the report does no harm.
struct Visible {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut done = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| escape::acts(*c)) {
            out.write_all(&fragment.as_bytes()[done..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            done = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[done..])
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(out)
    }
}
