//! Generates mutated files, which mix bytes, lines, tokens and blocks of existing ones. The same seed gives the same files.

// A test that cannot set up its files must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// A pseudorandom sequence, reproducible from its seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % most.max(1)
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// An initial file.
#[derive(Clone)]
pub struct Seed {
    /// Its name, with its folder.
    pub name: String,
    pub text: Vec<u8>,
}

/// Longer files are slow and find nothing more.
const LONGEST: u64 = 12_000;

/// The relevant files of these folders, and the examples of the rules.
pub fn seeds(folders: &[&Path]) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for folder in folders {
        for entry in WalkDir::new(folder).sort_by_file_name() {
            let Ok(entry) = entry else { continue };
            let path = entry.path();
            let known = path.extension().is_some_and(|extension| {
                [
                    "yaml", "yml", "json", "tf", "tfvars", "hcl", "tpl", "txt", "gotmpl", "ytt",
                ]
                .iter()
                .any(|known| extension == *known)
            });
            let short = entry.metadata().is_ok_and(|data| data.len() <= LONGEST);
            if !entry.file_type().is_file() || !known || !short {
                continue;
            }
            let Ok(text) = fs::read(path) else { continue };
            let words = ["oleration", "taint", "Taint", "nodeSelector", "node_group"];
            let held = String::from_utf8_lossy(&text).into_owned();
            if !words.iter().any(|word| held.contains(word)) {
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let parent = path.parent().and_then(Path::file_name);
            let parent =
                parent.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            seeds.push(Seed {
                name: format!("{parent}/{name}"),
                text,
            });
            seeds.extend(examples(&held));
        }
    }
    seeds
}

/// The block scalars below `bad:` and `good:` of a rule.
fn examples(rule: &str) -> Vec<Seed> {
    let mut found = Vec::new();
    let lines: Vec<&str> = rule.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let start = line.trim_start().trim_start_matches("- ");
        if !(start.starts_with("bad: |") || start.starts_with("good: |")) {
            continue;
        }
        let indent = indent_of(line);
        let inside = lines[at + 1..]
            .iter()
            .take_while(|line| line.trim().is_empty() || indent_of(line) > indent);
        let inside: Vec<&str> = inside.copied().collect();
        let first = inside.first().map_or(0, |line| indent_of(line));
        let text: String = inside
            .iter()
            .map(|line| format!("{}\n", line.get(first..).unwrap_or_default()))
            .collect();
        found.push(Seed {
            name: "examples/example.yaml".to_owned(),
            text: text.into_bytes(),
        });
    }
    found
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Tokens that are special to a parser or to kubetaint.
const TOKENS: &[&str] = &[
    "- ",
    ": ",
    "? ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "|",
    ">",
    "|-",
    ">+",
    "|2",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "!!map",
    "!Ref ",
    "!!binary ",
    "---\n",
    "...\n",
    "--- |\n",
    "%YAML 1.2\n---\n",
    "# ",
    "'",
    "\"",
    "\\",
    "`",
    "${",
    "$${",
    "%{",
    "%{ if x }",
    "}",
    "{{",
    "}}",
    "{{- if .Values.x }}\n",
    "{{- end }}\n",
    "{{ toYaml . | nindent 8 }}",
    "<<EOT\n",
    "<<-EOF\n",
    "EOT\n",
    "/*",
    "*/",
    "//",
    "\t",
    "  ",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{a0}",
    "\u{200b}",
    "\u{202e}",
    "é",
    "e\u{301}",
    "😀",
    "\0",
    "\u{7f}",
    "\u{1b}[31m",
    "null",
    "~",
    "true",
    "yes",
    "on",
    "0x1F",
    "0o17",
    "1_000",
    ".inf",
    ".nan",
    "1e400",
    "-0",
    "9223372036854775808",
    "2001-12-14",
    "tolerations:",
    "tolerations: []",
    "taints:",
    "key",
    "operator: Exists",
    "operator: Equal",
    "effect: NoSchedule",
    "NoExecute",
    "PreferNoSchedule",
    "noSchedule",
    "tolerationSeconds: 60",
    "value: \"\"",
    "nodeSelector:",
    "affinity:",
    "matchExpressions:",
    "In",
    "NotIn",
    "Gt",
    "Lt",
    "kind: Deployment",
    "kind: NodePool",
    "kind: List\nitems:",
    "kind: Kustomization",
    "kind: HelmRelease",
    "spec:",
    "template:",
    "apiVersion: v1",
    "apiVersion: karpenter.sh/v1",
    "metadata: {name: x}",
    "nvidia.com/gpu=present:NoSchedule",
    "a=b:NoExecute-",
    "# kubetaint: ignore[value-with-exists] because\n",
    "# kubetaint: ignore-file\n",
    "patches:",
    "op: replace",
    "$patch: delete",
    "resource \"a\" \"b\" {",
    "dynamic \"taint\" {",
    "for_each = ",
    "[for x in y : x]",
    "{for k, v in m : k => v...}",
    "merge(",
    "jsonencode({",
    "yamlencode(",
    "var.x",
    "local.y",
    "each.value",
    "count = 2",
    "module \"eks\" {",
    "? [complex, key]\n: value\n",
    "\"\\u0000\"",
    "\"\\uD800\"",
    "\"\\x\"",
    "!!int \"3\"",
];

