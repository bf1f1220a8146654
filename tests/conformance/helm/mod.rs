//! What is read from the templates of charts, and what the tables of charts say, against Helm itself: a marked value must reach
//! exactly the pods that are claimed, and what a template writes itself must be in the pods that Helm makes of it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod claims;
mod filled;
mod prints;
mod umbrella;
mod values;
mod written;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::questions::{self, oracle};
use crate::vectors::assert_agreement;
use claims::{Chart, Claim};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The variable that names the oracle.
const ORACLE: &str = "KUBETAINT_HELM_ORACLE";

/// A chart with values, as the oracle reads it.
#[derive(Debug, Clone, Serialize)]
struct Question {
    chart: PathBuf,
    values: Json,
}

#[derive(Debug, Clone, Deserialize)]
struct Answer {
    #[serde(default)]
    refused: String,
    #[serde(default)]
    templates: Option<Vec<Rendered>>,
}

/// What Helm makes of one template.
#[derive(Debug, Clone, Deserialize)]
struct Rendered {
    path: String,
    #[serde(default)]
    refused: String,
    pods: Vec<Pod>,
}

#[derive(Debug, Clone, Deserialize)]
struct Pod {
    kind: String,
    name: String,
    place: String,
    fields: Map<String, Json>,
}

/// What a comparison counts.
#[derive(Default)]
struct Tally {
    charts: usize,
    /// Inputs that are claimed, and what became of them.
    claims: usize,
    reached: usize,
    conditional: usize,
    nothing_rendered: usize,
    /// Fields of rendered pods that are known from the text of their template, completely or in part.
    known: usize,
    in_part: usize,
    prints: prints::Prints,
    filled: filled::Filled,
}

impl Tally {
    fn said(&self) -> String {
        format!(
            "{} charts, {} claims: {} reach their pods, {} under a condition, {} render nothing; {} fields known, {} in part; {}; {}",
            self.charts,
            self.claims,
            self.reached,
            self.conditional,
            self.nothing_rendered,
            self.known,
            self.in_part,
            self.prints.said(),
            self.filled.said()
        )
    }
}

/// One question about a chart: with the values of a claim, or without any.
enum Asked<'c> {
    Plain,
    Claim(&'c Claim),
}

/// Compares some charts below a folder.
fn compare(folder: &Path, charts: &[Chart], tally: &mut Tally) -> Vec<String> {
    let mut differences = Vec::new();
    let mut plan = Vec::new();
    let mut questions = Vec::new();
    for chart in charts {
        let mut add = |asked, values| {
            plan.push((chart, asked));
            questions.push(Question {
                chart: chart.folder.clone(),
                values,
            });
        };
        tally.charts += 1;
        tally.prints.add(&chart.prints);
        differences.extend(chart.wrong_defaults());
        add(Asked::Plain, Json::Object(Map::new()));
        add(Asked::Plain, values::switched_on(&chart.defaults));
        for claim in &chart.claims {
            add(Asked::Claim(claim), claim.values(&chart.defaults, false));
            add(Asked::Claim(claim), claim.values(&chart.defaults, true));
        }
    }
    let filled: BTreeMap<&Path, filled::Templates> = charts
        .iter()
        .map(|chart| (chart.folder.as_path(), filled::Templates::of(chart)))
        .collect();
    let mut plan = plan.into_iter();
    // A claim is asked twice: as the chart is, and with all that is switched off by default.
    let mut first: Option<Verdict> = None;
    questions::ask(
        &mut oracle(ORACLE),
        questions.into_iter(),
        |asked, answer: Answer| {
            let (chart, question) = plan.next().expect("an answer for each question");
            let told =
                |found: String| format!("{}: {found}\n  {}", chart.name(folder), asked.values);
            let templates = answer.templates.unwrap_or_default();
            if !answer.refused.is_empty() {
                println!("{}: {}", chart.name(folder), answer.refused);
            }
            let found = written::differences(chart, &templates, tally);
            differences.extend(found.into_iter().map(&told));
            if let Some(own) = filled.get(chart.folder.as_path()) {
                let found = own.differences(&asked.values, &templates, &mut tally.filled);
                differences.extend(found.into_iter().map(told));
            }
            let Asked::Claim(claim) = question else {
                return;
            };
            let verdict = claim.verdict(&templates);
            let Some(before) = first.take() else {
                first = Some(verdict);
                return;
            };
            tally.claims += 1;
            match before.or(verdict) {
                Verdict::Reached => tally.reached += 1,
                Verdict::Conditional => tally.conditional += 1,
                Verdict::Nothing => tally.nothing_rendered += 1,
                Verdict::Different(why) => differences.push(told(why)),
            }
        },
    );
    differences
}

