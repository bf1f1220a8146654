//! Recognizes documents that are surely valid, line by line and without parsing them: mappings and lists in block style with
//! short keys and values, as most manifests are. Whatever it does not recognize is left to the parser.

use std::ops::Range;

use crate::source::text::Cut as _;

/// The keys of a document that is surely valid, down to the second level.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline<'t> {
    /// The keys of the root, each with the value in its line.
    pub fields: Vec<(&'t str, &'t str)>,
    /// The keys below a key of the root, each with the number of that key.
    pub below: Vec<(usize, &'t str)>,
}

/// Splits a text into its documents, each with the marker before it. `None` if the text has signs that only the parser knows.
pub fn split(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    if bytes.iter().any(|byte| is_odd(*byte)) || has_separator(bytes) {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    let mut has_content = false;
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', bytes.get(at..)?).map_or(text.len(), |found| at + found);
        let line = text.within(at..end);
        if line.starts_with("...") || line.starts_with('%') {
            return None;
        }
        if let Some(rest) = after_marker(line) {
            if !is_end(rest) {
                return None;
            }
            // Comments and blank lines before the first marker belong to the first document.
            if has_content || !parts.is_empty() || text.within(start..at).starts_with("---") {
                parts.push(start..at);
                start = at;
            }
            has_content = false;
        } else {
            has_content |= !is_end(line);
        }
        at = end + 1;
    }
    parts.push(start..text.len());
    Some(parts)
}

/// Documents that are nested deeper are left to the parser.
const MAX_DEPTH: usize = 64;

/// Control characters, and the first bytes of characters that are, or may be, line breaks.
fn is_odd(byte: u8) -> bool {
    (byte < b' ' && byte != b'\n') || matches!(byte, 0x7f | 0xC2 | 0xEF)
}

/// Whether there is a separator of lines or paragraphs, which some readers take for a line break.
fn has_separator(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\xE2\x80\xA8").is_some()
        || memchr::memmem::find(bytes, b"\xE2\x80\xA9").is_some()
}

/// What follows the marker of a document in its line. Text directly after the dashes makes them a part of it.
fn after_marker(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("---")?;
    (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
}

/// Whether nothing but blanks and a comment follows.
fn is_end(rest: &str) -> bool {
    let trimmed = rest.trim_start_matches(' ');
    trimmed.is_empty()
        || (trimmed.starts_with('#') && (trimmed.len() < rest.len() || rest == trimmed))
}

/// An open mapping or list.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Block {
    column: usize,
    is_list: bool,
}

/// What may follow the last line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Nothing that is indented deeper.
    Nothing,
    /// A block as the value of a key or of a dash.
    Value,
    /// The lines of a block scalar below this column.
    Text(usize),
    /// The rest of a text that this quote ends, below this column.
    Quoted(u8, usize),
}

struct Reader<'t> {
    outline: Outline<'t>,
    blocks: Vec<Block>,
    open: Open,
}

/// Reads a document that is a mapping. `None` if only the parser can tell whether it is valid. `text` is one of the parts
/// that [`split`] returns.
pub fn outline(text: &str) -> Option<Outline<'_>> {
    let mut reader = Reader {
        outline: Outline::default(),
        blocks: Vec::new(),
        open: Open::Value,
    };
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Open::Text(column) = reader.open {
            reader.open = Open::Nothing;
            // The lines of a text are indented like its first one, and no blank line before it is longer.
            let (mut first, mut blank) = (None, 0);
            let mut line = Some(line);
            while let Some(one) = line {
                let content = one.trim_start_matches(' ');
                let indent = one.len() - content.len();
                if content.is_empty() {
                    blank = blank.max(indent);
                } else if indent <= column {
                    break;
                } else if indent < *first.get_or_insert(indent) {
                    return None;
                }
                line = lines.next();
            }
            if blank > first.unwrap_or(0) {
                return None;
            }
            match line {
                Some(line) => reader.line(line)?,
                None => break,
            }
        } else if let Open::Quoted(quote, column) = reader.open {
            let content = line.trim_start_matches(' ');
            if content.is_empty() {
                continue;
            }
            if line.len() - content.len() <= column {
                return None;
            }
            if let Some(rest) = after_quote(content, quote)? {
                reader.open = Open::Nothing;
                is_end_of_value(rest).then_some(())?;
            }
        } else {
            reader.line(line)?;
        }
    }
    if matches!(reader.open, Open::Quoted(..)) {
        return None;
    }
    let is_mapping = reader.blocks.first().is_some_and(|first| !first.is_list);
    is_mapping.then_some(reader.outline)
}

