//! What the fuzz targets have in common: the built-in rules and tables, the files that an input holds, and what must hold of
//! the places in every answer. Whatever does not hold panics, which is a crash to the fuzzer.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a broken promise must be seen"
)]

use std::sync::LazyLock;

use kubetaint::builtin;
use kubetaint::extract::Table;
use kubetaint::finding::{Finding, Problem, Report};
use kubetaint::rule::RuleSet;
use kubetaint::source::{Source, Span};
use kubetaint::verify;
use kubetaint::yaml::{Document, Node, NodeSet, Stream};

/// The built-in rules.
pub static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::load_beside(builtin::CARRIED_RULES, &[]).expect("the rules load"));

/// The built-in tables.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::load(builtin::PROVIDERS.iter().copied()).expect("the built-in tables load")
});

/// Makes all work run on the calling thread, which keeps executions fast and equal, and loads what every execution needs.
pub fn prepare() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1);
    // Fails only if there are threads already.
    let _ = threads.use_current_thread().build_global();
    LazyLock::force(&RULES);
    LazyLock::force(&TABLE);
}

/// What begins the line before each file of an input.
const HEADER: &str = "=== ";

/// More files take long and find nothing more.
const MOST_FILES: usize = 8;

/// The files of an input: paths and texts. A text without a header is one file named `path`. Of two files with one path, the
/// first counts.
pub fn files(input: &str, path: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for (number, part) in format!("\n{input}").split("\n=== ").enumerate() {
        let (name, text) = match number {
            0 => (path, part.strip_prefix('\n').unwrap_or(part)),
            _ => part.split_once('\n').unwrap_or((part, "")),
        };
        let is_first = number == 0 && text.is_empty() && input.starts_with(HEADER);
        let is_known = files.iter().any(|(known, _)| known == name);
        if !is_first && !is_known && is_path(name) && files.len() < MOST_FILES {
            files.push((name.to_owned(), text.to_owned()));
        }
    }
    files
}

/// Whether it can be the path of a file in a repository.
fn is_path(name: &str) -> bool {
    let mut parts = name.split('/');
    name.len() < 200
        && !name.contains(char::is_control)
        && parts.all(|part| !["", ".", ".."].contains(&part))
}

/// Checks files in memory. `None` if the configuration among them has errors.
pub fn report(files: &[(String, String)]) -> Option<Report> {
    match verify::report(&RULES, &TABLE, files, verify::SUPPRESSIONS) {
        Ok(report) => Some(report),
        Err(problems) => {
            stated(&problems);
            None
        }
    }
}

/// A range lies in the text and cuts no character.
#[track_caller]
pub fn inside(text: &str, range: std::ops::Range<usize>) {
    assert!(text.get(range.clone()).is_some(), "{range:?} of {text:?}");
}

/// Each problem is one line with a place that exists.
#[track_caller]
pub fn stated(problems: &[Problem]) {
    assert!(!problems.is_empty(), "refused without a reason");
    for problem in problems {
        assert!(!problem.message.is_empty(), "{problem:?}");
    }
}

/// All places of a parsed text lie in it.
pub fn places(text: &str, stream: &Stream) {
    let mut end = 0;
    for document in &stream.documents {
        let range = document.range();
        inside(text, range.clone());
        assert!(end <= range.start, "documents overlap: {text:?}");
        end = range.end;
        document_places(text, document);
    }
    for error in &stream.errors {
        inside(text, error.span.range());
        inside(text, error.document.clone());
    }
}

fn document_places(text: &str, document: &Document) {
    for comment in document.comments() {
        let range = comment.span.range();
        inside(text, range.clone());
        assert_eq!(text.get(range), Some(format!("#{}", comment.text).as_str()));
    }
    each_node(document, &mut |node| {
        inside(text, node.span().range());
        inside(text, node.written_at().range());
    });
}

/// Visits every node of a document once, whatever aliases lead to it.
pub fn each_node(document: &Document, visit: &mut dyn FnMut(Node<'_>)) {
    let mut seen = NodeSet::new(document);
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        visit(node);
        if seen.insert(node.id()) {
            for field in node.written_fields() {
                open.extend([field.key, field.value]);
            }
            open.extend(node.items());
        }
    }
}

/// All places of a report lie in its sources.
pub fn report_places(report: &Report) {
    let lies_in = |span: Span| {
        if let Some(source) = report.sources.get(&span.source) {
            inside(&source.text, span.range());
        }
    };
    let suppressed = report.suppressed.iter().map(|one| &one.finding);
    let findings = report.findings.iter().chain(&report.counted);
    for finding in findings.chain(suppressed) {
        assert!(
            report.sources.contains_key(&finding.span.source),
            "{finding:?}"
        );
        lies_in(finding.span);
        finding.related.iter().for_each(|label| lies_in(label.span));
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        let mut end = 0;
        for edit in edits {
            lies_in(edit.span);
            assert!(end <= edit.span.start, "edits overlap: {finding:?}");
            end = edit.span.end;
        }
    }
}

/// How many findings there are of a rule.
pub fn count(report: &Report, rule: &str) -> usize {
    let is_it = |finding: &&Finding| finding.rule == rule;
    report.findings.iter().filter(is_it).count()
}

/// The file of a finding.
pub fn file_of<'r>(report: &'r Report, finding: &Finding) -> Option<&'r Source> {
    report.sources.get(&finding.span.source)
}
