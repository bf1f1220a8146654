//! Configurations: one is refused with its mistakes, or its patterns and clusters answer for any path, and a small repository
//! is checked with it.

#![no_main]

use kubetaint::config;
use kubetaint::source::{Source, SourceId};
use kubetaint_fuzz::{RULES, prepare, report, report_places, stated};
use libfuzzer_sys::fuzz_target;

/// Files of a repository that patterns may mean.
const FILES: [(&str, &str); 5] = [
    (
        "clusters/prod/pools.yaml",
        include_str!("../samples/pools.yaml"),
    ),
    (
        "apps/prod/web.yaml",
        include_str!("../samples/workloads.yaml"),
    ),
    ("inventory/prod.yaml", ""),
    ("terraform/prod/main.tf", ""),
    ("größe/[a] {b}.yaml", ""),
];

fuzz_target!(init: prepare(), |text: &str| {
    let source = Source::new(".kubetaint.yaml", text);
    let mut config = match config::parse(source, SourceId::CONFIGURATION) {
        Ok(config) => config,
        Err(problems) => return stated(&problems),
    };
    let ids: Vec<&str> = RULES.iter().map(|rule| rule.id.as_str()).collect();
    config.check_names(&ids);
    let paths = FILES.map(|(path, _)| path);
    config.make_clusters(&paths);
    config.check_used(&paths);
    for path in paths {
        let clusters = config.clusters_of(path);
        assert!(clusters.iter().all(|at| *at < config.clusters.len()));
        config.clusters_of_inventory(path);
        config.is_test(path, path);
    }
    let own = [(".kubetaint.yaml", text)];
    let files: Vec<(String, String)> = FILES
        .iter()
        .chain(&own)
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    if let Some(report) = report(&files) {
        report_places(&report);
    }
});
