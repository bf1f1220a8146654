//! Terraform's language as it is read here against HashiCorp's own HCL: in every run by the vectors, which hold what HCL
//! makes of texts, and where the oracle was built also by a fresh sample and by real files. CONTRIBUTING.md says how.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod generate;
mod listed;

use std::fs;
use std::path::Path;

use crate::questions::{self, oracle};
use crate::vectors::{self, assert_agreement, assert_held, number, path_of, seed, text};
use generate::Generator;
use kubetaint::terraform;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The file of vectors.
const FILE: &str = "hcl.jsonl";

/// A text and what HCL makes of it: `{refused}` with the reason, or `{body}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Vector {
    text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    template: bool,
    hcl: Json,
}

impl Vector {
    /// What is different here, in a line.
    fn difference(&self) -> Option<String> {
        let shown = |what: String| Some(format!("{what}\n--- {:?}", self.text));
        // The mark at its start is taken off when a file is read.
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let own = match self.template {
            true => terraform::literal_of_template(text),
            false => terraform::literals(text),
        };
        match (own, self.hcl.get("refused")) {
            (Err(_), Some(_)) => None,
            (Ok(_), Some(why)) => shown(format!("HCL refuses it: {why}")),
            (Err(error), None) => shown(format!("only here it is refused: {error:?}")),
            (Ok(own), None) => {
                let found = differ("", &own, self.hcl.get("body")?)?;
                shown(found)
            }
        }
    }
}

/// Where two readings differ, and how.
fn differ(place: &str, own: &Json, hcl: &Json) -> Option<String> {
    let unequal = || Some(format!("{place}: here {own}, by HCL {hcl}"));
    let is_unknown = |value: &Json| value.get("unknown").is_some();
    match (own, hcl) {
        // It needs variables or functions.
        (_, Json::Object(hcl)) if hcl.contains_key("open") => None,
        // HCL divides by zero.
        (own, hcl) if is_unknown(own) && hcl.to_string().contains("Inf") => None,
        (own, hcl) if is_unknown(own) && (lacks_a_value(hcl) || has_long_number(hcl)) => None,
        // A number of many digits stays the text that it is wherever it stands in one.
        (Json::String(own), hcl) if has_long_number(hcl) && *own == hcl["number"] => None,
        // HCL computes with more digits than are kept here.
        (own, hcl)
            if has_long_number(hcl)
                && number_of(own).is_some_and(|own| Some(own) == number_of(hcl)) =>
        {
            None
        }
        (Json::Object(own), Json::Object(hcl)) => {
            if !own.keys().eq(hcl.keys()) {
                return unequal();
            }
            own.iter()
                .find_map(|(key, value)| differ(&format!("{place}.{key}"), value, &hcl[key]))
        }
        (Json::Array(own), Json::Array(hcl)) => {
            if own.len() != hcl.len() {
                return unequal();
            }
            let mut pairs = own.iter().zip(hcl).enumerate();
            pairs.find_map(|(at, (own, hcl))| differ(&format!("{place}[{at}]"), own, hcl))
        }
        (own, hcl) if own == hcl => None,
        _ => unequal(),
    }
}

/// Whether HCL refuses a part of a value, or needs something for it that is not there.
fn lacks_a_value(hcl: &Json) -> bool {
    match hcl {
        Json::Object(fields) if fields.contains_key("open") || fields.contains_key("refused") => {
            true
        }
        Json::Object(fields) => fields.values().any(lacks_a_value),
        Json::Array(items) => items.iter().any(lacks_a_value),
        _ => false,
    }
}

/// A number as far as its digits are kept here.
fn number_of(value: &Json) -> Option<f64> {
    value.get("number")?.as_str()?.parse().ok()
}

/// Whether a number has more digits than are kept here.
fn has_long_number(hcl: &Json) -> bool {
    let digits = hcl.get("number").and_then(Json::as_str);
    let significant = |digits: &str| digits.trim_matches(['0', '.', '-']).len();
    digits.is_some_and(|digits| significant(digits) > 15 || digits.len() > 300)
}

#[test]
fn texts_are_read_as_by_hcl() {
    let vectors: Vec<Vector> = vectors::read(FILE);
    assert!(vectors.len() >= 500, "{} texts", vectors.len());
    let differences: Vec<_> = vectors.iter().filter_map(Vector::difference).collect();
    assert_agreement(FILE, vectors.len(), &differences);
}

#[test]
fn the_vectors_hold_every_listed_text() {
    let held: Vec<Vector> = vectors::read(FILE);
    for (listed, template) in [(&listed::TEXTS[..], false), (&listed::TEMPLATES[..], true)] {
        let held = held.iter().filter(|vector| vector.template == template);
        assert_held(held.map(|vector| text(&vector.text)), listed);
    }
}

#[test]
#[ignore = "needs the oracle"]
fn the_vectors_say_what_hcl_says() {
    let written: Vec<Vector> = vectors::read(FILE);
    let case = |vector: &Vector| (vector.text.clone(), vector.template);
    let texts: Vec<_> = written.iter().map(case).collect();
    let mut written = written.into_iter();
    ask_each(texts.into_iter(), |vector| {
        let known = written.next().expect("a vector for each answer");
        assert_eq!(known.hcl, vector.hcl, "{:?}", vector.text);
    });
}

