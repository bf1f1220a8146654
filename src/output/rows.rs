//! The format of the JSON report, which is stable; `schema` counts breaking changes. Missing values are `null`. Lines and
//! columns count from 1, columns in characters, offsets in bytes. Paths are relative to the repository.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::finding::{Finding, Fix, NotJudged, Object, Problem, Report, Severity};
use crate::source::{Position, Span};

use super::View;
use super::place::locate;

/// Incremented by changes that break readers of the previous version.
const SCHEMA: u32 = 1;

/// The report that `kubetaint check --format json` writes. What is absent is `null`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(super) struct Document<'a> {
    /// Raised when a reader of the version before would go wrong.
    schema: u32,
    /// The version of the program that wrote it.
    kubetaint: &'a str,
    /// What was read and found in the whole run, whichever findings are listed.
    summary: Summary<'a>,
    /// Sorted by file, position, rule.
    #[schemars(with = "Vec<Row>")]
    findings: Findings<'a>,
    /// What was not judged, and why: an entry for each object or file and each reason. Sorted by file and position.
    #[schemars(with = "Vec<OpenRow>")]
    not_judged: NotJudgedRows<'a>,
    /// What kept something from being judged. Any makes the run end with exit code 2.
    problems: Vec<ProblemRow<'a>>,
}

impl<'a> Document<'a> {
    /// The rows of the report that the view shows.
    pub(super) fn of(view: &'a View<'a>) -> Self {
        let Closing {
            schema,
            kubetaint,
            summary,
            not_judged,
            problems,
        } = Closing::of(view);
        Document {
            schema,
            kubetaint,
            summary,
            findings: Findings(view),
            not_judged,
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
    not_judged: NotJudgedRows<'a>,
    problems: Vec<ProblemRow<'a>>,
}

impl<'a> Closing<'a> {
    /// The rest of the report, after its findings.
    pub(super) fn of(view: &'a View<'a>) -> Self {
        Closing {
            schema: SCHEMA,
            kubetaint: view.version,
            summary: Summary::of(view.report),
            not_judged: NotJudgedRows(view.report),
            problems: view.report.problems.iter().map(ProblemRow::of).collect(),
        }
    }
}

/// The whole run, whichever findings are shown: it must agree with how the run ends.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
struct Summary<'a> {
    /// Files read.
    files: u32,
    /// Documents in them that are not empty.
    documents: u32,
    /// Workloads of known kinds.
    workloads: u32,
    /// Lists of tolerations whose owner has no known kind.
    other_lists: u32,
    /// Node pools.
    pools: u32,
    /// Actions of chart templates that print something for the scheduling of pods.
    expressions: u32,
    /// How many of them print values of the chart whose paths are known.
    known_expressions: u32,
    /// Findings that are errors.
    error: usize,
    /// Findings that are warnings.
    warning: usize,
    /// Findings that are notes.
    note: usize,
    /// Findings that a comment or an annotation suppresses.
    suppressed: u32,
    /// Findings that the baseline suppresses.
    baselined: u32,
    /// How many objects and files were not judged, counted once for each reason: the length of the list `not_judged`.
    not_judged: usize,
    /// The same by groups of reasons.
    not_judged_because: &'a BTreeMap<String, u32>,
    /// Findings that say what is usual and are not listed, by rule, with how many there are.
    counted: BTreeMap<&'a str, u32>,
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
            expressions: counts.expressions,
            known_expressions: counts.known_expressions,
            error: report.count(Severity::Error),
            warning: report.count(Severity::Warning),
            note: report.count(Severity::Note),
            suppressed: counts.suppressed,
            baselined: counts.baselined,
            not_judged: report.not_judged.len(),
            not_judged_because: &counts.not_judged,
            counted: counts
                .counted
                .iter()
                .map(|(rule, tally)| (rule.as_str(), tally.times))
                .collect(),
        }
    }
}

/// Rows are built while they are written, so that a long report is never in memory twice.
struct Findings<'a>(&'a View<'a>);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.0;
        serializer.collect_seq(view.findings().map(|finding| Row::of(view.report, finding)))
    }
}

/// Like `Findings`, for what was not judged.
struct NotJudgedRows<'a>(&'a Report);

impl Serialize for NotJudgedRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.not_judged.iter().map(OpenRow::of))
    }
}

