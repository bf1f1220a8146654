//! Ratios against yardsticks in the same run, on the same texts: deserialising everything with serde_yaml, and counting
//! a word. Nothing here asserts a time; numbers are for people who compare two commits on one machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kubetaint::builtin::{PROVIDERS, RULES};
use kubetaint::config::Config;
use kubetaint::extract::Table;
use kubetaint::lint::{Content, Input, Settings, Suppressions, lint};
use kubetaint::rule::RuleSet;
use kubetaint::source::Source;
use serde::Deserialize as _;

/// Manifests as repositories have them: most without tolerations, few distinct shapes.
fn texts(count: usize) -> Vec<String> {
    (0..count).map(text).collect()
}

fn text(number: usize) -> String {
    let tolerations = match number % 5 {
        0 => {
            "      tolerations:\n        - {key: example.com/dedicated, value: web, effect: NoSchedule}\n"
        }
        1 => "      nodeSelector:\n        example.com/pool: web\n",
        _ => "",
    };
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-{number}\n  labels: {{app: app-{number}}}\n\
         spec:\n  replicas: 3\n  selector:\n    matchLabels: {{app: app-{number}}}\n  template:\n    metadata:\n      \
         labels: {{app: app-{number}}}\n    spec:\n{tolerations}      containers:\n        - name: main\n          \
         image: registry.example.com/app:{number}\n          env:\n            - {{name: A, value: \"1\"}}\n            \
         - {{name: B, value: \"2\"}}\n          resources:\n            requests: {{cpu: 100m, memory: 128Mi}}\n"
    )
}

/// The shortest of a few runs: what the work costs when nothing disturbs it.
fn shortest(mut work: impl FnMut()) -> Duration {
    (0..5)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn check(texts: &[String], rules: &RuleSet, table: &Table, config: &Config) {
    let inputs: Vec<Input> = (0..texts.len())
        .map(|number| Input {
            path: format!("apps/{number}.yaml").into(),
            scanned_from: 0,
        })
        .collect();
    let settings = Settings {
        rules,
        table,
        config,
        whole: true,
        suppressions: Suppressions::On(jiff::civil::date(2026, 1, 1)),
        rendered: None,
        cache: None,
    };
    let report = lint(&inputs, &|at| Content::Text(texts[at].clone()), settings);
    black_box(report);
}

fn main() {
    let sources: Vec<Source> = RULES
        .iter()
        .map(|(name, text)| Source::new(format!("rules/{name}"), *text))
        .collect();
    let rules = RuleSet::load(&sources).unwrap_or_default();
    let none = RuleSet::default();
    let table = Table::load(PROVIDERS.iter().copied()).unwrap_or_default();
    let config = Config::default();
    let small = texts(4_000);
    let large = texts(8_000);

    let once = shortest(|| check(&small, &rules, &table, &config));
    let twice = shortest(|| check(&large, &rules, &table, &config));
    let without = shortest(|| check(&small, &none, &table, &config));
    let parsed = shortest(|| {
        for text in &small {
            let value = serde_yaml::Value::deserialize(serde_yaml::Deserializer::from_str(text));
            let _ = black_box(value);
        }
    });
    let counted = shortest(|| {
        let finder = memchr::memmem::Finder::new("tolerations");
        for text in &small {
            black_box(finder.find_iter(text.as_bytes()).count());
        }
    });

    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64().max(1e-9);
    println!(
        "check / deserialising with serde_yaml (one thread): {:.2}",
        ratio(once, parsed)
    );
    println!(
        "check / counting one word in memory: {:.0}",
        ratio(once, counted)
    );
    println!(
        "check of twice the files / check: {:.2}",
        ratio(twice, once)
    );
    println!("share of the rules: {:.2}", 1.0 - ratio(without, once));
}
