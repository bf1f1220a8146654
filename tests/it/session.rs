//! Compares a long-lived session with a new one over the same files: after any edit, addition or removal of files, both
//! give the same report.
//!
//! `KUBETAINT_SESSION_FOLDERS` names folders with real repositories (separated by `:`) to edit as well.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use crate::builtin::{RULES, TABLE};
use kubetaint::config::{self, Config};
use kubetaint::finding::Report;
use kubetaint::lint::session::Session;
use kubetaint::lint::{Content, Input, Purpose, Settings, Suppressions, check, lint, list_pools};
use kubetaint::source::{Source, SourceId};
use walkdir::WalkDir;

/// Texts by path.
type Texts = BTreeMap<String, String>;

fn texts(folder: &Path) -> Texts {
    let entries = WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(folder).ok()?.to_str()?;
            let is_read = [
                ".yaml", ".yml", ".json", ".tf", ".tfvars", ".tpl", ".hcl", ".ini",
            ];
            let is_read = is_read.iter().any(|ending| path.ends_with(ending));
            let is_read = is_read && !path.split('/').any(|part| part == ".git");
            let text = fs::read_to_string(entry.path()).ok()?;
            is_read.then(|| (path.to_owned(), text))
        })
        .collect()
}

fn inputs(texts: &Texts) -> Vec<Input> {
    let paths = texts.keys().filter(|path| *path != ".kubetaint.yaml");
    paths
        .map(|path| Input {
            path: path.as_str().into(),
            scanned_from: 0,
        })
        .collect()
}

fn config_of(texts: &Texts) -> Config {
    let mut config = texts
        .get(".kubetaint.yaml")
        .map_or_else(Config::default, |text| {
            let source = Source::new(".kubetaint.yaml", text.as_str());
            config::parse(source, SourceId::CONFIGURATION).unwrap_or_default()
        });
    let paths: Vec<&str> = texts.keys().map(String::as_str).collect();
    config.make_clusters(&paths);
    config
}

/// A report without everything that depends on the numbering of sources.
fn written(report: &Report) -> String {
    let place = |span: kubetaint::source::Span| {
        let source = report.sources.get(&span.source);
        let path = source.map_or("", |source| source.path.as_str());
        format!("{path}:{}-{}", span.start, span.end)
    };
    let findings = report.findings.iter().chain(&report.counted);
    let findings: Vec<String> = findings
        .map(|one| {
            let related = one.related.iter().map(|label| place(label.span));
            let fix = one.fix.iter().flat_map(|fix| &fix.edits);
            format!(
                "{} {} {:?} {} {} {} {:?} {:?}",
                place(one.span),
                one.rule,
                one.severity,
                one.message,
                one.path,
                one.fingerprint,
                related.collect::<Vec<_>>(),
                fix.map(|edit| (edit.span.range(), &edit.text))
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    format!(
        "{}\n{problems:#?}\n{:#?}\n{:#?}",
        findings.join("\n"),
        report.counts,
        report.not_judged
    )
}

/// A text after a typical manual edit.
fn edited(text: &str, other: &str, number: usize) -> String {
    let half: String = text.chars().take(text.chars().count() / 2).collect();
    match number % 6 {
        0 => text.replacen("NoSchedule", "NoExecute", 1) + "\n",
        1 => other.to_owned(),
        2 => half,
        3 => format!("# a comment\n{text}"),
        4 => text
            .replace("dedicated", "reserved")
            .replace("taint", "tiant"),
        _ => String::new(),
    }
}

fn settings(config: &Config) -> Settings<'_> {
    Settings {
        rules: &RULES,
        table: &TABLE,
        config,
        whole: true,
        suppressions: Suppressions::Off,
        rendered: None,
        cache: None,
    }
}

/// Edits the files of a repository one by one and compares the reports.
fn compare(name: &str, files: Texts, edits: usize) {
    let config = config_of(&files);
    let settings = settings(&config);
    let current = Mutex::new(files);
    let load = |at: usize| {
        let current = current.lock().unwrap();
        let text = current
            .iter()
            .filter(|(path, _)| *path != ".kubetaint.yaml")
            .nth(at);
        Content::Text(text.map(|(_, text)| text.clone()).unwrap_or_default())
    };
    let inputs_now = || inputs(&current.lock().unwrap());
    let mut session = Session::open(&inputs_now(), &load, settings);
    for number in 0..edits {
        let paths = inputs_now();
        let paths: Vec<String> = paths.iter().map(|input| input.path.to_string()).collect();
        let Some(path) = paths.get(number * 7 % paths.len().max(1)).cloned() else {
            return;
        };
        let other = paths[number * 3 % paths.len()].clone();
        let (old, other) = {
            let current = current.lock().unwrap();
            (current[&path].clone(), current[&other].clone())
        };
        let what = match number % 8 {
            6 => {
                current.lock().unwrap().remove(&path);
                "removed"
            }
            7 => {
                let added = format!("{path}.added.yaml");
                current.lock().unwrap().insert(added, other);
                "a neighbour added to"
            }
            _ => {
                let new = edited(&old, &other, number);
                current.lock().unwrap().insert(path.clone(), new);
                "edited"
            }
        };
        session.update(&inputs_now(), &load, settings);
        let kept = written(&check(&mut session));
        let fresh = written(&lint(&inputs_now(), &load, settings));
        assert!(
            kept == fresh,
            "{name}: {what} {path}\n{}",
            difference(&kept, &fresh)
        );
    }
}

fn difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines());
    let first = lines.into_iter().find(|(one, other)| one != other);
    first.map_or_else(
        || "one is longer".to_owned(),
        |(one, other)| format!("kept:  {one}\nfresh: {other}"),
    )
}

#[test]
fn reports_of_a_session_are_those_of_a_new_one_whatever_is_edited() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut folders: Vec<_> = fs::read_dir(fixtures.join("situations"))
        .unwrap()
        .chain(fs::read_dir(fixtures.join("providers")).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let mut compared = 0;
    for (at, folder) in folders.iter().enumerate() {
        let files = texts(folder);
        // Comparing all of them takes long, so use every fifth, and only those with several files.
        if files.len() < 2 || at % 5 != 0 {
            continue;
        }
        compared += 1;
        compare(&folder.display().to_string(), files, 8);
    }
    assert!(compared > 5, "{compared} folders");
    let asked = env::var("KUBETAINT_SESSION_FOLDERS").unwrap_or_default();
    for folder in asked.split(':').filter(|folder| !folder.is_empty()) {
        compare(folder, texts(Path::new(folder)), 40);
    }
}

#[test]
fn a_text_that_is_written_counts_until_the_session_is_updated() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a}]\n  \
               tolerations: [{key: a, operator: Exist}]\n";
    let files = Texts::from([("a.yaml".to_owned(), pod.to_owned())]);
    let config = Config::default();
    let settings = settings(&config);
    let load = |_: usize| Content::Text(pod.to_owned());
    let mut session = Session::open(&inputs(&files), &load, settings);
    let report = check(&mut session);
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    session.write(finding.span.source, pod.replace("Exist", "Exists"));
    assert_eq!(check(&mut session).findings, []);
    session.update(&inputs(&files), &load, settings);
    assert_eq!(check(&mut session).findings.len(), 1);
    assert_eq!(
        list_pools(&inputs(&files), &load, settings, Purpose::Table)
            .inventory
            .pools,
        []
    );
}
