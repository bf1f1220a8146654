//! Manifests as texts, made from a seed: objects with values of every type in every place, in odd spellings, and with a
//! slip of the pen now and then.

use super::Case;
use super::spell::{Notice, Speller, Tree, base64};
use crate::random::Random;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Values of one line at which types and readers turn.
pub const ODD: [&str; 117] = [
    "true",
    "yes",
    "y",
    "N",
    "on",
    "Off",
    "~",
    "null",
    "Null",
    "nUll",
    "''",
    "\"\"",
    "! x",
    "! 1",
    "! '1'",
    "!!str",
    "!!str 1",
    "!!str ~",
    "!!int 1",
    "!!int '1'",
    "!!int x",
    "!!float 1",
    "!!float 1.5",
    "!!bool yes",
    "!!bool 'no'",
    "!!bool 1",
    "!!null ''",
    "!!null x",
    "!!binary YQ==",
    "!!binary 'Y Q=='",
    "!!binary x",
    "!!binary",
    "!!timestamp 2001-01-01",
    "!!timestamp x",
    "!!map {}",
    "!!seq []",
    "!!map x",
    "!!set {a}",
    "!!omap []",
    "!local x",
    "!local",
    "!",
    "!!merge <<",
    "<<",
    "=",
    "1",
    "0",
    "-0",
    "+5",
    "1.5",
    "-0.0",
    "1e3",
    "1e16",
    "1e18",
    "1e19",
    "1e21",
    "1E2",
    "9007199254740993.0",
    "9223372036854775807",
    "9223372036854775807.0",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "4611686018427387904.0",
    "9.3e18",
    "0x10",
    "0X1F",
    "0o17",
    "0O17",
    "0550",
    "089",
    "0b11",
    "-0b11",
    "0b-1",
    "1_000",
    "1_0.5",
    "_1",
    ".5",
    "5.",
    ".",
    "+.5",
    ".5e1",
    "1e-7",
    "1:30",
    "190:20:30",
    "2001-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "01e2",
    "300.0",
    "3e2",
    "[]",
    "{}",
    "[x]",
    "{k: v}",
    "{x}",
    "[k: v]",
    "-",
    "- x",
    "?",
    "? x",
    ":",
    "a:b",
    "a: b",
    "a #b",
    "a#b",
    "#",
    "@x",
    "`x`",
    "%x",
    "'a''b'",
    "\"a\\tb\"",
    "x y",
    "x\u{2028}y",
    "\u{2028}",
    "\u{85}x",
];

/// Values of one line of which a reader refuses more than one would think. They say little about types.
const REFUSED: [&str; 14] = [
    ".inf", "-.INF", ".nan", "*none", "&a", "'", "\"\\q\"", "\"\\/\"", "\"\\x4\"", "}", "]", ",",
    "|", ">",
];

/// Values of every shape, for places where the shape is what counts.
const SHAPES: [&str; 14] = [
    "[]",
    "{}",
    "''",
    "x",
    "1",
    "1.5",
    "true",
    "null",
    "[x]",
    "[null]",
    "{k: v}",
    "!!str 1",
    "!!binary YQ==",
    "- x",
];

const KEYS: [&str; 5] = ["example.com/gpu", "dedicated", "k", "pool", "a.b/c"];
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const SECONDS: [&str; 24] = [
    "300",
    "0",
    "-1",
    "+5",
    "0x12c",
    "0454",
    "0o17",
    "0b11",
    "300.0",
    "3e2",
    "3.",
    "1e16",
    "1e18",
    "1_000",
    "9007199254740993.0",
    "4611686018427387904.0",
    "9223372036854775807",
    "!!int 300",
    "!!int '300'",
    "!!float 300",
    "-0.0",
    "12e03",
    "089",
    "-1e18",
];

/// Marks by which this program knows what is filled in later. Of such texts nothing is said.
pub const MARKS: [&str; 14] = [
    "{{", "}}", "%{", "{%", "[[", "@@", "#{", "((", "${", "$", "<%", "{x}", "{k}", "{a}",
];

