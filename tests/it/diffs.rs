//! `kubetaint diff` over pairs of small repositories, one file for each pair in `fixtures/diffs/`: what a change does to
//! placement, pools and findings, and what holds of every pair, whatever it is about.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Run, run, write};

/// A pair of repositories, and what is to be said of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    #[serde(default)]
    both: Files,
    #[serde(default)]
    before: Files,
    #[serde(default)]
    after: Files,
    expected: Expected,
}

type Files = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Expected {
    placement: Vec<Placed>,
    pools: Vec<Pool>,
    /// Rules with findings that must be new, or gone.
    #[serde(default)]
    new: BTreeSet<String>,
    #[serde(default)]
    gone: BTreeSet<String>,
    /// Rules with findings that may be new, or gone, as well.
    #[serde(default)]
    may_be_new: BTreeSet<String>,
    #[serde(default)]
    may_be_gone: BTreeSet<String>,
    exit: i32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    kind: String,
    namespace: Option<String>,
    name: String,
    cluster: String,
    effect: String,
    before: BTreeSet<String>,
    after: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pool {
    pool: String,
    cluster: String,
    change: String,
}

/// A pair by name, with both sides on the disk.
struct Laid {
    name: String,
    pair: Pair,
    folder: TempDir,
}

/// The names of pairs that change nothing begin with this.
const NEAR_MISS: &str = "same-";

/// All pairs. `before` and `after` are the two sides, `shifted` is `after` with its lines further down.
fn pairs() -> Vec<Laid> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diffs");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.par_iter().map(|path| laid(path)).collect()
}

fn laid(path: &Path) -> Laid {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let pair: Pair = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let folder = TempDir::new().unwrap();
    let sides = [
        ("before", &pair.before),
        ("after", &pair.after),
        ("shifted", &pair.after),
    ];
    for (side, own) in sides {
        for (path, text) in pair.both.iter().chain(own) {
            let text = match side {
                "shifted" => shifted(path, text),
                _ => text.clone(),
            };
            write(&folder.path().join(side), path, text);
        }
    }
    Laid { name, pair, folder }
}

/// A file with two more lines at its top, where it may have comments.
fn shifted(path: &str, text: &str) -> String {
    let extension = Path::new(path).extension().and_then(|it| it.to_str());
    let has_comments = matches!(extension, Some("yaml" | "yml" | "tf"));
    match has_comments && !text.starts_with('\u{feff}') && !path.contains("/templates/") {
        true => format!("# One line,\n# and another one.\n{text}"),
        false => text.to_owned(),
    }
}

impl Laid {
    fn run(&self, base: &str, head: &str) -> Run {
        run(self.folder.path(), &["diff", base, head, "-o", "json"])
    }

    /// What the program says, or its complaint.
    fn diff(&self, base: &str, head: &str) -> Result<(Diff, i32), String> {
        let run = self.run(base, head);
        match serde_json::from_str::<Value>(&run.out) {
            Ok(document) if run.code < 2 => Ok((Diff::of(&document), run.code)),
            _ => Err(format!(
                "diff {base} {head} ended with {}: {}{}",
                run.code, run.out, run.err
            )),
        }
    }

    fn is_near_miss(&self) -> bool {
        self.name.starts_with(NEAR_MISS)
    }
}

/// An object in a cluster, as one text.
type Object = String;

/// What happens to an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    effect: String,
    before: BTreeSet<String>,
    after: BTreeSet<String>,
}

/// A document of `diff`, as far as pairs say something of it.
#[derive(Default)]
struct Diff {
    placement: BTreeMap<Object, Vec<Change>>,
    pools: BTreeSet<(String, String, String)>,
    new: Vec<Finding>,
    gone: Vec<Finding>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    rule: String,
    severity: String,
    object: String,
    message: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |all| all)
}

