//! Trees as YAML in every spelling that there is: styles, tags, anchors, merges, comments, indentation.

use std::fmt::Write as _;

use crate::random::Random;

/// What a text is to say, and what of it is spelled already.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A string, in any spelling that means it.
    Text(String),
    /// Anything else that takes one line, as it stands.
    Raw(String),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

impl Tree {
    pub fn text(text: &str) -> Tree {
        Tree::Text(text.to_owned())
    }

    pub fn raw(text: &str) -> Tree {
        Tree::Raw(text.to_owned())
    }

    /// A map with plain keys.
    pub fn map<'k>(fields: impl IntoIterator<Item = (&'k str, Tree)>) -> Tree {
        let fields = fields.into_iter();
        Tree::Map(
            fields
                .map(|(key, value)| (Tree::text(key), value))
                .collect(),
        )
    }
}

/// How odd a text is spelled, in percent of the places where it could be.
#[derive(Clone, Copy)]
pub struct Notice(pub usize);

pub struct Speller<'r> {
    pub random: &'r mut Random,
    odd: Notice,
    /// Anchors so far, and whether each stands for a map.
    anchors: Vec<(String, bool)>,
    out: String,
}

impl<'r> Speller<'r> {
    pub fn spell(tree: &Tree, odd: Notice, random: &'r mut Random) -> String {
        let mut speller = Speller {
            random,
            odd,
            anchors: Vec::new(),
            out: String::new(),
        };
        if speller.odd() {
            let start = [
                "---\n",
                "--- \n",
                "---\t\n",
                "%YAML 1.1\n---\n",
                "# c\n---\n",
                "--- # c\n",
                "\n",
                "---\r\n",
            ];
            let start = *speller.random.pick(&start);
            speller.out.push_str(start);
        }
        match tree {
            Tree::Map(fields) if !speller.random.chance(6) => speller.block_map(fields, 0, true),
            Tree::List(items) => speller.block_list(items, 0, true),
            other => {
                speller.flow(other, 0);
                speller.out.push('\n');
            }
        }
        if speller.odd() {
            let end = ["...\n", "# c\n", "\n\n", "---\n", "... # c\n", "#c"];
            let end = *speller.random.pick(&end);
            speller.out.push_str(end);
        }
        speller.out
    }

    fn odd(&mut self) -> bool {
        let Notice(percent) = self.odd;
        self.random.chance(percent)
    }

    /// Rarer than [`Speller::odd`].
    fn rare(&mut self) -> bool {
        self.odd() && self.random.chance(30)
    }

    fn pad(&mut self, indent: usize) {
        let spaces = indent;
        self.out.extend(std::iter::repeat_n(' ', spaces));
    }

    /// The end of a line, perhaps with a comment or blank lines.
    fn line_end(&mut self) {
        if self.odd() {
            let ends = [
                " # c\n",
                "  #\n",
                " \n",
                "\t\n",
                " \t # c: d\n",
                "\n\n",
                "\n# c\n",
                "\n   # c\n",
                "\r\n",
                "\n \n",
                "\n\t\n",
                "\n\t# c\n",
                " #'\n",
                "\t#\"\n",
            ];
            let end = *self.random.pick(&ends);
            self.out.push_str(end);
        } else {
            self.out.push('\n');
        }
    }

    /// An anchor or a tag before a value.
    fn properties(&mut self, map: bool, tag: &str) {
        if self.rare() {
            let name = format!(
                "{}{}",
                ["a", "x-", "1", "é"][self.random.below(4)],
                self.anchors.len()
            );
            let _ = write!(self.out, "&{name} ");
            self.anchors.push((name, map));
        }
        if self.rare() {
            let tags = [
                tag,
                "!",
                "!local",
                "!!x",
                "!<tag:yaml.org,2002:map>",
                "!e!x",
                "!a%20b",
            ];
            let known = if self.random.chance(70) {
                1
            } else {
                tags.len()
            };
            let tag = *self.random.pick(&tags[..known]);
            let _ = write!(self.out, "{tag} ");
        }
    }

    fn alias(&mut self) -> bool {
        if self.anchors.is_empty() || !self.rare() {
            return false;
        }
        let at = self.random.below(self.anchors.len());
        let name = self.anchors[at].0.clone();
        let _ = write!(self.out, "*{name} ");
        true
    }

