//! Odd files and the fixes that a careful person would make. `tests/it/odd_fixes/*.txt` contain texts before and after
//! `--fix --unsafe-fixes`. Each is also tried with other line ends, with a byte order mark, without a final line break, and
//! between other documents.
//!
//! A case begins with `== ` and its description. `>>` separates the text from the result. `<TAB>` is a tab.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeMap;
use std::fs;

use crate::builtin::{RULES, judged};
use kubetaint::finding::Report;
use kubetaint::lint::fixes::apply;
use kubetaint::source::{Source, SourceId};
use kubetaint::verify;
use kubetaint::yaml;

struct Case {
    name: String,
    before: String,
    after: String,
    /// Whether the text is a fragment: entries of a tolerations list.
    entries: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut files: Vec<_> = fs::read_dir("tests/it/odd_fixes")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        let text = fs::read_to_string(&path).unwrap().replace("<TAB>", "\t");
        for part in format!("\n{text}").split("\n== ").skip(1) {
            let (name, rest) = part.split_once('\n').expect("a text below the name");
            let (before, after) = rest.split_once("\n>>\n").expect("what becomes of it");
            let whole = |text: &str| format!("{}\n", text.trim_end_matches('\n'));
            cases.push(Case {
                name: name.to_owned(),
                before: whole(before),
                after: whole(after),
                entries: !path.ends_with("whole.txt"),
            });
        }
    }
    cases
}

const HEAD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: b}]\n  tolerations:\n";

fn report(path: &str, text: &str) -> Report {
    judged(&RULES, &[(path, text)], verify::SUPPRESSIONS)
}

/// The text after all rounds of fixes. One fix may uncover another finding, but at the end there is no finding that was not
/// there at first.
fn fixed(path: &str, first: &str) -> String {
    let before = counted(&report(path, first));
    let mut text = first.to_owned();
    for _ in 0..10 {
        let report = report(path, &text);
        let source = Source::new(path, text.as_str());
        let fixes = report.findings.iter().filter_map(|one| one.fix.as_ref());
        let Some((next, _)) = apply(&source, fixes) else {
            let after = counted(&report);
            let known = |(rule, times): (&String, &usize)| {
                before.get(rule).is_some_and(|before| times <= before)
            };
            assert!(
                after.iter().all(known),
                "{before:?} became {after:?}:\n{text}"
            );
            let (few, many): (usize, usize) = (after.values().sum(), before.values().sum());
            assert!(
                few < many || text == first,
                "{before:?} became {after:?}:\n{text}"
            );
            return text;
        };
        let errors = |text: &str| yaml::parse(text, SourceId(0)).errors.len();
        assert!(errors(&next) <= errors(&text), "broken:\n{next}");
        text = next;
    }
    panic!("no end:\n{text}");
}

fn counted(report: &Report) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for finding in &report.findings {
        *found.entry(finding.rule.clone()).or_default() += 1;
    }
    found
}