impl<'t> Reader<'t> {
    fn is_fresh(&self) -> bool {
        self.blocks.is_empty()
    }

    fn line(&mut self, line: &'t str) -> Option<()> {
        if is_end(line) || (self.is_fresh() && after_marker(line).is_some()) {
            return Some(());
        }
        let content = line.trim_start_matches(' ');
        self.content(content, line.len() - content.len())
    }

    /// Reads the content of a line, or what follows a dash.
    fn content(&mut self, content: &'t str, column: usize) -> Option<()> {
        let is_list = content == "-" || content.starts_with("- ");
        self.enter(column, is_list)?;
        if !is_list {
            return self.entry(content, column);
        }
        let rest = content.since(1);
        if is_end(rest) {
            self.open = Open::Value;
            return Some(());
        }
        let item = rest.trim_start_matches(' ');
        let inner = column + content.len() - item.len();
        if item == "-" || item.starts_with("- ") || key(item).is_some() {
            self.open = Open::Value;
            return self.content(item, inner);
        }
        self.value(item, column)
    }

    /// Opens or goes back to the block at a column.
    fn enter(&mut self, column: usize, is_list: bool) -> Option<()> {
        if self.blocks.len() > MAX_DEPTH {
            return None;
        }
        while self.blocks.last().is_some_and(|last| last.column > column) {
            self.blocks.pop();
            self.open = Open::Nothing;
        }
        let block = Block { column, is_list };
        match self.blocks.last() {
            None if self.open == Open::Value && column == 0 => self.blocks.push(block),
            Some(last) if last.column < column => {
                if self.open != Open::Value {
                    return None;
                }
                self.blocks.push(block);
            }
            Some(last) if last.is_list == is_list => {}
            // A list may stand below its key without being indented.
            Some(_) if is_list && self.open == Open::Value => self.blocks.push(block),
            Some(_) if !is_list => {
                self.blocks.pop();
                let before = Block {
                    column,
                    is_list: false,
                };
                if self.blocks.last() != Some(&before) {
                    return None;
                }
            }
            _ => return None,
        }
        self.open = Open::Nothing;
        Some(())
    }

    /// Reads a key and the value in its line.
    fn entry(&mut self, content: &'t str, column: usize) -> Option<()> {
        let (name, rest) = key(content)?;
        let value = rest.trim_start_matches(' ');
        match self.blocks.as_slice() {
            [_] => self.outline.fields.push((name, value)),
            [_, second] if !second.is_list => {
                let number = self.outline.fields.len().checked_sub(1)?;
                self.outline.below.push((number, name));
            }
            _ => {}
        }
        if is_end(rest) {
            self.open = Open::Value;
            return Some(());
        }
        self.value(value, column)
    }

    /// Reads a value in the line of its key or dash, which is at this column.
    fn value(&mut self, value: &str, column: usize) -> Option<()> {
        let first = value.bytes().next()?;
        let rest = match first {
            b'|' | b'>' => {
                let rest = value.since(1);
                let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
                self.open = Open::Text(column);
                rest
            }
            b'"' | b'\'' => match after_quote(value.since(1), first)? {
                Some(rest) => rest,
                None => {
                    self.open = Open::Quoted(first, column);
                    ""
                }
            },
            b'[' | b'{' => flow(value)?,
            _ => {
                let plain = value.split(" #").next()?.trim_end_matches(' ');
                is_plain(plain).then_some("")?
            }
        };
        is_end_of_value(rest).then_some(())
    }
}

/// Whether nothing follows a value in its line.
fn is_end_of_value(rest: &str) -> bool {
    rest.is_empty() || (rest.starts_with(' ') && is_end(rest))
}