    fn block_map(&mut self, fields: &[(Tree, Tree)], indent: usize, first_padded: bool) {
        for (at, (key, value)) in fields.iter().enumerate() {
            if at > 0 || first_padded {
                self.pad(indent);
            }
            if self.rare() {
                self.merge(indent);
                self.pad(indent);
            }
            if self.rare() && self.random.chance(40) {
                self.out
                    .push_str(["? ", "?  ", "?\t"][self.random.below(3)]);
                self.scalar_in_line(key);
                self.line_end();
                self.pad(indent);
            } else {
                self.scalar_in_line(key);
                if self.rare() {
                    self.out.push(' ');
                }
            }
            self.out.push(':');
            self.value(value, indent, false);
        }
    }

    /// `<<: *anchor`, or what else may stand there.
    fn merge(&mut self, indent: usize) {
        let map = self
            .anchors
            .iter()
            .find(|(_, map)| *map)
            .map(|(name, _)| name.clone());
        let source = match (map, self.random.below(6)) {
            (Some(name), 0..=2) => format!("*{name}"),
            (Some(name), 3) => format!("[*{name}, {{key: m}}]"),
            (_, 4) => "[{key: k}, {effect: NoExecute, value: w}]".to_owned(),
            (_, 5) => "x".to_owned(),
            _ => "{key: m, operator: Exists}".to_owned(),
        };
        let key = ["<<", "<<", "<<", "'<<'", "!!merge <<", "! <<", "\"<<\""][self.random.below(7)];
        let _ = write!(self.out, "{key}: {source}");
        self.line_end();
        let _ = indent;
    }

    /// What follows a `:` or a `-`.
    fn value(&mut self, value: &Tree, indent: usize, of_list: bool) {
        match value {
            Tree::Map(fields) if !fields.is_empty() && !self.flows() => {
                if of_list && !self.odd() {
                    self.out.push(' ');
                    let below = indent + 2;
                    return self.block_map(fields, below, false);
                }
                self.out.push(' ');
                self.properties(true, "!!map");
                self.line_end();
                let below = indent + 1 + self.random.below(4);
                self.block_map(fields, below, true);
            }
            Tree::List(items) if !items.is_empty() && !self.flows() => {
                self.out.push(' ');
                self.properties(false, "!!seq");
                self.line_end();
                let below = if of_list {
                    indent + 2
                } else {
                    indent + self.random.below(3)
                };
                self.block_list(items, below, true);
            }
            other => {
                let blank = if self.rare() { '\t' } else { ' ' };
                self.out.push(blank);
                if self.rare() {
                    self.line_end();
                    self.pad(indent + 2);
                }
                if !self.alias() && !self.block_scalar(other, indent) {
                    self.flow(other, indent + 1);
                    self.line_end();
                } else if !self.out.ends_with('\n') {
                    self.line_end();
                }
            }
        }
    }

    fn flows(&mut self) -> bool {
        self.random.chance(15)
    }

