//! What files said is kept from run to run, and no report changes by it: whatever is edited, damaged, cut off or made up.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

use std::fmt::Debug;
use std::path::Path;

use crate::builtin::{RULES, TABLE};
use kubetaint::cache::{About, Cache, Key, Reader, Writer};
use kubetaint::charts::Group;
use kubetaint::config::{self, Config};
use kubetaint::extract::{FileFacts, Table, extract, extract_part};
use kubetaint::finding::Report;
use kubetaint::lint::{Content, Input, Settings, Suppressions, lint};
use kubetaint::source::{FileKind, Source, SourceId, Span};
use walkdir::WalkDir;

/// Paths and texts.
type Files = Vec<(String, String)>;

const PROGRAM: &[u8] = b"this program";

fn key(program: &[u8]) -> Key {
    Key::of(Key::default(), &[program])
}

/// The text files below a folder, by path.
fn below(folder: &Path) -> Files {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(|entry| entry.file_name() != ".git");
    let files = entries
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    let files = files.filter_map(|entry| {
        let path = entry.path().strip_prefix(folder).ok()?.to_str()?;
        let text = std::fs::read_to_string(entry.path()).ok()?;
        (FileKind::of(path).is_some() || path == ".kubetaint.yaml").then(|| (path.to_owned(), text))
    });
    files.collect()
}

fn fixtures(group: &str) -> Vec<Files> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = WalkDir::new(folder.join(group))
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name();
    let folders = entries
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_dir());
    folders.map(|entry| below(entry.path())).collect()
}

fn examples() -> Vec<Files> {
    let examples = RULES.iter().flat_map(|rule| rule.examples.iter());
    examples.map(|example| example.files.clone()).collect()
}

fn content(path: &str, text: &str) -> Content {
    let kind = FileKind::of(path);
    let is_part = kind.is_some_and(|kind| {
        kind.is_read_by_others() || matches!(kind, FileKind::Jsonnet | FileKind::Program)
    });
    match is_part {
        true => Content::Template(text.to_owned()),
        false => Content::Text(text.to_owned()),
    }
}

/// Everything that a report says.
fn said(report: &Report) -> String {
    let parts: [&dyn Debug; 8] = [
        &report.findings,
        &report.suppressed,
        &report.counted,
        &report.not_judged,
        &report.problems,
        &report.warnings,
        &report.inventories,
        &report.counts,
    ];
    format!("{parts:#?}")
}

/// A run over files in memory.
fn run(files: &Files, cache: Option<&Cache>, table: &Table) -> String {
    let own = files.iter().find(|(path, _)| path == ".kubetaint.yaml");
    let mut config = own.map_or_else(Config::default, |(path, text)| {
        let source = Source::new(path.as_str(), text.as_str());
        config::parse(source, SourceId::CONFIGURATION).unwrap_or_default()
    });
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    config.make_clusters(&paths);
    let read: Vec<&(String, String)> = files
        .iter()
        .filter(|(path, _)| path != ".kubetaint.yaml")
        .collect();
    let inputs = read.iter().map(|(path, _)| Input {
        path: path.as_str().into(),
        scanned_from: 0,
    });
    let inputs: Vec<Input> = inputs.collect();
    let load = |at: usize| content(&read[at].0, &read[at].1);
    let settings = Settings {
        rules: &RULES,
        table,
        config: &config,
        whole: true,
        suppressions: Suppressions::Off,
        rendered: None,
        cache,
    };
    said(&lint(&inputs, &load, settings))
}

fn first_difference(one: &str, other: &str) -> String {
    let mut lines = one.lines().zip(other.lines());
    let found = lines.find(|(one, other)| one != other);
    format!("{found:#?}")
}

