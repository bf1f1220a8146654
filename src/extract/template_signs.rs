//! Signs in a text that a tool replaces parts of it: actions of template languages, which are proof by themselves, and
//! words that scripts replace, which are a sign only if they explain an error.

use std::ops::Range;

use super::placeholders::enclosed_word;

/// Words in the text of a branch that is read for its own sake.
pub(super) const WORDS: [&str; 12] = [
    "oleration",
    "aint",
    "nodeSelector",
    "ffinity",
    "nodeName",
    "DuringScheduling",
    "operator:",
    "effect:",
    "kind:",
    "DaemonSet",
    "Deployment",
    "StatefulSet",
];

/// Delimiters of actions. They have no meaning in YAML or in the language of Terraform.
const ACTIONS: [(&str, &str); 5] = [
    ("{{", "}}"),
    ("{%", "%}"),
    ("{#", "#}"),
    ("<%", "%>"),
    ("(@", "@)"),
];

/// Words that begin a statement of a template language whose other signs have a different meaning elsewhere.
const STATEMENTS: [&str; 17] = [
    "if", "else", "elif", "elseif", "end", "endif", "for", "endfor", "range", "with", "while",
    "define", "template", "include", "block", "list", "macro",
];

/// The maximum length of a replaced word with braces, in bytes.
const LONGEST_WORD: usize = 4096;

/// The maximum length of an action in double brackets, in bytes.
const LONGEST_STATEMENT: usize = 256;

/// The search gives up after this many unclosed braces, so that it stays linear.
const MOST_UNCLOSED: usize = 256;

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Yaml,
    /// The language of Terraform. Its quoted strings and heredocs often contain templates of other languages, so their
    /// contents are no sign.
    Hcl,
}

/// Whether a text contains an action of a template language outside comments.
pub(super) fn has_actions(text: &str, language: Language) -> bool {
    let last = ACTIONS.map(|(_, close)| text.rfind(close));
    let mut heredoc = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        if let Some(end) = heredoc {
            if line.trim() == end {
                heredoc = None;
            }
            continue;
        }
        let closes_later = |action: usize, at: usize| {
            last.get(action)
                .copied()
                .flatten()
                .is_some_and(|last| from + at + 2 <= last)
        };
        if line_has_action(line, language, &closes_later) {
            return true;
        }
        if language == Language::Hcl {
            heredoc = heredoc_end(line);
        }
    }
    false
}

/// Whether a condition may end or begin in a part of a text. Keys before and after it may then never occur together.
pub(super) fn may_branch(part: &str) -> bool {
    const MARKS: [&str; 12] = [
        "{{", "{%", "<%", "%{", "[[", "<#", "</#", "#@", "#if", "#else", "#elif", "#end",
    ];
    MARKS.iter().any(|mark| part.contains(mark))
}

/// Whether a line has an action outside a comment. `closes_later` says whether the action with an index that opens at a
/// byte of the line is closed.
fn line_has_action(
    line: &str,
    language: Language,
    closes_later: &dyn Fn(usize, usize) -> bool,
) -> bool {
    let directive = line.trim_start().strip_prefix('%');
    if directive.is_some_and(is_statement) {
        return true;
    }
    let bytes = line.as_bytes();
    let mut quote = None;
    let mut before: Option<u8> = None;
    for (at, byte) in bytes.iter().enumerate() {
        let apart = before.is_none_or(|byte| byte.is_ascii_whitespace());
        let is_comment = match (byte, language) {
            (b'#', Language::Yaml) => apart,
            (b'#', Language::Hcl) => true,
            (b'/', Language::Hcl) => bytes.get(at + 1) == Some(&b'/'),
            _ => false,
        };
        let in_text = quote.is_some() && language == Language::Hcl;
        if !in_text && opens_action(line, at, closes_later) {
            return true;
        }
        if is_comment && quote.is_none() {
            return false;
        }
        match (byte, quote) {
            (b'"' | b'\'', Some(open)) if *byte == open && before != Some(b'\\') => quote = None,
            (b'"', None) => quote = Some(b'"'),
            // An apostrophe inside a word does not open a string.
            (b'\'', None) if language == Language::Yaml => {
                let opens = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
                quote = opens.then_some(b'\'');
            }
            _ => {}
        }
        before = Some(*byte);
    }
    false
}

/// Whether an action opens at a byte of a line.
fn opens_action(line: &str, at: usize, closes_later: &dyn Fn(usize, usize) -> bool) -> bool {
    let Some(rest) = line.get(at..) else {
        return false;
    };
    let is_pair = || {
        let mut actions = ACTIONS.iter().enumerate();
        actions.any(|(action, (open, _))| rest.starts_with(open) && closes_later(action, at))
    };
    let is_tag = |open: &str| rest.strip_prefix(open).is_some_and(is_statement);
    match rest.as_bytes().first() {
        Some(b'{' | b'(') => is_pair(),
        Some(b'<') => {
            let is_php = rest.starts_with("<?php") || rest.starts_with("<?=");
            is_pair() || is_php || is_tag("<#") || is_tag("</#")
        }
        Some(b'%') => is_tag("%{") || is_tag("%{~"),
        Some(b'[') => rest.strip_prefix("[[").is_some_and(is_go_action),
        _ => false,
    }
}