impl Diff {
    fn of(document: &Value) -> Diff {
        let mut diff = Diff::default();
        for one in list(&document["placement"]) {
            let object = &one["object"];
            let (kind, name) = (text(&object["kind"]), text(&object["name"]));
            let namespace = text(&object["namespace"]);
            let key = format!("{namespace}/{kind}/{name} in {}", text(&one["cluster"]));
            let lands = |side: &str| list(&one[side]["lands"]).iter().map(text).collect();
            diff.placement.entry(key).or_default().push(Change {
                effect: text(&one["effect"]),
                before: lands("before"),
                after: lands("after"),
            });
        }
        let pools = list(&document["pools"]).iter();
        diff.pools = pools
            .map(|one| {
                (
                    text(&one["pool"]),
                    text(&one["cluster"]),
                    text(&one["change"]),
                )
            })
            .collect();
        let findings = |side: &str| {
            let all = list(&document["findings"][side]).iter();
            let mut all: Vec<Finding> = all
                .map(|one| Finding {
                    rule: text(&one["rule"]),
                    severity: text(&one["severity"]),
                    object: one["object"].to_string(),
                    message: text(&one["message"]),
                })
                .collect();
            all.sort();
            all
        };
        (diff.new, diff.gone) = (findings("new"), findings("gone"));
        diff
    }

    fn is_empty(&self) -> bool {
        self.placement.is_empty()
            && self.pools.is_empty()
            && self.new.is_empty()
            && self.gone.is_empty()
    }

    /// Everything that is said, one line each.
    fn lines(&self) -> BTreeSet<String> {
        let placement = self.placement.iter().flat_map(|(object, changes)| {
            let lines = changes.iter().map(move |change| line(object, change));
            lines.collect::<Vec<_>>()
        });
        let pools = self.pools.iter().map(pool_line);
        let told = |word: &'static str, all: &[Finding]| -> Vec<String> {
            let lines = all.iter().map(|one| {
                let (severity, rule, object) = (&one.severity, &one.rule, &one.object);
                format!("{word}: {severity} {rule} of {object}: {}", one.message)
            });
            lines.collect()
        };
        placement
            .chain(pools)
            .chain(told("new", &self.new))
            .chain(told("gone", &self.gone))
            .collect()
    }
}

fn line(object: &str, change: &Change) -> String {
    let names = |side: &BTreeSet<String>| side.iter().cloned().collect::<Vec<_>>().join(", ");
    let (before, after) = (names(&change.before), names(&change.after));
    format!("{object} {} [{before}] -> [{after}]", change.effect)
}

fn pool_line((pool, cluster, change): &(String, String, String)) -> String {
    format!("pool {pool} of {cluster}: {change}")
}

/// What is missing in a diff, and what is in it and must not be.
fn differences(laid: &Laid, diff: &Diff, code: i32) -> Vec<String> {
    let expected = &laid.pair.expected;
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for one in &expected.placement {
        let namespace = one.namespace.as_deref().unwrap_or_default();
        let object = format!("{namespace}/{}/{} in {}", one.kind, one.name, one.cluster);
        let change = Change {
            effect: one.effect.clone(),
            before: one.before.clone(),
            after: one.after.clone(),
        };
        wanted.insert(line(&object, &change));
    }
    for one in &expected.pools {
        let of = (one.pool.clone(), one.cluster.clone(), one.change.clone());
        wanted.insert(pool_line(&of));
    }
    let without_findings = Diff {
        placement: diff.placement.clone(),
        pools: diff.pools.clone(),
        ..Diff::default()
    };
    let got = without_findings.lines();
    let mut found: Vec<String> = Vec::new();
    found.extend(wanted.difference(&got).map(|one| format!("missing  {one}")));
    found.extend(got.difference(&wanted).map(|one| format!("too much {one}")));
    let sides = [
        ("new", &diff.new, &expected.new, &expected.may_be_new),
        ("gone", &diff.gone, &expected.gone, &expected.may_be_gone),
    ];
    for (word, told, must, may) in sides {
        let rules: BTreeSet<&String> = told.iter().map(|one| &one.rule).collect();
        let missing = must.iter().filter(|rule| !rules.contains(rule));
        found.extend(missing.map(|rule| format!("missing  {word} finding {rule}")));
        let counts = |one: &&Finding| laid.is_near_miss() || one.severity != "note";
        let known = |one: &&Finding| !must.contains(&one.rule) && !may.contains(&one.rule);
        for one in told.iter().filter(known).filter(counts) {
            found.push(format!("too much {word} {} {}", one.severity, one.rule));
        }
    }
    if code != expected.exit {
        found.push(format!("exit code {code} instead of {}", expected.exit));
    }
    found
}