fn line_starts(text: &[u8]) -> Vec<usize> {
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mut starts = vec![0];
    starts.extend(breaks.map(|(at, _)| at + 1).filter(|at| *at < text.len()));
    starts
}

/// The byte range of a line with everything indented below it.
fn block(text: &[u8], dice: &mut Dice) -> std::ops::Range<usize> {
    let starts = line_starts(text);
    let first = dice.below(starts.len());
    let indent = |at: usize| {
        text[starts[at]..]
            .iter()
            .take_while(|byte| **byte == b' ')
            .count()
    };
    let own = indent(first);
    let mut last = first + 1;
    while last < starts.len() && (indent(last) > own || text.get(starts[last]) == Some(&b'\n')) {
        last += 1;
    }
    starts[first]..starts.get(last).copied().unwrap_or(text.len())
}

fn line(text: &[u8], dice: &mut Dice) -> std::ops::Range<usize> {
    let starts = line_starts(text);
    let at = dice.below(starts.len());
    starts[at]..starts.get(at + 1).copied().unwrap_or(text.len())
}

fn replace(text: &mut Vec<u8>, from: &str, to: &str) {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut made = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(from) {
            made.extend_from_slice(to);
            at += from.len();
        } else {
            made.push(text[at]);
            at += 1;
        }
    }
    *text = made;
}

fn indented(text: &[u8], by: usize) -> Vec<u8> {
    let mut made = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        made.extend(std::iter::repeat_n(b' ', by));
        made.extend_from_slice(line);
    }
    made
}

fn shallower(text: &[u8], by: usize) -> Vec<u8> {
    let mut made = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let spaces = line.iter().take_while(|byte| **byte == b' ').count();
        made.extend_from_slice(&line[spaces.min(by)..]);
    }
    made
}

/// Text that nests many brackets, sequences or block scalars.
fn deep(dice: &mut Dice) -> String {
    let times = *dice.pick(&[10, 60, 130, 300, 3000]);
    match dice.below(8) {
        0 => "[".repeat(times),
        1 => format!("{}x{}", "[".repeat(times), "]".repeat(times)),
        2 => format!("{}x{}", "{a: ".repeat(times), "}".repeat(times)),
        3 => "- ".repeat(times) + "x\n",
        4 => (0..times.min(130))
            .map(|at| format!("{}a:\n", " ".repeat(at)))
            .collect(),
        5 => format!("x = {}1{}\n", "(".repeat(times), ")".repeat(times)),
        6 => format!("x = \"{}1{}\"\n", "${\"".repeat(times), "\"}".repeat(times)),
        _ => format!("x = {}1\n", "!".repeat(times)),
    }
}

/// Anchors that expand exponentially.
fn aliases(dice: &mut Dice) -> String {
    let mut text = "a0: &a0 [x, x, x]\n".to_owned();
    for at in 1..=dice.below(12) {
        let before = at - 1;
        text += &format!("a{at}: &a{at} [*a{before}, *a{before}, *a{before}, *a{before}]\n");
    }
    text
}

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    text.splice(at..at, piece.iter().copied());
}