    fn block_list(&mut self, items: &[Tree], indent: usize, first_padded: bool) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 || first_padded {
                self.pad(indent);
            }
            self.out.push('-');
            self.value(item, indent, true);
        }
    }

    /// A text as a block scalar, now and then.
    fn block_scalar(&mut self, value: &Tree, indent: usize) -> bool {
        let Tree::Text(text) = value else {
            return false;
        };
        if !self.rare() || text.is_empty() {
            return false;
        }
        let text = text.clone();
        self.properties(false, "!!str");
        let headers = [
            "|-", ">-", "|", ">", "|+", "|2-", ">2-", "|-2", "|- # c", ">-\t", "|1", "|-0", "|x",
        ];
        let usual = if self.random.chance(85) {
            7
        } else {
            headers.len()
        };
        let header = *self.random.pick(&headers[..usual]);
        self.out.push_str(header);
        self.out.push('\n');
        self.pad(indent + 2);
        self.out.push_str(&text);
        let ends = ["\n", "\n\n", "\n  \n", " \n", "\n#c\n", "\n # c\n"];
        let end = if self.odd() {
            *self.random.pick(&ends)
        } else {
            "\n"
        };
        self.out.push_str(end);
        true
    }

    fn scalar_in_line(&mut self, value: &Tree) {
        match value {
            Tree::Text(text) => {
                if self.rare() {
                    self.properties(false, "!!str");
                }
                let text = text.clone();
                self.text(&text, false);
            }
            Tree::Raw(raw) => {
                let raw = raw.clone();
                self.out.push_str(&raw);
            }
            other => {
                let other = other.clone();
                self.flow(&other, 0);
            }
        }
    }

    /// A string on one line or, folded, on several.
    fn text(&mut self, text: &str, folded: bool) {
        let plain = !text.is_empty()
            && text.trim() == text
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
            && text.as_bytes()[0].is_ascii_alphabetic()
            && !matches!(
                text,
                "y" | "n" | "true" | "false" | "yes" | "no" | "on" | "off" | "null"
            );
        if plain && !self.odd() {
            self.out.push_str(text);
            return;
        }
        match self.random.below(if plain { 7 } else { 5 }) {
            0 | 1 => {
                let _ = write!(self.out, "'{}'", text.replace('\'', "''"));
            }
            5 => {
                let _ = write!(self.out, "!!str {text}");
            }
            6 if self.rare() => {
                let _ = write!(self.out, "!!binary {}", base64(text));
            }
            6 => self.out.push_str(text),
            _ => self.double_quoted(text, folded),
        }
    }

    fn double_quoted(&mut self, text: &str, folded: bool) {
        self.out.push('"');
        for one in text.chars() {
            let code = u32::from(one);
            match one {
                '"' | '\\' => {
                    self.out.push('\\');
                    self.out.push(one);
                }
                '\n' => self.out.push_str("\\n"),
                _ if self.rare() => {
                    let _ = match self.random.below(6) {
                        0 if code < 256 => write!(self.out, "\\x{code:02x}"),
                        1 if code < 65536 => write!(self.out, "\\u{code:04X}"),
                        2 => write!(self.out, "\\U{code:08x}"),
                        3 if folded => write!(self.out, "\\\n   {one}"),
                        4 if one == '/' => write!(self.out, "\\/"),
                        _ => write!(self.out, "{one}"),
                    };
                }
                _ => self.out.push(one),
            }
        }
        self.out.push('"');
    }

    fn gap(&mut self, indent: usize) {
        if self.odd() {
            let gaps = ["", "  ", "\n", "\n\n", "\t", " # c\n", "\r\n", "\n\t"];
            let gap = *self.random.pick(&gaps);
            self.out.push_str(gap);
            if gap.ends_with('\n') && !self.rare() {
                self.pad(indent + 1);
            }
        }
    }

    fn flow(&mut self, value: &Tree, indent: usize) {
        match value {
            Tree::Text(text) => {
                if self.rare() {
                    self.properties(false, "!!str");
                }
                let text = text.clone();
                self.text(&text, true);
            }
            Tree::Raw(raw) => {
                let raw = raw.clone();
                self.out.push_str(&raw);
            }
            Tree::List(items) => {
                self.properties(false, "!!seq");
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                        if !self.rare() {
                            self.out.push(' ');
                        }
                    }
                    self.gap(indent);
                    if !self.alias() {
                        self.flow(item, indent);
                    }
                    self.gap(indent);
                }
                if !items.is_empty() && self.odd() {
                    self.out.push(',');
                    self.gap(indent);
                }
                self.out.push(']');
            }
            Tree::Map(fields) => {
                self.properties(true, "!!map");
                self.out.push('{');
                for (at, (key, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                        if !self.rare() {
                            self.out.push(' ');
                        }
                    }
                    self.gap(indent);
                    let json = self.rare();
                    if self.rare() && self.random.chance(30) {
                        self.out.push_str("? ");
                    }
                    let before = self.out.len();
                    self.scalar_in_line(key);
                    let quoted = self.out[before..].ends_with(['"', '\'']);
                    if self.rare() {
                        self.gap(indent);
                    }
                    self.out.push(':');
                    if !(quoted && json) {
                        self.out.push(' ');
                    }
                    self.gap(indent);
                    if !self.alias() {
                        self.flow(value, indent);
                    }
                    self.gap(indent);
                }
                if !fields.is_empty() && self.odd() {
                    self.out.push(',');
                }
                self.out.push('}');
            }
        }
    }
}

/// A text in the notation that `!!binary` wants.
pub fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(
                    LETTERS[(bits >> (18 - 6 * place)) as usize & 63],
                ));
            } else {
                out.push('=');
            }
        }
    }
    out
}