/// Fails with all complaints, each below the name of its pair.
fn hold(complaints: impl Fn(&Laid) -> Vec<String> + Sync) {
    let pairs = pairs();
    let all: Vec<(&str, Vec<String>)> = pairs
        .par_iter()
        .map(|laid| (laid.name.as_str(), complaints(laid)))
        .collect();
    let mut message = String::new();
    let mut failed = 0;
    for (name, complaints) in all.iter().filter(|(_, all)| !all.is_empty()) {
        failed += 1;
        let complaints = complaints.join("\n    ");
        writeln!(message, "{name}\n    {complaints}").unwrap();
    }
    assert!(
        message.is_empty(),
        "{failed} of {} pairs:\n{message}",
        pairs.len()
    );
}

#[test]
fn each_pair_is_told_as_its_file_says() {
    hold(|laid| match laid.diff("before", "after") {
        Ok((diff, code)) => differences(laid, &diff, code),
        Err(complaint) => vec![complaint],
    });
}

#[test]
fn nothing_is_said_of_a_repository_and_itself_nor_of_lines_that_moved() {
    hold(|laid| {
        let mut complaints = Vec::new();
        for (base, head) in [("before", "before"), ("after", "shifted")] {
            match laid.diff(base, head) {
                Ok((diff, 0)) if diff.is_empty() => {}
                Ok((diff, code)) => {
                    complaints.push(format!("diff {base} {head} ended with {code}"));
                    complaints.extend(diff.lines());
                }
                Err(complaint) => complaints.push(complaint),
            }
        }
        complaints
    });
}

/// What one direction says and the other one does not.
fn unmirrored(diff: &Diff, back: &Diff) -> Vec<String> {
    let mut complaints = Vec::new();
    for (object, changes) in &diff.placement {
        for change in changes {
            let tells = ["gains", "loses", "moves", "pending", "evicted"];
            // A new object has no effect on the way back; who may stay for a time stays longer.
            let is_one_sided = change.before.is_empty() && change.effect == "pending";
            let same = change.before == change.after;
            if !tells.contains(&change.effect.as_str()) || is_one_sided || same {
                continue;
            }
            let mut others = back.placement.get(object).into_iter().flatten();
            if !others.any(|it| it.before == change.after && it.after == change.before) {
                complaints.push(format!("not told back: {}", line(object, change)));
            }
        }
    }
    let turned = |(pool, cluster, change): &(String, String, String)| {
        let change = match change.as_str() {
            "added" => "removed",
            "removed" => "added",
            other => other,
        };
        (pool.clone(), cluster.clone(), change.to_owned())
    };
    let pools: BTreeSet<_> = diff.pools.iter().map(turned).collect();
    for one in pools.difference(&back.pools) {
        complaints.push(format!("not told back: {}", pool_line(one)));
    }
    if diff.new != back.gone {
        complaints.push("what is new is not what is gone on the way back".to_owned());
    }
    complaints
}

#[test]
fn the_way_back_is_the_mirror_of_the_way() {
    hold(|laid| {
        let ways = (laid.diff("before", "after"), laid.diff("after", "before"));
        match ways {
            (Ok((diff, _)), Ok((back, _))) => {
                let mut complaints = unmirrored(&diff, &back);
                complaints.extend(unmirrored(&back, &diff));
                complaints
            }
            (Err(complaint), _) | (_, Err(complaint)) => vec![complaint],
        }
    });
}

#[test]
fn pairs_that_change_nothing_are_named_so_and_expect_nothing() {
    let pairs = pairs();
    for laid in &pairs {
        let expected = &laid.pair.expected;
        let is_nothing = expected.placement.is_empty() && expected.pools.is_empty();
        assert!(
            !laid.is_near_miss() || (is_nothing && expected.exit == 0),
            "{}",
            laid.name
        );
    }
    let near_misses = pairs.iter().filter(|laid| laid.is_near_miss()).count();
    assert!(near_misses >= 25, "{near_misses}");
    assert!(pairs.len() >= 100, "{}", pairs.len());
}