pub struct Generator {
    random: Random,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
        }
    }

    pub fn case(&mut self) -> Case {
        let tree = self.object();
        // Half of the texts are in order but for one thing: more would hide each other.
        let odd = [0, 0, 2, 4, 8, 15][self.random.below(6)];
        let mut text = Speller::spell(&tree, Notice(odd), &mut self.random);
        if self.random.chance(20) {
            text = self.slip(text);
        }
        Case { text }
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }

    fn pick(&mut self, list: &[&str]) -> String {
        (*self.random.pick(list)).to_owned()
    }

    fn object(&mut self) -> Tree {
        let kind = [
            "Pod",
            "Pod",
            "Pod",
            "PodTemplate",
            "RuntimeClass",
            "Node",
            "Node",
        ][self.random.below(7)];
        let group = if kind == "RuntimeClass" {
            "node.k8s.io/v1"
        } else {
            "v1"
        };
        let mut fields = vec![
            ("apiVersion", Tree::text(group)),
            ("kind", Tree::text(kind)),
        ];
        let mut metadata = vec![("name", Tree::text("a"))];
        match kind {
            "Node" => {
                if self.chance(60) {
                    metadata.push(("labels", self.labels()));
                }
                fields.push(("metadata", Tree::map(metadata)));
                let mut spec = Vec::new();
                if self.chance(75) {
                    spec.push(("taints", self.taints()));
                }
                if self.chance(20) {
                    spec.push(("unschedulable", self.boolean()));
                }
                fields.push(("spec", self.now_and_then(Tree::map(spec))));
            }
            "RuntimeClass" => {
                fields.push(("metadata", Tree::map(metadata)));
                fields.push(("handler", Tree::text("h")));
                let mut lent = vec![("tolerations", self.tolerations())];
                if self.chance(50) {
                    lent.push(("nodeSelector", self.labels()));
                }
                fields.push(("scheduling", self.now_and_then(Tree::map(lent))));
            }
            _ => {
                fields.push(("metadata", Tree::map(metadata)));
                let spec = self.pod();
                if kind == "Pod" {
                    fields.push(("spec", spec));
                } else {
                    fields.push(("template", Tree::map([("spec", spec)])));
                }
            }
        }
        Tree::map(fields)
    }

    fn pod(&mut self) -> Tree {
        let container = Tree::map([("name", Tree::text("c")), ("image", Tree::text("i"))]);
        let mut spec = vec![("containers", Tree::List(vec![container]))];
        if self.chance(60) {
            spec.push(("tolerations", self.tolerations()));
        }
        if self.chance(40) {
            spec.push(("nodeSelector", self.labels()));
        }
        if self.chance(35) {
            spec.push(("affinity", self.affinity()));
        }
        for name in ["nodeName", "priorityClassName", "runtimeClassName"] {
            if self.chance(6) {
                let value = self.string("n1");
                spec.push((name, value));
            }
        }
        if self.chance(8) {
            spec.push(("hostNetwork", self.boolean()));
        }
        Tree::map(spec)
    }

    /// A value as it is, or rarely something else in its place.
    fn now_and_then(&mut self, value: Tree) -> Tree {
        match self.random.below(100) {
            0..=2 => self.odd(),
            3 => match value {
                Tree::List(mut items) => items.pop().unwrap_or(Tree::raw("{}")),
                other => Tree::List(vec![other]),
            },
            4 => Tree::raw(["{}", "[]", "", "''", "null", "x", "0"][self.random.below(7)]),
            _ => value,
        }
    }

    fn odd(&mut self) -> Tree {
        if self.chance(4) {
            // Of two values of one key Kubernetes reads the last alone, and refuses an infinite one there.
            return Tree::Raw(self.pick(&REFUSED[3..]));
        }
        Tree::Raw(self.pick(&ODD))
    }

    fn string(&mut self, usual: &str) -> Tree {
        match self.random.below(100) {
            0..=9 => self.odd(),
            10 => Tree::raw(&format!("!!binary {}", base64(usual))),
            11 => Tree::raw(&format!("! {usual}")),
            12 => Tree::raw(""),
            _ => Tree::text(usual),
        }
    }

    fn boolean(&mut self) -> Tree {
        match self.random.below(10) {
            0 | 1 => self.odd(),
            2 => Tree::raw("'true'"),
            3 => Tree::raw("!!bool 'true'"),
            _ => Tree::Raw(self.pick(&["true", "false", "yes", "No", "on", "y"])),
        }
    }

    fn labels(&mut self) -> Tree {
        let count = self.random.below(3);
        let mut fields = Vec::new();
        for at in 0..=count {
            let key = match self.random.below(12) {
                0 => self.odd(),
                _ => Tree::Text(format!("{}{at}", self.pick(&KEYS))),
            };
            let value = self.string("v");
            fields.push((key, value));
        }
        let labels = Tree::Map(fields);
        self.now_and_then(labels)
    }

    fn list(&mut self, items: Vec<Tree>) -> Tree {
        let mut items = items;
        if self.chance(3) {
            let odd = self.odd();
            items.push(odd);
        }
        self.now_and_then(Tree::List(items))
    }

    fn tolerations(&mut self) -> Tree {
        let count = 1 + self.random.below(3);
        let items = (0..count).map(|_| self.toleration()).collect();
        self.list(items)
    }

    fn toleration(&mut self) -> Tree {
        let mut fields = Vec::new();
        if self.chance(90) {
            let key = self.pick(&KEYS);
            fields.push(("key", self.string(&key)));
        }
        if self.chance(70) {
            let exists = self.chance(60);
            fields.push((
                "operator",
                self.string(if exists { "Exists" } else { "Equal" }),
            ));
            if !exists {
                fields.push(("value", self.string("v")));
            }
        }
        let seconds = self.chance(40);
        if seconds || self.chance(70) {
            let effect = if seconds {
                "NoExecute".to_owned()
            } else {
                self.pick(&EFFECTS)
            };
            fields.push(("effect", self.string(&effect)));
        }
        if seconds {
            let value = if self.chance(70) {
                Tree::Raw(self.pick(&SECONDS))
            } else {
                self.odd()
            };
            fields.push(("tolerationSeconds", value));
        }
        if self.chance(3) {
            let name = self.pick(&["effects", "Key", "x", "key"]);
            return match Tree::map(fields) {
                Tree::Map(mut fields) => {
                    fields.push((Tree::Text(name), self.odd()));
                    Tree::Map(fields)
                }
                other => other,
            };
        }
        self.now_and_then(Tree::map(fields))
    }

    fn taints(&mut self) -> Tree {
        let count = 1 + self.random.below(2);
        let mut items = Vec::new();
        for at in 0..count {
            let key = format!("{}{at}", self.pick(&KEYS));
            let effect = self.pick(&EFFECTS);
            let mut fields = vec![("key", self.string(&key)), ("effect", self.string(&effect))];
            if self.chance(50) {
                fields.push(("value", self.string("v")));
            }
            if self.chance(15) {
                let times = [
                    "2024-01-01T00:00:00Z",
                    "'2024-01-01T00:00:00Z'",
                    "2024-01-01",
                    "null",
                    "2024-01-01T00:00:00+01:00",
                    "''",
                    "2024-01-01T00:00:00.5Z",
                    "2024-1-1T00:00:00Z",
                    "2024-02-30T00:00:00Z",
                    "2024-01-01t00:00:00z",
                    "2024-01-01T24:00:00Z",
                    "2024-01-01T00:00:00",
                    "1",
                    "2024-01-01 00:00:00Z",
                    "2024-01-01T00:00:00,5Z",
                    "2024-01-01T00:00:00+24:00",
                    "2024-01-01T0:00:00Z",
                    "0000-01-01T00:00:00Z",
                ];
                let time = if self.chance(80) {
                    Tree::Raw(self.pick(&times))
                } else {
                    self.odd()
                };
                fields.push(("timeAdded", time));
            }
            let taint = self.now_and_then(Tree::map(fields));
            items.push(taint);
        }
        self.list(items)
    }

    fn affinity(&mut self) -> Tree {
        let mut node = Vec::new();
        if self.chance(75) {
            let count = 1 + self.random.below(2);
            let terms = (0..count).map(|_| self.term()).collect();
            let terms = self.list(terms);
            let required = Tree::map([("nodeSelectorTerms", terms)]);
            node.push((REQUIRED, self.now_and_then(required)));
        }
        if self.chance(40) {
            let weight = match self.random.below(4) {
                0 => self.odd(),
                _ => Tree::Raw(self.pick(&["1", "50", "100", "10.0", "1e1", "0x10", "100.0", "0"])),
            };
            let preference = self.term();
            let preferred = Tree::map([("weight", weight), ("preference", preference)]);
            let preferred = self.now_and_then(preferred);
            node.push((PREFERRED, self.list(vec![preferred])));
        }
        let node = self.now_and_then(Tree::map(node));
        let affinity = Tree::map([("nodeAffinity", node)]);
        self.now_and_then(affinity)
    }

    fn term(&mut self) -> Tree {
        let count = 1 + self.random.below(2);
        let mut requirements = Vec::new();
        for _ in 0..count {
            let exists = self.chance(40);
            let key = self.pick(&KEYS);
            let mut fields = vec![
                ("key", self.string(&key)),
                (
                    "operator",
                    self.string(if exists { "Exists" } else { "In" }),
                ),
            ];
            if !exists {
                let values = (0..=self.random.below(2))
                    .map(|_| self.string("v"))
                    .collect();
                fields.push(("values", self.list(values)));
            }
            let requirement = Tree::map(fields);
            requirements.push(self.now_and_then(requirement));
        }
        let mut fields = vec![("matchExpressions", self.list(requirements))];
        if self.chance(15) {
            let field = Tree::map([
                ("key", Tree::text("metadata.name")),
                ("operator", Tree::text("In")),
                ("values", Tree::List(vec![self.string("n1")])),
            ]);
            fields.push(("matchFields", self.list(vec![field])));
        }
        self.now_and_then(Tree::map(fields))
    }

    /// A slip of the pen anywhere.
    fn slip(&mut self, text: String) -> String {
        let lines = text.split_inclusive('\n').count();
        let line = self.random.below(lines);
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let start = starts[line.min(starts.len() - 1)];
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let place = *self.random.pick(&places);
        let mut text = text;
        match self.random.below(14) {
            0 => text.replace("\n", "\r\n"),
            1 => text.replace("\n", "\r"),
            2 => format!("\u{feff}{text}"),
            3 => {
                text.insert(start, ' ');
                text
            }
            4 => {
                text.insert(start, '\t');
                text
            }
            5 => {
                let again = text[start..]
                    .split_inclusive('\n')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                text.insert_str(start, &again);
                text
            }
            6 => {
                text.remove(place);
                text
            }
            7..=10 => {
                let marks = [
                    " ",
                    "\t",
                    "\n",
                    "#",
                    " #",
                    ":",
                    ": ",
                    ",",
                    "-",
                    "- ",
                    "'",
                    "\"",
                    "[",
                    "]",
                    "{",
                    "}",
                    "&a ",
                    "*a",
                    "!",
                    "! ",
                    "|",
                    ">",
                    "%",
                    "?",
                    "\\",
                    "\u{2028}",
                    "\u{2029}",
                    "\u{85}",
                    "\u{a0}",
                    "\u{7f}",
                    "\u{1}",
                    "\0",
                    "\r",
                    "é",
                    "\u{1f600}",
                    "\u{fffe}",
                ];
                let mark = *self.random.pick(&marks);
                text.insert_str(place, mark);
                text
            }
            11 => {
                text.truncate(place);
                text
            }
            12 => text.trim_end().to_owned(),
            _ => {
                let line = text[start..]
                    .split_inclusive('\n')
                    .next()
                    .unwrap_or_default()
                    .len();
                text.replace_range(start..start + line, "");
                text
            }
        }
    }
}