/// Applies one mutation to a text.
fn change(text: &mut Vec<u8>, seeds: &[Seed], dice: &mut Dice) {
    let place = dice.below(text.len() + 1);
    match dice.below(26) {
        0 => insert(text, place, &[u8::try_from(dice.below(256)).unwrap()]),
        1 if place < text.len() => text[place] ^= 1 << dice.below(8),
        2 => {
            let end = (place + 1 + dice.below(8)).min(text.len());
            text.drain(place..end);
        }
        3 => {
            let gone = line(text, dice);
            text.drain(gone);
        }
        4 => {
            let twice = line(text, dice);
            let piece = text[twice.clone()].to_vec();
            insert(text, twice.end, &piece);
        }
        5 => {
            let moved = line(text, dice);
            let piece: Vec<u8> = text.drain(moved).collect();
            let to = *dice.pick(&line_starts(text));
            insert(text, to.min(text.len()), &piece);
        }
        6 | 7 => {
            let token = *dice.pick(TOKENS);
            insert(text, place, token.as_bytes());
        }
        8 => {
            // Replaces a value with a token.
            let at = line(text, dice);
            let colon = text[at.clone()]
                .iter()
                .position(|byte| *byte == b':' || *byte == b'=');
            if let Some(colon) = colon {
                let token = *dice.pick(TOKENS);
                let (from, to) = (at.start + colon + 1, at.end.saturating_sub(1));
                if from <= to {
                    text.splice(from..to, format!(" {token}").into_bytes());
                }
            }
        }
        9 => {
            let gone = block(text, dice);
            text.drain(gone);
        }
        10 => {
            let twice = block(text, dice);
            let piece = text[twice.clone()].to_vec();
            for _ in 0..*dice.pick(&[1, 1, 1, 2, 30]) {
                if text.len() < 60_000 {
                    insert(text, twice.end, &piece);
                }
            }
        }
        11 => {
            let range = block(text, dice);
            let by = 1 + dice.below(5);
            let piece = if dice.one_in(2) {
                indented(&text[range.clone()], by)
            } else {
                shallower(&text[range.clone()], by)
            };
            text.splice(range, piece);
        }
        12 => {
            let moved = block(text, dice);
            let piece: Vec<u8> = text.drain(moved).collect();
            let to = *dice.pick(&line_starts(text));
            insert(text, to.min(text.len()), &piece);
        }
        13 | 14 => {
            // Inserts a block of another file.
            let other = &dice.pick(seeds).text;
            let from = block(other, dice);
            let to = *dice.pick(&line_starts(text));
            let to = to.min(text.len());
            insert(text, to, &other[from]);
        }
        15 => {
            // Joins the start of this file and the end of another.
            let other = &dice.pick(seeds).text;
            let from = *dice.pick(&line_starts(other));
            let to = *dice.pick(&line_starts(text));
            text.truncate(to);
            text.extend_from_slice(&other[from.min(other.len())..]);
        }
        16 => {
            let to = *dice.pick(&[
                "\r\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\n\n", "\n\r", " \n", "\t\n",
            ]);
            if dice.one_in(2) {
                replace(text, "\n", to);
            } else {
                let at = line(text, dice);
                if text.get(at.end.wrapping_sub(1)) == Some(&b'\n') {
                    text.splice(at.end - 1..at.end, to.bytes());
                }
            }
        }
        17 => {
            while text.last() == Some(&b'\n') {
                text.pop();
            }
            let tail = *dice.pick(&[
                "", "\r", "\u{85}", "  ", "\n\n\n", "\n...", "\n---", " #", "\0",
            ]);
            text.extend_from_slice(tail.as_bytes());
        }
        18 => {
            // Puts quotes around a value.
            let at = line(text, dice);
            let held = text[at.clone()].to_vec();
            let colon = held.windows(2).position(|pair| pair == b": ");
            if let Some(colon) = colon {
                let quote = *dice.pick(&["\"", "'"]);
                let end = at.end - usize::from(held.last() == Some(&b'\n'));
                let behind = at.start + colon + 2;
                if dice.one_in(4) {
                    insert(text, behind, quote.as_bytes());
                } else if behind <= end {
                    insert(text, end, quote.as_bytes());
                    insert(text, behind, quote.as_bytes());
                }
            }
        }
        19 => {
            let at = line(text, dice);
            let end =
                at.end - usize::from(text.get(at.end.wrapping_sub(1)) == Some(&b'\n')).min(at.end);
            let comment = *dice.pick(&[
                " # why",
                "# no comment",
                " # kubetaint: ignore[] x",
                " # {a: b}",
                "  #",
                " // x",
                " /* x",
                " # größe 😀",
            ]);
            insert(text, end, comment.as_bytes());
        }
        20 => {
            // Adds an anchor or a tag to a value, or replaces it with an alias.
            let at = line(text, dice);
            let colon = text[at.clone()].iter().position(|byte| *byte == b':');
            if let Some(colon) = colon {
                let sign = *dice.pick(&[
                    " &b",
                    " *b",
                    " !!str",
                    " !x",
                    " !!set",
                    " &b !!map",
                    " *nowhere",
                ]);
                insert(text, at.start + colon + 1, sign.as_bytes());
            }
        }
        21 if dice.one_in(3) => {
            let piece = if dice.one_in(3) {
                aliases(dice)
            } else {
                deep(dice)
            };
            let at = *dice.pick(&line_starts(text));
            insert(text, at.min(text.len()), piece.as_bytes());
        }
        22 => {
            // Embeds the whole text in another.
            let inner = indented(text, 4);
            let head = *dice.pick(&[
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a.yaml: |\n",
                "locals {\n  a = <<-EOT\n",
                "apiVersion: v1\nkind: List\nitems:\n  -\n",
                "patches:\n- patch: |-\n",
                "x:\n",
            ]);
            *text = [head.as_bytes(), &inner].concat();
            if head.starts_with("locals") {
                text.extend_from_slice(b"  EOT\n}\n");
            }
        }
        23 => text.truncate(place),
        24 => {
            let other = &dice.pick(seeds).text;
            text.extend_from_slice(b"\n---\n");
            text.extend_from_slice(other);
        }
        _ => {
            // Replaces a word with one that kubetaint knows.
            const WORDS: &[&str] = &[
                "Exists",
                "Equal",
                "NoSchedule",
                "NoExecute",
                "PreferNoSchedule",
                "key",
                "operator",
                "value",
                "effect",
                "tolerations",
                "taints",
                "kind",
                "apiVersion",
                "spec",
                "Deployment",
                "Pod",
                "name",
            ];
            let from = *dice.pick(WORDS);
            let to = *dice.pick(&[
                "exists",
                "noschedule",
                "NO_EXECUTE",
                "\"Exists\"",
                "'key'",
                "",
                "Key",
                "effekt",
                "null",
                "{{ .x }}",
                "[]",
                "x y",
            ]);
            let to = if dice.one_in(2) {
                to
            } else {
                *dice.pick(WORDS)
            };
            let held = text.windows(from.len()).enumerate();
            let places: Vec<usize> = held
                .filter(|(_, held)| *held == from.as_bytes())
                .map(|(at, _)| at)
                .collect();
            if !places.is_empty() {
                let at = *dice.pick(&places);
                text.splice(at..at + from.len(), to.bytes());
            }
        }
    }
}

/// A file mutated from one of the seeds with pieces of others. Most names are ones that kubetaint reads.
pub fn mutated(seeds: &[Seed], number: usize, dice: &mut Dice) -> Seed {
    let seed = dice.pick(seeds);
    let mut text = seed.text.clone();
    let most = *dice.pick(&[1, 1, 3, 8]);
    for _ in 0..=dice.below(most) {
        change(&mut text, seeds, dice);
    }
    text.truncate(100_000);
    let name = seed.name.replace(".txt", ".yaml");
    let name = match dice.below(30) {
        0 => "chart/values.yaml".to_owned(),
        1 => "chart/templates/a.yaml".to_owned(),
        2 => "x/kustomization.yaml".to_owned(),
        3 => name.replace(".yaml", ".json"),
        4 => "with space/größe \"q\".yaml".to_owned(),
        5 => "m/main.tf.json".to_owned(),
        _ => name,
    };
    Seed {
        name: format!("{number}/{name}"),
        text,
    }
}
