//! The output of each format as the user sees it, from hand-made reports.

mod machine;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};

use super::snippet::{Mark, Snippet, group};
use super::*;
use crate::finding::{Counts, Label, NotJudged, Object, Problem, Suppressed};
use crate::source::{Position, Source, SourceId, Span};

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  template:
    spec:
      nodeSelector:
        node.example.com/pool: gpu
      tolerations:
        - key: nvidia.com/gpu
          operator: Exists
          effect: NoExecute
      containers:
        - name: web
";

const POOLS: &str = "\
pools:
  - name: gpu
    labels:
      node.example.com/pool: gpu
    taints:
      - key: nvidia.com/gpu
        value: present
        effect: NoSchedule
";

/// A report under construction.
struct Draft(Report);

impl Draft {
    fn new(files: &[(&str, &str)]) -> Self {
        let sources: BTreeMap<_, _> = files
            .iter()
            .enumerate()
            .map(|(at, (path, text))| (SourceId(at as u32), Source::new(*path, *text)))
            .collect();
        let counts = Counts {
            files: files.len() as u32,
            documents: files.len() as u32,
            workloads: 1,
            pools: 1,
            ..Counts::default()
        };
        Draft(Report {
            sources,
            counts,
            ..Report::default()
        })
    }

    /// The span of the first occurrence of `needle` in a file.
    fn span(&self, file: u32, needle: &str) -> Span {
        let text = &self.0.sources[&SourceId(file)].text;
        let start = text.find(needle).expect("the needle is in the file");
        Span::new(SourceId(file), start..start + needle.len())
    }

    fn add(&mut self, rule: &str, severity: Severity, message: &str, span: Span) -> &mut Finding {
        self.0.findings.push(Finding {
            rule: rule.to_owned(),
            severity,
            message: message.to_owned(),
            help: None,
            span,
            path: String::new(),
            cluster: None,
            object: Object::default(),
            related: Vec::new(),
            fix: None,
            fingerprint: "f00d".to_owned(),
            fingerprint_anywhere: String::new(),
            undecided: false,
            occurrences: 1,
        });
        self.0.findings.last_mut().expect("one was pushed")
    }

    fn show(&self, format: Format) -> String {
        self.show_as(format, |_| {})
    }

    fn show_as(&self, format: Format, change: impl FnOnce(&mut View)) -> String {
        let mut view = view(&self.0);
        change(&mut view);
        written(format, &view)
    }
}

/// The view of a user at the root, with 100 columns and no colours.
fn view(report: &Report) -> View<'_> {
    static ROOT: LazyLock<Standpoint> = LazyLock::new(Standpoint::default);
    View {
        report,
        standpoint: &ROOT,
        min_severity: None,
        color: false,
        hyperlinks: false,
        width: 100,
        with_suppressed: true,
        version: "0.0.0",
        quiet: false,
        verbose: false,
        rules: &[],
        exit_code: 1,
    }
}

/// A user in an empty folder next to the other folders of the repository.
static BESIDE: LazyLock<Standpoint> =
    LazyLock::new(|| Standpoint::new(Path::new("/home/repo"), Path::new("/home/repo/empty")));

fn written(format: Format, view: &View) -> String {
    let mut out = Vec::new();
    write(format, view, &mut out).expect("writing to memory succeeds");
    String::from_utf8(out).expect("output is UTF-8")
}

/// A finding with places in two files, like most important findings.
fn two_files() -> Draft {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB), ("infra/pools.yaml", POOLS)]);
    let related = Label {
        span: draft.span(
            1,
            "key: nvidia.com/gpu\n        value: present\n        effect: NoSchedule",
        ),
        message: "the taint is declared here".to_owned(),
    };
    let span = draft.span(0, "effect: NoExecute");
    let finding = draft.add(
        "toleration-effect-mismatch",
        Severity::Error,
        "this toleration has the effect NoExecute, but pool gpu taints nvidia.com/gpu with NoSchedule, so \
         the pods that select the pool stay Pending",
        span,
    );
    finding.help = Some("write `effect: NoSchedule`, or leave `effect` out".to_owned());
    finding.path = "spec.template.spec.tolerations[0].effect".to_owned();
    finding.cluster = Some("prod".to_owned());
    finding.object = Object {
        api_version: "apps/v1".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: Some("shop".to_owned()),
        name: Some("web".to_owned()),
    };
    finding.related = vec![related];
    draft
}