#[test]
#[ignore = "writes into the repository; needs the oracle"]
fn the_vectors_are_made_anew() {
    const SEED: u64 = 1;
    /// Longer texts say no more.
    const LONGEST: usize = 160;
    let mut generator = Generator::new(SEED);
    let random = std::iter::from_fn(move || Some(generator.text()));
    let random = random
        .filter(|text| (3..LONGEST).contains(&text.len()))
        .take(500);
    let listed = |texts: &'static [&str], template| {
        let texts = texts.iter().map(|text| (*text).to_owned());
        texts.map(move |text| (text, template))
    };
    let listed = listed(&listed::TEXTS, false).chain(listed(&listed::TEMPLATES, true));
    let mut lines = String::new();
    ask_each(listed.chain(random.map(|text| (text, false))), |vector| {
        lines.push_str(&text(&vector));
        lines.push('\n');
    });
    fs::write(path_of(FILE), lines).expect("the vectors can be written");
}

#[test]
#[ignore = "needs the oracle"]
fn real_files_are_read_as_by_hcl() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let mut texts: Vec<(String, bool)> = Vec::new();
    let mut open = vec![shared];
    while let Some(folder) = open.pop() {
        // The folder need not be there.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().expect("a kind");
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let path = path.to_string_lossy();
                let ends = |endings: &[&str]| endings.iter().any(|one| path.ends_with(one));
                let template = ends(&[".tftpl"]);
                if template || ends(&[".tf", ".tfvars", ".hcl"]) {
                    let text = fs::read_to_string(&*path).ok();
                    texts.extend(text.map(|text| (text, template)));
                }
            }
        }
    }
    let asked = texts.len();
    let mut differences = Vec::new();
    let mut refused = 0;
    ask_each(texts.into_iter(), |vector| {
        refused += usize::from(vector.hcl.get("refused").is_some());
        differences.extend(vector.difference());
    });
    println!(
        "{asked} files, {refused} of them refused, {} differences",
        differences.len()
    );
    assert_agreement("../shared/corpus", asked, &differences);
}

#[test]
#[ignore = "needs the oracle"]
fn a_fresh_sample_is_read_as_by_hcl() {
    let seed = seed();
    let cases = number("KUBETAINT_CASES").unwrap_or(30_000) as usize;
    println!("KUBETAINT_SEED={seed}");
    let mut differences = Vec::new();
    let mut refused = 0;
    let mut generator = Generator::new(seed);
    let texts = (0..cases).map(move |case| match case % 10 {
        0 => (generator.template(), true),
        _ => (generator.text(), false),
    });
    ask_each(texts, |vector| {
        refused += usize::from(vector.hcl.get("refused").is_some());
        differences.extend(vector.difference());
    });
    // The shortest texts say most.
    differences.sort_by_key(String::len);
    println!(
        "{cases} texts, {refused} of them refused, {} differences",
        differences.len()
    );
    // A sample in which everything is refused would agree with anything.
    assert!(
        (cases / 10..cases * 9 / 10).contains(&refused),
        "{refused} of {cases}"
    );
    assert_agreement(&format!("KUBETAINT_SEED={seed}"), cases, &differences);
}

#[test]
#[ignore = "needs the oracle"]
fn every_short_text_of_a_few_signs_is_read_as_by_hcl() {
    const SIGNS: [&str; 13] = [
        "$", "%", "{", "}", "~", "\n", "\r", "\\", "\"", "a", " ", "E", "#",
    ];
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..4 {
        let end = texts.len();
        for at in from..end {
            let longer = SIGNS.map(|sign| format!("{}{sign}", texts[at]));
            texts.extend(longer);
        }
        from = end;
    }
    let asked = texts.len() * 3;
    let within = texts.into_iter().flat_map(|text| {
        [
            format!("a = \"{text}\"\n"),
            format!("a = <<-E\n  b\n {text}\n E\n"),
            format!("a = \"${{1 {text}"),
        ]
    });
    let mut differences = Vec::new();
    ask(within, |vector| differences.extend(vector.difference()));
    println!("{asked} texts, {} differences", differences.len());
    assert_agreement("short texts", asked, &differences);
}

#[test]
#[ignore = "needs the oracle"]
fn names_hold_every_letter_that_they_hold_in_hcl() {
    // Without the wide ranges of ideographs and syllables, and what is assigned to nothing.
    let letters = ('\0'..'\u{3500}')
        .chain('\u{9f00}'..'\u{ad00}')
        .chain('\u{f900}'..'\u{12000}')
        .chain('\u{1d000}'..'\u{1f200}');
    let texts = letters.map(|one| format!("{one} = 1\na = b{one}\n"));
    let each = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let mut asked = 0;
    let mut differences = Vec::new();
    ask(each, |vector| {
        asked += 1;
        // Letters that came later are taken, too.
        if vector.hcl.get("refused").is_none() {
            differences.extend(vector.difference());
        }
    });
    println!("{asked} names, {} differences", differences.len());
    assert_agreement("names", asked, &differences);
}

/// A text as the oracle reads it.
#[derive(Serialize)]
struct Question {
    text: String,
    template: bool,
}

/// Asks the oracle and hands each text on with what HCL makes of it, in order.
fn ask(texts: impl Iterator<Item = String> + Send, take: impl FnMut(Vector)) {
    ask_each(texts.map(|text| (text, false)), take);
}

/// The same of texts of which some are templates as a whole.
fn ask_each(texts: impl Iterator<Item = (String, bool)> + Send, mut take: impl FnMut(Vector)) {
    let questions = texts.map(|(text, template)| Question { text, template });
    questions::ask(
        &mut oracle("KUBETAINT_HCL_ORACLE"),
        questions,
        |asked, hcl| {
            let Question { text, template } = asked;
            take(Vector {
                text,
                template,
                hcl,
            });
        },
    );
}
