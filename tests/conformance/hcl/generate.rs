//! Texts in Terraform's language made from a seed: most of them right or nearly right, some broken by a change of a few
//! characters.

use crate::random::Random;

/// Makes texts.
pub struct Generator {
    random: Random,
    text: String,
    /// How deep what is being made is nested.
    depth: usize,
}

/// Names, odd ones among them.
const NAMES: [&str; 22] = [
    "a",
    "b",
    "key",
    "value",
    "labels",
    "taint",
    "for",
    "in",
    "if",
    "else",
    "true",
    "null",
    "node-pool",
    "_x",
    "x1",
    "größe",
    "キー",
    "endfor",
    "resource",
    "a--",
    "e5",
    "E",
];

/// Names of variables and functions that nothing defines, so that values stay open.
const OPEN: [&str; 6] = [
    "var.x",
    "local.y[0]",
    "each.value.z",
    "f(1, 2)",
    "provider::x::y(1)",
    "g([1]...)",
];

/// None of them has a last digit that only rounding would give.
const NUMBERS: [&str; 16] = [
    "0", "1", "42", "1.5", "0.125", "1e3", "1E+2", "25e-1", "007", "3.00", "100000", "1.5e2",
    "12345678", "0.25", "2e0", "9",
];

/// Numbers that are written wrong, or end otherwise than they look.
const ODD_NUMBERS: [&str; 8] = ["1.2.3", "1..2", "1.", ".5", "0x1F", "1e", "1_000", "1e5e5"];

/// Numbers of many digits. With operators they would be another matter.
const LONG_NUMBERS: [&str; 6] = [
    "9007199254740993",
    "12345678901234567890",
    "0.1234567890123456789",
    "1.00000000000000000001e3",
    "0.1",
    "1e23",
];

/// What may stand in a text in quotes and in a heredoc alike.
const WORDS: [&str; 30] = [
    "a",
    "b c",
    " ",
    "  ",
    "\t",
    "é",
    "日本",
    "😀",
    "$",
    "%",
    "$$",
    "%%",
    "$${",
    "%%{",
    "$$${",
    "$a",
    "% ",
    "#",
    "//",
    "/*",
    "*/",
    "{",
    "}",
    "~",
    "<<EOT",
    "EOT",
    "key: value",
    "- x",
    "=",
    "'",
];

const ESCAPES: [&str; 12] = [
    "\\n",
    "\\t",
    "\\r",
    "\\\"",
    "\\\\",
    "\\u00e9",
    "\\U0001F600",
    "\\u12",
    "\\ud800",
    "\\x",
    "\\$",
    "\\U00110000",
];

const COMMENTS: [&str; 12] = [
    "# a",
    "// b",
    "/* c */",
    "# <<EOT",
    "// \"open",
    "/* <<EOT\n\" */",
    "#",
    "# ${",
    "/**/",
    "/* a",
    "#\r",
    "/*/ */",
];

const OPERATORS: [&str; 12] = [
    "+", "-", "*", "/ 2 +", "% 8 -", "==", "!=", "<", "<=", ">", ">=", "+",
];

/// What stands beside `&&` and `||`.
const TRUTHS: [&str; 12] = [
    "true",
    "false",
    "\"true\"",
    "1 == 1",
    "var.x",
    "!true",
    "\"\"",
    "(\"x\" == null)",
    "[]",
    "1 < 2",
    "f(1)",
    "2 * 3 >= 6.0",
];

const MARKS: [&str; 5] = ["EOT", "E", "a-b", "_", "ENDE"];