/// Something that was not judged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NotJudged")]
struct OpenRow<'a> {
    /// Relative to the repository, with `/`.
    file: &'a str,
    /// Where it stands; the first character where the whole file is meant.
    start: PositionRow,
    /// The object, as far as it is one: a file has none of it.
    object: ObjectRow<'a>,
    /// Why, in plain words.
    because: &'a str,
}

impl<'a> OpenRow<'a> {
    fn of(one: &'a NotJudged) -> Self {
        OpenRow {
            file: &one.file,
            start: one.start.into(),
            object: one.object.as_deref().map(ObjectRow::of).unwrap_or_default(),
            because: &one.because,
        }
    }
}

impl<'a> ObjectRow<'a> {
    fn of(object: &'a Object) -> Self {
        ObjectRow {
            api_version: present(Some(&object.api_version)),
            kind: present(Some(&object.kind)),
            namespace: present(object.namespace.as_deref()),
            name: present(object.name.as_deref()),
        }
    }
}

/// One finding.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub(super) struct Row<'a> {
    /// The id of the rule.
    rule: &'a str,
    /// How bad it is, after all circumstances were weighed.
    severity: Severity,
    /// What is.
    message: &'a str,
    /// What to do.
    help: Option<&'a str>,
    #[serde(flatten)]
    place: PlaceRow<'a>,
    /// The field in the object, such as `spec.template.spec.tolerations[0].value`.
    path: Option<&'a str>,
    /// The configured cluster that the verdict rests on.
    cluster: Option<&'a str>,
    /// The object that holds the place.
    object: ObjectRow<'a>,
    /// Other places that matter, such as the taint in another file.
    related: Vec<RelatedRow<'a>>,
    /// A change that takes the finding away.
    fix: Option<FixRow<'a>>,
    /// Who the finding is: by content, never by line.
    fingerprint: &'a str,
    /// How many findings say the same in other places, this one included.
    occurrences: u32,
}

/// A piece of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Place")]
struct PlaceRow<'a> {
    /// Relative to the repository, with `/`.
    file: &'a str,
    /// The first character.
    start: PositionRow,
    /// Behind the last character.
    end: PositionRow,
}

/// A place in a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Position")]
struct PositionRow {
    /// From 1.
    line: u32,
    /// From 1, in Unicode characters.
    column: u32,
    /// From 0, in bytes of the text as UTF-8, without a byte order mark.
    offset: u32,
}

/// As much of a Kubernetes object as says which it is.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Object")]
#[serde(rename_all = "camelCase")]
struct ObjectRow<'a> {
    /// As written.
    api_version: Option<&'a str>,
    /// As written.
    kind: Option<&'a str>,
    /// As written.
    namespace: Option<&'a str>,
    /// As written; `null` also where it is not literal.
    name: Option<&'a str>,
}

/// Another place that belongs to a finding.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Related")]
struct RelatedRow<'a> {
    #[serde(flatten)]
    place: PlaceRow<'a>,
    /// What stands there.
    message: &'a str,
}

/// A change that takes a finding away.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Fix")]
struct FixRow<'a> {
    /// It means the same to the API server.
    safe: bool,
    /// What it does.
    title: &'a str,
    /// Sorted by place; none overlaps another.
    edits: Vec<EditRow<'a>>,
}

/// New text for a piece of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Edit")]
struct EditRow<'a> {
    #[serde(flatten)]
    place: PlaceRow<'a>,
    /// What takes the place of the text there.
    text: &'a str,
}

/// Something that prevented judging.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct ProblemRow<'a> {
    /// What went wrong.
    message: &'a str,
    /// The file, when the problem is with one.
    file: Option<&'a str>,
    /// The place in the file, when it is known.
    start: Option<PositionRow>,
}

impl<'a> Row<'a> {
    /// The row of a finding, with its places.
    pub(super) fn of(report: &'a Report, finding: &'a Finding) -> Self {
        Row {
            rule: &finding.rule,
            severity: finding.severity,
            message: &finding.message,
            help: finding.help.as_deref(),
            place: PlaceRow::of(report, finding.span),
            path: present(Some(&finding.path)),
            cluster: present(finding.cluster.as_deref()),
            object: ObjectRow::of(&finding.object),
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

/// Treats an empty text like a missing one.
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

/// The JSON Schema of the report.
pub fn report_schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}