/// Spellings that Kubernetes takes or refuses against all expectation.
const SPELLINGS: [&str; 55] = [
    "apiVersion:\n|-\n  v1\nkind: Node\nmetadata: {name: a}\n",
    "apiVersion: \u{85}|+\n  v1\nkind: Node\n",
    "kind: # c\n  # d\n\n>-\n Node\napiVersion: v1\nmetadata: {name: a}\n",
    "kind: &a !!str\n|-\n Node\napiVersion: v1\nmetadata: {name: a}\n",
    "kind:\n&a\n|-\n Node\napiVersion: v1\n",
    "kind: Node\n|-\n x\n",
    "metadata:\n  name:\n |-\n   a\nkind: Node\n",
    "metadata:\n  name:\n  |-\n   a\nkind: Node\napiVersion: v1\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n... x\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n... &a # c\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n... '# c\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n... {a:\n  [\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n...\nx: [\n",
    "... # c\n",
    "# c\n...\nkind: Node\napiVersion: v1\n",
    "... x\nkind: Node\napiVersion: v1\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {!!str :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {! :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {!!binary :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {!!int :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {? !!str :\"v\"}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, x: [!!str :[v]]}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {!!str\n  :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {k: !!str :v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: {~: x}, a: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: v, a: {~: x}}}\n",
    "kind: Node\napiVersion: v1\nmetadata:\n  name: a\n  labels:\n    ? a\n    : ?\n    <<: {a: v}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {<<: {a: {~: x}}, a: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {<<: [{a: v}, {a: {~: x}}]}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {<<: [{a: {~: x}}, {a: v}]}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {<<: {~: x}}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: &a {~: x}, a: v, b: *a}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: &a {b: {~: x}}, a: v, <<: *a, b: w}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: [.inf], a: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: &a .inf, a: v, b: *a}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, x: {? &a .inf : v, b: *a}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: {18446744073709551615: x}, a: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {1: {~: x}, 0x1: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {1: {~: x}, '1': v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {1: {~: x}, 1.0: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, x: {.nan: {~: x}, .nan: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: {[b]: x}, a: v}}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {a: !!binary '?', a: v}}\n",
    "%YAML 1.1\n--- {kind: Node, apiVersion: v1, metadata: {name: a}}}\n",
    "# c\n{kind: Node, apiVersion: v1,\n metadata: {name: a}}\n] }\nx: y\n",
    "# c\n{kind: Node, apiVersion: v1, metadata: {name: a}}]: [\n",
    "  kind: Node\n  apiVersion: v1\n  metadata: {name: a}\n }\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}\n}\n",
    "kind: Node\napiVersion: v1\nmetadata: {name: a}}\n",
    "&a-0] kind: Node\napiVersion: v1\n",
    "--- # c\n&a # d\n} kind: Node\n",
    "!!str ] kind: Node\n",
    "kind: &a ]\napiVersion: v1\n",
    "] kind: Node\n",
    "--- ] kind: Node\n",
];