#[test]
fn text_shows_both_files_in_one_drawing() {
    insta::assert_snapshot!(two_files().show(Format::Text));
}

#[test]
fn text_names_every_path_as_it_is_reached_from_here() {
    let shown = two_files().show_as(Format::Text, |view| view.standpoint = &BESIDE);
    assert!(shown.contains("╭─[../apps/web.yaml:14:11]"), "{shown}");
    assert!(shown.contains("├─[../infra/pools.yaml:6:9]"), "{shown}");
}

#[test]
fn text_paints_only_when_colours_are_wanted() {
    let draft = two_files();
    assert!(!draft.show(Format::Text).contains('\x1b'));
    let painted = draft.show_as(Format::Text, |view| view.color = true);
    assert!(painted.contains("\x1b["));
    // Without the colours the text is the same.
    let mut plain = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').expect("paint ends with m").1;
    }
    plain.push_str(rest);
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    };
    assert_eq!(lines(&plain), lines(&draft.show(Format::Text)));
}

#[test]
fn text_draws_places_of_one_file_together_when_near_and_apart_when_far() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    let near = Label {
        span: draft.span(0, "effect: NoExecute"),
        message: "the other entry".to_owned(),
    };
    let far = Label {
        span: draft.span(0, "Deployment"),
        message: "because it is a Deployment".to_owned(),
    };
    let span = draft.span(0, "operator: Exists");
    draft
        .add(
            "some-rule",
            Severity::Warning,
            "entries contradict each other",
            span,
        )
        .related = vec![far, near];
    insta::assert_snapshot!(draft.show(Format::Text));
}

