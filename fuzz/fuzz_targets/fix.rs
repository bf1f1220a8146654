//! Fixes: each leaves a text that is no more broken than before and has a finding less, and fixing ends.

#![no_main]

use kubetaint::finding::{Finding, Report};
use kubetaint::lint::fixes::apply;
use kubetaint::source::{FileKind, Source, SourceId};
use kubetaint::yaml;
use kubetaint_fuzz::{count, file_of, files, prepare, report, report_places};
use libfuzzer_sys::fuzz_target;

/// The program gives up after ten rounds. Some of these are for texts that nobody writes, with many fixes in one place.
const ROUNDS: usize = 20;

/// Findings whose fixes are each tried alone.
const ALONE: usize = 3;

/// How many findings say the same of the same field.
fn same(report: &Report, finding: &Finding) -> usize {
    let is_same = |other: &&Finding| {
        (&other.rule, &other.path, &other.message)
            == (&finding.rule, &finding.path, &finding.message)
    };
    report.findings.iter().filter(is_same).count()
}

/// Whether the same is said at the same place.
fn stays(report: &Report, finding: &Finding) -> bool {
    let is_same = |other: &Finding| {
        let [own, theirs] = [finding, other].map(|one| (one.span.source, one.span.start));
        own == theirs && (&other.rule, &other.message) == (&finding.rule, &finding.message)
    };
    report.findings.iter().any(is_same)
}

fn total(report: &Report) -> usize {
    report.findings.len() + report.counted.len()
}

type Files = Vec<(String, String)>;

/// The number of documents that cannot be read.
fn broken(path: &str, text: &str) -> usize {
    match Source::new(path, "").kind {
        FileKind::Yaml | FileKind::Json => yaml::parse(text, SourceId(0)).errors.len(),
        _ => 0,
    }
}

/// The files after some fixes, or `None` if no fix applies.
fn fixed(files: &Files, report: &Report, is_wanted: &dyn Fn(&Finding) -> bool) -> Option<Files> {
    let mut changed = None;
    for (at, (path, text)) in files.iter().enumerate() {
        let here = |finding: &&Finding| {
            is_wanted(finding) && file_of(report, finding).is_some_and(|file| file.path == *path)
        };
        let fixes = report.findings.iter().filter(here);
        let source = Source::new(path.as_str(), text.as_str());
        let fixes = fixes.filter_map(|finding| finding.fix.as_ref());
        if let Some((new, _)) = apply(&source, fixes) {
            assert!(broken(path, &new) <= broken(path, text), "broken: {new}");
            changed.get_or_insert_with(|| files.clone())[at].1 = new;
        }
    }
    changed
}

fuzz_target!(init: prepare(), |input: &str| {
    let mut files = files(input, "a.yaml");
    let Some(first) = report(&files) else { return };
    for finding in first.findings.iter().filter(|one| one.fix.is_some()).take(ALONE) {
        let is_it = |other: &Finding| other == finding;
        let Some(after) = fixed(&files, &first, &is_it) else { continue };
        let after = report(&after).expect("the configuration is the same");
        // The entry after one that goes has its path, and a key that is read again may uncover what is below it.
        let counts = |report| {
            [count(report, &finding.rule), total(report), same(report, finding)]
        };
        let has_less = counts(&after).iter().zip(counts(&first)).any(|(after, first)| *after < first);
        // The same key further up, which nothing was said of before, may have the finding then.
        assert!(has_less || !stays(&after, finding), "nothing is gained by {finding:?}");
    }
    let mut current = first;
    for is_unsafe in [false, true] {
        for round in 0.. {
            let is_wanted = |one: &Finding| {
                let mut fix = one.fix.iter();
                fix.any(|fix| fix.safe || is_unsafe)
            };
            let Some(next) = fixed(&files, &current, &is_wanted) else { break };
            assert!(round < ROUNDS, "fixing does not end: {next:?}");
            files = next;
            current = report(&files).expect("the configuration is the same");
            report_places(&current);
        }
    }
});