/// Texts that are tried on purpose: odd spellings, and every odd value in every place where a value is read, alone.
pub fn listed() -> Vec<Case> {
    let mut texts = Vec::new();
    let pod = |field: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: c, image: i}}]\n{field}"
        )
    };
    let node = |field: &str| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: a}}\n{field}");
    for odd in ODD.iter().chain(&REFUSED) {
        texts.push(pod(&format!("  tolerations: {odd}\n")));
        texts.push(pod(&format!(
            "  tolerations: [{{key: k, operator: Equal, value: {odd}}}]\n"
        )));
        texts.push(pod(&format!("  tolerations:\n  - {{operator: Exists, effect: NoExecute, tolerationSeconds: {odd}}}\n")));
        texts.push(pod(&format!("  nodeSelector: {{k: {odd}}}\n")));
        texts.push(pod(&format!("  nodeSelector:\n    {odd}: v\n")));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity:\n      {REQUIRED}:\n        nodeSelectorTerms:\n        - {odd}\n")));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity:\n      {PREFERRED}:\n      - weight: {odd}\n        preference: {{matchExpressions: [{{key: k, operator: Exists}}]}}\n")));
        texts.push(node(&format!("spec:\n  taints: {odd}\n")));
        texts.push(node(&format!("spec:\n  taints:\n  - {odd}\n")));
        texts.push(node(&format!(
            "spec:\n  taints:\n  - {{key: k, effect: NoSchedule, value: {odd}}}\n"
        )));
        texts.push(format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: a, labels: {{k: {odd}}}}}\n"
        ));
    }
    for odd in SHAPES {
        texts.push(pod(&format!("  tolerations: [{odd}]\n")));
        texts.push(pod(&format!(
            "  tolerations:\n  - operator: Equal\n    key: k\n    value: {odd}\n"
        )));
        texts.push(pod(&format!("  nodeSelector: {odd}\n")));
        texts.push(pod(&format!("  affinity: {odd}\n")));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity: {odd}\n")));
        texts.push(pod(&format!(
            "  affinity:\n    nodeAffinity:\n      {REQUIRED}: {odd}\n"
        )));
        texts.push(pod(&format!(
            "  affinity:\n    nodeAffinity:\n      {REQUIRED}:\n        nodeSelectorTerms: {odd}\n"
        )));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity:\n      {REQUIRED}:\n        nodeSelectorTerms:\n        - matchExpressions: {odd}\n")));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity:\n      {REQUIRED}:\n        nodeSelectorTerms:\n        - matchExpressions: [{{key: k, operator: In, values: {odd}}}]\n")));
        texts.push(pod(&format!(
            "  affinity:\n    nodeAffinity:\n      {PREFERRED}: {odd}\n"
        )));
        texts.push(pod(&format!("  affinity:\n    nodeAffinity:\n      {PREFERRED}:\n      - weight: 1\n        preference: {odd}\n")));
        texts.push(pod(&format!("  hostNetwork: {odd}\n")));
        texts.push(pod(&format!("  nodeName: {odd}\n")));
        texts.push(node(&format!("spec: {odd}\n")));
        texts.push(node(&format!(
            "spec:\n  taints:\n  - {{key: k, effect: NoSchedule, timeAdded: {odd}}}\n"
        )));
        texts.push(node(&format!("spec:\n  unschedulable: {odd}\n")));
        texts.push(format!(
            "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {odd}\n"
        ));
    }
    texts.extend(SPELLINGS.map(str::to_owned));
    texts.into_iter().map(|text| Case { text }).collect()
}