/// Whether a text begins with a statement of a template language.
fn is_statement(text: &str) -> bool {
    let text = text.trim_start();
    let word = text
        .split(|one: char| !one.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    STATEMENTS.contains(&word)
}

/// Whether the text after `[[` is a Go template action with other brackets. Shells and TOML use `[[`, too.
fn is_go_action(rest: &str) -> bool {
    let near = near(rest, LONGEST_STATEMENT);
    let Some((inside, _)) = near.split_once("]]") else {
        return false;
    };
    let is_apart = inside.starts_with(' ') || inside.starts_with("- ");
    let inside = inside.trim_start_matches('-').trim();
    let is_field = inside
        .strip_prefix('.')
        .is_some_and(|field| field.starts_with(|one: char| one.is_ascii_alphabetic()));
    // A TOML table may have the name of a statement.
    let is_alone = !is_apart && !inside.contains(' ') && inside != "end" && inside != "else";
    is_field || inside.contains(":=") || (is_statement(inside) && !is_alone)
}

/// The word that ends the heredoc that a line opens, or `None` if it opens none.
fn heredoc_end(line: &str) -> Option<&str> {
    let (_, word) = line.trim_end().rsplit_once("<<")?;
    let word = word.trim_start_matches('-');
    let is_word = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    (!word.is_empty() && word.chars().all(is_word)).then_some(word)
}

/// Returns the text with every word that a script may replace filled in, in several ways, since the real value is
/// unknown. Empty for a text without such words.
pub(super) fn filled(text: &str) -> Vec<String> {
    let words = replaced_words(text);
    if words.is_empty() {
        return Vec::new();
    }
    let put = |with: &str| {
        let mut filled = String::with_capacity(text.len());
        let mut copied = 0;
        for word in &words {
            filled.push_str(text.get(copied..word.start).unwrap_or_default());
            filled.push_str(with);
            copied = word.end;
        }
        filled.push_str(text.get(copied..).unwrap_or_default());
        filled
    };
    vec![without_their_lines(text, &words), put("x"), put("")]
}

/// Removes lines that contain nothing but replaced words, and fills in a plain word for all others.
fn without_their_lines(text: &str, words: &[Range<usize>]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut words = words.iter().peekable();
    let (mut start, mut copied) = (0, 0);
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let before = filled.len();
        let (mut rest, mut replaced) = (String::new(), false);
        copied = copied.max(range.start);
        while let Some(word) = words.next_if(|word| word.start < range.end) {
            let between = text.get(copied..word.start).unwrap_or_default();
            rest.push_str(between);
            filled.push_str(between);
            filled.push('x');
            (copied, replaced) = (word.end, true);
        }
        let between = text.get(copied..range.end).unwrap_or_default();
        rest.push_str(between);
        filled.push_str(between);
        copied = copied.max(range.end);
        if replaced && rest.trim().trim_end_matches(',').is_empty() {
            filled.truncate(before);
            filled.push('\n');
        }
    }
    filled
}

/// The ranges of words that a script may replace.
fn replaced_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut search = Search {
        text,
        unclosed: MOST_UNCLOSED,
    };
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let length = match byte {
            b'$' | b'@' | b'%' | b'{' | b'_' | b'<' | b'[' | b'(' | b'#' => search.word_at(at),
            _ => None,
        };
        let may_elide = b".[<(\xE2".contains(byte);
        let length = length.or_else(|| may_elide.then(|| elision(text, at)).flatten());
        match length {
            Some(length) => {
                words.push(at..at + length);
                at += length;
            }
            None => at += 1,
        }
    }
    words
}

/// The length of the ellipsis at an offset that marks omitted lines, as in documentation: it is alone on its line. At
/// the very beginning of a line three dots end a document.
fn elision(text: &str, at: usize) -> Option<usize> {
    const MARKS: [&str; 5] = ["...", "…", "[...]", "<...>", "(...)"];
    let rest = text.get(at..)?;
    let mark = MARKS.iter().find(|mark| rest.starts_with(**mark))?;
    let behind = rest.get(mark.len()..)?;
    let before = text.get(..at)?;
    let ends = behind.is_empty() || behind.starts_with(['\n', '\r']);
    (ends && before.ends_with(' ') && before.trim_end_matches(' ').ends_with('\n'))
        .then_some(mark.len())
}

/// A search for replaced words.
struct Search<'t> {
    text: &'t str,
    /// How many more unclosed braces are allowed.
    unclosed: usize,
}