/// Compares runs with and without a cache, before and after edits. Returns how many files were asked for, and how many of
/// them were known.
fn compare(files: &Files, is_edited: bool) -> (usize, usize) {
    let fresh = run(files, None, &TABLE);
    let first = Cache::new(key(PROGRAM), Vec::new());
    let cold = run(files, Some(&first), &TABLE);
    assert!(fresh == cold, "{}", first_difference(&fresh, &cold));
    let pack = first.packed().unwrap_or_default();
    let second = Cache::new(key(PROGRAM), pack.clone());
    let warm = run(files, Some(&second), &TABLE);
    assert!(fresh == warm, "{}", first_difference(&fresh, &warm));
    // Another file at the beginning gives all others new ids.
    for change in (0..3).filter(|_| is_edited) {
        let mut edited = files.clone();
        match change {
            0 => edited.insert(0, ("0.yaml".to_owned(), "a: b\n".to_owned())),
            1 => {
                edited.remove(0);
            }
            _ => {
                let middle = edited.len() / 2;
                let text = &mut edited[middle].1;
                *text = text.replace("NoSchedule", "NoExecute");
                text.insert_str(0, "# more\n");
            }
        }
        let again = Cache::new(key(PROGRAM), pack.clone());
        let (fresh, warm) = (
            run(&edited, None, &TABLE),
            run(&edited, Some(&again), &TABLE),
        );
        assert!(fresh == warm, "{}", first_difference(&fresh, &warm));
    }
    second.counts()
}

fn compare_all(all: Vec<Files>) -> (usize, usize) {
    // Edits take long, so that not all are made.
    let counts = all.iter().enumerate();
    let counts = counts.map(|(at, files)| compare(files, at % 8 == 0));
    counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

#[test]
fn reports_are_the_same_with_what_was_kept_of_fixtures() {
    let mut all = fixtures("situations");
    all.extend(fixtures("providers"));
    all.extend(fixtures("diffs"));
    let (asked, known) = compare_all(all);
    assert!(known * 10 > asked * 7, "{known} of {asked}");
}

#[test]
fn reports_are_the_same_with_what_was_kept_of_examples_of_rules() {
    let (asked, known) = compare_all(examples());
    assert!(known * 10 > asked * 9, "{known} of {asked}");
}

/// Charts are what takes the longest to read.
#[test]
fn templates_of_charts_are_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/charts");
    let entries = WalkDir::new(folder).min_depth(1).max_depth(1);
    let charts: Vec<Files> = entries
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .map(|entry| below(entry.path()))
        .filter(|files| !files.is_empty())
        .collect();
    assert!(charts.len() > 3);
    let (asked, known) = compare_all(charts);
    assert_eq!(asked, known);
}

/// The facts of a file in every way that a file is read.
fn readings(path: &str, text: &str) -> Vec<FileFacts> {
    let plain = Source::new(path, text);
    let rendered = plain.clone().rendered(true);
    let id = SourceId(7);
    vec![
        extract(&plain, id, &TABLE),
        extract(&rendered, id, &TABLE),
        extract_part(&plain, id, &TABLE),
    ]
}

fn every_text() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Files = examples().into_iter().flatten().collect();
    for folder in ["fixtures", "tests/conformance/charts"] {
        files.extend(below(&root.join(folder)));
    }
    files
}

fn about(text: &str) -> About {
    About {
        id: SourceId(7),
        length: text.len(),
    }
}

#[test]
fn facts_are_read_back_as_they_were_written() {
    let (mut all, mut kept) = (0, 0);
    for (path, text) in every_text() {
        for facts in readings(&path, &text) {
            all += 1;
            let Some(bytes) = Writer::bytes(about(&text), &facts) else {
                continue;
            };
            kept += 1;
            let again: Option<FileFacts> = Reader::value(about(&text), &bytes);
            let again = again.unwrap_or_else(|| panic!("{path}: not read back"));
            assert_eq!(format!("{again:?}"), format!("{facts:?}"), "{path}");
        }
    }
    assert!(kept * 10 > all * 7, "{kept} of {all}");
}

#[test]
fn what_was_read_in_another_way_is_not_taken() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a}]\n  \
               tolerations: [{key: a, operator: Exist}]\n";
    let own = "name: own\nabout: Ours.\nworkloads: [{group: example.com, kinds: [Runner], pods: [spec.pod.spec]}]\n";
    let runner = "apiVersion: example.com/v1\nkind: Runner\nmetadata: {name: a}\nspec:\n  pod:\n    spec: {tolerations: [{key: a, operator: Exist}]}\n";
    let tables = kubetaint::builtin::PROVIDERS.iter().copied();
    let other = Table::load(tables.chain([("own.yaml", own)])).unwrap();
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let plain = vec![file("web/templates/a.yaml", pod), file("b.yaml", runner)];
    let mut chart = plain.clone();
    chart.push(file("web/Chart.yaml", "name: web\nversion: 1.0.0\n"));
    let moved = vec![file("web/values.yaml", pod), file("b.yaml", runner)];
    let kept = Cache::new(key(PROGRAM), Vec::new());
    run(&plain, Some(&kept), &TABLE);
    let pack = kept.packed().unwrap();
    let known = |files: &Files, table: &Table, program: &[u8]| {
        let cache = Cache::new(key(program), pack.clone());
        assert_eq!(run(files, Some(&cache), table), run(files, None, table));
        cache.counts().1
    };
    assert_eq!(known(&plain, &TABLE, PROGRAM), 2);
    assert_eq!(known(&chart, &TABLE, PROGRAM), 1, "a tool renders it");
    assert_eq!(known(&moved, &TABLE, PROGRAM), 1, "another path");
    assert_eq!(known(&plain, &other, PROGRAM), 0, "another table");
    assert_eq!(known(&plain, &TABLE, b"another"), 0, "another program");
}