type Turn = (&'static str, fn(&str) -> String);

/// Variants of the same text.
const TURNS: [Turn; 5] = [
    ("as it is", str::to_owned),
    ("CRLF", |text| text.replace('\n', "\r\n")),
    ("no last line break", |text| {
        text.trim_end_matches('\n').to_owned()
    }),
    ("in a later document", |text| {
        format!("# top\n---\nkind: Service\napiVersion: v1\n---\n{text}")
    }),
    ("before another document", |text| {
        format!("{text}---\n# bottom\n")
    }),
];

#[test]
fn odd_files_become_what_a_careful_person_would_write() {
    let cases = cases();
    assert!(cases.len() > 100, "{}", cases.len());
    let mut wrong = Vec::new();
    let mut tried = 0;
    for case in &cases {
        let mut forms: Vec<(String, String, String)> = Vec::new();
        if case.entries {
            let mut form = |name: &str, before: &str, after: &str, tail: &str| {
                let with = |entries: &str| format!("{HEAD}{entries}{tail}");
                forms.push((name.to_owned(), with(before), with(after)));
            };
            form("indented", &case.before, &case.after, "");
            form(
                "indented",
                &case.before,
                &case.after,
                "  # tail\n  hostNetwork: false\n",
            );
            let deeper = |text: &str| -> String {
                text.lines()
                    .map(|line| {
                        if line.is_empty() {
                            "\n".to_owned()
                        } else {
                            format!("  {line}\n")
                        }
                    })
                    .collect()
            };
            form(
                "deeper",
                &deeper(&case.before),
                &deeper(&case.after),
                "\n  hostNetwork: false\n",
            );
        } else {
            forms.push((String::new(), case.before.clone(), case.after.clone()));
        }
        for (form, before, after) in forms {
            for (turn, apply) in TURNS {
                if turn.contains("document") && (before.contains("---") || before.starts_with('{'))
                {
                    continue;
                }
                tried += 1;
                let path = if case.name.contains("values") {
                    "values.yaml"
                } else {
                    "pod.yaml"
                };
                let (before, after) = (apply(&before), apply(&after));
                let got = std::panic::catch_unwind(|| fixed(path, &before));
                match got {
                    Ok(got) if got == after => {}
                    Ok(got) => wrong.push(format!("== {} ({form}, {turn})\n{got}", case.name)),
                    Err(_) => wrong.push(format!("== {} ({form}, {turn}): see above", case.name)),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "\n{}\n{} of {tried}",
        wrong.join("\n"),
        wrong.len()
    );
}

/// A pseudorandom sequence that is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// An entry's fields with their values before and after the fix, or `None` for a removed field.
type Fields = Vec<(&'static str, String, Option<String>)>;

fn entry(dice: &mut Dice, number: usize) -> Fields {
    let operator = dice.pick(&["Exists", "exists", "Equal", "equals"]);
    let exists = operator.eq_ignore_ascii_case("exists");
    let meant = if exists { "Exists" } else { "Equal" };
    let key = format!("example.com/k{number}");
    let mut fields: Fields = vec![
        ("key", key.clone(), Some(key)),
        ("operator", operator.to_owned(), Some(meant.to_owned())),
    ];
    if dice.one_in(2) {
        let value = dice.pick(&["web", "\"true\"", "'a.b'", "x_y"]).to_owned();
        let stays = (!exists).then(|| value.trim_matches(['"', '\'']).to_owned());
        fields.push(("value", value, stays));
    }
    let effect = dice.pick(&["", "NoSchedule", "noschedule", "NoExecute", "noexecute"]);
    let executes = effect.eq_ignore_ascii_case("NoExecute");
    if !effect.is_empty() {
        let meant = if executes { "NoExecute" } else { "NoSchedule" };
        fields.push(("effect", effect.to_owned(), Some(meant.to_owned())));
    }
    // If NoExecute is misspelt, the seconds would be removed before the effect is corrected.
    if dice.one_in(3) && effect != "noexecute" {
        fields.push((
            "tolerationSeconds",
            "60".to_owned(),
            executes.then(|| "60".to_owned()),
        ));
    }
    for at in (1..fields.len()).rev() {
        let other = dice.below(at + 1);
        fields.swap(at, other);
    }
    fields
}

/// A unique comment.
fn comment(dice: &mut Dice, comments: &mut Vec<String>) -> String {
    if !dice.one_in(3) {
        return String::new();
    }
    let text = format!(
        "# c{} {}",
        comments.len(),
        dice.pick(&["why", "- key: x", "{a: b}", "größe", "'"])
    );
    comments.push(text.clone());
    text
}

fn write_entry(
    dice: &mut Dice,
    fields: &Fields,
    indent: &str,
    comments: &mut Vec<String>,
) -> String {
    let mut text = String::new();
    if dice.one_in(5) {
        text.push('\n');
    }
    let above = comment(dice, comments);
    if !above.is_empty() {
        text.push_str(&format!("{indent}{above}\n"));
    }
    let pairs: Vec<String> = fields
        .iter()
        .map(|(name, value, _)| {
            let name = if dice.one_in(6) {
                format!("\"{name}\"")
            } else {
                (*name).to_owned()
            };
            format!("{name}:{}{value}", dice.pick(&[" ", "  ", " "]))
        })
        .collect();
    match dice.below(4) {
        0 => {
            let behind = comment(dice, comments);
            text.push_str(&format!("{indent}- {{{}}} {behind}\n", pairs.join(", ")));
        }
        1 => {
            text.push_str(&format!("{indent}- {{\n"));
            for (at, pair) in pairs.iter().enumerate() {
                let comma = if at + 1 < pairs.len() || dice.one_in(2) {
                    ","
                } else {
                    ""
                };
                text.push_str(&format!("{indent}    {pair}{comma}\n"));
            }
            text.push_str(&format!("{indent}  }}\n"));
        }
        form => {
            let mut lead = if form == 2 {
                format!("{indent}- ")
            } else {
                format!("{indent}-\n{indent}  ")
            };
            for pair in pairs {
                let behind = comment(dice, comments);
                text.push_str(&format!("{lead}{pair} {behind}\n"));
                let between = comment(dice, comments);
                if !between.is_empty() {
                    text.push_str(&format!("{indent}  {between}\n"));
                }
                lead = format!("{indent}  ");
            }
        }
    }
    text
}

/// The tolerations in a text, ignoring comments.
fn tolerations(text: &str) -> Vec<BTreeMap<String, String>> {
    let stream = yaml::parse(text, SourceId(0));
    assert!(stream.errors.is_empty(), "{:?}\n{text}", stream.errors);
    let spec = stream.documents[0].root().get("spec").expect("a spec");
    let list = spec.get("tolerations").expect("a list");
    list.items()
        .map(|item| {
            let fields = item.fields().into_iter();
            let text = |field: yaml::Field<'_>| {
                let part = |node: yaml::Node<'_>| node.raw().expect("a scalar").to_owned();
                (part(field.key), part(field.value))
            };
            fields.map(text).collect()
        })
        .collect()
}

#[test]
fn whatever_the_shape_only_what_is_wrong_changes() {
    let mut dice = Dice(20_270_101);
    let mut changed = 0;
    for round in 0..250 {
        let indent = dice.pick(&["  ", "    ", "   "]);
        let count = 1 + dice.below(4);
        let entries: Vec<Fields> = (0..count).map(|number| entry(&mut dice, number)).collect();
        let mut comments = Vec::new();
        let mut text = HEAD.to_owned();
        for fields in &entries {
            text.push_str(&write_entry(&mut dice, fields, indent, &mut comments));
        }
        text.push_str(dice.pick(&[
            "",
            "  # tail\n  hostNetwork: false\n",
            "---\n# next\n",
            "...\n",
        ]));
        if dice.one_in(3) {
            text = text.replace('\n', "\r\n");
        }
        let after = fixed("pod.yaml", &text);
        changed += usize::from(after != text);
        let expected: Vec<BTreeMap<String, String>> = entries
            .iter()
            .map(|fields| {
                let stay = fields
                    .iter()
                    .filter_map(|(name, _, meant)| Some(((*name).to_owned(), meant.clone()?)));
                stay.collect()
            })
            .collect();
        assert_eq!(
            tolerations(&after),
            expected,
            "round {round}:\n{text}\nbecame\n{after}"
        );
        let mut at = 0;
        for comment in &comments {
            let found = after[at..].find(comment.as_str());
            at += found.unwrap_or_else(|| {
                panic!("round {round}: {comment} is gone:\n{text}\nbecame\n{after}")
            });
        }
        // Lines are unchanged, except for those with an error.
        let right = |line: &&str| {
            !line.contains("exists")
                && !line.contains("equals")
                && !line.contains("no")
                && !line.contains("value")
                && !line.contains("Seconds")
        };
        let kept = |text: &str| {
            text.lines()
                .filter(right)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (before, after_lines) = (kept(&text), kept(&after));
        let mut rest = after_lines.iter();
        for line in &before {
            // A comma is removed with the entry after it, and a removed first field leaves its dash to the next.
            let bare = |line: &str| {
                let line = line.trim().trim_start_matches("- ");
                line.trim_end_matches(',').to_owned()
            };
            let same = |other: &&String| bare(other) == bare(line);
            assert!(
                line.trim() == "-" || rest.any(|other| same(&other)),
                "round {round}: `{line}` is gone:\n{text}\nbecame\n{after}"
            );
        }
        assert_eq!(text.contains('\r'), after.contains('\r'));
        assert!(!after.replace("\r\n", "").contains('\r'));
    }
    assert!(changed > 150, "{changed}");
}