/// What became of a marked value.
#[derive(Debug, Clone)]
enum Verdict {
    /// Every pod that is claimed has it, and no other.
    Reached,
    /// No pod has it, but it is claimed only under a condition.
    Conditional,
    /// None of the pods is rendered.
    Nothing,
    Different(String),
}

impl Verdict {
    /// The verdict about two renderings.
    fn or(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Different(why), _) | (_, Verdict::Different(why)) => Verdict::Different(why),
            (Verdict::Reached, _) | (_, Verdict::Reached) => Verdict::Reached,
            (Verdict::Conditional, _) | (_, Verdict::Conditional) => Verdict::Conditional,
            _ => Verdict::Nothing,
        }
    }
}

/// What is read from the templates of all charts below a folder.
fn read_templates(folder: &Path) -> Vec<Chart> {
    claims::read(folder, &folders(folder))
}

/// What tables say about the charts below a folder: the table beside a chart, or the one of the program for its version. A
/// folder `owner__name` has the charts of that owner on GitHub.
fn read_tables(folder: &Path) -> Vec<Chart> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let owner = name.split_once("__").map(|(owner, _)| owner);
    let all = folders(folder);
    all.iter()
        .filter_map(|one| Chart::in_tables(one, owner))
        .collect()
}

/// The folders of charts below a folder, in order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        if folder.join("Chart.yaml").is_file() {
            found.push(folder.clone());
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != ".git" {
                open.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The folders below a folder that have charts in them.
fn repositories(folder: &Path) -> BTreeMap<String, PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let all = all.filter(|entry| entry.path().is_dir());
    all.map(|entry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        )
    })
    .collect()
}

/// The folder of charts that come with this test.
fn own_charts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/charts")
}

/// Compares the charts of each repository in the folder that `KUBETAINT_CHARTS` names, or in `../shared/corpus`, which need not
/// be there.
fn compare_repositories(read: fn(&Path) -> Vec<Chart>) {
    let shared = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = std::env::var_os("KUBETAINT_CHARTS").map_or_else(shared, PathBuf::from);
    let mut all = Vec::new();
    let mut claims = 0;
    for (name, path) in repositories(&folder) {
        let mut tally = Tally::default();
        let differences = compare(&path, &read(&path), &mut tally);
        if tally.charts > 0 {
            println!(
                "{name}: {}, {} differences",
                tally.said(),
                differences.len()
            );
        }
        claims += tally.claims;
        all.extend(differences.into_iter().map(|one| format!("{name}: {one}")));
    }
    if let Some(file) = std::env::var_os("KUBETAINT_DIFFERENCES") {
        fs::write(file, all.join("\n")).expect("the differences can be written");
    }
    assert_agreement("real charts", claims, &all);
}

#[test]
#[ignore = "needs the oracle"]
fn charts_are_read_as_helm_renders_them() {
    let mut tally = Tally::default();
    let folder = own_charts();
    let differences = compare(&folder, &read_templates(&folder), &mut tally);
    println!("{}, {} differences", tally.said(), differences.len());
    assert_agreement("charts", tally.claims, &differences);
    // What is not known agrees with anything.
    assert!(tally.charts >= 15, "{} charts", tally.charts);
    assert!(tally.reached >= 45, "{} values", tally.reached);
    assert!(tally.known >= 50, "{} fields", tally.known);
}

#[test]
#[ignore = "needs the oracle"]
fn tables_of_charts_say_what_helm_renders() {
    let mut tally = Tally::default();
    let folder = own_charts();
    let differences = compare(&folder, &read_tables(&folder), &mut tally);
    println!("{}, {} differences", tally.said(), differences.len());
    assert_agreement("tables", tally.claims, &differences);
    assert!(tally.reached >= 3, "{} values", tally.reached);
}

#[test]
#[ignore = "needs the oracle and repositories"]
fn real_charts_are_read_as_helm_renders_them() {
    compare_repositories(read_templates);
}

#[test]
#[ignore = "needs the oracle and repositories"]
fn tables_of_real_charts_say_what_helm_renders() {
    compare_repositories(read_tables);
}