fn small() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/situations");
    let all = WalkDir::new(folder).min_depth(1).max_depth(1);
    let all = all.sort_by_file_name().into_iter().flatten();
    let mut all = all.map(|entry| below(entry.path()));
    all.find(|files| (3..8).contains(&files.len())).unwrap()
}

fn pack_of(files: &Files) -> Vec<u8> {
    let cache = Cache::new(key(PROGRAM), Vec::new());
    run(files, Some(&cache), &TABLE);
    cache.packed().unwrap()
}

/// A run with a pack gives the same report, and leaves a pack that is whole.
fn mends(files: &Files, fresh: &str, pack: Vec<u8>, what: &str) -> usize {
    let cache = Cache::new(key(PROGRAM), pack.clone());
    let found = run(files, Some(&cache), &TABLE);
    assert!(
        fresh == found,
        "{what}: {}",
        first_difference(fresh, &found)
    );
    let (asked, known) = cache.counts();
    let after = cache.packed().unwrap_or(pack);
    let again = Cache::new(key(PROGRAM), after);
    run(files, Some(&again), &TABLE);
    assert_eq!(again.counts(), (asked, asked), "{what}");
    known
}

#[test]
fn a_damaged_pack_changes_nothing_and_is_replaced() {
    let files = small();
    let fresh = run(&files, None, &TABLE);
    let pack = pack_of(&files);
    assert_eq!(
        mends(&files, &fresh, pack.clone(), "whole"),
        files.len(),
        "{files:#?}"
    );
    let step = (pack.len() / 97).max(1);
    let mut served = 0;
    for at in (0..pack.len()).step_by(step) {
        for bit in [0x01, 0x80] {
            let mut damaged = pack.clone();
            damaged[at] ^= bit;
            let known = mends(&files, &fresh, damaged, &format!("byte {at}"));
            assert!(known < files.len(), "byte {at} is not looked at");
            served += known;
        }
    }
    assert!(served > 0, "damage to one entry spoils all others");
}

#[test]
fn a_pack_that_was_cut_off_changes_nothing_and_is_replaced() {
    let files = small();
    let fresh = run(&files, None, &TABLE);
    let pack = pack_of(&files);
    let step = (pack.len() / 61).max(1);
    for length in (0..pack.len()).step_by(step).chain([pack.len() - 1]) {
        let cut = pack[..length].to_vec();
        mends(&files, &fresh, cut, &format!("{length} bytes"));
    }
    let mut longer = pack.clone();
    longer.extend_from_slice(&pack);
    mends(&files, &fresh, longer, "twice");
    mends(&files, &fresh, b"kubetaint facts 9\n".repeat(9), "garbage");
    mends(&files, &fresh, vec![0xff; 4096], "garbage");
}

/// Whoever writes a pack can give it the right check sums.
#[test]
fn made_up_facts_are_read_without_panic_and_stay_in_the_text() {
    let mut read = 0;
    for (path, text) in every_text().iter().step_by(7) {
        let facts = extract(
            &Source::new(path.as_str(), text.as_str()),
            SourceId(7),
            &TABLE,
        );
        let Some(bytes) = Writer::bytes(about(text), &facts) else {
            continue;
        };
        let step = (bytes.len() / 200).max(1);
        for at in (0..bytes.len()).step_by(step) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut made_up = bytes.clone();
                made_up[at] = value;
                let found: Option<FileFacts> = Reader::value(about(text), &made_up);
                for span in found.iter().flat_map(|facts| &facts.workloads) {
                    let end = span.span.end as usize;
                    assert!(end <= text.len() + 1, "{path}");
                    assert_eq!(span.span.source, SourceId(7));
                }
                read += usize::from(found.is_some());
            }
        }
    }
    assert!(read > 0);
}