/// What follows the end of a quoted text in a line: `Some(None)` if the text goes on in the next line, and `None` if it has
/// escapes that may be wrong.
fn after_quote(line: &str, quote: u8) -> Option<Option<&str>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(quote, b'\\', bytes.get(at..)?) {
        at += found;
        let next = bytes.get(at + 1).copied();
        if bytes.get(at) == Some(&quote) {
            // Two single quotes are one in the text.
            if quote == b'"' || next != Some(quote) {
                return Some(Some(line.since(at + 1)));
            }
            at += 2;
        } else if quote == b'\'' {
            at += 1;
        } else if next.is_some_and(|next| matches!(next, b'"' | b'\\' | b'n' | b't')) {
            at += 2;
        } else {
            return None;
        }
    }
    Some(None)
}

/// A key at the start of a text, and what follows its colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = match text.bytes().next()? {
        quote @ (b'"' | b'\'') => {
            let rest = text.since(1);
            let end = memchr::memchr(quote, rest.as_bytes())?;
            (rest.until(end), rest.since(end + 1))
        }
        _ => {
            let end = text.bytes().position(|byte| !is_of_name(byte))?;
            (text.until(end), text.since(end))
        }
    };
    let rest = rest.strip_prefix(':')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_of_name)
        && !is_word_of_yaml(name);
    (is_name && (rest.is_empty() || rest.starts_with(' '))).then_some((name, rest))
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-')
}

/// Words that YAML takes for something other than a text.
fn is_word_of_yaml(word: &str) -> bool {
    const WORDS: [&str; 10] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// What follows a quoted text without escapes in brackets.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.bytes().next()?;
    let rest = text.since(1);
    let end = memchr::memchr(quote, rest.as_bytes())?;
    let (inner, after) = (rest.until(end), rest.since(end + 1));
    let is_doubled = after.bytes().next() == Some(quote);
    (!inner.contains('\\') && !is_doubled).then_some(after)
}

/// What follows a list or mapping in brackets that holds only short texts.
fn flow(text: &str) -> Option<&str> {
    let (close, is_mapping) = match text.bytes().next()? {
        b'[' => (']', false),
        _ => ('}', true),
    };
    let mut rest = text.since(1).trim_start_matches(' ');
    if let Some(after) = rest.strip_prefix(close) {
        return Some(after);
    }
    loop {
        if is_mapping {
            let (_, after) = key(rest)?;
            rest = after.strip_prefix(' ')?.trim_start_matches(' ');
        }
        rest = match rest.bytes().next()? {
            b'"' | b'\'' => quoted(rest)?,
            _ => {
                let end = rest.find([',', close])?;
                let item = rest.until(end).trim_end_matches(' ');
                let is_short = item.bytes().all(is_of_name) && is_plain(item);
                is_short.then_some(rest.since(end))?
            }
        };
        rest = rest.trim_start_matches(' ');
        if let Some(after) = rest.strip_prefix(close) {
            return Some(after);
        }
        rest = rest.strip_prefix(',')?.trim_start_matches(' ');
    }
}

/// Whether a text without quotes is surely one value, which JSON can have.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.bytes().next() else {
        return false;
    };
    if text.ends_with(':') || text.contains(": ") || text.contains(" #") {
        return false;
    }
    let is_digits = |text: &str| {
        let count = text.bytes().take_while(u8::is_ascii_digit).count();
        count == text.len() && (1..=15).contains(&count)
    };
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'_' | b'$' | b'(' | b'^' => true,
        // Infinity and large exponents have no form in JSON.
        b'0'..=b'9' => {
            let mut parts = text.split('.');
            let is_number = parts.all(is_digits);
            let is_word = |byte: u8| {
                (byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E' | b'x' | b'X' | b'o'))
                    || byte == b'/'
            };
            is_number || text.bytes().any(is_word)
        }
        b'-' => {
            let rest = text.since(1);
            is_digits(rest) || rest.starts_with(|c: char| c == '-' || c.is_ascii_alphabetic())
        }
        _ => false,
    }
}