/// What is put into texts to break them.
const BREAKS: [&str; 44] = [
    "\"", "'", "`", "{", "}", "(", ")", "[", "]", "<<", "<<EOT\n", "<<-E\n", "EOT", "\n", "\r\n",
    "\r", "\t", " ", ",", ";", ":", "=", "==", "=>", "?", "!", "&", "|", "^", "~", "~}", "${",
    "%{", "$", "%", "\\", ".", "...", "::", "#", "/*", "\0", "\u{feff}", "a",
];

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            text: String::new(),
            depth: 0,
        }
    }

    /// A text.
    pub fn text(&mut self) -> String {
        self.text.clear();
        self.depth = 0;
        let items = self.random.below(4);
        for _ in 0..items {
            self.item(0);
        }
        let mut text = std::mem::take(&mut self.text);
        if self.random.chance(10) {
            text.truncate(text.trim_end().len());
        }
        if self.random.chance(8) {
            text = text.replace('\n', "\r\n");
        }
        if self.random.chance(35) {
            for _ in 0..=self.random.below(2) {
                self.break_up(&mut text);
            }
        }
        text
    }

    /// A text that is a template as a whole.
    pub fn template(&mut self) -> String {
        self.text.clear();
        self.depth = 3;
        for _ in 0..self.random.below(5) {
            self.part();
            match self.random.below(4) {
                0 => self.push("\n"),
                1 => self.push("\\n\"x\""),
                _ => self.sequence(),
            }
        }
        let mut text = std::mem::take(&mut self.text);
        if self.random.chance(35) {
            self.break_up(&mut text);
        }
        text
    }

    /// Takes a few characters away, puts some in, or writes some twice.
    fn break_up(&mut self, text: &mut String) {
        let places: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let first = self.random.below(places.len());
        let last = (first + self.random.below(4)).min(places.len() - 1);
        let range = places[first]..places[last];
        match self.random.below(3) {
            0 => text.replace_range(range, ""),
            1 => {
                let broken: &str = BREAKS[self.random.below(BREAKS.len())];
                text.insert_str(range.start, broken);
            }
            _ => {
                let twice = text[range.clone()].repeat(2);
                text.replace_range(range, &twice);
            }
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn one_of(&mut self, list: &[&str]) {
        let one = *self.random.pick(list);
        self.push(one);
    }

    /// Blanks that mean nothing, or nearly nothing.
    fn gap(&mut self) {
        match self.random.below(12) {
            0 => {}
            1 => self.push("  "),
            2 => self.push("\t"),
            3 => self.push("/* c */"),
            _ => self.push(" "),
        }
    }

    fn comment(&mut self) {
        self.one_of(&COMMENTS);
    }

    fn item(&mut self, indent: usize) {
        self.push(&" ".repeat(indent));
        match self.random.below(10) {
            0 => {
                self.comment();
                self.push("\n");
            }
            1 => self.push("\n"),
            2..=6 => {
                self.one_of(&NAMES);
                // The same name twice in a body is refused, so most have a number.
                if self.random.chance(85) {
                    let number = self.random.below(1000);
                    self.push(&format!("_{number}"));
                }
                self.gap();
                self.push("=");
                self.gap();
                match self.random.chance(2) {
                    true => self.one_of(&LONG_NUMBERS),
                    false => self.value(),
                }
                if self.random.chance(10) {
                    self.gap();
                    self.comment();
                }
                self.push("\n");
            }
            _ => self.block(indent),
        }
    }

    fn block(&mut self, indent: usize) {
        self.one_of(&NAMES);
        for _ in 0..self.random.below(3) {
            self.push(" ");
            match self.random.below(8) {
                0 => self.one_of(&NAMES),
                1 => self.push("\"a\\u0041 $${x} %% é\""),
                2 => self.push("\"${a}\""),
                3 => self.push("\"\""),
                _ => {
                    self.push("\"");
                    self.one_of(&NAMES);
                    self.push("\"");
                }
            }
        }
        self.push(" {");
        if self.depth > 3 || self.random.chance(15) {
            // All on one line, or empty.
            if self.random.chance(60) {
                self.gap();
                self.one_of(&NAMES);
                self.push(" = ");
                self.value();
                self.gap();
            }
            self.push("}\n");
            return;
        }
        if self.random.chance(10) {
            self.gap();
            self.comment();
        }
        self.push("\n");
        self.depth += 1;
        for _ in 0..self.random.below(4) {
            self.item(indent + 2);
        }
        self.depth -= 1;
        self.push(&" ".repeat(indent));
        self.push("}\n");
    }

    fn value(&mut self) {
        self.depth += 1;
        let kinds = if self.depth > 5 { 9 } else { 22 };
        match self.random.below(kinds) {
            0 | 1 => self.one_of(&NUMBERS),
            2..=4 => self.quoted(),
            5 => self.one_of(&["true", "false", "null"]),
            6 => self.one_of(&OPEN),
            7 => self.push("\"x\""),
            8 if self.random.chance(20) => self.one_of(&ODD_NUMBERS),
            8 => self.one_of(&NAMES),
            9..=11 => self.list(),
            12..=14 => self.object(),
            15 | 16 => self.heredoc(),
            17 => self.for_expression(),
            18 => {
                self.one_of(&["-", "!", "- ", "!!", "--"]);
                self.value();
            }
            19 if self.random.chance(30) => {
                self.one_of(&TRUTHS);
                for _ in 0..=self.random.below(3) {
                    self.one_of(&[" && ", " || ", "&&", "\t||\t"]);
                    self.one_of(&TRUTHS);
                }
            }
            19 => {
                self.value();
                for _ in 0..=self.random.below(3) {
                    self.gap();
                    self.one_of(&OPERATORS);
                    self.gap();
                    self.value();
                }
            }
            20 => {
                self.push("(");
                self.line();
                self.value();
                self.line();
                self.push(")");
            }
            _ => {
                if self.random.chance(50) {
                    self.value();
                    // Sides that need a common type of several levels are not evaluated as by HCL.
                    let depth = std::mem::replace(&mut self.depth, 9);
                    self.push(" ? ");
                    self.value();
                    self.push(" : ");
                    self.value();
                    self.depth = depth;
                } else {
                    self.value();
                    self.steps();
                }
            }
        }
        self.depth -= 1;
    }

    /// The end of a line in what stands in brackets.
    fn line(&mut self) {
        match self.random.below(8) {
            0 => self.push("\n  "),
            1 => {
                self.gap();
                self.comment();
                self.push("\n");
            }
            _ => {}
        }
    }

    fn steps(&mut self) {
        for _ in 0..=self.random.below(3) {
            self.one_of(&[
                ".a", ".b-c", "[0]", "[\"a\"]", ".0", ".*", "[*]", ".*.a", "[*].b", ".0.1",
                "[1 + 0]", "[\n0\n]", ". a", "[ * ]",
            ]);
        }
    }

    fn list(&mut self) {
        self.push("[");
        self.line();
        let items = self.random.below(4);
        for item in 0..items {
            self.value();
            self.line();
            if item + 1 < items || self.random.chance(20) {
                self.push(",");
            }
            self.line();
        }
        self.push("]");
    }

    fn object(&mut self) {
        self.push("{");
        let on_lines = self.random.chance(60);
        if on_lines {
            self.gap();
            if self.random.chance(10) {
                self.comment();
            }
            self.push("\n");
        }
        for _ in 0..self.random.below(4) {
            match self.random.below(12) {
                0 => self.quoted(),
                1 => self.push("(\"k\")"),
                2 => self.push("\"a${1}\""),
                3 => self.one_of(&NUMBERS),
                4 => self.value(),
                5 => self.push("(var.k)"),
                _ => self.one_of(&NAMES),
            }
            self.gap();
            let separator = if self.random.chance(75) { "=" } else { ":" };
            self.push(separator);
            self.gap();
            self.value();
            match (on_lines, self.random.below(8)) {
                (true, 0) => self.push(",\n"),
                (true, 1) => self.push(" # c\n"),
                (true, 2) => self.push("\n\n"),
                (true, _) => self.push("\n"),
                (false, 0) => self.push(" "),
                (false, _) => self.push(", "),
            }
        }
        self.push("}");
    }

    fn for_expression(&mut self) {
        let object = self.random.chance(50);
        self.push(if object { "{" } else { "[" });
        self.line();
        self.push("for");
        self.push(" ");
        self.one_of(&["v", "k, v", "v", "_, x", "k,", "5"]);
        self.push(" in ");
        self.value();
        self.gap();
        self.push(":");
        self.line();
        self.gap();
        if object != self.random.chance(8) {
            self.one_of(&["v", "\"k${v}\"", "\"a\"", "k"]);
            self.push(" => ");
        }
        self.one_of(&["v", "1", "upper(v)", "{ a = v }", "[v, v]"]);
        if self.random.chance(12) {
            self.push("...");
        }
        if self.random.chance(25) {
            self.push(" if ");
            self.one_of(&["true", "false", "v == 1", "v != null"]);
        }
        self.line();
        self.push(if object { "}" } else { "]" });
    }

    fn quoted(&mut self) {
        self.push("\"");
        for _ in 0..self.random.below(4) {
            match self.random.below(10) {
                0 | 1 => self.one_of(&ESCAPES[..7]),
                2 if self.random.chance(20) => self.one_of(&ESCAPES),
                3 | 4 => self.sequence(),
                _ => self.one_of(&WORDS),
            }
        }
        self.push("\"");
    }

    /// An interpolation or a directive.
    fn sequence(&mut self) {
        let (open, close) =
            *self
                .random
                .pick(&[("", ""), ("", ""), ("~", ""), ("", "~"), ("~", "~")]);
        match self.random.below(8) {
            0 => {
                self.push(&format!("%{{{open} if "));
                self.one_of(&["true", "false", "1 == 1", "var.x"]);
                self.push(&format!(" {close}}}"));
                self.part();
                if self.random.chance(50) {
                    self.push(&format!("%{{{open} else {close}}}"));
                    self.part();
                }
                if self.random.chance(95) {
                    self.push(&format!("%{{{open} endif {close}}}"));
                }
            }
            1 => {
                self.push(&format!("%{{{open} for v in [1, 2] {close}}}"));
                self.part();
                self.push("${v}");
                self.part();
                self.push(&format!("%{{{open} endfor {close}}}"));
            }
            _ => {
                self.push(&format!("${{{open}"));
                self.line();
                if self.depth < 4 {
                    self.value();
                } else {
                    self.one_of(&["1", "\"x\"", "true", "var.x", "\"}\"", "{ a = \"}\" }.a"]);
                }
                self.line();
                self.push(&format!("{close}}}"));
            }
        }
    }

    fn part(&mut self) {
        if self.random.chance(70) {
            self.one_of(&WORDS);
        }
        if self.random.chance(15) && self.depth < 6 {
            self.depth += 1;
            self.sequence();
            self.depth -= 1;
        }
    }

    fn heredoc(&mut self) {
        let mark = *self.random.pick(&MARKS);
        let flush = if self.random.chance(60) { "-" } else { "" };
        self.push(&format!("<<{flush}{mark}"));
        if self.random.chance(3) {
            self.push(" ");
        }
        self.push("\n");
        for _ in 0..self.random.below(5) {
            let indent = *self
                .random
                .pick(&["", "  ", "    ", "  ", "\t", "\u{a0}", "      ", "\u{3000}"]);
            self.push(indent);
            for _ in 0..self.random.below(4) {
                match self.random.below(6) {
                    0 | 1 => self.sequence(),
                    2 => self.push("\\n\"x\""),
                    _ => self.one_of(&WORDS),
                }
            }
            let end = *self
                .random
                .pick(&["\n", "\n", "\n", "\n", "\n", "  \n", "\r\n", "\n\n"]);
            self.push(end);
        }
        self.one_of(&["", "  ", "\t", ""]);
        self.push(mark);
        self.one_of(&["", "", "", "", " "]);
        // What follows stands on a line of its own.
        if self.depth > 1 && self.random.chance(80) {
            self.push("\n");
        }
    }
}