#[test]
fn text_tells_identical_findings_once() {
    let names: Vec<String> = (0..9).map(|at| format!("apps/{at}.yaml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), WEB)).collect();
    let mut draft = Draft::new(&files);
    for file in 0..9 {
        let span = draft.span(file, "operator: Exists");
        let finding = draft.add("value-with-exists", Severity::Error, "`value` is set", span);
        finding.help = Some("remove `value`".to_owned());
        finding.object.kind = "Deployment".to_owned();
        finding.object.name = Some(format!("web-{file}"));
        // Distinguished by its content.
        let span = draft.span(file, "effect: NoExecute");
        if file == 1 {
            draft.add(
                "value-with-exists",
                Severity::Error,
                "`value` is set twice",
                span,
            );
        }
    }
    let shown = draft.show(Format::Text);
    assert_eq!(shown.matches("╭─").count(), 2, "{shown}");
    insta::assert_snapshot!(shown);
}

/// Notes of two rules together with a warning.
fn with_notes() -> Draft {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    for needle in ["tolerations:", "operator: Exists", "effect"] {
        let span = draft.span(0, needle);
        draft.add("blanket-exists", Severity::Note, needle, span);
    }
    let span = draft.span(0, "nodeSelector");
    draft.add("soft-taint-only", Severity::Note, "only preferred", span);
    let span = draft.span(0, "kind: Deployment");
    draft.add("tolerates-cordon", Severity::Warning, "drains loop", span);
    draft
}

#[test]
fn text_shows_the_worst_first_as_markdown_does() {
    let mut draft = Draft::new(&[("apps/web.yaml", WEB)]);
    for (needle, severity) in [
        ("kind: Deployment", Severity::Note),
        ("nodeSelector", Severity::Warning),
        ("operator: Exists", Severity::Error),
        ("effect", Severity::Warning),
    ] {
        let span = draft.span(0, needle);
        draft.add("some-rule", severity, needle, span);
    }
    for format in [Format::Text, Format::Markdown] {
        let shown = draft.show_as(format, |view| view.min_severity = Some(Severity::Note));
        let places = ["13:11", "9:7", "14:11", "2:1"].map(|place| shown.find(place));
        assert!(places.is_sorted() && places[0].is_some(), "{shown}");
    }
}

#[test]
fn the_summary_says_how_many_findings_complete_pools_would_decide() {
    let mut draft = with_notes();
    let closing = |draft: &Draft| summary_line(&draft.0, true);
    assert!(!closing(&draft).contains("decided"));
    draft.0.findings[0].undecided = true;
    let line = "1 finding needs `complete: true` or an inventory to be decided\n";
    assert!(closing(&draft).contains(line), "{}", closing(&draft));
    draft.0.findings[1].undecided = true;
    let line = "2 findings need `complete: true` or an inventory to be decided\n";
    assert!(closing(&draft).contains(line), "{}", closing(&draft));
}

#[test]
fn text_folds_notes_to_a_line_per_rule() {
    insta::assert_snapshot!(with_notes().show(Format::Text));
}

#[test]
fn the_lowest_severity_asked_for_decides_what_is_shown() {
    let draft = with_notes();
    let ask = |format, severity| draft.show_as(format, |view| view.min_severity = Some(severity));
    let full = ask(Format::Text, Severity::Note);
    assert!(
        full.contains("note[soft-taint-only]: only preferred\n"),
        "{full}"
    );
    assert!(!full.contains("--min-severity"), "{full}");
    let warnings = ask(Format::Text, Severity::Warning);
    assert!(!warnings.contains("note["), "{warnings}");
    assert!(warnings.contains("warning[tolerates-cordon]"), "{warnings}");
    assert_eq!(ask(Format::Concise, Severity::Warning).lines().count(), 1);
    assert_eq!(ask(Format::Concise, Severity::Error), "");
    assert_eq!(draft.show(Format::Concise).lines().count(), 5);
    let none = ask(Format::Text, Severity::Error);
    assert!(none.starts_with("No errors.\n"), "{none}");

    let json: serde_json::Value =
        serde_json::from_str(&ask(Format::Json, Severity::Warning)).expect("JSON");
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        json["summary"]["note"], 4,
        "the summary is of the whole run"
    );
}

#[test]
fn quiet_text_is_findings_only() {
    let shown = with_notes().show_as(Format::Text, |view| view.quiet = true);
    assert!(shown.starts_with("warning[tolerates-cordon]"), "{shown}");
    assert!(
        !shown.contains("note[") && !shown.contains("read;"),
        "{shown}"
    );
    let mut nothing = Draft::new(&[]);
    nothing.0.findings.clear();
    assert_eq!(nothing.show_as(Format::Text, |view| view.quiet = true), "");
}

#[test]
fn text_says_that_nothing_was_found() {
    let mut draft = Draft::new(&[]);
    draft.0.counts = Counts {
        files: 12,
        documents: 30,
        workloads: 9,
        pools: 3,
        ..Counts::default()
    };
    insta::assert_snapshot!(draft.show(Format::Text), @r"
    No findings.
    12 files, 30 documents, 9 workloads, 3 node pools read; no findings
    ");
}

/// A file and a workload that were not judged.
fn open_things() -> Vec<NotJudged> {
    let at = |line, column, offset| Position {
        line,
        column,
        offset,
    };
    let web = Object {
        api_version: "apps/v1".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: Some("shop".to_owned()),
        name: Some("web".to_owned()),
    };
    vec![
        NotJudged {
            file: "apps/web.yaml".into(),
            start: at(4, 9, 52),
            object: Some(web.into()),
            because:
                "node pool `gpu` (terraform/clusters/prod/pools.tf:12) has unknown taints: its \
                      document is a template; and 3 more pools"
                    .into(),
            group: "workloads that depend on node pools with unknown taints or labels",
        },
        NotJudged {
            file: "charts/web/templates/a.yaml".into(),
            start: at(1, 1, 0),
            object: None,
            because: "template".into(),
            group: "templates",
        },
    ]
}

#[test]
fn text_says_what_was_not_read_and_not_judged() {
    let mut draft = Draft::new(&[]);
    draft.0.counts = Counts {
        files: 1,
        documents: 2,
        other_lists: 4,
        suppressed: 2,
        baselined: 1,
        not_judged: BTreeMap::from([
            ("files with template actions".to_owned(), 3),
            ("unresolved Terraform expressions".to_owned(), 1),
        ]),
        ..Counts::default()
    };
    insta::assert_snapshot!(draft.show(Format::Text));
    draft.0.not_judged = open_things();
    insta::assert_snapshot!(draft.show_as(Format::Text, |view| view.verbose = true), @r"
    No findings.
    Not judged:
      apps/web.yaml:4:9: Deployment shop/web: node pool `gpu` (terraform/clusters/prod/pools.tf:12) has
          unknown taints: its document is a template; and 3 more pools
      charts/web/templates/a.yaml:1:1: template

    not judged: files with template actions (3), unresolved Terraform expressions (1)
    0 node pools read: tolerations were not compared with taints (`pools:` in .kubetaint.yaml can name them)
    1 file, 2 documents, 0 workloads, 4 other lists of tolerations, 0 node pools read; no findings, 2 suppressed, 1 in the baseline
    ");
    let quiet = draft.show_as(Format::Text, |view| view.quiet = true);
    assert_eq!(quiet, "");
    draft.0.counts.other_lists = 0;
    assert!(summary_line(&draft.0, true).contains("0 workloads read: "));
}

#[test]
fn text_shows_hostile_text_and_does_not_obey_it() {
    let text = "spec:\n  tolerations:\n  - key: \"a\x1b]0;owned\x07\u{202e}b\u{9b}2J\"\r\n    value: x\x1b[31m\n";
    let mut draft = Draft::new(&[("apps/\x1b[2Jweb\n.yaml", text)]);
    let related = Label {
        span: draft.span(0, "value: x"),
        message: "the value\x1b[1A".to_owned(),
    };
    let span = draft.span(0, "owned\x07\u{202e}b\u{9b}2J");
    let finding = draft.add(
        "unknown-field",
        Severity::Error,
        "the key `a\x1b]0;owned\x07\u{202e}b`\nerror[fake]: is odd",
        span,
    );
    finding.help = Some("remove \x1b[31m".to_owned());
    finding.object.kind = "Pod\x1b".to_owned();
    finding.related = vec![related];
    draft.0.problems = vec![Problem {
        file: Some("a\x1b.yaml".to_owned()),
        position: Some(Position {
            line: 3,
            column: 4,
            offset: 9,
        }),
        message: "cannot\nread".to_owned(),
    }];
    draft.0.counts.not_judged = BTreeMap::from([("odd\x1b things".to_owned(), 1)]);
    draft.0.not_judged = open_things();
    draft.0.not_judged[0].because = "patched by \x1b[2J\nerror[fake].yaml:7".into();
    draft.0.not_judged[1].file = "a\x1b[1A\u{202e}.yaml".into();
    let listed = draft.show_as(Format::Text, |view| view.verbose = true);
    let bad = |c: &char| *c != '\n' && escape::acts(*c);
    assert_eq!(listed.chars().find(bad), None, "{listed:?}");
    for format in Format::ALL {
        let shown = draft.show(*format);
        let bad = |c: &char| *c != '\n' && escape::acts(*c);
        assert_eq!(shown.chars().find(bad), None, "{format:?}: {shown:?}");
    }
    assert_eq!(
        problem_lines(&draft.0.problems, &BESIDE),
        ["../a\\x1b.yaml:3:4: cannot read"]
    );
    let json: serde_json::Value = serde_json::from_str(&draft.show(Format::Json)).expect("JSON");
    assert_eq!(json["findings"][0]["message"], draft.0.findings[0].message);
    insta::assert_snapshot!(draft.show(Format::Text));
}

#[test]
fn concise_is_one_line_per_finding_whatever_the_text_holds() {
    let mut draft = two_files();
    draft.0.findings[0].message = "two\nlines\x1b[2J".to_owned();
    let span = draft.span(0, "tolerations");
    draft.add(
        "blanket-exists",
        Severity::Note,
        "tolerates everything",
        span,
    );
    insta::assert_snapshot!(
        draft.show_as(Format::Concise, |view| view.standpoint = &BESIDE),
        @r"
    ../apps/web.yaml:14:11: error[toleration-effect-mismatch] two lines\x1b[2J (see ../infra/pools.yaml:6:9 the taint is declared here)
    ../apps/web.yaml:11:7: note[blanket-exists] tolerates everything
    "
    );
}

#[test]
fn a_crlf_file_looks_like_any_other() {
    let windows = WEB.replace('\n', "\r\n");
    let mut draft = Draft::new(&[("apps/web.yaml", windows.as_str())]);
    let span = draft.span(0, "operator: Exists");
    draft.add("some-rule", Severity::Error, "is odd", span);
    let mut unix = Draft::new(&[("apps/web.yaml", WEB)]);
    let span = unix.span(0, "operator: Exists");
    unix.add("some-rule", Severity::Error, "is odd", span);
    assert_eq!(draft.show(Format::Text), unix.show(Format::Text));
    assert!(draft.show(Format::Text).contains("[apps/web.yaml:13:11]"));
}

#[test]
fn places_at_the_edges_of_a_file_are_drawn() {
    let mut draft = Draft::new(&[
        ("no-newline.yaml", "a: 1\nvalue: x"),
        ("newline.yaml", "a: 1\nvalue: x\n"),
        ("empty.yaml", ""),
        ("wide.yaml", "a:\t1\n火: \"naïve 🚀\" # x\n"),
    ]);
    let place = |file, range| Span::new(SourceId(file), range);
    draft.add(
        "last-word",
        Severity::Error,
        "ends the file",
        place(0, 12..13),
    );
    draft.add(
        "empty-at-end",
        Severity::Error,
        "no newline",
        place(0, 13..13),
    );
    draft.add(
        "past-newline",
        Severity::Error,
        "after the newline",
        place(1, 14..14),
    );
    draft.add(
        "empty-inside",
        Severity::Error,
        "nothing between",
        place(1, 6..6),
    );
    draft.add(
        "empty-file",
        Severity::Error,
        "nothing at all",
        place(2, 0..0),
    );
    draft.add(
        "out-of-bounds",
        Severity::Error,
        "past the end",
        place(1, 90..99),
    );
    draft.add(
        "inside-a-character",
        Severity::Error,
        "byte 7 is in 火",
        place(3, 7..9),
    );
    let span = draft.span(3, "🚀");
    draft.add("wide", Severity::Error, "wide characters", span);
    let span = draft.span(3, "1");
    draft.add("tab", Severity::Error, "after a tab", span);
    insta::assert_snapshot!(draft.show_as(Format::Text, |view| view.quiet = true));
}

#[test]
fn a_place_over_many_lines_is_marked_on_its_first() {
    let list: String = (0..50).map(|at| format!("  - key: k{at}\n\n")).collect();
    let text = format!("tolerations:\n{list}\n\n\nother: x\n");
    let mut draft = Draft::new(&[("values.yaml", text.as_str())]);
    let whole = Span::new(SourceId(0), 15..text.find("\nother").expect("it is there"));
    draft.add("many-lines", Severity::Error, "is long", whole);
    let item = Span::new(SourceId(0), 15..42);
    draft.add(
        "two-lines",
        Severity::Error,
        "is an item and blank lines",
        item,
    );
    insta::assert_snapshot!(draft.show_as(Format::Text, |view| view.quiet = true));
}

#[test]
fn a_minified_line_is_cropped_around_its_places() {
    let filler = r#"{"name":"a","image":"registry.example.com/a:1"},"#.repeat(20_000);
    let text = format!(
        r#"{{"kind":"Pod","x":[{filler}"tolerations":[{{"operator":"exists"}}],{filler}"z":1]}}"#
    );
    let mut draft = Draft::new(&[("pod.json", text.as_str())]);
    let near = Label {
        span: draft.span(0, r#""tolerations""#),
        message: "in this list".to_owned(),
    };
    let far = Label {
        span: draft.span(0, r#""Pod""#),
        message: "in this object".to_owned(),
    };
    let end = Label {
        span: draft.span(0, r#""z":1"#),
        message: "at the end".to_owned(),
    };
    let span = draft.span(0, r#""exists""#);
    draft
        .add(
            "unknown-operator",
            Severity::Error,
            "exists is no operator",
            span,
        )
        .related = vec![near, far, end];
    let whole = Span::new(SourceId(0), 0..text.len());
    draft.add("whole-file", Severity::Error, "everything is wrong", whole);
    let shown = draft.show(Format::Text);
    assert!(
        shown.lines().all(|line| line.chars().count() <= 120),
        "{shown}"
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn many_related_places_do_not_flood_the_screen() {
    let mut draft = two_files();
    let label = draft.0.findings[0].related[0].clone();
    draft.0.findings[0].related = vec![label; 40];
    let shown = draft.show(Format::Text);
    assert!(shown.contains("  see 31 more places\n"), "{shown}");
    assert!(shown.lines().count() < 50, "{shown}");
}

#[test]
fn a_finding_whose_source_is_missing_is_still_told() {
    let mut draft = two_files();
    draft.0.sources.clear();
    for format in Format::ALL {
        let shown = draft.show(*format);
        assert!(
            shown.contains("toleration-effect-mismatch"),
            "{format:?}: {shown}"
        );
    }
}

#[test]
fn json_holds_everything() {
    let mut draft = two_files();
    let span = draft.span(0, "tolerations");
    draft.add(
        "blanket-exists",
        Severity::Note,
        "tolerates everything",
        span,
    );
    draft.0.counts.other_lists = 2;
    draft.0.counts.suppressed = 1;
    draft.0.counts.not_judged = BTreeMap::from([
        ("files with template actions".to_owned(), 3),
        ("unresolved expressions".to_owned(), 2),
    ]);
    draft.0.problems = vec![
        Problem {
            file: None,
            position: None,
            message: "rule x does not compile".to_owned(),
        },
        Problem {
            file: Some("apps/locked.yaml".to_owned()),
            position: Some(Position {
                line: 1,
                column: 2,
                offset: 1,
            }),
            message: "cannot be read".to_owned(),
        },
    ];
    let shown = draft.show_as(Format::Json, |view| view.standpoint = &BESIDE);
    insta::assert_snapshot!(shown);
}

#[test]
fn json_of_nothing_is_whole() {
    let json: serde_json::Value =
        serde_json::from_str(&Draft::new(&[]).show(Format::Json)).expect("JSON");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["kubetaint"], "0.0.0");
    assert_eq!(json["findings"], serde_json::json!([]));
    assert_eq!(json["problems"], serde_json::json!([]));
}

#[test]
fn formats_are_known_by_name() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(*format));
    }
    let error = "html"
        .parse::<Format>()
        .expect_err("there is no such format");
    assert_eq!(
        error.to_string(),
        "unknown format `html`, expected one of text, concise, json, jsonl, sarif, \
         github, gitlab, junit, rdjson, markdown"
    );
}

/// The drawing that miette produces from its own source type.
fn stock(text: &str, range: std::ops::Range<usize>) -> String {
    let diagnostic =
        MietteDiagnostic::new("").with_label(LabeledSpan::new_primary_with_span(None, range));
    let report = miette::Report::new(diagnostic)
        .with_source_code(NamedSource::new("a.yaml", text.to_owned()));
    let mut drawn = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .render_report(&mut drawn, report.as_ref())
        .expect("drawing to memory succeeds");
    drawn.split_off(drawn.find('\n').map_or(0, |end| end + 1))
}

fn ours(text: &str, range: std::ops::Range<usize>) -> String {
    let source = Source::new("a.yaml", text);
    let mark = Mark::new(SourceId(0), &source, range, None, true);
    let groups = group(vec![mark], 100);
    let snippet = Snippet::new("a.yaml".to_owned(), &groups[0], 100).expect("there is a mark");
    snippet
        .draw(&GraphicalReportHandler::new_themed(
            GraphicalTheme::unicode_nocolor(),
        ))
        .expect("drawing to memory succeeds")
}

#[test]
fn snippets_equal_what_miette_draws_by_itself() {
    for text in [
        "one: 1\ntwo: 2\nthree: 3\nfour: 4\n",
        "one: 1\r\ntwo: 2\r\nthree: 3\r\nfour: 4\r\n",
        "one: 1\ntwo: 2\nthree: 3\nfour: 4",
        "one: 1\r\ntwo: 2\r\nthree: 3\r\nfour: 4",
        "\n\none: 1\n\n\ntwo: 2\n\n",
        "one",
    ] {
        for start in 0..text.len() {
            for end in start..=text.len() {
                let marked = &text[start..end];
                // We trim trailing blanks and never split a line break, unlike miette.
                let blank_end = marked.len() != marked.trim_end().len();
                let in_break = text[..start].ends_with('\r');
                // For an empty place on an empty line, miette shows one line too many after it.
                let empty_line = marked.is_empty()
                    && (start == 0 || text[..start].ends_with('\n'))
                    && text[start..].starts_with(['\r', '\n']);
                if blank_end || in_break || empty_line {
                    continue;
                }
                let (ours, stock) = (ours(text, start..end), stock(text, start..end));
                assert_eq!(ours, stock, "{text:?} at {start}..{end}");
            }
        }
    }
}

#[test]
fn an_empty_place_at_the_end_of_a_file_has_a_mark_that_miette_leaves_out() {
    assert!(!stock("a: 1\nb:", 7..7).contains('▲'));
    assert!(
        ours("a: 1\nb:", 7..7).contains("  · "),
        "{}",
        ours("a: 1\nb:", 7..7)
    );
    assert!(ours("a: 1\nb:", 7..7).contains('▲'));
}

#[test]
fn no_text_and_no_place_makes_drawing_fail() {
    const PIECES: [&str; 14] = [
        "a",
        "key: ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "火",
        "e\u{301}",
        "\u{200d}",
        "\x1b[1m",
        "\u{202e}",
        " ",
        "\u{85}",
        "a very long word that is repeated until a line must be cropped somewhere ",
    ];
    // A small random generator with a fixed seed: the same cases on every run.
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..3_000 {
        let text: String = (0..next(40)).map(|_| PIECES[next(PIECES.len())]).collect();
        let mut draft = Draft::new(&[("a.yaml", text.as_str())]);
        let mut place = || {
            let start = next(text.len() + 3);
            Span::new(SourceId(0), start..start + next(30))
        };
        let labels = (0..3).map(|_| Label {
            span: place(),
            message: "here".to_owned(),
        });
        let related = labels.collect();
        let span = place();
        draft.add("any", Severity::Error, "any", span).related = related;
        let shown = draft.show(Format::Text);
        assert_eq!(shown.matches("─ here").count(), 3, "{text:?}\n{shown}");
        assert!(!shown.contains("Failed to read"), "{text:?}\n{shown}");
        assert!(
            !shown.chars().any(|c| c != '\n' && escape::acts(c)),
            "{text:?}\n{shown}"
        );
    }
}
