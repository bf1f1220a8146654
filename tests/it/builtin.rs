//! The built-in rules and tables, loaded once per test binary.

#![allow(dead_code, reason = "other test programs use a part of it")]
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::sync::LazyLock;

use kubetaint::builtin;
use kubetaint::charts::ChartFile;
use kubetaint::config::Config;
use kubetaint::extract::rows::Provider;
use kubetaint::extract::{FileFacts, Table};
use kubetaint::finding::Report;
use kubetaint::lint::gather::{Gathered, gather};
use kubetaint::lint::{Input, Paths, Suppressions};
use kubetaint::rule::RuleSet;
use kubetaint::rule::schema::RuleFile;
use kubetaint::source::{Source, SourceId};
use kubetaint::verify;
use kubetaint::yaml;

/// The built-in rules.
pub static RULES: LazyLock<RuleSet> = LazyLock::new(|| aside(|| rules_beside(&[])));

/// The built-in tables.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    aside(|| Table::load(builtin::PROVIDERS.iter().copied()).expect("the built-in tables load"))
});

/// Runs something that uses several threads on threads of its own. Those of a parallel test may all be waiting for its
/// result.
fn aside<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let threads = threads.expect("two threads");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| threads.install(run));
        running.join().expect("no panic")
    })
}

/// User-defined rules together with the built-in ones.
pub fn rules_beside(own: &[Source]) -> RuleSet {
    RuleSet::load_beside(builtin::CARRIED_RULES, own).expect("the rules load")
}

/// Facts about files as rules see them, without a configuration.
pub fn gathered(facts: Vec<FileFacts>, sources: &[Source]) -> Gathered {
    let inputs = sources.iter().enumerate().map(|(at, source)| {
        let input = Input {
            path: source.path.clone(),
            scanned_from: 0,
        };
        (SourceId(u32::try_from(at).expect("few files")), input)
    });
    let paths = Paths::new(inputs, None);
    gather(
        (facts, FileFacts::default()),
        kubetaint::lint::kustomizations::Kustomizations::default(),
        paths,
        &Config::default(),
        &mut Report::default(),
    )
}

/// Checks files in memory, using the configuration among them, if any.
pub fn judged<T: AsRef<str>>(
    rules: &RuleSet,
    files: &[(T, T)],
    suppressions: Suppressions,
) -> Report {
    verify::report(rules, &TABLE, files, suppressions).expect("the configuration is right")
}

/// A value without the places in it.
fn without_places(value: &impl std::fmt::Debug) -> String {
    let places = regex::Regex::new(r"Span \{[^}]*\}").expect("a pattern");
    let shown = format!("{value:?}");
    places.replace_all(&shown, "Span").into_owned()
}

#[test]
fn what_the_program_carries_says_what_the_files_say() {
    fn of_yaml<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> T {
        let read = yaml::read(&Source::new(file, text), SourceId(0), file);
        assert_eq!(read.errors, [], "{file}");
        read.value.expect("a file with content")
    }
    fn of_json<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> T {
        let read = yaml::read_json(text, SourceId(0), file);
        assert_eq!(read.errors, [], "{file}");
        read.value.expect("a file with content")
    }
    for ((file, text), carried) in builtin::RULES.iter().zip(builtin::CARRIED_RULES) {
        assert_eq!(*file, carried.file);
        let written: RuleFile = of_yaml(file, text);
        let mut read: RuleFile = of_json(file, carried.rule);
        assert!(read.examples.is_empty());
        read.examples = of_json(file, carried.examples);
        assert_eq!(without_places(&read), without_places(&written), "{file}");
        let order = |rule: &RuleFile| {
            let mut names: Vec<_> = rule.names.iter().collect();
            names.sort_by_key(|(_, text)| text.span.start);
            let names = names.into_iter();
            names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(order(&read), order(&written), "{file}");
    }
    let carried = builtin::CARRIED_PROVIDERS.iter();
    for ((file, text), (name, json)) in builtin::PROVIDERS.iter().zip(carried) {
        assert_eq!(file, name);
        let (read, written): (Provider, Provider) = (of_json(file, json), of_yaml(file, text));
        assert_eq!(without_places(&read), without_places(&written), "{file}");
    }
    for ((file, text), (name, json)) in builtin::CHARTS.iter().zip(builtin::CARRIED_CHARTS) {
        assert_eq!(file, name);
        let read: ChartFile = serde_json::from_str(json).expect("a table of a chart");
        let written: ChartFile = serde_yaml::from_str(text).expect("a table of a chart");
        assert_eq!(format!("{read:?}"), format!("{written:?}"), "{file}");
    }
}