/// Lists of lists without end would take all of the stack, and lengths beyond the text all of the memory.
#[test]
fn made_up_lengths_and_depths_have_limits() {
    for byte in 0..=u8::MAX {
        for length in [1, 64, 4096, 1 << 20] {
            let made_up = vec![byte; length];
            let found: Option<FileFacts> = Reader::value(about("a: b\n"), &made_up);
            assert!(found.is_none(), "{length} bytes {byte}");
        }
    }
}

#[test]
fn what_no_run_uses_any_more_is_left_out_after_a_while() {
    let pod = |name: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n");
    let file = |name: &str| (format!("{name}.yaml"), pod(name));
    let mut pack = pack_of(&vec![file("old"), file("stays")]);
    let known = |pack: &[u8], name: &str| {
        let cache = Cache::new(key(PROGRAM), pack.to_vec());
        run(&vec![file(name)], Some(&cache), &TABLE);
        cache.counts().1 == 1
    };
    for number in 0..12 {
        assert!(known(&pack, "stays"));
        assert_eq!(known(&pack, "old"), number < 8, "after {number} packs");
        let cache = Cache::new(key(PROGRAM), pack);
        let files = vec![file("stays"), file(&format!("new{number}"))];
        run(&files, Some(&cache), &TABLE);
        pack = cache.packed().unwrap();
    }
}

#[test]
fn a_run_that_read_little_writes_no_pack() {
    let pod = |name: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n");
    let file = |number: u32| (format!("{number}.yaml"), pod(&number.to_string()));
    let mut files: Files = (0..200).map(file).collect();
    let pack = pack_of(&files);
    let packed = |files: &Files| {
        let cache = Cache::new(key(PROGRAM), pack.clone());
        run(files, Some(&cache), &TABLE);
        cache.packed().is_some()
    };
    assert!(!packed(&files));
    files.extend((200..202).map(file));
    assert!(!packed(&files));
    files.extend((202..220).map(file));
    assert!(packed(&files));
}

#[test]
fn made_up_facts_do_not_take_all_of_the_memory() {
    let read = |groups: usize| {
        let facts = FileFacts {
            chart_groups: vec![Group::default(); groups].into(),
            ..FileFacts::default()
        };
        let bytes = Writer::bytes(about("a: b\n"), &facts).unwrap();
        Reader::value::<FileFacts>(about("a: b\n"), &bytes)
    };
    assert_eq!(read(100).unwrap().chart_groups.len(), 100);
    assert!(read(10_000).is_none());
}

#[test]
fn made_up_facts_within_facts_do_not_take_all_of_the_stack() {
    let bytes = |facts: &FileFacts| Writer::bytes(about("a: b\n"), facts).unwrap();
    let place = Span::new(SourceId(7), 0..0);
    let facts = FileFacts::default();
    let plain = bytes(&facts);
    let with_one = bytes(&FileFacts {
        heredocs: vec![(place, facts)],
        ..FileFacts::default()
    });
    let at = with_one.iter().position(|byte| *byte == 1).unwrap();
    let nested = |levels: usize| {
        let mut bytes = Vec::new();
        for _ in 0..levels {
            bytes.extend_from_slice(&with_one[..at + 3]);
        }
        bytes.extend_from_slice(&plain);
        for _ in 0..levels {
            bytes.extend_from_slice(&plain[at + 1..]);
        }
        bytes
    };
    assert_eq!(nested(1), with_one);
    let read = |levels| Reader::value::<FileFacts>(about("a: b\n"), &nested(levels));
    assert!(read(10).is_some());
    assert!(read(100_000).is_none());
}

/// Otherwise, somebody could make a harmless file and another one that is taken for it.
#[test]
fn nobody_knows_the_keys_of_a_pack_before() {
    let keys = [0, 1].map(|_| Cache::new(key(PROGRAM), Vec::new()).key(&[b"a"]));
    assert_ne!(keys[0], keys[1]);
    let pack = pack_of(&small());
    let kept = [0, 1].map(|_| Cache::new(key(PROGRAM), pack.clone()).key(&[b"a"]));
    assert_eq!(kept[0], kept[1]);
}