impl Search<'_> {
    /// The length of the replaced word at an offset, or `None` if there is none.
    fn word_at(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let behind = rest.get(1..)?;
        let (mark, next) = (*rest.as_bytes().first()?, *behind.as_bytes().first()?);
        match mark {
            b'$' | b'#' | b'@' | b'%' if next == b'{' => {
                let length = 1 + self.closed(behind, braces)?;
                // `#{X}#` and `%{X}%`
                let is_closed = b"#%".contains(&mark) && rest.as_bytes().get(length) == Some(&mark);
                Some(length + usize::from(is_closed))
            }
            b'$' | b'@' if next == b'(' => Some(1 + enclosed(behind, "(", ")", is_name)?),
            b'$' if next.is_ascii_alphabetic() || next == b'_' => {
                let length = 1 + name_length(behind);
                Some(length + usize::from(rest.as_bytes().get(length) == Some(&b'$')))
            }
            b'@' | b'%' => match enclosed_word(self.text.as_bytes(), at) {
                Some(end) => {
                    // `%Y-%m` is a date format.
                    let word = self.text.get(at..end)?.trim_matches(char::from(mark));
                    (!word.ends_with(['-', '.'])).then_some(end - at)
                }
                None => format_verb(behind).filter(|_| mark == b'%'),
            },
            b'{' if next == b'{' => self.closed(rest, |rest| Some(rest.find("}}")? + 2)),
            b'{' if next == b'%' => self.closed(rest, |rest| Some(rest.find("%}")? + 2)),
            b'{' => enclosed(rest, "{", "}", is_braced),
            b'_' => {
                let before = at
                    .checked_sub(1)
                    .and_then(|at| self.text.as_bytes().get(at));
                if before.is_some_and(|before| is_name(*before)) {
                    return None;
                }
                let length = name_length(rest);
                let word = rest.get(..length)?;
                (length > 4 && word.starts_with("__") && word.ends_with("__")).then_some(length)
            }
            b'<' if next == b'<' => enclosed(rest, "<<", ">>", is_spoken),
            b'<' => enclosed(rest, "<", ">", |byte| {
                is_spoken(byte) && !byte.is_ascii_lowercase()
            }),
            b'[' => enclosed(rest, "[[", "]]", is_spoken),
            b'(' => enclosed(rest, "((", "))", |byte| is_spoken(byte) || byte == b'/'),
            _ => None,
        }
    }

    /// Finds the end of a word with braces, unless too many searches failed.
    fn closed(&mut self, rest: &str, end: impl Fn(&str) -> Option<usize>) -> Option<usize> {
        if self.unclosed == 0 {
            return None;
        }
        let found = end(near(rest, LONGEST_WORD));
        self.unclosed -= usize::from(found.is_none());
        found
    }
}

/// The beginning of a text, at most this many bytes.
fn near(text: &str, most: usize) -> &str {
    // A character has at most four bytes.
    let mut ends = (0..=most).rev().take(4);
    ends.find_map(|end| text.get(..end)).unwrap_or(text)
}

/// The length of a text in braces, including nested braces.
fn braces(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The length of a word between two marks.
fn enclosed(rest: &str, open: &str, close: &str, part: impl Fn(u8) -> bool) -> Option<usize> {
    let inside = rest.strip_prefix(open)?;
    let length = inside.bytes().take_while(|byte| part(*byte)).count();
    let (word, behind) = inside.split_at_checked(length)?;
    let is_word = word.bytes().any(|byte| byte.is_ascii_alphanumeric());
    (is_word && behind.starts_with(close)).then_some(open.len() + length + close.len())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn name_length(rest: &str) -> usize {
    rest.bytes().take_while(|byte| is_name(*byte)).count()
}

/// Whether `{…}` may contain a byte for `str.format` or `sed`.
fn is_braced(byte: u8) -> bool {
    is_name(byte) || b" $.-:".contains(&byte)
}

/// Whether a placeholder for people may contain a byte.
fn is_spoken(byte: u8) -> bool {
    is_name(byte) || b" .-".contains(&byte)
}

/// The length of a `printf` or Python verb, given the text after the `%`: `%s`, `%[1]d`, `%-8v`, `%(name)s`.
fn format_verb(behind: &str) -> Option<usize> {
    let is_flag = |byte: &u8| byte.is_ascii_digit() || b"-+.[]*".contains(byte);
    let before = match enclosed(behind, "(", ")", is_spoken) {
        Some(named) => named,
        None => behind.bytes().take(16).take_while(is_flag).count(),
    };
    let mut verb = behind.bytes().skip(before);
    let is_verb = verb
        .next()
        .is_some_and(|verb| b"sdvqtfgxXTiu".contains(&verb));
    let ends = verb.next().is_none_or(|byte| !is_name(byte));
    (is_verb && ends).then_some(before + 2)
}
