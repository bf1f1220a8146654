//! The built-in rules and tables, loaded once per test binary.

#![allow(dead_code, reason = "other test programs use a part of it")]
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::sync::LazyLock;

use kubetaint::builtin;
use kubetaint::config::Config;
use kubetaint::extract::{FileFacts, Table};
use kubetaint::finding::Report;
use kubetaint::lint::gather::{Gathered, gather};
use kubetaint::lint::{Input, Paths, Suppressions};
use kubetaint::rule::RuleSet;
use kubetaint::source::{Source, SourceId};
use kubetaint::verify;

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
            path: source.path.as_str().into(),
            scanned_from: 0,
        };
        (SourceId(u32::try_from(at).expect("few files")), input)
    });
    let paths = Paths::new(inputs, None);
    gather(
        (facts.into_iter(), 0),
        FileFacts::default(),
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
